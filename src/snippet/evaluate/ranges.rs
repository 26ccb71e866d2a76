//! Built-ins over ranges, strings, optionals and `LogicalResult`s.

use std::fmt::Display;

use super::coerce::Items;
use super::convert::dynamic_binary;
use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{Args, Evaluated, Val, element};
use crate::host::{Facets, Refusal, TypeKind};
use crate::plural::count;
use crate::snippet::data::{BinaryOp, Builtin};

impl<H: Facets> Evaluator<'_, H> {
    /// Reads `value` as a number of elements of a range with `len` elements. The number must not exceed `max`. Null
    /// stands for `default`. In messages, `verb` names the action on the elements.
    fn bound(
        &self,
        value: &Val<H>,
        default: usize,
        max: usize,
        len: usize,
        verb: impl Display,
    ) -> Result<usize, Refusal> {
        let bound = if value.is_null() { default as i128 } else { value.int()? };
        match usize::try_from(bound) {
            Ok(n) if n <= max => Ok(n),
            _ => fail(format!("cannot {verb} {bound} of the {} of a range", count(len, "element"))),
        }
    }

    fn iterator(&self, value: &Val<H>) -> Result<(Items<H>, usize), Refusal> {
        match value {
            Val::Iterator(items, at) => Ok((items.clone(), *at)),
            other => fail(format!("{} is used as an iterator", other.variant_name())),
        }
    }

    pub(super) fn call_ranges(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        let arg = args.take(1);
        match op {
            B::ToStr => return self.string(&on).map(Val::Str),
            B::StartsWith | B::EndsWith | B::StrContains | B::StrCmp => {
                let (a, b) = (self.string(&on)?, self.string(&arg)?);
                return Ok(match op {
                    B::StartsWith => Val::Bool(a.starts_with(&*b)),
                    B::EndsWith => Val::Bool(a.ends_with(&*b)),
                    B::StrContains => Val::Bool(a.contains(&*b)),
                    _ => Val::Int(a.as_bytes().cmp(b.as_bytes()) as i128),
                });
            }
            B::Size | B::IsEmpty => {
                let len = match &on {
                    Val::Str(text) => text.len(),
                    Val::Attr(a) if self.attr_string(a).is_some() => {
                        self.attr_string(a).map_or(0, |s| s.len())
                    }
                    Val::Type(t) => match self.type_kind(t) {
                        TypeKind::Tuple(count) => count as usize,
                        _ => return fail("a type that is not a tuple is used as a range"),
                    },
                    _ => self.items(&on)?.len(),
                };
                return Ok(match op {
                    B::IsEmpty => Val::Bool(len == 0),
                    _ => Val::count(len),
                });
            }
            B::Success => return Ok(Val::Bool(true)),
            B::Failure => return Ok(Val::Bool(false)),
            B::SuccessIf => return Ok(Val::Bool(on.is_true())),
            B::FailureIf => return Ok(Val::Bool(!on.is_true())),
            // A result that holds a value is a success even if the value is zero.
            B::Succeeded | B::Failed => {
                let succeeded = match &on {
                    Val::Null => false,
                    Val::Bool(b) => *b,
                    _ => true,
                };
                return Ok(Val::Bool(succeeded == (op == B::Succeeded)));
            }
            B::HasValue => return Ok(Val::Bool(!on.is_null())),
            B::ValueOf => {
                return if on.is_null() { fail("the value of an empty optional is read") } else { Ok(on) };
            }
            B::ValueOr => return Ok(if on.is_null() { arg } else { on }),
            B::At => {
                let index = arg.int()?;
                return match &on {
                    Val::Iterator(items, at) => element(items, index.saturating_add(*at as i128)),
                    _ => element(&self.items(&on)?, index),
                };
            }
            B::Distance => {
                let ((_, a), (_, b)) = (self.iterator(&on)?, self.iterator(&arg)?);
                return Ok(Val::Int(b as i128 - a as i128));
            }
            B::Next => {
                let (items, at) = self.iterator(&on)?;
                let by = if arg.is_null() { 1 } else { arg.int()? };
                return match usize::try_from((at as i128).saturating_add(by)) {
                    Ok(to) if to <= items.len() => Ok(Val::Iterator(items, to)),
                    _ => fail("an iterator leaves its range"),
                };
            }
            B::AdjacentFind => {
                let ((items, from), (_, to)) = (self.iterator(&on)?, self.iterator(&arg)?);
                for at in from..to.saturating_sub(1) {
                    let a = element(&items, at as i128)?;
                    let b = element(&items, at as i128 + 1)?;
                    if self.equal(&a, &b)? {
                        return Ok(Val::Iterator(items, at));
                    }
                }
                return Ok(Val::Iterator(items, to));
            }
            _ => {}
        }
        if op == B::ToRange && !matches!(on, Val::Attr(_)) {
            return Ok(on);
        }
        let items = self.items(&on)?;
        let len = items.len();
        Ok(match op {
            B::ToRange => Val::Range(items),
            B::Front => return element(&items, 0),
            B::Back => return element(&items, len as i128 - 1),
            B::DropFront => {
                let n = self.bound(&arg, 1, len, len, "drop")?;
                Val::range(items[n..].to_vec())
            }
            B::DropBack => {
                let n = self.bound(&arg, 1, len, len, "drop")?;
                Val::range(items[..len - n].to_vec())
            }
            B::TakeFront | B::TakeBack => {
                let n = match usize::try_from(if arg.is_null() { 1 } else { arg.int()? }) {
                    Ok(n) => n.min(len),
                    Err(_) => return fail("a number of elements is negative"),
                };
                Val::range(if op == B::TakeFront { items[..n].to_vec() } else { items[len - n..].to_vec() })
            }
            B::Slice => {
                let from = self.bound(&arg, 0, len, len, "drop")?;
                let (count, rest) = (args.take(2), len - from);
                let count = self.bound(&count, rest, rest, len, format_args!("drop {from} and keep"))?;
                Val::range(items[from..from + count].to_vec())
            }
            B::Begin => Val::Iterator(items, 0),
            B::End => Val::Iterator(items, len),
            B::Reversed => Val::range(items.iter().rev().cloned().collect()),
            B::HasSingleElement => Val::Bool(len == 1),
            B::AllEqual => {
                for item in items.iter().skip(1) {
                    if !self.equal(&items[0], item)? {
                        return Ok(Val::Bool(false));
                    }
                }
                Val::Bool(true)
            }
            B::IsSorted => {
                for pair in items.windows(2) {
                    self.step(1)?;
                    if dynamic_binary(BinaryOp::Lt, &pair[1], &pair[0])?.is_true() {
                        return Ok(Val::Bool(false));
                    }
                }
                Val::Bool(true)
            }
            B::IsContained => {
                for item in items.iter() {
                    if self.equal(item, &arg)? {
                        return Ok(Val::Bool(true));
                    }
                }
                Val::Bool(false)
            }
            _ => return fail("the snippet is malformed"),
        })
    }
}
