//! `drrvm compile`: rules to a program in a file.

use std::io::IsTerminal;
use std::path::Path;
use std::time::Instant;

use super::options::CompileArgs;
use super::session::Session;
use super::summary::{count, sizes};
use super::{Failed, error, output};
use crate::compile;

pub(super) fn run(args: &CompileArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    if args.output == Path::new("-") && std::io::stdout().is_terminal() {
        return Err(session.fail(error::program_on_terminal()));
    }
    let started = Instant::now();
    let options = args.select.options(&args.tablegen);
    let (rules, warnings) =
        compile::rules(&mut session.sources, &args.files, &options).map_err(|e| session.fail(e))?;
    session.report(warnings)?;
    let program = compile::program(&rules).map_err(|e| session.fail(e))?;
    let bytes = compile::file(&program, &session.sources).map_err(|e| session.fail(e))?;
    output::write(&args.output, |out| out.write_all(&bytes)).map_err(|e| session.fail(e))?;
    let number = program.patterns().len();
    session.remark(&format!(
        "{}, {}; compiled in {:.1} ms\n",
        count(number as u64, "rule"),
        sizes(&bytes, number),
        started.elapsed().as_secs_f64() * 1e3
    ));
    Ok(())
}
