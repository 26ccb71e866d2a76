// A dialect with one of each item that documentation lists.
include "mlir/IR/OpBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def My : Dialect { let name = "my"; let cppNamespace = "::my"; let summary = "a small dialect"; }
def Even : Type<CPred<"isEven($_self)">, "type of even size">;
def ShapeOf : OpInterface<"ShapeOf"> {
  let cppNamespace = "::my";
  let description = [{Gives shapes.}];
  let methods = [InterfaceMethod<"The rank.", "int64_t", "getRank", (ins "bool":$strict)>];
}
def Mode : I32EnumAttr<"Mode", "how", [I32EnumAttrCase<"Fast", 0, "fast">, I32EnumAttrCase<"Slow", 1>]> { let cppNamespace = "::my"; }
def AddOp : Op<My, "add", [Pure, Commutative, SameOperandsAndResultType, ShapeOf]> {
  let summary = "adds";
  let arguments = (ins I32:$lhs, I32:$rhs, DefaultValuedAttr<Mode, "::my::Mode::Fast">:$mode, OptionalAttr<StrAttr>:$note);
  let results = (outs I32:$sum);
}
def PackOp : Op<My, "pack", [AttrSizedOperandSegments]> {
  let arguments = (ins Variadic<Even>:$xs, Optional<AnyType>:$y);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
