//! Whether a program can be run: what the interpreters take for granted, checked once.
//!
//! Specification: a program that passes makes no interpreter read past a table, read an operation
//! that it has not loaded or an operand that is not known to be there, jump to what is no
//! instruction, or run for ever, on any IR.
//!
//! Ids of tables were checked when they were read; here are what refers to code and what code relies on.
//! Method: the match part goes only forward, so one pass over it in order of addresses gives each
//! instruction what is known on all paths to it: which operation registers are loaded, and how many
//! operands each operation has at least. A pass backward bounds what it costs. Rewrites are straight, and
//! what they make has a kind each. All of it takes time in proportion to the program.

mod matching;
mod rewriting;
#[cfg(test)]
mod tests;

use super::compact::Addresses;
use super::instruction::Opcode;
use super::program::Program;
use crate::host::Kind;
use crate::matcher_tree::{CallId, Position, PositionId};
use crate::pdl::Arg;
use crate::wire::{Invalid, Section};
use matching::MatchPart;
use rewriting::rules;

type Valid<T = ()> = Result<T, Invalid>;

fn in_code(what: String) -> Invalid {
    Invalid::new(Section::Code, what)
}

fn in_rules(what: String) -> Invalid {
    Invalid::new(Section::Rules, what)
}

fn in_tables(what: String) -> Invalid {
    Invalid::new(Section::Tables, what)
}

/// Checks all that the parts of a program rely on; its instructions start at `starts`.
pub(super) fn validate(program: &Program, starts: &Addresses) -> Valid {
    tables(program)?;
    if !program.bottom_up.fits(program) {
        return Err(Invalid::new(Section::Items, "an item or a rule does not fit"));
    }
    // Every choice has an instruction of its own, and the scratch memory of a thread has a slot for each choice.
    if program.choices as usize > program.code.len() {
        let (choices, words) = (program.choices, program.code.len());
        let what = format!("{choices} choices are announced for {words} words of code");
        return Err(Invalid::new(Section::Head, what));
    }
    if program.code.first() != Some(&u32::from(Opcode::Fail as u8)) {
        return Err(in_code("it does not start with the instruction that fails".into()));
    }
    MatchPart::new(program, starts).run()?;
    rules(program, starts)
}

/// Choices, calls and registers, as far as tables name them.
fn tables(program: &Program) -> Valid {
    let positions = &program.positions;
    for (id, position) in positions.iter() {
        if let Position::User { choice } | Position::Either { choice, .. } = *position
            && choice >= program.choices
        {
            return Err(in_tables(format!(
                "position {} is of choice {choice} of {}",
                id.raw(),
                program.choices
            )));
        }
        if let Position::CallResult { call, index, kind } = *position
            && program.predicates.calls()[call].results.get(index as usize) != Some(&kind)
        {
            return Err(in_tables(format!("position {} is no result of its call", id.raw())));
        }
    }
    for (id, call) in program.predicates.calls().iter_enumerated() {
        let later =
            |position: PositionId| program.call_below(position).is_some_and(|before: CallId| before >= id);
        if call.args.iter().filter_map(Arg::taken).any(later) {
            return Err(in_tables(format!("constraint call {} takes the result of a later one", id.raw())));
        }
    }
    let is_op = |&position: &PositionId| positions.kind(position) == Kind::Op;
    let root = program.registers.first().is_some_and(|&position| positions[position] == Position::Root);
    if !root || !program.registers.iter().all(is_op) {
        return Err(in_tables("an operation register is for no operation".into()));
    }
    let names = program.op_names.len();
    if let Some((name, _)) = program.entries.iter().find(|entry| entry.0 as usize >= names) {
        return Err(in_tables(format!("root name {name} of {names}")));
    }
    Ok(())
}
