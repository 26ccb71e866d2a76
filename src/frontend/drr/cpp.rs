//! Compiles the C++ texts of rules and definitions to snippets or natives.
//!
//! A predicate or native call outside the snippet language becomes a native with the name of its record. In a rule, any
//! other text outside the language is an error, and so is a malformed or ill-typed text.

use std::borrow::Cow;

use super::classes;
use super::error;
use super::helper::Helper;
use super::resolve::Classes;
use super::session::{Session, Try, text};
use super::words::variables;
use crate::frontend::cxx::{self, ClassInCxx, Expected, Failure, Placeholder, Request, Text};
use crate::frontend::ods::{AttrSpec, OpId, Property, attr_spec};
use crate::frontend::tablegen::{Record, RecordId};
use crate::host::Kind;
use crate::pdl::{Callee, Constant};
use crate::snippet::{
    AttrClass, Builder, EnumForm, EnumId, Item, Param, PropertyTy, SnippetId, SnippetResult, Ty,
};
use crate::source::{Diagnostic, Span};

impl Session<'_, '_> {
    pub(super) fn compile(
        &mut self,
        text: &str,
        span: Span,
        params: &[Placeholder],
        expected: Expected,
    ) -> Result<SnippetId, Failure> {
        self.compile_text(&Text::new(text, span), params, expected)
    }

    fn compile_text(
        &mut self,
        text: &Text,
        params: &[Placeholder],
        expected: Expected,
    ) -> Result<SnippetId, Failure> {
        let key = cache_key(&written(text), params, expected);
        if let Some(&snippet) = self.cache.texts.get(&key) {
            return Ok(snippet);
        }
        let resolver = Classes { defs: self.defs, helpers: &self.helpers };
        let request = Request { params, expected, resolver: &resolver };
        let snippet = cxx::compile(&mut self.rules.snippets, text, &request)?;
        self.cache.texts.insert(key, snippet);
        Ok(snippet)
    }

    /// Builds the snippet of a helper expression over these parameters.
    ///
    /// # Errors
    /// A parameter does not have a fitting type.
    pub(super) fn helper(
        &mut self,
        helper: Helper,
        span: Span,
        params: &[Placeholder],
    ) -> Result<SnippetId, Diagnostic> {
        let (notation, expected) = (helper.notation(), helper.expected());
        let key = cache_key(&notation, params, expected);
        if let Some(&snippet) = self.cache.texts.get(&key) {
            return Ok(snippet);
        }
        let snippets = &mut self.rules.snippets;
        let param = |p: &Placeholder| Param { name: snippets.intern(&p.name), ty: p.ty, out: p.out };
        let params = params.iter().map(param).collect();
        let matching = expected == Expected::Predicate;
        let mut builder = Builder::new(snippets, params, span, matching);
        let root = helper.build(&mut builder).map_err(|error| error::ill_typed(&error, &notation, span))?;
        let result = match expected {
            Expected::Predicate => SnippetResult::Predicate,
            Expected::Nothing => SnippetResult::Nothing,
            _ => SnippetResult::Value(root.ty),
        };
        let snippet = builder.finish(root, result, &notation);
        self.cache.texts.insert(key, snippet);
        Ok(snippet)
    }

    fn native(&mut self, name: &str) -> Callee {
        Callee::Native(self.rules.strings.intern(name))
    }

    /// Compiles a predicate. `used` is the place where the rule uses it.
    pub(super) fn predicate(
        &mut self,
        text: &Text,
        used: Span,
        params: &[Placeholder],
        name: &str,
    ) -> Try<Callee> {
        match self.compile_text(text, params, Expected::Predicate) {
            Ok(snippet) => Ok(Callee::Snippet(snippet)),
            Err(Failure::Outside(_)) => Ok(self.native(name)),
            Err(Failure::Wrong(error)) => Err(self.fail(error::in_predicate(error, used))),
        }
    }

    /// Compiles the predicate of a constraint. If the constraint has a name, a native of this name can replace it.
    pub(super) fn named_predicate(
        &mut self,
        text: &Text,
        used: Span,
        params: &[Placeholder],
        constraint: Record<'_>,
        name: &str,
    ) -> Try<Callee> {
        if constraint.is_anonymous() {
            return self.predicate(text, used, params, name);
        }
        // Constraints with equal texts have separate snippets, because a native replaces only the snippet of the
        // constraint with its name.
        let key = format!("{name}\0{}\0{params:?}", text.as_str());
        if let Some(&snippet) = self.cache.texts.get(&key) {
            return Ok(Callee::Snippet(snippet));
        }
        let callee = self.predicate(text, used, params, name)?;
        let Callee::Snippet(shared) = callee else { return Ok(callee) };
        let snippet = self.rules.snippets.name_constraint(shared, name);
        self.cache.texts.insert(key, snippet);
        Ok(Callee::Snippet(snippet))
    }

    /// The composed predicate of a constraint.
    pub(super) fn condition(&mut self, constraint: RecordId) -> Try<&Text> {
        if !self.cache.conditions.contains_key(&constraint) {
            let pieces = match self.defs.condition_pieces(constraint) {
                Ok(pieces) => pieces,
                Err(error) => return Err(self.fail(error)),
            };
            let mut text = Text::default();
            for (piece, span) in pieces {
                text.push(&piece, span);
            }
            self.cache.conditions.insert(constraint, text);
        }
        Ok(&self.cache.conditions[&constraint])
    }

    /// Compiles a constraint on `$_self`. `ty` is the static type of `$_self`, and `reading` is the type of its reading
    /// if it is an attribute. The returned flag is true if the constraint also mentions the operation (`$_op`, or `op`
    /// in the generated C++). The operation is then the second parameter.
    pub(super) fn constraint(
        &mut self,
        constraint: RecordId,
        ty: Ty,
        reading: Option<Ty>,
        span: Span,
    ) -> Try<(Callee, bool)> {
        if let Some(&callee) = self.cache.constraints.get(&(constraint, ty, reading)) {
            return Ok(callee);
        }
        let condition = self.condition(constraint)?.clone();
        let record = self.defs.records.record(constraint);
        let of_owner = condition.as_str().contains("$_op") || variables(condition.as_str()).contains(&"op");
        let is_attribute = record.is_subclass_of("AttrConstraint");
        let class = if is_attribute { ClassInCxx::Attribute } else { ClassInCxx::OfType };
        let mut params = vec![Placeholder::new("$_self", ty).or_read_as(reading).of_class(class)];
        params.extend(of_owner.then(|| Placeholder::new("op", Ty::OP)));
        let callee = self.named_predicate(&condition, span, &params, record, record.name())?;
        self.cache.constraints.insert((constraint, ty, reading), (callee, of_owner));
        Ok((callee, of_owner))
    }

    /// True if the predicate of a constraint contains `$_self`, but not `!$_self`, the usual test for null.
    pub(super) fn needs_presence(&mut self, constraint: RecordId) -> Try<bool> {
        let condition = self.condition(constraint)?.as_str();
        Ok(condition.contains("$_self") && !condition.contains("!$_self"))
    }

    /// The static type of an attribute of this storage class.
    pub(super) fn attr_ty(&mut self, storage: &str) -> Ty {
        classes::attr_ty(&mut self.rules.snippets, self.defs, storage)
    }

    /// The static type of an attribute's reading (`returnType`); `None` if C++ code computes the reading from the value
    /// of the attribute, or if the reading is the attribute itself or has an unknown type.
    pub(super) fn reading_ty(&mut self, spec: &AttrSpec<'_>) -> Option<Ty> {
        if !spec.reads_held_value() {
            return None;
        }
        let reading = classes::cxx_ty(&mut self.rules.snippets, self.defs, spec.value_type)?;
        (reading != self.attr_ty(spec.storage)).then_some(reading)
    }

    /// The static type of an operation.
    pub(super) fn op_ty(&mut self, op: OpId) -> Ty {
        Ty::one(Item::Op(Some(classes::op_class(&mut self.rules.snippets, self.defs, op))))
    }

    /// The static type of a C++ type name; any attribute if the name is unknown.
    pub(super) fn interface_ty(&mut self, cxx: &str) -> Ty {
        classes::cxx_ty(&mut self.rules.snippets, self.defs, cxx).unwrap_or(Ty::ATTR)
    }

    /// The static type of a property in snippets.
    pub(super) fn property_ty(&mut self, property: &Property<'_>) -> Ty {
        if let Some(record) = property.enumeration
            && let Some(ty) = classes::enum_ty(&mut self.rules.snippets, self.defs, record)
        {
            return ty;
        }
        self.interface_ty(property.accessor_type)
    }

    /// The static type of a property, and its storage in an attribute.
    pub(super) fn property_form(&mut self, property: &Property<'_>) -> PropertyTy {
        let ty = self.property_ty(property);
        let class = property.attr_form.map(|storage| self.attr_ty(storage).item);
        let enumeration = match (class, ty.item) {
            (Some(Item::Attr(AttrClass::Named(class))), _) => EnumForm::Attr(class),
            (_, Item::Enum(id)) => EnumForm::Integer(self.enum_width(id)),
            _ => return ty.into(),
        };
        PropertyTy { ty, enumeration }
    }

    /// The width of the integers that store an enumeration's values.
    fn enum_width(&self, id: EnumId) -> u32 {
        let name = self.rules.snippets.str(self.rules.snippets.enumeration(id).cxx_name);
        self.defs.enum_class(name).map_or(32, |item| item.width)
    }

    /// The static type of a `ConstantAttr` or enum case.
    pub(super) fn constant_ty(&mut self, record: Record<'_>) -> Ty {
        let attr = record.def_field("attr").unwrap_or(record);
        self.attr_ty(text(attr, "storageType"))
    }

    /// A predicate that tests the storage class of an attribute; `None` if the class is `Attribute` or unknown.
    pub(super) fn storage_test(&mut self, storage: &str, span: Span) -> Option<SnippetId> {
        let ty = self.attr_ty(storage);
        let Item::Attr(class) = ty.item else { return None };
        if ty == Ty::ATTR {
            return None;
        }
        let test = Helper::IsA { class, storage: storage.to_owned() };
        self.helper(test, span, &[Placeholder::new("$_self", Ty::ATTR)]).ok()
    }

    /// Compiles a text without parameters to a constant.
    pub(super) fn constant_of(&mut self, text: &str, expected: Expected, span: Span) -> Try<Constant> {
        match self.compile(text, span, &[], expected) {
            Ok(snippet) => Ok(Constant::Snippet(snippet)),
            Err(Failure::Outside(error) | Failure::Wrong(error)) => Err(self.fail(error)),
        }
    }

    /// True if a constant calls natives when it is built.
    pub(super) fn calls_natives(&self, constant: Constant) -> bool {
        match constant {
            Constant::Snippet(snippet) => !self.rules.snippets.natives_of(snippet).is_empty(),
            Constant::Text(_) => false,
        }
    }

    /// The attribute that the `constBuilderCall` of an `Attr` builds from a C++ value.
    pub(super) fn attr_constant(&mut self, spec: &AttrSpec<'_>, value: &str, span: Span) -> Try<Constant> {
        let text = spec.builder.replace("$0", value);
        self.constant_of(&text, Expected::Kind(Kind::Attr), span)
    }

    /// The attribute that is the default value; `None` if there is no default value, or if the attribute is a unit
    /// attribute.
    pub(super) fn default_of(&mut self, spec: &AttrSpec<'_>, span: Span) -> Try<Option<Constant>> {
        if spec.default.is_empty() || spec.is_unit() {
            return Ok(None);
        }
        self.attr_constant(spec, spec.default, span).map(Some)
    }

    /// The attribute of a `ConstantAttr` or an enum case; `None` for other records, and if the class of the attribute
    /// has no `constBuilderCall`.
    pub(super) fn constant_attr(&mut self, record: Record<'_>, span: Span) -> Try<Option<Constant>> {
        let (attr, value) = match record.def_field("attr") {
            Ok(attr) => (attr, text(record, "value").to_owned()),
            Err(_) => match record.int_field("value") {
                Ok(value) => (record, value.to_string()),
                Err(_) => return Ok(None),
            },
        };
        let spec = attr_spec(attr);
        if spec.builder.is_empty() {
            return Ok(None);
        }
        if let (Ok(number), Some((least, most))) = (value.trim().parse::<i128>(), int_range(attr))
            && !(least..=most).contains(&number)
        {
            return Err(self.fail(error::constant_range(number, least, most, span)));
        }
        self.attr_constant(&spec, &value, span).map(Some)
    }

    /// The attribute that stores a C++ value of a property.
    pub(super) fn property_constant(
        &mut self,
        property: &Property<'_>,
        value: &str,
        span: Span,
    ) -> Try<Constant> {
        let form = self.property_form(property);
        self.constant_of(value, Expected::Property(form), span)
    }

    /// True if a text has one result of unknown type, because the text calls a native or is replaced by a native.
    pub(super) fn has_unknown_result(&mut self, text: &Text, params: &[Placeholder]) -> bool {
        match self.compile_text(text, params, Expected::Any) {
            Ok(snippet) => {
                matches!(self.rules.snippets.get(snippet).result, SnippetResult::Value(ty) if ty.is_unknown())
            }
            Err(failure) => matches!(failure, Failure::Outside(_)),
        }
    }

    /// Compiles a text that a rewrite evaluates. Returns the callee and the kinds and static types of its results.
    pub(super) fn rewrite_call(
        &mut self,
        text: &Text,
        params: &[Placeholder],
        expected: Expected,
        name: &str,
    ) -> Try<(Callee, Vec<(Kind, Ty)>)> {
        match self.compile_text(text, params, expected) {
            Ok(snippet) => Ok((Callee::Snippet(snippet), self.results(snippet, expected))),
            Err(Failure::Outside(_)) if !name.is_empty() => {
                let results = match expected {
                    Expected::Nothing => Vec::new(),
                    Expected::Many(count) => vec![(Kind::Value, Ty::VALUE); count as usize],
                    Expected::Predicate => vec![(Kind::Bool, Ty::BOOL)],
                    Expected::Any | Expected::Kind(_) | Expected::Property(_) => {
                        vec![result_kind(Ty::UNKNOWN, expected)]
                    }
                };
                Ok((self.native(name), results))
            }
            Err(Failure::Outside(error) | Failure::Wrong(error)) => Err(self.fail(error)),
        }
    }

    /// The kinds and static types of a snippet's results.
    pub(super) fn results(&self, snippet: SnippetId, expected: Expected) -> Vec<(Kind, Ty)> {
        match self.rules.snippets.get(snippet).result {
            SnippetResult::Value(ty) => vec![result_kind(ty, expected)],
            SnippetResult::Many(count) => vec![(Kind::Value, Ty::VALUE); count as usize],
            SnippetResult::Nothing => Vec::new(),
            SnippetResult::Predicate => vec![(Kind::Bool, Ty::BOOL)],
        }
    }
}

/// The key of a text, which also contains the variables of the text.
fn written(text: &Text) -> Cow<'_, str> {
    match text.variables() {
        [] => Cow::Borrowed(text.as_str()),
        variables => Cow::Owned(format!("{variables:?}\0{}", text.as_str())),
    }
}

fn cache_key(text: &str, params: &[Placeholder], expected: Expected) -> String {
    format!("{text}\0{params:?}\0{expected:?}")
}

/// The least and the greatest number of an attribute whose type has a `bitwidth` from 1 to 64; `None` for other
/// attributes. The range of a type without signedness includes the signed and the unsigned range.
fn int_range(attr: Record<'_>) -> Option<(i128, i128)> {
    let mut base = attr;
    // Wrappers (`ConfinedAttr`, `DefaultValuedAttr` …) are finite, because records cannot refer to themselves.
    while let Ok(inner) = base.def_field("baseAttr") {
        base = inner;
    }
    let ty = base.def_field("valueType").ok()?;
    if !["I", "SI", "UI"].iter().any(|class| ty.is_subclass_of(class)) {
        return None;
    }
    let bits = u32::try_from(ty.int_field("bitwidth").ok()?).ok().filter(|bits| (1..=64).contains(bits))?;
    let signed = (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1);
    let unsigned = (0, (1_i128 << bits) - 1);
    Some(if ty.is_subclass_of("SI") {
        signed
    } else if ty.is_subclass_of("UI") {
        unsigned
    } else {
        (signed.0, unsigned.1)
    })
}

/// The kind and static type of a result. A result of unknown kind is an attribute unless the context expects another
/// kind, because most natives return attributes.
fn result_kind(ty: Ty, expected: Expected) -> (Kind, Ty) {
    let kind = match expected {
        Expected::Kind(kind) => kind,
        Expected::Property(_) => Kind::Attr,
        _ => ty.kind().unwrap_or(Kind::Attr),
    };
    let fits = !ty.is_unknown() && ty.kind() == Some(kind);
    (kind, if fits { ty } else { Ty::of_kind(kind) })
}
