// Effects: their resources, stages and ranges.

#ifndef DRRVM_INTERFACES_SIDEEFFECTINTERFACEBASE
#define DRRVM_INTERFACES_SIDEEFFECTINTERFACEBASE

include "mlir/IR/OpBase.td"

// `part` has no effect. In later versions of MLIR, it is C++ code that computes a part of the resource.
class Resource<string resourceName, string part = ""> {
  string name = resourceName;
}
class IntrinsicResource<string resourceName>
    : Resource<"::mlir::SideEffects::" # resourceName>;
def DefaultResource : IntrinsicResource<"DefaultResource">;
def AutomaticAllocationScopeResource : IntrinsicResource<"AutomaticAllocationScopeResource">;

class EffectOpInterfaceBase<string name, string baseEffect> : OpInterface<name> {
  string baseEffectName = baseEffect;
}

// An effect on the whole resource or on a part of it.
class EffectRange<bits<1> val> {
  bits<1> Value = val;
}
def FullEffect : EffectRange<1>;
def PartialEffect : EffectRange<0>;

// One effect on an argument or a result.
class SideEffect<EffectOpInterfaceBase interface, string effectName, Resource resourceReference,
                 int effectStage, EffectRange range> : OpVariableDecorator {
  string baseEffectName = interface.baseEffectName;
  string interfaceTrait = interface.trait;
  string cppNamespace = interface.cppNamespace;
  string effect = effectName;
  string resource = resourceReference.name;
  int stage = effectStage;
  bit effectOnFullRegion = range.Value;
}

// The effects of the op as a whole.
class SideEffectsTraitBase<EffectOpInterfaceBase parentInterface, list<SideEffect> staticEffects>
    : OpInterfaceTrait<""> {
  let trait = parentInterface.trait;
  string cppNamespace = parentInterface.cppNamespace;
  string baseEffectName = parentInterface.baseEffectName;
  list<SideEffect> effects = staticEffects;
}

#endif
