//! Rules that consist of a term to match and a term that replaces it.
//!
//! Specification: [`RuleSet::replacement`] adds the rule that the calls of [`PatternBuilder`] would build for the
//! terms. The operations of a term have one result and constant attributes; all other operations need the builder.

use hashbrown::HashMap;

use super::builder::{CreateBuilder, OpBuilder, PatternBuilder};
use super::error;
use super::match_part::NodeId;
use super::rewrite_part::{LocalId, Source};
use super::rule_set::{PatternId, RuleSet};
use crate::source::{Diagnostics, Span};

/// A value in a rule: a variable, or the result of an operation. [`var`] and [`op`] make terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Var(String),
    Op(OpTerm),
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct OpTerm {
    name: String,
    operands: Vec<Term>,
    attrs: Vec<(String, String)>,
    ty: Option<String>,
}

/// A variable. It matches any value; if it occurs several times, all occurrences match the same value.
///
/// ```
/// use drrvm::{RuleSet, pdl::term::{op, var}};
/// let mut rules = RuleSet::default();
/// // x - x is zero(x); x - y does not match.
/// rules.replacement("sub_self", 1, &op("t.sub", [var("x"), var("x")]), &op("t.zero", [var("x")]))?;
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn var(name: &str) -> Term {
    Term(Kind::Var(name.to_owned()))
}

/// The result of an operation with this name and these operands.
///
/// ```
/// use drrvm::{RuleSet, pdl::term::{op, var}};
/// let mut rules = RuleSet::default();
/// // A double negation is its operand.
/// rules.replacement("neg_neg", 1, &op("t.neg", [op("t.neg", [var("x")])]), &var("x"))?;
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn op(name: &str, operands: impl IntoIterator<Item = Term>) -> Term {
    let operands = operands.into_iter().collect();
    Term(Kind::Op(OpTerm { name: name.to_owned(), operands, attrs: Vec::new(), ty: None }))
}

impl Term {
    /// Adds an attribute with a constant value, as MLIR text (`4 : i32`). Has no effect on a variable.
    #[must_use]
    pub fn attr(mut self, name: &str, value: &str) -> Self {
        if let Kind::Op(op) = &mut self.0 {
            op.attrs.push((name.to_owned(), value.to_owned()));
        }
        self
    }

    /// Sets the type of the operation's result, as MLIR text (`i32`). Has no effect on a variable.
    #[must_use]
    pub fn ty(mut self, text: &str) -> Self {
        if let Kind::Op(op) = &mut self.0 {
            op.ty = Some(text.to_owned());
        }
        self
    }
}

impl RuleSet {
    /// Adds the rule that replaces `from`, which must be an operation, by `to`.
    ///
    /// The operation that replaces `from` has the result type of `from`, unless `to` states a type ([`Term::ty`]). For
    /// other new operations without a type, the definition of the operation or a registered type inference determines
    /// the type.
    ///
    /// ```
    /// use drrvm::pdl::RuleSet;
    /// use drrvm::pdl::term::{op, var};
    /// # fn main() -> Result<(), drrvm::source::Diagnostics> {
    /// let mut rules = RuleSet::default();
    /// // -(a - b) is b - a.
    /// let negated = op("expr.neg", [op("expr.sub", [var("a"), var("b")])]);
    /// rules.replacement("neg_sub", 2, &negated, &op("expr.sub", [var("b"), var("a")]))?;
    /// # assert_eq!(rules.patterns().len(), 1);
    /// # Ok(()) }
    /// ```
    ///
    /// # Errors
    /// `from` is a variable, `to` has a variable that `from` does not bind, or the rule does not verify.
    #[track_caller]
    pub fn replacement(
        &mut self,
        name: &str,
        benefit: u16,
        from: &Term,
        to: &Term,
    ) -> Result<PatternId, Diagnostics> {
        let Kind::Op(pattern) = &from.0 else {
            return Err(error::no_root(Span::NONE).into());
        };
        let mut terms = Terms { rule: self.pattern(name, benefit), vars: HashMap::new() };
        let root = terms.matched_op(pattern);
        match &to.0 {
            Kind::Var(_) => {
                let with = terms.created_value(to)?;
                terms.rule.replace(root, [with]);
            }
            Kind::Op(new) => {
                let value = terms.rule.result(root, 0);
                let ty = terms.rule.type_of(value);
                let by = terms.created_op(new, Some(ty))?;
                terms.rule.replace_by_op(root, by);
            }
        }
        terms.rule.finish()
    }
}

/// The state of adding one rule.
struct Terms<'r, 't> {
    rule: PatternBuilder<'r>,
    vars: HashMap<&'t str, NodeId>,
}

impl<'t> Terms<'_, 't> {
    fn matched_value(&mut self, term: &'t Term) -> NodeId {
        match &term.0 {
            Kind::Var(name) => {
                let Self { rule, vars } = self;
                *vars.entry(name).or_insert_with(|| {
                    let value = rule.value();
                    rule.name(value, name)
                })
            }
            Kind::Op(op) => {
                let op = self.matched_op(op);
                self.rule.result(op, 0)
            }
        }
    }

    fn matched_op(&mut self, term: &'t OpTerm) -> NodeId {
        let operands: Vec<NodeId> = term.operands.iter().map(|operand| self.matched_value(operand)).collect();
        let attrs: Vec<_> =
            term.attrs.iter().map(|(name, value)| (name, self.rule.attr_constant(value))).collect();
        let ty = term.ty.as_ref().map(|ty| self.rule.type_constant(ty));
        let mut op = self.rule.op(&term.name);
        if operands.is_empty() {
            op = op.no_operands();
        }
        op = operands.into_iter().fold(op, OpBuilder::operand);
        op = attrs.into_iter().fold(op, |op, (name, value)| op.attr(name, value));
        op = ty.into_iter().fold(op, OpBuilder::result_type);
        op.matched()
    }

    fn created_value(&mut self, term: &'t Term) -> Result<Source, Diagnostics> {
        match &term.0 {
            Kind::Var(name) => match self.vars.get(name.as_str()) {
                Some(&value) => Ok(Source::Matched(value)),
                None => Err(error::unbound_variable(name).into()),
            },
            Kind::Op(op) => {
                let op = self.created_op(op, None)?;
                Ok(self.rule.result_of(op, 0).into())
            }
        }
    }

    /// Creates an operation, whose result has this type unless the term states another.
    fn created_op(&mut self, term: &'t OpTerm, ty: Option<LocalId>) -> Result<LocalId, Diagnostics> {
        let operands: Vec<Source> =
            term.operands.iter().map(|operand| self.created_value(operand)).collect::<Result<_, _>>()?;
        let attrs: Vec<_> =
            term.attrs.iter().map(|(name, value)| (name, self.rule.make_attr(value))).collect();
        let ty = term.ty.as_ref().map(|ty| self.rule.make_type(ty)).or(ty);
        let mut op = self.rule.create(&term.name);
        op = operands.into_iter().fold(op, CreateBuilder::operand);
        op = attrs.into_iter().fold(op, |op, (name, value)| op.attr(name, value));
        op = match ty {
            Some(ty) => op.result_type(ty),
            None => op.infer_results(),
        };
        Ok(op.created())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pdl::print::print_pattern;

    #[test]
    fn terms_and_the_builder_make_the_same_rule() {
        let mut rules = RuleSet::default();
        let from = op("t.neg", [op("t.sub", [var("a"), op("t.c", []).attr("v", "1 : i32").ty("i32")])]);
        let to = op("t.sub", [op("t.c", []).attr("v", "2 : i32"), var("a")]);
        let id = rules.replacement("r", 2, &from, &to).expect("a valid rule");
        let printed = print_pattern(&rules, id);
        let mut rule = rules.pattern("r", 2);
        let a = rule.value();
        rule.name(a, "a");
        let one = rule.attr_constant("1 : i32");
        let i32 = rule.type_constant("i32");
        let c = rule.op("t.c").no_operands().attr("v", one).result_type(i32).matched();
        let c = rule.result(c, 0);
        let sub = rule.op("t.sub").operand(a).operand(c).matched();
        let sub = rule.result(sub, 0);
        let root = rule.op("t.neg").operand(sub).matched();
        let value = rule.result(root, 0);
        let ty = rule.type_of(value);
        let two = rule.make_attr("2 : i32");
        let c = rule.create("t.c").attr("v", two).infer_results().created();
        let c = rule.result_of(c, 0);
        let by = rule.create("t.sub").operand(c).operand(a).result_type(ty).created();
        rule.replace_by_op(root, by);
        let id = rule.finish().expect("a valid rule");
        assert_eq!(printed, print_pattern(&rules, id));
    }

    #[test]
    fn a_variable_that_occurs_twice_is_one_value() {
        let mut rules = RuleSet::default();
        let from = op("t.and", [var("a"), var("a")]);
        let id = rules.replacement("r", 1, &from, &var("a")).expect("a valid rule");
        let nodes = &rules.patterns[id].matcher;
        assert_eq!(nodes.ops_in_post_order().len(), 1);
        assert_eq!(print_pattern(&rules, id).matches("= pdl.operand").count(), 1);
    }

    #[test]
    fn terms_that_do_not_form_a_rule_are_errors() {
        let mut rules = RuleSet::default();
        let errors = rules.replacement("r", 1, &var("a"), &var("a")).unwrap_err();
        assert!(errors.to_string().contains("must match at least one operation"), "{errors}");
        let errors = rules.replacement("r", 1, &op("t.a", []), &var("b")).unwrap_err();
        assert!(errors.to_string().contains("the rule does not bind the variable 'b'"), "{errors}");
        assert!(rules.patterns.is_empty());
    }
}
