//! Binds names: rewrites an open value when names in it become known.
//!
//! The rewriting follows the resolvers of `llvm-tblgen`. The result depends on three properties of a resolution: the
//! names that it binds, if it also resolves the names inside the values of these names, and if it is the last one.
//! After the last resolution, most fields must have a concrete value. All earlier resolutions skip most values that
//! mention none of the names that they bind.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;
use smallvec::SmallVec;

use super::bang::Op;
use super::error::Result;
use super::evaluator::Evaluator;
use super::ids::{RecordId, SeqId, TypeId, ValueId};
use super::value::{ALWAYS_BIT, Node, name_bit};
use crate::intern::StrId;

/// The bindings of a resolution.
#[derive(Debug)]
pub(super) struct Scope {
    kind: Kind,
    /// The record whose values are resolved.
    pub(super) record: Option<RecordId>,
    /// True in the last resolution, after which no name becomes bound.
    pub(super) last: bool,
    /// Names that operators inside the value bind. They hide the bindings of the scope.
    shadowed: Vec<StrId>,
}

#[derive(Debug)]
enum Kind {
    /// A list of bindings. `mask` contains their [`name_bit`]s and [`ALWAYS_BIT`].
    Names { bound: SmallVec<[Bound; 8]>, mask: u64 },
    /// The fields of the record. `renamed` is the old and the new name of the record.
    Fields {
        renamed: Option<(ValueId, ValueId)>,
        stack: Vec<StrId>,
        known: HashMap<StrId, ValueId, FxBuildHasher>,
    },
}

#[derive(Clone, Copy, Debug)]
struct Bound {
    name: StrId,
    value: ValueId,
    /// True if the names in `value` have been resolved.
    followed: bool,
    /// True while the names in `value` are being resolved, so that `value` cannot refer to its own binding.
    hidden: bool,
}

impl Scope {
    /// Creates a scope without bindings; see [`Scope::bind`].
    pub(super) fn names(record: Option<RecordId>) -> Self {
        let kind = Kind::Names { bound: SmallVec::new(), mask: ALWAYS_BIT };
        Self { kind, record, last: false, shadowed: Vec::new() }
    }

    /// Creates the scope of the last resolution of a record, which binds its fields. `renamed` is the record's old
    /// and new name.
    pub(super) fn fields(record: RecordId, renamed: Option<(ValueId, ValueId)>) -> Self {
        let kind = Kind::Fields { renamed, stack: Vec::new(), known: HashMap::default() };
        Self { kind, record: Some(record), last: true, shadowed: Vec::new() }
    }

    /// Binds a name, and replaces its previous binding.
    pub(super) fn bind(&mut self, name: StrId, value: ValueId) {
        if let Kind::Names { bound, mask } = &mut self.kind {
            let new = Bound { name, value, followed: false, hidden: false };
            match bound.iter_mut().find(|b| b.name == name) {
                Some(old) => *old = new,
                None => bound.push(new),
            }
            *mask |= name_bit(name);
        }
    }

    /// Binds a name that has no binding.
    pub(super) fn bind_new(&mut self, name: StrId, value: ValueId) {
        if let Kind::Names { bound, mask } = &mut self.kind {
            bound.push(Bound { name, value, followed: false, hidden: false });
            *mask |= name_bit(name);
        }
    }

    /// True if a resolution in this scope changes no value with this name mask.
    pub(super) fn misses(&self, names: u64) -> bool {
        match &self.kind {
            Kind::Names { mask, .. } => !self.last && names & mask == 0,
            Kind::Fields { .. } => false,
        }
    }

    fn keeps_unset_bits(&self) -> bool {
        matches!(self.kind, Kind::Fields { .. })
    }
}

impl Evaluator {
    /// Looks up the value of a name.
    fn lookup(&mut self, scope: &mut Scope, name: StrId) -> Result<Option<ValueId>> {
        if scope.shadowed.contains(&name) {
            return Ok(None);
        }
        match &mut scope.kind {
            Kind::Names { bound, .. } => {
                let many = bound.iter().filter(|b| !b.hidden).nth(1).is_some();
                let Some(at) = bound.iter().position(|b| b.name == name && !b.hidden) else {
                    return Ok(None);
                };
                let Bound { value, followed, .. } = bound[at];
                if followed || !many {
                    return Ok(Some(value));
                }
                if !self.out.values.flags(value).open() {
                    bound[at].followed = true;
                    return Ok(Some(value));
                }
                bound[at].hidden = true;
                let value = self.resolve(value, scope)?;
                if let Kind::Names { bound, .. } = &mut scope.kind {
                    bound[at] = Bound { name, value, followed: true, hidden: false };
                }
                Ok(Some(value))
            }
            Kind::Fields { stack, known, .. } => {
                if let Some(&value) = known.get(&name) {
                    return Ok(Some(value));
                }
                if stack.contains(&name) {
                    return Ok(None);
                }
                let Some(record) = scope.record else { return Ok(None) };
                let value = match self.field_value(record, name) {
                    None | Some(ValueId::UNSET) => return Ok(None),
                    Some(value) => value,
                };
                stack.push(name);
                let value = self.resolve(value, scope)?;
                if let Kind::Fields { stack, known, .. } = &mut scope.kind {
                    stack.pop();
                    known.insert(name, value);
                }
                Ok(Some(value))
            }
        }
    }

    /// Rewrites a value with the bindings of `scope`.
    pub(super) fn resolve(&mut self, id: ValueId, scope: &mut Scope) -> Result<ValueId> {
        if !self.out.values.flags(id).open() || scope.misses(self.out.values.names(id)) {
            return Ok(id);
        }
        self.step()?;
        self.nested(|this| this.resolve_node(id, scope))
    }

    fn resolve_node(&mut self, id: ValueId, scope: &mut Scope) -> Result<ValueId> {
        match self.node(id) {
            Node::Unset | Node::Bit(_) | Node::Int(_) | Node::Str(..) | Node::Def(_) => Ok(id),
            Node::Var(name, _) => Ok(self.lookup(scope, name)?.unwrap_or(id)),
            Node::Anonymous(_) => self.resolve_anonymous(id, scope),
            Node::VarBit(of, bit) => {
                let new = self.resolve(of, scope)?;
                if new == of { Ok(id) } else { self.bit(new, bit) }
            }
            Node::Bits(seq) => self.resolve_bits(id, seq, scope),
            Node::List(seq, element) => match self.resolve_seq(seq, scope)? {
                Some(items) => self.list(&items, element),
                None => Ok(id),
            },
            Node::Dag { op, name, args, origin } => {
                let new_op = self.resolve(op, scope)?;
                let mut raw: SmallVec<[u32; 16]> = SmallVec::from_slice(self.out.values.raw(args));
                let mut changed = new_op != op;
                for pair in raw.chunks_exact_mut(2) {
                    let old = ValueId::from_raw(pair[0]);
                    let new = self.resolve(old, scope)?;
                    changed |= old != new;
                    pair[0] = new.raw();
                }
                if !changed {
                    return Ok(id);
                }
                let args = self.out.values.seq(&raw);
                self.make(Node::Dag { op: new_op, name, args, origin })
            }
            Node::Field(of, name, _) => {
                let new = self.resolve(of, scope)?;
                if new == of { Ok(id) } else { self.field_of(new, name, scope.record) }
            }
            Node::Instance(class, args) => self.resolve_instance(id, class, args, scope),
            Node::Call { op, ty, args } => self.resolve_call(id, op, ty, args, scope),
        }
    }

    /// Resolves the values of a sequence. Returns `None` if none of them changed.
    fn resolve_seq(&mut self, seq: SeqId, scope: &mut Scope) -> Result<Option<SmallVec<[ValueId; 8]>>> {
        let mut new: Option<SmallVec<[ValueId; 8]>> = None;
        for i in 0..self.out.values.count(seq) {
            let Some(old) = self.out.values.item(seq, i) else { break };
            let item = self.resolve(old, scope)?;
            if item != old && new.is_none() {
                new = Some(self.out.values.items(seq).collect());
            }
            if let Some(new) = &mut new {
                new[i] = item;
            }
        }
        Ok(new)
    }

    fn resolve_anonymous(&mut self, id: ValueId, scope: &mut Scope) -> Result<ValueId> {
        let mut new = id;
        if let Kind::Fields { renamed: Some((old, name)), .. } = scope.kind
            && old == id
        {
            new = name;
        }
        match self.node(new) {
            Node::Anonymous(number) if scope.last => Ok(self.text(&format!("anonymous_{number}"))),
            _ => Ok(new),
        }
    }

    fn resolve_bits(&mut self, id: ValueId, seq: SeqId, scope: &mut Scope) -> Result<ValueId> {
        let mut bits: SmallVec<[ValueId; 32]> = self.out.values.items(seq).collect();
        let mut changed = false;
        // Adjacent bits usually belong to the same value, so the last result is kept.
        let mut last: Option<(ValueId, ValueId)> = None;
        for bit in &mut bits {
            let new = match self.node(*bit) {
                Node::Unset | Node::Bit(_) => continue,
                Node::VarBit(of, index) => {
                    let resolved = match last {
                        Some((old, new)) if old == of => new,
                        _ => self.resolve(of, scope)?,
                    };
                    last = Some((of, resolved));
                    if resolved == of { *bit } else { self.bit(resolved, index)? }
                }
                _ => {
                    let resolved = self.resolve(*bit, scope)?;
                    self.bit(resolved, 0)?
                }
            };
            let new = if new == ValueId::UNSET && scope.keeps_unset_bits() { *bit } else { new };
            changed |= new != *bit;
            *bit = new;
        }
        if !changed {
            return Ok(id);
        }
        Ok(self.out.values.bits(&bits))
    }

    fn resolve_instance(
        &mut self,
        id: ValueId,
        class: RecordId,
        args: SeqId,
        scope: &mut Scope,
    ) -> Result<ValueId> {
        let mut raw: SmallVec<[u32; 16]> = SmallVec::from_slice(self.out.values.raw(args));
        let mut changed = false;
        for pair in raw.chunks_exact_mut(2) {
            let old = ValueId::from_raw(pair[1]);
            let new = self.resolve(old, scope)?;
            changed |= old != new;
            pair[1] = new.raw();
        }
        if !changed {
            return Ok(id);
        }
        let args = self.out.values.seq(&raw);
        let new = self.make(Node::Instance(class, args))?;
        if let Some(&span) = self.instance_spans.get(&id) {
            self.instance_spans.entry(new).or_insert(span);
        }
        self.fold_instance(new)
    }

    fn resolve_call(
        &mut self,
        id: ValueId,
        op: Op,
        ty: TypeId,
        args: SeqId,
        scope: &mut Scope,
    ) -> Result<ValueId> {
        let old: SmallVec<[ValueId; 6]> = self.out.values.items(args).collect();
        let mut new: SmallVec<[ValueId; 6]> = SmallVec::new();
        let mut shadows: &[usize] = &[];
        match op {
            Op::If => {
                let test = self.resolve(old[0], scope)?;
                if test != old[0]
                    && let Some(test) = self.as_int(test)
                {
                    return self.resolve(old[if test != 0 { 1 } else { 2 }], scope);
                }
                new.push(test);
            }
            Op::And | Op::Or => {
                let left = self.resolve(old[0], scope)?;
                let decides = if op == Op::And { 0 } else { -1 };
                if self.as_int(left) == Some(decides) {
                    return Ok(self.out.values.int(decides));
                }
                new.push(left);
            }
            // The variables are string arguments, and they are bound in the last argument.
            Op::ForEach | Op::Filter => shadows = &[0],
            Op::Foldl => shadows = &[2, 3],
            _ => {}
        }
        for i in new.len()..old.len() {
            if shadows.is_empty() || i + 1 < old.len() {
                new.push(self.resolve(old[i], scope)?);
                continue;
            }
            let depth = scope.shadowed.len();
            for &at in shadows {
                let name = self.as_str(old[at]);
                scope.shadowed.extend(name);
            }
            let body = self.resolve(old[i], scope);
            scope.shadowed.truncate(depth);
            new.push(body?);
        }
        let again = scope.last && matches!(op, Op::Cast | Op::Exists | Op::Instances);
        if new == old && !again {
            return Ok(id);
        }
        self.operate(op, ty, &new, scope.record, scope.last)
    }

    /// True if a value mentions a name that the value does not bind, or the name of an anonymous record that the last
    /// resolution has not replaced yet.
    pub(super) fn has_free_name(&self, id: ValueId, shadowed: &mut Vec<StrId>) -> bool {
        self.finds_name(id, None, shadowed)
    }

    /// True if a value mentions this name.
    pub(super) fn mentions(&self, id: ValueId, name: StrId) -> bool {
        self.finds_name(id, Some(name), &mut Vec::new())
    }

    /// True if a value mentions `wanted`. If `wanted` is `None`, any name that is not shadowed counts, and so does the
    /// name of an anonymous record.
    fn finds_name(&self, id: ValueId, wanted: Option<StrId>, shadowed: &mut Vec<StrId>) -> bool {
        let values = &self.out.values;
        if values.names(id) == 0 {
            return false;
        }
        match values.node(id) {
            Node::Unset | Node::Bit(_) | Node::Int(_) | Node::Str(..) | Node::Def(_) => false,
            Node::Var(name, _) => wanted.map_or(!shadowed.contains(&name), |wanted| wanted == name),
            Node::Anonymous(_) => wanted.is_none(),
            Node::VarBit(of, _) | Node::Field(of, ..) => self.finds_name(of, wanted, shadowed),
            Node::Bits(seq) | Node::List(seq, _) => {
                values.items(seq).any(|item| self.finds_name(item, wanted, shadowed))
            }
            Node::Dag { op, args, .. } => {
                self.finds_name(op, wanted, shadowed)
                    || values.pairs(args).any(|(value, _)| self.finds_name(value, wanted, shadowed))
            }
            Node::Instance(_, args) => {
                values.named(args).any(|(_, value)| self.finds_name(value, wanted, shadowed))
            }
            Node::Call { op, args, .. } => {
                let bound: &[usize] = match op {
                    Op::ForEach | Op::Filter => &[0],
                    Op::Foldl => &[2, 3],
                    _ => return values.items(args).any(|item| self.finds_name(item, wanted, shadowed)),
                };
                let last = values.count(args).saturating_sub(1);
                if values.items(args).take(last).any(|item| self.finds_name(item, wanted, shadowed)) {
                    return true;
                }
                let depth = shadowed.len();
                let names = bound.iter().filter_map(|&at| self.as_str(values.item(args, at)?));
                shadowed.extend(names);
                let body =
                    values.item(args, last).is_some_and(|body| self.finds_name(body, wanted, shadowed));
                shadowed.truncate(depth);
                body
            }
        }
    }
}
