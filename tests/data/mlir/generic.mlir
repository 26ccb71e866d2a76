#map = affine_map<(i, j)[s0] -> (5 * i + j, (j + s0) mod 4, 0 - i, i floordiv 2 * 4, -(i + j))>
#unused = affine_map<() -> ()>
#map1 = affine_map<(d0) -> (d0 + 1)>
!alias = tensor<4x?xf32>
"t.types"() {a = !alias, b = vector<2x[4]xi1>, c = memref<?xf32, strided<[?], offset: 3>, 1>, d = memref<4xf32, #map1>,
  e = tuple<>, f = (i32) -> (() -> ()), g = tensor<*xcomplex<f64>>, h = memref<*xi8, "space">, i = si7,
  j = ui16777215, k = !foreign.type<"x", [1, 2], <a -> b>>, l = !foreign<"opaque">, m = none} : () -> ()
"t.attrs"() <{z = 1 : i32, a}> {s = "a\22b\\c\n\FF", i = [1, -2 : i8, 3.0, 4.0 : f16, true, 0x7FC00000 : f32],
  w = 340282366920938463463374607431768211455 : i200, n = -340282366920938463463374607431768211455 : i200,
  d = dense<[[1, 2], [3, 4]]> : tensor<2x2xi64>, p = dense<(1.0, -2.0)> : tensor<2xcomplex<f32>>,
  h = dense<"0x0100000002000000"> : tensor<2xi32>, t = dense<["x", "y"]> : tensor<2x!foreign.string>,
  q = array<i8: 1, -2>, r = array<f32: 1.5>, o = array<i1: true, false>, e = array<i64>,
  v = dense<[true, false, true]> : tensor<3xi1>, y = sparse<[[0, 0], [1, 1]], [1, 5]> : tensor<3x4xi32>,
  x = @a::@"b c"::@d, u = unit, m = #map, l = loc("f.c":1:2), set = affine_set<(d0)[s0] : (d0 - s0 >= 0, d0 == 3)>,
  "quoted key" = 1, dict = {b = 1 : i1, a = {}}, dist = distinct[0]<"x">, str = "s" : i32} : () -> ()
%0:2, %1 = "t.pack"(%f#1) ({
^first(%x: i32, %y: f32 loc("arg")):
  "t.br"(%x)[^second, ^second] : (i32) -> ()
^second:
  "t.br"(%x)[^second] : (i32) -> () loc(fused<"meta">["a.c":1:2, "b.c":3:4])
}, {
}) : (i64) -> (i32, i32, f32) loc(callsite("inner"("x.c":1:2 to :9) at "outer.c":7:8))
%f:2 = "t.later"(%0#1, %1) : (i32, f32) -> (i1, i64) loc(unknown)
