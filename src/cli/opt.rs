//! `drrvm opt`: rules over MLIR.

use super::options::OptArgs;
use super::session::Session;
use super::{Failed, output, split};
use crate::ir::{self, Context, PrintOptions};

pub(super) fn run(args: &OptArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let file = session.sources.load(&args.input).map_err(|e| session.fail(e))?;
    let source = session.sources.file(file);
    let parts = match &args.text.split_input_file {
        Some(marker) => split::parts(source.text(), marker),
        None => std::iter::once(0..source.text().len()).collect(),
    };
    let options = PrintOptions::new()
        .generic(args.text.generic)
        .debug_info(args.text.mlir_print_debuginfo)
        .local_scope(args.text.mlir_print_local_scope);
    let mut context = Context::new();
    // Every part is looked at before giving up, so that one run reports everything.
    let results: Vec<Result<String, Failed>> = parts
        .into_iter()
        .map(|part| {
            let module = ir::parse_part(&mut context, source, part).map_err(|e| session.fail(e))?;
            Ok(module.print(&context, options))
        })
        .collect();
    let results: Vec<String> = results.into_iter().collect::<Result<_, Failed>>()?;
    let text = results.join(&format!("{}\n", args.text.output_split_marker));
    output::write(&args.output, |out| out.write_all(text.as_bytes())).map_err(|e| session.fail(e))
}
