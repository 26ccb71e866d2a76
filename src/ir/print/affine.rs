//! Affine maps and integer sets as text.

use std::fmt::Write;

use super::printer::Printer;
use crate::ir::affine::{AffineExpr, AffineMap, AffineNode, AffineOp, IntegerSet};
use crate::stack::with_room;

impl Printer<'_> {
    /// Writes a map: `(d0)[s0] -> (d0 + s0)`.
    pub(super) fn affine_map(&mut self, map: &AffineMap) {
        self.affine_space(map.dims, map.symbols);
        self.out.push_str(" -> (");
        self.list(&map.results, |p, expr| p.affine_expr(expr));
        self.out.push(')');
    }

    /// Writes a set: `(d0)[s0] : (d0 - s0 >= 0)`.
    pub(super) fn integer_set(&mut self, set: &IntegerSet) {
        self.affine_space(set.dims, set.symbols);
        self.out.push_str(" : (");
        self.list(&set.constraints, |p, constraint| {
            p.affine_expr(&constraint.expr);
            p.out.push_str(if constraint.equality { " == 0" } else { " >= 0" });
        });
        self.out.push(')');
    }

    fn affine_space(&mut self, dims: u32, symbols: u32) {
        self.out.push('(');
        self.list(0..dims, |p, i| p.input_name('d', i));
        self.out.push(')');
        if symbols > 0 {
            self.out.push('[');
            self.list(0..symbols, |p, i| p.input_name('s', i));
            self.out.push(']');
        }
    }

    fn input_name(&mut self, letter: char, i: u32) {
        // Writing to a string cannot fail.
        let _ = write!(self.out, "{letter}{i}");
    }

    fn affine_expr(&mut self, expr: &AffineExpr) {
        let nodes = expr.nodes();
        self.affine_node(nodes, nodes.len() - 1, false);
    }

    /// Writes a node. If `tight` is true, a binary node is written in parentheses.
    fn affine_node(&mut self, nodes: &[AffineNode], at: usize, tight: bool) {
        let (op, lhs, rhs) = match nodes[at] {
            AffineNode::Dim(i) => return self.input_name('d', i),
            AffineNode::Symbol(i) => return self.input_name('s', i),
            // The negation of the smallest number does not fit in 64 bits, so the smallest number is written as a
            // difference.
            AffineNode::Constant(i64::MIN) => {
                let _ = write!(self.out, "({} - 1)", i64::MIN + 1);
                return;
            }
            AffineNode::Constant(value) => {
                let _ = write!(self.out, "{value}");
                return;
            }
            AffineNode::Binary(op, lhs, rhs) => (op, lhs as usize, rhs as usize),
        };
        if tight {
            self.out.push('(');
        }
        let spelling = match op {
            AffineOp::Add => {
                with_room(|| self.affine_sum(nodes, lhs, rhs));
                ""
            }
            AffineOp::Mul if nodes[rhs] == AffineNode::Constant(-1) => {
                self.out.push('-');
                with_room(|| self.affine_node(nodes, lhs, true));
                ""
            }
            AffineOp::Mul => " * ",
            AffineOp::Mod => " mod ",
            AffineOp::FloorDiv => " floordiv ",
            AffineOp::CeilDiv => " ceildiv ",
        };
        if !spelling.is_empty() {
            with_room(|| self.affine_node(nodes, lhs, true));
            self.out.push_str(spelling);
            with_room(|| self.affine_node(nodes, rhs, true));
        }
        if tight {
            self.out.push(')');
        }
    }

    /// Writes a sum, as a difference if the right side is negative.
    fn affine_sum(&mut self, nodes: &[AffineNode], lhs: usize, rhs: usize) {
        self.affine_node(nodes, lhs, false);
        match nodes[rhs] {
            AffineNode::Constant(value) if value < 0 && value != i64::MIN => {
                let _ = write!(self.out, " - {}", -value);
                return;
            }
            AffineNode::Binary(AffineOp::Mul, factor, by) => {
                let factor = factor as usize;
                match nodes[by as usize] {
                    AffineNode::Constant(-1) => {
                        self.out.push_str(" - ");
                        let is_sum = matches!(nodes[factor], AffineNode::Binary(AffineOp::Add, ..));
                        return self.affine_node(nodes, factor, is_sum);
                    }
                    AffineNode::Constant(value) if value < -1 && value != i64::MIN => {
                        self.out.push_str(" - ");
                        self.affine_node(nodes, factor, true);
                        let _ = write!(self.out, " * {}", -value);
                        return;
                    }
                    _ => {}
                }
            }
            _ => {}
        }
        self.out.push_str(" + ");
        self.affine_node(nodes, rhs, false);
    }
}
