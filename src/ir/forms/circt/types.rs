//! Types and attributes of the dialect `hw` of CIRCT, and the parts of their text.

use hashbrown::HashSet;

use super::super::class_lists::items_until;
use crate::identifier::{is_bare_identifier, keyword_or_string};
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};
use crate::string_literal::unescape;

pub(super) fn register(forms: &mut Forms) {
    forms.add_class("!hw.array", Element { sized: true });
    forms.add_class("!hw.inout", Element { sized: false });
    forms.add_class("!hw.modty", Ports);
    forms.add_class("!hw.struct", Fields { has_offsets: false });
    forms.add_class("!hw.uarray", Element { sized: true });
    forms.add_class("!hw.union", Fields { has_offsets: true });
    forms.add_class("#hw.innerSym", InnerSymbol);
}

/// The types that are written without their dialect inside arrays and `inout`.
const SHORT: &[&str] = &["array", "enum", "inout", "int", "struct", "typealias", "uarray", "union"];

/// `<4xi8>`, `<#size x i8>`, or `<i8>`
#[derive(Debug)]
struct Element {
    sized: bool,
}

impl ClassForm for Element {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        if self.sized {
            match text.optional_integer() {
                Some(size) => text.write(&size.to_string()),
                None => text.attribute()?,
            }
            if !text.skip_x() {
                return Err(text.expected("'x'"));
            }
            text.write("x");
        }
        text.type_of_dialect("hw", SHORT)?;
        text.literal(">")
    }
}

/// Transcribes a name, which is in quotes unless it is a keyword. Returns the name.
fn transcribe_name(text: &mut dyn ClassText) -> FormResult<String> {
    let name = text.optional_string().or_else(|| text.optional_keyword());
    let name = name.ok_or_else(|| text.expected("a name"))?;
    text.write(&keyword_or_string(&name));
    Ok(name)
}

/// `<a: i8, b: i4 offset 2>`
#[derive(Debug)]
struct Fields {
    has_offsets: bool,
}

impl ClassForm for Fields {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        let mut names = HashSet::new();
        items_until(text, ">", |text| {
            let name = transcribe_name(text)?;
            if names.contains(&name) {
                return Err(text.expected(&format!("one field '{name}'")));
            }
            names.insert(name);
            text.literal(":")?;
            text.write(" ");
            text.ty()?;
            if self.has_offsets && text.skip("offset") {
                let Some(offset) = text.optional_integer() else { return Err(text.expected("an integer")) };
                if offset != 0 {
                    text.write(&format!(" offset {offset}"));
                }
            }
            Ok(())
        })
    }
}

/// `<input a : i8, output b : i4>`
#[derive(Debug)]
struct Ports;

impl ClassForm for Ports {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        items_until(text, ">", |text| {
            let Some(direction) = ["input", "output", "inout"].into_iter().find(|word| text.skip(word))
            else {
                return Err(text.expected("'input', 'output' or 'inout'"));
            };
            text.write(&format!("{direction} "));
            transcribe_name(text)?;
            text.write(" ");
            text.literal(":")?;
            text.write(" ");
            text.ty()
        })
    }
}

/// `@name`, or `[<@name,1,public>, …]` for the symbols of fields, in the order of the fields
#[derive(Debug)]
struct InnerSymbol;

impl ClassForm for InnerSymbol {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        if !text.skip("[") {
            return text.attribute();
        }
        let mut symbols = Vec::new();
        while !text.is_literal("]") {
            text.consume("<")?;
            let symbol = text.item();
            let symbol = text.printed(&symbol)?;
            text.consume(",")?;
            let field = text.optional_integer().ok_or_else(|| text.expected("the number of a field"))?;
            text.consume(",")?;
            let visibility = text.optional_keyword().ok_or_else(|| text.expected("a visibility"))?;
            text.consume(">")?;
            symbols.push((field, symbol, visibility));
            if !text.skip(",") {
                break;
            }
        }
        text.consume("]")?;
        symbols.sort_unstable();
        match symbols.as_slice() {
            [(0, symbol, visibility)] if visibility == "public" => text.write(symbol),
            _ => {
                let one = |(field, symbol, visibility)| format!("<{symbol},{field},{visibility}>");
                let texts: Vec<String> = symbols.into_iter().map(one).collect();
                text.write(&format!("[{}]", texts.join(", ")));
            }
        }
        Ok(())
    }
}

// Functions that take the text of types and attributes apart.

/// The name that a text states with or without quotes.
pub(in crate::ir) fn unquoted(text: &str) -> String {
    match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(inside) => unescape(inside.as_bytes()).into_owned(),
        None => text.to_owned(),
    }
}

/// The characters of a text outside quotes, each with its place and the number of brackets that are open after it.
fn unquoted_chars(text: &str) -> impl Iterator<Item = (usize, char, usize)> {
    let (mut depth, mut is_quoted, mut before) = (0_usize, false, ' ');
    text.char_indices().filter_map(move |(at, c)| {
        let is_escaped = is_quoted && before == '\\';
        // The second of two backslashes escapes nothing.
        let last = std::mem::replace(&mut before, if is_escaped { ' ' } else { c });
        match c {
            '"' if !is_escaped => is_quoted = !is_quoted,
            _ if is_quoted => {}
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if last == '-' => {}
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        (!is_quoted).then_some((at, c, depth))
    })
}

/// The parts of a text between separators that are outside brackets and quotes. Each part is returned without the white
/// space around it.
pub(super) fn split(text: &str, separator: char) -> Vec<&str> {
    if text.is_empty() {
        return Vec::new();
    }
    let (mut parts, mut start) = (Vec::new(), 0);
    for (at, c, depth) in unquoted_chars(text) {
        if c == separator && depth == 0 {
            parts.push(text[start..at].trim());
            start = at + c.len_utf8();
        }
    }
    parts.push(text[start..].trim());
    parts
}

/// The parts before and after the first separator that is outside brackets and quotes.
pub(super) fn split_once(text: &str, separator: char) -> Option<(&str, &str)> {
    let (at, ..) = unquoted_chars(text).find(|&(_, c, depth)| c == separator && depth == 0)?;
    Some((text[..at].trim(), text[at + separator.len_utf8()..].trim()))
}

/// True if a text is one string in quotes, or one attribute of a class: `#dialect.name` or `#dialect.name<…>`.
pub(super) fn is_string_or_class(text: &str) -> bool {
    let mut outside = unquoted_chars(text);
    if text.starts_with('"') {
        // Of the quotes around a string, `unquoted_chars` returns only the closing one.
        return outside.next().is_some_and(|(at, ..)| at + 1 == text.len());
    }
    let Some(class) = text.strip_prefix('#') else { return false };
    let Some((class, _)) = class.split_once('<') else { return is_bare_identifier(class) };
    let end = outside.find(|&(_, c, depth)| c == '>' && depth == 0);
    is_bare_identifier(class) && end.is_some_and(|(at, ..)| at + 1 == text.len())
}

/// The text between the brackets of a type or attribute of a class.
pub(super) fn inside<'t>(text: &'t str, class: &str) -> Option<&'t str> {
    text.strip_prefix(class)?.strip_prefix('<')?.strip_suffix('>')
}

/// The text of a type without aliases of the dialect: `i8` for `!hw.typealias<@scope::@name, i8>`.
fn without_alias(mut text: &str) -> &str {
    while let Some((_, aliased)) = inside(text, "!hw.typealias").and_then(|alias| split_once(alias, ',')) {
        text = aliased;
    }
    text
}

/// The text of an element type inside another type. The dialect is left out if the text may omit it.
fn without_dialect(element: &str) -> &str {
    let short = element.strip_prefix("!hw.");
    short.filter(|short| with_dialect(short) == element).unwrap_or(element)
}

/// The text of the `inout` type around a type.
pub(super) fn inout_of(inner: &str) -> String {
    format!("!hw.inout<{}>", without_dialect(inner))
}

/// The text of an array type.
pub(super) fn array_of(size: u64, element: &str) -> String {
    format!("!hw.array<{size}x{}>", without_dialect(element))
}

/// The text of an element type. The dialect is added if the text omits it.
fn with_dialect(element: &str) -> String {
    let is_short = element.split_once('<').is_some_and(|(name, _)| SHORT.contains(&name));
    format!("{}{element}", if is_short { "!hw." } else { "" })
}

/// The text of the type inside an `inout`.
pub(super) fn inout(text: &str) -> Option<String> {
    Some(with_dialect(inside(without_alias(text), "!hw.inout")?))
}

/// The size of an array, and the text of its element type.
pub(super) fn array(text: &str) -> Option<(&str, String)> {
    let text = without_alias(text);
    let inside = inside(text, "!hw.array").or_else(|| inside(text, "!hw.uarray"))?;
    // If the size is an attribute, the `x` follows the closing bracket of the attribute.
    let end = match inside.starts_with('#') {
        true => unquoted_chars(inside).find(|&(_, c, depth)| c == '>' && depth == 0)?.0 + 1,
        false => inside.find('x')?,
    };
    let (size, element) = inside.split_at_checked(end)?;
    Some((size, with_dialect(element.strip_prefix('x')?)))
}

/// The fields of a struct or union, each with its name as it is printed and the text of its type.
pub(in crate::ir) fn fields(text: &str) -> Option<Vec<(&str, &str)>> {
    let text = without_alias(text);
    let inside = inside(text, "!hw.struct").or_else(|| inside(text, "!hw.union"))?;
    let field = |field| {
        let (name, ty) = split_once(field, ':')?;
        match ty.rsplit_once(" offset ") {
            Some((ty, offset)) if offset.bytes().all(|b| b.is_ascii_digit()) => Some((name, ty)),
            _ => Some((name, ty)),
        }
    };
    split(inside, ',').into_iter().map(field).collect()
}

/// A port of a module type: its direction, its name as it is printed, and the text of its type.
pub(in crate::ir) struct Port<'t> {
    pub(in crate::ir) direction: &'t str,
    pub(in crate::ir) name: &'t str,
    pub(in crate::ir) ty: &'t str,
}

/// The ports of a module type.
pub(in crate::ir) fn ports(text: &str) -> Option<Vec<Port<'_>>> {
    let port = |port| {
        let (name, ty) = split_once(port, ':')?;
        let (direction, name) = name.split_once(' ')?;
        Some(Port { direction, name, ty })
    };
    split(inside(text, "!hw.modty")?, ',').into_iter().map(port).collect()
}
