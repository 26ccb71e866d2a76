//! Tests in Chromium of the HTML pages that `profile` and `dump` write.

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use crate::common::command::Folder;
use serde_json::Value;

/// Opens a page, runs a script after the scripts of the page, and returns the value that the script leaves in
/// `window.seen`. Without Chromium, prints that the test is skipped and returns `None`.
#[allow(clippy::print_stdout, reason = "skipped tests print the reason")]
fn in_browser(page: &Path, script: &str) -> Option<Value> {
    let text = std::fs::read_to_string(page).unwrap();
    assert_eq!(text.matches("http://").count(), text.matches("http://www.w3.org/2000/svg").count());
    let script = format!(
        "<script type=\"module\">window.seen = {{}}; window.onerror = (e) => {{ seen.error = String(e); }};\n{{ {script} }}\n\
         document.body.replaceChildren(Object.assign(document.createElement('pre'), \
         {{ id: 'seen', textContent: JSON.stringify(seen) }}));</script>"
    );
    let (before, after) = text.split_once("</body>").unwrap();
    let opened = page.with_extension("test.html");
    std::fs::write(&opened, format!("{before}{script}</body>{after}")).unwrap();
    let profile = tempfile::tempdir().unwrap();
    let run = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .args(["--window-size=1400,900", "--virtual-time-budget=20000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg(format!("file://{}", opened.display()))
        .output();
    let Ok(run) = run else {
        println!("skipped: chromium is not on the path");
        return None;
    };
    let dom = String::from_utf8(run.stdout).unwrap();
    let seen = dom.split_once("<pre id=\"seen\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (seen, _) =
        seen.unwrap_or_else(|| panic!("the script did not end: {}", String::from_utf8_lossy(&run.stderr)));
    let seen = seen.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
    let seen: Value = serde_json::from_str(&seen).unwrap();
    assert_eq!(seen["error"], Value::Null);
    assert!(seen["moved"].as_f64().is_none_or(|moved| moved < 1.0), "a clicked node keeps its place: {seen}");
    Some(seen)
}

/// The actions of a user: searches for a rule, folds and unfolds a node, sorts the table.
const CLICKS: &str = r##"
  const $$ = (all) => [...document.querySelectorAll(all)];
  const input = document.getElementById("search");
  input.value = wanted;
  input.dispatchEvent(new Event("input"));
  seen.found = $$("#found li").map((e) => e.firstChild.textContent);
  input.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
  seen.picked = $$(".node.picked text").map((e) => e.textContent);
  seen.details = document.getElementById("details").innerText;
  const nodes = () => $$(".node").length;
  const parent = $$(".node").find((e) => e.querySelector(".sign")?.textContent === "−");
  seen.before = nodes();
  const top = () => $$(".node.picked")[0].getBoundingClientRect().top;
  const clicked = parent.getBoundingClientRect().top;
  parent.dispatchEvent(new MouseEvent("click", { bubbles: true }));
  seen.folded = nodes();
  seen.moved = Math.abs(top() - clicked);
  $$(".node.picked")[0].dispatchEvent(new MouseEvent("click", { bubbles: true }));
  seen.unfolded = nodes();
  seen.moved += Math.abs(top() - clicked);
  const scale = document.getElementById("scale").textContent;
  document.getElementById("in").click();
  seen.zoomed = scale !== document.getElementById("scale").textContent;
  document.getElementById("tab-rules").click();
  const names = () => $$("tbody tr:not(.space) td:first-child").map((e) => e.textContent);
  const head = () => $$("thead th")[0];
  head().click();
  seen.sorted = names();
  head().click();
  seen.reversed = names();
  seen.rows = $$("tbody tr").length;
  seen.tabs = $$("nav button").map((e) => e.textContent);
  seen.marked = $$("#ir .fired").map((e) => e.innerText ?? e.textContent);
"##;

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|v| v.as_str().unwrap()).collect()
}

const OPS: &str = r#"include "mlir/IR/OpBase.td"
include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def Test_Dialect : Dialect { let name = "test"; let cppNamespace = "test"; }
class Test_Op<string name, dag args> : Op<Test_Dialect, name, [Pure]> {
  let arguments = args;
  let results = (outs I32:$result);
}
def MulOp : Test_Op<"mul", (ins I32:$lhs, I32:$rhs)>;
def NegOp : Test_Op<"neg", (ins I32:$x)>;
"#;

const RULES: &str = r#"include "ops.td"
def NegNeg : Pat<(NegOp (NegOp $x)), (replaceWithValue $x)>;
def MulSelf : Pat<(MulOp $x, $x), (NegOp $x)>;
def MulNegs : Pat<(MulOp (NegOp $x), (NegOp $y)), (MulOp $x, $y)>;
"#;

const INPUT: &str = r#"%x = "test.x"() : () -> i32
%a = "test.neg"(%x) : (i32) -> i32
%b = "test.mul"(%a, %a) : (i32, i32) -> i32
%c = "test.mul"(%a, %b) : (i32, i32) -> i32
"test.use"(%b, %c) : (i32, i32) -> ()
"#;

#[test]
fn profile_page_responds_to_clicks() {
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", RULES), ("in.mlir", INPUT)]);
    let run =
        folder.run(&["profile", "in.mlir", "--rules", "rules.td", "--html", "page.html", "--format", "json"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let report: Value = serde_json::from_str(&run.stdout).unwrap();
    // Both operands of `%b` are the result of a `neg`. MulNegs fires first, because it has the highest benefit. Then
    // MulSelf fires on the new operation. Afterwards both operands of `%c` are results of `neg`, too.
    let fired = |rule: &str| {
        let rules = report["rules"].as_array().unwrap();
        let rule = rules.iter().find(|counts| counts["rule"] == rule).unwrap();
        rule["fired"].as_u64().unwrap()
    };
    let (negs, same) = (fired("MulNegs"), fired("MulSelf"));
    assert!(negs > 0 && same > 0, "{}", run.stdout);
    assert_eq!(report["rewrites"].as_u64().unwrap(), negs + same + fired("NegNeg"));

    let script = CLICKS.replace("wanted", "\"mulnegs\"");
    let Some(seen) = in_browser(&folder.path("page.html"), &script) else { return };
    assert_eq!(strings(&seen["found"]), ["MulNegs"]);
    assert!(strings(&seen["picked"]).iter().any(|text| text.contains("MulNegs")), "{seen}");
    let details = seen["details"].as_str().unwrap();
    assert!(details.contains("rules.td:4") && details.contains("def MulNegs"), "{details}");
    let count = |key: &str| seen[key].as_u64().unwrap();
    assert!(count("folded") < count("before") && count("unfolded") > count("folded"), "{seen}");
    assert_eq!(seen["zoomed"], true);
    assert_eq!(strings(&seen["sorted"]), ["MulNegs", "MulSelf", "NegNeg"]);
    assert_eq!(strings(&seen["reversed"]), ["NegNeg", "MulSelf", "MulNegs"]);
    assert_eq!(strings(&seen["tabs"]), ["Tree", "Rules", "IR"]);
    assert!(
        strings(&seen["marked"]).iter().any(|line| line.contains("%b") && line.contains("MulNegs")),
        "{seen}"
    );
}

#[test]
fn tree_is_drawn_as_a_page_and_as_pictures() {
    let folder = Folder::new(&[("ops.td", OPS), ("rules.td", RULES)]);
    let dump = |format: &str| {
        let args = ["dump", "--stage", "tree", "--rules", "rules.td", "--format", format];
        let run = folder.run(&args);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        run.stdout
    };
    // The pictures have every node and edge of the text, but the SVG omits the failing node and the edges to it.
    let text = dump("text");
    let edges = text.lines().filter(|line| line.contains("-> n")).count();
    let to_fail = text.lines().filter(|line| line.ends_with("-> n0") || line.contains("-> n0 ")).count();
    assert_eq!(dump("dot").matches(" -> n").count(), edges);
    let svg = dump("svg");
    assert_eq!(svg.matches("<path").count(), edges - to_fail, "{text}");
    let nodes = text.lines().filter(|line| line.starts_with('n') && !line.starts_with("n0:")).count();
    assert_eq!(svg.matches("<rect").count(), nodes);
    let wrong = folder.run(&["dump", "--stage", "pdl", "--rules", "rules.td", "--format", "svg"]);
    assert_eq!((wrong.status, wrong.stdout.as_str()), (2, ""));

    std::fs::write(folder.path("tree.html"), dump("html")).unwrap();
    let script = CLICKS.replace("wanted", "\"negneg\"");
    let Some(seen) = in_browser(&folder.path("tree.html"), &script) else { return };
    assert_eq!(strings(&seen["found"]), ["NegNeg"]);
    assert!(strings(&seen["picked"]).iter().any(|text| text.contains("NegNeg")), "{seen}");
    assert_eq!(strings(&seen["sorted"]), ["MulNegs", "MulSelf", "NegNeg"]);
    assert_eq!(strings(&seen["tabs"]), ["Tree", "Rules"]);
    std::fs::write(folder.path("picture.html"), format!("<!doctype html><body>{svg}</body>")).unwrap();
    let script =
        "seen.boxes = [...document.querySelectorAll('svg g rect')].map((e) => e.getBBox().width > 0);";
    let seen = in_browser(&folder.path("picture.html"), script).unwrap();
    assert_eq!(seen["boxes"].as_array().unwrap().len(), nodes);
}

#[test]
fn page_of_five_thousand_rules_is_responsive() {
    let mut rules = OPS.to_owned();
    for i in 0..500 {
        writeln!(rules, "def Op{i} : Test_Op<\"op{i}\", (ins I32:$lhs, I32:$rhs, I32Attr:$n)>;").unwrap();
    }
    for i in 0..5_000 {
        let (root, inner, n) = (i % 500, (i * 7 + i / 500) % 500, i % 9);
        writeln!(
            rules,
            "def Rule{i} : Pat<(Op{root} (Op{inner} $x, $y, $n), $z, ConstantAttr<I32Attr, \"{n}\">), (replaceWithValue $x)>;"
        )
        .unwrap();
    }
    let mut input = String::from("%x = \"test.x\"() : () -> i32\n");
    for i in 0..2_000 {
        let (op, n) = (i * 13 % 500, i % 9);
        let last = if i == 0 { "%x".to_owned() } else { format!("%v{}", i - 1) };
        writeln!(input, "%v{i} = \"test.op{op}\"({last}, %x) <{{n = {n} : i32}}> : (i32, i32) -> i32")
            .unwrap();
    }
    input += "\"test.use\"(%v1999) : (i32) -> ()\n";
    let folder = Folder::new(&[("rules.td", &rules), ("in.mlir", &input)]);
    let run = folder.run(&["profile", "in.mlir", "--rules", "rules.td", "--html", "page.html"]);
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    let bytes = std::fs::metadata(folder.path("page.html")).unwrap().len();
    // docs/UNDERSTANDING.md states 2.2 MB for 5,000 rules.
    assert!(bytes < 3_000_000, "{bytes} bytes");
    let script = format!(
        "const start = performance.now(); {} seen.ms = performance.now() - start; \
         seen.opened = performance.getEntriesByType('navigation')[0].domInteractive;",
        CLICKS.replace("wanted", "\"Rule4321\"")
    );
    let Some(seen) = in_browser(&folder.path("page.html"), &script) else { return };
    assert_eq!(strings(&seen["found"]), ["Rule4321"]);
    assert!(strings(&seen["picked"]).iter().any(|text| text.contains("Rule4321")), "{seen}");
    assert_eq!(strings(&seen["sorted"])[..3], ["Rule0", "Rule1", "Rule2"]);
    assert_eq!(strings(&seen["reversed"])[..2], ["Rule4999", "Rule4998"]);
    assert!(seen["rows"].as_u64().unwrap() < 200, "rows are created on scrolling: {seen}");
    // The bound is generous because the machine may be busy.
    assert!(seen["ms"].as_f64().unwrap() < 10_000.0, "{seen}");
}
