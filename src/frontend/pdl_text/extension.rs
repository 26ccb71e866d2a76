//! Native calls that say what `pdl` cannot: back into the richer form.
//!
//! The names are those of [`crate::pdl::extension`].

use super::ast::{self, Op, OpKind, Use, ValueId};
use super::error;
use super::lower::Lowering;
use crate::host::Kind;
use crate::id::IdVec;
use crate::ir::{AttrId, AttrKind};
use crate::pdl::{
    Arg, Callee, Constant, CreateOp, GroupSplit, LocationSpec, Node, NodeId, OperandGroup, Presence, Source,
    Step, ValueSource, extension as ext,
};
use crate::snippet::{Item, SnippetId, SnippetResult, Ty};
use crate::source::Span;

/// How often a value is used.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Users {
    pub(super) all: u32,
    /// As a constant that an extension reads.
    extensions: u32,
    /// As an argument of a constraint.
    calls: u32,
    /// As the location of a new operation.
    locations: u32,
}

impl Users {
    /// Of every value of a pattern.
    pub(super) fn count(pattern: &ast::Pattern<'_>) -> IdVec<ValueId, Self> {
        let mut users: IdVec<ValueId, Self> = pattern.values.iter().map(|_| Self::default()).collect();
        for op in pattern.ops.iter() {
            let extension = match &op.kind {
                OpKind::Constraint { name, .. } => Extension::of_constraint(name),
                OpKind::NativeRewrite { name, .. } => Extension::of_rewrite(name),
                _ => None,
            };
            let is_call = matches!(op.kind, OpKind::Constraint { .. });
            let mut place = 0;
            op.kind.for_each_use(|used| {
                let users = &mut users[used.value];
                users.all += 1;
                match extension {
                    Some(extension) if extension.reads(place, is_call) => users.extensions += 1,
                    None | Some(Extension::Expression(ext::SNIPPET)) if is_call => users.calls += 1,
                    _ => {}
                }
                place += 1;
            });
            if let OpKind::Operation { names, attributes, .. } = &op.kind {
                for (_, used) in names.iter().zip(attributes).filter(|(name, _)| *name == ext::LOCATION) {
                    users[used.value].locations += 1;
                }
            }
        }
        users
    }
}

/// A call that is no native.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Extension {
    Operation,
    AnyResult,
    HasType,
    Equal,
    TypeOf,
    Results,
    Range,
    InferTypes,
    Same,
    OperandSizes,
    ResultSizes,
    Location,
    /// Something with a C++ expression.
    Expression(&'static str),
}

impl Extension {
    /// Whether it reads this argument itself, a constant then.
    fn reads(self, place: usize, matching: bool) -> bool {
        match self {
            Self::Operation | Self::Results => true,
            Self::Expression(ext::SNIPPET) => place == 0,
            Self::Expression(ext::CONSTANT) if matching => place > 0,
            Self::Expression(ext::CONSTANT) => true,
            Self::Expression(_) => place > 0,
            _ => false,
        }
    }

    pub(super) fn of_constraint(name: &str) -> Option<Self> {
        Some(match name {
            ext::OPERATION => Self::Operation,
            ext::ANY_RESULT => Self::AnyResult,
            ext::HAS_TYPE => Self::HasType,
            ext::EQUAL => Self::Equal,
            ext::SNIPPET => Self::Expression(ext::SNIPPET),
            ext::CONSTANT => Self::Expression(ext::CONSTANT),
            ext::STORAGE => Self::Expression(ext::STORAGE),
            _ => return None,
        })
    }

    pub(super) fn of_rewrite(name: &str) -> Option<Self> {
        Some(match name {
            ext::TYPE_OF => Self::TypeOf,
            ext::RESULTS => Self::Results,
            ext::RANGE => Self::Range,
            ext::INFER_TYPES => Self::InferTypes,
            ext::SAME => Self::Same,
            ext::OPERAND_SIZES => Self::OperandSizes,
            ext::RESULT_SIZES => Self::ResultSizes,
            ext::LOCATION => Self::Location,
            ext::SNIPPET => Self::Expression(ext::SNIPPET),
            ext::CONSTANT => Self::Expression(ext::CONSTANT),
            _ => return None,
        })
    }
}

/// Discardable attributes.
impl<'r, 'a> Lowering<'r, '_, 'a> {
    pub(super) fn entry(&self, dictionary: AttrId, name: &str) -> Option<&'r AttrKind> {
        let value = self.context.entry(dictionary, self.context.find_attr_name(name)?)?;
        Some(self.context.attr_kind(value))
    }

    pub(super) fn extra_text(&self, dictionary: AttrId, name: &str) -> Option<String> {
        self.string(self.entry(dictionary, name)?)
    }

    fn string(&self, attr: &AttrKind) -> Option<String> {
        match attr {
            AttrKind::String { text, .. } => Some(self.context.str(*text).to_owned()),
            _ => None,
        }
    }

    pub(super) fn extra_int(&self, dictionary: AttrId, name: &str) -> Option<i64> {
        match self.entry(dictionary, name)? {
            AttrKind::Integer { value, .. } => value.to_i64(),
            _ => None,
        }
    }

    pub(super) fn extra_texts(&self, dictionary: AttrId, name: &str) -> Vec<String> {
        match self.entry(dictionary, name) {
            Some(AttrKind::Array(items)) => {
                items.iter().filter_map(|&item| self.string(self.context.attr_kind(item))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The pairs of constraint and benefit that a pattern lists.
    pub(super) fn read_benefits(&mut self, dictionary: AttrId) {
        let Some(list) = self.entry(dictionary, ext::BENEFITS) else { return };
        let pair = |attr: &AttrId| {
            let AttrKind::Array(items) = self.context.attr_kind(*attr) else { return None };
            let (benefit, name) = items.split_last()?;
            let AttrKind::Integer { value, .. } = self.context.attr_kind(*benefit) else { return None };
            let name = match *name {
                [] => None,
                [name] => Some(self.string(self.context.attr_kind(name))?),
                _ => return None,
            };
            Some((name, value.to_i64()?))
        };
        let pairs: Option<Vec<(Option<String>, i64)>> = match list {
            AttrKind::Array(list) if !list.is_empty() => list.iter().map(pair).collect(),
            _ => None,
        };
        match pairs {
            Some(pairs) => {
                self.benefits = pairs
                    .into_iter()
                    .map(|(name, value)| (name.map(|name| self.intern(&name)), value))
                    .collect();
            }
            None => self.report(error::malformed_benefits(self.pattern.benefit_span)),
        }
    }

    /// The kinds of a call's results.
    pub(super) fn result_kinds(&self, op: &Op<'a>) -> Vec<Kind> {
        let words = op.extra.map(|extra| self.extra_texts(extra, ext::KINDS)).unwrap_or_default();
        let kind = |(i, &result)| {
            let word = words.get(i).and_then(|word: &String| ext::kind_of_word(word));
            word.unwrap_or(self.pattern.values[result].kind)
        };
        op.results.iter().enumerate().map(kind).collect()
    }

    /// The attribute that a value is a constant of.
    fn constant_of(&self, used: Use) -> Option<AttrId> {
        match self.def(used).kind {
            OpKind::Attribute { value, .. } => value,
            _ => None,
        }
    }

    /// Whether a constant is a literal, or only calls and extensions take it, so that it is no node.
    pub(super) fn is_argument(&self, op: &Op<'a>) -> bool {
        match op.kind {
            OpKind::Attribute { value: Some(_), .. } => {}
            OpKind::Type { value: Some(_) } => {
                let users = op.results.first().map(|&result| self.users[result]);
                return users.is_some_and(|users| users.all > 0 && users.all == users.calls);
            }
            _ => return false,
        }
        if op.extra.is_some_and(|extra| self.entry(extra, ext::KIND).is_some()) {
            return true;
        }
        op.results.first().is_some_and(|&result| {
            let users = self.users[result];
            users.all > 0 && users.all == users.extensions + users.calls
        })
    }

    /// The arguments of a call.
    pub(super) fn args<N>(
        &mut self,
        op: &Op<'a>,
        uses: &[Use],
        mut take: impl FnMut(&mut Self, Use) -> Option<N>,
    ) -> Option<Vec<Arg<N>>> {
        if op.extra.is_some_and(|extra| self.entry(extra, ext::NO_ARGS).is_some()) {
            return Some(Vec::new());
        }
        let each = op.extra.and_then(|extra| self.extra_int(extra, ext::EACH));
        let mut args = Vec::new();
        for (i, &used) in (0i64..).zip(uses) {
            args.push(match self.literal(used) {
                Some(literal) => literal?,
                None if each == Some(i) => Arg::Each(take(self, used)?),
                None => Arg::Of(take(self, used)?),
            });
        }
        Some(args)
    }

    /// A constant argument; `Some(None)`: one that cannot be read.
    #[allow(clippy::option_option, reason = "absent and malformed are different")]
    fn literal<N>(&mut self, used: Use) -> Option<Option<Arg<N>>> {
        let def = self.def(used);
        let word = def.extra.and_then(|extra| self.extra_text(extra, ext::KIND));
        let Some(word) = word else {
            if def.parent.is_some() || !self.is_argument(def) {
                return None;
            }
            return match def.kind {
                OpKind::Attribute { value: Some(value), .. } => Some(Some(Arg::Attr(self.attr(value)))),
                OpKind::Type { value: Some(ty) } => Some(Some(Arg::Type(self.ty(ty)))),
                _ => None,
            };
        };
        if word == ext::COMPUTED {
            let computed = self.computed(used).map(|snippet| {
                let is_type = matches!(
                    self.rules.snippets.get(snippet).result,
                    SnippetResult::Value(Ty { item: Item::Type(_), .. })
                );
                let value = Constant::Snippet(snippet);
                if is_type { Arg::Type(value) } else { Arg::Attr(value) }
            });
            return Some(computed);
        }
        let value = self.constant_of(used)?;
        let literal = match (ext::kind_of_word(&word)?, self.context.attr_kind(value)) {
            (Kind::Int, AttrKind::Integer { value, .. }) => value.to_i64().map(Arg::Int),
            (Kind::Bool, AttrKind::Integer { value, .. }) => Some(Arg::Bool(!value.is_zero())),
            (Kind::Str, AttrKind::String { text, .. }) => {
                let text = self.context.str(*text);
                Some(Arg::Str(self.intern(text)))
            }
            _ => None,
        };
        literal.map(Some)
    }

    /// The expression that an attribute carries.
    fn snippet(&mut self, used: Use) -> Option<SnippetId> {
        let def = self.def(used);
        let (at, code) = (def.span, def.extra.and_then(|extra| self.extra_text(extra, ext::CODE)));
        let text = self.constant_of(used).and_then(|text| self.string(self.context.attr_kind(text)));
        let text = text.unwrap_or_default();
        let snippet = code.as_deref().and_then(|code| self.code(code, &text, at));
        if snippet.is_none() {
            let message = "without the 'drrvm.code' that it was printed with means nothing: \
                           what C++ text means depends on definitions that are not here";
            self.report(error::malformed_extension("the text of an expression", message, at));
        }
        snippet
    }

    /// As [`Self::snippet`], for one that takes nothing and gives one thing.
    fn computed(&mut self, used: Use) -> Option<SnippetId> {
        let snippet = self.snippet(used)?;
        let found = self.rules.snippets.get(snippet);
        if found.params.is_empty() && matches!(found.result, SnippetResult::Value(_)) {
            return Some(snippet);
        }
        let at = self.def(used).span;
        self.report(error::malformed_extension(
            "a computed constant",
            "takes nothing and gives one thing",
            at,
        ));
        None
    }

    fn code(&mut self, code: &str, text: &str, at: Span) -> Option<SnippetId> {
        let key = (code.to_owned(), text.to_owned());
        if let Some(&snippet) = self.texts.snippets.get(&key) {
            return Some(snippet);
        }
        let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let (pairs, rest) = code.as_bytes().as_chunks::<2>();
        let bytes: Option<Vec<u8>> =
            pairs.iter().map(|&[high, low]| Some(digit(high)? << 4 | digit(low)?)).collect();
        let bytes = bytes.filter(|_| rest.is_empty())?;
        let snippet = self.rules.snippets.add_bytes(&bytes, text, at)?;
        self.texts.snippets.insert(key, snippet);
        Some(snippet)
    }

    /// What a call of an expression calls, and its other arguments; they are as many as it takes, and it
    /// gives as many things.
    pub(super) fn expression<'u>(&mut self, op: &Op<'a>, args: &'u [Use]) -> Option<(Callee, &'u [Use])> {
        let Some((&text, rest)) = args.split_first() else {
            self.malformed(ext::SNIPPET, "takes the text of an expression", op);
            return None;
        };
        let id = self.snippet(text)?;
        let snippet = self.rules.snippets.get(id);
        let gives = match snippet.result {
            SnippetResult::Predicate => snippet.outputs().count(),
            SnippetResult::Value(_) => 1,
            SnippetResult::Many(count) => count as usize,
            SnippetResult::Nothing => 0,
        };
        let matching = matches!(op.kind, OpKind::Constraint { .. });
        let (takes, is_predicate) = (snippet.inputs().count(), snippet.result == SnippetResult::Predicate);
        if takes != rest.len() || gives != op.results.len() || matching && !is_predicate {
            self.malformed(ext::SNIPPET, "takes and gives as many things as its expression", op);
            return None;
        }
        Some((Callee::Snippet(id), rest))
    }
}

/// While matching.
impl<'a> Lowering<'_, '_, 'a> {
    /// Finds the results of constraints that are something else, before nodes are made for them.
    pub(super) fn find_equal(&mut self) {
        for op in self.pattern.ops.iter() {
            if let OpKind::Constraint { name, args, .. } = &op.kind
                && Extension::of_constraint(name) == Some(Extension::Equal)
                && let [bound, thing] = args[..]
                && let OpKind::Constraint { .. } = self.def(bound).kind
            {
                self.equal.insert(bound.value, thing.value);
            }
        }
    }

    fn malformed(&mut self, name: &str, what: &str, op: &Op<'a>) -> Option<()> {
        self.report(error::malformed_extension(name, what, op.span));
        None
    }

    pub(super) fn match_extension(&mut self, extension: Extension, op: &Op<'a>, args: &[Use]) -> Option<()> {
        match (extension, args) {
            (Extension::AnyResult, &[value]) => {
                let node = self.matched(value)?;
                match &mut self.rule.matcher.nodes[node] {
                    Node::Value { source: Some(source), .. } => {
                        *source = ValueSource::DefinedBy { op: source.op() };
                        Some(())
                    }
                    _ => self.malformed(ext::ANY_RESULT, "takes the result of an operation", op),
                }
            }
            (Extension::HasType, &[thing, of]) => {
                let (thing, of) = (self.matched(thing)?, self.matched(of)?);
                match &mut self.rule.matcher.nodes[thing] {
                    Node::Value { ty, .. } | Node::Values { types: ty, .. } | Node::Attribute { ty, .. } => {
                        *ty = Some(of);
                        Some(())
                    }
                    _ => self.malformed(ext::HAS_TYPE, "takes a value or attribute, and its type", op),
                }
            }
            (Extension::Equal, &[bound, _]) => match self.equal.contains_key(&bound.value) {
                true => Some(()),
                false => self.malformed(ext::EQUAL, "takes the result of a constraint first", op),
            },
            (Extension::Operation, &[target, layout]) => {
                let node = self.matched(target)?;
                let entries = self.constant_of(layout).map(|attr| self.context.attr_kind(attr));
                match entries {
                    Some(AttrKind::Dictionary(_)) => {
                        let layout = self.constant_of(layout)?;
                        if self.layout(node, layout).is_none() {
                            return self.malformed(ext::OPERATION, "does not fit its operation", op);
                        }
                        Some(())
                    }
                    _ => self.malformed(ext::OPERATION, "takes a constant dictionary", op),
                }
            }
            (Extension::Expression(ext::CONSTANT), &[thing, ref values @ ..]) => {
                self.constant(op, thing, values)
            }
            (Extension::Expression(ext::STORAGE), &[of, name, text]) => {
                let node = self.matched(of)?;
                let name = self.constant_of(name).and_then(|name| self.string(self.context.attr_kind(name)));
                let name = name.map(|name| self.intern(&name));
                let snippet = self.snippet(text)?;
                let edge = match &mut self.rule.matcher.nodes[node] {
                    Node::Operation(op) => op
                        .attributes
                        .iter_mut()
                        .find(|edge| Some(edge.name) == name && edge.storage.is_none()),
                    _ => None,
                };
                match edge {
                    Some(edge) => {
                        edge.storage = Some(snippet);
                        Some(())
                    }
                    None => {
                        self.malformed(ext::STORAGE, "takes an operation and the name of an attribute", op)
                    }
                }
            }
            _ => self.malformed("a drrvm constraint", "has other arguments than these", op),
        }
    }

    /// What a node is, as expressions or constants.
    fn constant(&mut self, op: &Op<'a>, thing: Use, values: &[Use]) -> Option<()> {
        let node = self.matched(thing)?;
        let mut constants = Vec::new();
        for &value in values {
            let ty = self.constant_of(value).and_then(|attr| match *self.context.attr_kind(attr) {
                AttrKind::Type(ty) => Some(ty),
                _ => None,
            });
            constants.push(match ty {
                Some(ty) => self.ty(ty),
                None => Constant::Snippet(self.computed(value)?),
            });
        }
        match (&mut self.rule.matcher.nodes[node], constants.as_slice()) {
            (
                Node::Attribute { value: value @ None, .. } | Node::Type { value: value @ None },
                &[constant],
            ) => {
                *value = Some(constant);
            }
            (Node::Types { values: values @ None }, _) => *values = Some(constants),
            _ => {
                return self.malformed(
                    ext::CONSTANT,
                    "takes an attribute, type or types, and what they are",
                    op,
                );
            }
        }
        Some(())
    }

    fn layout(&mut self, node: NodeId, layout: AttrId) -> Option<()> {
        let mut operation = self.rule.matcher.nodes[node].as_operation()?.clone();
        if let Some(words) = self.entry(layout, "operands") {
            let AttrKind::Array(words) = words else { return None };
            let nodes: Vec<NodeId> =
                operation.operands.as_deref()?.iter().flat_map(OperandGroup::nodes).copied().collect();
            let mut nodes = nodes.into_iter();
            let mut groups = Vec::new();
            for &word in words {
                groups.push(match self.context.attr_kind(word) {
                    AttrKind::Integer { value, .. } => {
                        let count = usize::try_from(value.to_i64()?).ok()?;
                        let list: Vec<NodeId> = nodes.by_ref().take(count).collect();
                        if list.len() != count {
                            return None;
                        }
                        OperandGroup::List(list)
                    }
                    word => match self.string(word)?.as_str() {
                        "one" => OperandGroup::One(nodes.next()?),
                        "optional" => OperandGroup::Optional(nodes.next()?),
                        "range" => OperandGroup::Range(nodes.next()?),
                        _ => return None,
                    },
                });
            }
            if nodes.next().is_some() {
                return None;
            }
            operation.operands = Some(groups);
        }
        if let Some(split) = self.split_word(layout, "operand_split")? {
            operation.operand_split = split;
        }
        if let Some(split) = self.split_word(layout, "result_split")? {
            operation.result_split = split;
        }
        if let Some(pairs) = self.entry(layout, "either") {
            let AttrKind::Array(pairs) = pairs else { return None };
            for &pair in pairs {
                let AttrKind::Array(pair) = self.context.attr_kind(pair) else { return None };
                let &[a, b] = &**pair else { return None };
                let index = |attr| match self.context.attr_kind(attr) {
                    AttrKind::Integer { value, .. } => u32::try_from(value.to_i64()?).ok(),
                    _ => None,
                };
                operation.either.push((index(a)?, index(b)?));
            }
        }
        if let Some(words) = self.entry(layout, "attributes") {
            let AttrKind::Array(words) = words else { return None };
            if words.len() != operation.attributes.len() {
                return None;
            }
            for (i, &word) in words.iter().enumerate() {
                let kind = self.context.attr_kind(word);
                operation.attributes[i].presence = match (kind, self.string(kind).as_deref()) {
                    (_, Some("required")) => Presence::Required,
                    (_, Some("optional")) => Presence::Optional,
                    (AttrKind::Dictionary(_), _) => {
                        if let Some(code) = self.extra_text(word, "code") {
                            let at = self.rule.matcher.spans[node];
                            let text = self.extra_text(word, "computed")?;
                            Presence::Default(Constant::Snippet(self.code(&code, &text, at)?))
                        } else {
                            let name = self.context.find_attr_name("default")?;
                            let default = self.context.entry(word, name)?;
                            Presence::Default(self.attr(default))
                        }
                    }
                    _ => return None,
                };
            }
        }
        self.rule.matcher.nodes[node] = Node::Operation(operation);
        Some(())
    }

    /// `Some(None)`: nothing is said.
    #[allow(clippy::option_option, reason = "absent and malformed are different")]
    fn split_word(&mut self, layout: AttrId, name: &str) -> Option<Option<GroupSplit>> {
        let Some(word) = self.entry(layout, name) else { return Some(None) };
        Some(Some(match (word, self.string(word).as_deref()) {
            (_, Some("rest")) => GroupSplit::Rest,
            (_, Some("equal")) => GroupSplit::Equal,
            (AttrKind::Dictionary(_), _) => {
                let name = self.context.find_attr_name(name)?;
                let name = self.extra_text(self.context.entry(layout, name)?, "attribute")?;
                GroupSplit::Attribute(self.intern(&name))
            }
            _ => return None,
        }))
    }
}

/// While rewriting.
impl<'a> Lowering<'_, '_, 'a> {
    fn native(&self, used: Use) -> Option<Extension> {
        match &self.def(used).kind {
            OpKind::NativeRewrite { name, .. } => Extension::of_rewrite(name),
            _ => None,
        }
    }

    /// Whether a type stands for those that the host infers.
    pub(super) fn is_inferred(&self, used: Use) -> bool {
        self.native(used) == Some(Extension::InferTypes)
    }

    /// Takes an attribute of a new operation that says something else; whether it does.
    pub(super) fn create_extension(&mut self, create: &mut CreateOp, name: &str, value: Use) -> Option<bool> {
        match self.native(value) {
            Some(Extension::OperandSizes) => create.operand_segments = Some(self.intern(name)),
            Some(Extension::ResultSizes) => create.result_segments = Some(self.intern(name)),
            Some(Extension::Location) if name == ext::LOCATION => {
                let OpKind::NativeRewrite { args, .. } = &self.def(value).kind else { return None };
                let (args, extra) = (args.clone(), self.def(value).extra);
                create.location = self.location(&args, extra)?;
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn location(&mut self, args: &[Use], extra: Option<AttrId>) -> Option<LocationSpec> {
        let of = self.sources(args)?;
        let text = |lowering: &Self, name| extra.and_then(|extra| lowering.extra_text(extra, name));
        if let Some(name) = text(self, ext::NAME) {
            return Some(LocationSpec::Named { name: self.intern(&name), child: of.first().copied() });
        }
        let metadata = text(self, ext::METADATA).map(|text| self.intern(&text));
        Some(LocationSpec::Fused { of, metadata })
    }

    /// Whether a location is only that of new operations, which say it themselves.
    fn is_only_location_of_ops(&self, op: &Op<'a>) -> bool {
        op.results.first().is_some_and(|&result| {
            let users = self.users[result];
            users.all == users.locations
        })
    }

    pub(super) fn rewrite_extension(
        &mut self,
        extension: Extension,
        op: &Op<'a>,
        args: &[Use],
    ) -> Option<()> {
        let kind = op.results.first().map(|&result| self.pattern.values[result].kind);
        let Some(kind) = kind else {
            return self.malformed("a drrvm rewrite", "gives something", op);
        };
        let step: Box<dyn FnOnce(crate::pdl::LocalId) -> Step> = match (extension, args) {
            // Said by the operations that take them.
            (Extension::InferTypes | Extension::OperandSizes | Extension::ResultSizes, []) => return Some(()),
            (Extension::Location, _) if self.is_only_location_of_ops(op) => return Some(()),
            (Extension::Same, &[of]) => {
                let source = self.source(of)?;
                self.set_made(op, source);
                return Some(());
            }
            (Extension::Expression(ext::CONSTANT), &[text]) => {
                let value = Constant::Snippet(self.computed(text)?);
                match kind {
                    Kind::Type => Box::new(move |to| Step::Type { value, to }),
                    _ => Box::new(move |to| Step::Attr { value, to }),
                }
            }
            (Extension::TypeOf, &[of]) => {
                let of = self.source(of)?;
                Box::new(move |to| Step::TypeOf { of, to })
            }
            (Extension::Range, parts) => {
                let parts = self.sources(parts)?;
                Box::new(move |to| Step::Range { parts, to })
            }
            (Extension::Results, &[of, first, count]) => {
                let of: Source = self.source(of)?;
                let number = |used| match self.constant_of(used).map(|attr| self.context.attr_kind(attr)) {
                    Some(AttrKind::Integer { value, .. }) => {
                        value.to_i64().and_then(|number| u32::try_from(number).ok())
                    }
                    _ => None,
                };
                let (Some(first), Some(count)) = (number(first), number(count)) else {
                    return self.malformed(ext::RESULTS, "takes an operation and two constant numbers", op);
                };
                Box::new(move |to| Step::Results { op: of, range: Some((first, count)), to })
            }
            (Extension::Location, _) => {
                let spec = self.location(args, op.extra)?;
                let to = self.local(Kind::Location);
                self.push(Step::Location { spec, to });
                self.set_made(op, to.into());
                return Some(());
            }
            _ => return self.malformed("a drrvm rewrite", "has other arguments than these", op),
        };
        let to = self.local(kind);
        self.push(step(to));
        self.set_made(op, to.into());
        Some(())
    }
}
