//! One call of a script's native: what it asks of the host, and what it was told.
//!
//! A script has no reference to the host: what it wants to know ends the run, is asked of the host, and
//! remembered; then the script runs again from the start and gets further. A script has no other way to
//! see or change anything, so running it again is the same as going on. Operations are made in the same
//! way, each once, in the order in which the script makes them.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

use rhai::{Dynamic, EvalAltResult, ImmutableString, Position};

use crate::host::Ir;

/// Something of the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Thing<O, V, T, A> {
    Op(O),
    Value(V),
    Type(T),
    Attr(A),
}

/// What a script may ask for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Ask<O, V, T, A> {
    /// A property of something, by its name in scripts.
    Property(&'static str, Thing<O, V, T, A>),
    /// An attribute of an operation.
    OpAttr(O, ImmutableString),
    /// The type that MLIR text means.
    Type(ImmutableString),
    /// The attribute that MLIR text means.
    Attr(ImmutableString),
    /// A string attribute.
    StringAttr(ImmutableString),
    /// An integer attribute of a type: width and value, as text, if they are given.
    IntAttr(Number, T),
    /// A new operation.
    Create(NewOp<V, T, A>),
}

/// An integer to make an attribute of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Number {
    /// As wide as the type wants it.
    Any(i64),
    /// As wide as it is.
    Fixed(crate::number::ApInt),
}

/// An operation that a script makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct NewOp<V, T, A> {
    /// How many operations the call made before.
    pub(super) order: u32,
    pub(super) name: ImmutableString,
    pub(super) operands: Vec<V>,
    /// By name.
    pub(super) attributes: Vec<(String, A)>,
    pub(super) types: Vec<T>,
}

/// What a script asks of a host.
pub(super) type AskOf<H> = Ask<<H as Ir>::Op, <H as Ir>::Value, <H as Ir>::Type, <H as Ir>::Attr>;
/// Something of a host.
pub(super) type ThingOf<H> = Thing<<H as Ir>::Op, <H as Ir>::Value, <H as Ir>::Type, <H as Ir>::Attr>;

/// What is known in one call.
pub(super) struct Call<H: Ir> {
    state: Mutex<State<H>>,
}

struct State<H: Ir> {
    answers: HashMap<AskOf<H>, Dynamic>,
    wanted: Option<AskOf<H>>,
    made: u32,
}

impl<H: Ir> Call<H> {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(State { answers: HashMap::new(), wanted: None, made: 0 }) })
    }

    fn with<T>(&self, act: impl FnOnce(&mut State<H>) -> T) -> T {
        act(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Begins a run of the script.
    pub(super) fn restart(&self) {
        self.with(|state| state.made = 0);
    }

    /// How many operations this run has made; one more from now on.
    pub(super) fn next_order(&self) -> u32 {
        self.with(|state| {
            state.made += 1;
            state.made - 1
        })
    }

    /// What the host says, if it has been asked; else the run ends to ask it.
    pub(super) fn ask(&self, ask: AskOf<H>) -> Result<Dynamic, Box<EvalAltResult>> {
        self.with(|state| {
            if let Some(answer) = state.answers.get(&ask) {
                return Ok(answer.clone());
            }
            state.wanted = Some(ask);
            // Not to be caught by the script.
            Err(Box::new(EvalAltResult::ErrorTerminated(Dynamic::UNIT, Position::NONE)))
        })
    }

    /// What the run ended to ask.
    pub(super) fn wanted(&self) -> Option<AskOf<H>> {
        self.with(|state| state.wanted.take())
    }

    pub(super) fn tell(&self, ask: AskOf<H>, answer: Dynamic) {
        self.with(|state| state.answers.insert(ask, answer));
    }

    /// Forgets what the host said. Answers refer to the call, and would keep it and themselves alive.
    pub(super) fn forget(&self) {
        let answers = self.with(|state| std::mem::take(&mut state.answers));
        drop(answers);
    }
}
