//! Conversion between values of the snippet language and entities of the host.

use super::error::fail;
use super::number::double;
use super::value::{AttrRef, TypeRef, Val};
use crate::host::{Entity, Facets, Kind, Refusal};
use crate::snippet::data::{Item, Ty};

/// Converts an entity to a value.
pub(super) fn from_entity<H: Facets>(entity: Entity<H>) -> Val<H> {
    match entity {
        Entity::Op(op) => Val::Op(op),
        Entity::Value(v) => v.map_or(Val::Null, Val::Value),
        Entity::Values(vs) => Val::range(vs.into_iter().map(Val::Value).collect()),
        Entity::Type(t) => Val::Type(TypeRef::Host(t)),
        Entity::Types(ts) => Val::range(ts.into_iter().map(|t| Val::Type(TypeRef::Host(t))).collect()),
        Entity::Attr(a) => a.map_or(Val::Null, |a| Val::Attr(AttrRef::Host(a))),
        Entity::Attrs(list) => Val::range(list.into_iter().map(|a| Val::Attr(AttrRef::Host(a))).collect()),
        Entity::Int(i) => Val::Int(i128::from(i)),
        Entity::Bool(b) => Val::Bool(b),
        Entity::Str(text) => Val::Str(text),
        Entity::ApInt(x) => Val::ApInt(x),
        Entity::ApFloat(x) => Val::ApFloat(x),
        Entity::Location(l) => Val::Location(l),
    }
}

const FRESH: &str = "a snippet returns or passes a type or attribute that the IR does not have";

/// Converts a value to an entity of a kind, to pass it to a native or to return it.
pub(super) fn to_entity<H: Facets>(value: Val<H>, kind: Option<Kind>) -> Result<Entity<H>, Refusal> {
    Ok(match value {
        Val::Null => match kind {
            Some(Kind::Value) => Entity::Value(None),
            Some(Kind::Attr) | None => Entity::Attr(None),
            Some(kind) => return fail(format!("null is used as {kind}")),
        },
        Val::Bool(b) => Entity::Bool(b),
        Val::Int(i) => match i64::try_from(i) {
            Ok(i) => Entity::Int(i),
            Err(_) => return fail("an integer does not fit in 64 bits"),
        },
        Val::Double(d) => Entity::ApFloat(double(d)),
        Val::Str(text) => Entity::Str(text),
        Val::ApInt(x) => Entity::ApInt(x),
        Val::ApFloat(x) => Entity::ApFloat(x),
        Val::Type(TypeRef::Host(t)) => Entity::Type(t),
        Val::Attr(AttrRef::Host(a)) => Entity::Attr(Some(a)),
        Val::Type(TypeRef::Fresh(_)) | Val::Attr(AttrRef::Fresh(_)) => return fail(FRESH),
        Val::Value(v) => Entity::Value(Some(v)),
        Val::Op(op) => Entity::Op(op),
        Val::Location(l) => Entity::Location(l),
        Val::Range(items) => return range_entity(&items, kind),
        other => {
            return fail(format!(
                "a snippet can neither return {} nor pass it to a native",
                other.variant_name()
            ));
        }
    })
}

fn range_entity<H: Facets>(items: &[Val<H>], kind: Option<Kind>) -> Result<Entity<H>, Refusal> {
    let mixed = || {
        Refusal::new(
            "a snippet returns or passes a range that does not consist only of values, only of types or only of attributes",
        )
    };
    let is_fresh = |v: &Val<H>| matches!(v, Val::Type(TypeRef::Fresh(_)) | Val::Attr(AttrRef::Fresh(_)));
    if items.iter().any(is_fresh) {
        return fail(FRESH);
    }
    match (items.first(), kind) {
        (Some(Val::Value(_)), _) | (None, Some(Kind::Values) | None) => {
            let values = items.iter().map(|v| match v {
                Val::Value(v) => Some(*v),
                _ => None,
            });
            values.collect::<Option<Vec<_>>>().map(Entity::Values).ok_or_else(mixed)
        }
        (Some(Val::Type(_)), _) | (None, Some(Kind::Types)) => {
            let types = items.iter().map(|v| match v {
                Val::Type(t) => t.host(),
                _ => None,
            });
            types.collect::<Option<Vec<_>>>().map(Entity::Types).ok_or_else(mixed)
        }
        (Some(Val::Attr(_)), _) | (None, Some(Kind::Attrs)) => {
            let attrs = items.iter().map(|v| match v {
                Val::Attr(a) => a.host(),
                _ => None,
            });
            attrs.collect::<Option<Vec<_>>>().map(Entity::Attrs).ok_or_else(mixed)
        }
        _ => Err(mixed()),
    }
}

/// True for numbers, Booleans, strings and enumerations. If an attribute is passed for a parameter of such a type, the
/// value of the attribute is read.
pub(super) fn is_scalar(ty: Ty) -> bool {
    matches!(
        ty.item,
        Item::Int(_) | Item::Bool | Item::Double | Item::ApInt | Item::ApFloat | Item::Str | Item::Enum(_)
    )
}
