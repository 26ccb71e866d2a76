//! Lowers patterns to rules.
//!
//! The values of the match part become nodes. Constants that are only arguments of calls may have no nodes, and a
//! constraint result that must equal another value shares the node of that value. The operations of the rewrite become
//! steps. A `pdl.operation` without operands matches only operations without operands, and a `pdl.operation` without
//! result types matches only operations without results. If several operands or results are ranges, the op table
//! determines their division into groups. If the table states neither equal sizes nor an attribute with sizes, the
//! segment sizes attribute of MLIR determines the division.
//!
//! The result types of a new operation are the first of these that exist: the listed types if all of them are known,
//! the types that its definition or the host infers, and the types of the operation that it replaces. If none of
//! these exists, the operation has no results. This is an error if a listed type is unknown, or if the definition of
//! the operation has a result that is neither optional nor variadic.

mod arguments;
mod extension;
mod layout;
mod lowering;
mod matching;
mod rewrite;
mod users;

use hashbrown::HashMap;

use super::ast::{self, OpKind, Use, ValueId};
use super::{error, verify};
use crate::frontend::loaded::Rejected;
use crate::ir::Context;
use crate::pdl::{
    Benefit, Call, Callee, MatchPart, Origin, Pattern, RewritePart, RuleSet, extension as ext, verify_rule,
};
use crate::source::Diagnostics;

use lowering::Lowering;
pub(super) use lowering::Texts;
use users::UseCounts;

/// Verifies a pattern, lowers it, and adds it to the rules. Returns the warnings, or the rule with its errors.
pub(super) fn lower(
    pattern: &ast::Pattern<'_>,
    context: &Context,
    texts: &mut Texts,
    rules: &mut RuleSet,
) -> Result<Diagnostics, Box<Rejected>> {
    let name = pattern.name.as_ref().map_or("", |(name, _)| name);
    let rule = Pattern {
        name: rules.strings.intern(name),
        labels: Vec::new(),
        benefit: 0,
        choice: None,
        recursive: false,
        origin: Origin::Span(pattern.span),
        matcher: MatchPart::default(),
        rewrite: RewritePart::default(),
    };
    let nodes = pattern.values.iter().map(|_| None).collect();
    let created = pattern.values.iter().map(|_| None).collect();
    let mut replaced: HashMap<ValueId, Use> = HashMap::new();
    for op in pattern.ops.iter() {
        if let OpKind::Replace { op, by: Some(by), .. } = op.kind {
            replaced.entry(by.value).or_insert(op);
        }
    }
    let mut lowering = Lowering {
        pattern,
        context,
        texts,
        rules,
        rule,
        nodes,
        created,
        use_counts: UseCounts::count(pattern),
        replaced,
        equal: HashMap::new(),
        calls: Vec::new(),
        benefits: Vec::new(),
        out: Diagnostics::default(),
    };
    lowering.header();
    // A pattern that fails verification is not lowered further. The header is lowered before, so that the rejected rule
    // has its name and labels.
    let invalid = verify::verify(pattern);
    if invalid.has_errors() {
        let Lowering { rules, rule, .. } = lowering;
        return Err(Rejected::new(rules, &rule, invalid).into());
    }
    lowering.match_part();
    if !lowering.out.has_errors() {
        lowering.rewrite_part();
    }
    let benefits = lowering.take_benefits();
    let Lowering { out, rules, rule, .. } = lowering;
    let found = if out.has_errors() { out } else { verify_rule(rules, &rule) };
    if found.has_errors() {
        return Err(Rejected::new(rules, &rule, found).into());
    }
    match rules.add_rule(rule.clone(), benefits) {
        Ok(_) => Ok(found),
        Err(errors) => Err(Rejected::new(rules, &rule, errors).into()),
    }
}

impl Lowering<'_, '_, '_> {
    fn header(&mut self) {
        let pattern = self.pattern;
        let mut benefit = pattern.benefit;
        if let Some(discardable) = pattern.discardable {
            if let Some(name) = self.text_entry(discardable, ext::NAME) {
                self.rule.name = self.intern(&name);
            }
            if let Some(value) = self.int_entry(discardable, ext::BENEFIT) {
                benefit = value;
            }
            self.read_benefits(discardable);
            self.rule.recursive = self.entry(discardable, ext::RECURSIVE).is_some();
            for label in self.text_entries(discardable, ext::LABELS) {
                let label = self.intern(&label);
                self.rule.labels.push(label);
            }
        }
        let valid = i16::try_from(pattern.benefit).is_ok_and(|benefit| benefit >= 0);
        match u16::try_from(benefit).ok().filter(|&benefit| benefit <= Pattern::MAX_BENEFIT) {
            _ if !valid => self.report(error::benefit_out_of_range(pattern.benefit, pattern.benefit_span)),
            Some(benefit) => self.rule.benefit = benefit,
            None => self.report(error::extended_benefit_out_of_range(benefit, pattern.benefit_span)),
        }
    }

    /// Returns the benefits of the rule. Moves the constraint of each benefit from the match part to the benefit,
    /// because a match does not require the constraint. The last benefit takes its constraint first, because the printer
    /// prints the constraints of benefits after all other constraints.
    fn take_benefits(&mut self) -> Vec<Benefit> {
        let snippet = self.intern(ext::SNIPPET);
        let at = self.pattern.benefit_span;
        let (mut benefits, mut missing) = (Vec::new(), Vec::new());
        for (name, benefit) in std::mem::take(&mut self.benefits).into_iter().rev() {
            let Some(name) = name else {
                benefits.push(Benefit { benefit, constraint: None, span: at });
                continue;
            };
            let is_called = |call: &Call| match call.callee {
                Callee::Native(callee) => callee == name,
                Callee::Snippet(_) => name == snippet,
            };
            let constraints = &mut self.rule.matcher.constraints;
            let Some(index) = constraints.iter().rposition(is_called) else {
                missing.push((name, benefit));
                continue;
            };
            let call = constraints.remove(index);
            benefits.push(Benefit { benefit, span: call.span, constraint: Some(call) });
        }
        for (name, benefit) in missing.into_iter().rev() {
            let name = self.rules.strings[name].to_owned();
            self.report(error::benefit_without_constraint(&name, benefit, at));
        }
        benefits.reverse();
        benefits
    }
}
