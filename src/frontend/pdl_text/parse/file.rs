//! Files: modules, patterns and other operations.

use hashbrown::HashMap;

use super::super::ast::Pattern;
use super::super::error;
use super::reader::{Read, Reader, empty};
use crate::ir::parse::lexer::TokenKind as Kind;
use crate::ir::{AliasTarget, AttrKind, TypeId};
use crate::source::Span;

/// An open module, or the file itself.
#[derive(Default)]
struct Module {
    /// The start of the module, and true if it is in generic form. The file has no start.
    begin: Option<(Span, bool)>,
    /// The names of its patterns.
    names: HashMap<String, Span>,
}

impl<'a> Reader<'a> {
    /// Reads the whole text and calls `each` with each pattern that has no syntax errors.
    pub(in super::super) fn file(&mut self, mut each: impl FnMut(&mut Self, &Pattern<'a>)) {
        let mut open = vec![Module::default()];
        let mut recovered = false;
        while !self.out.at_limit() {
            let result = match self.p.token.kind {
                Kind::Eof => break,
                _ => self.item(&mut open, recovered, &mut each),
            };
            if let Err(diagnostic) = result {
                self.out.push(*diagnostic);
                recovered = true;
                self.recover();
            }
        }
        if let Some((at, _)) = open.last().and_then(|module| module.begin).filter(|_| !recovered) {
            self.out.push(error::unclosed("module", at));
        }
    }

    /// Skips to the next pattern, module or alias.
    fn recover(&mut self) {
        self.p.advance();
        while !self.p.is(Kind::Eof) && !self.at_pattern() && !self.at_module() && !self.at_alias() {
            self.p.advance();
        }
    }

    fn is_string(&self, text: &str) -> bool {
        self.p.is(Kind::Str) && self.p.str(self.p.token).trim_matches('"') == text
    }

    fn at_pattern(&self) -> bool {
        self.p.is_keyword("pdl.pattern") || self.is_string("pdl.pattern")
    }

    /// True at the definition of an alias: `#name =` or `!name =`.
    fn at_alias(&self) -> bool {
        matches!(self.p.token.kind, Kind::Hash | Kind::Exclaim) && self.p.rest().trim_start().starts_with('=')
    }

    fn at_module(&self) -> bool {
        self.p.is_keyword("module") || self.p.is_keyword("builtin.module") || self.is_string("builtin.module")
    }

    /// Reads one item of the file or of a module.
    fn item(
        &mut self,
        open: &mut Vec<Module>,
        recovered: bool,
        each: &mut impl FnMut(&mut Self, &Pattern<'a>),
    ) -> Read<()> {
        let token = self.p.token;
        if self.at_pattern() {
            self.scope.clear();
            self.depth = 0;
            self.pattern = empty(self.here());
            if token.kind == Kind::Str { self.generic_pattern() } else { self.custom_pattern() }?;
            let pattern = std::mem::replace(&mut self.pattern, empty(Span::NONE));
            if let (Some((name, _)), Some(module)) = (&pattern.name, open.last_mut())
                && let Some(before) = module.names.insert(name.to_string(), pattern.span)
                && !recovered
            {
                self.out.push(error::redefined_pattern(name, pattern.span, before));
            }
            each(self, &pattern);
            return Ok(());
        }
        if self.at_module() {
            let at = self.here();
            self.p.advance();
            if token.kind == Kind::Str {
                self.p.expect(Kind::LParen, "'('")?;
                self.p.expect(Kind::RParen, "')'")?;
                self.properties()?;
                self.p.expect(Kind::LParen, "'(' before the region of a module")?;
                self.p.expect(Kind::LBrace, "'{'")?;
                self.label(at)?;
                open.push(Module { begin: Some((at, true)), ..Module::default() });
            } else {
                if self.p.is(Kind::At) {
                    self.p.advance();
                }
                if self.p.eat_keyword("attributes") {
                    self.dictionary()?;
                }
                self.p.expect(Kind::LBrace, "'{' of a module")?;
                open.push(Module { begin: Some((at, false)), ..Module::default() });
            }
            return Ok(());
        }
        match token.kind {
            Kind::Hash | Kind::Exclaim => {
                let (_, target) = self.p.alias_definition()?;
                if let AliasTarget::Type(ty) = target {
                    self.check_alias(ty, self.p.token_span(token))?;
                } else if let AliasTarget::Attr(attr) = target
                    && let AttrKind::Type(ty) = *self.p.context.attr_kind(attr)
                {
                    self.check_alias(ty, self.p.token_span(token))?;
                }
                Ok(())
            }
            Kind::RBrace => {
                let module = open.pop_if(|module| module.begin.is_some());
                if module.is_none() && !recovered {
                    return Err(self.p.expected("a pattern or the end of the file"));
                }
                self.p.advance();
                if let Some(Module { begin: Some((_, true)), .. }) = module {
                    self.p.expect(Kind::RParen, "')' after the region of a module")?;
                    if self.p.is(Kind::LBrace) {
                        self.dictionary()?;
                    }
                    self.p.expect(Kind::Colon, "':'")?;
                    self.function_type()?;
                }
                self.loc()
            }
            Kind::MetadataBegin => {
                while !matches!(self.p.token.kind, Kind::Eof | Kind::MetadataEnd) {
                    self.p.advance();
                }
                self.p.advance();
                Ok(())
            }
            _ => {
                self.skip_foreign();
                Ok(())
            }
        }
    }

    /// Skips operations other than modules and patterns. Adjacent operations cause a single warning.
    fn skip_foreign(&mut self) {
        let first = self.p.token;
        let name = self.p.str(first).to_owned();
        self.out.push(error::not_a_rule(name.trim_matches('"'), self.p.token_span(first)));
        let mut depth = 0u32;
        loop {
            match self.p.token.kind {
                Kind::Eof => return,
                Kind::LBrace => depth += 1,
                Kind::RBrace if depth == 0 => return,
                Kind::RBrace => depth -= 1,
                _ if depth == 0 && (self.at_pattern() || self.at_module() || self.at_alias()) => return,
                _ => {}
            }
            self.p.advance();
        }
    }

    /// Rejects an alias for a range whose elements are ranges. The dialect has no such types.
    fn check_alias(&mut self, ty: TypeId, at: Span) -> Read<()> {
        let text = self.p.context.type_text(ty);
        let Some(inside) = text.strip_prefix("!pdl.range<") else { return Ok(()) };
        if inside.starts_with("range<") || inside.starts_with("!pdl.range<") {
            return Err(Box::new(error::range_of_range(at)));
        }
        Ok(())
    }
}
