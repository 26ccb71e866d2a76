//! The table of all snippets of a rule set, and the definitions that they refer to.

use hashbrown::{HashMap, HashSet};

use super::body::{Body, ParamDefault};
use super::builtin::Builtin;
use super::expr::{Expr, ExprId, ExprList, FunctionId, GroupRef, Member, NativeId, PlanId};
use super::types::{ClassId, EnumId, Item, TupleId, Ty};
use crate::host::Kind;
use crate::id::{Id, IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::source::Span;

define_ids! {
    /// A snippet of a [`Snippets`] table.
    pub struct SnippetId;
}

/// All snippets of a rule set, and the definitions that they refer to.
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
    pub(crate) functions: IdVec<FunctionId, Function>,
    pub(crate) tuples: IdVec<TupleId, Tuple>,
    pub(crate) constant_ops: HashMap<StrId, StrId>,
    /// The parameters and formats of attributes and types, by the text of their class.
    pub(crate) bodies: HashMap<StrId, Body>,
    pub(crate) class_ids: HashMap<StrId, ClassId>,
    pub(crate) enum_ids: HashMap<StrId, EnumId>,
    /// The arguments of calls of natives as they are written, once for each order of the builder, the context and the
    /// other arguments. Compiled programs do not contain this table.
    pub(crate) written_args: HashMap<CalledNative, Vec<Vec<WrittenArg>>>,
}

/// The name of a native, and the kinds of the arguments that it takes.
type CalledNative = (StrId, Vec<Option<Kind>>);

/// An argument as it is written in a call of a native.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WrittenArg {
    /// `$_builder`, which natives do not take.
    Builder,
    /// `$_builder.getContext()`, which natives do not take.
    Context,
    /// An argument that natives take, with its static type.
    Value(Ty),
}

/// One snippet.
#[derive(Clone, Debug, PartialEq)]
pub struct Snippet {
    /// The parameters, inputs and outputs, in order.
    pub params: Vec<Param>,
    /// The kind of result.
    pub result: SnippetResult,
    /// The source text, for messages.
    pub text: StrId,
    /// The place of the source text.
    pub span: Span,
    /// True if the result depends only on types, attributes and constants, and no native is called.
    pub pure: bool,
    /// True if the snippet creates operations, or calls a built-in that changes the IR. Such a snippet cannot be
    /// evaluated while matching. Natives that the snippet calls do not count.
    pub rewrites: bool,
    /// The name of the constraint that the snippet defines. A native of this name replaces the snippet.
    pub(crate) constraint: Option<StrId>,
    pub(crate) root: ExprId,
    /// The number of local variables.
    pub(crate) locals: u32,
}

impl Snippet {
    /// The input parameters, in order.
    pub fn inputs(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| !p.out)
    }
    /// The parameters that the snippet binds, in order.
    pub fn outputs(&self) -> impl Iterator<Item = &Param> {
        self.params.iter().filter(|p| p.out)
    }
}

/// A function that snippets call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Function {
    /// The name, for messages.
    pub(crate) name: StrId,
    /// The place of the name in its definition.
    pub(crate) span: Span,
    /// The number of parameters, which are the first locals.
    pub(crate) params: u32,
    /// The parameters whose values are assigned to variables of the caller when the function returns.
    pub(crate) reference_params: Vec<u32>,
    /// The number of locals, including the parameters.
    pub(crate) locals: u32,
    pub(crate) body: ExprId,
    /// True if the function calls natives.
    pub(crate) calls_native: bool,
    /// True if the function creates operations, or calls a built-in that changes the IR. Natives do not count.
    pub(crate) rewrites: bool,
}

/// The type of a tuple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tuple {
    /// The name of the class; `None` for `std::pair` and `std::tuple`.
    pub(crate) name: Option<StrId>,
    /// The names and types of the fields. C++ code reads a field as a member or by a method without arguments.
    pub(crate) fields: Vec<(StrId, Ty)>,
    pub(crate) kind: TupleKind,
}

/// The rules for values of a tuple type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum TupleKind {
    /// A type of the libraries of C++, LLVM and MLIR, or a generated class. A list of the fields creates a value, and
    /// values can be compared.
    #[default]
    Library,
    /// A class of a source file. A list of the fields creates a value, but only the operators of the class compare
    /// values.
    Aggregate,
    /// A class of a source file. Only its constructors create values.
    Constructed,
}

/// A parameter of a snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Param {
    /// The placeholder: `$_self`, `$0`, `$lhs`.
    pub name: StrId,
    /// The static type. If an attribute is passed for a number, Boolean, string or enumeration, its value is read. If
    /// an attribute is passed for a range, its elements are read.
    pub ty: Ty,
    /// True if the snippet binds the parameter.
    pub out: bool,
}

/// The kind of result of a snippet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SnippetResult {
    /// A truth value. If it is true, the outputs are bound.
    Predicate,
    /// One value of this static type.
    Value(Ty),
    /// All results of a call of a native, and their number.
    Many(u32),
    /// No result: the snippet is evaluated for its effect.
    Nothing,
}

/// A native that snippets call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NativeUse {
    /// The name under which the native is registered.
    pub name: StrId,
    /// The kinds of the arguments; `None` if the kind is known only during evaluation.
    pub params: Vec<Option<Kind>>,
    /// The kinds of the results; `None` for an unknown kind.
    pub results: Vec<Option<Kind>>,
    /// True if the native is called while matching.
    pub matching: bool,
    /// The place of the first call.
    pub span: Span,
}

/// A class of operations, types or attributes of a dialect.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Class {
    /// The C++ name, for messages and natives.
    pub cxx_name: StrId,
    /// The test for members.
    pub kind: ClassKind,
}

/// The test for members of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassKind {
    /// Operations with this name.
    Op(StrId),
    /// Types with this text (`!toy.struct`), with or without parameters.
    Type(StrId),
    /// Attributes with this text (`#arith.overflow`), with or without parameters.
    Attr(StrId),
    /// Attributes with this text whose parameter is a value of an enumeration.
    EnumAttr(StrId, EnumId),
    /// Integer attributes of this width that hold a value of an enumeration.
    IntEnumAttr(u32, EnumId),
    /// Objects that satisfy a native constraint.
    Native(NativeId),
    /// Objects with an interface or trait. The text is a comma-separated list of operation names, or of the classes of
    /// types or attributes. A `-` before an entry means that its definition does not have the interface or trait.
    OneOf(Kind, StrId),
    /// Types or attributes of a dialect that has this C++ namespace and no definitions. Objects of other dialects are
    /// not members. For objects of that dialect, only a native can decide.
    Foreign(Kind, StrId),
}

/// An enumeration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Enum {
    /// The C++ name.
    pub cxx_name: StrId,
    /// The separator between bits in MLIR text, if values are sets of bits.
    pub bit_separator: Option<StrId>,
    /// True if MLIR prints an entry that has several bits instead of one entry for each bit.
    pub groups: bool,
    /// True if a set of several entries is printed in quotes.
    pub quoted: bool,
    /// The entries.
    pub cases: Vec<EnumCase>,
}

/// An entry of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnumCase {
    /// The C++ enumerator.
    pub symbol: StrId,
    /// The name in MLIR text.
    pub text: StrId,
    /// The value.
    pub value: u64,
}

/// The mapping from arguments of `XOp::create` to a new operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The name of the operation.
    pub op: StrId,
    /// The role of each argument after the location.
    pub args: Vec<PlanArg>,
    /// The source of the result types.
    pub results: PlanResults,
    /// The attribute that stores the sizes of operand groups, if the operation has one.
    pub operand_segments: Option<StrId>,
    /// The number of regions, which are empty.
    pub regions: u32,
}

/// The role of an argument of `XOp::create`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlanArg {
    /// Result types, one or a range.
    ResultTypes,
    /// The next group of operands: a value, a range, or null.
    Operand,
    /// An attribute, which is omitted if it is null.
    Attr(StrId),
    /// The next successor, or a range of them.
    Successors,
}

/// The source of the result types of a new operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanResults {
    /// The arguments of the call state the types.
    Given,
    /// The type of the first value of an operand group, repeated for a number of results.
    OfOperand(u32, u32),
    /// The type of an attribute, for one result.
    OfAttr(StrId),
    /// These types, as MLIR text.
    Fixed(Vec<StrId>),
}

impl Plan {
    /// The names of the attributes that the plan sets.
    pub(crate) fn attr_names(&self) -> impl Iterator<Item = StrId> + '_ {
        let written = self.args.iter().filter_map(|arg| match arg {
            PlanArg::Attr(name) => Some(*name),
            _ => None,
        });
        written.chain(self.operand_segments)
    }
}

/// The length in bytes above which a message truncates the text of a snippet.
const MAX_LINE: usize = 160;

/// The name of LLVM's class for an `APInt` with its signedness.
const SIGNED_NUMBER: &str = "APSInt";
/// The name of the tuple field that holds the result of the tuple's conversion to `bool`.
pub(crate) const CONVERSION_TO_BOOL: &str = "operator bool";

impl Snippets {
    /// Builds the indices by name, and returns the table.
    pub(crate) fn with_names(mut self) -> Self {
        self.class_ids = self.classes.iter_enumerated().map(|(id, class)| (class.cxx_name, id)).collect();
        self.enum_ids = self.enums.iter_enumerated().map(|(id, e)| (e.cxx_name, id)).collect();
        self
    }
    /// The text of a string of the table.
    pub fn str(&self, id: StrId) -> &str {
        &self.strings[id]
    }
    /// Interns a string.
    pub fn intern(&mut self, text: &str) -> StrId {
        self.strings.intern(text)
    }
    /// A snippet.
    pub fn get(&self, id: SnippetId) -> &Snippet {
        &self.snippets[id]
    }

    /// A function that snippets call.
    pub(crate) fn function(&self, id: FunctionId) -> Option<&Function> {
        self.functions.get(id)
    }

    /// All snippets, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = (SnippetId, &Snippet)> {
        self.snippets.iter_enumerated()
    }
    /// The number of snippets.
    pub fn len(&self) -> usize {
        self.snippets.len()
    }
    /// True if the table has no snippets.
    pub fn is_empty(&self) -> bool {
        self.snippets.is_empty()
    }
    /// Declares that an operation is a constant whose value is the attribute with the name `value`, so that
    /// `m_Constant` matches the operation.
    pub fn add_constant_op(&mut self, op: &str, value: &str) {
        let (op, value) = (self.strings.intern(op), self.strings.intern(value));
        self.constant_ops.insert(op, value);
    }
    /// Interns the tuple type with these fields.
    pub(crate) fn tuple(&mut self, name: Option<&str>, fields: &[(&str, Ty)]) -> TupleId {
        self.tuple_of_kind(name, fields, TupleKind::Library)
    }

    /// Interns the type of the objects of a class of a source file.
    pub(crate) fn class_tuple(&mut self, name: &str, fields: &[(&str, Ty)], constructed: bool) -> TupleId {
        let kind = if constructed { TupleKind::Constructed } else { TupleKind::Aggregate };
        self.tuple_of_kind(Some(name), fields, kind)
    }

    fn tuple_of_kind(&mut self, name: Option<&str>, fields: &[(&str, Ty)], kind: TupleKind) -> TupleId {
        let name = name.map(|name| self.intern(name));
        let fields = fields.iter().map(|&(name, ty)| (self.intern(name), ty)).collect();
        let tuple = Tuple { name, fields, kind };
        let known = self.tuples.iter_enumerated().find(|(_, other)| **other == tuple).map(|(id, _)| id);
        known.unwrap_or_else(|| self.tuples.push(tuple))
    }
    /// The type `APSInt`: an `APInt` and its signedness.
    pub(crate) fn signed_number(&mut self) -> TupleId {
        self.tuple(Some(SIGNED_NUMBER), &[("value", Ty::AP_INT), ("isUnsigned", Ty::BOOL)])
    }

    /// True for the type `APSInt`.
    pub(crate) fn is_signed_number(&self, id: TupleId) -> bool {
        let name = self.tuples.get(id).and_then(|tuple| tuple.name);
        name.is_some_and(|name| self.str(name) == SIGNED_NUMBER)
    }

    /// The type `NamedAttribute`: a name and an attribute.
    pub(crate) fn named_attribute(&mut self) -> Ty {
        Ty::one(Item::Tuple(
            self.tuple(Some("NamedAttribute"), &[("getName", Ty::STR), ("getValue", Ty::ATTR)]),
        ))
    }

    /// Adds a plan for creating an operation, and returns its id.
    pub fn add_plan(&mut self, plan: Plan) -> PlanId {
        self.plans.push(plan)
    }
    /// Sets the parameters and the format of the attributes or types of a class (`#dialect.name`).
    pub fn add_body(&mut self, class: StrId, body: Body) {
        self.bodies.insert(class, body);
    }

    /// Sets the default of a parameter of a class.
    #[cfg(feature = "frontend")]
    pub(crate) fn set_default(&mut self, class: StrId, param: usize, default: ParamDefault) {
        if let Some(param) = self.bodies.get_mut(&class).and_then(|body| body.params.get_mut(param)) {
            param.default = Some(default);
        }
    }

    /// The parameters and the format of the attributes or types of a class.
    pub fn body(&self, class: StrId) -> Option<&Body> {
        self.bodies.get(&class)
    }

    /// The arguments of calls of a native with these kinds of arguments, once for each order of the builder, the
    /// context and the other arguments.
    #[cfg(feature = "cli")]
    pub(crate) fn written_args(&self, native: &str, params: &[Option<Kind>]) -> &[Vec<WrittenArg>] {
        let key = self.strings.find(native).map(|name| (name, params.to_vec()));
        key.and_then(|key| self.written_args.get(&key)).map_or(&[], Vec::as_slice)
    }

    /// The natives that snippets call. A native has one entry for each combination of the kinds of its arguments, the
    /// kinds of its results, and its use (while matching or while rewriting).
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

    /// The name of the native constraint that may decide membership in a class.
    pub(crate) fn isa_name(&self, class: &Class) -> String {
        format!("isa<{}>", self.str(class.cxx_name))
    }

    /// Adds a class, unless there is one with this C++ name. Returns the id of the class with this name.
    pub fn add_class(&mut self, cxx_name: &str, kind: ClassKind) -> ClassId {
        let cxx_name = self.strings.intern(cxx_name);
        if let Some(&id) = self.class_ids.get(&cxx_name) {
            return id;
        }
        let id = self.classes.push(Class { cxx_name, kind });
        self.class_ids.insert(cxx_name, id);
        id
    }
    /// The class with this C++ name.
    pub fn find_class(&self, cxx_name: &str) -> Option<ClassId> {
        self.class_ids.get(&self.strings.find(cxx_name)?).copied()
    }

    /// Adds an enumeration, unless there is one with this C++ name. Returns the id of the enumeration with this name. A
    /// case is a C++ enumerator, its text in MLIR and its value.
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
        let id = self.enums.push(Enum { cxx_name, bit_separator, groups: false, quoted: false, cases });
        self.enum_ids.insert(cxx_name, id);
        id
    }

    /// Sets [`Enum::groups`] and [`Enum::quoted`] of an enumeration.
    pub(crate) fn set_printing(&mut self, id: EnumId, groups: bool, quoted: bool) {
        (self.enums[id].groups, self.enums[id].quoted) = (groups, quoted);
    }

    /// The enumeration with this C++ name.
    pub fn find_enum(&self, cxx_name: &str) -> Option<EnumId> {
        self.enum_ids.get(&self.strings.find(cxx_name)?).copied()
    }

    /// The names of the attributes that accessors read.
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

    /// Marks a snippet as the definition of the constraint with this name, which a native of the same name may replace.
    /// A snippet that is marked already is copied first. Returns the marked snippet.
    #[cfg(feature = "frontend")]
    pub(crate) fn name_constraint(&mut self, snippet: SnippetId, name: &str) -> SnippetId {
        let constraint = Some(self.intern(name));
        if self.snippets[snippet].constraint.is_none() {
            self.snippets[snippet].constraint = constraint;
            return snippet;
        }
        let named = Snippet { constraint, ..self.snippets[snippet].clone() };
        self.snippets.push(named)
    }

    /// For each native, true if an expression or class refers to it. The builder leaves an entry unused if it later
    /// finds the kinds of the results from the context of the call, because it then adds another entry.
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

    /// The expressions of a snippet and of the functions that it calls, without repetitions.
    pub(in crate::snippet) fn expressions_of(&self, id: SnippetId) -> impl Iterator<Item = &Expr> {
        let mut seen = HashSet::new();
        let mut todo = vec![self.snippets[id].root];
        std::iter::from_fn(move || {
            loop {
                let id = todo.pop()?;
                let Some(expr) = self.exprs.get(id).filter(|_| seen.insert(id)) else { continue };
                let (own, tail) = expr.children(&self.lists);
                todo.extend(own);
                todo.extend(tail.into_iter().flatten());
                if let Expr::Call(function, ..) = expr {
                    todo.extend(self.functions.get(*function).map(|function| function.body));
                }
                return Some(expr);
            }
        })
    }

    /// True if the snippet calls a built-in that a native of this name can replace.
    pub(crate) fn calls_function(&self, id: SnippetId, name: StrId) -> bool {
        self.expressions_of(id).any(|expr| matches!(expr, Expr::Function(called, _) if *called == name))
    }

    /// The text of a snippet as one line in backticks, shortened if it is long.
    pub(crate) fn code_line(&self, id: SnippetId) -> String {
        let text = self.str(self.get(id).text);
        let mut line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.len() > MAX_LINE {
            let end = (0..=MAX_LINE).rev().find(|&end| line.is_char_boundary(end)).expect("0 is a boundary");
            line.truncate(end);
            line.push('…');
        }
        format!("`{line}`")
    }

    /// True if natives that a host registers can change the value of a snippet.
    #[cfg(feature = "frontend")]
    pub(crate) fn depends_on_natives(&self, id: SnippetId) -> bool {
        self.snippets[id].constraint.is_some()
            || self.expressions_of(id).any(|expr| match *expr {
                Expr::Native(..) | Expr::Function(..) => true,
                Expr::IsA(_, class) | Expr::Cast(_, class, _) => class.named().is_some_and(|class| {
                    matches!(
                        self.classes[class].kind,
                        ClassKind::Native(_) | ClassKind::OneOf(..) | ClassKind::Foreign(..)
                    )
                }),
                _ => false,
            })
    }

    /// The natives that a snippet calls, without repetitions.
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

    /// For a predicate `matchPattern(x, m_Constant(…))`, where `x` is an input or a result of an input, the index of
    /// this input. If the predicate holds, the input is a constant operation or a result of a constant operation.
    /// Returns `None` for other predicates.
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

    /// True if the table holds all expressions of a list.
    pub(in crate::snippet) fn has_list(&self, list: ExprList) -> bool {
        self.list(list).len() == list.len as usize
    }

    /// The expressions of a list.
    pub(crate) fn list(&self, list: ExprList) -> &[ExprId] {
        list.of(&self.lists)
    }
}

#[cfg(test)]
impl Snippets {
    /// Adds a call of `success` with an argument list that lies outside of the table.
    pub(crate) fn add_arguments_outside(&mut self) {
        let outside = ExprList { start: 0, len: u32::MAX };
        self.exprs.push(Expr::Builtin(Builtin::Success, outside));
    }
}
