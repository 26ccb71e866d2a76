//! Whether a program can be run: what the interpreters take for granted, checked once.
//!
//! Specification: a program that passes makes no interpreter read past a table, read an operation
//! that it has not loaded or an operand that is not known to be there, jump to what is no
//! instruction, or run for ever, on any IR.
//!
//! Ids of tables were checked when they were read; here are what refers to code and what code relies on.
//! Method: the match part goes only forward, so one pass over it in order of addresses gives each
//! instruction what is known on all paths to it: which operation registers are loaded, and how many
//! operands each operation has at least. A pass backward bounds what it costs. Rewrites are straight, and
//! what they make has a kind each. All of it takes time in proportion to the program.

use super::compact::Addresses;
use super::instruction::{Decoded, Flow, Layout, Opcode, OperandKind, Part, Tail, decode};
use super::program::{Location, PatternCall, Program, RewriteCall, SourceRef, SourceWord};
use crate::host::Kind;
use crate::id::Id;
use crate::matcher_tree::{Answer, CallId, GroupSize, Position, PositionId, Question, QuestionId, Side};
use crate::pdl::{Arg, GroupSplit, LocalId, Pattern, PatternId};
use crate::wire::{Invalid, Section};

/// How many instructions matching at one operation may run, users counted as one.
const MAX_STEPS: u32 = 1 << 28;
/// How many alternatives may be open at once.
const MAX_OPEN: u32 = 1 << 16;

type Valid<T = ()> = Result<T, Invalid>;

fn in_code(what: String) -> Invalid {
    Invalid::new(Section::Code, what)
}

fn in_rules(what: String) -> Invalid {
    Invalid::new(Section::Rules, what)
}

fn in_tables(what: String) -> Invalid {
    Invalid::new(Section::Tables, what)
}

/// Checks all that the parts of a program rely on; its instructions start at `starts`.
pub(super) fn validate(program: &Program, starts: &Addresses) -> Valid {
    tables(program)?;
    if !program.bottom_up.fits(program) {
        return Err(Invalid::new(Section::Items, "an item or a rule does not fit"));
    }
    if program.code.first() != Some(&u32::from(Opcode::Fail as u8)) {
        return Err(in_code("it does not start with the instruction that fails".into()));
    }
    MatchPart::new(program, starts).run()?;
    rules(program, starts)
}

/// Choices, calls and registers, as far as tables name them.
fn tables(program: &Program) -> Valid {
    let positions = &program.positions;
    for (id, position) in positions.iter() {
        if let Position::User { choice } | Position::Either { choice, .. } = *position
            && choice >= program.choices
        {
            return Err(in_tables(format!(
                "position {} is of choice {choice} of {}",
                id.raw(),
                program.choices
            )));
        }
        if let Position::CallResult { call, index, kind } = *position
            && program.predicates.calls()[call].results.get(index as usize) != Some(&kind)
        {
            return Err(in_tables(format!("position {} is no result of its call", id.raw())));
        }
    }
    for (id, call) in program.predicates.calls().iter_enumerated() {
        let later =
            |position: PositionId| program.call_below(position).is_some_and(|before: CallId| before >= id);
        if call.args.iter().filter_map(Arg::taken).any(later) {
            return Err(in_tables(format!("constraint call {} takes the result of a later one", id.raw())));
        }
    }
    let is_op = |&position: &PositionId| positions.kind(position) == Kind::Op;
    let root = program.registers.first().is_some_and(|&position| positions[position] == Position::Root);
    if !root || !program.registers.iter().all(is_op) {
        return Err(in_tables("an operation register is for no operation".into()));
    }
    let names = program.op_names.len();
    if let Some((name, _)) = program.entries.iter().find(|entry| entry.0 as usize >= names) {
        return Err(in_tables(format!("root name {name} of {names}")));
    }
    Ok(())
}

/// What is known at an instruction: the number of the last thing that was learnt on the way, of which
/// [`Known`] knows what was learnt before; 0 for an instruction that nothing leads to.
type State = u32;

/// That a register is loaded, and how many operands its operation has at least.
#[derive(Clone, Copy)]
struct Fact {
    register: u32,
    operands: u32,
    before: State,
}

/// All that is known anywhere.
struct Known {
    facts: Vec<Fact>,
    /// How many facts may still be looked at, so that looking takes no longer than the code is long.
    left: usize,
    kept: Vec<Fact>,
}

impl Known {
    /// At a root, whose operation is in register 0.
    const ROOT: State = 1;

    fn new(code: usize) -> Self {
        let fact = Fact { register: 0, operands: 0, before: 0 };
        Self { facts: vec![fact; 2], left: 4096 * code + (1 << 24), kept: Vec::new() }
    }

    /// How many operands the operation in a register has at least, if it is loaded.
    fn find(&mut self, mut state: State, register: u32) -> Option<u32> {
        while state != 0 {
            let fact = self.facts[state as usize];
            if fact.register == register {
                return Some(fact.operands);
            }
            state = fact.before;
            self.left = self.left.saturating_sub(1);
        }
        None
    }

    fn learn(&mut self, state: State, register: u32, operands: u32) -> Valid<State> {
        if self.find(state, register).is_some_and(|known| known >= operands) {
            return Ok(state);
        }
        self.facts.push(Fact { register, operands, before: state });
        let last = u32::try_from(self.facts.len() - 1).map_err(|_| in_code("there is too much of it".into()));
        self.followed(last?)
    }

    fn followed(&self, state: State) -> Valid<State> {
        if self.left == 0 {
            return Err(in_code("more operations are loaded on its paths than can be followed".into()));
        }
        Ok(state)
    }

    /// What is known whichever of two ways was taken; one that is not there says nothing.
    fn meet(&mut self, a: State, b: State) -> Valid<State> {
        if a == b || b == 0 {
            return Ok(a);
        }
        if a == 0 {
            return Ok(b);
        }
        // What was learnt before is known to both, if the one comes from the other.
        let (older, mut newer) = (a.min(b), a.max(b));
        while newer > older {
            newer = self.facts[newer as usize].before;
            self.left = self.left.saturating_sub(1);
        }
        if newer == older {
            return self.followed(older);
        }
        let mut kept = std::mem::take(&mut self.kept);
        let (mut state, mut all) = (a, true);
        while state != 0 {
            let fact = self.facts[state as usize];
            let known = match self.find(b, fact.register) {
                // A register is there once with each number that was learnt of it; the last is the largest.
                Some(_) if self.find(a, fact.register) != Some(fact.operands) => None,
                Some(operands) => {
                    all &= operands >= fact.operands;
                    Some(Fact { operands: operands.min(fact.operands), ..fact })
                }
                None => None,
            };
            all &= known.is_some();
            kept.extend(known);
            state = fact.before;
        }
        let mut met = if all { a } else { 0 };
        for fact in kept.drain(..).rev().filter(|_| !all) {
            met = self.learn(met, fact.register, fact.operands)?;
        }
        self.kept = kept;
        self.followed(met)
    }
}

struct MatchPart<'a> {
    program: &'a Program,
    starts: &'a Addresses,
    /// The register of each position that has one, else `u32::MAX`.
    registers: Vec<u32>,
    /// The attribute names that linking binds.
    attr_names: Vec<bool>,
    known: Known,
    /// What is known at each address that was gone to so far.
    states: Vec<State>,
    /// What runs, in order of addresses, and where it goes besides on.
    ran: Vec<Ran>,
    targets: Vec<u32>,
    /// The last address that was gone to.
    last: usize,
}

/// An instruction that runs.
struct Ran {
    at: u32,
    /// How many targets it and those before it have.
    targets: usize,
    opcode: Opcode,
    flow: Flow,
}

impl<'a> MatchPart<'a> {
    fn new(program: &'a Program, starts: &'a Addresses) -> Self {
        let mut registers = vec![u32::MAX; program.positions.len()];
        for (register, &position) in (0u32..).zip(&program.registers) {
            registers[position.index()] = register;
        }
        let mut attr_names = vec![false; program.strings.len()];
        for name in program.bound_attr_names() {
            attr_names[name.index()] = true;
        }
        let code = program.code.len();
        let (known, states) = (Known::new(code), vec![0; code]);
        let (ran, targets) = (Vec::new(), Vec::new());
        Self { program, starts, registers, attr_names, known, states, ran, targets, last: 0 }
    }

    fn run(mut self) -> Valid {
        let code = &self.program.code[..];
        for root in self.program.match_roots() {
            self.reach(None, root, Known::ROOT)?;
        }
        let (mut at, mut through) = (0, 0);
        while at < code.len() && (at <= self.last || through != 0) {
            let Some(instruction) = decode(code, at) else {
                return Err(in_code(format!("there is no instruction at {at}")));
            };
            let here = self.known.meet(self.states[at], through)?;
            through = 0;
            if here != 0 {
                let after = self.step(at, &instruction, here)?;
                let Layout { opcode, flow, .. } = *instruction.layout;
                if let Tail::NameCases | Tail::ConstantCases | Tail::Targets = instruction.layout.tail {
                    let first = usize::from(instruction.layout.tail != Tail::Targets);
                    for &to in instruction.tail[first..].iter().step_by(1 + first) {
                        self.reach(Some(at), to, after)?;
                    }
                }
                if flow == Flow::Next {
                    through = after;
                }
                let at = u32::try_from(at).map_err(|_| in_code("there is too much of it".into()))?;
                self.ran.push(Ran { at, targets: self.targets.len(), opcode, flow });
            }
            at = instruction.end;
        }
        if through != 0 {
            return Err(in_code("it ends in the middle".into()));
        }
        self.cost()
    }

    /// That an instruction, or something outside, may lead to an address, and with what.
    fn reach(&mut self, from: Option<usize>, to: u32, with: State) -> Valid {
        let index = to as usize;
        if !self.starts.has(index) {
            return Err(in_code(format!("there is no instruction at {to}, to which others go")));
        }
        if from.is_some() {
            self.targets.push(to);
        }
        if index == 0 {
            return Ok(());
        }
        if let Some(from) = from.filter(|&from| from >= index) {
            return Err(in_code(format!("the match part goes back from {from} to {to}")));
        }
        self.states[index] = self.known.meet(self.states[index], with)?;
        self.last = self.last.max(index);
        Ok(())
    }

    /// What is known after an instruction, which needs what is known `here`.
    fn step(&mut self, at: usize, instruction: &Decoded<'_>, here: State) -> Valid<State> {
        let layout = instruction.layout;
        let mnemonic = layout.mnemonic;
        if layout.part != Part::Match {
            return Err(in_code(format!("'{mnemonic}' at {at} is no instruction of the match part")));
        }
        let mut last = (0, 0);
        let mut path = None;
        let mut after = here;
        let count = layout.small.len();
        for i in 0..count + layout.words.len() {
            let (kind, value) = match i.checked_sub(count) {
                None => (layout.small[i].1, instruction.small[i]),
                Some(i) => (layout.words[i].1, instruction.words[i]),
            };
            match kind {
                OperandKind::Op => {
                    let operands = self.known.find(here, value).ok_or_else(|| {
                        in_code(format!("'{mnemonic}' at {at} reads register {value}, which is not loaded"))
                    })?;
                    last = (value, operands);
                }
                OperandKind::Operand if value >= last.1 => {
                    let what = format!("'{mnemonic}' at {at} takes operand {value}, which may not be there");
                    return Err(in_code(what));
                }
                OperandKind::Operand => path = Some((last.0, value)),
                OperandKind::NewOp => after = self.known.learn(after, value, 0)?,
                OperandKind::AttrName if !self.attr_names[value as usize] => {
                    return Err(in_code(format!(
                        "no position has the attribute name of '{mnemonic}' at {at}"
                    )));
                }
                OperandKind::Target => self.reach(Some(at), value, here)?,
                _ => {}
            }
        }
        let small = instruction.small;
        let words = instruction.words;
        match layout.opcode {
            Opcode::OperandOp | Opcode::OperandOpIs | Opcode::OperandOpSwitch | Opcode::OperandOpTable => {
                self.loads(at, small[2], path)?;
            }
            Opcode::LoadOp if self.position_of(small[0]).raw() != words[0] => {
                return Err(in_code(format!("'{mnemonic}' at {at} loads another register's operation")));
            }
            Opcode::OperandCountIs | Opcode::CountsAre => {
                after = self.known.learn(after, small[0], small[1])?
            }
            Opcode::Ask => after = self.ask(words[0], Answer(words[1]), after)?,
            _ => {}
        }
        Ok(after)
    }

    /// The position of a register, whose number has been checked.
    fn position_of(&self, register: u32) -> PositionId {
        self.program.registers[register as usize]
    }

    /// That a register is for the operation that defines an operand.
    fn loads(&self, at: usize, to: u32, path: Option<(u32, u32)>) -> Valid {
        let positions = &self.program.positions;
        let is = path.is_some_and(|(from, index)| match positions[self.position_of(to)] {
            Position::DefiningOp(value) => {
                positions[value] == Position::Operand { op: self.position_of(from), index }
            }
            _ => false,
        });
        if is {
            Ok(())
        } else {
            Err(in_code(format!("register {to} is for another operation than '{at}' loads")))
        }
    }

    /// What is known once a question has an answer, which may say something of the number of operands.
    fn ask(&mut self, question: u32, answer: Answer, known: State) -> Valid<State> {
        let positions = &self.program.positions;
        let (op, operands) = match self.program.predicates[QuestionId::from_raw(question)] {
            Question::Count { op, side: Side::Operands } => (op, answer.0),
            Question::Fits { op, side: Side::Operands, split } if answer == Answer::YES => {
                let split = positions.split(split);
                let fixed = split.groups.iter().map(|g| if let GroupSize::Exactly(n) = g { *n } else { 0 });
                match split.rule {
                    GroupSplit::Attribute(_) => return Ok(known),
                    GroupSplit::Rest | GroupSplit::Equal => (op, fixed.fold(0, u32::saturating_add)),
                }
            }
            _ => return Ok(known),
        };
        let register = self.registers[op.index()];
        if self.known.find(known, register).is_none() {
            return Ok(known);
        }
        self.known.learn(known, register, operands)
    }

    /// That it comes to an end soon, with few alternatives open.
    fn cost(self) -> Valid {
        // Steps and open alternatives at each address that something goes to.
        let mut costs = vec![(0u32, 0u32); self.last + 1];
        costs[0] = (1, 0);
        let mut next = (0, 0);
        let mut left = &self.targets[..];
        for (i, &Ran { at, opcode, flow, .. }) in self.ran.iter().enumerate().rev() {
            let before = if i == 0 { 0 } else { self.ran[i - 1].targets };
            let (rest, targets) = left.split_at(before);
            left = rest;
            let mut worst = if flow == Flow::Next { next } else { (0, 0) };
            let mut then = (0, 0);
            for &to in targets {
                then = costs[to as usize];
                worst = (worst.0.max(then.0), worst.1.max(then.1));
            }
            let (steps, open) = match opcode {
                Opcode::Try => (next.0.saturating_add(then.0), worst.1.max(next.1 + 1)),
                Opcode::Either => (next.0.saturating_mul(2), next.1 + 1),
                Opcode::EachUser => (next.0, next.1 + 1),
                _ => worst,
            };
            next = (steps.saturating_add(1), open);
            if next.0 > MAX_STEPS {
                return Err(in_code(format!("matching may take more than {MAX_STEPS} instructions")));
            }
            if next.1 > MAX_OPEN {
                return Err(in_code(format!("matching may open more than {MAX_OPEN} alternatives")));
            }
            if let Some(cost) = costs.get_mut(at as usize) {
                *cost = next;
            }
        }
        Ok(())
    }
}

fn rules(program: &Program, starts: &Addresses) -> Valid {
    // Rules may share rewrites, and each is looked at for each: as long as that is not too much.
    let mut left = 64 * (program.code.len() + program.patterns.len()) + 1024;
    let mut defined = Vec::new();
    for (id, info) in program.patterns.iter_enumerated() {
        let rule = |what: &str| in_rules(format!("{what} of rule {}", id.raw()));
        if info.benefit > Pattern::MAX_BENEFIT {
            return Err(rule("the benefit is too large"));
        }
        let locals = program.locals(id);
        defined.clear();
        defined.resize(locals.len(), false);
        let rewrite = Rewrite { program, id, locals, defined: &mut defined };
        for call in program.calls(id) {
            if let PatternCall::Rewrite(call) = call {
                rewrite.call_fits(&program.rewrite_calls[*call])?;
            }
        }
        if !starts.has(info.rewrite as usize) {
            return Err(rule("there is no instruction at the rewrite"));
        }
        rewrite.run(info.rewrite as usize, &mut left)?;
    }
    Ok(())
}

/// One rule's rewrite.
struct Rewrite<'a> {
    program: &'a Program,
    id: PatternId,
    locals: &'a [Kind],
    /// Which of them have been made.
    defined: &'a mut Vec<bool>,
}

const OP: &[Kind] = &[Kind::Op];
/// An operation that a native makes may stand for its results.
const VALUES: &[Kind] = &[Kind::Value, Kind::Values, Kind::Op];
const TYPES: &[Kind] = &[Kind::Type, Kind::Types];
const ATTRS: &[Kind] = &[Kind::Attr, Kind::Attrs];

impl Rewrite<'_> {
    fn invalid(&self, what: &str) -> Invalid {
        in_rules(format!("rule {} rewrites wrongly: {what}", self.id.raw()))
    }

    fn local(&self, local: LocalId) -> Valid<Kind> {
        let kind = self.locals.get(local.index()).copied();
        kind.ok_or_else(|| self.invalid("it has no such local"))
    }

    fn kind(&self, source: SourceWord) -> Valid<Kind> {
        match source.get() {
            SourceRef::Matched(position) if position.index() < self.program.positions.len() => {
                Ok(self.program.positions.kind(position))
            }
            SourceRef::Matched(_) => Err(self.invalid("there is no such position")),
            SourceRef::Local(local) => self.local(local),
        }
    }

    /// The kind of something that is there by now.
    fn take(&self, source: SourceWord, kinds: &[Kind]) -> Valid<Kind> {
        let kind = self.kind(source)?;
        if let SourceRef::Local(local) = source.get()
            && !self.defined[local.index()]
        {
            return Err(self.invalid("it takes what it has not made"));
        }
        if kinds.is_empty() || kinds.contains(&kind) {
            return Ok(kind);
        }
        Err(self.invalid(&format!("it takes a {kind} where there is to be a {}", kinds[0])))
    }

    fn take_all(&self, sources: &[u32], kinds: &[Kind]) -> Valid {
        sources.iter().try_for_each(|&source| self.take(SourceWord::from_word(source), kinds).map(|_| ()))
    }

    fn make(&mut self, local: u32, kinds: &[Kind]) -> Valid {
        let local = LocalId::from_raw(local);
        let kind = self.local(local)?;
        if !kinds.contains(&kind) {
            return Err(self.invalid(&format!("it makes a {} where there is to be a {kind}", kinds[0])));
        }
        self.defined[local.index()] = true;
        Ok(())
    }

    /// That a call's locals are this rule's.
    fn call_fits(&self, call: &RewriteCall) -> Valid {
        for source in call.args.iter().filter_map(Arg::taken) {
            self.kind(source)?;
        }
        if call.to.len() != call.kinds.len() {
            return Err(self.invalid("a call gives other things than it says"));
        }
        for (&to, &kind) in call.to.iter().zip(&call.kinds) {
            if self.local(to)? != kind {
                return Err(self.invalid("a call gives things of other kinds"));
            }
        }
        Ok(())
    }

    fn location(&self, location: &Location) -> Valid {
        let sources = match location {
            Location::Fused { of, .. } => of.as_slice(),
            Location::Named { child, .. } => child.as_slice(),
        };
        let kinds = [Kind::Location, Kind::Op, Kind::Value, Kind::Values];
        sources.iter().try_for_each(|&source| self.take(source, &kinds).map(|_| ()))
    }

    fn run(mut self, mut at: usize, left: &mut usize) -> Valid {
        loop {
            let step = decode(&self.program.code, at)
                .filter(|step| step.layout.part == Part::Rewrite)
                .ok_or_else(|| self.invalid(&format!("there is no step at {at}")))?;
            *left = left
                .checked_sub(1 + step.tail.len())
                .ok_or_else(|| self.invalid("too many rules share too long rewrites"))?;
            if step.layout.opcode == Opcode::Done {
                return Ok(());
            }
            self.step(&step)?;
            at = step.end;
        }
    }

    fn step(&mut self, step: &Decoded<'_>) -> Valid {
        let words = step.words;
        let source = |i: usize| SourceWord::from_word(words[i]);
        match step.layout.opcode {
            Opcode::MakeConstant => {
                let constants = self.program.positions.constants();
                let kind = constants.as_slice()[words[0] as usize].0;
                self.make(words[1], &[kind])
            }
            Opcode::MakeLocation => {
                self.location(&self.program.locations.as_slice()[words[0] as usize])?;
                self.make(words[1], &[Kind::Location])
            }
            Opcode::TypeOf => {
                let kind = match self.take(source(0), &[Kind::Value, Kind::Values, Kind::Attr])? {
                    Kind::Values => Kind::Types,
                    _ => Kind::Type,
                };
                self.make(words[1], &[kind])
            }
            Opcode::GetResult => {
                self.take(source(0), OP)?;
                self.make(words[2], &[Kind::Value])
            }
            Opcode::GetResults => {
                self.take(source(0), OP)?;
                self.make(words[3], &[Kind::Values])
            }
            Opcode::GetAllResults => {
                self.take(source(0), OP)?;
                self.make(words[1], &[Kind::Values])
            }
            Opcode::MakeRange => {
                let (all, parts) = match self.local(LocalId::from_raw(words[0]))? {
                    Kind::Types => (Kind::Types, TYPES),
                    Kind::Attrs => (Kind::Attrs, ATTRS),
                    _ => (Kind::Values, &VALUES[..2]),
                };
                self.take_all(step.tail, parts)?;
                self.make(words[0], &[all])
            }
            Opcode::CallRewrite => {
                let call = &self.program.rewrite_calls.as_slice()[words[0] as usize];
                for source in call.args.iter().filter_map(Arg::taken) {
                    self.take(source, &[])?;
                }
                self.call_fits(call)?;
                call.to.iter().zip(&call.kinds).try_for_each(|(to, &kind)| self.make(to.raw(), &[kind]))
            }
            Opcode::Create => self.create(step),
            Opcode::Replace => {
                self.take(source(0), OP)?;
                self.take_all(step.tail, VALUES)
            }
            Opcode::ReplaceByOp => {
                self.take(source(0), OP)?;
                self.take(source(1), OP).map(|_| ())
            }
            Opcode::Erase => self.take(source(0), OP).map(|_| ()),
            _ => Err(self.invalid("it has a step of the match part")),
        }
    }

    fn create(&mut self, step: &Decoded<'_>) -> Valid {
        for attribute in step.created_attributes() {
            self.take(SourceWord::from_word(attribute[1]), &[Kind::Attr])?;
        }
        let [operands, results] = step.created_sources();
        self.take_all(operands, VALUES)?;
        self.take_all(results, TYPES)?;
        self.location(&self.program.locations.as_slice()[step.words[2] as usize])?;
        self.make(step.words[1], OP)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::{self, Config};
    use crate::pdl::RuleSet;
    use crate::source::SourceMap;

    fn word(opcode: Opcode, small: u8) -> u32 {
        u32::from_le_bytes([opcode as u8, small, 0, 0])
    }

    /// What is said of a program of one rule whose match part is this code, which starts at 1.
    fn message(code: &[u32]) -> String {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let root = rule.op("t.op").matched();
        rule.erase(root);
        rule.finish().unwrap();
        let tree = matcher_tree::build(&rules, &Config::new()).unwrap();
        let mut program = crate::bytecode::compile(&rules, &tree).unwrap();
        program.code = [&[word(Opcode::Fail, 0)], code, &[word(Opcode::Done, 0)]].concat();
        program.patterns[PatternId::from_raw(0)].rewrite = u32::try_from(code.len() + 1).unwrap();
        (program.any, program.choices) = (1, 1);
        (program.entries, program.bottom_up) = (Vec::new(), Default::default());
        program.debug = Default::default();
        let sources = SourceMap::default();
        let loaded = Program::from_bytes(&program.to_bytes(&sources), &mut SourceMap::default());
        loaded.map_or_else(|error| error.to_string(), |_| "it is good".to_owned())
    }

    #[test]
    fn limits_are_said() {
        let of = |opcode: Opcode, times: usize| {
            let mut code =
                [word(opcode, 0), 0, 0][..if opcode == Opcode::Either { 1 } else { 3 }].repeat(times);
            code.push(word(Opcode::Fail, 0));
            message(&code)
        };
        assert_eq!(of(Opcode::Either, 27), "it is good");
        let expected = "it is invalid: in section 'code', matching may take more than 268435456 instructions";
        assert_eq!(of(Opcode::Either, 28), expected);
        assert_eq!(of(Opcode::EachUser, 65_536), "it is good");
        let expected = "it is invalid: in section 'code', matching may open more than 65536 alternatives";
        assert_eq!(of(Opcode::EachUser, 65_537), expected);
    }

    #[test]
    fn what_is_not_known_on_all_paths_is_not_taken() {
        let fail = word(Opcode::Fail, 0);
        let count = |register: u8| [u32::from_le_bytes([Opcode::OperandCountIs as u8, register, 1, 0]), 0];
        assert_eq!(message(&[&count(0)[..], &[fail]].concat()), "it is good");
        let unloaded = message(&[&count(1)[..], &[fail]].concat());
        assert!(unloaded.contains("Op 1 of 1 in the instruction at 1"), "{unloaded}");
        // Same operands: one path has asked how many there are, the other has not.
        let same = [u32::from_le_bytes([Opcode::SameOperands as u8, 0, 0, 0]), 0, 0];
        assert_eq!(message(&[&count(0)[..], &same, &[fail]].concat()), "it is good");
        let after_try = [&[word(Opcode::Try, 0), 5], &count(0)[..], &same, &[fail]].concat();
        let expected =
            "it is invalid: in section 'code', 'operands.same' at 5 takes operand 0, which may not be there";
        assert_eq!(message(&after_try), expected);
        assert_eq!(
            message(&[word(Opcode::Try, 0), 1, fail]),
            "it is good",
            "back to itself is written as the end"
        );
        assert!(message(&[word(Opcode::Jump, 0), 9]).contains("there is no instruction at 9"));
        assert!(message(&[word(Opcode::Done, 0)]).contains("is no instruction of the match part"));
        assert!(message(&count(0)).contains("'done' at 3 is no instruction of the match part"));
    }
}
