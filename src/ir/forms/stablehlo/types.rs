//! Directives for the types of operands and results.

use super::super::error::wrong_arguments;
use super::super::lists::comma_separated;
use crate::ir::dialect::{CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms};
use crate::ir::ids::TypeId;
use crate::ir::types::TypeKind;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ComplexOpType", ComplexType);
    forms.add_directive("PairwiseOpType", PairwiseTypes);
    forms.add_directive("SameOperandsAndResultType", SameTypes);
    forms.add_directive("SelectOpType", SelectTypes);
    forms.add_directive("TupleOpType", TupleType);
    forms.add_directive("VariadicSameOperandsAndResultType", SameVariadicTypes);
}

/// If `ty` is a function type, sets the type of each operand and the type of the result. Returns false for another
/// type.
fn put_function(
    reader: &mut dyn FormReader,
    operands: &[DirectiveArg],
    result: &DirectiveArg,
    ty: TypeId,
) -> FormResult<bool> {
    let TypeKind::Function { inputs, results } = reader.type_kind(ty).clone() else { return Ok(false) };
    if inputs.len() != operands.len() {
        let (operands, inputs) = (operands.len(), inputs.len());
        return Err(reader.fail(&format!("{operands} operands have {inputs} types")));
    }
    for (operand, &ty) in operands.iter().zip(&inputs) {
        reader.put_types(operand, &[ty]);
    }
    put_result(reader, result, &results)?;
    Ok(true)
}

fn put_result(reader: &mut dyn FormReader, arg: &DirectiveArg, results: &[TypeId]) -> FormResult<()> {
    let [result] = results else { return Err(reader.fail("the function type must have one result")) };
    reader.put_types(arg, &[*result]);
    Ok(())
}

fn one_type(printer: &dyn FormPrinter, arg: &DirectiveArg) -> Option<TypeId> {
    match *printer.types_of(arg).as_slice() {
        [ty] => Some(ty),
        _ => None,
    }
}

/// The type of each argument.
fn one_type_each(printer: &dyn FormPrinter, args: &[DirectiveArg]) -> Option<Vec<TypeId>> {
    args.iter().map(|arg| one_type(printer, arg)).collect()
}

/// `t` if all operands and the result have this type, otherwise a function type.
#[derive(Debug)]
struct SameTypes;

impl CustomDirective for SameTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some((result, operands)) = args.split_last() else {
            let wanted = "at least one argument";
            return Err(wrong_arguments(reader, "SameOperandsAndResultType", wanted, args));
        };
        let ty = reader.ty()?;
        if !put_function(reader, operands, result, ty)? {
            for arg in args {
                reader.put_types(arg, &[ty]);
            }
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (result, operands) = args.split_last()?;
        let operands = one_type_each(printer, operands)?;
        let result = one_type(printer, result)?;
        print_same(printer, &operands, result);
        Some(())
    }
}

/// `t` if all operands of a group and the result have this type, otherwise a function type. The arguments are
/// `ref($operands), type($operands), type($result)`.
#[derive(Debug)]
struct SameVariadicTypes;

impl CustomDirective for SameVariadicTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, operand_types, result] = args else {
            return Err(wrong_arguments(
                reader,
                "VariadicSameOperandsAndResultType",
                "three arguments",
                args,
            ));
        };
        let ty = reader.ty()?;
        if let TypeKind::Function { inputs, results } = reader.type_kind(ty).clone() {
            reader.put_types(operand_types, &inputs);
            return put_result(reader, result, &results);
        }
        let count = reader.operand_count(operands);
        reader.put_types(operand_types, &vec![ty; count]);
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [_, operands, result] = args else { return None };
        let operands = printer.types_of(operands);
        let result = one_type(printer, result)?;
        print_same(printer, &operands, result);
        Some(())
    }
}

fn print_same(printer: &mut dyn FormPrinter, operands: &[TypeId], result: TypeId) {
    if operands.iter().all(|&ty| ty == result) {
        printer.ty(result);
    } else {
        printer.function_type(operands, &[result]);
    }
}

/// `p, t` if both alternatives and the result have the type `t`, otherwise a function type.
#[derive(Debug)]
struct SelectTypes;

impl CustomDirective for SelectTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [predicate, on_true, on_false, result] = args else {
            return Err(wrong_arguments(reader, "SelectOpType", "four arguments", args));
        };
        let first = reader.ty()?;
        if reader.optional_literal(",") {
            let ty = reader.ty()?;
            reader.put_types(predicate, &[first]);
            for arg in [on_true, on_false, result] {
                reader.put_types(arg, &[ty]);
            }
            return Ok(());
        }
        if put_function(reader, &args[..3], result, first)? {
            return Ok(());
        }
        Err(reader.expected("',' and the type of the result, or a function type"))
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let types = one_type_each(printer, args)?;
        let [predicate, on_true, on_false, result] = *types.as_slice() else { return None };
        if on_true == result && on_false == result {
            printer.types(&[predicate, result]);
        } else {
            printer.function_type(&types[..3], &[result]);
        }
        Some(())
    }
}

/// The type of the result, `tensor<4xcomplex<f32>>`, if each operand has the [`real_type`] of this type, otherwise a
/// function type.
#[derive(Debug)]
struct ComplexType;

/// A tensor type in which the type of the real and imaginary parts replaces the complex element type.
fn real_type(kind: &TypeKind, element_kind: impl Fn(TypeId) -> TypeKind) -> Option<TypeKind> {
    match kind {
        TypeKind::RankedTensor { shape, element, encoding } => {
            let TypeKind::Complex(part) = element_kind(*element) else { return None };
            Some(TypeKind::RankedTensor { shape: shape.clone(), element: part, encoding: *encoding })
        }
        TypeKind::UnrankedTensor(element) => {
            let TypeKind::Complex(part) = element_kind(*element) else { return None };
            Some(TypeKind::UnrankedTensor(part))
        }
        _ => None,
    }
}

impl CustomDirective for ComplexType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some((result, operands)) = args.split_last() else {
            return Err(wrong_arguments(reader, "ComplexOpType", "at least one argument", args));
        };
        let ty = reader.ty()?;
        if put_function(reader, operands, result, ty)? {
            return Ok(());
        }
        let Some(real) = real_type(reader.type_kind(ty), |ty| reader.type_kind(ty).clone()) else {
            return Err(reader.fail("the type must be a tensor of complex numbers"));
        };
        let real = reader.intern_type(real);
        for arg in operands {
            reader.put_types(arg, &[real]);
        }
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (result, operands) = args.split_last()?;
        let (result, operands) = (one_type(printer, result)?, one_type_each(printer, operands)?);
        let real = real_type(printer.type_kind(result), |ty| printer.type_kind(ty).clone());
        if real.is_some_and(|real| operands.iter().all(|&ty| *printer.type_kind(ty) == real)) {
            printer.ty(result);
        } else {
            printer.function_type(&operands, &[result]);
        }
        Some(())
    }
}

/// `tuple<t, u>`, whose elements are the types of the operands.
#[derive(Debug)]
struct TupleType;

impl CustomDirective for TupleType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, result] = args else {
            return Err(wrong_arguments(reader, "TupleOpType", "two arguments", args));
        };
        let ty = reader.ty()?;
        let TypeKind::Tuple(elements) = reader.type_kind(ty).clone() else {
            return Err(reader.fail("the type must be a tuple"));
        };
        reader.put_types(operands, &elements);
        reader.put_types(result, &[ty]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, result] = args else { return None };
        let (operands, result) = (printer.types_of(operands), one_type(printer, result)?);
        match printer.type_kind(result) {
            TypeKind::Tuple(elements) if **elements == *operands => printer.ty(result),
            _ => return None,
        }
        Some(())
    }
}

/// `t, u`: the types of the operands, which are also the types of the results.
#[derive(Debug)]
struct PairwiseTypes;

impl CustomDirective for PairwiseTypes {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        if args.len() != 2 {
            return Err(wrong_arguments(reader, "PairwiseOpType", "two arguments", args));
        }
        let types = comma_separated(reader, |r| r.ty())?;
        for arg in args {
            reader.put_types(arg, &types);
        }
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, results] = args else { return None };
        let operands = printer.types_of(operands);
        if operands != printer.types_of(results) {
            return None;
        }
        printer.types(&operands);
        Some(())
    }
}
