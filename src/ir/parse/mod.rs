//! The parser of MLIR's text.
//!
//! Specification: the parser accepts the same texts as `mlir-opt-22`, with the same meaning, in generic form, in the
//! formats of the dialects that the context knows, and in registered forms. Every context knows `builtin`, `func`, `cf`
//! and `arith`. For any other custom form, the error states how to obtain the generic form.
//!
//! The parser creates operations while it reads the text, without a syntax tree. If a location or the text of a dialect
//! uses an alias before its definition, the parser looks ahead for the definition. [`DEPTH_LIMIT`] bounds the
//! recursion.

mod affine;
mod body;
mod class_text;
mod dialect_text;
mod dimensions;
mod elements;
mod form;
mod format;
mod grammar;
pub(crate) mod lexer;
mod numbers;
mod op_cache;
mod operation;
mod param_class;
mod parser;
mod property;
mod recover;
mod resources;
mod ssa_names;
mod state;
mod text_cache;
mod values;

use std::ops::Range;

use hashbrown::HashMap;
use lexer::TokenKind;
use op_cache::{LastOp, OpCache};
pub use parser::DEPTH_LIMIT;
pub(crate) use parser::Parser;
pub(crate) use state::StatedLocs;
use state::{BlockNames, FileState};

use crate::host::OpNameId;
use crate::ir::context::Context;
use crate::ir::error::ParseResult;
use crate::ir::ids::{AttrId, LocId, TypeId};
use crate::ir::module::Module;
use crate::source::{Diagnostic, Diagnostics, SourceFile};

/// The estimated size of an operation in the text, for reserving memory. Common operations in custom form have about
/// this size.
const BYTES_PER_OP: usize = 40;

/// Parses a file.
///
/// ```
/// use drrvm::{SourceMap, ir::{Context, parse_module}};
/// let mut sources = SourceMap::default();
/// let file = sources.add("input.mlir", "%0 = arith.constant 1 : i32".to_owned())?;
/// let mut context = Context::new();
/// let module = parse_module(&mut context, sources.file(file))?;
/// assert_eq!(module.preorder(module.top()).count(), 2); // The module and the constant.
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
///
/// # Errors
/// The errors in the order of the text. After an error in an operation, parsing continues with the next operation, up
/// to a limit of errors.
pub fn parse_module(context: &mut Context, source: &SourceFile) -> Result<Module, Diagnostics> {
    parse_part(context, source, 0..source.text().len())
}

/// Parses a file so that messages can point into it: the location of each operation is its position in the file. Also
/// returns a map from these positions to the locations that the text of the file states.
///
/// # Errors
/// See [`parse_module`].
pub(crate) fn parse_with_positions(
    context: &mut Context,
    source: &SourceFile,
) -> Result<(Module, StatedLocs), Diagnostics> {
    let (module, stated) = parse_state(context, source, 0..source.text().len(), Some(StatedLocs::default()))?;
    Ok((module, stated.unwrap_or_default()))
}

/// Parses a part of a file as if it were a file. Positions refer to the whole file. If the context already knows the
/// file, the cost depends only on the length of the part.
///
/// # Errors
/// See [`parse_module`].
///
/// # Panics
/// The range is not at character boundaries of the text.
pub(crate) fn parse_part(
    context: &mut Context,
    source: &SourceFile,
    part: Range<usize>,
) -> Result<Module, Diagnostics> {
    parse_state(context, source, part, None).map(|(module, _)| module)
}

fn parse_state(
    context: &mut Context,
    source: &SourceFile,
    part: Range<usize>,
    stated: Option<StatedLocs>,
) -> Result<(Module, Option<StatedLocs>), Diagnostics> {
    let module = Module::new(context);
    let file = context.string(source.name());
    let builtin = context.string("builtin");
    let base = context.add_source(file, source);
    let ops = part.len() / BYTES_PER_OP;
    let mut module = module;
    module.reserve(ops);
    let mut parser = Parser::new(context, &source.text()[..part.end], Some(source));
    parser.values.reserve(ops);
    parser.start = part.start;
    parser.reset(part.start);
    let mut state = FileState {
        module,
        blocks: vec![BlockNames::default()],
        uses: Vec::new(),
        operands: Vec::new(),
        types: Vec::new(),
        results: Vec::new(),
        first_result: 0,
        successors: Vec::new(),
        spare: Vec::new(),
        type_texts: HashMap::default(),
        inferred: HashMap::default(),
        default_dialects: vec![builtin],
        custom_names: HashMap::default(),
        op_cache: OpCache::default(),
        last_op: LastOp::default(),
        source: base,
        stated,
    };
    let last = parser.file(&mut state, file, part.start).err();
    let mut errors = std::mem::take(&mut parser.more_errors);
    errors.extend(last.map(|error| *error));
    if errors.is_empty() {
        return Ok((state.module, state.stated));
    }
    errors.sort_by_key(|error| error.labels.first().map(|label| label.span.lo));
    let mut all = Diagnostics::default();
    errors.into_iter().for_each(|error| all.push(error));
    Err(all.with_file(source))
}

/// Parses a whole text with one function.
fn whole<T>(
    context: &mut Context,
    text: &str,
    read: impl FnOnce(&mut Parser<'_>) -> ParseResult<T>,
) -> Result<T, Diagnostic> {
    let mut parser = Parser::new(context, text, None);
    let value = read(&mut parser).map_err(|e| *e)?;
    if parser.is(TokenKind::Eof) { Ok(value) } else { Err(*parser.expected("the end of the text")) }
}

/// Parses a type. Also returns its nesting depth.
pub(in crate::ir) fn type_with_depth(context: &mut Context, text: &str) -> Result<(TypeId, u32), Diagnostic> {
    whole(context, text, |parser| Ok((parser.ty()?, parser.deepest)))
}

/// Parses an attribute. Also returns its nesting depth.
pub(in crate::ir) fn attr_with_depth(context: &mut Context, text: &str) -> Result<(AttrId, u32), Diagnostic> {
    whole(context, text, |parser| Ok((parser.attr(None)?, parser.deepest)))
}

impl Context {
    /// Parses a type: `vector<4xf32>`.
    ///
    /// # Errors
    /// The text is not a type.
    pub fn parse_type(&mut self, text: &str) -> Result<TypeId, Diagnostic> {
        whole(self, text, |parser| parser.ty())
    }

    /// Parses an attribute: `4 : i32`.
    ///
    /// # Errors
    /// The text is not an attribute.
    pub fn parse_attr(&mut self, text: &str) -> Result<AttrId, Diagnostic> {
        whole(self, text, |parser| parser.attr(None))
    }

    /// Parses a location: `loc("file":1:2)`.
    ///
    /// # Errors
    /// The text is not a location.
    pub fn parse_loc(&mut self, text: &str) -> Result<LocId, Diagnostic> {
        whole(self, text, |parser| parser.loc())
    }

    /// The properties and the discardable attributes of an operation that has these dictionaries in its generic form.
    /// Inherent attributes move from `attrs` to the properties, but do not replace a property of the same name. Missing
    /// properties with a default value get this value.
    ///
    /// ```
    /// use drrvm::ir::Context;
    /// let mut context = Context::new();
    /// let name = context.op_name("arith.constant");
    /// let (value, note) = (context.attr_name("value"), context.attr_name("note"));
    /// let attrs = context.dictionary(&mut vec![(value, Context::UNIT), (note, Context::UNIT)]);
    /// let (properties, attrs) = context.op_dictionaries(name, None, attrs);
    /// assert_eq!(context.entries(properties), [(value, Context::UNIT)]);
    /// assert_eq!(context.entries(attrs), [(note, Context::UNIT)]);
    /// ```
    pub fn op_dictionaries(
        &mut self,
        name: OpNameId,
        properties: Option<AttrId>,
        attrs: AttrId,
    ) -> (AttrId, AttrId) {
        Parser::new(self, "", None).dictionaries(name, properties, attrs)
    }

    /// Like [`Context::op_dictionaries`], but follows all rules of the generic form: properties that the definition of
    /// the operation does not declare are removed, and the values of the other properties are converted.
    ///
    /// # Errors
    /// The definition does not allow these properties.
    pub(super) fn generic_dictionaries(
        &mut self,
        name: OpNameId,
        properties: Option<AttrId>,
        attrs: AttrId,
    ) -> ParseResult<(AttrId, AttrId)> {
        let mut parser = Parser::new(self, "", None);
        let token = parser.token;
        let properties = properties.map(|given| parser.defined_properties(name, given, token)).transpose()?;
        let (properties, attrs) = parser.dictionaries(name, properties, attrs);
        Ok((parser.stored_properties(name, properties, token)?, attrs))
    }
}
