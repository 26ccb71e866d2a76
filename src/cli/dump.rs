//! `drrvm dump`: what a stage makes of rules.

use super::options::{DumpArgs, Stage};
use super::session::Session;
use super::{Failed, output};
use crate::bytecode;
use crate::compile;
use crate::frontend::{ods, tablegen};
use crate::matcher_tree;
use crate::pdl::{self, RuleSet};
use crate::source::Diagnostics;

pub(super) fn run(args: &DumpArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let text = match args.stage {
        Stage::Records => of_records(&mut session, args, |parsed| {
            let mut text = Vec::new();
            parsed.records.write_records(&mut text).expect("a vector takes everything");
            Ok(text)
        })?,
        Stage::Ods => of_records(&mut session, args, |parsed| {
            let definitions = ods::read(&parsed.records);
            let errors = definitions.errors();
            if errors.has_errors() { Err(errors) } else { Ok(ods::print(&definitions).into_bytes()) }
        })?,
        Stage::Pdl => of_rules(&mut session, args, |rules| Ok(pdl::print(rules)))?,
        Stage::Tree => of_rules(&mut session, args, |rules| {
            let tree = matcher_tree::build(rules, &matcher_tree::Config::default())?;
            Ok(matcher_tree::Printer::new(rules, &tree).text())
        })?,
        Stage::Bytecode => {
            of_rules(&mut session, args, |rules| Ok(bytecode::disassemble(&compile::program(rules)?)))?
        }
    };
    output::write(&args.output, |out| out.write_all(&text)).map_err(|e| session.fail(e))
}

/// What is printed of each file's records, one after the other.
fn of_records(
    session: &mut Session,
    args: &DumpArgs,
    print: impl Fn(&tablegen::Parsed) -> Result<Vec<u8>, Diagnostics>,
) -> Result<Vec<u8>, Failed> {
    let options = args.rules.options(&args.tablegen);
    let mut text = Vec::new();
    for file in &args.rules.files {
        let parsed = compile::records(&mut session.sources, file, &options).map_err(|e| session.fail(e))?;
        text.append(&mut print(&parsed).map_err(|e| session.fail(e))?);
        session.report(parsed.warnings)?;
    }
    Ok(text)
}

/// What is printed of all rules together.
fn of_rules(
    session: &mut Session,
    args: &DumpArgs,
    print: impl FnOnce(&RuleSet) -> Result<String, Diagnostics>,
) -> Result<Vec<u8>, Failed> {
    let rules = session.rules(&args.rules, &args.tablegen)?;
    print(&rules).map(String::into_bytes).map_err(|e| session.fail(e))
}
