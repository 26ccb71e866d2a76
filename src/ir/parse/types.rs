//! Types.

use super::lexer::{self, Kind, Token};
use super::{AliasTarget, Parser};
use crate::host::Signedness;
use crate::ir::context::{Verbatim, VerbatimRef};
use crate::ir::error::{self, Parsed};
use crate::ir::{AttrId, AttrKind, Context, DYNAMIC, TypeId, TypeKind};
use crate::number::{FloatFormat, MAX_WIDTH};

/// A dimension list: sizes, which of them are scalable, or no rank.
struct Dimensions {
    shape: Vec<i64>,
    scalable: Vec<bool>,
    ranked: bool,
}

impl<'a> Parser<'a> {
    /// A type.
    pub(crate) fn ty(&mut self) -> Parsed<TypeId> {
        let token = self.token;
        match token.kind {
            Kind::Bare => match self.slice(token) {
                b"i32" => {
                    self.advance();
                    Ok(Context::I32)
                }
                b"i1" => {
                    self.advance();
                    Ok(Context::I1)
                }
                b"i64" => {
                    self.advance();
                    Ok(Context::I64)
                }
                b"index" => {
                    self.advance();
                    Ok(Context::INDEX)
                }
                _ => self.named_type(),
            },
            Kind::Exclaim => self.nested(Self::extended_type),
            Kind::LParen => self.nested(|p| {
                let (inputs, results) = p.function_type()?;
                Ok(p.context
                    .intern_type(TypeKind::Function { inputs: inputs.into(), results: results.into() }))
            }),
            _ => Err(self.expected("a type")),
        }
    }

    /// `(inputs) -> results`
    pub(super) fn function_type(&mut self) -> Parsed<(Vec<TypeId>, Vec<TypeId>)> {
        let mut inputs = Vec::new();
        self.expect(Kind::LParen, "'(' in a function type")?;
        self.list_until(Kind::RParen, "')' in a function type", |p| {
            inputs.push(p.ty()?);
            Ok(())
        })?;
        self.expect(Kind::Arrow, "'->' in a function type")?;
        Ok((inputs, self.result_types()?))
    }

    /// One type alone or a list in parentheses.
    pub(super) fn result_types(&mut self) -> Parsed<Vec<TypeId>> {
        let mut results = Vec::new();
        if self.eat(Kind::LParen) {
            self.list_until(Kind::RParen, "')' after result types", |p| {
                results.push(p.ty()?);
                Ok(())
            })?;
        } else {
            results.push(self.ty()?);
        }
        Ok(results)
    }

    fn named_type(&mut self) -> Parsed<TypeId> {
        let token = self.token;
        let name = self.str(token);
        if let Some(format) = FloatFormat::from_name(name) {
            self.advance();
            return Ok(self.context.float(format));
        }
        if let Some((signedness, width)) = integer_name(name) {
            let width = width
                .filter(|&width| width <= MAX_WIDTH)
                .ok_or_else(|| error::integer_too_wide(MAX_WIDTH, self.token_span(token)))?;
            self.advance();
            return Ok(self.context.intern_type(TypeKind::Integer { width, signedness }));
        }
        if name == "none" {
            self.advance();
            return Ok(Context::NONE);
        }
        if !matches!(name, "complex" | "tensor" | "memref" | "vector" | "tuple" | "graph") {
            return Err(error::unknown_type(name, self.token_span(token)));
        }
        self.advance();
        self.nested(|p| {
            let less = p.expect(Kind::Less, "'<'")?;
            let kind = match name {
                "complex" => {
                    let at = p.token;
                    let element = p.ty()?;
                    if !matches!(p.context.type_kind(element), TypeKind::Integer { .. } | TypeKind::Float(_))
                    {
                        return Err(error::bad_element_type("complex", p.token_span(at)));
                    }
                    TypeKind::Complex(element)
                }
                "tuple" => {
                    let mut types = Vec::new();
                    if !p.is(Kind::Greater) {
                        loop {
                            types.push(p.ty()?);
                            if !p.eat(Kind::Comma) {
                                break;
                            }
                        }
                    }
                    TypeKind::Tuple(types.into())
                }
                "graph" => {
                    let (inputs, results) = p.function_type()?;
                    TypeKind::Graph { inputs: inputs.into(), results: results.into() }
                }
                "tensor" => p.tensor(less)?,
                "memref" => p.memref(less)?,
                _ => p.vector(less)?,
            };
            p.expect(Kind::Greater, "'>' at the end of a type")?;
            Ok(p.context.intern_type(kind))
        })
    }

    fn vector(&mut self, less: Token) -> Parsed<TypeKind> {
        let start = self.token;
        let Dimensions { shape, scalable, ranked } = self.dimensions(less, true)?;
        if !ranked || shape.iter().any(|&size| size <= 0) {
            return Err(error::vector_dimension(self.token_span(start)));
        }
        let at = self.token;
        let element = self.ty()?;
        if !matches!(
            self.context.type_kind(element),
            TypeKind::Integer { .. } | TypeKind::Float(_) | TypeKind::Index | TypeKind::Dialect(_)
        ) {
            return Err(error::bad_element_type("vector", self.token_span(at)));
        }
        Ok(TypeKind::Vector { shape: shape.into(), scalable: scalable.into(), element })
    }

    /// The element type of a tensor or memref.
    fn buffer_element(&mut self, what: &str, may_be_memref: bool) -> Parsed<TypeId> {
        let at = self.token;
        let element = self.ty()?;
        let fits = match self.context.type_kind(element) {
            TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef { .. } => may_be_memref,
            TypeKind::RankedTensor { .. }
            | TypeKind::UnrankedTensor(_)
            | TypeKind::Function { .. }
            | TypeKind::Graph { .. }
            | TypeKind::Tuple(_)
            | TypeKind::None => false,
            _ => true,
        };
        if fits { Ok(element) } else { Err(error::bad_element_type(what, self.token_span(at))) }
    }

    fn tensor(&mut self, less: Token) -> Parsed<TypeKind> {
        let Dimensions { shape, ranked, .. } = self.dimensions(less, false)?;
        let element = self.buffer_element("tensor", false)?;
        if !ranked {
            return Ok(TypeKind::UnrankedTensor(element));
        }
        let encoding = if self.eat(Kind::Comma) { Some(self.attr(None)?) } else { None };
        Ok(TypeKind::RankedTensor { shape: shape.into(), element, encoding })
    }

    fn memref(&mut self, less: Token) -> Parsed<TypeKind> {
        let Dimensions { shape, ranked, .. } = self.dimensions(less, false)?;
        let element = self.buffer_element("memref", true)?;
        let (mut layout, mut memory_space) = (None, None);
        while self.eat(Kind::Comma) {
            let at = self.token;
            let attr = self.attr(None)?;
            let span = self.token_span(at);
            // What only a dialect knows to be a layout comes first, with the memory space after it. Of several layouts
            // the last one counts.
            let is_layout = match self.context.attr_kind(attr) {
                AttrKind::AffineMap(_) | AttrKind::StridedLayout { .. } => true,
                AttrKind::Dialect { .. } => self.is(Kind::Comma) && layout.is_none(),
                _ => false,
            };
            if memory_space.is_some() {
                return Err(error::bad_layout("nothing follows the memory space", span));
            }
            if !is_layout {
                let kind = self.context.attr_kind(attr);
                if !matches!(
                    kind,
                    AttrKind::Integer { .. }
                        | AttrKind::String { .. }
                        | AttrKind::Dictionary(_)
                        | AttrKind::Dialect { .. }
                ) {
                    return Err(error::memory_space(span));
                }
                memory_space = Some(attr);
                continue;
            }
            if !ranked {
                return Err(error::bad_layout("only a ranked type has one", span));
            }
            self.check_layout(attr, shape.len(), span)?;
            layout = Some(attr);
        }
        let is_identity = |attr: &AttrId| match self.context.attr_kind(*attr) {
            AttrKind::AffineMap(map) => map.is_identity(),
            _ => false,
        };
        let is_default = |attr: &AttrId| match self.context.attr_kind(*attr) {
            AttrKind::Integer { value, .. } => value.is_zero(),
            _ => false,
        };
        let layout = layout.filter(|attr| !is_identity(attr));
        let memory_space = memory_space.filter(|attr| !is_default(attr));
        Ok(if ranked {
            TypeKind::MemRef { shape: shape.into(), element, layout, memory_space }
        } else {
            TypeKind::UnrankedMemRef { element, memory_space }
        })
    }

    fn check_layout(&self, attr: AttrId, rank: usize, span: crate::source::Span) -> Parsed<()> {
        match self.context.attr_kind(attr) {
            AttrKind::AffineMap(map) if map.dims as usize != rank => {
                Err(error::bad_layout(&format!("the map has {} dimensions, the type {rank}", map.dims), span))
            }
            AttrKind::StridedLayout { strides, .. } if strides.len() != rank => Err(error::bad_layout(
                &format!("there are {} strides for {rank} dimensions", strides.len()),
                span,
            )),
            _ => Ok(()),
        }
    }

    /// `4x?x[8]x`, `*x` or nothing, right after `<`; then the element type starts. `[8]` only where sizes may be
    /// scalable.
    fn dimensions(&mut self, less: Token, may_scale: bool) -> Parsed<Dimensions> {
        let mut dimensions = Dimensions { shape: Vec::new(), scalable: Vec::new(), ranked: true };
        let text = self.text;
        let mut at = lexer::skip_blanks(text, less.end);
        if lexer::byte(text, at) == b'*' {
            at = lexer::skip_blanks(text, at + 1);
            dimensions.ranked = false;
            self.cross(at)?;
            return Ok(dimensions);
        }
        loop {
            let scalable = may_scale && lexer::byte(text, at) == b'[';
            let start = if scalable { lexer::skip_blanks(text, at + 1) } else { at };
            let size = match lexer::byte(text, start) {
                b'?' if !scalable => {
                    at = start + 1;
                    DYNAMIC
                }
                b'0'..=b'9' => {
                    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
                    at = start + digits;
                    let size = std::str::from_utf8(&text[start..at]).ok().and_then(|s| s.parse().ok());
                    size.ok_or_else(|| error::bad_dimension(self.span(start, at)))?
                }
                _ if scalable => return Err(error::bad_dimension(self.span(start, start + 1))),
                _ => break,
            };
            at = lexer::skip_blanks(text, at);
            if scalable {
                if lexer::byte(text, at) != b']' {
                    return Err(error::expected("']' after a scalable size", self.span(at, at + 1)));
                }
                at = lexer::skip_blanks(text, at + 1);
            }
            dimensions.shape.push(size);
            dimensions.scalable.push(scalable);
            self.cross(at)?;
            at = lexer::skip_blanks(text, at + 1);
        }
        self.reset(at);
        Ok(dimensions)
    }

    /// The `x` of a dimension list; the token after it is next.
    fn cross(&mut self, at: usize) -> Parsed<()> {
        if lexer::byte(self.text, at) != b'x' {
            return Err(error::expected("'x' in a dimension list", self.span(at, at + 1)));
        }
        self.reset(at + 1);
        Ok(())
    }

    fn extended_type(&mut self) -> Parsed<TypeId> {
        let token = self.token;
        match self.extended(token)? {
            Extended::Alias(AliasTarget::Type(ty)) => Ok(ty),
            Extended::Alias(_) => Err(error::alias_kind(self.str(token), "a type", self.token_span(token))),
            Extended::Body(body) => Ok(self.context.intern_type(TypeKind::Dialect(body))),
        }
    }

    /// What follows a `!` or `#`: an alias, or a dialect's own text.
    pub(super) fn extended(&mut self, token: Token) -> Parsed<Extended> {
        let name = &self.text[token.start + 1..token.end];
        let has_body = lexer::byte(self.text, token.end) == b'<';
        let Some(dot) = memchr::memchr(b'.', name) else {
            if has_body {
                self.check_namespace(name, token)?;
                return self.opaque_body(token);
            }
            self.advance();
            return self.alias(token).map(Extended::Alias);
        };
        self.check_namespace(&name[..dot], token)?;
        let end = if has_body { self.body_end(token.end)? } else { token.end };
        let inside = token.start + 1 + dot + 1;
        let body = if is_pretty(&self.text[inside..end]) {
            self.verbatim(token.start + 1, token.start + 1, end, "", "")?
        } else {
            // What MLIR would not print after a dot is printed in brackets.
            let dialect = format!("{}<", &self.str(token)[1..=dot]);
            self.verbatim(token.start, inside, end, &dialect, ">")?
        };
        self.reset(end);
        Ok(Extended::Body(body))
    }

    /// Whether a dialect can be called so, and has types and attributes of its own.
    fn check_namespace(&self, name: &[u8], token: Token) -> Parsed<()> {
        let is_start = |b: &u8| b.is_ascii_alphabetic() || *b == b'_';
        let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$');
        if !name.first().is_some_and(is_start) || !name.iter().all(is_name) {
            return Err(error::bad_namespace(&String::from_utf8_lossy(name), self.token_span(token)));
        }
        if name == b"builtin" {
            return Err(error::no_dialect_text(self.token_span(token)));
        }
        Ok(())
    }

    /// `dialect<body>`: written as `dialect.body` where that reads the same.
    fn opaque_body(&mut self, name: Token) -> Parsed<Extended> {
        let open = name.end;
        let end = self.body_end(open)?;
        let inside = &self.text[open + 1..end - 1];
        let body = if is_pretty(inside) {
            let dialect = format!("{}.", &self.str(name)[1..]);
            self.verbatim(name.start, open + 1, end - 1, &dialect, "")?
        } else {
            let dialect = self.str(name)[1..].to_owned();
            self.verbatim(name.start, open, end, &dialect, "")?
        };
        self.reset(end);
        Ok(Extended::Body(body))
    }

    /// Where the balanced text that opens at `open` ends.
    fn body_end(&self, open: usize) -> Parsed<usize> {
        let mut stack: Vec<u8> = Vec::new();
        let mut at = open;
        while at < self.text.len() {
            let c = self.text[at];
            at += 1;
            match c {
                b'<' | b'[' | b'(' | b'{' => stack.push(c),
                b'-' if lexer::byte(self.text, at) == b'>' => at += 1,
                b'>' | b']' | b')' | b'}' => {
                    let wanted = match c {
                        b'>' => b'<',
                        b']' => b'[',
                        b')' => b'(',
                        _ => b'{',
                    };
                    let open = stack.pop().unwrap_or(b'<');
                    if open != wanted {
                        return Err(error::unbalanced(open.into(), self.span(at - 1, at)));
                    }
                    if stack.is_empty() {
                        return Ok(at);
                    }
                }
                b'"' => {
                    let token = lexer::token(self.text, at - 1);
                    if token.kind != Kind::Str {
                        return Err(error::unterminated_string(self.token_span(token)));
                    }
                    at = token.end;
                }
                _ => {}
            }
        }
        Err(error::unbalanced(stack.last().copied().unwrap_or(b'<').into(), self.span(open, open + 1)))
    }

    /// The text from `start` to `end` between `prefix` and `suffix`, with the aliases in it.
    fn verbatim(
        &mut self,
        from: usize,
        start: usize,
        end: usize,
        prefix: &str,
        suffix: &str,
    ) -> Parsed<Verbatim> {
        let bytes = &self.text[start..end];
        let mut refs = Vec::new();
        let mut at = 0;
        let offset = |at: usize| {
            u32::try_from(prefix.len() + at).map_err(|_| error::expected("less text", self.span(from, end)))
        };
        offset(bytes.len())?;
        while let Some(found) = memchr::memchr3(b'"', b'#', b'!', &bytes[at..]) {
            at += found;
            let token = lexer::token(bytes, at);
            match token.kind {
                Kind::Str => {}
                Kind::Hash | Kind::Exclaim
                    if !bytes[at..token.end].contains(&b'.') && lexer::byte(bytes, token.end) != b'<' =>
                {
                    let name = &self.text[start + at..start + token.end];
                    if let Some(target) = self.find_alias(name)? {
                        let offset = |at| u32::try_from(prefix.len() + at).unwrap_or(u32::MAX);
                        refs.push(VerbatimRef { start: offset(at), end: offset(token.end), target });
                    }
                }
                _ => {
                    at += 1;
                    continue;
                }
            }
            at = token.end;
        }
        let bytes = String::from_utf8_lossy(bytes);
        let text = if prefix.is_empty() {
            self.context.string(&bytes)
        } else {
            self.context.string(&format!("{prefix}{bytes}{suffix}"))
        };
        Ok(Verbatim { text, refs: refs.into() })
    }
}

/// What stands after a `!` or `#`.
pub(super) enum Extended {
    Alias(AliasTarget),
    Body(Verbatim),
}

/// The signedness and width of an integer type's name; no width if it is too large.
fn integer_name(name: &str) -> Option<(Signedness, Option<u32>)> {
    let (signedness, digits) = if let Some(digits) = name.strip_prefix('i') {
        (Signedness::Signless, digits)
    } else if let Some(digits) = name.strip_prefix("si") {
        (Signedness::Signed, digits)
    } else {
        (Signedness::Unsigned, name.strip_prefix("ui")?)
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    is_number.then(|| (signedness, digits.parse().ok()))
}

/// Whether MLIR prints an opaque body after a dot rather than in brackets.
fn is_pretty(body: &[u8]) -> bool {
    if !body.first().is_some_and(u8::is_ascii_alphabetic) {
        return false;
    }
    let is_name = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'_');
    let rest = &body[body.iter().take_while(|b| is_name(b)).count()..];
    if rest.is_empty() {
        return true;
    }
    if rest[0] != b'<' || rest.last() != Some(&b'>') {
        return false;
    }
    // The bracket that opens must be the one that closes at the end.
    let mut stack = Vec::new();
    let mut at = 0;
    while at < rest.len() {
        let c = rest[at];
        at += 1;
        match c {
            b'<' | b'[' | b'(' | b'{' => stack.push(c),
            b'-' if lexer::byte(rest, at) == b'>' => at += 1,
            b'>' | b']' | b')' | b'}' => {
                stack.pop();
                if stack.is_empty() {
                    return at == rest.len();
                }
            }
            b'"' => at = lexer::token(rest, at - 1).end,
            _ => {}
        }
    }
    false
}
