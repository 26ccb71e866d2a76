//! Whether the code of rewrites can be run: it is straight, and each step takes what matching or a step before it gives,
//! of a kind that it can be.

use super::{Valid, in_rules};
use crate::bytecode::compact::Addresses;
use crate::bytecode::instruction::{Decoded, Opcode, Part, decode};
use crate::bytecode::program::{Location, PatternCall, Program, RewriteCall, SourceRef, SourceWord};
use crate::host::Kind;
use crate::id::Id;
use crate::pdl::{Arg, LocalId, Pattern, PatternId};
use crate::wire::Invalid;

/// Checks what each rule's rewrite relies on.
pub(super) fn rules(program: &Program, starts: &Addresses) -> Valid {
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
