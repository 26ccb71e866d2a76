mod bench;
mod check;
mod commands;
mod docs;
mod examples;
mod page;
