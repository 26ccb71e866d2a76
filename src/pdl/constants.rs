//! The values of the constants of a rule set in a host.

use super::match_part::Constant;
use super::rule_set::RuleSet;
use crate::host::{Bind, Entity, Facets};
use crate::snippet::Linked;

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
