//! Plans the rewrite of a rule from its result patterns.
//!
//! The results of the root are assigned to the last patterns, from the last pattern backwards. The patterns before
//! these are auxiliary and run first; supplemental patterns run last.

use super::dag::{self, Head, Item, Leaf, binder, head, item, span_of};
use super::error;
use super::graph::MatchGraph;
use super::names::{self, Reference};
use super::plan::{
    Argument, ArgumentValue, Creation, Located, Location, Native, NativeCall, Producer, ReturnType, Role,
    TakenRegion, TopPattern, TypesOf,
};
use super::session::{Reported, RuleContext, Try, collect, text};
use super::symbols::{CallId, CreationId, Symbol, split_index};
use crate::frontend::ods::{ArgKind, Op, OpId};
use crate::frontend::tablegen::{Dag, DagArg, Record};
use crate::host::{Kind, MAX_REGIONS};
use crate::id::IdVec;
use crate::pdl::{Arity, NodeId, Trait};
use crate::source::{Diagnostic, Span};
use crate::stack::with_room;

/// Plans the result patterns of a rule, in the order of their evaluation. A pattern with errors has no plan.
pub(super) fn plan<'a>(
    rule: &mut RuleContext<'_, '_, 'a>,
    graph: &mut MatchGraph<'a>,
    patterns: &[Dag<'a>],
    supplemental: &[Dag<'a>],
) -> Try<Vec<Try<TopPattern<'a>>>> {
    let Some(root) = graph.root_op else { return Err(Reported) };
    let mut planner = Planner { rule, graph, root, creations: IdVec::default(), calls: IdVec::default() };
    let mut result = Ok(());
    for pattern in patterns {
        result = result.and(planner.bind_symbols(*pattern, 0));
    }
    result?;
    let (offsets, first) = planner.offsets(patterns)?;
    let mut planned = Vec::new();
    for (i, pattern) in patterns.iter().enumerate() {
        let group = usize::try_from(offsets[i]).ok();
        planned.push(if i < first {
            planner.auxiliary(*pattern, group)
        } else {
            planner.replacing(*pattern, group)
        });
    }
    for pattern in supplemental {
        planned.push(planner.auxiliary(*pattern, None));
    }
    Ok(planned)
}

/// The maximum number of results of a native call.
const RETURN_LIMIT: usize = 1 << 16;

/// The use of an argument. The use decides the nested patterns and leaves that the argument may be.
#[derive(Clone, Copy)]
enum Place<'n> {
    /// One value, which may be optional, or an element of a `variadic` list.
    Value,
    /// An operand that is a range.
    Range(&'n str, usize),
    /// An attribute.
    Attribute(&'n str, usize),
    /// A property.
    Property(&'n str, usize),
    /// An argument of a native call.
    Native,
}

/// The planning of one rule's rewrite.
struct Planner<'r, 'c, 's, 'a> {
    rule: &'r mut RuleContext<'c, 's, 'a>,
    graph: &'r mut MatchGraph<'a>,
    root: OpId,
    creations: IdVec<CreationId, ()>,
    calls: IdVec<CallId, ()>,
}

impl<'a> Planner<'_, '_, '_, 'a> {
    /// Binds the symbols of a result pattern, before any pattern is planned.
    fn bind_symbols(&mut self, pattern: Dag<'a>, depth: usize) -> Try<()> {
        let span = self.rule.place(pattern.span());
        self.rule.check_depth(depth, span)?;
        let records = self.rule.defs.records;
        let symbol = pattern.operator_name();
        let mut directive = |symbol: Option<&str>, name: &str| match symbol {
            Some(symbol) => Err(self.rule.fail(error::bind_directive(symbol, name, span))),
            None => Ok(()),
        };
        let mut result = match head(records, &pattern) {
            Head::Op(record) => self.rule.op_of(record, span).and_then(|op| match symbol {
                Some(symbol) => {
                    let created = Symbol::Created { op, creation: None };
                    self.graph.bind(self.rule, split_index(symbol).0, created, span)
                }
                None => Ok(()),
            }),
            Head::Native(record) => match symbol {
                Some(symbol) => {
                    let called = Symbol::Called { count: self.returns(record, span)?, call: None };
                    self.graph.bind(self.rule, split_index(symbol).0, called, span)
                }
                None => Ok(()),
            },
            Head::Nothing => Err(self.rule.fail(error::head_not_a_record(span))),
            Head::ReplaceWithValue => directive(symbol, "replaceWithValue"),
            Head::Location => directive(symbol, "location"),
            Head::ReturnType => directive(symbol, "returnType"),
            Head::Either => directive(symbol, "either"),
            Head::Variadic => directive(symbol, "variadic"),
        };
        let op = matches!(head(records, &pattern), Head::Op(_));
        for arg in pattern.args() {
            if let Item::Dag(inner) = item(records, &arg) {
                result = result.and(with_room(|| self.bind_symbols(inner, depth + 1)));
                if op && matches!(head(records, &inner), Head::Variadic) {
                    result = result.and(self.check_operands_only(inner));
                }
            }
        }
        result
    }

    /// Checks that the symbols in the list of a `variadic` operand refer to operands, because `mlir-tblgen` binds them
    /// as operands.
    fn check_operands_only(&mut self, list: Dag<'a>) -> Try<()> {
        let around = self.rule.place(list.span());
        let mut result = Ok(());
        for arg in list.args() {
            let Some(name) =
                binder(&arg).filter(|_| matches!(item(self.rule.defs.records, &arg), Item::Leaf(_)))
            else {
                continue;
            };
            let span = span_of(&arg, around);
            result = result.and(names::check_no_index(self.rule, name, span));
            if let Some((symbol, first)) = self.graph.symbols.find(name)
                && !matches!(symbol, Symbol::Operand { .. } | Symbol::List(_))
            {
                let error = error::bound_twice(name, span, *first);
                result = Err(self.rule.fail(error));
            }
        }
        result
    }

    /// For each pattern, the first result group of the root that it replaces. For an auxiliary pattern, the number is
    /// negative, or 0 if neither the pattern nor a later auxiliary pattern has values. Also returns the index of the
    /// first pattern that is not auxiliary.
    fn offsets(&mut self, patterns: &[Dag<'a>]) -> Try<(Vec<i64>, usize)> {
        let root = &self.rule.defs.ops[self.root];
        let expected = root.results.len();
        let mut at = signed(expected);
        let mut first = if expected == 0 { Some(patterns.len()) } else { None };
        let mut offsets = vec![0; patterns.len()];
        for (i, pattern) in patterns.iter().enumerate().rev() {
            let before = at;
            at = at.saturating_sub(signed(self.value_count(pattern)?));
            offsets[i] = at;
            if at == 0 {
                first.get_or_insert(i);
            } else if at < 0 && before > 0 {
                let span = self.rule.place(pattern.span());
                return Err(self.rule.fail(error::partial_replacement(span)));
            }
        }
        if let Ok(missing @ 1..) = usize::try_from(at) {
            let span = self.rule.span;
            let error = error::not_enough_values(&root.name, expected - missing, expected, span);
            return Err(self.rule.fail(error));
        }
        Ok((offsets, first.expect("the patterns have as many values as the root")))
    }

    fn value_count(&mut self, pattern: &Dag<'a>) -> Try<usize> {
        let defs = self.rule.defs;
        Ok(match head(defs.records, pattern) {
            Head::Op(record) => match pattern.operator_name() {
                Some(symbol) if split_index(symbol).1.is_some() => 1,
                _ => defs.op_of(record.id()).map_or(0, |op| defs.ops[op].results.len()),
            },
            Head::Native(record) => {
                let span = self.rule.place(pattern.span());
                self.returns(record, span)?
            }
            _ => 1,
        })
    }

    /// The number of results of a `NativeCodeCall`.
    fn returns(&mut self, native: Record<'a>, span: Span) -> Try<usize> {
        let count = native.int_field("numReturns");
        let count = count.map_err(|e| self.rule.fail(Diagnostic::error(e.to_string()).at(span, "")))?;
        let limited = usize::try_from(count).ok().filter(|count| *count <= RETURN_LIMIT);
        limited.ok_or_else(|| self.rule.fail(error::invalid_return_count(count, RETURN_LIMIT, span)))
    }

    fn auxiliary(&mut self, pattern: Dag<'a>, group: Option<usize>) -> Try<TopPattern<'a>> {
        let span = self.rule.place(pattern.span());
        Ok(TopPattern { producer: self.producer(pattern, group, 0)?, role: Role::Auxiliary, span })
    }

    fn replacing(&mut self, pattern: Dag<'a>, group: Option<usize>) -> Try<TopPattern<'a>> {
        let span = self.rule.place(pattern.span());
        let defs = self.rule.defs;
        if let Head::Native(record) = head(defs.records, &pattern)
            && self.returns(record, span)? == 0
        {
            return Err(self.rule.fail(error::nothing_to_replace_with(span)));
        }
        let arity = group.and_then(|group| defs.ops[self.root].results.get(group)).map(|result| result.arity);
        let producer = self.producer(pattern, group, 0)?;
        Ok(TopPattern { producer, role: Role::Replacement(arity), span })
    }

    /// Plans a pattern. `group` is the first result group of the root that a top-level pattern replaces.
    fn producer(&mut self, pattern: Dag<'a>, group: Option<usize>, depth: usize) -> Try<Producer<'a>> {
        let span = self.rule.place(pattern.span());
        self.rule.check_depth(depth, span)?;
        with_room(|| match head(self.rule.defs.records, &pattern) {
            Head::Op(record) => self
                .creation(record, pattern, group, depth)
                .map(|creation| Producer::Create(Box::new(creation))),
            Head::Native(record) => {
                self.native(record, pattern, depth).map(|call| Producer::Call(Box::new(call)))
            }
            Head::ReplaceWithValue => self.replace_with_value(pattern),
            Head::Variadic => self.range(pattern, depth),
            Head::Location => Err(self.rule.fail(error::misplaced_location(span))),
            Head::ReturnType => Err(self.rule.fail(error::misplaced_return_type(span))),
            Head::Either => Err(self.rule.fail(error::either_in_result(span))),
            Head::Nothing => Err(self.rule.fail(error::head_not_a_record(span))),
        })
    }

    fn resolve(&mut self, name: &str, span: Span) -> Try<Reference> {
        names::resolve(self.rule, self.graph, name, span)
    }

    fn replace_with_value(&mut self, pattern: Dag<'a>) -> Try<Producer<'a>> {
        let span = self.rule.place(pattern.span());
        let mut args = pattern.args();
        let (Some(arg), None) = (args.next(), args.next()) else {
            return Err(self.rule.fail(error::replace_with_value_arity(span)));
        };
        match arg.name {
            Some(name) => self.resolve(name, span_of(&arg, span)).map(Producer::Symbol),
            None => Err(self.rule.fail(error::replace_with_value_arity(span))),
        }
    }

    fn range(&mut self, pattern: Dag<'a>, depth: usize) -> Try<Producer<'a>> {
        let span = self.rule.place(pattern.span());
        let item = |arg: DagArg<'a>| self.argument(&arg, Place::Value, span_of(&arg, span), depth);
        collect(pattern.args().map(item)).map(Producer::Range)
    }

    fn creation(
        &mut self,
        record: Record<'a>,
        pattern: Dag<'a>,
        group: Option<usize>,
        depth: usize,
    ) -> Try<Creation<'a>> {
        let span = self.rule.place(pattern.span());
        let def = self.rule.op_of(record, span)?;
        let defs = self.rule.defs;
        let op = &defs.ops[def];
        let directives = dag::directives(defs.records, &pattern);
        if let Some((name, span)) = directives.duplicate {
            return Err(self.rule.fail(error::duplicate_directive(name, span)));
        }
        if directives.rest != op.args.len() {
            let error = error::argument_count(&op.name, directives.rest, op.args.len(), span, op.span);
            return Err(self.rule.fail(error));
        }
        let args: Vec<DagArg<'a>> = pattern.args().take(directives.rest).collect();
        let arguments = self.arguments(op, &args, span, depth)?;
        let taken = self.taken_regions(op, &directives.regions, span)?;
        // The location is read after the arguments, because it can refer to symbols of nested patterns.
        let location = self.location(directives.location)?;
        let symbol = pattern.operator_name();
        let index = symbol.and_then(|symbol| split_index(symbol).1);
        let types = match (directives.return_type, group) {
            (Some(directive), Some(_)) => {
                let span = self.rule.place(directive.span());
                return Err(self.rule.fail(error::return_type_on_root(span)));
            }
            (Some(directive), None) => self.return_types(directive, depth)?,
            (None, _) => self.defined_types(op, group.filter(|_| index.is_none())),
        };
        let id = self.creations.push(());
        if let Some(symbol) = symbol
            && let Some(Symbol::Created { creation, .. }) = self.graph.symbols.find_mut(split_index(symbol).0)
        {
            *creation = Some(id);
        }
        Ok(Creation { id, op: def, index, arguments, types, location, taken, span })
    }

    /// The regions that a new operation takes. Only the root loses regions, because a rule erases no other operation.
    fn taken_regions(
        &mut self,
        op: &Op<'a>,
        calls: &[(Dag<'a>, Record<'a>)],
        span: Span,
    ) -> Try<Vec<TakenRegion>> {
        if calls.len() > op.fixed_regions() && !op.regions.iter().any(|region| region.variadic) {
            let error = error::region_count(&op.name, calls.len(), op.fixed_regions(), span, op.span);
            return Err(self.rule.fail(error));
        }
        let taken: Vec<TakenRegion> =
            collect(calls.iter().map(|&(call, native)| self.taken_region(call, native)))?;
        for (at, region) in taken.iter().enumerate() {
            if let Some(first) = taken[..at].iter().find(|other| other.index == region.index) {
                let error = error::region_taken_twice(region.index, region.span, first.span);
                return Err(self.rule.fail(error));
            }
        }
        Ok(taken)
    }

    fn taken_region(&mut self, call: Dag<'a>, native: Record<'a>) -> Try<TakenRegion> {
        let span = self.rule.place(call.span());
        let Some(("$0", index)) = dag::taken_region(native) else {
            return Err(self.rule.fail(error::take_region_text(span)));
        };
        let Ok(index) = index.parse::<u32>() else {
            return Err(self.rule.fail(error::take_region_text(span)));
        };
        let mut args = call.args();
        let (Some(arg), None) = (args.next(), args.next()) else {
            return Err(self.rule.fail(error::take_region_argument(span)));
        };
        let (Item::Leaf(Leaf::Unspecified), Some(name)) = (item(self.rule.defs.records, &arg), arg.name)
        else {
            return Err(self.rule.fail(error::take_region_argument(span)));
        };
        let at = span_of(&arg, span);
        self.resolve(name, at)?;
        let Some((Symbol::Matched { node, op }, _)) = self.graph.symbols.find(split_index(name).0) else {
            return Err(self.rule.fail(error::region_of_unmatched(name, at)));
        };
        if *node != self.graph.root {
            return Err(self.rule.fail(error::region_of_remaining(name, at)));
        }
        let op = &self.rule.defs.ops[*op];
        let is_variadic = op.regions.iter().any(|region| region.variadic);
        if index as usize >= op.fixed_regions() && !is_variadic || index >= MAX_REGIONS {
            let error = error::no_such_region(&op.name, index, op.fixed_regions(), span, op.span);
            return Err(self.rule.fail(error));
        }
        Ok(TakenRegion { index, span })
    }

    fn arguments(
        &mut self,
        op: &Op<'a>,
        args: &[DagArg<'a>],
        span: Span,
        depth: usize,
    ) -> Try<Vec<Argument<'a>>> {
        // Nested patterns come first, as in the generated C++, so that leaves can refer to their symbols.
        let nested = |arg: &DagArg<'a>| matches!(item(self.rule.defs.records, arg), Item::Dag(_));
        let mut order: Vec<usize> = (0..args.len()).filter(|&i| nested(&args[i])).collect();
        order.extend((0..args.len()).filter(|&i| !nested(&args[i])));
        let mut arguments: Vec<Option<Argument<'a>>> = args.iter().map(|_| None).collect();
        let mut result = Ok(());
        for i in order {
            let place = match op.args[i].kind {
                ArgKind::Operand(index) if op.operands[index].arity == Arity::Variadic => {
                    Place::Range(&op.name, i)
                }
                ArgKind::Operand(_) => Place::Value,
                ArgKind::Attribute(_) => Place::Attribute(&op.name, i),
                ArgKind::Property(_) => Place::Property(&op.name, i),
            };
            match self.argument(&args[i], place, span_of(&args[i], span), depth) {
                Ok(argument) => arguments[i] = Some(argument),
                Err(Reported) => result = Err(Reported),
            }
        }
        result.map(|()| arguments.into_iter().flatten().collect())
    }

    fn argument(
        &mut self,
        arg: &DagArg<'a>,
        place: Place<'_>,
        span: Span,
        depth: usize,
    ) -> Try<Argument<'a>> {
        let value = match item(self.rule.defs.records, arg) {
            Item::Dag(inner) => {
                self.check_nested(inner, place, span)?;
                ArgumentValue::Nested(self.producer(inner, None, depth + 1)?)
            }
            Item::Leaf(leaf) => self.leaf(leaf, arg.name, place, span)?,
        };
        Ok(Argument { value, span })
    }

    /// Checks that a nested pattern is allowed as an argument with this use.
    fn check_nested(&mut self, inner: Dag<'a>, place: Place<'_>, span: Span) -> Try<()> {
        let head = head(self.rule.defs.records, &inner);
        match place {
            Place::Range(op, index) if matches!(head, Head::Op(_)) => {
                Err(self.rule.fail(error::non_variadic(op, index, span)))
            }
            Place::Attribute(op, index) | Place::Property(op, index) if !matches!(head, Head::Native(_)) => {
                Err(self.rule.fail(error::only_native_in_attribute(op, index, span)))
            }
            _ => Ok(()),
        }
    }

    fn leaf(
        &mut self,
        leaf: Leaf<'a>,
        name: Option<&'a str>,
        place: Place<'_>,
        span: Span,
    ) -> Try<ArgumentValue<'a>> {
        let error = match (leaf, place) {
            (Leaf::Unspecified | Leaf::Type(_), _) | (Leaf::Prop(_), Place::Property(..)) => match name {
                Some(name) => return self.resolve(name, span).map(ArgumentValue::Symbol),
                None => error::unusable_leaf(span),
            },
            (Leaf::Native(record), _) => match name {
                Some(name) => {
                    let subject = self.resolve(name, span)?;
                    return Ok(ArgumentValue::Mapped(self.native_text(record), subject));
                }
                None => error::unusable_leaf(span),
            },
            (Leaf::Text(_), _) => error::raw_string(span),
            (
                Leaf::ConstantAttr(_) | Leaf::EnumCase(_) | Leaf::ConstantProp(_),
                Place::Value | Place::Range(..),
            ) => error::attribute_as_value(span),
            (Leaf::ConstantAttr(record) | Leaf::EnumCase(record), Place::Attribute(..) | Place::Native) => {
                return Ok(ArgumentValue::Constant(record));
            }
            (Leaf::ConstantAttr(_) | Leaf::EnumCase(_), Place::Property(..)) => {
                error::constant_kind("an attribute", "a property", span)
            }
            (Leaf::ConstantProp(record), Place::Property(..) | Place::Native) => {
                return Ok(ArgumentValue::PropertyConstant(record));
            }
            (Leaf::ConstantProp(_), Place::Attribute(..)) => {
                error::constant_kind("a property", "an attribute", span)
            }
            (Leaf::Attr(_) | Leaf::Prop(_) | Leaf::Other, _) => error::unusable_leaf(span),
        };
        Err(self.rule.fail(error))
    }

    fn native_text(&mut self, record: Record<'a>) -> Native<'a> {
        Native { expression: text(record, "expression"), name: self.rule.native_name(record) }
    }

    fn native(&mut self, record: Record<'a>, pattern: Dag<'a>, depth: usize) -> Try<NativeCall<'a>> {
        let span = self.rule.place(pattern.span());
        let directives = dag::directives(self.rule.defs.records, &pattern);
        if let Some((name, span)) = directives.duplicate {
            return Err(self.rule.fail(error::duplicate_directive(name, span)));
        }
        if directives.return_type.is_some() {
            return Err(self.rule.fail(error::return_type_on_native(span)));
        }
        if dag::taken_region(record).is_some() || !directives.regions.is_empty() {
            return Err(self.rule.fail(error::misplaced_region(span)));
        }
        let argument = |arg: DagArg<'a>| self.argument(&arg, Place::Native, span_of(&arg, span), depth);
        let arguments = collect(pattern.args().take(directives.rest).map(argument))?;
        let location = self.location(directives.location)?;
        let native = self.native_text(record);
        let count = self.returns(record, span)?;
        let id = self.calls.push(());
        let mut selected = None;
        if let Some(symbol) = pattern.operator_name() {
            let (name, index) = split_index(symbol);
            if let Some(Symbol::Called { call, .. }) = self.graph.symbols.find_mut(name) {
                *call = Some(id).filter(|_| count > 0);
            }
            if index.is_some() {
                selected = Some(self.resolve(symbol, span)?);
            }
        }
        Ok(NativeCall { id, native, count, arguments, location, selected, span })
    }

    /// The types in a `returnType` directive.
    fn return_types(&mut self, directive: Dag<'a>, depth: usize) -> Try<TypesOf<'a>> {
        let span = self.rule.place(directive.span());
        let ty = |arg: DagArg<'a>| self.return_type(&arg, span_of(&arg, span), depth);
        collect(directive.args().map(ty)).map(TypesOf::Directive)
    }

    fn return_type(&mut self, arg: &DagArg<'a>, span: Span, depth: usize) -> Try<ReturnType<'a>> {
        let records = self.rule.defs.records;
        match (item(records, arg), arg.name) {
            (Item::Dag(inner), _) => {
                let Head::Native(record) = head(records, &inner) else {
                    return Err(self.rule.fail(error::return_type_item(span)));
                };
                let depth = depth + 1;
                self.rule.check_depth(depth, inner.span())?;
                Ok(ReturnType::Call(with_room(|| self.native(record, inner, depth))?, span))
            }
            (Item::Leaf(Leaf::Text(text)), _) => Ok(ReturnType::Text(text, span)),
            (Item::Leaf(Leaf::Unspecified), Some(name)) => {
                Ok(ReturnType::OfSymbol(name, self.resolve(name, span)?, span))
            }
            (Item::Leaf(_), _) => Err(self.rule.fail(error::return_type_item(span))),
        }
    }

    /// The source of the result types of an operation without a `returnType` directive. `group` is the first result
    /// group of the root that the operation replaces.
    fn defined_types(&mut self, op: &Op<'a>, group: Option<usize>) -> TypesOf<'a> {
        if op.results.is_empty() {
            TypesOf::Nothing
        } else if op.has(Trait::SameOperandsAndResultType) && !op.operands.is_empty() {
            TypesOf::FirstOperand
        } else if op.first_attr_type && !op.attributes.is_empty() {
            TypesOf::FirstAttribute
        } else if let Some(first) = group {
            TypesOf::Replaced(self.replaced_groups(first, op.results.len()))
        } else {
            TypesOf::Definition
        }
    }

    /// The nodes of result groups of the root.
    fn replaced_groups(&mut self, first: usize, count: usize) -> Vec<(NodeId, Kind)> {
        let end = self.rule.defs.ops[self.root].results.len().min(first + count);
        let (op, def) = (self.graph.root, self.root);
        (first..end).map(|group| self.graph.result_node(self.rule, op, def, Some(group))).collect()
    }

    /// The location that a directive specifies, or the default.
    fn location(&mut self, directive: Option<Dag<'a>>) -> Try<Location> {
        let Some(directive) = directive else { return Ok(Location::Default) };
        let span = self.rule.place(directive.span());
        let mut text = None;
        let mut of = Vec::new();
        for arg in directive.args() {
            let at = span_of(&arg, span);
            match (item(self.rule.defs.records, &arg), arg.name) {
                (Item::Leaf(Leaf::Text(string)), _) if text.is_none() => {
                    text = Some(self.rule.intern(string))
                }
                (Item::Leaf(_), Some(name)) => of.push(self.located(name, at)?),
                _ => return Err(self.rule.fail(error::location_arguments(at))),
            }
        }
        match (text, of.len()) {
            (None, 0) => Err(self.rule.fail(error::location_arguments(span))),
            (Some(name), 0) => Ok(Location::Named(name)),
            (metadata, _) => Ok(Location::Fused { of, metadata }),
        }
    }

    /// The entity whose location a `location` directive takes for a symbol. If the symbol stands for the results of an
    /// operation, this entity is the operation.
    fn located(&mut self, written: &str, span: Span) -> Try<Located> {
        match self.graph.symbols.find(split_index(written).0) {
            Some((Symbol::Matched { node, .. }, _)) => Ok(Located::Node(*node)),
            Some((Symbol::Created { creation: Some(creation), .. }, _)) => Ok(Located::Creation(*creation)),
            _ => Ok(Located::Value(self.resolve(written, span)?, span)),
        }
    }
}

/// Converts a number of results to a signed number.
fn signed(count: usize) -> i64 {
    i64::try_from(count).expect("a number of results is a signed 64-bit field or the length of a list")
}
