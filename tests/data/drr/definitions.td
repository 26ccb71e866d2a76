// Definitions in which each part that a definition can have occurs once.
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def T : Dialect { let name = "t"; let cppNamespace = "::demo"; }
def Old : Dialect { let name = "old"; let usePropertiesForAttributes = 0; }

def Color : I32Enum<"Color", "a colour", [I32EnumCase<"Red", 0, "red">, I32EnumCase<"Blue", 2, "blue">]> {
  let cppNamespace = "::demo";
}
def ColorAttr : EnumAttr<T, Color, "color">;
def Flags : I32BitEnumAttr<"Flags", "flags", [I32BitEnumCaseBit<"A", 0>, I32BitEnumCaseBit<"B", 1>]>;
def Boxed : TypeDef<T, "Boxed"> { let mnemonic = "boxed"; let parameters = (ins "::mlir::Type":$element); }

def EverythingOp : Op<T, "everything", [AttrSizedOperandSegments, SameVariadicResultSize]> {
  let arguments = (ins AnyInteger:$lhs, Optional<F32>:$maybe, Variadic<AnyType>:$rest,
                       I32Attr:$required, OptionalAttr<StrAttr>:$name,
                       DefaultValuedAttr<I64Attr, "7">:$count, UnitAttr:$flag, I64Prop:$size,
                       DefaultValuedProp<BoolProp, "true">:$on, ColorAttr:$color);
  let results = (outs Variadic<I1>:$many, AnyType:$one, Variadic<Index>:$more);
  let regions = (region AnyRegion:$body, VariadicRegion<AnyRegion>:$others);
  let successors = (successor AnySuccessor:$next);
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, CArg<"int", "3">:$n)>,
                  OpBuilder<(ins), [{ build($_builder, $_state, 3); }]>];
}
def Constant : Op<Old, "constant", [Pure, ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs AnyTensor:$result);
}
def Compare : Op<T, "compare", [Pure, Commutative, TypesMatchWith<"i1", "lhs", "result", "toBool($_self)">]> {
  let arguments = (ins AnyType:$lhs, AnyType:$rhs);
  let results = (outs AnyType:$result);
}
def Fixed : Op<T, "fixed", [Terminator, IsolatedFromAbove]> { let results = (outs I32:$a, F64:$b); }
def Own : Op<T, "own", [DeclareOpInterfaceMethods<InferTypeOpInterface>]> { let results = (outs AnyType:$a); }
def First : Op<T, "first", [FirstAttrDerivedResultType]> {
  let arguments = (ins TypeAttr:$ty);
  let results = (outs AnyType:$a);
}
