//! `drrvm completions` and `drrvm man`: the command line, for shells and for readers.

use clap::{Args, CommandFactory};

use super::options::Cli;
use super::{Failed, output};
use crate::source::{Color, render};

/// Print a script that completes the command line in a shell
#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: clap_complete::Shell,
}

/// Print a manual page
///
/// `drrvm man | man -l -` shows it.
#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// The page of this subcommand
    #[arg(value_name = "COMMAND")]
    command: Option<String>,
}

pub(super) fn completions(args: &CompletionsArgs) -> Result<(), Failed> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "drrvm", &mut script);
    write(&script)
}

/// The page of the command, or of one of its subcommands.
pub(super) fn man(args: &ManArgs) -> Result<(), Failed> {
    let mut command = Cli::command();
    command.build();
    if let Some(name) = &args.command {
        let Some(found) = command.find_subcommand(name) else {
            let known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            let error = super::error::no_such_command(name, &known);
            say(&error);
            return Err(Failed::WrongUsage);
        };
        command = found.clone();
    }
    let mut page = Vec::new();
    clap_mangen::Man::new(command).render(&mut page).expect("a vector takes everything");
    write(&page)
}

fn write(bytes: &[u8]) -> Result<(), Failed> {
    output::write("-".as_ref(), |out| out.write_all(bytes)).map_err(|error| {
        say(&error);
        Failed::BadInput
    })
}

fn say(error: &crate::source::Diagnostic) {
    use std::io::Write;
    let text = render(error, &crate::source::SourceMap::default(), Color::Never);
    let _ = std::io::stderr().lock().write_all(text.as_bytes());
}
