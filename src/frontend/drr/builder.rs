//! Applies the `OpBuilder`s of a definition to the arguments of a new operation.

use super::builder_body::{BuilderCall, read_body};
use super::classes::op_class;
use super::error;
use super::resolve::{Classes, takes};
use super::session::{Session, Try, small};
use super::steps::{Expression, ExpressionOf, Steps};
use super::value::{NamedArg, TypedSource};
use crate::frontend::cxx::{self, Expected, InlineResult, Placeholder, Text};
use crate::frontend::ods::{ArgKind, Builder, BuilderParam, Op};
use crate::host::Kind;
use crate::pdl::{Arity, LocalId, LocationSpec, ResultTypes, Source, Step};
use crate::snippet::{self, Param, SnippetId, SnippetResult, Ty};
use crate::source::Span;

/// The parts of a new operation that its definition determines.
pub(super) enum Defined {
    Types(ResultTypes),
    Built(ResultTypes, Built),
    /// The new operation itself.
    Op(LocalId),
}

/// The arguments and attributes that a builder sets.
#[derive(Default)]
pub(super) struct Built {
    /// The arguments, in the order of the definition; `None` if an argument is not set.
    pub(super) arguments: Vec<Option<TypedSource>>,
    /// Attributes that the definition does not declare.
    pub(super) others: Vec<(String, Source)>,
}

/// Applies the builder that takes the arguments. Returns `None` if no builder takes them. If the body of the builder is
/// not readable or sets no result types, the builder is compiled as a function that creates the operation. If this is
/// not possible, the result types are inferred and the arguments stay as they are.
pub(super) fn build<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &Op<'a>,
    arguments: &[TypedSource],
    location: &LocationSpec,
    span: Span,
) -> Try<Option<Defined>> {
    let count = arguments.len();
    let mut fitting: Vec<&Builder<'a>> = op.builders.iter().filter(|builder| takes(builder, count)).collect();
    if fitting.len() > 1 {
        fitting.retain(|builder| {
            let mut pairs = builder.params.iter().zip(arguments);
            pairs.all(|(param, value)| fits(param, value.kind))
        });
    }
    let builder = match fitting[..] {
        [] => return Ok(None),
        [builder] => builder,
        [first, second, ..] => {
            let error = error::ambiguous_builder(&op.name, span, first.span, second.span);
            return Err(steps.rule.fail(error));
        }
    };
    // A result pattern cannot state successors, so a builder that passes successors counts as not readable.
    let is_readable = |call: &BuilderCall| !call.types.is_empty() && call.arguments.len() <= op.args.len();
    let Some(call) = read_body(op, builder, count).filter(is_readable) else {
        let created = create(steps, op, arguments, location, span);
        return Ok(Some(created.map_or(Defined::Types(ResultTypes::Inferred), Defined::Op)));
    };
    let params = builder.params.iter().zip(arguments).map(|(param, value)| value.named(param.name));
    let params: Vec<NamedArg> = params.collect();
    let mut types = Vec::new();
    let code = |text: &str| Text::new(text, span).with_variables(call.variables.clone());
    for ty in &call.types {
        let text = &code(ty);
        let expression = Expression { text, span, expected: Expected::Any, native: "" };
        match steps.evaluate(expression, &params, ExpressionOf::ResultType)?[..] {
            [ty] if matches!(ty.kind, Kind::Type | Kind::Types) => types.push(ty.source),
            _ => return Err(steps.rule.fail(error::builder_type(&op.name, ty, span, builder.span))),
        }
    }
    let mut built = Built::default();
    for (index, passed) in call.arguments.iter().enumerate() {
        let value = match passed {
            None => unset_argument(steps, op, index, span)?,
            Some(InlineResult::One(text)) => {
                let param = builder.params.iter().position(|param| param.name == text);
                match param.and_then(|param| arguments.get(param)) {
                    Some(&value) => Some(value),
                    None => Some(argument(steps, op, index, &code(text), &params, span)?),
                }
            }
            Some(InlineResult::List(texts)) => {
                let mut parts = Vec::new();
                for text in texts {
                    let text = &code(text);
                    let expression = Expression { text, span, expected: Expected::Any, native: "" };
                    parts.extend(steps.evaluate(expression, &params, ExpressionOf::Other)?);
                }
                if let Some(part) = parts.iter().find(|part| !matches!(part.kind, Kind::Value | Kind::Values))
                {
                    let kind = part.kind.with_article();
                    return Err(steps.rule.fail(error::expected_value("an operand", &kind, span)));
                }
                Some(steps.range(parts.iter().map(|part| part.source).collect()))
            }
        };
        built.arguments.push(value);
    }
    for (name, text) in &call.others {
        let text = &code(text);
        let expression = Expression { text, span, expected: Expected::Kind(Kind::Attr), native: "" };
        let value = steps.evaluate(expression, &params, ExpressionOf::Other)?;
        built.others.extend(value.first().map(|value| (name.clone(), value.source)));
    }
    Ok(Some(Defined::Built(ResultTypes::Listed(types), built)))
}

/// Creates an operation by a builder whose C++ source is known. Returns `None` if there is no such builder, or if it is
/// outside the snippet language.
fn create<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &Op<'a>,
    arguments: &[TypedSource],
    location: &LocationSpec,
    span: Span,
) -> Option<LocalId> {
    let types: Vec<Ty> = arguments.iter().map(|value| value.ty).collect();
    let snippet = steps.rule.session.creation(op, &types, span)?;
    let to = steps.new_local(Kind::Location);
    steps.push(Step::Location { spec: location.clone(), to });
    let location = TypedSource { ty: Ty::LOCATION, ..TypedSource::new(to, Kind::Location) };
    let all = [&[location], arguments].concat();
    let args = (0..).zip(all).map(|(number, value): (usize, _)| value.named(&format!("${number}")));
    match steps.snippet(snippet, args.collect(), Kind::Op, span).source {
        Source::Local(created) => Some(created),
        _ => None,
    }
}

impl Session<'_, '_> {
    /// The snippet that creates an operation from a location and from arguments of these types.
    fn creation(&mut self, op: &Op<'_>, types: &[Ty], span: Span) -> Option<SnippetId> {
        let (defs, snippets) = (self.defs, &mut self.rules.snippets);
        let notation = format!("{}::build {types:?}", op.qualified_class());
        if let Some(&snippet) = self.cache.texts.get(&notation) {
            return Some(snippet);
        }
        let class = op_class(snippets, defs, defs.op_named(&op.name)?);
        let all = [&[Ty::LOCATION], types].concat();
        let param = |(number, ty): (usize, Ty)| Param {
            name: snippets.intern(&format!("${number}")),
            ty,
            out: false,
        };
        let declared = all.into_iter().enumerate().map(param).collect();
        let mut builder = snippet::Builder::new(snippets, declared, span, false);
        let location = builder.param(0).ok()?;
        let args = (1..=small(types.len())).map(|number| builder.param(number).ok());
        let args = args.collect::<Option<Vec<_>>>()?;
        let resolver = Classes { defs, helpers: &self.helpers };
        let created = cxx::build_op(&mut builder, &resolver, class, location, &args)?;
        let snippet = builder.finish(created, SnippetResult::Value(created.ty), &notation);
        self.cache.texts.insert(notation, snippet);
        Some(snippet)
    }
}

/// The default value of an argument that a builder does not set.
fn unset_argument(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    index: usize,
    span: Span,
) -> Try<Option<TypedSource>> {
    let ArgKind::Attribute(index) = op.args[index].kind else { return Ok(None) };
    let spec = op.attributes[index].spec;
    if spec.optional {
        return Ok(None);
    }
    let default = steps.rule.session.default_of(&spec, span)?;
    Ok(default.map(|default| steps.constant(default, spec.storage)))
}

/// The kind of an expression's first result.
fn kind_of(steps: &mut Steps<'_, '_, '_, '_>, text: &Text, args: &[NamedArg]) -> Try<Kind> {
    let params: Vec<Placeholder> = args.iter().map(NamedArg::placeholder).collect();
    let (_, kinds) = steps.rule.session.rewrite_call(text, &params, Expected::Any, "")?;
    Ok(kinds.first().map_or(Kind::Op, |&(kind, _)| kind))
}

/// An argument that a builder computes.
fn argument(
    steps: &mut Steps<'_, '_, '_, '_>,
    op: &Op<'_>,
    index: usize,
    text: &Text,
    params: &[NamedArg],
    span: Span,
) -> Try<TypedSource> {
    let mut attribute = None;
    let expected = match op.args[index].kind {
        ArgKind::Operand(operand) if op.operands[operand].arity == Arity::Variadic => {
            Expected::Kind(Kind::Values)
        }
        ArgKind::Operand(_) => Expected::Kind(Kind::Value),
        ArgKind::Property(property) => {
            Expected::Property(steps.rule.session.property_form(&op.properties[property]))
        }
        ArgKind::Attribute(index) => {
            // A generated builder takes the attribute, or the C++ value from which the attribute is built.
            if kind_of(steps, text, params)? != Kind::Attr {
                let made = op.attributes[index].spec.builder.replace("$0", &format!("({})", text.as_str()));
                attribute = Some(Text::new(&made, span).with_variables(text.variables().to_vec()));
            }
            Expected::Kind(Kind::Attr)
        }
    };
    let text = attribute.as_ref().unwrap_or(text);
    match steps.evaluate(Expression { text, span, expected, native: "" }, params, ExpressionOf::Other)?[..] {
        [value] => Ok(value),
        _ => Err(steps.rule.fail(error::builder_argument(&op.name, text.as_str(), span))),
    }
}

/// True if a parameter accepts a value of a kind.
fn fits(param: &BuilderParam<'_>, kind: Kind) -> bool {
    let ty = param.ty.trim_end_matches(['&', ' ', '*']);
    let ty = ty.rsplit("::").next().unwrap_or(ty);
    match kind {
        Kind::Value => matches!(ty, "Value" | "ValueRange" | "OpFoldResult"),
        Kind::Values => ty.contains("Range") || ty.contains("Value>"),
        Kind::Attr => !matches!(ty, "Value" | "ValueRange" | "Type" | "TypeRange"),
        Kind::Type => ty.contains("Type") && !ty.contains("Attr"),
        _ => true,
    }
}
