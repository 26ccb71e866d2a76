//! Finds definitions by record, by name and by C++ class.

use hashbrown::HashMap;

use super::model::{
    ClassIndex, DefId, Definition, Definitions, Enum, Interface, InterfaceKind, Method, Op, OpId, qualified,
};
use super::names::accessor_name;
use super::op_format::{self, OpFormat};
use super::predicate;
use crate::frontend::tablegen::{RecordId, Value};
use crate::source::{Diagnostic, Diagnostics, Span};

impl Definitions<'_> {
    pub(super) fn index_classes(&mut self) {
        let mut index = ClassIndex::default();
        for (id, op) in self.ops.iter_enumerated() {
            index.ops.entry(op.class.to_owned()).or_default().push(id);
            index.names.entry(op.name.clone()).or_insert(id);
        }
        for (id, item) in self.enums.iter_enumerated() {
            index.enums.entry(item.class.to_owned()).or_default().push(id);
        }
        for (id, item) in self.attributes.iter_enumerated() {
            index.attributes.entry(item.class.to_owned()).or_default().push(id);
        }
        for (id, item) in self.types.iter_enumerated() {
            index.types.entry(item.class.to_owned()).or_default().push(id);
        }
        self.index = index;
    }
}

impl<'a> Definitions<'a> {
    /// Finds the operation of a record.
    pub fn op_of(&self, record: RecordId) -> Option<OpId> {
        self.op_of.get(&record).copied()
    }

    /// Finds the enum of a record.
    pub fn enum_of(&self, record: RecordId) -> Option<&Enum<'a>> {
        self.enum_of.get(&record).map(|&id| &self.enums[id])
    }

    /// Finds an operation by its full name, such as `arith.addi`.
    pub fn op_named(&self, name: &str) -> Option<OpId> {
        self.index.names.get(name).copied()
    }

    /// The errors in the definition of a record; `None` if the definition has no errors. The list is empty if TableGen
    /// has already reported the errors.
    pub fn broken(&self, record: RecordId) -> Option<&Diagnostics> {
        self.broken.iter().find(|(id, _)| *id == record).map(|(_, errors)| errors)
    }

    /// All errors in definitions and formats, including definitions that no rule uses.
    pub fn errors(&self) -> Diagnostics {
        let mut all = Diagnostics::default();
        for (_, errors) in &self.broken {
            all.extend(errors.clone());
        }
        for op in self.ops.iter() {
            if let Err(error) = self.format(op) {
                all.push(error);
            }
        }
        all
    }

    /// Reads the declarative assembly format of an operation. Returns `None` if the operation has none.
    ///
    /// # Errors
    /// A format that `mlir-tblgen` rejects is an error.
    pub fn format(&self, op: &Op<'a>) -> Result<Option<OpFormat<'a>>, Diagnostic> {
        let Some((text, span)) = op.assembly_format else { return Ok(None) };
        let traits: Vec<_> = op.trait_records.iter().map(|&record| self.records.record(record)).collect();
        op_format::read(op, &traits, text, span).map(Some)
    }

    /// Makes the classes of these namespaces visible only to names that contain the namespace.
    pub(in crate::frontend) fn require_qualified(&mut self, namespaces: Vec<&'static str>) {
        self.qualified = namespaces;
    }

    /// The first definition that a written name can refer to.
    fn find<'n, I: Copy>(
        &self,
        index: &HashMap<String, Vec<I>>,
        class: &str,
        of: impl Fn(I) -> (&'n str, &'n str),
    ) -> Option<I> {
        let written = class.trim().trim_start_matches("::");
        let last = written.rsplit("::").next()?;
        let visible = |namespace: &str| {
            let last = namespace.rsplit("::").next().unwrap_or(namespace);
            written.contains("::") || !self.qualified.contains(&last)
        };
        index.get(last)?.iter().copied().find(|&id| {
            let (namespace, class) = of(id);
            visible(namespace) && names(namespace, class, written)
        })
    }

    /// Finds an operation by its C++ class. Leading namespaces may be omitted. If several operations fit, the first
    /// one is returned.
    pub fn op_class(&self, class: &str) -> Option<OpId> {
        self.find(&self.index.ops, class, |id| (self.ops[id].namespace, self.ops[id].class))
    }

    /// Finds an operation by a C++ class that the definition of an operation names. As in C++, a class in the namespace
    /// of the operation has precedence.
    pub fn op_class_beside(&self, op: &Op<'_>, class: &str) -> Option<OpId> {
        let beside = format!("{}::{}", op.namespace, class.trim());
        self.op_class(&beside).or_else(|| self.op_class(class))
    }

    /// Finds an enum by its C++ class.
    pub fn enum_class(&self, class: &str) -> Option<&Enum<'a>> {
        self.find(&self.index.enums, class, |id| (self.enums[id].namespace, self.enums[id].class))
            .map(|id| &self.enums[id])
    }

    /// Finds an enum by the C++ class of its attribute, an integer attribute that accepts only the values of the enum.
    pub fn enum_of_attr_class(&self, class: &str) -> Option<&Enum<'a>> {
        self.enums.iter().find(|item| {
            item.attr_class.is_some_and(|attr| names(item.namespace, attr, class.trim_start_matches("::")))
        })
    }

    /// Finds an attribute definition by its C++ class.
    pub fn attribute_class(&self, class: &str) -> Option<&Definition<'a>> {
        let of = |id: DefId| (self.attributes[id].namespace, self.attributes[id].class);
        // The generated class is in the namespace of the dialect, but the definition of an attribute that holds a value
        // of an enum states the namespace of the enum.
        let in_dialect =
            |id: DefId| (self.dialects[self.attributes[id].dialect].namespace, self.attributes[id].class);
        let found = self.find(&self.index.attributes, class, of);
        found.or_else(|| self.find(&self.index.attributes, class, in_dialect)).map(|id| &self.attributes[id])
    }

    /// Finds a type definition by its C++ class.
    pub fn type_class(&self, class: &str) -> Option<&Definition<'a>> {
        let of = |id: DefId| (self.types[id].namespace, self.types[id].class);
        self.find(&self.index.types, class, of).map(|id| &self.types[id])
    }

    /// Finds an interface by its C++ class.
    pub fn interface(&self, class: &str) -> Option<&Interface<'a>> {
        let written = class.trim_start_matches("::");
        self.interfaces.iter().find(|item| names(item.namespace, item.class, written))
    }

    /// The definitions that are declared with an interface or with an interface derived from it. Operations are listed
    /// by name, and types and attributes by text (`!dialect.type`). Types and attributes that are declared without the
    /// interface are listed too, with a `-` before their text. Interfaces that C++ attaches to definitions are unknown
    /// here.
    pub fn implementers(&self, interface: &Interface<'a>) -> Vec<String> {
        let mut classes = vec![interface.class];
        loop {
            let known = classes.len();
            for item in &self.interfaces {
                if !classes.contains(&item.class) && item.bases.iter().any(|base| classes.contains(base)) {
                    classes.push(item.class);
                }
            }
            if classes.len() == known {
                break;
            }
        }
        let declares = |record: &RecordId| {
            let class = self.records.record(*record).string_field("cppInterfaceName");
            class.is_ok_and(|class| classes.contains(&class))
        };
        let (sigil, definitions) = match interface.kind {
            InterfaceKind::Op => {
                let ops = self.ops.iter().filter(|op| op.trait_records.iter().any(declares));
                return ops.map(|op| op.name.clone()).collect();
            }
            InterfaceKind::Type => ('!', &self.types),
            InterfaceKind::Attr => ('#', &self.attributes),
        };
        let text = |item: &Definition<'a>| {
            let without = if item.trait_records.iter().any(declares) { "" } else { "-" };
            format!("{without}{sigil}{}.{}", self.dialects[item.dialect].name, item.mnemonic)
        };
        definitions.iter().filter(|item| !item.mnemonic.is_empty()).map(text).collect()
    }

    /// The body of an interface method, if all implementers share it. This is [`Method::body`] or, if no definition
    /// overrides the method, [`Method::default_body`].
    pub fn method_body(&self, interface: &Interface<'a>, method: &Method<'a>) -> Option<&'a str> {
        if !method.body.is_empty() {
            return Some(method.body);
        }
        let overrides = |record: &RecordId| {
            let record = self.records.record(*record);
            let own = record.string_field("cppInterfaceName").is_ok_and(|class| class == interface.class);
            let mut names = record.list_field("alwaysOverriddenMethods").into_iter().flatten();
            own && names
                .any(|name| matches!(name, Value::String(name) if self.records.str(name) == method.name))
        };
        let mut declared = self
            .ops
            .iter()
            .map(|op| &op.trait_records)
            .chain(self.types.iter().chain(self.attributes.iter()).map(|item| &item.trait_records));
        let overridden = declared.any(|records| records.iter().any(overrides));
        (!method.default_body.is_empty() && !overridden).then_some(method.default_body)
    }

    /// The predicate of a constraint as one C++ expression.
    ///
    /// # Errors
    /// The field `predicate` of the constraint is not a `Pred` record, or the predicate is nested too deeply, or the
    /// expression is too large.
    pub fn condition(&self, constraint: RecordId) -> Result<String, Diagnostic> {
        Ok(self.condition_pieces(constraint)?.into_iter().map(|(text, _)| text).collect())
    }

    /// Like [`Self::condition`], in pieces with the places of the predicates.
    ///
    /// # Errors
    /// The errors of [`Self::condition`].
    pub fn condition_pieces(&self, constraint: RecordId) -> Result<Vec<(String, Span)>, Diagnostic> {
        predicate::condition(self.records, constraint)
    }

    /// The constraint inside an `Arg` or `Res` record; the record itself if it is neither.
    pub fn constraint_of(&self, record: RecordId) -> RecordId {
        predicate::constraint_of(self.records, record).id()
    }

    /// The summary of a constraint, for messages. A constraint without a summary has the name of its record or, if the
    /// record is an anonymous wrapper, the summary of the type or attribute inside the wrapper.
    pub fn summary(&self, constraint: RecordId) -> &'a str {
        let record = self.records.record(constraint);
        let summary = record.string_field("summary").unwrap_or("");
        if !summary.is_empty() {
            return summary;
        }
        // The name of a wrapper such as `Optional<T>` means nothing to a user.
        let inside = ["baseType", "baseAttr"].iter().find_map(|field| record.def_field(field).ok());
        match inside.filter(|_| record.is_anonymous()) {
            Some(inside) => self.summary(inside.id()),
            None => record.name(),
        }
    }
}

impl Enum<'_> {
    /// True if `written` names this function of the enum. Leading namespaces may be omitted.
    pub fn names_function(&self, written: &str, function: &str) -> bool {
        !function.is_empty()
            && written.ends_with(function)
            && names(self.namespace, function, written.trim_start_matches("::"))
    }
}

impl Op<'_> {
    /// The index of the operand that the generated accessor `get…` returns.
    pub fn operand_accessor(&self, method: &str) -> Option<usize> {
        accessed(method, self.operands.iter().map(|operand| operand.name))
    }

    /// The index of the result that the generated accessor `get…` returns.
    pub fn result_accessor(&self, method: &str) -> Option<usize> {
        accessed(method, self.results.iter().map(|result| result.name))
    }

    /// The index of the region that the generated accessor `get…` returns.
    pub fn region_accessor(&self, method: &str) -> Option<usize> {
        let index = accessed(method, self.regions.iter().map(|region| region.name))?;
        (!self.regions[index].variadic).then_some(index)
    }

    /// The index of the successor that the generated accessor `get…` returns.
    pub fn successor_accessor(&self, method: &str) -> Option<usize> {
        accessed(method, self.successors.iter().map(|successor| successor.name))
    }

    /// The index of the attribute that `get…` returns as a value or `get…Attr` returns as an attribute. The flag is
    /// true for `get…Attr`.
    pub fn attribute_accessor(&self, method: &str) -> Option<(usize, bool)> {
        let names = || self.attributes.iter().map(|attribute| attribute.name);
        if let Some(index) = accessed(method, names()) {
            return Some((index, false));
        }
        accessed(method.strip_suffix("Attr")?, names()).map(|index| (index, true))
    }

    /// The index of the property that the generated accessor `get…` returns.
    pub fn property_accessor(&self, method: &str) -> Option<usize> {
        accessed(method, self.properties.iter().map(|property| property.name))
    }
}

fn accessed<'n>(method: &str, names: impl Iterator<Item = &'n str>) -> Option<usize> {
    if !method.starts_with("get") {
        return None;
    }
    names
        .enumerate()
        .find(|(_, name)| !name.is_empty() && accessor_name("get", name) == method)
        .map(|(i, _)| i)
}

/// True if `written` (without leading `::`) can name this class: the namespaces in `written` are a suffix of the
/// namespaces of the class.
fn names(namespace: &str, class: &str, written: &str) -> bool {
    let full = qualified(namespace, class);
    full.strip_suffix(written).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"))
}
