//! Reads and writes the parameters of a dialect's attributes and types.

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{AttrRef, Evaluated, TypeRef, Val};
use crate::host::{AttrSpec, Facets, Refusal, Signedness, TypeSpec};
use crate::intern::StrId;
use crate::number::{ApInt, FloatFormat};
use crate::snippet::data::{BodyParam, ParamDefault, ParamKind};
use crate::snippet::text::{Cursor, boolean_of, integer_of, split_class, unquote};
use crate::string_literal::quote;

impl<H: Facets> Evaluator<'_, H> {
    /// Reads a parameter of an attribute or type of this class.
    pub(super) fn body_param(&mut self, on: &Val<H>, class: StrId, index: u32) -> Evaluated<H> {
        let text = match on {
            Val::Type(t) => self.type_text(t),
            Val::Attr(a) => self.attr_text(a),
            Val::Null => return fail("cannot read a parameter of null"),
            other => return fail(format!("{} has no parameters", other.variant_name())),
        };
        let snippets = self.snippets;
        self.step(text.len() as u64)?;
        let Some(param) = snippets.body(class).and_then(|body| body.params.get(index as usize)) else {
            return fail("the snippet is malformed");
        };
        if let (ParamKind::SelfType, Val::Attr(a)) = (param.kind, on) {
            return Ok(self.attr_type(a).map_or(Val::Null, Val::Type));
        }
        let found = match snippets.read_body(class, &text) {
            Ok(found) => found,
            Err(problem) => {
                return fail(format!("'{text}' does not have the format of its definition: {problem}"));
            }
        };
        match found.get(index as usize).copied().flatten() {
            None => self.default_value(param),
            Some(written) if param.range => {
                let items = snippets.read_list(param.kind, written);
                let items = items.into_iter().map(|item| self.read_param(param.kind, item));
                items.collect::<Result<Vec<_>, Refusal>>().map(Val::range)
            }
            Some(written) => self.read_param(param.kind, written),
        }
    }

    fn default_value(&mut self, param: &BodyParam) -> Evaluated<H> {
        Ok(match param.default {
            _ if param.range => Val::range(Vec::new()),
            Some(ParamDefault::Null) if param.kind == ParamKind::Str => Val::str(""),
            Some(ParamDefault::Null) => Val::Null,
            Some(ParamDefault::Int(value)) if param.kind == ParamKind::Bool => Val::Bool(value != 0),
            Some(ParamDefault::Int(value)) => Val::Int(i128::from(value)),
            Some(ParamDefault::Str(text)) if param.kind == ParamKind::Str => {
                Val::str(self.snippets.str(text))
            }
            Some(ParamDefault::Str(text)) => return self.read_param(param.kind, self.snippets.str(text)),
            Some(ParamDefault::Cxx) | None => {
                let name = self.snippets.str(param.name);
                return fail(format!("only C++ code can compute the default of parameter '{name}'"));
            }
        })
    }

    /// The value of a parameter, or of an element of a list parameter, from its text.
    fn read_param(&mut self, kind: ParamKind, text: &str) -> Evaluated<H> {
        Ok(match kind {
            ParamKind::Bool => Val::Bool(boolean_of(text) == Some(true)),
            ParamKind::Int(int) => match integer_of(text, int) {
                Some(value) => Val::Int(value),
                None => return fail(format!("{text} does not fit in {} bits", int.bits)),
            },
            ParamKind::Str => Val::str(unquote(text)),
            ParamKind::Type(class) => Val::Type(self.type_of_text(&self.snippets.full_text(class, text))?),
            ParamKind::TypeOf(_) => Val::Type(self.type_of_text(text)?),
            ParamKind::AttrOf(_) => return self.attr_of_text(text),
            ParamKind::Attr(class) => return self.attr_of_text(&self.snippets.full_text(class, text)),
            ParamKind::Enum(id) => Val::Int(i128::from(self.enum_of_text(text, id)?)),
            ParamKind::SelfType | ParamKind::Cxx => return fail("the snippet is malformed"),
        })
    }

    /// Parses a type. A type that the host does not have is parsed here, so that snippets can inspect it.
    fn type_of_text(&mut self, text: &str) -> Result<TypeRef<H>, Refusal> {
        self.nested(|this| this.read_type(text.trim()))
    }

    fn read_type(&mut self, text: &str) -> Result<TypeRef<H>, Refusal> {
        let integer = |sigil: &str, signedness| {
            let width = text.strip_prefix(sigil)?.parse().ok()?;
            Some(TypeSpec::Integer { width, signedness })
        };
        let spec = match text {
            "index" => TypeSpec::Index,
            "none" => TypeSpec::None,
            _ => FloatFormat::from_name(text)
                .map(TypeSpec::Float)
                .or_else(|| integer("i", Signedness::Signless))
                .or_else(|| integer("si", Signedness::Signed))
                .or_else(|| integer("ui", Signedness::Unsigned))
                .unwrap_or_else(|| TypeSpec::Text(text.to_owned())),
        };
        if let TypeSpec::Text(_) = spec
            && let TypeRef::Host(t) = self.make_type(spec.clone())?
        {
            return Ok(TypeRef::Host(t));
        }
        let shaped = |name: &str| text.strip_prefix(name)?.strip_prefix('<')?.strip_suffix('>');
        let spec = match (shaped("tensor"), shaped("vector"), shaped("complex")) {
            (Some(inside), ..) => match inside.strip_prefix("*x") {
                Some(element) => TypeSpec::UnrankedTensor(self.type_of_text(element)?),
                None => {
                    let (shape, element) = sizes(inside);
                    match self.type_of_text(element)? {
                        TypeRef::Fresh(inner)
                            if matches!(*inner, TypeSpec::Text(_)) && element.contains(',') =>
                        {
                            spec
                        }
                        element => TypeSpec::RankedTensor { shape, element, encoding: None },
                    }
                }
            },
            (_, Some(inside), _) => match sizes(inside) {
                (shape, element) if shape.iter().all(Option::is_some) && !element.starts_with('[') => {
                    let shape: Vec<i64> = shape.into_iter().flatten().collect();
                    let scalable = vec![false; shape.len()];
                    TypeSpec::Vector { shape, scalable, element: self.type_of_text(element)? }
                }
                _ => spec,
            },
            (.., Some(element)) => TypeSpec::Complex(self.type_of_text(element)?),
            _ => spec,
        };
        self.make_type(spec)
    }

    /// Parses an attribute. An attribute that the host does not have is parsed here, so that snippets can inspect it.
    fn attr_of_text(&mut self, text: &str) -> Evaluated<H> {
        self.nested(|this| this.read_attr(text))
    }

    fn read_attr(&mut self, text: &str) -> Evaluated<H> {
        let mut cursor = Cursor::new(text);
        if cursor.integer() {
            let value = text[..cursor.at].trim();
            let ty = cursor.rest().strip_prefix(':').map(str::trim);
            let ty = match (ty, value) {
                (Some(ty), _) => self.type_of_text(ty)?,
                (None, "true" | "false") => self.signless(1)?,
                (None, _) => self.signless(64)?,
            };
            if let (Some(value), Ok(width)) =
                (integer(value).and_then(|v| i64::try_from(v).ok()), self.int_width(&ty))
            {
                return self.make_attr(AttrSpec::Integer(ApInt::from_i64(width, value), ty));
            }
        }
        let mut cursor = Cursor::new(text);
        if cursor.string() && cursor.rest().is_empty() {
            return self.make_attr(AttrSpec::String(unquote(text).into_owned()));
        }
        if text == "unit" {
            return self.make_attr(AttrSpec::Unit);
        }
        let mut cursor = Cursor::new(text);
        if cursor.ty() && cursor.rest().is_empty() && !text.starts_with("affine_") {
            let ty = self.type_of_text(text)?;
            return self.make_attr(AttrSpec::Type(ty));
        }
        if let Some(inside) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            let items = self.snippets.read_list(ParamKind::Attr(None), inside);
            let mut attrs = Vec::with_capacity(items.len());
            for item in items {
                let item = self.attr_of_text(item)?;
                attrs.push(item.as_attr()?);
            }
            return self.make_attr(AttrSpec::Array(attrs));
        }
        self.make_attr(AttrSpec::Text(text.to_owned()))
    }

    /// `X::get(…)`: creates an attribute or type of a class from its parameters.
    pub(super) fn make_of_class(&mut self, class: StrId, values: &[Val<H>]) -> Evaluated<H> {
        let snippets = self.snippets;
        let Some(body) = snippets.body(class).filter(|body| body.params.len() == values.len()) else {
            return fail("the snippet is malformed");
        };
        let texts = body.params.iter().zip(values).map(|(param, value)| self.param_text(param, value));
        let texts = texts.collect::<Result<Vec<_>, _>>()?;
        let Some(text) = snippets.write_body(class, &texts) else {
            return fail("only C++ code can write an attribute or type of this class");
        };
        self.step(text.len() as u64)?;
        if text.starts_with('!') {
            return self.make_type(TypeSpec::Text(text)).map(Val::Type);
        }
        self.make_attr(AttrSpec::Text(text))
    }

    /// The text of a parameter; `None` if it has its default value and the printer omits it.
    fn param_text(&mut self, param: &BodyParam, value: &Val<H>) -> Result<Option<String>, Refusal> {
        if param.range {
            let items = self.items(value)?;
            let texts = items.iter().map(|item| self.write_param(param.printed_kind(), item));
            let texts = texts.collect::<Result<Vec<_>, _>>()?;
            return Ok((param.default.is_none() || !texts.is_empty()).then(|| texts.join(", ")));
        }
        let elided = match (param.default, value) {
            (Some(ParamDefault::Null), Val::Null) => true,
            (Some(ParamDefault::Null), Val::Str(text)) => text.is_empty(),
            (Some(ParamDefault::Int(default)), Val::Int(value)) => *value == i128::from(default),
            (Some(ParamDefault::Int(default)), Val::Bool(value)) => *value == (default != 0),
            (Some(ParamDefault::Str(default)), Val::Str(text)) => **text == *self.snippets.str(default),
            (Some(ParamDefault::Cxx), _) if param.kind != ParamKind::SelfType => {
                return fail("only C++ code can compute the default of a parameter");
            }
            _ => false,
        };
        if elided {
            return Ok(None);
        }
        let text = self.write_param(param.printed_kind(), value)?;
        if let (
            Some(ParamDefault::Str(_)),
            ParamKind::Type(_) | ParamKind::Attr(_) | ParamKind::TypeOf(_) | ParamKind::AttrOf(_),
        ) = (param.default, param.kind)
        {
            // If the host cannot read the default, the value counts as different from it and is written.
            let default =
                self.default_value(param).and_then(|value| self.write_param(param.printed_kind(), &value));
            return match default {
                Err(refusal) if self.exhausted.is_some() => Err(refusal),
                default => Ok(Some(text).filter(|text| default.as_ref() != Ok(text))),
            };
        }
        Ok(Some(text))
    }

    fn write_param(&mut self, kind: ParamKind, value: &Val<H>) -> Result<String, Refusal> {
        self.step(1)?;
        let without_class = |text: String, class: Option<StrId>| -> String {
            let expected = class.map(|class| self.snippets.str(class));
            match (expected, split_class(&text)) {
                (Some(expected), Some((class, rest))) if class == expected => rest.trim_start().to_owned(),
                _ => text,
            }
        };
        Ok(match (kind, value) {
            (ParamKind::Bool, value) => value.is_true().to_string(),
            (ParamKind::Int(int), value) => {
                let value = value.int()?;
                if int.wrap(value) != value {
                    return fail(format!("{value} does not fit in {} bits", int.bits));
                }
                value.to_string()
            }
            (ParamKind::Str, value) => quote(&self.string(value)?),
            (ParamKind::Type(class), Val::Type(t)) => without_class(self.print_type(t)?, class),
            (ParamKind::SelfType | ParamKind::TypeOf(_), Val::Type(t)) => self.print_type(t)?,
            (ParamKind::AttrOf(_), Val::Attr(a)) => self.print_attr(a)?,
            (ParamKind::Attr(class), Val::Attr(a)) => without_class(self.print_attr(a)?, class),
            (ParamKind::Enum(id), value) => {
                let number = u64::try_from(value.int()?).ok();
                let text = self.entries(id).zip(number).and_then(|(cases, number)| cases.text(number));
                let Some(text) = text else { return fail("a number is not a value of the enumeration") };
                let bare = |text: &str| {
                    let mut cursor = Cursor::new(text);
                    cursor.word().is_some() && cursor.at == text.len()
                };
                let separated = self.snippets.enums.get(id).is_some_and(|e| e.bit_separator.is_some());
                if separated || bare(&text) { text } else { quote(&text) }
            }
            (_, other) => return fail(format!("{} cannot be a parameter", other.variant_name())),
        })
    }

    fn print_type(&self, t: &TypeRef<H>) -> Result<String, Refusal> {
        match self.type_text(t) {
            text if text.is_empty() => {
                fail("a parameter is a type that the IR does not have, so it cannot be written")
            }
            text => Ok(text),
        }
    }

    fn print_attr(&self, a: &AttrRef<H>) -> Result<String, Refusal> {
        match self.attr_text(a) {
            text if text.is_empty() => {
                fail("a parameter is an attribute that the IR does not have, so it cannot be written")
            }
            text => Ok(text),
        }
    }
}

/// Splits a shape (`4x?x`) from the element type that follows it.
fn sizes(mut text: &str) -> (Vec<Option<i64>>, &str) {
    let mut sizes = Vec::new();
    while let Some((size, rest)) = text.split_once('x') {
        match (size, size.parse()) {
            ("?", _) => sizes.push(None),
            (_, Ok(size)) => sizes.push(Some(size)),
            _ => break,
        }
        text = rest;
    }
    (sizes, text)
}

fn integer(text: &str) -> Option<i128> {
    let (negative, digits) =
        text.strip_prefix('-').map_or((false, text), |digits| (true, digits.trim_start()));
    let value = match (digits, digits.strip_prefix("0x")) {
        ("true", _) => 1,
        ("false", _) => 0,
        (_, Some(digits)) => i128::from_str_radix(digits, 16).ok()?,
        _ => digits.parse().ok()?,
    };
    Some(if negative { -value } else { value })
}
