//! Expressions.
//!
//! Expressions live in one arena, children before their parents: a child's id is smaller than its parent's, so
//! the arena has no cycles. The builder bounds the nesting of expressions. Equal expressions are not merged.

use super::builtin::Builtin;
use super::types::{AttrClass, ClassId, EnumId, Item, TypeClass};
use crate::id::define_ids;
use crate::intern::StrId;

define_ids! {
    /// An expression of a [`Snippets`](super::Snippets) table.
    pub(crate) struct ExprId;
    /// A native that snippets call, with the kinds of the arguments and results.
    pub struct NativeId;
    /// A plan for creating operations.
    pub struct PlanId;
    /// A local variable of a snippet or function.
    pub(crate) struct LocalId;
    /// A function that snippets call.
    pub(crate) struct FunctionId;
}

impl LocalId {
    /// This local and the locals that are declared after it, in order.
    pub(crate) fn and_following(self) -> impl Iterator<Item = LocalId> {
        (self.raw()..).map(LocalId::from_raw)
    }
}

/// The class that a class test or a cast names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ObjectClass {
    /// A class of types.
    Type(TypeClass),
    /// A class of attributes.
    Attr(AttrClass),
    /// Operations of one name.
    Op(ClassId),
    /// `Operation`.
    AnyOp,
    /// `Value`.
    Value,
    /// `OpResult`.
    OpResult,
    /// `BlockArgument`.
    BlockArgument,
}

impl ObjectClass {
    /// The id of the class if it is a dialect's class; `None` for a built-in class.
    pub(crate) fn named(self) -> Option<ClassId> {
        match self {
            Self::Type(TypeClass::Named(id)) | Self::Attr(AttrClass::Named(id)) | Self::Op(id) => Some(id),
            _ => None,
        }
    }
    /// The item that a cast to the class returns.
    pub(crate) fn item(self) -> Item {
        match self {
            Self::Type(c) => Item::Type(c),
            Self::Attr(c) => Item::Attr(c),
            Self::Op(c) => Item::Op(Some(c)),
            Self::AnyOp => Item::Op(None),
            Self::Value | Self::OpResult | Self::BlockArgument => Item::Value,
        }
    }
}

/// The treatment of null, and of objects of other classes, by a cast.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CastMode {
    /// `cast`: the snippet fails for other objects and for null.
    Must,
    /// `cast_if_present`: the snippet fails for other objects; null stays null.
    MustIfPresent,
    /// `dyn_cast`: other objects become null; the snippet fails for null.
    Try,
    /// `dyn_cast_if_present`: other objects become null, and null stays null.
    TryIfPresent,
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    /// `+`.
    Add,
    /// `-`.
    Sub,
    /// `*`.
    Mul,
    /// `/`.
    Div,
    /// `%`.
    Rem,
    /// `<<`.
    Shl,
    /// `>>`.
    Shr,
    /// `&`.
    And,
    /// `|`.
    Or,
    /// `^`.
    Xor,
    /// `==`.
    Eq,
    /// `!=`.
    Ne,
    /// `<`.
    Lt,
    /// `<=`.
    Le,
    /// `>`.
    Gt,
    /// `>=`.
    Ge,
}

/// The traits by which an operation folds, as bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FoldTraits;

impl FoldTraits {
    /// `Commutative`: constant operands come last.
    pub(crate) const COMMUTATIVE: i128 = 1;
    /// `Idempotent`: `f(f(x))` is `f(x)`, and `g(x, x)` is `x`.
    pub(crate) const IDEMPOTENT: i128 = 2;
    /// `Involution`: `f(f(x))` is `x`.
    pub(crate) const INVOLUTION: i128 = 4;
}

impl BinaryOp {
    /// The spelling in C++.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
    /// True for the six comparisons.
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
    /// The comparison that gives the same result with swapped operands (`>` for `<`). Other operators are returned
    /// unchanged.
    pub(crate) fn mirrored(self) -> Self {
        match self {
            Self::Lt => Self::Gt,
            Self::Le => Self::Ge,
            Self::Gt => Self::Lt,
            Self::Ge => Self::Le,
            other => other,
        }
    }
}

/// A list of children: a slice of the table that all lists share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExprList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expr {
    Param(u32),
    Local(LocalId),
    Null,
    Bool(bool),
    Int(i128),
    Double(f64),
    Str(StrId),
    /// An enumeration, as an argument of a built-in.
    Enum(EnumId),
    /// Contextual conversion to `bool`: null is false, a number is false if it is zero, and an optional or a
    /// pointer is true if it is present.
    Truth(ExprId, TruthBy),
    Not(ExprId),
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    Select(ExprId, ExprId, ExprId),
    /// Evaluates the first expression for its effect, and returns the value of the second.
    Then(ExprId, ExprId),
    Neg(ExprId, Item),
    BitNot(ExprId, Item),
    /// Converts both operands to the item, and applies the operator.
    Binary(BinaryOp, Item, ExprId, ExprId),
    /// Converts to the representation of an item.
    Convert(ExprId, Item),
    /// `*x` and `x->`: fails for null; returns the element that an iterator points at.
    Deref(ExprId),
    Builtin(Builtin, ExprList),
    /// A call of a built-in function. A registered native of this name replaces the function.
    Function(StrId, ExprId),
    /// A call of a method on a receiver whose type is known only during evaluation.
    Dynamic(StrId, ExprList),
    /// A call of a native: its arguments, and the output parameters to which its last results are bound.
    Native(NativeId, ExprList, ExprList),
    IsA(ExprId, ObjectClass),
    Cast(ExprId, ObjectClass, CastMode),
    List(ExprList),
    /// A lambda. Its parameters are consecutive locals.
    Lambda {
        first: LocalId,
        params: u32,
        body: ExprId,
    },
    /// Assigns a local, then evaluates the rest.
    Let(LocalId, ExprId, ExprId),
    /// Binds an output parameter, and returns the value.
    Assign(u32, ExprId),
    /// A generated accessor of an operation, attribute or type.
    Member(ExprId, Member),
    /// Converts a number, Boolean or string of this item, or a range of them, to an attribute.
    ToAttr(ExprId, Item),
    /// Creates an operation from a location and the arguments that the plan lists.
    Create(PlanId, ExprList),
    /// Creates an attribute or type of the class with this text from its parameters.
    Make(StrId, ExprList),
    /// A call of a function: its arguments, and the locals and outputs that receive the values of its reference
    /// parameters.
    Call(FunctionId, ExprList, ExprList),
    /// A call of a lambda.
    Apply(ExprId, ExprList),
    /// Evaluates statements. A `return` among them ends the evaluation of the statements with its value.
    Body(ExprId),
    /// Statements. The value is that of the last statement.
    Block(ExprList),
    Return(ExprId),
    Break,
    Continue,
    /// `for (; condition; step) body`.
    Loop {
        condition: ExprId,
        step: ExprId,
        body: ExprId,
    },
    /// `for (T local : range) body`.
    ForEach(LocalId, ExprId, ExprId),
    /// Evaluates the body whose label is the value of the subject. The list has each label, which is a literal, before
    /// its body, and ends with the body for all other values.
    Switch(ExprId, ExprList),
    /// Changes the range in a local.
    Update(Update, LocalId, ExprList),
    /// Fails with this reason, because the behaviour is undefined in C++.
    Fail(StrId),
    /// A `std::pair`, `std::tuple` or `struct` of these fields.
    Tuple(ExprList),
    /// A field of a tuple.
    Field(ExprId, u32),
}

/// A change of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    /// Appends an element.
    Push,
    /// Appends the elements of a range.
    Append,
    /// Removes the last element, and returns it.
    Pop,
    /// Removes all elements.
    Clear,
    /// Sets the number of elements; new elements have the value of the second argument.
    Resize,
    /// Sets the element at an index, and returns it.
    SetAt,
    /// Inserts an element before an iterator.
    Insert,
    /// Removes the element at an iterator.
    Erase,
    /// Reverses the order.
    Reverse,
}

/// The interpretation of a value as `bool`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruthBy {
    /// Zero is false.
    Value,
    /// Null, or an absent optional, is false.
    Presence,
}

/// A generated accessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// A group of operands.
    Operands(GroupRef),
    /// A group of results.
    Results(GroupRef),
    /// An attribute or property, as an attribute.
    Attr(StrId),
    /// A unit attribute or property, as a Boolean.
    UnitAttr(StrId),
    /// A parameter, by index, of an attribute or type whose class has this text.
    Param(StrId, u32),
}

/// One group of operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRef {
    /// One value, counted from the front.
    One(u32),
    /// One value, counted from the end: 0 is the last.
    FromEnd(u32),
    /// All values except a fixed number at the front and at the end.
    Rest {
        /// The number of values before the group.
        before: u32,
        /// The number of values after the group.
        after: u32,
    },
    /// A variadic group, if all variadic groups have the same size.
    Equal {
        /// The number of single values before the group.
        fixed_before: u32,
        /// The number of variadic groups before it.
        open_before: u32,
        /// The total number of single values.
        fixed: u32,
        /// The total number of variadic groups.
        open: u32,
    },
    /// A group whose size an attribute states.
    Segment {
        /// The name of the attribute that lists all sizes.
        sizes: StrId,
        /// The number of the group.
        index: u32,
    },
}

/// The maximum depth of recursion in an evaluation.
pub(crate) const DEPTH_LIMIT: u32 = 250;

impl Expr {
    /// The expression, in which each enumeration of the source files is replaced by its underlying type.
    pub(in crate::snippet) fn with_underlying_types(self) -> Self {
        match self {
            Self::Neg(e, item) => Self::Neg(e, item.underlying()),
            Self::BitNot(e, item) => Self::BitNot(e, item.underlying()),
            Self::Binary(op, item, a, b) => Self::Binary(op, item.underlying(), a, b),
            Self::Convert(e, item) => Self::Convert(e, item.underlying()),
            Self::ToAttr(e, item) => Self::ToAttr(e, item.underlying()),
            other => other,
        }
    }

    /// The lists of children.
    pub(in crate::snippet) fn lists(&self) -> impl Iterator<Item = ExprList> + use<> {
        let (first, second) = match *self {
            Expr::Builtin(_, list)
            | Expr::Dynamic(_, list)
            | Expr::List(list)
            | Expr::Tuple(list)
            | Expr::Create(_, list)
            | Expr::Make(_, list)
            | Expr::Apply(_, list)
            | Expr::Block(list)
            | Expr::Switch(_, list)
            | Expr::Update(_, _, list) => (Some(list), None),
            Expr::Native(_, args, outs) | Expr::Call(_, args, outs) => (Some(args), Some(outs)),
            _ => (None, None),
        };
        first.into_iter().chain(second)
    }

    /// The children. The second component has those in tail position (`b` in `a && b`).
    pub(crate) fn children<'a>(
        &'a self,
        lists: &'a [ExprId],
    ) -> (impl Iterator<Item = ExprId> + 'a, [Option<ExprId>; 2]) {
        let (own, tail) = match *self {
            Expr::Param(_)
            | Expr::Local(_)
            | Expr::Null
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Double(_)
            | Expr::Str(_)
            | Expr::Enum(_)
            | Expr::Builtin(..)
            | Expr::Dynamic(..)
            | Expr::List(_)
            | Expr::Tuple(_)
            | Expr::Create(..)
            | Expr::Make(..)
            | Expr::Native(..)
            | Expr::Call(..)
            | Expr::Block(_)
            | Expr::Break
            | Expr::Continue
            | Expr::Update(..)
            | Expr::Fail(_) => ([None; 3], [None; 2]),
            Expr::Truth(a, _)
            | Expr::Not(a)
            | Expr::Neg(a, _)
            | Expr::BitNot(a, _)
            | Expr::Convert(a, _)
            | Expr::Deref(a)
            | Expr::Field(a, _)
            | Expr::IsA(a, _)
            | Expr::Cast(a, ..)
            | Expr::Assign(_, a)
            | Expr::Member(a, _)
            | Expr::ToAttr(a, _)
            | Expr::Apply(a, _)
            | Expr::Body(a)
            | Expr::Return(a)
            | Expr::Switch(a, _)
            | Expr::Lambda { body: a, .. } => ([Some(a), None, None], [None; 2]),
            Expr::Function(_, a) => ([None; 3], [Some(a), None]),
            Expr::Binary(_, _, a, b) | Expr::ForEach(_, a, b) => ([Some(a), Some(b), None], [None; 2]),
            Expr::Loop { condition, step, body } => ([Some(condition), Some(step), Some(body)], [None; 2]),
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Then(a, b) | Expr::Let(_, a, b) => {
                ([Some(a), None, None], [Some(b), None])
            }
            Expr::Select(a, b, c) => ([Some(a), None, None], [Some(b), Some(c)]),
        };
        let listed = self.lists().flat_map(|list| list.of(lists)).copied();
        (own.into_iter().flatten().chain(listed), tail)
    }

    /// The depth of recursion when the expression is evaluated, from the depths of its children.
    pub(crate) fn depth(&self, lists: &[ExprId], depth_of: impl Fn(ExprId) -> Option<u32>) -> u32 {
        let (own, tail) = self.children(lists);
        let own = own.filter_map(&depth_of).fold(0, u32::max) + 1;
        tail.into_iter().flatten().filter_map(&depth_of).fold(own, u32::max)
    }
}

impl ExprList {
    pub(crate) const EMPTY: ExprList = ExprList { start: 0, len: 0 };

    /// The children, in the table of all lists. A list that exceeds the table, which only a forged file contains,
    /// is empty.
    pub(crate) fn of(self, lists: &[ExprId]) -> &[ExprId] {
        let start = self.start as usize;
        lists.get(start..start + self.len as usize).unwrap_or(&[])
    }
}
