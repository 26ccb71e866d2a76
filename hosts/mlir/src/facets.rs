//! Reads MLIR's types and attributes, and creates new ones.
//!
//! Parts of types and attributes without an accessor in the C interface are read from MLIR's text. New objects are
//! parsed from text.

use std::ffi::c_void;

use drrvm::host::{ApFloat, ApInt, FloatFormat};
use drrvm::host::{AttrKind, AttrNameId, AttrSpec, ElementValue, Facets, Signedness, TypeKind, TypeSpec};
use drrvm::host::{NumberedBlocks, number_blocks};

use crate::bridge;
use crate::capi::*;
use crate::host::{MlirHost, text};
use crate::module::printed;

/// The width of constants of type `index`.
const INDEX_WIDTH: u32 = 64;

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
        let of = |ty: &Type| self.type_text(*ty);
        let list = |types: &[Type]| types.iter().map(of).collect::<Vec<_>>().join(", ");
        let text = match spec {
            TypeSpec::Integer { width, signedness } => {
                let sign = match signedness {
                    Signedness::Signless => "",
                    Signedness::Signed => "s",
                    Signedness::Unsigned => "u",
                };
                format!("{sign}i{width}")
            }
            TypeSpec::Index => "index".to_owned(),
            TypeSpec::None => "none".to_owned(),
            TypeSpec::Float(format) => format.name().to_owned(),
            TypeSpec::Complex(element) => format!("complex<{}>", of(element)),
            TypeSpec::Vector { shape, scalable, element } => {
                let dim = |(size, scalable): (&i64, &bool)| match scalable {
                    true => format!("[{size}]x"),
                    false => format!("{size}x"),
                };
                let dims: String = shape.iter().zip(scalable).map(dim).collect();
                format!("vector<{dims}{}>", of(element))
            }
            TypeSpec::RankedTensor { shape, element, encoding } => {
                let dim = |size: &Option<i64>| size.map_or("?x".to_owned(), |size| format!("{size}x"));
                let dims: String = shape.iter().map(dim).collect();
                let encoding = encoding.map_or(String::new(), |e| format!(", {}", self.attr_text(e)));
                format!("tensor<{dims}{}{encoding}>", of(element))
            }
            TypeSpec::UnrankedTensor(element) => format!("tensor<*x{}>", of(element)),
            TypeSpec::Function { inputs, results } => format!("({}) -> ({})", list(inputs), list(results)),
            TypeSpec::Tuple(parts) => format!("tuple<{}>", list(parts)),
            TypeSpec::Text(text) => text.clone(),
        };
        self.parse_type(&text)
    }

    fn spec_attr(&self, spec: &AttrSpec<Type, Attribute>) -> Option<Attribute> {
        let text = match spec {
            AttrSpec::Integer(value, ty) => match self.type_kind(*ty) {
                TypeKind::Integer { width: 1, signedness: Signedness::Signless } => {
                    (!value.is_zero()).to_string()
                }
                TypeKind::Integer { signedness: Signedness::Unsigned, .. } => {
                    format!("{} : {}", value.to_unsigned_string(), self.type_text(*ty))
                }
                _ => format!("{} : {}", value.to_signed_string(), self.type_text(*ty)),
            },
            AttrSpec::Float(value, ty) => format!("0x{:X} : {}", value.to_bits(), self.type_text(*ty)),
            AttrSpec::String(value) => format!("{value:?}"),
            AttrSpec::Array(items) => {
                let items: Vec<_> = items.iter().map(|&item| self.attr_text(item)).collect();
                format!("[{}]", items.join(", "))
            }
            AttrSpec::Dictionary(entries) => {
                let entry =
                    |(name, value): &(String, Attribute)| format!("{name:?} = {}", self.attr_text(*value));
                format!("{{{}}}", entries.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
            AttrSpec::Type(ty) => self.type_text(*ty),
            AttrSpec::SymbolRef(name) => format!("@{name:?}"),
            AttrSpec::Unit => "unit".to_owned(),
            AttrSpec::DenseInts(values, ty) => {
                let values: Vec<_> = values.iter().map(ApInt::to_signed_string).collect();
                self.dense(&values, *ty)?
            }
            AttrSpec::DenseFloats(values, ty) => {
                let values: Vec<_> = values.iter().map(|value| format!("0x{:X}", value.to_bits())).collect();
                self.dense(&values, *ty)?
            }
            AttrSpec::DenseArray(values, element) => {
                let values: Vec<_> = values.iter().map(ApInt::to_signed_string).collect();
                let colon = if values.is_empty() { "" } else { ": " };
                format!("array<{}{colon}{}>", self.type_text(*element), values.join(", "))
            }
            AttrSpec::Text(text) => text.clone(),
        };
        self.parse_attr(&text)
    }

    /// The text of dense elements, nested as the shape requires.
    fn dense(&self, values: &[String], ty: Type) -> Option<String> {
        let shape = self.shape(ty)?;
        let mut parts: Vec<String> = values.to_vec();
        if let [_, _, ..] = values {
            for &size in shape.iter().rev() {
                let size = usize::try_from(size).ok().filter(|&size| size > 0)?;
                parts = parts.chunks(size).map(|part| format!("[{}]", part.join(", "))).collect();
            }
        }
        Some(format!("dense<{}> : {}", parts.first()?, self.type_text(ty)))
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
    // SAFETY: each accessor is called only for its kind and below the length.
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

// SAFETY: in all calls below, the types and attributes belong to the host's context, and each accessor is called
// only for its kind.
impl Facets for MlirHost {
    fn numbered_blocks() -> Option<NumberedBlocks<Self>> {
        Some(number_blocks())
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
            } else if mlirTypeIsAFloat(ty) {
                FloatFormat::from_name(&self.type_text(ty)).map_or(TypeKind::Dialect, TypeKind::Float)
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
                // A negative number has overflowed.
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
                let text = self.attr_text(attr);
                return ApInt::parse(width, text.split(' ').next()?);
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
        self.attr_name(name)
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
        self.spec_attr(spec)
    }
}
