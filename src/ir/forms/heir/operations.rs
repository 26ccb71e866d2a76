//! Operations that only C++ code reads and prints.

use super::super::lists::{enclosed, types};
use super::super::signature::{dictionaries, has_no_entries};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::{AttrId, TypeId};
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("mod_arith.constant", ModularConstant);
    forms.add_form("polynomial.constant", PolynomialConstant);
    forms.add_form("secret.generic", Generic);
}

/// `(%a: t {…}, …) attrs = {…} {…} -> t`
#[derive(Debug)]
struct Generic;

/// The attributes that store the dictionaries of operands and of results.
const ATTRIBUTES: [&str; 2] = ["__argattrs", "__resattrs"];

/// Sets an attribute to a list of dictionaries, unless all are empty.
fn set_dictionaries(reader: &mut dyn FormReader, name: &str, dictionaries: Vec<AttrId>) {
    if dictionaries.iter().any(|&dictionary| dictionary != Context::EMPTY_DICTIONARY) {
        let all = reader.intern_attr(AttrKind::Array(dictionaries.into()));
        reader.set_discardable(name, all);
    }
}

/// The dictionaries in an attribute, one for each value, or an empty list if there is no such attribute. Returns `None`
/// if the custom form cannot express the attribute: all dictionaries are empty, or the attribute is not an array with
/// one dictionary for each value.
fn stated_dictionaries(printer: &dyn FormPrinter, name: &str, count: usize) -> Option<Vec<AttrId>> {
    match printer.get(name) {
        Some(attr) if has_no_entries(printer, attr) => None,
        Some(attr) => dictionaries(printer, Some(attr), count),
        None => Some(Vec::new()),
    }
}

/// Prints the dictionary of a value. An empty dictionary is printed if another value has a dictionary with entries,
/// because HEIR counts the dictionaries in the text.
fn print_dictionary(printer: &mut dyn FormPrinter, dictionary: Option<&AttrId>) {
    match dictionary {
        Some(&Context::EMPTY_DICTIONARY) => printer.text(" {}"),
        Some(&dictionary) => printer.optional_dictionary(dictionary),
        None => {}
    }
}

fn type_with_dictionary(reader: &mut dyn FormReader) -> FormResult<(TypeId, AttrId)> {
    let ty = reader.ty()?;
    Ok((ty, reader.optional_dictionary()?.unwrap_or(Context::EMPTY_DICTIONARY)))
}

impl CustomForm for Generic {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let inputs = enclosed(reader, ("(", ")"), |r| {
            let operand = r.operand()?;
            r.literal(":")?;
            let (ty, attrs) = type_with_dictionary(r)?;
            Ok((operand, (ty, attrs)))
        })?;
        let (operands, typed): (Vec<_>, Vec<_>) = inputs.into_iter().unzip();
        let (types, attrs): (Vec<_>, Vec<_>) = typed.into_iter().unzip();
        reader.add_operands(&operands, &types)?;
        set_dictionaries(reader, ATTRIBUTES[0], attrs);
        if reader.optional_literal("attrs") {
            reader.literal("=")?;
            reader.attr_dict(false)?;
        }
        let body = reader.region(&[])?;
        reader.add_region(body);
        if reader.optional_literal("->") {
            let (types, attrs): (Vec<_>, Vec<_>) = if reader.is_literal("(") {
                enclosed(reader, ("(", ")"), type_with_dictionary)?.into_iter().unzip()
            } else {
                (vec![reader.ty()?], vec![Context::EMPTY_DICTIONARY])
            };
            reader.add_results(&types);
            set_dictionaries(reader, ATTRIBUTES[1], attrs);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [body] = *printer.regions().as_slice() else { return None };
        let (operands, results) = (printer.operands(), types(printer, &printer.results()));
        let operand_attrs = stated_dictionaries(printer, ATTRIBUTES[0], operands.len())?;
        let result_attrs = stated_dictionaries(printer, ATTRIBUTES[1], results.len())?;
        printer.text("(");
        for (i, &operand) in operands.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.value(operand);
            printer.text(": ");
            printer.ty(printer.value_type(operand));
            print_dictionary(printer, operand_attrs.get(i));
        }
        printer.text(")");
        if printer.has_attributes_but(&ATTRIBUTES) {
            printer.text(" attrs =");
            printer.attr_dict(false, &ATTRIBUTES);
        }
        printer.text(" ");
        printer.region(body, true, true);
        if result_attrs.is_empty() {
            printer.arrow_types(&results);
            return Some(());
        }
        printer.text(" -> (");
        for (i, &ty) in results.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.ty(ty);
            print_dictionary(printer, result_attrs.get(i));
        }
        printer.text(")");
        Some(())
    }
}

/// `12 : t` or `dense<[1, 2]> : t`, where `t` is a modular integer or a tensor of modular integers
#[derive(Debug)]
struct ModularConstant;

/// The text of the type of the modulus in `!mod_arith.int<17 : i32>`.
fn modulus_type(text: &str) -> Option<&str> {
    let (_, ty) = text.strip_prefix("!mod_arith.int<")?.strip_suffix('>')?.split_once(" : ")?;
    Some(ty)
}

/// Reads an integer whose type is not known yet, and drops it.
fn skip_integer(reader: &mut dyn FormReader) -> FormResult<()> {
    let start = reader.mark();
    let wide = reader.type_of_text("i4096")?;
    match reader.attribute(Some(wide)) {
        Ok(value) if reader.type_of_attr(value) == Some(wide) => Ok(()),
        _ => {
            reader.return_to(start);
            Err(reader.expected("an integer"))
        }
    }
}

impl CustomForm for ModularConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        // The type after the value determines the type of the value.
        let start = reader.mark();
        let mut shape = None;
        if reader.optional_literal("dense") {
            reader.literal("<")?;
            let items = enclosed(reader, ("[", "]"), skip_integer)?;
            reader.literal(">")?;
            shape = Some([i64::try_from(items.len()).map_err(|_| reader.fail("the list is too long"))?]);
        } else {
            skip_integer(reader)?;
        }
        reader.literal(":")?;
        let ty = reader.ty()?;
        reader.add_results(&[ty]);
        let element = if shape.is_some() { reader.type_kind(ty).element() } else { Some(ty) };
        let element = element.map(|element| reader.type_text(element));
        let Some(storage) = element.as_deref().and_then(modulus_type) else {
            return Err(
                reader.fail("the type must be '!mod_arith.int<…>', or a tensor of this type for a list")
            );
        };
        let mut value_type = reader.type_of_text(storage)?;
        if let Some(shape) = shape {
            let (shape, element) = (shape.into(), value_type);
            value_type = reader.intern_type(TypeKind::RankedTensor { shape, element, encoding: None });
        }
        let end = reader.mark();
        reader.return_to(start);
        let value = reader.attribute(Some(value_type))?;
        reader.return_to(end);
        reader.set("value", value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [ty] = *types(printer, &printer.results()).as_slice() else { return None };
        if printer.has_attributes_but(&["value"]) {
            return None;
        }
        let value = printer.get("value")?;
        let text = printer.attr_text(value);
        let (value_text, value_type) = text.split_once(" : ")?;
        let expected = match printer.type_kind(ty) {
            TypeKind::RankedTensor { shape, element, .. } if shape.len() == 1 => {
                // HEIR does not read `dense<1>`.
                value_text.strip_prefix("dense<[")?;
                let element = printer.type_text(*element);
                format!("tensor<{}x{}>", shape.first()?, modulus_type(&element)?)
            }
            TypeKind::Dialect(_) => {
                // A value of one bit is printed as `true` or `false`, which HEIR reads with another meaning.
                let digits = value_text.strip_prefix('-').unwrap_or(value_text);
                if !digits.bytes().all(|digit| digit.is_ascii_digit()) {
                    return None;
                }
                let text = printer.type_text(ty);
                modulus_type(&text)?.to_owned()
            }
            _ => return None,
        };
        if value_type != expected {
            return None;
        }
        printer.text(" ");
        printer.text(value_text);
        printer.text(" : ");
        printer.ty(ty);
        Some(())
    }
}

/// `int<1 + x**2> : t` or `float<1.5 + x**2> : t`
#[derive(Debug)]
struct PolynomialConstant;

impl CustomForm for PolynomialConstant {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let Some(kind) = ["int", "float"].into_iter().find(|kind| reader.optional_literal(kind)) else {
            return Err(reader.expected("'int' or 'float'"));
        };
        let class = format!("#polynomial.{kind}_polynomial");
        let polynomial = reader.stripped(&class)?;
        reader.literal(":")?;
        let ty = reader.ty()?;
        reader.add_results(&[ty]);
        let polynomial = reader.attr_text(polynomial);
        let polynomial = polynomial.strip_prefix(&class).unwrap_or(&polynomial);
        let text = format!("#polynomial<typed_{kind}_polynomial {polynomial} : {}>", reader.type_text(ty));
        let value = reader.attr_of_text(&text)?;
        reader.set("value", value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [ty] = *types(printer, &printer.results()).as_slice() else { return None };
        if printer.has_attributes_but(&["value"]) {
            return None;
        }
        let text = printer.attr_text(printer.get("value")?);
        let (kind, rest) = text.strip_prefix("#polynomial<typed_")?.split_once("_polynomial <")?;
        let polynomial = rest.strip_suffix(&format!("> : {}>", printer.type_text(ty)))?;
        if !["int", "float"].contains(&kind) {
            return None;
        }
        printer.text(&format!(" {kind}<{polynomial}> : "));
        printer.ty(ty);
        Some(())
    }
}
