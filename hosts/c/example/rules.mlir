// x + 0 => x.
pdl.pattern @add_zero : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %zero = pdl.attribute = 0 : i64
  %constant = pdl.operation "expr.const" {"value" = %zero} -> (%type : !pdl.type)
  %result = pdl.result 0 of %constant
  %root = pdl.operation "expr.add"(%x, %result : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

// The sum of two constants is a constant, which a native computes.
pdl.pattern @fold_add : benefit(3) {
  %type = pdl.type
  %a = pdl.attribute
  %b = pdl.attribute
  %first = pdl.operation "expr.const" {"value" = %a} -> (%type : !pdl.type)
  %second = pdl.operation "expr.const" {"value" = %b} -> (%type : !pdl.type)
  %left = pdl.result 0 of %first
  %right = pdl.result 0 of %second
  %root = pdl.operation "expr.add"(%left, %right : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %sum = pdl.apply_native_rewrite "add_integers"(%a, %b : !pdl.attribute, !pdl.attribute) : !pdl.attribute
    %constant = pdl.operation "expr.const" {"value" = %sum} -> (%type : !pdl.type)
    pdl.replace %root with %constant
  }
}
