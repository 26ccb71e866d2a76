//! Functions that scripts register for operations, traits and dialects: type inference, folding, effects, verification,
//! and the creation of constants.

use std::sync::Arc;

use rhai::{Array, Dynamic, FnPtr, Position};

use super::answer;
use super::code::Code;
use super::value::describe;
use crate::host::{Effects, Entity, Facets, Folded, IrMut, Kind, Natives, NewOp, Refusal, Rewriter};

/// The purpose of a function that a script registers for an operation, a trait or a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Hook {
    TypeInference,
    Fold,
    Effects,
    Verify,
    MaterializeConstant,
}

impl Hook {
    /// The word that registers the function, and the word that registers it for a trait.
    pub(super) fn words(self) -> (&'static str, Option<&'static str>) {
        match self {
            Self::TypeInference => ("type_inference", Some("type_inference_for_trait")),
            Self::Fold => ("fold", Some("fold_for_trait")),
            Self::Effects => ("effects", Some("effects_for_trait")),
            Self::Verify => ("verify", Some("verify_for_trait")),
            Self::MaterializeConstant => ("materialize_constant", None),
        }
    }

    /// The signature of the function without its first parameter, `ir`. Only the number of the parameters is used. A
    /// type inference receives the attributes as a map from names to attributes, which signatures cannot state.
    pub(super) fn signature(self) -> &'static str {
        match self {
            Self::TypeInference => "(range of values, range of attributes) -> range of types",
            Self::Fold => "(operation, range of attributes) -> anything",
            Self::Effects => "(operation) -> string",
            Self::Verify => "(operation) -> boolean",
            Self::MaterializeConstant => "(attribute, type, location) -> operation",
        }
    }
}

/// Registers a function for an operation, for a trait, or for a dialect.
pub(super) fn register<H: Facets + IrMut>(
    natives: Natives<H>,
    code: Arc<Code>,
    hook: Hook,
    for_trait: bool,
    name: &str,
    function: FnPtr,
    place: Position,
) -> Natives<H> {
    match hook {
        Hook::TypeInference => {
            let infer = move |ir: &mut H, new: &NewOp<'_, H>| {
                let value = code.run(
                    &function,
                    place,
                    |call| answer::new_op_to_script(call, new),
                    |call, query| answer::answer_making(ir, call, query),
                )?;
                let found = answer::from_script_all(ir, value, &[Some(Kind::Types)]);
                match found.map_err(|wrong| code.fail(&wrong, place))?.pop() {
                    Some(Entity::Types(types)) => Ok(types),
                    _ => Err(code.fail("it does not return types", place)),
                }
            };
            match for_trait {
                true => natives.type_inference_for_trait(name, infer),
                false => natives.type_inference(name, infer),
            }
        }
        Hook::Fold => {
            let fold = move |ir: &mut H, op: H::Op, constants: &[Option<H::Attr>]| {
                let value = code.run(
                    &function,
                    place,
                    |call| {
                        let constants =
                            constants.iter().map(|&attr| answer::to_script(call, &Entity::Attr(attr)));
                        let constants = Dynamic::from(constants.collect::<Array>());
                        vec![answer::to_script(call, &Entity::Op(op)), constants]
                    },
                    |call, query| answer::answer_making(ir, call, query),
                );
                folded(ir, op, value.ok()?).map_err(|wrong| code.fail(&wrong, place)).ok()?
            };
            match for_trait {
                true => natives.fold_for_trait(name, fold),
                false => natives.fold(name, fold),
            }
        }
        Hook::Effects => {
            let effects = move |ir: &H, op: H::Op| {
                // If the function refuses or fails, the effects are unknown, and unknown effects include writes.
                let Some(value) = code.ask(&function, place, ir, &[Entity::Op(op)]) else {
                    return Effects::Write;
                };
                match value.as_immutable_string_ref().as_deref().map(|text| &**text) {
                    Ok("none") => Effects::None,
                    Ok("read") => Effects::Read,
                    Ok("nested") => Effects::Nested,
                    Ok("write") => Effects::Write,
                    other => {
                        let found = match other {
                            Ok(text) => format!("\"{text}\""),
                            Err(_) => describe::<H>(&value),
                        };
                        code.fail(
                            &format!("it returns {found}, not \"none\", \"read\", \"nested\" or \"write\""),
                            place,
                        );
                        Effects::Write
                    }
                }
            };
            match for_trait {
                true => natives.effects_for_trait(name, effects),
                false => natives.effects(name, effects),
            }
        }
        Hook::Verify => {
            let verify = move |ir: &H, op: H::Op| {
                let args = [Entity::Op(op)];
                let value = code.run(
                    &function,
                    place,
                    |call| answer::all_to_script(call, &args),
                    |call, query| answer::answer(ir, call, query),
                )?;
                match value.as_bool() {
                    Ok(true) => Ok(()),
                    Ok(false) => Err(Refusal::new("it is invalid according to the script")),
                    // A function that returns nothing accepts the operation.
                    Err(_) if value.is_unit() => Ok(()),
                    Err(_) => {
                        let found = describe::<H>(&value);
                        Err(code.fail(&format!("it returns {found}, not a boolean"), place))
                    }
                }
            };
            match for_trait {
                true => natives.verify_for_trait(name, verify),
                false => natives.verify(name, verify),
            }
        }
        Hook::MaterializeConstant => {
            natives.materialize_constant(name, move |rewriter: &mut Rewriter<'_, H>, value, ty, location| {
                let args = [Entity::Attr(Some(value)), Entity::Type(ty), Entity::Location(location)];
                let value = code.run(
                    &function,
                    place,
                    |call| answer::all_to_script(call, &args),
                    |call, query| answer::answer_mut(rewriter, call, query),
                )?;
                let found = answer::from_script_all(rewriter.host(), value, &[Some(Kind::Op)]);
                match found.map_err(|wrong| code.fail(&wrong, place))?.pop() {
                    Some(Entity::Op(op)) => Ok(op),
                    _ => Err(code.fail("it does not return an operation", place)),
                }
            })
        }
    }
}

/// The results of a fold: a value or an attribute, or an array with one of them for each result. An operation with one
/// result stands for this result. Returns `None` for `()` and `[]`, which mean that the operation does not fold.
fn folded<H: Facets>(ir: &H, op: H::Op, value: Dynamic) -> Result<Option<Vec<Folded<H>>>, String> {
    if value.is_unit() {
        return Ok(None);
    }
    let all = match value.try_cast_result::<Array>() {
        Ok(all) => all,
        Err(one) => vec![one],
    };
    let count = ir.result_count(op);
    if !all.is_empty() && all.len() != count as usize {
        return Err(format!(
            "the number of returned values or attributes ({}) differs from the number of results ({count})",
            all.len()
        ));
    }
    let mut results = Vec::with_capacity(all.len());
    for (index, one) in (0..count).zip(all) {
        results.push(match answer::from_script_all(ir, one, &[None])?.pop() {
            Some(Entity::Value(Some(value))) => Folded::Value(value),
            Some(Entity::Op(op)) if ir.result_count(op) == 1 => Folded::Value(ir.result(op, 0)),
            Some(Entity::Attr(Some(attr))) => Folded::Attr(attr),
            _ => return Err("it returns neither a value nor an attribute".to_owned()),
        });
        if let Some(Folded::Value(value)) = results.last()
            && ir.value_type(*value) != ir.value_type(ir.result(op, index))
        {
            return Err(format!("it returns a value of another type than result {index}"));
        }
    }
    Ok(Some(results).filter(|results| !results.is_empty()))
}
