//! Runs canonicalisation, or the driver that the command line selects.

use super::exit::Failed;
use super::options::{DriverArgs, DriverChoice, Strictness, Traversal};
use super::session::Session;
use crate::host::Listener;
use crate::ir::IrHost;
use crate::rewrite::{self, Canonicalization, Report};
use crate::source::Diagnostic;
use crate::vm::Engine;

/// Fails if the command line selects the walk driver and has an option that this driver does not use.
pub(super) fn check_driver(session: &Session, driver: &DriverArgs) -> Result<(), Failed> {
    if driver.kind != DriverChoice::Walk {
        return Ok(());
    }
    let others = [
        ("--max-rewrites", driver.max_rewrites.is_some()),
        ("--no-fold", driver.no_fold),
        ("--allow-nonconvergence", driver.allow_nonconvergence),
    ];
    let unused = driver.of_greedy_driver().into_iter().chain(others);
    refuse_unused(session, unused, "the driver `walk`", "remove the option, or use `--driver greedy`")
}

/// Fails if one of these options is set, because it has no effect on `part`. The flag beside each option is true if the
/// option is not at its default.
pub(super) fn refuse_unused(
    session: &Session,
    options: impl IntoIterator<Item = (&'static str, bool)>,
    part: &str,
    help: &str,
) -> Result<(), Failed> {
    match options.into_iter().find(|&(_, is_set)| is_set) {
        Some((option, _)) => {
            let error = Diagnostic::error(format!("`{option}` has no effect on {part}"));
            Err(session.misused(error.help(help)))
        }
        None => Ok(()),
    }
}

/// Rewrites the host's module. The driver notifies the listener of each change.
pub(super) fn drive<E: Engine<IrHost>>(
    driver: &DriverArgs,
    engine: &E,
    host: &mut IrHost,
    listener: &mut dyn Listener<IrHost>,
) -> Report {
    let root = host.module.top();
    match driver.kind {
        DriverChoice::Walk => rewrite::apply_in_walk(host, root, engine, listener),
        DriverChoice::Greedy => {
            let traversal = match driver.traversal {
                Traversal::TopDown => rewrite::Traversal::TopDown,
                Traversal::BottomUp => rewrite::Traversal::BottomUp,
            };
            let config = rewrite::Config::default()
                .traversal(traversal)
                .max_sweeps(driver.max_iterations)
                .max_rewrites(driver.max_rewrites)
                .max_rewrites_per_sweep(driver.max_rewrites_per_sweep)
                .strictness(match driver.strictness {
                    Strictness::AnyOp => rewrite::Strictness::AnyOp,
                    Strictness::ExistingAndNewOps => rewrite::Strictness::ExistingAndNewOps,
                    Strictness::ExistingOps => rewrite::Strictness::ExistingOps,
                })
                .fold(!driver.no_fold)
                .unique_constants(!driver.keep_constants);
            rewrite::apply_greedily(host, root, engine, &config, listener)
        }
    }
}

/// Canonicalises the host's module, or rewrites the module with the selected driver.
pub(super) fn canonicalize_or_drive<E: Engine<IrHost>>(
    canonicalization: Option<&Canonicalization>,
    driver: &DriverArgs,
    engine: &E,
    host: &mut IrHost,
    listener: &mut dyn Listener<IrHost>,
) -> Report {
    match canonicalization {
        Some(config) => {
            let root = host.module.top();
            rewrite::canonicalize(host, root, engine, config, listener)
        }
        None => drive(driver, engine, host, listener),
    }
}
