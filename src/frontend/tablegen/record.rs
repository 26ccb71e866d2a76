//! Records and the shapes that they share.
//!
//! The names and types of a record's fields are in a [`Shape`]. All records that were built the same way share one
//! shape. There are few shapes, because most records of a class add no fields. A record itself consists mainly of a
//! vector of value ids.

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::ids::{RecordId, ShapeId, TypeId, ValueId};
use crate::id::IdVec;
use crate::intern::StrId;
use crate::source::Span;

/// The declaration of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FieldDecl {
    pub(super) name: StrId,
    pub(super) ty: TypeId,
    pub(super) span: Span,
    /// True if the field is declared with `field`, so that its value may stay unresolved.
    pub(super) nonconcrete: bool,
}

/// The fields of all records that were built the same way.
#[derive(Debug, Default)]
pub(super) struct Shape {
    pub(super) fields: Vec<FieldDecl>,
    index: HashMap<StrId, u32, FxBuildHasher>,
    /// The only record with this shape, which may still add fields to it.
    pub(super) owner: Option<RecordId>,
}

impl Shape {
    /// Returns the position of a field.
    pub(super) fn find(&self, name: StrId) -> Option<usize> {
        self.index.get(&name).map(|&i| i as usize)
    }

    /// Adds a field with a new name, and returns its position.
    pub(super) fn push(&mut self, decl: FieldDecl) -> usize {
        let at = self.fields.len();
        self.index.insert(decl.name, u32::try_from(at).expect("the parser bounds the number of fields"));
        self.fields.push(decl);
        at
    }

    /// Returns a copy to which fields can be added.
    pub(super) fn fork(&self, owner: Option<RecordId>) -> Shape {
        Shape { fields: self.fields.clone(), index: self.index.clone(), owner }
    }
}

/// An `assert` or `dump`. In a class, it runs for each record that derives from the class. In a multiclass or loop, it
/// runs for each instantiation.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    Assert { span: Span, condition: ValueId, message: ValueId },
    Dump { span: Span, message: ValueId },
}

/// The kinds of records.
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
    /// The qualified name, `Class:arg` or `Multiclass::arg`.
    pub(super) name: StrId,
    /// The name as written.
    pub(super) short: StrId,
    pub(super) ty: TypeId,
    pub(super) default: ValueId,
    pub(super) span: Span,
    pub(super) used: bool,
}

/// The place of an assignment to a field.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment {
    /// The name of the field.
    pub(super) name: Span,
    /// The first token of the value.
    pub(super) value: Span,
}

/// A class, a multiclass or a concrete record. It may be under construction.
#[derive(Clone, Debug)]
pub(super) struct RecordData {
    pub(super) name: ValueId,
    pub(super) kind: Kind,
    pub(super) shape: ShapeId,
    pub(super) values: Vec<ValueId>,
    /// The fields that were set after their declaration, each with its assignment. If a field has several entries, the
    /// last one counts.
    pub(super) set_at: Vec<(u32, Assignment)>,
    pub(super) parents: Vec<(RecordId, Span)>,
    pub(super) span: Span,
    /// The `defm`s that created the record, innermost first.
    pub(super) defms: Vec<Span>,
    pub(super) template_args: Vec<TemplateArg>,
    pub(super) checks: Vec<Check>,
    /// The interned name `Class:NAME` or `Multiclass::NAME`. `None` until the name is needed.
    pub(super) implicit_name: Option<StrId>,
    /// The number of superclasses. A class that is inherited twice counts twice.
    pub(super) ancestors: u32,
    /// True for a class whose definition has been read, and for a concrete record that can be found by its name.
    pub(super) complete: bool,
}

/// The union of two shapes, and the positions of the second shape's fields in the union.
#[derive(Clone, Debug)]
pub(super) struct Merged {
    pub(super) shape: ShapeId,
    pub(super) places: Arc<[u32]>,
}

/// The shapes of one run.
#[derive(Debug)]
pub(super) struct Shapes {
    pub(super) all: IdVec<ShapeId, Shape>,
    /// The cached unions of shapes.
    pub(super) merged: HashMap<(ShapeId, ShapeId), Merged, FxBuildHasher>,
}

impl Default for Shapes {
    fn default() -> Self {
        Self { all: std::iter::once(Shape::default()).collect(), merged: HashMap::default() }
    }
}

impl RecordData {
    /// Returns the place where field `index` was last set, or else the place of its declaration.
    pub(super) fn value_span(&self, index: usize, decl: &FieldDecl) -> Span {
        self.assignment(index).map_or(decl.span, |assignment| assignment.name)
    }

    /// The last assignment to field `index` after its declaration.
    pub(super) fn assignment(&self, index: usize) -> Option<Assignment> {
        let mut latest_first = self.set_at.iter().rev();
        latest_first.find(|&&(field, _)| field as usize == index).map(|&(_, assignment)| assignment)
    }
}

/// Returns the superclasses of a record in depth-first order, parents before children, as `llvm-tblgen` lists them. A
/// class that is inherited twice occurs twice.
pub(super) fn superclasses(records: &IdVec<RecordId, RecordData>, of: &[(RecordId, Span)]) -> Vec<RecordId> {
    let mut out = Vec::new();
    // Each entry is a class, and true if its parents are already in `out`.
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
