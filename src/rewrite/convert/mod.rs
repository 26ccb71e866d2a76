//! Dialect conversion: rewrites operations until all are legal.
//!
//! Specification: [`convert`] behaves like MLIR's `applyPartialConversion`, `applyFullConversion` and
//! `applyAnalysisConversion`. It visits operations in pre-order. On each operation that is not legal, it first tries
//! the rules whose new operations need the fewest steps to become legal. Among rules with equal numbers of steps, it
//! tries rules of higher benefit first. The operations that a rule creates are legalised in turn. If that fails, the
//! rule is undone. If an operation that must become legal stays illegal, the IR does not change.
//!
//! Method: rules always match the current IR. A value that was replaced by values of other types is represented by a
//! cast of those values until all operations are legal. All changes are in a log, from which they are undone.
//!
//! From the bottom up: `target.rs` and `types.rs` describe the result, `state.rs` is the IR with its log,
//! `rewriter.rs` and `pattern.rs` are the interface of Rust rules, `functions.rs` converts functions and branches,
//! `driver.rs` legalises operations, and `casts.rs` resolves the casts that remain.

mod casts;
mod config;
mod costs;
mod driver;
mod events;
mod functions;
mod order;
mod pattern;
mod report;
mod rewriter;
mod state;
mod target;
mod types;

pub use config::{Conversion, ConversionMode};
pub use events::ConversionEvent;
pub use pattern::ConversionPattern;
pub use report::{ConversionError, ConversionFailure, ConversionReport, FailureKind, Tried};
pub use rewriter::ConversionRewriter;
pub use state::ArgConversion;
pub use target::ConversionTarget;
pub use types::TypeConverter;

use crate::host::{Blocks, Facets, Listener};
use crate::log::span;
use crate::vm::Matcher;
use driver::Driver;
use state::State;

/// Converts the operations inside `root` to legal operations, by the rules of a matcher and of the conversion.
///
/// Rules match values of the original types. Their rewrites get the converted values, and may replace results by values
/// of converted types. The listener is notified of all changes after the conversion has succeeded.
///
/// # Errors
/// An operation that must become legal stays illegal, no materialisation replaces a remaining cast, the types of a call
/// differ from those of a converted function, or too many rules are tried. The IR does not change.
///
/// ```
/// # use std::sync::Arc;
/// # use drrvm::{LinkOptions, Matcher, Natives, NoListener, RuleSet, SourceMap, compile};
/// # use drrvm::ir::{Context, IrHost, parse_module};
/// use drrvm::rewrite::{Conversion, ConversionTarget, convert};
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("lower", 1);
/// let x = rule.value();
/// let root = rule.op("toy.print").operand(x).matched();
/// rule.create("io.print").operand(x).created();
/// rule.erase(root);
/// rule.finish()?;
/// # let program = Arc::new(compile::program(&rules)?);
/// # let mut sources = SourceMap::default();
/// # let text = "%0 = \"io.read\"() : () -> i32\n\"toy.print\"(%0) : (i32) -> ()";
/// # let file = sources.add("input.mlir", text.to_owned()).map_err(drrvm::Diagnostics::from)?;
/// # let mut context = Context::new();
/// # let module = parse_module(&mut context, sources.file(file))?;
/// # let mut host = IrHost::new(context, module);
/// # let matcher = Matcher::link(program, &mut host, &Natives::new(), &LinkOptions::default())?;
/// let target = ConversionTarget::new().legal_dialect("io").illegal_dialect("toy");
/// let top = host.module.top();
/// let conversion = Conversion::new(target);
/// let report = convert(&mut host, top, Some(&matcher), &conversion, &mut NoListener)?;
/// assert_eq!(report.applied, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn convert<H: Facets + Blocks>(
    host: &mut H,
    root: H::Op,
    matcher: Option<&Matcher<H>>,
    conversion: &Conversion<H>,
    listener: &mut dyn Listener<H>,
) -> Result<ConversionReport<H>, ConversionError<H>> {
    span!("drive", driver = "conversion");
    let mut driver = Driver::new(host, conversion, matcher);
    let mut state = State::new(host, root, conversion.converter.as_ref());
    let start = state.mark();
    let done = driver.run(&mut state, root).and_then(|mut report| {
        if conversion.mode != ConversionMode::Analysis {
            report.remaining_casts =
                casts::resolve(&mut state, conversion).map_err(|failures| ConversionError { failures })?;
        }
        Ok(report)
    });
    match done {
        Ok(report) if conversion.mode == ConversionMode::Analysis => {
            state.undo_to(start);
            Ok(report)
        }
        Ok(report) => {
            state.finish(listener);
            Ok(report)
        }
        Err(mut error) => {
            state.undo_to(start);
            // A stale call may be an operation that a rule created, which does not exist any more.
            for failure in &mut error.failures {
                failure.op = failure.op.filter(|_| !matches!(failure.kind, FailureKind::StaleCall { .. }));
            }
            Err(error)
        }
    }
}

#[cfg(test)]
mod tests;
