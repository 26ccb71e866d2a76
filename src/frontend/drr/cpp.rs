//! C++ texts of rules as snippets, or as natives where they are none.
//!
//! What is not in the expression language is one native, named by its record; what is, but is wrong,
//! is an error. Constraints are compiled once for each record and type.

use hashbrown::HashMap;

use super::error;
use super::resolve::{self, Classes};
use super::rule::{Session, Try, text, variables};
use crate::frontend::cxx::{self, Failure, Placeholder, Request, Text};
use crate::frontend::ods::{AttrSpec, OpId, Property};
use crate::frontend::tablegen::{Record, RecordId};
use crate::host::Kind;
use crate::pdl::{Callee, Constant};
use crate::snippet::{AttrClass, EnumForm, EnumId, Item, PropertyTy, SnippetId, SnippetResult, Ty};
use crate::source::Span;

pub(super) use cxx::Expected;

/// What has been compiled.
#[derive(Debug, Default)]
pub(super) struct Cpp {
    constraints: HashMap<(RecordId, Ty), (Callee, bool)>,
    conditions: HashMap<RecordId, Text>,
    /// Equal texts with equal parameters are one snippet, so that rules share their questions.
    texts: HashMap<String, SnippetId>,
}

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
        let key = format!("{}\0{params:?}\0{expected:?}", text.as_str());
        if let Some(&snippet) = self.cpp.texts.get(&key) {
            return Ok(snippet);
        }
        let resolver = Classes { defs: self.defs };
        let request = Request { params, expected, resolver: &resolver };
        let snippet = cxx::compile(&mut self.rules.snippets, text, &request)?;
        self.cpp.texts.insert(key, snippet);
        Ok(snippet)
    }

    fn native(&mut self, name: &str) -> Callee {
        Callee::Native(self.rules.strings.intern(name))
    }

    /// A text that holds or does not; `used` is where the rule asks.
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

    /// The predicate of a constraint: a native of the constraint's name replaces it, unless it has none.
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
        // A snippet of its own: others of the same text are not replaced with it.
        let key = format!("{name}\0{}\0{params:?}", text.as_str());
        if let Some(&snippet) = self.cpp.texts.get(&key) {
            return Ok(Callee::Snippet(snippet));
        }
        let callee = self.predicate(text, used, params, name)?;
        let Callee::Snippet(shared) = callee else { return Ok(callee) };
        let snippet = self.rules.snippets.named(shared, name);
        self.cpp.texts.insert(key, snippet);
        Ok(Callee::Snippet(snippet))
    }

    /// The composed predicate of a constraint.
    pub(super) fn condition(&mut self, constraint: RecordId) -> Try<&Text> {
        if !self.cpp.conditions.contains_key(&constraint) {
            let pieces = match self.defs.condition_pieces(constraint) {
                Ok(pieces) => pieces,
                Err(error) => return Err(self.fail(error)),
            };
            let mut text = Text::default();
            for (piece, span) in pieces {
                text.push(&piece, span);
            }
            self.cpp.conditions.insert(constraint, text);
        }
        Ok(&self.cpp.conditions[&constraint])
    }

    /// A constraint on `$_self` of this static type, and whether it is on the operation that has it
    /// as well: `$_op`, or the variable that the generated C++ has for it.
    pub(super) fn constraint(&mut self, constraint: RecordId, ty: Ty, span: Span) -> Try<(Callee, bool)> {
        if let Some(&callee) = self.cpp.constraints.get(&(constraint, ty)) {
            return Ok(callee);
        }
        let condition = self.condition(constraint)?.substituted("$_op", &Text::new("op", Span::NONE));
        let record = self.defs.records.record(constraint);
        let of_owner = variables(condition.as_str()).contains(&"op");
        let mut params = vec![Placeholder::new("$_self", ty)];
        params.extend(of_owner.then(|| Placeholder::new("op", Ty::OP)));
        let callee = self.named_predicate(&condition, span, &params, record, record.name())?;
        self.cpp.constraints.insert((constraint, ty), (callee, of_owner));
        Ok((callee, of_owner))
    }

    /// Whether the predicate of a constraint looks at `$_self` without asking whether it is null.
    pub(super) fn needs_presence(&mut self, constraint: RecordId) -> Try<bool> {
        let condition = self.condition(constraint)?.as_str();
        Ok(condition.contains("$_self") && !condition.contains("!$_self"))
    }

    /// The static type of an attribute of this storage class.
    pub(super) fn attr_ty(&mut self, storage: &str) -> Ty {
        resolve::attr_ty(&mut self.rules.snippets, self.defs, storage)
    }

    /// The static type of an operation.
    pub(super) fn op_ty(&mut self, op: OpId) -> Ty {
        Ty::one(Item::Op(Some(resolve::op_class(&mut self.rules.snippets, self.defs, op))))
    }

    /// The static type that a C++ type names; any attribute if it is not known.
    pub(super) fn interface_ty(&mut self, cxx: &str) -> Ty {
        resolve::cxx_ty(&mut self.rules.snippets, self.defs, cxx).unwrap_or(Ty::ATTR)
    }

    /// The static type that snippets see a property as.
    pub(super) fn property_ty(&mut self, property: &Property<'_>) -> Ty {
        if let Some(record) = property.enumeration
            && let Some(ty) = resolve::enum_ty(&mut self.rules.snippets, self.defs, record)
        {
            return ty;
        }
        self.interface_ty(property.interface)
    }

    /// How an attribute holds a property.
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

    /// How wide the integers are that hold an enumeration's values.
    fn enum_width(&self, id: EnumId) -> u32 {
        let name = self.rules.snippets.str(self.rules.snippets.enumeration(id).cxx_name);
        self.defs.enum_class(name).map_or(32, |item| item.width)
    }

    /// The static type of what a `ConstantAttr` or enum case is.
    pub(super) fn constant_ty(&mut self, record: Record<'_>) -> Ty {
        let attr = record.def_field("attr").unwrap_or(record);
        self.attr_ty(text(attr, "storageType"))
    }

    /// A test whether an attribute is of this storage class; none if every attribute is, or the class
    /// is not known.
    pub(super) fn storage_test(&mut self, storage: &str, span: Span) -> Option<SnippetId> {
        if self.attr_ty(storage) == Ty::ATTR {
            return None;
        }
        let text = format!("::llvm::isa<{storage}>($_self)");
        self.compile(&text, span, &[Placeholder::new("$_self", Ty::ATTR)], Expected::Predicate).ok()
    }

    /// A text without parameters as a constant.
    pub(super) fn constant_of(&mut self, text: &str, expected: Expected, span: Span) -> Try<Constant> {
        match self.compile(text, span, &[], expected) {
            Ok(snippet) => Ok(Constant::Snippet(snippet)),
            Err(Failure::Outside(error) | Failure::Wrong(error)) => Err(self.fail(error)),
        }
    }

    /// The attribute that the builder of an `Attr` makes of a C++ value.
    pub(super) fn attr_constant(&mut self, spec: &AttrSpec<'_>, value: &str, span: Span) -> Try<Constant> {
        let text = spec.builder.replace("$0", value);
        self.constant_of(&text, Expected::Kind(Kind::Attr), span)
    }

    /// What a `ConstantAttr` or an enum case is; none if it cannot be made from a constant.
    pub(super) fn constant_attr(&mut self, record: Record<'_>, span: Span) -> Try<Option<Constant>> {
        let (attr, value) = match record.def_field("attr") {
            Ok(attr) => (attr, text(record, "value").to_owned()),
            Err(_) => (record, record.int_field("value").unwrap_or(0).to_string()),
        };
        let spec = crate::frontend::ods::attr_spec(attr);
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

    /// The attribute that holds a property of this C++ value.
    pub(super) fn property_constant(
        &mut self,
        property: &Property<'_>,
        value: &str,
        span: Span,
    ) -> Try<Constant> {
        let form = self.property_form(property);
        self.constant_of(value, Expected::Property(form), span)
    }

    /// A text that a rewrite evaluates: what is called, and what it gives.
    pub(super) fn rewrite_call(
        &mut self,
        text: &str,
        span: Span,
        params: &[Placeholder],
        wanted: Expected,
        name: &str,
    ) -> Try<(Callee, Vec<(Kind, Ty)>)> {
        match self.compile(text, span, params, wanted) {
            Ok(snippet) => {
                let results = match self.rules.snippets.get(snippet).result {
                    SnippetResult::Value(ty) => vec![result_kind(ty, wanted)],
                    SnippetResult::Many(count) => vec![(Kind::Value, Ty::VALUE); count as usize],
                    SnippetResult::Nothing => Vec::new(),
                    SnippetResult::Predicate => vec![(Kind::Bool, Ty::BOOL)],
                };
                Ok((Callee::Snippet(snippet), results))
            }
            Err(Failure::Outside(_)) if !name.is_empty() => {
                let results = match wanted {
                    Expected::Nothing => Vec::new(),
                    Expected::Many(count) => vec![(Kind::Value, Ty::VALUE); count as usize],
                    Expected::Predicate => vec![(Kind::Bool, Ty::BOOL)],
                    Expected::Any | Expected::Kind(_) | Expected::Property(_) => {
                        vec![result_kind(Ty::UNKNOWN, wanted)]
                    }
                };
                Ok((self.native(name), results))
            }
            Err(Failure::Outside(error) | Failure::Wrong(error)) => Err(self.fail(error)),
        }
    }
}

/// The least and the greatest number that an integer attribute can hold; none if it is no such. Signless ones
/// hold those of both signs.
fn int_range(attr: Record<'_>) -> Option<(i128, i128)> {
    let mut base = attr;
    // Wrappers (`ConfinedAttr`, `DefaultValuedAttr` …) are finite, since records cannot refer to themselves.
    while let Ok(inner) = base.def_field("baseAttr") {
        base = inner;
    }
    let ty = base.def_field("valueType").ok()?;
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

/// What one result is to natives and to snippets. A native's result of unknown kind that nothing
/// asks for by kind is taken for an attribute: that is what nearly all helpers make for each other.
fn result_kind(ty: Ty, wanted: Expected) -> (Kind, Ty) {
    let kind = match wanted {
        Expected::Kind(kind) => kind,
        Expected::Property(_) => Kind::Attr,
        _ => ty.kind().unwrap_or(Kind::Attr),
    };
    let known = !ty.is_unknown() && ty.kind() == Some(kind);
    (kind, if known { ty } else { Ty::of_kind(kind) })
}
