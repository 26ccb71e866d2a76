//! The steps of a rewrite while they are built.

use hashbrown::HashMap;

use super::error;
use super::graph::{MatchGraph, whole_op};
use super::helper::Helper;
use super::infer::Uses;
use super::names::{Reference, generated_variables};
use super::plan::{Creation, Located, Location};
use super::resolve::results_member;
use super::session::{Reported, RuleContext, Try, small};
use super::symbols::{CallId, CreationId};
use super::value::{NamedArg, TypedSource};
use super::words::variables;
use crate::frontend::cxx::{ClassInCxx, Expected, Placeholder, Text};
use crate::frontend::ods::{OpId, ValueSpec};
use crate::host::Kind;
use crate::pdl::{Arg, Arity, Callee, Constant, LocalId, LocationSpec, RewritePart, Source, Step};
use crate::snippet::{SnippetId, Ty};
use crate::source::Span;

/// A C++ expression in the rewrite.
#[derive(Clone, Copy)]
pub(super) struct Expression<'t> {
    pub(super) text: &'t Text,
    pub(super) span: Span,
    pub(super) expected: Expected,
    /// The native that replaces an expression outside the snippet language; if empty, such expressions are errors.
    pub(super) native: &'t str,
}

/// The origin of an expression, which decides the kind of a result whose type is unknown.
pub(super) enum ExpressionOf {
    /// A native call with its location. The uses of the result decide the kind.
    Call(CallId, LocationSpec),
    /// An expression for a result type.
    ResultType,
    Other,
}

/// The rewrite part of a rule while it is built. The match graph is already complete. The methods that return values
/// add the steps that compute these values.
pub(super) struct Steps<'r, 'c, 's, 'a> {
    pub(super) rule: &'r mut RuleContext<'c, 's, 'a>,
    graph: &'r MatchGraph<'a>,
    uses: Uses<'a>,
    rewrite: RewritePart,
    created: HashMap<CreationId, LocalId>,
    called: HashMap<CallId, Vec<TypedSource>>,
}

impl<'r, 'c, 's, 'a> Steps<'r, 'c, 's, 'a> {
    pub(super) fn new(
        rule: &'r mut RuleContext<'c, 's, 'a>,
        graph: &'r MatchGraph<'a>,
        uses: Uses<'a>,
    ) -> Self {
        Steps {
            rule,
            graph,
            uses,
            rewrite: RewritePart::default(),
            created: HashMap::new(),
            called: HashMap::new(),
        }
    }

    pub(super) fn finish(self) -> RewritePart {
        self.rewrite
    }

    pub(super) fn root(&self) -> Source {
        Source::Matched(self.graph.root)
    }

    pub(super) fn push(&mut self, step: Step) {
        self.rewrite.steps.push(step);
    }

    pub(super) fn new_local(&mut self, kind: Kind) -> LocalId {
        self.rewrite.locals.push(kind)
    }

    pub(super) fn set_created(&mut self, creation: CreationId, local: LocalId) {
        self.created.insert(creation, local);
    }

    pub(super) fn set_called(&mut self, call: CallId, results: &[TypedSource]) {
        self.called.insert(call, results.to_vec());
    }

    /// A range of values.
    pub(super) fn range(&mut self, parts: Vec<Source>) -> TypedSource {
        let to = self.new_local(Kind::Values);
        self.push(Step::Range { parts, to });
        TypedSource::new(to, Kind::Values)
    }

    /// The value that a symbol refers to.
    pub(super) fn reference(&mut self, reference: &Reference, span: Span) -> Try<TypedSource> {
        match reference {
            Reference::Matched(value) => Ok(*value),
            Reference::List(nodes) => Ok(self.range(nodes.iter().copied().map(Source::Matched).collect())),
            Reference::Created { creation, op, group } => {
                // If a creation has no local, an error prevented its lowering.
                let local = *self.created.get(creation).ok_or(Reported)?;
                self.results(local, *op, *group, span)
            }
            Reference::Called { call, index } => {
                let results = self.called.get(call).ok_or(Reported)?;
                match (index, &results[..]) {
                    (Some(index), results) => results.get(*index).copied().ok_or(Reported),
                    (None, &[result]) => Ok(result),
                    (None, results) => {
                        let parts = results.iter().map(|result| result.source).collect();
                        Ok(self.range(parts))
                    }
                }
            }
        }
    }

    /// A result group of a new operation. `None` stands for all results, or for the operation itself if it has no
    /// results.
    pub(super) fn results(
        &mut self,
        local: LocalId,
        def: OpId,
        group: Option<usize>,
        span: Span,
    ) -> Try<TypedSource> {
        let op = &self.rule.defs.ops[def];
        if op.results.is_empty() {
            return Ok(whole_op(self.rule, local, def));
        }
        let source = Source::Local(local);
        let optional = group.is_some_and(|group| op.results[group].arity == Arity::Optional);
        let value = match group.map(|group| group_range(&op.results, group)) {
            None | Some(GroupRange::All) => {
                let to = self.new_local(Kind::Values);
                self.push(Step::Results { op: source, range: None, to });
                TypedSource::new(to, Kind::Values)
            }
            Some(GroupRange::One(index)) => {
                let to = self.new_local(Kind::Value);
                self.push(Step::Result { op: source, index, to });
                TypedSource::new(to, Kind::Value)
            }
            Some(GroupRange::Group(number)) => {
                let whole = whole_op(self.rule, local, def);
                let kind = match op.results[number].arity {
                    Arity::One => Kind::Value,
                    Arity::Optional | Arity::Variadic => Kind::Values,
                };
                let (member, ty) = results_member(&mut self.rule.session.rules.snippets, op, number, true);
                self.helper(Helper::Results { number, member, ty, kind }, vec![whole.named("$0")], span)?
            }
        };
        let class = if value.kind == Kind::Value { ClassInCxx::OpResult } else { value.class };
        Ok(TypedSource { optional, class, ..value })
    }

    /// An attribute constant of a storage class.
    pub(super) fn constant(&mut self, value: Constant, storage: &str) -> TypedSource {
        let to = self.new_local(Kind::Attr);
        self.push(Step::Attr { value, to });
        TypedSource { ty: self.rule.session.attr_ty(storage), ..TypedSource::new(to, Kind::Attr) }
    }

    /// The type of a value, or the types of a range. `kind` is the kind of the result.
    pub(super) fn type_of(&mut self, of: Source, kind: Kind) -> TypedSource {
        let to = self.new_local(kind);
        self.push(Step::TypeOf { of, to });
        TypedSource::new(to, kind)
    }

    /// The value of a helper expression.
    pub(super) fn helper(&mut self, helper: Helper, args: Vec<NamedArg>, span: Span) -> Try<TypedSource> {
        let expected = helper.expected();
        let snippet = match self.rule.session.helper(helper, span, &placeholders(&args)) {
            Ok(snippet) => snippet,
            Err(error) => return Err(self.rule.fail(error)),
        };
        let results = self.rule.session.results(snippet, expected);
        self.call(Callee::Snippet(snippet), args, results, span).first().copied().ok_or(Reported)
    }

    /// Moves regions of the root to a new operation.
    pub(super) fn take_regions(&mut self, new: LocalId, creation: &Creation<'_>) -> Try<()> {
        let Some(root) = self.graph.root_op else { return Err(Reported) };
        for (to, region) in (0u32..).zip(&creation.taken) {
            let args = vec![
                whole_op(self.rule, new, creation.op).named("$0"),
                whole_op(self.rule, self.graph.root, root).named("$1"),
            ];
            let helper = Helper::TakeRegion { to, from: region.index };
            let snippet = self.rule.session.helper(helper, region.span, &placeholders(&args));
            let snippet = snippet.map_err(|error| self.rule.fail(error))?;
            self.call(Callee::Snippet(snippet), args, Vec::new(), region.span);
        }
        Ok(())
    }

    /// The value of a compiled snippet.
    pub(super) fn snippet(
        &mut self,
        snippet: SnippetId,
        args: Vec<NamedArg>,
        kind: Kind,
        span: Span,
    ) -> TypedSource {
        let to = self.new_local(kind);
        let args: Vec<Arg<Source>> = args.into_iter().map(|arg| arg.arg).collect();
        self.push(Step::Call { callee: Callee::Snippet(snippet), args, to: vec![to], span });
        TypedSource::new(to, kind)
    }

    /// The only value of a C++ expression.
    pub(super) fn value(&mut self, expression: Expression<'_>, args: &[NamedArg]) -> Try<TypedSource> {
        self.evaluate(expression, args, ExpressionOf::Other)?.first().copied().ok_or(Reported)
    }

    /// The results of a C++ expression.
    pub(super) fn evaluate(
        &mut self,
        expression: Expression<'_>,
        args: &[NamedArg],
        of: ExpressionOf,
    ) -> Try<Vec<TypedSource>> {
        let Expression { text, span, expected, native } = expression;
        let mut args: Vec<NamedArg> = args.to_vec();
        let default = text.expressions().any(|text| variables(text).contains(&"odsLoc"));
        let stated = text.expressions().any(|text| text.contains("$_loc"));
        for (name, used) in [("$_loc", stated), ("odsLoc", default)] {
            if !used {
                continue;
            }
            let spec = match &of {
                ExpressionOf::Call(_, location) if name == "$_loc" => Some(location.clone()),
                _ => None,
            };
            let spec = spec.unwrap_or_else(|| self.default_location());
            let to = self.new_local(Kind::Location);
            self.push(Step::Location { spec, to });
            let value = TypedSource { ty: Ty::LOCATION, ..TypedSource::new(to, Kind::Location) };
            args.push(value.named(name));
        }
        for text in text.expressions() {
            for (name, value) in generated_variables(self.rule, self.graph, text) {
                if args.iter().all(|arg| arg.name != name) {
                    args.push(value.named(&name));
                }
            }
        }
        let params = placeholders(&args);
        let unknown = expected == Expected::Any && self.rule.session.has_unknown_result(text, &params);
        let kind = match of {
            ExpressionOf::Call(call, _) if unknown => {
                self.uses.kind(self.rule.defs, &self.rule.session.helpers, call)
            }
            ExpressionOf::ResultType if unknown => Some(Kind::Type),
            _ => None,
        };
        let expected = kind.map_or(expected, Expected::Kind);
        let (callee, results) = self.rule.session.rewrite_call(text, &params, expected, native)?;
        Ok(self.call(callee, args, results, span))
    }

    fn call(
        &mut self,
        callee: Callee,
        args: Vec<NamedArg>,
        results: Vec<(Kind, Ty)>,
        span: Span,
    ) -> Vec<TypedSource> {
        let results =
            results.into_iter().map(|(kind, ty)| (self.new_local(kind), kind, ty)).collect::<Vec<_>>();
        let to = results.iter().map(|&(local, ..)| local).collect();
        let args: Vec<Arg<Source>> = args.into_iter().map(|arg| arg.arg).collect();
        self.push(Step::Call { callee, args, to, span });
        let value = |(local, kind, ty): (LocalId, Kind, Ty)| TypedSource {
            ty,
            class: ClassInCxx::AnyValue,
            ..TypedSource::new(local, kind)
        };
        results.into_iter().map(value).collect()
    }

    fn default_location(&self) -> LocationSpec {
        let of = self.graph.located.iter().copied().map(Source::Matched).collect();
        LocationSpec::Fused { of, metadata: None }
    }

    pub(super) fn location(&mut self, location: &Location) -> Try<LocationSpec> {
        match location {
            Location::Default => Ok(self.default_location()),
            Location::Named(name) => Ok(LocationSpec::Named { name: *name, child: None }),
            Location::Fused { of, metadata } => {
                let of = of.iter().map(|located| self.located(located)).collect::<Try<Vec<Source>>>()?;
                Ok(LocationSpec::Fused { of, metadata: *metadata })
            }
        }
    }

    fn located(&mut self, located: &Located) -> Try<Source> {
        match located {
            Located::Node(node) => {
                self.rewrite.located.push(*node);
                Ok(Source::Matched(*node))
            }
            Located::Creation(creation) => {
                self.created.get(creation).map(|&local| local.into()).ok_or(Reported)
            }
            Located::Value(reference, span) => {
                let value = self.reference(reference, *span)?;
                match value.kind {
                    Kind::Value | Kind::Op => Ok(value.source),
                    kind => Err(self.rule.fail(error::expected_value(
                        "a location's source",
                        &kind.with_article(),
                        *span,
                    ))),
                }
            }
        }
    }
}

fn placeholders(args: &[NamedArg]) -> Vec<Placeholder> {
    args.iter().map(NamedArg::placeholder).collect()
}

/// The position of a result group.
enum GroupRange {
    /// All results of the operation.
    All,
    /// The result at a fixed index.
    One(u32),
    /// The group with this number, whose position depends on the sizes of groups.
    Group(usize),
}

fn group_range(results: &[ValueSpec<'_>], group: usize) -> GroupRange {
    if results.len() == 1 && results[0].arity != Arity::One {
        GroupRange::All
    } else if results[..=group].iter().all(|result| result.arity == Arity::One) {
        GroupRange::One(small(group))
    } else {
        GroupRange::Group(group)
    }
}
