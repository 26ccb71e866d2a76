//! Functions from types to types, which definitions refer to.

use std::fmt::Debug;

use crate::snippet::SnippetId;

/// A function from the type of a value or attribute to types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeFunction {
    /// An expression of the definitions, with its C++ text for messages.
    Snippet(SnippetId, String),
    /// The element type of a shaped type, once for each element, up to 2^20 times.
    ElementTypes,
    /// `i1` or, for a tensor or vector type, the type of the same shape with element type `i1`.
    MaskType,
    /// `i1`, once for each value of the group.
    I1,
    /// The first type between the angle brackets of a type, without the dimensions before it.
    FirstParameter,
    /// The type between two texts, such as `!llvm.struct<(` and `, i1)>`.
    Wrapped(String, String),
    /// The inverse of `Wrapped`: the text of the type without its first and last part.
    Unwrapped(String, String),
    /// A range of the `pdl` dialect with the type as element type.
    PdlRange,
    /// `!pdl.range<value>` for a range of the `pdl` dialect, and `!pdl.value` for any other type.
    PdlValue,
    /// The vector type with its last dimension replaced by 16.
    ArmPredicate,
    /// The type with its class, such as `!d.a`, replaced by another class, such as `!d.b`.
    WithClass(String, String),
    /// The pointee type of a pointer of the `tt` dialect. For a tensor of pointers, the tensor type of the same shape
    /// and encoding with the pointee type as element type.
    TritonPointee,
    /// The pointer type of the `tt` dialect with the type as pointee type. For a tensor type, the tensor type of the
    /// same shape and encoding with pointers to the element type as elements.
    TritonPointer,
    /// The type of the sum of a pointer of the `ptr` dialect and an offset. The argument is the tuple type that lists
    /// their types.
    PtrSum,
    /// The type of the concatenation of two bit vectors of the `smt` dialect. The argument is the tuple type that lists
    /// their types.
    BitVectorConcat,
}

/// The evaluator of the functions in the definitions of a dialect. Types are texts, because the evaluator uses another
/// context.
pub(crate) trait TypeEvaluator: Debug + Send + Sync {
    /// Returns the types, or the reason why there are none.
    ///
    /// # Errors
    /// The function has no result for this argument, or only C++ code can compute it.
    fn apply(&self, function: &TypeFunction, argument: &str) -> Result<Vec<String>, String>;
}
