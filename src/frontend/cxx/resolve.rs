//! The interface through which C++ names are resolved to ODS definitions.

use super::function::Helpers;
use super::text::Variable;
use crate::snippet::{Builder, ClassId, EnumId, Member, PlanId, Snippets, Ty, TypeClass, Typed};

/// The definition that a C++ name refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Named {
    /// An operation, type or attribute class.
    Class(ClassId),
    /// An enumeration.
    Enum(EnumId),
}

/// A kind of function that ODS generates for an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumFunction {
    /// Converts a text or a number to a value: `symbolizeX`.
    Symbolize,
    /// Converts a value to its text: `stringifyX`.
    Stringify,
    /// Returns the greatest number: `getMaxEnumValForX`.
    Max,
}

/// The body of a builder or method of a definition, as C++ expressions to evaluate in place of the call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InlineBody {
    /// The names of the parameters in the expressions. For a method, the first is the object.
    pub params: Vec<String>,
    /// The variables that the expressions can use.
    pub variables: Vec<Variable>,
    /// The arguments that a builder passes to the generated builder, or the one result of a method.
    pub results: Vec<InlineResult>,
}

/// A generated method that sets an attribute of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setter {
    /// The name of the attribute.
    pub attribute: String,
    /// True if the argument is an optional. If the optional is empty, the method removes the attribute.
    pub is_optional: bool,
    /// The body that builds the attribute from the argument; `None` if the argument is the attribute.
    pub body: Option<InlineBody>,
}

/// A check of an attribute by the function `verify` of an adaptor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdaptorCheck {
    /// The accessor that returns the attribute.
    pub accessor: String,
    /// True if the attribute must be present.
    pub required: bool,
    /// The condition on the attribute `$_self`.
    pub condition: String,
}

/// A result of an inlined body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InlineResult {
    /// The value of an expression.
    One(String),
    /// The range of the values of expressions.
    List(Vec<String>),
}

/// Resolves C++ names to operations, dialect classes, enumerations and generated accessors.
///
/// Names come without the prefixes `mlir::`, `llvm::` and `std::`. Other namespaces stay as written, so a resolver must
/// find both `AddIOp` and `arith::AddIOp`.
pub trait Resolver {
    /// Returns the definition of a name, and adds it to `snippets`.
    fn name(&self, snippets: &mut Snippets, name: &str) -> Option<Named> {
        let _ = (snippets, name);
        None
    }
    /// The generated enumeration function of this name.
    fn enum_function(&self, snippets: &mut Snippets, name: &str) -> Option<(EnumId, EnumFunction)> {
        let _ = (snippets, name);
        None
    }
    /// The member that a generated accessor reads, and its type. The method names of `getODSResults` and
    /// `getODSOperands` include the group number: `getODSResults(0)`.
    fn member(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let _ = (snippets, class, method);
        None
    }
    /// The generated setter (`setXAttr`, `setX`) of an attribute.
    fn setter(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<Setter> {
        let _ = (snippets, class, method);
        None
    }
    /// The member that the name of an argument or result stands for in a predicate over the operation, and its type. A
    /// variadic argument is a range.
    fn named(&self, snippets: &mut Snippets, class: ClassId, name: &str) -> Option<(Member, Ty)> {
        let _ = (snippets, class, name);
        None
    }
    /// The attribute that an accessor of an operation reads, its type, and the body that computes the value of the
    /// accessor from the attribute; `None` if there is no such body.
    fn computed(
        &self,
        snippets: &mut Snippets,
        class: ClassId,
        method: &str,
    ) -> Option<(Member, Ty, InlineBody)> {
        let _ = (snippets, class, method);
        None
    }
    /// The attribute that an accessor of an operation reads, and the type of the range of its elements, if the accessor
    /// returns an optional range (`std::optional<ArrayRef<int64_t>>`). `None` for another accessor.
    fn optional_range(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let _ = (snippets, class, method);
        None
    }
    /// The attribute that an accessor of an operation reads, and the body that computes the value of the accessor if
    /// the attribute is absent.
    fn value_if_absent(
        &self,
        snippets: &mut Snippets,
        class: ClassId,
        method: &str,
    ) -> Option<(Member, InlineBody)> {
        let _ = (snippets, class, method);
        None
    }
    /// The type class that the definition declares for the value that an accessor returns. In C++, `getType()` of a
    /// `TypedValue` has this class.
    fn value_type(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<TypeClass> {
        let _ = (snippets, class, method);
        None
    }
    /// The bodies of an operation's builders that may take arguments of these types. The body of a builder of the
    /// definition comes first, if exactly one such builder fits the number of arguments and the positions of blocks.
    /// The possible bodies of the generated builder follow.
    fn builders(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Vec<InlineBody> {
        let _ = (snippets, class, args);
        Vec::new()
    }
    /// The number of builders that the definition of an operation declares for this number of arguments. Zero if there
    /// is only one such builder and it has an inline body.
    fn source_builders(&self, snippets: &mut Snippets, class: ClassId, args: usize) -> usize {
        let _ = (snippets, class, args);
        0
    }
    /// The body of an interface method that takes this number of arguments; `None` unless the definition has a body
    /// that is a single `return` statement.
    fn method(
        &self,
        snippets: &mut Snippets,
        class: ClassId,
        method: &str,
        args: usize,
    ) -> Option<InlineBody> {
        let _ = (snippets, class, method, args);
        None
    }
    /// The name of the only dialect whose classes are in a C++ namespace; `None` if there is no such dialect, or more
    /// than one.
    fn dialect_in(&self, namespace: &str) -> Option<String> {
        let _ = namespace;
        None
    }
    /// The name of the dialect with this C++ class; `None` if no dialect has the class, or if several have it.
    fn dialect_of_class(&self, class: &str) -> Option<String> {
        let _ = class;
        None
    }
    /// The class of the operations that have a trait. `name` is the C++ name of the trait.
    fn trait_class(&self, snippets: &mut Snippets, name: &str) -> Option<ClassId> {
        let _ = (snippets, name);
        None
    }
    /// True if the definition of an operation has a trait. `name` is the C++ name of the trait.
    fn has_trait(&self, snippets: &Snippets, class: ClassId, name: &str) -> bool {
        let _ = (snippets, class, name);
        false
    }
    /// The index of the region that a generated accessor returns.
    fn region(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<u32> {
        let _ = (snippets, class, method);
        None
    }
    /// The index of the first successor that a generated accessor returns. The flag is true if the accessor returns all
    /// successors from this one on.
    fn successor(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(u32, bool)> {
        let _ = (snippets, class, method);
        None
    }
    /// The functions of source files.
    fn helpers(&self) -> Option<&Helpers> {
        None
    }
    /// The type of the adaptor of an operation: a tuple with a field for each accessor.
    fn adaptor(&self, snippets: &mut Snippets, class: &str) -> Option<Ty> {
        let _ = (snippets, class);
        None
    }
    /// The type of an operation's class `Properties`: a tuple of the attributes and properties.
    fn properties(&self, snippets: &mut Snippets, class: &str) -> Option<Ty> {
        let _ = (snippets, class);
        None
    }
    /// The checks that the function `verify` of an operation's adaptor performs; `None` if they are not known.
    fn adaptor_checks(&self, class: &str) -> Option<Vec<AdaptorCheck>> {
        let _ = class;
        None
    }
    /// The plan by which `X::create(builder, loc, args…)` with arguments of these types creates an operation.
    fn create(&self, snippets: &mut Snippets, class: ClassId, args: &[Ty]) -> Option<PlanId> {
        let _ = (snippets, class, args);
        None
    }
    /// The plan that creates an operation from its result types and all its operands.
    fn create_from_parts(&self, snippets: &mut Snippets, class: ClassId) -> Option<PlanId> {
        let _ = (snippets, class);
        None
    }
    /// The plan of [`Self::create_from_parts`] if an attribute of the operation stores the sizes of its groups of
    /// operands or results.
    fn create_from_stored_sizes(&self, snippets: &mut Snippets, class: ClassId) -> Option<PlanId> {
        let _ = (snippets, class);
        None
    }
    /// The result types that C++ code infers for a new operation from these arguments; `None` if this code is unknown,
    /// cannot be compiled, or takes other arguments.
    fn inferred(&self, b: &mut Builder<'_>, class: ClassId, args: &[Typed]) -> Option<Typed> {
        let _ = (b, class, args);
        None
    }
}

/// A resolver that knows no names.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoResolver;
impl Resolver for NoResolver {}
