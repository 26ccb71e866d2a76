//! Whether a program can be run: what the interpreters take for granted, checked once.
//!
//! Specification: a program that passes makes no interpreter read past a table, read an operation
//! that it has not loaded or an operand that is not known to be there, jump to what is no
//! instruction, or run for ever, on any IR.
//!
//! Ids of tables were checked when they were read; here are the code and what refers to code.
//! Method: every word is decoded and its operands looked at by kind, as `instruction.rs` defines
//! them. The match part is a graph without cycles; in topological order, each instruction gets what
//! is known on all paths to it: which operation registers are loaded, and how many operands each
//! operation has at least. Rewrites are straight, and what they make has a kind each.

use super::instruction::{Decoded, Flow, Opcode, OperandKind, Part, Tail, decode};
use super::program::{Location, PatternCall, PatternInfo, Program, RewriteCall, SourceRef, SourceWord};
use crate::host::Kind;
use crate::id::{Id, IdVec};
use crate::matcher_tree::{
    Answer, CallId, GroupSize, Guard, Position, PositionId, Question, QuestionId, Side,
};
use crate::pdl::{Arg, GroupSplit, LocalId, Pattern, PatternId};
use crate::wire::{Invalid, Section};

/// How many instructions matching at one operation may run, users counted as one.
const MAX_STEPS: u64 = 1 << 28;
/// How many alternatives may be open at once.
const MAX_OPEN: u32 = 1 << 16;

type Valid<T = ()> = Result<T, Invalid>;

fn in_code(what: String) -> Invalid {
    Invalid { section: Section::Code, what }
}

fn in_rules(what: String) -> Invalid {
    Invalid { section: Section::Rules, what }
}

fn in_tables(what: String) -> Invalid {
    Invalid { section: Section::Tables, what }
}

/// Checks all that the parts of a program rely on.
pub(super) fn validate(program: &Program) -> Valid {
    tables(program)?;
    if !program.bottom_up.fits(program) {
        return Err(Invalid { section: Section::Items, what: "an item or a rule does not fit".into() });
    }
    let starts = instructions(program)?;
    match_part(program, &starts)?;
    rules(program, &starts)
}

/// A set of addresses.
struct Addresses(Vec<u64>);

impl Addresses {
    fn new(len: usize) -> Self {
        Self(vec![0; len.div_ceil(64)])
    }

    fn has(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word >> (at % 64) & 1 == 1)
    }

    /// Adds an address; whether it is new.
    fn add(&mut self, at: usize) -> bool {
        let new = !self.has(at);
        self.0[at / 64] |= 1 << (at % 64);
        new
    }
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

/// Decodes all code; the addresses at which instructions start.
fn instructions(program: &Program) -> Valid<Addresses> {
    let code = &program.code;
    let mut starts = Addresses::new(code.len());
    let mut at = 0;
    while at < code.len() {
        let Some(instruction) = decode(code, at) else {
            return Err(in_code(format!("there is no instruction at {at}")));
        };
        operands(program, at, &instruction)?;
        starts.add(at);
        if instruction.end == code.len() && instruction.layout.flow == Flow::Next {
            return Err(in_code("it ends in the middle".into()));
        }
        at = instruction.end;
    }
    if code.first() != Some(&u32::from(Opcode::Fail as u8)) {
        return Err(in_code("it does not start with the instruction that fails".into()));
    }
    Ok(starts)
}

/// Looks up every operand in its table.
fn operands(program: &Program, at: usize, instruction: &Decoded<'_>) -> Valid {
    let check = |kind: OperandKind, value: u32| {
        let limit = match kind {
            OperandKind::Op | OperandKind::NewOp => program.registers.len(),
            OperandKind::OpName => program.op_names.len(),
            OperandKind::AttrName => program.strings.len(),
            OperandKind::Constant => program.positions.constants().len(),
            OperandKind::Question => program.predicates.iter().len(),
            OperandKind::Position => program.positions.iter().len(),
            OperandKind::Snippet => program.snippets.len(),
            OperandKind::Call => program.predicates.calls().len(),
            OperandKind::Pattern => program.patterns.len(),
            OperandKind::Choice => program.choices as usize,
            OperandKind::RewriteCall => program.rewrite_calls.len(),
            OperandKind::Location => program.locations.len(),
            OperandKind::Source => match SourceWord::from_word(value).get() {
                SourceRef::Matched(position) if position.index() < program.positions.iter().len() => {
                    return Ok(());
                }
                SourceRef::Matched(_) => 0,
                SourceRef::Local(_) => return Ok(()),
            },
            // Targets are looked up when all are known, locals with their rule.
            OperandKind::Target
            | OperandKind::Local
            | OperandKind::Number
            | OperandKind::Operand
            | OperandKind::Length => return Ok(()),
        };
        if (value as usize) < limit {
            return Ok(());
        }
        Err(in_code(format!("{kind:?} {value} of {limit} in '{}' at {at}", instruction.layout.mnemonic)))
    };
    for ((_, kind), value) in instruction.operands() {
        check(kind, value)?;
    }
    let keys = match instruction.layout.tail {
        Tail::NameCases => Some(OperandKind::OpName),
        Tail::ConstantCases => Some(OperandKind::Constant),
        Tail::None | Tail::Targets => None,
        Tail::Sources => {
            return instruction.tail.iter().try_for_each(|&source| check(OperandKind::Source, source));
        }
        Tail::Create => {
            for &[name, source, _] in instruction.created_attributes() {
                check(OperandKind::AttrName, name)?;
                check(OperandKind::Source, source)?;
            }
            let [operands, results] = instruction.created_sources();
            return operands.iter().chain(results).try_for_each(|&source| check(OperandKind::Source, source));
        }
    };
    let Some(kind) = keys else { return Ok(()) };
    let mut before = None;
    for &key in instruction.tail.iter().step_by(2) {
        check(kind, key)?;
        if before.is_some_and(|before| before >= key) {
            return Err(in_code(format!("the cases at {at} do not ascend")));
        }
        before = Some(key);
    }
    Ok(())
}

/// What is known at an instruction: the loaded registers ascending, each with how many operands its
/// operation has at least.
type Known = Vec<(u32, u32)>;

/// What both know.
fn meet(a: &mut Known, b: &[(u32, u32)]) {
    a.retain_mut(|(register, operands)| match b.binary_search_by_key(register, |k| k.0) {
        Ok(i) => {
            *operands = b[i].1.min(*operands);
            true
        }
        Err(_) => false,
    });
}

fn learn(known: &mut Known, register: u32, operands: u32) {
    match known.binary_search_by_key(&register, |k| k.0) {
        Ok(i) => known[i].1 = known[i].1.max(operands),
        Err(i) => known.insert(i, (register, operands)),
    }
}

struct MatchPart<'a> {
    program: &'a Program,
    starts: &'a Addresses,
    /// The register of each position that has one.
    registers: IdVec<PositionId, Option<u32>>,
    /// The attribute names that linking binds.
    attr_names: Addresses,
}

fn match_part(program: &Program, starts: &Addresses) -> Valid {
    let mut registers = IdVec::from_iter(program.positions.iter().map(|_| None));
    for (register, &position) in (0u32..).zip(&program.registers) {
        registers[position] = Some(register);
    }
    let mut attr_names = Addresses::new(program.strings.len());
    for name in program.bound_attr_names() {
        attr_names.add(name.index());
    }
    MatchPart { program, starts, registers, attr_names }.run()
}

impl MatchPart<'_> {
    fn run(&self) -> Valid {
        let order = self.order()?;
        let size = self.program.code.len();
        let mut known: Vec<Option<Known>> = vec![None; size];
        let roots = self.program.match_roots();
        for at in roots {
            known[at as usize] = Some(vec![(0, 0)]);
        }
        for &at in order.iter().rev() {
            let at = at as usize;
            let here = known[at].take().unwrap_or_default();
            let instruction = self.decode(at)?;
            let after = self.step(at, &instruction, &here)?;
            let mut reach = |to: usize, with: &Known| match &mut known[to] {
                Some(there) => meet(there, with),
                there => *there = Some(with.clone()),
            };
            for ((_, kind), to) in instruction.operands() {
                if kind == OperandKind::Target {
                    reach(to as usize, &here);
                }
            }
            for &to in cases(&instruction) {
                reach(to as usize, &after);
            }
            if instruction.layout.flow == Flow::Next {
                reach(instruction.end, &after);
            }
        }
        self.cost(&order)
    }

    fn decode(&self, at: usize) -> Valid<Decoded<'_>> {
        decode(&self.program.code, at).ok_or_else(|| in_code(format!("there is no instruction at {at}")))
    }

    /// The addresses of the match part, each after those that it leads to.
    fn order(&self) -> Valid<Vec<u32>> {
        let size = self.program.code.len();
        let (mut seen, mut done) = (Addresses::new(size), Addresses::new(size));
        let mut order = Vec::new();
        let mut todo: Vec<(u32, bool)> = Vec::new();
        let roots = self.program.match_roots();
        for root in roots {
            todo.push((self.target(root)?, false));
            while let Some((at, left)) = todo.pop() {
                let index = at as usize;
                if left {
                    done.add(index);
                    order.push(at);
                    continue;
                }
                if !seen.add(index) {
                    if !done.has(index) {
                        return Err(in_code(format!("the match part runs in a circle at {at}")));
                    }
                    continue;
                }
                let instruction = self.decode(index)?;
                if instruction.layout.part != Part::Match {
                    let mnemonic = instruction.layout.mnemonic;
                    return Err(in_code(format!("'{mnemonic}' at {at} is no instruction of the match part")));
                }
                todo.push((at, true));
                for to in targets(&instruction) {
                    let to = self.target(to)?;
                    if !done.has(to as usize) {
                        todo.push((to, false));
                    }
                }
            }
        }
        Ok(order)
    }

    fn target(&self, to: u32) -> Valid<u32> {
        if self.starts.has(to as usize) {
            return Ok(to);
        }
        Err(in_code(format!("there is no instruction at {to}, to which others go")))
    }

    /// What is known after an instruction, which needs what is known `here`.
    fn step(&self, at: usize, instruction: &Decoded<'_>, here: &Known) -> Valid<Known> {
        let mnemonic = instruction.layout.mnemonic;
        let find = |register: u32| here.binary_search_by_key(&register, |k| k.0).ok().map(|i| here[i].1);
        let mut last = (0, 0);
        let mut path = None;
        let mut after = here.clone();
        for ((_, kind), value) in instruction.operands() {
            match kind {
                OperandKind::Op => {
                    let operands = find(value).ok_or_else(|| {
                        in_code(format!("'{mnemonic}' at {at} reads register {value}, which is not loaded"))
                    })?;
                    last = (value, operands);
                }
                OperandKind::Operand if value >= last.1 => {
                    let what = format!("'{mnemonic}' at {at} takes operand {value}, which may not be there");
                    return Err(in_code(what));
                }
                OperandKind::Operand => path = Some((last.0, value)),
                OperandKind::NewOp => learn(&mut after, value, 0),
                OperandKind::AttrName if !self.attr_names.has(value as usize) => {
                    return Err(in_code(format!(
                        "no position has the attribute name of '{mnemonic}' at {at}"
                    )));
                }
                _ => {}
            }
        }
        let small = instruction.small;
        let words = instruction.words;
        match instruction.layout.opcode {
            Opcode::OperandOp | Opcode::OperandOpIs | Opcode::OperandOpSwitch | Opcode::OperandOpTable => {
                self.loads(at, small[2], path)?;
            }
            Opcode::LoadOp if self.position_of(small[0]).raw() != words[0] => {
                return Err(in_code(format!("'{mnemonic}' at {at} loads another register's operation")));
            }
            Opcode::OperandCountIs | Opcode::CountsAre => learn(&mut after, small[0], small[1]),
            Opcode::Ask => self.ask(words[0], Answer(words[1]), &mut after),
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

    /// What an answer to a question says of the number of operands.
    fn ask(&self, question: u32, answer: Answer, known: &mut Known) {
        let positions = &self.program.positions;
        let (op, operands) = match self.program.predicates[QuestionId::from_raw(question)] {
            Question::Count { op, side: Side::Operands } => (op, answer.0),
            Question::Fits { op, side: Side::Operands, split } if answer == Answer::YES => {
                let split = positions.split(split);
                let fixed = split.groups.iter().map(|g| if let GroupSize::Exactly(n) = g { *n } else { 0 });
                match split.rule {
                    GroupSplit::Attribute(_) => return,
                    GroupSplit::Rest | GroupSplit::Equal => (op, fixed.fold(0, u32::saturating_add)),
                }
            }
            _ => return,
        };
        let Some(register) = self.registers[op] else { return };
        if known.binary_search_by_key(&register, |k| k.0).is_ok() {
            learn(known, register, operands);
        }
    }

    /// That it comes to an end soon, with few alternatives open.
    fn cost(&self, order: &[u32]) -> Valid {
        let mut costs: Vec<(u64, u32)> = vec![(0, 0); self.program.code.len()];
        for &at in order {
            let instruction = self.decode(at as usize)?;
            let next = match instruction.layout.flow {
                Flow::Next => costs[instruction.end],
                Flow::Away => (0, 0),
            };
            let worst = targets(&instruction).map(|to| costs[to as usize]);
            let worst = worst.fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
            let (steps, open) = match instruction.layout.opcode {
                Opcode::Try => {
                    (next.0.saturating_add(costs[instruction.words[0] as usize].0), worst.1.max(next.1 + 1))
                }
                Opcode::Either => (next.0.saturating_mul(2), next.1 + 1),
                Opcode::EachUser => (next.0, next.1 + 1),
                _ => worst,
            };
            let cost = (steps.saturating_add(1), open);
            if cost.0 > MAX_STEPS {
                return Err(in_code(format!("matching may take more than {MAX_STEPS} instructions")));
            }
            if cost.1 > MAX_OPEN {
                return Err(in_code(format!("matching may open more than {MAX_OPEN} alternatives")));
            }
            costs[at as usize] = cost;
        }
        Ok(())
    }
}

/// The targets of a table.
fn cases<'c>(instruction: &Decoded<'c>) -> impl Iterator<Item = &'c u32> + use<'c> {
    let (skip, step) = match instruction.layout.tail {
        Tail::NameCases | Tail::ConstantCases => (1, 2),
        Tail::Targets => (0, 1),
        Tail::None | Tail::Sources | Tail::Create => (instruction.tail.len(), 1),
    };
    instruction.tail.iter().skip(skip).step_by(step)
}

/// Everywhere an instruction may go on.
fn targets(instruction: &Decoded<'_>) -> impl Iterator<Item = u32> {
    let operands: Vec<u32> = instruction
        .operands()
        .filter(|((_, kind), _)| *kind == OperandKind::Target)
        .map(|(_, to)| to)
        .collect();
    let next = match instruction.layout.flow {
        Flow::Next => u32::try_from(instruction.end).ok(),
        Flow::Away => None,
    };
    operands.into_iter().chain(cases(instruction).copied().collect::<Vec<_>>()).chain(next)
}

fn rules(program: &Program, starts: &Addresses) -> Valid {
    // Rules may share rewrites, and each is looked at for each: as long as that is not too much.
    let mut left = 64 * (program.code.len() + program.patterns.len()) + 1024;
    for (id, info) in program.patterns.iter_enumerated() {
        let rule = |what: &str| in_rules(format!("{what} of rule {}", id.raw()));
        if info.benefit > Pattern::MAX_BENEFIT {
            return Err(rule("the benefit is too large"));
        }
        if info.names.len() != info.bindings.len() {
            return Err(rule("not every node has a name or none"));
        }
        if !info.asks.iter().all(|asked| asked_fits(program, info, &asked.step)) {
            return Err(rule("a predicate does not fit"));
        }
        let rewrite = Rewrite { program, id, info, defined: vec![false; info.locals.len()] };
        for call in &info.calls {
            if let PatternCall::Rewrite(call) = call {
                rewrite.call_fits(&program.rewrite_calls[*call])?;
            }
        }
        if !starts.has(info.rewrite as usize) {
            return Err(rule("there is no instruction at the rewrite"));
        }
        rewrite.run(&mut left)?;
    }
    let mut before = 0;
    for decision in &program.decisions {
        let known =
            program.patterns.get(decision.pattern).is_some_and(|p| p.bindings.get(decision.node).is_some());
        if !known || decision.at < before || decision.at as usize >= program.code.len() {
            let what = format!("what is said of the instruction at {} does not fit", decision.at);
            return Err(Invalid { section: Section::Debug, what });
        }
        before = decision.at;
    }
    Ok(())
}

/// Whether what a predicate names is there.
fn asked_fits(program: &Program, info: &PatternInfo, step: &Guard) -> bool {
    match *step {
        Guard::Test { question, answer, node } => {
            let answers = match program.predicates[question] {
                Question::Name(_) => program.strings.len(),
                Question::Constant(_) => program.positions.constants().len(),
                _ => usize::MAX,
            };
            (answer.0 as usize) < answers && info.bindings.get(node).is_some()
        }
        Guard::EachUser { choice, .. } | Guard::Either { choice } => choice < program.choices,
        Guard::Call { .. } => true,
    }
}

/// One rule's rewrite.
struct Rewrite<'a> {
    program: &'a Program,
    id: PatternId,
    info: &'a PatternInfo,
    defined: Vec<bool>,
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
        let kind = self.info.locals.get(local).copied();
        kind.ok_or_else(|| self.invalid("it has no such local"))
    }

    fn kind(&self, source: SourceWord) -> Valid<Kind> {
        match source.get() {
            SourceRef::Matched(position) if position.index() < self.program.positions.iter().len() => {
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

    fn run(mut self, left: &mut usize) -> Valid {
        let mut at = self.info.rewrite as usize;
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
