//! Built-ins over strings.

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{Args, Evaluated, Val};
use crate::host::Facets;
use crate::snippet::data::{Builtin, IntTy};

/// `StringRef::npos`.
const NOT_FOUND: i128 = u64::MAX as i128;

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
            (B::IntText, Val::ApInt(_)) => return fail("an APInt has no text without a radix"),
            (B::IntText, _) => return Ok(Val::str(on.int()?.to_string())),
            // Texts are UTF-8, so a part of a multi-byte character is not a text.
            (B::CharText, _) => {
                let char = u8::try_from(on.int()?).ok().filter(u8::is_ascii);
                return char.map_or_else(
                    || fail("a character is not ASCII"),
                    |char| Ok(Val::str(char::from(char).to_string())),
                );
            }
            _ => {}
        }
        let text = self.string(&on)?;
        self.step(text.len() as u64)?;
        Ok(match op {
            B::Chars => {
                let char = IntTy { bits: 8, signed: true };
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
                match text.get(start..start.saturating_add(count).min(len)) {
                    Some(part) => Val::str(part),
                    None => return fail("a string is cut inside a character"),
                }
            }
            B::StrFind | B::StrRfind => {
                let wanted = match args.take(1) {
                    Val::Int(byte) => match u8::try_from(byte) {
                        Ok(byte) => char::from(byte).to_string().into(),
                        Err(_) => return fail("a character is outside of ASCII"),
                    },
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
            B::Trim => Val::str(text.trim_matches([' ', '\t', '\n', '\u{b}', '\u{c}', '\r'])),
            // The number, or null if the text is not a number in base 10.
            B::ParseInt => {
                let number = text.parse::<i64>().ok().filter(|_| !text.starts_with('+'));
                number.map_or(Val::Null, |number| Val::Int(number.into()))
            }
            B::StrSplit | B::StrRsplit => {
                let by = match args.take(1) {
                    Val::Int(byte) => u8::try_from(byte).map_or(String::new(), |b| char::from(b).to_string()),
                    other => self.string(&other)?.to_string(),
                };
                if by.is_empty() {
                    return fail("a string is split at an empty text");
                }
                let split = if op == B::StrSplit { text.split_once(&by) } else { text.rsplit_once(&by) };
                let (first, second) = split.unwrap_or((&text, ""));
                Val::Tuple(vec![Val::str(first), Val::str(second)].into())
            }
            _ => return fail("the snippet is malformed"),
        })
    }
}
