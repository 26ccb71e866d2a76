//! The order and form of the native properties of an operation.
//!
//! `mlir-tblgen` generates the code that reads and writes the properties of an operation. Their order is: the
//! attributes, sorted by name; the other properties, in the order of their definition; the sizes of groups. In files of
//! version 5, the sizes are among the attributes. The forms follow from the operation's definition.

use std::rc::Rc;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::host::{AttrNameId, OpNameId};
use crate::ir::context::Context;
use crate::ir::definitions::dialect_of;
use crate::ir::dialect::{GroupSizes, OpSyntax, PropertyEncoding};
use crate::source::Diagnostic;

/// The properties of an operation.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// The attributes, sorted by name: each with its name, and true if it may be absent.
    pub(super) attrs: Vec<(AttrNameId, bool)>,
    /// The other properties.
    pub(super) properties: Vec<(AttrNameId, PropertyEncoding)>,
    /// The attributes with the sizes of the groups of operands and of results.
    pub(super) sizes: Vec<Sizes>,
    /// True if only C++ code reads and writes the properties.
    pub(super) cxx: bool,
}

/// An attribute with the sizes of the groups of operands or results.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sizes {
    pub(super) name: AttrNameId,
    pub(super) groups: usize,
    /// The number of attributes before the sizes in files of version 5.
    pub(super) place_in_version_5: usize,
}

/// The result of looking up an operation.
#[derive(Clone, Debug)]
pub(super) enum LayoutLookup {
    Layout(Rc<Layout>),
    /// The dialect has definitions, but does not define this operation.
    NoOperation,
    /// The dialect has no definitions.
    NoDialect,
    /// The definitions have errors.
    Error(Box<Diagnostic>),
}

/// The native properties of operations, by the name of the operation.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    known: HashMap<OpNameId, LayoutLookup, FxBuildHasher>,
}

impl Layouts {
    /// Returns the native properties of operations with this name. Loads the definitions of the dialect at the first
    /// use.
    pub(super) fn get(&mut self, context: &mut Context, name: OpNameId) -> &LayoutLookup {
        self.known.entry(name).or_insert_with(|| look_up(context, name))
    }
}

fn look_up(context: &mut Context, name: OpNameId) -> LayoutLookup {
    let text = context.op_name_text(name).to_owned();
    if let Some(bound) = context.syntax(name).cloned() {
        return LayoutLookup::Layout(Rc::new(defined(context, &bound.syntax)));
    }
    match context.load_dialect(dialect_of(&text)) {
        Err(error) => LayoutLookup::Error(Box::new(error)),
        Ok(has_dialect) => match context.syntax(name).cloned() {
            Some(bound) => LayoutLookup::Layout(Rc::new(defined(context, &bound.syntax))),
            None if has_dialect => LayoutLookup::NoOperation,
            None => LayoutLookup::NoDialect,
        },
    }
}

/// The old and new names of the sizes of groups.
const OPERAND_SIZES: (&str, &str) = ("operand_segment_sizes", "operandSegmentSizes");
const RESULT_SIZES: (&str, &str) = ("result_segment_sizes", "resultSegmentSizes");

impl Layout {
    fn new(context: &mut Context, mut attrs: Vec<(&str, bool)>, groups: [Option<usize>; 2]) -> Self {
        attrs.sort_unstable();
        let names = [OPERAND_SIZES, RESULT_SIZES].into_iter().zip(groups);
        let sizes = names.filter_map(|((old, new), groups)| {
            let place_in_version_5 = attrs.iter().filter(|attr| attr.0 < old).count();
            Some(Sizes { name: context.attr_name(new), groups: groups?, place_in_version_5 })
        });
        let sizes = sizes.collect();
        let attrs = attrs.into_iter().map(|(name, optional)| (context.attr_name(name), optional)).collect();
        Self { attrs, sizes, ..Self::default() }
    }

    /// True if the operation has no properties.
    pub(super) fn is_empty(&self) -> bool {
        !self.cxx && self.attrs.is_empty() && self.properties.is_empty() && self.sizes.is_empty()
    }
}

/// The properties of a defined operation.
fn defined(context: &mut Context, op: &OpSyntax) -> Layout {
    let properties: Vec<_> =
        op.properties.iter().map(|p| (context.attr_name(&p.name), p.bytecode_encoding.clone())).collect();
    if !op.uses_properties {
        return Layout { properties, cxx: op.cxx_bytecode, ..Layout::default() };
    }
    let attrs = op.attributes.iter().map(|a| (a.name.as_str(), a.may_be_absent())).collect();
    let groups = |sizes: GroupSizes, count: usize| (sizes == GroupSizes::Attribute).then_some(count);
    let groups = [groups(op.operand_sizes, op.operands.len()), groups(op.result_sizes, op.results.len())];
    Layout { properties, cxx: op.cxx_bytecode, ..Layout::new(context, attrs, groups) }
}
