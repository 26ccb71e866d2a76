//! Operations in custom form.
//!
//! An operation that its custom form cannot express (an attribute is missing, or a type cannot be inferred) is printed
//! in generic form, as MLIR prints invalid operations.

use std::fmt::Write;

use super::lines::ModulePrinter;
use crate::host::{AttrNameId, OpNameId};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::core_forms::{self, CoreForm, FlagSyntax};
use crate::ir::elements::ElementKind;
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::module::{BlockId, Module, OpId, ValueId};
use crate::ir::types::TypeKind;
use crate::number::ApInt;

impl ModulePrinter<'_> {
    /// Writes an operation at this depth in custom form, up to its regions. Returns false, and writes nothing, if the
    /// operation has no custom form.
    pub(super) fn custom(&mut self, op: OpId, depth: usize) -> bool {
        let context = self.printer.context;
        let name = context.op_name_text(self.module.name(op));
        let Some(form) = core_forms::of(name).filter(|_| context.forms().form(name).is_none()) else {
            return false;
        };
        let start = self.printer.out.len();
        let done = self.form(op, form, depth).is_some();
        if !done {
            self.printer.out.truncate(start);
        }
        done
    }

    fn form(&mut self, op: OpId, form: CoreForm, depth: usize) -> Option<()> {
        let module = self.module;
        let context = self.printer.context;
        if !matches!(context.attr_kind(module.properties(op)), AttrKind::Dictionary(_)) {
            return None;
        }
        let (operands, results) = (module.operand_count(op), module.result_count(op));
        let regions = module.regions(op).len();
        let shape = match form {
            CoreForm::Module => (operands, results, regions) == (0, 0, 1) && self.is_module_body(op),
            CoreForm::Func => (operands, results, regions) == (0, 0, 1),
            CoreForm::Return | CoreForm::Branch => results == 0 && regions == 0,
            CoreForm::Call => regions == 0,
            CoreForm::ConversionCast => results > 0 && regions == 0,
            CoreForm::CallIndirect => operands > 0 && regions == 0,
            CoreForm::FunctionConstant => (operands, results, regions) == (0, 1, 0),
            CoreForm::Assert => (operands, results, regions) == (1, 0, 0),
            CoreForm::Switch => operands > 0 && results == 0 && regions == 0,
            CoreForm::ExtendedAdd | CoreForm::ExtendedMultiply => (operands, results, regions) == (2, 2, 0),
            CoreForm::CondBranch => operands > 0 && results == 0 && regions == 0,
            CoreForm::Constant => (operands, results, regions) == (0, 1, 0),
            CoreForm::CompareInts | CoreForm::CompareFloats | CoreForm::Binary(_) => {
                (operands, results, regions) == (2, 1, 0)
            }
            CoreForm::Select => (operands, results, regions) == (3, 1, 0),
            CoreForm::Unary(_) | CoreForm::Cast(_) => (operands, results, regions) == (1, 1, 0),
        };
        let successors = match form {
            CoreForm::Switch => module.successors(op).len().max(1),
            CoreForm::Branch => 1,
            CoreForm::CondBranch => 2,
            _ => 0,
        };
        if !shape || module.successors(op).len() != successors {
            return None;
        }
        self.name(op);
        match form {
            CoreForm::Module => {
                self.symbol_name(op, false)?;
                self.attributes_keyword(op, &["sym_name"]);
                self.printer.out.push(' ');
            }
            CoreForm::Func => self.func(op)?,
            CoreForm::Return => {
                self.attr_dict(op, &[]);
                if operands > 0 {
                    self.printer.out.push(' ');
                    self.typed_values(module.operands(op));
                }
            }
            CoreForm::ConversionCast => {
                if operands > 0 {
                    self.printer.out.push(' ');
                    self.typed_values(module.operands(op));
                }
                self.printer.out.push_str(" to ");
                self.printer.list(module.results(op), |p, value| p.ty(module.value_type(value)));
                self.attr_dict(op, &[]);
            }
            CoreForm::Call => self.call(op)?,
            CoreForm::CallIndirect => self.call_indirect(op)?,
            CoreForm::FunctionConstant => {
                let value = self.property(op, "value")?;
                if !matches!(context.attr_kind(value), AttrKind::SymbolRef { .. }) {
                    return None;
                }
                self.attr_dict(op, &["value"]);
                self.printer.out.push(' ');
                self.printer.attr(value);
                self.colon_type(module.value_type(module.result(op, 0)));
            }
            CoreForm::Assert => {
                let message = self.property(op, "msg")?;
                self.string(message)?;
                self.printer.out.push(' ');
                self.values(module.operands(op));
                self.printer.out.push_str(", ");
                self.printer.attr(message);
                self.attr_dict(op, &["msg"]);
            }
            CoreForm::Switch => self.switch(op, depth)?,
            CoreForm::ExtendedAdd | CoreForm::ExtendedMultiply => self.extended(op, form)?,
            CoreForm::Branch => {
                self.target(module.successors(op)[0], module.operands(op));
                self.attr_dict(op, &[]);
            }
            CoreForm::CondBranch => self.cond_branch(op)?,
            CoreForm::Constant => {
                let value = self.property(op, "value")?;
                let ty = module.value_type(module.result(op, 0));
                if context.attr_type(value) != Some(ty) {
                    return None;
                }
                self.attr_dict(op, &["value"]);
                self.printer.out.push(' ');
                self.printer.attr(value);
            }
            CoreForm::CompareInts | CoreForm::CompareFloats => self.compare(op, form)?,
            CoreForm::Select => self.select(op)?,
            CoreForm::Binary(flags) | CoreForm::Unary(flags) => {
                let ty = module.value_type(module.result(op, 0));
                if module.operands(op).iter().any(|&value| module.value_type(value) != ty) {
                    return None;
                }
                self.printer.out.push(' ');
                self.values(module.operands(op));
                self.flags(op, flags)?;
                self.colon_type(ty);
            }
            CoreForm::Cast(flags) => {
                self.printer.out.push(' ');
                self.values(module.operands(op));
                self.flags(op, flags)?;
                self.colon_type(module.value_type(module.operand(op, 0)));
                self.printer.out.push_str(" to ");
                self.printer.ty(module.value_type(module.result(op, 0)));
            }
        }
        Some(())
    }

    // Pieces.

    /// The name, without the dialect if that is the default dialect of the region.
    pub(super) fn name(&mut self, op: OpId) {
        let context = self.printer.context;
        let name = context.op_name_text(self.module.name(op));
        let default = match self.module.parent(op) {
            None => "builtin",
            Some(parent) => default_dialect(context, self.module.name(parent)),
        };
        let short = name.strip_prefix(default).and_then(|rest| rest.strip_prefix('.'));
        // A name with two dots could be that of another dialect.
        let short = short.filter(|rest| !default.is_empty() && !rest.contains('.'));
        self.printer.out.push_str(short.unwrap_or(name));
    }

    fn is_module_body(&self, op: OpId) -> bool {
        let region = self.module.region(op, 0);
        let Some(block) = self.module.first_block(region) else { return false };
        self.module.next_block(block).is_none() && self.module.args(block).is_empty()
    }

    fn property(&self, op: OpId, name: &str) -> Option<AttrId> {
        let context = self.printer.context;
        context.entry(self.module.properties(op), context.find_attr_name(name)?)
    }

    fn values(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.printer.out.push_str(", ");
            }
            self.value(value);
        }
    }

    /// `%a, %b : t, u`
    fn typed_values(&mut self, values: &[ValueId]) {
        let module = self.module;
        self.values(values);
        self.printer.out.push_str(" : ");
        self.printer.list(values, |p, &value| p.ty(module.value_type(value)));
    }

    fn colon_type(&mut self, ty: TypeId) {
        self.printer.out.push_str(" : ");
        self.printer.ty(ty);
    }

    fn string(&self, attr: AttrId) -> Option<&str> {
        match *self.printer.context.attr_kind(attr) {
            AttrKind::String { text, ty: None } => Some(self.printer.context.str(text)),
            _ => None,
        }
    }

    /// Writes ` {…}` with all attributes except those with these names, sorted. Without such attributes, writes
    /// nothing.
    fn attr_dict(&mut self, op: OpId, without: &[&str]) {
        let entries = self.all_attrs(op, without);
        if !entries.is_empty() {
            self.printer.out.push(' ');
            self.printer.dictionary(&entries);
        }
    }

    fn attributes_keyword(&mut self, op: OpId, without: &[&str]) {
        let entries = self.all_attrs(op, without);
        if !entries.is_empty() {
            self.printer.out.push_str(" attributes ");
            self.printer.dictionary(&entries);
        }
    }

    fn all_attrs(&self, op: OpId, without: &[&str]) -> Vec<(AttrNameId, AttrId)> {
        let context = self.printer.context;
        let (properties, attrs) = (self.module.properties(op), self.module.attrs(op));
        let both = context.entries(properties).iter().chain(context.entries(attrs)).copied();
        let mut all: Vec<_> =
            both.filter(|entry| !without.contains(&context.attr_name_text(entry.0))).collect();
        all.sort_by_key(|entry| context.attr_name_text(entry.0));
        all
    }

    /// `public @name`.
    fn symbol_name(&mut self, op: OpId, visibility: bool) -> Option<()> {
        if visibility && let Some(attr) = self.property(op, "sym_visibility") {
            let word = self.string(attr)?.to_owned();
            if !matches!(&*word, "public" | "private" | "nested") {
                return None;
            }
            let _ = write!(self.printer.out, " {word}");
        }
        match self.property(op, "sym_name") {
            Some(attr) => {
                let name = self.string(attr)?.to_owned();
                self.printer.out.push(' ');
                self.printer.symbol(&name);
                Some(())
            }
            None => (!visibility).then_some(()),
        }
    }

    /// The flags between operands and attributes, and the attributes.
    fn flags(&mut self, op: OpId, flags: FlagSyntax) -> Option<()> {
        match flags {
            FlagSyntax::None => self.attr_dict(op, &[]),
            FlagSyntax::Overflow => {
                self.flag_attr(op, "overflowFlags", "overflow", true)?;
                self.attr_dict(op, &["overflowFlags"]);
            }
            FlagSyntax::Exact => {
                if let Some(attr) = self.property(op, "isExact") {
                    if attr != Context::UNIT {
                        return None;
                    }
                    self.printer.out.push_str(" exact");
                }
                self.attr_dict(op, &["isExact"]);
            }
            FlagSyntax::FastMath | FlagSyntax::OptionalFastMath => {
                self.flag_attr(op, "fastmath", "fastmath", flags == FlagSyntax::FastMath)?;
                self.attr_dict(op, &["fastmath"]);
            }
            FlagSyntax::Rounding => {
                if let Some(mode) = self.property(op, "roundingmode") {
                    let mode = self.choice(mode, core_forms::ROUNDING_MODES)?;
                    let _ = write!(self.printer.out, " {mode}");
                }
                self.flag_attr(op, "fastmath", "fastmath", false)?;
                self.attr_dict(op, &["fastmath", "roundingmode"]);
            }
        }
        Some(())
    }

    /// ` keyword<flags>` of a property `#arith.keyword<flags>`.
    fn flag_attr(&mut self, op: OpId, property: &str, keyword: &str, required: bool) -> Option<()> {
        let Some(attr) = self.property(op, property) else {
            return (!required).then_some(());
        };
        let AttrKind::Dialect { body, ty: None } = self.printer.context.attr_kind(attr) else { return None };
        let text = self.printer.context.str(body.text);
        let flags = text.strip_prefix("arith.")?.strip_prefix(keyword)?;
        if !(required && flags == "<none>") {
            let _ = write!(self.printer.out, " {keyword}{flags}");
        }
        Some(())
    }

    fn choice(&self, attr: AttrId, words: &'static [&'static str]) -> Option<&'static str> {
        match self.printer.context.attr_kind(attr) {
            AttrKind::Integer { value, .. } => words.get(usize::try_from(value.to_u64()?).ok()?).copied(),
            _ => None,
        }
    }

    // Forms.

    fn compare(&mut self, op: OpId, form: CoreForm) -> Option<()> {
        let module = self.module;
        let words = if form == CoreForm::CompareInts {
            core_forms::INT_PREDICATES
        } else {
            core_forms::FLOAT_PREDICATES
        };
        let predicate = self.choice(self.property(op, "predicate")?, words)?;
        let ty = module.value_type(module.operand(op, 0));
        let result = self.printer.context.find_with_element(ty, Context::I1);
        if module.value_type(module.operand(op, 1)) != ty
            || result != Some(module.value_type(module.result(op, 0)))
        {
            return None;
        }
        let _ = write!(self.printer.out, " {predicate}, ");
        self.values(module.operands(op));
        if form == CoreForm::CompareFloats {
            self.flag_attr(op, "fastmath", "fastmath", true)?;
            self.attr_dict(op, &["fastmath", "predicate"]);
        } else {
            self.attr_dict(op, &["predicate"]);
        }
        self.colon_type(ty);
        Some(())
    }

    fn select(&mut self, op: OpId) -> Option<()> {
        let module = self.module;
        let ty = module.value_type(module.result(op, 0));
        let types: Vec<TypeId> = module.operands(op).iter().map(|&value| module.value_type(value)).collect();
        if types[1..] != [ty, ty] {
            return None;
        }
        self.printer.out.push(' ');
        self.values(module.operands(op));
        self.attr_dict(op, &[]);
        if types[0] != Context::I1 {
            self.colon_type(types[0]);
            self.printer.out.push_str(", ");
            self.printer.ty(ty);
        } else {
            self.colon_type(ty);
        }
        Some(())
    }

    fn call(&mut self, op: OpId) -> Option<()> {
        let module = self.module;
        let callee = self.property(op, "callee")?;
        if !matches!(self.printer.context.attr_kind(callee), AttrKind::SymbolRef { .. }) {
            return None;
        }
        self.printer.out.push(' ');
        self.printer.attr(callee);
        self.printer.out.push('(');
        self.values(module.operands(op));
        self.printer.out.push(')');
        self.attr_dict(op, &["callee"]);
        self.printer.out.push_str(" : ");
        let types = |values: &mut dyn Iterator<Item = ValueId>| -> Vec<TypeId> {
            values.map(|value| module.value_type(value)).collect()
        };
        let inputs = types(&mut module.operands(op).iter().copied());
        let results = types(&mut module.results(op));
        self.printer.function_type(&inputs, &results);
        Some(())
    }

    fn call_indirect(&mut self, op: OpId) -> Option<()> {
        let module = self.module;
        let (callee, arguments) = module.operands(op).split_first()?;
        let inputs: Vec<TypeId> = arguments.iter().map(|&value| module.value_type(value)).collect();
        let results: Vec<TypeId> = module.results(op).map(|value| module.value_type(value)).collect();
        let ty = TypeKind::Function { inputs: inputs.as_slice().into(), results: results.as_slice().into() };
        if *self.printer.context.type_kind(module.value_type(*callee)) != ty {
            return None;
        }
        self.printer.out.push(' ');
        self.value(*callee);
        self.printer.out.push('(');
        self.values(arguments);
        self.printer.out.push(')');
        self.attr_dict(op, &[]);
        self.printer.out.push_str(" : ");
        self.printer.function_type(&inputs, &results);
        Some(())
    }

    fn extended(&mut self, op: OpId, form: CoreForm) -> Option<()> {
        let module = self.module;
        let ty = module.value_type(module.result(op, 0));
        let second = module.value_type(module.result(op, 1));
        let operands = module.operands(op).iter().all(|&value| module.value_type(value) == ty);
        if !operands || (form == CoreForm::ExtendedMultiply && second != ty) {
            return None;
        }
        self.printer.out.push(' ');
        self.values(module.operands(op));
        self.attr_dict(op, &[]);
        self.colon_type(ty);
        if form == CoreForm::ExtendedAdd {
            self.printer.out.push_str(", ");
            self.printer.ty(second);
        }
        Some(())
    }

    fn switch(&mut self, op: OpId, depth: usize) -> Option<()> {
        let module = self.module;
        let context = self.printer.context;
        let (flag, mut rest) = module.operands(op).split_first()?;
        let ty = module.value_type(*flag);
        let width = context.integer_width(ty).filter(|&width| width > 0)?;
        let sizes = self.i32_array(self.property(op, "operandSegmentSizes")?)?;
        let [1, default, cases] = sizes[..] else { return None };
        let segments = self.i32_array(self.property(op, "case_operand_segments")?)?;
        let total = segments.iter().try_fold(0i32, |sum, &size| sum.checked_add(size))?;
        let count = usize::try_from(default).ok()?.checked_add(usize::try_from(cases).ok()?)?;
        if total != cases || rest.len() != count || segments.len() + 1 != module.successors(op).len() {
            return None;
        }
        let values = match self.property(op, "case_values") {
            None if segments.is_empty() => Vec::new(),
            None => return None,
            Some(attr) => {
                let AttrKind::DenseElements { ty: vector, data, splat } = context.attr_kind(attr) else {
                    return None;
                };
                let kind = context.type_kind(*vector);
                let number = i64::try_from(segments.len()).ok()?;
                if kind.element() != Some(ty) || kind.shape() != Some(&[number]) {
                    return None;
                }
                let size = ElementKind::Int { width }.size();
                let at = |i: usize| if *splat { 0 } else { i * size };
                let read = |i| Some(ApInt::from_le_bytes(width, data.get(at(i)..at(i) + size)?));
                (0..segments.len()).map(read).collect::<Option<Vec<_>>>()?
            }
        };
        self.printer.out.push(' ');
        self.value(*flag);
        self.colon_type(ty);
        self.printer.out.push_str(", [");
        let sizes = std::iter::once(default).chain(segments);
        for (i, (size, &block)) in sizes.zip(module.successors(op)).enumerate() {
            let operands = rest.split_off(..usize::try_from(size).ok()?)?;
            self.printer.out.push_str(if i == 0 { "\n" } else { ",\n" });
            self.indent(depth + 1);
            match i.checked_sub(1) {
                None => self.printer.out.push_str("default:"),
                Some(case) => {
                    let _ = write!(self.printer.out, "{}:", values[case].to_unsigned_string());
                }
            }
            self.target(block, operands);
        }
        // As in MLIR, the bracket stays on its line if there is only the default case.
        if !values.is_empty() {
            self.printer.out.push('\n');
            self.indent(depth);
        }
        self.printer.out.push(']');
        self.attr_dict(op, &["case_operand_segments", "case_values", "operandSegmentSizes"]);
        Some(())
    }

    /// ` ^block(%a : t)`
    fn target(&mut self, block: BlockId, operands: &[ValueId]) {
        self.printer.out.push(' ');
        self.names.block(&mut self.printer.out, block);
        if !operands.is_empty() {
            self.printer.out.push('(');
            self.typed_values(operands);
            self.printer.out.push(')');
        }
    }

    fn cond_branch(&mut self, op: OpId) -> Option<()> {
        let module = self.module;
        let sizes = self.i32_array(self.property(op, "operandSegmentSizes")?)?;
        let [1, taken, not_taken] = sizes[..] else { return None };
        let (taken, not_taken) = (usize::try_from(taken).ok()?, usize::try_from(not_taken).ok()?);
        let (condition, rest) = module.operands(op).split_first()?;
        if taken.checked_add(not_taken) != Some(rest.len()) {
            return None;
        }
        self.printer.out.push(' ');
        self.value(*condition);
        if let Some(weights) = self.property(op, "branch_weights") {
            self.printer.out.push_str(" weights([");
            let weights = self.i32_array(weights)?;
            self.printer.list(weights, |p, weight| {
                let _ = write!(p.out, "{weight}");
            });
            self.printer.out.push_str("])");
        }
        let (first, second) = rest.split_at(taken);
        self.printer.out.push(',');
        self.target(module.successors(op)[0], first);
        self.printer.out.push(',');
        self.target(module.successors(op)[1], second);
        self.attr_dict(op, &["operandSegmentSizes", "branch_weights"]);
        Some(())
    }

    fn i32_array(&self, attr: AttrId) -> Option<Vec<i32>> {
        match self.printer.context.attr_kind(attr) {
            AttrKind::DenseArray { element, data } if *element == Context::I32 => {
                let read = |bytes: &[u8]| Some(i32::from_le_bytes(bytes.try_into().ok()?));
                data.chunks(4).map(read).collect()
            }
            _ => None,
        }
    }

    fn func(&mut self, op: OpId) -> Option<()> {
        let module = self.module;
        let context = self.printer.context;
        let AttrKind::Type(ty) = *context.attr_kind(self.property(op, "function_type")?) else { return None };
        let TypeKind::Function { inputs, results } = context.type_kind(ty) else { return None };
        let region = module.region(op, 0);
        let entry = module.first_block(region);
        if let Some(entry) = entry {
            let args = module.args(entry);
            if !args.iter().map(|&arg| module.value_type(arg)).eq(inputs.iter().copied()) {
                return None;
            }
        }
        self.symbol_name(op, true)?;
        self.printer.out.push('(');
        let attrs = self.attr_list(op, "arg_attrs", inputs.len())?;
        for (i, &ty) in inputs.iter().enumerate() {
            if i > 0 {
                self.printer.out.push_str(", ");
            }
            if let Some(entry) = entry {
                self.value(module.args(entry)[i]);
                self.printer.out.push_str(": ");
            }
            self.printer.ty(ty);
            self.optional_dictionary(attrs.get(i).copied());
            if let Some(entry) = entry {
                self.trailing_loc(module.arg_locs(entry)[i], false);
            }
        }
        self.printer.out.push(')');
        let attrs = self.attr_list(op, "res_attrs", results.len())?;
        let has_attrs = attrs.iter().any(|&attr| attr != Context::EMPTY_DICTIONARY);
        if has_attrs {
            self.printer.out.push_str(" -> (");
            for (i, &ty) in results.iter().enumerate() {
                if i > 0 {
                    self.printer.out.push_str(", ");
                }
                self.printer.ty(ty);
                self.optional_dictionary(attrs.get(i).copied());
            }
            self.printer.out.push(')');
        } else if !results.is_empty() {
            self.printer.out.push_str(" -> ");
            self.printer.result_types(results);
        }
        let without = ["sym_name", "sym_visibility", "function_type", "arg_attrs", "res_attrs"];
        self.attributes_keyword(op, &without);
        if entry.is_some() {
            self.printer.out.push(' ');
        }
        Some(())
    }

    fn attr_list(&self, op: OpId, name: &str, count: usize) -> Option<Vec<AttrId>> {
        let context = self.printer.context;
        let Some(attr) = self.property(op, name) else { return Some(Vec::new()) };
        match context.attr_kind(attr) {
            AttrKind::Array(items)
                if items.len() == count
                    && items.iter().all(|&a| matches!(context.attr_kind(a), AttrKind::Dictionary(_))) =>
            {
                Some(items.to_vec())
            }
            _ => None,
        }
    }

    fn optional_dictionary(&mut self, attr: Option<AttrId>) {
        if let Some(attr) = attr.filter(|&attr| attr != Context::EMPTY_DICTIONARY) {
            self.printer.out.push(' ');
            self.printer.dictionary(self.printer.context.entries(attr));
        }
    }
}

/// The names that an operation suggests for its results: none, one for all, or one for each.
pub(super) fn suggested_names(context: &Context, module: &Module, op: OpId) -> Vec<String> {
    let both = |names: [&str; 2]| match module.result_count(op) {
        2 => names.map(str::to_owned).into(),
        _ => Vec::new(),
    };
    match core_forms::of(context.op_name_text(module.name(op))) {
        Some(CoreForm::Constant) => constant_name(context, module, op).into_iter().collect(),
        Some(CoreForm::FunctionConstant) => vec!["f".to_owned()],
        Some(CoreForm::ExtendedAdd) => both(["sum", "overflow"]),
        Some(CoreForm::ExtendedMultiply) => both(["low", "high"]),
        _ => match context.syntax(module.name(op)).map(|bound| &bound.syntax) {
            Some(syntax)
                if syntax.names_results
                    && module.result_count(op) as usize == syntax.results.len()
                    && syntax.results.iter().all(|group| !group.is_variable()) =>
            {
                syntax.results.iter().map(|group| group.name.clone()).collect()
            }
            _ => Vec::new(),
        },
    }
}

fn constant_name(context: &Context, module: &Module, op: OpId) -> Option<String> {
    let value = context.entry(module.properties(op), context.find_attr_name("value")?)?;
    let AttrKind::Integer { value, ty } = context.attr_kind(value) else { return Some("cst".to_owned()) };
    if *ty == Context::I1 {
        return Some(if value.is_zero() { "false" } else { "true" }.to_owned());
    }
    let mut name = format!("c{}", value.to_signed_string());
    if *ty != Context::INDEX {
        let _ = write!(name, "_{}", context.type_text(*ty));
    }
    Some(name)
}

/// The default dialect in the regions of an operation.
fn default_dialect(context: &Context, op: OpNameId) -> &str {
    match context.op_name_text(op) {
        "builtin.module" => "builtin",
        "func.func" => "func",
        _ => context.syntax(op).and_then(|bound| bound.syntax.default_dialect.as_deref()).unwrap_or(""),
    }
}
