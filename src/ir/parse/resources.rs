//! The resource section of a file.

use hashbrown::HashMap;

use super::lexer::{Token, TokenKind};
use super::parser::Parser;
use super::state::FileState;
use crate::ir::error::{self, ParseResult};
use crate::ir::module::ResourceGroup;
use crate::string_literal::push_quoted;

/// True if a string in quotes stands for bytes.
fn is_blob(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"\"0x").and_then(|rest| rest.strip_suffix(b"\""));
    digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
}

impl<'a> Parser<'a> {
    /// Parses `{-# dialect_resources: {…}, external_resources: {…} #-}`.
    pub(super) fn resources(&mut self, state: &mut FileState<'a>) -> ParseResult<()> {
        self.advance();
        self.list_until(TokenKind::MetadataEnd, "'#-}' at the end of the resources", |p| {
            let (section, span) = p.keyword_or_string("a resource section")?;
            let external = match &*section {
                "dialect_resources" => false,
                "external_resources" => true,
                _ => return Err(error::expected("'dialect_resources' or 'external_resources'", span)),
            };
            p.expect(TokenKind::Colon, "':' after a resource section")?;
            p.expect(TokenKind::LBrace, "'{' in a resource section")?;
            p.list_until(TokenKind::RBrace, "'}' after a resource section", |p| {
                let (name, _) = p.keyword_or_string("the name of a resource group")?;
                let mut entries = Vec::new();
                let mut places: HashMap<Box<str>, usize> = HashMap::new();
                p.expect(TokenKind::Colon, "':' after the name of a resource group")?;
                p.expect(TokenKind::LBrace, "'{' in a resource group")?;
                p.list_until(TokenKind::RBrace, "'}' after a resource group", |p| {
                    let (key, _) = p.keyword_or_string("a resource key")?;
                    p.expect(TokenKind::Colon, "':' after a resource key")?;
                    let value = p.token;
                    if value.kind != TokenKind::Str && !p.is_keyword("true") && !p.is_keyword("false") {
                        return Err(p.expected("a string or Boolean as the value of a resource"));
                    }
                    p.advance();
                    if !external && name == "builtin" {
                        p.check_blob(value)?;
                    }
                    let key = Box::<str>::from(&*key);
                    let mut text = String::new();
                    match value.kind {
                        TokenKind::Str if is_blob(p.slice(value)) => {
                            let digits = String::from_utf8_lossy(&p.slice(value)[3..]).to_ascii_uppercase();
                            text = format!("\"0x{digits}");
                        }
                        TokenKind::Str => push_quoted(&mut text, &p.string_value(value)),
                        _ => text.push_str(p.str(value)),
                    }
                    let value: Box<str> = text.into();
                    if let Some(&place) = places.get(&key) {
                        // The last of several equal keys wins.
                        let entry: &mut (Box<str>, Box<str>) = &mut entries[place];
                        entry.1 = value;
                    } else {
                        places.insert(key.clone(), entries.len());
                        entries.push((key, value));
                    }
                    Ok(())
                })?;
                state.module.resources.push(ResourceGroup { external, name: name.into(), entries });
                Ok(())
            })
        })
    }

    /// Requires a blob: hexadecimal digits, whose first four bytes are the alignment, a power of two.
    fn check_blob(&self, token: Token) -> ParseResult<()> {
        let span = self.token_span(token);
        let digits = self.slice(token).strip_prefix(b"\"0x").and_then(|rest| rest.strip_suffix(b"\""));
        let digits = digits
            .filter(|digits| digits.len().is_multiple_of(2) && digits.iter().all(u8::is_ascii_hexdigit));
        let Some(digits) = digits else {
            return Err(error::bad_blob("of an even number of digits after 0x", span));
        };
        let alignment = digits.get(..8).and_then(|start| std::str::from_utf8(start).ok());
        match alignment.and_then(|digits| u32::from_str_radix(digits, 16).ok()).map(u32::swap_bytes) {
            Some(alignment) if alignment.is_power_of_two() => Ok(()),
            _ => Err(error::bad_blob("whose first four bytes are its alignment", span)),
        }
    }
}
