//! The values of the constants in rules.

use std::cell::RefCell;

use hashbrown::HashMap;

use crate::host::{Entity, Natives};
use crate::ir::{AttrId, Context, IrHost, Module};
use crate::matcher_tree::AttrConstants;
use crate::pdl::{Constant, ConstantValues, RefusedConstant, RuleSet, refused_constants};
use crate::snippet::{Linked, SnippetId};

/// The constants of a rule set. Comparisons and predicates evaluate an attribute constant once, when it is first
/// needed, and a type constant each time that it is needed.
pub(super) struct EvaluatedConstants<'r> {
    rules: &'r RuleSet,
    linked: Linked<IrHost>,
    host: RefCell<IrHost>,
    values: RefCell<HashMap<Constant, Option<AttrId>>>,
}

impl<'r> EvaluatedConstants<'r> {
    pub(super) fn new(rules: &'r RuleSet, natives: &Natives<IrHost>) -> Self {
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let linked = Linked::link(&rules.snippets, &mut host, natives);
        Self { rules, linked, host: RefCell::new(host), values: RefCell::default() }
    }

    /// The constants that the host cannot make.
    pub(super) fn refused(&self) -> Vec<RefusedConstant> {
        refused_constants(self.rules, &self.linked, &mut *self.host.borrow_mut())
    }

    fn attr(&self, constant: Constant) -> Option<AttrId> {
        let evaluate = || {
            let values = ConstantValues::new(self.rules, &self.linked);
            values.attr(constant, &mut self.host.borrow_mut())
        };
        *self.values.borrow_mut().entry(constant).or_insert_with(evaluate)
    }
}

impl EvaluatedConstants<'_> {
    /// True if a predicate over types does not hold for a type constant.
    pub(super) fn is_refuted_for_type(&self, predicate: SnippetId, of: Constant) -> bool {
        let ty = ConstantValues::new(self.rules, &self.linked).ty(of, &mut self.host.borrow_mut());
        ty.is_some_and(|ty| self.holds(predicate, Entity::Type(ty)) == Some(false))
    }

    /// The answer of a predicate; `None` if its evaluation fails.
    fn holds(&self, predicate: SnippetId, of: Entity<IrHost>) -> Option<bool> {
        let outputs = self.linked.holds(&self.rules.snippets, predicate, &self.host.borrow(), &[of]).ok()?;
        Some(outputs.is_some())
    }
}

impl AttrConstants for EvaluatedConstants<'_> {
    fn differ(&self, a: Constant, b: Constant) -> bool {
        matches!((self.attr(a), self.attr(b)), (Some(a), Some(b)) if a != b)
    }

    fn answer(&self, predicate: SnippetId, of: Constant) -> Option<bool> {
        self.attr(of).and_then(|attr| self.holds(predicate, Entity::Attr(Some(attr))))
    }
}
