"builtin.module"() ({
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "minutes"}> ({
  ^bb0(%arg7: i32):
    %20 = "mach.li"() <{imm = 60 : i64}> : () -> i32
    %21 = "mach.div"(%arg7, %20) : (i32, i32) -> i32
    %22 = "mach.msub"(%21, %20, %arg7) : (i32, i32, i32) -> i32
    "func.return"(%21, %22) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32), sym_name = "halves"}> ({
  ^bb0(%arg5: i32, %arg6: i32):
    %17 = "mach.div"(%arg5, %arg6) : (i32, i32) -> i32
    %18 = "mach.rem"(%arg5, %arg6) : (i32, i32) -> i32
    %19 = "mach.max"(%arg5, %arg6) : (i32, i32) -> i32
    "func.return"(%17, %18, %19) : (i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> i32, sym_name = "distance"}> ({
  ^bb0(%arg3: i32, %arg4: i32):
    %15:2 = "mach.sort"(%arg3, %arg4) : (i32, i32) -> (i32, i32)
    %16 = "mach.sub"(%15#1, %15#0) : (i32, i32) -> i32
    "func.return"(%16) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> (i32, i32, i32, i32, i32, i32, i32, i32), sym_name = "immediates"}> ({
  ^bb0(%arg2: i32):
    %4 = "mach.li"() <{imm = 8 : i64}> : () -> i32
    %5 = "mach.li"() <{imm = 12 : i64}> : () -> i32
    %6 = "mach.li"() <{imm = 2048 : i64}> : () -> i32
    %7 = "mach.addi"(%arg2) <{imm = 8 : i64}> : (i32) -> i32
    %8 = "mach.addi"(%arg2) <{imm = 8 : i64}> : (i32) -> i32
    %9 = "mach.add"(%arg2, %6) : (i32, i32) -> i32
    %10 = "mach.addi"(%arg2) <{imm = -2048 : i64}> : (i32) -> i32
    %11 = "mach.sub"(%4, %arg2) : (i32, i32) -> i32
    %12 = "mach.slli"(%arg2) <{imm = 3 : i64}> : (i32) -> i32
    %13 = "mach.mul"(%arg2, %5) : (i32, i32) -> i32
    %14 = "mach.add"(%arg2, %arg2) : (i32, i32) -> i32
    "func.return"(%7, %8, %9, %10, %11, %12, %13, %14) : (i32, i32, i32, i32, i32, i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> i32, sym_name = "percent"}> ({
  ^bb0(%arg1: i32):
    %0 = "mach.li"() <{imm = 0 : i64}> : () -> i32
    %1:2 = "mach.sort"(%arg1, %0) : (i32, i32) -> (i32, i32)
    %2 = "mach.li"() <{imm = 100 : i64}> : () -> i32
    %3:2 = "mach.sort"(%1#1, %2) : (i32, i32) -> (i32, i32)
    "func.return"(%3#0) : (i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32) -> (), sym_name = "show"}> ({
  ^bb0(%arg0: i32):
    "mach.ecall"(%arg0) <{service = 1 : i64, text = "x = "}> : (i32) -> ()
    "mach.ecall"(%arg0) <{service = 1 : i64}> : (i32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
