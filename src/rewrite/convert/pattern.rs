//! Conversion rules that are Rust functions.

use std::sync::Arc;

use super::rewriter::ConversionRewriter;
use crate::host::{Blocks, Refusal};

type RunFn<H> = dyn Fn(
        &mut ConversionRewriter<'_, '_, H>,
        <H as crate::host::Ir>::Op,
        &[Vec<<H as crate::host::Ir>::Value>],
    ) -> Result<(), Refusal>
    + Send
    + Sync;

/// A conversion rule that is a Rust function.
///
/// The function gets the operation and, for each operand, the values to which the operand was converted. It replaces,
/// erases or [modifies](ConversionRewriter::modify) the operation, or returns the reason why it does not apply.
///
/// ```
/// use drrvm::host::{Ir, OpState};
/// use drrvm::host::Bind;
/// use drrvm::ir::IrHost;
/// use drrvm::rewrite::ConversionPattern;
/// let lower = ConversionPattern::<IrHost>::new("lower_print", "toy.print", |rewriter, op, operands| {
///     let name = rewriter.host_mut().bind_op_name("io.print");
///     let location = rewriter.host().location(op);
///     let (operands, types) = (operands.concat(), []);
///     rewriter.create(&OpState {
///         name, operands: &operands, result_types: &types, attributes: &[], regions: 0, location,
///     })?;
///     rewriter.erase(op)
/// });
/// # let _ = lower.creates("io.print");
/// ```
pub struct ConversionPattern<H: Blocks> {
    pub(super) name: String,
    pub(super) root: Option<String>,
    pub(super) benefit: u16,
    pub(super) created: Vec<String>,
    pub(super) converts_operands: bool,
    pub(super) single_values: bool,
    pub(super) recursive: bool,
    pub(super) run: Arc<RunFn<H>>,
}

impl<H: Blocks> Clone for ConversionPattern<H> {
    fn clone(&self) -> Self {
        Self {
            name: self.name.clone(),
            root: self.root.clone(),
            benefit: self.benefit,
            created: self.created.clone(),
            converts_operands: self.converts_operands,
            single_values: self.single_values,
            recursive: self.recursive,
            run: self.run.clone(),
        }
    }
}

impl<H: Blocks> ConversionPattern<H> {
    /// A rule of benefit 1 for operations of one name.
    pub fn new(
        name: &str,
        root: &str,
        run: impl Fn(&mut ConversionRewriter<'_, '_, H>, H::Op, &[Vec<H::Value>]) -> Result<(), Refusal>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name: name.to_owned(),
            root: Some(root.to_owned()),
            benefit: 1,
            created: Vec::new(),
            converts_operands: true,
            single_values: false,
            recursive: false,
            run: Arc::new(run),
        }
    }

    /// Tries the rule on operations of all names.
    #[must_use]
    pub fn any_root(mut self) -> Self {
        self.root = None;
        self
    }

    /// Sets the benefit. Of the rules whose new operations need equally many steps to become legal, those with a higher
    /// benefit are tried first.
    #[must_use]
    pub fn benefit(mut self, benefit: u16) -> Self {
        self.benefit = benefit;
        self
    }

    /// States that the rule creates operations of this name. Rules whose new operations need fewer steps to become
    /// legal are tried first.
    #[must_use]
    pub fn creates(mut self, name: &str) -> Self {
        self.created.push(name.to_owned());
        self
    }

    /// Passes the current values of the operands without a conversion of their types.
    #[must_use]
    pub fn without_type_conversion(mut self) -> Self {
        self.converts_operands = false;
        self
    }

    /// Makes the rule refuse operations with an operand that is converted to several values or to none.
    #[must_use]
    pub fn single_values(mut self) -> Self {
        self.single_values = true;
        self
    }

    /// States that the rule may be applied to operations that it created itself, because it makes progress.
    #[must_use]
    pub fn recursive(mut self) -> Self {
        self.recursive = true;
        self
    }
}
