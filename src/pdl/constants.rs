//! The constants of a rule set, and their values in a host.

#[cfg(feature = "ir")]
use hashbrown::{HashMap, HashSet};

use super::match_part::Constant;
#[cfg(feature = "ir")]
use super::match_part::{Arg, MatchPart, Node, Presence};
#[cfg(feature = "ir")]
use super::op_table::TypeRecipe;
#[cfg(feature = "ir")]
use super::rewrite_part::{ResultTypes, RewritePart, Step};
use super::rule_set::RuleSet;
#[cfg(feature = "ir")]
use super::rule_set::{Pattern, PatternId};
#[cfg(feature = "ir")]
use crate::host::Kind;
use crate::host::{Bind, Entity, Facets};
use crate::intern::Interner;
use crate::snippet::{Linked, Snippets};
#[cfg(feature = "ir")]
use crate::source::Span;

/// The tables from which the values of constants in a host are computed.
pub(crate) struct ConstantValues<'a, H: Facets> {
    pub(crate) strings: &'a Interner,
    pub(crate) snippets: &'a Snippets,
    pub(crate) linked: &'a Linked<H>,
}

impl<'a, H: Facets + Bind> ConstantValues<'a, H> {
    /// The values of the constants of a rule set.
    pub(crate) fn new(rules: &'a RuleSet, linked: &'a Linked<H>) -> Self {
        Self { strings: &rules.strings, snippets: &rules.snippets, linked }
    }

    /// The value of an attribute constant; `None` if the host cannot make it.
    pub(crate) fn attr(&self, constant: Constant, host: &mut H) -> Option<H::Attr> {
        match constant {
            Constant::Text(text) => host.bind_attr(&self.strings[text]),
            Constant::Snippet(id) => match self.linked.make(self.snippets, id, host) {
                Ok(Entity::Attr(attr)) => attr,
                _ => None,
            },
        }
    }

    /// The value of a type constant; `None` if the host cannot make it.
    pub(crate) fn ty(&self, constant: Constant, host: &mut H) -> Option<H::Type> {
        match constant {
            Constant::Text(text) => host.bind_type(&self.strings[text]),
            Constant::Snippet(id) => match self.linked.make(self.snippets, id, host) {
                Ok(Entity::Type(ty)) => Some(ty),
                _ => None,
            },
        }
    }
}

#[cfg(feature = "ir")]
impl RuleSet {
    /// Visits the constants of the rules, and those in the result types of operation definitions. `visit` gets the kind
    /// of each constant. The order depends on the rule set alone.
    pub(crate) fn visit_constants(&mut self, visit: &mut dyn FnMut(Kind, &mut Constant)) {
        for pattern in self.patterns.iter_mut() {
            visit_matched(&mut pattern.matcher, visit);
            visit_made(&mut pattern.rewrite, visit);
        }
        for op in self.ops.iter_mut() {
            for recipe in op.result_types.iter_mut().flatten() {
                let mut recipe = recipe;
                while let TypeRecipe::Transform(_, inner) = recipe {
                    recipe = inner;
                }
                if let TypeRecipe::Fixed(constant) = recipe {
                    visit(Kind::Type, constant);
                }
            }
        }
    }
}

#[cfg(feature = "ir")]
fn visit_matched(part: &mut MatchPart, visit: &mut dyn FnMut(Kind, &mut Constant)) {
    for node in part.iter_mut() {
        match node {
            Node::Attribute { value: Some(value), .. } => visit(Kind::Attr, value),
            Node::Type { value: Some(value) } => visit(Kind::Type, value),
            Node::Types { values: Some(values) } => {
                values.iter_mut().for_each(|value| visit(Kind::Type, value));
            }
            Node::Operation(op) => {
                for edge in &mut op.attributes {
                    if let Presence::Default(default) = &mut edge.presence {
                        visit(Kind::Attr, default);
                    }
                }
            }
            _ => {}
        }
    }
    for call in &mut part.constraints {
        visit_args(&mut call.args, visit);
    }
}

#[cfg(feature = "ir")]
fn visit_made(part: &mut RewritePart, visit: &mut dyn FnMut(Kind, &mut Constant)) {
    for step in &mut part.steps {
        match step {
            Step::Attr { value, .. } => visit(Kind::Attr, value),
            Step::Type { value, .. } => visit(Kind::Type, value),
            Step::Call { args, .. } => visit_args(args, visit),
            _ => {}
        }
    }
}

#[cfg(feature = "ir")]
fn visit_args<N>(args: &mut [Arg<N>], visit: &mut dyn FnMut(Kind, &mut Constant)) {
    for arg in args {
        match arg {
            Arg::Attr(constant) => visit(Kind::Attr, constant),
            Arg::Type(constant) => visit(Kind::Type, constant),
            _ => {}
        }
    }
}

#[cfg(feature = "ir")]
/// The use of a constant in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ConstantUse {
    /// A matched entity must equal the constant, or the constant is an argument of a constraint.
    Matched,
    /// The constant takes the place of an absent attribute.
    Default,
    /// The rewrite makes the constant.
    Made,
}

#[cfg(feature = "ir")]
/// A constant that a host cannot make.
#[derive(Clone, Debug)]
pub(crate) struct RefusedConstant {
    pub(crate) pattern: PatternId,
    pub(crate) usage: ConstantUse,
    /// The kind, [`Kind::Attr`] or [`Kind::Type`].
    pub(crate) kind: Kind,
    /// The text of the constant, or of the expression that computes it.
    pub(crate) text: String,
    /// The place of the node, call or new operation; [`Span::NONE`] for [`Step::Attr`] and [`Step::Type`].
    pub(crate) span: Span,
    /// The reason, as a clause.
    pub(crate) reason: String,
}

#[cfg(feature = "ir")]
/// Finds the constants that a host cannot make, in the order of their rules. A constant that calls a native is not
/// included, because a native can answer differently while rewriting.
pub(crate) fn refused_constants<H: Facets + Bind>(
    rules: &RuleSet,
    linked: &Linked<H>,
    host: &mut H,
) -> Vec<RefusedConstant> {
    let mut known: HashMap<(Kind, Constant), Option<String>> = HashMap::new();
    let mut refused = Vec::new();
    for (pattern, rule) in rules.patterns.iter_enumerated() {
        let mut seen = HashSet::new();
        for (usage, kind, constant, span) in constants_of(rules, rule) {
            if !seen.insert((usage, kind, constant)) {
                continue;
            }
            let evaluated =
                known.entry((kind, constant)).or_insert_with(|| refusal(kind, constant, rules, linked, host));
            let Some(reason) = evaluated.clone() else { continue };
            let text = match constant {
                Constant::Text(text) => rules.strings[text].to_owned(),
                // The place of the snippet is not used, because rules share snippets, so the place can be in another
                // rule.
                Constant::Snippet(id) => rules.snippets.str(rules.snippets.get(id).text).to_owned(),
            };
            refused.push(RefusedConstant { pattern, usage, kind, text, span, reason });
        }
    }
    refused
}

#[cfg(feature = "ir")]
/// The reason why a host cannot make a constant; `None` if it can, or if a native decides.
fn refusal<H: Facets + Bind>(
    kind: Kind,
    constant: Constant,
    rules: &RuleSet,
    linked: &Linked<H>,
    host: &mut H,
) -> Option<String> {
    let of_type = kind == Kind::Type;
    match constant {
        Constant::Text(text) => {
            let text = &rules.strings[text];
            let found = if of_type { host.bind_type(text).is_some() } else { host.bind_attr(text).is_some() };
            (!found).then(|| format!("the IR has no such {kind}"))
        }
        Constant::Snippet(id) if !rules.snippets.natives_of(id).is_empty() => None,
        Constant::Snippet(id) => match linked.make(&rules.snippets, id, host) {
            Ok(Entity::Type(_)) if of_type => None,
            Ok(Entity::Attr(Some(_))) if !of_type => None,
            Ok(_) => Some(format!("the expression gives no {kind}")),
            Err(refusal) => Some(refusal.to_string()),
        },
    }
}

#[cfg(feature = "ir")]
/// The constants of a rule, each with its use, kind and place.
fn constants_of(rules: &RuleSet, rule: &Pattern) -> Vec<(ConstantUse, Kind, Constant, Span)> {
    let mut all = Vec::new();
    for (id, node) in rule.matcher.iter_enumerated() {
        let mut add = |usage, kind, constant| all.push((usage, kind, constant, rule.matcher.span(id)));
        match node {
            Node::Attribute { value: Some(value), .. } => add(ConstantUse::Matched, Kind::Attr, *value),
            Node::Type { value: Some(value) } => add(ConstantUse::Matched, Kind::Type, *value),
            Node::Types { values: Some(values) } => {
                values.iter().for_each(|&value| add(ConstantUse::Matched, Kind::Type, value));
            }
            Node::Operation(op) => {
                for edge in &op.attributes {
                    if let Presence::Default(default) = edge.presence {
                        add(ConstantUse::Default, Kind::Attr, default);
                    }
                }
            }
            _ => {}
        }
    }
    for call in &rule.matcher.constraints {
        let constants = call.args.iter().filter_map(constant_argument);
        all.extend(constants.map(|(kind, value)| (ConstantUse::Matched, kind, value, call.span)));
    }
    for step in &rule.rewrite.steps {
        match step {
            Step::Attr { value, .. } => all.push((ConstantUse::Made, Kind::Attr, *value, Span::NONE)),
            Step::Type { value, .. } => all.push((ConstantUse::Made, Kind::Type, *value, Span::NONE)),
            Step::Call { args, span, .. } => {
                let constants = args.iter().filter_map(constant_argument);
                all.extend(constants.map(|(kind, value)| (ConstantUse::Made, kind, value, *span)));
            }
            Step::Create(create) if create.results == ResultTypes::Inferred => {
                let recipes = rules.ops().find(create.name).and_then(|op| op.result_types.as_ref());
                let fixed = recipes.into_iter().flatten().filter_map(fixed_type);
                all.extend(fixed.map(|value| (ConstantUse::Made, Kind::Type, value, create.span)));
            }
            _ => {}
        }
    }
    all
}

#[cfg(feature = "ir")]
fn constant_argument<N>(arg: &Arg<N>) -> Option<(Kind, Constant)> {
    match *arg {
        Arg::Attr(value) => Some((Kind::Attr, value)),
        Arg::Type(value) => Some((Kind::Type, value)),
        _ => None,
    }
}

#[cfg(feature = "ir")]
/// The constant that a recipe starts from, if it does not start from a type of the operation.
fn fixed_type(mut recipe: &TypeRecipe) -> Option<Constant> {
    while let TypeRecipe::Transform(_, inner) = recipe {
        recipe = inner;
    }
    if let TypeRecipe::Fixed(constant) = recipe { Some(*constant) } else { None }
}
