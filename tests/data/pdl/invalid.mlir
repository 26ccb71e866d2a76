// Patterns that the dialect rejects or accepts: each part differs from a valid pattern in one respect.
// case: good
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: constraint no args
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.apply_native_constraint"() <{name = "x"}> : () -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: constraint empty custom
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  apply_native_constraint "x"()
  rewrite %r {
    erase %r
  }
}
// -----
// case: constraint gives op
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %o = apply_native_constraint "x"(%r : !pdl.operation) : !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: constraint gives rangeattr
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %o = apply_native_constraint "x"(%r : !pdl.operation) : !pdl.range<attribute>
  rewrite %r {
    erase %r
  }
}
// -----
// case: nrewrite none
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    apply_native_rewrite "x"
    erase %r
  }
}
// -----
// case: nrewrite gen
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "pdl.apply_native_rewrite"() <{name="x"}> : () -> ()
    erase %r
  }
}
// -----
// case: attr rewrite no value
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %a = attribute
    erase %r
  }
}
// -----
// case: attr rewrite type
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %t = type : i32
    %a = attribute : %t
    erase %r
  }
}
// -----
// case: attr unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = attribute
  rewrite %r {
    erase %r
  }
}
// -----
// case: attr both
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %t = type
  %a = attribute : %t = 1 : i32
  rewrite %r {
    erase %r
  }
}
// -----
// case: attr both gen
pdl.pattern : benefit(1) {
  %t = type
  %a = "pdl.attribute"(%t) <{value = 1 : i32}> : (!pdl.type) -> !pdl.attribute
  %r = operation {"a" = %a}
  rewrite %r {
    erase %r
  }
}
// -----
// case: attr const unused
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = attribute = 1 : i32
  rewrite %r {
    erase %r
  }
}
// -----
// case: type const unused
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = type : i32
  rewrite %r {
    erase %r
  }
}
// -----
// case: operand unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = operand
  rewrite %r {
    erase %r
  }
}
// -----
// case: operands unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = operands
  rewrite %r {
    erase %r
  }
}
// -----
// case: type unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = type
  rewrite %r {
    erase %r
  }
}
// -----
// case: types unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = types
  rewrite %r {
    erase %r
  }
}
// -----
// case: operation unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %b = operation "t.b"
  rewrite %r {
    erase %r
  }
}
// -----
// case: operation result unbound
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %b = operation "t.b"
  %c = result 0 of %b
  rewrite %r {
    erase %r
  }
}
// -----
// case: operand in rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %a = operand
    erase %r
  }
}
// -----
// case: operands in rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %a = operands
    erase %r
  }
}
// -----
// case: constraint in rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    apply_native_constraint "x"(%r : !pdl.operation)
    erase %r
  }
}
// -----
// case: erase in match
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  erase %r
  rewrite %r {
    erase %r
  }
}
// -----
// case: replace in match
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  replace %r with %r
  rewrite %r {
    erase %r
  }
}
// -----
// case: range in match
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = range : !pdl.range<value>
  rewrite %r {
    erase %r
  }
}
// -----
// case: nrewrite in match
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  apply_native_rewrite "x"(%r : !pdl.operation)
  rewrite %r {
    erase %r
  }
}
// -----
// case: op rewrite no name
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %o = operation
    erase %r
  }
}
// -----
// case: attr counts
pdl.pattern : benefit(1) {
  %a = attribute
  %r = "pdl.operation"(%a) <{attributeValueNames=["x","y"], operandSegmentSizes=array<i32:0,1,0>}> : (!pdl.attribute) -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: attr counts2
pdl.pattern : benefit(1) {
  %a = attribute
  %r = "pdl.operation"(%a) <{attributeValueNames=[], operandSegmentSizes=array<i32:0,1,0>}> : (!pdl.attribute) -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: no names
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: names ints
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[1], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: no segments
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[]}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: bad segments
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,1>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: neg segments
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,-1,1>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: four segments
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0,0>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: segments64
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i64:0,0,0>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: opname int
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{opName = 1 : i32, attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: op operand kind
pdl.pattern : benefit(1) {
  %t = type
  %r = "pdl.operation"(%t) <{attributeValueNames=[], operandSegmentSizes=array<i32:1,0,0>}> : (!pdl.type) -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: op region
pdl.pattern : benefit(1) {
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> ({}) : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: erase region
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "pdl.erase"(%r) ({}) : (!pdl.operation) -> ()
  }
}
// -----
// case: erase two
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "pdl.erase"(%r, %r) : (!pdl.operation, !pdl.operation) -> ()
  }
}
// -----
// case: erase none
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "pdl.erase"() : () -> ()
  }
}
// -----
// case: erase value
pdl.pattern : benefit(1) {
  %x = operand
  %r = operation (%x : !pdl.value)
  rewrite %r {
    "pdl.erase"(%x) : (!pdl.value) -> ()
  }
}
// -----
// case: erase result
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %x = "pdl.erase"(%r) : (!pdl.operation) -> !pdl.value
  }
}
// -----
// case: result noindex
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.result"(%r) : (!pdl.operation) -> !pdl.value
  rewrite %r {
    erase %r
  }
}
// -----
// case: result i64
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.result"(%r) <{index = 0 : i64}>: (!pdl.operation) -> !pdl.value
  rewrite %r {
    erase %r
  }
}
// -----
// case: result huge
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = result 4294967296 of %r
  rewrite %r {
    erase %r
  }
}
// -----
// case: result huge31
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = result 2147483648 of %r
  rewrite %r {
    erase %r
  }
}
// -----
// case: results value
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.results"(%r) : (!pdl.operation) -> !pdl.value
  rewrite %r {
    erase %r
  }
}
// -----
// case: results type
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.results"(%r) : (!pdl.operation) -> !pdl.type
  rewrite %r {
    erase %r
  }
}
// -----
// case: results i op
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = results 0 of %r -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: results custom value
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = results of %r -> !pdl.value
  rewrite %r {
    erase %r
  }
}
// -----
// case: range mixed
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %t = type : i32
    %x = range %t, %r : !pdl.type, !pdl.operation
    erase %r
  }
}
// -----
// case: range ops
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %x = range %r : !pdl.operation
    erase %r
  }
}
// -----
// case: range attrs
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %x = range : !pdl.range<attribute>
    erase %r
  }
}
// -----
// case: range empty type
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %x = range : !pdl.type
    erase %r
  }
}
// -----
// case: range gen mixed
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %t = type : i32
    %x = "pdl.range"(%t) : (!pdl.type) -> !pdl.range<value>
    erase %r
  }
}
// -----
// case: replace both
pdl.pattern : benefit(1) {
  %v = operand
  %r = operation "t.a"(%v : !pdl.value)
  rewrite %r {
    "pdl.replace"(%r, %r, %v) <{operandSegmentSizes = array<i32: 1, 1, 1>}> : (!pdl.operation, !pdl.operation, !pdl.value) -> ()
  }
}
// -----
// case: replace type
pdl.pattern : benefit(1) {
  %t = type
  %r = operation "t.a" -> (%t : !pdl.type)
  rewrite %r {
    "pdl.replace"(%r, %t) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (!pdl.operation, !pdl.type) -> ()
  }
}
// -----
// case: replace nothing
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "pdl.replace"(%r) <{operandSegmentSizes = array<i32: 1, 0, 0>}> : (!pdl.operation) -> ()
  }
}
// -----
// case: replace two ops
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "pdl.replace"(%r,%r,%r) <{operandSegmentSizes = array<i32: 1, 2, 0>}> : (!pdl.operation,!pdl.operation,!pdl.operation) -> ()
  }
}
// -----
// case: replace custom nothing
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    replace %r with
  }
}
// -----
// case: replace custom empty
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    replace %r with ()
  }
}
// -----
// case: rewrite ext body
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r with "x" { erase %r }
}
// -----
// case: rewrite ext empty body
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r with "x" { }
}
// -----
// case: rewrite empty gen
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}
// -----
// case: rewrite empty custom
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r { }
}
// -----
// case: rewrite nothing
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r
}
// -----
// case: rewrite args inline
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r,%r) <{operandSegmentSizes = array<i32:1,1>}> ({
  ^bb0:
  }) : (!pdl.operation,!pdl.operation) -> ()
}
// -----
// case: rewrite noregion gen
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{operandSegmentSizes = array<i32:1,0>}> : (!pdl.operation) -> ()
}
// -----
// case: rewrite two regions
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{operandSegmentSizes = array<i32:1,0>}> ({},{}) : (!pdl.operation) -> ()
}
// -----
// case: rewrite two regions, one with a body
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{operandSegmentSizes = array<i32:1,0>}> ({}, {
  ^bb0:
    "pdl.erase"(%r) : (!pdl.operation) -> ()
  }) : (!pdl.operation) -> ()
}
// -----
// case: rewrite with a name and without a region
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> : (!pdl.operation) -> ()
}
// -----
// case: rewrite blockargs
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{operandSegmentSizes = array<i32:1,0>}> ({
  ^bb0(%x : !pdl.value):
  }) : (!pdl.operation) -> ()
}
// -----
// case: rewrite two blocks
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.rewrite"(%r) <{operandSegmentSizes = array<i32:1,0>}> ({
    "pdl.erase"(%r) : (!pdl.operation) -> ()
  ^bb1:
  }) : (!pdl.operation) -> ()
}
// -----
// case: rewrite root value
pdl.pattern : benefit(1) {
  %x = operand
  %r = operation (%x : !pdl.value)
  rewrite %x { erase %r }
}
// -----
// case: rewrite in rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    rewrite %r {
    }
  }
}
// -----
// case: rewrite not last
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r { erase %r }
  %s = operation "t.b"
}
// -----
// case: rewrite twice
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r { erase %r }
  rewrite %r { erase %r }
}
// -----
// case: no rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
}
// -----
// case: empty pattern
pdl.pattern : benefit(1) {
}
// -----
// case: no operation
pdl.pattern : benefit(1) {
  rewrite { }
}
// -----
// case: foreign
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "t.x"() : () -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: foreign in rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    "t.x"() : () -> ()
    erase %r
  }
}
// -----
// case: foreign last
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "t.x"() : () -> ()
}
// -----
// case: disconnected
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %s = operation "t.b"
  rewrite %r {
    erase %s
    erase %r
  }
}
// -----
// case: disconnected2
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = operand
  %s = operation "t.b"(%x : !pdl.value)
  apply_native_constraint "c"(%s, %r : !pdl.operation, !pdl.operation)
  rewrite %r {
    erase %s
    erase %r
  }
}
// -----
// case: type alone connects
pdl.pattern : benefit(1) {
  %t = type
  %r = operation "t.a" -> (%t : !pdl.type)
  %s = operation "t.b" -> (%t : !pdl.type)
  rewrite %r {
    erase %s
    erase %r
  }
}
// -----
// case: attr alone connects
pdl.pattern : benefit(1) {
  %t = attribute
  %r = operation "t.a" {"v" = %t}
  %s = operation "t.b" {"v" = %t}
  rewrite %r {
    erase %s
    erase %r
  }
}
// -----
// case: benefit neg
pdl.pattern : benefit(-1) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit 32767
pdl.pattern : benefit(32767) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit 32768
pdl.pattern : benefit(32768) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit 65535
pdl.pattern : benefit(65535) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit 65534
pdl.pattern : benefit(65534) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit hex
pdl.pattern : benefit(0x10) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: no benefit
pdl.pattern @x {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: dup names
pdl.pattern @x : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
pdl.pattern @x : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit i32
"pdl.pattern"() <{benefit = 1 : i32}> ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : () -> ()
// -----
// case: pattern gen
"pdl.pattern"() <{benefit = 1 : i16}> ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : () -> ()
// -----
// case: pattern gen noben
"pdl.pattern"()  ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : () -> ()
// -----
// case: pattern gen noregion
"pdl.pattern"() <{benefit = 1 : i16}> : () -> ()
// -----
// case: pattern gen emptyregion
"pdl.pattern"() <{benefit = 1 : i16}> ({}) : () -> ()
// -----
// case: pattern gen two
"pdl.pattern"() <{benefit = 1 : i16}> ({}, {}) : () -> ()
// -----
// case: pattern gen result
"pdl.pattern"() <{benefit = 1 : i16}> ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : () -> !pdl.value
// -----
// case: pattern sym int
"pdl.pattern"() <{benefit = 1 : i16, sym_name = 3 : i32}> ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : () -> ()
// -----
// case: unknown pdl op
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  pdl.frob
  rewrite %r {
    erase %r
  }
}
// -----
// case: unknown pdl op gen
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.frob"() : () -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: unknown pdl type
pdl.pattern : benefit(1) {
  %x = "pdl.operand"() : () -> !pdl.frob
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: range op
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.types"() : () -> !pdl.range<operation>
  rewrite %r {
    erase %r
  }
}
// -----
// case: range range
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.types"() : () -> !pdl.range<range<type>>
  rewrite %r {
    erase %r
  }
}
// -----
// case: range i32
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.types"() : () -> !pdl.range<i32>
  rewrite %r {
    erase %r
  }
}
// -----
// case: range bangpdl
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = types : [i32]
  %y = "pdl.types"() <{constantTypes=[i32]}>: () -> !pdl.range<!pdl.type>
  rewrite %r {
    erase %r
  }
}
// -----
// case: types nontype
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = types : [1 : i32]
  rewrite %r {
    erase %r
  }
}
// -----
// case: types notlist
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = types : i32
  rewrite %r {
    erase %r
  }
}
// -----
// case: type nontype
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.type"() <{constantType = 1 : i32}> : () -> !pdl.type
  rewrite %r {
    erase %r
  }
}
// -----
// case: types empty
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = types : []
  rewrite %r {
    erase %r
  }
}
// -----
// case: undefined
pdl.pattern : benefit(1) {
  %r = operation (%x : !pdl.value)
  rewrite %r {
    erase %r
  }
}
// -----
// case: use before def
pdl.pattern : benefit(1) {
  %r = operation (%x : !pdl.value)
  %x = operand
  rewrite %r {
    erase %r
  }
}
// -----
// case: redefined
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: self use
pdl.pattern : benefit(1) {
  %r = operation (%x : !pdl.value)
  %x = result 0 of %r
  rewrite %r {
    erase %r
  }
}
// -----
// case: self use2
pdl.pattern : benefit(1) {
  %x = result 0 of %r
  %r = operation (%x : !pdl.value)
  rewrite %r {
    erase %r
  }
}
// -----
// case: wrong written type
pdl.pattern : benefit(1) {
  %x = operand
  %r = operation (%x : !pdl.type)
  rewrite %r {
    erase %r
  }
}
// -----
// case: count types less
pdl.pattern : benefit(1) {
  %x = operand
  %r = operation (%x, %x : !pdl.value)
  rewrite %r {
    erase %r
  }
}
// -----
// case: count types more
pdl.pattern : benefit(1) {
  %x = operand
  %r = operation (%x : !pdl.value, !pdl.value)
  rewrite %r {
    erase %r
  }
}
// -----
// case: gen types less
pdl.pattern : benefit(1) {
  %x = operand
  %r = "pdl.operation"(%x) <{attributeValueNames=[], operandSegmentSizes=array<i32:1,0,0>}> : () -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: gen types wrong
pdl.pattern : benefit(1) {
  %x = operand
  %r = "pdl.operation"(%x) <{attributeValueNames=[], operandSegmentSizes=array<i32:1,0,0>}> : (!pdl.type) -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: named two
pdl.pattern : benefit(1) {
  %x, %y = operand
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: named pack
pdl.pattern : benefit(1) {
  %x:2 = operand
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: pack zero
pdl.pattern : benefit(1) {
  %x:0 = operand
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: pack use over
pdl.pattern : benefit(1) {
  %x:2 = apply_native_constraint "c"(%r : !pdl.operation) : !pdl.type, !pdl.type
  rewrite %r {
    erase %r
  }
}
// -----
// case: pack good
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x:2 = apply_native_constraint "c"(%r : !pdl.operation) : !pdl.type, !pdl.type
  apply_native_constraint "d"(%x#1, %x#0 : !pdl.type, !pdl.type)
  rewrite %r {
    erase %r
  }
}
// -----
// case: pack over
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x:2 = apply_native_constraint "c"(%r : !pdl.operation) : !pdl.type, !pdl.type
  apply_native_constraint "d"(%x#2 : !pdl.type)
  rewrite %r {
    erase %r
  }
}
// -----
// case: unnamed results
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  operand
  rewrite %r {
    erase %r
  }
}
// -----
// case: rewrite value out
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %q = type : i32
    erase %r
  }
}
// -----
// case: type attr only
pdl.pattern : benefit(1) {
  %t = type
  %a = attribute : %t
  %r = operation "t.a" {"v" = %a}
  rewrite %r {
    %n = operation "t.b" -> (%t : !pdl.type)
    erase %r
  }
}
// -----
// case: arith infer none
module { func.func private @x()
  pdl.pattern : benefit(1) {
    %r = operation "t.a"
    rewrite %r {
      %n = operation "func.call_indirect"
      erase %r
    }
  }
}
// -----
// case: empty operands
pdl.pattern : benefit(1) {
  %r = operation "t.a"( : )
  rewrite %r {
    erase %r
  }
}
// -----
// case: empty results
pdl.pattern : benefit(1) {
  %r = operation "t.a" -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: isneg int
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  apply_native_constraint "x"(%r : !pdl.operation) {isNegated = 1 : i32}
  rewrite %r {
    erase %r
  }
}
// -----
// case: isneg unit
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  apply_native_constraint "x"(%r : !pdl.operation) {isNegated}
  rewrite %r {
    erase %r
  }
}
// -----
// case: isneg prop
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.apply_native_constraint"(%r) <{name = "x", isNegated = true}> : (!pdl.operation) -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: isneg prop int
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.apply_native_constraint"(%r) <{name = "x", isNegated = 1 : i32}> : (!pdl.operation) -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: dup attr
pdl.pattern : benefit(1) {
  %a = attribute
  %r = operation {"x" = %a, "x" = %a}
  rewrite %r {
    erase %r
  }
}
// -----
// case: bad string
pdl.pattern : benefit(1) {
  %r = operation "t.a
  rewrite %r {
    erase %r
  }
}
// -----
// case: extra close
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
}
// -----
// case: const attr bad
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %a = attribute = dense<[1, 2> : tensor<2xi32>
  rewrite %r {
    erase %r
  }
}
// -----
// case: res of value
pdl.pattern : benefit(1) {
  %x = operand
  %y = result 0 of %x
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: rewrite native not connected
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = operand
  rewrite %r with "x"(%x : !pdl.value)
}
// -----
// case: two err
pdl.pattern : benefit(1) {
  %x = operand
  %y = operand
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: region in operand
pdl.pattern : benefit(1) {
  %x = "pdl.operand"() ({}) : () -> !pdl.value
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: kw attrs op
pdl.pattern : benefit(1) {
  %r = operation "t.a" attributes {x = 1 : i32}
  rewrite %r {
    erase %r
  }
}
// -----
// case: attr dict rewrite
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r { } attributes {x}
}
// -----
// case: loc pattern
pdl.pattern : benefit(1) {
  %r = operation "t.a" loc("x":1:1)
  rewrite %r {
    erase %r
  }
}
// -----
// case: bb label
pdl.pattern : benefit(1) {
^bb0:
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: bb branch
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r { erase %r }
^bb1:
  rewrite %r {}
}
// -----
// case: pdlprefix
pdl.pattern : benefit(1) {
  %r = pdl.operation "t.a"
  pdl.rewrite %r {
    pdl.erase %r
  }
}
// -----
// case: types kind
pdl.pattern : benefit(1) {
  %t = type
  %x = operands : %t
  %r = operation(%x : !pdl.range<value>)
  rewrite %r {
    erase %r
  }
}
// -----
// case: constraint noname
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.apply_native_constraint"(%r) : (!pdl.operation) -> ()
  rewrite %r {
    erase %r
  }
}
// -----
// case: empty parens
pdl.pattern : benefit(1) {
  %r = operation "t.a"()
  rewrite %r {
    erase %r
  }
}
// -----
// case: native empty parens
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  rewrite %r {
    %x = apply_native_rewrite "x"() : !pdl.type
    erase %r
  }
}
// -----
// case: range attr one
pdl.pattern : benefit(1) {
  %a = attribute
  %r = operation "t.a" {"v" = %a}
  rewrite %r {
    %x = range %a : !pdl.attribute
    erase %r
  }
}
// -----
// case: replace by value kind
pdl.pattern : benefit(1) {
  %x = operand
  %r = operation "t.a"(%x : !pdl.value)
  rewrite %r {
    replace %r with %x
  }
}
// -----
// case: result hex
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = result 0x1 of %r
  rewrite %r {
    erase %r
  }
}
// -----
// case: results i64
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  %x = "pdl.results"(%r) <{index = 0 : i64}>: (!pdl.operation) -> !pdl.value
  rewrite %r {
    erase %r
  }
}
// -----
// case: pattern gen operand
%x = "t.x"() : () -> !pdl.type
"pdl.pattern"(%x) <{benefit = 1 : i16}> ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : (!pdl.type) -> ()
// -----
// case: benefit word
pdl.pattern : benefit(high) {
  %r = operation "t.a"
  rewrite %r {
    erase %r
  }
}
// -----
// case: benefit i64
"pdl.pattern"() <{benefit = 1 : i64}> ({
  %r = "pdl.operation"() <{attributeValueNames=[], operandSegmentSizes=array<i32:0,0,0>}> : () -> !pdl.operation
  "pdl.rewrite"(%r) <{name = "x", operandSegmentSizes = array<i32:1,0>}> ({}) : (!pdl.operation) -> ()
}) : () -> ()
// -----
// case: gen type count
pdl.pattern : benefit(1) {
  %x = operand
  %r = "pdl.operation"(%x) <{attributeValueNames=[], operandSegmentSizes=array<i32:1,0,0>}> : (!pdl.value, !pdl.value) -> !pdl.operation
  rewrite %r {
    erase %r
  }
}
// -----
// case: operand two
pdl.pattern : benefit(1) {
  %t = type
  %x = "pdl.operand"(%t, %t) : (!pdl.type, !pdl.type) -> !pdl.value
  %r = operation(%x : !pdl.value)
  rewrite %r {
    erase %r
  }
}
// -----
// case: results none
pdl.pattern : benefit(1) {
  %r = operation "t.a"
  "pdl.results"(%r) : (!pdl.operation) -> ()
  rewrite %r {
    erase %r
  }
}
