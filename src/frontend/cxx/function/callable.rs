//! Lowers objects that are called: objects of classes with `operator()`, and `std::plus<T>()` and similar objects.
//!
//! A call of an object is a call of the member function `operator()`. An argument that must be a function is the lambda
//! that calls this member function.

use super::argument::Object;
use super::call::Call;
use super::class::MethodCall;
use super::lower::{constructed, function_object};
use super::lvalue::Held;
use crate::frontend::cxx::ast::{Initialiser, NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered, Template};
use crate::snippet::{BinaryOp, Form, Item, LocalId, Ty, Typed};
use crate::stack::with_room;

/// The name of the member function that a call of an object calls.
const CALL: &str = "operator()";

impl Lower<'_, '_> {
    /// The class that a name denotes, if the name is a template parameter whose argument is a class; otherwise the name.
    pub(super) fn class_argument(&self, name: &TypeName) -> TypeName {
        match self.templates.get(&name.path) {
            // A template parameter in the argument of another function is not known here.
            Some(Template::Class(class))
                if name.args.is_empty() && !name.is_qualified() && !self.names_parameter(&class.args) =>
            {
                class.clone()
            }
            _ => name.clone(),
        }
    }

    /// True if one of these template arguments contains the name of a template parameter.
    fn names_parameter(&self, args: &[TypeName]) -> bool {
        args.iter().any(|arg| {
            self.templates.contains_key(&arg.path) || with_room(|| self.names_parameter(&arg.args))
        })
    }

    /// The template arguments of the class of an object, if the expression states them or names a variable whose
    /// declaration states them; otherwise empty.
    pub(super) fn class_args(&self, object: NodeId) -> Vec<TypeName> {
        if let Some(class) = constructed(self.ast, object) {
            return self.class_argument(class).args;
        }
        let NodeKind::Name(name) = &self.ast[object].kind else { return Vec::new() };
        match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
            Some((_, Bound::Local(local))) => self.class_args.get(local).cloned().unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    /// Records the template arguments of the class of a variable.
    pub(super) fn declare_class_args(&mut self, local: LocalId, ty: &TypeName, init: &Initialiser) {
        let args = match init {
            Initialiser::Value(value) if ty.path == "auto" => self.class_args(*value),
            _ => self.class_argument(ty).args,
        };
        if !args.is_empty() && self.class_of_objects(self.b.local_ty(local)).is_some() {
            self.class_args.insert(local, args);
        }
    }

    /// Requires the template arguments of a class template for the call of one of these member functions.
    pub(super) fn require_class_args(
        &self,
        node: NodeId,
        named: &[usize],
        args: &[TypeName],
    ) -> Result<(), Fault> {
        let Some(functions) = self.functions() else { return Ok(()) };
        let is_unknown = |&function: &usize| {
            let definition = functions.definition(function);
            definition.class_params(functions.text(function)).is_some()
                && self.class_scope != definition.class()
        };
        if args.is_empty() && named.iter().any(is_unknown) {
            let what = "a call of a member function of a class template whose arguments are not known";
            return Err(error::unsupported(what, self.ast[node].lo, self.ast[node].hi));
        }
        Ok(())
    }

    /// `std::plus<T>` or a similar class, and its operator; `None` if a name denotes another class.
    pub(in crate::frontend::cxx) fn operator_class(
        &mut self,
        name: &TypeName,
    ) -> Option<(TypeName, BinaryOp)> {
        let class = self.class_argument(name);
        let op = function_object(&class)?;
        let is_of_files = class.namespace.is_none() && self.source_class(&class.path, class.lo).is_some();
        (!is_of_files).then_some((class, op))
    }

    /// The operator class of which an expression creates an object (`std::plus<T>()`, `std::plus<T>{}`).
    pub(in crate::frontend::cxx) fn created_operator(
        &mut self,
        node: NodeId,
    ) -> Option<(TypeName, BinaryOp)> {
        let class = constructed(self.ast, node)?.clone();
        self.operator_class(&class)
    }

    /// The operator class of which a declaration creates an object: `std::plus<T> f;`, `auto f = std::plus<T>();`.
    pub(in crate::frontend::cxx) fn declared_operator(
        &mut self,
        node: NodeId,
    ) -> Option<(TypeName, BinaryOp)> {
        let NodeKind::Declare { ty, init, .. } = &self.ast[node].kind else { return None };
        match init {
            Initialiser::Value(value) if ty.path == "auto" => self.created_operator(*value),
            Initialiser::Default => self.operator_class(&ty.clone()),
            Initialiser::Braces(args) if args.is_empty() => self.operator_class(&ty.clone()),
            _ => None,
        }
    }

    /// Lowers `F()`, where the template parameter `F` is a class; `None` for another name.
    pub(in crate::frontend::cxx) fn object_of_argument(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if name.is_qualified()
            || !matches!(self.templates.get(&name.path), Some(Template::Class(_) | Template::Ty(_)))
        {
            return Ok(None);
        }
        if args.is_empty()
            && let Some((class, op)) = self.operator_class(name)
        {
            return self.operator_lambda(node, &class, op, [Ty::UNKNOWN; 2]).map(Some);
        }
        let is_object = self.static_type(name).is_some_and(|ty| self.class_of_objects(ty).is_some());
        match is_object {
            true => self.construct(node, name, args, false).map(Some),
            false => Ok(None),
        }
    }

    /// True for `object.member`, where the member is a data member of a class of the files.
    pub(in crate::frontend::cxx) fn names_member(&mut self, node: NodeId) -> bool {
        let NodeKind::Member { object, name, .. } = &self.ast[node].kind else { return false };
        let Ok(Some(place)) = self.place(*object, &mut Held::new()) else { return false };
        self.place_ty(node, &place).is_ok_and(|ty| self.b.field_index(ty, name).is_some())
    }

    /// Lowers `object(args)`, where the object has a class of the files. For another callee, returns the value of the
    /// callee if it is lowered already.
    pub(in crate::frontend::cxx) fn call_object(
        &mut self,
        node: NodeId,
        object: NodeId,
        args: &[NodeId],
    ) -> Result<MethodCall, Fault> {
        self.method_of_class(node, object, CALL, &[], args)
    }

    /// The lambda that calls an object of the files with arguments of these types. Returns other values unchanged.
    pub(in crate::frontend::cxx) fn callable_object(
        &mut self,
        node: NodeId,
        object: Typed,
        types: &[Ty],
    ) -> Lowered {
        let Some(class) = self.class_of_objects(object.ty) else { return Ok(object) };
        let Some(functions) = self.functions() else { return Ok(object) };
        let named = functions.methods(&class.path.join("::"), CALL);
        if named.is_empty() {
            return Ok(object);
        }
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        // A function takes a copy of the object or a reference to it, which differ if the object changes.
        if named.iter().any(|&function| !functions.is_const(function)) && !class.members.is_empty() {
            let what = "an argument that is an object whose 'operator()' is not const";
            return Err(error::unsupported(what, lo, hi));
        }
        if let NodeKind::Name(name) = &self.ast[node].kind
            && self.changed.contains(&name.path)
        {
            return Err(error::unsupported("an argument that is an object that changes", lo, hi));
        }
        let (mut locals, mut values) = (Vec::new(), Vec::new());
        for &ty in types {
            let local = self.build(node, |b| b.new_local(ty))?;
            locals.push(local);
            values.push(self.build(node, |b| b.local(local))?);
        }
        let scope_args = self.class_args(node);
        self.require_class_args(node, &named, &scope_args)?;
        let name = TypeName { scope_args, ..TypeName::plain(CALL, lo, hi) };
        let object = Object { is_new: true, is_const: Some(false), ..Object::value(object) };
        let call = Call { node, name: &name, args: &[], values: &values, object: Some(&object) };
        let called = self.required_call(&named, &call)?;
        let lambda = self.build(node, |b| b.lambda(&locals, called))?;
        self.set_container(lambda, self.container_of(called));
        Ok(lambda)
    }

    /// True if an expression creates or names an operator object (`std::plus<>()`).
    pub(super) fn is_operator_object(&mut self, node: NodeId) -> bool {
        if let NodeKind::Name(name) = &self.ast[node].kind {
            let bound =
                self.scope.iter().rev().find(|(bound, _)| *bound == name.path).map(|(_, bound)| *bound);
            let Some(Bound::Lambda(lambda)) = bound else { return false };
            let declaration = self.named_lambdas[lambda].node;
            return self.declared_operator(declaration).is_some();
        }
        self.created_operator(node).is_some()
    }

    /// True if the result type of a function differs from the type `to` in a signature, and values of this type are
    /// objects.
    pub(in crate::frontend::cxx) fn converts_object(&self, function: Typed, to: Ty) -> bool {
        let from = self.b.lambda_result(function);
        match to {
            Ty::AP_INT => self.b.is_signed_number(from),
            _ => {
                to.form == Form::Optional && from.form == Form::One && !from.is_unknown() && from != Ty::NULL
            }
        }
    }

    /// Converts the result of a function to the type in its signature.
    pub(in crate::frontend::cxx) fn converted_result(
        &mut self,
        node: NodeId,
        result: Typed,
        to: Ty,
    ) -> Lowered {
        if Ty::one(to.item) == Ty::AP_INT && self.b.is_signed_number(result.ty) {
            let number = self.build(node, |b| b.number_of(result))?;
            return self.build(node, |b| b.returned(number, to));
        }
        let is_value = to.form == Form::Optional && result.ty.form == Form::One && result.ty != Ty::NULL;
        match is_value && !result.ty.is_unknown() {
            true => self.build(node, |b| b.returned(result, to)),
            false => self.convert_number(node, result, to),
        }
    }

    /// An argument for a parameter that is a function: a lambda whose result has the type in the declaration of the
    /// parameter. `index` is the number of the parameter.
    pub(super) fn function_of_signature(
        &mut self,
        node: NodeId,
        value: Typed,
        name: &TypeName,
        index: usize,
    ) -> Lowered {
        let is_object = self.class_of_objects(value.ty).is_some();
        let is_function = is_object || value.ty.item == Item::Lambda;
        if !self.in_function || !is_function {
            return Ok(value);
        }
        let Some(types) = self.stated_parameters(name, index) else { return Ok(value) };
        let value = if is_object { self.callable_object(node, value, &types)? } else { value };
        let Some(to) = self.stated_result(name, index).filter(|&to| self.converts_object(value, to)) else {
            return Ok(value);
        };
        let (mut locals, mut values) = (Vec::new(), Vec::new());
        for ty in types {
            let local = self.build(node, |b| b.new_local(ty))?;
            locals.push(local);
            values.push(self.build(node, |b| b.local(local))?);
        }
        let called = self.build(node, |b| b.call_lambda(value, &values))?;
        let result = self.converted_result(node, called, to)?;
        self.build(node, |b| b.lambda(&locals, result))
    }
}
