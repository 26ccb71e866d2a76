//! Stubs for natives that are not registered.
//!
//! The stubs load or compile without changes. A stub of a constraint never holds, and a stub of a rewrite or of a type
//! inference refuses. A C++ function cannot refuse, so the C++ stub of a rewrite with results calls `llvm_unreachable`,
//! and the C++ stub of a rewrite without results does nothing. The C++ stub of a type inference is a comment.

use std::fmt::Write;

use clap::ValueEnum;
use hashbrown::HashSet;

use crate::host::Kind;
use crate::pdl::{MissingNative, NativeCall, NativeRole, RuleSet};
use crate::snippet::{Form, Item, Ty, WrittenArg};
use crate::source::SourceMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum StubLanguage {
    /// A Rust file for a program that links drrvm
    Rust,
    /// A script for `--natives`
    Script,
    /// C++ functions for `--helpers`
    #[value(alias = "c++")]
    Cpp,
}

/// The text of a file with a stub for each native.
pub(super) fn write(
    language: StubLanguage,
    missing: &[&MissingNative],
    rules: &RuleSet,
    sources: &SourceMap,
) -> String {
    match language {
        StubLanguage::Rust => rust(missing, sources),
        StubLanguage::Script => script(missing, sources),
        StubLanguage::Cpp => cpp(missing, rules, sources),
    }
}

/// One line for each place where a rule calls a native.
fn callers(native: &MissingNative, sources: &SourceMap) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (rule, span) in &native.callers {
        let line = match sources.locate(*span) {
            Some(at) => format!("rule {rule}, {}:{}", at.file.name(), at.line),
            None => format!("rule {rule}"),
        };
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// A Rust function name for a native.
fn identifier(call: &NativeCall) -> String {
    let mut name = String::new();
    for c in call.name.chars() {
        match c {
            'A'..='Z' => {
                if name.ends_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit()) {
                    name.push('_');
                }
                name.push(c.to_ascii_lowercase());
            }
            'a'..='z' | '0'..='9' => name.push(c),
            _ if name.ends_with('_') => {}
            _ => name.push('_'),
        }
    }
    let verb = match call.role {
        NativeRole::Constraint => "holds",
        NativeRole::Rewrite => "make",
        NativeRole::TypeInference => "infer",
    };
    format!("{verb}_{}", name.trim_matches('_'))
}

/// A unique Rust function name for each native.
fn identifiers(missing: &[&MissingNative]) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for native in missing {
        let base = identifier(&native.call);
        let mut name = base.clone();
        let mut number = 2;
        while names.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        names.push(name);
    }
    names
}

fn rust_type(kind: Option<Kind>) -> &'static str {
    match kind {
        None => "Entity<IrHost>",
        Some(Kind::Op) => "Op<IrHost>",
        Some(Kind::Value) => "Value<IrHost>",
        Some(Kind::Values) => "Vec<Value<IrHost>>",
        Some(Kind::Type) => "Type<IrHost>",
        Some(Kind::Types) => "Vec<Type<IrHost>>",
        Some(Kind::Attr) => "Attr<IrHost>",
        Some(Kind::Attrs) => "Vec<Attr<IrHost>>",
        Some(Kind::Int) => "i64",
        Some(Kind::Bool) => "bool",
        Some(Kind::Str) => "Arc<str>",
        Some(Kind::ApInt) => "ApInt",
        Some(Kind::ApFloat) => "ApFloat",
        Some(Kind::Location) => "Location<IrHost>",
    }
}

/// The result type of a Rust function.
fn rust_results(results: &[Option<Kind>]) -> String {
    let ty = |kind: &Option<Kind>| rust_type(*kind);
    match results {
        [one] => ty(one).to_owned(),
        several => format!("({})", several.iter().map(ty).collect::<Vec<_>>().join(", ")),
    }
}

fn rust(missing: &[&MissingNative], sources: &SourceMap) -> String {
    let names = identifiers(missing);
    let mut body = String::new();
    for (native, name) in missing.iter().zip(&names) {
        let call = &native.call;
        let _ = writeln!(body, "\n/// `{}`: {} {}.", call.name, call.role, call.signature());
        body.push_str("///\n/// Called by\n");
        for line in callers(native, sources) {
            let _ = writeln!(body, "/// - {line}");
        }
        let params: String = (0..)
            .zip(&call.params)
            .map(|(i, kind): (u32, _)| format!(", _arg{i}: {}", rust_type(*kind)))
            .collect();
        let refusal =
            format!("Err(Refusal::new(\"'{}' is not implemented yet\"))", call.name.replace('"', "'"));
        let _ = match call.role {
            NativeRole::Constraint if is_test(call) => {
                writeln!(body, "fn {name}(_ir: &IrHost{params}) -> bool {{\n    false\n}}")
            }
            NativeRole::Constraint => {
                let results = rust_results(&call.results);
                writeln!(body, "fn {name}(_ir: &IrHost{params}) -> Option<{results}> {{\n    None\n}}")
            }
            NativeRole::Rewrite => {
                let results = rust_results(&call.results);
                writeln!(
                    body,
                    "fn {name}(_rewriter: &mut Rewriter<'_, IrHost>{params}) -> Result<{results}, Refusal> {{\n    {refusal}\n}}"
                )
            }
            NativeRole::TypeInference => writeln!(
                body,
                "fn {name}(_ir: &mut IrHost, _new: &NewOp<'_, IrHost>) -> Result<Vec<TypeId>, Refusal> {{\n    {refusal}\n}}"
            ),
        };
    }
    let used = |word: &str| {
        let mut at = body.split(word);
        let mut before = at.next().unwrap_or("");
        at.any(|after| {
            let part = |c: char| c.is_alphanumeric() || c == '_';
            let whole = !before.ends_with(part) && !after.starts_with(part);
            before = after;
            whole
        })
    };
    let list = |words: &[&'static str]| {
        words.iter().copied().filter(|word| used(word)).collect::<Vec<_>>().join(", ")
    };
    let mut text =
        "//! Stubs for the natives that rules call, written by `drrvm check --stubs rust`.\n\n".to_owned();
    if used("Arc") {
        text.push_str("use std::sync::Arc;\n\n");
    }
    for (path, words) in [
        ("host::arg", list(&["Attr", "Location", "Op", "Type", "Value"])),
        (
            "host",
            [list(&["Entity"]), "Natives".to_owned(), list(&["NewOp", "Refusal", "Rewriter"])]
                .into_iter()
                .filter(|l| !l.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        ),
        (
            "ir",
            ["IrHost".to_owned(), list(&["TypeId"])]
                .into_iter()
                .filter(|l| !l.is_empty())
                .collect::<Vec<_>>()
                .join(", "),
        ),
        ("number", list(&["ApFloat", "ApInt"])),
    ] {
        if !words.is_empty() {
            let words = if words.contains(',') { format!("{{{words}}}") } else { words };
            let _ = writeln!(text, "use drrvm::{path}::{words};");
        }
    }
    text.push_str(
        "\n/// The natives to fill in.\npub fn natives() -> Natives<IrHost> {\n    Natives::new()\n",
    );
    for (native, name) in missing.iter().zip(&names) {
        let method = match native.call.role {
            NativeRole::Constraint => "constraint",
            NativeRole::Rewrite => "rewrite",
            NativeRole::TypeInference => "type_inference",
        };
        let _ = writeln!(text, "        .{method}({:?}, {name})", native.call.name);
    }
    text.push_str("}\n");
    text.push_str(&body);
    text
}

/// True if a constraint has no results besides its truth value.
fn is_test(call: &NativeCall) -> bool {
    matches!(call.results[..], [] | [Some(Kind::Bool)])
}

fn script(missing: &[&MissingNative], sources: &SourceMap) -> String {
    let mut text =
        "// Stubs for the natives that rules call, written by `drrvm check --stubs script`.\n".to_owned();
    for native in missing {
        let call = &native.call;
        let _ = writeln!(text, "\n// {} {} {}, called by", call.role, call.name, call.signature());
        for line in callers(native, sources) {
            let _ = writeln!(text, "// - {line}");
        }
        let params: String = (0..call.params.len()).map(|i| format!(", arg{i}")).collect();
        let signature = call.signature();
        let refusal = format!("throw \"{} is not implemented yet\"", call.name.replace(['"', '\\'], "'"));
        let _ = match call.role {
            NativeRole::Constraint => {
                let no = if is_test(call) { "false" } else { "()" };
                writeln!(text, "constraint({:?}, {signature:?}, |ir{params}| {no});", call.name)
            }
            NativeRole::Rewrite => {
                writeln!(text, "rewrite({:?}, {signature:?}, |ir{params}| {{ {refusal} }});", call.name)
            }
            NativeRole::TypeInference => {
                writeln!(text, "type_inference({:?}, |ir, operands, attributes| {{ {refusal} }});", call.name)
            }
        };
    }
    text
}

fn cpp_type(kind: Option<Kind>) -> &'static str {
    match kind {
        None | Some(Kind::Attr) => "Attribute",
        Some(Kind::Op) => "Operation *",
        Some(Kind::Value) => "Value",
        Some(Kind::Values) => "ValueRange",
        Some(Kind::Type) => "Type",
        Some(Kind::Types) => "TypeRange",
        Some(Kind::Attrs) => "ArrayRef<Attribute>",
        Some(Kind::Int) => "int64_t",
        Some(Kind::Bool) => "bool",
        Some(Kind::Str) => "StringRef",
        Some(Kind::ApInt) => "const APInt &",
        Some(Kind::ApFloat) => "const APFloat &",
        Some(Kind::Location) => "Location",
    }
}

/// The C++ type for a static type: a Boolean, an integer or a float of C++, or a range or an optional. The elements of
/// a range or an optional can also be strings, `APInt` or `APFloat`. `None` for all other static types.
fn cpp_data_type(ty: Ty) -> Option<String> {
    let item = match ty.item {
        Item::Bool => "bool".to_owned(),
        Item::Int(int) => format!("{}int{}_t", if int.signed { "" } else { "u" }, int.bits),
        Item::Float => "float".to_owned(),
        Item::Double => "double".to_owned(),
        Item::Str if ty.form != Form::One => "StringRef".to_owned(),
        Item::ApInt if ty.form != Form::One => "APInt".to_owned(),
        Item::ApFloat if ty.form != Form::One => "APFloat".to_owned(),
        _ => return None,
    };
    match ty.form {
        Form::One => Some(item),
        Form::Range => Some(format!("ArrayRef<{item}>")),
        Form::Optional => Some(format!("std::optional<{item}>")),
        Form::Iterator => None,
    }
}

/// A declaration: `Type name`, `Type *name`.
fn cpp_param(ty: &str, name: &str) -> String {
    if ty.ends_with(['*', '&']) { format!("{ty}{name}") } else { format!("{ty} {name}") }
}

/// The parameters of a C++ function for a native, in the order of the arguments of a call.
fn cpp_params(call: &NativeCall, rules: &RuleSet) -> Vec<String> {
    let written = rules.snippets.written_args(&call.name, &call.params);
    let written = match written.first() {
        Some(written) => written.clone(),
        None => vec![WrittenArg::Value(Ty::UNKNOWN); call.params.len()],
    };
    let mut kinds = (0..).zip(&call.params);
    let param = |arg| match arg {
        WrittenArg::Builder => Some("PatternRewriter &rewriter".to_owned()),
        WrittenArg::Context => Some("MLIRContext *context".to_owned()),
        WrittenArg::Value(ty) => kinds.next().map(|(i, kind)| {
            let of_kind = || cpp_type(*kind).to_owned();
            cpp_param(&cpp_data_type(ty).unwrap_or_else(of_kind), &format!("arg{i}"))
        }),
    };
    written.into_iter().filter_map(param).collect()
}

/// Splits a name such as `f<IntegerType, 3>` into the line `template <…>` that starts a definition of the function, and
/// the name without the template arguments. For a name without such arguments, the line is empty. Returns `None` if no
/// function can have the name.
fn cpp_template(name: &str) -> Option<(String, &str)> {
    let is_name = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == ':');
    let Some((function, args)) = name.split_once('<') else {
        return is_name(name).then(|| (String::new(), name));
    };
    let args = args.strip_suffix('>').filter(|_| is_name(function) && function != "isa")?;
    let mut params = Vec::new();
    let (mut depth, mut start) = (0_usize, 0);
    for (at, c) in args.char_indices().chain([(args.len(), ',')]) {
        match c {
            '<' => depth += 1,
            '>' => depth = depth.checked_sub(1)?,
            ',' if depth == 0 => {
                let (arg, number) = (args[start..at].trim(), params.len());
                params.push(match arg {
                    "true" | "false" => format!("bool B{number}"),
                    _ if arg.parse::<i64>().is_ok() => format!("int64_t N{number}"),
                    _ => format!("typename T{number}"),
                });
                start = at + 1;
            }
            _ => {}
        }
    }
    Some((format!("template <{}>\n", params.join(", ")), function))
}

/// A file of C++ functions. A class test (`isa<…>`) or a type inference cannot be a function with the name of the
/// native, so its stub is a comment. Instances of a template share one function.
fn cpp(missing: &[&MissingNative], rules: &RuleSet, sources: &SourceMap) -> String {
    let mut text = "// Stubs for the functions that rules call, written by `drrvm check --stubs cpp`.\n\
                    // Fill them in and give the file to `--helpers`.\n\n\
                    #include \"mlir/IR/PatternMatch.h\"\n\nusing namespace mlir;\n"
        .to_owned();
    let mut written = HashSet::new();
    for native in missing {
        let call = &native.call;
        let _ = writeln!(text, "\n// {} {} {}, called by", call.role, call.name, call.signature());
        for line in callers(native, sources) {
            let _ = writeln!(text, "// - {line}");
        }
        let template = cpp_template(&call.name).filter(|_| call.role != NativeRole::TypeInference);
        let Some((template, name)) = template else {
            text.push_str("// A function cannot replace it: write this native in Rust or in a script.\n");
            continue;
        };
        let mut params = cpp_params(call, rules);
        let (result, fail) = match (&call.results[..], call.role) {
            ([] | [Some(Kind::Bool)], NativeRole::Constraint) => ("bool", "return false;"),
            ([], _) => ("void", ""),
            (results, NativeRole::Constraint) => {
                for (i, kind) in results.iter().enumerate() {
                    let class =
                        cpp_type(*kind).trim_end_matches([' ', '*', '&']).trim_start_matches("const ");
                    let number = if results.len() == 1 { String::new() } else { i.to_string() };
                    params.push(format!("{class} &result{number}"));
                }
                ("bool", "return false;")
            }
            ([kind], _) => (
                cpp_type(*kind).trim_start_matches("const ").trim_end_matches([' ', '&']),
                "llvm_unreachable(\"not implemented yet\");",
            ),
            _ => ("SmallVector<Value>", "llvm_unreachable(\"not implemented yet\");"),
        };
        // If the name has a namespace, the function is defined inside this namespace.
        let (namespace, name) = name.rsplit_once("::").unwrap_or(("", name));
        let function = format!(
            "{template}static {} {{\n  {fail}\n}}\n",
            cpp_param(result, &format!("{name}({})", params.join(", ")))
        );
        if !written.insert((namespace, function.clone())) {
            text.push_str("// The function above is used.\n");
            continue;
        }
        match namespace {
            "" => text.push_str(&function),
            _ => {
                let _ = write!(text, "namespace {namespace} {{\n{function}}} // namespace {namespace}\n");
            }
        }
    }
    text
}
