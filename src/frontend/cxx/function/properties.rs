//! The properties of an operation in the functions that infer its result types.
//!
//! In C++, `OpaqueProperties` is a pointer without a type, which is null if the operation has no properties. Here, it
//! is a tuple of two fields: the adaptor of the operation, which also reads the properties, and a `bool` that is true
//! if the operation has properties.

use crate::frontend::cxx::ast::{NodeId, TypeName};
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::lower::{Lower, Lowered};
use crate::frontend::cxx::resolve::{InlineBody, InlineResult};
use crate::snippet::{CONVERSION_TO_BOOL, Form, Item, Ty, Typed};

/// The suffix of the class name of an adaptor.
const ADAPTOR: &str = "::Adaptor";
const OPAQUE: &str = "OpaqueProperties";
/// The accessor of an adaptor for the properties.
const PROPERTIES: &str = "getProperties";

impl Lower<'_, '_> {
    /// The type `OpaqueProperties` in the class of the operation with this adaptor.
    pub(in crate::frontend::cxx) fn opaque_properties(&mut self, adaptor: Ty) -> Ty {
        let fields = [("adaptor", adaptor), (CONVERSION_TO_BOOL, Ty::BOOL)];
        Ty::one(Item::Tuple(self.b.snippets().tuple(Some(OPAQUE), &fields)))
    }

    /// The object of `OpaqueProperties` for the operation with this adaptor.
    pub(super) fn opaque_properties_of(&mut self, node: NodeId, adaptor: Typed) -> Lowered {
        let Item::Tuple(opaque) = self.opaque_properties(adaptor.ty).item else { return Ok(adaptor) };
        self.build(node, |b| {
            let is_present = match b.field(adaptor, PROPERTIES) {
                Some(properties) => b.truth(properties?)?,
                None => b.bool(false)?,
            };
            b.tuple(opaque, &[adaptor, is_present])
        })
    }

    /// The adaptor in an object of `OpaqueProperties`. Returns any other value unchanged.
    pub(in crate::frontend::cxx) fn adaptor_in(&mut self, node: NodeId, of: Typed) -> Lowered {
        if self.is_opaque(of.ty) { self.build(node, |b| b.field_at(of, 0)) } else { Ok(of) }
    }

    fn is_opaque(&self, ty: Ty) -> bool {
        self.in_function && self.is_tuple_named(ty, |name| name == OPAQUE)
    }

    fn is_tuple_named(&self, ty: Ty, is_name: impl Fn(&str) -> bool) -> bool {
        match ty {
            Ty { item: Item::Tuple(id), .. } => self.b.tuple_name(id).is_some_and(|name| is_name(&name)),
            _ => false,
        }
    }

    /// Lowers `properties.as<XOp::Properties *>()`, and the generated accessors of a class of properties. Returns `None`
    /// for another method.
    pub(in crate::frontend::cxx) fn properties_method(
        &mut self,
        node: NodeId,
        on: Typed,
        name: &str,
        template: &[TypeName],
    ) -> Result<Option<Typed>, Fault> {
        if let ("as", [class]) = (name, template)
            && self.is_opaque(on.ty)
        {
            let to = self.static_type(class);
            let adaptor = self.adaptor_in(node, on)?;
            let Some(properties) = self.b.field(adaptor, PROPERTIES) else { return Ok(None) };
            let properties = self.at_node(node, properties)?;
            return Ok(Some(properties).filter(|properties| Some(properties.ty) == to));
        }
        if let Some(accessor) = name.strip_prefix("get")
            && self.is_tuple_named(on.ty, |name| name.ends_with("::Properties"))
        {
            // The accessor of `my_kind` is `getMyKind`.
            let is_read = |field: &str| field.replace('_', "").eq_ignore_ascii_case(accessor);
            if let Some(field) = self.b.find_field(on.ty, is_read) {
                return self.field_of(node, on, field).map(Some);
            }
        }
        Ok(None)
    }

    /// Lowers `adaptor.verify(location)`, which checks the attributes. Returns `None` if the value is not an adaptor or
    /// if a check is outside the language.
    pub(in crate::frontend::cxx) fn verify_adaptor(
        &mut self,
        node: NodeId,
        on: Typed,
    ) -> Result<Option<Typed>, Fault> {
        let Ty { item: Item::Tuple(id), form: Form::One } = on.ty else { return Ok(None) };
        let name = self.b.tuple_name(id).unwrap_or_default();
        let checks = name.strip_suffix(ADAPTOR).and_then(|class| self.request.resolver.adaptor_checks(class));
        let Some(checks) = checks else { return Ok(None) };
        let mut fits = self.build(node, |b| b.bool(true))?;
        for check in checks.iter().rev() {
            let Some(attribute) = self.b.field(on, &check.accessor) else { return Ok(None) };
            let attribute = Typed { ty: Ty::ATTR, ..self.at_node(node, attribute)? };
            let params = vec!["$_self".to_owned()];
            let results = vec![InlineResult::One(check.condition.clone())];
            let condition = InlineBody { params, variables: Vec::new(), results };
            let Some(holds) = self.inline_value(node, &condition, &[attribute])? else { return Ok(None) };
            fits = self.build(node, |b| {
                let if_absent = b.bool(!check.required)?;
                let holds = b.truth(holds)?;
                let is_valid = b.select(attribute, holds, if_absent)?;
                b.and(is_valid, fits)
            })?;
        }
        self.library_function(node, "success", &[fits]).map(Some)
    }
}
