//! Parses signatures in their printed form: `(value, attribute) -> attribute`.

use crate::host::{ANY_KIND, Kind, Signature};

const KINDS: [Kind; 13] = [
    Kind::Op,
    Kind::Value,
    Kind::Values,
    Kind::Type,
    Kind::Types,
    Kind::Attr,
    Kind::Attrs,
    Kind::Int,
    Kind::Bool,
    Kind::Str,
    Kind::ApInt,
    Kind::ApFloat,
    Kind::Location,
];

/// Parses a signature.
///
/// # Errors
/// The word that is not a kind; an empty text if a kind is missing; or all parameters as written if they are not in
/// parentheses.
pub(super) fn parse(text: &str) -> Result<Signature, String> {
    let (params, results) = match text.split_once("->") {
        Some((params, results)) => (params.trim(), results.trim()),
        None => (text.trim(), "()"),
    };
    let params = list(params).ok_or_else(|| params.to_owned())?;
    let results = match list(results) {
        Some(results) => results,
        None => vec![results],
    };
    let params = params.into_iter().map(kind).collect::<Result<Vec<_>, _>>()?;
    let results = results.into_iter().map(kind).collect::<Result<Vec<_>, _>>()?;
    Ok(Signature { params: Some(params), results })
}

/// Splits a list in parentheses.
fn list(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?.trim();
    Some(if inner.is_empty() { Vec::new() } else { inner.split(',').map(str::trim).collect() })
}

fn kind(word: &str) -> Result<Option<Kind>, String> {
    if word == ANY_KIND {
        return Ok(None);
    }
    let kind = KINDS.into_iter().find(|kind| kind.to_string() == word);
    kind.map(Some).ok_or_else(|| word.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_signatures_parse() {
        let all = KINDS.map(Some).to_vec();
        for params in [vec![], vec![Some(Kind::Attr)], vec![None, Some(Kind::Value), None], all] {
            for results in [vec![], vec![Some(Kind::Types)], vec![None], vec![Some(Kind::Value), None]] {
                let signature = Signature { params: Some(params.clone()), results };
                assert_eq!(parse(&signature.to_string()), Ok(signature));
            }
        }
    }

    #[test]
    fn errors_name_the_wrong_text() {
        assert_eq!(parse("(value, thing)"), Err("thing".to_owned()));
        assert_eq!(parse("value"), Err("value".to_owned()));
        assert_eq!(parse("(value) -> "), Err(String::new()));
    }
}
