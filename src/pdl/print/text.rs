//! The text of one rule in `pdl`, and the lines that the match part and the rewrite part share: constants and calls.

use std::fmt::Write;

use hashbrown::HashSet;

use crate::host::Kind;
use crate::intern::StrId;
use crate::pdl::extension::{self as ext, pdl_type};
use crate::pdl::match_part::{Callee, Constant, GroupSplit};
use crate::pdl::rule_set::RuleSet;
use crate::snippet::SnippetId;

/// The text of one rule.
pub(super) struct Text<'r> {
    pub(super) out: String,
    pub(super) rules: &'r RuleSet,
    pub(super) depth: usize,
    /// The next number for a value without a name.
    next: usize,
    /// The names of all values so far.
    used: HashSet<String>,
}

impl<'r> Text<'r> {
    /// An empty text with the indentation of a rule in a module.
    pub(super) fn new(rules: &'r RuleSet) -> Self {
        Self { out: String::new(), rules, depth: 1, next: 0, used: HashSet::new() }
    }

    /// Returns a new name for a value: `wanted` if it is valid and unused, otherwise a number.
    pub(super) fn name(&mut self, wanted: Option<StrId>) -> String {
        if let Some(wanted) = wanted.map(|name| self.str(name)).filter(|name| is_bare(name)) {
            let name = format!("%{wanted}");
            if self.used.insert(name.clone()) {
                return name;
            }
        }
        self.fresh()
    }

    /// Appends a line with the current indentation.
    pub(super) fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    /// The text of a string id.
    pub(super) fn str(&self, id: StrId) -> &'r str {
        &self.rules.strings[id]
    }

    /// A string in MLIR syntax.
    pub(super) fn quoted(&self, id: StrId) -> String {
        quoted(self.str(id))
    }

    /// Returns a new name that is a number.
    pub(super) fn fresh(&mut self) -> String {
        loop {
            let name = format!("%{}", self.next);
            self.next += 1;
            if self.used.insert(name.clone()) {
                return name;
            }
        }
    }

    /// Returns the callee's name. For a snippet, appends a line that defines its text, and makes this text the first
    /// argument.
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

    /// Appends a call of a native.
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

    /// Appends a line that defines a constant argument. Returns its name and the kind of its `pdl` type.
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

    /// Appends a line that defines an integer, Boolean or string argument.
    pub(super) fn literal(&mut self, kind: Kind, text: &str) -> (String, Kind) {
        let name = self.fresh();
        let word = ext::kind_word(kind).unwrap_or_default();
        self.line(&format!("{name} = pdl.attribute = {text} attributes {{{} = \"{word}\"}}", ext::KIND));
        (name, Kind::Attr)
    }

    /// Appends a line that defines a value with a new name.
    pub(super) fn anonymous(&mut self, op: &str) -> String {
        let name = self.fresh();
        self.line(&format!("{name} = {op}"));
        name
    }

    /// The C++ text of an expression.
    pub(super) fn snippet_text(&self, id: SnippetId) -> String {
        let snippets = &self.rules.snippets;
        snippets.str(snippets.get(id).text).to_owned()
    }

    /// The encoding of a parsed expression, in hexadecimal.
    pub(super) fn code(&self, id: SnippetId) -> String {
        let mut text = String::from("\"");
        for byte in self.rules.snippets.to_bytes(id) {
            write!(text, "{byte:02x}").expect("writing to a string");
        }
        text.push('"');
        text
    }

    /// The `pdl.attribute` operation that defines a constant. An expression is represented by its text, with its
    /// encoding as a discardable attribute of the operation.
    pub(super) fn constant_text(&self, value: Constant) -> String {
        match value {
            Constant::Text(text) => format!("pdl.attribute = {}", self.str(text)),
            Constant::Snippet(id) => format!(
                "pdl.attribute = {} attributes {{{} = {}}}",
                quoted(&self.snippet_text(id)),
                ext::CODE,
                self.code(id)
            ),
        }
    }

    /// The division of a list into groups, as an attribute.
    pub(super) fn split(&self, split: GroupSplit) -> String {
        match split {
            GroupSplit::Rest => "\"rest\"".to_owned(),
            GroupSplit::Equal => "\"equal\"".to_owned(),
            GroupSplit::Attribute(name) => format!("{{attribute = {}}}", self.quoted(name)),
        }
    }

    /// The `pdl` operation that defines a range of type constants, none of which is an expression.
    pub(super) fn types(&self, values: &[Constant]) -> String {
        let text = |value: &Constant| match *value {
            Constant::Text(text) => Some(self.str(text)),
            Constant::Snippet(_) => None,
        };
        format!("pdl.types : [{}]", values.iter().filter_map(text).collect::<Vec<_>>().join(", "))
    }

    /// The comment and the lines that require a node to equal a constant that an expression computes.
    pub(super) fn computed(&mut self, name: &str, kind: Kind, value: Constant) -> (String, Vec<String>) {
        let at = self.fresh();
        let lines = vec![
            format!("{at} = {}", self.constant_text(value)),
            constraint(ext::CONSTANT, &format!("{name}, {at} : {}, !pdl.attribute", pdl_type(kind))),
        ];
        ("a constant that is computed".to_owned(), lines)
    }
}

/// A string in MLIR syntax.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => write!(out, "\\{byte:02X}").expect("writing to a string"),
        }
    }
    out.push('"');
    out
}

/// True if a name needs no quotes.
pub(super) fn is_bare(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}

/// Names and types of a list of values: `%a, %b : !pdl.value, !pdl.type`.
pub(super) fn typed(args: &[(String, Kind)]) -> String {
    let names: Vec<&str> = args.iter().map(|(name, _)| name.as_str()).collect();
    let types: Vec<&str> = args.iter().map(|&(_, kind)| pdl_type(kind)).collect();
    format!("{} : {}", names.join(", "), types.join(", "))
}

/// A call of a constraint that `pdl` lacks.
pub(super) fn constraint(name: &str, args: &str) -> String {
    format!("pdl.apply_native_constraint \"{name}\"({args})")
}

/// The `pdl` operation that defines an entity of this kind without any condition.
pub(super) fn placeholder(kind: Kind) -> &'static str {
    match kind {
        Kind::Value => "pdl.operand",
        Kind::Values => "pdl.operands",
        Kind::Type => "pdl.type",
        Kind::Types => "pdl.types",
        Kind::Op => "pdl.operation",
        _ => "pdl.attribute",
    }
}
