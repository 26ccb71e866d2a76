//! Operations of CIRCT on arrays, structs, unions and `inout`, whose types only C++ code relates.

use super::super::error::wrong_arguments;
use super::super::lists::{comma_separated, operand_list, print_values, types};
use super::types::{array, fields, inout, keyword_or_string, unquoted};
use crate::host::Signedness;
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::TypeId;
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("comb.concat", Inferred { is_indexed: false, result: concatenated });
    forms.add_form("hw.array_get", Inferred { is_indexed: true, result: element });
    forms.add_form("sv.array_index_inout", Inferred { is_indexed: true, result: element });
    forms.add_form("sv.read_inout", Inferred { is_indexed: false, result: element });
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

/// A function from the types of operands to the type of the result.
type ResultType = fn(&mut dyn FormReader, &[TypeId]) -> FormResult<TypeId>;

/// The integer type that is as wide as all these types.
fn concatenated(reader: &mut dyn FormReader, types: &[TypeId]) -> FormResult<TypeId> {
    let mut total = 0_u32;
    for &ty in types {
        let TypeKind::Integer { width, signedness: Signedness::Signless } = *reader.type_kind(ty) else {
            return Err(reader.fail("the operands must be integers without sign"));
        };
        total = total.checked_add(width).ok_or_else(|| reader.fail("the operands are too wide"))?;
    }
    // The parser checks the width.
    reader.type_of_text(&format!("i{total}"))
}

/// The element type of an array, the type inside an `inout`, or for an `inout` with an index, the `inout` of the element
/// type.
fn element(reader: &mut dyn FormReader, types: &[TypeId]) -> FormResult<TypeId> {
    let text = types.first().map_or_else(String::new, |&ty| reader.type_text(ty));
    let found = match (inout(&text), types) {
        (Some(inner), [_, _, ..]) => array(&inner).map(|(_, element)| format!("!hw.inout<{element}>")),
        (inner @ Some(_), _) => inner,
        (None, _) => array(&text).map(|(_, element)| element),
    };
    match found {
        Some(found) => reader.type_of_text(&found),
        None => Err(reader.fail(&format!("'{text}' must be '!hw.array<…>' or '!hw.inout<…>'"))),
    }
}

/// `%a, %b {…} : t, u` or `%a[%b] {…} : t, u`, from which the type of the result follows
#[derive(Debug)]
struct Inferred {
    is_indexed: bool,
    result: ResultType,
}

impl CustomForm for Inferred {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let mut operands = vec![reader.operand()?];
        let (separator, end) = if self.is_indexed { ("[", "]") } else { (",", "") };
        while reader.optional_literal(separator) {
            operands.push(reader.operand()?);
            if self.is_indexed {
                reader.literal(end)?;
                break;
            }
        }
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let types = comma_separated(reader, |r| r.ty())?;
        reader.add_operands(&operands, &types)?;
        let result = (self.result)(reader, &types)?;
        reader.add_results(&[result]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        printer.text(" ");
        match *operands.as_slice() {
            [] => return None,
            [whole, index] if self.is_indexed => {
                printer.value(whole);
                printer.text("[");
                printer.value(index);
                printer.text("]");
            }
            _ if self.is_indexed => return None,
            _ => printer.values(&operands),
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
        let text = reader.type_text(ty);
        let target_type = reader.type_of_text(&format!("!hw.inout<{text}>"))?;
        reader.add_operands(&[target, value], &[target_type, ty])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let [_, ty] = *types(printer, &operands).as_slice() else { return None };
        printer.text(" ");
        printer.values(&operands);
        print_dict_and_types(printer, &[], &[ty]);
        Some(())
    }
}

/// An array type.
fn array_type(reader: &mut dyn FormReader, size: u64, element: TypeId) -> FormResult<TypeId> {
    let element = reader.type_text(element);
    reader.type_of_text(&format!("!hw.array<{size}x{element}>"))
}

/// The size of an array type whose size is an integer.
fn array_size(reader: &dyn FormReader, ty: TypeId) -> FormResult<u64> {
    let text = reader.type_text(ty);
    let size = array(&text).and_then(|(size, _)| size.parse().ok());
    size.ok_or_else(|| reader.fail(&format!("'{text}' must be an array whose size is an integer")))
}

/// `%a, %b {…} : t`, with the type of an element
#[derive(Debug)]
struct ArrayCreate;

impl CustomForm for ArrayCreate {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let operands = comma_separated(reader, |r| r.operand())?;
        let element = dict_and_type(reader)?;
        reader.add_operands(&operands, &vec![element; operands.len()])?;
        let ty = array_type(reader, operands.len() as u64, element)?;
        reader.add_results(&[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let first = printer.value_type(*operands.first()?);
        if types(printer, &operands).iter().any(|&ty| ty != first) {
            return None;
        }
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
        let common = element(reader, &types)?;
        let mut total = 0_u64;
        for &ty in &types {
            if element(reader, &[ty])? != common {
                return Err(reader.fail("the arrays must have the same element type"));
            }
            let sum = total.checked_add(array_size(reader, ty)?);
            total = sum.ok_or_else(|| reader.fail("the arrays are too large"))?;
        }
        reader.put_types(inputs, &types);
        let ty = array_type(reader, total, common)?;
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types = printer.types_of(args.first()?);
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
        // The index counts up to the last element, and has no bits if there is one element.
        let width = u64::BITS - array_size(reader, ty)?.saturating_sub(1).leading_zeros();
        let index_type = reader.intern_type(TypeKind::Integer { width, signedness: Signedness::Signless });
        reader.put_types(input, &[ty]);
        reader.put_types(index, &[index_type]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types = printer.types_of(args.first()?);
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
        let operands = printer.operands();
        let ty = if self.is_created {
            print_values(printer, " ", &operands);
            result_type(printer)?
        } else {
            let [operand] = *operands.as_slice() else { return None };
            printer.text(" ");
            printer.value(operand);
            printer.value_type(operand)
        };
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
        let AttrKind::Integer { value, .. } = printer.attr_kind(printer.get("fieldIndex")?) else {
            return None;
        };
        let index: usize = value.to_signed_string().parse().ok()?;
        let text = printer.type_text(whole);
        let name = unquoted(fields(&text)?.get(index)?.0);
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
