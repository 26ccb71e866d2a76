// Matches a sum whose first operand is also multiplied, by walking the uses of that operand.
pdl.pattern @multiplied_as_well : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %y = pdl.operand : %type
  %z = pdl.operand : %type
  %product = pdl.operation "expr.mul"(%x, %y : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  %sum = pdl.operation "expr.add"(%x, %z : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %sum {
    pdl.replace %sum with %product
  }
}
