//! A fast path for simple predicates.
//!
//! Specification: if the fast path decides a predicate, its result is the evaluator's. It leaves all other predicates
//! to the evaluator, including those that the evaluator might refuse.
//!
//! Most predicates of rules need only ids of the host and Booleans: "the operand is a constant", "the types are equal",
//! "the result is unused", "the native holds". The fast path allocates only for the attribute that it binds.

use smallvec::SmallVec;

use super::entity::is_scalar;
use super::linked::{Linked, adapt};
use crate::host::{Entity, Facets, Kind};
use crate::id::Id;
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, Expr, ExprId, ExprList, Form, IntTy, Item, NativeId, Snippet, SnippetId,
    Snippets, TruthBy, Ty,
};

/// The maximum number of expressions that the fast path visits. Longer predicates are rare, and a forged file may
/// contain cycles.
const EXPR_LIMIT: u32 = 32;

/// The value of an expression.
enum Simple<H: Facets> {
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
    /// The value of the single output.
    bound: Option<H::Attr>,
    called_native: bool,
    /// The number of expressions that may still be visited.
    left: u32,
}

/// The decision about a predicate.
pub(super) struct Decision<H: Facets> {
    /// The outputs of the predicate; `None` if it does not hold.
    pub(super) outputs: Option<Vec<Entity<H>>>,
    /// True if a native was called.
    pub(super) called_native: bool,
}

/// Decides a predicate. `None` leaves the predicate to the evaluator.
pub(super) fn holds<H: Facets>(
    linked: &Linked<H>,
    snippets: &Snippets,
    id: SnippetId,
    host: &H,
    args: &[Entity<H>],
) -> Option<Decision<H>> {
    let snippet = snippets.snippets.get(id)?;
    if snippet.inputs().count() != args.len() {
        return None;
    }
    // Reading an attribute as a number or a list can fail, even for a parameter that the predicate does not use.
    if snippet.inputs().zip(args).any(|(param, arg)| is_converted(arg, param.ty)) {
        return None;
    }
    let mut direct =
        Direct { snippets, linked, host, snippet, args, bound: None, called_native: false, left: EXPR_LIMIT };
    let holds = direct.truth(snippet.root)?;
    let outputs = match (snippet.params.len() - args.len(), direct.bound) {
        _ if !holds => None,
        (0, None) => Some(Vec::new()),
        (1, Some(attr)) => Some(vec![Entity::Attr(Some(attr))]),
        _ => return None,
    };
    Some(Decision { outputs, called_native: direct.called_native })
}

/// True if the evaluator converts an argument to the type of its parameter: an attribute to the scalar that it holds,
/// or to its elements.
fn is_converted<H: Facets>(arg: &Entity<H>, ty: Ty) -> bool {
    matches!(arg, Entity::Attr(Some(_))) && (is_scalar(ty) || ty.form == Form::Range)
}

impl<H: Facets> Simple<H> {
    fn is_true(&self) -> bool {
        !matches!(self, Simple::Null | Simple::Bool(false))
    }
}

impl<H: Facets> Direct<'_, H> {
    fn truth(&mut self, id: ExprId) -> Option<bool> {
        Some(self.simple(id)?.is_true())
    }

    fn value(&mut self, id: ExprId) -> Option<H::Value> {
        match self.simple(id)? {
            Simple::Value(value) => Some(value),
            _ => None,
        }
    }

    fn simple(&mut self, id: ExprId) -> Option<Simple<H>> {
        self.left = self.left.checked_sub(1)?;
        Some(match *self.snippets.exprs.get(id)? {
            Expr::And(a, b) => match self.truth(a)? {
                true => return self.simple(b),
                false => Simple::Bool(false),
            },
            Expr::Or(a, b) => match self.truth(a)? {
                true => Simple::Bool(true),
                false => return self.simple(b),
            },
            Expr::Not(e) => Simple::Bool(!self.truth(e)?),
            Expr::Truth(e, by) => {
                let value = self.simple(e)?;
                Simple::Bool(match by {
                    TruthBy::Presence => !matches!(value, Simple::Null),
                    TruthBy::Value => value.is_true(),
                })
            }
            Expr::Null => Simple::Null,
            Expr::Bool(b) => Simple::Bool(b),
            Expr::Param(index) => return self.param(index),
            Expr::Function(name, inner) if self.linked.override_of(name).is_none() => {
                return self.simple(inner);
            }
            Expr::Binary(op @ (BinaryOp::Eq | BinaryOp::Ne), Item::Unknown, a, b) => {
                let equal = match (self.simple(a)?, self.simple(b)?) {
                    (Simple::Null, Simple::Null) => true,
                    (Simple::Null, _) | (_, Simple::Null) => false,
                    (Simple::Op(a), Simple::Op(b)) => a == b,
                    (Simple::Value(a), Simple::Value(b)) => a == b,
                    (Simple::Type(a), Simple::Type(b)) => a == b,
                    (Simple::Attr(a), Simple::Attr(b)) => a == b,
                    _ => return None,
                };
                Simple::Bool(equal == (op == BinaryOp::Eq))
            }
            Expr::Builtin(builtin, list) => return self.builtin(builtin, self.snippets.list(list)),
            Expr::Native(native, args, outs) if outs.len == 0 => return self.native(native, args),
            _ => return None,
        })
    }

    /// Calls a native constraint.
    fn native(&mut self, id: NativeId, args: ExprList) -> Option<Simple<H>> {
        let kinds = &self.snippets.natives.get(id)?.params;
        let native = self.linked.native(id.index())?.simple_constraint()?;
        let mut entities: SmallVec<[Entity<H>; 4]> = SmallVec::new();
        for (index, &arg) in self.snippets.list(args).iter().enumerate() {
            entities.push(self.argument(arg, kinds.get(index).copied().flatten())?);
        }
        adapt(&native.signature, self.host, &mut entities);
        self.called_native = true;
        let Some(results) = (native.run)(self.host, &entities) else { return Some(Simple::Null) };
        Some(match *results {
            [] => Simple::Bool(true),
            [Entity::Bool(holds)] => Simple::Bool(holds),
            [Entity::Op(op)] => Simple::Op(op),
            [Entity::Value(value)] => value.map_or(Simple::Null, Simple::Value),
            [Entity::Type(ty)] => Simple::Type(ty),
            [Entity::Attr(attr)] => attr.map_or(Simple::Null, Simple::Attr),
            _ => return None,
        })
    }

    /// An argument of a native that takes this kind.
    fn argument(&mut self, id: ExprId, kind: Option<Kind>) -> Option<Entity<H>> {
        if let Some(number) = self.literal(id) {
            return Some(Entity::Int(i64::from(number)));
        }
        if let Expr::Str(text) = *self.snippets.exprs.get(id)? {
            return self.linked.shared_text(text).map(Entity::Str);
        }
        Some(match (self.simple(id)?, kind) {
            (Simple::Null, Some(Kind::Value)) => Entity::Value(None),
            (Simple::Null, Some(Kind::Attr) | None) => Entity::Attr(None),
            (Simple::Null, _) => return None,
            (Simple::Bool(b), _) => Entity::Bool(b),
            (Simple::Op(op), _) => Entity::Op(op),
            (Simple::Value(value), _) => Entity::Value(Some(value)),
            (Simple::Type(ty), _) => Entity::Type(ty),
            (Simple::Attr(attr), _) => Entity::Attr(Some(attr)),
        })
    }

    fn param(&self, index: u32) -> Option<Simple<H>> {
        let (param, before) = self.snippet.params.get(..=index as usize)?.split_last()?;
        let arg = self.args.get(before.iter().filter(|param| !param.out).count())?;
        Some(match *arg {
            _ if param.out => return None,
            Entity::Op(op) => Simple::Op(op),
            Entity::Value(value) => value.map_or(Simple::Null, Simple::Value),
            Entity::Type(ty) => Simple::Type(ty),
            Entity::Attr(None) => Simple::Null,
            Entity::Attr(Some(attr)) => Simple::Attr(attr),
            _ => return None,
        })
    }

    fn builtin(&mut self, builtin: Builtin, args: &[ExprId]) -> Option<Simple<H>> {
        use Builtin as B;
        Some(match (builtin, args) {
            (B::Success, []) => Simple::Bool(true),
            (B::SuccessIf | B::Succeeded, &[e]) => Simple::Bool(self.truth(e)?),
            (B::Failed, &[e]) => Simple::Bool(!self.truth(e)?),
            (B::TypeOf, &[e]) => Simple::Type(self.host.value_type(self.value(e)?)),
            (B::DefiningOp, &[e]) => {
                let value = self.value(e)?;
                self.host.defining_op(value).map_or(Simple::Null, Simple::Op)
            }
            (B::OpResultAt, &[e, at]) => {
                let Simple::Op(op) = self.simple(e)? else { return None };
                let at = self.literal(at).filter(|at| *at < self.host.result_count(op))?;
                Simple::Value(self.host.result(op, at))
            }
            (B::UseEmpty, &[e]) => Simple::Bool(self.is_unused(e)?),
            (B::IsEmpty, &[e]) => match *self.snippets.exprs.get(e)? {
                Expr::Builtin(B::Uses, list) => match *self.snippets.list(list) {
                    [e] => Simple::Bool(self.is_unused(e)?),
                    _ => return None,
                },
                _ => return None,
            },
            (B::HasOneUse, &[e]) => {
                let first = self.host.first_use(self.value(e)?);
                Simple::Bool(first.is_some_and(|used| self.host.next_use(used).is_none()))
            }
            (B::MatchPattern, &[e, matcher]) => return self.match_pattern(e, matcher),
            _ => return None,
        })
    }

    /// A literal, or its conversion to the 64-bit integer that a built-in takes.
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

    /// Evaluates `matchPattern`. An operation that is not a constant matches no matcher. `m_Constant` matches any
    /// constant and may bind it.
    fn match_pattern(&mut self, e: ExprId, matcher: ExprId) -> Option<Simple<H>> {
        let constant = match self.simple(e)? {
            Simple::Attr(attr) => Some(attr),
            Simple::Op(op) => self.linked.constant_of(self.host, op),
            Simple::Value(value) => {
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
        match (constant, output) {
            (None, _) if kind.is_constant_matcher() => Some(Simple::Bool(false)),
            (Some(_), None) if kind == Builtin::MatchConstant => Some(Simple::Bool(true)),
            (Some(constant), Some(output)) => {
                let param = self.snippet.params.get(output)?;
                if !param.out || param.ty.item != Item::Attr(AttrClass::Any) || self.bound.is_some() {
                    return None;
                }
                self.bound = Some(constant);
                Some(Simple::Bool(true))
            }
            _ => None,
        }
    }
}

#[cfg(all(test, feature = "frontend"))]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
    use crate::host::arg::{Type, Value};
    use crate::host::{Ir, Natives};
    use crate::ir::{Context, IrHost, parse_module};
    use crate::source::{SourceMap, Span};

    const MODULE: &str = "
        %c = arith.constant 3 : i32
        %a = arith.addi %c, %c : i32
        %b:2 = \"t.two\"(%a) : (i32) -> (i32, f32)
        %z = arith.constant 1.0 : f32";

    /// Evaluates a predicate over an operation, its first result, the type of that result and an output, for each
    /// operation of the module. An entry is `None` if the fast path leaves the predicate to the evaluator.
    fn decide(text: &str) -> Vec<Option<bool>> {
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
        let file = sources.add("module.mlir", MODULE).expect("the module is short");
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).expect("the module is well-formed");
        let mut host = IrHost::new(context, module);
        let is_i32 = |host: &IrHost, ty: Type<IrHost>| host.type_text(ty.0) == "i32";
        let natives = Natives::new()
            .constraint("isI32", is_i32)
            .constraint("isOneOf", |_: &IrHost, _: Value<IrHost>, _: Arc<str>, count: i64| count == 1);
        let linked = Linked::link(&snippets, &mut host, &natives);
        let ops: Vec<_> = host.module.preorder(host.module.top()).skip(1).collect();
        let decisions = ops.into_iter().map(|op| {
            let value = host.result(op, 0);
            let ty = host.value_type(value);
            let args = [Entity::Op(op), Entity::Value(Some(value)), Entity::Type(ty)];
            let decided = holds(&linked, &snippets, id, &host, &args);
            // A debug build compares the two inside this call as well.
            let evaluated = linked.holds(&snippets, id, &host, &args);
            let decided = decided.map(|decided| decided.outputs);
            assert!(decided.as_ref().is_none_or(|decided| evaluated.as_ref() == Ok(decided)), "{text}");
            decided.map(|outputs| outputs.is_some())
        });
        decisions.collect()
    }

    #[test]
    fn simple_predicates_take_the_fast_path() {
        let [yes, no] = [true, false].map(Some);
        let of_constants = "::mlir::matchPattern($op->getResult(0), ::mlir::m_Constant(&$out))";
        assert_eq!(decide(of_constants), [yes, no, no, yes]);
        assert_eq!(decide(&format!("::mlir::success({of_constants})")), [yes, no, no, yes]);
        assert_eq!(decide("matchPattern($value, m_Constant())"), [yes, no, no, yes]);
        assert_eq!(decide("$value.getUses().empty()"), [no, no, yes, yes]);
        assert_eq!(decide("$value.use_empty()"), [no, no, yes, yes]);
        assert_eq!(decide("$value.hasOneUse()"), [no, yes, no, no]);
        assert_eq!(decide("$value.getType() == $type"), [yes; 4]);
        assert_eq!(decide("$op->getResult(0).getType() != $type"), [no; 4]);
        assert_eq!(decide("$value.getDefiningOp() == $op && !$value.use_empty()"), [yes, yes, no, no]);
        assert_eq!(decide("$value == nullptr || $value.use_empty()"), [no, no, yes, yes]);
        assert_eq!(decide("isI32($value.getType())"), [yes, yes, yes, no]);
        assert_eq!(decide("!isI32($type) || $value.use_empty()"), [no, no, yes, yes]);
        assert_eq!(decide("isOneOf($value, \"text\", 1)"), [yes; 4]);
        assert_eq!(decide("isOneOf($value, \"text\", 2)"), [no; 4]);
    }

    #[test]
    fn predicates_that_may_be_refused_are_left_to_the_evaluator() {
        assert_eq!(decide("$op->getResult(1) == $value"), [None, None, Some(false), None]);
        assert_eq!(decide("matchPattern($value, m_Zero())"), [None, Some(false), Some(false), None]);
        assert_eq!(decide("$type.isInteger(32)"), [None; 4]);
        let deep = ["$value.use_empty()"; 40].join(" || ");
        assert_eq!(decide(&deep), [None, None, Some(true), Some(true)]);
    }
}
