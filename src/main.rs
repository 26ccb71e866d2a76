//! The `drrvm` command.

fn main() {}
