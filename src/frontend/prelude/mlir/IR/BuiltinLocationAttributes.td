// Locations.

#ifndef DRRVM_IR_BUILTINLOCATIONATTRIBUTES
#define DRRVM_IR_BUILTINLOCATIONATTRIBUTES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinDialect.td"

class Builtin_LocationAttr<string name, list<Trait> traits = []>
    : LocationAttrDef<Builtin_Dialect, name, traits> {
  let cppClassName = name;
  let mnemonic = ?;
}

def UnknownLoc : Builtin_LocationAttr<"UnknownLoc"> {
  let attrName = "builtin.unknown_loc";
}
def FusedLoc : Builtin_LocationAttr<"FusedLoc"> {
  let attrName = "builtin.fused_loc";
  let parameters = (ins ArrayRefParameter<"Location", "">:$locations, "Attribute":$metadata);
}

let skipDefaultBuilders = 1 in {
def CallSiteLoc : Builtin_LocationAttr<"CallSiteLoc"> {
  let attrName = "builtin.call_site_loc";
  let parameters = (ins "Location":$callee, "Location":$caller);
}
def FileLineColRange : Builtin_LocationAttr<"FileLineColRange"> {
  let attrName = "builtin.file_line_range";
  let parameters = (ins "StringAttr":$filename, "unsigned":$start_line, "unsigned":$start_column,
                        "unsigned":$end_line, "unsigned":$end_column);
  let genAccessors = 0;
  let genStorageClass = 0;
}
def NameLoc : Builtin_LocationAttr<"NameLoc"> {
  let attrName = "builtin.name_loc";
  let parameters = (ins "StringAttr":$name, "Location":$childLoc);
}
def OpaqueLoc : Builtin_LocationAttr<"OpaqueLoc"> {
  let attrName = "builtin.opaque_loc";
  let parameters = (ins "uintptr_t":$underlyingLocation, "TypeID":$underlyingTypeID,
                        "Location":$fallbackLocation);
}
}

#endif
