//! The traits of operations that only one side of a comparison defines.

use crate::bytecode::Program;
use crate::intern::Interner;
use crate::pdl::{OpDef, OpTable, RuleSet};

/// The operation table of one side: of a rule set or of a program.
pub struct SideOps<'a> {
    ops: &'a mut OpTable,
    strings: &'a mut Interner,
}

impl<'a> From<&'a mut RuleSet> for SideOps<'a> {
    fn from(rules: &'a mut RuleSet) -> Self {
        Self { ops: &mut rules.ops, strings: &mut rules.strings }
    }
}

impl<'a> From<&'a mut Program> for SideOps<'a> {
    fn from(program: &'a mut Program) -> Self {
        Self { ops: &mut program.ops, strings: &mut program.strings }
    }
}

/// Adds to each side the traits of the operations that only the other side defines, so that drivers treat both sides
/// alike.
///
/// ```
/// use drrvm::RuleSet;
/// use drrvm::equivalence::share_traits;
/// use drrvm::pdl::{OpDef, Trait};
/// let (mut a, mut b) = (RuleSet::default(), RuleSet::default());
/// let name = a.intern("t.pure");
/// a.ops_mut().insert(OpDef::new(name).traits([Trait::Pure]));
/// share_traits((&mut a).into(), (&mut b).into());
/// assert_eq!(b.ops().iter().map(|op| op.traits.len()).sum::<usize>(), 1);
/// ```
pub fn share_traits(mut a: SideOps<'_>, mut b: SideOps<'_>) {
    let (from_a, from_b) = (a.traits(), b.traits());
    a.adopt(from_b);
    b.adopt(from_a);
}

impl SideOps<'_> {
    fn traits(&self) -> Vec<(String, OpDef)> {
        self.ops.iter().map(|op| (self.strings[op.name].to_owned(), op.clone())).collect()
    }

    fn adopt(&mut self, definitions: Vec<(String, OpDef)>) {
        for (name, def) in definitions {
            let name = self.strings.intern(&name);
            if self.ops.find(name).is_some() {
                continue;
            }
            // Constraints refer to snippets of the defining side, so only the traits are copied.
            self.ops.insert(OpDef { traits: def.traits, span: def.span, ..OpDef::new(name) });
        }
    }
}
