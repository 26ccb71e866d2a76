//! The interpreter of rewrite code.
//!
//! Specification: a rewrite happens completely or not at all. The code creates operations as it runs; replacements and
//! erasures take effect at the end. If a native, a type inference or the host refuses, or if a required entity is null,
//! all changes are undone.

use bumpalo::Bump;
use bumpalo::collections::Vec as BumpVec;
use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::bytecode::{
    Address, Head, Location, LocationId, OpNumber, Program, Read, RewriteCallId, SourceRef, SourceWord, byte,
    read,
};
use crate::host::{
    Entity, Facets, Ir, IrMut, Journal, Kind, Listener, MAX_REGIONS, NamedAttr, NewOp, OpState, Readable,
    Refusal, Rewriter, Set,
};
use crate::id::Id;
use crate::intern::StrId;
use crate::matcher_tree::PositionId;
use crate::pdl::{Arg, Arity, Callee, Constant, LocalId, OpDef, PatternId, TypeRecipe, ValueDef};

use super::eval::Eval;
use super::locals::{Local, Locals, OpParts, Spare};
use super::scratch::{Memo, Scratch, State};
use crate::vm::linked::LinkedProgram;

impl<H: Facets + IrMut> LinkedProgram<H> {
    /// Applies the rule of the current match. If `bound` is given, matched entities are read from it, and not from the
    /// host.
    pub(in crate::vm) fn rewrite(
        &self,
        host: &mut H,
        scratch: &mut Scratch<H>,
        bound: Option<&Bound<H>>,
        listener: &mut dyn Listener<H>,
    ) -> Result<(), Refusal> {
        self.run_rewrite(host, scratch, bound, &[])?.rewriter.commit(listener)?;
        scratch.matched = None;
        scratch.stack.clear();
        scratch.at = Address::FAIL;
        Ok(())
    }

    /// See [`Matcher::rewrite_uncommitted`](super::matcher::Matcher::rewrite_uncommitted).
    pub(in crate::vm) fn rewrite_uncommitted<'s>(
        &self,
        host: &mut H,
        scratch: &'s mut Scratch<H>,
        bound: Option<&Bound<H>>,
        types: &[(H::Type, H::Type)],
        hidden_args: &mut Set<H::Value>,
    ) -> Result<&'s mut Journal<H>, Refusal> {
        let hides = !hidden_args.is_empty();
        if hides {
            std::mem::swap(&mut scratch.journal.hidden_args, hidden_args);
        }
        let done = self.run_rewrite(host, scratch, bound, types).and_then(|Run { rewriter, .. }| {
            let check = rewriter.check_taken();
            if check.is_err() {
                rewriter.roll_back();
            }
            check
        });
        if hides {
            std::mem::swap(&mut scratch.journal.hidden_args, hidden_args);
        }
        done.map(|()| &mut scratch.journal)
    }

    /// Calls `look` with the effects of the rule of the current match, and undoes them.
    pub(in crate::vm) fn preview<T>(
        &self,
        host: &mut H,
        scratch: &mut Scratch<H>,
        look: impl FnOnce(&H, &Preview<'_, H>) -> T,
    ) -> Result<T, Refusal> {
        let mut rewriter = self.run_rewrite(host, scratch, None, &[])?.rewriter;
        let seen = rewriter.check().map(|()| {
            let modified = rewriter.modifications();
            let replaced = rewriter.replacements().collect();
            let erased = rewriter.erasures().collect();
            look(rewriter.host(), &Preview { created: rewriter.created(), modified, replaced, erased })
        });
        rewriter.roll_back();
        seen
    }

    /// Runs the steps of the rule of the current match. The pending changes have not taken effect: the caller must
    /// commit the rewriter of the returned run, or roll it back.
    fn run_rewrite<'a>(
        &'a self,
        host: &'a mut H,
        scratch: &'a mut Scratch<H>,
        bound: Option<&'a Bound<H>>,
        types: &'a [(H::Type, H::Type)],
    ) -> Done<Run<'a, H>> {
        let (Some(pattern), Some(root)) = (scratch.matched, scratch.state.root) else {
            return Err(Refusal::new("there is no current match"));
        };
        let info = &self.program.patterns[pattern];
        scratch.locals.begin(self.program.locals(pattern).len());
        scratch.bump.reset();
        let mut run = Run {
            linked: self,
            rewriter: Rewriter::new(host, root, &mut scratch.journal),
            state: &scratch.state,
            memo: &mut scratch.memo,
            locals: &mut scratch.locals,
            parts: &mut scratch.parts,
            spare: &mut scratch.spare,
            bump: &scratch.bump,
            bound,
            types,
            pattern,
        };
        match run.steps(info.rewrite) {
            Ok(()) => Ok(run),
            Err(refusal) => {
                run.rewriter.roll_back();
                Err(refusal)
            }
        }
    }
}

/// The bindings of a rule's nodes, by their positions. A rewrite with these bindings does not read the positions in the
/// host.
pub(crate) type Bound<H> = HashMap<PositionId, Entity<H>, FxBuildHasher>;

/// The effects of a rewrite that is not committed.
#[derive(Debug)]
pub struct Preview<'a, H: Ir> {
    /// The operations that the rewrite creates, in order of creation. They are in the IR during the preview, right
    /// before the root unless a native or helper function changed the insertion point.
    pub created: &'a [H::Op],
    /// The operations that the rewrite changes in place, except those that it creates, replaces or erases. The changes
    /// are visible during the preview, except the changes that [`Rewriter::modify`] makes.
    pub modified: Vec<H::Op>,
    /// The operations that the rewrite replaces, each with the values that replace its results.
    pub replaced: Vec<(H::Op, &'a [H::Value])>,
    /// The operations that the rewrite erases without replacing them.
    pub erased: Vec<H::Op>,
}

struct Run<'a, H: Facets> {
    linked: &'a LinkedProgram<H>,
    rewriter: Rewriter<'a, H>,
    state: &'a State<H>,
    memo: &'a mut Memo<H>,
    locals: &'a mut Locals<H>,
    parts: &'a mut Option<Box<OpParts<H>>>,
    spare: &'a mut Spare<H>,
    bump: &'a Bump,
    bound: Option<&'a Bound<H>>,
    /// Types of matched values with their replacements in a dialect conversion.
    types: &'a [(H::Type, H::Type)],
    pattern: PatternId,
}

type Done<T> = Result<T, Refusal>;

fn damaged() -> Refusal {
    Refusal::new("the program is invalid")
}

impl<'a, H: Facets + IrMut> Run<'a, H> {
    fn program(&self) -> &'a Program {
        &self.linked.program
    }

    fn steps(&mut self, start: Address) -> Done<()> {
        let code = &self.program().code[..];
        let mut at = start;
        loop {
            let head = Head::read(code, at).ok_or_else(damaged)?;
            if head.opcode == byte::Done {
                return Ok(());
            }
            at = self.step(code, &head)?;
        }
    }

    /// Runs an instruction, and returns the address of the next one.
    fn step(&mut self, code: &[u32], head: &Head) -> Done<Address> {
        let next;
        match head.opcode {
            byte::MakeConstant => {
                let read::MakeConstant { value, to } = read::MakeConstant::read(code, head);
                next = read::MakeConstant::end(head);
                let (kind, constant) = self.linked.program.positions.constants()[value];
                let made = if kind == Kind::Type {
                    self.linked.constants.types[value.index()].map(Local::Type)
                } else {
                    self.linked.constants.attrs[value.index()].map(|a| Local::Attr(Some(a)))
                };
                let made = match made {
                    Some(made) => made,
                    None => {
                        let entity = self.constant_by_native(kind, constant)?;
                        self.locals.keep(entity, self.spare)
                    }
                };
                self.locals.set(to, made);
            }
            byte::MakeLocation => {
                let read::MakeLocation { location, to } = read::MakeLocation::read(code, head);
                next = read::MakeLocation::end(head);
                let location = self.location(location)?;
                self.locals.set(to, Local::Location(location));
            }
            byte::TypeOf => {
                let read::TypeOf { of, to } = read::TypeOf::read(code, head);
                next = read::TypeOf::end(head);
                let made = match self.get(of)? {
                    Local::Value(Some(value)) => Local::Type(self.value_type(value)),
                    Local::Values(span) => {
                        let values = self.locals.values(span).iter();
                        let types = values.map(|&value| self.value_type(value));
                        let types = self.bump.alloc_slice_fill_iter(types);
                        self.locals.keep_types(types)
                    }
                    Local::Attr(Some(attr)) => {
                        let ty = self.rewriter.host().attr_type(attr);
                        Local::Type(ty.ok_or_else(|| Refusal::new("an attribute states no type"))?)
                    }
                    _ => return Err(null("value")),
                };
                self.locals.set(to, made);
            }
            byte::GetResult => {
                let read::GetResult { op, index, to } = read::GetResult::read(code, head);
                next = read::GetResult::end(head);
                let op = self.op(op)?;
                let host = self.rewriter.host();
                if index >= host.result_count(op) {
                    return Err(Refusal::new(format!("an operation has no result {index}")));
                }
                let value = host.result(op, index);
                self.locals.set(to, Local::Value(Some(value)));
            }
            byte::GetResults => {
                let read::GetResults { op, first, count, to } = read::GetResults::read(code, head);
                next = read::GetResults::end(head);
                self.get_results(op, Some((first, count)), to)?;
            }
            byte::GetAllResults => {
                let read::GetAllResults { op, to } = read::GetAllResults::read(code, head);
                next = read::GetAllResults::end(head);
                self.get_results(op, None, to)?;
            }
            byte::MakeRange => {
                let read::MakeRange { to, tail } = read::MakeRange::read(code, head);
                next = tail.end();
                self.make_range(to, tail.sources(code))?;
            }
            byte::CallRewrite => {
                let read::CallRewrite { call } = read::CallRewrite::read(code, head);
                next = read::CallRewrite::end(head);
                self.call(call)?;
            }
            byte::Create => {
                let create = read::Create::read(code, head);
                next = create.tail.end();
                self.create(code, &create)?;
            }
            byte::Replace => {
                let read::Replace { op, tail } = read::Replace::read(code, head);
                next = tail.end();
                let op = self.op(op)?;
                let mut values = BumpVec::with_capacity_in(tail.length as usize, self.bump);
                for source in tail.sources(code) {
                    self.append_values(source, &mut values, false)?;
                }
                self.rewriter.replace(op, &values)?;
            }
            byte::ReplaceByOp => {
                let read::ReplaceByOp { op, by } = read::ReplaceByOp::read(code, head);
                next = read::ReplaceByOp::end(head);
                let (op, by) = (self.op(op)?, self.op(by)?);
                let host = self.rewriter.host();
                let results = (0..host.result_count(by)).map(|i| host.result(by, i));
                let values = self.bump.alloc_slice_fill_iter(results);
                self.rewriter.replace(op, values)?;
            }
            byte::Erase => {
                let read::Erase { op } = read::Erase::read(code, head);
                next = read::Erase::end(head);
                let op = self.op(op)?;
                self.rewriter.erase(op);
            }
            _ => return Err(damaged()),
        }
        Ok(next)
    }

    /// The type of a value, or the type that replaces it in a dialect conversion.
    fn value_type(&self, value: H::Value) -> H::Type {
        let ty = self.rewriter.host().value_type(value);
        self.types.iter().find(|(from, _)| *from == ty).map_or(ty, |&(_, to)| to)
    }

    /// Makes a constant that linking could not make, by running its snippet as a rewrite, which can call natives. If
    /// the constant is a text, returns an error. An attribute may be null, such as `ConstantAttr<UnitAttr, "false">`.
    fn constant_by_native(&mut self, kind: Kind, constant: Constant) -> Done<Entity<H>> {
        let program = self.program();
        let unmade = |text: &str, reason: &str| {
            let kind = if kind == Kind::Type { "type" } else { "attribute" };
            Refusal::new(format!("the host cannot make the {kind} '{text}'{reason}"))
        };
        let snippet = match constant {
            Constant::Text(text) => return Err(unmade(&program.strings[text], "")),
            Constant::Snippet(snippet) => snippet,
        };
        let made = self.linked.snippet_rewrite(&mut self.rewriter, snippet, &[]);
        let text = || program.snippets.str(program.snippets.get(snippet).text);
        let [made] = <[_; 1]>::try_from(made.map_err(|refusal| unmade(text(), &format!(": {refusal}")))?)
            .map_err(|_| damaged())?;
        match (kind, &made) {
            (Kind::Type, Entity::Type(_)) | (Kind::Attr, Entity::Attr(_)) => Ok(made),
            _ => Err(unmade(text(), "")),
        }
    }

    /// Stores results of an operation in `to`: `count` results from `first` on, or all results if `range` is `None`.
    fn get_results(&mut self, op: SourceWord, range: Option<(u32, u32)>, to: LocalId) -> Done<()> {
        let op = self.op(op)?;
        let host = self.rewriter.host();
        let all = host.result_count(op);
        let (first, count) = range.unwrap_or((0, all));
        let end = first.checked_add(count).filter(|&end| end <= all);
        let end = end.ok_or_else(|| Refusal::new("an operation has too few results"))?;
        let values = self.bump.alloc_slice_fill_iter((first..end).map(|i| host.result(op, i)));
        let made = self.locals.keep_values(values);
        self.locals.set(to, made);
        Ok(())
    }

    /// The entity that a source stands for.
    fn get(&mut self, source: SourceWord) -> Done<Local<H>> {
        match source.get() {
            SourceRef::Local(local) => self.locals.get(local).cloned().ok_or_else(damaged),
            SourceRef::Matched(position) => {
                let Self { linked, rewriter, state, memo, locals, spare, .. } = self;
                let entity = match self.bound {
                    Some(bound) => bound.get(&position).cloned(),
                    None => {
                        let mut eval = Eval { host: rewriter.host(), linked, state, memo };
                        // A node is bound to the value that its attribute had before the rewrite changed it.
                        let before = rewriter
                            .has_set_attrs()
                            .then(|| eval.attr_before(position, |op, name| rewriter.attr_before(op, name)));
                        match before.flatten() {
                            Some(attr) => Some(Entity::Attr(attr)),
                            None => eval.entity_in(position, spare),
                        }
                    }
                };
                let entity = entity.ok_or_else(|| null("matched entity"))?;
                Ok(locals.keep(entity, spare))
            }
        }
    }

    fn op(&mut self, source: SourceWord) -> Done<H::Op> {
        // No entity is made for matched operations and locals.
        match source.get() {
            SourceRef::Matched(position) if self.bound.is_none() => {
                self.eval().op(position).ok_or_else(|| null("matched entity"))
            }
            SourceRef::Local(local) => match self.locals.get(local).ok_or_else(damaged)? {
                Local::Op(op) => Ok(*op),
                _ => Err(null("operation")),
            },
            SourceRef::Matched(_) => match self.get(source)? {
                Local::Op(op) => Ok(op),
                _ => Err(null("operation")),
            },
        }
    }

    fn eval(&mut self) -> Eval<'_, H> {
        let Self { linked, rewriter, state, memo, .. } = self;
        Eval { host: rewriter.host(), linked, state, memo }
    }

    /// Appends a value or the values of a range. If `nulls` is set, a null appends nothing.
    fn append_values(&mut self, source: SourceWord, to: &mut impl Extend<H::Value>, nulls: bool) -> Done<()> {
        match self.get(source)? {
            Local::Value(Some(value)) => to.extend([value]),
            Local::Value(None) if nulls => {}
            Local::Values(span) => to.extend(self.locals.values(span).iter().copied()),
            // A native may return an operation instead of its results.
            Local::Op(op) => {
                let host = self.rewriter.host();
                to.extend((0..host.result_count(op)).map(|i| host.result(op, i)));
            }
            _ => return Err(null("value")),
        }
        Ok(())
    }

    fn make_range(&mut self, to: LocalId, parts: impl Iterator<Item = SourceWord>) -> Done<()> {
        let kind = self.linked.program.locals(self.pattern)[to.index()];
        let bump = self.bump;
        let (mut values, mut types, mut attrs) =
            (BumpVec::new_in(bump), BumpVec::new_in(bump), BumpVec::new_in(bump));
        for source in parts {
            match self.get(source)? {
                Local::Value(value) => values.extend(value),
                Local::Values(span) => values.extend_from_slice(self.locals.values(span)),
                Local::Type(ty) => types.push(ty),
                Local::Types(span) => types.extend_from_slice(self.locals.types(span)),
                Local::Attr(attr) => attrs.extend(attr),
                Local::Attrs(span) => attrs.extend_from_slice(self.locals.attrs(span)),
                _ => return Err(damaged()),
            }
        }
        let made = match kind {
            Kind::Values => self.locals.keep_values(&values),
            Kind::Types => self.locals.keep_types(&types),
            _ => self.locals.keep_attrs(&attrs),
        };
        self.locals.set(to, made);
        Ok(())
    }

    fn call(&mut self, id: RewriteCallId) -> Done<()> {
        let program = self.program();
        let call = &program.rewrite_calls[id];
        let mut args = BumpVec::with_capacity_in(call.args.len(), self.bump);
        for arg in &call.args {
            args.push(match *arg {
                Arg::Of(source) | Arg::Each(source) => {
                    let local = self.get(source)?;
                    self.locals.entity(&local, self.spare)
                }
                Arg::Attr(c) => match self.linked.constant_attr(c) {
                    Some(attr) => Entity::Attr(Some(attr)),
                    None => self.constant_by_native(Kind::Attr, c)?,
                },
                Arg::Type(c) => match self.linked.constant_type(c) {
                    Some(ty) => Entity::Type(ty),
                    None => self.constant_by_native(Kind::Type, c)?,
                },
                Arg::Int(i) => Entity::Int(i),
                Arg::Bool(b) => Entity::Bool(b),
                Arg::Str(s) => Entity::Str(program.strings[s].into()),
            });
        }
        let results = match (&self.linked.calls.rewrites[id], call.callee) {
            (Some(native), _) => native(&mut self.rewriter, &args)?,
            (None, Callee::Snippet(snippet)) => {
                self.linked.snippet_rewrite(&mut self.rewriter, snippet, &args)?
            }
            (None, Callee::Native(name)) => {
                let name = &program.strings[name];
                return Err(Refusal::new(format!("native rewrite '{name}' is missing")));
            }
        };
        args.drain(..).for_each(|arg| self.spare.reclaim(arg));
        let kinds_fit = results.len() == call.to.len()
            && results.iter().zip(&call.kinds).all(|(entity, &kind)| entity.kind() == kind);
        if !kinds_fit {
            return Err(Refusal::new("the results of a native rewrite differ from its signature"));
        }
        for (&to, entity) in call.to.iter().zip(results) {
            let made = self.locals.keep(entity, self.spare);
            self.locals.set(to, made);
        }
        Ok(())
    }

    fn location(&mut self, id: LocationId) -> Done<H::Location> {
        let program = self.program();
        match &program.locations[id] {
            // PERF: most locations are the location of one operation. With this case and the same case in
            // `Context::fuse`, such a location takes 299 instead of 1,084 instructions, measured in callgrind with
            // `cargo bench --bench drivers -- conversion 1`.
            Location::Fused { of, metadata: None } if of.len() == 1 => {
                let location = self.location_of(of[0])?;
                let root = self.rewriter.root();
                let location = location.unwrap_or_else(|| self.rewriter.host().location(root));
                Ok(self.rewriter.host_mut().fuse_locations(&[location], None))
            }
            Location::Fused { of, metadata } => {
                let mut locations = BumpVec::with_capacity_in(of.len(), self.bump);
                for &source in of {
                    locations.extend(self.location_of(source)?);
                }
                let metadata = metadata.map(|m| &program.strings[m]);
                if locations.is_empty() {
                    let root = self.rewriter.root();
                    locations.push(self.rewriter.host().location(root));
                }
                Ok(self.rewriter.host_mut().fuse_locations(&locations, metadata))
            }
            Location::Named { name, child } => {
                let child = match child {
                    Some(source) => self.location_of(*source)?,
                    None => None,
                };
                let name = &program.strings[*name];
                let location = self.rewriter.host_mut().name_location(name, child);
                location.ok_or_else(|| Refusal::new("the host has no named locations"))
            }
        }
    }

    /// The location of an operation, value or range, or a location itself. A range has the location of its first value.
    /// Returns `None` if there is no value, and for a block argument of a host without blocks.
    fn location_of(&mut self, source: SourceWord) -> Done<Option<H::Location>> {
        if let SourceRef::Matched(position) = source.get()
            && self.program().positions.kind(position) == Kind::Op
        {
            let op = self.op(source)?;
            return Ok(Some(self.rewriter.host().location(op)));
        }
        let value = match self.get(source)? {
            Local::Op(op) => return Ok(Some(self.rewriter.host().location(op))),
            Local::Location(location) => return Ok(Some(location)),
            Local::Value(value) => value,
            Local::Values(span) => self.locals.values(span).first().copied(),
            _ => return Err(null("location")),
        };
        let Some(value) = value else { return Ok(None) };
        let host = self.rewriter.host();
        Ok(match host.defining_op(value) {
            Some(op) => Some(host.location(op)),
            None => H::numbered_blocks()
                .and_then(|mut blocks| blocks.table().arg_location(Readable::of(&self.rewriter), value)),
        })
    }

    fn create(&mut self, code: &[u32], create: &read::Create) -> Done<()> {
        let mut parts = self.parts.take().unwrap_or_default();
        parts.clear();
        let made = self.create_from(code, create, &mut parts);
        *self.parts = Some(parts);
        self.locals.set(create.to, Local::Op(made?));
        Ok(())
    }

    /// Creates an operation; `parts` is empty.
    fn create_from(&mut self, code: &[u32], create: &read::Create, parts: &mut OpParts<H>) -> Done<H::Op> {
        let definition = self.program().ops.find(self.program().op_names[create.name]);
        self.operands(create.tail.operands.sources(code), definition, parts)?;
        self.attributes(create.tail.attributes(code), definition, parts)?;
        if create.segments & 1 != 0 {
            self.write_segments(create.operand_segments, parts)?;
        }
        parts.sizes.clear();
        if create.inferred {
            self.infer(create.name, parts)?;
        } else {
            self.result_types(create.tail.result_types.sources(code), parts)?;
        }
        if create.segments & 2 != 0 {
            self.write_segments(create.result_segments, parts)?;
        }
        if create.regions > MAX_REGIONS {
            return Err(damaged());
        }
        let location = self.location(create.location)?;
        self.rewriter.create(&OpState {
            name: self.linked.op_names.of_host[create.name.index()],
            operands: &parts.operands,
            result_types: &parts.types,
            attributes: &parts.attributes,
            regions: create.regions,
            location,
        })
    }

    /// Gathers the operands, with the size and the first value of each group.
    fn operands(
        &mut self,
        sources: impl Iterator<Item = SourceWord>,
        definition: Option<&OpDef>,
        parts: &mut OpParts<H>,
    ) -> Done<()> {
        for source in sources {
            let before = parts.operands.len();
            self.append_values(source, &mut parts.operands, true)?;
            parts.firsts.push(parts.operands.get(before).copied());
            parts.sizes.push(parts.operands.len() - before);
        }
        let groups = definition.map_or(&[][..], |definition| &definition.operands);
        let lacks = |(group, &size): (&ValueDef, &usize)| group.arity == Arity::One && size == 0;
        if groups.len() == parts.sizes.len() {
            if groups.iter().zip(&parts.sizes).any(lacks) {
                return Err(null("operand"));
            }
        } else if groups.iter().all(|group| group.arity == Arity::One) {
            // The rule passes a range for single operands: each value of the range is one operand.
            parts.firsts.clear();
            parts.firsts.extend(parts.operands.iter().copied().map(Some));
        }
        Ok(())
    }

    /// Gathers the attributes. A null is left out, or is an error if the operation's definition requires the attribute.
    fn attributes(
        &mut self,
        attributes: impl Iterator<Item = (StrId, SourceWord, bool)>,
        definition: Option<&OpDef>,
        parts: &mut OpParts<H>,
    ) -> Done<()> {
        for (id, value, inherent) in attributes {
            let required = || {
                let attributes = definition.map_or(&[][..], |definition| &definition.attributes);
                attributes.iter().any(|a| a.name == id && !a.optional)
            };
            let value = match self.get(value)? {
                Local::Attr(Some(value)) => value,
                Local::Attr(None) if !required() => continue,
                _ => return Err(null("attribute")),
            };
            let name = self.linked.attr_names.get(id).ok_or_else(damaged)?;
            parts.set(id, NamedAttr { name, value, inherent });
        }
        Ok(())
    }

    /// Gathers the result types that the rule states, with the size of each group.
    fn result_types(
        &mut self,
        sources: impl Iterator<Item = SourceWord>,
        parts: &mut OpParts<H>,
    ) -> Done<()> {
        for source in sources {
            // Most result types are the type of one matched value.
            if let (SourceRef::Matched(position), None) = (source.get(), self.bound)
                && let Some(ty) = self.eval().type_of_one(position)
            {
                parts.types.push(ty);
                parts.sizes.push(1);
                continue;
            }
            let before = parts.types.len();
            match self.get(source)? {
                Local::Type(ty) => parts.types.push(ty),
                Local::Types(span) => parts.types.extend_from_slice(self.locals.types(span)),
                _ => return Err(null("result type")),
            }
            parts.sizes.push(parts.types.len() - before);
        }
        Ok(())
    }

    /// Writes the sizes of the groups to the attribute of this name.
    fn write_segments(&mut self, id: StrId, parts: &mut OpParts<H>) -> Done<()> {
        let host = self.rewriter.host_mut();
        let value = self.memo.segments.get(&parts.sizes, |text| host.bind_attr(text));
        let value = value.ok_or_else(|| Refusal::new("the host has no array of segment sizes"))?;
        let name = self.linked.attr_names.get(id).ok_or_else(damaged)?;
        parts.remove(id);
        parts.set(id, NamedAttr { name, value, inherent: true });
        Ok(())
    }

    /// Infers the result types: by the recipes of the operation's definition, or else by the
    /// [type inference](crate::host::Natives::type_inference) that is registered for its name.
    fn infer(&mut self, name: OpNumber, parts: &mut OpParts<H>) -> Done<()> {
        let (linked, program) = (self.linked, self.program());
        let name = program.op_names[name];
        if let Some(recipes) = program.ops.find(name).and_then(|op| op.result_types.as_ref()) {
            for recipe in recipes {
                let ty = self.recipe(recipe, parts)?;
                parts.types.push(ty);
            }
        } else {
            let Some(run) = linked.calls.inferences.get(&name) else {
                let name = &program.strings[name];
                return Err(Refusal::new(format!("nothing infers the result types of '{name}'")));
            };
            let names = parts.names.iter().map(|&name| &program.strings[name]);
            let attributes = names.zip(parts.attributes.iter().map(|a| a.value));
            let attributes = BumpVec::from_iter_in(attributes, self.bump);
            let op = NewOp { operands: &parts.operands, attributes: &attributes };
            parts.types.extend(run(self.rewriter.host_mut(), &op)?);
        }
        parts.sizes.extend(parts.types.iter().map(|_| 1));
        Ok(())
    }

    /// The result type that a recipe computes. `parts.types` has the types of the recipes before it.
    fn recipe(&mut self, recipe: &TypeRecipe, parts: &OpParts<H>) -> Done<H::Type> {
        let host = self.rewriter.host();
        let ty = match recipe {
            TypeRecipe::Fixed(constant) => self.linked.constant_type(*constant),
            TypeRecipe::Operand(group) => {
                parts.firsts.get(*group as usize).copied().flatten().map(|v| host.value_type(v))
            }
            TypeRecipe::AttrType(name) => parts.attr(*name).and_then(|a| host.attr_type(a)),
            TypeRecipe::HeldType(name) => parts.attr(*name).and_then(|a| host.attr_held_type(a)),
            TypeRecipe::Result(index) => parts.types.get(*index as usize).copied(),
            TypeRecipe::Transform(snippet, inner) => {
                let inner = self.recipe(inner, parts)?;
                let given =
                    self.linked.snippet_rewrite(&mut self.rewriter, *snippet, &[Entity::Type(inner)])?;
                match &given[..] {
                    [Entity::Type(ty)] => Some(*ty),
                    _ => None,
                }
            }
        };
        ty.ok_or_else(|| Refusal::new("a result type cannot be inferred"))
    }
}

fn null(what: &str) -> Refusal {
    let article = if what.starts_with(['a', 'o']) { "an" } else { "a" };
    Refusal::new(format!("{article} {what} is null where one is required"))
}
