#a = affine_map<(d0)[s0] -> (d0 + s0 floordiv 2)>
!t = tuple<i32, tensor<4x?xf32>>
%0:2 = "t.a"(%0#1) <{p = 1 : i8}> ({
^b(%x: i32):
  "t.b"(%x)[^b] {s = "x\0A", m = #a, d = dense<[1, 2]> : tensor<2xi8>} : (i32) -> ()
}) : (f32) -> (!t, f32) loc("f":1:2)
