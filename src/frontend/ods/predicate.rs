//! Predicates as one C++ expression.
//!
//! `SubstLeaves` and `Concat` are defined on text. The substitutions of the enclosing predicates are applied to each
//! leaf, innermost first, and the pieces are joined with parentheses. The length of the text is limited, because a
//! small record can expand to an exponentially long text.

use crate::frontend::tablegen::{Record, RecordId, Records, Value};
use crate::source::{Diagnostic, Span};
use crate::stack::with_room;

use super::error;

/// The maximum length of the text of a predicate, in bytes.
const TEXT_LIMIT: usize = 1 << 20;
/// The maximum nesting of predicates.
const DEPTH_LIMIT: usize = 200;

/// The pieces of a text, each with its place or [`Span::NONE`].
type Pieces = Vec<(String, Span)>;

/// Returns the expression of a constraint's predicate, or `true` if the constraint has none.
pub(super) fn condition(records: &Records, constraint: RecordId) -> Result<Pieces, Diagnostic> {
    let record = constraint_of(records, constraint);
    match record.field("predicate") {
        Some(Value::Def(predicate)) => pieces(records, predicate),
        _ => Ok(vec![("true".to_owned(), Span::NONE)]),
    }
}

/// Returns the constraint inside an `Arg` or `Res` record, or else the record itself.
pub(super) fn constraint_of(records: &Records, id: RecordId) -> Record<'_> {
    let record = records.record(id);
    if record.is_subclass_of("OpVariable")
        && let Ok(inner) = record.def_field("constraint")
    {
        return inner;
    }
    record
}

/// Returns the expression of a predicate.
fn pieces(records: &Records, predicate: RecordId) -> Result<Pieces, Diagnostic> {
    let predicate = records.record(predicate);
    let mut composer =
        Composer { substitutions: Vec::new(), left: TEXT_LIMIT, depth: 0, span: predicate.span() };
    composer.compose(predicate)
}

struct Composer<'a> {
    /// The pattern and the replacement of each enclosing `SubstLeaves`, outermost first.
    substitutions: Vec<(&'a str, &'a str)>,
    /// The number of bytes that may still be written, including intermediate texts.
    left: usize,
    depth: usize,
    span: Span,
}

impl<'a> Composer<'a> {
    fn compose(&mut self, predicate: Record<'a>) -> Result<Pieces, Diagnostic> {
        if self.depth == DEPTH_LIMIT {
            return Err(error::predicate_too_deep(DEPTH_LIMIT, self.span));
        }
        self.depth += 1;
        let pieces = if predicate.is_subclass_of("CombinedPred") {
            with_room(|| self.combine(predicate))?
        } else {
            match predicate.string_field("predExpr") {
                Ok(text) => vec![(self.substitute(text)?, predicate.span())],
                Err(_) => return Err(error::unknown_predicate(predicate.name(), predicate.span())),
            }
        };
        self.depth -= 1;
        self.charge(pieces.iter().map(|(text, _)| text.len()).sum())?;
        Ok(pieces)
    }

    fn combine(&mut self, predicate: Record<'a>) -> Result<Pieces, Diagnostic> {
        Ok(match predicate.def_field("kind")?.name() {
            "PredCombinerAnd" => self.join(predicate, " && ", "true")?,
            "PredCombinerOr" => self.join(predicate, " || ", "false")?,
            "PredCombinerNot" => around("!(", self.only_child(predicate)?, ")"),
            "PredCombinerSubstLeaves" => {
                let pair = (predicate.string_field("pattern")?, predicate.string_field("replacement")?);
                self.substitutions.push(pair);
                let pieces = self.only_child(predicate)?;
                self.substitutions.pop();
                pieces
            }
            "PredCombinerConcat" => {
                let prefix = self.substitute(predicate.string_field("prefix")?)?;
                let suffix = self.substitute(predicate.string_field("suffix")?)?;
                around(&prefix, self.only_child(predicate)?, &suffix)
            }
            _ => return Err(error::unknown_predicate(predicate.name(), predicate.span())),
        })
    }

    fn join(&mut self, predicate: Record<'a>, operator: &str, empty: &str) -> Result<Pieces, Diagnostic> {
        let mut parts = Vec::new();
        for child in children(predicate)? {
            parts.push(self.compose(child)?);
        }
        Ok(match parts.len() {
            0 => vec![(empty.to_owned(), Span::NONE)],
            1 => parts.swap_remove(0),
            _ => {
                let mut all = Pieces::new();
                for part in parts {
                    let before = if all.is_empty() { "(".to_owned() } else { format!("){operator}(") };
                    all.push((before, Span::NONE));
                    all.extend(part);
                }
                all.push((")".to_owned(), Span::NONE));
                all
            }
        })
    }

    fn only_child(&mut self, predicate: Record<'a>) -> Result<Pieces, Diagnostic> {
        match children(predicate)?[..] {
            [child] => self.compose(child),
            _ => Err(error::unknown_predicate(predicate.name(), predicate.span())),
        }
    }

    fn substitute(&mut self, text: &str) -> Result<String, Diagnostic> {
        let mut text = text.to_owned();
        for i in (0..self.substitutions.len()).rev() {
            let (pattern, replacement) = self.substitutions[i];
            if !pattern.is_empty() {
                let found = text.matches(pattern).count();
                self.charge(found.saturating_mul(replacement.len()))?;
                text = text.replace(pattern, replacement);
            }
        }
        Ok(text)
    }

    fn charge(&mut self, bytes: usize) -> Result<(), Diagnostic> {
        match self.left.checked_sub(bytes.saturating_add(1)) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(error::predicate_too_large(TEXT_LIMIT, self.span)),
        }
    }
}

fn around(before: &str, mut pieces: Pieces, after: &str) -> Pieces {
    pieces.insert(0, (before.to_owned(), Span::NONE));
    pieces.push((after.to_owned(), Span::NONE));
    pieces
}

fn children(predicate: Record<'_>) -> Result<Vec<Record<'_>>, Diagnostic> {
    predicate
        .list_field("children")?
        .map(|child| match child {
            Value::Def(id) => Ok(predicate.records().record(id)),
            _ => Err(error::unknown_predicate("?", predicate.span())),
        })
        .collect()
}
