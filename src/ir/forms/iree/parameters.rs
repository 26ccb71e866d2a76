//! References to parameters, lists of operations on them, and lists of buffers that are bound to dispatches.

use super::super::error::wrong_arguments;
use super::super::lists::comma_separated;
use super::shaped::{print_shaped, print_shaped_type_of, read_shaped};
use crate::ir::dialect::{
    CustomDirective, DirectiveArg, FormPrinter, FormReader, FormResult, Forms, OperandName,
};
use crate::ir::ids::ValueId;

pub(super) fn register(forms: &mut Forms) {
    forms.add_directive("ParameterReference", Reference);
    forms.add_directive("ParameterLoadOperations", LoadOperations);
    for name in ["CmdParameterGatherOperations", "ParameterGatherOperations"] {
        forms.add_directive(name, Transfers { name, gathers: true });
    }
    for name in ["CmdParameterScatterOperations", "ParameterScatterOperations"] {
        forms.add_directive(name, Transfers { name, gathers: false });
    }
    for name in ["Bindings", "BindingTable", "DispatchBindings"] {
        forms.add_directive(name, Bindings { name });
    }
}

/// Reads `%scope::%key`, or `%key`.
fn read_reference(reader: &mut dyn FormReader) -> FormResult<(Option<OperandName>, OperandName)> {
    let first = reader.operand()?;
    if reader.optional_literal("::") {
        return Ok((Some(first), reader.operand()?));
    }
    Ok((None, first))
}

fn print_reference(printer: &mut dyn FormPrinter, scope: &[ValueId], key: ValueId) {
    if let [scope, ..] = *scope {
        printer.value(scope);
        printer.text("::");
    }
    printer.value(key);
}

/// The references of a list, as they were read. All have the same scope.
#[derive(Default)]
struct References {
    scope: Option<(OperandName, String)>,
    keys: Vec<OperandName>,
}

impl References {
    fn read(&mut self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (scope, key) = read_reference(reader)?;
        let scope = scope.map(|scope| (scope, reader.operand_text(scope)));
        let text = |scope: &Option<(OperandName, String)>| scope.as_ref().map(|scope| scope.1.clone());
        if self.keys.is_empty() {
            self.scope = scope;
        } else if text(&self.scope) != text(&scope) {
            return Err(reader.fail("all parameters of a list must have the same scope"));
        }
        self.keys.push(key);
        Ok(())
    }

    fn put(self, reader: &mut dyn FormReader, scope: &DirectiveArg, keys: &DirectiveArg) {
        let names: Vec<OperandName> = self.scope.map(|scope| scope.0).into_iter().collect();
        reader.put_operands(scope, &names);
        reader.put_operands(keys, &self.keys);
    }
}

/// Reads `%value` between brackets.
fn bracketed(reader: &mut dyn FormReader) -> FormResult<OperandName> {
    reader.literal("[")?;
    let value = reader.operand()?;
    reader.literal("]")?;
    Ok(value)
}

/// `%scope::%key`
#[derive(Debug)]
struct Reference;

impl CustomDirective for Reference {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [scope_arg, key_arg] = args else {
            return Err(wrong_arguments(reader, "ParameterReference", "two arguments", args));
        };
        let (scope, key) = read_reference(reader)?;
        let scope: Vec<OperandName> = scope.into_iter().collect();
        reader.put_operands(scope_arg, &scope);
        reader.put_operands(key_arg, &[key]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [scope, key] = args else { return None };
        let [key] = *printer.group(key).as_slice() else { return None };
        let scope = printer.group(scope);
        print_reference(printer, &scope, key);
        Some(())
    }
}

/// One line for each parameter, `%scope::%key[%offset] : t{%size}`.
#[derive(Debug)]
struct LoadOperations;

impl CustomDirective for LoadOperations {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [scope_arg, keys_arg, offsets_arg, types_arg, sizes_arg] = args else {
            return Err(wrong_arguments(reader, "ParameterLoadOperations", "five arguments", args));
        };
        let (mut references, mut sizes) = (References::default(), Vec::new());
        let items = comma_separated(reader, |r| {
            references.read(r)?;
            let offset = bracketed(r)?;
            r.literal(":")?;
            Ok((offset, read_shaped(r, &mut sizes)?))
        })?;
        let (offsets, types): (Vec<_>, Vec<_>) = items.into_iter().unzip();
        references.put(reader, scope_arg, keys_arg);
        reader.put_operands(offsets_arg, &offsets);
        reader.put_types(types_arg, &types);
        reader.put_operands(sizes_arg, &sizes);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [scope, keys, offsets, types, sizes] = args else { return None };
        let (scope, keys, offsets) = (printer.group(scope), printer.group(keys), printer.group(offsets));
        let (types, sizes) = (printer.types_of(types), printer.group(sizes));
        if keys.is_empty() || offsets.len() != keys.len() || types.len() != keys.len() {
            return None;
        }
        let mut sizes = sizes.as_slice();
        for (i, &key) in keys.iter().enumerate() {
            printer.text(if i > 0 { "," } else { "" });
            printer.newline(1);
            print_reference(printer, &scope, key);
            printer.text("[");
            printer.value(offsets[i]);
            printer.text("] : ");
            print_shaped(printer, types[i], &mut sizes)?;
        }
        printer.newline(0);
        sizes.is_empty().then_some(())
    }
}

/// One line for each parameter, `%scope::%key[%offset] -> %target[%offset for %length] : t{%size}` or
/// `%source[%offset for %length] : t{%size} -> %scope::%key[%offset]`. All lines have the same resource.
#[derive(Debug)]
struct Transfers {
    /// The name of the directive.
    name: &'static str,
    /// True if parameters are the sources.
    gathers: bool,
}

/// The arguments of a directive for transfers.
struct TransferArgs<'a> {
    scope: &'a DirectiveArg,
    keys: &'a DirectiveArg,
    offsets: &'a DirectiveArg,
    resource: &'a DirectiveArg,
    ty: &'a DirectiveArg,
    size: &'a DirectiveArg,
    resource_offsets: &'a DirectiveArg,
    lengths: &'a DirectiveArg,
}

impl Transfers {
    fn args<'a>(&self, args: &'a [DirectiveArg]) -> Option<TransferArgs<'a>> {
        let [a, b, c, d, e, f, g, h] = args else { return None };
        Some(match self.gathers {
            true => TransferArgs {
                scope: a,
                keys: b,
                offsets: c,
                resource: d,
                ty: e,
                size: f,
                resource_offsets: g,
                lengths: h,
            },
            false => TransferArgs {
                resource: a,
                ty: b,
                size: c,
                resource_offsets: d,
                lengths: e,
                scope: f,
                keys: g,
                offsets: h,
            },
        })
    }
}

/// The items of transfers that were read.
#[derive(Default)]
struct ReadTransfers {
    references: References,
    offsets: Vec<OperandName>,
    resource: Option<(OperandName, String)>,
    resource_offsets: Vec<OperandName>,
    lengths: Vec<OperandName>,
}

impl ReadTransfers {
    /// Reads `%scope::%key[%offset]`.
    fn parameter(&mut self, reader: &mut dyn FormReader) -> FormResult<()> {
        self.references.read(reader)?;
        self.offsets.push(bracketed(reader)?);
        Ok(())
    }

    /// Reads `%resource[%offset for %length]`.
    fn resource(&mut self, reader: &mut dyn FormReader) -> FormResult<()> {
        let resource = reader.operand()?;
        let text = reader.operand_text(resource);
        match &self.resource {
            Some((_, known)) if *known != text => {
                return Err(reader.fail("all lines of a list must name the same resource"));
            }
            _ => self.resource = Some((resource, text)),
        }
        reader.literal("[")?;
        self.resource_offsets.push(reader.operand()?);
        reader.literal("for")?;
        self.lengths.push(reader.operand()?);
        reader.literal("]")
    }
}

impl CustomDirective for Transfers {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some(places) = self.args(args) else {
            return Err(wrong_arguments(reader, self.name, "eight arguments", args));
        };
        let mut found = ReadTransfers::default();
        let typed = comma_separated(reader, |r| {
            if self.gathers {
                found.parameter(r)?;
                r.literal("->")?;
            }
            found.resource(r)?;
            r.literal(":")?;
            let mut sizes = Vec::new();
            let ty = read_shaped(r, &mut sizes)?;
            if !self.gathers {
                r.literal("->")?;
                found.parameter(r)?;
            }
            let texts: Vec<String> = sizes.iter().map(|&size| r.operand_text(size)).collect();
            Ok((ty, sizes, texts))
        })?;
        let Some((ty, sizes, texts)) = typed.first() else { return Err(reader.expected("a parameter")) };
        if typed.iter().any(|(other, _, others)| other != ty || others != texts) {
            return Err(reader.fail("all lines of a list must have the same type and size"));
        }
        let resource: Vec<OperandName> = found.resource.map(|resource| resource.0).into_iter().collect();
        found.references.put(reader, places.scope, places.keys);
        reader.put_operands(places.offsets, &found.offsets);
        reader.put_operands(places.resource, &resource);
        reader.put_types(places.ty, &[*ty]);
        reader.put_operands(places.size, sizes);
        reader.put_operands(places.resource_offsets, &found.resource_offsets);
        reader.put_operands(places.lengths, &found.lengths);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let places = self.args(args)?;
        let [resource] = *printer.group(places.resource).as_slice() else { return None };
        let (scope, keys) = (printer.group(places.scope), printer.group(places.keys));
        let (offsets, sizes) = (printer.group(places.offsets), printer.group(places.size));
        let starts = printer.group(places.resource_offsets);
        let lengths = printer.group(places.lengths);
        if keys.is_empty() || [&offsets, &starts, &lengths].iter().any(|list| list.len() != keys.len()) {
            return None;
        }
        for (i, &key) in keys.iter().enumerate() {
            printer.text(if i > 0 { "," } else { "" });
            printer.newline(1);
            let parameter = |printer: &mut dyn FormPrinter| {
                print_reference(printer, &scope, key);
                printer.text("[");
                printer.value(offsets[i]);
                printer.text("]");
            };
            if self.gathers {
                parameter(printer);
                printer.text(" -> ");
            }
            printer.value(resource);
            printer.text("[");
            printer.value(starts[i]);
            printer.text(" for ");
            printer.value(lengths[i]);
            printer.text("] : ");
            let mut sizes = sizes.as_slice();
            print_shaped_type_of(printer, resource, &mut sizes)?;
            if !sizes.is_empty() {
                return None;
            }
            if !self.gathers {
                printer.text(" -> ");
                parameter(printer);
            }
        }
        printer.newline(0);
        Some(())
    }
}

/// One line for each buffer, `(%buffer : t)[%offset, %length]`.
#[derive(Debug)]
struct Bindings {
    /// The name of the directive.
    name: &'static str,
}

impl CustomDirective for Bindings {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [buffers_arg, types_arg, offsets_arg, lengths_arg] = args else {
            return Err(wrong_arguments(reader, self.name, "four arguments", args));
        };
        let (mut buffers, mut types, mut offsets, mut lengths) =
            (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        if reader.is_literal("(") {
            comma_separated(reader, |r| {
                r.literal("(")?;
                buffers.push(r.operand()?);
                r.literal(":")?;
                types.push(r.ty()?);
                r.literal(")")?;
                r.literal("[")?;
                offsets.push(r.operand()?);
                r.literal(",")?;
                lengths.push(r.operand()?);
                r.literal("]")
            })?;
        }
        reader.put_operands(buffers_arg, &buffers);
        reader.put_types(types_arg, &types);
        reader.put_operands(offsets_arg, &offsets);
        reader.put_operands(lengths_arg, &lengths);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let [buffers, _, offsets, lengths] = args else { return None };
        let buffers = printer.group(buffers);
        let (offsets, lengths) = (printer.group(offsets), printer.group(lengths));
        if offsets.len() != buffers.len() || lengths.len() != buffers.len() {
            return None;
        }
        for (i, &buffer) in buffers.iter().enumerate() {
            printer.text(if i > 0 { ", " } else { "" });
            printer.newline(1);
            printer.text("(");
            printer.value(buffer);
            printer.text(" : ");
            printer.ty(printer.value_type(buffer));
            printer.text(")[");
            printer.values(&[offsets[i], lengths[i]]);
            printer.text("]");
        }
        printer.newline(0);
        Some(())
    }
}
