//! The resources of a file: blobs, strings and Booleans with keys, for dialects and external tools.

use std::fmt::Write;

use hashbrown::HashSet;

use super::bytes::Reader;
use super::bytes::Writer;
use super::error::{self, ReadResult};
use super::numbering::Numbering;
use super::table::Table;
use super::version::SectionKind;
use crate::ir::context::Context;
use crate::ir::module::ResourceGroup;
use crate::source::Diagnostic;
use crate::string_literal;

/// The kinds of resources, by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResourceKind {
    Blob,
    Bool,
    String,
}

impl ResourceKind {
    fn from_number(number: u8) -> Option<Self> {
        [Self::Blob, Self::Bool, Self::String].get(usize::from(number)).copied()
    }
}

/// Reads all resources. Adds the keys of the resources of dialects to the table.
pub(super) fn read(context: &mut Context, table: &mut Table<'_, '_>) -> ReadResult<Vec<ResourceGroup>> {
    let file = table.file;
    let mut data = match (file.section(SectionKind::Resources), file.section(SectionKind::ResourceSizes)) {
        (None, None) => return Ok(Vec::new()),
        (None, Some(_)) => return Err(error::missing_section(SectionKind::Resources, file.len())),
        (Some(_), None) => return Err(error::missing_section(SectionKind::ResourceSizes, file.len())),
        (Some(data), Some(_)) => data,
    };
    let mut reader = file.required(SectionKind::ResourceSizes)?;
    let mut groups = Vec::new();
    let external = reader.count("groups of external resources")?;
    while groups.len() < external || !reader.is_empty() {
        let is_external = groups.len() < external;
        let name = match is_external {
            true => file.string(&mut reader)?.clone(),
            false => file.dialects[file.dialect(&mut reader)?].clone(),
        };
        let mut entries: Vec<(Box<str>, Box<str>)> = Vec::new();
        let mut keys = HashSet::new();
        for _ in 0..reader.count("resources")? {
            let at = reader.position();
            let key = file.string(&mut reader)?.clone();
            let size = reader.number()?;
            let kind = reader.byte()?;
            let kind = ResourceKind::from_number(kind)
                .ok_or_else(|| error::unknown_code(&name, "resource", kind.into(), at))?;
            let mut value = data.part(size)?;
            if !is_external {
                table.add_resource(context.string(&key));
                // The file has only the key of this resource, and no data.
                if value.is_empty() {
                    continue;
                }
            }
            if !keys.insert(key.clone()) {
                return Err(error::invalid(format!("the resource '{key}' occurs twice"), at));
            }
            entries.push((key.as_ref().into(), text(table, &mut value, kind)?.into()));
            value.finish("a resource")?;
        }
        groups.push(ResourceGroup { external: is_external, name: name.as_ref().into(), entries });
    }
    data.finish("the section 'resources'")?;
    // In the text, the resources of dialects come first.
    groups.rotate_left(external);
    Ok(groups)
}

/// Reads a resource as the text that stands for it.
fn text<'a>(table: &Table<'_, 'a>, value: &mut Reader<'a>, kind: ResourceKind) -> ReadResult<String> {
    Ok(match kind {
        ResourceKind::Bool => value.bool()?.to_string(),
        ResourceKind::String => string_literal::quote(table.file.string(value)?),
        ResourceKind::Blob => {
            let at = value.position();
            let alignment = value.number()?;
            let size = value.number()?;
            value.align(alignment)?;
            let alignment = u32::try_from(alignment).map_err(|_| error::bad_alignment(alignment, at))?;
            let mut text = String::from("\"0x");
            for byte in alignment.to_le_bytes().iter().chain(value.bytes(size)?) {
                let _ = write!(text, "{byte:02X}");
            }
            text.push('"');
            text
        }
    })
}

/// The maximum alignment of a resource that is written. The padding before a resource can take nearly as many bytes as
/// the alignment.
const ALIGNMENT_LIMIT: usize = 1 << 20;

/// Checks that the alignment of each resource is at most [`ALIGNMENT_LIMIT`], so that the padding is bounded.
///
/// # Errors
/// The alignment of a resource is too large.
pub(super) fn check(groups: &[ResourceGroup]) -> Result<(), Diagnostic> {
    for (key, value) in groups.iter().flat_map(|group| &group.entries) {
        if let Some((alignment, _)) = blob(value).filter(|blob| blob.0 > ALIGNMENT_LIMIT) {
            return Err(error::large_alignment(key, alignment, ALIGNMENT_LIMIT));
        }
    }
    Ok(())
}

/// Writes all resources. Returns their data, their keys and sizes, and the alignment of the data.
pub(super) fn write(
    context: &mut Context,
    numbering: &mut Numbering,
    groups: &[ResourceGroup],
) -> (Vec<u8>, Vec<u8>, usize) {
    let (mut data, mut sizes, mut alignment) = (Writer::default(), Writer::default(), 1);
    let external = groups.iter().filter(|group| group.external);
    sizes.count(external.clone().count());
    for group in external {
        sizes.number(numbering.strings.number(&group.name));
        sizes.count(group.entries.len());
        for (key, value) in &group.entries {
            alignment = alignment.max(write_entry(numbering, key, Some(value), &mut data, &mut sizes));
        }
    }
    // Builtin resources are numbered in the order of their references. Resources of other groups have no numbers.
    let is_builtin = |group: &&ResourceGroup| !group.external && &*group.name == "builtin";
    let mut builtin: Vec<(Box<str>, Option<&str>)> =
        numbering.resources.iter().map(|&key| (context.str(key).into(), None)).collect();
    for (key, value) in groups.iter().filter(is_builtin).flat_map(|group| &group.entries) {
        match builtin.iter_mut().find(|known| known.0 == *key) {
            Some(known) => known.1 = Some(value),
            None => builtin.push((key.clone(), Some(value))),
        }
    }
    if !builtin.is_empty() {
        sizes.count(numbering.dialect("builtin"));
        sizes.count(builtin.len());
        for (key, value) in &builtin {
            alignment = alignment.max(write_entry(numbering, key, *value, &mut data, &mut sizes));
        }
    }
    for group in groups.iter().filter(|group| !group.external && &*group.name != "builtin") {
        sizes.count(numbering.dialect(&group.name));
        sizes.count(group.entries.len());
        for (key, value) in &group.entries {
            alignment = alignment.max(write_entry(numbering, key, Some(value), &mut data, &mut sizes));
        }
    }
    (data.bytes, sizes.bytes, alignment)
}

/// The alignment and the data in the text of a blob.
fn blob(text: &str) -> Option<(usize, Vec<u8>)> {
    let digits = text.strip_prefix("\"0x")?.strip_suffix('"')?.as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes: Vec<u8> = digits.chunks(2).map(byte).collect::<Option<_>>()?;
    let (alignment, data) = bytes.split_first_chunk()?;
    let alignment = u32::from_le_bytes(*alignment);
    let alignment = usize::try_from(alignment).ok()?;
    (digits.len().is_multiple_of(2) && alignment.is_power_of_two()).then(|| (alignment, data.to_vec()))
}

/// Writes a resource, or only its key if `value` is `None`. Returns its alignment.
fn write_entry(
    numbering: &mut Numbering,
    key: &str,
    value: Option<&str>,
    data: &mut Writer,
    sizes: &mut Writer,
) -> usize {
    let start = data.bytes.len();
    let mut alignment = 1;
    let kind = match value {
        None => ResourceKind::Blob,
        Some("true" | "false") => {
            data.byte(u8::from(value == Some("true")));
            ResourceKind::Bool
        }
        Some(text) => match blob(text) {
            Some((aligned, bytes)) => {
                alignment = aligned;
                data.count(alignment);
                data.count(bytes.len());
                data.align(alignment);
                data.raw(&bytes);
                ResourceKind::Blob
            }
            None => {
                let text = text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
                data.number(numbering.strings.number(&string_literal::unescape(text.as_bytes())));
                ResourceKind::String
            }
        },
    };
    sizes.number(numbering.strings.number(key));
    sizes.count(data.bytes.len() - start);
    sizes.byte(kind as u8);
    alignment
}
