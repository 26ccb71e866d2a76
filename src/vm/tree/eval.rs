//! Reads positions and answers questions by following paths from the root.
//!
//! No function here fails: a position without an entity is null. The instructions that take most of the time of
//! matching do not use this file.

use crate::host::{AttrKind, AttrNameId, ElementValue, Entity, Facets, Kind};
use crate::id::Id;
use crate::intern::StrId;
use crate::matcher_tree::{
    Answer, ConstantId, ConstantListId, Position, PositionId, Question, QuestionId, Side, SplitId,
};
use crate::pdl::GroupSplit;
use crate::snippet::SnippetId;
use crate::stack::with_room;

use super::locals::Spare;
use super::scratch::{Memo, RootAttr, State};
use crate::vm::linked::LinkedProgram;

/// Values at a position: a slice of the operands or results of an operation, or a result of a call.
pub(in crate::vm) enum Values<H: Facets> {
    /// `len` operands or results from `start` on.
    Slice { op: H::Op, side: Side, start: u32, len: u32 },
    /// Result `index` of `call`. The result has `len` values.
    CallResult { call: usize, index: usize, len: u32 },
}

/// Types at a position. The start and the length of a group of values are computed once, because finding a group takes
/// time proportional to the number of groups.
enum Types<H: Facets> {
    /// The types of values.
    Of(Values<H>),
    Constants(ConstantListId),
    /// The call result at this position.
    CallResult(PositionId),
}

/// Read access to positions, and answers to questions, for one root.
pub(in crate::vm) struct Eval<'a, H: Facets> {
    pub(in crate::vm) host: &'a H,
    pub(in crate::vm) linked: &'a LinkedProgram<H>,
    pub(in crate::vm) state: &'a State<H>,
    pub(in crate::vm) memo: &'a mut Memo<H>,
}

impl<H: Facets> Eval<'_, H> {
    fn position(&self, id: PositionId) -> Position {
        self.linked.program.positions[id]
    }

    fn kind(&self, id: PositionId) -> Kind {
        self.linked.program.positions.kind(id)
    }

    /// The result of a call that was evaluated for this root.
    fn call_result(&self, id: PositionId) -> Option<&Entity<H>> {
        let Position::CallResult { call, index, .. } = self.position(id) else { return None };
        let asked = self.state.calls.get(call.index())?;
        // Results for another root are not used, because they may refer to operations that are not in the IR any more.
        if asked.epoch == self.state.epoch { asked.results.get(index as usize) } else { None }
    }

    /// The operation at a position.
    ///
    /// Most positions are parts of the root, so the root is read here, without a call of `op_on_path`.
    #[inline]
    pub(in crate::vm) fn op(&mut self, id: PositionId) -> Option<H::Op> {
        match self.linked.program.positions[id] {
            Position::Root => self.state.root,
            _ => self.op_on_path(id),
        }
    }

    #[inline(never)]
    fn op_on_path(&mut self, id: PositionId) -> Option<H::Op> {
        match self.position(id) {
            Position::Root => self.state.root,
            Position::User { choice } => match self.state.users.get(choice as usize).copied().flatten()? {
                (epoch, op) if epoch == self.state.epoch => Some(op),
                _ => None,
            },
            Position::DefiningOp(of) if self.kind(of) == Kind::Values => {
                let values = self.values(of)?;
                let first = self.element(&values, 0)?;
                self.host.defining_op(first)
            }
            Position::DefiningOp(of) => {
                let value = with_room(|| self.value(of))?;
                self.host.defining_op(value)
            }
            _ => match self.call_result(id)? {
                Entity::Op(op) => Some(*op),
                _ => None,
            },
        }
    }

    /// The value at a position.
    pub(in crate::vm) fn value(&mut self, id: PositionId) -> Option<H::Value> {
        match self.position(id) {
            Position::Operand { op, index } => {
                let op = self.op(op)?;
                (index < self.host.operand_count(op)).then(|| self.host.operand(op, index))
            }
            Position::Result { op, index } => {
                let op = self.op(op)?;
                (index < self.host.result_count(op)).then(|| self.host.result(op, index))
            }
            Position::Either { choice, first, second } => {
                self.value(if self.state.swapped[choice as usize] { second } else { first })
            }
            Position::Element { range, index } => {
                let values = self.values(range)?;
                self.element(&values, index)
            }
            _ => match self.call_result(id)? {
                Entity::Value(value) => *value,
                _ => None,
            },
        }
    }

    /// The values at a position.
    pub(in crate::vm) fn values(&mut self, id: PositionId) -> Option<Values<H>> {
        match self.position(id) {
            Position::Slice { op, side, split, group } => {
                let op = self.op(op)?;
                let (start, len) = self.bounds(op, side, split, group as usize)?;
                Some(Values::Slice { op, side, start, len })
            }
            Position::CallResult { call, index, .. } => match self.call_result(id)? {
                Entity::Values(values) => Some(Values::CallResult {
                    call: call.index(),
                    index: index as usize,
                    len: u32::try_from(values.len()).ok()?,
                }),
                _ => None,
            },
            _ => None,
        }
    }

    /// The number of values.
    pub(in crate::vm) fn len(&self, values: &Values<H>) -> u32 {
        match values {
            Values::Slice { len, .. } | Values::CallResult { len, .. } => *len,
        }
    }

    /// The value at an index.
    pub(in crate::vm) fn element(&self, values: &Values<H>, index: u32) -> Option<H::Value> {
        match *values {
            Values::Slice { op, side, start, len } => (index < len).then(|| match side {
                Side::Operands => self.host.operand(op, start + index),
                Side::Results => self.host.result(op, start + index),
            }),
            Values::CallResult { call, index: result, .. } => {
                match self.state.calls.get(call)?.results.get(result)? {
                    Entity::Values(values) => values.get(index as usize).copied(),
                    _ => None,
                }
            }
        }
    }

    pub(in crate::vm) fn count(&self, op: H::Op, side: Side) -> u32 {
        match side {
            Side::Operands => self.host.operand_count(op),
            Side::Results => self.host.result_count(op),
        }
    }

    /// The start and the length of a group; `None` if the operands or results do not fit the groups.
    fn bounds(&self, op: H::Op, side: Side, split: SplitId, group: usize) -> Option<(u32, u32)> {
        let split = self.linked.program.positions.split(split);
        let count = self.count(op, side);
        let GroupSplit::Attribute(name) = split.rule else {
            return split.bounds(count, group, &mut |_| None);
        };
        let attr = self.host.attr(op, self.linked.attr_names.get(name)?)?;
        let (AttrKind::DenseArray { len } | AttrKind::DenseElements { len, .. }) = self.host.attr_kind(attr)
        else {
            return None;
        };
        if !split.partial && usize::try_from(len).ok()? != split.groups.len() {
            return None;
        }
        let (start, size) = split.bounds(count, group, &mut |i| {
            let i = u64::try_from(i).ok().filter(|&i| i < len)?;
            match self.host.attr_element(attr, i)? {
                ElementValue::Int(size) => u32::try_from(size.to_i64()?).ok(),
                _ => None,
            }
        })?;
        (start.checked_add(size)? <= count).then_some((start, size))
    }

    /// The index of the operand at a position, or of the first operand of a group.
    pub(in crate::vm) fn operand_index(&mut self, id: PositionId) -> Option<u32> {
        match self.position(id) {
            Position::Operand { index, .. } => Some(index),
            Position::Element { range, index } => match self.values(range)? {
                Values::Slice { side: Side::Operands, start, .. } => start.checked_add(index),
                _ => None,
            },
            Position::Slice { .. } => match self.values(id)? {
                Values::Slice { side: Side::Operands, start, .. } => Some(start),
                _ => None,
            },
            _ => None,
        }
    }

    /// The type at a position.
    pub(in crate::vm) fn ty(&mut self, id: PositionId) -> Option<H::Type> {
        match self.position(id) {
            Position::TypeOf(of) => {
                let value = self.value(of)?;
                Some(self.host.value_type(value))
            }
            Position::AttrType(of) => {
                let attr = self.attr(of)?;
                self.host.attr_type(attr)
            }
            Position::Constant(constant) => {
                self.linked.constants.types.get(constant.index()).copied().flatten()
            }
            _ => match self.call_result(id)? {
                Entity::Type(ty) => Some(*ty),
                _ => None,
            },
        }
    }

    /// The type at a position that is the type of one operand or result; `None` for other positions.
    #[inline]
    pub(in crate::vm) fn type_of_one(&mut self, id: PositionId) -> Option<H::Type> {
        let Position::TypeOf(of) = self.position(id) else { return None };
        let (Position::Operand { .. } | Position::Result { .. }) = self.position(of) else { return None };
        let value = self.value(of)?;
        Some(self.host.value_type(value))
    }

    /// The types at a position; `None` if the position is null.
    fn types(&mut self, id: PositionId) -> Option<Types<H>> {
        match self.position(id) {
            Position::TypeOf(of) => Some(Types::Of(self.values(of)?)),
            Position::Constants(list) => {
                let constants = self.linked.program.positions.list(list);
                let all = constants.iter().all(|c| self.linked.constants.types[c.index()].is_some());
                all.then_some(Types::Constants(list))
            }
            _ => match self.call_result(id)? {
                Entity::Types(_) => Some(Types::CallResult(id)),
                _ => None,
            },
        }
    }

    /// The number of types; `None` if it does not fit in 32 bits.
    fn types_len(&self, types: &Types<H>) -> Option<u32> {
        match *types {
            Types::Of(ref values) => Some(self.len(values)),
            Types::Constants(list) => u32::try_from(self.linked.program.positions.list(list).len()).ok(),
            Types::CallResult(id) => match self.call_result(id)? {
                Entity::Types(types) => u32::try_from(types.len()).ok(),
                _ => None,
            },
        }
    }

    /// The type at an index.
    fn types_element(&self, types: &Types<H>, index: u32) -> Option<H::Type> {
        match *types {
            Types::Of(ref values) => Some(self.host.value_type(self.element(values, index)?)),
            Types::Constants(list) => {
                let constant = self.linked.program.positions.list(list).get(index as usize)?;
                self.linked.constants.types.get(constant.index()).copied().flatten()
            }
            Types::CallResult(id) => match self.call_result(id)? {
                Entity::Types(types) => types.get(index as usize).copied(),
                _ => None,
            },
        }
    }

    /// The types at a position, and the number of these types.
    fn counted_types(&mut self, id: PositionId) -> Option<(Types<H>, u32)> {
        let types = self.types(id)?;
        let len = self.types_len(&types)?;
        Some((types, len))
    }

    /// The attribute at a position.
    pub(in crate::vm) fn attr(&mut self, id: PositionId) -> Option<H::Attr> {
        match self.position(id) {
            Position::Attribute { op: of, name, storage, default } => {
                // PERF: a call of a native runs 524 instructions instead of 676, because its argument is not read and
                // tested again; `cargo bench --no-default-features --features frontend --bench natives`.
                if storage.is_some()
                    && let Some(known) = &self.memo.attr
                    && known.position == id
                    && known.epoch == self.state.epoch
                {
                    return known.attr;
                }
                let op = self.op(of)?;
                let (attr, is_known) = self.stored(self.attribute(op, name), storage, default);
                // Only attributes of the root are cached, because the operation at another position can change while
                // the root stays.
                if is_known && matches!(self.position(of), Position::Root) {
                    self.memo.attr = Some(RootAttr { epoch: self.state.epoch, position: id, attr });
                }
                attr
            }
            Position::Constant(constant) => {
                self.linked.constants.attrs.get(constant.index()).copied().flatten()
            }
            _ => match self.call_result(id)? {
                Entity::Attr(attr) => *attr,
                _ => None,
            },
        }
    }

    /// The attribute to which a position with this storage predicate and this default is bound. `found` is the
    /// attribute of the operation. The returned flag is true if there is a storage predicate and its evaluation does
    /// not fail.
    fn stored(
        &mut self,
        found: Option<H::Attr>,
        storage: Option<SnippetId>,
        default: Option<ConstantId>,
    ) -> (Option<H::Attr>, bool) {
        let (mut attr, mut is_known) = (found, storage.is_some());
        if let (Some(found), Some(storage)) = (attr, storage) {
            let holds = self.attr_holds(storage, found);
            attr = attr.filter(|_| holds == Some(true));
            is_known = holds.is_some();
        }
        (attr.or_else(|| self.linked.constants.attrs.get(default?.index()).copied().flatten()), is_known)
    }

    /// The attribute to which a position was bound, if the rewrite has changed this attribute; `None` otherwise.
    /// `before` returns the value before the change.
    pub(in crate::vm) fn attr_before(
        &mut self,
        id: PositionId,
        before: impl FnOnce(H::Op, AttrNameId) -> Option<Option<H::Attr>>,
    ) -> Option<Option<H::Attr>> {
        let Position::Attribute { op, name, storage, default } = self.position(id) else { return None };
        let old = before(self.op(op)?, self.linked.attr_names.get(name)?)?;
        Some(self.stored(old, storage, default).0)
    }

    fn attribute(&self, op: H::Op, name: StrId) -> Option<H::Attr> {
        self.host.attr(op, self.linked.attr_names.get(name)?)
    }

    /// True if a pure snippet holds for an attribute; `None` if the snippet fails.
    pub(in crate::vm) fn attr_holds(&mut self, snippet: SnippetId, attr: H::Attr) -> Option<bool> {
        let Self { host, linked, memo, .. } = self;
        let (index, count) = linked.snippet_slots.get(snippet)?;
        let ask = || linked.snippet_holds(host, snippet, Entity::Attr(Some(attr)));
        memo.attrs.get(attr, index, count, ask)
    }

    /// True if a pure snippet holds for a type; `None` if the snippet fails.
    pub(in crate::vm) fn type_holds(&mut self, snippet: SnippetId, ty: H::Type) -> Option<bool> {
        let Self { host, linked, memo, .. } = self;
        let (index, count) = linked.snippet_slots.get(snippet)?;
        let ask = || linked.snippet_holds(host, snippet, Entity::Type(ty));
        memo.types.get(ty, index, count, ask)
    }

    /// The plain constant that the attribute or type at a position equals.
    pub(in crate::vm) fn constant(&mut self, id: PositionId) -> Option<ConstantId> {
        match self.kind(id) {
            Kind::Attr => {
                let attr = self.attr(id)?;
                self.linked.constants.attr_keys.get(&attr).copied()
            }
            Kind::Type => {
                let ty = self.ty(id)?;
                self.linked.constants.type_keys.get(&ty).copied()
            }
            _ => None,
        }
    }

    /// True if a question has this answer.
    pub(in crate::vm) fn ask(&mut self, question: QuestionId, wanted: Answer) -> bool {
        let yes = |holds: bool| holds == (wanted == Answer::YES);
        match self.linked.program.predicates[question] {
            // Only instructions other than `Ask` test names.
            Question::Name(_) => false,
            Question::Present(p) => yes(self.is_present(p)),
            Question::Count { op, side } => self.op(op).is_some_and(|op| self.count(op, side) == wanted.0),
            Question::Fits { op, side, split } => {
                let Some(op) = self.op(op) else { return false };
                let no_groups = self.linked.program.positions.split(split).groups.is_empty();
                yes(if no_groups {
                    self.count(op, side) == 0
                } else {
                    self.bounds(op, side, split, 0).is_some()
                })
            }
            Question::Constant(p) => self.is(p, ConstantId::from_raw(wanted.0)),
            Question::Is(p, constant) => yes(self.is(p, constant)),
            Question::Are(p, list) => {
                let list = self.linked.program.positions.list(list);
                let Some((types, len)) = self.counted_types(p) else { return yes(false) };
                let same = len as usize == list.len()
                    && (0..len).zip(list).all(|(i, c)| {
                        let ty = self.types_element(&types, i);
                        ty.is_some() && ty == self.linked.constants.types.get(c.index()).copied().flatten()
                    });
                yes(same)
            }
            Question::Same(a, b) => yes(self.same(a, b)),
            Question::Holds(snippet, p) => {
                let answer = match self.kind(p) {
                    Kind::Attr => match self.attr(p) {
                        Some(attr) => self.attr_holds(snippet, attr),
                        None => self.linked.snippet_holds(self.host, snippet, Entity::Attr(None)),
                    },
                    _ => self.ty(p).and_then(|ty| self.type_holds(snippet, ty)),
                };
                answer == Some(wanted == Answer::YES)
            }
        }
    }

    fn is_present(&mut self, p: PositionId) -> bool {
        // Most positions are decided here, without the computation of their kinds.
        match self.position(p) {
            Position::Attribute { .. } => return self.attr(p).is_some(),
            Position::Operand { .. } | Position::Result { .. } => return self.value(p).is_some(),
            _ => {}
        }
        match self.kind(p) {
            Kind::Op => self.op(p).is_some(),
            Kind::Value => self.value(p).is_some(),
            Kind::Values => self.values(p).is_some(),
            Kind::Type => self.ty(p).is_some(),
            Kind::Types => self.counted_types(p).is_some(),
            Kind::Attr => self.attr(p).is_some(),
            _ => self.call_result(p).is_some(),
        }
    }

    fn is(&mut self, p: PositionId, constant: ConstantId) -> bool {
        match self.kind(p) {
            Kind::Attr => {
                let wanted = self.linked.constants.attrs.get(constant.index()).copied().flatten();
                wanted.is_some() && self.attr(p) == wanted
            }
            Kind::Type => {
                let wanted = self.linked.constants.types.get(constant.index()).copied().flatten();
                wanted.is_some() && self.ty(p) == wanted
            }
            _ => false,
        }
    }

    fn same(&mut self, a: PositionId, b: PositionId) -> bool {
        match (self.kind(a), self.kind(b)) {
            (Kind::Op, Kind::Op) => self.op(a) == self.op(b),
            (Kind::Value, Kind::Value) => self.value(a) == self.value(b),
            (Kind::Type, Kind::Type) => self.ty(a) == self.ty(b),
            (Kind::Attr, Kind::Attr) => self.attr(a) == self.attr(b),
            (Kind::Values, Kind::Values) => match (self.values(a), self.values(b)) {
                (Some(a), Some(b)) => {
                    let len = self.len(&a);
                    len == self.len(&b) && (0..len).all(|i| self.element(&a, i) == self.element(&b, i))
                }
                (a, b) => a.is_none() && b.is_none(),
            },
            (Kind::Types, Kind::Types) => match (self.counted_types(a), self.counted_types(b)) {
                (Some((a, n)), Some((b, m))) => {
                    n == m && (0..n).all(|i| self.types_element(&a, i) == self.types_element(&b, i))
                }
                (a, b) => a.is_none() && b.is_none(),
            },
            (x, y) if x == y => self.entity(a) == self.entity(b),
            _ => false,
        }
    }

    /// The entity at a position of any kind; `None` if the position is null and entities of its kind cannot be
    /// null.
    pub(in crate::vm) fn entity(&mut self, id: PositionId) -> Option<Entity<H>> {
        self.entity_in(id, &mut Spare::default())
    }

    /// The entity that [`Self::entity`] returns. Ranges reuse the memory of `spare`.
    pub(in crate::vm) fn entity_in(&mut self, id: PositionId, spare: &mut Spare<H>) -> Option<Entity<H>> {
        // Most arguments are read here, without the computation of their kinds.
        match self.position(id) {
            Position::Attribute { .. } => return Some(Entity::Attr(self.attr(id))),
            Position::Operand { .. } | Position::Result { .. } => return Some(Entity::Value(self.value(id))),
            Position::Root => return self.state.root.map(Entity::Op),
            _ => {}
        }
        if let Some(ty) = self.type_of_one(id) {
            return Some(Entity::Type(ty));
        }
        Some(match self.kind(id) {
            Kind::Op => Entity::Op(self.op(id)?),
            Kind::Value => Entity::Value(self.value(id)),
            Kind::Values => {
                let values = self.values(id)?;
                let mut all = spare.values.pop().unwrap_or_default();
                all.extend((0..self.len(&values)).filter_map(|i| self.element(&values, i)));
                Entity::Values(all)
            }
            Kind::Type => Entity::Type(self.ty(id)?),
            Kind::Types => {
                let (types, len) = self.counted_types(id)?;
                let mut all = spare.types.pop().unwrap_or_default();
                all.extend((0..len).filter_map(|i| self.types_element(&types, i)));
                Entity::Types(all)
            }
            Kind::Attr => Entity::Attr(self.attr(id)),
            _ => self.call_result(id)?.clone(),
        })
    }
}
