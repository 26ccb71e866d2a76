// Inference of result types and shapes from operands.

#ifndef DRRVM_INTERFACES_INFERTYPEOPINTERFACE
#define DRRVM_INTERFACES_INFERTYPEOPINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def InferTypeOpInterface : OpInterface<"InferTypeOpInterface"> {
  let verifyWithRegions = 1;
}
def InferShapedTypeOpInterface : OpInterface<"InferShapedTypeOpInterface">;
def ReifyRankedShapedTypeOpInterface : OpInterface<"ReifyRankedShapedTypeOpInterface">;
}

// C++ infers the result types from the op's adaptor.
class InferTypeOpAdaptorBase<code additionalDecls = [{}]>
    : TraitList<[DeclareOpInterfaceMethods<InferTypeOpInterface>,
                 NativeOpTrait<"InferTypeOpAdaptor", [], additionalDecls>]>;
def InferTypeOpAdaptor : InferTypeOpAdaptorBase;
def InferTypeOpAdaptorWithIsCompatible : InferTypeOpAdaptorBase;

// C++ infers the shapes of the results from the op's adaptor.
class InferShapedTypeOpAdaptorBase<list<string> overridenMethods = []>
    : TraitList<[DeclareOpInterfaceMethods<InferShapedTypeOpInterface, overridenMethods>,
                 NativeOpTrait<"InferShapedTypeOpAdaptor">]>;

// The result types are tensors with inferred shapes.
class InferTensorTypeBase<list<string> overridenMethods = []>
    : TraitList<[DeclareOpInterfaceMethods<InferTypeOpInterface>,
                 DeclareOpInterfaceMethods<InferShapedTypeOpInterface, overridenMethods>,
                 NativeOpTrait<"InferTensorType">]>;
class InferTensorTypeAdaptorBase<list<string> overridenMethods = []>
    : TraitList<[DeclareOpInterfaceMethods<InferTypeOpInterface>,
                 InferShapedTypeOpAdaptorBase<overridenMethods>,
                 NativeOpTrait<"InferTensorType">]>;

defvar _shapes = ["inferReturnTypeComponents"];
defvar _shapesReified = ["inferReturnTypeComponents", "reifyReturnTypeShapes"];
def InferShapedTypeOpAdaptor : InferShapedTypeOpAdaptorBase<_shapes>;
def InferShapedTypeOpAdaptorWithReify : InferShapedTypeOpAdaptorBase<_shapesReified>;
def InferTensorType : InferTensorTypeBase<_shapes>;
def InferTensorTypeWithReify : InferTensorTypeBase<_shapesReified>;
def InferTensorTypeAdaptor : InferTensorTypeAdaptorBase<_shapes>;
def InferTensorTypeAdaptorWithReify : InferTensorTypeAdaptorBase<_shapesReified>;

def SameOperandsAndResultType : NativeOpTrait<"SameOperandsAndResultType">;
def SameOperandsAndResultRank : NativeOpTrait<"SameOperandsAndResultRank">;

#endif
