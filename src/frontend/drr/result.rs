//! Result patterns: from dags to rewrite steps.
//!
//! The last patterns replace the results of the matched operation, counted from the end; those
//! before them are auxiliary and run first, supplemental ones run last. What a pattern makes is
//! referred to by what its position wants: one value, a range, an attribute, an argument of a
//! native.

use super::cpp::Expected;
use super::dag::{self, Head, Item, Leaf, binder, head, item, span_of};
use super::error;
use super::rule::{Reported, Rule, Thing, Try, small, text, variables};
use super::symbols::{Symbol, split_index};
use crate::frontend::cxx::Placeholder;
use crate::frontend::ods::{Attribute, OpId, Property, property_spec};
use crate::frontend::tablegen::{Dag, DagArg, Record};
use crate::host::Kind;
use crate::pdl::{Arg, Arity, Constant, LocalId, LocationSpec, Replacement, Source, Step};
use crate::snippet::{AttrClass, Item as SnippetItem, Ty};
use crate::source::Span;
use crate::stack::with_room;

/// What a result pattern has made.
#[derive(Clone, Debug)]
pub(super) enum Made<'a> {
    /// An operation; with the index that its symbol has, if any.
    Op(LocalId, OpId, Option<usize>),
    /// Results of a native call.
    Native(Vec<Thing>),
    /// What `replaceWithValue` names.
    Symbol(&'a str, Span),
    /// A range of values.
    Range(LocalId),
}

/// Where a result pattern stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Position {
    /// The first result group of the matched operation that it replaces; negative: none.
    pub(super) replaces: i64,
    /// How deep it is nested.
    pub(super) depth: usize,
    /// What a native call here has to give.
    pub(super) wanted: Expected,
}

impl<'a> Rule<'_, '_, 'a> {
    /// Lowers all result patterns and the replacement of the matched operation.
    pub(super) fn results(&mut self, patterns: &[Dag<'a>], supplemental: &[Dag<'a>]) -> Try<()> {
        let Some(root_def) = self.root_op else { return Err(Reported) };
        let defs = self.defs;
        let root = &defs.ops[root_def];
        let mut result = Ok(());
        for pattern in patterns {
            result = result.and(self.collect(*pattern, 0));
        }
        result?;
        let (offsets, first) = self.offsets(patterns, root.results.len())?;
        let mut values = Vec::new();
        for (i, pattern) in patterns.iter().enumerate() {
            let lowered = if i < first {
                self.auxiliary(*pattern, offsets[i])
            } else {
                self.replacing(*pattern, offsets[i]).map(|parts| values.extend(parts))
            };
            result = result.and(lowered);
        }
        for (i, pattern) in supplemental.iter().enumerate() {
            let at = i64::try_from(supplemental.len() - i).unwrap_or(i64::MAX);
            result = result.and(self.auxiliary(*pattern, -at));
        }
        result?;
        let op = Source::Matched(self.root);
        if root.results.is_empty() {
            self.step(Step::Erase { op });
        } else {
            self.step(Step::Replace { op, with: Replacement::Values(values) });
        }
        Ok(())
    }

    /// Binds the symbols of a result pattern before any of it is lowered.
    fn collect(&mut self, pattern: Dag<'a>, depth: usize) -> Try<()> {
        let span = self.place(pattern.span());
        self.too_deep(depth, span)?;
        let records = self.defs.records;
        let symbol = pattern.operator_name();
        let mut result = match (head(records, &pattern), symbol) {
            (Head::Op(record), symbol) => match (self.op_of(record, span), symbol) {
                (Ok(op), Some(symbol)) => {
                    self.bind(split_index(symbol).0, Symbol::Built { op, local: None }, span)
                }
                (op, _) => op.map(|_| ()),
            },
            (Head::Native(record), Some(symbol)) => {
                let count = returns(record);
                self.bind(split_index(symbol).0, Symbol::Native { count, locals: Vec::new() }, span)
            }
            (Head::Nothing, _) => Err(self.fail(error::head_not_a_record(span))),
            (Head::Native(_), None) | (_, None) => Ok(()),
            (Head::ReplaceWithValue, Some(symbol)) => {
                Err(self.fail(error::bind_directive(symbol, "replaceWithValue", span)))
            }
            (Head::Location, Some(symbol)) => Err(self.fail(error::bind_directive(symbol, "location", span))),
            (Head::ReturnType, Some(symbol)) => {
                Err(self.fail(error::bind_directive(symbol, "returnType", span)))
            }
            (Head::Either, Some(symbol)) => Err(self.fail(error::bind_directive(symbol, "either", span))),
            (Head::Variadic, Some(symbol)) => Err(self.fail(error::bind_directive(symbol, "variadic", span))),
        };
        let op = matches!(head(records, &pattern), Head::Op(_));
        for arg in pattern.args() {
            if let Item::Dag(inner) = item(records, &arg) {
                result = result.and(with_room(|| self.collect(inner, depth + 1)));
                if op && matches!(head(records, &inner), Head::Variadic) {
                    result = result.and(self.operands_only(inner));
                }
            }
        }
        result
    }

    /// A symbol in the list of a `variadic` operand can only be one of an operand: `mlir-tblgen` binds it as one.
    fn operands_only(&mut self, list: Dag<'a>) -> Try<()> {
        let around = self.place(list.span());
        let mut result = Ok(());
        for arg in list.args() {
            let Some(name) = binder(&arg).filter(|_| matches!(item(self.defs.records, &arg), Item::Leaf(_)))
            else {
                continue;
            };
            let span = span_of(&arg, around);
            result = result.and(self.no_index(name, span));
            if let Some((symbol, first)) = self.symbols.find(name)
                && !matches!(symbol, Symbol::Operand { .. } | Symbol::List(_))
            {
                let error = error::bound_twice(name, span, *first);
                result = Err(self.fail(error));
            }
        }
        result
    }

    /// For each pattern, the first result group of the matched operation that it replaces; and
    /// which pattern is the first to replace any.
    fn offsets(&mut self, patterns: &[Dag<'a>], expected: usize) -> Try<(Vec<i64>, usize)> {
        let mut at = i64::try_from(expected).unwrap_or(i64::MAX);
        let mut first = if expected == 0 { Some(patterns.len()) } else { None };
        let mut offsets = vec![0; patterns.len()];
        for (i, pattern) in patterns.iter().enumerate().rev() {
            let before = at;
            at -= i64::try_from(self.value_count(pattern)).unwrap_or(i64::MAX);
            offsets[i] = at;
            if at == 0 {
                first.get_or_insert(i);
            } else if at < 0 && before > 0 {
                let span = self.place(pattern.span());
                return Err(self.fail(error::partial_replacement(span)));
            }
        }
        if at > 0 {
            let Some(root) = self.root_op else { return Err(Reported) };
            let given = expected - usize::try_from(at).unwrap_or(expected);
            let defs = self.defs;
            let error = error::not_enough_values(&defs.ops[root].name, given, expected, self.span);
            return Err(self.fail(error));
        }
        Ok((offsets, first.unwrap_or(0)))
    }

    fn value_count(&self, pattern: &Dag<'a>) -> usize {
        match head(self.defs.records, pattern) {
            Head::Op(record) => match pattern.operator_name() {
                Some(symbol) if split_index(symbol).1.is_some() => 1,
                _ => self.defs.op_of(record.id()).map_or(0, |op| self.defs.ops[op].results.len()),
            },
            Head::Native(record) => returns(record),
            _ => 1,
        }
    }

    fn auxiliary(&mut self, pattern: Dag<'a>, replaces: i64) -> Try<()> {
        let wanted = match head(self.defs.records, &pattern) {
            Head::Native(record) if returns(record) == 0 => Expected::Nothing,
            _ => Expected::Any,
        };
        let made = self.result(pattern, Position { replaces, depth: 0, wanted })?;
        if let Made::Symbol(name, span) = made {
            self.symbol(name, span)?;
        }
        Ok(())
    }

    fn replacing(&mut self, pattern: Dag<'a>, replaces: i64) -> Try<Vec<Source>> {
        let span = self.place(pattern.span());
        let defs = self.defs;
        let group = usize::try_from(replaces).unwrap_or(0);
        let arity = self.root_op.and_then(|op| defs.ops[op].results.get(group)).map(|result| result.arity);
        let wanted = match head(defs.records, &pattern) {
            Head::Native(record) => match returns(record) {
                0 => return Err(self.fail(error::nothing_to_replace_with(span))),
                1 if arity == Some(Arity::One) => Expected::Kind(Kind::Value),
                _ => Expected::Kind(Kind::Values),
            },
            _ => Expected::Any,
        };
        let made = self.result(pattern, Position { replaces, depth: 0, wanted })?;
        let thing = match made {
            Made::Native(things) => {
                let wrong =
                    things.iter().find(|thing| !matches!(thing.kind, Kind::Value | Kind::Values | Kind::Op));
                if let Some(thing) = wrong {
                    return Err(self.fail(error::constant_kind(&thing.kind.with_article(), "a value", span)));
                }
                return Ok(things.into_iter().map(|thing| thing.source).collect());
            }
            Made::Range(local) => Thing::new(Source::Local(local), Kind::Values),
            Made::Symbol(name, span) => self.symbol(name, span)?,
            Made::Op(local, op, index) => self.built_results("", local, op, index, span)?,
        };
        match thing.kind {
            Kind::Value | Kind::Values => Ok(vec![thing.source]),
            // An operation without results gives no values.
            Kind::Op => Ok(Vec::new()),
            _ => Err(self.fail(error::constant_kind(&thing.kind.with_article(), "a value", span))),
        }
    }

    /// Lowers one result pattern.
    pub(super) fn result(&mut self, pattern: Dag<'a>, at: Position) -> Try<Made<'a>> {
        let span = self.place(pattern.span());
        self.too_deep(at.depth, span)?;
        with_room(|| match head(self.defs.records, &pattern) {
            Head::Op(record) => self.create(record, pattern, at),
            Head::Native(record) => self.native(record, pattern, at),
            Head::ReplaceWithValue => self.replace_with_value(pattern),
            Head::Variadic => self.range(pattern, at),
            Head::Location => Err(self.fail(error::misplaced_directive("location", span))),
            Head::ReturnType => Err(self.fail(error::misplaced_directive("returnType", span))),
            Head::Either => Err(self.fail(error::misplaced_directive("either", span))),
            Head::Nothing => Err(self.fail(error::head_not_a_record(span))),
        })
    }

    fn replace_with_value(&mut self, pattern: Dag<'a>) -> Try<Made<'a>> {
        let span = self.place(pattern.span());
        let mut args = pattern.args();
        let (Some(arg), None) = (args.next(), args.next()) else {
            return Err(self.fail(error::replace_with_value_arity(span)));
        };
        match arg.name {
            Some(name) => Ok(Made::Symbol(name, span_of(&arg, span))),
            None => Err(self.fail(error::replace_with_value_arity(span))),
        }
    }

    /// `variadic`: a range of values.
    fn range(&mut self, pattern: Dag<'a>, at: Position) -> Try<Made<'a>> {
        let span = self.place(pattern.span());
        let mut parts = Vec::new();
        let mut result = Ok(());
        for (i, arg) in pattern.args().enumerate() {
            let replaces = i64::try_from(i).unwrap_or(i64::MAX);
            let wanted = Expected::Kind(Kind::Value);
            let inner = Position { replaces, depth: at.depth + 1, wanted };
            match self.single_value(&arg, span_of(&arg, span), inner) {
                Ok(thing) => parts.push(thing.source),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        let to = self.local(Kind::Values);
        self.step(Step::Range { parts, to });
        Ok(Made::Range(to))
    }

    /// An argument as one value.
    pub(super) fn single_value(&mut self, arg: &DagArg<'a>, span: Span, at: Position) -> Try<Thing> {
        let thing = match item(self.defs.records, arg) {
            Item::Dag(inner) => {
                let made = self.result(inner, at)?;
                self.made_value(made, span)?
            }
            Item::Leaf(leaf) => self.leaf_value(leaf, arg.name, span, Expected::Kind(Kind::Value))?,
        };
        match thing.kind {
            Kind::Value => Ok(thing),
            Kind::Values if thing.optional => {
                let args = [Given { name: "$0".to_owned(), arg: Arg::Of(thing.source), ty: thing.ty }];
                let made = self.call("$0.front()", span, &args, Expected::Kind(Kind::Value), "", None)?;
                made.first().copied().ok_or(Reported)
            }
            Kind::Attr => Err(self.fail(error::attribute_as_value(span))),
            _ => Err(self.fail(error::expected_value("this argument", &thing.kind.with_article(), span))),
        }
    }

    /// An argument as a range of values.
    pub(super) fn value_range(
        &mut self,
        op: &str,
        index: usize,
        arg: &DagArg<'a>,
        span: Span,
        at: Position,
    ) -> Try<Thing> {
        let records = self.defs.records;
        let thing = match item(records, arg) {
            Item::Dag(inner) => {
                if matches!(head(records, &inner), Head::Op(_)) {
                    return Err(self.fail(error::non_variadic(op, index, span)));
                }
                let made = self.result(inner, at)?;
                self.made_value(made, span)?
            }
            Item::Leaf(leaf) => self.leaf_value(leaf, arg.name, span, Expected::Kind(Kind::Values))?,
        };
        match thing.kind {
            Kind::Values => Ok(thing),
            Kind::Attr => Err(self.fail(error::attribute_as_value(span))),
            _ => Err(self.fail(error::non_variadic(op, index, span))),
        }
    }

    /// What a nested pattern has made, as a value or range.
    fn made_value(&mut self, made: Made<'a>, span: Span) -> Try<Thing> {
        match made {
            Made::Op(local, op, index) => self.built_results("", local, op, index, span),
            Made::Native(things) => match things[..] {
                [thing] => Ok(thing),
                [] => Err(self.fail(error::nothing_to_replace_with(span))),
                _ => {
                    let to = self.local(Kind::Values);
                    let parts = things.iter().map(|thing| thing.source).collect();
                    self.step(Step::Range { parts, to });
                    Ok(Thing::new(Source::Local(to), Kind::Values))
                }
            },
            Made::Symbol(name, span) => self.symbol(name, span),
            Made::Range(local) => Ok(Thing::new(Source::Local(local), Kind::Values)),
        }
    }

    /// A leaf where a value belongs: a symbol, or a native call of one.
    fn leaf_value(
        &mut self,
        leaf: Leaf<'a>,
        name: Option<&'a str>,
        span: Span,
        wanted: Expected,
    ) -> Try<Thing> {
        match leaf {
            Leaf::Unspecified | Leaf::Type(_) => self.named(name, span),
            Leaf::Native(record) => self.leaf_native(record, name, span, wanted),
            Leaf::ConstantAttr(_) | Leaf::EnumCase(_) | Leaf::ConstantProp(_) => {
                Err(self.fail(error::attribute_as_value(span)))
            }
            Leaf::Text(_) => Err(self.fail(error::raw_string(span))),
            Leaf::Attr(_) | Leaf::Prop(_) | Leaf::Other => Err(self.fail(error::unusable_leaf(span))),
        }
    }

    fn named(&mut self, name: Option<&'a str>, span: Span) -> Try<Thing> {
        match name {
            Some(name) => self.symbol(name, span),
            None => Err(self.fail(error::unusable_leaf(span))),
        }
    }

    /// A native call at a leaf: its `$_self` is the symbol.
    fn leaf_native(
        &mut self,
        native: Record<'a>,
        name: Option<&'a str>,
        span: Span,
        wanted: Expected,
    ) -> Try<Thing> {
        let thing = self.named(name, span)?;
        let args = [Given { name: "$_self".to_owned(), arg: Arg::Of(thing.source), ty: thing.ty }];
        let native_name = self.native_name(native);
        let made = self.call(text(native, "expression"), span, &args, wanted, &native_name, None)?;
        made.first().copied().ok_or(Reported)
    }

    /// An argument as an attribute.
    pub(super) fn attribute_value(
        &mut self,
        op: &str,
        index: usize,
        attribute: &Attribute<'a>,
        arg: &DagArg<'a>,
        span: Span,
        at: Position,
    ) -> Try<Thing> {
        let wanted = Expected::Kind(Kind::Attr);
        let records = self.defs.records;
        let thing = match item(records, arg) {
            Item::Dag(inner) => {
                if !matches!(head(records, &inner), Head::Native(_)) {
                    return Err(self.fail(error::only_native_in_attribute(op, index, span)));
                }
                let made = self.result(inner, Position { wanted, ..at })?;
                let thing = self.made_value(made, span)?;
                Thing { optional: true, ..thing }
            }
            Item::Leaf(Leaf::ConstantAttr(record) | Leaf::EnumCase(record)) => {
                let constant = self.constant(record, span)?;
                self.check_class(record, op, index, attribute, span)?;
                return Ok(self.constant_thing(constant, attribute.spec.storage));
            }
            Item::Leaf(Leaf::ConstantProp(_)) => {
                return Err(self.fail(error::constant_kind("a property", "an attribute", span)));
            }
            Item::Leaf(Leaf::Native(record)) => {
                let thing = self.leaf_native(record, arg.name, span, wanted)?;
                Thing { optional: true, ..thing }
            }
            Item::Leaf(Leaf::Text(_)) => return Err(self.fail(error::raw_string(span))),
            Item::Leaf(Leaf::Unspecified | Leaf::Type(_)) => self.named(arg.name, span)?,
            Item::Leaf(_) => return Err(self.fail(error::unusable_leaf(span))),
        };
        if thing.kind != Kind::Attr {
            return Err(self.fail(error::value_as_attribute(&thing.kind.with_article(), span)));
        }
        self.filled(thing, attribute, span)
    }

    /// An attribute that may be null, with the default in its place where the definition has one
    /// that building fills in.
    fn filled(&mut self, thing: Thing, attribute: &Attribute<'a>, span: Span) -> Try<Thing> {
        let spec = attribute.spec;
        if !thing.optional || spec.optional || spec.default.is_empty() {
            return Ok(thing);
        }
        let Some(default) = self.default_of(&spec, span)? else { return Ok(thing) };
        let ty = self.session.attr_ty(spec.storage);
        let args = [
            Given { name: "$0".to_owned(), arg: Arg::Of(thing.source), ty: thing.ty },
            Given { name: "$1".to_owned(), arg: Arg::Attr(default), ty },
        ];
        let made = self.call("$0 ? $0 : $1", span, &args, Expected::Kind(Kind::Attr), "", None)?;
        made.first().copied().ok_or(Reported)
    }

    /// An argument as a property: the attribute that holds it.
    pub(super) fn property_value(
        &mut self,
        op: &str,
        index: usize,
        property: &Property<'a>,
        arg: &DagArg<'a>,
        span: Span,
        at: Position,
    ) -> Try<Thing> {
        let wanted = Expected::Property(self.session.property_form(property));
        let records = self.defs.records;
        let thing = match item(records, arg) {
            Item::Dag(inner) => {
                if !matches!(head(records, &inner), Head::Native(_)) {
                    return Err(self.fail(error::only_native_in_attribute(op, index, span)));
                }
                let made = self.result(inner, Position { wanted, ..at })?;
                self.made_value(made, span)?
            }
            Item::Leaf(Leaf::ConstantProp(record)) => {
                let constant = self.session.property_constant(property, text(record, "value"), span)?;
                return Ok(self.constant_thing(constant, ""));
            }
            Item::Leaf(Leaf::ConstantAttr(_) | Leaf::EnumCase(_)) => {
                return Err(self.fail(error::constant_kind("an attribute", "a property", span)));
            }
            Item::Leaf(Leaf::Native(record)) => self.leaf_native(record, arg.name, span, wanted)?,
            Item::Leaf(Leaf::Text(_)) => return Err(self.fail(error::raw_string(span))),
            Item::Leaf(Leaf::Unspecified | Leaf::Type(_) | Leaf::Prop(_)) => {
                let thing = self.named(arg.name, span)?;
                // What comes from another property may be an attribute of the enumeration.
                if thing.kind == Kind::Attr && property.enumeration.is_some() && !property.reads_attr_form {
                    let given = Given { name: "$0".to_owned(), arg: Arg::Of(thing.source), ty: thing.ty };
                    let made = self.call("$0", span, &[given], wanted, "", None)?;
                    return made.first().copied().ok_or(Reported);
                }
                thing
            }
            Item::Leaf(_) => return Err(self.fail(error::unusable_leaf(span))),
        };
        if thing.kind != Kind::Attr {
            return Err(self.fail(error::value_as_attribute(&thing.kind.with_article(), span)));
        }
        Ok(thing)
    }

    /// That a constant can be of the class that the attribute is of, as far as both are known.
    fn check_class(
        &mut self,
        record: Record<'a>,
        op: &str,
        index: usize,
        attribute: &Attribute<'a>,
        span: Span,
    ) -> Try<()> {
        let (given, wanted) =
            (self.session.constant_ty(record), self.session.attr_ty(attribute.spec.storage));
        let (SnippetItem::Attr(given), SnippetItem::Attr(wanted)) = (given.item, wanted.item) else {
            return Ok(());
        };
        let named = |class| matches!(class, AttrClass::Named(_));
        if given.is_a(wanted) || wanted.is_a(given) || named(given) || named(wanted) {
            return Ok(());
        }
        Err(self.fail(error::constant_class(&given.cxx_name(), op, index, &wanted.cxx_name(), span)))
    }

    /// The constant of a `ConstantAttr` or an enum case that is to be built.
    fn constant(&mut self, record: Record<'a>, span: Span) -> Try<Constant> {
        match self.session.constant_attr(record, span)? {
            Some(constant) => Ok(constant),
            None => {
                let attr = record.def_field("attr").unwrap_or(record);
                Err(self.fail(error::not_const_buildable(attr.name(), span)))
            }
        }
    }

    pub(super) fn constant_thing(&mut self, value: Constant, storage: &str) -> Thing {
        let to = self.local(Kind::Attr);
        self.step(Step::Attr { value, to });
        Thing { ty: self.session.attr_ty(storage), ..Thing::new(Source::Local(to), Kind::Attr) }
    }

    /// A native call with arguments.
    fn native(&mut self, native: Record<'a>, pattern: Dag<'a>, at: Position) -> Try<Made<'a>> {
        let span = self.place(pattern.span());
        let directives = dag::directives(self.defs.records, &pattern);
        if let Some((name, span)) = directives.duplicate {
            return Err(self.fail(error::duplicate_directive(name, span)));
        }
        if directives.return_type.is_some() {
            return Err(self.fail(error::return_type_on_native(span)));
        }
        let mut args = Vec::new();
        let mut result = Ok(());
        for (i, arg) in pattern.args().take(directives.rest).enumerate() {
            match self.native_arg(&arg, i, span_of(&arg, span), at.depth) {
                Ok(arg) => args.push(arg),
                Err(Reported) => result = Err(Reported),
            }
        }
        result?;
        let location = self.location(directives.location)?;
        let count = returns(native);
        let wanted = match (count, at.wanted) {
            (0, _) => Expected::Nothing,
            (1, wanted) => wanted,
            (count, _) => Expected::Many(small(count)),
        };
        let name = self.native_name(native);
        let made = self.call(text(native, "expression"), span, &args, wanted, &name, Some(location))?;
        let Some(symbol) = pattern.operator_name() else { return Ok(Made::Native(made)) };
        let (name, index) = split_index(symbol);
        let results = made.iter().filter_map(|thing| match thing.source {
            Source::Local(local) => Some((local, thing.kind)),
            Source::Matched(_) => None,
        });
        let results: Vec<(LocalId, Kind)> = results.collect();
        if let Some(Symbol::Native { locals, .. }) = self.symbols.find_mut(name) {
            *locals = results;
        }
        if index.is_some() {
            return Ok(Made::Native(vec![self.symbol(symbol, span)?]));
        }
        Ok(Made::Native(made))
    }

    fn native_arg(&mut self, arg: &DagArg<'a>, index: usize, span: Span, depth: usize) -> Try<Given> {
        let records = self.defs.records;
        let name = format!("${index}");
        let wanted = Expected::Any;
        let thing = match item(records, arg) {
            Item::Dag(inner) => {
                let replaces = i64::try_from(index).unwrap_or(i64::MAX);
                match self.result(inner, Position { replaces, depth: depth + 1, wanted })? {
                    // The generated C++ passes the operation itself, which turns into its result.
                    Made::Op(local, op, None) => self.whole_op(Source::Local(local), op),
                    made => self.made_value(made, span)?,
                }
            }
            Item::Leaf(Leaf::ConstantAttr(record) | Leaf::EnumCase(record)) => {
                let constant = self.constant(record, span)?;
                let ty = self.session.constant_ty(record);
                return Ok(Given { name, arg: Arg::Attr(constant), ty });
            }
            Item::Leaf(Leaf::ConstantProp(record)) => {
                let property = property_spec("", record);
                let ty = self.session.property_ty(&property);
                let constant = self.session.property_constant(&property, text(record, "value"), span)?;
                return Ok(Given { name, arg: Arg::Attr(constant), ty });
            }
            Item::Leaf(Leaf::Native(record)) => self.leaf_native(record, arg.name, span, wanted)?,
            Item::Leaf(Leaf::Text(_)) => return Err(self.fail(error::raw_string(span))),
            Item::Leaf(Leaf::Unspecified | Leaf::Type(_)) => self.named(arg.name, span)?,
            Item::Leaf(_) => return Err(self.fail(error::unusable_leaf(span))),
        };
        Ok(Given { name, arg: Arg::Of(thing.source), ty: thing.ty })
    }

    /// Calls a snippet, or the native it stands for, in the rewrite.
    pub(super) fn call(
        &mut self,
        expression: &str,
        span: Span,
        args: &[Given],
        wanted: Expected,
        name: &str,
        location: Option<LocationSpec>,
    ) -> Try<Vec<Thing>> {
        let mut args: Vec<Given> = args.to_vec();
        let default = variables(expression).contains(&"odsLoc");
        for (name, named) in [("$_loc", expression.contains("$_loc")), ("odsLoc", default)] {
            if !named {
                continue;
            }
            let spec = location.clone().filter(|_| name == "$_loc");
            let spec = spec.unwrap_or_else(|| self.default_location());
            let to = self.local(Kind::Location);
            self.step(Step::Location { spec, to });
            args.push(Given { name: name.to_owned(), arg: Arg::Of(Source::Local(to)), ty: Ty::LOCATION });
        }
        for (name, thing) in self.generated_variables(expression) {
            if args.iter().all(|arg| arg.name != name) {
                args.push(Given { name, arg: Arg::Of(thing.source), ty: thing.ty });
            }
        }
        let params: Vec<Placeholder> =
            args.iter().map(|arg| Placeholder::new(arg.name.clone(), arg.ty)).collect();
        let (callee, kinds) = self.session.rewrite_call(expression, span, &params, wanted, name)?;
        let mut made = Vec::new();
        let mut to = Vec::new();
        for (kind, ty) in kinds {
            let local = self.local(kind);
            to.push(local);
            made.push(Thing { ty, ..Thing::new(Source::Local(local), kind) });
        }
        let args = args.into_iter().map(|arg| arg.arg).collect();
        self.step(Step::Call { callee, args, to, span });
        Ok(made)
    }

    fn default_location(&self) -> LocationSpec {
        LocationSpec::Fused { of: self.located.clone(), metadata: None }
    }

    /// The location that a directive gives, or the default.
    pub(super) fn location(&mut self, directive: Option<Dag<'a>>) -> Try<LocationSpec> {
        let Some(directive) = directive else { return Ok(self.default_location()) };
        let span = self.place(directive.span());
        let mut text = None;
        let mut of = Vec::new();
        for arg in directive.args() {
            let at = span_of(&arg, span);
            match (item(self.defs.records, &arg), arg.name) {
                (Item::Leaf(Leaf::Text(string)), _) if text.is_none() => text = Some(self.intern(string)),
                (Item::Leaf(_), Some(name)) => of.push(self.located_at(name, at)?),
                _ => return Err(self.fail(error::location_arguments(at))),
            }
        }
        match (text, of.len()) {
            (None, 0) => Err(self.fail(error::location_arguments(span))),
            (Some(name), 0) => Ok(LocationSpec::Named { name, child: None }),
            (metadata, _) => Ok(LocationSpec::Fused { of, metadata }),
        }
    }

    /// What has the location of a symbol: the operation itself where the symbol stands for results.
    fn located_at(&mut self, written: &str, span: Span) -> Try<Source> {
        match self.symbols.find(split_index(written).0) {
            Some((Symbol::Matched { node, .. }, _)) => {
                self.rewrite.located.push(*node);
                Ok(Source::Matched(*node))
            }
            Some((Symbol::Built { local: Some(local), .. }, _)) => Ok(Source::Local(*local)),
            _ => {
                let thing = self.symbol(written, span)?;
                match thing.kind {
                    Kind::Value | Kind::Op => Ok(thing.source),
                    _ => Err(self.fail(error::expected_value(
                        "what a location names",
                        &thing.kind.with_article(),
                        span,
                    ))),
                }
            }
        }
    }
}

/// An argument of a call with the placeholder that stands for it.
#[derive(Clone, Debug)]
pub(super) struct Given {
    pub(super) name: String,
    pub(super) arg: Arg<Source>,
    pub(super) ty: Ty,
}

/// How many results a `NativeCodeCall` has.
fn returns(native: Record<'_>) -> usize {
    native.int_field("numReturns").ok().and_then(|count| usize::try_from(count).ok()).unwrap_or(1)
}
