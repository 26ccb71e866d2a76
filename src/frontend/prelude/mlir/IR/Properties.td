// Properties: inherent data of an op that need not be an attribute. The C++ that parses, prints and serialises them
// is omitted.

#ifndef DRRVM_IR_PROPERTIES
#define DRRVM_IR_PROPERTIES

include "mlir/IR/Constraints.td"
include "mlir/IR/Utils.td"

class Property<string storageTypeParam = "", string desc = "",
               string interfaceTypeParam = storageTypeParam>
    : PropConstraint<TruePred, desc, interfaceTypeParam> {
  string description = "";
  code storageType = storageTypeParam;
  // Conversions between the stored value and the value that accessors return.
  code convertFromStorage = "$_storage";
  code assignToStorage = "$_storage = $_value";
  code convertToAttribute = "return convertToAttribute($_ctxt, $_storage);";
  code convertFromAttribute = "return convertFromAttribute($_storage, $_attr, $_diag);";
  code hashProperty = "";
  code parser = "";
  code optionalParser = "";
  code printer = "";
  code writeToMlirBytecode = "";
  code readFromMlirBytecode = "";
  Property baseProperty = ?;
  string defaultValue = "";
  string storageTypeValueOverride = "";
}

// Texts that other definitions refer to.
defvar readMlirBytecodeUsingConvertFromAttribute = "";
defvar writeMlirBytecodeWithConvertToAttribute = "";

// Marks properties whose text may be absent in a format. The C++ is omitted.
defvar _mayBeAbsent = "return {};";

class IntProp<string storageTypeParam, string desc = ""> : Property<storageTypeParam, desc> {
  let summary = !if(!empty(desc), storageTypeParam, desc);
  let optionalParser = _mayBeAbsent;
}

class _StringProp : Property<"std::string", "text", "::llvm::StringRef"> {
  let convertFromStorage = "::llvm::StringRef{$_storage}";
  let assignToStorage = "$_storage = $_value.str()";
  let optionalParser = _mayBeAbsent;
}

class _UnitProp : Property<"bool", "there or not"> {
  let defaultValue = "false";
  let optionalParser = _mayBeAbsent;
}

def I32Prop : IntProp<"int32_t">;
def I64Prop : IntProp<"int64_t">;
def BoolProp : IntProp<"bool", "true or false">;
def StringProp : _StringProp;
def UnitProp : _UnitProp;

// Copies the fields of `p`, except those that are set below.
class _PropLike<Property p, string newSummary = p.summary>
    : Property<p.storageType, newSummary, p.interfaceType> {
  let description = p.description;
  let convertFromStorage = p.convertFromStorage;
  let assignToStorage = p.assignToStorage;
  let convertToAttribute = p.convertToAttribute;
  let convertFromAttribute = p.convertFromAttribute;
  let hashProperty = p.hashProperty;
  let predicate = p.predicate;
  let optionalParser = p.optionalParser;
  let baseProperty = p;
}

class DefaultValuedProp<Property p, string default = "", string storageDefault = "">
    : _PropLike<p> {
  let defaultValue = default;
  let storageTypeValueOverride = storageDefault;
}

class ConfinedProp<Property p, Pred pred, string newSummary = "">
    : _PropLike<p, !if(!empty(newSummary), p.summary, newSummary)> {
  let predicate = !if(!eq(p.predicate, TruePred), pred, And<[p.predicate, pred]>);
  let defaultValue = p.defaultValue;
  let storageTypeValueOverride = p.storageTypeValueOverride;
}

// A fixed value. A source pattern matches it, and a result pattern builds it.
class ConstantProp<Property prop, string val>
    : ConfinedProp<prop, CPred<"$_self == " # val>, prop.summary # " equal to " # val> {
  string value = val;
}

class ArrayProp<Property elem = Property<>, string newSummary = "">
    : Property<"::llvm::SmallVector<" # elem.storageType # ">",
               !if(!empty(newSummary), "list of " # elem.summary, newSummary),
               "::llvm::ArrayRef<" # elem.storageType # ">"> {
  Property elementProperty = elem;
  let convertFromStorage = "::llvm::ArrayRef<" # elem.storageType # ">{$_storage}";
  let assignToStorage = "$_storage.assign($_value.begin(), $_value.end())";
  let optionalParser = _mayBeAbsent;
  let predicate = !if(!eq(elem.predicate, TruePred), TruePred,
                      Concat<"::llvm::all_of($_self, [](const " # elem.storageType
                                 # "& baseStore) -> bool { return (",
                             SubstLeaves<"$_self",
                                         !subst("$_storage", "baseStore", elem.convertFromStorage),
                                         elem.predicate>,
                             "); })">);
}

class IntArrayProp<Property elem, string newSummary = ""> : ArrayProp<elem, newSummary>;

class OptionalProp<Property p, bit canDelegateParsing = 1>
    : Property<"std::optional<" # p.storageType # ">", "optional " # p.summary,
               "std::optional<" # p.interfaceType # ">"> {
  Property elementProperty = p;
  // True if a present value is written as the property `p` writes it, without `some<…>`.
  bit delegatesParsing = !and(!empty(p.defaultValue), !not(!empty(p.optionalParser)), canDelegateParsing);
  defvar isTrivial = !and(!eq(p.convertFromStorage, "$_storage"),
                          !eq(p.assignToStorage, "$_storage = $_value"),
                          !eq(p.storageType, p.interfaceType));
  let defaultValue = "std::nullopt";
  let optionalParser = _mayBeAbsent;
  let convertFromStorage = !if(isTrivial, p.convertFromStorage,
                               "($_storage.has_value() ? std::optional<" # p.interfaceType # ">{"
                               # !subst("$_storage", "(*($_storage))", p.convertFromStorage)
                               # "} : std::nullopt)");
  let predicate = !if(!eq(p.predicate, TruePred), TruePred,
                      Or<[CPred<"!$_self.has_value()">,
                          SubstLeaves<"$_self", "(*($_self))", p.predicate>]>);
}

// Older, longer names.
class IntProperty<string storageTypeParam, string desc = "">
    : IntProp<storageTypeParam, desc>, Deprecated<"use IntProp">;
class DefaultValuedProperty<Property p, string default = "", string storageDefault = "">
    : DefaultValuedProp<p, default, storageDefault>, Deprecated<"use DefaultValuedProp">;
class ConfinedProperty<Property p, Pred pred, string newSummary = "">
    : ConfinedProp<p, pred, newSummary>, Deprecated<"use ConfinedProp">;
class ArrayProperty<Property elem = Property<>, string newSummary = "">
    : ArrayProp<elem, newSummary>, Deprecated<"use ArrayProp">;
class IntArrayProperty<Property elem, string newSummary = "">
    : IntArrayProp<elem, newSummary>, Deprecated<"use IntArrayProp">;
class OptionalProperty<Property p, bit canDelegateParsing = 1>
    : OptionalProp<p, canDelegateParsing>, Deprecated<"use OptionalProp">;
def I32Property : IntProp<"int32_t">, Deprecated<"use I32Prop">;
def I64Property : IntProp<"int64_t">, Deprecated<"use I64Prop">;
def BoolProperty : IntProp<"bool", "true or false">, Deprecated<"use BoolProp">;
def StringProperty : _StringProp, Deprecated<"use StringProp">;
def UnitProperty : _UnitProp, Deprecated<"use UnitProp">;

#endif
