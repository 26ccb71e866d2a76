"builtin.module"() ({
  // Zero is added, subtracted or multiplied.
  "func.func"() <{function_type = (i32) -> (i32, i32, i32), sym_name = "zeros"}> ({
  ^bb0(%x: i32):
    %c0 = "arith.constant"() <{value = 0 : i32}> : () -> i32
    %0 = "arith.addi"(%x, %c0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %1 = "arith.subi"(%0, %c0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %2 = "arith.subi"(%1, %x) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %3 = "arith.muli"(%x, %c0) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    "func.return"(%1, %2, %3) : (i32, i32, i32) -> ()
  }) : () -> ()
  // Zero is added to a vector.
  "func.func"() <{function_type = (vector<4xi16>) -> vector<4xi16>, sym_name = "zeros_of_vectors"}> ({
  ^bb0(%x: vector<4xi16>):
    %c0 = "arith.constant"() <{value = dense<0> : vector<4xi16>}> : () -> vector<4xi16>
    %0 = "arith.addi"(%c0, %x) <{overflowFlags = #arith.overflow<none>}> : (vector<4xi16>, vector<4xi16>) -> vector<4xi16>
    "func.return"(%0) : (vector<4xi16>) -> ()
  }) : () -> ()
  // Constants are combined. The flags are dropped, because the new sum can overflow where the old ones did not.
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32), sym_name = "reassociate"}> ({
  ^bb0(%x: i32, %y: i32):
    %c3 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %c4 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %c5 = "arith.constant"() <{value = 5 : i32}> : () -> i32
    %0 = "arith.addi"(%c3, %x) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    %1 = "arith.addi"(%0, %c4) <{overflowFlags = #arith.overflow<nsw>}> : (i32, i32) -> i32
    %2 = "arith.addi"(%1, %c5) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %3 = "arith.muli"(%y, %c3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %4 = "arith.muli"(%3, %c4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "arith.subi"(%c3, %y) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %6 = "arith.addi"(%5, %c4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%2, %4, %6) : (i32, i32, i32) -> ()
  }) : () -> ()
  // Constants wrap around in their type.
  "func.func"() <{function_type = (i8) -> i8, sym_name = "wrap_around"}> ({
  ^bb0(%x: i8):
    %c100 = "arith.constant"() <{value = 100 : i8}> : () -> i8
    %0 = "arith.addi"(%x, %c100) <{overflowFlags = #arith.overflow<none>}> : (i8, i8) -> i8
    %1 = "arith.addi"(%0, %c100) <{overflowFlags = #arith.overflow<none>}> : (i8, i8) -> i8
    "func.return"(%1) : (i8) -> ()
  }) : () -> ()
  // The inner sum has another use, so nothing is gained.
  "func.func"() <{function_type = (i32) -> (i32, i32), sym_name = "inner_sum_is_used"}> ({
  ^bb0(%x: i32):
    %c3 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %c4 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %0 = "arith.addi"(%x, %c3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %1 = "arith.addi"(%0, %c4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%0, %1) : (i32, i32) -> ()
  }) : () -> ()
  // Two products of one value become one; products of different values stay.
  "func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "distribute"}> ({
  ^bb0(%x: i32, %y: i32):
    %c3 = "arith.constant"() <{value = 3 : i32}> : () -> i32
    %c4 = "arith.constant"() <{value = 4 : i32}> : () -> i32
    %0 = "arith.muli"(%x, %c3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %1 = "arith.muli"(%x, %c4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %2 = "arith.addi"(%0, %1) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %3 = "arith.muli"(%x, %c3) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %4 = "arith.muli"(%y, %c4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %5 = "arith.addi"(%3, %4) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%2, %5) : (i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32), sym_name = "cancel"}> ({
  ^bb0(%x: i32, %y: i32):
    %0 = "arith.subi"(%y, %x) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %1 = "arith.addi"(%x, %0) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %2 = "arith.subi"(%x, %y) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    %3 = "arith.addi"(%2, %y) <{overflowFlags = #arith.overflow<none>}> : (i32, i32) -> i32
    "func.return"(%1, %3) : (i32, i32) -> ()
  }) : () -> ()
  // A shift is created only if the type is known to be wide enough.
  "func.func"() <{function_type = (i32, i1, index) -> (i32, i1, index), sym_name = "double"}> ({
  ^bb0(%x: i32, %b: i1, %i: index):
    %0 = "arith.addi"(%x, %x) <{overflowFlags = #arith.overflow<nuw>}> : (i32, i32) -> i32
    %1 = "arith.addi"(%b, %b) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
    %2 = "arith.addi"(%i, %i) <{overflowFlags = #arith.overflow<none>}> : (index, index) -> index
    "func.return"(%0, %1, %2) : (i32, i1, index) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i1, i1) -> (i1, i1), sym_name = "multiply_bits"}> ({
  ^bb0(%a: i1, %b: i1):
    %true = "arith.constant"() <{value = true}> : () -> i1
    %0 = "arith.muli"(%a, %b) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
    %1 = "arith.muli"(%a, %true) <{overflowFlags = #arith.overflow<none>}> : (i1, i1) -> i1
    "func.return"(%0, %1) : (i1, i1) -> ()
  }) : () -> ()
  // Wide products: by one, with one result used, and with both results used.
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32, i32, i32), sym_name = "wide_products"}> ({
  ^bb0(%x: i32, %y: i32):
    %c1 = "arith.constant"() <{value = 1 : i32}> : () -> i32
    %low0, %high0 = "arith.mului_extended"(%x, %c1) : (i32, i32) -> (i32, i32)
    %low1, %high1 = "arith.mului_extended"(%x, %y) : (i32, i32) -> (i32, i32)
    %low2, %high2 = "arith.mului_extended"(%y, %y) : (i32, i32) -> (i32, i32)
    "func.return"(%low0, %high0, %low1, %low2, %high2) : (i32, i32, i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32) -> (i32, i32, i32, i32), sym_name = "bits"}> ({
  ^bb0(%x: i32, %y: i32):
    %0 = "arith.andi"(%x, %x) : (i32, i32) -> i32
    %1 = "arith.ori"(%0, %x) : (i32, i32) -> i32
    %2 = "arith.xori"(%y, %y) : (i32, i32) -> i32
    %3 = "arith.xori"(%x, %y) : (i32, i32) -> i32
    %4 = "arith.xori"(%3, %y) : (i32, i32) -> i32
    %5 = "arith.ori"(%y, %x) : (i32, i32) -> i32
    %6 = "arith.andi"(%5, %x) : (i32, i32) -> i32
    "func.return"(%1, %2, %4, %6) : (i32, i32, i32, i32) -> ()
  }) : () -> ()
  "func.func"() <{function_type = (i32, i32, i1, f32, f32) -> (f32, i1, f32, i1), sym_name = "choose"}> ({
  ^bb0(%a: i32, %b: i32, %c: i1, %x: f32, %y: f32):
    %true = "arith.constant"() <{value = true}> : () -> i1
    %false = "arith.constant"() <{value = false}> : () -> i1
    %0 = "arith.select"(%c, %x, %x) : (i1, f32, f32) -> f32
    %1 = "arith.select"(%c, %true, %false) : (i1, i1, i1) -> i1
    %2 = "arith.cmpi"(%a, %b) <{predicate = 1 : i64}> : (i32, i32) -> i1
    %3 = "arith.select"(%2, %x, %y) : (i1, f32, f32) -> f32
    %4 = "arith.cmpi"(%a, %a) <{predicate = 0 : i64}> : (i32, i32) -> i1
    "func.return"(%0, %1, %3, %4) : (f32, i1, f32, i1) -> ()
  }) : () -> ()
  // An extension of another kind remains.
  "func.func"() <{function_type = (i8, i16) -> (i8, i16, i32, i64), sym_name = "casts"}> ({
  ^bb0(%x: i8, %y: i16):
    %0 = "arith.extsi"(%x) : (i8) -> i32
    %1 = "arith.trunci"(%0) <{overflowFlags = #arith.overflow<none>}> : (i32) -> i8
    %2 = "arith.extui"(%y) : (i16) -> i64
    %3 = "arith.trunci"(%2) <{overflowFlags = #arith.overflow<none>}> : (i64) -> i16
    %4 = "arith.extsi"(%x) : (i8) -> i16
    %5 = "arith.extsi"(%4) : (i16) -> i32
    %6 = "arith.extui"(%x) : (i8) -> i32
    %7 = "arith.extsi"(%6) : (i32) -> i64
    "func.return"(%1, %3, %5, %7) : (i8, i16, i32, i64) -> ()
  }) : () -> ()
  // The difference keeps the flags of the sum.
  "func.func"() <{function_type = (f32, f32) -> (f32, f32, f32), sym_name = "floats"}> ({
  ^bb0(%x: f32, %y: f32):
    %one = "arith.constant"() <{value = 1.000000e+00 : f32}> : () -> f32
    %0 = "arith.mulf"(%x, %one) <{fastmath = #arith.fastmath<none>}> : (f32, f32) -> f32
    %1 = "arith.negf"(%y) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %2 = "arith.negf"(%1) <{fastmath = #arith.fastmath<none>}> : (f32) -> f32
    %3 = "arith.addf"(%x, %1) <{fastmath = #arith.fastmath<nnan>}> : (f32, f32) -> f32
    "func.return"(%0, %2, %3) : (f32, f32, f32) -> ()
  }) : () -> ()
}) : () -> ()
