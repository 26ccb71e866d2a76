//! The interpreter of match code.
//!
//! The interpreter runs until a rule matches, and continues from there for the next match. Every access is checked: a
//! program that the validator would reject gives wrong matches or a panic, never undefined behaviour. The loop ends
//! because code jumps back only to alternatives, and the number of alternatives is finite.

use crate::bytecode::{Address, Head, Instruction, Read, byte, decode, find_case, read};
use crate::host::{Entity, Facets};
use crate::id::Id;
use crate::matcher_tree::{Answer, CallId, PositionId};
use crate::pdl::{Arg, Callee, PatternId};

use super::eval::Eval;
use super::scratch::{CallKey, Frame, KeyEntity, Scratch};
use crate::vm::linked::{KeyPart, LinkedProgram, MAX_KEY};

/// Observes every instruction that matching runs. [`NoTrace`] costs nothing.
pub(crate) trait Trace {
    /// Called before the instruction at an address runs.
    fn step(&mut self, address: Address);
}

/// Observes nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn step(&mut self, _address: Address) {}
}

impl<H: Facets> LinkedProgram<H> {
    pub(in crate::vm) fn eval<'a>(&'a self, host: &'a H, scratch: &'a mut Scratch<H>) -> Eval<'a, H> {
        Eval { host, linked: self, state: &scratch.state, memo: &mut scratch.memo }
    }

    /// Runs from the current address until a rule matches.
    pub(in crate::vm) fn run<T: Trace>(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        trace: &mut T,
    ) -> Option<PatternId> {
        let code = &self.program.code[..];
        let mut pc = scratch.at;
        loop {
            trace.step(pc);
            let head = &Head::read(code, pc)?;
            match head.opcode {
                byte::Fail => {
                    // The common case is inlined.
                    let next = match scratch.stack.pop() {
                        Some(Frame::Alternative(at)) => Some(at),
                        Some(choice) => self.fail(host, scratch, choice),
                        None => None,
                    };
                    let Some(next) = next else {
                        scratch.at = Address::FAIL;
                        scratch.matched = None;
                        return None;
                    };
                    pc = next;
                }
                byte::Jump => pc = read::Jump::read(code, head).to,
                byte::Try => {
                    scratch.stack.push(Frame::Alternative(read::Try::read(code, head).then));
                    pc = read::Try::end(head);
                }
                byte::Accept => {
                    let pattern = read::Accept::read(code, head).pattern;
                    pc = read::Accept::end(head);
                    if !self.is_dropped(pattern) {
                        scratch.at = pc;
                        scratch.matched = Some(pattern);
                        return Some(pattern);
                    }
                }
                byte::AcceptGuarded => {
                    let pattern = read::AcceptGuarded::read(code, head).pattern;
                    pc = read::AcceptGuarded::end(head);
                    if !self.is_dropped(pattern) {
                        settle(&mut scratch.stack);
                        scratch.at = pc;
                        scratch.matched = Some(pattern);
                        return Some(pattern);
                    }
                }
                byte::OperandOpTable => {
                    let i = read::OperandOpTable::read(code, head);
                    let value = host.operand(scratch.ops[i.from.index()], i.operand);
                    pc = i.otherwise;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[i.to.index()] = op;
                        let entry = self.op_number(host, op).raw().wrapping_sub(i.base.raw());
                        if let Some(to) = i.tail.target(code, entry) {
                            pc = to;
                        }
                    }
                }
                byte::OperandOpSwitch => {
                    let i = read::OperandOpSwitch::read(code, head);
                    let value = host.operand(scratch.ops[i.from.index()], i.operand);
                    pc = i.otherwise;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[i.to.index()] = op;
                        let name = self.op_number(host, op);
                        if let Some(to) = find_case(i.tail.of(code), name.raw()) {
                            pc = to;
                        }
                    }
                }
                byte::OperandOpIs => {
                    let i = read::OperandOpIs::read(code, head);
                    let value = host.operand(scratch.ops[i.from.index()], i.operand);
                    pc = i.otherwise;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[i.to.index()] = op;
                        if host.op_name(op) == self.op_names.of_host[i.name.index()] {
                            pc = read::OperandOpIs::end(head);
                        }
                    }
                }
                byte::OperandOp => {
                    let i = read::OperandOp::read(code, head);
                    let value = host.operand(scratch.ops[i.from.index()], i.operand);
                    pc = i.otherwise;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[i.to.index()] = op;
                        pc = read::OperandOp::end(head);
                    }
                }
                byte::LoadOp => {
                    let i = read::LoadOp::read(code, head);
                    pc = i.otherwise;
                    if let Some(op) = self.eval(host, scratch).op(i.position) {
                        scratch.ops[i.to.index()] = op;
                        pc = read::LoadOp::end(head);
                    }
                }
                byte::NameIs => {
                    let i = read::NameIs::read(code, head);
                    let name = host.op_name(scratch.ops[i.op.index()]);
                    let is = name == self.op_names.of_host[i.name.index()];
                    pc = if is { read::NameIs::end(head) } else { i.otherwise };
                }
                byte::NameSwitch => {
                    let i = read::NameSwitch::read(code, head);
                    let name = self.op_number(host, scratch.ops[i.op.index()]);
                    pc = find_case(i.tail.of(code), name.raw()).unwrap_or(i.otherwise);
                }
                byte::OperandCountIs => {
                    let i = read::OperandCountIs::read(code, head);
                    let is = host.operand_count(scratch.ops[i.op.index()]) == i.count;
                    pc = if is { read::OperandCountIs::end(head) } else { i.otherwise };
                }
                byte::ResultCountIs => {
                    let i = read::ResultCountIs::read(code, head);
                    let is = host.result_count(scratch.ops[i.op.index()]) == i.count;
                    pc = if is { read::ResultCountIs::end(head) } else { i.otherwise };
                }
                byte::CountsAre => {
                    let i = read::CountsAre::read(code, head);
                    let op = scratch.ops[i.op.index()];
                    let are = host.operand_count(op) == i.operands && host.result_count(op) == i.results;
                    pc = if are { read::CountsAre::end(head) } else { i.otherwise };
                }
                byte::HasResult => {
                    let i = read::HasResult::read(code, head);
                    let has = i.index < host.result_count(scratch.ops[i.op.index()]);
                    pc = if has { read::HasResult::end(head) } else { i.otherwise };
                }
                byte::HasAttr => {
                    let i = read::HasAttr::read(code, head);
                    let found = host.attr(scratch.ops[i.op.index()], self.attr_names.bound(i.name));
                    pc = if found.is_some() { read::HasAttr::end(head) } else { i.otherwise };
                }
                byte::AttrHolds => {
                    let i = read::AttrHolds::read(code, head);
                    let found = host.attr(scratch.ops[i.op.index()], self.attr_names.bound(i.name));
                    let mut eval = self.eval(host, scratch);
                    let holds = found.is_some_and(|attr| eval.attr_holds(i.snippet, attr) == Some(true));
                    pc = if holds { read::AttrHolds::end(head) } else { i.otherwise };
                }
                byte::AttrIs => {
                    let i = read::AttrIs::read(code, head);
                    let wanted = self.constants.attrs[i.value.index()];
                    let found = host.attr(scratch.ops[i.op.index()], self.attr_names.bound(i.name));
                    let is = wanted.is_some() && found == wanted;
                    pc = if is { read::AttrIs::end(head) } else { i.otherwise };
                }
                byte::AttrSwitch => {
                    let i = read::AttrSwitch::read(code, head);
                    let found = host.attr(scratch.ops[i.op.index()], self.attr_names.bound(i.name));
                    let to = found.and_then(|attr| self.find_attr(i.tail.of(code), attr));
                    pc = to.unwrap_or(i.otherwise);
                }
                byte::ConstantSwitch => {
                    let i = read::ConstantSwitch::read(code, head);
                    let found = self.eval(host, scratch).constant(i.position);
                    let to = found.and_then(|constant| find_case(i.tail.of(code), constant.raw()));
                    pc = to.unwrap_or(i.otherwise);
                }
                byte::OperandTypeIs => {
                    let i = read::OperandTypeIs::read(code, head);
                    let ty = host.value_type(host.operand(scratch.ops[i.op.index()], i.operand));
                    let is = self.constants.types[i.value.index()] == Some(ty);
                    pc = if is { read::OperandTypeIs::end(head) } else { i.otherwise };
                }
                byte::OperandTypeHolds => {
                    let i = read::OperandTypeHolds::read(code, head);
                    let ty = host.value_type(host.operand(scratch.ops[i.op.index()], i.operand));
                    let holds = self.eval(host, scratch).type_holds(i.snippet, ty);
                    let is = holds == Some(i.answer == Answer::YES);
                    pc = if is { read::OperandTypeHolds::end(head) } else { i.otherwise };
                }
                byte::SameOperands => {
                    let i = read::SameOperands::read(code, head);
                    let a = host.operand(scratch.ops[i.a.index()], i.a_operand);
                    let same = a == host.operand(scratch.ops[i.b.index()], i.b_operand);
                    pc = if same { read::SameOperands::end(head) } else { i.otherwise };
                }
                byte::Ask => {
                    let i = read::Ask::read(code, head);
                    let is = self.eval(host, scratch).ask(i.question, i.answer);
                    pc = if is { read::Ask::end(head) } else { i.otherwise };
                }
                byte::EachUser => {
                    let i = read::EachUser::read(code, head);
                    let used = self.first_use(host, scratch, i.value);
                    let found = self.next_user(host, scratch, pc, &i, used);
                    pc = if found { read::EachUser::end(head) } else { Address::FAIL };
                }
                byte::Either => {
                    let i = read::Either::read(code, head);
                    scratch.state.swapped[i.choice as usize] = false;
                    scratch.stack.push(Frame::Either { at: pc, settled: false });
                    pc = read::Either::end(head);
                }
                byte::Constrain => {
                    let i = read::Constrain::read(code, head);
                    let holds = self.constrain(host, scratch, i.call);
                    let is = holds == Some(!i.negated);
                    pc = if is { read::Constrain::end(head) } else { Address::FAIL };
                }
                _ => return None,
            }
        }
    }

    /// Continues after a failure, with the newest alternative `frame`. Returns the next address, if there is one.
    fn fail(&self, host: &H, scratch: &mut Scratch<H>, mut frame: Frame<H>) -> Option<Address> {
        loop {
            match frame {
                Frame::Alternative(at) => return Some(at),
                Frame::User { at, used } => {
                    let choice = decode(&self.program.code, at)?;
                    let Instruction::EachUser(each) = choice.instruction() else { return None };
                    if self.next_user(host, scratch, at, &each, host.next_use(used)) {
                        return Some(choice.end);
                    }
                }
                Frame::Either { settled: true, .. } => {}
                Frame::Either { at, settled: false } => {
                    let choice = decode(&self.program.code, at)?;
                    let Instruction::Either(either) = choice.instruction() else { return None };
                    scratch.state.swapped[either.choice as usize] = true;
                    return Some(choice.end);
                }
            }
            frame = scratch.stack.pop()?;
        }
    }

    /// The first use of the value at a position, or of the first value of a range.
    pub(in crate::vm) fn first_use(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        from: PositionId,
    ) -> Option<H::Use> {
        let mut eval = self.eval(host, scratch);
        let value = match eval.values(from) {
            Some(values) => eval.element(&values, 0),
            None => eval.value(from),
        };
        host.first_use(value?)
    }

    /// Binds a choice to the next user, from `used` on, and opens an alternative for the users after it. Returns false
    /// if no user is left. `at` is the address of the instruction `each`.
    fn next_user(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        at: Address,
        each: &read::EachUser,
        used: Option<H::Use>,
    ) -> bool {
        let found = self.user_at(host, scratch, each.choice, each.place, used);
        if let Some(used) = found {
            scratch.stack.push(Frame::User { at, used });
        }
        found.is_some()
    }

    /// Binds a choice to the first user, from `used` on, that uses the value as the operand at `place`. Returns the
    /// use.
    pub(in crate::vm) fn user_at(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        choice: u32,
        place: PositionId,
        mut used: Option<H::Use>,
    ) -> Option<H::Use> {
        let slot = choice as usize;
        while let Some(this) = used {
            scratch.state.users[slot] = Some((scratch.state.epoch, host.use_owner(this)));
            if self.eval(host, scratch).operand_index(place) == Some(host.use_index(this)) {
                return used;
            }
            used = host.next_use(this);
        }
        scratch.state.users[slot] = None;
        None
    }

    /// The target of the case for an attribute, if there is one.
    #[inline]
    fn find_attr(&self, cases: &[[u32; 2]], attr: H::Attr) -> Option<Address> {
        // Comparing an attribute with up to 8 constants is cheaper than one hash lookup.
        if cases.len() <= 8 {
            return cases
                .iter()
                .find(|p| self.constants.attrs[p[0] as usize] == Some(attr))
                .map(|p| Address::from_raw(p[1]));
        }
        find_case(cases, self.constants.attr_keys.get(&attr)?.raw())
    }

    /// True if a constraint holds; `None` if it cannot be evaluated.
    ///
    /// Not inlined, so that the interpreter's loop keeps its registers.
    #[inline(never)]
    pub(in crate::vm) fn constrain(&self, host: &H, scratch: &mut Scratch<H>, id: CallId) -> Option<bool> {
        let (state, slot) = (&mut scratch.state, id.index());
        let call = &mut state.calls[slot];
        if call.epoch == state.epoch && self.calls.has_one_answer[slot] {
            return call.holds;
        }
        call.results.clear();
        let args = &self.program.predicates.calls()[id].args;
        let each = args.iter().find_map(|arg| if let Arg::Each(p) = arg { Some(*p) } else { None });
        let holds = match each {
            None => self.answer_of(host, scratch, id),
            Some(range) => self.constrain_each(host, scratch, id, range),
        };
        let (state, epoch) = (&mut scratch.state.calls[slot], scratch.state.epoch);
        state.holds = holds;
        state.epoch = epoch;
        holds
    }

    /// The answer of a constraint; `None` if the constraint cannot be evaluated. The answer is cached if types and
    /// attributes determine it.
    fn answer_of(&self, host: &H, scratch: &mut Scratch<H>, id: CallId) -> Option<bool> {
        let Some(key) = self.call_key(host, scratch, id) else {
            return self.evaluate_constraint(host, scratch, id, None);
        };
        if let Some(holds) = scratch.memo.calls.get(id, &key) {
            debug_assert_eq!(self.evaluate_constraint(host, scratch, id, None), Some(holds));
            return Some(holds);
        }
        // A failure is not cached, because the host may lack an entity that it creates later.
        let holds = self.evaluate_constraint(host, scratch, id, None)?;
        scratch.memo.calls.set(id, key, holds);
        Some(holds)
    }

    /// The types and attributes that determine the answer of a call; `None` if the answer depends on anything else, or
    /// if an attribute is null.
    fn call_key(&self, host: &H, scratch: &mut Scratch<H>, id: CallId) -> Option<CallKey<H>> {
        let parts = &self.calls.keys[id.index()];
        if parts.is_empty() {
            return None;
        }
        let mut eval = self.eval(host, scratch);
        let mut key = [KeyEntity::None; MAX_KEY];
        for (entity, part) in key.iter_mut().zip(parts) {
            *entity = match *part {
                KeyPart::Type(at) => KeyEntity::Type(eval.ty(at)?),
                KeyPart::TypeOf(at) => KeyEntity::Type(host.value_type(eval.value(at)?)),
                KeyPart::Attr(at) => KeyEntity::Attr(eval.attr(at)?),
            };
        }
        Some(key)
    }

    /// True if a constraint holds for each element of a range; `None` if it cannot be evaluated.
    #[inline(never)]
    fn constrain_each(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        id: CallId,
        range: PositionId,
    ) -> Option<bool> {
        let mut spare = std::mem::take(&mut scratch.spare);
        let range = self.eval(host, scratch).entity_in(range, &mut spare);
        scratch.spare = spare;
        let mut all = range.as_ref().and_then(|range| is_range(range).then_some(true));
        for i in 0.. {
            let Some(element) = range.as_ref().and_then(|range| element(range, i)) else { break };
            all = self.evaluate_constraint(host, scratch, id, Some(element));
            if all != Some(true) {
                break;
            }
        }
        range.into_iter().for_each(|range| scratch.spare.reclaim(range));
        all
    }

    fn evaluate_constraint(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        id: CallId,
        each: Option<Entity<H>>,
    ) -> Option<bool> {
        let call = &self.program.predicates.calls()[id];
        // PERF: the parts of the scratch are borrowed in place, because moving them out and back takes as long as a
        // small native; `cargo bench --no-default-features --features frontend --bench natives`.
        let Scratch { args, spare, state, memo, .. } = scratch;
        while let Some(arg) = args.pop() {
            spare.reclaim(arg);
        }
        let mut eval = Eval { host, linked: self, state, memo };
        let mut each = each;
        for arg in &call.args {
            args.push(match *arg {
                Arg::Of(p) => eval.entity_in(p, spare)?,
                Arg::Each(_) => each.take()?,
                Arg::Attr(c) => Entity::Attr(Some(self.constant_attr(c)?)),
                Arg::Type(c) => Entity::Type(self.constant_type(c)?),
                Arg::Int(i) => Entity::Int(i),
                Arg::Bool(b) => Entity::Bool(b),
                Arg::Str(s) => Entity::Str(self.calls.texts.get(&s)?.clone()),
            });
        }
        let results = &mut state.calls[id.index()].results;
        results.clear();
        let holds = match (&self.calls.constraints[id.index()], call.callee) {
            (Some(native), _) => {
                let found = native(host, args);
                let holds = found.is_some();
                results.extend(found.into_iter().flatten());
                holds
            }
            (None, Callee::Snippet(snippet)) => self.snippet_constraint(host, snippet, args, results)?,
            (None, Callee::Native(_)) => return None,
        };
        if holds && results.len() != call.results.len() {
            results.clear();
            return None;
        }
        Some(holds)
    }
}

/// Marks the first orders of the `either`s of the matched rule as matched, so that the second orders are not tried.
fn settle<H: Facets>(stack: &mut [Frame<H>]) {
    for frame in stack.iter_mut().rev() {
        match frame {
            Frame::Either { settled, .. } => *settled = true,
            Frame::User { .. } => {}
            Frame::Alternative(_) => break,
        }
    }
}

fn is_range<H: Facets>(entity: &Entity<H>) -> bool {
    matches!(entity, Entity::Values(_) | Entity::Types(_) | Entity::Attrs(_))
}

/// The element of a range at an index; `None` past the end.
fn element<H: Facets>(range: &Entity<H>, index: usize) -> Option<Entity<H>> {
    match range {
        Entity::Values(values) => values.get(index).map(|&value| Entity::Value(Some(value))),
        Entity::Types(types) => types.get(index).map(|&ty| Entity::Type(ty)),
        Entity::Attrs(attrs) => attrs.get(index).map(|&attr| Entity::Attr(Some(attr))),
        _ => None,
    }
}
