//! Finds facts that follow from predicates, and pairs of facts that exclude each other.
//!
//! Specification: if a fact of one predicate excludes a fact of another predicate, no arguments satisfy both
//! predicates. The analysis is incomplete: it may miss an exclusion.
//!
//! Method: a fact states that the outcome of a comparison or Boolean expression is in a set, or that an integer is in a
//! range. The text of the expression identifies the expression and names its arguments, so predicates of different
//! rules can be compared. Expressions with a value that a rewrite can change, such as the number of uses, yield no
//! facts.

use super::data::{
    BinaryOp, Builtin, Expr, ExprId, Group, IntTy, Item, LocalId, Member, SnippetId, Snippets,
};

/// The statement that the outcome of an expression is in a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    subject: String,
    outcomes: Outcomes,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcomes {
    /// A set of outcomes of a comparison or of a Boolean expression, as bits.
    Set(u8),
    /// The least and the greatest integer.
    Range(i128, i128),
}

const LESS: u8 = 1;
const EQUAL: u8 = 2;
const GREATER: u8 = 4;
const UNORDERED: u8 = 8;
const COMPARISON: u8 = LESS | EQUAL | GREATER | UNORDERED;
const FALSE: u8 = 1;
const TRUE: u8 = 2;

/// The maximum number of expressions that are converted to text for one predicate.
const VISITS: usize = 500;
/// The maximum depth of expressions that the analysis visits.
const DEPTH_LIMIT: u32 = 64;

impl Fact {
    /// True if the facts concern the same expression and have no common outcome. In this case, no arguments satisfy
    /// both facts.
    pub(crate) fn excludes(&self, other: &Self) -> bool {
        let are_disjoint = match (&self.outcomes, &other.outcomes) {
            (Outcomes::Set(a), Outcomes::Set(b)) => a & b == 0,
            (Outcomes::Range(low, high), Outcomes::Range(other_low, other_high)) => {
                high < other_low || other_high < low
            }
            _ => false,
        };
        are_disjoint && self.subject == other.subject
    }
}

impl Snippets {
    /// Facts that hold if the predicate has the value `holds` for these arguments. `arguments` are names; equal names
    /// stand for equal arguments.
    pub(crate) fn facts(&self, snippet: SnippetId, arguments: &[String], holds: bool) -> Vec<Fact> {
        let snippet = &self.snippets[snippet];
        if snippet.rewrites || snippet.params.iter().any(|param| param.out) {
            return Vec::new();
        }
        let mut reader =
            Reader { snippets: self, arguments, locals: Vec::new(), visits: VISITS, facts: Vec::new() };
        reader.holds(snippet.root, holds, DEPTH_LIMIT);
        reader.facts
    }
}

struct Reader<'s> {
    snippets: &'s Snippets,
    arguments: &'s [String],
    locals: Vec<(LocalId, Option<String>)>,
    visits: usize,
    facts: Vec<Fact>,
}

impl Reader<'_> {
    /// Adds the facts that follow from the truth or falsehood of an expression.
    fn holds(&mut self, at: ExprId, holds: bool, depth: u32) {
        let Some(depth) = depth.checked_sub(1) else { return };
        match self.snippets.exprs[at] {
            Expr::Truth(inner, _) | Expr::Function(_, inner) => self.holds(inner, holds, depth),
            Expr::Not(inner) => self.holds(inner, !holds, depth),
            Expr::And(a, b) if holds => {
                self.holds(a, true, depth);
                self.holds(b, true, depth);
            }
            Expr::Or(a, b) if !holds => {
                self.holds(a, false, depth);
                self.holds(b, false, depth);
            }
            Expr::Let(local, value, rest) => {
                let value = self.text(value, depth);
                self.locals.push((local, value));
                self.holds(rest, holds, depth);
                self.locals.pop();
            }
            Expr::Binary(op, item, a, b) if op.compares() => {
                let (Some(a_text), Some(b_text)) = (self.text(a, depth), self.text(b, depth)) else { return };
                if let Item::Int(ty) = item {
                    let subject = |text: &str| format!("number {item:?} {text}");
                    if let Some(bound) = self.literal(b) {
                        self.range(subject(&a_text), op, ty.wrap(bound), holds);
                    } else if let Some(bound) = self.literal(a) {
                        self.range(subject(&b_text), op.mirrored(), ty.wrap(bound), holds);
                    }
                }
                self.comparison(op, item, (a_text, b_text), holds);
            }
            Expr::Builtin(builtin, arguments) => {
                if let Some((op, ty)) = comparison_of_apint(builtin)
                    && let &[x, bound] = self.snippets.list(arguments)
                    && let Some(bound) = self.literal(bound)
                    && let Some(text) = self.text(x, depth)
                {
                    self.range(format!("APInt {} {text}", ty.signed), op, ty.wrap(bound), holds);
                }
                self.truth(at, holds, depth);
            }
            _ => self.truth(at, holds, depth),
        }
    }

    /// Adds the fact that a Boolean expression is true or false.
    fn truth(&mut self, at: ExprId, holds: bool, depth: u32) {
        if let Some(subject) = self.text(at, depth) {
            self.facts.push(Fact { subject, outcomes: Outcomes::Set(if holds { TRUE } else { FALSE }) });
        }
    }

    /// The value of an integer literal, which may be negated or converted.
    fn literal(&self, at: ExprId) -> Option<i128> {
        match self.snippets.exprs[at] {
            Expr::Int(value) => Some(value),
            Expr::Neg(inner, Item::Int(ty)) => match self.snippets.exprs[inner] {
                Expr::Int(value) => Some(ty.wrap(-ty.wrap(value))),
                _ => None,
            },
            Expr::Convert(inner, Item::Int(ty)) => match self.snippets.exprs[inner] {
                Expr::Int(value) => Some(ty.wrap(value)),
                _ => None,
            },
            _ => None,
        }
    }

    /// Adds the fact that follows from the truth or falsehood of a comparison of an integer with a bound.
    fn range(&mut self, subject: String, op: BinaryOp, bound: i128, holds: bool) {
        let less = (i128::MIN, bound.saturating_sub(1));
        let greater = (bound.saturating_add(1), i128::MAX);
        let (low, high) = match (op, holds) {
            (BinaryOp::Lt, true) | (BinaryOp::Ge, false) => less,
            (BinaryOp::Gt, true) | (BinaryOp::Le, false) => greater,
            (BinaryOp::Le, true) | (BinaryOp::Gt, false) => (i128::MIN, bound),
            (BinaryOp::Ge, true) | (BinaryOp::Lt, false) => (bound, i128::MAX),
            (BinaryOp::Eq, true) | (BinaryOp::Ne, false) => (bound, bound),
            _ => return,
        };
        self.facts.push(Fact { subject, outcomes: Outcomes::Range(low, high) });
    }

    fn comparison(&mut self, op: BinaryOp, item: Item, (a, b): (String, String), holds: bool) {
        let mut outcomes = match op {
            BinaryOp::Lt => LESS,
            BinaryOp::Le => LESS | EQUAL,
            BinaryOp::Gt => GREATER,
            BinaryOp::Ge => GREATER | EQUAL,
            BinaryOp::Ne => LESS | GREATER | UNORDERED,
            _ => EQUAL,
        };
        if !holds {
            outcomes ^= COMPARISON;
        }
        if !matches!(item, Item::Double | Item::Float | Item::ApFloat) {
            outcomes &= !UNORDERED;
        }
        let (mut left, mut right) = (&a, &b);
        if left > right {
            (left, right) = (right, left);
            let flipped = (outcomes & LESS) << 2 | (outcomes & GREATER) >> 2;
            outcomes = outcomes & (EQUAL | UNORDERED) | flipped;
        }
        let outcomes = Outcomes::Set(outcomes);
        self.facts.push(Fact { subject: format!("compare {item:?} {left} {right}"), outcomes });
    }

    /// A text that two expressions share only if they have the same value; `None` if a rewrite can change the value, if
    /// the expression is not analysed, or at a limit.
    fn text(&mut self, at: ExprId, depth: u32) -> Option<String> {
        let depth = depth.checked_sub(1)?;
        self.visits = self.visits.checked_sub(1)?;
        let list = |reader: &mut Self, all: &[ExprId]| -> Option<String> {
            let texts: Option<Vec<String>> = all.iter().map(|&one| reader.text(one, depth)).collect();
            Some(texts?.join(" "))
        };
        let expr = self.snippets.exprs[at];
        Some(match expr {
            Expr::Param(index) => self.arguments.get(index as usize)?.clone(),
            Expr::Local(local) => self.locals.iter().rev().find(|binding| binding.0 == local)?.1.clone()?,
            Expr::Null | Expr::Bool(_) | Expr::Int(_) | Expr::Double(_) => format!("{expr:?}"),
            Expr::Str(text) => format!("{:?}", self.snippets.str(text)),
            Expr::Function(_, inner) => self.text(inner, depth)?,
            Expr::Truth(inner, by) => format!("(truth {by:?} {})", self.text(inner, depth)?),
            Expr::Not(inner) => format!("(not {})", self.text(inner, depth)?),
            Expr::Deref(inner) => format!("(deref {})", self.text(inner, depth)?),
            Expr::Neg(inner, item) => format!("(neg {item:?} {})", self.text(inner, depth)?),
            Expr::BitNot(inner, item) => format!("(bitnot {item:?} {})", self.text(inner, depth)?),
            Expr::Convert(inner, item) => format!("(convert {item:?} {})", self.text(inner, depth)?),
            Expr::IsA(inner, class) => format!("(isa {class:?} {})", self.text(inner, depth)?),
            Expr::Cast(inner, class, mode) => {
                format!("(cast {class:?} {mode:?} {})", self.text(inner, depth)?)
            }
            Expr::Member(inner, member @ Member::Param(..)) => {
                format!("(param {member:?} {})", self.text(inner, depth)?)
            }
            Expr::And(a, b) => format!("(and {})", list(self, &[a, b])?),
            Expr::Or(a, b) => format!("(or {})", list(self, &[a, b])?),
            Expr::Select(a, b, c) => format!("(select {})", list(self, &[a, b, c])?),
            Expr::Binary(op, item, a, b) => format!("({} {item:?} {})", op.text(), list(self, &[a, b])?),
            Expr::Builtin(builtin, arguments) if is_stable(builtin) => {
                format!("({builtin:?} {})", list(self, self.snippets.list(arguments))?)
            }
            _ => return None,
        })
    }
}

/// The comparison that the built-in makes between an `APInt` and a machine integer, and the type to which the machine
/// integer is converted.
fn comparison_of_apint(builtin: Builtin) -> Option<(BinaryOp, IntTy)> {
    Some(match builtin {
        Builtin::ApUlt => (BinaryOp::Lt, IntTy::U64),
        Builtin::ApUle => (BinaryOp::Le, IntTy::U64),
        Builtin::ApUgt => (BinaryOp::Gt, IntTy::U64),
        Builtin::ApUge => (BinaryOp::Ge, IntTy::U64),
        Builtin::ApSlt => (BinaryOp::Lt, IntTy::I64),
        Builtin::ApSle => (BinaryOp::Le, IntTy::I64),
        Builtin::ApSgt => (BinaryOp::Gt, IntTy::I64),
        Builtin::ApSge => (BinaryOp::Ge, IntTy::I64),
        _ => return None,
    })
}

/// True if the built-in reads only types, attributes, numbers and enumerations, or the operation that defines a value.
/// A rewrite can add or remove uses of an existing value, but it cannot give the value another defining operation.
fn is_stable(builtin: Builtin) -> bool {
    match builtin.group() {
        Group::Types | Group::Attrs | Group::Affine | Group::Numbers | Group::Enums => true,
        Group::Ir => matches!(
            builtin,
            Builtin::TypeOf
                | Builtin::DefiningOp
                | Builtin::ResultNumber
                | Builtin::MatchPattern
                | Builtin::MatchConstant
                | Builtin::MatchZero
                | Builtin::MatchOne
                | Builtin::MatchNonZero
                | Builtin::MatchZeroFloat
                | Builtin::MatchPosZeroFloat
                | Builtin::MatchNegZeroFloat
                | Builtin::MatchOneFloat
                | Builtin::MatchNan
                | Builtin::MatchPosInfinity
                | Builtin::MatchNegInfinity
        ),
        _ => false,
    }
}
