//! The verifier.
//!
//! Specification: the verifier finds the errors that `mlir-opt-22` finds in blocks, regions, values and symbols, and in
//! the operations of `builtin`, `func`, `cf` and `arith`. An unknown operation of these dialects is an error. For other
//! unknown operations, the verifier checks only the rules that hold for all operations.
//!
//! The caller of [`verify_with`] can pass a function with further checks.

mod arith;
mod kind;
mod names;
mod ops;

use hashbrown::HashMap;

use kind::OpKind;
use names::AttrNames;
use ops::OpVerifier;

use crate::id::Id;
use crate::intern::StrId;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::definitions::{CORE, dialect_of};
use crate::ir::dominance::{Dominance, may_be_graph};
use crate::ir::error;
use crate::ir::module::{BlockId, Module, OpId, RegionId, ValueDef, ValueId};
use crate::ir::traits::OpTraits;
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

struct Verifier<'a> {
    context: &'a Context,
    module: &'a Module,
    /// The dominance in the regions of the operations that were visited.
    dominance: Dominance,
    /// True for each operation that was visited. Operations are visited in preorder.
    visited: Vec<bool>,
    /// The kinds of operations, by name.
    kinds: Vec<Option<OpKind>>,
    /// True for the names of operations whose dialect is in [`CORE`].
    is_core: Vec<bool>,
    names: AttrNames,
    /// The symbols that have been found, by symbol table and name.
    symbols: HashMap<(OpId, StrId), OpId>,
    errors: Diagnostics,
}

/// Verifies a module, and returns the errors, up to the limit of [`Diagnostics`]. For a bounded nesting depth, the time
/// is nearly linear in the number of operations, operands and branches.
///
/// ```
/// use drrvm::ir::{Context, parse_module, verify};
/// use drrvm::source::SourceMap;
///
/// let mut sources = SourceMap::default();
/// // Two symbols of one name.
/// let text = "\"t.f\"() {sym_name = \"f\"} : () -> ()\n".repeat(2);
/// let file = sources.add("input.mlir", text)?;
/// let mut context = Context::new();
/// let module = parse_module(&mut context, sources.file(file))?;
/// let errors = verify(&context, &module);
/// assert_eq!(errors.error_count(), 1);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn verify(context: &Context, module: &Module) -> Diagnostics {
    verify_with(context, module, |_, _| {})
}

/// Does the same as [`verify`], and also calls `more` for each operation. `more` can add diagnostics.
///
/// ```
/// use drrvm::source::{Diagnostic, SourceMap};
/// use drrvm::ir::{Context, parse_module, verify_with};
/// let mut sources = SourceMap::default();
/// let file = sources.add("input.mlir", "\"t.f\"() : () -> ()".to_owned())?;
/// let mut context = Context::new();
/// let module = parse_module(&mut context, sources.file(file))?;
/// let found = verify_with(&context, &module, |op, errors| {
///     if context.op_name_text(module.name(op)) == "t.f" {
///         errors.push(Diagnostic::error("`t.f` is deprecated"));
///     }
/// });
/// assert_eq!(found.error_count(), 1);
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn verify_with(
    context: &Context,
    module: &Module,
    mut more: impl FnMut(OpId, &mut Diagnostics),
) -> Diagnostics {
    let mut verifier = Verifier {
        context,
        module,
        dominance: Dominance::new(module),
        visited: vec![false; module.op_slots()],
        kinds: context.op_names().map(OpKind::of).collect(),
        is_core: context.op_names().map(|name| CORE.contains(&dialect_of(name))).collect(),
        names: AttrNames::new(context),
        symbols: HashMap::new(),
        errors: Diagnostics::default(),
    };
    for op in module.preorder(module.top()) {
        if verifier.errors.at_limit() {
            break;
        }
        let before = verifier.errors.error_count();
        more(op, &mut verifier.errors);
        // The special checks of an operation are skipped if `more` found an error in it.
        let more_passed = verifier.errors.error_count() == before;
        verifier.op(op, more_passed);
    }
    with_files(context, module, verifier.errors)
}

/// Adds the files of a module to the errors in it. The files of other modules are left out, because they can belong to
/// another source map, in which their positions have another meaning.
fn with_files(context: &Context, module: &Module, errors: Diagnostics) -> Diagnostics {
    if errors.is_empty() {
        return errors;
    }
    let blocks = |op| module.regions(op).iter().flat_map(|&region| module.region_blocks(region));
    let args = |op| blocks(op).flat_map(|block| module.arg_locs(block).iter().copied());
    let locs = module.preorder(module.top()).flat_map(|op| args(op).chain([module.loc(op)]));
    let mut files: Vec<&SourceFile> = Vec::new();
    for (file, _) in locs.filter_map(|loc| context.loc_source(loc)) {
        if !files.contains(&file) {
            files.push(file);
        }
    }
    files.into_iter().fold(errors, Diagnostics::with_file)
}

impl Verifier<'_> {
    fn traits(&self, op: OpId) -> OpTraits {
        self.context.traits(self.module.name(op))
    }

    fn span(&self, op: OpId) -> Span {
        self.context.loc_span(self.module.loc(op))
    }

    #[expect(
        clippy::boxed_local,
        reason = "the constructors of errors are shared with the parser, which boxes"
    )]
    fn error(&mut self, error: Box<Diagnostic>) {
        self.errors.push(*error);
    }

    fn op(&mut self, op: OpId, more_passed: bool) {
        let module = self.module;
        let traits = self.traits(op);
        self.visited[op.index()] = true;
        if let Some(block) = module.block(op) {
            for (index, &value) in (0..).zip(module.operands(op)) {
                self.operand(op, block, index, value);
            }
        }
        for &region in module.regions(op) {
            self.region(op, traits, region);
        }
        let is_last = module.next(op).is_none();
        if !is_last && !module.successors(op).is_empty() {
            self.error(error::successors_inside(self.span(op)));
        } else if !is_last && traits.contains(OpTraits::TERMINATOR) {
            let name = self.context.op_name_text(module.name(op));
            self.error(error::terminator_inside(name, self.span(op)));
        }
        if traits.contains(OpTraits::SYMBOL_TABLE) {
            self.symbol_table(op);
        }
        if !traits.contains(OpTraits::KNOWN) {
            // A dialect in `CORE` has only known operations.
            if self.is_core[module.name(op).index()] {
                let name = self.context.op_name_text(module.name(op));
                self.error(error::unknown_operation(name, dialect_of(name), self.span(op)));
            }
        } else if more_passed && let Some(kind) = self.kinds[module.name(op).index()] {
            let (symbols, names) = (&self.symbols, &self.names);
            let ops = OpVerifier { context: self.context, module, symbols, names };
            if let Err(problem) = ops.verify(op, kind) {
                let name = self.context.op_name_text(module.name(op));
                self.error(error::operation(name, &problem, self.span(op)));
            }
        }
    }

    // Regions and blocks.

    fn region(&mut self, op: OpId, traits: OpTraits, region: RegionId) {
        let module = self.module;
        let Some(entry) = module.first_block(region) else { return };
        self.dominance.add(module, region);
        let single = module.next_block(entry).is_none();
        if !single && traits.contains(OpTraits::SINGLE_BLOCK) {
            let name = self.context.op_name_text(module.name(op));
            self.error(error::one_block(name, self.span(op)));
        }
        let may_lack_terminator =
            single && (!traits.contains(OpTraits::KNOWN) || traits.contains(OpTraits::NO_TERMINATOR));
        for block in module.region_blocks(region) {
            let last = module.last_op(block);
            let successors = last.map_or(&[][..], |last| module.successors(last));
            for &successor in successors {
                let at = last.unwrap_or(op);
                if module.block_region(successor) != Some(region) {
                    self.error(error::foreign_block(self.span(at)));
                } else if successor == entry {
                    self.error(error::branch_to_entry(self.span(op)));
                }
            }
            match last {
                _ if may_lack_terminator => {}
                None => self.error(error::empty_block(self.span(op))),
                Some(last) => {
                    let traits = self.traits(last);
                    if traits.contains(OpTraits::KNOWN) && !traits.contains(OpTraits::TERMINATOR) {
                        let name = self.context.op_name_text(module.name(last));
                        self.error(error::no_terminator(name, self.span(last)));
                    }
                }
            }
        }
    }

    // Values.

    /// Verifies that operand `index` of an operation in `block` is visible at the operation.
    fn operand(&mut self, op: OpId, block: BlockId, index: u32, value: ValueId) {
        let module = self.module;
        let (def, def_block) = match module.value_def(value) {
            ValueDef::Result { op: def, .. } => (Some(def), module.block(def)),
            ValueDef::Argument { block, .. } => (None, Some(block)),
            ValueDef::Forward => (None, None),
        };
        // `user` is the current operation or contains it, so the visited operations in the block of `user` are `user`
        // itself and the operations before `user`.
        let is_before = |user: OpId| def.is_none_or(|def| self.visited[def.index()] && def != user);
        // Most values are defined in the block of their use.
        if def_block == Some(block) && is_before(op) || !self.dominance.is_reachable(block) {
            return;
        }
        let visible = def_block.and_then(|def_block| Some((def_block, module.block_region(def_block)?)));
        let Some((def_block, region)) = visible else {
            return self.error(error::no_dominance(index, self.span(op), self.def_span(value)));
        };
        // Finds the operation in the value's region that contains the use, and the outermost isolated operation on the
        // path from the use to the value's region.
        let mut user = op;
        let mut user_block = block;
        let mut isolated = None;
        while module.block_region(user_block) != Some(region) {
            let Some(parent) = module.block_parent(user_block) else {
                return self.error(error::no_dominance(index, self.span(op), self.def_span(value)));
            };
            if self.traits(parent).contains(OpTraits::ISOLATED_FROM_ABOVE) {
                isolated = Some(parent);
            }
            let Some(block) = module.block(parent) else {
                return self.error(error::no_dominance(index, self.span(op), self.def_span(value)));
            };
            (user, user_block) = (parent, block);
        }
        if let Some(isolated) = isolated {
            return self.error(error::not_isolated(self.span(op), self.span(isolated)));
        }
        if may_be_graph(self.context, module, region) {
            return;
        }
        let dominated = match def_block == user_block {
            true => is_before(user),
            false => self.dominance.dominates(def_block, user_block),
        };
        if !dominated {
            self.error(error::no_dominance(index, self.span(op), self.def_span(value)));
        }
    }

    fn def_span(&self, value: ValueId) -> Span {
        match self.module.value_def(value) {
            ValueDef::Result { op, .. } => self.span(op),
            ValueDef::Argument { block, index } => {
                self.context.loc_span(self.module.arg_locs(block)[index as usize])
            }
            ValueDef::Forward => Span::NONE,
        }
    }

    // Symbols.

    fn symbol_table(&mut self, op: OpId) {
        let module = self.module;
        let Some(name) = self.names.sym_name else { return };
        for &region in module.regions(op) {
            for block in module.region_blocks(region) {
                for inner in module.ops(block) {
                    let Some(symbol) = module.attr(self.context, inner, name) else { continue };
                    let AttrKind::String { text, .. } = *self.context.attr_kind(symbol) else { continue };
                    let first = *self.symbols.entry((op, text)).or_insert(inner);
                    if first != inner {
                        let text = self.context.str(text);
                        self.error(error::redefined_symbol(text, self.span(inner), self.span(first)));
                    }
                }
            }
        }
    }
}
