//! Expressions that are lowered inside another text: the bodies of builders and methods, the variables that a text can
//! use, and placeholders that are not parameters.

use hashbrown::HashSet;

use super::state::{Bound, Lower, Lowered};
use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::Changes;
use crate::frontend::cxx::parse::Parser;
use crate::frontend::cxx::resolve::{InlineBody, InlineResult};
use crate::frontend::cxx::text::Variable;
use crate::frontend::cxx::{lex, parse};
use crate::snippet::{Builder, Item, LocalId, Ty, TypeError, Typed};

/// The maximum nesting of inlined bodies.
const INLINE_LIMIT: u32 = 8;

impl<'a> Lower<'a, '_> {
    /// A placeholder that is not a parameter: a variable of the generated code, a list of parameters, or an argument
    /// or result of the operation.
    pub(super) fn placeholder(&mut self, node: NodeId, name: &str) -> Lowered {
        let known = match name {
            "$_builder" => Some(self.b.opaque(Item::Builder)),
            "$_ctxt" => Some(self.b.opaque(Item::Context)),
            // In generated code, the matched operation is the variable `op`.
            "$_op" => self.b.find_param("op").map(|index| self.b.param(index)),
            _ => None,
        };
        if let Some(known) = known {
            return self.at_node(node, known);
        }
        if let Some(list) =
            self.request.params.iter().find(|param| param.name == name && param.list.is_some())
        {
            let mut values = Vec::new();
            for value in list.parameters() {
                let Some(index) = self.b.find_param(&value) else { continue };
                let value = self.b.param(index);
                values.push(self.at_node(node, value)?);
            }
            let range = value_range(self.b, &values);
            return self.at_node(node, range);
        }
        if let Some(argument) = self.argument(name) {
            return self.at_node(node, argument);
        }
        let bound: Vec<String> = self.request.params.iter().map(|param| param.name.clone()).collect();
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        Err(error::unbound(name, lo, hi, &bound))
    }

    /// The argument or result of the operation `$_op` that a placeholder names; `None` if there is none.
    fn argument(&mut self, placeholder: &str) -> Option<Result<Typed, TypeError>> {
        let op = self.b.find_param("$_op")?;
        let op = match self.b.param(op) {
            Ok(op) => op,
            Err(error) => return Some(Err(error)),
        };
        let Item::Op(Some(class)) = op.ty.item else { return None };
        let (member, ty) =
            self.request.resolver.named(self.b.snippets(), class, placeholder.strip_prefix('$')?)?;
        Some(self.b.member(op, member, ty))
    }

    /// Lowers the variables that the text uses, and adds them to the scope. Returns their values, which [`bind_all`]
    /// binds around the text.
    pub(super) fn define(&mut self, variables: &[Variable]) -> Result<Vec<(LocalId, Typed)>, Fault> {
        let mut used = names(self.ast);
        let mut parsed = Vec::new();
        for variable in variables.iter().rev() {
            // A later variable hides an earlier one of the same name.
            if used.remove(&variable.name) {
                let (ast, root) = parse::parse(Parser::new(&lex::lex(&variable.value)?))?;
                used.extend(names(&ast));
                parsed.push((variable, ast, root));
            }
        }
        let mut defined = Vec::new();
        for (variable, ast, root) in parsed.iter().rev() {
            let value = self.inner(&variable.value, ast, self.inlined).expression(*root, None)?;
            let (lo, hi) = (ast[*root].lo, ast[*root].hi);
            let local = self.b.new_local(value.ty).map_err(|error| error::ill_typed(&error, lo, hi))?;
            self.scope.push((variable.name.clone(), Bound::Local(local)));
            defined.push((local, value));
        }
        Ok(defined)
    }

    /// The first result of an inlined body; `None` if the body has no result or cannot be inlined, see
    /// [`Self::inline`].
    pub(in crate::frontend::cxx) fn inline_value(
        &mut self,
        node: NodeId,
        inline: &InlineBody,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        self.inline(node, inline, args, |_, given| given.first().copied().map(Ok))
    }

    /// Lowers the expressions of an inlined body with its parameters bound, and passes the results to `make`. Returns
    /// `None` if bodies are nested too deeply, if the body does not compile, or if `make` returns `None`.
    pub(super) fn inline(
        &mut self,
        node: NodeId,
        inline: &InlineBody,
        args: &[Typed],
        make: impl FnOnce(&mut Self, &[Typed]) -> Option<Result<Typed, TypeError>>,
    ) -> Result<Option<Typed>, Fault> {
        if self.inlined >= INLINE_LIMIT {
            return Ok(None);
        }
        let mut bound = Vec::new();
        let mut scope = Vec::new();
        for (name, arg) in inline.params.iter().zip(args) {
            let local = self.b.new_local(arg.ty);
            let local = self.at_node(node, local)?;
            scope.push((name.clone(), Bound::Local(local)));
            bound.push((local, *arg));
        }
        let outer = std::mem::replace(&mut self.scope, scope);
        let passed = self.inline_results(inline, &mut bound);
        self.scope = outer;
        // If a body does not compile, the caller uses another body or a native.
        let Ok(passed) = passed else { return Ok(None) };
        let Some(made) = make(self, &passed) else { return Ok(None) };
        let made = made.and_then(|made| bind_all(self.b, bound, made));
        self.at_node(node, made).map(Some)
    }

    /// The results of a body whose parameters are in scope. The variables of each expression are added to `bound`.
    fn inline_results(
        &mut self,
        inline: &InlineBody,
        bound: &mut Vec<(LocalId, Typed)>,
    ) -> Result<Vec<Typed>, Fault> {
        let mut passed = Vec::new();
        for result in &inline.results {
            let texts = match result {
                InlineResult::One(text) => std::slice::from_ref(text),
                InlineResult::List(texts) => texts,
            };
            let mut values = Vec::new();
            for text in texts {
                let (ast, root) = parse::parse(Parser::new(&lex::lex(text)?))?;
                let mut inner = self.inner(text, &ast, self.inlined + 1);
                bound.extend(inner.define(&inline.variables)?);
                values.push(inner.expression(root, None)?);
            }
            match (result, &values[..]) {
                (InlineResult::One(_), &[value]) => passed.push(value),
                (_, values) => {
                    let range = value_range(self.b, values);
                    passed.push(range.map_err(|error| error::ill_typed(&error, 0, 0))?);
                }
            }
        }
        Ok(passed)
    }

    /// The state for another text in the same scope.
    fn inner<'c>(&'c mut self, text: &'c str, ast: &'c Ast, inlined: u32) -> Lower<'a, 'c> {
        Lower {
            text,
            scope: self.scope.clone(),
            depth: self.depth,
            inlined,
            in_function: self.in_function,
            nesting: self.nesting,
            changed: Changes::of(ast, None),
            ..Lower::new(ast, self.request, self.b)
        }
    }
}

/// Binds variables around an expression. Each value can use the variables before it.
pub(super) fn bind_all(
    b: &mut Builder<'_>,
    variables: Vec<(LocalId, Typed)>,
    inside: Typed,
) -> Result<Typed, TypeError> {
    variables.into_iter().rev().try_fold(inside, |inside, (local, value)| b.bind(local, value, inside))
}

/// A range of values.
fn value_range(b: &mut Builder<'_>, values: &[Typed]) -> Result<Typed, TypeError> {
    let range = Ty::range(Item::Value);
    let list = b.list(values)?;
    if values.is_empty() { Ok(Typed { ty: range, ..list }) } else { b.convert(list, range) }
}

/// The names in a text that may be variables.
fn names(ast: &Ast) -> HashSet<String> {
    let name = |kind: &NodeKind| match kind {
        NodeKind::Name(name) => Some(name.path.clone()),
        _ => None,
    };
    ast.iter().filter_map(|node| name(&node.kind)).collect()
}
