//! What all commands share: the files they read and what they say about them.

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;

use super::options::{ColorChoice, MessageArgs, MessageFormat, NativesArgs, RuleArgs, TableGenArgs};
use super::progress::Progress;
use super::{Failed, error};
use crate::compile::{self, Compiled};
use crate::host::Natives;
use crate::ir::IrHost;
use crate::pdl::RuleSet;
use crate::script::Script;
use crate::source::{Color, Diagnostic, Diagnostics, Severity, SourceMap, render_all, render_classic};

/// One run of a command.
pub(super) struct Session {
    pub(super) sources: SourceMap,
    color: Color,
    format: MessageFormat,
    quiet: bool,
    progress: Progress,
}

impl Session {
    pub(super) fn new(args: &MessageArgs) -> Self {
        let color = color(args, io::stderr().is_terminal());
        let logs = log(args, color);
        let shown = io::stderr().is_terminal() && !args.quiet && !matches!(logs, Ok(true));
        let progress = Progress::new(shown);
        let format = args.message_format;
        let session = Self { sources: SourceMap::default(), color, format, quiet: args.quiet, progress };
        if let Err(why) = logs {
            let _ = session.report(error::bad_log_filter(&why).into());
        }
        session
    }

    /// Another part of the work begins: shown if it takes long.
    pub(super) fn phase(&self, what: &'static str) {
        self.progress.phase(what);
    }

    /// Says what a stage has to say.
    ///
    /// # Errors
    /// There was an error among it.
    pub(super) fn report(&self, diagnostics: Diagnostics) -> Result<(), Failed> {
        let failed = diagnostics.has_errors();
        let mut shown = Diagnostics::default();
        for diagnostic in diagnostics {
            if !self.quiet || diagnostic.severity == Severity::Error {
                shown.push(diagnostic);
            }
        }
        let text = match self.format {
            MessageFormat::Rich => render_all(&shown, &self.sources, self.color),
            MessageFormat::Llvm => render_classic(&shown, &self.sources),
        };
        self.progress.aside(|| say(&text));
        if failed { Err(Failed::BadInput) } else { Ok(()) }
    }

    /// Says so if no rule file is given to a command that is about rules.
    pub(super) fn want_rules(&mut self, files: &[PathBuf]) -> Result<(), Failed> {
        if files.is_empty() { Err(self.misused(error::no_rules())) } else { Ok(()) }
    }

    /// The rules that the command line asks for; says what is to be said about them.
    pub(super) fn rules(&mut self, rules: &RuleArgs, tablegen: &TableGenArgs) -> Result<RuleSet, Failed> {
        self.phase("reading rules");
        let options = rules.options(tablegen);
        let read = compile::rules(&mut self.sources, &rules.files, &options);
        self.settle(read)
    }

    /// The program of the rules that the command line asks for; says what is to be said about them.
    pub(super) fn program(&mut self, rules: &RuleArgs, tablegen: &TableGenArgs) -> Result<Compiled, Failed> {
        self.phase("reading rules");
        let options = rules.options(tablegen);
        let compiled = compile::compiled(&mut self.sources, &rules.files, &options);
        self.settle(compiled)
    }

    /// What a stage made, once its warnings, or its errors, are said.
    pub(super) fn settle<T>(&self, made: Result<(T, Diagnostics), Diagnostics>) -> Result<T, Failed> {
        match made {
            Ok((made, warnings)) => self.report(warnings).map(|()| made),
            Err(errors) => Err(self.fail(errors)),
        }
    }

    /// The natives that the rules may call: those given, and those of scripts.
    pub(super) fn natives(
        &mut self,
        args: &NativesArgs,
        given: &Natives<IrHost>,
    ) -> Result<(Natives<IrHost>, Vec<Script<IrHost>>), Failed> {
        let mut natives = given.clone();
        let mut scripts = Vec::new();
        let mut errors = Diagnostics::default();
        for path in &args.scripts {
            let loaded = self.sources.load(path).map_err(Diagnostics::from);
            match loaded.and_then(|file| Script::load(self.sources.file(file))) {
                Ok(script) => {
                    natives = natives.with(script.natives());
                    scripts.push(script);
                }
                Err(found) => errors.extend(found),
            }
        }
        self.report(errors)?;
        Ok((natives, scripts))
    }

    /// Says the errors that end this run, and the warnings before them.
    pub(super) fn fail(&self, errors: impl Into<Diagnostics>) -> Failed {
        let _ = self.report(errors.into());
        Failed::BadInput
    }

    /// Says what is wrong with the command line, beyond what its grammar can say.
    pub(super) fn misused(&self, error: Diagnostic) -> Failed {
        let _ = self.report(error.into());
        Failed::WrongUsage
    }

    /// Says what a person wants to know and a program does not.
    pub(super) fn remark(&self, text: &str) {
        if !self.quiet {
            self.progress.aside(|| say(text));
        }
    }
}

/// Writes spans and events to standard error as `--log` or RUST_LOG say; whether they do.
fn log(args: &MessageArgs, color: Color) -> Result<bool, String> {
    let filter = match &args.log {
        Some(filter) => filter.clone(),
        None => match std::env::var("RUST_LOG") {
            Ok(filter) if !filter.is_empty() => filter,
            _ => return Ok(false),
        },
    };
    use tracing_subscriber::{filter::Targets, fmt, prelude::*};
    let filter: Targets = filter.parse().map_err(|error| format!("{error}"))?;
    let format = fmt::layer()
        .with_writer(io::stderr)
        .with_ansi(color == Color::Always)
        .with_span_events(fmt::format::FmtSpan::CLOSE);
    // A process that embeds the command may have a subscriber of its own.
    let _ = tracing_subscriber::registry().with(format.with_filter(filter)).try_init();
    Ok(true)
}

/// Whether to colour what goes to a terminal, or not to one.
pub(super) fn color(args: &MessageArgs, terminal: bool) -> Color {
    match args.color {
        ColorChoice::Always => Color::Always,
        ColorChoice::Never => Color::Never,
        ColorChoice::Auto => {
            let refused = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
            let dumb = std::env::var_os("TERM").is_some_and(|value| value == "dumb");
            if terminal && !refused && !dumb { Color::Always } else { Color::Never }
        }
    }
}

/// Writes to standard error; when nobody can hear, there is nobody to tell.
fn say(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
