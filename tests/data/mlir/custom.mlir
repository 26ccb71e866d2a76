module @m attributes {d.foo = 1 : i32} {
func.func private @ext(i32, f32 {llvm.xx}) -> (i32 {a.b = 1 : i64}, f32)
func.func private @fn(%a: i32) -> (() -> ())
func.func @f(%a: i32, %b: i32, %c: f32 {x.y}, %d: vector<4xi1>, %e: vector<4xi32>) -> (i32, f32)
    attributes {no_inline, q.r = "s"} {
  %0 = arith.addi %a, %b : i32
  %1 = arith.addi %a, %b overflow<nuw, nsw> : i32
  %2 = arith.addf %c, %c fastmath<fast> : f32
  %3 = arith.divsi %a, %b exact : i32
  %4 = arith.shrui %a, %b {x} : i32
  %5 = arith.cmpi slt, %e, %e : vector<4xi32>
  %6 = arith.cmpf olt, %c, %c fastmath<nnan> : f32
  %7 = arith.select %6, %a, %b : i32
  %8 = arith.select %d, %e, %e : vector<4xi1>, vector<4xi32>
  %9 = arith.extsi %a : i32 to i64
  %10 = arith.trunci %9 overflow<nsw> : i64 to i32
  %11 = arith.truncf %c upward fastmath<ninf,nnan> : f32 to f16
  %12 = arith.extf %11 : f16 to f32
  %13 = arith.index_cast %a : i32 to index
  %14 = arith.negf %c : f32
  %15 = arith.constant 5 : i32
  %16 = arith.constant true
  %17 = arith.constant dense<1> : vector<4xi32>
  %cst = arith.constant 1.0 : f32
  %x = arith.constant {foo = 1 : i32} -3 : index
  %18:2 = call @ext(%a, %c) : (i32, f32) -> (i32, f32)
  %19 = arith.constant {a.b} false
  %20 = arith.constant sparse<[[0]], [1]> : tensor<1xi32>
  %21 = arith.constant 5 : i3
  %sum, %over = arith.addui_extended %a, %b : i32, i1
  %22:2 = arith.addui_extended %e, %e {x} : vector<4xi32>, vector<4xi1>
  %23, %24 = arith.mulsi_extended %a, %sum : i32
  %25:2 = arith.mului_extended %e, %e : vector<4xi32>
  %fn = func.constant @g : () -> ()
  %fn2 = constant {u.v = 1 : i32} @k : (i32) -> i32
  call_indirect %fn() {a.b} : () -> ()
  %26 = func.call_indirect %fn2(%23) : (i32) -> i32
  cf.assert %over, "mess\"age" {foo}
  cf.cond_br %6 weights([1, 2]), ^bb1(%a : i32), ^bb2(%c, %a : f32, i32)
^bb1(%k: i32):
  cf.br ^bb2(%c, %k : f32, i32)
^bb2(%l: f32, %m: i32):
  func.return %m, %l : i32, f32
}
func.func @k(%a: i32) -> i32 {
  cf.switch %a : i32, [
    default: ^bb1(%a : i32),
    42: ^bb1(%a : i32),
    -43: ^bb2(%a, %a : i32, i32)
  ]
^bb1(%x: i32):
  %c = arith.extsi %x : i32 to i64
  cf.switch %c : i64, [ default: ^bb3 ] {w}
^bb2(%y: i32, %z: i32):
  cf.switch %y : i32, [default: ^bb3, 0x10: ^bb3]
^bb3:
  return %a : i32
}
func.func public @g() {
  cf.br ^bb1
^bb1:
  return loc("here") }
func.func nested @h() -> i32 {
  %c5_i32 = arith.constant 5 : i32
  %c5_i32_0 = arith.constant 5 : i32
  return %c5_i32 : i32 }
module { module @inner {} }
}
