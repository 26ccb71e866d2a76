//! Dialect conversion for `drrvm opt --convert`: its options, and the file of type conversions.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::drive::refuse_unused;
use super::exit::Failed;
use super::options::{DriverArgs, DriverChoice};
use super::session::Session;
use crate::bytecode::Program;
use crate::host::{Entity, Kind, Natives, OpState, Refusal, Rewriter, Signature};
use crate::ir::{Context, IrHost, OpId, TypeId, ValueId};
use crate::plural::count;
use crate::report::text::rule_span;
use crate::rewrite::{
    Conversion, ConversionError, ConversionMode, ConversionTarget, FailureKind, TypeConverter,
};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

/// Options of dialect conversion.
#[derive(Debug, Args)]
#[command(next_help_heading = "Conversion")]
pub(super) struct ConvertArgs {
    /// Convert the operations that are not legal. `partial`, the default MODE: fail if an illegal operation is left;
    /// `full`: fail if any operation that is not legal is left; `analysis`: change nothing, and list the operations
    /// that can be made legal
    #[arg(long, value_name = "MODE", num_args = 0..=1, require_equals = true, default_missing_value = "partial")]
    pub(super) convert: Option<ModeChoice>,
    /// Operations or dialects that are legal: `arith,func.func`
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "convert")]
    legal: Vec<String>,
    /// Operations or dialects that are illegal
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "convert")]
    illegal: Vec<String>,
    /// Let the constraint NATIVE decide the legality of the operations named NAME, or of all operations of the dialect
    /// NAME: `toy.print=isLowered`
    #[arg(long, value_name = "NAME=NATIVE", requires = "convert")]
    dynamic: Vec<String>,
    /// If an operation with one of these names is legal, the operations inside it are not visited
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "convert")]
    recursively_legal: Vec<String>,
    /// Convert types as FILE states: `!toy.int -> i32`, `!toy.pair -> i32, f32`, `!toy.unit -> ()`, one on each line;
    /// `materialize OP` inserts the operation OP where a value of another type is needed
    #[arg(long, value_name = "FILE", requires = "convert")]
    types: Option<PathBuf>,
    /// Keep `builtin.unrealized_conversion_cast` where a value of another type is needed
    #[arg(long, requires = "convert")]
    keep_casts: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum ModeChoice {
    /// Illegal operations must be converted; operations of unknown legality may remain
    Partial,
    /// All operations must become legal
    Full,
    /// The IR does not change
    Analysis,
}

/// Returns the native that decides the legality of operations, as a function.
fn dynamic(
    natives: &Natives<IrHost>,
    native: &str,
) -> Result<impl Fn(&IrHost, OpId) -> bool + Send + Sync + 'static + use<>, Diagnostic> {
    let Some(overloads) = natives.find_constraint(native) else {
        return Err(match natives.find_rewrite(native) {
            Some(_) => Diagnostic::error(format!("the native '{native}' is a rewrite, not a constraint")),
            None => no_native(native),
        });
    };
    let takes_op = |signature: &Signature| match signature.params.as_deref() {
        None | Some([None | Some(Kind::Op)]) => true,
        Some(_) => false,
    };
    let overloads = overloads.all();
    let Some(found) = overloads.iter().find(|overload| takes_op(&overload.signature)) else {
        let error = format!("the native '{native}' does not take an operation as its only argument");
        return Err(Diagnostic::error(error).help("register it with the signature `(operation)`"));
    };
    let run = found.run.clone();
    Ok(move |host: &IrHost, op: OpId| run(host, &[Entity::Op(op)]).is_some())
}

impl ConvertArgs {
    /// Fails if the command line has `--convert` and an option that this conversion does not use. `others` are options
    /// that no conversion uses. The flag beside each option is true if the option is not at its default.
    pub(super) fn check_options(
        &self,
        session: &Session,
        driver: &DriverArgs,
        others: [(&'static str, bool); 2],
    ) -> Result<(), Failed> {
        let Some(mode) = self.convert else { return Ok(()) };
        let kind = ("--driver", driver.kind != DriverChoice::Greedy);
        let nonconvergence = ("--allow-nonconvergence", driver.allow_nonconvergence);
        let unused = [kind, nonconvergence].into_iter().chain(driver.of_greedy_driver()).chain(others);
        let help = "remove the option: `--convert` has its own driver and uses the engine `tree`";
        refuse_unused(session, unused, "a conversion", help)?;
        let unused = ("--keep-casts", self.keep_casts && mode == ModeChoice::Analysis);
        refuse_unused(session, [unused], "an analysis", "remove the option: an analysis changes nothing")
    }

    /// Fails if two of the options `--legal`, `--illegal` and `--dynamic` contain the same name.
    fn check_names(&self, session: &Session) -> Result<(), Failed> {
        let names = self.legal.iter().map(|name| ("--legal", &**name));
        let illegal = self.illegal.iter().map(|name| ("--illegal", &**name));
        let dynamic = self.dynamic.iter().filter_map(|text| Some(("--dynamic", text.split_once('=')?.0)));
        let mut stated = BTreeMap::new();
        for (option, name) in names.chain(illegal).chain(dynamic) {
            if let Some(other) = stated.insert(name, option).filter(|&other| other != option) {
                let error = Diagnostic::error(format!("`{other}` and `{option}` both name '{name}'"));
                return Err(session.misused(error.help("remove the name from one of the options")));
            }
        }
        Ok(())
    }

    /// The conversion that the options describe.
    pub(super) fn conversion(
        &self,
        session: &mut Session,
        host: &mut IrHost,
        natives: &Natives<IrHost>,
        fold: bool,
        max_rewrites: Option<u64>,
    ) -> Result<Option<Conversion<IrHost>>, Failed> {
        let Some(mode) = self.convert else { return Ok(None) };
        let is_op = |name: &str| name.contains('.');
        self.check_names(session)?;
        let mut target = ConversionTarget::new();
        for name in &self.legal {
            target = if is_op(name) { target.legal_op(name) } else { target.legal_dialect(name) };
        }
        for name in &self.illegal {
            target = if is_op(name) { target.illegal_op(name) } else { target.illegal_dialect(name) };
        }
        for name in &self.recursively_legal {
            target = target.recursively_legal(name);
        }
        for dynamic_name in &self.dynamic {
            let parts = dynamic_name.split_once('=');
            let parts = parts.filter(|(name, native)| !name.is_empty() && !native.is_empty());
            let Some((name, native)) = parts else {
                return Err(session.misused(
                    Diagnostic::error(format!("'--dynamic {dynamic_name}' has no name or no native"))
                        .help("write `--dynamic NAME=NATIVE`"),
                ));
            };
            let is_legal = dynamic(natives, native).map_err(|wrong| session.misused(wrong))?;
            target = if is_op(name) {
                target.dynamic_op(name, is_legal)
            } else {
                target.dynamic_dialect(name, is_legal)
            };
        }
        let mut conversion = Conversion::new(target)
            .mode(match mode {
                ModeChoice::Partial => ConversionMode::Partial,
                ModeChoice::Full => ConversionMode::Full,
                ModeChoice::Analysis => ConversionMode::Analysis,
            })
            .fold(fold)
            .keep_casts(self.keep_casts)
            .max_rewrites(max_rewrites);
        if let Some(path) = &self.types {
            let file = session.load(path)?;
            let file = session.sources.file(file);
            let converter = parse_types(file, host).map_err(|errors| session.fail(errors))?;
            conversion = conversion.types(converter);
        }
        Ok(Some(conversion))
    }
}

fn no_native(native: &str) -> Diagnostic {
    Diagnostic::error(format!("no native '{native}' is registered"))
        .help("`--natives FILE` loads natives from a script")
}

/// Reads a file of type conversions. Reports all errors.
fn parse_types(file: &SourceFile, host: &mut IrHost) -> Result<TypeConverter<IrHost>, Diagnostics> {
    let mut converter = TypeConverter::new();
    let mut errors = Diagnostics::default();
    let mut rules: Vec<(TypeId, Vec<TypeId>, Span)> = Vec::new();
    let mut materializes = false;
    let mut start = 0;
    for line in file.text().split_inclusive('\n') {
        let comment = outside_strings(line).find(|&(at, _)| line[at..].starts_with("//"));
        let code = &line[..comment.map_or(line.len(), |(at, _)| at)];
        let text = code.trim();
        let lo = start + (code.len() - code.trim_start().len());
        let span = file.span(lo..lo + text.len());
        start += line.len();
        if text.is_empty() {
            continue;
        }
        let op = text.strip_prefix("materialize");
        if let Some(op) = op.filter(|op| op.is_empty() || op.starts_with(char::is_whitespace)) {
            let op = op.trim();
            let parts = op.split_once('.').filter(|(dialect, name)| !dialect.is_empty() && !name.is_empty());
            if parts.is_none() || op.contains(char::is_whitespace) {
                let error = Diagnostic::error("`materialize` needs the name of an operation");
                errors.push(error.at(span, "expected `materialize DIALECT.OPERATION`"));
            } else if materializes {
                errors.push(Diagnostic::error("two lines start with `materialize`").at(span, "one of them"));
            }
            materializes = true;
            let name = host.context.op_name(op);
            converter = converter
                .source_materialization(move |rewriter, values, types| cast(rewriter, name, values, types))
                .target_materialization(move |rewriter, values, types| cast(rewriter, name, values, types));
            continue;
        }
        match parse_rule(text, &mut host.context) {
            Ok((from, _)) if rules.iter().any(|rule| rule.0 == from) => {
                let ty = host.context.type_text(from);
                errors.push(Diagnostic::error(format!("two lines convert '{ty}'")).at(span, "one of them"));
            }
            Ok((from, to)) => rules.push((from, to, span)),
            Err(reason) => errors.push(
                Diagnostic::error("this line is not a type conversion")
                    .at(span, reason)
                    .help("expected `TYPE -> TYPE`, `TYPE -> TYPE, TYPE`, `TYPE -> ()` or `materialize OP`"),
            ),
        }
    }
    for (from, to, span) in &rules {
        let again = to.iter().find(|&ty| rules.iter().any(|rule| rule.0 == *ty && rule.1 != [*ty]));
        if let Some(&again) = again.filter(|_| to != &[*from]) {
            let line = if again == *from { "this line" } else { "another line" };
            let (from, again) = (host.context.type_text(*from), host.context.type_text(again));
            errors.push(
                Diagnostic::error(format!("'{from}' is converted to '{again}', which is not legal"))
                    .at(*span, format!("{line} converts the result again"))
                    .help("state the final types, because types are converted once"),
            );
        }
    }
    if errors.has_errors() {
        return Err(errors);
    }
    Ok(rules.into_iter().fold(converter, |converter, (from, to, _)| converter.map(from, to)))
}

/// Parses `TYPE -> TYPES`. Because function types contain arrows too, the separator is the first arrow whose left side
/// is a type.
fn parse_rule(text: &str, context: &mut Context) -> Result<(TypeId, Vec<TypeId>), String> {
    let mut reason = "expected `->`".to_owned();
    for (at, arrow) in text.match_indices("->") {
        match context.parse_type(text[..at].trim()) {
            Ok(from) => {
                let to = text[at + arrow.len()..].trim();
                if to == "()" {
                    return Ok((from, Vec::new()));
                }
                if to.is_empty() {
                    return Err("expected a type after the arrow".to_owned());
                }
                let types = split_types(to);
                let types = types.into_iter().map(|text| {
                    let text = text.trim();
                    if text.is_empty() {
                        return Err("expected a type after the comma".to_owned());
                    }
                    context.parse_type(text).map_err(|error| format!("'{text}': {}", error.message))
                });
                return Ok((from, types.collect::<Result<_, _>>()?));
            }
            Err(error) => reason = error.message,
        }
    }
    Err(reason)
}

/// The characters of a text outside its strings, each with its position.
fn outside_strings(text: &str) -> impl Iterator<Item = (usize, char)> + '_ {
    let (mut in_string, mut is_escaped) = (false, false);
    text.char_indices().filter(move |&(_, c)| {
        let was_in_string = in_string;
        in_string ^= c == '"' && !is_escaped;
        is_escaped = in_string && c == '\\' && !is_escaped;
        !was_in_string && !in_string
    })
}

/// Splits a list of types at its outermost commas.
fn split_types(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, c) in outside_strings(text) {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' if text[..at].ends_with('-') => {}
            '>' | ')' | ']' | '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Creates the operation `name`, which computes values of `types` from `values`.
fn cast(
    rewriter: &mut Rewriter<'_, IrHost>,
    name: crate::host::OpNameId,
    values: &[ValueId],
    types: &[TypeId],
) -> Result<Vec<ValueId>, Refusal> {
    let location = rewriter.host().module.loc(rewriter.root());
    let state =
        OpState { name, operands: values, result_types: types, attributes: &[], regions: 0, location };
    let op = rewriter.create(&state)?;
    Ok(rewriter.host().module.results(op).collect())
}

/// The maximum number of rules that are named in an error about an operation.
const MAX_TRIED: usize = 8;

/// Returns one error for each failure of a conversion.
pub(super) fn failures(
    error: &ConversionError<IrHost>,
    context: &Context,
    rules: Option<&Program>,
) -> Diagnostics {
    let mut errors = Diagnostics::default();
    for failure in &error.failures {
        let mut diagnostic =
            Diagnostic::error(failure.to_string()).at(context.loc_span(failure.location), "");
        match &failure.kind {
            FailureKind::Illegal { tried, .. } => {
                for tried in tried.iter().take(MAX_TRIED) {
                    let text = format!("rule '{}': {}", tried.rule, tried.reason);
                    let place = tried.pattern.zip(rules).map(|(rule, program)| rule_span(program, rule));
                    diagnostic = match place.filter(|place| !place.is_none()) {
                        Some(place) => diagnostic.note_at(place, text),
                        None => diagnostic.with_note(text),
                    };
                }
                if tried.len() > MAX_TRIED {
                    diagnostic =
                        diagnostic.with_note(format!("and {}", count(tried.len() - MAX_TRIED, "other rule")));
                }
                if tried.is_empty() {
                    diagnostic = diagnostic
                        .with_note("no rule matches it")
                        .help("`drrvm explain` with the same options shows why no rule matches")
                        .help(format!("`--legal {}` lets such operations remain", failure.name));
                }
            }
            FailureKind::Unmaterialized { user, reason, .. } => {
                if let Some(user) = user {
                    diagnostic = diagnostic.with_note(format!("'{user}' uses the value"));
                }
                diagnostic = match reason {
                    Some(reason) => diagnostic.with_note(reason.clone()),
                    None => diagnostic
                        .help("a line `materialize OP` in the file of `--types` inserts an operation there")
                        .help("`--keep-casts` keeps `builtin.unrealized_conversion_cast`"),
                };
            }
            FailureKind::StaleCall { .. } => {
                diagnostic =
                    diagnostic.help("let the conversion visit the call, or keep the types of the function");
            }
            FailureKind::Budget(_) => {
                diagnostic = diagnostic.help("`--max-rewrites N` allows more attempts to apply a rule");
            }
        }
        errors.push(diagnostic);
    }
    errors
}

/// The remarks of an analysis: one for each operation that can be converted.
pub(super) fn remarks(ops: &[OpId], host: &IrHost) -> Diagnostics {
    let mut notes = Diagnostics::default();
    for &op in ops {
        let name = host.context.op_name_text(host.module.name(op));
        let span = host.context.loc_span(host.module.loc(op));
        notes.push(Diagnostic::note(format!("operation '{name}' can be converted")).at(span, ""));
    }
    notes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::SourceMap;

    fn parse(text: &str) -> Result<Vec<String>, Vec<String>> {
        let mut sources = SourceMap::default();
        let file = sources.add("types", text.to_owned()).expect("the text is short");
        let mut host = super::super::session::new_host();
        let converter = parse_types(sources.file(file), &mut host);
        let converter =
            converter.map_err(|errors| errors.into_iter().map(|error| error.message).collect::<Vec<_>>())?;
        let types = ["!t.a", "() -> !t.a", "i7"].map(|ty| host.context.parse_type(ty).expect("a type"));
        Ok(types
            .into_iter()
            .map(|ty| {
                let to = converter.convert(&mut host, ty).expect("converted");
                let to: Vec<_> = to.into_iter().map(|ty| host.context.type_text(ty)).collect();
                to.join(" and ")
            })
            .collect())
    }

    #[test]
    fn a_line_converts_a_type() {
        let text = "// types\n !t.a -> tensor<2x?xf32>, (i1, i2) -> i3 // two\n\n() -> !t.a -> ()\nmaterialize t.c\n";
        assert_eq!(
            parse(text),
            Ok(vec!["tensor<2x?xf32> and (i1, i2) -> i3".into(), String::new(), "i7".into()])
        );
    }

    #[test]
    fn strings_in_types_can_contain_commas_brackets_and_comments() {
        let text = "!t.a -> !t.x<\"http://a>\">, i1 // \"\ni7 -> !t.x<\"(, \">\n";
        let expected = ["!t.x<\"http://a>\"> and i1", "() -> !t.a", "!t.x<\"(, \">"];
        assert_eq!(parse(text), Ok(expected.map(str::to_owned).to_vec()));
    }

    #[test]
    fn all_wrong_lines_are_reported() {
        let text = "i1 ->\ni2\n!t.a -> i7\ni7 -> i8\ni9 -> i9\nmaterialize\nmaterialize t.a t.b\nmaterialize t.\nmaterialize .x\nmaterialize t.c\n!t.a -> i1\n";
        let expected = [
            "this line is not a type conversion",
            "this line is not a type conversion",
            "`materialize` needs the name of an operation",
            "`materialize` needs the name of an operation",
            "`materialize` needs the name of an operation",
            "`materialize` needs the name of an operation",
            "two lines start with `materialize`",
            "two lines convert '!t.a'",
            "'!t.a' is converted to 'i7', which is not legal",
        ];
        assert_eq!(parse(text), Err(expected.map(str::to_owned).to_vec()));
    }
}
