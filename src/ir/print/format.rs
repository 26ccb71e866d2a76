//! Prints operations by their declarative formats.
//!
//! Specification: the text equals the output of the printer that `mlir-tblgen` generates from the same format. An
//! operation is not printed in this form if reading its text would not give the same operation.
//!
//! White space depends on all preceding elements, even on elements that are not printed, because `mlir-tblgen`
//! determines the white space when it generates the printer.

use std::borrow::Cow;
use std::sync::Arc;

use smallvec::{SmallVec, smallvec};

use super::form::FormatPrinter;
use crate::host::{Arity, AttrNameId};
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::definitions::BoundSyntax;
use crate::ir::dialect::{
    AttrSyntax, DirectiveArg, Element, EnumSyntax, FormPrinter, Group, PropertySyntax, Syntax, Terminator,
    TypeFunction, TypeOperand, TypeSource, TypeSyntax,
};
use crate::ir::elements;
use crate::ir::ids::{AttrId, BlockId, RegionId, TypeId, ValueId};
use crate::snippet::entries_of;
use crate::stack::with_room;

/// The types of a group.
type GroupTypes = SmallVec<[TypeId; 4]>;

/// The state that decides if a space comes before the next element.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    wanted: bool,
    after_punctuation: bool,
}

impl FormatPrinter<'_, '_> {
    /// Writes the operation, after its name, in its declared format. Returns `None` if the format cannot express the
    /// operation.
    pub(super) fn print_declared(&mut self) -> Option<()> {
        let bound = self.bound?;
        let Syntax::Declared { elements, .. } = &bound.syntax.syntax else { return None };
        let syntax = &bound.syntax;
        let regions = self.regions().len();
        let fixed = syntax.regions.iter().filter(|region| !region.variadic).count();
        let open = fixed < syntax.regions.len();
        if regions < fixed || (regions > fixed && !open) {
            return None;
        }
        let successors = self.successors().len();
        let fixed = syntax.successors.iter().filter(|successor| !successor.variadic).count();
        let open = fixed < syntax.successors.len();
        if successors < fixed || (successors > fixed && !open) {
            return None;
        }
        if !matches!(
            self.context().attr_kind(self.module_printer.module.properties(self.op)),
            AttrKind::Dictionary(_)
        ) {
            return None;
        }
        self.check_types()?;
        self.check_properties(bound)?;
        let mut spacing = Spacing { wanted: true, after_punctuation: false };
        self.print_elements(elements, true, &mut spacing)
    }

    fn print_elements(&mut self, elements: &[Element], shown: bool, spacing: &mut Spacing) -> Option<()> {
        elements.iter().try_for_each(|element| self.print_element(element, shown, spacing))
    }

    fn print_literal(&mut self, text: &str, shown: bool, spacing: &mut Spacing) {
        let first = text.chars().next().unwrap_or(' ');
        let is_short = text.len() == 1 || text == "->";
        let tight = if spacing.after_punctuation { ">)}]," } else { "<>(){}[]," };
        let space = spacing.wanted && !(is_short && tight.contains(first));
        if shown {
            if space {
                self.text(" ");
            }
            self.text(text);
        }
        spacing.wanted = text.len() != 1 || !"<({[".contains(first);
        spacing.after_punctuation = first != '_' && !first.is_ascii_alphabetic();
    }

    fn print_element(&mut self, element: &Element, shown: bool, spacing: &mut Spacing) -> Option<()> {
        match element {
            Element::Literal(text) => {
                self.print_literal(text, shown, spacing);
                return Some(());
            }
            Element::Newline => {
                if shown {
                    self.newline(0);
                }
                return Some(());
            }
            Element::Space { printed } => {
                if *printed && shown {
                    self.text(" ");
                }
                *spacing = Spacing { wanted: false, after_punctuation: !printed };
                return Some(());
            }
            Element::Group(group) => return with_room(|| self.print_group(group, shown, spacing)),
            Element::Oilist(clauses) => return with_room(|| self.print_oilist(clauses, shown, spacing)),
            Element::AttrDict { keyword } => {
                if shown {
                    self.print_attr_dict(*keyword)?;
                }
                spacing.after_punctuation = false;
                return Some(());
            }
            Element::PropDict => {
                if shown {
                    self.print_prop_dict()?;
                }
                spacing.after_punctuation = false;
                return Some(());
            }
            _ => {}
        }
        if shown && (spacing.wanted || !spacing.after_punctuation) {
            self.text(" ");
        }
        *spacing = Spacing { wanted: true, after_punctuation: false };
        if !shown {
            return Some(());
        }
        match element {
            Element::Operand(index) => self.print_operand_group(*index),
            Element::Attribute { index, qualified } => self.print_attribute_variable(*index, *qualified),
            Element::Property(index) => self.print_property(*index),
            Element::Region(index) => {
                let regions = self.region_group(*index);
                self.print_regions(&regions);
                Some(())
            }
            Element::Regions => {
                let regions = self.regions();
                self.print_regions(&regions);
                Some(())
            }
            Element::Successor(index) => {
                let blocks = self.successor_group(*index);
                self.print_successors(&blocks);
                Some(())
            }
            Element::Successors => {
                let blocks = self.successors();
                self.print_successors(&blocks);
                Some(())
            }
            Element::Operands => {
                let operands = FormPrinter::operands(self);
                self.values(&operands);
                Some(())
            }
            Element::Type { of, qualified } => self.print_type_directive(*of, *qualified),
            Element::FunctionalType { inputs, results } => {
                let (inputs, results) = (self.types_in(*inputs), self.types_in(*results));
                self.function_type(&inputs, &results);
                Some(())
            }
            Element::Custom { name, args } => {
                let op = self.context().op_name_text(self.module_printer.module.name(self.op));
                let directive = self.context().forms().directive(op, name)?.clone();
                directive.print(self, args)
            }
            _ => Some(()),
        }
    }

    fn print_successors(&mut self, blocks: &[BlockId]) {
        for (i, &block) in blocks.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.successor(block);
        }
    }

    fn print_operand_group(&mut self, index: usize) -> Option<()> {
        let bound = self.bound?;
        let values = self.operand_values(index)?;
        match &bound.syntax.operands[index].segments {
            None => self.values(values),
            Some(name) => {
                let mut rest = values;
                for (i, size) in self.sizes(name)?.into_iter().enumerate() {
                    let (these, after) = rest.split_at_checked(size)?;
                    self.text(if i > 0 { ", (" } else { "(" });
                    self.values(these);
                    self.text(")");
                    rest = after;
                }
                if !rest.is_empty() {
                    return None;
                }
            }
        }
        Some(())
    }

    // Types.

    fn value_types(&self, values: &[ValueId]) -> GroupTypes {
        values.iter().map(|&value| self.value_type(value)).collect()
    }

    fn types_in(&self, of: TypeOperand) -> GroupTypes {
        let module = self.module_printer.module;
        match of {
            TypeOperand::Operand(index) => self.value_types(self.operand_values(index).unwrap_or_default()),
            TypeOperand::Result(index) => self.value_types(&self.result_values(index).unwrap_or_default()),
            TypeOperand::Operands => self.value_types(module.operands(self.op)),
            TypeOperand::Results => module.results(self.op).map(|value| module.value_type(value)).collect(),
        }
    }

    fn print_type_directive(&mut self, of: TypeOperand, qualified: bool) -> Option<()> {
        let bound = self.bound?;
        let types = self.types_in(of);
        let group = match of {
            TypeOperand::Operand(index) => bound.syntax.operands.get(index),
            TypeOperand::Result(index) => bound.syntax.results.get(index),
            _ => None,
        };
        match group {
            Some(group) if group.segments.is_some() => {
                let mut rest = types.as_slice();
                for (i, size) in self.sizes(group.segments.as_deref()?)?.into_iter().enumerate() {
                    let (these, after) = rest.split_at_checked(size)?;
                    self.text(if i > 0 { ", (" } else { "(" });
                    self.types(these);
                    self.text(")");
                    rest = after;
                }
                if !rest.is_empty() {
                    return None;
                }
            }
            Some(group) if group.arity == Arity::One && !qualified => match &group.ty {
                TypeSyntax::Stripped(class) => self.stripped_type(class, *types.first()?),
                TypeSyntax::Full => self.types(&types),
            },
            _ => self.types(&types),
        }
        Some(())
    }

    /// Checks that a reader can infer the types that the format omits.
    fn check_types(&mut self) -> Option<()> {
        let bound = self.bound?;
        let syntax = &bound.syntax;
        let operands = (0..syntax.operands.len()).map(TypeOperand::Operand);
        let operands = operands.zip(&syntax.operands).zip(&bound.operand_types);
        let results = (0..syntax.results.len()).map(TypeOperand::Result);
        let results = results.zip(&syntax.results).zip(&bound.result_types);
        for ((place, group), fixed) in operands.chain(results) {
            if matches!(group.source, TypeSource::Written) {
                continue;
            }
            let types = self.types_in(place);
            if types.is_empty() {
                continue;
            }
            let (from, function) = match &group.source {
                TypeSource::Written => continue,
                TypeSource::Fixed(text) => {
                    let is_fixed_type = |&ty: &TypeId| match fixed {
                        Some(fixed) => ty == *fixed,
                        None => self.context().type_text(ty) == *text,
                    };
                    if !types.iter().all(is_fixed_type) {
                        return None;
                    }
                    continue;
                }
                TypeSource::Operand(index, function) => {
                    (self.types_in(TypeOperand::Operand(*index)), function)
                }
                TypeSource::Result(index, function) => (self.types_in(TypeOperand::Result(*index)), function),
                TypeSource::Attribute(index, function) => {
                    let attr = self.value_of(*bound.attribute_names.get(*index)?)?;
                    (smallvec![self.context().contributed_type(attr)?], function)
                }
                TypeSource::Operands(function) => {
                    let all = self.operand_types_as_tuple();
                    let found = bound.evaluator.apply(function, &all).ok()?;
                    if !types.iter().map(|&ty| self.context().type_text(ty)).eq(found) {
                        return None;
                    }
                    continue;
                }
                // Only C++ code can compute the type, so the reader needs the generic form.
                TypeSource::Cxx(_) => return None,
            };
            let same = match function {
                None if from.len() == 1 => types.iter().all(|ty| *ty == from[0]),
                None => types == from,
                Some(TypeFunction::I1) => {
                    types.len() == from.len() && types.iter().all(|&ty| ty == Context::I1)
                }
                Some(function) => self.yields(bound, function, *from.first()?, &types)?,
            };
            if !same {
                return None;
            }
        }
        Some(())
    }

    /// The text of the tuple type whose elements are the operand types.
    fn operand_types_as_tuple(&self) -> String {
        let types = self.types_in(TypeOperand::Operands);
        let texts: Vec<String> = types.iter().map(|&ty| self.context().type_text(ty)).collect();
        format!("tuple<{}>", texts.join(", "))
    }

    /// True if a function yields these types for a type. One result stands for any number of equal types. `None` if the
    /// function yields no types.
    fn yields(
        &mut self,
        bound: &BoundSyntax,
        function: &TypeFunction,
        from: TypeId,
        types: &[TypeId],
    ) -> Option<bool> {
        // The context keeps the definition, so no other function has this address.
        let key = (std::ptr::from_ref(function) as usize, from);
        if let [ty] = types
            && let Some(&known) = self.module_printer.inferred.single.get(&(key, *ty))
        {
            return Some(known);
        }
        let found = match self.module_printer.inferred.texts.get(&key) {
            Some(known) => known.clone(),
            None => {
                let found = bound.evaluator.apply(function, &self.context().type_text(from)).ok();
                let found: Option<Arc<[String]>> = found.map(Arc::from);
                self.module_printer.inferred.texts.insert(key, found.clone());
                found
            }
        };
        let found = found?;
        let text = |ty: &TypeId| self.context().type_text(*ty);
        let same = match &*found {
            [one] => types.iter().all(|ty| text(ty) == *one),
            all => types.iter().map(text).eq(all.iter().cloned()),
        };
        if let [ty] = types {
            self.module_printer.inferred.single.insert((key, *ty), same);
        }
        Some(same)
    }

    // Attributes and properties.

    /// Checks the properties that are not attributes. The format must contain each of them, unless the property has the
    /// value that a reader gives to an omitted property. A printed dictionary of attributes does not contain these
    /// properties.
    fn check_properties(&self, bound: &BoundSyntax) -> Option<()> {
        let prop_dict = matches!(bound.syntax.syntax, Syntax::Declared { prop_dict: true, .. });
        if prop_dict || self.module_printer.module.has_properties_apart {
            return Some(());
        }
        let properties = self.module_printer.module.properties(self.op);
        let mut all = bound.property_names.iter().zip(&bound.initial_properties);
        let is_expressible = |(&name, &initial): (&AttrNameId, &Option<AttrId>)| {
            bound.elided.contains(&name) || {
                let value = self.context().entry(properties, name);
                value.is_none() || value == initial
            }
        };
        all.all(is_expressible).then_some(())
    }

    fn print_attribute_variable(&mut self, index: usize, qualified: bool) -> Option<()> {
        let bound = self.bound?;
        let attribute = &bound.syntax.attributes[index];
        let Some(value) = self.value_of(bound.attribute_names[index]) else {
            return attribute.optional.then_some(());
        };
        let written = bound.attribute_types[index];
        match &attribute.syntax {
            AttrSyntax::Enum(cases) => {
                let text = self.enum_text(cases, value)?;
                self.text(&text);
            }
            AttrSyntax::SymbolName => match self.context().attr_kind(value) {
                AttrKind::String { text, ty: None } => self.symbol(self.context().str(*text)),
                _ => return None,
            },
            AttrSyntax::TypeOmitted { ty, .. } => {
                let found = self.context().typed_attr_type(value);
                if found.is_some_and(|found| !self.is_written_type(found, ty, written)) {
                    return None;
                }
                self.attribute_without_type(value);
            }
            _ if qualified => self.attribute(value),
            AttrSyntax::Stripped(class) => self.stripped(class, value),
            AttrSyntax::Array(element) => match self.context().attr_kind(value) {
                // MLIR cannot read an infinity or a NaN here.
                AttrKind::DenseArray { element: found, data }
                    if self.is_written_type(*found, element, written)
                        && elements::are_finite(self.context(), *found, data) =>
                {
                    self.module_printer.printer.bracketed_array(value);
                }
                _ => return None,
            },
            AttrSyntax::Any | AttrSyntax::Builtin(_) | AttrSyntax::Unit => self.attribute(value),
        }
        Some(())
    }

    /// True if `ty` is the type that the definition states as a text. `known` is the stated type, if it is a
    /// builtin type.
    fn is_written_type(&self, ty: TypeId, text: &str, known: Option<TypeId>) -> bool {
        known.map_or_else(|| self.context().type_text(ty) == text, |known| known == ty)
    }

    /// The text of a value of an enum.
    fn enum_text<'s>(&self, cases: &'s EnumSyntax, value: AttrId) -> Option<Cow<'s, str>> {
        let AttrKind::Integer { value, .. } = self.context().attr_kind(value) else { return None };
        let value = value.to_i64()?;
        let is_word = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
        };
        let shown_bare = |(value, text): &(i64, String)| {
            is_word(text) && !(cases.is_bit_set && cases.quoted && (*value <= 0 || value.count_ones() != 1))
        };
        let exact = cases.cases.iter().find(|(number, _)| *number == value);
        let (text, bare) = match exact.filter(|_| !cases.is_bit_set || value == 0) {
            Some(case) => (Cow::Borrowed(case.1.as_str()), shown_bare(case)),
            None if cases.is_bit_set => {
                let bits: Vec<u64> = cases.cases.iter().map(|(bits, _)| bits.cast_unsigned()).collect();
                // The cases hold unsigned values, so the sign extension is removed.
                let value = value.cast_unsigned() & (u64::MAX >> (64 - cases.width));
                let entries = entries_of(&bits, value, cases.groups)?;
                match entries.as_slice() {
                    [entry] => {
                        let case = &cases.cases[*entry];
                        (Cow::Borrowed(case.1.as_str()), shown_bare(case))
                    }
                    entries => {
                        let parts: Vec<&str> =
                            entries.iter().map(|&entry| cases.cases[entry].1.as_str()).collect();
                        let bare = !cases.quoted && parts.iter().all(|part| is_word(part));
                        (parts.join(&cases.separator).into(), bare)
                    }
                }
            }
            None => return None,
        };
        let is_bare = bare || cases.cases.iter().all(shown_bare);
        Some(if is_bare { text } else { format!("\"{text}\"").into() })
    }

    fn print_property(&mut self, index: usize) -> Option<()> {
        let bound = self.bound?;
        let property = &bound.syntax.properties[index];
        let value = self.value_of(bound.property_names[index]).or(bound.property_defaults[index]);
        match (&property.syntax, value) {
            (PropertySyntax::Unit, None) => {
                self.text("unit_absent");
                Some(())
            }
            (syntax, value) => self.print_property_value(syntax, value?),
        }
    }

    /// Writes the value of a property, or one element of a value that is a list.
    fn print_property_value(&mut self, syntax: &PropertySyntax, value: AttrId) -> Option<()> {
        match syntax {
            PropertySyntax::Cxx => return None,
            PropertySyntax::Unit => match self.context().attr_kind(value) {
                AttrKind::Unit => self.text("unit"),
                AttrKind::Integer { value, ty: Context::I1 } => {
                    self.text(if value.is_zero() { "unit_absent" } else { "unit" });
                }
                _ => return None,
            },
            PropertySyntax::Enum(cases) => {
                let text = self.enum_text(cases, value)?;
                self.text(&text);
            }
            PropertySyntax::NamedEnum(word, cases) => {
                let text = format!("{word}<{}>", self.enum_text(cases, value)?);
                self.text(&text);
            }
            PropertySyntax::IntegerList(_) => match self.context().attr_kind(value) {
                AttrKind::DenseArray { .. } => self.module_printer.printer.bracketed_array(value),
                _ => return None,
            },
            PropertySyntax::List(of) => match self.context().attr_kind(value) {
                AttrKind::Array(items) => {
                    self.text("[");
                    for (number, &item) in items.iter().enumerate() {
                        if number > 0 {
                            self.text(", ");
                        }
                        with_room(|| self.print_property_value(of, item))?;
                    }
                    self.text("]");
                }
                _ => return None,
            },
            PropertySyntax::Optional { of, marked } => match self.context().attr_kind(value) {
                AttrKind::Array(items) => match **items {
                    [] => self.text("none"),
                    [item] if *marked => {
                        self.text("some<");
                        self.print_property_value(of, item)?;
                        self.text(">");
                    }
                    [item] => self.print_property_value(of, item)?,
                    _ => return None,
                },
                _ => return None,
            },
            PropertySyntax::Integer(ty) => match self.context().attr_kind(value) {
                AttrKind::Integer { value, .. } => {
                    let number = value.to_i64().map(|number| ty.wrap(number.into()).to_string());
                    self.text(&number?);
                }
                _ => return None,
            },
            PropertySyntax::Bool | PropertySyntax::Str => self.attribute_without_type(value),
        }
        Some(())
    }

    /// True if a dictionary omits an attribute, because another element contains or determines the attribute, or
    /// because the attribute has its default value.
    fn is_elided(&self, bound: &BoundSyntax, name: AttrNameId, for_properties: bool) -> bool {
        let attributes = bound.attribute_names.iter().zip(&bound.attribute_defaults);
        let mut all = attributes.chain(bound.property_names.iter().zip(&bound.property_defaults));
        bound.elided.contains(&name)
            || !for_properties && bound.inferred.contains(&name)
            || all.any(|(&known, default)| {
                known == name && default.is_some() && self.value_of(name) == *default
            })
    }

    fn print_attr_dict(&mut self, keyword: bool) -> Option<()> {
        let bound = self.bound?;
        let prop_dict = matches!(&bound.syntax.syntax, Syntax::Declared { prop_dict: true, .. });
        let is_apart = !prop_dict && self.module_printer.module.has_properties_apart;
        if is_apart {
            self.print_property_list(bound, false)?;
        }
        let inherent = !prop_dict && !is_apart;
        let entries = self.sorted_entries(inherent, |name, inherent| {
            // A discardable attribute can have the name of a property.
            match bound.property_names.contains(&name) {
                true => !inherent,
                false => !self.is_elided(bound, name, false),
            }
        });
        self.dict(keyword, &entries);
        Some(())
    }

    fn print_prop_dict(&mut self) -> Option<()> {
        let bound = self.bound?;
        if self.module_printer.module.has_properties_apart {
            return self.print_property_list(bound, true);
        }
        let properties =
            self.context().entries(self.module_printer.module.properties(self.op)).iter().copied();
        let entries: Vec<_> = properties.filter(|entry| !self.is_elided(bound, entry.0, true)).collect();
        self.text(" ");
        if !entries.is_empty() {
            self.text("<");
            self.module_printer.printer.dictionary(&entries);
            self.text(">");
        }
        Some(())
    }

    /// Prints ` <name = value, …>` with the inherent attributes that no other element contains and that differ from
    /// their defaults, in the order of the definition. Prints nothing if there are no such attributes. Each value has
    /// the same text as in other elements of the format. Returns `None` if the list cannot express an attribute.
    fn print_property_list(&mut self, bound: &BoundSyntax, for_properties: bool) -> Option<()> {
        let properties = self.module_printer.module.properties(self.op);
        let shown = self.context().entries(properties).iter().map(|&(name, _)| name);
        let mut shown: SmallVec<[AttrNameId; 8]> =
            shown.filter(|&name| !self.is_elided(bound, name, for_properties)).collect();
        let mut separator = " <";
        for (name, element) in bound.listed() {
            let Some(place) = shown.iter().position(|&shown| shown == name) else { continue };
            shown.swap_remove(place);
            let value = self.context().entry(properties, name)?;
            self.text(separator);
            separator = ", ";
            self.text(self.context().attr_name_text(name));
            if element.as_ref().is_some_and(|element| self.is_unit(element)) {
                if value != Context::UNIT {
                    return None;
                }
                continue;
            }
            self.text(" = ");
            match element {
                Some(Element::Attribute { index, qualified }) => {
                    self.print_attribute_variable(index, qualified)?;
                }
                Some(Element::Property(index)) => self.print_property(index)?,
                _ => self.attribute(value),
            }
        }
        if !shown.is_empty() {
            return None;
        }
        if separator == ", " {
            self.text(">");
        }
        Some(())
    }

    // Regions.

    fn print_regions(&mut self, regions: &[RegionId]) {
        let implicit =
            self.syntax().is_some_and(|syntax| matches!(syntax.terminator, Some(Terminator::Op(_))));
        for (i, &region) in regions.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            let terminators = !implicit || !self.ends_plainly(region);
            self.region(region, true, terminators);
        }
    }

    // Groups.

    fn is_present(&self, element: &Element) -> bool {
        let Some(bound) = self.bound else { return false };
        let syntax = &bound.syntax;
        // If only C++ code knows the default, every value counts as different from the default.
        let differs = |name: AttrNameId, default: Option<AttrId>| {
            self.value_of(name).is_some_and(|value| Some(value) != default)
        };
        match element {
            Element::Operand(index) => self.operand_values(*index).is_some_and(|group| !group.is_empty()),
            Element::Attribute { index, .. } => {
                differs(bound.attribute_names[*index], bound.attribute_defaults[*index])
            }
            Element::Property(index) => {
                differs(bound.property_names[*index], bound.property_defaults[*index])
            }
            Element::Region(index) => {
                let regions = self.region_group(*index);
                match syntax.regions[*index].variadic {
                    true => !regions.is_empty(),
                    false => regions.iter().any(|&region| !self.blocks(region).is_empty()),
                }
            }
            Element::Successor(index) => !self.successor_group(*index).is_empty(),
            Element::Type { of, .. } => !self.types_in(*of).is_empty(),
            Element::FunctionalType { inputs, .. } => !self.types_in(*inputs).is_empty(),
            Element::Custom { args, .. } => args.iter().any(|arg| match arg {
                DirectiveArg::Operand(_) | DirectiveArg::Type(_) => !self.group(arg).is_empty(),
                DirectiveArg::Attribute(index) => {
                    self.is_present(&Element::Attribute { index: *index, qualified: false })
                }
                DirectiveArg::Property(index) => self.is_present(&Element::Property(*index)),
                DirectiveArg::Region(index) => self.is_present(&Element::Region(*index)),
                _ => false,
            }),
            _ => false,
        }
    }

    fn is_unit(&self, element: &Element) -> bool {
        let Some(syntax) = self.syntax() else { return false };
        match element {
            Element::Attribute { index, .. } => syntax.attributes[*index].syntax == AttrSyntax::Unit,
            Element::Property(index) => syntax.properties[*index].syntax == PropertySyntax::Unit,
            _ => false,
        }
    }

    fn print_group(&mut self, group: &Group, shown: bool, spacing: &mut Spacing) -> Option<()> {
        let anchor = group.anchor()?;
        let present = self.is_present(anchor) != group.is_inverted();
        let elided = self.is_unit(anchor)
            && group.present.first() != Some(anchor)
            && group.absent.first() != Some(anchor);
        for (elements, on) in [(&group.present, present), (&group.absent, !present)] {
            for element in elements {
                if !(elided && element == anchor) {
                    self.print_element(element, shown && on, spacing)?;
                }
            }
        }
        Some(())
    }

    fn print_oilist(
        &mut self,
        clauses: &[(String, Vec<Element>)],
        shown: bool,
        spacing: &mut Spacing,
    ) -> Option<()> {
        for (word, elements) in clauses {
            let on = shown && elements.iter().any(|element| self.holds_variable(element));
            self.print_literal(word, on, spacing);
            if !matches!(elements.as_slice(), [only] if self.is_unit(only)) {
                self.print_elements(elements, on, spacing)?;
            }
        }
        Some(())
    }

    /// True if a variable of the element is present. Types do not count.
    fn holds_variable(&self, element: &Element) -> bool {
        match element {
            Element::Operand(_) | Element::Attribute { .. } | Element::Property(_) | Element::Region(_) => {
                self.is_present(element)
            }
            Element::Custom { args, .. } => args.iter().any(|arg| match arg {
                DirectiveArg::Operand(_) => !self.group(arg).is_empty(),
                DirectiveArg::Attribute(index) => {
                    self.is_present(&Element::Attribute { index: *index, qualified: false })
                }
                DirectiveArg::Property(index) => self.is_present(&Element::Property(*index)),
                DirectiveArg::Region(index) => self.is_present(&Element::Region(*index)),
                _ => false,
            }),
            Element::Group(group) => {
                group.present.iter().chain(&group.absent).any(|inner| self.holds_variable(inner))
            }
            _ => false,
        }
    }
}
