//! Type errors in snippets, one constructor each.

use crate::plural::count;
use crate::snippet::data::BinaryOp;

/// A type error in an expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TypeError {
    message: String,
    help: Option<String>,
    arity: bool,
}

impl TypeError {
    fn new(message: String) -> Self {
        Self { message, help: None, arity: false }
    }

    /// The message.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }
    /// Advice for fixing the error.
    pub(crate) fn help(&self) -> Option<&str> {
        self.help.as_deref()
    }
    /// True if the number of arguments is wrong.
    pub(super) fn is_arity(&self) -> bool {
        self.arity
    }
    pub(super) fn with_help(mut self, help: &str) -> Self {
        self.help = Some(help.to_owned());
        self
    }
    pub(super) fn in_argument(mut self, number: usize, name: &str) -> Self {
        self.message = format!("argument {number} of '{name}': {}", self.message);
        self
    }

    pub(super) fn too_large(limit: usize) -> Self {
        Self::new(format!("the snippet has more than {limit} expressions"))
    }
    pub(super) fn too_deep(limit: u32) -> Self {
        Self::new(format!("the snippet is nested more than {limit} levels deep"))
    }
    pub(super) fn not_bool(ty: &str) -> Self {
        Self::new(format!("'{ty}' does not convert to 'bool'"))
    }
    pub(super) fn operand(sign: &str, ty: &str) -> Self {
        Self::new(format!("operator '{sign}' does not apply to '{ty}'"))
    }
    pub(super) fn operands(op: BinaryOp, a: &str, b: &str) -> Self {
        Self::new(format!("operator '{}' does not apply to '{a}' and '{b}'", op.text()))
    }
    pub(super) fn mixed_list(a: &str, b: &str) -> Self {
        Self::new(format!("a list holds both '{a}' and '{b}'"))
    }
    pub(super) fn not_a_function(name: &str) -> Self {
        Self::new(format!("'{name}' is not a function or method of the library"))
    }
    pub(super) fn not_a_lambda(ty: &str) -> Self {
        Self::new(format!(
            "a value of type '{ty}' is called, but only a lambda with a known body can be called here"
        ))
    }
    pub(super) fn template_argument(name: &str, ty: &str) -> Self {
        Self::new(format!("the template argument of '{name}' is '{ty}', which is not an attribute class"))
    }
    pub(super) fn needs_parameters(class: &str) -> Self {
        Self::new(format!("no type of the class '{class}' can be built without parameters"))
    }
    pub(super) fn lambda_args(want: usize, given: usize) -> Self {
        Self::new(format!("the number of arguments of the lambda is {given} instead of {want}"))
    }
    pub(super) fn cast(from: &str, to: &str) -> Self {
        Self::new(format!("a value of type '{from}' never has the class '{to}'"))
    }
    pub(super) fn arity(name: &str, least: usize, most: usize, given: usize) -> Self {
        let takes = match least == most {
            true => count(most, "argument"),
            false => format!("{least} to {most} arguments"),
        };
        let verb = if given == 1 { "is" } else { "are" };
        let mut error = Self::new(format!("'{name}' takes {takes}, {given} {verb} given"));
        error.arity = true;
        error
    }
    pub(super) fn no_method(ty: &str, name: &str, owners: &[String]) -> Self {
        let mut owners: Vec<&str> = owners.iter().map(String::as_str).collect();
        owners.dedup();
        owners.truncate(4);
        let error = Self::new(format!("'{ty}' has no method '{name}'"));
        error.with_help(&format!("it is a method of {}", owners.join(", ")))
    }
    pub(super) fn convert(from: &str, to: &str) -> Self {
        Self::new(format!("'{from}' does not convert to '{to}'"))
    }
    /// `kind` is a noun phrase, such as "a number".
    pub(super) fn wrong_kind(ty: &str, kind: &str) -> Self {
        Self::new(format!("'{ty}' is not {kind}"))
    }
    pub(super) fn no_attribute(ty: &str) -> Self {
        Self::new(format!("'{ty}' does not convert to an attribute"))
    }
    /// `list` is a noun phrase, such as "a list of another length".
    pub(super) fn list(list: &str, to: &str) -> Self {
        Self::new(format!("{list} does not convert to '{to}'"))
    }
    pub(super) fn list_of_ranges() -> Self {
        Self::new("a list of one range of ranges does not convert to a range of ranges".to_owned())
    }
    pub(super) fn optional_null() -> Self {
        Self::new("an optional value that may hold null is not supported".to_owned())
    }
    pub(super) fn alternatives(a: &str, b: &str) -> Self {
        Self::new(format!("the alternatives have the types '{a}' and '{b}', which have nothing in common"))
    }
}
