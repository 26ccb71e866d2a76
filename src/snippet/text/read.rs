//! Reads the parameters of a dialect's attributes and types from their text.
//!
//! Specification: the result is that of the parser that `mlir-tblgen` generates from the declarative format.
//!
//! Reading creates no values: each parameter is returned as a slice of the text. Reading ends at a part that only C++
//! code can read (`custom`, parsers of parameters), also inside a nested attribute. The parameters before that part are
//! returned, and the parameters after it are missing. A reader that guesses the end of such a part reads on.
//!
//! Source: MLIR's "Defining Dialect Attributes and Types"; for white space, which that page does not specify, the
//! output of `AttrOrTypeFormatGen.cpp`.

use std::borrow::Cow;

use super::cursor::Cursor;
use super::integer::{boolean_of, integer_of};
use crate::intern::StrId;
use crate::snippet::data::{Body, BodyParam, BodyPart, ClassKind, EnumId, ParamKind, Snippets, split_group};
use crate::stack::with_room;

/// The text of each parameter; `None` if it is omitted.
type ParamTexts<'t> = Vec<Option<&'t str>>;

/// The maximum nesting depth of attributes and types.
const DEPTH_LIMIT: u32 = 100;

/// Splits a text into the text of its class, `#dialect.name`, and the rest. The form `#dialect<name rest>` has the
/// same meaning.
pub(in crate::snippet) fn split_class(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let sigil = text.get(..1).filter(|sigil| matches!(*sigil, "#" | "!"))?;
    let mut cursor = Cursor { text, at: 1 };
    let name = cursor.word()?;
    if name.contains('.') {
        return Some((text[..cursor.at].into(), &text[cursor.at..]));
    }
    let open = cursor.at;
    if !text[open..].starts_with('<') || !cursor.balanced() {
        return None;
    }
    let mut inside = Cursor { text: &text[open + 1..cursor.at - 1], at: 0 };
    let mnemonic = inside.word()?;
    Some((format!("{sigil}{name}.{mnemonic}").into(), &inside.text[inside.at..]))
}

/// Looks up a class in the list of a [`ClassKind::OneOf`]: true if the definition of the class declares the interface,
/// `None` if the class has no definition.
pub(in crate::snippet) fn declares(definitions: &str, class: &str) -> Option<bool> {
    definitions.split(',').find_map(|one| match one.strip_prefix('-') {
        Some(without) => (without == class).then_some(false),
        None => (one == class).then_some(true),
    })
}

impl Snippets {
    /// The class of an attribute or type with this text, if its format is known.
    pub fn class_of_text(&self, text: &str) -> Option<StrId> {
        let (class, _) = split_class(text)?;
        self.strings.find(&class).filter(|class| self.bodies.contains_key(class))
    }

    /// True if the definition of the attribute or type with this text declares an interface; `None` if the definition
    /// is not known.
    pub(crate) fn declares(&self, interface: &str, text: &str) -> Option<bool> {
        match self.class(self.find_class(interface)?).kind {
            ClassKind::OneOf(_, definitions) => declares(self.str(definitions), &split_class(text)?.0),
            _ => None,
        }
    }

    /// Reads the text of an attribute or type of this class. Returns the text of each parameter; `None` if the text
    /// omits the parameter, or if only C++ code can find it.
    ///
    /// # Errors
    /// The text does not have the format. The error is a clause without punctuation at its end.
    pub fn read_body<'t>(&self, class: StrId, text: &'t str) -> Result<Vec<Option<&'t str>>, String> {
        let (_, rest) = split_class(text).ok_or("it has no dialect prefix")?;
        let body = self.body(class).ok_or("its class has no definition")?;
        let mut reader = BodyReader::new(self, Cursor::new(rest), false);
        let texts = reader.body(body)?;
        let rest = reader.cursor.rest();
        let typed = rest.starts_with(':') && text.starts_with('#');
        if rest.is_empty() || typed || reader.opaque {
            return Ok(texts);
        }
        Err(format!("'{rest}' is left over"))
    }

    /// The id of a class `#dialect.name` or `!dialect.name` whose format is known.
    pub(crate) fn find_body(&self, class: &str) -> Option<StrId> {
        self.strings.find(class).filter(|class| self.bodies.contains_key(class))
    }

    /// True if no part of the format of this class, and of the classes inside it, needs C++ code.
    pub(crate) fn is_declarative(&self, class: StrId) -> bool {
        let (mut seen, mut todo) = (vec![class], vec![class]);
        while let Some(class) = todo.pop() {
            let Some(body) = self.body(class) else { return false };
            if body.format.iter().any(|part| matches!(part, BodyPart::Custom)) {
                return false;
            }
            for param in &body.params {
                match param.kind {
                    ParamKind::Cxx => return false,
                    ParamKind::Type(Some(inner)) | ParamKind::Attr(Some(inner))
                        if !param.qualified && !seen.contains(&inner) =>
                    {
                        seen.push(inner);
                        todo.push(inner);
                    }
                    _ => {}
                }
            }
        }
        true
    }

    /// True if no part of the format of this class needs C++ code. The formats of the classes inside it can need C++
    /// code.
    pub(crate) fn has_declarative_format(&self, class: StrId) -> bool {
        self.body(class).is_some_and(|body| {
            !body.format.contains(&BodyPart::Custom)
                && body.params.iter().all(|param| param.kind != ParamKind::Cxx)
        })
    }

    /// True if the format of this class begins with an opening bracket whose closing bracket certainly ends the format.
    pub(crate) fn is_enclosed(&self, class: StrId) -> bool {
        let Some(body) = self.body(class) else { return false };
        let literals = body.format.iter().filter_map(|part| match part {
            BodyPart::Blank(_) => None,
            BodyPart::Literal(text) => Some(self.str(*text)),
            _ => Some(""),
        });
        let (first, last) =
            (literals.clone().next().unwrap_or(""), literals.clone().next_back().unwrap_or(""));
        let pairs = [("<", ">"), ("(", ")"), ("[", "]"), ("{", "}")];
        // The first bracket closes at the end if no other bracket of this kind opens.
        pairs.contains(&(first, last)) && literals.filter(|literal| *literal == first).count() == 1
    }

    /// True if an attribute or type of this class, written without the class text (`#dialect.name`), can start at an
    /// offset of a text.
    pub(crate) fn body_starts_at(&self, class: StrId, text: &str, at: usize) -> bool {
        let Some(body) = self.body(class) else { return false };
        let reader = BodyReader::new(self, Cursor { text, at }, false);
        reader.starts(body, &body.format, &vec![None; body.params.len()]).unwrap_or(false)
    }

    /// Splits the text of a list parameter into the texts of its elements.
    pub(in crate::snippet) fn read_list<'t>(&self, kind: ParamKind, text: &'t str) -> Vec<&'t str> {
        let mut reader = BodyReader::new(self, Cursor::new(text), false);
        let mut items = Vec::new();
        while let Some(item) = reader.one(kind) {
            items.push(item);
            if !reader.cursor.eat(",") {
                break;
            }
        }
        items
    }

    /// Reads a list like [`Snippets::read_list`], but guesses the ends of parts that only C++ code can read. Returns
    /// `None` if the text is not exactly one nonempty list.
    pub(super) fn guess_list<'t>(&self, kind: ParamKind, text: &'t str) -> Option<Vec<&'t str>> {
        let mut reader = BodyReader::new(self, Cursor::new(text), true);
        let mut items = Vec::new();
        loop {
            items.push(reader.one(kind)?);
            if !reader.cursor.eat(",") {
                break;
            }
        }
        reader.cursor.rest().is_empty().then_some(items)
    }

    /// True if the parameter can be read without C++ code.
    pub fn can_read(&self, class: StrId, param: u32) -> bool {
        let Some(body) = self.body(class) else { return false };
        let Some(declared) = body.params.get(param as usize) else { return false };
        let end_is_known = |param: &BodyParam| self.end_is_known(param, &mut Vec::new());
        let readable = |param: u32| body.params.get(param as usize).is_some_and(end_is_known);
        match declared.kind {
            ParamKind::Cxx => return false,
            ParamKind::SelfType => return true,
            _ if !end_is_known(declared) => return false,
            _ => {}
        }
        for part in body.format.iter().filter(|part| !matches!(part, BodyPart::Group { .. })) {
            if matches!(part, BodyPart::Custom) || !part.params().iter().all(|&param| readable(param)) {
                return false;
            }
            if part.params().contains(&param) {
                return true;
            }
        }
        // The format does not contain the parameter, so its value is the default if there is one.
        declared.default.is_some()
    }

    /// True if the end of a parameter can be found without C++ code. Classes in `within` are being checked already
    /// and count as readable.
    fn end_is_known(&self, param: &BodyParam, within: &mut Vec<StrId>) -> bool {
        let class = match param.kind {
            ParamKind::Cxx => return false,
            ParamKind::Type(Some(class)) | ParamKind::Attr(Some(class)) if !param.qualified => class,
            _ => return true,
        };
        let Some(body) = self.body(class).filter(|_| !within.contains(&class)) else { return true };
        let first = body.format.iter().find(|part| !matches!(part, BodyPart::Blank(_)));
        // The closing bracket ends the parameter.
        if matches!(first, Some(BodyPart::Literal(text)) if self.str(*text) == "<") || self.is_enclosed(class)
        {
            return true;
        }
        within.push(class);
        body.format.iter().all(|part| !matches!(part, BodyPart::Custom))
            && body.params.iter().all(|param| with_room(|| self.end_is_known(param, within)))
    }
}

/// The outcome of the search for the end of an attribute or type whose class text is omitted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// The cursor is at the end.
    Found,
    /// Only C++ code can find the end.
    Opaque,
    /// The text does not have the format.
    Wrong,
}

pub(super) struct BodyReader<'s, 't> {
    snippets: &'s Snippets,
    pub(super) cursor: Cursor<'t>,
    depth: u32,
    /// True if only C++ code can read the rest.
    pub(super) opaque: bool,
    /// True if the reader guesses the ends of parts that only C++ code can read. Such a part ends at the closing
    /// bracket around it; a single parameter also ends at the next comma.
    guesses: bool,
    /// The text of the first `custom`, if the reader guesses. A second `custom` ends the reading.
    pub(super) custom: Option<&'t str>,
}

impl<'s, 't> BodyReader<'s, 't> {
    pub(super) fn new(snippets: &'s Snippets, cursor: Cursor<'t>, guesses: bool) -> Self {
        Self { snippets, cursor, depth: 0, opaque: false, guesses, custom: None }
    }

    pub(super) fn body(&mut self, body: &Body) -> Result<ParamTexts<'t>, String> {
        let mut texts = vec![None; body.params.len()];
        self.parts(body, &body.format, &mut texts)?;
        for (param, text) in body.params.iter().zip(&texts) {
            let mandatory = param.default.is_none() && !matches!(param.kind, ParamKind::SelfType);
            if mandatory && text.is_none() && !self.opaque {
                return Err(self.missing(param));
            }
        }
        Ok(texts)
    }

    fn missing(&self, param: &BodyParam) -> String {
        format!("it has no parameter '{}'", self.snippets.str(param.name))
    }

    /// The error at a text that is not a value of a parameter.
    fn malformed(&self, param: &BodyParam) -> String {
        let mut cursor = self.cursor;
        match cursor.rest() {
            rest if rest.is_empty() || rest.starts_with('>') => self.missing(param),
            _ => format!("a value of the parameter '{}' is expected", self.snippets.str(param.name)),
        }
    }

    fn parts(
        &mut self,
        body: &Body,
        parts: &[BodyPart<StrId>],
        texts: &mut ParamTexts<'t>,
    ) -> Result<(), String> {
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            rest = after;
            if self.opaque {
                return Ok(());
            }
            match part {
                BodyPart::Literal(text) => {
                    let text = self.snippets.str(*text);
                    if !self.cursor.eat(text) {
                        return Err(format!("'{text}' is expected"));
                    }
                }
                BodyPart::Blank(_) => {}
                BodyPart::Param(param) => self.param(body, *param, texts)?,
                BodyPart::Params(params) => self.list(body, params, texts)?,
                BodyPart::Struct(params) => self.fields(body, params, texts)?,
                BodyPart::Group { present, absent, .. } => {
                    let (first, second);
                    (first, second, rest) = split_group(after, *present, *absent);
                    let content = self.guard(body, first, texts)?;
                    with_room(|| self.parts(body, content.unwrap_or(second), texts))?;
                }
                BodyPart::Custom if self.guesses && self.custom.is_none() => {
                    self.custom = Some(self.cursor.until(b""));
                }
                BodyPart::Custom => self.opaque = true,
            }
        }
        Ok(())
    }

    /// Reads the first part of a group, which decides if the group is present. Returns the other parts of a present
    /// group. As in MLIR, the reader does not return to the text before a part that it has read.
    fn guard<'p>(
        &mut self,
        body: &Body,
        parts: &'p [BodyPart<StrId>],
        texts: &mut ParamTexts<'t>,
    ) -> Result<Option<&'p [BodyPart<StrId>]>, String> {
        let first = parts.iter().position(|part| !matches!(part, BodyPart::Blank(_)));
        let Some((part, rest)) = first.and_then(|first| parts[first..].split_first()) else {
            return Ok(None);
        };
        if let BodyPart::Literal(text) = part {
            return Ok(self.cursor.eat(self.snippets.str(*text)).then_some(rest));
        }
        self.parts(body, std::slice::from_ref(part), texts)?;
        // In C++, the value of the parameter decides. The number 0 counts as absent.
        let is_true = |&param: &u32| {
            let declared = &body.params[param as usize];
            texts[param as usize].is_some_and(|text| match declared.kind {
                _ if declared.optional || declared.range => true,
                ParamKind::Int(ty) => integer_of(text, ty) != Some(0),
                ParamKind::Bool => boolean_of(text) != Some(false),
                _ => true,
            })
        };
        let is_present = *part == BodyPart::Custom || self.opaque || part.params().iter().any(is_true);
        Ok(is_present.then_some(rest))
    }

    /// True if the text continues with the first of these parts; `None` if they can have an empty text.
    fn starts(&self, body: &Body, parts: &[BodyPart<StrId>], texts: &ParamTexts<'t>) -> Option<bool> {
        let first = parts.iter().position(|part| !matches!(part, BodyPart::Blank(_)))?;
        let mut ahead = BodyReader { cursor: self.cursor, ..*self };
        let mut texts = texts.clone();
        match &parts[first] {
            BodyPart::Literal(text) => Some(ahead.cursor.eat(self.snippets.str(*text))),
            part @ (BodyPart::Param(_) | BodyPart::Params(_) | BodyPart::Struct(_)) => {
                let read = ahead.parts(body, std::slice::from_ref(part), &mut texts).is_ok();
                Some(read && (ahead.opaque || ahead.cursor.at > self.cursor.at))
            }
            BodyPart::Group { present, absent, .. } => {
                let (first, second, rest) = split_group(&parts[first + 1..], *present, *absent);
                let starts = |parts| with_room(|| self.starts(body, parts, &texts));
                let alternatives = [starts(first), starts(second)];
                match alternatives.contains(&Some(true)) {
                    true => Some(true),
                    false if alternatives.contains(&None) => starts(rest),
                    false => Some(false),
                }
            }
            // For a `custom` directive, only C++ code could decide.
            BodyPart::Custom => Some(true),
            BodyPart::Blank(_) => None,
        }
    }

    fn param(&mut self, body: &Body, param: u32, texts: &mut ParamTexts<'t>) -> Result<(), String> {
        let declared = &body.params[param as usize];
        if declared.kind == ParamKind::Cxx {
            if !self.guesses {
                self.opaque = true;
                return Ok(());
            }
            let text = if declared.range { self.items() } else { self.cursor.until(b",") };
            if text.is_empty() && declared.default.is_none() {
                return Err(self.missing(declared));
            }
            texts[param as usize] = Some(text).filter(|text| !text.is_empty());
            return Ok(());
        }
        texts[param as usize] = self.value(declared)?;
        match texts[param as usize] {
            None if !declared.optional && !self.opaque => Err(self.malformed(declared)),
            _ => Ok(()),
        }
    }

    /// Consumes a list of elements that only C++ code can read, and returns its text.
    fn items(&mut self) -> &'t str {
        self.cursor.skip_space();
        let start = self.cursor.at;
        let mut end = start;
        while !self.cursor.until(b",").is_empty() {
            end = self.cursor.at;
            if !self.cursor.eat(",") {
                break;
            }
        }
        self.cursor.at = end;
        self.cursor.text.get(start..end).unwrap_or("")
    }

    fn value(&mut self, param: &BodyParam) -> Result<Option<&'t str>, String> {
        if !param.range {
            return Ok(self.one(param.kind));
        }
        let text = self.cursor.text;
        let Some(first) = self.one(param.kind) else { return Ok(None) };
        let start = self.cursor.at - first.len();
        // An element must follow each comma.
        while self.cursor.eat(",") {
            if self.one(param.kind).is_none() {
                if self.opaque {
                    return Ok(None);
                }
                return Err(self.malformed(param));
            }
        }
        Ok(text.get(start..self.cursor.at).filter(|_| !self.opaque))
    }

    fn list(&mut self, body: &Body, params: &[u32], texts: &mut ParamTexts<'t>) -> Result<(), String> {
        let is_required = |&param: &u32| body.params[param as usize].default.is_none();
        for (number, &param) in params.iter().enumerate() {
            // As in MLIR, no comma follows an optional parameter with its default value.
            let needs_comma = number.checked_sub(1).is_some_and(|before| {
                let before = params[before];
                let (declared, text) = (&body.params[before as usize], texts[before as usize]);
                let is_default = |text| self.snippets.is_default(declared, text, &mut |_, _| false);
                declared.default.is_none() || text.is_some_and(|text| !is_default(text))
            });
            if needs_comma && !self.cursor.eat(",") {
                return match params[number..].iter().any(is_required) {
                    true => Err("',' is expected".to_owned()),
                    false => Ok(()),
                };
            }
            self.param(body, param, texts)?;
            if self.opaque {
                return Ok(());
            }
        }
        Ok(())
    }

    fn fields(&mut self, body: &Body, params: &[u32], texts: &mut ParamTexts<'t>) -> Result<(), String> {
        let named = |name: &str| {
            params.iter().copied().find(|&p| self.snippets.str(body.params[p as usize].name) == name)
        };
        let optional = params.iter().filter(|&&param| body.params[param as usize].default.is_some()).count();
        for number in 0.. {
            // Without optional parameters, the number of fields is known, and a comma can follow the last one.
            if optional == 0 && number == params.len() || number > 0 && !self.cursor.eat(",") {
                break;
            }
            let Some(name) = self.cursor.word() else {
                if number == 0 && optional == params.len() {
                    break;
                }
                return Err("the name of a parameter is expected".to_owned());
            };
            let Some(param) = named(name).filter(|&param| texts[param as usize].is_none()) else {
                return Err(format!("'{name}' is repeated or is not a parameter"));
            };
            if !self.cursor.eat("=") {
                return Err("'=' is expected".to_owned());
            }
            self.param(body, param, texts)?;
            if self.opaque {
                return Ok(());
            }
        }
        let missing = params.iter().map(|&param| (&body.params[param as usize], texts[param as usize]));
        match missing.into_iter().find(|(param, text)| param.default.is_none() && text.is_none()) {
            Some((param, _)) => Err(self.missing(param)),
            None => Ok(()),
        }
    }

    /// Consumes one parameter, or one element of a list parameter, and returns its text; `None` if there is none.
    fn one(&mut self, kind: ParamKind) -> Option<&'t str> {
        let mut cursor = self.cursor;
        let mut opaque = false;
        let mut inside = |class, c: &mut Cursor<'t>| {
            let end = self.inside(class, c);
            opaque = end == End::Opaque;
            end == End::Found
        };
        let slice = cursor.slice(|c| match kind {
            ParamKind::Int(_) | ParamKind::Bool => c.integer(),
            ParamKind::Str => c.string(),
            ParamKind::Type(Some(class)) if !c.rest().starts_with('!') => inside(class, c),
            ParamKind::Attr(Some(class)) if !c.rest().starts_with('#') => inside(class, c),
            ParamKind::Type(_) | ParamKind::TypeOf(_) => c.ty(),
            ParamKind::Attr(_) | ParamKind::AttrOf(_) => c.attr(),
            ParamKind::Enum(id) => self.entry(id, c),
            ParamKind::SelfType | ParamKind::Cxx => false,
        });
        self.opaque |= opaque;
        let slice = slice?;
        self.cursor = cursor;
        Some(slice)
    }

    /// Consumes an attribute or type whose class text is omitted, if its end can be found.
    fn inside(&self, class: StrId, cursor: &mut Cursor<'t>) -> End {
        if self.depth >= DEPTH_LIMIT {
            return End::Wrong;
        }
        let mut opaque = false;
        if let Some(body) = self.snippets.body(class) {
            let mut reader = BodyReader { cursor: *cursor, depth: self.depth + 1, ..*self };
            let read = with_room(|| reader.body(body)).is_ok();
            opaque = read && reader.opaque;
            if read && !opaque {
                *cursor = reader.cursor;
                return End::Found;
            }
        }
        let enclosed = cursor.rest().starts_with('<') || self.snippets.is_enclosed(class);
        match enclosed && cursor.balanced() {
            true => End::Found,
            false if opaque => End::Opaque,
            false => End::Wrong,
        }
    }

    /// Consumes a value of an enumeration: a word, string or integer, or several of them if values are sets of bits.
    /// Returns false if there is none.
    fn entry(&self, id: EnumId, cursor: &mut Cursor<'t>) -> bool {
        let Some(definition) = self.snippets.enums.get(id) else { return false };
        let word = |cursor: &mut Cursor<'t>| cursor.string() || cursor.word().is_some() || cursor.integer();
        if !word(cursor) {
            return false;
        }
        if let Some(separator) = definition.bit_separator {
            let separator = self.snippets.str(separator).trim();
            let mut end = cursor.at;
            while !separator.is_empty() && cursor.eat(separator) && word(cursor) {
                end = cursor.at;
            }
            cursor.at = end;
        }
        true
    }
}
