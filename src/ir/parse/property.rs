//! Converts the attributes that a text states for properties to the attributes that MLIR prints for them.
//!
//! Specification: an attribute `a` of a property is stored as `convertToAttribute(convertFromAttribute(a))`, with the
//! functions of the property in MLIR. For example, an `I64Prop` that is written `5 : i32` is stored as `5 : i64`. An
//! attribute that `convertFromAttribute` rejects is an error. A property that the text omits gets its default or,
//! without a default, the value-initialised value of its C++ type, such as 0. If only C++ code can compute this value,
//! the property stays absent.
//!
//! If C++ code of the definition converts a property ([`PropertyEncoding::Cxx`]), its attribute is stored as it is
//! written.

use std::borrow::Cow;

use super::lexer::Token;
use super::parser::Parser;
use crate::host::OpNameId;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::PropertyEncoding;
use crate::ir::error::{self, ParseResult};
use crate::ir::ids::AttrId;
use crate::ir::verbatim::after_class;
use crate::number::ApInt;

impl Parser<'_> {
    /// The properties of an operation, from the attributes in its text. `token` is the name of the operation.
    pub(super) fn stored_properties(
        &mut self,
        name: OpNameId,
        properties: AttrId,
        token: Token,
    ) -> ParseResult<AttrId> {
        let bound = self.context.syntax(name).filter(|bound| !bound.syntax.properties.is_empty());
        let Some(bound) = bound.cloned() else { return Ok(properties) };
        let is_dictionary = matches!(self.context.attr_kind(properties), AttrKind::Dictionary(_));
        if !is_dictionary && properties != Context::EMPTY_PROPERTIES {
            return Ok(properties);
        }
        let mut entries = self.context.entries(properties).to_vec();
        let mut changed = false;
        let definitions = bound.property_names.iter().zip(&bound.syntax.properties);
        for ((&property, definition), initial) in definitions.zip(&bound.initial_properties) {
            let Some(entry) = entries.iter_mut().find(|entry| entry.0 == property) else {
                entries.extend(initial.map(|value| (property, value)));
                changed |= initial.is_some();
                continue;
            };
            let stored = match stored(self.context, &definition.attribute_encoding, entry.1) {
                Ok(stored) => stored,
                Err(expected) => {
                    let op = self.context.op_name_text(name);
                    let found = self.context.brief_attr(entry.1);
                    let span = self.token_span(token);
                    return Err(error::wrong_property(&definition.name, op, &expected, &found, span));
                }
            };
            changed |= std::mem::replace(&mut entry.1, stored) != stored;
        }
        Ok(if changed { self.context.dictionary(&mut entries) } else { properties })
    }
}

/// Converts an attribute to the value of a property, and the value to the attribute that is stored. The error is the
/// kind of attribute that the property needs.
fn stored(context: &mut Context, form: &PropertyEncoding, attr: AttrId) -> Result<AttrId, Cow<'static, str>> {
    let kind = context.attr_kind(attr);
    match (form, kind) {
        (PropertyEncoding::Cxx, _) => Ok(attr),
        (PropertyEncoding::Unit, AttrKind::Unit) => Ok(attr),
        (PropertyEncoding::Unit | PropertyEncoding::Bool, AttrKind::Integer { value, ty })
            if context.type_kind(*ty).is_signless(1) =>
        {
            let value = !value.is_zero();
            let is_unit = value && *form == PropertyEncoding::Unit;
            Ok(if is_unit { Context::UNIT } else { context.bool_attr(value) })
        }
        (PropertyEncoding::Unit, _) => Err("'unit' or a Boolean".into()),
        (PropertyEncoding::Bool, _) => Err("a Boolean".into()),
        (&PropertyEncoding::Integer { width, signed }, AttrKind::Integer { value, .. }) => {
            // As in MLIR, the value is first converted to 64 bits.
            let value = if signed { value.sext_or_trunc(u64::BITS) } else { value.zext_or_trunc(u64::BITS) };
            Ok(integer(context, value.zext_or_trunc(width)))
        }
        (PropertyEncoding::Integer { .. }, _) => Err("an integer".into()),
        (PropertyEncoding::Enum { cases, .. }, AttrKind::Integer { value, .. }) => {
            let value = value.zext_or_trunc(u64::BITS).zext_or_trunc(cases.width);
            Ok(integer(context, value))
        }
        (PropertyEncoding::Enum { class, cases }, _) => {
            let text = context.exact_attr_text(attr);
            let body = text.strip_prefix('#').and_then(|text| after_class(text, class));
            let value = body.and_then(|body| cases.value(in_angles(body)));
            let value = value.ok_or("an integer, or an attribute with a case of its enumeration")?;
            Ok(integer(context, ApInt::from_i64(cases.width, value)))
        }
        (PropertyEncoding::Str, &AttrKind::String { text, .. }) => {
            Ok(context.intern_attr(AttrKind::String { text, ty: None }))
        }
        (PropertyEncoding::Str, _) => Err("a string".into()),
        (PropertyEncoding::Optional(inner), AttrKind::Array(items)) if items.len() <= 1 => {
            list(context, inner, items.to_vec())
        }
        (PropertyEncoding::Optional(_), _) => Err("an array with at most one attribute".into()),
        (PropertyEncoding::List(inner), AttrKind::Array(items)) => list(context, inner, items.to_vec()),
        (PropertyEncoding::List(_), _) => Err("an array".into()),
        (&PropertyEncoding::IntegerList(width), &AttrKind::DenseArray { element, .. })
            if context.type_kind(element).is_signless(width) =>
        {
            Ok(attr)
        }
        (PropertyEncoding::IntegerList(width), _) => Err(format!("an 'array<i{width}>'").into()),
    }
}

fn integer(context: &mut Context, value: ApInt) -> AttrId {
    let ty = context.signless(value.width());
    context.intern_attr(AttrKind::Integer { value, ty })
}

/// The text in angle brackets, or the text if it has no brackets.
fn in_angles(text: &str) -> &str {
    let text = text.trim();
    text.strip_prefix('<').and_then(|text| text.strip_suffix('>')).unwrap_or(text).trim()
}

fn list(
    context: &mut Context,
    form: &PropertyEncoding,
    items: Vec<AttrId>,
) -> Result<AttrId, Cow<'static, str>> {
    let items: Vec<AttrId> =
        items.into_iter().map(|item| stored(context, form, item)).collect::<Result<_, _>>()?;
    Ok(context.intern_attr(AttrKind::Array(items.into())))
}
