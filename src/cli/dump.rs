//! `drrvm dump`: prints the form of rules after a stage of compilation.

use clap::{Args, ValueEnum};

use super::error;
use super::exit::Failed;
use super::options::{MessageArgs, RuleArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::Session;
use crate::bytecode;
use crate::compile;
use crate::frontend::{ods, tablegen};
use crate::matcher_tree;
use crate::pdl::{self, RuleSet};
use crate::report::Page;
use crate::source::Diagnostics;

/// Show the form of rules after a stage of compilation
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm dump --stage pdl --rules rules.td
      The rules as pdl patterns, which mlir-opt can read.
  drrvm dump --stage tree --rules rules.td
      The tests of the compiled matcher in their order.
  drrvm dump --stage tree --format dot --rules rules.td | dot -Tsvg -o tree.svg
      The same as a picture.
  drrvm dump --stage tree --rules rules.td --format html -o tree.html
      The same as an interactive page.")]
pub(super) struct DumpArgs {
    /// Show the result of this stage
    #[arg(long, value_name = "STAGE")]
    stage: Stage,
    /// The format; all formats except `text` need `--stage tree`
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: DumpFormat,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DumpFormat {
    /// Text
    Text,
    /// Graphviz input
    Dot,
    /// An SVG picture
    Svg,
    /// A self-contained interactive page
    Html,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Stage {
    /// TableGen classes and records
    Records,
    /// Operation definitions
    Ods,
    /// The rules as pdl patterns
    Pdl,
    /// The decision tree of all rules
    Tree,
    /// The compiled program
    Bytecode,
}

pub(super) fn run(args: &DumpArgs) -> Result<(), Failed> {
    let mut session = Session::with_rules(&args.messages, &args.rules.files)?;
    if args.format != DumpFormat::Text && args.stage != Stage::Tree {
        return Err(session.misused(error::no_such_picture()));
    }
    let text = match args.stage {
        Stage::Records => of_records(&mut session, args, |parsed| {
            let mut text = Vec::new();
            parsed.records.write_records(&mut text).expect("writing to a vector does not fail");
            Ok(text)
        })?,
        Stage::Ods => of_records(&mut session, args, |parsed| {
            let definitions = ods::read(&parsed.records);
            let errors = definitions.errors();
            if errors.has_errors() { Err(errors) } else { Ok(ods::print(&definitions).into_bytes()) }
        })?,
        Stage::Pdl => of_rules(&mut session, args, |rules| Ok(pdl::print(rules)))?,
        Stage::Tree => tree(&mut session, args)?,
        Stage::Bytecode => {
            let compiled = session.program(&args.rules, &args.tablegen)?;
            let mut text = sections(&compiled.program.to_bytes(&session.sources));
            text.push_str(&bytecode::disassemble(&compiled.program, &session.sources));
            text.into_bytes()
        }
    };
    args.output.write(&session, text)
}

/// The decision tree in the selected format.
fn tree(session: &mut Session, args: &DumpArgs) -> Result<Vec<u8>, Failed> {
    require_sources(session, args)?;
    let rules = session.rules(&args.rules, &args.tablegen)?;
    let verified = rules.verify().map_err(|e| session.fail(e))?;
    let tree =
        matcher_tree::build(verified, &matcher_tree::Config::default()).map_err(|e| session.fail(e))?;
    let printer = matcher_tree::Printer::new(&rules, &tree);
    let page = || Page::of_tree(&session.sources, &rules, &tree);
    let text = match args.format {
        DumpFormat::Text => printer.text(),
        DumpFormat::Dot => printer.dot(),
        DumpFormat::Svg => page().svg().map_err(|e| session.fail(e))?,
        DumpFormat::Html => page().html(),
    };
    Ok(text.into_bytes())
}

/// The sizes of the sections of a program, as comments.
fn sections(bytes: &[u8]) -> String {
    let sizes = bytecode::section_sizes(bytes).unwrap_or_default();
    sizes.iter().map(|(section, size)| format!("// {:<10} {size:>8} bytes\n", section.name())).collect()
}

/// Evaluates the records of each file, and prints them with `print`.
fn of_records(
    session: &mut Session,
    args: &DumpArgs,
    print: impl Fn(&tablegen::Parsed) -> Result<Vec<u8>, Diagnostics>,
) -> Result<Vec<u8>, Failed> {
    require_sources(session, args)?;
    let options = args.rules.options(&args.tablegen);
    let mut text = Vec::new();
    for file in &args.rules.files {
        let parsed = compile::records(&mut session.sources, file, &options).map_err(|e| session.fail(e))?;
        text.append(&mut print(&parsed).map_err(|e| session.fail(e))?);
        session.report(parsed.warnings)?;
    }
    Ok(text)
}

/// Prints the rules of all files together with `print`.
fn of_rules(
    session: &mut Session,
    args: &DumpArgs,
    print: impl FnOnce(&RuleSet) -> Result<String, Diagnostics>,
) -> Result<Vec<u8>, Failed> {
    require_sources(session, args)?;
    let rules = session.rules(&args.rules, &args.tablegen)?;
    print(&rules).map(String::into_bytes).map_err(|e| session.fail(e))
}

/// Fails if a file is a compiled program, because such a program contains only the last stage.
fn require_sources(session: &Session, args: &DumpArgs) -> Result<(), Failed> {
    if !args.rules.files.iter().any(|file| compile::is_program(file)) {
        return Ok(());
    }
    let stage = args.stage.to_possible_value();
    Err(session.fail(error::no_such_stage(stage.as_ref().map_or("", |stage| stage.get_name()))))
}
