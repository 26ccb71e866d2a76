// Identities of arith that `pdl` can express completely, so that MLIR's own engine also runs them: the root is
// replaced by a value or an operand, without native calls.

pdl.pattern @addi_0_index : benefit(2) {
  %value = pdl.attribute = 0 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.addi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @addi_0_i32 : benefit(2) {
  %value = pdl.attribute = 0 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.addi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @addi_0_i64 : benefit(2) {
  %value = pdl.attribute = 0 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.addi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @subi_0_index : benefit(2) {
  %value = pdl.attribute = 0 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.subi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @subi_0_i32 : benefit(2) {
  %value = pdl.attribute = 0 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.subi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @subi_0_i64 : benefit(2) {
  %value = pdl.attribute = 0 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.subi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @ori_0_index : benefit(2) {
  %value = pdl.attribute = 0 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.ori"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @ori_0_i32 : benefit(2) {
  %value = pdl.attribute = 0 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.ori"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @ori_0_i64 : benefit(2) {
  %value = pdl.attribute = 0 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.ori"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @xori_0_index : benefit(2) {
  %value = pdl.attribute = 0 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.xori"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @xori_0_i32 : benefit(2) {
  %value = pdl.attribute = 0 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.xori"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @xori_0_i64 : benefit(2) {
  %value = pdl.attribute = 0 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.xori"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @shli_0_index : benefit(2) {
  %value = pdl.attribute = 0 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.shli"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @shli_0_i32 : benefit(2) {
  %value = pdl.attribute = 0 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.shli"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @shli_0_i64 : benefit(2) {
  %value = pdl.attribute = 0 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.shli"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @muli_1_index : benefit(2) {
  %value = pdl.attribute = 1 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.muli"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @muli_1_i32 : benefit(2) {
  %value = pdl.attribute = 1 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.muli"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @muli_1_i64 : benefit(2) {
  %value = pdl.attribute = 1 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.muli"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @divsi_1_index : benefit(2) {
  %value = pdl.attribute = 1 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.divsi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @divsi_1_i32 : benefit(2) {
  %value = pdl.attribute = 1 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.divsi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @divsi_1_i64 : benefit(2) {
  %value = pdl.attribute = 1 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.divsi"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @divui_1_index : benefit(2) {
  %value = pdl.attribute = 1 : index
  %type = pdl.type : index
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.divui"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @divui_1_i32 : benefit(2) {
  %value = pdl.attribute = 1 : i32
  %type = pdl.type : i32
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.divui"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @divui_1_i64 : benefit(2) {
  %value = pdl.attribute = 1 : i64
  %type = pdl.type : i64
  %constant = pdl.operation "arith.constant" {"value" = %value} -> (%type : !pdl.type)
  %neutral = pdl.result 0 of %constant
  %x = pdl.operand : %type
  %root = pdl.operation "arith.divui"(%x, %neutral : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @andi_self : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.andi"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @ori_self : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.ori"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @maxsi_self : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.maxsi"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @minsi_self : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.minsi"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @maxui_self : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.maxui"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @minui_self : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %root = pdl.operation "arith.minui"(%x, %x : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @extsi_extsi : benefit(2) {
  %x = pdl.operand
  %middle = pdl.type
  %inner = pdl.operation "arith.extsi"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %type = pdl.type
  %root = pdl.operation "arith.extsi"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "arith.extsi"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @extui_extui : benefit(2) {
  %x = pdl.operand
  %middle = pdl.type
  %inner = pdl.operation "arith.extui"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %type = pdl.type
  %root = pdl.operation "arith.extui"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "arith.extui"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @trunci_trunci : benefit(2) {
  %x = pdl.operand
  %middle = pdl.type
  %inner = pdl.operation "arith.trunci"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %type = pdl.type
  %root = pdl.operation "arith.trunci"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "arith.trunci"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @extf_extf : benefit(2) {
  %x = pdl.operand
  %middle = pdl.type
  %inner = pdl.operation "arith.extf"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %type = pdl.type
  %root = pdl.operation "arith.extf"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "arith.extf"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @extsi_extui : benefit(2) {
  %x = pdl.operand
  %middle = pdl.type
  %inner = pdl.operation "arith.extui"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %type = pdl.type
  %root = pdl.operation "arith.extsi"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    %new = pdl.operation "arith.extui"(%x : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %root with %new
  }
}

pdl.pattern @trunci_of_extsi : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %middle = pdl.type
  %inner = pdl.operation "arith.extsi"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %root = pdl.operation "arith.trunci"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @trunci_of_extui : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %middle = pdl.type
  %inner = pdl.operation "arith.extui"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %root = pdl.operation "arith.trunci"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @truncf_of_extf : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %middle = pdl.type
  %inner = pdl.operation "arith.extf"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %root = pdl.operation "arith.truncf"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @index_cast_of_index_cast : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %middle = pdl.type
  %inner = pdl.operation "arith.index_cast"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %root = pdl.operation "arith.index_cast"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @bitcast_of_bitcast : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %middle = pdl.type
  %inner = pdl.operation "arith.bitcast"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %root = pdl.operation "arith.bitcast"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @negf_of_negf : benefit(2) {
  %type = pdl.type
  %x = pdl.operand : %type
  %middle = pdl.type
  %inner = pdl.operation "arith.negf"(%x : !pdl.value) -> (%middle : !pdl.type)
  %y = pdl.result 0 of %inner
  %root = pdl.operation "arith.negf"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}

pdl.pattern @select_same : benefit(1) {
  %type = pdl.type
  %x = pdl.operand : %type
  %condition = pdl.operand
  %root = pdl.operation "arith.select"(%condition, %x, %x : !pdl.value, !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %root {
    pdl.replace %root with (%x : !pdl.value)
  }
}
