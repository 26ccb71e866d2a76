//! Types of the dialect `quant`.

use super::class_lists::{integer, items_until};
use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    forms.add_class("!quant.any", Quantized { scales: false });
    forms.add_class("!quant.uniform", Quantized { scales: true });
    forms.add_class("!quant.calibrated", Calibrated);
}

fn number(text: &mut dyn ClassText) -> FormResult<()> {
    let Some(value) = text.optional_number() else { return Err(text.expected("a number")) };
    let printed = text.printed(&format!("{} : f64", with_point(value)))?;
    text.write(printed.split(' ').next().unwrap_or(""));
    Ok(())
}

/// A float with a decimal point and an exponent.
fn with_point(value: f64) -> String {
    let text = format!("{value:e}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

/// Transcribes `1.0:128`: a scale, and its zero point. A zero point of 0 is omitted.
fn scale(text: &mut dyn ClassText) -> FormResult<()> {
    number(text)?;
    if text.skip(":") {
        match text.optional_integer() {
            Some(0) => {}
            Some(point) => text.write(&format!(":{point}")),
            None => return Err(text.expected("a zero point")),
        }
    }
    Ok(())
}

/// `<i8<-127:127>:f32:1, {1.0:3, 2.0}>`
#[derive(Debug)]
struct Quantized {
    scales: bool,
}

impl ClassForm for Quantized {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        storage(text)?;
        if text.skip(":") {
            text.write(":");
            text.ty()?;
        }
        if self.scales {
            let mut separator = ",";
            if text.skip(":") {
                text.write(":");
                if text.is_literal("{") {
                    text.literal("{")?;
                    items_until(text, "}", |text| {
                        integer(text)?;
                        text.literal(":")?;
                        integer(text).map(drop)
                    })?;
                    separator = ", ";
                } else {
                    integer(text)?;
                }
            }
            text.literal(",")?;
            text.write(" ");
            scales(text, separator, 0)?;
        }
        text.literal(">")
    }
}

/// Transcribes a scale, or nested lists of scales in braces.
fn scales(text: &mut dyn ClassText, separator: &str, depth: usize) -> FormResult<()> {
    const DEPTH_LIMIT: usize = 64;
    if !text.is_literal("{") || depth > DEPTH_LIMIT {
        return scale(text);
    }
    text.literal("{")?;
    loop {
        scales(text, separator, depth + 1)?;
        if !text.skip(",") {
            break;
        }
        text.write(separator);
    }
    text.literal("}")
}

/// Transcribes `i8<-127:127>`. The bounds are not written if they are those of the type.
fn storage(text: &mut dyn ClassText) -> FormResult<()> {
    let Some(name) = text.optional_keyword() else { return Err(text.expected("a storage type")) };
    text.write(&name);
    if text.skip("<") {
        let low = text.optional_integer();
        text.consume(":")?;
        let (Some(low), Some(high)) = (low, text.optional_integer()) else {
            return Err(text.expected("an integer"));
        };
        text.consume(">")?;
        if bounds(&name) != Some((low.into(), high.into())) {
            text.write(&format!("<{low}:{high}>"));
        }
    }
    Ok(())
}

/// The least and the greatest value of a storage type, `i8` or `u8`.
fn bounds(name: &str) -> Option<(i128, i128)> {
    let (is_signed, width) = match name.strip_prefix('u') {
        Some(width) => (false, width),
        None => (true, name.strip_prefix('i')?),
    };
    let width: u32 = width.parse().ok().filter(|width| (1..=64).contains(width))?;
    let count = 1_i128 << width;
    Some(if is_signed { (-count / 2, count / 2 - 1) } else { (0, count - 1) })
}

/// `<f32<-0.5:0.5>>`
#[derive(Debug)]
struct Calibrated;

impl ClassForm for Calibrated {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        text.ty()?;
        text.literal("<")?;
        number(text)?;
        text.literal(":")?;
        number(text)?;
        text.literal(">")?;
        text.literal(">")
    }
}

#[cfg(test)]
mod tests {
    use super::{bounds, with_point};

    #[test]
    fn floats_have_a_decimal_point_and_storage_types_have_bounds() {
        assert_eq!(with_point(2.0), "2.0e0");
        assert_eq!(with_point(-0.998), "-9.98e-1");
        assert_eq!(bounds("i8"), Some((-128, 127)));
        assert_eq!(bounds("u4"), Some((0, 15)));
        assert_eq!(bounds("f32"), None);
    }
}
