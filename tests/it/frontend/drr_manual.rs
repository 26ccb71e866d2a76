//! Tests the examples of MLIR's manual on declarative rewrite rules.
//!
//! The test reads each TableGen block of `mlir/docs/DeclarativeRewrites.md`, puts definitions of operations before it,
//! and fills in the parts that the manual omits. `mlir-tblgen` decides which blocks are valid rules; drrvm must agree.

use crate::common;
use crate::common::rules;

use std::fmt::Write;

use crate::common::{llvm_sources, llvm_tool};

/// The class, the operations and the constraint that the examples use without defining them.
const DEFINITIONS: &str = r#"class TEST_Op<string mnemonic> : Op<T, mnemonic>;
def AOp : Op<T, "a"> { let arguments = (ins AnyType:$x, AnyAttr:$n); let results = (outs AnyType:$r); }
def BOp : Op<T, "b"> { let arguments = (ins); let results = (outs AnyType:$r); }
def COp : Op<T, "c"> { let arguments = (ins AnyType:$x, AnyAttr:$n); let results = (outs AnyType:$r); }
def DOp : Op<T, "d"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def OpA : Op<T, "op_a"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def SourceOp : Op<T, "source"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def TwoArgOp : Op<T, "two_arg"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def AnOp : Op<T, "an"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def SomeOp : Op<T, "some"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def AnotherOp : Op<T, "another"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def OtherOp : Op<T, "other"> { let arguments = (ins AnyType:$x, AnyType:$y, AnyType:$z); let results = (outs AnyType:$r); }
def Foo : Op<T, "foo"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def OneOp : Op<T, "one"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def VStackOp : Op<T, "vstack"> { let arguments = (ins Variadic<AnyType>:$x); let results = (outs AnyType:$r); }
def ConcatenateOp : Op<T, "concat"> { let arguments = (ins Variadic<AnyType>:$x, I32Attr:$n); let results = (outs AnyType:$r); }
def ZeroResultOp : Op<T, "zero_result"> { let arguments = (ins AnyType:$x); let results = (outs); }
def OneResultOp : Op<T, "one_result"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def TwoResultOp : Op<T, "two_result"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r, AnyType:$s); }
def ThreeResultOp : Op<T, "three_result"> {
  let arguments = (ins AnyType:$x); let results = (outs AnyType:$r, AnyType:$s, AnyType:$t);
}
def AuxiliaryOp : Op<T, "auxiliary"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def TwoAttrOp : Op<T, "two_attr"> { let arguments = (ins AnyAttr:$m, AnyAttr:$n); let results = (outs AnyType:$r); }
def OneAttrOp : Op<T, "one_attr"> { let arguments = (ins ArrayAttr:$n); let results = (outs AnyType:$r); }
def AddIOp : Op<T, "add"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs AnyType:$r); }
def StoreOp : Op<T, "store"> { let arguments = (ins AnyType:$x, AnyType:$y); let results = (outs); }
def AllocOp : Op<T, "alloc"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def ShapeOp : Op<T, "shape"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def LoadOp : Op<T, "load"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def LocSrc1Op : Op<T, "source1"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def LocSrc2Op : Op<T, "source2"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def LocDst1Op : Op<T, "target1"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def LocDst2Op : Op<T, "target2"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }
def HasSameElementShape : Constraint<CPred<"$0.getType() == $1.getType()">>;
"#;

/// Replacements of the manual's shorthand in all examples.
const SHORTHAND: &Replaced = &[
    (" Op<\"", " Op<T, \""),
    ("AnyTensor$", "AnyTensor:$"),
    ("AnyType:$d_input2,", "AnyType:$d_input2"),
    ("(ins ...)", "(ins AnyType:$x)"),
    // The manual omits a comma that the grammar requires.
    ("(BOp:$b_result) $", "(BOp:$b_result), $"),
    ("$b_result $", "$b_result, $"),
    ("$input, $attr) $attr)", "$input, $attr), $attr)"),
    ("PackAttr:$res__0, ", "PackAttrs:$res__0 "),
    ("Op:$results__2, ...", "Op:$results__2 $x"),
    (" ...)", " $x)"),
    (" ..., (location", " $y, (location"),
];

/// Pairs of a text and its replacement.
type Replaced = [(&'static str, &'static str)];

/// Completions of single examples: the section, the number of the block in it, and the replacements.
const COMPLETIONS: &[(&str, usize, &Replaced)] = &[
    ("Binding op arguments and limiting the match", 0, &[("), ...>;", "), (COp $input, $attr)>;")]),
    ("Matching DAG of operations", 0, &[("), ...>;", "), (COp (BOp), $attr)>;")]),
    ("Binding op results", 0, &[("), ...>;", "), (COp $b_result, $attr)>;")]),
    (
        "`NativeCodeCall` placeholders",
        0,
        &[
            (
                "def : Pat",
                "def Takes : Op<T, \"takes\"> { let arguments = (ins AnyType:$x); let results = (outs AnyType:$r); }\ndef : Pat",
            ),
            ("OneAttrOp", "Takes"),
        ],
    ),
    (
        "`NativeCodeCall` binding multi-results",
        0,
        &[("(TwoResultOp $attr1, $attr2)", "(TwoResultOp $attr1)"), ("$attr1, $attr2", "$attr1, $attr1")],
    ),
    ("Customizing entire op building", 0, &[("(... $input", "(AOp $input")]),
    ("Supporting auxiliary ops", 0, &[("(LoadOp $mem)];", "(LoadOp $mem)]>;")]),
    (
        "`__N` suffix",
        0,
        &[(
            "[(... $results__0), ..., (... $results__2), ...]",
            "[(OneOp $results__0), (OneOp $results__1), (OneOp $results__2)]",
        )],
    ),
    ("Match variadic operand", 1, &[("...>;", "(DOp $input0, $input1)>;")]),
    (
        "Supplying additional constraints",
        0,
        &[
            ("[(...), (...)]", "[(OneOp $input), (OneOp $input)]"),
            ("def HasNoUseOf", "def HasNoUse"),
            ("(HasNoUseOf", "(HasNoUse"),
            // A type constraint takes its symbol as an argument in the current syntax.
            ("(F32Tensor:", "(F32Tensor "),
        ],
    ),
    (
        "Supplying additional result patterns",
        0,
        // `$0` cannot stand for all results, because a list of results is not a C++ expression.
        &[
            ("(ThreeResultOp:$dest2 $x)],", "(ThreeResultOp:$dest2 $x)], [],"),
            ("(GetOwner $src), $dest1", "(GetOwner $src__0), $dest1"),
            ("(GetOwner $src), (GetOwner $dest2)", "(GetOwner $src__0), (GetOwner $dest2__0)"),
        ],
    ),
    (
        "`location`",
        1,
        &[("$y, (location $src2)), (location", "$x, (location $src2)), (location"), ("$x),\n", "$x)),\n")],
    ),
    ("`either`", 0, &[("(...)", "(OneOp $firstArg)")]),
];

/// A TableGen block: its section, its number in the section, and its text.
struct Block {
    section: String,
    number: usize,
    text: String,
}

fn blocks(manual: &str) -> Vec<Block> {
    let mut found: Vec<Block> = Vec::new();
    let mut section = "";
    let mut open = false;
    for line in manual.lines() {
        let title = line.trim_start_matches('#');
        if !open && title.len() < line.len() {
            section = title.trim();
        } else if line.trim() == "```tablegen" {
            let number = found.iter().filter(|block| block.section == section).count();
            found.push(Block { section: section.to_owned(), number, text: String::new() });
            open = true;
        } else if line.trim() == "```" {
            open = false;
        } else if open && let Some(block) = found.last_mut() {
            writeln!(block.text, "{line}").expect("writing to a string succeeds");
        }
    }
    found
}

/// Returns the block as a complete file: prefixed with the definitions that it lacks, and with its omissions filled in.
fn completed(block: &Block) -> String {
    let mut text = block.text.clone();
    let own =
        COMPLETIONS.iter().find(|(section, number, _)| *section == block.section && *number == block.number);
    let own = own.map_or(&[][..], |(_, _, replaced)| replaced);
    for (short, long) in SHORTHAND {
        text = text.replace(short, long);
    }
    for (short, long) in own {
        assert!(text.contains(short), "{} {}: no '{short}' in\n{text}", block.section, block.number);
        text = text.replacen(short, long, 1);
    }
    let mut file = String::from(
        "include \"mlir/IR/PatternBase.td\"\ninclude \"mlir/IR/OpBase.td\"\ninclude \"mlir/Interfaces/InferTypeOpInterface.td\"\ndef T : Dialect { let name = \"t\"; }\n",
    );
    let mut skipping = false;
    for line in DEFINITIONS.lines() {
        if let Some(name) = line.strip_prefix("def ").and_then(|rest| rest.split_whitespace().next()) {
            skipping = text.contains(&format!("def {name} "));
        }
        if !skipping {
            file.push_str(line);
            file.push('\n');
        }
    }
    file.push_str(&text);
    file
}

/// drrvm accepts an example if and only if `mlir-tblgen` accepts it.
#[test]
fn examples_of_the_manual_are_accepted_as_by_mlir_tblgen() {
    let (Some(tool), Some(llvm)) = (llvm_tool("mlir-tblgen"), llvm_sources()) else { return };
    let path = llvm.join("mlir/docs/DeclarativeRewrites.md");
    let Ok(manual) = std::fs::read_to_string(&path) else {
        println!("skipped: {} does not exist", path.display());
        return;
    };
    let include = format!("-I{}", llvm.join("mlir/include").display());
    let (mut loaded, mut refused, mut wrong) = (0, Vec::new(), String::new());
    for block in blocks(&manual) {
        let name = format!("{} {}", block.section, block.number);
        let text = completed(&block);
        let theirs = common::pipe_text(&tool, &["-gen-rewriters", &include, "-"], &text);
        let (_, ours) = rules::errors_of("manual.td", &text, Vec::new(), Vec::new());
        if theirs.is_ok() == ours.has_errors() {
            writeln!(wrong, "{name}: {:?}\n{ours:?}\n{}\n", theirs.err(), block.text)
                .expect("writing to a string succeeds");
        }
        if ours.has_errors() { refused.push(name) } else { loaded += 1 }
    }
    assert!(wrong.is_empty(), "{wrong}");
    // The rejected blocks: two classes that `PatternBase.td` defines already, two incomplete forms, and a rule that the
    // manual shows as forbidden.
    assert_eq!(
        refused,
        [
            "Rule Definition 0",
            "Rule Definition 1",
            "Replacing multi-result ops 1",
            "`location` 0",
            "`replaceWithValue` 0"
        ]
    );
    assert_eq!(loaded, 28);
}
