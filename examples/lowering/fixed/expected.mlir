"builtin.module"() ({
  "func.func"() <{function_type = (i32, i32) -> i32, sym_name = "larger_square"}> ({
  ^bb0(%arg2: i32, %arg3: i32):
    %4 = "arith.cmpi"(%arg2, %arg3) <{predicate = 2 : i64}> : (i32, i32) -> i1
    "cf.cond_br"(%4, %arg3, %arg2)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, i32, i32) -> ()
  ^bb1(%5: i32):  // 2 preds: ^bb0, ^bb0
    %6 = "arith.extsi"(%5) : (i32) -> i64
    %7 = "arith.extsi"(%5) : (i32) -> i64
    %8 = "arith.muli"(%6, %7) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
    %9 = "arith.constant"() <{value = 16 : i64}> : () -> i64
    %10 = "arith.shrsi"(%8, %9) : (i64, i64) -> i64
    %11 = "arith.trunci"(%10) <{overflowFlags = #arith.overflow<none>}> : (i64) -> i32
    "func.return"(%11) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "same"}> ({
  ^bb0(%arg0: i32, %arg1: i32):
    %3:2 = "func.call"(%arg0, %arg1) <{callee = @same}> : (i32, i32) -> (i32, i32)
    "func.return"(%3#0, %3#1) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> i32, sym_name = "three"}> ({
    %0 = "arith.constant"() <{value = 65536 : i32}> : () -> i32
    %1 = "arith.addi"(%0, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %2 = "arith.addi"(%0, %1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%2) : (i32) -> ()
  }) : () -> ()
}) : () -> ()
