//! Results that share the storage of operands. The text names the operand instead of the type, `%a` or `%a as t`.

use hashbrown::HashMap;

use super::super::error::wrong_arguments;
use super::super::lists::enclosed;
use super::shaped::{print_shaped_types, print_sizes, read_shaped, read_sizes};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, TypeId, ValueId};
use crate::number::ApInt;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ShapedFunctionType", FunctionType);
    forms.add_directive("ShapedResultList", ShapedResults);
    forms.add_directive("ShapedTiedResult", TiedResult);
    forms.add_directive("TiedFunctionResultList", TiedResults { enclosed: true });
    forms.add_directive("TiedResultList", TiedResults { enclosed: false });
}

/// The number that stands for no operand.
const UNTIED: i64 = -1;

/// The operands that results can share storage with.
pub(super) struct Operands {
    /// The number of the first operand with each name in the text.
    places: HashMap<String, usize>,
    types: Vec<TypeId>,
}

impl Operands {
    /// Collects operands with these names and types.
    pub(super) fn new(reader: &dyn FormReader, names: &[OperandName], types: &[TypeId]) -> Self {
        let mut places = HashMap::new();
        for (place, &name) in names.iter().enumerate() {
            places.entry(reader.operand_text(name)).or_insert(place);
        }
        Self { places, types: types.to_vec() }
    }
}

/// Results that were read.
#[derive(Default)]
pub(super) struct Results {
    pub(super) types: Vec<TypeId>,
    pub(super) sizes: Vec<OperandName>,
    /// For each result, the number of the operand whose storage it shares, or `UNTIED`.
    tied: Vec<i64>,
}

/// Reads `t`, `%a` or `%a as t`. Returns the type of the result, and the number of the operand or `UNTIED`.
pub(super) fn read_tied_type(reader: &mut dyn FormReader, operands: &Operands) -> FormResult<(TypeId, i64)> {
    if !reader.is_operand() {
        return Ok((reader.ty()?, UNTIED));
    }
    let name = reader.operand()?;
    let text = reader.operand_text(name);
    let place = operands.places.get(&text).copied();
    let Some((place, &ty)) = place.and_then(|place| Some((place, operands.types.get(place)?))) else {
        return Err(reader.fail(&format!("a result can only share storage with an operand, and '{text}' is not an operand of this operation")));
    };
    let ty = if reader.optional_literal("as") { reader.ty()? } else { ty };
    Ok((ty, i64::try_from(place).unwrap_or(UNTIED)))
}

/// Reads one result without parentheses, or a list in parentheses.
pub(super) fn one_or_list(
    reader: &mut dyn FormReader,
    mut item: impl FnMut(&mut dyn FormReader) -> FormResult<()>,
) -> FormResult<()> {
    if !reader.is_literal("(") {
        return item(reader);
    }
    enclosed(reader, ("(", ")"), item).map(drop)
}

impl Results {
    /// Reads a result, and its sizes if `shaped` is true.
    pub(super) fn read_one(
        &mut self,
        reader: &mut dyn FormReader,
        operands: &Operands,
        shaped: bool,
    ) -> FormResult<()> {
        let (ty, tied) = read_tied_type(reader, operands)?;
        if shaped {
            read_sizes(reader, ty, &mut self.sizes)?;
        }
        self.types.push(ty);
        self.tied.push(tied);
        Ok(())
    }

    /// Reads one result, or a list in parentheses.
    pub(super) fn read(reader: &mut dyn FormReader, operands: &Operands, shaped: bool) -> FormResult<Self> {
        let mut results = Self::default();
        one_or_list(reader, |r| results.read_one(r, operands, shaped))?;
        Ok(results)
    }

    /// The attribute that lists the operand whose storage each result shares; `None` if there are no results.
    pub(super) fn tied_attr(&self, reader: &mut dyn FormReader) -> Option<AttrId> {
        if self.tied.is_empty() {
            return None;
        }
        let items = self.tied.iter().map(|&place| index_attr(reader, place)).collect();
        Some(reader.intern_attr(AttrKind::Array(items)))
    }

    /// Sets the attribute that lists the operand whose storage each result shares.
    pub(super) fn put_tied(&self, reader: &mut dyn FormReader, arg: Option<&DirectiveArg>) {
        if let Some(arg) = arg
            && let Some(tied) = self.tied_attr(reader)
        {
            reader.put_attribute(arg, tied);
        }
    }
}

/// An attribute of type `index`.
pub(super) fn index_attr(reader: &mut dyn FormReader, value: i64) -> AttrId {
    let value = ApInt::from_i64(64, value);
    reader.intern_attr(AttrKind::Integer { value, ty: Context::INDEX })
}

/// The integers in an array attribute.
pub(super) fn integers(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i64>> {
    let AttrKind::Array(items) = printer.attr_kind(attr) else { return None };
    let integer = |&item: &AttrId| match printer.attr_kind(item) {
        AttrKind::Integer { value, .. } => value.to_i64(),
        _ => None,
    };
    items.iter().map(integer).collect()
}

/// For each result, the number of the operand whose storage it shares, if there is one. Returns `None` if the text of
/// the results cannot express the attribute.
pub(super) fn tied_places(
    printer: &dyn FormPrinter,
    attr: Option<AttrId>,
    results: usize,
) -> Option<Vec<Option<usize>>> {
    let Some(attr) = attr else { return (results == 0).then(Vec::new) };
    let AttrKind::Array(items) = printer.attr_kind(attr) else { return None };
    let is_index = |&item: &AttrId| printer.type_of_attr(item) == Some(Context::INDEX);
    if !items.iter().all(is_index) {
        return None;
    }
    let places = integers(printer, attr)?;
    if places.len() != results || results == 0 {
        return None;
    }
    let place = |&place: &i64| match place {
        UNTIED => Some(None),
        place => usize::try_from(place).ok().map(Some),
    };
    places.iter().map(place).collect()
}

/// Results that are printed.
pub(super) struct PrintedResults<'a> {
    operands: &'a [ValueId],
    types: &'a [TypeId],
    tied: &'a [Option<usize>],
    /// The number of the first occurrence of each operand.
    places: HashMap<ValueId, usize>,
}

impl<'a> PrintedResults<'a> {
    pub(super) fn new(operands: &'a [ValueId], types: &'a [TypeId], tied: &'a [Option<usize>]) -> Self {
        let mut places = HashMap::new();
        if tied.iter().any(Option::is_some) {
            for (place, &operand) in operands.iter().enumerate() {
                places.entry(operand).or_insert(place);
            }
        }
        Self { operands, types, tied, places }
    }

    /// Prints a result: `t`, `%a` or `%a as t`.
    pub(super) fn print_one(&self, printer: &mut dyn FormPrinter, number: usize) -> Option<()> {
        let ty = *self.types.get(number)?;
        if let Some(place) = self.tied.get(number).copied().flatten() {
            let &operand = self.operands.get(place)?;
            // A reader takes the first operand with this name.
            if self.places.get(&operand) != Some(&place) {
                return None;
            }
            printer.value(operand);
            if printer.value_type(operand) == ty {
                return Some(());
            }
            printer.text(" as ");
        }
        printer.ty(ty);
        Some(())
    }

    /// Prints all results, in parentheses unless there is exactly one result.
    pub(super) fn print(&self, printer: &mut dyn FormPrinter, sizes: Option<&[ValueId]>) -> Option<()> {
        let mut rest = sizes.unwrap_or_default();
        printer.text(if self.types.len() == 1 { "" } else { "(" });
        for (i, &ty) in self.types.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            self.print_one(printer, i)?;
            if sizes.is_some() {
                print_sizes(printer, ty, &mut rest)?;
            }
        }
        printer.text(if self.types.len() == 1 { "" } else { ")" });
        rest.is_empty().then_some(())
    }
}

/// `(t{%d}, u) -> (%a{%d}, v)`. The arguments are the operands, their types and sizes, the types and sizes of the
/// results, and the attribute that lists the operand whose storage each result shares.
#[derive(Debug)]
struct FunctionType;

impl CustomDirective for FunctionType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, operand_types, operand_sizes, result_types, result_sizes, tied @ ..] = args else {
            return Err(wrong_arguments(reader, "ShapedFunctionType", "at least five arguments", args));
        };
        let mut sizes = Vec::new();
        let types = enclosed(reader, ("(", ")"), |r| read_shaped(r, &mut sizes))?;
        reader.literal("->")?;
        let names = reader.operands_of(operands);
        let known = Operands::new(reader, &names, &types);
        let results = Results::read(reader, &known, true)?;
        reader.put_types(operand_types, &types);
        reader.put_operands(operand_sizes, &sizes);
        reader.put_types(result_types, &results.types);
        reader.put_operands(result_sizes, &results.sizes);
        results.put_tied(reader, tied.first());
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, operand_types, operand_sizes, result_types, result_sizes, tied @ ..] = args else {
            return None;
        };
        let (types, sizes) = (printer.types_of(operand_types), printer.group(operand_sizes));
        let mut sizes = sizes.as_slice();
        printer.text("(");
        print_shaped_types(printer, &types, &mut sizes)?;
        printer.text(") -> ");
        if !sizes.is_empty() {
            return None;
        }
        print_result_group(printer, operands, result_types, Some(result_sizes), tied.first())
    }
}

/// Prints the results that the arguments of a directive name.
fn print_result_group(
    printer: &mut dyn FormPrinter,
    operands: &DirectiveArg,
    types: &DirectiveArg,
    sizes: Option<&DirectiveArg>,
    tied: Option<&DirectiveArg>,
) -> Option<()> {
    let (operands, types) = (printer.group(operands), printer.types_of(types));
    let tied = match tied {
        Some(arg) => tied_places(printer, printer.attribute_of(arg), types.len())?,
        None => vec![None; types.len()],
    };
    let sizes = sizes.map(|sizes| printer.group(sizes));
    let results = PrintedResults::new(&operands, &types, &tied);
    results.print(printer, sizes.as_deref())
}

/// `(%a{%d}, v)`. The arguments are the operands, their types and sizes, the types and sizes of the results, and the
/// attribute that lists the operand whose storage each result shares.
#[derive(Debug)]
struct ShapedResults;

impl CustomDirective for ShapedResults {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, operand_types, _, result_types, result_sizes, tied @ ..] = args else {
            return Err(wrong_arguments(reader, "ShapedResultList", "at least five arguments", args));
        };
        let names = reader.operands_of(operands);
        let known = Operands::new(reader, &names, &reader.types_of(operand_types));
        let results = Results::read(reader, &known, true)?;
        reader.put_types(result_types, &results.types);
        reader.put_operands(result_sizes, &results.sizes);
        results.put_tied(reader, tied.first());
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, _, _, result_types, result_sizes, tied @ ..] = args else { return None };
        print_result_group(printer, operands, result_types, Some(result_sizes), tied.first())
    }
}

/// `(%a, %b as t, u)`. The arguments are the operands and their types, the types of the results, and the attribute that
/// lists the operand whose storage each result shares.
#[derive(Debug)]
struct TiedResults {
    /// True if parentheses enclose a list.
    enclosed: bool,
}

impl CustomDirective for TiedResults {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [operands, operand_types, result_types, tied] = args else {
            let name = if self.enclosed { "TiedFunctionResultList" } else { "TiedResultList" };
            return Err(wrong_arguments(reader, name, "four arguments", args));
        };
        let names = reader.operands_of(operands);
        let known = Operands::new(reader, &names, &reader.types_of(operand_types));
        let mut results = Results::default();
        if self.enclosed {
            results = Results::read(reader, &known, false)?;
        } else {
            while {
                results.read_one(reader, &known, false)?;
                reader.optional_literal(",")
            } {}
        }
        reader.put_types(result_types, &results.types);
        results.put_tied(reader, Some(tied));
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [operands, _, result_types, tied] = args else { return None };
        if self.enclosed {
            return print_result_group(printer, operands, result_types, None, Some(tied));
        }
        let (operands, types) = (printer.group(operands), printer.types_of(result_types));
        let tied = tied_places(printer, printer.attribute_of(tied), types.len())?;
        let results = PrintedResults::new(&operands, &types, &tied);
        for number in 0..types.len() {
            printer.text(if number > 0 { ", " } else { "" });
            results.print_one(printer, number)?;
        }
        (!types.is_empty()).then_some(())
    }
}

/// `%target as t{%d}`. The arguments are the type of the result, its sizes, and optionally the attribute that states
/// whether the result shares the storage of an operand. [`target`] finds the operand. If the format omits the
/// attribute, the result shares the storage of an operand if [`target`] finds one.
#[derive(Debug)]
struct TiedResult;

/// The operand whose storage a result of this type shares: the last operand of the same type before the operands that
/// are the sizes of the result.
fn target(printer: &dyn FormPrinter, sizes: &DirectiveArg, ty: TypeId) -> Option<ValueId> {
    let DirectiveArg::Operand(place) = sizes.target() else { return None };
    (0..*place).rev().find_map(|place| match *printer.group(&DirectiveArg::Operand(place)).as_slice() {
        [value] if printer.value_type(value) == ty => Some(value),
        _ => None,
    })
}

impl CustomDirective for TiedResult {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [type_arg, sizes_arg, tied @ ..] = args else {
            return Err(wrong_arguments(reader, "ShapedTiedResult", "two or three arguments", args));
        };
        let mut results = Results { tied: vec![UNTIED], ..Results::default() };
        if reader.is_operand() {
            reader.operand()?;
            reader.literal("as")?;
            results.tied = vec![0];
        }
        let ty = read_shaped(reader, &mut results.sizes)?;
        reader.put_types(type_arg, &[ty]);
        reader.put_operands(sizes_arg, &results.sizes);
        results.put_tied(reader, tied.first());
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [type_arg, sizes_arg, tied @ ..] = args else { return None };
        let [ty] = *printer.types_of(type_arg).as_slice() else { return None };
        let is_tied = match tied.first() {
            Some(tied) => match tied_places(printer, printer.attribute_of(tied), 1)?.as_slice() {
                [None] => false,
                [Some(0)] => true,
                _ => return None,
            },
            None => true,
        };
        let operand = target(printer, sizes_arg, ty).filter(|_| is_tied);
        if is_tied && operand.is_none() && !tied.is_empty() {
            return None;
        }
        if let Some(operand) = operand {
            printer.value(operand);
            printer.text(" as ");
        }
        printer.ty(ty);
        let sizes = printer.group(sizes_arg);
        let mut sizes = sizes.as_slice();
        print_sizes(printer, ty, &mut sizes)?;
        sizes.is_empty().then_some(())
    }
}
