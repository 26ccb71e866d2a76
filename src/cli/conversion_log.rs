//! `--debug conversion`: a log of dialect conversion.
//!
//! The log has a line for each visit of an operation, for each attempt to apply a rule, and for the outcome of each
//! visit and attempt. A rule that is applied makes its operation legal, so one line states the outcome of the attempt
//! and of the visit. The events of the operations that a rule creates are indented below the rule.

use std::io::{self, Write};
use std::sync::{Mutex, PoisonError};

use crate::host::Ir;
use crate::ir::{IrHost, IrText};
use crate::rewrite::ConversionEvent;
use crate::source::SourceMap;

/// A writer of the log.
pub(super) struct ConversionLog<W> {
    /// The output, and the number of open steps. A step is a visit of an operation or an attempt to apply a rule.
    state: Mutex<(W, usize)>,
}

impl ConversionLog<io::BufWriter<io::Stderr>> {
    /// A log on standard error.
    pub(super) fn to_stderr() -> Self {
        Self::new(io::BufWriter::new(io::stderr()))
    }
}

impl<W: Write> ConversionLog<W> {
    pub(super) fn new(out: W) -> Self {
        Self { state: Mutex::new((out, 0)) }
    }

    /// Writes a line for an event. Write errors are ignored.
    pub(super) fn event(&self, host: &IrHost, event: &ConversionEvent<'_, IrHost>) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let (out, depth) = &mut *state;
        // The lines inside a step are indented. The line of the outcome ends the step.
        let (text, change) = match event {
            ConversionEvent::Visit(op) => {
                let text = if host.module.regions(*op).is_empty() {
                    IrText::new(&SourceMap::default(), host).short(*op)
                } else {
                    format!("'{}'", host.op_name_text(host.op_name(*op)))
                };
                (format!("legalize {text}"), 1)
            }
            ConversionEvent::Try(rule) => (format!("try rule '{rule}'"), 1),
            ConversionEvent::Legal => ("legal".to_owned(), -1),
            ConversionEvent::Folded => ("folded".to_owned(), -1),
            ConversionEvent::Failed(tried) => (format!("failed: {}", tried.reason), -1),
            ConversionEvent::NotLegalized => ("not legalized".to_owned(), -1),
            // The operation is legal now, so the visit of the operation ends as well.
            ConversionEvent::Applied => ("applied".to_owned(), -2),
        };
        let indent = 2 * *depth;
        let _ = writeln!(out, "{:indent$}{text}", "");
        *depth = depth.saturating_add_signed(change);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::{Context, parse_module};
    use crate::rewrite::Tried;

    #[test]
    fn the_steps_of_a_rule_are_below_it() {
        let mut sources = SourceMap::default();
        let text = "%0 = \"t.a\"() : () -> i32\n%1 = \"t.b\"() : () -> i32";
        let file = sources.add("t.mlir", text.to_owned()).expect("the text is short");
        let mut context = Context::new();
        let module = parse_module(&mut context, sources.file(file)).expect("well-formed");
        let host = IrHost::new(context, module);
        let ops: Vec<_> = host.module.preorder(host.module.top()).skip(1).collect();
        let log = ConversionLog::new(Vec::new());
        let tried = Tried { rule: "R".to_owned(), pattern: None, reason: "no".to_owned() };
        for event in [
            ConversionEvent::Visit(ops[0]),
            ConversionEvent::Try("Q"),
            ConversionEvent::Visit(ops[1]),
            ConversionEvent::Try("R"),
            ConversionEvent::Failed(&tried),
            ConversionEvent::NotLegalized,
            ConversionEvent::Failed(&tried),
            ConversionEvent::Try("S"),
            ConversionEvent::Applied,
            ConversionEvent::Visit(ops[1]),
            ConversionEvent::Legal,
        ] {
            log.event(&host, &event);
        }
        let (text, depth) = log.state.into_inner().expect("no thread panicked");
        let lines = String::from_utf8(text).expect("text");
        let starts: Vec<String> = lines.lines().map(|line| line.chars().take(12).collect()).collect();
        let expected = [
            "legalize <a ",
            "  try rule '",
            "    legalize",
            "      try ru",
            "        fail",
            "      not le",
            "    failed: ",
            "  try rule '",
            "    applied",
            "legalize <a ",
            "  legal",
        ];
        assert_eq!((starts, depth), (expected.map(str::to_owned).to_vec(), 0));
    }
}
