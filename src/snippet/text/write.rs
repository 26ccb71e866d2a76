//! Writes the text of a dialect's attributes and types from the texts of their parameters.
//!
//! Specification: the text is that of the printer which `mlir-tblgen` generates from the declarative format.

use super::cursor::Cursor;
use crate::intern::StrId;
use crate::snippet::data::{Body, BodyPart, ParamKind, Snippets, split_group};

impl Snippets {
    /// Writes an attribute or type of a class; `None` if only C++ code can write it. A parameter without a text is
    /// omitted.
    pub fn write_body(&self, class: StrId, params: &[Option<String>]) -> Option<String> {
        let body = self.body(class).filter(|body| body.params.len() == params.len())?;
        let mut writer =
            BodyWriter { snippets: self, body, params, out: String::new(), space: true, punctuation: false };
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

    /// True if the parameter can be written without C++ code.
    pub(in crate::snippet) fn can_write(&self, class: StrId, param: u32) -> bool {
        let body = self.body(class);
        body.is_some_and(|body| {
            body.params.get(param as usize).is_some_and(|p| p.kind != ParamKind::Cxx)
                && !body.format.iter().any(|part| matches!(part, BodyPart::Custom))
        })
    }
}

/// White space depends on the previous part of the format.
struct BodyWriter<'a> {
    snippets: &'a Snippets,
    body: &'a Body,
    params: &'a [Option<String>],
    out: String,
    /// True if the next part is preceded by a space.
    space: bool,
    /// True if the last part was punctuation.
    punctuation: bool,
}

impl BodyWriter<'_> {
    /// Prints parts, or, if they belong to an absent group, only updates the state of white space.
    fn parts(&mut self, parts: &[BodyPart<StrId>], printed: bool) -> Option<()> {
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
                BodyPart::Param { param, .. } => self.param(*param, printed)?,
                BodyPart::Params(params) => self.list(params, printed, false)?,
                BodyPart::Struct(params) => self.list(params, printed, true)?,
                BodyPart::Group { present, absent, anchor, inverted } => {
                    let (first, second);
                    (first, second, rest) = split_group(after, *present, *absent);
                    let written = anchor.iter().any(|&param| self.params[param as usize].is_some());
                    let before = (self.space, self.punctuation);
                    self.parts(first, printed && written != *inverted)?;
                    (self.space, self.punctuation) = before;
                    self.parts(second, printed && written == *inverted)?;
                }
                BodyPart::Custom => return None,
            }
        }
        Some(())
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

    fn param(&mut self, param: u32, printed: bool) -> Option<()> {
        if self.body.params[param as usize].kind == ParamKind::Cxx {
            return None;
        }
        if let Some(text) = self.params[param as usize].as_deref().filter(|_| printed) {
            if self.space || !self.punctuation {
                self.out.push(' ');
            }
            self.out.push_str(text);
        }
        (self.space, self.punctuation) = (true, false);
        Some(())
    }

    fn list(&mut self, params: &[u32], printed: bool, named: bool) -> Option<()> {
        let written = |param: &&u32| self.params[**param as usize].is_some();
        if printed && (self.space || !self.punctuation) && params.iter().any(|param| written(&param)) {
            self.out.push(' ');
        }
        let mut first = true;
        for param in params {
            let there = printed && self.params[*param as usize].is_some();
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
