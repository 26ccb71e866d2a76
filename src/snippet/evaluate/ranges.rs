//! Built-ins over ranges, strings, results and optionals.

use std::sync::Arc;

use super::value::Val;
use super::{Args, BinaryOp, Builtin, Evaluated, Evaluator, element, fail, is_true};
use crate::host::{Facets, Refusal};

type Items<H> = Arc<[Val<H>]>;

impl<H: Facets> Evaluator<'_, H> {
    /// The elements of what is used as a range.
    pub(super) fn items(&mut self, value: &Val<H>) -> Result<Items<H>, Refusal> {
        match value {
            Val::Range(items) => Ok(items.clone()),
            Val::Attr(a) => Ok(self.elements(a, false)?.into()),
            Val::Op(op) => {
                let count = self.host().result_count(*op);
                self.step(u64::from(count))?;
                Ok((0..count).map(|i| Val::Value(self.host().result(*op, i))).collect())
            }
            Val::Null => fail("null is used as a range"),
            single => Ok(vec![single.clone()].into()),
        }
    }

    pub(super) fn ints(&mut self, value: &Val<H>) -> Result<Vec<i128>, Refusal> {
        let items = self.items(value)?;
        self.step(u64::try_from(items.len()).unwrap_or(u64::MAX))?;
        items
            .iter()
            .map(|item| match item {
                Val::ApInt(x) => match x.to_i64() {
                    Some(x) => Ok(i128::from(x)),
                    None => fail("an APInt does not fit 64 bits"),
                },
                other => self.int(other),
            })
            .collect()
    }

    /// A position between 0 and `len`.
    fn bound(&self, value: &Val<H>, len: usize, default: usize) -> Result<usize, Refusal> {
        if value.is_null() {
            return if default <= len { Ok(default) } else { fail("an empty range has no element") };
        }
        match usize::try_from(self.int(value)?) {
            Ok(n) if n <= len => Ok(n),
            _ => fail(format!("a position past the end of a range of {len}")),
        }
    }

    fn iterator(&self, value: &Val<H>) -> Result<(Items<H>, i64), Refusal> {
        match value {
            Val::Iterator(items, at) => Ok((items.clone(), *at)),
            other => fail(format!("{} is used as an iterator", other.what())),
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
                        crate::host::TypeKind::Tuple(count) => count as usize,
                        _ => return fail("a type that is no tuple is asked for its size"),
                    },
                    _ => self.items(&on)?.len(),
                };
                return Ok(match op {
                    B::IsEmpty => Val::Bool(len == 0),
                    _ => Val::Int(i128::try_from(len).unwrap_or(i128::MAX)),
                });
            }
            B::Success => return Ok(Val::Bool(true)),
            B::Failure => return Ok(Val::Bool(false)),
            B::SuccessIf => return Ok(Val::Bool(is_true(&on))),
            B::FailureIf => return Ok(Val::Bool(!is_true(&on))),
            // A result that holds a value is a success, whatever the value.
            B::Succeeded | B::Failed => {
                let succeeded = match &on {
                    Val::Null => false,
                    Val::Bool(b) => *b,
                    _ => true,
                };
                return Ok(Val::Bool(succeeded == (op == B::Succeeded)));
            }
            B::EnumText | B::EnumOfText | B::EnumOfNumber => {
                let cases = self.cases(&arg, &args.take(2))?;
                return self.enumeration(op, &on, &cases);
            }
            B::HasValue => return Ok(Val::Bool(!on.is_null())),
            B::ValueOf => {
                return if on.is_null() { fail("an empty optional is asked for its value") } else { Ok(on) };
            }
            B::ValueOr => return Ok(if on.is_null() { arg } else { on }),
            B::At => {
                let index = self.int(&arg)?;
                return match &on {
                    Val::Iterator(items, at) => element(items, index.saturating_add(i128::from(*at))),
                    _ => element(&self.items(&on)?, index),
                };
            }
            B::Distance => {
                let ((_, a), (_, b)) = (self.iterator(&on)?, self.iterator(&arg)?);
                return Ok(Val::Int(i128::from(b) - i128::from(a)));
            }
            B::Next => {
                let (items, at) = self.iterator(&on)?;
                let by = if arg.is_null() { 1 } else { self.int(&arg)? };
                let to = i64::try_from(i128::from(at).saturating_add(by));
                let len = i64::try_from(items.len()).unwrap_or(i64::MAX);
                return match to {
                    Ok(to) if (0..=len).contains(&to) => Ok(Val::Iterator(items, to)),
                    _ => fail("an iterator leaves its range"),
                };
            }
            B::AdjacentFind => {
                let ((items, from), (_, to)) = (self.iterator(&on)?, self.iterator(&arg)?);
                for at in from..to.saturating_sub(1) {
                    let a = element(&items, i128::from(at))?;
                    let b = element(&items, i128::from(at) + 1)?;
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
            B::Back => return element(&items, i128::try_from(len).unwrap_or(0) - 1),
            B::DropFront => {
                let n = self.bound(&arg, len, 1)?;
                Val::range(items[n..].to_vec())
            }
            B::DropBack => {
                let n = self.bound(&arg, len, 1)?;
                Val::range(items[..len - n].to_vec())
            }
            B::TakeFront | B::TakeBack => {
                let n = match usize::try_from(if arg.is_null() { 1 } else { self.int(&arg)? }) {
                    Ok(n) => n.min(len),
                    Err(_) => return fail("a negative number of elements"),
                };
                Val::range(if op == B::TakeFront { items[..n].to_vec() } else { items[len - n..].to_vec() })
            }
            B::Slice => {
                let from = self.bound(&arg, len, 0)?;
                let count = args.take(2);
                let count = self.bound(&count, len - from, len - from)?;
                Val::range(items[from..from + count].to_vec())
            }
            B::Begin => Val::Iterator(items, 0),
            B::End => Val::Iterator(items, i64::try_from(len).unwrap_or(i64::MAX)),
            B::Reversed => Val::range(items.iter().rev().cloned().collect()),
            B::HasSingleElement => Val::Bool(len == 1),
            B::AllOf | B::AnyOf | B::NoneOf | B::CountIf => {
                let mut count = 0_i128;
                for item in items.iter() {
                    self.step(1)?;
                    let holds = is_true(&self.apply(&arg, std::slice::from_ref(item))?);
                    match (op, holds) {
                        (B::AllOf, false) | (B::NoneOf, true) => return Ok(Val::Bool(false)),
                        (B::AnyOf, true) => return Ok(Val::Bool(true)),
                        _ => count += i128::from(holds),
                    }
                }
                if op == B::CountIf { Val::Int(count) } else { Val::Bool(op != B::AnyOf) }
            }
            B::MapRange => {
                let mut out = Vec::with_capacity(len);
                for item in items.iter() {
                    self.step(1)?;
                    out.push(self.apply(&arg, std::slice::from_ref(item))?);
                }
                Val::range(out)
            }
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
                    if is_true(&self.dynamic_arithmetic(BinaryOp::Lt, pair[1].clone(), pair[0].clone())?) {
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
