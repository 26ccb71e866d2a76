module {
  hw.type_scope @types {
    hw.typedecl @byte : i8
    hw.typedecl @pair, "pair_t" : !hw.struct<a: i8, b: !hw.array<2xi1>>
  }
  hw.module.extern @ext<w: i32, s: none, v: i4 = 2>(in %a : i8, in %b : i1, out o : i8, out p : i2) attributes {verilogName = "x"}
  hw.module.extern @sized<n: i32>(in %a : !hw.int<#hw.param.decl.ref<"n">>, in %b : !hw.array<#hw.param.decl.ref<"w">xi8>, out "c d" : !hw.uarray<2xuarray<3xi8>>, inout %z : i3)
  hw.generator.schema @fifo, "Fifo", ["depth"]
  hw.module.generated @g, @fifo(in %a : i8, out b : i1) attributes {depth = 3 : i8}
  hw.module.extern @none()
  hw.hierpath private @path [@top::@inst, @ext]
  hw.module private @top<x: i32, y: i8 = 1>(in %a : i8, in %b_c "b c" : i1 {hw.exportPort = #hw<innerSym@port>}, in %0 "" : i4, out o : i8 {y}, in %arr : !hw.array<4xi8>, in %s : !hw.struct<a: i8, "b c": !hw.array<2xi1>>, in %un : !hw.union<x: i8, y: i7 offset 1>, in %i : i2, in %e : !hw.enum<A, B>, in %alias : !hw.typealias<@types::@pair, !hw.struct<a: i8, b: !hw.array<2xi1>>>, in %clk : !seq.clock, inout %io : !hw.array<3xi4>, in %x : i1) attributes {comment = "top"} {
    %c1_i4 = hw.constant 1 : i4
    %true = hw.constant true
    %c-1_i4 = hw.constant -1 : i4 {sv.namehint = "hint"}
    %c0_i0 = hw.constant 0 : i0
    %1 = hw.param.value i32 = #hw.param.decl.ref<"x">
    %2 = hw.param.value i32 = #hw.param.expr.add<#hw.param.decl.ref<"x">, 1> {z}
    %plain.o, %plain.p = hw.instance "plain" @ext<w: i32 = 3, s: none = "st", v: i4 = 2>(a: %a: i8, b: %x: i1) -> (o: i8, p: i2)
    %named_one.o, %named_one.p = hw.instance "named one" sym @inst @ext<w: i32 = #hw.param.decl.ref<"x">, s: none = "", v: i4 = -1>(a: %a: i8, b: %x: i1) -> (o: i8, p: i2) {doNotPrint, x = #hw<innerSym[<@e,1,private>, <@f,2,public>]>}
    %3 = hw.array_create %a, %a {z} : i8
    %4 = hw.array_get %arr[%i] : !hw.array<4xi8>, i2
    %5 = hw.array_slice %arr[%i] : (!hw.array<4xi8>) -> !hw.array<2xi8>
    %6 = hw.array_concat %arr, %3 : !hw.array<4xi8>, !hw.array<2xi8>
    %a_0 = hw.struct_extract %s["a"] : !hw.struct<a: i8, "b c": !hw.array<2xi1>>
    %7 = hw.struct_inject %s["a"], %a {z} : !hw.struct<a: i8, "b c": !hw.array<2xi1>>
    %a_1, %b_c_2 = hw.struct_explode %s : !hw.struct<a: i8, "b c": !hw.array<2xi1>>
    %8 = hw.struct_create (%a_1, %b_c_2) {z} : !hw.struct<a: i8, "b c": !hw.array<2xi1>>
    %b = hw.struct_extract %alias["b"] : !hw.typealias<@types::@pair, !hw.struct<a: i8, b: !hw.array<2xi1>>>
    %9 = hw.union_create "x", %a : !hw.union<x: i8, y: i7 offset 1>
    %10 = hw.union_extract %9["y"] {z} : !hw.union<x: i8, y: i7 offset 1>
    %A = hw.enum.constant A : !hw.enum<A, B>
    %11 = hw.enum.cmp %e, %A : !hw.enum<A, B>, !hw.enum<A, B>
    %12 = hw.bitcast %arr : (!hw.array<4xi8>) -> i32
    %13 = hw.aggregate_constant [1 : i8, 2 : i8] : !hw.array<2xi8>
    %14 = hw.aggregate_constant [1 : i8, [true, false]] {z} : !hw.struct<a: i8, b: !hw.array<2xi1>>
    %15 = hw.aggregate_constant [[1 : i8], [2 : i8]] : !hw.array<2xarray<1xi8>>
    %16 = hw.array_get %15[%x] : !hw.array<2xarray<1xi8>>, i1
    %w = hw.wire %a  : i8
    %foo = hw.wire %a sym @s  : i8
    %v16 = hw.wire %a  {z} : i8
    %foo_3 = hw.wire %a  name "foo" : i8
    %17 = comb.add bin %a, %a : i8
    %18 = comb.icmp bin slt %a, %17 {z} : i8
    %19 = comb.extract %a from 3 : (i8) -> i2
    %20 = comb.concat %a, %i, %c0_i0 {z} : i8, i2, i0
    %21 = comb.mux bin %x, %arr, %arr : !hw.array<4xi8>
    %22 = comb.replicate %i : (i2) -> i6
    %23 = comb.truth_table %x, %true -> [false, true, true, false]
    %24 = comb.parity %a : i8
    %r0 = seq.compreg  %r0, %clk : i8  
    %r1 = seq.compreg sym @r  %a, %clk reset %x, %r0 {z} : i8  
    %r0_4 = seq.compreg  name "r0" %a, %clk powerOn %r0 : i8  
    %v25 = seq.compreg.ce  %a, %clk, %x reset %x, %r0 powerOn %r1 : i8  
    %f1 = seq.firreg %a clock %clk : i8
    %f2 = seq.firreg %a clock %clk sym @f2 reset async %x, %r0 preset 0 {z} : i8
    %f3 = seq.firreg %x clock %clk reset sync %x, %x preset -1 : i1
    %f1_5 = seq.firreg %a clock %clk {name = "f1"} : i8
    %v26 = seq.firreg %a clock %clk preset -1 : i8
    %25 = seq.clock_gate %clk, %x, %true sym @gate
    %reg = sv.reg : !hw.inout<i8> 
    %wire = sv.wire sym @w {z} : !hw.inout<array<4xi8>>
    %wire_6 = sv.wire name "wire" : !hw.inout<i8>
    sv.assign %wire_6, %a : i8
    sv.assign %wire, %arr {z} : !hw.array<4xi8>
    %26 = sv.read_inout %wire : !hw.inout<array<4xi8>>
    %27 = sv.array_index_inout %wire[%i] : !hw.inout<array<4xi8>>, i2
    hw.output %a : i8
  }
}
