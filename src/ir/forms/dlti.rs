//! Attributes of the dialect `dlti`.

use super::class_lists::items_until;
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    for class in ["dl_spec", "map", "target_system_spec", "target_device_spec"] {
        forms.add_class(&format!("#dlti.{class}"), Entries);
    }
    forms.add_class("#dlti.dl_entry", Entry);
}

/// Transcribes a type or a string.
fn key(text: &mut dyn ClassText) -> FormResult<()> {
    if let Some(name) = text.optional_string() {
        text.write_string(&name);
        return Ok(());
    }
    text.ty()
}

/// `<key = value, …>`
#[derive(Debug)]
struct Entries;

impl ClassForm for Entries {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        items_until(text, ">", |text| {
            // The long form of an entry is `#dlti.dl_entry<key, value>`.
            let is_long = text.skip("#dlti.dl_entry");
            if is_long {
                text.consume("<")?;
            }
            key(text)?;
            text.consume(if is_long { "," } else { "=" })?;
            text.write(" = ");
            text.attribute()?;
            if is_long { text.consume(">") } else { Ok(()) }
        })
    }
}

/// `<key, value>`
#[derive(Debug)]
struct Entry;

impl ClassForm for Entry {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        key(text)?;
        text.literal(",")?;
        text.write(" ");
        text.attribute()?;
        text.literal(">")
    }
}
