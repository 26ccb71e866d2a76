"builtin.module"() ({
  // Minutes and seconds from a number of seconds: both results are used.
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "minutes"}> ({
  ^bb0(%seconds: i32):
    %sixty = "calc.const"() <{value = 60 : i32}> : () -> i32
    %minutes, %rest = "calc.divrem"(%seconds, %sixty) : (i32, i32) -> (i32, i32)
    "func.return"(%minutes, %rest) : (i32, i32) -> ()
  }) : () -> ()
  // One result is used, or none.
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32), sym_name = "halves"}> ({
  ^bb0(%a: i32, %b: i32):
    %0:2 = "calc.divrem"(%a, %b) : (i32, i32) -> (i32, i32)
    %1:2 = "calc.divrem"(%a, %b) : (i32, i32) -> (i32, i32)
    %2:2 = "calc.divrem"(%a, %b) : (i32, i32) -> (i32, i32)
    %3:2 = "calc.minmax"(%a, %b) : (i32, i32) -> (i32, i32)
    "func.return"(%0#0, %1#1, %3#1) : (i32, i32, i32) -> ()
  }) : () -> ()
  // Two results are replaced by two results.
  "func.func"() <{function_type = (i32, i32) -> i32, sym_name = "distance"}> ({
  ^bb0(%a: i32, %b: i32):
    %min, %max = "calc.minmax"(%a, %b) : (i32, i32) -> (i32, i32)
    %0 = "calc.sub"(%max, %min) : (i32, i32) -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
  // Small constants become immediates; multiplications by powers of two become shifts.
  "func.func"() <{function_type = (i32) -> (i32, i32, i32, i32, i32, i32, i32, i32), sym_name = "immediates"}> ({
  ^bb0(%x: i32):
    %c8 = "calc.const"() <{value = 8 : i32}> : () -> i32
    %c12 = "calc.const"() <{value = 12 : i32}> : () -> i32
    %c2048 = "calc.const"() <{value = 2048 : i32}> : () -> i32
    %0 = "calc.add"(%x, %c8) : (i32, i32) -> i32
    %1 = "calc.add"(%c8, %x) : (i32, i32) -> i32
    %2 = "calc.add"(%x, %c2048) : (i32, i32) -> i32
    %3 = "calc.sub"(%x, %c2048) : (i32, i32) -> i32
    %4 = "calc.sub"(%c8, %x) : (i32, i32) -> i32
    %5 = "calc.mul"(%c8, %x) : (i32, i32) -> i32
    %6 = "calc.mul"(%x, %c12) : (i32, i32) -> i32
    %7 = "calc.add"(%x, %x) : (i32, i32) -> i32
    "func.return"(%0, %1, %2, %3, %4, %5, %6, %7) : (i32, i32, i32, i32, i32, i32, i32, i32) -> ()
  }) : () -> ()
  // One operation becomes four.
  "func.func"() <{function_type = (i32) -> i32, sym_name = "percent"}> ({
  ^bb0(%x: i32):
    %0 = "calc.clamp"(%x) <{high = 100 : i32, low = 0 : i32}> : (i32) -> i32
    "func.return"(%0) : (i32) -> ()
  }) : () -> ()
  // Operations without results, with and without a label.
  "func.func"() <{function_type = (i32) -> (), sym_name = "show"}> ({
  ^bb0(%x: i32):
    "calc.print"(%x) <{label = "x = "}> : (i32) -> ()
    "calc.print"(%x) : (i32) -> ()
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
