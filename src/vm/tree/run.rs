//! The interpreter of the match part.
//!
//! Every access is checked: a program that breaks its rules gives wrong matches or a panic of a
//! slice index, never worse. It runs until a rule matches and goes on from there when asked for the
//! next. The loop ends: code does not jump back but to alternatives, and those are finitely many.

use crate::bytecode::{WIDE, byte, decode};
use crate::host::{Entity, Facets};
use crate::id::Id;
use crate::matcher_tree::{Answer, CallId, PositionId, QuestionId};
use crate::pdl::{Arg, Callee, PatternId};
use crate::snippet::SnippetId;

use super::eval::Eval;
use super::scratch::{Frame, Scratch};
use crate::vm::linked::LinkedProgram;

/// Told about every instruction that matching runs. [`NoTrace`] costs nothing.
pub(crate) trait Trace {
    /// The instruction at this address is about to run.
    fn step(&mut self, address: u32);
}

/// Traces nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct NoTrace;

impl Trace for NoTrace {
    #[inline]
    fn step(&mut self, _address: u32) {}
}

/// Where the shared failing instruction is.
const FAIL: usize = 0;

/// The target of a key in pairs that ascend by key.
#[inline]
fn find(pairs: &[u32], key: u32) -> Option<u32> {
    let (pairs, _) = pairs.as_chunks::<2>();
    if pairs.len() <= 8 {
        return pairs.iter().find(|p| p[0] == key).map(|p| p[1]);
    }
    let i = pairs.partition_point(|p| p[0] < key);
    pairs.get(i).filter(|p| p[0] == key).map(|p| p[1])
}

impl<H: Facets> LinkedProgram<H> {
    pub(in crate::vm) fn eval<'a>(&'a self, host: &'a H, scratch: &'a mut Scratch<H>) -> Eval<'a, H> {
        Eval { host, linked: self, state: &scratch.state, memo: &mut scratch.memo }
    }

    /// Runs from where the scratch is until a rule matches.
    pub(in crate::vm) fn run<T: Trace>(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        trace: &mut T,
    ) -> Option<PatternId> {
        let code = &self.program.code[..];
        let mut pc = scratch.at as usize;
        loop {
            trace.step(address(pc));
            let [opcode, a, b, c] = code[pc].to_le_bytes();
            let (mut a, mut b, mut c) = (usize::from(a), usize::from(b), usize::from(c));
            let mut p = pc + 1;
            let mut opcode = opcode;
            if opcode & WIDE != 0 {
                let wide = decode(code, pc)?;
                opcode = wide.layout.opcode as u8;
                [a, b, c] = wide.small.map(|n| n as usize);
                p += wide.layout.small.len();
            }
            match opcode {
                byte::Fail => {
                    // PERF: the common case in line.
                    let next = match scratch.stack.pop() {
                        Some(Frame::Alternative(at)) => Some(at as usize),
                        Some(choice) => self.fail(host, scratch, choice),
                        None => None,
                    };
                    let Some(next) = next else {
                        scratch.at = address(FAIL);
                        scratch.matched = None;
                        return None;
                    };
                    pc = next;
                }
                byte::Jump => pc = code[p] as usize,
                byte::Try => {
                    scratch.stack.push(Frame::Alternative(code[p]));
                    pc = p + 1;
                }
                byte::Accept | byte::AcceptGuarded => {
                    let pattern = PatternId::from_raw(code[p]);
                    pc = p + 1;
                    if !self.is_dropped(pattern) {
                        if opcode == byte::AcceptGuarded {
                            settle(&mut scratch.stack);
                        }
                        scratch.at = address(pc);
                        scratch.matched = Some(pattern);
                        return Some(pattern);
                    }
                }
                byte::OperandOpTable => {
                    let value = host.operand(scratch.ops[a], index(b));
                    pc = code[p + 1] as usize;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[c] = op;
                        let (base, length) = (code[p], code[p + 2]);
                        let entry = self.op_number(host, op).raw().wrapping_sub(base);
                        if entry < length {
                            pc = code[p + 3 + entry as usize] as usize;
                        }
                    }
                }
                byte::OperandOpSwitch => {
                    let value = host.operand(scratch.ops[a], index(b));
                    pc = code[p] as usize;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[c] = op;
                        let pairs = &code[p + 2..][..2 * code[p + 1] as usize];
                        if let Some(to) = find(pairs, self.op_number(host, op).raw()) {
                            pc = to as usize;
                        }
                    }
                }
                byte::OperandOpIs => {
                    let value = host.operand(scratch.ops[a], index(b));
                    pc = code[p + 1] as usize;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[c] = op;
                        if host.op_name(op) == self.op_names.of_host[code[p] as usize] {
                            pc = p + 2;
                        }
                    }
                }
                byte::OperandOp => {
                    let value = host.operand(scratch.ops[a], index(b));
                    pc = code[p] as usize;
                    if let Some(op) = host.defining_op(value) {
                        scratch.ops[c] = op;
                        pc = p + 1;
                    }
                }
                byte::LoadOp => {
                    let found = self.eval(host, scratch).op(PositionId::from_raw(code[p]));
                    pc = code[p + 1] as usize;
                    if let Some(op) = found {
                        scratch.ops[a] = op;
                        pc = p + 2;
                    }
                }
                byte::NameIs => {
                    let is = host.op_name(scratch.ops[a]) == self.op_names.of_host[code[p] as usize];
                    pc = if is { p + 2 } else { code[p + 1] as usize };
                }
                byte::NameSwitch => {
                    let pairs = &code[p + 2..][..2 * code[p + 1] as usize];
                    let to = find(pairs, self.op_number(host, scratch.ops[a]).raw());
                    pc = to.unwrap_or(code[p]) as usize;
                }
                byte::OperandCountIs => {
                    let is = host.operand_count(scratch.ops[a]) as usize == b;
                    pc = if is { p + 1 } else { code[p] as usize };
                }
                byte::ResultCountIs => {
                    let is = host.result_count(scratch.ops[a]) as usize == b;
                    pc = if is { p + 1 } else { code[p] as usize };
                }
                byte::CountsAre => {
                    let op = scratch.ops[a];
                    let are = host.operand_count(op) as usize == b && host.result_count(op) as usize == c;
                    pc = if are { p + 1 } else { code[p] as usize };
                }
                byte::AttrIs => {
                    let wanted = self.constants.attrs[code[p + 1] as usize];
                    let found = host.attr(scratch.ops[a], self.attr_names.bound(code[p]));
                    pc = if wanted.is_some() && found == wanted { p + 3 } else { code[p + 2] as usize };
                }
                byte::AttrSwitch => {
                    let found = host.attr(scratch.ops[a], self.attr_names.bound(code[p]));
                    let pairs = &code[p + 3..][..2 * code[p + 2] as usize];
                    let to = found.and_then(|attr| self.find_attr(pairs, attr));
                    pc = to.unwrap_or(code[p + 1]) as usize;
                }
                byte::ConstantSwitch => {
                    let found = self.eval(host, scratch).constant(PositionId::from_raw(code[p]));
                    let pairs = &code[p + 3..][..2 * code[p + 2] as usize];
                    pc = found.and_then(|c| find(pairs, c.raw())).unwrap_or(code[p + 1]) as usize;
                }
                byte::OperandTypeIs => {
                    let ty = host.value_type(host.operand(scratch.ops[a], index(b)));
                    let is = self.constants.types[code[p] as usize] == Some(ty);
                    pc = if is { p + 2 } else { code[p + 1] as usize };
                }
                byte::OperandTypeHolds => {
                    let ty = host.value_type(host.operand(scratch.ops[a], index(b)));
                    let holds = self.eval(host, scratch).type_holds(SnippetId::from_raw(code[p]), ty);
                    pc = if holds == Some(c == 1) { p + 2 } else { code[p + 1] as usize };
                }
                byte::SameOperands => {
                    let one = host.operand(scratch.ops[a], index(b));
                    let same = one == host.operand(scratch.ops[c], code[p]);
                    pc = if same { p + 2 } else { code[p + 1] as usize };
                }
                byte::Ask => {
                    let question = QuestionId::from_raw(code[p]);
                    let answer = self.eval(host, scratch).ask(question, Answer(code[p + 1]));
                    pc = if answer { p + 3 } else { code[p + 2] as usize };
                }
                byte::EachUser => {
                    let used = self.first_use(host, scratch, PositionId::from_raw(code[p]));
                    let found = self.next_user(host, scratch, pc, used);
                    pc = if found { p + 2 } else { FAIL };
                }
                byte::Either => {
                    scratch.state.swapped[a] = false;
                    scratch.stack.push(Frame::Either { at: address(pc), settled: false });
                    pc = p;
                }
                byte::Constrain => {
                    let holds = self.constrain(host, scratch, CallId::from_raw(code[p]));
                    pc = if holds == Some(a == 0) { p + 1 } else { FAIL };
                }
                _ => return None,
            }
        }
    }

    /// Where to go on after a failure, `frame` being the newest alternative.
    fn fail(&self, host: &H, scratch: &mut Scratch<H>, mut frame: Frame<H>) -> Option<usize> {
        loop {
            match frame {
                Frame::Alternative(at) => return Some(at as usize),
                Frame::User { at, used } => {
                    let at = at as usize;
                    if self.next_user(host, scratch, at, host.next_use(used)) {
                        return decode(&self.program.code, at).map(|i| i.end);
                    }
                }
                Frame::Either { settled: true, .. } => {}
                Frame::Either { at, settled: false } => {
                    let either = decode(&self.program.code, at as usize)?;
                    scratch.state.swapped[either.small[0] as usize] = true;
                    return Some(either.end);
                }
            }
            frame = scratch.stack.pop()?;
        }
    }

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

    /// Goes to the first use from `used` on that is at the place that the choice at `at` wants.
    fn next_user(&self, host: &H, scratch: &mut Scratch<H>, at: usize, used: Option<H::Use>) -> bool {
        let Some(choice) = decode(&self.program.code, at) else { return false };
        let place = PositionId::from_raw(choice.words[1]);
        let found = self.user_at(host, scratch, choice.small[0], place, used);
        if let Some(used) = found {
            scratch.stack.push(Frame::User { at: address(at), used });
        }
        found.is_some()
    }

    /// Sets a choice to the first user from `used` on that uses the value at a place; its use.
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

    /// The target of an attribute in pairs of constants and targets.
    #[inline]
    fn find_attr(&self, pairs: &[u32], attr: H::Attr) -> Option<u32> {
        // PERF: comparing with a few constants is cheaper than one look-up of the attribute.
        if pairs.len() <= 16 {
            let (pairs, _) = pairs.as_chunks::<2>();
            return pairs.iter().find(|p| self.constants.attrs[p[0] as usize] == Some(attr)).map(|p| p[1]);
        }
        find(pairs, self.constants.attr_keys.get(&attr)?.raw())
    }

    /// Whether a constraint holds; `None` if it cannot be asked.
    pub(in crate::vm) fn constrain(&self, host: &H, scratch: &mut Scratch<H>, id: CallId) -> Option<bool> {
        let call = &self.program.predicates.calls()[id];
        let slot = id.index();
        let remembered = self.calls.has_one_answer[slot];
        if remembered && scratch.state.calls[slot].epoch == scratch.state.epoch {
            return scratch.state.calls[slot].holds;
        }
        scratch.state.calls[slot].results.clear();
        let each = call.args.iter().find_map(|arg| if let Arg::Each(p) = arg { Some(*p) } else { None });
        let holds = match each {
            None => self.ask_constraint(host, scratch, id, None),
            Some(range) => {
                let mut spare = std::mem::take(&mut scratch.spare);
                let range = self.eval(host, scratch).entity_in(range, &mut spare);
                scratch.spare = spare;
                let mut all = range.as_ref().and_then(|range| is_range(range).then_some(true));
                for i in 0.. {
                    let Some(element) = range.as_ref().and_then(|range| element(range, i)) else { break };
                    all = self.ask_constraint(host, scratch, id, Some(element));
                    if all != Some(true) {
                        break;
                    }
                }
                range.into_iter().for_each(|range| scratch.spare.reclaim(range));
                all
            }
        };
        let state = &mut scratch.state;
        state.calls[slot].holds = holds;
        state.calls[slot].epoch = state.epoch;
        holds
    }

    fn ask_constraint(
        &self,
        host: &H,
        scratch: &mut Scratch<H>,
        id: CallId,
        each: Option<Entity<H>>,
    ) -> Option<bool> {
        let call = &self.program.predicates.calls()[id];
        let mut args = std::mem::take(&mut scratch.args);
        let mut spare = std::mem::take(&mut scratch.spare);
        args.drain(..).for_each(|arg| spare.reclaim(arg));
        let mut eval = self.eval(host, scratch);
        let mut each = each;
        let complete = call.args.iter().all(|arg| {
            let entity = match *arg {
                Arg::Of(p) => eval.entity_in(p, &mut spare),
                Arg::Each(_) => each.take(),
                Arg::Attr(c) => self.constant_attr(c).map(|a| Entity::Attr(Some(a))),
                Arg::Type(c) => self.constant_type(c).map(Entity::Type),
                Arg::Int(i) => Some(Entity::Int(i)),
                Arg::Bool(b) => Some(Entity::Bool(b)),
                Arg::Str(s) => self.calls.texts.get(&s).cloned().map(Entity::Str),
            };
            let known = entity.is_some();
            args.extend(entity);
            known
        });
        let answer = complete.then(|| match call.callee {
            Callee::Native(_) => {
                let run = self.calls.constraints[id.index()].as_ref()?;
                Some(run(host, &args))
            }
            Callee::Snippet(snippet) => self.snippet_constraint(host, snippet, &args),
        });
        (scratch.args, scratch.spare) = (args, spare);
        match answer.flatten()? {
            None => Some(false),
            Some(results) if results.len() == call.results.len() => {
                scratch.state.calls[id.index()].results = results;
                Some(true)
            }
            Some(_) => None,
        }
    }
}

/// Marks the `either`s of the rule that has matched: the order that led here is the last.
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

/// One thing of a range; `None` past its end.
fn element<H: Facets>(range: &Entity<H>, index: usize) -> Option<Entity<H>> {
    match range {
        Entity::Values(values) => values.get(index).map(|&value| Entity::Value(Some(value))),
        Entity::Types(types) => types.get(index).map(|&ty| Entity::Type(ty)),
        Entity::Attrs(attrs) => attrs.get(index).map(|&attr| Entity::Attr(Some(attr))),
        _ => None,
    }
}

/// An address as it is stored; those in code fit.
#[inline]
fn address(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(0)
}

/// An operand index as the host takes it; it comes from a `u32`.
#[inline]
fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
