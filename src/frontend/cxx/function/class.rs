//! Lowers classes of the source files: data members, constructors, member functions and operators.
//!
//! An object is a tuple of its data members. A member function is a function whose first parameter is the object; a
//! function that is not `const` takes the object by reference. A constructor is a function that returns the new object.

use std::sync::Arc;

use super::argument::Object;
use super::call::Call;
use super::changes::is_map;
use super::constants::DECLARATION_LIMIT;
use super::lvalue::Held;
use super::parse::Initialisers;
use super::place::{Place, Step};
use super::scan::Declared;
use super::source::{Functions, SourceClass};
use super::view::names_type;
use crate::frontend::cxx::ast::{NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::tokens;
use crate::frontend::cxx::lower::{Bound, Container, Lower, Lowered, Order};
use crate::frontend::cxx::resolve::Named;
use crate::snippet::{AttrClass, BinaryOp, ClassId, Form, Item, LocalId, Ty, TypeClass, Typed};
use crate::stack::with_room;

/// The name of the object in member functions.
const THIS: &str = "this";

/// The meaning of `object.method(args)`.
pub(in crate::frontend::cxx) enum MethodCall {
    /// A call of a function of the source files.
    Helper(Typed),
    /// Another call, with the value of the object if it is lowered already.
    Other(Option<Typed>),
}

impl Lower<'_, '_> {
    /// The class of the source files with this name; `None` if there is no such class, or if it is outside the language.
    pub(in crate::frontend::cxx) fn source_class(
        &mut self,
        path: &str,
        at: usize,
    ) -> Option<Arc<SourceClass>> {
        self.read_class(path, at)?.ok()
    }

    /// The class of the source files with this name, or the reason why it is outside the language: base classes, or
    /// members outside the language. `None` if there is no such class.
    fn read_class(&mut self, path: &str, at: usize) -> Option<Result<Arc<SourceClass>, String>> {
        let helpers = self.request.resolver.helpers()?;
        let functions = self.functions()?;
        let (text, declared) = functions.class(path, &self.site(functions, at))?;
        let path = declared.path.join("::");
        if let Some(known) = helpers.classes.borrow().get(&path) {
            return Some(Ok(known.clone()));
        }
        if self.inlined >= DECLARATION_LIMIT {
            return None;
        }
        if helpers.classes_in_progress.borrow().contains(&path) {
            return Some(Err(format!("the class '{path}' contains objects of its own type")));
        }
        helpers.classes_in_progress.borrow_mut().push(path.clone());
        let class = self.read_members(functions, path.clone(), text, declared);
        helpers.classes_in_progress.borrow_mut().pop();
        if let Some(Ok(class)) = &class {
            helpers.classes.borrow_mut().insert(path, class.clone());
        }
        class
    }

    /// The class with this path and this declaration in a text, or the reason why it is outside the language.
    fn read_members(
        &mut self,
        functions: &Functions,
        path: String,
        text: &Arc<str>,
        declared: &Declared,
    ) -> Option<Result<Arc<SourceClass>, String>> {
        let outside = || "it has a base class or a member that is outside the language".to_owned();
        let Ok(tokens) = tokens(text, &declared.declaration) else { return Some(Err(outside())) };
        let mut parser = functions.parser(&tokens, text, &declared.path);
        let Some(body) = parser.class_body(declared.path.last()?) else { return Some(Err(outside())) };
        let ast = parser.ast;
        let mut inner = self.declaration(text, &ast);
        inner.enter_class(&declared.path);
        let mut fields: Vec<(&str, Ty)> = Vec::new();
        let mut unordered = Vec::new();
        for &member in &body.members {
            let NodeKind::Declare { ty, name, .. } = &ast[member].kind else { return Some(Err(outside())) };
            let Some(field) = inner.static_type(ty) else {
                return Some(Err(format!("the member '{name}': {}", inner.unknown_type(ty).message)));
            };
            let handle = matches!(field.item, Item::Op(_) | Item::Context | Item::Builder)
                || ty.path == "char" && ty.passing == Passing::Pointer;
            // The properties of maps and sorted sets are recorded for variables only, so a field cannot have these
            // types.
            let is_mutable_view = names_type(ty, "MutableArrayRef");
            if is_map(&ty.path)
                || ty.path == "set"
                || is_mutable_view
                || ty.passing != Passing::Value && !handle
            {
                return Some(Err(format!(
                    "the member '{name}' is a reference, pointer, view, map or sorted set"
                )));
            }
            if inner.container_class(ty).order == Order::Unstated {
                unordered.push(u32::try_from(fields.len()).ok()?);
            }
            fields.push((name, field));
        }
        let id = self.b.snippets().class_tuple(&path, &fields, body.has_constructors);
        let class = Arc::new(SourceClass {
            ty: Ty::one(Item::Tuple(id)),
            path: declared.path.clone(),
            text: text.clone(),
            members: body.members,
            unordered,
            has_constructors: body.has_constructors,
            has_default: body.has_default,
            ast,
        });
        Some(Ok(class))
    }

    /// The type of the class or enumeration of the source files that a name denotes; `None` if there is none, or if a
    /// definition or a built-in class with this name is in a scope that is at least as near.
    pub(in crate::frontend::cxx) fn nearest_type(&mut self, path: &str, at: usize) -> Option<Ty> {
        let functions = self.functions().filter(|_| self.in_function)?;
        let of_class = self.source_class(path, at).map(|class| (class.ty, class.path.clone()));
        let (ty, of) = match of_class {
            Some(found) => found,
            None => {
                let of = functions.enumeration(path, &self.site(functions, at))?.1.path.clone();
                (self.source_enum(path, at)?, of)
            }
        };
        let snippets = self.b.snippets();
        let other = match self.request.resolver.name(snippets, path) {
            Some(Named::Class(id)) => snippets.str(snippets.class(id).cxx_name).to_owned(),
            Some(Named::Enum(id)) => snippets.str(snippets.enumeration(id).cxx_name).to_owned(),
            None => path.to_owned(),
        };
        let site = self.site(functions, at);
        let written = path.split("::").count();
        let depth = |outer: &str| {
            let parts = [outer, &other].into_iter().flat_map(|part| part.split("::"));
            let full: Vec<String> = parts.filter(|part| !part.is_empty()).map(str::to_owned).collect();
            functions.depth_of(&full, written, &site)
        };
        // The namespaces of built-in classes. The names of definitions may omit `mlir`.
        let namespaces = if other == path { &["mlir", "llvm", "std"][..] } else { &["", "mlir"] };
        let nearest = namespaces.iter().filter_map(|outer| depth(outer)).max();
        (functions.depth_of(&of, written, &site) > nearest).then_some(ty)
    }

    /// The reason why a name that the files define has no meaning here; `None` if they do not define the name.
    pub(in crate::frontend::cxx) fn unread(&mut self, path: &str, at: usize) -> Option<String> {
        let functions = self.functions()?;
        if let Some(reason) = functions.unread(path, &self.site(functions, at)) {
            return Some(reason);
        }
        if let Some(class) = self.read_class(path, at) {
            return class.err();
        }
        // The name of an enumerator or member.
        let (of, _) = path.rsplit_once("::")?;
        functions.unread(of, &self.site(functions, at))
    }

    /// The fault of a name that is neither in the library nor in the source files.
    pub(in crate::frontend::cxx) fn unknown_name(&mut self, name: &str, node: NodeId) -> Fault {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        match self.unread(name, lo) {
            Some(reason) => error::outside(&reason, lo, hi),
            None => error::unknown_function(name, lo, hi),
        }
    }

    /// The class of the source files whose objects have this type; `None` for another type.
    pub(in crate::frontend::cxx) fn class_of_objects(&self, ty: Ty) -> Option<Arc<SourceClass>> {
        let name = self.b.class_of(ty)?;
        self.request.resolver.helpers()?.classes.borrow().get(&name).cloned()
    }

    /// Sets the scopes of a declaration to those of a class.
    fn enter_class(&mut self, path: &[String]) {
        self.class_scope = Some(path.join("::"));
        self.enclosing = path.to_vec();
    }

    /// The values of the data members before a constructor changes them: those of their initialisers, or their default
    /// values.
    pub(in crate::frontend::cxx) fn member_values(
        &mut self,
        node: NodeId,
        class: &SourceClass,
    ) -> Result<Vec<Typed>, Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let types = self.b.field_types(class.ty).unwrap_or_default();
        let mut inner = self.declaration(&class.text, &class.ast);
        if inner.inlined > DECLARATION_LIMIT {
            return Err(error::too_deep(lo));
        }
        inner.enter_class(&class.path);
        let mut values = Vec::new();
        for (&member, field) in class.members.iter().zip(types) {
            let NodeKind::Declare { ty, name, init } = &class.ast[member].kind else { continue };
            let value = match field.item {
                Item::Builder => inner.build(member, |b| b.opaque(Item::Builder)),
                _ => inner.initial(member, ty, init),
            };
            let of = || format!("the member '{name}' of '{}'", class.path.join("::"));
            let value =
                value.map_err(|fault| error::outside(&format!("{}: {}", of(), fault.message), lo, hi))?;
            values.push(Typed { ty: field, ..value });
        }
        Ok(values)
    }

    /// A field of a tuple or object. If the field is a set without an order, the value has no order either.
    pub(in crate::frontend::cxx) fn field_of(&mut self, node: NodeId, object: Typed, field: u32) -> Lowered {
        let value = self.build(node, |b| b.field_at(object, field))?;
        if value.ty.form == Form::Range
            && self.class_of_objects(object.ty).is_some_and(|class| class.unordered.contains(&field))
        {
            self.set_container(value, Container::UNORDERED);
        }
        Ok(value)
    }

    /// The class of the source files that a type denotes, if only constructors create its objects.
    pub(in crate::frontend::cxx) fn constructed_class(&mut self, ty: Ty) -> Option<Arc<SourceClass>> {
        self.class_of_objects(ty).filter(|class| class.has_constructors && self.in_function)
    }

    /// Lowers `T(args)`, `T{args}` and `T x;` of a class with constructors. `braces` is true for `T{args}`.
    pub(in crate::frontend::cxx) fn constructor_call(
        &mut self,
        node: NodeId,
        class: &SourceClass,
        args: &[NodeId],
        braces: bool,
    ) -> Lowered {
        if class.has_default
            && args.is_empty()
            && let Item::Tuple(id) = class.ty.item
        {
            let values = self.member_values(node, class)?;
            return self.build(node, |b| b.tuple(id, &values));
        }
        let values = self.items(args, None)?;
        if let &[copied] = &values[..]
            && copied.ty == class.ty
        {
            return Ok(copied);
        }
        let mut named =
            self.functions().map_or_else(Vec::new, |functions| functions.constructors(&class.path));
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        // For a list in braces, C++ prefers a constructor with a parameter `initializer_list`.
        let takes_list = |&constructor: &usize| {
            let parameters =
                |f: &Functions| f.text(constructor)[f.definition(constructor).params.clone()].to_owned();
            self.functions().is_some_and(|f| parameters(f).contains("initializer_list"))
        };
        let is_list = |&arg: &NodeId| matches!(self.ast[arg].kind, NodeKind::Braces(_));
        if !braces && !args.iter().any(is_list) {
            named.retain(|constructor| !takes_list(constructor));
        }
        if named.iter().any(takes_list) {
            return Err(error::unsupported("a class with a constructor for lists in braces", lo, hi));
        }
        let name = TypeName::plain(class.path.join("::"), lo, hi);
        let made =
            self.required_call(&named, &Call { node, name: &name, args, values: &values, object: None })?;
        Ok(Typed { ty: class.ty, ..made })
    }

    /// An expression, or a list in braces that initialises an object.
    pub(in crate::frontend::cxx) fn initialised(&mut self, node: NodeId, to: Ty) -> Lowered {
        if let NodeKind::Braces(args) = &self.ast[node].kind
            && let Some(class) = self.constructed_class(to)
        {
            return self.constructor_call(node, &class, args, true);
        }
        if let NodeKind::Braces(args) = &self.ast[node].kind
            && let Some(value) = self.listed_object(node, args, to)?
        {
            return Ok(value);
        }
        self.expression(node, Some(Ty::one(to.item)))
    }

    /// The object that a list in braces initialises: an empty optional, or an object, pair or tuple whose list contains
    /// other lists or has fewer elements than there are members. `None` for another list or type.
    fn listed_object(&mut self, node: NodeId, args: &[NodeId], to: Ty) -> Result<Option<Typed>, Fault> {
        if !self.in_function {
            return Ok(None);
        }
        let is_list = |arg: &NodeId| matches!(self.ast[*arg].kind, NodeKind::Braces(_));
        let Item::Tuple(id) = to.item else {
            let is_empty = to.form == Form::Optional && args.is_empty();
            return if is_empty { self.build(node, |b| b.null(to)).map(Some) } else { Ok(None) };
        };
        match (to.form, args) {
            (Form::Optional, []) => return self.build(node, |b| b.null(to)).map(Some),
            (Form::Optional, &[inner]) if is_list(&inner) => {
                let object = self.initialised(inner, Ty::one(to.item))?;
                let object = self.build(inner, |b| b.returned(object, Ty::one(to.item)))?;
                return self.build(node, |b| b.returned(object, to)).map(Some);
            }
            (Form::One, _) => {}
            _ => return Ok(None),
        }
        let class = self.class_of_objects(to);
        let is_aggregate = class.as_ref().is_some_and(|class| class.unordered.is_empty());
        if !is_aggregate && self.b.tuple_name(id).is_some() {
            return Ok(None);
        }
        let types = self.b.field_types(to).unwrap_or_default();
        let has_all = args.len() == types.len();
        if has_all && !args.iter().any(is_list) || args.len() > types.len() {
            return Ok(None);
        }
        if let &[copied] = args
            && !is_list(&copied)
            && self.expression(copied, None)?.ty == to
        {
            return Ok(None);
        }
        let mut fields = Vec::with_capacity(types.len());
        match class {
            Some(class) if !has_all => fields = self.member_values(node, &class)?,
            None if args.is_empty() => return self.default_value(node, to).map(Some),
            None if !has_all => return Ok(None),
            _ => {}
        }
        let mut stated = Vec::with_capacity(args.len());
        for (&arg, ty) in args.iter().zip(types) {
            let value = self.initialised(arg, ty)?;
            stated.push(self.build(arg, |b| b.returned(value, ty))?);
        }
        stated.extend_from_slice(fields.get(args.len()..).unwrap_or_default());
        self.build(node, |b| b.tuple(id, &stated)).map(Some)
    }

    /// The body of a constructor. `names` is the number of names in scope before the parameters.
    pub(super) fn constructor(
        &mut self,
        body: NodeId,
        initialisers: &Initialisers,
        result: Option<Ty>,
        names: usize,
    ) -> Lowered {
        let (lo, hi) = (self.ast[body].lo, self.ast[body].hi);
        let class = result.and_then(|ty| self.constructed_class(ty));
        let Some(class) = class else { return Err(error::unsupported("this constructor", lo, hi)) };
        let Item::Tuple(id) = class.ty.item else {
            return Err(error::unsupported("this constructor", lo, hi));
        };
        let values = self.member_values(body, &class)?;
        let object = self.build(body, |b| b.new_local(class.ty))?;
        // Parameters hide members.
        let params = self.scope.split_off(names);
        self.bind_object(object);
        self.scope.extend(params);
        let mut effects = Vec::new();
        let mut members = Vec::new();
        for (name, args, braces) in initialisers {
            if Some(name) == class.path.last() {
                let value = self.constructor_call(body, &class, args, *braces)?;
                effects.push(self.build(body, |b| b.set(object, value))?);
                continue;
            }
            let Some(field) = self.b.field_index(class.ty, name) else {
                return Err(error::unsupported("an initialiser of a base class", lo, hi));
            };
            members.push((field, args, *braces));
        }
        // The order of the declarations is the order of the initialisations.
        members.sort_by_key(|&(field, ..)| field);
        for (field, args, braces) in members {
            let Some(&member) = class.members.get(field as usize) else { continue };
            let NodeKind::Declare { ty, .. } = &class.ast[member].kind else { continue };
            let Some(to) = self.static_type(ty) else {
                return Err(self.unknown_type(&TypeName { lo, hi, ..ty.clone() }));
            };
            let value = match to.item {
                Item::Builder => self.build(body, |b| b.opaque(Item::Builder))?,
                _ => self.construct(body, ty, args, braces)?,
            };
            let place = Place { root: object, steps: vec![Step::Field(field)] };
            effects.push(self.store_place(body, &place, value)?);
        }
        effects.push(with_room(|| self.body(body, Some(Ty::NULL)))?);
        self.build(body, |b| {
            let initial = b.tuple(id, &values)?;
            let effects = b.block(&effects)?;
            let read = b.local(object)?;
            let all = b.then(effects, read)?;
            b.bind(object, initial, all)
        })
    }

    /// Brings an object and its data members into scope.
    pub(super) fn bind_object(&mut self, object: LocalId) {
        self.pointers.insert(object);
        self.scope.push((THIS.to_owned(), Bound::Local(object)));
        let ty = self.b.local_ty(object);
        let names = self.b.field_names(ty);
        for (field, name) in (0..).zip(&names) {
            self.bind_place(name, Place { root: object, steps: vec![Step::Field(field)] });
        }
        self.changed.join(THIS, &names);
    }

    /// True for `this`, and for a data member that is named without an object. A lambda that captures such a name by
    /// value captures the pointer to the object.
    pub(super) fn is_own_member(&self, name: &str) -> bool {
        let Some(this) = self.own_object_local() else { return false };
        match self.scope.iter().rev().find(|(bound, _)| bound == name) {
            Some((_, Bound::Local(local))) => *local == this,
            Some((_, Bound::Place(place))) => match &self.places[*place] {
                Place { root, steps } if *root == this => match steps[..] {
                    [Step::Field(field)] => self.b.field_index(self.b.local_ty(this), name) == Some(field),
                    _ => false,
                },
                _ => false,
            },
            _ => false,
        }
    }

    /// The local of the object whose member function is being compiled.
    pub(super) fn own_object_local(&self) -> Option<LocalId> {
        let (_, bound) = self.scope.iter().rev().find(|(name, _)| name == THIS)?;
        match bound {
            Bound::Local(local) => Some(*local),
            Bound::Lambda(_) | Bound::Place(_) | Bound::Element(_) => None,
        }
    }

    /// The object of the member function that is being compiled, and the class of the function.
    pub(super) fn own_object(&mut self) -> Option<(Object, String)> {
        let root = self.own_object_local()?;
        let value = self.b.local(root).ok()?;
        let place = Some(Place { root, steps: Vec::new() });
        let is_const = self.constants.get(THIS).copied().flatten();
        Some((Object { value, place, is_const, is_new: false }, self.class_scope.clone()?))
    }

    /// Lowers `object.method(args)`, where the class of the object may be in the source files.
    pub(in crate::frontend::cxx) fn method_of_class(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        template: &[TypeName],
        args: &[NodeId],
    ) -> Result<MethodCall, Fault> {
        let Some(functions) = self.functions().filter(|functions| functions.member_changes(method).is_some())
        else {
            return Ok(MethodCall::Other(None));
        };
        let mut held = Held::new();
        let (class, of) = match self.object(node, object, &mut held)? {
            Ok(object) => object,
            Err(value) => return Ok(MethodCall::Other(value)),
        };
        let named = functions.methods(&class, method);
        if named.is_empty() {
            return Ok(MethodCall::Other(of.place.is_none().then_some(of.value)));
        }
        let name = TypeName::plain(method, self.ast[node].lo, self.ast[node].hi);
        let scope_args = self.class_args(object);
        self.require_class_args(node, &named, &scope_args)?;
        let name = TypeName { args: template.to_vec(), scope_args, ..name };
        let values = self.items(args, None)?;
        let call = Call { node, name: &name, args, values: &values, object: Some(&of) };
        let e = self.required_call(&named, &call)?;
        self.bind_held(node, held, e).map(MethodCall::Helper)
    }

    /// Lowers `x.method(args)`, where the source files define the method of the class of an operation, type or
    /// attribute. Returns `None` for another method.
    pub(in crate::frontend::cxx) fn method_of_definition(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[NodeId],
        values: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let Some(class) = named_class(on.ty) else { return Ok(None) };
        let Some(functions) = self.functions() else { return Ok(None) };
        let snippets = self.b.snippets();
        let class = snippets.str(snippets.class(class).cxx_name).to_owned();
        let named = functions.of_class(&class, method);
        if named.is_empty() {
            return Ok(None);
        }
        let name = TypeName::plain(method, self.ast[node].lo, self.ast[node].hi);
        let object = Object::value(on);
        self.overloaded(&named, &Call { node, name: &name, args, values, object: Some(&object) })
    }

    /// `method(args)` in a member function of the class of an operation, type or attribute; `None` for another
    /// function.
    pub(in crate::frontend::cxx) fn own_method_of_definition(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let Some((object, scope)) = self.own_object() else { return Ok(None) };
        let ty = object.value.ty;
        let class = named_class(ty);
        if class.is_none() && !matches!(ty, Ty { item: Item::Op(_), form: Form::One }) {
            return Ok(None);
        }
        let (resolver, path) = (self.request.resolver, name.path.as_str());
        let is_defined = self.functions().is_some_and(|f| !f.of_class(&scope, path).is_empty());
        let is_generated = class.is_some_and(|class| {
            let snippets = self.b.snippets();
            resolver.computed(snippets, class, path).is_some()
                || resolver.member(snippets, class, path).is_some()
                || resolver.optional_range(snippets, class, path).is_some()
                || resolver.region(snippets, class, path).is_some()
                || resolver.successor(snippets, class, path).is_some()
                || resolver.method(snippets, class, path, args.len()).is_some()
        });
        let is_method = is_defined
            || is_generated
            || self.b.has_method(object.value.ty, path)
            || matches!(path, "emitError" | "emitOpError" | "emitWarning" | "emitRemark" | "hasTrait")
            || matches!(path, "getODSOperands" | "getODSResults" | "getParentOfType")
            || matches!(
                path,
                "getRegion" | "getRegions" | "getNumRegions" | "getSuccessor" | "getSuccessors"
            )
            || path == "getBody"
                && class.is_some_and(|class| {
                    resolver.has_trait(self.b.snippets(), class, "OpTrait::SingleBlock")
                });
        if path.contains("::") || !is_method {
            return Ok(None);
        }
        self.method_of(node, object.value, path, &name.args, args).map(Some)
    }

    /// The object that an expression denotes, and its class. If the expression denotes no object, returns the value of
    /// the expression, or `None` if the value is not lowered yet.
    fn object(
        &mut self,
        node: NodeId,
        object: NodeId,
        held: &mut Held,
    ) -> Result<Result<(String, Object), Option<Typed>>, Fault> {
        let element = self.place_of_iterator(node, object, held)?;
        let is_const = if element.is_some() { None } else { self.is_const(object) };
        let place = match element {
            Some(place) => Some(place),
            None => self.place(object, held)?,
        };
        if let Some(place) = place {
            let ty = self.place_ty(node, &place)?;
            if let Some(class) = self.b.class_of(ty) {
                let value = self.read_place(node, &place)?;
                return Ok(Ok((class, Object { value, place: Some(place), is_const, is_new: false })));
            }
            if ty.form == Form::One {
                return Ok(Err(None));
            }
        }
        let Ok(lowered) = self.expression(object, None) else { return Ok(Err(None)) };
        let value = match lowered.ty.form {
            Form::Optional | Form::Iterator => self.build(object, |b| b.deref(lowered))?,
            _ => lowered,
        };
        let Some(class) = self.b.class_of(value.ty) else { return Ok(Err(Some(lowered))) };
        let is_new = match &self.ast[object].kind {
            NodeKind::Construct(..) => true,
            NodeKind::Call(callee, _) => match &self.ast[*callee].kind {
                NodeKind::Name(name) => self.static_type(&name.clone()) == Some(value.ty),
                _ => false,
            },
            _ => false,
        };
        let is_const = is_new.then_some(false);
        Ok(Ok((class, Object { value, place: None, is_const, is_new })))
    }

    /// True if an expression denotes a `const` object or a part of such an object; `None` if this is not known.
    fn is_const(&self, node: NodeId) -> Option<bool> {
        let ast = self.ast;
        let mut part = node;
        let name = loop {
            part = match &ast[part].kind {
                NodeKind::Name(name) => break name.path.as_str(),
                NodeKind::Member { object, .. } => *object,
                NodeKind::Index(of, _) => *of,
                NodeKind::Deref(of) if self.variable(part).is_some() => *of,
                _ => return None,
            }
        };
        // A lambda that captures by value cannot change its copies.
        let (lo, hi) = (ast[node].lo, ast[node].hi);
        let copies = |of: &NodeKind| matches!(of, NodeKind::Lambda(.., copies) if !copies.is_empty());
        if ast.iter().any(|outer| copies(&outer.kind) && outer.lo <= lo && hi <= outer.hi) {
            return None;
        }
        self.constants.get(name).copied().flatten()
    }

    /// Records which variables and references of a function are `const`. The map has `None` for a name that is declared
    /// both `const` and not `const`, and for a name that is declared `auto` without `const`.
    pub(super) fn find_constants<'p>(
        &mut self,
        params: impl Iterator<Item = (&'p TypeName, &'p str)>,
        is_const_function: bool,
        object: Option<LocalId>,
    ) {
        let constness = |ty: &TypeName| match ty.path.as_str() {
            "auto" if !ty.is_const => None,
            // The elements of a view are constants.
            "ArrayRef" => Some(true),
            _ => Some(ty.is_const),
        };
        let mut found: Vec<(String, Option<bool>)> = Vec::new();
        if let Some(object) = object {
            let names = self.b.field_names(self.b.local_ty(object));
            found.extend(
                names.into_iter().chain([THIS.to_owned()]).map(|name| (name, Some(is_const_function))),
            );
        }
        found.extend(params.map(|(ty, name)| (name.to_owned(), constness(ty))));
        for node in self.ast.iter() {
            match &node.kind {
                NodeKind::Declare { ty, name, .. } => found.push((name.clone(), constness(ty))),
                NodeKind::Unpack { ty, names, .. } | NodeKind::ForEach { ty, names, .. } => {
                    found.extend(names.iter().map(|name| (name.clone(), constness(ty))));
                }
                NodeKind::Lambda(params, ..) => {
                    found.extend(params.iter().map(|(ty, name)| (name.clone(), constness(ty))));
                }
                _ => {}
            }
        }
        for (name, is_const) in found {
            let known = self.constants.entry(name).or_insert(is_const);
            *known = known.filter(|known| Some(*known) == is_const);
        }
    }

    /// Lowers an operator that the source files define for an enumeration. Returns `None` for other operands and for a
    /// built-in operator.
    pub(in crate::frontend::cxx) fn enum_operator(
        &mut self,
        node: NodeId,
        operator: &str,
        values: &[Typed],
        nodes: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let is_any = values.iter().any(|value| value.ty.is_enumeration());
        let Some(functions) = self.functions().filter(|_| is_any) else { return Ok(None) };
        let name = TypeName::plain(format!("operator{operator}"), self.ast[node].lo, self.ast[node].hi);
        let free = functions.free(&name, &self.enclosing);
        let call = Call { node, name: &name, args: nodes, values, object: None };
        match free.is_empty() {
            true => Ok(None),
            false => self.overloaded_for_enumeration(&free, &call),
        }
    }

    /// Lowers `a op b`, where the source files define the operator for a class or an enumeration. Returns `None` if
    /// none of the values has such a type.
    pub(in crate::frontend::cxx) fn class_operator(
        &mut self,
        node: NodeId,
        op: BinaryOp,
        [a, b]: [Typed; 2],
        nodes: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let left = self.b.class_of(a.ty);
        if left.is_none() && self.b.class_of(b.ty).is_none() {
            if let Some(e) = self.enum_operator(node, op.text(), &[a, b], nodes)? {
                return Ok(Some(e));
            }
            if !a.ty.has_comparison() && !b.ty.has_comparison() {
                return Ok(None);
            }
            let underlying = |e: Typed| Typed { ty: Ty { item: e.ty.item.underlying(), ..e.ty }, ..e };
            return self.build(node, |builder| builder.binary(op, underlying(a), underlying(b))).map(Some);
        }
        let Some(functions) = self.functions() else { return Ok(None) };
        let name = TypeName::plain(format!("operator{}", op.text()), self.ast[node].lo, self.ast[node].hi);
        let members = left.map_or_else(Vec::new, |class| functions.methods(&class, &name.path));
        let free = functions.free(&name, &self.enclosing);
        let mut object = Object::value(a);
        if let (Some(&of), false) = (nodes.first(), members.is_empty()) {
            // The indices are already evaluated with the value, so a place with indices is not used.
            let mut held = Held::new();
            object.place = self.place(of, &mut held)?.filter(|_| held.is_empty());
            object.is_const = self.is_const(of);
        }
        let rest = nodes.get(1..).unwrap_or_default();
        let of_class = Call { node, name: &name, args: rest, values: &[b], object: Some(&object) };
        let of_values = Call { node, name: &name, args: nodes, values: &[a, b], object: None };
        let found = self.overloaded_among(&[(&members, &of_class), (&free, &of_values)])?;
        found.ok_or_else(|| error::unknown_function(&name.path, name.lo, name.hi)).map(Some)
    }

    /// Lowers `object op= value`, where the class of the object is in the source files. Returns `None` for another
    /// target.
    pub(super) fn class_assignment(
        &mut self,
        node: NodeId,
        op: BinaryOp,
        to: NodeId,
        by: NodeId,
    ) -> Result<Option<Typed>, Fault> {
        let name = TypeName::plain(format!("operator{}=", op.text()), self.ast[node].lo, self.ast[node].hi);
        let Some(functions) = self.functions().filter(|f| !f.named(&name.path).is_empty()) else {
            return Ok(None);
        };
        let mut held = Held::new();
        let Ok((class, object)) = self.object(node, to, &mut held)? else {
            let to_value = self.expression(to, None)?;
            if !to_value.ty.is_enumeration() {
                return Ok(None);
            }
            let by_value = self.expression(by, Some(to_value.ty))?;
            return self.enum_operator(node, &format!("{}=", op.text()), &[to_value, by_value], &[to, by]);
        };
        let members = functions.methods(&class, &name.path);
        // A free function would evaluate the indices again.
        let free = if held.is_empty() { functions.free(&name, &self.enclosing) } else { Vec::new() };
        let value = self.expression(by, None)?;
        let of_class = Call { node, name: &name, args: &[by], values: &[value], object: Some(&object) };
        let both = [object.value, value];
        let of_values = Call { node, name: &name, args: &[to, by], values: &both, object: None };
        let found = self.overloaded_among(&[(&members, &of_class), (&free, &of_values)])?;
        let e = found.ok_or_else(|| error::unknown_function(&name.path, name.lo, name.hi))?;
        self.bind_held(node, held, e).map(Some)
    }

    /// The lambda `a < b` over objects of a class of the source files, and over values of an enumeration for which the
    /// files define a comparison; `None` for another type.
    pub(super) fn less_of_class(&mut self, node: NodeId, ty: Ty) -> Result<Option<Typed>, Fault> {
        if self.b.class_of(ty).is_none() && !ty.has_comparison() {
            return Ok(None);
        }
        let (locals, objects) = self.two_locals(node, [ty, ty])?;
        match self.class_operator(node, BinaryOp::Lt, objects, &[])? {
            Some(less) => self.build(node, |b| b.lambda(&locals, less)).map(Some),
            None => Ok(None),
        }
    }
}

/// The class of an operation, type or attribute whose definition is loaded.
fn named_class(ty: Ty) -> Option<ClassId> {
    match ty {
        Ty { form: Form::One, item } => match item {
            Item::Op(class) => class,
            Item::Type(TypeClass::Named(class)) | Item::Attr(AttrClass::Named(class)) => Some(class),
            _ => None,
        },
        _ => None,
    }
}
