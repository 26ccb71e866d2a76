//! Runs a case through `--test-pdl-bytecode-pass`, the pass with which MLIR tests its `pdl` byte code, and through
//! drrvm with the same natives.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use drrvm::compile;
use drrvm::host::NoListener;
use drrvm::internal::frontend::pdl_text;
use drrvm::ir::{Context, PrintOptions, parse_module};
use drrvm::pdl::{OpDef, RuleSet, ValueDef};
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::{Diagnostics, SourceMap};
use drrvm::vm::{LinkOptions, Matcher};

use drrvm::host::{Arity, Bind, Ir, Natives, Refusal};
use drrvm::ir::IrHost;

/// The natives that MLIR's pass registers, and the inference of the result type of `arith.constant`.
pub(crate) fn natives() -> Natives<IrHost> {
    drrvm::internal::corpus::natives::<IrHost>().type_inference("arith.constant", |host, new| {
        let ty = new.attr("value").and_then(|value| host.attr_type(value));
        Ok(vec![ty.ok_or_else(|| Refusal::new("no typed value"))?])
    })
}

/// Rules and IR for them.
pub(crate) struct Case {
    /// The patterns as text.
    pub(crate) patterns: String,
    /// The operations in generic form.
    pub(crate) ir: String,
}

/// Returns the module that the pass expects, or only its IR part if there are no patterns.
pub(crate) fn module(number: usize, patterns: Option<&str>, ir: &str) -> String {
    let patterns = patterns.map(|text| format!("  module @patterns {{\n{text}  }}\n")).unwrap_or_default();
    format!("module attributes {{t.case = {number} : i32}} {{\n{patterns}  module @ir {{\n{ir}  }}\n}}\n")
}

/// Returns MLIR's output module for each case, by the number of the case, which counts from `first`. Cases that MLIR
/// rejects, or on which it crashes, are absent. If `DRRVM_PDL_SHOW` is set, MLIR's messages are printed.
pub(crate) fn theirs(opt: &str, first: usize, cases: &[Case]) -> BTreeMap<usize, String> {
    let mut input = String::new();
    for (i, case) in cases.iter().enumerate() {
        writeln!(input, "{}// -----", module(first + i, Some(&case.patterns), &case.ir)).unwrap();
    }
    let args = [
        "--allow-unregistered-dialect",
        "--split-input-file",
        "--output-split-marker=// -----",
        "--test-pdl-bytecode-pass",
        "--verify-each=false",
        "--mlir-disable-threading",
        "--mlir-print-op-generic",
        "-",
    ];
    let output = super::pipe(opt, &args, input.as_bytes());
    if output.status.code().is_none() && cases.len() > 1 {
        // The pass crashed on one of the cases, so each half is tried alone.
        let (a, b) = cases.split_at(cases.len() / 2);
        let mut found = theirs(opt, first, a);
        found.extend(theirs(opt, first + a.len(), b));
        return found;
    }
    if !output.status.success() && std::env::var_os("DRRVM_PDL_SHOW").is_some() {
        println!("{}", String::from_utf8_lossy(&output.stderr));
    }
    let text = String::from_utf8(output.stdout).unwrap();
    let number = |part: &str| {
        let (_, rest) = part.split_once("{t.case = ")?;
        rest.split(' ').next()?.parse().ok()
    };
    text.split("// -----").filter_map(|part| Some((number(part)?, part.to_owned()))).collect()
}

/// Returns the message of the first error, or an empty text.
pub(crate) fn first(errors: &Diagnostics) -> String {
    errors.iter().next().map_or_else(String::new, |error| error.message.clone())
}

/// Returns the module of a text in generic form, as drrvm prints it.
pub(crate) fn canonical(text: &str) -> String {
    let mut sources = SourceMap::default();
    let file = sources.add("theirs.mlir", text).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .unwrap_or_else(|errors| panic!("{}\n{text}", first(&errors)));
    module.print(&context, PrintOptions::new().generic(true))
}

/// Returns drrvm's output module for a case, and the number of rewrites.
pub(crate) fn ours(number: usize, case: &Case) -> (String, u64) {
    let rules = rules(&case.patterns);
    let ir = module(number, None, &case.ir);
    rewritten(&rules, &ir, &natives(), |host| host.module.first_op(host.module.body()).unwrap())
}

/// A rule set that has no rules and defines `arith.constant` as MLIR does.
pub(crate) fn with_arith_constant() -> RuleSet {
    let mut rules = RuleSet::default();
    let name = rules.intern("arith.constant");
    let result = ValueDef::new(rules.intern("result"), Arity::One);
    rules.ops_mut().insert(OpDef::new(name).results([result]).infers_types(true));
    rules
}

/// Parses the rules of a text, which can create `arith.constant`.
pub(crate) fn rules(patterns: &str) -> RuleSet {
    let mut sources = SourceMap::default();
    let file = sources.add("patterns.mlir", patterns).unwrap();
    let mut rules = with_arith_constant();
    if let Err(errors) = pdl_text::parse(&sources, file, &mut rules) {
        panic!("{}\n{patterns}", first(&errors));
    }
    rules
}

/// Applies rules inside one operation of a module. Returns the whole module in generic form, and the number of
/// rewrites.
pub(crate) fn rewritten(
    rules: &RuleSet,
    ir: &str,
    natives: &Natives<IrHost>,
    inside: impl FnOnce(&IrHost) -> drrvm::ir::OpId,
) -> (String, u64) {
    let mut sources = SourceMap::default();
    let file = sources.add("ir.mlir", ir).unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file))
        .unwrap_or_else(|errors| panic!("{}\n{ir}", first(&errors)));
    let mut host = IrHost::new(context, module);
    host.bind_type("f32").unwrap();
    let program = compile::program(rules).unwrap_or_else(|errors| panic!("{}", first(&errors)));
    let matcher = Matcher::link(Arc::new(program), &mut host, natives, &LinkOptions::default());
    let matcher = matcher.unwrap_or_else(|error| panic!("{error:?}"));
    let inside = inside(&host);
    let report = apply_greedily(&mut host, inside, &matcher, &Config::default(), &mut NoListener);
    (host.module.print(&host.context, PrintOptions::new().generic(true)), report.rewrites)
}
