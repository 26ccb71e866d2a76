//! The result types of new operations.
//!
//! Specification: the results of a new operation have the types that the C++ builder of the operation gives to them.
//!
//! The types come from the operands, from the attributes, or from the definition of the operation.

use super::builder::{Defined, build};
use super::error;
use super::helper::Helper;
use super::return_types;
use super::session::{Reported, Try};
use super::steps::{Expression, Steps};
use super::value::TypedSource;
use crate::frontend::cxx::{Expected, Text};
use crate::frontend::ods::{ArgKind, Op, Recipe, SELF};
use crate::host::Kind;
use crate::pdl::{LocationSpec, ResultTypes, Source, Step};
use crate::snippet::Ty;
use crate::source::Span;

/// For all results, the type of the first operand.
pub(super) fn of_first_operand(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    arguments: &[TypedSource],
    span: Span,
) -> Try<ResultTypes> {
    let is_operand = |kind: ArgKind| matches!(kind, ArgKind::Operand(_));
    let arg = op.args.iter().position(|arg| is_operand(arg.kind)).ok_or(Reported)?;
    let ty = of_argument(steps, op, arg, arguments, span)?;
    Ok(ResultTypes::Listed(vec![ty; op.results.len()]))
}

/// For all results, the type of the first attribute or, if it is a `TypeAttr`, the type that it holds.
pub(super) fn of_first_attribute(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    arguments: &[TypedSource],
    span: Span,
) -> Try<ResultTypes> {
    let ty = of_attribute(steps, op, 0, arguments, span)?;
    Ok(ResultTypes::Listed(vec![ty; op.results.len()]))
}

/// Returns the result types that the definition of an operation determines: by recipes, by C++ code for type inference
/// if it compiles, or by a builder. If a builder determines them, also returns the arguments that the builder sets. If
/// the builder is compiled as a function that creates the operation, returns only this operation.
pub(super) fn by_definition<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &Op<'a>,
    arguments: &[TypedSource],
    location: &LocationSpec,
    span: Span,
) -> Try<Defined> {
    if let Some(recipes) = &op.inferred {
        return inferred(steps, op, recipes, arguments, span).map(Defined::Types);
    }
    if op.infers_in_cpp
        && let Some(types) = return_types::infer(steps, op, arguments, span)?
    {
        return Ok(Defined::Types(types));
    }
    if let Some(built) = build(steps, op, arguments, location, span)? {
        return Ok(built);
    }
    // Linking requires a registered type inference.
    Ok(Defined::Types(ResultTypes::Inferred))
}

fn argument(arguments: &[TypedSource], arg: usize) -> Try<TypedSource> {
    arguments.get(arg).copied().ok_or(Reported)
}

/// The type of an argument. For a range of values, this is the type of the first value; for a `TypeAttr`, it is the
/// type that the attribute holds.
fn of_argument(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    arg: usize,
    arguments: &[TypedSource],
    span: Span,
) -> Try<Source> {
    let value = argument(arguments, arg)?;
    match (op.args[arg].kind, value.kind) {
        (ArgKind::Operand(_), Kind::Value) => Ok(steps.type_of(value.source, Kind::Type).source),
        (ArgKind::Operand(_), _) => {
            Ok(steps.helper(Helper::FirstType, vec![value.named("$0")], span)?.source)
        }
        (ArgKind::Attribute(index), _) => of_attribute(steps, op, index, arguments, span),
        (ArgKind::Property(_), _) => Err(steps.rule.fail(error::type_from_property(&op.name, span, op.span))),
    }
}

/// The type of attribute `index` or, if it is a `TypeAttr`, the type that it holds.
fn of_attribute(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    index: usize,
    arguments: &[TypedSource],
    span: Span,
) -> Try<Source> {
    let arg = op.args.iter().position(|arg| arg.kind == ArgKind::Attribute(index)).ok_or(Reported)?;
    let value = argument(arguments, arg)?;
    let helper = if op.attributes[index].spec.is_type { Helper::HeldType } else { Helper::TypeOfAttr };
    Ok(steps.helper(helper, vec![value.named("$0")], span)?.source)
}

/// The result types that the recipes of a definition compute.
fn inferred(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    recipes: &[Recipe<'_>],
    arguments: &[TypedSource],
    span: Span,
) -> Try<ResultTypes> {
    let mut types: Vec<Option<Source>> = vec![None; recipes.len()];
    // The type of a result may depend on the type of a later result, so several rounds may be necessary.
    for _ in 0..recipes.len() {
        for (i, recipe) in recipes.iter().enumerate() {
            if types[i].is_some() {
                continue;
            }
            let (from, transform) = match *recipe {
                Recipe::Fixed(text) => {
                    types[i] = Some(fixed(steps, text, span)?);
                    continue;
                }
                Recipe::Arg { arg, transform } => (of_argument(steps, op, arg, arguments, span)?, transform),
                Recipe::Result { result, transform } => match types[result] {
                    Some(ty) => (ty, transform),
                    None => continue,
                },
            };
            types[i] = Some(transformed(steps, from, transform, span)?);
        }
    }
    let determined = |ty: Option<Source>| ty.expect("the recipes of a definition do not form a cycle");
    Ok(ResultTypes::Listed(types.into_iter().map(determined).collect()))
}

fn fixed(steps: &mut Steps<'_, '_, '_, '_>, text: &str, span: Span) -> Try<Source> {
    let value = steps.rule.session.constant_of(text, Expected::Kind(Kind::Type), span)?;
    let to = steps.new_local(Kind::Type);
    steps.push(Step::Type { value, to });
    Ok(Source::Local(to))
}

fn transformed(steps: &mut Steps<'_, '_, '_, '_>, from: Source, transform: &str, span: Span) -> Try<Source> {
    if transform.trim() == SELF {
        return Ok(from);
    }
    let text = Text::new(transform, span);
    let from = TypedSource { ty: Ty::TYPE, ..TypedSource::new(from, Kind::Type) };
    let expression = Expression { text: &text, span, expected: Expected::Kind(Kind::Type), native: "" };
    Ok(steps.value(expression, &[from.named(SELF)])?.source)
}
