//! Lowers the rewrites of rules: each step becomes one instruction.

use super::names::Names;
use crate::bytecode::assemble::Assembler;
use crate::bytecode::ids::{LocationId, RewriteCallId, SourceWord};
use crate::bytecode::instruction::{CreateParts, emit};
use crate::bytecode::program::{Location, PatternCall, RewriteCall};
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::matcher_tree::{PositionId, Positions};
use crate::pdl::{
    Arg, Constant, CreateOp, LocalId, LocationSpec, NodeId, OpTable, Pattern, Replacement, ResultTypes,
    Source, Step, TypeRecipe,
};

/// The code of rewrites so far, and the tables that it refers to.
pub(super) struct RewriteCode<'a> {
    pub(super) positions: &'a mut Positions,
    pub(super) names: Names,
    pub(super) attr_names: Vec<StrId>,
    pub(super) ops: &'a OpTable,
    pub(super) asm: Assembler,
    pub(super) calls: IdVec<RewriteCallId, RewriteCall>,
    pub(super) locations: IdVec<LocationId, Location>,
    /// The positions of the nodes of the current rule.
    pub(super) bindings: &'a IdVec<NodeId, PositionId>,
    /// The calls in the rewrite of the current rule.
    pub(super) used: Vec<PatternCall>,
}

impl RewriteCode<'_> {
    /// Lowers the rewrite of a rule; `None` if a table becomes too large.
    pub(super) fn rewrite(&mut self, pattern: &Pattern) -> Option<()> {
        for step in &pattern.rewrite.steps {
            self.step(step, &pattern.rewrite.locals)?;
        }
        self.asm.emit(emit::Done {});
        Some(())
    }

    fn source(&self, source: Source) -> Option<SourceWord> {
        match source {
            Source::Matched(node) => SourceWord::matched(*self.bindings.get(node)?),
            Source::Local(local) => SourceWord::local(local),
        }
    }

    fn sources(&self, sources: &[Source]) -> Option<Vec<SourceWord>> {
        sources.iter().map(|&source| self.source(source)).collect()
    }

    fn step(&mut self, step: &Step, locals: &IdVec<LocalId, Kind>) -> Option<()> {
        match step {
            &Step::Attr { value, to } => self.constant(Kind::Attr, value, to),
            &Step::Type { value, to } => self.constant(Kind::Type, value, to),
            &Step::Location { ref spec, to } => {
                let location = self.location(spec)?;
                self.asm.emit(emit::MakeLocation { location, to });
            }
            &Step::TypeOf { of, to } => {
                let of = self.source(of)?;
                self.asm.emit(emit::TypeOf { of, to });
            }
            &Step::Result { op, index, to } => {
                let op = self.source(op)?;
                self.asm.emit(emit::GetResult { op, index, to });
            }
            &Step::Results { op, range, to } => {
                let op = self.source(op)?;
                match range {
                    Some((first, count)) => self.asm.emit(emit::GetResults { op, first, count, to }),
                    None => self.asm.emit(emit::GetAllResults { op, to }),
                }
            }
            &Step::Range { ref parts, to } => {
                let tail = self.sources(parts)?;
                self.asm.emit(emit::MakeRange { to, tail });
            }
            Step::Call { callee, args, to, span } => {
                let args = args.iter().map(|arg| self.arg(arg)).collect::<Option<_>>()?;
                let kinds = to.iter().map(|&id| locals[id]).collect();
                let call = RewriteCall { callee: *callee, args, to: to.clone(), kinds, span: *span };
                let call = self.calls.try_push(call)?;
                self.used.push(PatternCall::Rewrite(call));
                self.asm.emit(emit::CallRewrite { call });
            }
            Step::Create(create) => self.create(create)?,
            Step::Replace { op, with } => {
                let op = self.source(*op)?;
                match with {
                    Replacement::Values(values) => {
                        let tail = self.sources(values)?;
                        self.asm.emit(emit::Replace { op, tail });
                    }
                    Replacement::Op(by) => {
                        let by = self.source(*by)?;
                        self.asm.emit(emit::ReplaceByOp { op, by });
                    }
                }
            }
            Step::Erase { op } => {
                let op = self.source(*op)?;
                self.asm.emit(emit::Erase { op });
            }
        }
        Some(())
    }

    fn constant(&mut self, kind: Kind, value: Constant, to: LocalId) {
        let value = self.positions.intern_constant(kind, value);
        self.asm.emit(emit::MakeConstant { value, to });
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
        let segments =
            u32::from(create.operand_segments.is_some()) | u32::from(create.result_segments.is_some()) << 1;
        self.attr_names.extend(create.operand_segments);
        self.attr_names.extend(create.result_segments);
        let mut attributes = Vec::with_capacity(create.attributes.len());
        for &(name, value, inherent) in &create.attributes {
            self.attr_names.push(name);
            attributes.push((name, self.source(value)?, inherent));
        }
        let tail = CreateParts {
            attributes,
            operands: self.sources(&create.operands)?,
            result_types: self.sources(types)?,
        };
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
        self.asm.emit(emit::Create {
            inferred,
            segments,
            name: self.names.number(create.name),
            to: create.to,
            location,
            // Sizes that are not written need no name, so any string will do.
            operand_segments: create.operand_segments.unwrap_or(create.name),
            result_segments: create.result_segments.unwrap_or(create.name),
            regions: create.regions,
            tail,
        });
        Some(())
    }
}
