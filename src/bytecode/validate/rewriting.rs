//! Validates that rewrite code has no jumps, and that each step uses entities of the right kind: positions of the
//! program, or locals that an earlier step defined.

use bitvec::vec::BitVec;

use super::invalid::{Valid, in_rules};
use crate::bytecode::compact::Addresses;
use crate::bytecode::ids::{Address, SourceRef, SourceWord};
use crate::bytecode::instruction::{Instruction, Phase, decode, read};
use crate::bytecode::program::{Location, PatternCall, Program, RewriteCall};
use crate::host::Kind;
use crate::id::Id;
use crate::pdl::{Arg, LocalId, Pattern, PatternId};
use crate::wire::Invalid;

/// Validates the benefit, the rewrite and the calls of each rule.
pub(super) fn rules(program: &Program, starts: &Addresses) -> Valid {
    // Rules may share a rewrite. It is validated once for each of these rules. The total number of steps and of words
    // in their tails is bounded.
    let mut left = 64 * (program.code.len() + program.patterns.len()) + 1024;
    let mut defined = BitVec::new();
    for (id, info) in program.patterns.iter_enumerated() {
        if info.benefit > Pattern::MAX_BENEFIT {
            return Err(in_rules(format!("the benefit of rule {} is too large", id.raw())));
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
        if !starts.contains(info.rewrite) {
            return Err(in_rules(format!("there is no instruction at the rewrite of rule {}", id.raw())));
        }
        rewrite.run(info.rewrite, &mut left)?;
    }
    Ok(())
}

/// The rewrite of one rule.
struct Rewrite<'a> {
    program: &'a Program,
    id: PatternId,
    locals: &'a [Kind],
    /// True for each local that a step has defined.
    defined: &'a mut BitVec,
}

const OP: &[Kind] = &[Kind::Op];
/// An operation stands for its results, because a native may return an operation.
const VALUES: &[Kind] = &[Kind::Value, Kind::Values, Kind::Op];
const TYPES: &[Kind] = &[Kind::Type, Kind::Types];
const ATTRS: &[Kind] = &[Kind::Attr, Kind::Attrs];

impl Rewrite<'_> {
    fn invalid(&self, what: &str) -> Invalid {
        in_rules(format!("the rewrite of rule {} is wrong: {what}", self.id.raw()))
    }

    fn local(&self, local: LocalId) -> Valid<Kind> {
        let kind = self.locals.get(local.index()).copied();
        kind.ok_or_else(|| self.invalid("there is no such local"))
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

    /// Checks that a source is defined and has one of these kinds; an empty list allows all kinds. Returns the kind of
    /// the source.
    fn take(&self, source: SourceWord, kinds: &[Kind]) -> Valid<Kind> {
        let kind = self.kind(source)?;
        if let SourceRef::Local(local) = source.get()
            && !self.defined[local.index()]
        {
            return Err(self.invalid("it uses a local before its definition"));
        }
        if kinds.is_empty() || kinds.contains(&kind) {
            return Ok(kind);
        }
        Err(self.invalid(&format!("it uses an entity of kind '{kind}' instead of '{}'", kinds[0])))
    }

    fn take_all(&self, mut sources: impl Iterator<Item = SourceWord>, kinds: &[Kind]) -> Valid {
        sources.try_for_each(|source| self.take(source, kinds).map(|_| ()))
    }

    /// Defines a local, whose kind must be one of these.
    fn make(&mut self, local: LocalId, kinds: &[Kind]) -> Valid {
        let kind = self.local(local)?;
        if !kinds.contains(&kind) {
            let what = format!("it gives a local of kind '{kind}' an entity of kind '{}'", kinds[0]);
            return Err(self.invalid(&what));
        }
        self.defined.set(local.index(), true);
        Ok(())
    }

    /// Checks that the positions and locals of a call exist, and that its results have the number and kinds that it
    /// states.
    fn call_fits(&self, call: &RewriteCall) -> Valid {
        for source in call.args.iter().filter_map(Arg::taken) {
            self.kind(source)?;
        }
        if call.to.len() != call.kinds.len() {
            return Err(self.invalid("a call has a different number of results than it states"));
        }
        for (&to, &kind) in call.to.iter().zip(&call.kinds) {
            if self.local(to)? != kind {
                return Err(self.invalid("a call has results of other kinds"));
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
        self.take_all(sources.iter().copied(), &kinds)
    }

    fn run(mut self, mut at: Address, left: &mut usize) -> Valid {
        loop {
            let step = decode(&self.program.code, at)
                .filter(|step| step.layout.phase == Phase::Rewrite)
                .ok_or_else(|| self.invalid(&format!("there is no step at {at}")))?;
            *left = left
                .checked_sub(1 + step.tail.len())
                .ok_or_else(|| self.invalid("too many rules share long rewrites"))?;
            let instruction = step.instruction();
            if let Instruction::Done(_) = instruction {
                return Ok(());
            }
            self.step(&instruction)?;
            at = step.end;
        }
    }

    fn step(&mut self, step: &Instruction) -> Valid {
        let code = self.program.code();
        match *step {
            Instruction::MakeConstant(read::MakeConstant { value, to }) => {
                let kind = self.program.positions.constants()[value].0;
                self.make(to, &[kind])
            }
            Instruction::MakeLocation(read::MakeLocation { location, to }) => {
                self.location(&self.program.locations[location])?;
                self.make(to, &[Kind::Location])
            }
            Instruction::TypeOf(read::TypeOf { of, to }) => {
                let kind = match self.take(of, &[Kind::Value, Kind::Values, Kind::Attr])? {
                    Kind::Values => Kind::Types,
                    _ => Kind::Type,
                };
                self.make(to, &[kind])
            }
            Instruction::GetResult(read::GetResult { op, to, .. }) => {
                self.take(op, OP)?;
                self.make(to, &[Kind::Value])
            }
            Instruction::GetResults(read::GetResults { op, to, .. })
            | Instruction::GetAllResults(read::GetAllResults { op, to }) => {
                self.take(op, OP)?;
                self.make(to, &[Kind::Values])
            }
            Instruction::MakeRange(read::MakeRange { to, tail }) => {
                let (all, parts) = match self.local(to)? {
                    Kind::Types => (Kind::Types, TYPES),
                    Kind::Attrs => (Kind::Attrs, ATTRS),
                    _ => (Kind::Values, &VALUES[..2]),
                };
                self.take_all(tail.sources(code), parts)?;
                self.make(to, &[all])
            }
            Instruction::CallRewrite(read::CallRewrite { call }) => {
                let call = &self.program.rewrite_calls[call];
                for source in call.args.iter().filter_map(Arg::taken) {
                    self.take(source, &[])?;
                }
                self.call_fits(call)?;
                call.to.iter().zip(&call.kinds).try_for_each(|(&to, &kind)| self.make(to, &[kind]))
            }
            Instruction::Create(read::Create { to, location, tail, .. }) => {
                for (_, value, _) in tail.attributes(code) {
                    self.take(value, &[Kind::Attr])?;
                }
                self.take_all(tail.operands.sources(code), VALUES)?;
                self.take_all(tail.result_types.sources(code), TYPES)?;
                self.location(&self.program.locations[location])?;
                self.make(to, OP)
            }
            Instruction::Replace(read::Replace { op, tail }) => {
                self.take(op, OP)?;
                self.take_all(tail.sources(code), VALUES)
            }
            Instruction::ReplaceByOp(read::ReplaceByOp { op, by }) => {
                self.take(op, OP)?;
                self.take(by, OP).map(|_| ())
            }
            Instruction::Erase(read::Erase { op }) => self.take(op, OP).map(|_| ()),
            _ => Err(self.invalid("it has an instruction of match code")),
        }
    }
}
