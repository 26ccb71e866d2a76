pdl.pattern @p : benefit(2) {
  %t = pdl.type : i32
  %v = pdl.operand : %t
  %vs = pdl.operands
  %a = pdl.attribute = 1 : i32
  %o = pdl.operation "t.a"(%v, %vs : !pdl.value, !pdl.range<value>) {"n" = %a} -> (%t : !pdl.type)
  pdl.apply_native_constraint "c"(%v : !pdl.value)
  pdl.rewrite %o {
    %n = pdl.operation "t.b"(%v : !pdl.value) {"n" = %a} -> (%t : !pdl.type)
    pdl.replace %o with %n
  }
}
