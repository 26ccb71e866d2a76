//! Requests and answers, as the page sends and reads them.

use std::path::Path;

use drrvm_web::Session;
use serde_json::{Value, json};

fn ask(session: &mut Session, request: &Value) -> Value {
    serde_json::from_str(&session.answer(request.to_string().as_bytes())).expect("an answer is JSON")
}

fn run(session: &mut Session, files: &[(&str, &str)], input: &str) -> Value {
    let files: Vec<Value> = files.iter().map(|(name, text)| json!({ "name": name, "text": text })).collect();
    ask(session, &json!({ "type": "run", "files": files, "input": { "name": "input.mlir", "text": input } }))
}

fn messages(answer: &Value) -> Vec<&str> {
    let list = answer["diagnostics"].as_array().expect("there is a list");
    list.iter().map(|diagnostic| diagnostic["message"].as_str().expect("it is text")).collect()
}

/// Runs an example. Returns the answer and the expected module.
fn example(name: &str, files: &[&str]) -> (Value, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples").join(name);
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).expect("the example has this file");
    let files: Vec<Value> = files.iter().map(|name| json!({ "name": name, "text": read(name) })).collect();
    let request = json!({
        "type": "run",
        "files": files,
        "input": { "name": "input.mlir", "text": read("input.mlir") },
        "settings": { "generic": true },
    });
    (ask(&mut Session::default(), &request), read("expected.mlir"))
}

#[test]
fn examples_are_rewritten_as_by_the_command() {
    for (name, files) in [
        ("arith", &["rules.td"][..]),
        ("arith", &["rules.td", "natives.rhai"]),
        ("tensor", &["rules.td", "TileOps.td"]),
        ("lowering", &["rules.td", "CalcOps.td", "MachOps.td"]),
    ] {
        let (answer, expected) = example(name, files);
        assert_eq!(messages(&answer), <[&str; 0]>::default(), "{name}");
        assert_eq!(answer["result"], expected, "{name}");
        let diff = answer["diff"].as_str().expect("there is a diff");
        assert!(diff.starts_with("--- input.mlir\n+++ input.mlir, rewritten\n@@"), "{diff}");
        let fired = |rule: &Value| rule[5].as_u64().expect("it is a count");
        let rules = answer["page"]["rules"].as_array().expect("there are rules");
        assert_eq!(rules.iter().map(fired).sum::<u64>(), answer["rewrites"].as_u64().expect("it is a count"));
    }
}

const RULES: &str = r#"include "Ops.td"
def NegNeg : Pat<(NegOp (NegOp $x)), (replaceWithValue $x)>;
def MulSelf : Pat<(MulOp $x, $x), (NegOp $x)>;
"#;
const OPS: &str = r#"include "mlir/IR/PatternBase.td"
def Test_Dialect : Dialect { let name = "test"; let cppNamespace = "test"; }
class Test_Op<string name, dag args> : Op<Test_Dialect, name> {
  let arguments = args;
  let results = (outs I32:$result);
}
def MulOp : Test_Op<"mul", (ins I32:$lhs, I32:$rhs)>;
def NegOp : Test_Op<"neg", (ins I32:$x)>;
"#;
const INPUT: &str = r#"%x = "test.x"() : () -> i32
%a = "test.neg"(%x) : (i32) -> i32
%b = "test.neg"(%a) : (i32) -> i32
%c = "test.mul"(%a, %b) : (i32, i32) -> i32
"test.use"(%b, %c) : (i32, i32) -> ()
"#;

#[test]
fn a_line_is_explained_with_the_path_through_the_tree() {
    let mut session = Session::default();
    let answer = run(&mut session, &[("rules.td", RULES), ("Ops.td", OPS)], INPUT);
    assert_eq!((messages(&answer), &answer["rewrites"]), (vec![], &json!(1)));
    assert_eq!(answer["page"]["ir"][0][1][2], json!([3, r#"%b = "test.neg"(%a) : (i32) -> i32"#, [1, 1]]));

    let at = ask(&mut session, &json!({ "type": "explain", "line": 3 }));
    let rules = &at["report"]["operations"][0]["rules"];
    assert_eq!((&rules[0]["rule"], &rules[0]["verdict"]), (&json!("NegNeg"), &json!("fires")));
    assert_eq!(rules[0]["rewrite"], json!([r#"replaces %b = "test.neg"(%a) : (i32) -> i32 by %x"#]));
    // The marked nodes are the path to the leaf of `NegNeg`. No other leaf is marked.
    let nodes = answer["page"]["nodes"].as_array().expect("there are nodes");
    let marked: Vec<&Value> = at["traces"][0]["nodes"]
        .as_array()
        .expect("there is a path")
        .iter()
        .map(|node| &nodes[usize::try_from(node.as_u64().expect("it is a number")).expect("it is small")])
        .collect();
    let leaves: Vec<&Value> = marked.iter().map(|node| &node[3]).filter(|rule| **rule != json!(-1)).collect();
    // Rules are in the order of their names.
    assert_eq!(leaves, [&json!(1)]);
    let edges = at["traces"][0]["edges"].as_array().expect("there is a path");
    assert_eq!(edges.len() + 1, marked.len(), "{edges:?}");
    // The listing has the addresses of the trace.
    let code = ask(&mut session, &json!({ "type": "code" }));
    let code = code["code"].as_str().expect("there is code");
    for address in at["traces"][0]["instructions"].as_array().expect("instructions ran") {
        assert!(code.lines().any(|line| line.trim_start().starts_with(&format!("{address} "))), "{address}");
    }

    // The operands differ, so `MulSelf` fails at `%c`.
    let at = ask(&mut session, &json!({ "type": "explain", "line": 4 }));
    let rule = &at["report"]["operations"][0]["rules"][0];
    assert_eq!((&rule["rule"], &rule["verdict"]), (&json!("MulSelf"), &json!("fails")));
    let last = rule["tests"].as_array().and_then(|tests| tests.last()).expect("a test failed");
    assert_eq!(last["holds"], json!(false));
    // Without a line, the report has the nearest miss.
    let near = ask(&mut session, &json!({ "type": "explain" }));
    assert_eq!(near["report"]["operations"][0]["rules"][0]["rule"], "MulSelf");
    // A line without operations is not an error.
    let none = ask(&mut session, &json!({ "type": "explain", "line": 99 }));
    assert_eq!(none["report"]["operations"], json!([]));
}

#[test]
fn errors_of_all_files_are_reported_with_their_places() {
    let mut session = Session::default();
    // `é` and `𝒳` take one and two UTF-16 code units.
    let rules = "include \"Ops.td\"\n/* é𝒳 */ def R : Pat<(NegOp $x), (MulOp $x)>;\n";
    let answer = run(&mut session, &[("rules.td", rules), ("Ops.td", OPS), ("n.rhai", "let = 1;")], "%x = ");
    let places: Vec<(&Value, &Value)> = answer["diagnostics"]
        .as_array()
        .expect("there are errors")
        .iter()
        .map(|diagnostic| (&diagnostic["labels"][0]["file"], &diagnostic["labels"][0]["start"]))
        .collect();
    let at = |file: &str| places.iter().find(|place| place.0 == file).map(|place| place.1.clone());
    assert_eq!(at("n.rhai").map(|at| at[0].clone()), Some(json!(1)));
    assert_eq!(at("input.mlir").map(|at| at[0].clone()), Some(json!(1)));
    let utf16 = "/* é𝒳 */ def R : Pat<(NegOp $x), ".encode_utf16().count();
    assert_eq!(at("rules.td"), Some(json!([2, utf16])), "{:#}", answer["diagnostics"]);
    assert_eq!(answer["result"], Value::Null);
    assert!(ask(&mut session, &json!({ "type": "explain" }))["failed"].is_string());
}

#[test]
fn help_is_about_the_page() {
    let mut session = Session::default();
    let answer = run(&mut session, &[("rules.td", RULES)], INPUT);
    assert_eq!(messages(&answer), ["could not find include file 'Ops.td'"]);
    assert_eq!(
        answer["diagnostics"][0]["help"],
        json!(["add a file of this name with the + beside the files"])
    );
    // The extension of the rule file does not fit the language of its text.
    for (name, rules, extension) in
        [("rules.td", "pdl.pattern @p : benefit(1) {}", ".mlir"), ("rules.mlir", RULES, ".td")]
    {
        let answer = run(&mut session, &[(name, rules)], INPUT);
        assert!(messages(&answer)[0].starts_with(&format!("the rules in '{name}' look like ")), "{answer}");
        assert!(
            answer["diagnostics"][0]["help"][0].as_str().is_some_and(|help| help.ends_with(extension)),
            "{answer}"
        );
    }
}

#[test]
fn operations_are_verified_by_their_definitions() {
    let files = [("rules.td", RULES), ("Ops.td", OPS)];
    let input = "%x = \"test.x\"() : () -> i32\n%a = \"test.neg\"(%x, %x) : (i32, i32) -> i32\n";
    let answer = run(&mut Session::default(), &files, input);
    let found = messages(&answer);
    assert!(found.len() == 1 && found[0].contains("'test.neg' op"), "{found:?}");
    assert_eq!(
        (&answer["diagnostics"][0]["labels"][0]["start"][0], &answer["result"]),
        (&json!(2), &Value::Null)
    );
}

#[test]
fn rules_that_never_stop_are_stopped() {
    let grow = "include \"Ops.td\"\ndef Grow : Pat<(NegOp $x), (NegOp (NegOp $x))>;\n";
    let answer = run(&mut Session::default(), &[("rules.td", grow), ("Ops.td", OPS)], INPUT);
    let found = messages(&answer);
    assert!(found.len() == 1 && found[0].starts_with("the rules do not converge"), "{found:?}");
    assert!(answer["result"].is_string(), "the result until then is shown");
}

#[test]
fn rules_with_missing_natives_are_left_out() {
    let native = "include \"Ops.td\"\ndef F : NativeCodeCall<\"f($0)\">;\n\
                  def R : Pat<(NegOp $x), (F $x)>;\ndef NegNeg : Pat<(NegOp (NegOp $x)), (replaceWithValue $x)>;\n";
    let mut session = Session::default();
    let answer = run(&mut session, &[("rules.td", native), ("Ops.td", OPS)], INPUT);
    assert_eq!((&answer["diagnostics"][0]["severity"], &answer["rewrites"]), (&json!("warning"), &json!(1)));
    let script = r#"rewrite("f", "(value) -> value", |ir, value| value);"#;
    let answer = run(&mut session, &[("rules.td", native), ("Ops.td", OPS), ("f.rhai", script)], INPUT);
    assert_eq!(messages(&answer), <[&str; 0]>::default());
    assert_eq!(answer["rewrites"], json!(2));
}

#[test]
fn pdl_rules_and_malformed_requests() {
    let pdl = "pdl.pattern @Erase : benefit(1) {\n  %root = operation \"t.nop\"\n  rewrite %root { erase %root }\n}\n";
    let mut session = Session::default();
    let answer = run(&mut session, &[("rules.mlir", pdl)], "\"t.nop\"() : () -> ()\n");
    assert_eq!((messages(&answer), &answer["rewrites"]), (vec![], &json!(1)));
    for request in ["", "{}", "{\"type\": \"walk\"}", "{\"type\": \"run\", \"files\": []}", "[1", "\u{0}"] {
        let answer: Value =
            serde_json::from_str(&session.answer(request.as_bytes())).expect("an answer is JSON");
        assert!(answer["failed"].is_string(), "{request}");
    }
    assert!(session.answer(b"\xff").contains("failed"));
    // A session without rule files has no rules.
    let answer = run(&mut session, &[], INPUT);
    assert_eq!((messages(&answer), &answer["rewrites"]), (vec![], &json!(0)));
}
