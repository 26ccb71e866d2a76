//! The flow of control between statements, as far as their positions in the text decide it.

use std::cmp::Reverse;

use hashbrown::HashMap;

use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind};
use crate::stack::with_room;

/// A part of a text that control leaves by a jump, or one of two branches. From this part, control does not flow to
/// some of the text after it.
#[derive(Clone, Copy, Debug)]
struct Escape {
    lo: usize,
    hi: usize,
    /// Control does not flow from the part to the text between `hi` and this byte, except in a later round of a loop.
    until: usize,
    /// True if control can flow from the part to the next round of the innermost loop.
    continues: bool,
}

impl Escape {
    /// True if control does not flow from one byte to a later byte within one round of the loops around them.
    fn separates(&self, from: usize, to: usize) -> bool {
        (self.lo..self.hi).contains(&from) && (self.hi..self.until).contains(&to)
    }

    /// True if control does not flow from a byte in a loop to the next round of the loop.
    fn ends(&self, from: usize, (lo, hi): (usize, usize)) -> bool {
        (self.lo..self.hi).contains(&from)
            && lo <= self.lo
            && self.hi <= hi
            && hi <= self.until
            && !self.continues
    }
}

/// Ranges of bytes that are nested or disjoint.
#[derive(Clone, Debug, Default)]
struct Nested {
    /// The ranges, sorted by their start. A range comes before the ranges in it.
    ranges: Vec<(usize, usize)>,
    /// The innermost range around each range.
    parents: Vec<Option<usize>>,
}

impl Nested {
    /// Sorts items by their ranges, and returns the ranges.
    fn of<T>(items: &mut [T], range: impl Fn(&T) -> (usize, usize)) -> Self {
        items.sort_by_key(|item| {
            let (lo, hi) = range(item);
            (lo, Reverse(hi))
        });
        let (mut nested, mut open) = (Self::default(), Vec::<usize>::new());
        for (index, item) in items.iter().enumerate() {
            let (lo, hi) = range(item);
            while open.pop_if(|last| nested.ranges[*last].1 <= lo).is_some() {}
            nested.parents.push(open.last().copied());
            nested.ranges.push((lo, hi));
            open.push(index);
        }
        nested
    }

    /// The indices of the ranges that contain a byte, the innermost first.
    fn around(&self, at: usize) -> impl Iterator<Item = usize> {
        let last = self.ranges.partition_point(|&(lo, _)| lo <= at).checked_sub(1);
        std::iter::successors(last, |&index| self.parents[index])
            .filter(move |&index| at < self.ranges[index].1)
    }

    /// The end of the innermost range around a byte.
    fn end(&self, at: usize) -> usize {
        self.around(at).next().map_or(usize::MAX, |index| self.ranges[index].1)
    }
}

/// A loop in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Loop {
    pub(super) lo: usize,
    pub(super) hi: usize,
    /// The start of the body.
    pub(super) body: usize,
}

/// The loops and jumps of a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Flow {
    /// The parts that control leaves by a jump, and the branches that exclude another branch.
    escapes: Vec<Escape>,
    around_escapes: Nested,
    loops: Vec<Loop>,
    around_loops: Nested,
    around_lambdas: Nested,
    /// For each byte at which calls or assignments start, the end of the longest of them.
    effects: HashMap<usize, usize>,
}

impl Flow {
    pub(super) fn of(ast: &Ast) -> Self {
        let (mut loops, mut switches, mut lambdas) = (Vec::new(), Vec::new(), Vec::new());
        let mut effects: HashMap<usize, usize> = HashMap::new();
        for node in ast.iter() {
            let (lo, hi) = (node.lo, node.hi);
            match node.kind {
                NodeKind::Loop { body, .. } | NodeKind::ForEach { body, .. } | NodeKind::DoWhile(body, _) => {
                    loops.push(Loop { lo, hi, body: ast[body].lo });
                }
                NodeKind::Switch(..) => switches.push((lo, hi)),
                NodeKind::Lambda(..) => lambdas.push((lo, hi)),
                NodeKind::Call(..) | NodeKind::Assign(..) | NodeKind::Compound(..) => {
                    let end = effects.entry(lo).or_insert(hi);
                    *end = hi.max(*end);
                }
                _ => {}
            }
        }
        let around_loops = Nested::of(&mut loops, |of| (of.lo, of.hi));
        let around_switches = Nested::of(&mut switches, |&range| range);
        let around_lambdas = Nested::of(&mut lambdas, |&range| range);
        let mut escapes = Vec::new();
        let mut leave = |statements: &[NodeId]| {
            let (Some(&first), Some(&last)) = (statements.first(), statements.last()) else { return };
            if !statements.iter().any(|&statement| leaves(ast, statement)) {
                return;
            }
            let (lo, hi) = (ast[first].lo, ast[last].hi);
            let jumps = |jump: Jump| statements.iter().any(|&statement| jumps_out(ast, statement, jump));
            let (breaks, continues) = (jumps(Jump::Break), jumps(Jump::Continue));
            let mut until = around_lambdas.end(lo);
            if breaks {
                until = until.min(around_switches.end(lo));
            }
            if breaks || continues {
                until = until.min(around_loops.end(lo));
            }
            escapes.push(Escape { lo, hi, until, continues });
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
        escapes.extend(ast.iter().filter_map(|node| match node.kind {
            NodeKind::If { then: a, otherwise: Some(b), .. } | NodeKind::Select(_, a, b) => {
                let (lo, hi, until) = (ast[a].lo, ast[a].hi, ast[b].hi);
                Some(Escape { lo, hi, until, continues: true })
            }
            _ => None,
        }));
        let around_escapes = Nested::of(&mut escapes, |escape| (escape.lo, escape.hi));
        Self { escapes, around_escapes, loops, around_loops, around_lambdas, effects }
    }

    /// True if control does not flow from one byte to a later byte within one round of the loops around them.
    pub(super) fn separates(&self, from: usize, to: usize) -> bool {
        self.around_escapes.around(from).any(|index| self.escapes[index].separates(from, to))
    }

    /// True if control does not flow from a byte in a loop to the next round of the loop.
    pub(super) fn ends(&self, from: usize, of: Loop) -> bool {
        self.around_escapes.around(from).any(|index| self.escapes[index].ends(from, (of.lo, of.hi)))
    }

    /// The loops around a byte.
    pub(super) fn loops(&self, at: usize) -> impl Iterator<Item = Loop> {
        self.around_loops.around(at).map(|index| self.loops[index])
    }

    /// The start of the outermost loop or lambda around a byte; `None` outside of loops and lambdas.
    pub(super) fn repeated_since(&self, at: usize) -> Option<usize> {
        let lambda = self.around_lambdas.around(at).last().map(|index| self.around_lambdas.ranges[index].0);
        self.loops(at).last().map(|of| of.lo).into_iter().chain(lambda).min()
    }

    /// True for a byte in a lambda.
    pub(super) fn is_in_lambda(&self, at: usize) -> bool {
        self.around_lambdas.around(at).next().is_some()
    }

    /// True if a call or an assignment starts at the byte `start` and ends after the byte `at`.
    pub(super) fn has_effect_around(&self, start: usize, at: usize) -> bool {
        self.effects.get(&start).is_some_and(|&end| at < end)
    }
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

/// True for a call of a function that does not return.
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

/// True if a statement contains a jump of this kind that leaves the statement.
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
