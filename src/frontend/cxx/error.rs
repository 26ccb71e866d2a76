//! The faults of C++ text, and their constructors.

use super::text::Text;
use crate::snippet::TypeError;
use crate::source::Diagnostic;

/// A fault and its byte range in the text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Fault {
    pub(super) message: String,
    label: String,
    help: Option<String>,
    lo: usize,
    hi: usize,
    /// True if the text may be valid C++ that the snippet language does not cover.
    pub(super) outside: bool,
    /// True if the compiler does not try other types of the parameters after this fault.
    pub(super) certain: bool,
}

impl Fault {
    fn new(lo: usize, hi: usize, message: impl Into<String>, label: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            label: label.into(),
            help: None,
            lo,
            hi,
            outside: false,
            certain: false,
        }
    }

    fn outside(lo: usize, hi: usize, what: impl Into<String>) -> Self {
        let message = format!("{} is outside the snippet language", what.into());
        Self { outside: true, ..Self::new(lo, hi, message, "not supported") }
    }

    /// The byte range in the text.
    pub(super) fn range(&self) -> (usize, usize) {
        (self.lo, self.hi)
    }

    /// The fault with its range moved by `by` bytes.
    pub(super) fn moved(self, by: usize) -> Self {
        Self { lo: self.lo + by, hi: self.hi + by, ..self }
    }

    /// The fault with another range, because its own range belongs to another text.
    pub(super) fn at(self, lo: usize, hi: usize) -> Self {
        Self { lo, hi, ..self }
    }

    /// The diagnostic, with a caret at the place where the text was written.
    pub(super) fn diagnostic(&self, text: &Text) -> Diagnostic {
        let mut diagnostic =
            Diagnostic::error(self.message.clone()).at(text.span(self.lo, self.hi), self.label.clone());
        let shown: String = text.as_str().chars().take(400).collect();
        diagnostic = diagnostic.with_note(format!("in the C++ text '{}'", shown.trim()));
        match &self.help {
            Some(help) => diagnostic.help(help.clone()),
            None => diagnostic,
        }
    }
}

pub(super) fn bad_placeholder(lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, "'$' without a placeholder name", "expected a name or number after '$'")
}
pub(super) fn bad_char(lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, "a character literal must have exactly one character", "")
}
pub(super) fn unknown_char(lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, "this character is not part of any C++ token", "")
}
pub(super) fn bad_number(lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, "the number is malformed or too large", "")
}
pub(super) fn bad_escape(at: usize) -> Fault {
    Fault::new(at, at + 1, "unknown escape", "")
}
pub(super) fn open_string(lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, "the string is not closed", "starts here")
}
pub(super) fn too_deep(at: usize) -> Fault {
    Fault::new(at, at + 1, "the expression is nested too deeply", "here")
}
pub(super) fn expected(what: &str, lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, format!("expected {what}"), "")
}
pub(super) fn unstated_order(lo: usize, hi: usize) -> Fault {
    unsupported("code that depends on the order of a set or map, which C++ does not state", lo, hi)
}

/// Code that the snippet language does not have. `what` describes it in prose.
pub(super) fn unsupported(what: &str, lo: usize, hi: usize) -> Fault {
    Fault::outside(lo, hi, what)
}

/// Code that the snippet language does not have. `what` is C++ code.
pub(super) fn statement(what: &str, lo: usize, hi: usize) -> Fault {
    Fault::outside(lo, hi, format!("'{what}'"))
}
pub(super) fn no_return(lo: usize, hi: usize) -> Fault {
    Fault::outside(lo, hi, "a body in which not every path returns a value")
}
pub(super) fn unbound(name: &str, lo: usize, hi: usize, bound: &[String]) -> Fault {
    let mut fault = Fault::new(lo, hi, format!("'{name}' is not bound here"), "unknown name");
    if !bound.is_empty() {
        fault.help = Some(format!("bound names: {}", bound.join(", ")));
    }
    fault
}
pub(super) fn ill_typed(error: &TypeError, lo: usize, hi: usize) -> Fault {
    let mut fault = Fault::new(lo, hi, error.message(), "");
    fault.help = error.help().map(str::to_owned);
    fault
}
pub(super) fn not_a_class(name: &str, lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, format!("'{name}' is not a class that values can be tested for"), "")
}
pub(super) fn template_args(name: &str, want: &str, lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, format!("'{name}' needs {want} between '<' and '>'"), "")
}
pub(super) fn args(name: &str, want: &str, lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, format!("'{name}' takes {want}"), "")
}
pub(super) fn not_many(want: u32, lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, format!("{want} results are declared, but the expression has one value"), "")
}
pub(super) fn no_case(name: &str, of: &str, lo: usize, hi: usize) -> Fault {
    Fault::new(lo, hi, format!("'{of}' has no enumerator '{name}'"), "")
}
pub(super) fn not_assignable(lo: usize, hi: usize) -> Fault {
    Fault::outside(lo, hi, "assignment to something that is neither a variable nor an output of the snippet")
}
pub(super) fn outside(what: &str, lo: usize, hi: usize) -> Fault {
    Fault { outside: true, ..Fault::new(lo, hi, what, "") }
}
pub(super) fn shared_variable(lo: usize, hi: usize) -> Fault {
    outside("one variable is passed for two references", lo, hi)
}
pub(super) fn unknown_operand(lo: usize, hi: usize) -> Fault {
    unsupported("an operator on a value whose type depends on a later call", lo, hi)
}
pub(super) fn changing_reference(lo: usize, hi: usize) -> Fault {
    unsupported("a reference to a changing variable", lo, hi)
}
/// A type that is not known. `reason` is empty or states why the files do not define the type.
pub(super) fn unknown_type(name: &str, reason: &str, lo: usize, hi: usize) -> Fault {
    let separator = if reason.is_empty() { "" } else { ": " };
    outside(&format!("the type '{name}' is not known{separator}{reason}"), lo, hi)
}
pub(super) fn unknown_function(name: &str, lo: usize, hi: usize) -> Fault {
    outside(&format!("'{name}' is neither in the library nor in the helper files"), lo, hi)
}
pub(super) fn template_arguments(name: &str, lo: usize, hi: usize) -> Fault {
    outside(&format!("'{name}' does not take these arguments, or a template argument is not known"), lo, hi)
}
/// `reason` is empty or states why the result types cannot be inferred.
pub(super) fn no_creation(class: &str, reason: &str, lo: usize, hi: usize) -> Fault {
    let separator = if reason.is_empty() { "" } else { ": " };
    let what = format!(
        "no builder of '{class}' that takes these arguments can be read, or its result types cannot be \
         inferred{separator}{reason}"
    );
    outside(&what, lo, hi)
}
pub(super) fn choice_by_byte(lo: usize, hi: usize) -> Fault {
    unsupported("a choice between functions by an argument of type 'char' or 'int8_t'", lo, hi)
}
pub(super) fn conditional(name: &str, places: &[String], lo: usize, hi: usize) -> Fault {
    let what = format!("the preprocessor chooses between definitions of '{name}': {}", places.join(" and "));
    outside(&what, lo, hi)
}
pub(super) fn ambiguous(name: &str, places: &[String], lo: usize, hi: usize) -> Fault {
    let message = format!("several definitions of '{name}' take these arguments: {}", places.join(" and "));
    Fault { certain: true, ..Fault::new(lo, hi, message, "") }
}
