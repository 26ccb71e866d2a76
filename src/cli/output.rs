//! Output that is written whole or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Failed;
use super::session::Session;
use crate::source::Diagnostic;

/// Where the result goes.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Write the result to FILE, whole or not at all
    #[arg(short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

impl OutputArgs {
    /// Writes the result, as [`write()`] does.
    pub(super) fn write(&self, session: &Session, result: impl AsRef<[u8]>) -> Result<(), Failed> {
        self.print(|out| out.write_all(result.as_ref())).map_err(|e| session.fail(e))
    }

    /// Writes what `print` prints, as [`write()`] does.
    pub(super) fn print(
        &self,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diagnostic> {
        write(&self.output, print)
    }

    /// Whether the result goes to standard output.
    pub(super) fn is_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// Whether people will see the result in a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_stdout() && io::stdout().is_terminal()
    }
}

/// Writes to `path`, or to standard output if it is `-`, what `print` prints.
///
/// A regular file is replaced in one step, so that nobody ever sees half of it; a device or pipe is
/// written to as it is. A reader of standard output that has gone away is no error.
///
/// # Errors
/// The file cannot be written; if it existed, it is as it was.
pub(super) fn write(
    path: &Path,
    print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Diagnostic> {
    let written = if path == Path::new("-") {
        let written = print_to(io::stdout().lock(), print);
        written.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
    } else {
        write_file(path, print)
    };
    written.map_err(|e| {
        let name = if path == Path::new("-") { "standard output".into() } else { path.display().to_string() };
        let reason = match e.kind() {
            _ if path.is_dir() => "it is a directory, expected a file".to_owned(),
            ErrorKind::NotFound => "its folder does not exist".to_owned(),
            _ => e.to_string(),
        };
        Diagnostic::error(format!("cannot write '{name}': {reason}"))
    })
}

fn print_to(out: impl Write, print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let mut out = BufWriter::new(out);
    print(&mut out)?;
    out.flush()
}

fn write_file(path: &Path, print: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let existing = match fs::metadata(path) {
        Ok(metadata) if !metadata.is_file() => {
            return print_to(File::options().write(true).open(path)?, print);
        }
        Ok(metadata) => Some(metadata.permissions()),
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(e),
    };
    // What a link points to is replaced, not the link.
    let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".drrvm-");
    let new_file = new_file_permissions();
    if let Some(permissions) = existing.as_ref().or(new_file.as_ref()) {
        builder.permissions(permissions.clone());
    }
    // The error names the temporary file, which nobody asked for; its kind says what is wrong.
    let mut file = builder.tempfile_in(folder).map_err(|e| io::Error::from(e.kind()))?;
    print_to(&mut file, print)?;
    if let Some(permissions) = existing {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(&target).map_err(|e| e.error)?;
    Ok(())
}

/// What any program's new file gets (less the user's mask); a temporary file would be private.
#[cfg(unix)]
fn new_file_permissions() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_file_permissions() -> Option<Permissions> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write_text(path: &Path, text: &str) -> Result<(), Diagnostic> {
        write(path, |out| out.write_all(text.as_bytes()))
    }

    #[test]
    fn failed_print_leaves_the_file_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write_text(&path, "one").unwrap();
        let failed = write(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("no more"))
        });
        assert!(failed.is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "one");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn file_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write_text(&path, "one").unwrap();
        write_text(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn link_and_permissions_survive() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("out"), folder.path().join("link"));
        fs::write(&path, "one").unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink("out", &link).unwrap();
        write_text(&link, "two").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
    }

    #[test]
    fn error_names_the_file_that_was_asked_for() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing").join("out");
        let error = write_text(&path, "text").unwrap_err();
        let expected = format!("cannot write '{}': its folder does not exist", path.display());
        assert_eq!(error.message, expected);
    }

    #[test]
    fn directory_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let error = write_text(folder.path(), "text").unwrap_err();
        assert!(error.message.ends_with("it is a directory, expected a file"), "{}", error.message);
    }
}
