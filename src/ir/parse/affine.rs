//! Parses affine maps and integer sets.

use super::lexer::TokenKind;
use super::parser::Parser;
use crate::ir::affine::{AffineConstraint, AffineExpr, AffineMap, IntegerSet};
use crate::ir::error::{self, ParseResult};

/// The maximum number of nodes of an expression.
const NODE_LIMIT: usize = 1000;

/// The dimensions and symbols of a map or set.
#[derive(Default)]
struct AffineSpace {
    names: Vec<(Vec<u8>, AffineExpr)>,
    dims: u32,
    symbols: u32,
}

impl Parser<'_> {
    /// Parses a map: `(d0)[s0] -> (d0 + s0)`.
    pub(super) fn affine_map(&mut self) -> ParseResult<AffineMap> {
        let space = self.affine_space()?;
        self.expect(TokenKind::Arrow, "'->' in an affine map")?;
        self.expect(TokenKind::LParen, "'(' before the results of an affine map")?;
        let mut results = Vec::new();
        self.list_until(TokenKind::RParen, "')' after the results of an affine map", |p| {
            results.push(p.affine_expr(&space)?);
            Ok(())
        })?;
        Ok(AffineMap { dims: space.dims, symbols: space.symbols, results: results.into() })
    }

    /// Parses a set: `(d0)[s0] : (d0 - s0 >= 0)`.
    pub(super) fn integer_set(&mut self) -> ParseResult<IntegerSet> {
        let space = self.affine_space()?;
        self.expect(TokenKind::Colon, "':' in an integer set")?;
        self.expect(TokenKind::LParen, "'(' before the constraints of an integer set")?;
        let mut constraints = Vec::new();
        self.list_until(TokenKind::RParen, "')' after the constraints of an integer set", |p| {
            let lhs = p.affine_expr(&space)?;
            let (equality, swapped) = match p.token.kind {
                TokenKind::Greater => (false, false),
                TokenKind::Less => (false, true),
                TokenKind::Equal => (true, false),
                _ => return Err(p.expected("'==', '>=' or '<='")),
            };
            p.advance();
            p.expect(TokenKind::Equal, "'==', '>=' or '<='")?;
            let rhs = p.affine_expr(&space)?;
            let expr = match (swapped, rhs.as_constant()) {
                (false, Some(0)) => lhs,
                (false, _) => lhs.sub(&rhs),
                (true, _) => rhs.sub(&lhs),
            };
            constraints.push(AffineConstraint { expr, equality });
            Ok(())
        })?;
        if constraints.is_empty() {
            constraints.push(AffineConstraint { expr: AffineExpr::constant(0), equality: true });
        }
        Ok(IntegerSet { dims: space.dims, symbols: space.symbols, constraints: constraints.into() })
    }

    fn affine_space(&mut self) -> ParseResult<AffineSpace> {
        let mut space = AffineSpace::default();
        self.expect(TokenKind::LParen, "'(' before dimensions")?;
        self.list_until(TokenKind::RParen, "')' after dimensions", |p| {
            let expr = AffineExpr::dim(space.dims);
            space.dims += 1;
            p.affine_name(&mut space, expr)
        })?;
        if self.eat(TokenKind::LSquare) {
            self.list_until(TokenKind::RSquare, "']' after symbols", |p| {
                let expr = AffineExpr::symbol(space.symbols);
                space.symbols += 1;
                p.affine_name(&mut space, expr)
            })?;
        }
        Ok(space)
    }

    fn affine_name(&mut self, space: &mut AffineSpace, expr: AffineExpr) -> ParseResult<()> {
        let token = self.expect(TokenKind::Bare, "an identifier")?;
        let name = self.slice(token);
        if space.names.iter().any(|(other, _)| other == name) {
            return Err(error::affine_redefined(self.str(token), self.token_span(token)));
        }
        space.names.push((name.to_vec(), expr));
        Ok(())
    }

    /// Parses a sum of products.
    fn affine_expr(&mut self, space: &AffineSpace) -> ParseResult<AffineExpr> {
        self.nested(|p| {
            let mut lhs = p.affine_product(space)?;
            loop {
                let subtract = match p.token.kind {
                    TokenKind::Plus => false,
                    TokenKind::Minus => true,
                    _ => return Ok(lhs),
                };
                p.advance();
                let rhs = p.affine_product(space)?;
                lhs = if subtract { lhs.sub(&rhs) } else { lhs.add(&rhs) };
                p.check_affine_size(&lhs)?;
            }
        })
    }

    fn check_affine_size(&self, expr: &AffineExpr) -> ParseResult<()> {
        if expr.nodes().len() > NODE_LIMIT {
            return Err(error::affine_too_large(NODE_LIMIT, self.token_span(self.token)));
        }
        Ok(())
    }

    fn affine_product(&mut self, space: &AffineSpace) -> ParseResult<AffineExpr> {
        let mut lhs = self.affine_operand(space)?;
        loop {
            let token = self.token;
            let span = self.token_span(token);
            let word = match token.kind {
                TokenKind::Star => "*",
                TokenKind::Bare => match self.str(token) {
                    word @ ("mod" | "floordiv" | "ceildiv") => word,
                    _ => return Ok(lhs),
                },
                _ => return Ok(lhs),
            };
            self.advance();
            let rhs = self.affine_operand(space)?;
            if word == "*" {
                if !lhs.is_symbolic_or_constant() && !rhs.is_symbolic_or_constant() {
                    return Err(error::not_affine("one factor has to be a symbol or a constant", span));
                }
                lhs = lhs.mul(&rhs);
            } else {
                if !rhs.is_symbolic_or_constant() {
                    return Err(error::not_affine("the divisor has to be a symbol or a constant", span));
                }
                lhs = match word {
                    "mod" => lhs.modulo(&rhs),
                    "floordiv" => lhs.floor_div(&rhs),
                    _ => lhs.ceil_div(&rhs),
                };
            }
            self.check_affine_size(&lhs)?;
        }
    }

    fn affine_operand(&mut self, space: &AffineSpace) -> ParseResult<AffineExpr> {
        let token = self.token;
        match token.kind {
            TokenKind::Bare => {
                self.advance();
                let name = self.slice(token);
                let found = space.names.iter().find(|(other, _)| other == name);
                found
                    .map(|(_, expr)| expr.clone())
                    .ok_or_else(|| error::affine_identifier(self.str(token), self.token_span(token)))
            }
            TokenKind::Int => Ok(AffineExpr::constant(self.i64("a number that fits in 64 bits")?)),
            TokenKind::Minus => {
                self.advance();
                Ok(self.nested(|p| p.affine_operand(space))?.negate())
            }
            TokenKind::LParen => {
                self.advance();
                let inner = self.affine_expr(space)?;
                self.expect(TokenKind::RParen, "')' in an affine expression")?;
                Ok(inner)
            }
            _ => Err(self.expected("an affine expression")),
        }
    }
}
