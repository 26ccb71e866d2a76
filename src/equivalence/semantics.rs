//! An interpreter for `func`, `cf` and `arith`, and a test of refinement.
//!
//! Specification: function A refines function B if, for all inputs, each element of A's results is equal to the
//! corresponding element of B's results, or the element of B's results is poison. For inputs for which the behaviour of
//! B is undefined, A may behave in any way. All NaNs are equal; zeros with different signs are not.
//!
//! Inputs are random, and corner cases of arithmetic are frequent among them. The region of the generator's region
//! operation runs once, and the values that it yields count as results. If the execution reaches an operation or type
//! that the interpreter does not support, the module is not compared further. The caller counts such modules.

use hashbrown::HashMap;

use super::frame::{REGION, YIELD};
use super::random::Random;
use crate::host::{self, ElementValue, Facets};
use crate::ir::{AttrId, AttrKind, BlockId, IrHost, Module, OpId, TypeId, TypeKind, ValueId};
use crate::number::{ApFloat, ApInt};
use crate::semantics::arith::{self, Flags};
use crate::semantics::{Concrete, Element, Lane, Operations, Scalar, Stop};

/// The module cannot be interpreted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Uninterpreted;

/// Inputs that show a change in the meaning of a function.
#[derive(Clone, Debug)]
pub struct MeaningChange {
    /// The index of the function in the module.
    pub function: usize,
    /// The inputs.
    pub inputs: Vec<String>,
    /// The results before rewriting, followed by the values that regions yield.
    pub before: Vec<String>,
    /// The results after rewriting, or `None` if the behaviour is undefined.
    pub after: Option<Vec<String>>,
}

/// Executes a function on integers. `function` is the index of the function in the module. An input or result that is
/// `None` is poison. Returns `None` if the behaviour is undefined. The type `index` has `index_width` bits.
/// `operations` describes operations of other dialects.
///
/// # Errors
/// There is no such function, `inputs` does not fit its parameters, or the execution takes too many steps or reaches an
/// operation or type that is not interpreted.
pub(crate) fn run<'a>(
    host: &'a IrHost,
    module: &'a Module,
    function: usize,
    inputs: &[Option<ApInt>],
    index_width: u32,
    operations: &'a Operations,
) -> Result<Option<Vec<Option<ApInt>>>, String> {
    let uninterpreted = || "the interpreter does not support the module".to_owned();
    let function = module.ops(module.body()).nth(function).ok_or_else(uninterpreted)?;
    let inputs: Vec<Value> = inputs
        .iter()
        .map(|input| vec![input.as_ref().map_or(Scalar::Poison, |value| Scalar::Int(value.clone()))])
        .collect();
    let mut machine = Machine { index_width, operations: Some(operations), ..Machine::new(host, module) };
    match machine.call(function, &inputs) {
        Err(Stop::Undefined) => Ok(None),
        Err(Stop::Uninterpreted) => Err(uninterpreted()),
        Ok(results) => results
            .into_iter()
            .map(|value| match &value[..] {
                [Scalar::Int(value)] => Ok(Some(value.clone())),
                [Scalar::Poison] => Ok(None),
                _ => Err(uninterpreted()),
            })
            .collect::<Result<_, _>>()
            .map(Some),
    }
}

/// The elements of a value. A scalar has one element.
type Value = Vec<Scalar>;

/// The number of random inputs for each function.
const RUNS: u64 = 16;
/// The width of `index`, unless the caller of [`run`] states another width.
const INDEX_WIDTH: u32 = 64;
/// The maximum number of operations in one run.
const STEPS: usize = 20_000;
/// The maximum number of elements of a value.
const ELEMENTS: u64 = 64;

/// Searches for inputs for which the rewritten module `after` does not refine the host's module.
pub(super) fn check(
    host: &IrHost,
    after: &Module,
    random: &Random,
) -> Result<Option<MeaningChange>, Uninterpreted> {
    let functions = |module: &Module| -> Vec<OpId> { module.ops(module.body()).collect() };
    let (old, new) = (functions(&host.module), functions(after));
    if old.len() != new.len() {
        return Err(Uninterpreted);
    }
    for (function, (&old, &new)) in old.iter().zip(&new).enumerate() {
        for run in 0..RUNS {
            let mut random = random.fork(run).fork(function as u64);
            let inputs = inputs(host, old, &mut random)?;
            let before = match Machine::new(host, &host.module).call(old, &inputs) {
                Ok(results) => results,
                Err(Stop::Undefined) => continue,
                Err(Stop::Uninterpreted) => return Err(Uninterpreted),
            };
            let now = match Machine::new(host, after).call(new, &inputs) {
                Ok(results) => Some(results),
                Err(Stop::Undefined) => None,
                Err(Stop::Uninterpreted) => return Err(Uninterpreted),
            };
            let refines = |now: &Vec<Value>| {
                now.len() == before.len()
                    && now.iter().zip(&before).all(|(now, before)| {
                        now.len() == before.len()
                            && now.iter().zip(before).all(|(now, before)| now.refines(before))
                    })
            };
            if !now.as_ref().is_some_and(refines) {
                let texts = |values: &[Value]| values.iter().map(text).collect();
                return Ok(Some(MeaningChange {
                    function,
                    inputs: texts(&inputs),
                    before: texts(&before),
                    after: now.as_deref().map(texts),
                }));
            }
        }
    }
    Ok(None)
}

fn text(value: &Value) -> String {
    match &value[..] {
        [one] => one.text(),
        all => format!("[{}]", all.iter().map(Scalar::text).collect::<Vec<_>>().join(", ")),
    }
}

/// The number of elements of a type, and their type.
fn shape(host: &IrHost, ty: TypeId, index_width: u32) -> Result<(usize, Element), Stop> {
    let kind = host.context.type_kind(ty);
    let element = match kind {
        TypeKind::Vector { scalable, element, .. } if !scalable.contains(&true) => *element,
        TypeKind::RankedTensor { element, .. } => *element,
        TypeKind::Integer { .. } | TypeKind::Index | TypeKind::Float(_) => ty,
        _ => return Err(Stop::Uninterpreted),
    };
    let count = if element == ty { Some(1) } else { kind.element_count() };
    let count = count.filter(|&count| count <= ELEMENTS).ok_or(Stop::Uninterpreted)?;
    let element = match host.context.type_kind(element) {
        TypeKind::Integer { width, .. } if *width > 0 => Element::Int(*width),
        TypeKind::Index => Element::Int(index_width),
        TypeKind::Float(format) => Element::Float(*format),
        _ => return Err(Stop::Uninterpreted),
    };
    Ok((usize::try_from(count).map_err(|_| Stop::Uninterpreted)?, element))
}

/// False for a cast of `arith` between incompatible types, and true for all other operations.
pub(super) fn is_valid_cast(host: &IrHost, op: OpId) -> bool {
    let module = &host.module;
    let name = host.context.op_name_text(module.name(op)).strip_prefix("arith.");
    let (Some(name), [from], Some(to)) = (name, module.operands(op), module.results(op).next()) else {
        return true;
    };
    let element = |value: ValueId| {
        let ty = module.value_type(value);
        let inner = host.context.type_kind(ty).element().unwrap_or(ty);
        let is_index = matches!(host.context.type_kind(inner), TypeKind::Index);
        shape(host, inner, INDEX_WIDTH).ok().map(|(_, element)| (element, is_index))
    };
    element(*from).zip(element(to)).is_none_or(|(from, to)| arith::is_valid_cast(name, from, to))
}

fn inputs(host: &IrHost, function: OpId, random: &mut Random) -> Result<Vec<Value>, Uninterpreted> {
    let module = &host.module;
    let region = module.regions(function).first().ok_or(Uninterpreted)?;
    let entry = module.first_block(*region).ok_or(Uninterpreted)?;
    let input = |&arg: &ValueId| {
        let (count, element) = shape(host, module.value_type(arg), INDEX_WIDTH).map_err(|_| Uninterpreted)?;
        Ok((0..count).map(|_| random_scalar(element, random)).collect())
    };
    module.args(entry).iter().map(input).collect()
}

fn random_scalar(element: Element, random: &mut Random) -> Scalar {
    if random.percent(3) {
        return Scalar::Poison;
    }
    match element {
        Element::Int(width) => {
            let small = |value| ApInt::from_i64(width, value);
            Scalar::Int(match random.below(12) {
                0 => ApInt::zero(width),
                1 => ApInt::one(width),
                2 => ApInt::all_ones(width),
                3 => ApInt::min_signed(width),
                4 => ApInt::max_signed(width),
                5 => small(2),
                6 => ApInt::min_signed(width).wrapping_add(&ApInt::one(width)),
                7 | 8 => small(i64::try_from(random.below(200)).expect("less than 200") - 100),
                _ => ApInt::from_u64(64, random.number()).sext_or_trunc(width),
            })
        }
        Element::Float(format) => {
            let plain =
                [0.0, -0.0, 1.0, -1.0, 0.5, 3.0, -2.75, 1e10, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
            Scalar::Float(match random.below(plain.len() + 3) {
                at if at < plain.len() => ApFloat::from_f64(format, plain[at]),
                _ => ApFloat::from_f64(format, f64::from_bits(random.number())),
            })
        }
    }
}

/// One execution of a function.
struct Machine<'a> {
    host: &'a IrHost,
    module: &'a Module,
    values: HashMap<ValueId, Value>,
    /// The values that regions have yielded.
    yielded: Vec<Value>,
    steps: usize,
    index_width: u32,
    /// The meanings of operations of other dialects.
    operations: Option<&'a Operations>,
}

impl<'a> Machine<'a> {
    fn new(host: &'a IrHost, module: &'a Module) -> Self {
        let (values, yielded) = (HashMap::new(), Vec::new());
        let (index_width, operations) = (INDEX_WIDTH, None);
        Self { host, module, values, yielded, steps: STEPS, index_width, operations }
    }

    fn name(&self, op: OpId) -> &'a str {
        self.host.context.op_name_text(self.module.name(op))
    }

    fn get(&self, value: ValueId) -> Result<Value, Stop> {
        self.values.get(&value).cloned().ok_or(Stop::Uninterpreted)
    }

    fn call(&mut self, function: OpId, inputs: &[Value]) -> Result<Vec<Value>, Stop> {
        if self.name(function) != "func.func" {
            return Err(Stop::Uninterpreted);
        }
        let region = self.module.regions(function).first().ok_or(Stop::Uninterpreted)?;
        let entry = self.module.first_block(*region).ok_or(Stop::Uninterpreted)?;
        if inputs.len() != self.module.args(entry).len() {
            return Err(Stop::Uninterpreted);
        }
        let mut results = self.run(entry, inputs.to_vec(), 0)?;
        results.append(&mut self.yielded);
        Ok(results)
    }

    /// Executes operations from the start of a block on. Returns the values that are returned or yielded.
    fn run(&mut self, mut block: BlockId, mut args: Vec<Value>, depth: usize) -> Result<Vec<Value>, Stop> {
        // Generated IR is nested only a few levels deep.
        if depth > 16 {
            return Err(Stop::Uninterpreted);
        }
        'blocks: loop {
            self.values.extend(self.module.args(block).iter().copied().zip(args));
            for op in self.module.ops(block) {
                self.steps = self.steps.checked_sub(1).ok_or(Stop::Uninterpreted)?;
                let operands: Vec<Value> = self
                    .module
                    .operands(op)
                    .iter()
                    .map(|&value| self.get(value))
                    .collect::<Result<_, _>>()?;
                match self.name(op) {
                    "func.return" | YIELD => return Ok(operands),
                    "cf.br" => {
                        block = *self.module.successors(op).first().ok_or(Stop::Uninterpreted)?;
                        args = operands;
                        continue 'blocks;
                    }
                    "cf.cond_br" => {
                        (block, args) = self.branch(op, operands)?;
                        continue 'blocks;
                    }
                    REGION => {
                        let region = self.module.regions(op).first().ok_or(Stop::Uninterpreted)?;
                        let entry = self.module.first_block(*region).ok_or(Stop::Uninterpreted)?;
                        let yielded = self.run(entry, Vec::new(), depth + 1)?;
                        self.yielded.extend(yielded);
                    }
                    _ => self.step(op, &operands)?,
                }
            }
            return Err(Stop::Uninterpreted);
        }
    }

    fn branch(&self, op: OpId, mut operands: Vec<Value>) -> Result<(BlockId, Vec<Value>), Stop> {
        let sizes = self.attr(op, "operandSegmentSizes").ok_or(Stop::Uninterpreted)?;
        let size = |index| match self.host.attr_element(sizes, index) {
            Some(ElementValue::Int(size)) => size.to_u64().and_then(|size| usize::try_from(size).ok()),
            _ => None,
        };
        let (yes, no) = (size(1).ok_or(Stop::Uninterpreted)?, size(2).ok_or(Stop::Uninterpreted)?);
        if operands.len() != 1 + yes + no {
            return Err(Stop::Uninterpreted);
        }
        let condition = match &operands.remove(0)[..] {
            [Scalar::Int(condition)] => !condition.is_zero(),
            _ => return Err(Stop::Undefined),
        };
        let rest = operands.split_off(yes);
        let target = self.module.successors(op).get(usize::from(!condition)).ok_or(Stop::Uninterpreted)?;
        Ok((*target, if condition { operands } else { rest }))
    }

    fn attr(&self, op: OpId, name: &str) -> Option<AttrId> {
        self.module.attr(&self.host.context, op, self.host.context.find_attr_name(name)?)
    }

    /// Executes an operation that an expression describes, on scalars.
    fn described(&mut self, op: OpId, operands: &[Value]) -> Result<(), Stop> {
        let description = self.operations.and_then(|operations| operations.find(self.name(op)));
        let description = description.ok_or(Stop::Uninterpreted)?;
        let result = self.module.results(op).next().ok_or(Stop::Uninterpreted)?;
        let (1, Element::Int(width)) = shape(self.host, self.module.value_type(result), self.index_width)?
        else {
            return Err(Stop::Uninterpreted);
        };
        let mut lanes = Vec::with_capacity(operands.len());
        for (value, &operand) in operands.iter().zip(self.module.operands(op)) {
            let ty = shape(self.host, self.module.value_type(operand), self.index_width)?;
            lanes.push(match (&value[..], ty) {
                ([Scalar::Int(bits)], _) => Lane { bits: bits.clone(), poison: ApInt::zero(1) },
                ([Scalar::Poison], (1, Element::Int(width))) => {
                    Lane { bits: ApInt::zero(width), poison: ApInt::one(1) }
                }
                _ => return Err(Stop::Uninterpreted),
            });
        }
        let (lane, undefined) = description.apply(&mut Concrete, &lanes, width).ok_or(Stop::Uninterpreted)?;
        if !undefined.is_zero() {
            return Err(Stop::Undefined);
        }
        let scalar = if lane.poison.is_zero() { Scalar::Int(lane.bits) } else { Scalar::Poison };
        self.values.insert(result, vec![scalar]);
        Ok(())
    }

    /// Executes an operation of `arith`, or an operation that an expression describes.
    fn step(&mut self, op: OpId, operands: &[Value]) -> Result<(), Stop> {
        if !self.name(op).starts_with("arith.") {
            return self.described(op, operands);
        }
        let name = self.name(op).strip_prefix("arith.").ok_or(Stop::Uninterpreted)?;
        let results: Vec<ValueId> = self.module.results(op).collect();
        let shapes: Vec<(usize, Element)> = results
            .iter()
            .map(|&value| shape(self.host, self.module.value_type(value), self.index_width))
            .collect::<Result<_, _>>()?;
        let &(count, _) = shapes.first().ok_or(Stop::Uninterpreted)?;
        if name == "constant" {
            let value = self.attr(op, "value").ok_or(Stop::Uninterpreted)?;
            let mut value = self.constant(value, count)?;
            // Attributes of type `index` have 64 bits on every target.
            for scalar in &mut value {
                if let (Scalar::Int(value), Element::Int(width)) = (scalar, shapes[0].1) {
                    *value = value.zext_or_trunc(width);
                }
            }
            self.values.insert(results[0], value);
            return Ok(());
        }
        if shapes.iter().any(|shape| shape.0 != count) {
            return Err(Stop::Uninterpreted);
        }
        let flags = self.flags(op)?;
        let elements: Vec<Element> = shapes.iter().map(|shape| shape.1).collect();
        let mut computed: Vec<Value> = vec![Vec::with_capacity(count); results.len()];
        for at in 0..count {
            let mut args = Vec::with_capacity(operands.len());
            for operand in operands {
                // A scalar condition applies to all elements.
                let whole = name == "select" && operand.len() == 1;
                args.push(operand.get(if whole { 0 } else { at }).ok_or(Stop::Uninterpreted)?);
            }
            if operands
                .iter()
                .any(|operand| operand.len() != count && !(name == "select" && operand.len() == 1))
            {
                return Err(Stop::Uninterpreted);
            }
            let values = arith::apply(name, flags, &args, &elements)?;
            if values.len() != computed.len() {
                return Err(Stop::Uninterpreted);
            }
            computed.iter_mut().zip(values).for_each(|(result, value)| result.push(value));
        }
        self.values.extend(results.into_iter().zip(computed));
        Ok(())
    }

    fn constant(&self, attr: AttrId, count: usize) -> Result<Value, Stop> {
        Ok(match self.host.context.attr_kind(attr) {
            AttrKind::Integer { value, .. } => vec![Scalar::Int(value.clone())],
            AttrKind::Float { value, .. } => vec![Scalar::Float(*value)],
            AttrKind::DenseElements { .. } => {
                let element = |at: usize| match self.host.attr_element(attr, at as u64) {
                    Some(ElementValue::Int(value)) => Ok(Scalar::Int(value)),
                    Some(ElementValue::Float(value)) => Ok(Scalar::Float(value)),
                    _ => Err(Stop::Uninterpreted),
                };
                (0..count).map(element).collect::<Result<_, _>>()?
            }
            _ => return Err(Stop::Uninterpreted),
        })
    }

    fn flags(&self, op: OpId) -> Result<Flags, Stop> {
        let mut flags = Flags::default();
        let context = &self.host.context;
        let dictionaries = [self.module.properties(op), self.module.attrs(op)];
        for &(name, attr) in dictionaries.iter().flat_map(|&dictionary| context.entries(dictionary)) {
            match context.attr_name_text(name) {
                "overflowFlags" => {
                    for word in words(&context.attr_text(attr), "#arith.overflow<")? {
                        match word.as_str() {
                            "none" => {}
                            "nsw" => flags.nsw = true,
                            "nuw" => flags.nuw = true,
                            _ => return Err(Stop::Uninterpreted),
                        }
                    }
                }
                "fastmath" => {
                    for word in words(&context.attr_text(attr), "#arith.fastmath<")? {
                        match word.as_str() {
                            "none" => {}
                            "nnan" => flags.nnan = true,
                            "ninf" => flags.ninf = true,
                            _ => return Err(Stop::Uninterpreted),
                        }
                    }
                }
                "isExact" => flags.exact = true,
                "predicate" => {
                    let predicate = self.host.attr_int(attr).and_then(|value| value.to_u64());
                    flags.predicate = predicate.ok_or(Stop::Uninterpreted)?;
                }
                "roundingmode" => {
                    let nearest = self.host.attr_kind(attr) == host::AttrKind::Integer
                        && self.host.attr_int(attr).is_some_and(|mode| mode.is_zero());
                    if !nearest {
                        return Err(Stop::Uninterpreted);
                    }
                }
                // Other attributes do not change the meaning.
                _ => {}
            }
        }
        Ok(flags)
    }
}

/// The words between `<` and `>`.
fn words(text: &str, start: &str) -> Result<Vec<String>, Stop> {
    let inner =
        text.strip_prefix(start).and_then(|rest| rest.strip_suffix('>')).ok_or(Stop::Uninterpreted)?;
    Ok(inner.split(',').map(|word| word.trim().to_owned()).collect())
}
