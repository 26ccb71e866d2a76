//! Algorithms on ranges.

use super::coerce::Items;
use super::convert::dynamic_binary;
use super::error::{fail, index_out_of_range};
use super::evaluator::Evaluator;
use super::value::{Args, Evaluated, Val};
use crate::host::{Facets, Refusal};
use crate::snippet::data::{BinaryOp, Builtin};

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_algorithm(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let count = args.len();
        let on = args.take(0);
        let arg = args.take(1);
        match op {
            B::Sequence => {
                let (from, to) = (on.int()?, arg.int()?);
                let len = to.saturating_sub(from).max(0);
                self.step(u64::try_from(len).unwrap_or(u64::MAX))?;
                return Ok(Val::range((from..to).map(Val::Int).collect()));
            }
            B::Repeated => {
                let count = match u64::try_from(on.int()?) {
                    Ok(count) => count,
                    Err(_) => return fail("a number of elements is negative"),
                };
                self.step(count)?;
                return Ok(Val::range((0..count).map(|_| arg.clone()).collect()));
            }
            B::IterRange => {
                let (Val::Iterator(items, from), Val::Iterator(_, to)) = (&on, &arg) else {
                    return fail("a range is delimited by a value that is not an iterator");
                };
                return match items.get(*from..*to) {
                    Some(part) => {
                        self.step(part.len() as u64)?;
                        Ok(Val::range(part.to_vec()))
                    }
                    None => fail("two iterators do not delimit a range"),
                };
            }
            // The position of an element, from one index for each dimension of a shape.
            B::FlatIndex => {
                let (shape, indices) = (self.ints(&on)?, self.ints(&arg)?);
                if shape.len() != indices.len() {
                    return fail("the number of indices is not the rank of a shape");
                }
                let mut at = 0_i128;
                for (size, index) in shape.iter().zip(indices) {
                    if !(0..*size).contains(&index) {
                        return fail(format!("index {index} is out of range for a dimension of size {size}"));
                    }
                    at = at.saturating_mul(*size).saturating_add(index);
                }
                return Ok(Val::Int(at));
            }
            B::WithElement => {
                let index = arg.int()?;
                let value = args.take(2);
                let (tuple, mut items) = match on {
                    Val::Tuple(items) => (true, items),
                    other => (false, self.items(&other)?),
                };
                self.step(items.len() as u64)?;
                let len = items.len();
                let list = std::sync::Arc::make_mut(&mut items);
                return match usize::try_from(index).ok().and_then(|at| list.get_mut(at)) {
                    Some(slot) => {
                        *slot = value;
                        Ok(if tuple { Val::Tuple(items) } else { Val::Range(items) })
                    }
                    None => index_out_of_range(index, len),
                };
            }
            B::Zip | B::Enumerate => {
                let mut ranges = vec![self.items(&on)?];
                for index in 1..count {
                    let range = if index == 1 { arg.clone() } else { args.take(index) };
                    ranges.push(self.items(&range)?);
                }
                let len = ranges.iter().map(|range| range.len()).min().unwrap_or(0);
                self.step((len as u64).saturating_mul(ranges.len() as u64))?;
                let number = |at: usize| (op == B::Enumerate).then(|| Val::count(at));
                let row = |at: usize| {
                    let fields = number(at).into_iter().chain(ranges.iter().map(|range| range[at].clone()));
                    Val::Tuple(fields.collect::<Vec<_>>().into())
                };
                return Ok(Val::range((0..len).map(row).collect()));
            }
            _ => {}
        }
        let items = self.items(&on)?;
        self.step(items.len() as u64)?;
        Ok(match op {
            B::Find => {
                let mut found = items.len();
                for (at, item) in items.iter().enumerate() {
                    if self.equal(item, &arg)? {
                        found = at;
                        break;
                    }
                }
                Val::Iterator(items, found)
            }
            // Keeps the first of several equal elements, or the first of several pairs with equal first fields.
            B::Distinct | B::DistinctKeys => {
                let compared =
                    |item: &Val<H>| if op == B::DistinctKeys { key(item) } else { Ok(item.clone()) };
                let mut distinct: Vec<Val<H>> = Vec::new();
                let mut known: Vec<Val<H>> = Vec::new();
                'items: for item in items.iter() {
                    let by = compared(item)?;
                    for other in &known {
                        if self.equal(&by, other)? {
                            continue 'items;
                        }
                    }
                    known.push(by);
                    distinct.push(item.clone());
                }
                Val::range(distinct)
            }
            B::SetBits => {
                let set = items.iter().enumerate().filter(|(_, bit)| bit.is_true());
                Val::range(set.map(|(at, _)| Val::count(at)).collect())
            }
            B::Count => {
                let mut count = 0;
                for item in items.iter() {
                    count += usize::from(self.equal(item, &arg)?);
                }
                Val::count(count)
            }
            B::MaxElement | B::MinElement => {
                let mut best = 0;
                for at in 1..items.len() {
                    let (a, b) = if op == B::MaxElement { (best, at) } else { (at, best) };
                    if self.less(&items[a], &items[b])? {
                        best = at;
                    }
                }
                Val::Iterator(items, best)
            }
            B::Sorted => Val::range(self.sorted(&items, |this, a, b| this.less(a, b))?),
            B::SortedBy => {
                let less = |this: &mut Self, a: &Val<H>, b: &Val<H>| {
                    this.apply(&arg, &[a.clone(), b.clone()]).map(|less| less.is_true())
                };
                Val::range(self.sorted(&items, less)?)
            }
            B::Unique => {
                let mut kept: Vec<Val<H>> = Vec::new();
                for item in items.iter() {
                    let same = match kept.last() {
                        Some(last) => self.equal(last, item)?,
                        None => false,
                    };
                    if !same {
                        kept.push(item.clone());
                    }
                }
                Val::range(kept)
            }
            B::EqualRanges => {
                // If `std::equal` gets only the start of the second range, it compares as many elements as the first
                // range has.
                let (others, prefix) = match &arg {
                    Val::Iterator(others, at) => {
                        (others.get(*at..).map_or(Vec::new(), <[_]>::to_vec).into(), true)
                    }
                    other => (self.items(other)?, false),
                };
                if prefix && others.len() < items.len() {
                    return fail("the second range of a comparison is shorter than the first");
                }
                let mut equal = prefix || others.len() == items.len();
                for (a, b) in items.iter().zip(others.iter()) {
                    equal = equal && self.equal(a, b)?;
                }
                Val::Bool(equal)
            }
            B::LexicographicLess => {
                let others = self.items(&arg)?;
                let mut less = items.len() < others.len();
                for (a, b) in items.iter().zip(others.iter()) {
                    if self.less(a, b)? {
                        less = true;
                        break;
                    }
                    if self.less(b, a)? {
                        less = false;
                        break;
                    }
                }
                Val::Bool(less)
            }
            B::Concat => {
                let others = self.items(&arg)?;
                self.step(others.len() as u64)?;
                Val::range(items.iter().chain(others.iter()).cloned().collect())
            }
            B::FindIf => {
                let mut found = items.len();
                for (at, item) in items.iter().enumerate() {
                    if self.apply(&arg, std::slice::from_ref(item))?.is_true() {
                        found = at;
                        break;
                    }
                }
                Val::Iterator(items, found)
            }
            // The binary search of C++'s standard library, which has the same result even for an unsorted range.
            B::PartitionPoint => {
                let (mut first, mut len) = (0, items.len());
                while len > 0 {
                    let half = len / 2;
                    let Some(item) = items.get(first + half) else { break };
                    if self.apply(&arg, std::slice::from_ref(item))?.is_true() {
                        (first, len) = (first + half + 1, len - half - 1);
                    } else {
                        len = half;
                    }
                }
                Val::Iterator(items, first)
            }
            B::Filter | B::FilterOut => {
                let mut kept = Vec::new();
                for item in items.iter() {
                    if self.apply(&arg, std::slice::from_ref(item))?.is_true() == (op == B::Filter) {
                        kept.push(item.clone());
                    }
                }
                Val::range(kept)
            }
            // The second argument is the initial value. The third argument is a lambda that combines the value so far
            // with an element.
            B::Fold => {
                let combine = args.take(2);
                let mut value = arg;
                for item in items.iter() {
                    value = self.apply(&combine, &[value, item.clone()])?;
                }
                value
            }
            _ => return fail("the snippet is malformed"),
        })
    }

    fn less(&mut self, a: &Val<H>, b: &Val<H>) -> Result<bool, Refusal> {
        self.step(1)?;
        match (a, b) {
            (Val::Str(a), Val::Str(b)) => Ok(a < b),
            (Val::Tuple(a), Val::Tuple(b)) => {
                for (a, b) in a.iter().zip(b.iter()) {
                    if self.less(a, b)? {
                        return Ok(true);
                    }
                    if self.less(b, a)? {
                        return Ok(false);
                    }
                }
                Ok(false)
            }
            _ => Ok(dynamic_binary(BinaryOp::Lt, a, b)?.is_true()),
        }
    }

    /// Sorts by merging. Unlike the comparison of `slice::sort_by`, `less` can fail, and need not be a total order.
    fn sorted(
        &mut self,
        items: &Items<H>,
        mut less: impl FnMut(&mut Self, &Val<H>, &Val<H>) -> Result<bool, Refusal>,
    ) -> Result<Vec<Val<H>>, Refusal> {
        let mut from: Vec<Val<H>> = items.to_vec();
        let mut width = 1;
        while width < from.len() {
            let mut to = Vec::with_capacity(from.len());
            for pair in from.chunks(2 * width) {
                let (mut a, mut b) = pair.split_at(width.min(pair.len()));
                while let (Some(first), Some(second)) = (a.first(), b.first()) {
                    self.step(1)?;
                    if less(self, second, first)? {
                        to.push(second.clone());
                        b = &b[1..];
                    } else {
                        to.push(first.clone());
                        a = &a[1..];
                    }
                }
                to.extend(a.iter().chain(b).cloned());
            }
            from = to;
            width *= 2;
        }
        Ok(from)
    }
}

/// The first field of a pair.
fn key<H: Facets>(pair: &Val<H>) -> Evaluated<H> {
    match pair {
        Val::Tuple(fields) if !fields.is_empty() => Ok(fields[0].clone()),
        other => fail(format!("{} is used as a pair", other.variant_name())),
    }
}
