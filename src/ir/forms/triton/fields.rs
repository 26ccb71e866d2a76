//! Attributes whose text is a dictionary.
//!
//! The parsers in C++ read a dictionary. Its entries can have any order, and its integers can have any type. The
//! printers write the entries in the order of the fields, without types.

use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{ClassText, FormResult};
use crate::ir::ids::AttrId;
use crate::number::ApInt;

/// A field of an attribute.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    pub(super) kind: FieldKind,
    /// True if the entry is omitted when the field has the value that a missing entry stands for.
    pub(super) is_optional: bool,
}

/// The values that a field can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FieldKind {
    /// An integer that is not negative. A missing entry stands for the given integer.
    Integer(i64),
    /// The number of dimensions, which is 2 if there is no entry. It is not written after `CGALayout`, which determines
    /// it.
    Rank,
    /// `true` or `false`. A missing entry stands for `false`.
    Flag,
    /// A list of integers that are not negative. A missing entry stands for the given list.
    List(&'static str),
    /// A list of integers that are not negative. A missing entry stands for a list of ones.
    Ones,
    /// A list of lists of integers. A missing entry stands for an empty list.
    Bases,
    /// A list of lists of integers, which is required.
    RequiredBases,
    /// A dictionary with lists of lists of integers for these names. Entries with empty lists are not written.
    NamedBases(&'static [&'static str]),
    /// An attribute.
    Attribute,
}

/// A field that is always written.
pub(super) const fn field(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, is_optional: false }
}

/// A field that is written unless it has the value that a missing entry stands for.
pub(super) const fn optional(name: &'static str, kind: FieldKind) -> Field {
    Field { name, kind, is_optional: true }
}

/// Reads a dictionary with entries for some of the fields.
pub(super) fn read(text: &mut dyn ClassText, names: &[&str]) -> FormResult<Vec<(String, AttrId)>> {
    if !text.is_literal("{") {
        return Err(text.expected("'{'"));
    }
    let dictionary = text.read_attribute()?;
    let entries = text.entries(dictionary);
    match entries.iter().all(|(name, _)| names.contains(&name.as_str())) {
        true => Ok(entries),
        false => Err(text.expected(&format!("only entries for {}", names.join(", ")))),
    }
}

/// The value of an entry.
pub(super) fn value(entries: &[(String, AttrId)], name: &str) -> Option<AttrId> {
    entries.iter().find(|(known, _)| known == name).map(|&(_, value)| value)
}

/// Transcribes a dictionary with these fields.
pub(super) fn transcribe(text: &mut dyn ClassText, fields: &[Field]) -> FormResult<()> {
    let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
    let entries = read(text, &names)?;
    text.write("{");
    let mut last = "";
    for field in fields {
        if field.kind == FieldKind::Rank && last == "CGALayout" {
            continue;
        }
        let separator = if last.is_empty() { "" } else { ", " };
        let value = value(&entries, field.name);
        if field.kind == FieldKind::Attribute {
            let value = value.ok_or_else(|| text.expected(&format!("an entry for '{}'", field.name)))?;
            text.write(&format!("{separator}{} = ", field.name));
            text.write_attribute(value)?;
        } else {
            let printed = printed(text, value, field.kind);
            let printed = printed
                .ok_or_else(|| text.expected(&format!("{} for '{}'", wanted(field.kind), field.name)))?;
            if field.is_optional && is_missing(&printed, field.kind) {
                continue;
            }
            text.write(&format!("{separator}{} = {printed}", field.name));
        }
        last = field.name;
    }
    text.write("}");
    Ok(())
}

/// The description of the values of a kind, for messages.
fn wanted(kind: FieldKind) -> &'static str {
    match kind {
        FieldKind::Integer(_) | FieldKind::Rank => "an integer",
        FieldKind::Flag => "'true' or 'false'",
        FieldKind::List(_) | FieldKind::Ones => "a list of integers",
        FieldKind::Bases | FieldKind::RequiredBases => "a list of lists of integers",
        FieldKind::NamedBases(_) => "a dictionary with lists of lists of integers",
        FieldKind::Attribute => "an attribute",
    }
}

/// True if a printed value is the one that a missing entry stands for.
fn is_missing(printed: &str, kind: FieldKind) -> bool {
    match kind {
        FieldKind::Integer(missing) => printed == missing.to_string(),
        FieldKind::Rank => printed == "2",
        FieldKind::Flag => printed == "false",
        FieldKind::List(missing) => printed == missing,
        FieldKind::Ones => printed.split(['[', ']', ',']).all(|one| matches!(one.trim(), "" | "1")),
        FieldKind::Bases => printed == "[]",
        FieldKind::RequiredBases | FieldKind::NamedBases(_) | FieldKind::Attribute => false,
    }
}

/// The text of the value of an entry, or of the value that a missing entry stands for.
fn printed(text: &dyn ClassText, value: Option<AttrId>, kind: FieldKind) -> Option<String> {
    match (kind, value) {
        (FieldKind::Integer(missing), None) => Some(missing.to_string()),
        (FieldKind::Rank, None) => Some("2".to_owned()),
        (FieldKind::Flag, None) => Some("false".to_owned()),
        (FieldKind::List(missing), None) => Some(missing.to_owned()),
        (FieldKind::Ones | FieldKind::Bases, None) => Some("[]".to_owned()),
        (FieldKind::RequiredBases | FieldKind::NamedBases(_) | FieldKind::Attribute, None) => None,
        (FieldKind::Integer(_) | FieldKind::Rank, Some(value)) => Some(unsigned(text, value)?.to_string()),
        (FieldKind::Flag, Some(value)) => Some(flag(text, value)?.to_string()),
        (FieldKind::List(_) | FieldKind::Ones, Some(value)) => Some(list(&numbers(text, value)?)),
        (FieldKind::Bases | FieldKind::RequiredBases, Some(value)) => Some(bases_text(&bases(text, value)?)),
        (FieldKind::NamedBases(names), Some(value)) => {
            let AttrKind::Dictionary(_) = text.attr_kind(value) else { return None };
            let entries = text.entries(value);
            let mut parts = Vec::new();
            for &(ref name, value) in &entries {
                if !names.contains(&name.as_str()) {
                    return None;
                }
                let bases = bases(text, value)?;
                if !bases.is_empty() {
                    parts.push(format!("{name} = {}", bases_text(&bases)));
                }
            }
            Some(format!("{{{}}}", parts.join(", ")))
        }
        (FieldKind::Attribute, Some(_)) => None,
    }
}

/// The items of an array attribute.
fn items(text: &dyn ClassText, value: AttrId) -> Option<Vec<AttrId>> {
    match text.attr_kind(value) {
        AttrKind::Array(items) => Some(items.to_vec()),
        _ => None,
    }
}

/// The value of an integer attribute.
fn integer(text: &dyn ClassText, value: AttrId) -> Option<&ApInt> {
    match text.attr_kind(value) {
        AttrKind::Integer { value, .. } if value.width() > 1 => Some(value),
        _ => None,
    }
}

/// The value of an integer attribute, if the value is not negative.
fn unsigned(text: &dyn ClassText, value: AttrId) -> Option<i64> {
    integer(text, value)?.to_i64().filter(|&value| value >= 0)
}

/// The value of a Boolean attribute.
fn flag(text: &dyn ClassText, value: AttrId) -> Option<bool> {
    match text.attr_kind(value) {
        AttrKind::Integer { value, .. } if value.width() == 1 => Some(!value.is_zero()),
        _ => None,
    }
}

/// A list of integers that are not negative.
pub(super) fn numbers(text: &dyn ClassText, value: AttrId) -> Option<Vec<i64>> {
    items(text, value)?.iter().map(|&item| unsigned(text, item)).collect()
}

/// The lists of integers in a list.
pub(super) fn bases(text: &dyn ClassText, value: AttrId) -> Option<Vec<Vec<i64>>> {
    let basis = |&basis: &AttrId| {
        items(text, basis)?.iter().map(|&item| integer(text, item)?.to_i64()).collect::<Option<Vec<i64>>>()
    };
    items(text, value)?.iter().map(basis).collect()
}

/// The text of a list.
pub(super) fn list(items: &[impl ToString]) -> String {
    let items: Vec<String> = items.iter().map(ToString::to_string).collect();
    format!("[{}]", items.join(", "))
}

/// The text of a list of lists.
pub(super) fn bases_text(bases: &[Vec<i64>]) -> String {
    let bases: Vec<String> = bases.iter().map(|basis| list(basis)).collect();
    list(&bases)
}
