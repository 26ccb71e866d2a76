//! Finds rules that may match their own output, or the output of each other, without end.
//!
//! Specification: the output of a rule is the operations that it creates and the values that replace matched
//! operations. If a sequence of rules can be repeated without end because each rule matches the output of an earlier
//! rule, then a cycle through some of these rules is found. This requires that no native creates operations. A found
//! cycle can still end: the analysis knows neither the values of attributes that natives compute, nor the order of
//! visits.
//!
//! Method: a rule leads to another rule if its output can be part of a match of the other rule, and the constraints of
//! both rules do not exclude each other (`overlap.rs`). A rule occurs in no endless sequence if it reduces a measure of
//! the IR that no rule of its cycles increases (`measure.rs`).

mod measure;
mod overlap;
mod path_order;

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use hashbrown::HashMap;

use self::overlap::Made;
use super::constants::EvaluatedConstants;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::{NodeId, PatternId, RuleSet, Source};

/// Rules that may be applied without end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cycle {
    /// A shortest sequence of rules in which each rule can match the output of the previous rule; the first rule
    /// follows the last. The sequence begins with the rule that comes first in the rule list.
    pub(super) rules: Vec<PatternId>,
    /// The number of other rules that are in longer cycles with these.
    pub(super) others: usize,
}

/// Finds a shortest cycle in each set of rules that may be applied without end. The cycles are in the order of their
/// first rules. A set is not reported if all its rules are marked as recursive, because the mark states that they
/// terminate.
///
/// The time to compare the rules is proportional to their number times the number of rules that match the same
/// operations.
///
/// # Errors
/// More pairs than [`LIMIT`] have to be compared.
pub(super) fn find(rules: &RuleSet, constants: &EvaluatedConstants<'_>) -> Result<Vec<Cycle>, TooManyPairs> {
    let next = successors(rules, constants)?;
    let mut open = components(&next, &next.ids().collect::<Vec<_>>());
    let measures = measure::Changes::new(rules, &open);
    let mut cycles = Vec::new();
    while let Some(set) = open.pop() {
        if set.iter().all(|&rule| rules.patterns[rule].recursive) {
            continue;
        }
        let remaining = measures.without_decreasing(&set);
        if remaining.len() < set.len() {
            open.extend(components(&next, &remaining));
        } else if let Some(found) =
            shortest(&next, &set, |rule| measures.without_decreasing(&[rule]).is_empty())
        {
            cycles.push(Cycle { others: set.len() - found.len(), rules: found });
        }
    }
    cycles.sort_unstable_by(|a, b| a.rules.cmp(&b.rules));
    Ok(cycles)
}

/// The maximum number of compared pairs. One element of a pair is an operation or value in the output of a rule, and
/// the other is an operation that a rule matches.
pub(super) const LIMIT: usize = 2_000_000;

/// More pairs than [`LIMIT`] have to be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooManyPairs;

/// For each rule, the rules that can match its output, in ascending order.
fn successors(
    rules: &RuleSet,
    constants: &EvaluatedConstants<'_>,
) -> Result<IdVec<PatternId, Vec<PatternId>>, TooManyPairs> {
    let (mut roots, mut inner) = (Nodes::new(), Nodes::new());
    for (id, pattern) in rules.patterns.iter_enumerated() {
        for (node, found) in pattern.matcher.iter_enumerated() {
            if let Some(op) = found.as_operation() {
                let is_root = pattern.matcher.roots.contains(&node);
                let nodes = if is_root { &mut roots } else { &mut inner };
                nodes.entry(op.name).or_default().push((id, node));
            }
        }
    }
    let knowledge = overlap::Knowledge::new(rules, constants);
    let mut pairs = 0;
    let of = |id: PatternId| {
        let made = Made::new(&knowledge, id);
        let mut next: BTreeSet<PatternId> = BTreeSet::new();
        let mut add = |product: Source, nodes: &Nodes| {
            let name = made.name(product);
            let fitting =
                nodes.iter().filter(|(other, _)| name.is_none() || other.is_none() || **other == name);
            for &(other, node) in fitting.flat_map(|(_, nodes)| nodes) {
                pairs += 1;
                if pairs > LIMIT {
                    return;
                }
                if !next.contains(&other) && made.fits(product, other, node) {
                    next.insert(other);
                }
            }
        };
        made.created_ops().for_each(|op| add(op, &roots));
        // The root of a new match is a created operation, or it existed before the rewrite. In the latter case, only
        // replacements connect the root with the output of the rule.
        made.replacements().into_iter().for_each(|value| add(value, &inner));
        if pairs > LIMIT { Err(TooManyPairs) } else { Ok(next.into_iter().collect()) }
    };
    rules.patterns.ids().map(of).collect()
}

/// Operation nodes by their names.
type Nodes = BTreeMap<Option<StrId>, Vec<(PatternId, NodeId)>>;

/// A shortest cycle within a strongly connected set, beginning with the rule that has the smallest id. A cycle of one
/// rule does not count if `ends` returns true for the rule.
fn shortest(
    next: &IdVec<PatternId, Vec<PatternId>>,
    set: &[PatternId],
    ends: impl Fn(PatternId) -> bool,
) -> Option<Vec<PatternId>> {
    let mut found: Option<Vec<PatternId>> = None;
    for &start in set {
        let mut from: HashMap<PatternId, PatternId> = HashMap::new();
        let mut queue = VecDeque::from([(start, 1)]);
        'search: while let Some((rule, length)) = queue.pop_front() {
            if found.as_ref().is_some_and(|found| length >= found.len()) {
                break;
            }
            for &to in next[rule].iter().filter(|to| set.binary_search(to).is_ok()) {
                if to == start && rule == start && ends(rule) {
                    continue;
                }
                if to == start {
                    let mut path = vec![rule];
                    while let Some(&before) =
                        path.last().filter(|&&rule| rule != start).and_then(|rule| from.get(rule))
                    {
                        path.push(before);
                    }
                    path.reverse();
                    found = Some(path);
                    break 'search;
                }
                if !from.contains_key(&to) {
                    from.insert(to, rule);
                    queue.push_back((to, length + 1));
                }
            }
        }
    }
    found.map(|mut path| {
        let first = (0..path.len()).min_by_key(|&index| path[index]).unwrap_or(0);
        path.rotate_left(first);
        path
    })
}

/// The strongly connected components that contain a cycle, in a part of a graph. Each component is sorted. The method
/// is Tarjan's algorithm without recursion.
fn components(next: &IdVec<PatternId, Vec<PatternId>>, part: &[PatternId]) -> Vec<Vec<PatternId>> {
    let mut number: IdVec<PatternId, Option<usize>> = next.iter().map(|_| None).collect();
    let mut low: IdVec<PatternId, usize> = next.iter().map(|_| 0).collect();
    let mut open: IdVec<PatternId, bool> = next.iter().map(|_| false).collect();
    let mut inside: IdVec<PatternId, bool> = next.iter().map(|_| false).collect();
    part.iter().for_each(|&rule| inside[rule] = true);
    let (mut stack, mut found, mut count) = (Vec::new(), Vec::new(), 0);
    for &start in part {
        if number[start].is_some() {
            continue;
        }
        let mut path = vec![(start, 0)];
        while let Some(&mut (at, ref mut edge)) = path.last_mut() {
            if *edge == 0 {
                (number[at], low[at], open[at]) = (Some(count), count, true);
                count += 1;
                stack.push(at);
            }
            if let Some(&to) = next[at].get(*edge) {
                *edge += 1;
                match number[to] {
                    _ if !inside[to] => {}
                    None => path.push((to, 0)),
                    Some(number) if open[to] => low[at] = low[at].min(number),
                    Some(_) => {}
                }
                continue;
            }
            path.pop();
            if let Some(&(parent, _)) = path.last() {
                low[parent] = low[parent].min(low[at]);
            }
            if number[at] == Some(low[at]) {
                let from = stack.iter().rposition(|&node| node == at).expect("open nodes are on the stack");
                let mut set = stack.split_off(from);
                set.iter().for_each(|&node| open[node] = false);
                set.sort_unstable();
                if set.len() > 1 || next[at].contains(&at) {
                    found.push(set);
                }
            }
        }
    }
    found
}

#[cfg(test)]
mod tests;
