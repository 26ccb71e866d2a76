//! Definitions linked to a host, and the queries that all checks share.

use std::cell::RefCell;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::error::{self, Counted};
use super::texts::TextChecks;
use crate::host::{AttrNameId, Entity, Facets, Natives, OpNameId, TypeKind};
use crate::intern::{Interner, StrId};
use crate::ir::{AttrId, AttrKind, Context, IrHost, OpId, OpTraits, TypeId};
use crate::pdl::{Arity, Check, Constraint, OpDef, OpTable, Segments, Trait, ValueDef};
use crate::snippet::{Linked, SnippetId, Snippets};

/// Definitions that are bound to a context and verify its operations.
///
/// ```
/// use drrvm::ods_verify::Definitions;
/// use drrvm::host::Natives;
/// use drrvm::ir::{Context, IrHost, Module, OpSpec};
/// use drrvm::pdl::{OpDef, RuleSet};
/// let mut rules = RuleSet::default();
/// let name = rules.intern("my.op");
/// rules.ops_mut().insert(OpDef::new(name));
///
/// let mut context = Context::new();
/// let module = Module::new(&mut context);
/// let mut host = IrHost::new(context, module);
/// let definitions = Definitions::link(rules.ops(), rules.strings(), rules.snippets(), &mut host, &Natives::new());
/// let op = host.module.create(&OpSpec::new(host.context.op_name("my.op")));
/// assert!(definitions.check(&host, op).is_none());
/// ```
pub struct Definitions {
    pub(super) ops: HashMap<OpNameId, OpDef, FxBuildHasher>,
    pub(super) snippets: Snippets,
    pub(super) linked: Linked<IrHost>,
    pub(super) strings: Interner,
    pub(super) attr_names: HashMap<StrId, AttrNameId, FxBuildHasher>,
    pub(super) op_names: HashMap<StrId, OpNameId, FxBuildHasher>,
    /// The cached results of predicates on types.
    types: PredicateCache<TypeId>,
    /// The cached results of predicates on attributes.
    attrs: PredicateCache<AttrId>,
    pub(super) texts: TextChecks,
}

type PredicateCache<I> = RefCell<HashMap<(SnippetId, I), bool, FxBuildHasher>>;

impl Definitions {
    /// Binds definitions to a host. Registers the traits of the operations in its context, and the inherent attributes
    /// of operations with properties.
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
            texts: TextChecks::default(),
        };
        for def in table.iter() {
            definitions.bind(def, &mut host.context);
        }
        definitions
    }

    fn bind(&mut self, def: &OpDef, context: &mut Context) {
        let name = context.op_name(&self.strings[def.name]);
        context.set_traits(name, context.traits(name) | op_traits(&def.traits));
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

    /// Returns the attribute with this name.
    pub(super) fn attr(&self, host: &IrHost, op: OpId, name: StrId) -> Option<AttrId> {
        host.module.attr(&host.context, op, *self.attr_names.get(&name)?)
    }

    pub(super) fn attr_satisfies(&self, host: &IrHost, test: SnippetId, attr: AttrId) -> bool {
        if let Some(&known) = self.attrs.borrow().get(&(test, attr)) {
            return known;
        }
        let outcome = self.linked.holds(&self.snippets, test, host, &[Entity::Attr(Some(attr))]);
        let holds = !matches!(outcome, Ok(None));
        self.attrs.borrow_mut().insert((test, attr), holds);
        holds
    }

    /// True if the shape and elements of a type are known. They are unknown if a dialect defines the type and the type
    /// may be a `ShapedType`.
    pub(super) fn knows_shape(&self, host: &IrHost, ty: TypeId) -> bool {
        if !matches!(host.type_kind(ty), TypeKind::Dialect) {
            return true;
        }
        let text = host.type_text(ty);
        let declares = self.snippets.declares("ShapedType", &text);
        declares.or_else(|| host.context.declares("ShapedType", &text)) == Some(false)
    }

    pub(super) fn type_satisfies(&self, host: &IrHost, constraint: Constraint, ty: TypeId) -> bool {
        let key = (constraint.holds, ty);
        if let Some(&known) = self.types.borrow().get(&key) {
            return known;
        }
        let outcome = self.linked.holds(&self.snippets, constraint.holds, host, &[Entity::Type(ty)]);
        let holds = !matches!(outcome, Ok(None));
        self.types.borrow_mut().insert(key, holds);
        holds
    }

    /// Returns the size of each group. The caller has checked `total`, the number of the values, against the arities of
    /// `specs`.
    pub(super) fn sizes(
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
                // As in MLIR, a remainder belongs to no group and is not an error.
                let each = rest.checked_div(open).unwrap_or(0);
                let size = |spec: &ValueDef| if spec.arity == Arity::One { 1 } else { each };
                Ok(specs.iter().map(size).collect())
            }
            Segments::Attribute(name) => {
                let sizes = self.segments(host, op, what.word(), name, total)?;
                if sizes.len() != specs.len() {
                    let text = &self.strings[name];
                    return Err(error::segment_count(what, text, specs.len(), sizes.len()));
                }
                let mut start = 0;
                for (spec, &size) in specs.iter().zip(&sizes) {
                    if spec.arity == Arity::One && size != 1 {
                        return Err(error::segment_size(what, start, "1 element", size));
                    }
                    start += size;
                }
                Ok(sizes)
            }
        }
    }

    /// Returns the segment sizes in an attribute. Their sum must be `total`, the number of the values. `what` is the
    /// word for the values in messages.
    pub(super) fn segments(
        &self,
        host: &IrHost,
        op: OpId,
        what: &str,
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
}

/// The part of an operation's traits that the IR must know.
pub(crate) fn op_traits(traits: &[Trait]) -> OpTraits {
    let each = traits.iter().map(|known| match known {
        Trait::Terminator => OpTraits::TERMINATOR,
        Trait::IsolatedFromAbove => OpTraits::ISOLATED_FROM_ABOVE,
        Trait::SymbolTable => OpTraits::SYMBOL_TABLE,
        Trait::Symbol => OpTraits::SYMBOL,
        Trait::NoTerminator => OpTraits::NO_TERMINATOR,
        Trait::SingleBlock => OpTraits::SINGLE_BLOCK,
        // If C++ decides the kind of a region, the region may be a graph region, so it counts as one.
        Trait::GraphRegion | Trait::RegionKind => OpTraits::GRAPH_REGION,
        Trait::ConstantLike => OpTraits::CONSTANT_LIKE,
        Trait::Pure => OpTraits::PURE,
        Trait::ReadsMemory => OpTraits::READS_MEMORY,
        Trait::NestedEffects => OpTraits::NESTED_EFFECTS,
        Trait::Commutative => OpTraits::COMMUTATIVE,
        Trait::Idempotent => OpTraits::IDEMPOTENT,
        Trait::Involution => OpTraits::INVOLUTION,
        Trait::SameOperandsAndResultType => OpTraits::SAME_OPERANDS_AND_RESULT_TYPE,
        _ => OpTraits::default(),
    });
    each.fold(OpTraits::KNOWN, OpTraits::union)
}
