//! The `drrvm` command.
//!
//! Standard output contains only the result; messages go to standard error. The exit status is 0 for success, 2 for
//! wrong usage, and 1 for other failures: invalid input, rules that do not converge, a failed conversion, or a file
//! that cannot be read or written. `equiv` and `prove` have their own exit statuses, which their help lists. A regular
//! output file is written completely or not at all.
//!
//! Each command has a file or folder with its options and its `run` function. The commands `completions` and `man`
//! share `manual.rs`. `command.rs` parses the command line and calls the commands, `options.rs` has the options that
//! several commands share, and `error.rs` constructs most messages.

mod bench;
mod canonicalize;
mod check;
mod command;
mod compile;
mod conversion_log;
mod convert;
mod drive;
mod dump;
mod equiv;
mod error;
mod exit;
mod explain;
mod gen_rewriters;
mod greedy_log;
mod manual;
mod ods;
mod opt;
mod options;
mod output;
mod profile;
mod progress;
mod proof;
mod prove;
mod prove_cache;
mod ranking;
mod session;
mod side_by_side;
mod split;
mod stubs;
mod summary;
mod tablegen;

pub use command::run;
