//! The snippet classes, enumerations and static types of ODS definitions.
//!
//! A dialect's attribute or type class that has a declared format, or that has neither parameters nor a parser in C++,
//! also has a *body*: its parameters, and the format in which they are written.

use crate::frontend::cxx::{AmbiguousName, int_type};
use crate::frontend::ods::{
    DefParam, Definition, Definitions, Enum, Interface, InterfaceKind, Op, OpId, accessor_name,
};
use crate::frontend::tablegen::RecordId;
use crate::host::Kind;
use crate::intern::StrId;
use crate::snippet::{
    AttrClass, BUILTIN_INTERFACES, Body, BodyParam, ClassId, ClassKind, EnumId, Form, Item, Member,
    ParamDefault, ParamKind, Snippets, Ty, TypeClass,
};

/// The class of an operation.
pub(super) fn op_class(snippets: &mut Snippets, defs: &Definitions<'_>, op: OpId) -> ClassId {
    let op = &defs.ops[op];
    let name = snippets.intern(&op.name);
    snippets.add_class(&short(&op.qualified_class()), ClassKind::Op(name))
}

/// The class of all entities with an interface.
pub(super) fn interface_class(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    interface: &Interface<'_>,
) -> ClassId {
    let names = snippets.intern(&defs.implementers(interface).join(","));
    let class = short(&qualified(interface.namespace, interface.class));
    let kind = match interface.kind {
        InterfaceKind::Op => Kind::Op,
        InterfaceKind::Attr => Kind::Attr,
        InterfaceKind::Type => Kind::Type,
    };
    snippets.add_class(&class, ClassKind::OneOf(kind, names))
}

/// Adds each interface that is a built-in class, unless `builtin` is the only dialect with types or attributes that
/// could implement the interface.
pub(super) fn builtin_interfaces(snippets: &mut Snippets, defs: &Definitions<'_>) {
    for name in BUILTIN_INTERFACES {
        let Some(interface) = defs.interface(name) else { continue };
        let names = defs.implementers(interface);
        if !names.iter().any(|name| !name.trim_start_matches(['-', '!', '#']).starts_with("builtin.")) {
            continue;
        }
        interface_class(snippets, defs, interface);
        if name == "ShapedType" {
            // Snippets read the element type of a type through its body, which `type_class` adds.
            for definition in defs.types.iter() {
                let text = format!("!{}.{}", defs.dialects[definition.dialect].name, definition.mnemonic);
                if names.contains(&text) {
                    type_class(snippets, defs, definition);
                }
            }
        }
    }
}

/// The class of a dialect's attribute or type with this C++ name.
pub(super) fn class_of(snippets: &mut Snippets, defs: &Definitions<'_>, name: &str) -> Option<ClassId> {
    if let Some(definition) = defs.attribute_class(name) {
        return Some(attribute_class(snippets, defs, definition));
    }
    if let Some(definition) = defs.type_class(name) {
        return Some(type_class(snippets, defs, definition));
    }
    let item = defs.enum_of_attr_class(name)?;
    let id = enum_id(snippets, item);
    let class = item.attr_class.unwrap_or_default();
    let cxx_name = short(&qualified(item.namespace, class));
    Some(snippets.add_class(&cxx_name, ClassKind::IntEnumAttr(item.width, id)))
}

/// The class of a dialect's type.
pub(super) fn type_class(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
) -> ClassId {
    let text = add_body(snippets, defs, definition, '!');
    snippets.add_class(&class_name(definition), ClassKind::Type(text))
}

/// The class of a dialect's attribute.
pub(super) fn attribute_class(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
) -> ClassId {
    let text = add_body(snippets, defs, definition, '#');
    let wrapped = definition.enumeration.and_then(|record| defs.enum_of(record));
    let kind = match wrapped {
        Some(item) => ClassKind::EnumAttr(text, enum_id(snippets, item)),
        None => ClassKind::Attr(text),
    };
    snippets.add_class(&class_name(definition), kind)
}

/// The parameter of a dialect's attribute or type that a generated accessor reads.
pub(super) fn param(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    class: ClassId,
    text: StrId,
    method: &str,
) -> Option<(Member, Ty)> {
    let name = snippets.str(snippets.class(class).cxx_name).to_owned();
    let definition = defs.attribute_class(&name).or_else(|| defs.type_class(&name))?;
    let index = definition.params.iter().position(|param| accessor_name("get", param.name) == method)?;
    let number = u32::try_from(index).ok().filter(|&number| snippets.can_read(text, number))?;
    let param = snippets.body(text)?.params.get(index)?;
    let mut ty = param.ty();
    // The definition states the class of the parameter, and the body does not.
    if let (Item::Type(_) | Item::Attr(_), Some(declared)) =
        (ty.item, cxx_ty(snippets, defs, definition.params[index].ty))
    {
        ty = Ty { item: declared.item, form: ty.form };
    }
    Some((Member::Param(text, number), ty))
}

fn class_name(definition: &Definition<'_>) -> String {
    short(&qualified(definition.namespace, definition.class))
}

pub(super) fn qualified(namespace: &str, class: &str) -> String {
    if namespace.is_empty() { class.to_owned() } else { format!("{namespace}::{class}") }
}

/// Returns the names of classes and functions that are ambiguous, because definitions in several namespaces have the
/// name, or because a built-in class has the name of a definition. Each entry is such a name with the qualified name of
/// one of the definitions.
pub(super) fn ambiguous_names(defs: &Definitions<'_>) -> Vec<AmbiguousName> {
    let mut all: Vec<(&str, String)> = Vec::new();
    let mut add = |namespace: &str, name| all.push((name, short(&qualified(namespace, name))));
    defs.ops.iter().for_each(|op| add(op.namespace, op.class));
    defs.types.iter().chain(defs.attributes.iter()).for_each(|item| add(item.namespace, item.class));
    for item in defs.enums.iter() {
        let names = [item.class, item.symbolize, item.parse, item.stringify, item.max];
        names.into_iter().filter(|name| !name.is_empty()).for_each(|name| add(item.namespace, name));
    }
    all.sort_unstable();
    all.dedup();
    let is_builtin = |name: &str| TypeClass::from_cxx(name).is_some() || AttrClass::from_cxx(name).is_some();
    let groups = all.chunk_by(|a, b| a.0 == b.0).filter(|group| group.len() > 1 || is_builtin(group[0].0));
    let of = |(name, qualified): &(&str, String)| AmbiguousName {
        name: (*name).to_owned(),
        qualified: qualified.clone(),
    };
    groups.flatten().map(of).collect()
}

/// A C++ name without the namespaces that rules may omit.
pub(super) fn short(name: &str) -> String {
    let name = name.trim_start_matches("::");
    let name = name.strip_prefix("mlir::").or_else(|| name.strip_prefix("llvm::")).unwrap_or(name);
    name.to_owned()
}

/// The snippet enumeration of an ODS enum.
pub(super) fn enum_id(snippets: &mut Snippets, item: &Enum<'_>) -> EnumId {
    let cases: Vec<(&str, &str, u64)> =
        item.cases.iter().map(|case| (case.symbol, case.text, case.value.cast_unsigned())).collect();
    let separator = item.is_bit_set.then_some(item.separator);
    let id = snippets.add_enum(&short(&qualified(item.namespace, item.class)), separator, &cases);
    snippets.set_printing(id, item.groups, item.quoted);
    id
}

/// The static type of the enum that a record defines.
pub(super) fn enum_ty(snippets: &mut Snippets, defs: &Definitions<'_>, record: RecordId) -> Option<Ty> {
    let item = defs.enum_of(record)?;
    Some(Ty::one(Item::Enum(enum_id(snippets, item))))
}

/// The static type of a storage class of attributes; any attribute if the class is unknown.
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

/// The static type of a C++ type in ODS; `None` if the C++ type is unknown.
pub(super) fn cxx_ty(snippets: &mut Snippets, defs: &Definitions<'_>, text: &str) -> Option<Ty> {
    let text = text.trim().trim_start_matches("const ").trim_end_matches(['&', ' ', '*']);
    let name = short(text.trim_start_matches("::std::").trim_start_matches("std::"));
    for (template, form) in TEMPLATES {
        let inner = name.strip_prefix(template).and_then(|rest| rest.strip_prefix('<')?.strip_suffix('>'));
        if let Some(inner) = inner {
            return cxx_ty(snippets, defs, inner).map(|ty| match ty.form {
                Form::One => Ty { form: *form, ..ty },
                _ => Ty { form: *form, item: Item::Unknown },
            });
        }
    }
    let ty = match name.as_str() {
        "bool" => Ty::BOOL,
        "float" | "double" => Ty::DOUBLE,
        "APInt" => Ty::AP_INT,
        "APSInt" => Ty::one(Item::Tuple(snippets.signed_number())),
        "APFloat" => Ty::AP_FLOAT,
        "StringRef" | "string" => Ty::STR,
        "Value" => Ty::VALUE,
        "ValueRange" => Ty::range(Item::Value),
        "TypeRange" => Ty::range(Item::Type(TypeClass::Any)),
        "Attribute" => Ty::ATTR,
        "AffineMap" => Ty::one(Item::AffineMap),
        "Operation" => Ty::OP,
        _ => {
            if let Some(int) = int_type(&name) {
                Ty::one(Item::Int(int))
            } else if let Some(class) = TypeClass::from_cxx(&name) {
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

/// The type of the range in an optional range; `None` for another C++ type.
pub(super) fn optional_range(snippets: &mut Snippets, defs: &Definitions<'_>, text: &str) -> Option<Ty> {
    let name = short(text.trim().trim_start_matches("::std::").trim_start_matches("std::"));
    let inner = name.strip_prefix("optional<")?.strip_suffix('>')?;
    cxx_ty(snippets, defs, inner).filter(|held| held.form == Form::Range)
}

/// C++ templates with one type argument, and the form of their values.
const TEMPLATES: &[(&str, Form)] = &[
    ("optional", Form::Optional),
    ("ArrayRef", Form::Range),
    ("SmallVector", Form::Range),
    ("vector", Form::Range),
];

/// The name of the attribute that contains the value of a constant-like operation: `value`, or else the first
/// attribute.
pub(super) fn constant_value<'a>(op: &Op<'a>) -> Option<&'a str> {
    let value = op.attributes.iter().find(|attribute| attribute.name == "value");
    value.or(op.attributes.first()).map(|attribute| attribute.name)
}

/// Adds the body of an attribute or type definition that declares an assembly format, or that has neither parameters
/// nor a parser in C++. A definition without a mnemonic gets no body. Returns the text with which the attributes or
/// types of the definition begin.
fn add_body(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
    sigil: char,
) -> StrId {
    let class = text_of(snippets, defs, definition, sigil);
    if definition.mnemonic.is_empty() || definition.custom_format || snippets.body(class).is_some() {
        return class;
    }
    let nothing = Vec::new();
    let Some(format) = definition.format.as_ref().or(definition.params.is_empty().then_some(&nothing)) else {
        return class;
    };
    let params = definition.params.iter().map(|param| body_param(snippets, defs, param)).collect();
    let format = format.iter().map(|part| part.map(|text| snippets.intern(text))).collect();
    snippets.add_body(class, Body { params, format });
    class
}

/// The text with which the attributes or types of a class begin: `!dialect.mnemonic`.
fn text_of(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
    sigil: char,
) -> StrId {
    let dialect = &defs.dialects[definition.dialect].name;
    snippets.intern(&format!("{sigil}{dialect}.{}", definition.mnemonic))
}

fn body_param(snippets: &mut Snippets, defs: &Definitions<'_>, param: &DefParam<'_>) -> BodyParam {
    let (kind, form) =
        if param.self_type { (ParamKind::SelfType, Form::One) } else { param_kind(snippets, defs, param) };
    let default = param.default.map(|default| match (default_value(snippets, defs, default), kind, form) {
        // `unsigned()` is 0, but `std::optional<unsigned>()` has no value.
        (ParamDefault::Null, ParamKind::Int(_) | ParamKind::Bool | ParamKind::Enum(_), Form::One) => {
            ParamDefault::Int(0)
        }
        (default, ..) => default,
    });
    let (range, optional) = (form == Form::Range, form == Form::Optional);
    BodyParam {
        name: snippets.intern(param.name),
        kind,
        range,
        optional,
        qualified: param.qualified,
        default,
    }
}

fn param_kind(snippets: &mut Snippets, defs: &Definitions<'_>, param: &DefParam<'_>) -> (ParamKind, Form) {
    let mut cxx = param.ty.trim();
    let mut form = Form::One;
    for (template, of) in
        [("ArrayRef", Form::Range), ("SmallVector", Form::Range), ("optional", Form::Optional)]
    {
        let inner = cxx.rsplit_once(&format!("{template}<")).and_then(|(_, rest)| rest.strip_suffix('>'));
        if let Some(inner) = inner {
            (cxx, form) = (inner, of);
        }
    }
    if let Some(item) = defs.enum_class(cxx) {
        return (ParamKind::Enum(enum_id(snippets, item)), form);
    }
    if param.custom_parser {
        return (ParamKind::Cxx, form);
    }
    // A parameter whose type is a dialect's class can be written without the prefix of this class.
    let (type_class, attribute_class) = (defs.type_class(cxx), defs.attribute_class(cxx));
    let is_builtin = |inner: &&Definition<'_>| defs.dialects[inner.dialect].name == "builtin";
    if let Some(inner) = type_class.filter(|inner| !is_builtin(inner)) {
        return (ParamKind::Type(class_prefix(snippets, defs, inner, '!')), form);
    }
    if let Some(inner) = attribute_class.filter(|inner| !is_builtin(inner)) {
        return (ParamKind::Attr(class_prefix(snippets, defs, inner, '#')), form);
    }
    let ty = match cxx {
        // Snippets compute an `int` with 64 bits, but MLIR's parser accepts only numbers that fit in 32 bits.
        "int" => Some(Ty::I32),
        cxx => cxx_ty(snippets, defs, cxx),
    };
    let kind = match ty.filter(|ty| ty.form == Form::One).map(|ty| ty.item) {
        Some(Item::Bool) => ParamKind::Bool,
        Some(Item::Int(int)) => ParamKind::Int(int),
        Some(Item::Str) => ParamKind::Str,
        Some(Item::Type(TypeClass::Any)) => ParamKind::Type(None),
        Some(Item::Type(_)) => ParamKind::TypeOf(snippets.intern(&short(cxx))),
        Some(Item::Attr(AttrClass::Any)) => ParamKind::Attr(None),
        Some(Item::Attr(_)) => ParamKind::AttrOf(snippets.intern(&short(cxx))),
        _ if attribute_class.is_some() || short(cxx) == "DistinctAttr" => ParamKind::Attr(None),
        _ if type_class.is_some() => ParamKind::Type(None),
        _ => ParamKind::Cxx,
    };
    (kind, form)
}

fn class_prefix(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
    sigil: char,
) -> Option<StrId> {
    let has_format =
        !definition.mnemonic.is_empty() && (definition.format.is_some() || definition.custom_format);
    has_format.then(|| text_of(snippets, defs, definition, sigil))
}

/// The default of a parameter; `ParamDefault::Cxx` if it is not a constant.
fn default_value(snippets: &mut Snippets, defs: &Definitions<'_>, default: &str) -> ParamDefault {
    let default = default.trim();
    if default.ends_with("()") && !default.contains("get")
        || matches!(default, "nullptr" | "std::nullopt" | "{}")
    {
        return ParamDefault::Null;
    }
    match default {
        "true" => return ParamDefault::Int(1),
        "false" => return ParamDefault::Int(0),
        _ => {}
    }
    if let Ok(number) = default.parse() {
        return ParamDefault::Int(number);
    }
    if let Some(text) = default.strip_prefix('"').and_then(|text| text.strip_suffix('"'))
        && !text.contains(['"', '\\'])
    {
        return ParamDefault::Str(snippets.intern(text));
    }
    let case = default
        .rsplit_once("::")
        .and_then(|(class, case)| defs.enum_class(class)?.cases.iter().find(|other| other.symbol == case));
    case.map_or(ParamDefault::Cxx, |case| ParamDefault::Int(case.value))
}
