//! Tests of the dialect `torch` of torch-mlir. The package `torch_mlir` 20261001 printed `torch.mlir` and
//! `torch.generic.mlir` from the same module.

use crate::common::command;
use crate::common::damage;

const DIALECTS: &str = include_str!("torch.td");
const CUSTOM: &str = include_str!("torch.mlir");
const GENERIC: &str = include_str!("torch.generic.mlir");

/// Runs `drrvm opt` on a text with the dialect. Returns the printed module, or the errors.
fn opt(text: &str, options: &[&str]) -> Result<String, String> {
    command::opt(DIALECTS, text, options)
}

#[test]
fn custom_text_is_read_as_the_generic_text() {
    for input in [CUSTOM, GENERIC] {
        assert_eq!(opt(input, &["--mlir-print-op-generic"]).unwrap(), GENERIC);
    }
}

#[test]
fn printed_text_is_that_of_torch() {
    for input in [CUSTOM, GENERIC] {
        assert_eq!(opt(input, &[]).unwrap(), CUSTOM);
    }
}

/// Returns a function that contains an operation and has arguments of several types.
fn with_arguments(op: &str) -> String {
    format!(
        "func.func @f(%a: !torch.int, %b: !torch.bool, %t: !torch.tensor, %v: !torch.vtensor<[2],f32>) {{\n  \
         {op}\n  return\n}}\n"
    )
}

#[test]
fn the_default_form_follows_from_the_numbers_of_operands_and_results() {
    for op in [
        "%0 = torch.aten.current  -> !torch.int",
        "%0 = torch.aten.current  {note} -> !torch.int",
        "torch.prim.RaiseException %arg0, %arg1 : !torch.int, !torch.bool",
        "%0 = torch.aten.gt.int %arg0, %arg0 : !torch.int, !torch.int -> !torch.bool",
    ] {
        let text = with_arguments(op);
        let text = text.replace("%arg0", "%a").replace("%arg1", "%b");
        let printed = opt(&text, &[]).unwrap();
        assert!(printed.contains(&format!("    {op}\n")), "{printed}");
        assert_eq!(opt(&printed, &[]).unwrap(), printed);
    }
    let error = opt(&with_arguments("%0:2 = torch.strange %a : !torch.int -> !torch.int, !torch.int"), &[]);
    assert!(error.unwrap_err().contains("only C++ code reads the custom form of 'torch.strange'"));
}

#[test]
fn integers_can_be_hexadecimal() {
    for (text, expected) in [("0x10", "torch.constant.int 16"), ("-0x10", "torch.constant.int -16")] {
        let printed = opt(&with_arguments(&format!("%0 = torch.constant.int {text}")), &[]).unwrap();
        assert!(printed.contains(expected), "{printed}");
    }
}

/// The custom form of these operations does not state all of their parts. If an operation has parts that the reader
/// would not infer, it is printed in generic form.
#[test]
fn operations_that_the_custom_form_cannot_express_are_printed_in_generic_form() {
    for op in [
        "%0 = \"torch.constant.int\"() <{value = 1 : i32}> : () -> !torch.int",
        "%0 = \"torch.constant.int\"() <{value = 1 : i64}> : () -> !torch.float",
        "%0 = \"torch.copy.to_tensor\"(%v) : (!torch.vtensor<[2],f32>) -> !torch.tensor",
        "%0 = \"torch.copy.to_vtensor\"(%t) : (!torch.tensor) -> !torch.vtensor<[2],f32>",
        "\"torch.prim.If\"(%b) ({\n  \"torch.prim.If.yield\"() : () -> ()\n}) : (!torch.bool) -> ()",
        "\"torch.prim.If\"(%a) ({\n}, {\n}) : (!torch.int) -> ()",
        "\"torch.prim.If\"(%b) ({\n^bb0(%x: i1):\n  \"torch.prim.If.yield\"() : () -> ()\n}, {\n  \
         \"torch.prim.If.yield\"() : () -> ()\n}) : (!torch.bool) -> ()",
        "\"torch.initialize.global_slots\"(%a) <{slotSymNames = [@a, @b]}> : (!torch.int) -> ()",
        "\"torch.initialize.global_slots\"(%a) <{slotSymNames = [@a::@b]}> : (!torch.int) -> ()",
        "\"torch.initialize.global_slots\"(%a) <{slotSymNames = [\"a\"]}> : (!torch.int) -> ()",
        "\"torch.bind_symbolic_shape\"(%v, %b) <{shape_expressions = affine_map<()[s0] -> (s0)>}> : \
         (!torch.vtensor<[2],f32>, !torch.bool) -> ()",
        "\"torch.bind_symbolic_shape\"(%v) <{shape_expressions = 1 : i32}> : (!torch.vtensor<[2],f32>) -> ()",
    ] {
        let name = op.split('"').nth(1).unwrap();
        let options = ["--mlir-very-unsafe-disable-verifier-on-parsing"];
        let initializer =
            format!("torch.global_slot.module_initializer {{\n  %a = torch.constant.int 1\n  {op}\n}}\n");
        let is_terminator = name == "torch.initialize.global_slots";
        let text = if is_terminator { initializer } else { with_arguments(op) };
        let printed = opt(&text, &options).unwrap();
        assert!(printed.contains(&format!("\"{name}\"(")), "{op}\n{printed}");
        assert_eq!(opt(&printed, &options).unwrap(), printed);
    }
}

#[test]
fn texts_with_the_same_meaning_are_printed_alike() {
    for (text, expected) in [
        ("!torch.vtensor< [ 2 , ? ] , f32 >", "!torch.vtensor<[2,?],f32>"),
        ("!torch.vtensor<[-1,0x10],f32>", "!torch.vtensor<[?,16],f32>"),
        ("!torch.vtensor<*,unk>", "!torch.vtensor"),
        ("!torch.tensor<[],unk>", "!torch.tensor<[],unk>"),
        ("!torch.tensor<*,!torch.quint8>", "!torch.tensor<*,!torch.quint8>"),
        ("!torch.vtensor<[2],f32, #x.y<1>>", "!torch.vtensor<[2],f32,#x.y<1>>"),
        ("!torch.list<!torch.optional<vtensor>>", "!torch.list<optional<vtensor>>"),
        (
            "!torch.tuple<int,float , list<vtensor<[?],f16>>>",
            "!torch.tuple<int, float, list<vtensor<[?],f16>>>",
        ),
        ("!torch.dict<str,!torch.nn.Module< \"a\" >>", "!torch.dict<str, nn.Module<\"a\">>"),
    ] {
        let printed =
            opt(&format!("\"x.y\"() {{a = {text}}} : () -> ()\n"), &["--allow-unregistered-dialect"])
                .unwrap();
        assert!(printed.contains(&format!("{{a = {expected}}}")), "{printed}");
    }
}

/// The text of a type is kept as written if it does not have the form of its class.
#[test]
fn types_of_other_forms_are_kept() {
    for text in [
        "!torch.list<int, int>",
        "!torch.dict<int>",
        "!torch.vtensor<[2,], f32>",
        "!torch.vtensor<[-2], f32>",
        "!torch.nn.Module<a>",
        "!torch.optional<unknown>",
    ] {
        let printed =
            opt(&format!("\"x.y\"() {{a = {text}}} : () -> ()\n"), &["--allow-unregistered-dialect"])
                .unwrap();
        assert!(printed.contains(&format!("{{a = {text}}}")), "{printed}");
    }
}

#[test]
fn wrong_text_is_refused() {
    for (text, expected) in [
        ("%0 = torch.constant.int 1.5", "'torch.constant.int'"),
        ("%0 = torch.constant.int", "an integer"),
        ("%0 = torch.constant.int {a} 5", "an integer"),
        ("%0 = torch.constant.int 0xFFFFFFFFFFFFFFFF", "an integer"),
        (
            "%0 = torch.constant.int 5 {value = 6 : i64}",
            "attribute 'value' of 'torch.constant.int' occurs more than once",
        ),
        ("%0 = torch.aten.tanh %a, %a : !torch.int -> !torch.int", "2"),
        ("%0 = torch.aten.tanh %a : !torch.int", "'->'"),
        ("%0 = torch.aten.current %a -> !torch.int", "operand"),
        ("torch.prim.If %b {\n  }", "'->'"),
        ("torch.prim.If %b -> () {\n  torch.prim.If.yield\n  }", "'else'"),
        ("torch.prim.If %a -> () {\n  } else {\n  }", "!torch.int"),
        ("torch.initialize.global_slots @a", "'['"),
        ("torch.initialize.global_slots [ @a::@b(%a : !torch.int) ]", "the symbol name of a slot"),
        ("torch.initialize.global_slots [ 5 ]", "the symbol name of a slot"),
        ("torch.initialize.global_slots [ @a(%a) ]", "':'"),
        ("torch.bind_symbolic_shape %v, %a", "'['"),
        ("torch.bind_symbolic_shape %v, [%a], unit : !torch.vtensor<[2],f32>", "an affine map"),
        (
            "torch.bind_symbolic_shape %v, [%b], affine_map<()[s0] -> (s0)> : !torch.vtensor<[2],f32>",
            "!torch.bool",
        ),
        ("%0 = torch.copy.to_tensor %v : !torch.int", "'!torch.int' is not a type '!torch.tensor'"),
    ] {
        let error = opt(&with_arguments(text), &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}

#[test]
fn damaged_text_is_refused_or_read() {
    damage::check(DIALECTS, "", CUSTOM);
}
