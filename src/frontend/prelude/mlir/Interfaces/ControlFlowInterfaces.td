// Branches, control flow between regions, selects.

#ifndef DRRVM_INTERFACES_CONTROLFLOWINTERFACES
#define DRRVM_INTERFACES_CONTROLFLOWINTERFACES

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def BranchOpInterface : OpInterface<"BranchOpInterface">;
def RegionBranchOpInterface : OpInterface<"RegionBranchOpInterface"> {
  let verifyWithRegions = 1;
}
def RegionBranchTerminatorOpInterface : OpInterface<"RegionBranchTerminatorOpInterface">;
def SelectLikeOpInterface : OpInterface<"SelectLikeOpInterface">;
def WeightedBranchOpInterface : OpInterface<"WeightedBranchOpInterface">;
def WeightedRegionBranchOpInterface : OpInterface<"WeightedRegionBranchOpInterface">;
}

// A terminator whose operands become the results of the enclosing op.
def ReturnLike : TraitList<[DeclareOpInterfaceMethods<RegionBranchTerminatorOpInterface>,
                            NativeOpTrait<"ReturnLike">]>;

#endif
