//! Creates operations by their builders in source files.

use super::builders::builder_names;
use super::call::Call;
use super::head::head;
use crate::frontend::cxx::ast::{Ast, Node, NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::lower::Lower;
use crate::frontend::cxx::request::{Expected, Request};
use crate::frontend::cxx::resolve::Resolver;
use crate::snippet::{Builder, ClassId, Item, Ty, Typed};

impl Lower<'_, '_> {
    /// Creates an operation by a builder of the source files that takes these arguments. Returns `None` if there is no
    /// such builder, if the files define fewer builders than the operation declares for this number of arguments, or if
    /// the builder stays a native.
    pub(in crate::frontend::cxx) fn create_by_source(
        &mut self,
        node: NodeId,
        id: ClassId,
        loc: Typed,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        let count = self.request.resolver.source_builders(self.b.snippets(), id, args.len());
        let Some(functions) = self.functions().filter(|_| count > 0) else { return Ok(None) };
        let class = self.b.snippets().class(id).cxx_name;
        let class = self.b.snippets().str(class).to_owned();
        let mut found = functions.of_class(&class, "build");
        found.retain(|&function| {
            head(functions, function).is_ok_and(|head| {
                builder_names(functions, function, &head.params).is_some()
                    && head.params.len() >= args.len() + 2
            })
        });
        if found.len() < count {
            if let Some(helpers) = self.request.resolver.helpers() {
                helpers.report_undefined(format!("{class}::build"));
            }
            return Ok(None);
        }
        let builder = self.build(node, |b| b.opaque(Item::Builder))?;
        let Some(class_of_state) = self.operation_state() else { return Ok(None) };
        let Item::Tuple(state) = class_of_state.ty.item else { return Ok(None) };
        let parts = self.member_values(node, &class_of_state)?;
        let parts = [&[loc], &parts[1..]].concat();
        let state = self.build(node, |b| b.tuple(state, &parts))?;
        let values = [&[builder, state], args].concat();
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let name = TypeName::plain(format!("{class}::build"), lo, hi);
        let call = Call { node, name: &name, args: &[], values: &values, object: None };
        let created = self.overloaded(&found, &call)?;
        // A file can omit the namespaces of the class, so the builder may belong to another class of this name.
        Ok(created.filter(|created| created.ty == Ty::one(Item::Op(Some(id)))))
    }

    /// Creates an operation by a function `create` of the library that takes these arguments. Returns `None` if there
    /// is no such function.
    pub(in crate::frontend::cxx) fn create_by_library(
        &mut self,
        node: NodeId,
        id: ClassId,
        loc: Typed,
        args: &[Typed],
        nodes: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let class = self.b.snippets().class(id).cxx_name;
        let class = self.b.snippets().str(class).to_owned();
        let Some(functions) = self.functions() else { return Ok(None) };
        let found = functions.creations(class.strip_prefix("mlir::").unwrap_or(&class));
        if found.is_empty() {
            return Ok(None);
        }
        let builder = self.build(node, |b| b.opaque(Item::Builder))?;
        let values = [&[builder, loc], args].concat();
        let nodes = if nodes.is_empty() { Vec::new() } else { [&[node, node], nodes].concat() };
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let name = TypeName::plain(format!("{class}::create"), lo, hi);
        self.overloaded(&found, &Call { node, name: &name, args: &nodes, values: &values, object: None })
    }
}

/// The new operation that a builder in the source files creates at a location; `None` if no builder takes these
/// arguments, or if the builder is outside the language.
pub(crate) fn build_op(
    b: &mut Builder<'_>,
    resolver: &dyn Resolver,
    class: ClassId,
    loc: Typed,
    args: &[Typed],
) -> Option<Typed> {
    let request = Request { params: &[], expected: Expected::Any, resolver };
    let mut ast = Ast::default();
    let node = ast.push(Node { kind: NodeKind::Break, lo: 0, hi: 0 });
    let mut lower = Lower::new(&ast, &request, b);
    lower.create_by_source(node, class, loc, args).ok().flatten()
}
