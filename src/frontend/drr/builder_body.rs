//! Reads the inline C++ bodies of `OpBuilder`s.
//!
//! Input: the body of a builder. Output: the result types, operands, attributes and successors of the new operation, as
//! C++ expressions of the builder's parameters and of the variables of the body. A body is readable if it consists of
//! local variables and of either one call `build($_builder, $_state, types…, arguments…)` at the end, or calls of
//! `addTypes`, `addOperands`, `addAttribute`, `addSuccessors`, `types.push_back` and `operands.push_back` on the state.
//! The only control flow is an `if` that sets an attribute variable, which stays null if the condition is false. For
//! other bodies, `builder` compiles the C++ source of the builder; if this fails, linking requires a registered type
//! inference.

use super::classes::short;
use crate::frontend::cxx::{InlineResult, Variable};
use crate::frontend::ods::{ArgKind, Builder, Op, Sizes, without_comments};
use crate::pdl::Arity;

/// The variables and the calls in a body.
#[derive(Debug, Default, PartialEq, Eq)]
struct Statements {
    variables: Vec<Variable>,
    /// Result types and ranges of result types.
    types: Vec<String>,
    /// The arguments after the types in `build`.
    arguments: Option<Vec<String>>,
    /// The operands that are added to the state.
    operands: Vec<String>,
    /// The names and values of the attributes that are added to the state.
    attributes: Vec<(String, String)>,
    /// The successors that are added to the state.
    successors: Vec<String>,
}

/// The call of the generated builder that is equivalent to a body.
pub(super) struct BuilderCall {
    /// The parameters that take their default values, and the variables of the body.
    pub(super) variables: Vec<Variable>,
    /// Result types and ranges of result types.
    pub(super) types: Vec<String>,
    /// The arguments, in the order of the definition, and then the successors; `None` if an argument is not set.
    pub(super) arguments: Vec<Option<InlineResult>>,
    /// The names and values of attributes that the definition does not declare.
    pub(super) others: Vec<(String, String)>,
}

/// The arguments that the body of a builder passes to the generated builder, result types first, and the variables that
/// they can use. The caller passes the first `given` parameters. `None` if the body is not readable, does not set all
/// arguments, sets an undeclared attribute, or states only some of the result types.
pub(super) fn passed_arguments(
    op: &Op<'_>,
    builder: &Builder<'_>,
    given: usize,
) -> Option<(Vec<Variable>, Vec<InlineResult>)> {
    let call = read_body(op, builder, given)?;
    let is_complete = call.others.is_empty() && [0, op.results.len()].contains(&call.types.len());
    let types = call.types.into_iter().map(|ty| Some(InlineResult::One(ty)));
    let passed = types.chain(call.arguments).collect::<Option<_>>().filter(|_| is_complete)?;
    Some((call.variables, passed))
}

/// Reads the body of a builder to which the caller passes the first `given` parameters; `None` if the body is not
/// readable.
pub(super) fn read_body(op: &Op<'_>, builder: &Builder<'_>, given: usize) -> Option<BuilderCall> {
    let text = builder.body?;
    let count = op.args.len() + op.successors.len();
    let body = [op.results.len(), 0].into_iter().find_map(|types| read_statements(text, types, count))?;
    let defaults = builder.params[given..].iter();
    let defaults = defaults.map(|param| Variable { name: param.name.into(), value: param.default.into() });
    let variables = defaults.chain(body.variables).collect();
    let types = body.types;
    if let Some(arguments) = body.arguments {
        let arguments = arguments.into_iter().map(|text| Some(InlineResult::One(text))).collect();
        return Some(BuilderCall { variables, types, arguments, others: Vec::new() });
    }
    let mut operands = grouped(op, body.operands)?.into_iter();
    let mut arguments: Vec<Option<InlineResult>> = Vec::new();
    for arg in &op.args {
        arguments.push(if matches!(arg.kind, ArgKind::Operand(_)) { operands.next() } else { None });
    }
    let mut others = Vec::new();
    for (name, text) in body.attributes {
        let name = attribute_name(op, &name)?;
        match op.args.iter().position(|arg| arg.name == name) {
            Some(index) if arguments[index].is_none() => arguments[index] = Some(InlineResult::One(text)),
            Some(_) => return None,
            None => others.push((name.to_owned(), text)),
        }
    }
    if body.successors.len() != op.successors.len() {
        return None;
    }
    arguments.extend(body.successors.into_iter().map(|text| Some(InlineResult::One(text))));
    Some(BuilderCall { variables, types, arguments, others })
}

/// Divides the operands that a body adds to the state among the operands of the definition.
fn grouped(op: &Op<'_>, mut added: Vec<String>) -> Option<Vec<InlineResult>> {
    let count = op.operands.len();
    if op.operand_sizes == Sizes::Attribute && count > 0 {
        // The group sizes are unknown, because they are a separate attribute.
        return None;
    }
    if added.len() == count {
        return Some(added.into_iter().map(InlineResult::One).collect());
    }
    let variadic = op.operands.iter().position(|operand| operand.arity == Arity::Variadic)?;
    if op.operands.iter().filter(|operand| operand.arity != Arity::One).count() > 1 {
        return None;
    }
    let len = added.len().checked_sub(count - 1)?;
    let after = added.split_off(variadic + len);
    let list = InlineResult::List(added.split_off(variadic));
    let one = |texts: Vec<String>| texts.into_iter().map(InlineResult::One);
    Some(one(added).chain([list]).chain(one(after)).collect())
}

/// The attribute that an expression names by a string, or by a generated function such as
/// `getValueAttrName($_state.name)`.
fn attribute_name<'n>(op: &Op<'n>, name: &'n str) -> Option<&'n str> {
    if let Some(text) = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
        return (!text.contains(['"', '\\'])).then_some(text);
    }
    let (function, argument) = name.split_once('(')?;
    let (state, "name") = argument.strip_suffix(')')?.trim().split_once('.')? else { return None };
    let (index, whole) = op.attribute_accessor(function.trim().strip_suffix("AttrName")?)?;
    (is_state(state.trim()) && !whole).then(|| op.attributes[index].name)
}

/// True if the body of a builder is readable.
pub(in crate::frontend) fn has_simple_body(op: &Op<'_>, builder: &Builder<'_>) -> bool {
    read_body(op, builder, builder.params.len()).is_some()
}

fn read_statements(body: &str, results: usize, arguments: usize) -> Option<Statements> {
    let body = without_comments(body);
    let mut read = Statements::default();
    for statement in split(&body, ';') {
        let statement = statement.trim();
        if statement.is_empty() {
            continue;
        }
        if read.arguments.is_some() {
            return None;
        }
        if let Some(call) = arguments_of(statement, "build") {
            let mut parts = split(call, ',').into_iter().map(|part| part.trim().to_owned());
            let (builder, state) = (parts.next()?, parts.next()?);
            let lists = [read.types.len(), read.operands.len(), read.attributes.len(), read.successors.len()];
            let adds = lists != [0; 4];
            if !is_builder(&builder) || !is_state(&state) || adds {
                return None;
            }
            let mut rest: Vec<String> = parts.collect();
            // The overload determines the class of `{}`.
            if rest.len() != results + arguments || rest[..results].iter().any(|ty| ty == "{}") {
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
                "addTypes" | "types.push_back" => read.types.extend(listed(call).map(str::to_owned)),
                "addOperands" | "operands.push_back" => {
                    read.operands.extend(listed(call).map(str::to_owned));
                }
                "addAttribute" => {
                    let parts = split(call, ',');
                    let [name, value] = parts[..] else { return None };
                    read.attributes.push((name.trim().to_owned(), value.trim().to_owned()));
                }
                "addSuccessors" => read.successors.extend(listed(call).map(str::to_owned)),
                _ => return None,
            }
        } else if let Some(variable) = constructed(statement).or_else(|| null_attribute(statement)) {
            read.variables.push(variable);
        } else if let Some((name, value)) = set_if(statement) {
            let at = read.variables.iter().position(|variable| variable.name == name)?;
            let is_null = read.variables.remove(at).value == NULL;
            // The expressions that were read before are evaluated after this statement, so they must not use the
            // variable.
            let between = read.variables[at..].iter().map(|variable| &variable.value);
            let added = read.types.iter().chain(&read.operands).chain(&read.successors);
            let attributes = read.attributes.iter().map(|(_, value)| value);
            if !is_null || between.chain(added).chain(attributes).any(|text| mentions(text, name)) {
                return None;
            }
            read.variables.push(Variable { name: name.to_owned(), value });
        } else {
            let (left, right) = statement.split_once('=')?;
            let name = left.trim_end().rsplit(|c: char| !is_word(c)).next()?;
            let declared = left.trim_end().strip_suffix(name)?.trim();
            // The result of a call on the state is unknown.
            let stateful = is_state(right.trim().split('.').next().unwrap_or(""));
            if name.is_empty()
                || declared.is_empty()
                || declared == "else"
                || declared.contains(['.', '(', '[', '!', '*'])
                || right.starts_with('=')
                || stateful
            {
                return None;
            }
            read.variables.push(Variable { name: name.to_owned(), value: right.trim().to_owned() });
        }
    }
    Some(read)
}

/// `SmallVector<T, N> name(args)` as a variable.
fn constructed(statement: &str) -> Option<Variable> {
    let declared = short(statement);
    let args = declared.strip_prefix("SmallVector<")?;
    let (head, rest) = args.split_once('(')?;
    let (args, name) = head.rsplit_once('>')?;
    let values = rest.strip_suffix(')')?;
    let name = name.trim();
    if name.is_empty() || !name.chars().all(is_word) {
        return None;
    }
    Some(Variable { name: name.to_owned(), value: format!("SmallVector<{args}>({values})") })
}

/// The value of an attribute that is declared without a value.
const NULL: &str = "nullptr";

/// `SomeAttr name` as a variable.
fn null_attribute(statement: &str) -> Option<Variable> {
    let (class, name) = statement.split_once(char::is_whitespace)?;
    let is_declaration = class.ends_with("Attr") && class.chars().all(|c| is_word(c) || c == ':');
    let name = name.trim();
    (is_declaration && name.chars().all(is_word))
        .then(|| Variable { name: name.to_owned(), value: NULL.to_owned() })
}

/// The variable that `if (condition) name = value` sets, and its value after the statement, if it was null before.
fn set_if(statement: &str) -> Option<(&str, String)> {
    let rest = statement.strip_prefix("if")?.trim_start().strip_prefix('(')?;
    let condition = split(rest, ')').first().copied()?;
    let (name, value) = rest.strip_prefix(condition)?.strip_prefix(')')?.split_once('=')?;
    let (name, value) = (name.trim(), value.trim());
    let compared =
        ["==", "!=", "<=", ">="].iter().fold(condition.to_owned(), |text, op| text.replace(op, ""));
    let declares = compared.contains('=');
    let is_set = !name.is_empty() && name.chars().all(is_word) && !value.starts_with('=') && !declares;
    is_set.then(|| (name, format!("({condition}) ? ({value}) : {NULL}")))
}

fn is_state(text: &str) -> bool {
    matches!(text, "$_state" | "odsState" | "state")
}

fn is_builder(text: &str) -> bool {
    matches!(text, "$_builder" | "odsBuilder" | "builder")
}

/// True if a name is a word of a text.
fn mentions(text: &str, name: &str) -> bool {
    text.split(|c| !is_word(c)).any(|word| word == name)
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// The arguments of `addTypes`, `addOperands` or `addSuccessors`: the items of a list in braces, or one value or range.
fn listed(call: &str) -> impl Iterator<Item = &str> {
    let call = call.trim();
    let range = call.strip_prefix("::mlir::").or_else(|| call.strip_prefix("mlir::")).unwrap_or(call);
    let range = range.strip_prefix("ValueRange").or_else(|| range.strip_prefix("TypeRange")).unwrap_or(range);
    let parts = match range.trim_start().strip_prefix('{').and_then(|list| list.strip_suffix('}')) {
        Some(list) => split(list, ','),
        None => vec![call],
    };
    parts.into_iter().map(str::trim).filter(|part| !part.is_empty())
}

/// The text between the parentheses of `name(…)`.
fn arguments_of<'t>(statement: &'t str, name: &str) -> Option<&'t str> {
    let rest = statement.trim().strip_prefix(name)?.trim_start().strip_prefix('(')?;
    let inner = rest.strip_suffix(')')?;
    // The last parenthesis must close the first.
    (split(inner, ')').len() == 1).then_some(inner)
}

/// Splits a text at a separator outside brackets and strings.
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
        read_statements(body, results, arguments).map(|body| body.types)
    }

    #[test]
    fn a_call_of_build_has_types_first() {
        let body = "build($_builder, $_state, value.getType(), value);";
        assert_eq!(types(body, 1, 1).unwrap(), ["value.getType()"]);
        assert_eq!(types(body, 1, 2), None);
        let body = "\n  // The type of the input.\n  auto ty = $_builder.getTensorType({a, b});\n  build($_builder, $_state, ty, x.ty);\n";
        let read = read_statements(body, 1, 1).unwrap();
        assert_eq!(read.types, ["ty"]);
        assert_eq!(read.variables[0].name, "ty");
        assert_eq!(read.variables[0].value, "$_builder.getTensorType({a, b})");
        assert_eq!(read.arguments.unwrap(), ["x.ty"]);
    }

    #[test]
    fn types_are_added_to_the_state() {
        let body =
            "$_state.addOperands({lhs, rhs}); $_state.addTypes({lhs.getType(), $_builder.getI1Type()});";
        let read = read_statements(body, 2, 2).unwrap();
        assert_eq!(read.types, ["lhs.getType()", "$_builder.getI1Type()"]);
        assert_eq!(read.operands, ["lhs", "rhs"]);
        let body = "auto n = $_builder.getI64IntegerAttr(1); $_state.addAttribute(\"n, (\", n); $_state.operands.push_back(x);";
        let read = read_statements(body, 0, 2).unwrap();
        assert_eq!(read.operands, ["x"]);
        assert_eq!(read.attributes, [("\"n, (\"".to_owned(), "n".to_owned())]);
        assert_eq!(read.variables[0].value, "$_builder.getI64IntegerAttr(1)");
    }

    #[test]
    fn conditional_attributes_and_added_successors_are_read() {
        let body = "SomeAttr w; int n = ws.size(); if (!ws.empty()) w = $_builder.get(ws, n);
            build($_builder, $_state, c, w, to);";
        let read = read_statements(body, 0, 3).unwrap();
        let names: Vec<_> = read.variables.iter().map(|variable| &*variable.name).collect();
        assert_eq!(names, ["n", "w"]);
        assert_eq!(read.variables[1].value, "(!ws.empty()) ? ($_builder.get(ws, n)) : nullptr");
        assert_eq!(read.arguments.unwrap(), ["c", "w", "to"]);
        let read = read_statements("$_state.addSuccessors(to); $_state.addOperands(in);", 0, 2).unwrap();
        assert_eq!((read.successors, read.operands), (vec!["to".to_owned()], vec!["in".to_owned()]));
    }

    #[test]
    fn other_bodies_are_not_readable() {
        for body in [
            "SomeAttr a; if (c) a = x; else a = y; build($_builder, $_state, t, a);",
            "SomeAttr a; if (auto x = f()) a = x; build($_builder, $_state, t, a);",
            "SomeAttr a = x; if (c) a = y; build($_builder, $_state, t, a);",
            "auto *region = $_state.addRegion(); $_state.addTypes(t);",
            "if (x) $_state.addTypes(t);",
            "build($_builder, $_state, {}, a);",
            "$_state.addOperands(a); build($_builder, $_state, t, a);",
            "$_state.getOrAddProperties<Properties>().n = n; $_state.addTypes(t);",
            "x.y = 3; $_state.addTypes(t);",
        ] {
            assert_eq!(types(body, 1, 1), None, "{body}");
        }
    }
}
