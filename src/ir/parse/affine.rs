//! Affine maps and integer sets.

use super::Parser;
use super::lexer::Kind;
use crate::ir::affine::{AffineConstraint, AffineExpr, AffineMap, IntegerSet};
use crate::ir::error::{self, Parsed};

/// The most nodes an expression may have.
const NODE_LIMIT: usize = 1000;

/// The names of dimensions and symbols.
#[derive(Default)]
struct Space {
    names: Vec<(Vec<u8>, AffineExpr)>,
    dims: u32,
    symbols: u32,
}

impl Parser<'_> {
    /// `(d0)[s0] -> (d0 + s0)`
    pub(super) fn affine_map(&mut self) -> Parsed<AffineMap> {
        let space = self.affine_space()?;
        self.expect(Kind::Arrow, "'->' in an affine map")?;
        self.expect(Kind::LParen, "'(' before the results of an affine map")?;
        let mut results = Vec::new();
        self.list_until(Kind::RParen, "')' after the results of an affine map", |p| {
            results.push(p.affine_expr(&space)?);
            Ok(())
        })?;
        Ok(AffineMap { dims: space.dims, symbols: space.symbols, results: results.into() })
    }

    /// `(d0)[s0] : (d0 - s0 >= 0)`
    pub(super) fn integer_set(&mut self) -> Parsed<IntegerSet> {
        let space = self.affine_space()?;
        self.expect(Kind::Colon, "':' in an integer set")?;
        self.expect(Kind::LParen, "'(' before the constraints of an integer set")?;
        let mut constraints = Vec::new();
        self.list_until(Kind::RParen, "')' after the constraints of an integer set", |p| {
            let lhs = p.affine_expr(&space)?;
            let (equality, swapped) = match p.token.kind {
                Kind::Greater => (false, false),
                Kind::Less => (false, true),
                Kind::Equal => (true, false),
                _ => return Err(p.expected("'==', '>=' or '<='")),
            };
            p.advance();
            p.expect(Kind::Equal, "'==', '>=' or '<='")?;
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

    fn affine_space(&mut self) -> Parsed<Space> {
        let mut space = Space::default();
        self.expect(Kind::LParen, "'(' before dimensions")?;
        self.list_until(Kind::RParen, "')' after dimensions", |p| {
            let expr = AffineExpr::dim(space.dims);
            space.dims += 1;
            p.affine_name(&mut space, expr)
        })?;
        if self.eat(Kind::LSquare) {
            self.list_until(Kind::RSquare, "']' after symbols", |p| {
                let expr = AffineExpr::symbol(space.symbols);
                space.symbols += 1;
                p.affine_name(&mut space, expr)
            })?;
        }
        Ok(space)
    }

    fn affine_name(&mut self, space: &mut Space, expr: AffineExpr) -> Parsed<()> {
        let token = self.expect(Kind::Bare, "an identifier")?;
        let name = self.slice(token);
        if space.names.iter().any(|(known, _)| known == name) {
            return Err(error::affine_redefined(self.str(token), self.token_span(token)));
        }
        space.names.push((name.to_vec(), expr));
        Ok(())
    }

    /// Sums of products.
    fn affine_expr(&mut self, space: &Space) -> Parsed<AffineExpr> {
        self.nested(|p| {
            let mut lhs = p.affine_product(space)?;
            loop {
                let subtract = match p.token.kind {
                    Kind::Plus => false,
                    Kind::Minus => true,
                    _ => return Ok(lhs),
                };
                p.advance();
                let rhs = p.affine_product(space)?;
                lhs = if subtract { lhs.sub(&rhs) } else { lhs.add(&rhs) };
                p.check_affine_size(&lhs)?;
            }
        })
    }

    fn check_affine_size(&self, expr: &AffineExpr) -> Parsed<()> {
        if expr.nodes().len() > NODE_LIMIT {
            return Err(error::affine_too_large(NODE_LIMIT, self.token_span(self.token)));
        }
        Ok(())
    }

    fn affine_product(&mut self, space: &Space) -> Parsed<AffineExpr> {
        let mut lhs = self.affine_operand(space)?;
        loop {
            let token = self.token;
            let span = self.token_span(token);
            let word = match token.kind {
                Kind::Star => "*",
                Kind::Bare => match self.str(token) {
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

    fn affine_operand(&mut self, space: &Space) -> Parsed<AffineExpr> {
        let token = self.token;
        match token.kind {
            Kind::Bare => {
                self.advance();
                let name = self.slice(token);
                let found = space.names.iter().find(|(known, _)| known == name);
                found
                    .map(|(_, expr)| expr.clone())
                    .ok_or_else(|| error::affine_identifier(self.str(token), self.token_span(token)))
            }
            Kind::Int => Ok(AffineExpr::constant(self.i64("a number that fits in 64 bits")?)),
            Kind::Minus => {
                self.advance();
                Ok(self.nested(|p| p.affine_operand(space))?.negate())
            }
            Kind::LParen => {
                self.advance();
                let inner = self.affine_expr(space)?;
                self.expect(Kind::RParen, "')' in an affine expression")?;
                Ok(inner)
            }
            _ => Err(self.expected("an affine expression")),
        }
    }
}
