//! Links a program to a host once: names, constants, natives and snippets.

mod calls;
mod constants;
mod error;
mod facets;
mod inference;
mod signature;

use std::sync::Arc;

use super::linked::{AttrNames, LinkedProgram, OpNames};
use crate::bytecode::{OpNumber, Program};
use crate::host::{Bind, Facets, Natives, OpNameId};
use crate::id::Id;
use crate::log::span;
use crate::pdl::PatternId;
use crate::snippet::Linked;
use crate::source::Diagnostics;

pub use error::LinkError;
pub use signature::SignatureDifference;

/// Options of linking.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// If true, linking leaves out the rules that call missing natives. If false, a missing native is an error.
    pub allow_missing: bool,
    /// Rules to leave out; see [`Program::unselected`]. Their natives may be missing.
    pub left_out: Vec<PatternId>,
}

pub(super) fn link<H: Facets + Bind>(
    program: Arc<Program>,
    host: &mut H,
    natives: &Natives<H>,
    options: &LinkOptions,
) -> Result<LinkedProgram<H>, LinkError> {
    span!("link", rules = program.patterns.len());
    let strings = &program.strings;
    let definitions = program.ops.iter().map(|op| {
        let traits = op.cxx_traits.iter().map(|&name| &strings[name]).collect();
        (&strings[op.name], traits)
    });
    let natives = &inference::with_broadcasts(natives.for_definitions(definitions), &program);
    let snippets = Linked::link(&program.snippets, host, natives);
    let attr_names = attr_names(&program, host);
    let (constants, same_constants) = constants::bind(&program, &snippets, host);
    let of_host: Vec<OpNameId> =
        program.op_names.iter().map(|&name| host.bind_op_name(&program.strings[name])).collect();
    let names = program.op_names.iter().zip(&of_host).filter(|(_, number)| **number > OpNameId::MAX);
    let misnumbered: Vec<_> =
        names.map(|(&name, &number)| (program.strings[name].to_owned(), number)).collect();
    let op_names = op_names(&program, if misnumbered.is_empty() { of_host } else { Vec::new() });
    let calls = calls::bind(&program, &snippets, host, natives, &options.left_out);
    let differences = signature::differences(&program, host);
    let is_incomplete = !calls.missing.is_empty() && !options.allow_missing;
    if !differences.is_empty() || !misnumbered.is_empty() || is_incomplete {
        return Err(LinkError { missing: calls.missing, differences, misnumbered });
    }
    let hooks = natives.hooks(host);
    let snippet_slots = calls::snippet_slots(&program);
    let mut warnings = unknown_ops(&program, host);
    warnings.extend(same_constants);
    warnings.extend(facets::unanswered(&program, &snippets, &constants, &calls.dropped, host));
    Ok(LinkedProgram {
        program,
        op_names,
        attr_names,
        constants,
        calls,
        snippets,
        snippet_slots,
        hooks,
        warnings,
    })
}

fn attr_names(program: &Program, host: &mut impl Bind) -> AttrNames {
    let mut names = AttrNames::new(program.strings.len());
    for name in program.bound_attr_names() {
        names.bind(name, || host.bind_attr_name(&program.strings[name]));
    }
    names
}

/// One warning for each operation that is not among the host's [names](Bind::op_names), if the host lists them.
fn unknown_ops(program: &Program, host: &impl Bind) -> Diagnostics {
    let mut warnings = Diagnostics::default();
    if let Some(known) = host.op_names() {
        for name in program.op_names.iter().map(|&name| &program.strings[name]) {
            if !known.iter().any(|known| known == name) {
                warnings.push(error::unknown_op(name, known.iter().map(String::as_str)));
            }
        }
    }
    warnings
}

/// The operation names of a program. `of_host` has the host's number of each name.
fn op_names(program: &Program, of_host: Vec<OpNameId>) -> OpNames {
    let size = of_host.iter().map(|n| n.index() + 1).max().unwrap_or(0);
    let mut of_program = vec![OpNumber::UNKNOWN; size];
    for (number, name) in program.op_names.ids().zip(&of_host) {
        of_program[name.index()] = number;
    }
    let mut roots = vec![program.any; size];
    for &(name, at) in &program.entries {
        if let Some(number) = of_host.get(name.index()) {
            roots[number.index()] = at;
        }
    }
    OpNames { of_host, of_program, roots, any: program.any }
}
