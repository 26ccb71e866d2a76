//! Lowers the rewrite: its operations become steps.

use super::super::ast::{Op, OpId, OpKind, Use};
use super::super::error;
use super::lowering::Lowering;
use super::users::Extension;
use crate::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
use crate::host::{Kind, MAX_REGIONS};
use crate::pdl::{
    Arg, Arity, Callee, CreateOp, LocalId, LocationSpec, Node, Replacement, ResultTypes, Segments, Source,
    Step, ValueSource, extension as ext,
};
use crate::snippet::{Item, Ty, TypeClass};
use crate::source::Span;

impl<'a> Lowering<'_, '_, 'a> {
    pub(super) fn rewrite_part(&mut self) {
        let pattern = self.pattern;
        let Some(rewrite) = pattern.body.last().map(|&id| &pattern.ops[id]) else { return };
        let OpKind::Rewrite { root, external, args, body } = &rewrite.kind else { return };
        if let Some(name) = external {
            let taken: Vec<Use> = root.iter().chain(args).copied().collect();
            let Some(args) = self.args(rewrite, &taken, |lowering, used| lowering.source(used)) else {
                return;
            };
            let callee = Callee::Native(self.intern(name));
            self.rule.rewrite.steps.push(Step::Call { callee, args, to: Vec::new(), span: rewrite.span });
        }
        for &id in body.iter().flatten() {
            self.step(id, &pattern.ops[id]);
        }
    }

    fn step(&mut self, id: OpId, op: &Op<'a>) -> Option<()> {
        match &op.kind {
            OpKind::Attribute { value: Some(_), .. } if self.is_argument(op) => {}
            OpKind::Attribute { value: Some(value), .. } => {
                let value = self.attr(*value);
                self.add_step(op, Kind::Attr, |to| Step::Attr { value, to });
            }
            OpKind::Type { value: Some(ty) } => {
                let value = self.ty(*ty);
                self.add_step(op, Kind::Type, |to| Step::Type { value, to });
            }
            OpKind::Types { values: Some(types) } => {
                let mut parts = Vec::new();
                for &ty in types {
                    let (value, to) = (self.ty(ty), self.local(Kind::Type));
                    self.push(Step::Type { value, to });
                    parts.push(to.into());
                }
                self.add_step(op, Kind::Types, |to| Step::Range { parts, to });
            }
            // These types become known when an operation with results of these types is created.
            OpKind::Type { value: None } | OpKind::Types { values: None } => {}
            OpKind::Range { parts } => {
                let kind = self.pattern.values[*op.results.first()?].kind;
                let parts = self.sources(parts)?;
                self.add_step(op, kind, |to| Step::Range { parts, to });
            }
            OpKind::Result { op: of, index } => {
                let (of, index) = (self.source(*of)?, *index);
                self.add_step(op, Kind::Value, |to| Step::Result { op: of, index, to });
            }
            OpKind::Results { op: of, index } => self.results(op, *of, *index)?,
            OpKind::NativeRewrite { name, args } => self.native_rewrite(op, name, args)?,
            OpKind::Erase { op } => {
                let op = self.source(*op)?;
                self.push(Step::Erase { op });
            }
            OpKind::Replace { op, by, values } => {
                let op = self.source(*op)?;
                let with = match by {
                    Some(by) => Replacement::Op(self.source(*by)?),
                    None => Replacement::Values(self.sources(values)?),
                };
                self.push(Step::Replace { op, with });
            }
            OpKind::Operation { .. } => self.create(id, op)?,
            // The verifier has rejected other operations here.
            _ => {}
        }
        Some(())
    }

    fn native_rewrite(&mut self, op: &Op<'a>, name: &str, args: &[Use]) -> Option<()> {
        let (callee, args) = match Extension::of_rewrite(name) {
            Some(Extension::Expression(ext::SNIPPET)) => self.expression(op, args)?,
            Some(extension) => return self.rewrite_extension(extension, name, op, args),
            None => (Callee::Native(self.intern(name)), args),
        };
        let args = self.args(op, args, |lowering, used| lowering.source(used))?;
        let mut to = Vec::new();
        for (&result, kind) in op.results.iter().zip(self.result_kinds(op)) {
            let local = self.local(kind);
            self.created[result] = Some(local.into());
            to.push(local);
        }
        self.push(Step::Call { callee, args, to, span: op.span });
        Some(())
    }

    /// Lowers all results of an operation, or one result group.
    fn results(&mut self, op: &Op<'a>, of: Use, group: Option<u32>) -> Option<()> {
        let of_source = self.source(of)?;
        let kind = self.pattern.values[*op.results.first()?].kind;
        let Some(group) = group else {
            self.add_step(op, Kind::Values, |to| Step::Results { op: of_source, range: None, to });
            return Some(());
        };
        if let Source::Matched(node) = of_source {
            let source = Some(ValueSource::Results { op: node, group: Some(group) });
            let result = *op.results.first()?;
            let node = match kind {
                Kind::Value => self.add_node(result, Node::Value { ty: None, source }),
                _ => self.add_node(result, Node::Values { types: None, source }),
            };
            self.created[result] = Some(node.into());
            return Some(());
        }
        let pattern = self.pattern;
        let types = match &pattern.ops[pattern.values[of.value].def].kind {
            OpKind::Operation { types, .. } => types.as_slice(),
            _ => &[],
        };
        let is_one = |ty: &Use| self.kind(*ty) == Kind::Type;
        let index = usize::try_from(group).ok()?;
        let before_are_single = index <= types.len() && types[..index].iter().all(is_one);
        let alone = index == 0 && types.len() <= 1;
        if kind == Kind::Value && before_are_single && types.get(index).is_none_or(is_one) {
            self.add_step(op, kind, |to| Step::Result { op: of_source, index: group, to });
        } else if kind == Kind::Values && alone {
            self.add_step(op, kind, |to| Step::Results { op: of_source, range: None, to });
        } else if kind == Kind::Values && before_are_single && types.get(index).is_some_and(is_one) {
            self.add_step(op, kind, |to| Step::Results { op: of_source, range: Some((group, 1)), to });
        } else if let Some((callee, args)) = self.open_group(of_source, index, types, kind, op.span) {
            let to = self.local(kind);
            self.push(Step::Call { callee, args, to: vec![to], span: op.span });
            self.set_created(op, to.into());
        } else {
            self.report(error::open_result_group(op.span));
        }
        Some(())
    }

    /// Returns an expression for a result group of a new operation, and the arguments of the expression. If the
    /// operation lists at most one type or range, each group before this one is assumed to hold one result.
    fn open_group(
        &mut self,
        of: Source,
        index: usize,
        types: &[Use],
        kind: Kind,
        span: Span,
    ) -> Option<(Callee, Vec<Arg<Source>>)> {
        let mut args = vec![Arg::Of(of)];
        let mut params = vec![Placeholder::new("$0", Ty::OP)];
        // An expression for the number of results in some groups, or `None` if this number is not known.
        let mut size = |groups: &[Use]| {
            let mut sum = groups.iter().filter(|&&ty| self.kind(ty) == Kind::Type).count().to_string();
            for &ty in groups.iter().filter(|&&ty| self.kind(ty) != Kind::Type) {
                let source = self.created[ty.value].or_else(|| self.nodes[ty.value].map(Source::Matched))?;
                let number = args.len();
                args.push(Arg::Of(source));
                params.push(Placeholder::new(format!("${number}"), Ty::range(Item::Type(TypeClass::Any))));
                sum.push_str(&format!(" + ${number}.size()"));
            }
            Some(sum)
        };
        let results = "$0->getResults()";
        let mut text = if types.len() <= 1 {
            format!("{results}.drop_front({index})")
        } else {
            let (before, after) = (types.get(..index)?, types.get(index + 1..)?);
            match (size(before), size(&types[index..=index])) {
                (Some(before), Some(own)) => format!("{results}.slice({before}, {own})"),
                (Some(before), None) => {
                    format!("{results}.drop_front({before}).drop_back({})", size(after)?)
                }
                (None, own) => format!("{results}.drop_back({}).take_back({})", size(after)?, own?),
            }
        };
        if kind == Kind::Value {
            text.push_str(".front()");
        }
        let request = Request { params: &params, expected: Expected::Kind(kind), resolver: &NoResolver };
        let snippet = cxx::compile(&mut self.rules.snippets, &Text::new(&text, span), &request).ok()?;
        Some((Callee::Snippet(snippet), args))
    }

    fn create(&mut self, id: OpId, op: &Op<'a>) -> Option<()> {
        let OpKind::Operation { name, operands, names, attributes, types } = &op.kind else { return None };
        let name = name.as_deref()?;
        let name = self.intern(name);
        let operands = self.sources(operands)?;
        let mut create = CreateOp {
            name,
            operands,
            operand_segments: None,
            attributes: Vec::new(),
            results: ResultTypes::Listed(Vec::new()),
            result_segments: None,
            regions: self.region_count(op)?,
            location: LocationSpec::Fused {
                of: self.rule.matcher.ops_in_post_order().into_iter().map(Source::Matched).collect(),
                metadata: None,
            },
            to: self.local(Kind::Op),
            span: op.span,
        };
        let declared = op
            .discardable
            .map(|discardable| self.text_entries(discardable, ext::DECLARED))
            .unwrap_or_default();
        for (attr, &value) in names.iter().zip(attributes) {
            if self.create_extension(&mut create, attr, value)? {
                continue;
            }
            let key = self.intern(attr);
            let known = self.rules.ops.find(name);
            let known = known.is_some_and(|def| def.attributes.iter().any(|known| known.name == key));
            let declared = known || declared.iter().any(|name| name == attr);
            let value = self.source(value)?;
            create.attributes.push((key, value, declared));
        }
        if let Some(def) = self.rules.ops.find(name) {
            let sizes = |segments: Segments| match segments {
                Segments::Attribute(name) => {
                    Some(name).filter(|name| !create.attributes.iter().any(|a| a.0 == *name))
                }
                _ => None,
            };
            let (operand_sizes, result_sizes) = (sizes(def.operand_segments), sizes(def.result_segments));
            create.operand_segments = create.operand_segments.or(operand_sizes);
            create.result_segments = create.result_segments.or(result_sizes);
        }
        create.results = self.result_types(id, op, types, &create)?;
        let to = create.to;
        self.push(Step::Create(create));
        self.set_created(op, to.into());
        self.bind_types(types, to);
        Some(())
    }

    /// The number of regions that an extension states, or 0.
    fn region_count(&mut self, op: &Op<'a>) -> Option<u32> {
        let Some(count) = op.discardable.and_then(|discardable| self.int_entry(discardable, ext::REGIONS))
        else {
            return Some(0);
        };
        let count = u32::try_from(count).ok().filter(|&count| count <= MAX_REGIONS);
        if count.is_none() {
            let problem = format!("must be a number of regions from 0 to {MAX_REGIONS}");
            self.malformed(ext::REGIONS, &problem, op);
        }
        count
    }

    fn result_types(
        &mut self,
        id: OpId,
        op: &Op<'a>,
        types: &[Use],
        create: &CreateOp,
    ) -> Option<ResultTypes> {
        if let [ty] = types
            && self.is_inferred(*ty)
        {
            return Some(ResultTypes::Inferred);
        }
        let is_known = |used: &&Use| self.created[used.value].is_some() || self.def(**used).parent.is_none();
        let unknown = types.iter().position(|used| !is_known(&used));
        if !types.is_empty() && unknown.is_none() {
            return Some(ResultTypes::Listed(self.sources(types)?));
        }
        let known = self.rules.ops.find(create.name);
        if known.is_some_and(|def| def.result_types.is_some() || def.infers_types) {
            return Some(ResultTypes::Inferred);
        }
        if let Some(replaced) = self.replaced_by(id, op) {
            let of = self.source(replaced)?;
            let (values, types) = (self.local(Kind::Values), self.local(Kind::Types));
            self.push(Step::Results { op: of, range: None, to: values });
            self.push(Step::TypeOf { of: values.into(), to: types });
            return Some(ResultTypes::Listed(vec![types.into()]));
        }
        if let Some(index) = unknown {
            self.report(error::unknown_result_type(index, op.span));
            return None;
        }
        let known = self.rules.ops.find(create.name);
        if known.is_some_and(|def| def.results.iter().any(|result| result.arity == Arity::One)) {
            let name = self.rules.strings[create.name].to_owned();
            self.report(error::unknown_result_types(&name, op.span));
            return None;
        }
        Some(ResultTypes::Listed(Vec::new()))
    }

    /// Returns the operation that a new operation replaces, if the replaced operation exists before the new one.
    fn replaced_by(&self, id: OpId, op: &Op<'a>) -> Option<Use> {
        let replaced = *self.replaced.get(op.results.first()?)?;
        let def = self.pattern.values[replaced.value].def;
        (self.pattern.ops[def].parent.is_none() || def < id).then_some(replaced)
    }

    /// Binds types without a value to the types of a new operation's results.
    fn bind_types(&mut self, types: &[Use], op: LocalId) {
        for (index, &ty) in (0u32..).zip(types) {
            if self.created[ty.value].is_some()
                || self.def(ty).parent.is_none()
                || self.use_counts[ty.value].all < 2
            {
                continue;
            }
            let single = types[..index as usize].iter().all(|&ty| self.kind(ty) == Kind::Type);
            let to = match self.kind(ty) {
                Kind::Type if single => {
                    let (value, to) = (self.local(Kind::Value), self.local(Kind::Type));
                    self.push(Step::Result { op: op.into(), index, to: value });
                    self.push(Step::TypeOf { of: value.into(), to });
                    to
                }
                Kind::Types if types.len() == 1 => {
                    let (values, to) = (self.local(Kind::Values), self.local(Kind::Types));
                    self.push(Step::Results { op: op.into(), range: None, to: values });
                    self.push(Step::TypeOf { of: values.into(), to });
                    to
                }
                _ => continue,
            };
            self.created[ty.value] = Some(to.into());
        }
    }
}
