//! Lowers the native calls that extend `pdl`.
//!
//! Their names are defined in [`crate::pdl::extension`].

use super::super::ast::{Op, OpKind, Use};
use super::lowering::Lowering;
use super::users::Extension;
use crate::host::Kind;
use crate::ir::{AttrId, AttrKind};
use crate::pdl::{Constant, CreateOp, LocationSpec, Node, Source, Step, ValueSource, extension as ext};

/// The match part.
impl<'a> Lowering<'_, '_, 'a> {
    /// Finds the constraint results that must equal other values. This runs before nodes are created.
    pub(super) fn find_equal(&mut self) {
        let pattern = self.pattern;
        for op in pattern.ops.iter() {
            if let OpKind::Constraint { name, args, .. } = &op.kind
                && Extension::of_constraint(name) == Some(Extension::Equal)
                && let [bound, target] = args[..]
                && let OpKind::Constraint { .. } = self.def(bound).kind
                && self.equal.insert(bound.value, target.value).is_some()
            {
                self.malformed(ext::EQUAL, "takes each result of a constraint only once", op);
            }
        }
    }

    /// Lowers a native constraint that is an extension. `name` is the name in the call.
    pub(super) fn match_extension(
        &mut self,
        extension: Extension,
        name: &str,
        op: &Op<'a>,
        args: &[Use],
    ) -> Option<()> {
        match (extension, args) {
            (Extension::AnyResult, &[value]) => {
                let node = self.matched(value)?;
                match &mut self.rule.matcher[node] {
                    Node::Value { source: Some(source), .. } => {
                        *source = ValueSource::DefinedBy { op: source.op() };
                        Some(())
                    }
                    _ => self.malformed(ext::ANY_RESULT, "takes the result of an operation", op),
                }
            }
            (Extension::HasType, &[target, of]) => {
                let (target, of) = (self.matched(target)?, self.matched(of)?);
                match &mut self.rule.matcher[target] {
                    Node::Value { ty, .. } | Node::Values { types: ty, .. } | Node::Attribute { ty, .. } => {
                        *ty = Some(of);
                        Some(())
                    }
                    _ => self.malformed(ext::HAS_TYPE, "takes a value or attribute, and its type", op),
                }
            }
            (Extension::Equal, &[bound, _]) => match self.equal.contains_key(&bound.value) {
                true => Some(()),
                false => self.malformed(ext::EQUAL, "takes the result of a constraint first", op),
            },
            (Extension::Operation, &[target, layout]) => {
                let node = self.matched(target)?;
                let entries = self.constant_of(layout).map(|attr| self.context.attr_kind(attr));
                match entries {
                    Some(AttrKind::Dictionary(_)) => {
                        let layout = self.constant_of(layout)?;
                        if self.layout(node, layout).is_none() {
                            return self.malformed(ext::OPERATION, "does not fit its operation", op);
                        }
                        Some(())
                    }
                    _ => self.malformed(ext::OPERATION, "takes a constant dictionary", op),
                }
            }
            (Extension::Expression(ext::CONSTANT), &[target, ref values @ ..]) => {
                self.constant(op, target, values)
            }
            (Extension::Expression(ext::STORAGE), &[of, attribute, text]) => {
                let node = self.matched(of)?;
                let attribute = self.constant_of(attribute);
                let attribute = attribute.and_then(|name| self.string(self.context.attr_kind(name)));
                let attribute = attribute.map(|name| self.intern(&name));
                let snippet = self.snippet(text)?;
                let edge = match &mut self.rule.matcher[node] {
                    Node::Operation(op) => op
                        .attributes
                        .iter_mut()
                        .find(|edge| Some(edge.name) == attribute && edge.storage.is_none()),
                    _ => None,
                };
                match edge {
                    Some(edge) => {
                        edge.storage = Some(snippet);
                        Some(())
                    }
                    None => self.malformed(
                        ext::STORAGE,
                        "takes an operation, the name of an attribute that the operation matches, and an expression",
                        op,
                    ),
                }
            }
            _ => self.malformed(name, "does not accept these arguments", op),
        }
    }

    /// Lowers the expressions or constants that a node must equal.
    fn constant(&mut self, op: &Op<'a>, target: Use, values: &[Use]) -> Option<()> {
        let node = self.matched(target)?;
        let mut constants = Vec::new();
        for &value in values {
            let ty = self.constant_of(value).and_then(|attr| match *self.context.attr_kind(attr) {
                AttrKind::Type(ty) => Some(ty),
                _ => None,
            });
            constants.push(match ty {
                Some(ty) => self.ty(ty),
                None => Constant::Snippet(self.computed(value)?),
            });
        }
        match (&mut self.rule.matcher[node], constants.as_slice()) {
            (
                Node::Attribute { value: value @ None, .. } | Node::Type { value: value @ None },
                &[constant],
            ) => {
                *value = Some(constant);
            }
            (Node::Types { values: values @ None }, _) => *values = Some(constants),
            _ => {
                return self.malformed(
                    ext::CONSTANT,
                    "takes an attribute, type or types, and the constants that they must equal",
                    op,
                );
            }
        }
        Some(())
    }
}

/// The rewrite.
impl<'a> Lowering<'_, '_, 'a> {
    fn native(&self, used: Use) -> Option<Extension> {
        match &self.def(used).kind {
            OpKind::NativeRewrite { name, .. } => Extension::of_rewrite(name),
            _ => None,
        }
    }

    /// True if a type stands for types that the host infers.
    pub(super) fn is_inferred(&self, used: Use) -> bool {
        self.native(used) == Some(Extension::InferTypes)
    }

    /// Lowers an attribute that an extension computes for a new operation. Returns false for other attributes.
    pub(super) fn create_extension(&mut self, create: &mut CreateOp, name: &str, value: Use) -> Option<bool> {
        match self.native(value) {
            Some(Extension::OperandSizes) => create.operand_segments = Some(self.intern(name)),
            Some(Extension::ResultSizes) => create.result_segments = Some(self.intern(name)),
            Some(Extension::Location) if name == ext::LOCATION => {
                let OpKind::NativeRewrite { args, .. } = &self.def(value).kind else { return None };
                let (args, discardable) = (args.clone(), self.def(value).discardable);
                create.location = self.location(&args, discardable)?;
            }
            _ => return Some(false),
        }
        Some(true)
    }

    fn location(&mut self, args: &[Use], discardable: Option<AttrId>) -> Option<LocationSpec> {
        let of = self.sources(args)?;
        let text = |lowering: &Self, name| {
            discardable.and_then(|discardable| lowering.text_entry(discardable, name))
        };
        if let Some(name) = text(self, ext::NAME) {
            return Some(LocationSpec::Named { name: self.intern(&name), child: of.first().copied() });
        }
        let metadata = text(self, ext::METADATA).map(|text| self.intern(&text));
        Some(LocationSpec::Fused { of, metadata })
    }

    /// True if only new operations use a location. Such a location needs no step, because each new operation is lowered
    /// with a copy of it.
    fn is_only_location_of_ops(&self, op: &Op<'a>) -> bool {
        op.results.first().is_some_and(|&result| {
            let counts = self.use_counts[result];
            counts.all == counts.locations
        })
    }

    /// Lowers a native rewrite that is an extension. `name` is the name in the call.
    pub(super) fn rewrite_extension(
        &mut self,
        extension: Extension,
        name: &str,
        op: &Op<'a>,
        args: &[Use],
    ) -> Option<()> {
        let kind = op.results.first().map(|&result| self.pattern.values[result].kind);
        let Some(kind) = kind else {
            return self.malformed(name, "must have a result", op);
        };
        let step: Box<dyn FnOnce(crate::pdl::LocalId) -> Step> = match (extension, args) {
            // These calls are lowered with the operations that use them.
            (Extension::InferTypes | Extension::OperandSizes | Extension::ResultSizes, []) => return Some(()),
            (Extension::Location, _) if self.is_only_location_of_ops(op) => return Some(()),
            (Extension::Same, &[of]) => {
                let source = self.source(of)?;
                self.set_created(op, source);
                return Some(());
            }
            (Extension::Expression(ext::CONSTANT), &[text]) => {
                let value = Constant::Snippet(self.computed(text)?);
                match kind {
                    Kind::Type => Box::new(move |to| Step::Type { value, to }),
                    _ => Box::new(move |to| Step::Attr { value, to }),
                }
            }
            (Extension::TypeOf, &[of]) => {
                let of = self.source(of)?;
                Box::new(move |to| Step::TypeOf { of, to })
            }
            (Extension::Range, parts) => {
                let parts = self.sources(parts)?;
                Box::new(move |to| Step::Range { parts, to })
            }
            (Extension::Results, &[of, first, count]) => {
                let of: Source = self.source(of)?;
                let number = |used| match self.constant_of(used).map(|attr| self.context.attr_kind(attr)) {
                    Some(AttrKind::Integer { value, .. }) => {
                        value.to_i64().and_then(|number| u32::try_from(number).ok())
                    }
                    _ => None,
                };
                let (Some(first), Some(count)) = (number(first), number(count)) else {
                    return self.malformed(ext::RESULTS, "takes an operation and two constant numbers", op);
                };
                Box::new(move |to| Step::Results { op: of, range: Some((first, count)), to })
            }
            (Extension::Location, _) => {
                let spec = self.location(args, op.discardable)?;
                let to = self.local(Kind::Location);
                self.push(Step::Location { spec, to });
                self.set_created(op, to.into());
                return Some(());
            }
            _ => return self.malformed(name, "does not accept these arguments", op),
        };
        let to = self.local(kind);
        self.push(step(to));
        self.set_created(op, to.into());
        Some(())
    }
}
