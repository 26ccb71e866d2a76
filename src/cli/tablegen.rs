//! `drrvm tablegen`: the records of a TableGen file.

use std::path::Path;

use super::options::{TableGenArgs, TablegenArgs};
use super::session::Session;
use super::{Failed, output};
use crate::frontend::prelude;
use crate::frontend::tablegen::{self, Config, Records};

pub(super) fn run(args: &TablegenArgs) -> Result<(), Failed> {
    let mut session = Session::new(&args.messages);
    let records = records(&mut session, &args.input, &args.tablegen)?;
    output::write(&args.output, |out| records.write_records(out)).map_err(|e| session.fail(e))
}

/// The records of one file and all that it includes.
pub(super) fn records(session: &mut Session, file: &Path, args: &TableGenArgs) -> Result<Records, Failed> {
    let main = session.sources.load(file).map_err(|e| session.fail(e))?;
    let parsed = tablegen::parse(&mut session.sources, main, &config(file, args));
    match parsed {
        Ok(parsed) => {
            session.report(parsed.warnings)?;
            Ok(parsed.records)
        }
        Err(errors) => Err(session.fail(errors)),
    }
}

/// Files are included from the folder of the file itself, then `-I`, then what is embedded.
fn config(file: &Path, args: &TableGenArgs) -> Config {
    let own_folder = file.parent().map(Path::to_owned);
    Config {
        include_dirs: own_folder.into_iter().chain(args.include.iter().cloned()).collect(),
        defines: args.define.clone(),
        embedded: prelude::FILES,
        ..Config::default()
    }
}
