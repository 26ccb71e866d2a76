//! Names of symbols, types of values with their encodings, and the types and initial values of globals.

use super::super::error::wrong_arguments;
use super::super::lists::string_of;
use super::super::signature::text_of;
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::TypeId;
use crate::string_literal::quote;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("SymbolAlias", Alias);
    forms.add_directive("TypeAlias", TypeAlias);
    forms.add_directive("TypeOrAttr", TypeOrAttr);
}

/// `@symbol`, or `@symbol as("name")` for another name.
#[derive(Debug)]
struct Alias;

impl CustomDirective for Alias {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [name_arg, symbol_arg] = args else {
            return Err(wrong_arguments(reader, "SymbolAlias", "two arguments", args));
        };
        let Some(symbol) = reader.optional_symbol() else { return Err(reader.expected("a symbol name")) };
        let mut name = symbol.clone();
        if reader.optional_literal("as") {
            reader.literal("(")?;
            let attr = reader.attribute(None)?;
            name = string_of(reader, attr)
                .ok_or_else(|| reader.fail("the name of the symbol must be a string"))?;
            reader.literal(")")?;
        }
        let name = reader.string_attr(&name);
        reader.put_attribute(name_arg, name);
        let symbol = reader.attr_of_text(&format!("@{}", quote(&symbol)))?;
        reader.put_attribute(symbol_arg, symbol);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [name_arg, symbol_arg] = args else { return None };
        let name = text_of(printer, printer.attribute_of(name_arg)?)?;
        let symbol = printer.attribute_of(symbol_arg)?;
        let AttrKind::SymbolRef { root, nested } = printer.attr_kind(symbol) else { return None };
        let is_same = printer.str(*root) == name;
        if !nested.is_empty() {
            return None;
        }
        printer.attribute(symbol);
        if !is_same {
            printer.text(" as(");
            printer.string(&name);
            printer.text(")");
        }
        Some(())
    }
}

/// `t`, or `t as u` if the attribute holds the type `t` and the value has the type `u`.
#[derive(Debug)]
struct TypeAlias;

impl CustomDirective for TypeAlias {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [encoding_arg, type_arg] = args else {
            return Err(wrong_arguments(reader, "TypeAlias", "two arguments", args));
        };
        let encoding = reader.ty()?;
        let ty = if reader.optional_literal("as") { reader.ty()? } else { encoding };
        let encoding = reader.intern_attr(AttrKind::Type(encoding));
        reader.put_attribute(encoding_arg, encoding);
        reader.put_types(type_arg, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [encoding_arg, type_arg] = args else { return None };
        let AttrKind::Type(encoding) = *printer.attr_kind(printer.attribute_of(encoding_arg)?) else {
            return None;
        };
        let [ty] = *printer.types_of(type_arg).as_slice() else { return None };
        printer.ty(encoding);
        if encoding != ty {
            printer.text(" as ");
            printer.ty(ty);
        }
        Some(())
    }
}

/// `: t` without a value, `= value` if the value has the type `t`, or `: t = value` if it has no type or a type other
/// than `t`.
#[derive(Debug)]
struct TypeOrAttr;

impl CustomDirective for TypeOrAttr {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [type_arg, value_arg] = args else {
            return Err(wrong_arguments(reader, "TypeOrAttr", "two arguments", args));
        };
        let mut ty: Option<TypeId> = None;
        if reader.optional_literal(":") {
            ty = Some(reader.ty()?);
        }
        if reader.optional_literal("=") {
            let value = reader.attribute(None)?;
            reader.put_attribute(value_arg, value);
            ty = ty.or_else(|| reader.type_of_attr(value));
        }
        let Some(ty) = ty else {
            return Err(reader.expected("':' and a type, or '=' and a value with its type"));
        };
        let ty = reader.intern_attr(AttrKind::Type(ty));
        reader.put_attribute(type_arg, ty);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [type_arg, value_arg] = args else { return None };
        let AttrKind::Type(ty) = *printer.attr_kind(printer.attribute_of(type_arg)?) else { return None };
        let value = printer.attribute_of(value_arg);
        let has_type = value.is_some_and(|value| printer.type_of_attr(value) == Some(ty));
        if !has_type {
            printer.text(": ");
            printer.ty(ty);
        }
        if let Some(value) = value {
            printer.text(if has_type { "= " } else { " = " });
            printer.attribute(value);
        }
        Some(())
    }
}
