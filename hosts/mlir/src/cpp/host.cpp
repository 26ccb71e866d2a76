// The part of the host that needs MLIR's C++ interface, such as the check of the memory layout, reading properties, and
// changing the IR.
//
// Contract: the functions are called only from `src/bridge.rs` and `src/layout.rs`, with pointers to existing objects
// of one context. An array comes with its length. A rewriter is null, the rewriter of the driver that runs the rewrite,
// or a rewriter that a function of this file created.
#include "drrvm/detail.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/BuiltinDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "llvm/Config/llvm-config.h"

#include <algorithm>
#include <cstring>
#include <memory>

using namespace mlir;

static_assert(sizeof(Operation) == 64, "the host reads operations of MLIR 22.1");
static_assert(sizeof(OpOperand) == 32, "the host reads operands of MLIR 22.1");
static_assert(sizeof(NamedAttribute) == 16, "the host reads attributes of MLIR 22.1");

template <typename T> static T load(const void *base, uint32_t offset) {
  T value;
  std::memcpy(&value, static_cast<const char *>(base) + offset, sizeof(T));
  return value;
}

/// Returns the name of the first part of an operation that the layout locates wrongly, or null.
static const char *wrongProperty(Operation *op, const DrrvmLayout &at) {
  if (load<void *>(op, at.opName) != op->getName().getAsOpaquePointer())
    return "name of an operation";
  if (load<void *>(op, at.opBlock) != op->getBlock())
    return "block of an operation";
  if (load<const void *>(op, at.opLocation) != op->getLoc().getAsOpaquePointer())
    return "location of an operation";
  if (load<uint32_t>(op, at.opResultCount) != op->getNumResults())
    return "number of results";
  if (load<const void *>(op, at.opAttributes) != op->getDiscardableAttrDictionary().getAsOpaquePointer())
    return "discardable attributes";
  ArrayRef<NamedAttribute> entries = op->getDiscardableAttrDictionary().getValue();
  const void *dictionary = op->getDiscardableAttrDictionary().getAsOpaquePointer();
  if (load<const void *>(dictionary, at.dictionaryEntries) != entries.data() ||
      load<size_t>(dictionary, at.dictionaryEntries + 8) != entries.size())
    return "entries of a dictionary";
  uint32_t flags = load<uint32_t>(op, at.opFlags);
  bool hasOperands = flags & at.operandStorageFlag;
  uint32_t properties = (flags >> at.propertiesShift) * 8;
  if (properties != uint32_t(op->getPropertiesStorageSize()))
    return "size of the properties";
  const char *trailing = reinterpret_cast<const char *>(op) + sizeof(Operation);
  uint32_t count = hasOperands ? load<uint32_t>(trailing, at.operandCount) : 0;
  if (count != op->getNumOperands())
    return "number of operands";
  const char *first = hasOperands ? load<const char *>(trailing, at.operandArray) : nullptr;
  for (OpOperand &operand : op->getOpOperands()) {
    const char *raw = first + operand.getOperandNumber() * sizeof(OpOperand);
    if (raw != reinterpret_cast<const char *>(&operand) ||
        load<void *>(raw, at.operandValue) != operand.get().getAsOpaquePointer() ||
        load<void *>(raw, at.operandOwner) != op ||
        load<void *>(raw, at.operandNextUse) != operand.getNextOperandUsingThisValue())
      return "operand";
  }
  if (properties != 0 &&
      trailing + (hasOperands ? at.operandStorageSize : 0) !=
          reinterpret_cast<const char *>(op->getPropertiesStorage().as<const void *>()))
    return "properties";
  for (OpResult result : op->getResults()) {
    uint32_t number = result.getResultNumber();
    const char *raw = reinterpret_cast<const char *>(op);
    if (number < at.inlineResults)
      raw -= at.inlineResultSize * (number + 1);
    else
      raw -= at.inlineResultSize * at.inlineResults + at.lateResultSize * (number - at.inlineResults + 1);
    if (raw != result.getAsOpaquePointer())
      return "result";
    uintptr_t type = load<uintptr_t>(raw, at.valueType);
    if ((type & ~uintptr_t(7)) != reinterpret_cast<uintptr_t>(result.getType().getAsOpaquePointer()))
      return "type of a value";
    if ((type & 7) != (number < at.inlineResults ? number : at.inlineResults))
      return "kind of a value";
    if (number >= at.inlineResults && load<uint64_t>(raw, at.lateResultNumber) != number - at.inlineResults)
      return "number of a result";
    OpOperand *use = result.use_empty() ? nullptr : &*result.use_begin();
    if (load<void *>(raw, at.valueFirstUse) != use)
      return "first use of a value";
  }
  return nullptr;
}

extern "C" const char *drrvm_cpp_wrong_layout(const DrrvmLayout *layout) {
  static_assert(unsigned(detail::ValueImpl::Kind::OutOfLineOpResult) == 6, "results of MLIR 22.1");
  MLIRContext context(MLIRContext::Threading::DISABLED);
  context.allowUnregisteredDialects();
  Location loc = UnknownLoc::get(&context);
  OpBuilder builder(&context);
  OwningOpRef<ModuleOp> module(ModuleOp::create(loc, StringRef("probe")));
  builder.setInsertionPointToEnd(module->getBody());
  Type i32 = builder.getI32Type(), i64 = builder.getI64Type();
  OperationState many(loc, "probe.many");
  for (int i = 0; i < 9; ++i)
    many.addTypes(i % 2 ? i32 : i64);
  Operation *results = builder.create(many);
  OperationState user(loc, "probe.user");
  user.addOperands({results->getResult(0), results->getResult(8), results->getResult(0)});
  user.addTypes(i32);
  user.addAttribute("a", builder.getI32IntegerAttr(1));
  user.addAttribute("b", builder.getUnitAttr());
  Operation *used = builder.create(user);
  OperationState sink(loc, "probe.sink");
  sink.addOperands(used->getResult(0));
  builder.create(sink);
  const char *wrong = wrongProperty(module->getOperation(), *layout);
  for (Operation &op : *module->getBody())
    wrong = wrong ? wrong : wrongProperty(&op, *layout);
  BlockArgument argument = module->getBody()->addArgument(i32, loc);
  if (!wrong && (load<uintptr_t>(argument.getAsOpaquePointer(), layout->valueType) & 7) != layout->argumentKind)
    wrong = "kind of a block argument";
  module->getBody()->eraseArgument(0);
  return wrong;
}

// A function of LLVM's C interface; null if the process does not have this function.
extern "C" __attribute__((weak)) void LLVMGetVersion(unsigned *major, unsigned *minor, unsigned *patch);

/// Writes the major and minor number of two versions: the version that this code was built for, and the version of the
/// process, which is 0 if it is unknown.
extern "C" void drrvm_cpp_versions(unsigned versions[4]) {
  unsigned patch;
  versions[0] = LLVM_VERSION_MAJOR;
  versions[1] = LLVM_VERSION_MINOR;
  versions[2] = versions[3] = 0;
  if (LLVMGetVersion)
    LLVMGetVersion(&versions[2], &versions[3], &patch);
}

extern "C" void *drrvm_cpp_op_name(MLIRContext *context, const char *text, size_t length) {
  StringRef name(text, length);
  // The dialect is loaded first, because an operation is registered when its dialect is loaded.
  context->getOrLoadDialect(name.split('.').first);
  return OperationName(name, context).getAsOpaquePointer();
}

extern "C" size_t drrvm_cpp_op_name_text(void *name, const char **text) {
  StringRef string = OperationName::getFromOpaquePointer(name).getStringRef();
  *text = string.data();
  return string.size();
}

static StringAttr nameOf(const void *name) { return cast<StringAttr>(Attribute::getFromOpaquePointer(name)); }

/// True if an operation's definition declares properties that are not attributes.
static bool hasNativeProperties(Operation *op) {
  size_t attributes = op->getName().getAttributeNames().size();
  return size_t(op->getPropertiesStorageSize()) != attributes * sizeof(Attribute);
}

/// Returns the place of an attribute, a `DrrvmInherent`. `value` is null if the attribute is absent or not a property.
extern "C" int drrvm_cpp_inherent(Operation *op, const void *name, const void **value) {
  *value = nullptr;
  if (std::optional<Attribute> attr = op->getInherentAttr(nameOf(name))) {
    *value = attr->getAsOpaquePointer();
    return op->isRegistered() ? DRRVM_INHERENT : DRRVM_INHERENT_HERE;
  }
  if (!op->isRegistered())
    return DRRVM_NOT_INHERENT_HERE;
  if (!hasNativeProperties(op))
    return DRRVM_NEVER_INHERENT;
  // A property that is not an attribute is converted to an attribute. If the property is absent here, another operation
  // of this name can have it.
  auto properties = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  Attribute property = properties ? properties.get(nameOf(name)) : Attribute();
  if (!property)
    return DRRVM_NOT_INHERENT_HERE;
  *value = property.getAsOpaquePointer();
  return DRRVM_INHERENT_HERE;
}

/// The offset in the properties at which all operations of this name store an inherent attribute; -1 if there is none.
/// `value` is the value of the attribute of `op`. The function converts a dictionary with only this attribute to new
/// properties. The result is the offset of the only word that this conversion sets to `value` and that equals `value`
/// in the properties of `op` as well.
extern "C" int drrvm_cpp_inherent_offset(Operation *op, const void *name, const void *value) {
  OperationName opName = op->getName();
  MLIRContext *context = op->getContext();
  int size = opName.getOpPropertyByteSize();
  if (size <= 0)
    return -1;
  std::unique_ptr<uint64_t[]> storage(new uint64_t[(size + 7) / 8]());
  OpaqueProperties properties(storage.get());
  opName.initOpProperties(properties, OpaqueProperties(nullptr));
  std::unique_ptr<uint64_t[]> before(new uint64_t[(size + 7) / 8]());
  std::memcpy(before.get(), storage.get(), size);
  NamedAttribute entry(nameOf(name), Attribute::getFromOpaquePointer(value));
  auto ignore = [&] { return InFlightDiagnostic(); };
  (void)opName.setOpPropertiesFromAttribute(opName, properties, DictionaryAttr::get(context, entry), ignore);
  int found = -1, matches = 0;
  for (int word = 0; word < size / 8; ++word) {
    uint64_t wanted = reinterpret_cast<uintptr_t>(value);
    if (storage[word] == wanted && before[word] != wanted &&
        load<uint64_t>(op->getPropertiesStorage().as<const void *>(), word * 8) == wanted) {
      found = word * 8;
      ++matches;
    }
  }
  opName.destroyOpProperties(properties);
  return matches == 1 ? found : -1;
}

extern "C" const void *drrvm_cpp_attr_type(const void *attr) {
  auto typed = dyn_cast<TypedAttr>(Attribute::getFromOpaquePointer(attr));
  return typed ? typed.getType().getAsOpaquePointer() : nullptr;
}

/// Reads the bits of a float attribute. Returns false for other attributes.
extern "C" bool drrvm_cpp_float_bits(const void *attr, uint64_t bits[2]) {
  auto value = dyn_cast<FloatAttr>(Attribute::getFromOpaquePointer(attr));
  if (!value)
    return false;
  llvm::APInt words = value.getValue().bitcastToAPInt().zext(128);
  bits[0] = words.getRawData()[0];
  bits[1] = words.getRawData()[1];
  return true;
}

/// Copies the words of the value of an integer attribute, the lowest first.
extern "C" void drrvm_cpp_integer_words(const void *attr, uint64_t *words, size_t count) {
  llvm::APInt value = cast<IntegerAttr>(Attribute::getFromOpaquePointer(attr)).getValue();
  std::copy_n(value.getRawData(), std::min<size_t>(count, value.getNumWords()), words);
}

/// Creates an integer attribute from words, the lowest first. Returns null if the type is neither an integer type nor
/// `index`.
extern "C" const void *drrvm_cpp_integer_attr(const void *type, const uint64_t *words, size_t count) {
  Type of = Type::getFromOpaquePointer(type);
  if (!of.isIntOrIndex())
    return nullptr;
  unsigned width = of.isIndex() ? IndexType::kInternalStorageBitWidth : of.getIntOrFloatBitWidth();
  llvm::APInt value(width, ArrayRef<uint64_t>(words, count));
  return IntegerAttr::get(of, value).getAsOpaquePointer();
}

/// Creates a float attribute from its bits. Returns null if the type is not a float type.
extern "C" const void *drrvm_cpp_float_attr(const void *type, const uint64_t bits[2]) {
  auto of = dyn_cast<FloatType>(Type::getFromOpaquePointer(type));
  if (!of)
    return nullptr;
  const llvm::fltSemantics &semantics = of.getFloatSemantics();
  llvm::APInt words(llvm::APFloat::getSizeInBits(semantics), ArrayRef<uint64_t>(bits, 2));
  return FloatAttr::get(of, llvm::APFloat(semantics, words)).getAsOpaquePointer();
}

/// Stores the file, line and column of the first position in a location. Returns the length of the name of the file, or
/// 0 if there is no position.
extern "C" size_t drrvm_cpp_place(const void *location, const char **file, uint32_t place[2]) {
  size_t length = 0;
  Location loc(cast<LocationAttr>(Attribute::getFromOpaquePointer(location)));
  loc->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position)
      return WalkResult::advance();
    *file = position.getFilename().data();
    length = position.getFilename().size();
    place[0] = position.getLine();
    place[1] = position.getColumn();
    return WalkResult::interrupt();
  });
  return length;
}

namespace {
struct FloatFormat {
  StringRef type;
  const llvm::fltSemantics &semantics;
};
} // namespace

/// The float types of MLIR.
static ArrayRef<FloatFormat> floatFormats() {
  using F = llvm::APFloat;
  static const FloatFormat formats[] = {
      {"f4E2M1FN", F::Float4E2M1FN()},     {"f6E2M3FN", F::Float6E2M3FN()},
      {"f6E3M2FN", F::Float6E3M2FN()},     {"f8E3M4", F::Float8E3M4()},
      {"f8E4M3", F::Float8E4M3()},         {"f8E4M3FN", F::Float8E4M3FN()},
      {"f8E4M3FNUZ", F::Float8E4M3FNUZ()}, {"f8E4M3B11FNUZ", F::Float8E4M3B11FNUZ()},
      {"f8E5M2", F::Float8E5M2()},         {"f8E5M2FNUZ", F::Float8E5M2FNUZ()},
      {"f8E8M0FNU", F::Float8E8M0FNU()},   {"f16", F::IEEEhalf()},
      {"bf16", F::BFloat()},               {"tf32", F::FloatTF32()},
      {"f32", F::IEEEsingle()},            {"f64", F::IEEEdouble()},
      {"f80", F::x87DoubleExtended()},     {"f128", F::IEEEquad()},
  };
  return formats;
}

/// The semantics of a float type of MLIR.
extern "C" const void *drrvm_cpp_float_semantics(const char *name, size_t length) {
  for (const FloatFormat &format : floatFormats())
    if (format.type == StringRef(name, length))
      return &format.semantics;
  llvm_unreachable("drrvm has the float types of MLIR");
}

/// The name of the float type with these semantics; empty if there is none.
extern "C" size_t drrvm_cpp_float_name(const void *semantics, const char **name) {
  StringRef found;
  for (const FloatFormat &format : floatFormats())
    if (&format.semantics == semantics)
      found = format.type;
  *name = found.data() ? found.data() : "";
  return found.size();
}

/// The name of a float type of MLIR; empty for other types, also for float types of other dialects.
extern "C" size_t drrvm_cpp_float_type_name(const void *type, const char **name) {
  auto of = dyn_cast<FloatType>(Type::getFromOpaquePointer(type));
  bool isBuiltin = of && isa<BuiltinDialect>(of.getDialect());
  return drrvm_cpp_float_name(isBuiltin ? &of.getFloatSemantics() : nullptr, name);
}

static void walkPreOrder(Operation *op, void (*visit)(Operation *, void *), void *user) {
  visit(op, user);
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        walkPreOrder(&inner, visit, user);
}

static void walkPostOrder(Operation *op, void (*visit)(Operation *, void *), void *user) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &inner : block)
        walkPostOrder(&inner, visit, user);
  visit(op, user);
}

extern "C" void drrvm_cpp_walk(Operation *root, bool preOrder, void (*visit)(Operation *, void *), void *user) {
  preOrder ? walkPreOrder(root, visit, user) : walkPostOrder(root, visit, user);
}

extern "C" bool drrvm_cpp_is_terminator(Operation *op) {
  return op->hasTrait<OpTrait::IsTerminator>() || op->getNumSuccessors() > 0 ||
         (op->getBlock() && !op->isRegistered() && op == &op->getBlock()->back());
}

extern "C" bool drrvm_cpp_is_isolated(Operation *op) { return op->hasTrait<OpTrait::IsIsolatedFromAbove>(); }

extern "C" bool drrvm_cpp_is_in_graph_region(Operation *op) {
  Region *region = op->getParentRegion();
  return region && region->hasOneBlock() && mayBeGraphRegion(*region);
}

extern "C" Operation *drrvm_cpp_previous(Operation *op) { return op->getPrevNode(); }

extern "C" bool drrvm_cpp_can_create(MLIRContext *context, void *name) {
  OperationName opName = OperationName::getFromOpaquePointer(name);
  return opName.isRegistered() || context->allowsUnregisteredDialects();
}

// An array with its length.
template <typename T> struct DrrvmSlice {
  const T *data;
  size_t count;
  ArrayRef<T> items() const { return {data, count}; }
};

// The block of a new operation, and the operation after it, which is null at the end of the block.
struct DrrvmPlace {
  Block *block;
  Operation *before;
  Block::iterator iterator() const { return before ? before->getIterator() : block->end(); }
};

// The parts of a new operation.
struct DrrvmNewOperation {
  void *name;
  const void *location;
  DrrvmSlice<const void *> types;
  DrrvmSlice<void *> operands;
  DrrvmSlice<DrrvmNamedAttr> attributes;
  DrrvmSlice<Block *> successors;
  unsigned regions;
};

// True if the attribute is a property that MLIR does not store as an attribute.
static bool isOtherProperty(OperationName name, const DrrvmNamedAttr &attribute) {
  return attribute.inherent && name.isRegistered() && name.getOpPropertyByteSize() != 0 &&
         !llvm::is_contained(name.getAttributeNames(), nameOf(attribute.name));
}

// Sets properties that MLIR does not store as attributes. MLIR sets these properties only from a dictionary of all
// properties. Returns false if a value does not fit its property.
static bool setOtherProperties(Operation *op, ArrayRef<NamedAttribute> properties) {
  NamedAttrList all(dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute()));
  for (NamedAttribute property : properties)
    all.set(property.getName(), property.getValue());
  ScopedDiagnosticHandler quiet(op->getContext(), [](Diagnostic &) { return success(); });
  auto ignore = [&] { return mlir::emitError(op->getLoc()); };
  return succeeded(op->setPropertiesFromAttribute(all.getDictionary(op->getContext()), ignore));
}

extern "C" Operation *drrvm_cpp_create(RewriterBase *rewriter, DrrvmPlace place, const DrrvmNewOperation *parts) {
  OperationState state(LocationAttr(cast<LocationAttr>(Attribute::getFromOpaquePointer(parts->location))),
                       OperationName::getFromOpaquePointer(parts->name));
  for (const void *type : parts->types.items())
    state.types.push_back(Type::getFromOpaquePointer(type));
  for (void *operand : parts->operands.items())
    state.operands.push_back(Value::getFromOpaquePointer(operand));
  state.addSuccessors(parts->successors.items());
  for (unsigned i = 0; i < parts->regions; ++i)
    state.addRegion();
  SmallVector<NamedAttribute> properties;
  for (const DrrvmNamedAttr &attribute : parts->attributes.items()) {
    StringAttr attrName = nameOf(attribute.name);
    Attribute value = Attribute::getFromOpaquePointer(attribute.value);
    if (isOtherProperty(state.name, attribute))
      properties.emplace_back(attrName, value);
    else
      state.addAttribute(attrName, value);
  }
  Operation *op = Operation::create(state);
  if (!properties.empty() && !setOtherProperties(op, properties)) {
    op->destroy();
    return nullptr;
  }
  if (rewriter) {
    rewriter->setInsertionPoint(place.block, place.iterator());
    return rewriter->insert(op);
  }
  place.block->getOperations().insert(place.iterator(), op);
  return op;
}

// The dictionary of the properties if `inherent` is true, or else of the discardable attributes; null if the properties
// are not a dictionary.
extern "C" const void *drrvm_cpp_attributes(Operation *op, bool inherent) {
  Attribute all = inherent ? op->getPropertiesAsAttribute() : op->getDiscardableAttrDictionary();
  return dyn_cast_or_null<DictionaryAttr>(all).getAsOpaquePointer();
}

// The dictionary of the inherent and discardable attributes.
extern "C" const void *drrvm_cpp_all_attributes(Operation *op) { return op->getAttrDictionary().getAsOpaquePointer(); }

extern "C" bool drrvm_cpp_is_inherent(Operation *op, const void *name) {
  if (op->getPropertiesStorageSize() != 0)
    return op->getInherentAttr(nameOf(name)).has_value();
  return op->isRegistered() && llvm::is_contained(op->getName().getAttributeNames(), nameOf(name));
}

// Replaces all attributes and properties. A property that MLIR does not store as an attribute keeps its value if
// `attributes` does not contain it.
extern "C" void drrvm_cpp_set_attributes(Operation *op, DrrvmSlice<DrrvmNamedAttr> attributes) {
  OperationName name = op->getName();
  bool isRegistered = name.isRegistered();
  NamedAttrList discardable, inherent;
  SmallVector<NamedAttribute> properties;
  for (const DrrvmNamedAttr &attribute : attributes.items()) {
    NamedAttribute named(nameOf(attribute.name), Attribute::getFromOpaquePointer(attribute.value));
    if (isOtherProperty(name, attribute))
      properties.push_back(named);
    else if (isRegistered ? op->getInherentAttr(named.getName()).has_value() : attribute.inherent)
      inherent.append(named);
    else
      discardable.append(named);
  }
  op->setDiscardableAttrs(discardable.getDictionary(op->getContext()));
  if (op->getPropertiesStorageSize() == 0)
    return;
  if (!isRegistered) {
    *op->getPropertiesStorage().as<Attribute *>() = inherent.getDictionary(op->getContext());
    return;
  }
  for (StringAttr known : name.getAttributeNames())
    if (op->getInherentAttr(known).has_value())
      op->setInherentAttr(known, inherent.get(known));
  if (!properties.empty())
    setOtherProperties(op, properties);
}

// Moves all blocks of a region to an empty region. Returns false if one of the regions does not exist, if the second is
// not empty, or if both are the same region.
extern "C" bool drrvm_cpp_move_blocks(RewriterBase *rewriter, Operation *from, unsigned fromIndex, Operation *to,
                                      unsigned toIndex) {
  if (fromIndex >= from->getNumRegions() || toIndex >= to->getNumRegions())
    return false;
  Region &source = from->getRegion(fromIndex), &target = to->getRegion(toIndex);
  if (&source == &target || !target.empty())
    return false;
  if (rewriter)
    rewriter->inlineRegionBefore(source, target, target.end());
  else
    target.takeBody(source);
  return true;
}

extern "C" void drrvm_cpp_replace_uses(void *from, void *to) {
  Value::getFromOpaquePointer(from).replaceAllUsesWith(Value::getFromOpaquePointer(to));
}

extern "C" void drrvm_cpp_replace(RewriterBase *rewriter, Operation *op, void *const *values, size_t count) {
  SmallVector<Value> with;
  for (size_t i = 0; i < count; ++i)
    with.push_back(Value::getFromOpaquePointer(values[i]));
  rewriter->replaceOp(op, with);
}

extern "C" void drrvm_cpp_erase(RewriterBase *rewriter, Operation *op) {
  if (rewriter)
    rewriter->eraseOp(op);
  else
    op->erase();
}

extern "C" void drrvm_cpp_with_local_rewriter(MLIRContext *context, void (*run)(RewriterBase *, void *),
                                              void *user) {
  PatternRewriter rewriter(context);
  run(&rewriter, user);
}

namespace {
/// Records the operations that a native creates, and forwards all notifications.
struct Recorder : RewriterBase::ForwardingListener {
  Recorder(OpBuilder::Listener *next) : ForwardingListener(next) {}

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint previous) override {
    // Only an operation that moves has a previous insertion point; other operations are new.
    if (!previous.isSet())
      created.push_back(op);
    ForwardingListener::notifyOperationInserted(op, previous);
  }
  void notifyOperationErased(Operation *op) override {
    llvm::erase(created, op);
    ForwardingListener::notifyOperationErased(op);
  }

  SmallVector<Operation *> created;
};
} // namespace

extern "C" void drrvm_cpp_with_recorder(MLIRContext *context, RewriterBase *rewriter, Operation *root,
                                        void (*run)(RewriterBase *, void *), void (*created)(Operation *, void *),
                                        void *user) {
  PatternRewriter local(context);
  if (!rewriter)
    rewriter = &local;
  OpBuilder::InsertionGuard guard(*rewriter);
  rewriter->setInsertionPoint(root);
  RewriterBase::Listener nobody;
  OpBuilder::Listener *next = rewriter->getListener();
  Recorder recorder(next ? next : &nobody);
  rewriter->setListener(&recorder);
  run(rewriter, user);
  rewriter->setListener(next);
  for (Operation *op : recorder.created)
    created(op, user);
}

extern "C" bool drrvm_cpp_infers_types(void *name) {
  OperationName opName = OperationName::getFromOpaquePointer(name);
  return opName.hasInterface<InferTypeOpInterface>();
}

extern "C" bool drrvm_cpp_infer_types(MLIRContext *context, void *name, void *const *operands, size_t operandCount,
                                      const DrrvmNamedAttr *attributes, size_t attributeCount,
                                      void (*push)(const void *, void *), void *user) {
  OperationName opName = OperationName::getFromOpaquePointer(name);
  auto *interface = opName.getInterface<InferTypeOpInterface>();
  if (!interface)
    return false;
  SmallVector<Value> values;
  for (size_t i = 0; i < operandCount; ++i)
    values.push_back(Value::getFromOpaquePointer(operands[i]));
  SmallVector<NamedAttribute> named;
  for (size_t i = 0; i < attributeCount; ++i)
    named.emplace_back(nameOf(attributes[i].name), Attribute::getFromOpaquePointer(attributes[i].value));
  auto dictionary = DictionaryAttr::get(context, named);
  // A failure only makes the rule refuse, so MLIR's message about it is not shown.
  ScopedDiagnosticHandler quiet(context, [](Diagnostic &) { return success(); });
  std::unique_ptr<uint64_t[]> storage;
  OpaqueProperties properties(nullptr);
  if (int size = opName.getOpPropertyByteSize()) {
    storage.reset(new uint64_t[(size + 7) / 8]());
    properties = OpaqueProperties(storage.get());
    opName.initOpProperties(properties, OpaqueProperties(nullptr));
    auto ignore = [&] { return mlir::emitError(UnknownLoc::get(context)); };
    (void)opName.setOpPropertiesFromAttribute(opName, properties, dictionary, ignore);
  }
  SmallVector<Type> types;
  bool done = succeeded(interface->inferReturnTypes(context, std::nullopt, values, dictionary, properties,
                                                    RegionRange(), types));
  if (storage)
    opName.destroyOpProperties(properties);
  for (Type type : types)
    if (done)
      push(type.getAsOpaquePointer(), user);
  return done;
}
