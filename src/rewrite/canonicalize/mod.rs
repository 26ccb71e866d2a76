//! Canonicalisation.
//!
//! Specification: [`canonicalize`] behaves like MLIR's pass `-canonicalize`. It applies the rules of the engine, the
//! registered canonicalisations, and the rules for `arith`, `cf`, `func` and `tensor.cast` that exist only as C++ code
//! in MLIR. The operations of `arith` fold even if no fold is registered, and so do
//! `builtin.unrealized_conversion_cast`, `tensor.cast` and `memref.cast`. Operands of commutative operations are
//! ordered, constants are unique, and regions are simplified.
//!
//! Method: an [`Extension`] of the greedy driver. Registered folds take precedence over built-in folds, and rules of
//! the engine take precedence over built-in rules.

mod arith;
mod branch;
mod builtin;
mod cf;
mod compare;
mod edit;
mod elements;
mod names;
mod regions;
mod shapes;

use std::sync::Arc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use self::arith::{Fold, FoldRule};
use self::cf::{Apply, Rule};
use self::edit::Editor;
use self::names::Names;
use self::regions::Knowledge;
use super::greedy::{Config, Driver, Extension, Site, Traversal};
use super::op_facts::OpFacts;
use super::report::Report;
use super::worklist::Worklist;
use crate::host::{
    AttrKind, Blocks, CreatedFold, Facets, Folded, Hooks, Journal, Listener, NamedAttr, Natives, OpNameId,
    OpState, Refusal, Rewriter, Signedness, TypeKind,
};
use crate::log::span;
use crate::vm::Engine;

/// The simplification of regions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegionSimplification {
    /// No simplification.
    Disabled,
    /// Removes unreachable blocks, dead operations and dead block arguments. MLIR's default.
    #[default]
    Normal,
    /// In addition, merges equal blocks, and removes block arguments that always have the same value.
    Aggressive,
}

/// Options of canonicalisation, with the defaults of MLIR's pass.
///
/// ```
/// use drrvm::rewrite::{Canonicalization, Config, RegionSimplification};
/// let config = Canonicalization::default()
///     .region_simplification(RegionSimplification::Aggressive)
///     .driver(Config::default().max_sweeps(3));
/// assert_eq!(config.driver.max_sweeps, Some(3));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Canonicalization {
    /// The options of the greedy driver. By default, its traversal is [`Traversal::TopDown`]. MLIR's `max-iterations`
    /// is [`Config::max_sweeps`], and `max-num-rewrites` is [`Config::max_rewrites_per_sweep`].
    pub driver: Config,
    /// The simplification of regions after each sweep.
    pub region_simplification: RegionSimplification,
    /// The dialects whose built-in rules and registered canonicalisations are used; all if the list is empty.
    pub filter_dialects: Vec<String>,
    /// The names of the built-in rules and registered canonicalisations that are used; all if the list is empty.
    pub enable_patterns: Vec<String>,
    /// The names of the built-in rules and registered canonicalisations that are not used.
    pub disable_patterns: Vec<String>,
}

impl Default for Canonicalization {
    fn default() -> Self {
        Self {
            driver: Config::default().traversal(Traversal::TopDown),
            region_simplification: RegionSimplification::default(),
            filter_dialects: Vec::new(),
            enable_patterns: Vec::new(),
            disable_patterns: Vec::new(),
        }
    }
}

impl Canonicalization {
    /// Sets [`Canonicalization::driver`].
    #[must_use]
    pub fn driver(mut self, driver: Config) -> Self {
        self.driver = driver;
        self
    }

    /// Sets [`Canonicalization::region_simplification`].
    #[must_use]
    pub fn region_simplification(mut self, level: RegionSimplification) -> Self {
        self.region_simplification = level;
        self
    }

    /// Sets [`Canonicalization::filter_dialects`].
    #[must_use]
    pub fn filter_dialects(mut self, dialects: Vec<String>) -> Self {
        self.filter_dialects = dialects;
        self
    }

    /// Sets [`Canonicalization::enable_patterns`].
    #[must_use]
    pub fn enable_patterns(mut self, patterns: Vec<String>) -> Self {
        self.enable_patterns = patterns;
        self
    }

    /// Sets [`Canonicalization::disable_patterns`].
    #[must_use]
    pub fn disable_patterns(mut self, patterns: Vec<String>) -> Self {
        self.disable_patterns = patterns;
        self
    }

    /// True if this built-in rule or registered canonicalisation of operation `op` is used.
    pub(crate) fn allows(&self, op: &str, pattern: &str) -> bool {
        let dialect = op.split('.').next().unwrap_or(op);
        let named = |names: &[String], name: &str| names.iter().any(|other| other == name);
        (self.filter_dialects.is_empty() || named(&self.filter_dialects, dialect))
            && (self.enable_patterns.is_empty() || named(&self.enable_patterns, pattern))
            && !named(&self.disable_patterns, pattern)
    }
}

/// Canonicalises the operations inside `root`: folds them, applies the rules of the engine, the registered
/// canonicalisations and the built-in rules, removes dead code, and simplifies regions, until nothing changes any more
/// or a limit is reached.
///
/// ```
/// # use std::sync::Arc;
/// # use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile};
/// # use drrvm::ir::{Context, IrHost, PrintOptions, parse_module};
/// use drrvm::rewrite::{Canonicalization, canonicalize};
/// let text = r#"
///   %c = "arith.constant"() {value = 2 : i32} : () -> i32
///   %sum = "arith.addi"(%c, %c) : (i32, i32) -> i32
///   "t.use"(%sum) : (i32) -> ()
/// "#;
/// # let mut sources = SourceMap::default();
/// # let file = sources.add("input.mlir", text.to_owned())?;
/// # let mut context = Context::new();
/// # let module = parse_module(&mut context, sources.file(file))?;
/// # let mut host = IrHost::new(context, module);
/// # let program = Arc::new(compile::program(&RuleSet::default())?);
/// let rules = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
/// let top = host.module.top();
/// canonicalize(&mut host, top, &rules, &Canonicalization::default(), &mut NoListener);
/// let text = host.module.print(&host.context, PrintOptions::new().generic(true));
/// assert!(text.contains("4 : i32") && !text.contains("addi"));
/// # Ok::<(), drrvm::Diagnostics>(())
/// ```
pub fn canonicalize<H: Facets + Blocks, E: Engine<H>>(
    host: &mut H,
    root: H::Op,
    engine: &E,
    config: &Canonicalization,
    listener: &mut dyn Listener<H>,
) -> Report {
    span!("drive", driver = "canonicalize");
    let extension = Canonicalizer {
        config,
        names: Names::bind(host),
        folds: HashMap::default(),
        rules: HashMap::default(),
        journal: Journal::new(),
    };
    let mut cache = engine.cache();
    let driver = Driver::new(host, root, engine, &mut cache, &config.driver, Worklist::default(), listener);
    driver.extended(host, extension).sweep(host)
}

/// Natives with the built-in folds of `arith` and of casts, for operations that a helper function creates with
/// `createOrFold`. Drivers ignore these natives.
pub(crate) fn created_folds<H: Facets + Blocks + 'static>() -> Natives<H> {
    let of_arith = arith::folds().into_iter().map(|(name, fold)| (format!("arith.{name}"), fold));
    let of_casts: [(&str, FoldRule<H>); 3] = [
        ("builtin.unrealized_conversion_cast", builtin::fold_cast),
        ("tensor.cast", shapes::fold_cast),
        ("memref.cast", shapes::fold_cast),
    ];
    let of_casts = of_casts.into_iter().map(|(name, fold)| (name.to_owned(), fold));
    of_arith.chain(of_casts).fold(Natives::new(), |natives, (name, fold)| {
        let by = CreatedFold {
            fold: Arc::new(move |host: &mut H, op, constants: &[Option<H::Attr>]| {
                let names = Names::bind(host);
                fold(&mut Fold { host, op, constants, names: &names })
            }),
            materialize: Some(Arc::new(|rewriter: &mut Rewriter<'_, H>, value, ty, location| {
                let names = Names::bind(rewriter.host_mut());
                materialize(rewriter, &names, value, ty, location)
            })),
        };
        natives.fold_created(&name, by)
    })
}

/// The built-in rules.
fn rules<H: Facets + Blocks>() -> impl Iterator<Item = Rule<H>> {
    let cmpf = ("arith.cmpf", "CmpFIntToFPConst", compare::compare_integers as Apply<H>);
    cf::rules().into_iter().chain(builtin::rules()).chain(shapes::rules()).chain([cmpf])
}

/// The names of the built-in rules.
#[cfg(feature = "cli")]
pub(crate) fn built_in_rules() -> impl Iterator<Item = &'static str> {
    rules::<crate::ir::IrHost>().map(|(_, name, _)| name)
}

/// The built-in folds and rules.
struct Canonicalizer<'a, H: Blocks> {
    config: &'a Canonicalization,
    names: Names,
    folds: HashMap<OpNameId, FoldRule<H>, FxBuildHasher>,
    rules: HashMap<OpNameId, Vec<Apply<H>>, FxBuildHasher>,
    journal: Journal<H>,
}

/// Creates a constant of `arith`, or poison.
fn materialize<H: Facets + Blocks>(
    rewriter: &mut Rewriter<'_, H>,
    names: &Names,
    value: H::Attr,
    ty: H::Type,
    location: H::Location,
) -> Result<H::Op, Refusal> {
    let host = rewriter.host();
    let is_number =
        matches!(host.attr_kind(value), AttrKind::Integer | AttrKind::Float | AttrKind::DenseElements { .. });
    let is_signless = !matches!(
        host.type_kind(ty),
        TypeKind::Integer { signedness: Signedness::Signed | Signedness::Unsigned, .. }
    );
    let name = if is_number && is_signless && host.attr_type(value) == Some(ty) {
        names.constant
    } else if host.attr_text(value) == "#ub.poison" {
        names.poison
    } else {
        return Err(Refusal::new("no constant has this value and type"));
    };
    let attributes = [NamedAttr { name: names.attr.value, value, inherent: true }];
    rewriter.create(&OpState {
        name,
        operands: &[],
        result_types: &[ty],
        attributes: &attributes,
        regions: 0,
        location,
    })
}

impl<H: Facets + Blocks> Canonicalizer<'_, H> {
    /// Folds an operation by its properties: orders the operands of a commutative operation, and applies idempotence
    /// and involution.
    fn fold_by_properties(&mut self, at: &mut Site<'_, '_, H>, op: H::Op) -> Option<bool> {
        let host = &mut *at.host;
        let fact = at.facts.get(host, op)?;
        let count = host.operand_count(op);
        if fact.commutative && count > 1 {
            let operands: Vec<H::Value> = (0..count).map(|index| host.operand(op, index)).collect();
            let constants = at.folder.constants(host, op, at.facts);
            let all = || operands.iter().copied().zip(&constants);
            let variables = all().filter(|(_, constant)| constant.is_none());
            let ordered: Vec<H::Value> = variables
                .chain(all().filter(|(_, constant)| constant.is_some()))
                .map(|(value, _)| value)
                .collect();
            if ordered != operands {
                host.set_operands(op, &ordered);
                at.listener.modified(host, op);
                return Some(true);
            }
        }
        if count == 0 || !fact.idempotent && !fact.involution {
            return None;
        }
        let first = host.operand(op, 0);
        let inner = host.defining_op(first).filter(|&inner| host.op_name(inner) == host.op_name(op));
        let repeats = if count == 1 { inner.is_some() } else { host.operand(op, 1) == first };
        let value = if fact.idempotent && repeats {
            first
        } else if fact.involution {
            let inner = inner.filter(|&inner| host.operand_count(inner) > 0)?;
            host.operand(inner, 0)
        } else {
            return None;
        };
        Some(at.folder.replace(host, op, &[Folded::Value(value)], None, at.listener))
    }
}

impl<H: Facets + Blocks> Extension<H> for Canonicalizer<'_, H> {
    const FOLDS: bool = true;

    fn prepare(&mut self, host: &mut H, facts: &mut OpFacts) {
        names::add_facts(host, facts);
        facts.asks_host = true;
        for (name, fold) in arith::folds() {
            self.folds.insert(host.bind_op_name(&format!("arith.{name}")), fold);
        }
        self.folds.insert(self.names.cast, builtin::fold_cast);
        self.folds.insert(self.names.tensor_cast, shapes::fold_cast);
        self.folds.insert(self.names.memref_cast, shapes::fold_cast);
        for (op, pattern, apply) in rules() {
            if self.config.allows(op, pattern) {
                self.rules.entry(host.bind_op_name(op)).or_default().push(apply);
            }
        }
    }

    fn may_change(&self, hooks: &Hooks<H>, host: &H, op: H::Op) -> bool {
        let name = host.op_name(op);
        self.folds.contains_key(&name)
            || self.rules.contains_key(&name)
            || hooks.canonicalizations.contains_key(&name)
    }

    fn fold(&mut self, at: &mut Site<'_, '_, H>, op: H::Op) -> bool {
        if let Some(fold) = self.folds.get(&at.host.op_name(op)) {
            let constants = at.folder.constants(at.host, op, at.facts);
            let names = &self.names;
            let folded = fold(&mut Fold { host: at.host, op, constants: &constants, names });
            if let Some(results) = folded {
                let make = |rewriter: &mut Rewriter<'_, H>, value, ty, location| {
                    materialize(rewriter, names, value, ty, location)
                };
                return at.folder.replace(at.host, op, &results, Some(&make), at.listener);
            }
        }
        self.fold_by_properties(at, op).unwrap_or(false)
    }

    fn rewrite(&mut self, at: &mut Site<'_, '_, H>, op: H::Op) -> bool {
        let name = at.host.op_name(op);
        for (pattern, apply) in at.hooks.canonicalizations.get(&name).into_iter().flatten() {
            if !self.config.allows(&at.host.op_name_text(name), pattern) {
                continue;
            }
            let mut rewriter = Rewriter::new(at.host, op, &mut self.journal);
            match apply(&mut rewriter, op) {
                Ok(true) => {
                    if rewriter.commit(at.listener).is_ok() {
                        return true;
                    }
                }
                _ => rewriter.roll_back(),
            }
        }
        let Some(rules) = self.rules.get(&name) else { return false };
        let mut editor = Editor { host: at.host, listener: at.listener };
        rules.iter().any(|rule| rule(&mut editor, op, &self.names).is_some())
    }

    fn end_sweep(&mut self, at: &mut Site<'_, '_, H>, root: H::Op) -> bool {
        let merge = match self.config.region_simplification {
            RegionSimplification::Disabled => return false,
            RegionSimplification::Normal => false,
            RegionSimplification::Aggressive => true,
        };
        let known = Knowledge { names: &self.names, facts: at.facts, hooks: at.hooks };
        regions::simplify(&mut Editor { host: at.host, listener: at.listener }, root, &known, merge)
    }
}

#[cfg(test)]
mod tests;
