//! The text of attributes.

use super::super::class_lists::{self, items_until};
use super::integers::{DIALECTS, integers_text};
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

/// The fields of the class `dot`.
pub(super) const DOT: [&str; 4] = [
    "lhs_batching_dimensions",
    "rhs_batching_dimensions",
    "lhs_contracting_dimensions",
    "rhs_contracting_dimensions",
];

/// The fields of each class in the order in which they are printed.
const FIELDS: [(&str, &[&str]); 3] = [
    ("dot", &DOT),
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

/// The field that is an integer. The other fields are lists of integers.
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
            let place =
                (0..self.fields.len()).find(|&place| found[place].is_none() && text.skip(self.fields[place]));
            let Some(place) = place else {
                return Err(text.expected(&format!("one of {}, each once", self.fields.join(", "))));
            };
            text.consume("=")?;
            let value = match self.fields[place] {
                INTEGER => integer(text)?.to_string(),
                _ => integers_text(&list(text)?),
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

/// Reads `[0, 1]`.
fn list(text: &mut dyn ClassText) -> FormResult<Vec<i64>> {
    text.consume("[")?;
    let mut items = Vec::new();
    while !text.is_literal("]") {
        items.push(integer(text)?);
        if !text.skip(",") {
            break;
        }
    }
    text.consume("]")?;
    Ok(items)
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

/// The description of a list that satisfies [`are_dimensions`].
pub(super) fn wanted_dimensions([first, second]: [&str; 2]) -> String {
    format!("a list of '{first}', '{second}' and the numbers from 0")
}

/// True for the text that [`Convolution`] writes after `<`.
pub(super) fn is_convolution(text: &str) -> bool {
    let mut rest = Some(text);
    for (letters, separator) in CONVOLUTION {
        let list = rest.and_then(|rest| rest.strip_prefix('[')?.split_once(']'));
        let list =
            list.filter(|(list, _)| are_dimensions(list.split(", ").map(str::to_owned).collect(), letters));
        rest = list.and_then(|(_, after)| after.strip_prefix(separator));
    }
    rest == Some("")
}

/// The fields of a convolution after `raw`. There are three fields for each list: the place of the first letter, the
/// place of the second letter, and the places of the numbers.
const RAW: [&str; 9] = [
    "input_batch_dimension",
    "input_feature_dimension",
    "input_spatial_dimensions",
    "kernel_input_feature_dimension",
    "kernel_output_feature_dimension",
    "kernel_spatial_dimensions",
    "output_batch_dimension",
    "output_feature_dimension",
    "output_spatial_dimensions",
];

/// Reads the fields that follow `raw`, and then the closing `>`. Returns the same convolution in the form without
/// `raw`, with the closing `>`.
fn raw_convolution(text: &mut dyn ClassText) -> FormResult<String> {
    let mut fields: [Option<Vec<i64>>; RAW.len()] = Default::default();
    loop {
        let place = (0..RAW.len()).find(|&place| fields[place].is_none() && text.skip(RAW[place]));
        let Some(place) = place else {
            return Err(text.expected(&format!("one of {}, each once", RAW.join(", "))));
        };
        text.consume("=")?;
        fields[place] = Some(if place % 3 == 2 { list(text)? } else { vec![integer(text)?] });
        if !text.skip(",") {
            break;
        }
    }
    let mut out = String::new();
    for (side, (letters, separator)) in CONVOLUTION.into_iter().enumerate() {
        let places = fields[3 * side..3 * side + 3].iter().flatten().flatten();
        let numbers = (0..).map(|number: usize| number.to_string());
        let names = letters.map(str::to_owned).into_iter().chain(numbers);
        let mut items: Vec<(i64, String)> = places.copied().zip(names).collect();
        items.sort_unstable();
        if !(0..).zip(&items).all(|(place, item)| place == item.0) || fields.iter().any(Option::is_none) {
            return Err(text.expected("fields that contain each place of a list once"));
        }
        let items: Vec<String> = items.into_iter().map(|(_, item)| item).collect();
        out.push_str(&format!("[{}]{separator}", items.join(", ")));
    }
    text.consume(">")?;
    Ok(out)
}

/// `<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`, or `raw` and the place of each dimension
#[derive(Debug)]
struct Convolution;

impl ClassForm for Convolution {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        if text.skip("raw") {
            let usual = raw_convolution(text)?;
            text.write(&usual);
            return Ok(());
        }
        for (letters, separator) in CONVOLUTION {
            let wanted = text.expected(&wanted_dimensions(letters));
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
                return Err(wanted);
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
