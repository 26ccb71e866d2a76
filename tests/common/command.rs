//! The command as a user meets it.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::path::PathBuf;
use std::process::Command;

/// A folder of a test, in which the command runs; so no message has a path of this machine.
pub struct Folder(tempfile::TempDir);

/// What came of a command.
pub struct Run {
    pub status: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Self(tempfile::tempdir().unwrap());
        for (name, text) in files {
            std::fs::write(folder.path(name), text).unwrap();
        }
        folder
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_drrvm"));
        command.args(args).current_dir(self.0.path()).env_remove("NO_COLOR");
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        self.run_with_input(args, "")
    }

    pub fn run_with_input(&self, args: &[&str], input: &str) -> Run {
        let output = super::feed(&mut self.command(args), input.as_bytes());
        Run {
            status: output.status.code().expect("it exits, and is not killed"),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}
