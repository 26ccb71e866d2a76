"builtin.module"() ({
  "hw.type_scope"() ({
    "hw.typedecl"() {sym_name = "byte", type = i8} : () -> ()
    "hw.typedecl"() {sym_name = "pair", type = !hw.struct<a: i8, b: !hw.array<2xi1>>, verilogName = "pair_t"} : () -> ()
  }) {sym_name = "types"} : () -> ()
  "hw.module.extern"() ({
  }) {module_type = !hw.modty<input a : i8, input b : i1, output o : i8, output p : i2>, parameters = [#hw.param.decl<"w": i32> : i32, #hw.param.decl<"s": none>, #hw.param.decl<"v": i4 = 2> : i4], sym_name = "ext", verilogName = "x"} : () -> ()
  "hw.module.extern"() ({
  }) {module_type = !hw.modty<input a : !hw.int<#hw.param.decl.ref<"n">>, input b : !hw.array<#hw.param.decl.ref<"w">xi8>, output "c d" : !hw.uarray<2xuarray<3xi8>>, inout z : i3>, parameters = [#hw.param.decl<"n": i32> : i32], sym_name = "sized"} : () -> ()
  "hw.generator.schema"() {descriptor = "Fifo", requiredAttrs = ["depth"], sym_name = "fifo"} : () -> ()
  "hw.module.generated"() ({
  }) {depth = 3 : i8, generatorKind = @fifo, module_type = !hw.modty<input a : i8, output b : i1>, parameters = [], sym_name = "g"} : () -> ()
  "hw.module.extern"() ({
  }) {module_type = !hw.modty<>, parameters = [], sym_name = "none"} : () -> ()
  "hw.hierpath"() {namepath = [#hw.innerNameRef<@top::@inst>, @ext], sym_name = "path", sym_visibility = "private"} : () -> ()
  "hw.module"() ({
  ^bb0(%arg0: i8, %arg1: i1, %arg2: i4, %arg3: !hw.array<4xi8>, %arg4: !hw.struct<a: i8, "b c": !hw.array<2xi1>>, %arg5: !hw.union<x: i8, y: i7 offset 1>, %arg6: i2, %arg7: !hw.enum<A, B>, %arg8: !hw.typealias<@types::@pair, !hw.struct<a: i8, b: !hw.array<2xi1>>>, %arg9: !seq.clock, %arg10: !hw.inout<array<3xi4>>, %arg11: i1):
    %0 = "hw.constant"() {value = 1 : i4} : () -> i4
    %1 = "hw.constant"() {value = true} : () -> i1
    %2 = "hw.constant"() {sv.namehint = "hint", value = -1 : i4} : () -> i4
    %3 = "hw.constant"() {value = 0 : i0} : () -> i0
    %4 = "hw.param.value"() {value = #hw.param.decl.ref<"x"> : i32} : () -> i32
    %5 = "hw.param.value"() {value = #hw.param.expr.add<#hw.param.decl.ref<"x">, 1> : i32, z} : () -> i32
    %6:2 = "hw.instance"(%arg0, %arg11) {argNames = ["a", "b"], instanceName = "plain", moduleName = @ext, parameters = [#hw.param.decl<"w": i32 = 3> : i32, #hw.param.decl<"s": none = "st">, #hw.param.decl<"v": i4 = 2> : i4], resultNames = ["o", "p"]} : (i8, i1) -> (i8, i2)
    %7:2 = "hw.instance"(%arg0, %arg11) {argNames = ["a", "b"], doNotPrint, inner_sym = #hw<innerSym@inst>, instanceName = "named one", moduleName = @ext, parameters = [#hw.param.decl<"w": i32 = #hw.param.decl.ref<"x">> : i32, #hw.param.decl<"s": none = "">, #hw.param.decl<"v": i4 = -1> : i4], resultNames = ["o", "p"], x = #hw<innerSym[<@e,1,private>, <@f,2,public>]>} : (i8, i1) -> (i8, i2)
    %8 = "hw.array_create"(%arg0, %arg0) {z} : (i8, i8) -> !hw.array<2xi8>
    %9 = "hw.array_get"(%arg3, %arg6) : (!hw.array<4xi8>, i2) -> i8
    %10 = "hw.array_slice"(%arg3, %arg6) : (!hw.array<4xi8>, i2) -> !hw.array<2xi8>
    %11 = "hw.array_concat"(%arg3, %8) : (!hw.array<4xi8>, !hw.array<2xi8>) -> !hw.array<6xi8>
    %12 = "hw.struct_extract"(%arg4) {fieldIndex = 0 : i32} : (!hw.struct<a: i8, "b c": !hw.array<2xi1>>) -> i8
    %13 = "hw.struct_inject"(%arg4, %arg0) {fieldIndex = 0 : i32, z} : (!hw.struct<a: i8, "b c": !hw.array<2xi1>>, i8) -> !hw.struct<a: i8, "b c": !hw.array<2xi1>>
    %14:2 = "hw.struct_explode"(%arg4) : (!hw.struct<a: i8, "b c": !hw.array<2xi1>>) -> (i8, !hw.array<2xi1>)
    %15 = "hw.struct_create"(%14#0, %14#1) {z} : (i8, !hw.array<2xi1>) -> !hw.struct<a: i8, "b c": !hw.array<2xi1>>
    %16 = "hw.struct_extract"(%arg8) {fieldIndex = 1 : i32} : (!hw.typealias<@types::@pair, !hw.struct<a: i8, b: !hw.array<2xi1>>>) -> !hw.array<2xi1>
    %17 = "hw.union_create"(%arg0) {fieldIndex = 0 : i32} : (i8) -> !hw.union<x: i8, y: i7 offset 1>
    %18 = "hw.union_extract"(%17) {fieldIndex = 1 : i32, z} : (!hw.union<x: i8, y: i7 offset 1>) -> i7
    %19 = "hw.enum.constant"() {field = #hw.enum.field<A, !hw.enum<A, B>>} : () -> !hw.enum<A, B>
    %20 = "hw.enum.cmp"(%arg7, %19) : (!hw.enum<A, B>, !hw.enum<A, B>) -> i1
    %21 = "hw.bitcast"(%arg3) : (!hw.array<4xi8>) -> i32
    %22 = "hw.aggregate_constant"() {fields = [1 : i8, 2 : i8]} : () -> !hw.array<2xi8>
    %23 = "hw.aggregate_constant"() {fields = [1 : i8, [true, false]], z} : () -> !hw.struct<a: i8, b: !hw.array<2xi1>>
    %24 = "hw.aggregate_constant"() {fields = [[1 : i8], [2 : i8]]} : () -> !hw.array<2xarray<1xi8>>
    %25 = "hw.array_get"(%24, %arg11) : (!hw.array<2xarray<1xi8>>, i1) -> !hw.array<1xi8>
    %26 = "hw.wire"(%arg0) {name = "w"} : (i8) -> i8
    %27 = "hw.wire"(%arg0) {inner_sym = #hw<innerSym@s>, name = "foo"} : (i8) -> i8
    %28 = "hw.wire"(%arg0) {name = "v16", z} : (i8) -> i8
    %29 = "hw.wire"(%arg0) {name = "foo"} : (i8) -> i8
    %30 = "comb.add"(%arg0, %arg0) <{twoState}> : (i8, i8) -> i8
    %31 = "comb.icmp"(%arg0, %30) <{predicate = 2 : i64, twoState}> {z} : (i8, i8) -> i1
    %32 = "comb.extract"(%arg0) <{lowBit = 3 : i32}> : (i8) -> i2
    %33 = "comb.concat"(%arg0, %arg6, %3) {z} : (i8, i2, i0) -> i10
    %34 = "comb.mux"(%arg11, %arg3, %arg3) <{twoState}> : (i1, !hw.array<4xi8>, !hw.array<4xi8>) -> !hw.array<4xi8>
    %35 = "comb.replicate"(%arg6) : (i2) -> i6
    %36 = "comb.truth_table"(%arg11, %1) <{lookupTable = [false, true, true, false]}> : (i1, i1) -> i1
    %37 = "comb.parity"(%arg0) : (i8) -> i1
    %38 = "seq.compreg"(%38, %arg9) <{name = "r0", operandSegmentSizes = array<i32: 1, 1, 0, 0, 0>}> : (i8, !seq.clock) -> i8
    %39 = "seq.compreg"(%arg0, %arg9, %arg11, %38) <{inner_sym = #hw<innerSym@r>, name = "r1", operandSegmentSizes = array<i32: 1, 1, 1, 1, 0>}> {z} : (i8, !seq.clock, i1, i8) -> i8
    %40 = "seq.compreg"(%arg0, %arg9, %38) <{name = "r0", operandSegmentSizes = array<i32: 1, 1, 0, 0, 1>}> : (i8, !seq.clock, i8) -> i8
    %41 = "seq.compreg.ce"(%arg0, %arg9, %arg11, %arg11, %38, %39) <{name = "v25", operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1>}> : (i8, !seq.clock, i1, i1, i8, i8) -> i8
    %42 = "seq.firreg"(%arg0, %arg9) <{name = "f1"}> : (i8, !seq.clock) -> i8
    %43 = "seq.firreg"(%arg0, %arg9, %arg11, %38) <{inner_sym = #hw<innerSym@f2>, isAsync, name = "f2", preset = 0 : i8}> {z} : (i8, !seq.clock, i1, i8) -> i8
    %44 = "seq.firreg"(%arg11, %arg9, %arg11, %arg11) <{name = "f3", preset = true}> : (i1, !seq.clock, i1, i1) -> i1
    %45 = "seq.firreg"(%arg0, %arg9) <{name = "f1"}> : (i8, !seq.clock) -> i8
    %46 = "seq.firreg"(%arg0, %arg9) <{name = "v26", preset = -1 : i8}> : (i8, !seq.clock) -> i8
    %47 = "seq.clock_gate"(%arg9, %arg11, %1) <{inner_sym = #hw<innerSym@gate>}> : (!seq.clock, i1, i1) -> !seq.clock
    %48 = "sv.reg"() {name = "reg"} : () -> !hw.inout<i8>
    %49 = "sv.wire"() {inner_sym = #hw<innerSym@w>, name = "wire", z} : () -> !hw.inout<array<4xi8>>
    %50 = "sv.wire"() {name = "wire"} : () -> !hw.inout<i8>
    "sv.assign"(%50, %arg0) : (!hw.inout<i8>, i8) -> ()
    "sv.assign"(%49, %arg3) {z} : (!hw.inout<array<4xi8>>, !hw.array<4xi8>) -> ()
    %51 = "sv.read_inout"(%49) : (!hw.inout<array<4xi8>>) -> !hw.array<4xi8>
    %52 = "sv.array_index_inout"(%49, %arg6) : (!hw.inout<array<4xi8>>, i2) -> !hw.inout<i8>
    "hw.output"(%arg0) : (i8) -> ()
  }) {comment = "top", module_type = !hw.modty<input a : i8, input "b c" : i1, input "" : i4, output o : i8, input arr : !hw.array<4xi8>, input s : !hw.struct<a: i8, "b c": !hw.array<2xi1>>, input un : !hw.union<x: i8, y: i7 offset 1>, input i : i2, input e : !hw.enum<A, B>, input alias : !hw.typealias<@types::@pair, !hw.struct<a: i8, b: !hw.array<2xi1>>>, input clk : !seq.clock, inout io : !hw.array<3xi4>, input x : i1>, parameters = [#hw.param.decl<"x": i32> : i32, #hw.param.decl<"y": i8 = 1> : i8], per_port_attrs = [{}, {hw.exportPort = #hw<innerSym@port>}, {}, {y}, {}, {}, {}, {}, {}, {}, {}, {}, {}], sym_name = "top", sym_visibility = "private"} : () -> ()
}) : () -> ()
