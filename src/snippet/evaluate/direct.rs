//! Predicates that are told without an evaluation.
//!
//! Whether an operand is a constant, types are equal, a result is unused: most of what rules ask needs only
//! the host's ids and truths. [`holds`] says for these what the evaluator would say, and nothing for all else,
//! among it whatever the evaluator would refuse. It allocates only the attribute that it binds.

use super::entity::is_scalar;
use super::linked::Linked;
use crate::host::{Entity, Facets};
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, Expr, ExprId, Form, IntTy, Item, Snippet, SnippetId, Snippets, TruthBy, Ty,
};

/// How many expressions are looked at: longer predicates are rare, and what was read from a file may be nested
/// in itself.
const LIMIT: u32 = 32;

/// What an expression gives.
enum Plain<H: Facets> {
    Null,
    Bool(bool),
    Op(H::Op),
    Value(H::Value),
    Type(H::Type),
    Attr(H::Attr),
}

struct Direct<'a, H: Facets> {
    snippets: &'a Snippets,
    linked: &'a Linked<H>,
    host: &'a H,
    snippet: &'a Snippet,
    args: &'a [Entity<H>],
    /// What the one output is bound to.
    bound: Option<H::Attr>,
    left: u32,
}

/// What a predicate binds if it holds; `None`: the evaluator is to be asked.
pub(super) fn holds<H: Facets>(
    linked: &Linked<H>,
    snippets: &Snippets,
    id: SnippetId,
    host: &H,
    args: &[Entity<H>],
) -> Option<Option<Vec<Entity<H>>>> {
    let snippet = snippets.snippets.get(id)?;
    if snippet.inputs().count() != args.len() {
        return None;
    }
    // Reading an attribute as a number or a list can fail, even for a parameter that the predicate does not use.
    if snippet.inputs().zip(args).any(|(param, arg)| is_converted(arg, param.ty)) {
        return None;
    }
    let mut direct = Direct { snippets, linked, host, snippet, args, bound: None, left: LIMIT };
    if !direct.truth(snippet.root)? {
        return Some(None);
    }
    match (snippet.params.len() - args.len(), direct.bound) {
        (0, None) => Some(Some(Vec::new())),
        (1, Some(attr)) => Some(Some(vec![Entity::Attr(Some(attr))])),
        _ => None,
    }
}

/// True if the evaluator converts an argument to the type of its parameter: an attribute to the scalar that it holds,
/// or to its elements.
fn is_converted<H: Facets>(arg: &Entity<H>, ty: Ty) -> bool {
    matches!(arg, Entity::Attr(Some(_))) && (is_scalar(ty) || ty.form == Form::Range)
}

impl<H: Facets> Plain<H> {
    fn is_true(&self) -> bool {
        !matches!(self, Plain::Null | Plain::Bool(false))
    }
}

impl<H: Facets> Direct<'_, H> {
    fn truth(&mut self, id: ExprId) -> Option<bool> {
        Some(self.plain(id)?.is_true())
    }

    fn value(&mut self, id: ExprId) -> Option<H::Value> {
        match self.plain(id)? {
            Plain::Value(value) => Some(value),
            _ => None,
        }
    }

    fn plain(&mut self, id: ExprId) -> Option<Plain<H>> {
        self.left = self.left.checked_sub(1)?;
        Some(match *self.snippets.exprs.get(id)? {
            Expr::And(a, b) => match self.truth(a)? {
                true => return self.plain(b),
                false => Plain::Bool(false),
            },
            Expr::Or(a, b) => match self.truth(a)? {
                true => Plain::Bool(true),
                false => return self.plain(b),
            },
            Expr::Not(e) => Plain::Bool(!self.truth(e)?),
            Expr::Truth(e, by) => {
                let value = self.plain(e)?;
                Plain::Bool(match by {
                    TruthBy::Presence => !matches!(value, Plain::Null),
                    TruthBy::Value => value.is_true(),
                })
            }
            Expr::Null => Plain::Null,
            Expr::Bool(b) => Plain::Bool(b),
            Expr::Param(index) => return self.param(index),
            Expr::Function(name, inner) if self.linked.override_of(name).is_none() => {
                return self.plain(inner);
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), Item::Unknown, a, b) => {
                let equal = match (self.plain(a)?, self.plain(b)?) {
                    (Plain::Null, Plain::Null) => true,
                    (Plain::Null, _) | (_, Plain::Null) => false,
                    (Plain::Op(a), Plain::Op(b)) => a == b,
                    (Plain::Value(a), Plain::Value(b)) => a == b,
                    (Plain::Type(a), Plain::Type(b)) => a == b,
                    (Plain::Attr(a), Plain::Attr(b)) => a == b,
                    _ => return None,
                };
                Plain::Bool(equal == (op == BinaryOp::Eq))
            }
            Expr::Builtin(builtin, list) => return self.builtin(builtin, self.snippets.list(list)),
            _ => return None,
        })
    }

    fn param(&self, index: u32) -> Option<Plain<H>> {
        let (param, before) = self.snippet.params.get(..=index as usize)?.split_last()?;
        let arg = self.args.get(before.iter().filter(|param| !param.out).count())?;
        Some(match *arg {
            _ if param.out => return None,
            Entity::Op(op) => Plain::Op(op),
            Entity::Value(value) => value.map_or(Plain::Null, Plain::Value),
            Entity::Type(ty) => Plain::Type(ty),
            Entity::Attr(None) => Plain::Null,
            Entity::Attr(Some(attr)) => Plain::Attr(attr),
            _ => return None,
        })
    }

    fn builtin(&mut self, builtin: Builtin, args: &[ExprId]) -> Option<Plain<H>> {
        use Builtin as B;
        Some(match (builtin, args) {
            (B::Success, []) => Plain::Bool(true),
            (B::SuccessIf | B::Succeeded, &[e]) => Plain::Bool(self.truth(e)?),
            (B::Failed, &[e]) => Plain::Bool(!self.truth(e)?),
            (B::TypeOf, &[e]) => Plain::Type(self.host.value_type(self.value(e)?)),
            (B::DefiningOp, &[e]) => {
                let value = self.value(e)?;
                self.host.defining_op(value).map_or(Plain::Null, Plain::Op)
            }
            (B::OpResultAt, &[e, at]) => {
                let Plain::Op(op) = self.plain(e)? else { return None };
                let at = self.literal(at).filter(|at| *at < self.host.result_count(op))?;
                Plain::Value(self.host.result(op, at))
            }
            (B::UseEmpty, &[e]) => Plain::Bool(self.is_unused(e)?),
            (B::IsEmpty, &[e]) => match *self.snippets.exprs.get(e)? {
                Expr::Builtin(B::Uses, list) => match *self.snippets.list(list) {
                    [e] => Plain::Bool(self.is_unused(e)?),
                    _ => return None,
                },
                _ => return None,
            },
            (B::HasOneUse, &[e]) => {
                let first = self.host.first_use(self.value(e)?);
                Plain::Bool(first.is_some_and(|used| self.host.next_use(used).is_none()))
            }
            (B::MatchPattern, &[e, matcher]) => return self.match_pattern(e, matcher),
            _ => return None,
        })
    }

    /// A number as it is written, or as the 64-bit integer that a built-in takes.
    fn literal(&self, id: ExprId) -> Option<u32> {
        match *self.snippets.exprs.get(id)? {
            Expr::Int(number) => u32::try_from(number).ok(),
            Expr::Convert(inner, Item::Int(IntTy::I64)) => match *self.snippets.exprs.get(inner)? {
                Expr::Int(number) => u32::try_from(number).ok(),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_unused(&mut self, e: ExprId) -> Option<bool> {
        Some(self.host.first_use(self.value(e)?).is_none())
    }

    /// What is no constant matches no matcher; any constant is matched by `m_Constant`, which may bind it.
    fn match_pattern(&mut self, e: ExprId, matcher: ExprId) -> Option<Plain<H>> {
        let constant = match self.plain(e)? {
            Plain::Attr(attr) => Some(attr),
            Plain::Op(op) => self.linked.constant_of(self.host, op),
            Plain::Value(value) => {
                self.host.defining_op(value).and_then(|op| self.linked.constant_of(self.host, op))
            }
            _ => return None,
        };
        let (kind, list) = match *self.snippets.exprs.get(matcher)? {
            Expr::Builtin(kind, list) => (kind, self.snippets.list(list)),
            Expr::Function(name, inner) if self.linked.override_of(name).is_none() => {
                match *self.snippets.exprs.get(inner)? {
                    Expr::Builtin(kind, list) => (kind, self.snippets.list(list)),
                    _ => return None,
                }
            }
            _ => return None,
        };
        let output = match *list {
            [] => None,
            [output] if kind == Builtin::MatchConstant => Some(self.literal(output)? as usize),
            _ => return None,
        };
        let is_matcher = matches!(
            kind,
            Builtin::MatchConstant
                | Builtin::MatchZero
                | Builtin::MatchOne
                | Builtin::MatchNonZero
                | Builtin::MatchZeroFloat
                | Builtin::MatchPosZeroFloat
                | Builtin::MatchNegZeroFloat
                | Builtin::MatchOneFloat
                | Builtin::MatchNan
        );
        match (constant, output) {
            (None, _) if is_matcher => Some(Plain::Bool(false)),
            (Some(_), None) if kind == Builtin::MatchConstant => Some(Plain::Bool(true)),
            (Some(constant), Some(output)) => {
                let param = self.snippet.params.get(output)?;
                if !param.out || param.ty.item != Item::Attr(AttrClass::Any) || self.bound.is_some() {
                    return None;
                }
                self.bound = Some(constant);
                Some(Plain::Bool(true))
            }
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "frontend"))]
mod tests {
    use super::*;
    use crate::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
    use crate::host::{Ir, Natives};
    use crate::ir::{Context, IrHost, parse_module};
    use crate::source::{SourceMap, Span};

    const MODULE: &str = "
        %c = arith.constant 3 : i32
        %a = arith.addi %c, %c : i32
        %b:2 = \"t.two\"(%a) : (i32) -> (i32, f32)
        %z = arith.constant 1.0 : f32";

    /// What a predicate binds, over an operation, its result 0, that one's type and an output: at each operation
    /// of the module from its first constant on.
    fn told(text: &str) -> Vec<Option<bool>> {
        let params = [("$op", Ty::OP), ("$value", Ty::VALUE), ("$type", Ty::TYPE)];
        let mut params = params.map(|(name, ty)| Placeholder::new(name, ty)).to_vec();
        if text.contains("$out") {
            params.push(Placeholder::output("$out", Ty::ATTR));
        }
        let mut snippets = Snippets::default();
        snippets.add_constant_op("arith.constant", "value");
        let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
        let id = cxx::compile(&mut snippets, &Text::new(text, Span::NONE), &request).ok();
        let id = id.unwrap_or_else(|| panic!("{text} does not compile"));
        let mut sources = SourceMap::default();
        let file = sources.add("module.mlir", MODULE).expect("it is short");
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).expect("it is good text");
        let mut host = IrHost::new(context, module);
        let linked = Linked::link(&snippets, &mut host, &Natives::new());
        let ops: Vec<_> = host.module.preorder(host.module.top()).skip(1).collect();
        let told = ops.into_iter().map(|op| {
            let value = host.result(op, 0);
            let ty = host.value_type(value);
            let args = [Entity::Op(op), Entity::Value(Some(value)), Entity::Type(ty)];
            let told = holds(&linked, &snippets, id, &host, &args);
            // In a debug build this also compares.
            let said = linked.holds(&snippets, id, &host, &args);
            assert!(told.as_ref().is_none_or(|told| said.as_ref() == Ok(told)), "{text}");
            told.map(|bound| bound.is_some())
        });
        told.collect()
    }

    #[test]
    fn what_most_rules_ask_is_told_directly() {
        let [yes, no] = [true, false].map(Some);
        let of_constants = "::mlir::matchPattern($op->getResult(0), ::mlir::m_Constant(&$out))";
        assert_eq!(told(of_constants), [yes, no, no, yes]);
        assert_eq!(told(&format!("::mlir::success({of_constants})")), [yes, no, no, yes]);
        assert_eq!(told("matchPattern($value, m_Constant())"), [yes, no, no, yes]);
        assert_eq!(told("$value.getUses().empty()"), [no, no, yes, yes]);
        assert_eq!(told("$value.use_empty()"), [no, no, yes, yes]);
        assert_eq!(told("$value.hasOneUse()"), [no, yes, no, no]);
        assert_eq!(told("$value.getType() == $type"), [yes; 4]);
        assert_eq!(told("$op->getResult(0).getType() != $type"), [no; 4]);
        assert_eq!(told("$value.getDefiningOp() == $op && !$value.use_empty()"), [yes, yes, no, no]);
        assert_eq!(told("$value == nullptr || $value.use_empty()"), [no, no, yes, yes]);
    }

    #[test]
    fn what_the_evaluator_may_refuse_is_left_to_it() {
        assert_eq!(told("$op->getResult(1) == $value"), [None, None, Some(false), None]);
        assert_eq!(told("matchPattern($value, m_Zero())"), [None, Some(false), Some(false), None]);
        assert_eq!(told("$type.isInteger(32)"), [None; 4]);
        let deep = ["$value.use_empty()"; 40].join(" || ");
        assert_eq!(told(&deep), [None, None, Some(true), Some(true)]);
    }
}
