func.func @f(%a: i32, %b: i32) -> (i32, i32) {
  %0 = "my.neg"(%a) : (i32) -> i32
  %1 = "my.neg"(%0) : (i32) -> i32
  %2 = "my.sub"(%1, %a) : (i32, i32) -> i32
  %3 = "my.sub"(%a, %b) : (i32, i32) -> i32
  return %2, %3 : i32, i32
}
