mod automaton;
mod corpus;
mod explain;
mod metamorphic;
mod non_recursive;
