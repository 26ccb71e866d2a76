//! Calls of functions, methods, natives and lambdas; casts.

use super::builder::{Builder, Checked, Typed};
use super::error::TypeError;
use super::operators::CHAR;
use crate::host::Kind;
use crate::snippet::data::{
    AttrClass, BodyParam, Builtin, CastMode, ClassId, ClassKind, Expr, ExprId, Form, IntTy, Item, LocalId,
    ObjectClass, PlanId, TruthBy, Ty, TypeClass, WrittenArg,
};
use crate::snippet::library::{Arg, Receiver, Returns, Row, rows};

impl Builder<'_> {
    /// Builds a lambda. Its parameters are consecutive locals.
    pub(crate) fn lambda(&mut self, params: &[LocalId], body: Typed) -> Checked {
        // If there are no parameters, the evaluator does not read `first`.
        let first = params.first().copied().unwrap_or(LocalId::from_raw(0));
        let params = u32::try_from(params.len()).expect("`new_local` bounds the locals");
        let lambda = self.add(Expr::Lambda { first, params, body: body.id }, Ty::one(Item::Lambda))?;
        self.lambdas.insert(lambda.id, body.ty);
        Ok(lambda)
    }

    /// Builds an immediate call of a lambda.
    pub(crate) fn call_lambda(&mut self, lambda: Typed, args: &[Typed]) -> Checked {
        let Expr::Lambda { first, params, body } = self.snippets.exprs[lambda.id] else {
            return Err(TypeError::not_a_lambda(&self.show(lambda.ty)));
        };
        if params as usize != args.len() {
            return Err(TypeError::lambda_args(params as usize, args.len()));
        }
        let ty = self.lambdas.get(&lambda.id).copied().unwrap_or(Ty::UNKNOWN);
        let mut rest = Typed { id: body, ty };
        let bindings: Vec<_> = first.and_following().zip(args).collect();
        for (local, arg) in bindings.into_iter().rev() {
            let to = self.locals.get(local).copied().unwrap_or(Ty::UNKNOWN);
            let arg = self.convert(*arg, to)?;
            rest = self.bind(local, arg, rest)?;
        }
        Ok(rest)
    }

    /// Builds `isa<A, B, …>(e)`, or `isa_and_present<A, B, …>(e)` if `null_is_false` is true.
    ///
    /// # Errors
    /// One of the classes contains no value of the static type.
    pub(crate) fn isa(&mut self, e: Typed, classes: &[ObjectClass], null_is_false: bool) -> Checked {
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
        // C++ asserts that the argument of `isa` is not null, so the snippet fails for null.
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
        // A native can replace the test, because it may know interfaces that C++ code attaches to a class.
        let name = self.snippets.isa_name(interface);
        let name = self.snippets.intern(&name);
        self.add(Expr::Function(name, test.id), Ty::BOOL)
    }

    /// Builds `cast<C>(e)` or one of its variants.
    ///
    /// # Errors
    /// No value of the static type can belong to the class.
    pub(crate) fn cast(&mut self, e: Typed, class: ObjectClass, mode: CastMode) -> Checked {
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
                ObjectClass::Attr(AttrClass::Any) | ObjectClass::Value if e.ty.item == Item::FoldResult => {
                    true
                }
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

    /// Builds `X::get(context, args…)` for a dialect's class of attributes or types. Returns `None` if the format of
    /// the class is not known, if a parameter can be written only by C++ code, or if the number of arguments is wrong.
    pub(crate) fn make(&mut self, class: ObjectClass, args: &[Typed]) -> Option<Checked> {
        let id = class.named()?;
        let (ClassKind::Type(text) | ClassKind::Attr(text) | ClassKind::EnumAttr(text, _)) =
            self.snippets.classes[id].kind
        else {
            return None;
        };
        let params: Vec<Ty> = self.snippets.body(text)?.params.iter().map(BodyParam::ty).collect();
        let args: Vec<Typed> =
            args.iter().copied().filter(|e| !matches!(e.ty.item, Item::Context | Item::Builder)).collect();
        let writable = (0..).zip(&params).all(|(param, _)| self.snippets.can_write(text, param));
        if args.len() != params.len() || !writable {
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

    /// Builds `XOp::create(builder, loc, args…)`.
    pub(crate) fn create(&mut self, class: ClassId, plan: PlanId, loc: Typed, args: &[Typed]) -> Checked {
        let mut ids = vec![self.convert(loc, Ty::LOCATION)?.id];
        ids.extend(args.iter().map(|a| a.id));
        let list = self.add_list(&ids)?;
        self.rewrites = true;
        self.add(Expr::Create(plan, list), Ty::one(Item::Op(Some(class))))
    }

    /// Builds `createOrFold`, for an expression that creates an operation. `traits` are the bits of [`FoldTraits`].
    ///
    /// [`FoldTraits`]: crate::snippet::data::FoldTraits
    pub(crate) fn create_folded(&mut self, created: Typed, traits: i128) -> Checked {
        let traits = self.int(traits, IntTy::I64)?;
        self.builtin(Builtin::CreateFolded, &[created, traits], Ty::VALUE)
    }

    /// Builds a call of a native. Its results are bound to the output parameters `outputs`. If `outputs` is empty, the
    /// call has one result of the type `ty`.
    pub(crate) fn native(&mut self, name: &str, args: &[Typed], outputs: &[u32], ty: Ty) -> Checked {
        let inputs = args.iter().filter(|a| !matches!(a.ty.item, Item::Builder | Item::Context));
        let inputs: Vec<Typed> = inputs.map(|&a| self.number_of(a)).collect::<Result<_, _>>()?;
        let params: Vec<Option<Kind>> = inputs.iter().map(|a| a.ty.kind()).collect();
        let written = args.iter().map(|arg| match arg.ty.item {
            Item::Builder => WrittenArg::Builder,
            Item::Context => WrittenArg::Context,
            _ => WrittenArg::Value(arg.ty),
        });
        let written: Vec<WrittenArg> = written.collect();
        let key = (self.snippets.intern(name), params.clone());
        let known = self.snippets.written_args.entry(key).or_default();
        let form = |args: &[WrittenArg]| args.iter().map(std::mem::discriminant).collect::<Vec<_>>();
        if known.iter().all(|other| form(other) != form(&written)) {
            known.push(written);
        }
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

    /// Builds a call of a built-in function; `None` if the library has no function with this name and number of
    /// arguments.
    pub(crate) fn function(&mut self, name: &str, args: &[Typed], template: Option<Ty>) -> Option<Checked> {
        let mut rows = rows(name).filter(|row| row.receiver == Receiver::Free).peekable();
        rows.peek()?;
        match self.call(name, rows, args, template) {
            Err(error) if error.is_arity() => None,
            result => Some(result),
        }
    }

    /// True if the library has a function with this name.
    pub(crate) fn has_function(&self, name: &str) -> bool {
        rows(name).any(|row| row.receiver == Receiver::Free)
    }

    /// True if the library has a method with this name for values of a type.
    pub(crate) fn has_method(&self, on: Ty, name: &str) -> bool {
        rows(name).any(|row| row.receiver != Receiver::Free && self.receives(row.receiver, on))
    }

    /// Builds a call of a built-in method. Returns `None` if the library has no method with this name. Also returns
    /// `None` if the library has the method only for other types, and does not list all methods of this type.
    pub(crate) fn method(
        &mut self,
        on: Typed,
        name: &str,
        args: &[Typed],
        template: Option<Ty>,
    ) -> Option<Checked> {
        let named: Vec<&'static Row> = rows(name).filter(|row| row.receiver != Receiver::Free).collect();
        if named.is_empty() {
            return None;
        }
        let on = match self.number_of(on) {
            Ok(on) => on,
            Err(error) => return Some(Err(error)),
        };
        let mut all = vec![on];
        all.extend_from_slice(args);
        if on.ty.item == Item::Unknown && on.ty.form == Form::One {
            return Some(self.dynamic(name, &named, &all));
        }
        let mut fitting: Vec<&'static Row> =
            named.iter().copied().filter(|row| self.receives(row.receiver, on.ty)).collect();
        // Methods of an enumeration's attribute hide those of its base class, the integer attribute.
        fitting.sort_by_key(|row| row.receiver != Receiver::Enum);
        if fitting.is_empty() {
            let named_class = matches!(
                on.ty.item,
                Item::Type(TypeClass::Named(_)) | Item::Attr(AttrClass::Named(_)) | Item::Op(Some(_))
            );
            if named_class || !lists_all_methods(on.ty) {
                return None;
            }
            let owners: Vec<String> = named.iter().map(|row| self.show_receiver(row.receiver)).collect();
            return Some(Err(TypeError::no_method(&self.show(on.ty), name, &owners)));
        }
        Some(self.call(name, fitting.into_iter(), &all, template))
    }

    fn dynamic(&mut self, name: &str, named: &[&'static Row], all: &[Typed]) -> Checked {
        let same = named.iter().all(|row| row.returns == named[0].returns);
        let ty = match named[0].returns {
            Returns::Ty(ty) if same => ty,
            _ => Ty::UNKNOWN,
        };
        let ids: Vec<ExprId> = all.iter().map(|a| a.id).collect();
        let list = self.add_list(&ids)?;
        let name = self.snippets.intern(name);
        self.add(Expr::Dynamic(name, list), ty)
    }

    fn receives(&self, receiver: Receiver, ty: Ty) -> bool {
        match receiver {
            Receiver::Free => false,
            Receiver::Range => ty.form == Form::Range,
            Receiver::RangeOf(item) => ty.form == Form::Range && self.item_is(ty.item, item),
            Receiver::Optional => ty.form == Form::Optional,
            Receiver::Enum => ty.form == Form::One && self.enum_of(ty.item).is_some(),
            Receiver::One(item) => ty.form == Form::One && self.item_is(ty.item, item),
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
                // An error about a row with the right number of arguments is more helpful.
                Err(error) => {
                    if failed.as_ref().is_none_or(TypeError::is_arity) {
                        failed = Some(error);
                    }
                }
            }
        }
        Err(failed.unwrap_or_else(|| TypeError::not_a_function(name)))
    }

    /// Converts an argument to the type of a parameter. A character becomes a string if the parameter is a string,
    /// because the functions on strings have overloads for characters.
    pub(crate) fn argument(&mut self, arg: Typed, to: Ty) -> Checked {
        match (arg.ty, to) {
            (Ty { item: CHAR, form: Form::One }, Ty::STR) => self.builtin(Builtin::CharText, &[arg], Ty::STR),
            _ => self.convert(arg, to),
        }
    }

    fn try_row(&mut self, name: &str, row: &Row, args: &[Typed], template: Option<Ty>) -> Checked {
        let skip = usize::from(row.receiver != Receiver::Free);
        let count = args.len() - skip;
        if count > row.args.len() || count + row.optional < row.args.len() {
            return Err(TypeError::arity(name, row.args.len() - row.optional, row.args.len(), count));
        }
        // The receiver `$_builder` is not passed on, because the host creates types and attributes.
        let builder = args.first().is_some_and(|a| skip == 1 && a.ty.item == Item::Builder);
        let mut passed: Vec<Typed> = if builder { vec![] } else { args[..skip].to_vec() };
        let mut element = args.first().map_or(Ty::UNKNOWN, |a| a.ty);
        for (i, (&want, &arg)) in row.args.iter().zip(&args[skip..]).enumerate() {
            let at = |error: TypeError| error.in_argument(i + 1, name);
            let arg = self.number_of(arg)?;
            let arg = match want {
                Arg::Of(ty) => self.argument(arg, ty).map_err(at)?,
                Arg::Any => arg,
                Arg::ExactFloat if arg.ty == Ty::FLOAT => arg,
                Arg::ExactFloat => return Err(at(TypeError::convert(&self.show(arg.ty), "float"))),
                Arg::UpTo(bits) => match (arg.ty, row.returns) {
                    (Ty { item: Item::Int(int), form: Form::One }, Returns::Ty(ty)) if int.bits <= bits => {
                        self.convert(arg, ty).map_err(at)?
                    }
                    _ => {
                        let wanted = format!("an integer of at most {bits} bits");
                        return Err(at(TypeError::wrong_kind(&self.show(arg.ty), &wanted)));
                    }
                },
                Arg::Range => {
                    let arg = self.as_range(arg).map_err(at)?;
                    if i == 0 && skip == 0 {
                        element = arg.ty;
                    }
                    arg
                }
                Arg::Lambda => {
                    if arg.ty.item != Item::Lambda && !arg.ty.is_unknown() {
                        return Err(at(TypeError::wrong_kind(&self.show(arg.ty), "a lambda")));
                    }
                    arg
                }
                // These functions compare numbers, not values of an enumeration with a comparison of its own.
                Arg::Number if arg.ty.has_comparison() => {
                    return Err(at(TypeError::operand("<", &self.show(arg.ty))));
                }
                Arg::AnyInt | Arg::AnyFloat | Arg::Number => {
                    let arg = match (self.is_default(arg), want) {
                        (true, Arg::AnyFloat) => self.default_of(Ty::DOUBLE)?,
                        (true, _) => self.default_of(Ty::I64)?,
                        // C++ converts a machine float to the type of the parameter. A literal is probably a mistake
                        // (`ConstantAttr<I8Attr, "1.5">`), and stays an error.
                        (false, Arg::AnyInt)
                            if matches!(arg.ty, Ty::DOUBLE | Ty::FLOAT)
                                && !matches!(self.snippets.exprs[arg.id], Expr::Double(_)) =>
                        {
                            match row.op {
                                Builtin::IntegerAttr => self.convert(arg, Ty::I64)?,
                                Builtin::MakeApInt => self.convert(arg, Ty::U64)?,
                                _ => arg,
                            }
                        }
                        (false, _) => arg,
                    };
                    let integer =
                        matches!(arg.ty.item, Item::Int(_) | Item::Bool | Item::ApInt | Item::Enum(_));
                    let float = matches!(arg.ty.item, Item::Double | Item::Float | Item::ApFloat)
                        || want == Arg::AnyFloat && matches!(arg.ty.item, Item::Int(_));
                    let fits = (integer && want != Arg::AnyFloat) || (float && want != Arg::AnyInt);
                    if arg.ty.form != Form::One || !(fits || arg.ty.is_unknown()) {
                        let kind = match want {
                            Arg::AnyInt => "an integer",
                            Arg::AnyFloat => "a float",
                            _ => "a number",
                        };
                        return Err(at(TypeError::wrong_kind(&self.show(arg.ty), kind)));
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
        let ty = match row.returns {
            Returns::Ty(ty) => ty,
            Returns::Element => Ty::one(element.item),
            Returns::Same => receiver.map_or(Ty::UNKNOWN, |r| r.ty),
            Returns::Iterator => Ty { item: element.item, form: Form::Iterator },
            Returns::Item => Ty::one(element.item),
            Returns::LambdaRange => {
                let lambda = args.last().and_then(|l| self.lambdas.get(&l.id));
                Ty::range(lambda.map_or(Item::Unknown, |ty| ty.item))
            }
            Returns::Common => {
                let items = args.iter().map(|a| a.ty.item);
                let common = |a: Item, b: Item| {
                    if a == b { a } else { self.common_item(a, b).unwrap_or(Item::Double) }
                };
                Ty::one(items.reduce(common).unwrap_or(Item::Unknown))
            }
            Returns::Promoted => {
                let of = args.first().map_or(Item::Unknown, |a| a.ty.item);
                Ty::one(self.common_item(of, of).unwrap_or(of))
            }
            Returns::Template | Returns::TemplateRange => template.unwrap_or(Ty::ATTR),
        };
        match (row.op, row.returns) {
            (Builtin::AttrEnum, _) => {
                let item = receiver.and_then(|r| self.enum_of(r.ty.item)).map_or(Item::Unknown, Item::Enum);
                let receiver = args[0];
                self.add(Expr::Convert(receiver.id, item), Ty::one(item))
            }
            (Builtin::ElementsAsRange, _) => {
                // `getAsValueRange<IntegerAttr>` contains the result of `getValue` of each element.
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
            (Builtin::ElementsOf | Builtin::SplatValue, returns) => {
                let as_attr = self.bool(matches!(ty.item, Item::Attr(_)))?;
                passed.push(as_attr);
                let to = if returns == Returns::TemplateRange { Ty::range(ty.item) } else { ty };
                let e = self.builtin(row.op, &passed, Ty { item: Item::Unknown, ..to })?;
                self.add(Expr::Convert(e.id, ty.item), to)
            }
            (Builtin::OpAttr | Builtin::DictGet, Returns::Template) => {
                let e = self.builtin(row.op, &passed, Ty::ATTR)?;
                let Item::Attr(class) = ty.item else {
                    return Err(TypeError::wrong_kind(&self.show(ty), "an attribute class"));
                };
                self.cast(e, ObjectClass::Attr(class), CastMode::TryIfPresent)
            }
            (Builtin::OpHasAttr, _) if name == "hasAttrOfType" => {
                let e = self.builtin(Builtin::OpAttr, &passed, Ty::ATTR)?;
                let wanted = template.unwrap_or(Ty::ATTR);
                let Item::Attr(class) = wanted.item else {
                    return Err(TypeError::template_argument(name, &self.show(wanted)));
                };
                let cast = self.cast(e, ObjectClass::Attr(class), CastMode::TryIfPresent)?;
                self.truth(cast)
            }
            (
                Builtin::NumericMax | Builtin::NumericMin | Builtin::NumericLowest | Builtin::NumericEpsilon,
                _,
            ) => self.numeric_limit(row.op, template.unwrap_or(Ty::UNKNOWN)),
            _ => {
                self.rewrites |= row.op.changes_ir();
                let optional = receiver.map(|receiver| receiver.ty).filter(|ty| ty.form == Form::Optional);
                let e = match (row.op, optional) {
                    // The value of a successful `FailureOr<bool>` may be false, so its presence is tested.
                    (Builtin::Succeeded | Builtin::Failed, Some(_)) => {
                        let present = self.builtin(Builtin::HasValue, &passed, ty)?;
                        if row.op == Builtin::Failed { self.not(present)? } else { present }
                    }
                    (Builtin::ValueOr, Some(of)) if let [on, other] = passed[..] => {
                        let other = self.convert(other, Ty::one(of.item))?;
                        self.builtin(row.op, &[on, other], ty)?
                    }
                    (op, _) => self.builtin(op, &passed, ty)?,
                };
                // The result is rounded to `float`. Functions that are exact or correctly rounded (`std::sqrt`) are
                // computed in `double`, because their `double` result rounds to the same `float`.
                if row.args.first() == Some(&Arg::ExactFloat) {
                    return self.add(Expr::Convert(e.id, Item::Float), ty);
                }
                let e = match row.args.first() {
                    Some(Arg::UpTo(_)) => self.add(Expr::Convert(e.id, ty.item), ty)?,
                    _ => e,
                };
                if row.receiver != Receiver::Free || name.contains("::") {
                    return Ok(e);
                }
                let name = self.snippets.intern(name);
                let called = self.add(Expr::Function(name, e.id), ty)?;
                // The absolute value of the smallest `int` overflows. The negation fails for it.
                if (row.op, ty) == (Builtin::Abs, Ty::one(Item::Int(IntTy::I32))) {
                    let negated = self.add(Expr::Neg(called.id, ty.item), ty)?;
                    return self.add(Expr::Neg(negated.id, ty.item), ty);
                }
                Ok(called)
            }
        }
    }

    fn numeric_limit(&mut self, op: Builtin, ty: Ty) -> Checked {
        match ty.item {
            Item::Int(int) => {
                let value = match (op, int.signed) {
                    (Builtin::NumericEpsilon, _) => 0,
                    (Builtin::NumericMax, true) => (1_i128 << (int.bits - 1)) - 1,
                    (Builtin::NumericMax, false) => (1_i128 << int.bits) - 1,
                    (_, true) => -(1_i128 << (int.bits - 1)),
                    (_, false) => 0,
                };
                self.int(value, int)
            }
            Item::Float => {
                let value = self.double(match op {
                    Builtin::NumericMax => f64::from(f32::MAX),
                    Builtin::NumericMin => f64::from(f32::MIN_POSITIVE),
                    Builtin::NumericEpsilon => f64::from(f32::EPSILON),
                    _ => f64::from(f32::MIN),
                })?;
                Ok(Typed { ty: Ty::FLOAT, ..value })
            }
            Item::Double => self.double(match op {
                Builtin::NumericMax => f64::MAX,
                Builtin::NumericMin => f64::MIN_POSITIVE,
                Builtin::NumericEpsilon => f64::EPSILON,
                _ => f64::MIN,
            }),
            _ => Err(TypeError::wrong_kind(&self.show(ty), "a number")),
        }
    }

    fn show_receiver(&self, receiver: Receiver) -> String {
        match receiver {
            Receiver::Free => "a function".into(),
            Receiver::One(item) => self.show(Ty::one(item)),
            Receiver::Range => "a range".into(),
            Receiver::RangeOf(item) => self.show(Ty::range(item)),
            Receiver::Optional => "an optional".into(),
            Receiver::Enum => "an enumeration attribute".into(),
        }
    }
}

/// True if the library lists all methods of a type. If it does, calling a method that the library lists only for other
/// types is an error. If it does not, such a call calls a native of that name.
fn lists_all_methods(ty: Ty) -> bool {
    match ty.item {
        Item::Attr(AttrClass::Dictionary | AttrClass::SymbolRef | AttrClass::Location) => false,
        Item::Type(class) => !class.is_a(TypeClass::Quantized),
        Item::Use | Item::Location | Item::Name | Item::Context | Item::Matcher | Item::AffineMap => false,
        _ => true,
    }
}
