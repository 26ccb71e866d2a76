//! How dialects' attributes and types are written, for snippets: by what ODS says of them.

use super::resolve::{cxx_ty, enum_id};
use crate::frontend::ods::{DefParam, Definition, Definitions};
use crate::intern::StrId;
use crate::snippet::{Body, BodyParam, Form, Item, ParamDefault, ParamKind, Snippets};

/// Tells snippets how the attributes or types of a class are written, if ODS says so. Returns the class's text.
pub(super) fn add(
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
    let params = definition.params.iter().map(|param| self::param(snippets, defs, param)).collect();
    let format = format.iter().map(|part| part.map(|text| snippets.intern(text))).collect();
    snippets.add_body(class, Body { params, format });
    class
}

/// What the attributes or types of a class begin with: `!dialect.mnemonic`.
fn text_of(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
    sigil: char,
) -> StrId {
    let dialect = &defs.dialects[definition.dialect].name;
    snippets.intern(&format!("{sigil}{dialect}.{}", definition.mnemonic))
}

fn param(snippets: &mut Snippets, defs: &Definitions<'_>, param: &DefParam<'_>) -> BodyParam {
    let (kind, form) =
        if param.self_type { (ParamKind::SelfType, Form::One) } else { kind(snippets, defs, param) };
    BodyParam {
        name: snippets.intern(param.name),
        kind,
        range: form == Form::Range,
        default: param.default.map(|default| default_of(snippets, defs, default)),
    }
}

fn kind(snippets: &mut Snippets, defs: &Definitions<'_>, param: &DefParam<'_>) -> (ParamKind, Form) {
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
    // One that is written with a text of its own is written without it where the class is clear.
    if let Some(inner) = defs.type_class(cxx) {
        return (ParamKind::Type(own_text(snippets, defs, inner, '!')), form);
    }
    if let Some(inner) = defs.attribute_class(cxx) {
        return (ParamKind::Attr(own_text(snippets, defs, inner, '#')), form);
    }
    let kind = match cxx_ty(snippets, defs, cxx).filter(|ty| ty.form == Form::One).map(|ty| ty.item) {
        Some(Item::Bool) => ParamKind::Bool,
        Some(Item::Int(int)) => ParamKind::Int(int),
        Some(Item::Str) => ParamKind::Str,
        Some(Item::Type(_)) => ParamKind::Type(None),
        Some(Item::Attr(_)) => ParamKind::Attr(None),
        _ => ParamKind::Cxx,
    };
    (kind, form)
}

fn own_text(
    snippets: &mut Snippets,
    defs: &Definitions<'_>,
    definition: &Definition<'_>,
    sigil: char,
) -> Option<StrId> {
    let has_own =
        !definition.mnemonic.is_empty() && (definition.format.is_some() || definition.custom_format);
    has_own.then(|| text_of(snippets, defs, definition, sigil))
}

/// What a default is, as far as it is a constant.
fn default_of(snippets: &mut Snippets, defs: &Definitions<'_>, default: &str) -> ParamDefault {
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
        .and_then(|(class, case)| defs.enum_class(class)?.cases.iter().find(|known| known.symbol == case));
    case.map_or(ParamDefault::Cxx, |case| ParamDefault::Int(case.value))
}
