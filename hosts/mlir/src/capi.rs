//! Declarations of the functions of MLIR's C interface that the host calls.
//!
//! MLIR's handles are structures with one pointer. Here the pointer is declared as an integer, so that a handle
//! can be an id of the host.

#![allow(missing_docs, reason = "MLIR's headers document them")]

use std::ffi::{c_char, c_void};

macro_rules! handles {
    ($($name:ident),*) => {
        $(
            #[repr(C)]
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
            pub struct $name(pub usize);
        )*
    };
}
handles!(
    Context,
    DialectHandle,
    Dialect,
    Module,
    Operation,
    Region,
    Block,
    Value,
    OpOperand,
    Type,
    Attribute,
    Identifier,
    Location,
    PrintingFlags,
    Diagnostic
);

#[repr(C)]
#[derive(Clone, Copy)]
pub struct StringRef {
    pub data: *const c_char,
    pub length: usize,
}

impl From<&str> for StringRef {
    fn from(text: &str) -> Self {
        Self { data: text.as_ptr().cast(), length: text.len() }
    }
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct NamedAttribute {
    pub name: Identifier,
    pub attribute: Attribute,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogicalResult {
    pub value: i8,
}

pub type DiagnosticHandler = unsafe extern "C" fn(Diagnostic, *mut c_void) -> LogicalResult;
pub type StringCallback = unsafe extern "C" fn(StringRef, *mut c_void);

unsafe extern "C" {
    pub fn mlirContextCreate() -> Context;
    pub fn mlirContextDestroy(context: Context);
    pub fn mlirContextSetAllowUnregisteredDialects(context: Context, allow: bool);
    pub fn mlirGetDialectHandle__arith__() -> DialectHandle;
    pub fn mlirGetDialectHandle__cf__() -> DialectHandle;
    pub fn mlirGetDialectHandle__func__() -> DialectHandle;
    pub fn mlirGetDialectHandle__memref__() -> DialectHandle;
    pub fn mlirGetDialectHandle__scf__() -> DialectHandle;
    pub fn mlirGetDialectHandle__tensor__() -> DialectHandle;
    pub fn mlirGetDialectHandle__vector__() -> DialectHandle;
    pub fn mlirDialectHandleLoadDialect(handle: DialectHandle, context: Context) -> Dialect;

    pub fn mlirContextAttachDiagnosticHandler(
        context: Context,
        handler: DiagnosticHandler,
        user: *mut c_void,
        delete: Option<unsafe extern "C" fn(*mut c_void)>,
    ) -> u64;
    pub fn mlirContextDetachDiagnosticHandler(context: Context, handler: u64);

    pub fn mlirModuleCreateParse(context: Context, text: StringRef) -> Module;
    pub fn mlirModuleGetOperation(module: Module) -> Operation;
    pub fn mlirModuleDestroy(module: Module);

    pub fn mlirIdentifierStr(name: Identifier) -> StringRef;
    pub fn mlirIdentifierGet(context: Context, text: StringRef) -> Identifier;
    pub fn mlirOperationSetLocation(op: Operation, location: Location);
    pub fn mlirOperationGetParentOperation(op: Operation) -> Operation;
    pub fn mlirOperationGetNumRegions(op: Operation) -> isize;
    pub fn mlirOperationGetRegion(op: Operation, index: isize) -> Region;
    pub fn mlirOperationGetNumSuccessors(op: Operation) -> isize;
    pub fn mlirOperationGetSuccessor(op: Operation, index: isize) -> Block;
    pub fn mlirOperationSetSuccessor(op: Operation, index: isize, block: Block);
    pub fn mlirOperationClone(op: Operation) -> Operation;
    pub fn mlirOperationRemoveFromParent(op: Operation);
    pub fn mlirOperationSetOperand(op: Operation, index: isize, operand: Value);
    pub fn mlirOperationSetOperands(op: Operation, n: isize, operands: *const Value);
    pub fn mlirBlockCreate(count: isize, types: *const Type, locations: *const Location) -> Block;
    pub fn mlirBlockGetParentOperation(block: Block) -> Operation;
    pub fn mlirBlockGetNumArguments(block: Block) -> isize;
    pub fn mlirBlockGetArgument(block: Block, index: isize) -> Value;
    pub fn mlirBlockInsertArgument(block: Block, index: isize, ty: Type, location: Location) -> Value;
    pub fn mlirBlockEraseArgument(block: Block, index: u32);
    pub fn mlirBlockArgumentGetOwner(value: Value) -> Block;
    pub fn mlirBlockAppendOwnedOperation(block: Block, op: Operation);
    pub fn mlirBlockInsertOwnedOperationBefore(block: Block, before: Operation, op: Operation);
    pub fn mlirRegionAppendOwnedBlock(region: Region, block: Block);
    pub fn mlirRegionInsertOwnedBlockBefore(region: Region, before: Block, block: Block);
    pub fn mlirValueGetLocation(value: Value) -> Location;
    pub fn mlirBlockDetach(block: Block);
    pub fn mlirBlockDestroy(block: Block);
    pub fn mlirRegionGetFirstBlock(region: Region) -> Block;
    pub fn mlirBlockGetParentRegion(block: Block) -> Region;
    pub fn mlirRegionEqual(a: Region, b: Region) -> bool;
    pub fn mlirBlockGetNextInRegion(block: Block) -> Block;
    pub fn mlirBlockGetFirstOperation(block: Block) -> Operation;
    pub fn mlirOperationGetNextInBlock(op: Operation) -> Operation;
    pub fn mlirOperationMoveBefore(op: Operation, other: Operation);
    pub fn mlirOperationVerify(op: Operation) -> bool;
    pub fn mlirOpPrintingFlagsCreate() -> PrintingFlags;
    pub fn mlirOpPrintingFlagsPrintGenericOpForm(flags: PrintingFlags);
    pub fn mlirOpPrintingFlagsDestroy(flags: PrintingFlags);
    pub fn mlirOperationPrintWithFlags(
        op: Operation,
        flags: PrintingFlags,
        callback: StringCallback,
        user: *mut c_void,
    );

    pub fn mlirIntegerTypeGet(context: Context, width: u32) -> Type;
    pub fn mlirIntegerTypeSignedGet(context: Context, width: u32) -> Type;
    pub fn mlirIntegerTypeUnsignedGet(context: Context, width: u32) -> Type;
    pub fn mlirIndexTypeGet(context: Context) -> Type;
    pub fn mlirNoneTypeGet(context: Context) -> Type;
    pub fn mlirFunctionTypeGet(
        context: Context,
        inputs: isize,
        input_types: *const Type,
        results: isize,
        result_types: *const Type,
    ) -> Type;
    pub fn mlirTupleTypeGet(context: Context, count: isize, types: *const Type) -> Type;
    pub fn mlirVectorTypeGetScalableChecked(
        location: Location,
        rank: isize,
        shape: *const i64,
        scalable: *const bool,
        element: Type,
    ) -> Type;
    pub fn mlirRankedTensorTypeGetChecked(
        location: Location,
        rank: isize,
        shape: *const i64,
        element: Type,
        encoding: Attribute,
    ) -> Type;
    pub fn mlirUnrankedTensorTypeGetChecked(location: Location, element: Type) -> Type;
    pub fn mlirShapedTypeGetDynamicSize() -> i64;
    pub fn mlirTypeParseGet(context: Context, text: StringRef) -> Type;
    pub fn mlirTypePrint(ty: Type, callback: StringCallback, user: *mut c_void);
    pub fn mlirTypeIsAInteger(ty: Type) -> bool;
    pub fn mlirIntegerTypeGetWidth(ty: Type) -> u32;
    pub fn mlirIntegerTypeIsSigned(ty: Type) -> bool;
    pub fn mlirIntegerTypeIsUnsigned(ty: Type) -> bool;
    pub fn mlirTypeIsAIndex(ty: Type) -> bool;
    pub fn mlirTypeIsANone(ty: Type) -> bool;
    pub fn mlirTypeIsAVector(ty: Type) -> bool;
    pub fn mlirTypeIsARankedTensor(ty: Type) -> bool;
    pub fn mlirTypeIsAUnrankedTensor(ty: Type) -> bool;
    pub fn mlirTypeIsAMemRef(ty: Type) -> bool;
    pub fn mlirTypeIsAUnrankedMemRef(ty: Type) -> bool;
    pub fn mlirTypeIsAFunction(ty: Type) -> bool;
    pub fn mlirFunctionTypeGetNumInputs(ty: Type) -> isize;
    pub fn mlirFunctionTypeGetNumResults(ty: Type) -> isize;
    pub fn mlirFunctionTypeGetInput(ty: Type, at: isize) -> Type;
    pub fn mlirFunctionTypeGetResult(ty: Type, at: isize) -> Type;
    pub fn mlirTypeIsATuple(ty: Type) -> bool;
    pub fn mlirTupleTypeGetNumTypes(ty: Type) -> isize;
    pub fn mlirTupleTypeGetType(ty: Type, at: isize) -> Type;
    pub fn mlirTypeIsAComplex(ty: Type) -> bool;
    pub fn mlirComplexTypeGetElementType(ty: Type) -> Type;
    pub fn mlirShapedTypeGetElementType(ty: Type) -> Type;
    pub fn mlirShapedTypeGetRank(ty: Type) -> i64;
    pub fn mlirShapedTypeIsDynamicDim(ty: Type, dim: isize) -> bool;
    pub fn mlirShapedTypeGetDimSize(ty: Type, dim: isize) -> i64;
    pub fn mlirVectorTypeIsDimScalable(ty: Type, dim: isize) -> bool;
    pub fn mlirRankedTensorTypeGetEncoding(ty: Type) -> Attribute;
    pub fn mlirMemRefTypeGetMemorySpace(ty: Type) -> Attribute;
    pub fn mlirUnrankedMemrefGetMemorySpace(ty: Type) -> Attribute;

    pub fn mlirStringAttrGet(context: Context, text: StringRef) -> Attribute;
    pub fn mlirArrayAttrGet(context: Context, count: isize, elements: *const Attribute) -> Attribute;
    pub fn mlirTypeAttrGet(ty: Type) -> Attribute;
    pub fn mlirFlatSymbolRefAttrGet(context: Context, name: StringRef) -> Attribute;
    pub fn mlirUnitAttrGet(context: Context) -> Attribute;
    pub fn mlirDenseElementsAttrGet(ty: Type, count: isize, elements: *const Attribute) -> Attribute;
    pub fn mlirAttributeParseGet(context: Context, text: StringRef) -> Attribute;
    pub fn mlirAttributePrint(attribute: Attribute, callback: StringCallback, user: *mut c_void);
    pub fn mlirAttributeGetType(attribute: Attribute) -> Type;
    pub fn mlirAttributeIsAInteger(attribute: Attribute) -> bool;
    pub fn mlirIntegerAttrGetValueSInt(attribute: Attribute) -> i64;
    pub fn mlirIntegerAttrGetValueInt(attribute: Attribute) -> i64;
    pub fn mlirIntegerAttrGetValueUInt(attribute: Attribute) -> u64;
    pub fn mlirAttributeIsAAffineMap(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsAFloat(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsAString(attribute: Attribute) -> bool;
    pub fn mlirStringAttrGetValue(attribute: Attribute) -> StringRef;
    pub fn mlirAttributeIsAUnit(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsAType(attribute: Attribute) -> bool;
    pub fn mlirTypeAttrGetValue(attribute: Attribute) -> Type;
    pub fn mlirAttributeIsASymbolRef(attribute: Attribute) -> bool;
    pub fn mlirSymbolRefAttrGetRootReference(attribute: Attribute) -> StringRef;
    pub fn mlirAttributeIsAArray(attribute: Attribute) -> bool;
    pub fn mlirArrayAttrGetNumElements(attribute: Attribute) -> isize;
    pub fn mlirArrayAttrGetElement(attribute: Attribute, at: isize) -> Attribute;
    pub fn mlirDictionaryAttrGet(
        context: Context,
        count: isize,
        elements: *const NamedAttribute,
    ) -> Attribute;
    pub fn mlirAttributeIsADictionary(attribute: Attribute) -> bool;
    pub fn mlirDictionaryAttrGetNumElements(attribute: Attribute) -> isize;
    pub fn mlirDictionaryAttrGetElement(attribute: Attribute, at: isize) -> NamedAttribute;
    pub fn mlirAttributeIsADenseBoolArray(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsADenseI8Array(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsADenseI16Array(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsADenseI32Array(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsADenseI64Array(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsADenseF32Array(attribute: Attribute) -> bool;
    pub fn mlirAttributeIsADenseF64Array(attribute: Attribute) -> bool;
    pub fn mlirDenseArrayGetNumElements(attribute: Attribute) -> isize;
    pub fn mlirDenseBoolArrayGetElement(attribute: Attribute, at: isize) -> bool;
    pub fn mlirDenseI8ArrayGetElement(attribute: Attribute, at: isize) -> i8;
    pub fn mlirDenseI16ArrayGetElement(attribute: Attribute, at: isize) -> i16;
    pub fn mlirDenseI32ArrayGetElement(attribute: Attribute, at: isize) -> i32;
    pub fn mlirDenseI64ArrayGetElement(attribute: Attribute, at: isize) -> i64;
    pub fn mlirDenseF32ArrayGetElement(attribute: Attribute, at: isize) -> f32;
    pub fn mlirDenseF64ArrayGetElement(attribute: Attribute, at: isize) -> f64;
    pub fn mlirAttributeIsADenseElements(attribute: Attribute) -> bool;
    pub fn mlirDenseElementsAttrIsSplat(attribute: Attribute) -> bool;
    pub fn mlirDenseElementsAttrGetSplatValue(attribute: Attribute) -> Attribute;
    pub fn mlirElementsAttrGetNumElements(attribute: Attribute) -> i64;
    pub fn mlirElementsAttrGetValue(attribute: Attribute, rank: isize, indices: *mut u64) -> Attribute;

    pub fn mlirLocationFusedGet(
        context: Context,
        n: isize,
        locations: *const Location,
        metadata: Attribute,
    ) -> Location;
    pub fn mlirLocationNameGet(context: Context, name: StringRef, child: Location) -> Location;
    pub fn mlirLocationUnknownGet(context: Context) -> Location;

}
