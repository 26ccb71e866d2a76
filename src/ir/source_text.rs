//! The text that operations and values have in the input.

use hashbrown::HashMap;

use super::host::IrHost;
use super::ids::LocId;
use super::module::{Module, OpId, ValueDef, ValueId};
use super::parse::StatedLocs;
use crate::host::{Entity, Ir};
use crate::source::{SourceMap, Span};

/// The maximum number of characters of a line that is shown whole.
const MAX_LINE: usize = 160;

/// A printer that shows operations and values with the text that they have in the input.
///
/// ```
/// use drrvm::ir::{Context, IrHost, IrText, parse_module};
/// use drrvm::source::SourceMap;
/// # fn main() -> Result<(), drrvm::source::Diagnostics> {
/// let mut sources = SourceMap::default();
/// let file = sources.add("a.mlir", "%sum = \"t.add\"() : () -> i32\n")?;
/// let mut context = Context::new();
/// let module = parse_module(&mut context, sources.file(file))?;
/// let host = IrHost::new(context, module);
/// let op = host.module.ops(host.module.body()).next().expect("there is one");
/// let text = IrText::new(&sources, &host);
/// assert_eq!(text.value(host.module.result(op, 0)), "%sum");
/// assert_eq!(text.place(op).as_deref(), Some("a.mlir:1:8"));
/// # Ok(()) }
/// ```
pub struct IrText<'a> {
    sources: &'a SourceMap,
    pub(crate) host: &'a IrHost,
    /// The locations that the text states; see [`parse_with_positions`](super::parse_with_positions).
    stated: Option<&'a StatedLocs>,
    /// For each operation that is not in the text, a name for its results: `%new0`.
    pub(crate) generated: HashMap<OpId, String>,
}

impl<'a> IrText<'a> {
    /// Returns a printer for the module of `host`. The module was parsed from a file in `sources`.
    pub fn new(sources: &'a SourceMap, host: &'a IrHost) -> Self {
        Self { sources, host, stated: None, generated: HashMap::new() }
    }

    /// Makes the printer show the locations that the text states, in place of the positions in the text.
    pub(crate) fn with_stated(self, stated: &'a StatedLocs) -> Self {
        Self { stated: Some(stated), ..self }
    }

    /// The location that the text states for an operation.
    fn stated(&self, op: OpId) -> Option<LocId> {
        self.stated?.get(&self.host.module.loc(op)).copied()
    }

    /// The empty span at the start of an operation; [`Span::NONE`] if the operation is not in the text.
    pub fn span(&self, op: OpId) -> Span {
        self.host.context.loc_span(self.host.module.loc(op))
    }

    /// The place `file:line:column` of an operation: the location that the text states, or else the position in the
    /// text; `None` if neither is known.
    pub fn place(&self, op: OpId) -> Option<String> {
        if let Some(place) = self.stated(op).and_then(|loc| self.host.context.loc_place(loc)) {
            return Some(place);
        }
        Some(self.sources.locate(self.span(op))?.to_string())
    }

    /// The parts of the line in which a span starts: the text before the start, and the text from the start on. If the
    /// text before the start is blank, this text also includes the last nonblank line above.
    fn around(&self, span: Span) -> Option<(&'a str, &'a str)> {
        let (before, after) = self.split(span)?;
        // A line break can follow the `=` of the results.
        let start = before.trim_end().rfind('\n').map_or(0, |end| end + 1);
        Some((&before[start..], after.lines().next().unwrap_or("")))
    }

    /// The text of the file before and after the start of a span.
    fn split(&self, span: Span) -> Option<(&'a str, &'a str)> {
        let file = self.sources.file_of(span)?;
        file.text().split_at_checked((span.lo - file.span(0..0).lo) as usize)
    }

    /// The text of the operation in the line in which it starts. An operation that is not in the text is shown in the
    /// [short form](Self::short).
    pub fn op(&self, op: OpId) -> String {
        if self.generated.contains_key(&op) {
            return self.short(op);
        }
        match self.around(self.span(op)) {
            Some((before, after)) => {
                let names = result_list(before);
                let names = names.map_or_else(String::new, |at| format!("{} ", before[at..].trim_end()));
                let mut text = self.line_part(op, after);
                if self.stated(op).is_some() {
                    // Messages show the stated location beside the text.
                    text = without_location(text);
                }
                shortened(&format!("{names}{text}"))
            }
            None => self.short(op),
        }
    }

    /// The part of a line that belongs to an operation, up to the next operation.
    fn line_part(&self, op: OpId, after: &'a str) -> &'a str {
        let module = &self.host.module;
        let mut text = after;
        let (start, mut next) = (self.span(op).lo, module.first_inside(op, 0));
        let mut around = Some(op);
        while let (None, Some(at)) = (next, around) {
            next = module.next(at).or_else(|| first_after(module, at));
            around = module.parent(at);
        }
        let length =
            next.and_then(|next| self.span(next).lo.checked_sub(start)).map(|length| length as usize);
        if let Some(before) = length.and_then(|length| text.get(..length)) {
            text = &before[..result_list(before).unwrap_or(before.len())];
            let (here, there) = (module.block(op), next.and_then(|next| module.block(next)));
            if here != there
                && text.trim_end().ends_with(':')
                && let Some(label) = text.rfind('^')
            {
                text = &text[..label];
            }
        }
        text[..unopened_bracket(text)].trim_end()
    }

    /// The short form of an operation, for messages: results, name, operands, attributes and result types. It is not
    /// MLIR's generic form.
    pub fn short(&self, op: OpId) -> String {
        let (module, context) = (&self.host.module, &self.host.context);
        let results: Vec<String> = module.results(op).map(|value| self.value(value)).collect();
        let operands: Vec<String> = module.operands(op).iter().map(|&value| self.value(value)).collect();
        let entries = [module.properties(op), module.attrs(op)].into_iter();
        let attributes: Vec<String> = entries
            .flat_map(|dictionary| context.entries(dictionary))
            .map(|&(name, value)| format!("{} = {}", context.attr_name_text(name), context.brief_attr(value)))
            .collect();
        let types: Vec<String> =
            module.results(op).map(|value| context.brief_type(module.value_type(value))).collect();
        let mut text = String::new();
        if !results.is_empty() {
            text = format!("{} = ", results.join(", "));
        }
        text += &format!("{}({})", context.op_name_text(module.name(op)), operands.join(", "));
        if !attributes.is_empty() {
            text += &format!(" {{{}}}", attributes.join(", "));
        }
        if !types.is_empty() {
            text += &format!(" : {}", types.join(", "));
        }
        shortened(&text)
    }

    /// The name of a value in the input, or a description if the input does not name the value.
    pub fn value(&self, value: ValueId) -> String {
        let module = &self.host.module;
        match module.value_def(value) {
            ValueDef::Result { op, index } => {
                if let Some(name) = self.generated.get(&op) {
                    return if module.result_count(op) > 1 {
                        format!("{name}#{index}")
                    } else {
                        name.clone()
                    };
                }
                let named = self.split(self.span(op)).and_then(|(before, _)| result_name(before, index));
                named.unwrap_or_else(|| format!("<a result of '{}'>", self.op_name(op)))
            }
            ValueDef::Argument { block, index } => {
                let loc = module.arg_locs(block).get(index as usize);
                let around = loc.and_then(|&loc| self.around(self.span_of_loc(loc)));
                let name = around.map(|(_, after)| identifier(after)).filter(|name| !name.is_empty());
                name.map_or_else(|| format!("<argument {index} of a block>"), str::to_owned)
            }
            ValueDef::Forward => "<undefined>".to_owned(),
        }
    }

    fn span_of_loc(&self, loc: LocId) -> Span {
        self.host.context.loc_span(loc)
    }

    /// The name of an operation: `arith.addi`.
    pub fn op_name(&self, op: OpId) -> &str {
        self.host.context.op_name_text(self.host.module.name(op))
    }

    /// The names of the results of an operation in the input. The count in `%a:2` is omitted.
    pub fn result_names(&self, op: OpId) -> Vec<&'a str> {
        let Some((before, _)) = self.split(self.span(op)) else { return Vec::new() };
        let Some(names) = results_in(before) else { return Vec::new() };
        names.split(',').map(|name| identifier(name.trim())).collect()
    }

    /// The text of an entity that a predicate tests.
    pub fn entity(&self, entity: &Entity<IrHost>) -> String {
        let list = |texts: Vec<String>| format!("({})", texts.join(", "));
        match entity {
            Entity::Op(op) => self.op(*op),
            Entity::Value(Some(value)) => {
                let ty = self.host.context.brief_type(self.host.value_type(*value));
                format!("{} : {ty}", self.value(*value))
            }
            Entity::Value(None) | Entity::Attr(None) => "nothing".to_owned(),
            Entity::Values(values) => list(values.iter().map(|&v| self.value(v)).collect()),
            Entity::Type(ty) => self.host.context.brief_type(*ty),
            Entity::Types(types) => list(types.iter().map(|&t| self.host.context.brief_type(t)).collect()),
            Entity::Attr(Some(attr)) => shortened(&self.host.context.brief_attr(*attr)),
            Entity::Attrs(attrs) => list(attrs.iter().map(|&a| self.host.context.brief_attr(a)).collect()),
            Entity::Int(i) => i.to_string(),
            Entity::Bool(b) => b.to_string(),
            Entity::Str(s) => format!("{s:?}"),
            Entity::ApInt(i) => format!("{i:?}"),
            Entity::ApFloat(f) => format!("{f:?}"),
            Entity::Location(l) => self.host.context.loc_text(*l),
        }
    }
}

/// Returns the `%name` at the start of a text, or an empty text.
fn identifier(text: &str) -> &str {
    let Some(rest) = text.strip_prefix('%') else { return "" };
    let end = rest.find(|c: char| !(c.is_alphanumeric() || "_$.-".contains(c))).unwrap_or(rest.len());
    &text[..=end]
}

/// The offset of `%a, %b:2 =` at the end of a text.
fn result_list(before: &str) -> Option<usize> {
    let mut rest = before.trim_end().strip_suffix('=')?;
    loop {
        let at = rest.rfind('%')?;
        let name = identifier(&rest[at..]);
        let count = rest[at + name.len()..].trim();
        let count = count.strip_prefix(':').map_or(count, str::trim);
        if name.len() < 2 || !count.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        match rest[..at].trim_end().strip_suffix(',') {
            Some(before) => rest = before,
            None => return Some(at),
        }
    }
}

/// The `%a, %b:2` in a text that ends with `%a, %b:2 =`.
fn results_in(before: &str) -> Option<&str> {
    before[result_list(before)?..].trim_end().strip_suffix('=')
}

/// Removes the location at the end of a text. The location of an operation with regions follows the regions, so the
/// locations in the first line of such an operation can be those of block arguments.
fn without_location(text: &str) -> &str {
    const START: &str = " loc(";
    match text.rfind(START) {
        Some(at) if unopened_bracket(&text[at + START.len()..]) + 1 == text.len() - at - START.len() => {
            &text[..at]
        }
        _ => text,
    }
}

/// The offset of the first closing bracket without an opening one, or the length of the text.
fn unopened_bracket(text: &str) -> usize {
    let (mut open, mut quoted, mut escaped) = (0usize, false, false);
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            '{' | '(' | '[' if !quoted => open += 1,
            '}' | ')' | ']' if !quoted => match open.checked_sub(1) {
                Some(less) => open = less,
                None => return at,
            },
            _ => {}
        }
    }
    text.len()
}

/// The first operation after the block of an operation, in the same region or in a later region of the parent.
fn first_after(module: &Module, op: OpId) -> Option<OpId> {
    let here = module.block(op)?;
    let parent = module.parent(op)?;
    let blocks = module.regions(parent).iter().flat_map(|&region| module.region_blocks(region));
    let after = blocks.skip_while(|&block| block != here).skip(1);
    after.filter_map(|block| module.ops(block).next()).next()
}

/// The name of the result `index` in a text that ends with `%a, %b:2 =`.
fn result_name(before: &str, index: u32) -> Option<String> {
    let mut left = index;
    for group in results_in(before)?.split(',') {
        let name = identifier(group.trim());
        let count = group.split_once(':').and_then(|(_, n)| n.trim().parse::<u32>().ok());
        match count {
            Some(count) if left < count => return Some(format!("{name}#{left}")),
            None if left == 0 => return Some(name.to_owned()),
            _ => left -= count.unwrap_or(1),
        }
    }
    None
}

/// The first line of a text, shortened if it is too long.
pub(crate) fn shortened(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    match line.char_indices().nth(MAX_LINE) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_have_the_names_of_the_text() {
        let name = |before, index| result_name(before, index);
        assert_eq!(name("  %a = ", 0).as_deref(), Some("%a"));
        assert_eq!(name("%a, %b:2, %c = ", 2).as_deref(), Some("%b#1"));
        assert_eq!(name("%a, %b:2, %c = ", 3).as_deref(), Some("%c"));
        assert_eq!(name("%a = ", 1), None);
        assert_eq!(name("^bb0(", 0), None);
        assert_eq!(name("func.func @f(%a: i32, %b: i32) { %c, %d : 2 = ", 1).as_deref(), Some("%d#0"));
        assert_eq!(name("\"x.y\"(%a) {b = ", 0), None);
    }

    #[test]
    fn an_operation_ends_before_the_next_one() {
        let text = "\"t.f\"() ({ %0 = \"t.a\"() {x = \"}\"} : () -> i32 %1, %2 = \"t.b\"(%0) : (i32) -> (i32, i32) \
                    ^bb1(%3: i32): \"t.c\"()[^bb1] : () -> () }, { \"t.d\"() : () -> () }) : () -> () \"t.e\"() : () -> ()\n";
        let mut sources = SourceMap::default();
        let file = sources.add("a.mlir", text).expect("it is small");
        let mut context = crate::ir::Context::new();
        let module = crate::ir::parse_module(&mut context, sources.file(file)).expect("it is well-formed");
        let host = IrHost::new(context, module);
        let texts = IrText::new(&sources, &host);
        let all: Vec<OpId> = host.module.preorder(host.module.top()).skip(1).collect();
        let seen: Vec<String> = all.iter().map(|&op| texts.op(op)).collect();
        assert_eq!(
            seen,
            [
                "\"t.f\"() ({",
                "%0 = \"t.a\"() {x = \"}\"} : () -> i32",
                "%1, %2 = \"t.b\"(%0) : (i32) -> (i32, i32)",
                "\"t.c\"()[^bb1] : () -> ()",
                "\"t.d\"() : () -> ()",
                "\"t.e\"() : () -> ()",
            ]
        );
        assert_eq!(texts.result_names(all[2]), ["%1", "%2"]);
    }

    #[test]
    fn results_can_be_in_the_line_before_and_only_the_location_of_the_operation_is_removed() {
        let text = "%0 =\n  \"t.a\"() {x = \"see loc(1)\"} : () -> i32 loc(\"a\":1:2)\n\
                    \"t.f\"() ({\n^bb0(%1: i32 loc(\"b\":3:4)):\n}) : () -> () loc(\"c\":5:6)\n\
                    func.func @f(%arg0: i32 loc(\"b\":3:4)) {\n  return\n} loc(\"c\":5:6)\n";
        let mut sources = SourceMap::default();
        let file = sources.add("a.mlir", text).expect("it is small");
        let mut context = crate::ir::Context::new();
        let parsed = crate::ir::parse_with_positions(&mut context, sources.file(file));
        let (module, stated) = parsed.expect("it is well-formed");
        let host = IrHost::new(context, module);
        let texts = IrText::new(&sources, &host).with_stated(&stated);
        let seen: Vec<String> =
            host.module.preorder(host.module.top()).skip(1).map(|op| texts.op(op)).collect();
        let expected = [
            "%0 = \"t.a\"() {x = \"see loc(1)\"} : () -> i32",
            "\"t.f\"() ({",
            "func.func @f(%arg0: i32 loc(\"b\":3:4)) {",
            "return",
        ];
        assert_eq!(seen, expected);
    }
}
