//! The bodies of the definitions of functions, and the variables that they change.

use super::builders::{builder_names, require_last_build};
use super::changes::Changes;
use super::head::{parameters, parser_in};
use super::packs::Packs;
use super::parse::Initialisers;
use super::source::Functions;
use crate::frontend::cxx::ast::{Ast, NodeId};
use crate::frontend::cxx::error::Fault;
use crate::frontend::cxx::lex::tokens;
use crate::frontend::cxx::parse::LocalUsing;

/// The body of a function, and the initialisers of a constructor.
pub(super) struct Body {
    pub(super) ast: Ast,
    pub(super) body: NodeId,
    pub(super) initialisers: Initialisers,
    /// Each `using namespace` in the body.
    pub(super) usings: Vec<LocalUsing>,
}

/// Parses the body of a definition with these packs.
pub(super) fn parse_body(functions: &Functions, function: usize, packs: &Packs) -> Result<Body, Fault> {
    let (definition, text) = (functions.definition(function), functions.text(function));
    let constructs = definition.is_constructor(text);
    let from = if constructs { definition.suffix.start } else { definition.body.start };
    let tokens = packs.expanded(tokens(text, &(from..definition.body.end))?, false)?;
    let mut parser = parser_in(functions, function, packs, &tokens)?;
    parser.in_statements = true;
    let (params, _) = parameters(functions, function, packs)?;
    params.iter().for_each(|(_, name, _)| parser.add_variable(name));
    if functions.is_builder(function) {
        parser.builder = builder_names(functions, function, &params);
    }
    let initialisers = if constructs { parser.initialisers()? } else { Vec::new() };
    parser.expect("{")?;
    let body = parser.rest_of_block(definition.body.start)?;
    if parser.builder.is_some() {
        parser.end_builder(body);
        require_last_build(&parser.ast, body)?;
    }
    Ok(Body { ast: parser.ast, body, initialisers, usings: parser.usings })
}

/// True if a function may change a parameter.
pub(super) fn changes_parameter(functions: &Functions, function: usize, packs: &Packs, name: &str) -> bool {
    match parse_body(functions, function, packs) {
        Ok(Body { ast, initialisers, .. }) => changes(&ast, &initialisers, functions).contains(name),
        Err(_) => true,
    }
}

/// The variables that a function changes, itself or through functions of the source files.
pub(super) fn changes(ast: &Ast, initialisers: &Initialisers, functions: &Functions) -> Changes {
    let mut changes = Changes::of(ast, Some(functions));
    for (_, args, _) in initialisers {
        changes.initialise(ast, functions, args);
    }
    changes
}
