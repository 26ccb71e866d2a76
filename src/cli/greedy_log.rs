//! `--debug greedy`: a log of the greedy driver.
//!
//! The format is that of MLIR's `-debug-only=greedy-rewriter`: each visited operation, each rule that is tried, the
//! reason why it failed, and the changes of the rule that is applied.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::bytecode::Program;
use crate::host::{Ir, Listener, Refusal};
use crate::ir::IrText;
use crate::ir::{IrHost, OpId, ValueId};
use crate::pdl::PatternId;
use crate::source::SourceMap;
use crate::vm::{Explanation, Log};

const LINE: &str = "//===-------------------------------------------===//";

/// Writes the log to standard error.
pub(super) struct GreedyLog<'a> {
    sources: &'a SourceMap,
    program: &'a Program,
    /// The nesting depth; 0 between operations.
    depth: usize,
    out: io::BufWriter<io::Stderr>,
}

impl<'a> GreedyLog<'a> {
    pub(super) fn new(sources: &'a SourceMap, program: &'a Program) -> Self {
        Self { sources, program, depth: 0, out: io::BufWriter::new(io::stderr()) }
    }

    /// Writes a line. Write errors are ignored.
    fn line(&mut self, text: &str) {
        let indent = 2 * self.depth;
        let _ = writeln!(self.out, "{:indent$}{text}", "");
    }

    fn close(&mut self, result: &str, reason: &str) {
        self.depth = self.depth.saturating_sub(1);
        self.line(&format!("}} -> {result} : {reason}"));
    }

    fn open(&mut self, host: &IrHost, op: OpId) {
        let _ = writeln!(self.out, "\n{LINE}");
        self.line(&format!("Processing operation : '{}' {{", host.op_name_text(host.op_name(op))));
        self.depth += 1;
        if host.module.regions(op).is_empty() {
            let text = IrText::new(self.sources, host).short(op);
            self.line(&text);
            let _ = writeln!(self.out);
        }
    }

    fn end(&mut self, result: &str, reason: &str) {
        self.close(result, reason);
        let _ = writeln!(self.out, "{LINE}");
    }

    fn change(&mut self, kind: &str, host: &IrHost, op: OpId) {
        self.line(&format!("** {kind}: '{}'", host.op_name_text(host.op_name(op))));
    }
}

impl Listener<IrHost> for GreedyLog<'_> {
    fn created(&mut self, host: &IrHost, op: OpId) {
        self.change("Insert  ", host, op);
        let text = IrText::new(self.sources, host).short(op);
        self.line(&format!("   {text}"));
    }
    fn modified(&mut self, host: &IrHost, op: OpId) {
        self.change("Modified", host, op);
    }
    fn replaced(&mut self, host: &IrHost, op: OpId, _with: &[ValueId]) {
        self.change("Replace ", host, op);
    }
    fn erased(&mut self, host: &IrHost, op: OpId) {
        if self.depth > 0 {
            self.change("Erase   ", host, op);
            return;
        }
        // The driver itself erased the operation: it folded the operation, or the operation is dead, unreachable or a
        // duplicate constant.
        self.open(host, op);
        self.change("Erase   ", host, op);
        self.end("success", "operation was folded, is dead or unreachable, or duplicates a constant");
    }
}

impl Log<IrHost> for GreedyLog<'_> {
    fn visit(&mut self, host: &IrHost, op: OpId) {
        self.open(host, op);
    }
    fn begin(&mut self, host: &IrHost, op: OpId, rule: PatternId) {
        let root = host.op_name_text(host.op_name(op));
        let name = self.program.pattern_name(rule).to_owned();
        self.line(&format!("* Pattern {name} : '{root}' {{"));
        self.depth += 1;
    }
    fn unmatched(&mut self, host: &IrHost, explanation: &Explanation<IrHost>) {
        if let Some(step) = explanation.failed() {
            let predicate = self.program.predicate_text(explanation.rule, step.predicate);
            let found = crate::report::found(&IrText::new(self.sources, host), &step.observed);
            self.line(&format!("** Match Failure : {predicate}: found {found}"));
        } else if explanation.left_out {
            self.line("** Match Failure : a native that the rule calls is not registered");
        }
        self.close("failure", "pattern failed to match");
    }
    fn refused(&mut self, _: &IrHost, refusal: &Refusal) {
        self.line(&format!("** Rolled back : {refusal}"));
        self.close("failure", "pattern matched but could not be applied");
    }
    fn applied(&mut self, _: &IrHost) {
        self.close("success", "pattern applied successfully");
    }
    fn leave(&mut self, _: &IrHost, applied: bool) {
        if applied {
            self.end("success", "at least one pattern matched");
        } else {
            self.end("failure", "all patterns failed to match");
        }
    }
}

/// Adds the erasures by the driver itself to a shared log.
pub(super) struct Shared<'l, 'a>(pub(super) &'l Mutex<GreedyLog<'a>>);

impl Listener<IrHost> for Shared<'_, '_> {
    fn erased(&mut self, host: &IrHost, op: OpId) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // At other depths, a rule erased the operation, and the engine has already notified the log.
        if log.depth == 0 {
            log.erased(host, op);
        }
    }
}
