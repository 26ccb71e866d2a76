//! The names that operations suggest for their results.

use std::fmt::Write;

use crate::host::AttrNameId;
use crate::id::Id;
use crate::ir::attributes::AttrKind;
use crate::ir::context::Context;
use crate::ir::module::{Module, OpId};

/// The source of the names that operations suggest.
#[derive(Clone, Copy)]
enum Source {
    Nothing,
    /// The value of a constant: `%c0_i32`, `%true`, `%cst`.
    Constant,
    /// A fixed name.
    Fixed(&'static str),
    /// The names of the results in the definition.
    Definition,
}

/// The operations whose C++ code suggests a fixed name for their only result.
const FIXED: &[(&str, &str)] = &[("func.constant", "f")];

/// The names that the operations of a module suggest.
pub(super) struct Suggestions<'a> {
    context: &'a Context,
    module: &'a Module,
    /// The source of the names, by operation name.
    sources: Vec<Source>,
    value: Option<AttrNameId>,
}

impl<'a> Suggestions<'a> {
    /// The suggestions for a module; none if `generic`.
    pub(super) fn new(context: &'a Context, module: &'a Module, generic: bool) -> Self {
        let source = |index: usize, name: &str| {
            if generic {
                return Source::Nothing;
            }
            if name == "arith.constant" {
                return Source::Constant;
            }
            if let Some(&(_, fixed)) = FIXED.iter().find(|(op, _)| *op == name) {
                return Source::Fixed(fixed);
            }
            let bound = Id::try_from_index(index).and_then(|id| context.syntax(id));
            match bound.is_some_and(|bound| bound.syntax.names_results) {
                true => Source::Definition,
                false => Source::Nothing,
            }
        };
        let sources = context.op_names().enumerate().map(|(index, name)| source(index, name)).collect();
        Self { context, module, sources, value: context.find_attr_name("value") }
    }

    /// The names that an operation suggests for its results: none, one for all, or one for each.
    pub(super) fn of(&self, op: OpId) -> Vec<String> {
        let name = self.module.name(op);
        match self.sources[name.index()] {
            Source::Nothing => Vec::new(),
            Source::Constant => self.constant(op).into_iter().collect(),
            Source::Fixed(name) => vec![name.to_owned()],
            Source::Definition => match self.context.syntax(name).map(|bound| &bound.syntax) {
                Some(syntax)
                    if self.module.result_count(op) as usize == syntax.results.len()
                        && syntax.results.iter().all(|group| !group.is_variable()) =>
                {
                    syntax.results.iter().map(|group| group.name.clone()).collect()
                }
                _ => Vec::new(),
            },
        }
    }

    fn constant(&self, op: OpId) -> Option<String> {
        let context = self.context;
        let value = context.entry(self.module.properties(op), self.value?)?;
        let AttrKind::Integer { value, ty } = context.attr_kind(value) else { return Some("cst".to_owned()) };
        if *ty == Context::I1 {
            return Some(if value.is_zero() { "false" } else { "true" }.to_owned());
        }
        let mut name = format!("c{}", value.to_signed_string());
        if *ty != Context::INDEX {
            let _ = write!(name, "_{}", context.type_text(*ty));
        }
        Some(name)
    }
}
