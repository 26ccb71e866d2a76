mod conformance;
mod embedding;
mod natives;
mod script;
