//! Runs the `drrvm` command in a temporary folder.

use std::path::PathBuf;
use std::process::Command;

/// A temporary folder with the files of a test. The command runs in this folder, so that its messages contain no
/// absolute path.
pub(crate) struct Folder(tempfile::TempDir);

/// The outcome of a run of the command.
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Folder {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(folder.path(name), text).unwrap();
        }
        folder
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drrvm"));
        command.args(args).current_dir(self.0.path()).env_remove("NO_COLOR");
        command.env("XDG_CACHE_HOME", env!("CARGO_TARGET_TMPDIR"));
        command
    }

    pub(crate) fn run(&self, args: &[&str]) -> Run {
        self.run_with_input(args, "")
    }

    pub(crate) fn run_with_input(&self, args: &[&str], input: &str) -> Run {
        let output = super::feed(&mut self.command(args), input.as_bytes());
        Run {
            status: output.status.code().expect("the command exits without a signal"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// Runs `drrvm opt` on a text with the definitions of its dialects. Returns the printed module, or the text on standard
/// error if there is any.
pub(crate) fn opt(definitions: &str, text: &str, options: &[&str]) -> Result<String, String> {
    let files = Folder::new(&[("dialects.td", definitions), ("in.mlir", text)]);
    let mut args = vec!["opt", "in.mlir", "--dialects", "dialects.td"];
    args.extend(options);
    let run = files.run(&args);
    if run.stderr.is_empty() { Ok(run.stdout) } else { Err(run.stderr) }
}
