//! The reasons why a program cannot be linked to a host.

use super::signature::SignatureDifference;
use crate::host::{Kind, OpNameId, show_signatures};
use crate::pdl::{MissingNative, rank_missing};
use crate::snippet::FacetKind;
use crate::source::{Diagnostic, Diagnostics, similar};

/// The reasons why a program cannot be linked to a host.
#[derive(Debug)]
pub struct LinkError {
    pub(super) missing: Vec<MissingNative>,
    pub(super) differences: Vec<SignatureDifference>,
    /// The operation names whose host number is past [`OpNameId::MAX`].
    pub(super) misnumbered: Vec<(String, OpNameId)>,
}

impl LinkError {
    /// The natives that are missing, each with the signature to register.
    pub fn missing(&self) -> &[MissingNative] {
        &self.missing
    }

    /// The operations that the host defines differently from the definition that the program was compiled against.
    pub fn differences(&self) -> &[SignatureDifference] {
        &self.differences
    }

    /// One error for each missing native (natives that many rules call come first), for each difference, and for each
    /// operation name whose number is too large.
    pub fn diagnostics(&self) -> Diagnostics {
        self.diagnostics_by(MissingNative::diagnostic)
    }

    /// The errors of [`Self::diagnostics`], with the places of the calls of missing natives.
    pub fn diagnostics_with_places(&self) -> Diagnostics {
        self.diagnostics_by(MissingNative::diagnostic_with_places)
    }

    fn diagnostics_by(&self, missing: impl Fn(&MissingNative) -> Diagnostic) -> Diagnostics {
        let mut errors = Diagnostics::default();
        rank_missing(&self.missing).into_iter().for_each(|native| errors.push(missing(native)));
        self.differences.iter().for_each(|difference| errors.push(difference.diagnostic()));
        self.misnumbered.iter().for_each(|(name, number)| errors.push(misnumbered(name, *number)));
        errors
    }
}

impl std::fmt::Display for LinkError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut parts = Vec::new();
        let unregistered = self.missing.iter().filter(|native| native.registered.is_empty());
        let unregistered: Vec<&str> = unregistered.map(|native| native.call.name.as_str()).collect();
        if !unregistered.is_empty() {
            parts.push(format!("natives are not registered: {}", unregistered.join(", ")));
        }
        for native in &self.missing {
            if !native.registered.is_empty() {
                let registered = show_signatures(&native.registered);
                let (name, called) = (&native.call.name, native.call.signature());
                parts.push(format!("{name}: registered as {registered}, called as {called}"));
            }
        }
        let ops: Vec<&str> = self.differences.iter().map(|d| d.op.as_str()).collect();
        if !ops.is_empty() {
            parts.push(format!("the host defines operations differently from the rules: {}", ops.join(", ")));
        }
        for (name, number) in &self.misnumbered {
            parts.push(format!("{name}: the host's number {} is too large", number.raw()));
        }
        f.write_str(&parts.join("; "))
    }
}

impl std::error::Error for LinkError {}

impl From<LinkError> for Diagnostics {
    fn from(error: LinkError) -> Self {
        error.diagnostics()
    }
}

/// The error about an operation name whose number in the host is too large for an index.
fn misnumbered(name: &str, number: OpNameId) -> Diagnostic {
    let number = number.raw();
    Diagnostic::error(format!("the host's number of the operation '{name}' is {number}, which is too large"))
        .help(format!(
            "number the operation names of a host from 0 on; {} is the largest number",
            OpNameId::MAX.raw()
        ))
}

/// The warning about an operation that is not among the names that the host lists.
pub(super) fn unknown_op<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Diagnostic {
    let warning = Diagnostic::warning(format!("unknown operation '{name}'"));
    match similar(name, known) {
        Some(similar) => warning.help(format!("did you mean '{similar}'?")),
        None => warning.help("rules with this operation cannot work, because the host does not have it"),
    }
}

/// The warning about two constants of rules that the host reads as one.
pub(super) fn same_constant(kind: Kind, first: &str, second: &str) -> Diagnostic {
    Diagnostic::warning(format!("the host reads '{first}' and '{second}' as the same {kind}")).help(format!(
        "rules with '{second}' may not match where other rules require '{first}'; write both constants in the same way"
    ))
}

/// The number of rules that a warning names.
const NAMED: usize = 3;

/// The warning about questions that rules ask and the host does not answer.
pub(super) fn unanswered(kind: FacetKind, rules: &[&str], example: &str) -> Diagnostic {
    let (about, method) = match kind {
        FacetKind::Types => ("the kinds of types", "type_kind"),
        FacetKind::TypeTexts => ("the texts of types", "type_text"),
        FacetKind::FindTypes => ("types by their parts", "find_type"),
        FacetKind::Attrs => ("the kinds and values of attributes", "attr_kind"),
        FacetKind::AttrTexts => ("the texts of attributes", "attr_text"),
        FacetKind::FindAttrs => ("attributes by their parts", "find_attr"),
    };
    let (noun, verb) = if rules.len() == 1 { ("rule", "asks") } else { ("rules", "ask") };
    let names: Vec<String> = rules.iter().take(NAMED).map(|rule| format!("'{rule}'")).collect();
    let more = match rules.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let names = names.join(", ");
    Diagnostic::warning(format!("{noun} {names}{more} {verb} for {about}, which the host does not know"))
        .with_note(format!("a predicate without an answer never holds, for example: {example}"))
        .help(format!("implement `Facets::{method}`"))
}
