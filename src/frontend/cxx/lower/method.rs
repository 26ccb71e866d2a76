//! Lowers calls of methods.

use super::classes::{ClassFunction, Meaning, class_function};
use super::state::{Container, Lower, Lowered, written};
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::{Held, MethodCall};
use crate::snippet::{AttrClass, Builtin, CastMode, ClassId, Form, Item, ObjectClass, Ty, TypeClass, Typed};

impl<'b> Lower<'_, 'b> {
    pub(super) fn call_member(
        &mut self,
        node: NodeId,
        object: NodeId,
        name: &'b str,
        template: &'b [TypeName],
        args: &'b [NodeId],
    ) -> Lowered {
        if args.is_empty()
            && let Some(e) = self.part_of_element(node, object, name)?
        {
            return Ok(e);
        }
        let mut lowered = None;
        if self.in_function {
            match self.method_of_class(node, object, name, template, args)? {
                MethodCall::Helper(e) => return Ok(e),
                MethodCall::Other(value) => lowered = value,
            }
        }
        if let Some(e) = self.changing_method(node, object, name, args)? {
            return Ok(e);
        }
        if let Some(e) = self.constant_map_method(node, object, name, args)? {
            return Ok(e);
        }
        if let Some(e) = self.overflowing(node, object, name, args)? {
            return Ok(e);
        }
        if self.in_function
            && let Some(e) = self.selection(node, object, name, template, args)?
        {
            return Ok(e);
        }
        if let Some(e) = self.parent_through_block(node, object, name)? {
            return Ok(e);
        }
        if let Some(e) = self.mutable_operand(node, object, name, args)? {
            return Ok(e);
        }
        let on = match lowered {
            Some(value) => value,
            None => self.expression(object, None)?,
        };
        if let Some(e) = self.method_of_library(node, object, on, name, template, args)? {
            return Ok(e);
        }
        if let Some(e) = self.owner_of_argument(node, object, on, name, args)? {
            return Ok(e);
        }
        self.method_of(node, on, name, template, args)
    }

    /// A call of a method on a value.
    pub(in crate::frontend::cxx) fn method_of(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        template: &[TypeName],
        args: &[NodeId],
    ) -> Lowered {
        if matches!(name, "emitError" | "emitOpError" | "emitWarning" | "emitRemark")
            && matches!(on.ty.item, Item::Op(_))
        {
            return self.library_function(node, "failure", &[]);
        }
        let arrow_through = matches!(on.ty.form, Form::Optional | Form::Iterator)
            && !matches!(name, "has_value" | "value" | "value_or");
        if let ("value", []) = (name, args)
            && self.container_of(on).held.is_some()
        {
            return self.through(node, on);
        }
        if let ("value_or", &[other], Some(range)) = (name, args, self.container_of(on).held) {
            let other = self.expression(other, Some(range))?;
            return self.build(node, |b| {
                let other = b.convert(other, range)?;
                b.algorithm(Builtin::ValueOr, &[on, other], range)
            });
        }
        let on = if arrow_through { self.through(node, on)? } else { on };
        if let ("size", []) = (name, args)
            && on.ty.form == Form::Range
        {
            let size = self.library_method(node, on, name, &[])?;
            return self.convert_number(node, size, self.container_of(on).counts.size());
        }
        if let Some(location) = self.location_of_builder(node, on)? {
            let builder = self.build(node, |b| b.opaque(Item::Builder))?;
            return match (name, template) {
                ("getLoc", []) => Ok(location),
                ("create" | "createOrFold", [class]) => {
                    self.create_at(node, &class.path, location, args, name == "createOrFold")
                }
                _ => self.builder_method(node, builder, name, template, args),
            };
        }
        if args.is_empty()
            && let Some(value) = self.properties_method(node, on, name, template)?
        {
            return Ok(value);
        }
        if let ("verify", [_]) = (name, args)
            && let Some(verified) = self.verify_adaptor(node, on)?
        {
            return Ok(verified);
        }
        if on.ty.item == Item::Builder {
            return self.builder_method(node, on, name, template, args);
        }
        if let ("value", []) = (name, args)
            && let Some(number) = self.constant_number(node, on)?
        {
            return Ok(number);
        }
        let mode =
            if on.ty == Ty::one(Item::FoldResult) { union_function(name) } else { class_function(name) };
        if let Some(mode) = mode
            && !template.is_empty()
        {
            return self.class_test(node, mode, name, template, on);
        }
        if name == "mapValues"
            && let Some(e) = self.map_values(node, on, args)?
        {
            return Ok(e);
        }
        if let ("split", [_, _, ..]) = (name, args)
            && let Some(e) = self.split_into(node, on, args)?
        {
            return Ok(e);
        }
        if let ("value_begin" | "value_end", [_], []) = (name, template, args) {
            let item = self.template_type(template)?;
            if let Some(values) = self.b.method(on, "getValues", &[], item) {
                let values = self.at_node(node, values)?;
                let method = if name == "value_begin" { "begin" } else { "end" };
                return self.library_method(node, values, method, &[]);
            }
        }
        if let Some((list, place)) =
            iterated_list(name).filter(|_| args.is_empty() && on.ty.form == Form::One)
        {
            let list = self.library_method(node, on, list, &[])?;
            return self.library_method(node, list, place, &[]);
        }
        if name == "getParentOfType" && !template.is_empty() && matches!(on.ty.item, Item::Op(_)) {
            return self.parent_of_class(node, on, template);
        }
        if name == "hasTrait" {
            return self.has_trait(node, on, template);
        }
        let mut values = Vec::new();
        let hint = self.b.element(on);
        for &arg in args {
            values.push(self.expression(arg, Some(hint))?);
        }
        // `getODSOperands(0)` resolves like the accessor of a named group.
        let mut numbered = None;
        if let ("getODSOperands" | "getODSResults", &[arg]) = (name, args)
            && let NodeKind::Int { value, .. } = self.ast[arg].kind
        {
            numbered = Some(format!("{name}({value})"));
            values.clear();
        }
        let name = numbered.as_deref().unwrap_or(name);
        if let Item::Op(Some(class))
        | Item::Attr(AttrClass::Named(class))
        | Item::Type(TypeClass::Named(class)) = on.ty.item
            && values.is_empty()
            && on.ty.form == Form::One
            && let Some(value) = self.accessor(node, on, class, name)?
        {
            return Ok(value);
        }
        if let Item::Op(Some(class))
        | Item::Attr(AttrClass::Named(class))
        | Item::Type(TypeClass::Named(class)) = on.ty.item
            && on.ty.form == Form::One
            && let Some(inline) = self.request.resolver.method(self.b.snippets(), class, name, values.len())
        {
            let all: Vec<Typed> = std::iter::once(on).chain(values.iter().copied()).collect();
            if let Some(e) = self.inline_value(node, &inline, &all)? {
                return Ok(e);
            }
        }
        if values.is_empty()
            && let Some(field) = self.b.field(on, name)
        {
            return self.at_node(node, field);
        }
        if let Some(e) = self.block_method(node, on, name, &values)? {
            return Ok(e);
        }
        if let ([], Item::Op(Some(class)), Form::One) = (&values[..], on.ty.item, on.ty.form)
            && name.ends_with("AttrName")
        {
            let class = self.b.snippets().class(class).cxx_name;
            let path = format!("{}::{name}", self.b.snippets().str(class));
            if let Some(e) = self.attribute_name(node, &path)? {
                return Ok(e);
            }
        }
        if let Some(e) = self.attribute_method(node, on, name, &values)? {
            return Ok(e);
        }
        if let Some(e) = self.use_iterator(node, on, name, &values)? {
            return Ok(e);
        }
        if !matches!(name, "end" | "insert" | "getDictionary") {
            self.require_order_for(node, name, &[on])?;
        }
        if let Some(e) = self.range_method(node, on, name, &values)? {
            return Ok(e);
        }
        if let Some(e) = self.composed_method(node, on, name, &values)? {
            return Ok(e);
        }
        if let (Ty::STR, "split" | "rsplit", &[by]) = (on.ty, name, &values[..])
            && let Some(pair) = self.tuple_type(&[Ty::STR, Ty::STR])
        {
            let op = if name == "split" { Builtin::StrSplit } else { Builtin::StrRsplit };
            return self.build(node, |b| b.algorithm(op, &[on, by], pair));
        }
        if name == "getDefiningOp" && !template.is_empty() {
            let op = self.library_method(node, on, name, &[])?;
            return self.class_test(node, ClassFunction::Cast(CastMode::TryIfPresent), name, template, op);
        }
        let template_type = match self.template_type(template) {
            Ok(template_type) => template_type,
            Err(_) if !self.in_function => {
                return self.native_method(node, on, &written(name, template), &values);
            }
            Err(fault) => return Err(fault),
        };
        if let Some(result) = self.b.method(on, name, &values, template_type) {
            let result = self.at_node(node, result)?;
            return Ok(self.of_declared_type(on, name, result));
        }
        if let Some(e) = self.method_of_definition(node, on, name, args, &values)? {
            return Ok(e);
        }
        self.native_method(node, on, &written(name, template), &values)
    }

    /// The value of a generated accessor; `None` for another method.
    fn accessor(
        &mut self,
        node: NodeId,
        on: Typed,
        class: ClassId,
        name: &str,
    ) -> Result<Option<Typed>, Fault> {
        let value_if_absent = self.request.resolver.value_if_absent(self.b.snippets(), class, name);
        let mut held = Held::new();
        if let Some((member, range)) = self.request.resolver.optional_range(self.b.snippets(), class, name) {
            let holder = self.build(node, |b| b.member(on, member, Ty::ATTR))?;
            let on = self.hold(node, on, &mut held)?;
            let attribute = self.build(node, |b| b.member(on, member, Ty::ATTR))?;
            let elements = self.build(node, |b| b.held_value(attribute, range))?;
            let value = self.bind_held(node, held, elements)?;
            let value = Typed { ty: Ty::optional(Item::Unknown), ..value };
            self.set_container(value, Container { held: Some(range), ..Container::default() });
            if !self.in_function {
                self.holders.insert(value.id, holder);
            }
            return Ok(Some(value));
        }
        let on = if value_if_absent.is_some() { self.hold(node, on, &mut held)? } else { on };
        let mut value = match self.request.resolver.computed(self.b.snippets(), class, name) {
            Some((member, ty, body)) => {
                let attribute = self.build(node, |b| b.member(on, member, ty))?;
                match self.inline_value(node, &body, &[attribute])? {
                    Some(value) => value,
                    None => self.native_method(node, on, name, &[])?,
                }
            }
            None => match self.request.resolver.member(self.b.snippets(), class, name) {
                Some((member, ty)) => self.build(node, |b| b.member(on, member, ty))?,
                None => return Ok(None),
            },
        };
        if let Some((member, body)) = value_if_absent
            && let Some(default) = self.inline_value(node, &body, &[])?
            && let Ok(default) = self.b.convert(default, value.ty)
        {
            let attribute = self.build(node, |b| b.member(on, member, Ty::ATTR))?;
            value = self.build(node, |b| b.select(attribute, value, default))?;
        }
        let value = self.bind_held(node, held, value)?;
        if let Some(declared) = self.request.resolver.value_type(self.b.snippets(), class, name) {
            self.value_types.insert(value.id, declared);
        }
        Ok(Some(value))
    }

    /// Gives the result of `getType()` the declared type class of the value, and records this class for the value that
    /// `getResult()` returns.
    fn of_declared_type(&mut self, on: Typed, method: &str, result: Typed) -> Typed {
        let declared = match on.ty.item {
            Item::Op(Some(class)) => self.request.resolver.value_type(self.b.snippets(), class, "getResult"),
            _ => self.value_types.get(&on.id).copied(),
        };
        match (method, declared, result.ty) {
            ("getType", Some(class), Ty::TYPE) => Typed { ty: Ty::ty(class), ..result },
            ("getResult", Some(class), Ty::VALUE) => {
                self.value_types.insert(result.id, class);
                result
            }
            _ => result,
        }
    }

    /// Lowers `op->getParentOfType<T>()`: the innermost operation of a class around an operation, or null.
    fn parent_of_class(&mut self, node: NodeId, on: Typed, class: &[TypeName]) -> Lowered {
        let parent = self.library_method(node, on, "getParentOp", &[])?;
        let local = self.build(node, |b| b.new_local(Ty::OP))?;
        let read = self.build(node, |b| b.local(local))?;
        let test = ClassFunction::IsA { null_is_false: true };
        let fits = self.class_test(node, test, "isa", class, read)?;
        let outer = self.library_method(node, read, "getParentOp", &[])?;
        let cast = ClassFunction::Cast(CastMode::TryIfPresent);
        let found = self.class_test(node, cast, "dyn_cast", class, read)?;
        self.build(node, |b| {
            let other = b.not(fits)?;
            let searches = b.and(read, other)?;
            let step = b.set(local, outer)?;
            let nothing = b.null(Ty::NULL)?;
            let walk = b.repeat(searches, step, nothing)?;
            let all = b.then(walk, found)?;
            b.bind(local, parent, all)
        })
    }

    fn has_trait(&mut self, node: NodeId, on: Typed, template: &[TypeName]) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let [name] = template else { return Err(error::template_args("hasTrait", "a trait", lo, hi)) };
        if name.path == "ValueSemantics" && matches!(on.ty.item, Item::Type(_)) {
            return self.build(node, |b| b.has_value_semantics(on));
        }
        if name.path == "OpTrait::ConstantLike" && matches!(on.ty.item, Item::Op(_)) {
            let value = self.build(node, |b| b.constant_value(on, Ty::ATTR))?;
            return self.build(node, |b| b.truth(value));
        }
        if matches!(on.ty.item, Item::Op(_))
            && let Some(class) = self.request.resolver.trait_class(self.b.snippets(), &name.path)
        {
            return self.build(node, |b| b.isa(on, &[ObjectClass::Op(class)], false));
        }
        self.native_call(node, &format!("hasTrait<{}>", name.path), &[on])
    }

    /// The dictionary of a range of named attributes.
    pub(super) fn dictionary(&mut self, node: NodeId, entries: NodeId) -> Lowered {
        let entry = self.b.snippets().named_attribute();
        let entries = self.expression(entries, Some(entry))?;
        self.build(node, |b| {
            let entries = b.convert(entries, Ty::range(entry.item))?;
            b.algorithm(Builtin::DictionaryAttr, &[entries], Ty::attr(AttrClass::Dictionary))
        })
    }

    fn builder_method(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        template: &[TypeName],
        args: &[NodeId],
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        if let Some(e) = self.block_change(node, name, args)? {
            return Ok(e);
        }
        match (name, template) {
            ("create", [class]) => self.create(node, &class.path, args),
            ("createOrFold", [class]) => self.create_or_fold(node, &class.path, args),
            ("getNamedAttr", _) if args.len() == 2 => {
                let entry = self.b.snippets().named_attribute();
                let Item::Tuple(id) = entry.item else { return Err(error::args(name, "a name", lo, hi)) };
                let values = self.items(args, None)?;
                self.build(node, |b| b.tuple(id, &values))
            }
            ("getDictionaryAttr", _) => {
                let &[entries] = args else { return Err(error::args(name, "a list", lo, hi)) };
                self.dictionary(node, entries)
            }
            ("getType", [class]) => {
                if args.is_empty()
                    && let Some(Meaning::Object(ObjectClass::Type(class))) = self.class(&class.path)
                {
                    return self.build(node, |b| b.type_of_class(class));
                }
                self.get_with_context(node, class, args)
            }
            ("getAttr", [class]) => match self.static_get(node, &class.path, args)? {
                Some(e) => Ok(e),
                None => self.get_with_context(node, class, args),
            },
            ("replaceOpWithNewOp", [class]) => {
                let Some((&of, args)) = args.split_first() else {
                    return Err(error::args(name, "an operation", lo, hi));
                };
                let of = self.expression(of, None)?;
                let held = self.build(node, |b| b.new_local(of.ty))?;
                let of_held = self.build(node, |b| b.local(held))?;
                let loc = self.library_method(node, of_held, "getLoc", &[])?;
                let new = self.create_at(node, &class.path, loc, args, false)?;
                let made = self.build(node, |b| b.new_local(new.ty))?;
                let read = self.build(node, |b| b.local(made))?;
                let replaced = self.library_method(node, on, "replaceOp", &[of_held, read])?;
                self.build(node, |b| {
                    let both = b.then(replaced, read)?;
                    let inner = b.bind(made, new, both)?;
                    b.bind(held, of, inner)
                })
            }
            ("modifyOpInPlace", _) => {
                let &[of, by] = args else {
                    return Err(error::args(name, "an operation and a lambda", lo, hi));
                };
                let of = self.expression(of, None)?;
                let by = self.expression(by, None)?;
                let call = self.build(node, |b| b.call_lambda(by, &[]))?;
                self.build(node, |b| b.then(of, call))
            }
            ("restoreInsertionPoint", _) => {
                let values = self.items(args, None)?;
                self.library_method(node, on, "setInsertionPoint", &values)
            }
            // Listeners are notified of each change anyway.
            ("startOpModification" | "finalizeOpModification", _) => self.build(node, |b| b.null(Ty::NULL)),
            ("notifyMatchFailure", _) => self.library_function(node, "failure", &[]),
            ("create" | "getType" | "getAttr", _) => Err(error::template_args(name, "a class", lo, hi)),
            _ => {
                let values = self.items(args, None)?;
                match self.b.method(on, name, &values, None) {
                    Some(result) => self.at_node(node, result),
                    None => self.native_method(node, on, name, &values),
                }
            }
        }
    }
}

/// The test or conversion of a method of `PointerUnion`. Unlike the function `dyn_cast`, the method `dyn_cast` accepts
/// null.
fn union_function(name: &str) -> Option<ClassFunction> {
    match name {
        "is" => class_function("isa"),
        "get" => class_function("cast"),
        "dyn_cast" => class_function("dyn_cast_if_present"),
        _ => class_function(name),
    }
}

/// The method that returns the list in which an iterator starts or ends, and `begin` or `end`: `getOperands` and
/// `begin` for `operand_begin`.
fn iterated_list(method: &str) -> Option<(&'static str, &'static str)> {
    Some(match method {
        "operand_begin" => ("getOperands", "begin"),
        "operand_end" => ("getOperands", "end"),
        "result_begin" => ("getResults", "begin"),
        "result_end" => ("getResults", "end"),
        "user_begin" => ("getUsers", "begin"),
        "user_end" => ("getUsers", "end"),
        _ => return None,
    })
}
