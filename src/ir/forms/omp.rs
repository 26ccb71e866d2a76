//! Forms of OpenMP: clauses that declare the arguments of a region, map clauses, and loop nests.

use super::error::wrong_arguments;
use super::lists::{
    arguments, comma_separated, enclosed, entry_arguments, operand_list, print_values, types,
};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    CustomDirective, CustomForm, DirectiveArg, FormPrinter, FormReader, FormResult, Forms,
};
use crate::ir::ids::{AttrId, TypeId, ValueId};

/// A part of a clause, as an argument of a directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// The variables.
    Values,
    /// The types of the variables.
    Types,
    /// The symbols of the declarations, such as reductions, that the clause applies to the variables.
    Symbols,
    /// True for each variable that is passed by reference.
    ByRef,
    /// `private_barrier` after the clause.
    Barrier,
    /// The indices of map entries, `[map_idx=0]`.
    Maps,
    /// `mod: word` before the variables.
    Modifier,
}

type Clause = (&'static str, &'static [Part]);

const PRIVATE: Clause = ("private", &[Part::Values, Part::Types, Part::Symbols, Part::Barrier]);
const REDUCTION: Clause =
    ("reduction", &[Part::Modifier, Part::Values, Part::Types, Part::ByRef, Part::Symbols]);
const IN_REDUCTION: Clause = ("in_reduction", &[Part::Values, Part::Types, Part::ByRef, Part::Symbols]);

const REGIONS: &[(&str, &[Clause])] = &[
    ("PrivateRegion", &[PRIVATE]),
    ("PrivateReductionRegion", &[PRIVATE, REDUCTION]),
    ("InReductionPrivateRegion", &[IN_REDUCTION, PRIVATE]),
    ("InReductionPrivateReductionRegion", &[IN_REDUCTION, PRIVATE, REDUCTION]),
    ("TaskReductionRegion", &[("task_reduction", &[Part::Values, Part::Types, Part::ByRef, Part::Symbols])]),
    (
        "UseDeviceAddrUseDevicePtrRegion",
        &[
            ("use_device_addr", &[Part::Values, Part::Types]),
            ("use_device_ptr", &[Part::Values, Part::Types]),
        ],
    ),
    (
        "TargetOpRegion",
        &[
            ("has_device_addr", &[Part::Values, Part::Types]),
            ("host_eval", &[Part::Values, Part::Types]),
            IN_REDUCTION,
            ("map_entries", &[Part::Values, Part::Types]),
            ("private", &[Part::Values, Part::Types, Part::Symbols, Part::Barrier, Part::Maps]),
        ],
    ),
];

pub(super) fn register(forms: &mut Forms) {
    for &(name, clauses) in REGIONS {
        forms.add_directive(name, ClauseRegion { name, clauses });
    }
    forms.add_directive("MapClause", MapClause);
    forms.add_directive("CaptureType", CaptureType);
    forms.add_directive("MembersIndex", MembersIndex);
    forms.add_form("omp.loop_nest", LoopNest);
}

/// `private(@p %a -> %x : t) reduction(@r %b -> %y : u) {…}`
#[derive(Debug)]
struct ClauseRegion {
    name: &'static str,
    clauses: &'static [Clause],
}

/// The argument that stands for the wanted part of a clause.
fn part<'a>(parts: &[Part], args: &'a [DirectiveArg], wanted: Part) -> Option<&'a DirectiveArg> {
    args.get(parts.iter().position(|&part| part == wanted)?)
}

impl ClauseRegion {
    /// The region, and the arguments of each clause.
    fn split<'a>(&self, args: &'a [DirectiveArg]) -> Option<(&'a DirectiveArg, Vec<&'a [DirectiveArg]>)> {
        let (region, mut rest) = args.split_first()?;
        let mut all = Vec::new();
        for (_, parts) in self.clauses {
            all.push(rest.split_off(..parts.len())?);
        }
        rest.is_empty().then_some((region, all))
    }
}

impl CustomDirective for ClauseRegion {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let Some((region, all)) = self.split(args) else {
            let count = 1 + self.clauses.iter().map(|(_, parts)| parts.len()).sum::<usize>();
            return Err(wrong_arguments(reader, self.name, &format!("{count} arguments"), args));
        };
        let mut inside = Vec::new();
        for (&(word, parts), args) in self.clauses.iter().zip(all) {
            if !reader.optional_literal(word) {
                continue;
            }
            reader.literal("(")?;
            if let Some(modifier) = part(parts, args, Part::Modifier)
                && reader.optional_literal("mod")
            {
                reader.literal(":")?;
                let Some(word) = reader.optional_keyword() else { return Err(reader.expected("a modifier")) };
                let value = reader.attr_of_text(&format!("#omp<reduction_modifier({word})>"))?;
                reader.put_attribute(modifier, value);
                reader.literal(",")?;
            }
            let (mut values, mut names) = (Vec::new(), Vec::new());
            let (mut symbols, mut by_ref, mut maps) = (Vec::new(), Vec::new(), Vec::new());
            comma_separated(reader, |r| {
                by_ref.push(u8::from(r.optional_literal("byref")));
                if part(parts, args, Part::Symbols).is_some() {
                    symbols.push(r.attribute(None)?);
                }
                values.push(r.operand()?);
                r.literal("->")?;
                names.push(r.operand()?);
                let mut map = -1;
                if r.optional_literal("[") {
                    r.literal("map_idx")?;
                    r.literal("=")?;
                    map = r.optional_integer()?.ok_or_else(|| r.expected("an index"))?;
                    r.literal("]")?;
                }
                maps.push(map);
                Ok(())
            })?;
            reader.literal(":")?;
            let types = comma_separated(reader, |r| r.ty())?;
            reader.literal(")")?;
            for (wanted, arg) in parts.iter().zip(args) {
                match wanted {
                    Part::Values => reader.put_operands(arg, &values),
                    Part::Types => reader.put_types(arg, &types),
                    Part::Symbols => {
                        let list = reader.intern_attr(AttrKind::Array(symbols.as_slice().into()));
                        reader.put_attribute(arg, list);
                    }
                    Part::ByRef => {
                        let data = by_ref.as_slice().into();
                        let list = reader.intern_attr(AttrKind::DenseArray { element: Context::I1, data });
                        reader.put_attribute(arg, list);
                    }
                    Part::Barrier => {
                        if reader.optional_literal("private_barrier") {
                            reader.put_attribute(arg, Context::UNIT);
                        }
                    }
                    Part::Maps => {
                        let list = super::index_list::i64_array(reader, &maps);
                        reader.put_attribute(arg, list);
                    }
                    Part::Modifier => {}
                }
            }
            inside.extend(arguments(reader, &names, &types)?);
        }
        let body = reader.region(&inside)?;
        reader.put_regions(region, &[body]);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let (region, all) = self.split(args)?;
        let [region] = *printer.regions_of(region).as_slice() else { return None };
        let names = entry_arguments(printer, region).unwrap_or_default();
        let mut names = names.as_slice();
        for (&(word, parts), args) in self.clauses.iter().zip(all) {
            let values = printer.group(part(parts, args, Part::Values)?);
            if values.is_empty() {
                continue;
            }
            let attribute = |wanted| part(parts, args, wanted).and_then(|arg| printer.attribute_of(arg));
            let symbols = match attribute(Part::Symbols).map(|attr| printer.attr_kind(attr)) {
                Some(AttrKind::Array(items)) => items.to_vec(),
                _ => Vec::new(),
            };
            let by_ref = match attribute(Part::ByRef).map(|attr| printer.attr_kind(attr)) {
                Some(AttrKind::DenseArray { data, .. }) => data.to_vec(),
                _ => Vec::new(),
            };
            let maps = attribute(Part::Maps).and_then(|attr| super::index_list::i64_items(printer, attr));
            let barrier = attribute(Part::Barrier).is_some();
            let modifier = attribute(Part::Modifier).map(|attr| printer.attr_text(attr));
            printer.text(&format!("{word}("));
            if let Some(modifier) = modifier {
                let word = modifier.strip_prefix("#omp<reduction_modifier(")?.strip_suffix(")>")?;
                printer.text(&format!("mod: {word}, "));
            }
            for (i, (&value, &name)) in values.iter().zip(names.split_off(..values.len())?).enumerate() {
                printer.text(if i > 0 { ", " } else { "" });
                printer.text(if by_ref.get(i) == Some(&1) { "byref " } else { "" });
                if let Some(&symbol) = symbols.get(i) {
                    printer.attribute(symbol);
                    printer.text(" ");
                }
                printer.value(value);
                printer.text(" -> ");
                printer.value(name);
                if let Some(map) = maps.as_ref().and_then(|maps| maps.get(i)).filter(|&&map| map >= 0) {
                    printer.text(&format!(" [map_idx={map}]"));
                }
            }
            printer.text(" : ");
            let types = types(printer, &values);
            printer.types(&types);
            printer.text(if barrier { ") private_barrier " } else { ") " });
        }
        printer.region(region, false, true);
        Some(())
    }
}

/// The flags of a map clause, in the order of the attribute: the name in the attribute, and the word in the text.
const MAP_FLAGS: [(&str, &str); 20] = [
    ("storage", "storage"),
    ("to", "to"),
    ("from", "from"),
    ("always", "always"),
    ("del", "delete"),
    ("return_param", "return_param"),
    ("priv", "private"),
    ("literal", "literal"),
    ("implicit", "implicit"),
    ("close", "close"),
    ("present", "present"),
    ("ompx_hold", "ompx_hold"),
    ("attach", "attach"),
    ("attach_always", "attach_always"),
    ("attach_none", "attach_none"),
    ("attach_auto", "attach_auto"),
    ("ref_ptr", "ref_ptr"),
    ("ref_ptee", "ref_ptee"),
    ("ref_ptr_ptee", "ref_ptr_ptee"),
    ("is_device_ptr", "is_device_ptr"),
];

/// The words of the flags that are printed before `to` and `from`, in this order.
const BEFORE: [&str; 5] = ["always", "implicit", "ompx_hold", "close", "present"];

/// `always, tofrom`
#[derive(Debug)]
struct MapClause;

impl CustomDirective for MapClause {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [flags] = args else { return Err(wrong_arguments(reader, "MapClause", "one argument", args)) };
        let words =
            comma_separated(reader, |r| r.optional_keyword().ok_or_else(|| r.expected("a map type")))?;
        let has = |word: &str| words.iter().any(|known| known == word);
        let set = MAP_FLAGS
            .iter()
            .filter(|(name, word)| has(word) || has("tofrom") && (*name == "to" || *name == "from"));
        let names: Vec<&str> = set.map(|(name, _)| *name).collect();
        let text = if names.is_empty() { "none".to_owned() } else { names.join("|") };
        let value = reader.attr_of_text(&format!("#omp<clause_map_flags {text}>"))?;
        reader.put_attribute(flags, value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let text = printer.attr_text(printer.attribute_of(args.first()?)?);
        let names = text.strip_prefix("#omp<clause_map_flags ")?.strip_suffix('>')?;
        let names: Vec<&str> = names.split('|').map(str::trim).collect();
        let mut words: Vec<&str> = BEFORE.into_iter().filter(|word| names.contains(word)).collect();
        match (names.contains(&"to"), names.contains(&"from")) {
            (true, true) => words.push("tofrom"),
            (true, false) => words.push("to"),
            (false, true) => words.push("from"),
            (false, false) => {}
        }
        let rest = MAP_FLAGS.iter().filter(|(name, word)| {
            names.contains(name) && !BEFORE.contains(word) && *name != "to" && *name != "from"
        });
        words.extend(rest.map(|(_, word)| *word));
        printer.text(&if words.is_empty() { "none".to_owned() } else { words.join(", ") });
        Some(())
    }
}

/// `ByRef`
#[derive(Debug)]
struct CaptureType;

impl CustomDirective for CaptureType {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [kind] = args else { return Err(wrong_arguments(reader, "CaptureType", "one argument", args)) };
        let Some(word) = reader.optional_keyword() else { return Err(reader.expected("a kind of capture")) };
        let value = reader.attr_of_text(&format!("#omp<variable_capture_kind({word})>"))?;
        reader.put_attribute(kind, value);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let text = printer.attr_text(printer.attribute_of(args.first()?)?);
        printer.text(text.strip_prefix("#omp<variable_capture_kind(")?.strip_suffix(")>")?);
        Some(())
    }
}

/// `[0], [1, 2]`
#[derive(Debug)]
struct MembersIndex;

impl CustomDirective for MembersIndex {
    fn read(&self, reader: &mut dyn FormReader, args: &[DirectiveArg]) -> FormResult<()> {
        let [members] = args else {
            return Err(wrong_arguments(reader, "MembersIndex", "one argument", args));
        };
        let lists = comma_separated(reader, |r| {
            let items = enclosed(r, ("[", "]"), |r| {
                let index = r.optional_integer()?.ok_or_else(|| r.expected("an index"))?;
                r.attr_of_text(&format!("{index} : i64"))
            })?;
            Ok(r.intern_attr(AttrKind::Array(items.into())))
        })?;
        let lists = reader.intern_attr(AttrKind::Array(lists.into()));
        reader.put_attribute(members, lists);
        Ok(())
    }

    fn print(&self, printer: &mut dyn FormPrinter, args: &[DirectiveArg]) -> Option<()> {
        let AttrKind::Array(lists) = printer.attr_kind(printer.attribute_of(args.first()?)?).clone() else {
            return None;
        };
        let index = |item: &AttrId| match printer.attr_kind(*item) {
            AttrKind::Integer { value, .. } => Some(value.to_i64()?.to_string()),
            _ => None,
        };
        let mut texts = Vec::new();
        for list in lists {
            let AttrKind::Array(items) = printer.attr_kind(list) else { return None };
            let items: Option<Vec<String>> = items.iter().map(index).collect();
            texts.push(format!("[{}]", items?.join(", ")));
        }
        printer.text(&texts.join(", "));
        Some(())
    }
}

/// `omp.loop_nest (%i) : i32 = (%a) to (%b) inclusive step (%c) {…}`
#[derive(Debug)]
struct LoopNest;

impl CustomForm for LoopNest {
    fn read(&self, reader: &mut dyn FormReader) -> FormResult<()> {
        let names = operand_list(reader)?;
        reader.literal(":")?;
        let ty: TypeId = reader.ty()?;
        reader.literal("=")?;
        let mut bounds = vec![operand_list(reader)?];
        reader.literal("to")?;
        bounds.push(operand_list(reader)?);
        if reader.optional_literal("inclusive") {
            reader.set("loop_inclusive", Context::UNIT);
        }
        reader.literal("step")?;
        bounds.push(operand_list(reader)?);
        for list in &bounds {
            if list.len() != names.len() {
                let (wanted, given) = (names.len(), list.len());
                return Err(reader.fail(&format!(
                    "the loop has {wanted} variables, but a list of bounds or steps has {given} values"
                )));
            }
            reader.add_operands(list, &vec![ty; list.len()])?;
        }
        if reader.optional_literal("collapse") {
            reader.literal("(")?;
            let count = reader.optional_integer()?.ok_or_else(|| reader.expected("an integer"))?;
            let count = reader.attr_of_text(&format!("{count} : i64"))?;
            reader.set("collapse_num_loops", count);
            reader.literal(")")?;
        }
        if reader.optional_literal("tiles") {
            let sizes = enclosed(reader, ("(", ")"), |r| {
                r.optional_integer()?.ok_or_else(|| r.expected("an integer"))
            })?;
            let sizes = super::index_list::i64_array(reader, &sizes);
            reader.set("tile_sizes", sizes);
        }
        let arguments = arguments(reader, &names, &vec![ty; names.len()])?;
        let region = reader.region(&arguments)?;
        reader.add_region(region);
        reader.attr_dict(false)
    }

    fn print(&self, printer: &mut dyn FormPrinter) -> Option<()> {
        let region = *printer.regions().first()?;
        let arguments = entry_arguments(printer, region)?;
        let operands = printer.operands();
        let count = arguments.len();
        if operands.len() != 3 * count || count == 0 {
            return None;
        }
        let third = |index: usize| -> &[ValueId] { &operands[index * count..(index + 1) * count] };
        print_values(printer, " ", &arguments);
        printer.text(" : ");
        printer.ty(printer.value_type(arguments[0]));
        print_values(printer, " = ", third(0));
        print_values(printer, " to ", third(1));
        if printer.get("loop_inclusive").is_some() {
            printer.text(" inclusive");
        }
        print_values(printer, " step ", third(2));
        if let Some(loops) = printer.get("collapse_num_loops") {
            let text = printer.attr_text(loops);
            printer.text(&format!(" collapse({})", text.split(' ').next()?));
        }
        if let Some(sizes) = printer.get("tile_sizes") {
            let sizes = super::index_list::i64_items(printer, sizes)?;
            let texts: Vec<String> = sizes.iter().map(i64::to_string).collect();
            printer.text(&format!(" tiles({})", texts.join(", ")));
        }
        printer.text(" ");
        printer.region(region, false, true);
        printer.attr_dict(false, &["loop_inclusive", "collapse_num_loops", "tile_sizes"]);
        Some(())
    }
}
