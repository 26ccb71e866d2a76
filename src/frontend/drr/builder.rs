//! `OpBuilder`s: result types from builders with inline bodies.
//!
//! A body is read as far as it only says what the result types are: local variables, then one
//! `build($_builder, $_state, types…, arguments…)`, or calls of `addTypes`, `addOperands` and
//! `addAttribute` on the state. Everything else is C++ that a registered type inference stands for.

use super::cpp::Expected;
use super::create::Arguments;
use super::error;
use super::result::Given;
use super::rule::{Rule, Try};
use crate::frontend::ods::{Builder, BuilderParam, Op};
use crate::host::Kind;
use crate::pdl::{Arg, ResultTypes};
use crate::source::Span;

/// Longest expression that inlining local variables may give.
const TEXT_LIMIT: usize = 1 << 16;

/// What a body says.
#[derive(Debug, Default, PartialEq, Eq)]
struct Body {
    /// C++ expressions of the types, one or a range each.
    types: Vec<String>,
    /// C++ expressions of what follows the types in `build`.
    arguments: Option<Vec<String>>,
}

impl<'a> Rule<'_, '_, 'a> {
    /// The result types by the builder that these arguments choose; none if no builder takes them.
    pub(super) fn built_types(
        &mut self,
        op: &Op<'a>,
        arguments: &Arguments,
        span: Span,
    ) -> Try<Option<ResultTypes>> {
        let count = arguments.things.len();
        let takes = |builder: &&Builder<'a>| {
            let required = builder.params.iter().filter(|param| param.default.is_empty()).count();
            required <= count && count <= builder.params.len()
        };
        let mut fitting: Vec<&Builder<'a>> = op.builders.iter().filter(takes).collect();
        if fitting.len() > 1 {
            fitting.retain(|builder| {
                let mut pairs = builder.params.iter().zip(&arguments.things);
                pairs.all(|(param, thing)| fits(param, thing.kind))
            });
        }
        let builder = match fitting[..] {
            [] => return Ok(None),
            [builder] => builder,
            [first, second, ..] => {
                return Err(self.fail(error::ambiguous_builder(&op.name, span, first.span, second.span)));
            }
        };
        let Some(body) = builder.body.and_then(|body| read(body, op.results.len(), op.args.len())) else {
            return Ok(Some(ResultTypes::Inferred));
        };
        let passed = body.arguments.unwrap_or_default();
        let same = passed.iter().zip(&builder.params).all(|(text, param)| text == param.name);
        if !same {
            return Ok(Some(ResultTypes::Inferred));
        }
        let given = builder.params.iter().zip(&arguments.things).map(|(param, thing)| Given {
            name: param.name.to_owned(),
            arg: Arg::Of(thing.source),
            ty: thing.ty,
        });
        let given: Vec<Given> = given.collect();
        let mut types = Vec::new();
        for text in &body.types {
            let made = self.call(text, span, &given, Expected::Any, "", None)?;
            match made[..] {
                [thing] if matches!(thing.kind, Kind::Type | Kind::Types) => types.push(thing.source),
                _ => return Err(self.fail(error::builder_type(&op.name, text, span, builder.span))),
            }
        }
        Ok(Some(ResultTypes::Listed(types)))
    }
}

/// Whether a parameter takes something of this kind.
fn fits(param: &BuilderParam<'_>, kind: Kind) -> bool {
    let ty = param.ty.trim_end_matches(['&', ' ', '*']);
    let ty = ty.rsplit("::").next().unwrap_or(ty);
    match kind {
        Kind::Value => matches!(ty, "Value" | "ValueRange" | "OpFoldResult"),
        Kind::Values => ty.contains("Range") || ty.contains("Value>"),
        Kind::Attr => !matches!(ty, "Value" | "ValueRange" | "Type" | "TypeRange"),
        Kind::Type => ty.contains("Type") && !ty.contains("Attr"),
        _ => true,
    }
}

/// What the body of a builder passes on to the generated ones, result types first: C++ expressions of the
/// builder's parameters, of which only the first `given` are given.
pub(super) fn passed_on(op: &Op<'_>, builder: &Builder<'_>, given: usize) -> Option<Vec<String>> {
    let text = builder.body?;
    let body = [op.results.len(), 0].into_iter().find_map(|types| gather(text, types, op.args.len()))?;
    let left_out: Vec<(String, String)> = builder.params[given..]
        .iter()
        .map(|param| (param.name.to_owned(), param.default.to_owned()))
        .collect();
    let texts = body.types.into_iter().chain(body.arguments?);
    texts.map(|text| inline(&text, &left_out)).collect()
}

/// Reads a body for the result types that it states; none if it states none, or does what this form cannot say.
fn read(body: &str, results: usize, arguments: usize) -> Option<Body> {
    gather(body, results, arguments).filter(|body| !body.types.is_empty())
}

fn gather(body: &str, results: usize, arguments: usize) -> Option<Body> {
    let body = without_comments(body);
    let mut locals: Vec<(String, String)> = Vec::new();
    let mut read = Body::default();
    for statement in split(&body, ';') {
        let statement = statement.trim();
        if statement.is_empty() {
            continue;
        }
        if read.arguments.is_some() {
            return None;
        }
        if let Some(call) = arguments_of(statement, "build") {
            let mut parts = split(call, ',').into_iter().map(|part| inline(part.trim(), &locals));
            let (builder, state) = (parts.next()??, parts.next()??);
            if !is_builder(&builder) || !is_state(&state) || !read.types.is_empty() {
                return None;
            }
            let mut rest = parts.collect::<Option<Vec<String>>>()?;
            if rest.len() != results + arguments {
                return None;
            }
            read.arguments = Some(rest.split_off(results));
            read.types = rest;
        } else if let Some((state, method)) = statement.split_once('.')
            && is_state(state.trim())
        {
            if let Some(call) = arguments_of(method, "addTypes") {
                match call.trim().strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
                    Some(list) => {
                        for ty in split(list, ',') {
                            read.types.push(inline(ty.trim(), &locals)?);
                        }
                    }
                    None => read.types.push(inline(call.trim(), &locals)?),
                }
            } else if arguments_of(method, "addOperands").is_none()
                && arguments_of(method, "addAttribute").is_none()
            {
                return None;
            }
        } else {
            let (left, right) = statement.split_once('=')?;
            let name = left.trim_end().rsplit(|c: char| !is_word(c)).next()?;
            let declared = left.trim_end().strip_suffix(name)?.trim();
            // What a call on the state gives is not known here.
            let stateful = is_state(right.trim().split('.').next().unwrap_or(""));
            if name.is_empty()
                || declared.is_empty()
                || declared.contains(['.', '(', '[', '!', '*'])
                || right.starts_with('=')
                || stateful
            {
                return None;
            }
            locals.push((name.to_owned(), inline(right.trim(), &locals)?));
        }
    }
    Some(read)
}

fn is_state(text: &str) -> bool {
    matches!(text, "$_state" | "odsState" | "state")
}

fn is_builder(text: &str) -> bool {
    matches!(text, "$_builder" | "odsBuilder" | "builder")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// What is between the parentheses of `name(…)`.
fn arguments_of<'t>(statement: &'t str, name: &str) -> Option<&'t str> {
    let rest = statement.trim().strip_prefix(name)?.trim_start().strip_prefix('(')?;
    let inner = rest.strip_suffix(')')?;
    // The parenthesis at the end must be the one at the start.
    (split(inner, ')').len() == 1).then_some(inner)
}

/// Replaces the names of local variables by what they are.
fn inline(text: &str, locals: &[(String, String)]) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(start) = rest.find(is_word) {
        let end = rest[start..].find(|c| !is_word(c)).map_or(rest.len(), |len| start + len);
        let word = &rest[start..end];
        out.push_str(&rest[..start]);
        // A member is not a variable.
        let member = out.ends_with('.') || out.ends_with("->") || out.ends_with("::");
        match locals.iter().rev().find(|(name, _)| name == word && !member) {
            Some((_, value)) => {
                out.push('(');
                out.push_str(value);
                out.push(')');
            }
            None => out.push_str(word),
        }
        if out.len() > TEXT_LIMIT {
            return None;
        }
        rest = &rest[end..];
    }
    out.push_str(rest);
    Some(out)
}

/// Splits at a separator outside brackets and strings.
fn split(text: &str, separator: char) -> Vec<&str> {
    let mut parts = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    let (mut quoted, mut escaped) = (false, false);
    for (at, c) in text.char_indices() {
        if quoted {
            quoted = escaped || c != '"';
            escaped = c == '\\' && !escaped;
            continue;
        }
        if c == separator && depth == 0 {
            parts.push(&text[start..at]);
            start = at + c.len_utf8();
            continue;
        }
        match c {
            '"' => quoted = true,
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn without_comments(text: &str) -> String {
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn types(body: &str, results: usize, arguments: usize) -> Option<Vec<String>> {
        read(body, results, arguments).map(|body| body.types)
    }

    #[test]
    fn a_call_of_build_states_types_first() {
        let body = "build($_builder, $_state, value.getType(), value);";
        assert_eq!(types(body, 1, 1).unwrap(), ["value.getType()"]);
        assert_eq!(types(body, 1, 2), None);
        let body = "\n  // The type of the input.\n  auto ty = $_builder.getTensorType({a, b});\n  build($_builder, $_state, ty, x.ty);\n";
        let read = read(body, 1, 1).unwrap();
        assert_eq!(read.types, ["($_builder.getTensorType({a, b}))"]);
        assert_eq!(read.arguments.unwrap(), ["x.ty"]);
    }

    #[test]
    fn types_are_added_to_the_state() {
        let body =
            "$_state.addOperands({lhs, rhs}); $_state.addTypes({lhs.getType(), $_builder.getI1Type()});";
        assert_eq!(types(body, 2, 2).unwrap(), ["lhs.getType()", "$_builder.getI1Type()"]);
    }

    #[test]
    fn what_is_more_than_that_is_left_to_cpp() {
        for body in [
            "auto *region = $_state.addRegion(); $_state.addTypes(t);",
            "if (x) $_state.addTypes(t);",
            "build($_builder, $_state, {});",
            "$_state.addOperands(a);",
            "x.y = 3; $_state.addTypes(t);",
            "",
        ] {
            assert_eq!(types(body, 1, 1), None, "{body}");
        }
    }
}
