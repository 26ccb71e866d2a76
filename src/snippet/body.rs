//! The parameters of dialects' attributes and types, from and to their text.
//!
//! Specification: by the declarative format of its definition, a text is read as the parser that
//! `mlir-tblgen` generates reads it, and parameters are written as the printer does.
//!
//! Nothing is read before it is asked for, and no value is made: a parameter is the piece of text that
//! stands for it. What only C++ can read (`custom`, parsers of parameters), also in an attribute within an
//! attribute, ends the reading: what comes before it is there, what comes after it is not known.
//!
//! Source: MLIR's "Defining Dialect Attributes and Types"; where it is silent about blanks, what
//! `AttrOrTypeFormatGen.cpp` generates.

use std::borrow::Cow;

use super::expr::{ClassKind, Snippets};
use super::scan::Cursor;
use super::ty::{EnumId, IntTy, Item, Ty};
use crate::intern::StrId;
use crate::stack::with_room;

/// What is between `#dialect.name` and the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body {
    /// Parameters, in the order of the definition.
    pub params: Vec<BodyParam>,
    /// How they are written.
    pub format: Vec<BodyPart<StrId>>,
}

/// A parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BodyParam {
    /// Its name.
    pub name: StrId,
    /// What it is, or what its elements are.
    pub kind: ParamKind,
    /// Whether it is a list.
    pub range: bool,
    /// What it is when it is not written; `None`: it must be.
    pub absent: Option<Absent>,
}

/// What a parameter is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// An integer.
    Int(IntTy),
    /// `true` or `false`.
    Bool,
    /// A string in quotes.
    Str,
    /// A type. One of a class with a text of its own (`!dialect.name`) is written without that.
    Type(Option<StrId>),
    /// An attribute, likewise.
    Attr(Option<StrId>),
    /// An entry of an enumeration.
    Enum(EnumId),
    /// The type that stands after the attribute.
    SelfType,
    /// What only C++ can read.
    Cxx,
}

/// What a parameter is that is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Absent {
    /// Null, none, or an empty list.
    Null,
    /// A number, Boolean or entry of an enumeration.
    Int(i64),
    /// A string.
    Str(StrId),
    /// What only C++ knows.
    Cxx,
}

/// A part of a format; `S` is how it keeps texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BodyPart<S> {
    /// A word or punctuation.
    Literal(S),
    /// Blanks to write.
    Blank(S),
    /// A parameter, by number.
    Param {
        /// Which.
        param: u32,
        /// Whether it is written with its class's own text.
        qualified: bool,
    },
    /// Parameters between commas.
    Params(Vec<u32>),
    /// `name = value` between commas, in any order.
    Struct(Vec<u32>),
    /// What follows, so many parts, is there or the so many after that are.
    Group {
        /// Parts if it is there.
        present: u32,
        /// Parts if not.
        absent: u32,
        /// The parameters of which one is written, if the group is there.
        anchor: Vec<u32>,
        /// Whether the parameters are those of the second.
        inverted: bool,
    },
    /// What only C++ can read.
    Custom,
}

/// What stands for each parameter; `None`: it is not written.
type Found<'t> = Vec<Option<&'t str>>;

/// How deep attributes and types may be written in one another.
const DEPTH_LIMIT: u32 = 100;

/// The class's text in front, `#dialect.name`, and what comes after it. What is written as
/// `#dialect<name body>` reads the same.
pub(super) fn split(text: &str) -> Option<(Cow<'_, str>, &str)> {
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

/// What a list of definitions says of the class with this text: that it declares an interface, that it does not,
/// or nothing.
pub(super) fn listed(definitions: &str, class: &str) -> Option<bool> {
    definitions.split(',').find_map(|one| match one.strip_prefix('-') {
        Some(without) => (without == class).then_some(false),
        None => (one == class).then_some(true),
    })
}

impl Snippets {
    /// Says how the attributes or types of a class's text (`#dialect.name`) are written.
    pub fn add_body(&mut self, class: StrId, body: Body) {
        self.bodies.insert(class, body);
    }

    /// How the attributes or types of this class's text are written.
    pub fn body(&self, class: StrId) -> Option<&Body> {
        self.bodies.get(&class)
    }

    /// The class's text of an attribute or type that is written as some definition says.
    pub fn class_of_text(&self, text: &str) -> Option<StrId> {
        let (class, _) = split(text)?;
        self.strings.find(&class).filter(|class| self.bodies.contains_key(class))
    }

    /// What definitions say of a dialect's attribute or type with this text: that it declares the interface of
    /// this C++ name, or that it does not; `None`: its definition is not known.
    pub(crate) fn declares(&self, interface: &str, text: &str) -> Option<bool> {
        match self.class(self.find_class(interface)?).kind {
            ClassKind::OneOf(_, definitions) => listed(self.str(definitions), &split(text)?.0),
            _ => None,
        }
    }

    /// What stands for each parameter in the text of an attribute or type of this class.
    ///
    /// # Errors
    /// The text is not as the definition says, in words that end a sentence.
    pub fn read_body<'t>(&self, class: StrId, text: &'t str) -> Result<Vec<Option<&'t str>>, String> {
        let (_, rest) = split(text).ok_or("it is no text of a dialect's")?;
        let body = self.body(class).ok_or("nobody has defined it")?;
        let mut reader = Reader { snippets: self, cursor: Cursor::new(rest), depth: 0, opaque: false };
        let found = reader.body(body)?;
        let rest = reader.cursor.rest();
        let typed = rest.starts_with(':') && text.starts_with('#');
        if rest.is_empty() || typed || reader.opaque {
            return Ok(found);
        }
        Err(format!("'{rest}' is left over"))
    }

    /// The elements of a list.
    pub(super) fn read_list<'t>(&self, kind: ParamKind, text: &'t str) -> Vec<&'t str> {
        let mut reader = Reader { snippets: self, cursor: Cursor::new(text), depth: 0, opaque: false };
        let mut items = Vec::new();
        while let Some(item) = reader.one(kind, false) {
            items.push(item);
            if !reader.cursor.eat(",") {
                break;
            }
        }
        items
    }

    /// The text of an attribute or type of a class whose parameters have these texts. `None`: only C++ can
    /// write it.
    pub fn write_body(&self, class: StrId, params: &[Option<String>]) -> Option<String> {
        let body = self.body(class).filter(|body| body.params.len() == params.len())?;
        let mut writer =
            Writer { snippets: self, body, params, out: String::new(), space: true, punctuation: false };
        writer.parts(&body.format, true)?;
        let (class, inside) = (self.str(class), writer.out);
        let pretty = inside.is_empty()
            || inside.starts_with('<') && {
                let mut cursor = Cursor::new(&inside);
                cursor.balanced() && cursor.at == inside.len()
            };
        let mut text = if pretty {
            format!("{class}{inside}")
        } else {
            let (dialect, mnemonic) = class.split_once('.')?;
            format!("{dialect}<{mnemonic}{inside}>")
        };
        for (param, given) in body.params.iter().zip(params) {
            if let (ParamKind::SelfType, Some(ty)) = (param.kind, given)
                && ty != "none"
            {
                text.push_str(" : ");
                text.push_str(ty);
            }
        }
        Some(text)
    }

    /// Whether the parameter can be written.
    pub(super) fn can_write(&self, class: StrId, param: u32) -> bool {
        let body = self.body(class);
        body.is_some_and(|body| {
            body.params.get(param as usize).is_some_and(|p| p.kind != ParamKind::Cxx)
                && !body.format.iter().any(|part| matches!(part, BodyPart::Custom))
        })
    }

    /// Whether the parameter can be read.
    pub fn can_read(&self, class: StrId, param: u32) -> bool {
        let Some(body) = self.body(class) else { return false };
        let Some(declared) = body.params.get(param as usize) else { return false };
        let end_is_known = |param: &BodyParam| self.end_is_known(param.kind, &mut Vec::new());
        let readable = |param: u32| body.params.get(param as usize).is_some_and(end_is_known);
        match declared.kind {
            ParamKind::Cxx => return false,
            ParamKind::SelfType => return true,
            kind if !self.end_is_known(kind, &mut Vec::new()) => return false,
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
        // A parameter with a default need not be written at all.
        declared.absent.is_some()
    }

    /// Whether where a parameter ends can be told without C++. Of a class that is being asked about (`within`)
    /// that is for what is around it to say.
    fn end_is_known(&self, kind: ParamKind, within: &mut Vec<StrId>) -> bool {
        let class = match kind {
            ParamKind::Cxx => return false,
            ParamKind::Type(Some(class)) | ParamKind::Attr(Some(class)) => class,
            _ => return true,
        };
        let Some(body) = self.body(class).filter(|_| !within.contains(&class)) else { return true };
        let first = body.format.iter().find(|part| !matches!(part, BodyPart::Blank(_)));
        // What is in brackets ends with them, whatever it is.
        if matches!(first, Some(BodyPart::Literal(text)) if self.str(*text) == "<") {
            return true;
        }
        within.push(class);
        body.format.iter().all(|part| !matches!(part, BodyPart::Custom))
            && body.params.iter().all(|param| with_room(|| self.end_is_known(param.kind, within)))
    }
}

impl BodyParam {
    /// The static type that snippets see it as.
    pub fn ty(&self) -> Ty {
        match (self.range, self.absent, self.kind) {
            (true, ..) => Ty::range(self.kind.item()),
            (false, Some(Absent::Null), ParamKind::Int(_) | ParamKind::Bool | ParamKind::Enum(_)) => {
                Ty::optional(self.kind.item())
            }
            _ => Ty::one(self.kind.item()),
        }
    }
}

impl ParamKind {
    /// The static type that snippets see it as.
    pub fn item(self) -> Item {
        match self {
            Self::Bool => Item::Bool,
            Self::Int(int) => Item::Int(int),
            Self::Str => Ty::STR.item,
            Self::Type(_) | Self::SelfType => Ty::TYPE.item,
            Self::Attr(_) => Ty::ATTR.item,
            Self::Enum(id) => Item::Enum(id),
            Self::Cxx => Item::Unknown,
        }
    }
}

impl Body {
    /// Whether the format names only parameters that there are.
    pub(super) fn is_well_made(&self) -> bool {
        self.format.iter().flat_map(BodyPart::params).all(|&param| (param as usize) < self.params.len())
    }
}

impl<S> BodyPart<S> {
    /// The parameters that it names, those that say whether a group is there included.
    pub fn params(&self) -> &[u32] {
        match self {
            Self::Param { param, .. } => std::slice::from_ref(param),
            Self::Params(params) | Self::Struct(params) | Self::Group { anchor: params, .. } => params,
            Self::Literal(_) | Self::Blank(_) | Self::Custom => &[],
        }
    }

    /// The same part, with its texts kept otherwise.
    pub fn map<T>(&self, text: impl FnOnce(&S) -> T) -> BodyPart<T> {
        match self {
            Self::Literal(literal) => BodyPart::Literal(text(literal)),
            Self::Blank(blank) => BodyPart::Blank(text(blank)),
            &Self::Param { param, qualified } => BodyPart::Param { param, qualified },
            Self::Params(params) => BodyPart::Params(params.clone()),
            Self::Struct(params) => BodyPart::Struct(params.clone()),
            Self::Group { present, absent, anchor, inverted } => BodyPart::Group {
                present: *present,
                absent: *absent,
                anchor: anchor.clone(),
                inverted: *inverted,
            },
            Self::Custom => BodyPart::Custom,
        }
    }
}

/// Where an attribute or type without its class's own text ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// It has been passed over.
    Found,
    /// Only C++ knows.
    Opaque,
    /// Its text is not as its definition says.
    Wrong,
}

struct Reader<'s, 't> {
    snippets: &'s Snippets,
    cursor: Cursor<'t>,
    depth: u32,
    /// Whether the rest is C++'s.
    opaque: bool,
}

impl<'t> Reader<'_, 't> {
    fn body(&mut self, body: &Body) -> Result<Found<'t>, String> {
        let mut found = vec![None; body.params.len()];
        self.parts(body, &body.format, &mut found)?;
        for (param, found) in body.params.iter().zip(&found) {
            let must = param.absent.is_none() && !matches!(param.kind, ParamKind::SelfType);
            if must && found.is_none() && !self.opaque {
                return Err(self.missing(param));
            }
        }
        Ok(found)
    }

    fn missing(&self, param: &BodyParam) -> String {
        format!("it has no parameter '{}'", self.snippets.str(param.name))
    }

    fn parts(&mut self, body: &Body, parts: &[BodyPart<StrId>], found: &mut Found<'t>) -> Result<(), String> {
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
                BodyPart::Param { param, qualified } => self.param(body, *param, *qualified, found)?,
                BodyPart::Params(params) => self.list(body, params, found)?,
                BodyPart::Struct(params) => self.fields(body, params, found)?,
                BodyPart::Group { present, absent, inverted, .. } => {
                    let (first, second);
                    (first, second, rest) = halves(after, *present, *absent);
                    let (tried, other) = if *inverted { (second, first) } else { (first, second) };
                    let chosen = if self.starts(body, tried, found) { tried } else { other };
                    self.parts(body, chosen, found)?;
                }
                BodyPart::Custom => self.opaque = true,
            }
        }
        Ok(())
    }

    /// Whether the text goes on as the first of these parts.
    fn starts(&self, body: &Body, parts: &[BodyPart<StrId>], found: &Found<'t>) -> bool {
        let first = parts.iter().find(|part| !matches!(part, BodyPart::Blank(_)));
        let mut ahead = Reader { cursor: self.cursor, ..*self };
        let mut found = found.clone();
        match first {
            Some(BodyPart::Literal(text)) => ahead.cursor.eat(self.snippets.str(*text)),
            Some(part @ (BodyPart::Param { .. } | BodyPart::Params(_) | BodyPart::Struct(_))) => {
                let read = ahead.parts(body, std::slice::from_ref(part), &mut found).is_ok();
                read && (ahead.opaque || ahead.cursor.at > self.cursor.at)
            }
            // Only C++ can tell.
            _ => true,
        }
    }

    fn param(
        &mut self,
        body: &Body,
        param: u32,
        qualified: bool,
        found: &mut Found<'t>,
    ) -> Result<(), String> {
        let declared = &body.params[param as usize];
        if declared.kind == ParamKind::Cxx {
            self.opaque = true;
            return Ok(());
        }
        found[param as usize] = self.value(declared, qualified);
        match (found[param as usize], declared.absent) {
            (None, None) if !self.opaque => Err(self.missing(declared)),
            _ => Ok(()),
        }
    }

    fn value(&mut self, param: &BodyParam, qualified: bool) -> Option<&'t str> {
        if !param.range {
            return self.one(param.kind, qualified);
        }
        let text = self.cursor.text;
        let first = self.one(param.kind, qualified)?;
        let start = self.cursor.at - first.len();
        let mut end = self.cursor.at;
        while self.cursor.eat(",") && self.one(param.kind, qualified).is_some() {
            end = self.cursor.at;
        }
        self.cursor.at = end;
        text.get(start..end).filter(|_| !self.opaque)
    }

    fn list(&mut self, body: &Body, params: &[u32], found: &mut Found<'t>) -> Result<(), String> {
        let mut first = true;
        for &param in params {
            let declared = &body.params[param as usize];
            let before = self.cursor.at;
            if !first && !self.cursor.eat(",") {
                match declared.absent {
                    Some(_) => continue,
                    None => return Err("',' is expected".to_owned()),
                }
            }
            self.param(body, param, false, found)?;
            if self.opaque {
                return Ok(());
            }
            match found[param as usize] {
                Some(_) => first = false,
                None => self.cursor.at = before,
            }
        }
        Ok(())
    }

    fn fields(&mut self, body: &Body, params: &[u32], found: &mut Found<'t>) -> Result<(), String> {
        let named = |name: &str| {
            params.iter().copied().find(|&p| self.snippets.str(body.params[p as usize].name) == name)
        };
        let mut read = 0;
        loop {
            let before = self.cursor.at;
            if read > 0 && !self.cursor.eat(",") {
                break;
            }
            let Some(name) = self.cursor.word() else {
                self.cursor.at = before;
                break;
            };
            let Some(param) = named(name).filter(|&param| found[param as usize].is_none()) else {
                return Err(format!("'{name}' is no parameter, or is there twice"));
            };
            if !self.cursor.eat("=") {
                return Err("'=' is expected".to_owned());
            }
            self.param(body, param, false, found)?;
            if self.opaque {
                return Ok(());
            }
            read += 1;
            if read == params.len() {
                break;
            }
        }
        let missing = params.iter().map(|&param| (&body.params[param as usize], found[param as usize]));
        match missing.into_iter().find(|(param, found)| param.absent.is_none() && found.is_none()) {
            Some((param, _)) => Err(self.missing(param)),
            None => Ok(()),
        }
    }

    /// One thing of a kind.
    fn one(&mut self, kind: ParamKind, qualified: bool) -> Option<&'t str> {
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
            ParamKind::Type(Some(class)) if !qualified && !c.rest().starts_with('!') => inside(class, c),
            ParamKind::Attr(Some(class)) if !qualified && !c.rest().starts_with('#') => inside(class, c),
            ParamKind::Type(_) => c.ty(),
            ParamKind::Attr(_) => c.attr(),
            ParamKind::Enum(id) => self.entry(id, c),
            ParamKind::SelfType | ParamKind::Cxx => false,
        });
        self.opaque |= opaque;
        let slice = slice?;
        self.cursor = cursor;
        Some(slice)
    }

    /// The text of an attribute or type without its class's own.
    fn inside(&self, class: StrId, cursor: &mut Cursor<'t>) -> End {
        if self.depth >= DEPTH_LIMIT {
            return End::Wrong;
        }
        let mut opaque = false;
        if let Some(body) = self.snippets.body(class) {
            let mut reader = Reader { cursor: *cursor, depth: self.depth + 1, ..*self };
            let read = with_room(|| reader.body(body)).is_ok();
            opaque = read && reader.opaque;
            if read && !opaque {
                *cursor = reader.cursor;
                return End::Found;
            }
        }
        match cursor.rest().starts_with('<') && cursor.balanced() {
            true => End::Found,
            false if opaque => End::Opaque,
            false => End::Wrong,
        }
    }

    /// An entry of an enumeration, or several of a set of bits: words or strings.
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

/// Writes as `mlir-tblgen`'s printers do: blanks depend on what the format has before.
struct Writer<'a> {
    snippets: &'a Snippets,
    body: &'a Body,
    params: &'a [Option<String>],
    out: String,
    /// Whether a blank comes before what is next.
    space: bool,
    /// Whether punctuation was last.
    punctuation: bool,
}

impl Writer<'_> {
    /// `here`: whether these parts are there, or are only passed over.
    fn parts(&mut self, parts: &[BodyPart<StrId>], here: bool) -> Option<()> {
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            rest = after;
            match part {
                BodyPart::Literal(text) => self.literal(*text, here),
                BodyPart::Blank(text) => {
                    if here {
                        self.out.push_str(self.snippets.str(*text));
                    }
                    self.space = false;
                    self.punctuation |= self.snippets.str(*text).is_empty();
                }
                BodyPart::Param { param, .. } => self.param(*param, here)?,
                BodyPart::Params(params) => self.list(params, here, false)?,
                BodyPart::Struct(params) => self.list(params, here, true)?,
                BodyPart::Group { present, absent, anchor, inverted } => {
                    let (first, second);
                    (first, second, rest) = halves(after, *present, *absent);
                    let written = anchor.iter().any(|&param| self.params[param as usize].is_some());
                    let before = (self.space, self.punctuation);
                    self.parts(first, here && written != *inverted)?;
                    (self.space, self.punctuation) = before;
                    self.parts(second, here && written == *inverted)?;
                }
                BodyPart::Custom => return None,
            }
        }
        Some(())
    }

    fn literal(&mut self, text: StrId, here: bool) {
        let text = self.snippets.str(text);
        let first = text.chars().next().unwrap_or(' ');
        let apart = match (text.len() == 1 || text == "->", self.punctuation) {
            (false, _) => true,
            (true, true) => !">)}],".contains(first),
            (true, false) => !"<>(){}[],".contains(first),
        };
        if here {
            if self.space && apart {
                self.out.push(' ');
            }
            self.out.push_str(text);
        }
        self.space = text.len() != 1 || !"<({[".contains(first);
        self.punctuation = first != '_' && !first.is_ascii_alphabetic();
    }

    fn param(&mut self, param: u32, here: bool) -> Option<()> {
        if self.body.params[param as usize].kind == ParamKind::Cxx {
            return None;
        }
        if let Some(text) = self.params[param as usize].as_deref().filter(|_| here) {
            if self.space || !self.punctuation {
                self.out.push(' ');
            }
            self.out.push_str(text);
        }
        (self.space, self.punctuation) = (true, false);
        Some(())
    }

    fn list(&mut self, params: &[u32], here: bool, named: bool) -> Option<()> {
        let written = |param: &&u32| self.params[**param as usize].is_some();
        if here && (self.space || !self.punctuation) && params.iter().any(|param| written(&param)) {
            self.out.push(' ');
        }
        let mut first = true;
        for param in params {
            let there = here && self.params[*param as usize].is_some();
            if there {
                if !std::mem::take(&mut first) {
                    self.out.push_str(", ");
                }
                if named {
                    self.out.push_str(self.snippets.str(self.body.params[*param as usize].name));
                    self.out.push_str(" = ");
                }
            }
            (self.space, self.punctuation) = (false, true);
            self.param(*param, there)?;
        }
        Some(())
    }
}

type Parts<'a, S> = &'a [BodyPart<S>];

/// What a group holds if it is there and if it is not, and what comes after it.
fn halves<S>(parts: &[BodyPart<S>], present: u32, absent: u32) -> (Parts<'_, S>, Parts<'_, S>, Parts<'_, S>) {
    let (first, rest) = parts.split_at((present as usize).min(parts.len()));
    let (second, rest) = rest.split_at((absent as usize).min(rest.len()));
    (first, second, rest)
}
