//! Operations of other dialects, described by expressions over the operations of `arith`.

use hashbrown::HashMap;

use super::bits::Bits;
use super::integer::{Flags, IntOp, Lane, Signature};
use crate::number::ApInt;
use crate::plural::count;

/// Descriptions of operations, by name.
///
/// A description has the form `name(operands) = expression`. An expression is an operand, an integer, or the name of an
/// integer operation of `arith` (without `arith.`) followed by its arguments in parentheses. `addi`, `subi`, `muli`,
/// `shli` and `trunci` take `.nsw` and `.nuw`; `divsi`, `divui`, `shrsi` and `shrui` take `.exact`; `extui` takes
/// `.nneg`; `ori` takes `.disjoint`; and `cmpi` takes its predicate. An integer has the type of another argument of the
/// same operation. A cast to another type must be the whole expression, because it converts to the type of the result.
///
/// ```
/// use drrvm::prove::Operations;
/// let mut operations = Operations::default();
/// operations.define("comb.mux(c, a, b) = select(c, a, b)")?;
/// operations.define("my.abs(x) = select(cmpi.slt(x, 0), subi(0, x), x)")?;
/// assert!(operations.define("my.twice(x) = addi(x, y)").is_err());
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Operations {
    by_name: HashMap<String, Description>,
    /// The texts of the descriptions, in the order of their definition.
    texts: Vec<String>,
}

/// The expression that describes an operation. In `nodes`, arguments precede the operations that take them, and the
/// last node is the result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Description {
    pub(crate) operands: usize,
    pub(crate) nodes: Vec<Node>,
}

/// A part of an expression. Arguments are indices of earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Node {
    Operand(usize),
    Literal(i64),
    Op { op: IntOp, flags: Vec<&'static str>, predicate: Option<u64>, args: Vec<usize> },
}

/// The predicates of `cmpi`, in the order of their numbers.
const PREDICATES: [&str; 10] = ["eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"];
/// The maximum number of nodes in an expression.
const MAX_NODES: usize = 200;

impl Operations {
    /// Adds or replaces a description.
    ///
    /// # Errors
    /// The reason why the text is not a description.
    pub fn define(&mut self, text: &str) -> Result<(), String> {
        let mut parser = Parser { rest: text, operands: Vec::new(), nodes: Vec::new() };
        let name = parser.word().ok_or("expected the name of an operation")?;
        if name.strip_prefix("arith.").is_some() {
            return Err(format!(
                "'{name}' cannot be described, because operations of arith have a fixed meaning"
            ));
        }
        parser.expect("(")?;
        while !parser.eat(")") {
            if !parser.operands.is_empty() {
                parser.expect(",")?;
            }
            let operand = parser.word().ok_or("expected the name of an operand")?;
            if parser.operands.contains(&operand) {
                return Err(format!("two operands have the name '{operand}'"));
            }
            parser.operands.push(operand);
        }
        parser.expect("=")?;
        let root = parser.expression(0)?;
        if !parser.rest.trim().is_empty() {
            return Err(format!("unexpected '{}' after the expression", parser.rest.trim()));
        }
        let nodes = parser.nodes;
        let cast = |node: &Node| match node {
            Node::Op { op, .. } => {
                matches!(op.signature(), Signature::Widen | Signature::Narrow | Signature::IndexCast)
            }
            _ => false,
        };
        if nodes[..root].iter().any(cast) {
            return Err("a cast to another type must be the whole expression".to_owned());
        }
        if matches!(nodes[root], Node::Literal(_)) {
            return Err("the expression is a number without a type".to_owned());
        }
        let description = Description { operands: parser.operands.len(), nodes };
        if self.by_name.insert(name.to_owned(), description).is_some() {
            self.texts.retain(|other| described_name(other) != name);
        }
        self.texts.push(text.to_owned());
        Ok(())
    }

    /// The known description of the operation that `text` describes, if that description differs from `text`.
    pub(crate) fn other_meaning(&self, text: &str) -> Option<&str> {
        self.texts().find(|other| described_name(other) == described_name(text) && *other != text)
    }

    /// The descriptions, in the order of their definition.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(String::as_str)
    }

    pub(crate) fn find(&self, name: &str) -> Option<&Description> {
        self.by_name.get(name)
    }
}

/// The name of the operation that a text describes.
fn described_name(text: &str) -> &str {
    text.split('(').next().unwrap_or_default().trim()
}

struct Parser<'t> {
    rest: &'t str,
    operands: Vec<&'t str>,
    nodes: Vec<Node>,
}

impl<'t> Parser<'t> {
    fn eat(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, token: &str) -> Result<(), String> {
        if self.eat(token) {
            return Ok(());
        }
        Err(match self.rest.trim() {
            "" => format!("expected '{token}' at the end"),
            found => format!("expected '{token}' before '{found}'"),
        })
    }

    fn word(&mut self) -> Option<&'t str> {
        let rest = self.rest.trim_start();
        let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$' | '-')));
        let (word, rest) = rest.split_at(end.unwrap_or(rest.len()));
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }

    fn add(&mut self, node: Node) -> Result<usize, String> {
        if self.nodes.len() == MAX_NODES {
            return Err(format!("the expression has more than {MAX_NODES} parts"));
        }
        self.nodes.push(node);
        Ok(self.nodes.len() - 1)
    }

    fn expression(&mut self, depth: usize) -> Result<usize, String> {
        if depth > 50 {
            return Err("the expression is nested too deeply".to_owned());
        }
        let word = self.word().ok_or("expected an operand, a number or an operation")?;
        if let Ok(number) = word.parse::<i64>() {
            return self.add(Node::Literal(number));
        }
        if !self.eat("(") {
            return match self.operands.iter().position(|operand| *operand == word) {
                Some(index) => self.add(Node::Operand(index)),
                None => Err(format!("'{word}' is neither an operand nor a number")),
            };
        }
        let mut parts = word.split('.');
        let name = parts.next().unwrap_or_default();
        let op = IntOp::find(name).ok_or_else(|| format!("'{name}' is not an integer operation of arith"))?;
        let (mut flags, mut predicate) = (Vec::new(), None);
        for part in parts {
            let known: &[&'static str] = match op {
                IntOp::Add | IntOp::Sub | IntOp::Mul | IntOp::Shl | IntOp::Trunc => &["nsw", "nuw"],
                IntOp::DivS | IntOp::DivU | IntOp::ShrS | IntOp::ShrU => &["exact"],
                IntOp::ExtU => &["nneg"],
                IntOp::Or => &["disjoint"],
                _ => &[],
            };
            let number = PREDICATES.iter().position(|known| *known == part);
            match (known.iter().find(|known| **known == part), op, number) {
                (Some(flag), ..) if flags.contains(flag) => {
                    return Err(format!("'{name}' has the flag '{part}' twice"));
                }
                (Some(flag), ..) => flags.push(*flag),
                (None, IntOp::Compare, Some(_)) if predicate.is_some() => {
                    return Err(format!("'cmpi' has a second predicate '{part}'"));
                }
                (None, IntOp::Compare, Some(number)) => predicate = Some(number as u64),
                (None, IntOp::Compare, None) => return Err(format!("'cmpi' has no predicate '{part}'")),
                _ => return Err(format!("'{name}' has no flag '{part}'")),
            }
        }
        if op == IntOp::Compare && predicate.is_none() {
            return Err("'cmpi' needs a predicate, as in 'cmpi.slt(a, b)'".to_owned());
        }
        if op.results() != 1 {
            return Err(format!("'{name}' has several results"));
        }
        let mut args = Vec::new();
        while !self.eat(")") {
            if !args.is_empty() {
                self.expect(",")?;
            }
            args.push(self.expression(depth + 1)?);
        }
        if args.len() != op.operands() {
            let takes = count(op.operands(), "argument");
            return Err(format!("'{name}' takes {takes} and has {}", args.len()));
        }
        let literal = |arg: &usize| matches!(self.nodes[*arg], Node::Literal(_));
        let typed = match op.signature() {
            Signature::Select => !(literal(&args[0]) || literal(&args[1]) && literal(&args[2])),
            _ => !args.iter().all(literal),
        };
        if !typed {
            return Err(format!("a number among the arguments of '{name}' has no type"));
        }
        self.add(Node::Op { op, flags, predicate, args })
    }
}

impl Description {
    /// Computes the result, and the bit that is set if the behaviour is undefined. Returns `None` if the number of
    /// operands or the widths do not fit.
    pub(crate) fn apply<D: Bits>(
        &self,
        d: &mut D,
        operands: &[Lane<D::Value>],
        width: u32,
    ) -> Option<(Lane<D::Value>, D::Value)> {
        if operands.len() != self.operands {
            return None;
        }
        let mut undefined = d.boolean(false);
        let mut lanes: Vec<Option<Lane<D::Value>>> = Vec::with_capacity(self.nodes.len());
        let last = self.nodes.len() - 1;
        for (index, node) in self.nodes.iter().enumerate() {
            let lane = match node {
                Node::Operand(at) => Some(operands[*at].clone()),
                // A number takes the width of another argument of the operation that uses it.
                Node::Literal(_) => None,
                Node::Op { op, flags, predicate, args } => {
                    let sibling = args.iter().rev().find_map(|&arg| lanes[arg].as_ref());
                    let sibling = d.width(&sibling?.bits);
                    let mut values = Vec::with_capacity(args.len());
                    for &arg in args {
                        values.push(match (&lanes[arg], &self.nodes[arg]) {
                            (Some(lane), _) => lane.clone(),
                            (None, Node::Literal(value)) => Lane {
                                bits: d.constant(ApInt::from_i64(sibling, *value)),
                                poison: d.boolean(false),
                            },
                            (None, _) => return None,
                        });
                    }
                    let to = match op.signature() {
                        Signature::Comparison => 1,
                        Signature::Widen | Signature::Narrow | Signature::IndexCast if index == last => width,
                        _ => sibling,
                    };
                    let set = |name: &str, d: &mut D| flags.contains(&name).then(|| d.boolean(true));
                    let flags = Flags {
                        nsw: set("nsw", d),
                        nuw: set("nuw", d),
                        exact: set("exact", d),
                        nneg: set("nneg", d),
                        disjoint: set("disjoint", d),
                        predicate: predicate.map(|number| d.constant(ApInt::from_u64(4, number))),
                    };
                    let outcome = op.apply(d, &flags, &values, &[to])?;
                    undefined = d.or(&undefined, &outcome.undefined);
                    outcome.results.into_iter().next()
                }
            };
            lanes.push(lane);
        }
        let result = lanes.pop().flatten()?;
        (d.width(&result.bits) == width).then_some((result, undefined))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::Concrete;

    #[test]
    fn descriptions_compute() {
        let mut operations = Operations::default();
        operations.define("my.abs(x) = select(cmpi.slt(x, 0), subi.nsw(0, x), x)").expect("a description");
        let abs = operations.find("my.abs").expect("defined");
        for (value, want) in [(5, Some(5)), (-5, Some(5)), (-128, None)] {
            let lane = Lane { bits: ApInt::from_i64(8, value), poison: ApInt::zero(1) };
            let (result, undefined) = abs.apply(&mut Concrete, &[lane], 8).expect("eight bits");
            assert!(undefined.is_zero());
            let found = result.poison.is_zero().then(|| result.bits.to_i64()).flatten();
            assert_eq!(found, want, "{value}");
        }
    }

    #[test]
    fn replaced_description_is_not_listed() {
        let (old, new) = ("my.op(a) = addi(a, 1)", "my.op (a) = addi(a, 2)");
        let mut operations = Operations::default();
        for text in [old, "my.other(a) = a", new, new] {
            operations.define(text).expect("a description");
        }
        assert_eq!(operations.texts().collect::<Vec<_>>(), ["my.other(a) = a", new]);
        assert_eq!((operations.other_meaning(old), operations.other_meaning(new)), (Some(new), None));
    }

    #[test]
    fn wrong_descriptions_have_reasons() {
        for (text, want) in [
            ("", "expected the name of an operation"),
            (
                "arith.addi(a, b) = addi(b, a)",
                "'arith.addi' cannot be described, because operations of arith have a fixed meaning",
            ),
            ("my.op(a, a) = a", "two operands have the name 'a'"),
            ("my.op(a) = b", "'b' is neither an operand nor a number"),
            ("my.op(a) = 1", "the expression is a number without a type"),
            ("my.op(a) = addi(1, 2)", "a number among the arguments of 'addi' has no type"),
            ("my.op(a) = addf(a, a)", "'addf' is not an integer operation of arith"),
            ("my.op(a) = cmpi(a, a)", "'cmpi' needs a predicate, as in 'cmpi.slt(a, b)'"),
            ("my.op(a) = addi.exact(a, a)", "'addi' has no flag 'exact'"),
            ("my.op(a) = addi.nsw.nsw(a, a)", "'addi' has the flag 'nsw' twice"),
            ("my.op(a) = cmpi.slt.ugt(a, a)", "'cmpi' has a second predicate 'ugt'"),
            ("my.op(a) = cmpi.less(a, a)", "'cmpi' has no predicate 'less'"),
            ("my.op(a) = addi(a)", "'addi' takes 2 arguments and has 1"),
            ("my.op(a) = extui(a, a)", "'extui' takes 1 argument and has 2"),
            ("my.op(a) = addi(extui(a), a)", "a cast to another type must be the whole expression"),
            ("my.op(a) = addi(a, a", "expected ',' at the end"),
            ("my.op(a) = a b", "unexpected 'b' after the expression"),
        ] {
            assert_eq!(Operations::default().define(text), Err(want.to_owned()), "{text}");
        }
        let deep = format!("my.op(a) = {}a", "xori(a, ".repeat(100));
        assert!(Operations::default().define(&deep).is_err());
    }
}
