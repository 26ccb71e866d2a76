//! Looks up rules by the name of their root.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::Program;
use crate::host::Facets;
use crate::id::Id;
use crate::intern::StrId;
use crate::pdl::PatternId;

use crate::vm::tree::Matcher;

/// Values for some rules of a program, by the name of each rule's root.
pub(in crate::vm) struct ByRoot<T> {
    /// The values of rules with a root name, by the program's number of that name.
    named: Vec<Vec<T>>,
    /// The values of rules for any operation.
    any: Vec<T>,
}

impl<T: Copy> ByRoot<T> {
    /// Makes a table of these values. A rule is omitted if the program has no number for the name of its root, as in a
    /// forged file.
    pub(in crate::vm) fn new(program: &Program, items: impl IntoIterator<Item = (PatternId, T)>) -> Self {
        let numbers: HashMap<StrId, usize, FxBuildHasher> =
            program.op_names.iter().copied().zip(0..).collect();
        let mut named = vec![Vec::new(); program.op_names.len()];
        let mut any = Vec::new();
        for (rule, item) in items {
            match program.pattern_debug(rule).root.map(|name| numbers.get(&name)) {
                None => any.push(item),
                Some(Some(&number)) => named[number].push(item),
                Some(None) => {}
            }
        }
        Self { named, any }
    }

    /// The values of the rules that may start at an operation; rules with a root name come first.
    pub(in crate::vm) fn at<H: Facets>(
        &self,
        matcher: &Matcher<H>,
        host: &H,
        op: H::Op,
    ) -> impl Iterator<Item = T> {
        let number = matcher.linked.op_number(host, op);
        self.named.get(number.index()).into_iter().flatten().chain(&self.any).copied()
    }
}
