//! The syntax tree of one `pdl.pattern`: its operations in order, with resolved values. The requirements of the
//! dialect's verifier are not checked yet.

use std::borrow::Cow;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::ir::{AttrId, TypeId};
use crate::source::Span;

define_ids! {
    /// A value of a pattern.
    pub(super) struct ValueId;
    /// An operation of a pattern.
    pub(super) struct OpId;
}

/// A pattern.
pub(super) struct Pattern<'a> {
    pub(super) name: Option<(Cow<'a, str>, Span)>,
    pub(super) benefit: i64,
    pub(super) benefit_span: Span,
    /// The dictionary of discardable attributes.
    pub(super) discardable: Option<AttrId>,
    pub(super) span: Span,
    /// All operations in the order of the text. The operations in the body of a `pdl.rewrite` come after it.
    pub(super) ops: IdVec<OpId, Op<'a>>,
    /// The operations directly in the region of the pattern, without those in the body of a `pdl.rewrite`.
    pub(super) body: Vec<OpId>,
    pub(super) values: IdVec<ValueId, Value<'a>>,
}

/// A value.
pub(super) struct Value<'a> {
    /// The name without its sigil.
    pub(super) name: &'a str,
    pub(super) kind: Kind,
    pub(super) span: Span,
    pub(super) def: OpId,
}

/// A use of a value.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) value: ValueId,
    pub(super) span: Span,
}

/// An operation.
pub(super) struct Op<'a> {
    pub(super) kind: OpKind<'a>,
    pub(super) results: Vec<ValueId>,
    /// The dictionary of discardable attributes.
    pub(super) discardable: Option<AttrId>,
    pub(super) span: Span,
    /// The enclosing `pdl.rewrite`, if any.
    pub(super) parent: Option<OpId>,
}

/// The kind of an operation, with its contents.
pub(super) enum OpKind<'a> {
    Constraint {
        name: Cow<'a, str>,
        args: Vec<Use>,
        negated: bool,
    },
    NativeRewrite {
        name: Cow<'a, str>,
        args: Vec<Use>,
    },
    Attribute {
        ty: Option<Use>,
        value: Option<AttrId>,
    },
    Erase {
        op: Use,
    },
    Operand {
        ty: Option<Use>,
    },
    Operands {
        types: Option<Use>,
    },
    Operation {
        name: Option<Cow<'a, str>>,
        operands: Vec<Use>,
        names: Vec<Cow<'a, str>>,
        attributes: Vec<Use>,
        types: Vec<Use>,
    },
    Range {
        parts: Vec<Use>,
    },
    Replace {
        op: Use,
        by: Option<Use>,
        values: Vec<Use>,
    },
    Result {
        op: Use,
        index: u32,
    },
    Results {
        op: Use,
        index: Option<u32>,
    },
    Rewrite {
        root: Option<Use>,
        external: Option<Cow<'a, str>>,
        args: Vec<Use>,
        body: Option<Vec<OpId>>,
    },
    Type {
        value: Option<TypeId>,
    },
    Types {
        values: Option<Vec<TypeId>>,
    },
    /// An operation of another dialect.
    Other,
}

impl OpKind<'_> {
    /// Calls `visit` with every use of a value.
    pub(super) fn for_each_use(&self, mut visit: impl FnMut(Use)) {
        let mut all = |uses: &[Use]| uses.iter().for_each(|&used| visit(used));
        match self {
            OpKind::Constraint { args, .. } | OpKind::NativeRewrite { args, .. } => all(args),
            OpKind::Attribute { ty, .. } | OpKind::Operand { ty } | OpKind::Operands { types: ty } => {
                all(ty.as_slice());
            }
            OpKind::Erase { op } | OpKind::Result { op, .. } | OpKind::Results { op, .. } => {
                all(std::slice::from_ref(op));
            }
            OpKind::Operation { operands, attributes, types, .. } => {
                all(operands);
                all(attributes);
                all(types);
            }
            OpKind::Range { parts } => all(parts),
            OpKind::Replace { op, by, values } => {
                all(std::slice::from_ref(op));
                all(by.as_slice());
                all(values);
            }
            OpKind::Rewrite { root, args, .. } => {
                all(root.as_slice());
                all(args);
            }
            OpKind::Type { .. } | OpKind::Types { .. } | OpKind::Other => {}
        }
    }

    /// The name of the operation, for messages. For an operation of another dialect, it is the word "operation".
    pub(super) fn name(&self) -> &'static str {
        match self {
            OpKind::Constraint { .. } => "pdl.apply_native_constraint",
            OpKind::NativeRewrite { .. } => "pdl.apply_native_rewrite",
            OpKind::Attribute { .. } => "pdl.attribute",
            OpKind::Erase { .. } => "pdl.erase",
            OpKind::Operand { .. } => "pdl.operand",
            OpKind::Operands { .. } => "pdl.operands",
            OpKind::Operation { .. } => "pdl.operation",
            OpKind::Range { .. } => "pdl.range",
            OpKind::Replace { .. } => "pdl.replace",
            OpKind::Result { .. } => "pdl.result",
            OpKind::Results { .. } => "pdl.results",
            OpKind::Rewrite { .. } => "pdl.rewrite",
            OpKind::Type { .. } => "pdl.type",
            OpKind::Types { .. } => "pdl.types",
            OpKind::Other => "operation",
        }
    }
}
