//! Lowers a syntax tree to a snippet: resolves names and assigns types.
//!
//! `state` holds the scope. `expression` lowers nodes by their kind. `inline` lowers texts inside other texts. The
//! other files lower names: `names` is for variables and lambdas, `classes` for types and tests of classes, `call` for
//! functions, `method` for methods, `blocks` for blocks and regions, and `create` for operations, types and attributes.

mod blocks;
mod call;
pub(super) mod classes;
mod create;
mod expression;
mod inline;
mod method;
mod names;
mod state;

use super::error::{self, Fault};
use super::function::{Changes, Helpers};
use super::parse::Parser;
use super::request::{Expected, Failure, Placeholder, Request};
use super::text::Text;
use super::{lex, parse};
use crate::host::Kind;
use crate::snippet::{Builder, Form, Param, SnippetId, SnippetResult, Snippets, Ty, TypeError, Typed};
pub(super) use create::FROM_STATE;
use inline::bind_all;
pub(super) use state::{
    Bound, Container, ContainerKind, Counts, Lower, Lowered, NumberedElement, Order, Signature, Template,
    is_number,
};

/// Compiles C++ text to a snippet.
///
/// ```
/// use drrvm::internal::frontend::cxx::{self, Expected, NoResolver, Placeholder, Request, Text};
/// use drrvm::internal::snippet::{Snippets, Ty};
/// use drrvm::source::Span;
/// let mut snippets = Snippets::default();
/// let params = [Placeholder::new("$_self", Ty::TYPE)];
/// let request = Request { params: &params, expected: Expected::Predicate, resolver: &NoResolver };
/// let text = Text::new("$_self.isSignlessInteger(32)", Span::NONE);
/// let id = cxx::compile(&mut snippets, &text, &request).expect("well-typed");
/// assert!(snippets.get(id).pure);
/// let text = Text::new("$_self.getRank() == 2", Span::NONE);
/// assert!(cxx::compile(&mut snippets, &text, &request).is_err(), "a Type has no rank");
/// ```
///
/// # Errors
/// [`Failure::Outside`] if the snippet language does not cover the text, [`Failure::Wrong`] if the text is malformed or
/// ill-typed. The diagnostic points at the place where the text was written.
pub fn compile(snippets: &mut Snippets, text: &Text, request: &Request<'_>) -> Result<SnippetId, Failure> {
    let failure = |fault: Fault| {
        let diagnostic = fault.diagnostic(text);
        if fault.outside { Failure::Outside(diagnostic) } else { Failure::Wrong(diagnostic) }
    };
    let take_refused = || request.resolver.helpers().is_some_and(Helpers::take_refused);
    take_refused();
    let stored = match lower(snippets, text, request) {
        Err(fault) if fault.certain => return Err(failure(fault)),
        stored => stored.map_err(failure),
    };
    let calls_no_native = |snippets: &Snippets, id: SnippetId| snippets.natives_of(id).is_empty();
    // If a function takes the attribute itself but stays a native, no reading is tried, because a text with a reading
    // could call another function, which takes the value of the attribute.
    if take_refused() || matches!(stored, Ok(id) if calls_no_native(snippets, id)) {
        return stored;
    }
    let mut with_natives = None;
    for params in readings(request.params) {
        let request = Request { params: &params, ..*request };
        match lower(snippets, text, &request) {
            Ok(id) if calls_no_native(snippets, id) => return Ok(id),
            Ok(id) => with_natives = with_natives.or(Some(id)),
            Err(_) => {}
        }
    }
    match (stored, with_natives) {
        (Err(Failure::Wrong(_)), Some(id)) => Ok(id),
        (stored, _) => stored,
    }
}

/// The lists of parameters to try if a text does not compile, or calls natives. In the first list, each parameter with
/// a reading has the type of the reading. In each further list, only one parameter has the type of its reading.
fn readings(params: &[Placeholder]) -> Vec<Vec<Placeholder>> {
    let read = |param: &Placeholder| Placeholder { ty: param.reading.unwrap_or(param.ty), ..param.clone() };
    let with_reading = (0..params.len()).filter(|&i| params[i].reading.is_some());
    let with_reading: Vec<usize> = with_reading.collect();
    let one = |i: usize| {
        let mut params = params.to_vec();
        params[i] = read(&params[i]);
        params
    };
    match with_reading[..] {
        [] => Vec::new(),
        [only] => vec![one(only)],
        _ => std::iter::once(params.iter().map(read).collect())
            .chain(with_reading.into_iter().map(one))
            .collect(),
    }
}

fn lower(snippets: &mut Snippets, text: &Text, request: &Request<'_>) -> Result<SnippetId, Fault> {
    let tokens = lex::lex(text.as_str())?;
    let helpers = request.resolver.helpers();
    let of_files = helpers.and_then(|helpers| helpers.parser_of_rules(&tokens));
    let (ast, root) = parse::parse(of_files.unwrap_or_else(|| Parser::new(&tokens)))?;
    let params = request.params.iter().flat_map(|p| p.parameters().into_iter().map(move |name| (name, p)));
    let params =
        params.map(|(name, p)| Param { name: snippets.intern(&name), ty: p.ty, out: p.out }).collect();
    let matching = request.expected == Expected::Predicate;
    let mut builder = Builder::new(snippets, params, text.whole_span(), matching);
    let mut lower = Lower {
        text: text.as_str(),
        enclosing: helpers.map_or_else(Vec::new, Helpers::scopes_of_rules),
        changed: Changes::of(&ast, None),
        ..Lower::new(&ast, request, &mut builder)
    };
    let (lo, hi) = (ast[root].lo, ast[root].hi);
    let variables = lower.define(text.variables()).map_err(|fault| fault.at(lo, hi))?;
    let e = lower.body(root, None)?;
    let e = lower.holder(e);
    let e = lower.build(root, |b| bind_all(b, variables, e))?;
    let (e, result) = match request.expected {
        Expected::Predicate if e.ty == Ty::LOGICAL => {
            (lower.library_function(root, "succeeded", &[e])?, SnippetResult::Predicate)
        }
        Expected::Predicate => (lower.build(root, |b| b.truth(e))?, SnippetResult::Predicate),
        Expected::Any => (e, SnippetResult::Value(e.ty)),
        Expected::Kind(kind) => {
            let e = lower.build(root, |b| to_kind(b, e, kind))?;
            (e, SnippetResult::Value(e.ty))
        }
        Expected::Property(ty) => {
            (lower.build(root, |b| b.property_attr(e, ty))?, SnippetResult::Value(Ty::ATTR))
        }
        Expected::Nothing => {
            // Declares that a native at the root has no results.
            lower.b.expect_many(e, 0);
            (e, SnippetResult::Nothing)
        }
        Expected::Many(count) => {
            if e.ty.form != Form::Range && !lower.b.expect_many(e, count) {
                return Err(error::not_many(count, lo, hi));
            }
            (e, SnippetResult::Many(count))
        }
    };
    Ok(builder.finish(e, result, text.as_str()))
}

/// Converts an expression to a kind. An expression of this kind keeps its static type.
pub(crate) fn to_kind(b: &mut Builder<'_>, e: Typed, kind: Kind) -> Result<Typed, TypeError> {
    let keeps_class = e.ty.kind() == Some(kind);
    if keeps_class { Ok(e) } else { b.convert(e, Ty::of_kind(kind)) }
}
