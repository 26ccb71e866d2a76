//! Computes the result types that C++ infers, from the C++ source of the operation's class.
//!
//! Specification: a new operation has the result types that the C++ function `inferReturnTypes` of its class returns
//! for its operands and attributes.

use super::adaptor::{self, Source, adaptor_ty};
use super::resolve::Classes;
use super::session::{Reported, Session, Try};
use super::steps::Steps;
use super::value::TypedSource;
use crate::frontend::cxx::{self, InferringOp};
use crate::frontend::ods::{Arg, ArgKind, Op};
use crate::host::Kind;
use crate::pdl::ResultTypes;
use crate::snippet::{Builder, Param, SnippetId, SnippetResult, Ty};
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
        let adaptor = adaptor::value(&mut builder, ty, &fields, &mut 0).ok()?;
        let operands = builder.param(0).ok()?;
        let resolver = Classes { defs, helpers: &self.helpers };
        let op = InferringOp { class: &class, operands, adaptor };
        let types = cxx::infer_types(&mut builder, &resolver, &op)?;
        let snippet = builder.finish(types, SnippetResult::Value(types.ty), &notation);
        self.cache.texts.insert(notation, snippet);
        Some((snippet, sources))
    }
}
