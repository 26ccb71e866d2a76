//! What the constants of rules are.

use std::cell::RefCell;

use hashbrown::HashMap;

use crate::host::{Bind, Entity, Natives};
use crate::ir::{AttrId, Context, IrHost, Module};
use crate::matcher_tree::AttrConstants;
use crate::pdl::{Constant, RuleSet};
use crate::snippet::{Linked, SnippetId};

/// The attributes that are constants of some rules, each evaluated when it is first asked for.
pub(super) struct Evaluated<'r> {
    rules: &'r RuleSet,
    linked: Linked<IrHost>,
    host: RefCell<IrHost>,
    known: RefCell<HashMap<Constant, Option<AttrId>>>,
}

impl<'r> Evaluated<'r> {
    pub(super) fn new(rules: &'r RuleSet, natives: &Natives<IrHost>) -> Self {
        let mut context = Context::new();
        let module = Module::new(&mut context);
        let mut host = IrHost::new(context, module);
        let linked = Linked::link(&rules.snippets, &mut host, natives);
        Self { rules, linked, host: RefCell::new(host), known: RefCell::default() }
    }

    fn attr(&self, constant: Constant) -> Option<AttrId> {
        let evaluate = || {
            let mut host = self.host.borrow_mut();
            match constant {
                Constant::Text(text) => host.bind_attr(&self.rules.strings[text]),
                Constant::Snippet(id) => match self.linked.make(&self.rules.snippets, id, &mut *host) {
                    Ok(Entity::Attr(attr)) => attr,
                    _ => None,
                },
            }
        };
        *self.known.borrow_mut().entry(constant).or_insert_with(evaluate)
    }
}

impl AttrConstants for Evaluated<'_> {
    fn differ(&self, a: Constant, b: Constant) -> bool {
        matches!((self.attr(a), self.attr(b)), (Some(a), Some(b)) if a != b)
    }

    fn is_refuted(&self, predicate: SnippetId, of: Constant) -> bool {
        self.attr(of).is_some_and(|attr| {
            let of = [Entity::Attr(Some(attr))];
            matches!(self.linked.holds(&self.rules.snippets, predicate, &self.host.borrow(), &of), Ok(None))
        })
    }
}
