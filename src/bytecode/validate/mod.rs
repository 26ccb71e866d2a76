//! Validates programs, so that interpreters can rely on them.
//!
//! Specification: on any IR, an interpreter that runs a valid program never reads past a table, never reads an
//! operation that is not loaded or an operand that may not exist, only jumps to instructions, and terminates.
//!
//! Reading has already checked most references to tables. The validator checks the other references to tables, all
//! references to code, and the properties of code. Match code jumps only forward or to the first instruction, `fail`,
//! so one pass in order of addresses computes the facts that hold on all paths to each instruction: the loaded
//! operation registers, and the minimum number of operands of each operation. A backward pass checks that matching at
//! one operation runs a limited number of instructions and opens a limited number of alternatives. Rewrites have no
//! jumps, and each local has one kind. The time is linear in the size of the program.

mod facts;
mod invalid;
mod items;
mod matching;
mod rewriting;
#[cfg(test)]
mod tests;

use super::compact::Addresses;
use super::ids::Register;
use super::instruction::Opcode;
use super::program::Program;
use crate::host::Kind;
use crate::id::Id;
use crate::matcher_tree::{CallId, Position, PositionId};
use crate::pdl::Arg;
use crate::wire::{Invalid, Section};
use invalid::{Valid, in_code, in_tables};
use items::items_fit;
use matching::MatchCode;
use rewriting::rules;

/// Validates a program whose instructions start at `starts`.
pub(super) fn validate(program: &Program, starts: &Addresses) -> Valid {
    tables(program)?;
    if !items_fit(&program.items, program) {
        return Err(Invalid::new(Section::Items, "a subpattern or a rule is inconsistent"));
    }
    // Scratch memory has a slot for each choice. Each choice has a separate instruction, so there are at most as many
    // choices as words of code.
    if program.choices as usize > program.code.len() {
        let (choices, words) = (program.choices, program.code.len());
        let what = format!("there are {choices} choices, but {words} words of code");
        return Err(Invalid::new(Section::Head, what));
    }
    if program.code.first() != Some(&u32::from(Opcode::Fail as u8)) {
        return Err(in_code("the code does not start with the instruction 'fail'".into()));
    }
    MatchCode::new(program, starts).run()?;
    rules(program, starts)
}

/// Checks the choices, calls, registers and root names in the tables.
fn tables(program: &Program) -> Valid {
    let positions = &program.positions;
    for (id, position) in positions.iter() {
        if let Position::User { choice } | Position::Either { choice, .. } = *position
            && choice >= program.choices
        {
            return Err(in_tables(format!(
                "position {} belongs to choice {choice}, but the number of choices is {}",
                id.raw(),
                program.choices
            )));
        }
        if let Position::CallResult { call, index, kind } = *position
            && program.predicates.calls()[call].results.get(index as usize) != Some(&kind)
        {
            return Err(in_tables(format!("position {} is not a result of its call", id.raw())));
        }
    }
    for (id, call) in program.predicates.calls().iter_enumerated() {
        let later =
            |position: PositionId| program.starting_call(position).is_some_and(|before: CallId| before >= id);
        if call.args.iter().filter_map(Arg::taken).any(later) {
            return Err(in_tables(format!(
                "constraint call {} takes the result of this call or of a later call",
                id.raw()
            )));
        }
    }
    let is_op = |&position: &PositionId| positions.kind(position) == Kind::Op;
    let root =
        program.registers.get(Register::ROOT).is_some_and(|&position| positions[position] == Position::Root);
    if !root {
        return Err(in_tables("register 0 does not hold the root".into()));
    }
    if !program.registers.iter().all(is_op) {
        return Err(in_tables("an operation register does not hold an operation".into()));
    }
    let names = program.op_names.len();
    if let Some((name, _)) = program.entries.iter().find(|entry| entry.0.index() >= names) {
        return Err(in_tables(format!(
            "root name {} is out of range: it must be less than {names}",
            name.raw()
        )));
    }
    Ok(())
}
