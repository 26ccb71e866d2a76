mod command;
mod generate;
