//! Facts about operation registers that hold on all paths to an instruction.

use std::num::NonZeroU32;

use super::invalid::{Valid, in_code, too_long};
use crate::bytecode::ids::Register;

/// A list of the facts that hold at an instruction, represented by the number of its newest fact. Each fact refers to
/// the fact before it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct FactId(NonZeroU32);

impl FactId {
    /// The fact at each address where matching starts: the register of the root is loaded.
    pub(super) const ROOT: FactId = FactId(NonZeroU32::MIN);

    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// A register is loaded, and its operation has at least this many operands.
#[derive(Clone, Copy)]
struct Fact {
    register: Register,
    operands: u32,
    before: Option<FactId>,
}

/// The facts about all instructions. Lists of facts share their tails.
pub(super) struct Facts {
    facts: Vec<Fact>,
    /// The number of facts that may still be read. This limit keeps the time linear in the length of the code.
    left: usize,
    /// The working memory of [`Self::meet`].
    kept: Vec<Fact>,
}

impl Facts {
    pub(super) fn new(code: usize) -> Self {
        let fact = Fact { register: Register::ROOT, operands: 0, before: None };
        Self { facts: vec![fact], left: 4096 * code + (1 << 24), kept: Vec::new() }
    }

    /// The minimum number of operands of the operation in a register; `None` if the register is not loaded.
    pub(super) fn operands(&mut self, facts: FactId, register: Register) -> Option<u32> {
        let mut next = Some(facts);
        while let Some(id) = next {
            let fact = self.facts[id.index()];
            if fact.register == register {
                return Some(fact.operands);
            }
            next = fact.before;
            self.left = self.left.saturating_sub(1);
        }
        None
    }

    /// Adds the fact that a register is loaded and its operation has at least this many operands.
    pub(super) fn learn(&mut self, facts: FactId, register: Register, operands: u32) -> Valid<FactId> {
        if self.operands(facts, register).is_some_and(|known| known >= operands) {
            return Ok(facts);
        }
        self.push(Fact { register, operands, before: Some(facts) })
    }

    fn push(&mut self, fact: Fact) -> Valid<FactId> {
        self.facts.push(fact);
        let id = u32::try_from(self.facts.len()).ok().and_then(NonZeroU32::new).ok_or_else(too_long)?;
        self.check_time()?;
        Ok(FactId(id))
    }

    fn check_time(&self) -> Valid {
        if self.left == 0 {
            return Err(in_code(
                "the paths through the code load more operations than the validator follows".into(),
            ));
        }
        Ok(())
    }

    /// The facts that hold on both of two paths. `None` stands for a path that does not exist; then all facts of the
    /// other path hold.
    pub(super) fn meet(&mut self, a: Option<FactId>, b: Option<FactId>) -> Valid<Option<FactId>> {
        let (Some(first), Some(second)) = (a, b) else { return Ok(a.or(b)) };
        if first == second {
            return Ok(a);
        }
        // If one list is a tail of the other list, the common facts are those of the shorter list.
        let (older, mut newer) = (a.min(b), a.max(b));
        while let Some(id) = newer.filter(|_| newer > older) {
            newer = self.facts[id.index()].before;
            self.left = self.left.saturating_sub(1);
        }
        self.check_time()?;
        if newer == older {
            return Ok(older);
        }
        let mut kept = std::mem::take(&mut self.kept);
        let (mut next, mut all) = (a, true);
        while let Some(id) = next {
            let fact = self.facts[id.index()];
            // Only the newest fact about a register counts: it has the largest number of operands.
            let common = match self.operands(second, fact.register) {
                Some(operands) if self.operands(first, fact.register) == Some(fact.operands) => {
                    all &= operands >= fact.operands;
                    Some(Fact { operands: operands.min(fact.operands), ..fact })
                }
                _ => None,
            };
            all &= common.is_some();
            kept.extend(common);
            next = fact.before;
        }
        let mut met = if all { a } else { None };
        for fact in kept.drain(..).rev().filter(|_| !all) {
            met = Some(match met {
                Some(met) => self.learn(met, fact.register, fact.operands)?,
                None => self.push(Fact { before: None, ..fact })?,
            });
        }
        self.kept = kept;
        self.check_time()?;
        Ok(met)
    }
}
