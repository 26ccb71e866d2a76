//! Lowers source patterns to match graphs.
//!
//! Each operation becomes a node. A nested pattern matches the operation that defines the operand; the operand can be
//! any result of this operation. A constraint on an operand becomes a call that takes the operand's type. A constraint
//! on an attribute or property becomes a call that takes the attribute.

use super::constraint::{constrain, constrain_type};
use super::dag::{self, Head, Item, Leaf, binder, head, item, span_of};
use super::error;
use super::graph::MatchGraph;
use super::names::check_no_index;
use super::session::{Reported, RuleContext, Try, collect, small, text};
use super::symbols::Symbol;
use crate::frontend::cxx::{Placeholder, Text};
use crate::frontend::ods::{self, ArgKind, Op, OpId};
use crate::frontend::tablegen::{Dag, DagArg, Record};
use crate::host::Kind;
use crate::pdl::{
    Arg, Arity, AttrEdge, Call, Constant, Node, NodeId, OperandGroup, OperationNode, Presence, ValueSource,
};
use crate::snippet::Ty;
use crate::source::Span;
use crate::stack::with_room;

/// Lowers a source pattern; the root is node 0. If there are errors, the graph is marked as incomplete.
pub(super) fn lower<'a>(rule: &mut RuleContext<'_, '_, 'a>, pattern: Dag<'a>) -> MatchGraph<'a> {
    let graph = MatchGraph::new();
    let mut matcher = SourceMatcher { rule, owner: graph.root, graph, visited: Vec::new() };
    let result = matcher.match_root(pattern);
    let mut graph = matcher.graph;
    graph.incomplete = result.is_err();
    graph
}

/// An argument of a native call in the source pattern.
#[derive(Clone, Copy)]
struct Capture<'a> {
    leaf: Leaf<'a>,
    node: NodeId,
    ty: Ty,
    span: Span,
}

/// An argument that an operation stores in an attribute.
struct StoredArgument<'a> {
    name: &'a str,
    /// The static type in snippets.
    ty: Ty,
    /// The static type of the C++ value that the attribute may be read as.
    reading: Option<Ty>,
    /// The value of an absent attribute.
    default: Option<Constant>,
    /// True if the attribute may be absent.
    optional: bool,
    /// The C++ class of the attribute; `None` for a property. An attribute of another class counts as absent.
    storage: Option<&'a str>,
}

/// The operands and attributes of an operation.
#[derive(Default)]
struct Arguments {
    operands: Vec<OperandGroup>,
    either: Vec<(u32, u32)>,
    attributes: Vec<AttrEdge>,
}

/// The lowering of one source pattern.
struct SourceMatcher<'r, 'c, 's, 'a> {
    rule: &'r mut RuleContext<'c, 's, 'a>,
    graph: MatchGraph<'a>,
    /// The operation whose arguments are being matched.
    owner: NodeId,
    /// Operation nodes, in the order in which the generated C++ collects them.
    visited: Vec<NodeId>,
}

impl<'a> SourceMatcher<'_, '_, '_, 'a> {
    fn match_root(&mut self, pattern: Dag<'a>) -> Try<()> {
        let records = self.rule.defs.records;
        let span = self.rule.place(pattern.span());
        let Head::Op(record) = head(records, &pattern) else {
            let error = error::source_not_an_op(self.rule.name, span);
            return Err(self.rule.fail(error));
        };
        let def = self.rule.op_of(record, span)?;
        self.graph.root_op = Some(def);
        self.visited.push(self.graph.root);
        let root = self.match_op(pattern, def, 0)?;
        self.graph.root = root;
        self.graph.part.roots.push(root);
        let count = dag::count_ops(records, pattern);
        self.graph.located = self.visited.iter().take(count).copied().collect();
        Ok(())
    }

    fn match_op(&mut self, pattern: Dag<'a>, def: OpId, depth: usize) -> Try<NodeId> {
        let span = self.rule.place(pattern.span());
        self.rule.check_depth(depth, span)?;
        let defs = self.rule.defs;
        let op = &defs.ops[def];
        let name = self.rule.intern(&op.name);
        let node =
            self.graph.add(Node::Operation(OperationNode { name: Some(name), ..Default::default() }), span);
        let mut result = Ok(());
        if let Some(symbol) = pattern.operator_name() {
            let bound = Symbol::Matched { node, op: def };
            result = result.and(self.bind_argument(symbol, bound, node, span));
        }
        let args: Vec<DagArg<'a>> = pattern.args().collect();
        let pairs = args.iter().filter(|arg| self.is_either(arg)).count();
        if args.len() + pairs != op.args.len() {
            let error = error::argument_count(&op.name, args.len() + pairs, op.args.len(), span, op.span);
            return Err(self.rule.fail(error));
        }
        let owner = std::mem::replace(&mut self.owner, node);
        let mut arguments = Arguments::default();
        let mut at = 0;
        for arg in &args {
            let matched = self.match_arg(op, arg, at, span, depth, &mut arguments);
            result = result.and(matched);
            at += if self.is_either(arg) { 2 } else { 1 };
        }
        self.owner = owner;
        result?;
        let split = self.rule.group_split(op.operand_sizes, "operandSegmentSizes");
        if let Node::Operation(operation) = &mut self.graph.part[node] {
            operation.operands = Some(arguments.operands);
            operation.operand_split = split;
            operation.either = arguments.either;
            operation.attributes = arguments.attributes;
        }
        Ok(node)
    }

    fn is_either(&self, arg: &DagArg<'a>) -> bool {
        let records = self.rule.defs.records;
        matches!(item(records, arg), Item::Dag(inner) if matches!(head(records, &inner), Head::Either))
    }

    /// Binds a symbol, which must have no index, to a node, and names the node.
    fn bind_argument(&mut self, name: &'a str, symbol: Symbol, node: NodeId, span: Span) -> Try<()> {
        check_no_index(self.rule, name, span)?;
        self.graph.set_name(self.rule, node, name);
        self.graph.bind(self.rule, name, symbol, span)
    }

    fn match_arg(
        &mut self,
        op: &Op<'a>,
        arg: &DagArg<'a>,
        at: usize,
        around: Span,
        depth: usize,
        arguments: &mut Arguments,
    ) -> Try<()> {
        let records = self.rule.defs.records;
        let span = span_of(arg, around);
        match item(records, arg) {
            Item::Leaf(leaf) => match op.args[at].kind {
                ArgKind::Operand(index) => {
                    let group = self.match_operand(op, index, at, leaf, binder(arg), span)?;
                    arguments.operands.push(group);
                    Ok(())
                }
                ArgKind::Attribute(index) => {
                    let edge = self.match_attribute(op, index, at, leaf, binder(arg), span)?;
                    arguments.attributes.extend(edge);
                    Ok(())
                }
                ArgKind::Property(index) => {
                    let edge = self.match_property(op, index, at, leaf, binder(arg), span)?;
                    arguments.attributes.extend(edge);
                    Ok(())
                }
            },
            Item::Dag(inner) => match head(records, &inner) {
                Head::Either => self.match_either(op, inner, at, span, depth, arguments),
                Head::Variadic => {
                    let group = self.match_variadic(op, inner, at, span, depth)?;
                    arguments.operands.push(group);
                    Ok(())
                }
                Head::Op(_) | Head::Native(_) => {
                    let ArgKind::Operand(index) = op.args[at].kind else {
                        return Err(self.rule.fail(match op.args[at].kind {
                            ArgKind::Property(_) => error::expected_property(&op.name, at, span),
                            _ => error::expected_attribute(&op.name, at, span),
                        }));
                    };
                    if op.operands[index].arity != Arity::One {
                        return Err(self.rule.fail(error::nested_in_range(&op.name, at, span)));
                    }
                    let (value, defining) = self.match_nested(inner, depth)?;
                    self.visited.push(defining);
                    arguments.operands.push(OperandGroup::One(value));
                    Ok(())
                }
                Head::ReplaceWithValue => {
                    Err(self.rule.fail(error::directive_in_source("replaceWithValue", span)))
                }
                Head::Location => Err(self.rule.fail(error::directive_in_source("location", span))),
                Head::ReturnType => Err(self.rule.fail(error::directive_in_source("returnType", span))),
                Head::Nothing => Err(self.rule.fail(error::head_not_a_record(span))),
            },
        }
    }

    /// Matches a nested operation or native call. Returns the value and the operation that defines it.
    fn match_nested(&mut self, inner: Dag<'a>, depth: usize) -> Try<(NodeId, NodeId)> {
        let span = self.rule.place(inner.span());
        let value = self.graph.add(Node::Value { ty: None, source: None }, span);
        let defining = match head(self.rule.defs.records, &inner) {
            Head::Op(record) => {
                let def = self.rule.op_of(record, span)?;
                with_room(|| self.match_op(inner, def, depth + 1))?
            }
            Head::Native(record) => self.match_native(record, inner, span)?,
            _ => return Err(self.rule.fail(error::head_not_a_record(span))),
        };
        if let Node::Value { source, .. } = &mut self.graph.part[value] {
            *source = Some(ValueSource::DefinedBy { op: defining });
        }
        Ok((value, defining))
    }

    fn match_operand(
        &mut self,
        op: &Op<'a>,
        index: usize,
        at: usize,
        leaf: Leaf<'a>,
        name: Option<&'a str>,
        span: Span,
    ) -> Try<OperandGroup> {
        let operand = &op.operands[index];
        let constraint = match leaf {
            Leaf::Unspecified => None,
            Leaf::Type(record) if self.rule.defs.constraint_of(record.id()) == operand.constraint => None,
            Leaf::Type(_) if operand.arity != Arity::One => {
                return Err(self.rule.fail(error::constrained_range(&op.name, at, span)));
            }
            Leaf::Type(record) => Some(record),
            _ => return Err(self.rule.fail(error::expected_operand(&op.name, at, span))),
        };
        if operand.arity == Arity::Variadic && name.is_none() {
            return Ok(OperandGroup::Any);
        }
        let node = self.operand_node(name, operand.arity, span)?;
        if let Some(record) = constraint {
            constrain_type(self.rule, &mut self.graph, record, node, self.owner, span)?;
        }
        Ok(match operand.arity {
            Arity::One => OperandGroup::One(node),
            Arity::Optional => OperandGroup::Optional(node),
            Arity::Variadic => OperandGroup::Range(node),
        })
    }

    /// The node of an operand. Operands with the same symbol share a node.
    fn operand_node(&mut self, name: Option<&'a str>, arity: Arity, span: Span) -> Try<NodeId> {
        let fresh = |this: &mut Self| match arity {
            Arity::Variadic => this.graph.add(Node::Values { types: None, source: None }, span),
            _ => this.graph.add(Node::Value { ty: None, source: None }, span),
        };
        let Some(name) = name else { return Ok(fresh(self)) };
        check_no_index(self.rule, name, span)?;
        if let Some(&(Symbol::Operand { node, arity: bound }, first)) = self.graph.symbols.find(name) {
            if (bound == Arity::Variadic) != (arity == Arity::Variadic) {
                return Err(self.rule.fail(error::bound_to_value_and_range(name, span, first)));
            }
            if arity == Arity::One
                && let Some(Symbol::Operand { arity, .. }) = self.graph.symbols.find_mut(name)
            {
                *arity = Arity::One;
            }
            return Ok(node);
        }
        let node = fresh(self);
        self.graph.set_name(self.rule, node, name);
        self.graph.bind(self.rule, name, Symbol::Operand { node, arity }, span)?;
        Ok(node)
    }

    fn match_either(
        &mut self,
        op: &Op<'a>,
        pattern: Dag<'a>,
        at: usize,
        around: Span,
        depth: usize,
        arguments: &mut Arguments,
    ) -> Try<()> {
        let span = self.rule.place(around);
        if pattern.len() != 2 {
            return Err(self.rule.fail(error::either_arity(span)));
        }
        let mut result = Ok(());
        let mut defining = Vec::new();
        let first = arguments.operands.len();
        for (i, arg) in pattern.args().enumerate() {
            let span = span_of(&arg, span);
            let Some(&ods::Arg { kind: ArgKind::Operand(index), .. }) = op.args.get(at + i) else {
                return Err(self.rule.fail(error::either_operand(span)));
            };
            if op.operands[index].arity != Arity::One {
                return Err(self.rule.fail(error::either_operand(span)));
            }
            let group = match item(self.rule.defs.records, &arg) {
                Item::Leaf(leaf) => self.match_operand(op, index, at + i, leaf, binder(&arg), span),
                Item::Dag(inner) => match head(self.rule.defs.records, &inner) {
                    Head::Op(_) | Head::Native(_) => self.match_nested(inner, depth).map(|(value, op)| {
                        defining.push(op);
                        OperandGroup::One(value)
                    }),
                    Head::Either => Err(self.rule.fail(error::nested_either(span))),
                    _ => Err(self.rule.fail(error::either_operand(span))),
                },
            };
            match group {
                Ok(group) => arguments.operands.push(group),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        arguments.either.push((small(first), small(first + 1)));
        self.visited.extend(defining);
        Ok(())
    }

    fn match_variadic(
        &mut self,
        op: &Op<'a>,
        pattern: Dag<'a>,
        at: usize,
        around: Span,
        depth: usize,
    ) -> Try<OperandGroup> {
        let span = self.rule.place(around);
        let ArgKind::Operand(index) = op.args[at].kind else {
            return Err(self.rule.fail(error::variadic_operand(&op.name, at, span)));
        };
        if op.operands[index].arity != Arity::Variadic {
            return Err(self.rule.fail(error::variadic_operand(&op.name, at, span)));
        }
        let mut nodes = Vec::new();
        let mut result = Ok(());
        for arg in pattern.args() {
            let span = span_of(&arg, span);
            match self.match_variadic_item(op, index, at, &arg, span, depth) {
                Ok(node) => nodes.push(node),
                Err(Reported) => result = Err(Reported),
            }
        }
        if let Some(name) = pattern.operator_name() {
            check_no_index(self.rule, name, span)?;
            self.graph.bind(self.rule, name, Symbol::List(nodes.clone()), span)?;
        }
        result?;
        Ok(OperandGroup::List(nodes))
    }

    fn match_variadic_item(
        &mut self,
        op: &Op<'a>,
        index: usize,
        at: usize,
        arg: &DagArg<'a>,
        span: Span,
        depth: usize,
    ) -> Try<NodeId> {
        let leaf = match item(self.rule.defs.records, arg) {
            Item::Leaf(leaf) => leaf,
            Item::Dag(inner) => match head(self.rule.defs.records, &inner) {
                Head::Op(_) => {
                    let (value, defining) = self.match_nested(inner, depth)?;
                    self.visited.push(defining);
                    return Ok(value);
                }
                _ => return Err(self.rule.fail(error::variadic_item(span))),
            },
        };
        match leaf {
            Leaf::Unspecified => {}
            Leaf::Type(record)
                if self.rule.defs.constraint_of(record.id()) == op.operands[index].constraint => {}
            Leaf::Type(_) => return Err(self.rule.fail(error::constrained_range(&op.name, at, span))),
            _ => return Err(self.rule.fail(error::expected_operand(&op.name, at, span))),
        }
        self.operand_node(binder(arg), Arity::One, span)
    }

    fn match_attribute(
        &mut self,
        op: &Op<'a>,
        index: usize,
        at: usize,
        leaf: Leaf<'a>,
        name: Option<&'a str>,
        span: Span,
    ) -> Try<Option<AttrEdge>> {
        let attribute = &op.attributes[index];
        let spec = attribute.spec;
        let record = match leaf {
            Leaf::Unspecified => None,
            Leaf::Attr(record) | Leaf::ConstantAttr(record) | Leaf::EnumCase(record) => Some(record),
            _ => return Err(self.rule.fail(error::expected_attribute(&op.name, at, span))),
        };
        if record.is_none() && name.is_none() && (spec.optional || !spec.default.is_empty()) {
            return Ok(None);
        }
        let session = &mut *self.rule.session;
        let argument = StoredArgument {
            name: attribute.name,
            ty: session.attr_ty(spec.storage),
            reading: session.reading_ty(&spec),
            default: session.default_of(&spec, span)?,
            optional: spec.optional,
            storage: Some(spec.storage),
        };
        self.match_stored(argument, (leaf, record), name, span).map(Some)
    }

    /// Matches an attribute or property.
    fn match_stored(
        &mut self,
        argument: StoredArgument<'a>,
        (leaf, record): (Leaf<'a>, Option<Record<'a>>),
        name: Option<&'a str>,
        span: Span,
    ) -> Try<AttrEdge> {
        let StoredArgument { ty, reading, .. } = argument;
        let mut presence = match argument.default {
            Some(constant) => Presence::Default(constant),
            None if argument.optional => Presence::Optional,
            None => Presence::Required,
        };
        let node = self.graph.add(Node::Attribute { value: None, ty: None }, span);
        if let Some(record) = record {
            // If the predicate uses the attribute without a test for null, a missing attribute prevents a match.
            if presence == Presence::Optional && self.rule.session.needs_presence(record.id())? {
                presence = Presence::Required;
            }
            match leaf {
                Leaf::ConstantAttr(record) if self.set_constant(record, node, span)? => {}
                _ => constrain(self.rule, &mut self.graph, record, (node, ty, reading), self.owner, span)?,
            }
        }
        if let Some(name) = name {
            let optional = presence == Presence::Optional;
            self.bind_argument(name, Symbol::Attribute { node, ty, reading, optional }, node, span)?;
        }
        // A constant that the attribute must equal determines the storage class, so a test of the class is superfluous.
        // If the attribute has a default value, the test is needed, because an attribute of another class counts as the
        // default.
        let constant = matches!(self.graph.part[node], Node::Attribute { value: Some(_), .. });
        let storage = match (&presence, argument.storage) {
            (_, None) => None,
            (Presence::Required | Presence::Optional, _) if constant => None,
            (_, Some(storage)) => self.rule.session.storage_test(storage, span),
        };
        let name = self.rule.intern(argument.name);
        Ok(AttrEdge { name, node, presence, storage })
    }

    /// Sets the constant of a node. Returns false if the constant cannot be built without a native. In this case, the
    /// predicate of the record compares the attribute with the native's result.
    fn set_constant(&mut self, record: Record<'a>, node: NodeId, span: Span) -> Try<bool> {
        let session = &mut *self.rule.session;
        let constant = session.constant_attr(record, span)?;
        let Some(constant) = constant.filter(|&constant| !session.calls_natives(constant)) else {
            return Ok(false);
        };
        if let Node::Attribute { value, .. } = &mut self.graph.part[node] {
            *value = Some(constant);
        }
        Ok(true)
    }

    fn match_property(
        &mut self,
        op: &Op<'a>,
        index: usize,
        at: usize,
        leaf: Leaf<'a>,
        name: Option<&'a str>,
        span: Span,
    ) -> Try<Option<AttrEdge>> {
        let property = &op.properties[index];
        let record = match leaf {
            Leaf::Unspecified => None,
            Leaf::Prop(record) | Leaf::ConstantProp(record) => Some(record),
            _ => return Err(self.rule.fail(error::expected_property(&op.name, at, span))),
        };
        if record.is_none() && name.is_none() {
            return Ok(None);
        }
        let session = &mut *self.rule.session;
        let argument = StoredArgument {
            name: property.name,
            ty: session.property_ty(property),
            reading: None,
            default: match property.default {
                "" => None,
                text => Some(session.property_constant(property, text, span)?),
            },
            optional: false,
            storage: None,
        };
        self.match_stored(argument, (leaf, record), name, span).map(Some)
    }

    /// Matches a native call: a predicate over the operation that defines the operand. The call binds its arguments.
    /// Returns the node of the defining operation.
    fn match_native(&mut self, native: Record<'a>, pattern: Dag<'a>, span: Span) -> Try<NodeId> {
        if let Some(name) = pattern.operator_name() {
            return Err(self.rule.fail(error::bind_native_in_source(name, span)));
        }
        let directives = dag::directives(self.rule.defs.records, &pattern);
        if directives.return_type.is_some() {
            return Err(self.rule.fail(error::return_type_on_native(span)));
        }
        if let Some((region, _)) = directives.regions.first() {
            let span = self.rule.place(region.span());
            return Err(self.rule.fail(error::nested_in_native(span)));
        }
        if let Some(location) = directives.location {
            let span = self.rule.place(location.span());
            self.rule.session.errors.push(error::location_in_source(span));
        }
        let text = match native.string_field("expression") {
            Ok(text) => text,
            Err(problem) => return Err(self.rule.fail(problem.into())),
        };
        if text.matches("$_self").count() != 1 {
            return Err(self.rule.fail(error::native_needs_self(span)));
        }
        let op = self.graph.add(Node::Operation(OperationNode::default()), span);
        let args = pattern.args().take(directives.rest);
        let captures = collect(args.map(|arg| self.match_capture(&arg, span_of(&arg, span))))?;
        let mut params = vec![Placeholder::new("$_self", Ty::OP)];
        params.extend(captures.iter().enumerate().map(|(i, c)| Placeholder::output(format!("${i}"), c.ty)));
        let name = self.rule.native_name(native);
        let callee = self.rule.session.predicate(&Text::new(text, span), span, &params, &name)?;
        let results = captures.iter().map(|capture| capture.node).collect();
        let call = Call { callee, args: vec![Arg::Of(op)], results, negated: false, span };
        self.graph.constrain(call);
        for capture in captures {
            self.constrain_capture(capture)?;
        }
        Ok(op)
    }

    /// Adds a node for an argument that a native call binds. Returns the argument with the node.
    fn match_capture(&mut self, arg: &DagArg<'a>, span: Span) -> Try<Capture<'a>> {
        let leaf = match item(self.rule.defs.records, arg) {
            Item::Leaf(leaf) => leaf,
            Item::Dag(_) => return Err(self.rule.fail(error::nested_in_native(span))),
        };
        let (ty, kind) = match leaf {
            Leaf::Attr(_) | Leaf::ConstantAttr(_) | Leaf::EnumCase(_) => (Ty::ATTR, Kind::Attr),
            Leaf::Unspecified | Leaf::Type(_) => (Ty::VALUE, Kind::Value),
            Leaf::Prop(record) | Leaf::ConstantProp(record) => {
                (self.rule.session.interface_ty(text(record, "interfaceType")), Kind::Attr)
            }
            _ => return Err(self.rule.fail(error::unusable_leaf(span))),
        };
        let node = match kind {
            Kind::Value => Node::Value { ty: None, source: None },
            _ => Node::Attribute { value: None, ty: None },
        };
        let node = self.graph.add(node, span);
        if let Some(name) = binder(arg) {
            self.bind_argument(name, Symbol::Captured { node, ty, kind }, node, span)?;
        }
        Ok(Capture { leaf, node, ty, span })
    }

    fn constrain_capture(&mut self, capture: Capture<'a>) -> Try<()> {
        let Capture { leaf, node, ty, span } = capture;
        match leaf {
            Leaf::Type(record) => constrain_type(self.rule, &mut self.graph, record, node, self.owner, span),
            Leaf::ConstantAttr(record) if self.set_constant(record, node, span)? => Ok(()),
            Leaf::Attr(record)
            | Leaf::ConstantAttr(record)
            | Leaf::EnumCase(record)
            | Leaf::Prop(record)
            | Leaf::ConstantProp(record) => {
                constrain(self.rule, &mut self.graph, record, (node, ty, None), self.owner, span)
            }
            _ => Ok(()),
        }
    }
}
