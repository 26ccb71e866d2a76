//! The figures as text and JSON.

use std::fmt::Write;
use std::time::Duration;

use serde_json::json;

use super::measure::{Measurements, REWRITING};
use super::mlir::Mlir;
use crate::plural::count;

/// The name of MLIR's figure.
const MLIR_REWRITING: &str = "rewriting, mlir-opt";

/// The contents of the report.
pub(super) struct BenchReport<'a> {
    pub(super) loading: Duration,
    pub(super) linking: Duration,
    pub(super) measured: &'a Measurements,
    pub(super) mlir: &'a Mlir,
}

impl BenchReport<'_> {
    /// The names of the figures, with nanoseconds per operation. Figures without a time are left out.
    pub(super) fn bars(&self) -> Vec<(&'static str, f64)> {
        let ours = self.measured.figures.iter();
        let mut bars: Vec<_> = ours.filter_map(|figure| Some((figure.name, figure.nanoseconds?))).collect();
        if let Mlir::Rewriting(nanoseconds) = *self.mlir {
            bars.push((MLIR_REWRITING, nanoseconds));
        }
        bars
    }

    pub(super) fn text(&self) -> String {
        let Measurements { ops, rules, matched, firing, rewrites, ref figures } = *self.measured;
        let mut out = String::new();
        // Writing to a string succeeds.
        let _ = writeln!(
            out,
            "{}; rules match at {matched} of them. {firing} of {} {} the first match at an operation; {}",
            count(ops, "operation"),
            count(rules, "rule"),
            if firing == 1 { "is" } else { "are" },
            count(rewrites, "rewrite"),
        );
        let milliseconds = |time: Duration| time.as_secs_f64() * 1e3;
        let _ = writeln!(
            out,
            "rules loaded and compiled in {:.1} ms, linked in {:.1} ms\n",
            milliseconds(self.loading),
            milliseconds(self.linking)
        );
        let width = figures.iter().map(|figure| figure.name.len()).max().unwrap_or(0);
        let _ = writeln!(out, "{:width$}  ns per operation", "");
        for figure in figures {
            match figure.nanoseconds {
                Some(ns) => {
                    let _ = writeln!(out, "{:width$}  {ns:16.1}", figure.name);
                }
                None => {
                    let _ = writeln!(out, "{:width$}  {:>16}", figure.name, "too short");
                }
            }
        }
        match self.mlir {
            Mlir::Rewriting(theirs) => {
                let _ = write!(out, "{MLIR_REWRITING:width$}  {theirs:16.1}");
                let ours = figures.iter().find(|figure| figure.name == REWRITING);
                if let Some(ours) = ours.and_then(|figure| figure.nanoseconds) {
                    let _ = write!(out, "  {:.1} times as long", theirs / ours);
                }
                out.push('\n');
            }
            Mlir::Skipped(why) => {
                let _ = writeln!(out, "not compared with mlir-opt: {why}");
            }
        }
        out
    }

    pub(super) fn json(&self) -> String {
        let Measurements { ops, rules, matched, firing, rewrites, ref figures } = *self.measured;
        let figures: Vec<_> = figures
            .iter()
            .map(|figure| json!({ "engine": figure.name, "ns_per_operation": figure.nanoseconds }))
            .collect();
        let mlir = match self.mlir {
            Mlir::Rewriting(ns) => json!({ "engine": MLIR_REWRITING, "ns_per_operation": ns }),
            Mlir::Skipped(why) => json!({ "engine": MLIR_REWRITING, "skipped": why }),
        };
        let report = json!({
            "operations": ops, "rules": rules, "matched_operations": matched, "firing_rules": firing, "rewrites": rewrites,
            "load_ms": self.loading.as_secs_f64() * 1e3, "link_ms": self.linking.as_secs_f64() * 1e3,
            "figures": figures, "mlir": mlir,
        });
        format!("{report:#}\n")
    }
}
