//! `OpBuilder`s with inline bodies: what they make of their parameters.
//!
//! A body is read as far as it is a straight line: local variables, then one
//! `build($_builder, $_state, types…, arguments…)`, or calls of `addTypes`, `addOperands` and
//! `addAttribute` on the state. Everything else is C++ that a registered type inference stands for.

use super::cpp::Expected;
use super::create::Arguments;
use super::error;
use super::result::Given;
use super::rule::{Rule, Thing, Try};
use crate::frontend::cxx::Placeholder;
use crate::frontend::ods::{ArgKind, Builder, BuilderParam, Op, Sizes, without_comments};
use crate::host::Kind;
use crate::pdl::{Arg, Arity, ResultTypes, Source};
use crate::source::Span;

/// Longest expression that inlining local variables may give.
const TEXT_LIMIT: usize = 1 << 16;

/// What a body says, in C++ expressions of the builder's parameters.
#[derive(Debug, Default, PartialEq, Eq)]
struct Body {
    /// The types, one or a range each.
    types: Vec<String>,
    /// What follows the types in `build`.
    arguments: Option<Vec<String>>,
    /// What is added to the state as operands.
    operands: Vec<String>,
    /// The attributes that are added to the state: expressions of their names and of what they are.
    attributes: Vec<(String, String)>,
}

/// What a builder makes of what it is given.
struct Recipe {
    types: Vec<String>,
    /// For each argument of the definition, what it is; none: it is not set.
    arguments: Vec<Option<String>>,
    /// Attributes that the definition does not have.
    others: Vec<(String, String)>,
}

/// What a builder has made.
#[derive(Default)]
pub(super) struct Built {
    /// For each argument of the definition, what it is.
    pub(super) arguments: Vec<Option<Thing>>,
    /// Attributes that the definition does not have.
    pub(super) others: Vec<(String, Source)>,
}

impl<'a> Rule<'_, '_, 'a> {
    /// What the builder that these arguments choose makes of them; none if no builder takes them. Without a
    /// body that can be read, only the result types are not known.
    pub(super) fn built(
        &mut self,
        op: &Op<'a>,
        arguments: &Arguments,
        span: Span,
    ) -> Try<Option<(ResultTypes, Option<Built>)>> {
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
        let Some(recipe) = recipe(op, builder, count).filter(|recipe| !recipe.types.is_empty()) else {
            return Ok(Some((ResultTypes::Inferred, None)));
        };
        let given = builder.params.iter().zip(&arguments.things).map(|(param, thing)| Given {
            name: param.name.to_owned(),
            arg: Arg::Of(thing.source),
            ty: thing.ty,
        });
        let given: Vec<Given> = given.collect();
        let mut types = Vec::new();
        for text in &recipe.types {
            let made = self.call(text, span, &given, Expected::Any, "", None)?;
            match made[..] {
                [thing] if matches!(thing.kind, Kind::Type | Kind::Types) => types.push(thing.source),
                _ => return Err(self.fail(error::builder_type(&op.name, text, span, builder.span))),
            }
        }
        let mut built = Built::default();
        for (index, text) in recipe.arguments.iter().enumerate() {
            let thing = match text {
                None => self.left_out(op, index, span)?,
                Some(text) => {
                    let param = builder.params.iter().position(|param| param.name == text);
                    match param.and_then(|param| arguments.things.get(param)) {
                        Some(&thing) => Some(thing),
                        None => Some(self.built_argument(op, index, text, &given, span)?),
                    }
                }
            };
            built.arguments.push(thing);
        }
        for (name, text) in &recipe.others {
            let made = self.call(text, span, &given, Expected::Kind(Kind::Attr), "", None)?;
            built.others.extend(made.first().map(|thing| (name.clone(), thing.source)));
        }
        Ok(Some((ResultTypes::Listed(types), Some(built))))
    }

    /// An argument that a builder does not set: an attribute may have a default.
    fn left_out(&mut self, op: &Op<'a>, index: usize, span: Span) -> Try<Option<Thing>> {
        let ArgKind::Attribute(index) = op.args[index].kind else { return Ok(None) };
        let spec = op.attributes[index].spec;
        if spec.optional || spec.default.is_empty() {
            return Ok(None);
        }
        let default = self.default_of(&spec, span)?;
        Ok(default.map(|default| self.constant_thing(default, spec.storage)))
    }

    /// The kind of what an expression gives.
    fn kind_of(&mut self, text: &str, given: &[Given], span: Span) -> Try<Kind> {
        let params: Vec<Placeholder> =
            given.iter().map(|arg| Placeholder::new(arg.name.clone(), arg.ty)).collect();
        let (_, kinds) = self.session.rewrite_call(text, span, &params, Expected::Any, "")?;
        Ok(kinds.first().map_or(Kind::Op, |&(kind, _)| kind))
    }

    /// What a builder passes on as an argument of the definition.
    fn built_argument(
        &mut self,
        op: &Op<'a>,
        index: usize,
        text: &str,
        given: &[Given],
        span: Span,
    ) -> Try<Thing> {
        let mut value = String::new();
        let wanted = match op.args[index].kind {
            ArgKind::Operand(operand) if op.operands[operand].arity == Arity::Variadic => {
                Expected::Kind(Kind::Values)
            }
            ArgKind::Operand(_) => Expected::Kind(Kind::Value),
            ArgKind::Property(property) => {
                Expected::Property(self.session.property_form(&op.properties[property]))
            }
            ArgKind::Attribute(attribute) => {
                // A generated builder takes the attribute, or the C++ value that it is made of.
                if self.kind_of(text, given, span)? != Kind::Attr {
                    value = op.attributes[attribute].spec.builder.replace("$0", &format!("({text})"));
                }
                Expected::Kind(Kind::Attr)
            }
        };
        let text = if value.is_empty() { text } else { &value };
        let made = self.call(text, span, given, wanted, "", None)?;
        match made[..] {
            [thing] => Ok(thing),
            _ => Err(self.fail(error::builder_argument(&op.name, text, span))),
        }
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
    let recipe = recipe(op, builder, given)?;
    let all = recipe.others.is_empty() && [0, op.results.len()].contains(&recipe.types.len());
    recipe.types.into_iter().map(Some).chain(recipe.arguments).collect::<Option<_>>().filter(|_| all)
}

/// Reads the body of a builder of which the first `given` parameters are given; none if it does what this form
/// cannot say.
fn recipe(op: &Op<'_>, builder: &Builder<'_>, given: usize) -> Option<Recipe> {
    let text = builder.body?;
    let body = [op.results.len(), 0].into_iter().find_map(|types| gather(text, types, op.args.len()))?;
    let left_out: Vec<(String, String)> = builder.params[given..]
        .iter()
        .map(|param| (param.name.to_owned(), param.default.to_owned()))
        .collect();
    let given = |text: &String| inline(text, &left_out);
    let types = body.types.iter().map(given).collect::<Option<Vec<_>>>()?;
    if let Some(arguments) = &body.arguments {
        let arguments = arguments.iter().map(|text| given(text).map(Some)).collect::<Option<_>>()?;
        return Some(Recipe { types, arguments, others: Vec::new() });
    }
    let operands = body.operands.iter().map(given).collect::<Option<Vec<_>>>()?;
    let mut operands = grouped(op, &operands)?.into_iter();
    let mut arguments: Vec<Option<String>> = Vec::new();
    for arg in &op.args {
        arguments.push(if matches!(arg.kind, ArgKind::Operand(_)) { operands.next() } else { None });
    }
    let mut others = Vec::new();
    for (name, text) in &body.attributes {
        let text = given(text)?;
        let name = attribute_name(op, name)?;
        match op.args.iter().position(|arg| arg.name == name) {
            Some(index) if arguments[index].is_none() => arguments[index] = Some(text),
            Some(_) => return None,
            None => others.push((name.to_owned(), text)),
        }
    }
    Some(Recipe { types, arguments, others })
}

/// What is added as operands, by the operands of the definition.
fn grouped(op: &Op<'_>, added: &[String]) -> Option<Vec<String>> {
    let count = op.operands.len();
    if op.operand_sizes == Sizes::Attribute && count > 0 {
        // The state has no sizes then, unless they are added as an attribute.
        return None;
    }
    if added.len() == count {
        return Some(added.to_vec());
    }
    let variadic = op.operands.iter().position(|operand| operand.arity == Arity::Variadic)?;
    if op.operands.iter().filter(|operand| operand.arity != Arity::One).count() > 1 {
        return None;
    }
    let len = added.len().checked_sub(count - 1)?;
    let (before, rest) = added.split_at(variadic);
    let (list, after) = rest.split_at(len);
    let list = format!("::mlir::ValueRange{{{}}}", list.join(", "));
    Some(before.iter().cloned().chain([list]).chain(after.iter().cloned()).collect())
}

/// The attribute that an expression names: a string, or what a generated function gives.
fn attribute_name<'n>(op: &Op<'n>, name: &'n str) -> Option<&'n str> {
    if let Some(text) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return (!text.contains(['"', '\\'])).then_some(text);
    }
    let (function, argument) = name.split_once('(')?;
    let (state, "name") = argument.strip_suffix(')')?.trim().split_once('.')? else { return None };
    let (index, whole) = op.attribute_accessor(function.trim().strip_suffix("AttrName")?)?;
    (is_state(state.trim()) && !whole).then(|| op.attributes[index].name)
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
            if !is_builder(&builder) || !is_state(&state) || read != Body::default() {
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
            let (member, _) = method.split_once('(')?;
            let call = arguments_of(method, member)?;
            match member.trim() {
                "addTypes" | "types.push_back" => {
                    for ty in listed(call) {
                        read.types.push(inline(ty, &locals)?);
                    }
                }
                "addOperands" | "operands.push_back" => {
                    for operand in listed(call) {
                        read.operands.push(inline(operand, &locals)?);
                    }
                }
                "addAttribute" => {
                    let parts = split(call, ',');
                    let [name, value] = parts[..] else { return None };
                    read.attributes.push((name.trim().to_owned(), inline(value.trim(), &locals)?));
                }
                _ => return None,
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

/// What a call adds: a list in braces, or one thing or range.
fn listed(call: &str) -> Vec<&str> {
    let call = call.trim();
    let range = call.strip_prefix("::mlir::").or_else(|| call.strip_prefix("mlir::")).unwrap_or(call);
    let range = range.strip_prefix("ValueRange").or_else(|| range.strip_prefix("TypeRange")).unwrap_or(range);
    match range.trim_start().strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
        Some(list) => split(list, ',').into_iter().map(str::trim).filter(|part| !part.is_empty()).collect(),
        None => vec![call],
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn types(body: &str, results: usize, arguments: usize) -> Option<Vec<String>> {
        gather(body, results, arguments).map(|body| body.types)
    }

    #[test]
    fn a_call_of_build_states_types_first() {
        let body = "build($_builder, $_state, value.getType(), value);";
        assert_eq!(types(body, 1, 1).unwrap(), ["value.getType()"]);
        assert_eq!(types(body, 1, 2), None);
        let body = "\n  // The type of the input.\n  auto ty = $_builder.getTensorType({a, b});\n  build($_builder, $_state, ty, x.ty);\n";
        let read = gather(body, 1, 1).unwrap();
        assert_eq!(read.types, ["($_builder.getTensorType({a, b}))"]);
        assert_eq!(read.arguments.unwrap(), ["x.ty"]);
    }

    #[test]
    fn types_are_added_to_the_state() {
        let body =
            "$_state.addOperands({lhs, rhs}); $_state.addTypes({lhs.getType(), $_builder.getI1Type()});";
        let read = gather(body, 2, 2).unwrap();
        assert_eq!(read.types, ["lhs.getType()", "$_builder.getI1Type()"]);
        assert_eq!(read.operands, ["lhs", "rhs"]);
        let body = "auto n = $_builder.getI64IntegerAttr(1); $_state.addAttribute(\"n, (\", n); $_state.operands.push_back(x);";
        let read = gather(body, 0, 2).unwrap();
        assert_eq!(read.operands, ["x"]);
        assert_eq!(read.attributes, [("\"n, (\"".to_owned(), "($_builder.getI64IntegerAttr(1))".to_owned())]);
    }

    #[test]
    fn what_is_more_than_that_is_left_to_cpp() {
        for body in [
            "auto *region = $_state.addRegion(); $_state.addTypes(t);",
            "if (x) $_state.addTypes(t);",
            "build($_builder, $_state, {});",
            "$_state.addOperands(a); build($_builder, $_state, t, a);",
            "$_state.getOrAddProperties<Properties>().n = n; $_state.addTypes(t);",
            "x.y = 3; $_state.addTypes(t);",
        ] {
            assert_eq!(types(body, 1, 1), None, "{body}");
        }
    }
}
