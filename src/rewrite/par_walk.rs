//! Matching with many threads.
//!
//! Specification: the result is the same as if [`Engine::match_first`] were called at one operation after the other, in
//! the order of a walk.
//!
//! Matching changes nothing, so the work can be divided freely. If possible, a piece ends at an operation whose regions
//! use nothing from outside (a function), so that a match rarely tests operations of another piece. A thread takes a
//! cache for each piece and returns it afterwards.

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

use crate::host::{Facets, Ir, WalkOrder};
use crate::pdl::PatternId;
use crate::vm::Engine;

/// The minimum and maximum number of operations in a piece. The last piece can be smaller.
const PIECE: std::ops::Range<usize> = 1 << 10..1 << 13;

/// Matches every operation inside `root` with the threads of the current `rayon` pool. Calls `visit` for each operation
/// at which a rule matches, with the cache that holds the match, for [`Engine::binding`] and [`Engine::next_match`].
/// Returns the results of `visit` in post-order of the operations.
///
/// The engine searches once for a match at each operation. If an expression exceeds the budget of an evaluation, it is
/// not evaluated for later operations, so the result depends on the order of the operations. The operations are then
/// matched again, one after the other, and `visit` is called again. Only the results of the second pass are returned.
///
/// ```
/// use drrvm::host::Facets;
/// use drrvm::pdl::PatternId;
/// use drrvm::rewrite::par_walk;
/// use drrvm::vm::Matcher;
/// fn matches<H: Facets + Sync>(host: &H, root: H::Op, matcher: &Matcher<H>) -> Vec<(H::Op, PatternId)> {
///     par_walk(host, root, matcher, |op, rule, _| (op, rule))
/// }
/// ```
pub fn par_walk<H, E, T>(
    host: &H,
    root: H::Op,
    engine: &E,
    visit: impl Fn(H::Op, PatternId, &mut E::Cache) -> T + Sync,
) -> Vec<T>
where
    H: Facets + Sync,
    E: Engine<H>,
    E::Cache: Send,
    T: Send,
{
    let mut ops = Vec::new();
    host.walk(root, WalkOrder::Post, &mut |op| ops.push(op));
    ops.retain(|&op| op != root);
    let exhausted = engine.matcher().exhausted();
    let before = exhausted.sorted();
    let search = |op: H::Op, cache: &mut E::Cache| {
        let rule = engine.match_first(host, op, cache)?;
        Some(visit(op, rule, cache))
    };
    let caches: Mutex<Vec<E::Cache>> = Mutex::default();
    // A visitor that panics drops its cache; the other caches remain valid.
    let pool = || caches.lock().unwrap_or_else(PoisonError::into_inner);
    let found: Vec<Vec<T>> = pieces(host, &ops)
        .into_par_iter()
        .map(|piece| {
            let cache = pool().pop();
            let mut cache = cache.unwrap_or_else(|| engine.cache());
            let found = piece.iter().filter_map(|&op| search(op, &mut cache)).collect();
            pool().push(cache);
            found
        })
        .collect();
    // The order in which the threads exceeded the budget must not decide the result.
    if exhausted.sorted() != before {
        exhausted.restore(before);
        let mut cache = engine.cache();
        return ops.iter().filter_map(|&op| search(op, &mut cache)).collect();
    }
    found.into_iter().flatten().collect()
}

/// Divides the operations into pieces, in order.
fn pieces<'o, H: Ir>(host: &H, ops: &'o [H::Op]) -> Vec<&'o [H::Op]> {
    let mut pieces = Vec::new();
    let mut rest = ops;
    while !rest.is_empty() {
        let end = rest.len().min(PIECE.end);
        let at = (PIECE.start..end).find(|&at| host.is_isolated(rest[at - 1])).unwrap_or(end);
        let (piece, after) = rest.split_at(at);
        pieces.push(piece);
        rest = after;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::host::mock::Mock;
    use crate::host::{Entity, Natives};
    use crate::pdl::RuleSet;
    use crate::vm::{Automaton, LinkOptions, Matcher};
    use crate::{bytecode, matcher_tree};

    /// A chain of operations. A rule matches every third of them, and a rule of higher benefit every sixth.
    fn ladder(ops: usize) -> (Mock, RuleSet) {
        let mut ir = Mock::default();
        let mut value = ir.arg("i32");
        for i in 0..ops {
            let name = ["t.a", "t.b", "t.c"][i % 3];
            let attr = if i % 2 == 0 { "0 : i32" } else { "1 : i32" };
            value = ir.value(name, &[value, value], &[("v", attr)], "i32");
        }
        let mut rules = RuleSet::default();
        for (name, benefit, constant) in [("plain", 1, None), ("odd", 2, Some("1 : i32"))] {
            let mut rule = rules.pattern(name, benefit);
            let x = rule.value();
            let below = rule.op("t.b").operand(x).operand(x).matched();
            let value = rule.result(below, 0);
            let attr = constant.map(|constant| rule.attr_constant(constant));
            let mut root = rule.op("t.c").operand(value).operand(value);
            if let Some(attr) = attr {
                root = root.attr("v", attr);
            }
            let root = root.matched();
            rule.replace(root, [x]);
            rule.finish().expect("a valid rule");
        }
        (ir, rules)
    }

    #[test]
    fn many_threads_find_the_same_matches_in_the_same_order() {
        let (mut ir, rules) = ladder(20_000);
        let rules = rules.verify().expect("they verify");
        let tree = matcher_tree::build(rules, &matcher_tree::Config::new()).expect("it compiles");
        let program = bytecode::compile(rules, &tree).expect("it fits");
        let matcher = Matcher::link(Arc::new(program), &mut ir, &Natives::new(), &LinkOptions::default());
        let matcher = Arc::new(matcher.expect("it links"));
        let mut scratch = matcher.cache();
        let node = crate::pdl::NodeId::from_raw(0);
        let expected: Vec<_> = ir
            .block()
            .iter()
            .filter_map(|&op| {
                let rule = matcher.match_first(&ir, op, &mut scratch)?;
                Some((op, rule, matcher.binding(&ir, &mut scratch, node)))
            })
            .collect();
        assert_eq!(expected.len(), 20_000 / 3);
        assert!(expected.iter().any(|e| e.1 == PatternId::from_raw(1)));
        for threads in [1, 2, 8] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let root = ir.module();
            let by_tree = pool.install(|| {
                par_walk(&ir, root, &*matcher, |op, rule, cache| {
                    (op, rule, matcher.binding(&ir, cache, node))
                })
            });
            assert_eq!(by_tree, expected, "{threads}");
            let automaton = Automaton::new(matcher.clone());
            let by_automaton = pool.install(|| {
                par_walk(&ir, root, &automaton, |op, rule, cache| {
                    let bound: Option<Entity<Mock>> =
                        crate::vm::Engine::binding(&automaton, &ir, cache, node);
                    (op, rule, bound)
                })
            });
            assert_eq!(by_automaton, expected, "{threads}");
        }
    }

    #[test]
    fn pieces_are_all_operations_in_order() {
        let (mut ir, _) = ladder(20_000);
        for _ in 0..2_000 {
            ir.op("t.isolated", &[], &[], &[]);
        }
        let pieces = pieces(&ir, ir.block());
        assert_eq!(pieces.concat(), ir.block());
        // A piece ends at the first isolated operation after the minimum size, or else at the maximum size.
        let sizes: Vec<usize> = pieces.iter().map(|piece| piece.len()).collect();
        assert_eq!(sizes, [8192, 8192, 20_000 - 16_384 + 1, 1024, 2_000 - 1 - 1024]);
        assert!(super::pieces(&ir, &[]).is_empty());
    }
}
