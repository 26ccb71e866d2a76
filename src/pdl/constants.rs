//! The values of the constants of a rule set in a host.

use hashbrown::{HashMap, HashSet};

use super::match_part::{Arg, Constant, Node, Presence};
use super::op_table::TypeRecipe;
use super::rewrite_part::{ResultTypes, Step};
use super::rule_set::{Pattern, PatternId, RuleSet};
use crate::host::{Bind, Entity, Facets, Kind};
use crate::snippet::Linked;
use crate::source::Span;

/// The value of an attribute constant; `None` if the host cannot make it.
pub(crate) fn attr_value<H: Facets + Bind>(
    constant: Constant,
    rules: &RuleSet,
    linked: &Linked<H>,
    host: &mut H,
) -> Option<H::Attr> {
    match constant {
        Constant::Text(text) => host.bind_attr(&rules.strings[text]),
        Constant::Snippet(id) => match linked.make(&rules.snippets, id, host) {
            Ok(Entity::Attr(attr)) => attr,
            _ => None,
        },
    }
}

/// The value of a type constant; `None` if the host cannot make it.
pub(crate) fn type_value<H: Facets + Bind>(
    constant: Constant,
    rules: &RuleSet,
    linked: &Linked<H>,
    host: &mut H,
) -> Option<H::Type> {
    match constant {
        Constant::Text(text) => host.bind_type(&rules.strings[text]),
        Constant::Snippet(id) => match linked.make(&rules.snippets, id, host) {
            Ok(Entity::Type(ty)) => Some(ty),
            _ => None,
        },
    }
}

/// The use of a constant in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ConstantUse {
    /// The rule matches only if an entity equals the constant, or if a constraint holds for it.
    Matched,
    /// The constant takes the place of an absent attribute.
    Default,
    /// The rewrite makes the constant.
    Made,
}

/// A constant that a host cannot make.
#[derive(Clone, Debug)]
pub(crate) struct RefusedConstant {
    pub(crate) pattern: PatternId,
    pub(crate) usage: ConstantUse,
    /// [`Kind::Attr`] or [`Kind::Type`].
    pub(crate) kind: Kind,
    /// The text of the constant, or of the expression that computes it.
    pub(crate) text: String,
    /// The place of the node or call; none for a constant that the rewrite makes.
    pub(crate) span: Span,
    /// The reason, as a clause.
    pub(crate) reason: String,
}

/// The constants of rules that a host cannot make, in the order of the rules. A constant that calls a native is not among
/// them, because a native can answer differently while rewriting.
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
                // Rules share snippets, so the place of the snippet can be in another rule.
                Constant::Snippet(id) => rules.snippets.str(rules.snippets.get(id).text).to_owned(),
            };
            refused.push(RefusedConstant { pattern, usage, kind, text, span, reason });
        }
    }
    refused
}

/// The reason for which a host cannot make a constant; `None` if it can, or if a native decides.
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

fn constant_argument<N>(arg: &Arg<N>) -> Option<(Kind, Constant)> {
    match *arg {
        Arg::Attr(value) => Some((Kind::Attr, value)),
        Arg::Type(value) => Some((Kind::Type, value)),
        _ => None,
    }
}

/// The type that a recipe starts from, if it does not depend on the operation.
fn fixed_type(mut recipe: &TypeRecipe) -> Option<Constant> {
    while let TypeRecipe::Transform(_, inner) = recipe {
        recipe = inner;
    }
    if let TypeRecipe::Fixed(constant) = recipe { Some(*constant) } else { None }
}
