//! The correspondence between a module of the built-in IR and its copy in another host.

use std::collections::BTreeMap;

use hashbrown::HashMap;

use crate::host::{AttrNameId, Entity, Facets, Ir, IrMut, OpNameId, WalkOrder, uses_of};
use crate::ir::{AttrId, IrHost, OpId, TypeId, ValueId};

/// The pairs of corresponding operations and values, and the differences found.
pub(super) struct Mirror<H: Ir> {
    /// The operations inside the module in walk order, with their names.
    ops: Vec<(OpId, H::Op, String)>,
    values: HashMap<ValueId, H::Value>,
    types: HashMap<TypeId, Option<H::Type>>,
    attrs: HashMap<AttrId, Option<H::Attr>>,
    /// Short descriptions of the differences.
    pub(super) faults: Vec<String>,
}

/// The maximum number of reported differences.
const ENOUGH: usize = 5;

/// Returns the operations inside `root` in this order.
fn inside<H: IrMut>(host: &H, root: H::Op, order: WalkOrder) -> Vec<H::Op> {
    let mut ops = Vec::new();
    host.walk(root, order, &mut |op| ops.push(op));
    ops.retain(|&op| op != root);
    ops
}

impl<H: Facets + IrMut> Mirror<H> {
    /// Compares the contents of a module with the contents of `root`.
    pub(super) fn new(own: &IrHost, host: &mut H, root: H::Op) -> Self {
        let (values, types, attrs) = Default::default();
        let mut mirror = Self { ops: Vec::new(), values, types, attrs, faults: Vec::new() };
        let top = own.module.top();
        let own_ops = inside(own, top, WalkOrder::Pre);
        let ops = inside(host, root, WalkOrder::Pre);
        let names: Vec<String> = own_ops.iter().map(|&op| own.op_name_text(own.op_name(op))).collect();
        // Some hosts number only the names that were bound.
        let bound: Vec<OpNameId> = names.iter().map(|name| host.bind_op_name(name)).collect();
        let text = |&op: &H::Op| match host.op_name(op) {
            name if bound.contains(&name) => host.op_name_text(name),
            _ => "?".to_owned(),
        };
        let found: Vec<String> = ops.iter().map(text).collect();
        if names != found {
            let (found, expected) = (found.join(", "), names.join(", "));
            mirror.fault(format!("the operations are [{found}], expected [{expected}]"));
            return mirror;
        }
        let pairs = own_ops.iter().zip(&ops).zip(names);
        mirror.ops = pairs.map(|((&own_op, &op), name)| (own_op, op, name)).collect();
        mirror.nesting(own, host, (top, root));
        for at in 0..mirror.ops.len() {
            mirror.results(own, host, at);
        }
        for at in 0..mirror.ops.len() {
            mirror.operands(own, host, at);
            mirror.attributes(own, host, at);
        }
        mirror.uses(own, host);
        mirror.faults.truncate(ENOUGH);
        mirror
    }

    /// The operations of the built-in IR.
    pub(super) fn own_ops(&self) -> Vec<OpId> {
        self.ops.iter().map(|op| op.0).collect()
    }

    /// The operations of the host.
    pub(super) fn ops(&self) -> Vec<H::Op> {
        self.ops.iter().map(|op| op.1).collect()
    }

    /// Returns the name of an operation for messages.
    pub(super) fn name(&self, at: usize) -> String {
        format!("operation {} '{}'", at + 1, self.ops[at].2)
    }

    fn fault(&mut self, what: String) {
        if self.faults.len() < ENOUGH {
            self.faults.push(what);
        }
    }

    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, what: impl Fn() -> String, found: T, expected: T) {
        if found != expected {
            self.fault(format!("{} is {found:?}, expected {expected:?}", what()));
        }
    }

    fn nesting(&mut self, own: &IrHost, host: &mut H, (top, root): (OpId, H::Op)) {
        let mut places: HashMap<OpId, H::Op> = self.ops.iter().map(|op| (op.0, op.1)).collect();
        places.insert(top, root);
        let own_post = inside(own, top, WalkOrder::Post);
        let expected: Vec<_> = own_post.iter().map(|op| places[op]).collect();
        let post = inside(host, root, WalkOrder::Post);
        if post != expected {
            self.fault("the post-order walk visits the operations in another order".to_owned());
        }
        for at in 0..self.ops.len() {
            let (own_op, op, _) = self.ops[at];
            let name = self.ops[at].2.clone();
            let parent = own.parent_op(own_op).map(|parent| places[&parent]);
            let what = format!("parent_op of {}", self.name(at));
            self.expect(|| what.clone(), host.parent_op(op), parent);
            let (bound, read) = (host.bind_op_name(&name), host.op_name(op));
            self.expect(|| format!("bind_op_name({name:?})"), bound, read);
        }
    }

    fn results(&mut self, own: &IrHost, host: &mut H, at: usize) {
        let (own_op, op, _) = self.ops[at];
        let name = self.name(at);
        let (count, expected) = (host.result_count(op), own.result_count(own_op));
        self.expect(|| format!("result_count of {name}"), count, expected);
        for i in 0..count.min(expected) {
            let (own_value, value) = (own.result(own_op, i), host.result(op, i));
            let what = format!("result {i} of {name}");
            self.expect(|| format!("defining_op of {what}"), host.defining_op(value), Some(op));
            self.expect(|| format!("result_index of {what}"), host.result_index(value), Some(i));
            self.values.insert(own_value, value);
            self.value_type(own, host, own_value, &what);
        }
    }

    fn operands(&mut self, own: &IrHost, host: &mut H, at: usize) {
        let (own_op, op, _) = self.ops[at];
        let name = self.name(at);
        let (count, expected) = (host.operand_count(op), own.operand_count(own_op));
        self.expect(|| format!("operand_count of {name}"), count, expected);
        for i in 0..count.min(expected) {
            let (own_value, value) = (own.operand(own_op, i), host.operand(op, i));
            let what = format!("operand {i} of {name}");
            match self.values.get(&own_value) {
                Some(&expected) => self.expect(|| what.clone(), value, expected),
                // A block argument is identified by its first use.
                None => {
                    self.expect(|| format!("defining_op of {what}"), host.defining_op(value), None);
                    self.values.insert(own_value, value);
                    self.value_type(own, host, own_value, &what);
                }
            }
        }
    }

    fn value_type(&mut self, own: &IrHost, host: &mut H, own_value: ValueId, what: &str) {
        let own_type = own.value_type(own_value);
        let text = own.type_text(own_type);
        let bound = *self.types.entry(own_type).or_insert_with(|| host.bind_type(&text));
        let found = host.value_type(self.values[&own_value]);
        self.expect(|| format!("the type of {what}, compared with bind_type({text:?}),"), Some(found), bound);
    }

    fn attributes(&mut self, own: &IrHost, host: &mut H, at: usize) {
        let (own_op, op, _) = self.ops[at];
        let name = self.name(at);
        for dictionary in [own.module.properties(own_op), own.module.attrs(own_op)] {
            for &(attr_name, attr) in own.context.entries(dictionary) {
                let key = own.context.attr_name_text(attr_name);
                let id: AttrNameId = host.bind_attr_name(key);
                let expected = self.attr(own, host, attr);
                let what = || {
                    format!(
                        "attribute '{key}' of {name}, compared with bind_attr({:?}),",
                        own.attr_text(attr)
                    )
                };
                match expected {
                    Some(_) => self.expect(what, host.attr(op, id), expected),
                    None => self.fault(format!("{} cannot be bound", what())),
                }
            }
        }
        let absent = host.bind_attr_name("conformance.absent");
        self.expect(|| format!("an absent attribute of {name}"), host.attr(op, absent), None);
    }

    fn attr(&mut self, own: &IrHost, host: &mut H, attr: AttrId) -> Option<H::Attr> {
        *self.attrs.entry(attr).or_insert_with(|| host.bind_attr(&own.attr_text(attr)))
    }

    /// Compares use lists with operands.
    fn uses(&mut self, own: &IrHost, host: &H) {
        let places: HashMap<H::Op, usize> = self.ops.iter().enumerate().map(|(at, op)| (op.1, at)).collect();
        let mut expected: BTreeMap<ValueId, Vec<(usize, u32)>> = BTreeMap::new();
        for (at, op) in self.ops.iter().enumerate() {
            (0..own.operand_count(op.0))
                .for_each(|i| expected.entry(own.operand(op.0, i)).or_default().push((at, i)));
        }
        let values: Vec<(ValueId, H::Value)> =
            self.values.iter().map(|(&own, &value)| (own, value)).collect();
        let mut wrong = Vec::new();
        for (own_value, value) in values {
            let expected = expected.remove(&own_value).unwrap_or_default();
            let uses = uses_of(host, value);
            // Reading one more use than the list can have ends the walk of a cyclic list.
            let uses = uses.take(expected.len() + 1);
            let at = |used| (places.get(&host.use_owner(used)).copied(), host.use_index(used));
            let mut found: Vec<_> = uses.map(at).collect();
            found.sort_unstable();
            if found != expected.iter().map(|&(at, i)| (Some(at), i)).collect::<Vec<_>>() {
                wrong.push((own_value, expected.len(), found.len()));
            }
        }
        wrong.sort_unstable();
        for (_, expected, found) in wrong {
            self.fault(format!(
                "a value has {expected} uses, but first_use and next_use find {found}, or different ones"
            ));
        }
    }

    /// True if two bound entities correspond.
    pub(super) fn same(&self, own: Option<&Entity<IrHost>>, other: Option<&Entity<H>>) -> bool {
        let value = |own: &ValueId, other: &H::Value| self.values.get(own) == Some(other);
        let all = |own: &[ValueId], other: &[H::Value]| {
            own.len() == other.len() && own.iter().zip(other).all(|(own, other)| value(own, other))
        };
        let ty = |own: &TypeId, other: &H::Type| self.types.get(own).is_none_or(|ty| *ty == Some(*other));
        let attr =
            |own: &AttrId, other: &H::Attr| self.attrs.get(own).is_none_or(|attr| *attr == Some(*other));
        match (own, other) {
            (None, None) => true,
            (Some(Entity::Op(own)), Some(Entity::Op(other))) => {
                self.ops.iter().any(|op| (op.0, op.1) == (*own, *other))
            }
            (Some(Entity::Value(Some(own))), Some(Entity::Value(Some(other)))) => value(own, other),
            (Some(Entity::Value(None)), Some(Entity::Value(None)))
            | (Some(Entity::Attr(None)), Some(Entity::Attr(None))) => true,
            (Some(Entity::Values(own)), Some(Entity::Values(other))) => all(own, other),
            (Some(Entity::Type(own)), Some(Entity::Type(other))) => ty(own, other),
            (Some(Entity::Types(own)), Some(Entity::Types(other))) => {
                own.len() == other.len() && own.iter().zip(other).all(|(own, other)| ty(own, other))
            }
            (Some(Entity::Attr(Some(own))), Some(Entity::Attr(Some(other)))) => attr(own, other),
            (Some(Entity::Attrs(own)), Some(Entity::Attrs(other))) => {
                own.len() == other.len() && own.iter().zip(other).all(|(own, other)| attr(own, other))
            }
            (Some(Entity::Int(own)), Some(Entity::Int(other))) => own == other,
            (Some(Entity::Bool(own)), Some(Entity::Bool(other))) => own == other,
            (Some(Entity::Str(own)), Some(Entity::Str(other))) => own == other,
            (Some(Entity::ApInt(own)), Some(Entity::ApInt(other))) => own == other,
            (Some(Entity::ApFloat(own)), Some(Entity::ApFloat(other))) => own == other,
            _ => false,
        }
    }
}
