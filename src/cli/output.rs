//! Output files. A regular file is written completely or not at all.

use std::fs::{self, File, Permissions};
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::exit::Failed;
use super::session::Session;
use crate::source::Diagnostic;

/// The destination of the result.
#[derive(Debug, Args)]
pub(super) struct OutputArgs {
    /// Write the result to FILE; on failure, FILE stays unchanged
    #[arg(short, value_name = "FILE", default_value = "-")]
    output: PathBuf,
}

impl OutputArgs {
    /// Writes the result like [`write()`], and prints an error if writing fails.
    pub(super) fn write(&self, session: &Session, result: impl AsRef<[u8]>) -> Result<(), Failed> {
        self.print(|out| out.write_all(result.as_ref())).map_err(|e| session.fail(e))
    }

    /// Writes the output of `print` like [`write()`].
    pub(super) fn print(
        &self,
        print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Diagnostic> {
        write(&self.output, print)
    }

    /// The file to write, for messages and build systems.
    pub(super) fn target(&self) -> String {
        self.output.display().to_string()
    }

    /// True if the result goes to standard output.
    pub(super) fn is_stdout(&self) -> bool {
        self.output == Path::new("-")
    }

    /// True if the result goes to a terminal.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_stdout() && io::stdout().is_terminal()
    }
}

/// Writes the output of `print` to `path`, or to standard output if `path` is `-`.
///
/// A regular file is replaced atomically; devices and pipes are written to directly. It is not an error if the
/// reader of standard output closes it early.
///
/// # Errors
/// Fails if the file cannot be written. An existing regular file is unchanged.
pub(super) fn write(
    path: &Path,
    print: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), Diagnostic> {
    let written = if path == Path::new("-") {
        allow_broken_pipe(print_to(io::stdout().lock(), print))
    } else {
        write_file(path, print)
    };
    written.map_err(|e| cannot_write(path, &e))
}

/// Ignores the error that occurs if the reader of standard output has closed the pipe.
pub(super) fn allow_broken_pipe(written: io::Result<()>) -> io::Result<()> {
    written.or_else(|e| if e.kind() == ErrorKind::BrokenPipe { Ok(()) } else { Err(e) })
}

/// A file, or standard output, cannot be written.
pub(super) fn cannot_write(path: &Path, error: &io::Error) -> Diagnostic {
    let name = if path == Path::new("-") { "standard output".into() } else { path.display().to_string() };
    let reason = match error.kind() {
        _ if path.is_dir() => "it is a directory, expected a file".to_owned(),
        ErrorKind::NotFound => "its folder does not exist".to_owned(),
        _ => error.to_string(),
    };
    Diagnostic::error(format!("cannot write '{name}': {reason}"))
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
    // Replace the target of a link, not the link.
    let target = if existing.is_some() { fs::canonicalize(path)? } else { path.to_owned() };
    let folder = target.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut builder = tempfile::Builder::new();
    builder.prefix(".drrvm-");
    let new_file = new_file_permissions();
    if let Some(permissions) = existing.as_ref().or(new_file.as_ref()) {
        builder.permissions(permissions.clone());
    }
    // The text of the error would name the temporary file, so only the kind of the error is kept.
    let mut file = builder.tempfile_in(folder).map_err(|e| io::Error::from(e.kind()))?;
    print_to(&mut file, print)?;
    if let Some(permissions) = existing {
        file.as_file().set_permissions(permissions)?;
    }
    file.persist(&target).map_err(|e| e.error)?;
    Ok(())
}

/// The usual permissions of a new file, before the umask is applied. Without these permissions, only the owner could
/// read the new file, because it is created as a temporary file.
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
    fn failed_print_leaves_the_file_unchanged() {
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
    fn file_is_replaced_and_no_temporary_file_remains() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("out");
        write_text(&path, "one").unwrap();
        write_text(&path, "two").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn link_and_permissions_are_kept() {
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
    fn error_names_the_requested_file() {
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
