//! The variables that a text changes.

use hashbrown::HashSet;

use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind};
use crate::snippet::Update;

/// The names that a text assigns to or changes.
pub(in crate::frontend::cxx) fn changed_names(ast: &Ast) -> HashSet<String> {
    let mut names = HashSet::new();
    for node in ast.iter() {
        let changed = match &node.kind {
            NodeKind::Assign(to, _) | NodeKind::Compound(_, to, _) | NodeKind::Increment(to, ..) => {
                root_name(ast, *to)
            }
            NodeKind::AddressOf(of) => root_name(ast, *of),
            NodeKind::Call(callee, _) => match &ast[*callee].kind {
                NodeKind::Member { object, name, .. } if update_of(name).is_some() => root_name(ast, *object),
                _ => None,
            },
            _ => None,
        };
        names.extend(changed.map(str::to_owned));
    }
    names
}

/// The variable that an expression refers to, as a whole or in part.
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
