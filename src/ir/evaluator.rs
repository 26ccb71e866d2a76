//! The evaluator of the expressions in the definitions of a dialect.

use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::context::Context;
use super::dialect::{TypeEvaluator, TypeFunction};
use super::host::IrHost;
use super::module::Module;
use super::types::TypeKind;
use crate::host::{Entity, Natives};
use crate::snippet::{Linked, SnippetId, Snippets};

/// The expressions of definitions, with an IR in which they are evaluated.
pub(crate) struct Evaluator {
    snippets: Arc<Snippets>,
    /// Created at the first use, because most files need none of the expressions.
    linked: OnceLock<(Linked<IrHost>, Mutex<IrHost>)>,
}

impl fmt::Debug for Evaluator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Evaluator")
    }
}

impl Evaluator {
    /// An evaluator of these expressions.
    pub(crate) fn new(snippets: Arc<Snippets>) -> Self {
        Self { snippets, linked: OnceLock::new() }
    }

    fn linked(&self) -> &(Linked<IrHost>, Mutex<IrHost>) {
        self.linked.get_or_init(|| {
            let mut context = Context::new();
            let module = Module::new(&mut context);
            let mut host = IrHost::new(context, module);
            let linked = Linked::link(&self.snippets, &mut host, &Natives::new());
            (linked, Mutex::new(host))
        })
    }

    /// Evaluates an expression. If `argument` is given, the expression is applied to the type with this text. Returns
    /// the texts of the resulting types or attribute, or the reason why the evaluation fails.
    pub(crate) fn texts(&self, snippet: SnippetId, argument: Option<&str>) -> Result<Vec<String>, String> {
        let (linked, host) = self.linked();
        let mut host = host.lock().unwrap_or_else(PoisonError::into_inner);
        let mut args = Vec::new();
        if let Some(text) = argument {
            args.push(Entity::Type(host.context.parse_type(text).map_err(|error| error.message)?));
        }
        let results = linked.make_from(&self.snippets, snippet, &mut host, &args);
        let results = results.map_err(|refusal| refusal.to_string())?;
        let mut texts = Vec::new();
        for result in results {
            match result {
                Entity::Type(ty) => texts.push(host.context.type_text(ty)),
                Entity::Types(types) => texts.extend(types.iter().map(|&ty| host.context.type_text(ty))),
                Entity::Attr(Some(attr)) => texts.push(host.context.attr_text(attr)),
                _ => return Err("the expression does not return a type or attribute".to_owned()),
            }
        }
        Ok(texts)
    }
}

impl TypeEvaluator for Evaluator {
    fn apply(&self, function: &TypeFunction, argument: &str) -> Result<Vec<String>, String> {
        match function {
            TypeFunction::Snippet(snippet, text) => {
                let found = self.texts(*snippet, Some(argument));
                found.map_err(|reason| format!("`{text}` fails: {reason}"))
            }
            TypeFunction::ElementTypes => element_types(argument),
            TypeFunction::MaskType => {
                let mut context = Context::new();
                let ty = context.parse_type(argument).map_err(|error| error.message)?;
                let mask = context.with_element(ty, Context::I1);
                Ok(vec![context.type_text(mask)])
            }
            TypeFunction::I1 => Ok(vec!["i1".to_owned()]),
            TypeFunction::FirstParameter => match inner_type(argument) {
                Some(text) => Ok(vec![text.to_owned()]),
                None => Err(format!("'{argument}' contains no type")),
            },
            TypeFunction::WithClass(from, to) => match argument.strip_prefix(from.as_str()) {
                Some(rest) if !rest.starts_with(|c: char| c.is_ascii_alphanumeric()) => {
                    Ok(vec![format!("{to}{rest}")])
                }
                _ => Err(format!("'{argument}' is not a type '{from}'")),
            },
            TypeFunction::Wrapped(before, after) => Ok(vec![format!("{before}{argument}{after}")]),
            TypeFunction::Unwrapped(before, after) => {
                let inner =
                    argument.strip_prefix(before.as_str()).and_then(|rest| rest.strip_suffix(after.as_str()));
                match inner {
                    Some(inner) => Ok(vec![inner.to_owned()]),
                    None => Err(format!("'{argument}' is not a type '{before}…{after}'")),
                }
            }
            TypeFunction::PdlRange => {
                let element = argument.strip_prefix("!pdl.").unwrap_or(argument);
                Ok(vec![format!("!pdl.range<{element}>")])
            }
            TypeFunction::PdlValue => {
                let is_range = argument.starts_with("!pdl.range<");
                Ok(vec![if is_range { "!pdl.range<value>" } else { "!pdl.value" }.to_owned()])
            }
            TypeFunction::ArmPredicate => {
                let mut context = Context::new();
                let ty = context.parse_type(argument).map_err(|error| error.message)?;
                let TypeKind::Vector { shape, scalable, element } = context.type_kind(ty).clone() else {
                    return Err(format!("'{argument}' is not a vector type"));
                };
                let mut shape = shape.to_vec();
                if let Some(last) = shape.last_mut() {
                    *last = 16;
                }
                let ty = context.intern_type(TypeKind::Vector { shape: shape.into(), scalable, element });
                Ok(vec![context.type_text(ty)])
            }
            TypeFunction::PtrSum => {
                let mut context = Context::new();
                let ty = context.parse_type(argument).map_err(|error| error.message)?;
                let TypeKind::Tuple(parts) = context.type_kind(ty).clone() else {
                    return Err(format!("'{argument}' is not a tuple type"));
                };
                let &[base, offset] = &parts[..] else {
                    return Err("the operation must have two operands".to_owned());
                };
                let is_shaped = |ty| context.type_kind(ty).element().is_some();
                let sum = if is_shaped(offset) && !is_shaped(base) {
                    context.with_element(offset, base)
                } else {
                    base
                };
                Ok(vec![context.type_text(sum)])
            }
            TypeFunction::BitVectorConcat => {
                let types = argument.strip_prefix("tuple<").and_then(|rest| rest.strip_suffix('>'));
                let widths =
                    types.map(|types| types.split(", ").map(bit_vector_width).collect::<Option<Vec<_>>>());
                let sum = widths.flatten().and_then(|all| all.into_iter().try_fold(0_u32, u32::checked_add));
                let sum = sum.ok_or("the operands must be bit vectors")?;
                Ok(vec![format!("!smt.bv<{sum}>")])
            }
            TypeFunction::TritonPointee => elementwise(argument, |element| {
                let inner = element.starts_with("!tt.ptr<").then(|| inner_type(element)).flatten();
                inner.map(str::to_owned).ok_or_else(|| format!("'{element}' is not a pointer, '!tt.ptr<…>'"))
            }),
            TypeFunction::TritonPointer => elementwise(argument, |element| Ok(format!("!tt.ptr<{element}>"))),
        }
    }
}

/// Applies a function to the element type of a tensor, vector, `memref` or `complex` type, or to a type without
/// elements.
fn elementwise(
    argument: &str,
    function: impl FnOnce(&str) -> Result<String, String>,
) -> Result<Vec<String>, String> {
    let mut context = Context::new();
    let ty = context.parse_type(argument).map_err(|error| error.message)?;
    let element = context.type_kind(ty).element().unwrap_or(ty);
    let element = function(&context.type_text(element))?;
    let element = context.parse_type(&element).map_err(|error| error.message)?;
    let ty = context.with_element(ty, element);
    Ok(vec![context.type_text(ty)])
}

fn bit_vector_width(text: &str) -> Option<u32> {
    text.strip_prefix("!smt.bv<")?.strip_suffix('>')?.parse().ok()
}

/// Returns the part `t` of the text `!d.c<4x8xt, …>`.
fn inner_type(text: &str) -> Option<&str> {
    let inside = text.strip_suffix('>')?.split_once('<')?.1;
    let mut depth = 0_u32;
    let end = inside.bytes().enumerate().find_map(|(at, byte)| {
        match byte {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            b'>' if inside[..at].ends_with('-') => {}
            b'>' | b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 0 => return Some(at),
            _ => {}
        }
        None
    });
    let mut first = inside[..end.unwrap_or(inside.len())].trim();
    while let Some((size, rest)) = first.split_once('x')
        && !size.is_empty()
        && size.bytes().all(|b| b.is_ascii_digit())
    {
        first = rest;
    }
    Some(first).filter(|first| !first.is_empty())
}

fn element_types(argument: &str) -> Result<Vec<String>, String> {
    const LIMIT: usize = 1 << 20;
    let mut context = Context::new();
    let ty = context.parse_type(argument).map_err(|error| error.message)?;
    let kind = context.type_kind(ty);
    let (Some(count), Some(element)) = (kind.element_count(), kind.element()) else {
        return Err(format!("'{argument}' has no fixed number of elements"));
    };
    let count = usize::try_from(count).map_or(LIMIT, |count| count.min(LIMIT));
    Ok(vec![context.type_text(element); count])
}
