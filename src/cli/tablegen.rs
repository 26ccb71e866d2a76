//! `drrvm tablegen`: the records of a TableGen file.

use super::options::TablegenArgs;
use super::session::Session;
use super::{Failed, output};
use crate::compile;

pub(super) fn run(args: &TablegenArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let options = args.tablegen.options();
    let parsed =
        compile::records(&mut session.sources, &args.input, &options).map_err(|e| session.fail(e))?;
    session.report(parsed.warnings)?;
    let records = parsed.records;
    output::write(&args.output, |out| records.write_records(out)).map_err(|e| session.fail(e))
}
