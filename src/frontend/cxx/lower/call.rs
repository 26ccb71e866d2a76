//! Lowers calls of functions.

use super::classes::{Meaning, class_function};
use super::create::FROM_STATE;
use super::expression::without_truncation_flag;
use super::state::{Bound, Lower, Lowered, Template, is_number, written};
use crate::frontend::cxx::ast::{NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::{CHAR, Held, MethodCall};
use crate::frontend::cxx::parse::{ARITHMETIC, LocalUsing};
use crate::frontend::cxx::resolve::EnumFunction;
use crate::snippet::{Builder, Builtin, Form, Item, Ty, TypeError, Typed};

impl<'a, 'b> Lower<'a, 'b> {
    pub(super) fn call(
        &mut self,
        node: NodeId,
        callee: NodeId,
        args: &'b [NodeId],
        hint: Option<Ty>,
    ) -> Lowered {
        let ast = self.ast;
        match &ast[callee].kind {
            NodeKind::Name(name) => self.call_name(node, callee, name, args, hint),
            NodeKind::Member { object, name, template, .. } => {
                if self.in_function
                    && self.names_member(callee)
                    && let MethodCall::Helper(e) = self.call_object(node, callee, args)?
                {
                    return Ok(e);
                }
                self.call_member(node, *object, name, template, args)
            }
            _ if let Some((class, op)) = self.created_operator(callee) => {
                let values = self.items(args, None)?;
                let &[a, b] = &values[..] else {
                    return Err(error::unsupported(
                        "a call of an operator object with a number of arguments other than two",
                        ast[node].lo,
                        ast[node].hi,
                    ));
                };
                let lambda = self.operator_lambda(callee, &class, op, [a.ty, b.ty])?;
                self.called(node, lambda, |builder| builder.call_lambda(lambda, &values))
            }
            _ => {
                let mut object = None;
                if self.in_function && !matches!(ast[callee].kind, NodeKind::Lambda(..)) {
                    match self.call_object(node, callee, args)? {
                        MethodCall::Helper(e) => return Ok(e),
                        MethodCall::Other(value) => object = value,
                    }
                }
                let mut values = self.items(args, None)?;
                let mut held = Held::new();
                let lambda = match &ast[callee].kind {
                    NodeKind::Lambda(params, result, body, copies) => {
                        self.references =
                            self.bound_references(callee, None, args, &mut values, &mut held)?;
                        if !copies.is_empty() && !self.references.is_empty() {
                            return Err(error::changing_reference(ast[node].lo, ast[node].hi));
                        }
                        self.lambda_arguments(node, params, &mut values)?;
                        let types: Vec<Ty> = values.iter().map(|value| value.ty).collect();
                        self.lambda_of(callee, params, result.as_ref(), *body, &types)?
                    }
                    _ => match object {
                        Some(value) => value,
                        None => self.expression(callee, None)?,
                    },
                };
                let result = self.called(node, lambda, |b| b.call_lambda(lambda, &values))?;
                self.bind_held(node, held, result)
            }
        }
    }

    /// Builds a call of a lambda by `make`. If the lambda returns a range, the result has the container class of this
    /// range.
    fn called(
        &mut self,
        node: NodeId,
        lambda: Typed,
        make: impl FnOnce(&mut Builder<'a>) -> Result<Typed, TypeError>,
    ) -> Lowered {
        let result = self.build(node, make)?;
        self.set_container(result, self.container_of(lambda));
        Ok(result)
    }

    /// The path `A::f` of a name `T::f` in which `T` is a template parameter and `A` is its argument.
    fn path_in_argument(&self, path: &str) -> Option<String> {
        let (param, member) = path.split_once("::")?;
        let class = match self.templates.get(param)? {
            Template::Class(class) => class.path.clone(),
            Template::Ty(ty) => self.b.class_of(*ty)?,
            Template::Number(..) | Template::Bool(_) => return None,
        };
        Some(format!("{class}::{member}"))
    }

    /// If `T` is a template parameter and `T::f` denotes a function that the files define, the full name of this
    /// function; otherwise `None`.
    fn member_of_argument(&self, name: &TypeName) -> Result<Option<TypeName>, Fault> {
        let Some(path) = self.path_in_argument(&name.path) else { return Ok(None) };
        let found = self.functions().map_or_else(Vec::new, |functions| functions.paths(&path));
        match &found[..] {
            [] => Ok(None),
            [one] => Ok(Some(TypeName { path: one.join("::"), namespace: None, ..name.clone() })),
            // The name of the class was written where the template is called, and the scopes of that place are not
            // known here.
            _ => Err(error::unsupported(
                "a function of a class whose name several classes have",
                name.lo,
                name.hi,
            )),
        }
    }

    /// Lowers a call of a function or of a constructor.
    pub(in crate::frontend::cxx) fn call_name(
        &mut self,
        node: NodeId,
        callee: NodeId,
        name: &TypeName,
        args: &[NodeId],
        hint: Option<Ty>,
    ) -> Lowered {
        let ast = self.ast;
        let member = self.member_of_argument(name)?;
        let name = member.as_ref().unwrap_or(name);
        let path = name.path.as_str();
        let args = without_truncation_flag(ast, path, args);
        let bound = self.scope.iter().rev().find(|(n, _)| n == path).filter(|_| name.namespace.is_none());
        if let Some(&(_, bound)) = bound {
            if self.in_function
                && !matches!(bound, Bound::Lambda(_))
                && let MethodCall::Helper(e) = self.call_object(node, callee, args)?
            {
                return Ok(e);
            }
            let mut values = self.items(args, None)?;
            // The arguments determine the types of `auto` parameters.
            let types: Vec<Ty> = values.iter().map(|value| value.ty).collect();
            if let Bound::Lambda(lambda) = bound {
                let mut held = Held::new();
                let (of, signature) =
                    (self.named_lambdas[lambda].node, self.named_lambdas[lambda].signature.clone());
                self.references =
                    self.bound_references(of, signature.as_ref(), args, &mut values, &mut held)?;
                if let NodeKind::Lambda(params, ..) = &ast[self.named_lambdas[lambda].node].kind {
                    self.lambda_arguments(node, params, &mut values)?;
                }
                let lambda = self.named_lambda(lambda, &types)?;
                let result = self.build(node, |b| b.call_lambda(lambda, &values))?;
                let result = self.bind_held(node, held, result)?;
                self.set_container(result, self.container_of(lambda));
                return Ok(result);
            }
            let callee_value = self.expression(callee, types.first().copied())?;
            if matches!(callee_value.ty.item, Item::Tuple(_)) {
                return Err(error::statement("operator()", ast[node].lo, ast[node].hi));
            }
            if let Some(local) = self.variable(callee) {
                // The class of the parameter is not known, because the lambda in the variable is not known.
                if let Some(&list) = args.iter().find(|&&arg| matches!(ast[arg].kind, NodeKind::Braces(_))) {
                    let what = "a list in braces as an argument of a variable that holds a function";
                    return Err(error::unsupported(what, ast[list].lo, ast[list].hi));
                }
                let lambda = self.build(node, |b| b.local(local))?;
                let signature = self.callables.get(&local).cloned();
                self.record_applied(local, &types);
                self.require_fixed_arguments(signature.as_ref(), args)?;
                let Some(signature) = signature else {
                    return self.called(node, callee_value, |b| b.apply(lambda, &values, Ty::UNKNOWN));
                };
                for (value, &to) in values.iter_mut().zip(&signature.params) {
                    *value = self.convert_number(node, *value, to)?;
                }
                let stated = self.lambda_results.get(&local).copied();
                let raw = stated.unwrap_or_else(|| signature.raw_result());
                let called = self.build(node, |b| b.apply(lambda, &values, raw))?;
                let called = self.convert_number(node, called, signature.result)?;
                self.set_container(called, self.container_of(callee_value));
                return Ok(called);
            }
            return self.called(node, callee_value, |b| b.call_lambda(callee_value, &values));
        }
        if let Some(mode) = class_function(path) {
            return self.class_call(node, mode, path, &name.args, args);
        }
        if let ("move" | "forward", &[only]) = (path, args) {
            return self.expression(only, hint);
        }
        if let ("Block::iterator" | "Region::iterator", &[at]) = (path, args)
            && self.in_function
        {
            return self.expression(at, None);
        }
        if let ("make_early_inc_range", &[range]) = (path, args) {
            let range = self.expression(range, None)?;
            return self.build(node, |b| b.as_range(range));
        }
        if let ("next" | "prev", &[at]) = (path, args)
            && self.in_function
        {
            let at = self.expression(at, None)?;
            if let Some(beside) = self.beside(node, at, path == "next")? {
                return Ok(beside);
            }
        }
        if ARITHMETIC.contains(&path) {
            return self.construct(node, name, args, false);
        }
        if let ("Builder", &[context]) = (path, args)
            && self.in_function
        {
            self.expression(context, None)?;
            return self.build(node, |b| b.opaque(Item::Builder));
        }
        if self.in_function && self.source_class(path, name.lo).is_some() {
            return self.construct(node, name, args, false);
        }
        if self.in_function
            && let Some(e) = self.object_of_argument(node, name, args)?
        {
            return Ok(e);
        }
        if name.namespace.is_none()
            && let Some(e) = self.own_method_of_definition(node, name, args)?
        {
            return Ok(e);
        }
        if let Some(e) = self.helper_call(node, name, args)? {
            return Ok(e);
        }
        // `T()`, and `T(x)` of a template parameter.
        if self.in_function
            && (args.is_empty() || self.templates.contains_key(path))
            && self.static_type(name).is_some_and(|ty| ty != Ty::UNKNOWN)
        {
            return self.construct(node, name, args, false);
        }
        if self.in_function
            && let Some(e) = self.attribute_name(node, path)?
        {
            return Ok(e);
        }
        if let Some(e) = self.body_call(node, name, args)? {
            return Ok(e);
        }
        if let Some(e) = self.algorithm(node, name, args)? {
            return Ok(e);
        }
        // A complex number cannot be represented, so the rule fails if this code is reached.
        if path == "complex" && self.in_function {
            self.items(args, None)?;
            let failure = self.build(node, |b| b.fail("complex numbers are not built"))?;
            return Ok(Typed { ty: Ty::UNKNOWN, ..failure });
        }
        if let Some(function) = path.strip_prefix("APFloatBase::") {
            let name = TypeName { path: format!("APFloat::{function}"), ..name.clone() };
            return self.call_name(node, callee, &name, args, hint);
        }
        if let ("function_ref" | "function", &[of]) = (path, args)
            && self.in_function
            && let Some(signature) = self.signature(name)?
        {
            if name.args.iter().skip(1).any(|param| param.passing == Passing::Reference) {
                let what = "a function with a reference parameter that has no name";
                return Err(error::unsupported(what, ast[node].lo, ast[node].hi));
            }
            return self.callable(node, &signature, of);
        }
        if path == "APFloat"
            && let &[value] = args
        {
            let value = self.expression(value, None)?;
            return self.ap_float(node, name, value);
        }
        if let Some((class, "create")) = path.rsplit_once("::") {
            return self.create(node, class, args);
        }
        if let ("sizeof", &[of]) = (path, args)
            && self.in_function
        {
            let ty = self.expression(of, None)?.ty;
            return self.size_in_bytes(node, Some(ty));
        }
        // `std::string(count, character)`
        if let ("string" | "SmallString", &[_, _]) = (path, args)
            && self.in_function
            && let Some(text) =
                self.helper_call(node, &TypeName::plain("drrvmFilled", name.lo, name.hi), args)?
        {
            return Ok(text);
        }
        if let ("Twine", &[character]) = (path, args)
            && self.expression(character, None)?.ty == CHAR
        {
            let NodeKind::Char(_) = ast[character].kind else {
                return Err(error::choice_by_byte(ast[node].lo, ast[node].hi));
            };
            let character = self.expression(character, None)?;
            return self.build(node, |b| b.algorithm(Builtin::CharText, &[character], Ty::STR));
        }
        // The type itself represents the semantics of a float type: `APFloat::Float8E5M2()`.
        if let (Some(format), []) = (path.strip_prefix("APFloat::"), args) {
            let class = match format {
                "x87DoubleExtended" => "Float80Type".to_owned(),
                "IEEEquad" => "Float128Type".to_owned(),
                _ => format!("{format}Type"),
            };
            if let Some(semantics) = self.static_get(node, &class, &[])? {
                return Ok(semantics);
            }
        }
        if let (Some((class, FROM_STATE)), &[state]) = (path.rsplit_once("::"), args) {
            return self.create_from_state(node, class, state);
        }
        if let ("DictionaryAttr::get", &[_, entries]) = (path, args) {
            return self.dictionary(node, entries);
        }
        if path.starts_with("APInt::getBitsSet") {
            let values = self.items(args, None)?;
            if let Some(e) = self.bits_set(node, path, &values)? {
                return Ok(e);
            }
        }
        if path.starts_with("APSInt::") {
            let values = self.items(args, None)?;
            if let Some(e) = self.signed_function(node, path, &values)? {
                return Ok(e);
            }
        }
        if let Some((class, "get")) = path.rsplit_once("::")
            && let Some(result) = self.static_get(node, class, args)?
        {
            return Ok(result);
        }
        if let &[begin, end, ..] = args
            && matches!(path, "all_of" | "any_of" | "none_of" | "count_if" | "is_sorted")
            && let Some(range) = self.whole_range(begin, end)
        {
            let args = [&[range], &args[2..]].concat();
            return self.call_name(node, callee, name, &args, hint);
        }
        if path == "m_Constant" && args.len() == 1 {
            let target = self.expression(args[0], None)?;
            if let Some(output) = self.b.as_output(target) {
                return self.build(node, |b| b.constant_matcher(output));
            }
        }
        if let Some(result) = self.enum_function(node, name, args)? {
            return Ok(result);
        }
        if let ("matchPattern", &[on, matcher]) = (path, args)
            && let NodeKind::Call(any, matchers) = &ast[matcher].kind
            && matches!(&ast[*any].kind, NodeKind::Name(name) if name.path == "m_AnyAttrOf")
        {
            return self.match_any(node, on, matchers);
        }
        let constructs = matches!(
            path,
            "ArrayRef"
                | "SmallVector"
                | "vector"
                | "ValueRange"
                | "TypeRange"
                | "optional"
                | "Value"
                | "Operation"
        ) || self.in_function
            && (matches!(path, "ShapedTypeComponents" | "ShapeAdaptor")
                || path == "RankedTensorType::Builder"
                || path.ends_with("BitVector")
                || path.ends_with("Adaptor"))
            || (path != "APInt"
                && path != "APFloat"
                && !matches!(path, "StringRef" | "string" | "SmallString" | "Twine")
                && !path.contains("::get")
                && self.class(path).is_some());
        if constructs {
            return self.construct(node, name, args, false);
        }
        // A name with a well-known namespace, such as `std::f`, may denote a function `f` that the files define outside
        // the namespace.
        if name.namespace.is_some() && !self.b.has_function(path) {
            let bare = TypeName { namespace: None, ..name.clone() };
            if let Some(e) = self.helper_call(node, &bare, args)? {
                return Ok(e);
            }
        }
        let values = self.items(args, None)?;
        self.function(node, name, &values)
    }

    /// Lowers `APFloat(value)`.
    pub(super) fn ap_float(&mut self, node: NodeId, name: &TypeName, value: Typed) -> Lowered {
        match value.ty {
            Ty::FLOAT => self.build(node, |b| b.algorithm(Builtin::FloatOfSingle, &[value], Ty::AP_FLOAT)),
            Ty::AP_FLOAT | Ty::UNKNOWN => Ok(Typed { ty: Ty::AP_FLOAT, ..value }),
            _ => self.function(node, name, &[value]),
        }
    }

    /// Lowers a call of a generated enumeration function, or of a template over enumerations such as `bitEnumSet`.
    /// Returns `None` for another function.
    fn enum_function(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let short = name.path.rsplit("::").next().unwrap_or(&name.path);
        let result = match (short, args) {
            (
                "bitEnumContains" | "bitEnumContainsAll" | "bitEnumContainsAny" | "bitEnumClear",
                &[value, bits],
            )
            | ("bitEnumSet", &[value, bits]) => {
                let (value, bits) = (self.expression(value, None)?, self.expression(bits, None)?);
                if !matches!(value.ty.item, Item::Enum(_)) {
                    return Ok(None);
                }
                match short {
                    "bitEnumSet" | "bitEnumClear" => self.b.enum_with(value, bits, short == "bitEnumSet"),
                    _ => self.b.enum_contains(value, bits, short != "bitEnumContainsAny"),
                }
            }
            ("bitEnumSet", &[value, bits, on]) => {
                let (value, bits) = (self.expression(value, None)?, self.expression(bits, None)?);
                if !matches!(value.ty.item, Item::Enum(_)) {
                    return Ok(None);
                }
                let on = self.expression(on, None)?;
                let (with, without) =
                    (self.b.enum_with(value, bits, true), self.b.enum_with(value, bits, false));
                let (with, without) = (self.at_node(node, with)?, self.at_node(node, without)?);
                self.b.select(on, with, without)
            }
            ("stringifyEnum", &[value]) => {
                let value = self.expression(value, None)?;
                let Item::Enum(id) = value.ty.item else { return Ok(None) };
                self.b.enum_text(id, value)
            }
            ("symbolizeEnum", &[of]) => {
                let Some(class) = name.args.first() else { return Ok(None) };
                let Some(Meaning::Enum(id)) = self.class(&class.path) else { return Ok(None) };
                let of = self.expression(of, None)?;
                self.b.enum_value(id, of)
            }
            _ => {
                let found = self.request.resolver.enum_function(self.b.snippets(), &name.path);
                match (found, args) {
                    (Some((id, EnumFunction::Max)), []) => self.b.enum_max(id),
                    (Some((id, function)), &[arg]) => {
                        let arg = self.expression(arg, None)?;
                        match function {
                            EnumFunction::Stringify => self.b.enum_text(id, arg),
                            _ => self.b.enum_value(id, arg),
                        }
                    }
                    _ => return Ok(None),
                }
            }
        };
        self.at_node(node, result).map(Some)
    }

    /// The range in the arguments `range.begin(), range.end()` of a `std` algorithm; `None` for other arguments.
    pub(in crate::frontend::cxx) fn whole_range(&self, begin: NodeId, end: NodeId) -> Option<NodeId> {
        self.range_between(begin, end, ["begin", "end"])
    }

    /// The range whose methods `methods` return the two iterators.
    pub(in crate::frontend::cxx) fn range_between(
        &self,
        begin: NodeId,
        end: NodeId,
        methods: [&str; 2],
    ) -> Option<NodeId> {
        let (range, other) = (self.range_of_end(begin, methods[0])?, self.range_of_end(end, methods[1])?);
        let text = |node: NodeId| self.text.get(self.ast[node].lo..self.ast[node].hi);
        // In `x->begin(), x->end()`, the range is the value of an optional.
        let is_held = self.variable(range).is_some_and(|local| self.container(local).held.is_some());
        (!is_held && text(range)? == text(other)?).then_some(range)
    }

    /// The range in `range.begin()` or `std::begin(range)`, where `begin` is the given name.
    pub(in crate::frontend::cxx) fn range_of_end(&self, node: NodeId, end: &str) -> Option<NodeId> {
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return None };
        match (&self.ast[*callee].kind, &args[..]) {
            (NodeKind::Member { object, name, .. }, []) if name == end => Some(*object),
            (NodeKind::Name(name), &[range]) if name.path == end && name.namespace.is_some() => Some(range),
            _ => None,
        }
    }

    /// Lowers `matchPattern(on, m_AnyAttrOf(matchers…))`.
    fn match_any(&mut self, node: NodeId, on: NodeId, matchers: &[NodeId]) -> Lowered {
        let none = self.b.bool(false);
        let mut result = self.at_node(node, none)?;
        for &matcher in matchers.iter().rev() {
            let args = [self.expression(on, None)?, self.expression(matcher, None)?];
            let Some(matched) = self.b.function("matchPattern", &args, None) else { continue };
            let matched = self.at_node(node, matched)?;
            let either = self.b.or(matched, result);
            result = self.at_node(node, either)?;
        }
        Ok(result)
    }

    /// A call of a built-in function or of a native.
    pub(super) fn function(&mut self, node: NodeId, name: &TypeName, args: &[Typed]) -> Lowered {
        self.require_order_for(node, &name.path, args)?;
        // In the text of a rule, a native is called if the template argument is not known.
        let (template, is_known) = match self.template_type(&name.args) {
            Ok(template) => (template, true),
            Err(_) if !self.in_function => (None, false),
            Err(fault) => return Err(fault),
        };
        let outputs: Vec<u32> = args.iter().filter_map(|a| self.b.as_output(*a)).collect();
        let qualified = written(&name.path, &name.args);
        if outputs.is_empty() && !is_known {
            return self.native_call(node, &qualified, args);
        }
        if outputs.is_empty() {
            // In `std`, the functions of `math.h` have overloads for several types.
            let in_std = self.is_in_std(name);
            if in_std
                && let Some(Ok(single)) = self.b.function(&format!("std::{}", name.path), args, template)
            {
                return Ok(single);
            }
            let int;
            let args = match args {
                &[of] if name.path == "abs" && name.namespace.is_none() && !in_std && is_number(of.ty) => {
                    int = [self.build(node, |b| b.convert(of, Ty::I32))?];
                    &int[..]
                }
                _ => args,
            };
            // `detail::foo` refers to the built-in function `foo` if the library has no `detail::foo`.
            let short = name.path.rsplit("::").next().unwrap_or(&name.path);
            for candidate in [name.path.as_str(), short] {
                if let Some(result) = self.b.function(candidate, args, template) {
                    return self.at_node(node, result);
                }
            }
            return self.native_call(node, &qualified, args);
        }
        let inputs: Vec<Typed> = args.iter().copied().filter(|a| self.b.as_output(*a).is_none()).collect();
        if self.in_function {
            return Err(self.unknown_function(node, &qualified));
        }
        self.build(node, |b| b.native(&qualified, &inputs, &outputs, Ty::UNKNOWN))
    }

    /// True if the text denotes a function of `std` by this name.
    pub(in crate::frontend::cxx) fn is_in_std(&self, name: &TypeName) -> bool {
        match name.namespace {
            Some(namespace) => namespace == "std",
            None => {
                let names = |used: &LocalUsing| match &used.name[..] {
                    [outer] => used.is_namespace && outer == "std",
                    [outer, of] => !used.is_namespace && outer == "std" && *of == name.path,
                    _ => false,
                };
                let is_local = |used: &LocalUsing| names(used) && used.applies_at(name.lo);
                self.usings.iter().any(is_local)
                    || self.functions().is_some_and(|f| f.uses_std(self.text, &self.enclosing, name))
            }
        }
    }

    /// The fault of a function that is not known.
    fn unknown_function(&mut self, node: NodeId, name: &str) -> Fault {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let member = self.path_in_argument(name);
        let name = member.as_deref().unwrap_or(name);
        match self.functions().and_then(|functions| functions.unread_macro(name)) {
            Some(reason) => error::outside(&reason, lo, hi),
            None => match self.namespace_of_call(node) {
                Some(namespace) if self.unread(name, lo).is_none() => {
                    error::unknown_function(&format!("{namespace}::{name}"), lo, hi)
                }
                _ => self.unknown_name(name, node),
            },
        }
    }

    /// The namespace that is written before the name of the called function: `std`, `llvm` or `mlir`.
    fn namespace_of_call(&self, node: NodeId) -> Option<&'static str> {
        let NodeKind::Call(callee, _) = &self.ast[node].kind else { return None };
        match &self.ast[*callee].kind {
            NodeKind::Name(name) => name.namespace,
            _ => None,
        }
    }

    pub(super) fn native_call(&mut self, node: NodeId, name: &str, args: &[Typed]) -> Lowered {
        if self.in_function {
            let is_template = name.split_once('<').is_some_and(|(template, _)| {
                self.functions().is_some_and(|functions| functions.is_named_in_library(template))
            });
            return Err(match is_template {
                true => error::template_arguments(name, self.ast[node].lo, self.ast[node].hi),
                false => self.unknown_function(node, name),
            });
        }
        if let Some(helpers) = self.request.resolver.helpers() {
            helpers.report_native(name);
        }
        let args: Vec<Typed> = args.iter().map(|&arg| self.holder(arg)).collect();
        self.build(node, |b| b.native(name, &args, &[], Ty::UNKNOWN))
    }

    /// The attribute that holds the elements of an optional range; any other value itself.
    pub(super) fn holder(&self, value: Typed) -> Typed {
        self.holders.get(&value.id).copied().unwrap_or(value)
    }

    pub(super) fn native_method(
        &mut self,
        node: NodeId,
        object: Typed,
        name: &str,
        args: &[Typed],
    ) -> Lowered {
        let class = self.in_function.then(|| self.receiver_in_cxx(node, object.ty)).flatten();
        let qualified = match (class, object.ty.item) {
            (Some(class), _) => format!("{class}::{name}"),
            (None, Item::Builder | Item::Unknown) => name.to_owned(),
            _ => format!("{}::{name}", self.b.show(Ty::one(object.ty.item)).trim_end_matches(" *")),
        };
        let mut all = vec![object];
        all.extend_from_slice(args);
        self.native_call(node, &qualified, &all)
    }

    /// The class of the receiver of a method call as C++ code writes it, if the static type does not state this class.
    fn receiver_in_cxx(&mut self, node: NodeId, ty: Ty) -> Option<String> {
        let is_stated = ty.form == Form::One
            && !matches!(ty.item, Item::Str | Item::Value | Item::Builder | Item::Tuple(_));
        let NodeKind::Call(callee, _) = &self.ast[node].kind else { return None };
        let NodeKind::Member { object, .. } = self.ast[*callee].kind else { return None };
        if is_stated || ty.form == Form::Optional {
            return None;
        }
        let class = self.class_in_cxx(object);
        match class.as_deref() {
            // The static type of an object of a source file states its class with the namespaces.
            _ if self.class_of_objects(ty).is_some() => None,
            Some(class @ ("string" | "vector" | "set" | "map" | "array" | "pair" | "tuple")) => {
                Some(format!("std::{class}"))
            }
            Some("char") => Some("StringRef".to_owned()),
            // The receiver is the value to which this object refers.
            Some("optional" | "FailureOr" | "auto") => None,
            Some(_) => class,
            None if ty.form == Form::Range => Some(self.b.show(ty)),
            None => None,
        }
    }
}
