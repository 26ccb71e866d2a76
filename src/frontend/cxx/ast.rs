//! The syntax tree of a C++ text, without types.

use crate::id::{IdVec, define_ids};
use crate::snippet::BinaryOp;

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

/// The name of a type or class with its template arguments, without `const`, `&` and `*`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeName {
    pub(super) path: String,
    pub(super) args: Vec<TypeName>,
    pub(super) lo: usize,
    pub(super) hi: usize,
}

/// The kind of a node.
#[derive(Clone, Debug)]
pub(super) enum NodeKind {
    /// `a::b<C>`, without well-known namespaces.
    Name(TypeName),
    /// `$name`, and true if `...` follows.
    Placeholder(String, bool),
    Int {
        value: u64,
        unsigned: bool,
        long: bool,
    },
    Char(u32),
    Float(f64),
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
    /// `[…](T a) { return e; }`.
    Lambda(Vec<(TypeName, String)>, NodeId),
    /// `auto x = e;` and the expression after it.
    Let(String, NodeId, NodeId),
}
