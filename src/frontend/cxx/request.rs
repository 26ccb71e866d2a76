//! A request to compile C++ text, and the reasons why a request fails.

use super::resolve::Resolver;
use crate::host::Kind;
use crate::snippet::{PropertyTy, Ty};
use crate::source::Diagnostic;

/// The class in C++ of a placeholder, as far as overload resolution needs it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClassInCxx {
    /// The class that the static type states. For a value, this is `Value`.
    #[default]
    OfType,
    /// `Attribute`, although the static type may be more precise.
    Attribute,
    /// `OpResult`.
    OpResult,
    /// `Value`, or an unknown class that is derived from `Value`.
    AnyValue,
}

/// A parameter of a snippet, and the name that the text uses for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placeholder {
    /// `$_self`, `$0`, `$lhs`, or a plain name.
    pub name: String,
    /// The static type.
    pub ty: Ty,
    /// For an attribute that stands for a C++ value, the static type of that value. The compiler tries the reading if,
    /// with `ty`, the text calls natives or does not compile. It keeps the reading in two cases: with the reading, the
    /// text calls no natives; or the text compiles with the reading, but is ill-typed with `ty`.
    pub reading: Option<Ty>,
    /// The class in C++.
    pub class: ClassInCxx,
    /// True if the snippet assigns the parameter, false if the caller does.
    pub out: bool,
    /// The number of values if the placeholder stands for a list. The snippet has a parameter for each value.
    pub list: Option<u32>,
}

impl Placeholder {
    /// An input of the snippet.
    pub fn new(name: impl Into<String>, ty: Ty) -> Self {
        Self { name: name.into(), ty, reading: None, class: ClassInCxx::default(), out: false, list: None }
    }
    /// A list of values, which the text uses as a range.
    pub fn list(name: impl Into<String>, count: u32) -> Self {
        Self { list: Some(count), ..Self::new(name, Ty::VALUE) }
    }
    /// The names of the snippet's parameters for this placeholder.
    pub(super) fn parameters(&self) -> Vec<String> {
        match self.list {
            None => vec![self.name.clone()],
            Some(count) => (0..count).map(|index| format!("{}_{index}", self.name)).collect(),
        }
    }
    /// The parameter with this [`reading`](Self::reading).
    #[must_use]
    pub fn or_read_as(self, reading: Option<Ty>) -> Self {
        Self { reading, ..self }
    }
    /// The parameter with this [`class`](Self::class).
    #[must_use]
    pub fn of_class(self, class: ClassInCxx) -> Self {
        Self { class, ..self }
    }
    /// An output of the snippet.
    pub fn output(name: impl Into<String>, ty: Ty) -> Self {
        Self { out: true, ..Self::new(name, ty) }
    }
}

/// The result that a snippet must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    /// A value that C++ converts to `bool`, or a `LogicalResult`. Predicates are evaluated during matching.
    Predicate,
    /// One result of any type.
    Any,
    /// One result of this kind.
    Kind(Kind),
    /// An attribute that stores a property of this type.
    Property(PropertyTy),
    /// This number of results, which one native or a range provides.
    Many(u32),
    /// No result: the snippet is called for its effect.
    Nothing,
}

/// The context in which a text is compiled.
#[derive(Clone, Copy)]
pub struct Request<'a> {
    /// The parameters of the snippet, in this order.
    pub params: &'a [Placeholder],
    /// The result that the snippet must have.
    pub expected: Expected,
    /// The definitions of operations, dialect classes and enumerations.
    pub resolver: &'a dyn Resolver,
}

/// The reason why a text does not compile to a snippet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The text is outside the snippet language. The caller can use a native in its place.
    Outside(Diagnostic),
    /// The text is malformed or ill-typed.
    Wrong(Diagnostic),
}

#[cfg(any(test, feature = "fuzzing"))]
impl Failure {
    /// The diagnostic of either case.
    pub fn into_diagnostic(self) -> Diagnostic {
        match self {
            Failure::Outside(d) | Failure::Wrong(d) => d,
        }
    }
}
