//! Verifies the operations of `builtin`, `func`, `cf` and `arith`.

use hashbrown::HashMap;

use super::arith::ArithVerifier;
use super::kind::OpKind;
use super::names::AttrNames;
use crate::host::{AttrNameId, Signedness};
use crate::intern::StrId;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::module::{BlockId, Module, OpId, ValueId};
use crate::ir::traits::OpTraits;
use crate::ir::types::TypeKind;
use crate::plural::count;

/// The verifier of single operations. An error is a clause that states the problem of the operation.
pub(super) struct OpVerifier<'a> {
    pub(super) context: &'a Context,
    pub(super) module: &'a Module,
    /// The symbols that have been found, by symbol table and name.
    pub(super) symbols: &'a HashMap<(OpId, StrId), OpId>,
    pub(super) names: &'a AttrNames,
}

impl OpVerifier<'_> {
    /// Verifies an operation of this kind.
    pub(super) fn verify(&self, op: OpId, kind: OpKind) -> Result<(), String> {
        let has_no_results = matches!(
            kind,
            OpKind::Module
                | OpKind::Func
                | OpKind::Return
                | OpKind::Branch
                | OpKind::CondBranch
                | OpKind::Switch
                | OpKind::Assert
        );
        if has_no_results && self.module.result_count(op) > 0 {
            return Err("requires zero results".to_owned());
        }
        match kind {
            OpKind::Module => self.module_op(op),
            OpKind::Func => self.func(op),
            OpKind::Return => self.returns(op),
            OpKind::Branch => self.branch(op, &[0, self.module.operands(op).len()]),
            OpKind::CondBranch => self.cond_branch(op),
            OpKind::Constant => self.constant(op),
            OpKind::Binary(_) => self.arity(op, 2).and_then(|()| self.same_types(op)),
            OpKind::Unary(_) => self.arity(op, 1).and_then(|()| self.same_types(op)),
            OpKind::ConversionCast if self.module.result_count(op) == 0 => {
                Err("requires at least one result".to_owned())
            }
            OpKind::ConversionCast => Ok(()),
            OpKind::Call => self.call(op),
            OpKind::CallIndirect => self.call_indirect(op),
            OpKind::FunctionConstant => self.function_constant(op),
            OpKind::Assert => self.assertion(op),
            OpKind::Switch => self.switch(op),
            OpKind::ExtendedAdd => self.extended(op, true),
            OpKind::ExtendedMultiply => self.extended(op, false),
            OpKind::Select => self.select(op),
            OpKind::CompareInts | OpKind::CompareFloats => {
                self.arity(op, 2).and_then(|()| self.equal_types(self.module.operands(op)))
            }
            OpKind::Cast(_) => self.arity(op, 1),
            OpKind::ScaledCast(_) => self.arity(op, 2),
        }?;
        match kind {
            OpKind::Module | OpKind::Func => Ok(()),
            _ if !self.module.regions(op).is_empty() => Err("requires zero regions".to_owned()),
            _ if kind.is_arith() => self.arith().types(op, kind),
            _ => Ok(()),
        }
    }

    fn arith(&self) -> ArithVerifier<'_> {
        ArithVerifier { context: self.context, module: self.module, names: self.names }
    }

    fn traits(&self, op: OpId) -> OpTraits {
        self.context.traits(self.module.name(op))
    }

    /// The property with this name, or else the discardable attribute.
    fn attr(&self, op: OpId, name: Option<AttrNameId>) -> Option<AttrId> {
        self.module.attr(self.context, op, name?)
    }

    /// The kind of the attribute that [`Self::attr`] returns.
    fn kind(&self, op: OpId, name: Option<AttrNameId>) -> Option<&AttrKind> {
        self.attr(op, name).map(|attr| self.context.attr_kind(attr))
    }

    /// Requires this number of operands, and one result.
    fn arity(&self, op: OpId, operands: u32) -> Result<(), String> {
        if self.module.operand_count(op) != operands {
            let found = self.module.operand_count(op);
            return Err(format!("expected {}, but found {found}", count(operands, "operand")));
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
        self.arity(op, 3)?;
        let module = self.module;
        let [condition, taken, other] = [0, 1, 2].map(|index| module.value_type(module.operand(op, index)));
        let result = module.value_type(module.result(op, 0));
        if [taken, other] != [result, result] {
            return Err(
                "failed to verify that all of {true_value, false_value, result} have same type".to_owned()
            );
        }
        let wanted = self.context.find_with_element(result, Context::I1);
        if condition != Context::I1 && Some(condition) != wanted {
            return Err("failed to verify that condition is signless i1 or has matching shape".to_owned());
        }
        Ok(())
    }

    fn call(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let callee = self.kind(op, self.names.callee);
        let Some(AttrKind::SymbolRef { root, nested }) = callee else {
            return Err("requires attribute 'callee', a symbol reference".to_owned());
        };
        if !nested.is_empty() {
            return Err(
                "attribute 'callee' failed to satisfy constraint: flat symbol reference attribute".to_owned()
            );
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

    /// The inputs and results of the function with this name in the nearest symbol table. The outer `None` means that
    /// an unknown operation may be the symbol table; the inner `None` means that there is no such function.
    fn function_named(&self, op: OpId, name: StrId) -> Option<Option<(&[TypeId], &[TypeId])>> {
        let module = self.module;
        let mut table = module.parent(op);
        while let Some(holder) = table {
            let traits = self.traits(holder);
            if traits.contains(OpTraits::SYMBOL_TABLE) {
                break;
            }
            // An unknown operation may be a symbol table, so the search ends there without a result.
            table = if traits.contains(OpTraits::KNOWN) { module.parent(holder) } else { None };
        }
        let func = self.symbols.get(&(table?, name)).copied();
        Some(func.and_then(|func| self.function_type(func)))
    }

    fn function_constant(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let value = self.kind(op, self.names.value);
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
        let types = |values: &mut dyn Iterator<Item = ValueId>, wanted: &[TypeId]| {
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
        match self.kind(op, self.names.msg) {
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
        let message = || "operand segments do not match the number of operands".to_owned();
        let sizes = self.sizes(op, "operandSegmentSizes", self.names.operand_segment_sizes)?;
        let [1, default, cases] = sizes[..] else { return Err(message()) };
        let segments = self.sizes(op, "case_operand_segments", self.names.case_operand_segments)?;
        let mut bounds = vec![1, 1 + default];
        for size in &segments {
            bounds.push(bounds[bounds.len() - 1] + size);
        }
        if bounds[bounds.len() - 1] != 1 + default + cases
            || self.module.operands(op).len() != 1 + default + cases
        {
            return Err(message());
        }
        let values = match self.kind(op, self.names.case_values) {
            None => Some(0),
            Some(AttrKind::DenseElements { ty, .. }) => self.context.type_kind(*ty).element_count(),
            Some(_) => None,
        };
        let Some(values) = values else {
            return Err("requires attribute 'case_values' to be dense elements".to_owned());
        };
        if let Some(AttrKind::DenseElements { ty, .. }) = self.kind(op, self.names.case_values) {
            let flag = self.module.value_type(self.module.operand(op, 0));
            if self.context.type_kind(*ty).element() != Some(flag) {
                return Err("the types of the flag and of the case values differ".to_owned());
            }
        }
        let destinations = self.module.successors(op).len().saturating_sub(1);
        if usize::try_from(values) != Ok(destinations) {
            return Err(format!(
                "number of case values ({values}) should match number of case destinations ({destinations})"
            ));
        }
        if segments.len() < destinations {
            let segments = segments.len();
            return Err(format!(
                "number of case operand segments ({segments}) should be at least the number of case destinations \
                 ({destinations})"
            ));
        }
        // MLIR accepts more segments than destinations.
        bounds.truncate(destinations + 2);
        self.branch(op, &bounds)
    }

    /// The elements of an attribute that is an array of sizes.
    fn sizes(&self, op: OpId, name: &str, id: Option<AttrNameId>) -> Result<Vec<usize>, String> {
        let Some(AttrKind::DenseArray { element: Context::I32, data }) = self.kind(op, id) else {
            return Err(format!("requires attribute '{name}', an array of i32"));
        };
        let read = |bytes: &[u8]| usize::try_from(i32::from_le_bytes(bytes.try_into().ok()?)).ok();
        let sizes: Option<Vec<usize>> = data.chunks(4).map(read).collect();
        sizes.ok_or_else(|| format!("'{name}' attribute cannot have negative elements"))
    }

    fn module_op(&self, op: OpId) -> Result<(), String> {
        let [region] = self.module.regions(op) else { return Err("requires one region".to_owned()) };
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
        if !matches!(self.kind(op, self.names.sym_name), None | Some(AttrKind::String { .. })) {
            return Err("attribute 'sym_name' failed to satisfy constraint: string attribute".to_owned());
        }
        // MLIR does not verify the visibility of a module without a name.
        if self.attr(op, self.names.sym_name).is_some() {
            self.visibility(op)?;
        }
        match self.module.first_block(*region) {
            Some(block) if !self.module.args(block).is_empty() => {
                Err("region should have no arguments".to_owned())
            }
            _ => Ok(()),
        }
    }

    /// The visibility of a symbol; `None` if it has the default visibility.
    fn visibility(&self, op: OpId) -> Result<Option<&str>, String> {
        match self.kind(op, self.names.sym_visibility) {
            None => Ok(None),
            Some(AttrKind::String { text, .. }) => match self.context.str(*text) {
                word @ ("public" | "private" | "nested") => Ok(Some(word)),
                other => Err(format!(
                    "visibility expected to be one of [\"public\", \"private\", \"nested\"], but got \"{other}\""
                )),
            },
            Some(_) => Err("requires visibility attribute 'sym_visibility' to be a string".to_owned()),
        }
    }

    fn function_type(&self, op: OpId) -> Option<(&[TypeId], &[TypeId])> {
        let AttrKind::Type(ty) = *self.context.attr_kind(self.attr(op, self.names.function_type)?) else {
            return None;
        };
        match self.context.type_kind(ty) {
            TypeKind::Function { inputs, results } => Some((inputs, results)),
            _ => None,
        }
    }

    fn func(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        match self.kind(op, self.names.sym_name) {
            Some(AttrKind::String { .. }) => {}
            _ => return Err("requires attribute 'sym_name', a string".to_owned()),
        }
        let (inputs, results) =
            self.function_type(op).ok_or("requires attribute 'function_type', a function type")?;
        for (name, count, what) in [
            (self.names.arg_attrs, inputs.len(), "argument"),
            (self.names.res_attrs, results.len(), "result"),
        ] {
            let Some(attr) = self.attr(op, name) else { continue };
            if let AttrKind::Array(items) = self.context.attr_kind(attr)
                && items.len() != count
            {
                return Err(format!(
                    "expects {what} attribute array to have the same number of elements as the number of \
                     function {what}s, got {}, but expected {count}",
                    items.len()
                ));
            }
            self.dialect_entries(attr, what)?;
        }
        let visibility = self.visibility(op)?;
        if let Some(parent) = module.parent(op)
            && self.traits(parent).contains(OpTraits::KNOWN)
            && !self.traits(parent).contains(OpTraits::SYMBOL_TABLE)
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

    /// Requires the dictionaries of arguments or results to have only names with a dialect's prefix.
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
        if self.context.op_name_text(module.name(func)) != "func.func" {
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

    /// Verifies a branch. The operands of successor *i* are those from `bounds[i]` to `bounds[i + 1]`.
    fn branch(&self, op: OpId, bounds: &[usize]) -> Result<(), String> {
        let module = self.module;
        let successors = module.successors(op);
        if successors.len() + 1 != bounds.len() {
            let wanted = count(bounds.len() - 1, "successor");
            return Err(format!("requires {wanted} but found {}", successors.len()));
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
        let sizes = self.sizes(op, "operandSegmentSizes", self.names.operand_segment_sizes)?;
        let message = || "operand segments do not match the number of operands".to_owned();
        let [1, taken, not_taken] = sizes[..] else { return Err(message()) };
        if operands.len() != 1 + taken + not_taken {
            return Err(message());
        }
        if self.module.value_type(operands[0]) != Context::I1 {
            return Err("operand #0 must be 1-bit signless integer".to_owned());
        }
        self.branch(op, &[1, 1 + taken, 1 + taken + not_taken])
    }

    fn constant(&self, op: OpId) -> Result<(), String> {
        let value = self.attr(op, self.names.value).ok_or("requires attribute 'value'")?;
        let mut results = self.module.results(op);
        let (Some(result), None) = (results.next(), results.next()) else {
            return Err("requires one result".to_owned());
        };
        let ty = self.module.value_type(result);
        if self.context.attr_type(value) != Some(ty) {
            return Err("failed to verify that all of {value, result} have same type".to_owned());
        }
        if matches!(self.context.attr_kind(value), AttrKind::String { .. }) {
            return Err("value must be an integer, float, or elements attribute".to_owned());
        }
        if let TypeKind::Integer { signedness, .. } = self.context.type_kind(ty)
            && *signedness != Signedness::Signless
        {
            return Err("integer return type must be signless".to_owned());
        }
        Ok(())
    }

    /// Requires the result to have the type of the first operand, and the other operands to have types that are
    /// compatible with this type.
    fn same_types(&self, op: OpId) -> Result<(), String> {
        let module = self.module;
        let types = |value: &ValueId| module.value_type(*value);
        let first = module.operands(op).first().map(types);
        let compatible = first.is_none_or(|first| {
            module.operands(op).iter().map(types).all(|ty| self.arith().compatible(first, ty))
        });
        if compatible && module.results(op).all(|value| Some(module.value_type(value)) == first) {
            Ok(())
        } else {
            Err("requires the same type for all operands and results".to_owned())
        }
    }
}
