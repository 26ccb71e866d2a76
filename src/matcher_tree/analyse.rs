//! Which rules can never win, and which win only because they come first.
//!
//! Specification: a rule that is reported unreachable matches nothing; one that is reported shadowed
//! or a duplicate is never the first match where operations have the results of their definitions, unless the
//! rule named is left out when the program is linked. That a rule is not reported says nothing.
//!
//! Method: rules are compared as rows. A rule shadows a later one of the same root if every test of it
//! follows from one of the other's; to find such a pair, each rule is listed under the rarest of its
//! tests that nothing but itself implies. What depends on a choice or a native is taken as unknown.

use std::rc::Rc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::{Arg, Arity, Callee, Constant, OpDef, PatternId, RuleSet, Trait, VerifiedRules};
use crate::snippet::{Alternatives, SnippetId};

use super::lower::lower;
use super::position::{CallId, ConstantId, Position, PositionId, Positions};
use super::predicate::{Answer, Family, Predicates, Question, QuestionId};
use super::row::{Guard, Row, RowId};

/// Something that is odd about a rule, in the company of the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The rule.
    pub pattern: PatternId,
    /// What is odd.
    pub kind: FindingKind,
}

/// What is odd about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// What it asks contradicts itself: it matches nothing.
    Unreachable,
    /// Wherever it matches, another rule does, and comes first.
    Shadowed {
        /// The other.
        by: PatternId,
    },
    /// It matches where another rule does and nowhere else, and comes later.
    Duplicate {
        /// The other.
        of: PatternId,
    },
    /// A rule of the same benefit may match at the same operation, and comes first for no other reason
    /// than the order of the rules.
    Overlaps {
        /// The other: the nearest such rule before this one.
        with: PatternId,
    },
}

/// What can be said of the rules of a verified set, sorted by rule; at most one finding a rule, the
/// gravest. Rules that do not compile are passed over: building the tree reports them.
///
/// Close to linear in the number of tests where rules differ in some name or constant; of rules that
/// overlap, only the nearest few are looked at.
///
/// ```
/// use drrvm::matcher_tree::{FindingKind, analyse};
/// use drrvm::pdl::RuleSet;
/// let mut rules = RuleSet::default();
/// for (name, benefit) in [("any", 2), ("zero", 1)] {
///     let mut rule = rules.pattern(name, benefit);
///     let value = if name == "zero" { rule.attr_constant("0 : i32") } else { rule.any_attr() };
///     let root = rule.op("t.op").attr("value", value).matched();
///     rule.erase(root);
///     rule.finish().unwrap();
/// }
/// let found = analyse(rules.verify().unwrap());
/// let any = rules.patterns().ids().next().unwrap();
/// assert!(matches!(found[..], [f] if f.kind == FindingKind::Shadowed { by: any }));
/// ```
pub fn analyse(rules: VerifiedRules<'_>) -> Vec<Finding> {
    analyse_with(rules, &Unknown)
}

/// What is known of the constants of rules, to whoever can evaluate them.
pub trait AttrConstants {
    /// Whether two constants are different attributes.
    fn differ(&self, a: Constant, b: Constant) -> bool;
    /// Whether a predicate over one attribute does not hold of a constant.
    fn is_refuted(&self, predicate: SnippetId, of: Constant) -> bool;
}

/// Nothing is known.
struct Unknown;

impl AttrConstants for Unknown {
    fn differ(&self, _: Constant, _: Constant) -> bool {
        false
    }
    fn is_refuted(&self, _: SnippetId, _: Constant) -> bool {
        false
    }
}

/// As [`analyse`]; rules that want an attribute to be what `constants` says cannot be one do not overlap.
pub fn analyse_with(rules: VerifiedRules<'_>, constants: &dyn AttrConstants) -> Vec<Finding> {
    let mut positions = Positions::default();
    let mut predicates = Predicates::default();
    let mut rows = IdVec::<RowId, Row>::default();
    for pattern in rules.in_order() {
        if let Ok(row) = lower(rules.rules(), pattern, &mut positions, &mut predicates) {
            rows.push(row);
        }
    }
    let mut analysis = Analysis {
        rules: rules.rules(),
        positions: &positions,
        predicates: &predicates,
        constants,
        profiles: IdVec::default(),
        alternatives: HashMap::default(),
    };
    for row in rows.iter() {
        let profile = analysis.profile(row);
        analysis.profiles.push(profile);
    }
    let mut found = analysis.run();
    found.sort_by_key(|finding| finding.pattern);
    found
}

/// What is known of a row.
struct Profile {
    pattern: PatternId,
    root: Option<StrId>,
    benefit: u16,
    /// Answers that it wants and that depend on the root alone, related ones beside each other.
    facts: Vec<Fact>,
    /// Calls of pure snippets that it wants to hold, or not to.
    calls: Vec<(CallId, bool)>,
    /// Types that a predicate is asked of, and how it can hold.
    types: Vec<(PositionId, Rc<Alternatives>)>,
    /// Attributes that it wants to be something.
    attrs: Vec<(AttrPlace, Wanted)>,
    /// Operations, or values that are defined by operations, that it wants to be constants.
    constants: Vec<PositionId>,
    /// Whether it wants nothing else.
    complete: bool,
}

/// An attribute: of which operation, its name, and what it is when absent. That one rule has looked at its class
/// before is no difference.
type AttrPlace = (PositionId, StrId, Option<ConstantId>);

/// What an attribute is wanted to be.
#[derive(Clone, Copy)]
enum Wanted {
    Constant(Constant),
    /// What satisfies a predicate.
    Some(SnippetId),
}

struct Analysis<'a> {
    rules: &'a RuleSet,
    positions: &'a Positions,
    predicates: &'a Predicates,
    constants: &'a dyn AttrConstants,
    profiles: IdVec<RowId, Profile>,
    /// How predicates over types can hold, of those that have been looked into.
    alternatives: HashMap<SnippetId, Option<Rc<Alternatives>>, FxBuildHasher>,
}

/// A wanted answer.
type Fact = (QuestionId, Answer);

/// A root's name and a wanted answer, under which rows are listed.
type Key = (Option<StrId>, Option<Fact>);

impl Analysis<'_> {
    /// How many rules before one are looked at for an overlap.
    const NEAREST: usize = 64;

    fn profile(&mut self, row: &Row) -> Profile {
        let mut profile = Profile {
            pattern: row.pattern,
            root: row.root,
            benefit: self.rules.patterns[row.pattern].benefit,
            facts: row.tests.iter().map(|test| (test.question, test.answer)).collect(),
            calls: Vec::new(),
            types: Vec::new(),
            attrs: Vec::new(),
            constants: row.guards.iter().filter_map(|guard| self.constant(guard)).collect(),
            complete: true,
        };
        for guard in &row.guards {
            match *guard {
                Guard::Test { question, answer, .. } if !self.is_late(question) => {
                    profile.facts.push((question, answer));
                }
                Guard::Call { call, negated } if self.is_fixed(call) => profile.calls.push((call, negated)),
                _ => profile.complete = false,
            }
        }
        profile.facts.sort_by_key(|fact| self.predicates.family(fact.0));
        for &(question, answer) in &profile.facts {
            profile.attrs.extend(self.wanted_attr(question, answer));
            let Question::Holds(snippet, position) = self.predicates[question] else { continue };
            if answer == Answer::YES && self.positions.kind(position) == Kind::Type {
                let known = self.alternatives.entry(snippet);
                let known =
                    known.or_insert_with(|| self.rules.snippets.alternatives(snippet).map(Rc::new)).clone();
                profile.types.extend(known.map(|known| (position, known)));
            }
        }
        profile.types.sort_by_key(|known| known.0);
        profile.attrs.sort_by_key(|wanted| wanted.0);
        profile
    }

    /// What an answer wants an attribute to be.
    fn wanted_attr(&self, question: QuestionId, answer: Answer) -> Option<(AttrPlace, Wanted)> {
        let constant =
            |id: ConstantId| self.positions.constants().get(id).map(|known| Wanted::Constant(known.1));
        let (position, wanted) = match self.predicates[question] {
            Question::Constant(position) => (position, constant(ConstantId::from_raw(answer.0))?),
            Question::Is(position, id) if answer == Answer::YES => (position, constant(id)?),
            Question::Holds(snippet, position) if answer == Answer::YES => (position, Wanted::Some(snippet)),
            _ => return None,
        };
        match self.positions[position] {
            Position::Attribute { op, name, default, .. } => Some(((op, name, default), wanted)),
            _ => None,
        }
    }

    /// Those of some facts, sorted by family, that are of one.
    fn of_family<'f>(&self, facts: &'f [Fact], family: Family) -> &'f [Fact] {
        let start = facts.partition_point(|fact| self.predicates.family(fact.0) < family);
        let rest = &facts[start..];
        &rest[..rest.partition_point(|fact| self.predicates.family(fact.0) == family)]
    }

    /// Those that may say something of a question.
    fn related<'f>(&self, facts: &'f [Fact], question: QuestionId) -> &'f [Fact] {
        self.of_family(facts, self.predicates.family(question))
    }

    /// The name that facts want an operation to have.
    fn name_at(&self, facts: &[Fact], op: PositionId) -> Option<StrId> {
        self.of_family(facts, Family::Thing(op)).iter().find_map(|&(question, answer)| {
            matches!(self.predicates[question], Question::Name(_)).then(|| StrId::from_raw(answer.0))
        })
    }

    /// What a guard wants to be a constant.
    fn constant(&self, guard: &Guard) -> Option<PositionId> {
        let &Guard::Call { call, negated: false } = guard else { return None };
        let call = &self.predicates.calls()[call];
        let Callee::Snippet(snippet) = call.callee else { return None };
        match call.args.get(self.rules.snippets.constant_argument(snippet)?)? {
            Arg::Of(position) if !self.positions.is_late(*position) => Some(*position),
            _ => None,
        }
    }

    /// Whether an attribute would have to be what both want, and nothing can be that.
    fn excludes_attr(&self, row: &Profile, other: &Profile) -> bool {
        row.attrs.iter().any(|(place, a)| {
            let start = other.attrs.partition_point(|wanted| wanted.0 < *place);
            let there = other.attrs[start..].iter().take_while(|wanted| wanted.0 == *place);
            { there }.any(|(_, b)| match (*a, *b) {
                (Wanted::Constant(a), Wanted::Constant(b)) => self.constants.differ(a, b),
                (Wanted::Constant(constant), Wanted::Some(predicate))
                | (Wanted::Some(predicate), Wanted::Constant(constant)) => {
                    self.constants.is_refuted(predicate, constant)
                }
                (Wanted::Some(_), Wanted::Some(_)) => false,
            })
        })
    }

    /// Whether a type would have to satisfy predicates of both that no type satisfies together.
    fn excludes(&self, row: &Profile, other: &Profile) -> bool {
        row.types.iter().any(|(position, a)| {
            let start = other.types.partition_point(|known| known.0 < *position);
            let there = other.types[start..].iter().take_while(|known| known.0 == *position);
            { there }.any(|(_, b)| a.exclude(b))
        })
    }

    /// Whether one wants a constant where the other wants an operation that is known to be none.
    fn wants_a_constant(&self, row: &Profile, other: &Profile) -> bool {
        let is_none = |name: StrId| {
            let def = self.rules.ops.find(name);
            def.is_some_and(|def| !def.span.is_none() && !def.traits.contains(&Trait::ConstantLike))
        };
        row.constants.iter().any(|&constant| {
            let defined_by = self.positions.find(Position::DefiningOp(constant));
            let ops = [Some(constant), defined_by].into_iter().flatten();
            ops.filter_map(|op| self.name_at(&other.facts, op)).any(is_none)
        })
    }

    fn is_late(&self, question: QuestionId) -> bool {
        self.predicates[question].positions().any(|position| self.positions.is_late(position))
    }

    /// Whether a call has one answer for a root, whoever asks.
    fn is_fixed(&self, call: CallId) -> bool {
        let call = &self.predicates.calls()[call];
        let snippet = match call.callee {
            Callee::Snippet(snippet) => self.rules.snippets.get(snippet).pure,
            Callee::Native(_) => false,
        };
        snippet
            && !call.chosen
            && call.results.is_empty()
            && call.positions().all(|p| !self.positions.is_late(p))
    }

    fn run(&self) -> Vec<Finding> {
        let rarest = self.rarest();
        let mut listed: HashMap<Key, Vec<RowId>, FxBuildHasher> = HashMap::default();
        // Rows of one root and benefit that came before, newest last.
        let mut peers: HashMap<(Option<StrId>, u16), Vec<RowId>, FxBuildHasher> = HashMap::default();
        let mut found = Vec::new();
        for (id, row) in self.profiles.iter_enumerated() {
            let mut kind = self.contradicts(&row.facts, &row.facts).then_some(FindingKind::Unreachable);
            if kind.is_none() {
                kind = self.shadow(row, &listed);
            }
            let alive = kind.is_none();
            if alive {
                kind = self.overlap(row, &peers);
                listed.entry((row.root, rarest[id])).or_default().push(id);
                peers.entry((row.root, row.benefit)).or_default().push(id);
            }
            found.extend(kind.map(|kind| Finding { pattern: row.pattern, kind }));
        }
        found
    }

    /// For each row, the wanted answer that is wanted least often among those that only they themselves
    /// imply.
    fn rarest(&self) -> IdVec<RowId, Option<Fact>> {
        let mut counts: HashMap<Fact, usize, FxBuildHasher> = HashMap::default();
        for fact in self.profiles.iter().flat_map(|profile| &profile.facts) {
            *counts.entry(*fact).or_default() += 1;
        }
        let alone =
            |fact: &&Fact| !matches!(self.predicates[fact.0], Question::Present(_) | Question::Fits { .. });
        let rarest = |row: &Profile| row.facts.iter().filter(alone).min_by_key(|fact| counts[*fact]).copied();
        self.profiles.iter().map(rarest).collect()
    }

    /// Whether an earlier row matches wherever this one does.
    fn shadow(&self, row: &Profile, listed: &HashMap<Key, Vec<RowId>, FxBuildHasher>) -> Option<FindingKind> {
        let keys = row.facts.iter().map(|fact| Some(*fact)).chain([None]);
        let any = row.root.map(|_| None);
        let mut first: Option<RowId> = None;
        for key in keys {
            for root in [Some(row.root), any].into_iter().flatten() {
                for &id in listed.get(&(root, key)).into_iter().flatten() {
                    if first.is_some_and(|first| first < id) {
                        break;
                    }
                    if self.implies(row, &self.profiles[id]) {
                        first = Some(id);
                        break;
                    }
                }
            }
        }
        let other = &self.profiles[first?];
        let same = row.root == other.root && row.complete && self.implies(other, row);
        Some(match same {
            true => FindingKind::Duplicate { of: other.pattern },
            false => FindingKind::Shadowed { by: other.pattern },
        })
    }

    /// Whether `other` matches wherever `row` does, their roots being no question.
    fn implies(&self, row: &Profile, other: &Profile) -> bool {
        other.complete
            && other.calls.iter().all(|call| row.calls.contains(call))
            && other.facts.iter().all(|&wanted| {
                let known = self.related(&row.facts, wanted.0).iter();
                self.is_said(known, wanted, true) || self.is_defined(row, wanted)
            })
    }

    /// Whether one of these facts says that a wanted answer is given, or that it is not.
    fn is_said<'f>(&self, mut known: impl Iterator<Item = &'f Fact>, wanted: Fact, given: bool) -> bool {
        known.any(|&(question, answer)| {
            self.predicates.follows(self.positions, (question, answer, true), wanted) == Some(given)
        })
    }

    /// Whether a row wants an operation that by its definition has the result that is asked for.
    fn is_defined(&self, row: &Profile, (question, answer): Fact) -> bool {
        let Question::Present(result) = self.predicates[question] else { return false };
        let Position::Result { op, index } = self.positions[result] else { return false };
        let single = |def: &OpDef| {
            let results = def.results.get(..=index as usize);
            results.is_some_and(|results| results.iter().all(|result| result.arity == Arity::One))
        };
        let named = || self.name_at(&row.facts, op);
        let name = if self.positions[op] == Position::Root { row.root } else { named() };
        answer == Answer::YES && name.and_then(|name| self.rules.ops.find(name)).is_some_and(single)
    }

    /// Whether some answers cannot be had together.
    fn contradicts(&self, a: &[Fact], b: &[Fact]) -> bool {
        b.iter().any(|&wanted| self.is_said(self.related(a, wanted.0).iter(), wanted, false))
    }

    /// A row before this one that differs from it in nothing but its place in the order.
    fn overlap(
        &self,
        row: &Profile,
        peers: &HashMap<(Option<StrId>, u16), Vec<RowId>, FxBuildHasher>,
    ) -> Option<FindingKind> {
        let before = peers.get(&(row.root, row.benefit))?;
        let near = before.iter().rev().take(Self::NEAREST).map(|&id| &self.profiles[id]);
        let mut overlapping = near.filter(|other| {
            !self.contradicts(&row.facts, &other.facts)
                && !self.contradicts(&other.facts, &row.facts)
                && !self.excludes(row, other)
                && !self.excludes_attr(row, other)
                && !self.wants_a_constant(row, other)
                && !self.wants_a_constant(other, row)
        });
        overlapping.next().map(|other| FindingKind::Overlaps { with: other.pattern })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::{NodeId, PatternBuilder};

    type Build = fn(&mut PatternBuilder<'_>) -> NodeId;

    /// What is found in rules, each made by a function and of a benefit.
    fn found(rules: &[(u16, Build)]) -> Vec<(u32, FindingKind)> {
        let mut set = RuleSet::default();
        for (i, (benefit, build)) in rules.iter().enumerate() {
            let mut rule = set.pattern(&format!("p{i}"), *benefit);
            let root = build(&mut rule);
            rule.erase(root);
            rule.finish().unwrap();
        }
        analyse(set.verify().unwrap()).into_iter().map(|f| (f.pattern.raw(), f.kind)).collect()
    }

    fn plain(rule: &mut PatternBuilder<'_>) -> NodeId {
        rule.op("t.op").matched()
    }

    fn any(rule: &mut PatternBuilder<'_>) -> NodeId {
        rule.any_op().matched()
    }

    fn zero(rule: &mut PatternBuilder<'_>) -> NodeId {
        let value = rule.attr_constant("0 : i32");
        rule.op("t.op").attr("value", value).matched()
    }

    fn one(rule: &mut PatternBuilder<'_>) -> NodeId {
        let value = rule.attr_constant("1 : i32");
        rule.op("t.op").attr("value", value).matched()
    }

    fn with_value(rule: &mut PatternBuilder<'_>) -> NodeId {
        let value = rule.any_attr();
        rule.op("t.op").attr("value", value).matched()
    }

    fn both_zero_and_one(rule: &mut PatternBuilder<'_>) -> NodeId {
        let (zero, one) = (rule.attr_constant("0 : i32"), rule.attr_constant("1 : i32"));
        rule.op("t.op").attr("value", zero).attr("value", one).matched()
    }

    fn asks_a_native(rule: &mut PatternBuilder<'_>) -> NodeId {
        let root = rule.op("t.op").matched();
        rule.constraint("native", [root]);
        root
    }

    const P0: PatternId = PatternId::from_raw(0);
    const P1: PatternId = PatternId::from_raw(1);

    #[test]
    fn a_later_rule_that_asks_more_is_shadowed() {
        assert_eq!(found(&[(1, plain), (1, zero)]), [(1, FindingKind::Shadowed { by: P0 })]);
        assert_eq!(found(&[(1, with_value), (1, zero)]), [(1, FindingKind::Shadowed { by: P0 })]);
        assert_eq!(found(&[(1, zero), (2, plain)]), [(0, FindingKind::Shadowed { by: P1 })]);
        assert_eq!(found(&[(2, any), (1, zero)]), [(1, FindingKind::Shadowed { by: P0 })]);
    }

    #[test]
    fn a_later_rule_that_asks_less_or_the_same_benefit_for_any_name_is_not() {
        assert_eq!(found(&[(2, zero), (1, plain)]), []);
        // Rules with a root name come first.
        assert_eq!(found(&[(1, any), (1, zero)]), []);
    }

    #[test]
    fn the_same_again_is_a_duplicate() {
        assert_eq!(found(&[(2, zero), (1, zero)]), [(1, FindingKind::Duplicate { of: P0 })]);
    }

    #[test]
    fn what_a_native_decides_shadows_nothing() {
        assert_eq!(found(&[(2, asks_a_native), (1, plain)]), []);
        assert_eq!(found(&[(2, asks_a_native), (1, asks_a_native)]), []);
        assert_eq!(found(&[(2, plain), (1, asks_a_native)]), [(1, FindingKind::Shadowed { by: P0 })]);
    }

    #[test]
    fn what_contradicts_itself_is_unreachable() {
        assert_eq!(found(&[(1, both_zero_and_one)]), [(0, FindingKind::Unreachable)]);
    }

    #[test]
    fn rules_of_one_benefit_overlap_unless_they_differ_in_an_answer() {
        assert_eq!(found(&[(1, zero), (1, one)]), []);
        assert_eq!(found(&[(1, zero), (1, plain)]), [(1, FindingKind::Overlaps { with: P0 })]);
        assert_eq!(found(&[(2, zero), (1, plain)]), []);
    }

    fn used_by(rule: &mut PatternBuilder<'_>, user: &str) -> NodeId {
        let ty = rule.any_type();
        let root = rule.op("t.op").result_type(ty).matched();
        let value = rule.result(root, 0);
        rule.op(user).operand(value).matched();
        rule.root(root);
        root
    }

    /// A value may have users of both names.
    #[test]
    fn what_users_are_tells_no_rules_apart() {
        let rules: [(u16, Build); 2] = [(1, |rule| used_by(rule, "t.u")), (1, |rule| used_by(rule, "t.v"))];
        assert_eq!(found(&rules), [(1, FindingKind::Overlaps { with: P0 })]);
    }

    #[test]
    fn the_first_of_several_shadows() {
        let [value, other, both]: [Build; 3] = [
            zero,
            |rule| {
                let zero = rule.attr_constant("0 : i32");
                rule.op("t.op").attr("other", zero).matched()
            },
            |rule| {
                let (zero, other) = (rule.attr_constant("0 : i32"), rule.attr_constant("0 : i32"));
                rule.op("t.op").attr("value", zero).attr("other", other).matched()
            },
        ];
        assert_eq!(found(&[(3, value), (2, other), (1, both)]), [(2, FindingKind::Shadowed { by: P0 })]);
        assert_eq!(found(&[(3, other), (2, value), (1, both)]), [(2, FindingKind::Shadowed { by: P0 })]);
        // What is shadowed itself shadows nothing: the first one does.
        assert_eq!(
            found(&[(3, plain), (2, value), (1, both)]),
            [(1, FindingKind::Shadowed { by: P0 }), (2, FindingKind::Shadowed { by: P0 })]
        );
    }
}
