// The C++ that SPIRVCanonicalization.td refers to.
#pragma once
#include "bench.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
