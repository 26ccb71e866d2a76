
// Creation of operations: the builders that MLIR 22.1 defines in C++ files.
//
// The definitions declare these builders without bodies. A function `XOp::create` of this file has the parameters of a
// builder and creates the same operation. The functions are in the language of helpers.

namespace llvm {
namespace drrvm {

// An alignment: a power of two, in bytes.
using Align = uint64_t;

using MaybeAlign = std::optional<uint64_t>;

} // namespace drrvm
} // namespace llvm

namespace mlir {
namespace drrvm {

// The parts of a new operation, which builders add one after the other.
class OperationState {
public:
  Location location;
  SmallVector<Value> operands;
  SmallVector<Type> types;
  SmallVector<NamedAttribute> attributes;

  void addOperands(ValueRange more) { operands.append(more.begin(), more.end()); }
  void addTypes(TypeRange more) { types.append(more.begin(), more.end()); }
  void addAttribute(StringRef name, Attribute attribute) {
    Builder builder(nullptr);
    attributes.push_back(builder.getNamedAttr(name, attribute));
  }
  void addAttributes(ArrayRef<NamedAttribute> more) { attributes.append(more.begin(), more.end()); }
};

// Static and dynamic sizes.

void dispatchIndexOpFoldResult(OpFoldResult x, SmallVectorImpl<Value> &dynamicVec, SmallVectorImpl<int64_t> &staticVec) {
  if (auto value = dyn_cast_if_present<Value>(x)) {
    dynamicVec.push_back(value);
    staticVec.push_back(ShapedType::kDynamic);
    return;
  }
  staticVec.push_back(cast<IntegerAttr>(cast<Attribute>(x)).getValue().getSExtValue());
}

void dispatchIndexOpFoldResults(ArrayRef<OpFoldResult> all, SmallVectorImpl<Value> &dynamicVec,
                                SmallVectorImpl<int64_t> &staticVec) {
  for (OpFoldResult x : all)
    dispatchIndexOpFoldResult(x, dynamicVec, staticVec);
}

std::pair<SmallVector<int64_t>, SmallVector<Value>> decomposeMixedValues(ArrayRef<OpFoldResult> all) {
  SmallVector<int64_t> numbers;
  SmallVector<Value> values;
  dispatchIndexOpFoldResults(all, values, numbers);
  return {numbers, values};
}

SmallVector<OpFoldResult> getMixedValues(ArrayRef<int64_t> staticValues, ValueRange dynamicValues, MLIRContext *context) {
  SmallVector<OpFoldResult> all;
  size_t next = 0;
  for (int64_t number : staticValues) {
    if (ShapedType::isDynamic(number)) {
      all.push_back(dynamicValues[next]);
      ++next;
    } else {
      all.push_back(IntegerAttr::get(IntegerType::get(context, 64), number));
    }
  }
  return all;
}

SmallVector<OpFoldResult> getMixedValues(ArrayRef<int64_t> staticValues, ValueRange dynamicValues, OpBuilder &builder) {
  return getMixedValues(staticValues, dynamicValues, builder.getContext());
}

ArrayAttr getReassociationIndicesAttribute(Builder &builder, ArrayRef<ReassociationIndices> reassociation) {
  SmallVector<Attribute> groups;
  for (ReassociationIndices group : reassociation)
    groups.push_back(builder.getI64ArrayAttr(group));
  return builder.getArrayAttr(groups);
}

// The dialect `tensor`.

tensor::DimOp tensor::DimOp::create(OpBuilder &builder, Location loc, Value source, int64_t index) {
  Value number = arith::ConstantIndexOp::create(builder, loc, index);
  return tensor::DimOp::create(builder, loc, source, number);
}

OpFoldResult tensor::getMixedSize(OpBuilder &builder, Location loc, Value value, int64_t dim) {
  auto type = cast<RankedTensorType>(value.getType());
  if (type.isDynamicDim(dim))
    return OpFoldResult(builder.createOrFold<tensor::DimOp>(loc, value, dim));
  return OpFoldResult(builder.getIndexAttr(type.getDimSize(dim)));
}

SmallVector<OpFoldResult> tensor::getMixedSizes(OpBuilder &builder, Location loc, Value value) {
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(value.getType()).getRank(); ++dim)
    sizes.push_back(tensor::getMixedSize(builder, loc, value, dim));
  return sizes;
}

tensor::EmptyOp tensor::EmptyOp::create(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes, Type element,
                                        Attribute encoding = {}) {
  return tensor::EmptyOp::create(builder, loc, RankedTensorType::get(sizes, element, encoding), ValueRange());
}

tensor::EmptyOp tensor::EmptyOp::create(OpBuilder &builder, Location loc, ArrayRef<int64_t> sizes, Type element,
                                        ValueRange dynamicSizes, Attribute encoding = {}) {
  return tensor::EmptyOp::create(builder, loc, RankedTensorType::get(sizes, element, encoding), dynamicSizes);
}

tensor::EmptyOp tensor::EmptyOp::create(OpBuilder &builder, Location loc, ArrayRef<OpFoldResult> sizes, Type element,
                                        Attribute encoding = {}) {
  auto [numbers, values] = decomposeMixedValues(sizes);
  return tensor::EmptyOp::create(builder, loc, RankedTensorType::get(numbers, element, encoding), values);
}

tensor::FromElementsOp tensor::FromElementsOp::create(OpBuilder &builder, Location loc, ValueRange elements) {
  int64_t size = elements.size();
  return tensor::FromElementsOp::create(builder, loc, RankedTensorType::get({size}, elements.front().getType()), elements);
}

tensor::SplatOp tensor::SplatOp::create(OpBuilder &builder, Location loc, Value element, Type aggregate,
                                        ValueRange dynamicSizes = {}) {
  return tensor::SplatOp::create(builder, loc, aggregate, element, dynamicSizes);
}

tensor::SplatOp tensor::SplatOp::create(OpBuilder &builder, Location loc, Value element, ArrayRef<int64_t> shape,
                                        ValueRange dynamicSizes = {}) {
  return tensor::SplatOp::create(builder, loc, RankedTensorType::get(shape, element.getType()), element, dynamicSizes);
}

tensor::SplatOp tensor::SplatOp::create(OpBuilder &builder, Location loc, Value element, ArrayRef<OpFoldResult> sizes) {
  auto [numbers, values] = decomposeMixedValues(sizes);
  return tensor::SplatOp::create(builder, loc, RankedTensorType::get(numbers, element.getType()), element, values);
}

RankedTensorType tensor::ExtractSliceOp::inferResultType(RankedTensorType source, ArrayRef<int64_t> sizes) {
  return RankedTensorType::get(sizes, source.getElementType(), source.getEncoding());
}

RankedTensorType tensor::ExtractSliceOp::inferResultType(RankedTensorType source, ArrayRef<OpFoldResult> sizes) {
  auto [numbers, values] = decomposeMixedValues(sizes);
  return tensor::ExtractSliceOp::inferResultType(source, numbers);
}

tensor::ExtractSliceOp tensor::ExtractSliceOp::create(OpBuilder &builder, Location loc, RankedTensorType type, Value source,
                                                      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                      ArrayRef<OpFoldResult> strides) {
  auto [staticOffsets, dynamicOffsets] = decomposeMixedValues(offsets);
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  auto [staticStrides, dynamicStrides] = decomposeMixedValues(strides);
  if (!type)
    type = tensor::ExtractSliceOp::inferResultType(cast<RankedTensorType>(source.getType()), staticSizes);
  return tensor::ExtractSliceOp::create(builder, loc, type, source, dynamicOffsets, dynamicSizes, dynamicStrides,
                                        builder.getDenseI64ArrayAttr(staticOffsets),
                                        builder.getDenseI64ArrayAttr(staticSizes),
                                        builder.getDenseI64ArrayAttr(staticStrides));
}

tensor::ExtractSliceOp tensor::ExtractSliceOp::create(OpBuilder &builder, Location loc, Value source,
                                                      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                      ArrayRef<OpFoldResult> strides) {
  return tensor::ExtractSliceOp::create(builder, loc, RankedTensorType(), source, offsets, sizes, strides);
}

tensor::ExtractSliceOp tensor::ExtractSliceOp::create(OpBuilder &builder, Location loc, RankedTensorType type, Value source,
                                                      ValueRange offsets, ValueRange sizes, ValueRange strides) {
  SmallVector<OpFoldResult> allOffsets(offsets.begin(), offsets.end()), allSizes(sizes.begin(), sizes.end()),
      allStrides(strides.begin(), strides.end());
  return tensor::ExtractSliceOp::create(builder, loc, type, source, allOffsets, allSizes, allStrides);
}

tensor::ExtractSliceOp tensor::ExtractSliceOp::create(OpBuilder &builder, Location loc, Value source, ValueRange offsets,
                                                      ValueRange sizes, ValueRange strides) {
  return tensor::ExtractSliceOp::create(builder, loc, RankedTensorType(), source, offsets, sizes, strides);
}

tensor::InsertSliceOp tensor::InsertSliceOp::create(OpBuilder &builder, Location loc, Value source, Value dest,
                                                    ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                                    ArrayRef<OpFoldResult> strides) {
  auto [staticOffsets, dynamicOffsets] = decomposeMixedValues(offsets);
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  auto [staticStrides, dynamicStrides] = decomposeMixedValues(strides);
  return tensor::InsertSliceOp::create(builder, loc, dest.getType(), source, dest, dynamicOffsets, dynamicSizes,
                                       dynamicStrides, builder.getDenseI64ArrayAttr(staticOffsets),
                                       builder.getDenseI64ArrayAttr(staticSizes),
                                       builder.getDenseI64ArrayAttr(staticStrides));
}

tensor::InsertSliceOp tensor::InsertSliceOp::create(OpBuilder &builder, Location loc, Value source, Value dest,
                                                    ValueRange offsets, ValueRange sizes, ValueRange strides) {
  SmallVector<OpFoldResult> allOffsets(offsets.begin(), offsets.end()), allSizes(sizes.begin(), sizes.end()),
      allStrides(strides.begin(), strides.end());
  return tensor::InsertSliceOp::create(builder, loc, source, dest, allOffsets, allSizes, allStrides);
}

RankedTensorType tensor::CollapseShapeOp::inferCollapsedType(RankedTensorType source,
                                                             ArrayRef<ReassociationIndices> reassociation) {
  SmallVector<int64_t> shape;
  for (ReassociationIndices group : reassociation) {
    int64_t size = 1;
    bool isDynamic = false;
    for (int64_t dim : group) {
      isDynamic = isDynamic || source.isDynamicDim(dim);
      if (!isDynamic)
        size *= source.getDimSize(dim);
    }
    shape.push_back(isDynamic ? ShapedType::kDynamic : size);
  }
  return RankedTensorType::get(shape, source.getElementType());
}

tensor::CollapseShapeOp tensor::CollapseShapeOp::create(OpBuilder &builder, Location loc, Value source,
                                                        ArrayRef<ReassociationIndices> reassociation) {
  auto type = tensor::CollapseShapeOp::inferCollapsedType(cast<RankedTensorType>(source.getType()), reassociation);
  return tensor::CollapseShapeOp::create(builder, loc, type, source,
                                         getReassociationIndicesAttribute(builder, reassociation));
}

tensor::CollapseShapeOp tensor::CollapseShapeOp::create(OpBuilder &builder, Location loc, Type type, Value source,
                                                        ArrayRef<ReassociationIndices> reassociation) {
  return tensor::CollapseShapeOp::create(builder, loc, type, source,
                                         getReassociationIndicesAttribute(builder, reassociation));
}

tensor::ExpandShapeOp tensor::ExpandShapeOp::create(OpBuilder &builder, Location loc, Type type, Value source,
                                                    ArrayRef<ReassociationIndices> reassociation,
                                                    ArrayRef<OpFoldResult> outputShape) {
  auto [numbers, values] = decomposeMixedValues(outputShape);
  return tensor::ExpandShapeOp::create(builder, loc, type, source,
                                       getReassociationIndicesAttribute(builder, reassociation), values,
                                       builder.getDenseI64ArrayAttr(numbers));
}

tensor::ExpandShapeOp tensor::ExpandShapeOp::create(OpBuilder &builder, Location loc, Type type, Value source,
                                                    ArrayRef<ReassociationIndices> reassociation) {
  auto shaped = cast<RankedTensorType>(type);
  if (!shaped.hasStaticShape() || !cast<RankedTensorType>(source.getType()).hasStaticShape())
    llvm_unreachable("'tensor::ExpandShapeOp::create' without an output shape takes static types only");
  SmallVector<OpFoldResult> shape;
  for (int64_t size : shaped.getShape())
    shape.push_back(builder.getIndexAttr(size));
  return tensor::ExpandShapeOp::create(builder, loc, type, source, reassociation, shape);
}

RankedTensorType tensor::PadOp::inferResultType(RankedTensorType source, ArrayRef<int64_t> low, ArrayRef<int64_t> high,
                                                ArrayRef<int64_t> resultShape = {}) {
  SmallVector<int64_t> shape;
  for (int64_t dim = 0; dim < source.getRank(); ++dim) {
    bool isDynamic = source.isDynamicDim(dim) || ShapedType::isDynamic(low[dim]) || ShapedType::isDynamic(high[dim]);
    if (!isDynamic)
      shape.push_back(source.getDimSize(dim) + low[dim] + high[dim]);
    else
      shape.push_back(resultShape.empty() ? ShapedType::kDynamic : resultShape[dim]);
  }
  return RankedTensorType::get(shape, source.getElementType());
}

tensor::PadOp tensor::PadOp::create(OpBuilder &builder, Location loc, Type type, Value source, ArrayRef<OpFoldResult> low,
                                    ArrayRef<OpFoldResult> high, bool nofold = false) {
  auto [staticLow, dynamicLow] = decomposeMixedValues(low);
  auto [staticHigh, dynamicHigh] = decomposeMixedValues(high);
  if (!type)
    type = tensor::PadOp::inferResultType(cast<RankedTensorType>(source.getType()), staticLow, staticHigh);
  return tensor::PadOp::create(builder, loc, type, source, dynamicLow, dynamicHigh,
                               builder.getDenseI64ArrayAttr(staticLow), builder.getDenseI64ArrayAttr(staticHigh),
                               nofold ? builder.getUnitAttr() : UnitAttr());
}

tensor::PadOp tensor::PadOp::create(OpBuilder &builder, Location loc, Type type, Value source, ArrayRef<OpFoldResult> low,
                                    ArrayRef<OpFoldResult> high, Value constantPadValue, bool nofold = false) {
  auto pad = tensor::PadOp::create(builder, loc, type, source, low, high, nofold);
  size_t rank = cast<RankedTensorType>(source.getType()).getRank();
  SmallVector<Type> types(rank, builder.getIndexType());
  SmallVector<Location> locations(rank, loc);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&pad.getRegion(), pad.getRegion().end(), types, locations);
  tensor::YieldOp::create(builder, loc, constantPadValue);
  return pad;
}

tensor::GenerateOp tensor::GenerateOp::create(OpBuilder &builder, Location loc, Type type, ValueRange dynamicExtents,
                                              function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  auto generate = tensor::GenerateOp::create(builder, loc, type, dynamicExtents);
  size_t rank = cast<RankedTensorType>(type).getRank();
  SmallVector<Type> types(rank, builder.getIndexType());
  SmallVector<Location> locations(rank, loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&generate.getBody(), generate.getBody().end(), types, locations);
  body(builder, loc, block->getArguments());
  return generate;
}

// The dialect `arith`.

arith::AddUIExtendedOp arith::AddUIExtendedOp::create(OpBuilder &builder, Location loc, Value lhs, Value rhs) {
  Type sum = lhs.getType(), overflow = builder.getI1Type();
  if (auto shaped = dyn_cast<ShapedType>(sum))
    overflow = shaped.cloneWith(std::nullopt, overflow);
  return arith::AddUIExtendedOp::create(builder, loc, sum, overflow, lhs, rhs);
}

// The dialect `func`.

unsigned func::FuncOp::getNumArguments() { return getFunctionType().getNumInputs(); }

ValueRange func::FuncOp::getArguments() { return getBody().front().getArguments(); }

Value func::FuncOp::getArgument(unsigned index) { return getBody().front().getArgument(index); }

// The dialect `memref`.

memref::DimOp memref::DimOp::create(OpBuilder &builder, Location loc, Value source, int64_t index) {
  Value number = arith::ConstantIndexOp::create(builder, loc, index);
  return memref::DimOp::create(builder, loc, source, number);
}

memref::SubViewOp memref::SubViewOp::create(OpBuilder &builder, Location loc, MemRefType type, Value source,
                                            ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
                                            ArrayRef<OpFoldResult> strides) {
  auto [staticOffsets, dynamicOffsets] = decomposeMixedValues(offsets);
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  auto [staticStrides, dynamicStrides] = decomposeMixedValues(strides);
  return memref::SubViewOp::create(builder, loc, type, source, dynamicOffsets, dynamicSizes, dynamicStrides,
                                   builder.getDenseI64ArrayAttr(staticOffsets),
                                   builder.getDenseI64ArrayAttr(staticSizes),
                                   builder.getDenseI64ArrayAttr(staticStrides));
}

memref::ReinterpretCastOp memref::ReinterpretCastOp::create(OpBuilder &builder, Location loc, MemRefType type, Value source,
                                                            OpFoldResult offset, ArrayRef<OpFoldResult> sizes,
                                                            ArrayRef<OpFoldResult> strides) {
  SmallVector<int64_t> staticOffsets, staticSizes, staticStrides;
  SmallVector<Value> dynamicOffsets, dynamicSizes, dynamicStrides;
  dispatchIndexOpFoldResult(offset, dynamicOffsets, staticOffsets);
  dispatchIndexOpFoldResults(sizes, dynamicSizes, staticSizes);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  return memref::ReinterpretCastOp::create(builder, loc, type, source, dynamicOffsets, dynamicSizes, dynamicStrides,
                                           builder.getDenseI64ArrayAttr(staticOffsets),
                                           builder.getDenseI64ArrayAttr(staticSizes),
                                           builder.getDenseI64ArrayAttr(staticStrides));
}

// The dialect `scf`.

Block *scf::ForOp::getBody() { return &getRegion().front(); }

ValueRange scf::ForOp::getRegionIterArgs() { return getRegion().front().getArguments().drop_front(); }

Block *scf::IfOp::thenBlock() { return &getThenRegion().front(); }

Block *scf::IfOp::elseBlock() {
  if (getElseRegion().empty())
    return nullptr;
  return &getElseRegion().front();
}

scf::IfOp scf::IfOp::create(OpBuilder &builder, Location loc, TypeRange types, Value condition, bool addThenBlock,
                            bool addElseBlock) {
  auto made = scf::IfOp::create(builder, loc, types, condition);
  OpBuilder::InsertionGuard guard(builder);
  if (addThenBlock)
    builder.createBlock(&made.getThenRegion());
  if (addElseBlock)
    builder.createBlock(&made.getElseRegion());
  return made;
}

scf::IfOp scf::IfOp::create(OpBuilder &builder, Location loc, TypeRange types, Value condition, bool withElseRegion) {
  auto made = scf::IfOp::create(builder, loc, types, condition);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&made.getThenRegion());
  if (types.empty())
    scf::YieldOp::create(builder, loc);
  if (withElseRegion) {
    builder.createBlock(&made.getElseRegion());
    if (types.empty())
      scf::YieldOp::create(builder, loc);
  }
  return made;
}

scf::IfOp scf::IfOp::create(OpBuilder &builder, Location loc, Value condition, bool withElseRegion) {
  return scf::IfOp::create(builder, loc, TypeRange(), condition, withElseRegion);
}

// The types of the results follow from the body, which is therefore created inside a draft of the operation.
scf::IfOp scf::IfOp::create(OpBuilder &builder, Location loc, Value condition,
                            function_ref<void(OpBuilder &, Location)> thenBuilder) {
  scf::IfOp draft = scf::IfOp::create(builder, loc, TypeRange(), condition);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.createBlock(&draft.getThenRegion());
    thenBuilder(builder, loc);
  }
  SmallVector<Type> types;
  for (Value result : draft.getThenRegion().front().getTerminator()->getOperands())
    types.push_back(result.getType());
  if (types.empty())
    return draft;
  scf::IfOp made = scf::IfOp::create(builder, loc, types, condition);
  made.getThenRegion().takeBody(draft.getThenRegion());
  builder.eraseOp(draft);
  return made;
}

scf::IfOp scf::IfOp::create(OpBuilder &builder, Location loc, Value condition,
                            function_ref<void(OpBuilder &, Location)> thenBuilder,
                            function_ref<void(OpBuilder &, Location)> elseBuilder) {
  auto made = scf::IfOp::create(builder, loc, condition, thenBuilder);
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&made.getElseRegion());
  elseBuilder(builder, loc);
  return made;
}

scf::ForOp scf::ForOp::create(OpBuilder &builder, Location loc, Value lowerBound, Value upperBound, Value step,
                              ValueRange initArgs = {}) {
  scf::ForOp loop = scf::ForOp::create(builder, loc, initArgs.getTypes(), lowerBound, upperBound, step, initArgs,
                                       UnitAttr());
  SmallVector<Type> types{lowerBound.getType()};
  SmallVector<Location> locations{loc};
  for (Value init : initArgs) {
    types.push_back(init.getType());
    locations.push_back(init.getLoc());
  }
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&loop.getRegion(), loop.getRegion().end(), types, locations);
  if (initArgs.empty())
    scf::YieldOp::create(builder, loc);
  return loop;
}

scf::ForOp scf::ForOp::create(OpBuilder &builder, Location loc, Value lowerBound, Value upperBound, Value step,
                              ValueRange initArgs,
                              function_ref<void(OpBuilder &, Location, Value, ValueRange)> bodyBuilder) {
  scf::ForOp loop = scf::ForOp::create(builder, loc, initArgs.getTypes(), lowerBound, upperBound, step, initArgs,
                                       UnitAttr());
  SmallVector<Type> types{lowerBound.getType()};
  SmallVector<Location> locations{loc};
  for (Value init : initArgs) {
    types.push_back(init.getType());
    locations.push_back(init.getLoc());
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&loop.getRegion(), loop.getRegion().end(), types, locations);
  bodyBuilder(builder, loc, body->getArgument(0), body->getArguments().drop_front());
  return loop;
}

scf::WhileOp scf::WhileOp::create(OpBuilder &builder, Location loc, TypeRange types, ValueRange inits,
                                  function_ref<void(OpBuilder &, Location, ValueRange)> beforeBuilder,
                                  function_ref<void(OpBuilder &, Location, ValueRange)> afterBuilder) {
  scf::WhileOp loop = scf::WhileOp::create(builder, loc, types, inits);
  SmallVector<Location> locationsOfInits;
  for (Value init : inits)
    locationsOfInits.push_back(init.getLoc());
  OpBuilder::InsertionGuard guard(builder);
  Block *before =
      builder.createBlock(&loop.getBefore(), loop.getBefore().end(), inits.getTypes(), locationsOfInits);
  beforeBuilder(builder, loc, before->getArguments());
  SmallVector<Location> locations(types.size(), loc);
  Block *after = builder.createBlock(&loop.getAfter(), loop.getAfter().end(), types, locations);
  afterBuilder(builder, loc, after->getArguments());
  return loop;
}

memref::ReinterpretCastOp memref::ReinterpretCastOp::create(OpBuilder &builder, Location loc, MemRefType type, Value source,
                                                            int64_t offset, ArrayRef<int64_t> sizes,
                                                            ArrayRef<int64_t> strides) {
  return memref::ReinterpretCastOp::create(builder, loc, type, source, ValueRange(), ValueRange(), ValueRange(),
                                           builder.getDenseI64ArrayAttr({offset}), builder.getDenseI64ArrayAttr(sizes),
                                           builder.getDenseI64ArrayAttr(strides));
}

// The dialect `vector`.

vector::ExtractOp vector::ExtractOp::create(OpBuilder &builder, Location loc, Value source,
                                            ArrayRef<OpFoldResult> position) {
  auto [numbers, values] = decomposeMixedValues(position);
  auto type = cast<VectorType>(source.getType());
  Type result = type.getElementType();
  size_t count = numbers.size();
  if (count != type.getShape().size())
    result = VectorType::get(type.getShape().drop_front(count), type.getElementType(),
                             type.getScalableDims().drop_front(count));
  return vector::ExtractOp::create(builder, loc, result, source, values, builder.getDenseI64ArrayAttr(numbers));
}

vector::ExtractOp vector::ExtractOp::create(OpBuilder &builder, Location loc, Value source, ArrayRef<int64_t> position) {
  SmallVector<OpFoldResult> all;
  for (int64_t number : position)
    all.push_back(builder.getIndexAttr(number));
  return vector::ExtractOp::create(builder, loc, source, all);
}

vector::ExtractOp vector::ExtractOp::create(OpBuilder &builder, Location loc, Value source) {
  SmallVector<int64_t> position(cast<VectorType>(source.getType()).getRank(), 0);
  return vector::ExtractOp::create(builder, loc, source, position);
}

vector::ExtractOp vector::ExtractOp::create(OpBuilder &builder, Location loc, Value source, int64_t position) {
  SmallVector<int64_t> all{position};
  return vector::ExtractOp::create(builder, loc, source, all);
}

vector::ExtractOp vector::ExtractOp::create(OpBuilder &builder, Location loc, Value source, Value position) {
  SmallVector<OpFoldResult> all{position};
  return vector::ExtractOp::create(builder, loc, source, all);
}

vector::ExtractOp vector::ExtractOp::create(OpBuilder &builder, Location loc, Value source, OpFoldResult position) {
  SmallVector<OpFoldResult> all{position};
  return vector::ExtractOp::create(builder, loc, source, all);
}

vector::InsertOp vector::InsertOp::create(OpBuilder &builder, Location loc, Value valueToStore, Value dest,
                                          ArrayRef<OpFoldResult> position) {
  auto [numbers, values] = decomposeMixedValues(position);
  return vector::InsertOp::create(builder, loc, dest.getType(), valueToStore, dest, values,
                                  builder.getDenseI64ArrayAttr(numbers));
}

vector::InsertOp vector::InsertOp::create(OpBuilder &builder, Location loc, Value valueToStore, Value dest,
                                          ArrayRef<int64_t> position) {
  SmallVector<OpFoldResult> all;
  for (int64_t number : position)
    all.push_back(builder.getIndexAttr(number));
  return vector::InsertOp::create(builder, loc, valueToStore, dest, all);
}

vector::InsertOp vector::InsertOp::create(OpBuilder &builder, Location loc, Value valueToStore, Value dest) {
  SmallVector<int64_t> position(cast<VectorType>(dest.getType()).getRank(), 0);
  return vector::InsertOp::create(builder, loc, valueToStore, dest, position);
}

vector::InsertOp vector::InsertOp::create(OpBuilder &builder, Location loc, Value valueToStore, Value dest,
                                          int64_t position) {
  SmallVector<int64_t> all{position};
  return vector::InsertOp::create(builder, loc, valueToStore, dest, all);
}

vector::InsertOp vector::InsertOp::create(OpBuilder &builder, Location loc, Value valueToStore, Value dest,
                                          Value position) {
  SmallVector<OpFoldResult> all{position};
  return vector::InsertOp::create(builder, loc, valueToStore, dest, all);
}

vector::InsertOp vector::InsertOp::create(OpBuilder &builder, Location loc, Value valueToStore, Value dest,
                                          OpFoldResult position) {
  SmallVector<OpFoldResult> all{position};
  return vector::InsertOp::create(builder, loc, valueToStore, dest, all);
}

vector::TransposeOp vector::TransposeOp::create(OpBuilder &builder, Location loc, Value source,
                                                ArrayRef<int64_t> permutation) {
  auto type = cast<VectorType>(source.getType());
  SmallVector<int64_t> shape;
  SmallVector<bool> scalable;
  for (int64_t dim : permutation) {
    shape.push_back(type.getShape()[dim]);
    scalable.push_back(type.getScalableDims()[dim]);
  }
  return vector::TransposeOp::create(builder, loc, VectorType::get(shape, type.getElementType(), scalable), source,
                                     builder.getDenseI64ArrayAttr(permutation));
}

vector::ExtractStridedSliceOp vector::ExtractStridedSliceOp::create(OpBuilder &builder, Location loc, Value source,
                                                                    ArrayRef<int64_t> offsets, ArrayRef<int64_t> sizes,
                                                                    ArrayRef<int64_t> strides) {
  auto type = cast<VectorType>(source.getType());
  SmallVector<int64_t> shape(sizes.begin(), sizes.end());
  for (size_t dim = sizes.size(); dim < type.getShape().size(); ++dim)
    shape.push_back(type.getShape()[dim]);
  return vector::ExtractStridedSliceOp::create(
      builder, loc, VectorType::get(shape, type.getElementType(), type.getScalableDims()), source,
      builder.getI64ArrayAttr(offsets), builder.getI64ArrayAttr(sizes), builder.getI64ArrayAttr(strides));
}

vector::ShuffleOp vector::ShuffleOp::create(OpBuilder &builder, Location loc, Value x, Value y, ArrayRef<int64_t> mask) {
  auto type = cast<VectorType>(x.getType());
  SmallVector<int64_t> shape{std::max<int64_t>(1, mask.size())};
  for (size_t dim = 1; dim < type.getShape().size(); ++dim)
    shape.push_back(type.getShape()[dim]);
  return vector::ShuffleOp::create(builder, loc, VectorType::get(shape, type.getElementType()), x, y,
                                   builder.getDenseI64ArrayAttr(mask));
}

vector::ReductionOp vector::ReductionOp::create(OpBuilder &builder, Location loc, vector::CombiningKind kind, Value source,
                                                Value acc,
                                                arith::FastMathFlags flags = arith::FastMathFlags::none) {
  Type type = cast<VectorType>(source.getType()).getElementType();
  return vector::ReductionOp::create(builder, loc, type, kind, source, acc, flags);
}

vector::ReductionOp vector::ReductionOp::create(OpBuilder &builder, Location loc, vector::CombiningKind kind, Value source,
                                                arith::FastMathFlags flags = arith::FastMathFlags::none) {
  return vector::ReductionOp::create(builder, loc, kind, source, Value(), flags);
}

vector::MultiDimReductionOp vector::MultiDimReductionOp::create(OpBuilder &builder, Location loc, Value source, Value acc,
                                                                ArrayRef<bool> reductionMask,
                                                                vector::CombiningKind kind) {
  SmallVector<int64_t> dims;
  for (size_t dim = 0; dim < reductionMask.size(); ++dim)
    if (reductionMask[dim])
      dims.push_back(dim);
  return vector::MultiDimReductionOp::create(builder, loc, acc.getType(), kind, source, acc,
                                             builder.getDenseI64ArrayAttr(dims));
}

vector::TransferReadOp vector::TransferReadOp::create(OpBuilder &builder, Location loc, VectorType type, Value source,
                                                      ValueRange indices, std::optional<Value> padding,
                                                      AffineMap permutationMap, ArrayRef<bool> inBounds = {}) {
  SmallVector<bool> bounds(type.getRank(), false);
  if (!inBounds.empty())
    bounds.assign(inBounds.begin(), inBounds.end());
  Value padded = padding.value_or(Value());
  if (!padded)
    padded = ub::PoisonOp::create(builder, loc, cast<ShapedType>(source.getType()).getElementType());
  return vector::TransferReadOp::create(builder, loc, type, source, indices, AffineMapAttr::get(permutationMap), padded,
                                        Value(), builder.getBoolArrayAttr(bounds));
}

vector::TransferReadOp vector::TransferReadOp::create(OpBuilder &builder, Location loc, VectorType type, Value source,
                                                      ValueRange indices, std::optional<Value> padding,
                                                      ArrayRef<bool> inBounds = {}) {
  unsigned rank = cast<ShapedType>(source.getType()).getRank();
  auto map = AffineMap::getMinorIdentityMap(rank, type.getRank(), builder.getContext());
  if (isa<VectorType>(cast<ShapedType>(source.getType()).getElementType()))
    llvm_unreachable("'vector::TransferReadOp::create' takes no vectors of vectors");
  return vector::TransferReadOp::create(builder, loc, type, source, indices, padding, map, inBounds);
}

vector::TransferWriteOp vector::TransferWriteOp::create(OpBuilder &builder, Location loc, Value written, Value dest,
                                                        ValueRange indices, ArrayRef<bool> inBounds = {}) {
  auto type = cast<VectorType>(written.getType());
  unsigned rank = cast<ShapedType>(dest.getType()).getRank();
  auto map = AffineMap::getMinorIdentityMap(rank, type.getRank(), builder.getContext());
  if (isa<VectorType>(cast<ShapedType>(dest.getType()).getElementType()))
    llvm_unreachable("'vector::TransferWriteOp::create' takes no vectors of vectors");
  SmallVector<bool> bounds(type.getRank(), false);
  if (!inBounds.empty())
    bounds.assign(inBounds.begin(), inBounds.end());
  SmallVector<Type> results;
  if (isa<RankedTensorType>(dest.getType()))
    results.push_back(dest.getType());
  return vector::TransferWriteOp::create(builder, loc, results, written, dest, indices, AffineMapAttr::get(map), Value(),
                                         builder.getBoolArrayAttr(bounds));
}

vector::CreateMaskOp vector::CreateMaskOp::create(OpBuilder &builder, Location loc, VectorType type,
                                                  ArrayRef<OpFoldResult> mixedOperands) {
  SmallVector<Value> operands = getValueOrCreateConstantIndexOp(builder, loc, mixedOperands);
  return vector::CreateMaskOp::create(builder, loc, type, operands);
}

// The dialect `linalg`.

linalg::FillOp linalg::FillOp::create(OpBuilder &builder, Location loc, ValueRange inputs, ValueRange outputs) {
  SmallVector<Type> types, all;
  for (Value output : outputs)
    if (isa<RankedTensorType>(output.getType()))
      types.push_back(output.getType());
  auto fill = linalg::FillOp::create(builder, loc, types, inputs, outputs);
  for (Value input : inputs)
    all.push_back(getElementTypeOrSelf(input.getType()));
  for (Value output : outputs)
    all.push_back(getElementTypeOrSelf(output.getType()));
  if (all.front() != all.back())
    llvm_unreachable("'linalg::FillOp::create' takes only values of the type of the elements");
  SmallVector<Location> locations(all.size(), loc);
  OpBuilder::InsertionGuard guard(builder);
  Block *body = builder.createBlock(&fill.getRegion(), fill.getRegion().end(), all, locations);
  linalg::YieldOp::create(builder, loc, body->getArgument(0));
  return fill;
}

Value linalg::FillOp::value() { return getOperand(0); }

Value linalg::FillOp::output() { return getOperand(1); }

Value linalg::FillOp::result() {
  for (Value result : getOperation()->getResults())
    return result;
  return nullptr;
}

// Adds the body of a structured operation. Its arguments are the elements of the operands.
void buildGenericRegion(OpBuilder &builder, Location loc, Operation *op, ValueRange inputs, ValueRange outputs,
                        function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  SmallVector<Value> operands(inputs.begin(), inputs.end());
  operands.append(outputs.begin(), outputs.end());
  SmallVector<Type> types;
  SmallVector<Location> locations;
  for (Value operand : operands) {
    Type type = operand.getType();
    types.push_back(isa<MemRefType, RankedTensorType>(type) ? getElementTypeOrSelf(type) : type);
    locations.push_back(operand.getLoc());
  }
  OpBuilder::InsertionGuard guard(builder);
  Block *block = builder.createBlock(&op->getRegion(0), op->getRegion(0).end(), types, locations);
  body(builder, loc, block->getArguments());
}

// Adds a body that yields its first argument.
void buildIdentityRegion(OpBuilder &builder, Location loc, Operation *op, Value input, Value init) {
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Type> types{getElementTypeOrSelf(input.getType()), getElementTypeOrSelf(init.getType())};
  SmallVector<Location> locations{input.getLoc(), init.getLoc()};
  Block *block = builder.createBlock(&op->getRegion(0), op->getRegion(0).end(), types, locations);
  linalg::YieldOp::create(builder, loc, block->getArgument(0));
}

// The types of those outputs of a structured operation that are tensors.
SmallVector<Type> tensorTypesOf(ValueRange outputs) {
  SmallVector<Type> types;
  for (Value output : outputs)
    if (isa<RankedTensorType>(output.getType()))
      types.push_back(output.getType());
  return types;
}

linalg::GenericOp linalg::GenericOp::create(OpBuilder &builder, Location loc, TypeRange types, ValueRange inputs,
                                            ValueRange outputs, ArrayRef<AffineMap> indexingMaps,
                                            ArrayRef<utils::IteratorType> iteratorTypes, StringRef doc,
                                            StringRef libraryCall,
                                            function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  SmallVector<Attribute> iterators;
  for (utils::IteratorType iterator : iteratorTypes)
    iterators.push_back(linalg::IteratorTypeAttr::get(builder.getContext(), iterator));
  auto generic = linalg::GenericOp::create(builder, loc, types, inputs, outputs,
                                           builder.getAffineMapArrayAttr(indexingMaps), builder.getArrayAttr(iterators),
                                           doc.empty() ? StringAttr() : builder.getStringAttr(doc),
                                           libraryCall.empty() ? StringAttr() : builder.getStringAttr(libraryCall));
  buildGenericRegion(builder, loc, generic, inputs, outputs, body);
  return generic;
}

linalg::GenericOp linalg::GenericOp::create(OpBuilder &builder, Location loc, TypeRange types, ValueRange inputs,
                                            ValueRange outputs, ArrayRef<AffineMap> indexingMaps,
                                            ArrayRef<utils::IteratorType> iteratorTypes,
                                            function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  return linalg::GenericOp::create(builder, loc, types, inputs, outputs, indexingMaps, iteratorTypes, "", "", body);
}

linalg::GenericOp linalg::GenericOp::create(OpBuilder &builder, Location loc, ValueRange inputs, ValueRange outputs,
                                            ArrayRef<AffineMap> indexingMaps,
                                            ArrayRef<utils::IteratorType> iteratorTypes,
                                            function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  return linalg::GenericOp::create(builder, loc, TypeRange(), inputs, outputs, indexingMaps, iteratorTypes, body);
}

linalg::MapOp linalg::MapOp::create(OpBuilder &builder, Location loc, ValueRange inputs, Value init,
                                    function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  auto map = linalg::MapOp::create(builder, loc, tensorTypesOf(init), inputs, init);
  buildGenericRegion(builder, loc, map, inputs, init, body);
  return map;
}

linalg::ReduceOp linalg::ReduceOp::create(OpBuilder &builder, Location loc, ValueRange inputs, ValueRange inits,
                                          ArrayRef<int64_t> dimensions,
                                          function_ref<void(OpBuilder &, Location, ValueRange)> body) {
  auto reduce = linalg::ReduceOp::create(builder, loc, tensorTypesOf(inits), inputs, inits,
                                         builder.getDenseI64ArrayAttr(dimensions));
  buildGenericRegion(builder, loc, reduce, inputs, inits, body);
  return reduce;
}

linalg::TransposeOp linalg::TransposeOp::create(OpBuilder &builder, Location loc, Value input, Value init,
                                                DenseI64ArrayAttr permutation) {
  auto transpose = linalg::TransposeOp::create(builder, loc, tensorTypesOf(init), input, init, permutation);
  buildIdentityRegion(builder, loc, transpose, input, init);
  return transpose;
}

linalg::TransposeOp linalg::TransposeOp::create(OpBuilder &builder, Location loc, Value input, Value init,
                                                ArrayRef<int64_t> permutation) {
  DenseI64ArrayAttr attribute = builder.getDenseI64ArrayAttr(permutation);
  return linalg::TransposeOp::create(builder, loc, input, init, attribute);
}

linalg::BroadcastOp linalg::BroadcastOp::create(OpBuilder &builder, Location loc, Value input, Value init,
                                                DenseI64ArrayAttr dimensions) {
  auto broadcast = linalg::BroadcastOp::create(builder, loc, tensorTypesOf(init), input, init, dimensions);
  buildIdentityRegion(builder, loc, broadcast, input, init);
  return broadcast;
}

linalg::BroadcastOp linalg::BroadcastOp::create(OpBuilder &builder, Location loc, Value input, Value init,
                                                ArrayRef<int64_t> dimensions) {
  DenseI64ArrayAttr attribute = builder.getDenseI64ArrayAttr(dimensions);
  return linalg::BroadcastOp::create(builder, loc, input, init, attribute);
}

} // namespace drrvm

} // namespace mlir
