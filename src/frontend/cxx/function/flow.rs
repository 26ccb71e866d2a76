//! The flow of control between statements, as far as their positions in the text decide it.

use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind};
use crate::stack::with_room;

/// A part of a text after which control does not reach some of the following text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Escape {
    lo: usize,
    hi: usize,
    /// Control does not flow from the part to the text between `hi` and this byte, except in a later round of a loop.
    until: usize,
    /// True if control can flow from the part to the next round of the innermost loop.
    continues: bool,
}

impl Escape {
    /// True if control does not flow from one byte to a later one in the same round of each loop.
    pub(super) fn separates(&self, from: usize, to: usize) -> bool {
        (self.lo..self.hi).contains(&from) && (self.hi..self.until).contains(&to)
    }

    /// True if control does not flow from a byte in a loop to the next round of the loop.
    pub(super) fn ends(&self, from: usize, (lo, hi): (usize, usize)) -> bool {
        (self.lo..self.hi).contains(&from)
            && lo <= self.lo
            && self.hi <= hi
            && hi <= self.until
            && !self.continues
    }
}

/// The parts of a text that control leaves by a jump, and the branches that exclude another branch.
pub(super) fn escapes(ast: &Ast) -> Vec<Escape> {
    let (mut loops, mut switches, mut lambdas) = (Vec::new(), Vec::new(), Vec::new());
    for node in ast.iter() {
        match &node.kind {
            NodeKind::Loop { .. } | NodeKind::ForEach { .. } | NodeKind::DoWhile(..) => {
                loops.push((node.lo, node.hi));
            }
            NodeKind::Switch(..) => switches.push((node.lo, node.hi)),
            NodeKind::Lambda(..) => lambdas.push((node.lo, node.hi)),
            _ => {}
        }
    }
    // The end of the innermost of these parts around a byte.
    let end = |parts: &[(usize, usize)], at: usize| {
        parts.iter().filter(|&&(lo, hi)| lo <= at && at < hi).map(|&(_, hi)| hi).min().unwrap_or(usize::MAX)
    };
    let mut found = Vec::new();
    let mut leave = |statements: &[NodeId]| {
        let (Some(&first), Some(&last)) = (statements.first(), statements.last()) else { return };
        if !statements.iter().any(|&statement| leaves(ast, statement)) {
            return;
        }
        let (lo, hi) = (ast[first].lo, ast[last].hi);
        let jumps = |jump: Jump| statements.iter().any(|&statement| jumps_out(ast, statement, jump));
        let (breaks, continues) = (jumps(Jump::Break), jumps(Jump::Continue));
        let mut until = end(&lambdas, lo);
        if breaks {
            until = until.min(end(&switches, lo));
        }
        if breaks || continues {
            until = until.min(end(&loops, lo));
        }
        found.push(Escape { lo, hi, until, continues });
    };
    for node in ast.iter() {
        match &node.kind {
            NodeKind::Block(statements) => leave(statements),
            NodeKind::Switch(_, groups) => groups.iter().for_each(|group| leave(&group.statements)),
            NodeKind::If { then, otherwise, .. } => {
                leave(&[*then]);
                otherwise.iter().for_each(|otherwise| leave(&[*otherwise]));
            }
            _ => {}
        }
    }
    found.extend(ast.iter().filter_map(|node| match node.kind {
        NodeKind::If { then: a, otherwise: Some(b), .. } | NodeKind::Select(_, a, b) => {
            let (lo, hi, until) = (ast[a].lo, ast[a].hi, ast[b].hi);
            Some(Escape { lo, hi, until, continues: true })
        }
        _ => None,
    }));
    found
}

/// True if control does not reach the end of a statement.
fn leaves(ast: &Ast, node: NodeId) -> bool {
    with_room(|| match &ast[node].kind {
        NodeKind::Return(_) | NodeKind::Break | NodeKind::Continue => true,
        NodeKind::Block(statements) => statements.iter().any(|&statement| leaves(ast, statement)),
        NodeKind::If { then, otherwise: Some(otherwise), .. } => {
            leaves(ast, *then) && leaves(ast, *otherwise)
        }
        _ => aborts(ast, node),
    })
}

/// True if a call does not return.
pub(super) fn aborts(ast: &Ast, node: NodeId) -> bool {
    let NodeKind::Call(callee, _) = &ast[node].kind else { return false };
    match &ast[*callee].kind {
        NodeKind::Name(name) => {
            matches!(name.path.as_str(), "llvm_unreachable" | "report_fatal_error" | "abort")
        }
        _ => false,
    }
}

/// A statement that ends a loop or its current round.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Jump {
    Break,
    Continue,
}

/// True if a statement contains a jump of this kind out of it.
pub(super) fn jumps_out(ast: &Ast, node: NodeId, jump: Jump) -> bool {
    let any = |statements: &[NodeId]| statements.iter().any(|&statement| jumps_out(ast, statement, jump));
    with_room(|| match &ast[node].kind {
        NodeKind::Break => jump == Jump::Break,
        NodeKind::Continue => jump == Jump::Continue,
        NodeKind::Block(statements) => any(statements),
        NodeKind::If { then, otherwise, .. } => any(&[*then]) || otherwise.is_some_and(|node| any(&[node])),
        NodeKind::Switch(_, groups) if jump == Jump::Continue => {
            groups.iter().any(|group| any(&group.statements))
        }
        _ => false,
    })
}
