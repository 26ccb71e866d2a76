//! The operations that are legal in a conversion.

use std::sync::Arc;

use hashbrown::HashMap;

use crate::host::Ir;

/// A function that decides if an operation is legal.
pub(super) type LegalityFn<H> = dyn Fn(&H, <H as Ir>::Op) -> bool + Send + Sync;

/// A statement about the legality of operations.
pub(super) enum Action<H: Ir> {
    Legal,
    Illegal,
    Dynamic(Arc<LegalityFn<H>>),
}

impl<H: Ir> Clone for Action<H> {
    fn clone(&self) -> Self {
        match self {
            Self::Legal => Self::Legal,
            Self::Illegal => Self::Illegal,
            Self::Dynamic(legal) => Self::Dynamic(legal.clone()),
        }
    }
}

/// The legality of operations, by their names and dialects.
///
/// A statement about an operation name takes precedence over a statement about its dialect. An operation without a
/// statement has an unknown legality: a partial conversion may leave it, and a full conversion may not.
///
/// ```
/// use drrvm::ir::IrHost;
/// use drrvm::host::Ir;
/// use drrvm::rewrite::ConversionTarget;
/// let target = ConversionTarget::<IrHost>::new()
///     .legal_dialect("arith")
///     .illegal_dialect("toy")
///     .dynamic_op("toy.print", |host, op| host.operand_count(op) == 1);
/// # let _ = target;
/// ```
pub struct ConversionTarget<H: Ir> {
    ops: HashMap<String, Action<H>>,
    dialects: HashMap<String, Action<H>>,
    unknown: Option<Arc<LegalityFn<H>>>,
    recursive: HashMap<String, Option<Arc<LegalityFn<H>>>>,
}

impl<H: Ir> Clone for ConversionTarget<H> {
    fn clone(&self) -> Self {
        Self {
            ops: self.ops.clone(),
            dialects: self.dialects.clone(),
            unknown: self.unknown.clone(),
            recursive: self.recursive.clone(),
        }
    }
}

impl<H: Ir> Default for ConversionTarget<H> {
    fn default() -> Self {
        Self { ops: HashMap::new(), dialects: HashMap::new(), unknown: None, recursive: HashMap::new() }
    }
}

impl<H: Ir> ConversionTarget<H> {
    /// A target without statements: the legality of all operations is unknown.
    pub fn new() -> Self {
        Self::default()
    }

    fn op(mut self, name: &str, action: Action<H>) -> Self {
        self.ops.insert(name.to_owned(), action);
        self
    }

    fn dialect(mut self, name: &str, action: Action<H>) -> Self {
        self.dialects.insert(name.to_owned(), action);
        self
    }

    /// States that operations of this name are legal.
    #[must_use]
    pub fn legal_op(self, name: &str) -> Self {
        self.op(name, Action::Legal)
    }

    /// States that operations of this name are illegal.
    #[must_use]
    pub fn illegal_op(self, name: &str) -> Self {
        self.op(name, Action::Illegal)
    }

    /// States that an operation of this name is legal if the function returns true, and otherwise illegal.
    #[must_use]
    pub fn dynamic_op(
        self,
        name: &str,
        is_legal: impl Fn(&H, H::Op) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.op(name, Action::Dynamic(Arc::new(is_legal)))
    }

    /// States that operations of this dialect are legal.
    #[must_use]
    pub fn legal_dialect(self, name: &str) -> Self {
        self.dialect(name, Action::Legal)
    }

    /// States that operations of this dialect are illegal.
    #[must_use]
    pub fn illegal_dialect(self, name: &str) -> Self {
        self.dialect(name, Action::Illegal)
    }

    /// States that an operation of this dialect is legal if the function returns true, and otherwise illegal.
    #[must_use]
    pub fn dynamic_dialect(
        self,
        name: &str,
        is_legal: impl Fn(&H, H::Op) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.dialect(name, Action::Dynamic(Arc::new(is_legal)))
    }

    /// States that an operation without another statement is legal if the function returns true, and otherwise illegal.
    #[must_use]
    pub fn dynamic_unknown(mut self, is_legal: impl Fn(&H, H::Op) -> bool + Send + Sync + 'static) -> Self {
        self.unknown = Some(Arc::new(is_legal));
        self
    }

    /// States that the operations inside a legal operation of this name are not visited.
    #[must_use]
    pub fn recursively_legal(mut self, name: &str) -> Self {
        self.recursive.insert(name.to_owned(), None);
        self
    }

    /// States that the operations inside a legal operation of this name are not visited if the function returns true.
    #[must_use]
    pub fn recursively_legal_if(
        mut self,
        name: &str,
        holds: impl Fn(&H, H::Op) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.recursive.insert(name.to_owned(), Some(Arc::new(holds)));
        self
    }

    /// The statement about operations of this name alone.
    pub(super) fn op_action(&self, name: &str) -> Option<Action<H>> {
        self.ops.get(name).cloned()
    }

    /// The statement about operations of the name's dialect, or about all operations without another statement.
    pub(super) fn other_action(&self, name: &str) -> Option<Action<H>> {
        let dialect = name.split_once('.').map_or(name, |(dialect, _)| dialect);
        let unknown = || self.unknown.clone().map(Action::Dynamic);
        self.dialects.get(dialect).cloned().or_else(unknown)
    }

    /// True if some operations are recursively legal.
    pub(super) fn has_recursive(&self) -> bool {
        !self.recursive.is_empty()
    }

    /// The statement about the recursive legality of operations of this name.
    pub(super) fn recursive_action(&self, name: &str) -> Option<Action<H>> {
        let holds = self.recursive.get(name)?;
        Some(holds.clone().map_or(Action::Legal, Action::Dynamic))
    }
}
