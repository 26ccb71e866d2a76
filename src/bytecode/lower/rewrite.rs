//! The rewrites of rules as code: a step is an instruction.

use super::Names;
use crate::bytecode::assemble::{Assembler, Word};
use crate::bytecode::instruction::Opcode;
use crate::bytecode::program::{Location, LocationId, PatternCall, RewriteCall, RewriteCallId, SourceWord};
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{PositionId, Positions};
use crate::pdl::{
    Arg, CreateOp, LocalId, LocationSpec, NodeId, OpTable, Pattern, Replacement, ResultTypes, Source, Step,
    TypeRecipe,
};

/// The code of rewrites as it is written.
pub(super) struct RewriteCode<'a> {
    pub(super) positions: &'a mut Positions,
    pub(super) names: Names,
    pub(super) attr_names: Vec<StrId>,
    pub(super) ops: &'a OpTable,
    pub(super) asm: Assembler,
    pub(super) calls: IdVec<RewriteCallId, RewriteCall>,
    pub(super) locations: IdVec<LocationId, Location>,
    pub(super) bindings: &'a IdVec<NodeId, PositionId>,
    pub(super) used: Vec<PatternCall>,
}

impl RewriteCode<'_> {
    /// Writes the rewrite of a rule.
    pub(super) fn rewrite(&mut self, pattern: &Pattern) -> Option<()> {
        for step in &pattern.rewrite.steps {
            self.step(step, &pattern.rewrite.locals)?;
        }
        self.asm.emit(Opcode::Done, &[], &[]);
        Some(())
    }

    fn source(&self, source: Source) -> Option<SourceWord> {
        match source {
            Source::Matched(node) => SourceWord::matched(*self.bindings.get(node)?),
            Source::Local(local) => SourceWord::local(local),
        }
    }

    fn sources(&self, sources: &[Source]) -> Option<Vec<Word>> {
        sources.iter().map(|&s| Some(Word::from(self.source(s)?.0))).collect()
    }

    fn step(&mut self, step: &Step, locals: &IdVec<LocalId, Kind>) -> Option<()> {
        let local = |id: &LocalId| Word::from(id.raw());
        match step {
            Step::Attr { value, to } => {
                let value = self.positions.intern_constant(Kind::Attr, *value);
                self.asm.emit(Opcode::MakeConstant, &[], &[value.raw().into(), local(to)]);
            }
            Step::Type { value, to } => {
                let value = self.positions.intern_constant(Kind::Type, *value);
                self.asm.emit(Opcode::MakeConstant, &[], &[value.raw().into(), local(to)]);
            }
            Step::Location { spec, to } => {
                let location = self.location(spec)?;
                self.asm.emit(Opcode::MakeLocation, &[], &[location.raw().into(), local(to)]);
            }
            Step::TypeOf { of, to } => {
                let of = self.source(*of)?.0;
                self.asm.emit(Opcode::TypeOf, &[], &[of.into(), local(to)]);
            }
            Step::Result { op, index, to } => {
                let op = self.source(*op)?.0;
                self.asm.emit(Opcode::GetResult, &[], &[op.into(), (*index).into(), local(to)]);
            }
            Step::Results { op, range, to } => {
                let op = self.source(*op)?.0;
                match range {
                    Some((first, count)) => {
                        let words = [op.into(), (*first).into(), (*count).into(), local(to)];
                        self.asm.emit(Opcode::GetResults, &[], &words);
                    }
                    None => self.asm.emit(Opcode::GetAllResults, &[], &[op.into(), local(to)]),
                }
            }
            Step::Range { parts, to } => {
                let mut words = vec![local(to), u32::try_from(parts.len()).ok()?.into()];
                words.extend(self.sources(parts)?);
                self.asm.emit(Opcode::MakeRange, &[], &words);
            }
            Step::Call { callee, args, to, span } => {
                let args = args.iter().map(|arg| self.arg(arg)).collect::<Option<_>>()?;
                let kinds = to.iter().map(|&id| locals[id]).collect();
                let call = RewriteCall { callee: *callee, args, to: to.clone(), kinds, span: *span };
                let call = self.calls.try_push(call)?;
                self.used.push(PatternCall::Rewrite(call));
                self.asm.emit(Opcode::CallRewrite, &[], &[call.raw().into()]);
            }
            Step::Create(create) => self.create(create)?,
            Step::Replace { op, with } => {
                let op = self.source(*op)?.0;
                match with {
                    Replacement::Values(values) => {
                        let mut words = vec![op.into(), u32::try_from(values.len()).ok()?.into()];
                        words.extend(self.sources(values)?);
                        self.asm.emit(Opcode::Replace, &[], &words);
                    }
                    Replacement::Op(by) => {
                        let by = self.source(*by)?.0;
                        self.asm.emit(Opcode::ReplaceByOp, &[], &[op.into(), by.into()]);
                    }
                }
            }
            Step::Erase { op } => {
                let op = self.source(*op)?.0;
                self.asm.emit(Opcode::Erase, &[], &[op.into()]);
            }
        }
        Some(())
    }

    fn arg(&self, arg: &Arg<Source>) -> Option<Arg<SourceWord>> {
        Some(match *arg {
            Arg::Of(source) => Arg::Of(self.source(source)?),
            Arg::Each(source) => Arg::Each(self.source(source)?),
            Arg::Attr(c) => Arg::Attr(c),
            Arg::Type(c) => Arg::Type(c),
            Arg::Int(i) => Arg::Int(i),
            Arg::Bool(b) => Arg::Bool(b),
            Arg::Str(s) => Arg::Str(s),
        })
    }

    fn location(&mut self, spec: &LocationSpec) -> Option<LocationId> {
        let location = match spec {
            LocationSpec::Fused { of, metadata } => Location::Fused {
                of: of.iter().map(|&s| self.source(s)).collect::<Option<_>>()?,
                metadata: *metadata,
            },
            LocationSpec::Named { name, child } => Location::Named {
                name: *name,
                child: match child {
                    Some(source) => Some(self.source(*source)?),
                    None => None,
                },
            },
        };
        if let Some(id) = self.locations.ids().next_back().filter(|&id| self.locations[id] == location) {
            return Some(id);
        }
        self.locations.try_push(location)
    }

    fn create(&mut self, create: &CreateOp) -> Option<()> {
        let location = self.location(&create.location)?;
        let types = match &create.results {
            ResultTypes::Listed(types) => &types[..],
            ResultTypes::Inferred => &[],
        };
        let segment = |name: Option<StrId>| name.map_or(create.name, |n| n);
        let segments =
            u32::from(create.operand_segments.is_some()) | u32::from(create.result_segments.is_some()) << 1;
        let mut words = vec![
            self.names.number(create.name).into(),
            create.to.raw().into(),
            location.raw().into(),
            segment(create.operand_segments).raw().into(),
            segment(create.result_segments).raw().into(),
            u32::try_from(create.attributes.len()).ok()?.into(),
            u32::try_from(create.operands.len()).ok()?.into(),
            u32::try_from(types.len()).ok()?.into(),
        ];
        self.attr_names.extend(create.operand_segments);
        self.attr_names.extend(create.result_segments);
        for &(name, value, inherent) in &create.attributes {
            self.attr_names.push(name);
            words.extend([Word::from(name.raw()), self.source(value)?.0.into(), u32::from(inherent).into()]);
        }
        words.extend(self.sources(&create.operands)?);
        words.extend(self.sources(types)?);
        let inferred = create.results == ResultTypes::Inferred;
        if inferred {
            match self.ops.find(create.name).and_then(|op| op.result_types.as_ref()) {
                Some(recipes) => {
                    let snippets = recipes.iter().flat_map(TypeRecipe::snippets);
                    self.used.extend(snippets.map(PatternCall::Snippet));
                }
                None => self.used.push(PatternCall::Inference { name: create.name, span: create.span }),
            }
        }
        self.asm.emit(Opcode::Create, &[u32::from(inferred), segments], &words);
        Some(())
    }
}
