//! Reference documentation of a dialect, in the format of `mlir-tblgen -gen-dialect-doc`.
//!
//! Specification: the text equals that of `mlir-tblgen` 22.1 byte for byte, with six exceptions. The first line names
//! no tool. There is no link to the source file. A `::` at the end of a namespace is not repeated. Only the dialect's
//! own enums are listed. Properties have their own table. The text ends with the interfaces in the dialect's namespace,
//! which `mlir-tblgen` documents with other options.

use std::collections::BTreeSet;
use std::fmt::Write;

use hashbrown::HashMap;

use super::fields::text;
use super::model::{ArgKind, DefId, Definition, Definitions, DialectId, Enum, Interface, InterfaceKind, Op};
use crate::frontend::tablegen::{Record, RecordId, Value};

/// Returns the documentation of one dialect.
pub fn markdown(definitions: &Definitions<'_>, dialect: DialectId) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = MarkdownWriter { all: definitions, out: &mut out }.dialect(dialect);
    out
}

struct MarkdownWriter<'w, 'a> {
    all: &'w Definitions<'a>,
    out: &'w mut String,
}

impl<'a> MarkdownWriter<'_, 'a> {
    fn record(&self, id: RecordId) -> Record<'a> {
        self.all.records.record(id)
    }

    fn dialect(&mut self, id: DialectId) -> std::fmt::Result {
        let all = self.all;
        let dialect = &all.dialects[id];
        let record = self.record(dialect.record);
        self.out.push_str("<!-- Generated from operation definitions; do not edit -->\n");
        write!(self.out, "\n# '{}' Dialect\n", dialect.name)?;
        self.summary(record)?;
        self.description(record)?;
        let is_toc = |line: &str| line.trim_start().trim_end_matches('\r') == "[TOC]";
        if !record.string_field("description").unwrap_or("").lines().any(is_toc) {
            self.out.push_str("\n[TOC]\n");
        }
        self.operations(id)?;
        self.constraints("DialectAttr", "AttrDef", "Attribute constraints", id)?;
        self.definitions(&all.attributes, '#', "Attributes", id)?;
        self.constraints("DialectType", "TypeDef", "Type constraints", id)?;
        self.definitions(&all.types, '!', "Types", id)?;
        let wrapped = all.attributes.iter().filter(|item| item.dialect == id);
        let wrapped: Vec<RecordId> = wrapped.filter_map(|item| item.enumeration).collect();
        let enums = self.by_name(all.enums.iter(), |item| {
            (item.namespace == dialect.namespace || wrapped.contains(&item.record), item.record)
        });
        if !enums.is_empty() {
            self.out.push_str("\n## Enums\n");
        }
        enums.into_iter().try_for_each(|item| self.enumeration(item))?;
        let interfaces =
            self.by_name(all.interfaces.iter(), |item| (item.namespace == dialect.namespace, item.record));
        if !interfaces.is_empty() {
            self.out.push_str("\n## Interfaces\n");
        }
        interfaces.into_iter().try_for_each(|item| self.interface(item))
    }

    /// Selects items and sorts them by the names of their records.
    fn by_name<'i, T>(
        &self,
        all: impl Iterator<Item = &'i T>,
        wanted: impl Fn(&T) -> (bool, RecordId),
    ) -> Vec<&'i T> {
        let found = all.filter_map(|item| match wanted(item) {
            (true, record) => Some((record, item)),
            (false, _) => None,
        });
        let found: HashMap<RecordId, &T> = found.collect();
        let mut order: Vec<RecordId> = found.keys().copied().collect();
        self.all.records.sort_by_name(&mut order);
        order.iter().map(|record| found[record]).collect()
    }

    fn operations(&mut self, id: DialectId) -> std::fmt::Result {
        let all = self.all;
        let mut groups: Vec<(Option<Record<'a>>, Vec<&Op<'a>>)> = Vec::new();
        for op in self.by_name(all.ops.iter(), |op| (op.dialect == id, op.record)) {
            let group = self.record(op.record).def_field("opDocGroup").ok();
            match groups
                .iter_mut()
                .find(|(known, _)| group.is_some() && known.map(|g| g.id()) == group.map(|g| g.id()))
            {
                Some((_, ops)) => ops.push(op),
                None => groups.push((group, vec![op])),
            }
        }
        if groups.is_empty() {
            return Ok(());
        }
        self.out.push_str("\n## Operations\n");
        groups.sort_by_cached_key(|(group, ops)| {
            let title = group.map(|group| text(group, "summary")).filter(|title| !title.is_empty());
            title.unwrap_or(text(self.record(ops[0].record), "opName")).to_ascii_lowercase()
        });
        for (group, ops) in groups {
            let start = self.out.len();
            let group = group.filter(|&group| !text(group, "summary").is_empty());
            if let Some(group) = group {
                writeln!(self.out, "\n## {}", text(group, "summary"))?;
                self.description(group)?;
                self.out.push('\n');
            }
            ops.into_iter().try_for_each(|op| self.operation(op))?;
            if group.is_some() {
                // `mlir-tblgen` moves all lines that start with `#` down by one level, also those of descriptions.
                let lines = self.out.split_off(start);
                self.out.push_str(&lines.replace("\n#", "\n##"));
            }
            self.out.push('\n');
        }
        Ok(())
    }

    fn operation(&mut self, op: &Op<'a>) -> std::fmt::Result {
        let record = self.record(op.record);
        let namespace = text(record, "cppNamespace").trim_end_matches("::");
        let class =
            if namespace.is_empty() { op.class.to_owned() } else { format!("{namespace}::{}", op.class) };
        writeln!(self.out, "\n### `{}` ({})", op.name, class.strip_prefix("::mlir::").unwrap_or(&class))?;
        self.summary(record)?;
        self.syntax(&op.name, text(record, "assemblyFormat"))?;
        self.description_unless_blank(record)?;
        self.traits(op)?;
        if !op.attributes.is_empty() {
            self.out.push_str("\n#### Attributes:\n\n<table>\n");
            self.out.push_str("<tr><th>Attribute</th><th>MLIR Type</th><th>Description</th></tr>\n");
            for attribute in &op.attributes {
                let summary = self.constraint_summary(attribute.spec.record);
                let (name, storage) = (attribute.name, attribute.spec.storage);
                writeln!(
                    self.out,
                    "<tr><td><code>{name}</code></td><td>{storage}</td><td>{summary}</td></tr>"
                )?;
            }
            self.out.push_str("</table>\n");
        }
        if !op.properties.is_empty() {
            self.out.push_str("\n#### Properties:\n\n");
            self.out.push_str("| Property | C++ type | Default | Description |\n");
            self.out.push_str("| :------: | :------: | :-----: | ----------- |\n");
            for property in &op.properties {
                let default = match property.default {
                    "" => String::new(),
                    value => format!("`{value}`"),
                };
                let summary = self.constraint_summary(property.record);
                writeln!(
                    self.out,
                    "| `{}` | `{}` | {default} | {summary} |",
                    property.name, property.accessor_type
                )?;
            }
        }
        let operands = op.args.iter().filter_map(|arg| match arg.kind {
            ArgKind::Operand(index) => Some((arg.name, op.operands[index].constraint)),
            _ => None,
        });
        let operands: Vec<_> = operands.collect();
        self.table("Operand", &operands)?;
        let results: Vec<_> = op.results.iter().map(|result| (result.name, result.constraint)).collect();
        self.table("Result", &results)?;
        let successors: Vec<_> = op.successors.iter().map(|part| (part.name, part.constraint)).collect();
        self.table("Successor", &successors)?;
        self.out.push('\n');
        Ok(())
    }

    fn table(&mut self, what: &str, rows: &[(&str, RecordId)]) -> std::fmt::Result {
        if rows.is_empty() {
            return Ok(());
        }
        write!(self.out, "\n#### {what}s:\n\n| {what} | Description |\n")?;
        writeln!(self.out, "| :{}: | ----------- |", "-".repeat(what.len() - 2))?;
        for &(name, constraint) in rows {
            match name {
                "" => self.out.push_str("| &laquo;unnamed&raquo;"),
                name => write!(self.out, "| `{name}`")?,
            }
            writeln!(self.out, " | {} |", self.constraint_summary(constraint))?;
        }
        Ok(())
    }

    fn constraint_summary(&self, constraint: RecordId) -> &'a str {
        let record = self.record(self.all.constraint_of(constraint));
        record.string_field("summary").unwrap_or(record.name())
    }

    fn traits(&mut self, op: &Op<'a>) -> std::fmt::Result {
        let (mut traits, mut interfaces, mut effects) = (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
        for &id in &op.trait_records {
            let record = self.record(id);
            if record.is_subclass_of("PredTrait") {
                continue;
            }
            let class = text(record, "trait");
            let class = class.strip_suffix("::Trait").unwrap_or(class);
            let class = class.strip_suffix("::Impl").unwrap_or(class);
            let name = if record.name().starts_with("anonymous_") { class } else { record.name() };
            if !record.is_subclass_of("InterfaceTrait") {
                traits.insert(format!("`{name}`"));
                continue;
            }
            if !record.is_subclass_of("SideEffectsTraitBase") {
                interfaces.insert(format!("`{name}`"));
                continue;
            }
            let short = |name: &'a str| name.trim_start_matches("::").trim_start_matches("mlir::");
            let mut listed = Vec::new();
            for effect in record.list_field("effects").into_iter().flatten() {
                if let Value::Def(effect) = effect {
                    let effect = self.record(effect);
                    listed.push(format!("{} on {}", short(text(effect, "effect")), text(effect, "resource")));
                }
            }
            effects.insert(format!("`{}{{{}}}`", short(text(record, "baseEffectName")), listed.join(", ")));
            interfaces.insert(format!("`{name} ({class})`"));
        }
        // `mlir-tblgen` adds `InferTypeOpInterface` only if the definition of this interface is included.
        if op.inferred.is_some() && self.all.records.find("InferTypeOpInterface").is_some() {
            interfaces.insert("`InferTypeOpInterface`".to_owned());
        }
        for (what, names) in [("Traits", traits), ("Interfaces", interfaces), ("Effects", effects)] {
            if !names.is_empty() {
                let names: Vec<String> = names.into_iter().collect();
                write!(self.out, "\n{what}: {}\n", names.join(", "))?;
            }
        }
        Ok(())
    }

    fn syntax(&mut self, name: &str, format: &str) -> std::fmt::Result {
        if format.is_empty() {
            return Ok(());
        }
        write!(self.out, "\nSyntax:\n\n```\noperation ::= `{name}` ")?;
        let mut lines = format.trim().lines();
        writeln!(self.out, "{}", lines.next().unwrap_or("").trim())?;
        for line in lines.map(str::trim).filter(|line| !line.is_empty()) {
            writeln!(self.out, "              {line}")?;
        }
        self.out.push_str("```\n");
        Ok(())
    }

    /// Writes the attributes or types of a dialect that are constraints over C++ classes and not definitions.
    fn constraints(&mut self, class: &str, definition: &str, title: &str, id: DialectId) -> std::fmt::Result {
        let records = self.all.records;
        let dialect = self.all.dialects[id].record;
        let mut first = true;
        let mut found = records.derived_definitions(class);
        records.sort_by_name(&mut found);
        for record in found.into_iter().map(|record| records.record(record)) {
            let of_dialect = record.def_field("dialect").is_ok_and(|of| of.id() == dialect);
            if !of_dialect || record.is_subclass_of(definition) {
                continue;
            }
            if first {
                write!(self.out, "\n## {title}\n")?;
                first = false;
            }
            write!(self.out, "\n### {}\n", self.constraint_summary(record.id()))?;
            self.description(record)?;
            self.out.push('\n');
        }
        Ok(())
    }

    fn definitions(
        &mut self,
        all: &crate::id::IdVec<DefId, Definition<'a>>,
        sigil: char,
        title: &str,
        id: DialectId,
    ) -> std::fmt::Result {
        let mut first = true;
        for item in self.by_name(all.iter(), |item| (item.dialect == id, item.record)) {
            if first {
                write!(self.out, "\n## {title}\n")?;
                first = false;
            }
            let record = self.record(item.record);
            write!(self.out, "\n### {}\n", item.class)?;
            self.summary(record)?;
            if !item.mnemonic.is_empty() && !record.bit_field("hasCustomAssemblyFormat").unwrap_or(false) {
                self.definition_syntax(record, item, sigil)?;
            }
            self.description(record)?;
            self.parameters(record)?;
        }
        Ok(())
    }

    fn definition_syntax(
        &mut self,
        record: Record<'a>,
        item: &Definition<'a>,
        sigil: char,
    ) -> std::fmt::Result {
        let name = format!("{sigil}{}.{}", self.all.dialects[item.dialect].name, item.mnemonic);
        let Ok(dag) = record.dag_field("parameters") else { return Ok(()) };
        if dag.is_empty() {
            return write!(self.out, "\nSyntax: `{name}`\n");
        }
        write!(self.out, "\nSyntax:\n\n```\n{name}<\n")?;
        for (i, arg) in dag.args().enumerate() {
            let syntax = match arg.value {
                Value::String(ty) => self.all.records.str(ty),
                Value::Def(id) => {
                    let param = self.record(id);
                    param.string_field("syntax").unwrap_or(param.string_field("cppType").unwrap_or(""))
                }
                _ => "",
            };
            let comma = if i + 1 < dag.len() { "," } else { "" };
            writeln!(self.out, "  {syntax}{comma}   # {}", arg.name.unwrap_or(""))?;
        }
        self.out.push_str(">\n```\n");
        Ok(())
    }

    fn parameters(&mut self, record: Record<'a>) -> std::fmt::Result {
        let Ok(dag) = record.dag_field("parameters") else { return Ok(()) };
        if dag.is_empty() {
            self.out.push('\n');
            return Ok(());
        }
        self.out.push_str("\n#### Parameters:\n\n| Parameter | C++ type | Description |\n");
        self.out.push_str("| :-------: | :-------: | ----------- |\n");
        for arg in dag.args() {
            let (ty, summary) = match arg.value {
                Value::String(ty) => (self.all.records.str(ty), ""),
                Value::Def(id) => {
                    let param = self.record(id);
                    let field = |name| param.string_field(name).unwrap_or("");
                    (field("cppType"), field("summary"))
                }
                _ => ("", ""),
            };
            writeln!(self.out, "| {} | `{ty}` | {summary} |", arg.name.unwrap_or(""))?;
        }
        Ok(())
    }

    fn enumeration(&mut self, item: &Enum<'a>) -> std::fmt::Result {
        let record = self.record(item.record);
        write!(self.out, "\n### {}\n", item.class)?;
        self.summary(record)?;
        self.out.push_str("\n#### Cases:\n\n| Symbol | Value | String |\n| :----: | :---: | ------ |\n");
        for case in &item.cases {
            writeln!(self.out, "| {} | `{}` | {} |", case.symbol, case.value, case.text)?;
        }
        Ok(())
    }

    fn interface(&mut self, item: &Interface<'a>) -> std::fmt::Result {
        let kind = match item.kind {
            InterfaceKind::Op => "operation",
            InterfaceKind::Attr => "attribute",
            InterfaceKind::Type => "type",
        };
        write!(self.out, "\n### {}\n\n_{kind} interface_\n", item.class)?;
        self.description_unless_blank(self.record(item.record))?;
        if !item.bases.is_empty() {
            let bases: Vec<String> = item.bases.iter().map(|base| format!("`{base}`")).collect();
            write!(self.out, "\nBases: {}\n", bases.join(", "))?;
        }
        if !item.methods.is_empty() {
            self.out.push_str("\n#### Methods:\n");
        }
        for method in &item.methods {
            let params: Vec<String> =
                method.params.iter().map(|(name, ty)| format!("{ty} {name}").trim().to_owned()).collect();
            let word = if method.is_static { "static " } else { "" };
            let (returns, name) = (method.returns, method.name);
            write!(
                self.out,
                "\n##### `{name}`\n\n```c++\n{word}{returns} {name}({});\n```\n",
                params.join(", ")
            )?;
            self.description_unless_blank(self.record(method.record))?;
            if method.body.is_empty() && method.default_body.is_empty() {
                self.out.push_str("\nNOTE: This method *must* be implemented.\n");
            }
        }
        Ok(())
    }

    fn summary(&mut self, record: Record<'a>) -> std::fmt::Result {
        match text(record, "summary") {
            "" => Ok(()),
            summary => {
                // `mlir-tblgen` capitalises only ASCII letters.
                let (first, rest) = summary.split_at(summary.chars().next().map_or(0, char::len_utf8));
                write!(self.out, "\n_{}{rest}_\n", first.to_ascii_uppercase())
            }
        }
    }

    /// Writes an empty line and the description, unless the description is blank.
    fn description_unless_blank(&mut self, record: Record<'a>) -> std::fmt::Result {
        if text(record, "description").is_empty() { Ok(()) } else { self.description(record) }
    }

    /// Writes an empty line and the description, unless the description is empty.
    fn description(&mut self, record: Record<'a>) -> std::fmt::Result {
        match record.string_field("description").unwrap_or("") {
            "" => Ok(()),
            text => {
                self.out.push('\n');
                self.reindented(text)
            }
        }
    }

    /// Writes a text without the common indentation of its lines and without leading empty lines. A text of blanks is
    /// an empty line.
    fn reindented(&mut self, text: &str) -> std::fmt::Result {
        let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
        let full = |line: &&str| !line.trim().is_empty();
        let text = text.trim_end_matches([' ', '\t']);
        let common = text.lines().filter(full).map(indent).min().unwrap_or(0);
        for line in text.lines().skip_while(|line| !full(line)) {
            writeln!(self.out, "{}", line.get(common..).unwrap_or(""))?;
        }
        if text.is_empty() {
            self.out.push('\n');
        }
        Ok(())
    }
}
