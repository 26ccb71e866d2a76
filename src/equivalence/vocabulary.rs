//! The operations of random IR, and random instances of them.
//!
//! Specification: the verifiers of the definitions and of the built-in dialects accept an instance of a known
//! operation. Instances of other operations, and terminators, are not verified.
//!
//! Method: constraints that relate several operands, results or attributes are not solved. An instance that violates
//! them is rejected and drawn again.

use hashbrown::HashMap;

use super::form::{FormBuilder, OpForm};
use super::frame::{FRAME, REGION, YIELD};
use super::instance::{Instance, Wanted};
use super::pool::Pool;
use super::random::Random;
use super::semantics::is_valid_cast;
use crate::host::{Natives, OpNameId};
use crate::id::{IdVec, define_ids};
use crate::intern::{Interner, StrId};
use crate::ir::{self, BlockId, Context, IrHost, Module, OpId, OpSpec, OpTraits, ValueId};
use crate::ods_verify::Definitions;
use crate::pdl::{OpDef, OpTable, RuleSet, Trait};
use crate::snippet::{Linked, Snippets};

/// The maximum number of draws for one instance.
const TRIES: usize = 40;
/// The maximum number of instances of each form that are kept for use as random operations.
const EXAMPLES: usize = 24;

define_ids! {
    /// A form of the vocabulary.
    pub(super) struct FormId;
}

/// The operations, types and attributes of random IR.
#[derive(Clone, Debug)]
pub(super) struct Vocabulary {
    pub(super) pool: Pool,
    pub(super) forms: IdVec<FormId, OpForm>,
    by_name: HashMap<OpNameId, Vec<FormId>>,
    /// Lists of instances, one list for each form from which instances could be drawn.
    pub(super) examples: Vec<Vec<Instance>>,
    pub(super) region: OpNameId,
    pub(super) end: OpNameId,
}

/// The verifiers that decide if an operation is valid.
pub(super) struct Validator {
    definitions: Vec<Definitions>,
}

impl Validator {
    /// Links the operation definitions of some tables, with the strings and snippets that they refer to. The verifier
    /// of the built-in dialects is always included.
    pub(super) fn new<'a>(
        tables: impl IntoIterator<Item = (&'a OpTable, &'a Interner, &'a Snippets)>,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Self {
        let mut definitions = Vec::new();
        for (ops, strings, snippets) in tables {
            // A definition without checks adds nothing.
            let mut table = OpTable::default();
            ops.iter().filter(|def| !def.checks.is_empty()).for_each(|def| {
                table.insert(def.clone());
            });
            definitions.push(Definitions::link(&table, strings, snippets, host, natives));
        }
        Self { definitions }
    }

    /// True if the host's module verifies.
    pub(super) fn accepts(&self, host: &IrHost) -> bool {
        let mut casts = true;
        let errors = ir::verify_with(&host.context, &host.module, |op, errors| {
            casts &= is_valid_cast(host, op);
            let found = self.definitions.iter().find_map(|definitions| definitions.check(host, op));
            found.into_iter().for_each(|error| errors.push(error));
        });
        casts && !errors.has_errors()
    }
}

impl Vocabulary {
    /// Collects the operations that any of these rule sets mentions, and the constant operations of their dialects.
    pub(super) fn new(
        sets: &[&RuleSet],
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        validator: &Validator,
        random: &Random,
    ) -> Self {
        let pool = Pool::new(sets, host, natives);
        let (region, end) = (host.context.op_name(REGION), host.context.op_name(YIELD));
        let (forms, by_name, examples) = (IdVec::default(), HashMap::new(), Vec::new());
        let mut all = Self { pool, forms, by_name, examples, region, end };
        for set in sets {
            let linked = Linked::link(&set.snippets, host, natives);
            let mut builder = FormBuilder::new(set, linked);
            let mentioned = set.mentioned_ops();
            let constants = unmentioned_constants(set, &mentioned);
            for name in mentioned.iter().chain(&constants).copied() {
                let text = &set.strings[name];
                if FRAME.contains(&text) {
                    continue;
                }
                let id = host.context.op_name(text);
                let known = all.by_name.get(&id).map_or(&[][..], Vec::as_slice);
                let defined = known.iter().any(|&form| all.forms[form].declared);
                let forms = match set.ops.find(name).filter(|def| !def.checks.is_empty()) {
                    Some(_) if defined => continue,
                    Some(def) => vec![builder.defined(def, id, &all.pool, host)],
                    None if defined => continue,
                    None => builder.guessed(name, id, &all.pool, host),
                };
                for form in forms {
                    let form = all.forms.push(form);
                    all.by_name.entry(id).or_default().push(form);
                }
            }
        }
        all.examples(host, validator, random);
        all
    }

    /// The forms of the operations with a name.
    pub(super) fn forms_of(&self, name: OpNameId) -> impl Iterator<Item = &OpForm> {
        self.by_name.get(&name).into_iter().flatten().map(|&form| &self.forms[form])
    }

    /// The forms of constants.
    pub(super) fn constants(&self) -> Vec<&OpForm> {
        self.forms.iter().filter(|form| form.constant).collect()
    }

    /// Draws an instance that satisfies the requirements, or returns `None` after [`TRIES`] failed draws. Can replace
    /// the host's module.
    pub(super) fn instance(
        &self,
        form: &OpForm,
        host: &mut IrHost,
        validator: &Validator,
        wanted: &Wanted,
        random: &mut Random,
    ) -> Option<Instance> {
        (0..TRIES).find_map(|_| {
            let instance = form.draw(host, &self.pool, wanted, random)?;
            self.is_valid(&instance, host, validator).then_some(instance)
        })
    }

    /// True if the operation verifies by itself, or if it is unknown or a terminator. Can replace the host's module.
    pub(super) fn is_valid(&self, instance: &Instance, host: &mut IrHost, validator: &Validator) -> bool {
        if !host.context.traits(instance.name).contains(OpTraits::KNOWN) || instance.terminator {
            return true;
        }
        host.module = Module::new(&mut host.context);
        let IrHost { context, module } = host;
        let source = module.create(&OpSpec::new(self.region).results(&instance.operands));
        module.append(module.body(), source);
        let operands: Vec<ValueId> = module.results(source).collect();
        let body = module.body();
        self.append(instance, &operands, module, context, body);
        validator.accepts(host)
    }

    /// Draws a few instances of each form.
    fn examples(&mut self, host: &mut IrHost, validator: &Validator, random: &Random) {
        for id in self.forms.ids() {
            let form = self.forms[id].clone();
            if form.terminator {
                continue;
            }
            let mut random = random.fork(u64::from(id.raw()));
            let drawn = (0..EXAMPLES)
                .filter_map(|_| self.instance(&form, host, validator, &Wanted::default(), &mut random))
                .collect::<Vec<_>>();
            if !drawn.is_empty() {
                self.examples.push(drawn);
            }
        }
    }

    /// Creates the operation at the end of a block. Each region gets a block with a terminator.
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

/// For each dialect that rules mention, the constant operations that no rule mentions. A rule can match the value of a
/// constant operation without mentioning the operation.
fn unmentioned_constants(rules: &RuleSet, mentioned: &[StrId]) -> Vec<StrId> {
    let dialect = |name: StrId| rules.strings[name].split_once('.').map(|(dialect, _)| dialect);
    let is_unmentioned_constant = |def: &&OpDef| {
        let has_mentioned_dialect = || mentioned.iter().any(|&name| dialect(name) == dialect(def.name));
        def.traits.contains(&Trait::ConstantLike) && !mentioned.contains(&def.name) && has_mentioned_dialect()
    };
    rules.ops.iter().filter(is_unmentioned_constant).map(|def| def.name).collect()
}
