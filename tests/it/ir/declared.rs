//! Definitions decide the forms, types and constraints of a dialect. The expected results follow from the parsers and
//! verifiers that `mlir-tblgen` generates.

use crate::common::command::Folder;

/// The standard output of `drrvm opt` with these options and definitions, or its errors.
fn opt(definitions: &str, text: &str, options: &[&str]) -> String {
    let files = Folder::new(&[("My.td", definitions), ("in.mlir", text)]);
    let run = files.run(&[&["opt", "in.mlir", "--dialects", "My.td"], options].concat());
    if run.status == 0 { run.stdout } else { run.stderr }
}

#[track_caller]
fn check(definitions: &str, pairs: &[(&str, &str)]) {
    for (text, expected) in pairs {
        let output = opt(definitions, text, &["--generic"]);
        assert!(output.contains(expected), "{text}\n{output}");
    }
}

const TYPED: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
def Z_Dialect : Dialect { let name = "z"; let cppNamespace = "::z"; }
def Z_Ptr : AttrDef<Z_Dialect, "Ptr", [TypedAttrInterface]> {
  let mnemonic = "ptr";
  let parameters = (ins "::mlir::Type":$type, "int64_t":$v);
  let assemblyFormat = "`<` $v `as` $type `>`";
}
def Z_Dflt : AttrDef<Z_Dialect, "Dflt", [TypedAttrInterface]> {
  let mnemonic = "dflt";
  let parameters = (ins AttributeSelfTypeParameter<"", "::mlir::Type", "::mlir::IntegerType::get($_ctxt, 7)">:$type,
                        "int64_t":$v);
  let assemblyFormat = "`<` $v `>`";
}
def Z_Plain : AttrDef<Z_Dialect, "Plain"> {
  let mnemonic = "plain";
  let parameters = (ins "int64_t":$v);
  let assemblyFormat = "`<` $v `>`";
}
def Z_Untyped : AttrDef<Z_Dialect, "Untyped"> {
  let mnemonic = "untyped";
  let parameters = (ins AttributeSelfTypeParameter<"", "::mlir::Type", "::mlir::IntegerType::get($_ctxt, 7)">:$type,
                        "int64_t":$v);
  let assemblyFormat = "`<` $v `>`";
}
def Z_Cxx : AttrDef<Z_Dialect, "Cxx", [TypedAttrInterface]> {
  let mnemonic = "cxx";
  let parameters = (ins "int64_t":$v);
  let assemblyFormat = "`<` $v `>`";
  let extraClassDeclaration = "::mlir::Type getType() const { return ::getSomeType(getV()); }";
}
def Z_Const : Op<Z_Dialect, "const", [AllTypesMatch<["value", "res"]>]> {
  let arguments = (ins TypedAttrInterface:$value);
  let results = (outs AnyType:$res);
  let assemblyFormat = "attr-dict $value";
}
"#;

#[test]
fn an_attribute_has_the_type_that_its_class_states() {
    check(
        TYPED,
        &[
            (
                "%0 = z.const #z.ptr<5 as i8>\n%1 = \"u.se\"(%0) : (i8) -> i8\n",
                "<{value = #z.ptr<5 as i8> : i8}> : () -> i8",
            ),
            ("%0 = z.const #z.ptr<5 as none>\n", "<{value = #z.ptr<5 as none>}> : () -> none"),
            ("%0 = z.const #z.dflt<5>\n", "<{value = #z.dflt<5> : i7}> : () -> i7"),
            ("%0 = z.const #z.dflt<5> : i9\n", "<{value = #z.dflt<5> : i9}> : () -> i9"),
            ("%0 = z.const #z.plain<5>\n", "attribute 'value' of 'z.const' must have a type"),
            ("%0 = z.const #z.cxx<5>\n", "attribute 'value' of 'z.const' must have a type"),
            ("\"a.b\"() {h = #z.ptr<5 as i8>} : () -> ()\n", "{h = #z.ptr<5 as i8> : i8}"),
            ("\"a.b\"() {h = #z.plain<5> : i8} : () -> ()\n", "{h = #z.plain<5>}"),
            ("\"a.b\"() {h = #z.untyped<5> : i8} : () -> ()\n", "{h = #z.untyped<5>}"),
        ],
    );
}

/// Dialects with the names of dialects for which drrvm has forms in Rust.
const OTHER: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def HW : Dialect { let name = "hw"; let cppNamespace = "::hw"; }
def HW_Module : Op<HW, "module"> {
  let arguments = (ins StrAttr:$n);
  let regions = (region AnyRegion:$r);
  let assemblyFormat = "$n $r attr-dict";
}
def HW_Constant : Op<HW, "constant"> {
  let arguments = (ins I64Attr:$value);
  let results = (outs AnyType:$r);
  let assemblyFormat = "$value attr-dict `:` type($r)";
}
def HW_InnerSym : AttrDef<HW, "InnerSym"> {
  let mnemonic = "innerSym";
  let parameters = (ins "int64_t":$n);
  let assemblyFormat = "`<` $n `>`";
}
def TT : Dialect { let name = "tt"; let cppNamespace = "::tt"; }
def TT_Ptr : TypeDef<TT, "Ptr"> {
  let mnemonic = "ptr";
  let parameters = (ins "int64_t":$n, "::mlir::Type":$e);
  let assemblyFormat = "`<` $n `x` $e `>`";
}
"#;

#[test]
fn a_declared_format_takes_precedence_over_a_form_in_rust() {
    check(
        OTHER,
        &[
            ("hw.module \"x\" {\n}\n", "\"hw.module\"() <{n = \"x\"}> ({\n"),
            ("%1 = hw.constant 5 : i8\n", "\"hw.constant\"() <{value = 5 : i64}> : () -> i8"),
            ("\"a.b\"() {k = #hw.innerSym<3>} : () -> ()\n", "{k = #hw.innerSym<3>}"),
            ("\"a.b\"() {k = #hw.innerSym<bogus>} : () -> ()\n", "a value of the parameter 'n' is expected"),
            ("\"a.b\"() {k = !tt.ptr<3 x i8>} : () -> ()\n", "{k = !tt.ptr<3 x i8>}"),
            ("\"a.b\"() {k = !tt.ptr<i8>} : () -> ()\n", "a value of the parameter 'n' is expected"),
        ],
    );
    let text = "%0 = hw.constant 5 : i8\n";
    assert!(opt(OTHER, text, &[]).contains("hw.constant 5 : i8"));
}

const VERIFIED: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinTypeInterfaces.td"
include "mlir/IR/Properties.td"
def V_Dialect : Dialect { let name = "v"; let cppNamespace = "::v"; }
def V_Q : TypeDef<V_Dialect, "Q"> { let mnemonic = "q"; }
class V_Op<string name, list<Trait> traits> : Op<V_Dialect, name, traits> {
  let arguments = (ins Variadic<AnyType>:$a);
  let results = (outs Variadic<AnyType>:$r);
}
def V_Broadcast : V_Op<"orb", [ResultsBroadcastableShape]>;
def V_Element : V_Op<"sore", [SameOperandsAndResultElementType]>;
def V_Shape : V_Op<"sors", [SameOperandsAndResultShape]>;
def V_Prop : Op<V_Dialect, "prop"> { let arguments = (ins ConfinedProp<I64Prop, CPred<"$_self > 3">>:$p); }
"#;

#[test]
fn traits_are_verified_for_all_types() {
    let op = |name: &str, from: &str, to: &str| {
        format!("%0 = \"x.d\"() : () -> {from}\n%1 = \"v.{name}\"(%0) : ({from}) -> {to}\n")
    };
    for (name, from, to, expected) in [
        ("orb", "tensor<4xi32>", "i32", "\"v.orb\""),
        ("orb", "tensor<4xi32>", "!v.q", "\"v.orb\""),
        ("orb", "tensor<4xi32>", "vector<4xi32>", "cannot broadcast vector with tensor"),
        (
            "orb",
            "tensor<4x1xi32>",
            "tensor<4xi32>",
            "result type '4' not broadcast compatible with broadcasted operands's shapes '4x1'",
        ),
        ("sore", "i32", "!v.q", "requires the same element type for all operands and results"),
        ("sore", "i32", "!w.q", "\"v.sore\""),
        ("sors", "tensor<4xi32>", "!v.q", "requires the same shape for all operands and results"),
    ] {
        let output = opt(VERIFIED, &op(name, from, to), &["--generic"]);
        assert!(output.contains(expected), "{name} {from} {to}\n{output}");
        assert_eq!(output.contains("error"), !expected.starts_with('"'), "{name} {from} {to}\n{output}");
    }
    check(VERIFIED, &[("\"v.prop\"() <{p = 2 : i64}> : () -> ()\n", "'v.prop' op property 'p' failed")]);
}

const PARAMETERS: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
def P_Dialect : Dialect { let name = "p"; let cppNamespace = "::p"; }
def P_T : TypeDef<P_Dialect, "T"> {
  let mnemonic = "t";
  let parameters = (ins "int64_t":$x, DefaultValuedParameter<"bool", "true">:$on);
  let assemblyFormat = "`<` $x (`off` $on^)? `>`";
}
def P_U : TypeDef<P_Dialect, "U"> {
  let mnemonic = "u";
  let parameters = (ins ArrayRefParameter<"int64_t">:$x, "int64_t":$y);
  let assemblyFormat = "`<` struct($x, $y) `>`";
}
def P_V : TypeDef<P_Dialect, "V"> {
  let mnemonic = "v";
  let parameters = (ins "::mlir::IntegerType":$x, "::mlir::StringAttr":$y);
  let assemblyFormat = "`<` $x `,` $y `>`";
}
def P_W : TypeDef<P_Dialect, "W"> {
  let mnemonic = "w";
  let parameters = (ins OptionalArrayRefParameter<"int64_t">:$x, OptionalArrayRefParameter<"::mlir::IntegerAttr">:$y);
  let assemblyFormat = "`<` (`[` $x^ `]`)? (`y` $y^)? `>`";
}
"#;

#[test]
fn parameters_have_values_of_their_class() {
    check(
        PARAMETERS,
        &[
            ("\"a.b\"() {k = !p.t<3 off false>} : () -> ()\n", "!p.t<3 off false>"),
            ("\"a.b\"() {k = !p.t<3 off>} : () -> ()\n", "it has no parameter 'on'"),
            ("\"a.b\"() {k = !p.u<y = 2, x = 1, 3>} : () -> ()\n", "!p.u<x = 1, 3, y = 2>"),
            ("\"a.b\"() {k = !p.u<x = 1, y = 2>} : () -> ()\n", "a value of the parameter 'x' is expected"),
            ("\"a.b\"() {k = !p.v<i8, \"s\">} : () -> ()\n", "!p.v<i8, \"s\">"),
            (
                "\"a.b\"() {k = !p.v<f32, \"s\">} : () -> ()\n",
                "a value of the class 'IntegerType' is expected",
            ),
            ("\"a.b\"() {k = !p.v<i8, 5>} : () -> ()\n", "a value of the class 'StringAttr' is expected"),
            ("\"a.b\"() {k = !p.w<[1, 2] y 5, true>} : () -> ()\n", "y 5 : i64, true>"),
            (
                "\"a.b\"() {k = !p.w<y 5, \"s\">} : () -> ()\n",
                "a value of the class 'IntegerAttr' is expected",
            ),
            ("\"a.b\"() {k = !p.w<[]>} : () -> ()\n", "a value of the parameter 'x' is expected"),
            ("\"a.b\"() {k = !p.w<>} : () -> ()\n", "!p.w<>"),
        ],
    );
}

#[test]
fn an_operation_without_properties_gets_its_defaults() {
    let definitions = r#"
include "mlir/IR/OpBase.td"
def N_Dialect : Dialect { let name = "n"; let cppNamespace = "::n"; let usePropertiesForAttributes = 0; }
def N_O : Op<N_Dialect, "o"> {
  let arguments = (ins DefaultValuedAttr<I64Attr, "1">:$saturate);
  let assemblyFormat = "(`s` $saturate^)? attr-dict";
}
"#;
    check(
        definitions,
        &[
            ("n.o\n", "\"n.o\"() {saturate = 1 : i64} : () -> ()"),
            ("n.o s 2\n", "\"n.o\"() {saturate = 2 : i64} : () -> ()"),
            ("\"n.o\"() {a} : () -> ()\n", "\"n.o\"() {a, saturate = 1 : i64} : () -> ()"),
        ],
    );
    assert!(opt(definitions, "\"n.o\"() : () -> ()\n", &[]).contains("n.o\n"));
}

#[test]
fn old_byte_code_contains_no_properties() {
    let definitions = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/Properties.td"
def B_Dialect : Dialect { let name = "b"; let cppNamespace = "::b"; }
def B_O : Op<B_Dialect, "o"> { let arguments = (ins I64Prop:$p, OptionalAttr<StrAttr>:$s); }
"#;
    let old = ["--emit-bytecode", "--emit-bytecode-version", "4", "-o", "out.mlirbc"];
    let output = opt(definitions, "\"b.o\"() <{p = 3 : i64}> : () -> ()\n", &old);
    assert!(output.contains("cannot write the properties of 'b.o' as byte code"), "{output}");
    let files = Folder::new(&[
        ("My.td", definitions),
        ("in.mlir", "\"b.o\"() <{p = 0 : i64, s = \"x\"}> : () -> ()\n"),
    ]);
    let run = files.run(&[&["opt", "in.mlir", "--dialects", "My.td"], &old[..]].concat());
    assert_eq!(run.stderr, "");
    let run = files.run(&["opt", "out.mlirbc", "--dialects", "My.td", "--generic"]);
    assert!(
        run.stdout.contains("\"b.o\"() <{p = 0 : i64, s = \"x\"}> : () -> ()"),
        "{}{}",
        run.stdout,
        run.stderr
    );
}

/// Formats of attributes with optional parts. The expected results are those of `mlir-opt-22` with a plugin that
/// `mlir-tblgen-22` generates from these definitions.
const GROUPS: &str = r#"
include "mlir/IR/OpBase.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributes.td"
def G : Dialect { let name = "gq"; let cppNamespace = "::gq"; }
class GA<string name, string text, dag params, string format> : AttrDef<G, name> {
  let mnemonic = text;
  let parameters = params;
  let assemblyFormat = format;
}
defvar Int = OptionalParameter<"std::optional<int64_t>">;
defvar Str = OptionalParameter<"::mlir::StringAttr">;
defvar Seven = DefaultValuedParameter<"int64_t", "7">;
def GA_A : GA<"A", "a", (ins "::mlir::StringAttr":$dev, OptionalParameter<"::mlir::DictionaryAttr">:$conf,
  OptionalArrayRefParameter<"::mlir::Attribute">:$more), "`<` $dev (`,` $conf^)? (`,` `[` $more^ `]`)? `>`">;
def GA_B : GA<"B", "b", (ins "int64_t":$x, Int:$y, Int:$z), "`<` params `>`">;
def GA_C : GA<"C", "c", (ins Seven:$x, "int64_t":$y), "`<` params `>`">;
def GA_D : GA<"D", "d", (ins Seven:$x, Str:$y), "`<` struct(params) `>`">;
def GA_F : GA<"F", "f", (ins Int:$x), "`<` ($x^ `y`)? `>`">;
def GA_G : GA<"G", "g", (ins DefaultValuedParameter<"int64_t", "1">:$x), "`<` ($x^ `y`) : (`z`)? `>`">;
def GA_H : GA<"H", "h", (ins Str:$x), "`<` (`none`) : ($x^)? `>`">;
def GA_I : GA<"I", "i", (ins "int64_t":$n), "`<` $n `>`">;
def GA_J : GA<"J", "j", (ins ArrayRefParameter<"::gq::IAttr">:$l, "::gq::IAttr":$o, "::gq::IAttr":$p),
  "`[` qualified($l) `]` qualified($o) `+` $p">;
"#;

fn attribute(text: &str) -> String {
    format!("\"a.b\"() {{k = {text}}} : () -> ()\n")
}

#[test]
fn optional_parts_of_attributes_are_read_as_by_mlir() {
    for (text, expected) in [
        ("a<\"d\", {q}, [i32]>", "a<\"d\", {q}, [i32]>"),
        ("b<1>", "b<1>"),
        ("b<1, 2, 3>", "b<1, 2, 3>"),
        ("b<1, >", "b<1>"),
        ("c<8, 3>", "c<8, 3>"),
        // MLIR reads no comma after a default value.
        ("c<7 3>", "c<3>"),
        ("d<>", "d<>"),
        ("d<y = \"s\", x = 7>", "d<y = \"s\">"),
        ("f<>", "f<>"),
        ("f<0 y>", "f<0 y>"),
        ("g<2 y>", "g<2 y>"),
        // When a text is read, the number 0 counts as absent.
        ("g<0 z>", "g<0 y>"),
        ("h<none>", "h<none>"),
        ("h<\"s\">", "h<\"s\">"),
    ] {
        let output = opt(GROUPS, &attribute(&format!("#gq.{text}")), &["--generic"]);
        assert!(output.contains(&format!("{{k = #gq.{expected}}}")), "{text}\n{output}");
    }
    for text in [
        "a<\"d\", [i32]>",
        "a<\"d\",>",
        "a<\"d\", {q}, []>",
        "b<1 2>",
        "c<7, 3>",
        "c<3>",
        "d<x = 8,>",
        "d<x = 8 y = \"s\">",
        "f<1>",
        "g<>",
        "g<0 y>",
        "h<>",
    ] {
        let output = opt(GROUPS, &attribute(&format!("#gq.{text}")), &["--generic"]);
        assert!(output.contains("error: "), "{text}\n{output}");
    }
}

#[test]
fn qualified_parameters_are_read_with_and_without_their_class() {
    let expected = "#gq<j[#gq.i<1>, #gq.i<2>] #gq.i<3> + <4>>";
    for text in ["j [<1>, #gq.i<2>]<3> + <4>", "j[#gq.i<1>, #gq.i<2>]#gq.i<3> + #gq.i<4>"] {
        check(GROUPS, &[(&attribute(&format!("#gq<{text}>")), expected)]);
    }
}

#[test]
fn an_implicit_terminator_is_found_in_another_file_of_the_dialect() {
    let base =
        "include \"mlir/IR/OpBase.td\"\ndef T : Dialect { let name = \"t\"; let cppNamespace = \"::t\"; }\n";
    let ops = "include \"Base.td\"\ndef Loop : Op<T, \"loop\", [SingleBlockImplicitTerminator<\"Yield\">]> {\n\
        let regions = (region SizedRegion<1>:$r); let assemblyFormat = \"$r attr-dict\"; }\n";
    let ends = "include \"Base.td\"\ndef Yield : Op<T, \"yield\", [Terminator]> { let assemblyFormat = \"attr-dict\"; }\n";
    let text = "t.loop {\n}\n";
    let files = Folder::new(&[("Base.td", base), ("Ops.td", ops), ("Ends.td", ends), ("in.mlir", text)]);
    let run = files.run(&["opt", "in.mlir", "--dialects", "Ops.td", "--dialects", "Ends.td", "--generic"]);
    assert!(run.stdout.contains("\"t.yield\"() : () -> ()"), "{}{}", run.stdout, run.stderr);
    let run = files.run(&["opt", "in.mlir", "--dialects", "Ops.td", "--dialects", "Ends.td"]);
    assert!(run.stdout.contains("t.loop {\n  }"), "{}{}", run.stdout, run.stderr);
    let run = files.run(&["opt", "in.mlir", "--dialects", "Ops.td"]);
    let error = "error: 't.loop' op the region needs a terminator, and no definition of an operation has its C++ class 'Yield'";
    assert!(run.stderr.contains(error), "{}", run.stderr);
}

/// The text of a format can be an argument of a class.
#[test]
fn an_error_in_a_format_is_reported_at_the_argument() {
    let definitions = "include \"mlir/IR/OpBase.td\"\n\
        def T : Dialect { let name = \"t\"; let cppNamespace = \"::t\"; }\n\
        class With<string name, string format> : Op<T, name> { let assemblyFormat = format; }\n\
        class Inner<string format> : With<\"i\", format>;\n\
        def A : With<\"a\", \"attr-dict\">;\n\
        def B : With<\"b\", \"attr-dict $x\">;\n\
        def C : Inner<\"$y attr-dict\">;\n";
    let files = Folder::new(&[("T.td", definitions)]);
    let run = files.run(&["ods", "T.td", "--message-format", "llvm"]);
    for place in ["T.td:6:30: error: ", "T.td:7:16: error: "] {
        assert!(run.stderr.contains(place), "{}", run.stderr);
    }
}
