//! The printer for custom forms and directives.

use smallvec::SmallVec;

use super::groups::{GroupRanges, i32_items, operand_groups, result_groups};
use super::lines::ModulePrinter;
use crate::host::AttrNameId;
use crate::intern::StrId;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::definitions::BoundSyntax;
use crate::ir::dialect::{DirectiveArg, FormPrinter, OpSyntax, PrintedOp, TypeOperand};
use crate::ir::ids::{AttrId, BlockId, LocId, RegionId, TypeId, ValueId};
use crate::ir::module::OpId;
use crate::ir::types::TypeKind;
use crate::ir::verbatim::{Spelling, has_class};
use crate::string_literal::push_quoted;

/// A region inside the text of an operation.
#[derive(Clone, Copy, Debug)]
pub(super) struct RegionMark {
    /// The offset in the text.
    pub(super) at: usize,
    pub(super) region: RegionId,
    /// True if the label of the entry block is printed when the block has arguments or predecessors.
    pub(super) arguments: bool,
    /// True if the last operation of each block is printed.
    pub(super) terminators: bool,
    /// The number of indentation levels beyond the level of the operation.
    pub(super) levels: usize,
    /// If present, only the first operation of this block is printed, in the same line and without braces, in place of
    /// the region.
    pub(super) inline: Option<BlockId>,
}

/// The printer of one operation in custom form.
pub(super) struct FormatPrinter<'p, 'a> {
    pub(super) module_printer: &'p mut ModulePrinter<'a>,
    pub(super) op: OpId,
    /// The indentation of the operation.
    pub(super) depth: usize,
    pub(super) bound: Option<&'a BoundSyntax>,
    /// The range of the operands in each group.
    operands: GroupRanges,
    /// The range of the results in each group.
    results: GroupRanges,
    pub(super) marks: Vec<RegionMark>,
}

impl<'p, 'a> FormatPrinter<'p, 'a> {
    /// A printer for an operation; `None` if the operands or results cannot be divided into the groups of the
    /// definition.
    pub(super) fn new(
        module_printer: &'p mut ModulePrinter<'a>,
        op: OpId,
        depth: usize,
        bound: Option<&'a BoundSyntax>,
    ) -> Option<Self> {
        let (operands, results) = (GroupRanges::new(), GroupRanges::new());
        let mut printer = Self { module_printer, op, depth, bound, operands, results, marks: Vec::new() };
        if let Some(bound) = bound {
            let (context, module) = (printer.context(), printer.module_printer.module);
            printer.operands = operand_groups(context, module, op, bound)?;
            printer.results = result_groups(context, module, op, bound)?;
        }
        Some(printer)
    }

    /// The operands of a group.
    pub(super) fn operand_values(&self, index: usize) -> Option<&'a [ValueId]> {
        let &(start, end) = self.operands.get(index)?;
        self.module_printer.module.operands(self.op).get(start as usize..end as usize)
    }

    /// The results of a group.
    pub(super) fn result_values(&self, index: usize) -> Option<SmallVec<[ValueId; 4]>> {
        let &(start, end) = self.results.get(index)?;
        Some((start..end).map(|result| self.module_printer.module.result(self.op, result)).collect())
    }

    /// The value of an attribute, inherent or not.
    pub(super) fn value_of(&self, name: AttrNameId) -> Option<AttrId> {
        self.module_printer.module.attr(self.context(), self.op, name)
    }

    pub(super) fn context(&self) -> &'a Context {
        self.module_printer.printer.context
    }

    pub(super) fn syntax(&self) -> Option<&'a OpSyntax> {
        self.bound.map(|bound| &bound.syntax)
    }

    pub(super) fn out(&mut self) -> &mut String {
        &mut self.module_printer.printer.out
    }

    /// The attributes of the operation except `elided`, sorted by name. Includes inherent attributes only if `inherent`
    /// is true.
    pub(super) fn entries_except(&self, elided: &[&str], inherent: bool) -> Vec<(AttrNameId, AttrId)> {
        let context = self.context();
        self.sorted_entries(inherent, |name, _| !elided.contains(&context.attr_name_text(name)))
    }

    /// The attributes for which `wanted` is true, sorted by name. The second argument of `wanted` is true for inherent
    /// attributes, which are included only if `inherent` is true.
    pub(super) fn sorted_entries(
        &self,
        inherent: bool,
        wanted: impl Fn(AttrNameId, bool) -> bool,
    ) -> Vec<(AttrNameId, AttrId)> {
        let context = self.context();
        let module = self.module_printer.module;
        let properties = if inherent { context.entries(module.properties(self.op)) } else { &[] };
        let properties = properties.iter().filter(|entry| wanted(entry.0, true));
        let attrs = context.entries(module.attrs(self.op)).iter().filter(|entry| wanted(entry.0, false));
        let mut all: Vec<_> = properties.chain(attrs).copied().collect();
        all.sort_by_key(|entry| context.attr_name_text(entry.0));
        all
    }

    pub(super) fn dict(&mut self, keyword: bool, entries: &[(AttrNameId, AttrId)]) {
        if !entries.is_empty() {
            self.text(if keyword { " attributes " } else { " " });
            self.module_printer.printer.dictionary(entries);
        }
    }

    /// Writes a type without its class. Writes the whole type if it has another class.
    pub(super) fn stripped_type(&mut self, class: &str, ty: TypeId) {
        match self.context().type_kind(ty) {
            TypeKind::Dialect(body) if has_class(self.context().str(body.text), class) => {
                self.module_printer.printer.shortened_type(ty, Spelling::WithoutClass);
            }
            _ => self.ty(ty),
        }
    }
}

impl FormPrinter for FormatPrinter<'_, '_> {
    fn text(&mut self, text: &str) {
        self.out().push_str(text);
    }

    fn newline(&mut self, levels: usize) {
        self.out().push('\n');
        self.module_printer.indent(self.depth + levels);
    }

    fn value(&mut self, value: ValueId) {
        self.module_printer.value(value);
    }

    fn value_text(&self, value: ValueId) -> String {
        let mut text = String::new();
        self.module_printer.names.value(&mut text, self.module_printer.module, value, true);
        text
    }

    fn values(&mut self, values: &[ValueId]) {
        for (i, &value) in values.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.module_printer.value(value);
        }
    }

    fn ty(&mut self, ty: TypeId) {
        self.module_printer.printer.ty(ty);
    }

    fn types(&mut self, types: &[TypeId]) {
        self.module_printer.printer.list(types, |p, &ty| p.ty(ty));
    }

    fn arrow_types(&mut self, types: &[TypeId]) {
        if !types.is_empty() {
            self.text(" -> ");
            self.module_printer.printer.result_types(types);
        }
    }

    fn function_type(&mut self, inputs: &[TypeId], results: &[TypeId]) {
        self.module_printer.printer.function_type(inputs, results);
    }

    fn attribute(&mut self, attr: AttrId) {
        self.module_printer.printer.attr(attr);
    }

    fn attribute_without_type(&mut self, attr: AttrId) {
        self.module_printer.printer.attr_without_type(attr);
    }

    fn stripped(&mut self, class: &str, attr: AttrId) {
        match self.context().attr_kind(attr) {
            AttrKind::Dialect { body, ty }
                if has_class(self.context().str(body.text), class)
                    && self.context().text_determines_type(body, *ty) =>
            {
                self.module_printer.printer.shortened_attr(attr, Spelling::WithoutClass);
            }
            _ => self.attribute(attr),
        }
    }

    fn symbol(&mut self, name: &str) {
        self.module_printer.printer.symbol(name);
    }

    fn string(&mut self, text: &str) {
        push_quoted(self.out(), text);
    }

    fn attr_dict(&mut self, keyword: bool, elided: &[&str]) {
        let entries = self.entries_except(elided, true);
        self.dict(keyword, &entries);
    }

    fn optional_dictionary(&mut self, attr: AttrId) {
        if attr != Context::EMPTY_DICTIONARY {
            self.text(" ");
            self.attribute(attr);
        }
    }

    fn region(&mut self, region: RegionId, arguments: bool, terminators: bool) {
        let at = self.module_printer.printer.out.len();
        self.marks.push(RegionMark { at, region, arguments, terminators, levels: 0, inline: None });
    }

    fn nested_region(&mut self, region: RegionId, levels: usize) {
        let at = self.module_printer.printer.out.len();
        self.marks.push(RegionMark { at, region, arguments: false, terminators: true, levels, inline: None });
    }

    fn inline_op(&mut self, block: BlockId) {
        let at = self.module_printer.printer.out.len();
        let Some(&region) = self.module_printer.module.regions(self.op).first() else { return };
        let inline = Some(block);
        self.marks.push(RegionMark { at, region, arguments: false, terminators: true, levels: 0, inline });
    }

    fn successor(&mut self, block: BlockId) {
        self.module_printer.names.block(&mut self.module_printer.printer.out, block);
    }

    fn location(&mut self, loc: LocId) {
        self.module_printer.trailing_loc(loc, false);
    }

    fn op_name(&self) -> String {
        self.context().op_name_text(self.module_printer.module.name(self.op)).to_owned()
    }

    fn operands(&self) -> Vec<ValueId> {
        self.module_printer.module.operands(self.op).to_vec()
    }

    fn results(&self) -> Vec<ValueId> {
        self.module_printer.module.results(self.op).collect()
    }

    fn regions(&self) -> Vec<RegionId> {
        self.module_printer.module.regions(self.op).to_vec()
    }

    fn successors(&self) -> Vec<BlockId> {
        self.module_printer.module.successors(self.op).to_vec()
    }

    fn all_entries(&self) -> Vec<(String, AttrId)> {
        let context = self.context();
        let entries = self.entries_except(&[], true).into_iter();
        entries.map(|(name, value)| (context.attr_name_text(name).to_owned(), value)).collect()
    }

    fn get(&self, name: &str) -> Option<AttrId> {
        self.value_of(self.context().find_attr_name(name)?)
    }

    fn value_type(&self, value: ValueId) -> TypeId {
        self.module_printer.module.value_type(value)
    }

    fn blocks(&self, region: RegionId) -> Vec<BlockId> {
        self.module_printer.module.region_blocks(region).collect()
    }

    fn arguments(&self, block: BlockId) -> Vec<ValueId> {
        self.module_printer.module.args(block).to_vec()
    }

    fn argument_loc(&self, block: BlockId, index: usize) -> LocId {
        self.module_printer.module.arg_locs(block).get(index).copied().unwrap_or(Context::UNKNOWN)
    }

    fn op_names(&self, block: BlockId) -> Vec<String> {
        let module = self.module_printer.module;
        module.ops(block).map(|op| self.context().op_name_text(module.name(op)).to_owned()).collect()
    }

    fn op_at(&self, block: BlockId, index: usize) -> Option<PrintedOp> {
        let module = self.module_printer.module;
        let op = module.ops(block).nth(index)?;
        Some(PrintedOp {
            name: self.context().op_name_text(module.name(op)).to_owned(),
            operands: module.operands(op).to_vec(),
            results: module.results(op).collect(),
            properties: module.properties(op),
            attrs: module.attrs(op),
            regions: module.regions(op).to_vec(),
        })
    }

    fn last_operands(&self, block: BlockId) -> Vec<ValueId> {
        let module = self.module_printer.module;
        module.last_op(block).map_or_else(Vec::new, |op| module.operands(op).to_vec())
    }

    fn ends_plainly(&self, region: RegionId) -> bool {
        let module = self.module_printer.module;
        let Some(last) = module.first_block(region).and_then(|block| module.last_op(block)) else {
            return true;
        };
        let empty = |attr| self.context().entries(attr).is_empty();
        module.operands(last).is_empty()
            && module.result_count(last) == 0
            && empty(module.attrs(last))
            && empty(module.properties(last))
    }

    fn group(&self, arg: &DirectiveArg) -> Vec<ValueId> {
        match arg.target() {
            DirectiveArg::Operand(index) | DirectiveArg::Type(TypeOperand::Operand(index)) => {
                self.operand_values(*index).unwrap_or_default().to_vec()
            }
            DirectiveArg::Type(TypeOperand::Result(index)) => {
                self.result_values(*index).unwrap_or_default().to_vec()
            }
            _ => Vec::new(),
        }
    }

    fn types_of(&self, arg: &DirectiveArg) -> Vec<TypeId> {
        self.group(arg).into_iter().map(|value| self.value_type(value)).collect()
    }

    fn attribute_of(&self, arg: &DirectiveArg) -> Option<AttrId> {
        let syntax = self.syntax()?;
        match arg.target() {
            DirectiveArg::Attribute(index) => self.get(&syntax.attributes.get(*index)?.name),
            DirectiveArg::Property(index) => self.get(&syntax.properties.get(*index)?.name),
            _ => None,
        }
    }

    fn regions_of(&self, arg: &DirectiveArg) -> Vec<RegionId> {
        match arg.target() {
            DirectiveArg::Region(index) => self.region_group(*index),
            _ => Vec::new(),
        }
    }

    fn successors_of(&self, arg: &DirectiveArg) -> Vec<BlockId> {
        match arg.target() {
            DirectiveArg::Successor(index) => self.successor_group(*index),
            _ => Vec::new(),
        }
    }

    fn has_attributes_but(&self, names: &[&str]) -> bool {
        !self.entries_except(names, true).is_empty()
    }

    fn sizes(&self, name: &str) -> Option<Vec<usize>> {
        i32_items(self.context(), self.get(name)?)?
            .into_iter()
            .map(|size| usize::try_from(size).ok())
            .collect()
    }

    fn type_kind(&self, ty: TypeId) -> &TypeKind {
        self.context().type_kind(ty)
    }

    fn attr_kind(&self, attr: AttrId) -> &AttrKind {
        self.context().attr_kind(attr)
    }

    fn str(&self, id: StrId) -> &str {
        self.context().str(id)
    }

    fn attr_text(&self, attr: AttrId) -> String {
        self.context().attr_text(attr)
    }

    fn type_text(&self, ty: TypeId) -> String {
        self.context().type_text(ty)
    }

    fn entries(&self, attr: AttrId) -> Vec<(String, AttrId)> {
        self.context().named_entries(attr)
    }

    fn type_of_attr(&self, attr: AttrId) -> Option<TypeId> {
        self.context().attr_type(attr)
    }
}

impl FormatPrinter<'_, '_> {
    pub(super) fn region_group(&self, index: usize) -> Vec<RegionId> {
        let regions = self.module_printer.module.regions(self.op);
        let variadic = self.syntax().is_some_and(|s| s.regions.get(index).is_some_and(|r| r.variadic));
        let end = if variadic { regions.len() } else { index + 1 };
        regions.get(index..end).unwrap_or(&[]).to_vec()
    }

    pub(super) fn successor_group(&self, index: usize) -> Vec<BlockId> {
        let blocks = self.module_printer.module.successors(self.op);
        let variadic = self.syntax().is_some_and(|s| s.successors.get(index).is_some_and(|b| b.variadic));
        let end = if variadic { blocks.len() } else { index + 1 };
        blocks.get(index..end).unwrap_or(&[]).to_vec()
    }
}
