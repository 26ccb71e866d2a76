//! The variables and recipes of OpenACC's operations.

use super::error::wrong_arguments;
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::TypeId;
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("Var", Variable { words: ["varPtr", "var"], typed: false });
    forms.add_directive("AccVar", Variable { words: ["accPtr", "accVar"], typed: true });
    forms.add_directive("VarPtrType", VarPtrType);
    forms.add_directive("RecipeSym", RecipeSym);
}

/// The element type of a pointer-like type: `None` for other types, and `Some(None)` for opaque pointers.
fn pointee(kind: &TypeKind, text: &str) -> Option<Option<TypeId>> {
    match kind {
        TypeKind::MemRef { element, .. } | TypeKind::UnrankedMemRef { element, .. } => Some(Some(*element)),
        TypeKind::Dialect(_) if text.starts_with("!llvm.ptr") => Some(None),
        _ => None,
    }
}

/// `varPtr(%v`, without the type and the closing bracket, or `accPtr(%v : t)`.
#[derive(Debug)]
struct Variable {
    /// The words for pointers and for other values.
    words: [&'static str; 2],
    typed: bool,
}

impl CustomDirective for Variable {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some(variable) = args.first() else {
            return Err(reader.fail(&format!("the directive for '{}' takes an argument", self.words[1])));
        };
        if !reader.optional_literal(self.words[0]) {
            reader.literal(self.words[1])?;
        }
        reader.literal("(")?;
        let operand = reader.operand()?;
        reader.put_operands(variable, &[operand]);
        if self.typed {
            reader.literal(":")?;
            let ty = reader.ty()?;
            reader.put_types(variable, &[ty]);
            reader.literal(")")?;
        }
        Ok(())
    }

    fn read_optional(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<bool> {
        let starts = self.words.iter().any(|word| reader.is_literal(word));
        if starts {
            self.read(reader, args)?;
        }
        Ok(starts)
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [value] = *printer.group(args.first()?).as_slice() else { return None };
        let ty = printer.value_type(value);
        let is_pointer = pointee(printer.type_kind(ty), &printer.type_text(ty)).is_some();
        printer.text(self.words[usize::from(!is_pointer)]);
        printer.text("(");
        printer.value(value);
        if self.typed {
            printer.text(" : ");
            printer.ty(ty);
            printer.text(")");
        }
        Some(())
    }
}

/// `t)`, and `varType(u)` if `u` is not the element type of `t`.
#[derive(Debug)]
struct VarPtrType;

impl CustomDirective for VarPtrType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [variable, written] = args else {
            return Err(wrong_arguments(reader, "VarPtrType", "two arguments", args));
        };
        let ty = reader.ty()?;
        reader.literal(")")?;
        reader.put_types(variable, &[ty]);
        let inner = if reader.optional_literal("varType") {
            reader.literal("(")?;
            let inner = reader.ty()?;
            reader.literal(")")?;
            Some(inner)
        } else {
            pointee(reader.type_kind(ty), &reader.type_text(ty)).unwrap_or(Some(ty))
        };
        let Some(inner) = inner else { return Err(reader.expected("'varType' after an opaque pointer")) };
        let inner = reader.intern_attr(AttrKind::Type(inner));
        reader.put_attribute(written, inner);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [variable, written] = args else { return None };
        let [ty] = *printer.types_of(variable).as_slice() else { return None };
        let AttrKind::Type(inner) = *printer.attr_kind(printer.attribute_of(written)?) else { return None };
        printer.ty(ty);
        printer.text(")");
        if pointee(printer.type_kind(ty), &printer.type_text(ty)).unwrap_or(Some(ty)) != Some(inner) {
            printer.text(" varType(");
            printer.ty(inner);
            printer.text(")");
        }
        Some(())
    }
}

/// `@recipe`
#[derive(Debug)]
struct RecipeSym;

impl CustomDirective for RecipeSym {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [recipe] = args else { return Err(wrong_arguments(reader, "RecipeSym", "one argument", args)) };
        let symbol = reader.attribute(None)?;
        reader.put_attribute(recipe, symbol);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let symbol = printer.attribute_of(args.first()?)?;
        printer.attribute(symbol);
        Some(())
    }
}
