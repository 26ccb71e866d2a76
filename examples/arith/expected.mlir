"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> (i32, i32, i32), sym_name = "zeros"}> ({
  ^bb0(%arg27: i32):
    %34 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    "func.return"(%arg27, %34, %34) : (i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (vector<4xi16>) -> vector<4xi16>, sym_name = "zeros_of_vectors"}> ({
  ^bb0(%arg26: vector<4xi16>):
    "func.return"(%arg26) : (vector<4xi16>) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32), sym_name = "reassociate"}> ({
  ^bb0(%arg24: i32, %arg25: i32):
    %29 = "arith.constant"() <{value = 7 : i32}> : () -> i32
    %30 = "arith.constant"() <{value = 12 : i32}> : () -> i32
    %31 = "arith.addi"(%arg24, %30) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %32 = "arith.muli"(%arg25, %30) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %33 = "arith.subi"(%29, %arg25) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%31, %32, %33) : (i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i8) -> i8, sym_name = "wrap_around"}> ({
  ^bb0(%arg23: i8):
    %27 = "arith.constant"() <{value = -56 : i8}> : () -> i8
    %28 = "arith.addi"(%arg23, %27) <{overflowFlags = #arith.overflow<none>}> : (i8, i8) -> i8
    "func.return"(%28) : (i8) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "inner_sum_is_used"}> ({
  ^bb0(%arg22: i32):
    %23 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %24 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %25 = "arith.addi"(%arg22, %23) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %26 = "arith.addi"(%25, %24) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%25, %26) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "distribute"}> ({
  ^bb0(%arg20: i32, %arg21: i32):
    %16 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %17 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %18 = "arith.constant"() <{value = 7 : i32}> : () -> i32
    %19 = "arith.muli"(%arg20, %18) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %20 = "arith.muli"(%arg20, %16) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %21 = "arith.muli"(%arg21, %17) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %22 = "arith.addi"(%20, %21) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%19, %22) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "cancel"}> ({
  ^bb0(%arg18: i32, %arg19: i32):
    "func.return"(%arg19, %arg18) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i1, index) -> (i32, i1, index), sym_name = "double"}> ({
  ^bb0(%arg15: i32, %arg16: i1, %arg17: index):
    %12 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %13 = "arith.shli"(%arg15, %12) <{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32
    %14 = "arith.addi"(%arg16, %arg16) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
    %15 = "arith.addi"(%arg17, %arg17) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    "func.return"(%13, %14, %15) : (i32, i1, index) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i1, i1) -> (i1, i1), sym_name = "multiply_bits"}> ({
  ^bb0(%arg13: i1, %arg14: i1):
    %11 = "arith.andi"(%arg13, %arg14) : (i1, i1) -> i1
    "func.return"(%11, %arg13) : (i1, i1) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32, i32, i32), sym_name = "wide_products"}> ({
  ^bb0(%arg11: i32, %arg12: i32):
    %8 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %9 = "arith.muli"(%arg11, %arg12) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %10:2 = "arith.mului_extended"(%arg12, %arg12) : (i32, i32) -> (i32, i32)
    "func.return"(%arg11, %8, %9, %10#0, %10#1) : (i32, i32, i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32, i32), sym_name = "bits"}> ({
  ^bb0(%arg9: i32, %arg10: i32):
    %7 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    "func.return"(%arg9, %7, %arg9, %arg9) : (i32, i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32, i1, f32, f32) -> (f32, i1, f32, i1), sym_name = "choose"}> ({
  ^bb0(%arg4: i32, %arg5: i32, %arg6: i1, %arg7: f32, %arg8: f32):
    %4 = "arith.constant"() <{value = true}> : () -> i1
    %5 = "arith.cmpi"(%arg4, %arg5) <{predicate = 0 : i64}> : (i32, i32) -> i1
    %6 = "arith.select"(%5, %arg8, %arg7) : (i1, f32, f32) -> f32
    "func.return"(%arg7, %arg6, %6, %4) : (f32, i1, f32, i1) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i8, i16) -> (i8, i16, i32, i64), sym_name = "casts"}> ({
  ^bb0(%arg2: i8, %arg3: i16):
    %1 = "arith.extsi"(%arg2) : (i8) -> i32
    %2 = "arith.extui"(%arg2) : (i8) -> i32
    %3 = "arith.extsi"(%2) : (i32) -> i64
    "func.return"(%arg2, %arg3, %1, %3) : (i8, i16, i32, i64) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (f32, f32) -> (f32, f32, f32), sym_name = "floats"}> ({
  ^bb0(%arg0: f32, %arg1: f32):
    %0 = "arith.subf"(%arg0, %arg1) <{fastmath = #arith.fastmath<nnan>}> : (f32, f32) -> f32
    "func.return"(%arg0, %arg1, %0) : (f32, f32, f32) -> ()
  }) : () -> ()
}) : () -> ()
