// The kinds of trait.

#ifndef DRRVM_IR_TRAITS
#define DRRVM_IR_TRAITS

include "mlir/IR/Constraints.td"

class Trait;

// A list of traits with one name.
class TraitList<list<Trait> props> : Trait {
  list<Trait> traits = props;
}

// A trait that C++ implements; `entityType` is "Op", "Type" or "Attribute".
class NativeTrait<string name, string entityType, code extraClassDeclaration = [{}],
                  code extraClassDefinition = [{}]> : Trait {
  string trait = name;
  string cppNamespace = "::mlir::" # entityType # "Trait";
  code extraConcreteClassDeclaration = extraClassDeclaration;
  code extraConcreteClassDefinition = extraClassDefinition;
}

// A trait that C++ implements with template arguments.
class ParamNativeTrait<string prop, string params, string entityType>
    : NativeTrait<prop # "<" # params # ">::Impl", entityType>;

// A trait that only ODS interprets.
class GenInternalTrait<string prop, string entityType> : Trait {
  string trait = "::mlir::" # entityType # "Trait::" # prop;
}

// A trait that is a condition.
class PredTrait<string descr, Pred pred> : Trait {
  string summary = descr;
  Pred predicate = pred;
}

#endif
