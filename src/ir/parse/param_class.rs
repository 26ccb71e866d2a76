//! Decides if a type or attribute can belong to the builtin C++ class that a parameter declares, such as
//! `IntegerAttr`.

use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::types::TypeKind;
use crate::ir::verbatim::AliasTarget;

/// Returns false only if a type or attribute certainly does not belong to the class with this C++ name. Returns true
/// for a type and a class of attributes, for an attribute and a class of types, and for every location.
pub(super) fn may_belong(context: &Context, target: AliasTarget, class: &str) -> bool {
    match target {
        AliasTarget::Type(ty) => type_may_belong(context.type_kind(ty), class),
        AliasTarget::Attr(attr) => attr_may_belong(context.attr_kind(attr), class),
        AliasTarget::Loc(_) => true,
    }
}

fn type_may_belong(kind: &TypeKind, class: &str) -> bool {
    match class {
        "IntegerType" => matches!(kind, TypeKind::Integer { .. }),
        "IndexType" => *kind == TypeKind::Index,
        "NoneType" => *kind == TypeKind::None,
        "ComplexType" => matches!(kind, TypeKind::Complex(_)),
        "VectorType" => matches!(kind, TypeKind::Vector { .. }),
        "RankedTensorType" => matches!(kind, TypeKind::RankedTensor { .. }),
        "UnrankedTensorType" => matches!(kind, TypeKind::UnrankedTensor(_)),
        "TensorType" => matches!(kind, TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_)),
        "MemRefType" => matches!(kind, TypeKind::MemRef { .. }),
        "UnrankedMemRefType" => matches!(kind, TypeKind::UnrankedMemRef { .. }),
        "BaseMemRefType" => matches!(kind, TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef { .. }),
        "FunctionType" => matches!(kind, TypeKind::Function { .. }),
        "TupleType" => matches!(kind, TypeKind::Tuple(_)),
        // A dialect's type can implement these interfaces.
        "ShapedType" => kind.is_shaped() || matches!(kind, TypeKind::Dialect(_)),
        "FloatType" => matches!(kind, TypeKind::Float(_) | TypeKind::Dialect(_)),
        _ => true,
    }
}

fn attr_may_belong(kind: &AttrKind, class: &str) -> bool {
    match class {
        "IntegerAttr" => matches!(kind, AttrKind::Integer { .. }),
        "BoolAttr" => matches!(kind, AttrKind::Integer { ty: Context::I1, .. }),
        "FloatAttr" => matches!(kind, AttrKind::Float { .. }),
        "StringAttr" => matches!(kind, AttrKind::String { .. }),
        "ArrayAttr" => matches!(kind, AttrKind::Array(_)),
        "DictionaryAttr" => matches!(kind, AttrKind::Dictionary(_)),
        "TypeAttr" => matches!(kind, AttrKind::Type(_)),
        "UnitAttr" => *kind == AttrKind::Unit,
        "SymbolRefAttr" => matches!(kind, AttrKind::SymbolRef { .. }),
        "FlatSymbolRefAttr" => matches!(kind, AttrKind::SymbolRef { nested, .. } if nested.is_empty()),
        "AffineMapAttr" => matches!(kind, AttrKind::AffineMap(_)),
        "IntegerSetAttr" => matches!(kind, AttrKind::IntegerSet(_)),
        _ => true,
    }
}
