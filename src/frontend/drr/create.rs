//! Operations that a rewrite makes: arguments, segments, result types, location.

use super::builder::Built;
use super::cpp::Expected;
use super::dag::{self, Item, item, span_of};
use super::error;
use super::result::{Given, Made, Position};
use super::rule::{Reported, Rule, Thing, Try};
use super::symbols::{Symbol, split_index};
use crate::frontend::ods::{ArgKind, Op, Recipe, Sizes};
use crate::frontend::tablegen::{Dag, DagArg, Record};
use crate::host::Kind;
use crate::pdl::{Arg, Arity, CreateOp, ResultTypes, Source, Step, Trait};
use crate::snippet::Ty;
use crate::source::Span;

/// The arguments of an operation to be made, in the order of its definition.
pub(super) struct Arguments {
    /// For each argument, what it is.
    pub(super) things: Vec<Thing>,
}

impl<'a> Rule<'_, '_, 'a> {
    /// Lowers the making of an operation.
    pub(super) fn create(&mut self, record: Record<'a>, pattern: Dag<'a>, at: Position) -> Try<Made<'a>> {
        let span = self.place(pattern.span());
        let def = self.op_of(record, span)?;
        let defs = self.defs;
        let op = &defs.ops[def];
        let directives = dag::directives(defs.records, &pattern);
        if let Some((name, span)) = directives.duplicate {
            return Err(self.fail(error::duplicate_directive(name, span)));
        }
        if directives.rest != op.args.len() {
            let error = error::argument_count(&op.name, directives.rest, op.args.len(), span, op.span);
            return Err(self.fail(error));
        }
        let args: Vec<DagArg<'a>> = pattern.args().take(directives.rest).collect();
        let arguments = self.arguments(op, &args, span, at.depth)?;
        // What is nested in it can be where it is.
        let location = self.location(directives.location)?;
        let symbol = pattern.operator_name();
        let index = symbol.and_then(|symbol| split_index(symbol).1);
        let replaces_root = at.depth == 0 && at.replaces >= 0 && index.is_none();
        let (results, built) = match directives.return_type {
            Some(directive) if at.depth == 0 && at.replaces >= 0 => {
                let span = self.place(directive.span());
                return Err(self.fail(error::return_type_on_root(span)));
            }
            Some(directive) => (self.return_type(directive, at.depth)?, None),
            None => {
                let root = replaces_root.then_some(at.replaces);
                self.result_types(op, &arguments, root, span)?
            }
        };
        let built = built.unwrap_or_else(|| Built {
            arguments: arguments.things.iter().copied().map(Some).collect(),
            others: Vec::new(),
        });
        let name = self.intern(&op.name);
        let operand_segments =
            (op.operand_sizes == Sizes::Attribute).then(|| self.intern("operandSegmentSizes"));
        let result_segments =
            (op.result_sizes == Sizes::Attribute).then(|| self.intern("resultSegmentSizes"));
        let mut operands = Vec::new();
        let mut attributes = Vec::new();
        let inherent = defs.dialects[op.dialect].uses_properties;
        for (arg, thing) in op.args.iter().zip(&built.arguments) {
            let Some(thing) = thing else { continue };
            match arg.kind {
                ArgKind::Operand(_) => operands.push(thing.source),
                ArgKind::Attribute(_) => attributes.push((self.intern(arg.name), thing.source, inherent)),
                ArgKind::Property(_) => attributes.push((self.intern(arg.name), thing.source, true)),
            }
        }
        for (name, source) in &built.others {
            attributes.push((self.intern(name), *source, false));
        }
        let to = self.local(Kind::Op);
        self.step(Step::Create(CreateOp {
            name,
            operands,
            operand_segments,
            attributes,
            results,
            result_segments,
            location,
            to,
            span,
        }));
        if let Some(symbol) = symbol
            && let Some(Symbol::Built { local, .. }) = self.symbols.find_mut(split_index(symbol).0)
        {
            *local = Some(to);
        }
        Ok(Made::Op(to, def, index))
    }

    fn arguments(&mut self, op: &Op<'a>, args: &[DagArg<'a>], span: Span, depth: usize) -> Try<Arguments> {
        // Nested patterns come first, as in the generated C++: what they bind can be used by the leaves.
        let nested = |arg: &DagArg<'a>| matches!(item(self.defs.records, arg), Item::Dag(_));
        let mut order: Vec<usize> = (0..args.len()).filter(|&i| nested(&args[i])).collect();
        order.extend((0..args.len()).filter(|&i| !nested(&args[i])));
        let mut things = vec![None; args.len()];
        let mut result = Ok(());
        for i in order {
            let at = Position {
                replaces: i64::try_from(i).unwrap_or(i64::MAX),
                depth: depth + 1,
                wanted: Expected::Any,
            };
            match self.argument(op, i, &args[i], span_of(&args[i], span), at) {
                Ok(thing) => things[i] = Some(thing),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        Ok(Arguments { things: things.into_iter().flatten().collect() })
    }

    fn argument(&mut self, op: &Op<'a>, i: usize, arg: &DagArg<'a>, span: Span, at: Position) -> Try<Thing> {
        match op.args[i].kind {
            ArgKind::Operand(index) if op.operands[index].arity == Arity::Variadic => {
                let at = Position { wanted: Expected::Kind(Kind::Values), ..at };
                self.value_range(&op.name, i, arg, span, at)
            }
            ArgKind::Operand(_) => {
                let at = Position { wanted: Expected::Kind(Kind::Value), ..at };
                self.single_value(arg, span, at)
            }
            ArgKind::Attribute(index) => {
                self.attribute_value(&op.name, i, &op.attributes[index], arg, span, at)
            }
            ArgKind::Property(index) => {
                self.property_value(&op.name, i, &op.properties[index], arg, span, at)
            }
        }
    }

    /// The types that a `returnType` directive lists.
    fn return_type(&mut self, directive: Dag<'a>, depth: usize) -> Try<ResultTypes> {
        let span = self.place(directive.span());
        let mut types = Vec::new();
        let mut result = Ok(());
        for arg in directive.args() {
            match self.return_type_item(&arg, span_of(&arg, span), depth) {
                Ok(thing) => types.push(thing.source),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        Ok(ResultTypes::Listed(types))
    }

    fn return_type_item(&mut self, arg: &DagArg<'a>, span: Span, depth: usize) -> Try<Thing> {
        let wanted = Expected::Kind(Kind::Type);
        let things = match item(self.defs.records, arg) {
            Item::Dag(inner) => {
                if !matches!(dag::head(self.defs.records, &inner), dag::Head::Native(_)) {
                    return Err(self.fail(error::return_type_item(span)));
                }
                match self.result(inner, Position { replaces: -1, depth: depth + 1, wanted })? {
                    Made::Native(things) => things,
                    _ => return Err(self.fail(error::return_type_item(span))),
                }
            }
            Item::Leaf(dag::Leaf::Text(text)) => self.call(text, span, &[], wanted, "", None)?,
            Item::Leaf(dag::Leaf::Unspecified) => {
                let Some(name) = arg.name else { return Err(self.fail(error::return_type_item(span))) };
                let thing = self.symbol(name, span)?;
                vec![self.type_of(thing, name, span)?]
            }
            Item::Leaf(_) => return Err(self.fail(error::return_type_item(span))),
        };
        match things[..] {
            [thing] if matches!(thing.kind, Kind::Type | Kind::Types) => Ok(thing),
            _ => Err(self.fail(error::return_type_item(span))),
        }
    }

    fn type_of(&mut self, thing: Thing, name: &str, span: Span) -> Try<Thing> {
        let kind = match thing.kind {
            Kind::Value => Kind::Type,
            Kind::Values => Kind::Types,
            Kind::Attr => {
                let args = [Given { name: "$0".to_owned(), arg: Arg::Of(thing.source), ty: thing.ty }];
                let text = "::llvm::cast<::mlir::TypedAttr>($0).getType()";
                let made = self.call(text, span, &args, Expected::Kind(Kind::Type), "", None)?;
                return made.first().copied().ok_or(Reported);
            }
            _ => return Err(self.fail(error::type_of_non_value(name, span))),
        };
        Ok(self.types(thing.source, kind))
    }

    fn types(&mut self, of: Source, kind: Kind) -> Thing {
        let to = self.local(kind);
        self.step(Step::TypeOf { of, to });
        Thing::new(Source::Local(to), kind)
    }

    /// The result types of an operation for which the rule gives none, and what a builder makes of the
    /// arguments. `root` is the first result group of the matched operation that it replaces.
    fn result_types(
        &mut self,
        op: &Op<'a>,
        arguments: &Arguments,
        root: Option<i64>,
        span: Span,
    ) -> Try<(ResultTypes, Option<Built>)> {
        if op.results.is_empty() {
            return Ok((ResultTypes::Listed(Vec::new()), None));
        }
        if op.has(Trait::SameOperandsAndResultType) && !op.operands.is_empty() {
            let ty = self.first_operand_type(op, arguments, span)?;
            return Ok((ResultTypes::Listed(vec![ty; op.results.len()]), None));
        }
        if op.first_attr_type && !op.attributes.is_empty() {
            let ty = self.attribute_type(op, 0, arguments, span)?;
            return Ok((ResultTypes::Listed(vec![ty; op.results.len()]), None));
        }
        if let Some(first) = root {
            return Ok((self.root_types(op, first)?, None));
        }
        if let Some(recipes) = &op.inferred {
            return Ok((self.inferred_types(op, recipes, arguments, span)?, None));
        }
        if let Some(built) = self.built(op, arguments, span)? {
            return Ok(built);
        }
        // C++ has to say; linking asks for it.
        Ok((ResultTypes::Inferred, None))
    }

    /// The types of as many result groups of the matched operation as this one has.
    fn root_types(&mut self, op: &Op<'a>, first: i64) -> Try<ResultTypes> {
        let (Some(root), Ok(first)) = (self.root_op, usize::try_from(first)) else { return Err(Reported) };
        let mut types = Vec::new();
        for group in first..first + op.results.len() {
            if group >= self.defs.ops[root].results.len() {
                break;
            }
            let (node, kind) = self.result_node(self.root, root, Some(group));
            let kind = if kind == Kind::Value { Kind::Type } else { Kind::Types };
            types.push(self.types(Source::Matched(node), kind).source);
        }
        Ok(ResultTypes::Listed(types))
    }

    /// The thing that an argument is.
    fn thing(&self, arguments: &Arguments, arg: usize) -> Try<Thing> {
        arguments.things.get(arg).copied().ok_or(Reported)
    }

    fn first_operand_type(&mut self, op: &Op<'a>, arguments: &Arguments, span: Span) -> Try<Source> {
        let is_operand = |kind: ArgKind| matches!(kind, ArgKind::Operand(_));
        let arg = op.args.iter().position(|arg| is_operand(arg.kind)).ok_or(Reported)?;
        self.value_type(op, arg, arguments, span)
    }

    /// The type of an argument: of the value, of the first value, or that an attribute states.
    fn value_type(&mut self, op: &Op<'a>, arg: usize, arguments: &Arguments, span: Span) -> Try<Source> {
        let thing = self.thing(arguments, arg)?;
        match (op.args[arg].kind, thing.kind) {
            (ArgKind::Operand(_), Kind::Value) => Ok(self.types(thing.source, Kind::Type).source),
            (ArgKind::Operand(_), _) => self.type_by("$0.front().getType()", thing, span),
            (ArgKind::Attribute(index), _) => self.attribute_type(op, index, arguments, span),
            (ArgKind::Property(_), _) => Err(self.fail(error::type_from_property(&op.name, span, op.span))),
        }
    }

    fn type_by(&mut self, text: &str, thing: Thing, span: Span) -> Try<Source> {
        let args = [Given { name: "$0".to_owned(), arg: Arg::Of(thing.source), ty: thing.ty }];
        let made = self.call(text, span, &args, Expected::Kind(Kind::Type), "", None)?;
        made.first().map(|thing| thing.source).ok_or(Reported)
    }

    /// The type that attribute number `index` holds, if it holds one, or else states.
    fn attribute_type(
        &mut self,
        op: &Op<'a>,
        index: usize,
        arguments: &Arguments,
        span: Span,
    ) -> Try<Source> {
        let arg = op.args.iter().position(|arg| arg.kind == ArgKind::Attribute(index)).ok_or(Reported)?;
        let thing = self.thing(arguments, arg)?;
        if op.attributes[index].spec.is_type {
            self.type_by("::llvm::cast<::mlir::TypeAttr>($0).getValue()", thing, span)
        } else {
            self.type_by("::llvm::cast<::mlir::TypedAttr>($0).getType()", thing, span)
        }
    }

    /// Types that follow from what ODS declares.
    fn inferred_types(
        &mut self,
        op: &Op<'a>,
        recipes: &[Recipe<'a>],
        arguments: &Arguments,
        span: Span,
    ) -> Try<ResultTypes> {
        let mut types: Vec<Option<Source>> = vec![None; recipes.len()];
        // A result may follow from a later one; what is known grows by at least one a round.
        for _ in 0..recipes.len() {
            for (i, recipe) in recipes.iter().enumerate() {
                if types[i].is_some() {
                    continue;
                }
                let (from, transform) = match *recipe {
                    Recipe::Fixed(text) => {
                        types[i] = Some(self.fixed_type(text, span)?);
                        continue;
                    }
                    Recipe::Arg { arg, transform } => (self.value_type(op, arg, arguments, span)?, transform),
                    Recipe::Result { result, transform } => match types[result] {
                        Some(ty) => (ty, transform),
                        None => continue,
                    },
                };
                types[i] = Some(self.transformed(from, transform, span)?);
            }
        }
        Ok(ResultTypes::Listed(types.into_iter().flatten().collect()))
    }

    fn fixed_type(&mut self, text: &str, span: Span) -> Try<Source> {
        let value = self.session.constant_of(text, Expected::Kind(Kind::Type), span)?;
        let to = self.local(Kind::Type);
        self.step(Step::Type { value, to });
        Ok(Source::Local(to))
    }

    fn transformed(&mut self, from: Source, transform: &str, span: Span) -> Try<Source> {
        if transform.trim() == "$_self" {
            return Ok(from);
        }
        let text = transform.replace("$_ctxt", "$_builder.getContext()");
        let args = [Given { name: "$_self".to_owned(), arg: Arg::Of(from), ty: Ty::TYPE }];
        let made = self.call(&text, span, &args, Expected::Kind(Kind::Type), "", None)?;
        made.first().map(|thing| thing.source).ok_or(Reported)
    }
}
