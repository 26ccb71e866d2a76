//! The operations that random IR consists of, and random instances of them.
//!
//! Specification: verification, by definitions and of the built-in dialects, finds nothing wrong with an
//! instance.
//!
//! Method: what relates several places of an operation is left to who verifies, and drawn again.

use hashbrown::HashMap;

use super::Random;
use super::form::{FormMaker, OpForm};
use super::instance::{Instance, Wanted};
use super::pool::Pool;
use super::semantics::casts_well;
use crate::host::{Natives, OpNameId};
use crate::intern::{Interner, StrId};
use crate::ir::{self, BlockId, Context, IrHost, Module, OpId, OpSpec, OpTraits, ValueId};
use crate::ods_verify::Definitions;
use crate::pdl::{OpDef, OpTable, RuleSet, Trait};
use crate::snippet::{Linked, Snippets};

/// An operation of no dialect that holds a region, so that rules meet IR that is nested.
pub(super) const REGION: &str = "drrvm.region";
/// What ends the blocks in regions.
pub(super) const YIELD: &str = "drrvm.yield";
/// Tries until an instance is given up.
const TRIES: usize = 40;
/// How many instances of an operation are kept for who wants any.
const EXAMPLES: usize = 24;

/// All that random IR can consist of.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pub(super) pool: Pool,
    pub(super) forms: Vec<OpForm>,
    pub(super) by_name: HashMap<OpNameId, Vec<usize>>,
    /// Instances of each form that has some.
    pub(super) examples: Vec<Vec<Instance>>,
    pub(super) region: OpNameId,
    pub(super) end: OpNameId,
}

/// Who says whether an operation is well formed.
pub(super) struct Judge {
    definitions: Vec<Definitions>,
}

impl Judge {
    /// What these definitions say, with the strings and snippets they refer to, and the verifier of the
    /// built-in dialects.
    pub(super) fn new<'a>(
        tables: impl IntoIterator<Item = (&'a OpTable, &'a Interner, &'a Snippets)>,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Self {
        let mut definitions = Vec::new();
        for (ops, strings, snippets) in tables {
            // A definition that asks nothing knows no more than a few traits.
            let mut table = OpTable::default();
            ops.iter().filter(|def| !def.checks.is_empty()).for_each(|def| {
                table.insert(def.clone());
            });
            definitions.push(Definitions::link(&table, strings, snippets, host, natives));
        }
        Self { definitions }
    }

    /// Whether nothing is wrong with a host's module.
    pub(super) fn accepts(&self, host: &IrHost) -> bool {
        let mut casts = true;
        let errors = ir::verify_with(&host.context, &host.module, |op, errors| {
            casts &= casts_well(host, op);
            let found = self.definitions.iter().find_map(|definitions| definitions.check(host, op));
            found.into_iter().for_each(|error| errors.push(error));
        });
        casts && !errors.has_errors()
    }
}

/// Names that only frame random IR; they are no part of it.
const FRAME: &[&str] =
    &["builtin.module", "func.func", "func.return", "cf.br", "cf.cond_br", "cf.switch", "func.call"];

impl Vocabulary {
    /// The operations `keep` keeps of those that these rule sets mention.
    pub(super) fn new(
        sets: &[&RuleSet],
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        judge: &Judge,
        keep: &dyn Fn(&str) -> bool,
        random: &Random,
    ) -> Self {
        let pool = Pool::new(sets, host, natives);
        let (region, end) = (host.context.op_name(REGION), host.context.op_name(YIELD));
        let (forms, by_name, examples) = (Vec::new(), HashMap::new(), Vec::new());
        let mut all = Self { pool, forms, by_name, examples, region, end };
        for set in sets {
            let linked = Linked::link(&set.snippets, host, natives);
            let mut maker = FormMaker::new(set, linked);
            let mentioned = set.mentioned_ops();
            let constants = constants_beside(set, &mentioned);
            for name in mentioned.iter().chain(&constants).copied() {
                let text = &set.strings[name];
                if FRAME.contains(&text) || !keep(text) && !constants.contains(&name) {
                    continue;
                }
                let id = host.context.op_name(text);
                let known = all.by_name.get(&id).map_or(&[][..], Vec::as_slice);
                let defined = known.iter().any(|&form| all.forms[form].declared);
                let forms = match set.ops.find(name).filter(|def| !def.checks.is_empty()) {
                    Some(_) if defined => continue,
                    Some(def) => vec![maker.defined(def, id, &all.pool, host)],
                    None if defined => continue,
                    None => maker.guessed(name, id, &all.pool, host),
                };
                for form in forms {
                    all.by_name.entry(id).or_default().push(all.forms.len());
                    all.forms.push(form);
                }
            }
        }
        all.examples(host, judge, random);
        all
    }

    /// A random instance of a form that is as wanted; `None` if a few tries give none. Leaves another module in
    /// the host.
    pub(super) fn instance(
        &self,
        form: &OpForm,
        host: &mut IrHost,
        judge: &Judge,
        wanted: &Wanted,
        random: &mut Random,
    ) -> Option<Instance> {
        (0..TRIES).find_map(|_| {
            let instance = form.draw(host, &self.pool, wanted, random)?;
            self.is_valid(&instance, host, judge).then_some(instance)
        })
    }

    /// Whether nothing is wrong with the operation by itself. Leaves another module in the host.
    pub(super) fn is_valid(&self, instance: &Instance, host: &mut IrHost, judge: &Judge) -> bool {
        if !host.context.traits(instance.name).has(OpTraits::KNOWN) || instance.terminator {
            return true;
        }
        host.module = Module::new(&mut host.context);
        let IrHost { context, module } = host;
        let source = module.create(&OpSpec::new(self.region).results(&instance.operands));
        module.append(module.body(), source);
        let operands: Vec<ValueId> = module.results(source).collect();
        let body = module.body();
        self.append(instance, &operands, module, context, body);
        judge.accepts(host)
    }

    /// A few instances of each form, for who wants any operation.
    fn examples(&mut self, host: &mut IrHost, judge: &Judge, random: &Random) {
        for at in 0..self.forms.len() {
            let form = self.forms[at].clone();
            if form.terminator {
                continue;
            }
            let mut random = random.fork(at as u64);
            let drawn = (0..EXAMPLES)
                .filter_map(|_| self.instance(&form, host, judge, &Wanted::default(), &mut random))
                .collect::<Vec<_>>();
            if !drawn.is_empty() {
                self.examples.push(drawn);
            }
        }
    }

    /// Makes the operation at the end of a block. Its regions get a block that ends, and nothing else.
    pub(super) fn append(
        &self,
        instance: &Instance,
        operands: &[ValueId],
        module: &mut Module,
        context: &mut Context,
        block: BlockId,
    ) -> OpId {
        let dictionary = context.dictionary(&mut instance.attributes.clone());
        let (properties, attrs) = match instance.declared {
            true => (dictionary, Context::EMPTY_DICTIONARY),
            false => (Context::EMPTY_DICTIONARY, dictionary),
        };
        let spec = OpSpec::new(instance.name).operands(operands).results(&instance.results);
        let op = module.create(&OpSpec { properties, attrs, regions: instance.regions, ..spec });
        for region in module.regions(op).to_vec() {
            let block = module.append_block(region);
            let end = module.create(&OpSpec::new(self.end));
            module.append(block, end);
        }
        module.append(block, op);
        op
    }
}

/// The constants of the dialects whose operations rules mention: rules ask for their values, without naming them.
fn constants_beside(rules: &RuleSet, mentioned: &[StrId]) -> Vec<StrId> {
    let dialect = |name: StrId| rules.strings[name].split_once('.').map(|(dialect, _)| dialect);
    let is_beside = |def: &&OpDef| {
        let near = || mentioned.iter().any(|&name| dialect(name) == dialect(def.name));
        def.traits.contains(&Trait::ConstantLike) && !mentioned.contains(&def.name) && near()
    };
    rules.ops.iter().filter(is_beside).map(|def| def.name).collect()
}
