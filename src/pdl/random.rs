//! Random rules over a small vocabulary, for tests that compare engines. The small vocabulary makes matches frequent.

use crate::host::{Entity, Ir, Kind, Natives, Signature, arg};
use crate::pdl::builder::PatternBuilder;
use crate::pdl::match_part::{Arg, GroupSplit, Node, NodeId, OperandGroup, ValueSource};
use crate::pdl::rule_set::RuleSet;

/// Decisions from bytes. After the last byte, every decision is the first choice.
pub(crate) struct Tape<'a> {
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> Tape<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes: bytes.iter() }
    }

    /// A number below `n`.
    pub(crate) fn draw(&mut self, n: usize) -> usize {
        usize::from(self.bytes.next().copied().unwrap_or(0)) % n
    }

    /// True in one of `n` cases. After the last byte, the result is false unless `n` is 1.
    pub(crate) fn chance(&mut self, n: usize) -> bool {
        self.draw(n) == n - 1
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.len() == 0
    }
}

pub(crate) const NAMES: [&str; 4] = ["t.a", "t.b", "t.c", "t.d"];
pub(crate) const TYPES: [&str; 3] = ["i32", "i64", "tensor<2xi32>"];
/// Plain constants, and an attribute that is not plain.
pub(crate) const ATTRS: [&str; 5] = ["0 : i32", "1 : i32", "2 : i32", "-1 : i32", "#t.x"];
pub(crate) const ATTR_NAMES: [&str; 2] = ["v", "w"];

/// The natives that the rules call. `is_i32` is true for the host's type `i32`.
pub(crate) fn natives<H: Ir>(is_i32: impl Fn(&H, H::Type) -> bool + Send + Sync + 'static) -> Natives<H> {
    let one = |results: &[Kind]| Signature { params: None, ..Signature::new([], results.iter().copied()) };
    Natives::new()
        .constraint("has_operands", |ir: &H, op: arg::Op<H>| ir.operand_count(op.0) > 0)
        .constraint("is_i32", move |ir: &H, ty: arg::Type<H>| is_i32(ir, ty.0))
        .constraint("defined", |ir: &H, value: arg::Value<H>| ir.defining_op(value.0).is_some())
        .constraint("some", |_: &H, values: Vec<arg::Value<H>>| !values.is_empty())
        .constraint_with("attr_v", one(&[Kind::Attr]), true, |ir: &H, args| {
            let Entity::Op(op) = args[0] else { return None };
            let found = (0..100).map(crate::host::AttrNameId::from_raw).find_map(|name| ir.attr(op, name));
            found.map(|attr| vec![Entity::Attr(Some(attr))])
        })
        .constraint_with("first_operand", one(&[Kind::Value]), false, |ir: &H, args| {
            let Entity::Op(op) = args[0] else { return None };
            (ir.operand_count(op) > 0).then(|| vec![Entity::Value(Some(ir.operand(op, 0)))])
        })
}

/// Rules that match and do nothing. Rules that do not verify are left out.
pub(crate) fn rules(bytes: &[u8]) -> RuleSet {
    generate(bytes, false)
}

/// Rules that replace or erase the root of a match. Some of their rewrites are refused.
pub(crate) fn rewriting_rules(bytes: &[u8]) -> RuleSet {
    generate(bytes, true)
}

fn generate(bytes: &[u8], rewriting: bool) -> RuleSet {
    let tape = &mut Tape::new(bytes);
    let mut rules = RuleSet::default();
    for i in 0..16 {
        if tape.is_empty() {
            break;
        }
        let benefit = u16::try_from(tape.draw(4)).expect("below four");
        let rule = rules.pattern(&format!("p{i}"), benefit);
        let mut generator = RuleGenerator {
            tape,
            rule,
            values: vec![],
            ranges: vec![],
            types: vec![],
            attrs: vec![],
            ops: vec![],
        };
        let root = generator.rule(benefit);
        if rewriting {
            generator.rewrite(root);
        }
        let _ = generator.rule.finish();
    }
    rules
}

struct RuleGenerator<'t, 'a, 'r> {
    tape: &'t mut Tape<'a>,
    rule: PatternBuilder<'r>,
    values: Vec<NodeId>,
    ranges: Vec<NodeId>,
    types: Vec<NodeId>,
    attrs: Vec<NodeId>,
    ops: Vec<NodeId>,
}

impl RuleGenerator<'_, '_, '_> {
    fn rule(&mut self, benefit: u16) -> NodeId {
        let either = self.tape.chance(4);
        let root = self.op(2, either);
        self.rule.root(root);
        if !either && self.tape.chance(3) {
            self.user();
        }
        for _ in 0..self.tape.draw(3) {
            self.constraint();
        }
        if self.tape.chance(4) {
            self.rule.benefit_if(benefit, "has_operands", [root]);
            for lower in (0..benefit).rev().take(self.tape.draw(3)) {
                self.rule.benefit_if(lower, "has_operands", [self.ops[self.tape.draw(self.ops.len())]]);
            }
        }
        if self.tape.chance(4) {
            let unused = self.rule.attr_constant(ATTRS[self.tape.draw(ATTRS.len())]);
            self.attrs.push(unused);
        }
        root
    }

    fn rewrite(&mut self, root: NodeId) {
        if self.tape.chance(5) {
            self.rule.erase(root);
            return;
        }
        let value = Self::reuse(self.tape, &self.values, 1);
        if let Some(value) = value.filter(|_| self.tape.chance(3)) {
            self.rule.replace(root, [value]);
            return;
        }
        let ty = self.rule.make_type(TYPES[self.tape.draw(TYPES.len())]);
        let attr = self.rule.make_attr(ATTRS[self.tape.draw(ATTRS.len())]);
        let mut new = self.rule.create(NAMES[self.tape.draw(NAMES.len())]).attr("v", attr).result_type(ty);
        if let Some(value) = value {
            for _ in 0..self.tape.draw(3) {
                new = new.operand(value);
            }
        }
        let new = new.created();
        self.rule.replace_by_op(root, new);
    }

    fn reuse(tape: &mut Tape<'_>, nodes: &[NodeId], n: usize) -> Option<NodeId> {
        if nodes.is_empty() || !tape.chance(n) { None } else { Some(nodes[tape.draw(nodes.len())]) }
    }

    fn ty(&mut self) -> NodeId {
        if let Some(node) = Self::reuse(self.tape, &self.types, 3) {
            return node;
        }
        let ty = if self.tape.chance(3) {
            self.rule.type_constant(TYPES[self.tape.draw(TYPES.len())])
        } else {
            self.rule.any_type()
        };
        self.types.push(ty);
        ty
    }

    fn op(&mut self, depth: usize, either: bool) -> NodeId {
        let named = !self.tape.chance(4);
        let name = NAMES[self.tape.draw(NAMES.len())];
        let mut groups = None;
        let mut split = GroupSplit::Rest;
        let mut ones = Vec::new();
        if !self.tape.chance(4) {
            let mut list = Vec::new();
            if self.tape.chance(6) {
                // Two open groups.
                split = if self.tape.chance(2) {
                    GroupSplit::Equal
                } else {
                    GroupSplit::Attribute(self.rule.rules().strings.intern("seg"))
                };
                for _ in 0..2 {
                    let group = self.open_group(depth);
                    list.push(group);
                }
            } else {
                let mut open = false;
                for i in 0..self.tape.draw(4) {
                    if !open && self.tape.chance(7) {
                        open = true;
                        let group = self.open_group(depth);
                        list.push(group);
                    } else if self.tape.chance(9) {
                        let values = (0..2).map(|_| self.value(depth)).collect();
                        list.push(OperandGroup::List(values));
                    } else {
                        ones.push(u32::try_from(i).expect("small"));
                        list.push(OperandGroup::One(self.value(depth)));
                    }
                }
            }
            groups = Some(list);
        }
        let mut edges = Vec::new();
        for attr in ATTR_NAMES {
            if self.tape.chance(3) {
                let node = self.attr();
                edges.push((attr, node, self.tape.draw(4)));
            }
        }
        let results: Option<Vec<NodeId>> = self.tape.chance(2).then(|| {
            let mut any = false;
            (0..self.tape.draw(3))
                .map(|_| {
                    if !any && self.tape.chance(4) {
                        any = true;
                        let types: &[&str] = &["i32", "i64"][..self.tape.draw(3)];
                        if self.tape.chance(3) {
                            self.rule.types_constant(types)
                        } else {
                            self.rule.any_types()
                        }
                    } else {
                        self.ty()
                    }
                })
                .collect()
        });
        let mut op = if named { self.rule.op(name) } else { self.rule.any_op() };
        for (attr, node, presence) in edges {
            op = match presence {
                0 | 1 => op.attr(attr, node),
                2 => op.optional_attr(attr, node),
                _ => op.default_attr(attr, node, ATTRS[1]),
            };
        }
        for &ty in results.iter().flatten() {
            op = op.result_type(ty);
        }
        if results.as_ref().is_some_and(Vec::is_empty) {
            op = op.no_results();
        }
        if let (true, [a, .., b]) = (either, &ones[..]) {
            op = op.either(*a, *b);
        }
        if groups.as_ref().is_some_and(Vec::is_empty) {
            op = op.no_operands();
        }
        for group in groups.into_iter().flatten() {
            op = op.group(group);
        }
        let op = op.operand_split(split).matched();
        self.ops.push(op);
        op
    }

    fn open_group(&mut self, depth: usize) -> OperandGroup {
        match self.tape.draw(3) {
            0 => OperandGroup::Any,
            1 => OperandGroup::Optional(self.value(depth)),
            _ => OperandGroup::Range(self.range(depth)),
        }
    }

    fn range(&mut self, depth: usize) -> NodeId {
        if let Some(node) = Self::reuse(self.tape, &self.ranges, 4) {
            return node;
        }
        let range = if depth > 0 && self.tape.chance(3) {
            let op = self.op(depth - 1, false);
            self.rule.results(op)
        } else if self.tape.chance(3) {
            let types = self.rule.types_constant(&["i32", "i64"][..self.tape.draw(3)]);
            self.rule.values_of(types)
        } else {
            self.rule.values()
        };
        self.ranges.push(range);
        range
    }

    fn value(&mut self, depth: usize) -> NodeId {
        if let Some(node) = Self::reuse(self.tape, &self.values, 4) {
            return node;
        }
        let value = if depth > 0 && self.tape.chance(2) {
            let op = self.op(depth - 1, false);
            match self.tape.draw(4) {
                0 | 1 => self.rule.result(op, 0),
                2 => self.rule.result(op, 1),
                _ => self.rule.defined_by(op),
            }
        } else if self.tape.chance(4) {
            let ty = self.ty();
            self.rule.value_of(ty)
        } else {
            self.rule.value()
        };
        self.values.push(value);
        value
    }

    fn attr(&mut self) -> NodeId {
        if let Some(node) = Self::reuse(self.tape, &self.attrs, 4) {
            return node;
        }
        let attr = match self.tape.draw(4) {
            0 => self.rule.any_attr(),
            1 => {
                let ty = self.ty();
                self.rule.attr_of(ty)
            }
            _ => self.rule.attr_constant(ATTRS[self.tape.draw(ATTRS.len())]),
        };
        self.attrs.push(attr);
        attr
    }

    /// Adds an operation that uses an existing value. Adds nothing if the rule has no value to use.
    fn user(&mut self) {
        let from = if self.tape.chance(2) && !self.ops.is_empty() {
            let op = self.ops[self.tape.draw(self.ops.len())];
            self.rule.node(Node::Value { ty: None, source: Some(ValueSource::Result { op, index: 0 }) })
        } else {
            match Self::reuse(self.tape, &self.values, 1) {
                Some(value) => value,
                None => return,
            }
        };
        let other = self.tape.chance(2).then(|| self.value(0));
        let mut op =
            if self.tape.chance(2) { self.rule.op(NAMES[self.tape.draw(4)]) } else { self.rule.any_op() };
        if self.tape.chance(2) {
            op = op.operand(from);
            if let Some(other) = other {
                op = op.operand(other);
            }
        } else {
            if let Some(other) = other {
                op = op.optional_operand(other);
            }
            op = op.operand(from);
        }
        let op = op.matched();
        self.ops.push(op);
    }

    fn constraint(&mut self) {
        let op = self.ops[self.tape.draw(self.ops.len())];
        let forbid = self.tape.chance(3);
        let (name, arg) = match self.tape.draw(6) {
            0 => ("has_operands", op),
            1 if !self.types.is_empty() => ("is_i32", self.types[self.tape.draw(self.types.len())]),
            2 if !self.values.is_empty() => ("defined", self.values[self.tape.draw(self.values.len())]),
            3 if !self.ranges.is_empty() => ("some", self.ranges[self.tape.draw(self.ranges.len())]),
            4 => {
                let found = self.rule.constraint_with_results("attr_v", [Arg::Of(op)], &[Kind::Attr]);
                self.attrs.extend(found);
                return;
            }
            5 => {
                let found = self.rule.constraint_with_results("first_operand", [Arg::Of(op)], &[Kind::Value]);
                self.values.extend(found);
                return;
            }
            _ => ("has_operands", op),
        };
        if forbid {
            self.rule.forbid(name, [Arg::Of(arg)]);
        } else {
            self.rule.constraint(name, [Arg::Of(arg)]);
        }
    }
}
