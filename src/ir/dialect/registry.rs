//! The table of the forms that are implemented in Rust.

use std::sync::Arc;

use hashbrown::HashMap;

use super::class_form::ClassForm;
use super::form::{CustomDirective, CustomForm};

/// A directive, and the dialect to whose operations it belongs. Without a dialect, it belongs to all operations.
type RegisteredDirective = (Option<String>, Arc<dyn CustomDirective>);

/// The forms of operations, directives and classes that are implemented in Rust, by name.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    ops: HashMap<String, Registered<dyn CustomForm>>,
    /// The directives with each name.
    directives: HashMap<String, Vec<RegisteredDirective>>,
    classes: HashMap<String, Registered<dyn ClassForm>>,
    /// True if forms that are added from now on take precedence over declared formats.
    are_overriding: bool,
}

/// A form, and true if it takes precedence over a declared format.
type Registered<F> = (Arc<F>, bool);

impl Forms {
    /// Lets the forms that are added from now on take precedence over declared formats. A form that was added before
    /// takes precedence only over a format of which a part needs C++ code.
    pub(crate) fn override_formats(&mut self) {
        self.are_overriding = true;
    }

    /// Registers the form of an operation, in place of an earlier form or of a declared format.
    pub fn add_form(&mut self, op: &str, form: impl CustomForm + 'static) {
        self.ops.insert(op.to_owned(), (Arc::new(form), self.are_overriding));
    }

    /// Registers a directive, in place of an earlier directive with the same name. If the name is `dialect.Name`, it is
    /// the directive `Name` for the operations of this dialect only. Such a directive takes precedence over the
    /// directive for all operations.
    pub fn add_directive(&mut self, name: &str, directive: impl CustomDirective + 'static) {
        self.put_directive(name, Arc::new(directive));
    }

    /// Registers a directive. Unlike the generic function, this function is compiled once, not for each directive.
    fn put_directive(&mut self, name: &str, directive: Arc<dyn CustomDirective>) {
        let (dialect, name) = match name.split_once('.') {
            Some((dialect, name)) => (Some(dialect.to_owned()), name),
            None => (None, name),
        };
        let known = self.directives.entry_ref(name).or_default();
        known.retain(|(other, _)| *other != dialect);
        known.push((dialect, directive));
    }

    /// Registers the form of the attributes or types of a class, `#dialect.name` or `!dialect.name`, in place of an
    /// earlier form or of a declared format.
    pub fn add_class(&mut self, class: &str, form: impl ClassForm + 'static) {
        self.classes.insert(class.to_owned(), (Arc::new(form), self.are_overriding));
    }

    /// The form of the attributes or types of a class.
    pub fn class(&self, class: &str) -> Option<&Arc<dyn ClassForm>> {
        self.classes.get(class).map(|(form, _)| form)
    }

    /// The form of the attributes or types of a class that has a declared format.
    pub(crate) fn class_in_place_of_format(&self, class: &str) -> Option<&Arc<dyn ClassForm>> {
        self.classes.get(class).filter(|(_, is_overriding)| *is_overriding).map(|(form, _)| form)
    }

    /// The form of an operation.
    pub fn form(&self, op: &str) -> Option<&Arc<dyn CustomForm>> {
        self.ops.get(op).map(|(form, _)| form)
    }

    /// The form of an operation that has a declared format.
    pub(crate) fn form_in_place_of_format(&self, op: &str) -> Option<&Arc<dyn CustomForm>> {
        self.ops.get(op).filter(|(_, is_overriding)| *is_overriding).map(|(form, _)| form)
    }

    /// The directive with this name in the format of an operation.
    pub fn directive(&self, op: &str, name: &str) -> Option<&Arc<dyn CustomDirective>> {
        let known = self.directives.get(name)?;
        let has = |wanted: Option<&str>| known.iter().find(|(dialect, _)| dialect.as_deref() == wanted);
        let (_, directive) =
            op.split_once('.').and_then(|(dialect, _)| has(Some(dialect))).or_else(|| has(None))?;
        Some(directive)
    }
}
