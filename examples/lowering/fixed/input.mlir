"builtin.module"() ({
  // The types of the function, of its blocks and of the call change with those of the operations.
  "func.func"() <{function_type = (!fix.num, !fix.num) -> !fix.num, sym_name = "larger_square"}> ({
  ^bb0(%a: !fix.num, %b: !fix.num):
    %less = "fix.less"(%a, %b) : (!fix.num, !fix.num) -> i1
    "cf.cond_br"(%less, %b, %a)[^bb1, ^bb1] <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (i1, !fix.num, !fix.num) -> ()
  ^bb1(%larger: !fix.num):
    %square = "fix.square"(%larger) : (!fix.num) -> !fix.num
    "func.return"(%square) : (!fix.num) -> ()
  }) : () -> ()
  // A complex number becomes two values.
  "func.func"() <{function_type = (!fix.complex) -> !fix.complex, sym_name = "same"}> ({
  ^bb0(%z: !fix.complex):
    %same = "func.call"(%z) <{callee = @same}> : (!fix.complex) -> !fix.complex
    "func.return"(%same) : (!fix.complex) -> ()
  }) : () -> ()
  "func.func"() <{function_type = () -> !fix.num, sym_name = "three"}> ({
    %one = "fix.constant"() <{raw = 65536 : i32}> : () -> !fix.num
    %two = "fix.add"(%one, %one) : (!fix.num, !fix.num) -> !fix.num
    %three = "fix.add"(%one, %two) : (!fix.num, !fix.num) -> !fix.num
    "func.return"(%three) : (!fix.num) -> ()
  }) : () -> ()
}) : () -> ()
