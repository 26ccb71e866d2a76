//! Selects rules by name or label.

use super::error;
use super::rule_set::{Pattern, PatternId, RuleSet};
use crate::intern::{Interner, StrId};
use crate::source::Diagnostics;

impl RuleSet {
    /// Keeps the selected rules and removes the others. A rule is selected if its name or one of its labels is in
    /// `enable`, and neither its name nor a label is in `disable`. An empty `enable` stands for all rules. The ids of
    /// the remaining rules change.
    ///
    /// # Errors
    /// Returns an error for each string that is neither the name nor a label of a rule. In this case, no rule is
    /// removed.
    pub fn select(&mut self, enable: &[String], disable: &[String]) -> Result<(), Diagnostics> {
        let unwanted = self.unselected(enable, disable)?;
        let all = std::mem::take(&mut self.patterns);
        let kept = all.iter_enumerated().filter(|(id, _)| unwanted.binary_search(id).is_err());
        self.patterns = kept.map(|(_, rule)| rule.clone()).collect();
        Ok(())
    }

    /// Keeps the selected rules. The ids of the remaining rules change.
    pub(crate) fn retain(&mut self, selection: Selection<'_>) {
        let selected = |rule: &&Pattern| selection.selects(names(&self.strings, rule.name, &rule.labels));
        self.patterns = self.patterns.iter().filter(selected).cloned().collect();
    }

    /// The names and labels of all rules.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> + Clone {
        self.patterns.iter().flat_map(|rule| names(&self.strings, rule.name, &rule.labels))
    }

    /// The rules that [`RuleSet::select`] removes, in order.
    ///
    /// # Errors
    /// The errors of [`RuleSet::select`].
    pub fn unselected(&self, enable: &[String], disable: &[String]) -> Result<Vec<PatternId>, Diagnostics> {
        let rules = self.patterns.iter_enumerated().map(|(id, rule)| (id, rule.name, &*rule.labels));
        unwanted(&self.strings, rules, enable, disable)
    }
}

/// The name and the labels of a rule.
fn names<'r>(
    strings: &'r Interner,
    rule: StrId,
    labels: &'r [StrId],
) -> impl Iterator<Item = &'r str> + Clone {
    std::iter::once(rule).chain(labels.iter().copied()).map(|name| &strings[name])
}

/// A selection of rules by their names and labels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Selection<'s> {
    /// The names and labels of the selected rules. If empty, all rules are selected.
    pub(crate) enable: &'s [String],
    /// The names and labels of the rules that are not selected, even if `enable` contains them.
    pub(crate) disable: &'s [String],
}

impl Selection<'_> {
    /// True if a rule with this name and these labels is selected.
    pub(crate) fn selects<'n>(self, names: impl Iterator<Item = &'n str> + Clone) -> bool {
        let has_one = |list: &[String]| list.iter().any(|wanted| names.clone().any(|name| name == wanted));
        (self.enable.is_empty() || has_one(self.enable)) && !has_one(self.disable)
    }

    /// One error for each name of the selection that is not among the names and labels of all rules.
    pub(crate) fn unknown<'n>(self, names: impl Iterator<Item = &'n str> + Clone) -> Diagnostics {
        let mut errors = Diagnostics::default();
        for wanted in self.enable.iter().chain(self.disable) {
            if !names.clone().any(|name| name == wanted) {
                errors.push(error::unknown_rule(wanted, names.clone()));
            }
        }
        errors
    }
}

/// The rules that [`RuleSet::select`] removes, in order. `rules` states the name and the labels of each rule.
///
/// # Errors
/// Returns an error for each string that is neither the name nor a label of a rule.
pub(crate) fn unwanted<'r>(
    strings: &'r Interner,
    rules: impl Iterator<Item = (PatternId, StrId, &'r [StrId])> + Clone,
    enable: &[String],
    disable: &[String],
) -> Result<Vec<PatternId>, Diagnostics> {
    let selection = Selection { enable, disable };
    let errors = selection.unknown(rules.clone().flat_map(|(_, rule, labels)| names(strings, rule, labels)));
    if errors.has_errors() {
        return Err(errors);
    }
    let unselected = rules.filter(|&(_, rule, labels)| !selection.selects(names(strings, rule, labels)));
    Ok(unselected.map(|(id, ..)| id).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::match_part::MatchPart;
    use crate::pdl::rewrite_part::RewritePart;
    use crate::pdl::rule_set::Origin;
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
