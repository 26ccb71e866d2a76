//! The variables that a text changes, and the places of the changes.

use std::collections::BTreeSet;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::flow::{Flow, Loop};
use super::source::Functions;
use crate::frontend::cxx::ast::{Ast, Initialiser, NodeId, NodeKind, Passing, TypeName};
use crate::snippet::{BinaryOp, Update};
use crate::stack::with_room;

/// The variables that a text changes.
#[derive(Clone, Debug, Default)]
pub(in crate::frontend::cxx) struct Changes {
    /// The places of the changes of each changed variable. The key `p` has all changes of the variable `p`, including
    /// changes of its members. The key `p.` has only the changes of the whole variable, and the key `p.x` has only the
    /// changes of its member `x`.
    places: HashMap<String, BTreeSet<ChangePlace>>,
    /// The iterators through which the text changes elements, with the places of these changes.
    through: HashMap<String, BTreeSet<ChangePlace>>,
    /// The variables that are streams.
    streams: HashSet<String>,
    /// The loops and jumps of the text.
    flow: Flow,
}

/// The place of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ChangePlace {
    /// The change is in a lambda, which can be called anywhere.
    Anywhere,
    /// The byte at which the change starts.
    At(usize),
    /// The byte at which a change of an element through an iterator starts.
    Through(usize),
}

impl Changes {
    /// Finds the changes in a text. `functions` has the functions of the source files, which may change their
    /// arguments and objects.
    pub(in crate::frontend::cxx) fn of(ast: &Ast, functions: Option<&Functions>) -> Self {
        let mut changes = Changes::default();
        let flow = Flow::of(ast);
        let is_changing = |name: &str| functions.is_some_and(|f| f.changes_arguments(name));
        let member_changes = |name: &str| functions.and_then(|functions| functions.member_changes(name));
        let changes_operand =
            |name: &str, operand: usize| functions.is_some_and(|f| f.changes_operand(name, operand));
        let constructs = |ty: &TypeName| {
            let name = ty.path.rsplit("::").next().unwrap_or_default();
            functions.is_some_and(|functions| functions.constructor_changes(name))
        };
        let constructors_change = functions.is_some_and(Functions::constructors_change);
        let streams = ast.iter().filter_map(|node| match &node.kind {
            NodeKind::Declare { ty, name, .. } if is_stream(ty) => Some(name.clone()),
            _ => None,
        });
        let streams: HashSet<String> = streams.collect();
        for node in ast.iter() {
            let places = [ChangePlace::At(node.lo), ChangePlace::Anywhere];
            let places = &places[..if flow.is_in_lambda(node.lo) { 2 } else { 1 }];
            let mut add = |of: &[NodeId]| {
                for &of in of {
                    places.iter().for_each(|&place| changes.add_target(ast, functions, of, place));
                }
            };
            match &node.kind {
                NodeKind::Assign(to, _) | NodeKind::Increment(to, ..) => {
                    add(&[*to]);
                    changes.add_through(pointer(ast, *to), places);
                }
                NodeKind::Compound(op, to, by) => {
                    add(&[*to]);
                    if changes_operand(&format!("operator{}=", op.text()), 1) {
                        add(&[*by]);
                    }
                    changes.add_through(pointer(ast, *to), places);
                }
                NodeKind::AddressOf(of) => add(&[*of]),
                NodeKind::Binary(BinaryOp::Shl, stream, _)
                    if let NodeKind::Name(name) = &ast[*stream].kind
                        && streams.contains(&name.path) =>
                {
                    add(&[*stream]);
                }
                NodeKind::Binary(op, a, b) => {
                    let name = format!("operator{}", op.text());
                    for (operand, of) in [*a, *b].into_iter().enumerate() {
                        if changes_operand(&name, operand) {
                            add(&[of]);
                        }
                    }
                }
                NodeKind::Declare {
                    ty,
                    init: Initialiser::Arguments(args) | Initialiser::Braces(args),
                    ..
                }
                | NodeKind::Construct(ty, args)
                    if constructs(ty) =>
                {
                    add(args);
                }
                // A list in braces can be the arguments of any constructor, and a constructor may change its arguments.
                NodeKind::Braces(args) if constructors_change => add(args),
                NodeKind::Call(callee, args) => {
                    // The callee can be an object.
                    if let Some(changes_object) = member_changes("operator()") {
                        if changes_object {
                            add(&[*callee]);
                        }
                        if is_changing("operator()") {
                            add(args);
                        }
                    }
                    match &ast[*callee].kind {
                        NodeKind::Member { object, name, .. } => {
                            let member = member_changes(name);
                            if member.is_some() && is_changing(name)
                                || name == "emplace_back" && constructors_change
                            {
                                add(args);
                            }
                            if member == Some(true) || is_change(name) {
                                add(&[*object]);
                            }
                            if let Some(results) = args.get(assigned_arguments(name)) {
                                add(results);
                            }
                            for &param in functions.map_or(&[][..], |f| f.changed_by_method(name)) {
                                match param.checked_sub(1) {
                                    None => add(&[*object]),
                                    Some(arg) => args.get(arg).into_iter().for_each(|&arg| add(&[arg])),
                                }
                            }
                            if member == Some(true) {
                                changes.add_through(pointer(ast, *callee), places);
                            }
                        }
                        NodeKind::Name(name) => {
                            if changes_arguments(&name.path) || is_changing(&name.path) {
                                add(args);
                            }
                            // `interleaveComma(range, stream)`
                            if let ("interleave" | "interleaveComma", [_, stream, ..]) =
                                (name.path.as_str(), &args[..])
                                && matches!(&ast[*stream].kind, NodeKind::Name(name) if streams.contains(&name.path))
                            {
                                add(&[*stream]);
                            }
                            if member_changes(&name.path) == Some(true) {
                                places.iter().for_each(|&place| changes.add("this", place));
                            }
                        }
                        _ => {}
                    }
                }
                _ => {}
            }
        }
        changes.streams = streams;
        let calls = calls_of_lambdas(ast);
        // A change through a reference changes its target, which can be a reference itself. Chains of references are
        // followed up to this length.
        for _ in 0..4 {
            for node in ast.iter() {
                let (ty, names, of): (_, &[String], _) = match &node.kind {
                    NodeKind::Declare { ty, name, init } => match init.first() {
                        Some(of) => (ty, std::slice::from_ref(name), of),
                        None => continue,
                    },
                    NodeKind::Unpack { ty, names, value } => (ty, names, *value),
                    NodeKind::ForEach { ty, names, range, .. } => (ty, names, *range),
                    _ => continue,
                };
                if let [name] = names
                    && let Some(places) = changes.through.get(name).cloned()
                    && let Some(range) = iterated(ast, of)
                {
                    for place in places {
                        changes.add_all(&roots(ast, functions, range), place);
                    }
                }
                // The elements of `zip` and `enumerate` are references.
                let zipped = match &node.kind {
                    NodeKind::ForEach { range, .. } => zipped(ast, *range),
                    _ => None,
                };
                let targets = zipped.unwrap_or(std::slice::from_ref(&of));
                let refers = match ty.passing {
                    _ if zipped.is_some() => true,
                    Passing::Reference => true,
                    Passing::Value => ty.path == "MutableArrayRef" || is_stream(ty) || ty.is_forwarding,
                    Passing::Pointer => matches!(ast[of].kind, NodeKind::AddressOf(_)),
                    _ => false,
                };
                // A later change of the target changes the value that the reference denotes.
                if (refers || ty.passing == Passing::ConstReference)
                    && let NodeKind::Declare { name, .. } = &node.kind
                {
                    let target = match (member(ast, of), &ast[of].kind) {
                        (Some((object, field)), _) => Some(format!("{object}.{field}")),
                        (None, NodeKind::Name(target)) => Some(target.path.clone()),
                        _ => None,
                    };
                    let places = target.iter().flat_map(|target| changes.places_of(target));
                    let later = |place: &&ChangePlace| match place {
                        ChangePlace::At(at) | ChangePlace::Through(at) => *at >= node.hi,
                        ChangePlace::Anywhere => true,
                    };
                    let places: Vec<ChangePlace> = places.flatten().filter(later).copied().collect();
                    places.into_iter().for_each(|place| changes.add(name, place));
                }
                if refers && names.iter().any(|name| changes.contains(name)) {
                    for name in names {
                        for place in changes.places.get(name.as_str()).cloned().unwrap_or_default() {
                            for &of in targets {
                                changes.add_target(ast, functions, of, place);
                            }
                        }
                    }
                }
            }
            for &(call, lambda, args) in &calls {
                let NodeKind::Lambda(params, ..) = &ast[lambda].kind else { continue };
                let (lo, hi) = (ast[lambda].lo, ast[lambda].hi);
                let at = ast[call].lo;
                let places = [ChangePlace::At(at), ChangePlace::Anywhere];
                let places = &places[..if flow.is_in_lambda(at) { 2 } else { 1 }];
                for ((ty, name), &arg) in params.iter().zip(args) {
                    if may_change_argument(ty) && changes.in_text(name, lo, hi) {
                        places.iter().for_each(|&place| changes.add_target(ast, functions, arg, place));
                    }
                }
            }
        }
        changes.flow = flow;
        changes
    }

    /// Treats an object and its members as connected: a change of the object is a change of each member, and a change
    /// of a member is a change of the object. The changes may happen anywhere.
    pub(super) fn join(&mut self, object: &str, members: &[String]) {
        let of_object = self.places.get(object).cloned().unwrap_or_default();
        for member in members {
            let of_member = self.places.get(member.as_str()).cloned().unwrap_or_default();
            if !of_object.is_empty() || !of_member.is_empty() {
                self.add(member, ChangePlace::Anywhere);
                self.add(object, ChangePlace::Anywhere);
            }
            of_object.iter().for_each(|&place| self.add(member, place));
            of_member.iter().for_each(|&place| self.add(object, place));
        }
    }

    /// Records that constructors may change the arguments in the initialisers of another constructor.
    pub(super) fn initialise(&mut self, ast: &Ast, functions: &Functions, args: &[NodeId]) {
        if functions.constructors_change() {
            for &arg in args {
                self.add_all(&roots(ast, Some(functions), arg), ChangePlace::At(ast[arg].lo));
            }
        }
    }

    fn add_all(&mut self, names: &[&str], place: ChangePlace) {
        names.iter().for_each(|name| self.add(name, place));
    }

    /// Records changes of an element through an iterator.
    fn add_through(&mut self, iterator: Option<&str>, places: &[ChangePlace]) {
        let Some(iterator) = iterator else { return };
        let through = places.iter().map(|place| match *place {
            ChangePlace::At(at) => ChangePlace::Through(at),
            other => other,
        });
        self.through.entry_ref(iterator).or_default().extend(through);
    }

    /// Records a change of the target of an assignment, which can be a member of a variable.
    fn add_target(&mut self, ast: &Ast, functions: Option<&Functions>, target: NodeId, place: ChangePlace) {
        match member(ast, target) {
            Some((object, name)) => {
                self.places.entry_ref(object).or_default().insert(place);
                self.places.entry(format!("{object}.{name}")).or_default().insert(place);
            }
            None => self.add_all(&roots(ast, functions, target), place),
        }
    }

    fn add(&mut self, name: &str, place: ChangePlace) {
        self.places.entry_ref(name).or_default().insert(place);
        self.places.entry(format!("{name}.")).or_default().insert(place);
    }

    /// The places of the changes of a variable, or of a member `p.x` of a variable.
    fn places_of(&self, name: &str) -> impl Iterator<Item = &BTreeSet<ChangePlace>> {
        let whole = name.find('.').and_then(|at| name.get(..=at)).and_then(|object| self.places.get(object));
        self.places.get(name).into_iter().chain(whole)
    }

    /// True if the text changes an element through an iterator with this name.
    pub(super) fn is_assigned_through(&self, name: &str) -> bool {
        self.through.contains_key(name)
    }

    /// True if a variable with this name is a stream.
    pub(super) fn is_stream(&self, name: &str) -> bool {
        self.streams.contains(name)
    }

    /// True if the text changes a variable.
    pub(in crate::frontend::cxx) fn contains(&self, name: &str) -> bool {
        self.places_of(name).next().is_some()
    }

    /// True if the text may change a variable after this byte.
    pub(in crate::frontend::cxx) fn after(&self, name: &str, at: usize) -> bool {
        self.within(name, at.saturating_add(1), usize::MAX)
    }

    /// True if the text may change a variable between two bytes.
    pub(super) fn within(&self, name: &str, lo: usize, hi: usize) -> bool {
        self.in_text(name, lo, hi) || self.in_lambda(name)
    }

    /// True if a lambda changes a variable.
    pub(in crate::frontend::cxx) fn in_lambda(&self, name: &str) -> bool {
        self.has(name, ChangePlace::Anywhere)
    }

    /// True if the text between two bytes changes a variable.
    pub(in crate::frontend::cxx) fn in_text(&self, name: &str, lo: usize, hi: usize) -> bool {
        let through = ChangePlace::Through(lo)..ChangePlace::Through(hi);
        self.directly_between(name, lo, hi).next().is_some() || self.between(name, through).next().is_some()
    }

    /// The bytes at which the changes of a variable between two bytes start, except changes through an iterator.
    pub(super) fn directly_between(&self, name: &str, lo: usize, hi: usize) -> impl Iterator<Item = usize> {
        self.between(name, ChangePlace::At(lo)..ChangePlace::At(hi)).filter_map(|place| match place {
            ChangePlace::At(at) => Some(*at),
            ChangePlace::Anywhere | ChangePlace::Through(_) => None,
        })
    }

    /// True if control does not flow from a change at one byte to a use at a later byte within one round of the loops
    /// around them.
    pub(super) fn is_separate(&self, change: usize, using: usize) -> bool {
        self.flow.separates(change, using)
    }

    /// True if control does not flow from a change in a loop to the next round of the loop.
    pub(super) fn ends_loop(&self, change: usize, of: Loop) -> bool {
        self.flow.ends(change, of)
    }

    /// The loops around a byte.
    pub(super) fn loops(&self, at: usize) -> impl Iterator<Item = Loop> {
        self.flow.loops(at)
    }

    /// The start of the outermost loop or lambda around a byte; `None` outside of loops and lambdas.
    pub(super) fn repeated_since(&self, at: usize) -> Option<usize> {
        self.flow.repeated_since(at)
    }

    /// True if the call or assignment that starts at the byte `change` ends after the byte `using`.
    pub(super) fn has_inside(&self, change: usize, using: usize) -> bool {
        self.flow.has_effect_around(change, using)
    }

    /// The bytes at which the changes of a variable between two bytes start.
    pub(super) fn places_in(&self, name: &str, lo: usize, hi: usize) -> impl Iterator<Item = usize> {
        let through = self.between(name, ChangePlace::Through(lo)..ChangePlace::Through(hi));
        let through = through.filter_map(|place| match place {
            ChangePlace::Through(at) => Some(*at),
            ChangePlace::Anywhere | ChangePlace::At(_) => None,
        });
        self.directly_between(name, lo, hi).chain(through)
    }

    fn between(&self, name: &str, range: Range<ChangePlace>) -> impl Iterator<Item = &ChangePlace> {
        let places = self.places_of(name).filter({
            let is_empty = range.start >= range.end;
            move |_| !is_empty
        });
        places.flat_map(move |places| places.range(range.clone()))
    }

    /// True if each change of a variable between two bytes is made through one of these references to the variable.
    pub(super) fn only_by(&self, references: &[String], name: &str, lo: usize, hi: usize) -> bool {
        self.directly_between(name, lo, hi)
            .all(|at| references.iter().any(|reference| self.has(reference, ChangePlace::At(at))))
    }

    fn has(&self, name: &str, place: ChangePlace) -> bool {
        self.places_of(name).any(|places| places.contains(&place))
    }
}

/// The calls of lambdas, each with the lambda and the arguments: calls in place, and calls by the name of a variable.
fn calls_of_lambdas(ast: &Ast) -> Vec<(NodeId, NodeId, &[NodeId])> {
    let mut named: HashMap<&str, Vec<NodeId>> = HashMap::new();
    for node in ast.iter() {
        let (name, mut value) = match &node.kind {
            NodeKind::Declare { name, init: Initialiser::Value(value), .. } => (name, *value),
            NodeKind::Let(name, value, _) => (name, *value),
            _ => continue,
        };
        while let NodeKind::Let(_, _, rest) = ast[value].kind {
            value = rest;
        }
        if matches!(ast[value].kind, NodeKind::Lambda(..)) {
            named.entry(name).or_default().push(value);
        }
    }
    let mut calls = Vec::new();
    for (call, node) in ast.iter_enumerated() {
        let NodeKind::Call(callee, args) = &node.kind else { continue };
        match &ast[*callee].kind {
            NodeKind::Lambda(..) => calls.push((call, *callee, &args[..])),
            NodeKind::Name(name) => {
                let lambdas = named.get(name.path.as_str()).into_iter().flatten();
                calls.extend(lambdas.map(|&lambda| (call, lambda, &args[..])));
            }
            _ => {}
        }
    }
    calls
}

/// True for a parameter of a lambda through which the lambda may change its argument.
pub(in crate::frontend::cxx) fn may_change_argument(ty: &TypeName) -> bool {
    matches!(ty.passing, Passing::Reference | Passing::Pointer)
        || ty.is_forwarding
        || ty.path == "MutableArrayRef"
}

/// The expression `x` in `std::move(x)` and `std::forward<T>(x)`.
pub(in crate::frontend::cxx) fn forwarded(ast: &Ast, mut node: NodeId) -> NodeId {
    while let NodeKind::Call(callee, args) = &ast[node].kind
        && let (NodeKind::Name(name), &[of]) = (&ast[*callee].kind, &args[..])
        && matches!(name.path.as_str(), "move" | "forward")
    {
        node = of;
    }
    node
}

/// True if an expression may denote a variable or a part of a variable, and not a new value.
pub(in crate::frontend::cxx) fn may_denote_variable(
    ast: &Ast,
    functions: Option<&Functions>,
    node: NodeId,
) -> bool {
    let returns_reference = |name: &str| functions.is_some_and(|f| f.returns_reference(name));
    let callee = match &ast[node].kind {
        NodeKind::Call(callee, _) => Some(&ast[*callee].kind),
        _ => None,
    };
    with_room(|| match (&ast[node].kind, callee) {
        (NodeKind::Name(_) | NodeKind::Placeholder(..), _) => true,
        (_, Some(NodeKind::Member { object, name, .. })) => {
            let is_part = matches!(name.as_str(), "at" | "front" | "back" | "value" | "get");
            (is_part || returns_reference(name)) && may_denote_variable(ast, functions, *object)
        }
        (_, Some(NodeKind::Name(name))) if returns_reference(&name.path) => true,
        _ => denoted(ast, functions, node).iter().any(|&part| may_denote_variable(ast, functions, part)),
    })
}

/// The operands that an expression may denote, completely or in part: `a` in `a[i]`, `*a`, `a.x`, `++a` and `a = b`,
/// and `v` in `*find(v, x)`.
fn denoted(ast: &Ast, functions: Option<&Functions>, node: NodeId) -> Vec<NodeId> {
    match &ast[node].kind {
        NodeKind::Index(of, _)
        | NodeKind::AddressOf(of)
        | NodeKind::Comma(_, of)
        | NodeKind::Assign(of, _)
        | NodeKind::Compound(_, of, _)
        | NodeKind::Increment(of, _, false) => vec![*of],
        NodeKind::Deref(of) | NodeKind::Member { object: of, .. } => pointed(ast, *of),
        NodeKind::Select(_, a, b) => vec![*a, *b],
        NodeKind::Cast(ty, of) if ty.passing != Passing::Value => vec![*of],
        NodeKind::Construct(ty, args) if refers_to_elements(&ty.path) => args.clone(),
        NodeKind::Braces(items) if items.len() == 1 => items.clone(),
        NodeKind::Call(callee, args) => match &ast[*callee].kind {
            NodeKind::Member { .. } => vec![*callee],
            NodeKind::Name(name) => {
                let passes =
                    matches!(name.path.as_str(), "get" | "max" | "min" | "move" | "forward" | "clamp")
                        || refers_to_elements(&name.path)
                        || functions.is_some_and(|functions| functions.returns_reference(&name.path));
                let lambdas = lambdas_with_reference(ast, &name.path, ast[node].lo);
                let bodies: Vec<NodeId> =
                    lambdas.into_iter().flat_map(|lambda| names_in(ast, lambda)).collect();
                if passes || !bodies.is_empty() { [args.as_slice(), &bodies].concat() } else { Vec::new() }
            }
            NodeKind::Lambda(_, Some(result), ..) if result.passing != Passing::Value => {
                let mut all = args.clone();
                all.extend(names_in(ast, *callee));
                all
            }
            _ => Vec::new(),
        },
        _ => Vec::new(),
    }
}

/// The expressions of which `*of` may denote a part: `v` for the iterator `v.begin()`, also if the iterator is in a
/// variable.
fn pointed(ast: &Ast, of: NodeId) -> Vec<NodeId> {
    let ranges: Vec<NodeId> = match &ast[of].kind {
        NodeKind::Name(name) => {
            let iterators = ast.iter().filter_map(|node| match &node.kind {
                NodeKind::Declare { name: declared, init, .. } if *declared == name.path => {
                    iterated(ast, init.first()?)
                }
                _ => None,
            });
            std::iter::once(of).chain(iterators).collect()
        }
        _ => vec![iterated(ast, of).unwrap_or(of)],
    };
    let elements = |range: NodeId| match &ast[range].kind {
        NodeKind::Call(callee, args) if matches!(&ast[*callee].kind, NodeKind::Name(name) if VIEWS.contains(&name.path.as_str())) => {
            args.clone()
        }
        _ => vec![range],
    };
    ranges.into_iter().flat_map(elements).collect()
}

/// True for a class whose values refer to the elements of a range or to the text of a string, and whose `operator[]`
/// returns a reference.
fn refers_to_elements(class: &str) -> bool {
    is_array_ref(class) || is_string_ref(class)
}

/// True for a class whose values refer to the elements of an array.
pub(super) fn is_array_ref(class: &str) -> bool {
    matches!(class, "ArrayRef" | "MutableArrayRef")
}

/// True for a class whose values refer to the text of a string.
pub(super) fn is_string_ref(class: &str) -> bool {
    matches!(class, "StringRef" | "string_view")
}

/// The lambdas that return references and are the values of variables with this name, declared before a byte. Such a
/// variable can be a copy of another one.
fn lambdas_with_reference(ast: &Ast, name: &str, before: usize) -> Vec<NodeId> {
    let values = |name: &str| -> Vec<NodeId> {
        let declared = ast.iter().filter(|node| node.lo < before).filter_map(|node| match &node.kind {
            NodeKind::Declare { name: declared, init, .. } if declared == name => init.first(),
            _ => None,
        });
        declared.collect()
    };
    let mut found = values(name);
    for value in found.clone() {
        if let NodeKind::Name(copied) = &ast[value].kind {
            found.extend(values(&copied.path));
        }
    }
    found.retain(|&value| {
        matches!(&ast[value].kind, NodeKind::Lambda(_, Some(result), ..) if result.passing != Passing::Value)
    });
    found
}

/// The names in the text of an expression. A node comes after its parts, so the names are just before the node.
fn names_in(ast: &Ast, of: NodeId) -> Vec<NodeId> {
    let lo = ast[of].lo;
    let inside = (0..of.raw()).rev().map(NodeId::from_raw).take_while(|&id| lo <= ast[id].lo);
    inside.filter(|&id| matches!(ast[id].kind, NodeKind::Name(_))).collect()
}

/// The variable and the member in `p.x`, `p.x[i]` and `p.x.y`.
pub(super) fn member(ast: &Ast, mut node: NodeId) -> Option<(&str, &str)> {
    loop {
        node = match &ast[node].kind {
            NodeKind::Index(of, _) => *of,
            NodeKind::Member { object, name, .. } => match &ast[*object].kind {
                NodeKind::Name(object) if object.path != "this" => return Some((&object.path, name)),
                _ => *object,
            },
            _ => return None,
        };
    }
}

/// The ranges in `zip(…)`, `enumerate(…)` and similar calls.
pub(super) fn zipped(ast: &Ast, range: NodeId) -> Option<&[NodeId]> {
    let NodeKind::Call(callee, args) = &ast[range].kind else { return None };
    let names = ["zip", "zip_equal", "zip_first", "zip_longest", "enumerate"];
    let is_zip = matches!(&ast[*callee].kind, NodeKind::Name(name) if names.contains(&name.path.as_str()));
    is_zip.then_some(args)
}

/// The name of the iterator in `*name` or `name->field`.
fn pointer(ast: &Ast, node: NodeId) -> Option<&str> {
    let of = match &ast[node].kind {
        NodeKind::Deref(of) => *of,
        NodeKind::Member { object, .. } => *object,
        _ => return None,
    };
    match &ast[of].kind {
        NodeKind::Name(name) => Some(&name.path),
        _ => None,
    }
}

/// The range to whose elements an expression points: `range` in `range.begin()`, `find(range, x)` and
/// `range.begin() + 1`.
pub(super) fn iterated(ast: &Ast, node: NodeId) -> Option<NodeId> {
    if let NodeKind::Binary(BinaryOp::Add | BinaryOp::Sub, of, _) = &ast[node].kind {
        return with_room(|| iterated(ast, *of));
    }
    let NodeKind::Call(callee, args) = &ast[node].kind else { return None };
    match (&ast[*callee].kind, args.first()) {
        (NodeKind::Member { object, name, .. }, _)
            if matches!(name.as_str(), "begin" | "end" | "find" | "insert" | "erase") =>
        {
            Some(*object)
        }
        (NodeKind::Name(name), Some(&first))
            if matches!(
                name.path.as_str(),
                "find"
                    | "find_if"
                    | "find_if_not"
                    | "lower_bound"
                    | "upper_bound"
                    | "max_element"
                    | "min_element"
                    | "begin"
                    | "end"
                    | "next"
                    | "prev"
            ) =>
        {
            Some(iterated(ast, first).unwrap_or(first))
        }
        _ => None,
    }
}

/// The variables to which an expression may refer, completely or in part. A call of a member function without an object
/// refers to `this`.
pub(super) fn roots<'a>(ast: &'a Ast, functions: Option<&Functions>, node: NodeId) -> Vec<&'a str> {
    let (mut found, mut pending) = (Vec::new(), vec![node]);
    while let Some(node) = pending.pop() {
        if let NodeKind::Name(name) = &ast[node].kind {
            found.push(name.path.as_str());
        }
        if let NodeKind::Call(callee, _) = &ast[node].kind
            && let NodeKind::Name(name) = &ast[*callee].kind
        {
            let helpers = functions.filter(|functions| functions.returns_reference(&name.path));
            found.extend(helpers.and_then(|f| f.member_changes(&name.path)).map(|_| "this"));
        }
        pending.extend(denoted(ast, functions, node).into_iter().rev());
    }
    found
}

/// The functions of the library that return a view of an argument.
pub(super) const VIEWS: [&str; 15] = [
    "map_range",
    "make_filter_range",
    "reverse",
    "drop_begin",
    "drop_end",
    "zip",
    "zip_equal",
    "zip_first",
    "enumerate",
    "concat",
    "make_range",
    "ArrayRef",
    "MutableArrayRef",
    "make_first_range",
    "make_second_range",
];

/// True for a function of MLIR, LLVM or the standard library that may change an argument.
fn changes_arguments(name: &str) -> bool {
    matches!(
        name,
        "sort"
            | "stable_sort"
            | "reverse"
            | "fill"
            | "frexp"
            | "replace"
            | "iota"
            | "rotate"
            | "swap"
            | "exchange"
            | "tie"
            | "transform"
            | "copy"
            | "copy_if"
            | "append_range"
            | "erase_if"
            | "erase"
            | "back_inserter"
            | "getBroadcastedShape"
            | "OpTrait::util::getBroadcastedShape"
    )
}

/// True for the type of a stream that writes to a string.
pub(super) fn is_stream(ty: &TypeName) -> bool {
    ty.path == "raw_string_ostream"
}

/// The indices of the arguments to which a method assigns its results.
fn assigned_arguments(method: &str) -> Range<usize> {
    match method {
        "convertToInteger" | "split" => 0..1,
        // `a.sadd_ov(b, overflow)`
        _ if method.ends_with("_ov") => 1..2,
        _ => 0..0,
    }
}

/// True for a method that changes its object.
pub(super) fn is_change(method: &str) -> bool {
    update_of(method).is_some()
        || changes_tensor_type(method)
        || matches!(
            method,
            "assign"
                | "try_emplace"
                | "emplace"
                | "insert_or_assign"
                | "setBit"
                | "clearBit"
                | "setBits"
                | "setBitsFrom"
                | "setLowBits"
                | "setHighBits"
                | "clearLowBits"
                | "setSignBit"
                | "clearSignBit"
                | "flipBit"
                | "setIsSigned"
                | "setIsUnsigned"
                | "set"
                | "reset"
                | "convertToInteger"
                | "setAllBits"
                | "clearAllBits"
                | "flipAllBits"
                | "insertBits"
                | "lshrInPlace"
                | "ashrInPlace"
                | "negate"
                | "changeSign"
                | "convert"
                | "consume_front"
                | "consume_back"
        )
}

/// True for a method that changes a `RankedTensorType::Builder`.
pub(super) fn changes_tensor_type(method: &str) -> bool {
    matches!(method, "setElementType" | "setShape" | "setEncoding" | "dropDim" | "insertDim")
}

/// True for a set or map that does not keep the order of insertion.
pub(super) fn is_unordered(ty: &TypeName) -> bool {
    let keeps_order =
        matches!(ty.path.as_str(), "SetVector" | "SmallSetVector" | "MapVector" | "SmallMapVector");
    (is_set(&ty.path) || is_map(&ty.path)) && !keeps_order
}

/// True for a set.
pub(in crate::frontend::cxx) fn is_set(class: &str) -> bool {
    matches!(
        class,
        "SmallDenseSet"
            | "DenseSet"
            | "SmallSet"
            | "set"
            | "unordered_set"
            | "SetVector"
            | "SmallSetVector"
            | "SmallPtrSet"
            | "StringSet"
    )
}

/// True for a map.
pub(in crate::frontend::cxx) fn is_map(class: &str) -> bool {
    matches!(
        class,
        "DenseMap"
            | "SmallDenseMap"
            | "StringMap"
            | "MapVector"
            | "SmallMapVector"
            | "NamedAttrList"
            | "map"
            | "unordered_map"
    )
}

/// The change that a method of `SmallVector` makes.
pub(super) fn update_of(method: &str) -> Option<Update> {
    Some(match method {
        "push_back" | "emplace_back" => Update::Push,
        "append" | "append_range" => Update::Append,
        "pop_back" | "pop_back_val" => Update::Pop,
        "clear" => Update::Clear,
        "resize" | "truncate" => Update::Resize,
        "insert" => Update::Insert,
        "erase" => Update::Erase,
        _ => return None,
    })
}
