//! One call of a script's native: its queries to the host, and the answers.
//!
//! A script has no reference to the host. A query without an answer ends the run; the host answers it, the answer is
//! recorded, and the script runs again from the start until its next query without an answer. Because a script can
//! observe or change nothing else, running it again is equivalent to continuing. Operations are created in the same
//! way, each once, in the order in which the script creates them.

use std::collections::HashMap;
use std::fmt;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rhai::{Dynamic, EvalAltResult, ImmutableString, Position};

use crate::host::Ir;

/// An object of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Object<O, V, T, A> {
    Op(O),
    Value(V),
    Type(T),
    Attr(A),
}

/// A query of a script to the host.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Query<O, V, T, A> {
    /// A property of an object, by its name in scripts.
    Property(&'static str, Object<O, V, T, A>),
    /// An attribute of an operation.
    OpAttr(O, ImmutableString),
    /// The type with this MLIR text.
    Type(ImmutableString),
    /// The attribute with this MLIR text.
    Attr(ImmutableString),
    /// A string attribute.
    StringAttr(ImmutableString),
    /// An integer attribute of a type.
    IntAttr(Number, T),
    /// A new operation.
    Create(NewOp<V, T, A>),
}

/// The value of a new integer attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    /// An integer that takes the width of the type.
    Any(i64),
    /// An integer whose width must be that of the type.
    Fixed(crate::number::ApInt),
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any(value) => value.fmt(f),
            Self::Fixed(value) => value.to_bigint().fmt(f),
        }
    }
}

/// An operation that a script creates.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NewOp<V, T, A> {
    /// The number of operations that the call creates before this one.
    pub(super) order: u32,
    pub(super) name: ImmutableString,
    pub(super) operands: Vec<V>,
    /// The attributes, by name.
    pub(super) attributes: Vec<(String, A)>,
    pub(super) types: Vec<T>,
}

/// A query to a host.
pub(super) type QueryOf<H> = Query<<H as Ir>::Op, <H as Ir>::Value, <H as Ir>::Type, <H as Ir>::Attr>;
/// An object of a host.
pub(super) type ObjectOf<H> = Object<<H as Ir>::Op, <H as Ir>::Value, <H as Ir>::Type, <H as Ir>::Attr>;

/// The state of a call.
pub(super) struct Call<H: Ir> {
    state: Mutex<State<H>>,
}

struct State<H: Ir> {
    /// The answers, by query. If an answer can depend on the operations that the script had created, the key contains
    /// their number; otherwise, it contains 0.
    answers: HashMap<(u32, QueryOf<H>), Dynamic>,
    pending: Option<QueryOf<H>>,
    created: u32,
}

impl<H: Ir> State<H> {
    /// The number of created operations on which the answer depends. A new operation can use a value, so a property of
    /// the value is queried again.
    fn age(&self, query: &QueryOf<H>) -> u32 {
        if matches!(query, Query::Property(..)) { self.created } else { 0 }
    }
}

impl<H: Ir> Call<H> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { answers: HashMap::new(), pending: None, created: 0 }) })
    }

    fn with<T>(&self, act: impl FnOnce(&mut State<H>) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Starts a run of the script.
    pub(super) fn restart(&self) {
        self.with(|state| state.created = 0);
    }

    /// Returns the number of operations that this run has created, and counts one more.
    pub(super) fn next_order(&self) -> u32 {
        self.with(|state| {
            state.created += 1;
            state.created - 1
        })
    }

    /// Returns the answer to a query. If the answer is not known yet, the query becomes pending and the run ends with
    /// an error.
    pub(super) fn query(&self, query: QueryOf<H>) -> Result<Dynamic, Box<EvalAltResult>> {
        self.with(|state| {
            let key = (state.age(&query), query);
            if let Some(answer) = state.answers.get(&key) {
                return Ok(answer.clone());
            }
            state.pending = Some(key.1);
            // A script cannot catch this error.
            Err(Box::new(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE)))
        })
    }

    /// Takes the query that ended the run.
    pub(super) fn take_pending(&self) -> Option<QueryOf<H>> {
        self.with(|state| state.pending.take())
    }

    pub(super) fn record(&self, query: QueryOf<H>, answer: Dynamic) {
        self.with(|state| state.answers.insert((state.age(&query), query), answer));
    }

    /// Drops all answers. The answers refer to the call, which would otherwise never be freed.
    pub(super) fn forget(&self) {
        let answers = self.with(|state| std::mem::take(&mut state.answers));
        drop(answers);
    }
}
