//! `drrvm gen-rewriters`: writes C++ with compiled rules, in place of `mlir-tblgen -gen-rewriters`.
//!
//! Specification: the generated file replaces the output of `mlir-tblgen`. It defines `populateWithGenerated` and a
//! pattern class for each rule, and can be included in the same places. It contains the compiled program as bytes, and
//! one function for each C++ helper that rules call. Its patterns run in `libdrrvm_mlir`.

mod texts;

use std::cmp::Reverse;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use texts::Texts;

use super::error;
use super::exit::Failed;
use super::options::{MessageArgs, SelectArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::{Session, new_host};
use crate::bytecode::Program;
use crate::compile;
use crate::frontend::tablegen::{self, Records};
use crate::host::{Kind, Natives};
use crate::ir::IrHost;
use crate::pdl::{MissingNative, NativeCall, NativeRole};
use crate::report::text;
use crate::snippet::{Snippets, WrittenArg};
use crate::source::Diagnostics;
use crate::vm::{LinkOptions, Matcher};

/// Generate C++ patterns that run compiled rules inside MLIR
///
/// Takes the place of `mlir-tblgen -gen-rewriters`: the output defines populateWithGenerated and one pattern class for
/// each rule. The output contains the compiled rules, so the C++ compiler compiles only calls of helper functions.
/// Declare these functions before the file is included. Link libdrrvm_mlir, which hosts/mlir builds.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm gen-rewriters ToyCombine.td -I mlir/include -o ToyCombine.inc
      Generate the patterns in place of `mlir-tblgen -gen-rewriters` with the same arguments.")]
pub(super) struct GenRewritersArgs {
    /// Rule file: DRR (.td)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    select: SelectArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    /// Write a list of the files that the output depends on to FILE, for build systems
    #[arg(short = 'd', long = "depfile", value_name = "FILE")]
    depfile: Option<PathBuf>,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &GenRewritersArgs, natives: &Natives<IrHost>) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let options = args.select.options(&args.tablegen);
    let rules = compile::rules(&mut session.sources, std::slice::from_ref(&args.file), &options);
    let mut rules = session.settle(rules)?;
    let mut program = Arc::new(compile::program(&rules).map_err(|e| session.fail(e))?);
    let texts = texts::extract(&mut rules, &missing(&program, natives));
    if !texts.is_empty() {
        program = Arc::new(compile::program(&rules).map_err(|e| session.fail(e))?);
    }
    let bytes = compile::file(&program, &session.sources).map_err(|e| session.fail(e))?;
    let called = missing(&program, &Natives::new());
    let unknown = missing(&program, natives);
    let mut files = crate::source::SourceMap::default();
    let parsed = compile::records(&mut files, &args.file, &options).map_err(|e| session.fail(e))?;
    let natives =
        helpers(&parsed.records, &rules.snippets, &texts, &called, &unknown).map_err(|e| session.fail(e))?;
    let name = args.file.file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
    let generated = write(&name, &program, &bytes, &natives, &rules.snippets);
    if let Some(depfile) = &args.depfile {
        // The session has the rule files and the helper files; `files` has the files that define the records.
        let names = session.sources.files().chain(files.files()).map(|file| file.name());
        let mut inputs: Vec<String> = Vec::new();
        for input in names.filter(|name| Path::new(name).exists()).map(escape_path) {
            if !inputs.contains(&input) {
                inputs.push(input);
            }
        }
        let line = format!("{}: {}\n", escape_path(&args.output.target()), inputs.join(" "));
        super::output::write(depfile, |out| out.write_all(line.as_bytes())).map_err(|e| session.fail(e))?;
    }
    args.output.write(&session, generated)
}

/// A path in the syntax of make.
fn escape_path(path: &str) -> String {
    let mut text = String::new();
    let mut backslashes = 0;
    for c in path.chars() {
        match c {
            // Make removes half of the backslashes before an escaped character, and keeps all others.
            ' ' | '\t' | '#' => text.push_str(&"\\".repeat(backslashes + 1)),
            '$' => text.push('$'),
            _ => {}
        }
        backslashes = if c == '\\' { backslashes + 1 } else { 0 };
        text.push(c);
    }
    text
}

/// The natives that a program calls and that are not registered. The list is complete even if definitions of operations
/// in the host differ from the definitions in the program.
fn missing(program: &Arc<Program>, natives: &Natives<IrHost>) -> Vec<MissingNative> {
    match Matcher::link(Arc::clone(program), &mut new_host(), natives, &LinkOptions::default()) {
        Ok(_) => Vec::new(),
        Err(error) => error.missing().to_vec(),
    }
}

/// A call of a C++ helper.
struct Helper<'a> {
    native: &'a MissingNative,
    /// True if libdrrvm_mlir has the helper. The function of the library is then used if the project declares no
    /// function with this name.
    built_in: bool,
    /// The function or the expression that is called.
    call: Call<'a>,
}

enum Call<'a> {
    /// A function with this name.
    Function(&'a str),
    /// This expression. If it contains `$_op`, it has two arguments, `$_self` and `$_op`. Otherwise the arguments are
    /// `$0`, `$1`, …, after the argument `$_self` if the expression contains `$_self`.
    Text(&'a str),
    /// This expression, with these names for the arguments.
    Named(&'a str, Vec<&'a str>),
}

/// Returns the helpers for the natives that the rules call. `unknown` lists the natives that are not built in.
///
/// # Errors
/// Fails if no C++ is known for a native that is not built in, or if such a native is a function and its calls differ
/// only in the builder or the context.
fn helpers<'a>(
    records: &'a Records,
    snippets: &'a Snippets,
    texts: &'a Texts,
    called: &'a [MissingNative],
    unknown: &[MissingNative],
) -> Result<Vec<Helper<'a>>, Diagnostics> {
    let mut errors = Diagnostics::default();
    let mut all = Vec::new();
    // MLIR infers result types itself.
    for native in called.iter().filter(|native| native.call.role != NativeRole::TypeInference) {
        let name = &*native.call.name;
        let built_in = !unknown.iter().any(|other| other.call.name == name);
        let call = match (texts.get(name), records.find(name)) {
            (Some(&text), _) => {
                let params = snippets.get(text).params.iter().map(|param| snippets.str(param.name));
                Some(Call::Named(name, params.collect()))
            }
            (None, Some(record)) => expression(records.record(record)).map(Call::Text),
            (None, None) => is_function(name, built_in).then_some(Call::Function(name)),
        };
        let writings = snippets.written_args(name, &native.call.params);
        match call {
            Some(Call::Function(_)) if !built_in && writings.len() > 1 => {
                errors.push(error::same_signature(native))
            }
            Some(call) => all.push(Helper { native, call, built_in }),
            None if built_in => {}
            None => errors.push(error::no_helper(native)),
        }
    }
    if errors.is_empty() { Ok(all) } else { Err(errors) }
}

/// The C++ text of a record. Rules call the record as a native because the snippet language cannot express the text.
fn expression<'a>(record: tablegen::Record<'a>) -> Option<&'a str> {
    let fields = ["expression", "predExpr"];
    let direct = fields.iter().find_map(|field| record.string_field(field).ok());
    direct.or_else(|| record.def_field("predicate").ok()?.string_field("predExpr").ok())
}

/// True for a name that the generated C++ can call: a name, possibly with namespaces, or a function template with all
/// its template arguments. A template that is built in is not called, because the project may not declare the template,
/// and C++ rejects a template that is not declared.
fn is_function(name: &str, built_in: bool) -> bool {
    match name.split_once('<') {
        None => is_path(name),
        Some((template, arguments)) => {
            // These functions deduce a template argument from the class of their argument. `Argument` hides this class.
            let deduces = ["isa", "isa_and_nonnull", "isa_and_present", "cast", "dyn_cast", "hasTrait"];
            let function = template.rsplit("::").next().unwrap_or(template);
            !built_in && is_path(template) && arguments.ends_with('>') && !deduces.contains(&function)
        }
    }
}

/// True for a name of a function, possibly with namespaces.
fn is_path(name: &str) -> bool {
    name.trim_start_matches("::").split("::").all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    })
}

/// The fixed part of the generated file that precedes the helpers.
const RUNTIME: &str = include_str!("runtime.inc");

fn write(stem: &str, program: &Program, bytes: &[u8], helpers: &[Helper<'_>], snippets: &Snippets) -> String {
    let space = format!("drrvm_{}", identifier(stem));
    let mut out = format!(
        "// Written by drrvm gen-rewriters from {stem}.td. Do not edit.\n\nnamespace {space} {{\n\n{RUNTIME}\n"
    );
    for (number, helper) in helpers.iter().enumerate() {
        write_helper(&mut out, number, helper, snippets);
    }
    let _ = writeln!(out, "static const Native natives[] = {{");
    for (number, Helper { native, .. }) in helpers.iter().enumerate() {
        let role = u32::from(native.call.role == NativeRole::Rewrite);
        let name = &native.call.name;
        let results = native.call.results.len();
        // Role 3 marks a native whose C++ function does not exist.
        let _ = writeln!(
            out,
            "  {{{name:?}, {}, present{number} ? {role} : 3, params{number}, {}, kinds{number}, {results}, helper{number}, nullptr}},",
            name.len(),
            native.call.params.len()
        );
    }
    let _ = writeln!(out, "  {{nullptr, 0, 0, nullptr, 0, nullptr, 0, nullptr, nullptr}}}};\n");
    let _ = writeln!(out, "static const size_t nativeCount = {};\n", helpers.len());
    write_bytes(&mut out, bytes);
    let _ = writeln!(out, "{}", include_str!("patterns.inc"));
    let mut names = Vec::new();
    for rule in program.patterns().ids() {
        let mut name = identifier(text::rule_name(program, rule));
        while names.contains(&name) {
            name.push('_');
        }
        write_rule(&mut out, program, rule, &name);
        names.push(name);
    }
    let _ = writeln!(out, "}} // namespace {space}\n");
    for name in &names {
        let _ = writeln!(out, "using {space}::{name};");
    }
    let _ = writeln!(
        out,
        "\nvoid LLVM_ATTRIBUTE_UNUSED populateWithGenerated(::mlir::RewritePatternSet &patterns) {{\n  \
         {space}::populate(patterns);\n}}"
    );
    out
}

/// A valid C++ identifier for a name.
fn identifier(name: &str) -> String {
    let clean: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if clean.starts_with(|c: char| c.is_ascii_digit()) { format!("_{clean}") } else { clean }
}

fn write_rule(out: &mut String, program: &Program, rule: crate::pdl::PatternId, name: &str) {
    use crate::id::Id;
    let info = &program.patterns()[rule];
    let root = match program.pattern_debug(rule).root {
        Some(root) => format!("{:?}", &program.strings()[root]),
        None => "RulePattern::AnyRoot()".to_owned(),
    };
    let labels: String =
        program.labels(rule).map(|label| format!("    addDebugLabels({label:?});\n")).collect();
    let _ = writeln!(
        out,
        "struct {name} : RulePattern {{\n  {name}(::mlir::MLIRContext *context)\n      : RulePattern({root}, {}, {}, context) {{\n    \
         setDebugName({:?});\n{labels}  }}\n}};\n",
        info.benefit,
        rule.index(),
        program.pattern_name(rule)
    );
}

/// The number that stands for any kind in generated code.
const ANY: u32 = 11;

/// The number that stands for a kind in generated code.
fn number_of(kind: Option<Kind>) -> u32 {
    let Some(kind) = kind else { return ANY };
    match kind {
        Kind::Op => 0,
        Kind::Value => 1,
        Kind::Values => 2,
        Kind::Type => 3,
        Kind::Types => 4,
        Kind::Attr => 5,
        Kind::Attrs => 6,
        Kind::Int => 7,
        Kind::Bool => 8,
        Kind::Str => 9,
        Kind::Location => 10,
        Kind::ApInt => 12,
        Kind::ApFloat => 13,
    }
}

/// The class of an argument in C++.
fn class(kind: Kind) -> &'static str {
    match kind {
        Kind::Op => "::mlir::Operation *",
        Kind::Value => "::mlir::Value",
        Kind::Values => "::mlir::ValueRange",
        Kind::Type => "::mlir::Type",
        Kind::Types => "::mlir::TypeRange",
        Kind::Attr | Kind::Attrs => "::mlir::Attribute",
        Kind::Int => "int64_t",
        Kind::Bool => "bool",
        Kind::Str => "::llvm::StringRef",
        Kind::ApInt => "::llvm::APInt",
        Kind::ApFloat => "::llvm::APFloat",
        Kind::Location => "::mlir::Location",
    }
}

/// The numbers of kinds as the elements of an array, which has at least one element.
fn numbers_of(kinds: &[Option<Kind>]) -> String {
    let numbers: Vec<String> = kinds.iter().map(|&kind| number_of(kind).to_string()).collect();
    if numbers.is_empty() { "0".to_owned() } else { numbers.join(", ") }
}

/// The classes and the texts of the arguments of a helper, in the order in which the rules write them. A builder in
/// front is omitted, because `Caller` passes it. The returned flag is true if the rules write a builder in front, or if
/// the texts of the calls are unknown.
fn arguments(call: &NativeCall, snippets: &Snippets) -> (Vec<(String, String)>, bool) {
    let mut values = call.params.iter().enumerate().map(|(at, &kind)| {
        let class = format!("Argument<{}>", number_of(kind));
        let text = format!("{class}{{args[{at}]}}");
        (class, text)
    });
    let Some(written) = snippets.written_args(&call.name, &call.params).first() else {
        return (values.collect(), true);
    };
    let has_builder = written.first() == Some(&WrittenArg::Builder);
    let argument = |arg: &WrittenArg| match arg {
        WrittenArg::Builder => {
            let class = "std::reference_wrapper<::mlir::PatternRewriter>";
            Some((class.to_owned(), format!("{class}(builder)")))
        }
        WrittenArg::Context => Some(("::mlir::MLIRContext *".to_owned(), "builder.getContext()".to_owned())),
        WrittenArg::Value(_) => values.next(),
    };
    (written.iter().skip(usize::from(has_builder)).filter_map(argument).collect(), has_builder)
}

fn write_helper(out: &mut String, number: usize, helper: &Helper<'_>, snippets: &Snippets) {
    let call = &helper.native.call;
    let first_kind = call.results.first().map_or(0, |&kind| number_of(kind));
    let _ = writeln!(out, "static const unsigned params{number}[] = {{{}}};", numbers_of(&call.params));
    let _ = writeln!(out, "static const unsigned kinds{number}[] = {{{}}};", numbers_of(&call.results));
    let params = call.params.len();
    let (args, has_builder) = arguments(call, snippets);
    let test = u8::from(call.role == NativeRole::Constraint);
    let results = call.results.len();
    let list: String = args.iter().map(|(_, arg)| format!(", {arg}")).collect();
    let types: String = args.iter().map(|(class, _)| format!(", {class}")).collect();
    let _ = writeln!(out, "// {} {}", call.name.replace('\n', " "), call.signature());
    let head = format!(
        "static bool helper{number}(const void *, void *rewriter, const Entity *args, size_t, Push push, void *results) {{\n  \
         (void)args;\n  ::mlir::PatternRewriter &builder = *static_cast<::mlir::PatternRewriter *>(rewriter);"
    );
    let tail = format!(
        "  return Caller<{test}, {results}, {first_kind}, {has_builder}>::call(function, builder, kinds{number}, push, results"
    );
    let (text, names) = match &helper.call {
        Call::Function(name) => {
            let _ = writeln!(
                out,
                "struct Function{number} {{\n  template <typename... T>\n  \
                 auto operator()(T &&...each) const -> decltype({name}(static_cast<T &&>(each)...)) {{\n    \
                 return {name}(static_cast<T &&>(each)...);\n  }}\n}};\n\
                 static constexpr bool present{number} = Caller<{test}, {results}, {first_kind}, {has_builder}>::callable<Function{number}{types}>();"
            );
            if !helper.built_in {
                let _ = writeln!(
                    out,
                    "static_assert(present{number}, \"a rule calls '{name}' with the signature {}, but no function of this \
                     name that is declared before this file takes these arguments and returns a supported class; \
                     declare it before the #include\");",
                    call.signature()
                );
            }
            let _ = writeln!(out, "{head}\n  Function{number} function;\n{tail}{list});\n}}\n");
            return;
        }
        // A constraint that mentions `$_op` has the operation as its second argument.
        Call::Text(text) if text.contains("$_op") => (*text, vec!["$_self".to_owned(), "op".to_owned()]),
        Call::Text(text) => {
            let has_self = text.contains("$_self");
            let numbered = (0..params).map(|at| format!("${at}"));
            (*text, has_self.then(|| "$_self".to_owned()).into_iter().chain(numbered).collect())
        }
        Call::Named(text, names) => (*text, names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>()),
    };
    // `mlir-tblgen` writes `*op` as well.
    let mut text = text.replace("$_builder", "builder").replace("$_op", "*op");
    let mut placeholders: Vec<_> =
        names.iter().enumerate().filter(|(_, name)| name.starts_with('$')).collect();
    // `$10` is replaced before `$1`, because `$1` is a prefix of `$10`.
    placeholders.sort_by_key(|(_, name)| Reverse(name.len()));
    for (at, name) in placeholders {
        text = text.replace(name, &format!("arg{at}"));
    }
    let _ = writeln!(out, "static constexpr bool present{number} = true;\n{head}");
    for (at, &kind) in call.params.iter().enumerate() {
        let ty = class(kind.unwrap_or(Kind::Attr));
        let name = names.get(at).filter(|name| !name.starts_with('$'));
        let name = name.map_or_else(|| format!("arg{at}"), String::clone);
        let _ = writeln!(out, "  {ty} {name} = Argument<{ANY}>{{args[{at}]}};");
    }
    let _ = writeln!(out, "  auto function = [&]() {{ return ({text}); }};\n{tail});\n}}\n");
}

/// The program as a string literal, which compilers read faster than a list of numbers.
fn write_bytes(out: &mut String, bytes: &[u8]) {
    let _ = writeln!(out, "static const size_t programSize = {};", bytes.len());
    out.push_str("static const char program[] =");
    for line in bytes.chunks(64) {
        out.push_str("\n    \"");
        for (at, &byte) in line.iter().enumerate() {
            let next_is_digit = line.get(at + 1).is_some_and(u8::is_ascii_digit);
            match byte {
                b'"' | b'\\' => {
                    out.push('\\');
                    out.push(char::from(byte));
                }
                // `?` could start a trigraph.
                b' '..=b'~' if byte != b'?' => out.push(char::from(byte)),
                _ if next_is_digit => {
                    let _ = write!(out, "\\{byte:03o}");
                }
                _ => {
                    let _ = write!(out, "\\{byte:o}");
                }
            }
        }
        out.push('"');
    }
    out.push_str(";\n");
}
