//! Writes the text of a dialect's attributes and types from the texts of their parameters.
//!
//! Specification: the text is that of the printer that `mlir-tblgen` generates from the declarative format.

use super::cursor::Cursor;
use crate::intern::StrId;
use crate::snippet::data::{Body, BodyPart, ParamKind, Snippets, split_group};
use crate::stack::with_room;

impl Snippets {
    /// Writes an attribute or type of a class. Returns `None` if the class has no definition, or if only C++ code can
    /// write it. A parameter without a text is omitted.
    pub fn write_body(&self, class: StrId, params: &[Option<String>]) -> Option<String> {
        let body = self.body(class)?;
        let is_cxx = |param: &u32| body.params.get(*param as usize).is_none_or(|p| p.kind == ParamKind::Cxx);
        if body.format.iter().any(|part| matches!(part, BodyPart::Custom) || part.params().iter().any(is_cxx))
        {
            return None;
        }
        let written: Vec<bool> = params.iter().map(Option::is_some).collect();
        let layout = self.body_layout(class, &written)?;
        let mut text = String::new();
        let mut from = 0;
        for (at, hole) in layout.holes {
            let Hole::Param(param) = hole else { return None };
            text.push_str(&layout.text[from..at]);
            text.push_str(params[param as usize].as_deref()?);
            from = at;
        }
        text.push_str(&layout.text[from..]);
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

    /// The text of a type or attribute parameter with its class. The printer omits a class that follows from the
    /// definition.
    pub(crate) fn full_text(&self, class: Option<StrId>, text: &str) -> String {
        match class.map(|class| self.str(class)) {
            Some(class) if !text.starts_with(['!', '#']) => {
                match (text.starts_with('<'), class.split_once('.')) {
                    (false, Some((dialect, mnemonic))) => format!("{dialect}<{mnemonic} {text}>"),
                    _ => format!("{class}{text}"),
                }
            }
            _ => text.to_owned(),
        }
    }

    /// The text of an attribute or type around its parameters. `written` is true for each parameter that is written.
    /// Returns `None` if the class has no definition with this number of parameters.
    pub(super) fn body_layout(&self, class: StrId, written: &[bool]) -> Option<Layout> {
        let body = self.body(class).filter(|body| body.params.len() == written.len())?;
        let mut writer = BodyWriter {
            snippets: self,
            body,
            written,
            out: String::new(),
            holes: Vec::new(),
            space: true,
            punctuation: false,
        };
        writer.parts(&body.format, true);
        let (class, inside, mut holes) = (self.str(class), writer.out, writer.holes);
        let pretty = if inside.starts_with('<') {
            let mut cursor = Cursor::new(&inside);
            cursor.balanced() && cursor.at == inside.len() && holes.iter().all(|hole| hole.0 < inside.len())
        } else {
            inside.is_empty() && holes.is_empty()
        };
        let (before, after) = match pretty {
            true => (class.to_owned(), ""),
            false => {
                let (dialect, mnemonic) = class.split_once('.')?;
                (format!("{dialect}<{mnemonic}"), ">")
            }
        };
        holes.iter_mut().for_each(|hole| hole.0 += before.len());
        Some(Layout { text: format!("{before}{inside}{after}"), holes })
    }

    /// True if the parameter can be written without C++ code.
    pub(in crate::snippet) fn can_write(&self, class: StrId, param: u32) -> bool {
        let body = self.body(class);
        body.is_some_and(|body| {
            body.params.get(param as usize).is_some_and(|p| p.kind != ParamKind::Cxx)
                && !body.format.iter().any(|part| matches!(part, BodyPart::Custom))
        })
    }
}

/// The text of an attribute or type without its parameters.
pub(super) struct Layout {
    /// The text, including the name of the class.
    pub(super) text: String,
    /// The offsets at which parameters and `custom` directives are inserted, in order.
    pub(super) holes: Vec<(usize, Hole)>,
}

/// The content that is inserted at an offset of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hole {
    /// The parameter with this index.
    Param(u32),
    /// A `custom` directive.
    Custom,
}

/// The state of writing. White space depends on the previous part of the format.
struct BodyWriter<'a> {
    snippets: &'a Snippets,
    body: &'a Body,
    /// For each parameter, true if it is written.
    written: &'a [bool],
    out: String,
    holes: Vec<(usize, Hole)>,
    /// True if the previous part asks for a space after it. Punctuation can omit this space.
    space: bool,
    /// True if the last part was punctuation.
    punctuation: bool,
}

impl BodyWriter<'_> {
    /// Prints parts, or, if they belong to an absent group, only updates the state of white space.
    fn parts(&mut self, parts: &[BodyPart<StrId>], printed: bool) {
        let mut rest = parts;
        while let Some((part, after)) = rest.split_first() {
            rest = after;
            match part {
                BodyPart::Literal(text) => self.literal(*text, printed),
                BodyPart::Blank(text) => {
                    if printed {
                        self.out.push_str(self.snippets.str(*text));
                    }
                    self.space = false;
                    self.punctuation |= self.snippets.str(*text).is_empty();
                }
                BodyPart::Param(param) => self.param(*param, printed),
                BodyPart::Params(params) => self.list(params, printed, false),
                BodyPart::Struct(params) => self.list(params, printed, true),
                BodyPart::Group { present, absent, anchor, inverted } => {
                    let (first, second);
                    (first, second, rest) = split_group(after, *present, *absent);
                    let written = anchor.iter().any(|&param| self.written[param as usize]);
                    let before = (self.space, self.punctuation);
                    with_room(|| self.parts(first, printed && written != *inverted));
                    (self.space, self.punctuation) = before;
                    with_room(|| self.parts(second, printed && written == *inverted));
                }
                BodyPart::Custom => {
                    if printed {
                        self.holes.push((self.out.len(), Hole::Custom));
                    }
                    (self.space, self.punctuation) = (true, false);
                }
            }
        }
    }

    fn literal(&mut self, text: StrId, printed: bool) {
        let text = self.snippets.str(text);
        let first = text.chars().next().unwrap_or(' ');
        let apart = match (text.len() == 1 || text == "->", self.punctuation) {
            (false, _) => true,
            (true, true) => !">)}],".contains(first),
            (true, false) => !"<>(){}[],".contains(first),
        };
        if printed {
            if self.space && apart {
                self.out.push(' ');
            }
            self.out.push_str(text);
        }
        self.space = text.len() != 1 || !"<({[".contains(first);
        self.punctuation = first != '_' && !first.is_ascii_alphabetic();
    }

    fn param(&mut self, param: u32, printed: bool) {
        if printed && self.written[param as usize] {
            if self.space || !self.punctuation {
                self.out.push(' ');
            }
            self.holes.push((self.out.len(), Hole::Param(param)));
        }
        (self.space, self.punctuation) = (true, false);
    }

    fn list(&mut self, params: &[u32], printed: bool, named: bool) {
        let any = params.iter().any(|&param| self.written[param as usize]);
        if printed && (self.space || !self.punctuation) && any {
            self.out.push(' ');
        }
        let mut first = true;
        for param in params {
            let there = printed && self.written[*param as usize];
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
            self.param(*param, there);
        }
    }
}
