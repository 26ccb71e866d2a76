//! Enumerations, types without parameters, and the attributes that represent properties.

use super::builder::{Builder, Checked, Typed};
use super::error::TypeError;
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, ClassId, ClassKind, EnumId, Expr, Form, IntTy, Item, ObjectClass, Ty,
    TypeClass,
};

/// The C++ type of a property, and its representation in an attribute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyTy {
    /// The C++ type.
    pub ty: Ty,
    /// The representation of values of an enumeration.
    pub enumeration: EnumForm,
}

/// The attribute that represents a value of an enumeration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EnumForm {
    /// A signless integer attribute of this width.
    Integer(u32),
    /// An attribute of this class.
    Attr(ClassId),
}

impl From<Ty> for PropertyTy {
    fn from(ty: Ty) -> Self {
        Self { ty, enumeration: EnumForm::Integer(32) }
    }
}

impl Builder<'_> {
    /// Builds the type of a class whose types have no parameters.
    pub(crate) fn type_of_class(&mut self, class: TypeClass) -> Checked {
        let op = match class {
            TypeClass::Index => Builtin::Index,
            TypeClass::None => Builtin::NoneType,
            TypeClass::FloatOf(format) => {
                let text = self.str(format.name())?;
                return self.builtin(Builtin::TypeByClass, &[text], Ty::ty(class));
            }
            TypeClass::Named(id) => {
                let ClassKind::Type(text) = self.snippets.classes[id].kind else {
                    return Err(TypeError::needs_parameters(&self.show_class(ObjectClass::Type(class))));
                };
                let text = self.add(Expr::Str(text), Ty::STR)?;
                return self.builtin(Builtin::TypeByClass, &[text], Ty::ty(class));
            }
            _ => return Err(TypeError::needs_parameters(&class.cxx_name())),
        };
        self.builtin(op, &[], Ty::ty(class))
    }

    /// Builds an attribute of a class whose attributes hold a value of an enumeration. Returns `None` for another
    /// class, or if the number of arguments is wrong.
    pub(crate) fn enum_attr(&mut self, class: ClassId, args: &[Typed]) -> Option<Checked> {
        let item = Item::Attr(AttrClass::Named(class));
        let id = self.enum_of(item)?;
        let value = match args {
            [value] => *value,
            [context, value] if matches!(context.ty.item, Item::Context | Item::Builder) => *value,
            _ => return None,
        };
        if value.ty.item != Item::Enum(id) && !value.ty.is_unknown() {
            let error = TypeError::convert(&self.show(value.ty), &self.show(Ty::one(Item::Enum(id))));
            return Some(Err(error));
        }
        let class = match self.snippets.classes[class].kind {
            ClassKind::EnumAttr(prefix, _) => self.add(Expr::Str(prefix), Ty::STR),
            ClassKind::IntEnumAttr(width, _) => self.int(i128::from(width), IntTy::U32),
            _ => return None,
        };
        Some(class.and_then(|class| self.make_enum_attr(id, class, value, Ty::one(item))))
    }

    /// Builds `stringify` of a value of an enumeration.
    ///
    /// # Errors
    /// The snippet grows past its bound.
    pub(crate) fn enum_text(&mut self, id: EnumId, value: Typed) -> Checked {
        let cases = self.cases(id)?;
        self.builtin(Builtin::EnumText, &[value, cases], Ty::STR)
    }

    /// Builds `symbolize`: an optional with the value that a text or a number stands for.
    ///
    /// # Errors
    /// The argument is neither a text nor a number, or the snippet grows past its bound.
    pub(crate) fn enum_value(&mut self, id: EnumId, of: Typed) -> Checked {
        let text = matches!(of.ty.item, Item::Str | Item::Attr(AttrClass::String));
        let of = self.convert(of, if text { Ty::STR } else { Ty::U64 })?;
        let cases = self.cases(id)?;
        let op = if text { Builtin::EnumOfText } else { Builtin::EnumOfNumber };
        self.builtin(op, &[of, cases], Ty::optional(Item::Enum(id)))
    }

    /// Builds `bitEnumContainsAll` if `all` is true, and `bitEnumContainsAny` otherwise.
    ///
    /// # Errors
    /// The arguments belong to different enumerations.
    pub(crate) fn enum_contains(&mut self, value: Typed, bits: Typed, all: bool) -> Checked {
        let common = self.binary(BinaryOp::And, value, bits)?;
        if all {
            return self.binary(BinaryOp::Eq, common, bits);
        }
        let none = self.add(Expr::Int(0), value.ty)?;
        self.binary(BinaryOp::Ne, common, none)
    }

    /// Builds `bitEnumSet` if `set` is true, and `bitEnumClear` otherwise.
    ///
    /// # Errors
    /// The arguments belong to different enumerations.
    pub(crate) fn enum_with(&mut self, value: Typed, bits: Typed, set: bool) -> Checked {
        let all = self.binary(BinaryOp::Or, value, bits)?;
        if set { Ok(all) } else { self.binary(BinaryOp::Xor, all, bits) }
    }

    /// Builds the greatest value of an enumeration, or the set of all its bits if values are sets of bits.
    ///
    /// # Errors
    /// The snippet grows past its bound.
    pub(crate) fn enum_max(&mut self, id: EnumId) -> Checked {
        let definition = &self.snippets.enums[id];
        let values = definition.cases.iter().map(|case| case.value);
        let max = match definition.bit_separator {
            Some(_) => values.fold(0, |all, value| all | value),
            None => values.max().unwrap_or(0),
        };
        self.int(i128::from(max), IntTy::U32)
    }

    /// Builds the enumeration itself, which is the last argument of a built-in.
    fn cases(&mut self, id: EnumId) -> Checked {
        self.add(Expr::Enum(id), Ty::one(Item::Enum(id)))
    }

    /// Builds the attribute that represents a property.
    ///
    /// # Errors
    /// The expression does not have the type of the property, or no attribute represents that type.
    pub(crate) fn property_attr(&mut self, e: Typed, property: PropertyTy) -> Checked {
        if matches!(e.ty.item, Item::Attr(_)) {
            return Ok(e);
        }
        let e = self.convert(e, property.ty)?;
        let item = property.ty.item;
        let one = PropertyTy { ty: Ty::one(item), ..property };
        match (property.ty.form, item) {
            (_, Item::Attr(_)) => Ok(e),
            // An array with at most one element represents an optional.
            (Form::Optional, _) => {
                let local = self.new_local(property.ty)?;
                let held = self.local(local)?;
                let value = self.deref(held)?;
                let value = self.property_attr(value, one)?;
                let some = self.list(&[value])?;
                let none = self.list(&[])?;
                let held = self.select(held, some, none)?;
                let held = self.add(Expr::ToAttr(held.id, Item::Unknown), Ty::ATTR)?;
                self.bind(local, e, held)
            }
            (Form::Range, Item::Enum(_)) => {
                let local = self.new_local(one.ty)?;
                let value = self.local(local)?;
                let value = self.property_attr(value, one)?;
                let each = self.lambda(&[local], value)?;
                let all = self.builtin(Builtin::MapRange, &[e, each], Ty::range(value.ty.item))?;
                self.add(Expr::ToAttr(all.id, Item::Unknown), Ty::ATTR)
            }
            (_, Item::Enum(id)) => match property.enumeration {
                EnumForm::Integer(width) => {
                    let class = self.int(i128::from(width), IntTy::U32)?;
                    self.make_enum_attr(id, class, e, Ty::attr(AttrClass::Integer))
                }
                EnumForm::Attr(class) => {
                    let attr = self.enum_attr(class, &[e]);
                    attr.unwrap_or_else(|| Err(TypeError::no_attribute(&self.show(e.ty))))
                }
            },
            (_, Item::Int(_) | Item::Bool | Item::Double | Item::Str | Item::Unknown) => {
                self.add(Expr::ToAttr(e.id, item), Ty::ATTR)
            }
            _ => Err(TypeError::no_attribute(&self.show(property.ty))),
        }
    }

    fn make_enum_attr(&mut self, id: EnumId, class: Typed, value: Typed, ty: Ty) -> Checked {
        let cases = self.cases(id)?;
        self.builtin(Builtin::EnumAttr, &[class, value, cases], ty)
    }
}
