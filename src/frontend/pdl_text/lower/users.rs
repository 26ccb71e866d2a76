//! The extensions of `pdl`, and the numbers of uses of each value.
//!
//! Specification: the counts distinguish the uses of a value by extensions, constraints and locations from its other
//! uses.

use super::super::ast::{self, OpKind, ValueId};
use crate::id::IdVec;
use crate::pdl::extension as ext;

/// The number of all uses of a value, and the numbers of its uses by extensions, constraints and locations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct UseCounts {
    pub(super) all: u32,
    /// The number of uses as an argument that an extension reads itself.
    pub(super) extensions: u32,
    /// The number of uses as an argument of a constraint that calls a native or a snippet.
    pub(super) calls: u32,
    /// The number of uses as the location of a new operation.
    pub(super) locations: u32,
}

impl UseCounts {
    /// Counts the uses of every value of a pattern.
    pub(super) fn count(pattern: &ast::Pattern<'_>) -> IdVec<ValueId, Self> {
        let mut counts: IdVec<ValueId, Self> = pattern.values.iter().map(|_| Self::default()).collect();
        for op in pattern.ops.iter() {
            let extension = match &op.kind {
                OpKind::Constraint { name, .. } => Extension::of_constraint(name),
                OpKind::NativeRewrite { name, .. } => Extension::of_rewrite(name),
                _ => None,
            };
            let is_constraint = matches!(op.kind, OpKind::Constraint { .. });
            let mut place = 0;
            op.kind.for_each_use(|used| {
                let counts = &mut counts[used.value];
                counts.all += 1;
                match extension {
                    Some(extension) if extension.reads(place, is_constraint) => counts.extensions += 1,
                    None | Some(Extension::Expression(ext::SNIPPET)) if is_constraint => counts.calls += 1,
                    _ => {}
                }
                place += 1;
            });
            if let OpKind::Operation { names, attributes, .. } = &op.kind {
                for (_, used) in names.iter().zip(attributes).filter(|(name, _)| *name == ext::LOCATION) {
                    counts[used.value].locations += 1;
                }
            }
        }
        counts
    }
}

/// A native call that stands for a condition or step that `pdl` lacks; see [`crate::pdl::extension`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    Operation,
    AnyResult,
    HasType,
    Equal,
    TypeOf,
    Results,
    Range,
    InferTypes,
    Same,
    OperandSizes,
    ResultSizes,
    Location,
    /// An extension with a C++ expression.
    Expression(&'static str),
}

impl Extension {
    /// True if the extension itself reads the argument with this index. A constant needs no node for such a use.
    fn reads(self, place: usize, is_constraint: bool) -> bool {
        match self {
            Self::Operation | Self::Results => true,
            Self::Expression(ext::SNIPPET) => place == 0,
            Self::Expression(ext::CONSTANT) if is_constraint => place > 0,
            Self::Expression(ext::CONSTANT) => true,
            Self::Expression(_) => place > 0,
            _ => false,
        }
    }

    pub(super) fn of_constraint(name: &str) -> Option<Self> {
        Some(match name {
            ext::OPERATION => Self::Operation,
            ext::ANY_RESULT => Self::AnyResult,
            ext::HAS_TYPE => Self::HasType,
            ext::EQUAL => Self::Equal,
            ext::SNIPPET => Self::Expression(ext::SNIPPET),
            ext::CONSTANT => Self::Expression(ext::CONSTANT),
            ext::STORAGE => Self::Expression(ext::STORAGE),
            _ => return None,
        })
    }

    pub(super) fn of_rewrite(name: &str) -> Option<Self> {
        Some(match name {
            ext::TYPE_OF => Self::TypeOf,
            ext::RESULTS => Self::Results,
            ext::RANGE => Self::Range,
            ext::INFER_TYPES => Self::InferTypes,
            ext::SAME => Self::Same,
            ext::OPERAND_SIZES => Self::OperandSizes,
            ext::RESULT_SIZES => Self::ResultSizes,
            ext::LOCATION => Self::Location,
            ext::SNIPPET => Self::Expression(ext::SNIPPET),
            ext::CONSTANT => Self::Expression(ext::CONSTANT),
            _ => return None,
        })
    }
}
