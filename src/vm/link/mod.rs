//! Binding a program to a host, once: names, constants, natives and snippets.

mod calls;
mod constants;
mod error;
mod remembered;
mod signature;

use std::sync::Arc;

use crate::bytecode::Program;
use crate::host::{AttrNameId, Bind, Facets, Natives, OpNameId};
use crate::id::Id;
use crate::log::span;
use crate::pdl::{Arg, PatternId};
use crate::snippet::Linked;

use super::Matcher;
use calls::Calls;
use constants::Constants;

pub(super) use constants::{Bound, Known};
pub use error::LinkError;
pub use signature::SignatureDifference;

/// How to link.
#[derive(Clone, Debug, Default)]
pub struct LinkOptions {
    /// Whether rules that call missing natives are left out. Otherwise linking fails.
    pub allow_missing: bool,
    /// Rules to leave out; see [`Program::unselected`]. Their natives may be missing.
    pub left_out: Vec<PatternId>,
}

pub(super) fn link<H: Facets + Bind>(
    program: Arc<Program>,
    host: &mut H,
    natives: &Natives<H>,
    options: &LinkOptions,
) -> Result<Matcher<H>, LinkError> {
    span!("link", rules = program.patterns.len());
    let snippets = Linked::link(&program.snippets, host, natives);
    let attr_names = attr_names(&program, host);
    let Constants { attrs, types, attr_keys, type_keys, known } =
        constants::constants(&program, &snippets, host);
    let OpNames { names, numbers, roots } = op_names(&program, host);
    let Calls { constraints, rewrites, inferences, dropped, missing } =
        calls::calls(&program, &snippets, host, natives, &options.left_out);
    let differences = signature::differences(&program, host);
    if !differences.is_empty() || !missing.is_empty() && !options.allow_missing {
        return Err(LinkError { missing, differences });
    }
    let hooks = natives.hooks(host);
    let remember_call = remembered::remembered_calls(&program, natives);
    let (snippet_slots, remembered) = remembered::snippet_slots(&program);
    let args = program.predicates.calls().iter().flat_map(|call| &call.args);
    let texts = args.filter_map(|arg| match *arg {
        Arg::Str(text) => Some((text, Arc::from(&program.strings[text]))),
        _ => None,
    });
    let texts = texts.collect();
    Ok(Matcher {
        any: program.any,
        program,
        roots,
        numbers,
        names,
        attr_names,
        attrs,
        types,
        attr_keys,
        type_keys,
        known,
        texts,
        constraints,
        remember_call,
        rewrites,
        inferences,
        hooks,
        dropped,
        missing,
        snippets,
        snippet_slots,
        remembered,
    })
}

/// The host's number of an attribute name, by its string; `u32::MAX` for what is none.
fn attr_names(program: &Program, host: &mut impl Bind) -> Vec<AttrNameId> {
    let none = AttrNameId::from_raw(u32::MAX);
    let mut numbers = vec![none; program.strings.len()];
    for name in program.bound_attr_names() {
        if numbers[name.index()] == none {
            numbers[name.index()] = host.bind_attr_name(&program.strings[name]);
        }
    }
    numbers
}

/// The names of operations, bound.
struct OpNames {
    /// The host's number, by the program's.
    names: Vec<OpNameId>,
    /// The program's number, by the host's.
    numbers: Vec<u32>,
    /// Where to start, by the host's number of the root's name.
    roots: Vec<u32>,
}

fn op_names(program: &Program, host: &mut impl Bind) -> OpNames {
    let names: Vec<OpNameId> =
        program.op_names.iter().map(|&name| host.bind_op_name(&program.strings[name])).collect();
    let size = names.iter().map(|n| n.index() + 1).max().unwrap_or(0);
    let mut numbers = vec![u32::MAX; size];
    for (number, name) in (0u32..).zip(&names) {
        numbers[name.index()] = number;
    }
    let mut roots = vec![program.any; size];
    for &(name, at) in &program.entries {
        roots[names[name as usize].index()] = at;
    }
    OpNames { names, numbers, roots }
}
