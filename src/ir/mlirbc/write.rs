//! Writes a module as the bytes of a file.
//!
//! The module is walked twice. The first walk collects and numbers everything that the module refers to. The second
//! walk writes the operations with these numbers.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::bytes::Writer;
use super::encode::{AttrKey, Encoded, Encoding, Ref};
use super::error;
use super::layout::{LayoutLookup, Layouts};
use super::numbering::Numbering;
use super::properties;
use super::resources;
use super::uses::{ValueNumbers, region_values, written_order};
use super::version::{self, MAGIC, OpParts, SectionKind, VERSION};
use crate::host::{AttrNameId, OpNameId};
use crate::id::Id;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::ids::AttrId;
use crate::ir::module::{BlockId, Module, OpId, ValueId};
use crate::source::Diagnostics;

/// The name of the program that writes a file.
const PRODUCER: &str = concat!("drrvm ", env!("CARGO_PKG_VERSION"));

/// The stored form of the attributes and properties of an operation.
#[derive(Debug)]
struct Stored {
    /// The dictionary of attributes.
    attrs: AttrId,
    /// The index of the properties among the sets of properties in the file.
    properties: Option<usize>,
}

/// The parts of a file that are known after the first walk.
struct Plan {
    numbering: Numbering,
    stored: Vec<Stored>,
    /// By operation: the index of its stored form, and the index of its location among the attributes.
    ops: Vec<(usize, usize)>,
    properties: Vec<Encoding>,
    /// The operations whose properties cannot be written.
    unwritable: Vec<OpNameId>,
}

impl Plan {
    /// Records that the properties of an operation cannot be written.
    fn refuse(&mut self, op: OpNameId) {
        if !self.unwritable.contains(&op) {
            self.unwritable.push(op);
        }
    }
}

/// An operation whose regions are being written.
struct Frame {
    op: OpId,
    /// The index of the next region.
    region: usize,
    block: Option<BlockId>,
    next: Option<OpId>,
    /// True if the regions are a section of their own.
    in_section: bool,
}

pub(super) fn write(context: &mut Context, module: &Module, version: u64) -> Result<Vec<u8>, Diagnostics> {
    if version > VERSION {
        return Err(error::cannot_write_version(version).into());
    }
    resources::check(&module.resources)?;
    let values = ValueNumbers::new(module);
    if let Some(op) = values.outside {
        return Err(error::outside_value(context.op_name_text(module.name(op))).into());
    }
    let mut plan = collect(context, module, version);
    if !plan.unwritable.is_empty() {
        let mut errors = Diagnostics::default();
        for &op in &plan.unwritable {
            errors.push(error::unwritable_properties(context.op_name_text(op)));
        }
        return Err(errors);
    }
    let (data, sizes, alignment) = resources::write(context, &mut plan.numbering, &module.resources);
    plan.numbering.number_all();
    let operations = OpWriter { context, module, plan: &plan, values: &values, version }.section();

    let mut out = Writer::default();
    out.raw(MAGIC);
    out.number(version);
    out.zero_terminated(PRODUCER.as_bytes());
    let Plan { numbering, properties, .. } = &plan;
    out.section(SectionKind::Dialects, &dialects(numbering, version), 1);
    let [entries, entry_sizes] = attrs_and_types(numbering);
    out.section(SectionKind::AttrAndTypeSizes, &entry_sizes, 1);
    out.section(SectionKind::AttrsAndTypes, &entries, 1);
    out.section(SectionKind::Operations, &operations, 1);
    out.section(SectionKind::ResourceSizes, &sizes, 1);
    out.section(SectionKind::Resources, &data, alignment);
    let mut strings = Writer::default();
    numbering.strings.write(&mut strings);
    out.section(SectionKind::Strings, &strings.bytes, 1);
    if version >= version::PROPERTIES {
        let mut all = Writer::default();
        all.count(properties.len());
        for encoding in properties {
            let mut bytes = Writer::default();
            encoding.write(&encoding.whole(), &mut bytes, |to| numbering.number(to));
            all.blob(&bytes.bytes);
        }
        out.section(SectionKind::Properties, &all.bytes, 1);
    }
    Ok(out.bytes)
}

/// Collects everything that the operations refer to.
fn collect(context: &mut Context, module: &Module, version: u64) -> Plan {
    let mut plan = Plan {
        numbering: Numbering::default(),
        stored: Vec::new(),
        ops: vec![(0, 0); module.op_slots()],
        properties: Vec::new(),
        unwritable: Vec::new(),
    };
    // The dialect of most entries gets the smallest number.
    plan.numbering.dialect("builtin");
    let mut layouts = Layouts::default();
    // The index of the stored form, by the name, properties and attributes of the operation.
    let mut known: HashMap<(OpNameId, AttrId, AttrId), usize, FxBuildHasher> = HashMap::default();
    for op in module.preorder(module.top()) {
        let name = module.name(op);
        let key = (name, module.properties(op), module.attrs(op));
        let stored = *known.entry(key).or_insert_with(|| {
            let stored = store(context, &mut plan, &mut layouts, key, version);
            plan.stored.push(stored);
            plan.stored.len() - 1
        });
        let Plan { numbering, stored: all, ops, .. } = &mut plan;
        let registered = matches!(layouts.get(context, name), LayoutLookup::Layout(_));
        numbering.add_op_name(context, name, registered);
        if all[stored].attrs != Context::EMPTY_DICTIONARY {
            numbering.add(context, Ref::Attr(AttrKey::Attr(all[stored].attrs)));
        }
        ops[op.index()] = (stored, numbering.add_loc(context, module.loc(op)));
        for result in module.results(op) {
            numbering.add(context, Ref::Type(module.value_type(result)));
        }
        for block in module.regions(op).iter().flat_map(|&region| module.region_blocks(region)) {
            for (&arg, &loc) in module.args(block).iter().zip(module.arg_locs(block)) {
                numbering.add(context, Ref::Type(module.value_type(arg)));
                numbering.add_loc(context, loc);
            }
        }
    }
    plan
}

/// Chooses the encoding of an operation's attributes and properties.
///
/// - A version without properties has one dictionary for properties and attributes. If this dictionary would lose a
///   property, or if a property that is not an attribute has another value than its initial value, the properties
///   cannot be written.
/// - If the operation has a definition, the properties must be a dictionary, and are stored in their native form.
///   Properties that do not fit the definition, or that only C++ code encodes, have no native form. They are stored in
///   the dictionary of attributes if the definition declares only attributes. In all other cases, they cannot be
///   written.
/// - If the operation has no definition, or if the definitions of its dialect have errors, the properties are stored in
///   the dictionary of attributes, or as one attribute if the dictionary would lose a property. MLIR takes this
///   attribute for native properties if it knows the definition, and then cannot read the operation.
fn store(
    context: &mut Context,
    plan: &mut Plan,
    layouts: &mut Layouts,
    (name, properties, attrs): (OpNameId, AttrId, AttrId),
    version: u64,
) -> Stored {
    let is_dictionary = matches!(context.attr_kind(properties), AttrKind::Dictionary(_));
    let mut properties = properties;
    let encoding = if version < version::PROPERTIES {
        // The lookup loads the definition.
        layouts.get(context, name);
        match attributes_only(context, name, properties) {
            Some(stored) if !loses_properties(context, stored, attrs) => properties = stored,
            _ => plan.refuse(name),
        }
        None
    } else {
        match layouts.get(context, name).clone() {
            LayoutLookup::Layout(_) if !is_dictionary => {
                plan.refuse(name);
                None
            }
            LayoutLookup::Layout(layout) if layout.is_empty() && context.entries(properties).is_empty() => {
                return Stored { attrs, properties: None };
            }
            LayoutLookup::Layout(layout) if !layout.is_empty() => {
                let strings = &mut plan.numbering.strings;
                let encoding = properties::encode(context, strings, &layout, properties, version);
                // MLIR does not convert attributes to properties that are not attributes.
                if encoding.is_none() && !layout.properties.is_empty() {
                    plan.refuse(name);
                }
                encoding
            }
            LayoutLookup::NoOperation | LayoutLookup::NoDialect | LayoutLookup::Error(_)
                if loses_properties(context, properties, attrs) =>
            {
                Some(properties::attribute(context, properties))
            }
            _ => None,
        }
    };
    match encoding {
        Some(encoding) => {
            plan.numbering.add_all(context, &encoding);
            plan.properties.push(encoding);
            Stored { attrs, properties: Some(plan.properties.len() - 1) }
        }
        None => {
            let mut all = context.entries(attrs).to_vec();
            all.extend_from_slice(context.entries(properties));
            Stored { attrs: context.dictionary(&mut all), properties: None }
        }
    }
}

/// The properties that are attributes. The other properties are left out, because a reader of a version without
/// properties gives them their initial values. Returns `None` if a property that is left out does not have its initial
/// value.
fn attributes_only(context: &mut Context, name: OpNameId, properties: AttrId) -> Option<AttrId> {
    let Some(bound) = context.syntax(name).cloned() else { return Some(properties) };
    let is_dictionary = matches!(context.attr_kind(properties), AttrKind::Dictionary(_));
    if !is_dictionary || bound.property_names.is_empty() {
        return Some(properties);
    }
    let mut entries = context.entries(properties).to_vec();
    for (property, initial) in bound.property_names.iter().zip(&bound.initial_properties) {
        let stored = entries.iter().position(|(name, _)| name == property);
        if stored.is_some_and(|stored| Some(entries.remove(stored).1) != *initial) {
            return None;
        }
    }
    Some(context.dictionary(&mut entries))
}

/// True if one dictionary for properties and attributes would lose a property. An entry of both dictionaries with equal
/// values is not lost; custom forms can leave an inherent attribute in both.
fn loses_properties(context: &Context, properties: AttrId, attrs: AttrId) -> bool {
    let has_other_value = |&(name, value): &(AttrNameId, AttrId)| {
        context.entries(attrs).iter().any(|&(other, attr)| other == name && attr != value)
    };
    !matches!(context.attr_kind(properties), AttrKind::Dictionary(_))
        || context.entries(properties).iter().any(has_other_value)
}

fn dialects(numbering: &Numbering, version: u64) -> Vec<u8> {
    let mut out = Writer::default();
    out.count(numbering.dialects.len());
    for &name in &numbering.dialects {
        match version {
            version::DIALECT_VERSIONS.. => out.flagged(name, false),
            _ => out.number(name),
        }
    }
    if version >= version::ELIDED_LOCATIONS {
        out.count(numbering.op_names.len());
    }
    numbering.op_names.write_groups(&mut out, |out, name| match version {
        version::PROPERTIES.. => out.flagged(name.string, name.registered),
        _ => out.number(name.string),
    });
    out.bytes
}

/// The attributes and types, and their sizes.
fn attrs_and_types(numbering: &Numbering) -> [Vec<u8>; 2] {
    let (mut data, mut sizes) = (Writer::default(), Writer::default());
    sizes.count(numbering.attrs.len());
    sizes.count(numbering.types.len());
    let mut entry = |sizes: &mut Writer, encoded: &Encoded| {
        let before = data.bytes.len();
        numbering.encodings.write(&encoded.part, &mut data, |to| numbering.number(to));
        sizes.flagged((data.bytes.len() - before) as u64, encoded.binary);
    };
    numbering.attrs.write_groups(&mut sizes, &mut entry);
    numbering.types.write_groups(&mut sizes, &mut entry);
    [data.bytes, sizes.bytes]
}

/// A writer of operations.
struct OpWriter<'w> {
    context: &'w Context,
    module: &'w Module,
    plan: &'w Plan,
    values: &'w ValueNumbers,
    version: u64,
}

impl OpWriter<'_> {
    /// The section of operations.
    fn section(&self) -> Vec<u8> {
        // The innermost section is last.
        let mut sections = vec![Writer::default()];
        let mut stack = Vec::new();
        sections[0].flagged(1, false);
        self.op(self.module.top(), &mut sections, &mut stack);
        while let (Some(frame), Some(out)) = (stack.last_mut(), sections.last_mut()) {
            let Frame { op, .. } = *frame;
            if let Some(next) = frame.next {
                frame.next = self.module.next(next);
                self.op(next, &mut sections, &mut stack);
            } else if let Some(block) = frame.block {
                frame.block = self.module.next_block(block);
                frame.next = self.module.first_op(block);
                self.block(block, out);
            } else if let Some(&region) = self.module.regions(op).get(frame.region) {
                frame.region += 1;
                frame.block = self.module.first_block(region);
                let blocks = self.module.region_blocks(region).count();
                out.count(blocks);
                if blocks > 0 {
                    out.count(region_values(self.module, region));
                }
            } else {
                if frame.in_section
                    && let Some(section) = sections.pop()
                    && let Some(out) = sections.last_mut()
                {
                    out.section(SectionKind::Operations, &section.bytes, 1);
                }
                stack.pop();
            }
        }
        sections.swap_remove(0).bytes
    }

    fn number(&self, to: Ref) -> u64 {
        self.plan.numbering.number(to)
    }

    fn block(&self, block: BlockId, out: &mut Writer) {
        let args = self.module.args(block);
        out.flagged(self.module.ops(block).count() as u64, !args.is_empty());
        if args.is_empty() {
            return;
        }
        out.count(args.len());
        for (&arg, &loc) in args.iter().zip(self.module.arg_locs(block)) {
            let ty = self.number(Ref::Type(self.module.value_type(arg)));
            let has_loc = self.version < version::ELIDED_LOCATIONS || loc != Context::UNKNOWN;
            match self.version {
                version::ELIDED_LOCATIONS.. => out.flagged(ty, has_loc),
                _ => out.number(ty),
            }
            if has_loc {
                out.number(self.number(Ref::Attr(AttrKey::loc(self.context, loc))));
            }
        }
        if self.version >= version::USE_ORDERS {
            let orders = self.use_orders(args.iter().copied());
            out.byte(u8::from(!orders.is_empty()));
            out.raw(&orders);
        }
    }

    /// Writes an operation up to its regions, and begins its regions.
    fn op(&self, op: OpId, sections: &mut Vec<Writer>, stack: &mut Vec<Frame>) {
        let Some(out) = sections.last_mut() else { return };
        let module = self.module;
        let name = module.name(op);
        let (stored, loc) = self.plan.ops[op.index()];
        let stored = &self.plan.stored[stored];
        let results = module.results(op);
        let orders = match self.version {
            version::USE_ORDERS.. => self.use_orders(module.results(op)),
            _ => Vec::new(),
        };
        let (operands, successors) = (module.operands(op), module.successors(op));
        let regions = module.regions(op);
        let parts = [
            (OpParts::ATTRS, stored.attrs != Context::EMPTY_DICTIONARY),
            (OpParts::PROPERTIES, stored.properties.is_some()),
            (OpParts::RESULTS, results.len() > 0),
            (OpParts::OPERANDS, !operands.is_empty()),
            (OpParts::SUCCESSORS, !successors.is_empty()),
            (OpParts::USE_ORDERS, !orders.is_empty()),
            (OpParts::REGIONS, !regions.is_empty()),
        ];
        let mask = parts.into_iter().filter(|part| part.1).fold(0, |mask, part| mask | part.0);
        out.number(self.plan.numbering.op_names.number(name));
        out.byte(mask);
        out.number(self.plan.numbering.attrs.number_at(loc));
        if mask & OpParts::ATTRS != 0 {
            out.number(self.number(Ref::Attr(AttrKey::Attr(stored.attrs))));
        }
        if let Some(properties) = stored.properties {
            out.count(properties);
        }
        if mask & OpParts::RESULTS != 0 {
            out.count(results.len());
            results.for_each(|result| out.number(self.number(Ref::Type(module.value_type(result)))));
        }
        if !operands.is_empty() {
            out.count(operands.len());
            operands.iter().for_each(|&value| out.number(self.values.number(value)));
        }
        if !successors.is_empty() {
            out.count(successors.len());
            successors.iter().for_each(|&block| out.number(self.values.block(block)));
        }
        out.raw(&orders);
        if regions.is_empty() {
            return;
        }
        let isolated = self.values.is_isolated(op);
        out.flagged(regions.len() as u64, isolated);
        let in_section = isolated && self.version >= version::REGION_SECTIONS;
        if in_section {
            sections.push(Writer::default());
        }
        stack.push(Frame { op, region: 0, block: None, next: None, in_section });
    }

    /// The orders of uses, for the values whose uses are not in the reference order.
    fn use_orders(&self, values: impl ExactSizeIterator<Item = ValueId>) -> Vec<u8> {
        let count = values.len();
        let orders: Vec<_> = values
            .enumerate()
            .filter_map(|(index, value)| Some((index, written_order(self.module, self.values, value)?)))
            .collect();
        let mut out = Writer::default();
        if orders.is_empty() {
            return out.bytes;
        }
        if count != 1 {
            out.count(orders.len());
        }
        for (index, places) in orders {
            if count != 1 {
                out.count(index);
            }
            let moved = places.iter().enumerate().filter(|&(from, &to)| from != to);
            let moved: Vec<(usize, usize)> = moved.map(|(from, &to)| (from, to)).collect();
            // Pairs of indices are shorter than a list of all indices if few uses move.
            if moved.len() < places.len() / 2 {
                out.flagged(2 * moved.len() as u64, true);
                for (from, to) in moved {
                    out.count(from);
                    out.count(to);
                }
            } else {
                out.flagged(places.len() as u64, false);
                places.iter().for_each(|&place| out.count(place));
            }
        }
        out.bytes
    }
}
