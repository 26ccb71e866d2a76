//! `drrvm tablegen`: the records of a TableGen file.

use super::options::TablegenArgs;
use super::session::Session;
use super::{Failed, output};
use crate::compile;

pub(super) fn run(args: &TablegenArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let mut options = args.tablegen.options();
    options.warn_unused_template_args = !args.no_warn_on_unused_template_args;
    let parsed =
        compile::records(&mut session.sources, &args.input, &options).map_err(|e| session.fail(e))?;
    session.report(parsed.warnings)?;
    let records = parsed.records;
    let written = output::write(&args.output, |out| {
        if args.null_backend {
            Ok(())
        } else if args.dump_json {
            records.write_json(&session.sources, out)
        } else {
            records.write_records(out)
        }
    });
    // PERF: the process ends here; giving back millions of values one by one takes longer than using them.
    std::mem::forget(records);
    written.map_err(|e| session.fail(e))
}
