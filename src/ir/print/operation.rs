//! Operations, blocks and regions as text.

use super::alias::{self, AliasUses, Aliases};
use super::form::{FormatPrinter, RegionMark};
use super::lines::{InferredTypes, ModulePrinter};
use super::names::{SsaNumbering, push_number};
use super::options::PrintOptions;
use super::printer::Printer;
use super::suggested_names::Suggestions;
use crate::ir::context::Context;
use crate::ir::dialect::Syntax;
use crate::ir::module::{BlockId, Module, OpId};
use crate::string_literal::push_quoted;
use hashbrown::HashMap;

/// An operation whose regions are being written.
enum Frame {
    Region(RegionFrame),
    Pieces(PieceFrame),
}

/// A region that is being written.
struct RegionFrame {
    op: OpId,
    region: usize,
    /// The next block.
    block: Option<BlockId>,
    next: Option<OpId>,
    /// The indentation of the block labels and of the closing brace.
    depth: usize,
    kind: RegionKind,
    /// True if the last operation of each block is omitted.
    without_last: bool,
}

/// The text after a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RegionKind {
    /// More regions, and the rest of the generic form.
    Generic,
    /// The next piece of the operation.
    Piece,
}

/// An operation in custom form whose text is written piece by piece, with a region between two pieces.
struct PieceFrame {
    op: OpId,
    depth: usize,
    text: String,
    marks: std::vec::IntoIter<RegionMark>,
    /// The length of the part of the text that was written.
    written: usize,
    /// True if a line break follows.
    ends_line: bool,
}

impl Module {
    /// The module as text. The length of the text and the time are linear in the size of the IR: if the expansion of
    /// aliases would be exponentially long, the printer defines more aliases than MLIR, even with
    /// [`PrintOptions::local_scope`].
    ///
    /// ```
    /// use drrvm::ir::{Context, PrintOptions, parse_module};
    /// use drrvm::source::SourceMap;
    /// let mut sources = SourceMap::default();
    /// let file = sources.add("a.mlir", "%0 = \"t.a\"() : () -> i32").unwrap();
    /// let mut context = Context::new();
    /// let module = parse_module(&mut context, sources.file(file)).unwrap();
    /// let text = module.print(&context, PrintOptions::new().generic(true));
    /// assert_eq!(text, "\"builtin.module\"() ({\n  %0 = \"t.a\"() : () -> i32\n}) : () -> ()\n");
    /// ```
    pub fn print(&self, context: &Context, options: PrintOptions) -> String {
        let mut aliases = alias::find(context, self, options, None);
        if !options.generic && !aliases.names.is_empty() {
            // Custom forms omit attributes, and an attribute that is not written gets no alias.
            let written = self.write(context, options, &aliases, false);
            let mut uses = AliasUses::default();
            // If locations get aliases, the order in the text is not used, because MLIR visits the location of an
            // operation before the other parts of the operation.
            if !options.debug_info || options.local_locations {
                uses.number(context, &aliases, &written.out);
            }
            uses.all = written.used;
            for target in aliases.first.iter().chain(&aliases.last).rev() {
                if uses.all.contains(target) {
                    let mut definition = Printer::new(context, &aliases.names).without_limit();
                    definition.definitions(&[*target]);
                    uses.all.extend(definition.used);
                }
            }
            aliases = alias::find(context, self, options, Some(&uses));
        }
        let mut printer = self.write(context, options, &aliases, true);
        printer.definitions(&aliases.last);
        if !options.local_scope {
            printer.resource_section(self);
        }
        printer.out
    }
}

impl Module {
    /// Returns a printer that has written the operations. If `defines` is true, the definitions of aliases precede the
    /// operations.
    fn write<'a>(
        &'a self,
        context: &'a Context,
        options: PrintOptions,
        aliases: &'a Aliases,
        defines: bool,
    ) -> Printer<'a> {
        let unique = options.generic || options.unique_ssa_ids;
        let suggestions = Suggestions::new(context, self, options);
        let names = SsaNumbering::new(self, unique, &suggestions);
        let mut printer = Printer::new(context, &aliases.names).without_limit();
        printer.distinct = Some(HashMap::default());
        printer.elide_elements = options.elide_elements;
        if defines {
            printer.definitions(&aliases.first);
        }
        let mut all =
            ModulePrinter { printer, module: self, names, options, inferred: InferredTypes::default() };
        all.module();
        all.printer
    }
}

impl ModulePrinter<'_> {
    fn module(&mut self) {
        let mut stack = Vec::new();
        self.op(self.module.top(), 0, true, &mut stack);
        while let Some(frame) = stack.last_mut() {
            match frame {
                Frame::Pieces(frame) => match frame.marks.next() {
                    Some(mark) => {
                        self.printer.out.push_str(&frame.text[frame.written..mark.at]);
                        frame.written = mark.at;
                        let (op, depth) = (frame.op, frame.depth);
                        self.begin_piece(op, mark, depth, &mut stack);
                    }
                    None => {
                        self.printer.out.push_str(&frame.text[frame.written..]);
                        let (op, ends_line) = (frame.op, frame.ends_line);
                        stack.pop();
                        if ends_line {
                            self.end(op);
                        }
                    }
                },
                Frame::Region(frame) => {
                    let depth = frame.depth;
                    if let Some(op) = frame.next {
                        frame.next = self.module.next(op);
                        if frame.without_last && frame.next.is_none() {
                            continue;
                        }
                        let in_custom_form = frame.kind == RegionKind::Piece;
                        self.op(op, depth + 1, in_custom_form, &mut stack);
                    } else if let Some(block) = frame.block {
                        frame.block = self.module.next_block(block);
                        frame.next = self.module.first_op(block);
                        self.indent(depth);
                        self.block_label(block);
                    } else {
                        let (op, region, kind) = (frame.op, frame.region + 1, frame.kind);
                        self.indent(depth);
                        self.printer.out.push('}');
                        stack.pop();
                        match kind {
                            RegionKind::Piece => {}
                            RegionKind::Generic if region < self.module.regions(op).len() => {
                                self.printer.out.push_str(", ");
                                self.begin_region(op, region, depth, &mut stack);
                            }
                            RegionKind::Generic => {
                                self.printer.out.push(')');
                                self.tail(op);
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes the line of an operation, or the part before its first region. `in_custom_form` is true if the region
    /// that contains the operation is part of a custom form.
    fn op(&mut self, op: OpId, depth: usize, in_custom_form: bool, stack: &mut Vec<Frame>) {
        self.indent(depth);
        self.result_names(op);
        if !self.options.generic && self.pieces(op, depth, in_custom_form, true, stack) {
            return;
        }
        self.head(op);
        if self.module.regions(op).is_empty() {
            self.tail(op);
        } else {
            self.printer.out.push_str(" (");
            self.begin_region(op, 0, depth, stack);
        }
    }

    /// Begins an operation in its registered or declared form. Returns false, and writes nothing, if the operation has
    /// no such form or if the form cannot express the operation.
    fn pieces(
        &mut self,
        op: OpId,
        depth: usize,
        in_custom_form: bool,
        ends_line: bool,
        stack: &mut Vec<Frame>,
    ) -> bool {
        let context = self.printer.context;
        let name = self.module.name(op);
        let bound = context.syntax(name);
        let form = context.form_of(name);
        let declared = bound.is_some_and(|bound| matches!(bound.syntax.syntax, Syntax::Declared { .. }));
        if form.is_none() && !declared {
            return false;
        }
        let start = self.printer.out.len();
        self.name(op, in_custom_form);
        let marks =
            FormatPrinter::new(self, op, depth, bound.map(|bound| &**bound)).and_then(|mut printer| {
                match form {
                    Some(form) => form.print(&mut printer)?,
                    None => printer.print_declared()?,
                }
                Some(printer.marks)
            });
        let Some(mut marks) = marks else {
            self.printer.out.truncate(start);
            return false;
        };
        if marks.is_empty() {
            if ends_line {
                self.end(op);
            }
            return true;
        }
        let text = self.printer.out.split_off(start);
        marks.iter_mut().for_each(|mark| mark.at -= start);
        let marks = marks.into_iter();
        stack.push(Frame::Pieces(PieceFrame { op, depth, text, marks, written: 0, ends_line }));
        true
    }

    fn begin_piece(&mut self, op: OpId, mark: RegionMark, depth: usize, stack: &mut Vec<Frame>) {
        if let Some(block) = mark.inline {
            if let Some(first) = self.module.first_op(block) {
                self.inline(first, depth, stack);
            }
            return;
        }
        let depth = depth + mark.levels;
        self.printer.out.push_str("{\n");
        let mut frame = RegionFrame {
            op,
            region: 0,
            block: None,
            next: None,
            depth,
            kind: RegionKind::Piece,
            without_last: !mark.terminators,
        };
        if let Some(entry) = self.module.first_block(mark.region) {
            frame.block = self.module.next_block(entry);
            frame.next = self.module.first_op(entry);
            let labelled = !self.module.args(entry).is_empty() || self.names.has_predecessors(entry);
            if mark.arguments && labelled {
                self.indent(depth);
                self.block_label(entry);
            }
        }
        stack.push(Frame::Region(frame));
    }

    /// Writes an operation without its results and without a line break.
    fn inline(&mut self, op: OpId, depth: usize, stack: &mut Vec<Frame>) {
        let start = self.printer.out.len();
        if self.pieces(op, depth, true, false, stack) {
            return;
        }
        self.head(op);
        self.tail(op);
        let end = self.printer.out.trim_end_matches('\n').len().max(start);
        self.printer.out.truncate(end);
    }

    fn begin_region(&mut self, op: OpId, region: usize, depth: usize, stack: &mut Vec<Frame>) {
        self.printer.out.push_str("{\n");
        let entry = self.module.first_block(self.module.region(op, region));
        let mut frame = RegionFrame {
            op,
            region,
            block: None,
            next: None,
            depth,
            kind: RegionKind::Generic,
            without_last: false,
        };
        if let Some(entry) = entry {
            frame.block = self.module.next_block(entry);
            frame.next = self.module.first_op(entry);
            let labelled = frame.next.is_none()
                || !self.module.args(entry).is_empty()
                // A branch to the entry block is invalid. The label is printed nevertheless, as the target of the
                // branch.
                || self.names.has_predecessors(entry);
            if labelled {
                self.indent(depth);
                self.block_label(entry);
            }
        }
        stack.push(Frame::Region(frame));
    }

    /// Writes the name of an operation. The dialect is omitted if it is the default dialect of the region that contains
    /// the operation. An operation has a default dialect for its regions only in custom form.
    fn name(&mut self, op: OpId, in_custom_form: bool) {
        let context = self.printer.context;
        let name = context.op_name_text(self.module.name(op));
        let default = match self.module.parent(op) {
            None => "builtin",
            Some(_) if !in_custom_form => "",
            Some(parent) => {
                let bound = context.syntax(self.module.name(parent));
                bound.and_then(|bound| bound.syntax.default_dialect.as_deref()).unwrap_or("")
            }
        };
        let short = name.strip_prefix(default).and_then(|rest| rest.strip_prefix('.'));
        // A name with two dots is written whole, because its last two parts could be the name of an operation of
        // another dialect.
        let short = short.filter(|rest| !default.is_empty() && !rest.contains('.'));
        self.printer.out.push_str(short.unwrap_or(name));
    }

    fn result_names(&mut self, op: OpId) {
        if self.module.result_count(op) == 0 {
            return;
        }
        for (first, count) in self.names.result_groups(self.module, op) {
            if first > 0 {
                self.printer.out.push_str(", ");
            }
            self.names.value(&mut self.printer.out, self.module, self.module.result(op, first), false);
            if count > 1 {
                self.printer.out.push(':');
                push_number(&mut self.printer.out, count);
            }
        }
        self.printer.out.push_str(" = ");
    }

    /// Writes the part from the name to the properties.
    fn head(&mut self, op: OpId) {
        let module = self.module;
        let context = self.printer.context;
        push_quoted(&mut self.printer.out, context.op_name_text(module.name(op)));
        self.printer.out.push('(');
        for (i, &operand) in module.operands(op).iter().enumerate() {
            if i > 0 {
                self.printer.out.push_str(", ");
            }
            self.value(operand);
        }
        self.printer.out.push(')');
        let successors = module.successors(op);
        if !successors.is_empty() {
            self.printer.out.push('[');
            for (i, &block) in successors.iter().enumerate() {
                if i > 0 {
                    self.printer.out.push_str(", ");
                }
                self.names.block(&mut self.printer.out, block);
            }
            self.printer.out.push(']');
        }
        let properties = module.properties(op);
        if properties != Context::EMPTY_DICTIONARY {
            self.printer.out.push_str(" <");
            self.printer.attr(properties);
            self.printer.out.push('>');
        }
    }

    /// Writes the part from the attributes to the end of the line.
    fn tail(&mut self, op: OpId) {
        let module = self.module;
        let attrs = module.attrs(op);
        if attrs != Context::EMPTY_DICTIONARY {
            self.printer.out.push(' ');
            self.printer.dictionary(self.printer.context.entries(attrs));
        }
        self.printer.out.push_str(" : (");
        self.printer.list(module.operands(op), |p, &value| p.ty(module.value_type(value)));
        self.printer.out.push_str(") -> ");
        match module.result_count(op) {
            1 => self.printer.result_types(&[module.value_type(module.result(op, 0))]),
            _ => {
                self.printer.out.push('(');
                self.printer.list(module.results(op), |p, value| p.ty(module.value_type(value)));
                self.printer.out.push(')');
            }
        }
        self.end(op);
    }

    /// Writes the location and the end of the line.
    fn end(&mut self, op: OpId) {
        self.trailing_loc(self.module.loc(op), true);
        self.printer.out.push('\n');
    }

    fn block_label(&mut self, block: BlockId) {
        let module = self.module;
        self.names.block(&mut self.printer.out, block);
        let args = module.args(block);
        if !args.is_empty() {
            self.printer.out.push('(');
            for (i, (&arg, &loc)) in args.iter().zip(module.arg_locs(block)).enumerate() {
                if i > 0 {
                    self.printer.out.push_str(", ");
                }
                self.value(arg);
                self.printer.out.push_str(": ");
                self.printer.ty(module.value_type(arg));
                self.trailing_loc(loc, false);
            }
            self.printer.out.push(')');
        }
        self.printer.out.push(':');
        let predecessors = self.names.predecessors(block);
        match &*predecessors {
            [] => {
                if module.prev_block(block).is_some() {
                    self.printer.out.push_str("  // no predecessors");
                }
            }
            [one] => {
                self.printer.out.push_str("  // pred: ");
                self.names.block(&mut self.printer.out, *one);
            }
            several => {
                self.printer.out.push_str("  // ");
                let number = u32::try_from(several.len()).expect("a module has fewer branches than ids");
                push_number(&mut self.printer.out, number);
                self.printer.out.push_str(" preds: ");
                for (i, &block) in several.iter().enumerate() {
                    if i > 0 {
                        self.printer.out.push_str(", ");
                    }
                    self.names.block(&mut self.printer.out, block);
                }
            }
        }
        self.printer.out.push('\n');
    }
}
