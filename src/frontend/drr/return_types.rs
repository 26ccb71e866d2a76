//! Computes the result types that C++ infers, from the C++ source of the operation's class.
//!
//! Specification: a new operation has the result types that the C++ function `inferReturnTypes` of its class returns
//! for its operands and attributes.

use super::adaptor::{self, Source, adaptor_ty};
use super::resolve::Classes;
use super::session::{Reported, Session, Try, small};
use super::steps::Steps;
use super::value::TypedSource;
use crate::frontend::cxx::{self, InferringOp};
use crate::frontend::ods::{Arg, ArgKind, Op};
use crate::host::Kind;
use crate::pdl::{Arity, ResultTypes};
use crate::snippet::{Builder, Form, Item, Param, SnippetId, SnippetResult, Ty, TypeError, Typed};
use crate::source::Span;

/// Adds the step that computes the result types of a new operation as `inferReturnTypes` of its class does. Returns
/// `None` if no C++ file defines this function, or if the function is outside the snippet language.
pub(super) fn infer<'a>(
    steps: &mut Steps<'_, '_, '_, 'a>,
    op: &Op<'a>,
    arguments: &[TypedSource],
    span: Span,
) -> Try<Option<ResultTypes>> {
    let Some((snippet, params)) = steps.rule.session.inference(op, span) else { return Ok(None) };
    let mut args = Vec::new();
    for (number, (source, ty)) in params.into_iter().enumerate() {
        let value = match source {
            Source::Argument(number) => arguments.get(number).copied().ok_or(Reported)?,
            Source::Operands => {
                let is_operand = |arg: &Arg<'_>| matches!(arg.kind, ArgKind::Operand(_));
                let operands = op.args.iter().zip(arguments).filter(|(arg, _)| is_operand(arg));
                let parts = operands.map(|(_, value)| value.source).collect();
                steps.range(parts)
            }
        };
        args.push(TypedSource { ty, ..value }.named(&format!("${number}")));
    }
    Ok(Some(ResultTypes::Listed(vec![steps.snippet(snippet, args, Kind::Types, span).source])))
}

impl Session<'_, '_> {
    /// The snippet that computes the result types of new operations, and the arguments that it takes.
    fn inference(&mut self, op: &Op<'_>, span: Span) -> Option<(SnippetId, Vec<(Source, Ty)>)> {
        let defs = self.defs;
        let fields = adaptor::fields(&mut self.rules.snippets, defs, op);
        let mut sources = Vec::new();
        adaptor::params(&fields, &mut sources);
        let class = op.qualified_class();
        let notation = format!("{class}::inferReturnTypes");
        let snippets = &mut self.rules.snippets;
        if let Some(&snippet) = self.cache.texts.get(&notation) {
            return Some((snippet, sources));
        }
        let ty = adaptor_ty(snippets, defs, op);
        let param = |(number, &(_, ty)): (usize, &(Source, Ty))| Param {
            name: snippets.intern(&format!("${number}")),
            ty,
            out: false,
        };
        let declared = sources.iter().enumerate().map(param).collect();
        let mut builder = Builder::new(snippets, declared, span, false);
        let values: Result<Vec<Typed>, TypeError> =
            (0..small(sources.len())).map(|number| builder.param(number)).collect();
        let values = values.ok()?;
        let operands = *values.first()?;
        let adaptor = adaptor::value(&mut builder, ty, &fields, &mut values.into_iter()).ok()?;
        let resolver = Classes { defs, helpers: &self.helpers };
        let uses_properties = defs.dialects[op.dialect].uses_properties;
        let op = InferringOp { class: &class, operands, adaptor, uses_properties };
        let types = cxx::infer_types(&mut builder, &resolver, &op)?;
        let snippet = builder.finish(types, SnippetResult::Value(types.ty), &notation);
        self.cache.texts.insert(notation, snippet);
        Some((snippet, sources))
    }
}

impl Classes<'_, '_> {
    /// The result types of a new operation with these arguments, as [`Resolver::inferred`] returns them.
    ///
    /// [`Resolver::inferred`]: cxx::Resolver::inferred
    pub(super) fn infer(&self, b: &mut Builder<'_>, op: &Op<'_>, args: &[Typed]) -> Option<Typed> {
        if !op.infers_in_cpp || op.args.len() != args.len() {
            return None;
        }
        let fields = adaptor::fields(b.snippets(), self.defs, op);
        let ty = adaptor_ty(b.snippets(), self.defs, op);
        let mut operands = Vec::new();
        for (arg, &value) in op.args.iter().zip(args) {
            match arg.kind {
                ArgKind::Operand(index) if op.operands[index].arity == Arity::One => {
                    operands.push(b.convert(value, Ty::VALUE).ok()?);
                }
                ArgKind::Operand(_) if value.ty.form == Form::Range => operands.push(value),
                ArgKind::Attribute(_) if matches!(value.ty, Ty { item: Item::Attr(_), form: Form::One }) => {}
                ArgKind::Attribute(index)
                    if op.attributes[index].spec.optional && value.ty.item == Item::Null => {}
                _ => return None,
            }
        }
        let operands = b.list(&operands).and_then(|list| b.convert(list, Ty::range(Item::Value))).ok()?;
        let mut sources = Vec::new();
        adaptor::params(&fields, &mut sources);
        let mut values = Vec::new();
        for (source, ty) in sources {
            values.push(match source {
                Source::Operands => operands,
                Source::Argument(number) if matches!(op.args[number].kind, ArgKind::Attribute(_)) => {
                    b.held_value(args[number], ty).ok()?
                }
                Source::Argument(number) => b.convert(args[number], ty).ok()?,
            });
        }
        let adaptor = adaptor::value(b, ty, &fields, &mut values.into_iter()).ok()?;
        let class = op.qualified_class();
        let uses_properties = self.defs.dialects[op.dialect].uses_properties;
        cxx::infer_types(b, self, &InferringOp { class: &class, operands, adaptor, uses_properties })
    }
}
