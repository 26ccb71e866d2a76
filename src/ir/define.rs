//! The definitions of dialects in a context, and the forms that Rust implements.

use std::sync::Arc;

use super::context::Context;
use super::core_forms;
use super::definitions::{BoundSyntax, dialect_of};
use super::dialect::{Dialect, DialectPart, DialectSource, Forms, TypeEvaluator};
use super::evaluator::Evaluator;
use crate::host::{AttrNameId, OpNameId};
use crate::id::Id;
use crate::intern::StrId;
use crate::snippet::{BodyParam, ParamKind, Snippets};
use crate::source::Diagnostic;

impl Context {
    /// Sets the source of the definitions of dialects. Dialects that were looked up before are looked up again.
    pub fn set_dialects(&mut self, source: Arc<dyn DialectSource>) {
        self.dialects.source = Some(source);
        self.dialects.known.clear();
    }

    /// The table of the forms and directives that are implemented in Rust, to which more can be added.
    ///
    /// ```
    /// use drrvm::ir::Context;
    /// use drrvm::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult};
    /// /// `my.note "text"`
    /// #[derive(Debug)]
    /// struct Note;
    /// impl CustomForm for Note {
    ///     fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
    ///         let Some(text) = reader.optional_string() else { return Err(reader.expected("a text")) };
    ///         let text = reader.string_attr(&text);
    ///         reader.set("text", text);
    ///         reader.attr_dict(false)
    ///     }
    ///     fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
    ///         let text = printer.get("text")?;
    ///         printer.text(" ");
    ///         printer.attribute(text);
    ///         printer.attr_dict(false, &["text"]);
    ///         Some(())
    ///     }
    /// }
    /// let mut context = Context::new();
    /// context.forms_mut().add_form("my.note", Note);
    /// ```
    pub fn forms_mut(&mut self) -> &mut Forms {
        Arc::make_mut(&mut self.dialects.forms)
    }

    pub(super) fn forms(&self) -> &Forms {
        &self.dialects.forms
    }

    /// Looks up the definitions of a dialect, unless they are known. Returns false if there are none.
    ///
    /// # Errors
    /// The definitions have errors.
    pub fn load_dialect(&mut self, name: &str) -> Result<bool, Diagnostic> {
        if let Some(known) = self.dialects.known.get(name) {
            return known.clone();
        }
        let Some(source) = self.dialects.source.clone() else { return Ok(false) };
        let found = source.dialect(name);
        let known = found.as_ref().map(Option::is_some).map_err(Clone::clone);
        self.dialects.known.insert(name.to_owned(), known);
        let Some(dialect) = found? else { return Ok(false) };
        self.define(dialect);
        Ok(true)
    }

    /// True if a dialect has definitions outside the core. Looks them up.
    pub(super) fn has_definitions(&mut self, dialect: &str) -> bool {
        if matches!(dialect, "arith" | "builtin" | "cf" | "func") {
            return false;
        }
        // A type or attribute can be read without definitions, so an error in them is not an error of the text.
        self.load_dialect(dialect).unwrap_or(false)
    }

    /// An empty context that reads types and attributes as this one does.
    pub(super) fn scratch(&self) -> Self {
        let mut scratch = Self::new();
        scratch.dialects.known.clone_from(&self.dialects.known);
        scratch.dialects.bodies.clone_from(&self.dialects.bodies);
        scratch.dialects.forms = self.dialects.forms.clone();
        scratch
    }

    /// Looks up the dialect of an operation in generic form, if the definitions apply to generic forms.
    pub(super) fn load_dialect_of_generic(&mut self, op: OpNameId) {
        if !self.dialects.source.as_ref().is_some_and(|source| source.defines_generic_form()) {
            return;
        }
        let name = self.op_name_text(op);
        if core_forms::of(name).is_none() {
            let dialect = dialect_of(name).to_owned();
            // The generic form can be read without definitions, so an error in them is not an error of the text.
            let _ = self.load_dialect(&dialect);
        }
    }

    /// The alias of attributes or types of a class without its sigil: `None` if the dialect has no definitions, or
    /// `Some(None)` if they get no alias.
    pub(super) fn class_alias(&self, is_type: bool, class: &str) -> Option<Option<&str>> {
        let classes = if is_type { &self.dialects.types } else { &self.dialects.attributes };
        match classes.get(class) {
            Some(alias) => Some(alias.as_deref()),
            None => matches!(self.dialects.known.get(dialect_of(class)), Some(Ok(true))).then_some(None),
        }
    }

    /// False if an attribute's class has a definition without a parameter for the type of the attribute. `text` is the text
    /// of the attribute without its sigil.
    pub(super) fn may_have_type(&self, text: &str) -> bool {
        let end = text.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$')));
        let class = format!("#{}", &text[..end.unwrap_or(text.len())]);
        let Some((bodies, id)) = self.body_of(&class) else { return true };
        let is_type = |param: &BodyParam| param.kind == ParamKind::SelfType;
        bodies.body(id).is_none_or(|body| body.params.iter().any(is_type))
    }

    fn define(&mut self, dialect: Dialect) {
        dialect.parts.into_iter().for_each(|part| self.define_part(part));
    }

    fn define_part(&mut self, part: DialectPart) {
        self.dialects.attributes.extend(part.attributes);
        self.dialects.types.extend(part.types);
        self.dialects.bodies.push(part.snippets.clone());
        let evaluator: Arc<dyn TypeEvaluator> = Arc::new(Evaluator::new(part.snippets));
        for syntax in part.ops {
            let name = self.op_name(&syntax.name);
            let parse = |context: &mut Self, text: &Option<String>| {
                text.as_ref().and_then(|text| context.parse_attr(text).ok())
            };
            let attribute_defaults: Vec<_> =
                syntax.attributes.iter().map(|attribute| parse(self, &attribute.default)).collect();
            let property_defaults: Vec<_> =
                syntax.properties.iter().map(|property| parse(self, &property.default)).collect();
            let mut filled = Vec::new();
            if syntax.uses_properties {
                let attributes = syntax.attributes.iter().zip(&attribute_defaults);
                let attributes = attributes
                    .filter(|(attribute, _)| !attribute.optional)
                    .map(|(a, value)| (&a.name, value));
                let properties =
                    syntax.properties.iter().zip(&property_defaults).map(|(p, value)| (&p.name, value));
                for (attribute, value) in attributes.chain(properties) {
                    if let Some(value) = *value {
                        filled.push((self.attr_name(attribute), value));
                    }
                }
                let names = syntax.inherent_names();
                let names: Vec<AttrNameId> = names.iter().map(|name| self.attr_name(name)).collect();
                self.set_inherent(name, &names);
            }
            self.set_traits(name, self.traits(name) | syntax.traits);
            let evaluator = evaluator.clone();
            let bound = BoundSyntax { syntax, attribute_defaults, property_defaults, filled, evaluator };
            if self.dialects.ops.len() <= name.index() {
                self.dialects.ops.resize(name.index() + 1, None);
            }
            self.dialects.ops[name.index()] = Some(Arc::new(bound));
        }
    }

    /// The syntax of an operation, if its dialect is loaded.
    pub(super) fn syntax(&self, name: OpNameId) -> Option<&Arc<BoundSyntax>> {
        self.dialects.ops.get(name.index())?.as_ref()
    }

    /// The formats that contain a class, `#dialect.name` or `!dialect.name`, and the class in them.
    pub(super) fn body_of(&self, class: &str) -> Option<(Arc<Snippets>, StrId)> {
        self.dialects.bodies.iter().find_map(|bodies| Some((bodies.clone(), bodies.find_body(class)?)))
    }
}
