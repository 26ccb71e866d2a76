//! Compiles the C++ expressions in definitions of operations, attributes and types: fixed types, functions from one
//! type to another, and defaults.

use super::classes::{attribute_class, builtin_interfaces, type_class};
use super::session::Session;
use crate::frontend::cxx::{Expected, Failure, Helpers, Placeholder};
use crate::frontend::ods::{AttrSpec, Definitions, Property};
use crate::host::Kind;
use crate::pdl::{Constant, RuleSet};
use crate::snippet::{ParamKind, SnippetId, Snippets, Ty};
use crate::source::Span;

/// Compiles expressions of definitions to snippets of a rule set.
pub(crate) struct Expressions<'s, 'a>(Session<'s, 'a>);

impl<'s, 'a> Expressions<'s, 'a> {
    /// Adds the classes of all attributes and types, with their formats, and the built-in interfaces to `rules`.
    /// Returns a compiler that adds its snippets to `rules`.
    pub(crate) fn new(defs: &'s Definitions<'a>, rules: &'s mut RuleSet) -> Self {
        let session = Session::new(defs, rules, Helpers::default());
        builtin_interfaces(&mut session.rules.snippets, defs);
        for definition in defs.attributes.iter() {
            attribute_class(&mut session.rules.snippets, defs, definition);
        }
        for definition in defs.types.iter() {
            type_class(&mut session.rules.snippets, defs, definition);
        }
        Self(session)
    }

    /// The default of a parameter of this kind, as a snippet that builds an attribute or type. Numbers, Booleans and
    /// cases of enumerations become integer attributes. Returns `None` for strings and C++ types, and if the text has
    /// errors or only C++ code can evaluate it.
    pub(crate) fn param_default(&mut self, text: &str, kind: ParamKind, span: Span) -> Option<SnippetId> {
        let expected = match kind {
            ParamKind::Type(_) | ParamKind::TypeOf(_) | ParamKind::SelfType => Expected::Kind(Kind::Type),
            ParamKind::Attr(_) | ParamKind::AttrOf(_) => Expected::Kind(Kind::Attr),
            ParamKind::Int(_) | ParamKind::Bool | ParamKind::Enum(_) => {
                Expected::Property(Ty::one(kind.item()).into())
            }
            ParamKind::Str | ParamKind::Cxx => return None,
        };
        self.compile(text, &[], expected, span)
    }

    /// The snippets, classes and bodies of the rule set.
    pub(crate) fn snippets(&mut self) -> &mut Snippets {
        &mut self.0.rules.snippets
    }

    fn compile(
        &mut self,
        text: &str,
        params: &[Placeholder],
        expected: Expected,
        span: Span,
    ) -> Option<SnippetId> {
        match self.0.compile(text, span, params, expected) {
            Ok(snippet) if self.0.rules.snippets.natives_of(snippet).is_empty() => Some(snippet),
            Ok(_) | Err(Failure::Outside(_) | Failure::Wrong(_)) => None,
        }
    }

    /// The snippet of an expression that builds a type; `None` if the expression has errors or only C++ code can
    /// evaluate it.
    pub(crate) fn fixed_type(&mut self, text: &str, span: Span) -> Option<SnippetId> {
        self.compile(text, &[], Expected::Kind(Kind::Type), span)
    }

    /// The snippet of an expression that computes a type or several types from the type `$_self`; `None` if the
    /// expression has errors or only C++ code can evaluate it.
    pub(crate) fn type_function(&mut self, text: &str, span: Span) -> Option<SnippetId> {
        let given = [Placeholder::new("$_self", Ty::TYPE)];
        self.compile(text, &given, Expected::Kind(Kind::Type), span)
            .or_else(|| self.compile(text, &given, Expected::Kind(Kind::Types), span))
    }

    /// The default of an attribute, if the attribute has one that can be evaluated.
    pub(crate) fn default(&mut self, spec: &AttrSpec<'_>, span: Span) -> Option<Constant> {
        let constant = self.0.default_of(spec, span).ok().flatten()?;
        (!self.0.calls_natives(constant)).then_some(constant)
    }

    /// The default of a property, if the property has one that can be evaluated.
    pub(crate) fn property_default(&mut self, property: &Property<'_>, span: Span) -> Option<Constant> {
        if property.default.is_empty() {
            return None;
        }
        let constant = self.0.property_constant(property, property.default, span).ok()?;
        (!self.0.calls_natives(constant)).then_some(constant)
    }
}
