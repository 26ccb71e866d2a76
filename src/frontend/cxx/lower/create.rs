//! Lowers calls that create an operation, a type or an attribute.

use super::classes::Meaning;
use super::inline::bind_all;
use super::state::{Lower, Lowered};
use crate::frontend::cxx::ast::{NodeId, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::Held;
use crate::frontend::cxx::resolve::{InlineBody, InlineResult};
use crate::snippet::{
    AttrClass, Builtin, ClassId, FoldTraits, Item, Member, ObjectClass, Ty, TypeClass, TypeError, Typed,
};

/// The name of the function that creates an operation from its state. Only builders call it.
pub(in crate::frontend::cxx) const FROM_STATE: &str = "createFromState";

/// The numbers of the members of `OperationState`.
const LOCATION: u32 = 0;
const OPERANDS: u32 = 1;
const TYPES: u32 = 2;
const ATTRIBUTES: u32 = 3;

impl Lower<'_, '_> {
    /// Lowers `X::get(…)` of a float type or a dialect class. Returns `None` if a built-in function or native must be
    /// called.
    pub(super) fn static_get(
        &mut self,
        node: NodeId,
        class: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        match self.class(class) {
            Some(Meaning::Object(ObjectClass::Type(TypeClass::FloatOf(format)))) => {
                self.build(node, |b| b.type_of_class(TypeClass::FloatOf(format))).map(Some)
            }
            Some(Meaning::Object(ObjectClass::Type(TypeClass::Named(id)))) => {
                let values = self.items(args, None)?;
                if values.iter().all(|v| matches!(v.ty.item, Item::Context | Item::Builder)) {
                    return self.build(node, |b| b.type_of_class(TypeClass::Named(id))).map(Some);
                }
                let e = self.b.make(ObjectClass::Type(TypeClass::Named(id)), &values);
                e.map(|e| self.at_node(node, e)).transpose()
            }
            Some(Meaning::Object(ObjectClass::Attr(AttrClass::Named(id)))) => {
                let values = self.items(args, None)?;
                let e = self.b.make(ObjectClass::Attr(AttrClass::Named(id)), &values);
                let e = e.or_else(|| self.b.enum_attr(id, &values));
                e.map(|e| self.at_node(node, e)).transpose()
            }
            _ => Ok(None),
        }
    }

    pub(super) fn create(&mut self, node: NodeId, class: &str, args: &[NodeId]) -> Lowered {
        let values = self.items(args, None)?;
        self.create_from(node, class, values, args, false)
    }

    /// Lowers the generated functions `getXAttrName` of an operation's class. Returns `None` for another function.
    pub(super) fn attribute_name(&mut self, node: NodeId, path: &str) -> Result<Option<Typed>, Fault> {
        let (class, function) = match path.rsplit_once("::") {
            Some((class, function)) => (Some(class.to_owned()), function),
            None => (self.class_scope.clone(), path),
        };
        let name = match (function, function.strip_suffix("AttrName")) {
            ("getOperandSegmentSizeAttr" | "getOperandSegmentSizesAttrName", _) => {
                "operandSegmentSizes".to_owned()
            }
            (_, Some(getter)) if getter.starts_with("get") => {
                let Some(Meaning::Object(ObjectClass::Op(id))) = class.and_then(|class| self.class(&class))
                else {
                    return Ok(None);
                };
                let snippets = self.b.snippets();
                match self.request.resolver.member(snippets, id, &format!("{getter}Attr")) {
                    Some((Member::Attr(name), _)) => snippets.str(name).to_owned(),
                    _ => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        let context = self.build(node, |b| b.opaque(Item::Context))?;
        let name = self.build(node, |b| b.str(&name))?;
        self.library_function(node, "StringAttr::get", &[context, name]).map(Some)
    }

    /// Lowers the creation of an operation from an object of the class `OperationState`.
    pub(super) fn create_from_state(&mut self, node: NodeId, class: &str, state: NodeId) -> Lowered {
        let mut held = Held::new();
        let state = self.expression(state, None)?;
        let state = self.hold(node, state, &mut held)?;
        let plan = match self.class(class) {
            Some(Meaning::Object(ObjectClass::Op(id))) => {
                self.request.resolver.create_from_parts(self.b.snippets(), id).map(|plan| (id, plan))
            }
            _ => None,
        };
        let Some((id, plan)) = plan else {
            return Err(error::no_creation(class, "", self.ast[node].lo, self.ast[node].hi));
        };
        let part = |this: &mut Self, part: u32| this.build(node, |b| b.field_at(state, part));
        let (loc, attributes) = (part(self, LOCATION)?, part(self, ATTRIBUTES)?);
        let parts = [part(self, TYPES)?, part(self, OPERANDS)?];
        let created = self.build(node, |b| b.create(id, plan, loc, &parts))?;
        let created = self.with_attributes(node, created, attributes)?;
        self.bind_held(node, held, created)
    }

    /// Sets attributes of a new operation. Returns the operation.
    fn with_attributes(&mut self, node: NodeId, created: Typed, attributes: Typed) -> Lowered {
        let mut held = Held::new();
        let created = self.hold(node, created, &mut held)?;
        let both = self.build(node, |b| {
            let set = b.algorithm(Builtin::SetAttrs, &[created, attributes], Ty::NULL)?;
            b.then(set, created)
        })?;
        self.bind_held(node, held, both)
    }

    /// Lowers `builder.createOrFold<XOp>(location, args…)` of an operation with one result.
    pub(super) fn create_or_fold(&mut self, node: NodeId, class: &str, args: &[NodeId]) -> Lowered {
        let values = self.items(args, None)?;
        self.create_from(node, class, values, args, true)
    }

    /// Folds a new operation, if `fold` is true.
    fn folded(&mut self, id: ClassId, created: Typed, fold: bool) -> Result<Typed, TypeError> {
        const TRAITS: [(&str, i128); 3] = [
            ("OpTrait::IsCommutative", FoldTraits::COMMUTATIVE),
            ("OpTrait::IsIdempotent", FoldTraits::IDEMPOTENT),
            ("OpTrait::IsInvolution", FoldTraits::INVOLUTION),
        ];
        if !fold {
            return Ok(created);
        }
        let has = |this: &mut Self, name| this.request.resolver.has_trait(this.b.snippets(), id, name);
        let traits = TRAITS.into_iter().filter(|(name, _)| has(self, name)).map(|(_, bit)| bit).sum();
        self.b.create_folded(created, traits)
    }

    /// Lowers the creation of an operation from a location and the arguments after the location. If `fold` is true, the
    /// operation is folded.
    pub(super) fn create_at(
        &mut self,
        node: NodeId,
        class: &str,
        loc: Typed,
        args: &[NodeId],
        fold: bool,
    ) -> Lowered {
        let mut values = vec![loc];
        values.append(&mut self.items(args, None)?);
        self.create_from(node, class, values, args, fold)
    }

    /// Lowers the creation of an operation from the values of the arguments, of which the first is a builder or a
    /// location. The last nodes in `nodes` are the nodes of the arguments after the location. If `fold` is true, the
    /// operation is folded.
    fn create_from(
        &mut self,
        node: NodeId,
        class: &str,
        mut values: Vec<Typed>,
        nodes: &[NodeId],
        fold: bool,
    ) -> Lowered {
        for value in &mut values {
            if let Some(location) = self.location_of_builder(node, *value)? {
                *value = location;
            }
            if let Some(location) = self.location_of_state(node, *value)? {
                *value = location;
            }
        }
        values.retain(|v| !matches!(v.ty.item, Item::Builder));
        if let Some(Meaning::Object(ObjectClass::Op(id))) = self.class(class)
            && let Some((&loc, rest)) = values.split_first()
        {
            if let Some(created) = self.create_with(id, loc, rest, fold) {
                return self.at_node(node, created);
            }
            let nodes = nodes.len().checked_sub(rest.len()).map_or(&[][..], |from| &nodes[from..]);
            if let Some(created) = self.create_by_library(node, id, loc, rest, nodes)? {
                let created = self.folded(id, created, fold);
                return self.at_node(node, created);
            }
            if let Some(created) = self.create_by_source(node, id, loc, rest)? {
                let created = self.folded(id, created, fold);
                return self.at_node(node, created);
            }
            let types: Vec<Ty> = rest.iter().map(|v| v.ty).collect();
            for inline in self.request.resolver.builders(self.b.snippets(), id, &types) {
                if let Some(e) = self.create_by_builder(node, id, loc, rest, &inline, fold)? {
                    return Ok(e);
                }
            }
        }
        if let Some(created) = self.create_with_attributes(node, class, &values, fold)? {
            return Ok(created);
        }
        if let Some(constant) = self.named_constant(node, class, &values)? {
            return Ok(constant);
        }
        if let Some(Meaning::Object(ObjectClass::Op(_))) = self.class(class)
            && self.in_function
        {
            let helpers = self.request.resolver.helpers();
            let reason = helpers.and_then(|helpers| helpers.inference_problem(class)).unwrap_or_default();
            return Err(error::no_creation(class, &reason, self.ast[node].lo, self.ast[node].hi));
        }
        self.native_call(node, &format!("{class}::create"), &values)
    }

    /// Creates an operation from a location and the arguments of a builder that every operation has. Returns `None` if
    /// the arguments are not those of such a builder, or if the result types are not known.
    fn create_with(
        &mut self,
        id: ClassId,
        loc: Typed,
        args: &[Typed],
        fold: bool,
    ) -> Option<Result<Typed, TypeError>> {
        let types: Vec<Ty> = args.iter().map(|v| v.ty).collect();
        if let Some(plan) = self.request.resolver.create(self.b.snippets(), id, &types) {
            let created = self.b.create(id, plan, loc, args);
            return Some(created.and_then(|created| self.folded(id, created, fold)));
        }
        let (mut held, mut read) = (Held::new(), Vec::new());
        for &arg in args {
            let local = self.b.new_local(arg.ty).ok()?;
            held.push((local, arg));
            read.push(self.b.local(local).ok()?);
        }
        let results = self.request.resolver.inferred(self.b, id, &read)?;
        let all: Vec<Typed> = std::iter::once(results).chain(read).collect();
        let types: Vec<Ty> = all.iter().map(|v| v.ty).collect();
        let plan = self.request.resolver.create(self.b.snippets(), id, &types)?;
        let created = self.b.create(id, plan, loc, &all);
        let created = created.and_then(|created| self.folded(id, created, fold));
        Some(created.and_then(|created| bind_all(self.b, held, created)))
    }

    /// Creates an operation from a location, result types, operands and a list of attributes. Returns `None` for other
    /// arguments, and for operations that [`Self::create_with`] does not create from types and operands.
    fn create_with_attributes(
        &mut self,
        node: NodeId,
        class: &str,
        args: &[Typed],
        fold: bool,
    ) -> Result<Option<Typed>, Fault> {
        let list = Ty::range(self.b.snippets().named_attribute().item);
        let &[loc, types, operands, attributes] = args else { return Ok(None) };
        let is_list = attributes.ty == list || attributes.ty == Ty::attr(AttrClass::Dictionary);
        let Some(Meaning::Object(ObjectClass::Op(id))) = self.class(class).filter(|_| is_list && !fold)
        else {
            return Ok(None);
        };
        let mut held = Held::new();
        let attributes = self.build(node, |b| b.convert(attributes, list))?;
        let attributes = self.hold(node, attributes, &mut held)?;
        let stored = self.request.resolver.create_from_stored_sizes(self.b.snippets(), id);
        let created = match stored.filter(|_| operands.ty == Ty::range(Item::Value)) {
            Some(plan) if matches!(types.ty.item, Item::Type(_)) => {
                Some(self.b.create(id, plan, loc, &[types, operands]))
            }
            _ => self.create_with(id, loc, &[types, operands], false),
        };
        let Some(created) = created else { return Ok(None) };
        let created = self.at_node(node, created)?;
        let created = self.with_attributes(node, created, attributes)?;
        self.bind_held(node, held, created).map(Some)
    }

    /// Lowers `create` of `arith::ConstantIndexOp` and similar classes, which create an `arith.constant` from a number.
    /// Returns `None` for another class or other arguments, and if no `arith.constant` can be created.
    fn named_constant(&mut self, node: NodeId, class: &str, args: &[Typed]) -> Result<Option<Typed>, Fault> {
        let Some((&loc, args)) = args.split_first() else { return Ok(None) };
        let text = match (class, args) {
            ("arith::ConstantIndexOp", [_]) => "$_builder.getIndexAttr($0)",
            ("arith::ConstantIntOp", [first, _]) if matches!(first.ty.item, Item::Type(_)) => {
                "$_builder.getIntegerAttr($0, $1)"
            }
            ("arith::ConstantIntOp", [_, _]) => "$_builder.getIntegerAttr($_builder.getIntegerType($1), $0)",
            ("arith::ConstantFloatOp", [_, _]) => "$_builder.getFloatAttr($0, $1)",
            _ => return Ok(None),
        };
        let Some(Meaning::Object(ObjectClass::Op(id))) = self.class("arith::ConstantOp") else {
            return Ok(None);
        };
        let params = (0..args.len()).map(|number| format!("${number}")).collect();
        let results = vec![InlineResult::One(text.to_owned())];
        let inline = InlineBody { params, variables: Vec::new(), results };
        self.create_by_builder(node, id, loc, args, &inline, false)
    }

    /// Creates an operation by the body of a builder. Returns `None` if the body cannot be inlined (see
    /// [`Self::inline`]), or if the operation cannot be created from the results of the body.
    fn create_by_builder(
        &mut self,
        node: NodeId,
        id: ClassId,
        loc: Typed,
        args: &[Typed],
        inline: &InlineBody,
        fold: bool,
    ) -> Result<Option<Typed>, Fault> {
        self.inline(node, inline, args, |this, passed| this.create_with(id, loc, passed, fold))
    }

    /// Lowers `X::get(context, args…)`, or `X::get(args…)` for classes that take no context.
    pub(super) fn get_with_context(&mut self, node: NodeId, class: &TypeName, args: &[NodeId]) -> Lowered {
        let get = TypeName { path: format!("{}::get", class.path), ..class.clone() };
        let values = self.items(args, None)?;
        let context = self.build(node, |b| b.opaque(Item::Context))?;
        let mut all = vec![context];
        all.extend_from_slice(&values);
        if let Some(Ok(e)) = self.b.function(&get.path, &all, None) {
            return Ok(e);
        }
        self.function(node, &get, &values)
    }
}
