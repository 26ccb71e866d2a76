//! Code as text: one instruction per line, with the rules whose nodes the instruction tests.

use std::fmt::Write;

use crate::id::Id;
use crate::intern::StrId;
use crate::matcher_tree::ConstantId;
use crate::pdl::{Constant, Origin, PatternId};
use crate::plural::count;
use crate::source::{SourceMap, Span};

use super::debug::Decision;
use super::ids::{Address, OpNumber, SourceRef, SourceWord};
use super::instruction::{Decoded, Instruction, OperandKind, Tail, decode};
use super::program::Program;

/// Returns the code of a program as text. The program was compiled from `sources`, or loaded with them.
///
/// ```
/// use drrvm::{RuleSet, SourceMap, compile, disassemble};
/// let mut rules = RuleSet::default();
/// let mut rule = rules.pattern("erase_nop", 1);
/// let root = rule.op("t.nop").matched();
/// rule.erase(root);
/// rule.finish()?;
/// let program = compile::program(&rules)?;
/// let text = disassemble(&program, &SourceMap::default());
/// assert!(text.contains("t.nop"));
/// # Ok::<(), drrvm::source::Diagnostics>(())
/// ```
pub fn disassemble(program: &Program, sources: &SourceMap) -> String {
    Listing { program, sources, out: String::new() }.run().expect("writing to a string does not fail")
}

/// Returns one instruction as text, with the rules whose nodes it tests; `None` if no instruction is at the address.
#[cfg(feature = "report")]
pub(crate) fn disassemble_one(program: &Program, sources: &SourceMap, at: Address) -> Option<String> {
    let instruction = decode(program.code(), at)?;
    let mut listing = Listing { program, sources, out: String::new() };
    listing.instruction(&instruction).expect("writing to a string does not fail");
    let decisions = program.decisions();
    let first = decisions.partition_point(|decision| decision.at < at);
    let here = decisions[first..].iter().take_while(|decision| decision.at == at);
    listing.decisions(here).expect("writing to a string does not fail");
    Some(listing.out)
}

/// The largest number of rules that are printed for an instruction.
const MAX_RULES: usize = 8;

struct Listing<'a> {
    program: &'a Program,
    sources: &'a SourceMap,
    out: String,
}

impl Listing<'_> {
    fn run(mut self) -> Result<String, std::fmt::Error> {
        let program = self.program;
        let mut decisions = program.decisions().iter().peekable();
        let mut rewrites: Vec<(Address, PatternId)> =
            program.patterns.iter_enumerated().map(|(id, p)| (p.rewrite, id)).collect();
        rewrites.sort_unstable();
        let mut rewrites = rewrites.into_iter().peekable();
        let (words, rules) = (count(program.code.len(), "word"), count(program.patterns.len(), "rule"));
        writeln!(self.out, "// {words}, {rules}")?;
        for &(name, at) in &program.entries {
            self.out.push_str("root ");
            self.operand(OperandKind::OpName, name.raw())?;
            writeln!(self.out, " -> {at}")?;
        }
        writeln!(self.out, "root * -> {}", program.any)?;
        let mut at = Address::FAIL;
        while at.index() < program.code.len() {
            while let Some((_, pattern)) = rewrites.next_if(|r| r.0 == at) {
                write!(self.out, "rewrite @{}:", program.pattern_name(pattern))?;
                match program.pattern_debug(pattern).origin {
                    Origin::Span(span) => self.place("    // ", span)?,
                    Origin::Rust(at) => write!(self.out, "    // {}:{}", at.file(), at.line())?,
                }
                self.out.push('\n');
            }
            let Some(instruction) = decode(&program.code, at) else {
                writeln!(self.out, "{at:6}  ?")?;
                break;
            };
            write!(self.out, "{at:6}  ")?;
            self.instruction(&instruction)?;
            self.decisions(std::iter::from_fn(|| decisions.next_if(|d| d.at <= at)))?;
            self.out.push('\n');
            at = instruction.end;
        }
        Ok(self.out)
    }

    fn instruction(&mut self, instruction: &Decoded<'_>) -> std::fmt::Result {
        self.out.push_str(instruction.layout.mnemonic);
        self.operands(instruction)
    }

    /// Prints the rules whose nodes an instruction tests, each once.
    fn decisions<'d>(&mut self, decisions: impl Iterator<Item = &'d Decision>) -> std::fmt::Result {
        let mut rules: Vec<&Decision> = Vec::new();
        for decision in decisions {
            if rules.len() < MAX_RULES && rules.iter().all(|d| d.pattern != decision.pattern) {
                rules.push(decision);
            }
        }
        for (i, decision) in rules.into_iter().enumerate() {
            self.out.push_str(if i == 0 { "    // " } else { ", " });
            self.out.push_str(self.program.pattern_name(decision.pattern));
            self.place(" ", decision.span)?;
        }
        Ok(())
    }

    fn place(&mut self, before: &str, span: Span) -> std::fmt::Result {
        match self.sources.locate(span) {
            Some(at) => write!(self.out, "{before}{}:{}", at.file.name(), at.line),
            None => Ok(()),
        }
    }

    fn operands(&mut self, instruction: &Decoded<'_>) -> std::fmt::Result {
        // The names of segment sizes are unused if the sizes are not written.
        let is_written = |name: &str| match (instruction.instruction(), name) {
            (Instruction::Create(create), "operand_segments") => create.segments & 1 != 0,
            (Instruction::Create(create), "result_segments") => create.segments & 2 != 0,
            _ => true,
        };
        let operands = instruction.operands().filter(|((name, _), _)| is_written(name));
        for (i, ((_, kind), value)) in operands.enumerate() {
            self.out.push_str(if i == 0 { " " } else { ", " });
            self.operand(kind, value)?;
        }
        for &length in instruction.lengths {
            write!(self.out, ", {length}")?;
        }
        let tail = match (instruction.layout.tail, instruction.instruction()) {
            (Tail::None, _) => return Ok(()),
            (_, Instruction::Create(create)) => {
                self.attributes(create.tail.attributes.of(self.program.code()))?;
                &instruction.tail[3 * create.tail.attributes.length as usize..]
            }
            _ => instruction.tail,
        };
        let kinds = instruction.layout.tail.entries();
        self.out.push_str(" [");
        for (i, &value) in tail.iter().enumerate() {
            self.out.push_str(match i % kinds.len() {
                _ if i == 0 => "",
                0 => ", ",
                _ => " ",
            });
            self.operand(kinds[i % kinds.len()], value)?;
        }
        self.out.push(']');
        Ok(())
    }

    /// Prints the attributes of a created operation.
    fn attributes(&mut self, attributes: &[[u32; 3]]) -> std::fmt::Result {
        self.out.push_str(" {");
        for (i, &[name, value, _]) in attributes.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.operand(OperandKind::AttrName, name)?;
            self.out.push_str(" = ");
            self.operand(OperandKind::Source, value)?;
        }
        self.out.push('}');
        Ok(())
    }

    fn operand(&mut self, kind: OperandKind, value: u32) -> std::fmt::Result {
        let program = self.program;
        match kind {
            OperandKind::Op | OperandKind::NewOp => write!(self.out, "op{value}"),
            OperandKind::Number | OperandKind::Operand | OperandKind::Answer | OperandKind::Flag => {
                write!(self.out, "{value}")
            }
            OperandKind::Target => write!(self.out, "->{value}"),
            OperandKind::OpName => match program.op_names.get(OpNumber::from_raw(value)) {
                Some(&name) => write!(self.out, "\"{}\"", &program.strings[name]),
                None => write!(self.out, "op_name{value}"),
            },
            OperandKind::AttrName if (value as usize) < program.strings.len() => {
                write!(self.out, "\"{}\"", &program.strings[StrId::from_raw(value)])
            }
            OperandKind::AttrName => write!(self.out, "attr_name{value}"),
            OperandKind::Constant => match program.positions.constants().get(ConstantId::from_raw(value)) {
                Some((_, Constant::Text(text))) => write!(self.out, "{}", &program.strings[*text]),
                Some((_, Constant::Snippet(snippet))) => write!(self.out, "snippet{}", snippet.raw()),
                None => write!(self.out, "constant{value}"),
            },
            OperandKind::Question => write!(self.out, "question{value}"),
            OperandKind::Position => write!(self.out, "position{value}"),
            OperandKind::Snippet => write!(self.out, "snippet{value}"),
            OperandKind::Call => write!(self.out, "call{value}"),
            OperandKind::Pattern if (value as usize) < program.patterns.len() => {
                write!(self.out, "@{}", program.pattern_name(PatternId::from_raw(value)))
            }
            OperandKind::Pattern => write!(self.out, "@{value}"),
            OperandKind::Choice => write!(self.out, "choice{value}"),
            OperandKind::Source => match SourceWord::from_raw(value).get() {
                SourceRef::Matched(position) => write!(self.out, "position{}", position.raw()),
                SourceRef::Local(local) => write!(self.out, "local{}", local.raw()),
            },
            OperandKind::Local => write!(self.out, "local{value}"),
            OperandKind::RewriteCall => write!(self.out, "rewrite_call{value}"),
            OperandKind::Location => write!(self.out, "location{value}"),
        }
    }
}
