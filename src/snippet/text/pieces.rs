//! The text of a dialect's attributes and types as their printer writes it.
//!
//! Specification: white space, optional parameters, numbers, strings and enumerations have the form that MLIR's printer
//! gives them. `mlir-tblgen` generates this printer from the declarative format.
//!
//! A nested type or attribute is a separate piece, because only the caller can print it. A part that only C++ code can
//! read is a separate piece as well. The reader assumes that such a part ends at the next comma, or at the closing
//! bracket around it.

use super::cursor::{Cursor, unquote};
use super::integer::{boolean_of, integer_of};
use super::read::BodyReader;
use super::write::Hole;
use crate::intern::StrId;
use crate::snippet::data::{BodyParam, BodyPart, Cases, ParamDefault, ParamKind, Snippets};
use crate::string_literal::push_quoted;

/// A piece of the text of an attribute or type.
#[derive(Debug)]
pub(crate) enum BodyPiece<'t> {
    /// Text to write.
    Text(String),
    /// A part that only C++ code can read.
    Raw(&'t str),
    /// A type or attribute.
    Object {
        /// The text, which may omit the class.
        text: &'t str,
        /// True for a type.
        is_type: bool,
        /// The class of a dialect that the text may omit.
        class: Option<StrId>,
        /// True if the printer writes this class.
        qualified: bool,
        /// The builtin C++ class to which the type or attribute must belong.
        required: Option<StrId>,
    },
}

/// The pieces of an attribute or type, and the end of its text.
pub(crate) type BodyPieces<'t> = (Vec<BodyPiece<'t>>, usize);

/// The place where a text stops having the format of its class, and the reason.
#[derive(Debug)]
pub(crate) struct BodyProblem {
    /// An offset in the text.
    pub(crate) at: usize,
    /// A clause without punctuation at its end.
    pub(crate) message: String,
    /// True if no C++ code of the class could read the text in another way.
    pub(crate) is_certain: bool,
}

impl Snippets {
    /// Reads the text of an attribute or type of this class. Reading starts at the offset `at`, after the name of the
    /// class if the text has it. Returns the pieces of the canonical text, and the end of the text that was read. The
    /// canonical text includes the class. Returns `Ok(None)` if only C++ code can find the end. If `guesses` is true,
    /// parts that only C++ code can read are returned unchanged. `is_same` decides if a type or attribute in the text
    /// is the one that another text denotes.
    ///
    /// # Errors
    /// The errors of [`Snippets::read_body`], and a value that a parameter cannot have.
    pub(crate) fn body_pieces<'t>(
        &self,
        class: StrId,
        text: &'t str,
        at: usize,
        guesses: bool,
        is_same: &mut dyn FnMut(&BodyPiece<'t>, &str) -> bool,
    ) -> Result<Option<BodyPieces<'t>>, BodyProblem> {
        let undefined =
            || BodyProblem { at, message: "its class has no definition".to_owned(), is_certain: false };
        let body = self.body(class).ok_or_else(undefined)?;
        let mut reader = BodyReader::new(self, Cursor { text, at }, guesses);
        let texts = match reader.body(body) {
            Ok(texts) => texts,
            Err(message) => return Err(BodyProblem { at: reader.cursor.at, message, is_certain: false }),
        };
        if reader.opaque {
            return Ok(None);
        }
        let params = body.params.iter().zip(&texts);
        for (param, param_text) in params.clone() {
            if let Some(param_text) = param_text
                && let Some(message) = self.wrong_value(param, param_text)
            {
                // `param_text` is a slice of `text`.
                let at = param_text.as_ptr() as usize - text.as_ptr() as usize;
                let needs_cxx = body.format.contains(&BodyPart::Custom)
                    || body.params.iter().any(|param| param.kind == ParamKind::Cxx);
                // The name before a field shows where the field starts, even if the fields before it need C++.
                let has_names = body.format.iter().any(|part| matches!(part, BodyPart::Struct(_)));
                return Err(BodyProblem { at, message, is_certain: !needs_cxx || has_names });
            }
        }
        let mut is_written = |param, text| !self.is_default(param, text, is_same);
        let mut written: Vec<bool> =
            params.map(|(param, text)| text.is_some_and(|text| is_written(param, text))).collect();
        if reader.custom.is_some_and(|text| !text.is_empty()) {
            // Parameters that no other part of the format contains belong to the `custom` directive.
            let is_part = |part: &&BodyPart<StrId>| !matches!(part, BodyPart::Group { .. });
            let elsewhere: Vec<u32> =
                body.format.iter().filter(is_part).flat_map(|part| part.params().to_vec()).collect();
            for (number, written) in (0..).zip(&mut written) {
                *written |= !elsewhere.contains(&number);
            }
        }
        let Some(layout) = self.body_layout(class, &written) else { return Ok(None) };
        let mut pieces = Vec::new();
        let mut from = 0;
        for (at, hole) in layout.holes {
            pieces.push(BodyPiece::Text(layout.text[from..at].to_owned()));
            from = at;
            match hole {
                Hole::Custom => pieces.push(BodyPiece::Raw(reader.custom.unwrap_or(""))),
                Hole::Param(param) => {
                    let text = texts[param as usize].unwrap_or("");
                    self.param_pieces(&body.params[param as usize], text, &mut pieces);
                }
            }
        }
        pieces.push(BodyPiece::Text(layout.text[from..].to_owned()));
        Ok(Some((pieces, reader.cursor.at)))
    }

    /// The reason why a parameter cannot have the value in a text; `None` if it can.
    fn wrong_value(&self, param: &BodyParam, text: &str) -> Option<String> {
        match param.range {
            true if matches!(param.kind, ParamKind::Int(_) | ParamKind::Bool) => {
                let items = self.guess_list(param.kind, text).unwrap_or_default();
                items.into_iter().find_map(|item| self.wrong_item(param, item))
            }
            true => None,
            false => self.wrong_item(param, text),
        }
    }

    fn wrong_item(&self, param: &BodyParam, text: &str) -> Option<String> {
        let name = self.str(param.name);
        let fits = match param.kind {
            ParamKind::Int(ty) => integer_of(text, ty).is_some(),
            ParamKind::Bool => boolean_of(text).is_some(),
            ParamKind::Enum(id) => {
                let cases = Cases::of(self.enums.get(id)?, self);
                let known = cases.of_text(&unquote(text)).is_some();
                return (!known).then(|| format!("'{text}' is not a case of the enumeration of '{name}'"));
            }
            _ => true,
        };
        (!fits).then(|| format!("'{text}' exceeds the range of the parameter '{name}'"))
    }

    fn param_pieces<'t>(&self, param: &BodyParam, text: &'t str, pieces: &mut Vec<BodyPiece<'t>>) {
        if !param.range || param.kind == ParamKind::Cxx {
            pieces.push(self.piece(param, text));
            return;
        }
        let Some(items) = self.guess_list(param.kind, text) else {
            pieces.push(BodyPiece::Raw(text));
            return;
        };
        for (number, item) in items.into_iter().enumerate() {
            if number > 0 {
                pieces.push(BodyPiece::Text(", ".to_owned()));
            }
            pieces.push(self.piece(param, item));
        }
    }

    fn piece<'t>(&self, param: &BodyParam, text: &'t str) -> BodyPiece<'t> {
        let object = |is_type, class, required| BodyPiece::Object {
            text,
            is_type,
            class,
            qualified: param.qualified,
            required,
        };
        match param.kind {
            ParamKind::Type(class) => object(true, class, None),
            ParamKind::Attr(class) => object(false, class, None),
            ParamKind::TypeOf(class) => object(true, None, Some(class)),
            ParamKind::AttrOf(class) => object(false, None, Some(class)),
            ParamKind::SelfType => object(true, None, None),
            ParamKind::Cxx => BodyPiece::Raw(text),
            ParamKind::Int(ty) => {
                BodyPiece::Text(integer_of(text, ty).map_or_else(|| text.to_owned(), |i| i.to_string()))
            }
            ParamKind::Bool => {
                BodyPiece::Text(boolean_of(text).map_or_else(|| text.to_owned(), |value| value.to_string()))
            }
            ParamKind::Str => {
                let mut quoted = String::new();
                push_quoted(&mut quoted, &unquote(text));
                BodyPiece::Text(quoted)
            }
            ParamKind::Enum(id) => {
                let cases = self.enums.get(id).map(|definition| Cases::of(definition, self));
                let canonical = cases.as_ref().and_then(|cases| {
                    let canonical = cases.text(cases.of_text(&unquote(text))?)?;
                    let in_quotes = text.starts_with('"') && !cases.is_bare(&canonical);
                    (!canonical.is_empty())
                        .then(|| if in_quotes { format!("\"{canonical}\"") } else { canonical })
                });
                BodyPiece::Text(canonical.unwrap_or_else(|| text.to_owned()))
            }
        }
    }

    /// True if a text denotes the default of a parameter.
    pub(super) fn is_default<'t>(
        &self,
        param: &BodyParam,
        text: &'t str,
        is_same: &mut dyn FnMut(&BodyPiece<'t>, &str) -> bool,
    ) -> bool {
        match (param.default, param.kind) {
            (
                Some(ParamDefault::Str(default)),
                ParamKind::Type(_) | ParamKind::Attr(_) | ParamKind::TypeOf(_) | ParamKind::AttrOf(_),
            ) => is_same(&self.piece(param, text), self.str(default)),
            (Some(ParamDefault::Str(default)), ParamKind::Str) => unquote(text) == self.str(default),
            (Some(ParamDefault::Int(default)), ParamKind::Enum(id)) => {
                let cases = self.enums.get(id).map(|definition| Cases::of(definition, self));
                let value = cases.and_then(|cases| cases.of_text(&unquote(text)));
                value == Some(default.cast_unsigned())
            }
            (Some(ParamDefault::Int(default)), ParamKind::Bool) => boolean_of(text) == Some(default != 0),
            (Some(ParamDefault::Int(default)), ParamKind::Int(ty)) => {
                integer_of(text, ty) == Some(ty.wrap(default.into()))
            }
            _ => false,
        }
    }
}
