//! The builder: its state, leaf expressions, natives, and the display of types.

use hashbrown::HashMap;

use super::error::TypeError;
use crate::host::Kind;
use crate::id::{Id, IdVec};
use crate::snippet::data::{
    AttrClass, Builtin, ClassId, ClassKind, DEPTH_LIMIT, EnumId, Expr, ExprId, ExprList, Form, GroupRef,
    IntTy, Item, LocalId, Member, NativeId, NativeUse, ObjectClass, Param, Snippet, SnippetId, SnippetResult,
    Snippets, TupleId, Ty,
};
use crate::source::Span;

/// An expression with its static type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    pub(crate) id: ExprId,
    /// The static type.
    pub ty: Ty,
}

/// The result of a builder method.
pub(super) type Checked = Result<Typed, TypeError>;

/// The maximum number of expressions in a snippet.
pub(super) const EXPR_LIMIT: usize = 100_000;

/// A builder of one snippet.
pub struct Builder<'a> {
    pub(crate) snippets: &'a mut Snippets,
    pub(super) params: Vec<Param>,
    span: Span,
    /// True if the natives of the snippet are called while matching.
    matching: bool,
    pub(super) locals: IdVec<LocalId, Ty>,
    /// The result types of lambdas.
    pub(super) lambdas: HashMap<ExprId, Ty>,
    /// The types of the elements of lists.
    pub(super) list_types: HashMap<ExprId, Ty>,
    /// For each range that [`Builder::braced_list`] makes, the list of the items between the braces.
    pub(super) flat_lists: HashMap<ExprId, ExprId>,
    pub(super) calls_native: bool,
    pub(super) rewrites: bool,
    /// The number of expressions in the table before those of the snippet.
    start: usize,
    /// The depth of recursion of each expression of the snippet.
    depths: Vec<u32>,
}

impl<'a> Builder<'a> {
    /// Starts a snippet with these parameters. `matching` is true for a constraint.
    pub(crate) fn new(snippets: &'a mut Snippets, params: Vec<Param>, span: Span, matching: bool) -> Self {
        let start = snippets.exprs.len();
        Self {
            snippets,
            params,
            span,
            matching,
            locals: IdVec::default(),
            lambdas: HashMap::new(),
            list_types: HashMap::new(),
            flat_lists: HashMap::new(),
            calls_native: false,
            rewrites: false,
            start,
            depths: Vec::new(),
        }
    }

    /// A builder of a function that the snippet calls. It adds to the same table.
    pub(super) fn of_function(&mut self) -> Builder<'_> {
        Builder::new(self.snippets, Vec::new(), self.span, self.matching)
    }

    /// Skips the expressions that another builder added to the table.
    pub(super) fn skip_foreign(&mut self) {
        self.depths.resize(self.snippets.exprs.len() - self.start, 0);
    }

    /// True if the natives of the snippet are called while matching.
    pub(crate) fn is_matching(&self) -> bool {
        self.matching
    }

    pub(super) fn add(&mut self, expr: Expr, ty: Ty) -> Checked {
        if self.snippets.exprs.len() - self.start >= EXPR_LIMIT {
            return Err(TypeError::too_large(EXPR_LIMIT));
        }
        let expr = expr.with_underlying_types();
        let depth = expr.depth(&self.snippets.lists, |id| self.depths.get(id.index() - self.start).copied());
        if depth > DEPTH_LIMIT {
            return Err(TypeError::too_deep(DEPTH_LIMIT));
        }
        self.depths.push(depth);
        let id = self.snippets.exprs.try_push(expr).ok_or_else(|| TypeError::too_large(EXPR_LIMIT))?;
        Ok(Typed { id, ty })
    }

    pub(super) fn add_list(&mut self, items: &[ExprId]) -> Result<ExprList, TypeError> {
        let too_large = || TypeError::too_large(EXPR_LIMIT);
        let start = u32::try_from(self.snippets.lists.len()).map_err(|_| too_large())?;
        let len = u32::try_from(items.len()).map_err(|_| too_large())?;
        self.snippets.lists.extend_from_slice(items);
        Ok(ExprList { start, len })
    }

    pub(super) fn builtin(&mut self, op: Builtin, args: &[Typed], ty: Ty) -> Checked {
        if let Some(comparison) = op.comparison()
            && let Some(object) = args.iter().find(|e| self.contains_object(e.ty))
        {
            return Err(TypeError::operand(comparison, &self.show(object.ty)));
        }
        let ids: Vec<ExprId> = args.iter().map(|a| a.id).collect();
        let list = self.add_list(&ids)?;
        self.add(Expr::Builtin(op, list), ty)
    }

    /// The number of the parameter with this name.
    pub(crate) fn find_param(&self, name: &str) -> Option<u32> {
        let at = self.params.iter().position(|p| self.snippets.str(p.name) == name)?;
        u32::try_from(at).ok()
    }

    /// Builds a parameter.
    ///
    /// # Errors
    /// Like all builder methods, fails if the expression is ill-typed, or if the snippet is too large or too deeply
    /// nested.
    pub(crate) fn param(&mut self, index: u32) -> Checked {
        let ty = self.params.get(index as usize).map_or(Ty::UNKNOWN, |p| p.ty);
        self.add(Expr::Param(index), ty)
    }

    /// The number of an output parameter, if the expression is one.
    pub(crate) fn as_output(&self, e: Typed) -> Option<u32> {
        match self.snippets.exprs[e.id] {
            Expr::Param(index) if self.params.get(index as usize).is_some_and(|p| p.out) => Some(index),
            _ => None,
        }
    }

    /// Declares a local.
    ///
    /// # Errors
    /// The snippet has too many locals.
    pub(crate) fn new_local(&mut self, ty: Ty) -> Result<LocalId, TypeError> {
        if self.locals.len() >= EXPR_LIMIT {
            return Err(TypeError::too_large(EXPR_LIMIT));
        }
        Ok(self.locals.push(ty))
    }

    /// Builds a read of a local.
    pub(crate) fn local(&mut self, local: LocalId) -> Checked {
        let ty = self.locals.get(local).copied().unwrap_or(Ty::UNKNOWN);
        self.add(Expr::Local(local), ty)
    }

    /// Builds a null pointer of this type.
    pub(crate) fn null(&mut self, ty: Ty) -> Checked {
        self.add(Expr::Null, ty)
    }

    /// Builds `true` or `false`.
    pub(crate) fn bool(&mut self, value: bool) -> Checked {
        self.add(Expr::Bool(value), Ty::BOOL)
    }

    /// Builds an integer literal.
    pub(crate) fn int(&mut self, value: i128, ty: IntTy) -> Checked {
        self.add(Expr::Int(ty.wrap(value)), Ty::one(Item::Int(ty)))
    }

    /// Builds an entry of an enumeration.
    pub(crate) fn enum_case(&mut self, id: EnumId, value: u64) -> Checked {
        self.add(Expr::Int(i128::from(value)), Ty::one(Item::Enum(id)))
    }

    /// Builds a float literal.
    pub(crate) fn double(&mut self, value: f64) -> Checked {
        self.add(Expr::Double(value), Ty::DOUBLE)
    }

    /// Builds a string literal.
    pub(crate) fn str(&mut self, text: &str) -> Checked {
        let id = self.snippets.intern(text);
        self.add(Expr::Str(id), Ty::STR)
    }

    /// Builds an expression without a value: `$_builder` or a context.
    pub(crate) fn opaque(&mut self, item: Item) -> Checked {
        self.add(Expr::Null, Ty::one(item))
    }

    /// Builds `a, b`.
    pub(crate) fn then(&mut self, a: Typed, b: Typed) -> Checked {
        self.add(Expr::Then(a.id, b.id), b.ty)
    }

    /// Builds an expression that assigns a local and then evaluates the rest.
    pub(crate) fn bind(&mut self, local: LocalId, value: Typed, rest: Typed) -> Checked {
        self.add(Expr::Let(local, value.id, rest.id), rest.ty)
    }

    /// Builds a call of a generated accessor with this result type.
    pub(crate) fn member(&mut self, op: Typed, member: Member, ty: Ty) -> Checked {
        let raw = match member {
            Member::Operands(GroupRef::One(_) | GroupRef::FromEnd(_))
            | Member::Results(GroupRef::One(_) | GroupRef::FromEnd(_)) => Ty::VALUE,
            Member::Operands(_) | Member::Results(_) => Ty::range(Item::Value),
            Member::Attr(_) => Ty::ATTR,
            Member::UnitAttr(_) => Ty::BOOL,
            Member::Param(..) => ty,
        };
        let e = self.add(Expr::Member(op.id, member), raw)?;
        if raw == ty {
            return Ok(e);
        }
        if raw == Ty::range(Item::Value) {
            // The accessor of a group with at most one value returns null for an empty group.
            let local = self.new_local(raw)?;
            let group = self.local(local)?;
            let is_empty = self.builtin(Builtin::IsEmpty, &[group], Ty::BOOL)?;
            let first = self.builtin(Builtin::Front, &[group], Ty::VALUE)?;
            let null = self.add(Expr::Null, Ty::VALUE)?;
            let value = self.add(Expr::Select(is_empty.id, null.id, first.id), Ty::VALUE)?;
            return self.bind(local, e, value);
        }
        match ty.item {
            Item::Value | Item::Attr(_) | Item::Bool if raw.item == ty.item => Ok(Typed { ty, ..e }),
            Item::Attr(_) => Ok(Typed { ty, ..e }),
            Item::Type(_) if raw == Ty::ATTR && ty.form == Form::One => {
                let held = self.builtin(Builtin::AttrHeldType, &[e], Ty::TYPE)?;
                Ok(Typed { ty, ..held })
            }
            item if raw == Ty::ATTR && ty.form == Form::Optional => {
                let local = self.new_local(raw)?;
                let attr = self.local(local)?;
                let is_present = self.truth(attr)?;
                let value = match item {
                    Item::Type(_) => self.builtin(Builtin::AttrHeldType, &[attr], Ty::one(item))?,
                    _ => self.add(Expr::Convert(attr.id, item), Ty::one(item))?,
                };
                let nothing = self.add(Expr::Null, ty)?;
                let value = self.add(Expr::Select(is_present.id, value.id, nothing.id), ty)?;
                self.bind(local, e, value)
            }
            item if raw == Ty::ATTR && ty.form == Form::Range => {
                let elements = self.builtin(Builtin::AttrElements, &[e], Ty::range(Item::Unknown))?;
                self.add(Expr::Convert(elements.id, item), ty)
            }
            item if raw.form == Form::One => self.add(Expr::Convert(e.id, item), ty),
            _ => Ok(Typed { ty, ..e }),
        }
    }

    /// Builds `m_Constant(&$0)`.
    pub(crate) fn constant_matcher(&mut self, output: u32) -> Checked {
        let output = self.int(i128::from(output), IntTy::I64)?;
        self.builtin(Builtin::MatchConstant, &[output], Ty::one(Item::Matcher))
    }

    /// Builds `t.hasTrait<ValueSemantics>()`.
    pub(crate) fn has_value_semantics(&mut self, e: Typed) -> Checked {
        self.builtin(Builtin::HasValueSemantics, &[e], Ty::BOOL)
    }

    /// The table of snippets, for adding classes and enumerations.
    pub(crate) fn snippets(&mut self) -> &mut Snippets {
        self.snippets
    }

    /// Adds an entry for a native with these kinds of arguments and results, unless the table has such an entry.
    pub(super) fn add_native(
        &mut self,
        name: &str,
        params: Vec<Option<Kind>>,
        results: Vec<Option<Kind>>,
    ) -> Result<NativeId, TypeError> {
        let name = self.snippets.intern(name);
        let (matching, span) = (self.matching, self.span);
        let found = self.snippets.natives.iter_enumerated().find(|(_, n)| {
            n.name == name && n.params == params && n.results == results && n.matching == matching
        });
        if let Some((id, _)) = found {
            return Ok(id);
        }
        let native = NativeUse { name, params, results, matching, span };
        self.snippets.natives.try_push(native).ok_or_else(|| TypeError::too_large(EXPR_LIMIT))
    }

    /// Adds a class in which the native constraint `isa<Name>` decides membership, unless there is a class of this
    /// name.
    pub(crate) fn native_class_named(&mut self, cxx_name: &str, kind: Kind) -> Result<ClassId, TypeError> {
        if let Some(id) = self.snippets.find_class(cxx_name) {
            return Ok(id);
        }
        let matching = std::mem::replace(&mut self.matching, true);
        let native = self.add_native(&format!("isa<{cxx_name}>"), vec![Some(kind)], vec![]);
        self.matching = matching;
        Ok(self.snippets.add_class(cxx_name, ClassKind::Native(native?)))
    }

    /// Adds a class of a dialect without definitions.
    pub(crate) fn foreign_class(&mut self, cxx_name: &str, namespace: &str, kind: Kind) -> ClassId {
        let namespace = self.snippets.intern(namespace);
        let class = self.snippets.add_class(cxx_name, ClassKind::Foreign(kind, namespace));
        // The native `isa<…>` decides membership. Linking finds its name in the table of strings.
        let name = self.snippets.isa_name(&self.snippets.classes[class]);
        self.snippets.intern(&name);
        class
    }

    /// The native constraint that decides membership in the class.
    pub(super) fn native_class(&self, class: ObjectClass) -> Option<NativeId> {
        match self.snippets.classes[class.named()?].kind {
            ClassKind::Native(native) => Some(native),
            _ => None,
        }
    }

    /// The enumeration to which the value of an attribute of this type belongs; `None` if this is not the type of an
    /// enumeration attribute.
    pub(super) fn enum_of(&self, item: Item) -> Option<EnumId> {
        let Item::Attr(AttrClass::Named(class)) = item else { return None };
        match self.snippets.classes[class].kind {
            ClassKind::EnumAttr(_, id) | ClassKind::IntEnumAttr(_, id) => Some(id),
            _ => None,
        }
    }

    /// True if `a` is `b` or a class derived from it. All integer types count as the same type. Values and attributes
    /// count as derived from `OpFoldResult`.
    pub(super) fn item_is(&self, a: Item, b: Item) -> bool {
        match (a, b) {
            (Item::Type(a), Item::Type(b)) => a.is_a(b),
            (Item::Attr(AttrClass::Named(id)), Item::Attr(AttrClass::Integer | AttrClass::Typed)) => {
                matches!(self.snippets.classes[id].kind, ClassKind::IntEnumAttr(..))
            }
            (Item::Attr(a), Item::Attr(b)) => a.is_a(b),
            (Item::Op(_), Item::Op(None)) => true,
            (Item::Int(_), Item::Int(_)) => true,
            (Item::Attr(_) | Item::Value, Item::FoldResult) => true,
            _ => a == b,
        }
    }

    /// The C++ spelling of a type, for messages.
    pub(crate) fn show(&self, ty: Ty) -> String {
        let item = match ty.item {
            Item::Unknown => "unknown".into(),
            Item::Null => "nullptr".into(),
            Item::Bool => "bool".into(),
            Item::Int(t) => format!("{}int{}_t", if t.signed { "" } else { "u" }, t.bits),
            Item::Double => "double".into(),
            Item::Float => "float".into(),
            Item::Tuple(id) => self.show_tuple(id),
            Item::Str => "StringRef".into(),
            Item::ApInt => "APInt".into(),
            Item::ApFloat => "APFloat".into(),
            Item::Logical => "LogicalResult".into(),
            Item::Type(c) => self.show_class(ObjectClass::Type(c)),
            Item::Attr(c) => self.show_class(ObjectClass::Attr(c)),
            Item::Value => "Value".into(),
            Item::Op(None) => "Operation *".into(),
            Item::Op(Some(class)) => self.show_class(ObjectClass::Op(class)),
            Item::Use => "OpOperand".into(),
            Item::Location => "Location".into(),
            Item::Block => "Block *".into(),
            Item::Region => "Region *".into(),
            Item::FoldResult => "OpFoldResult".into(),
            Item::Enum(id) => self.snippets.str(self.snippets.enums[id].cxx_name).to_owned(),
            Item::Name => "OperationName".into(),
            Item::Builder => "Builder".into(),
            Item::Context => "MLIRContext *".into(),
            Item::AffineMap => "AffineMap".into(),
            Item::Matcher => "a matcher".into(),
            Item::Lambda => "a lambda".into(),
        };
        match ty.form {
            Form::One => item,
            Form::Optional => format!("optional<{item}>"),
            Form::Range => format!("range of {item}"),
            Form::Iterator => format!("iterator over {item}"),
        }
    }

    fn show_tuple(&self, id: TupleId) -> String {
        let Some(tuple) = self.snippets.tuples.get(id) else { return "a tuple".into() };
        match tuple.name {
            Some(name) => self.snippets.str(name).to_owned(),
            None => {
                let fields: Vec<String> = tuple.fields.iter().map(|&(_, ty)| self.show(ty)).collect();
                format!("tuple<{}>", fields.join(", "))
            }
        }
    }

    pub(crate) fn show_class(&self, class: ObjectClass) -> String {
        if let Some(id) = class.named() {
            return self.snippets.str(self.snippets.classes[id].cxx_name).to_owned();
        }
        match class {
            ObjectClass::Type(c) => c.cxx_name(),
            ObjectClass::Attr(c) => c.cxx_name(),
            ObjectClass::Op(_) | ObjectClass::AnyOp => "Operation".into(),
            ObjectClass::Value => "Value".into(),
            ObjectClass::OpResult => "OpResult".into(),
            ObjectClass::BlockArgument => "BlockArgument".into(),
        }
    }

    /// Adds the snippet to the table.
    pub(crate) fn finish(self, root: Typed, result: SnippetResult, text: &str) -> SnippetId {
        let text = self.snippets.intern(text);
        let is_uniqued =
            |p: &Param| !matches!(p.ty.item, Item::Value | Item::Op(_) | Item::Use | Item::Unknown);
        let takes_uniqued = self.params.iter().all(|p| is_uniqued(p) && !p.out);
        let locals = u32::try_from(self.locals.len()).expect("`new_local` bounds the locals");
        let id = self.snippets.snippets.push(Snippet {
            params: self.params,
            result,
            text,
            span: self.span,
            pure: false,
            rewrites: false,
            constraint: None,
            root: root.id,
            locals,
        });
        // Functions that call each other record only the effects of the functions that precede them. All functions are
        // complete now.
        let (mut calls_native, mut rewrites) = (self.calls_native, self.rewrites);
        for expr in self.snippets.expressions_of(id) {
            let Expr::Call(function, ..) = expr else { continue };
            if let Some(called) = self.snippets.functions.get(*function) {
                calls_native |= called.calls_native;
                rewrites |= called.rewrites;
            }
        }
        let snippet = &mut self.snippets.snippets[id];
        snippet.pure = takes_uniqued && !calls_native && !rewrites;
        snippet.rewrites = rewrites;
        id
    }
}
