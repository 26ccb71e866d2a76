//! States and transitions, computed when they are first needed.
//!
//! All operations with one name, one number of operands and one number of results share a [`Plan`]: one step for each
//! operand whose defining operation is tested, then one step for the tuple of the operation's own properties. A node is
//! the situation before a step: the set of the subpatterns that may still hold. A step intersects this set with a mask:
//! the subpatterns that the operand or the tuple does not exclude. The row of the node in the comb has the targets. The
//! target of the last step is the state, which is the set of subpatterns that hold. If expensive requirements are still
//! open, the target is a deferred node, which tests the cheapest of these requirements.
//!
//! An operand step does not read the state of the defining operation, but only its inner set: the subpatterns that some
//! other subpattern requires at an operand. A step distinguishes few subpatterns, its projection, and puts inner sets
//! that agree on these into one class (the *representer states* of the literature). So a row is short even if there are
//! many states.
//!
//! The part of the tables that each table walk reads is described in `transition.rs`.

use std::hash::BuildHasher;

use hashbrown::{HashMap, HashSet, HashTable};
use rustc_hash::FxBuildHasher;

use super::candidates::{self, Candidate, CandidateSet, remaining, retain};
use super::comb::Comb;
use super::ids::{
    ClassId, DeferredId, FirstRule, InnerSetId, KindId, OperandCount, PlanId, ProjectionId, PropertyId,
    PropertyValue, RowId, RuleRowId, SlotId, StateId, Target, next_id, offset,
};
use super::labels::StateLabel;
use super::rules::{Property, Residual, RuleRow, Rules};
use super::transition::{
    AttrStep, ClassMap, KindMap, MAX_STEPS, MAX_TUPLES, MISSING, Operand, OperandStep, Plan, Source,
    WalkTables,
};
use super::tuple::{self, PartValues, Room, TuplePart};
use crate::host::OpNameId;
use crate::id::{Id, IdVec};
use crate::matcher_tree::{Positions, Side, SubpatternId, bits};

/// The operand of a step, and the subpatterns that the step distinguishes.
#[derive(Clone, Copy, Debug)]
pub(super) struct OperandPlan {
    pub(super) operand: u32,
    property: PropertyId,
    projection: ProjectionId,
}

/// The name index of a plan, and the numbers of operands and results.
type PlanKey = (u32, u32, u32);

/// The part of a plan from which its transitions are computed.
#[derive(Debug, Default)]
struct PlanSteps {
    key: PlanKey,
    by_operands: Box<[OperandPlan]>,
    tuple: Box<[TuplePart]>,
    /// The subpatterns that may hold before the first step, ascending, with the requirements that no step decides.
    candidates: Box<[Candidate]>,
    /// For each operand step, the candidates that each class leaves, from class 1 on. They are computed when they are
    /// first needed.
    masks: Box<[Vec<Option<CandidateSet>>]>,
}

/// The memory location of a target on the path of a plan.
#[derive(Clone, Copy, Debug)]
pub(super) enum Place {
    /// The field [`Plan::first`].
    Start,
    Slot(SlotId),
}

/// The situation before a step.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Node {
    plan: PlanId,
    step: u32,
    /// The subpatterns that may still hold, as a set of the plan's candidates.
    left: CandidateSet,
}

/// A test after the table walk.
#[derive(Debug)]
struct DeferredNode {
    property: PropertyId,
    /// The targets for the first [`SHORT`] values that the property had.
    targets: Vec<(PropertyValue, Target)>,
    candidates: Box<[Candidate]>,
}

/// The subpatterns that steps distinguish at an operand.
#[derive(Debug)]
struct Projection {
    /// Ascending.
    subpatterns: SubpatternSet,
    /// The subpatterns of the projection that hold in each class, from class 1 on.
    members: Vec<SubpatternSet>,
    /// The class of each inner set.
    classes: ClassMap,
    /// The steps that contain a copy of `classes`.
    steps: Vec<(PlanId, usize)>,
}

/// The inner set and the first rule of a state.
#[derive(Clone, Copy, Debug)]
pub(super) struct Verdict {
    inner: InnerSetId,
    /// The first rule; [`FirstRule::BY_CODE`] if code must find it, and for the reserved states.
    pub(super) first: FirstRule,
}

/// The part of a state that is rarely read.
#[derive(Debug, Default)]
struct State {
    /// The subpatterns that hold, ascending.
    subpatterns: SubpatternSet,
    rows: RowRange,
}

/// The rules of a state in application order: a range of indices for [`Tables::rule_row`].
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RowRange {
    next: u32,
    end: u32,
}

impl RowRange {
    /// Removes the first entry, and returns its index.
    pub(super) fn take_first(&mut self) -> Option<usize> {
        (self.next < self.end).then(|| {
            self.next += 1;
            self.next as usize - 1
        })
    }
}

type SubpatternSet = Box<[SubpatternId]>;

/// All plans, rows, states and deferred nodes that were computed.
#[derive(Debug)]
pub(super) struct Tables {
    /// The newest plan of each operation name, by the host's number.
    newest: Vec<PlanId>,
    plans: Vec<Plan>,
    /// The rows of all nodes. The columns are classes or tuples.
    comb: Comb,
    /// The verdicts by state, including the reserved states.
    ///
    /// Separate from rarely read data, so that the processor's cache holds more verdicts.
    verdicts: Vec<Verdict>,
    /// The class maps and kind maps.
    ///
    /// Bytes, because the processor's cache then holds more entries.
    bytes: Vec<u8>,
    /// The rules of all states, one list after the other.
    rule_rows: Vec<RuleRowId>,
    plan_steps: IdVec<PlanId, PlanSteps>,
    projections: IdVec<ProjectionId, Projection>,
    nodes: IdVec<RowId, Node>,
    deferred: IdVec<DeferredId, DeferredNode>,
    states: IdVec<StateId, State>,
    /// The subpatterns of each inner set.
    inner_sets: IdVec<InnerSetId, SubpatternSet>,
    /// The newest plan of each operation name, by [`Rules::name_index`].
    newest_by_name: Vec<PlanId>,
    plan_ids: HashMap<PlanKey, PlanId, FxBuildHasher>,
    /// The keys of the plans in which more combinations occurred than [`Room::Usual`] has room for.
    crowded: HashSet<PlanKey, FxBuildHasher>,
    /// The further targets of a deferred node whose list [`DeferredNode::targets`] is full.
    deferred_targets: HashMap<(DeferredId, PropertyValue), Target, FxBuildHasher>,
    node_ids: HashTable<RowId>,
    deferred_ids: HashTable<DeferredId>,
    state_ids: HashTable<StateId>,
    inner_set_ids: HashMap<SubpatternSet, InnerSetId, FxBuildHasher>,
    projection_ids: HashMap<SubpatternSet, ProjectionId, FxBuildHasher>,
    class_ids: HashMap<(ProjectionId, SubpatternSet), ClassId, FxBuildHasher>,
    /// The approximate size in memory, without the comb.
    size: usize,
}

/// The maximum number of targets in the list of a deferred node. Further targets are in a hash table.
const SHORT: usize = 16;

impl Tables {
    pub(super) fn new(rules: &Rules) -> Self {
        let reserved = Verdict { inner: InnerSetId::UNKNOWN, first: FirstRule::BY_CODE };
        let mut tables = Self {
            newest: Vec::new(),
            plans: vec![Plan::none()],
            comb: Comb::new(offset(MAX_TUPLES)),
            verdicts: vec![reserved; StateId::RESERVED],
            bytes: vec![0],
            rule_rows: Vec::new(),
            plan_steps: IdVec::from(vec![PlanSteps::default()]),
            projections: IdVec::default(),
            nodes: IdVec::default(),
            deferred: IdVec::default(),
            states: (0..StateId::RESERVED).map(|_| State::default()).collect(),
            inner_sets: IdVec::from(vec![SubpatternSet::default()]),
            newest_by_name: vec![PlanId::NONE; rules.name_count()],
            plan_ids: HashMap::default(),
            crowded: HashSet::default(),
            deferred_targets: HashMap::default(),
            node_ids: HashTable::new(),
            deferred_ids: HashTable::new(),
            state_ids: HashTable::new(),
            inner_set_ids: HashMap::default(),
            projection_ids: HashMap::default(),
            class_ids: HashMap::default(),
            size: 0,
        };
        let nothing = tables.state(rules, SubpatternSet::default());
        debug_assert_eq!(tables.verdict(nothing).inner, InnerSetId::EMPTY);
        tables
    }

    /// The approximate size in memory; `usize::MAX` if the comb or the byte tables are longer than [`Target::MAX`].
    pub(super) fn bytes(&self) -> usize {
        let length = self.comb.slots().len().max(self.bytes.len());
        if length > Target::MAX { usize::MAX } else { self.size + self.comb.bytes() }
    }

    /// The number of nodes, including deferred nodes, and the number of states, without the reserved states.
    pub(super) fn counts(&self) -> (usize, usize) {
        (self.nodes.len() + self.deferred.len(), self.states.len() - StateId::RESERVED)
    }

    /// The inner set and the first rule of a state or a reserved state.
    #[inline]
    pub(super) fn verdict(&self, state: StateId) -> Verdict {
        self.verdicts[state.index()]
    }

    /// The label of an operation with a state.
    #[inline]
    pub(super) fn label(&self, state: StateId) -> StateLabel {
        StateLabel { state, inner: self.verdict(state).inner }
    }

    /// The rules whose root subpatterns hold in a state.
    pub(super) fn rows_of(&self, state: StateId) -> RowRange {
        self.states[state].rows
    }

    #[inline]
    pub(super) fn rule_row(&self, index: usize) -> RuleRowId {
        self.rule_rows[index]
    }

    /// The parts that a table walk reads.
    #[inline]
    pub(super) fn walk_tables(&self) -> WalkTables<'_> {
        WalkTables { newest: &self.newest, plans: &self.plans, slots: self.comb.slots(), bytes: &self.bytes }
    }

    pub(super) fn plan(&self, plan: PlanId) -> &Plan {
        &self.plans[plan.index()]
    }

    /// An operand step of a plan.
    pub(super) fn operand_step(&self, plan: PlanId, step: usize) -> Option<OperandPlan> {
        self.plan_steps[plan].by_operands.get(step).copied()
    }

    /// The target at a place.
    pub(super) fn target(&self, plan: PlanId, place: Place) -> Target {
        match place {
            Place::Start => self.plan(plan).first,
            Place::Slot(slot) => self.comb.slots()[slot.index()].target,
        }
    }

    /// Finds or creates the plan for a name and the numbers of operands and results. The name is a pair of the host's
    /// number and the name index.
    pub(super) fn make_plan(
        &mut self,
        rules: &Rules,
        positions: &Positions,
        [host_name, name]: [usize; 2],
        operands: u32,
        results: u32,
    ) -> PlanId {
        let is_idle = rules.is_idle(name);
        let key = if is_idle { (offset(name), 0, 0) } else { (offset(name), operands, results) };
        let plan = match self.plan_ids.get(&key) {
            Some(&plan) => plan,
            None => {
                let subpatterns = rules.start(positions, name, operands, results);
                let room = if self.crowded.contains(&key) { Room::All } else { Room::Usual };
                let id = self.new_plan(rules, subpatterns, room, operands, results);
                self.plan_steps[id].key = key;
                let plan = &mut self.plans[id.index()];
                if is_idle {
                    plan.operands = OperandCount::ANY;
                }
                plan.next = std::mem::replace(&mut self.newest_by_name[name], id);
                self.plan_ids.insert(key, id);
                id
            }
        };
        if host_name > OpNameId::MAX.index() {
            // Table walks do not find this plan, so its operations take the slow path.
            return plan;
        }
        if self.newest.len() <= host_name {
            self.size += (host_name + 1 - self.newest.len()) * 4;
            self.newest.resize(host_name + 1, PlanId::NONE);
        }
        self.newest[host_name] = self.newest_by_name[name];
        plan
    }

    fn new_plan(
        &mut self,
        rules: &Rules,
        subpatterns: Vec<SubpatternId>,
        room: Room,
        operands: u32,
        results: u32,
    ) -> PlanId {
        let exists = |property: Property| match property {
            Property::DefiningOp(index)
            | Property::TypeOf(Side::Operands, index)
            | Property::TypeHolds(Side::Operands, index, _) => index < operands,
            Property::TypeOf(Side::Results, index) | Property::TypeHolds(Side::Results, index, _) => {
                index < results
            }
            Property::Attr(_)
            | Property::AttrHolds(..)
            | Property::SameOperands(..)
            | Property::Constant(_)
            | Property::Holds(_) => true,
        };
        let mut required: Vec<(PropertyId, PropertyValue)> = Vec::new();
        let mut candidates = Vec::new();
        for subpattern in subpatterns {
            let requirements = &rules.subpatterns[subpattern].requirements;
            if requirements.iter().all(|r| exists(rules.properties[r.property])) {
                candidates.push(Candidate { subpattern, open: 0 });
                required.extend(requirements.iter().map(|r| (r.property, r.value)));
            }
        }
        required.sort_unstable();
        required.dedup();
        let (mut steps, mut tuple, mut later) = (Vec::new(), Vec::new(), Vec::new());
        for tests in required.chunk_by(|a, b| a.0 == b.0) {
            let id = tests[0].0;
            let values = tests.iter().map(|test| test.1);
            if let Property::DefiningOp(operand) = rules.properties[id] {
                let projection = self.projection(values.map(PropertyValue::subpattern).collect());
                steps.push(OperandPlan { operand, property: id, projection });
            } else if !tuple::add(&mut tuple, rules, room, operands, id, values) {
                later.push(id);
            }
        }
        tuple::finish(&mut tuple);
        // `later` is sorted, because the tests are visited in the order of their properties.
        for Candidate { subpattern, open } in &mut candidates {
            for (bit, requirement) in rules.subpatterns[*subpattern].requirements.iter().enumerate() {
                *open |= u64::from(later.binary_search(&requirement.property).is_ok()) << bit;
            }
        }
        let id: PlanId = next_id(self.plans.len());
        self.size += size_of::<Plan>()
            + size_of::<PlanSteps>()
            + 56 * steps.len()
            + size_of::<Candidate>() * candidates.len();
        let mut plan = Plan { results, has_tuple: !tuple.is_empty(), ..Plan::none() };
        if steps.len() <= MAX_STEPS {
            plan.operands = OperandCount::exactly(operands);
            for (index, step) in steps.iter().enumerate() {
                let projection = &mut self.projections[step.projection];
                projection.steps.push((id, index));
                let operand = Operand { index: step.operand, ..Operand::default() };
                plan.add_operand(OperandStep { operand, classes: projection.classes });
            }
        }
        for part in &mut tuple {
            match part.source {
                Source::Attr(name) => {
                    plan.add_attr(AttrStep {
                        name,
                        classes: rules.classes_of(name),
                        kinds: self.empty_kinds(),
                    });
                }
                Source::TypeOf(side, index) => plan.add_type(side, index, self.empty_kinds()),
                Source::SameOperands(a, b) => {
                    let added = [false, true].map(|same| part.added(rules, &candidates, &[same.into()]));
                    plan.add_same([a, b], added.map(|added| added.expect("there are two combinations")));
                }
            }
            self.size += part.bytes();
        }
        self.plans.push(plan);
        let masks = steps.iter().map(|_| Vec::new()).collect();
        let all = candidates::all(&candidates);
        self.plan_steps.push(PlanSteps {
            by_operands: steps.into(),
            tuple: tuple.into(),
            candidates: candidates.into(),
            masks,
            ..PlanSteps::default()
        });
        self.plans[id.index()].first = self.before_step(rules, id, 0, all);
        id
    }

    /// Creates a kind map in which the numbers of all kinds are missing.
    fn empty_kinds(&mut self) -> KindMap {
        let start = offset(self.bytes.len());
        self.bytes.push(MISSING);
        self.size += 1;
        KindMap { start, len: 0 }
    }

    /// The parts of a plan's tuple.
    pub(super) fn tuple(&self, plan: PlanId) -> &[TuplePart] {
        &self.plan_steps[plan].tuple
    }

    /// Sets the number that a kind adds to the tuple's number.
    fn set_added(&mut self, plan: PlanId, source: Source, kind: KindId, added: u8) {
        let Some(kinds) = self.plans[plan.index()].kinds_mut(source) else { return };
        if kind == KindId::UNKNOWN {
            return;
        }
        if kinds.len <= kind.raw() {
            let before = kinds.start as usize..(kinds.start + kinds.len) as usize;
            kinds.start = offset(self.bytes.len());
            kinds.len = (kind.raw() + 1).max(2 * kinds.len);
            self.bytes.extend_from_within(before);
            self.bytes.resize((kinds.start + kinds.len) as usize + 1, MISSING);
            self.size += kinds.len as usize + 1;
        }
        self.bytes[(kinds.start + kind.raw()) as usize] = added;
    }

    /// Takes an operand step from the target at `place`, and computes the transition if it is missing. Returns the
    /// place of the next target.
    pub(super) fn step(
        &mut self,
        rules: &Rules,
        plan: PlanId,
        step: usize,
        place: Place,
        inner: InnerSetId,
    ) -> Place {
        let projection = self.plan_steps[plan].by_operands[step].projection;
        let class = self.make_class(projection, inner);
        let row = self.comb.row(self.target(plan, place).row());
        if !self.comb.has(row, class.raw()) {
            let mut left = self.nodes[row].left.clone();
            retain(&mut left, self.class_mask(rules, plan, step, class));
            let target = self.before_step(rules, plan, step + 1, left);
            self.comb.set(row, class.raw(), target);
        }
        self.follow(plan, place, row, class.raw())
    }

    /// Returns the candidates of a plan that a class leaves at an operand step, and computes them on first use.
    fn class_mask(&mut self, rules: &Rules, plan: PlanId, step: usize, class: ClassId) -> &[u64] {
        let steps = &mut self.plan_steps[plan];
        let OperandPlan { property, projection, .. } = steps.by_operands[step];
        let index = class.index() - 1;
        if steps.masks[step].get(index).is_none_or(Option::is_none) {
            let holding = &self.projections[projection].members[index];
            let mask = candidates::mask(&steps.candidates, rules, property, |required| {
                holding.binary_search(&required.subpattern()).is_ok()
            });
            let masks = &mut steps.masks[step];
            let before = masks.capacity();
            masks.resize(masks.len().max(index + 1), None);
            self.size += (masks.capacity() - before) * size_of::<Option<CandidateSet>>() + 8 * mask.len();
            masks[index] = Some(mask);
        }
        steps.masks[step][index].as_deref().unwrap_or_default()
    }

    /// Takes the step by the tuple, and computes the transition if it is missing. Returns the target.
    pub(super) fn step_by_tuple(
        &mut self,
        rules: &Rules,
        plan: PlanId,
        place: Place,
        values: &[PartValues],
    ) -> Target {
        let mut tuple = Some(0);
        for (index, PartValues { kind, values }) in values.iter().enumerate() {
            let PlanSteps { tuple: parts, candidates, .. } = &mut self.plan_steps[plan];
            let part = &mut parts[index];
            let before = part.bytes();
            let (source, added) = (part.source, part.added(rules, candidates, values));
            self.size += part.bytes() - before;
            if let Some(added) = added {
                self.set_added(plan, source, *kind, added);
            }
            tuple = tuple.zip(added).map(|(tuple, added)| tuple + u32::from(added));
        }
        let row = self.comb.row(self.target(plan, place).row());
        let Some(tuple) = tuple else {
            let PlanSteps { key, tuple: parts, candidates, .. } = &self.plan_steps[plan];
            if self.crowded.insert(*key) {
                // The next operation with this key that takes the slow path gets a new plan, with room for all
                // combinations.
                self.plan_ids.remove(key);
            }
            let mut left = self.nodes[row].left.clone();
            for (part, PartValues { values, .. }) in parts.iter().zip(values) {
                retain(&mut left, &part.left(rules, candidates, values));
            }
            return self.after_plan(rules, plan, &left);
        };
        if !self.comb.has(row, tuple) {
            let mut left = self.nodes[row].left.clone();
            self.plan_steps[plan].tuple.iter().for_each(|part| retain(&mut left, part.left_by(tuple)));
            let target = self.after_plan(rules, plan, &left);
            self.comb.set(row, tuple, target);
        }
        let place = self.follow(plan, place, row, tuple);
        self.target(plan, place)
    }

    /// Writes a row's current base to `place`, which leads to the row. Returns the place of `column` in the row.
    fn follow(&mut self, plan: PlanId, place: Place, row: RowId, column: u32) -> Place {
        let base = self.comb.base(row);
        match place {
            Place::Start => self.plans[plan.index()].first = Target::from_row(base),
            Place::Slot(slot) => self.comb.redirect(slot, Target::from_row(base)),
        }
        Place::Slot(base.slot(column))
    }

    /// Returns the target of a deferred node for a value, and computes it on first use.
    pub(super) fn by_value(&mut self, rules: &Rules, node: DeferredId, value: PropertyValue) -> Target {
        match self.deferred[node].targets.iter().find(|target| target.0 == value) {
            Some(&(_, target)) => target,
            None => self.make_by_value(rules, node, value),
        }
    }

    /// The property that a deferred node tests.
    pub(super) fn tested(&self, node: DeferredId) -> PropertyId {
        self.deferred[node].property
    }

    #[cold]
    fn make_by_value(&mut self, rules: &Rules, node: DeferredId, value: PropertyValue) -> Target {
        if let Some(&target) = self.deferred_targets.get(&(node, value)) {
            return target;
        }
        let DeferredNode { property, candidates, .. } = &self.deferred[node];
        let candidates = remaining(rules, candidates, |tested, required| {
            (tested == *property).then(|| value.fulfils(required))
        });
        let target = self.after_walk(rules, candidates);
        let targets = &mut self.deferred[node].targets;
        if targets.len() < SHORT {
            targets.push((value, target));
            self.size += 8;
        } else {
            self.deferred_targets.insert((node, value), target);
            self.size += 24;
        }
        target
    }

    /// Returns the class of an inner set in a projection, and computes it on first use.
    fn make_class(&mut self, projection: ProjectionId, inner: InnerSetId) -> ClassId {
        let ClassMap { len, is_wide, .. } = self.projections[projection].classes;
        let index = inner.raw();
        if len <= index {
            self.move_classes(projection, (index + 1).max(2 * len), is_wide);
        }
        let class = self.walk_tables().class(self.projections[projection].classes, inner);
        if class != ClassId::UNKNOWN {
            return class;
        }
        let data = &mut self.projections[projection];
        let set = &self.inner_sets[inner];
        let holding: SubpatternSet = data
            .subpatterns
            .iter()
            .copied()
            .filter(|subpattern| set.binary_search(subpattern).is_ok())
            .collect();
        let next = data.members.len() + 1;
        let class = *self.class_ids.entry((projection, holding)).or_insert_with_key(|(_, holding)| {
            self.size += 64 + 8 * holding.len();
            data.members.push(holding.clone());
            self.comb.widen(offset(next + 1));
            next_id(next)
        });
        let ClassMap { len, is_wide, .. } = data.classes;
        if is_wide == 0 && class.raw() > u8::MAX.into() {
            self.move_classes(projection, len, 1);
        }
        let ClassMap { start, is_wide, .. } = self.projections[projection].classes;
        // A class that does not fit in two bytes stays unknown to table walks. If the inner set at an operand has such
        // a class, the operation takes the slow path.
        let stored = if class.raw() > u16::MAX.into() { ClassId::UNKNOWN } else { class };
        let [low, high, ..] = stored.raw().to_le_bytes();
        if is_wide == 0 {
            self.bytes[(start + index) as usize] = low;
        } else {
            self.bytes[(start + 2 * index) as usize..][..2].copy_from_slice(&[low, high]);
        }
        class
    }

    /// Copies the class map of a projection to a new class map with this length and width.
    fn move_classes(&mut self, projection: ProjectionId, len: u32, is_wide: u32) {
        let data = &mut self.projections[projection];
        let (before, start) = (data.classes, self.bytes.len());
        let after = ClassMap { start: offset(start), len, is_wide };
        for index in 0..before.len {
            let at = (before.start + (index << before.is_wide)) as usize;
            let high = if before.is_wide == 0 { 0 } else { self.bytes[at + 1] };
            let class = [self.bytes[at], high];
            self.bytes.extend(&class[..1 << is_wide]);
        }
        self.bytes.resize(start + ((len as usize) << is_wide), 0);
        self.size += self.bytes.len() - start;
        data.classes = after;
        for &(plan, step) in &data.steps {
            self.plans[plan.index()].by_operands[step].classes = after;
        }
    }

    /// Returns the target for the situation before a step of a plan. Adds the node if it is new.
    fn before_step(&mut self, rules: &Rules, plan: PlanId, step: usize, left: CandidateSet) -> Target {
        let steps = &self.plan_steps[plan];
        if step == steps.by_operands.len() && steps.tuple.is_empty() {
            return self.after_plan(rules, plan, &left);
        }
        let node = Node { plan, step: offset(step), left };
        let hash = FxBuildHasher.hash_one(&node);
        if let Some(&row) = self.node_ids.find(hash, |&row| self.nodes[row] == node) {
            return Target::from_row(self.comb.base(row));
        }
        let row = self.comb.add();
        self.size += 64 + 8 * node.left.len();
        let id = self.nodes.push(node);
        debug_assert_eq!(id, row);
        let nodes = &self.nodes;
        self.node_ids.insert_unique(hash, row, |&row| FxBuildHasher.hash_one(&nodes[row]));
        Target::from_row(self.comb.base(row))
    }

    /// The target for the candidates that a plan leaves.
    fn after_plan(&mut self, rules: &Rules, plan: PlanId, left: &[u64]) -> Target {
        let candidates = &self.plan_steps[plan].candidates;
        let words = left.iter().enumerate();
        let left = words.flat_map(|(word, &set)| bits(set).map(move |bit| candidates[64 * word + bit]));
        let left = left.collect();
        self.after_walk(rules, left)
    }

    /// Returns the state or deferred node for the candidates that remain after a table walk. Adds it if it is new.
    fn after_walk(&mut self, rules: &Rules, candidates: Vec<Candidate>) -> Target {
        let open = |candidate: &Candidate| {
            let requirements = &rules.subpatterns[candidate.subpattern].requirements;
            bits(candidate.open).map(|bit| requirements[bit].property).min()
        };
        let Some(property) = candidates.iter().filter_map(open).min() else {
            let subpatterns = candidates.iter().map(|candidate| candidate.subpattern).collect();
            return Target::from_state(self.state(rules, subpatterns));
        };
        let hash = FxBuildHasher.hash_one(&candidates[..]);
        let same = |&id: &DeferredId| *self.deferred[id].candidates == candidates[..];
        if let Some(&id) = self.deferred_ids.find(hash, same) {
            return Target::from_deferred(id);
        }
        self.size += 96 + 16 * candidates.len();
        let node = DeferredNode { property, targets: Vec::new(), candidates: candidates.into() };
        let id = self.deferred.push(node);
        let nodes = &self.deferred;
        let hash_of = |&id: &DeferredId| FxBuildHasher.hash_one(&nodes[id].candidates[..]);
        self.deferred_ids.insert_unique(hash, id, hash_of);
        Target::from_deferred(id)
    }

    fn projection(&mut self, subpatterns: SubpatternSet) -> ProjectionId {
        *self.projection_ids.entry(subpatterns).or_insert_with_key(|subpatterns| {
            self.size += 128 + 8 * subpatterns.len();
            self.projections.push(Projection {
                subpatterns: subpatterns.clone(),
                members: Vec::new(),
                classes: ClassMap::default(),
                steps: Vec::new(),
            })
        })
    }

    /// Returns the state in which exactly these subpatterns hold. Adds the state if it is new.
    fn state(&mut self, rules: &Rules, subpatterns: SubpatternSet) -> StateId {
        let hash = FxBuildHasher.hash_one(&subpatterns[..]);
        if let Some(&state) =
            self.state_ids.find(hash, |&state| self.states[state].subpatterns == subpatterns)
        {
            return state;
        }
        let start = self.rule_rows.len();
        self.rule_rows.extend(subpatterns.iter().flat_map(|&subpattern| &rules.subpatterns[subpattern].rows));
        self.rule_rows[start..].sort_unstable();
        let inner: SubpatternSet = subpatterns
            .iter()
            .copied()
            .filter(|&subpattern| rules.subpatterns[subpattern].is_inner)
            .collect();
        let inner = *self.inner_set_ids.entry(inner).or_insert_with_key(|subpatterns| {
            self.size += 64 + 8 * subpatterns.len();
            self.inner_sets.push(subpatterns.clone())
        });
        self.size += 64 + 4 * subpatterns.len() + 4 * (self.rule_rows.len() - start);
        let first = match self.rule_rows.get(start).map(|&row| rules.rows[row]) {
            None => FirstRule::NONE,
            Some(RuleRow { pattern, residual: Residual::Nothing }) => FirstRule::from_rule(pattern),
            Some(_) => FirstRule::BY_CODE,
        };
        self.verdicts.push(Verdict { inner, first });
        let rows = RowRange { next: offset(start), end: offset(self.rule_rows.len()) };
        let state = self.states.push(State { subpatterns, rows });
        let states = &self.states;
        self.state_ids
            .insert_unique(hash, state, |&state| FxBuildHasher.hash_one(&states[state].subpatterns[..]));
        state
    }
}
