module @m attributes {a = [1 : i32, @s::@t, unit, i32]} {
  func.func @f(%x: i32, %y: vector<2x[4]xf32>) -> i32 {
    %c = arith.constant -3 : i32
    %d = arith.addi %c, %x overflow<nsw> : i32
    %e = arith.cmpi slt, %d, %x : i32
    %g = arith.select %e, %d, %c : i32
    %z = arith.addf %y, %y fastmath<fast> : vector<2x[4]xf32>
    return %g : i32
  }
}
