//! Statements, functions, and calls of functions and lambdas.

use super::builder::{Builder, Checked, EXPR_LIMIT, Typed};
use super::error::TypeError;
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, CastMode, Expr, ExprId, Form, Function, FunctionId, IntTy, Item, LocalId,
    ObjectClass, Ty, Update,
};
use crate::source::Span;
use crate::stack::with_room;

impl Builder<'_> {
    /// The static type of a local.
    pub(crate) fn local_ty(&self, local: LocalId) -> Ty {
        self.locals.get(local).copied().unwrap_or(Ty::UNKNOWN)
    }

    /// Builds `local = value`.
    pub(crate) fn set(&mut self, local: LocalId, value: Typed) -> Checked {
        let value = self.returned(value, self.local_ty(local))?;
        let read = self.local(local)?;
        self.bind(local, value, read)
    }

    /// Converts a value to the type of the variable to which it is assigned, or to the type that a function returns.
    /// Unlike [`Builder::convert`], also converts `failure()` to an empty `FailureOr`, and a `FailureOr` to a
    /// `LogicalResult`.
    ///
    /// Null represents an empty optional, so an optional cannot hold null. A null literal and a `dyn_cast` are errors
    /// here; another expression fails the snippet if it is null.
    pub(crate) fn returned(&mut self, value: Typed, to: Ty) -> Checked {
        let is_pointer = matches!(
            value.ty.item,
            Item::Type(_) | Item::Attr(_) | Item::Value | Item::Op(_) | Item::Block | Item::Region
        );
        if is_pointer && value.ty.form == Form::One && to.form == Form::Optional {
            if let Expr::Null | Expr::Cast(_, _, CastMode::Try | CastMode::TryIfPresent) =
                self.snippets.exprs[value.id]
            {
                return Err(TypeError::optional_null());
            }
            let value = self.add(Expr::Deref(value.id), value.ty)?;
            return self.convert(value, to);
        }
        if value.ty == Ty::LOGICAL && to.form == Form::Optional {
            let none = self.null(to)?;
            return self.then(value, none);
        }
        if value.ty.form == Form::Optional && to == Ty::LOGICAL {
            return self
                .function("succeeded", &[value], None)
                .unwrap_or(Ok(value))
                .map(|e| Typed { ty: to, ..e });
        }
        // A value of unknown type gets the type of the variable, and evaluation checks it.
        if value.ty == Ty::UNKNOWN {
            let converted = self.convert(value, to)?;
            return Ok(Typed { ty: to, ..converted });
        }
        self.convert(value, to)
    }

    /// Builds a sequence of statements.
    pub(crate) fn block(&mut self, statements: &[Typed]) -> Checked {
        let ids: Vec<ExprId> = statements.iter().map(|e| e.id).collect();
        let list = self.add_list(&ids)?;
        self.add(Expr::Block(list), Ty::NULL)
    }

    /// Builds the value that statements return. A `return` can be anywhere in the statements.
    pub(crate) fn body(&mut self, statements: Typed, ty: Ty) -> Checked {
        self.add(Expr::Body(statements.id), ty)
    }

    /// Builds `return value;`.
    pub(crate) fn return_value(&mut self, value: Typed) -> Checked {
        self.add(Expr::Return(value.id), Ty::NULL)
    }

    /// Builds `break;`.
    pub(crate) fn break_loop(&mut self) -> Checked {
        self.add(Expr::Break, Ty::NULL)
    }

    /// Builds `continue;`.
    pub(crate) fn continue_loop(&mut self) -> Checked {
        self.add(Expr::Continue, Ty::NULL)
    }

    /// Builds `if (c) a else b`, as a statement.
    pub(crate) fn branch(&mut self, condition: Typed, then: Typed, otherwise: Typed) -> Checked {
        let condition = self.truth(condition)?;
        self.add(Expr::Select(condition.id, then.id, otherwise.id), Ty::NULL)
    }

    /// Builds `for (; condition; step) body`.
    pub(crate) fn repeat(&mut self, condition: Typed, step: Typed, body: Typed) -> Checked {
        let condition = self.truth(condition)?;
        self.add(Expr::Loop { condition: condition.id, step: step.id, body: body.id }, Ty::NULL)
    }

    /// Builds `for (T local : range) body`.
    pub(crate) fn for_each(&mut self, local: LocalId, range: Typed, body: Typed) -> Checked {
        self.add(Expr::ForEach(local, range.id, body.id), Ty::NULL)
    }

    /// Builds `switch (subject)` from the labels with their bodies, and the body for all other values.
    pub(crate) fn switch(
        &mut self,
        subject: Typed,
        cases: &[(i128, Typed)],
        otherwise: Typed,
        ty: Ty,
    ) -> Checked {
        if subject.ty.form != Form::One
            || !matches!(subject.ty.item, Item::Int(_) | Item::Bool | Item::Enum(_) | Item::Unknown)
        {
            return Err(TypeError::wrong_kind(&self.show(subject.ty), "an integer"));
        }
        let mut list = Vec::with_capacity(2 * cases.len() + 1);
        for &(label, body) in cases {
            list.push(self.add(Expr::Int(label), Ty::one(Item::Int(IntTy::I64)))?.id);
            list.push(body.id);
        }
        list.push(otherwise.id);
        let list = self.add_list(&list)?;
        self.add(Expr::Switch(subject.id, list), ty)
    }

    /// Builds a change of the range in a local.
    pub(crate) fn update(&mut self, update: Update, local: LocalId, args: &[Typed]) -> Checked {
        let element = Ty::one(self.local_ty(local).item);
        let ids: Vec<ExprId> = args.iter().map(|e| e.id).collect();
        let list = self.add_list(&ids)?;
        let ty = if matches!(update, Update::Pop | Update::SetAt) { element } else { Ty::NULL };
        self.add(Expr::Update(update, local, list), ty)
    }

    /// Builds a call of a built-in. The arguments are not converted, so they must have the types that the built-in
    /// takes.
    pub(crate) fn algorithm(&mut self, op: Builtin, args: &[Typed], ty: Ty) -> Checked {
        self.rewrites |= op.changes_ir();
        self.builtin(op, args, ty)
    }

    /// Builds a read of a global variable. The key identifies the variable.
    pub(crate) fn global(&mut self, key: &str, initial: Typed) -> Checked {
        let key = self.str(key)?;
        self.rewrites = true;
        self.builtin(Builtin::Global, &[key, initial], initial.ty)
    }

    /// True for a read of a global variable.
    pub(crate) fn is_global(&self, e: Typed) -> bool {
        matches!(self.snippets.exprs[e.id], Expr::Builtin(Builtin::Global, _))
    }

    /// Builds an assignment to the global variable that the expression `to` reads.
    pub(crate) fn set_global(&mut self, to: Typed, value: Typed) -> Checked {
        let key = match self.snippets.exprs[to.id] {
            Expr::Builtin(Builtin::Global, list) => self.snippets.list(list).first().copied(),
            _ => None,
        };
        let Some(key) = key else { return self.fail("the snippet is malformed") };
        let value = self.convert(value, to.ty)?;
        self.builtin(Builtin::SetGlobal, &[Typed { id: key, ty: Ty::STR }, value], to.ty)
    }

    /// The result type of a lambda.
    pub(crate) fn lambda_result(&self, lambda: Typed) -> Ty {
        self.lambdas.get(&lambda.id).copied().unwrap_or(Ty::UNKNOWN)
    }

    /// Sets the result type of a lambda that a variable holds.
    pub(crate) fn set_lambda_result(&mut self, lambda: Typed, result: Ty) {
        self.lambdas.insert(lambda.id, result);
    }

    /// Builds an expression that stands for undefined behaviour. Its evaluation fails.
    pub(crate) fn fail(&mut self, reason: &str) -> Checked {
        let reason = self.snippets.intern(reason);
        self.add(Expr::Fail(reason), Ty::NULL)
    }

    /// True for an expression that [`Builder::fail`] built.
    pub(crate) fn always_fails(&self, e: Typed) -> bool {
        matches!(self.snippets.exprs[e.id], Expr::Fail(_))
    }

    /// The value of an integer, Boolean or enumerator literal; `None` for other expressions.
    pub(crate) fn literal(&self, e: Typed) -> Option<i128> {
        match self.snippets.exprs[e.id] {
            Expr::Int(value) => Some(value),
            Expr::Bool(value) => Some(i128::from(value)),
            Expr::Neg(of, _) => match self.snippets.exprs[of] {
                Expr::Int(value) => Some(-value),
                _ => None,
            },
            Expr::Convert(of, Item::Int(to)) => match self.snippets.exprs[of] {
                Expr::Int(value) if to.wrap(value) == value => Some(value),
                _ => None,
            },
            _ => None,
        }
    }

    /// The value of a condition that literals decide; `None` for other conditions.
    pub(crate) fn constant_truth(&self, e: Typed) -> Option<bool> {
        let of = |id| with_room(|| self.constant_truth(Typed { id, ..e }));
        match self.snippets.exprs[e.id] {
            Expr::Bool(value) => Some(value),
            Expr::Not(a) => Some(!of(a)?),
            Expr::And(a, b) => Some(of(a)? && of(b)?),
            Expr::Or(a, b) => Some(of(a)? || of(b)?),
            Expr::Binary(op, Item::Int(ty), a, b) if op.compares() => {
                let number = |id| self.literal(Typed { id, ..e }).map(|value| ty.wrap(value));
                let (a, b) = (number(a)?, number(b)?);
                Some(match op {
                    BinaryOp::Eq => a == b,
                    BinaryOp::Ne => a != b,
                    BinaryOp::Lt => a < b,
                    BinaryOp::Le => a <= b,
                    BinaryOp::Gt => a > b,
                    _ => a >= b,
                })
            }
            _ => None,
        }
    }

    /// True for a literal, whose evaluation has no effect and never fails.
    pub(crate) fn is_literal(&self, e: Typed) -> bool {
        let is_plain = |e| {
            matches!(
                self.snippets.exprs[e],
                Expr::Null | Expr::Bool(_) | Expr::Int(_) | Expr::Double(_) | Expr::Str(_) | Expr::Enum(_)
            )
        };
        match self.snippets.exprs[e.id] {
            Expr::Convert(of, Item::Int(_)) => {
                matches!(self.snippets.exprs[of], Expr::Int(_) | Expr::Bool(_))
            }
            _ => is_plain(e.id) || self.literal(e).is_some(),
        }
    }

    /// Builds the value of a constant if the value has this class, and null otherwise: `m_Constant`.
    pub(crate) fn constant_value(&mut self, of: Typed, ty: Ty) -> Checked {
        let value = self.builtin(Builtin::ConstantOf, &[of], Ty::ATTR)?;
        match ty.item {
            Item::Attr(AttrClass::Any) => Ok(value),
            Item::Attr(class) => self.cast(value, ObjectClass::Attr(class), CastMode::TryIfPresent),
            _ => Err(TypeError::no_attribute(&self.show(ty))),
        }
    }

    /// Builds the number or splat of a constant: `m_ConstantInt` and `m_ConstantFloat`.
    pub(crate) fn constant_number(&mut self, of: Typed, item: Item) -> Checked {
        let op = if item == Item::ApInt { Builtin::ConstantInt } else { Builtin::ConstantFloat };
        self.builtin(op, &[of], Ty::optional(item))
    }

    /// Builds a call of a lambda in a variable, with a result of this type.
    pub(crate) fn apply(&mut self, lambda: Typed, args: &[Typed], ty: Ty) -> Checked {
        let ids: Vec<ExprId> = args.iter().map(|e| e.id).collect();
        let list = self.add_list(&ids)?;
        self.add(Expr::Apply(lambda.id, list), ty)
    }

    /// Builds a call of a function. `outs` are the variables that receive the values of the reference parameters.
    pub(crate) fn call_function(
        &mut self,
        function: FunctionId,
        args: &[Typed],
        outs: &[Typed],
        ty: Ty,
    ) -> Checked {
        let args: Vec<ExprId> = args.iter().map(|e| e.id).collect();
        let args = self.add_list(&args)?;
        let outs: Vec<ExprId> = outs.iter().map(|e| e.id).collect();
        let outs = self.add_list(&outs)?;
        if let Some(called) = self.snippets.functions.get(function) {
            self.calls_native |= called.calls_native;
            self.rewrites |= called.rewrites;
        }
        self.add(Expr::Call(function, args, outs), ty)
    }

    /// Adds a function without a body. [`Builder::define_function`] adds the body, which can call the function.
    ///
    /// # Errors
    /// There are too many functions.
    pub(crate) fn declare_function(&mut self, name: &str, span: Span) -> Result<FunctionId, TypeError> {
        let name = self.snippets.intern(name);
        let function = Function {
            name,
            span,
            params: 0,
            reference_params: Vec::new(),
            locals: 0,
            body: ExprId::from_raw(0),
            calls_native: false,
            rewrites: false,
        };
        self.snippets.functions.try_push(function).ok_or_else(|| TypeError::too_large(EXPR_LIMIT))
    }

    /// Builds the body of a function with a separate builder.
    pub(crate) fn with_function<T>(&mut self, build: impl FnOnce(&mut Builder<'_>) -> T) -> T {
        let mut inner = self.of_function();
        let result = build(&mut inner);
        drop(inner);
        self.skip_foreign();
        result
    }

    /// Completes a function. Its parameters are the first locals.
    pub(crate) fn define_function(
        &mut self,
        id: FunctionId,
        params: u32,
        reference_params: Vec<u32>,
        body: Typed,
    ) {
        let locals = u32::try_from(self.locals.len()).expect("`new_local` bounds the locals");
        let (calls_native, rewrites) = (self.calls_native, self.rewrites);
        let function = &mut self.snippets.functions[id];
        *function = Function {
            params,
            reference_params,
            locals,
            body: body.id,
            calls_native,
            rewrites,
            name: function.name,
            span: function.span,
        };
    }
}
