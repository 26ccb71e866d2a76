//! A native in a script holds no memory after it returns.

use std::sync::Arc;

use crate::MEMORY;

use drrvm::compile;
use drrvm::ir::{Context, IrHost, parse_module};
use drrvm::pdl::RuleSet;
use drrvm::script::Script;
use drrvm::source::SourceMap;
use drrvm::vm::{LinkOptions, Matcher};

/// The answers of the host to a native's queries are kept only until the native returns.
#[test]
fn returned_natives_hold_no_memory() {
    let mut sources = SourceMap::default();
    let text = r#"constraint("known", "(attribute)", |ir, attr| attr.type.text == "i32" && attr.int == 5);"#;
    let file = sources.add("natives.rhai", text).unwrap();
    let script = Script::<IrHost>::load(sources.file(file)).unwrap();
    let file = sources.add("input.mlir", "\"t.op\"() {v = 5 : i32} : () -> ()\n").unwrap();
    let mut context = Context::new();
    let module = parse_module(&mut context, sources.file(file)).unwrap();
    let mut host = IrHost::new(context, module);

    let mut rules = RuleSet::default();
    let mut rule = rules.pattern("rule", 1);
    let value = rule.any_attr();
    let root = rule.op("t.op").attr("v", value).matched();
    rule.constraint("known", [value]);
    rule.erase(root);
    rule.finish().unwrap();
    let program = Arc::new(compile::program(&rules).unwrap());
    let matcher = Matcher::link(program, &mut host, &script.natives(), &LinkOptions::default()).unwrap();
    let op = *host.module.preorder(host.module.top()).collect::<Vec<_>>().last().unwrap();
    let mut scratch = matcher.cache();
    let mut found =
        |times: usize| (0..times).filter(|_| matcher.match_first(&host, op, &mut scratch).is_some()).count();
    assert_eq!(found(10), 10, "{:?}", script.diagnostics());
    let (count, calls, held) = MEMORY.during(|| found(1000));
    assert_eq!(count, 1000);
    assert!(calls > 1000, "a run of the script must request memory: {calls}");
    assert!(held < 100_000, "{held} bytes are held after 1000 calls");
}
