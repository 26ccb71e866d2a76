//! The variables that a text changes, and the places of their last changes.

use hashbrown::{HashMap, HashSet};

use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind, Passing, TypeName};
use crate::snippet::Update;

/// The variables that a text changes.
#[derive(Clone, Debug, Default)]
pub(in crate::frontend::cxx) struct Changes {
    /// For each changed variable, the byte at which the last change starts. `None` if the variable changes in a lambda,
    /// which can be called anywhere, or through an iterator.
    last: HashMap<String, Option<usize>>,
    /// The iterators through which the text changes elements.
    through: HashSet<String>,
}

impl Changes {
    /// Finds the changes in a text. `is_helper` is true for the name of a function of the source files, which may
    /// change its arguments.
    pub(in crate::frontend::cxx) fn of(ast: &Ast, is_helper: &dyn Fn(&str) -> bool) -> Self {
        let mut changes = Changes::default();
        let lambdas: Vec<(usize, usize)> = ast
            .iter()
            .filter(|node| matches!(node.kind, NodeKind::Lambda(..)))
            .map(|node| (node.lo, node.hi))
            .collect();
        let place = |at: usize| {
            let inside = lambdas.iter().any(|&(lo, hi)| lo <= at && at < hi);
            (!inside).then_some(at)
        };
        for node in ast.iter() {
            let place = place(node.lo);
            match &node.kind {
                NodeKind::Assign(to, _) | NodeKind::Compound(_, to, _) | NodeKind::Increment(to, ..) => {
                    changes.add(root_name(ast, *to), place);
                    changes.through.extend(pointer(ast, *to).map(str::to_owned));
                }
                NodeKind::AddressOf(of) => changes.add(root_name(ast, *of), place),
                NodeKind::Call(callee, args) => match &ast[*callee].kind {
                    NodeKind::Member { object, name, .. } if is_change(name) => {
                        changes.add(root_name(ast, *object), place);
                        // `x.convertToInteger(result, …)` assigns the result.
                        let result = args.first().filter(|_| name == "convertToInteger");
                        changes.add(result.and_then(|&result| root_name(ast, result)), place);
                    }
                    NodeKind::Name(name) if changes_arguments(&name.path) || is_helper(&name.path) => {
                        args.iter().for_each(|&arg| changes.add(root_name(ast, arg), place));
                    }
                    _ => {}
                },
                _ => {}
            }
        }
        // A change through a reference changes its target, which can be a reference itself.
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
                    && changes.through.contains(name)
                    && let Some(range) = iterated(ast, of)
                {
                    changes.add(root_name(ast, range), None);
                }
                if ty.passing == Passing::Reference {
                    for name in names {
                        if let Some(&last) = changes.last.get(name.as_str()) {
                            changes.add(root_name(ast, of), last);
                        }
                    }
                }
            }
        }
        changes
    }

    fn add(&mut self, name: Option<&str>, place: Option<usize>) {
        let Some(name) = name else { return };
        let last = self.last.entry(name.to_owned()).or_insert(place);
        *last = match (*last, place) {
            (Some(a), Some(b)) => Some(a.max(b)),
            _ => None,
        };
    }

    /// True if the text changes an element through an iterator with this name.
    pub(super) fn is_assigned_through(&self, name: &str) -> bool {
        self.through.contains(name)
    }

    /// True if the text changes a variable.
    pub(in crate::frontend::cxx) fn contains(&self, name: &str) -> bool {
        self.last.contains_key(name)
    }

    /// True if the text may change a variable after this byte.
    pub(in crate::frontend::cxx) fn after(&self, name: &str, at: usize) -> bool {
        self.last.get(name).is_some_and(|last| last.is_none_or(|last| last > at))
    }
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

/// The range to whose elements an expression points: `range` in `range.begin()` and `find(range, x)`.
pub(super) fn iterated(ast: &Ast, node: NodeId) -> Option<NodeId> {
    let NodeKind::Call(callee, args) = &ast[node].kind else { return None };
    match (&ast[*callee].kind, args.first()) {
        (NodeKind::Member { object, name, .. }, _)
            if matches!(name.as_str(), "begin" | "end" | "find" | "insert" | "erase") =>
        {
            Some(*object)
        }
        (NodeKind::Name(name), Some(&first))
            if matches!(name.path.as_str(), "find" | "find_if" | "max_element" | "min_element" | "next") =>
        {
            Some(iterated(ast, first).unwrap_or(first))
        }
        _ => None,
    }
}

/// The variable to which an expression refers, completely or in part.
pub(super) fn root_name(ast: &Ast, mut node: NodeId) -> Option<&str> {
    loop {
        node = match &ast[node].kind {
            NodeKind::Name(name) => return Some(&name.path),
            NodeKind::Index(of, _) | NodeKind::Deref(of) | NodeKind::AddressOf(of) => *of,
            NodeKind::Member { object, .. } => *object,
            NodeKind::Call(callee, _) if matches!(ast[*callee].kind, NodeKind::Member { .. }) => *callee,
            _ => return None,
        };
    }
}

/// True for a function of the library that changes its arguments.
fn changes_arguments(name: &str) -> bool {
    matches!(
        name,
        "sort"
            | "stable_sort"
            | "reverse"
            | "fill"
            | "iota"
            | "swap"
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

/// True for a method that changes its object.
fn is_change(method: &str) -> bool {
    update_of(method).is_some()
        || changes_tensor_type(method)
        || matches!(
            method,
            "assign"
                | "try_emplace"
                | "emplace"
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
                | "convertFromAPInt"
                | "convertToInteger"
                | "setAllBits"
                | "clearAllBits"
                | "flipAllBits"
                | "insertBits"
                | "lshrInPlace"
                | "ashrInPlace"
                | "roundToIntegral"
                | "negate"
                | "changeSign"
                | "convert"
                | "add"
                | "subtract"
                | "multiply"
                | "divide"
                | "consume_front"
                | "consume_back"
        )
}

/// True for a method of `RankedTensorType::Builder`.
pub(super) fn changes_tensor_type(method: &str) -> bool {
    matches!(method, "setElementType" | "setShape" | "setEncoding" | "dropDim" | "insertDim")
}

/// True for a set or map that does not keep the order of insertion.
pub(super) fn is_unordered(ty: &TypeName) -> bool {
    let keeps_order = matches!(ty.path.as_str(), "SetVector" | "SmallSetVector" | "MapVector");
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
