//! Lowers algorithms of the standard library over two ranges. The functions of `algorithms.h` compute the results.

use crate::frontend::cxx::ast::{NodeId, TypeName};
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::lower::Lower;
use crate::snippet::{Form, IntTy, Typed};

impl Lower<'_, '_> {
    /// A call of an algorithm over two sorted ranges that adds elements to `back_inserter(variable)`. Returns `None` for
    /// other arguments.
    pub(super) fn merging_algorithm(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let Some((&to, ranges)) = args.split_last() else { return Ok(None) };
        let Some(target) = self.back_inserter(to) else { return Ok(None) };
        let Some([first, second]) = self.two_ranges(node, ranges)? else { return Ok(None) };
        for &range in ranges {
            self.require_unread_target(node, target, range)?;
        }
        match self.call_of_library(node, &format!("merged_{name}"), &[first, second])? {
            Some(merged) => self.append(node, target, merged).map(Some),
            None => Ok(None),
        }
    }

    /// A call of `includes`, `is_permutation` or `inner_product`. Returns `None` for other arguments.
    pub(super) fn comparing_algorithm(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let (ranges, initial) = match (name, args) {
            ("inner_product", &[ref ranges @ .., initial]) => (ranges, Some(initial)),
            ("inner_product", _) => return Ok(None),
            _ => (args, None),
        };
        let Some([first, second]) = self.two_ranges(node, ranges)? else { return Ok(None) };
        let mut values = vec![first, second];
        if let Some(initial) = initial {
            values.push(self.expression(initial, None)?);
        }
        self.call_of_library(node, &format!("compared_{name}"), &values)
    }

    /// The values of two ranges: `a, b`, `a.begin(), a.end(), b.begin(), b.end()`, or `a.begin(), a.end(), b.begin()`.
    /// In the last form, the second range has as many elements as the first.
    fn two_ranges(&mut self, node: NodeId, args: &[NodeId]) -> Result<Option<[Typed; 2]>, Fault> {
        let Some((first, rest)) = self.range_argument(node, args)? else { return Ok(None) };
        self.require_fixed_range(node, args)?;
        self.require_order_for(node, "two_ranges", &[first])?;
        let second = match *rest {
            [begin] if let Some(range) = self.range_of_begin(begin) => {
                let range = self.expression(range, None)?;
                let range = self.build(node, |b| b.as_range(range))?;
                let count = self.library_method(node, first, "size", &[])?;
                let start = self.build(node, |b| b.int(0, IntTy::I64))?;
                self.library_method(node, range, "slice", &[start, count])?
            }
            _ => match self.range_argument(node, rest)? {
                Some((range, [])) => range,
                _ => return Ok(None),
            },
        };
        self.require_fixed_range(node, rest)?;
        self.require_order_for(node, "two_ranges", &[second])?;
        let are_ranges = [first, second].iter().all(|range| range.ty.form == Form::Range);
        Ok(are_ranges.then_some([first, second]))
    }

    /// A call of a function that `algorithms.h` defines in `std`; `None` if the arguments do not fit.
    fn call_of_library(
        &mut self,
        node: NodeId,
        name: &str,
        values: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let name = TypeName { namespace: Some("std"), ..TypeName::plain(name, lo, hi) };
        self.helper_call_of(node, &name, &[], values)
    }
}
