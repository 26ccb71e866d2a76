//! The table of the forms that are implemented in Rust.

use std::sync::Arc;

use hashbrown::HashMap;

use super::class_form::ClassForm;
use super::form::{CustomDirective, CustomForm};

/// The forms of operations, directives and classes that are implemented in Rust, by name.
#[derive(Clone, Debug, Default)]
pub struct Forms {
    ops: HashMap<String, Arc<dyn CustomForm>>,
    directives: HashMap<String, Arc<dyn CustomDirective>>,
    classes: HashMap<String, Arc<dyn ClassForm>>,
}

impl Forms {
    /// Registers the form of an operation, in place of an earlier one.
    pub fn add_form(&mut self, op: &str, form: impl CustomForm + 'static) {
        self.ops.insert(op.to_owned(), Arc::new(form));
    }

    /// Registers a directive, in place of an earlier one.
    pub fn add_directive(&mut self, name: &str, directive: impl CustomDirective + 'static) {
        self.directives.insert(name.to_owned(), Arc::new(directive));
    }

    /// Registers the form of the attributes or types of a class, `#dialect.name` or `!dialect.name`, in place of an
    /// earlier one or of a declared format.
    pub fn add_class(&mut self, class: &str, form: impl ClassForm + 'static) {
        self.classes.insert(class.to_owned(), Arc::new(form));
    }

    /// The form of the attributes or types of a class.
    pub fn class(&self, class: &str) -> Option<&Arc<dyn ClassForm>> {
        self.classes.get(class)
    }

    /// The form of an operation.
    pub fn form(&self, op: &str) -> Option<&Arc<dyn CustomForm>> {
        self.ops.get(op)
    }

    /// The directive with this name.
    pub fn directive(&self, name: &str) -> Option<&Arc<dyn CustomDirective>> {
        self.directives.get(name)
    }
}
