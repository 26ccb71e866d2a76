//! Predicates in a compact form, to which linking compiles them.
//!
//! Specification: if the compact form decides a predicate, the evaluator gives the same result. The compact form leaves
//! all other predicates to the evaluator, including those that the evaluator might refuse.
//!
//! In: the expressions of a snippet, and the natives that are linked. Out: steps, in an order in which operands come
//! before the steps that use them. Most predicates of rules need only ids of the host, numbers and natives: "the
//! operand is a constant", "the types are equal", "the result is unused", "the native holds". A decision allocates only
//! for integers of more than 64 bits, and for natives that have more than four arguments, return a result, or allocate
//! memory.
//!
//! PERF: with MLIR's `arith` rules, a first match executes 333 instructions an operation instead of 458 (callgrind, the
//! difference between three rounds and one, `cargo bench --bench compare -- once-real tree arith FILE ROUNDS`).

use std::sync::Arc;

use smallvec::SmallVec;

use super::entity::is_scalar;
use super::linked::{Linked, adapt};
use super::number::{self, Number};
use super::predicate::{CompiledPredicate, NativeStep, Step, StepId};
use crate::host::{Entity, Facets, Kind};
use crate::id::{Id, IdVec};
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, Expr, ExprId, ExprList, Form, Group, IntTy, Item, NativeId, Snippet,
    SnippetId, Snippets, TruthBy,
};
use crate::snippet::library::{Receiver, Row, rows};

/// The maximum number of expressions of a predicate that are compiled. The others become [`Step::Unknown`].
const EXPR_LIMIT: u32 = 32;

/// A value of a step.
enum Value<H: Facets> {
    Null,
    Bool(bool),
    Number(Number),
    Str(Arc<str>),
    Op(H::Op),
    Value(H::Value),
    Type(H::Type),
    Attr(H::Attr),
}

/// The decision about a predicate.
pub(super) struct Decision {
    pub(super) holds: bool,
    /// True if a native was called.
    pub(super) called_native: bool,
}

struct Compiler<'a, H: Facets> {
    snippets: &'a Snippets,
    linked: &'a Linked<H>,
    snippet: &'a Snippet,
    steps: IdVec<StepId, Step<H>>,
    /// The number of expressions that may still be compiled.
    left: u32,
}

/// Compiles a predicate. Returns `None` if the root of the predicate has no step, or if the predicate has several
/// outputs.
pub(super) fn compile<H: Facets>(
    linked: &Linked<H>,
    snippets: &Snippets,
    id: SnippetId,
) -> Option<CompiledPredicate<H>> {
    let snippet = snippets.snippets.get(id)?;
    let binds = match snippet.params.iter().filter(|param| param.out).count() {
        0 => false,
        1 => true,
        _ => return None,
    };
    let mut compiler = Compiler { snippets, linked, snippet, steps: IdVec::default(), left: EXPR_LIMIT };
    let root = compiler.step(snippet.root);
    if matches!(compiler.steps[root], Step::Unknown) {
        return None;
    }
    let converted = snippet.inputs().map(|param| is_scalar(param.ty) || param.ty.form == Form::Range);
    Some(CompiledPredicate { steps: compiler.steps, root, converted: converted.collect(), binds })
}

impl<H: Facets> Compiler<'_, H> {
    /// Adds the steps of an expression. Returns the last one.
    fn step(&mut self, id: ExprId) -> StepId {
        let step = self.find_step(id).unwrap_or(Step::Unknown);
        self.steps.push(step)
    }

    /// Adds the steps of the operands of an expression, and returns the step of the expression. Returns `None` if the
    /// compact form has no such step.
    fn find_step(&mut self, id: ExprId) -> Option<Step<H>> {
        self.left = self.left.checked_sub(1)?;
        Some(match *self.snippets.exprs.get(id)? {
            Expr::Null => Step::Null,
            Expr::Bool(b) => Step::Bool(b),
            Expr::Int(i) => Step::Int(i),
            Expr::Str(text) => Step::Str(self.linked.shared_text(text)?),
            Expr::Param(index) => {
                let (param, before) = self.snippet.params.get(..=index as usize)?.split_last()?;
                if param.out {
                    return None;
                }
                Step::Input(before.iter().filter(|param| !param.out).count())
            }
            Expr::And(a, b) => Step::And(self.step(a), self.step(b)),
            Expr::Or(a, b) => Step::Or(self.step(a), self.step(b)),
            Expr::Not(e) => Step::Not(self.step(e)),
            Expr::Truth(e, TruthBy::Presence) => Step::Present(self.step(e)),
            Expr::Truth(e, TruthBy::Value) => Step::IsTrue(self.step(e)),
            Expr::Deref(e) => Step::Deref(self.step(e)),
            Expr::Convert(inner, Item::Int(IntTy::I64)) => match *self.snippets.exprs.get(inner)? {
                Expr::Int(i) if i64::try_from(i).is_ok() => Step::Int(i),
                _ => return None,
            },
            Expr::Function(name, inner) if self.linked.override_of(name).is_none() => {
                return self.find_step(inner);
            }
            Expr::Binary(op, Item::Unknown, a, b) => Step::Binary(op, self.step(a), self.step(b)),
            Expr::Builtin(builtin, list) => return self.builtin(builtin, list),
            Expr::Dynamic(name, list) => {
                // The step calls the method of `APInt` with this name. For a receiver of another class, the evaluator
                // decides.
                let (&receiver, args) = self.snippets.list(list).split_first()?;
                let fits = |row: &&Row| {
                    row.receiver == Receiver::One(Item::ApInt)
                        && args.len() <= row.args.len()
                        && args.len() + row.optional >= row.args.len()
                };
                let op = rows(self.snippets.str(name)).find(fits)?.op;
                if !matches!(op.group(), Group::Numbers | Group::Types) || args.len() > 2 {
                    return None;
                }
                let receiver = self.step(receiver);
                let mut args = args.iter().map(|&arg| self.step(arg));
                Step::Method(op, receiver, [args.next(), args.next()])
            }
            Expr::Native(native, args, outs) if outs.len == 0 => return self.native(native, args),
            _ => return None,
        })
    }

    /// Compiles a call of a native. Returns `None` unless the native is a single constraint with at most one result,
    /// which is not a range.
    fn native(&mut self, id: NativeId, args: ExprList) -> Option<Step<H>> {
        let kinds = &self.snippets.natives.get(id)?.params;
        let native = self.linked.native(id.index())?.simple_constraint()?.clone();
        let args = self.snippets.list(args).iter().enumerate();
        let args = args.map(|(index, &arg)| (self.step(arg), kinds.get(index).copied().flatten()));
        Some(Step::Native(NativeStep { args: args.collect(), native }))
    }

    fn builtin(&mut self, builtin: Builtin, list: ExprList) -> Option<Step<H>> {
        use Builtin as B;
        let snippets = self.snippets;
        Some(match (builtin, snippets.list(list)) {
            (B::Success, []) => Step::Bool(true),
            (B::SuccessIf, &[e]) => Step::IsTrue(self.step(e)),
            (B::Succeeded, &[e]) => Step::Succeeded(self.step(e)),
            (B::Failed, &[e]) => {
                let e = self.step(e);
                Step::Not(self.steps.push(Step::Succeeded(e)))
            }
            (B::TypeOf, &[e]) => Step::TypeOf(self.step(e)),
            (B::DefiningOp, &[e]) => Step::DefiningOp(self.step(e)),
            (B::OpResultAt, &[e, at]) => {
                let at = self.literal(at)?;
                Step::OpResult(self.step(e), at)
            }
            (B::UseEmpty, &[e]) => Step::UseEmpty(self.step(e)),
            (B::IsEmpty, &[e]) => match *snippets.exprs.get(e)? {
                Expr::Builtin(B::Uses, list) => match *snippets.list(list) {
                    [e] => Step::UseEmpty(self.step(e)),
                    _ => return None,
                },
                _ => return None,
            },
            (B::HasOneUse, &[e]) => Step::HasOneUse(self.step(e)),
            (B::MatchPattern, &[e, matcher]) => return self.match_pattern(e, matcher),
            _ => return None,
        })
    }

    /// Compiles `matchPattern`. `m_Constant` matches any constant and may bind it. For the other matchers, the compact
    /// form decides only one case: no match, because the operation is not a constant.
    fn match_pattern(&mut self, e: ExprId, matcher: ExprId) -> Option<Step<H>> {
        let snippets = self.snippets;
        let mut matcher = *snippets.exprs.get(matcher)?;
        if let Expr::Function(name, inner) = matcher
            && self.linked.override_of(name).is_none()
        {
            matcher = *snippets.exprs.get(inner)?;
        }
        let Expr::Builtin(kind, list) = matcher else { return None };
        let bind = match *snippets.list(list) {
            [] => false,
            [output] if kind == Builtin::MatchConstant => {
                let param = self.snippet.params.get(self.literal(output)? as usize)?;
                if !param.out || param.ty.item != Item::Attr(AttrClass::Any) {
                    return None;
                }
                true
            }
            _ => return None,
        };
        if !kind.is_constant_matcher() {
            return None;
        }
        let of = self.step(e);
        Some(match kind {
            Builtin::MatchConstant => Step::IsConstant { of, bind },
            _ => Step::IsSpecialConstant(of),
        })
    }

    /// The value of a literal, which may be converted to the 64-bit integer that a built-in takes.
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
}

impl<H: Facets> Value<H> {
    fn is_true(&self) -> bool {
        match self {
            Value::Null | Value::Bool(false) => false,
            Value::Number(number) => number.is_true(),
            _ => true,
        }
    }

    /// The value as a number; `None` if it is not a number.
    fn number(self) -> Option<Number> {
        match self {
            Value::Bool(b) => Some(Number::Bool(b)),
            Value::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The entity that a native takes for a parameter of a kind; `None` if the evaluator decides.
    fn into_entity(self, kind: Option<Kind>) -> Option<Entity<H>> {
        Some(match (self, kind) {
            (Value::Null, Some(Kind::Value)) => Entity::Value(None),
            (Value::Null, Some(Kind::Attr) | None) => Entity::Attr(None),
            (Value::Null, _) => return None,
            (Value::Bool(b) | Value::Number(Number::Bool(b)), _) => Entity::Bool(b),
            (Value::Number(Number::Int(i)), _) => Entity::Int(i64::try_from(i).ok()?),
            (Value::Number(Number::ApInt(x)), _) => Entity::ApInt(x),
            (Value::Number(Number::ApFloat(x)), _) => Entity::ApFloat(x),
            (Value::Number(Number::Double(_)), _) => return None,
            (Value::Str(text), _) => Entity::Str(text),
            (Value::Op(op), _) => Entity::Op(op),
            (Value::Value(value), _) => Entity::Value(Some(value)),
            (Value::Type(ty), _) => Entity::Type(ty),
            (Value::Attr(attr), _) => Entity::Attr(Some(attr)),
        })
    }

    /// The value of an entity; `None` for ranges and locations.
    fn of(entity: &Entity<H>) -> Option<Self> {
        Some(match entity {
            Entity::Op(op) => Value::Op(*op),
            Entity::Value(value) => value.map_or(Value::Null, Value::Value),
            Entity::Type(ty) => Value::Type(*ty),
            Entity::Attr(attr) => attr.map_or(Value::Null, Value::Attr),
            Entity::Bool(b) => Value::Bool(*b),
            Entity::Int(i) => Value::Number(Number::Int(i128::from(*i))),
            Entity::ApInt(x) => Value::Number(Number::ApInt(x.clone())),
            Entity::ApFloat(x) => Value::Number(Number::ApFloat(*x)),
            Entity::Str(text) => Value::Str(text.clone()),
            Entity::Values(_) | Entity::Types(_) | Entity::Attrs(_) | Entity::Location(_) => return None,
        })
    }
}

/// The evaluation of a predicate.
struct Evaluation<'a, H: Facets> {
    predicate: &'a CompiledPredicate<H>,
    linked: &'a Linked<H>,
    host: &'a H,
    args: &'a [Entity<H>],
    /// The value of the output.
    bound: Option<H::Attr>,
    called_native: bool,
}

impl<H: Facets> CompiledPredicate<H> {
    /// Decides the predicate, and appends its output to `outputs` if it holds. `None` leaves the predicate to the
    /// evaluator.
    pub(super) fn decide(
        &self,
        linked: &Linked<H>,
        host: &H,
        args: &[Entity<H>],
        outputs: &mut Vec<Entity<H>>,
    ) -> Option<Decision> {
        if args.len() != self.converted.len() {
            return None;
        }
        let is_converted =
            |(arg, converted): (&Entity<H>, &bool)| *converted && matches!(arg, Entity::Attr(Some(_)));
        if args.iter().zip(&self.converted).any(is_converted) {
            return None;
        }
        let mut evaluation =
            Evaluation { predicate: self, linked, host, args, bound: None, called_native: false };
        let holds = evaluation.truth(self.root)?;
        if holds {
            match (self.binds, evaluation.bound) {
                (false, None) => {}
                (true, Some(attr)) => outputs.push(Entity::Attr(Some(attr))),
                _ => return None,
            }
        }
        Some(Decision { holds, called_native: evaluation.called_native })
    }
}

impl<H: Facets> Evaluation<'_, H> {
    fn truth(&mut self, id: StepId) -> Option<bool> {
        Some(self.eval(id)?.is_true())
    }

    fn value(&mut self, id: StepId) -> Option<H::Value> {
        match self.eval(id)? {
            Value::Value(value) => Some(value),
            _ => None,
        }
    }

    fn eval(&mut self, id: StepId) -> Option<Value<H>> {
        let predicate = self.predicate;
        Some(match &predicate.steps[id] {
            Step::Null => Value::Null,
            Step::Bool(b) => Value::Bool(*b),
            Step::Int(i) => Value::Number(Number::Int(*i)),
            Step::Str(text) => Value::Str(text.clone()),
            &Step::Input(index) => return Value::of(self.args.get(index)?),
            &Step::And(a, b) => match self.truth(a)? {
                true => return self.eval(b),
                false => Value::Bool(false),
            },
            &Step::Or(a, b) => match self.truth(a)? {
                true => Value::Bool(true),
                false => return self.eval(b),
            },
            &Step::Not(e) => Value::Bool(!self.truth(e)?),
            &Step::Present(e) => Value::Bool(!matches!(self.eval(e)?, Value::Null)),
            &Step::IsTrue(e) => Value::Bool(self.truth(e)?),
            &Step::Succeeded(e) => Value::Bool(!matches!(self.eval(e)?, Value::Null | Value::Bool(false))),
            &Step::Deref(e) => match self.eval(e)? {
                Value::Null => return None,
                value => value,
            },
            &Step::Binary(op, a, b) => {
                let (a, b) = (self.eval(a)?, self.eval(b)?);
                return binary(op, a, b);
            }
            &Step::Method(op, receiver, args) => {
                let Value::Number(receiver @ Number::ApInt(_)) = self.eval(receiver)? else { return None };
                let mut numbers = [Some(receiver), None, None];
                for (number, arg) in numbers[1..].iter_mut().zip(args) {
                    if let Some(arg) = arg {
                        *number = Some(self.eval(arg)?.number()?);
                    }
                }
                return number::call(op, numbers).ok().map(Value::from);
            }
            &Step::TypeOf(e) => Value::Type(self.host.value_type(self.value(e)?)),
            &Step::DefiningOp(e) => {
                let value = self.value(e)?;
                self.host.defining_op(value).map_or(Value::Null, Value::Op)
            }
            &Step::OpResult(e, at) => {
                let Value::Op(op) = self.eval(e)? else { return None };
                if at >= self.host.result_count(op) {
                    return None;
                }
                Value::Value(self.host.result(op, at))
            }
            &Step::UseEmpty(e) => Value::Bool(self.host.first_use(self.value(e)?).is_none()),
            &Step::HasOneUse(e) => {
                let first = self.host.first_use(self.value(e)?);
                Value::Bool(first.is_some_and(|used| self.host.next_use(used).is_none()))
            }
            &Step::IsConstant { of, bind } => match self.constant(of)? {
                None => Value::Bool(false),
                Some(_) if bind && self.bound.is_some() => return None,
                constant => {
                    if bind {
                        self.bound = constant;
                    }
                    Value::Bool(true)
                }
            },
            &Step::IsSpecialConstant(of) => match self.constant(of)? {
                None => Value::Bool(false),
                Some(_) => return None,
            },
            Step::Native(step) => return self.native(step),
            Step::Unknown => return None,
        })
    }

    /// The attribute of a constant; `Some(None)` if the operand is not a constant.
    #[allow(clippy::option_option, reason = "the outer option leaves the predicate to the evaluator")]
    fn constant(&mut self, of: StepId) -> Option<Option<H::Attr>> {
        Some(match self.eval(of)? {
            Value::Attr(attr) => Some(attr),
            Value::Op(op) => self.linked.constant_of(self.host, op),
            Value::Value(value) => {
                self.host.defining_op(value).and_then(|op| self.linked.constant_of(self.host, op))
            }
            _ => return None,
        })
    }

    /// Calls a native constraint.
    fn native(&mut self, NativeStep { native, args }: &NativeStep<H>) -> Option<Value<H>> {
        let mut entities: SmallVec<[Entity<H>; 4]> = SmallVec::new();
        for &(arg, kind) in args {
            entities.push(self.eval(arg)?.into_entity(kind)?);
        }
        adapt(&native.signature, self.host, &mut entities);
        self.called_native = true;
        let Some(results) = (native.run)(self.host, &entities) else { return Some(Value::Null) };
        match &results[..] {
            [] => Some(Value::Bool(true)),
            [result] => Value::of(result),
            _ => None,
        }
    }
}

impl<H: Facets> From<Number> for Value<H> {
    fn from(number: Number) -> Self {
        match number {
            Number::Bool(b) => Value::Bool(b),
            number => Value::Number(number),
        }
    }
}

/// Applies a binary operator; `None` if the evaluator decides.
fn binary<H: Facets>(op: BinaryOp, a: Value<H>, b: Value<H>) -> Option<Value<H>> {
    let equal = match (&a, &b) {
        (Value::Null, Value::Null) => true,
        (Value::Null, _) | (_, Value::Null) => false,
        (Value::Op(a), Value::Op(b)) => a == b,
        (Value::Value(a), Value::Value(b)) => a == b,
        (Value::Type(a), Value::Type(b)) => a == b,
        (Value::Attr(a), Value::Attr(b)) => a == b,
        _ => return number::dynamic_binary(op, a.number()?, b.number()?).ok().map(Value::from),
    };
    match op {
        BinaryOp::Eq => Some(Value::Bool(equal)),
        BinaryOp::Ne => Some(Value::Bool(!equal)),
        _ => None,
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
    use crate::number::ApInt;
    use crate::snippet::data::Ty;
    use crate::source::{SourceMap, Span};

    const MODULE: &str = "
        %c = arith.constant 3 : i32
        %a = arith.addi %c, %c : i32
        %b:2 = \"t.two\"(%a) : (i32) -> (i32, f32)
        %z = arith.constant 1.0 : f32";

    /// Evaluates a predicate over an operation, its first result and the type of that result, for each operation of the
    /// module. The predicate has an output if the text contains `$out`. An entry is `None` if the compact form leaves
    /// the predicate to the evaluator.
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
            .constraint("widthOf", |host: &IrHost, ty: Type<IrHost>| {
                Some(if host.type_text(ty.0) == "i32" { 32_i64 } else { -1 })
            })
            .constraint("zeroOf", |_: &IrHost, _: Type<IrHost>| Some(0_i64))
            .constraint("onesOf", |_: &IrHost, width: i64| {
                u32::try_from(width).ok().map(|width| ApInt::from_i64(width, -1))
            })
            .constraint("isOneOf", |_: &IrHost, _: Value<IrHost>, _: Arc<str>, count: i64| count == 1);
        let linked = Linked::link(&snippets, &mut host, &natives);
        let ops: Vec<_> = host.module.preorder(host.module.top()).skip(1).collect();
        let decisions = ops.into_iter().map(|op| {
            let value = host.result(op, 0);
            let ty = host.value_type(value);
            let args = [Entity::Op(op), Entity::Value(Some(value)), Entity::Type(ty)];
            let mut outputs = Vec::new();
            let compiled = compile(&linked, &snippets, id);
            let decided = compiled.and_then(|compiled| compiled.decide(&linked, &host, &args, &mut outputs));
            // In a debug build, this call also compares the compact form with the evaluator, unless a native was
            // called.
            let evaluated = linked.holds(&snippets, id, &host, &args);
            let decided = decided.map(|decided| decided.holds.then_some(outputs));
            assert!(decided.as_ref().is_none_or(|decided| evaluated.as_ref() == Ok(decided)), "{text}");
            decided.map(|outputs| outputs.is_some())
        });
        decisions.collect()
    }

    #[test]
    fn simple_predicates_are_decided_in_compact_form() {
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
        assert_eq!(decide("widthOf($value.getType()) > 8"), [yes, yes, yes, no]);
        assert_eq!(decide("widthOf($value.getType()) - widthOf($type) == 0"), [yes; 4]);
        assert_eq!(decide("onesOf(widthOf($value.getType())).isAllOnes()"), [yes, yes, yes, None]);
        assert_eq!(decide("onesOf(32) == 4294967295"), [yes; 4]);
        // A success can hold 0.
        assert_eq!(decide("succeeded(zeroOf($type))"), [yes; 4]);
        assert_eq!(decide("failed(zeroOf($type))"), [no; 4]);
        assert_eq!(decide("succeeded(isI32($type))"), [yes, yes, yes, no]);
        assert_eq!(decide("failed(isI32($type))"), [no, no, no, yes]);
    }

    #[test]
    fn the_types_and_attributes_that_determine_an_answer_are_known() {
        let params = [("$a", Ty::VALUE), ("$b", Ty::VALUE), ("$type", Ty::TYPE), ("$attr", Ty::ATTR)];
        let params = params.map(|(name, ty)| Placeholder::new(name, ty));
        let natives = Natives::new()
            .constraint_of_arguments("isWide", |_: &IrHost, _: Value<IrHost>| true)
            .constraint("isUsed", |_: &IrHost, _: Value<IrHost>| true);
        let dependencies = |text: &str| {
            let mut snippets = Snippets::default();
            let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
            let id = cxx::compile(&mut snippets, &Text::new(text, Span::NONE), &request).expect(text);
            let mut context = Context::new();
            let mut sources = SourceMap::default();
            let file = sources.add("module.mlir", "").expect("the module is short");
            let module = parse_module(&mut context, sources.file(file)).expect("the module is well-formed");
            let linked = Linked::link(&snippets, &mut IrHost::new(context, module), &natives);
            linked.dependencies(&snippets, id)
        };
        use crate::snippet::Dependency::{Input, TypeOf};
        assert_eq!(dependencies("$a.getType() == $b.getType()"), Some(vec![TypeOf(0), TypeOf(1)]));
        assert_eq!(
            dependencies("isWide($b) && $a.getType() == $type"),
            Some(vec![TypeOf(1), TypeOf(0), Input(2)])
        );
        assert_eq!(dependencies("$a == $b || $attr == nullptr"), Some(vec![Input(0), Input(1), Input(3)]));
        assert_eq!(dependencies("isUsed($b)"), None);
        assert_eq!(dependencies("$a.use_empty()"), None);
        assert_eq!(dependencies("$a.getType() == $type && $type.isInteger(32)"), None);
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
