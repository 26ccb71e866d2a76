//! Errors of scripts, one constructor each.

use crate::host::Signature;
use crate::source::{Diagnostic, Severity, Span};

pub(super) fn syntax(message: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("the script is not well-formed: {message}")).at(at, "here")
}

pub(super) fn while_loading(message: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("the script failed while it was loaded: {message}")).at(at, "here")
}

pub(super) fn thrown(message: &str, at: Span) -> Diagnostic {
    Diagnostic { severity: Severity::Warning, ..while_running(message, at) }
}

pub(super) fn while_running(message: &str, at: Span) -> Diagnostic {
    Diagnostic::error(format!("a native failed: {message}"))
        .at(at, "here")
        .with_note("a constraint that fails does not hold; a rewrite that fails is rolled back")
}

pub(super) fn twice(name: &str, signature: &Signature, at: Span) -> Diagnostic {
    let params = Signature { results: Vec::new(), ..signature.clone() };
    Diagnostic::error(format!("'{name}' is registered twice with the parameters {params}"))
        .at(at, "registered again")
        .help("natives with one name need different parameters")
}

pub(super) fn signature(text: &str, word: &str, at: Span) -> Diagnostic {
    let wrong = if word.is_empty() { "nothing".to_owned() } else { format!("'{word}'") };
    Diagnostic::error(format!("the signature \"{text}\" has {wrong} where a kind is expected"))
        .at(at, "registered here")
        .help(
            "write it as `drrvm check` prints it: (kinds) -> kind, or (kinds) -> (kinds); the kinds are operation, \
             value, type, attribute, range of values, range of types, range of attributes, integer, boolean, string, \
             fixed-width integer, float, location, anything",
        )
}

pub(super) fn parameters(name: &str, wanted: usize, found: usize, at: Span) -> Diagnostic {
    let count = |n: usize| if n == 1 { "1 parameter".to_owned() } else { format!("{n} parameters") };
    Diagnostic::error(format!(
        "the function of '{name}' has {}, but its signature needs {}",
        count(found),
        count(wanted)
    ))
    .at(at, "registered here")
    .help("the first parameter is the IR; the parameters of the signature follow")
}
