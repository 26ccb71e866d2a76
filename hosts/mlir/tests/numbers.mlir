// Constants of several widths for the rules in numbers.td.
func.func @f(%a: i8, %b: i128, %c: f16) -> (i8, i128, i8, i128, f16) {
  %0 = arith.constant -2 : i8
  %1 = arith.constant 170141183460469231731687303715884105725 : i128
  %2 = arith.constant 1.5 : f16
  %3 = arith.addi %a, %0 : i8
  %4 = arith.addi %b, %1 : i128
  %5 = arith.subi %a, %0 : i8
  %6 = arith.subi %b, %1 : i128
  %7 = arith.subf %c, %2 : f16
  return %3, %4, %5, %6, %7 : i8, i128, i8, i128, f16
}
// CHECK-LABEL: func @f
// CHECK-DAG: arith.constant -1 : i8
// CHECK-DAG: arith.constant 170141183460469231731687303715884105726 : i128
// CHECK-DAG: arith.constant -4 : i8
// CHECK-DAG: arith.constant -6 : i128
// CHECK-DAG: arith.constant -1.500000e+00 : f16
// CHECK: arith.addf
