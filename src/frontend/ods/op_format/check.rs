//! Finds the origin of each type of a format, and rejects incomplete and ambiguous formats.

use hashbrown::HashMap;

use super::model::{OpFormat, TypeOrigin, TypePlace};
use super::parse::ParsedFormat;
use crate::frontend::ods::format_lexer::Problem;
use crate::frontend::ods::model::Op;
use crate::frontend::ods::names::accessor_name;
use crate::frontend::tablegen::{Record, Value};
use crate::ir::dialect::{Element, Group};
use crate::pdl::Arity;
use crate::stack::with_room;

/// The C++ expression that `ShapedTypeMatchesElementCountAndTypes` stands for.
const ELEMENT_TYPES: &str = "::llvm::SmallVector<::mlir::Type>(::llvm::cast<::mlir::ShapedType>($_self).getNumElements(), \
                             ::llvm::cast<::mlir::ShapedType>($_self).getElementType())";

/// Checks a format whose elements have been read.
pub(super) fn check<'a>(
    op: &Op<'a>,
    traits: &[Record<'a>],
    text: &'a str,
    format: ParsedFormat,
) -> Result<OpFormat<'a>, Problem> {
    let at = format.start;
    if !format.attr_dict {
        return Err((
            at,
            "'attr-dict' is missing".to_owned(),
            Some("add 'attr-dict' to the format".to_owned()),
        ));
    }
    let mut checker =
        Checker { op, format: &format, origins: HashMap::new(), certain: HashMap::new(), inferred: false };
    checker.collect(traits);
    adjacent(op, &format.elements, at)?;
    let result_types = checker.results()?;
    let operand_types = checker.operands()?;
    checker.parts()?;
    check_oilists(&format.elements, at)?;
    let lists = op.operands.iter().zip(&format.operands).filter(|(_, seen)| **seen);
    let inferred = lists.filter_map(|(spec, _)| spec.segments).collect();
    let ParsedFormat { elements, prop_dict, .. } = format;
    Ok(OpFormat { text, elements, operand_types, result_types, inferred, prop_dict })
}

struct Checker<'c, 'a> {
    op: &'c Op<'a>,
    format: &'c ParsedFormat,
    /// The origins of the types of operands and results, by their names.
    origins: HashMap<&'a str, (TypePlace, Option<&'a str>)>,
    /// The origins that determine a type exactly. An origin from a trait that only requires compatible types is not in
    /// this map.
    certain: HashMap<&'a str, (TypePlace, Option<&'a str>)>,
    /// True if only C++ code can infer the result types.
    inferred: bool,
}

/// True if a `TypesMatchWith` requires that two types are equal, at least if both values are present.
fn requires_equality(record: Record<'_>, names: [&str; 2]) -> bool {
    let predicate = record.def_field("predicate");
    let Ok(text) = predicate.and_then(|predicate| predicate.string_field("predExpr")) else { return false };
    let mut text = text.trim_start_matches('(');
    while let Some((getter, rest)) = text.strip_prefix('!').and_then(|text| text.split_once("() || ")) {
        if names.iter().all(|name| accessor_name("get", name) != getter) {
            return false;
        }
        text = rest;
    }
    text.starts_with("std::equal_to<>()(")
}

impl<'a> Checker<'_, 'a> {
    /// Reads the origins of types from the traits.
    fn collect(&mut self, traits: &[Record<'a>]) {
        let known = self.op.inferred.is_some();
        for &record in traits {
            let name = record.name();
            let string = |field| record.string_field(field).unwrap_or("");
            if record.is_subclass_of("AllTypesMatch") {
                let Ok(values) = record.list_field("values") else { continue };
                let records = record.records();
                let names: Vec<&'a str> = values
                    .filter_map(|value| match value {
                        Value::String(text) => Some(records.str(text)),
                        _ => None,
                    })
                    .collect();
                for (i, &from) in names.iter().enumerate() {
                    let Some(place) = self.seen(from) else { continue };
                    for (j, &to) in names.iter().enumerate() {
                        if i != j {
                            self.relate(to, place, None, true);
                        }
                    }
                }
            } else if name == "SameTypeOperands" {
                self.same_types(false);
            } else if name == "SameOperandsAndResultType" {
                self.same_types(true);
            } else if record.is_subclass_of("TypesMatchWith") {
                let (lhs, rhs) = (string("lhs"), string("rhs"));
                if let Some(place) = self.seen(lhs) {
                    let is_certain = requires_equality(record, [lhs, rhs]);
                    self.relate(rhs, place, Some(string("transformer")), is_certain);
                }
            } else if record.is_subclass_of("ShapedTypeMatchesElementCountAndTypes") {
                if let Some(place) = self.seen(string("shaped")) {
                    self.relate(string("elements"), place, Some(ELEMENT_TYPES), true);
                }
            } else if !known
                && record.find_field("cppInterfaceName").is_some()
                && string("cppInterfaceName") == "InferTypeOpInterface"
                && string("cppNamespace") == "::mlir"
            {
                self.inferred = true;
            }
        }
    }

    fn same_types(&mut self, results: bool) {
        let (op, format) = (self.op, self.format);
        let first = |seen: &[bool]| seen.iter().position(|&seen| seen);
        let place = match (first(&format.operand_types), first(&format.result_types)) {
            (Some(index), _) => TypePlace::Operand(index),
            (None, Some(index)) if results => TypePlace::Result(index),
            _ => return,
        };
        let unseen = |(name, seen): (&'a str, &bool)| (!*seen).then_some(name);
        let operands = op.operands.iter().map(|spec| spec.name).zip(&format.operand_types).filter_map(unseen);
        let also = op.results.iter().map(|spec| spec.name).zip(&format.result_types).filter_map(unseen);
        let all: Vec<&'a str> = operands.chain(also.filter(|_| results)).collect();
        for name in all {
            self.relate(name, place, None, true);
        }
    }

    /// Sets the origin of a type. As in `mlir-tblgen`, the last origin replaces the earlier ones.
    fn relate(&mut self, name: &'a str, place: TypePlace, transform: Option<&'a str>, is_certain: bool) {
        self.origins.insert(name, (place, transform));
        if is_certain {
            self.certain.insert(name, (place, transform));
        }
    }

    /// The place of an operand or result whose type is in the format, or of an attribute that is in the format.
    fn seen(&self, name: &str) -> Option<TypePlace> {
        let (op, format) = (self.op, self.format);
        if let Some(index) = op.operands.iter().position(|spec| spec.name == name) {
            return format.operand_types[index].then_some(TypePlace::Operand(index));
        }
        if let Some(index) = op.results.iter().position(|spec| spec.name == name) {
            return format.result_types[index].then_some(TypePlace::Result(index));
        }
        let index = op.attributes.iter().position(|attribute| attribute.name == name)?;
        format.attributes[index].then_some(TypePlace::Attribute(index))
    }

    fn no_type(&self, what: &str, index: usize, name: &str) -> Problem {
        let problem =
            format!("the type of {what} #{index}, '{name}', is neither in the format nor known otherwise");
        let help =
            format!("add 'type(${name})' to the format, or a trait that relates the type to another one");
        (self.format.start, problem, Some(help))
    }

    fn results(&self) -> Result<Vec<TypeOrigin<'a>>, Problem> {
        let (op, format) = (self.op, self.format);
        if format.all_result_types {
            return Ok(vec![TypeOrigin::Written; op.results.len()]);
        }
        if !op.results.is_empty() && !format.result_types.contains(&true) && self.inferred {
            // The inferred type satisfies the traits and the constraint of the result. If these allow only one type,
            // this type is known without inference.
            let each = op.results.iter().map(|spec| match (self.certain.get(spec.name), spec.builder) {
                (Some(&(place, None)), _) => TypeOrigin::From(place, None),
                (Some(&(place, transform)), _) if spec.arity == Arity::One => {
                    TypeOrigin::From(place, transform)
                }
                (_, Some(builder)) if spec.arity == Arity::One => TypeOrigin::Fixed(builder),
                _ => TypeOrigin::Inferred,
            });
            return Ok(each.collect());
        }
        let each = op.results.iter().enumerate().map(|(index, spec)| {
            if format.result_types[index] {
                return Ok(TypeOrigin::Written);
            }
            if let Some(&(place, transform)) = self.origins.get(spec.name) {
                return Ok(TypeOrigin::From(place, transform));
            }
            match spec.builder {
                Some(builder) if spec.arity == Arity::One => Ok(TypeOrigin::Fixed(builder)),
                _ => Err(self.no_type("result", index, spec.name)),
            }
        });
        each.collect()
    }

    fn operands(&self) -> Result<Vec<TypeOrigin<'a>>, Problem> {
        let (op, format) = (self.op, self.format);
        let each = op.operands.iter().enumerate().map(|(index, spec)| {
            if !format.all_operands && !format.operands[index] {
                return Err(self.missing("operand", index, spec.name));
            }
            if format.all_operand_types || format.operand_types[index] {
                return Ok(TypeOrigin::Written);
            }
            if let Some(&(place, transform)) = self.origins.get(spec.name) {
                return Ok(TypeOrigin::From(place, transform));
            }
            match spec.builder {
                Some(builder) if !(format.all_operands && spec.arity != Arity::One) => {
                    Ok(TypeOrigin::Fixed(builder))
                }
                _ => Err(self.no_type("operand", index, spec.name)),
            }
        });
        each.collect()
    }

    fn missing(&self, what: &str, index: usize, name: &str) -> Problem {
        let problem = format!("{what} #{index}, '{name}', is not in the format");
        (self.format.start, problem, Some(format!("add '${name}' to the format")))
    }

    fn parts(&self) -> Result<(), Problem> {
        let (op, format) = (self.op, self.format);
        for (what, parts, seen, all) in [
            ("region", &op.regions, &format.regions, format.all_regions),
            ("successor", &op.successors, &format.successors, format.all_successors),
        ] {
            let missing = parts.iter().zip(seen).position(|(_, seen)| !seen && !all);
            if let Some(index) = missing {
                return Err(self.missing(what, index, parts[index].name));
            }
        }
        Ok(())
    }
}

/// The result of a search for an ambiguous neighbour.
enum Search {
    /// An element that cannot be absent ended the search.
    Ended,
    /// The end of the list was reached.
    Open,
}

/// True if an element can be absent from the text.
fn can_be_skipped(op: &Op<'_>, element: &Element) -> bool {
    match element {
        Element::Attribute { index, .. } => {
            let spec = &op.attributes[*index].spec;
            spec.optional || !spec.default.is_empty()
        }
        Element::Property(index) => {
            let property = &op.properties[*index];
            !property.default.is_empty() && property.has_optional_parser
        }
        Element::Operand(index) => op.operands[*index].arity != Arity::One,
        Element::Successor(index) => op.successors[*index].variadic,
        Element::Region(index) => op.regions[*index].variadic,
        element => element.is_blank() || matches!(element, Element::AttrDict { .. }),
    }
}

/// Checks the elements that can come next in the text. If `guarded` is true, `elements` is the list `present` of an
/// optional group, and the first element of this list cannot be absent.
fn search(
    op: &Op<'_>,
    elements: &[Element],
    guarded: bool,
    is_bad: &dyn Fn(&Element) -> Option<Problem>,
) -> Result<Search, Problem> {
    for (index, element) in elements.iter().enumerate() {
        if let Some(problem) = is_bad(element) {
            return Err(problem);
        }
        if let Element::Group(group) = element {
            with_room(|| search(op, &group.present, true, is_bad))?;
            with_room(|| search(op, &group.absent, false, is_bad))?;
            continue;
        }
        if (guarded && index == 0) || !can_be_skipped(op, element) {
            return Ok(Search::Ended);
        }
    }
    Ok(Search::Open)
}

/// Rejects an attribute before a colon that could begin its type, and an attribute dictionary before a region.
fn adjacent(op: &Op<'_>, elements: &[Element], at: usize) -> Result<(), Problem> {
    let open_attribute = |element: &Element| match *element {
        Element::Attribute { index, qualified } => {
            let attribute = &op.attributes[index];
            attribute.type_builder.is_none() && (qualified || attribute.spec.storage == "::mlir::Attribute")
        }
        _ => false,
    };
    let colon = |base: &Element, element: &Element| match (base, element) {
        (Element::Attribute { index, .. }, Element::Literal(text)) if text == ":" => {
            let name = op.attributes[*index].name;
            let problem =
                format!("the ':' after attribute '{name}' could also begin the type of the attribute");
            Some((at, problem, Some("use an attribute whose type is fixed, or another literal".to_owned())))
        }
        _ => None,
    };
    neighbours(op, elements, &open_attribute, &colon)?;
    let dictionary = |element: &Element| matches!(element, Element::AttrDict { keyword: false });
    let region = |_: &Element, element: &Element| match element {
        Element::Region(index) => {
            let name = op.regions[*index].name;
            let problem =
                format!("the '{{' of region '{name}' after 'attr-dict' could also begin the attributes");
            Some((at, problem, Some("use 'attr-dict-with-keyword'".to_owned())))
        }
        _ => None,
    };
    neighbours(op, elements, &dictionary, &region).map(drop)
}

/// Checks the elements after each element for which `is_base` is true. Returns such an element if all elements after it
/// in the list can be absent from the text. The caller must then also check the elements after the list.
fn neighbours<'e>(
    op: &Op<'_>,
    elements: &'e [Element],
    is_base: &dyn Fn(&Element) -> bool,
    is_bad: &dyn Fn(&Element, &Element) -> Option<Problem>,
) -> Result<Option<&'e Element>, Problem> {
    for (index, element) in elements.iter().enumerate() {
        let base = match element {
            element if is_base(element) => element,
            Element::Group(Group { present, absent, .. }) => {
                let first = with_room(|| neighbours(op, present, is_base, is_bad))?;
                let second = with_room(|| neighbours(op, absent, is_base, is_bad))?;
                match first.or(second) {
                    Some(base) => base,
                    None => continue,
                }
            }
            _ => continue,
        };
        match search(op, &elements[index + 1..], false, &|element| is_bad(base, element))? {
            Search::Ended => {}
            Search::Open => return Ok(Some(base)),
        }
    }
    Ok(None)
}

/// Rejects a literal that could belong either to an `oilist` or to the element next to it.
fn check_oilists(elements: &[Element], at: usize) -> Result<(), Problem> {
    let mut taken: Vec<&str> = Vec::new();
    for element in elements {
        let words: Vec<&str> = match element {
            Element::Oilist(clauses) => clauses.iter().map(|(word, _)| word.as_str()).collect(),
            Element::Literal(text) => vec![text.as_str()],
            _ => Vec::new(),
        };
        if let Some(word) = words.iter().find(|word| taken.contains(word)) {
            return Err((
                at,
                format!("`{word}` could belong to 'oilist' or to the element next to it"),
                None,
            ));
        }
        match element {
            Element::Oilist(_) => taken.extend(words),
            _ => taken.clear(),
        }
    }
    Ok(())
}
