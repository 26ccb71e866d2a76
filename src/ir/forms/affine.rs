//! Operations of the affine dialect: loops, conditions, and accesses through maps over values.
//!
//! Specification: the forms read and print the same texts as the C++ code of the operations in MLIR.

use super::error::wrong_operands;
use super::index_list::i32_array;
use super::lists::{
    arguments, assignments, comma_separated, enclosed, entry_arguments, operand_list, optional_results,
    print_assignments, then_and_else, types,
};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{CustomForm, FormPrinter, FormReader, FormResult, Forms, OperandName};
use crate::ir::ids::{AttrId, ValueId};

pub(super) fn register(forms: &mut Forms) {
    forms.add_form("affine.apply", Mapped { counts_dims: true });
    forms.add_form("affine.min", Mapped { counts_dims: false });
    forms.add_form("affine.max", Mapped { counts_dims: false });
    for (op, access) in [
        ("affine.load", Access { stores: false, vector: false }),
        ("affine.store", Access { stores: true, vector: false }),
        ("affine.vector_load", Access { stores: false, vector: true }),
        ("affine.vector_store", Access { stores: true, vector: true }),
    ] {
        forms.add_form(op, access);
    }
    forms.add_form("affine.prefetch", Prefetch);
    forms.add_form("affine.for", For);
    forms.add_form("affine.if", If);
    forms.add_form("affine.parallel", Parallel);
}

/// Reads `(%dims)[%symbols]` as the operands of a map or set with these numbers of dimensions and symbols. `noun` is
/// the word for the map or set in messages. If `counts_dims` is false, only the number of all operands is checked.
fn dims_and_symbols(
    reader: &mut dyn FormReader,
    noun: &str,
    (dims, symbols): (u32, u32),
    counts_dims: bool,
) -> FormResult<Vec<OperandName>> {
    let mut names = operand_list(reader)?;
    let given_dims = names.len();
    if reader.is_literal("[") {
        names.extend(enclosed(reader, ("[", "]"), |r| r.operand())?);
    }
    let (wanted, given) = (dims as usize + symbols as usize, names.len());
    if given != wanted {
        return Err(wrong_operands(reader, noun, "operand", wanted, given));
    }
    if counts_dims && given_dims != dims as usize {
        return Err(wrong_operands(reader, noun, "dimension", dims as usize, given_dims));
    }
    Ok(names)
}

/// Reads `affine_map<…>(%dims)[%symbols]`.
fn map_and_operands(
    reader: &mut dyn FormReader,
    counts_dims: bool,
) -> FormResult<(AttrId, Vec<OperandName>)> {
    let map = reader.attribute(None)?;
    let AttrKind::AffineMap(kind) = reader.attr_kind(map) else {
        return Err(reader.expected("an affine map before the operands"));
    };
    let counts = (kind.dims, kind.symbols);
    Ok((map, dims_and_symbols(reader, "map", counts, counts_dims)?))
}

/// Prints `(%dims)[%symbols]`.
fn print_dims_and_symbols(printer: &mut dyn FormPrinter, map: AttrId, operands: &[ValueId]) -> Option<()> {
    let dims = match printer.attr_kind(map) {
        AttrKind::AffineMap(map) => map.dims,
        AttrKind::IntegerSet(set) => set.dims,
        _ => return None,
    };
    let (dims, symbols) = operands.split_at_checked(dims as usize)?;
    printer.text("(");
    printer.values(dims);
    printer.text(")");
    if !symbols.is_empty() {
        printer.text("[");
        printer.values(symbols);
        printer.text("]");
    }
    Some(())
}

/// The values that occur in expressions, as the dimensions and symbols of a map.
#[derive(Default)]
struct Inputs {
    dims: Vec<(String, OperandName)>,
    symbols: Vec<(String, OperandName)>,
}

impl Inputs {
    /// Reads an expression up to a comma or a closing bracket. Returns it with dimensions and symbols in place of the
    /// values.
    fn expression(&mut self, reader: &mut dyn FormReader) -> FormResult<String> {
        const SIGNS: [&str; 6] = ["+", "-", "*", "floordiv", "ceildiv", "mod"];
        let mut text = String::new();
        let mut depth = 0usize;
        loop {
            if reader.optional_literal("symbol") {
                reader.literal("(")?;
                self.input(reader, &mut text, true)?;
                reader.literal(")")?;
            } else if reader.is_operand() {
                self.input(reader, &mut text, false)?;
            } else if let Some(sign) = SIGNS.into_iter().find(|sign| reader.optional_literal(sign)) {
                text.push_str(sign);
            } else if reader.optional_literal("(") {
                depth += 1;
                text.push('(');
            } else if depth > 0 && reader.optional_literal(")") {
                depth -= 1;
                text.push(')');
            } else if let Some(number) = reader.optional_integer()? {
                text.push_str(&number.to_string());
            } else if text.is_empty() || depth > 0 {
                return Err(reader.expected("an affine expression"));
            } else {
                return Ok(text);
            }
            text.push(' ');
        }
    }

    fn input(&mut self, reader: &mut dyn FormReader, text: &mut String, symbol: bool) -> FormResult<()> {
        let operand = reader.operand()?;
        let name = reader.operand_text(operand);
        let (list, sigil) = if symbol { (&mut self.symbols, 's') } else { (&mut self.dims, 'd') };
        let known = list.iter().position(|entry| entry.0 == name);
        let index = known.unwrap_or_else(|| {
            list.push((name, operand));
            list.len() - 1
        });
        text.push_str(&format!("{sigil}{index}"));
        Ok(())
    }

    /// The map with these results, and its operands.
    fn map(&self, reader: &mut dyn FormReader, results: &[String]) -> FormResult<(AttrId, Vec<OperandName>)> {
        let names = |sigil: char, count: usize| -> Vec<String> {
            (0..count).map(|index| format!("{sigil}{index}")).collect()
        };
        let (dims, symbols) = (names('d', self.dims.len()), names('s', self.symbols.len()));
        let text =
            format!("affine_map<({})[{}] -> ({})>", dims.join(", "), symbols.join(", "), results.join(", "));
        let map = reader.attr_of_text(&text)?;
        let operands = self.dims.iter().chain(&self.symbols).map(|entry| entry.1).collect();
        Ok((map, operands))
    }
}

/// Reads a map over values in brackets, `[%i + 1, symbol(%n)]`.
fn written_map(reader: &mut dyn FormReader) -> FormResult<(AttrId, Vec<OperandName>)> {
    let mut inputs = Inputs::default();
    let results = enclosed(reader, ("[", "]"), |r| inputs.expression(r))?;
    inputs.map(reader, &results)
}

/// The results of a map as texts.
fn result_texts(printer: &dyn FormPrinter, map: AttrId) -> Option<Vec<String>> {
    let AttrKind::AffineMap(_) = printer.attr_kind(map) else { return None };
    let text = printer.attr_text(map);
    let inside = text.split_once("-> (")?.1.strip_suffix(")>")?;
    if inside.is_empty() {
        return Some(Vec::new());
    }
    let mut depth = 0i32;
    let parts = inside.split(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        c == ',' && depth == 0
    });
    Some(parts.map(|part| part.trim().to_owned()).collect())
}

/// Prints an expression with values in place of its dimensions and symbols.
fn print_expression(
    printer: &mut dyn FormPrinter,
    map: AttrId,
    text: &str,
    operands: &[ValueId],
) -> Option<()> {
    let AttrKind::AffineMap(kind) = printer.attr_kind(map) else { return None };
    let dims = kind.dims as usize;
    let mut rest = text;
    while !rest.is_empty() {
        let is_word = |c: char| c.is_ascii_alphanumeric();
        let end = rest.find(is_word).unwrap_or(rest.len());
        printer.text(&rest[..end]);
        rest = &rest[end..];
        let (word, after) = rest.split_at(rest.find(|c| !is_word(c)).unwrap_or(rest.len()));
        let index = |sigil| word.strip_prefix(sigil).and_then(|digits: &str| digits.parse::<usize>().ok());
        if let Some(dim) = index('d') {
            printer.value(*operands.get(dim)?);
        } else if let Some(symbol) = index('s') {
            printer.text("symbol(");
            printer.value(*operands.get(dims + symbol)?);
            printer.text(")");
        } else {
            printer.text(word);
        }
        rest = after;
    }
    Some(())
}

/// Prints a map over values in brackets.
fn print_written_map(printer: &mut dyn FormPrinter, map: AttrId, operands: &[ValueId]) -> Option<()> {
    printer.text("[");
    for (i, text) in result_texts(printer, map)?.iter().enumerate() {
        if i > 0 {
            printer.text(", ");
        }
        print_expression(printer, map, text, operands)?;
    }
    printer.text("]");
    Some(())
}

/// `affine.apply affine_map<…>(%dims)[%symbols]`, and the same syntax for `affine.min` and `affine.max`.
#[derive(Debug)]
struct Mapped {
    /// True if MLIR checks the numbers of dimensions and symbols, not only the number of operands.
    counts_dims: bool,
}

impl CustomForm for Mapped {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let (map, names) = map_and_operands(reader, self.counts_dims)?;
        reader.set("map", map);
        reader.add_operands(&names, &vec![Context::INDEX; names.len()])?;
        reader.add_results(&[Context::INDEX]);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let map = printer.get("map")?;
        printer.text(" ");
        printer.attribute(map);
        let operands = printer.operands();
        print_dims_and_symbols(printer, map, &operands)?;
        printer.attr_dict(false, &["map"]);
        Some(())
    }
}

/// `affine.load %m[%i + 1] : t` or `affine.store %v, %m[%i] : t`. The operations for vectors have a second type:
/// `affine.vector_load %m[%i + 1] : t, u`.
#[derive(Debug)]
struct Access {
    stores: bool,
    vector: bool,
}

impl CustomForm for Access {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let value = if self.stores {
            let value = reader.operand()?;
            reader.literal(",")?;
            Some(value)
        } else {
            None
        };
        let base = reader.operand()?;
        let (map, indices) = written_map(reader)?;
        reader.set("map", map);
        reader.attr_dict(false)?;
        reader.literal(":")?;
        let shaped = reader.ty()?;
        let ty = if self.vector {
            reader.literal(",")?;
            reader.ty()?
        } else {
            match reader.type_kind(shaped).element() {
                Some(element) => element,
                None => return Err(reader.fail("the type must be a memref")),
            }
        };
        if let Some(value) = value {
            reader.add_operands(&[value], &[ty])?;
        } else {
            reader.add_results(&[ty]);
        }
        reader.add_operands(&[base], &[shaped])?;
        reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let map = printer.get("map")?;
        let (value, rest) = match (self.stores, operands.split_first()?) {
            (true, (&value, rest)) => (value, rest),
            (false, _) => (*printer.results().first()?, operands.as_slice()),
        };
        let (&base, indices) = rest.split_first()?;
        printer.text(" ");
        if self.stores {
            printer.value(value);
            printer.text(", ");
        }
        printer.value(base);
        print_written_map(printer, map, indices)?;
        printer.attr_dict(false, &["map"]);
        printer.text(" : ");
        printer.ty(printer.value_type(base));
        if self.vector {
            printer.text(", ");
            printer.ty(printer.value_type(value));
        }
        Some(())
    }
}

/// `affine.prefetch %m[%i], read, locality<3>, data : t`
#[derive(Debug)]
struct Prefetch;

impl CustomForm for Prefetch {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let base = reader.operand()?;
        let (map, indices) = written_map(reader)?;
        reader.set("map", map);
        let ty = super::memref::read_prefetch(reader)?;
        reader.add_operands(&[base], &[ty])?;
        reader.add_operands(&indices, &vec![Context::INDEX; indices.len()])
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let operands = printer.operands();
        let (&base, indices) = operands.split_first()?;
        printer.text(" ");
        printer.value(base);
        let map = printer.get("map")?;
        print_written_map(printer, map, indices)?;
        super::memref::print_prefetch(printer, base)
    }
}

/// Reads a bound of `affine.for`: an integer, a value, or a map with operands.
fn read_bound(reader: &mut dyn FormReader, word: &str) -> FormResult<(AttrId, Vec<OperandName>)> {
    if let Some(number) = reader.optional_integer()? {
        return Ok((reader.attr_of_text(&format!("affine_map<() -> ({number})>"))?, Vec::new()));
    }
    if reader.is_operand() {
        let operand = reader.operand()?;
        return Ok((reader.attr_of_text("affine_map<()[s0] -> (s0)>")?, vec![operand]));
    }
    reader.optional_literal(word);
    map_and_operands(reader, true)
}

fn print_bound(printer: &mut dyn FormPrinter, name: &str, word: &str, operands: &[ValueId]) -> Option<()> {
    let map = printer.get(name)?;
    let results = result_texts(printer, map)?;
    if let [only] = results.as_slice() {
        if operands.is_empty() && only.parse::<i64>().is_ok() {
            printer.text(only);
            return Some(());
        }
        if only == "s0" && operands.len() == 1 {
            printer.value(operands[0]);
            return Some(());
        }
    } else {
        printer.text(word);
        printer.text(" ");
    }
    printer.attribute(map);
    print_dims_and_symbols(printer, map, operands)
}

/// `affine.for %i = 0 to min affine_map<…>(%n) step 2 iter_args(%x = %y) -> (t) {…}`
#[derive(Debug)]
struct For;

impl CustomForm for For {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let variable = reader.operand()?;
        let loc = reader.argument_loc(Some(variable))?;
        let mut names = vec![variable];
        reader.literal("=")?;
        let (lower, lower_operands) = read_bound(reader, "max")?;
        reader.literal("to")?;
        let (upper, upper_operands) = read_bound(reader, "min")?;
        let step = if reader.optional_literal("step") {
            reader.optional_integer()?.ok_or_else(|| reader.expected("an integer"))?
        } else {
            1
        };
        let step = reader.attr_of_text(&format!("{step} : index"))?;
        for (name, value) in [("lowerBoundMap", lower), ("upperBoundMap", upper), ("step", step)] {
            reader.set(name, value);
        }
        let (mut inits, mut results) = (Vec::new(), Vec::new());
        if reader.optional_literal("iter_args") {
            let (more, values) = assignments(reader)?;
            names.extend(more);
            inits = values;
            reader.literal("->")?;
            results = reader.result_types()?;
        }
        for operands in [&lower_operands, &upper_operands] {
            reader.add_operands(operands, &vec![Context::INDEX; operands.len()])?;
        }
        reader.add_operands(&inits, &results)?;
        reader.add_results(&results);
        let sizes = i32_array(reader, &[lower_operands.len(), upper_operands.len(), inits.len()]);
        reader.set("operandSegmentSizes", sizes);
        let mut types = vec![Context::INDEX];
        types.extend(results);
        let mut arguments = arguments(reader, &names, &types)?;
        arguments[0].loc = loc;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "affine.yield");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let sizes = printer.sizes("operandSegmentSizes")?;
        let [lower, upper, inits] = *sizes.as_slice() else { return None };
        let operands = printer.operands();
        if operands.len() != lower + upper + inits {
            return None;
        }
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let (&variable, carried) = arguments.split_first()?;
        let AttrKind::Integer { value: step, .. } = printer.attr_kind(printer.get("step")?) else {
            return None;
        };
        let step = step.to_i64()?;
        printer.text(" ");
        printer.value(variable);
        printer.location(printer.argument_loc(*printer.blocks(region).first()?, 0));
        printer.text(" = ");
        print_bound(printer, "lowerBoundMap", "max", &operands[..lower])?;
        printer.text(" to ");
        print_bound(printer, "upperBoundMap", "min", &operands[lower..lower + upper])?;
        if step != 1 {
            printer.text(&format!(" step {step}"));
        }
        let inits = &operands[lower + upper..];
        if !inits.is_empty() {
            print_assignments(printer, " iter_args", carried, inits)?;
            printer.text(" -> (");
            let types = types(printer, inits);
            printer.types(&types);
            printer.text(")");
        }
        printer.text(" ");
        printer.region(region, false, !inits.is_empty());
        printer.attr_dict(false, &["lowerBoundMap", "upperBoundMap", "step", "operandSegmentSizes"]);
        Some(())
    }
}

/// `affine.if affine_set<…>(%dims)[%symbols] -> t {…} else {…}`
#[derive(Debug)]
struct If;

impl CustomForm for If {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let condition = reader.attribute(None)?;
        let AttrKind::IntegerSet(set) = reader.attr_kind(condition) else {
            return Err(reader.expected("an integer set before the operands"));
        };
        let counts = (set.dims, set.symbols);
        reader.set("condition", condition);
        let operands = dims_and_symbols(reader, "set", counts, true)?;
        reader.add_operands(&operands, &vec![Context::INDEX; operands.len()])?;
        let results = optional_results(reader)?;
        reader.add_results(&results);
        then_and_else(reader, "affine.yield")?;
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let [then, other] = *printer.regions().as_slice() else { return None };
        let condition = printer.get("condition")?;
        printer.text(" ");
        printer.attribute(condition);
        let operands = printer.operands();
        print_dims_and_symbols(printer, condition, &operands)?;
        let results = types(printer, &printer.results());
        printer.arrow_types(&results);
        printer.text(" ");
        printer.region(then, true, !results.is_empty());
        if !printer.blocks(other).is_empty() {
            printer.text(" else ");
            printer.region(other, true, !results.is_empty());
        }
        printer.attr_dict(false, &["condition"]);
        Some(())
    }
}

/// The reductions of `affine.parallel`, by number.
const REDUCTIONS: [&str; 16] = [
    "addf", "addi", "andi", "assign", "maximumf", "maxnumf", "maxs", "maxu", "minimumf", "minnumf", "mins",
    "minu", "mulf", "muli", "ori", "xori",
];

/// `affine.parallel (%i) = (max(%a, 0)) to (%b) step (2) reduce ("addf") -> (t) {…}`
#[derive(Debug)]
struct Parallel;

impl Parallel {
    /// Reads bounds, which become the results of one map. A bound in `max(…)` or `min(…)` becomes a group of results.
    fn read_bounds(reader: &mut dyn FormReader, side: &str, word: &str) -> FormResult<Vec<OperandName>> {
        let mut inputs = Inputs::default();
        let groups = enclosed(reader, ("(", ")"), |r| {
            if !r.optional_literal(word) {
                return Ok(vec![inputs.expression(r)?]);
            }
            r.literal("(")?;
            let group = comma_separated(r, |r| inputs.expression(r))?;
            r.literal(")")?;
            Ok(group)
        })?;
        let (map, operands) = inputs.map(reader, &groups.concat())?;
        reader.set(&format!("{side}BoundsMap"), map);
        let sizes: Vec<String> = groups.iter().map(|group| group.len().to_string()).collect();
        let sizes = format!("dense<[{}]> : tensor<{}xi32>", sizes.join(", "), groups.len());
        let sizes = reader.attr_of_text(&sizes.replace("dense<[]>", "dense<>"))?;
        reader.set(&format!("{side}BoundsGroups"), sizes);
        Ok(operands)
    }

    fn print_bounds(
        printer: &mut dyn FormPrinter,
        side: &str,
        word: &str,
        operands: &mut &[ValueId],
    ) -> Option<()> {
        let map = printer.get(&format!("{side}BoundsMap"))?;
        let AttrKind::AffineMap(kind) = printer.attr_kind(map) else { return None };
        let own = operands.split_off(..(kind.dims + kind.symbols) as usize)?;
        let AttrKind::DenseElements { data, splat, .. } =
            printer.attr_kind(printer.get(&format!("{side}BoundsGroups"))?).clone()
        else {
            return None;
        };
        let results = result_texts(printer, map)?;
        let sizes = data.chunks(4).map(|bytes| Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize));
        let mut sizes: Vec<usize> = sizes.collect::<Option<_>>()?;
        if splat {
            let size = *sizes.first()?;
            sizes = vec![size; results.len().checked_div(size)?];
        }
        let mut rest = results.as_slice();
        printer.text("(");
        for (i, size) in sizes.into_iter().enumerate() {
            if i > 0 {
                printer.text(", ");
            }
            let group = rest.split_off(..size)?;
            if size != 1 {
                printer.text(word);
                printer.text("(");
            }
            for (j, text) in group.iter().enumerate() {
                if j > 0 {
                    printer.text(", ");
                }
                print_expression(printer, map, text, own)?;
            }
            if size != 1 {
                printer.text(")");
            }
        }
        printer.text(")");
        Some(())
    }

    fn integers(printer: &dyn FormPrinter, name: &str) -> Option<Vec<i64>> {
        let AttrKind::Array(items) = printer.attr_kind(printer.get(name)?) else { return None };
        let number = |&item: &AttrId| match printer.attr_kind(item) {
            AttrKind::Integer { value, .. } => value.to_i64(),
            _ => None,
        };
        items.iter().map(number).collect()
    }

    fn set_integers(reader: &mut dyn FormReader, name: &str, values: &[i64]) -> FormResult<()> {
        let texts: Vec<String> = values.iter().map(i64::to_string).collect();
        let value = reader.attr_of_text(&format!("[{}]", texts.join(", ")))?;
        reader.set(name, value);
        Ok(())
    }
}

impl CustomForm for Parallel {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let names = operand_list(reader)?;
        reader.literal("=")?;
        let mut operands = Self::read_bounds(reader, "lower", "max")?;
        reader.literal("to")?;
        operands.extend(Self::read_bounds(reader, "upper", "min")?);
        reader.add_operands(&operands, &vec![Context::INDEX; operands.len()])?;
        let steps = if reader.optional_literal("step") {
            enclosed(reader, ("(", ")"), |r| r.optional_integer()?.ok_or_else(|| r.expected("an integer")))?
        } else {
            vec![1; names.len()]
        };
        Self::set_integers(reader, "steps", &steps)?;
        let mut reductions = Vec::new();
        if reader.optional_literal("reduce") {
            reductions = enclosed(reader, ("(", ")"), |r| {
                let word = r.optional_string().unwrap_or_default();
                let number = REDUCTIONS.iter().position(|&known| known == word);
                let number = number.and_then(|number| i64::try_from(number).ok());
                number.ok_or_else(|| r.expected(&format!("one of the strings {}", REDUCTIONS.join(", "))))
            })?;
        }
        Self::set_integers(reader, "reductions", &reductions)?;
        let results = optional_results(reader)?;
        reader.add_results(&results);
        let arguments = arguments(reader, &names, &vec![Context::INDEX; names.len()])?;
        let region = reader.region(&arguments)?;
        reader.ensure_terminator(region, "affine.yield");
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let operands = printer.operands();
        let mut rest = operands.as_slice();
        printer.text(" (");
        printer.values(&arguments);
        printer.text(") = ");
        Self::print_bounds(printer, "lower", "max", &mut rest)?;
        printer.text(" to ");
        Self::print_bounds(printer, "upper", "min", &mut rest)?;
        let steps = Self::integers(printer, "steps")?;
        if steps.iter().any(|&step| step != 1) {
            let steps: Vec<String> = steps.iter().map(i64::to_string).collect();
            printer.text(&format!(" step ({})", steps.join(", ")));
        }
        let results = types(printer, &printer.results());
        if !results.is_empty() {
            let numbers = Self::integers(printer, "reductions")?;
            let words = numbers.iter().map(|&number| REDUCTIONS.get(usize::try_from(number).ok()?).copied());
            let words: Vec<String> =
                words.map(|word| Some(format!("\"{}\"", word?))).collect::<Option<_>>()?;
            printer.text(&format!(" reduce ({}) -> (", words.join(", ")));
            printer.types(&results);
            printer.text(")");
        }
        printer.text(" ");
        printer.region(region, false, !results.is_empty());
        printer.attr_dict(
            false,
            &[
                "lowerBoundsMap",
                "lowerBoundsGroups",
                "upperBoundsMap",
                "upperBoundsGroups",
                "steps",
                "reductions",
            ],
        );
        Some(())
    }
}
