//! The host's side of a call: conversion of arguments and results, and answers to queries.

use std::sync::Arc;

use rhai::{Array, Dynamic, Map};

use super::call::{Call, Number, Object, Query, QueryOf};
use super::value::{Absent, ScriptAttr, ScriptLocation, ScriptOp, ScriptType, ScriptValue, describe};
use crate::host::{
    AttrKind, AttrSpec, ElementValue, Entity, Facets, IrMut, Kind, NamedAttr, NewOp, OpState, Rewriter,
    TypeKind, TypeSpec, uses_of,
};
use crate::number::{ApFloat, ApInt};

/// Converts an argument. Null becomes `()`.
pub(super) fn to_script<H: Facets>(call: &Arc<Call<H>>, entity: &Entity<H>) -> Dynamic {
    match entity {
        Entity::Op(op) => Dynamic::from(ScriptOp::new(*op, call)),
        Entity::Value(value) => optional(value.map(|value| ScriptValue::new(value, call))),
        Entity::Values(all) => list(all.iter().map(|&value| ScriptValue::new(value, call))),
        Entity::Type(ty) => Dynamic::from(ScriptType::new(*ty, call)),
        Entity::Types(all) => list(all.iter().map(|&ty| ScriptType::new(ty, call))),
        Entity::Attr(attr) => optional(attr.map(|attr| ScriptAttr::new(attr, call))),
        Entity::Attrs(all) => list(all.iter().map(|&attr| ScriptAttr::new(attr, call))),
        Entity::Int(value) => Dynamic::from(*value),
        Entity::Bool(value) => Dynamic::from(*value),
        Entity::Str(text) => Dynamic::from(text.to_string()),
        Entity::ApInt(value) => Dynamic::from(value.clone()),
        Entity::ApFloat(value) => Dynamic::from(*value),
        Entity::Location(location) => Dynamic::from(ScriptLocation::<H>(*location)),
    }
}

pub(super) fn all_to_script<H: Facets>(call: &Arc<Call<H>>, entities: &[Entity<H>]) -> Vec<Dynamic> {
    entities.iter().map(|entity| to_script(call, entity)).collect()
}

/// The arguments of a type inference: the operands, and a map of the attributes.
pub(super) fn new_op_to_script<H: Facets>(call: &Arc<Call<H>>, new: &NewOp<'_, H>) -> Vec<Dynamic> {
    let attributes: Map = new
        .attributes
        .iter()
        .map(|&(name, attr)| (name.into(), Dynamic::from(ScriptAttr::new(attr, call))))
        .collect();
    vec![list(new.operands.iter().map(|&value| ScriptValue::new(value, call))), attributes.into()]
}

fn optional<T: Clone + Send + Sync + 'static>(value: Option<T>) -> Dynamic {
    value.map_or(Dynamic::UNIT, Dynamic::from)
}

fn list<T: Clone + Send + Sync + 'static>(items: impl Iterator<Item = T>) -> Dynamic {
    Dynamic::from(items.map(Dynamic::from).collect::<Array>())
}

/// Converts the result of a script to entities of these kinds. Several results form an array.
///
/// # Errors
/// The result has another kind, or is not an array of the right length.
pub(super) fn from_script_all<H: Facets>(
    host: &H,
    value: Dynamic,
    kinds: &[Option<Kind>],
) -> Result<Vec<Entity<H>>, String> {
    match kinds {
        [] => Ok(Vec::new()),
        [kind] => Ok(vec![from_script(host, value, *kind)?]),
        several => {
            let actual = describe::<H>(&value);
            let error = || format!("it returns {actual}, not an array of {} elements", several.len());
            let items = value.try_cast::<Array>().ok_or_else(error)?;
            if items.len() != several.len() {
                return Err(format!(
                    "it returns an array of {} elements, not of {}",
                    items.len(),
                    several.len()
                ));
            }
            items.into_iter().zip(several).map(|(item, &kind)| from_script(host, item, kind)).collect()
        }
    }
}

/// The kind of the entity that a script value stands for; `None` if it stands for no entity. An array stands for a
/// range, and an empty array for a range of values.
fn natural_kind<H: Facets>(value: &Dynamic) -> Option<Kind> {
    let Some(items) = value.read_lock::<Array>() else { return kind_of_one::<H>(value) };
    let Some(first) = items.first() else { return Some(Kind::Values) };
    let kind = kind_of_one::<H>(first)?;
    match kind {
        _ if items.iter().any(|item| kind_of_one::<H>(item) != Some(kind)) => None,
        Kind::Op | Kind::Value => Some(Kind::Values),
        Kind::Type => Some(Kind::Types),
        Kind::Attr => Some(Kind::Attrs),
        _ => None,
    }
}

/// The kind of the entity that a script value other than an array stands for.
fn kind_of_one<H: Facets>(value: &Dynamic) -> Option<Kind> {
    Some(match value {
        value if value.is::<ScriptOp<H>>() => Kind::Op,
        value if value.is::<ScriptValue<H>>() => Kind::Value,
        value if value.is::<ScriptType<H>>() => Kind::Type,
        value if value.is::<ScriptAttr<H>>() || value.is_unit() => Kind::Attr,
        value if value.is::<ScriptLocation<H>>() => Kind::Location,
        value if value.is::<ApInt>() => Kind::ApInt,
        value if value.is::<ApFloat>() => Kind::ApFloat,
        value if value.is_int() => Kind::Int,
        value if value.is_bool() => Kind::Bool,
        value if value.is_string() => Kind::Str,
        _ => return None,
    })
}

/// Converts a result of a script to an entity of a kind; `None` stands for any kind.
fn from_script<H: Facets>(host: &H, value: Dynamic, kind: Option<Kind>) -> Result<Entity<H>, String> {
    if let Some(absent) = value.read_lock::<Absent>() {
        let (kind, text) = (absent.kind, &absent.text);
        return Err(format!(
            "it returns the {kind} `{text}`, which the IR does not contain, and a constraint cannot create it; \
             let a rewrite create it"
        ));
    }
    let error = || format!("it returns {}, which rules cannot use", describe::<H>(&value));
    let kind = match kind {
        Some(kind) => kind,
        None => natural_kind::<H>(&value).ok_or_else(error)?,
    };
    let actual = describe::<H>(&value);
    let error = || format!("it returns {actual} instead of {kind}");
    let items = |value: Dynamic, kind: Kind| -> Result<Vec<Entity<H>>, String> {
        let items = value.try_cast::<Array>().ok_or_else(error)?;
        items.into_iter().map(|item| from_script(host, item, Some(kind))).collect()
    };
    Ok(match kind {
        Kind::Op => Entity::Op(value.try_cast::<ScriptOp<H>>().ok_or_else(error)?.id),
        Kind::Value if value.is_unit() => Entity::Value(None),
        Kind::Value => match value.clone().try_cast::<ScriptOp<H>>() {
            Some(op) if host.result_count(op.id) == 1 => Entity::Value(Some(host.result(op.id, 0))),
            _ => Entity::Value(Some(value.try_cast::<ScriptValue<H>>().ok_or_else(error)?.id)),
        },
        Kind::Values => {
            let all = items(value, Kind::Value)?.into_iter();
            Entity::Values(
                all.filter_map(|item| if let Entity::Value(value) = item { value } else { None }).collect(),
            )
        }
        Kind::Type => Entity::Type(value.try_cast::<ScriptType<H>>().ok_or_else(error)?.id),
        Kind::Types => {
            let all = items(value, Kind::Type)?.into_iter();
            Entity::Types(
                all.filter_map(|item| if let Entity::Type(ty) = item { Some(ty) } else { None }).collect(),
            )
        }
        Kind::Attr if value.is_unit() => Entity::Attr(None),
        Kind::Attr => Entity::Attr(Some(value.try_cast::<ScriptAttr<H>>().ok_or_else(error)?.id)),
        Kind::Attrs => {
            let all = items(value, Kind::Attr)?.into_iter();
            Entity::Attrs(
                all.filter_map(|item| if let Entity::Attr(attr) = item { attr } else { None }).collect(),
            )
        }
        Kind::Int => Entity::Int(value.as_int().map_err(|_| error())?),
        Kind::Bool => Entity::Bool(value.as_bool().map_err(|_| error())?),
        Kind::Str => Entity::Str(value.into_string().map_err(|_| error())?.into()),
        Kind::ApInt => Entity::ApInt(value.try_cast::<ApInt>().ok_or_else(error)?),
        Kind::ApFloat => Entity::ApFloat(value.try_cast::<ApFloat>().ok_or_else(error)?),
        Kind::Location => Entity::Location(value.try_cast::<ScriptLocation<H>>().ok_or_else(error)?.0),
    })
}

/// Answers a query while matching. A type or attribute that the host does not have becomes [`Absent`].
///
/// # Errors
/// The query is invalid.
pub(super) fn answer<H: Facets>(
    host: &H,
    call: &Arc<Call<H>>,
    query: &QueryOf<H>,
) -> Result<Dynamic, String> {
    let attr = |attr: Option<H::Attr>| attr.map(|attr| Dynamic::from(ScriptAttr::new(attr, call)));
    let found_attr = |found: Option<H::Attr>, text: &dyn Fn() -> String| {
        attr(found).unwrap_or_else(|| Dynamic::from(Absent { kind: Kind::Attr, text: text() }))
    };
    Ok(match query {
        Query::Property(name, Object::Op(op)) => op_property(host, call, name, *op),
        Query::Property(name, Object::Value(value)) => value_property(host, call, name, *value),
        Query::Property(name, Object::Type(ty)) => type_property(host, call, name, *ty),
        Query::Property(name, Object::Attr(attr)) => attr_property(host, call, name, *attr),
        Query::OpAttr(op, name) => {
            let found = host.find_attr_name(name).and_then(|name| host.attr(*op, name));
            attr(found).unwrap_or(Dynamic::UNIT)
        }
        Query::Type(text) => match host.find_type(&TypeSpec::Text(text.to_string())) {
            Some(ty) => Dynamic::from(ScriptType::new(ty, call)),
            None => Dynamic::from(Absent { kind: Kind::Type, text: text.to_string() }),
        },
        Query::Attr(text) => {
            found_attr(host.find_attr(&AttrSpec::Text(text.to_string())), &|| text.to_string())
        }
        Query::StringAttr(text) => {
            found_attr(host.find_attr(&AttrSpec::String(text.to_string())), &|| format!("{text:?}"))
        }
        Query::IntAttr(value, ty) => {
            let spec = int_attr(host, value, *ty)?;
            found_attr(host.find_attr(&spec), &|| format!("{value} : {}", host.type_text(*ty)))
        }
        Query::Create(_) => return Err("a constraint cannot create operations".to_owned()),
    })
}

/// Answers a query while rewriting, and creates operations, types and attributes.
///
/// # Errors
/// The query is invalid, or the host cannot create the operation.
pub(super) fn answer_mut<H: Facets + IrMut>(
    rewriter: &mut Rewriter<'_, H>,
    call: &Arc<Call<H>>,
    query: &QueryOf<H>,
) -> Result<Dynamic, String> {
    match query {
        Query::Create(new) => {
            let root = rewriter.root();
            let location = rewriter.host().location(root);
            let host = rewriter.host_mut();
            let name = host.bind_op_name(&new.name);
            let attributes: Vec<_> = new
                .attributes
                .iter()
                .map(|(name, value)| NamedAttr {
                    name: host.bind_attr_name(name),
                    value: *value,
                    inherent: false,
                })
                .collect();
            let state = OpState {
                name,
                operands: &new.operands,
                result_types: &new.types,
                attributes: &attributes,
                regions: 0,
                location,
            };
            let op = rewriter.create(&state).map_err(|refusal| refusal.to_string())?;
            Ok(Dynamic::from(ScriptOp::new(op, call)))
        }
        query => answer_making(rewriter.host_mut(), call, query),
    }
}

/// Answers a query, and creates types and attributes that the host does not have.
///
/// # Errors
/// The query is invalid, or the host cannot create the type or attribute.
pub(super) fn answer_making<H: Facets>(
    host: &mut H,
    call: &Arc<Call<H>>,
    query: &QueryOf<H>,
) -> Result<Dynamic, String> {
    let spec = match query {
        Query::Type(text) => {
            let ty = host.make_type(&TypeSpec::Text(text.to_string()));
            let ty = ty.ok_or_else(|| format!("the IR cannot have the type `{text}`"))?;
            return Ok(Dynamic::from(ScriptType::new(ty, call)));
        }
        Query::Attr(text) => AttrSpec::Text(text.to_string()),
        Query::StringAttr(text) => AttrSpec::String(text.to_string()),
        Query::IntAttr(value, ty) => int_attr(host, value, *ty)?,
        query => return answer(host, call, query),
    };
    let attr = host.make_attr(&spec).ok_or_else(|| match query {
        Query::Attr(text) => format!("the IR cannot have the attribute `{text}`"),
        _ => "the IR cannot have this attribute".to_owned(),
    })?;
    Ok(Dynamic::from(ScriptAttr::new(attr, call)))
}

/// The specification of an integer attribute. A fixed-width integer must have the width of the type. Any other integer
/// must fit this width as a signed or as an unsigned integer.
fn int_attr<H: Facets>(host: &H, value: &Number, ty: H::Type) -> Result<AttrSpec<H::Type, H::Attr>, String> {
    let width = match host.type_kind(ty) {
        TypeKind::Integer { width, .. } => width,
        TypeKind::Index => 64,
        _ => return Err(format!("{} is not an integer type", host.type_text(ty))),
    };
    let value = match value {
        Number::Any(value) if fits(*value, width) => ApInt::from_i64(width, *value),
        Number::Any(value) => {
            return Err(format!(
                "{value} does not fit {}; use `.fixed`, whose arithmetic wraps around",
                host.type_text(ty)
            ));
        }
        Number::Fixed(value) if value.width() == width => value.clone(),
        Number::Fixed(value) => {
            return Err(format!(
                "an integer of {} bits is not of type {}",
                value.width(),
                host.type_text(ty)
            ));
        }
    };
    Ok(AttrSpec::Integer(value, ty))
}

/// True if an integer fits a width as a signed or as an unsigned integer.
fn fits(value: i64, width: u32) -> bool {
    let value = i128::from(value);
    width >= 64 || (-(1 << width.saturating_sub(1))..1 << width).contains(&value)
}

fn op_property<H: Facets>(host: &H, call: &Arc<Call<H>>, name: &str, op: H::Op) -> Dynamic {
    match name {
        "operands" => list((0..host.operand_count(op)).map(|i| ScriptValue::new(host.operand(op, i), call))),
        "results" => list((0..host.result_count(op)).map(|i| ScriptValue::new(host.result(op, i), call))),
        _ => Dynamic::from(host.op_name_text(host.op_name(op))),
    }
}

fn value_property<H: Facets>(host: &H, call: &Arc<Call<H>>, name: &str, value: H::Value) -> Dynamic {
    match name {
        "type" => Dynamic::from(ScriptType::new(host.value_type(value), call)),
        "op" => optional(host.defining_op(value).map(|op| ScriptOp::new(op, call))),
        "uses" => i64::try_from(uses_of(host, value).count()).map_or(Dynamic::UNIT, Dynamic::from),
        _ => Dynamic::from(format!("a value of type {}", host.type_text(host.value_type(value)))),
    }
}

fn type_property<H: Facets>(host: &H, call: &Arc<Call<H>>, name: &str, ty: H::Type) -> Dynamic {
    let kind = host.type_kind(ty);
    let shaped = match kind {
        TypeKind::Vector { element, rank }
        | TypeKind::RankedTensor { element, rank }
        | TypeKind::MemRef { element, rank } => Some((element, Some(rank))),
        TypeKind::UnrankedTensor(element) | TypeKind::UnrankedMemRef(element) => Some((element, None)),
        _ => None,
    };
    match name {
        "class" => Dynamic::from(kind.class_name()),
        "width" => optional(kind.bit_width().map(i64::from)),
        // The result of `getElementTypeOrSelf`.
        "element" => Dynamic::from(ScriptType::new(shaped.map_or(ty, |(element, _)| element), call)),
        "rank" => optional(shaped.and_then(|(_, rank)| rank).map(i64::from)),
        "shape" => match shaped {
            Some((_, Some(rank))) => list((0..rank).map(|dim| optional(host.type_dim(ty, dim)))),
            _ => Dynamic::UNIT,
        },
        _ => Dynamic::from(host.type_text(ty)),
    }
}

fn attr_property<H: Facets>(host: &H, call: &Arc<Call<H>>, name: &str, attr: H::Attr) -> Dynamic {
    let element = |value: ElementValue<H::Attr>| match value {
        ElementValue::Attr(attr) => Dynamic::from(ScriptAttr::new(attr, call)),
        ElementValue::Int(value) => Dynamic::from(value),
        ElementValue::Float(value) => Dynamic::from(value),
        ElementValue::Str(text) => Dynamic::from(text),
    };
    let kind = host.attr_kind(attr);
    match name {
        "class" => Dynamic::from(match kind {
            AttrKind::Unit => "unit",
            AttrKind::DenseElements { .. } => "elements",
            AttrKind::DenseArray { .. } => "dense array",
            AttrKind::AffineMap => "affine map",
            _ if host.attr_int(attr).is_some() => "integer",
            _ if host.attr_float(attr).is_some() => "float",
            _ if host.attr_held_type(attr).is_some() => "type",
            _ if host.attr_string(attr).is_some() => "string",
            _ => "other",
        }),
        "type" => {
            let ty = host.attr_type(attr).or_else(|| host.attr_held_type(attr));
            optional(ty.map(|ty| ScriptType::new(ty, call)))
        }
        "int" => optional(host.attr_int(attr).and_then(|value| value.to_i64())),
        "fixed" => optional(host.attr_int(attr)),
        "float" => optional(host.attr_float(attr).map(|value| value.to_f64())),
        "string" => optional(host.attr_string(attr)),
        "splat" => match kind {
            AttrKind::DenseElements { splat: true, .. } => {
                host.attr_element(attr, 0).map_or(Dynamic::UNIT, element)
            }
            _ => Dynamic::UNIT,
        },
        "elements" => {
            let all = (0..ELEMENT_LIMIT).map_while(|index| host.attr_element(attr, index));
            Dynamic::from(all.map(element).collect::<Array>())
        }
        _ => Dynamic::from(host.attr_text(attr)),
    }
}

/// The maximum number of elements of an attribute that a script can read.
const ELEMENT_LIMIT: u64 = 100_000;
