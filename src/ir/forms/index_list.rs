//! `DynamicIndexList`: a list of integers and values, `[4, %n, [8]]`.

use crate::ir::attributes::{AttrKind, segment_size};
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::{AttrId, TypeId, ValueId};
use crate::ir::types::DYNAMIC;

/// The directive `custom<DynamicIndexList>($values, $integers [, $scalable] [, type($values)])`.
#[derive(Debug)]
struct DynamicIndexList {
    /// True if the list can be absent.
    optional: bool,
}

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("DynamicIndexList", DynamicIndexList { optional: false });
    forms.add_directive("OptionalDynamicIndexList", DynamicIndexList { optional: true });
}

/// A list that was read.
pub(super) struct IndexList {
    pub(super) values: Vec<OperandName>,
    pub(super) types: Vec<TypeId>,
    pub(super) integers: Vec<i64>,
    pub(super) scalable: Vec<bool>,
}

/// An array of 64-bit integers.
pub(super) fn i64_array(reader: &mut dyn FormReader, values: &[i64]) -> AttrId {
    let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    reader.intern_attr(AttrKind::DenseArray { element: Context::I64, data })
}

/// An array of 32-bit integers.
pub(super) fn i32_list(reader: &mut dyn FormReader, values: &[i32]) -> AttrId {
    let data = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    reader.intern_attr(AttrKind::DenseArray { element: Context::I32, data })
}

/// An array of the sizes of groups of values, as 32-bit integers.
pub(super) fn i32_array(reader: &mut dyn FormReader, values: &[usize]) -> AttrId {
    let sizes: Vec<i32> = values.iter().map(|&value| segment_size(value)).collect();
    i32_list(reader, &sizes)
}

/// The elements of an array of 64-bit integers.
pub(super) fn i64_items(printer: &dyn FormPrinter, attr: AttrId) -> Option<Vec<i64>> {
    match printer.attr_kind(attr) {
        AttrKind::DenseArray { element, data } if *element == Context::I64 => {
            data.chunks(8).map(|bytes| Some(i64::from_le_bytes(bytes.try_into().ok()?))).collect()
        }
        _ => None,
    }
}

/// Reads a list between these brackets. If `typed` is true, each value is followed by its type.
pub(super) fn read_list(
    reader: &mut dyn FormReader,
    (open, close): (&str, &str),
    typed: bool,
) -> FormResult<IndexList> {
    let mut list =
        IndexList { values: Vec::new(), types: Vec::new(), integers: Vec::new(), scalable: Vec::new() };
    reader.literal(open)?;
    if reader.optional_literal(close) {
        return Ok(list);
    }
    loop {
        let scalable = reader.optional_literal("[");
        if reader.is_operand() {
            list.values.push(reader.operand()?);
            list.integers.push(DYNAMIC);
            if typed {
                reader.literal(":")?;
                list.types.push(reader.ty()?);
            }
        } else {
            match reader.optional_integer()? {
                Some(value) => list.integers.push(value),
                None => return Err(reader.expected("an operand or an integer")),
            }
        }
        if scalable {
            reader.literal("]")?;
        }
        list.scalable.push(scalable);
        if !reader.optional_literal(",") {
            break;
        }
    }
    reader.literal(close)?;
    Ok(list)
}

/// Prints a list between these brackets.
pub(super) fn print_list(
    printer: &mut dyn FormPrinter,
    (open, close): (&str, &str),
    values: &[ValueId],
    integers: &[i64],
    scalable: &[bool],
    typed: bool,
) -> Option<()> {
    let mut values = values.iter();
    printer.text(open);
    for (i, &integer) in integers.iter().enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        let scalable = scalable.get(i).copied().unwrap_or(false);
        if scalable {
            printer.text("[");
        }
        if integer == DYNAMIC {
            let &value = values.next()?;
            printer.value(value);
            if typed {
                printer.text(" : ");
                printer.ty(printer.value_type(value));
            }
        } else {
            printer.text(&integer.to_string());
        }
        if scalable {
            printer.text("]");
        }
    }
    printer.text(close);
    values.next().is_none().then_some(())
}

/// The arguments of the directive: values, integers, scalability, and the types.
fn parts(
    args: &[DirectiveArg],
) -> (Option<&DirectiveArg>, Option<&DirectiveArg>, Option<&DirectiveArg>, Option<&DirectiveArg>) {
    let attributes: Vec<&DirectiveArg> =
        args.iter().filter(|arg| matches!(arg, DirectiveArg::Attribute(_))).collect();
    let values = args.iter().find(|arg| matches!(arg, DirectiveArg::Operand(_)));
    let types = args.iter().find(|arg| matches!(arg, DirectiveArg::Type(_)));
    (values, attributes.first().copied(), attributes.get(1).copied(), types)
}

/// The brackets that a string argument chooses.
fn brackets(args: &[DirectiveArg]) -> (&'static str, &'static str) {
    let paren = args.iter().any(|arg| matches!(arg, DirectiveArg::Text(text) if text.contains("Paren")));
    if paren { ("(", ")") } else { ("[", "]") }
}

impl CustomDirective for DynamicIndexList {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let (values, integers, scalable, types) = parts(args);
        if self.optional && !reader.is_literal(brackets(args).0) {
            return Ok(());
        }
        let list = read_list(reader, brackets(args), types.is_some())?;
        if let Some(values) = values {
            reader.put_operands(values, &list.values);
        }
        if let Some(types) = types {
            reader.put_types(types, &list.types);
        }
        if let Some(integers) = integers {
            let attr = i64_array(reader, &list.integers);
            reader.put_attribute(integers, attr);
        }
        match scalable {
            Some(scalable) => {
                let data = list.scalable.iter().map(|&scalable| u8::from(scalable)).collect();
                let attr = reader.intern_attr(AttrKind::DenseArray { element: Context::I1, data });
                reader.put_attribute(scalable, attr);
                Ok(())
            }
            None if list.scalable.contains(&true) => {
                Err(reader.fail("this operation cannot have scalable sizes such as '[4]'"))
            }
            None => Ok(()),
        }
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (values, integers, scalable, types) = parts(args);
        let values = values.map_or_else(Vec::new, |values| printer.group(values));
        let integers = match printer.attribute_of(integers?) {
            None if self.optional => return Some(()),
            integers => i64_items(printer, integers?)?,
        };
        let scalable = match scalable.and_then(|scalable| printer.attribute_of(scalable)) {
            Some(attr) => match printer.attr_kind(attr) {
                AttrKind::DenseArray { data, .. } => data.iter().map(|&bit| bit != 0).collect(),
                _ => Vec::new(),
            },
            None => Vec::new(),
        };
        print_list(printer, brackets(args), &values, &integers, &scalable, types.is_some())
    }
}
