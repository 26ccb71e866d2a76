"func.func"() ({
  %0 = "arith.constant"() {value = 5 : i32, a.b} : () -> i32
  %1 = "arith.cmpi"(%0, %0) {x, predicate = 2 : i64} : (i32, i32) -> i1
  "cf.cond_br"(%1)[^a, ^a] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^a:
  "func.return"() : () -> ()
}) {sym_name = "f", function_type = () -> (), d.e = 1} : () -> ()
