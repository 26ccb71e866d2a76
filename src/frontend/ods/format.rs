//! The declarative formats of attributes and types.
//!
//! Specification: a format that `mlir-tblgen` rejects is an error at its place in the text. Any other format has the
//! meaning of the parser and printer that `mlir-tblgen` generates from it.
//!
//! The parts of a format are in one list. The contents of an optional group follow the group.
//!
//! Source: MLIR's "Defining Dialect Attributes and Types"; where it is silent, the behaviour of
//! `AttrOrTypeFormatGen.cpp`.

use super::error;
use super::format_lexer::{Literal, Problem, TokenKind, Tokens, literal, wrong};
use super::model::Definition;
use crate::snippet::BodyPart;
use crate::source::{Diagnostic, Span};
use crate::stack::with_room;

/// The maximum nesting of groups and directives.
const DEPTH_LIMIT: u32 = 100;

/// Reads the format of a definition. Returns its parts, and the parameters in `qualified($parameter)`.
pub(super) fn parse<'a>(
    definition: &Definition<'a>,
    format: &'a str,
    span: Span,
) -> Result<(Vec<BodyPart<&'a str>>, Vec<u32>), Diagnostic> {
    read(definition, format).map_err(|(offset, problem, help)| {
        error::format(definition.class, &problem, format, offset, span, help.as_deref())
    })
}

fn read<'a>(definition: &Definition<'a>, format: &'a str) -> Parsed<(Vec<BodyPart<&'a str>>, Vec<u32>)> {
    let seen = vec![false; definition.params.len()];
    let tokens = Tokens::new(format)?;
    let mut parser = Parser { definition, tokens, seen, qualified: Vec::new(), depth: 0 };
    let start = parser.tokens.next.at;
    let mut elements = Vec::new();
    while parser.tokens.next.kind != TokenKind::End {
        elements.push(parser.element(Context::Top)?);
    }
    parser.check(start, &elements)?;
    let mut parts = Vec::new();
    for element in elements {
        element.append_to(&mut parts).map_err(|problem| (start, problem, None))?;
    }
    Ok((parts, parser.qualified))
}

type Parsed<T> = Result<T, Problem>;

/// An element of a format.
enum Element<'a> {
    Literal(Literal<'a>),
    /// A string, which only `custom` accepts.
    Text,
    Param(u32),
    /// `ref($parameter)`
    Ref,
    Params(Vec<u32>),
    /// `struct`, with its parameters and `custom` directives.
    Struct(Vec<Element<'a>>),
    /// `custom`, with its arguments.
    Custom(Vec<Element<'a>>),
    /// `(present) : (absent)?`
    Group {
        present: Vec<Element<'a>>,
        absent: Vec<Element<'a>>,
        /// The parameters of the element before `^`.
        anchor: Vec<u32>,
        /// True if the anchor is in `absent`.
        inverted: bool,
    },
}

/// The construct that contains an element and restricts its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Top,
    Struct,
    Custom,
    Ref,
}

impl<'a> Element<'a> {
    /// Appends the captured parameters, except those of groups.
    fn params(&self, params: &mut Vec<u32>) {
        match self {
            Self::Param(param) => params.push(*param),
            Self::Params(all) => params.extend(all),
            Self::Struct(elements) | Self::Custom(elements) => elements.iter().for_each(|e| e.params(params)),
            Self::Literal(_) | Self::Text | Self::Ref | Self::Group { .. } => {}
        }
    }

    fn captured(&self) -> Vec<u32> {
        let mut params = Vec::new();
        self.params(&mut params);
        params
    }

    fn append_to(self, parts: &mut Vec<BodyPart<&'a str>>) -> Result<(), String> {
        let part = match self {
            Self::Literal(Literal::Space { printed: true }) => BodyPart::Blank(" "),
            Self::Literal(Literal::Space { printed: false }) => BodyPart::Blank(""),
            Self::Literal(Literal::Newline) => BodyPart::Blank("\n"),
            Self::Literal(Literal::Text(text)) => BodyPart::Literal(text),
            Self::Param(param) => BodyPart::Param(param),
            Self::Params(params) => BodyPart::Params(params),
            Self::Struct(ref fields) if fields.iter().all(|field| matches!(field, Self::Param(_))) => {
                BodyPart::Struct(self.captured())
            }
            Self::Struct(_) | Self::Custom(_) | Self::Text | Self::Ref => BodyPart::Custom,
            Self::Group { present, absent, anchor, inverted } => {
                let group = parts.len();
                // A placeholder, which is replaced when the contents have been appended.
                parts.push(BodyPart::Custom);
                let sizes = [present, absent].map(|elements| {
                    let start = parts.len();
                    with_room(|| elements.into_iter().try_for_each(|element| element.append_to(parts)))?;
                    u32::try_from(parts.len() - start).map_err(|_| "the format is too long".to_owned())
                });
                let [present, absent] = sizes;
                parts[group] = BodyPart::Group { present: present?, absent: absent?, anchor, inverted };
                return Ok(());
            }
        };
        parts.push(part);
        Ok(())
    }
}

struct Parser<'d, 'a> {
    definition: &'d Definition<'a>,
    tokens: Tokens<'a>,
    /// For each parameter, true if the format has captured it.
    seen: Vec<bool>,
    /// The parameters in `qualified`.
    qualified: Vec<u32>,
    depth: u32,
}

impl<'a> Parser<'_, 'a> {
    fn element(&mut self, context: Context) -> Parsed<Element<'a>> {
        if self.depth >= DEPTH_LIMIT {
            return wrong(
                self.tokens.next.at,
                format!("nesting is deeper than the limit of {DEPTH_LIMIT} levels"),
            );
        }
        self.depth += 1;
        let element = with_room(|| self.element_inside(context));
        self.depth -= 1;
        element
    }

    fn element_inside(&mut self, context: Context) -> Parsed<Element<'a>> {
        let token = self.tokens.next;
        let at = token.at;
        let in_group = token.is(b'(');
        if !in_group && matches!(token.kind, TokenKind::Punctuation(_) | TokenKind::End) {
            return wrong(at, "a literal, a parameter, a directive or an optional group is expected");
        }
        self.tokens.advance()?;
        match token.kind {
            TokenKind::Literal if context == Context::Top => literal(token).map(Element::Literal),
            TokenKind::Literal => wrong(at, "a literal cannot be an argument of a directive"),
            TokenKind::String if context == Context::Custom => Ok(Element::Text),
            TokenKind::String => wrong(at, "a string can only be an argument of 'custom'"),
            TokenKind::Variable => self.param(&token.text[1..], at, context),
            TokenKind::Word => self.directive(token.text, at, context),
            TokenKind::Punctuation(_) | TokenKind::End if context == Context::Top => self.group(at),
            TokenKind::Punctuation(_) | TokenKind::End => {
                wrong(at, "an optional group cannot be an argument of a directive")
            }
        }
    }

    /// Captures a parameter, or refers to it inside `ref`.
    fn param(&mut self, name: &str, at: usize, context: Context) -> Parsed<Element<'a>> {
        let params = &self.definition.params;
        let Some((number, param)) = (0..).zip(params).find(|(_, param)| param.name == name) else {
            return wrong(at, format!("there is no parameter '{name}'"));
        };
        let seen = &mut self.seen[number as usize];
        if context == Context::Ref {
            return match *seen || param.self_type {
                true => Ok(Element::Ref),
                false => wrong(at, format!("'ref' names parameter '{name}' before its first use")),
            };
        }
        match std::mem::replace(seen, true) {
            true => wrong(at, format!("parameter '{name}' occurs twice")),
            false => Ok(Element::Param(number)),
        }
    }

    fn directive(&mut self, word: &str, at: usize, context: Context) -> Parsed<Element<'a>> {
        match (word, context) {
            ("params", Context::Top | Context::Struct) => self.all(at),
            ("struct", Context::Top) => self.fields(at),
            ("custom", Context::Top | Context::Struct) => self.custom(),
            ("ref", Context::Custom) => {
                self.tokens.expect(b'(', "after 'ref'")?;
                let element = self.element(Context::Ref)?;
                self.tokens.expect(b')', "after the parameter of 'ref'")?;
                Ok(element)
            }
            ("qualified", _) => {
                self.tokens.expect(b'(', "after 'qualified'")?;
                let element = self.element(context)?;
                match element {
                    Element::Param(param) if context != Context::Custom => self.qualified.push(param),
                    Element::Param(_) => {}
                    Element::Ref if context == Context::Ref => {}
                    _ => return wrong(at, "'qualified' must contain a parameter"),
                }
                self.tokens.expect(b')', "after the parameter of 'qualified'")?;
                Ok(element)
            }
            ("ref", _) => wrong(at, "'ref' can only be an argument of 'custom'"),
            ("struct", _) => wrong(at, "'struct' cannot be an argument of a directive"),
            ("params" | "custom", _) => {
                wrong(at, format!("'{word}' cannot be an argument of 'custom' or 'ref'"))
            }
            _ => wrong(at, format!("there is no directive '{word}' for attributes and types")),
        }
    }

    /// Reads `params`: all parameters except the self type of an attribute.
    fn all(&mut self, at: usize) -> Parsed<Element<'a>> {
        let mut all = Vec::new();
        for (number, param) in (0..).zip(&self.definition.params) {
            let seen = &mut self.seen[number as usize];
            if *seen {
                let name = param.name;
                return wrong(
                    at,
                    format!("'params' contains parameter '{name}', which the format already uses"),
                );
            }
            if !param.self_type {
                *seen = true;
                all.push(number);
            }
        }
        if all.is_empty() { wrong(at, "'params' has no parameters") } else { Ok(Element::Params(all)) }
    }

    fn fields(&mut self, at: usize) -> Parsed<Element<'a>> {
        self.tokens.expect(b'(', "after 'struct'")?;
        let mut fields = Vec::new();
        loop {
            match self.element(Context::Struct)? {
                Element::Params(all) if fields.is_empty() => {
                    fields.extend(all.into_iter().map(Element::Param));
                    break;
                }
                Element::Custom(arguments) if !matches!(*arguments, [Element::Param(_)]) => {
                    return wrong(at, "'custom' in 'struct' must have exactly one parameter");
                }
                field @ (Element::Param(_) | Element::Custom(_)) => fields.push(field),
                _ => return wrong(at, "a parameter, 'qualified' or 'custom' is expected in 'struct'"),
            }
            if !self.tokens.next.is(b',') {
                break;
            }
            self.tokens.advance()?;
        }
        self.tokens.expect(b')', "after the parameters of 'struct'")?;
        Ok(Element::Struct(fields))
    }

    /// Reads `<Name>($a, ref($b), …)` after `custom`.
    fn custom(&mut self) -> Parsed<Element<'a>> {
        self.tokens.expect(b'<', "after 'custom'")?;
        self.tokens.custom_name()?;
        self.tokens.expect(b'>', "after the name of 'custom'")?;
        self.tokens.expect(b'(', "before the arguments of 'custom'")?;
        let mut arguments = vec![self.element(Context::Custom)?];
        while self.tokens.next.is(b',') {
            self.tokens.advance()?;
            arguments.push(self.element(Context::Custom)?);
        }
        self.tokens.expect(b')', "after the arguments of 'custom'")?;
        Ok(Element::Custom(arguments))
    }

    /// Reads `elements)?` or `elements):(elements)?` after the opening parenthesis. The `^` follows the element that
    /// decides if the group is present.
    fn group(&mut self, at: usize) -> Parsed<Element<'a>> {
        let mut anchor = None;
        let present = self.elements(&mut anchor)?;
        let inverted = anchor.is_none();
        let mut absent = Vec::new();
        if self.tokens.next.is(b':') {
            self.tokens.advance()?;
            self.tokens.expect(b'(', "before the alternative of an optional group")?;
            absent = self.elements(&mut anchor)?;
        }
        self.tokens.expect(b'?', "after an optional group")?;
        let Some(anchor) = anchor else {
            return wrong(at, "an optional group needs a parameter with '^'");
        };
        for param in present.iter().chain(&absent).flat_map(Element::captured) {
            let param = &self.definition.params[param as usize];
            if param.default.is_none() {
                return wrong(at, format!("parameter '{}' in an optional group is not optional", param.name));
            }
        }
        let is_blank = |element: &Element<'_>| {
            matches!(element, Element::Literal(Literal::Space { .. } | Literal::Newline))
        };
        match present.iter().find(|element| !is_blank(element)) {
            Some(Element::Literal(_) | Element::Param(_) | Element::Custom(_)) => {}
            _ => return wrong(at, "an optional group must start with a literal, a parameter or 'custom'"),
        }
        Ok(Element::Group { present, absent, anchor, inverted })
    }

    /// Reads the elements of a group, and the parameters of the element before `^`.
    fn elements(&mut self, anchor: &mut Option<Vec<u32>>) -> Parsed<Vec<Element<'a>>> {
        let mut elements = Vec::new();
        // A group has at least one element.
        while elements.is_empty() || !self.tokens.next.is(b')') {
            let element = self.element(Context::Top)?;
            let at = self.tokens.next.at;
            if self.tokens.next.is(b'^') {
                if anchor.is_some() {
                    return wrong(at, "a group can have only one '^'");
                }
                let params = element.captured();
                match element {
                    Element::Param(_) | Element::Params(_) | Element::Struct(_) => {}
                    Element::Custom(_) if !params.is_empty() => {}
                    Element::Custom(_) => return wrong(at, "a 'custom' with '^' needs a parameter"),
                    _ => return wrong(at, "'^' must be after a parameter or directive"),
                }
                *anchor = Some(params);
                self.tokens.advance()?;
            }
            elements.push(element);
        }
        self.tokens.advance()?;
        Ok(elements)
    }

    /// Checks the whole format.
    fn check(&self, at: usize, elements: &[Element<'_>]) -> Parsed<()> {
        let is_optional = |param: u32| self.definition.params[param as usize].default.is_some();
        for pair in elements.windows(2) {
            if let [fields @ Element::Struct(_), Element::Literal(Literal::Text(","))] = pair
                && fields.captured().into_iter().any(is_optional)
            {
                return wrong(at, "',' cannot follow a 'struct' with optional parameters");
            }
        }
        for (param, &seen) in self.definition.params.iter().zip(&self.seen) {
            let name = param.name;
            if param.default.is_some() || seen != param.self_type {
                continue;
            }
            return match seen {
                true => wrong(
                    at,
                    format!("parameter '{name}' is the type of the attribute, so the format must omit it"),
                ),
                false => wrong(at, format!("parameter '{name}' is missing")),
            };
        }
        Ok(())
    }
}
