%0 = "t.a"() : () -> i32
// -----
%a, %b = "t.a"() : () -> (i32, i32)
"t.b"(%b, %a) : (i32, i32) -> ()
// -----
%a:2, %b = "t.a"() : () -> (i32, i32, i64)
"t.b"(%a#1, %b, %a#0) : (i32, i64, i32) -> ()
// -----
%a:2 = "t.a"() : () -> (i32, i32)
"t.b"(%a) : (i32) -> ()
// -----
%a:2 = "t.a"() : () -> (i32, i32)
"t.b"(%a#2) : (i32) -> ()
// -----
%a = "t.a"() : () -> i32
"t.b"(%a#0) : (i32) -> ()
// -----
%a = "t.a"() : () -> i32
"t.b"(%a#1) : (i32) -> ()
// -----
"t.b"(%a) : (i32) -> ()
%a = "t.a"() : () -> i64
// -----
"t.b"(%a) : (i32) -> ()
// -----
"t.b"(%a#1) : (i32) -> ()
%a:2 = "t.a"() : () -> (i32, i32)
// -----
"t.b"(%a#5) : (i32) -> ()
%a:2 = "t.a"() : () -> (i32, i32)
// -----
%a = "t.a"(%a) : (i32) -> i32
// -----
"t.r"() ({
  "t.b"(%a) : (i32) -> ()
}) : () -> ()
%a = "t.a"() : () -> i32
// -----
"t.r"() ({
  %a = "t.a"() : () -> i32
}) : () -> ()
"t.b"(%a) : (i32) -> ()
// -----
"t.r"() ({
  %a = "t.a"() : () -> i32
}, {
  "t.b"(%a) : (i32) -> ()
}) : () -> ()
// -----
"t.r"() ({
^bb0(%x: i32):
  "t.br"()[^bb1] : () -> ()
^bb1:
  "t.b"(%x) : (i32) -> ()
}) : () -> ()
// -----
"t.r"() ({
^a:
  "t.br"()[^b, ^c] : () -> ()
^b:
  %x = "t.a"() : () -> i32
  "t.br"()[^c] : () -> ()
^c:
  "t.b"(%x) : (i32) -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
^a:
  "cf.br"()[^b] : () -> ()
^b:
  %x = "t.a"() : () -> i32
  "cf.br"()[^c] : () -> ()
^c:
  "t.b"(%x) : (i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = "f"}> ({
^a:
  %c = "t.c"() : () -> i1
  "cf.cond_br"(%c)[^b, ^c] <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (i1) -> ()
^b:
  %x = "t.a"() : () -> i32
  "cf.br"()[^c] : () -> ()
^c:
  "t.b"(%x) : (i32) -> ()
  "func.return"() : () -> ()
}) : () -> ()
// -----
"t.r"() ({
  "t.br"()[^nowhere] : () -> ()
}) : () -> ()
// -----
"t.r"() ({
^a:
^a:
}) : () -> ()
// -----
"t.r"() ({
^a(%x: i32, %x: i32):
}) : () -> ()
// -----
"t.r"() ({
^a(%x: i32):
}, {
^a(%x: i64):
  "t.b"(%x) : (i64) -> ()
}) : () -> ()
// -----
"t.r"() ({
^a():
}) : () -> ()
// -----
"t.r"() ({
  ^a:
    "t.x"() : () -> ()
  "t.y"() : () -> ()
}) : () -> ()
// -----
"t.r"() ({}) : () -> ()
// -----
"t.r"() ({}, {}) : () -> ()
// -----
"t.r"() () : () -> ()
// -----
"t.r"() ({ "t.x"() : () -> () }) {a = 1 : i32} : () -> ()
// -----
"t.r"() {a = 1} ({}) : () -> ()
// -----
"t.r"() <{a = 1}> {b = 2} : () -> ()
// -----
"t.r"() <{}> {} : () -> ()
// -----
"t.r"() <"prop"> : () -> ()
// -----
"t.r"() <1 : i32> : () -> ()
// -----
"t.r"() <[1, 2]> : () -> ()
// -----
"t.r"() <{a = 1}> {a = 2} : () -> ()
// -----
"t.r"[^a]() : () -> ()
// -----
"t.r"()[] : () -> ()
// -----
"t.r" () : () -> ()
// -----
"t.r"() : ()
// -----
"t.r"() : i32
// -----
"t.r"() : () -> i32, i32
// -----
"t.r"() : () -> (i32)
// -----
"t.r"() : () -> ((i32) -> i32)
// -----
"t.r"() : () -> (() -> ())
// -----
"t.r"() : () -> () -> ()
// -----
"t.r"(%a : i32) : (i32) -> ()
// -----
"t.r"() : () -> () "t.s"() : () -> ()
// -----
"t.r"() : () -> () loc("a")
// -----
"t.r"() : () -> () loc(#l)
#l = loc("b":1:2)
// -----
#l = loc("b":1:2)
"t.r"() : () -> () loc(#l)
"t.s"() : () -> () loc(fused[#l, "x"])
// -----
#l = loc(#m)
#m = loc("b":1:2)
"t.r"() : () -> () loc(#l)
// -----
#l = loc("x"(#l))
"t.r"() : () -> () loc(#l)
// -----
#a = #b
#b = 1 : i32
"t.r"() {x = #a} : () -> ()
// -----
#a = #a
"t.r"() {x = #a} : () -> ()
// -----
!a = !b
!b = i32
%0 = "t.r"() : () -> !a
// -----
!a = i32
!a = i64
// -----
#a.b = 1 : i32
// -----
#a = 1 : i32
"t.r"() {x = #a : i32} : () -> ()
// -----
#0 = 1 : i32
"t.r"() {x = #0} : () -> ()
// -----
!1 = i32
"t.r"() {x = !1} : () -> ()
// -----
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0 + 1)>
"t.r"() {x = #map1, y = #map} : () -> ()
// -----
#foo = affine_map<(d0) -> (d0)>
#bar = affine_map<(d0) -> (d0 + 1)>
"t.r"() {x = #foo, y = #bar} : () -> ()
// -----
#foo = #d.x<1>
#bar1 = #d.x<2>
#bar2 = #d.x<3>
"t.r"() {x = #foo, y = #bar1, z = #bar2} : () -> ()
// -----
!foo = !d.x<1>
!bar = tuple<!foo, i32>
"t.r"() {x = !foo, y = !bar, z = !d.y<!foo>} : () -> ()
// -----
#x = #d.a<#y>
#y = #d.b<#z, !t>
#z = #d.c
!t = !d.t<#z>
"t.r"() {x = #x, y = #y} : () -> ()
// -----
#_x = #d.a
#x_1 = #d.b
#x1y = #d.c
"t.r"() {x = #_x, y = #x_1, z = #x1y} : () -> ()
// -----
"t.r"() : () -> () // comment
// comment
"t.s"() : () -> ()
// -----
"t.r"()/* c */ : () -> ()
// -----
"t.\22r"() : () -> ()
// -----
"t.r\0A"() : () -> ()
// -----
"r"() : () -> ()
// -----
"R.r r"() : () -> ()
// -----
""() : () -> ()
// -----
t.r() : () -> ()
// -----
module {}
// -----
module @a {}
// -----
module @"a b" {}
// -----
module attributes {a.b = 1} {}
// -----
module @a attributes {} {}
// -----
module { module {} }
// -----
module {} module {}
// -----
module {}
"t.x"() : () -> ()
// -----
module {} {a = 1}
// -----
module @a { "t.x"() {sym_name = "b"} : () -> () "t.x"() {sym_name = "b"} : () -> () }
// -----
module attributes {sym_visibility = "private"} {}
// -----
module attributes {a = 1} {}
// -----
module { ^bb0: "t.x"() : () -> () }
// -----
module { ^bb0(%a: i32): "t.x"() : () -> () }
// -----
module { ^bb0:
 ^bb1: }
// -----
"builtin.module"() ({}) : () -> ()
// -----
"builtin.module"() ({ ^bb0: }) : () -> ()
// -----
"builtin.module"() : () -> ()
// -----
"builtin.module"() ({}, {}) : () -> ()
// -----
%0 = "builtin.module"() ({}) : () -> i32
// -----
builtin.module {}
// -----
func.func @f() { return }
// -----
func.func @f() { func.return }
// -----
func.func @f()
// -----
func.func private @f()
// -----
func.func private @f(i32, %a: i32)
// -----
func.func @f(i32) { return }
// -----
func.func @f(%a: i32) -> i32 { return %a : i32 }
// -----
func.func @f(%a: i32) -> i32 { return }
// -----
func.func @f(%a: i32) -> i32 { return %a : i64 }
// -----
func.func @f(%a: i32) -> (i32 {a.b}, i32) { return %a, %a : i32, i32 }
// -----
func.func @f(%a: i32 {a.b = 1}) { return }
// -----
func.func @f(%a: i32 {b = 1}) { return }
// -----
func.func @f(%a: i32 loc("x")) { return }
// -----
func.func @f(%a: i32, ...) { return }
// -----
func.func private @f(...)
// -----
func.func @f() attributes {a = 1} { return }
// -----
func.func @f() attributes {sym_name = "x"} { return }
// -----
func.func @f() { }
// -----
func.func @f() { ^bb0: return }
// -----
func.func @f() { ^bb0(%a: i32): return }
// -----
func.func @f() { return } loc("a")
// -----
func.func @f() { "t.x"() : () -> () }
// -----
func.func @f() { return
 "t.x"() : () -> () }
// -----
func.func @f() { return } func.func @f() { return }
// -----
func.func @f() -> () { return }
// -----
func.func @f() -> (i32, i64)
// -----
func.func private @f() -> (() -> ())
// -----
func.func nested @f() { return }
// -----
func.func external @f() { return }
// -----
func.func @f() { func.func @g() { return } return }
// -----
func.func @f() { call @f() : () -> () return }
// -----
func.func @f() { func.call @g() : () -> () return }
// -----
func.func @f() { call @f() : () -> i32 return }
// -----
func.func @f() { %0 = call @f() {a = 1} : () -> i32 return }
// -----
func.func @f() { call @f::@g() : () -> () return }
// -----
func.func @f() { return {a = 1} }
// -----
func.func @f(%a: i32) { return %a {a = 1} : i32 }
// -----
func.func @f(%0: i32, %1: i32) { %2 = arith.addi %0, %1 : i32 return }
// -----
func.func @f(%0: i32, %1: i64) { %2 = arith.addi %0, %1 : i32 return }
// -----
func.func @f(%0: i32) { %2 = arith.addi %0, %0 : f32 return }
// -----
func.func @f(%0: f32) { %2 = arith.addi %0, %0 : f32 return }
// -----
func.func @f(%0: i32) { %2 = arith.addi %0, %0 overflow<nsw> : i32 return }
// -----
func.func @f(%0: i32) { %2 = arith.addi %0, %0 overflow<none> : i32 return }
// -----
func.func @f(%0: i32) { %2 = arith.addi %0, %0 overflow<> : i32 return }
// -----
func.func @f(%0: i32) { %2 = arith.addi %0, %0 overflow<nuw,nsw,nuw> {x} : i32 return }
// -----
func.func @f(%0: i32) { %2 = arith.addi %0, %0 {overflowFlags = #arith.overflow<nsw>} : i32 return }
// -----
func.func @f(%0: i32) { %2 = "arith.addi"(%0, %0) : (i32, i32) -> i32 return }
// -----
func.func @f(%0: i32) { %2 = "arith.addi"(%0, %0) <{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32 return }
// -----
func.func @f(%0: i32) { %2 = "arith.addi"(%0, %0) {overflowFlags = #arith.overflow<nuw>} : (i32, i32) -> i32 return }
// -----
func.func @f(%0: f32) { %2 = "arith.addf"(%0, %0) : (f32, f32) -> f32 return }
// -----
func.func @f(%0: f32) { %2 = "arith.addf"(%0, %0) {x} : (f32, f32) -> f32 return }
// -----
func.func @f(%0: f32) { %2 = arith.addf %0, %0 fastmath<nnan,ninf> : f32 return }
// -----
func.func @f(%0: f32) { %2 = arith.addf %0, %0 fastmath<fast> {y} : f32 return }
// -----
func.func @f(%0: f32) { %2 = "arith.cmpf"(%0, %0) <{predicate = 1 : i64}> : (f32, f32) -> i1 return }
// -----
func.func @f(%0: f32) { %2 = "arith.cmpf"(%0, %0) <{predicate = 99 : i64}> : (f32, f32) -> i1 return }
// -----
func.func @f(%0: i32) { %2 = "arith.cmpi"(%0, %0) : (i32, i32) -> i1 return }
// -----
func.func @f(%0: i32) { %2 = "arith.cmpi"(%0, %0) <{predicate = 1 : i32}> : (i32, i32) -> i1 return }
// -----
func.func @f(%0: i32) { %2 = arith.cmpi foo, %0, %0 : i32 return }
// -----
func.func @f(%0: i32) { %2 = arith.cmpi "eq", %0, %0 : i32 return }
// -----
func.func @f(%0: i64) { %2 = "arith.trunci"(%0) : (i64) -> i32 return }
// -----
func.func @f(%0: f64) { %2 = "arith.truncf"(%0) : (f64) -> f32 return }
// -----
func.func @f(%0: i32) { %2 = "arith.divsi"(%0, %0) : (i32, i32) -> i32 return }
// -----
func.func @f(%0: i32) { %2 = "arith.divsi"(%0, %0) <{isExact}> : (i32, i32) -> i32 return }
// -----
func.func @f(%0: i32) { %2 = "arith.constant"() : () -> i32 return }
// -----
func.func @f() { %2 = "arith.constant"() <{value = 1 : i64}> : () -> i32 return }
// -----
func.func @f() { %2 = arith.constant 1 : i32 %3 = arith.constant 1 : i32 %4 = arith.constant -1 : i64 %5 = arith.constant true %6 = arith.constant 2 : index return }
// -----
func.func @f() { %2 = arith.constant 1 return }
// -----
func.func @f() { %2 = arith.constant 1.0 return }
// -----
func.func @f() { %2 = arith.constant "a" return }
// -----
func.func @f() { %2 = arith.constant unit return }
// -----
func.func @f() { %2 = arith.constant dense<1> : tensor<2xi32> return }
// -----
func.func @f() { %2 = arith.constant #a.b : i32 return }
// -----
func.func @f() { %2 = arith.constant 1 : ui8 return }
// -----
func.func @f() { %2 = arith.constant 1 : si8 return }
// -----
func.func @f() { %2 = arith.constant 1 : i0 return }
// -----
func.func @f() { %2 = arith.constant 170141183460469231731687303715884105727 : i128 return }
// -----
func.func @f(%c: i1, %a: i32) { %2 = arith.select %c, %a, %a : i32 return }
// -----
func.func @f(%c: i1, %a: tensor<2xi32>) { %2 = arith.select %c, %a, %a : tensor<2xi32> return }
// -----
func.func @f(%c: tensor<2xi1>, %a: tensor<2xi32>) { %2 = arith.select %c, %a, %a : tensor<2xi1>, tensor<2xi32> return }
// -----
func.func @f(%c: tensor<3xi1>, %a: tensor<2xi32>) { %2 = arith.select %c, %a, %a : tensor<3xi1>, tensor<2xi32> return }
// -----
func.func @f(%c: i32, %a: i32) { %2 = "arith.select"(%c, %a, %a) : (i32, i32, i32) -> i32 return }
// -----
func.func @f(%a: i32) { %2 = arith.extsi %a : i32 to i16 return }
// -----
func.func @f(%a: i32) { %2 = arith.extsi %a : i32 to f32 return }
// -----
func.func @f(%a: i32) { %2 = arith.bitcast %a : i32 to f32 return }
// -----
func.func @f(%a: vector<2xi32>) { %2 = arith.extsi %a : vector<2xi32> to vector<3xi64> return }
// -----
func.func @f(%a: i32) { %2 = arith.index_cast %a : i32 to index %3 = arith.index_castui %2 : index to i64 return }
// -----
func.func @f(%a: f32) { %2 = arith.negf %a : f32 %3 = arith.maximumf %a, %a : f32 return }
// -----
func.func @f(%a: i32) { %2 = arith.shli %a, %a overflow<nsw, nuw> : i32 %3 = arith.shrsi %a, %a exact : i32 return }
// -----
func.func @f(%a: f32) { %2 = arith.fptosi %a : f32 to i32 %3 = arith.sitofp %2 : i32 to f32 return }
// -----
func.func @f(%a: i1) { cf.cond_br %a, ^b, ^c
^b: return
^c: return }
// -----
func.func @f(%a: i1) { cf.cond_br %a weights([1, 2]), ^b, ^c
^b: return
^c: return }
// -----
func.func @f(%a: i1, %x: i32) { cf.cond_br %a, ^b(%x : i32), ^c(%x, %x : i32, i32)
^b(%y: i32): return
^c(%z: i32, %w: i32): return }
// -----
func.func @f(%a: i1, %x: i32) { cf.cond_br %a, ^b(%x : i32), ^b(%x, %x : i32, i32)
^b(%y: i32): return }
// -----
func.func @f(%a: i32) { cf.br ^a(%a : i32)
^a(%b: i64): return }
// -----
func.func @f(%a: i32) { cf.br ^a()
^a: return }
// -----
func.func @f(%a: i32) { cf.br ^a
^a: cf.br ^a }
// -----
func.func @f(%a: i32) { cf.switch %a : i32, [default: ^a, 1: ^a, 1: ^a]
^a: return }
// -----
func.func @f(%a: i32) { cf.switch %a : i32, [default: ^a, 99999999999: ^a]
^a: return }
// -----
func.func @f(%a: index) { cf.switch %a : index, [default: ^a, 1: ^a]
^a: return }
// -----
func.func @f(%a: i1) { cf.assert %a, "msg" return }
// -----
func.func @f() { %f = constant @f : () -> () call_indirect %f() : () -> () return }
// -----
func.func @f() { scf.for %i = %a to %b step %c {} return }
// -----
%c = arith.constant 1 : i32
// -----
arith.constant 1 : i32
// -----
%c:2 = arith.constant 1 : i32
// -----
%a = arith.constant {a, b = 1} 1 : i32 loc("x")
// -----
return
// -----
func.func @f(%a: i32) -> i32 {
  "t.r"() ({
    "t.y"(%a) : (i32) -> ()
    %b = "t.x"() : () -> i32
  }) : () -> ()
  return %a : i32
}
// -----
func.func @f(%arg0: i32) -> i32 {
  "t.r"() ({
  ^bb0(%arg1: i32, %arg2: i32):
    %0 = "t.x"() : () -> i32
    "t.q"() ({
    ^bb0(%x: i32):
      %2 = "t.x"(%0, %x) : (i32, i32) -> i32
    }, {
    ^bb0(%x: i32):
      %2 = "t.x"(%0, %x) : (i32, i32) -> i32
    ^bb1(%y: i32):
      "t.b"(%y)[^bb1] : (i32) -> ()
    }) : () -> ()
  }) : () -> ()
  %1 = "t.x"() : () -> i32
  return %arg0 : i32
}
// -----
func.func @f() {
  %cst = arith.constant 1.0 : f32
  %cst_0 = arith.constant 2.0 : f32
  %true = arith.constant true
  %c1_i8 = arith.constant 1 : i8
  %c-1 = arith.constant -1 : index
  %x = arith.constant dense<1.0> : vector<4xf32>
  "t.r"() ({
    %c = arith.constant 3.0 : f32
    %d = arith.constant true
    "t.y"(%cst, %d) : (f32, i1) -> ()
  }) : () -> ()
  return
}
// -----
{-# dialect_resources: { builtin: { a: "0x0400000001000000" } } #-}
"t.a"() {x = dense_resource<a> : tensor<1xi32>} : () -> ()
// -----
"t.a"() {x = dense_resource<a> : tensor<1xi32>} : () -> ()
{-# dialect_resources: { builtin: { a: "0x0400000001000000" } } #-}
// -----
"t.a"() {x = dense_resource<a> : tensor<1xi32>} : () -> ()
{-# dialect_resources: { builtin: { a: "0x04000000010000" } } #-}
// -----
"t.a"() : () -> ()
{-# dialect_resources: { builtin: { a: "0x0400000001000000" } } #-}
// -----
"t.a"() : () -> ()
{-# external_resources: { foo: { a: "0x0400000001000000", b: true, c: "str" } } #-}
// -----
"t.a"() : () -> ()
{-# foo: { } #-}
// -----
{-# #-}
// -----
"t.a"() {x = dense_resource<a> : tensor<1xi32>, y = dense_resource<b> : tensor<1xi32>} : () -> ()
{-# dialect_resources: { builtin: { b: "0x0400000002000000", a: "0x0400000001000000" } } #-}
// -----
"t.a"() {x = dense_resource<a> : tensor<1xi32>} : () -> ()
{-# dialect_resources: { builtin: { a: "0x0400000001000000", a: "0x0400000001000000" } } #-}
// -----
"t.a"() {x = dense_resource<a> : tensor<1xi32>} : () -> ()
{-# dialect_resources: { nodialect: { a: "0x0400000001000000" } } #-}
// -----
"t.sym"() {sym_name = "a"} : () -> ()
"t.sym"() {sym_name = "a"} : () -> ()
// -----
"t.x"() {a = @x} : () -> ()
// -----
"t.x"() {"a b" = 1, "0" = 2, a.b = 3, "\22" = 4} : () -> ()
// -----
"t.x"() ({
  "t.y"() : () -> ()
  "t.br"()[^a] : () -> ()
  "t.z"() : () -> ()
^a:
}) : () -> ()
// -----
"t.x"() ({
^a:
  "t.br"()[^a] : () -> ()
}) : () -> ()
// -----
"t.x"() ({
^a:
  "t.br"()[^b] : () -> ()
^b:
  "t.br"()[^b, ^c] : () -> ()
^c:
  "t.br"()[^b, ^b, ^c] : () -> ()
^d:
}) : () -> ()
// -----
^bb0:
// -----
^bb0(%a: i32):
"t.x"(%a) : (i32) -> ()
// -----
"t.x"(%a) : (i32) -> () }
// -----
}
// -----
%0 = "t.x"() ({
  "t.y"(%0) : (i32) -> ()
}) : () -> i32
// -----
"t.x"() ({ %0 = "t.a"() : () -> i32 }) : () -> ()
%0 = "t.a"() : () -> i32
// -----
%0 = "t.a"() : () -> i32
"t.x"() ({ %0 = "t.a"() : () -> i32 }) : () -> ()
// -----
%0 = "t.a"() : () -> i32
func.func @f() { %0 = "t.a"() : () -> i32 return }
// -----
%0 = "t.a"() : () -> i32
func.func @f() { "t.a"(%0) : (i32) -> () return }
// -----
%x-y = "t.a"() : () -> i32
// -----
%x.y$z_1 = "t.a"() : () -> i32
// -----
%01 = "t.a"() : () -> i32
"t.b"(%1) : (i32) -> ()
// -----
%01 = "t.a"() : () -> i32
%1 = "t.a"() : () -> i32
"t.b"(%01, %1) : (i32, i32) -> ()
// -----
%1x = "t.a"() : () -> i32
// -----
% = "t.a"() : () -> i32
// -----
%a : 1 = "t.a"() : () -> i32
// -----
%a:1 = "t.a"() : () -> i32
"t.b"(%a, %a#0) : (i32, i32) -> ()
// -----
%a:0x2 = "t.a"() : () -> (i32, i32)
// -----
%a:4294967296 = "t.a"() : () -> i32
// -----
%a, %a = "t.a"() : () -> (i32, i32)
// -----
%a:2, %a:2 = "t.a"() : () -> (i32, i32, i32, i32)
// -----
= "t.a"() : () -> i32
// -----
%a "t.a"() : () -> i32
// -----
"t.a"(%a,) : (i32) -> ()
// -----
"t.a"(,) : () -> ()
// -----
"t.a"() : (,) -> ()
// -----
"t.a"() : () -> (i32,)
// -----
"t.a"() {a = 1 b = 2} : () -> ()
// -----
"t.a"() {a = 1, } : () -> ()
// -----
"t.a"() {,} : () -> ()
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({}) : () -> ()
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f", sym_visibility = "private"}> ({}) : () -> ()
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = (i32) -> (), sym_name = "f"}> ({
^bb0(%x: i64):
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = i32, sym_name = "f"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = 1 : i32}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> ()}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = "f", foo = 1}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = "f", sym_visibility = "foo"}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = ""}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"func.return"() : () -> ()
// -----
"func.func"() <{function_type = () -> (), sym_name = "f", arg_attrs = [{}]}> ({
^bb0:
  "func.return"() : () -> ()
}) : () -> ()
// -----
"cf.br"()[^x] : () -> ()
// -----
"arith.addi"() : () -> ()
// -----
"arith.addi"() : () -> i32
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addi"(%0) : (i32) -> i32
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addi"(%0, %0) ({}) : (i32, i32) -> i32
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addi"(%0, %0) <{foo = 1}> : (i32, i32) -> i32
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addi"(%0, %0) <{overflowFlags = 1 : i32}> : (i32, i32) -> i32
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addi"(%0, %0) <5 : i32> : (i32, i32) -> i32
// -----
%0 = "t.a"() : () -> f32
%1 = "arith.addi"(%0, %0) : (f32, f32) -> f32
// -----
%0 = "t.a"() : () -> si32
%1 = "arith.addi"(%0, %0) : (si32, si32) -> si32
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addf"(%0, %0) : (i32, i32) -> i32
// -----
%0 = "t.a"() : () -> tensor<*xi32>
%1 = "arith.addi"(%0, %0) : (tensor<*xi32>, tensor<*xi32>) -> tensor<*xi32>
// -----
%0 = "t.a"() : () -> tensor<4xi32>
%1 = "t.a"() : () -> tensor<?xi32>
%2 = "arith.addi"(%0, %1) : (tensor<4xi32>, tensor<?xi32>) -> tensor<4xi32>
// -----
%0 = "t.a"() : () -> i32
%1, %2 = "arith.addui_extended"(%0, %0) : (i32, i32) -> (i32, i32)
// -----
%0 = "t.a"() : () -> i32
%1 = "arith.addui_extended"(%0, %0) : (i32, i32) -> i32
// -----
"arith.nonexistent"() : () -> ()
// -----
"func.nonexistent"() : () -> ()
// -----
"builtin.nonexistent"() : () -> ()
// -----
%0 = "builtin.unrealized_conversion_cast"() : () -> i32
// -----
%0 = builtin.unrealized_conversion_cast to i32
// -----
"t.a"() {arith.foo = 1, func.bar} : () -> ()
// -----
"t.a"() {x = 1 : i32} : () -> () "t.b"() : () -> ()
// -----
%0 = "t.a"() : () -> f16
%1 = arith.truncf %0 : f16 to bf16
// -----
%0 = "t.a"() : () -> f16
%1 = arith.extf %0 : f16 to bf16
// -----
%0 = "t.a"() : () -> vector<2x[4]xi8>
%1 = arith.extsi %0 : vector<2x[4]xi8> to vector<2x4xi16>
// -----
%0 = "t.a"() : () -> vector<2x[4]xi8>
%1 = arith.extsi %0 : vector<2x[4]xi8> to vector<2x[4]xi16>
// -----
%0 = "t.a"() : () -> tensor<2x?xi8>
%1 = arith.extui %0 : tensor<2x?xi8> to tensor<2x4xi16>
// -----
%0 = "t.a"() : () -> tensor<*xi8>
%1 = arith.trunci %0 : tensor<*xi8> to tensor<*xi4>
// -----
%0 = "t.a"() : () -> memref<2xi8>
%1 = arith.index_cast %0 : memref<2xi8> to memref<2xindex>
// -----
%0 = "t.a"() : () -> memref<2xi8>
%1 = arith.addi %0, %0 : memref<2xi8>
// -----
%0 = "t.a"() : () -> index
%1 = arith.addi %0, %0 : index
%2 = arith.cmpi ult, %0, %0 : index
%3 = arith.index_castui %0 : index to i1
// -----
%0 = "t.a"() : () -> index
%1 = arith.extsi %0 : index to i64
// -----
%0 = "t.a"() : () -> i32
%1 = arith.index_cast %0 : i32 to i64
// -----
%0 = "t.a"() : () -> f32
%1 = arith.bitcast %0 : f32 to i16
// -----
%0 = "t.a"() : () -> f32
%1 = arith.bitcast %0 : f32 to i32
// -----
%0 = "t.a"() : () -> complex<f32>
%1 = arith.addf %0, %0 : complex<f32>
// -----
%0 = "t.a"() : () -> f8E4M3FN
%1 = arith.addf %0, %0 : f8E4M3FN
%2 = arith.extf %0 : f8E4M3FN to f32
// -----
%0 = "t.a"() : () -> i8
%1:2 = arith.mulsi_extended %0, %0 : i8
%2:2 = arith.addui_extended %0, %0 : i8, i1
// -----
%0 = "t.a"() : () -> tensor<2xi8>
%1 = "arith.cmpi"(%0, %0) <{predicate = 1 : i64}> : (tensor<2xi8>, tensor<2xi8>) -> tensor<3xi1>
// -----
%0 = "t.a"() : () -> i8
%1 = "arith.cmpi"(%0, %0) <{predicate = 10 : i64}> : (i8, i8) -> i1
// -----
%0 = "t.a"() : () -> i8
%1 = "arith.cmpi"(%0, %0) <{predicate = -1 : i64}> : (i8, i8) -> i1
// -----
%0 = "t.a"() : () -> i8
%1 = "arith.cmpi"(%0, %0) <{predicate = 1 : i64}> : (i8, i8) -> i8
// -----
func.func private @f(i32 {llvm.x}) -> (i32 {b})
// -----
func.func @f(%p: i1) {
  %0 = "cf.assert"(%p) <{msg = "a"}> : (i1) -> i32
  return
}
// -----
func.func @f() {
  %0 = "func.return"() : () -> i32
}
// -----
func.func @f() {
  %0 = "cf.br"()[^a] : () -> i32
^a:
  return
}
// -----
%0 = "func.func"() <{sym_name = "g", sym_visibility = "private", function_type = () -> ()}> ({}) : () -> i32
// -----
"func.func"() <{sym_name = "g", sym_visibility = "private", function_type = () -> ()}> ({}, {}) : () -> ()
