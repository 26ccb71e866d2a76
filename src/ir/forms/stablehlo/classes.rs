//! The text of attributes.

use super::super::class_lists::{self, items_until};
use super::integers::DIALECTS;
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    for dialect in DIALECTS {
        forms.add_class(&format!("#{dialect}.conv"), Convolution);
        for (class, fields) in FIELDS {
            forms.add_class(&format!("#{dialect}.{class}"), Dimensions { fields });
        }
        forms.add_class(&format!("#{dialect}.bounds"), Bounds);
    }
}

/// The fields of a class in the order in which they are printed.
const FIELDS: [(&str, &[&str]); 3] = [
    (
        "dot",
        &[
            "lhs_batching_dimensions",
            "rhs_batching_dimensions",
            "lhs_contracting_dimensions",
            "rhs_contracting_dimensions",
        ],
    ),
    (
        "gather",
        &[
            "offset_dims",
            "collapsed_slice_dims",
            "operand_batching_dims",
            "start_indices_batching_dims",
            "start_index_map",
            "index_vector_dim",
        ],
    ),
    (
        "scatter",
        &[
            "update_window_dims",
            "inserted_window_dims",
            "input_batching_dims",
            "scatter_indices_batching_dims",
            "scatter_dims_to_operand_dims",
            "index_vector_dim",
        ],
    ),
];

/// The field that is an integer. The others are lists of integers.
const INTEGER: &str = "index_vector_dim";

fn integer(text: &mut dyn ClassText) -> FormResult<i64> {
    text.optional_integer().ok_or_else(|| text.expected("an integer"))
}

/// `<offset_dims = [1], index_vector_dim = 1>`: fields in any order. Empty lists and zero are not printed.
#[derive(Debug)]
struct Dimensions {
    fields: &'static [&'static str],
}

impl ClassForm for Dimensions {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        let mut found: Vec<Option<String>> = vec![None; self.fields.len()];
        text.literal("<")?;
        while !text.is_literal(">") {
            let unknown = text.expected(&format!("one of {}, each once", self.fields.join(", ")));
            let name = text.optional_keyword();
            let place = self.fields.iter().position(|field| Some(*field) == name.as_deref());
            let Some(place) = place.filter(|&place| found[place].is_none()) else { return Err(unknown) };
            text.consume("=")?;
            let value = match self.fields[place] {
                INTEGER => integer(text)?.to_string(),
                _ => list(text)?,
            };
            found[place] = Some(value);
            if !text.skip(",") {
                break;
            }
        }
        let values = self.fields.iter().zip(&found);
        let printed: Vec<String> = values
            .filter_map(|(name, value)| Some((name, value.as_ref()?)))
            .filter(|(_, value)| !["[]", "0"].contains(&value.as_str()))
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        text.write(&printed.join(", "));
        text.literal(">")
    }
}

/// Reads `[0, 1]`, and returns its printed text.
fn list(text: &mut dyn ClassText) -> FormResult<String> {
    text.consume("[")?;
    let mut items = Vec::new();
    while !text.is_literal("]") {
        items.push(integer(text)?.to_string());
        if !text.skip(",") {
            break;
        }
    }
    text.consume("]")?;
    Ok(format!("[{}]", items.join(", ")))
}

/// The letters in the lists of a convolution, and the text after each list.
pub(super) const CONVOLUTION: [([&str; 2], &str); 3] =
    [(["b", "f"], "x"), (["i", "o"], "->"), (["b", "f"], ">")];

/// True if a list has these letters and the numbers from 0, each once.
pub(super) fn are_dimensions(mut list: Vec<String>, letters: [&str; 2]) -> bool {
    let spatial = list.len().saturating_sub(letters.len());
    let mut wanted: Vec<String> = (0..spatial).map(|number| number.to_string()).collect();
    wanted.extend(letters.map(str::to_owned));
    wanted.sort();
    list.sort();
    list == wanted
}

/// `<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`
#[derive(Debug)]
struct Convolution;

impl ClassForm for Convolution {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        for (letters, separator) in CONVOLUTION {
            let mut found = Vec::new();
            text.literal("[")?;
            items_until(text, "]", |text| {
                let item = match text.optional_integer() {
                    Some(number) => number.to_string(),
                    None => text.optional_keyword().unwrap_or_default(),
                };
                text.write(&item);
                found.push(item);
                Ok(())
            })?;
            if !are_dimensions(found, letters) {
                let [first, second] = letters;
                return Err(text.expected(&format!("before this, a list of '{first}', '{second}', 0, 1, …")));
            }
            if separator == "x" {
                if !text.skip_x() {
                    return Err(text.expected("'x'"));
                }
                text.write("x");
            } else {
                text.literal(separator)?;
            }
        }
        Ok(())
    }
}

/// `<3, ?>`: the greatest sizes of dynamic dimensions.
#[derive(Debug)]
struct Bounds;

impl ClassForm for Bounds {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        items_until(text, ">", |text| {
            if text.is_literal("?") {
                return text.literal("?");
            }
            class_lists::integer(text).map(drop)
        })
    }
}
