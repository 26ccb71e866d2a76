//! Discardable attributes, constant arguments of calls, and expressions in attributes.

use super::super::ast::{Op, OpKind, Use};
use super::super::error;
use super::lowering::Lowering;
use crate::host::Kind;
use crate::ir::{AttrId, AttrKind};
use crate::pdl::{Arg, Callee, Constant, extension as ext};
use crate::snippet::{Item, SnippetId, SnippetResult, Ty};
use crate::source::Span;

impl<'r, 'a> Lowering<'r, '_, 'a> {
    pub(super) fn entry(&self, dictionary: AttrId, name: &str) -> Option<&'r AttrKind> {
        let value = self.context.entry(dictionary, self.context.find_attr_name(name)?)?;
        Some(self.context.attr_kind(value))
    }

    pub(super) fn text_entry(&self, dictionary: AttrId, name: &str) -> Option<String> {
        self.string(self.entry(dictionary, name)?)
    }

    pub(super) fn string(&self, attr: &AttrKind) -> Option<String> {
        match attr {
            AttrKind::String { text, .. } => Some(self.context.str(*text).to_owned()),
            _ => None,
        }
    }

    pub(super) fn int_entry(&self, dictionary: AttrId, name: &str) -> Option<i64> {
        match self.entry(dictionary, name)? {
            AttrKind::Integer { value, .. } => value.to_i64(),
            _ => None,
        }
    }

    pub(super) fn text_entries(&self, dictionary: AttrId, name: &str) -> Vec<String> {
        match self.entry(dictionary, name) {
            Some(AttrKind::Array(items)) => {
                items.iter().filter_map(|&item| self.string(self.context.attr_kind(item))).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reads the pattern's list of constraints with benefits.
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

    /// Returns the kinds of a call's results.
    pub(super) fn result_kinds(&self, op: &Op<'a>) -> Vec<Kind> {
        let words =
            op.discardable.map(|discardable| self.text_entries(discardable, ext::KINDS)).unwrap_or_default();
        let kind = |(i, &result)| {
            let word = words.get(i).and_then(|word: &String| ext::kind_of_word(word));
            word.unwrap_or(self.pattern.values[result].kind)
        };
        op.results.iter().enumerate().map(kind).collect()
    }

    /// Returns the constant value of a `pdl.attribute`.
    pub(super) fn constant_of(&self, used: Use) -> Option<AttrId> {
        match self.def(used).kind {
            OpKind::Attribute { value, .. } => value,
            _ => None,
        }
    }

    /// True if a constant is an argument of calls and not a node. This holds for attributes with a `drrvm.kind`, for
    /// attributes that only calls and extensions use, and for types that only calls use.
    pub(super) fn is_argument(&self, op: &Op<'a>) -> bool {
        match op.kind {
            OpKind::Attribute { value: Some(_), .. } => {}
            OpKind::Type { value: Some(_) } => {
                let counts = op.results.first().map(|&result| self.use_counts[result]);
                return counts.is_some_and(|counts| counts.all > 0 && counts.all == counts.calls);
            }
            _ => return false,
        }
        if op.discardable.is_some_and(|discardable| self.entry(discardable, ext::KIND).is_some()) {
            return true;
        }
        op.results.first().is_some_and(|&result| {
            let counts = self.use_counts[result];
            counts.all > 0 && counts.all == counts.extensions + counts.calls
        })
    }

    /// Lowers the arguments of a call.
    pub(super) fn args<N>(
        &mut self,
        op: &Op<'a>,
        uses: &[Use],
        mut take: impl FnMut(&mut Self, Use) -> Option<N>,
    ) -> Option<Vec<Arg<N>>> {
        if op.discardable.is_some_and(|discardable| self.entry(discardable, ext::NO_ARGS).is_some()) {
            return Some(Vec::new());
        }
        let each = op.discardable.and_then(|discardable| self.int_entry(discardable, ext::EACH));
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

    /// Lowers an argument that is a constant without a node. Returns `None` for other arguments. If the expression or
    /// the kind of the constant is malformed, reports an error and returns `Some(None)`.
    #[allow(clippy::option_option, reason = "absent and malformed are different")]
    fn literal<N>(&mut self, used: Use) -> Option<Option<Arg<N>>> {
        let def = self.def(used);
        let at = def.span;
        let word = def.discardable.and_then(|discardable| self.text_entry(discardable, ext::KIND));
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
        let constant = self.constant_of(used)?;
        let kind = ext::kind_of_word(&word);
        let literal = match (kind, self.context.attr_kind(constant)) {
            (Some(Kind::Int), AttrKind::Integer { value, .. }) => value.to_i64().map(Arg::Int),
            (Some(Kind::Bool), AttrKind::Integer { value, .. }) => Some(Arg::Bool(!value.is_zero())),
            (Some(Kind::Str), AttrKind::String { text, .. }) => {
                let text = self.context.str(*text);
                Some(Arg::Str(self.intern(text)))
            }
            _ => None,
        };
        if literal.is_none() {
            let what = match kind {
                Some(_) => format!("is \"{word}\", but the value is {}", self.context.attr_text(constant)),
                None => format!("is \"{word}\", which is not a kind"),
            };
            self.report(error::malformed_extension(ext::KIND, &what, at));
        }
        Some(literal)
    }

    /// Returns the expression in an attribute.
    pub(super) fn snippet(&mut self, used: Use) -> Option<SnippetId> {
        let def = self.def(used);
        let (at, code) =
            (def.span, def.discardable.and_then(|discardable| self.text_entry(discardable, ext::CODE)));
        let text = self.constant_of(used).and_then(|text| self.string(self.context.attr_kind(text)));
        let text = text.unwrap_or_default();
        let snippet = code.as_deref().and_then(|code| self.code(code, &text, at));
        if snippet.is_none() {
            self.report(error::expression_without_code(at));
        }
        snippet
    }

    /// Like [`Self::snippet`], for an expression without parameters and with one result.
    pub(super) fn computed(&mut self, used: Use) -> Option<SnippetId> {
        let snippet = self.snippet(used)?;
        let found = self.rules.snippets.get(snippet);
        if found.params.is_empty() && matches!(found.result, SnippetResult::Value(_)) {
            return Some(snippet);
        }
        let at = self.def(used).span;
        self.report(error::malformed_computed_constant(at));
        None
    }

    pub(super) fn code(&mut self, code: &str, text: &str, at: Span) -> Option<SnippetId> {
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

    /// Returns the callee and the remaining arguments of a call of an expression. The numbers of arguments and
    /// results must be those of the expression.
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
        if takes != rest.len() || gives != op.results.len() {
            self.malformed(ext::SNIPPET, "must have as many arguments and results as its expression", op);
            return None;
        }
        if matching && !is_predicate {
            self.malformed(ext::SNIPPET, "needs an expression that is a condition", op);
            return None;
        }
        Some((Callee::Snippet(id), rest))
    }
}
