//! The subpatterns that may hold at an operation while its table walk is computed, and sets of them.

use smallvec::SmallVec;

use super::ids::{PropertyId, PropertyValue};
use super::rules::{Requirement, Rules};
use crate::matcher_tree::{SubpatternId, bits};

/// A subpattern that may hold, with a bit for each open requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Candidate {
    pub(super) subpattern: SubpatternId,
    pub(super) open: u64,
}

/// A set of candidates of a plan, as bits.
///
/// A transition intersects two sets word by word, so it tests no requirement again.
pub(super) type CandidateSet = SmallVec<[u64; 2]>;

/// Removes the candidates that are not in `mask`.
pub(super) fn retain(set: &mut CandidateSet, mask: &[u64]) {
    set.iter_mut().zip(mask).for_each(|(word, mask)| *word &= mask);
}

/// The set of all candidates.
pub(super) fn all(candidates: &[Candidate]) -> CandidateSet {
    let mut all = CandidateSet::from_elem(u64::MAX, words(candidates));
    let unused = 64 * all.len() - candidates.len();
    if let Some(last) = all.last_mut() {
        *last >>= unused;
    }
    all
}

/// The number of words of a set of candidates.
pub(super) fn words(candidates: &[Candidate]) -> usize {
    candidates.len().div_ceil(64)
}

/// The candidates whose requirements on a property all hold. `holds` decides a requirement by its value.
pub(super) fn mask(
    candidates: &[Candidate],
    rules: &Rules,
    property: PropertyId,
    holds: impl Fn(PropertyValue) -> bool,
) -> CandidateSet {
    let mut mask = CandidateSet::from_elem(0, words(candidates));
    for (index, candidate) in candidates.iter().enumerate() {
        let requirements = &rules.subpatterns[candidate.subpattern].requirements;
        let of_property = |r: &&Requirement| r.property == property;
        let left = requirements.iter().filter(of_property).all(|requirement| holds(requirement.value));
        mask[index / 64] |= u64::from(left) << (index % 64);
    }
    mask
}

/// The candidates that a test does not exclude. `test` decides a requirement, or returns `None` if it stays open.
pub(super) fn remaining(
    rules: &Rules,
    candidates: &[Candidate],
    test: impl Fn(PropertyId, PropertyValue) -> Option<bool>,
) -> Vec<Candidate> {
    let mut left = Vec::with_capacity(candidates.len());
    'candidates: for &candidate in candidates {
        let mut open = candidate.open;
        for bit in bits(candidate.open) {
            let requirement = rules.subpatterns[candidate.subpattern].requirements[bit];
            match test(requirement.property, requirement.value) {
                Some(false) => continue 'candidates,
                Some(true) => open &= !(1 << bit),
                None => {}
            }
        }
        left.push(Candidate { subpattern: candidate.subpattern, open });
    }
    left
}
