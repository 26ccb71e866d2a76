//! Operations of CIRCT on integers, arrays, structs, unions and `inout`. Only C++ code defines the relations between
//! the types of the operands and results.

use super::super::error::wrong_arguments;
use super::super::lists::{comma_separated, operand_list, print_values, types};
use super::types::{array, array_of, fields, inout, inout_of, unquoted};
use crate::identifier::keyword_or_string;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{TypeId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("comb.concat", Inferred { operands: Operands::Several, result: concatenated });
    forms.add_form("hw.array_get", Inferred { operands: Operands::Indexed, result: element });
    forms.add_form("sv.array_index_inout", Inferred { operands: Operands::Indexed, result: element });
    forms.add_form("sv.read_inout", Inferred { operands: Operands::One, result: element });
    forms.add_form("hw.array_create", ArrayCreate);
    for op in ["assign", "bpassign", "force", "passign"] {
        forms.add_form(&format!("sv.{op}"), Assign);
    }
    forms.add_directive("ArrayConcatTypes", ConcatenatedArrays);
    forms.add_directive("SliceTypes", SlicedArray);
    forms.add_form("hw.struct_create", WholeStruct { is_created: true });
    forms.add_form("hw.struct_explode", WholeStruct { is_created: false });
    forms.add_form("hw.struct_extract", Field { is_created: false, is_injected: false });
    forms.add_form("hw.struct_inject", Field { is_created: false, is_injected: true });
    forms.add_form("hw.union_create", Field { is_created: true, is_injected: false });
    forms.add_form("hw.union_extract", Field { is_created: false, is_injected: false });
}

/// Reads an optional dictionary, `:`, and a type.
pub(super) fn dict_and_type(reader: &mut dyn FormReader) -> FormResult<TypeId> {
    reader.attr_dict(false)?;
    reader.literal(":")?;
    reader.ty()
}

/// Prints an optional dictionary, ` : `, and types.
pub(super) fn print_dict_and_types(printer: &mut dyn FormPrinter, elided: &[&str], types: &[TypeId]) {
    printer.attr_dict(false, elided);
    printer.text(" : ");
    printer.types(types);
}

/// The type of the only result.
pub(super) fn result_type(printer: &dyn FormPrinter) -> Option<TypeId> {
    match *types(printer, &printer.results()).as_slice() {
        [ty] => Some(ty),
        _ => None,
    }
}

// Integers, arrays and `inout`.

/// A function from the texts of the operands' types to the text of the result's type, or to an error message.
type ResultType = fn(&[String]) -> Result<String, String>;

/// The text of the types of values.
fn type_texts(printer: &dyn FormPrinter, values: &[ValueId]) -> Vec<String> {
    values.iter().map(|&value| printer.type_text(printer.value_type(value))).collect()
}

/// Checks that an operation has one result, whose type has this text.
fn require_result(printer: &dyn FormPrinter, expected: &str) -> Option<()> {
    (printer.type_text(result_type(printer)?) == expected).then_some(())
}

/// The integer type whose width is the sum of the widths of these types.
fn concatenated(types: &[String]) -> Result<String, String> {
    let mut total = 0_u32;
    for ty in types {
        let width = ty.strip_prefix('i').and_then(|width| width.parse().ok());
        let width: u32 = width.ok_or("the operands must be signless integers")?;
        total = total.checked_add(width).ok_or("the operands are too wide")?;
    }
    // The parser checks the width.
    Ok(format!("i{total}"))
}

/// The element type of an array, or the type inside an `inout`. If an array inside an `inout` is indexed, returns the
/// `inout` type around the element type.
fn element(types: &[String]) -> Result<String, String> {
    let text = types.first().map_or("", String::as_str);
    let found = match (inout(text), types) {
        (Some(inner), [_, _, ..]) => array(&inner).map(|(_, element)| inout_of(&element)),
        (inner @ Some(_), _) => inner,
        (None, _) => array(text).map(|(_, element)| element),
    };
    found.ok_or_else(|| format!("'{text}' must be '!hw.array<…>' or '!hw.inout<…>'"))
}

/// The syntax of the operands of an operation.
#[derive(Clone, Copy, Debug)]
enum Operands {
    /// `%a`
    One,
    /// `%a[%b]`
    Indexed,
    /// `%a, %b`
    Several,
}

/// `%a, %b {…} : t, u`, or the operands in another form of [`Operands`]. The type of the result follows from the types
/// of the operands.
#[derive(Debug)]
struct Inferred {
    operands: Operands,
    result: ResultType,
}

impl CustomForm for Inferred {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut operands = vec![reader.operand()?];
        match self.operands {
            Operands::One => {}
            Operands::Indexed => {
                reader.literal("[")?;
                operands.push(reader.operand()?);
                reader.literal("]")?;
            }
            Operands::Several => {
                while reader.optional_literal(",") {
                    operands.push(reader.operand()?);
                }
            }
        }
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let types = comma_separated(reader, |r| r.ty())?;
        reader.add_operands(&operands, &types)?;
        let texts: Vec<String> = types.iter().map(|&ty| reader.type_text(ty)).collect();
        let result = (self.result)(&texts).map_err(|message| reader.fail(&message))?;
        let result = reader.type_of_text(&result)?;
        reader.add_results(&[result]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        require_result(printer, &(self.result)(&type_texts(printer, &operands)).ok()?)?;
        printer.text(" ");
        match (self.operands, operands.as_slice()) {
            (Operands::Indexed, &[whole, index]) => {
                printer.value(whole);
                printer.text("[");
                printer.value(index);
                printer.text("]");
            }
            (Operands::One, [_]) | (Operands::Several, [_, ..]) => printer.values(&operands),
            _ => return None,
        }
        let types = types(printer, &operands);
        print_dict_and_types(printer, &[], &types);
        Some(())
    }
}

/// `%a, %b {…} : t`: an assignment of a value of this type to an `inout`
#[derive(Debug)]
struct Assign;

impl CustomForm for Assign {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let target = reader.operand()?;
        reader.literal(",")?;
        let value = reader.operand()?;
        let ty = dict_and_type(reader)?;
        let target_type = inout_of(&reader.type_text(ty));
        let target_type = reader.type_of_text(&target_type)?;
        reader.add_operands(&[target, value], &[target_type, ty])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [target, ty] = *types(printer, &operands).as_slice() else { return None };
        if printer.type_text(target) != inout_of(&printer.type_text(ty)) {
            return None;
        }
        printer.text(" ");
        printer.values(&operands);
        print_dict_and_types(printer, &[], &[ty]);
        Some(())
    }
}

/// The size of an array type whose size is an integer.
fn array_size(text: &str) -> Result<u64, String> {
    let size = array(text).and_then(|(size, _)| size.parse().ok());
    size.ok_or_else(|| format!("'{text}' must be an array whose size is an integer"))
}

/// The type of the concatenation of arrays.
fn concatenated_arrays(types: &[String]) -> Result<String, String> {
    let common = element(&types[..types.len().min(1)])?;
    let mut total = 0_u64;
    for ty in types {
        if element(std::slice::from_ref(ty))? != common {
            return Err("the arrays must have the same element type".to_owned());
        }
        total = total.checked_add(array_size(ty)?).ok_or("the arrays are too large")?;
    }
    Ok(array_of(total, &common))
}

/// The type of an index of an array.
fn index_type(array: &str) -> Result<String, String> {
    // The index counts up to the last element, and has no bits if there is one element.
    let width = u64::BITS - array_size(array)?.saturating_sub(1).leading_zeros();
    Ok(format!("i{width}"))
}

/// `%a, %b {…} : t`, with the type of an element
#[derive(Debug)]
struct ArrayCreate;

impl CustomForm for ArrayCreate {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = comma_separated(reader, |r| r.operand())?;
        let element = dict_and_type(reader)?;
        reader.add_operands(&operands, &vec![element; operands.len()])?;
        let ty = array_of(operands.len() as u64, &reader.type_text(element));
        let ty = reader.type_of_text(&ty)?;
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let first = printer.value_type(*operands.first()?);
        if types(printer, &operands).iter().any(|&ty| ty != first) {
            return None;
        }
        require_result(printer, &array_of(operands.len() as u64, &printer.type_text(first)))?;
        printer.text(" ");
        printer.values(&operands);
        print_dict_and_types(printer, &[], &[first]);
        Some(())
    }
}

/// `t, u`: the types of arrays, from which the type of the result follows
#[derive(Debug)]
struct ConcatenatedArrays;

impl CustomDirective for ConcatenatedArrays {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [inputs, result] = args else {
            return Err(wrong_arguments(reader, "ArrayConcatTypes", "two arguments", args));
        };
        let types = comma_separated(reader, |r| r.ty())?;
        let texts: Vec<String> = types.iter().map(|&ty| reader.type_text(ty)).collect();
        let ty = concatenated_arrays(&texts).map_err(|message| reader.fail(&message))?;
        let ty = reader.type_of_text(&ty)?;
        reader.put_types(inputs, &types);
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [inputs, result] = args else { return None };
        let (types, result) = (printer.types_of(inputs), printer.types_of(result));
        let texts: Vec<String> = types.iter().map(|&ty| printer.type_text(ty)).collect();
        if printer.type_text(*result.first()?) != concatenated_arrays(&texts).ok()? {
            return None;
        }
        printer.types(&types);
        Some(())
    }
}

/// `t`: the type of an array, from which the type of an index follows
#[derive(Debug)]
struct SlicedArray;

impl CustomDirective for SlicedArray {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [input, index] = args else {
            return Err(wrong_arguments(reader, "SliceTypes", "two arguments", args));
        };
        let ty = reader.ty()?;
        let index_text = index_type(&reader.type_text(ty)).map_err(|message| reader.fail(&message))?;
        let index_type = reader.type_of_text(&index_text)?;
        reader.put_types(input, &[ty]);
        reader.put_types(index, &[index_type]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [input, index] = args else { return None };
        let (types, index) = (printer.types_of(input), printer.types_of(index));
        if printer.type_text(*index.first()?) != index_type(&printer.type_text(*types.first()?)).ok()? {
            return None;
        }
        printer.types(&types);
        Some(())
    }
}

// Structs and unions.

/// The fields of a struct or union, with the names as they are printed.
fn fields_of(reader: &mut dyn FormReader, ty: TypeId) -> FormResult<Vec<(String, TypeId)>> {
    let text = reader.type_text(ty);
    let Some(found) = fields(&text) else {
        return Err(reader.fail(&format!("'{text}' must be '!hw.struct<…>' or '!hw.union<…>'")));
    };
    found.into_iter().map(|(name, ty)| Ok((name.to_owned(), reader.type_of_text(ty)?))).collect()
}

/// `(%a, %b) {…} : t` if a struct is created, and `%s {…} : t` if it is split into its fields
#[derive(Debug)]
struct WholeStruct {
    is_created: bool,
}

impl CustomForm for WholeStruct {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = if self.is_created { operand_list(reader)? } else { vec![reader.operand()?] };
        let ty = dict_and_type(reader)?;
        let types = fields_of(reader, ty)?.into_iter().map(|(_, ty)| ty).collect();
        let (inputs, results) = if self.is_created { (types, vec![ty]) } else { (vec![ty], types) };
        reader.add_results(&results);
        reader.add_operands(&operands, &inputs)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let (operands, results) = (printer.operands(), printer.results());
        let (whole, parts) = if self.is_created { (&results, &operands) } else { (&operands, &results) };
        let [ty] = *types(printer, whole).as_slice() else { return None };
        let text = printer.type_text(ty);
        let fields: Vec<&str> = fields(&text)?.into_iter().map(|(_, ty)| ty).collect();
        if type_texts(printer, parts) != fields {
            return None;
        }
        if self.is_created {
            print_values(printer, " ", &operands);
        } else {
            printer.text(" ");
            printer.values(&operands);
        }
        print_dict_and_types(printer, &[], &[ty]);
        Some(())
    }
}

/// `%s["a"] {…} : t`, `%s["a"], %v {…} : t` if a value is injected, and `"a", %v {…} : t` if a union is created
#[derive(Debug)]
struct Field {
    is_created: bool,
    is_injected: bool,
}

impl CustomForm for Field {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut operands = Vec::new();
        if !self.is_created {
            operands.push(reader.operand()?);
            reader.literal("[")?;
        }
        let Some(name) = reader.optional_string() else {
            return Err(reader.expected("the name of a field in quotes"));
        };
        if !self.is_created {
            reader.literal("]")?;
        }
        if self.is_created || self.is_injected {
            reader.literal(",")?;
            operands.push(reader.operand()?);
        }
        let ty = dict_and_type(reader)?;
        let fields = fields_of(reader, ty)?;
        let printed = keyword_or_string(&name);
        let Some(index) = fields.iter().position(|(field, _)| *field == printed) else {
            let text = reader.type_text(ty);
            return Err(reader.fail(&format!("'{text}' has no field '{name}'")));
        };
        let value = fields[index].1;
        let index = reader.attr_of_text(&format!("{index} : i32"))?;
        reader.set("fieldIndex", index);
        let (inputs, result) = match (self.is_created, self.is_injected) {
            (true, _) => (vec![value], ty),
            (_, true) => (vec![ty, value], ty),
            _ => (vec![ty], value),
        };
        reader.add_results(&[result]);
        reader.add_operands(&operands, &inputs)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let whole = match self.is_created {
            true => result_type(printer)?,
            false => printer.value_type(*operands.first()?),
        };
        let index: usize =
            printer.attr_text(printer.get("fieldIndex")?).strip_suffix(" : i32")?.parse().ok()?;
        let text = printer.type_text(whole);
        let (name, field) = *fields(&text)?.get(index)?;
        let (operand_types, result) = match (self.is_created, self.is_injected) {
            (true, _) => (vec![field], text.as_str()),
            (_, true) => (vec![&*text, field], &*text),
            _ => (vec![&*text], field),
        };
        if type_texts(printer, &operands) != operand_types {
            return None;
        }
        require_result(printer, result)?;
        let name = unquoted(name);
        printer.text(" ");
        let mut operands = operands.into_iter();
        if self.is_created {
            printer.string(&name);
        } else {
            printer.value(operands.next()?);
            printer.text("[");
            printer.string(&name);
            printer.text("]");
        }
        for value in operands {
            printer.text(", ");
            printer.value(value);
        }
        print_dict_and_types(printer, &["fieldIndex"], &[whole]);
        Some(())
    }
}
