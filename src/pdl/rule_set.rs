//! Rule sets: rules with their strings, operation definitions and snippets.

use std::cmp::Reverse;

use hashbrown::HashSet;

use crate::host::Kind;
use crate::id::{IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::snippet::Snippets;
use crate::source::Span;

use super::match_part::MatchPart;
use super::op_table::OpTable;
use super::rewrite_part::{RewritePart, Source, Step};

define_ids! {
    /// A rule of a [`RuleSet`]; ids ascend in rule-list order.
    pub struct PatternId;
}

/// A list of rules, with the strings, operation definitions and snippets that they refer to.
///
/// [`RuleSet::pattern`] adds a rule. [`RuleSet::verify`] returns the [`VerifiedRules`](super::VerifiedRules) that the
/// later stages take.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    pub(crate) strings: Interner,
    pub(crate) ops: OpTable,
    pub(crate) snippets: Snippets,
    pub(crate) patterns: IdVec<PatternId, Pattern>,
}

impl RuleSet {
    /// The strings that the rules refer to.
    pub fn strings(&self) -> &Interner {
        &self.strings
    }

    /// The definitions of operations.
    pub fn ops(&self) -> &OpTable {
        &self.ops
    }

    /// The definitions of operations, as a mutable table.
    pub fn ops_mut(&mut self) -> &mut OpTable {
        &mut self.ops
    }

    /// The snippets that the rules and definitions refer to.
    pub fn snippets(&self) -> &Snippets {
        &self.snippets
    }

    /// The rules, in rule-list order.
    pub fn patterns(&self) -> &IdVec<PatternId, Pattern> {
        &self.patterns
    }

    /// The id of a string. The string is added if the set does not have it.
    pub fn intern(&mut self, string: &str) -> StrId {
        self.strings.intern(string)
    }

    /// A set of these rules with the strings, definitions and snippets of this set. The rules must refer to nothing
    /// else.
    #[must_use]
    pub fn with_patterns(&self, patterns: impl IntoIterator<Item = Pattern>) -> Self {
        Self {
            strings: self.strings.clone(),
            ops: self.ops.clone(),
            snippets: self.snippets.clone(),
            patterns: patterns.into_iter().collect(),
        }
    }

    /// The names of the operations that rules match or create, each once, in order of first mention.
    pub fn mentioned_ops(&self) -> Vec<StrId> {
        let mut seen = HashSet::new();
        let of = |pattern: &Pattern| -> Vec<StrId> {
            let matched = pattern.matcher.iter().filter_map(|node| node.as_operation()?.name);
            let created = pattern.rewrite.steps.iter().filter_map(|step| match step {
                Step::Create(create) => Some(create.name),
                _ => None,
            });
            matched.chain(created).collect()
        };
        self.patterns.iter().flat_map(of).filter(|&name| seen.insert(name)).collect()
    }

    /// The rules in application order: higher benefit first; among equal benefits, rules with a root name before rules
    /// for any operation; then the order of the rule list. Every engine uses this order.
    pub fn in_order(&self) -> Vec<PatternId> {
        let mut order: Vec<PatternId> = self.patterns.ids().collect();
        order.sort_unstable_by_key(|&id| {
            (Reverse(self.patterns[id].benefit), self.patterns[id].root_name().is_none(), id)
        });
        order
    }
}

/// The place where a rule was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A place in a source file.
    Span(Span),
    /// A place in Rust code that builds rules.
    Rust(&'static std::panic::Location<'static>),
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Pattern {
    /// The name, which messages show. A rule from a file has the name of its record or symbol.
    pub name: StrId,
    /// Labels that enable or disable the rule, in addition to its name.
    pub labels: Vec<StrId>,
    /// The benefit, from 0 to [`Pattern::MAX_BENEFIT`]. Rules of higher benefit are tried first.
    pub benefit: u16,
    /// The position of `benefit` among the benefits of the rule; `None` unless the rule has several.
    pub(crate) choice: Option<Choice>,
    /// True if the rule is marked as [recursive](super::PatternBuilder::recursive).
    pub recursive: bool,
    /// The place where the rule was written.
    pub origin: Origin,
    /// The match part.
    pub(crate) matcher: MatchPart,
    /// The rewrite part.
    pub(crate) rewrite: RewritePart,
}

impl Pattern {
    /// The largest benefit of a rule.
    pub const MAX_BENEFIT: u16 = 65_534;

    /// The kind of a step's operand.
    pub fn kind(&self, source: Source) -> Kind {
        match source {
            Source::Matched(node) => self.matcher[node].kind(),
            Source::Local(local) => self.rewrite.locals[local],
        }
    }

    /// The name of the operations at which the rule can match; `None` for any name.
    pub fn root_name(&self) -> Option<StrId> {
        let root = *self.matcher.roots.first()?;
        self.matcher.get(root)?.as_operation()?.name
    }
}

/// The position of one benefit among all benefits of a rule. The rule list has one instance of the rule for each
/// benefit, one after the other, from the highest benefit to the lowest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Choice {
    /// The position, from 0 for the highest benefit.
    pub index: usize,
    /// The number of benefits.
    pub count: usize,
}
