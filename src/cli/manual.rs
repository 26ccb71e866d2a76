//! `drrvm completions` and `drrvm man`.

use clap::Args;

use super::exit::Failed;
use super::{error, output, session};

/// Print a script that completes the command line in a shell
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Print a manual page
///
/// `drrvm man | man -l -` displays the page.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Print the page of this command
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(super) fn completions(args: &CompletionsArgs, mut drrvm: clap::Command) -> Result<(), Failed> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut drrvm, "drrvm", &mut script);
    write(&script)
}

pub(super) fn man(args: &ManArgs, mut drrvm: clap::Command) -> Result<(), Failed> {
    drrvm.build();
    if let Some(name) = &args.command {
        let Some(command) = drrvm.find_subcommand(name) else {
            let names: Vec<&str> = drrvm.get_subcommands().map(clap::Command::get_name).collect();
            session::fail_without_sources(&error::no_such_command(name, &names));
            return Err(Failed::WrongUsage);
        };
        drrvm = command.clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(drrvm).render(&mut page).expect("writing to a vector does not fail");
    write(&page)
}

fn write(bytes: &[u8]) -> Result<(), Failed> {
    output::write("-".as_ref(), |out| out.write_all(bytes)).map_err(|e| session::fail_without_sources(&e))
}
