// The patterns of MLIR's tests of its PDL byte code, written in `pdl` instead of `pdl_interp`.
// `test.extract_op` is missing, because `pdl` cannot select the second user of a value.
// -----
// case: test.apply_constraint_1
pdl.pattern : benefit(1) {
  %operands = operands
  %types = types
  %root = operation(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  apply_native_constraint "multi_entity_constraint"(%root, %root : !pdl.operation, !pdl.operation)
  apply_native_constraint "single_entity_constraint"(%root : !pdl.operation)
  rewrite %root {
    %new = operation "test.replaced_by_pattern"
    erase %root
  }
}
// -----
// case: test.apply_constraint_2
pdl.pattern : benefit(1) {
  %operands = operands
  %types = types
  %root = operation(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  %results = results of %root
  apply_native_constraint "multi_entity_var_constraint"(%results, %types : !pdl.range<value>, !pdl.range<type>)
  rewrite %root {
    %new = operation "test.replaced_by_pattern"
    erase %root
  }
}
// -----
// case: test.apply_constraint_3
pdl.pattern : benefit(1) {
  %operands = operands
  %types = types
  %unit = attribute = unit
  %root = operation(%operands : !pdl.range<value>) {"test_attr" = %unit} -> (%types : !pdl.range<type>)
  apply_native_constraint "single_entity_constraint"(%root : !pdl.operation) {isNegated = true}
  rewrite %root {
    %new = operation "test.replaced_by_pattern"
    erase %root
  }
}
// -----
// case: test.apply_constraint_4
pdl.pattern : benefit(1) {
  %root = operation "test.success_op"
  %type = apply_native_constraint "op_constr_return_type"(%root : !pdl.operation) : !pdl.type
  rewrite %root {
    %new = operation "test.replaced_by_pattern" -> (%type : !pdl.type)
    erase %root
  }
}
// -----
// case: test.apply_constraint_multi_result_failure
pdl.pattern : benefit(1) {
  %root = operation
  %type:2 = apply_native_constraint "op_multiple_returns_failure"(%root : !pdl.operation) : !pdl.type, !pdl.type
  rewrite %root {
    %new = operation "test.replaced_by_pattern" -> (%type#0 : !pdl.type)
    erase %root
  }
}
// -----
// case: test.apply_constraint_5
pdl.pattern : benefit(1) {
  %root = operation "test.success_op"
  %count = attribute = 2 : i32
  %types = apply_native_constraint "op_constr_return_type_range"(%root, %count : !pdl.operation, !pdl.attribute) : !pdl.range<type>
  rewrite %root {
    %new = operation "test.replaced_by_pattern" -> (%types : !pdl.range<type>)
    erase %root
  }
}
// -----
// case: test.apply_rewrite_1
pdl.pattern : benefit(1) {
  %operand = operand
  %root = operation "test.op"(%operand : !pdl.value)
  rewrite %root with "rewriter"(%operand : !pdl.value)
}
// -----
// case: test.apply_rewrite_2
pdl.pattern : benefit(1) {
  %root = operation "test.op"
  rewrite %root {
    %new = apply_native_rewrite "creator"(%root : !pdl.operation) : !pdl.operation
    erase %root
  }
}
// -----
// case: test.apply_rewrite_3
pdl.pattern : benefit(1) {
  %operands = operands
  %types = types
  %root = operation "test.op"(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  rewrite %root {
    %values, %kinds = apply_native_rewrite "var_creator"(%root : !pdl.operation) : !pdl.range<value>, !pdl.range<type>
    %new = operation "test.success"(%values : !pdl.range<value>) -> (%kinds : !pdl.range<type>)
    replace %root with (%values : !pdl.range<value>)
  }
}
// -----
// case: test.apply_rewrite_4
pdl.pattern : benefit(1) {
  %root = operation "test.op"
  rewrite %root {
    %attr = apply_native_rewrite "str_creator" : !pdl.attribute
    %type = apply_native_rewrite "type_creator" : !pdl.type
    %new = operation "test.success" {"attr" = %attr} -> (%type : !pdl.type)
    erase %root
  }
}
// -----
// case: test.are_equal_1
pdl.pattern : benefit(1) {
  %unit = attribute = unit
  %root = operation {"test_attr" = %unit}
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.are_equal_2
pdl.pattern : benefit(1) {
  %types = types : [i32, i64]
  %root = operation -> (%types : !pdl.range<type>)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.branch_1
pdl.pattern : benefit(2) {
  %root = operation "test.op"
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.check_attribute_1
pdl.pattern : benefit(1) {
  %unit = attribute = unit
  %root = operation {"test_attr" = %unit}
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.check_operand_count_1
pdl.pattern : benefit(1) {
  %a = operand
  %b = operand
  %root = operation(%a, %b : !pdl.value, !pdl.value)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.check_operation_name_1
pdl.pattern : benefit(1) {
  %root = operation "test.op"
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.check_result_count_1
pdl.pattern : benefit(1) {
  %a = type
  %b = type
  %root = operation -> (%a, %b : !pdl.type, !pdl.type)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.check_type_1
pdl.pattern : benefit(1) {
  %type = type : i32
  %attr = attribute : %type
  %root = operation {"test_attr" = %attr}
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.check_types_1
pdl.pattern : benefit(1) {
  %types = types : [i32]
  %root = operation -> (%types : !pdl.range<type>)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.create_op_infer_results
pdl.pattern : benefit(1) {
  %operands = operands
  %types = types
  %root = operation "test.op"(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  rewrite %root {
    %true = attribute = true
    %cst = operation "arith.constant" {"value" = %true}
    %value = result 0 of %cst
    %new = operation "test.success"(%value : !pdl.value)
    erase %root
  }
}
// -----
// case: test.create_range_1
pdl.pattern : benefit(1) {
  %t0 = type
  %t1 = type
  %a = operand : %t0
  %b = operand : %t1
  %root = operation(%a, %b : !pdl.value, !pdl.value)
  rewrite %root {
    %values = range %a, %a, %b : !pdl.value, !pdl.value, !pdl.value
    %new = operation "test.success"(%values : !pdl.range<value>) -> (%t0, %t0, %t1 : !pdl.type, !pdl.type, !pdl.type)
    erase %root
  }
}
// -----
// case: test.create_type_1
pdl.pattern : benefit(1) {
  %type = type : i32
  %attr = attribute : %type
  %root = operation {"test_attr" = %attr}
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.extract_type
pdl.pattern : benefit(1) {
  %a = operand
  %t0 = type
  %t1 = type
  %root = operation(%a : !pdl.value) -> (%t0, %t1 : !pdl.type, !pdl.type)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.extract_value
pdl.pattern : benefit(1) {
  %a = operand
  %t0 = type
  %t1 = type
  %root = operation(%a : !pdl.value) -> (%t0, %t1 : !pdl.type, !pdl.type)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.foreach
pdl.pattern : benefit(1) {
  %t0 = type
  %t1 = type
  %t2 = type
  %op0 = operation -> (%t0 : !pdl.type)
  %v0 = result 0 of %op0
  %op1 = operation(%v0 : !pdl.value) -> (%t1 : !pdl.type)
  %v1 = result 0 of %op1
  %root = operation "test.op"(%v1 : !pdl.value) -> (%t2 : !pdl.type)
  rewrite %op0 {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_users_of_value
pdl.pattern : benefit(1) {
  %t0 = type
  %op0 = operation -> (%t0 : !pdl.type)
  %v0 = result 0 of %op0
  %rest = operands
  %types = types
  %root = operation "test.op"(%v0, %rest : !pdl.value, !pdl.range<value>) -> (%types : !pdl.range<type>)
  rewrite %op0 {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_all_users_of_range
pdl.pattern : benefit(1) {
  %t0 = type
  %t1 = type
  %op0 = operation -> (%t0, %t1 : !pdl.type, !pdl.type)
  %v = result 0 of %op0
  %types = types
  %root = operation "test.op"(%v : !pdl.value) -> (%types : !pdl.range<type>)
  rewrite %op0 {
    %new = operation "test.success"
    erase %root
  }
}
pdl.pattern : benefit(1) {
  %t0 = type
  %t1 = type
  %op0 = operation -> (%t0, %t1 : !pdl.type, !pdl.type)
  %v = result 1 of %op0
  %types = types
  %root = operation "test.op"(%v : !pdl.value) -> (%types : !pdl.range<type>)
  rewrite %op0 {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_first_users_of_range
pdl.pattern : benefit(1) {
  %t0 = type
  %t1 = type
  %op0 = operation -> (%t0, %t1 : !pdl.type, !pdl.type)
  %v0 = result 0 of %op0
  %types = types
  %root = operation "test.op"(%v0 : !pdl.value) -> (%types : !pdl.range<type>)
  rewrite %op0 {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_defining_op_1
pdl.pattern : benefit(1) {
  %t = type
  %def = operation -> (%t : !pdl.type)
  %v0 = result 0 of %def
  %b = operand
  %c = operand
  %d = operand
  %v4 = result 0 of %def
  %root = operation(%v0, %b, %c, %d, %v4 : !pdl.value, !pdl.value, !pdl.value, !pdl.value, !pdl.value)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_operands_1
pdl.pattern : benefit(1) {
  %a = operand
  %b = operand
  %root = operation(%a, %b : !pdl.value, !pdl.value)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_operands_2
pdl.pattern : benefit(1) {
  %a = operands
  %b = operands
  %c = operand
  %d = operands
  %root = operation "test.attr_sized_operands"(%a, %b, %c, %d : !pdl.range<value>, !pdl.range<value>, !pdl.value, !pdl.range<value>)
  rewrite %root {
    %n0 = operation "test.success"(%a : !pdl.range<value>)
    %n1 = operation "test.success"(%b : !pdl.range<value>)
    %n2 = operation "test.success"(%c : !pdl.value)
    %n3 = operation "test.success"(%c : !pdl.value)
    erase %root
  }
}
// -----
// case: test.get_result_1
pdl.pattern : benefit(1) {
  %t = type
  %b = type
  %c = type
  %d = type
  %root = operation -> (%t, %b, %c, %d, %t : !pdl.type, !pdl.type, !pdl.type, !pdl.type, !pdl.type)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_results_1
pdl.pattern : benefit(1) {
  %t0 = type
  %t1 = type
  %t2 = type
  %t3 = type
  %t4 = type
  %root = operation -> (%t0, %t1, %t2, %t3, %t4 : !pdl.type, !pdl.type, !pdl.type, !pdl.type, !pdl.type)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.get_results_2
pdl.pattern : benefit(1) {
  %a = types
  %b = types
  %c = type
  %d = types
  %root = operation "test.attr_sized_results" -> (%a, %b, %c, %d : !pdl.range<type>, !pdl.range<type>, !pdl.type, !pdl.range<type>)
  rewrite %root {
    %n0 = operation "test.success" -> (%a : !pdl.range<type>)
    %n1 = operation "test.success" -> (%b : !pdl.range<type>)
    %n2 = operation "test.success" -> (%c : !pdl.type)
    %n3 = operation "test.success" -> (%c : !pdl.type)
    %r0 = results of %n0
    %r1 = results of %n1
    %r2 = results of %n2
    replace %root with (%r0, %r1, %r2 : !pdl.range<value>, !pdl.range<value>, !pdl.range<value>)
  }
}
// -----
// case: test.record_match_1
pdl.pattern : benefit(1) {
  %root = operation "test.op"
  rewrite %root {
    %new = operation "test.failure"
    erase %root
  }
}
pdl.pattern : benefit(2) {
  %root = operation "test.op"
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.record_match_2
pdl.pattern : benefit(1) {
  %operands = operands
  %types = types
  %root = operation "test.op"(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
  rewrite %root {
    %new = operation "test.success"(%operands : !pdl.range<value>) -> (%types : !pdl.range<type>)
    %results = results of %new
    replace %root with (%results : !pdl.range<value>)
  }
}
// -----
// case: test.replace_op_1
pdl.pattern : benefit(1) {
  %a = operand
  %t = type
  %root = operation "test.op"(%a : !pdl.value) -> (%t : !pdl.type)
  rewrite %root {
    replace %root with (%a : !pdl.value)
  }
}
// -----
// case: test.switch_attribute_1
pdl.pattern : benefit(1) {
  %unit = attribute = unit
  %root = operation {"test_attr" = %unit}
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.switch_operand_1
pdl.pattern : benefit(1) {
  %a = operand
  %root = operation(%a : !pdl.value)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.switch_operation_name_1
pdl.pattern : benefit(1) {
  %root = operation "test.op"
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.switch_result_1
pdl.pattern : benefit(1) {
  %t = type
  %root = operation -> (%t : !pdl.type)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.switch_type_1
pdl.pattern : benefit(1) {
  %type = type : i32
  %attr = attribute : %type
  %root = operation {"test_attr" = %attr}
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
// -----
// case: test.switch_types_1
pdl.pattern : benefit(1) {
  %types = types : [i64, i64]
  %root = operation -> (%types : !pdl.range<type>)
  rewrite %root {
    %new = operation "test.success"
    erase %root
  }
}
