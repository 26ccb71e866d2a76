//! Lowers expressions by the kind of their node.

use super::state::{Bound, Container, ContainerKind, Lower, Lowered, Order, written};
use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error;
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::function::{Held, is_array};
use crate::snippet::{
    BinaryOp, Builtin, CastMode, Form, IntTy, Item, LocalId, ObjectClass, Ty, TypeClass, Typed,
};
use crate::stack::with_room;

/// The maximum depth of an expression's tree.
const DEPTH_LIMIT: u32 = 96;

/// The arguments without the flag `implicitTrunc` of `APInt(width, value, isSigned, implicitTrunc)`. The built-in
/// always truncates, and C++ asserts that the value fits if the flag is false.
pub(super) fn without_truncation_flag<'n>(ast: &Ast, path: &str, args: &'n [NodeId]) -> &'n [NodeId] {
    match args {
        [first @ .., flag]
            if path == "APInt"
                && first.len() == 3
                && matches!(&ast[*flag].kind, NodeKind::Name(name) if matches!(name.path.as_str(), "true" | "false")) =>
        {
            first
        }
        _ => args,
    }
}

impl Lower<'_, '_> {
    /// Lowers a node. `hint` is an expected type: for a lambda, the type of its parameters; for a list in braces, the
    /// type of the list or of its elements.
    pub(in crate::frontend::cxx) fn expression(&mut self, node: NodeId, hint: Option<Ty>) -> Lowered {
        // The depth is checked again, because the parser's limit does not bound chains of operators and members.
        if self.depth >= DEPTH_LIMIT {
            return Err(error::too_deep(self.ast[node].lo));
        }
        self.depth += 1;
        let result = with_room(|| self.expression_inside(node, hint));
        self.depth -= 1;
        result
    }

    fn expression_inside(&mut self, node: NodeId, hint: Option<Ty>) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let ast = self.ast;
        let result = match &ast[node].kind {
            // An inlined body can name its parameters by placeholders.
            NodeKind::Placeholder(name, _) if self.scope.iter().any(|(bound, _)| bound == name) => {
                let name = TypeName::plain(name.clone(), lo, hi);
                return self.name(node, &name, hint);
            }
            NodeKind::Placeholder(name, _) => match self.b.find_param(name) {
                Some(index) => self.b.param(index),
                None => return self.placeholder(node, name),
            },
            NodeKind::Int { value, ty } => self.b.int(i128::from(*value), *ty),
            NodeKind::Char(c) => self.b.int(i128::from(*c), IntTy::I8),
            NodeKind::Float(value, single) => {
                let ty = if *single { Ty::FLOAT } else { Ty::DOUBLE };
                self.b.double(*value).map(|e| Typed { ty, ..e })
            }
            NodeKind::Str(text) => self.b.str(text),
            NodeKind::Unary(sign, e) => {
                let operand = *e;
                let e = self.expression(operand, None)?;
                if let Some(e) = self.enum_operator(node, &sign.to_string(), &[e], &[operand])? {
                    return Ok(e);
                }
                self.require_known(node, BinaryOp::Sub, [e, e])?;
                self.b.unary(*sign, e)
            }
            NodeKind::Not(e) => {
                let operand = *e;
                let e = self.expression(operand, None)?;
                if let Some(e) = self.enum_operator(node, "!", &[e], &[operand])? {
                    return Ok(e);
                }
                self.b.not(e)
            }
            NodeKind::Deref(e) if self.variable(node).is_some() => return self.expression(*e, hint),
            NodeKind::Deref(e) if let Some(value) = self.element_of_iterator(node, *e)? => return Ok(value),
            NodeKind::Deref(e) => {
                let e = self.expression(*e, None)?;
                return self.through(node, e);
            }
            // A pointer is the same as its target, because values have no addresses.
            NodeKind::AddressOf(e) => return self.expression(*e, hint),
            NodeKind::Binary(BinaryOp::Shl, ..) if let Some(e) = self.write_to_stream(node)? => return Ok(e),
            NodeKind::Binary(op, a, b) => {
                let nodes = [*a, *b];
                if op.compares()
                    && let (Some(a), Some(b)) = (self.tied(*a)?, self.tied(*b)?)
                {
                    return self.build(node, |builder| builder.binary(*op, a, b));
                }
                let a = self.expression(*a, None)?;
                // A diagnostic converts to a failure, and the text that is streamed into it is ignored.
                if *op == BinaryOp::Shl && a.ty == Ty::LOGICAL {
                    return Ok(a);
                }
                let b = self.expression(*b, Some(a.ty))?;
                let unordered = [a, b].iter().any(|&e| self.container_of(e).order == Order::Unstated);
                if unordered && matches!(op, BinaryOp::Eq | BinaryOp::Ne) {
                    return self.equal_sets(node, a, b, *op == BinaryOp::Eq);
                }
                if let Some(e) = self.class_operator(node, *op, [a, b], &nodes)? {
                    return Ok(e);
                }
                // A dialect is represented by the name of an operation, so the namespaces are compared.
                let is_name = |e: Typed| e.ty == Ty::one(Item::Name);
                let is_dialect = |of: NodeId| self.class_in_cxx(of).is_some_and(|class| class == "Dialect");
                if is_name(a) && is_name(b) && nodes.into_iter().any(is_dialect) {
                    let a = self.library_method(node, a, "getNamespace", &[])?;
                    let b = self.library_method(node, b, "getNamespace", &[])?;
                    return self.build(node, |builder| builder.binary(*op, a, b));
                }
                self.require_known(node, *op, [a, b])?;
                self.b.binary(*op, a, b)
            }
            NodeKind::And(all) => return self.chain(node, all, true),
            NodeKind::Or(all) => return self.chain(node, all, false),
            NodeKind::Select(c, a, b) => {
                let c = self.expression(*c, None)?;
                let a = self.expression(*a, hint)?;
                let b = self.expression(*b, hint)?;
                let select = self.build(node, |builder| builder.select(c, a, b))?;
                self.set_container(select, self.container_of(a).or(self.container_of(b)));
                Ok(select)
            }
            NodeKind::Comma(a, b) => {
                let a = self.expression(*a, None)?;
                let b = self.expression(*b, hint)?;
                let both = self.build(node, |builder| builder.then(a, b))?;
                self.set_container(both, self.container_of(b));
                Ok(both)
            }
            NodeKind::Assign(to, e) => return self.assign(node, *to, *e),
            NodeKind::Compound(op, to, by) => return self.compound(node, *op, *to, *by),
            NodeKind::Increment(of, up, postfix) => return self.increment(node, *of, *up, *postfix),
            NodeKind::Block(_)
            | NodeKind::Declare { .. }
            | NodeKind::Unpack { .. }
            | NodeKind::If { .. }
            | NodeKind::Loop { .. }
            | NodeKind::DoWhile(..)
            | NodeKind::ForEach { .. }
            | NodeKind::Switch(..)
            | NodeKind::Return(_)
            | NodeKind::Break
            | NodeKind::Continue => return Err(error::unsupported("a statement", lo, hi)),
            NodeKind::Index(e, _) if self.map(*e).is_some() => return self.map_element(node),
            NodeKind::Index(..) | NodeKind::Call(..) if let Some(e) = self.nested_element(node)? => {
                return Ok(e);
            }
            NodeKind::Index(of, index) => {
                let e = self.expression(*of, None)?;
                let mut index = self.expression(*index, None)?;
                if index.ty.form == Form::Range
                    && let Some(shape) = self.shape_of_elements(node, *of)?
                {
                    index =
                        self.build(node, |b| b.algorithm(Builtin::FlatIndex, &[shape, index], Ty::I64))?;
                }
                let element = self.build(node, |b| b.index(e, index))?;
                let inner = self.container_of(e).inner;
                return Ok(Typed { ty: inner.unwrap_or(element.ty), ..element });
            }
            NodeKind::Braces(nodes) => {
                let items = self.elements(nodes, hint)?;
                match self.in_function {
                    true => self.b.braced_list(&items),
                    false => self.b.list(&items),
                }
            }
            NodeKind::Cast(ty, e) => {
                let e = self.expression(*e, None)?;
                if ty.path == "void" && ty.passing == Passing::Value {
                    let nothing = self.build(node, |b| b.null(Ty::NULL))?;
                    return self.build(node, |b| b.then(e, nothing));
                }
                return self.value_cast(node, ty, e);
            }
            NodeKind::Lambda(params, result, body, _) => {
                let types = vec![hint.unwrap_or(Ty::UNKNOWN); params.len()];
                return self.lambda_of(node, params, result.as_ref(), *body, &types);
            }
            NodeKind::Let(name, value, rest) => {
                if matches!(ast[*value].kind, NodeKind::Lambda(..)) {
                    self.bind_lambda(name, *value, Vec::new(), None);
                    let rest = self.expression(*rest, hint);
                    self.scope.pop();
                    return rest;
                }
                let value = self.expression(*value, None)?;
                let local = self.build(node, |b| b.new_local(value.ty))?;
                self.scope.push((name.clone(), Bound::Local(local)));
                let rest = self.expression(*rest, hint);
                self.scope.pop();
                self.b.bind(local, value, rest?)
            }
            NodeKind::Name(name) => return self.name(node, name, hint),
            NodeKind::Construct(ty, items) => return self.construct(node, ty, items, true),
            NodeKind::Call(callee, args) => return self.call(node, *callee, args, hint),
            NodeKind::Member { object, name, .. } => {
                // A data member is a field of a tuple. Natives read the data members of other classes, because these
                // classes are not known here.
                let object = self.expression(*object, None)?;
                let through = match object.ty.form {
                    Form::Optional | Form::Iterator => self.through(node, object)?,
                    _ => object,
                };
                if let Some(field) = self.b.field_index(through.ty, name) {
                    return self.field_of(node, through, field);
                }
                return self.native_method(node, object, name, &[]);
            }
        };
        self.at_node(node, result)
    }

    /// `a == b` of sets or maps, or `a != b` if `equal` is false. Two containers are equal if they have the same number
    /// of elements and each element of `a` is in `b`.
    fn equal_sets(&mut self, node: NodeId, a: Typed, b: Typed, equal: bool) -> Lowered {
        let mut held = Held::new();
        let (a, b) = (self.hold(node, a, &mut held)?, self.hold(node, b, &mut held)?);
        let sizes = [self.library_method(node, a, "size", &[])?, self.library_method(node, b, "size", &[])?];
        let same_size = self.build(node, |builder| builder.binary(BinaryOp::Eq, sizes[0], sizes[1]))?;
        let contained = self.build(node, |builder| {
            let local = builder.new_local(Ty::one(a.ty.item))?;
            let element = builder.local(local)?;
            let found = builder.algorithm(Builtin::IsContained, &[b, element], Ty::BOOL)?;
            builder.lambda(&[local], found)
        })?;
        let all = self.library_function(node, "all_of", &[a, contained])?;
        let both = self.build(node, |builder| builder.and(same_size, all))?;
        let result = if equal { both } else { self.build(node, |builder| builder.not(both))? };
        self.bind_held(node, held, result)
    }

    /// The shape of the attribute in `attribute.getValues<T>()`; `None` for another expression.
    fn shape_of_elements(&mut self, node: NodeId, of: NodeId) -> Result<Option<Typed>, Fault> {
        let ast = self.ast;
        let NodeKind::Call(callee, _) = &ast[of].kind else { return Ok(None) };
        match &ast[*callee].kind {
            NodeKind::Member { object, name, .. }
                if name == "getValues" && matches!(ast[*object].kind, NodeKind::Name(_)) =>
            {
                let attribute = self.expression(*object, None)?;
                let ty = self.library_method(node, attribute, "getShapedType", &[])?;
                self.library_method(node, ty, "getShape", &[]).map(Some)
            }
            _ => Ok(None),
        }
    }

    fn chain(&mut self, node: NodeId, all: &[NodeId], conjunction: bool) -> Lowered {
        let mut parts = Vec::with_capacity(all.len());
        for &part in all {
            let e = self.expression(part, None)?;
            let truth = self.b.truth(e);
            parts.push(self.at_node(part, truth)?);
        }
        // The chain nests to the right, so that its evaluation does not recurse.
        let mut parts = parts.into_iter().rev();
        let Some(mut result) = parts.next() else {
            return self.build(node, |b| b.bool(true));
        };
        for part in parts {
            let joined = if conjunction { self.b.and(part, result) } else { self.b.or(part, result) };
            result = self.at_node(node, joined)?;
        }
        Ok(result)
    }

    /// Lowers arguments or list elements.
    pub(in crate::frontend::cxx) fn items(
        &mut self,
        nodes: &[NodeId],
        hint: Option<Ty>,
    ) -> Result<Vec<Typed>, Fault> {
        let mut items: Vec<Typed> = Vec::with_capacity(nodes.len());
        for &node in nodes {
            // The parameters of a lambda are elements of the range or attribute that precedes it in the argument list.
            let hint = if matches!(self.ast[node].kind, NodeKind::Lambda(..) | NodeKind::Name(_)) {
                items
                    .iter()
                    .rev()
                    .find(|e| e.ty.form == Form::Range || matches!(e.ty.item, Item::Attr(_)))
                    .copied()
                    .map(|range| self.b.element(range))
                    .or(hint)
            } else {
                hint
            };
            items.push(self.expression(node, hint)?);
        }
        Ok(items)
    }

    /// Lowers the elements of a list. An element can itself be a list in braces.
    pub(in crate::frontend::cxx) fn elements(
        &mut self,
        nodes: &[NodeId],
        hint: Option<Ty>,
    ) -> Result<Vec<Typed>, Fault> {
        let is_list = |&node: &NodeId| matches!(self.ast[node].kind, NodeKind::Braces(_));
        let mut items = match hint {
            Some(hint @ Ty { item: Item::Tuple(_), form: Form::One })
                if self.in_function && nodes.iter().any(is_list) =>
            {
                let items: Result<Vec<Typed>, Fault> =
                    nodes.iter().map(|&node| self.initialised(node, hint)).collect();
                items?
            }
            _ => self.items(nodes, hint)?,
        };
        if let Some(element @ Ty { item: Item::Tuple(_), form: Form::One }) = hint {
            for (item, &node) in items.iter_mut().zip(nodes) {
                if matches!(self.ast[node].kind, NodeKind::Braces(_))
                    && item.ty.form == Form::Range
                    && let Ok(tuple) = self.b.returned(*item, element)
                {
                    *item = tuple;
                }
            }
        }
        Ok(items)
    }

    fn value_cast(&mut self, node: NodeId, ty: &TypeName, e: Typed) -> Lowered {
        let to = match self.type_of_conversion(ty, e.ty) {
            Ok(Some(to)) => to,
            Ok(None) => return Ok(e),
            // In the text of a rule, a native converts the number, as for `T(e)`.
            Err(_) if !self.in_function => return self.native_call(node, &written(&ty.path, &ty.args), &[e]),
            Err(fault) => return Err(fault),
        };
        let result = match to.item {
            Item::Enum(_) if matches!(e.ty.item, Item::Int(_) | Item::Bool | Item::Enum(_)) => {
                Ok(Typed { ty: to, ..e })
            }
            _ => self.b.convert(e, to),
        };
        self.at_node(node, result)
    }

    /// `T(args)` and `T{args}`.
    pub(in crate::frontend::cxx) fn construct(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        args: &[NodeId],
        braces: bool,
    ) -> Lowered {
        let value = self.construct_class(node, ty, args, braces)?;
        let container = self.container_class(ty);
        if container.order != Order::Unstated {
            self.require_order(node, value)?;
        }
        let value = if args.is_empty() { value } else { self.distinct(node, ty, value)? };
        self.set_container(value, container);
        Ok(value)
    }

    /// Converts a range to a value of the class `ty`. Removes repeated elements of a set and repeated keys of a map.
    pub(in crate::frontend::cxx) fn distinct(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        value: Typed,
    ) -> Lowered {
        if value.ty.form != Form::Range || ty.path == "NamedAttrList" {
            return Ok(value);
        }
        let container = self.container_class(ty);
        match container.inner {
            Some(inner) => self.inner_numbers(node, value, inner),
            None => self.without_repeats(node, value, container),
        }
    }

    /// Removes the repeated elements of a set, and each pair of a map whose key also occurs in a preceding pair. Sorts
    /// the result if the class keeps its elements in ascending order. Leaves a list unchanged.
    fn without_repeats(&mut self, node: NodeId, value: Typed, container: Container) -> Lowered {
        let by = match container.kind {
            ContainerKind::List => return Ok(value),
            ContainerKind::Set => Builtin::Distinct,
            ContainerKind::Map => Builtin::DistinctKeys,
        };
        self.build(node, |b| {
            let distinct = b.algorithm(by, &[value], value.ty)?;
            match container.order {
                Order::Ascending => b.algorithm(Builtin::Sorted, &[distinct], value.ty),
                Order::Insertion | Order::Unstated => Ok(distinct),
            }
        })
    }

    /// Converts a list that is assigned to a variable: removes repeated elements if the variable is a set, and repeated
    /// keys if it is a map.
    pub(in crate::frontend::cxx) fn assigned_list(
        &mut self,
        node: NodeId,
        to: LocalId,
        list: Typed,
    ) -> Lowered {
        self.without_repeats(node, list, self.container(to))
    }

    fn construct_class(&mut self, node: NodeId, ty: &TypeName, args: &[NodeId], braces: bool) -> Lowered {
        let args = without_truncation_flag(self.ast, &ty.path, args);
        let Some(to) = self.static_type(ty) else {
            let args = self.items(args, None)?;
            return self.native_call(node, &written(&ty.path, &ty.args), &args);
        };
        if let [only] = args
            && let NodeKind::Placeholder(_, true) = self.ast[*only].kind
        {
            let range = self.expression(*only, None)?;
            return self.build(node, |b| b.convert(range, to));
        }
        // `SmallVector<int64_t>(n)` has `n` elements, but `ArrayRef<int64_t>(n)` has the single element `n`.
        let is_vector = !args.is_empty()
            && matches!(ty.path.as_str(), "SmallVector" | "vector" | "BitVector" | "SmallBitVector");
        if to.form == Form::Range && !braces && (is_vector || self.in_function && args.len() == 2) {
            let inner = self.inner_range(ty);
            return self.filled(node, to, inner, args);
        }
        if to.form == Form::Range && self.in_function {
            if is_array(ty) {
                return self.listed_array(node, ty, to, args);
            }
            if let Some(array) = self.array_of_parameter(node, ty, to, args) {
                return array;
            }
        }
        if let Some(class) = self.constructed_class(to) {
            return self.constructor_call(node, &class, args, braces);
        }
        let element = Some(Ty::one(to.item));
        let items =
            if to.form == Form::Range { self.elements(args, element)? } else { self.items(args, element)? };
        if ty.path == "RankedTensorType::Builder" && items.len() == 3 {
            return self.library_function(node, "RankedTensorType::get", &items);
        }
        if self.b.is_signed_number(to) {
            return self.construct_signed(node, &items);
        }
        // The `ShapeAdaptor` of a type that is not shaped has no shape, so null represents it.
        if let ("ShapeAdaptor", &[one]) = (ty.path.as_str(), &items[..])
            && matches!(one.ty, Ty { item: Item::Type(_), form: Form::One })
        {
            let shaped = ObjectClass::Type(TypeClass::Shaped);
            return self.build(node, |b| b.cast(one, shaped, CastMode::TryIfPresent));
        }
        if let Ty { item: Item::Tuple(id), form: Form::One } = to {
            if ty.path.ends_with("ImplicitLocOpBuilder") {
                let mut locations = items.iter().filter(|item| item.ty.item != Item::Builder);
                let location = locations.next().copied();
                return match (location, locations.next()) {
                    (Some(location), None) => self.build(node, |b| b.tuple(id, &[location])),
                    _ => self.function(node, ty, &items),
                };
            }
            // In `Adaptor(operands, attributes, properties, regions)`, the argument for the properties contains the
            // adaptor.
            for &item in &items {
                let adaptor = self.adaptor_in(node, item)?;
                if adaptor.ty == to {
                    return Ok(adaptor);
                }
            }
            if let Some(components) = self.construct_components(node, to, &items)? {
                return Ok(components);
            }
            if items.is_empty() {
                return self.default_value(node, to);
            }
            // Members for which there is no argument have their default values.
            let mut items = items;
            if let Some(class) = self.class_of_objects(to) {
                let values = self.member_values(node, &class)?;
                items.extend_from_slice(values.get(items.len()..).unwrap_or_default());
            }
            let tuple = match items[..] {
                [one] if one.ty == to => Ok(one),
                _ => self.b.tuple(id, &items),
            };
            return self.at_node(node, tuple);
        }
        let result = match (items.as_slice(), to.form) {
            ([], Form::Range) => self.b.list(&[]).map(|list| Typed { ty: to, ..list }),
            ([], _) => return self.default_value(node, to),
            (many, Form::Range) if braces && self.in_function => {
                self.b.braced_list(many).and_then(|list| self.b.convert(list, to))
            }
            ([one], Form::Range) if braces && one.ty.form == Form::One => {
                self.b.list(&[*one]).and_then(|list| self.b.convert(list, to))
            }
            ([one], Form::Range) if ty.path == "ArrayRef" && one.ty.form == Form::One => {
                self.b.convert(*one, to).or_else(|_| {
                    let one = self.b.returned(*one, Ty::one(to.item))?;
                    let list = self.b.list(&[one])?;
                    self.b.convert(list, to)
                })
            }
            ([one], _) if to == Ty::AP_FLOAT => return self.ap_float(node, ty, *one),
            ([one], _) if matches!(to.item, Item::Enum(_)) => return self.value_cast(node, ty, *one),
            ([one], _) => self.b.convert(*one, to),
            (many, Form::Range) if braces => self.b.list(many).and_then(|list| self.b.convert(list, to)),
            // Constructors with several arguments are built-in functions or natives.
            _ => return self.function(node, ty, &items),
        };
        self.at_node(node, result)
    }
}
