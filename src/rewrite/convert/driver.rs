//! The legalisation of operations, one after the other.

use std::cmp::Reverse;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::config::{Conversion, ConversionMode};
use super::costs::{RuleFacts, depths};
use super::events::ConversionEvent;
use super::functions::{Convertible, Functions};
use super::report::{ConversionError, ConversionFailure, ConversionReport, FailureKind, Tried};
use super::rewriter::ConversionRewriter;
use super::state::{Mark, State};
use super::target::Action;
use crate::host::{Blocks, Entity, Facets, Folded, Journal, OpNameId, Refusal, Rewriter, WalkOrder};
use crate::id::Id;
use crate::pdl::{PatternId, shown_name};
use crate::rewrite::op_facts::OpFacts;
use crate::stack::with_room;
use crate::vm::{Matcher, Scratch};

/// The maximum number of illegal operations that are reported.
const MAX_FAILURES: usize = 16;
/// The maximum number of nested rules, each of which created an operation that is being legalised.
const MAX_DEPTH: usize = 512;
const TOO_DEEP: &str = "the chain of rules has more than 512 rules";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Legality {
    Legal,
    Illegal,
    Unknown,
}

/// The facts about the operations of one name.
struct NameFacts<H: Blocks> {
    /// The statement of the target about the name. If there is none and the dialect is illegal, the statement about the
    /// dialect.
    op: Option<Action<H>>,
    /// The statement of the target about the dialect, or about all operations without another statement.
    other: Option<Action<H>>,
    /// The statement of the target about recursive legality.
    recursive: Option<Action<H>>,
    /// The kind of the operations, if their types are converted without rules and they are not functions.
    kind: Option<Convertible>,
    /// The indices of the conversion patterns for the name and for any name.
    patterns: Vec<usize>,
    /// True if `patterns` is empty, and the engine finds the rules in the order in which they are tried.
    in_engine_order: bool,
    /// The legality of operations without regions, if it is the same for all of them.
    common: Option<Legality>,
    /// True if a fold is registered for the name.
    folds: bool,
}

/// A rule that is tried on an operation.
#[derive(Clone, Copy, Debug)]
enum Candidate {
    /// A conversion pattern, by its index.
    Pattern(usize),
    /// The match with this number among all matches at the operation.
    Match(usize),
}

/// The facts that determine the order of the conversion patterns and of the rules of the matcher. Indices number the
/// patterns first, and then the rules.
struct Rules {
    /// By index, the number of steps to legal operations; `None` for a rule that cannot succeed.
    depths: Vec<Option<u32>>,
    /// The indices of the patterns and rules for each root, in ascending order.
    by_root: HashMap<OpNameId, Vec<usize>, FxBuildHasher>,
    /// The indices of the patterns and rules for any root, in ascending order.
    any: Vec<usize>,
}

/// The order in which rules are tried: smaller depths first, then higher benefits, then rules for one operation name
/// before rules for any operation, then smaller indices.
type Key = ((bool, Option<u32>), Reverse<u16>, bool, usize);

pub(super) struct Driver<'d, H: Facets + Blocks> {
    conversion: &'d Conversion<H>,
    matcher: Option<&'d Matcher<H>>,
    scratch: Option<Scratch<H>>,
    /// The operation of the match in `scratch`, and the number of the match; `None` after another search.
    current: Option<(H::Op, usize)>,
    facts: OpFacts,
    functions: Functions,
    rules: Rules,
    /// True for each rule that is being applied, or whose new operations are being legalised.
    active: Vec<bool>,
    /// The facts about each name, by the number of the name; `None` until they are needed.
    names: Vec<Option<NameFacts<H>>>,
    depth: usize,
    spent: u64,
    budget: u64,
    applied: u64,
    undone: u64,
}

impl<'d, H: Facets + Blocks> Driver<'d, H> {
    pub(super) fn new(host: &mut H, conversion: &'d Conversion<H>, matcher: Option<&'d Matcher<H>>) -> Self {
        let functions = Functions::new(host);
        let rules = Rules::new(host, conversion, matcher);
        let facts = matcher.map_or_else(OpFacts::default, |matcher| OpFacts::link(host, matcher.program()));
        Self {
            conversion,
            matcher,
            scratch: matcher.map(Matcher::cache),
            current: None,
            facts,
            functions,
            active: vec![false; rules.depths.len()],
            rules,
            names: Vec::new(),
            depth: 0,
            spent: 0,
            budget: 0,
            applied: 0,
            undone: 0,
        }
    }

    /// Converts the operations inside `root`. On an error, the caller must undo the changes of the state.
    pub(super) fn run(
        &mut self,
        state: &mut State<'d, H>,
        root: H::Op,
    ) -> Result<ConversionReport<H>, ConversionError<H>> {
        let ops = self.collect(state, root);
        let (input, visited) = (ops.len(), ops.len() as u64);
        let mut has_room = false;
        self.budget = self.conversion.max_rewrites.unwrap_or(10_000 + 32 * ops.len() as u64);
        let (mut failures, mut unknown, mut converted) = (Vec::new(), Vec::new(), Vec::new());
        for op in ops {
            if state.is_dead(op) {
                continue;
            }
            let legality = self.legality(state, op);
            if legality != Legality::Legal && !has_room {
                state.reserve(input);
                has_room = true;
            }
            match self.legalize_from(state, op, legality) {
                Ok(()) if legality == Legality::Legal => {}
                Ok(()) => converted.push(op),
                Err(_) if self.spent > self.budget => {
                    failures.push(failure(state.host, op, FailureKind::Budget(self.budget)));
                    break;
                }
                Err(_) if self.conversion.mode == ConversionMode::Analysis => {}
                Err(tried)
                    if self.conversion.mode == ConversionMode::Full || legality == Legality::Illegal =>
                {
                    let explicitly =
                        legality == Legality::Illegal && self.conversion.mode != ConversionMode::Full;
                    failures.push(failure(state.host, op, FailureKind::Illegal { explicitly, tried }));
                    if failures.len() == MAX_FAILURES {
                        break;
                    }
                }
                Err(_) => unknown.push(op),
            }
        }
        if failures.is_empty() && self.conversion.mode != ConversionMode::Analysis {
            failures.extend(self.check_calls(state, root));
        }
        if !failures.is_empty() {
            return Err(ConversionError { failures });
        }
        let (applied, undone) = (self.applied, self.undone);
        let analysis = self.conversion.mode == ConversionMode::Analysis;
        Ok(ConversionReport {
            visited,
            applied,
            undone,
            remaining_casts: 0,
            ops: if analysis { converted } else { unknown },
        })
    }

    /// The operations inside `root`, without those inside recursively legal operations.
    fn collect(&mut self, state: &mut State<'d, H>, root: H::Op) -> Vec<H::Op> {
        let mut ops = Vec::new();
        state.host.walk(root, WalkOrder::Pre, &mut |op| ops.push(op));
        if self.conversion.target.has_recursive() {
            let outer: Vec<_> =
                std::iter::successors(state.host.parent_op(root), |&op| state.host.parent_op(op)).collect();
            for op in outer {
                self.close_if_recursive(state, op);
            }
            ops.retain(|&op| {
                let is_kept = op == root || !state.is_inside_closed(op);
                if is_kept {
                    self.close_if_recursive(state, op);
                }
                is_kept
            });
        }
        ops.retain(|&op| op != root);
        ops
    }

    /// Closes an operation if it is legal and recursively legal: the operations inside it are not converted.
    fn close_if_recursive(&mut self, state: &mut State<'d, H>, op: H::Op) {
        let Some(action) = &self.name_facts(state.host, op).recursive else { return };
        if evaluate(state.host, op, action) == Legality::Legal && self.legality(state, op) == Legality::Legal
        {
            state.close(op);
        }
    }

    /// The facts about the name of an operation.
    #[inline]
    fn name_facts(&mut self, host: &H, op: H::Op) -> &NameFacts<H> {
        let name = host.op_name(op);
        let index = name.index();
        if self.names.get(index).is_none_or(Option::is_none) {
            self.learn(host, name);
        }
        self.names[index].as_ref().expect("the facts of the name are known")
    }

    /// Computes the facts about a name.
    #[cold]
    fn learn(&mut self, host: &H, name: OpNameId) {
        let (target, text) = (&self.conversion.target, host.op_name_text(name));
        let (patterns, in_engine_order) = self.rules.of_root(name, self.conversion, self.matcher);
        if name.index() >= self.names.len() {
            self.names.resize_with(name.index() + 1, || None);
        }
        let other = target.other_action(&text);
        // The conversion of types cannot make an operation of an illegal dialect legal.
        let of_illegal = || other.clone().filter(|action| matches!(action, Action::Illegal));
        let op = target.op_action(&text).or_else(of_illegal);
        let kind = self.functions.kind_of_name(name);
        let common = match (&op, kind, &other) {
            (Some(action), ..) | (None, None, Some(action)) => action.common(),
            (None, None, None) => Some(Legality::Unknown),
            (None, Some(_), _) => None,
        };
        self.names[name.index()] = Some(NameFacts {
            op,
            other,
            recursive: target.recursive_action(&text),
            kind,
            patterns,
            in_engine_order,
            common,
            folds: self.matcher.is_some_and(|matcher| matcher.hooks().folds.contains_key(&name)),
        });
    }

    #[inline]
    fn legality(&mut self, state: &mut State<'d, H>, op: H::Op) -> Legality {
        let common = self.name_facts(state.host, op).common;
        match common {
            Some(legality) if state.host.region_count(op) == 0 => legality,
            _ => self.legality_of_one(state, op),
        }
    }

    /// Computes the legality of an operation that has regions, or whose name alone does not decide it.
    fn legality_of_one(&mut self, state: &mut State<'d, H>, op: H::Op) -> Legality {
        let facts = self.name_facts(state.host, op);
        if let Some(action) = &facts.op {
            return evaluate(state.host, op, action);
        }
        let kind = facts.kind;
        if let Some(known) = self.convertible_kind(state, op, kind) {
            let legal = self.functions.is_legal(state, op, known);
            return if legal { Legality::Legal } else { Legality::Illegal };
        }
        let other = &self.name_facts(state.host, op).other;
        other.as_ref().map_or(Legality::Unknown, |action| evaluate(state.host, op, action))
    }

    /// The kind of an operation that the conversion of types rewrites without a rule. `of_name` is the kind that
    /// follows from its name. A branch has a kind only if the arguments of its successors have legal types.
    fn convertible_kind(
        &self,
        state: &mut State<'d, H>,
        op: H::Op,
        of_name: Option<Convertible>,
    ) -> Option<Convertible> {
        if !self.conversion.functions || state.converter.is_none() {
            return None;
        }
        let kind = of_name.or_else(|| self.functions.function_kind(state.host, op))?;
        for index in 0..state.host.successor_count(op) {
            for arg in state.args(state.host.successor(op, index)) {
                let ty = state.host.value_type(arg);
                if !state.is_legal_type(ty) {
                    return None;
                }
            }
        }
        Some(kind)
    }

    /// Passes an event to the log, if there is one.
    fn log(&self, host: &H, event: ConversionEvent<'_, H>) {
        if let Some(log) = &self.conversion.log {
            log(host, event);
        }
    }

    /// Makes an operation legal. If no rule succeeds, returns the rules that were tried, and nothing changes.
    fn legalize(&mut self, state: &mut State<'d, H>, op: H::Op) -> Result<(), Vec<Tried>> {
        if state.is_dead(op) || state.is_pending_cast(op) {
            return Ok(());
        }
        let legality = self.legality(state, op);
        self.legalize_from(state, op, legality)
    }

    /// Makes an operation legal, like [`Self::legalize`]. `legality` is its legality now.
    fn legalize_from(
        &mut self,
        state: &mut State<'d, H>,
        op: H::Op,
        legality: Legality,
    ) -> Result<(), Vec<Tried>> {
        self.log(state.host, ConversionEvent::Visit(op));
        if legality == Legality::Legal {
            if self.conversion.target.has_recursive() {
                self.close_if_recursive(state, op);
            }
            self.log(state.host, ConversionEvent::Legal);
            return Ok(());
        }
        if state.is_inside_closed(op) {
            self.log(state.host, ConversionEvent::Legal);
            return Ok(());
        }
        if self.depth == MAX_DEPTH {
            self.log(state.host, ConversionEvent::NotLegalized);
            return Err(vec![tried("(all)", None, TOO_DEEP)]);
        }
        self.depth += 1;
        let result = with_room(|| {
            if self.conversion.fold && self.name_facts(state.host, op).folds && self.fold(state, op) {
                self.log(state.host, ConversionEvent::Folded);
                return Ok(());
            }
            self.try_rules(state, op)
        });
        if result.is_err() {
            self.log(state.host, ConversionEvent::NotLegalized);
        }
        self.depth -= 1;
        result
    }

    fn try_rules(&mut self, state: &mut State<'d, H>, op: H::Op) -> Result<(), Vec<Tried>> {
        let mut all_tried = Vec::new();
        let facts = self.name_facts(state.host, op);
        if facts.in_engine_order {
            let mut number = 0;
            while let Some(rule) = self.nth_match(state.host, op, number) {
                self.current = Some((op, number));
                let candidate = Candidate::Match(number);
                if self.attempt(state, op, candidate, Some(rule), &mut all_tried) {
                    return Ok(());
                }
                number += 1;
            }
        } else {
            let patterns = facts.patterns.clone();
            let found = self.matches(state.host, op);
            let mut candidates = Vec::new();
            let key = |index| self.rules.key(index, self.conversion, self.matcher);
            for index in patterns {
                candidates.push((key(index), Candidate::Pattern(index), None));
            }
            for (number, rule) in found.into_iter().enumerate() {
                let index = self.conversion.patterns.len() + rule.index();
                candidates.push((key(index), Candidate::Match(number), Some(rule)));
            }
            candidates.sort_by_key(|candidate| candidate.0);
            for (_, candidate, rule) in candidates {
                if self.attempt(state, op, candidate, rule, &mut all_tried) {
                    return Ok(());
                }
            }
        }
        let kind = self.name_facts(state.host, op).kind;
        if let Some(known) = self.convertible_kind(state, op, kind)
            && !self.functions.is_legal(state, op, known)
        {
            let (mark, applied) = (state.mark(), self.applied);
            self.log(state.host, ConversionEvent::Try(known.rule_name()));
            match self.functions.convert(state, op, known).map_err(|refusal| refusal.to_string()).and_then(
                |()| {
                    // The operation, or its replacement, has legal types now.
                    self.legalize_results(state, op, &mark)
                },
            ) {
                Ok(()) => {
                    self.applied += 1;
                    self.log(state.host, ConversionEvent::Applied);
                    return Ok(());
                }
                Err(reason) => {
                    state.undo_to(mark);
                    self.applied = applied;
                    self.undone += 1;
                    self.fail(state.host, tried(known.rule_name(), None, &reason), &mut all_tried);
                }
            }
        }
        Err(all_tried)
    }

    /// The rules that match an operation, in the order of the engine.
    fn matches(&mut self, host: &H, op: H::Op) -> Vec<PatternId> {
        self.current = None;
        let (Some(matcher), Some(scratch)) = (self.matcher, &mut self.scratch) else { return Vec::new() };
        let first = matcher.match_first(host, op, scratch);
        std::iter::successors(first, |_| matcher.next_match(host, scratch)).collect()
    }

    /// Finds a match by its number.
    fn nth_match(&mut self, host: &H, op: H::Op, number: usize) -> Option<PatternId> {
        let (matcher, scratch) = (self.matcher?, self.scratch.as_mut()?);
        let mut found = matcher.match_first(host, op, scratch)?;
        for _ in 0..number {
            found = matcher.next_match(host, scratch)?;
        }
        Some(found)
    }

    /// Applies a rule and legalises the operations that it creates or changes. If this fails, nothing changes, and the
    /// result is false. The reason is then added to `all`, unless the budget is used up.
    fn attempt(
        &mut self,
        state: &mut State<'d, H>,
        op: H::Op,
        candidate: Candidate,
        rule: Option<PatternId>,
        all: &mut Vec<Tried>,
    ) -> bool {
        let conversion = self.conversion;
        let matcher = self.matcher;
        let (index, recursive) = match (candidate, rule, matcher) {
            (Candidate::Pattern(index), ..) => (index, conversion.patterns[index].recursive),
            (Candidate::Match(_), Some(rule), Some(matcher)) => {
                (conversion.patterns.len() + rule.index(), matcher.program().patterns()[rule].recursive)
            }
            _ => return false,
        };
        let tried = |reason: &str| {
            let name = rule_name(conversion, matcher, candidate, rule);
            Tried { rule: name.to_owned(), pattern: rule, reason: reason.to_owned() }
        };
        if self.conversion.log.is_some() {
            let name = rule_name(conversion, matcher, candidate, rule);
            self.log(state.host, ConversionEvent::Try(name));
        }
        if self.rules.depths[index].is_none() {
            let reason = "no rule can legalize the operations that it creates";
            self.fail(state.host, tried(reason), all);
            return false;
        }
        if self.active[index] && !recursive {
            let reason = "the rule is being applied already, and is not marked as recursive";
            self.fail(state.host, tried(reason), all);
            return false;
        }
        self.spent += 1;
        if self.spent > self.budget {
            self.log(state.host, ConversionEvent::Failed(&tried("too many rules were applied")));
            return false;
        }
        let (mark, applied) = (state.mark(), self.applied);
        let was_active = std::mem::replace(&mut self.active[index], true);
        let result = match candidate {
            Candidate::Pattern(index) => self.run_pattern(state, op, index),
            Candidate::Match(number) => self.run_rule(state, op, number),
        };
        let result = result
            .map_err(|refusal| refusal.to_string())
            .and_then(|()| self.legalize_results(state, op, &mark));
        self.active[index] = was_active;
        match result {
            Ok(()) => {
                self.applied += 1;
                self.log(state.host, ConversionEvent::Applied);
                true
            }
            Err(reason) => {
                state.undo_to(mark);
                self.applied = applied;
                self.undone += 1;
                self.fail(state.host, tried(&reason), all);
                false
            }
        }
    }

    /// Records the failure of a rule in the list of rules that were tried.
    fn fail(&self, host: &H, tried: Tried, all: &mut Vec<Tried>) {
        self.log(host, ConversionEvent::Failed(&tried));
        all.push(tried);
    }

    fn run_pattern(&mut self, state: &mut State<'d, H>, op: H::Op, index: usize) -> Result<(), Refusal> {
        let conversion = self.conversion;
        let pattern = &conversion.patterns[index];
        let mut operands = Vec::new();
        for index in 0..state.host.operand_count(op) {
            let operand = state.host.operand(op, index);
            let values =
                if pattern.converts_operands { state.converted(operand)? } else { state.current(operand) };
            if pattern.single_values && values.len() != 1 {
                return Err(Refusal::new(format!("operand {index} is converted to {} values", values.len())));
            }
            operands.push(values);
        }
        let mut legalize = |state: &mut State<'d, H>, op: H::Op| self.legalize(state, op).is_ok();
        let mut rewriter = ConversionRewriter { state, root: op, legalize: &mut legalize };
        (pattern.run)(&mut rewriter, op, &operands)
    }

    fn run_rule(&mut self, state: &mut State<'d, H>, op: H::Op, number: usize) -> Result<(), Refusal> {
        let no_match = || Refusal::new("the rule does not match any more");
        if self.current.take() != Some((op, number)) {
            self.nth_match(state.host, op, number).ok_or_else(no_match)?;
        }
        let (Some(matcher), Some(scratch)) = (self.matcher, &mut self.scratch) else {
            return Err(no_match());
        };
        let (mut bound, mut types) = (None, Vec::new());
        if state.converter.is_some() && self.conversion.rules_convert_types {
            let mut entities = matcher.bound(state.host, scratch);
            let mut changed = false;
            for entity in entities.values_mut() {
                changed |= convert_entity(state, op, entity)?;
            }
            bound = changed.then_some(entities);
            for index in 0..state.host.result_count(op) {
                let ty = state.host.value_type(state.host.result(op, index));
                if let [to] = *state.convert_type(ty)?
                    && to != ty
                {
                    types.push((ty, to));
                }
            }
        }
        let journal = matcher.rewrite_uncommitted(
            state.host,
            scratch,
            bound.as_ref(),
            &types,
            &mut state.is_dead_arg,
        )?;
        state.take(journal)?;
        let structural = &journal.structural;
        if !structural.in_use {
            return Ok(());
        }
        if structural.touched.contains(&op) && !state.is_dead(op) {
            state.modified.push(op);
        }
        if state.converter.is_some() && self.conversion.rules_convert_types {
            for region in structural.all_filled() {
                if !state.is_dead(region.op) {
                    state.convert_region_types(region)?;
                }
            }
        }
        Ok(())
    }

    /// Legalises the operations that a rule created or changed. The error is the reason for a failure.
    fn legalize_results(&mut self, state: &mut State<'d, H>, op: H::Op, mark: &Mark) -> Result<(), String> {
        // Nested rules append operations to both lists and legalise them, so this function visits only the entries that
        // exist now.
        let (created, modified) = (mark.created..state.created.len(), mark.modified..state.modified.len());
        if !state.is_dead(op) && !state.modified[modified.clone()].contains(&op) {
            return Err("the rule neither replaces nor changes the operation".to_owned());
        }
        for at in created {
            self.legalize_result(state, state.created[at], "creates")?;
        }
        for at in modified {
            self.legalize_result(state, state.modified[at], "changes")?;
        }
        Ok(())
    }

    fn legalize_result(&mut self, state: &mut State<'d, H>, new: H::Op, verb: &str) -> Result<(), String> {
        self.legalize(state, new).map_err(|tried| {
            if tried.first().is_some_and(|first| first.reason == TOO_DEEP) {
                return TOO_DEEP.to_owned();
            }
            let name = state.host.op_name_text(state.host.op_name(new));
            let mut reason = format!("it {verb} '{name}', which cannot be legalized");
            if let Some(Tried { rule, reason: inner, .. }) = tried.first() {
                // The chain of reasons can be long, so a long inner reason is left out.
                if inner.len() < 400 {
                    reason += &format!(" (rule '{rule}': {inner})");
                }
            }
            reason
        })
    }

    /// Folds an operation by its hook, and legalises the changed operation or the created constants. If this fails,
    /// nothing changes, and the result is false.
    fn fold(&mut self, state: &mut State<'d, H>, op: H::Op) -> bool {
        let Some(matcher) = self.matcher else { return false };
        let name = state.host.op_name(op);
        let Some(fold) = matcher.hooks().folds.get(&name) else { return false };
        let value_name = state.host.bind_attr_name("value");
        let constant = |host: &H, value: H::Value| {
            let op = host.defining_op(value)?;
            self.facts.get(host, op).filter(|fact| fact.constant)?;
            self.facts.constant_value(host, op, value_name)
        };
        let operands: Vec<_> = (0..state.host.operand_count(op))
            .map(|index| constant(state.host, state.host.operand(op, index)))
            .collect();
        let (mark, applied) = (state.mark(), self.applied);
        // The hook can change the operation in place, so the change is recorded.
        let mut folded = None;
        state.modify(op, |host, op| folded = fold(host, op, &operands));
        let done = match folded {
            None => false,
            Some(results) if results.is_empty() => self.legalize(state, op).is_ok(),
            Some(results) if results.len() != state.host.result_count(op) as usize => false,
            Some(results) => {
                self.replace_folded(state, op, matcher, results).is_ok() && {
                    let created = state.created[mark.created..].to_vec();
                    created.into_iter().all(|op| self.legalize(state, op).is_ok())
                }
            }
        };
        if !done {
            state.undo_to(mark);
            self.applied = applied;
        }
        done
    }

    fn replace_folded(
        &mut self,
        state: &mut State<'d, H>,
        op: H::Op,
        matcher: &Matcher<H>,
        results: Vec<Folded<H>>,
    ) -> Result<(), Refusal> {
        let no_constant = || Refusal::new("the constant cannot be created");
        let location = state.host.location(op);
        let name = state.host.op_name_text(state.host.op_name(op));
        let mut values = Vec::new();
        for (index, result) in (0..).zip(results) {
            let ty = state.host.value_type(state.host.result(op, index));
            values.push(match result {
                Folded::Value(value) => vec![value],
                Folded::Attr(attr) => {
                    let make = matcher.hooks().materializer(&name).ok_or_else(no_constant)?;
                    let mut journal = Journal::new();
                    let mut rewriter = Rewriter::new(state.host, op, &mut journal);
                    let made = match make(&mut rewriter, attr, ty, location) {
                        Ok(made) => made,
                        Err(refusal) => {
                            rewriter.roll_back();
                            return Err(refusal);
                        }
                    };
                    state.take(&mut journal)?;
                    if state.host.result_count(made) != 1 {
                        return Err(no_constant());
                    }
                    vec![state.host.result(made, 0)]
                }
            });
        }
        state.replace(op, &values)
    }

    /// Finds a call that the conversion of a function made invalid.
    fn check_calls(&self, state: &State<'d, H>, root: H::Op) -> Option<ConversionFailure<H>> {
        state.converter?;
        let is_function = |&&op: &&H::Op| !state.is_dead(op) && state.host.region_count(op) > 0;
        let changed: Vec<_> = state.modified.iter().filter(is_function).copied().collect();
        if changed.is_empty() {
            return None;
        }
        let (call, function) = self.functions.stale_call(state.host, root, &changed)?;
        let function = state.host.op_name_text(state.host.op_name(function));
        Some(failure(state.host, call, FailureKind::StaleCall { function }))
    }
}

impl Rules {
    fn new<H: Facets + Blocks>(
        host: &mut H,
        conversion: &Conversion<H>,
        matcher: Option<&Matcher<H>>,
    ) -> Self {
        let mut facts = Vec::new();
        for pattern in &conversion.patterns {
            let root = pattern.root.as_ref().map(|root| host.bind_op_name(root));
            let created = pattern.created.iter().map(|name| host.bind_op_name(name)).collect();
            facts.push(RuleFacts { root, created });
        }
        if let Some(program) = matcher.map(Matcher::program) {
            for rule in program.patterns().ids() {
                let root = match program.patterns()[rule].any {
                    true => None,
                    false => program.pattern_debug(rule).root,
                };
                let root = root.map(|name| host.bind_op_name(&program.strings()[name]));
                let created = program.created_ops(rule).map(|name| host.bind_op_name(name)).collect();
                facts.push(RuleFacts { root, created });
            }
        }
        let converts_functions = conversion.functions && conversion.converter.is_some();
        let is_legal = |name: OpNameId| {
            let text = host.op_name_text(name);
            let target = &conversion.target;
            let action = target.op_action(&text).or_else(|| target.other_action(&text));
            let is_known = converts_functions && (text.starts_with("func.") || text.starts_with("cf."));
            is_known || action.is_some_and(|action| !matches!(action, Action::Illegal))
        };
        let depths = depths(&facts, is_legal);
        let (mut by_root, mut any) = (HashMap::<_, Vec<usize>, _>::default(), Vec::new());
        for (index, facts) in facts.iter().enumerate() {
            match facts.root {
                Some(root) => by_root.entry(root).or_default().push(index),
                None => any.push(index),
            }
        }
        Self { depths, by_root, any }
    }

    /// The key by which rules are sorted. A rule that cannot succeed comes last: it is not applied, but its failure is
    /// reported.
    fn key<H: Facets + Blocks>(
        &self,
        index: usize,
        conversion: &Conversion<H>,
        matcher: Option<&Matcher<H>>,
    ) -> Key {
        let benefit = match conversion.patterns.get(index) {
            Some(pattern) => pattern.benefit,
            None => matcher.map_or(0, |matcher| {
                let rule = PatternId::try_from_index(index - conversion.patterns.len());
                rule.map_or(0, |rule| matcher.program().patterns()[rule].benefit)
            }),
        };
        (self.depth_key(index), Reverse(benefit), self.any.binary_search(&index).is_ok(), index)
    }

    fn depth_key(&self, index: usize) -> (bool, Option<u32>) {
        (self.depths[index].is_none(), self.depths[index])
    }

    /// The conversion patterns for operations of a name. The second value is true if there are no such patterns, and
    /// the engine finds the rules in the order of their keys.
    fn of_root<H: Facets + Blocks>(
        &self,
        name: OpNameId,
        conversion: &Conversion<H>,
        matcher: Option<&Matcher<H>>,
    ) -> (Vec<usize>, bool) {
        let all = self.by_root.get(&name).into_iter().flatten().chain(&self.any).copied();
        let (patterns, mut rules): (Vec<_>, Vec<_>) =
            all.partition(|&index| index < conversion.patterns.len());
        // The engine finds rules in the order of their keys without the depths.
        rules.sort_unstable_by_key(|&index| {
            let (_, benefit, is_any, index) = self.key(index, conversion, matcher);
            (benefit, is_any, index)
        });
        let in_order = rules.is_sorted_by_key(|&index| self.depth_key(index));
        let is_engine_order = patterns.is_empty() && in_order;
        (patterns, is_engine_order)
    }
}

/// The name of a rule, for messages.
fn rule_name<'d, H: Facets + Blocks>(
    conversion: &'d Conversion<H>,
    matcher: Option<&'d Matcher<H>>,
    candidate: Candidate,
    rule: Option<PatternId>,
) -> &'d str {
    match (candidate, rule.zip(matcher)) {
        (Candidate::Pattern(index), _) => &conversion.patterns[index].name,
        (Candidate::Match(_), Some((rule, matcher))) => shown_name(matcher.program().pattern_name(rule)),
        (Candidate::Match(_), None) => "",
    }
}

impl<H: Blocks> Action<H> {
    /// The legality of all operations that the action is about, if it is the same for all.
    fn common(&self) -> Option<Legality> {
        match self {
            Self::Legal => Some(Legality::Legal),
            Self::Illegal => Some(Legality::Illegal),
            Self::Dynamic(_) => None,
        }
    }
}

fn evaluate<H: Blocks>(host: &H, op: H::Op, action: &Action<H>) -> Legality {
    let legal = match action {
        Action::Legal => true,
        Action::Illegal => false,
        Action::Dynamic(is_legal) => is_legal(host, op),
    };
    if legal { Legality::Legal } else { Legality::Illegal }
}

fn tried(rule: &str, pattern: Option<PatternId>, reason: &str) -> Tried {
    Tried { rule: rule.to_owned(), pattern, reason: reason.to_owned() }
}

/// A failure at an operation.
pub(super) fn failure<H: Blocks>(host: &H, op: H::Op, kind: FailureKind) -> ConversionFailure<H> {
    ConversionFailure {
        op: Some(op),
        name: host.op_name_text(host.op_name(op)),
        location: host.location(op),
        kind,
    }
}

/// Converts an entity that a rule matched. Returns true if it changed. The results of the root are not converted,
/// because the rule replaces them.
fn convert_entity<H: Facets + Blocks>(
    state: &mut State<'_, H>,
    root: H::Op,
    entity: &mut Entity<H>,
) -> Result<bool, Refusal> {
    let converted = match entity {
        Entity::Value(Some(value)) if state.host.defining_op(*value) != Some(root) => {
            let values = state.converted(*value)?;
            let [one] = values[..] else {
                return Err(Refusal::new(format!(
                    "a matched value is converted to {} values, and the rule takes one",
                    values.len()
                )));
            };
            Entity::Value(Some(one))
        }
        Entity::Values(values) => {
            let mut all = Vec::new();
            for &value in &*values {
                match state.host.defining_op(value) == Some(root) {
                    true => all.push(value),
                    false => all.extend(state.converted(value)?),
                }
            }
            Entity::Values(all)
        }
        Entity::Type(ty) => {
            let [one] = *state.convert_type(*ty)? else {
                return Err(Refusal::new(
                    "a matched type is converted to several types, and the rule takes one",
                ));
            };
            Entity::Type(one)
        }
        Entity::Types(types) => {
            let mut all = Vec::new();
            for &ty in &*types {
                all.extend_from_slice(state.convert_type(ty)?);
            }
            Entity::Types(all)
        }
        _ => return Ok(false),
    };
    let changed = *entity != converted;
    *entity = converted;
    Ok(changed)
}
