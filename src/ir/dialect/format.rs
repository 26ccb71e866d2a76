//! The elements of a declarative assembly format of operations.
//!
//! Indices refer to the lists of the operation's [`OpSyntax`](super::OpSyntax).

/// An element of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Element {
    /// A keyword or punctuation.
    Literal(String),
    /// A space to print, or no space before the next element.
    Space {
        /// True for a space.
        printed: bool,
    },
    /// A line break to print.
    Newline,
    /// `$operand`
    Operand(usize),
    /// `$attribute`
    Attribute {
        /// The index of the attribute.
        index: usize,
        /// True in `qualified($attribute)`.
        qualified: bool,
    },
    /// `$property`
    Property(usize),
    /// `$region`
    Region(usize),
    /// `$successor`
    Successor(usize),
    /// `operands`
    Operands,
    /// `regions`
    Regions,
    /// `successors`
    Successors,
    /// `attr-dict`
    AttrDict {
        /// True for `attr-dict-with-keyword`.
        keyword: bool,
    },
    /// `prop-dict`
    PropDict,
    /// `type(…)`
    Type {
        /// The values with the type.
        of: TypeOperand,
        /// True in `qualified(type(…))`.
        qualified: bool,
    },
    /// `functional-type(…, …)`
    FunctionalType {
        /// The inputs of the function type.
        inputs: TypeOperand,
        /// The results of the function type.
        results: TypeOperand,
    },
    /// `custom<Name>(…)`
    Custom {
        /// The name of the directive.
        name: String,
        /// The arguments.
        args: Vec<DirectiveArg>,
    },
    /// `(… ^ …)?` or `(… ^ …) : (…)?`
    Group(Group),
    /// `oilist(…)`: clauses in any order, each with its first literal.
    Oilist(Vec<(String, Vec<Element>)>),
}

/// An optional group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// The elements of a present group.
    pub present: Vec<Element>,
    /// The elements in place of an absent group.
    pub absent: Vec<Element>,
    /// The index of the anchor.
    pub anchor: Anchor,
}

/// The index of the element that decides if a group is present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Anchor {
    /// An element of the present group.
    Present(usize),
    /// An element that stands in place of an absent group.
    Absent(usize),
}

impl Group {
    /// The element that decides if the group is present.
    pub fn anchor(&self) -> Option<&Element> {
        match self.anchor {
            Anchor::Present(index) => self.present.get(index),
            Anchor::Absent(index) => self.absent.get(index),
        }
    }

    /// True if the group is present if and only if its anchor is absent.
    pub fn is_inverted(&self) -> bool {
        matches!(self.anchor, Anchor::Absent(_))
    }
}

/// The values in `type(…)` and `functional-type(…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TypeOperand {
    /// `$operand`
    Operand(usize),
    /// `$result`
    Result(usize),
    /// `operands`
    Operands,
    /// `results`
    Results,
}

/// An argument of a custom directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectiveArg {
    /// `$operand`
    Operand(usize),
    /// `type($operand)` or `type($result)`
    Type(TypeOperand),
    /// `$attribute`
    Attribute(usize),
    /// `$property`
    Property(usize),
    /// `$region`
    Region(usize),
    /// `$successor`
    Successor(usize),
    /// `attr-dict`
    AttrDict,
    /// `prop-dict`
    PropDict,
    /// `operands`, `regions` or `successors` inside `ref`
    Whole,
    /// A C++ expression in quotes.
    Text(String),
    /// `ref(…)`: an argument that was read before.
    Ref(Box<DirectiveArg>),
}

impl DirectiveArg {
    /// The argument without `ref`.
    pub fn target(&self) -> &Self {
        match self {
            Self::Ref(inner) => inner.target(),
            other => other,
        }
    }
}

impl Element {
    /// True for white space, which the reader skips.
    pub fn is_blank(&self) -> bool {
        matches!(self, Self::Space { .. } | Self::Newline)
    }
}
