//! The heads of the definitions of functions: template parameters, result types and parameters.

use super::builders::builder_result;
use super::packs::Packs;
use super::parse::{Parameter, TemplateParameter};
use super::source::Functions;
use crate::frontend::cxx::ast::{Ast, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lex::{Token, tokens};
use crate::frontend::cxx::parse::Parser;
use crate::stack::with_room;

/// The specifiers before a result type.
pub(super) const SPECIFIERS: &[&str] =
    &["static", "inline", "constexpr", "explicit", "virtual", "extern", "friend", "LLVM_ATTRIBUTE_UNUSED"];

/// The head of a definition.
pub(super) struct Head {
    pub(super) template: Vec<TemplateParameter>,
    /// The number of template parameters that belong to the class around the definition.
    pub(super) class_params: usize,
    /// The result type; `None` for `auto`.
    pub(super) result: Option<TypeName>,
    pub(super) params: Vec<Parameter>,
    /// The index of the definition, or of the declaration that states the default arguments.
    pub(super) defaults_of: usize,
    /// The nodes of default arguments.
    pub(super) ast: Ast,
    /// The packs of a variadic template.
    pub(super) packs: Packs,
}

/// A declaration in which spaces replace the lines `#define` and `#undef`.
pub(super) fn without_macros(declaration: &str) -> String {
    let mut is_macro = false;
    let mut lines = String::with_capacity(declaration.len());
    for line in declaration.split_inclusive('\n') {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start).unwrap_or_default();
        is_macro |= directive.starts_with("define") || directive.starts_with("undef");
        match is_macro {
            true => lines.extend(std::iter::repeat_n(' ', line.len())),
            false => lines.push_str(line),
        }
        // A backslash continues the line.
        is_macro &= line.trim_end().ends_with('\\');
    }
    lines
}

/// The template parameters of a definition with these packs.
fn template_parameters(
    functions: &Functions,
    function: usize,
    packs: &Packs,
) -> Result<Vec<TemplateParameter>, Fault> {
    let (definition, text) = (functions.definition(function), functions.text(function));
    let mut params = Vec::new();
    // A member of a class template is a template with the parameters of the class.
    for range in definition.class_params(text).into_iter().chain(&definition.template) {
        let tokens = packs.expanded(tokens(text, range)?, true)?;
        params.extend(functions.parser(&tokens, text, &definition.path).template_parameters()?);
    }
    Ok(params)
}

/// A parser for a part of a definition with these packs.
pub(super) fn parser_in<'t>(
    functions: &Functions,
    function: usize,
    packs: &Packs,
    tokens: &'t [Token],
) -> Result<Parser<'t>, Fault> {
    let (definition, text) = (functions.definition(function), functions.text(function));
    let template = template_parameters(functions, function, packs)?;
    let mut parser = functions.parser(tokens, text, &definition.path);
    parser.template_names = template.into_iter().map(|param| param.name).collect();
    Ok(parser)
}

/// Parses the head of a definition that is not variadic.
pub(super) fn head(functions: &Functions, function: usize) -> Result<Head, Fault> {
    head_with(functions, function, Packs::default())
}

/// Parses the head of a definition with these packs.
pub(super) fn head_with(functions: &Functions, function: usize, packs: Packs) -> Result<Head, Fault> {
    let (definition, text) = (functions.definition(function), functions.text(function));
    let template = template_parameters(functions, function, &packs)?;
    let class_params = match definition.class_params(text) {
        Some(_) if definition.template.is_none() => template.len(),
        Some(range) => {
            let tokens = tokens(text, range)?;
            functions.parser(&tokens, text, &definition.path).template_parameters()?.len()
        }
        None => 0,
    };
    let result = definition.trailing.as_ref().unwrap_or(&definition.result);
    if let Some(at) = text[result.clone()].find('#') {
        let at = result.start + at;
        return Err(error::unsupported(
            "a preprocessor line before the name or in the result type",
            at,
            at + 1,
        ));
    }
    let start = definition.template.as_ref().unwrap_or(&definition.result).start;
    if let Some((reason, at)) = functions.unread_macro_in(function, &(start..definition.body.start)) {
        return Err(error::outside(&reason, at, at + 1));
    }
    let of_result = packs.expanded(tokens(text, result)?, true)?;
    let mut parser = parser_in(functions, function, &packs, &of_result)?;
    // Macros may precede the result type.
    let mut ty = None;
    loop {
        if SPECIFIERS.iter().any(|specifier| parser.eat_name(specifier)) {
            continue;
        }
        let mut probe = parser.probe();
        match probe.type_name() {
            Ok(name) if probe.at_end() => {
                ty = Some(name);
                break;
            }
            _ if parser.at_end() => break,
            _ => drop(parser.bump()),
        }
    }
    let ty = match ty {
        Some(ty) => ty,
        None if definition.is_constructor(text) => {
            let path = definition.class().unwrap_or_default();
            TypeName::plain(path, 0, 0)
        }
        None => return Err(error::expected("a result type", definition.name.start, definition.name.end)),
    };
    let (params, ast) = parameters(functions, function, &packs)?;
    let ty = builder_result(functions, function, &params).unwrap_or(ty);
    let result = Some(ty).filter(|ty| ty.path != "auto");
    Ok(Head { template, class_params, result, params, defaults_of: function, ast, packs })
}

/// The parameters of a definition or declaration, with the nodes of their default arguments.
pub(super) fn parameters(
    functions: &Functions,
    function: usize,
    packs: &Packs,
) -> Result<(Vec<Parameter>, Ast), Fault> {
    let (definition, text) = (functions.definition(function), functions.text(function));
    let tokens = packs.expanded(tokens(text, &definition.params)?, true)?;
    let mut parser = parser_in(functions, function, packs, &tokens)?;
    let mut params = parser.parameters()?;
    // A call passes a location for the state, so a builder does not change this argument.
    if functions.is_builder(function)
        && let Some((state, ..)) = params.get_mut(1)
    {
        state.passing = Passing::Value;
    }
    Ok((params, parser.ast))
}

/// The declared result type of a function; `None` if the head cannot be read, and for `auto`.
pub(super) fn result_type(functions: &Functions, function: usize) -> Option<TypeName> {
    head(functions, function).ok()?.result
}

/// Adds the default arguments that a declaration of the function states. Adds none if two declarations state default
/// arguments with different texts.
pub(super) fn add_defaults(functions: &Functions, function: usize, head: &mut Head) {
    let text = |of: usize| &functions.text(of)[functions.definition(of).params.clone()];
    let mut found: Option<(usize, (Vec<Parameter>, Ast))> = None;
    for declaration in functions.declarations(function) {
        if found.as_ref().is_some_and(|(other, _)| text(*other) == text(declaration)) {
            continue;
        }
        let Ok((declared, ast)) = parameters(functions, declaration, &head.packs) else { continue };
        let is_same = |((a, ..), (b, ..)): (&Parameter, &Parameter)| is_same_parameter(a, b);
        if declared.len() != head.params.len()
            || !declared.iter().zip(&head.params).all(is_same)
            || declared.iter().all(|(.., default)| default.is_none())
        {
            continue;
        }
        match &found {
            None => found = Some((declaration, (declared, ast))),
            Some((other, (first, first_ast))) => {
                let stated = default_texts(functions, declaration, &declared, &ast);
                if !stated.eq(default_texts(functions, *other, first, first_ast)) {
                    return;
                }
            }
        }
    }
    if let Some((declaration, (declared, ast))) = found {
        for (param, (.., default)) in head.params.iter_mut().zip(declared) {
            param.2 = default;
        }
        (head.defaults_of, head.ast) = (declaration, ast);
    }
}

/// The default arguments of the parameters of a declaration, without spaces.
fn default_texts<'a>(
    functions: &'a Functions,
    declaration: usize,
    params: &'a [Parameter],
    ast: &'a Ast,
) -> impl Iterator<Item = Option<String>> {
    let text = functions.text(declaration);
    params.iter().map(move |&(.., default)| {
        let node = &ast[default?];
        Some(text[node.lo..node.hi].split_whitespace().collect())
    })
}

/// True if two declarations of one function can have these types for a parameter.
fn is_same_parameter(a: &TypeName, b: &TypeName) -> bool {
    let by_value = a.passing == Passing::Value && b.passing == Passing::Value;
    is_same_type(a, b) && (by_value || a.is_const == b.is_const)
}

/// True if two names can denote one type. Namespaces may be omitted.
pub(super) fn is_same_type(a: &TypeName, b: &TypeName) -> bool {
    let ends_with =
        |a: &str, b: &str| a.strip_suffix(b).is_some_and(|rest| rest.is_empty() || rest.ends_with("::"));
    a.passing == b.passing
        && (ends_with(&a.path, &b.path) || ends_with(&b.path, &a.path))
        && a.args.len() == b.args.len()
        && a.args.iter().zip(&b.args).all(|(a, b)| with_room(|| is_same_type(a, b)))
}

impl Functions {
    /// True if the head of a definition can be read.
    pub(super) fn has_readable_head(&self, function: usize) -> bool {
        head(self, function).is_ok()
    }
}
