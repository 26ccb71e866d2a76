//! Tests of CIRCT's dialects. C++ code reads and prints many of their custom forms. The package `circt` 1.62.0 printed
//! `circt.mlir` and `circt.generic.mlir` from the same module, in which all ports have unknown locations.

use crate::common::command;

const DIALECTS: &str = include_str!("circt.td");
const CUSTOM: &str = include_str!("circt.mlir");
const GENERIC: &str = include_str!("circt.generic.mlir");

/// Runs `drrvm opt` on a text with the dialects. Returns the printed module, or the errors.
fn opt(text: &str, options: &[&str]) -> Result<String, String> {
    command::opt(DIALECTS, text, options)
}

/// A text without the locations of ports, which are attributes in generic form.
fn without_locations(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n').filter(|line| !line.starts_with("#loc")) {
        match line.split_once("port_locs = [") {
            Some((before, after)) => {
                out.push_str(before);
                out.push_str(after.split_once("], ").unwrap().1);
            }
            None => out.push_str(line),
        }
    }
    out
}

#[test]
fn custom_text_is_read_as_the_generic_text() {
    let printed = opt(CUSTOM, &["--mlir-print-op-generic"]).unwrap();
    assert_eq!(without_locations(&printed), GENERIC);
}

#[test]
fn printed_text_is_that_of_circt() {
    for input in [CUSTOM, GENERIC] {
        assert_eq!(opt(input, &[]).unwrap(), CUSTOM);
    }
}

#[test]
fn ports_have_locations() {
    let text = "hw.module.extern @m(in %a : i8 loc(\"x\"), out b : i8, inout %loc : i8)\n";
    let printed = opt(text, &["--mlir-print-op-generic"]).unwrap();
    assert!(
        printed
            .starts_with("#loc = loc(\"x\")\n#loc1 = loc(\"in.mlir\":1:46)\n#loc2 = loc(\"in.mlir\":1:60)\n")
    );
    assert!(printed.contains("port_locs = [#loc, #loc1, #loc2]"), "{printed}");
}

#[test]
fn locations_of_ports_are_printed() {
    let text = "hw.module.extern @m(in %a : i8 loc(\"x\"), out b : i8 loc(\"y\"))\n\
        hw.module @n(in %a : i8 loc(\"x\"), out b : i8 loc(\"z\")) {\n  hw.output %a : i8\n}\n";
    let printed = opt(text, &["--mlir-print-debuginfo", "--mlir-print-local-scope"]).unwrap();
    for part in
        ["in %a : i8 loc(\"x\"), out b : i8 loc(\"y\")", "in %a : i8 loc(\"x\"), out b : i8 loc(\"z\")"]
    {
        assert!(printed.contains(part), "{printed}");
    }
    let printed = opt(text, &["--mlir-print-debuginfo"]).unwrap();
    assert_eq!(opt(&printed, &["--mlir-print-debuginfo"]).unwrap(), printed);
}

#[test]
fn ports_without_a_name_are_read_again() {
    let printed = opt("hw.module.extern @m(in %0 : i8, out b : i8, in %1 : i4)\n", &[]).unwrap();
    assert!(printed.contains("(in %0 \"\" : i8, out b : i8, in %1 \"\" : i4)"), "{printed}");
    assert_eq!(opt(&printed, &[]).unwrap(), printed);
}

/// The custom form of these operations does not state all types. If an operation has types that the reader would not
/// infer, it is printed in generic form.
#[test]
fn operations_with_other_types_are_printed_in_generic_form() {
    /// The operations that the verifier refuses.
    const REFUSED: &[(&str, &str)] = &[
        ("\"hw.array_get\"(%r) ", "expected 2 operands, but found 1"),
        ("\"seq.firreg\"(%a, %i) ", "operand #1 must be Seq_Clock, but got 'i1'"),
        ("\"seq.firreg\"(%a, %c, %a, %a) ", "operand #2 must be i1, but got 'i8'"),
    ];
    for op in [
        "\"hw.array_get\"(%r, %i) : (!hw.array<2xi8>, i1) -> i4",
        "\"hw.array_get\"(%r) : (!hw.array<2xi8>) -> i8",
        "\"comb.concat\"(%a, %a) : (i8, i8) -> i8",
        "\"sv.read_inout\"(%w) : (!hw.inout<i8>) -> i4",
        "\"hw.array_create\"(%a, %a) : (i8, i8) -> !hw.array<3xi8>",
        "\"hw.array_concat\"(%r, %r) : (!hw.array<2xi8>, !hw.array<2xi8>) -> !hw.array<3xi8>",
        "\"hw.array_slice\"(%r, %a) : (!hw.array<2xi8>, i8) -> !hw.array<1xi8>",
        "\"hw.struct_create\"(%a) : (i8) -> !hw.struct<a: i4>",
        "\"hw.struct_explode\"(%s) : (!hw.struct<a: i8>) -> i4",
        "\"hw.struct_extract\"(%s) {fieldIndex = 0 : i32} : (!hw.struct<a: i8>) -> i4",
        "\"hw.struct_inject\"(%s, %i) {fieldIndex = 0 : i32} : (!hw.struct<a: i8>, i1) -> !hw.struct<a: i8>",
        "\"hw.constant\"() {value = 1 : i8} : () -> i4",
        "\"seq.firreg\"(%x, %c) {name = \"\", preset = 36893488147419103232 : i128} : (i128, !seq.clock) -> i128",
        "\"seq.firreg\"(%a, %c) {name = \"r\"} : (i8, !seq.clock) -> i4",
        "\"seq.firreg\"(%a, %i) {name = \"r\"} : (i8, i1) -> i8",
        "\"seq.firreg\"(%a, %c, %a, %a) {name = \"r\"} : (i8, !seq.clock, i8, i8) -> i8",
        "\"seq.firreg\"(%a, %c, %i, %x) {name = \"r\"} : (i8, !seq.clock, i1, i128) -> i8",
    ] {
        let module = format!(
            "hw.module @m(in %a : i8, in %i : i1, in %r : !hw.array<2xi8>, in %s : !hw.struct<a: i8>, in %c : !seq.clock, \
             in %x : i128, inout %w : i8) {{\n  %0 = {op}\n}}\n"
        );
        let name = &op[1..op[1..].find('"').unwrap() + 1];
        let refused = REFUSED.iter().find(|(start, _)| op.starts_with(start));
        match (opt(&module, &[]), refused) {
            (Ok(printed), None) => assert!(printed.contains(&format!("\"{name}\"(")), "{op}\n{printed}"),
            (Err(error), Some((_, expected))) => assert!(error.contains(expected), "{op}\n{error}"),
            (found, _) => panic!("{op}\n{found:?}"),
        }
    }
    for (ports, argument) in
        [("input a : i8", "i4"), ("input a : i8, input b : i8", "i8"), ("inout a : i8", "i8")]
    {
        let module = format!(
            "\"hw.module\"() ({{\n^bb0(%a: {argument}):\n  \"hw.output\"() : () -> ()\n}}) {{module_type = \
             !hw.modty<{ports}>, parameters = [], per_port_attrs = [], sym_name = \"m\"}} : () -> ()\n"
        );
        let printed = opt(&module, &[]).unwrap();
        assert!(printed.contains("\"hw.module\"() "), "{printed}");
    }
}

/// A parameter whose text does not fit its type cannot be read again.
#[test]
fn parameters_that_cannot_be_read_again_are_printed_in_generic_form() {
    let module = |parameter: &str| {
        format!(
            "\"hw.module.extern\"() ({{}}) {{module_type = !hw.modty<>, parameters = [#hw.param.decl<{parameter}], \
             sym_name = \"m\"}} : () -> ()\n"
        )
    };
    for parameter in [
        "\"n\": i64> : i32",
        "\"v\": i4 = 100> : i4",
        "\"v\": i4 = 15> : i4",
        "\"v\": ui8 = -1> : ui8",
        "\"v\": i1 = 1> : i1",
        "\"v\": f64 = 1> : f64",
        "\"v\": none = 1>",
        "\"v\": none = \"a\" \"b\">",
        "\"v\": i8 = #hw.param.decl.ref<\"w\"> 1> : i8",
        "\"v\":>",
        "v: i4> : i4",
    ] {
        let printed = opt(&module(parameter), &[]).unwrap();
        assert!(printed.contains("\"hw.module.extern\"()"), "{printed}");
        assert!(printed.contains(&format!("#hw.param.decl<{parameter}]")), "{printed}");
    }
    for (parameter, expected) in [
        ("\"v\": i4 = -3> : i4", "v: i4 = -3"),
        ("\"v\": ui8 = 200> : ui8", "v: ui8 = 200"),
        ("\"v\": i1 = true> : i1", "v: i1 = true"),
        ("\"v\": index = 4> : index", "v: index = 4"),
        ("\"v\": f64 = 1.000000e+00> : f64", "v: f64 = 1.000000e+00"),
        ("\"a b\": none = \"s, \\22\">", "\"a b\": none = \"s, \\22\""),
        ("\"v\": i8 = #hw.param.decl.ref<\"w\">> : i8", "v: i8 = #hw.param.decl.ref<\"w\">"),
    ] {
        let printed = opt(&module(parameter), &[]).unwrap();
        assert!(printed.contains(&format!("@m<{expected}>()")), "{printed}");
        let again = opt(&printed, &["--mlir-print-op-generic"]).unwrap();
        assert!(again.contains(&format!("#hw.param.decl<{parameter}]")), "{again}");
    }
}

/// Some operations store the name of their result in an attribute. The printer names the result after the attribute, or
/// prints the attribute if another value has that name.
#[test]
fn names_of_results_are_attributes() {
    let line = |name: &str| format!("  {name} = hw.wire %a : i8\n");
    let lines: String = ["%x", "%0", "%x_0", "%x#"].map(|name| line(name.trim_end_matches('#'))).concat();
    let error = opt(&format!("hw.module @m(in %a : i8) {{\n{lines}}}\n"), &[]).unwrap_err();
    assert!(error.contains("redefinition"), "{error}");
    let module = format!("hw.module @m(in %a : i8) {{\n{}{}{}}}\n", line("%x"), line("%0"), line("%a_0"));
    let generic = opt(&module, &["--mlir-print-op-generic"]).unwrap();
    for name in ["x", "", "a_0"] {
        assert!(generic.contains(&format!("{{name = \"{name}\"}}")), "{generic}");
    }
    let both = "\"hw.wire\"(%a) {name = \"x\"} : (i8) -> i8\n";
    let printed = opt(&format!("hw.module @m(in %a : i8) {{\n  %0 = {both}  %1 = {both}}}\n"), &[]).unwrap();
    assert!(printed.contains("%x = hw.wire %a  : i8\n"), "{printed}");
    assert!(printed.contains("%x_0 = hw.wire %a  name \"x\" : i8\n"), "{printed}");
    assert_eq!(opt(&printed, &[]).unwrap(), printed);
}

#[test]
fn texts_with_the_same_meaning_are_printed_alike() {
    for (text, expected) in [
        ("!hw.array< 4 x  i8 >", "!hw.array<4xi8>"),
        ("!hw.array<4x!hw.array<2x!hw.union<a:i8>>>", "!hw.array<4xarray<2xunion<a: i8>>>"),
        ("!hw.array<#hw.param.decl.ref<\"w\"> x i8>", "!hw.array<#hw.param.decl.ref<\"w\">xi8>"),
        ("!hw.inout<!hw.struct<\"a\":i8>>", "!hw.inout<struct<a: i8>>"),
        ("!hw.union<a:i8 offset 0,b:i7 offset 2>", "!hw.union<a: i8, b: i7 offset 2>"),
        (
            "!hw.modty<input \"a\":i8,output \"b c\":!hw.struct<>>",
            "!hw.modty<input a : i8, output \"b c\" : !hw.struct<>>",
        ),
        ("#hw<innerSym[<@a,0,public>]>", "#hw<innerSym@a>"),
        ("#hw<unknown  @a>", "#hw<unknown @a>"),
        (
            "#hw<innerSym [ <@b, 2, private>, <@a, 1,public> ]>",
            "#hw<innerSym[<@a,1,public>, <@b,2,private>]>",
        ),
        (
            "#hw<innerSym[<@\"c, d\",2,public>, <@\"a  b\" , 1, public>]>",
            "#hw<innerSym[<@\"a  b\",1,public>, <@\"c, d\",2,public>]>",
        ),
    ] {
        let printed = opt(&format!("\"x.y\"() {{a = {text}}} : () -> ()\n"), &[]).unwrap();
        assert!(printed.contains(&format!("{{a = {expected}}}")), "{printed}");
    }
}

#[test]
fn wrong_text_is_refused() {
    for (text, expected) in [
        ("hw.constant 1.0 : f32", "an integer with its type"),
        ("hw.constant", "expected an attribute value"),
        ("hw.aggregate_constant 1 : i8 : i8", "the elements must be in a list, '[…]'"),
        ("hw.enum.constant 1 : !hw.enum<A>", "the name of a case"),
        ("hw.param.value i32 #hw.param.decl.ref<\"x\">", "'='"),
        ("hw.instance @m() -> ()", "the name of the instance in quotes"),
        ("hw.instance \"i\" @m::@n() -> ()", "the instance must name a module"),
        ("hw.instance \"i\" @m(%a: i8) -> ()", "a name"),
        ("hw.instance \"i\" @m(a: %a: i8)", "'->'"),
        ("hw.instance \"i\" @m<p = 1>() -> ()", "':'"),
        ("hw.instance \"i\" sym 3 @m() -> ()", "attribute 'inner_sym'"),
        ("hw.array_create : i8", "an operand"),
        ("hw.array_get %a[%a] : i8, i8", "'i8' must be '!hw.array<…>' or '!hw.inout<…>'"),
        ("hw.array_get %a, %a : i8, i8", "'['"),
        ("hw.array_get %r : !hw.array<2xi8>", "'['"),
        ("sv.read_inout %a, %a : i8, i8", "expected ':' in the custom form of 'sv.read_inout'"),
        ("hw.array_get %r[%a] : !hw.array<2xi8>", "expected 2 operand types but had 1"),
        ("hw.array_concat %r, %a : !hw.array<2xi8>, i8", "'i8' must be"),
        (
            "hw.array_concat %r, %a : !hw.array<2xi8>, !hw.array<2xi4>",
            "the arrays must have the same element type",
        ),
        (
            "hw.array_concat %r : !hw.array<#hw.param.decl.ref<\"w\">xi8>",
            "must be an array whose size is an integer",
        ),
        ("hw.array_slice %a[%a] : (i8) -> i8", "must be an array whose size is an integer"),
        ("hw.struct_create (%a) : i8", "'i8' must be '!hw.struct<…>' or '!hw.union<…>'"),
        ("hw.struct_create (%a) : !hw.struct<>", "expected 1 operand types but had 0"),
        ("hw.struct_extract %a[a] : !hw.struct<a: i8>", "the name of a field in quotes"),
        ("hw.struct_extract %a[\"b\"] : !hw.struct<a: i8>", "'!hw.struct<a: i8>' has no field 'b'"),
        ("hw.union_create \"a\" : !hw.union<a: i8>", "','"),
        ("hw.wire %a name foo : i8", "the name in quotes"),
        ("comb.concat %a, %a : i8, f32", "the operands must be signless integers"),
        ("comb.concat %a, %a : i16777215, i16777215", "width"),
        ("seq.firreg %a clock %a reset %a, %a : i8", "'async' or 'sync'"),
        ("seq.firreg %a clock %a preset x : i8", "an integer"),
        ("sv.read_inout %a : i8", "'i8' must be '!hw.array<…>' or '!hw.inout<…>'"),
    ] {
        let module = format!("hw.module @top(in %a : i8, in %r : !hw.array<2xi8>) {{\n  {text}\n}}\n");
        let error = opt(&module, &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
    for (text, expected) in [
        ("hw.module @m {}", "'('"),
        ("hw.module (in %a : i8) {}", "a symbol name"),
        ("hw.module @m(%a : i8) {}", "'in', 'out' or 'inout'"),
        ("hw.module @m(in a : i8) {}", "an operand"),
        ("hw.module @m(in %a#1 : i8) {}", "without '#'"),
        ("hw.module @m(out : i8) {}", "a name"),
        ("hw.module @m(in %a) {}", "':'"),
        ("hw.module @m(in %a : i8)", "'{' to begin a region"),
        ("hw.module @m<1>() {}", "a name"),
        ("hw.module @m<p: i8 = >() {}", "expected an attribute value"),
        ("hw.hierpath @p [1]", "a path must consist of symbols"),
        ("hw.hierpath @p [@a::@b::@c]", "a path must consist of symbols"),
        ("hw.module.generated @m, 5(in %a : i8)", "the module must name a generator"),
    ] {
        let error = opt(&format!("{text}\n"), &[]).unwrap_err();
        assert!(error.contains(expected), "{text}\n{error}");
    }
}
