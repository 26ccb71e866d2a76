//! Selects rules by name or label.

use super::error;
use super::rule_set::{PatternId, RuleSet};
use crate::intern::{Interner, StrId};
use crate::source::Diagnostics;

impl RuleSet {
    /// Keeps the rules whose name or label is in `enable` (all, if it is empty) and not in `disable`. The ids of the
    /// remaining rules change.
    ///
    /// # Errors
    /// Each name that no rule has. Then no rule is removed.
    pub fn select(&mut self, enable: &[String], disable: &[String]) -> Result<(), Diagnostics> {
        let unwanted = self.unselected(enable, disable)?;
        let all = std::mem::take(&mut self.patterns);
        let kept = all.iter_enumerated().filter(|(id, _)| unwanted.binary_search(id).is_err());
        self.patterns = kept.map(|(_, rule)| rule.clone()).collect();
        Ok(())
    }

    /// The rules that [`RuleSet::select`] removes, in order.
    ///
    /// # Errors
    /// As [`RuleSet::select`].
    pub fn unselected(&self, enable: &[String], disable: &[String]) -> Result<Vec<PatternId>, Diagnostics> {
        let rules = self.patterns.iter_enumerated().map(|(id, rule)| (id, rule.name, &*rule.labels));
        unwanted(&self.strings, rules, enable, disable)
    }
}

/// The rules that [`RuleSet::select`] removes, in order. Each rule is given with its name and labels.
///
/// # Errors
/// Each name that no rule has.
pub(crate) fn unwanted<'r>(
    strings: &Interner,
    rules: impl Iterator<Item = (PatternId, StrId, &'r [StrId])> + Clone,
    enable: &[String],
    disable: &[String],
) -> Result<Vec<PatternId>, Diagnostics> {
    let has = |rule: StrId, labels: &[StrId], name: StrId| rule == name || labels.contains(&name);
    let mut errors = Diagnostics::default();
    let mut find = |names: &[String]| -> Vec<StrId> {
        let mut found = Vec::new();
        for name in names {
            let exists = |&id: &StrId| rules.clone().any(|(_, rule, labels)| has(rule, labels, id));
            match strings.find(name).filter(exists) {
                Some(id) => found.push(id),
                None => {
                    let names = rules
                        .clone()
                        .flat_map(|(_, own, labels)| std::iter::once(own).chain(labels.iter().copied()));
                    errors.push(error::unknown_rule(name, names.map(|id| &strings[id])));
                }
            }
        }
        found
    };
    let (enabled, disabled) = (find(enable), find(disable));
    if errors.has_errors() {
        return Err(errors);
    }
    let has_one = |rule, labels, names: &[StrId]| names.iter().any(|&name| has(rule, labels, name));
    let wanted = |rule, labels| {
        (enable.is_empty() || has_one(rule, labels, &enabled)) && !has_one(rule, labels, &disabled)
    };
    Ok(rules.filter(|&(_, rule, labels)| !wanted(rule, labels)).map(|(id, ..)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::match_part::MatchPart;
    use crate::pdl::rewrite_part::RewritePart;
    use crate::pdl::rule_set::{Origin, Pattern};
    use crate::source::Span;

    fn rules() -> RuleSet {
        let mut rules = RuleSet::default();
        for (name, label) in [("AddZero", "identities"), ("MulOne", "identities"), ("Fuse", "chains")] {
            let pattern = Pattern {
                name: rules.strings.intern(name),
                labels: vec![rules.strings.intern(label)],
                benefit: 1,
                choice: None,
                recursive: false,
                origin: Origin::Span(Span::NONE),
                matcher: MatchPart::default(),
                rewrite: RewritePart::default(),
            };
            rules.patterns.push(pattern);
        }
        rules
    }

    fn selected(enable: &[&str], disable: &[&str]) -> Vec<String> {
        let owned = |names: &[&str]| names.iter().map(|&n| n.to_owned()).collect::<Vec<_>>();
        let mut rules = rules();
        rules.select(&owned(enable), &owned(disable)).unwrap();
        rules.patterns.iter().map(|p| rules.strings[p.name].to_owned()).collect()
    }

    #[test]
    fn disabled_wins_over_enabled() {
        assert_eq!(selected(&[], &[]), ["AddZero", "MulOne", "Fuse"]);
        assert_eq!(selected(&["identities"], &[]), ["AddZero", "MulOne"]);
        assert_eq!(selected(&["identities", "Fuse"], &["MulOne"]), ["AddZero", "Fuse"]);
        assert_eq!(selected(&["AddZero"], &["identities"]), [""; 0]);
    }

    #[test]
    fn every_unknown_name_is_an_error() {
        let errors = rules().select(&["AddOne".into(), "identities".into()], &["fuse".into()]).unwrap_err();
        assert_eq!(errors.error_count(), 2);
    }
}
