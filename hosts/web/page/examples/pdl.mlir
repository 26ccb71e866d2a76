// Rules in the pdl dialect: x - x is 0, and a double negation is its operand.

pdl.pattern @SubSelf : benefit(2) {
  %type = type
  %x = operand : %type
  %root = operation "my.sub"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  rewrite %root {
    %zero = operation "my.zero" -> (%type : !pdl.type)
    replace %root with %zero
  }
}

pdl.pattern @NegNeg : benefit(1) {
  %type = type
  %x = operand
  %inner = operation "my.neg"(%x : !pdl.value) -> (%type : !pdl.type)
  %negated = result 0 of %inner
  %root = operation "my.neg"(%negated : !pdl.value) -> (%type : !pdl.type)
  rewrite %root {
    replace %root with (%x : !pdl.value)
  }
}
