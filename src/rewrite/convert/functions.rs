//! The conversion of functions, calls, returns and branches to converted types.
//!
//! Specification: an operation with regions and a `function_type` is legal if the types in its `function_type` and the
//! types of its operands and of its blocks' arguments are legal. A call is legal if the types of its operands and
//! results are legal, and a return or branch is legal if the types of its operands are legal. A branch is converted
//! only if all arguments of its successors have legal types.

use super::state::State;
use crate::host::{
    AttrKind, AttrNameId, AttrSpec, Blocks, ElementValue, Facets, InsertionPoint, Ir, OpNameId, OpState,
    Refusal, TypeKind, TypeSpec, WalkOrder, blocks_of, regions_of,
};
use crate::rewrite::segments::{set_attributes, size_attr, sizes};

/// An operation that the conversion of types rewrites without a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Convertible {
    /// A function, by its `function_type`.
    Function,
    /// `func.call`.
    Call,
    /// `func.return` or `cf.br`, which have any number of operands.
    Operands,
    /// `cf.cond_br` or `cf.switch`, which have groups of operands.
    Groups,
}

impl Convertible {
    /// A description, for messages.
    pub(super) fn rule_name(self) -> &'static str {
        match self {
            Self::Function => "(conversion of functions)",
            Self::Call => "(conversion of calls)",
            Self::Operands => "(conversion of returns and branches)",
            Self::Groups => "(conversion of conditional branches)",
        }
    }
}

/// The types of the inputs and of the results of a function.
type FunctionTypes<H> = (Vec<<H as Ir>::Type>, Vec<<H as Ir>::Type>);

/// The names of the operations and of their attributes.
pub(super) struct Functions {
    call: OpNameId,
    operands: [OpNameId; 2],
    groups: [OpNameId; 2],
    function_type: AttrNameId,
    arg_attrs: AttrNameId,
    res_attrs: AttrNameId,
    sizes: AttrNameId,
    case_sizes: AttrNameId,
    symbol: AttrNameId,
    callee: AttrNameId,
}

impl Functions {
    pub(super) fn new<H: Blocks>(host: &mut H) -> Self {
        Self {
            call: host.bind_op_name("func.call"),
            operands: ["func.return", "cf.br"].map(|name| host.bind_op_name(name)),
            groups: ["cf.cond_br", "cf.switch"].map(|name| host.bind_op_name(name)),
            function_type: host.bind_attr_name("function_type"),
            arg_attrs: host.bind_attr_name("arg_attrs"),
            res_attrs: host.bind_attr_name("res_attrs"),
            sizes: host.bind_attr_name("operandSegmentSizes"),
            case_sizes: host.bind_attr_name("case_operand_segments"),
            symbol: host.bind_attr_name("sym_name"),
            callee: host.bind_attr_name("callee"),
        }
    }

    /// The kind of operations of a name; `None` for functions, which can have any name, and for other operations.
    pub(super) fn kind_of_name(&self, name: OpNameId) -> Option<Convertible> {
        if name == self.call {
            Some(Convertible::Call)
        } else if self.operands.contains(&name) {
            Some(Convertible::Operands)
        } else {
            self.groups.contains(&name).then_some(Convertible::Groups)
        }
    }

    /// The kind of an operation, if it is a function.
    pub(super) fn function_kind<H: Blocks + Facets>(&self, host: &H, op: H::Op) -> Option<Convertible> {
        (host.region_count(op) > 0 && self.signature(host, op).is_some()).then_some(Convertible::Function)
    }

    /// The types of the inputs and results of a function.
    fn signature<H: Blocks + Facets>(&self, host: &H, op: H::Op) -> Option<FunctionTypes<H>> {
        let ty = host.attr_held_type(host.attr(op, self.function_type)?)?;
        let TypeKind::Function { inputs, results } = host.type_kind(ty) else { return None };
        let parts: Option<Vec<_>> = (0..inputs + results).map(|index| host.type_part(ty, index)).collect();
        let mut parts = parts?;
        let results = parts.split_off(inputs as usize);
        Some((parts, results))
    }

    /// True if the types of an operation are legal.
    pub(super) fn is_legal<H: Blocks + Facets>(
        &self,
        state: &mut State<'_, H>,
        op: H::Op,
        kind: Convertible,
    ) -> bool {
        let mut values: Vec<H::Value> =
            (0..state.host.operand_count(op)).map(|index| state.host.operand(op, index)).collect();
        let mut types = Vec::new();
        match kind {
            Convertible::Call => {
                values.extend((0..state.host.result_count(op)).map(|index| state.host.result(op, index)));
            }
            Convertible::Function => {
                if let Some((inputs, results)) = self.signature(state.host, op) {
                    types.extend(inputs.into_iter().chain(results));
                }
                for region in regions_of(state.host, op).collect::<Vec<_>>() {
                    for block in blocks_of(state.host, region).collect::<Vec<_>>() {
                        values.extend(state.args(block));
                    }
                }
            }
            Convertible::Operands | Convertible::Groups => {}
        }
        types.extend(values.into_iter().map(|value| state.host.value_type(value)));
        types.into_iter().all(|ty| state.is_legal_type(ty))
    }

    /// Converts the types of an operation.
    pub(super) fn convert<H: Blocks + Facets>(
        &self,
        state: &mut State<'_, H>,
        op: H::Op,
        kind: Convertible,
    ) -> Result<(), Refusal> {
        if kind == Convertible::Function {
            return self.convert_function(state, op);
        }
        let mut operands = Vec::new();
        for index in 0..state.host.operand_count(op) {
            operands.push(state.converted(state.host.operand(op, index))?);
        }
        match kind {
            Convertible::Call => self.convert_call(state, op, &operands),
            Convertible::Groups => self.convert_groups(state, op, &operands),
            _ => {
                let operands = operands.concat();
                state.modify(op, |host, op| host.set_operands(op, &operands));
                Ok(())
            }
        }
    }

    fn convert_function<H: Blocks + Facets>(
        &self,
        state: &mut State<'_, H>,
        op: H::Op,
    ) -> Result<(), Refusal> {
        let none = || Refusal::new("the function has no function type");
        let (inputs, results) = self.signature(state.host, op).ok_or_else(none)?;
        let mut converted = [Vec::new(), Vec::new()];
        let mut counts = Vec::new();
        for (types, to) in [&inputs, &results].into_iter().zip(&mut converted) {
            for &ty in types {
                let types = state.convert_type(ty)?;
                counts.push(types.len());
                to.extend_from_slice(types);
            }
        }
        let [inputs_to, results_to] = converted;
        let spec = TypeSpec::Function { inputs: inputs_to, results: results_to };
        let refusal = || Refusal::new("the host cannot make the function type");
        let ty = state.host.make_type(&spec).ok_or_else(refusal)?;
        let value = state.host.make_attr(&AttrSpec::Type(ty)).ok_or_else(refusal)?;
        let (arg_counts, result_counts) = counts.split_at(inputs.len());
        let arg_attrs = converted_attrs(state.host, op, self.arg_attrs, arg_counts)?;
        let res_attrs = converted_attrs(state.host, op, self.res_attrs, result_counts)?;
        for region in regions_of(state.host, op).collect::<Vec<_>>() {
            state.convert_region_types(region)?;
        }
        let mut new = vec![(self.function_type, value)];
        new.extend(arg_attrs.map(|attrs| (self.arg_attrs, attrs)));
        new.extend(res_attrs.map(|attrs| (self.res_attrs, attrs)));
        state.modify(op, |host, op| set_attributes(host, op, &new));
        Ok(())
    }

    fn convert_call<H: Blocks + Facets>(
        &self,
        state: &mut State<'_, H>,
        op: H::Op,
        operands: &[Vec<H::Value>],
    ) -> Result<(), Refusal> {
        let (mut types, mut counts) = (Vec::new(), Vec::new());
        for index in 0..state.host.result_count(op) {
            let ty = state.host.value_type(state.host.result(op, index));
            let converted = state.convert_type(ty)?;
            counts.push(converted.len());
            types.extend_from_slice(converted);
        }
        let mut attributes = state.host.attributes(op);
        let arg_counts: Vec<usize> = operands.iter().map(Vec::len).collect();
        for (name, counts) in [(self.arg_attrs, &arg_counts), (self.res_attrs, &counts)] {
            if let Some(attrs) = converted_attrs(state.host, op, name, counts)? {
                attributes.iter_mut().filter(|attr| attr.name == name).for_each(|attr| attr.value = attrs);
            }
        }
        let new = state.create(
            InsertionPoint::Before(op),
            &OpState {
                name: state.host.op_name(op),
                operands: &operands.concat(),
                result_types: &types,
                attributes: &attributes,
                regions: 0,
                location: state.host.location(op),
            },
            &[],
        )?;
        let mut results = (0..state.host.result_count(new)).map(|index| state.host.result(new, index));
        let with: Vec<Vec<H::Value>> =
            counts.into_iter().map(|count| results.by_ref().take(count).collect()).collect();
        drop(results);
        state.replace(op, &with)
    }

    fn convert_groups<H: Blocks + Facets>(
        &self,
        state: &mut State<'_, H>,
        op: H::Op,
        operands: &[Vec<H::Value>],
    ) -> Result<(), Refusal> {
        let mut attributes = Vec::new();
        let sizes = sizes(state.host, op, self.sizes)
            .ok_or_else(|| Refusal::new("the branch has no valid operandSegmentSizes"))?;
        let new = regrouped(&sizes, operands)?;
        attributes.push((self.sizes, size_attr(state.host, &new)?));
        // The last group of a switch is divided into groups itself.
        if let Some(cases) = sizes_or_none(state.host, op, self.case_sizes) {
            let last = sizes.last().copied().unwrap_or(0).min(operands.len());
            let new = regrouped(&cases, &operands[operands.len() - last..])?;
            attributes.push((self.case_sizes, size_attr(state.host, &new)?));
        }
        let operands = operands.concat();
        state.modify(op, |host, op| {
            host.set_operands(op, &operands);
            set_attributes(host, op, &attributes);
        });
        Ok(())
    }

    /// A call whose types differ from those of the called function, and this function. Only calls of the functions in
    /// `changed` are checked.
    pub(super) fn stale_call<H: Blocks + Facets>(
        &self,
        host: &H,
        root: H::Op,
        changed: &[H::Op],
    ) -> Option<(H::Op, H::Op)> {
        let mut functions = hashbrown::HashMap::new();
        for &op in changed {
            let name = host.attr(op, self.symbol).and_then(|name| host.attr_string(name));
            if let (Some(name), Some(signature)) = (name, self.signature(host, op)) {
                functions.insert(name, (op, signature));
            }
        }
        let mut stale = None;
        host.walk(root, WalkOrder::Pre, &mut |op| {
            let Some(callee) = host.attr(op, self.callee).filter(|_| stale.is_none()) else { return };
            if host.attr_kind(callee) != AttrKind::SymbolRef || host.op_name(op) != self.call {
                return;
            }
            let Some((function, (inputs, results))) =
                host.attr_string(callee).and_then(|name| functions.get(&name))
            else {
                return;
            };
            let operands = (0..host.operand_count(op)).map(|i| host.value_type(host.operand(op, i)));
            let given = (0..host.result_count(op)).map(|i| host.value_type(host.result(op, i)));
            if !operands.eq(inputs.iter().copied()) || !given.eq(results.iter().copied()) {
                stale = Some((op, *function));
            }
        });
        stale
    }
}

/// The attributes of converted arguments or results. An argument or result that becomes exactly one keeps its
/// attributes; the attributes of all others are dropped. `None` if the attributes do not change.
fn converted_attrs<H: Blocks + Facets>(
    host: &mut H,
    op: H::Op,
    name: AttrNameId,
    counts: &[usize],
) -> Result<Option<H::Attr>, Refusal> {
    let Some(old) = host.attr(op, name) else { return Ok(None) };
    if counts.iter().all(|&count| count == 1) || !matches!(host.attr_kind(old), AttrKind::Array { .. }) {
        return Ok(None);
    }
    let refusal = || Refusal::new("the host cannot make the attributes of the arguments or results");
    let empty = host.make_attr(&AttrSpec::Dictionary(Vec::new())).ok_or_else(refusal)?;
    let mut attrs = Vec::new();
    for (index, &count) in (0..).zip(counts) {
        let old = match host.attr_element(old, index) {
            Some(ElementValue::Attr(attr)) if count == 1 => attr,
            _ => empty,
        };
        attrs.extend(std::iter::repeat_n(old, count));
    }
    host.make_attr(&AttrSpec::Array(attrs)).ok_or_else(refusal).map(Some)
}

fn sizes_or_none<H: Facets>(host: &H, op: H::Op, name: AttrNameId) -> Option<Vec<usize>> {
    host.attr(op, name)?;
    sizes(host, op, name)
}

/// The sizes of the groups after each operand was replaced by any number of operands.
fn regrouped<V>(sizes: &[usize], operands: &[Vec<V>]) -> Result<Vec<usize>, Refusal> {
    let mut rest = operands;
    let mut new = Vec::new();
    for &size in sizes {
        let group = rest.split_at_checked(size);
        let (group, after) = group.ok_or_else(|| Refusal::new("the groups of operands have wrong sizes"))?;
        new.push(group.iter().map(Vec::len).sum());
        rest = after;
    }
    Ok(new)
}
