//! Gives the expressions in rules access to pliron's types and attributes.

use drrvm::host::{ApFloat, ApInt};
use drrvm::host::{AttrKind, AttrNameId, AttrSpec, ElementValue, Facets, Signedness, TypeKind, TypeSpec};
use drrvm::host::{NumberedBlocks, number_blocks};
use pliron::attribute::AttrObj;
use pliron::builtin::attributes::{IntegerAttr, StringAttr, TypeAttr, UnitAttr, VecAttr};
use pliron::builtin::types::{IntegerType, Signedness as PlironSign};
use pliron::r#type::TypeHandle;

use crate::host::{AttrId, PlironHost};
use crate::text;

impl PlironHost {
    fn spec_type(&self, spec: &TypeSpec<TypeHandle, AttrId>) -> Option<TypeHandle> {
        match spec {
            TypeSpec::Integer { width, signedness } => {
                let sign = match signedness {
                    Signedness::Signless => PlironSign::Signless,
                    Signedness::Signed => PlironSign::Signed,
                    Signedness::Unsigned => PlironSign::Unsigned,
                };
                text::integer_type(self.context(), *width, sign)
            }
            TypeSpec::Float(format) => text::builtin_type(self.context(), format.name()),
            TypeSpec::Text(text) => text::builtin_type(self.context(), text),
            _ => None,
        }
    }

    fn spec_attr(&self, spec: &AttrSpec<TypeHandle, AttrId>) -> Option<AttrObj> {
        match spec {
            AttrSpec::Integer(value, ty) => text::integer_attr(self.context(), value, *ty),
            AttrSpec::Float(value, ty) => text::float_attr(self.context(), *value, *ty),
            AttrSpec::String(value) => Some(StringAttr::new(value.clone()).into()),
            AttrSpec::Array(items) => {
                let items = items.iter().map(|&item| self.attr_object(item).clone());
                Some(VecAttr::new(items.collect()).into())
            }
            AttrSpec::Type(ty) => Some(TypeAttr::new(*ty).into()),
            AttrSpec::Unit => Some(UnitAttr::new().into()),
            _ => None,
        }
    }
}

impl Facets for PlironHost {
    fn numbered_blocks() -> Option<NumberedBlocks<Self>> {
        Some(number_blocks())
    }
    fn type_kind(&self, ty: TypeHandle) -> TypeKind<TypeHandle> {
        if let Some(format) = text::float_format(self.context(), ty) {
            return TypeKind::Float(format);
        }
        let object = ty.deref(self.context());
        let Some(integer) = object.downcast_ref::<IntegerType>() else { return TypeKind::Dialect };
        let signedness = match integer.signedness() {
            PlironSign::Signless => Signedness::Signless,
            PlironSign::Signed => Signedness::Signed,
            PlironSign::Unsigned => Signedness::Unsigned,
        };
        TypeKind::Integer { width: integer.width(), signedness }
    }
    fn type_text(&self, ty: TypeHandle) -> String {
        text::type_text(self.context(), ty)
    }
    fn attr_kind(&self, attr: AttrId) -> AttrKind {
        let attr = self.attr_object(attr);
        if attr.is::<IntegerAttr>() {
            AttrKind::Integer
        } else if text::float(&attr).is_some() {
            AttrKind::Float
        } else if attr.is::<StringAttr>() {
            AttrKind::String
        } else if attr.is::<TypeAttr>() {
            AttrKind::Type
        } else if attr.is::<UnitAttr>() {
            AttrKind::Unit
        } else if let Some(items) = attr.downcast_ref::<VecAttr>() {
            AttrKind::Array { len: items.0.len() as u64 }
        } else {
            AttrKind::Other
        }
    }
    fn attr_int(&self, attr: AttrId) -> Option<ApInt> {
        text::integer(self.context(), &self.attr_object(attr))
    }
    fn attr_float(&self, attr: AttrId) -> Option<ApFloat> {
        text::float(&self.attr_object(attr))
    }
    fn attr_string(&self, attr: AttrId) -> Option<String> {
        Some(self.attr_object(attr).downcast_ref::<StringAttr>()?.as_str().to_owned())
    }
    fn attr_held_type(&self, attr: AttrId) -> Option<TypeHandle> {
        Some(self.attr_object(attr).downcast_ref::<TypeAttr>()?.clone().into())
    }
    fn attr_element(&self, attr: AttrId, index: u64) -> Option<ElementValue<AttrId>> {
        let index = usize::try_from(index).ok()?;
        let item = self.attr_object(attr).downcast_ref::<VecAttr>()?.0.get(index)?.clone();
        Some(ElementValue::Attr(self.attr_id(&item)))
    }
    fn attr_text(&self, attr: AttrId) -> String {
        text::attr_text(self.context(), &self.attr_object(attr))
    }
    fn find_attr_name(&self, name: &str) -> Option<AttrNameId> {
        self.find_attr_name(name)
    }
    fn find_type(&self, spec: &TypeSpec<TypeHandle, AttrId>) -> Option<TypeHandle> {
        self.spec_type(spec)
    }
    fn find_attr(&self, spec: &AttrSpec<TypeHandle, AttrId>) -> Option<AttrId> {
        Some(self.attr_id(&self.spec_attr(spec)?))
    }
    fn make_type(&mut self, spec: &TypeSpec<TypeHandle, AttrId>) -> Option<TypeHandle> {
        match spec {
            TypeSpec::Text(text) => text::parse_type(self.context_mut(), text),
            _ => self.spec_type(spec),
        }
    }
    fn make_attr(&mut self, spec: &AttrSpec<TypeHandle, AttrId>) -> Option<AttrId> {
        let attr = match spec {
            AttrSpec::Text(text) => text::parse_attr(self.context_mut(), text)?,
            _ => self.spec_attr(spec)?,
        };
        Some(self.attr_id(&attr))
    }
}
