//! The data of modules: states, their texts and the changes between them.
//!
//! A module is a sequence of immutable states. Readers take the current state, so they do not wait for a rewrite. Rules
//! rewrite a copy, which becomes the next state only if the rewrite succeeds. The operations that the rewrite erases
//! are recorded, so that objects that refer to them fail.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use drrvm::host::Listener;
use drrvm::ir::{self, Context, IrHost, OpId, PrintOptions, ValueId};
use drrvm::source::{SourceFile, SourceMap};
use drrvm::vm::Matcher;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::pybacked::{PyBackedBytes, PyBackedStr};
use pyo3::types::PyString;

use crate::errors::{Failure, Kind};
use crate::run::lock;

/// The number of operations above which another thread works on a module, so that signals can end the work.
const MANY: usize = 10_000;
/// The number of rule sets whose links a module keeps.
const LINKS: usize = 4;

/// A module, which several Python objects share.
pub(crate) struct Module {
    state: Mutex<Arc<State>>,
}

/// One state of a module.
#[derive(Clone)]
pub(crate) struct State {
    pub(crate) host: IrHost,
    /// The text that the module was parsed from.
    pub(crate) sources: Arc<SourceMap>,
    version: u64,
    /// The number of the rule set whose definitions were used to verify this state.
    pub(crate) verified: Option<u64>,
    /// For each slot of an operation that was erased, the first version without this operation.
    erased: HashMap<u32, u64>,
    /// The rule sets that are linked to the context, each with its number. The most recent link is last.
    links: Vec<Link>,
    /// The names that values took over; `None` if names are not tracked.
    names: Option<Names>,
}

/// The number of a rule set, and its matcher for this context.
pub(crate) type Link = (u64, Arc<Matcher<IrHost>>);

impl State {
    /// The first state of a module.
    pub(crate) fn new(host: IrHost, sources: Arc<SourceMap>, links: Vec<Link>) -> Self {
        Self { host, sources, version: 0, verified: None, erased: HashMap::new(), links, names: None }
    }

    /// True if copying or printing the module can take longer than a person waits after Ctrl-C.
    pub(crate) fn is_large(&self) -> bool {
        self.host.module.op_count() > MANY
    }

    /// Tracks the names that values of later states take over from values of this state. `ops` is the number of slots
    /// for operations in this state.
    pub(crate) fn with_names(self, ops: usize) -> Self {
        Self { names: Some(Names { ops, ..Names::default() }), ..self }
    }

    /// Each value that took over a name, with the value that had this name in the first state.
    pub(crate) fn names(&self) -> impl Iterator<Item = (ValueId, ValueId)> {
        self.names.iter().flat_map(|names| names.from.iter().map(|(&value, &from)| (value, from)))
    }

    /// The number of states before this one.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// True if an operation that existed in `version` was erased after this version.
    pub(crate) fn is_erased(&self, op: OpId, version: u64) -> bool {
        self.erased.get(&op.raw()).is_some_and(|&since| version < since)
    }

    /// The text that the module was parsed from; `None` after a change, and for a module that was read from objects of
    /// xDSL.
    pub(crate) fn original(&self) -> Option<&SourceFile> {
        self.sources.files().next().filter(|_| self.version == 0)
    }

    /// The name of the module in messages.
    pub(crate) fn name(&self) -> &str {
        self.sources.files().next().map_or("<string>", SourceFile::name)
    }

    /// The matcher of the rule set with this number, linked to the context.
    pub(crate) fn link(&self, rules: u64) -> Option<Arc<Matcher<IrHost>>> {
        self.links.iter().find(|link| link.0 == rules).map(|link| link.1.clone())
    }

    pub(crate) fn add_link(&mut self, rules: u64, matcher: Arc<Matcher<IrHost>>) {
        self.links.retain(|link| link.0 != rules);
        if self.links.len() == LINKS {
            self.links.remove(0);
        }
        self.links.push((rules, matcher));
    }

    /// The module printed and parsed again, so that messages show places. Returns `None` if the module has a text
    /// already, or if the printed text cannot be parsed.
    pub(crate) fn with_text(&self) -> Option<Self> {
        if self.sources.files().next().is_some() {
            return None;
        }
        let options = PrintOptions::new().generic(true);
        let (mut sources, mut context) = (SourceMap::default(), self.host.context.clone());
        let file = sources.add("<xdsl>", self.host.module.print(&context, options)).ok()?;
        let module = ir::parse_module(&mut context, sources.file(file)).ok()?;
        Some(Self::new(IrHost::new(context, module), Arc::new(sources), self.links.clone()))
    }

    /// Verifies the module without the definitions in rules.
    pub(crate) fn verify(&self) -> Result<(), Failure> {
        let errors = ir::verify(&self.host.context, &self.host.module);
        if !errors.has_errors() {
            return Ok(());
        }
        self.with_text().map_or(Ok(()), |state| state.verify())?;
        Err(Failure::new(Kind::Verify, errors, &self.sources))
    }

    /// An empty record of the changes that lead to the next state.
    pub(crate) fn changes(&mut self) -> Changes {
        Changes { erased: Vec::new(), names: self.names.take() }
    }

    /// Makes this copy the next state. `changes` has the changes since the last state.
    pub(crate) fn advance(&mut self, changes: Changes) {
        self.version += 1;
        for slot in changes.erased {
            self.erased.insert(slot, self.version);
        }
        self.names = changes.names;
    }
}

/// The changes of a module since its last state.
#[derive(Default)]
pub(crate) struct Changes {
    /// The slots of erased operations.
    erased: Vec<u32>,
    names: Option<Names>,
}

impl Listener<IrHost> for Changes {
    fn replaced(&mut self, host: &IrHost, op: OpId, with: &[ValueId]) {
        if let Some(names) = &mut self.names {
            names.replaced(host, op, with);
        }
    }

    fn erased(&mut self, host: &IrHost, op: OpId) {
        self.erased.push(op.raw());
        if let Some(names) = &mut self.names {
            names.erased(host, op);
        }
    }
}

/// The names that values take over from the values that they replace.
#[derive(Clone, Default)]
struct Names {
    /// The number of slots for operations in the first state.
    ops: usize,
    /// The slots of erased operations. Later operations may use these slots again.
    erased: HashSet<u32>,
    /// For each value that took over a name, the value that had this name in the first state.
    from: HashMap<ValueId, ValueId>,
}

impl Names {
    fn replaced(&mut self, host: &IrHost, op: OpId, with: &[ValueId]) {
        let is_original = (op.raw() as usize) < self.ops && !self.erased.contains(&op.raw());
        for (result, &value) in host.module.results(op).zip(with) {
            let from = self.from.get(&result).copied().or_else(|| is_original.then_some(result));
            if let Some(from) = from {
                self.from.entry(value).or_insert(from);
            }
        }
    }

    fn erased(&mut self, host: &IrHost, op: OpId) {
        self.erased.insert(op.raw());
        for result in host.module.results(op) {
            self.from.remove(&result);
        }
    }
}

/// The text of a module. Large texts are not copied to objects of Rust before they are parsed.
pub(crate) enum Text {
    Str(PyBackedStr),
    Bytes(PyBackedBytes),
    File(Vec<u8>),
}

impl Text {
    /// The text in a Python object: `str`, `bytes` or `bytearray`.
    pub(crate) fn extract(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        if object.is_instance_of::<PyString>() {
            return Ok(Self::Str(object.extract()?));
        }
        match object.extract() {
            Ok(bytes) => Ok(Self::Bytes(bytes)),
            Err(_) => {
                let found = object.get_type().name()?;
                Err(PyTypeError::new_err(format!(
                    "the text of a module is str, bytes or bytearray, not {found}"
                )))
            }
        }
    }

    pub(crate) fn len(&self) -> usize {
        match self {
            Text::Str(text) => text.len(),
            Text::Bytes(bytes) => bytes.len(),
            Text::File(bytes) => bytes.len(),
        }
    }
}

impl Module {
    pub(crate) fn new(state: State) -> Arc<Self> {
        Arc::new(Self { state: Mutex::new(Arc::new(state)) })
    }

    pub(crate) fn state(&self) -> Arc<State> {
        lock(&self.state).clone()
    }

    /// Replaces the state from which `next` was derived. Returns false if there is a newer state.
    pub(crate) fn commit(&self, before: &Arc<State>, next: Arc<State>) -> bool {
        let mut state = lock(&self.state);
        let unchanged = Arc::ptr_eq(&state, before);
        if unchanged {
            *state = next;
        }
        unchanged
    }
}

/// Parses and verifies a module in a context, which can be linked to rules.
pub(crate) fn parse(
    text: Text,
    name: &str,
    mut context: Context,
    links: Vec<Link>,
    verify: bool,
) -> Result<State, Failure> {
    let mut sources = SourceMap::default();
    let file = match text {
        Text::Str(text) => sources.add(name, &*text),
        Text::Bytes(bytes) => sources.add_bytes(name, bytes.to_vec()),
        Text::File(bytes) => sources.add_bytes(name, bytes),
    };
    let file = file.map_err(|error| Failure::new(Kind::Parse, error, &sources))?;
    let module = ir::parse_module(&mut context, sources.file(file))
        .map_err(|errors| Failure::new(Kind::Parse, errors, &sources))?;
    let state = State::new(IrHost::new(context, module), Arc::new(sources), links);
    if verify {
        state.verify()?;
    }
    Ok(state)
}
