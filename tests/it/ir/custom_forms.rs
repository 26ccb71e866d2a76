//! Custom forms of small dialects: the texts that `drrvm opt --dialects` prints, and its errors. Unless a test states
//! another source, the expected outputs are those of `mlir-opt-22` with a plugin that `mlir-tblgen-22` generates from
//! the same definitions. The expected errors are in drrvm's words.

use crate::common::command::Folder;
use crate::common::llvm_sources;

const DIALECT: &str = "include \"mlir/IR/OpBase.td\"\ninclude \"mlir/IR/AttrTypeBase.td\"\n\
    include \"mlir/IR/EnumAttr.td\"\ninclude \"mlir/IR/BuiltinAttributes.td\"\n\
    include \"mlir/Interfaces/InferTypeOpInterface.td\"\n\
    def My : Dialect { let name = \"my\"; let cppNamespace = \"::my\"; }\n";

/// Reads each text with the definitions. The second text of a case must be in the output, or in the errors if it starts
/// with `error: `.
fn check(definitions: &str, cases: &[(&str, &str)]) {
    for (text, expected) in cases {
        let files = Folder::new(&[("my.td", &format!("{DIALECT}{definitions}")), ("in.mlir", text)]);
        let run = files.run(&["opt", "in.mlir", "--dialects", "my.td"]);
        let found = if expected.starts_with("error: ") { &run.stderr } else { &run.stdout };
        assert!(found.contains(expected), "{text}\n{}{}", run.stdout, run.stderr);
    }
}

#[test]
fn infer_type_op_interface_does_not_hide_the_inference_of_equal_types() {
    check(
        "def A : Op<My, \"a\", [SameOperandsAndResultType, InferTypeOpInterface]> {\n\
         let arguments = (ins AnyType:$x); let results = (outs AnyType:$r);\n\
         let assemblyFormat = \"$x attr-dict `:` type($x)\"; }",
        &[("%0 = arith.constant 1 : i8\n%1 = my.a %0 : i8", "%0 = my.a %c1_i8 : i8")],
    );
}

#[test]
fn defaults_of_parameters_are_omitted() {
    for (ty, default, value, other) in [
        ("::mlir::Type", "::mlir::IntegerType::get($_ctxt, 32)", "i32", "i64"),
        ("::mlir::Type", "::mlir::Float32Type::get($_ctxt)", "f32", "f64"),
        ("::mlir::StringAttr", "::mlir::StringAttr::get($_ctxt, \\\"x\\\")", "\"x\"", "\"y\""),
        ("::mlir::ArrayAttr", "::mlir::ArrayAttr::get($_ctxt, {})", "[]", "[1]"),
        ("::mlir::BoolAttr", "::mlir::BoolAttr::get($_ctxt, true)", "true", "false"),
        ("::mlir::Attribute", "::mlir::UnitAttr::get($_ctxt)", "unit", "1 : i8"),
        ("::mlir::FlatSymbolRefAttr", "::mlir::FlatSymbolRefAttr::get($_ctxt, \\\"main\\\")", "@main", "@q"),
        ("unsigned", "8u", "8", "9"),
        ("int64_t", "1 << 20", "1048576", "1"),
        ("int64_t", "::mlir::ShapedType::kDynamic", "-9223372036854775808", "1"),
    ] {
        check(
            &format!(
                "def A : AttrDef<My, \"A\"> {{ let mnemonic = \"a\";\n\
                 let parameters = (ins \"int\":$n, DefaultValuedParameter<\"{ty}\", \"{default}\">:$p);\n\
                 let assemblyFormat = \"`<` $n (`,` $p^)? `>`\"; }}"
            ),
            &[
                (&format!("\"my.o\"() {{a = #my.a<1, {value}>}} : () -> ()"), "{a = #my.a<1>}"),
                (
                    &format!("\"my.o\"() {{a = #my.a<1, {other}>}} : () -> ()"),
                    &format!("#my.a<1, {other}")[..],
                ),
            ],
        );
    }
}

#[test]
fn elements_of_integer_lists_are_integers() {
    check(
        "def A : Op<My, \"a\"> { let arguments = (ins DenseI32ArrayAttr:$l); let assemblyFormat = \"$l attr-dict\"; }\n\
         def B : Op<My, \"b\"> { let arguments = (ins DenseBoolArrayAttr:$l); let assemblyFormat = \"$l attr-dict\"; }",
        &[
            ("my.a [1, -2]", "my.a [1, -2]"),
            ("my.a [1, 1.5]", "error: 1.5 is not a value of type 'i32'"),
            ("my.a [\"a\"]", "error: \"a\" is not a value of type 'i32'"),
            ("my.a [2147483648]", "error: integer constant out of range"),
            ("my.b [true, false]", "my.b [true, false]"),
            ("my.b [1.5]", "error: 1.5 is not a value of type 'i1'"),
        ],
    );
}

#[test]
fn results_of_variable_groups_are_named() {
    check(
        "def E : Op<My, \"e\"> { let results = (outs AnyType:$value, Optional<AnyType>:$token);\n\
         let assemblyFormat = \"attr-dict `:` type($value) (`token` type($token)^)?\"; }\n\
         def F : Op<My, \"f\"> { let results = (outs Variadic<AnyType>:$values, Index:$i);\n\
         let assemblyFormat = \"attr-dict (`:` type($values)^)?\"; }",
        &[
            ("%0:2 = my.e : i1 token i2", "%value, %token = my.e : i1 token i2"),
            ("%0 = my.e : i1", "%value = my.e : i1"),
            (
                "%0:3 = my.f : i1, i2\n\"my.u\"(%0#1, %0#2) : (i2, index) -> ()",
                "%values:2, %i = my.f : i1, i2",
            ),
            ("%0:3 = my.f : i1, i2\n\"my.u\"(%0#1, %0#2) : (i2, index) -> ()", "\"my.u\"(%values#1, %i)"),
            ("%0 = my.f", "%i = my.f"),
        ],
    );
}

#[test]
fn an_ods_value_type_does_not_require_a_typed_attribute() {
    check(
        "def A : Op<My, \"a\"> { let arguments = (ins AffineMapAttr:$m); let assemblyFormat = \"$m attr-dict\"; }\n\
         def C : Op<My, \"c\", [AllTypesMatch<[\"value\", \"r\"]>]> { let arguments = (ins TypedAttrInterface:$value);\n\
         let results = (outs AnyType:$r); let assemblyFormat = \"$value attr-dict\"; }",
        &[
            ("my.a affine_map<(d0) -> (d0)>", "my.a #map\n"),
            ("%0 = my.c \"a\"", "%0 = my.c \"a\"\n"),
            ("%0 = my.c 1 : i8", "%0 = my.c 1 : i8\n"),
        ],
    );
}

#[test]
fn aliases_are_identifiers() {
    check(
        "def A : AttrDef<My, \"A\"> { let mnemonic = \"a.b\"; let genMnemonicAlias = 1;\n\
         let parameters = (ins \"int\":$n); let assemblyFormat = \"`<` $n `>`\"; }",
        &[("\"my.o\"() {a = #my.a.b<3>} : () -> ()", "#a2Eb = #my.a.b<3>")],
    );
}

#[test]
fn only_a_string_starts_an_optional_string() {
    check(
        "def B : Op<My, \"b\"> { let arguments = (ins OptionalAttr<StrAttr>:$name, OptionalAttr<ArrayAttr>:$l);\n\
         let assemblyFormat = \"($name^)? ($l^)? attr-dict\"; }",
        &[("my.b [1]", "my.b [1]"), ("my.b \"x\" [1]", "my.b \"x\" [1]"), ("my.b", "my.b\n")],
    );
}

#[test]
fn builtin_attributes_are_of_their_classes() {
    let class = |name: &str| {
        format!(
            "def A : Op<My, \"a\"> {{ let arguments = (ins Attr<CPred<\"::llvm::isa<::mlir::{name}>($_self)\">, \
             \"a {name}\">:$a); }}"
        )
    };
    for (name, yes, no) in [
        ("IntegerSetAttr", "affine_set<(d0) : (d0 >= 0)>", "affine_map<(d0) -> (d0)>"),
        ("StridedLayoutAttr", "strided<[1, ?]>", "[1]"),
        ("SparseElementsAttr", "sparse<0, 1> : tensor<2xi8>", "dense<1> : tensor<2xi8>"),
        ("UnknownLoc", "loc(unknown)", "loc(\"a\")"),
        ("NameLoc", "loc(\"a\")", "loc(\"a\":1:2)"),
        ("CallSiteLoc", "loc(callsite(\"a\" at \"b\"))", "loc(\"a\")"),
        ("FusedLoc", "loc(fused[\"a\", \"b\"])", "loc(unknown)"),
    ] {
        let op = |value: &str| format!("\"my.a\"() {{a = {value}}} : () -> ()");
        let refused = format!("error: 'my.a' op attribute 'a' failed to satisfy constraint: a {name}");
        check(&class(name), &[(&op(yes), "\"my.a\"()"), (&op(no), &refused)]);
    }
}

#[test]
fn the_sizes_of_lists_of_lists_must_fit() {
    check(
        "def A : Op<My, \"a\"> { let arguments = (ins VariadicOfVariadic<AnyType, \"segs\">:$g,\n\
         DenseI32ArrayAttr:$segs); let assemblyFormat = \"$g `:` type($g) attr-dict\"; }",
        &[(
            "%0 = arith.constant 1 : i8\n\"my.a\"(%0) <{segs = array<i32: 2>}> : (i8) -> ()",
            "error: 'my.a' op g count (1) does not match with the total size (2) specified in attribute 'segs'",
        )],
    );
}

#[test]
fn integers_have_the_range_of_their_cxx_type() {
    check(
        "def A : AttrDef<My, \"A\"> { let mnemonic = \"a\"; let parameters = (ins \"int\":$n);\n\
         let assemblyFormat = \"`<` $n `>`\"; }\n\
         def O : Op<My, \"o\"> { let arguments = (ins DenseI8ArrayAttr:$a, DenseBoolArrayAttr:$b);\n\
         let assemblyFormat = \"$a $b attr-dict\"; }",
        &[
            ("\"my.u\"() {a = #my.a<2147483647>} : () -> ()", "#my.a<2147483647>"),
            ("\"my.u\"() {a = #my.a<2147483648>} : () -> ()", "error: "),
            ("my.o [127, -128] []", "my.o [127, -128] []"),
            ("my.o [128] []", "error: "),
            ("my.o [1] [1, 0, true]", "my.o [1] [true, false, true]"),
        ],
    );
}

#[test]
fn groups_of_parameters_nest() {
    check(
        "def A : AttrDef<My, \"A\"> { let mnemonic = \"a\"; let parameters = (ins\n\
         OptionalParameter<\"::mlir::Type\">:$t, DefaultValuedParameter<\"int\", \"3\">:$n);\n\
         let assemblyFormat = \"(`<` $t^ (`,` $n^)? `>`)?\"; }",
        &[
            ("\"my.o\"() {a = #my.a<i3, 3>} : () -> ()", "{a = #my.a<i3>}"),
            ("\"my.o\"() {a = #my.a<i3,4>} : () -> ()", "{a = #my.a<i3, 4>}"),
            ("\"my.o\"() {a = #my.a} : () -> ()", "{a = #my.a}"),
        ],
    );
}

#[test]
fn two_colons_are_two_literals() {
    check(
        "def A : Op<My, \"a\"> { let arguments = (ins StrAttr:$m, StrAttr:$n);\n\
         let assemblyFormat = \"$m `:` `:` $n attr-dict\"; }",
        &[("my.a \"x\"::\"y\"", "my.a \"x\" : : \"y\""), ("my.a \"x\" : : \"y\"", "my.a \"x\" : : \"y\"")],
    );
}

#[test]
fn operands_of_affine_maps_and_sets_are_counted() {
    let constant = "%0 = arith.constant 1 : index\n";
    let set = "affine.if affine_set<(d0)[s0] : (d0 - s0 >= 0)>";
    let map = "affine_map<(d0)[s0] -> (d0 + s0)>";
    let op = |name: &str| {
        format!(
            "def Affine_{name} : Op<Affine, \"{name}\"> {{ let arguments = (ins Variadic<Index>:$xs);\n\
             let results = (outs Variadic<Index>:$r); let regions = (region VariadicRegion<AnyRegion>:$rs);\n\
             let hasCustomAssemblyFormat = 1; }}\n"
        )
    };
    let dialect = "def Affine : Dialect { let name = \"affine\"; let cppNamespace = \"::affine\"; }\n";
    let definitions = format!("{dialect}{}", ["if", "apply", "min"].map(op).concat());
    let cases = [
        (format!("{set}(%0)[%0] {{\n}}"), "affine.if #set(%c1)[%c1] {"),
        (format!("{set}(%0) {{\n}}"), "error: the set takes 2 operands, but 1 is given"),
        (format!("{set}(%0)[%0, %0] {{\n}}"), "error: the set takes 2 operands, but 3 are given"),
        (format!("{set}(%0, %0) {{\n}}"), "error: the set takes 1 dimension, but 2 are given"),
        (format!("affine.if {map}(%0)[%0] {{\n}}"), "error: expected an integer set before the operands"),
        (format!("%1 = affine.apply {map}(%0)"), "error: the map takes 2 operands, but 1 is given"),
        (format!("%1 = affine.apply {map}(%0, %0)"), "error: the map takes 1 dimension, but 2 are given"),
        // For `affine.min`, MLIR compares only the total number of operands.
        (format!("%1 = affine.min {map}(%0, %0)"), "affine.min #map(%c1)[%c1]"),
    ];
    for (text, expected) in cases {
        check(&definitions, &[(&format!("{constant}{text}"), expected)]);
    }
}

#[test]
fn surplus_types_of_operands_are_errors() {
    check(
        "def O : Op<My, \"o\"> { let arguments = (ins AnyType:$t); let results = (outs AnyType:$r);\n\
         let assemblyFormat = \"$t attr-dict `:` custom<SemiFunctionType>(type($t), type($r), \\\"false\\\")\"; }\n\
         def Two : Op<My, \"two\"> { let arguments = (ins AnyType:$t);\n\
         let assemblyFormat = \"$t custom<SequenceOpOperands>(type($t), ref($t)) attr-dict\"; }",
        &[
            ("%0 = arith.constant 1 : i8\n%1 = my.o %0 : (i8) -> i16", "my.o %c1_i8 : (i8) -> i16"),
            (
                "%0 = arith.constant 1 : i8\n%1 = my.o %0 : (i8, i32) -> i16",
                "error: the number of operand types must be 1, not 2",
            ),
            (
                "%0 = arith.constant 1 : i8\nmy.two %0",
                "error: `SequenceOpOperands` takes four arguments, but 2 are given",
            ),
        ],
    );
}

/// The expected results are those of `transform.foreach_match`, except that MLIR prints nested names in custom form,
/// although its parser rejects them.
#[test]
fn symbols_of_matchers_have_no_nested_names() {
    let wanted = "error: expected a symbol name without nested names in the custom form of 'my.o'";
    check(
        "def O : Op<My, \"o\"> { let arguments = (ins ArrayAttr:$m, ArrayAttr:$a);\n\
         let assemblyFormat = \"custom<ForeachMatchSymbols>($m, $a) attr-dict\"; }",
        &[
            ("my.o @a -> @b, @c -> @d", "@a -> @b,\n      @c -> @d\n"),
            ("my.o @a::@b -> @c", wanted),
            ("my.o @a -> @b::@c", wanted),
            ("my.o -> @b", wanted),
            ("my.o 1 -> @b", wanted),
            ("\"my.o\"() <{m = [@a::@b], a = [@c]}> : () -> ()", "\"my.o\"() <{a = [@c], m = [@a::@b]}>"),
        ],
    );
}

#[test]
fn errors_name_what_a_user_wrote() {
    check(
        "def T : TypeDef<My, \"T\"> { let mnemonic = \"t\"; }\n\
         def O : Op<My, \"o\"> { let arguments = (ins Optional<T>:$x); }",
        &[
            ("my.o", "error: operation 'my.o' has no custom form"),
            (
                "%0 = arith.constant 1 : i8\n\"my.o\"(%0) : (i8) -> ()",
                "error: 'my.o' op operand #0 must be T, but got 'i8'",
            ),
        ],
    );
}

#[test]
fn errors_in_a_part_are_reported_at_the_line_in_the_file() {
    let text = "\"my.a\"() : () -> ()\n// -----\n) \"my.b\"() : () -> ()\n";
    let files = Folder::new(&[("in.mlir", text)]);
    let run = files.run(&["opt", "in.mlir", "--split-input-file", "--message-format", "llvm"]);
    assert!(run.stderr.contains("in.mlir:3:1: error:"), "{}", run.stderr);
}

#[test]
fn lists_of_properties_are_read_and_printed() {
    check(
        "include \"mlir/IR/Properties.td\"\n\
         def A : Op<My, \"a\"> { let arguments = (ins IntArrayProp<I64Prop>:$v, ArrayProp<StringProp>:$s);\n\
         let assemblyFormat = \"$v $s attr-dict\"; }",
        &[
            ("my.a [1, -2] [\"x\"]", "my.a [1, -2] [\"x\"]"),
            ("my.a [] []", "my.a [] []"),
            ("\"my.a\"() <{v = array<i64: 1>, s = [\"x\", \"y\"]}> : () -> ()", "my.a [1] [\"x\", \"y\"]"),
        ],
    );
}

#[test]
fn optional_properties_and_lists_of_properties_nest() {
    check(
        "include \"mlir/IR/Properties.td\"\n\
         def K : I32Enum<\"K\", \"\", [I32EnumCase<\"A\", 0, \"a\">, I32EnumCase<\"B\", 1, \"b\">]> {\n\
           let cppNamespace = \"::my\"; }\n\
         def A : Op<My, \"a\"> { let arguments = (ins OptionalProp<I64Prop>:$i, OptionalProp<StringProp>:$s,\n\
             OptionalProp<EnumProp<K>>:$k, OptionalProp<IntArrayProp<I64Prop>>:$l);\n\
           let assemblyFormat = \"($i^)? (`s` $s^)? (`k` $k^)? (`l` $l^)? attr-dict\"; }\n\
         def B : Op<My, \"b\"> { let arguments = (ins OptionalProp<I64Prop, 0>:$i, OptionalProp<UnitProp>:$u,\n\
             ArrayProp<EnumProp<K>>:$k, ArrayProp<ArrayProp<I64Prop>>:$n, ArrayProp<UnitProp>:$v,\n\
             DefaultValuedProp<IntArrayProp<I64Prop>, \"::llvm::ArrayRef<int64_t>{}\",\n\
               \"::llvm::SmallVector<int64_t>{}\">:$d);\n\
           let assemblyFormat = \"$i $u $k $n $v (`d` $d^)? attr-dict\"; }\n\
         def N : Property<\"int64_t\"> { let parser = [{ return parseNumber($_parser, $_storage); }]; }\n\
         def C : Op<My, \"c\"> { let arguments = (ins N:$n); let assemblyFormat = \"$n attr-dict\"; }",
        &[
            ("my.a", "my.a\n"),
            ("my.a 5 s \"x\" k b l [1, 2]", "my.a 5 s \"x\" k b l [1, 2]\n"),
            ("my.a none s none", "my.a\n"),
            ("my.a s \"\" k a l []", "my.a s \"\" k a l []\n"),
            ("\"my.a\"() <{i = [7], k = [1 : i32]}> : () -> ()", "my.a 7 k b\n"),
            ("my.a s 5", "error: expected a string"),
            ("my.b none none [] [] []", "my.b none none [] [] []\n"),
            (
                "my.b some<5> some<unit> [a, b] [[1, 2], []] [unit, unit_absent] d [3]",
                "my.b some<5> some<unit> [a, b] [[1, 2], []] [unit, unit_absent] d [3]\n",
            ),
            ("my.b none none [] [] [] d []", "my.b none none [] [] []\n"),
            ("my.b 5 none [] [] []", "error: expected 'none' or 'some'"),
            ("my.c 5", "error: only C++ code reads property 'n' in the format of 'my.c'"),
        ],
    );
    // A clause of `oilist` can start with `<`, like a list of properties.
    check(
        "def O : Op<My, \"o\"> { let arguments = (ins OptionalAttr<I64Attr>:$a, UnitAttr:$b);\n\
           let assemblyFormat = \"attr-dict oilist(`<` $a `>` | `b` $b)\"; }",
        &[("\"my.o\"() <{a = 5 : i64}> : () -> ()", "my.o<5>\n"), ("my.o<5>", "my.o<5>\n")],
    );
}

/// In MLIR's headers, no field of an `ArrayProp` or `OptionalProp` refers to the property of its elements. drrvm finds
/// this property by its C++ code, which the C++ code of the `ArrayProp` or `OptionalProp` contains. The expected texts
/// are those of `mlir-opt`.
#[test]
fn elements_of_properties_are_found_in_headers_of_mlir() {
    let Some(sources) = llvm_sources() else { return };
    let definitions = format!(
        "{DIALECT}include \"mlir/IR/Properties.td\"\ninclude \"mlir/IR/EnumAttr.td\"\n\
         def K : I32Enum<\"K\", \"\", [I32EnumCase<\"A\", 0, \"a\">, I32EnumCase<\"B\", 1, \"b\">]> {{\n\
           let cppNamespace = \"::my\"; }}\n\
         def N : Property<\"int64_t\"> {{ let parser = [{{ return parseNumber($_parser, $_storage); }}]; }}\n\
         def A : Op<My, \"a\"> {{ let arguments = (ins ArrayProp<UnitProp>:$u, ArrayProp<I64Prop>:$i,\n\
             OptionalProp<EnumProp<K>>:$k, OptionalProp<StringProp>:$s);\n\
           let assemblyFormat = \"$u $i $k $s attr-dict\"; }}\n\
         def B : Op<My, \"b\"> {{ let arguments = (ins OptionalProp<NamedEnumProp<K, \"kk\">>:$k);\n\
           let assemblyFormat = \"$k attr-dict\"; }}\n\
         def D : Op<My, \"d\"> {{ let arguments = (ins OptionalProp<ArrayProp<I64Prop>>:$o,\n\
             ArrayProp<ArrayProp<I64Prop>>:$l, ArrayProp<OptionalProp<UnitProp>>:$u);\n\
           let assemblyFormat = \"$o $l $u attr-dict\"; }}\n\
         def C : Op<My, \"c\"> {{ let arguments = (ins ArrayProp<N>:$n); let assemblyFormat = \"$n attr-dict\"; }}"
    );
    let include = sources.join("mlir/include");
    for (text, expected) in [
        (
            "\"my.a\"() <{u = [unit, true, false], i = [1], k = [1 : i32], s = []}> : () -> ()",
            "my.a [unit, unit, unit_absent] [1] b none\n",
        ),
        ("my.a [unit_absent] [] none \"x\"", "my.a [unit_absent] [] none \"x\"\n"),
        ("my.b kk<b>", "my.b kk<b>\n"),
        ("my.d [1] [[2, 3], []] [none, some<unit>]", "my.d [1] [[2, 3], []] [none, some<unit>]\n"),
        (
            "\"my.d\"() <{o = [[1]], l = [array<i64: 1>], u = []}> : () -> ()",
            "error: invalid property 'l' of 'my.d': expected an array, but got",
        ),
        ("my.c [5]", "error: only C++ code reads property 'n' in the format of 'my.c'"),
    ] {
        let files = Folder::new(&[("my.td", &definitions), ("in.mlir", text)]);
        let include = include.to_str().expect("a path in UTF-8");
        let run = files.run(&["opt", "in.mlir", "--dialects", "my.td", "-I", include]);
        let found = if expected.starts_with("error: ") { &run.stderr } else { &run.stdout };
        assert!(found.contains(expected), "{text}\n{}{}", run.stdout, run.stderr);
    }
}

/// Definitions of operations with inherent attributes that their formats do not contain.
const LISTED: &str = "include \"mlir/IR/Properties.td\"\n\
    def K : I32EnumAttr<\"K\", \"\", [I32EnumAttrCase<\"A\", 0, \"a\">, I32EnumAttrCase<\"B\", 1, \"b\">]> {\n\
      let cppNamespace = \"::my\"; let genSpecializedAttr = 0; }\n\
    def KAttr : EnumAttr<My, K, \"k\"> { let assemblyFormat = \"`<` $value `>`\"; }\n\
    class Lists<string name, string format> : Op<My, name> {\n\
      let arguments = (ins OptionalAttr<I64Attr>:$n, UnitAttr:$u, OptionalAttr<DenseI32ArrayAttr>:$d,\n\
        OptionalAttr<KAttr>:$k, OptionalAttr<StrAttr>:$b, OptionalAttr<SymbolNameAttr>:$s);\n\
      let assemblyFormat = format; }\n\
    def A : Lists<\"a\", \"attr-dict\">;\n\
    def P : Lists<\"p\", \"prop-dict attr-dict\">;\n\
    def S : Lists<\"s\", \"($s^)? attr-dict\">;\n\
    def L : Op<My, \"l\"> { let arguments = (ins OptionalAttr<I64Attr>:$n, K:$k);\n\
      let assemblyFormat = \"attr-dict `<` $k `>`\"; }\n\
    def R : Op<My, \"r\"> { let arguments = (ins OptionalAttr<I64Attr>:$n); let regions = (region AnyRegion:$r);\n\
      let assemblyFormat = \"attr-dict-with-keyword $r\"; }\n";

/// The order, the bare names of unit attributes and the texts of values are those that `iree-opt` and `heir-opt` print
/// for their operations.
#[test]
fn lists_of_properties_have_the_order_and_the_texts_of_the_definition() {
    for op in ["my.a", "my.p"] {
        for (text, expected) in [
            (
                " <b = \"x\", k = <b>, d = [1, 2], u, n = 0x10> {zz}",
                " <n = 16, u, d = [1, 2], k = <b>, b = \"x\"> {zz}",
            ),
            (" <u = unit, s = @f>", " <u, s = @f>"),
            (" <>", ""),
        ] {
            check(LISTED, &[(&format!("{op}{text}"), &format!("  {op}{expected}\n"))]);
        }
        check(LISTED, &[(&format!("{op} <{{n = 3 : i64}}>\n{op} <u>"), &format!("{op} <n = 3>\n"))]);
    }
    check(
        LISTED,
        &[
            ("my.a <zzz = 4>", "error: operation 'my.a' has no property 'zzz'"),
            ("my.a <n = 3,\n zzz = 4>", "error: operation 'my.a' has no property 'zzz'\n --> in.mlir:2:2\n"),
            ("my.a <n = 3, n = 4>", "error: the property 'n' occurs twice"),
            ("my.a <u = false>", "error: expected 'unit'"),
            ("my.a <n>", "error: expected '='"),
            ("my.a <\"n\" = 3>", "error: expected the name of a property"),
            ("my.s @g <s = @h>", "error: the property 's' of 'my.s' is written elsewhere"),
            ("my.s @g <n = 3>", "my.s @g <n = 3>\n"),
            ("my.l <a>", "my.l<a>\n"),
            ("my.l <n = 3> <a>", "my.l <n = 3><a>\n"),
            ("my.r <n = 3> attributes {zz} {\n}", "my.r <n = 3> attributes {zz} {\n"),
            ("my.r <zzz = 3> {\n}", "error: operation 'my.r' has no property 'zzz'"),
        ],
    );
    let flags = |list: &str| {
        format!("func.func @f(%a: i32) {{\n  %0 = arith.addi %a, %a overflow<nsw> {list} : i32\n  return\n}}")
    };
    let error = "error: the property 'overflowFlags' of 'arith.addi' is written elsewhere";
    check(
        "",
        &[
            (&flags("<overflowFlags = #arith.overflow<nuw>>"), error),
            (&flags("<{overflowFlags = #arith.overflow<nuw>}>"), error),
        ],
    );
}

/// A unit property in a list needs no value, like a unit attribute.
#[test]
fn lists_contain_unit_properties_without_value() {
    check(
        "include \"mlir/IR/Properties.td\"\n\
         def U : Op<My, \"u\"> { let arguments = (ins UnitProp:$p, OptionalAttr<I64Attr>:$n);\n\
         let assemblyFormat = \"attr-dict\"; }",
        &[
            ("my.u <p, n = 3>", "my.u <n = 3, p>\n"),
            ("my.u <p = unit>", "my.u <p>\n"),
            ("my.u <p = unit_absent, n = 3>", "my.u <n = 3>\n"),
        ],
    );
}

/// `<>` is an empty list unless the text after `attr-dict` can start with `<`. The text of a C++ directive can start
/// with `<`. If the module contains other lists of properties, however, `<>` is always a list, because a version of
/// MLIR that prints such lists always reads `<>` as a list.
#[test]
fn lists_of_properties_can_be_empty() {
    check(
        "def T : TypeDef<My, \"T\"> { let mnemonic = \"t\"; let parameters = (ins\n\
           OptionalParameter<\"std::optional<int64_t>\">:$t); let assemblyFormat = \"`<` ($t^)? `>`\"; }\n\
         def E : Op<My, \"e\"> { let arguments = (ins Optional<AnyType>:$o, OptionalAttr<I64Attr>:$n);\n\
           let assemblyFormat = \"attr-dict ($o^ `:` type($o))?\"; }\n\
         def S : Op<My, \"s\"> { let arguments = (ins OptionalAttr<I64Attr>:$n); let results = (outs T:$t);\n\
           let assemblyFormat = \"attr-dict type($t)\"; }\n\
         def C : Op<My, \"c\"> {\n\
           let arguments = (ins Variadic<Index>:$d, DenseI64ArrayAttr:$s, OptionalAttr<I64Attr>:$n);\n\
           let assemblyFormat = \"attr-dict custom<DynamicIndexList>($d, $s)\"; }",
        &[
            ("%0 = arith.constant 1 : i8\nmy.e <> %0 : i8", "my.e %c1_i8 : i8\n"),
            ("my.e <>", "my.e\n"),
            ("%0 = my.s <>", "my.s <>\n"),
            ("%0 = my.s <n = 3> <8>", "my.s <n = 3> <8>\n"),
            ("my.c <n = 3> [1]\nmy.c <> [2]", "my.c <n = 3> [1]\n  my.c [2]\n"),
        ],
    );
}

/// The expected outputs are those of `mlir-opt-22`, with one exception: the custom form of `my.p` cannot express a
/// property `c` other than 0. `mlir-opt-22` loses this property; drrvm prints the operation in generic form.
#[test]
fn dictionaries_of_attributes_contain_no_properties() {
    let definitions = "include \"mlir/IR/Properties.td\"\n\
         def U : Op<My, \"u\"> { let arguments = (ins UnitProp:$u, OptionalAttr<I64Attr>:$n);\n\
           let assemblyFormat = \"(`unit` $u^)? attr-dict\"; }\n\
         def P : Op<My, \"p\"> { let arguments = (ins I64Prop:$c, OptionalAttr<I64Attr>:$n);\n\
           let assemblyFormat = \"attr-dict\"; }";
    check(
        definitions,
        &[
            ("my.u unit {u}", "my.u unit {u}\n"),
            ("my.u {u, n = 3 : i64}", "my.u {n = 3 : i64, u}\n"),
            ("\"my.u\"() {u} : () -> ()", "my.u {u}\n"),
            ("\"my.u\"() <{u}> : () -> ()", "my.u unit\n"),
            ("my.p {c = 4 : i64}", "my.p {c = 4 : i64}\n"),
            ("\"my.p\"() <{c = 0 : i64}> {c} : () -> ()", "my.p {c}\n"),
            ("\"my.p\"() <{c = 4 : i64}> : () -> ()", "\"my.p\"() <{c = 4 : i64}> : () -> ()\n"),
            (
                "\"my.p\"() <5 : i8> : () -> ()",
                "error: invalid properties 5 : i8 for op my.p: expected a dictionary",
            ),
        ],
    );
    let files =
        Folder::new(&[("my.td", &format!("{DIALECT}{definitions}")), ("in.mlir", "my.p {c = 4 : i64}")]);
    let run = files.run(&["opt", "in.mlir", "--dialects", "my.td", "--mlir-print-op-generic"]);
    assert!(run.stdout.contains("\"my.p\"() <{c = 0 : i64}> {c = 4 : i64} : () -> ()\n"), "{}", run.stdout);
}

#[test]
fn lists_of_properties_repeat_no_name() {
    check(
        LISTED,
        &[
            ("my.p <n = 3> <n = 4>", "error: the property 'n' occurs twice"),
            ("my.p <n = 3> <{n = 4 : i64}>", "error: the property 'n' occurs twice"),
            ("my.p <{n = 3 : i64}> <n = 4>", "error: the property 'n' occurs twice"),
            ("my.p <n = 3> <u> {zz}", "my.p <n = 3, u> {zz}\n"),
            ("my.a <n = 3> {n = 4 : i64}", "error: attribute 'n' of 'my.a' occurs more than once"),
            ("my.a <{n = 3 : i64}> {n = 4 : i64}", "error: attribute 'n' of 'my.a' occurs more than once"),
            ("my.p <{n = 3 : i64}> {n = 4 : i64}", "error: attribute 'n' of 'my.p' occurs more than once"),
            ("my.s @g <{s = \"h\"}>", "error: the property 's' of 'my.s' is written elsewhere"),
        ],
    );
}

/// A dictionary `<{…}>` at `attr-dict` shows that the text separates inherent attributes from discardable attributes.
/// At `prop-dict`, MLIR 22 prints such a dictionary as well, so it is printed as it was written.
#[test]
fn dictionaries_of_properties_at_attr_dict_are_printed_as_lists() {
    check(
        LISTED,
        &[
            ("my.a <{n = 3 : i64}>", "my.a <n = 3>\n"),
            ("my.p <{n = 3 : i64}>", "my.p <{n = 3 : i64}>\n"),
            ("my.a {n = 3 : i64}", "my.a {n = 3 : i64}\n"),
        ],
    );
}

#[test]
fn lists_of_properties_contain_all_inherent_attributes() {
    let sizes = "my.g %0, %0 <n = 3, operandSegmentSizes = array<i32: 1, 1>> : i32, i32\n";
    let text = |op: &str| format!("%0 = arith.constant 1 : i32\n{op}\nmy.a <u>");
    check(
        &format!(
            "{LISTED}def G : Op<My, \"g\", [AttrSizedOperandSegments]> {{\n\
             let arguments = (ins Variadic<AnyType>:$a, Variadic<AnyType>:$b, OptionalAttr<I64Attr>:$n);\n\
             let assemblyFormat = \"operands attr-dict `:` type(operands)\"; }}"
        ),
        &[
            (
                &text("my.g %0, %0 <n = 3> {operandSegmentSizes = array<i32: 1, 1>} : i32, i32"),
                &sizes.replace("%0", "%c1_i32"),
            ),
            (&text(sizes), &sizes.replace("%0", "%c1_i32")),
            (
                &text(
                    "\"my.g\"(%0, %0) <{n = 3 : i64, operandSegmentSizes = array<i32: 1, 1>}> : (i32, i32) -> ()",
                ),
                &sizes.replace("%0", "%c1_i32"),
            ),
        ],
    );
    // A list cannot state the wrong value of a unit attribute, so the operation is printed in generic form.
    let text = "\"my.a\"() <{u = 1 : i32}> : () -> ()\nmy.a <n = 3>";
    let expected = "\"my.a\"() <{u = 1 : i32}> : () -> ()\n";
    let files = Folder::new(&[("my.td", &format!("{DIALECT}{LISTED}")), ("in.mlir", text)]);
    let unverified = "--mlir-very-unsafe-disable-verifier-on-parsing";
    let run = files.run(&["opt", "in.mlir", "--dialects", "my.td", unverified]);
    assert!(run.stdout.contains(expected), "{}{}", run.stdout, run.stderr);
}

#[test]
fn long_dictionaries_are_read_quickly() {
    let entries: Vec<String> = (0..300_000).map(|number| format!("a{number}")).collect();
    let start = std::time::Instant::now();
    check(
        LISTED,
        &[
            (&format!("my.a {{{}}}", entries.join(", ")), "a299999"),
            (&format!("my.a <{}>", entries.join(", ")), "error: operation 'my.a' has no property 'a0'"),
            (&format!("func.func private @f() attributes {{{}}}", entries.join(", ")), "a299999"),
        ],
    );
    let entries = &entries[..100_000];
    let more: Vec<String> = (0..100_000).map(|number| format!("b{number}")).collect();
    let generic = format!(
        "func.func @f(%a: memref<4xf32>) {{\n  linalg.generic {{indexing_maps = [affine_map<(d0) -> (d0)>], \
         iterator_types = [\"parallel\"], {}}} outs(%a : memref<4xf32>) attrs = {{{}}} {{\n  ^bb0(%x: f32):\n    \
         linalg.yield %x : f32\n  }}\n  return\n}}",
        entries.join(", "),
        more.join(", "),
    );
    check("", &[(&generic, "b99999")]);
    assert!(start.elapsed().as_secs() < 30, "{:?}", start.elapsed());
}

/// The time is linear: the reader finds the end of each text once, and after the error at the limit it does not read
/// the text in another way.
#[test]
fn deeply_nested_texts_of_registered_forms_are_refused_at_the_limit() {
    let text = format!(
        "\"a.b\"() {{k = {}1{}}} : () -> ()",
        "#dlti.map<\"a\" = ".repeat(20_000),
        ">".repeat(20_000)
    );
    check(
        "def Dlti : Dialect { let name = \"dlti\"; let cppNamespace = \"::mlir::dlti\"; }\n\
         def Map : AttrDef<Dlti, \"Map\"> { let mnemonic = \"map\"; let hasCustomAssemblyFormat = 1; }",
        &[(&text, "error: nesting is deeper than the limit of 400 levels\n --> in.mlir:1:6398\n")],
    );
}

#[test]
fn inferred_types_are_not_guessed() {
    check(
        "class Inferring<string name, list<Trait> traits> : Op<My, name,\n\
           !listconcat([DeclareOpInterfaceMethods<InferTypeOpInterface>], traits)> {\n\
           let arguments = (ins Optional<AnyType>:$a); let results = (outs AnyType:$r);\n\
           let assemblyFormat = \"($a^ `:` type($a))? attr-dict\"; }\n\
         def A : Inferring<\"a\", [TypesMatchWith<\"\", \"a\", \"r\", \"$_self\", \"isCompatibleType\">]>;\n\
         def B : Inferring<\"b\", [TypesMatchWith<\"\", \"a\", \"r\", \"$_self\", \"!getA() || std::equal_to<>()\">]>;\n\
         def C : Inferring<\"c\", [TypesMatchWith<\"\", \"a\", \"r\", \"$_self\">]>;\n\
         def D : Inferring<\"d\", [TypesMatchWith<\"\", \"a\", \"r\", \"$_self\", \"!getX() || std::equal_to<>()\">]>;\n\
         def E : Inferring<\"e\", [TypesMatchWith<\"\", \"a\", \"r\", \"$_self\", \"isCompatibleType\">,\n\
           AllTypesMatch<[\"a\", \"r\"]>]>;\n\
         def F : Inferring<\"f\", [AllTypesMatch<[\"a\", \"r\"]>,\n\
           TypesMatchWith<\"\", \"a\", \"r\", \"IntegerType::get($_self.getContext(), 1)\", \"isCompatibleType\">]>;\n",
        &[
            ("%0 = arith.constant 1 : i8\n%1 = my.a %0 : i8", "error: the type of 'r' of 'my.a' is unknown"),
            ("%0 = arith.constant 1 : i8\n%1 = my.b %0 : i8", "my.b %c1_i8 : i8"),
            (
                "%0 = my.b",
                "error: the type of 'r' of 'my.b' is unknown: the value that determines it is absent",
            ),
            ("%0 = arith.constant 1 : i8\n%1 = my.c %0 : i8", "my.c %c1_i8 : i8"),
            ("%0 = arith.constant 1 : i8\n%1 = my.d %0 : i8", "error: the type of 'r' of 'my.d' is unknown"),
            (
                "%0 = arith.constant 1 : i8\n%1 = my.e %0 : i8\n%2 = arith.addi %0, %1 : i8",
                "my.e %c1_i8 : i8",
            ),
            (
                "%0 = arith.constant 1 : i8\n%1 = my.f %0 : i8\n%2 = arith.addi %0, %1 : i8",
                "my.f %c1_i8 : i8",
            ),
        ],
    );
}

#[test]
fn memory_attributions_keep_their_attributes() {
    check(
        "def Gpu : Dialect { let name = \"gpu\"; let cppNamespace = \"::gpu\"; }\n",
        &[(
            "gpu.func @g(%a: i32) workgroup(%b: memref<4xf32, 3> {a.b}, %c : memref<4xf32, 3>) private(%d : \
                 memref<1xf32, 5> {llvm.align = 4 : i64}) {\n  \"gpu.return\"() : () -> ()\n}",
            "gpu.func @g(%arg0: i32) workgroup(%arg1 : memref<4xf32, 3> {a.b}, %arg2 : memref<4xf32, 3>) \
                 private(%arg3 : memref<1xf32, 5> {llvm.align = 4 : i64}) {",
        )],
    );
}

#[test]
fn flags_of_openmp_can_be_empty() {
    check(
        "def Omp : Dialect { let name = \"omp\"; let cppNamespace = \"::omp\"; }\n\
         def Flags : I64BitEnumAttr<\"F\", \"\", [I64BitEnumAttrCaseNone<\"none\">,\n\
           I64BitEnumAttrCaseBit<\"to\", 0>, I64BitEnumAttrCaseBit<\"from\", 1>]> {\n\
           let separator = \"|\"; let genSpecializedAttr = 0; let cppNamespace = \"::omp\"; }\n\
         def FlagsAttr : EnumAttr<Omp, Flags, \"clause_map_flags\"> { let assemblyFormat = \"$value\"; }\n\
         def A : Op<My, \"a\"> { let arguments = (ins FlagsAttr:$f);\n\
         let assemblyFormat = \"`(` custom<MapClause>($f) `)` attr-dict\"; }",
        &[
            ("my.a(none)", "my.a(none)"),
            ("my.a(from, to)", "my.a(tofrom)"),
            ("\"my.a\"() <{f = #omp<clause_map_flags none>}> : () -> ()", "my.a(none)"),
        ],
    );
}

/// The expected outputs are those of `mlir-opt-22`, except the maps of `linalg.conv_1d`, which `mlir-opt-22` computes.
#[test]
fn attributes_can_be_in_the_first_or_the_second_dictionary_of_a_form() {
    let maps = "indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>]";
    let iterators = "iterator_types = [\"reduction\"]";
    let types = "vector<4xi32>, vector<4xi32> into i32";
    let contract = |first: &str, second: &str| {
        format!(
            "func.func @f(%x: vector<4xi32>, %a: i32) {{\n  %0 = vector.contract {{{first}}} %x, %x, %a {{{second}}} : \
             {types}\n  return\n}}"
        )
    };
    let printed =
        |kind: &str| format!(", {iterators}, kind = #vector.kind<{kind}>}} %arg0, %arg0, %arg1 : {types}\n");
    check(
        "",
        &[
            (&contract(&format!("{maps}, {iterators}"), "kind = #vector.kind<xor>"), &printed("xor")),
            (&contract(maps, iterators), &printed("add")),
            (
                &contract(
                    &format!("{maps}, {iterators}, kind = #vector.kind<or>"),
                    "kind = #vector.kind<xor>",
                ),
                "error: attribute 'kind' of 'vector.contract' occurs more than once",
            ),
            (
                "func.func @g(%x: memref<?xf32>) {\n  linalg.conv_1d {linalg.memoized_indexing_maps = []} \
                 ins(%x, %x : memref<?xf32>, memref<?xf32>) outs(%x : memref<?xf32>)\n  return\n}",
                "linalg.conv_1d ins(%arg0, %arg0 : memref<?xf32>, memref<?xf32>) outs(%arg0 : memref<?xf32>)\n",
            ),
        ],
    );
}

/// The expected outputs are those of `mlir-opt-22`.
#[test]
fn spirv_constants_state_their_type_once() {
    for constant in [
        "dense<1> : !spirv.arm.tensor<2xi32>",
        "dense<1> : tensor<2xi32> : !spirv.array<2 x i32>",
        "[1 : i32] : !spirv.array<1 x i32>",
        "dense<1> : vector<2xi32>",
    ] {
        let constant = format!("spirv.Constant {constant}\n");
        let text =
            format!("spirv.func @g() \"None\" {{\n  %0 = {constant}  \"spirv.Return\"() : () -> ()\n}}");
        check("", &[(&text, &constant)]);
    }
}

/// The expected outputs are those of `mlir-opt-22`.
#[test]
fn parts_of_spirv_composites_have_their_own_strides_and_decorations() {
    let array = "!spirv.array<4 x f32, stride=4>";
    let inner = "!spirv.struct<(f32 [0], i32 [4, NonWritable])>";
    for (composite, index, part) in [
        (format!("!spirv.array<2 x {array}, stride=16>"), 0, array),
        (format!("!spirv.rtarray<{array}, stride=16>"), 3, array),
        (format!("!spirv.rtarray<{array}>"), 0, array),
        (format!("!spirv.struct<({inner} [0], i32 [8])>"), 0, inner),
        (format!("!spirv.struct<({inner} [0], i32 [8])>"), 1, "i32"),
        (format!("!spirv.struct<s, (i8, {array}), Block>"), 1, array),
    ] {
        check(
            "",
            &[(
                &format!(
                    "%0 = \"x.c\"() : () -> {composite}\n\
                     %1 = spirv.CompositeExtract %0[{index} : i32] : {composite}\n\"x.d\"(%1) : ({part}) -> ()"
                ),
                &format!("  %1 = spirv.CompositeExtract %0[{index} : i32] : {composite}\n"),
            )],
        );
    }
}

/// The expected outputs are those of `mlir-opt-22`.
#[test]
fn spirv_variables_keep_an_incomplete_binding() {
    let cases = ["{descriptor_set = 1 : i32}", "{binding = 2 : i32}", "bind(1, 2)"];
    for decorations in cases {
        let variable = format!("spirv.GlobalVariable @v {decorations} : !spirv.ptr<f32, Uniform>\n");
        check("", &[(&format!("spirv.module Logical GLSL450 {{\n{variable}}}"), &variable)]);
    }
}

/// The expected outputs are those of `mlir-opt-22`.
#[test]
fn deallocation_has_a_result_for_each_retained_value() {
    let function = |body: &str| {
        format!("func.func @f(%a: memref<2xf32>, %c: i1, %r: memref<?xf32>) {{\n  {body}\n  return\n}}")
    };
    check(
        "def Bufferization : Dialect { let name = \"bufferization\"; let cppNamespace = \"::bufferization\"; }\n\
         def D : Op<Bufferization, \"dealloc\",\n\
           [AttrSizedOperandSegments, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {\n\
           let arguments = (ins Variadic<AnyType>:$m, Variadic<I1>:$c, Variadic<AnyType>:$r);\n\
           let results = (outs Variadic<I1>:$u);\n\
           let assemblyFormat = \"(` ``(` $m^ `:` type($m) `)` `if` ` ` `(` $c `)` )? \
             (`retain` ` ` `(` $r^ `:` type($r) `)` )? attr-dict\"; }",
        &[
            (
                &function(
                    "%0 = bufferization.dealloc (%a : memref<2xf32>) if (%c) retain (%r : memref<?xf32>)",
                ),
                "%0 = bufferization.dealloc (%arg0 : memref<2xf32>) if (%arg1) retain (%arg2 : memref<?xf32>)\n",
            ),
            (
                &function("%0:2 = bufferization.dealloc retain (%r, %r : memref<?xf32>, memref<?xf32>)"),
                "%0:2 = bufferization.dealloc retain (%arg2, %arg2 : memref<?xf32>, memref<?xf32>)\n",
            ),
            (
                &function("bufferization.dealloc (%a : memref<2xf32>) if (%c)"),
                "  bufferization.dealloc (%arg0 : memref<2xf32>) if (%arg1)\n",
            ),
        ],
    );
}

/// If the text of an optional attribute can be empty, an absent text does not stand for the attribute.
#[test]
fn an_empty_text_is_no_optional_attribute() {
    check(
        "def A : AttrDef<My, \"A\"> { let mnemonic = \"a\"; let parameters = (ins OptionalParameter<\"Type\">:$t);\n\
           let assemblyFormat = \"(`<` $t^ `>`)?\"; }\n\
         def O : Op<My, \"o\"> { let arguments = (ins OptionalAttr<A>:$a); let assemblyFormat = \"($a^)? attr-dict\"; }",
        &[("my.o", "my.o\n"), ("my.o <i8>", "my.o <i8>\n"), ("my.o #my.a", "my.o #my.a\n")],
    );
}

/// In custom form, attributes that are written before a region get their aliases before the attributes in the region.
/// The expected outputs are those of `mlir-opt-22`.
#[test]
fn aliases_are_numbered_in_the_order_of_the_text() {
    let generic = "linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = [\"parallel\"]} \
        outs(%a : memref<4xf32>) {\n  ^bb0(%x: f32):\n    %0 = affine.apply affine_map<(d0) -> (d0 + 1)>(%i)\n    \
        linalg.yield %x : f32\n  }";
    let inner = "affine.for %k = affine_map<(d0) -> (d0 + 2)>(%i) to 9 {\n }";
    check(
        "def B : Op<My, \"b\"> { let arguments = (ins AffineMapAttr:$m, AffineMapAttr:$n);\n\
           let regions = (region AnyRegion:$r); let assemblyFormat = \"$n $r $m attr-dict\"; }",
        &[
            (
                &format!("func.func @f(%a: memref<4xf32>, %i: index) {{\n  {generic}\n  return\n}}"),
                "#map = affine_map<(d0) -> (d0)>\n#map1 = affine_map<(d0) -> (d0 + 1)>\n",
            ),
            (
                &format!(
                    "func.func @f(%i: index) {{\n  affine.for %j = affine_map<(d0) -> (d0 + 1)>(%i) to 9 {{\n  \
                     {inner}\n  }}\n  return\n}}"
                ),
                "#map = affine_map<(d0) -> (d0 + 1)>\n#map1 = affine_map<(d0) -> (d0 + 2)>\n",
            ),
            (
                "my.b affine_map<() -> (1)> {\n  \"x.x\"() {a = affine_map<() -> (2)>} : () -> ()\n} \
                 affine_map<() -> (3)>",
                "#map = affine_map<() -> (1)>\n#map1 = affine_map<() -> (2)>\n#map2 = affine_map<() -> (3)>\n",
            ),
            (
                "\"x.y\"() ({\n  \"x.x\"() {a = affine_map<() -> (2)>} : () -> ()\n}) {a = affine_map<() -> (1)>} : \
                 () -> ()",
                "#map = affine_map<() -> (2)>\n#map1 = affine_map<() -> (1)>\n",
            ),
        ],
    );
}

/// The expected output is that of `mlir-opt-22`.
#[test]
fn elements_of_tensor_like_dialect_types_are_printed_as_in_tensors() {
    check(
        "",
        &[(
            "\"x.a\"() {a = dense<2.0> : !spirv.arm.tensor<2x3xf32>, b = dense<[1, 0x2]> : !emitc.array<2xi8>, \
             c = dense<[1, 0x2]> : !x.y<z>} : () -> ()",
            "\"x.a\"() {a = dense<2.000000e+00> : !spirv.arm.tensor<2x3xf32>, b = dense<[1, 2]> : \
             !emitc.array<2xi8>, c = dense<[1, 0x2]> : !x.y<z>} : () -> ()",
        )],
    );
    // The type of the elements contains a colon.
    let text = "\"x.a\"() {a = dense<[\"p\", \"q\"]> : !x.t<2x!x.f<i32 : i64>>} : () -> ()";
    check("", &[(text, text)]);
}

/// The expected outputs are those of `mlir-opt-22`.
#[test]
fn transfers_of_a_single_element_state_their_map() {
    let read = |attributes: &str| {
        format!(
            "func.func @f(%t: tensor<f32>, %x: f32) {{\n  %0 = vector.transfer_read %t[], %x{attributes} : tensor<f32>, \
             vector<1xf32>\n  return\n}}"
        )
    };
    let map = " {permutation_map = affine_map<() -> (0)>}";
    check(
        "",
        &[
            (&read(""), "error: these types have no default for the attribute 'permutation_map'"),
            (&read(map), "%arg0[], %arg1 {permutation_map = #map} : tensor<f32>"),
        ],
    );
}
