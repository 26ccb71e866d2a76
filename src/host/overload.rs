//! Natives with one name and several signatures.
//!
//! Specification: a call gets the signature with the smallest distance, which is a sum over the arguments of the call.
//! A parameter that accepts any kind adds 2. Any other parameter adds 0 if the argument has the same kind or an unknown
//! kind, and 1 if the argument is converted. A signature that takes any number of arguments comes last. Among
//! signatures with equal distances, the signature that was registered last comes first.

use std::sync::Arc;

use super::entity::{Kind, Signature};

/// A predicate that is true if an argument of kind `from` converts to a parameter of kind `to`.
pub(crate) type Converts = fn(from: Kind, to: Kind) -> bool;

/// The inputs on which the answer of a constraint can depend.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum DependsOn {
    /// The arguments of the constraint, where a value counts only as its type.
    Arguments,
    /// The arguments and the IR.
    Ir,
    /// Any state of the program, including the arguments and the IR.
    Anything,
}

/// A native with one of its signatures.
pub(crate) struct Overload<F: ?Sized> {
    pub(crate) signature: Signature,
    pub(crate) depends_on: DependsOn,
    pub(crate) run: Arc<F>,
}

/// All signatures of one native, in the order of registration. Their parameters differ.
pub(crate) struct Overloads<F: ?Sized>(Vec<Overload<F>>);

impl<F: ?Sized> Clone for Overload<F> {
    fn clone(&self) -> Self {
        Self { signature: self.signature.clone(), depends_on: self.depends_on, run: Arc::clone(&self.run) }
    }
}

impl<F: ?Sized> Clone for Overloads<F> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<F: ?Sized> Default for Overloads<F> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F: ?Sized> Overloads<F> {
    /// Adds a signature. It replaces the signature with the same parameters.
    pub(crate) fn add(&mut self, overload: Overload<F>) {
        self.0.retain(|old| old.signature.params != overload.signature.params);
        self.0.push(overload);
    }

    /// Adds all signatures of another native.
    pub(crate) fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|overload| self.add(overload));
    }

    /// All overloads, in the order of registration.
    pub(crate) fn all(&self) -> Vec<Overload<F>> {
        self.0.clone()
    }

    /// The signatures.
    pub(crate) fn signatures(&self) -> Vec<Signature> {
        self.0.iter().map(|overload| overload.signature.clone()).collect()
    }

    /// The signatures that take these arguments, the best first. An argument is `None` if its kind is not known.
    pub(crate) fn ranked(&self, args: &[Option<Kind>], converts: Converts) -> Vec<&Overload<F>> {
        let fits = |overload: &&Overload<F>| overload.signature.distance(args, converts).is_some();
        let mut found: Vec<_> = self.0.iter().rev().filter(fits).collect();
        found.sort_by_key(|overload| overload.signature.distance(args, converts));
        found
    }
}

impl Signature {
    /// The distance from arguments to the parameters: smaller is better, and `None` if the signature does not take the
    /// arguments. An argument is `None` if its kind is not known.
    pub(crate) fn distance(&self, args: &[Option<Kind>], converts: Converts) -> Option<usize> {
        const CONVERTED: usize = 1;
        const ANY: usize = 2;
        let Some(params) = &self.params else { return Some(ANY * args.len() + 1) };
        if params.len() != args.len() {
            return None;
        }
        let distances = params.iter().zip(args).map(|(param, arg)| match (*param, *arg) {
            (None, _) => Some(ANY),
            (Some(_), None) => Some(0),
            (Some(param), Some(arg)) if param == arg => Some(0),
            (Some(param), Some(arg)) => converts(arg, param).then_some(CONVERTED),
        });
        distances.sum()
    }
}

/// Several signatures as text: `(value)`, `(value) and (attribute)`, `(value), (type) and (attribute)`.
pub(crate) fn show_signatures(signatures: &[Signature]) -> String {
    let mut texts: Vec<String> = signatures.iter().map(ToString::to_string).collect();
    match texts.pop() {
        Some(last) if texts.is_empty() => last,
        Some(last) => format!("{} and {last}", texts.join(", ")),
        None => String::new(),
    }
}
