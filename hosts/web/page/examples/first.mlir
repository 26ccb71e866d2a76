func.func @f(%a: i32, %b: i32) -> (i32, i32, i32) {
  %0 = "my.zero"() : () -> i32
  %1 = "my.add"(%0, %a) : (i32, i32) -> i32
  %2 = "my.neg"(%1) : (i32) -> i32
  %3 = "my.neg"(%2) : (i32) -> i32
  // AddNeg does not match, because %4 negates %b, not %a.
  %4 = "my.neg"(%b) : (i32) -> i32
  %5 = "my.add"(%a, %4) : (i32, i32) -> i32
  // AddNeg matches after AddZero has removed %1.
  %6 = "my.add"(%a, %2) : (i32, i32) -> i32
  return %3, %5, %6 : i32, i32, i32
}
