//! Calls of natives and expressions, and the constants they take.

use std::fmt::Write;

use super::Printer;
use super::matching::constraint;
use super::quoted;
use crate::host::Kind;
use crate::pdl::extension::{self as ext, pdl_type};
use crate::pdl::{Arg, Call, Callee, Constant};
use crate::stack::with_room;

impl Printer<'_, '_, '_> {
    /// Prints the constraints before this one, in order.
    pub(super) fn calls_before(&mut self, end: usize) {
        while self.calls < end {
            let call = &self.pattern.matcher.constraints[self.calls];
            self.calls += 1;
            with_room(|| self.constraint_call(call));
        }
    }

    pub(super) fn constraint_call(&mut self, call: &Call) {
        for node in call.args.iter().filter_map(Arg::taken) {
            self.node(node);
        }
        let mut extra = Vec::new();
        if call.negated {
            extra.push("isNegated = true".to_owned());
        }
        let mut args: Vec<(String, Kind)> = Vec::new();
        for (i, arg) in call.args.iter().enumerate() {
            let arg = match *arg {
                Arg::Of(node) | Arg::Each(node) => {
                    if matches!(arg, Arg::Each(_)) {
                        extra.push(format!("{} = {i} : i64", ext::EACH));
                    }
                    (self.matched(node), self.pattern.matcher[node].kind())
                }
                Arg::Attr(value) => self.constant(Kind::Attr, value),
                Arg::Type(value) => self.constant(Kind::Type, value),
                Arg::Int(value) => self.literal(Kind::Int, &format!("{value} : i64")),
                Arg::Bool(value) => self.literal(Kind::Bool, if value { "true" } else { "false" }),
                Arg::Str(value) => self.literal(Kind::Str, &self.quoted(value)),
            };
            args.push(arg);
        }
        let callee = self.callee(call.callee, &mut args);
        if args.is_empty() {
            extra.push(ext::NO_ARGS.to_owned());
            args.push((self.matched(self.pattern.matcher.roots[0]), Kind::Op));
        }
        let mut names = Vec::new();
        let mut equal = Vec::new();
        for &node in &call.results {
            let name = match (&self.pattern.matcher[node], &self.nodes[node]) {
                (_, None) if self.is_given(node) => {
                    let name = self.node_name(node);
                    self.nodes[node] = Some(name.clone());
                    name
                }
                _ => {
                    let name = self.fresh();
                    equal.push((name.clone(), node));
                    name
                }
            };
            names.push((name, self.pattern.matcher[node].kind()));
        }
        self.call_line("pdl.apply_native_constraint", &callee, &args, &names, extra);
        if !equal.is_empty() {
            self.line("// Not in pdl: what a constraint gives is something else that is matched.");
        }
        for (name, node) in equal {
            self.node(node);
            let kind = self.pattern.matcher[node].kind();
            self.line(&constraint(ext::EQUAL, &typed(&[(name, kind), (self.matched(node), kind)])));
        }
    }

    /// The name of what is called; a snippet's text becomes the first argument.
    pub(super) fn callee(&mut self, callee: Callee, args: &mut Vec<(String, Kind)>) -> String {
        match callee {
            Callee::Native(name) => self.quoted(name),
            Callee::Snippet(id) => {
                self.line("// Not in pdl: a C++ expression.");
                let name = self.fresh();
                let text = self.constant_text(Constant::Snippet(id));
                self.line(&format!("{name} = {text}"));
                args.insert(0, (name, Kind::Attr));
                quoted(ext::SNIPPET)
            }
        }
    }

    pub(super) fn call_line(
        &mut self,
        op: &str,
        callee: &str,
        args: &[(String, Kind)],
        results: &[(String, Kind)],
        mut extra: Vec<String>,
    ) {
        let mut line = String::new();
        if !results.is_empty() {
            let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
            write!(line, "{} = ", names.join(", ")).expect("writing to a string");
        }
        write!(line, "{op} {callee}").expect("writing to a string");
        if !args.is_empty() {
            write!(line, "({})", typed(args)).expect("writing to a string");
        }
        if !results.is_empty() {
            let types: Vec<&str> = results.iter().map(|&(_, kind)| pdl_type(kind)).collect();
            write!(line, " : {}", types.join(", ")).expect("writing to a string");
        }
        let words: Vec<Option<&str>> = results.iter().map(|&(_, kind)| ext::kind_word(kind)).collect();
        if words.iter().any(Option::is_some) {
            let words: Vec<String> = words.iter().map(|word| quoted(word.unwrap_or_default())).collect();
            extra.push(format!("{} = [{}]", ext::KINDS, words.join(", ")));
        }
        if !extra.is_empty() {
            write!(line, " {{{}}}", extra.join(", ")).expect("writing to a string");
        }
        self.line(&line);
    }

    /// A line of its own for an argument that is a constant.
    pub(super) fn constant(&mut self, kind: Kind, value: Constant) -> (String, Kind) {
        let name = self.fresh();
        match (kind, value) {
            (Kind::Type, Constant::Text(text)) => {
                self.line(&format!("{name} = pdl.type : {}", self.str(text)));
            }
            (_, Constant::Text(text)) => {
                self.line(&format!("{name} = pdl.attribute = {}", self.str(text)));
            }
            (_, Constant::Snippet(id)) => {
                self.line("// Not in pdl: a constant that is computed.");
                let (text, code) = (quoted(&self.snippet_text(id)), self.code(id));
                let extra = format!("{} = {code}, {} = \"{}\"", ext::CODE, ext::KIND, ext::COMPUTED);
                self.line(&format!("{name} = pdl.attribute = {text} attributes {{{extra}}}"));
                return (name, Kind::Attr);
            }
        }
        (name, kind)
    }

    pub(super) fn literal(&mut self, kind: Kind, text: &str) -> (String, Kind) {
        let name = self.fresh();
        let word = ext::kind_word(kind).unwrap_or_default();
        self.line(&format!("{name} = pdl.attribute = {text} attributes {{{} = \"{word}\"}}", ext::KIND));
        (name, Kind::Attr)
    }
}

/// `%a, %b : !pdl.value, !pdl.type`
pub(super) fn typed(args: &[(String, Kind)]) -> String {
    let names: Vec<&str> = args.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<&str> = args.iter().map(|&(_, kind)| pdl_type(kind)).collect();
    format!("{} : {}", names.join(", "), types.join(", "))
}
