//! The syntax of attributes and properties, and the encodings of properties.
//!
//! Specification: the syntax and the encodings are those of the C++ code that `mlir-tblgen` generates from the
//! definition. C++ code in a definition is recognised only if it equals or contains known code of MLIR's own
//! definitions.

use crate::frontend::ods::{AttrSpec, Definition, Definitions, Enum};
use crate::frontend::tablegen::Record;
use crate::ir::Evaluator;
use crate::ir::dialect::{AttrSyntax, EnumSyntax, PropertyEncoding, PropertySyntax};
use crate::snippet::{IntTy, SnippetId};

/// The maximum nesting depth of properties.
const DEPTH_LIMIT: u32 = 16;

/// The two representations of a property outside its operation.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Carrier {
    /// MLIR's byte code.
    Bytecode,
    /// An attribute.
    Attribute,
}

/// The record of the element of a list property, or of the value of an optional property. In the prelude, a field of
/// the property refers to this record. MLIR's headers have no such field, but insert the code of the element into the
/// code of the property. For these headers, the candidates are the properties whose storage type is the template
/// argument of `storageType`, and the result is the candidate with the longest inserted code.
fn element_of(property: Record<'_>) -> Option<Record<'_>> {
    if let Ok(element) = property.def_field("elementProperty") {
        return Some(element);
    }
    let storage = property.string_field("storageType").ok()?.trim().trim_start_matches("::");
    let classes = ["std::optional<", "llvm::SmallVector<"];
    let inner = classes.iter().find_map(|class| storage.strip_prefix(class)?.strip_suffix('>'))?.trim();
    let records = property.records();
    let candidates = records.derived_definitions("Property").into_iter().map(|id| records.record(id));
    let candidates = candidates.filter(|other| other.string_field("storageType").map(str::trim) == Ok(inner));
    let inserted = |element: Record<'_>| -> usize {
        let fields = ["parser", "optionalParser", "convertFromAttribute", "readFromMlirBytecode"];
        let lengths = fields.iter().filter_map(|field| {
            let code = inserted_code(element, field)?;
            let into = if *field == "optionalParser" { "parser" } else { field };
            property.string_field(into).is_ok_and(|text| text.contains(&code)).then_some(code.len())
        });
        lengths.sum()
    };
    let candidates = candidates.map(|element| (inserted(element), element)).filter(|(length, _)| *length > 0);
    candidates.max_by_key(|(length, _)| *length).map(|(_, element)| element)
}

/// The code in a field of an element, in the form in which MLIR's headers insert it into a list property or an optional
/// property; `None` if the field has no code.
fn inserted_code(element: Record<'_>, field: &str) -> Option<String> {
    let code = element.string_field(field).ok().filter(|code| !code.is_empty())?;
    Some(code.replace("$_storage", "propStorage").replace("$_attr", "propAttr"))
}

/// True if a field of a list property or of an optional property has the code that the headers generate for this
/// element. The prelude omits this code.
fn is_generated(property: Record<'_>, element: Record<'_>, field: &str) -> bool {
    let code = property.string_field(field).unwrap_or("");
    if property.def_field("elementProperty").is_ok() {
        return code.is_empty() || is_default_conversion(code);
    }
    inserted_code(element, field).is_some_and(|inserted| code.contains(&inserted))
}

/// True if the code is the default conversion from an attribute to a property.
fn is_default_conversion(code: &str) -> bool {
    code.trim() == "return convertFromAttribute($_storage, $_attr, $_diag);"
}

fn enum_syntax(item: &Enum<'_>) -> EnumSyntax {
    EnumSyntax {
        width: item.width,
        is_bit_set: item.is_bit_set,
        separator: item.separator.to_owned(),
        quoted: item.quoted,
        groups: item.groups,
        cases: item.cases.iter().map(|case| (case.value, case.text.to_owned())).collect(),
    }
}

/// The class of a type or attribute in MLIR's text: `!dialect.name` or `#dialect.name`.
pub(super) fn class_text(defs: &Definitions<'_>, definition: &Definition<'_>, sigil: char) -> String {
    format!("{sigil}{}.{}", defs.dialects[definition.dialect].name, definition.mnemonic)
}

/// The attribute inside wrappers such as `OptionalAttr`.
fn base_attr(record: Record<'_>) -> Record<'_> {
    const LIMIT: usize = 64;
    let mut base = record;
    for _ in 0..LIMIT {
        match base.def_field("baseAttr") {
            Ok(inner) => base = inner,
            Err(_) => break,
        }
    }
    base
}

/// The syntax of an attribute. `ty` is the snippet that computes the fixed type of the attribute, and `builder` is the
/// C++ text of this type.
pub(super) fn attr_syntax(
    defs: &Definitions<'_>,
    spec: &AttrSpec<'_>,
    ty: Option<SnippetId>,
    builder: Option<&str>,
    evaluator: &Evaluator,
) -> AttrSyntax {
    let base = base_attr(defs.records.record(defs.constraint_of(spec.record)));
    // Only an attribute with a builder is read and printed as an enum, as in `mlir-tblgen`. The builder is a field of
    // the base attribute, because a wrapper such as `OptionalAttr` has none.
    if base.is_subclass_of("EnumAttrInfo")
        && let Some(item) = defs.enum_of(base.id())
        && base.string_field("constBuilderCall").is_ok_and(|builder| !builder.is_empty())
    {
        return AttrSyntax::Enum(enum_syntax(item));
    }
    match base.name() {
        "SymbolNameAttr" => return AttrSyntax::SymbolName,
        "UnitAttr" => return AttrSyntax::Unit,
        _ => {}
    }
    let storage = spec.storage.trim().trim_start_matches("::");
    let class = storage.trim_start_matches("mlir::");
    // The reader recognises these attributes by their first token, even if the definition gives them the type `none`.
    if matches!(class, "ArrayAttr" | "SymbolRefAttr" | "FlatSymbolRefAttr") {
        return AttrSyntax::Builtin(class.to_owned());
    }
    if builder.is_some() {
        let text =
            ty.and_then(|ty| evaluator.texts(ty, None).ok()).and_then(|texts| texts.into_iter().next());
        return text.map_or(AttrSyntax::Any, |ty| AttrSyntax::TypeOmitted { ty, class: class.to_owned() });
    }
    let element = match class {
        "Attribute" => return AttrSyntax::Any,
        "DenseBoolArrayAttr" => "i1",
        "DenseI8ArrayAttr" => "i8",
        "DenseI16ArrayAttr" => "i16",
        "DenseI32ArrayAttr" => "i32",
        "DenseI64ArrayAttr" => "i64",
        "DenseF32ArrayAttr" => "f32",
        "DenseF64ArrayAttr" => "f64",
        class => {
            return match defs.attribute_class(spec.storage.trim()) {
                Some(found) if found.format.is_some() || found.custom_format => {
                    AttrSyntax::Stripped(class_text(defs, found, '#'))
                }
                _ => AttrSyntax::Builtin(class.to_owned()),
            };
        }
    };
    AttrSyntax::Array(element.to_owned())
}

/// The syntax of a property.
pub(super) fn property_syntax(defs: &Definitions<'_>, property: Record<'_>) -> PropertySyntax {
    syntax_within(defs, property, DEPTH_LIMIT)
}

/// The syntax of a property. A wrapper such as `DefaultValuedProp` has the syntax of its base, unless the wrapper
/// defines another parser.
fn syntax_within(defs: &Definitions<'_>, property: Record<'_>, depth_limit: u32) -> PropertySyntax {
    let Some(depth_limit) = depth_limit.checked_sub(1) else { return PropertySyntax::Cxx };
    let parser = property.string_field("parser").unwrap_or("");
    let storage = property.string_field("storageType").unwrap_or("");
    if let Ok(base) = property.def_field("baseProperty") {
        let is_new = !parser.is_empty() && base.string_field("parser") != Ok(parser);
        return if is_new { PropertySyntax::Cxx } else { syntax_within(defs, base, depth_limit) };
    }
    if is_unit_property(property) {
        return PropertySyntax::Unit;
    }
    let is_optional = property.is_subclass_of("OptionalProp");
    if is_optional || property.is_subclass_of("ArrayProp") {
        let Some(element) = element_of(property) else { return PropertySyntax::Cxx };
        let delegates = property.bit_field("delegatesParsing").unwrap_or_else(|_| {
            let inserted = inserted_code(element, "optionalParser").filter(|_| is_optional);
            inserted.is_some_and(|inserted| parser.contains(&inserted))
        });
        let is_known = is_generated(property, element, "parser") || delegates && !parser.is_empty();
        let of = if is_known { syntax_within(defs, element, depth_limit) } else { PropertySyntax::Cxx };
        return match of {
            PropertySyntax::Cxx => PropertySyntax::Cxx,
            of if is_optional => PropertySyntax::Optional { of: Box::new(of), marked: !delegates },
            PropertySyntax::Integer(ty) if property.is_subclass_of("IntArrayProp") => {
                PropertySyntax::IntegerList(ty)
            }
            of => PropertySyntax::List(Box::new(of)),
        };
    }
    if property.is_subclass_of("EnumProp") {
        let Some(item) = enum_of_property(defs, property) else { return PropertySyntax::Cxx };
        let is_named = ["NamedEnumProp", "NamedEnumPropWithAttrForm"];
        let is_named = is_named.iter().any(|class| property.is_subclass_of(class));
        return match property.string_field("mnemonic") {
            Ok(word) if is_named && (parser.is_empty() || parser.contains(&field_parser(storage))) => {
                PropertySyntax::NamedEnum(word.to_owned(), enum_syntax(item))
            }
            _ if !is_named && is_default_parser(defs, parser, storage) => {
                PropertySyntax::Enum(enum_syntax(item))
            }
            _ => PropertySyntax::Cxx,
        };
    }
    if is_default_parser(defs, parser, storage) { storage_syntax(storage) } else { PropertySyntax::Cxx }
}

/// The enumeration of an `EnumProp`. `None` if the enumeration is unknown, or if the property is stored in an attribute
/// of a dialect's class (`storeInCustomAttribute`).
fn enum_of_property<'d, 'a>(defs: &'d Definitions<'a>, property: Record<'_>) -> Option<&'d Enum<'a>> {
    let is_custom = property.bit_field("storeInCustomAttribute").unwrap_or(false);
    let record = property.def_field("enum").ok().filter(|_| !is_custom)?;
    defs.enum_of(record.id())
}

fn is_unit_property(property: Record<'_>) -> bool {
    // MLIR's headers and the prelude have different names for the base class.
    ["_UnitProp", "_cls_UnitProp"].iter().any(|class| property.is_subclass_of(class))
}

/// The C++ class that parses values of the C++ type `storage`.
fn field_parser(storage: &str) -> String {
    format!("FieldParser<{storage}>")
}

/// A field of one of MLIR's property definitions.
fn upstream_code<'a>(defs: &Definitions<'a>, property: &str, field: &str) -> Option<&'a str> {
    defs.records.record(defs.records.find(property)?).string_field(field).ok()
}

/// The default parser of MLIR's properties with the C++ type `storage`.
fn default_parser(defs: &Definitions<'_>, storage: &str) -> Option<String> {
    let parser = upstream_code(defs, "I64Prop", "parser")?;
    Some(parser.replace(&field_parser("int64_t"), &field_parser(storage)))
}

/// True if `parser` is the default parser of a property with the C++ type `storage`. The prelude omits this parser.
fn is_default_parser(defs: &Definitions<'_>, parser: &str, storage: &str) -> bool {
    parser.is_empty() || default_parser(defs, storage).is_some_and(|default| default == parser)
}

/// The syntax of a value of a C++ type.
fn storage_syntax(storage: &str) -> PropertySyntax {
    match storage.trim().trim_start_matches("::") {
        "bool" => PropertySyntax::Bool,
        "std::string" => PropertySyntax::Str,
        storage => integer_storage(storage).map_or(PropertySyntax::Cxx, PropertySyntax::Integer),
    }
}

/// The integer type that a C++ storage type names.
fn integer_storage(storage: &str) -> Option<IntTy> {
    let (bits, signed) = match storage.trim().trim_start_matches("::") {
        "int64_t" => (64, true),
        "uint64_t" => (64, false),
        "int32_t" => (32, true),
        "uint32_t" => (32, false),
        "int16_t" => (16, true),
        "uint16_t" => (16, false),
        "int8_t" => (8, true),
        "uint8_t" => (8, false),
        _ => return None,
    };
    Some(IntTy::new(bits, signed))
}

/// The encoding of a value of a C++ type.
fn value_encoding(storage: &str) -> PropertyEncoding {
    match storage.trim().trim_start_matches("::") {
        "bool" => PropertyEncoding::Bool,
        "std::string" => PropertyEncoding::Str,
        storage => match integer_storage(storage) {
            Some(IntTy { bits, signed, .. }) => PropertyEncoding::Integer { width: bits.into(), signed },
            None => PropertyEncoding::Cxx,
        },
    }
}

/// The encoding of a property.
pub(super) fn property_encoding(
    defs: &Definitions<'_>,
    property: Record<'_>,
    carrier: Carrier,
) -> PropertyEncoding {
    encoding_within(defs, property, carrier, DEPTH_LIMIT)
}

/// The encoding of a property. A wrapper such as `DefaultValuedProp` has the encoding of its base, unless the carrier
/// is an attribute and the wrapper defines another conversion from attributes.
fn encoding_within(
    defs: &Definitions<'_>,
    property: Record<'_>,
    carrier: Carrier,
    depth_limit: u32,
) -> PropertyEncoding {
    let Some(depth_limit) = depth_limit.checked_sub(1) else { return PropertyEncoding::Cxx };
    let storage = property.string_field("storageType").unwrap_or("").trim();
    let conversion = |property: Record<'_>| property.string_field("convertFromAttribute").map(str::to_owned);
    let for_attributes = carrier == Carrier::Attribute;
    let is_default = || is_default_conversion(&conversion(property).unwrap_or_default());
    let is_list = property.is_subclass_of("ArrayProp");
    if is_list || property.is_subclass_of("OptionalProp") {
        let Some(element) = element_of(property) else { return PropertyEncoding::Cxx };
        let code = if for_attributes { "convertFromAttribute" } else { "readFromMlirBytecode" };
        let is_int_list = property.is_subclass_of("IntArrayProp");
        if !(is_generated(property, element, code) || for_attributes && is_int_list && is_default()) {
            return PropertyEncoding::Cxx;
        }
        return match encoding_within(defs, element, carrier, depth_limit) {
            PropertyEncoding::Cxx if !(is_list && for_attributes) => PropertyEncoding::Cxx,
            inner if !is_list => PropertyEncoding::Optional(Box::new(inner)),
            PropertyEncoding::Integer { width, .. } if is_int_list => PropertyEncoding::IntegerList(width),
            inner => PropertyEncoding::List(Box::new(inner)),
        };
    }
    if let Ok(base) = property.def_field("baseProperty") {
        let converts = for_attributes && conversion(property).ok() != conversion(base).ok();
        return match converts {
            true => PropertyEncoding::Cxx,
            false => encoding_within(defs, base, carrier, depth_limit),
        };
    }
    if is_unit_property(property) {
        return PropertyEncoding::Unit;
    }
    if property.is_subclass_of("EnumProp") {
        let Some(item) = enum_of_property(defs, property) else { return PropertyEncoding::Cxx };
        let form = property.def_field("attrForm").ok().filter(|_| for_attributes);
        let Some(form) = form else { return PropertyEncoding::Integer { width: item.width, signed: false } };
        return match defs.attribute_class(form.string_field("storageType").unwrap_or("").trim()) {
            Some(found) => {
                PropertyEncoding::Enum { class: class_text(defs, found, '#'), cases: enum_syntax(item) }
            }
            None => PropertyEncoding::Cxx,
        };
    }
    match value_encoding(storage) {
        _ if for_attributes && !is_default() => PropertyEncoding::Cxx,
        // C++ code can define any byte code for an integer property whose class is not derived from `IntProp`.
        PropertyEncoding::Integer { .. } if !for_attributes && !property.is_subclass_of("IntProp") => {
            PropertyEncoding::Cxx
        }
        encoding => encoding,
    }
}
