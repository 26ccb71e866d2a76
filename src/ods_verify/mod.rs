//! Whether operations are what their definitions say: verification from ODS alone, without C++.
//!
//! Specification: an operation that `mlir-opt-22` rejects for what its definition states (counts, segments,
//! constraints, traits that MLIR knows) is rejected with the same words, and no operation that it
//! accepts is rejected.
//!
//! An [`OpTable`] with its snippets goes in, linked to an [`IrHost`]; for each operation comes out what is wrong
//! with it first, in the order in which MLIR looks. A constraint whose C++ is no snippet, or calls a
//! native that nobody registered, is taken as satisfied. Deliberately absent: verifiers written in C++.
//!
//! Method: what the table says by name is bound to the context once. Predicates over a type or an
//! attribute alone are remembered for each of these, since equal ones are one.

mod error;
mod shapes;
mod texts;
mod traits;

use std::cell::RefCell;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use error::Counted;
use texts::Texts;

use crate::host::{AttrNameId, Entity, Facets, Natives, OpNameId, TypeKind};
use crate::intern::{Interner, StrId};
use crate::ir::{AttrId, AttrKind, Context, IrHost, OpId, OpTraits, TypeId, ValueId};
use crate::pdl::{Arity, AttrDef, Check, Constraint, Count, OpDef, OpTable, Segments, Trait, ValueDef};
use crate::snippet::{Linked, SnippetId, Snippets};
use crate::source::Diagnostic;

/// Definitions bound to a context, to verify its operations with.
///
/// ```
/// use drrvm::ods_verify::Definitions;
/// use drrvm::host::Natives;
/// use drrvm::ir::{Context, IrHost, Module, OpSpec};
/// use drrvm::pdl::{OpDef, RuleSet};
/// let mut rules = RuleSet::default();
/// let name = rules.strings.intern("my.op");
/// rules.ops.insert(OpDef::new(name));
///
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let mut host = IrHost::new(context, module);
/// let definitions = Definitions::link(&rules.ops, &rules.strings, &rules.snippets, &mut host, &Natives::new());
/// let op = host.module.create(&OpSpec::new(host.context.op_name("my.op")));
/// assert!(definitions.check(&host, op).is_none());
/// ```
pub struct Definitions {
    ops: HashMap<OpNameId, OpDef, FxBuildHasher>,
    snippets: Snippets,
    linked: Linked<IrHost>,
    strings: Interner,
    attr_names: HashMap<StrId, AttrNameId, FxBuildHasher>,
    op_names: HashMap<StrId, OpNameId, FxBuildHasher>,
    /// What predicates said of types and attributes.
    types: Answers<TypeId>,
    attrs: Answers<AttrId>,
    texts: Texts,
}

type Answers<I> = RefCell<HashMap<(SnippetId, I), bool, FxBuildHasher>>;

/// What is wrong, or nothing.
type Verdict = Result<(), String>;

impl Definitions {
    /// Binds definitions to a host, and tells its context what the operations are.
    pub fn link(
        table: &OpTable,
        strings: &Interner,
        snippets: &Snippets,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
    ) -> Self {
        let linked = Linked::link(snippets, host, natives).with_attached_interfaces();
        let mut definitions = Self {
            ops: HashMap::default(),
            snippets: snippets.clone(),
            linked,
            strings: strings.clone(),
            attr_names: HashMap::default(),
            op_names: HashMap::default(),
            types: RefCell::default(),
            attrs: RefCell::default(),
            texts: Texts::default(),
        };
        for def in table.iter() {
            definitions.bind(def, &mut host.context);
        }
        definitions
    }

    fn bind(&mut self, def: &OpDef, context: &mut Context) {
        let name = context.op_name(&self.strings[def.name]);
        context.set_traits(name, context.traits(name) | op_traits(def));
        let segments = [def.operand_segments, def.result_segments].into_iter().filter_map(|s| match s {
            Segments::Attribute(name) => Some(name),
            _ => None,
        });
        let mut declared = Vec::new();
        for id in def.attributes.iter().map(|attribute| attribute.name).chain(segments) {
            let attr = context.attr_name(&self.strings[id]);
            self.attr_names.insert(id, attr);
            declared.push(attr);
        }
        if def.has_properties {
            context.set_inherent(name, &declared);
        }
        for check in &def.checks {
            let named = match check {
                Check::Parent(parents) => parents.as_slice(),
                Check::RegionTerminator(name) => std::slice::from_ref(name),
                _ => &[],
            };
            for &id in named {
                self.op_names.insert(id, context.op_name(&self.strings[id]));
            }
        }
        self.ops.insert(name, def.clone());
    }

    /// What is wrong with an operation, without what is inside its regions; nothing if it is as defined, or
    /// not defined at all. Attributes and types of dialects have to be written as their definitions say.
    pub fn check(&self, host: &IrHost, op: OpId) -> Option<Diagnostic> {
        let conforms =
            || self.ops.get(&host.module.name(op)).map_or(Ok(()), |def| self.conforms(host, op, def));
        let problem = self.texts.of_op(host, &self.snippets, op).and_then(|()| conforms()).err()?;
        let name = host.context.op_name_text(host.module.name(op));
        Some(error::violation(name, &problem, host.context.loc_span(host.module.loc(op))))
    }

    fn conforms(&self, host: &IrHost, op: OpId, def: &OpDef) -> Verdict {
        let module = &host.module;
        let operands = module.operands(op);
        let results: Vec<ValueId> = module.results(op).collect();
        let regions = match def.regions.as_slice() {
            [before @ .., last] if last.variadic => Count::at_least(number(before.len())),
            all => Count::exactly(number(all.len())),
        };
        count(Counted::Region, regions, module.regions(op).len())?;
        count(Counted::Result, values(&def.results), results.len())?;
        count(Counted::Successor, def.successors, module.successors(op).len())?;
        count(Counted::Operand, values(&def.operands), operands.len())?;
        for check in &def.checks {
            match check {
                Check::Trait(known) => self.is(host, op, def, *known)?,
                Check::Parent(names) => self.parent(host, op, names)?,
                Check::RegionTerminator(name) => self.region_ends(host, op, *name)?,
                Check::Constraints => {
                    for attribute in &def.attributes {
                        self.attribute(host, op, attribute)?;
                    }
                    self.groups(host, op, Counted::Operand, def, operands)?;
                    self.groups(host, op, Counted::Result, def, &results)?;
                }
                Check::Holds(condition) => {
                    let outcome = self.linked.holds(&self.snippets, condition.holds, host, &[Entity::Op(op)]);
                    if matches!(outcome, Ok(None)) {
                        return Err(error::predicate(&self.strings[condition.summary]));
                    }
                }
                Check::Regions => self.regions(host, op, def)?,
            }
        }
        Ok(())
    }

    /// The attribute of this name.
    fn attr(&self, host: &IrHost, op: OpId, name: StrId) -> Option<AttrId> {
        host.module.attr(&host.context, op, *self.attr_names.get(&name)?)
    }

    fn attribute(&self, host: &IrHost, op: OpId, attribute: &AttrDef) -> Verdict {
        let name = &self.strings[attribute.name];
        let Some(attr) = self.attr(host, op, attribute.name) else {
            return if attribute.optional { Ok(()) } else { Err(error::no_attribute(name)) };
        };
        let summary = attribute.constraint.map_or("of its class", |c| &self.strings[c.summary]);
        for test in attribute.storage.into_iter().chain(attribute.constraint.map(|c| c.holds)) {
            if !self.attr_satisfies(host, test, attr) {
                return Err(error::attribute(name, summary));
            }
        }
        Ok(())
    }

    fn attr_satisfies(&self, host: &IrHost, test: SnippetId, attr: AttrId) -> bool {
        if let Some(&known) = self.attrs.borrow().get(&(test, attr)) {
            return known;
        }
        let outcome = self.linked.holds(&self.snippets, test, host, &[Entity::Attr(Some(attr))]);
        let holds = !matches!(outcome, Ok(None));
        self.attrs.borrow_mut().insert((test, attr), holds);
        holds
    }

    /// Whether it is known what shape and elements a type has, if any: a dialect's own may have some.
    fn knows_shape(&self, host: &IrHost, ty: TypeId) -> bool {
        !matches!(host.type_kind(ty), TypeKind::Dialect)
            || self.snippets.declares("ShapedType", &host.type_text(ty)) == Some(false)
    }

    fn type_satisfies(&self, host: &IrHost, constraint: Constraint, ty: TypeId) -> bool {
        let key = (constraint.holds, ty);
        if let Some(&known) = self.types.borrow().get(&key) {
            return known;
        }
        let outcome = self.linked.holds(&self.snippets, constraint.holds, host, &[Entity::Type(ty)]);
        let holds = !matches!(outcome, Ok(None));
        self.types.borrow_mut().insert(key, holds);
        holds
    }

    /// Operands or results against their constraints.
    fn groups(&self, host: &IrHost, op: OpId, what: Counted, def: &OpDef, all: &[ValueId]) -> Verdict {
        let (specs, segments) = match what {
            Counted::Result => (&def.results, def.result_segments),
            _ => (&def.operands, def.operand_segments),
        };
        let sizes = self.sizes(host, op, what, specs, segments, all.len())?;
        let mut start = 0;
        for (spec, size) in specs.iter().zip(sizes) {
            let end = start + size;
            if let Some(constraint) = spec.constraint {
                for (index, &value) in all.iter().enumerate().take(end).skip(start) {
                    let ty = host.module.value_type(value);
                    if !self.type_satisfies(host, constraint, ty) {
                        let summary = &self.strings[constraint.summary];
                        return Err(error::value_type(what, index, summary, &host.context.brief_type(ty)));
                    }
                }
            }
            if spec.arity == Arity::Optional && size > 1 {
                return Err(error::segment_size(what, &self.strings[spec.name], "0 or 1 element", size));
            }
            start = end;
        }
        Ok(())
    }

    /// How many values each group has. The count of all has been found to be enough.
    fn sizes(
        &self,
        host: &IrHost,
        op: OpId,
        what: Counted,
        specs: &[ValueDef],
        segments: Segments,
        total: usize,
    ) -> Result<Vec<usize>, String> {
        let open = specs.iter().filter(|spec| spec.arity != Arity::One).count();
        let rest = total.saturating_sub(specs.len() - open);
        match segments {
            Segments::Rest | Segments::Equal => {
                // As MLIR has it: what does not divide is in no group, and is not an error.
                let each = rest.checked_div(open).unwrap_or(0);
                let size = |spec: &ValueDef| if spec.arity == Arity::One { 1 } else { each };
                Ok(specs.iter().map(size).collect())
            }
            Segments::Attribute(name) => {
                let sizes = self.segments(host, op, what, name, total)?;
                if sizes.len() != specs.len() {
                    let text = &self.strings[name];
                    return Err(error::segment_count(what, text, specs.len(), sizes.len()));
                }
                for (spec, &size) in specs.iter().zip(&sizes) {
                    if spec.arity == Arity::One && size != 1 {
                        let name = &self.strings[spec.name];
                        return Err(error::segment_size(what, name, "1 element", size));
                    }
                }
                Ok(sizes)
            }
        }
    }

    /// The sizes that an attribute lists, which sum up to all there are.
    fn segments(
        &self,
        host: &IrHost,
        op: OpId,
        what: Counted,
        name: StrId,
        total: usize,
    ) -> Result<Vec<usize>, String> {
        let text = &self.strings[name];
        let attr = self.attr(host, op, name).map(|attr| host.context.attr_kind(attr));
        let Some(AttrKind::DenseArray { element: Context::I32, data }) = attr else {
            return Err(error::no_segments(text));
        };
        let (mut sizes, mut sum) = (Vec::new(), 0);
        for bytes in data.chunks_exact(4) {
            let size = bytes.try_into().map(i32::from_le_bytes).unwrap_or(-1);
            sizes.push(usize::try_from(size).map_err(|_| error::negative_segment(text))?);
            sum += i64::from(size);
        }
        if usize::try_from(sum) != Ok(total) {
            return Err(error::segment_sum(what, text, total, sum));
        }
        Ok(sizes)
    }

    fn parent(&self, host: &IrHost, op: OpId, names: &[StrId]) -> Verdict {
        let parent = host.module.parent(op).map(|parent| host.module.name(parent));
        let is = |name: &StrId| parent.is_some() && self.op_names.get(name).copied() == parent;
        if names.iter().any(is) {
            return Ok(());
        }
        let names: Vec<&str> = names.iter().map(|&name| &self.strings[name]).collect();
        Err(error::parent(&names))
    }

    fn region_ends(&self, host: &IrHost, op: OpId, wanted: StrId) -> Verdict {
        let module = &host.module;
        for &region in module.regions(op) {
            let last = module.first_block(region).and_then(|block| module.last_op(block));
            let Some(name) = last.map(|last| module.name(last)) else { continue };
            if self.op_names.get(&wanted) != Some(&name) {
                return Err(error::region_end(&self.strings[wanted], host.context.op_name_text(name)));
            }
        }
        Ok(())
    }

    fn regions(&self, host: &IrHost, op: OpId, def: &OpDef) -> Verdict {
        let Some(last) = def.regions.last() else { return Ok(()) };
        let specs = def.regions.iter().chain(std::iter::repeat(last));
        for (index, (&region, spec)) in host.module.regions(op).iter().zip(specs).enumerate() {
            if !spec.blocks.allows(host.module.region_blocks(region).count()) {
                let (name, summary) = (&self.strings[spec.name], &self.strings[spec.summary]);
                return Err(error::region(index, name, summary));
            }
        }
        Ok(())
    }
}

/// What the IR has to know of an operation.
fn op_traits(def: &OpDef) -> OpTraits {
    let each = def.traits.iter().map(|known| match known {
        Trait::Terminator => OpTraits::TERMINATOR,
        Trait::IsolatedFromAbove => OpTraits::ISOLATED_FROM_ABOVE,
        Trait::SymbolTable => OpTraits::SYMBOL_TABLE,
        Trait::Symbol => OpTraits::SYMBOL,
        Trait::NoTerminator => OpTraits::NO_TERMINATOR,
        Trait::SingleBlock => OpTraits::SINGLE_BLOCK,
        // What C++ decides may be a graph.
        Trait::GraphRegion | Trait::RegionKind => OpTraits::GRAPH_REGION,
        Trait::ConstantLike => OpTraits::CONSTANT_LIKE,
        Trait::Pure => OpTraits::PURE,
        Trait::SameOperandsAndResultType => OpTraits::SAME_OPERANDS_AND_RESULT_TYPE,
        _ => OpTraits::default(),
    });
    each.fold(OpTraits::KNOWN, OpTraits::with)
}

fn number(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// How many values there may be.
fn values(specs: &[ValueDef]) -> Count {
    let fixed = number(specs.iter().filter(|spec| spec.arity == Arity::One).count());
    let open = specs.iter().any(|spec| spec.arity != Arity::One);
    if open { Count::at_least(fixed) } else { Count::exactly(fixed) }
}

fn count(what: Counted, wanted: Count, found: usize) -> Verdict {
    if wanted.allows(found) {
        return Ok(());
    }
    Err(match wanted.most {
        Some(_) => error::exact_count(what, wanted.least, found),
        None => error::least_count(what, wanted.least, found),
    })
}
