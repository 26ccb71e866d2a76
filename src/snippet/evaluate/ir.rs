//! Built-ins over values and operations, matchers of constants, accessors, and creation of operations.

use std::sync::PoisonError;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::convert::number_of;
use super::error::{fail, index_out_of_range};
use super::evaluator::Evaluator;
use super::value::{Args, AttrRef, Evaluated, TypeRef, Val};
use crate::host::{
    AttrKind, AttrSpec, ElementValue, Facets, Folded, MAX_REGIONS, NamedAttr, OpState, Refusal, TypeSpec,
};
use crate::number::{ApFloat, ApInt};
use crate::snippet::data::{
    Builtin, Expr, ExprList, FoldTraits, GroupRef, Member, PlanArg, PlanId, PlanResults,
};

/// The number of steps that a fold takes.
const FOLD_COST: u64 = 100;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_ir(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        let arg = args.take(1);
        Ok(match op {
            B::TypeOf => match &on {
                Val::Attr(a) => match self.attr_type(a) {
                    Some(t) => Val::Type(t),
                    None if self.attr_kind(a) == AttrKind::Other => {
                        return fail(format!("only C++ code knows the type of {}", self.attr_text(a)));
                    }
                    None => Val::Type(self.make_type(TypeSpec::None)?),
                },
                other => Val::Type(TypeRef::Host(self.host().value_type(self.value(other)?))),
            },
            B::HasOneUse | B::UseEmpty => {
                let wanted = usize::from(op == B::HasOneUse);
                let mut count = 0;
                for value in self.values(&on)? {
                    let mut next = self.host().first_use(value);
                    while let Some(used) = next.filter(|_| count <= wanted) {
                        self.step(1)?;
                        count += usize::from(!self.access.erases(self.host().use_owner(used)));
                        next = self.host().next_use(used);
                    }
                }
                Val::Bool(count == wanted)
            }
            B::Uses => Val::range(self.uses(&on)?.into_iter().map(Val::Use).collect()),
            B::Users => {
                let uses = self.uses(&on)?;
                Val::range(uses.into_iter().map(|u| Val::Op(self.host().use_owner(u))).collect())
            }
            B::Owner => match on {
                Val::Use(used) => Val::Op(self.host().use_owner(used)),
                other => return fail(format!("{} has no owner", other.variant_name())),
            },
            B::DefiningOp => {
                let value = self.value(&on)?;
                self.host().defining_op(value).map_or(Val::Null, Val::Op)
            }
            B::ResultNumber => match self.host().result_index(self.value(&on)?) {
                Some(index) => Val::Int(i128::from(index)),
                None => return fail("a block argument has no result number"),
            },
            B::LocationOf => match &on {
                Val::Value(value) if self.host().defining_op(*value).is_none() => {
                    let (ir, blocks) = self.access.blocks()?;
                    blocks.arg_location(ir, *value).map_or(Val::Null, Val::Location)
                }
                on => Val::Location(self.host().location(self.op(on)?)),
            },
            B::OpResult => return self.single_result(self.op(&on)?),
            B::OpResultAt => {
                let op = self.op(&on)?;
                let index = self.nth(&arg, self.host().result_count(op))?;
                Val::Value(self.host().result(op, index))
            }
            B::OpResults => {
                let op = Val::Op(self.op(&on)?);
                Val::Range(self.items(&op)?)
            }
            B::OpOperandAt => {
                let op = self.op(&on)?;
                let index = self.nth(&arg, self.host().operand_count(op))?;
                Val::Value(self.host().operand(op, index))
            }
            B::OpOperands => {
                let op = self.op(&on)?;
                let count = self.host().operand_count(op);
                self.step(u64::from(count))?;
                Val::range((0..count).map(|i| Val::Value(self.host().operand(op, i))).collect())
            }
            B::OpOperandTypes => {
                let op = self.op(&on)?;
                let count = self.host().operand_count(op);
                self.step(u64::from(count))?;
                let ty = |i| self.host().value_type(self.host().operand(op, i));
                Val::range((0..count).map(|i| Val::Type(TypeRef::Host(ty(i)))).collect())
            }
            B::OpNumOperands => Val::Int(i128::from(self.host().operand_count(self.op(&on)?))),
            B::OpNumResults => Val::Int(i128::from(self.host().result_count(self.op(&on)?))),
            B::OpName => {
                let name = self.host().op_name(self.op(&on)?);
                Val::str(self.host().op_name_text(name))
            }
            B::DialectNamespace => {
                let name = self.string(&on)?;
                Val::str(name.split('.').next().unwrap_or_default())
            }
            B::OpAttr | B::OpHasAttr => {
                let name = self.string(&arg)?;
                let op_id = self.op(&on)?;
                let attr = self.host().find_attr_name(&name).and_then(|name| self.host().attr(op_id, name));
                match op {
                    B::OpHasAttr => Val::Bool(attr.is_some()),
                    _ => attr.map_or(Val::Null, |a| Val::Attr(AttrRef::Host(a))),
                }
            }
            B::MatchPattern => return self.match_pattern(&on, &arg),
            B::MatchConstant => {
                let output = if args.len() == 0 { None } else { u32::try_from(on.int()?).ok() };
                Val::Matcher(op, output)
            }
            _ if op.is_constant_matcher() => Val::Matcher(op, None),
            B::ReplaceOp | B::EraseOp => {
                let replaced = self.op(&on)?;
                let with = match op {
                    B::EraseOp => None,
                    _ => {
                        let items = self.items(&arg)?;
                        self.step(items.len() as u64)?;
                        Some(items.iter().map(|item| self.value(item)).collect::<Result<Vec<_>, _>>()?)
                    }
                };
                self.access.replace(replaced, with.as_deref())?;
                Val::Null
            }
            B::ConstantOf => self.constant(&on)?.map_or(Val::Null, Val::Attr),
            B::ConstantInt | B::ConstantFloat => {
                let Some(value) = self.constant(&on)? else { return Ok(Val::Null) };
                match (op, self.scalar(&value)) {
                    (B::ConstantInt, (Some(int), _)) => Val::ApInt(int),
                    (B::ConstantFloat, (_, Some(float))) => Val::ApFloat(float),
                    _ => Val::Null,
                }
            }
            B::UseIndex | B::UseValue => {
                let Val::Use(used) = on else { return fail(format!("{} is not a use", on.variant_name())) };
                let index = self.host().use_index(used);
                match op {
                    B::UseIndex => Val::Int(index.into()),
                    _ => Val::Value(self.host().operand(self.host().use_owner(used), index)),
                }
            }
            B::ParentOp => self.host().parent_op(self.op(&on)?).map_or(Val::Null, Val::Op),
            B::OpAttributes | B::DiscardableAttributes => {
                let of = self.op(&on)?;
                let mut attrs = self.all_attrs(of)?;
                if op == B::DiscardableAttributes {
                    attrs.retain(|(name, _)| !self.is_inherent(of, name));
                }
                self.step(attrs.len() as u64)?;
                let named = |(name, value): (String, H::Attr)| {
                    Val::Tuple(vec![Val::str(name), Val::Attr(AttrRef::Host(value))].into())
                };
                Val::range(attrs.into_iter().map(named).collect())
            }
            B::SetAttr | B::SetDiscardableAttr | B::SetInherentAttr => {
                let name = self.string(&arg)?;
                let of = self.op(&on)?;
                let value = match args.take(2) {
                    Val::Attr(AttrRef::Host(value)) => Some(value),
                    // Null removes an inherent attribute.
                    Val::Null if self.is_inherent(of, &name) => None,
                    other => return fail(format!("{} is given as an attribute", other.variant_name())),
                };
                if op == B::SetDiscardableAttr {
                    self.require_discardable(of, &name)?;
                }
                if op == B::SetInherentAttr && !self.is_inherent(of, &name) {
                    return fail(format!("the attribute '{name}' is set as inherent, but it is discardable"));
                }
                self.access.set_attr(of, &name, value)?;
                Val::Null
            }
            B::RemoveAttr | B::RemoveDiscardableAttr => {
                let name = self.string(&arg)?;
                let of = self.op(&on)?;
                if op == B::RemoveDiscardableAttr && self.is_inherent(of, &name) {
                    return Ok(Val::Null);
                }
                let had = self.host().find_attr_name(&name).and_then(|name| self.host().attr(of, name));
                self.access.set_attr(of, &name, None)?;
                had.map_or(Val::Null, |a| Val::Attr(AttrRef::Host(a)))
            }
            B::SetAttrs | B::SetDiscardableAttrs => {
                let of = self.op(&on)?;
                let old = self.all_attrs(of)?;
                let items = self.items(&arg)?;
                self.step((old.len() + items.len()) as u64)?;
                let mut new = Vec::with_capacity(items.len());
                for item in items.iter() {
                    let (name, value) = item.as_entry()?;
                    let AttrRef::Host(value) = value else {
                        return fail("an entry of a dictionary has no attribute");
                    };
                    new.push((self.string(name)?, *value));
                }
                if op == B::SetDiscardableAttrs {
                    new.iter().try_for_each(|(name, _)| self.require_discardable(of, name))?;
                }
                // Inherent attributes stay, unless the list has new values for them.
                let names: HashSet<String, FxBuildHasher> =
                    new.iter().map(|(name, _)| name.to_string()).collect();
                for (name, _) in old.iter().filter(|(name, _)| !names.contains(name)) {
                    if !self.is_inherent(of, name) {
                        self.access.set_attr(of, name, None)?;
                    }
                }
                for (name, value) in new {
                    self.access.set_attr(of, &name, Some(value))?;
                }
                Val::Null
            }
            B::RangeTypes => return self.range_types(&on),
            B::Context => Val::Null,
            // Null is the unknown location.
            B::UnknownLoc => Val::Null,
            B::Global => {
                let key = self.string(&on)?;
                let globals = self.linked.globals.lock().unwrap_or_else(PoisonError::into_inner);
                globals.get(&key).cloned().map_or(arg, Val::from)
            }
            B::SetGlobal => {
                let (key, value) = (self.string(&on)?, number_of(&arg)?);
                self.linked.globals.lock().unwrap_or_else(PoisonError::into_inner).insert(key, value);
                arg
            }
            _ => return fail("the snippet is malformed"),
        })
    }

    /// The names and values of all attributes of an operation.
    fn all_attrs(&self, op: H::Op) -> Result<Vec<(String, H::Attr)>, Refusal> {
        self.host().list_attrs(op).ok_or_else(|| Refusal::new("the host does not list attributes"))
    }

    /// True if an attribute of this name is inherent in an operation.
    fn is_inherent(&self, op: H::Op, name: &str) -> bool {
        self.host().find_attr_name(name).is_some_and(|name| self.host().is_inherent(op, name))
    }

    /// Fails if an attribute of this name is inherent in an operation.
    fn require_discardable(&self, op: H::Op, name: &str) -> Result<(), Refusal> {
        match self.is_inherent(op, name) {
            true => fail(format!("the attribute '{name}' is set as discardable, but it is inherent")),
            false => Ok(()),
        }
    }

    /// The results of an operation, or the value itself.
    fn values(&self, on: &Val<H>) -> Result<Vec<H::Value>, Refusal> {
        match on {
            Val::Op(op) => {
                Ok((0..self.host().result_count(*op)).map(|i| self.host().result(*op, i)).collect())
            }
            other => Ok(vec![self.value(other)?]),
        }
    }

    pub(super) fn uses(&mut self, on: &Val<H>) -> Result<Vec<H::Use>, Refusal> {
        let mut uses = Vec::new();
        for value in self.values(on)? {
            let mut next = self.host().first_use(value);
            while let Some(used) = next {
                self.step(1)?;
                if !self.access.erases(self.host().use_owner(used)) {
                    uses.push(used);
                }
                next = self.host().next_use(used);
            }
        }
        Ok(uses)
    }

    pub(super) fn nth(&self, index: &Val<H>, count: u32) -> Result<u32, Refusal> {
        let index = index.int()?;
        match u32::try_from(index) {
            Ok(i) if i < count => Ok(i),
            _ => index_out_of_range(index, count as usize),
        }
    }

    pub(super) fn range_types(&mut self, on: &Val<H>) -> Evaluated<H> {
        let items = self.items(on)?;
        self.step(items.len() as u64)?;
        let types = items.iter().map(|item| match item {
            Val::Type(_) => Ok(item.clone()),
            other => Ok(Val::Type(TypeRef::Host(self.host().value_type(self.value(other)?)))),
        });
        types.collect::<Result<Vec<_>, Refusal>>().map(Val::range)
    }

    /// The value of the constant operation that defines a value; `None` if no constant operation defines it. An
    /// attribute is its own value.
    fn constant(&self, on: &Val<H>) -> Result<Option<AttrRef<H>>, Refusal> {
        let op = match on {
            Val::Attr(a) => return Ok(Some(a.clone())),
            Val::Null => return fail("null is matched against a pattern"),
            Val::Op(op) => Some(*op),
            other => self.host().defining_op(self.value(other)?),
        };
        Ok(op.and_then(|op| self.linked.constant_of(self.host(), op)).map(AttrRef::Host))
    }

    fn match_pattern(&mut self, on: &Val<H>, matcher: &Val<H>) -> Evaluated<H> {
        let Val::Matcher(kind, output) = *matcher else {
            return fail("a value is matched against something that is not a matcher");
        };
        let Some(value) = self.constant(on)? else { return Ok(Val::Bool(false)) };
        if kind == Builtin::MatchConstant {
            return Ok(Val::Bool(match output {
                Some(output) => self.assign(output, Val::Attr(value))?,
                None => true,
            }));
        }
        let (int, float) = self.scalar(&value);
        Ok(Val::Bool(match kind {
            Builtin::MatchZero => int.is_some_and(|x| x.is_zero()),
            Builtin::MatchOne => int.is_some_and(|x| x.is_one()),
            Builtin::MatchNonZero => int.is_some_and(|x| !x.is_zero()),
            Builtin::MatchZeroFloat => float.is_some_and(ApFloat::is_zero),
            Builtin::MatchPosZeroFloat => float.is_some_and(|x| x.is_zero() && !x.is_negative()),
            Builtin::MatchNegZeroFloat => float.is_some_and(|x| x.is_zero() && x.is_negative()),
            Builtin::MatchPosInfinity => float.is_some_and(|x| x.is_infinite() && !x.is_negative()),
            Builtin::MatchNegInfinity => float.is_some_and(|x| x.is_infinite() && x.is_negative()),
            Builtin::MatchOneFloat => float.is_some_and(ApFloat::is_one),
            _ => float.is_some_and(ApFloat::is_nan),
        }))
    }

    /// The integer or float of a numeric attribute or of a splat.
    pub(super) fn scalar(&self, a: &AttrRef<H>) -> (Option<ApInt>, Option<ApFloat>) {
        if let AttrKind::DenseElements { splat: true, .. } = self.attr_kind(a) {
            return match self.attr_element(a, 0) {
                Some(ElementValue::Int(x)) => (Some(x), None),
                Some(ElementValue::Float(x)) => (None, Some(x)),
                _ => (None, None),
            };
        }
        (self.attr_int(a), self.attr_float(a))
    }

    pub(super) fn member(&mut self, on: Val<H>, member: Member) -> Evaluated<H> {
        match member {
            Member::Attr(name) | Member::UnitAttr(name) => {
                let op = self.op(&on)?;
                let name = self.linked.attr_names.get(&name);
                let attr = name.and_then(|name| self.host().attr(op, *name));
                Ok(match member {
                    Member::UnitAttr(_) => Val::Bool(attr.is_some()),
                    _ => attr.map_or(Val::Null, |a| Val::Attr(AttrRef::Host(a))),
                })
            }
            Member::Param(class, index) => self.body_param(&on, class, index),
            Member::Operands(group) => {
                let op = self.op(&on)?;
                let count = self.host().operand_count(op);
                self.group(op, group, count, |host, i| host.operand(op, i))
            }
            Member::Results(group) => {
                let op = self.op(&on)?;
                let count = self.host().result_count(op);
                self.group(op, group, count, |host, i| host.result(op, i))
            }
        }
    }

    fn group(
        &mut self,
        op: H::Op,
        group: GroupRef,
        count: u32,
        at: impl Fn(&H, u32) -> H::Value,
    ) -> Evaluated<H> {
        let refusal = || Refusal::new("an operation does not have the operands or results of its definition");
        let range = match group {
            GroupRef::One(index) if index < count => return Ok(Val::Value(at(self.host(), index))),
            GroupRef::One(_) => return Err(refusal()),
            GroupRef::FromEnd(back) => {
                let index = count.checked_sub(back).and_then(|i| i.checked_sub(1)).ok_or_else(refusal)?;
                return Ok(Val::Value(at(self.host(), index)));
            }
            GroupRef::Rest { before, after } => {
                let end = count.checked_sub(after).filter(|end| *end >= before).ok_or_else(refusal)?;
                before..end
            }
            GroupRef::Equal { fixed_before, open_before, fixed, open } => {
                let left = count.checked_sub(fixed).ok_or_else(refusal)?;
                let size = left.checked_div(open).filter(|size| size * open == left).ok_or_else(refusal)?;
                let start = open_before.checked_mul(size).and_then(|s| s.checked_add(fixed_before));
                let start = start.ok_or_else(refusal)?;
                start..start.checked_add(size).ok_or_else(refusal)?
            }
            GroupRef::Segment { sizes, index } => {
                let name = self.linked.attr_names.get(&sizes).copied();
                let attr = name.and_then(|name| self.host().attr(op, name)).ok_or_else(refusal)?;
                let sizes = self.ints(&Val::Attr(AttrRef::Host(attr)))?;
                let size = |s: &i128| u32::try_from(*s).map_err(|_| refusal());
                let before = sizes
                    .iter()
                    .take(index as usize)
                    .try_fold(0_u32, |sum, s| sum.checked_add(size(s)?).ok_or_else(refusal))?;
                let length = size(sizes.get(index as usize).ok_or_else(refusal)?)?;
                before..before.checked_add(length).ok_or_else(refusal)?
            }
        };
        if range.end > count {
            return Err(refusal());
        }
        self.step(u64::from(range.end - range.start))?;
        Ok(Val::range(range.map(|i| Val::Value(at(self.host(), i))).collect()))
    }

    /// Creates an operation from a location and the arguments of a plan. If `order` is true and no attribute stores the
    /// sizes of operand groups, constant operands come last.
    pub(super) fn create(&mut self, plan: PlanId, values: &[Val<H>], order: bool) -> Evaluated<H> {
        let snippets = self.snippets;
        let Some(plan) = snippets.plans.get(plan) else { return fail("the snippet is malformed") };
        let Some((location, args)) = values.split_first().filter(|(_, args)| args.len() == plan.args.len())
        else {
            return fail("the snippet is malformed");
        };
        let (location, is_known) = match location {
            Val::Location(location) => (*location, true),
            Val::Null => (self.access.root_location()?, false),
            _ => return fail("an operation is created without a location"),
        };
        let mut operands = Vec::new();
        let mut firsts = Vec::new();
        let mut sizes = Vec::new();
        let mut types = Vec::new();
        let mut attributes = Vec::new();
        let mut successors = Vec::new();
        for (value, role) in args.iter().zip(&plan.args) {
            match role {
                PlanArg::ResultTypes => {
                    for t in self.items(value)?.iter() {
                        types.push(self.host_type(t)?);
                    }
                }
                PlanArg::Operand => {
                    let group = if value.is_null() { Vec::new().into() } else { self.items(value)? };
                    firsts.push(group.first().map(|v| self.value(v)).transpose()?);
                    sizes.push(ApInt::from_u64(32, group.len() as u64));
                    for value in group.iter() {
                        operands.push(self.value(value)?);
                    }
                }
                PlanArg::Successors if value.is_null() => return fail("null is used as a block"),
                PlanArg::Successors => {
                    for item in self.items(value)?.iter() {
                        successors.push(self.block(item)?);
                    }
                }
                PlanArg::Attr(name) => match value {
                    Val::Null => {}
                    Val::Attr(AttrRef::Host(value)) => {
                        let Some(&name) = self.linked.attr_names.get(name) else {
                            return fail("the snippet is malformed");
                        };
                        attributes.push(NamedAttr { name, value: *value, inherent: true });
                    }
                    other => return fail(format!("{} is given as an attribute", other.variant_name())),
                },
            }
        }
        match &plan.results {
            PlanResults::Given => {}
            PlanResults::OfOperand(group, count) => {
                let Some(Some(first)) = firsts.get(*group as usize).copied() else {
                    return fail("the operand that determines the result types of an operation is absent");
                };
                let t = self.host().value_type(first);
                self.step(u64::from(*count))?;
                types.extend(std::iter::repeat_n(t, *count as usize));
            }
            PlanResults::OfAttr(name) => {
                let name = self.linked.attr_names.get(name);
                let attr = attributes.iter().find(|a| Some(&a.name) == name);
                match attr.and_then(|a| self.host().attr_type(a.value)) {
                    Some(t) => types.push(t),
                    None => {
                        return fail(
                            "the attribute that determines the result type of an operation has no type",
                        );
                    }
                }
            }
            PlanResults::Fixed(texts) => {
                for &text in texts {
                    let t = self.make_type(TypeSpec::Text(snippets.str(text).to_owned()))?;
                    types.push(self.host_type(&Val::Type(t))?);
                }
            }
        }
        if order && plan.operand_segments.is_none() {
            // The sort is stable.
            operands.sort_by_key(|&operand| self.constant_attr(operand).is_some());
        }
        if let Some(name) = plan.operand_segments {
            let element = self.signless(32)?;
            let value = self.make_attr(AttrSpec::DenseArray(sizes, element))?;
            if let (Some(&name), Val::Attr(AttrRef::Host(value))) = (self.linked.attr_names.get(&name), value)
            {
                attributes.push(NamedAttr { name, value, inherent: true });
            }
        }
        let Some(name) = self.linked.op_name(plan.op) else { return fail("the snippet is malformed") };
        if plan.regions > MAX_REGIONS {
            return fail("the snippet is malformed");
        }
        let state = OpState {
            name,
            operands: &operands,
            result_types: &types,
            attributes: &attributes,
            regions: plan.regions,
            location,
        };
        let op = self.access.create(&state, &successors)?;
        if !is_known {
            self.access.forget_location(op);
        }
        Ok(Val::Op(op))
    }

    /// `createOrFold`: creates an operation, and erases it again if it folds. The arguments are the expression that
    /// creates the operation, and the traits by which it folds.
    pub(super) fn create_folded(&mut self, list: ExprList) -> Evaluated<H> {
        let &[create, traits] = self.list(list) else { return fail("the snippet is malformed") };
        let traits = self.eval(traits)?.int()?;
        let orders = traits & FoldTraits::COMMUTATIVE != 0;
        let created = match self.snippets.exprs.get(create) {
            Some(&Expr::Create(plan, args)) => {
                let plan_of = self.snippets.plans.get(plan);
                if plan_of.is_some_and(|plan| plan.args.contains(&PlanArg::Successors)) {
                    return fail("an operation with successors is not folded");
                }
                let values = self.values_of(args)?;
                self.create(plan, &values, orders)?
            }
            // Folding would move the constant operands to the end. This is only possible before the creation.
            Some(_) if orders => return fail("a commutative operation that a builder creates is not folded"),
            // A builder creates the operation.
            _ => self.eval(create)?,
        };
        let op = self.op(&created)?;
        let result = self.single_result(op)?;
        match self.fold_created(op, traits)? {
            Some(value) => {
                self.access.discard(op);
                Ok(Val::Value(value))
            }
            None => Ok(result),
        }
    }

    /// The value to which `OpBuilder::tryFold` folds a new operation with one result; `None` if it does not fold the
    /// operation.
    fn fold_created(&mut self, op: H::Op, traits: i128) -> Result<Option<H::Value>, Refusal> {
        if self.linked.constant_of(self.host(), op).is_some() {
            return Ok(None);
        }
        let result = self.host().result(op, 0);
        let name = self.host().op_name(op);
        if let Some(by) = self.linked.folds.get(&name) {
            loop {
                self.step(FOLD_COST)?;
                let operands = (0..self.host().operand_count(op)).map(|index| self.host().operand(op, index));
                let constants: Vec<_> = operands.map(|operand| self.constant_attr(operand)).collect();
                let value = match self.access.fold(op, by, &constants).as_deref() {
                    // The operation changed in place.
                    Some([]) => continue,
                    Some(&[Folded::Value(value)]) => Some(value),
                    Some(&[Folded::Attr(attr)]) => self.access.materialize(by, attr, result, op),
                    Some(_) => None,
                    None => break,
                };
                let ty = self.host().value_type(result);
                return Ok(value.filter(|&value| value != result && self.host().value_type(value) == ty));
            }
        }
        let count = self.host().operand_count(op);
        if count == 0 || traits & (FoldTraits::IDEMPOTENT | FoldTraits::INVOLUTION) == 0 {
            return Ok(None);
        }
        let first = self.host().operand(op, 0);
        let inner = self.host().defining_op(first).filter(|&inner| self.host().op_name(inner) == name);
        let repeats = if count == 1 { inner.is_some() } else { self.host().operand(op, 1) == first };
        let folded = match inner {
            _ if traits & FoldTraits::IDEMPOTENT != 0 && repeats => first,
            Some(inner) if traits & FoldTraits::INVOLUTION != 0 && self.host().operand_count(inner) > 0 => {
                self.host().operand(inner, 0)
            }
            _ => return Ok(None),
        };
        Ok(Some(folded).filter(|&value| self.host().value_type(value) == self.host().value_type(result)))
    }

    /// The attribute of a value that a constant operation defines.
    fn constant_attr(&self, value: H::Value) -> Option<H::Attr> {
        let op = self.host().defining_op(value)?;
        self.linked.constant_of(self.host(), op)
    }

    pub(super) fn host_type(&self, value: &Val<H>) -> Result<H::Type, Refusal> {
        value.as_type()?.host().ok_or_else(|| Refusal::new("the IR does not have the type"))
    }
}
