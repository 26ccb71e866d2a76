//! Resources with the types of the tensors that they contain: `tensor<?xf32>{%d} in !stream.resource<*>{%size}`.

use super::super::error::wrong_arguments;
use super::super::lists::{comma_separated, enclosed};
use super::shaped::{print_shaped, print_shaped_type_of, print_sizes, read_shaped, read_sizes};
use super::tied::{Operands, PrintedResults, Results, one_or_list, tied_places};
use crate::ir::attributes::AttrKind;
use crate::ir::dialect::{
    CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, TypeId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("EncodedResourceOperands", ResourceOperands);
    forms.add_directive("EncodedShapedFunctionType", FunctionType);
}

/// The encoding of an operand that is not a resource.
const UNUSED: &str = "!util.unused";

/// Encodings that were read, and the sizes of their dimensions.
#[derive(Default)]
struct Encodings {
    attrs: Vec<AttrId>,
    dims: Vec<OperandName>,
}

impl Encodings {
    fn push(&mut self, reader: &mut dyn FormReader, ty: TypeId) {
        self.attrs.push(reader.intern_attr(AttrKind::Type(ty)));
    }

    /// Reads `encoding{%d} in`.
    fn read(&mut self, reader: &mut dyn FormReader) -> FormResult<()> {
        let encoding = read_shaped(reader, &mut self.dims)?;
        self.push(reader, encoding);
        reader.literal("in")
    }

    /// Sets the arguments of a directive that stand for encodings and their dimensions.
    fn put(self, reader: &mut dyn FormReader, attrs: &DirectiveArg, dims: &DirectiveArg) {
        let array = reader.intern_attr(AttrKind::Array(self.attrs.into()));
        reader.put_attribute(attrs, array);
        reader.put_operands(dims, &self.dims);
    }
}

/// The types in an array attribute with this number of elements.
fn encodings(printer: &dyn FormPrinter, arg: &DirectiveArg, count: usize) -> Option<Vec<TypeId>> {
    let AttrKind::Array(items) = printer.attr_kind(printer.attribute_of(arg)?) else { return None };
    let ty = |&item: &AttrId| match *printer.attr_kind(item) {
        AttrKind::Type(ty) => Some(ty),
        _ => None,
    };
    let types: Option<Vec<TypeId>> = items.iter().map(ty).collect();
    types.filter(|types| types.len() == count)
}

/// One line for each resource, `%a : encoding{%d} in t{%size}`.
#[derive(Debug)]
struct ResourceOperands;

impl CustomDirective for ResourceOperands {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands_arg, types_arg, sizes_arg, encodings_arg, dims_arg] = args else {
            return Err(wrong_arguments(reader, "EncodedResourceOperands", "five arguments", args));
        };
        let (mut sizes, mut encodings) = (Vec::new(), Encodings::default());
        let items = comma_separated(reader, |r| {
            let operand = r.operand()?;
            r.literal(":")?;
            encodings.read(r)?;
            Ok((operand, read_shaped(r, &mut sizes)?))
        })?;
        let (operands, types): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        reader.put_operands(operands_arg, &operands);
        reader.put_types(types_arg, &types);
        reader.put_operands(sizes_arg, &sizes);
        encodings.put(reader, encodings_arg, dims_arg);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands_arg, _, sizes_arg, encodings_arg, dims_arg] = args else { return None };
        let operands = printer.group(operands_arg);
        let (sizes, dims) = (printer.group(sizes_arg), printer.group(dims_arg));
        let (mut sizes, mut dims) = (sizes.as_slice(), dims.as_slice());
        let encodings = encodings(printer, encodings_arg, operands.len())?;
        if operands.is_empty() {
            return None;
        }
        for (i, (&operand, &encoding)) in operands.iter().zip(&encodings).enumerate() {
            printer.text(if i > 0 { "," } else { "" });
            printer.newline(1);
            printer.value(operand);
            printer.text(" : ");
            print_shaped(printer, encoding, &mut dims)?;
            printer.text(" in ");
            print_shaped_type_of(printer, operand, &mut sizes)?;
        }
        printer.newline(0);
        (sizes.is_empty() && dims.is_empty()).then_some(())
    }
}

/// `(encoding{%d} in t{%size}, index) -> encoding in %a{%size}`. The ten arguments are the operands, their types,
/// sizes, encodings and dimensions; the types, sizes, encodings and dimensions of the results; and the attribute that
/// states for each result the index of the operand whose storage it shares.
#[derive(Debug)]
struct FunctionType;

impl CustomDirective for FunctionType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [
            operands,
            operand_types,
            operand_sizes,
            operand_encodings,
            operand_dims,
            result_types,
            result_sizes,
            result_encodings,
            result_dims,
            tied,
        ] = args
        else {
            return Err(wrong_arguments(reader, "EncodedShapedFunctionType", "ten arguments", args));
        };
        let unused = reader.type_of_text(UNUSED)?;
        let (mut sizes, mut encodings) = (Vec::new(), Encodings::default());
        let types = enclosed(reader, ("(", ")"), |r| {
            let first = r.ty()?;
            let mut own = Vec::new();
            read_sizes(r, first, &mut own)?;
            if r.optional_literal("in") {
                encodings.push(r, first);
                encodings.dims.extend(own);
                return read_shaped(r, &mut sizes);
            }
            encodings.push(r, unused);
            sizes.extend(own);
            Ok(first)
        })?;
        reader.literal("->")?;
        let names = reader.operands_of(operands);
        let known = Operands::new(reader, &names, &types);
        let mut made = Encodings::default();
        let mut results = Results::default();
        one_or_list(reader, |r| {
            made.read(r)?;
            results.read_one(r, &known, true)
        })?;
        reader.put_types(operand_types, &types);
        reader.put_operands(operand_sizes, &sizes);
        encodings.put(reader, operand_encodings, operand_dims);
        reader.put_types(result_types, &results.types);
        reader.put_operands(result_sizes, &results.sizes);
        made.put(reader, result_encodings, result_dims);
        results.put_tied(reader, Some(tied));
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [
            operands,
            _,
            operand_sizes,
            operand_encodings,
            operand_dims,
            result_types,
            result_sizes,
            result_encodings,
            result_dims,
            tied,
        ] = args
        else {
            return None;
        };
        let operands = printer.group(operands);
        let encodings_of = encodings(printer, operand_encodings, operands.len())?;
        let sizes = (printer.group(operand_sizes), printer.group(operand_dims));
        let (mut sizes, mut dims): (&[ValueId], &[ValueId]) = (&sizes.0, &sizes.1);
        printer.text("(");
        for (i, (&operand, &encoding)) in operands.iter().zip(&encodings_of).enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            if printer.type_text(encoding) != UNUSED {
                print_shaped(printer, encoding, &mut dims)?;
                printer.text(" in ");
            }
            print_shaped_type_of(printer, operand, &mut sizes)?;
        }
        printer.text(") -> ");
        if !sizes.is_empty() || !dims.is_empty() {
            return None;
        }
        let types = printer.types_of(result_types);
        let made = encodings(printer, result_encodings, types.len())?;
        let tied = tied_places(printer, printer.attribute_of(tied), types.len())?;
        let sizes = (printer.group(result_sizes), printer.group(result_dims));
        let (mut sizes, mut dims): (&[ValueId], &[ValueId]) = (&sizes.0, &sizes.1);
        let results = PrintedResults::new(&operands, &types, &tied);
        printer.text(if types.len() == 1 { "" } else { "(" });
        for (i, (&ty, &encoding)) in types.iter().zip(&made).enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            print_shaped(printer, encoding, &mut dims)?;
            printer.text(" in ");
            results.print_one(printer, i)?;
            print_sizes(printer, ty, &mut sizes)?;
        }
        printer.text(if types.len() == 1 { "" } else { ")" });
        (sizes.is_empty() && dims.is_empty()).then_some(())
    }
}
