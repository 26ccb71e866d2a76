mod automaton;
mod bound_attributes;
mod corpus;
mod explain;
mod metamorphic;
mod non_recursive;
