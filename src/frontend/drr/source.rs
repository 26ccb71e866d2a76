//! Source patterns: from dags to the match graph.
//!
//! Operations become nodes; a nested operation is the one that defines an operand, whichever of its
//! results that is. Constraints at leaves become calls over the type or attribute they constrain.

use super::dag::{self, Head, Item, Leaf, binder, head, item, span_of};
use super::error;
use super::rule::{Reported, Rule, Try, small, text};
use super::symbols::{Symbol, split_index};
use crate::frontend::cxx::{Placeholder, Text};
use crate::frontend::ods::{self, ArgKind, AttrSpec, Op, OpId};
use crate::frontend::tablegen::{Dag, DagArg, Record};
use crate::host::Kind;
use crate::pdl::{
    Arg, Arity, AttrEdge, Call, Callee, Constant, Node, NodeId, OperandGroup, OperationNode, Presence,
    Source, ValueSource,
};
use crate::snippet::Ty;
use crate::source::Span;
use crate::stack::with_room;

/// An argument of a native call in the source.
#[derive(Clone, Copy)]
struct Capture<'a> {
    leaf: Leaf<'a>,
    node: NodeId,
    ty: Ty,
    span: Span,
}

/// What a constraint is asked about.
enum Entity {
    One(NodeId, Ty, Kind),
    /// A `variadic` list.
    List(Vec<NodeId>),
}

/// The operands and attributes of an operation as they are gathered.
#[derive(Default)]
struct Gathered {
    operands: Vec<OperandGroup>,
    either: Vec<(u32, u32)>,
    attributes: Vec<AttrEdge>,
}

impl<'a> Rule<'_, '_, 'a> {
    /// Lowers the source pattern; the root is node 0.
    pub(super) fn source(&mut self, pattern: Dag<'a>) -> Try<()> {
        let span = self.place(pattern.span());
        let Head::Op(record) = head(self.defs.records, &pattern) else {
            let error = error::source_not_an_op(self.name, span);
            return Err(self.fail(error));
        };
        let def = self.op_of(record, span)?;
        self.root_op = Some(def);
        self.visited.push(self.root);
        let root = self.match_op(pattern, def, 0)?;
        self.root = root;
        self.matcher.roots.push(root);
        self.locate_matched(pattern);
        Ok(())
    }

    fn match_op(&mut self, pattern: Dag<'a>, def: OpId, depth: usize) -> Try<NodeId> {
        let span = self.place(pattern.span());
        self.too_deep(depth, span)?;
        let defs = self.defs;
        let op = &defs.ops[def];
        let name = self.intern(&op.name);
        let node = self.node(Node::Operation(OperationNode { name: Some(name), ..Default::default() }), span);
        let mut result = Ok(());
        if let Some(symbol) = pattern.operator_name() {
            let bound = Symbol::Matched { node, op: def };
            result = result.and(self.bind_argument(symbol, bound, node, span));
        }
        let args: Vec<DagArg<'a>> = pattern.args().collect();
        let pairs = args.iter().filter(|arg| self.is_either(arg)).count();
        if args.len() + pairs != op.args.len() {
            let error = error::argument_count(&op.name, args.len() + pairs, op.args.len(), span, op.span);
            return Err(self.fail(error));
        }
        let owner = std::mem::replace(&mut self.owner, node);
        let mut gathered = Gathered::default();
        let mut at = 0;
        for arg in &args {
            let matched = self.match_arg(op, arg, at, span, depth, &mut gathered);
            result = result.and(matched);
            at += if self.is_either(arg) { 2 } else { 1 };
        }
        self.owner = owner;
        result?;
        let split = self.split(op.operand_sizes, "operandSegmentSizes");
        if let Node::Operation(operation) = &mut self.matcher[node] {
            operation.operands = Some(gathered.operands);
            operation.operand_split = split;
            operation.either = gathered.either;
            operation.attributes = gathered.attributes;
        }
        Ok(node)
    }

    fn is_either(&self, arg: &DagArg<'a>) -> bool {
        let records = self.defs.records;
        matches!(item(records, arg), Item::Dag(inner) if matches!(head(records, &inner), Head::Either))
    }

    /// Binds a symbol of the source pattern, which has no index.
    fn bind_argument(&mut self, name: &'a str, symbol: Symbol, node: NodeId, span: Span) -> Try<()> {
        self.no_index(name, span)?;
        self.name_node(node, name);
        self.bind(name, symbol, span)
    }

    pub(super) fn no_index(&mut self, name: &str, span: Span) -> Try<()> {
        match split_index(name).1 {
            Some(_) => Err(self.fail(error::index_on_argument(name, span))),
            None => Ok(()),
        }
    }

    fn match_arg(
        &mut self,
        op: &Op<'a>,
        arg: &DagArg<'a>,
        at: usize,
        around: Span,
        depth: usize,
        gathered: &mut Gathered,
    ) -> Try<()> {
        let records = self.defs.records;
        let span = span_of(arg, around);
        match item(records, arg) {
            Item::Leaf(leaf) => match op.args[at].kind {
                ArgKind::Operand(index) => {
                    let group = self.match_operand(op, index, at, leaf, binder(arg), span)?;
                    gathered.operands.push(group);
                    Ok(())
                }
                ArgKind::Attribute(index) => {
                    let edge = self.match_attribute(op, index, at, leaf, binder(arg), span)?;
                    gathered.attributes.extend(edge);
                    Ok(())
                }
                ArgKind::Property(index) => {
                    let edge = self.match_property(op, index, at, leaf, binder(arg), span)?;
                    gathered.attributes.extend(edge);
                    Ok(())
                }
            },
            Item::Dag(inner) => match head(records, &inner) {
                Head::Either => self.match_either(op, inner, at, span, depth, gathered),
                Head::Variadic => {
                    let group = self.match_variadic(op, inner, at, span, depth)?;
                    gathered.operands.push(group);
                    Ok(())
                }
                Head::Op(_) | Head::Native(_) => {
                    let ArgKind::Operand(index) = op.args[at].kind else {
                        return Err(self.fail(match op.args[at].kind {
                            ArgKind::Property(_) => error::expected_property(&op.name, at, span),
                            _ => error::expected_attribute(&op.name, at, span),
                        }));
                    };
                    if op.operands[index].arity != Arity::One {
                        return Err(self.fail(error::nested_in_range(&op.name, at, span)));
                    }
                    let (value, defining) = self.match_nested(inner, depth)?;
                    self.visited.push(defining);
                    gathered.operands.push(OperandGroup::One(value));
                    Ok(())
                }
                Head::ReplaceWithValue => {
                    Err(self.fail(error::directive_in_source("replaceWithValue", span)))
                }
                Head::Location => Err(self.fail(error::directive_in_source("location", span))),
                Head::ReturnType => Err(self.fail(error::directive_in_source("returnType", span))),
                Head::Nothing => Err(self.fail(error::head_not_a_record(span))),
            },
        }
    }

    /// A nested operation or native call: the value, and the operation that defines it.
    fn match_nested(&mut self, inner: Dag<'a>, depth: usize) -> Try<(NodeId, NodeId)> {
        let span = self.place(inner.span());
        let value = self.node(Node::Value { ty: None, source: None }, span);
        let defining = match head(self.defs.records, &inner) {
            Head::Op(record) => {
                let def = self.op_of(record, span)?;
                with_room(|| self.match_op(inner, def, depth + 1))?
            }
            Head::Native(record) => self.match_native(record, inner, span)?,
            _ => return Err(self.fail(error::head_not_a_record(span))),
        };
        if let Node::Value { source, .. } = &mut self.matcher[value] {
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
            Leaf::Type(record) if self.defs.constraint_of(record.id()) == operand.constraint => None,
            Leaf::Type(_) if operand.arity != Arity::One => {
                return Err(self.fail(error::constrained_range(&op.name, at, span)));
            }
            Leaf::Type(record) => Some(record),
            _ => return Err(self.fail(error::expected_operand(&op.name, at, span))),
        };
        let node = self.operand_node(name, operand.arity, span)?;
        if let Some(record) = constraint {
            self.constrain_type(record, node, span)?;
        }
        Ok(match operand.arity {
            Arity::One => OperandGroup::One(node),
            Arity::Optional => OperandGroup::Optional(node),
            Arity::Variadic if name.is_none() => OperandGroup::Any,
            Arity::Variadic => OperandGroup::Range(node),
        })
    }

    /// The node of an operand: that of its symbol if the symbol is an operand already.
    fn operand_node(&mut self, name: Option<&'a str>, arity: Arity, span: Span) -> Try<NodeId> {
        let fresh = |this: &mut Self| match arity {
            Arity::Variadic => this.node(Node::Values { types: None, source: None }, span),
            _ => this.node(Node::Value { ty: None, source: None }, span),
        };
        let Some(name) = name else { return Ok(fresh(self)) };
        self.no_index(name, span)?;
        if let Some(&(Symbol::Operand { node, arity: bound }, first)) = self.symbols.find(name) {
            if (bound == Arity::Variadic) != (arity == Arity::Variadic) {
                return Err(self.fail(error::bound_to_value_and_range(name, span, first)));
            }
            if arity == Arity::One
                && let Some(Symbol::Operand { arity, .. }) = self.symbols.find_mut(name)
            {
                *arity = Arity::One;
            }
            return Ok(node);
        }
        let node = fresh(self);
        self.name_node(node, name);
        self.bind(name, Symbol::Operand { node, arity }, span)?;
        Ok(node)
    }

    /// A type constraint on a value node.
    pub(super) fn constrain_type(&mut self, record: Record<'a>, value: NodeId, span: Span) -> Try<()> {
        let ty = self.type_node(value);
        self.constrain(record, ty, Ty::TYPE, span)
    }

    /// A constraint on a node that is its `$_self`.
    pub(super) fn constrain(&mut self, record: Record<'a>, node: NodeId, ty: Ty, span: Span) -> Try<()> {
        let constraint = self.defs.constraint_of(record.id());
        let (callee, of_owner) = self.session.constraint(constraint, ty, span)?;
        let mut args = vec![Arg::Of(node)];
        args.extend(of_owner.then_some(Arg::Of(self.owner)));
        let call = Call { callee, args, results: Vec::new(), negated: false, span };
        self.matcher.constraints.push(call);
        Ok(())
    }

    fn match_either(
        &mut self,
        op: &Op<'a>,
        pattern: Dag<'a>,
        at: usize,
        around: Span,
        depth: usize,
        gathered: &mut Gathered,
    ) -> Try<()> {
        let span = self.place(around);
        if pattern.len() != 2 {
            return Err(self.fail(error::either_arity(span)));
        }
        let mut result = Ok(());
        let mut defining = Vec::new();
        let first = gathered.operands.len();
        for (i, arg) in pattern.args().enumerate() {
            let span = span_of(&arg, span);
            let Some(&ods::Arg { kind: ArgKind::Operand(index), .. }) = op.args.get(at + i) else {
                return Err(self.fail(error::either_operand(span)));
            };
            if op.operands[index].arity != Arity::One {
                return Err(self.fail(error::either_operand(span)));
            }
            let group = match item(self.defs.records, &arg) {
                Item::Leaf(leaf) => self.match_operand(op, index, at + i, leaf, binder(&arg), span),
                Item::Dag(inner) => match head(self.defs.records, &inner) {
                    Head::Op(_) | Head::Native(_) => self.match_nested(inner, depth).map(|(value, op)| {
                        defining.push(op);
                        OperandGroup::One(value)
                    }),
                    Head::Either => Err(self.fail(error::nested_either(span))),
                    _ => Err(self.fail(error::either_operand(span))),
                },
            };
            match group {
                Ok(group) => gathered.operands.push(group),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        gathered.either.push((small(first), small(first + 1)));
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
        let span = self.place(around);
        let ArgKind::Operand(index) = op.args[at].kind else {
            return Err(self.fail(error::variadic_operand(&op.name, at, span)));
        };
        if op.operands[index].arity != Arity::Variadic {
            return Err(self.fail(error::variadic_operand(&op.name, at, span)));
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
            self.no_index(name, span)?;
            self.bind(name, Symbol::List(nodes.clone()), span)?;
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
        let leaf = match item(self.defs.records, arg) {
            Item::Leaf(leaf) => leaf,
            Item::Dag(inner) => match head(self.defs.records, &inner) {
                Head::Op(_) => {
                    let (value, defining) = self.match_nested(inner, depth)?;
                    self.visited.push(defining);
                    return Ok(value);
                }
                _ => return Err(self.fail(error::variadic_item(span))),
            },
        };
        match leaf {
            Leaf::Unspecified => {}
            Leaf::Type(record) if self.defs.constraint_of(record.id()) == op.operands[index].constraint => {}
            Leaf::Type(_) => return Err(self.fail(error::constrained_range(&op.name, at, span))),
            _ => return Err(self.fail(error::expected_operand(&op.name, at, span))),
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
            _ => return Err(self.fail(error::expected_attribute(&op.name, at, span))),
        };
        if record.is_none() && name.is_none() && (spec.optional || !spec.default.is_empty()) {
            return Ok(None);
        }
        let default = self.default_of(&spec, span)?;
        let mut presence = match default {
            Some(constant) => Presence::Default(constant),
            None if spec.optional => Presence::Optional,
            None => Presence::Required,
        };
        let ty = self.session.attr_ty(spec.storage);
        let node = self.node(Node::Attribute { value: None, ty: None }, span);
        if let Some(record) = record {
            // Where the predicate looks at the attribute without asking whether there is one, its
            // absence means that the rule does not match.
            if presence == Presence::Optional && self.session.needs_presence(record.id())? {
                presence = Presence::Required;
            }
            match leaf {
                Leaf::ConstantAttr(record) if self.set_constant(record, node, span)? => {}
                _ => self.constrain(record, node, ty, span)?,
            }
        }
        if let Some(name) = name {
            let optional = presence == Presence::Optional;
            self.bind_argument(name, Symbol::Attribute { node, ty, optional }, node, span)?;
        }
        // What equals a constant is of its class, unless the class decides whether a default stands in.
        let constant = matches!(self.matcher[node], Node::Attribute { value: Some(_), .. });
        let storage = match presence {
            Presence::Required | Presence::Optional if constant => None,
            _ => self.session.storage_test(spec.storage, span),
        };
        let name = self.intern(attribute.name);
        Ok(Some(AttrEdge { name, node, presence, storage }))
    }

    /// What an attribute is when it is absent, if it has a default that is not null.
    pub(super) fn default_of(&mut self, spec: &AttrSpec<'a>, span: Span) -> Try<Option<Constant>> {
        if spec.default.is_empty() || spec.is_unit() {
            return Ok(None);
        }
        self.session.attr_constant(spec, spec.default, span).map(Some)
    }

    /// Makes a node equal to a constant if the constant can be written as one.
    fn set_constant(&mut self, record: Record<'a>, node: NodeId, span: Span) -> Try<bool> {
        let Some(constant) = self.session.constant_attr(record, span)? else { return Ok(false) };
        if let Node::Attribute { value, .. } = &mut self.matcher[node] {
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
            _ => return Err(self.fail(error::expected_property(&op.name, at, span))),
        };
        if record.is_none() && name.is_none() {
            return Ok(None);
        }
        let ty = self.session.property_ty(property);
        let default = match property.default {
            "" => None,
            text => Some(self.session.property_constant(property, text, span)?),
        };
        let node = self.node(Node::Attribute { value: None, ty: None }, span);
        if let Some(record) = record {
            self.constrain(record, node, ty, span)?;
        }
        if let Some(name) = name {
            self.bind_argument(name, Symbol::Attribute { node, ty, optional: false }, node, span)?;
        }
        let presence = default.map_or(Presence::Required, Presence::Default);
        let name = self.intern(property.name);
        Ok(Some(AttrEdge { name, node, presence, storage: None }))
    }

    /// A native call: a predicate over the operation that defines the operand, which binds its
    /// arguments. Gives the node of that operation.
    fn match_native(&mut self, native: Record<'a>, pattern: Dag<'a>, span: Span) -> Try<NodeId> {
        if let Some(name) = pattern.operator_name() {
            return Err(self.fail(error::bind_native_in_source(name, span)));
        }
        let directives = dag::directives(self.defs.records, &pattern);
        if directives.return_type.is_some() {
            return Err(self.fail(error::return_type_on_native(span)));
        }
        let text = match native.string_field("expression") {
            Ok(text) => text,
            Err(problem) => return Err(self.fail(problem.into())),
        };
        if text.matches("$_self").count() != 1 {
            return Err(self.fail(error::native_needs_self(span)));
        }
        let op = self.node(Node::Operation(OperationNode::default()), span);
        let mut captures = Vec::new();
        let mut result = Ok(());
        for arg in pattern.args().take(directives.rest) {
            match self.match_capture(&arg, span_of(&arg, span)) {
                Ok(capture) => captures.push(capture),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        let mut params = vec![Placeholder::new("$_self", Ty::OP)];
        params.extend(captures.iter().enumerate().map(|(i, c)| Placeholder::output(format!("${i}"), c.ty)));
        let name = self.native_name(native);
        let callee = self.session.predicate(&Text::new(text, span), span, &params, &name)?;
        let results = captures.iter().map(|capture| capture.node).collect();
        let call = Call { callee, args: vec![Arg::Of(op)], results, negated: false, span };
        self.matcher.constraints.push(call);
        for capture in captures {
            self.constrain_capture(capture)?;
        }
        Ok(op)
    }

    /// An argument of a native call in the source: a node that the call binds.
    fn match_capture(&mut self, arg: &DagArg<'a>, span: Span) -> Try<Capture<'a>> {
        let leaf = match item(self.defs.records, arg) {
            Item::Leaf(leaf) => leaf,
            Item::Dag(_) => return Err(self.fail(error::nested_in_native(span))),
        };
        let (ty, kind) = match leaf {
            Leaf::Attr(_) | Leaf::ConstantAttr(_) | Leaf::EnumCase(_) => (Ty::ATTR, Kind::Attr),
            Leaf::Unspecified | Leaf::Type(_) => (Ty::VALUE, Kind::Value),
            Leaf::Prop(record) | Leaf::ConstantProp(record) => {
                (self.session.interface_ty(text(record, "interfaceType")), Kind::Attr)
            }
            _ => return Err(self.fail(error::unusable_leaf(span))),
        };
        let node = match kind {
            Kind::Value => Node::Value { ty: None, source: None },
            _ => Node::Attribute { value: None, ty: None },
        };
        let node = self.node(node, span);
        if let Some(name) = binder(arg) {
            self.bind_argument(name, Symbol::Captured { node, ty, kind }, node, span)?;
        }
        Ok(Capture { leaf, node, ty, span })
    }

    fn constrain_capture(&mut self, capture: Capture<'a>) -> Try<()> {
        let Capture { leaf, node, ty, span } = capture;
        match leaf {
            Leaf::Type(record) => self.constrain_type(record, node, span),
            Leaf::ConstantAttr(record) if self.set_constant(record, node, span)? => Ok(()),
            Leaf::Attr(record)
            | Leaf::ConstantAttr(record)
            | Leaf::EnumCase(record)
            | Leaf::Prop(record)
            | Leaf::ConstantProp(record) => self.constrain(record, node, ty, span),
            _ => Ok(()),
        }
    }

    /// The constraint list.
    pub(super) fn constraint_list(&mut self, constraint: Dag<'a>) -> Try<()> {
        let span = self.place(constraint.span());
        let Head::Op(record) = head(self.defs.records, &constraint) else {
            return Err(self.fail(error::constraint_dag(span)));
        };
        let record = self.defs.records.record(self.defs.constraint_of(record.id()));
        if !record.is_subclass_of("Constraint") {
            return Err(self.fail(error::constraint_dag(span)));
        }
        let mut entities = Vec::new();
        let mut result = Ok(());
        for arg in constraint.args() {
            let at = span_of(&arg, span);
            match arg.name {
                Some(name) => match self.entity(name, at) {
                    Ok(entity) => entities.push((name, entity)),
                    Err(Reported) => result = Err(Reported),
                },
                None => result = Err(self.fail(error::constraint_operand(at))),
            }
        }
        let own = match constraint.operator_name() {
            Some(name) => Some((name, self.entity(name, span)?)),
            None => None,
        };
        result?;
        if record.is_subclass_of("TypeConstraint") {
            let [(name, entity)] = &entities[..] else {
                return Err(self.fail(error::type_constraint_arity(span)));
            };
            let Entity::One(node, _, Kind::Value) = *entity else {
                return Err(self.fail(error::type_of_non_value(name, span)));
            };
            return self.constrain_type(record, node, span);
        }
        if record.is_subclass_of("AttrConstraint") {
            return Err(self.fail(error::attr_constraint_in_list(span)));
        }
        if entities.len() > 4 {
            return Err(self.fail(error::too_many_entities(entities.len(), span)));
        }
        let mut condition = self.session.condition(record.id())?.clone();
        let mut params = Vec::new();
        let mut args = Vec::new();
        let mut list = None;
        let own = own.map(|own| ("$_self".to_owned(), own));
        let numbered = (0..).map(|i: usize| format!("${i}")).zip(entities);
        for (placeholder, (name, entity)) in own.into_iter().chain(numbered) {
            match entity {
                Entity::One(node, ty, _) => {
                    params.push(Placeholder::new(placeholder, ty));
                    args.push(Arg::Of(node));
                }
                Entity::List(nodes) => {
                    list = Some(name);
                    let names: Vec<String> =
                        (0..nodes.len()).map(|i| format!("$_{}_{i}", &placeholder[1..])).collect();
                    // The values one by one are what the range is made of.
                    let range = format!("::mlir::ValueRange{{{}}}", names.join(", "));
                    condition = condition.with_placeholder(&placeholder, &range);
                    params.extend(names.into_iter().map(|name| Placeholder::new(name, Ty::VALUE)));
                    args.extend(nodes.into_iter().map(Arg::Of));
                }
            }
        }
        for (name, thing) in self.generated_variables(condition.as_str()) {
            if let Source::Matched(node) = thing.source {
                params.push(Placeholder::new(name, thing.ty));
                args.push(Arg::Of(node));
            }
        }
        let name = self.native_name(record);
        let callee = self.session.named_predicate(&condition, span, &params, record, &name)?;
        if let (Callee::Native(_), Some(name)) = (&callee, list) {
            return Err(self.fail(error::constrained_list(name, span)));
        }
        let call = Call { callee, args, results: Vec::new(), negated: false, span };
        self.matcher.constraints.push(call);
        Ok(())
    }

    /// What a symbol stands for in a constraint: nodes.
    fn entity(&mut self, name: &str, span: Span) -> Try<Entity> {
        if let Some((Symbol::List(nodes), _)) = self.symbols.find(name) {
            return Ok(Entity::List(nodes.clone()));
        }
        let thing = self.symbol(name, span)?;
        match thing.source {
            Source::Matched(node) => Ok(Entity::One(node, thing.ty, thing.kind)),
            Source::Local(_) => Err(self.fail(error::unbound(name, None, span))),
        }
    }
}
