//! Lowers the plan of a rewrite to steps.

use super::builder::{Built, Defined};
use super::error;
use super::graph::{MatchGraph, whole_op};
use super::helper::Helper;
use super::infer::Uses;
use super::names::{Reference, result_group};
use super::plan::{
    Argument, ArgumentValue, Creation, Native, NativeCall, Producer, ReturnType, Role, TopPattern, TypesOf,
};
use super::session::{Reported, RuleContext, Try, collect, small, text};
use super::steps::{Expression, ExpressionOf, Steps};
use super::types;
use super::value::{NamedArg, TypedSource};
use crate::frontend::cxx::{ClassInCxx, Expected, Text};
use crate::frontend::ods::{ArgKind, Attribute, Op, OpId, Property, Sizes, property_spec};
use crate::frontend::tablegen::Record;
use crate::host::Kind;
use crate::pdl::{
    Arg, Arity, Constant, CreateOp, LocalId, Replacement, ResultTypes, RewritePart, Source, Step,
};
use crate::snippet::{AttrClass, Item};
use crate::source::Span;
use crate::stack::with_room;

/// Lowers a plan to the rewrite part of a rule.
pub(super) fn lower<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &MatchGraph<'a>,
    patterns: Vec<Try<TopPattern<'a>>>,
) -> Try<RewritePart> {
    let Some(root) = graph.root_op else { return Err(Reported) };
    let erases = rule.defs.ops[root].results.is_empty();
    let uses = Uses::new(rule.defs, &patterns);
    let mut steps = Steps::new(rule, graph, uses);
    let lowered = patterns.into_iter().map(|pattern| top(&mut steps, &pattern?));
    let values = collect(lowered)?.concat();
    let op = steps.root();
    steps.push(match erases {
        true => Step::Erase { op },
        false => Step::Replace { op, with: Replacement::Values(values) },
    });
    Ok(steps.finish())
}

/// The results of a pattern.
enum Produced {
    /// A new operation, with the index in the pattern's symbol (`$name__N`).
    Op(LocalId, OpId, Option<usize>),
    /// The results of a native call.
    Results(Vec<TypedSource>),
    Value(TypedSource),
}

/// Lowers a top-level pattern. Returns the values that replace results of the root.
fn top<'a>(steps: &mut Steps<'_, '_, '_, 'a>, pattern: &TopPattern<'a>) -> Try<Vec<Source>> {
    let span = pattern.span;
    let expected = match (pattern.role, &pattern.producer) {
        (Role::Replacement(Some(Arity::One)), Producer::Call(call)) if call.count == 1 => {
            Expected::Kind(Kind::Value)
        }
        (Role::Replacement(_), Producer::Call(_)) => Expected::Kind(Kind::Values),
        _ => Expected::Any,
    };
    let produced = produce(steps, &pattern.producer, expected, span)?;
    if matches!(pattern.role, Role::Auxiliary) {
        return Ok(Vec::new());
    }
    let not_a_value = |kind: Kind| error::constant_kind(&kind.with_article(), "a value", span);
    match produced {
        Produced::Results(values) => {
            let wrong =
                values.iter().find(|value| !matches!(value.kind, Kind::Value | Kind::Values | Kind::Op));
            match wrong {
                Some(value) => Err(steps.rule.fail(not_a_value(value.kind))),
                None => Ok(values.into_iter().map(|value| value.source).collect()),
            }
        }
        produced => {
            let value = value_of(steps, produced, span)?;
            match value.kind {
                Kind::Value | Kind::Values => Ok(vec![value.source]),
                // An operation without results replaces no results.
                Kind::Op => Ok(Vec::new()),
                kind => Err(steps.rule.fail(not_a_value(kind))),
            }
        }
    }
}

fn produce<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    producer: &Producer<'a>,
    expected: Expected,
    span: Span,
) -> Try<Produced> {
    with_room(|| match producer {
        Producer::Create(creation) => {
            create(steps, creation).map(|local| Produced::Op(local, creation.op, creation.index))
        }
        Producer::Call(call) => native_call(steps, call, expected).map(Produced::Results),
        Producer::Symbol(reference) => steps.reference(reference, span).map(Produced::Value),
        Producer::Range(items) => {
            let parts = collect(items.iter().map(|item| Ok(single_value(steps, item)?.source)))?;
            Ok(Produced::Value(steps.range(parts)))
        }
    })
}

/// The results of a pattern as one value or range.
fn value_of(steps: &mut Steps<'_, '_, '_, '_>, produced: Produced, span: Span) -> Try<TypedSource> {
    match produced {
        Produced::Op(local, op, index) => {
            let group = result_group(steps.rule, "", op, index, span)?;
            steps.results(local, op, group, span)
        }
        Produced::Results(values) => match values[..] {
            [value] => Ok(value),
            [] => Err(steps.rule.fail(error::nothing_to_replace_with(span))),
            _ => Ok(steps.range(values.iter().map(|value| value.source).collect())),
        },
        Produced::Value(value) => Ok(value),
    }
}

fn create<'a>(steps: &mut Steps<'_, '_, '_, 'a>, creation: &Creation<'a>) -> Try<LocalId> {
    let defs = steps.rule.defs;
    let (op, span) = (&defs.ops[creation.op], creation.span);
    let arguments = op_arguments(steps, op, &creation.arguments)?;
    let location = steps.location(&creation.location)?;
    let (results, built) = match &creation.types {
        TypesOf::Nothing => (ResultTypes::Listed(Vec::new()), None),
        TypesOf::Directive(items) => (return_types(steps, items)?, None),
        TypesOf::FirstOperand => (types::of_first_operand(steps, op, &arguments, span)?, None),
        TypesOf::FirstAttribute => (types::of_first_attribute(steps, op, &arguments, span)?, None),
        TypesOf::Replaced(groups) => {
            let ty = |&(node, kind): &(_, Kind)| {
                let kind = if kind == Kind::Value { Kind::Type } else { Kind::Types };
                steps.type_of(Source::Matched(node), kind).source
            };
            (ResultTypes::Listed(groups.iter().map(ty).collect()), None)
        }
        TypesOf::Definition => match types::by_definition(steps, op, &arguments, &location, span)? {
            Defined::Types(types) => (types, None),
            Defined::Built(types, built) => (types, Some(built)),
            Defined::Op(created) => {
                steps.set_created(creation.id, created);
                steps.take_regions(created, creation)?;
                return Ok(created);
            }
        },
    };
    let built = built.unwrap_or_else(|| Built {
        arguments: arguments.into_iter().map(Some).collect(),
        others: Vec::new(),
    });
    let rule = &mut *steps.rule;
    let name = rule.intern(&op.name);
    let mut segments =
        |sizes: Sizes, attribute: &str| (sizes == Sizes::Attribute).then(|| rule.intern(attribute));
    let operand_segments = segments(op.operand_sizes, "operandSegmentSizes");
    let result_segments = segments(op.result_sizes, "resultSegmentSizes");
    let mut operands = Vec::new();
    let mut attributes = Vec::new();
    let inherent = defs.dialects[op.dialect].uses_properties;
    for (arg, value) in op.args.iter().zip(&built.arguments) {
        let Some(value) = value else { continue };
        match arg.kind {
            ArgKind::Operand(_) => operands.push(value.source),
            ArgKind::Attribute(_) => attributes.push((rule.intern(arg.name), value.source, inherent)),
            ArgKind::Property(_) => attributes.push((rule.intern(arg.name), value.source, true)),
        }
    }
    for (name, source) in &built.others {
        attributes.push((rule.intern(name), *source, false));
    }
    let to = steps.new_local(Kind::Op);
    steps.push(Step::Create(CreateOp {
        name,
        operands,
        operand_segments,
        attributes,
        results,
        result_segments,
        regions: small(op.fixed_regions().max(creation.taken.len())),
        location,
        to,
        span,
    }));
    steps.set_created(creation.id, to);
    steps.take_regions(to, creation)?;
    Ok(to)
}

/// The arguments of a new operation, in the order of its definition.
fn op_arguments<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &Op<'a>,
    arguments: &[Argument<'a>],
) -> Try<Vec<TypedSource>> {
    let mut values = vec![None; arguments.len()];
    let mut result = Ok(());
    for nested in [true, false] {
        for (i, argument) in arguments.iter().enumerate() {
            if matches!(argument.value, ArgumentValue::Nested(_)) != nested {
                continue;
            }
            match op_argument(steps, op, i, argument) {
                Ok(value) => values[i] = Some(value),
                Err(Reported) => result = Err(Reported),
            }
        }
    }
    result.map(|()| values.into_iter().flatten().collect())
}

fn op_argument<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &Op<'a>,
    index: usize,
    argument: &Argument<'a>,
) -> Try<TypedSource> {
    match op.args[index].kind {
        ArgKind::Operand(operand) if op.operands[operand].arity == Arity::Variadic => {
            value_range(steps, &op.name, index, argument)
        }
        ArgKind::Operand(_) => single_value(steps, argument),
        ArgKind::Attribute(attribute) => {
            attribute_value(steps, &op.name, index, &op.attributes[attribute], argument)
        }
        ArgKind::Property(property) => property_value(steps, &op.properties[property], argument),
    }
}

/// An argument that is a nested pattern, a symbol or a native call.
fn plain_value<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    argument: &Argument<'a>,
    expected: Expected,
) -> Try<TypedSource> {
    let span = argument.span;
    match &argument.value {
        ArgumentValue::Nested(producer) => {
            let produced = produce(steps, producer, expected, span)?;
            value_of(steps, produced, span)
        }
        ArgumentValue::Symbol(reference) => steps.reference(reference, span),
        ArgumentValue::Mapped(native, subject) => mapped(steps, native, subject, expected, span),
        ArgumentValue::Constant(_) | ArgumentValue::PropertyConstant(_) => {
            Err(steps.rule.fail(error::attribute_as_value(span)))
        }
    }
}

/// A native call without arguments. Its `$_self` is the entity to which a symbol refers.
fn mapped(
    steps: &mut Steps<'_, '_, '_, '_>,
    native: &Native<'_>,
    subject: &Reference,
    expected: Expected,
    span: Span,
) -> Try<TypedSource> {
    let subject = steps.reference(subject, span)?;
    let text = Text::new(native.expression, span);
    let expression = Expression { text: &text, span, expected, native: &native.name };
    steps.value(expression, &[subject.named("$_self")])
}

/// An argument that is one value.
fn single_value<'a>(steps: &mut Steps<'_, '_, '_, 'a>, argument: &Argument<'a>) -> Try<TypedSource> {
    let span = argument.span;
    let value = plain_value(steps, argument, Expected::Kind(Kind::Value))?;
    match value.kind {
        Kind::Value => Ok(value),
        Kind::Values if value.optional => steps.helper(Helper::First, vec![value.named("$0")], span),
        Kind::Attr => Err(steps.rule.fail(error::attribute_as_value(span))),
        kind => Err(steps.rule.fail(error::expected_value("this argument", &kind.with_article(), span))),
    }
}

/// An argument that is a range of values.
fn value_range<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &str,
    index: usize,
    argument: &Argument<'a>,
) -> Try<TypedSource> {
    let value = plain_value(steps, argument, Expected::Kind(Kind::Values))?;
    match value.kind {
        Kind::Values => Ok(value),
        Kind::Attr => Err(steps.rule.fail(error::attribute_as_value(argument.span))),
        _ => Err(steps.rule.fail(error::non_variadic(op, index, argument.span))),
    }
}

/// An argument that is an attribute.
fn attribute_value<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &str,
    index: usize,
    attribute: &Attribute<'a>,
    argument: &Argument<'a>,
) -> Try<TypedSource> {
    let span = argument.span;
    let mut value = match &argument.value {
        ArgumentValue::Constant(record) => {
            let constant = constant(steps, *record, span)?;
            check_class(steps, *record, op, index, attribute, span)?;
            return Ok(steps.constant(constant, attribute.spec.storage));
        }
        _ => plain_value(steps, argument, Expected::Kind(Kind::Attr))?,
    };
    // A native may return null, so a value other than a symbol is optional.
    value.optional |= !matches!(argument.value, ArgumentValue::Symbol(_));
    if value.kind != Kind::Attr {
        return Err(steps.rule.fail(error::value_as_attribute(&value.kind.with_article(), span)));
    }
    with_default(steps, value, attribute, span)
}

/// Returns an attribute argument. If it may be null and the attribute is not optional, null is replaced by the default
/// value in the attribute's definition, if there is one.
fn with_default(
    steps: &mut Steps<'_, '_, '_, '_>,
    value: TypedSource,
    attribute: &Attribute<'_>,
    span: Span,
) -> Try<TypedSource> {
    let spec = attribute.spec;
    if !value.optional || spec.optional {
        return Ok(value);
    }
    let Some(default) = steps.rule.session.default_of(&spec, span)? else { return Ok(value) };
    let ty = steps.rule.session.attr_ty(spec.storage);
    let default = NamedArg {
        name: "$1".to_owned(),
        arg: Arg::Attr(default),
        ty,
        reading: None,
        class: ClassInCxx::default(),
    };
    steps.helper(Helper::OrElse, vec![value.named("$0"), default], span)
}

/// An argument that is a property, as the attribute that stores it.
fn property_value<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    property: &Property<'a>,
    argument: &Argument<'a>,
) -> Try<TypedSource> {
    let span = argument.span;
    let form = steps.rule.session.property_form(property);
    let value = match &argument.value {
        ArgumentValue::PropertyConstant(record) => {
            let value = text(*record, "value");
            let constant = steps.rule.session.property_constant(property, value, span)?;
            return Ok(steps.constant(constant, ""));
        }
        _ => plain_value(steps, argument, Expected::Property(form))?,
    };
    if value.kind != Kind::Attr {
        return Err(steps.rule.fail(error::value_as_attribute(&value.kind.with_article(), span)));
    }
    // The symbol can refer to a property that stores its enumeration as an attribute. If the property of the new
    // operation cannot read such an attribute, the attribute is converted.
    let is_symbol = matches!(argument.value, ArgumentValue::Symbol(_));
    if is_symbol && property.enumeration.is_some() && !property.reads_attr_form {
        return steps.helper(Helper::Property(form), vec![value.named("$0")], span);
    }
    Ok(value)
}

/// Checks that a constant can belong to the class of an attribute, unless one of the two classes belongs to a dialect.
fn check_class<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    record: Record<'a>,
    op: &str,
    index: usize,
    attribute: &Attribute<'a>,
    span: Span,
) -> Try<()> {
    let session = &mut *steps.rule.session;
    let (constant, declared) = (session.constant_ty(record), session.attr_ty(attribute.spec.storage));
    let (Item::Attr(constant), Item::Attr(declared)) = (constant.item, declared.item) else {
        return Ok(());
    };
    let named = |class| matches!(class, AttrClass::Named(_));
    if constant.is_a(declared) || declared.is_a(constant) || named(constant) || named(declared) {
        return Ok(());
    }
    let error = error::constant_class(&constant.cxx_name(), op, index, &declared.cxx_name(), span);
    Err(steps.rule.fail(error))
}

/// The constant of a `ConstantAttr` or an enum case.
fn constant<'a>(steps: &mut Steps<'_, '_, '_, 'a>, record: Record<'a>, span: Span) -> Try<Constant> {
    match steps.rule.session.constant_attr(record, span)? {
        Some(constant) => Ok(constant),
        None => {
            let attr = record.def_field("attr").unwrap_or(record);
            Err(steps.rule.fail(error::not_const_buildable(attr.name(), span)))
        }
    }
}

/// Lowers a call of a `NativeCodeCall`. `expected` is the expected result if the call has one result.
fn native_call<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    call: &NativeCall<'a>,
    expected: Expected,
) -> Try<Vec<TypedSource>> {
    let arguments = call.arguments.iter().enumerate();
    let args = collect(arguments.map(|(i, argument)| native_argument(steps, argument, &format!("${i}"))))?;
    let location = steps.location(&call.location)?;
    let expected = match call.count {
        0 => Expected::Nothing,
        1 => expected,
        count => Expected::Many(small(count)),
    };
    let Native { expression, name } = &call.native;
    let text = Text::new(expression, call.span);
    let expression = Expression { text: &text, span: call.span, expected, native: name };
    let results = steps.evaluate(expression, &args, ExpressionOf::Call(call.id, location))?;
    steps.set_called(call.id, &results);
    match &call.selected {
        Some(reference) => Ok(vec![steps.reference(reference, call.span)?]),
        None => Ok(results),
    }
}

fn native_argument<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    argument: &Argument<'a>,
    placeholder: &str,
) -> Try<NamedArg> {
    let (span, name) = (argument.span, placeholder.to_owned());
    match &argument.value {
        ArgumentValue::Nested(producer) => {
            let value = match produce(steps, producer, Expected::Any, span)? {
                // The generated C++ passes the operation itself, which converts to its result.
                Produced::Op(local, op, None) => whole_op(steps.rule, local, op),
                produced => value_of(steps, produced, span)?,
            };
            Ok(value.named(placeholder))
        }
        ArgumentValue::Constant(record) => {
            let constant = constant(steps, *record, span)?;
            let ty = steps.rule.session.constant_ty(*record);
            Ok(NamedArg { name, arg: Arg::Attr(constant), ty, reading: None, class: ClassInCxx::default() })
        }
        ArgumentValue::PropertyConstant(record) => {
            let property = property_spec("", *record);
            let session = &mut *steps.rule.session;
            let ty = session.property_ty(&property);
            let constant = session.property_constant(&property, text(*record, "value"), span)?;
            Ok(NamedArg { name, arg: Arg::Attr(constant), ty, reading: None, class: ClassInCxx::default() })
        }
        ArgumentValue::Symbol(_) | ArgumentValue::Mapped(..) => {
            Ok(plain_value(steps, argument, Expected::Any)?.named(placeholder))
        }
    }
}

/// The types that a `returnType` directive lists.
fn return_types<'a>(steps: &mut Steps<'_, '_, '_, 'a>, items: &[ReturnType<'a>]) -> Try<ResultTypes> {
    collect(items.iter().map(|item| Ok(return_type(steps, item)?.source))).map(ResultTypes::Listed)
}

fn return_type<'a>(steps: &mut Steps<'_, '_, '_, 'a>, item: &ReturnType<'a>) -> Try<TypedSource> {
    let expected = Expected::Kind(Kind::Type);
    let (types, span) = match item {
        ReturnType::Call(call, span) => (native_call(steps, call, expected)?, *span),
        ReturnType::Text(text, span) => {
            let text = Text::literal(text, *span, steps.rule.sources.snippet(*span));
            let expression = Expression { text: &text, span: *span, expected, native: "" };
            (steps.evaluate(expression, &[], ExpressionOf::ResultType)?, *span)
        }
        ReturnType::OfSymbol(name, reference, span) => {
            let value = steps.reference(reference, *span)?;
            (vec![type_of(steps, value, name, *span)?], *span)
        }
    };
    match types[..] {
        [ty] if matches!(ty.kind, Kind::Type | Kind::Types) => Ok(ty),
        _ => Err(steps.rule.fail(error::return_type_value(span))),
    }
}

fn type_of(
    steps: &mut Steps<'_, '_, '_, '_>,
    value: TypedSource,
    name: &str,
    span: Span,
) -> Try<TypedSource> {
    match value.kind {
        Kind::Value => Ok(steps.type_of(value.source, Kind::Type)),
        Kind::Values => Ok(steps.type_of(value.source, Kind::Types)),
        Kind::Attr => steps.helper(Helper::TypeOfAttr, vec![value.named("$0")], span),
        _ => Err(steps.rule.fail(error::no_type(name, span))),
    }
}
