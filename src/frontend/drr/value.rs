//! Values of a rule with their types.

use crate::frontend::cxx::{ClassInCxx, Placeholder};
use crate::host::Kind;
use crate::pdl::{Arg, Source};
use crate::snippet::Ty;

/// A value of a rule with its kind and its static type in snippets.
#[derive(Clone, Copy, Debug)]
pub(super) struct TypedSource {
    pub(super) source: Source,
    pub(super) kind: Kind,
    pub(super) ty: Ty,
    /// The static type of the C++ value that an attribute may be read as.
    pub(super) reading: Option<Ty>,
    /// The class in C++ of an expression that refers to the value.
    pub(super) class: ClassInCxx,
    /// True for a single value that may be null, and for the range of an optional result, which holds at most one
    /// value.
    pub(super) optional: bool,
}

impl TypedSource {
    pub(super) fn new(source: impl Into<Source>, kind: Kind) -> Self {
        TypedSource {
            source: source.into(),
            kind,
            ty: Ty::of_kind(kind),
            reading: None,
            class: ClassInCxx::default(),
            optional: false,
        }
    }

    /// The value as an argument of a call, where a placeholder refers to it.
    pub(super) fn named(self, placeholder: &str) -> NamedArg {
        NamedArg {
            name: placeholder.to_owned(),
            arg: Arg::Of(self.source),
            ty: self.ty,
            reading: self.reading,
            class: self.class,
        }
    }

    /// The snippet parameter that takes the value. The placeholder refers to this parameter.
    pub(super) fn placeholder(self, placeholder: impl Into<String>) -> Placeholder {
        Placeholder::new(placeholder, self.ty).or_read_as(self.reading).of_class(self.class)
    }
}

/// An argument of a call, and the placeholder or variable that refers to it.
#[derive(Clone, Debug)]
pub(super) struct NamedArg {
    pub(super) name: String,
    pub(super) arg: Arg<Source>,
    pub(super) ty: Ty,
    /// The static type of the C++ value that an attribute may be read as.
    pub(super) reading: Option<Ty>,
    /// The class in C++.
    pub(super) class: ClassInCxx,
}

impl NamedArg {
    /// The snippet parameter that takes the argument.
    pub(super) fn placeholder(&self) -> Placeholder {
        Placeholder::new(self.name.clone(), self.ty).or_read_as(self.reading).of_class(self.class)
    }
}
