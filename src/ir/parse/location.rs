//! Locations.

use super::Parser;
use super::lexer::Kind;
use crate::ir::error::{self, Parsed};
use crate::ir::{AttrKind, Context, LocId, LocKind};

impl Parser<'_> {
    /// `loc(…)`
    pub(crate) fn loc(&mut self) -> Parsed<LocId> {
        if !self.eat_keyword("loc") {
            return Err(self.expected("a location"));
        }
        self.expect(Kind::LParen, "'(' in a location")?;
        let loc = self.loc_body()?;
        self.expect(Kind::RParen, "')' in a location")?;
        Ok(loc)
    }

    fn loc_body(&mut self) -> Parsed<LocId> {
        self.nested(|p| {
            let token = p.token;
            match token.kind {
                Kind::Hash => {
                    let attr = p.attr(None)?;
                    match *p.context.attr_kind(attr) {
                        AttrKind::Location(loc) => Ok(loc),
                        AttrKind::Dialect { .. } => Ok(p.context.intern_loc(LocKind::Dialect(attr))),
                        _ => Err(error::alias_kind(p.str(token), "a location", p.token_span(token))),
                    }
                }
                Kind::Str => p.named_loc(),
                // A location in full where a body is expected, as an alias that was expanded leaves it.
                Kind::Bare if p.is_keyword("loc") => p.loc(),
                Kind::Bare if p.is_keyword("unknown") => {
                    p.advance();
                    Ok(Context::UNKNOWN)
                }
                Kind::Bare if p.is_keyword("callsite") => {
                    p.advance();
                    p.expect(Kind::LParen, "'(' after 'callsite'")?;
                    let callee = p.loc_body()?;
                    if !p.eat_keyword("at") {
                        return Err(p.expected("'at' in a call site"));
                    }
                    let caller = p.loc_body()?;
                    p.expect(Kind::RParen, "')' after a call site")?;
                    Ok(p.context.intern_loc(LocKind::CallSite { callee, caller }))
                }
                Kind::Bare if p.is_keyword("fused") => p.fused_loc(),
                _ => Err(p.expected("a location")),
            }
        })
    }

    fn fused_loc(&mut self) -> Parsed<LocId> {
        self.advance();
        let metadata = if self.eat(Kind::Less) {
            let metadata = self.attr(None)?;
            self.expect(Kind::Greater, "'>' after the metadata of a location")?;
            Some(metadata)
        } else {
            None
        };
        self.expect(Kind::LSquare, "'[' in a fused location")?;
        let mut locations = Vec::new();
        self.list_until(Kind::RSquare, "']' after a fused location", |p| {
            locations.push(p.loc_body()?);
            Ok(())
        })?;
        Ok(self.context.fuse(&locations, metadata))
    }

    /// `"file":line:column`, a range of those, or `"name"(child)`.
    fn named_loc(&mut self) -> Parsed<LocId> {
        let token = self.token;
        self.advance();
        let name = self.intern_string(token);
        if !self.eat(Kind::Colon) {
            let child = if self.eat(Kind::LParen) {
                let child = self.loc_body()?;
                self.expect(Kind::RParen, "')' after the child of a location")?;
                child
            } else {
                Context::UNKNOWN
            };
            return Ok(self.context.intern_loc(LocKind::Name { name, child }));
        }
        // A file without a name is the standard input.
        let name = if self.context.str(name).is_empty() { self.context.string("-") } else { name };
        let line = self.u32("a line number")?;
        // A line alone is all of the line, column 0.
        let column = if self.eat(Kind::Colon) { Some(self.u32("a column number")?) } else { None };
        let whole_line = column.is_none();
        let column = column.unwrap_or(0);
        if whole_line || !self.eat_keyword("to") {
            return Ok(self.context.intern_loc(LocKind::FileLineCol { file: name, line, column }));
        }
        let end_line = if self.is(Kind::Int) { self.u32("a line number")? } else { line };
        self.expect(Kind::Colon, "':' before a column number")?;
        let end_column = self.u32("a column number")?;
        let (start, end) = ((line, column), (end_line, end_column));
        if start == end {
            return Ok(self.context.intern_loc(LocKind::FileLineCol { file: name, line, column }));
        }
        Ok(self.context.intern_loc(LocKind::FileRange { file: name, start, end }))
    }

    /// ` loc(…)` after an operation or argument, if there is one.
    pub(super) fn trailing_loc(&mut self) -> Parsed<Option<LocId>> {
        if self.is_keyword("loc") { self.loc().map(Some) } else { Ok(None) }
    }
}
