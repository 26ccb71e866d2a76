//! What a trait of an operation means.
//!
//! Most traits are C++ classes that a record only names. Those that MLIR itself has are known here by
//! name: what they mean is in MLIR's `OpDefinition.h` and the interfaces beside it.

use super::fields::text;
use crate::frontend::tablegen::Record;
use crate::pdl::Trait;

/// What is understood of a trait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraitKind<'a> {
    /// It has this meaning.
    Known(Trait),
    /// A predicate over the operation.
    Predicate,
    /// The operation around is of one of these C++ classes, separated by commas.
    Parent(&'a str),
    /// Regions end with an operation of this C++ class.
    RegionTerminator(&'a str),
    /// The result types are those of the first attribute.
    FirstAttrDerivedResultType,
    /// C++ infers the result types.
    InferTypeOpInterface,
    /// All operand groups of open size have one size.
    SameVariadicOperandSize,
    /// All result groups of open size have one size.
    SameVariadicResultSize,
    /// It asks nothing of the operation, or only of its C++ class.
    Harmless,
    /// What it means is in C++.
    Cxx,
}

/// What a record that derives from `Trait` means.
pub fn trait_kind(record: Record<'_>) -> TraitKind<'_> {
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
        "MemoryEffectOpInterface::Trait" if has_no_effects(record) => Trait::Pure,
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

/// What stands in the angle brackets of `name<…>::Impl`.
fn parameters<'a>(written: &'a str, name: &str) -> Option<&'a str> {
    written.strip_prefix(name)?.strip_prefix('<')?.strip_suffix(">::Impl")
}

fn has_no_effects(record: Record<'_>) -> bool {
    record.list_field("effects").is_ok_and(|effects| effects.len() == 0)
}
