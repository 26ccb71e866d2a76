//! The typed builder: every expression is checked when it is made.
//!
//! Goes in: what a front end has read, one construct at a time. Comes out: an expression of the
//! arena with its static type, or the reason why there is none. The rules are C++'s, as far as
//! rules use them: usual arithmetic conversions, contextual conversion to `bool`, implicit upcasts
//! and never a downcast. What only a native could have said ([`Item::Unknown`]) is let through and
//! checked when it is evaluated.

use hashbrown::HashMap;

use super::builtin::{Arg, Builtin, Gives, On, ROWS, Row, rows};
use super::expr::{
    BinaryOp, CastMode, ClassKind, DEPTH_LIMIT, Expr, ExprId, ExprList, Member, NativeId, NativeUse,
    ObjectClass, Param, PlanId, Snippet, SnippetResult, Snippets, TruthBy,
};
use super::ty::{AttrClass, Form, IntTy, Item, Ty, TypeClass};
use super::{BodyParam, GroupRef, SnippetId, type_error::TypeError};
use crate::host::Kind;
use crate::id::Id;
use crate::intern::StrId;
use crate::source::Span;

/// An expression with its static type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Typed {
    pub(crate) id: ExprId,
    /// Its type.
    pub ty: Ty,
}

type Checked = Result<Typed, TypeError>;

/// What a property is to C++, and how an attribute holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyTy {
    /// Its type.
    pub ty: Ty,
    /// How an attribute holds it if it is an enumeration's.
    pub enumeration: EnumForm,
}

/// How an attribute holds a value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumForm {
    /// A signless integer of this width.
    Integer(u32),
    /// An attribute of this class.
    Attr(super::ClassId),
}

impl From<Ty> for PropertyTy {
    fn from(ty: Ty) -> Self {
        Self { ty, enumeration: EnumForm::Integer(32) }
    }
}

/// How many expressions one snippet may have.
const EXPR_LIMIT: usize = 100_000;

/// Builds one snippet.
pub struct Builder<'a> {
    pub(crate) snippets: &'a mut Snippets,
    params: Vec<Param>,
    span: Span,
    /// Whether natives are asked while matching.
    matching: bool,
    locals: Vec<Ty>,
    lambdas: HashMap<ExprId, (Ty, u32)>,
    calls_native: bool,
    rewrites: bool,
    start: usize,
    depths: Vec<u32>,
}

impl<'a> Builder<'a> {
    /// A builder of a snippet with these parameters; `matching` says whether it is a constraint.
    pub fn new(snippets: &'a mut Snippets, params: Vec<Param>, span: Span, matching: bool) -> Self {
        let start = snippets.exprs.len();
        Self {
            snippets,
            params,
            span,
            matching,
            locals: Vec::new(),
            lambdas: HashMap::new(),
            calls_native: false,
            rewrites: false,
            start,
            depths: Vec::new(),
        }
    }

    fn add(&mut self, expr: Expr, ty: Ty) -> Checked {
        if self.snippets.exprs.len() - self.start >= EXPR_LIMIT {
            return Err(TypeError::too_large(EXPR_LIMIT));
        }
        let depth = expr.depth(self.snippets, |id| self.depths.get(id.index() - self.start).copied());
        if depth > DEPTH_LIMIT {
            return Err(TypeError::too_deep(DEPTH_LIMIT));
        }
        self.depths.push(depth);
        let id = self.snippets.exprs.try_push(expr).ok_or_else(|| TypeError::too_large(EXPR_LIMIT))?;
        Ok(Typed { id, ty })
    }

    fn add_list(&mut self, items: &[ExprId]) -> Result<ExprList, TypeError> {
        let too_large = || TypeError::too_large(EXPR_LIMIT);
        let start = u32::try_from(self.snippets.lists.len()).map_err(|_| too_large())?;
        let len = u32::try_from(items.len()).map_err(|_| too_large())?;
        self.snippets.lists.extend_from_slice(items);
        Ok(ExprList { start, len })
    }

    fn builtin(&mut self, op: Builtin, args: &[Typed], ty: Ty) -> Checked {
        let ids: Vec<ExprId> = args.iter().map(|a| a.id).collect();
        let list = self.add_list(&ids)?;
        self.add(Expr::Builtin(op, list), ty)
    }

    /// What the parameter of this name stands for.
    pub fn find_param(&self, name: &str) -> Option<u32> {
        let at = self.params.iter().position(|p| self.snippets.str(p.name) == name)?;
        u32::try_from(at).ok()
    }
    /// A parameter.
    ///
    /// # Errors
    /// As all of these: what is asked for is ill-typed, or the snippet grows past its bound.
    pub fn param(&mut self, index: u32) -> Checked {
        let ty = self.params.get(index as usize).map_or(Ty::UNKNOWN, |p| p.ty);
        self.add(Expr::Param(index), ty)
    }
    /// The parameter an expression is, if it is one that the snippet binds.
    pub fn as_output(&self, e: Typed) -> Option<u32> {
        match self.snippets.exprs[e.id] {
            Expr::Param(index) if self.params.get(index as usize).is_some_and(|p| p.out) => Some(index),
            _ => None,
        }
    }
    /// A new local of this type.
    pub fn new_local(&mut self, ty: Ty) -> u32 {
        self.locals.push(ty);
        u32::try_from(self.locals.len() - 1).unwrap_or(u32::MAX)
    }
    /// A local.
    pub fn local(&mut self, index: u32) -> Checked {
        let ty = self.locals.get(index as usize).copied().unwrap_or(Ty::UNKNOWN);
        self.add(Expr::Local(index), ty)
    }
    /// A null of this type.
    pub fn null(&mut self, ty: Ty) -> Checked {
        self.add(Expr::Null, ty)
    }
    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) -> Checked {
        self.add(Expr::Bool(value), Ty::BOOL)
    }
    /// An integer.
    pub fn int(&mut self, value: i128, ty: IntTy) -> Checked {
        self.add(Expr::Int(ty.wrap(value)), Ty::one(Item::Int(ty)))
    }
    /// An entry of an enumeration.
    pub fn enum_case(&mut self, id: super::EnumId, value: u64) -> Checked {
        self.add(Expr::Int(i128::from(value)), Ty::one(Item::Enum(id)))
    }
    /// A float.
    pub fn double(&mut self, value: f64) -> Checked {
        self.add(Expr::Double(value), Ty::DOUBLE)
    }
    /// A string.
    pub fn str(&mut self, text: &str) -> Checked {
        let id = self.snippets.intern(text);
        self.add(Expr::Str(id), Ty::STR)
    }
    /// `$_builder` and `getContext()`: nothing is kept of them.
    pub fn opaque(&mut self, item: Item) -> Checked {
        self.add(Expr::Null, Ty::one(item))
    }

    /// Contextual conversion to `bool`.
    pub fn truth(&mut self, e: Typed) -> Checked {
        self.expect_result(e, Ty::BOOL)?;
        let by = match (e.ty.form, e.ty.item) {
            (Form::One, Item::Bool) => return Ok(e),
            (Form::One, Item::Int(_) | Item::Double | Item::Unknown) => TruthBy::Value,
            (Form::Optional, _) => TruthBy::Presence,
            (
                Form::One,
                Item::Type(_)
                | Item::Attr(_)
                | Item::AffineMap
                | Item::Value
                | Item::Op(_)
                | Item::Null
                | Item::Location,
            ) => TruthBy::Presence,
            _ => return Err(TypeError::not_bool(&self.show(e.ty))),
        };
        self.add(Expr::Truth(e.id, by), Ty::BOOL)
    }
    /// `!e`; of an `APInt`, which is neither true nor false, whether it is zero.
    #[allow(clippy::should_implement_trait, reason = "named after what it builds")]
    pub fn not(&mut self, e: Typed) -> Checked {
        if e.ty == Ty::one(Item::ApInt) {
            return self.builtin(Builtin::IsZero, &[e], Ty::BOOL);
        }
        let e = self.truth(e)?;
        self.add(Expr::Not(e.id), Ty::BOOL)
    }
    /// `a && b`.
    pub fn and(&mut self, a: Typed, b: Typed) -> Checked {
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        self.add(Expr::And(a.id, b.id), Ty::BOOL)
    }
    /// `a || b`.
    pub fn or(&mut self, a: Typed, b: Typed) -> Checked {
        let (a, b) = (self.truth(a)?, self.truth(b)?);
        self.add(Expr::Or(a.id, b.id), Ty::BOOL)
    }
    /// `c ? a : b`.
    pub fn select(&mut self, c: Typed, a: Typed, b: Typed) -> Checked {
        let c = self.truth(c)?;
        let (a, b, ty) = self.unify(a, b)?;
        self.add(Expr::Select(c.id, a.id, b.id), ty)
    }
    /// `a, b`.
    pub fn then(&mut self, a: Typed, b: Typed) -> Checked {
        self.add(Expr::Then(a.id, b.id), b.ty)
    }
    /// A local's value, and what is evaluated with it.
    pub fn bind(&mut self, local: u32, value: Typed, rest: Typed) -> Checked {
        self.add(Expr::Let(local, value.id, rest.id), rest.ty)
    }
    /// `$0 = e`.
    pub fn assign(&mut self, output: u32, e: Typed) -> Checked {
        let ty = self.params.get(output as usize).map_or(Ty::UNKNOWN, |p| p.ty);
        let e = self.convert(e, ty)?;
        self.add(Expr::Assign(output, e.id), ty)
    }

    /// `-e`, `+e`, `~e`.
    pub fn unary(&mut self, sign: char, e: Typed) -> Checked {
        let item = match (e.ty.form, e.ty.item) {
            (Form::One, Item::Bool | Item::Enum(_)) => Item::Int(IntTy::I32),
            (Form::One, Item::Int(t)) => Item::Int(t.common(IntTy::I32)),
            (Form::One, item @ (Item::ApInt | Item::Unknown)) => item,
            (Form::One, item @ (Item::Double | Item::ApFloat)) if sign != '~' => item,
            _ => return Err(TypeError::operand(&sign.to_string(), &self.show(e.ty))),
        };
        let item = match (sign, e.ty.item) {
            ('~', Item::Enum(_)) => e.ty.item,
            _ => item,
        };
        let ty = Ty::one(item);
        match sign {
            '-' => self.add(Expr::Neg(e.id, item), ty),
            '~' => self.add(Expr::BitNot(e.id, item), ty),
            _ => self.convert(e, ty),
        }
    }

    /// `*e`; also what `->` does before the member.
    pub fn deref(&mut self, e: Typed) -> Checked {
        match (e.ty.form, e.ty.item) {
            (Form::Optional | Form::Iterator, item) => self.add(Expr::Deref(e.id), Ty::one(item)),
            (Form::One, Item::Unknown | Item::Op(_) | Item::Use) => self.add(Expr::Deref(e.id), e.ty),
            _ => Err(TypeError::operand("*", &self.show(e.ty))),
        }
    }

    /// `a op b`.
    pub fn binary(&mut self, op: BinaryOp, a: Typed, b: Typed) -> Checked {
        let mismatch = |this: &Self| TypeError::operands(op, &this.show(a.ty), &this.show(b.ty));
        let result = |item: Item| if op.compares() { Ty::BOOL } else { Ty::one(item) };
        let equality = matches!(op, BinaryOp::Eq | BinaryOp::Ne);
        let (ia, ib) = (a.ty.item, b.ty.item);
        if a.ty.form == Form::Iterator {
            return match (op, b.ty.form, ib) {
                (BinaryOp::Add | BinaryOp::Sub, Form::One, Item::Int(_)) => {
                    let b = if op == BinaryOp::Sub { self.unary('-', b)? } else { b };
                    self.builtin(Builtin::Next, &[a, b], a.ty)
                }
                (BinaryOp::Sub, Form::Iterator, _) => self.builtin(Builtin::Distance, &[b, a], Ty::I64),
                (_, form, item) if equality && (form == Form::Iterator || item == Item::Unknown) => {
                    self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL)
                }
                _ => Err(mismatch(self)),
            };
        }
        if ia == Item::Unknown || ib == Item::Unknown {
            let item = if op.compares() {
                Item::Unknown
            } else if ia == Item::Unknown {
                ib
            } else {
                ia
            };
            return self.add(Expr::Binary(op, item, a.id, b.id), result(item));
        }
        if equality && (ia == Item::Null || ib == Item::Null) {
            let other = if ia == Item::Null { b } else { a };
            let pointer = other.ty.form == Form::Optional
                || matches!(
                    other.ty.item,
                    Item::Type(_) | Item::Attr(_) | Item::Value | Item::Op(_) | Item::Null
                );
            if !pointer {
                return Err(mismatch(self));
            }
            return self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL);
        }
        if a.ty.form == Form::Range || b.ty.form == Form::Range {
            if !equality || a.ty.form != b.ty.form || !same_kind(ia, ib) {
                return Err(mismatch(self));
            }
            return self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL);
        }
        if a.ty.form == Form::Optional || b.ty.form == Form::Optional {
            if !equality || !same_kind(ia, ib) {
                return Err(mismatch(self));
            }
            return self.add(Expr::Binary(op, Item::Unknown, a.id, b.id), Ty::BOOL);
        }
        let item = match (ia, ib) {
            (Item::Enum(x), Item::Enum(y)) if x == y => match op {
                BinaryOp::And | BinaryOp::Or | BinaryOp::Xor => ia,
                _ if op.compares() => Item::Int(IntTy::U64),
                _ => return Err(mismatch(self)),
            },
            (Item::Int(_) | Item::Bool | Item::Enum(_), Item::Int(_) | Item::Bool | Item::Enum(_)) => {
                let int = |item: Item| match item {
                    Item::Int(t) => t,
                    Item::Enum(_) => IntTy::U64,
                    _ => IntTy::I32,
                };
                match op {
                    BinaryOp::Shl | BinaryOp::Shr => Item::Int(int(ia).common(IntTy::I32)),
                    _ => Item::Int(int(ia).common(int(ib))),
                }
            }
            (Item::ApInt, Item::ApInt | Item::Int(_) | Item::Bool) | (Item::Int(_), Item::ApInt) => {
                if !equality && op.compares() || matches!(op, BinaryOp::Div | BinaryOp::Rem | BinaryOp::Shr) {
                    return Err(
                        mismatch(self).with_help("APInt has ult, slt, udiv, … that say which sign is meant")
                    );
                }
                Item::ApInt
            }
            (Item::Double | Item::Int(_), Item::Double | Item::Int(_)) if is_arithmetic(op) => Item::Double,
            (Item::ApFloat, Item::ApFloat) if is_arithmetic(op) => Item::ApFloat,
            (Item::Str | Item::Name | Item::Attr(_), Item::Str | Item::Name | Item::Attr(_))
                if matches!(ia, Item::Str | Item::Name) || matches!(ib, Item::Str | Item::Name) =>
            {
                if !op.compares() && op != BinaryOp::Add {
                    return Err(mismatch(self));
                }
                let a = self.convert(a, Ty::STR)?;
                let b = self.convert(b, Ty::STR)?;
                return self.add(Expr::Binary(op, Item::Str, a.id, b.id), result(Item::Str));
            }
            _ if equality && same_kind(ia, ib) => Item::Unknown,
            _ => return Err(mismatch(self)),
        };
        self.add(Expr::Binary(op, item, a.id, b.id), result(item))
    }

    /// `e[i]`.
    pub fn index(&mut self, e: Typed, index: Typed) -> Checked {
        let e = if e.ty.form == Form::Iterator { e } else { self.as_range(e)? };
        let index = self.convert(index, Ty::I64)?;
        self.builtin(Builtin::At, &[e, index], Ty::one(e.ty.item))
    }

    /// `{ a, b }`.
    pub fn list(&mut self, items: &[Typed]) -> Checked {
        let mut item = items.first().map_or(Item::Null, |e| e.ty.item);
        for e in items {
            if item != e.ty.item {
                item = self
                    .common_item(item, e.ty.item)
                    .ok_or_else(|| TypeError::mixed_list(&self.show(Ty::one(item)), &self.show(e.ty)))?;
            }
        }
        let ids: Vec<ExprId> = items.iter().map(|e| e.id).collect();
        let list = self.add_list(&ids)?;
        self.add(Expr::List(list), Ty::range(item))
    }

    /// A lambda over locals made for it, the first of which is `first`.
    pub fn lambda(&mut self, first: u32, params: u32, body: Typed) -> Checked {
        let lambda = self.add(Expr::Lambda { first, params, body: body.id }, Ty::one(Item::Lambda))?;
        self.lambdas.insert(lambda.id, (body.ty, params));
        Ok(lambda)
    }
    /// A lambda called where it stands.
    pub fn call_lambda(&mut self, lambda: Typed, args: &[Typed]) -> Checked {
        let Expr::Lambda { first, params, body } = self.snippets.exprs[lambda.id] else {
            return Err(TypeError::not_callable(&self.show(lambda.ty)));
        };
        if params as usize != args.len() {
            return Err(TypeError::lambda_args(params as usize, args.len()));
        }
        let (ty, _) = self.lambdas.get(&lambda.id).copied().unwrap_or((Ty::UNKNOWN, 0));
        let mut rest = Typed { id: body, ty };
        for (local, arg) in (first..first.saturating_add(params)).zip(args).rev() {
            let to = self.locals.get(local as usize).copied().unwrap_or(Ty::UNKNOWN);
            let arg = self.convert(*arg, to)?;
            rest = self.bind(local, arg, rest)?;
        }
        Ok(rest)
    }

    /// Whether `e` is of one of these classes.
    ///
    /// # Errors
    /// Nothing of its type can be of one of them.
    pub fn isa(&mut self, e: Typed, classes: &[ObjectClass], null_is_false: bool) -> Checked {
        let mut holds: Option<Typed> = None;
        for &class in classes {
            self.check_class(e, class)?;
            let one = self.class_test(e, class)?;
            holds = Some(match holds {
                Some(before) => self.or(before, one)?,
                None => one,
            });
        }
        let holds = match holds {
            Some(holds) => holds,
            None => self.bool(false)?,
        };
        if null_is_false {
            let present = self.add(Expr::Truth(e.id, TruthBy::Presence), Ty::BOOL)?;
            return self.and(present, holds);
        }
        // `isa` of null is an assertion in C++: here the snippet fails.
        let there = self.add(Expr::Deref(e.id), e.ty)?;
        self.then(there, holds)
    }

    fn class_test(&mut self, e: Typed, class: ObjectClass) -> Checked {
        if self.native_class(class).is_some() {
            self.calls_native = true;
        }
        let test = self.add(Expr::IsA(e.id, class), Ty::BOOL)?;
        let interface = class.named().map(|id| &self.snippets.classes[id]);
        let Some(interface) = interface.filter(|class| matches!(class.kind, ClassKind::OneOf(..))) else {
            return Ok(test);
        };
        // What C++ attaches beside definitions a native can tell.
        let name = interface.isa_name(self.snippets);
        let name = self.snippets.intern(&name);
        self.add(Expr::Function(name, test.id), Ty::BOOL)
    }

    fn native_class(&self, class: ObjectClass) -> Option<NativeId> {
        let id = match class {
            ObjectClass::Type(TypeClass::Named(id))
            | ObjectClass::Attr(AttrClass::Named(id))
            | ObjectClass::Op(id) => id,
            _ => return None,
        };
        match self.snippets.classes[id].kind {
            ClassKind::Native(native) => Some(native),
            _ => None,
        }
    }

    /// `cast<C>(e)` and its kin.
    ///
    /// # Errors
    /// Nothing of its type can be of the class.
    pub fn cast(&mut self, e: Typed, class: ObjectClass, mode: CastMode) -> Checked {
        self.check_class(e, class)?;
        if self.native_class(class).is_some() {
            self.calls_native = true;
        }
        self.add(Expr::Cast(e.id, class, mode), Ty::one(class.item()))
    }

    fn check_class(&self, e: Typed, class: ObjectClass) -> Result<(), TypeError> {
        let fits = e.ty.form != Form::Range
            && match class {
                ObjectClass::Type(_) => matches!(e.ty.item, Item::Type(_)),
                ObjectClass::Attr(_) => matches!(e.ty.item, Item::Attr(_) | Item::Location),
                ObjectClass::Op(_) | ObjectClass::AnyOp => matches!(e.ty.item, Item::Op(_) | Item::Value),
                ObjectClass::Value | ObjectClass::OpResult | ObjectClass::BlockArgument => {
                    e.ty.item == Item::Value
                }
            };
        if fits || e.ty.is_unknown() {
            return Ok(());
        }
        Err(TypeError::cast(&self.show(e.ty), &self.show_class(class)))
    }

    /// What an accessor generated for an operation's definition gives.
    pub fn member(&mut self, op: Typed, member: Member, ty: Ty) -> Checked {
        let raw = match member {
            Member::Operands(GroupRef::One(_) | GroupRef::FromEnd(_))
            | Member::Results(GroupRef::One(_) | GroupRef::FromEnd(_)) => Ty::VALUE,
            Member::Operands(_) | Member::Results(_) => ty,
            Member::Attr(_) => Ty::ATTR,
            Member::UnitAttr(_) => Ty::BOOL,
            Member::Param(..) => ty,
        };
        let e = self.add(Expr::Member(op.id, member), raw)?;
        if raw == ty {
            return Ok(e);
        }
        match ty.item {
            Item::Value | Item::Attr(_) | Item::Bool if raw.item == ty.item => Ok(Typed { ty, ..e }),
            Item::Attr(_) => Ok(Typed { ty, ..e }),
            item if raw.form == Form::One => self.add(Expr::Convert(e.id, item), ty),
            _ => Ok(Typed { ty, ..e }),
        }
    }

    /// `X::get(context, args…)` of a dialect's class of attributes or types whose definition says how it is
    /// written; `None`: it does not, or there are not as many parameters.
    pub fn make(&mut self, class: ObjectClass, args: &[Typed]) -> Option<Checked> {
        let id = class.named()?;
        let (ClassKind::Type(text) | ClassKind::Attr(text) | ClassKind::EnumAttr(text, _)) =
            self.snippets.classes[id].kind
        else {
            return None;
        };
        let params: Vec<Ty> = self.snippets.body(text)?.params.iter().map(BodyParam::ty).collect();
        let args: Vec<Typed> =
            args.iter().copied().filter(|e| !matches!(e.ty.item, Item::Context | Item::Builder)).collect();
        let number = u32::try_from(params.len()).unwrap_or(0);
        if args.len() != params.len() || !(0..number).all(|param| self.snippets.can_write(text, param)) {
            return None;
        }
        let name = format!("{}::get", self.show_class(class));
        let mut ids = Vec::with_capacity(args.len());
        for (index, (arg, ty)) in args.into_iter().zip(params).enumerate() {
            match self.convert(arg, ty) {
                Ok(arg) => ids.push(arg.id),
                Err(error) => return Some(Err(error.in_argument(index + 1, &name))),
            }
        }
        let list = self.add_list(&ids);
        Some(list.and_then(|list| self.add(Expr::Make(text, list), Ty::one(class.item()))))
    }

    /// `XOp::create(builder, loc, args…)`.
    pub fn create(&mut self, class: super::ClassId, plan: PlanId, loc: Typed, args: &[Typed]) -> Checked {
        let mut ids = vec![self.convert(loc, Ty::LOCATION)?.id];
        ids.extend(args.iter().map(|a| a.id));
        let list = self.add_list(&ids)?;
        self.rewrites = true;
        self.add(Expr::Create(plan, list), Ty::one(Item::Op(Some(class))))
    }

    /// A call of a native; `outputs` are parameters of the snippet that it binds.
    pub fn native(&mut self, name: &str, args: &[Typed], outputs: &[u32], ty: Ty) -> Checked {
        let inputs: Vec<Typed> =
            args.iter().copied().filter(|a| !matches!(a.ty.item, Item::Builder | Item::Context)).collect();
        let params: Vec<Option<Kind>> = inputs.iter().map(|a| a.ty.kind()).collect();
        let mut results: Vec<Option<Kind>> = Vec::new();
        if outputs.is_empty() {
            results.push(ty.kind());
        }
        for &output in outputs {
            results.push(self.params.get(output as usize).and_then(|p| p.ty.kind()));
        }
        let id = self.add_native(name, params, results)?;
        let outs: Vec<ExprId> =
            outputs.iter().map(|&o| self.param(o).map(|e| e.id)).collect::<Result<_, _>>()?;
        let outs = self.add_list(&outs)?;
        let ids: Vec<ExprId> = inputs.iter().map(|a| a.id).collect();
        let list = self.add_list(&ids)?;
        self.calls_native = true;
        self.add(Expr::Native(id, list, outs), ty)
    }

    fn add_native(
        &mut self,
        name: &str,
        params: Vec<Option<Kind>>,
        results: Vec<Option<Kind>>,
    ) -> Result<NativeId, TypeError> {
        let name = self.snippets.intern(name);
        let (matching, span) = (self.matching, self.span);
        let known = self.snippets.natives.iter_enumerated().find(|(_, n)| {
            n.name == name && n.params == params && n.results == results && n.matching == matching
        });
        if let Some((id, _)) = known {
            return Ok(id);
        }
        let native = NativeUse { name, params, results, matching, span };
        self.snippets.natives.try_push(native).ok_or_else(|| TypeError::too_large(EXPR_LIMIT))
    }

    /// A class that only a native constraint `isa<Name>` can tell.
    pub fn native_class_named(&mut self, cxx_name: &str, kind: Kind) -> Result<super::ClassId, TypeError> {
        if let Some(id) = self.snippets.find_class(cxx_name) {
            return Ok(id);
        }
        let matching = std::mem::replace(&mut self.matching, true);
        let native = self.add_native(&format!("isa<{cxx_name}>"), vec![Some(kind)], vec![]);
        self.matching = matching;
        Ok(self.snippets.add_class(cxx_name, ClassKind::Native(native?)))
    }

    /// A call of the built-in function of this name; `None`: there is none.
    pub fn function(&mut self, name: &str, args: &[Typed], template: Option<Ty>) -> Option<Checked> {
        let mut rows = rows(name).filter(|row| row.on == On::Free).peekable();
        rows.peek()?;
        match self.call(name, rows, args, template) {
            // An overload that the table does not have: whoever knows it registers it.
            Err(error) if error.is_arity() => None,
            result => Some(result),
        }
    }

    /// A call of the built-in method of this name; `None`: there is none of this name.
    pub fn method(&mut self, on: Typed, name: &str, args: &[Typed], template: Option<Ty>) -> Option<Checked> {
        let named: Vec<&'static Row> = rows(name).filter(|row| row.on != On::Free).collect();
        if named.is_empty() {
            return None;
        }
        let mut all = vec![on];
        all.extend_from_slice(args);
        if on.ty.item == Item::Unknown && on.ty.form == Form::One {
            return Some(self.dynamic(name, &named, &all));
        }
        let mut fitting: Vec<&'static Row> =
            named.iter().copied().filter(|row| self.receives(row.on, on.ty)).collect();
        // An enum's attribute hides what the integer attribute it derives from has under the same name.
        fitting.sort_by_key(|row| row.on != On::Enum);
        if fitting.is_empty() {
            let named_class = matches!(
                on.ty.item,
                Item::Type(TypeClass::Named(_)) | Item::Attr(AttrClass::Named(_)) | Item::Op(Some(_))
            );
            if named_class || !lists_all_methods(on.ty) {
                return None;
            }
            let owners: Vec<String> = named.iter().map(|row| self.show_on(row.on)).collect();
            return Some(Err(TypeError::no_method(&self.show(on.ty), name, &owners)));
        }
        Some(self.call(name, fitting.into_iter(), &all, template))
    }

    fn dynamic(&mut self, name: &str, named: &[&'static Row], all: &[Typed]) -> Checked {
        let same = named.iter().all(|row| row.gives == named[0].gives);
        let ty = match named[0].gives {
            Gives::Ty(ty) if same => ty,
            _ => Ty::UNKNOWN,
        };
        let ids: Vec<ExprId> = all.iter().map(|a| a.id).collect();
        let list = self.add_list(&ids)?;
        let name = self.snippets.intern(name);
        self.add(Expr::Dynamic(name, list), ty)
    }

    pub(crate) fn receives(&self, on: On, ty: Ty) -> bool {
        match on {
            On::Free => false,
            On::Range => ty.form == Form::Range,
            On::RangeOf(item) => ty.form == Form::Range && self.item_is(ty.item, item),
            On::Optional => ty.form == Form::Optional,
            On::Enum => ty.form == Form::One && self.enum_of(ty.item).is_some(),
            On::One(item) => ty.form == Form::One && self.item_is(ty.item, item),
        }
    }

    fn enum_of(&self, item: Item) -> Option<super::EnumId> {
        let Item::Attr(AttrClass::Named(class)) = item else { return None };
        match self.snippets.classes[class].kind {
            ClassKind::EnumAttr(_, id) | ClassKind::IntEnumAttr(_, id) => Some(id),
            _ => None,
        }
    }

    /// Whether everything of item `a` is of item `b`.
    fn item_is(&self, a: Item, b: Item) -> bool {
        match (a, b) {
            (Item::Type(a), Item::Type(b)) => a.is_a(b),
            (Item::Attr(AttrClass::Named(id)), Item::Attr(AttrClass::Integer | AttrClass::Typed)) => {
                matches!(self.snippets.classes[id].kind, ClassKind::IntEnumAttr(..))
            }
            (Item::Attr(a), Item::Attr(b)) => a.is_a(b),
            (Item::Op(_), Item::Op(None)) => true,
            (Item::Int(_), Item::Int(_)) => true,
            _ => a == b,
        }
    }

    fn call(
        &mut self,
        name: &str,
        rows: impl Iterator<Item = &'static Row>,
        args: &[Typed],
        template: Option<Ty>,
    ) -> Checked {
        let mut failed: Option<TypeError> = None;
        for row in rows {
            match self.try_row(name, row, args, template) {
                Ok(e) => return Ok(e),
                // The closest miss is the row with the right number of arguments.
                Err(error) => {
                    if failed.as_ref().is_none_or(TypeError::is_arity) {
                        failed = Some(error);
                    }
                }
            }
        }
        Err(failed.unwrap_or_else(|| TypeError::not_callable(name)))
    }

    fn try_row(&mut self, name: &str, row: &Row, args: &[Typed], template: Option<Ty>) -> Checked {
        let skip = usize::from(row.on != On::Free);
        let given = args.len() - skip;
        if given > row.args.len() || given + row.optional < row.args.len() {
            return Err(TypeError::arity(name, row.args.len() - row.optional, row.args.len(), given));
        }
        // Nothing is kept of a builder: what it makes is the host's.
        let builder = args.first().is_some_and(|a| skip == 1 && a.ty.item == Item::Builder);
        let mut passed: Vec<Typed> = if builder { vec![] } else { args[..skip].to_vec() };
        let mut element = args.first().map_or(Ty::UNKNOWN, |a| a.ty);
        for (i, (&want, &arg)) in row.args.iter().zip(&args[skip..]).enumerate() {
            let at = |error: TypeError| error.in_argument(i + 1, name);
            let arg = match want {
                Arg::Of(ty) => self.convert(arg, ty).map_err(at)?,
                Arg::Any => arg,
                Arg::Range => {
                    let arg = self.as_range(arg).map_err(at)?;
                    if i == 0 && skip == 0 {
                        element = arg.ty;
                    }
                    arg
                }
                Arg::Lambda => {
                    if arg.ty.item != Item::Lambda && !arg.ty.is_unknown() {
                        return Err(at(TypeError::convert(&self.show(arg.ty), "a lambda")));
                    }
                    arg
                }
                Arg::AnyInt | Arg::AnyFloat | Arg::Number => {
                    let arg = match (self.is_default(arg), want) {
                        (true, Arg::AnyFloat) => self.default_of(Ty::DOUBLE)?,
                        (true, _) => self.default_of(Ty::I64)?,
                        (false, _) => arg,
                    };
                    let integer =
                        matches!(arg.ty.item, Item::Int(_) | Item::Bool | Item::ApInt | Item::Enum(_));
                    let float = matches!(arg.ty.item, Item::Double | Item::ApFloat)
                        || want == Arg::AnyFloat && matches!(arg.ty.item, Item::Int(_));
                    let fits = (integer && want != Arg::AnyFloat) || (float && want != Arg::AnyInt);
                    if arg.ty.form != Form::One || !(fits || arg.ty.is_unknown()) {
                        return Err(at(TypeError::convert(&self.show(arg.ty), "a number")));
                    }
                    arg
                }
                Arg::Context => {
                    if !matches!(arg.ty.item, Item::Context | Item::Builder | Item::Unknown) {
                        return Err(at(TypeError::convert(&self.show(arg.ty), "MLIRContext *")));
                    }
                    continue;
                }
            };
            passed.push(arg);
        }
        let receiver = passed.first().copied();
        let ty = match row.gives {
            Gives::Ty(ty) => ty,
            Gives::Element => Ty::one(element.item),
            Gives::Same => receiver.map_or(Ty::UNKNOWN, |r| r.ty),
            Gives::Iterator => Ty { item: element.item, form: Form::Iterator },
            Gives::Item => Ty::one(element.item),
            Gives::LambdaRange => {
                let lambda = args.last().and_then(|l| self.lambdas.get(&l.id));
                Ty::range(lambda.map_or(Item::Unknown, |&(ty, _)| ty.item))
            }
            Gives::Common => {
                let items = args.iter().map(|a| a.ty.item);
                let common = |a: Item, b: Item| self.common_item(a, b).unwrap_or(Item::Double);
                Ty::one(items.reduce(common).unwrap_or(Item::Unknown))
            }
            Gives::Template | Gives::TemplateRange => template.unwrap_or(Ty::ATTR),
        };
        match (row.op, row.gives) {
            (Builtin::AttrEnum, _) => {
                let item = receiver.and_then(|r| self.enum_of(r.ty.item)).map_or(Item::Unknown, Item::Enum);
                let receiver = args[0];
                self.add(Expr::Convert(receiver.id, item), Ty::one(item))
            }
            (Builtin::ElementsAsRange, _) => {
                // `getAsValueRange<IntegerAttr>` gives what `getValue` gives.
                let item = match (name, ty.item) {
                    ("getAsValueRange", Item::Attr(AttrClass::Integer)) => Item::ApInt,
                    ("getAsValueRange", Item::Attr(AttrClass::Float)) => Item::ApFloat,
                    ("getAsValueRange", Item::Attr(AttrClass::String)) => Item::Str,
                    ("getAsValueRange", Item::Attr(AttrClass::Bool)) => Item::Bool,
                    ("getAsValueRange", Item::Attr(AttrClass::AffineMap)) => Item::AffineMap,
                    (_, item) => item,
                };
                let list = self.builtin(Builtin::AttrElements, &passed, Ty::range(Item::Unknown))?;
                self.add(Expr::Convert(list.id, item), Ty::range(item))
            }
            (Builtin::ElementsOf | Builtin::SplatValue, gives) => {
                let as_attr = self.bool(matches!(ty.item, Item::Attr(_)))?;
                passed.push(as_attr);
                let to = if gives == Gives::TemplateRange { Ty::range(ty.item) } else { ty };
                let e = self.builtin(row.op, &passed, Ty { item: Item::Unknown, ..to })?;
                self.add(Expr::Convert(e.id, ty.item), to)
            }
            (Builtin::OpAttr, Gives::Template) => {
                let e = self.builtin(row.op, &passed, Ty::ATTR)?;
                let Item::Attr(class) = ty.item else {
                    return Err(TypeError::convert(&self.show(ty), "an attribute class"));
                };
                self.cast(e, ObjectClass::Attr(class), CastMode::TryIfPresent)
            }
            (Builtin::OpHasAttr, _) if name == "hasAttrOfType" => {
                let e = self.builtin(Builtin::OpAttr, &passed, Ty::ATTR)?;
                let Item::Attr(class) = template.unwrap_or(Ty::ATTR).item else {
                    return Err(TypeError::not_callable(name));
                };
                let cast = self.cast(e, ObjectClass::Attr(class), CastMode::TryIfPresent)?;
                self.truth(cast)
            }
            (Builtin::NumericMax | Builtin::NumericMin | Builtin::NumericLowest, _) => {
                self.numeric_limit(row.op, template.unwrap_or(Ty::UNKNOWN))
            }
            _ => {
                let e = self.builtin(row.op, &passed, ty)?;
                if row.on != On::Free || name.contains("::") {
                    return Ok(e);
                }
                let name = self.snippets.intern(name);
                self.add(Expr::Function(name, e.id), ty)
            }
        }
    }

    fn numeric_limit(&mut self, op: Builtin, ty: Ty) -> Checked {
        match ty.item {
            Item::Int(int) => {
                let value = match (op, int.signed) {
                    (Builtin::NumericMax, true) => (1_i128 << (int.bits - 1)) - 1,
                    (Builtin::NumericMax, false) => (1_i128 << int.bits) - 1,
                    (_, true) => -(1_i128 << (int.bits - 1)),
                    (_, false) => 0,
                };
                self.int(value, int)
            }
            Item::Double => self.double(match op {
                Builtin::NumericMax => f64::MAX,
                Builtin::NumericMin => f64::MIN_POSITIVE,
                _ => f64::MIN,
            }),
            _ => Err(TypeError::convert(&self.show(ty), "a number")),
        }
    }

    /// A range of what `e` is: ranges themselves, array attributes, single things.
    pub fn as_range(&mut self, e: Typed) -> Checked {
        match (e.ty.form, e.ty.item) {
            (Form::Range, _) => Ok(e),
            (Form::One, Item::Unknown) => Ok(Typed { ty: Ty::range(Item::Unknown), ..e }),
            (Form::One, Item::Attr(class)) => {
                let item = match class {
                    AttrClass::Array => Item::Attr(AttrClass::Any),
                    AttrClass::DenseIntArray(1) => Item::Bool,
                    AttrClass::DenseIntArray(bits) => Item::Int(IntTy { bits, signed: true }),
                    AttrClass::DenseFloatArray(_) => Item::Double,
                    AttrClass::DenseIntElements => Item::ApInt,
                    AttrClass::DenseFloatElements => Item::ApFloat,
                    AttrClass::DenseElements | AttrClass::Elements => Item::Unknown,
                    _ => return Err(TypeError::convert(&self.show(e.ty), "a range")),
                };
                let op =
                    if class.is_a(AttrClass::Elements) { Builtin::ElementsOf } else { Builtin::AttrElements };
                self.builtin(op, &[e], Ty::range(item))
            }
            (Form::One, Item::Op(_)) => self.builtin(Builtin::OpResults, &[e], Ty::range(Item::Value)),
            (Form::One, Item::Value | Item::Type(_)) => self.list(&[e]),
            _ => Err(TypeError::convert(&self.show(e.ty), "a range")),
        }
    }

    /// The table, to add classes and enumerations to.
    pub fn snippets(&mut self) -> &mut Snippets {
        self.snippets
    }

    /// Says that a call of a native gives this many results; whether `e` is one.
    pub fn expect_many(&mut self, e: Typed, count: u32) -> bool {
        let Expr::Native(id, args, outs) = self.snippets.exprs[e.id] else { return false };
        let native = &self.snippets.natives[id];
        let (name, params) = (self.snippets.str(native.name).to_owned(), native.params.clone());
        match self.add_native(&name, params, vec![None; count as usize]) {
            Ok(id) if outs.len == 0 => {
                self.snippets.exprs[e.id] = Expr::Native(id, args, outs);
                true
            }
            _ => false,
        }
    }

    /// Says what a call of a native is taken for, where nothing is known of what it gives.
    fn expect_result(&mut self, e: Typed, to: Ty) -> Result<(), TypeError> {
        if let (Expr::Native(id, args, outs), Some(kind)) = (self.snippets.exprs[e.id], to.kind())
            && self.snippets.natives[id].results == [None]
        {
            let native = &self.snippets.natives[id];
            let (name, params) = (self.snippets.str(native.name).to_owned(), native.params.clone());
            let id = self.add_native(&name, params, vec![Some(kind)])?;
            self.snippets.exprs[e.id] = Expr::Native(id, args, outs);
        }
        Ok(())
    }

    /// `m_Constant(&$0)`.
    pub fn constant_matcher(&mut self, output: u32) -> Checked {
        let output = self.int(i128::from(output), IntTy::I64)?;
        self.builtin(Builtin::MatchConstant, &[output], Ty::one(Item::Matcher))
    }

    /// `t.hasTrait<ValueSemantics>()`.
    pub fn has_value_semantics(&mut self, e: Typed) -> Checked {
        self.builtin(Builtin::HasValueSemantics, &[e], Ty::BOOL)
    }

    /// The one type of a class whose types have no parameters.
    pub fn type_of_class(&mut self, class: TypeClass) -> Checked {
        let op = match class {
            TypeClass::Index => Builtin::Index,
            TypeClass::None => Builtin::NoneType,
            TypeClass::FloatOf(format) => {
                let text = self.str(format.name())?;
                return self.builtin(Builtin::TypeByClass, &[text], Ty::ty(class));
            }
            TypeClass::Named(id) => {
                let ClassKind::Type(text) = self.snippets.classes[id].kind else {
                    return Err(TypeError::not_callable(&self.show_class(ObjectClass::Type(class))));
                };
                let text = self.add(Expr::Str(text), Ty::STR)?;
                return self.builtin(Builtin::TypeByClass, &[text], Ty::ty(class));
            }
            _ => return Err(TypeError::not_callable(&class.cxx_name())),
        };
        self.builtin(op, &[], Ty::ty(class))
    }

    /// The attribute of an enumeration's class that holds a value; `None`: it is no such class.
    pub fn enum_attr(&mut self, class: super::ClassId, args: &[Typed]) -> Option<Checked> {
        let item = Item::Attr(AttrClass::Named(class));
        let id = self.enum_of(item)?;
        let value = match args {
            [value] => *value,
            [context, value] if matches!(context.ty.item, Item::Context | Item::Builder) => *value,
            _ => return None,
        };
        if value.ty.item != Item::Enum(id) && !value.ty.is_unknown() {
            let error = TypeError::convert(&self.show(value.ty), &self.show(Ty::one(Item::Enum(id))));
            return Some(Err(error));
        }
        let class = match self.snippets.classes[class].kind {
            ClassKind::EnumAttr(prefix, _) => self.add(Expr::Str(prefix), Ty::STR),
            ClassKind::IntEnumAttr(width, _) => self.int(i128::from(width), IntTy::U32),
            _ => return None,
        };
        Some(class.and_then(|class| self.make_enum_attr(id, class, value, Ty::one(item))))
    }

    /// `stringify` of a value of an enumeration.
    ///
    /// # Errors
    /// The snippet grows past its bound.
    pub fn enum_text(&mut self, id: super::EnumId, value: Typed) -> Checked {
        let args = self.with_cases(id, value)?;
        self.builtin(Builtin::EnumText, &args, Ty::STR)
    }

    /// `symbolize`: the value that a text or a number stands for, if it is one.
    ///
    /// # Errors
    /// It is neither, or the snippet grows past its bound.
    pub fn enum_value(&mut self, id: super::EnumId, of: Typed) -> Checked {
        let text = matches!(of.ty.item, Item::Str | Item::Attr(AttrClass::String));
        let of = self.convert(of, if text { Ty::STR } else { Ty::U64 })?;
        let args = self.with_cases(id, of)?;
        let op = if text { Builtin::EnumOfText } else { Builtin::EnumOfNumber };
        self.builtin(op, &args, Ty::optional(Item::Enum(id)))
    }

    /// `bitEnumContainsAll` and its kin: whether all, or any, of the bits of `bits` are in `value`.
    ///
    /// # Errors
    /// They are not of one enumeration.
    pub fn enum_contains(&mut self, value: Typed, bits: Typed, all: bool) -> Checked {
        let common = self.binary(BinaryOp::And, value, bits)?;
        if all {
            return self.binary(BinaryOp::Eq, common, bits);
        }
        let none = self.add(Expr::Int(0), value.ty)?;
        self.binary(BinaryOp::Ne, common, none)
    }

    /// `bitEnumSet` and `bitEnumClear`.
    ///
    /// # Errors
    /// They are not of one enumeration.
    pub fn enum_with(&mut self, value: Typed, bits: Typed, set: bool) -> Checked {
        let all = self.binary(BinaryOp::Or, value, bits)?;
        if set { Ok(all) } else { self.binary(BinaryOp::Xor, all, bits) }
    }

    /// The greatest value of an enumeration's entries; of sets of bits, all bits.
    ///
    /// # Errors
    /// The snippet grows past its bound.
    pub fn enum_max(&mut self, id: super::EnumId) -> Checked {
        let definition = &self.snippets.enums[id];
        let values = definition.cases.iter().map(|case| case.value);
        let max = match definition.bit_separator {
            Some(_) => values.fold(0, |all, value| all | value),
            None => values.max().unwrap_or(0),
        };
        self.int(i128::from(max), IntTy::U32)
    }

    /// A value, and the values and texts of an enumeration; of sets of bits the last text is what is
    /// between others.
    fn with_cases(&mut self, id: super::EnumId, value: Typed) -> Result<[Typed; 3], TypeError> {
        let definition = self.snippets.enums[id].clone();
        let (mut values, mut texts) = (Vec::new(), Vec::new());
        for case in &definition.cases {
            values.push(self.int(i128::from(case.value), IntTy::U64)?);
            texts.push(self.add(Expr::Str(case.text), Ty::STR)?);
        }
        if let Some(separator) = definition.bit_separator {
            texts.push(self.add(Expr::Str(separator), Ty::STR)?);
        }
        Ok([value, self.list(&values)?, self.list(&texts)?])
    }

    /// Implicit conversion.
    pub fn convert(&mut self, e: Typed, to: Ty) -> Checked {
        if e.ty == to || to.is_unknown() || e.ty.item == Item::Unknown && e.ty.form == Form::One {
            self.expect_result(e, to)?;
            return match to.item {
                Item::Int(_) | Item::Double if e.ty != to && to.form == Form::One => {
                    self.add(Expr::Convert(e.id, to.item), to)
                }
                _ => Ok(Typed { ty: if to.is_unknown() { e.ty } else { to }, ..e }),
            };
        }
        let error = |this: &Self| TypeError::convert(&this.show(e.ty), &this.show(to));
        if to.form == Form::Range {
            let range = self.as_range(e).map_err(|_| error(self))?;
            let (from, into) = (range.ty.item, to.item);
            if matches!(from, Item::Null | Item::Unknown) || self.item_is(from, into) {
                return Ok(Typed { ty: Ty::range(into), ..range });
            }
            let elementwise = matches!(
                (from, into),
                (Item::Int(_) | Item::Bool | Item::Double, Item::Int(_) | Item::Bool | Item::Double)
                    | (Item::Attr(_), Item::Str)
                    | (Item::Op(_), Item::Value)
            );
            if elementwise {
                return self.add(Expr::Convert(range.id, into), Ty::range(into));
            }
            return Err(error(self));
        }
        if e.ty.form == Form::Range || e.ty.form == Form::Iterator {
            if self.is_default(e) {
                return self.default_of(to);
            }
            let single = match self.snippets.exprs[e.id] {
                Expr::List(list) => match self.snippets.list(list) {
                    &[one] => Some(one),
                    _ => None,
                },
                _ => None,
            };
            if let Some(id) = single {
                return self.convert(Typed { id, ty: Ty::one(e.ty.item) }, to);
            }
            return Err(error(self));
        }
        if e.ty.form == Form::Optional && to.form == Form::One {
            return Err(error(self));
        }
        let converted = match (e.ty.item, to.item) {
            (Item::Null, Item::Int(_) | Item::Bool | Item::Double | Item::ApInt | Item::ApFloat)
                if to.form == Form::One =>
            {
                return Err(error(self));
            }
            (Item::Null, _) => Typed { ty: to, ..e },
            (Item::Bool | Item::Int(_) | Item::Double | Item::Enum(_), Item::Int(_) | Item::Double) => {
                self.add(Expr::Convert(e.id, to.item), to)?
            }
            (Item::Int(_) | Item::Double, Item::Bool) => self.truth(e)?,
            (Item::Type(_) | Item::Attr(_) | Item::AffineMap | Item::Value | Item::Op(_), Item::Bool) => {
                self.truth(e)?
            }
            (Item::Attr(a), Item::Str) if a.is_a(AttrClass::String) || a.is_a(AttrClass::SymbolRef) => {
                self.add(Expr::Convert(e.id, Item::Str), to)?
            }
            (Item::Name, Item::Str) | (Item::Str, Item::Name) => Typed { ty: to, ..e },
            (Item::Op(_), Item::Value) => self.builtin(Builtin::OpResult, &[e], to)?,
            (Item::Location, Item::Attr(_)) | (Item::Attr(AttrClass::Location), Item::Location) => {
                Typed { ty: to, ..e }
            }
            (Item::Attr(AttrClass::Any), Item::Attr(AttrClass::Typed)) => Typed { ty: to, ..e },
            (a, b) if self.item_is(a, b) => Typed { ty: to, ..e },
            _ => return Err(error(self)),
        };
        Ok(Typed { ty: to, ..converted })
    }

    /// Whether this is `{}`: a default-constructed anything.
    fn is_default(&self, e: Typed) -> bool {
        e.ty.form == Form::Range && matches!(self.snippets.exprs[e.id], Expr::List(list) if list.len == 0)
    }

    /// What `{}` makes of a type that is no range.
    fn default_of(&mut self, to: Ty) -> Checked {
        match (to.form, to.item) {
            (Form::One, Item::Bool) => self.bool(false),
            (Form::One, Item::Int(_) | Item::Enum(_)) => self.add(Expr::Int(0), to),
            (Form::One, Item::Double) => self.double(0.0),
            (Form::One, Item::Str) => self.str(""),
            _ => self.null(to),
        }
    }

    /// What two alternatives have in common.
    fn unify(&mut self, a: Typed, b: Typed) -> Result<(Typed, Typed, Ty), TypeError> {
        if a.ty == b.ty {
            return Ok((a, b, a.ty));
        }
        let form = match (a.ty.form, b.ty.form) {
            (x, y) if x == y => x,
            (Form::Range, _) | (_, Form::Range) => Form::Range,
            _ => Form::Optional,
        };
        let item = self.common_item(a.ty.item, b.ty.item);
        let item = item.ok_or_else(|| TypeError::alternatives(&self.show(a.ty), &self.show(b.ty)))?;
        let to = Ty { item, form };
        Ok((self.convert(a, to)?, self.convert(b, to)?, to))
    }

    fn common_item(&self, a: Item, b: Item) -> Option<Item> {
        Some(match (a, b) {
            (Item::Null, x) | (x, Item::Null) => x,
            (Item::Unknown, _) | (_, Item::Unknown) => Item::Unknown,
            (Item::Int(x), Item::Int(y)) => Item::Int(x.common(y)),
            (Item::Int(x), Item::Bool) | (Item::Bool, Item::Int(x)) => Item::Int(x.common(IntTy::I32)),
            (Item::Double, Item::Int(_)) | (Item::Int(_), Item::Double) => Item::Double,
            (Item::Type(x), Item::Type(_)) => {
                let up = std::iter::successors(Some(x), |c| c.parent());
                Item::Type(up.into_iter().find(|&c| self.item_is(b, Item::Type(c)))?)
            }
            (Item::Attr(x), Item::Attr(_)) => {
                let up = std::iter::successors(Some(x), |c| c.parent());
                Item::Attr(up.into_iter().find(|&c| self.item_is(b, Item::Attr(c)))?)
            }
            (Item::Op(_), Item::Op(_)) if a != b => Item::Op(None),
            (Item::Op(_), Item::Value) | (Item::Value, Item::Op(_)) => Item::Value,
            (Item::Str, Item::Name | Item::Attr(AttrClass::String))
            | (Item::Name | Item::Attr(AttrClass::String), Item::Str) => Item::Str,
            _ if a == b => a,
            _ => return None,
        })
    }

    /// The element type a lambda over `range` is called with.
    pub fn element(&mut self, range: Typed) -> Ty {
        self.as_range(range).map_or(Ty::UNKNOWN, |r| Ty::one(r.ty.item))
    }

    /// The attribute that holds a property.
    ///
    /// # Errors
    /// It is not of the property's type, or attributes hold no such properties.
    pub fn to_attr(&mut self, e: Typed, property: PropertyTy) -> Checked {
        if matches!(e.ty.item, Item::Attr(_)) {
            return Ok(e);
        }
        let e = self.convert(e, property.ty)?;
        let item = property.ty.item;
        let one = PropertyTy { ty: Ty::one(item), ..property };
        match (property.ty.form, item) {
            (_, Item::Attr(_)) => Ok(e),
            // What need not be there is a list of one or none.
            (Form::Optional, _) => {
                let local = self.new_local(property.ty);
                let held = self.local(local)?;
                let value = self.deref(held)?;
                let value = self.to_attr(value, one)?;
                let some = self.list(&[value])?;
                let none = self.list(&[])?;
                let held = self.select(held, some, none)?;
                let held = self.add(Expr::ToAttr(held.id, Item::Unknown), Ty::ATTR)?;
                self.bind(local, e, held)
            }
            (Form::Range, Item::Enum(_)) => {
                let local = self.new_local(one.ty);
                let value = self.local(local)?;
                let value = self.to_attr(value, one)?;
                let each = self.lambda(local, 1, value)?;
                let all = self.builtin(Builtin::MapRange, &[e, each], Ty::range(value.ty.item))?;
                self.add(Expr::ToAttr(all.id, Item::Unknown), Ty::ATTR)
            }
            (_, Item::Enum(id)) => match property.enumeration {
                EnumForm::Integer(width) => {
                    let class = self.int(i128::from(width), IntTy::U32)?;
                    self.make_enum_attr(id, class, e, Ty::attr(AttrClass::Integer))
                }
                EnumForm::Attr(class) => {
                    let made = self.enum_attr(class, &[e]);
                    made.unwrap_or_else(|| Err(TypeError::convert(&self.show(e.ty), "an attribute")))
                }
            },
            (_, Item::Int(_) | Item::Bool | Item::Double | Item::Str | Item::Unknown) => {
                self.add(Expr::ToAttr(e.id, item), Ty::ATTR)
            }
            _ => Err(TypeError::convert(&self.show(property.ty), "an attribute")),
        }
    }

    fn make_enum_attr(&mut self, id: super::EnumId, class: Typed, value: Typed, ty: Ty) -> Checked {
        let [value, values, texts] = self.with_cases(id, value)?;
        self.builtin(Builtin::EnumAttr, &[class, value, values, texts], ty)
    }

    /// The snippet whose value is `root`.
    pub fn finish(self, root: Typed, result: SnippetResult, text: &str) -> SnippetId {
        let text = self.snippets.intern(text);
        let uniqued = |p: &Param| !matches!(p.ty.item, Item::Value | Item::Op(_) | Item::Use | Item::Unknown);
        let pure = !self.calls_native && !self.rewrites && self.params.iter().all(|p| uniqued(p) && !p.out);
        let locals = u32::try_from(self.locals.len()).unwrap_or(u32::MAX);
        self.snippets.snippets.push(Snippet {
            params: self.params,
            result,
            text,
            span: self.span,
            pure,
            rewrites: self.rewrites,
            constraint: None,
            root: root.id,
            locals,
        })
    }

    /// A type as C++ has it, for messages.
    pub fn show(&self, ty: Ty) -> String {
        let class = |id: super::ClassId| self.snippets.str(self.snippets.classes[id].cxx_name).to_owned();
        let item = match ty.item {
            Item::Unknown => "unknown".into(),
            Item::Null => "nullptr".into(),
            Item::Bool => "bool".into(),
            Item::Int(t) => format!("{}int{}_t", if t.signed { "" } else { "u" }, t.bits),
            Item::Double => "double".into(),
            Item::Str => "StringRef".into(),
            Item::ApInt => "APInt".into(),
            Item::ApFloat => "APFloat".into(),
            Item::Logical => "LogicalResult".into(),
            Item::Type(c) => self.show_class(ObjectClass::Type(c)),
            Item::Attr(c) => self.show_class(ObjectClass::Attr(c)),
            Item::Value => "Value".into(),
            Item::Op(None) => "Operation *".into(),
            Item::Op(Some(id)) => class(id),
            Item::Use => "OpOperand".into(),
            Item::Location => "Location".into(),
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

    pub(crate) fn show_class(&self, class: ObjectClass) -> String {
        let named = |id: super::ClassId| self.snippets.str(self.snippets.classes[id].cxx_name).to_owned();
        match class {
            ObjectClass::Type(TypeClass::Named(id))
            | ObjectClass::Attr(AttrClass::Named(id))
            | ObjectClass::Op(id) => named(id),
            ObjectClass::Type(c) => c.cxx_name(),
            ObjectClass::Attr(c) => c.cxx_name(),
            ObjectClass::AnyOp => "Operation".into(),
            ObjectClass::Value => "Value".into(),
            ObjectClass::OpResult => "OpResult".into(),
            ObjectClass::BlockArgument => "BlockArgument".into(),
        }
    }

    fn show_on(&self, on: On) -> String {
        match on {
            On::Free => "a function".into(),
            On::One(item) => self.show(Ty::one(item)),
            On::Range => "a range".into(),
            On::RangeOf(item) => self.show(Ty::range(item)),
            On::Optional => "an optional".into(),
            On::Enum => "an enumeration attribute".into(),
        }
    }

    /// The built-in that is spelt most like `name`, for a help text.
    pub fn similar(&self, name: &str) -> Option<&'static str> {
        let folded = name.to_lowercase();
        ROWS.iter().map(|row| row.name).find(|row| row.to_lowercase() == folded && *row != name)
    }

    /// A string of the table.
    pub fn text(&self, id: StrId) -> &str {
        self.snippets.str(id)
    }
}

fn is_arithmetic(op: BinaryOp) -> bool {
    op.compares() || matches!(op, BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div)
}

/// Whether the table has every method of something under each name it knows: one that it knows for
/// something else only is then an error, and not a native.
fn lists_all_methods(ty: Ty) -> bool {
    match ty.item {
        Item::Attr(AttrClass::Dictionary | AttrClass::SymbolRef | AttrClass::Location) => false,
        Item::Type(class) => !class.is_a(TypeClass::Quantized),
        Item::Use | Item::Location | Item::Name | Item::Context | Item::Matcher | Item::AffineMap => false,
        _ => true,
    }
}

fn same_kind(a: Item, b: Item) -> bool {
    match (a, b) {
        (Item::Type(_), Item::Type(_))
        | (Item::Attr(_), Item::Attr(_) | Item::Location)
        | (Item::Location, Item::Attr(_))
        | (Item::Op(_), Item::Op(_))
        | (Item::Op(_), Item::Value)
        | (Item::Value, Item::Op(_))
        | (Item::ApInt, Item::Int(_))
        | (Item::Int(_), Item::ApInt)
        | (Item::Int(_) | Item::Bool, Item::Int(_) | Item::Bool)
        | (Item::Null | Item::Unknown, _)
        | (_, Item::Null | Item::Unknown) => true,
        _ => a == b,
    }
}
