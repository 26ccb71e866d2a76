//! Records and the layouts they share.
//!
//! A record's field names and types lie in a [`Shape`] that it shares with every record built the
//! same way (most records of a class add no field of their own), so that a record itself is little
//! more than a vector of value ids.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ids::{RecordId, ShapeId, TypeId, ValueId};
use crate::id::IdVec;
use crate::intern::StrId;
use crate::source::Span;

/// What a field was declared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FieldDecl {
    pub(super) name: StrId,
    pub(super) ty: TypeId,
    pub(super) span: Span,
    /// Declared with `field`: may stay unresolved.
    pub(super) nonconcrete: bool,
}

/// The fields that records of one making have.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) fields: Vec<FieldDecl>,
    index: HashMap<StrId, u32, FxBuildHasher>,
    /// The record that alone has this layout and may still add to it.
    pub(super) owner: Option<RecordId>,
}

impl Shape {
    /// The position of a field.
    pub(super) fn find(&self, name: StrId) -> Option<usize> {
        self.index.get(&name).map(|&i| i as usize)
    }

    /// Adds a field whose name is new; its position.
    pub(super) fn push(&mut self, decl: FieldDecl) -> usize {
        let at = self.fields.len();
        self.index.insert(decl.name, u32::try_from(at).expect("the parser bounds the number of fields"));
        self.fields.push(decl);
        at
    }

    /// A copy to add fields to.
    pub(super) fn fork(&self, owner: Option<RecordId>) -> Shape {
        Shape { fields: self.fields.clone(), index: self.index.clone(), owner }
    }
}

/// An `assert` or `dump` that travels with a class or multiclass.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Assert { span: Span, condition: ValueId, message: ValueId },
    Dump { span: Span, message: ValueId },
}

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Class,
    Def,
    Anonymous,
    Multiclass,
}

/// A template argument.
#[derive(Clone, Copy, Debug)]
pub(super) struct TemplateArg {
    /// Qualified, `Class:arg`.
    pub(super) name: StrId,
    /// As written.
    pub(super) short: StrId,
    pub(super) ty: TypeId,
    pub(super) default: ValueId,
    pub(super) span: Span,
    pub(super) used: bool,
}

/// A class, a concrete record, or one in the making.
#[derive(Clone, Debug)]
pub(super) struct RecordData {
    pub(super) name: ValueId,
    pub(super) kind: Kind,
    pub(super) shape: ShapeId,
    pub(super) values: Vec<ValueId>,
    /// Where values were set that were not set where their field was declared: (field, place).
    pub(super) set_at: Vec<(u32, Span)>,
    pub(super) parents: Vec<(RecordId, Span)>,
    pub(super) span: Span,
    /// The `defm`s it came through, innermost first.
    pub(super) through: Vec<Span>,
    pub(super) template_args: Vec<TemplateArg>,
    pub(super) checks: Vec<Check>,
    /// `Class:NAME`, once it was asked for.
    pub(super) own_name: Option<StrId>,
    /// How many superclasses it has, one that comes in twice counted twice.
    pub(super) ancestors: u32,
    /// Whether it has all its parents.
    pub(super) complete: bool,
}

/// What two layouts make together, and where the fields of the second are in it.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    pub(super) shape: ShapeId,
    pub(super) places: Arc<[u32]>,
}

/// The layouts of one run.
#[derive(Debug)]
pub(super) struct Shapes {
    pub(super) all: IdVec<ShapeId, Shape>,
    /// What adding the fields of the second to the first gives, and where they end up.
    pub(super) merged: HashMap<(ShapeId, ShapeId), Merged, FxBuildHasher>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self { all: std::iter::once(Shape::default()).collect(), merged: HashMap::default() }
    }
}

impl RecordData {
    /// Where the value of field `index` was last set, or where the field was declared.
    pub(super) fn value_span(&self, index: usize, decl: &FieldDecl) -> Span {
        self.set_at.iter().rev().find(|&&(i, _)| i as usize == index).map_or(decl.span, |&(_, span)| span)
    }
}

/// Superclasses of a record in upstream's order: depth first, parents before children.
pub(super) fn superclasses(records: &IdVec<RecordId, RecordData>, of: &[(RecordId, Span)]) -> Vec<RecordId> {
    let mut out = Vec::new();
    // (class, whether its own parents are done)
    let mut stack: Vec<_> = of.iter().rev().map(|&(class, _)| (class, false)).collect();
    while let Some((class, done)) = stack.pop() {
        if done {
            out.push(class);
        } else {
            stack.push((class, true));
            stack.extend(records[class].parents.iter().rev().map(|&(parent, _)| (parent, false)));
        }
    }
    out
}
