//! The syntax tree of a C++ text, without types.

use crate::id::{IdVec, define_ids};
use crate::snippet::{BinaryOp, IntTy};

define_ids! {
    /// A node of an [`Ast`].
    pub(super) struct NodeId;
}

/// The nodes of one text; children before parents.
pub(super) type Ast = IdVec<NodeId, Node>;

/// A node and its byte range in the text.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) kind: NodeKind,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

/// The maximum number of names in a [`TypeName`].
const SIZE_LIMIT: usize = 200;

/// The name of a type, function or variable with its template arguments; for a type, also `const` and the declarator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeName {
    pub(super) path: String,
    /// The well-known namespace that is written before the path: `std` in `std::max`.
    pub(super) namespace: Option<&'static str>,
    /// True if the name starts with `::`.
    pub(super) is_global: bool,
    pub(super) args: Vec<TypeName>,
    /// The template arguments of the class before the last part of the path: `B` in `A<B>::c`.
    pub(super) scope_args: Vec<TypeName>,
    pub(super) passing: Passing,
    /// True for a constant, and for a reference or pointer to a constant.
    pub(super) is_const: bool,
    /// True for `T &&`.
    pub(super) is_forwarding: bool,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

impl TypeName {
    /// A name without template arguments and declarator.
    pub(super) fn plain(path: impl Into<String>, lo: usize, hi: usize) -> Self {
        let passing = Passing::Value;
        let (args, scope_args) = (Vec::new(), Vec::new());
        let (is_global, is_const, is_forwarding) = (false, false, false);
        let (path, namespace) = (path.into(), None);
        Self { path, namespace, is_global, args, scope_args, passing, is_const, is_forwarding, lo, hi }
    }

    /// The template arguments of the last part of the path. If this part has none, [`TypeName::args`] contains the
    /// arguments of the class before it.
    pub(super) fn own_args(&self) -> &[TypeName] {
        if self.args == self.scope_args { &[] } else { &self.args }
    }

    /// True if a namespace, a class or `::` is written before the name.
    pub(super) fn is_qualified(&self) -> bool {
        self.is_global || self.namespace.is_some() || self.path.contains("::")
    }

    /// True if the name contains more than [`SIZE_LIMIT`] names. In a chain of aliases, each alias can double the
    /// number.
    pub(super) fn is_too_large(&self) -> bool {
        let (mut pending, mut count) = (vec![self], 0);
        while let Some(name) = pending.pop() {
            count += 1;
            if count > SIZE_LIMIT {
                return true;
            }
            pending.extend(name.args.iter().chain(&name.scope_args));
        }
        false
    }
}

/// The declarator of a type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Passing {
    /// `T`, `T &&`.
    #[default]
    Value,
    /// `const T &`.
    ConstReference,
    /// `T &`.
    Reference,
    /// `T *`, `const T *`.
    Pointer,
}

/// The initialiser of a variable.
#[derive(Clone, Debug)]
pub(super) enum Initialiser {
    /// `T x;`
    Default,
    /// `T x = e;`
    Value(NodeId),
    /// `T x(a, b);`
    Arguments(Vec<NodeId>),
    /// `T x{a, b};`
    Braces(Vec<NodeId>),
}

/// The statements of a `switch` after one or more labels.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// The labels. `None` stands for `default`.
    pub(super) labels: Vec<Option<NodeId>>,
    pub(super) statements: Vec<NodeId>,
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// `a::b<C>`; a well-known namespace before it is in [`TypeName::namespace`].
    Name(TypeName),
    /// `$name`, and a flag that is true if `...` follows.
    Placeholder(String, bool),
    /// An integer and the type of the literal.
    Int {
        value: u64,
        ty: IntTy,
    },
    Char(u32),
    /// A floating-point number, and a flag that is true for a `float` (`1.5f`).
    Float(f64, bool),
    Str(String),
    /// `-a`, `+a`, `~a`.
    Unary(char, NodeId),
    Not(NodeId),
    Deref(NodeId),
    AddressOf(NodeId),
    Binary(BinaryOp, NodeId, NodeId),
    /// A chain of `&&`.
    And(Vec<NodeId>),
    /// A chain of `||`.
    Or(Vec<NodeId>),
    Select(NodeId, NodeId, NodeId),
    Comma(NodeId, NodeId),
    Assign(NodeId, NodeId),
    Call(NodeId, Vec<NodeId>),
    /// `a.b<C>` and `a->b<C>`.
    Member {
        object: NodeId,
        name: String,
        template: Vec<TypeName>,
    },
    Index(NodeId, NodeId),
    /// `{ a, b }`.
    Braces(Vec<NodeId>),
    /// `T{ a, b }`.
    Construct(TypeName, Vec<NodeId>),
    /// `static_cast<T>(a)` and `(T)a`.
    Cast(TypeName, NodeId),
    /// `[…](T a) -> U { … }`: the parameters, the result type, and the body. The last list has the names that are
    /// captured by value, or `=`.
    Lambda(Vec<(TypeName, String)>, Option<TypeName>, NodeId, Vec<String>),
    /// `auto x = e;` and the expression after it.
    Let(String, NodeId, NodeId),
    /// `a += b`.
    Compound(BinaryOp, NodeId, NodeId),
    /// `++a`, `a--`: the target, a flag that is true for `++`, and a flag that is true for the postfix form.
    Increment(NodeId, bool, bool),
    /// `{ … }` as a statement.
    Block(Vec<NodeId>),
    Declare {
        ty: TypeName,
        name: String,
        init: Initialiser,
    },
    /// `auto [a, b] = e;`
    Unpack {
        ty: TypeName,
        names: Vec<String>,
        value: NodeId,
    },
    /// `if (declarations; condition) then else otherwise`.
    If {
        declarations: Vec<NodeId>,
        condition: NodeId,
        then: NodeId,
        otherwise: Option<NodeId>,
    },
    /// `for (init; condition; step) body` and `while (declarations; condition) body`.
    Loop {
        init: Vec<NodeId>,
        declarations: Vec<NodeId>,
        condition: Option<NodeId>,
        step: Option<NodeId>,
        body: NodeId,
    },
    /// `do body while (condition);`
    DoWhile(NodeId, NodeId),
    /// `for (T name : range) body`; several names for `auto [a, b]`.
    ForEach {
        ty: TypeName,
        names: Vec<String>,
        range: NodeId,
        body: NodeId,
    },
    Switch(NodeId, Vec<Group>),
    Return(Option<NodeId>),
    Break,
    Continue,
}

impl Initialiser {
    /// The first expression.
    pub(super) fn first(&self) -> Option<NodeId> {
        match self {
            Self::Default => None,
            Self::Value(value) => Some(*value),
            Self::Arguments(args) | Self::Braces(args) => args.first().copied(),
        }
    }
}
