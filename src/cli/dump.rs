//! `drrvm dump`: what a stage makes of rules.

use super::options::{DumpArgs, Stage};
use super::session::Session;
use super::{Failed, output};
use crate::compile;
use crate::frontend::ods;
use crate::source::Diagnostic;

pub(super) fn run(args: &DumpArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let text = text(&mut session, args)?;
    output::write(&args.output, |out| out.write_all(&text)).map_err(|e| session.fail(e))
}

fn text(session: &mut Session, args: &DumpArgs) -> Result<Vec<u8>, Failed> {
    let options = args.rules.options(&args.tablegen);
    let mut text = Vec::new();
    for file in &args.rules.files {
        let parsed = compile::records(&mut session.sources, file, &options).map_err(|e| session.fail(e))?;
        session.report(parsed.warnings)?;
        match args.stage {
            Stage::Records => parsed
                .records
                .write_records(&mut text)
                .map_err(|e| session.fail(Diagnostic::error(format!("cannot print the records: {e}"))))?,
            Stage::Ods => {
                let definitions = ods::read(&parsed.records);
                session.report(definitions.errors())?;
                text.extend_from_slice(ods::print(&definitions).as_bytes());
            }
        }
    }
    Ok(text)
}
