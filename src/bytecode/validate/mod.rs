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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher_tree::{self, Config};
    use crate::pdl::{PatternId, RuleSet};
    use crate::source::SourceMap;

    fn word(opcode: Opcode, small: u8) -> u32 {
        u32::from_le_bytes([opcode as u8, small, 0, 0])
    }

    /// What is said of a program of one rule whose match part is this code, which starts at 1.
    fn message(code: &[u32]) -> String {
        let mut rules = RuleSet::default();
        let mut rule = rules.pattern("rule", 1);
        let root = rule.op("t.op").matched();
        rule.erase(root);
        rule.finish().unwrap();
        let tree = matcher_tree::build(&rules, &Config::new()).unwrap();
        let mut program = crate::bytecode::compile(&rules, &tree).unwrap();
        program.code = [&[word(Opcode::Fail, 0)], code, &[word(Opcode::Done, 0)]].concat();
        program.patterns[PatternId::from_raw(0)].rewrite = u32::try_from(code.len() + 1).unwrap();
        (program.any, program.choices) = (1, 1);
        (program.entries, program.bottom_up) = (Vec::new(), Default::default());
        program.debug = Default::default();
        let sources = SourceMap::default();
        let loaded = Program::from_bytes(&program.to_bytes(&sources), &mut SourceMap::default());
        loaded.map_or_else(|error| error.to_string(), |_| "it is good".to_owned())
    }

    #[test]
    fn limits_are_said() {
        let of = |opcode: Opcode, times: usize| {
            let mut code =
                [word(opcode, 0), 0, 0][..if opcode == Opcode::Either { 1 } else { 3 }].repeat(times);
            code.push(word(Opcode::Fail, 0));
            message(&code)
        };
        assert_eq!(of(Opcode::Either, 27), "it is good");
        let expected = "it is invalid: in section 'code', matching may take more than 268435456 instructions";
        assert_eq!(of(Opcode::Either, 28), expected);
        assert_eq!(of(Opcode::EachUser, 65_536), "it is good");
        let expected = "it is invalid: in section 'code', matching may open more than 65536 alternatives";
        assert_eq!(of(Opcode::EachUser, 65_537), expected);
    }

    #[test]
    fn what_is_not_known_on_all_paths_is_not_taken() {
        let fail = word(Opcode::Fail, 0);
        let count = |register: u8| [u32::from_le_bytes([Opcode::OperandCountIs as u8, register, 1, 0]), 0];
        assert_eq!(message(&[&count(0)[..], &[fail]].concat()), "it is good");
        let unloaded = message(&[&count(1)[..], &[fail]].concat());
        assert!(unloaded.contains("Op 1 of 1 in the instruction at 1"), "{unloaded}");
        // Same operands: one path has asked how many there are, the other has not.
        let same = [u32::from_le_bytes([Opcode::SameOperands as u8, 0, 0, 0]), 0, 0];
        assert_eq!(message(&[&count(0)[..], &same, &[fail]].concat()), "it is good");
        let after_try = [&[word(Opcode::Try, 0), 5], &count(0)[..], &same, &[fail]].concat();
        let expected =
            "it is invalid: in section 'code', 'operands.same' at 5 takes operand 0, which may not be there";
        assert_eq!(message(&after_try), expected);
        assert_eq!(
            message(&[word(Opcode::Try, 0), 1, fail]),
            "it is good",
            "back to itself is written as the end"
        );
        assert!(message(&[word(Opcode::Jump, 0), 9]).contains("there is no instruction at 9"));
        assert!(message(&[word(Opcode::Done, 0)]).contains("is no instruction of the match part"));
        assert!(message(&count(0)).contains("'done' at 3 is no instruction of the match part"));
    }
}
