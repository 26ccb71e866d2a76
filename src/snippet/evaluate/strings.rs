//! Built-ins over strings.

use std::ops::Range;

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{Args, Evaluated, Val};
use crate::host::{Facets, Refusal};
use crate::snippet::data::{Builtin, IntTy};

/// `StringRef::npos`.
const NOT_FOUND: i128 = u64::MAX as i128;

/// The maximum number of digits of a printed `APFloat`.
const MAX_DIGITS: u32 = 1_000;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_strings(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        match (op, &on) {
            (B::StrJoin, Val::Range(parts)) => {
                let separator = self.string(&args.take(1))?;
                let mut text = String::new();
                for (at, part) in parts.iter().enumerate() {
                    let part = self.string(part)?;
                    self.step((part.len() + separator.len()) as u64)?;
                    if at > 0 {
                        text.push_str(&separator);
                    }
                    text.push_str(&part);
                }
                return Ok(Val::str(text));
            }
            (B::IrText, Val::Type(_) | Val::Attr(_)) => {
                let text = match &on {
                    Val::Type(ty) => self.type_text(ty),
                    Val::Attr(attr) => self.attr_text(attr),
                    _ => return fail("the snippet is malformed"),
                };
                self.step(text.len() as u64)?;
                return Ok(Val::str(text));
            }
            // `number.toString(text, precision, padding, truncateZero)`
            (B::FloatText, Val::ApFloat(x)) => {
                let limit =
                    |value: Val<H>| value.int().map(|n| u32::try_from(n).unwrap_or(0).min(MAX_DIGITS));
                let (precision, padding) = (limit(args.take(1))?, limit(args.take(2))?);
                return Ok(Val::str(x.to_text(precision, padding, args.take(3).is_true())));
            }
            (B::DoubleText, _) => {
                let value = on.double()?;
                return Ok(Val::str(match args.take(1).is_true() {
                    true => output_text(value),
                    false => decimal_text(value),
                }));
            }
            (B::IntText, Val::ApInt(_)) => return fail("an APInt has no text without a radix"),
            (B::IntText, _) => return Ok(Val::str(on.int()?.to_string())),
            // Strings are UTF-8, so a part of a multi-byte character is not a string.
            (B::CharText, _) => return ascii_text(on.int()?).map(Val::str),
            _ => {}
        }
        let text = self.string(&on)?;
        self.step(text.len() as u64)?;
        Ok(match op {
            B::Chars => {
                let char = IntTy::I8;
                Val::range(text.bytes().map(|byte| Val::Int(char.wrap(byte.into()))).collect())
            }
            B::Substr => {
                let len = text.len();
                let clamp = |value: Val<H>, default: usize| match value {
                    Val::Null => Ok(default),
                    value => value.int().map(|n| usize::try_from(n).unwrap_or(len).min(len)),
                };
                let start = clamp(args.take(1), 0)?;
                let count = clamp(args.take(2), len)?;
                return part(&text, start..start.saturating_add(count).min(len));
            }
            B::StrFind | B::StrRfind => {
                let wanted = match args.take(1) {
                    Val::Int(byte) => ascii_text(byte)?.into(),
                    other => self.string(&other)?,
                };
                let found = match op {
                    B::StrFind => text.find(&*wanted),
                    _ => text.rfind(&*wanted),
                };
                Val::Int(found.map_or(NOT_FOUND, |at| at as i128))
            }
            B::Lower => Val::str(text.to_ascii_lowercase()),
            B::Upper => Val::str(text.to_ascii_uppercase()),
            B::Trim | B::StrTrimFront | B::StrTrimBack => {
                let removed = match args.take(1) {
                    Val::Null => " \t\n\u{b}\u{c}\r".into(),
                    characters => self.string(&characters)?,
                };
                // As in C++, the bytes of a multi-byte character are separate.
                let is_kept = |byte: u8| !removed.as_bytes().contains(&byte);
                let start = match op {
                    B::StrTrimBack => 0,
                    _ => text.bytes().position(is_kept).unwrap_or(text.len()),
                };
                let end = match op {
                    B::StrTrimFront => text.len(),
                    _ => text.bytes().rposition(is_kept).map_or(start, |last| last + 1),
                };
                return part(&text, start..end);
            }
            B::StrFindFirstOf | B::StrFindFirstNotOf | B::StrFindLastOf | B::StrFindLastNotOf => {
                let wanted = self.string(&args.take(1))?;
                let (of, first) = (
                    matches!(op, B::StrFindFirstOf | B::StrFindLastOf),
                    matches!(op, B::StrFindFirstOf | B::StrFindFirstNotOf),
                );
                // As in C++, the bytes of a multi-byte character are separate.
                let fits = |byte: u8| wanted.as_bytes().contains(&byte) == of;
                let found = if first { text.bytes().position(fits) } else { text.bytes().rposition(fits) };
                Val::Int(found.map_or(NOT_FOUND, |at| at as i128))
            }
            B::StrCount => {
                let wanted = self.string(&args.take(1))?;
                Val::count(if wanted.is_empty() { 0 } else { text.matches(&*wanted).count() })
            }
            // `text.split(parts, separator, max, keepEmpty)`, where a negative `max` means that there is no limit.
            B::StrSplitAll => {
                let separator = self.string(&args.take(1))?;
                if separator.is_empty() {
                    return fail("a string cannot be split at an empty string");
                }
                let (max, keeps_empty) = (args.take(2), args.take(3));
                let max = if max.is_null() { -1 } else { max.int()? };
                let keeps_empty = keeps_empty.is_null() || keeps_empty.is_true();
                let parts = match usize::try_from(max) {
                    Ok(max) => text.splitn(max.saturating_add(1), &*separator).collect::<Vec<_>>(),
                    Err(_) => text.split(&*separator).collect(),
                };
                let kept = parts.into_iter().filter(|part| keeps_empty || !part.is_empty());
                Val::range(kept.map(Val::str).collect())
            }
            // The number; null if the text is not a decimal number that fits a type of this width and signedness.
            B::ParseInt => {
                let (bits, signed) = (args.take(1).int()?, args.take(2).is_true());
                let bits = u8::try_from(bits).ok().filter(|bits| [8, 16, 32, 64].contains(bits));
                let Some(bits) = bits else { return fail("the snippet is malformed") };
                let ty = IntTy::new(bits, signed);
                let is_written = !text.starts_with('+') && (ty.signed || !text.starts_with('-'));
                let number =
                    text.parse::<i128>().ok().filter(|&number| is_written && ty.wrap(number) == number);
                number.map_or(Val::Null, Val::Int)
            }
            B::StrSplit | B::StrRsplit => {
                let by = match args.take(1) {
                    Val::Int(byte) => ascii_text(byte)?,
                    other => self.string(&other)?.to_string(),
                };
                if by.is_empty() {
                    return fail("a string cannot be split at an empty string");
                }
                let split = if op == B::StrSplit { text.split_once(&by) } else { text.rsplit_once(&by) };
                let (first, second) = split.unwrap_or((&text, ""));
                Val::Tuple(vec![Val::str(first), Val::str(second)].into())
            }
            _ => return fail("the snippet is malformed"),
        })
    }
}

/// The part of a string in a range of bytes, which must not cut a character.
fn part<H: Facets>(text: &str, bytes: Range<usize>) -> Evaluated<H> {
    match text.get(bytes) {
        Some(part) => Ok(Val::str(part)),
        None => fail("a part of a multi-byte character is not a string"),
    }
}

/// The text of a `double` that `raw_ostream` writes.
fn output_text(value: f64) -> String {
    match value {
        _ if value.is_nan() => "nan".into(),
        _ if value.is_infinite() => if value > 0.0 { "INF" } else { "-INF" }.into(),
        _ => {
            let text = format!("{value:.6e}");
            match text.split_once('e') {
                Some((digits, exponent)) => {
                    let exponent = exponent.parse().unwrap_or(0);
                    format!("{digits}e{exponent:+03}")
                }
                None => text,
            }
        }
    }
}

/// The text of a `double` that `std::to_string` returns.
fn decimal_text(value: f64) -> String {
    let sign = if value.is_sign_negative() { "-" } else { "" };
    match value {
        _ if value.is_nan() => format!("{sign}nan"),
        _ if value.is_infinite() => format!("{sign}inf"),
        _ => format!("{value:.6}"),
    }
}

/// A C++ `char` as a string. The character must be ASCII, because a part of a multi-byte character is not a string.
fn ascii_text(byte: i128) -> Result<String, Refusal> {
    match u8::try_from(byte).ok().filter(u8::is_ascii) {
        Some(byte) => Ok(char::from(byte).to_string()),
        None => fail("a character is not ASCII"),
    }
}
