//! The uses of sets and maps that do not depend on the order of the elements.
//!
//! Specification: C++ does not specify the iteration order of most sets and maps. A use whose result can depend on the
//! order is outside the language. If [`Lower::is_order_free`] is true, a loop has the same effect in each order of the
//! elements.

use super::changes::{is_map, is_set, is_unordered};
use super::place::Place;
use crate::frontend::cxx::ast::{Initialiser, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Container, ContainerKind, Counts, Lower, Order, Template};
use crate::snippet::{BinaryOp, Form, Item, LocalId, Ty, Typed};
use crate::stack::with_room;

/// The effects of a loop body.
#[derive(Default)]
struct Effects {
    /// The names of the loop variables, and of the variables that the body declares in the blocks around the current
    /// statement.
    own: Vec<String>,
    /// The texts of the returned values.
    results: Vec<String>,
    breaks: bool,
    /// The variables that the body changes by an operator for which the order does not matter, each with the operator
    /// and the other operand.
    sums: Vec<(String, BinaryOp, Option<NodeId>)>,
}

/// True for a function or method of ranges whose result does not depend on the order of the elements. A sum of floats
/// depends on the order.
fn ignores_order(function: &str, args: &[Typed]) -> bool {
    let is_exact = |arg: &Typed| matches!(arg.ty.item, Item::Int(_) | Item::Bool | Item::ApInt);
    if matches!(function, "sum_of" | "product_of") {
        return args.iter().all(is_exact);
    }
    matches!(
        function,
        "size"
            | "range_size"
            | "empty"
            | "hasSingleElement"
            | "is_contained"
            | "contains"
            | "count"
            | "count_if"
            | "all_of"
            | "any_of"
            | "none_of"
            | "all_equal"
            | "find"
    )
}

fn is_float(ty: Ty) -> bool {
    matches!(ty.item, Item::Double | Item::Float | Item::ApFloat)
}

/// The maximum length of a chain of `auto` variables that are followed to their initialisers.
const AUTO_LIMIT: u32 = 8;

impl Lower<'_, '_> {
    /// The properties of a C++ container that the static type of a range does not state.
    pub(in crate::frontend::cxx) fn container_class(&mut self, ty: &TypeName) -> Container {
        if let Some(Template::Class(class)) = self.templates.get(&ty.path).cloned() {
            // The name was written at the call, where the template parameters are not in scope.
            let outer = std::mem::take(&mut self.templates);
            let container = self.container_class(&class);
            self.templates = outer;
            return container;
        }
        // A function has the class of the range that it returns.
        if let ("function_ref" | "function", Some(result)) = (ty.path.as_str(), ty.args.first()) {
            return self.container_class(result);
        }
        let kind = match ty.path.as_str() {
            path if is_set(path) => ContainerKind::Set,
            path if is_map(path) => ContainerKind::Map,
            _ => ContainerKind::List,
        };
        let order = match (self.is_sorted(ty), is_unordered(ty)) {
            (true, _) => Order::Ascending,
            (false, true) => Order::Unstated,
            (false, false) => Order::Insertion,
        };
        Container {
            kind,
            order,
            inner: self.inner_range(ty),
            held: self.held_range(ty),
            counts: Counts::of_class(&ty.path),
        }
    }

    /// The type of the range that an optional holds; `None` for another type.
    fn held_range(&mut self, ty: &TypeName) -> Option<Ty> {
        let held = ty.args.first().filter(|_| matches!(ty.path.as_str(), "optional" | "FailureOr"))?;
        self.static_type(held).filter(|held| held.form == Form::Range)
    }

    /// The class of the range in a variable.
    pub(in crate::frontend::cxx) fn container(&self, local: LocalId) -> Container {
        self.containers.get(&local).copied().unwrap_or_default()
    }

    /// The class of the range in a place. A part of a set or map without an order has no order either.
    pub(in crate::frontend::cxx) fn container_of_place(&self, place: &Place) -> Container {
        match self.container(place.root) {
            container if place.steps.is_empty() => container,
            Container { order: Order::Unstated, .. } => Container::UNORDERED,
            _ => Container::default(),
        }
    }

    /// The class of the range that is the value of an expression.
    pub(in crate::frontend::cxx) fn container_of(&self, e: Typed) -> Container {
        self.container_values.get(&e.id).copied().unwrap_or_default()
    }

    /// Records the class of the range that is the value of an expression.
    pub(in crate::frontend::cxx) fn set_container(&mut self, e: Typed, container: Container) {
        if container != Container::default() {
            self.container_values.insert(e.id, container);
        }
    }

    /// Records the class of the range in a new variable. `ty` is the declared type, and `value` is the class of the
    /// initial value.
    pub(in crate::frontend::cxx) fn declare_container(
        &mut self,
        local: LocalId,
        ty: &TypeName,
        value: Container,
    ) {
        if ty.path != "auto" && !self.templates.contains_key(&ty.path) {
            self.classes.insert(local, ty.path.clone());
        }
        let container = match ty.path.as_str() {
            "auto" => value,
            _ => self.container_class(ty),
        };
        let order = match (container.order, value.order) {
            (Order::Insertion, Order::Unstated) => Order::Unstated,
            (order, _) => order,
        };
        self.containers.insert(local, Container { order, ..container });
    }

    /// Checks that the class of an argument or result fits the class of the parameter or of the declared result.
    ///
    /// # Errors
    /// The order or the keys of the value would be lost, or the declared class has an order and the value states none.
    pub(super) fn require_container(
        &self,
        (lo, hi): (usize, usize),
        given: Container,
        declared: Container,
        what: &str,
    ) -> Result<(), Fault> {
        match (given.order, declared.order) {
            (Order::Unstated, Order::Insertion | Order::Ascending) => Err(error::unstated_order(lo, hi)),
            (Order::Ascending, Order::Insertion | Order::Unstated) => Err(error::unsupported(what, lo, hi)),
            _ if given.kind == ContainerKind::Map && declared.kind != ContainerKind::Map => {
                Err(error::unsupported(what, lo, hi))
            }
            _ => Ok(()),
        }
    }

    /// True for a `std::set` or `std::map` whose elements or keys are in ascending order: integers, Booleans, strings,
    /// or pairs and tuples of these, without a comparison class.
    fn is_sorted(&mut self, ty: &TypeName) -> bool {
        let key = match (ty.path.as_str(), &ty.args[..]) {
            ("set", [element]) => element,
            ("map", [key, _]) => key,
            _ => return false,
        };
        self.static_type(key).is_some_and(|ty| self.has_order(ty))
    }

    fn has_order(&self, ty: Ty) -> bool {
        let is_scalar =
            |ty: Ty| ty.form == Form::One && matches!(ty.item, Item::Int(_) | Item::Bool | Item::Str);
        let of_fields = || match ty {
            Ty { item: Item::Tuple(_), form: Form::One } if self.b.class_of(ty).is_none() => {
                self.b.field_types(ty).is_some_and(|fields| fields.into_iter().all(is_scalar))
            }
            _ => false,
        };
        is_scalar(ty) || of_fields()
    }

    /// Checks that the order of the elements of a value is stated.
    ///
    /// # Errors
    /// The value is a set or map without an order.
    pub(in crate::frontend::cxx) fn require_order(&self, node: NodeId, e: Typed) -> Result<(), Fault> {
        if self.container_of(e).order == Order::Unstated {
            return Err(error::unstated_order(self.ast[node].lo, self.ast[node].hi));
        }
        Ok(())
    }

    /// Checks that a function or method of ranges does not depend on an order that is not stated.
    ///
    /// # Errors
    /// An argument is a set or map without an order. In addition, the result can depend on the order, or the function
    /// calls a lambda that has effects.
    pub(in crate::frontend::cxx) fn require_order_for(
        &self,
        node: NodeId,
        function: &str,
        args: &[Typed],
    ) -> Result<(), Fault> {
        if ignores_order(function, args) && !self.passes_changing_lambda(node) {
            return Ok(());
        }
        args.iter().try_for_each(|&arg| self.require_order(node, arg))
    }

    /// True if the effect of a loop body does not depend on the order of the elements: its only effects are a `break`,
    /// a `return` of one constant, or changes of integer and Boolean variables by one commutative operator each. The
    /// body does not read these variables otherwise.
    pub(super) fn is_order_free(&mut self, body: NodeId, names: &[String], range: Typed) -> bool {
        let mut effects = Effects { own: names.to_vec(), ..Effects::default() };
        if !self.collect_effects(body, &mut effects) {
            return false;
        }
        let same = effects.results.windows(2).all(|pair| pair[0] == pair[1]);
        let jumps = effects.breaks || !effects.results.is_empty();
        if jumps {
            return same && effects.sums.is_empty() && (!effects.breaks || effects.results.is_empty());
        }
        // Each variable is changed by one operator, and read by nothing else.
        let (lo, hi) = (self.ast[body].lo, self.ast[body].hi);
        let element = self.b.element(range);
        let fields = self.b.field_types(element).filter(|fields| fields.len() == names.len());
        let elements: Vec<(&String, Ty)> = match fields {
            Some(fields) if names.len() > 1 => names.iter().zip(fields).collect(),
            _ => names.iter().map(|name| (name, element)).collect(),
        };
        let mut terms = effects.sums.iter().filter_map(|(.., term)| *term);
        if terms.any(|term| self.may_be_float(term, body, &elements, 0)) {
            return false;
        }
        effects.sums.iter().all(|(name, op, _)| {
            let changes = effects.sums.iter().filter(|(other, ..)| other == name);
            let names: Vec<String> = match self.scope.iter().rev().find(|(bound, _)| bound == name) {
                Some((_, Bound::Local(local))) => self.names_of_local(*local).collect(),
                _ => vec![name.clone()],
            };
            let uses = self.ast.iter().filter(|node| {
                lo <= node.lo
                    && node.hi <= hi
                    && matches!(&node.kind, NodeKind::Name(used) if names.contains(&used.path))
            });
            changes.clone().all(|(_, other, _)| other == op) && uses.count() == changes.count()
        })
    }

    /// True if an expression may be a floating-point number. A sum that is truncated after each addition depends on the
    /// order. `elements` has the types of the loop variables, and `body` declares other variables.
    fn may_be_float(&self, of: NodeId, body: NodeId, elements: &[(&String, Ty)], depth: u32) -> bool {
        if depth > AUTO_LIMIT {
            return true;
        }
        let inside = |node: NodeId| {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            self.ast.iter().filter(move |node| lo <= node.lo && node.hi <= hi)
        };
        let is_float_class = |ty: &TypeName| matches!(ty.path.as_str(), "float" | "double" | "APFloat");
        let is_float_variable = |name: &str| {
            let element = elements.iter().find(|(element, _)| *element == name).map(|(_, ty)| *ty);
            let local = match self.scope.iter().rev().find(|(bound, _)| bound == name) {
                Some((_, Bound::Local(local))) => Some(self.b.local_ty(*local)),
                _ => None,
            };
            // The fields of an object, or of the elements of a range.
            let fields = |ty: Ty| self.b.field_types(Ty::one(ty.item)).unwrap_or_else(|| vec![ty]);
            element.or(local).is_some_and(|ty| fields(ty).into_iter().any(is_float))
        };
        let declares_float = |name: &str| {
            inside(body).any(|node| match &node.kind {
                NodeKind::Declare { ty, name: declared, init } if declared == name => {
                    // The type of an `auto` variable can be that of a float in its initialiser.
                    is_float_class(ty)
                        || ty.path == "auto"
                            && init
                                .first()
                                .is_some_and(|init| self.may_be_float(init, body, elements, depth + 1))
                }
                _ => false,
            })
        };
        inside(of).any(|node| match &node.kind {
            NodeKind::Float(..) => true,
            NodeKind::Name(name) => is_float_variable(&name.path) || declares_float(&name.path),
            NodeKind::Member { name, .. } => {
                matches!(
                    name.as_str(),
                    "getValueAsDouble" | "convertToDouble" | "convertToFloat" | "roundToDouble"
                )
            }
            NodeKind::Cast(ty, _) | NodeKind::Construct(ty, _) => is_float_class(ty),
            _ => false,
        })
    }

    /// Adds the effects of a statement to `effects`; false if the statement has an effect of another kind.
    fn collect_effects(&self, node: NodeId, effects: &mut Effects) -> bool {
        with_room(|| match &self.ast[node].kind {
            NodeKind::Block(statements) => {
                let outer = effects.own.len();
                let known = statements.iter().all(|&statement| self.collect_effects(statement, effects));
                effects.own.truncate(outer);
                known
            }
            NodeKind::If { declarations, condition, then, otherwise } => {
                let outer = effects.own.len();
                let known = declarations.iter().all(|&statement| self.collect_effects(statement, effects))
                    && self.is_pure(*condition)
                    && self.collect_effects(*then, effects)
                    && otherwise.is_none_or(|otherwise| self.collect_effects(otherwise, effects));
                effects.own.truncate(outer);
                known
            }
            // A change of such a variable would change the object to which it refers.
            NodeKind::Declare { ty, .. } | NodeKind::Unpack { ty, .. }
                if matches!(ty.passing, Passing::Reference | Passing::Pointer) =>
            {
                false
            }
            NodeKind::Declare { name, init, .. } => {
                effects.own.push(name.clone());
                match init {
                    Initialiser::Default => true,
                    Initialiser::Value(value) => self.is_pure(*value),
                    Initialiser::Arguments(args) | Initialiser::Braces(args) => {
                        args.iter().all(|&arg| self.is_pure(arg))
                    }
                }
            }
            NodeKind::Unpack { names, value, .. } => {
                effects.own.extend(names.iter().cloned());
                self.is_pure(*value)
            }
            NodeKind::Continue => true,
            NodeKind::Break => {
                effects.breaks = true;
                true
            }
            NodeKind::Return(Some(value)) if self.is_constant(*value) => {
                let text = self.text.get(self.ast[*value].lo..self.ast[*value].hi);
                effects.results.push(text.unwrap_or_default().to_owned());
                true
            }
            NodeKind::Increment(of, ..) => self.adds(*of, BinaryOp::Add, None, effects),
            NodeKind::Compound(op @ (BinaryOp::And | BinaryOp::Or | BinaryOp::Xor), to, by) => {
                self.is_pure(*by) && self.adds(*to, *op, Some(*by), effects)
            }
            // A sum is the same in each order, and so is a difference.
            NodeKind::Compound(BinaryOp::Add | BinaryOp::Sub, to, by) => {
                self.is_pure(*by) && self.adds(*to, BinaryOp::Add, Some(*by), effects)
            }
            _ => false,
        })
    }

    /// Records that a statement changes a variable; false if the result can depend on the order of the changes. A
    /// variable that the body declares is not recorded.
    fn adds(&self, to: NodeId, op: BinaryOp, by: Option<NodeId>, effects: &mut Effects) -> bool {
        let NodeKind::Name(name) = &self.ast[to].kind else { return false };
        if effects.own.contains(&name.path) {
            return true;
        }
        let local = match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
            Some((_, Bound::Local(local))) => *local,
            _ => return false,
        };
        let ty = self.b.local_ty(local);
        effects.sums.push((name.path.clone(), op, by));
        // A sum or an exclusive or that is converted to `bool` after each element depends on the order.
        let is_exact = match ty.item {
            Item::Int(_) | Item::ApInt => true,
            Item::Bool => matches!(op, BinaryOp::And | BinaryOp::Or),
            _ => false,
        };
        ty.form == Form::One && is_exact
    }

    /// True for a literal (also after a unary operator), `nullptr`, `nullopt`, `{}`, `failure()` or `success()`.
    fn is_constant(&self, node: NodeId) -> bool {
        match &self.ast[node].kind {
            NodeKind::Int { .. } | NodeKind::Str(_) | NodeKind::Float(..) | NodeKind::Char(_) => true,
            NodeKind::Name(name) => matches!(name.path.as_str(), "true" | "false" | "nullptr" | "nullopt"),
            NodeKind::Unary(_, of) => self.is_constant(*of),
            NodeKind::Braces(items) => items.is_empty(),
            NodeKind::Call(callee, args) => {
                args.is_empty()
                    && matches!(&self.ast[*callee].kind,
                        NodeKind::Name(name) if matches!(name.path.as_str(), "failure" | "success"))
            }
            _ => false,
        }
    }

    /// True if no part of an expression can have an effect: it has only operators, members, and calls of methods and
    /// functions that only read.
    fn is_pure(&self, node: NodeId) -> bool {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let pure = |kind: &NodeKind| match kind {
            NodeKind::Assign(..)
            | NodeKind::Compound(..)
            | NodeKind::Increment(..)
            | NodeKind::AddressOf(_)
            | NodeKind::Lambda(..) => false,
            NodeKind::Call(callee, _) => match &self.ast[*callee].kind {
                NodeKind::Member { name, .. } => {
                    let reads =
                        ["get", "is", "has", "size", "empty", "lookup", "count", "contains", "begin", "end"];
                    let changes = self.functions().is_some_and(|functions| {
                        functions.member_changes(name) == Some(true) || functions.changes_arguments(name)
                    });
                    reads.iter().any(|prefix| name.starts_with(prefix)) && !changes
                }
                NodeKind::Name(name) => matches!(
                    name.path.as_str(),
                    "isa"
                        | "cast"
                        | "dyn_cast"
                        | "dyn_cast_or_null"
                        | "isa_and_nonnull"
                        | "min"
                        | "max"
                        | "abs"
                ),
                _ => false,
            },
            _ => true,
        };
        self.ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi).all(|inner| pure(&inner.kind))
    }
}
