//! Inference of an operation's result types from ODS alone.
//!
//! Traits are edges between types: `AllTypesMatch` connects all the values that it names, and `TypesMatchWith` leads
//! from one value to another. A result whose constraint allows a single type needs no edge. A result is inferred if
//! it can be reached from an argument or from such a result. As in MLIR, an operation has inference only if all of
//! its results are inferred.

use hashbrown::HashMap;

use super::model::{ArgKind, Op, Recipe};
use crate::frontend::tablegen::{Record, Value};
use crate::pdl::{Arity, Trait};

/// A named argument or result.
#[derive(Clone, Copy)]
enum Place {
    Arg(usize),
    Result(usize),
}

/// Returns the recipe of each result, if all can be inferred. `traits` are the records of the operation's traits in
/// order.
pub(super) fn recipes<'a>(op: &Op<'a>, traits: &[Record<'a>]) -> Option<Vec<Recipe<'a>>> {
    if op.results.is_empty() || op.results.iter().any(|result| result.arity != Arity::One) {
        return None;
    }
    if op.has(Trait::SameOperandsAndResultType) {
        let anchor = op.args.iter().position(|arg| match arg.kind {
            ArgKind::Operand(i) => op.operands[i].arity == Arity::One,
            _ => false,
        })?;
        return Some(vec![Recipe::Arg { arg: anchor, transform: SELF }; op.results.len()]);
    }
    if op.infers_in_cpp {
        return None;
    }
    let mut places = HashMap::new();
    for (i, arg) in op.args.iter().enumerate() {
        if !arg.name.is_empty() {
            places.insert(arg.name, Place::Arg(i));
        }
    }
    for (i, result) in op.results.iter().enumerate() {
        if !result.name.is_empty() {
            places.insert(result.name, Place::Result(i));
        }
    }
    let mut graph = Graph {
        inferred: op.results.iter().map(|result| result.builder.map(Recipe::Fixed)).collect(),
        edges: vec![Vec::new(); op.results.len()],
    };
    for record in traits {
        if record.is_subclass_of("TypesMatchWith") {
            graph.types_match_with(*record, &places);
        } else if record.is_subclass_of("AllTypesMatch") {
            graph.all_types_match(*record, &places);
        }
    }
    graph.close();
    graph.inferred.into_iter().collect()
}

/// The name of the input type in the transforms of types.
pub(in crate::frontend) const SELF: &str = "$_self";

struct Graph<'a> {
    inferred: Vec<Option<Recipe<'a>>>,
    /// For each result, the results whose types can determine its type, and the transforms of these types.
    edges: Vec<Vec<(usize, &'a str)>>,
}

impl<'a> Graph<'a> {
    fn types_match_with(&mut self, record: Record<'a>, places: &HashMap<&'a str, Place>) {
        let (Ok(from), Ok(to), Ok(transform)) =
            (record.string_field("lhs"), record.string_field("rhs"), record.string_field("transformer"))
        else {
            return;
        };
        let (Some(&from), Some(&Place::Result(to))) = (places.get(from), places.get(to)) else { return };
        if self.inferred[to].is_some() {
            return;
        }
        match from {
            Place::Arg(arg) => self.inferred[to] = Some(Recipe::Arg { arg, transform }),
            Place::Result(from) => self.edges[to].push((from, transform)),
        }
    }

    fn all_types_match(&mut self, record: Record<'a>, places: &HashMap<&'a str, Place>) {
        let Ok(values) = record.list_field("values") else { return };
        let named: Vec<Place> = values
            .filter_map(|value| match value {
                Value::String(name) => places.get(record.records().str(name)).copied(),
                _ => None,
            })
            .collect();
        let known = named.iter().rev().find_map(|place| match *place {
            Place::Arg(arg) => Some(Recipe::Arg { arg, transform: SELF }),
            Place::Result(result) => {
                self.inferred[result].map(|_| Recipe::Result { result, transform: SELF })
            }
        });
        let results = || named.iter().filter_map(|p| if let Place::Result(i) = *p { Some(i) } else { None });
        for to in results() {
            match known {
                Some(recipe) => {
                    self.inferred[to].get_or_insert(recipe);
                }
                None => self.edges[to].extend(results().filter(|&from| from != to).map(|from| (from, SELF))),
            }
        }
    }

    /// Follows the edges until nothing changes. Each round except the last infers a result.
    fn close(&mut self) {
        loop {
            let mut changed = false;
            for to in 0..self.inferred.len() {
                if self.inferred[to].is_some() {
                    continue;
                }
                let edge = self.edges[to].iter().find(|&&(from, _)| self.inferred[from].is_some());
                if let Some(&(result, transform)) = edge {
                    self.inferred[to] = Some(Recipe::Result { result, transform });
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }
}
