//! Lowers declarations of references, pointers and views.
//!
//! A reference or pointer to a variable that changes is bound to the place of the variable. A view is a copy of the
//! elements, so a view of a variable that changes later is outside the language. An iterator over a variable that
//! changes is an index into the variable.

use hashbrown::{HashMap, HashSet};

use super::changes::{VIEWS, is_array_ref, is_stream, is_string_ref, iterated, roots};
use super::flow::Loop;
use super::lvalue::Held;
use super::place::{Place, Step};
use crate::frontend::cxx::ast::{Initialiser, Node, NodeId, NodeKind, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, ContainerKind, Lower, Order, is_number};
use crate::snippet::{BinaryOp, Form, Item, LocalId, Ty};
use crate::stack::with_room;

impl Lower<'_, '_> {
    /// True if a variable to which an expression may refer changes after this byte.
    pub(super) fn changes_after(&self, node: NodeId, at: usize) -> bool {
        roots(self.ast, self.functions(), node).iter().any(|root| self.changed.after(root, at))
    }

    /// True if the text between two bytes names a lambda.
    fn names_lambda(&self, lo: usize, hi: usize) -> bool {
        let is_lambda = |name: &TypeName| match self.scope.iter().rev().find(|(bound, _)| *bound == name.path)
        {
            Some((_, Bound::Lambda(_))) => true,
            Some((_, Bound::Local(local))) => self.b.local_ty(*local).item == Item::Lambda,
            _ => false,
        };
        let mut inside = self.ast.iter().filter(|node| lo <= node.lo && node.lo < hi);
        inside.any(|node| matches!(&node.kind, NodeKind::Name(name) if is_lambda(name)))
    }

    /// True if the text between two bytes may change a variable, directly or by calling a lambda.
    pub(super) fn text_may_change(&self, name: &str, lo: usize, hi: usize) -> bool {
        self.changed.in_text(name, lo, hi) || self.changed.in_lambda(name) && self.names_lambda(lo, hi)
    }

    /// True if the text between two bytes may change an element of a range, or the range itself.
    pub(super) fn range_may_change(&self, range: NodeId, lo: usize, hi: usize) -> bool {
        let changes = |name: &str| self.text_may_change(name, lo, hi);
        let roots = roots(self.ast, self.functions(), range);
        roots.into_iter().any(|name| self.is_range(name) && changes(name))
            || self.makes_view(range) && self.ranges_in(range).iter().any(|name| changes(name))
    }

    /// Reports an error if a function that an algorithm calls changes the algorithm's range, which is the first
    /// argument.
    pub(super) fn require_fixed_range(&self, node: NodeId, args: &[NodeId]) -> Result<(), Fault> {
        let Some((&range, rest)) = args.split_first() else { return Ok(()) };
        let mut names = self.ranges_in(range);
        names.retain(|name| self.changed.contains(name));
        for function in rest.iter().filter_map(|&arg| self.argument_lambda(arg)) {
            let (lo, hi) = (self.ast[function].lo, self.ast[function].hi);
            let changes = |name: &String| {
                let mut places = self.changed.places_in(name, lo, hi);
                let variable = name.split('.').next().unwrap_or_default();
                places.any(|at| !self.is_declared_in(function, variable, at))
            };
            if names.iter().any(changes) {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                return Err(error::unsupported("a function that changes the range of an algorithm", lo, hi));
            }
        }
        Ok(())
    }

    /// The lambda in an argument: the argument itself, or the variable that it names.
    fn argument_lambda(&self, arg: NodeId) -> Option<NodeId> {
        match &self.ast[arg].kind {
            NodeKind::Lambda(..) => Some(arg),
            NodeKind::Name(name) => match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
                Some((_, Bound::Lambda(lambda))) => Some(self.named_lambdas[*lambda].node),
                _ => None,
            },
            _ => None,
        }
    }

    /// True if a lambda among the arguments of a call, or a lambda that it uses, changes a variable outside of itself.
    pub(super) fn passes_changing_lambda(&self, call: NodeId) -> bool {
        let NodeKind::Call(_, args) = &self.ast[call].kind else { return false };
        let mut pending: Vec<NodeId> = args.iter().filter_map(|&arg| self.argument_lambda(arg)).collect();
        let mut seen = HashSet::new();
        while let Some(lambda) = pending.pop() {
            if !seen.insert(lambda) {
                continue;
            }
            let (lo, hi) = (self.ast[lambda].lo, self.ast[lambda].hi);
            if self.changed.in_text("this", lo, hi) {
                return true;
            }
            for (id, inner) in self.ast.iter_enumerated() {
                let NodeKind::Name(name) = &inner.kind else { continue };
                if inner.lo < lo || hi < inner.hi {
                    continue;
                }
                let mut places = self.changed.places_in(&name.path, lo, hi);
                if places.any(|at| !self.is_declared_in(lambda, &name.path, at)) {
                    return true;
                }
                pending.extend(self.argument_lambda(id));
            }
        }
        false
    }

    /// Reports an error if a function that an algorithm calls, or a lambda that this function uses, reads the variable
    /// to which the algorithm writes. Here, unlike in C++, all results are computed before they are written.
    pub(super) fn require_unread_target(
        &self,
        node: NodeId,
        target: NodeId,
        function: NodeId,
    ) -> Result<(), Fault> {
        let mut names = self.ranges_in(target);
        if let Some(local) = self.variable(target) {
            names.extend(self.names_of_local(local));
        }
        let (mut pending, mut seen) = (vec![function], HashSet::new());
        while let Some(function) = pending.pop() {
            let (lo, hi) = (self.ast[function].lo, self.ast[function].hi);
            for inner in self.ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi) {
                let NodeKind::Name(name) = &inner.kind else { continue };
                let is_part = |of: &String| of.split('.').next() == Some(&name.path);
                if names.iter().any(is_part) && !self.is_declared_in(function, &name.path, inner.lo) {
                    let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                    return Err(error::unsupported(
                        "a function that reads the target of an algorithm",
                        lo,
                        hi,
                    ));
                }
                if let Some((_, Bound::Lambda(lambda))) =
                    self.scope.iter().rev().find(|(bound, _)| *bound == name.path)
                {
                    let lambda = self.named_lambdas[*lambda].node;
                    if seen.insert(lambda) {
                        pending.push(lambda);
                    }
                }
            }
        }
        Ok(())
    }

    /// True if a name at a byte inside a lambda is that of a parameter of the lambda, or of a variable that the lambda
    /// declares.
    fn is_declared_in(&self, lambda: NodeId, name: &str, at: usize) -> bool {
        let NodeKind::Lambda(params, ..) = &self.ast[lambda].kind else { return false };
        let (lo, hi) = (self.ast[lambda].lo, self.ast[lambda].hi);
        let inside = |node: &&Node| lo <= node.lo && node.hi <= hi;
        let around = |node: &&Node, at: usize| node.lo <= at && at < node.hi;
        // The end of the innermost scope around a declaration.
        let scope_end = |declared: &Node| {
            let scopes = self.ast.iter().filter(inside).filter(|node| {
                around(node, declared.lo)
                    && matches!(
                        node.kind,
                        NodeKind::Block(_)
                            | NodeKind::Loop { .. }
                            | NodeKind::If { .. }
                            | NodeKind::Switch(..)
                    )
            });
            scopes.map(|node| node.hi).min().unwrap_or(hi)
        };
        params.iter().any(|(_, param)| param == name)
            || self.ast.iter().filter(inside).any(|node| match &node.kind {
                // The range of the loop denotes variables outside the loop.
                NodeKind::ForEach { names, body, .. } => {
                    names.iter().any(|of| of == name) && around(&&self.ast[*body], at)
                }
                NodeKind::Declare { name: of, .. } => of == name && node.lo <= at && at < scope_end(node),
                NodeKind::Unpack { names, .. } => {
                    names.iter().any(|of| of == name) && node.lo <= at && at < scope_end(node)
                }
                _ => false,
            })
    }

    /// True for a variable with elements, or with parts that can change.
    fn is_range(&self, name: &str) -> bool {
        match self.scope.iter().rev().find(|(bound, _)| bound == name) {
            Some((_, Bound::Local(local))) => {
                let ty = self.b.local_ty(*local);
                ty.form == Form::Range || ty.form == Form::One && !is_handle(ty) && !is_number(ty)
            }
            bound => bound.is_some(),
        }
    }

    /// The variables that an expression reads. If it reads only the member `x` of a variable `p`, the result has `p.x`
    /// instead of `p`. Numbers and handles ([`is_handle`]) count only inside lambdas. A number that is computed from a
    /// range, such as its size, does not refer to the range.
    fn ranges_in(&self, of: NodeId) -> Vec<String> {
        let (lo, hi) = (self.ast[of].lo, self.ast[of].hi);
        let is_inside = |node: &Node| lo <= node.lo && node.hi <= hi;
        let nodes: Vec<(NodeId, &Node)> =
            self.ast.iter_enumerated().filter(|(_, node)| is_inside(node)).collect();
        let mut called: HashSet<NodeId> = HashSet::new();
        let (mut lambdas, mut numbers) = (Vec::new(), Vec::new());
        for (_, node) in &nodes {
            match &node.kind {
                NodeKind::Lambda(..) => lambdas.push((node.lo, node.hi)),
                NodeKind::Call(callee, _) => {
                    called.insert(*callee);
                    let is_number = match &self.ast[*callee].kind {
                        NodeKind::Name(name) => name.path == "seq",
                        NodeKind::Member { name, .. } => matches!(name.as_str(), "size" | "empty"),
                        _ => false,
                    };
                    numbers.extend(is_number.then_some((node.lo, node.hi)));
                }
                _ => {}
            }
        }
        // The member in `p.x`, by the node of `p`, except methods that are called.
        let members: HashMap<NodeId, &str> = nodes
            .iter()
            .filter_map(|(id, node)| match &node.kind {
                NodeKind::Member { object, name, .. } if !called.contains(id) => {
                    Some((*object, name.as_str()))
                }
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for (id, node) in &nodes {
            let NodeKind::Name(name) = &node.kind else { continue };
            let within =
                |spans: &[(usize, usize)]| spans.iter().any(|&(lo, hi)| lo <= node.lo && node.hi <= hi);
            if within(&lambdas) || self.is_range(&name.path) && !within(&numbers) {
                let name = match members.get(id) {
                    Some(member) if name.path != "this" => format!("{}.{member}", name.path),
                    _ => name.path.clone(),
                };
                if !found.contains(&name) {
                    found.push(name);
                }
            }
        }
        found
    }

    /// The variables to whose elements an iterator may point.
    fn source_of_iterator(&self, node: NodeId) -> Source {
        let mut of = iterated(self.ast, node).unwrap_or(node);
        while let NodeKind::Binary(BinaryOp::Add | BinaryOp::Sub, iterator, _) = &self.ast[of].kind {
            of = *iterator;
        }
        let Some(local) = self.variable(of) else {
            let mut names = self.ranges_in(node);
            names.extend(self.ranges_of_iterators(node));
            return Source { root: None, is_index: false, names };
        };
        if self.b.local_ty(local).form == Form::Iterator {
            let names = self.fixed_iterators.get(&local).map(|(_, names)| names.clone()).unwrap_or_default();
            let root = self.iterators.get(&local).copied();
            return Source { root, is_index: root.is_some(), names };
        }
        Source { root: Some(local), is_index: false, names: self.ranges_in(of) }
    }

    /// The variables to whose elements the iterators in an expression, or the iterators that its lambdas return, may
    /// point.
    fn ranges_of_iterators(&self, of: NodeId) -> Vec<String> {
        let (lo, hi) = (self.ast[of].lo, self.ast[of].hi);
        let mut found = Vec::new();
        for inner in self.ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi) {
            let NodeKind::Name(name) = &inner.kind else { continue };
            match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
                Some((_, Bound::Lambda(lambda))) => {
                    found.extend(self.ranges_in(self.named_lambdas[*lambda].node));
                }
                Some((_, Bound::Local(local))) => {
                    found.extend(
                        self.fixed_iterators.get(local).into_iter().flat_map(|(_, names)| names.clone()),
                    );
                    let root = self.iterators.get(local);
                    let is_root = |bound: &Bound| matches!(bound, Bound::Local(local) if root == Some(local));
                    let roots = self.scope.iter().filter(|(_, bound)| is_root(bound));
                    found.extend(roots.map(|(name, _)| name.clone()));
                }
                _ => {}
            }
        }
        found
    }

    /// If a new variable holds an iterator, records the range of this iterator.
    pub(super) fn declare_iterator(&mut self, local: LocalId, name: &str, init: &Initialiser) {
        let Some(init) = init.first().filter(|_| self.b.local_ty(local).form == Form::Iterator) else {
            return;
        };
        let hi = self.ast[init].hi;
        let Source { root, is_index, mut names } = self.source_of_iterator(init);
        // A copy of an index into a set or map becomes invalid after an erasure, because the erasure assigns only the
        // original iterator.
        if let Some(root) = root.filter(|&root| is_index && self.container(root).kind != ContainerKind::List)
        {
            names.extend(self.names_of_local(root));
        }
        let changes = names.iter().any(|name| self.changed.after(name, hi));
        let is_list = root.is_some_and(|root| {
            let container = self.container(root);
            match container.kind {
                ContainerKind::List => container.order == Order::Insertion,
                ContainerKind::Set | ContainerKind::Map => {
                    container.order != Order::Unstated && self.only_erases(name, &names, hi)
                }
            }
        });
        match root {
            Some(root) if is_index || changes && is_list || self.changed.is_assigned_through(name) => {
                self.iterators.insert(local, root);
            }
            _ => {}
        }
        // The index of an element of a list is known after a change. The index of an element of a set or map is known
        // only after an erasure that assigns the iterator.
        if changes && !is_list {
            self.fixed_iterators.insert(local, (hi, names));
        }
    }

    /// True if the text after a byte changes these variables only by `iterator = variable.erase(iterator)`.
    fn only_erases(&self, iterator: &str, names: &[String], since: usize) -> bool {
        let is_iterator =
            |node: NodeId| matches!(&self.ast[node].kind, NodeKind::Name(name) if name.path == iterator);
        let erasure = |node: &Node| {
            let NodeKind::Assign(to, value) = node.kind else { return None };
            let NodeKind::Call(callee, args) = &self.ast[value].kind else { return None };
            let NodeKind::Member { object, name, .. } = &self.ast[*callee].kind else { return None };
            let is_variable = matches!(self.ast[*object].kind, NodeKind::Name(_));
            let erases = name == "erase" && is_variable && is_iterator(to);
            (erases && matches!(args[..], [at] if is_iterator(at))).then_some(self.ast[value].lo)
        };
        let erasures: HashSet<usize> = self.ast.iter().filter_map(erasure).collect();
        names.iter().all(|name| {
            !self.changed.in_lambda(name)
                && self.changed.directly_between(name, since, usize::MAX).all(|at| erasures.contains(&at))
        })
    }

    /// Reports an error if a new reference denotes an element of a set or map by its index, and the index may change
    /// before a use of the reference.
    pub(super) fn require_fixed_element(
        &self,
        node: NodeId,
        reference: &str,
        place: &Place,
    ) -> Result<(), Fault> {
        let by_index = matches!(place.steps.first(), Some(Step::At(_)));
        if !by_index || self.container(place.root).kind == ContainerKind::List {
            return Ok(());
        }
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let names: Vec<String> = self.names_of_local(place.root).collect();
        // An assignment to another reference changes an element, and keeps the indices.
        let keeps_indices = |at: usize| {
            let text = self.text.get(at..).unwrap_or_default();
            let at = at + text.len() - text.trim_start_matches(['+', '-', '*', '(', ' ']).len();
            let calls = |of: &Node| match &of.kind {
                NodeKind::Call(callee, _) => {
                    of.lo == at && matches!(self.ast[*callee].kind, NodeKind::Name(_))
                }
                _ => false,
            };
            let is_other = |of: &Node| match &of.kind {
                NodeKind::Name(name) => of.lo == at && !names.contains(&name.path),
                _ => false,
            };
            self.ast.iter().any(is_other) && !self.ast.iter().any(calls)
        };
        let uses = || {
            let named = |of: &&Node| matches!(&of.kind, NodeKind::Name(name) if name.path == reference);
            self.ast.iter().filter(named).map(|of| of.lo)
        };
        let moves = |at: usize| {
            let is_used_after = uses().any(|using| at <= using && !self.changed.is_separate(at, using));
            let in_loop =
                |outer: Loop| outer.lo >= hi && uses().any(|using| outer.lo <= using && using < outer.hi);
            !keeps_indices(at) && (is_used_after || self.changed.loops(at).any(in_loop))
        };
        let moved = |name: &String| self.changed.directly_between(name, hi, usize::MAX).any(moves);
        match names.iter().any(moved) {
            true => Err(error::changing_reference(lo, hi)),
            false => Ok(()),
        }
    }

    /// Reports an error if an assignment replaces the iterator in a variable by an iterator that may point to elements
    /// of another changing variable.
    pub(super) fn require_same_range(&self, local: LocalId, value: NodeId) -> Result<(), Fault> {
        if self.b.local_ty(local).form != Form::Iterator {
            return Ok(());
        }
        let (lo, hi) = (self.ast[value].lo, self.ast[value].hi);
        let Source { root, names, .. } = self.source_of_iterator(value);
        let fits = match self.iterators.get(&local) {
            Some(known) => root == Some(*known),
            None => {
                let known = self.fixed_iterators.get(&local).map(|(_, names)| names);
                known == Some(&names) || !names.iter().any(|name| self.changed.after(name, hi))
            }
        };
        match fits {
            true => Ok(()),
            false => Err(error::unsupported("an iterator over several changing variables", lo, hi)),
        }
    }

    /// Reports an error if a variable is an iterator, and the elements to which it may point may have changed.
    pub(super) fn require_valid(&self, node: NodeId, local: LocalId) -> Result<(), Fault> {
        let Some((since, names)) = self.fixed_iterators.get(&local) else { return Ok(()) };
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let in_lambda = |from: usize, to: usize| {
            names.iter().any(|name| self.changed.in_lambda(name)) && self.names_lambda(from, to)
        };
        let changed_before = |name: &String| {
            let mut changes = self.changed.directly_between(name, *since, lo);
            // The call or assignment that changes the variable can use the iterator: `m.erase(it)`.
            changes.any(|at| !self.changed.is_separate(at, lo) && !self.changed.has_inside(at, lo))
        };
        // A change in one round of a loop precedes the uses in the next rounds, even if it is written after them.
        let in_loop = |outer: Loop| {
            *since <= outer.body
                && (in_lambda(outer.lo, outer.hi)
                    || names.iter().any(|name| {
                        let mut changes = self.changed.directly_between(name, outer.lo.max(*since), outer.hi);
                        changes.any(|at| !self.changed.ends_loop(at, outer))
                    }))
        };
        let is_changed = in_lambda(*since, lo) || names.iter().any(changed_before);
        match is_changed || self.changed.loops(lo).any(in_loop) {
            true => Err(error::unsupported("an iterator over a variable that has changed", lo, hi)),
            false => Ok(()),
        }
    }

    /// True for a reference or pointer to an object that programs never copy (`Block &`); false for a reference to a
    /// pointer (`Block *&`).
    pub(in crate::frontend::cxx) fn refers_to_object(&mut self, ty: &TypeName) -> bool {
        let to_pointer = matches!(ty.passing, Passing::Reference | Passing::ConstReference)
            && self.text.get(ty.lo..ty.hi).is_some_and(|text| text.contains('*'));
        !to_pointer && self.static_type(ty).is_some_and(|ty| ty.item.is_object())
    }

    /// Declares a reference whose target changes later, or is changed through the reference. Returns the indices to
    /// bind; `None` if a copy has the same effect as the reference.
    pub(super) fn declare_reference(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        name: &str,
        init: &Initialiser,
    ) -> Result<Option<Held>, Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let Some(of) = init.first() else { return Ok(None) };
        if self.refers_to_object(ty) {
            return Ok(None);
        }
        let is_pointer = matches!(self.ast[of].kind, NodeKind::AddressOf(_));
        let changes_target = is_pointer
            || ty.passing == Passing::Reference
            || ty.is_forwarding
            || ty.path == "MutableArrayRef"
            || is_stream(ty);
        let is_reference = changes_target || ty.passing == Passing::ConstReference;
        let refers = is_reference || is_view(ty);
        if is_reference && self.returns_changing_reference(of, hi) {
            return Err(error::changing_reference(lo, hi));
        }
        let changes = refers && self.changes_after(of, hi);
        let assigned = changes_target && self.changed.contains(name);
        if !changes && !assigned {
            return Ok(None);
        }
        let mut held = Held::new();
        if is_reference && let Some(place) = self.place(of, &mut held)? {
            if is_pointer && is_handle(self.place_ty(node, &place)?) {
                return Ok(None);
            }
            self.require_fixed_element(node, name, &place)?;
            self.insert_keys(of, &place, &mut held)?;
            self.bind_place(name, place);
            return Ok(Some(held));
        }
        // `auto &&x = f();` keeps the result of the call.
        if ty.is_forwarding && roots(self.ast, self.functions(), of).is_empty() {
            return Ok(None);
        }
        if ty.path == "auto" && self.expression(of, None)?.ty.item.is_object() {
            return Ok(None);
        }
        Err(error::changing_reference(lo, hi))
    }

    /// Returns true if a new variable is a view of a range, or contains a view or an iterator. Reports an error if the
    /// range changes later.
    pub(super) fn require_fixed_target(
        &mut self,
        node: NodeId,
        ty: &TypeName,
        init: &Initialiser,
        of: Ty,
    ) -> Result<bool, Fault> {
        // The uses of an iterator are checked one by one.
        if of.form == Form::Iterator {
            return Ok(false);
        }
        let ast = self.ast;
        let has_views = is_view(ty) || self.contains_views(of);
        let inits: &[NodeId] = match init {
            Initialiser::Default => &[],
            Initialiser::Value(value) => std::slice::from_ref(value),
            Initialiser::Arguments(args) | Initialiser::Braces(args) => args,
        };
        let hi = ast[node].hi;
        let mut is_any = has_views;
        for &init in inits {
            if has_views || ty.path == "auto" && self.makes_view(init) {
                is_any = true;
                self.require_fixed_ranges(node, init, hi)?;
            }
        }
        Ok(is_any)
    }

    /// Reports an error if an expression is assigned or added to a variable that contains views or iterators, and the
    /// elements to which the expression refers may change later.
    pub(super) fn require_fixed_value(&mut self, to: NodeId, value: NodeId, ty: Ty) -> Result<(), Fault> {
        let ast = self.ast;
        let holds_views = {
            let names = roots(ast, self.functions(), to);
            let bound = |name: &&str| self.scope.iter().rev().find(|(bound, _)| bound == name);
            names.iter().filter_map(bound).any(|(_, bound)| match *bound {
                Bound::Local(local) => self.views.contains_key(&local),
                Bound::Place(place) => {
                    self.places.get(place).is_some_and(|place| self.views.contains_key(&place.root))
                }
                Bound::Lambda(_) | Bound::Element(_) => false,
            })
        };
        if !holds_views && !self.contains_views(ty) {
            return Ok(());
        }
        // A later change through the variable would change the elements of the new value.
        if self.variable(to).is_some_and(|local| self.views.get(&local) == Some(&true)) {
            let (lo, hi) = (ast[value].lo, ast[value].hi);
            return Err(error::unsupported("an assignment to a 'MutableArrayRef'", lo, hi));
        }
        // A change in a loop around the assignment can follow the assignment.
        let since = self.changed.repeated_since(ast[value].lo).unwrap_or(ast[value].hi);
        self.require_fixed_ranges(value, value, since)
    }

    /// Reports an error if a range to whose elements an expression refers may change after a byte.
    pub(super) fn require_fixed_ranges(
        &mut self,
        node: NodeId,
        of: NodeId,
        since: usize,
    ) -> Result<(), Fault> {
        let mut names = self.ranges_in(of);
        names.extend(self.ranges_of_iterators(of));
        // An assignment to a view changes no elements.
        names.retain(|name| !self.is_view_variable(name));
        match names.iter().any(|name| self.changed.after(name, since)) {
            true => {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                Err(error::unsupported("a view of a changing variable", lo, hi))
            }
            false => Ok(()),
        }
    }

    /// Reports an error if a call can store a view of an argument in a variable, and the elements or the text of the
    /// argument may change after the call. `stores` is true for the arguments that hold the stored views.
    pub(super) fn require_fixed_stored(
        &mut self,
        args: &[NodeId],
        stores: impl Fn(usize) -> bool,
    ) -> Result<(), Fault> {
        let (Some(&first), Some(&last)) = (args.first(), args.last()) else { return Ok(()) };
        let since = self.changed.repeated_since(self.ast[first].lo).unwrap_or(self.ast[last].hi);
        for (_, &arg) in args.iter().enumerate().filter(|(index, _)| !stores(*index)) {
            self.require_fixed_ranges(arg, arg, since)?;
            self.require_fixed_text(arg)?;
        }
        Ok(())
    }

    /// Reports an error if the code that makes a view of a text uses a variable whose text changes later.
    pub(super) fn require_fixed_text(&self, node: NodeId) -> Result<(), Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let changes = |name: &TypeName| {
            let bound = self.scope.iter().rev().find(|(bound, _)| *bound == name.path);
            let is_string = matches!(bound, Some((_, Bound::Local(local))) if self.strings.contains(local));
            is_string && self.changed.after(&name.path, hi)
        };
        let mut inside = self.ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi);
        match inside.any(|inner| matches!(&inner.kind, NodeKind::Name(name) if changes(name))) {
            true => Err(error::unsupported("a view of a changing variable", lo, hi)),
            false => Ok(()),
        }
    }

    /// The lambda that an expression calls by its name, and the declared result type of the lambda; `None` for another
    /// expression, or if the lambda declares no result type.
    fn called_lambda(&self, node: NodeId) -> Option<(NodeId, &TypeName)> {
        let NodeKind::Call(callee, _) = &self.ast[node].kind else { return None };
        let NodeKind::Name(name) = &self.ast[*callee].kind else { return None };
        let bound = self.scope.iter().rev().find(|(bound, _)| *bound == name.path)?.1;
        let Bound::Lambda(lambda) = bound else { return None };
        let lambda = self.named_lambdas[lambda].node;
        match &self.ast[lambda].kind {
            NodeKind::Lambda(_, Some(result), ..) => Some((lambda, result)),
            _ => None,
        }
    }

    /// True if an expression is a call of a lambda that returns a reference, and a variable that the lambda uses
    /// changes after a byte.
    fn returns_changing_reference(&self, node: NodeId, at: usize) -> bool {
        let Some((lambda, result)) = self.called_lambda(node) else { return false };
        let (lo, hi) = (self.ast[lambda].lo, self.ast[lambda].hi);
        let mut inside = self.ast.iter().filter(|inner| lo <= inner.lo && inner.hi <= hi);
        matches!(result.passing, Passing::Reference | Passing::ConstReference)
            && inside.any(
                |inner| matches!(&inner.kind, NodeKind::Name(name) if self.changed.after(&name.path, at)),
            )
    }

    /// The variables to whose elements an expression of this type refers, as an iterator or a view.
    pub(super) fn viewed(&self, node: NodeId, ty: Ty) -> Vec<String> {
        if ty.form != Form::Iterator && !self.contains_views(ty) && !self.makes_view(node) {
            return Vec::new();
        }
        let mut names = self.ranges_in(node);
        names.extend(self.ranges_of_iterators(node));
        names
    }

    /// True for a variable that is a view through which elements cannot change.
    fn is_view_variable(&self, name: &str) -> bool {
        match self.scope.iter().rev().find(|(bound, _)| bound == name) {
            Some((_, Bound::Local(local))) => self.views.get(local) == Some(&false),
            _ => false,
        }
    }

    /// True for the type of objects and tuples that have iterators or views as fields.
    pub(super) fn contains_views(&self, ty: Ty) -> bool {
        let class = self.class_of_objects(ty);
        let has_view = class.is_some_and(|class| {
            class.members.iter().any(|&member| match &class.ast[member].kind {
                NodeKind::Declare { ty, .. } => is_view(ty),
                _ => false,
            })
        });
        let fields = self.b.field_types(ty).unwrap_or_default();
        let is_iterator = |&field: &Ty| field.form == Form::Iterator || self.contains_views(field);
        has_view || with_room(|| fields.iter().any(is_iterator))
    }

    /// True for an expression whose value refers to elements of a variable, or contains such a value.
    fn makes_view(&self, node: NodeId) -> bool {
        let any = |nodes: &[NodeId]| nodes.iter().any(|&node| self.makes_view(node));
        with_room(|| match &self.ast[node].kind {
            NodeKind::Name(_) => self.variable(node).is_some_and(|local| self.views.contains_key(&local)),
            NodeKind::Select(_, a, b) => any(&[*a, *b]),
            NodeKind::Comma(_, of) => any(&[*of]),
            NodeKind::Construct(ty, args) => is_view(ty) || ty.path != "SmallVector" && any(args),
            NodeKind::Braces(args) => any(args),
            NodeKind::Call(callee, args) => self.returns_view(*callee, args),
            _ => false,
        })
    }

    /// True for a call that returns a view of one of its arguments or of its object.
    fn returns_view(&self, callee: NodeId, args: &[NodeId]) -> bool {
        let of_library = |names: &[&str], name: &str| {
            names.contains(&name) || self.functions().is_some_and(|functions| functions.returns_view(name))
        };
        match &self.ast[callee].kind {
            NodeKind::Lambda(_, result, body, _) => self.lambda_returns_view(result.as_ref(), *body),
            NodeKind::Name(name) => match self.scope.iter().rev().find(|(bound, _)| *bound == name.path) {
                Some((_, Bound::Lambda(lambda))) => {
                    let mut lambda = self.named_lambdas[*lambda].node;
                    while let NodeKind::Let(_, _, rest) = self.ast[lambda].kind {
                        lambda = rest;
                    }
                    match &self.ast[lambda].kind {
                        NodeKind::Lambda(_, result, body, _) => {
                            self.lambda_returns_view(result.as_ref(), *body)
                        }
                        _ => false,
                    }
                }
                _ => {
                    let contains = ["make_pair", "make_tuple", "pair", "tuple", "make_optional", "move"];
                    let is_helper = self.functions().is_some_and(|of| !of.named(&name.path).is_empty());
                    of_library(&VIEWS, &name.path)
                        || is_helper && name.args.iter().any(holds_view)
                        || contains.contains(&name.path.as_str())
                            && args.iter().any(|&arg| self.makes_view(arg))
                }
            },
            NodeKind::Member { name, .. } => of_library(&PARTS, name),
            _ => false,
        }
    }

    /// True if a lambda returns a view.
    fn lambda_returns_view(&self, result: Option<&TypeName>, body: NodeId) -> bool {
        match result {
            Some(result) => is_view(result),
            None => {
                let (lo, hi) = (self.ast[body].lo, self.ast[body].hi);
                self.ast.iter().filter(|node| lo <= node.lo && node.hi <= hi).any(|node| match node.kind {
                    NodeKind::Return(Some(value)) => self.makes_view(value),
                    _ => false,
                })
            }
        }
    }
}

/// The methods that return a view of their object.
const PARTS: [&str; 9] = [
    "drop_front",
    "drop_back",
    "take_front",
    "take_back",
    "slice",
    "take_while",
    "take_until",
    "drop_while",
    "drop_until",
];

/// The variables to whose elements an iterator may point.
struct Source {
    /// The variable, if the iterator points into one variable (`v.begin()`, `find(v, x) + 1`), or is recorded as an
    /// index into one variable.
    root: Option<LocalId>,
    /// True if the iterator is computed from an iterator that is an index into the variable.
    is_index: bool,
    names: Vec<String>,
}

/// True for a type whose values refer to the elements of a range, or contain such a value.
pub(in crate::frontend::cxx) fn is_view(ty: &TypeName) -> bool {
    is_array_ref(&ty.path)
        || matches!(ty.path.as_str(), "ValueRange" | "TypeRange" | "iterator_range")
        || ty.args.iter().any(|of| is_view(of) || of.path.ends_with("iterator"))
}

/// True for a type whose values refer to the elements of a range or the text of a variable, or contain such a value.
pub(super) fn holds_view(ty: &TypeName) -> bool {
    is_view(ty) || is_text_view(ty) || ty.args.iter().any(|arg| with_room(|| holds_view(arg)))
}

/// True for a type whose values refer to the text of a variable.
pub(super) fn is_text_view(ty: &TypeName) -> bool {
    is_string_ref(&ty.path) || ty.path == "Twine"
}

/// True if a type has this name, or a template argument with this name.
pub(super) fn names_type(ty: &TypeName, name: &str) -> bool {
    ty.path == name || ty.args.iter().any(|arg| with_room(|| names_type(arg, name)))
}

/// True for the type of values that are pointers themselves, such as operations and attributes.
pub(super) fn is_handle(ty: Ty) -> bool {
    let is_data = matches!(
        ty.item,
        Item::Bool
            | Item::Int(_)
            | Item::Double
            | Item::Float
            | Item::ApInt
            | Item::ApFloat
            | Item::Str
            | Item::Enum(_)
            | Item::Tuple(_)
            | Item::FoldResult
            | Item::Unknown
    );
    ty.form == Form::One && !is_data
}
