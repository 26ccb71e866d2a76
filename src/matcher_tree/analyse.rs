//! Finds rules that can never be applied, and rules of equal benefit that can match at the same operation, so that the
//! order of the rule list decides between them.
//!
//! Specification: an unreachable rule matches nothing. A shadowed or duplicate rule is never the first match. This
//! holds if operations have the results that their definitions state, and if linking does not drop the other rule of
//! the finding. The analysis does not find all such rules.
//!
//! Method: rules are compared as rows. A rule shadows a later rule if it starts at all operations at which the later
//! rule starts, and each of its tests follows from a test of the later rule. To find such pairs, each rule is listed
//! under one of its tests: the test that the fewest rules have, among the tests that no other test can imply. Guards
//! that are not known to depend on the root alone, such as choices and calls of natives, are ignored in the later rule.
//! An earlier rule with such a guard shadows nothing.

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

/// A problem of one rule in the context of the other rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Finding {
    /// The rule.
    pub pattern: PatternId,
    /// The problem.
    pub kind: FindingKind,
}

/// The kinds of problems.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FindingKind {
    /// The conditions of the rule contradict each other, so it matches nothing.
    Unreachable,
    /// Another rule matches at every operation that this rule matches, and comes first.
    Shadowed {
        /// The other rule.
        by: PatternId,
    },
    /// Another rule matches at exactly the same operations, and comes first.
    Duplicate {
        /// The other rule.
        of: PatternId,
    },
    /// Another rule with the same benefit can match at the same operation, and comes first only because of the order of
    /// the rule list.
    Overlaps {
        /// The nearest such rule before this rule.
        with: PatternId,
    },
}

/// Knowledge about the constants of rules, from a caller that can evaluate them.
pub(crate) trait AttrConstants {
    /// True if two constants are different attributes.
    fn differ(&self, a: Constant, b: Constant) -> bool;
    /// The answer of a predicate over one attribute for a constant, if it is known.
    fn answer(&self, predicate: SnippetId, of: Constant) -> Option<bool>;
}

/// Analyses rules. Returns the most severe finding of each rule, sorted by rule. Rules that do not compile are skipped,
/// because building the tree reports them. Rules do not overlap if `constants` shows that their requirements on an
/// attribute exclude each other.
///
/// The time is close to linear in the number of tests if rules differ in some name or constant. Only the nearest
/// preceding rules are checked for overlaps.
pub(crate) fn analyse_with(rules: VerifiedRules<'_>, constants: &dyn AttrConstants) -> Vec<Finding> {
    let mut positions = Positions::default();
    let mut predicates = Predicates::default();
    let mut rows = IdVec::<RowId, Row>::default();
    for pattern in rules.in_order() {
        if let Ok(row) = lower(rules.rules(), pattern, Row::BATCH, &mut positions, &mut predicates) {
            rows.push(row);
        }
    }
    let mut analysis = Analysis {
        rules: rules.rules(),
        positions: &positions,
        predicates: &predicates,
        constants,
        requirements: IdVec::default(),
        alternatives: HashMap::default(),
    };
    for row in rows.iter() {
        let requirements = analysis.requirements_of(row);
        analysis.requirements.push(requirements);
    }
    let mut found = analysis.run();
    found.sort_by_key(|finding| finding.pattern);
    found
}

/// The requirements of a row.
struct Requirements {
    pattern: PatternId,
    root: Option<StrId>,
    benefit: u16,
    /// The required answers to questions that depend on the root alone, sorted by family.
    answers: Vec<RequiredAnswer>,
    /// The calls of pure snippets that depend on the root alone. The flag is true if the snippet must not hold.
    calls: Vec<(CallId, bool)>,
    /// The types that must satisfy a predicate, each with the [`Alternatives`] that the predicate allows.
    types: Vec<(PositionId, Rc<Alternatives>)>,
    /// The requirements on attributes.
    attrs: Vec<(AttrPlace, AttrRequirement)>,
    /// The operations that must be constants, and the values that must be results of constant operations.
    constants: Vec<PositionId>,
    /// True if the row has no other requirements.
    complete: bool,
}

/// An attribute: the operation, the name, and the default. The storage predicate is ignored.
type AttrPlace = (PositionId, StrId, Option<ConstantId>);

/// A requirement on an attribute.
#[derive(Clone, Copy)]
enum AttrRequirement {
    Constant(Constant),
    /// The attribute satisfies this predicate.
    Predicate(SnippetId),
}

struct Analysis<'a> {
    rules: &'a RuleSet,
    positions: &'a Positions,
    predicates: &'a Predicates,
    constants: &'a dyn AttrConstants,
    requirements: IdVec<RowId, Requirements>,
    /// The alternatives of each predicate over types that was analysed before.
    alternatives: HashMap<SnippetId, Option<Rc<Alternatives>>, FxBuildHasher>,
}

/// A question, with the answer that a row requires.
type RequiredAnswer = (QuestionId, Answer);

/// The root name and the required answer under which a row is listed. The answer is `None` if the row requires no
/// suitable answer.
type Key = (Option<StrId>, Option<RequiredAnswer>);

impl Analysis<'_> {
    /// The maximum number of preceding rules with the same root and benefit that are checked for an overlap.
    const NEAREST: usize = 64;

    fn requirements_of(&mut self, row: &Row) -> Requirements {
        let mut requirements = Requirements {
            pattern: row.pattern,
            root: row.root,
            benefit: self.rules.patterns[row.pattern].benefit,
            answers: row.tests.iter().map(|test| (test.question, test.answer)).collect(),
            calls: Vec::new(),
            types: Vec::new(),
            attrs: Vec::new(),
            constants: row.guards.iter().filter_map(|guard| self.constant(guard)).collect(),
            complete: true,
        };
        for guard in &row.guards {
            match *guard {
                Guard::Test { question, answer, .. } if !self.is_late(question) => {
                    requirements.answers.push((question, answer));
                }
                Guard::Call { call, negated } if self.is_fixed(call) => {
                    requirements.calls.push((call, negated));
                }
                _ => requirements.complete = false,
            }
        }
        requirements.answers.sort_by_key(|answer| self.predicates.family(answer.0));
        for &(question, answer) in &requirements.answers {
            requirements.attrs.extend(self.wanted_attr(question, answer));
            let Question::Holds(snippet, position) = self.predicates[question] else { continue };
            if answer == Answer::YES && self.positions.kind(position) == Kind::Type {
                let known = self.alternatives.entry(snippet);
                let of_types = || self.rules.snippets.alternatives(snippet, Kind::Type).map(Rc::new);
                let known = known.or_insert_with(of_types).clone();
                requirements.types.extend(known.map(|known| (position, known)));
            }
        }
        requirements.types.sort_by_key(|known| known.0);
        requirements.attrs.sort_by_key(|wanted| wanted.0);
        requirements
    }

    /// The requirement on an attribute that an answer implies.
    fn wanted_attr(&self, question: QuestionId, answer: Answer) -> Option<(AttrPlace, AttrRequirement)> {
        let constant = |id: ConstantId| {
            self.positions.constants().get(id).map(|known| AttrRequirement::Constant(known.1))
        };
        let (position, wanted) = match self.predicates[question] {
            Question::Constant(position) => (position, constant(ConstantId::from_raw(answer.0))?),
            Question::Is(position, id) if answer == Answer::YES => (position, constant(id)?),
            Question::Holds(snippet, position) if answer == Answer::YES => {
                (position, AttrRequirement::Predicate(snippet))
            }
            _ => return None,
        };
        match self.positions[position] {
            Position::Attribute { op, name, default, .. } => Some(((op, name, default), wanted)),
            _ => None,
        }
    }

    /// The answers to questions of one family. `answers` are sorted by family.
    fn of_family<'f>(&self, answers: &'f [RequiredAnswer], family: Family) -> &'f [RequiredAnswer] {
        let start = answers.partition_point(|answer| self.predicates.family(answer.0) < family);
        let rest = &answers[start..];
        &rest[..rest.partition_point(|answer| self.predicates.family(answer.0) == family)]
    }

    /// The answers to questions that are related to a question.
    fn related<'f>(&self, answers: &'f [RequiredAnswer], question: QuestionId) -> &'f [RequiredAnswer] {
        self.of_family(answers, self.predicates.family(question))
    }

    /// The name of an operation, if one of the answers states it.
    fn name_at(&self, answers: &[RequiredAnswer], op: PositionId) -> Option<StrId> {
        self.of_family(answers, Family::Entity(op)).iter().find_map(|&(question, answer)| {
            matches!(self.predicates[question], Question::Name(_)).then(|| StrId::from_raw(answer.0))
        })
    }

    /// The position that a guard requires to be a constant.
    fn constant(&self, guard: &Guard) -> Option<PositionId> {
        let &Guard::Call { call, negated: false } = guard else { return None };
        let call = &self.predicates.calls()[call];
        let Callee::Snippet(snippet) = call.callee else { return None };
        match call.args.get(self.rules.snippets.constant_argument(snippet)?)? {
            Arg::Of(position) if !self.positions.is_late(*position) => Some(*position),
            _ => None,
        }
    }

    /// True if the requirements of the two rows on the same attribute exclude each other.
    fn excludes_attr(&self, row: &Requirements, other: &Requirements) -> bool {
        row.attrs.iter().any(|(place, a)| {
            let start = other.attrs.partition_point(|wanted| wanted.0 < *place);
            let there = other.attrs[start..].iter().take_while(|wanted| wanted.0 == *place);
            { there }.any(|(_, b)| match (*a, *b) {
                (AttrRequirement::Constant(a), AttrRequirement::Constant(b)) => self.constants.differ(a, b),
                (AttrRequirement::Constant(constant), AttrRequirement::Predicate(predicate))
                | (AttrRequirement::Predicate(predicate), AttrRequirement::Constant(constant)) => {
                    self.constants.answer(predicate, constant) == Some(false)
                }
                (AttrRequirement::Predicate(_), AttrRequirement::Predicate(_)) => false,
            })
        })
    }

    /// True if both rows require that the type at some position satisfies a predicate, and no type satisfies both
    /// predicates.
    fn excludes(&self, row: &Requirements, other: &Requirements) -> bool {
        row.types.iter().any(|(position, a)| {
            let start = other.types.partition_point(|known| known.0 < *position);
            let there = other.types[start..].iter().take_while(|known| known.0 == *position);
            { there }.any(|(_, b)| a.exclude(b))
        })
    }

    /// True if `row` requires a constant where `other` requires an operation that is not a constant.
    fn wants_a_constant(&self, row: &Requirements, other: &Requirements) -> bool {
        let is_no_constant = |name: StrId| {
            let def = self.rules.ops.find(name);
            def.is_some_and(|def| !def.span.is_none() && !def.traits.contains(&Trait::ConstantLike))
        };
        row.constants.iter().any(|&constant| {
            let defined_by = self.positions.find(Position::DefiningOp(constant));
            let ops = [Some(constant), defined_by].into_iter().flatten();
            ops.filter_map(|op| self.name_at(&other.answers, op)).any(is_no_constant)
        })
    }

    fn is_late(&self, question: QuestionId) -> bool {
        self.predicates[question].positions().any(|position| self.positions.is_late(position))
    }

    /// True if the answer of a call depends on the root alone.
    fn is_fixed(&self, call: CallId) -> bool {
        let call = &self.predicates.calls()[call];
        let pure = match call.callee {
            Callee::Snippet(snippet) => self.rules.snippets.get(snippet).pure,
            Callee::Native(_) => false,
        };
        pure && !call.chosen
            && call.results.is_empty()
            && call.positions().all(|p| !self.positions.is_late(p))
    }

    fn run(&self) -> Vec<Finding> {
        let rarest = self.rarest();
        let mut listed: HashMap<Key, Vec<RowId>, FxBuildHasher> = HashMap::default();
        // The preceding rows by root and benefit, newest last.
        let mut peers: HashMap<(Option<StrId>, u16), Vec<RowId>, FxBuildHasher> = HashMap::default();
        let mut found = Vec::new();
        for (id, row) in self.requirements.iter_enumerated() {
            let mut kind = self.contradicts(&row.answers, &row.answers).then_some(FindingKind::Unreachable);
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

    /// For each row, the required answer that the fewest rows require, among the answers that no answer to another
    /// question implies.
    fn rarest(&self) -> IdVec<RowId, Option<RequiredAnswer>> {
        let mut counts: HashMap<RequiredAnswer, usize, FxBuildHasher> = HashMap::default();
        for answer in self.requirements.iter().flat_map(|requirements| &requirements.answers) {
            *counts.entry(*answer).or_default() += 1;
        }
        let is_never_implied = |answer: &&RequiredAnswer| match self.predicates[answer.0] {
            Question::Present(_) | Question::Fits { .. } => false,
            // A constant attribute implies the predicates that it satisfies.
            Question::Holds(_, position) => self.positions.kind(position) != Kind::Attr,
            _ => true,
        };
        let rarest = |row: &Requirements| {
            row.answers.iter().filter(is_never_implied).min_by_key(|answer| counts[*answer]).copied()
        };
        self.requirements.iter().map(rarest).collect()
    }

    /// The finding about `row` if an earlier row matches at every operation that `row` matches.
    fn shadow(
        &self,
        row: &Requirements,
        listed: &HashMap<Key, Vec<RowId>, FxBuildHasher>,
    ) -> Option<FindingKind> {
        let keys = row.answers.iter().map(|answer| Some(*answer)).chain([None]);
        let any = row.root.map(|_| None);
        let mut first: Option<RowId> = None;
        for key in keys {
            for root in [Some(row.root), any].into_iter().flatten() {
                for &id in listed.get(&(root, key)).into_iter().flatten() {
                    if first.is_some_and(|first| first < id) {
                        break;
                    }
                    if self.implies(row, &self.requirements[id]) {
                        first = Some(id);
                        break;
                    }
                }
            }
        }
        let other = &self.requirements[first?];
        let same = row.root == other.root && row.complete && self.implies(other, row);
        Some(match same {
            true => FindingKind::Duplicate { of: other.pattern },
            false => FindingKind::Shadowed { by: other.pattern },
        })
    }

    /// True if `other` matches at every operation that `row` matches. The names of the roots are not compared.
    fn implies(&self, row: &Requirements, other: &Requirements) -> bool {
        other.complete
            && other.calls.iter().all(|call| row.calls.contains(call))
            && other.answers.iter().all(|&wanted| {
                let known = self.related(&row.answers, wanted.0).iter();
                self.is_decided(known, wanted, true)
                    || self.is_defined(row, wanted)
                    || self.is_constant_in(row, wanted)
            })
    }

    /// True if the question tests an attribute's class or a predicate over the attribute, and the row requires a
    /// constant attribute that satisfies this test.
    fn is_constant_in(&self, row: &Requirements, (question, answer): RequiredAnswer) -> bool {
        let (attr, predicate) = match self.predicates[question] {
            Question::Present(attr) => (attr, None),
            Question::Holds(predicate, attr) => (attr, Some(predicate)),
            _ => return false,
        };
        let Position::Attribute { op, name, storage, default } = self.positions[attr] else { return false };
        let place = (op, name, default);
        let start = row.attrs.partition_point(|wanted| wanted.0 < place);
        let mut there = row.attrs[start..].iter().take_while(|wanted| wanted.0 == place);
        answer == Answer::YES
            && there.any(|(_, requirement)| match *requirement {
                AttrRequirement::Constant(constant) => { storage.into_iter().chain(predicate) }
                    .all(|test| self.constants.answer(test, constant) == Some(true)),
                AttrRequirement::Predicate(_) => false,
            })
    }

    /// True if one of the known answers implies `wanted` (if `expected` is true) or contradicts it (if `expected` is
    /// false).
    fn is_decided<'f>(
        &self,
        mut known: impl Iterator<Item = &'f RequiredAnswer>,
        wanted: RequiredAnswer,
        expected: bool,
    ) -> bool {
        known.any(|&(question, answer)| {
            self.predicates.follows(self.positions, (question, answer, true), wanted) == Some(expected)
        })
    }

    /// True if the question tests the presence of a result, and the operation has this result by its definition.
    fn is_defined(&self, row: &Requirements, (question, answer): RequiredAnswer) -> bool {
        let Question::Present(result) = self.predicates[question] else { return false };
        let Position::Result { op, index } = self.positions[result] else { return false };
        let single = |def: &OpDef| {
            let results = def.results.get(..=index as usize);
            results.is_some_and(|results| results.iter().all(|result| result.arity == Arity::One))
        };
        let named = || self.name_at(&row.answers, op);
        let name = if self.positions[op] == Position::Root { row.root } else { named() };
        answer == Answer::YES && name.and_then(|name| self.rules.ops.find(name)).is_some_and(single)
    }

    /// True if an answer of `a` contradicts an answer of `b`.
    fn contradicts(&self, a: &[RequiredAnswer], b: &[RequiredAnswer]) -> bool {
        b.iter().any(|&wanted| self.is_decided(self.related(a, wanted.0).iter(), wanted, false))
    }

    /// The finding about `row` if a preceding row with the same root and benefit can match at the same operation.
    fn overlap(
        &self,
        row: &Requirements,
        peers: &HashMap<(Option<StrId>, u16), Vec<RowId>, FxBuildHasher>,
    ) -> Option<FindingKind> {
        let before = peers.get(&(row.root, row.benefit))?;
        let near = before.iter().rev().take(Self::NEAREST).map(|&id| &self.requirements[id]);
        let mut overlapping = near.filter(|other| {
            !self.contradicts(&row.answers, &other.answers)
                && !self.contradicts(&other.answers, &row.answers)
                && !self.excludes(row, other)
                && !self.excludes_attr(row, other)
                && !self.wants_a_constant(row, other)
                && !self.wants_a_constant(other, row)
        });
        overlapping.next().map(|other| FindingKind::Overlaps { with: other.pattern })
    }
}

/// Analyses rules without knowledge about constants.
#[cfg(test)]
pub(crate) fn analyse(rules: VerifiedRules<'_>) -> Vec<Finding> {
    struct NoConstants;
    impl AttrConstants for NoConstants {
        fn differ(&self, _: Constant, _: Constant) -> bool {
            false
        }
        fn answer(&self, _: SnippetId, _: Constant) -> Option<bool> {
            None
        }
    }
    analyse_with(rules, &NoConstants)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::{NodeId, PatternBuilder};

    type Build = fn(&mut PatternBuilder<'_>) -> NodeId;

    /// The findings for rules. For each rule, `rules` has its benefit and a function that builds its match part.
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
    fn a_later_rule_with_more_tests_is_shadowed() {
        assert_eq!(found(&[(1, plain), (1, zero)]), [(1, FindingKind::Shadowed { by: P0 })]);
        assert_eq!(found(&[(1, with_value), (1, zero)]), [(1, FindingKind::Shadowed { by: P0 })]);
        assert_eq!(found(&[(1, zero), (2, plain)]), [(0, FindingKind::Shadowed { by: P1 })]);
        assert_eq!(found(&[(2, any), (1, zero)]), [(1, FindingKind::Shadowed { by: P0 })]);
    }

    #[test]
    fn a_rule_with_more_tests_or_a_later_rule_for_any_name_shadows_nothing() {
        assert_eq!(found(&[(2, zero), (1, plain)]), []);
        // Rules with a root name come first.
        assert_eq!(found(&[(1, any), (1, zero)]), []);
    }

    #[test]
    fn an_equal_later_rule_is_a_duplicate() {
        assert_eq!(found(&[(2, zero), (1, zero)]), [(1, FindingKind::Duplicate { of: P0 })]);
    }

    #[test]
    fn a_rule_with_a_native_shadows_nothing() {
        assert_eq!(found(&[(2, asks_a_native), (1, plain)]), []);
        assert_eq!(found(&[(2, asks_a_native), (1, asks_a_native)]), []);
        assert_eq!(found(&[(2, plain), (1, asks_a_native)]), [(1, FindingKind::Shadowed { by: P0 })]);
    }

    #[test]
    fn a_rule_that_contradicts_itself_is_unreachable() {
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

    /// A value can have users of both names.
    #[test]
    fn rules_with_different_users_overlap() {
        let rules: [(u16, Build); 2] = [(1, |rule| used_by(rule, "t.u")), (1, |rule| used_by(rule, "t.v"))];
        assert_eq!(found(&rules), [(1, FindingKind::Overlaps { with: P0 })]);
    }

    #[test]
    fn the_finding_names_the_first_rule_that_shadows() {
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
        // A shadowed rule does not shadow other rules; the first rule shadows both.
        assert_eq!(
            found(&[(3, plain), (2, value), (1, both)]),
            [(1, FindingKind::Shadowed { by: P0 }), (2, FindingKind::Shadowed { by: P0 })]
        );
    }
}
