//! The table of the definitions and forms that a context knows.

use std::sync::Arc;

use hashbrown::HashMap;

use super::dialect::{DialectSource, Element, Forms, GroupSizes, OpSyntax, TypeEvaluator};
use super::ids::{AttrId, TypeId};
use crate::host::AttrNameId;
use crate::intern::StrId;
use crate::snippet::Snippets;
use crate::source::Diagnostic;

/// The definitions that a context knows.
#[derive(Clone, Debug, Default)]
pub(super) struct DialectTable {
    pub(super) source: Option<Arc<dyn DialectSource>>,
    /// For each dialect that was looked up, true if it has definitions, or the error in its definitions.
    pub(super) known: HashMap<String, Result<bool, Diagnostic>>,
    /// The formats of attributes and types.
    pub(super) bodies: Vec<Arc<Snippets>>,
    /// The constraints of operations, in the encoding of `ods_verify`.
    pub(super) constraints: Vec<Arc<[u8]>>,
    /// The alias name of the attributes of each class. The keys are classes without sigil, `dialect.name`.
    pub(super) attributes: HashMap<String, Option<String>>,
    /// The alias name of the types of each class. The keys are classes without sigil, `dialect.name`.
    pub(super) types: HashMap<String, Option<String>>,
    /// The syntax of each operation name, if it is known.
    pub(super) ops: Vec<Option<Arc<BoundSyntax>>>,
    pub(super) forms: Arc<Forms>,
}

/// The syntax of an operation, and the context's ids for the names, types and defaults in this syntax.
#[derive(Debug)]
pub(super) struct BoundSyntax {
    pub(super) syntax: OpSyntax,
    /// True if the operation has a declared format of which no part needs C++ code.
    pub(super) is_declarative: bool,
    /// The name of each attribute.
    pub(super) attribute_names: Vec<AttrNameId>,
    /// The name of each property.
    pub(super) property_names: Vec<AttrNameId>,
    /// The fixed type of each group of operands, if it is a builtin type.
    pub(super) operand_types: Vec<Option<TypeId>>,
    /// The fixed type of each group of results, if it is a builtin type.
    pub(super) result_types: Vec<Option<TypeId>>,
    /// For each attribute, the type that its text omits or, if the text is a list, the type of the elements; `None` if
    /// this type is not a builtin type.
    pub(super) attribute_types: Vec<Option<TypeId>>,
    /// The names of the attributes that store the sizes of the operand groups and of the result groups.
    pub(super) segments: [AttrNameId; 2],
    /// The attributes that a printed dictionary always omits, because other elements of the format contain or determine
    /// them.
    pub(super) elided: Vec<AttrNameId>,
    /// Attributes that the reader infers. They are printed in a `prop-dict`, but not in an `attr-dict`.
    pub(super) inferred: Vec<AttrNameId>,
    /// The default of each attribute, if it is known.
    pub(super) attribute_defaults: Vec<Option<AttrId>>,
    /// The default of each property, if it is known.
    pub(super) property_defaults: Vec<Option<AttrId>>,
    /// The value that each property has if the text omits the property; `None` if this value is unknown.
    pub(super) initial_properties: Vec<Option<AttrId>>,
    /// The attributes and properties that are never absent, with their defaults.
    pub(super) filled: Vec<(AttrNameId, AttrId)>,
    /// The evaluator of the functions that compute types.
    pub(super) evaluator: Arc<dyn TypeEvaluator>,
}

/// The source of the type of a dialect's attribute, which `TypedAttr::getType` returns in MLIR.
pub(super) enum AttrTypeSource {
    /// The type is written after the attribute. An attribute without a written type has the default type. The field is
    /// the text of the default type; `None` if only C++ code computes this type.
    After(Option<String>),
    /// The type is the parameter with this index of the class that these snippets declare.
    Param(Arc<Snippets>, StrId, usize),
    /// Only C++ code computes the type.
    Cxx,
    /// The class is not derived from `TypedAttr`, so its attributes have no type.
    Untyped,
    /// The class has no definition that drrvm reads, so a type can be written after the attribute.
    Unknown,
}

impl BoundSyntax {
    /// The inherent attributes that a list of properties can contain, because no other element of the format contains
    /// or determines them. Each name is returned with the element that reads and prints the attribute; the sizes of
    /// groups have no element.
    pub(super) fn listed(&self) -> impl Iterator<Item = (AttrNameId, Option<Element>)> {
        let attributes = self.attribute_names.iter().enumerate();
        let attributes =
            attributes.map(|(index, &name)| (name, Element::Attribute { index, qualified: false }));
        let properties = self.property_names.iter().enumerate();
        let properties = properties.map(|(index, &name)| (name, Element::Property(index)));
        let elements = attributes.chain(properties).map(|(name, element)| (name, Some(element)));
        let sizes = self.segments.into_iter().zip([self.syntax.operand_sizes, self.syntax.result_sizes]);
        let sizes = sizes.filter(|(_, sizes)| *sizes == GroupSizes::Attribute).map(|(name, _)| (name, None));
        elements.chain(sizes).filter(|(name, _)| !self.elided.contains(name))
    }
}

impl DialectTable {
    /// A table with these forms and without dialects.
    pub(super) fn new(forms: Arc<Forms>) -> Self {
        Self { forms, ..Self::default() }
    }
}

/// The dialects that every context has.
pub(super) const CORE: [&str; 4] = ["arith", "builtin", "cf", "func"];

/// The dialect in the name of an operation.
pub(super) fn dialect_of(op: &str) -> &str {
    op.split_once('.').map_or("", |(dialect, _)| dialect)
}
