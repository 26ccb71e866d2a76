//! Reads MLIR's types and attributes, and creates new ones.
//!
//! If neither the C interface nor `bridge` has an accessor for a part of a type or attribute, the part is read from
//! MLIR's text. If neither has a constructor for a type or attribute, the object is parsed from text.
//!
//! PERF: printing or parsing takes some 20,000 instructions, because MLIR first lists its dialects. Therefore the types
//! and attributes that rules create most often are created without text. With MLIR's rules for `arith`, MLIR's driver
//! then runs 1,000 more instructions for each operation than without rules. If these types and attributes are parsed,
//! it runs 1,930 more (callgrind, `bench/run arith`).

use std::collections::BTreeSet;
use std::ffi::c_void;

use drrvm::host::{ApFloat, ApInt, FloatFormat};
use drrvm::host::{AttrKind, AttrNameId, AttrSpec, ElementValue, Facets, Signedness, TypeKind, TypeSpec};
use drrvm::host::{NumberedBlocks, Refusal, number_blocks};

use crate::bridge;
use crate::capi::*;
use crate::host::{MlirHost, length as size, text};
use crate::module::printed;

/// The width of constants of type `index`.
const INDEX_WIDTH: u32 = 64;

/// The maximum width of an integer type of MLIR.
const MAX_WIDTH: u32 = (1 << 24) - 1;

/// The maximum number of texts whose attributes a host keeps.
const MAX_PARSED: usize = 1024;

unsafe extern "C" fn ignore(_: Diagnostic, _: *mut c_void) -> LogicalResult {
    LogicalResult { value: 1 }
}

impl MlirHost {
    /// Calls a parser of MLIR. Messages about the text are dropped, because a failure is a valid answer.
    pub(crate) fn quietly<T>(&self, parse: impl FnOnce(Context) -> T) -> T {
        // SAFETY: the context exists; the handler uses no data, and is detached before this function returns.
        unsafe {
            let handler =
                mlirContextAttachDiagnosticHandler(self.context, ignore, std::ptr::null_mut(), None);
            let parsed = parse(self.context);
            mlirContextDetachDiagnosticHandler(self.context, handler);
            parsed
        }
    }

    fn width(&self, ty: Type) -> Option<u32> {
        match self.type_kind(ty) {
            TypeKind::Integer { width, .. } => Some(width),
            TypeKind::Index => Some(INDEX_WIDTH),
            _ => None,
        }
    }

    fn rank(ty: Type) -> u32 {
        // SAFETY: the type is a shaped type with a rank.
        u32::try_from(unsafe { mlirShapedTypeGetRank(ty) })
            .expect("MLIR's ranks are not negative and fit in 32 bits")
    }

    /// The sizes of a shaped type, if all are static.
    fn shape(&self, ty: Type) -> Option<Vec<u64>> {
        let rank = match self.type_kind(ty) {
            TypeKind::Vector { rank, .. }
            | TypeKind::RankedTensor { rank, .. }
            | TypeKind::MemRef { rank, .. } => rank,
            _ => return None,
        };
        (0..rank).map(|dim| u64::try_from(self.type_dim(ty, dim)?).ok()).collect()
    }

    fn parse_type(&self, text: &str) -> Option<Type> {
        // SAFETY: the context exists, and the string reference holds the pointer and the length of `text`.
        let ty = self.quietly(|context| unsafe { mlirTypeParseGet(context, text.into()) });
        (ty.0 != 0).then_some(ty)
    }

    fn parse_attr(&self, text: &str) -> Option<Attribute> {
        // SAFETY: the context exists, and the string reference holds the pointer and the length of `text`.
        let attr = self.quietly(|context| unsafe { mlirAttributeParseGet(context, text.into()) });
        (attr.0 != 0).then_some(attr)
    }

    fn spec_type(&self, spec: &TypeSpec<Type, Attribute>) -> Option<Type> {
        let context = self.context;
        // SAFETY: the types and attributes belong to the context, and arrays come with their lengths. The `Checked`
        // functions accept any arguments, and return null if MLIR's verifier rejects the type.
        let ty = unsafe {
            match spec {
                TypeSpec::Integer { width, .. } if *width > MAX_WIDTH => return None,
                TypeSpec::Integer { width, signedness } => match signedness {
                    Signedness::Signless => mlirIntegerTypeGet(context, *width),
                    Signedness::Signed => mlirIntegerTypeSignedGet(context, *width),
                    Signedness::Unsigned => mlirIntegerTypeUnsignedGet(context, *width),
                },
                TypeSpec::Index => mlirIndexTypeGet(context),
                TypeSpec::None => mlirNoneTypeGet(context),
                TypeSpec::Float(format) => return self.parse_type(format.name()),
                TypeSpec::Complex(element) => {
                    return self.parse_type(&format!("complex<{}>", self.type_text(*element)));
                }
                TypeSpec::Vector { shape, scalable, element } if shape.len() == scalable.len() => self
                    .quietly(|context| {
                        let unknown = mlirLocationUnknownGet(context);
                        let (rank, shape, scalable) = (size(shape), shape.as_ptr(), scalable.as_ptr());
                        mlirVectorTypeGetScalableChecked(unknown, rank, shape, scalable, *element)
                    }),
                TypeSpec::Vector { .. } => return None,
                TypeSpec::RankedTensor { shape, element, encoding } => self.quietly(|context| {
                    let dynamic = mlirShapedTypeGetDynamicSize();
                    let shape: Vec<i64> = shape.iter().map(|size| size.unwrap_or(dynamic)).collect();
                    let (unknown, encoding) =
                        (mlirLocationUnknownGet(context), encoding.unwrap_or(Attribute(0)));
                    mlirRankedTensorTypeGetChecked(unknown, size(&shape), shape.as_ptr(), *element, encoding)
                }),
                TypeSpec::UnrankedTensor(element) => self.quietly(|context| {
                    mlirUnrankedTensorTypeGetChecked(mlirLocationUnknownGet(context), *element)
                }),
                TypeSpec::Function { inputs, results } => mlirFunctionTypeGet(
                    context,
                    size(inputs),
                    inputs.as_ptr(),
                    size(results),
                    results.as_ptr(),
                ),
                TypeSpec::Tuple(parts) => mlirTupleTypeGet(context, size(parts), parts.as_ptr()),
                TypeSpec::Text(text) => return self.parse_type(text),
            }
        };
        (ty.0 != 0).then_some(ty)
    }

    fn spec_attr(&self, spec: &AttrSpec<Type, Attribute>) -> Option<Attribute> {
        let context = self.context;
        // SAFETY: the types and attributes belong to the context, and arrays and strings come with their lengths.
        Some(unsafe {
            match spec {
                AttrSpec::Integer(value, ty) => return self.integer(value, *ty),
                AttrSpec::Float(value, ty) => return self.float(*value, *ty),
                AttrSpec::String(value) => mlirStringAttrGet(context, value.as_str().into()),
                AttrSpec::Array(items) => mlirArrayAttrGet(context, size(items), items.as_ptr()),
                AttrSpec::Dictionary(entries) => {
                    let names: BTreeSet<&str> = entries.iter().map(|(name, _)| name.as_str()).collect();
                    if names.len() != entries.len() {
                        return None;
                    }
                    let entries: Vec<_> =
                        entries.iter().map(|(name, value)| (name.as_str(), *value)).collect();
                    self.dictionary(&entries)
                }
                AttrSpec::Type(ty) => mlirTypeAttrGet(*ty),
                AttrSpec::SymbolRef(name) => mlirFlatSymbolRefAttrGet(context, name.as_str().into()),
                AttrSpec::Unit => mlirUnitAttrGet(context),
                AttrSpec::DenseInts(values, ty) => {
                    return self.dense(*ty, values, |value, element| self.integer(value, element));
                }
                AttrSpec::DenseFloats(values, ty) => {
                    return self.dense(*ty, values, |value, element| self.float(*value, element));
                }
                AttrSpec::DenseArray(values, element) => {
                    let text = |value: &ApInt| match value.width() {
                        1 => (!value.is_zero()).to_string(),
                        _ => value.to_signed_string(),
                    };
                    let values: Vec<_> = values.iter().map(text).collect();
                    let colon = if values.is_empty() { "" } else { ": " };
                    let element = self.type_text(*element);
                    return self.parse_attr(&format!("array<{element}{colon}{}>", values.join(", ")));
                }
                AttrSpec::Text(text) => return self.parse_attr(text),
            }
        })
    }

    fn integer(&self, value: &ApInt, ty: Type) -> Option<Attribute> {
        (self.width(ty)? == value.width()).then(|| bridge::integer_attr(value, ty))?
    }

    fn float(&self, value: ApFloat, ty: Type) -> Option<Attribute> {
        (bridge::format_of(ty)? == value.format()).then(|| bridge::float_attr(value, ty))?
    }

    /// Dense elements with these values: one value for each element, or one value for all elements.
    fn dense<T>(
        &self,
        ty: Type,
        values: &[T],
        attribute: impl Fn(&T, Type) -> Option<Attribute>,
    ) -> Option<Attribute> {
        let (TypeKind::Vector { element, .. } | TypeKind::RankedTensor { element, .. }) = self.type_kind(ty)
        else {
            return None;
        };
        let count = self.shape(ty)?.iter().try_fold(1, |count: u64, &size| count.checked_mul(size))?;
        if values.len() != 1 && u64::try_from(values.len()).ok()? != count {
            return None;
        }
        let values: Vec<_> = values.iter().map(|value| attribute(value, element)).collect::<Option<_>>()?;
        // SAFETY: the type has a static shape. The array has one value, or one value for each element of the type. Each
        // value has the element type.
        Some(unsafe { mlirDenseElementsAttrGet(ty, size(&values), values.as_ptr()) })
    }
}

fn count(number: isize) -> u32 {
    u32::try_from(number).expect("MLIR's counts are not negative and fit in 32 bits")
}

fn length(count: isize) -> u64 {
    u64::try_from(count).expect("the length of a list is not negative")
}

fn is_dense_array(attr: Attribute) -> bool {
    // SAFETY: these functions accept any attribute.
    unsafe {
        mlirAttributeIsADenseBoolArray(attr)
            || mlirAttributeIsADenseI8Array(attr)
            || mlirAttributeIsADenseI16Array(attr)
            || mlirAttributeIsADenseI32Array(attr)
            || mlirAttributeIsADenseI64Array(attr)
            || mlirAttributeIsADenseF32Array(attr)
            || mlirAttributeIsADenseF64Array(attr)
    }
}

/// An element of an array, dictionary or dense array; `None` for other attributes, or past the end.
fn array_element(attr: Attribute, at: isize) -> Option<ElementValue<Attribute>> {
    let int = |width, value| Some(ElementValue::Int(ApInt::from_i64(width, value)));
    let float =
        |name, bits| Some(ElementValue::Float(ApFloat::from_bits(FloatFormat::from_name(name)?, bits)));
    // SAFETY: each accessor is called only for attributes of its kind, with an index below the length.
    unsafe {
        if mlirAttributeIsAArray(attr) {
            let there = at < mlirArrayAttrGetNumElements(attr);
            return there.then(|| ElementValue::Attr(mlirArrayAttrGetElement(attr, at)));
        }
        if mlirAttributeIsADictionary(attr) {
            let there = at < mlirDictionaryAttrGetNumElements(attr);
            return there.then(|| ElementValue::Attr(mlirDictionaryAttrGetElement(attr, at).attribute));
        }
        if !is_dense_array(attr) || at >= mlirDenseArrayGetNumElements(attr) {
            return None;
        }
        if mlirAttributeIsADenseBoolArray(attr) {
            int(1, i64::from(mlirDenseBoolArrayGetElement(attr, at)))
        } else if mlirAttributeIsADenseI8Array(attr) {
            int(8, mlirDenseI8ArrayGetElement(attr, at).into())
        } else if mlirAttributeIsADenseI16Array(attr) {
            int(16, mlirDenseI16ArrayGetElement(attr, at).into())
        } else if mlirAttributeIsADenseI32Array(attr) {
            int(32, mlirDenseI32ArrayGetElement(attr, at).into())
        } else if mlirAttributeIsADenseI64Array(attr) {
            int(64, mlirDenseI64ArrayGetElement(attr, at))
        } else if mlirAttributeIsADenseF32Array(attr) {
            float("f32", mlirDenseF32ArrayGetElement(attr, at).to_bits().into())
        } else {
            float("f64", mlirDenseF64ArrayGetElement(attr, at).to_bits().into())
        }
    }
}

// SAFETY: in all calls below, the types and attributes belong to the host's context, and each accessor is called only
// for types or attributes of its kind.
impl Facets for MlirHost {
    fn numbered_blocks() -> Option<NumberedBlocks<Self>> {
        Some(number_blocks())
    }
    fn may_change_blocks(&self) -> Result<(), Refusal> {
        if self.rewriter().is_none() {
            return Ok(());
        }
        Err(Refusal::new(
            "MLIR's drivers do not allow helpers to change blocks, operands or successors, or to move or copy \
             operations; use one of drrvm's own drivers (`driver=own-greedy` or `driver=own-walk`)",
        ))
    }
    fn type_kind(&self, ty: Type) -> TypeKind<Type> {
        let element = || unsafe { mlirShapedTypeGetElementType(ty) };
        unsafe {
            if ty.0 == 0 {
                TypeKind::Dialect
            } else if mlirTypeIsAInteger(ty) {
                let signedness = match (mlirIntegerTypeIsSigned(ty), mlirIntegerTypeIsUnsigned(ty)) {
                    (true, _) => Signedness::Signed,
                    (_, true) => Signedness::Unsigned,
                    _ => Signedness::Signless,
                };
                TypeKind::Integer { width: mlirIntegerTypeGetWidth(ty), signedness }
            } else if mlirTypeIsAIndex(ty) {
                TypeKind::Index
            } else if let Some(format) = bridge::format_of(ty) {
                TypeKind::Float(format)
            } else if mlirTypeIsAVector(ty) {
                TypeKind::Vector { element: element(), rank: Self::rank(ty) }
            } else if mlirTypeIsARankedTensor(ty) {
                TypeKind::RankedTensor { element: element(), rank: Self::rank(ty) }
            } else if mlirTypeIsAUnrankedTensor(ty) {
                TypeKind::UnrankedTensor(element())
            } else if mlirTypeIsAMemRef(ty) {
                TypeKind::MemRef { element: element(), rank: Self::rank(ty) }
            } else if mlirTypeIsAUnrankedMemRef(ty) {
                TypeKind::UnrankedMemRef(element())
            } else if mlirTypeIsAComplex(ty) {
                TypeKind::Complex(mlirComplexTypeGetElementType(ty))
            } else if mlirTypeIsANone(ty) {
                TypeKind::None
            } else if mlirTypeIsAFunction(ty) {
                let (inputs, results) = (mlirFunctionTypeGetNumInputs(ty), mlirFunctionTypeGetNumResults(ty));
                TypeKind::Function { inputs: count(inputs), results: count(results) }
            } else if mlirTypeIsATuple(ty) {
                TypeKind::Tuple(count(mlirTupleTypeGetNumTypes(ty)))
            } else {
                TypeKind::Dialect
            }
        }
    }
    fn type_dim(&self, ty: Type, dim: u32) -> Option<i64> {
        let dim = isize::try_from(dim).ok()?;
        unsafe { (!mlirShapedTypeIsDynamicDim(ty, dim)).then(|| mlirShapedTypeGetDimSize(ty, dim)) }
    }
    fn type_dim_is_scalable(&self, ty: Type, dim: u32) -> bool {
        let Ok(dim) = isize::try_from(dim) else { return false };
        unsafe { mlirTypeIsAVector(ty) && mlirVectorTypeIsDimScalable(ty, dim) }
    }
    fn type_part(&self, ty: Type, index: u32) -> Option<Type> {
        let at = isize::try_from(index).ok()?;
        unsafe {
            if mlirTypeIsATuple(ty) {
                return (at < mlirTupleTypeGetNumTypes(ty)).then(|| mlirTupleTypeGetType(ty, at));
            }
            if !mlirTypeIsAFunction(ty) {
                return None;
            }
            let inputs = mlirFunctionTypeGetNumInputs(ty);
            if at < inputs {
                return Some(mlirFunctionTypeGetInput(ty, at));
            }
            let result = at - inputs;
            (result < mlirFunctionTypeGetNumResults(ty)).then(|| mlirFunctionTypeGetResult(ty, result))
        }
    }
    fn type_extra(&self, ty: Type) -> Option<Attribute> {
        let extra = unsafe {
            match self.type_kind(ty) {
                TypeKind::RankedTensor { .. } => mlirRankedTensorTypeGetEncoding(ty),
                TypeKind::MemRef { .. } => mlirMemRefTypeGetMemorySpace(ty),
                TypeKind::UnrankedMemRef(_) => mlirUnrankedMemrefGetMemorySpace(ty),
                _ => return None,
            }
        };
        (extra.0 != 0).then_some(extra)
    }
    fn type_text(&self, ty: Type) -> String {
        printed(|callback, to| unsafe { mlirTypePrint(ty, callback, to) })
    }
    fn attr_kind(&self, attr: Attribute) -> AttrKind {
        unsafe {
            if mlirAttributeIsAInteger(attr) {
                AttrKind::Integer
            } else if mlirAttributeIsAFloat(attr) {
                AttrKind::Float
            } else if mlirAttributeIsAString(attr) {
                AttrKind::String
            } else if mlirAttributeIsADenseElements(attr) {
                // The number of elements is negative if it has overflowed.
                let Ok(len) = u64::try_from(mlirElementsAttrGetNumElements(attr)) else {
                    return AttrKind::Other;
                };
                AttrKind::DenseElements { len, splat: mlirDenseElementsAttrIsSplat(attr) }
            } else if mlirAttributeIsAUnit(attr) {
                AttrKind::Unit
            } else if mlirAttributeIsAType(attr) {
                AttrKind::Type
            } else if mlirAttributeIsASymbolRef(attr) {
                AttrKind::SymbolRef
            } else if mlirAttributeIsAArray(attr) {
                AttrKind::Array { len: length(mlirArrayAttrGetNumElements(attr)) }
            } else if mlirAttributeIsADictionary(attr) {
                AttrKind::Dictionary { len: length(mlirDictionaryAttrGetNumElements(attr)) }
            } else if mlirAttributeIsAAffineMap(attr) {
                AttrKind::AffineMap
            } else if is_dense_array(attr) {
                AttrKind::DenseArray { len: length(mlirDenseArrayGetNumElements(attr)) }
            } else {
                AttrKind::Other
            }
        }
    }
    fn attr_int(&self, attr: Attribute) -> Option<ApInt> {
        unsafe {
            if !mlirAttributeIsAInteger(attr) {
                return None;
            }
            let ty = mlirAttributeGetType(attr);
            let width = self.width(ty)?;
            if width > 64 {
                return Some(bridge::integer(attr, width));
            }
            let value = if mlirTypeIsAInteger(ty) && mlirIntegerTypeIsSigned(ty) {
                mlirIntegerAttrGetValueSInt(attr)
            } else if mlirTypeIsAInteger(ty) && mlirIntegerTypeIsUnsigned(ty) {
                return Some(ApInt::from_u64(width, mlirIntegerAttrGetValueUInt(attr)));
            } else {
                mlirIntegerAttrGetValueInt(attr)
            };
            Some(ApInt::from_i64(width, value))
        }
    }
    fn attr_float(&self, attr: Attribute) -> Option<ApFloat> {
        let bits = bridge::float_bits(attr)?;
        match self.type_kind(bridge::attr_type(attr)?) {
            TypeKind::Float(format) => Some(ApFloat::from_bits(format, bits)),
            _ => None,
        }
    }
    fn attr_string(&self, attr: Attribute) -> Option<String> {
        unsafe {
            if mlirAttributeIsASymbolRef(attr) {
                return Some(text(mlirSymbolRefAttrGetRootReference(attr)));
            }
            mlirAttributeIsAString(attr).then(|| text(mlirStringAttrGetValue(attr)))
        }
    }
    fn attr_held_type(&self, attr: Attribute) -> Option<Type> {
        unsafe { mlirAttributeIsAType(attr).then(|| mlirTypeAttrGetValue(attr)) }
    }
    fn attr_entry_name(&self, attr: Attribute, index: u64) -> Option<String> {
        let at = isize::try_from(index).ok()?;
        unsafe {
            let there = mlirAttributeIsADictionary(attr) && at < mlirDictionaryAttrGetNumElements(attr);
            there.then(|| text(mlirIdentifierStr(mlirDictionaryAttrGetElement(attr, at).name)))
        }
    }
    fn attr_element(&self, attr: Attribute, index: u64) -> Option<ElementValue<Attribute>> {
        unsafe {
            if !mlirAttributeIsADenseElements(attr) {
                return array_element(attr, isize::try_from(index).ok()?);
            }
            let element = if mlirDenseElementsAttrIsSplat(attr) {
                mlirDenseElementsAttrGetSplatValue(attr)
            } else {
                let shape = self.shape(mlirAttributeGetType(attr))?;
                let mut rest = index;
                let mut indices = vec![0; shape.len()];
                for (at, &size) in indices.iter_mut().zip(&shape).rev() {
                    (*at, rest) = (rest.checked_rem(size)?, rest / size);
                }
                let rank = isize::try_from(indices.len()).ok()?;
                mlirElementsAttrGetValue(attr, rank, indices.as_mut_ptr())
            };
            let int = self.attr_int(element).map(ElementValue::Int);
            int.or_else(|| self.attr_float(element).map(ElementValue::Float))
        }
    }
    fn attr_text(&self, attr: Attribute) -> String {
        printed(|callback, to| unsafe { mlirAttributePrint(attr, callback, to) })
    }
    fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        Some(self.attr_name(name))
    }
    fn find_type(&self, spec: &TypeSpec<Type, Attribute>) -> Option<Type> {
        self.spec_type(spec)
    }
    fn find_attr(&self, spec: &AttrSpec<Type, Attribute>) -> Option<Attribute> {
        self.spec_attr(spec)
    }
    fn make_type(&mut self, spec: &TypeSpec<Type, Attribute>) -> Option<Type> {
        self.spec_type(spec)
    }
    fn make_attr(&mut self, spec: &AttrSpec<Type, Attribute>) -> Option<Attribute> {
        let AttrSpec::Text(text) = spec else { return self.spec_attr(spec) };
        if let Some(&known) = self.parsed.get(text) {
            return Some(known);
        }
        let attr = self.parse_attr(text)?;
        if self.parsed.len() == MAX_PARSED {
            self.parsed.clear();
        }
        self.parsed.insert(text.clone(), attr);
        Some(attr)
    }
}
