//! `drrvm ods`: lists or documents the definitions of a file, or writes the definitions of files and folders as a pack.

use std::path::{Path, PathBuf};

use clap::Args;

use super::error;
use super::exit::Failed;
use super::options::{MessageArgs, TableGenArgs};
use super::output::OutputArgs;
use super::session::Session;
use crate::compile;
use crate::frontend::{drr, ods};
use crate::id::Id;
use crate::pdl::RuleSet;
use crate::source::{SourceMap, name_of};

/// List the definitions of dialects and operations, or document them
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  drrvm ods Ops.td -I llvm-project/mlir/include
      Operations with their operands, attributes, results and traits, and the constraints that need natives.
  drrvm ods Ops.td -I llvm-project/mlir/include --markdown --dialect arith
      Reference documentation like that of mlir-tblgen -gen-dialect-doc.
  drrvm ods --pack /usr/lib/llvm-22/include -o mlir.drrdl
      All definitions of a folder as one file, for `--dialects mlir.drrdl`.")]
pub(super) struct OdsArgs {
    /// TableGen file; `-` is standard input. With --pack: files and folders
    #[arg(default_value = "-", value_name = "INPUT")]
    inputs: Vec<PathBuf>,
    /// Write the definitions of all dialects in INPUT as a pack, which `--dialects` reads
    #[arg(long, conflicts_with_all = ["markdown", "dialect"])]
    pack: bool,
    /// Write reference documentation in Markdown
    #[arg(long)]
    markdown: bool,
    /// List only this dialect [default: the dialects with definitions in INPUT itself, or all dialects if INPUT has no
    /// definitions]
    #[arg(long, value_name = "NAME")]
    dialect: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
    #[command(flatten)]
    tablegen: TableGenArgs,
    #[command(flatten)]
    messages: MessageArgs,
}

pub(super) fn run(args: &OdsArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    if args.pack {
        return pack(&session, args);
    }
    let [input] = args.inputs.as_slice() else { return Err(session.misused(error::several_definitions())) };
    let options = args.tablegen.options();
    let parsed = compile::records(&mut session.sources, input, &options).map_err(|e| session.fail(e))?;
    session.report(parsed.warnings)?;
    let definitions = ods::read(&parsed.records);
    session.report(definitions.errors())?;
    let dialects = match &args.dialect {
        Some(name) => {
            match definitions.dialects.iter_enumerated().find(|(_, dialect)| dialect.name == name) {
                Some((id, _)) => vec![id],
                None => {
                    return Err(session.fail({
                        let known: Vec<&str> =
                            definitions.dialects.iter().map(|dialect| dialect.name).collect();
                        error::unknown_dialect(name, &known)
                    }));
                }
            }
        }
        None => dialects_of_file(&definitions, &session.sources, input),
    };
    let mut text = String::new();
    if args.markdown {
        let documents: Vec<String> = dialects.iter().map(|&id| ods::markdown(&definitions, id)).collect();
        text = documents.join("\n");
    } else {
        let mut rules = RuleSet::default();
        drr::fill(&definitions, None, &mut rules);
        for &id in &dialects {
            text.push_str(&ods::print_dialect(&definitions, id));
        }
        let names = dialects.iter().map(|&id| definitions.dialects[id].name).collect::<Vec<_>>();
        text.push_str(&natives_of_constraints(&rules, &names));
    }
    args.output.write(&session, text)
}

/// Writes the definitions of all inputs as one file.
fn pack(session: &Session, args: &OdsArgs) -> Result<(), Failed> {
    if args.inputs == [Path::new("-")] {
        return Err(session.misused(error::pack_without_input()));
    }
    if args.output.is_terminal() {
        return Err(session.misused(error::pack_to_terminal()));
    }
    let files = args.tablegen.dialect_files(args.inputs.iter().cloned()).constraints(true);
    let bytes = files.pack().map_err(|errors| session.fail(errors))?;
    args.output.write(session, bytes)
}

/// The dialects with definitions in the file itself, or all dialects if it has no definitions.
fn dialects_of_file(
    definitions: &ods::Definitions<'_>,
    sources: &SourceMap,
    input: &Path,
) -> Vec<ods::DialectId> {
    let main = name_of(input);
    let is_in_file = |record| {
        let span = definitions.records.record(record).span();
        sources.file_of(span).is_some_and(|file| file.name() == main)
    };
    let is_defined_in_file = |id: ods::DialectId| {
        is_in_file(definitions.dialects[id].record)
            || definitions.ops.iter().any(|op| op.dialect == id && is_in_file(op.record))
            || definitions.attributes.iter().any(|item| item.dialect == id && is_in_file(item.record))
            || definitions.types.iter().any(|item| item.dialect == id && is_in_file(item.record))
    };
    let all: Vec<_> = definitions.dialects.iter_enumerated().map(|(id, _)| id).collect();
    let found: Vec<_> = all.iter().copied().filter(|&id| is_defined_in_file(id)).collect();
    if found.is_empty() { all } else { found }
}

/// A list of the natives that the constraints and traits of these dialects' operations call.
fn natives_of_constraints(rules: &RuleSet, dialects: &[&str]) -> String {
    let mut lines: Vec<String> = Vec::new();
    let names: Vec<&str> = rules.snippets.natives().map(|(_, used)| rules.snippets.str(used.name)).collect();
    for op in rules.ops.iter() {
        let name = &rules.strings[op.name];
        let dialect = name.split_once('.').map_or("", |(dialect, _)| dialect);
        if !dialects.contains(&dialect) {
            continue;
        }
        for constraint in op.constraints() {
            for native in rules.snippets.natives_of(constraint.holds) {
                let native = names[native.index()];
                lines.push(format!("  {native}: {name}, \"{}\"\n", &rules.strings[constraint.summary]));
            }
        }
    }
    lines.sort();
    lines.dedup();
    if lines.is_empty() {
        String::new()
    } else {
        format!("natives that constraints call\n{}", lines.concat())
    }
}
