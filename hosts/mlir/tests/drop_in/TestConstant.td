// The operation of the dialect `test` that MLIR's test of `arith` uses.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def TestDialect : Dialect {
  let name = "test";
  let cppNamespace = "::test";
}

def TestConstant : Op<TestDialect, "constant", [ConstantLike, Pure]> {
  let arguments = (ins AnyAttr:$value);
  let results = (outs AnyType:$result);
  let hasFolder = 1;
}
