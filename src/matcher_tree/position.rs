//! Positions: paths from the root to entities of the matched IR.
//!
//! Specification: [`Positions::intern`] gives equal paths equal ids, whichever rules they come from. A loaded program
//! keeps the ids of its file.
//!
//! A position refers only to earlier positions, so the table has no cycles. [`Positions::MAX_DEPTH`] bounds the length
//! of a path. Evaluating a position never fails: an absent entity is null.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::StrId;
use crate::pdl::{Constant, GroupSplit};
use crate::snippet::SnippetId;

define_ids! {
    /// A position in a [`Positions`] table.
    pub struct PositionId;
    /// A division of operands or results into groups, in a [`Positions`] table.
    pub struct SplitId;
    /// An attribute or type constant in a [`Positions`] table.
    pub struct ConstantId;
    /// A list of type constants in a [`Positions`] table.
    pub struct ConstantListId;
    /// A distinct call of a constraint in a [`Predicates`](super::Predicates) table.
    pub struct CallId;
}

/// A path to an entity of the matched IR.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// The matched operation.
    Root,
    /// The current operation of a walk over users.
    User {
        /// The number of the choice within its rule.
        choice: u32,
    },
    /// The operation that defines a value. For a range, the operation that defines its first value.
    DefiningOp(PositionId),
    /// One operand by its index.
    Operand {
        /// The operation.
        op: PositionId,
        /// The index.
        index: u32,
    },
    /// One result by its index.
    Result {
        /// The operation.
        op: PositionId,
        /// The index.
        index: u32,
    },
    /// One of two values, by the current order of an `either`.
    Either {
        /// The number of the choice within its rule.
        choice: u32,
        /// The value in the first order.
        first: PositionId,
        /// The value in the second order.
        second: PositionId,
    },
    /// A group of operands or results.
    Slice {
        /// The operation.
        op: PositionId,
        /// Operands or results.
        side: Side,
        /// The division.
        split: SplitId,
        /// The group's index.
        group: u32,
    },
    /// A value of a range; null past the end.
    Element {
        /// The range.
        range: PositionId,
        /// The index.
        index: u32,
    },
    /// An attribute or property.
    Attribute {
        /// The operation.
        op: PositionId,
        /// The name.
        name: StrId,
        /// A predicate on the storage class. An attribute that fails it counts as absent.
        storage: Option<SnippetId>,
        /// The value if the attribute is absent.
        default: Option<ConstantId>,
    },
    /// The type of a value, or the types of a range of values.
    TypeOf(PositionId),
    /// The type of an attribute, such as `i32` for `1 : i32`; null if the attribute has no type.
    AttrType(PositionId),
    /// A result of a constraint call.
    CallResult {
        /// The call.
        call: CallId,
        /// The result's index.
        index: u32,
        /// The result's kind.
        kind: Kind,
    },
    /// A constant.
    Constant(ConstantId),
    /// A range of type constants.
    Constants(ConstantListId),
}

/// Operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Operands.
    Operands,
    /// Results.
    Results,
}

/// The number of values of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupSize {
    /// This number.
    Exactly(u32),
    /// None or one.
    Optional,
    /// Any number.
    Any,
}

/// A division of a list into groups.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The groups.
    pub groups: Vec<GroupSize>,
    /// The rule that gives the sizes of open groups. A group is open if it is not [`GroupSize::Exactly`].
    pub rule: GroupSplit,
    /// True if more groups follow, whose sizes only an attribute states.
    pub partial: bool,
}

impl Split {
    fn fixed(&self) -> u32 {
        let size = |g: &GroupSize| if let GroupSize::Exactly(n) = g { *n } else { 0 };
        self.groups.iter().map(size).fold(0, u32::saturating_add)
    }

    /// The common size of the open groups of a list with `count` elements, or 0 if there are no open groups; `None` if
    /// the list cannot be divided.
    pub fn open_size(&self, count: u32) -> Option<u32> {
        let open = self.groups.iter().filter(|g| !matches!(g, GroupSize::Exactly(_)));
        let many = u32::try_from(open.clone().count()).ok()?;
        let rest = count.checked_sub(self.fixed())?;
        let size = match many {
            0 => return (rest == 0).then_some(0),
            n if rest % n == 0 => rest / n,
            _ => return None,
        };
        (size <= 1 || !open.clone().any(|g| matches!(g, GroupSize::Optional))).then_some(size)
    }

    /// True if a list with `count` elements can be divided; `None` if an attribute of the operation decides.
    pub fn fits(&self, count: u32) -> Option<bool> {
        match self.rule {
            GroupSplit::Attribute(_) => None,
            GroupSplit::Rest | GroupSplit::Equal => Some(self.open_size(count).is_some()),
        }
    }

    /// True if every list can be divided.
    pub fn always_fits(&self) -> bool {
        !matches!(self.rule, GroupSplit::Attribute(_)) && self.groups == [GroupSize::Any]
    }

    /// The start index of each group and the end of the last group; `None` for an index that depends on the list.
    pub fn fixed_starts(&self) -> impl Iterator<Item = Option<u32>> {
        let mut next = Some(0u32);
        let starts = self.groups.iter().map(move |size| {
            next = match size {
                GroupSize::Exactly(n) => next.and_then(|start| start.checked_add(*n)),
                GroupSize::Optional | GroupSize::Any => None,
            };
            next
        });
        std::iter::once(Some(0)).chain(starts)
    }

    /// The start and length of a group in a list with `count` elements; `None` if the list cannot be divided or has no
    /// such group. `size` returns the size that an attribute states for a group.
    pub fn bounds(
        &self,
        count: u32,
        group: usize,
        size: &mut dyn FnMut(usize) -> Option<u32>,
    ) -> Option<(u32, u32)> {
        let mut open = 0;
        if !matches!(self.rule, GroupSplit::Attribute(_)) {
            open = self.open_size(count)?;
        }
        let (mut start, mut found) = (0u32, None);
        for (i, group_size) in self.groups.iter().enumerate() {
            let len = match self.rule {
                GroupSplit::Attribute(_) => {
                    let len = size(i)?;
                    let fits = match group_size {
                        GroupSize::Exactly(n) => len == *n,
                        GroupSize::Optional => len <= 1,
                        GroupSize::Any => true,
                    };
                    fits.then_some(len)?
                }
                GroupSplit::Rest | GroupSplit::Equal => match group_size {
                    GroupSize::Exactly(n) => *n,
                    GroupSize::Optional | GroupSize::Any => open,
                },
            };
            if i == group {
                found = Some((start, len));
            }
            start = start.checked_add(len)?;
        }
        (self.partial || start == count).then_some(found?)
    }
}

/// Properties of a position that follow from its parent.
#[derive(Clone, Copy, Debug)]
struct Info {
    kind: Kind,
    late: bool,
    depth: u16,
}

/// The positions that the rules read, each once, with splits and constants.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    positions: IdVec<PositionId, Position>,
    infos: IdVec<PositionId, Info>,
    ids: HashMap<Position, PositionId, FxBuildHasher>,
    splits: IdVec<SplitId, Split>,
    split_ids: HashMap<Split, SplitId, FxBuildHasher>,
    constants: IdVec<ConstantId, (Kind, Constant)>,
    constant_ids: HashMap<(Kind, Constant), ConstantId, FxBuildHasher>,
    lists: IdVec<ConstantListId, Vec<ConstantId>>,
    list_ids: HashMap<Vec<ConstantId>, ConstantListId, FxBuildHasher>,
}

impl Positions {
    /// The largest number of steps of a path.
    pub const MAX_DEPTH: u16 = 512;

    /// The position of the matched operation.
    pub fn root(&mut self) -> PositionId {
        self.intern(Position::Root).expect("the path of the root has no steps")
    }

    /// Interns a position, and returns its id; `None` if its path is too long.
    pub fn intern(&mut self, position: Position) -> Option<PositionId> {
        if let Some(&id) = self.ids.get(&position) {
            return Some(id);
        }
        let info = self.info_of(position);
        if info.depth > Self::MAX_DEPTH {
            return None;
        }
        let id = self.positions.push(position);
        self.infos.push(info);
        self.ids.insert(position, id);
        Some(id)
    }

    /// Appends a position of a loaded program. [`Self::find`] does not find this position. Returns false if the path is
    /// too long.
    pub(super) fn append(&mut self, position: Position) -> bool {
        let info = self.info_of(position);
        self.positions.push(position);
        self.infos.push(info);
        info.depth <= Self::MAX_DEPTH
    }

    /// A table without positions, with the splits, constants and lists of a loaded program.
    pub(super) fn with_tables(
        splits: IdVec<SplitId, Split>,
        constants: IdVec<ConstantId, (Kind, Constant)>,
        lists: IdVec<ConstantListId, Vec<ConstantId>>,
    ) -> Self {
        Self { splits, constants, lists, ..Self::default() }
    }

    /// The id of a position, if the table has it.
    pub(crate) fn find(&self, position: Position) -> Option<PositionId> {
        self.ids.get(&position).copied()
    }

    fn info_of(&self, position: Position) -> Info {
        let below = |id: PositionId, kind: Kind| {
            let parent = self.infos[id];
            Info { kind, late: parent.late, depth: parent.depth + 1 }
        };
        match position {
            Position::Root => Info { kind: Kind::Op, late: false, depth: 0 },
            Position::User { .. } => Info { kind: Kind::Op, late: true, depth: 0 },
            Position::DefiningOp(value) => below(value, Kind::Op),
            Position::Operand { op, .. } | Position::Result { op, .. } => below(op, Kind::Value),
            Position::Either { first, second, .. } => {
                let depth = self.infos[first].depth.max(self.infos[second].depth) + 1;
                Info { kind: Kind::Value, late: true, depth }
            }
            Position::Slice { op, .. } => below(op, Kind::Values),
            Position::Element { range, .. } => below(range, Kind::Value),
            Position::Attribute { op, .. } => below(op, Kind::Attr),
            Position::TypeOf(of) => match self.infos[of].kind {
                Kind::Values => below(of, Kind::Types),
                _ => below(of, Kind::Type),
            },
            Position::AttrType(attr) => below(attr, Kind::Type),
            Position::CallResult { kind, .. } => Info { kind, late: true, depth: 0 },
            Position::Constant(c) => Info { kind: self.constants[c].0, late: false, depth: 0 },
            Position::Constants(_) => Info { kind: Kind::Types, late: false, depth: 0 },
        }
    }

    /// The kind of the entity at a position.
    #[inline]
    pub fn kind(&self, id: PositionId) -> Kind {
        self.infos[id].kind
    }

    /// True if the position depends on a choice or a call.
    pub fn is_late(&self, id: PositionId) -> bool {
        self.infos[id].late
    }

    /// The position before the last step of a path; `None` if the path starts here, and for an `either`.
    pub fn parent(&self, id: PositionId) -> Option<PositionId> {
        match self.positions[id] {
            Position::DefiningOp(parent)
            | Position::Operand { op: parent, .. }
            | Position::Result { op: parent, .. }
            | Position::Slice { op: parent, .. }
            | Position::Element { range: parent, .. }
            | Position::Attribute { op: parent, .. }
            | Position::TypeOf(parent)
            | Position::AttrType(parent) => Some(parent),
            Position::Root
            | Position::User { .. }
            | Position::Either { .. }
            | Position::CallResult { .. }
            | Position::Constant(_)
            | Position::Constants(_) => None,
        }
    }

    /// Interns a division, and returns its id.
    pub fn intern_split(&mut self, split: &Split) -> SplitId {
        if let Some(&id) = self.split_ids.get(split) {
            return id;
        }
        let id = self.splits.push(split.clone());
        self.split_ids.insert(split.clone(), id);
        id
    }

    /// The division with this id.
    pub fn split(&self, id: SplitId) -> &Split {
        &self.splits[id]
    }

    /// Interns an attribute ([`Kind::Attr`]) or type constant, and returns its id.
    pub fn intern_constant(&mut self, kind: Kind, constant: Constant) -> ConstantId {
        let constants = &mut self.constants;
        *self.constant_ids.entry((kind, constant)).or_insert_with(|| constants.push((kind, constant)))
    }

    /// The constants, each with its kind.
    pub fn constants(&self) -> &IdVec<ConstantId, (Kind, Constant)> {
        &self.constants
    }

    /// Interns a list of type constants, and returns its id.
    pub fn intern_list(&mut self, list: Vec<ConstantId>) -> ConstantListId {
        if let Some(&id) = self.list_ids.get(&list) {
            return id;
        }
        let id = self.lists.push(list.clone());
        self.list_ids.insert(list, id);
        id
    }

    /// A list of type constants.
    pub fn list(&self, id: ConstantListId) -> &[ConstantId] {
        &self.lists[id]
    }

    /// The divisions in id order.
    pub(crate) fn splits(&self) -> std::slice::Iter<'_, Split> {
        self.splits.iter()
    }

    /// The lists of type constants in id order.
    pub(crate) fn lists(&self) -> std::slice::Iter<'_, Vec<ConstantId>> {
        self.lists.iter()
    }

    /// True if the positions that `position` refers to have the right kinds, and if the group of a slice exists.
    pub(super) fn is_well_kinded(&self, position: Position) -> bool {
        let is = |id: PositionId, kinds: &[Kind]| kinds.contains(&self.infos[id].kind);
        match position {
            Position::DefiningOp(of) | Position::TypeOf(of) => is(of, &[Kind::Value, Kind::Values]),
            Position::Operand { op, .. } | Position::Result { op, .. } | Position::Attribute { op, .. } => {
                is(op, &[Kind::Op])
            }
            Position::Slice { op, split, group, .. } => {
                is(op, &[Kind::Op]) && (group as usize) < self.splits[split].groups.len()
            }
            Position::Either { first, second, .. } => is(first, &[Kind::Value]) && is(second, &[Kind::Value]),
            Position::Element { range, .. } => is(range, &[Kind::Values]),
            Position::AttrType(attr) => is(attr, &[Kind::Attr]),
            Position::Root
            | Position::User { .. }
            | Position::CallResult { .. }
            | Position::Constant(_)
            | Position::Constants(_) => true,
        }
    }

    /// The number of positions.
    pub(crate) fn len(&self) -> usize {
        self.positions.len()
    }

    /// The positions in id order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (PositionId, &Position)> {
        self.positions.iter_enumerated()
    }
}

impl std::ops::Index<PositionId> for Positions {
    type Output = Position;
    #[inline]
    fn index(&self, id: PositionId) -> &Position {
        &self.positions[id]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAME: StrId = StrId::from_raw(0);

    /// Positions of operations, values, types, attributes and ranges, in a table with one division into two groups.
    fn of_ir_kinds() -> (Positions, Vec<(Kind, PositionId)>) {
        let mut positions = Positions::default();
        let groups = vec![GroupSize::Exactly(1), GroupSize::Any];
        let split = positions.intern_split(&Split { groups, rule: GroupSplit::Rest, partial: false });
        let mut all = Vec::new();
        let mut add = |kind, position| {
            let id = positions.intern(position).unwrap();
            all.push((kind, id));
            id
        };
        let op = add(Kind::Op, Position::Root);
        let value = add(Kind::Value, Position::Operand { op, index: 0 });
        let values = add(Kind::Values, Position::Slice { op, side: Side::Results, split, group: 1 });
        let attr = add(Kind::Attr, Position::Attribute { op, name: NAME, storage: None, default: None });
        add(Kind::Type, Position::TypeOf(value));
        add(Kind::Types, Position::TypeOf(values));
        add(Kind::Op, Position::DefiningOp(values));
        add(Kind::Value, Position::Element { range: values, index: 3 });
        add(Kind::Type, Position::AttrType(attr));
        add(Kind::Op, Position::User { choice: 0 });
        let call = CallId::from_raw(0);
        add(Kind::Attrs, Position::CallResult { call, index: 0, kind: Kind::Attrs });
        (positions, all)
    }

    #[test]
    fn positions_refer_to_positions_of_the_right_kind() {
        let (positions, all) = of_ir_kinds();
        for &(kind, of) in &all {
            assert_eq!(positions.kind(of), kind);
            let split = SplitId::from_raw(0);
            let slice = |group| Position::Slice { op: of, side: Side::Operands, split, group };
            let attribute = Position::Attribute { op: of, name: NAME, storage: None, default: None };
            let value = all.iter().find(|p| p.0 == Kind::Value).unwrap().1;
            let is_value = matches!(kind, Kind::Value | Kind::Values);
            for (position, good) in [
                (Position::DefiningOp(of), is_value),
                (Position::TypeOf(of), is_value),
                (Position::Operand { op: of, index: 9 }, kind == Kind::Op),
                (Position::Result { op: of, index: 9 }, kind == Kind::Op),
                (attribute, kind == Kind::Op),
                (slice(0), kind == Kind::Op),
                (slice(1), kind == Kind::Op),
                (slice(2), false),
                (Position::Element { range: of, index: 9 }, kind == Kind::Values),
                (Position::AttrType(of), kind == Kind::Attr),
                (Position::Either { choice: 0, first: of, second: value }, kind == Kind::Value),
                (Position::Either { choice: 0, first: value, second: of }, kind == Kind::Value),
                (Position::Root, true),
                (Position::User { choice: 5 }, true),
            ] {
                assert_eq!(positions.is_well_kinded(position), good, "{position:?} of a {kind}");
            }
        }
    }

    #[test]
    fn positions_below_a_choice_or_a_call_are_late() {
        let (mut positions, all) = of_ir_kinds();
        let late = |positions: &Positions| -> Vec<Kind> {
            all.iter().filter(|p| positions.is_late(p.1)).map(|p| p.0).collect()
        };
        assert_eq!(late(&positions), [Kind::Op, Kind::Attrs], "the user and the result of the call");
        let user = positions.find(Position::User { choice: 0 }).unwrap();
        let operand = positions.intern(Position::Operand { op: user, index: 0 }).unwrap();
        let below = positions.intern(Position::TypeOf(operand)).unwrap();
        assert!(positions.is_late(operand) && positions.is_late(below));
        let value = positions.find(Position::Operand { op: all[0].1, index: 0 }).unwrap();
        let either = Position::Either { choice: 0, first: value, second: value };
        let either = positions.intern(either).unwrap();
        assert!(positions.is_late(either) && !positions.is_late(value));
        assert_eq!((positions.parent(below), positions.parent(operand)), (Some(operand), Some(user)));
        assert_eq!((positions.parent(user), positions.parent(either)), (None, None));
    }

    #[test]
    fn the_length_of_a_path_is_bounded() {
        let mut positions = Positions::default();
        let mut last = positions.intern(Position::Root).unwrap();
        for step in 0..Positions::MAX_DEPTH {
            let next = match step % 2 {
                0 => Position::Operand { op: last, index: 0 },
                _ => Position::DefiningOp(last),
            };
            let length = positions.len();
            last = positions.intern(next).unwrap();
            assert_eq!(positions.intern(next), Some(last));
            assert_eq!(positions.len(), length + 1);
        }
        let past = Position::Operand { op: last, index: 0 };
        assert_eq!(positions.intern(past), None);
        assert_eq!(positions.find(past), None);
        assert!(!positions.clone().append(past));
        assert!(positions.append(positions[last]));
        // The path of an `either` is one step longer than the longer path of its two values.
        let value = positions.find(Position::Operand { op: PositionId::from_raw(0), index: 0 }).unwrap();
        let long = positions.parent(last).unwrap();
        for (first, second) in [(value, long), (long, value)] {
            let either = positions.intern(Position::Either { choice: 0, first, second }).unwrap();
            assert_eq!(positions.intern(Position::DefiningOp(either)), None);
        }
    }

    fn split(groups: &[GroupSize], rule: GroupSplit) -> Split {
        Split { groups: groups.to_vec(), rule, partial: false }
    }

    #[test]
    fn a_list_can_be_divided_if_all_open_groups_can_have_the_same_size() {
        use GroupSize::{Any, Exactly, Optional};
        let open = |groups: &[GroupSize], counts: std::ops::Range<u32>| -> Vec<Option<u32>> {
            let split = split(groups, GroupSplit::Equal);
            assert!(counts.clone().all(|n| split.fits(n) == Some(split.open_size(n).is_some())));
            counts.map(|count| split.open_size(count)).collect()
        };
        assert_eq!(open(&[], 0..2), [Some(0), None]);
        assert_eq!(open(&[Exactly(2)], 1..4), [None, Some(0), None]);
        assert_eq!(open(&[Any], 0..3), [Some(0), Some(1), Some(2)]);
        assert_eq!(open(&[Exactly(1), Any], 0..4), [None, Some(0), Some(1), Some(2)]);
        assert_eq!(open(&[Optional], 0..3), [Some(0), Some(1), None]);
        assert_eq!(open(&[Any, Exactly(1), Any], 1..6), [Some(0), None, Some(1), None, Some(2)]);
        assert_eq!(open(&[Any, Optional], 0..5), [Some(0), None, Some(1), None, None]);
        assert_eq!(open(&[Exactly(u32::MAX), Exactly(2)], 0..1), [None], "sizes do not overflow");
        let by_attribute = split(&[Any, Any], GroupSplit::Attribute(NAME));
        assert_eq!(by_attribute.fits(1), None);
        assert!(split(&[Any], GroupSplit::Rest).always_fits());
        assert!(!split(&[Optional], GroupSplit::Rest).always_fits());
        assert!(!split(&[Any, Any], GroupSplit::Equal).always_fits());
        assert!(!split(&[Any], GroupSplit::Attribute(NAME)).always_fits());
    }

    #[test]
    fn a_group_starts_at_the_end_of_the_previous_group() {
        use GroupSize::{Any, Exactly, Optional};
        let starts = |groups: &[GroupSize]| -> Vec<Option<u32>> {
            split(groups, GroupSplit::Rest).fixed_starts().collect()
        };
        assert_eq!(starts(&[Exactly(1), Exactly(2)]), [Some(0), Some(1), Some(3)]);
        assert_eq!(starts(&[Exactly(2), Any, Exactly(1)]), [Some(0), Some(2), None, None]);
        assert_eq!(starts(&[Exactly(u32::MAX), Exactly(1)]), [Some(0), Some(u32::MAX), None]);
        let bounds = |groups: &[GroupSize], count: u32| -> Vec<Option<(u32, u32)>> {
            let split = split(groups, GroupSplit::Equal);
            (0..=groups.len()).map(|group| split.bounds(count, group, &mut |_| None)).collect()
        };
        let three = [Any, Exactly(2), Any];
        assert_eq!(bounds(&three, 6), [Some((0, 2)), Some((2, 2)), Some((4, 2)), None]);
        assert_eq!(bounds(&three, 5), [None; 4]);
        assert_eq!(bounds(&[Optional, Exactly(1)], 1), [Some((0, 0)), Some((0, 1)), None]);
        // An attribute states the sizes. A partial division has only some of the groups.
        let by_attribute = |groups: &[GroupSize], partial, sizes: &[u32], count: u32, group: usize| {
            let split = Split { partial, ..split(groups, GroupSplit::Attribute(NAME)) };
            split.bounds(count, group, &mut |i| sizes.get(i).copied())
        };
        let groups = [Any, Exactly(2), Optional];
        let at = |sizes: &[u32], count, group| by_attribute(&groups, false, sizes, count, group);
        assert_eq!([0, 1, 2].map(|g| at(&[3, 2, 1], 6, g)), [Some((0, 3)), Some((3, 2)), Some((5, 1))]);
        assert_eq!(at(&[3, 2, 0], 5, 2), Some((5, 0)));
        assert_eq!(at(&[3, 2, 0], 6, 0), None, "the sizes are too small");
        assert_eq!(at(&[3, 2], 5, 0), None, "a size is missing");
        assert_eq!(at(&[3, 1, 1], 5, 0), None, "the group has two values");
        assert_eq!(at(&[3, 2, 2], 7, 0), None, "the group has at most one value");
        assert_eq!(at(&[u32::MAX, 2, 1], 2, 0), None, "the sum overflows");
        assert_eq!(by_attribute(&groups, true, &[3, 2, 1], 9, 2), Some((5, 1)));
        assert_eq!(by_attribute(&groups, true, &[3, 2, 1], 9, 3), None);
    }
}
