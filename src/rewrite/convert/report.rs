//! The results of a conversion, and the reasons why it failed.

use crate::host::Ir;
use crate::pdl::PatternId;

/// The results of a conversion.
#[derive(Clone)]
pub struct ConversionReport<H: Ir> {
    /// The number of operations inside the root before the conversion, without those inside recursively legal
    /// operations.
    pub visited: u64,
    /// The number of times that a rule was applied and not undone.
    pub applied: u64,
    /// The number of attempts to apply a rule that were refused or undone. The rules that were applied to the new
    /// operations of such an attempt are undone with it, and do not count as further attempts.
    pub undone: u64,
    /// The number of casts that remained after all operations were legal. They were replaced by materialisations or are
    /// kept.
    pub remaining_casts: u64,
    /// The operations of unknown legality that no rule converts, in the order of the walk. After an analysis, the list
    /// has instead the operations that can be made legal.
    pub ops: Vec<H::Op>,
}

/// A rule that was tried, and the reason why it did not apply.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tried {
    /// The name of the rule.
    pub rule: String,
    /// The rule of the matcher; `None` for rules that are Rust functions or built in.
    pub pattern: Option<PatternId>,
    /// The reason, as a clause.
    pub reason: String,
}

/// The reason why a conversion failed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FailureKind {
    /// No rule makes the operation legal.
    Illegal {
        /// True in a partial conversion, which fails only at illegal operations. False in a full conversion, which
        /// fails at operations of unknown legality too.
        explicitly: bool,
        /// The rules that were tried on the operation, in order.
        tried: Vec<Tried>,
    },
    /// Values need a cast, but no materialisation replaces the cast.
    Unmaterialized {
        /// The types of the given values, as text.
        from: Vec<String>,
        /// The types of the required values, as text.
        to: Vec<String>,
        /// The name of an operation that uses the required values.
        user: Option<String>,
        /// The reason why the materialisation refused, if one is registered.
        reason: Option<String>,
    },
    /// The types of a call differ from those of the converted function.
    StaleCall {
        /// The name of the operation that defines the function.
        function: String,
    },
    /// The conversion tried to apply more rules than this limit.
    Budget(u64),
}

/// An operation that could not be converted.
#[derive(Clone)]
pub struct ConversionFailure<H: Ir> {
    /// The operation in the original IR; `None` for a call or cast that the conversion may have created.
    pub op: Option<H::Op>,
    /// The name of the operation.
    pub name: String,
    /// The location of the operation.
    pub location: H::Location,
    /// The reason.
    pub kind: FailureKind,
}

/// The operations that could not be converted. The IR is as it was before the conversion.
#[derive(Clone)]
pub struct ConversionError<H: Ir> {
    /// The failures, at least one. If operations stay illegal, only the first 16 of them are reported.
    pub failures: Vec<ConversionFailure<H>>,
}

impl<H: Ir> std::fmt::Display for ConversionFailure<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let list = |types: &[String]| types.iter().map(|ty| format!("'{ty}'")).collect::<Vec<_>>().join(", ");
        match &self.kind {
            FailureKind::Illegal { explicitly, .. } => {
                write!(f, "failed to legalize operation '{}'", self.name)?;
                if *explicitly { f.write_str(" that was explicitly marked illegal") } else { Ok(()) }
            }
            FailureKind::Unmaterialized { from, to, .. } => write!(
                f,
                "failed to legalize unresolved materialization from ({}) to ({}) that remained live after \
                 conversion",
                list(from),
                list(to)
            ),
            FailureKind::StaleCall { function } => {
                write!(
                    f,
                    "the operands and results of '{}' do not have the types of the converted '{function}' that it calls",
                    self.name
                )
            }
            FailureKind::Budget(budget) => {
                write!(f, "the conversion tried to apply more than {budget} rules")
            }
        }
    }
}

impl<H: Ir> std::fmt::Display for ConversionError<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, failure) in self.failures.iter().enumerate() {
            write!(f, "{}{failure}", if index == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl<H: Ir> std::fmt::Debug for ConversionError<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.failures.iter().map(|failure| (&failure.name, &failure.kind))).finish()
    }
}

impl<H: Ir> std::fmt::Debug for ConversionReport<H> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { visited, applied, undone, remaining_casts, ops } = self;
        let mut all = f.debug_struct("ConversionReport");
        all.field("visited", visited)
            .field("applied", applied)
            .field("undone", undone)
            .field("remaining_casts", remaining_casts);
        all.field("ops", ops).finish()
    }
}

impl<H: Ir> std::error::Error for ConversionError<H> {}
