//! The adaptor of an operation.
//!
//! In C++, the generated class `X::Adaptor` has the accessors of `X`, and code can use it before the operation exists.
//! Here, an adaptor is a tuple with a field for each accessor whose type is known.

use super::classes::{attr_ty, cxx_ty, optional_range};
use crate::frontend::ods::{ArgKind, Definitions, Op, Sizes, accessor_name};
use crate::pdl::Arity;
use crate::snippet::{Builder, Builtin, CONVERSION_TO_BOOL, Item, Snippets, Ty, TypeError, Typed};

/// A field of an adaptor.
pub(super) struct Field {
    name: String,
    ty: Ty,
    of: Of,
}

/// The value of a field.
enum Of {
    /// All operands.
    Operands,
    /// The argument with this number.
    Argument(usize),
    /// True if the argument with this number, a unit attribute, is present.
    Presence(usize),
    /// The type that the argument with this number, a type attribute, holds.
    HeldType(usize),
    /// The optional range of the elements that the argument with this number, an array attribute, holds.
    HeldRange(usize, Ty),
    /// A tuple of the attributes and of the properties whose type is known.
    Properties(Vec<Field>),
    /// True if the builders of the operation store properties.
    IsPresent(Presence),
}

/// The condition under which the generated builders, which have one parameter for each argument, store properties.
enum Presence {
    Always,
    /// One of the arguments with these numbers is not null.
    Any(Vec<usize>),
}

impl Presence {
    fn of(op: &Op<'_>) -> Self {
        let mut optional = Vec::new();
        for (number, arg) in op.args.iter().enumerate() {
            match arg.kind {
                ArgKind::Operand(_) => {}
                ArgKind::Property(_) => return Self::Always,
                ArgKind::Attribute(index) => {
                    let spec = &op.attributes[index].spec;
                    if !spec.optional && spec.default.is_empty() {
                        return Self::Always;
                    }
                    optional.push(number);
                }
            }
        }
        let has_segments = op.operand_sizes == Sizes::Attribute || op.result_sizes == Sizes::Attribute;
        if has_segments { Self::Always } else { Self::Any(optional) }
    }

    /// The condition. `params` yields the values of the arguments in [`Presence::Any`].
    fn value(
        &self,
        b: &mut Builder<'_>,
        params: &mut impl Iterator<Item = Typed>,
    ) -> Result<Typed, TypeError> {
        let Self::Any(arguments) = self else { return b.bool(true) };
        let mut any = b.bool(false)?;
        for param in params.take(arguments.len()) {
            let is_present = b.truth(param)?;
            any = b.or(any, is_present)?;
        }
        Ok(any)
    }
}

/// The fields of the adaptor of an operation.
pub(super) fn fields(snippets: &mut Snippets, defs: &Definitions<'_>, op: &Op<'_>) -> Vec<Field> {
    let operands = Field { name: "getOperands".to_owned(), ty: Ty::range(Item::Value), of: Of::Operands };
    let mut fields = vec![operands];
    let mut properties = Vec::new();
    for (number, arg) in op.args.iter().enumerate() {
        let of = || Of::Argument(number);
        let (value, storage) = match arg.kind {
            ArgKind::Operand(index) => {
                let range = op.operands[index].arity == Arity::Variadic;
                (Some((if range { Ty::range(Item::Value) } else { Ty::VALUE }, of())), None)
            }
            ArgKind::Attribute(index) => {
                let spec = &op.attributes[index].spec;
                let storage = attr_ty(snippets, defs, spec.storage);
                properties.push(Field { name: arg.name.to_owned(), ty: storage, of: of() });
                let value_ty = match spec.reads_held_value() {
                    true => cxx_ty(snippets, defs, spec.value_type),
                    false => None,
                };
                let held = optional_range(snippets, defs, spec.value_type);
                let value = match (spec.is_unit(), value_ty) {
                    (false, Some(ty)) if let Some(held) = held => Some((ty, Of::HeldRange(number, held))),
                    (true, _) => Some((Ty::BOOL, Of::Presence(number))),
                    (_, Some(ty @ Ty { item: Item::Type(_), .. })) => Some((ty, Of::HeldType(number))),
                    (_, ty) => ty.map(|ty| (ty, of())),
                };
                (value, Some(storage))
            }
            ArgKind::Property(index) => {
                let ty = cxx_ty(snippets, defs, op.properties[index].accessor_type);
                properties.extend(ty.map(|ty| Field { name: arg.name.to_owned(), ty, of: of() }));
                (ty.map(|ty| (ty, of())), None)
            }
        };
        if arg.name.is_empty() {
            continue;
        }
        let accessor = accessor_name("get", arg.name);
        fields.extend(storage.map(|ty| Field { name: format!("{accessor}Attr"), ty, of: of() }));
        fields.extend(value.map(|(ty, of)| Field { name: accessor, ty, of }));
    }
    // A pointer to the properties converts to `bool`.
    let of = Of::IsPresent(Presence::of(op));
    properties.push(Field { name: CONVERSION_TO_BOOL.to_owned(), ty: Ty::BOOL, of });
    let ty = tuple(snippets, op, "Properties", &properties);
    fields.push(Field { name: "getProperties".to_owned(), ty, of: Of::Properties(properties) });
    fields
}

fn tuple(snippets: &mut Snippets, op: &Op<'_>, class: &str, fields: &[Field]) -> Ty {
    let name = format!("{}::{class}", op.qualified_class());
    let fields: Vec<(&str, Ty)> = fields.iter().map(|field| (field.name.as_str(), field.ty)).collect();
    Ty::one(Item::Tuple(snippets.tuple(Some(&name), &fields)))
}

/// The type of the adaptor of an operation.
pub(super) fn adaptor_ty(snippets: &mut Snippets, defs: &Definitions<'_>, op: &Op<'_>) -> Ty {
    let fields = fields(snippets, defs, op);
    tuple(snippets, op, "Adaptor", &fields)
}

/// The type of the class of properties of an operation.
pub(super) fn properties_ty(snippets: &mut Snippets, defs: &Definitions<'_>, op: &Op<'_>) -> Option<Ty> {
    let fields = fields(snippets, defs, op);
    fields.into_iter().find(|field| matches!(field.of, Of::Properties(_))).map(|field| field.ty)
}

/// The values that a parameter of a snippet receives: all operands, or one argument.
#[derive(Clone, Copy)]
pub(super) enum Source {
    Operands,
    Argument(usize),
}

/// Appends to `all` the parameters that the fields need, in the order of the fields.
pub(super) fn params(fields: &[Field], all: &mut Vec<(Source, Ty)>) {
    for field in fields {
        match &field.of {
            Of::Operands => all.push((Source::Operands, field.ty)),
            Of::Argument(number) => all.push((Source::Argument(*number), field.ty)),
            Of::Presence(number) | Of::HeldType(number) | Of::HeldRange(number, _) => {
                all.push((Source::Argument(*number), Ty::ATTR))
            }
            Of::Properties(fields) => params(fields, all),
            Of::IsPresent(Presence::Always) => {}
            Of::IsPresent(Presence::Any(numbers)) => {
                all.extend(numbers.iter().map(|&number| (Source::Argument(number), Ty::ATTR)));
            }
        }
    }
}

/// The tuple with these fields. `params` yields the values of the parameters that the fields need.
pub(super) fn value(
    b: &mut Builder<'_>,
    ty: Ty,
    fields: &[Field],
    params: &mut impl Iterator<Item = Typed>,
) -> Result<Typed, TypeError> {
    let mut values = Vec::new();
    for field in fields {
        if let Of::Properties(fields) = &field.of {
            values.push(value(b, field.ty, fields, params)?);
            continue;
        }
        if let Of::IsPresent(presence) = &field.of {
            values.push(presence.value(b, params)?);
            continue;
        }
        let Some(param) = params.next() else { return b.null(ty) };
        values.push(match field.of {
            Of::Presence(_) => b.truth(param)?,
            Of::HeldType(_) => {
                let held = b.algorithm(Builtin::AttrHeldType, &[param], field.ty)?;
                let none = b.null(field.ty)?;
                b.select(param, held, none)?
            }
            Of::HeldRange(_, held) => Typed { ty: field.ty, ..b.held_value(param, held)? },
            _ => param,
        });
    }
    let Item::Tuple(id) = ty.item else { return b.null(ty) };
    b.tuple(id, &values)
}
