//! The state of one rule while it is lowered, and what all of its parts need.

use hashbrown::{HashMap, HashSet};

use super::cpp::{Cpp, Expected};
use super::result::Given;
use super::symbols::{Symbol, Symbols, split_index};
use super::{dag, error};
use crate::frontend::ods::{Definitions, OpId, Sizes, ValueSpec};
use crate::frontend::tablegen::{Dag, Record, RecordId};
use crate::host::Kind;
use crate::intern::StrId;
use crate::pdl::{
    Arg, Arity, GroupSplit, LocalId, MatchPart, Node, NodeId, RewritePart, RuleSet, Source, Step, ValueSource,
};
use crate::snippet::Ty;
use crate::source::{Diagnostic, Diagnostics, Span};

/// Deepest nesting of a pattern.
pub(super) const DEPTH_LIMIT: usize = 200;

/// An error that has been added to the session's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reported;

pub(super) type Try<T> = Result<T, Reported>;

/// What the rules of one run share.
pub(super) struct Session<'s, 'a> {
    pub(super) defs: &'s Definitions<'a>,
    pub(super) rules: &'s mut RuleSet,
    pub(super) cpp: Cpp,
    pub(super) errors: Diagnostics,
    /// Operations whose errors have been reported.
    pub(super) broken: HashSet<RecordId>,
}

impl Session<'_, '_> {
    pub(super) fn fail(&mut self, error: Diagnostic) -> Reported {
        if !self.errors.at_limit() {
            self.errors.push(error);
        }
        Reported
    }
}

/// Something a rule can name: where it is, what it is to natives, what it is to snippets.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing {
    pub(super) source: Source,
    pub(super) kind: Kind,
    pub(super) ty: Ty,
    /// Whether it may be null; of a range, whether it is an optional result, and so one value at most.
    pub(super) optional: bool,
}

impl Thing {
    pub(super) fn new(source: Source, kind: Kind) -> Thing {
        Thing { source, kind, ty: Ty::of_kind(kind), optional: false }
    }
}

/// One rule being lowered.
pub(super) struct Rule<'r, 's, 'a> {
    pub(super) session: &'r mut Session<'s, 'a>,
    pub(super) defs: &'s Definitions<'a>,
    pub(super) name: &'r str,
    pub(super) span: Span,
    pub(super) matcher: MatchPart,
    pub(super) rewrite: RewritePart,
    pub(super) symbols: Symbols<'a>,
    pub(super) root: NodeId,
    pub(super) root_op: Option<OpId>,
    /// The operation whose arguments are being matched: `op` in their constraints.
    pub(super) owner: NodeId,
    /// Nodes of operations in the order in which the generated C++ collects them.
    pub(super) visited: Vec<NodeId>,
    /// The default location: of these.
    pub(super) located: Vec<Source>,
    /// Whether the source pattern had errors, so that missing symbols are no news.
    pub(super) source_failed: bool,
    /// Nodes of result groups that have been asked for; `None`: all results.
    result_nodes: HashMap<(NodeId, Option<usize>), NodeId>,
    /// How many natives the rule has that had to be given a name.
    pub(super) named_natives: usize,
}

impl<'r, 's, 'a> Rule<'r, 's, 'a> {
    pub(super) fn new(session: &'r mut Session<'s, 'a>, name: &'r str, span: Span) -> Self {
        let defs = session.defs;
        Rule {
            session,
            defs,
            name,
            span,
            matcher: MatchPart::default(),
            rewrite: RewritePart::default(),
            symbols: Symbols::default(),
            root: NodeId::from_raw(0),
            root_op: None,
            owner: NodeId::from_raw(0),
            visited: Vec::new(),
            located: Vec::new(),
            source_failed: false,
            result_nodes: HashMap::new(),
            named_natives: 0,
        }
    }

    pub(super) fn fail(&mut self, error: Diagnostic) -> Reported {
        self.session.fail(error)
    }

    pub(super) fn intern(&mut self, text: &str) -> StrId {
        self.session.rules.strings.intern(text)
    }

    /// A place of the rule, or the rule's own.
    pub(super) fn place(&self, span: Span) -> Span {
        if span.is_none() { self.span } else { span }
    }

    pub(super) fn node(&mut self, node: Node, span: Span) -> NodeId {
        let span = self.place(span);
        self.matcher.push(node, span)
    }

    pub(super) fn name_node(&mut self, node: NodeId, name: &str) {
        let name = self.intern(name);
        self.matcher.set_name(node, name);
    }

    pub(super) fn local(&mut self, kind: Kind) -> LocalId {
        self.rewrite.locals.push(kind)
    }

    pub(super) fn step(&mut self, step: Step) {
        self.rewrite.steps.push(step);
    }

    /// The operation of a record that stands where an operation belongs.
    pub(super) fn op_of(&mut self, record: Record<'a>, span: Span) -> Try<OpId> {
        if let Some(id) = self.defs.op_of(record.id()) {
            return Ok(id);
        }
        let span = self.place(span);
        let Some(errors) = self.defs.broken(record.id()) else {
            return Err(self.fail(error::not_an_op(record.name(), span)));
        };
        // Once is enough, however many rules use the operation.
        if self.session.broken.insert(record.id()) {
            for error in errors.iter() {
                self.session.fail(error::in_definition(error.clone(), span));
            }
        }
        Err(Reported)
    }

    /// Binds a symbol to what is there once only.
    pub(super) fn bind(&mut self, name: &'a str, symbol: Symbol, span: Span) -> Try<()> {
        let span = self.place(span);
        match self.symbols.bind(name, symbol, span) {
            Ok(()) => Ok(()),
            Err(first) => Err(self.fail(error::bound_twice(name, span, first))),
        }
    }

    /// The type node of a value node.
    pub(super) fn type_node(&mut self, value: NodeId) -> NodeId {
        if let Node::Value { ty: Some(ty), .. } = self.matcher[value] {
            return ty;
        }
        let span = self.matcher.span(value);
        let made = self.node(Node::Type { value: None }, span);
        if let Node::Value { ty, .. } = &mut self.matcher[value] {
            *ty = Some(made);
        }
        made
    }

    /// A result group of a matched operation as a node, and what it is; `None`: all results.
    pub(super) fn result_node(&mut self, op: NodeId, def: OpId, group: Option<usize>) -> (NodeId, Kind) {
        let results = &self.defs.ops[def].results;
        let fixed = group.filter(|&group| results[..=group].iter().all(|r| r.arity == Arity::One));
        let kind = if fixed.is_some() { Kind::Value } else { Kind::Values };
        if let Some(&node) = self.result_nodes.get(&(op, group)) {
            return (node, kind);
        }
        let span = self.matcher.span(op);
        let node = match fixed {
            Some(index) => {
                Node::Value { ty: None, source: Some(ValueSource::Result { op, index: small(index) }) }
            }
            None => {
                if group.is_some() {
                    self.divide_results(op, def);
                }
                Node::Values {
                    types: None,
                    source: Some(ValueSource::Results { op, group: group.map(small) }),
                }
            }
        };
        let node = self.node(node, span);
        self.result_nodes.insert((op, group), node);
        (node, kind)
    }

    /// States the result groups of a matched operation, so that they can be told apart.
    fn divide_results(&mut self, op: NodeId, def: OpId) {
        let Node::Operation(operation) = &self.matcher[op] else { return };
        if operation.results.is_some() {
            return;
        }
        let def = &self.defs.ops[def];
        let span = self.matcher.span(op);
        let groups = def.results.iter().map(|result| match result.arity {
            Arity::One => Node::Type { value: None },
            _ => Node::Types { values: None },
        });
        let groups: Vec<Node> = groups.collect();
        let nodes: Vec<NodeId> = groups.into_iter().map(|node| self.node(node, span)).collect();
        let split = self.split(def.result_sizes, "resultSegmentSizes");
        if let Node::Operation(operation) = &mut self.matcher[op] {
            operation.results = Some(nodes);
            operation.result_split = split;
        }
    }

    pub(super) fn split(&mut self, sizes: Sizes, attribute: &str) -> GroupSplit {
        match sizes {
            Sizes::Rest => GroupSplit::Rest,
            Sizes::Equal => GroupSplit::Equal,
            Sizes::Attribute => GroupSplit::Attribute(self.intern(attribute)),
        }
    }

    /// What a symbol stands for where it is mentioned: `$name` or `$name__N`.
    pub(super) fn symbol(&mut self, written: &str, span: Span) -> Try<Thing> {
        let span = self.place(span);
        let (name, index) = split_index(written);
        let Some((symbol, bound)) = self.symbols.find(name).cloned() else {
            if self.source_failed {
                return Err(Reported);
            }
            let similar = self.symbols.similar(name);
            return Err(self.fail(error::unbound(written, similar, span)));
        };
        let indexed = matches!(symbol, Symbol::Matched { .. } | Symbol::Built { .. } | Symbol::Native { .. });
        if index.is_some() && !indexed {
            return Err(self.fail(error::index_on_value(name, span)));
        }
        Ok(match symbol {
            Symbol::Operand { node, arity } => {
                let kind = if arity == Arity::Variadic { Kind::Values } else { Kind::Value };
                let optional = arity == Arity::Optional;
                Thing { optional, ..Thing::new(Source::Matched(node), kind) }
            }
            Symbol::List(nodes) => {
                let to = self.local(Kind::Values);
                let parts = nodes.into_iter().map(Source::Matched).collect();
                self.step(Step::Range { parts, to });
                Thing::new(Source::Local(to), Kind::Values)
            }
            Symbol::Attribute { node, ty, optional } => {
                Thing { source: Source::Matched(node), kind: Kind::Attr, ty, optional }
            }
            Symbol::Captured { node, ty, kind } => {
                Thing { source: Source::Matched(node), kind, ty, optional: false }
            }
            Symbol::Matched { node, op } => self.matched_results(name, node, op, index, span)?,
            Symbol::Built { op, local } => {
                let Some(local) = local else {
                    return Err(self.fail(error::used_before_built(name, span, bound)));
                };
                self.built_results(name, local, op, index, span)?
            }
            Symbol::Native { count, locals } => {
                if locals.is_empty() {
                    return Err(self.fail(error::used_before_built(name, span, bound)));
                }
                self.native_results(name, count, &locals, index, span)?
            }
        })
    }

    fn check_index(&mut self, name: &str, index: usize, count: usize, span: Span) -> Try<usize> {
        if index < count {
            Ok(index)
        } else {
            Err(self.fail(error::no_such_result(name, index, count, span)))
        }
    }

    fn matched_results(
        &mut self,
        name: &str,
        node: NodeId,
        op: OpId,
        index: Option<usize>,
        span: Span,
    ) -> Try<Thing> {
        let count = self.defs.ops[op].results.len();
        let group = match index {
            Some(index) => Some(self.check_index(name, index, count, span)?),
            None if count == 0 => return Ok(self.whole_op(Source::Matched(node), op)),
            None => (count == 1).then_some(0),
        };
        let (node, kind) = self.result_node(node, op, group);
        let optional = group.is_some_and(|group| self.defs.ops[op].results[group].arity == Arity::Optional);
        Ok(Thing { optional, ..Thing::new(Source::Matched(node), kind) })
    }

    /// An operation itself, with its class for snippets.
    pub(super) fn whole_op(&mut self, source: Source, op: OpId) -> Thing {
        let ty = self.session.op_ty(op);
        Thing { source, kind: Kind::Op, ty, optional: false }
    }

    /// The results of an operation that the rewrite has made.
    pub(super) fn built_results(
        &mut self,
        name: &str,
        local: LocalId,
        def: OpId,
        index: Option<usize>,
        span: Span,
    ) -> Try<Thing> {
        let defs = self.defs;
        let results = &defs.ops[def].results;
        let group = match index {
            Some(index) => Some(self.check_index(name, index, results.len(), span)?),
            None if results.is_empty() => return Ok(self.whole_op(Source::Local(local), def)),
            None => (results.len() == 1).then_some(0),
        };
        let op = Source::Local(local);
        let optional = group.is_some_and(|group| results[group].arity == Arity::Optional);
        let thing = match group.map(|group| group_range(results, group)) {
            None | Some(GroupRange::All) => {
                let to = self.local(Kind::Values);
                self.step(Step::Results { op, range: None, to });
                Thing::new(Source::Local(to), Kind::Values)
            }
            Some(GroupRange::One(index)) => {
                let to = self.local(Kind::Value);
                self.step(Step::Result { op, index, to });
                Thing::new(Source::Local(to), Kind::Value)
            }
            Some(GroupRange::Open(group)) => {
                let op = self.whole_op(op, def);
                let text = format!("$0.getODSResults({group})");
                let args = [Given { name: "$0".to_owned(), arg: Arg::Of(op.source), ty: op.ty }];
                let kind = match results[group].arity {
                    Arity::One => Kind::Value,
                    Arity::Optional | Arity::Variadic => Kind::Values,
                };
                let made = self.call(&text, span, &args, Expected::Kind(kind), "", None)?;
                made.first().copied().ok_or(Reported)?
            }
        };
        Ok(Thing { optional, ..thing })
    }

    fn native_results(
        &mut self,
        name: &str,
        count: usize,
        locals: &[(LocalId, Kind)],
        index: Option<usize>,
        span: Span,
    ) -> Try<Thing> {
        let one = |(local, kind): (LocalId, Kind)| Thing::new(Source::Local(local), kind);
        match index {
            Some(index) if count > 1 => {
                let index = self.check_index(name, index, locals.len(), span)?;
                Ok(one(locals[index]))
            }
            Some(_) => Err(self.fail(error::index_on_value(name, span))),
            None if locals.len() == 1 => Ok(one(locals[0])),
            None => {
                let to = self.local(Kind::Values);
                let parts = locals.iter().map(|&(local, _)| Source::Local(local)).collect();
                self.step(Step::Range { parts, to });
                Ok(Thing::new(Source::Local(to), Kind::Values))
            }
        }
    }

    /// What a C++ text names besides placeholders: variables of the generated C++, which are bound
    /// symbols, and `op0` and `castedOp0`, the matched operation. Real rules do so.
    pub(super) fn generated_variables(&mut self, text: &str) -> Vec<(String, Thing)> {
        let mut found: Vec<(String, Thing)> = Vec::new();
        for word in variables(text) {
            if found.iter().any(|(name, _)| name == word) {
                continue;
            }
            let thing = match self.symbols.find(word) {
                Some((Symbol::Matched { node, op }, _)) => self.whole_op(Source::Matched(*node), *op),
                Some((Symbol::Attribute { node, ty, optional }, _)) => {
                    Thing { source: Source::Matched(*node), kind: Kind::Attr, ty: *ty, optional: *optional }
                }
                None if word == "op0" || word == "castedOp0" => match self.root_op {
                    Some(def) => self.whole_op(Source::Matched(self.root), def),
                    None => continue,
                },
                _ => continue,
            };
            found.push((word.to_owned(), thing));
        }
        found
    }

    /// A name for a native that its record does not give.
    pub(super) fn native_name(&mut self, record: Record<'a>) -> String {
        if !record.is_anonymous() {
            return record.name().to_owned();
        }
        self.named_natives += 1;
        format!("{}_native{}", self.name, self.named_natives - 1)
    }

    pub(super) fn too_deep(&mut self, depth: usize, span: Span) -> Try<()> {
        if depth < DEPTH_LIMIT {
            return Ok(());
        }
        let span = self.place(span);
        Err(self.fail(error::too_deep(DEPTH_LIMIT, span)))
    }

    /// The location of matched operations that an operation gets unless the rule says otherwise.
    pub(super) fn locate_matched(&mut self, source: Dag<'a>) {
        let count = dag::count_ops(self.defs.records, source);
        self.located = self.visited.iter().take(count).copied().map(Source::Matched).collect();
    }
}

/// The words of a C++ text that may be variables: no members, no scopes, no calls, no strings.
pub(super) fn variables(text: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut found = Vec::new();
    let mut at = 0;
    let mut quoted = false;
    while let Some(c) = text[at..].chars().next() {
        if quoted || !is_word(c) {
            quoted ^= c == '"' && !text[..at].ends_with('\\');
            at += c.len_utf8();
            continue;
        }
        let end = text[at..].find(|c| !is_word(c)).map_or(text.len(), |len| at + len);
        let (before, after) = (text[..at].trim_end(), text[end..].trim_start());
        let member = before.ends_with('.') || before.ends_with("->") || before.ends_with("::");
        if !member && !c.is_ascii_digit() && c != '$' && !after.starts_with("::") && !after.starts_with('(') {
            found.push(&text[at..end]);
        }
        at = end;
    }
    found
}

/// Which results a group is.
enum GroupRange {
    All,
    One(u32),
    /// The number of the group, whose place depends on the sizes of others.
    Open(usize),
}

fn group_range(results: &[ValueSpec<'_>], group: usize) -> GroupRange {
    if results.len() == 1 && results[0].arity != Arity::One {
        GroupRange::All
    } else if results[..=group].iter().all(|result| result.arity == Arity::One) {
        GroupRange::One(small(group))
    } else {
        GroupRange::Open(group)
    }
}

/// The trimmed text of a field; empty where there is none.
pub(super) fn text<'a>(record: Record<'a>, field: &str) -> &'a str {
    record.string_field(field).unwrap_or("").trim()
}

/// An index of something that a rule lists; the size of a source file bounds it.
pub(super) fn small(index: usize) -> u32 {
    u32::try_from(index).expect("a source file of under 4 GiB lists fewer things")
}

#[cfg(test)]
mod tests {
    use super::variables;

    #[test]
    fn variables_are_neither_members_nor_names_of_functions() {
        let text = "foo($0, res->hasOneUse(), \"res\", a.b, n::c, n2 ::d) && op0";
        assert_eq!(variables(text), ["res", "a", "op0"]);
    }
}
