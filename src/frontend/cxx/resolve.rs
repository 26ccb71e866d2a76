//! What the definitions say about C++ names.

use crate::snippet::{ClassId, EnumId, Member, PlanId, Snippets, Ty, TypeClass};

/// What a C++ name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// An operation, type or attribute class.
    Class(ClassId),
    /// An enumeration.
    Enum(EnumId),
}

/// What a function that is generated for an enumeration does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumFunction {
    /// From a text or a number to a value: `symbolizeX`.
    Symbolize,
    /// From a value to its text: `stringifyX`.
    Stringify,
    /// The greatest number: `getMaxEnumValForX`.
    Max,
}

/// What a builder or method of a definition does, as C++ texts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Inline {
    /// What its parameters are called in the texts, the object that a method is called on first.
    pub params: Vec<String>,
    /// What is passed on, or the one thing that a method gives.
    pub texts: Vec<String>,
}

/// What is known of operations, dialects' classes and enumerations.
///
/// Names come without `mlir::`, `llvm::` and `std::` in front; other namespaces are as written,
/// so `AddIOp` and `arith::AddIOp` may both be asked for.
pub trait Resolver {
    /// What a name stands for; what it stands for is added to `snippets`.
    fn name(&self, snippets: &mut Snippets, name: &str) -> Option<Named> {
        let _ = (snippets, name);
        None
    }
    /// The function generated for an enumeration that has this name.
    fn enum_function(&self, snippets: &mut Snippets, name: &str) -> Option<(EnumId, EnumFunction)> {
        let _ = (snippets, name);
        None
    }
    /// What an accessor generated for a class gives, and how it is got. `getODSResults` and
    /// `getODSOperands` are asked for with their number: `getODSResults(0)`.
    fn member(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let _ = (snippets, class, method);
        None
    }
    /// The class of types that the value such an accessor gives is declared to have: what the
    /// `getType()` of a `TypedValue` gives.
    fn value_type(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<TypeClass> {
        let _ = (snippets, class, method);
        None
    }
    /// The builder of a definition that takes so many arguments: what it passes on in their place.
    fn builder(&self, snippets: &mut Snippets, class: ClassId, args: usize) -> Option<Inline> {
        let _ = (snippets, class, args);
        None
    }
    /// A method of an interface that the definition has the body of, taking so many arguments.
    fn method(&self, snippets: &mut Snippets, class: ClassId, method: &str, args: usize) -> Option<Inline> {
        let _ = (snippets, class, method, args);
        None
    }
    /// How `X::create(builder, loc, args…)` with arguments of these types makes an operation.
    fn create(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Option<PlanId> {
        let _ = (snippets, class, args);
        None
    }
}

/// Knows nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResolver;
impl Resolver for NoResolver {}
