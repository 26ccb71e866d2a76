//! The correspondence between a module of the built-in IR and its copy in another host.

use std::cmp::Ordering;
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
const MAX_DIFFERENCES: usize = 5;

/// Returns the operations inside `root` in this order.
fn inside<H: IrMut>(host: &H, root: H::Op, order: WalkOrder) -> Vec<H::Op> {
    let mut ops = Vec::new();
    host.walk(root, order, &mut |op| ops.push(op));
    ops.retain(|&op| op != root);
    ops
}

impl<H: Facets + IrMut> Mirror<H> {
    /// Compares the contents of a module with the contents of `root`.
    pub(super) fn new(builtin: &IrHost, host: &mut H, root: H::Op) -> Self {
        let (values, types, attrs) = Default::default();
        let mut mirror = Self { ops: Vec::new(), values, types, attrs, faults: Vec::new() };
        let top = builtin.module.top();
        let builtin_ops = inside(builtin, top, WalkOrder::Pre);
        let ops = inside(host, root, WalkOrder::Pre);
        let names: Vec<String> =
            builtin_ops.iter().map(|&op| builtin.op_name_text(builtin.op_name(op))).collect();
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
        let pairs = builtin_ops.iter().zip(&ops).zip(names);
        mirror.ops = pairs.map(|((&builtin_op, &op), name)| (builtin_op, op, name)).collect();
        mirror.nesting(builtin, host, (top, root));
        for at in 0..mirror.ops.len() {
            mirror.results(builtin, host, at);
        }
        for at in 0..mirror.ops.len() {
            mirror.operands(builtin, host, at);
            mirror.attributes(builtin, host, at);
        }
        mirror.uses(builtin, host);
        mirror.faults.truncate(MAX_DIFFERENCES);
        mirror
    }

    /// The operations of the built-in IR.
    pub(super) fn builtin_ops(&self) -> Vec<OpId> {
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
        if self.faults.len() < MAX_DIFFERENCES {
            self.faults.push(what);
        }
    }

    fn expect<T: PartialEq + std::fmt::Debug>(&mut self, what: impl Fn() -> String, found: T, expected: T) {
        if found != expected {
            self.fault(format!("{} is {found:?}, expected {expected:?}", what()));
        }
    }

    fn nesting(&mut self, builtin: &IrHost, host: &mut H, (top, root): (OpId, H::Op)) {
        let mut places: HashMap<OpId, H::Op> = self.ops.iter().map(|op| (op.0, op.1)).collect();
        places.insert(top, root);
        let builtin_post = inside(builtin, top, WalkOrder::Post);
        let expected: Vec<_> = builtin_post.iter().map(|op| places[op]).collect();
        let post = inside(host, root, WalkOrder::Post);
        if post != expected {
            self.fault("the post-order walk does not visit the operations in the expected order".to_owned());
        }
        for at in 0..self.ops.len() {
            let (builtin_op, op, _) = self.ops[at];
            let name = self.ops[at].2.clone();
            let parent = builtin.parent_op(builtin_op).map(|parent| places[&parent]);
            let what = format!("parent_op of {}", self.name(at));
            self.expect(|| what.clone(), host.parent_op(op), parent);
            let (bound, read) = (host.bind_op_name(&name), host.op_name(op));
            self.expect(|| format!("bind_op_name({name:?})"), bound, read);
        }
    }

    fn results(&mut self, builtin: &IrHost, host: &mut H, at: usize) {
        let (builtin_op, op, _) = self.ops[at];
        let name = self.name(at);
        let (count, expected) = (host.result_count(op), builtin.result_count(builtin_op));
        self.expect(|| format!("result_count of {name}"), count, expected);
        for i in 0..count.min(expected) {
            let (builtin_value, value) = (builtin.result(builtin_op, i), host.result(op, i));
            let what = format!("result {i} of {name}");
            self.expect(|| format!("defining_op of {what}"), host.defining_op(value), Some(op));
            self.expect(|| format!("result_index of {what}"), host.result_index(value), Some(i));
            self.values.insert(builtin_value, value);
            self.value_type(builtin, host, builtin_value, &what);
        }
    }

    fn operands(&mut self, builtin: &IrHost, host: &mut H, at: usize) {
        let (builtin_op, op, _) = self.ops[at];
        let name = self.name(at);
        let (count, expected) = (host.operand_count(op), builtin.operand_count(builtin_op));
        self.expect(|| format!("operand_count of {name}"), count, expected);
        for i in 0..count.min(expected) {
            let (builtin_value, value) = (builtin.operand(builtin_op, i), host.operand(op, i));
            let what = format!("operand {i} of {name}");
            match self.values.get(&builtin_value) {
                Some(&expected) => self.expect(|| what.clone(), value, expected),
                // A block argument is identified by its first use.
                None => {
                    self.expect(|| format!("defining_op of {what}"), host.defining_op(value), None);
                    self.values.insert(builtin_value, value);
                    self.value_type(builtin, host, builtin_value, &what);
                }
            }
        }
    }

    fn value_type(&mut self, builtin: &IrHost, host: &mut H, builtin_value: ValueId, what: &str) {
        let builtin_type = builtin.value_type(builtin_value);
        let text = builtin.type_text(builtin_type);
        let bound = *self.types.entry(builtin_type).or_insert_with(|| host.bind_type(&text));
        let found = host.value_type(self.values[&builtin_value]);
        self.expect(|| format!("the type of {what}, compared with bind_type({text:?}),"), Some(found), bound);
    }

    fn attributes(&mut self, builtin: &IrHost, host: &mut H, at: usize) {
        let (builtin_op, op, _) = self.ops[at];
        let name = self.name(at);
        for dictionary in [builtin.module.properties(builtin_op), builtin.module.attrs(builtin_op)] {
            for &(attr_name, attr) in builtin.context.entries(dictionary) {
                let key = builtin.context.attr_name_text(attr_name);
                let id: AttrNameId = host.bind_attr_name(key);
                let expected = self.attr(builtin, host, attr);
                let what = || {
                    format!(
                        "attribute '{key}' of {name}, compared with bind_attr({:?}),",
                        builtin.attr_text(attr)
                    )
                };
                match expected {
                    Some(_) => self.expect(what, host.attr(op, id), expected),
                    None => {
                        let text = builtin.attr_text(attr);
                        self.fault(format!("bind_attr({text:?}) gives no attribute '{key}' of {name}"));
                    }
                }
            }
        }
        let absent = host.bind_attr_name("conformance.absent");
        self.expect(|| format!("an absent attribute of {name}"), host.attr(op, absent), None);
    }

    fn attr(&mut self, builtin: &IrHost, host: &mut H, attr: AttrId) -> Option<H::Attr> {
        *self.attrs.entry(attr).or_insert_with(|| host.bind_attr(&builtin.attr_text(attr)))
    }

    /// Compares use lists with operands.
    fn uses(&mut self, builtin: &IrHost, host: &H) {
        let places: HashMap<H::Op, usize> = self.ops.iter().enumerate().map(|(at, op)| (op.1, at)).collect();
        let mut expected: BTreeMap<ValueId, Vec<(usize, u32)>> = BTreeMap::new();
        for (at, op) in self.ops.iter().enumerate() {
            (0..builtin.operand_count(op.0))
                .for_each(|i| expected.entry(builtin.operand(op.0, i)).or_default().push((at, i)));
        }
        let values: Vec<(ValueId, H::Value)> =
            self.values.iter().map(|(&builtin, &value)| (builtin, value)).collect();
        let mut wrong = Vec::new();
        for (builtin_value, value) in values {
            let expected = expected.remove(&builtin_value).unwrap_or_default();
            let uses = uses_of(host, value);
            // At most one use more than expected is read, so that reading ends even if the list is cyclic.
            let uses = uses.take(expected.len() + 1);
            let at = |used| (places.get(&host.use_owner(used)).copied(), host.use_index(used));
            let mut found: Vec<_> = uses.map(at).collect();
            found.sort_unstable();
            if found != expected.iter().map(|&(at, i)| (Some(at), i)).collect::<Vec<_>>() {
                wrong.push((builtin_value, expected.len(), found.len()));
            }
        }
        wrong.sort_unstable();
        for (_, expected, found) in wrong {
            let uses = "first_use and next_use find";
            self.fault(match found.cmp(&expected) {
                Ordering::Less => format!("{uses} {found} uses of a value, expected {expected}"),
                Ordering::Equal => {
                    format!("{uses} {found} uses of a value, but not those that the operands show")
                }
                Ordering::Greater => {
                    format!("{uses} more than {expected} uses of a value, expected {expected}")
                }
            });
        }
    }

    /// True if two bound entities correspond.
    pub(super) fn same(&self, builtin: Option<&Entity<IrHost>>, other: Option<&Entity<H>>) -> bool {
        let value = |builtin: &ValueId, other: &H::Value| self.values.get(builtin) == Some(other);
        let all = |builtin: &[ValueId], other: &[H::Value]| {
            builtin.len() == other.len()
                && builtin.iter().zip(other).all(|(builtin, other)| value(builtin, other))
        };
        let ty =
            |builtin: &TypeId, other: &H::Type| self.types.get(builtin).is_none_or(|ty| *ty == Some(*other));
        let attr = |builtin: &AttrId, other: &H::Attr| {
            self.attrs.get(builtin).is_none_or(|attr| *attr == Some(*other))
        };
        match (builtin, other) {
            (None, None) => true,
            (Some(Entity::Op(builtin)), Some(Entity::Op(other))) => {
                self.ops.iter().any(|op| (op.0, op.1) == (*builtin, *other))
            }
            (Some(Entity::Value(Some(builtin))), Some(Entity::Value(Some(other)))) => value(builtin, other),
            (Some(Entity::Value(None)), Some(Entity::Value(None)))
            | (Some(Entity::Attr(None)), Some(Entity::Attr(None))) => true,
            (Some(Entity::Values(builtin)), Some(Entity::Values(other))) => all(builtin, other),
            (Some(Entity::Type(builtin)), Some(Entity::Type(other))) => ty(builtin, other),
            (Some(Entity::Types(builtin)), Some(Entity::Types(other))) => {
                builtin.len() == other.len()
                    && builtin.iter().zip(other).all(|(builtin, other)| ty(builtin, other))
            }
            (Some(Entity::Attr(Some(builtin))), Some(Entity::Attr(Some(other)))) => attr(builtin, other),
            (Some(Entity::Attrs(builtin)), Some(Entity::Attrs(other))) => {
                builtin.len() == other.len()
                    && builtin.iter().zip(other).all(|(builtin, other)| attr(builtin, other))
            }
            (Some(Entity::Int(builtin)), Some(Entity::Int(other))) => builtin == other,
            (Some(Entity::Bool(builtin)), Some(Entity::Bool(other))) => builtin == other,
            (Some(Entity::Str(builtin)), Some(Entity::Str(other))) => builtin == other,
            (Some(Entity::ApInt(builtin)), Some(Entity::ApInt(other))) => builtin == other,
            (Some(Entity::ApFloat(builtin)), Some(Entity::ApFloat(other))) => builtin == other,
            // Hosts may drop locations.
            (Some(Entity::Location(_)), Some(Entity::Location(_))) => true,
            _ => false,
        }
    }
}
