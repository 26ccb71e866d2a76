//! Snippets as data: expressions in one arena, children before parents.
//!
//! A child's id is smaller than its parent's, so the arena has no cycles; how deep an expression
//! is nested is bounded where it is built. Equal snippets are not merged.

use hashbrown::{HashMap, HashSet};

use super::ty::{AttrClass, ClassId, EnumId, IntTy, Item, Ty, TypeClass};
use super::{Body, Builtin, SnippetId};
use crate::host::Kind;
use crate::id::{Id, IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::source::Span;

define_ids! {
    /// An expression of a [`Snippets`] table.
    pub struct ExprId;
    /// A native that snippets call, by name and the kinds of its arguments.
    pub struct NativeId;
    /// A way to make an operation.
    pub struct PlanId;
}

/// All snippets of a rule set, with what they refer to.
#[derive(Clone, Debug, Default)]
pub struct Snippets {
    pub(crate) strings: Interner,
    pub(crate) exprs: IdVec<ExprId, Expr>,
    pub(crate) lists: Vec<ExprId>,
    pub(crate) snippets: IdVec<SnippetId, Snippet>,
    pub(crate) natives: IdVec<NativeId, NativeUse>,
    pub(crate) classes: IdVec<ClassId, Class>,
    pub(crate) enums: IdVec<EnumId, Enum>,
    pub(crate) plans: IdVec<PlanId, Plan>,
    pub(crate) constant_ops: HashMap<StrId, StrId>,
    /// By the text of a class of attributes or types: how these are written.
    pub(super) bodies: HashMap<StrId, Body>,
    pub(super) class_ids: HashMap<StrId, ClassId>,
    pub(super) enum_ids: HashMap<StrId, EnumId>,
}

/// One snippet.
#[derive(Clone, Debug, PartialEq)]
pub struct Snippet {
    /// What it is called with, in order. Those that are [`Param::out`] are what it gives instead.
    pub params: Vec<Param>,
    /// What it gives.
    pub result: SnippetResult,
    /// The text it was read from, for messages.
    pub text: StrId,
    /// Where that was.
    pub span: Span,
    /// Whether its answer depends on types, attributes and constants alone, and it calls no native.
    pub pure: bool,
    /// Whether it makes operations or calls natives that may: it cannot be evaluated while matching.
    pub rewrites: bool,
    /// The constraint of a definition that it is: a native of this name replaces it.
    pub(crate) constraint: Option<StrId>,
    pub(crate) root: ExprId,
    pub(crate) locals: u32,
}

impl Snippet {
    /// The parameters that arguments are given for, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| !p.out)
    }
    /// The parameters that a constraint binds, in order.
    pub fn outputs(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.out)
    }
}

/// A parameter of a snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The placeholder or name that stands for it: `$_self`, `$0`, `$lhs`.
    pub name: StrId,
    /// Its static type. An attribute given for an integer, Boolean, float or string is read as one.
    pub ty: Ty,
    /// Whether the snippet binds it.
    pub out: bool,
}

/// What a snippet gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetResult {
    /// It holds or does not, and binds its outputs if it holds.
    Predicate,
    /// One thing of this static type.
    Value(Ty),
    /// As many things as this, from one native.
    Many(u32),
    /// Nothing: it is evaluated for what it does.
    Nothing,
}

/// A native that snippets call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeUse {
    /// What it is registered as.
    pub name: StrId,
    /// The kinds of its arguments; `None` for one that is not known before evaluation.
    pub params: Vec<Option<Kind>>,
    /// The kinds of its results, where something is known of them.
    pub results: Vec<Option<Kind>>,
    /// Whether it is called while matching.
    pub matching: bool,
    /// The snippet that called it first.
    pub span: Span,
}

/// A dialect's class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// Its C++ name as the definition has it, for messages and natives.
    pub cxx_name: StrId,
    /// How it is recognised.
    pub kind: ClassKind,
}

/// How members of a class are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// Operations of this name.
    Op(StrId),
    /// Types whose text is this (`!toy.struct`), alone or followed by parameters.
    Type(StrId),
    /// Attributes whose text is this (`#arith.overflow`), alone or followed by parameters.
    Attr(StrId),
    /// Attributes of this text whose parameter is an enumeration's value.
    EnumAttr(StrId, EnumId),
    /// Integer attributes of this width that hold an enumeration's value.
    IntEnumAttr(u32, EnumId),
    /// What a native constraint of this name says.
    Native(NativeId),
    /// Operations of one of these names, or types or attributes of one of these texts, which have a comma
    /// between them: those of an interface. Texts after a `-` are of definitions that do not declare it.
    OneOf(Kind, StrId),
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// Its C++ name.
    pub cxx_name: StrId,
    /// Whether values are sets of bits, written with this between them.
    pub bit_separator: Option<StrId>,
    /// Its entries.
    pub cases: Vec<EnumCase>,
}

/// An entry of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumCase {
    /// The C++ enumerator.
    pub symbol: StrId,
    /// How MLIR text has it.
    pub text: StrId,
    /// Its value.
    pub value: u64,
}

/// How the arguments of `XOp::create` make an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The operation's name.
    pub op: StrId,
    /// What each argument after the location is.
    pub args: Vec<PlanArg>,
    /// The types of the results.
    pub results: PlanResults,
    /// Where the sizes of operand groups go, if the operation keeps them.
    pub operand_segments: Option<StrId>,
}

/// What an argument of `XOp::create` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanArg {
    /// Types of results, one or a range.
    ResultTypes,
    /// The next operand group: a value, a range, or null.
    Operand,
    /// An attribute; left out when null.
    Attr(StrId),
}

/// Where result types of a made operation come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanResults {
    /// From the arguments.
    Given,
    /// The type of this operand group's first value, for this many results.
    OfOperand(u32, u32),
    /// The type that this attribute states, for one result.
    OfAttr(StrId),
    /// These types, as MLIR text.
    Fixed(Vec<StrId>),
}

/// What a class test or cast is against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectClass {
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

impl Plan {
    /// The attributes it writes.
    pub(crate) fn attr_names(&self) -> impl Iterator<Item = StrId> + '_ {
        let written = self.args.iter().filter_map(|arg| match arg {
            PlanArg::Attr(name) => Some(*name),
            _ => None,
        });
        written.chain(self.operand_segments)
    }
}

impl Class {
    /// The native constraint that can say what is of the class.
    pub(super) fn isa_name(&self, snippets: &Snippets) -> String {
        format!("isa<{}>", snippets.str(self.cxx_name))
    }
}

impl ObjectClass {
    pub(crate) fn named(self) -> Option<ClassId> {
        match self {
            Self::Type(TypeClass::Named(id)) | Self::Attr(AttrClass::Named(id)) | Self::Op(id) => Some(id),
            _ => None,
        }
    }
    /// What a cast to the class gives.
    pub fn item(self) -> Item {
        match self {
            Self::Type(c) => Item::Type(c),
            Self::Attr(c) => Item::Attr(c),
            Self::Op(c) => Item::Op(Some(c)),
            Self::AnyOp => Item::Op(None),
            Self::Value | Self::OpResult | Self::BlockArgument => Item::Value,
        }
    }
}

/// How a cast treats what is not of the class, and null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CastMode {
    /// The snippet fails for both.
    Must,
    /// The snippet fails, null is null.
    MustIfPresent,
    /// Null; the snippet fails for null.
    Try,
    /// Null, as for null.
    TryIfPresent,
}

/// An operator of two operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOp {
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

impl BinaryOp {
    /// The operator.
    pub fn text(self) -> &'static str {
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
    /// Whether it compares.
    pub fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }
}

/// Children of an expression, in [`Snippets::lists`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExprList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// An expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Expr {
    Param(u32),
    Local(u32),
    Null,
    Bool(bool),
    Int(i128),
    Double(f64),
    Str(StrId),
    /// Contextual conversion to `bool`: null is false, a number is false when zero; an optional or
    /// a pointer is true when present.
    Truth(ExprId, TruthBy),
    Not(ExprId),
    And(ExprId, ExprId),
    Or(ExprId, ExprId),
    Select(ExprId, ExprId, ExprId),
    /// The first is evaluated for what it does.
    Then(ExprId, ExprId),
    Neg(ExprId, Item),
    BitNot(ExprId, Item),
    /// Computed in this item: operands are converted to it first.
    Binary(BinaryOp, Item, ExprId, ExprId),
    /// Conversion to an item's representation.
    Convert(ExprId, Item),
    /// `*x` and `x->`: fails on null; the element under an iterator.
    Deref(ExprId),
    Builtin(Builtin, ExprList),
    /// A built-in function under the name that a native could take.
    Function(StrId, ExprId),
    /// A method of something known only when evaluated.
    Dynamic(StrId, ExprList),
    /// A native with its arguments, and the parameters that its last results go to.
    Native(NativeId, ExprList, ExprList),
    IsA(ExprId, ObjectClass),
    Cast(ExprId, ObjectClass, CastMode),
    List(ExprList),
    /// A lambda whose parameters are the locals from this one on.
    Lambda {
        first: u32,
        params: u32,
        body: ExprId,
    },
    /// Gives a local its value, then evaluates the rest.
    Let(u32, ExprId, ExprId),
    /// Binds an output parameter; gives the value.
    Assign(u32, ExprId),
    /// An operand, attribute or result of an operation by what its definition says.
    Member(ExprId, Member),
    /// The attribute that holds a number, Boolean or string kept as this item.
    ToAttr(ExprId, Item),
    /// Makes an operation: a location, then what the plan's arguments say.
    Create(PlanId, ExprList),
    /// Makes an attribute or type of the class with this text, of its parameters.
    Make(StrId, ExprList),
}

/// What makes something true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TruthBy {
    /// Its value.
    Value,
    /// That it is there.
    Presence,
}

/// What a generated accessor gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Member {
    /// Operand group.
    Operands(GroupRef),
    /// Result group.
    Results(GroupRef),
    /// An attribute or property, as an attribute.
    Attr(StrId),
    /// An attribute or property that is an absent or present flag.
    UnitAttr(StrId),
    /// A parameter of an attribute or type whose class has this text.
    Param(StrId, u32),
}

/// One group of operands or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupRef {
    /// Exactly this one.
    One(u32),
    /// Exactly this one, counted from the end: 0 is the last.
    FromEnd(u32),
    /// What is left after the first so many and before the last so many.
    Rest {
        /// How many come before.
        before: u32,
        /// How many come after.
        after: u32,
    },
    /// Of groups of which the open ones have equal sizes.
    Equal {
        /// Groups of one before it.
        fixed_before: u32,
        /// Open groups before it.
        open_before: u32,
        /// Groups of one in all.
        fixed: u32,
        /// Open groups in all.
        open: u32,
    },
    /// The group of this number; an attribute lists the sizes.
    Segment {
        /// The attribute.
        sizes: StrId,
        /// Which group.
        index: u32,
    },
}

impl Snippets {
    /// With classes and enumerations found by their names.
    pub(super) fn with_names(mut self) -> Self {
        self.class_ids = self.classes.iter_enumerated().map(|(id, class)| (class.cxx_name, id)).collect();
        self.enum_ids = self.enums.iter_enumerated().map(|(id, e)| (e.cxx_name, id)).collect();
        self
    }
    /// One of the table's strings.
    pub fn str(&self, id: StrId) -> &str {
        &self.strings[id]
    }
    /// A string of the table, added if it is new.
    pub fn intern(&mut self, text: &str) -> StrId {
        self.strings.intern(text)
    }
    /// The snippet.
    pub fn get(&self, id: SnippetId) -> &Snippet {
        &self.snippets[id]
    }
    /// All snippets in the order they were added.
    pub fn iter(&self) -> impl Iterator<Item = (SnippetId, &Snippet)> {
        self.snippets.iter_enumerated()
    }
    /// How many there are.
    pub fn len(&self) -> usize {
        self.snippets.len()
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.snippets.is_empty()
    }
    /// Says that an operation is a constant whose value is an attribute, so that `m_Constant` matches it.
    pub fn add_constant_op(&mut self, op: &str, value: &str) {
        let (op, value) = (self.strings.intern(op), self.strings.intern(value));
        self.constant_ops.insert(op, value);
    }
    /// Adds a way to make an operation.
    pub fn add_plan(&mut self, plan: Plan) -> PlanId {
        self.plans.push(plan)
    }
    /// The natives that snippets call; each is once here for each different list of arguments.
    pub fn natives(&self) -> impl Iterator<Item = (NativeId, &NativeUse)> {
        self.natives.iter_enumerated()
    }
    /// A class.
    pub fn class(&self, id: ClassId) -> &Class {
        &self.classes[id]
    }
    /// An enumeration.
    pub fn enumeration(&self, id: EnumId) -> &Enum {
        &self.enums[id]
    }

    /// Adds a class, or finds the one of this C++ name.
    pub fn add_class(&mut self, cxx_name: &str, kind: ClassKind) -> ClassId {
        let cxx_name = self.strings.intern(cxx_name);
        if let Some(&id) = self.class_ids.get(&cxx_name) {
            return id;
        }
        let id = self.classes.push(Class { cxx_name, kind });
        self.class_ids.insert(cxx_name, id);
        id
    }
    /// The class of this C++ name.
    pub fn find_class(&self, cxx_name: &str) -> Option<ClassId> {
        self.class_ids.get(&self.strings.find(cxx_name)?).copied()
    }

    /// Adds an enumeration, or finds the one of this C++ name. Cases: C++ symbol, text, value.
    pub fn add_enum(
        &mut self,
        cxx_name: &str,
        bit_separator: Option<&str>,
        cases: &[(&str, &str, u64)],
    ) -> EnumId {
        let cxx_name = self.strings.intern(cxx_name);
        if let Some(&id) = self.enum_ids.get(&cxx_name) {
            return id;
        }
        let bit_separator = bit_separator.map(|s| self.strings.intern(s));
        let cases = cases
            .iter()
            .map(|&(symbol, text, value)| EnumCase {
                symbol: self.strings.intern(symbol),
                text: self.strings.intern(text),
                value,
            })
            .collect();
        let id = self.enums.push(Enum { cxx_name, bit_separator, cases });
        self.enum_ids.insert(cxx_name, id);
        id
    }
    /// The enumeration of this C++ name.
    pub fn find_enum(&self, cxx_name: &str) -> Option<EnumId> {
        self.enum_ids.get(&self.strings.find(cxx_name)?).copied()
    }

    /// The attribute names that accessors look up.
    pub(crate) fn attr_names(&self) -> impl Iterator<Item = StrId> + '_ {
        self.exprs.iter().filter_map(|expr| match expr {
            Expr::Member(_, Member::Attr(name) | Member::UnitAttr(name)) => Some(*name),
            Expr::Member(_, Member::Operands(group) | Member::Results(group)) => match group {
                GroupRef::Segment { sizes, .. } => Some(*sizes),
                _ => None,
            },
            _ => None,
        })
    }

    /// The same snippet as the constraint of this name, which a native may replace.
    #[cfg(feature = "frontend")]
    pub(crate) fn named(&mut self, snippet: SnippetId, name: &str) -> SnippetId {
        let constraint = Some(self.intern(name));
        if self.snippets[snippet].constraint.is_none() {
            self.snippets[snippet].constraint = constraint;
            return snippet;
        }
        let named = Snippet { constraint, ..self.snippets[snippet].clone() };
        self.snippets.push(named)
    }

    /// Whether each native is called by anything: what a call is taken for may replace what it was at first.
    pub(crate) fn called_natives(&self) -> Vec<bool> {
        let mut called = vec![false; self.natives.len()];
        for expr in self.exprs.iter() {
            if let Expr::Native(native, ..) = expr {
                called[native.index()] = true;
            }
        }
        for class in self.classes.iter() {
            if let ClassKind::Native(native) = class.kind {
                called[native.index()] = true;
            }
        }
        called
    }

    /// The expressions of a snippet, each once.
    fn expressions_of(&self, id: SnippetId) -> impl Iterator<Item = &Expr> {
        let mut seen = HashSet::new();
        let mut todo = vec![self.snippets[id].root];
        std::iter::from_fn(move || {
            loop {
                let id = todo.pop()?;
                let Some(expr) = self.exprs.get(id).filter(|_| seen.insert(id)) else { continue };
                let (own, tail) = expr.children(self);
                todo.extend(own);
                todo.extend(tail.into_iter().flatten());
                return Some(expr);
            }
        })
    }

    /// Whether a snippet asks something that a native of this name can say.
    pub(super) fn calls_function(&self, id: SnippetId, name: StrId) -> bool {
        self.expressions_of(id).any(|expr| matches!(expr, Expr::Function(called, _) if *called == name))
    }

    /// The natives that a snippet calls, each once.
    pub fn natives_of(&self, id: SnippetId) -> Vec<NativeId> {
        let mut found = Vec::new();
        for expr in self.expressions_of(id) {
            let native = match *expr {
                Expr::Native(native, ..) => Some(native),
                Expr::IsA(_, class) | Expr::Cast(_, class, _) => {
                    class.named().and_then(|class| match self.classes[class].kind {
                        ClassKind::Native(native) => Some(native),
                        _ => None,
                    })
                }
                _ => None,
            };
            if let Some(native) = native
                && !found.contains(&native)
            {
                found.push(native);
            }
        }
        found.sort_unstable();
        found
    }

    /// The argument that has to be a constant operation, or a result of one, for a predicate to hold: that of a
    /// `matchPattern(x, m_Constant(…))` that is all there is to it.
    pub(crate) fn constant_argument(&self, snippet: SnippetId) -> Option<usize> {
        let snippet = &self.snippets[snippet];
        let mut at = snippet.root;
        let subject = loop {
            at = match self.exprs[at] {
                Expr::Truth(inner, _) | Expr::Function(_, inner) => inner,
                Expr::Builtin(Builtin::SuccessIf | Builtin::Succeeded, list) => *self.list(list).first()?,
                Expr::Builtin(Builtin::MatchPattern, list) => {
                    let &[subject, matcher] = self.list(list) else { return None };
                    let matcher = match self.exprs[matcher] {
                        Expr::Function(_, inner) => self.exprs[inner],
                        other => other,
                    };
                    let constant = matches!(matcher, Expr::Builtin(Builtin::MatchConstant, _));
                    break constant.then_some(subject)?;
                }
                _ => return None,
            };
        };
        // `$_self->getResult(0)` is a result of `$_self`.
        let mut at = subject;
        loop {
            at = match self.exprs[at] {
                Expr::Param(param) => {
                    let before = snippet.params.get(..=param as usize)?;
                    let (this, before) = before.split_last()?;
                    return (!this.out).then(|| before.iter().filter(|p| !p.out).count());
                }
                Expr::Deref(inner) | Expr::Function(_, inner) | Expr::Convert(inner, _) => inner,
                Expr::Builtin(Builtin::OpResultAt, list) => *self.list(list).first()?,
                _ => return None,
            };
        }
    }

    pub(crate) fn list(&self, list: ExprList) -> &[ExprId] {
        let start = list.start as usize;
        self.lists.get(start..start + list.len as usize).unwrap_or(&[])
    }
}

impl IntTy {
    /// The item.
    pub const fn item(self) -> Item {
        Item::Int(self)
    }
}

/// How deep an evaluation may recurse.
pub(crate) const DEPTH_LIMIT: u32 = 250;

impl Expr {
    /// The children, those that are evaluated in place of their parent (`b` in `a && b`) last and apart.
    pub(crate) fn children<'a>(
        &'a self,
        snippets: &'a Snippets,
    ) -> (impl Iterator<Item = ExprId> + 'a, [Option<ExprId>; 2]) {
        let mut own = [None; 2];
        let mut tail = [None; 2];
        let mut lists = [ExprList::EMPTY; 2];
        match *self {
            Expr::Param(_)
            | Expr::Local(_)
            | Expr::Null
            | Expr::Bool(_)
            | Expr::Int(_)
            | Expr::Double(_)
            | Expr::Str(_) => {}
            Expr::Truth(a, _)
            | Expr::Not(a)
            | Expr::Neg(a, _)
            | Expr::BitNot(a, _)
            | Expr::Convert(a, _)
            | Expr::Deref(a)
            | Expr::IsA(a, _)
            | Expr::Cast(a, ..)
            | Expr::Assign(_, a)
            | Expr::Member(a, _)
            | Expr::ToAttr(a, _) => own[0] = Some(a),
            Expr::Lambda { body, .. } => own[0] = Some(body),
            Expr::Function(_, a) => tail[0] = Some(a),
            Expr::Binary(_, _, a, b) => own = [Some(a), Some(b)],
            Expr::And(a, b) | Expr::Or(a, b) | Expr::Then(a, b) | Expr::Let(_, a, b) => {
                own[0] = Some(a);
                tail[0] = Some(b);
            }
            Expr::Select(a, b, c) => {
                own[0] = Some(a);
                tail = [Some(b), Some(c)];
            }
            Expr::Builtin(_, list)
            | Expr::Dynamic(_, list)
            | Expr::List(list)
            | Expr::Create(_, list)
            | Expr::Make(_, list) => lists[0] = list,
            Expr::Native(_, args, outs) => lists = [args, outs],
        }
        let listed = lists.into_iter().flat_map(|list| snippets.list(list)).copied();
        (own.into_iter().flatten().chain(listed), tail)
    }

    /// How deep evaluating it recurses, given how deep its children do.
    pub(crate) fn depth(&self, snippets: &Snippets, known: impl Fn(ExprId) -> Option<u32>) -> u32 {
        let (own, tail) = self.children(snippets);
        let own = own.filter_map(&known).max().unwrap_or(0) + 1;
        tail.into_iter().flatten().filter_map(&known).fold(own, u32::max)
    }
}

impl ExprList {
    pub(crate) const EMPTY: ExprList = ExprList { start: 0, len: 0 };
}
