//! The definitions of dialects in a context, and the registered forms.

use std::sync::Arc;

use super::attributes::AttrKind;
use super::context::Context;
use super::definitions::{AttrTypeSource, BoundSyntax, CORE, dialect_of};
use super::dialect::{
    AttrSyntax, ClassForm, CustomForm, Dialect, DialectPack, DialectPart, DialectSource, DirectiveArg,
    Element, EnumSyntax, Forms, GroupSizes, OpSyntax, PropertyEncoding, PropertySyntax, Syntax,
    TypeEvaluator, TypeOperand, TypeSource,
};
use super::evaluator::Evaluator;
use super::ids::{AttrId, TypeId};
use crate::host::{AttrNameId, OpNameId};
use crate::id::Id;
use crate::intern::StrId;
use crate::number::ApInt;
use crate::snippet::{ParamDefault, ParamKind, Snippets};
use crate::source::Diagnostic;

/// The definitions of the prelude's dialects, as a pack. `DRRVM_BLESS=1 cargo test prelude_pack` writes the file again.
pub(crate) const PRELUDE_PACK: &[u8] = include_bytes!("prelude.drrdl");

impl Context {
    /// Sets the source of the definitions of dialects. Dialects that were looked up before are looked up again.
    pub fn set_dialects(&mut self, source: Arc<dyn DialectSource>) {
        self.dialects.source = Some(source);
        self.dialects.known.clear();
    }

    /// The constraints of the operations of all dialects that were read, in the encoding of `ods_verify`.
    #[cfg(any(feature = "cli", feature = "fuzzing"))]
    pub(crate) fn constraints(&self) -> &[Arc<[u8]>] {
        &self.dialects.constraints
    }

    /// Returns the table of the forms and directives that are implemented in Rust. Embedders can add their own forms
    /// and directives.
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

    /// The registered form of an operation. If the operation has a declared format of which no part needs C++ code,
    /// returns only a form that takes precedence over declared formats. If the definition states that the operation has
    /// only the generic form, returns `None`.
    pub(super) fn form_of(&self, op: OpNameId) -> Option<&Arc<dyn CustomForm>> {
        let name = self.op_name_text(op);
        match self.syntax(op) {
            Some(bound) if matches!(bound.syntax.syntax, Syntax::Generic) => None,
            Some(bound) if bound.is_declarative => self.forms().form_in_place_of_format(name),
            _ => self.forms().form(name),
        }
    }

    /// The registered form of a class, `#dialect.name` or `!dialect.name`. If the class has a declared format of which
    /// no part needs C++ code, returns only a form that takes precedence over declared formats.
    pub(super) fn class_form(&self, class: &str) -> Option<&Arc<dyn ClassForm>> {
        let form = self.forms().class(class)?;
        match self.body_of(class).is_some_and(|(bodies, id)| bodies.has_declarative_format(id)) {
            true => self.forms().class_in_place_of_format(class),
            false => Some(form),
        }
    }

    /// Looks up the definitions of a dialect, unless they were looked up before. Returns false if the dialect has none.
    ///
    /// # Errors
    /// The definitions have errors.
    pub fn load_dialect(&mut self, name: &str) -> Result<bool, Diagnostic> {
        if let Some(known) = self.dialects.known.get(name) {
            return known.clone();
        }
        let is_core = CORE.contains(&name);
        let Some(source) = self.dialects.source.clone() else { return Ok(is_core) };
        let found = source.dialect(name);
        let known = found.as_ref().map(|found| found.is_some() || is_core).map_err(Clone::clone);
        self.dialects.known.insert(name.to_owned(), known);
        let Some(dialect) = found? else { return Ok(is_core) };
        self.define(dialect);
        Ok(true)
    }

    /// True if a dialect has definitions. Looks them up.
    pub(super) fn has_definitions(&mut self, dialect: &str) -> bool {
        if CORE.contains(&dialect) {
            return true;
        }
        // A type or attribute can be read without definitions, so an error in the definitions is not an error of the
        // text.
        self.load_dialect(dialect).unwrap_or(false)
    }

    /// A new context that reads types and attributes with the definitions and forms that this context has loaded.
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
        if self.syntax(op).is_none() {
            let dialect = dialect_of(self.op_name_text(op)).to_owned();
            // The generic form can be read without definitions, so an error in the definitions is not an error of the
            // text.
            let _ = self.load_dialect(&dialect);
        }
    }

    /// The alias name of the attributes or types of a class. `class` has no sigil. Returns `Some(None)` if the class
    /// has no alias name, and `None` if the class is unknown and no lookup found definitions of its dialect.
    pub(super) fn class_alias(&self, is_type: bool, class: &str) -> Option<Option<&str>> {
        let classes = if is_type { &self.dialects.types } else { &self.dialects.attributes };
        match classes.get(class) {
            Some(Some(alias)) => Some(Some(alias)),
            Some(None) => {
                let form = self.forms().class(&format!("{}{class}", if is_type { '!' } else { '#' }));
                Some(form.and_then(|form| form.alias()))
            }
            None => matches!(self.dialects.known.get(dialect_of(class)), Some(Ok(true))).then_some(None),
        }
    }

    /// True if the definition of the attribute or type with this text declares a built-in interface; `None` if the
    /// definition is not known.
    pub(crate) fn declares(&self, interface: &str, text: &str) -> Option<bool> {
        self.dialects.bodies.iter().find_map(|bodies| bodies.declares(interface, text))
    }

    /// The source of the type of a dialect's attribute. `text` is the text of the attribute without its sigil.
    pub(super) fn attr_type_source(&self, text: &str) -> AttrTypeSource {
        let text = format!("#{text}");
        let is_typed = self.declares("TypedAttr", &text);
        let found = self.dialects.bodies.iter().find_map(|bodies| {
            let class = bodies.class_of_text(&text)?;
            Some((bodies, class, &bodies.body(class)?.params))
        });
        let Some((bodies, class, params)) = found else { return AttrTypeSource::Unknown };
        let self_type = params.iter().find(|param| param.kind == ParamKind::SelfType);
        if let Some(param) = self_type.filter(|_| is_typed != Some(false)) {
            return AttrTypeSource::After(match param.default {
                Some(ParamDefault::Str(text)) => Some(bodies.str(text).to_owned()),
                _ => None,
            });
        }
        if is_typed != Some(true) {
            return AttrTypeSource::Untyped;
        }
        // `TypedAttr` requires the method `getType`, which is the accessor of a parameter with the name `type`.
        match params.iter().position(|param| bodies.str(param.name) == "type" && !param.range) {
            Some(index) => AttrTypeSource::Param(bodies.clone(), class, index),
            None => AttrTypeSource::Cxx,
        }
    }

    /// Adds the dialects that every context has.
    pub(super) fn define_core(&mut self) {
        // A pack in another version of the format counts as empty, so that the test that writes the pack can run.
        let Ok(pack) = DialectPack::from_bytes(PRELUDE_PACK) else { return };
        for name in CORE {
            if let Ok(Some(dialect)) = pack.dialect(name) {
                self.define(dialect);
            }
        }
    }

    fn define(&mut self, mut dialect: Dialect) {
        dialect.resolve_terminators();
        let mut parts = dialect.parts;
        for part in &mut parts {
            self.dialects.attributes.extend(std::mem::take(&mut part.attributes));
            self.dialects.types.extend(std::mem::take(&mut part.types));
            self.dialects.bodies.push(part.snippets.clone());
            if !part.constraints.is_empty() {
                self.dialects.constraints.push(part.constraints.clone());
            }
        }
        parts.into_iter().for_each(|part| self.define_ops(part));
    }

    fn define_ops(&mut self, part: DialectPart) {
        let evaluator: Arc<dyn TypeEvaluator> = Arc::new(Evaluator::new(part.snippets));
        for syntax in part.ops {
            let name = self.op_name(&syntax.name);
            if syntax.uses_properties {
                let names = syntax.inherent_names();
                let names: Vec<AttrNameId> = names.iter().map(|name| self.attr_name(name)).collect();
                self.set_inherent(name, &names);
            }
            self.set_traits(name, self.traits(name) | syntax.traits);
            let bound = self.bind(syntax, evaluator.clone());
            if self.dialects.ops.len() <= name.index() {
                self.dialects.ops.resize(name.index() + 1, None);
            }
            self.dialects.ops[name.index()] = Some(Arc::new(bound));
        }
    }

    /// Interns the names, types and defaults in the syntax of an operation.
    fn bind(&mut self, syntax: OpSyntax, evaluator: Arc<dyn TypeEvaluator>) -> BoundSyntax {
        let parse = |context: &mut Self, text: &Option<String>| {
            text.as_ref().and_then(|text| context.parse_attr(text).ok())
        };
        let attribute_defaults: Vec<_> =
            syntax.attributes.iter().map(|attribute| parse(self, &attribute.default)).collect();
        let property_defaults: Vec<_> =
            syntax.properties.iter().map(|property| parse(self, &property.default)).collect();
        let with_default = syntax.properties.iter().zip(&property_defaults);
        let initial_properties = with_default.map(|(property, &default)| match property.has_default {
            true => default,
            false => initial(self, &property.attribute_encoding),
        });
        let initial_properties = initial_properties.collect();
        let attribute_names: Vec<_> = syntax.attributes.iter().map(|a| self.attr_name(&a.name)).collect();
        let property_names: Vec<_> = syntax.properties.iter().map(|p| self.attr_name(&p.name)).collect();
        let mut filled = Vec::new();
        let attributes = syntax.attributes.iter().zip(&attribute_names).zip(&attribute_defaults);
        let attributes = attributes.filter(|((attribute, _), _)| !attribute.optional);
        filled.extend(attributes.filter_map(|((_, &name), &value)| Some((name, value?))));
        if syntax.uses_properties {
            let properties = property_names.iter().copied().zip(property_defaults.iter().copied());
            filled.extend(properties.filter_map(|(name, value)| Some((name, value?))));
        }
        let segments = ["operandSegmentSizes", "resultSegmentSizes"].map(|name| self.attr_name(name));
        let groups =
            [(syntax.operand_sizes, syntax.operands.len()), (syntax.result_sizes, syntax.results.len())];
        for (name, (sizes, groups)) in segments.into_iter().zip(groups) {
            if syntax.uses_properties && sizes == GroupSizes::Attribute {
                let data = vec![0; groups * size_of::<i32>()].into();
                filled.push((name, self.intern_attr(AttrKind::DenseArray { element: Self::I32, data })));
            }
        }
        let fixed = |context: &mut Self, source: &TypeSource| match source {
            TypeSource::Fixed(text) => context.builtin_type(text),
            _ => None,
        };
        let operand_types = syntax.operands.iter().map(|group| fixed(self, &group.source)).collect();
        let result_types = syntax.results.iter().map(|group| fixed(self, &group.source)).collect();
        let omitted = |context: &mut Self, syntax: &AttrSyntax| match syntax {
            AttrSyntax::TypeOmitted { ty: text, .. } | AttrSyntax::Array(text) => context.builtin_type(text),
            _ => None,
        };
        let attribute_types = syntax.attributes.iter().map(|a| omitted(self, &a.syntax)).collect();
        let mut elided = elided(&syntax, &attribute_names, &property_names);
        let (all_operands, all_results) = lists_all(&syntax);
        let sized = [(syntax.operand_sizes, all_operands), (syntax.result_sizes, all_results)];
        for (name, (sizes, listed)) in segments.into_iter().zip(sized) {
            if sizes == GroupSizes::Attribute && !listed {
                elided.push(name);
            }
        }
        let inferred = match &syntax.syntax {
            Syntax::Declared { inferred, .. } => inferred.iter().map(|name| self.attr_name(name)).collect(),
            _ => Vec::new(),
        };
        BoundSyntax {
            is_declarative: is_declarative(&syntax, self.forms()),
            syntax,
            attribute_names,
            property_names,
            operand_types,
            result_types,
            attribute_types,
            segments,
            elided,
            inferred,
            attribute_defaults,
            property_defaults,
            initial_properties,
            filled,
            evaluator,
        }
    }

    /// The type with this text, if it needs no definitions. Returns `None` for other types, because their definitions
    /// are loaded at the first use.
    fn builtin_type(&mut self, text: &str) -> Option<TypeId> {
        if text.contains(['!', '#']) { None } else { self.parse_type(text).ok() }
    }

    /// The syntax of an operation, if its dialect is loaded.
    pub(super) fn syntax(&self, name: OpNameId) -> Option<&Arc<BoundSyntax>> {
        self.dialects.ops.get(name.index())?.as_ref()
    }

    /// Finds the format of a class, `#dialect.name` or `!dialect.name`. Returns the snippets that contain the format,
    /// and the id of the class in these snippets.
    pub(super) fn body_of(&self, class: &str) -> Option<(Arc<Snippets>, StrId)> {
        self.dialects.bodies.iter().find_map(|bodies| Some((bodies.clone(), bodies.find_body(class)?)))
    }
}

/// True if an operation has a declared format of which no part needs C++ code.
fn is_declarative(syntax: &OpSyntax, forms: &Forms) -> bool {
    let mut groups = syntax.operands.iter().chain(&syntax.results);
    if !matches!(syntax.syntax, Syntax::Declared { .. })
        || groups.any(|group| matches!(group.source, TypeSource::Cxx(_)))
    {
        return false;
    }
    let mut is_declarative = true;
    for_each_element(syntax, |element| {
        is_declarative &= match element {
            Element::Custom { name, .. } => forms.directive(&syntax.name, name).is_some(),
            Element::Property(index) => syntax.properties[*index].syntax != PropertySyntax::Cxx,
            _ => true,
        };
    });
    is_declarative
}

/// Calls a function for each element of a format, including the elements in groups and clauses.
fn for_each_element(syntax: &OpSyntax, mut visit: impl FnMut(&Element)) {
    let Syntax::Declared { elements, .. } = &syntax.syntax else { return };
    let mut pending: Vec<&Element> = elements.iter().collect();
    while let Some(element) = pending.pop() {
        visit(element);
        match element {
            Element::Group(group) => pending.extend(group.present.iter().chain(&group.absent)),
            Element::Oilist(clauses) => pending.extend(clauses.iter().flat_map(|(_, inner)| inner)),
            _ => {}
        }
    }
}

/// The attributes and properties that elements of the format contain.
fn elided(syntax: &OpSyntax, attributes: &[AttrNameId], properties: &[AttrNameId]) -> Vec<AttrNameId> {
    let mut names = Vec::new();
    for_each_element(syntax, |element| match element {
        Element::Attribute { index, .. } => names.push(attributes[*index]),
        Element::Property(index) => names.push(properties[*index]),
        Element::Custom { args, .. } => names.extend(args.iter().filter_map(|arg| match arg {
            DirectiveArg::Attribute(index) => Some(attributes[*index]),
            DirectiveArg::Property(index) => Some(properties[*index]),
            _ => None,
        })),
        _ => {}
    });
    names
}

/// The attribute for the value-initialised value of a property's C++ type, such as 0; `None` if only C++ code creates
/// this value.
fn initial(context: &mut Context, form: &PropertyEncoding) -> Option<AttrId> {
    let kind = match *form {
        PropertyEncoding::Unit | PropertyEncoding::Bool => return Some(context.bool_attr(false)),
        PropertyEncoding::Integer { width, .. }
        | PropertyEncoding::Enum { cases: EnumSyntax { width, .. }, .. } => {
            AttrKind::Integer { value: ApInt::from_u64(width, 0), ty: context.signless(width) }
        }
        PropertyEncoding::Str => return Some(context.string_attr("")),
        PropertyEncoding::Optional(_) | PropertyEncoding::List(_) => AttrKind::Array([].into()),
        PropertyEncoding::IntegerList(width) => {
            AttrKind::DenseArray { element: context.signless(width), data: [].into() }
        }
        PropertyEncoding::Cxx => return None,
    };
    Some(context.intern_attr(kind))
}

/// Two flags: true if the format contains `operands`, and true if it contains the types of `results`.
fn lists_all(syntax: &OpSyntax) -> (bool, bool) {
    let (mut operands, mut results) = (false, false);
    for_each_element(syntax, |element| match element {
        Element::Operands => operands = true,
        Element::Type { of: TypeOperand::Results, .. }
        | Element::FunctionalType { results: TypeOperand::Results, .. } => results = true,
        _ => {}
    });
    (operands, results)
}
