//! Whether an IR is what its operations say it may be.
//!
//! Specification: what `mlir-opt-22` says is wrong with blocks, regions, values, symbols and the operations
//! of `builtin`, `func`, `cf` and `arith`, this says too. Operations that nobody described may do
//! anything that is not wrong for all operations.
//!
//! What is known of other operations is checked by whoever knows it: [`verify`] takes a function that is
//! called for each operation.

mod arith;

use hashbrown::HashMap;

use super::dominance::Dominance;
use super::error;
use super::forms::{self, Form};
use super::{
    AttrId, AttrKind, AttrNameId, BlockId, Context, Module, OpId, OpTraits, RegionId, Signedness, TypeKind,
    ValueDef, ValueId,
};
use crate::id::Id;
use crate::intern::StrId;
use crate::source::{Diagnostic, Diagnostics, Span};

struct Verifier<'a> {
    context: &'a Context,
    module: &'a Module,
    dominance: Dominance,
    /// By operation: when a walk meets it.
    order: Vec<u32>,
    symbol_name: Option<AttrNameId>,
    /// What the tables met so far define.
    symbols: HashMap<(OpId, StrId), OpId>,
    errors: Diagnostics,
}

/// Everything that is wrong with a module.
///
/// Time linear in operations, operands and branches.
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

/// As [`verify`]. `more` is called for each operation, to add what it knows.
pub fn verify_with(
    context: &Context,
    module: &Module,
    mut more: impl FnMut(OpId, &mut Diagnostics),
) -> Diagnostics {
    let mut order = vec![0; module.op_slots()];
    for (number, op) in (0..).zip(module.preorder(module.top())) {
        order[op.index()] = number;
    }
    let mut verifier = Verifier {
        context,
        module,
        dominance: Dominance::new(module),
        order,
        symbol_name: context.find_attr_name("sym_name"),
        symbols: HashMap::new(),
        errors: Diagnostics::default(),
    };
    for op in module.preorder(module.top()) {
        if verifier.errors.at_limit() {
            break;
        }
        let before = verifier.errors.len();
        more(op, &mut verifier.errors);
        // What is wrong by definition is said once.
        let well_defined = verifier.errors.len() == before;
        verifier.op(op, well_defined);
    }
    verifier.errors
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

    fn op(&mut self, op: OpId, well_defined: bool) {
        let module = self.module;
        let traits = self.traits(op);
        for (index, &value) in (0..).zip(module.operands(op)) {
            self.operand(op, index, value);
        }
        for &region in module.regions(op) {
            self.region(op, traits, region);
        }
        let is_last = module.next(op).is_none();
        if !is_last && !module.successors(op).is_empty() {
            self.error(error::successors_inside(self.span(op)));
        } else if !is_last && traits.has(OpTraits::TERMINATOR) {
            let name = self.context.op_name_text(module.name(op));
            self.error(error::terminator_inside(name, self.span(op)));
        }
        if traits.has(OpTraits::SYMBOL_TABLE) {
            self.symbol_table(op);
        }
        if !traits.has(OpTraits::KNOWN) {
            self.unknown(op);
        } else if well_defined && let Some(form) = forms::of(self.context.op_name_text(module.name(op))) {
            self.known(op, form);
        }
    }

    // Regions and blocks.

    fn region(&mut self, op: OpId, traits: OpTraits, region: RegionId) {
        let module = self.module;
        let Some(entry) = module.first_block(region) else { return };
        let single = module.next_block(entry).is_none();
        if !single && traits.has(OpTraits::SINGLE_BLOCK) {
            let name = self.context.op_name_text(module.name(op));
            self.error(error::one_block(name, self.span(op)));
        }
        let may_lack_terminator =
            single && (!traits.has(OpTraits::KNOWN) || traits.has(OpTraits::NO_TERMINATOR));
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
                    if traits.has(OpTraits::KNOWN) && !traits.has(OpTraits::TERMINATOR) {
                        let name = self.context.op_name_text(module.name(last));
                        self.error(error::no_terminator(name, self.span(last)));
                    }
                }
            }
        }
    }

    // Values.

    fn operand(&mut self, op: OpId, index: u32, value: ValueId) {
        let module = self.module;
        let Some(block) = module.block(op) else { return };
        if !self.dominance.is_reachable(block) {
            return;
        }
        let (def, def_block) = match module.value_def(value) {
            ValueDef::Result { op: def, .. } => (Some(def), module.block(def)),
            ValueDef::Argument { block, .. } => (None, Some(block)),
            ValueDef::Forward => (None, None),
        };
        let visible = def_block.and_then(|def_block| Some((def_block, module.block_region(def_block)?)));
        let Some((def_block, region)) = visible else {
            return self.error(error::no_dominance(index, self.span(op), self.def_span(value)));
        };
        // The operation in the value's region that holds the use, and whether something on the way is isolated.
        let mut user = op;
        let mut user_block = block;
        let mut isolated = None;
        while module.block_region(user_block) != Some(region) {
            let Some(parent) = module.block_parent(user_block) else {
                return self.error(error::no_dominance(index, self.span(op), self.def_span(value)));
            };
            if self.traits(parent).has(OpTraits::ISOLATED_FROM_ABOVE) {
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
        let holder = self.traits(module.region_op(region));
        // In a graph, which has one block, order does not matter; what nobody described may be one.
        let may_be_graph = !holder.has(OpTraits::KNOWN) || holder.has(OpTraits::GRAPH_REGION);
        if may_be_graph && module.first_block(region) == module.last_block(region) {
            return;
        }
        let dominated = if def_block != user_block {
            self.dominance.dominates(def_block, user_block)
        } else {
            def.is_none_or(|def| self.order[def.index()] < self.order[user.index()])
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
        let Some(name) = self.symbol_name else { return };
        for &region in module.regions(op) {
            for block in module.region_blocks(region) {
                for inner in module.ops(block) {
                    let Some(symbol) = module.attr(self.context, inner, name) else { continue };
                    let AttrKind::String { text, .. } = *self.context.attr_kind(symbol) else { continue };
                    if let Some(first) = self.symbols.insert((op, text), inner) {
                        let text = self.context.str(text);
                        self.error(error::redefined_symbol(text, self.span(inner), self.span(first)));
                    }
                }
            }
        }
    }

    // Operations that are known.

    /// An operation that a dialect of which all are known does not have.
    fn unknown(&mut self, op: OpId) {
        let name = self.context.op_name_text(self.module.name(op));
        let Some((dialect @ ("arith" | "builtin" | "cf" | "func"), _)) = name.split_once('.') else { return };
        let problem =
            format!("unregistered operation found in dialect '{dialect}', whose operations are all known");
        self.error(error::operation(name, &problem, self.span(op)));
    }

    fn known(&mut self, op: OpId, form: Form) {
        let problem = match form {
            Form::Module => self.module_op(op),
            Form::Func => self.func(op),
            Form::Return => self.returns(op),
            Form::Branch => self.branch(op, &[0, self.module.operands(op).len()]),
            Form::CondBranch => self.cond_branch(op),
            Form::Constant => self.constant(op),
            Form::Binary(_) => self.shape(op, 2).and_then(|()| self.same_types(op)),
            Form::Unary(_) => self.shape(op, 1).and_then(|()| self.same_types(op)),
            Form::Call => self.call(op),
            Form::CallIndirect => self.call_indirect(op),
            Form::FunctionConstant => self.function_constant(op),
            Form::Assert => self.assertion(op),
            Form::Switch => self.switch(op),
            Form::ExtendedAdd => self.extended(op, true),
            Form::ExtendedMultiply => self.extended(op, false),
            Form::Select => self.select(op),
            Form::CompareInts | Form::CompareFloats => {
                self.shape(op, 2).and_then(|()| self.equal_types(self.module.operands(op)))
            }
            Form::Cast(_) => self.shape(op, 1),
        };
        let problem = problem.and_then(|()| match form {
            Form::Module | Form::Func => Ok(()),
            _ if !self.module.regions(op).is_empty() => Err("requires zero regions".to_owned()),
            _ => self.arith_types(op, form),
        });
        if let Err(problem) = problem {
            let name = self.context.op_name_text(self.module.name(op));
            self.error(error::operation(name, &problem, self.span(op)));
        }
    }

    /// So many operands, and one result.
    fn shape(&self, op: OpId, operands: u32) -> Result<(), String> {
        if self.module.operand_count(op) != operands {
            return Err(format!("expected {operands} operands, but found {}", self.module.operand_count(op)));
        }
        match self.module.result_count(op) {
            1 => Ok(()),
            _ => Err("requires one result".to_owned()),
        }
    }

    fn equal_types(&self, values: &[ValueId]) -> Result<(), String> {
        let ty = |value: &ValueId| self.module.value_type(*value);
        match values.windows(2).all(|pair| ty(&pair[0]) == ty(&pair[1])) {
            true => Ok(()),
            false => Err("requires all operands to have the same type".to_owned()),
        }
    }

    fn select(&self, op: OpId) -> Result<(), String> {
        self.shape(op, 3)?;
        let module = self.module;
        let types: Vec<_> = module.operands(op).iter().map(|&value| module.value_type(value)).collect();
        let result = module.value_type(module.result(op, 0));
        if types[1..] != [result, result] {
            return Err(
                "failed to verify that all of {true_value, false_value, result} have same type".to_owned()
            );
        }
        let wanted = self.context.find_with_element(result, Context::I1);
        if types[0] != Context::I1 && Some(types[0]) != wanted {
            return Err("failed to verify that condition is signless i1 or has matching shape".to_owned());
        }
        Ok(())
    }

    fn call(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let callee = self.property(op, "callee").map(|attr| self.context.attr_kind(attr));
        let Some(AttrKind::SymbolRef { root, nested }) = callee else {
            return Err("requires attribute 'callee', a symbol reference".to_owned());
        };
        if !nested.is_empty() {
            return Ok(());
        }
        let Some(found) = self.function_named(op, *root) else { return Ok(()) };
        let name = self.context.str(*root);
        let Some((inputs, results)) = found else {
            return Err(format!("'{name}' does not reference a valid function"));
        };
        let (operands, given) = (module.operands(op), module.result_count(op) as usize);
        if operands.len() != inputs.len() {
            return Err("incorrect number of operands for callee".to_owned());
        }
        if given != results.len() {
            return Err("incorrect number of results for callee".to_owned());
        }
        let types = operands.iter().copied().chain(module.results(op)).map(|value| module.value_type(value));
        if types.eq(inputs.iter().chain(results).copied()) {
            Ok(())
        } else {
            Err(format!("operand or result types do not match those of '{name}'"))
        }
    }

    /// The inputs and results of the function that a symbol of the nearest table names; `None` where what is
    /// around it is not known.
    fn function_named(&self, op: OpId, name: StrId) -> Option<Option<(&[super::TypeId], &[super::TypeId])>> {
        let module = self.module;
        let mut table = module.parent(op);
        while let Some(holder) = table {
            let traits = self.traits(holder);
            if traits.has(OpTraits::SYMBOL_TABLE) {
                break;
            }
            // What nobody described may hold symbols.
            table = if traits.has(OpTraits::KNOWN) { module.parent(holder) } else { None };
        }
        let func = self.symbols.get(&(table?, name)).copied();
        Some(func.and_then(|func| self.function_type(func)))
    }

    fn function_constant(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let value = self.property(op, "value").map(|attr| self.context.attr_kind(attr));
        let Some(AttrKind::SymbolRef { root, .. }) = value else {
            return Err("requires attribute 'value', a symbol reference".to_owned());
        };
        if module.result_count(op) != 1 {
            return Err("requires one result".to_owned());
        }
        let Some(found) = self.function_named(op, *root) else { return Ok(()) };
        let Some((inputs, results)) = found else {
            return Err(format!("reference to undefined function '{}'", self.context.str(*root)));
        };
        let wanted = TypeKind::Function { inputs: inputs.into(), results: results.into() };
        match *self.context.type_kind(module.value_type(module.result(op, 0))) == wanted {
            true => Ok(()),
            false => Err("reference to function with mismatched type".to_owned()),
        }
    }

    fn call_indirect(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let Some((&callee, arguments)) = module.operands(op).split_first() else {
            return Err("expected 1 or more operands, but found 0".to_owned());
        };
        let TypeKind::Function { inputs, results } = self.context.type_kind(module.value_type(callee)) else {
            return Err("operand #0 must be function type".to_owned());
        };
        let types = |values: &mut dyn Iterator<Item = ValueId>, wanted: &[super::TypeId]| {
            values.map(|value| module.value_type(value)).eq(wanted.iter().copied())
        };
        if types(&mut arguments.iter().copied(), inputs) && types(&mut module.results(op), results) {
            Ok(())
        } else {
            Err("operand or result types do not match the type of the callee".to_owned())
        }
    }

    fn assertion(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        if !matches!(module.operands(op), [one] if module.value_type(*one) == Context::I1) {
            return Err("requires a single operand, a 1-bit signless integer".to_owned());
        }
        match self.property(op, "msg").map(|attr| self.context.attr_kind(attr)) {
            Some(AttrKind::String { .. }) => Ok(()),
            _ => Err("requires attribute 'msg', a string".to_owned()),
        }
    }

    fn extended(&self, op: OpId, overflow: bool) -> Result<(), String> {
        let module = self.module;
        if module.operand_count(op) != 2 || module.result_count(op) != 2 {
            return Err("requires two operands and two results".to_owned());
        }
        self.equal_types(module.operands(op))?;
        let ty = module.value_type(module.operand(op, 0));
        let second = if overflow { self.context.find_with_element(ty, Context::I1) } else { Some(ty) };
        match [Some(module.value_type(module.result(op, 0))), Some(module.value_type(module.result(op, 1)))] {
            found if found == [Some(ty), second] => Ok(()),
            _ => Err("result types do not match those of the operands".to_owned()),
        }
    }

    fn switch(&self, op: OpId) -> Result<(), String> {
        let wrong = || "operand segments do not match the number of operands".to_owned();
        let sizes = self.sizes(op, "operandSegmentSizes")?;
        let [1, default, cases] = sizes[..] else { return Err(wrong()) };
        let segments = self.sizes(op, "case_operand_segments")?;
        let mut bounds = vec![1, 1 + default];
        for size in &segments {
            bounds.push(bounds[bounds.len() - 1] + size);
        }
        if bounds[bounds.len() - 1] != 1 + default + cases
            || self.module.operands(op).len() != 1 + default + cases
        {
            return Err(wrong());
        }
        let values = match self.property(op, "case_values").map(|attr| self.context.attr_kind(attr)) {
            None => 0,
            Some(AttrKind::DenseElements { ty, .. }) => {
                self.context.type_kind(*ty).element_count().unwrap_or(0)
            }
            Some(_) => return Err("requires attribute 'case_values' to be dense elements".to_owned()),
        };
        if usize::try_from(values) != Ok(segments.len()) {
            return Err(format!(
                "number of case values ({values}) should match number of case destinations ({})",
                segments.len()
            ));
        }
        self.branch(op, &bounds)
    }

    /// The sizes that an attribute lists.
    fn sizes(&self, op: OpId, name: &str) -> Result<Vec<usize>, String> {
        let sizes = self.property(op, name).map(|attr| self.context.attr_kind(attr));
        let Some(AttrKind::DenseArray { element: Context::I32, data }) = sizes else {
            return Err(format!("requires attribute '{name}', an array of i32"));
        };
        let read = |bytes: &[u8]| usize::try_from(i32::from_le_bytes(bytes.try_into().ok()?)).ok();
        let sizes: Option<Vec<usize>> = data.chunks(4).map(read).collect();
        sizes.ok_or_else(|| format!("'{name}' attribute cannot have negative elements"))
    }

    fn property(&self, op: OpId, name: &str) -> Option<AttrId> {
        self.module.attr(self.context, op, self.context.find_attr_name(name)?)
    }

    fn module_op(&self, op: OpId) -> Result<(), String> {
        let [region] = self.module.regions(op) else { return Err("requires one region".to_owned()) };
        if self.module.result_count(op) > 0 {
            return Err("requires zero results".to_owned());
        }
        if self.module.first_block(*region).is_none() {
            return Err("region #0 failed to verify constraint: region with 1 blocks".to_owned());
        }
        for &(name, _) in self.context.entries(self.module.attrs(op)) {
            let name = self.context.attr_name_text(name);
            if !name.contains('.') && !matches!(name, "sym_name" | "sym_visibility") {
                return Err(format!(
                    "can only contain attributes with dialect-prefixed names, found: '{name}'"
                ));
            }
        }
        match self.module.first_block(*region) {
            Some(block) if !self.module.args(block).is_empty() => {
                Err("region should have no arguments".to_owned())
            }
            _ => Ok(()),
        }
    }

    fn function_type(&self, op: OpId) -> Option<(&[super::TypeId], &[super::TypeId])> {
        let AttrKind::Type(ty) = *self.context.attr_kind(self.property(op, "function_type")?) else {
            return None;
        };
        match self.context.type_kind(ty) {
            TypeKind::Function { inputs, results } => Some((inputs, results)),
            _ => None,
        }
    }

    fn func(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        match self.property(op, "sym_name").map(|attr| self.context.attr_kind(attr)) {
            Some(AttrKind::String { .. }) => {}
            _ => return Err("requires attribute 'sym_name', a string".to_owned()),
        }
        let (inputs, results) =
            self.function_type(op).ok_or("requires attribute 'function_type', a function type")?;
        for (name, count, what) in
            [("arg_attrs", inputs.len(), "argument"), ("res_attrs", results.len(), "result")]
        {
            if let Some(attr) = self.property(op, name)
                && let AttrKind::Array(items) = self.context.attr_kind(attr)
                && items.len() != count
            {
                return Err(format!(
                    "expects {what} attribute array to have the same number of elements as the number of \
                     function {what}s, got {}, but expected {count}",
                    items.len()
                ));
            }
            if let Some(attr) = self.property(op, name) {
                self.dialect_entries(attr, what)?;
            }
        }
        let visibility = self.property(op, "sym_visibility").map(|attr| self.context.attr_kind(attr));
        let visibility = match visibility {
            None => None,
            Some(AttrKind::String { text, .. }) => Some(self.context.str(*text)),
            Some(_) => return Err("requires visibility attribute 'sym_visibility' to be a string".to_owned()),
        };
        if let Some(other) = visibility.filter(|word| !matches!(*word, "public" | "private" | "nested")) {
            return Err(format!(
                "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"{other}\""
            ));
        }
        if let Some(parent) = module.parent(op)
            && self.traits(parent).has(OpTraits::KNOWN)
            && !self.traits(parent).has(OpTraits::SYMBOL_TABLE)
        {
            return Err("symbol's parent must have the SymbolTable trait".to_owned());
        }
        let [region] = module.regions(op) else { return Err("requires one region".to_owned()) };
        let Some(entry) = module.first_block(*region) else {
            return match visibility {
                Some(word) if word != "public" => Ok(()),
                _ => Err("symbol declaration cannot have public visibility".to_owned()),
            };
        };
        let args = module.args(entry);
        if args.len() != inputs.len() {
            return Err(format!(
                "entry block must have {} arguments to match function signature",
                inputs.len()
            ));
        }
        for (i, (&arg, &input)) in args.iter().zip(inputs).enumerate() {
            let ty = module.value_type(arg);
            if ty != input {
                return Err(format!(
                    "type of entry block argument #{i}('{}') must match the type of the corresponding \
                     argument in function signature('{}')",
                    self.context.brief_type(ty),
                    self.context.brief_type(input)
                ));
            }
        }
        Ok(())
    }

    /// The dictionaries of arguments or results have names of dialects only.
    fn dialect_entries(&self, list: AttrId, what: &str) -> Result<(), String> {
        let AttrKind::Array(items) = self.context.attr_kind(list) else { return Ok(()) };
        let mut names = items.iter().flat_map(|&item| self.context.entries(item)).map(|entry| entry.0);
        match names.any(|name| !self.context.attr_name_text(name).contains('.')) {
            true => Err(format!("{what}s may only have dialect attributes")),
            false => Ok(()),
        }
    }

    fn returns(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let Some(func) = module.parent(op) else { return Ok(()) };
        if forms::of(self.context.op_name_text(module.name(func))) != Some(Form::Func) {
            return Err("expects parent op 'func.func'".to_owned());
        }
        let Some((_, results)) = self.function_type(func) else { return Ok(()) };
        let operands = module.operands(op);
        if operands.len() != results.len() {
            return Err(format!(
                "has {} operands, but enclosing function returns {}",
                operands.len(),
                results.len()
            ));
        }
        for (i, (&operand, &result)) in operands.iter().zip(results).enumerate() {
            let ty = module.value_type(operand);
            if ty != result {
                return Err(format!(
                    "type of return operand {i} ('{}') doesn't match function result type ('{}')",
                    self.context.brief_type(ty),
                    self.context.brief_type(result)
                ));
            }
        }
        Ok(())
    }

    /// The operands of successor *i* are those from `bounds[i]` to `bounds[i + 1]`.
    fn branch(&self, op: OpId, bounds: &[usize]) -> Result<(), String> {
        let module = self.module;
        let successors = module.successors(op);
        if successors.len() + 1 != bounds.len() {
            return Err(format!("requires {} successors but found {}", bounds.len() - 1, successors.len()));
        }
        for (i, &block) in successors.iter().enumerate() {
            self.branch_operands(i, block, &module.operands(op)[bounds[i]..bounds[i + 1]])?;
        }
        Ok(())
    }

    fn branch_operands(&self, index: usize, block: BlockId, operands: &[ValueId]) -> Result<(), String> {
        let args = self.module.args(block);
        if args.len() != operands.len() {
            return Err(format!(
                "branch has {} operands for successor #{index}, but target block has {}",
                operands.len(),
                args.len()
            ));
        }
        let mismatch = args
            .iter()
            .zip(operands)
            .position(|(&arg, &value)| self.module.value_type(arg) != self.module.value_type(value));
        match mismatch {
            Some(i) => Err(format!("type mismatch for bb argument #{i} of successor #{index}")),
            None => Ok(()),
        }
    }

    fn cond_branch(&self, op: OpId) -> Result<(), String> {
        let operands = self.module.operands(op);
        let sizes = self.sizes(op, "operandSegmentSizes")?;
        let wrong = || "operand segments do not match the number of operands".to_owned();
        let [1, taken, not_taken] = sizes[..] else { return Err(wrong()) };
        if operands.len() != 1 + taken + not_taken {
            return Err(wrong());
        }
        if self.module.value_type(operands[0]) != Context::I1 {
            return Err("operand #0 must be 1-bit signless integer".to_owned());
        }
        self.branch(op, &[1, 1 + taken, 1 + taken + not_taken])
    }

    fn constant(&self, op: OpId) -> Result<(), String> {
        let value = self.property(op, "value").ok_or("requires attribute 'value'")?;
        let mut results = self.module.results(op);
        let (Some(result), None) = (results.next(), results.next()) else {
            return Err("requires one result".to_owned());
        };
        let ty = self.module.value_type(result);
        if self.context.attr_type(value) != Some(ty) {
            return Err("failed to verify that all of {value, result} have same type".to_owned());
        }
        if let TypeKind::Integer { signedness, .. } = self.context.type_kind(ty)
            && *signedness != Signedness::Signless
        {
            return Err("integer return type must be signless".to_owned());
        }
        Ok(())
    }

    /// The result is of the first operand's type, and the other operands go with it.
    fn same_types(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let types = |value: &ValueId| module.value_type(*value);
        let first = module.operands(op).first().map(types);
        let compatible = first
            .is_none_or(|first| module.operands(op).iter().map(types).all(|ty| self.compatible(first, ty)));
        if compatible && module.results(op).all(|value| Some(module.value_type(value)) == first) {
            Ok(())
        } else {
            Err("requires the same type for all operands and results".to_owned())
        }
    }
}
