//! Polynomials with integer coefficients.

use std::collections::BTreeMap;

use crate::ir::dialect::{ClassForm, ClassText, FormResult, Forms};

pub(super) fn register(forms: &mut Forms) {
    // The text of other polynomials is kept as it is written, because HEIR cannot read the floats that it prints.
    forms.add_class("#polynomial.int_polynomial", IntPolynomial);
}

/// `<1 + -2x + x**3>`. The terms can have any order; they are sorted by exponent.
#[derive(Debug)]
struct IntPolynomial;

impl ClassForm for IntPolynomial {
    fn transcribe(&self, text: &mut dyn ClassText) -> FormResult<()> {
        text.literal("<")?;
        let mut variable = None;
        let mut terms = BTreeMap::new();
        loop {
            let coefficient = text.optional_integer();
            let name = text.optional_keyword();
            if coefficient.is_none() && name.is_none() {
                return Err(text.expected("a term such as '2x**3'"));
            }
            let exponent = match name {
                None => 0,
                Some(name) => {
                    if *variable.get_or_insert_with(|| name.clone()) != name {
                        return Err(text.expected("terms in the same variable"));
                    }
                    exponent(text)?
                }
            };
            if terms.insert(exponent, coefficient.unwrap_or(1)).is_some() {
                return Err(text.expected("terms with different exponents"));
            }
            if !text.skip("+") {
                break;
            }
        }
        let terms: Vec<String> =
            terms.into_iter().map(|(exponent, coefficient)| term(coefficient, exponent)).collect();
        text.write(&terms.join(" + "));
        text.literal(">")
    }
}

/// The exponent after a variable, which is 1 if there is none.
fn exponent(text: &mut dyn ClassText) -> FormResult<i64> {
    if !text.skip("*") {
        return Ok(1);
    }
    text.consume("*")?;
    text.optional_integer().ok_or_else(|| text.expected("an exponent"))
}

fn term(coefficient: i64, exponent: i64) -> String {
    let power = match exponent {
        0 => return coefficient.to_string(),
        1 => "x".to_owned(),
        _ => format!("x**{exponent}"),
    };
    if coefficient == 1 { power } else { format!("{coefficient}{power}") }
}
