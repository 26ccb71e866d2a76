//! What the names in C++ texts mean, by ODS: classes, enums, generated accessors.

use crate::frontend::cxx::{Named, Resolver};
use crate::frontend::ods::{Definition, Definitions, Enum, Op, OpId, Sizes, ValueSpec};
use crate::frontend::tablegen::RecordId;
use crate::pdl::Arity;
use crate::snippet::{
    AttrClass, ClassId, ClassKind, EnumId, GroupRef, Item, Member, Snippets, Ty, TypeClass,
};

use super::rule::small;

/// Names by the definitions of a run.
pub(super) struct Classes<'d, 'a> {
    pub(super) defs: &'d Definitions<'a>,
}

impl Resolver for Classes<'_, '_> {
    fn name(&self, snippets: &mut Snippets, name: &str) -> Option<Named> {
        if let Some(op) = self.defs.op_class(name) {
            return Some(Named::Class(op_class(snippets, self.defs, op)));
        }
        if let Some(class) = class_of(snippets, self.defs, name) {
            return Some(Named::Class(class));
        }
        self.defs.enum_class(name).map(|item| Named::Enum(enum_id(snippets, item)))
    }

    fn member(&self, snippets: &mut Snippets, class: ClassId, method: &str) -> Option<(Member, Ty)> {
        let ClassKind::Op(name) = snippets.class(class).kind else { return None };
        let name = snippets.str(name).to_owned();
        let op = &self.defs.ops[self.defs.op_named(&name)?];
        if let Some(index) = op.operand_accessor(method) {
            let group = group(snippets, &op.operands, op.operand_sizes, "operandSegmentSizes", index)?;
            return Some((Member::Operands(group), value_ty(&op.operands[index])));
        }
        if let Some(index) = op.result_accessor(method) {
            let group = group(snippets, &op.results, op.result_sizes, "resultSegmentSizes", index)?;
            return Some((Member::Results(group), value_ty(&op.results[index])));
        }
        if let Some((index, whole)) = op.attribute_accessor(method) {
            let attribute = &op.attributes[index];
            let name = snippets.intern(attribute.name);
            if attribute.spec.is_unit() && !whole {
                return Some((Member::UnitAttr(name), Ty::BOOL));
            }
            let storage = attr_ty(snippets, self.defs, attribute.spec.storage);
            let ty = match whole {
                true => storage,
                false => cxx_ty(snippets, self.defs, attribute.spec.value_type).unwrap_or(storage),
            };
            return Some((Member::Attr(name), ty));
        }
        let property = &op.properties[op.property_accessor(method)?];
        let name = snippets.intern(property.name);
        let ty = cxx_ty(snippets, self.defs, property.interface)?;
        Some((Member::Attr(name), ty))
    }
}

/// The class of an operation.
pub(super) fn op_class(snippets: &mut Snippets, defs: &Definitions<'_>, op: OpId) -> ClassId {
    let op = &defs.ops[op];
    let name = snippets.intern(&op.name);
    snippets.add_class(&short(&op.qualified_class()), ClassKind::Op(name))
}

/// The class of a dialect's attribute or type of this C++ name.
fn class_of(snippets: &mut Snippets, defs: &Definitions<'_>, name: &str) -> Option<ClassId> {
    if let Some(definition) = defs.attribute_class(name) {
        return Some(attribute_class(snippets, defs, definition));
    }
    if let Some(definition) = defs.type_class(name) {
        let text = snippets.intern(&format!("!{}", text_of(defs, definition)));
        return Some(snippets.add_class(&class_name(definition), ClassKind::Type(text)));
    }
    let item = defs.enum_of_attr_class(name)?;
    let id = enum_id(snippets, item);
    let class = item.attr_class.unwrap_or_default();
    let cxx_name = short(&qualified(item.namespace, class));
    Some(snippets.add_class(&cxx_name, ClassKind::IntEnumAttr(item.width, id)))
}

fn attribute_class(snippets: &mut Snippets, defs: &Definitions<'_>, definition: &Definition<'_>) -> ClassId {
    let text = snippets.intern(&format!("#{}", text_of(defs, definition)));
    let wrapped = definition.enumeration.and_then(|record| defs.enum_of(record));
    let kind = match wrapped {
        Some(item) => ClassKind::EnumAttr(text, enum_id(snippets, item)),
        None => ClassKind::Attr(text),
    };
    snippets.add_class(&class_name(definition), kind)
}

fn text_of(defs: &Definitions<'_>, definition: &Definition<'_>) -> String {
    format!("{}.{}", defs.dialects[definition.dialect].name, definition.mnemonic)
}

fn class_name(definition: &Definition<'_>) -> String {
    short(&qualified(definition.namespace, definition.class))
}

fn qualified(namespace: &str, class: &str) -> String {
    if namespace.is_empty() { class.to_owned() } else { format!("{namespace}::{class}") }
}

/// A C++ name without the namespaces that rules may leave out.
fn short(name: &str) -> String {
    let name = name.trim_start_matches("::");
    let name = name.strip_prefix("mlir::").or_else(|| name.strip_prefix("llvm::")).unwrap_or(name);
    name.to_owned()
}

/// An enum as snippets know it.
pub(super) fn enum_id(snippets: &mut Snippets, item: &Enum<'_>) -> EnumId {
    let cases: Vec<(&str, &str, u64)> =
        item.cases.iter().map(|case| (case.symbol, case.text, case.value.cast_unsigned())).collect();
    let separator = item.bits.then_some(item.separator);
    snippets.add_enum(&short(&qualified(item.namespace, item.class)), separator, &cases)
}

/// The enum of a record as a static type.
pub(super) fn enum_ty(snippets: &mut Snippets, defs: &Definitions<'_>, record: RecordId) -> Option<Ty> {
    let item = defs.enum_of(record)?;
    Some(Ty::one(Item::Enum(enum_id(snippets, item))))
}

/// The static type of an attribute of this storage class.
pub(super) fn attr_ty(snippets: &mut Snippets, defs: &Definitions<'_>, storage: &str) -> Ty {
    attr_class(snippets, defs, storage).map_or(Ty::ATTR, Ty::attr)
}

fn attr_class(snippets: &mut Snippets, defs: &Definitions<'_>, storage: &str) -> Option<AttrClass> {
    let name = short(storage.trim());
    if let Some(class) = AttrClass::from_cxx(&name) {
        return Some(class);
    }
    if let Some(definition) = defs.attribute_class(&name) {
        return Some(AttrClass::Named(attribute_class(snippets, defs, definition)));
    }
    defs.enum_of_attr_class(&name)?;
    class_of(snippets, defs, &name).map(AttrClass::Named)
}

/// The static type of an operand or result.
fn value_ty(spec: &ValueSpec<'_>) -> Ty {
    match spec.arity {
        Arity::Variadic => Ty::range(Item::Value),
        _ => Ty::VALUE,
    }
}

/// The static type that a C++ type in ODS names.
pub(super) fn cxx_ty(snippets: &mut Snippets, defs: &Definitions<'_>, text: &str) -> Option<Ty> {
    let text = text.trim().trim_start_matches("const ").trim_end_matches(['&', ' ', '*']);
    let name = short(text.trim_start_matches("::std::").trim_start_matches("std::"));
    if let Some(inner) = name.strip_prefix("optional<").and_then(|rest| rest.strip_suffix('>')) {
        return cxx_ty(snippets, defs, inner).map(|ty| Ty::optional(ty.item));
    }
    let ty = match name.as_str() {
        "bool" => Ty::BOOL,
        "int64_t" | "int" => Ty::I64,
        "int32_t" => Ty::I32,
        "uint32_t" | "unsigned" => Ty::U32,
        "uint64_t" | "size_t" => Ty::U64,
        "int8_t" => int(8, true),
        "uint8_t" => int(8, false),
        "int16_t" => int(16, true),
        "uint16_t" => int(16, false),
        "float" | "double" => Ty::DOUBLE,
        "APInt" => Ty::AP_INT,
        "APFloat" => Ty::AP_FLOAT,
        "StringRef" | "string" => Ty::STR,
        "Value" => Ty::VALUE,
        "ValueRange" => Ty::range(Item::Value),
        "TypeRange" => Ty::range(Item::Type(TypeClass::Any)),
        "Attribute" => Ty::ATTR,
        "Operation" => Ty::OP,
        _ => {
            if let Some(class) = TypeClass::from_cxx(&name) {
                Ty::ty(class)
            } else if let Some(class) = attr_class(snippets, defs, &name) {
                Ty::attr(class)
            } else if let Some(item) = defs.enum_class(&name) {
                Ty::one(Item::Enum(enum_id(snippets, item)))
            } else if defs.type_class(&name).is_some() {
                Ty::ty(TypeClass::Named(class_of(snippets, defs, &name)?))
            } else {
                return None;
            }
        }
    };
    Some(ty)
}

fn int(bits: u8, signed: bool) -> Ty {
    Ty::one(Item::Int(crate::snippet::IntTy { bits, signed }))
}

/// Where a group of operands or results is.
fn group(
    snippets: &mut Snippets,
    specs: &[ValueSpec<'_>],
    sizes: Sizes,
    attribute: &str,
    index: usize,
) -> Option<GroupRef> {
    let open = |specs: &[ValueSpec<'_>]| specs.iter().filter(|spec| spec.arity != Arity::One).count();
    let before = &specs[..index];
    Some(match sizes {
        Sizes::Attribute => GroupRef::Segment { sizes: snippets.intern(attribute), index: small(index) },
        Sizes::Equal if open(specs) > 1 => GroupRef::Equal {
            fixed_before: small(index - open(before)),
            open_before: small(open(before)),
            fixed: small(specs.len() - open(specs)),
            open: small(open(specs)),
        },
        _ if specs[index].arity != Arity::One => {
            GroupRef::Rest { before: small(index), after: small(specs.len() - index - 1) }
        }
        _ if open(before) == 0 => GroupRef::One(small(index)),
        // One value after an open group has no place that is known.
        _ => return None,
    })
}

/// The attribute whose value a constant-like operation stands for.
pub(super) fn constant_value<'a>(op: &Op<'a>) -> Option<&'a str> {
    let value = op.attributes.iter().find(|attribute| attribute.name == "value");
    value.or(op.attributes.first()).map(|attribute| attribute.name)
}
