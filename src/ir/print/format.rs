//! Prints operations by their declarative formats.
//!
//! White space depends on all preceding elements, even on those that are not printed, because `mlir-tblgen` determines
//! the white space when it generates the printer.

use std::sync::Arc;

use super::form::FormatPrinter;
use crate::host::Arity;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::dialect::{
    AttrSyntax, DirectiveArg, Element, EnumSyntax, FormPrinter, Group, GroupSizes, PropertySyntax, Syntax,
    TypeFunction, TypeOperand, TypeSource, TypeSyntax,
};
use crate::ir::ids::{AttrId, BlockId, RegionId, TypeId, ValueId};
use crate::stack::with_room;

/// The state that decides if a space comes before the next element.
#[derive(Clone, Copy, Debug)]
struct Spacing {
    wanted: bool,
    after_punctuation: bool,
}

impl FormatPrinter<'_, '_> {
    /// Writes the text after the name by the declared format. Returns `None` if the format cannot express the operation.
    pub(super) fn declared(&mut self) -> Option<()> {
        let bound = self.bound.clone()?;
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
        if !matches!(self.context().attr_kind(self.all.module.properties(self.op)), AttrKind::Dictionary(_)) {
            return None;
        }
        self.check_types()?;
        let mut spacing = Spacing { wanted: true, after_punctuation: false };
        self.elements(elements, true, &mut spacing)
    }

    fn elements(&mut self, elements: &[Element], shown: bool, spacing: &mut Spacing) -> Option<()> {
        for element in elements {
            with_room(|| self.element(element, shown, spacing))?;
        }
        Some(())
    }

    fn literal(&mut self, text: &str, shown: bool, spacing: &mut Spacing) {
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

    fn element(&mut self, element: &Element, shown: bool, spacing: &mut Spacing) -> Option<()> {
        match element {
            Element::Literal(text) => {
                self.literal(text, shown, spacing);
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
            Element::Group(group) => return self.group(group, shown, spacing),
            Element::Oilist(clauses) => return self.oilist(clauses, shown, spacing),
            Element::AttrDict { keyword } => {
                if shown {
                    self.all_attributes(*keyword);
                }
                spacing.after_punctuation = false;
                return Some(());
            }
            Element::PropDict => {
                if shown {
                    self.prop_dict();
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
            Element::Operand(index) => self.operand_group(*index),
            Element::Attribute { index, qualified } => self.attribute_variable(*index, *qualified),
            Element::Property(index) => self.property(*index),
            Element::Region(index) => {
                let regions = self.region_group(*index);
                self.region_list(&regions)
            }
            Element::Regions => {
                let regions = self.regions();
                self.region_list(&regions)
            }
            Element::Successor(index) => {
                let blocks = self.successor_group(*index);
                self.blocks_of(&blocks);
                Some(())
            }
            Element::Successors => {
                let blocks = self.successors();
                self.blocks_of(&blocks);
                Some(())
            }
            Element::Operands => {
                let operands = FormPrinter::operands(self);
                self.values(&operands);
                Some(())
            }
            Element::Type { of, qualified } => self.type_directive(*of, *qualified),
            Element::FunctionalType { inputs, results } => {
                let (inputs, results) = (self.types_in(*inputs), self.types_in(*results));
                self.function_type(&inputs, &results);
                Some(())
            }
            Element::Custom { name, args } => {
                let directive = self.context().forms().directive(name)?.clone();
                directive.print(self, args)
            }
            _ => Some(()),
        }
    }

    fn blocks_of(&mut self, blocks: &[BlockId]) {
        for (i, &block) in blocks.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            self.successor(block);
        }
    }

    fn operand_group(&mut self, index: usize) -> Option<()> {
        let bound = self.bound.clone()?;
        let values = self.operands.get(index)?.clone();
        match &bound.syntax.operands[index].segments {
            None => self.values(&values),
            Some(name) => {
                let mut rest = values.as_slice();
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

    fn value_types(&self, values: &[ValueId]) -> Vec<TypeId> {
        values.iter().map(|&value| self.value_type(value)).collect()
    }

    fn types_in(&self, of: TypeOperand) -> Vec<TypeId> {
        match of {
            TypeOperand::Operand(_) | TypeOperand::Result(_) => self.types_of(&DirectiveArg::Type(of)),
            TypeOperand::Operands => self.value_types(&FormPrinter::operands(self)),
            TypeOperand::Results => self.value_types(&FormPrinter::results(self)),
        }
    }

    fn type_directive(&mut self, of: TypeOperand, qualified: bool) -> Option<()> {
        let bound = self.bound.clone()?;
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
        let bound = self.bound.clone()?;
        let syntax = &bound.syntax;
        let operands = syntax.operands.iter().zip(self.operands.clone());
        let results = syntax.results.iter().zip(self.results.clone());
        for (group, values) in operands.chain(results) {
            if values.is_empty() {
                continue;
            }
            let types = self.value_types(&values);
            let (from, function) = match &group.source {
                TypeSource::Written => continue,
                TypeSource::Fixed(text) => {
                    let is = |&ty: &TypeId| self.context().type_text(ty) == *text;
                    if !types.iter().all(is) {
                        return None;
                    }
                    continue;
                }
                TypeSource::Operand(index, function) => {
                    (self.value_types(self.operands.get(*index)?), function)
                }
                TypeSource::Result(index, function) => {
                    (self.value_types(self.results.get(*index)?), function)
                }
                TypeSource::Attribute(index, function) => {
                    let attr = self.get(&syntax.attributes.get(*index)?.name)?;
                    (vec![self.context().attr_type(attr)?], function)
                }
                // The reader needs the generic form.
                TypeSource::Cxx(_) => return None,
            };
            let same = match function {
                None if from.len() == 1 => types.iter().all(|ty| *ty == from[0]),
                None => types == from,
                Some(function) => {
                    let found = self.apply(function, *from.first()?)?;
                    let text = |ty: &TypeId| self.context().type_text(*ty);
                    match &*found {
                        [one] => types.iter().all(|ty| text(ty) == *one),
                        all => types.iter().map(text).eq(all.iter().cloned()),
                    }
                }
            };
            if !same {
                return None;
            }
        }
        Some(())
    }

    fn apply(&mut self, function: &TypeFunction, ty: TypeId) -> Option<Arc<[String]>> {
        // The context keeps the definition, so no other function has the address.
        let key = (std::ptr::from_ref(function) as usize, ty);
        if let Some(known) = self.all.inferred.get(&key) {
            return known.clone();
        }
        let evaluator = self.bound.as_ref()?.evaluator.clone();
        let types = evaluator.apply(function, &self.context().type_text(ty)).ok().map(Arc::from);
        self.all.inferred.insert(key, types.clone());
        types
    }

    // Attributes and properties.

    fn attribute_variable(&mut self, index: usize, qualified: bool) -> Option<()> {
        let bound = self.bound.clone()?;
        let attribute = &bound.syntax.attributes[index];
        let Some(value) = self.get(&attribute.name) else {
            return attribute.optional.then_some(());
        };
        match &attribute.syntax {
            AttrSyntax::Enum(cases) => {
                let text = self.enum_text(cases, value)?;
                self.text(&text);
            }
            AttrSyntax::SymbolName => match self.context().attr_kind(value) {
                AttrKind::String { text, ty: None } => self.symbol(self.context().str(*text)),
                _ => return None,
            },
            AttrSyntax::Typed(ty) => {
                let is = self.context().attr_type(value).map(|ty| self.context().type_text(ty));
                // A string without type has type `none`.
                let is = is.unwrap_or_else(|| "none".to_owned());
                if is != *ty {
                    return None;
                }
                self.attribute_without_type(value);
            }
            _ if qualified => self.attribute(value),
            AttrSyntax::Stripped(class) => self.stripped(class, value),
            AttrSyntax::Array(element) => match self.context().attr_kind(value) {
                AttrKind::DenseArray { element: is, .. } if self.context().type_text(*is) == *element => {
                    self.all.printer.bracketed_array(value);
                }
                _ => return None,
            },
            AttrSyntax::Any | AttrSyntax::Builtin(_) | AttrSyntax::Unit => self.attribute(value),
        }
        Some(())
    }

    /// The text of a value of an enum.
    fn enum_text(&self, cases: &EnumSyntax, value: AttrId) -> Option<String> {
        let AttrKind::Integer { value, .. } = self.context().attr_kind(value) else { return None };
        let value = value.to_i64()?;
        let is_word = |text: &str| {
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.'))
        };
        let shown_bare = |(value, text): &(i64, String)| {
            is_word(text) && !(cases.bits && cases.quoted && (*value <= 0 || value.count_ones() != 1))
        };
        let all_bare = cases.cases.iter().all(shown_bare);
        let exact = cases.cases.iter().find(|(number, _)| *number == value);
        let (text, bare) = match exact {
            Some(case) => (case.1.clone(), shown_bare(case)),
            None if cases.bits => {
                let mut left = value;
                let mut parts = Vec::new();
                for (number, text) in &cases.cases {
                    if *number != 0 && number.count_ones() == 1 && left & number == *number {
                        parts.push(text.as_str());
                        left &= !number;
                    }
                }
                if left != 0 || parts.is_empty() {
                    return None;
                }
                (parts.join(&cases.separator), !cases.quoted && parts.iter().all(|part| is_word(part)))
            }
            None => return None,
        };
        Some(if all_bare || bare { text } else { format!("\"{text}\"") })
    }

    fn property(&mut self, index: usize) -> Option<()> {
        let bound = self.bound.clone()?;
        let property = &bound.syntax.properties[index];
        let value = self.get(&property.name).or(bound.property_defaults[index]);
        match (&property.syntax, value) {
            (PropertySyntax::Unit, value) => {
                self.text(if value == Some(Context::UNIT) { "true" } else { "false" })
            }
            (PropertySyntax::Cxx, _) | (_, None) => return None,
            (PropertySyntax::Enum(cases), Some(value)) => {
                let text = self.enum_text(cases, value)?;
                self.text(&text);
            }
            (_, Some(value)) => self.attribute_without_type(value),
        }
        Some(())
    }

    /// The names of the attributes that the dictionary omits.
    fn elided(&self, for_properties: bool) -> Vec<String> {
        let Some(bound) = &self.bound else { return Vec::new() };
        let syntax = &bound.syntax;
        let Syntax::Declared { elements, inferred, .. } = &syntax.syntax else { return Vec::new() };
        let mut names = Vec::new();
        let mut all_operands = false;
        let mut all_results = false;
        let mut pending: Vec<&Element> = elements.iter().collect();
        while let Some(element) = pending.pop() {
            match element {
                Element::Attribute { index, .. } => names.push(syntax.attributes[*index].name.clone()),
                Element::Property(index) => names.push(syntax.properties[*index].name.clone()),
                Element::Operands => all_operands = true,
                Element::Type { of: TypeOperand::Results, .. }
                | Element::FunctionalType { results: TypeOperand::Results, .. } => all_results = true,
                Element::Custom { args, .. } => {
                    for arg in args {
                        match arg {
                            DirectiveArg::Attribute(index) => {
                                names.push(syntax.attributes[*index].name.clone())
                            }
                            DirectiveArg::Property(index) => {
                                names.push(syntax.properties[*index].name.clone())
                            }
                            _ => {}
                        }
                    }
                }
                Element::Group(group) => pending.extend(group.present.iter().chain(&group.absent)),
                Element::Oilist(clauses) => pending.extend(clauses.iter().flat_map(|(_, inner)| inner)),
                _ => {}
            }
        }
        if syntax.operand_sizes == GroupSizes::Attribute && !all_operands {
            names.push("operandSegmentSizes".to_owned());
        }
        if syntax.result_sizes == GroupSizes::Attribute && !all_results {
            names.push("resultSegmentSizes".to_owned());
        }
        if !for_properties {
            names.extend(inferred.iter().cloned());
        }
        let is_default = |name: &str, default: Option<AttrId>| default.is_some() && self.get(name) == default;
        for (attribute, &default) in syntax.attributes.iter().zip(&bound.attribute_defaults) {
            if is_default(&attribute.name, default) {
                names.push(attribute.name.clone());
            }
        }
        for (property, &default) in syntax.properties.iter().zip(&bound.property_defaults) {
            if is_default(&property.name, default) {
                names.push(property.name.clone());
            }
        }
        names
    }

    fn all_attributes(&mut self, keyword: bool) {
        let elided = self.elided(false);
        let elided: Vec<&str> = elided.iter().map(String::as_str).collect();
        let prop_dict = matches!(
            self.syntax().map(|syntax| &syntax.syntax),
            Some(Syntax::Declared { prop_dict: true, .. })
        );
        let entries = self.entries_except(&elided, !prop_dict);
        self.dict(keyword, &entries);
    }

    fn prop_dict(&mut self) {
        let elided = self.elided(true);
        let context = self.context();
        let properties = context.entries(self.all.module.properties(self.op)).iter().copied();
        let entries: Vec<_> = properties
            .filter(|entry| !elided.iter().any(|name| name == context.attr_name_text(entry.0)))
            .collect();
        self.text(" ");
        if !entries.is_empty() {
            self.text("<");
            self.all.printer.dictionary(&entries);
            self.text(">");
        }
    }

    // Regions.

    fn region_list(&mut self, regions: &[RegionId]) -> Option<()> {
        let implicit = self.syntax().is_some_and(|syntax| syntax.terminator.is_some());
        for (i, &region) in regions.iter().enumerate() {
            if i > 0 {
                self.text(", ");
            }
            let terminators = !implicit || !self.ends_plainly(region);
            self.region(region, true, terminators);
        }
        Some(())
    }

    // Groups.

    fn is_present(&self, element: &Element) -> bool {
        let Some(bound) = &self.bound else { return false };
        let syntax = &bound.syntax;
        let differs = |name: &str, default: Option<AttrId>, has_default: bool| {
            let value = self.get(name);
            match default {
                Some(_) => value.is_some() && value != default,
                // If only C++ code can compute the default, every value counts as different from the default.
                None => value.is_some() || (has_default && value.is_some()),
            }
        };
        match element {
            Element::Operand(index) => self.operands.get(*index).is_some_and(|group| !group.is_empty()),
            Element::Attribute { index, .. } => {
                let attribute = &syntax.attributes[*index];
                differs(&attribute.name, bound.attribute_defaults[*index], attribute.has_default)
            }
            Element::Property(index) => {
                differs(&syntax.properties[*index].name, bound.property_defaults[*index], true)
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

    fn group(&mut self, group: &Group, shown: bool, spacing: &mut Spacing) -> Option<()> {
        let anchor = group.anchor()?;
        let present = self.is_present(anchor) != group.is_inverted();
        let elided = self.is_unit(anchor)
            && group.present.first() != Some(anchor)
            && group.absent.first() != Some(anchor);
        for (elements, on) in [(&group.present, present), (&group.absent, !present)] {
            for element in elements {
                if !(elided && element == anchor) {
                    with_room(|| self.element(element, shown && on, spacing))?;
                }
            }
        }
        Some(())
    }

    fn oilist(
        &mut self,
        clauses: &[(String, Vec<Element>)],
        shown: bool,
        spacing: &mut Spacing,
    ) -> Option<()> {
        for (word, elements) in clauses {
            let on = shown && elements.iter().any(|element| self.holds_variable(element));
            self.literal(word, on, spacing);
            if !matches!(elements.as_slice(), [only] if self.is_unit(only)) {
                self.elements(elements, on, spacing)?;
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
