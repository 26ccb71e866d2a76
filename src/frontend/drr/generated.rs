//! The C++ builder that `mlir-tblgen` generates for an operation, as a body to inline.
//!
//! The first parameters of `X::create` are the result types. They can be omitted if they can be inferred or if there
//! are no results. The arguments follow in the order of the definition. A call can pass the C++ value of an attribute
//! in place of the attribute. It can omit the last attributes if they may be absent or have a default value.

use crate::frontend::cxx::{InlineBody, InlineResult};
use crate::frontend::ods::{ArgKind, Op, Recipe, SELF, Sizes, ValueSpec};
use crate::pdl::{Arity, Trait};
use crate::snippet::{Form, Item, Ty};

/// The transform that gives `arith` comparisons their result type, and an equivalent expression of the snippet
/// language.
const I1_SAME_SHAPE: (&str, &str) = (
    "::getI1SameShape($_self)",
    "(isa<ShapedType>($_self) ? Type(cast<ShapedType>($_self).cloneWith(std::nullopt, $_builder.getI1Type())) \
     : Type($_builder.getI1Type()))",
);

/// The body of the generated builder for arguments of these types; `None` if the builder does not take them. The body
/// refers to the arguments as `$0`, `$1` and so on. If `defaults` is false, omitted attributes with default values are
/// absent.
pub(super) fn generated_builder(op: &Op<'_>, args: &[Ty], defaults: bool) -> Option<InlineBody> {
    let is_type = |ty: &Ty| matches!(ty.item, Item::Type(_));
    let given = args.iter().take_while(|ty| is_type(ty)).count();
    let (types, rest) = match given {
        _ if states_groups(op, args) => (Some(op.results.len()), &args[op.results.len()..]),
        0 => (None, args),
        _ if args[0].form == Form::Range => (Some(1), &args[1..]),
        _ if given >= op.results.len() && !op.results.is_empty() => {
            (Some(op.results.len()), &args[op.results.len()..])
        }
        _ => return None,
    };
    let first = args.len() - rest.len();
    let mut texts: Vec<String> = Vec::new();
    for (number, arg) in op.args.iter().enumerate() {
        let name = format!("${}", first + number);
        let text = match (arg.kind, rest.get(number)) {
            (ArgKind::Operand(_), Some(Ty { item: Item::Value | Item::Op(_) | Item::Null, .. })) => name,
            (ArgKind::Attribute(_), Some(Ty { item: Item::Attr(_) | Item::Null, form: Form::One })) => name,
            // An absent property has its default value.
            (ArgKind::Property(index), None) if !op.properties[index].default.is_empty() => {
                "nullptr".to_owned()
            }
            (ArgKind::Attribute(index), given) => {
                let spec = &op.attributes[index].spec;
                let default = match spec.default.trim() {
                    // A list in braces has the type that the accessor returns.
                    list if list.starts_with('{') => format!("{}{list}", spec.value_type),
                    default => default.to_owned(),
                };
                let value = match given {
                    Some(_) => &name,
                    None => &default,
                };
                match (given, spec.builder) {
                    (None, _) if spec.optional || !defaults && !spec.default.is_empty() => {
                        "nullptr".to_owned()
                    }
                    (_, "") => return None,
                    (_, _) if value.is_empty() => return None,
                    (_, builder) => builder.replace("$0", &format!("({value})")),
                }
            }
            _ => return None,
        };
        texts.push(text);
    }
    if rest.len() > op.args.len() {
        return None;
    }
    let mut results: Vec<String> = match types {
        Some(count) if count == op.results.len() => {
            (0..count).map(|number| result_types(op, args, number)).collect()
        }
        Some(count) => (0..count).map(|number| format!("${number}")).collect(),
        None => inferred(op, &texts)?,
    };
    results.append(&mut texts);
    if op.result_sizes == Sizes::Attribute && types == Some(op.results.len()) {
        let sizes: Vec<String> = (0..op.results.len()).map(|number| result_count(op, args, number)).collect();
        results.push(format!("$_builder.getDenseI32ArrayAttr({{{}}})", sizes.join(", ")));
    }
    Some(InlineBody {
        params: (0..args.len()).map(|number| format!("${number}")).collect(),
        variables: Vec::new(),
        results: results.into_iter().map(InlineResult::One).collect(),
    })
}

/// True if the first arguments are the types of the groups of results, one argument for each group.
fn states_groups(op: &Op<'_>, args: &[Ty]) -> bool {
    let operands = op.args.iter().filter(|arg| matches!(arg.kind, ArgKind::Operand(_))).count();
    let fits = |(spec, ty): (&ValueSpec<'_>, &Ty)| match ty.item {
        Item::Type(_) => ty.form == Form::One || spec.arity == Arity::Variadic,
        Item::Null => spec.arity == Arity::Optional,
        _ => false,
    };
    !op.results.is_empty()
        && args.len() >= op.results.len() + operands
        && op.results.iter().zip(args).all(fits)
}

/// The types of a group of results that the argument with the same number states.
fn result_types(op: &Op<'_>, args: &[Ty], number: usize) -> String {
    match (op.results[number].arity, args[number].item) {
        (Arity::Optional, Item::Null) => "TypeRange()".to_owned(),
        (Arity::Optional, _) if args[number].form == Form::One => {
            format!("(${number} ? TypeRange(${number}) : TypeRange())")
        }
        _ => format!("${number}"),
    }
}

/// The size of a group of results whose types the argument with the same number states.
fn result_count(op: &Op<'_>, args: &[Ty], number: usize) -> String {
    match (op.results[number].arity, args[number]) {
        (_, Ty { item: Item::Null, .. }) => "0".to_owned(),
        (_, Ty { form: Form::Range, .. }) => format!("static_cast<int32_t>(${number}.size())"),
        (Arity::Optional, _) => format!("(${number} ? 1 : 0)"),
        _ => "1".to_owned(),
    }
}

/// The expressions of the result types, built from the expressions of the arguments. The list is empty if the operation
/// has no results, or if C++ code infers their types. `None` if the types cannot be inferred.
fn inferred(op: &Op<'_>, args: &[String]) -> Option<Vec<String>> {
    let type_of = |arg: usize| {
        let text = &args[arg];
        Some(match op.args[arg].kind {
            ArgKind::Operand(index) if op.operands[index].arity == Arity::One => {
                format!("({text}).getType()")
            }
            ArgKind::Attribute(index) if op.attributes[index].spec.is_type => format!("({text}).getValue()"),
            ArgKind::Attribute(_) => format!("({text}).getType()"),
            _ => return None,
        })
    };
    if op.has(Trait::SameOperandsAndResultType) {
        let operand = op.args.iter().position(|arg| matches!(arg.kind, ArgKind::Operand(_)))?;
        return Some(vec![type_of(operand)?; op.results.len()]);
    }
    if op.results.is_empty() {
        return Some(Vec::new());
    }
    let Some(recipes) = &op.inferred else { return op.infers_in_cpp.then(Vec::new) };
    let mut types: Vec<Option<String>> = vec![None; recipes.len()];
    // The type of a result may depend on the type of another result, so several rounds may be necessary.
    for _ in 0..recipes.len() {
        for (at, recipe) in recipes.iter().enumerate() {
            let (from, transform) = match *recipe {
                Recipe::Fixed(text) => {
                    types[at] = Some(text.to_owned());
                    continue;
                }
                Recipe::Arg { arg, transform } => (type_of(arg)?, transform),
                Recipe::Result { result, transform } => match &types[result] {
                    Some(ty) => (ty.clone(), transform),
                    None => continue,
                },
            };
            let transform = if transform.trim() == I1_SAME_SHAPE.0 { I1_SAME_SHAPE.1 } else { transform };
            types[at] = Some(transform.replace(SELF, &format!("({from})")));
        }
    }
    types.into_iter().collect()
}
