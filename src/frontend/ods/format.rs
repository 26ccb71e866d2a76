//! The declarative formats of attributes and types.
//!
//! Specification: a format that `mlir-tblgen` rejects is an error. Any other format has the meaning of the parser and
//! printer that `mlir-tblgen` generates from it.
//!
//! The parts of a format are in one list. The contents of an optional group follow the group.
//!
//! Source: MLIR's "Defining Dialect Attributes and Types".

use super::error;
use super::model::Definition;
use crate::snippet::BodyPart;
use crate::source::{Diagnostic, Span};
use crate::stack::with_room;

/// Reads the format of a definition. Returns its parts, and the parameters in `qualified($parameter)`.
pub(super) fn parse<'a>(
    definition: &Definition<'a>,
    format: &'a str,
    span: Span,
) -> Result<(Vec<BodyPart<&'a str>>, Vec<u32>), Diagnostic> {
    let mut parser = Parser {
        definition,
        rest: format,
        seen: vec![false; definition.params.len()],
        parts: Vec::new(),
        qualified: Vec::new(),
        custom: (0, Vec::new()),
    };
    let parsed = parser.elements().and_then(|()| {
        if parser.rest.is_empty() { parser.check() } else { Err(EXPECTED_ELEMENT.to_owned()) }
    });
    match parsed {
        Ok(()) => Ok((parser.parts, parser.qualified)),
        Err(problem) => Err(error::format(definition.class, &problem, span)),
    }
}

const EXPECTED_ELEMENT: &str = "a literal, a parameter, a directive or an optional group is expected";

type Parsed<T> = Result<T, String>;

struct Parser<'d, 'a> {
    definition: &'d Definition<'a>,
    rest: &'a str,
    /// For each parameter, true if the format has captured it.
    seen: Vec<bool>,
    parts: Vec<BodyPart<&'a str>>,
    /// The parameters in `qualified`.
    qualified: Vec<u32>,
    /// The number of arguments of the last `custom`, and the parameters that it captured.
    custom: (usize, Vec<u32>),
}

impl<'a> Parser<'_, 'a> {
    fn blank(&mut self) {
        self.rest = self.rest.trim_start();
    }

    fn eat(&mut self, token: &str) -> bool {
        self.blank();
        let found = self.rest.strip_prefix(token);
        self.rest = found.unwrap_or(self.rest);
        found.is_some()
    }

    fn expect(&mut self, token: &str) -> Parsed<()> {
        if self.eat(token) { Ok(()) } else { Err(format!("'{token}' is expected")) }
    }

    fn word(&mut self) -> Option<&'a str> {
        self.blank();
        let end = self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        (end > 0).then_some(word)
    }

    /// Reads elements and groups up to the end of the text or up to a closing parenthesis.
    fn elements(&mut self) -> Parsed<()> {
        loop {
            self.blank();
            if self.rest.is_empty() || self.rest.starts_with(')') {
                return Ok(());
            }
            if self.rest.starts_with('(') {
                self.group()?;
            } else {
                self.element()?;
            }
        }
    }

    fn element(&mut self) -> Parsed<()> {
        if let Some(rest) = self.rest.strip_prefix('`') {
            let Some((text, rest)) = rest.split_once('`') else {
                return Err("a literal is not closed".to_owned());
            };
            self.rest = rest;
            self.parts.push(match text {
                "" | " " => BodyPart::Blank(text),
                "\\n" => BodyPart::Blank("\n"),
                _ if is_literal(text) => BodyPart::Literal(text),
                _ => return Err(format!("'{text}' is neither a word nor punctuation")),
            });
            return Ok(());
        }
        if self.rest.starts_with('$') {
            let param = self.param()?;
            self.parts.push(BodyPart::Param(param));
            return Ok(());
        }
        let part = match self.word() {
            Some("params") => BodyPart::Params(self.all()?),
            Some("struct") => self.fields()?,
            Some("qualified") => BodyPart::Param(self.qualified_param()?),
            Some("custom") => self.custom()?,
            Some("ref") => return Err("'ref' can only be an argument of 'custom'".to_owned()),
            _ => return Err(EXPECTED_ELEMENT.to_owned()),
        };
        self.parts.push(part);
        Ok(())
    }

    /// Reads `$name` and captures the parameter.
    fn param(&mut self) -> Parsed<u32> {
        let param = self.named()?;
        let name = self.definition.params[param as usize].name;
        if std::mem::replace(&mut self.seen[param as usize], true) {
            return Err(format!("parameter '{name}' occurs twice"));
        }
        Ok(param)
    }

    fn named(&mut self) -> Parsed<u32> {
        self.expect("$")?;
        let name = self.word().ok_or("a parameter's name is expected")?;
        let known = self.definition.params.iter().position(|param| param.name == name);
        let known = known.ok_or_else(|| format!("there is no parameter '{name}'"))?;
        u32::try_from(known).map_err(|_| "there are too many parameters".to_owned())
    }

    /// Reads `($name)` after `qualified`.
    fn qualified_param(&mut self) -> Parsed<u32> {
        self.expect("(")?;
        let param = self.param()?;
        self.expect(")")?;
        self.qualified.push(param);
        Ok(param)
    }

    /// Reads `params`: all parameters except the self type of an attribute.
    fn all(&mut self) -> Parsed<Vec<u32>> {
        let mut all = Vec::new();
        for (number, param) in (0..).zip(&self.definition.params) {
            if param.self_type {
                continue;
            }
            if std::mem::replace(&mut self.seen[number as usize], true) {
                return Err(format!(
                    "'params' contains parameter '{}', which the format already uses",
                    param.name
                ));
            }
            all.push(number);
        }
        if all.is_empty() { Err("'params' has no parameters".to_owned()) } else { Ok(all) }
    }

    fn fields(&mut self) -> Parsed<BodyPart<&'a str>> {
        self.expect("(")?;
        self.blank();
        if self.rest.starts_with("params") {
            self.word();
            let all = self.all()?;
            self.expect(")")?;
            return Ok(BodyPart::Struct(all));
        }
        let (mut params, mut custom) = (Vec::new(), false);
        loop {
            self.blank();
            if self.rest.starts_with('$') {
                params.push(self.param()?);
            } else {
                match self.word() {
                    Some("qualified") => params.push(self.qualified_param()?),
                    Some("custom") => {
                        self.custom()?;
                        if self.custom.0 != 1 || self.custom.1.len() != 1 {
                            return Err("'custom' in 'struct' must have exactly one parameter".to_owned());
                        }
                        custom = true;
                    }
                    _ => {
                        return Err("a parameter, 'qualified' or 'custom' is expected in 'struct'".to_owned());
                    }
                }
            }
            if !self.eat(",") {
                break;
            }
        }
        self.expect(")")?;
        Ok(if custom { BodyPart::Custom } else { BodyPart::Struct(params) })
    }

    /// Reads `<Name>($a, ref($b), …)` after `custom`.
    fn custom(&mut self) -> Parsed<BodyPart<&'a str>> {
        self.expect("<")?;
        self.word().ok_or("a name is expected after 'custom<'")?;
        self.expect(">")?;
        self.expect("(")?;
        self.custom = (0, Vec::new());
        while !self.eat(")") {
            if self.custom.0 > 0 {
                self.expect(",")?;
            }
            self.custom.0 += 1;
            self.blank();
            if self.rest.starts_with('$') {
                let param = self.param()?;
                self.custom.1.push(param);
            } else if let Some(rest) = self.rest.strip_prefix('"') {
                let Some((_, rest)) = rest.split_once('"') else {
                    return Err("a string is not closed".to_owned());
                };
                self.rest = rest;
            } else if self.word() == Some("ref") {
                self.expect("(")?;
                let param = self.named()?;
                if !self.seen[param as usize] && !self.definition.params[param as usize].self_type {
                    return Err("'ref' names a parameter before its first use".to_owned());
                }
                self.expect(")")?;
            } else {
                return Err("a parameter is expected in 'custom'".to_owned());
            }
        }
        Ok(BodyPart::Custom)
    }

    /// Reads `(elements) : (elements)?`. The `^` follows the element that decides if the group is present.
    fn group(&mut self) -> Parsed<()> {
        let group = self.parts.len();
        // A placeholder, which is replaced when the contents have been read.
        self.parts.push(BodyPart::Custom);
        let mut anchor = None;
        let mut sizes = [0; 2];
        for (half, size) in sizes.iter_mut().enumerate() {
            if half == 1 && !self.eat(":") {
                break;
            }
            self.expect("(")?;
            let start = self.parts.len();
            loop {
                self.blank();
                if self.rest.starts_with(')') || self.rest.is_empty() {
                    break;
                }
                if self.rest.starts_with('(') {
                    with_room(|| self.group())?;
                    continue;
                }
                self.element()?;
                if let Some(BodyPart::Custom) = self.parts.last() {
                    self.check_optional(self.custom.1.iter())?;
                }
                if self.eat("^") {
                    let part = self.parts.last().filter(|_| anchor.is_none());
                    let params = match part {
                        Some(BodyPart::Param(param)) => vec![*param],
                        Some(BodyPart::Params(params) | BodyPart::Struct(params)) => params.clone(),
                        Some(BodyPart::Custom) if self.custom.1.is_empty() => {
                            return Err("a 'custom' with '^' needs a parameter".to_owned());
                        }
                        Some(BodyPart::Custom) => self.custom.1.clone(),
                        Some(_) => return Err("'^' must be after a parameter or directive".to_owned()),
                        None => return Err("a group can have only one '^'".to_owned()),
                    };
                    anchor = Some((params, half == 1));
                }
            }
            self.expect(")")?;
            if half == 0 && self.parts.len() == start {
                return Err("an optional group cannot be empty".to_owned());
            }
            let inside = &self.parts[start..];
            self.check_optional(inside.iter().flat_map(BodyPart::params))?;
            let first = inside.iter().find(|part| !matches!(part, BodyPart::Blank(_)));
            if half == 0
                && matches!(
                    first,
                    None | Some(BodyPart::Params(_) | BodyPart::Struct(_) | BodyPart::Group { .. })
                )
            {
                return Err("an optional group starts with a literal, a parameter or 'custom'".to_owned());
            }
            *size = u32::try_from(inside.len()).map_err(|_| "the format is too long")?;
        }
        self.expect("?")?;
        let (anchor, inverted) = anchor.ok_or("an optional group needs a parameter with '^'")?;
        let [present, absent] = sizes;
        self.parts[group] = BodyPart::Group { present, absent, anchor, inverted };
        Ok(())
    }

    fn check_optional<'p>(&self, mut params: impl Iterator<Item = &'p u32>) -> Parsed<()> {
        let required = params.find(|&&param| self.definition.params[param as usize].default.is_none());
        match required {
            Some(&param) => {
                let name = self.definition.params[param as usize].name;
                Err(format!("parameter '{name}' in an optional group is not optional"))
            }
            None => Ok(()),
        }
    }

    fn check(&self) -> Parsed<()> {
        let optional = |params: &[u32]| {
            params.iter().any(|&param| self.definition.params[param as usize].default.is_some())
        };
        for pair in self.parts.windows(2) {
            if let [BodyPart::Struct(params), BodyPart::Literal(",")] = pair
                && optional(params)
            {
                return Err("',' cannot follow a 'struct' with optional parameters".to_owned());
            }
        }
        let all = self.definition.params.iter().zip(&self.seen);
        match all.into_iter().find(|(param, seen)| !**seen && !param.self_type && param.default.is_none()) {
            Some((param, _)) => Err(format!("parameter '{}' is missing", param.name)),
            None => Ok(()),
        }
    }
}

fn is_literal(text: &str) -> bool {
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    match text.len() {
        1 => first.is_ascii_alphabetic() || "_:,=<>()[]{}?+-*".contains(first),
        _ if matches!(text, "->" | "...") => true,
        _ => {
            (first.is_ascii_alphabetic() || first == '_')
                && chars.all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
        }
    }
}
