//! The meaning of traits.
//!
//! The records of most traits only name a C++ class. The traits of MLIR itself are recognised by that name.

use super::fields::text;
use crate::frontend::tablegen::Record;
use crate::pdl::Trait;

/// The meaning of a trait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TraitKind<'a> {
    /// A trait of the op table.
    Known(Trait),
    /// A predicate over the operation.
    Predicate,
    /// The parent operation must have one of these C++ classes, separated by commas.
    Parent(&'a str),
    /// The regions end with an operation of this C++ class.
    RegionTerminator(&'a str),
    /// The result types are determined by the first attribute.
    FirstAttrDerivedResultType,
    /// C++ infers the result types.
    InferTypeOpInterface,
    /// All operand groups of variable size have the same size.
    SameVariadicOperandSize,
    /// All result groups of variable size have the same size.
    SameVariadicResultSize,
    /// The trait requires nothing, or only affects the C++ class of the operation.
    Harmless,
    /// Only C++ defines the meaning.
    Cxx,
}

/// Returns the meaning of a record that derives from `Trait`.
pub(crate) fn trait_kind(record: Record<'_>) -> TraitKind<'_> {
    if record.is_subclass_of("PredTrait") {
        return TraitKind::Predicate;
    }
    let name = text(record, "trait").trim_start_matches("::").trim_start_matches("mlir::OpTrait::");
    if let Some(classes) = parameters(name, "HasParent") {
        return TraitKind::Parent(classes);
    }
    if let Some(class) = parameters(name, "SingleBlockImplicitTerminator") {
        return TraitKind::RegionTerminator(class);
    }
    TraitKind::Known(match name.trim_start_matches("mlir::") {
        "IsCommutative" => Trait::Commutative,
        "ConstantLike" => Trait::ConstantLike,
        "IsTerminator" => Trait::Terminator,
        "IsIsolatedFromAbove" => Trait::IsolatedFromAbove,
        "IsIdempotent" => Trait::Idempotent,
        "IsInvolution" => Trait::Involution,
        "SameOperandsAndResultType" => Trait::SameOperandsAndResultType,
        "SameTypeOperands" => Trait::SameTypeOperands,
        "SymbolTable" => Trait::SymbolTable,
        "SymbolOpInterface::Trait" => Trait::Symbol,
        "SameOperandsShape" => Trait::SameOperandsShape,
        "SameOperandsAndResultShape" => Trait::SameOperandsAndResultShape,
        "SameOperandsElementType" => Trait::SameOperandsElementType,
        "SameOperandsAndResultElementType" => Trait::SameOperandsAndResultElementType,
        "SameOperandsAndResultRank" => Trait::SameOperandsAndResultRank,
        "ResultsAreBoolLike" => Trait::ResultsAreBoolLike,
        "ResultsAreFloatLike" => Trait::ResultsAreFloatLike,
        "ResultsAreSignlessIntegerLike" => Trait::ResultsAreSignlessIntegerLike,
        "OperandsAreFloatLike" => Trait::OperandsAreFloatLike,
        "OperandsAreSignlessIntegerLike" => Trait::OperandsAreSignlessIntegerLike,
        "ResultsBroadcastableShape" => Trait::ResultsBroadcastableShape,
        "Elementwise" => Trait::Elementwise,
        "NoTerminator" => Trait::NoTerminator,
        "SingleBlock" => Trait::SingleBlock,
        "NoRegionArguments" => Trait::NoRegionArguments,
        "HasOnlyGraphRegion" => Trait::GraphRegion,
        "RegionKindInterface::Trait" => Trait::RegionKind,
        "AttrSizedOperandSegments" => Trait::AttrSizedOperandSegments,
        "AttrSizedResultSegments" => Trait::AttrSizedResultSegments,
        "FirstAttrDerivedResultType" => return TraitKind::FirstAttrDerivedResultType,
        "InferTypeOpInterface::Trait" => return TraitKind::InferTypeOpInterface,
        "SameVariadicOperandSize" => return TraitKind::SameVariadicOperandSize,
        "SameVariadicResultSize" => return TraitKind::SameVariadicResultSize,
        "MemoryEffectOpInterface::Trait"
        | "ConditionallySpeculatable::Trait"
        | "AlwaysSpeculatableImplTrait"
        | "RecursivelySpeculatableImplTrait"
        | "HasRecursiveMemoryEffects"
        | "AffineScope"
        | "AutomaticAllocationScope"
        | "MemRefsNormalizable"
        | "Scalarizable"
        | "Vectorizable"
        | "Tensorizable"
        | "ReturnLike"
        | "OpAsmOpInterface::Trait"
        | "BytecodeOpInterface::Trait" => return TraitKind::Harmless,
        _ => return TraitKind::Cxx,
    })
}

/// Returns the C++ name of a trait or interface for which natives can be registered; `None` for other traits.
pub(crate) fn cxx_trait(record: Record<'_>) -> Option<String> {
    match trait_kind(record) {
        TraitKind::Cxx
        | TraitKind::InferTypeOpInterface
        | TraitKind::Known(Trait::ResultsBroadcastableShape) => {}
        _ => return None,
    }
    let (namespace, name) = (text(record, "cppNamespace"), text(record, "trait"));
    let qualified = if namespace.is_empty() { name.to_owned() } else { format!("{namespace}::{name}") };
    (!name.is_empty()).then(|| qualified.trim_start_matches("::").to_owned())
}

/// Returns the text in the angle brackets of `name<…>::Impl`.
fn parameters<'a>(written: &'a str, name: &str) -> Option<&'a str> {
    written.strip_prefix(name)?.strip_prefix('<')?.strip_suffix(">::Impl")
}
