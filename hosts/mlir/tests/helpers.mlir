// Operations for the rules in helpers.td.
func.func @f(%a: i32, %b: i32, %c: i64, %d: i64, %x: f32) -> (i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i64, f32, i32, i32, i32) {
  %0 = arith.divsi %a, %b : i32
  %1 = arith.divui %a, %b : i32
  %2 = arith.remsi %a, %b : i32
  %3 = arith.remsi %0, %b : i32
  %4 = arith.remui %a, %b : i32
  %5 = arith.remui %c, %d : i64
  %6 = arith.maxsi %a, %b : i32
  %7 = arith.ceildivsi %a, %b : i32
  %8 = arith.minsi %a, %b : i32
  %9 = arith.maxui %a, %b : i32
  %10 = arith.minui %a, %b : i32
  %11 = arith.minui %c, %d : i64
  %12 = arith.negf %x : f32
  %13 = arith.ceildivui %a, %b : i32
  %14 = arith.ceildivui %b, %a : i32
  %15 = arith.floordivsi %a, %b : i32
  return %0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15 : i32, i32, i32, i32, i32, i64, i32, i32, i32, i32, i32, i64, f32, i32, i32, i32
}
// The output of MLIR's own generated rules:
// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.*]]: i32, %[[B:.*]]: i32, %[[C:.*]]: i64, %[[D:.*]]: i64, %{{.*}}: f32)
// CHECK-DAG: %[[N:.*]] = arith.constant 1.005000e+02 : f32
// CHECK-DAG: %[[L:.*]] = arith.constant 34 : i32
// CHECK: %[[R0:.*]] = arith.addi %[[A]], %[[A]] : i32
// CHECK: %[[R1:.*]] = arith.subi %[[A]], %[[B]] : i32
// CHECK: %[[R2:.*]] = arith.ori %[[A]], %[[B]] : i32
// CHECK: %[[R3:.*]] = arith.remsi %[[R0]], %[[B]] : i32
// CHECK: %[[R4:.*]] = arith.andi %[[A]], %[[B]] : i32
// CHECK: %[[R5:.*]] = arith.remui %[[C]], %[[D]] : i64
// CHECK: %[[R6:.*]] = arith.subi %[[A]], %[[B]] overflow<nsw> : i32
// CHECK: %[[R7:.*]] = arith.muli %[[A]], %[[B]] : i32
// CHECK: %[[OR:.*]] = arith.ori %[[A]], %[[B]] : i32
// CHECK: %[[R8:.*]] = arith.addi %[[OR]], %[[OR]] : i32
// CHECK: %[[TWO:.*]] = arith.addi %[[A]], %[[A]] : i32
// CHECK: %[[R9:.*]] = arith.addi %[[TWO]], %[[TWO]] : i32
// CHECK: %[[R10:.*]] = arith.xori %[[A]], %[[B]] : i32
// CHECK: %[[R11:.*]] = arith.minui %[[C]], %[[D]] : i64
// CHECK: %[[R13:.*]] = arith.ceildivui %[[A]], %[[B]] : i32
// CHECK: %[[R14:.*]] = arith.andi %[[A]], %[[B]] : i32
// CHECK: return %[[R0]], %[[R1]], %[[R2]], %[[R3]], %[[R4]], %[[R5]], %[[R6]], %[[R7]], %[[R8]], %[[R9]], %[[R10]], %[[R11]], %[[N]], %[[R13]], %[[R14]], %[[L]] :
