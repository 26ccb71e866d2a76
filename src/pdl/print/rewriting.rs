//! Prints the rewrite part: the lines of each step.

use std::fmt::Write;

use super::matching::NodeNames;
use super::text::{Text, quoted, typed};
use crate::host::Kind;
use crate::id::IdVec;
use crate::pdl::extension::{self as ext, pdl_type};
use crate::pdl::match_part::{Arg, Callee, Constant, NodeId};
use crate::pdl::rewrite_part::{CreateOp, LocalId, LocationSpec, Replacement, ResultTypes, Source, Step};
use crate::pdl::rule_set::Pattern;

/// Prints the steps of a rule whose match part has been printed.
pub(super) fn print_steps(text: &mut Text<'_>, pattern: &Pattern, nodes: &NodeNames) {
    let locals = pattern.rewrite.locals.iter().map(|_| String::new()).collect();
    let mut printer = RewritePrinter { text, pattern, nodes, locals };
    pattern.rewrite.steps.iter().for_each(|step| printer.step(step));
}

struct RewritePrinter<'t, 'r, 'p> {
    text: &'t mut Text<'r>,
    pattern: &'p Pattern,
    nodes: &'p NodeNames,
    locals: IdVec<LocalId, String>,
}

impl RewritePrinter<'_, '_, '_> {
    fn matched(&self, node: NodeId) -> String {
        self.nodes[node].clone().expect("the match part is printed")
    }

    /// The name and kind of a step's operand.
    fn source(&self, source: Source) -> (String, Kind) {
        let name = match source {
            Source::Matched(node) => self.matched(node),
            Source::Local(local) => self.locals[local].clone(),
        };
        (name, self.pattern.kind(source))
    }

    /// The name of a step's operand.
    fn name(&self, source: Source) -> String {
        self.source(source).0
    }

    /// Gives the result of a step a new name, and returns the name.
    fn make(&mut self, local: LocalId) -> String {
        let name = self.text.fresh();
        self.locals[local] = name.clone();
        name
    }

    /// Appends a call of a native rewrite with one result.
    fn native(&mut self, to: &str, name: &str, args: &[(String, Kind)], kind: Kind, extra: Vec<String>) {
        let result = [(to.to_owned(), kind)];
        self.text.call_line("pdl.apply_native_rewrite", &quoted(name), args, &result, extra);
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Attr { value, to } => {
                let kind = Kind::Attr;
                self.locals[*to] = self.made_constant(kind, *value);
            }
            Step::Type { value, to } => self.locals[*to] = self.made_constant(Kind::Type, *value),
            Step::TypeOf { of, to } => {
                let (arg, kind) = (self.source(*of), self.pattern.rewrite.locals[*to]);
                let to = self.make(*to);
                self.text.line("// Not in pdl: the type of a value.");
                self.native(&to, ext::TYPE_OF, &[arg], kind, Vec::new());
            }
            Step::Result { op, index, to } => {
                let (op, to) = (self.name(*op), self.make(*to));
                self.text.line(&format!("{to} = pdl.result {index} of {op}"));
            }
            Step::Results { op, range: None, to } => {
                let (op, to) = (self.name(*op), self.make(*to));
                self.text.line(&format!("{to} = pdl.results of {op}"));
            }
            Step::Results { op, range: Some((first, count)), to } => {
                self.text.line("// Not in pdl: some results of an operation, by number.");
                let op = self.source(*op);
                let [first, count] = [first, count].map(|number| {
                    let name = self.text.fresh();
                    self.text.line(&format!("{name} = pdl.attribute = {number} : i64"));
                    (name, Kind::Attr)
                });
                let to = self.make(*to);
                self.native(&to, ext::RESULTS, &[op, first, count], Kind::Values, Vec::new());
            }
            Step::Range { parts, to } => self.range(parts, *to),
            Step::Location { spec, to } => {
                let name = self.location(spec);
                self.locals[*to] = name;
            }
            Step::Call { callee, args, to, .. } => self.rewrite_call(*callee, args, to),
            Step::Create(create) => self.create(create),
            Step::Replace { op, with } => {
                let op = self.name(*op);
                let with = match with {
                    Replacement::Op(by) => format!(" {}", self.name(*by)),
                    Replacement::Values(values) if values.is_empty() => String::new(),
                    Replacement::Values(values) => {
                        let values: Vec<_> = values.iter().map(|&value| self.source(value)).collect();
                        format!(" ({})", typed(&values))
                    }
                };
                self.text.line(&format!("pdl.replace {op} with{with}"));
            }
            Step::Erase { op } => {
                let op = self.name(*op);
                self.text.line(&format!("pdl.erase {op}"));
            }
        }
    }

    fn made_constant(&mut self, kind: Kind, value: Constant) -> String {
        match value {
            Constant::Text(_) => self.text.constant(kind, value).0,
            Constant::Snippet(id) => {
                self.text.line("// Not in pdl: a constant that is computed.");
                let (text, to) = (self.text.fresh(), self.text.fresh());
                self.text.line(&format!("{text} = {}", self.text.constant_text(Constant::Snippet(id))));
                self.native(&to, ext::CONSTANT, &[(text, Kind::Attr)], kind, Vec::new());
                to
            }
        }
    }

    fn range(&mut self, parts: &[Source], to: LocalId) {
        let parts: Vec<_> = parts.iter().map(|&part| self.source(part)).collect();
        let kind = self.pattern.rewrite.locals[to];
        let to = self.make(to);
        if kind == Kind::Attrs {
            self.text.line("// Not in pdl: a range of attributes.");
            self.native(&to, ext::RANGE, &parts, kind, Vec::new());
        } else if parts.is_empty() {
            self.text.line(&format!("{to} = pdl.range : {}", pdl_type(kind)));
        } else {
            self.text.line(&format!("{to} = pdl.range {}", typed(&parts)));
        }
    }

    fn rewrite_call(&mut self, callee: Callee, args: &[Arg<Source>], to: &[LocalId]) {
        let mut extra = Vec::new();
        let mut given = Vec::new();
        for arg in args {
            let arg = match *arg {
                // The verifier refuses `Each` in rewrites.
                Arg::Of(source) | Arg::Each(source) => self.source(source),
                Arg::Attr(value) => (self.made_constant(Kind::Attr, value), Kind::Attr),
                Arg::Type(value) => (self.made_constant(Kind::Type, value), Kind::Type),
                Arg::Int(value) => self.text.literal(Kind::Int, &format!("{value} : i64")),
                Arg::Bool(value) => self.text.literal(Kind::Bool, if value { "true" } else { "false" }),
                Arg::Str(value) => self.text.literal(Kind::Str, &self.text.quoted(value)),
            };
            given.push(arg);
        }
        let callee = self.text.callee(callee, &mut given);
        if given.is_empty() && to.is_empty() {
            extra.push(ext::NO_ARGS.to_owned());
            given.push((self.matched(self.pattern.matcher.roots[0]), Kind::Op));
        }
        let results: Vec<_> =
            to.iter().map(|&local| (self.make(local), self.pattern.rewrite.locals[local])).collect();
        self.text.call_line("pdl.apply_native_rewrite", &callee, &given, &results, extra);
    }

    fn location(&mut self, spec: &LocationSpec) -> String {
        let (of, extra): (&[Source], _) = match spec {
            LocationSpec::Fused { of, metadata } => {
                (of, metadata.map(|text| format!("{} = {}", ext::METADATA, self.text.quoted(text))))
            }
            LocationSpec::Named { name, child } => {
                (child.as_slice(), Some(format!("{} = {}", ext::NAME, self.text.quoted(*name))))
            }
        };
        let args: Vec<_> = of.iter().map(|&source| self.source(source)).collect();
        let to = self.text.fresh();
        self.text.line("// Not in pdl: a location.");
        self.native(&to, ext::LOCATION, &args, Kind::Location, extra.into_iter().collect());
        to
    }

    fn create(&mut self, create: &CreateOp) {
        let operands: Vec<_> = create.operands.iter().map(|&operand| self.source(operand)).collect();
        let mut attributes: Vec<String> = create
            .attributes
            .iter()
            .map(|&(name, value, _)| format!("{} = {}", self.text.quoted(name), self.name(value)))
            .collect();
        let results = match &create.results {
            ResultTypes::Listed(types) => types.iter().map(|&ty| self.result_type(ty)).collect(),
            ResultTypes::Inferred => {
                let to = self.text.fresh();
                self.text.line("// Not in pdl: the result types are inferred.");
                self.native(&to, ext::INFER_TYPES, &[], Kind::Types, Vec::new());
                vec![(to, Kind::Types)]
            }
        };
        let sizes =
            [(create.operand_segments, ext::OPERAND_SIZES), (create.result_segments, ext::RESULT_SIZES)];
        for (segments, native) in sizes {
            if let Some(segments) = segments {
                let to = self.text.fresh();
                self.text.line("// Not in pdl: the sizes of groups, as an attribute.");
                self.native(&to, native, &[], Kind::Attr, Vec::new());
                attributes.push(format!("{} = {to}", self.text.quoted(segments)));
            }
        }
        let everything = LocationSpec::Fused {
            of: self.pattern.matcher.ops_in_post_order().into_iter().map(Source::Matched).collect(),
            metadata: None,
        };
        if create.location != everything {
            let to = self.location(&create.location);
            attributes.push(format!("\"{}\" = {to}", ext::LOCATION));
        }
        let to = self.make(create.to);
        let mut line = format!("{to} = pdl.operation {}", self.text.quoted(create.name));
        if !operands.is_empty() {
            write!(line, "({})", typed(&operands)).expect("writing to a string");
        }
        if !attributes.is_empty() {
            write!(line, " {{{}}}", attributes.join(", ")).expect("writing to a string");
        }
        if !results.is_empty() {
            write!(line, " -> ({})", typed(&results)).expect("writing to a string");
        }
        let declared: Vec<String> = create
            .attributes
            .iter()
            .filter(|&&(_, _, declared)| declared)
            .map(|&(name, _, _)| self.text.quoted(name))
            .collect();
        let mut extra = Vec::new();
        if !declared.is_empty() {
            extra.push(format!("{} = [{}]", ext::DECLARED, declared.join(", ")));
        }
        if create.regions > 0 {
            extra.push(format!("{} = {} : i32", ext::REGIONS, create.regions));
        }
        if !extra.is_empty() {
            write!(line, " {{{}}}", extra.join(", ")).expect("writing to a string");
        }
        self.text.line(&line);
    }

    /// A result type in a form that MLIR's verifier accepts: a constant, the result of a native, or a type that the
    /// match part lists for an operand or operation.
    fn result_type(&mut self, ty: Source) -> (String, Kind) {
        let (name, kind) = self.source(ty);
        let is_accepted = match ty {
            Source::Matched(node) => {
                self.pattern.matcher[node].is_constant() || self.pattern.matcher.lists_type(node)
            }
            Source::Local(local) => self.pattern.rewrite.steps.iter().any(|step| {
                matches!(step, Step::Type { .. } | Step::TypeOf { .. } | Step::Call { .. })
                    && step.defined_locals().contains(&local)
            }),
        };
        if is_accepted {
            return (name, kind);
        }
        let to = self.text.fresh();
        self.text
            .line("// Only for MLIR's verifier, which accepts the result of a call here, but not this type.");
        self.native(&to, ext::SAME, &[(name, kind)], kind, Vec::new());
        (to, kind)
    }
}
