// Region kinds: SSA dominance or graph.

#ifndef DRRVM_IR_REGIONKINDINTERFACE
#define DRRVM_IR_REGIONKINDINTERFACE

include "mlir/IR/OpBase.td"

let cppNamespace = "::mlir" in {
def RegionKindInterface : OpInterface<"RegionKindInterface">;
}

def HasOnlyGraphRegion : NativeOpTrait<"HasOnlyGraphRegion">;
def GraphRegionNoTerminator
    : TraitList<[NoTerminator, SingleBlock, RegionKindInterface, HasOnlyGraphRegion]>;

#endif
