//! Reads the elements of a format.

use crate::frontend::ods::format_lexer::{Literal, Problem, Token, TokenKind, Tokens, literal, wrong};
use crate::frontend::ods::model::{Op, RegionOrSuccessor, ValueSpec};
use crate::ir::dialect::{Anchor, DirectiveArg, Element, Group, TypeOperand};
use crate::pdl::Arity;
use crate::stack::with_room;

/// The maximum nesting of groups and directives.
const DEPTH_LIMIT: u32 = 100;

/// The error for an argument that `custom` does not accept.
const CUSTOM_ARGUMENTS: &str =
    "the arguments of 'custom' are variables, types, strings, 'ref', 'attr-dict' and 'prop-dict'";

type Parsed<T> = Result<T, Problem>;

/// The elements of a format, and the parts of the operation that they mention.
#[derive(Debug, Default)]
pub(super) struct ParsedFormat {
    pub(super) elements: Vec<Element>,
    /// The offset of the first token. Errors that concern the whole format are reported there.
    pub(super) start: usize,
    pub(super) attr_dict: bool,
    pub(super) prop_dict: bool,
    pub(super) all_operands: bool,
    pub(super) all_regions: bool,
    pub(super) all_successors: bool,
    pub(super) all_operand_types: bool,
    pub(super) all_result_types: bool,
    pub(super) operands: Vec<bool>,
    pub(super) operand_types: Vec<bool>,
    pub(super) result_types: Vec<bool>,
    pub(super) attributes: Vec<bool>,
    pub(super) properties: Vec<bool>,
    pub(super) regions: Vec<bool>,
    pub(super) successors: Vec<bool>,
}

/// The construct that contains an element and restricts its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    Top,
    Custom,
    Type,
    Ref,
}

/// An item of a format. Some are only valid inside directives.
enum Item {
    Element(Element),
    /// A result variable, or `results`.
    Results(TypeOperand),
    /// A string in quotes.
    Text(String),
    /// `ref(…)`
    Ref(DirectiveArg),
}

/// Reads the elements of a format.
pub(super) fn parse(op: &Op<'_>, text: &str) -> Parsed<ParsedFormat> {
    let none = |count: usize| vec![false; count];
    let format = ParsedFormat {
        operands: none(op.operands.len()),
        operand_types: none(op.operands.len()),
        result_types: none(op.results.len()),
        attributes: none(op.attributes.len()),
        properties: none(op.properties.len()),
        regions: none(op.regions.len()),
        successors: none(op.successors.len()),
        ..ParsedFormat::default()
    };
    let mut parser = Parser { op, tokens: Tokens::new(text)?, format, depth: 0 };
    parser.format.start = parser.tokens.next.at;
    let mut elements = Vec::new();
    while parser.tokens.next.kind != TokenKind::End {
        elements.push(parser.element()?);
    }
    parser.format.elements = elements;
    Ok(parser.format)
}

fn element(literal: Literal<'_>) -> Element {
    match literal {
        Literal::Space { printed } => Element::Space { printed },
        Literal::Newline => Element::Newline,
        Literal::Text(text) => Element::Literal(text.to_owned()),
    }
}

struct Parser<'o, 'a, 't> {
    op: &'o Op<'a>,
    tokens: Tokens<'t>,
    format: ParsedFormat,
    depth: u32,
}

impl Parser<'_, '_, '_> {
    /// Reads an element that is not an argument of a directive.
    fn element(&mut self) -> Parsed<Element> {
        let at = self.tokens.next.at;
        match self.item(Context::Top)? {
            Item::Element(element) => Ok(element),
            Item::Results(_) => wrong(at, "results can only be arguments of 'type' and 'functional-type'"),
            Item::Text(_) => wrong(at, "a string can only be an argument of 'custom'"),
            Item::Ref(_) => wrong(at, "'ref' can only be an argument of 'custom'"),
        }
    }

    fn item(&mut self, context: Context) -> Parsed<Item> {
        if self.depth >= DEPTH_LIMIT {
            return wrong(
                self.tokens.next.at,
                format!("nesting is deeper than the limit of {DEPTH_LIMIT} levels"),
            );
        }
        self.depth += 1;
        let item = with_room(|| self.item_inside(context));
        self.depth -= 1;
        item
    }

    fn item_inside(&mut self, context: Context) -> Parsed<Item> {
        let token = self.tokens.next;
        let at = token.at;
        match token.kind {
            TokenKind::Literal => {
                self.tokens.advance()?;
                if context != Context::Top {
                    return wrong(at, "a literal cannot be an argument of a directive");
                }
                literal(token).map(|literal| Item::Element(element(literal)))
            }
            TokenKind::String => {
                self.tokens.advance()?;
                if context != Context::Custom {
                    return wrong(at, "a string can only be an argument of 'custom'");
                }
                Ok(Item::Text(token.text[1..token.text.len() - 1].replace('\\', "")))
            }
            TokenKind::Variable => {
                self.tokens.advance()?;
                self.variable(&token.text[1..], at, context)
            }
            TokenKind::Word => {
                self.tokens.advance()?;
                self.directive(token, context)
            }
            TokenKind::Punctuation(b'(') => {
                self.tokens.advance()?;
                if context != Context::Top {
                    return wrong(at, "an optional group cannot be an argument of a directive");
                }
                self.group(at).map(Item::Element)
            }
            _ => wrong(at, "a literal, variable, directive or optional group is expected"),
        }
    }

    fn variable(&mut self, name: &str, at: usize, context: Context) -> Parsed<Item> {
        let op = self.op;
        let bind = |seen: &mut bool, what: &str, taken: bool| -> Parsed<()> {
            match context {
                Context::Ref if !*seen && !taken => {
                    wrong(at, format!("{what} '{name}' must occur before it is referenced"))
                }
                Context::Ref => Ok(()),
                _ if *seen || taken => wrong(at, format!("{what} '{name}' occurs twice")),
                _ => {
                    *seen = true;
                    Ok(())
                }
            }
        };
        if let Some(index) = op.attributes.iter().position(|attribute| attribute.name == name) {
            if context == Context::Type {
                return wrong(at, "an attribute cannot be an argument of 'type' or 'functional-type'");
            }
            bind(&mut self.format.attributes[index], "attribute", false)?;
            return Ok(Item::Element(Element::Attribute { index, qualified: false }));
        }
        if let Some(index) = op.properties.iter().position(|property| property.name == name) {
            if context == Context::Type {
                return wrong(at, "a property cannot be an argument of 'type' or 'functional-type'");
            }
            bind(&mut self.format.properties[index], "property", false)?;
            return Ok(Item::Element(Element::Property(index)));
        }
        let values = |specs: &[ValueSpec<'_>]| specs.iter().position(|spec| spec.name == name);
        let parts = |specs: &[RegionOrSuccessor<'_>]| specs.iter().position(|spec| spec.name == name);
        if let Some(index) = values(&op.operands) {
            if context != Context::Type {
                let taken = self.format.all_operands && context != Context::Ref;
                bind(&mut self.format.operands[index], "operand", taken)?;
            }
            return Ok(Item::Element(Element::Operand(index)));
        }
        let bind_part = |bound: &mut bool, kind: &str, all: bool| {
            if context == Context::Type {
                return wrong(at, format!("a {kind} cannot be an argument of 'type' or 'functional-type'"));
            }
            bind(bound, kind, all && context != Context::Ref)
        };
        if let Some(index) = parts(&op.regions) {
            bind_part(&mut self.format.regions[index], "region", self.format.all_regions)?;
            return Ok(Item::Element(Element::Region(index)));
        }
        if let Some(index) = values(&op.results) {
            if context != Context::Type {
                return wrong(at, "a result can only be an argument of 'type' or 'functional-type'");
            }
            return Ok(Item::Results(TypeOperand::Result(index)));
        }
        if let Some(index) = parts(&op.successors) {
            bind_part(&mut self.format.successors[index], "successor", self.format.all_successors)?;
            return Ok(Item::Element(Element::Successor(index)));
        }
        wrong(at, format!("there is no argument, result, region or successor '{name}'"))
    }

    fn directive(&mut self, token: Token<'_>, context: Context) -> Parsed<Item> {
        let at = token.at;
        let element = match token.text {
            "custom" => {
                if context != Context::Top {
                    return wrong(at, "'custom' cannot be an argument of a directive");
                }
                self.custom(at)?
            }
            "ref" => {
                if context != Context::Custom {
                    return wrong(at, "'ref' can only be an argument of 'custom'");
                }
                self.tokens.expect(b'(', "after 'ref'")?;
                let inner_at = self.tokens.next.at;
                let item = self.item(Context::Ref)?;
                let inner = self.argument(item, inner_at)?;
                self.tokens.expect(b')', "after the argument of 'ref'")?;
                return Ok(Item::Ref(DirectiveArg::Ref(Box::new(inner))));
            }
            "qualified" => {
                self.tokens.expect(b'(', "after 'qualified'")?;
                let item = self.item(context)?;
                let element = match item {
                    Item::Element(Element::Attribute { index, .. }) => {
                        Element::Attribute { index, qualified: true }
                    }
                    Item::Element(Element::Type { of, .. }) => Element::Type { of, qualified: true },
                    _ => return wrong(at, "'qualified' needs an attribute or a 'type' directive"),
                };
                self.tokens.expect(b')', "after the argument of 'qualified'")?;
                element
            }
            "attr-dict" | "attr-dict-with-keyword" => {
                let name = token.text;
                self.bind_once(at, context, name, |format| &mut format.attr_dict)?;
                Element::AttrDict { keyword: name == "attr-dict-with-keyword" }
            }
            "prop-dict" => {
                if context == Context::Ref {
                    return wrong(at, "'prop-dict' cannot be an argument of 'ref'");
                }
                self.bind_once(at, context, "prop-dict", |format| &mut format.prop_dict)?;
                Element::PropDict
            }
            "operands" => {
                if context == Context::Ref && !self.format.all_operands {
                    return wrong(at, "'operands' must occur before it is referenced");
                }
                if matches!(context, Context::Top | Context::Custom) {
                    if self.format.all_operands || self.format.operands.contains(&true) {
                        return wrong(at, "'operands' contains operands that the format already uses");
                    }
                    self.format.all_operands = true;
                }
                Element::Operands
            }
            "regions" => {
                let seen = self.format.regions.contains(&true);
                self.bind_all(at, context, "regions", seen, |format| &mut format.all_regions)?;
                Element::Regions
            }
            "successors" => {
                let seen = self.format.successors.contains(&true);
                self.bind_all(at, context, "successors", seen, |format| &mut format.all_successors)?;
                Element::Successors
            }
            "results" => {
                if context != Context::Type {
                    return wrong(at, "'results' can only be an argument of 'type' or 'functional-type'");
                }
                return Ok(Item::Results(TypeOperand::Results));
            }
            "type" => {
                if context == Context::Type {
                    return wrong(at, "'type' cannot be an argument of 'type' or 'functional-type'");
                }
                self.tokens.expect(b'(', "after 'type'")?;
                let of = self.type_operand(at, context == Context::Ref)?;
                self.tokens.expect(b')', "after the argument of 'type'")?;
                Element::Type { of, qualified: false }
            }
            "functional-type" => {
                if context != Context::Top {
                    return wrong(at, "'functional-type' cannot be an argument of a directive");
                }
                self.tokens.expect(b'(', "after 'functional-type'")?;
                let inputs = self.type_operand(at, false)?;
                self.tokens.expect(b',', "after the inputs of 'functional-type'")?;
                let results = self.type_operand(at, false)?;
                self.tokens.expect(b')', "after the results of 'functional-type'")?;
                Element::FunctionalType { inputs, results }
            }
            "oilist" => self.oilist(at, context)?,
            "params" | "struct" => {
                return wrong(
                    at,
                    format!(
                        "'{}' can only be in the format of an attribute or a type, not in that of an operation",
                        token.text
                    ),
                );
            }
            word => {
                return wrong(
                    at,
                    format!("'{word}' is not a directive; a keyword of the text is written as `{word}`"),
                );
            }
        };
        Ok(Item::Element(element))
    }

    fn bind_once(
        &mut self,
        at: usize,
        context: Context,
        name: &str,
        seen: impl Fn(&mut ParsedFormat) -> &mut bool,
    ) -> Parsed<()> {
        let seen = seen(&mut self.format);
        match context {
            Context::Type => {
                wrong(at, format!("'{name}' cannot be an argument of 'type' or 'functional-type'"))
            }
            Context::Ref if !*seen => wrong(at, format!("'{name}' must occur before it is referenced")),
            Context::Ref => Ok(()),
            _ if *seen => wrong(at, format!("'{name}' occurs twice")),
            _ => {
                *seen = true;
                Ok(())
            }
        }
    }

    fn bind_all(
        &mut self,
        at: usize,
        context: Context,
        name: &str,
        repeated: bool,
        seen: impl Fn(&mut ParsedFormat) -> &mut bool,
    ) -> Parsed<()> {
        let seen = seen(&mut self.format);
        match context {
            Context::Type => {
                wrong(at, format!("'{name}' cannot be an argument of 'type' or 'functional-type'"))
            }
            Context::Ref if !*seen => wrong(at, format!("'{name}' must occur before it is referenced")),
            Context::Ref => Ok(()),
            _ if *seen || repeated => {
                wrong(at, format!("'{name}' contains {name} that the format already uses"))
            }
            _ => {
                *seen = true;
                Ok(())
            }
        }
    }

    /// Reads the argument of `type`, or one of the arguments of `functional-type`.
    fn type_operand(&mut self, at: usize, is_ref: bool) -> Parsed<TypeOperand> {
        if self.tokens.next.kind == TokenKind::Literal {
            return wrong(self.tokens.next.at, "a literal has no type");
        }
        let item = self.item(Context::Type)?;
        let of = match item {
            Item::Element(Element::Operand(index)) => TypeOperand::Operand(index),
            Item::Element(Element::Operands) => TypeOperand::Operands,
            Item::Results(of) => of,
            _ => {
                return wrong(
                    at,
                    "the arguments of 'type' and 'functional-type' must be operands, results, 'operands' or \
                     'results'",
                );
            }
        };
        let format = &mut self.format;
        let (one, all) = match of {
            TypeOperand::Operand(index) => {
                (format.operand_types.get_mut(index), &mut format.all_operand_types)
            }
            TypeOperand::Result(index) => (format.result_types.get_mut(index), &mut format.all_result_types),
            TypeOperand::Operands => (None, &mut format.all_operand_types),
            TypeOperand::Results => (None, &mut format.all_result_types),
        };
        let any = match of {
            TypeOperand::Operands => format.operand_types.contains(&true),
            TypeOperand::Results => format.result_types.contains(&true),
            _ => one.as_ref().is_some_and(|seen| **seen),
        };
        let seen = match of {
            TypeOperand::Operands | TypeOperand::Results if is_ref => *all,
            _ => *all || any,
        };
        match (is_ref, seen) {
            (false, true) => return wrong(at, "this type occurs twice"),
            (true, false) => return wrong(at, "this type must occur before it is referenced"),
            _ => {}
        }
        match of {
            TypeOperand::Operand(index) => self.format.operand_types[index] = true,
            TypeOperand::Result(index) => self.format.result_types[index] = true,
            TypeOperand::Operands | TypeOperand::Results => *all = true,
        }
        Ok(of)
    }

    fn argument(&self, item: Item, at: usize) -> Parsed<DirectiveArg> {
        Ok(match item {
            Item::Text(text) => DirectiveArg::Text(text),
            Item::Ref(arg) => arg,
            Item::Element(Element::Operand(index)) => DirectiveArg::Operand(index),
            Item::Element(Element::Attribute { index, .. }) => DirectiveArg::Attribute(index),
            Item::Element(Element::Property(index)) => DirectiveArg::Property(index),
            Item::Element(Element::Region(index)) => DirectiveArg::Region(index),
            Item::Element(Element::Successor(index)) => DirectiveArg::Successor(index),
            Item::Element(Element::AttrDict { .. }) => DirectiveArg::AttrDict,
            Item::Element(Element::PropDict) => DirectiveArg::PropDict,
            Item::Element(Element::Type { of, .. }) => match of {
                TypeOperand::Operand(_) | TypeOperand::Result(_) => DirectiveArg::Type(of),
                _ => return wrong(at, "'type' in 'custom' must name one operand or result"),
            },
            Item::Element(Element::Operands | Element::Regions | Element::Successors) => DirectiveArg::Whole,
            _ => return wrong(at, CUSTOM_ARGUMENTS),
        })
    }

    fn custom(&mut self, at: usize) -> Parsed<Element> {
        self.tokens.expect(b'<', "after 'custom'")?;
        let name = self.tokens.next;
        self.tokens.custom_name()?;
        self.tokens.expect(b'>', "after the name of the directive")?;
        self.tokens.expect(b'(', "before the arguments of 'custom'")?;
        let mut args = Vec::new();
        loop {
            let item = self.item(Context::Custom)?;
            if let Item::Element(Element::Operands | Element::Regions | Element::Successors) = item {
                return wrong(at, CUSTOM_ARGUMENTS);
            }
            args.push(self.argument(item, at)?);
            if !self.tokens.next.is(b',') {
                break;
            }
            self.tokens.advance()?;
        }
        self.tokens.expect(b')', "after the arguments of 'custom'")?;
        Ok(Element::Custom { name: name.text.to_owned(), args })
    }

    fn oilist(&mut self, at: usize, context: Context) -> Parsed<Element> {
        if context != Context::Top {
            return wrong(at, "'oilist' cannot be an argument of a directive");
        }
        self.tokens.expect(b'(', "after 'oilist'")?;
        let mut clauses = Vec::new();
        loop {
            let token = self.tokens.next;
            if token.kind != TokenKind::Literal {
                return wrong(token.at, "a literal is expected at the start of a clause of 'oilist'");
            }
            self.tokens.advance()?;
            let Literal::Text(word) = literal(token)? else {
                return wrong(token.at, "a clause of 'oilist' must start with a keyword");
            };
            let mut elements = Vec::new();
            while !self.tokens.next.is(b'|') && !self.tokens.next.is(b')') {
                let element = self.element()?;
                self.check_clause(&element, at)?;
                elements.push(element);
            }
            clauses.push((word.to_owned(), elements));
            if self.tokens.next.is(b')') {
                self.tokens.advance()?;
                return Ok(Element::Oilist(clauses));
            }
            self.tokens.advance()?;
        }
    }

    /// Checks that an element of an `oilist` clause can be absent.
    fn check_clause(&self, element: &Element, at: usize) -> Parsed<()> {
        let fixed = |spec: &ValueSpec<'_>| spec.arity == Arity::One;
        let of_type = |of: &TypeOperand| match *of {
            TypeOperand::Operand(index) => fixed(&self.op.operands[index]),
            TypeOperand::Result(index) => fixed(&self.op.results[index]),
            _ => false,
        };
        let bad = match element {
            Element::Attribute { index, .. } => {
                let spec = &self.op.attributes[*index].spec;
                !spec.optional && spec.default.is_empty()
            }
            Element::Property(index) => self.op.properties[*index].default.is_empty(),
            Element::Operand(index) => fixed(&self.op.operands[*index]),
            Element::Successor(_) => {
                return wrong(at, "a successor cannot be in a clause of 'oilist'");
            }
            Element::FunctionalType { inputs, results } => of_type(inputs) || of_type(results),
            Element::Custom { args, .. } => {
                for arg in args {
                    let inner = match arg {
                        DirectiveArg::Operand(index) => Element::Operand(*index),
                        DirectiveArg::Attribute(index) => {
                            Element::Attribute { index: *index, qualified: false }
                        }
                        DirectiveArg::Property(index) => Element::Property(*index),
                        DirectiveArg::Successor(index) => Element::Successor(*index),
                        _ => continue,
                    };
                    self.check_clause(&inner, at)?;
                }
                false
            }
            Element::Group(group) => {
                for inner in group.present.iter().chain(&group.absent) {
                    with_room(|| self.check_clause(inner, at))?;
                }
                false
            }
            Element::Oilist(clauses) => {
                for inner in clauses.iter().flat_map(|(_, elements)| elements) {
                    with_room(|| self.check_clause(inner, at))?;
                }
                false
            }
            _ => false,
        };
        if bad {
            wrong(at, "each variable in 'oilist' must be optional or variadic, or must have a default")
        } else {
            Ok(())
        }
    }

    fn children(&mut self, anchor: &mut Option<usize>, marked: bool) -> Parsed<Vec<Element>> {
        let mut elements = Vec::new();
        loop {
            let element = self.element()?;
            if self.tokens.next.is(b'^') {
                if marked || anchor.is_some() {
                    return wrong(self.tokens.next.at, "an optional group can have only one '^'");
                }
                *anchor = Some(elements.len());
                self.tokens.advance()?;
            }
            elements.push(element);
            if self.tokens.next.is(b')') {
                self.tokens.advance()?;
                return Ok(elements);
            }
        }
    }

    fn group(&mut self, at: usize) -> Parsed<Element> {
        let (mut anchor, mut other) = (None, None);
        let present = self.children(&mut anchor, false)?;
        let mut absent = Vec::new();
        if self.tokens.next.is(b':') {
            self.tokens.advance()?;
            self.tokens.expect(b'(', "before the else branch of an optional group")?;
            absent = self.children(&mut other, anchor.is_some())?;
        }
        self.tokens.expect(b'?', "after an optional group")?;
        let place = match (anchor, other) {
            (Some(index), _) => Anchor::Present(index),
            (None, Some(index)) => Anchor::Absent(index),
            (None, None) => return wrong(at, "the optional group has no anchor; mark one element with '^'"),
        };
        let group = Group { present, absent, anchor: place };
        for (index, element) in group.present.iter().enumerate() {
            self.check_optional(element, place == Anchor::Present(index), at)?;
        }
        for element in &group.absent {
            self.check_optional(element, false, at)?;
        }
        let first = group.present.iter().find(|element| !element.is_blank());
        let starts = matches!(
            first,
            Some(
                Element::Literal(_)
                    | Element::Operand(_)
                    | Element::Attribute { .. }
                    | Element::Property(_)
                    | Element::Region(_)
                    | Element::Successor(_)
                    | Element::Custom { .. }
            )
        );
        if !starts {
            return wrong(at, "an optional group must start with a literal, a variable or 'custom'");
        }
        Ok(Element::Group(group))
    }

    /// Checks that an element can be in an optional group.
    fn check_optional(&self, element: &Element, anchor: bool, at: usize) -> Parsed<()> {
        let fixed = |spec: &ValueSpec<'_>| spec.arity == Arity::One;
        let of_type = |of: &TypeOperand| match *of {
            TypeOperand::Operand(index) => Ok(fixed(&self.op.operands[index])),
            TypeOperand::Result(index) => Ok(fixed(&self.op.results[index])),
            TypeOperand::Operands | TypeOperand::Results => {
                wrong(at, "'operands' and 'results' cannot be in an optional group")
            }
        };
        let must_be_optional = "the operands and results in an optional group must be optional or variadic";
        match element {
            Element::Attribute { index, .. } => {
                let spec = &self.op.attributes[*index].spec;
                if anchor && !spec.optional && spec.default.is_empty() {
                    return wrong(
                        at,
                        "an attribute that is marked with '^' must be optional or have a default",
                    );
                }
            }
            Element::Property(index) => {
                let property = &self.op.properties[*index];
                if anchor && (property.default.is_empty() || !property.has_optional_parser) {
                    return wrong(
                        at,
                        "a property that is marked with '^' must have a default and an optional parser",
                    );
                }
            }
            Element::Operand(index) => {
                if fixed(&self.op.operands[*index]) {
                    return wrong(at, must_be_optional);
                }
            }
            Element::Region(_) => {}
            Element::Type { of, .. } => {
                if of_type(of)? {
                    return wrong(at, must_be_optional);
                }
            }
            Element::FunctionalType { inputs, results } => {
                if of_type(inputs)? || of_type(results)? {
                    return wrong(at, must_be_optional);
                }
            }
            Element::Custom { args, .. } => {
                for arg in args.iter().filter(|_| anchor) {
                    let child = match arg {
                        DirectiveArg::Ref(_) => continue,
                        DirectiveArg::Operand(index) => Element::Operand(*index),
                        DirectiveArg::Attribute(index) => {
                            Element::Attribute { index: *index, qualified: false }
                        }
                        DirectiveArg::Property(index) => Element::Property(*index),
                        DirectiveArg::Region(index) => Element::Region(*index),
                        DirectiveArg::Type(of) => Element::Type { of: *of, qualified: false },
                        _ => {
                            return wrong(
                                at,
                                "only 'ref', types, and variables other than successors can be arguments of a 'custom' \
                                 that is marked with '^'",
                            );
                        }
                    };
                    self.check_optional(&child, true, at)?;
                }
            }
            Element::Literal(_) | Element::Space { .. } | Element::Newline | Element::Group(_) => {
                if anchor {
                    return wrong(at, "literals, spaces and groups cannot be marked with '^'");
                }
            }
            _ => {
                return wrong(
                    at,
                    "an optional group can contain only literals, groups, types, 'custom' and variables other than \
                     successors",
                );
            }
        }
        Ok(())
    }
}
