//! Code as text: an instruction a line, with the rules it decides on beside it.

use std::fmt::Write;

use crate::intern::StrId;
use crate::matcher_tree::ConstantId;
use crate::pdl::{Constant, Origin, PatternId};
use crate::source::{SourceMap, Span};

use super::instruction::{Decoded, OperandKind, Tail, decode};
use super::program::{Decision, Program, SourceRef, SourceWord};

/// The whole code of a program as text; `sources` are those it was compiled from or loaded with.
pub fn disassemble(program: &Program, sources: &SourceMap) -> String {
    Listing { program, sources, out: String::new() }.run().expect("writing to a string does not fail")
}

/// One instruction of a program as text, with the rules it decides on; `None`: there is none at the address.
#[cfg(feature = "cli")]
pub(crate) fn disassemble_one(program: &Program, sources: &SourceMap, at: u32) -> Option<String> {
    let instruction = decode(program.code(), at as usize)?;
    let mut listing = Listing { program, sources, out: String::new() };
    listing.instruction(&instruction).expect("writing to a string does not fail");
    let decisions = program.decisions();
    let first = decisions.partition_point(|decision| decision.at < at);
    let here = decisions[first..].iter().take_while(|decision| decision.at == at);
    listing.decided(here).expect("writing to a string does not fail");
    Some(listing.out)
}

/// How many of the rules that an instruction decides on are named.
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
        let mut rewrites: Vec<(u32, PatternId)> =
            program.patterns.iter_enumerated().map(|(id, p)| (p.rewrite, id)).collect();
        rewrites.sort_unstable();
        let mut rewrites = rewrites.into_iter().peekable();
        writeln!(self.out, "// {} words, {} rules", program.code.len(), program.patterns.len())?;
        for &(name, at) in &program.entries {
            self.out.push_str("root ");
            self.operand(OperandKind::OpName, name)?;
            writeln!(self.out, " -> {at}")?;
        }
        writeln!(self.out, "root * -> {}", program.any)?;
        let mut at = 0;
        while at < program.code.len() {
            while let Some((_, pattern)) = rewrites.next_if(|r| r.0 as usize == at) {
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
            self.decided(std::iter::from_fn(|| decisions.next_if(|d| d.at as usize <= at)))?;
            self.out.push('\n');
            at = instruction.end;
        }
        Ok(self.out)
    }

    fn instruction(&mut self, instruction: &Decoded<'_>) -> std::fmt::Result {
        self.out.push_str(instruction.layout.mnemonic);
        self.operands(instruction)
    }

    /// The rules that an instruction decides on, each once.
    fn decided<'d>(&mut self, decisions: impl Iterator<Item = &'d Decision>) -> std::fmt::Result {
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
        // No name stands for segments that a created operation does not write.
        let segments = if instruction.layout.tail == Tail::Create { instruction.small[1] } else { u32::MAX };
        let is_written = |name: &str| match name {
            "operand_segments" => segments & 1 != 0,
            "result_segments" => segments & 2 != 0,
            _ => true,
        };
        let operands = instruction.operands().filter(|((name, _), _)| is_written(name));
        for (i, ((_, kind), value)) in operands.enumerate() {
            self.out.push_str(if i == 0 { " " } else { ", " });
            self.operand(kind, value)?;
        }
        let (kinds, each): (&[OperandKind], usize) = match instruction.layout.tail {
            Tail::None => return Ok(()),
            Tail::NameCases => (&[OperandKind::OpName, OperandKind::Target], 2),
            Tail::ConstantCases => (&[OperandKind::Constant, OperandKind::Target], 2),
            Tail::Targets => (&[OperandKind::Target], 1),
            Tail::Sources => (&[OperandKind::Source], 1),
            Tail::Create => return self.create(instruction),
        };
        self.out.push_str(" [");
        for (i, &value) in instruction.tail.iter().enumerate() {
            self.out.push_str(match i % each {
                _ if i == 0 => "",
                0 => ", ",
                _ => " ",
            });
            self.operand(kinds[i % each], value)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn create(&mut self, instruction: &Decoded<'_>) -> std::fmt::Result {
        let attributes = instruction.words.get(5).map_or(0, |&n| n as usize * 3);
        let (attributes, sources) = instruction.tail.split_at(attributes.min(instruction.tail.len()));
        self.out.push_str(" {");
        for (i, attribute) in attributes.chunks_exact(3).enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.operand(OperandKind::AttrName, attribute[0])?;
            self.out.push_str(" = ");
            self.operand(OperandKind::Source, attribute[1])?;
        }
        self.out.push_str("} [");
        for (i, &source) in sources.iter().enumerate() {
            self.out.push_str(if i == 0 { "" } else { ", " });
            self.operand(OperandKind::Source, source)?;
        }
        self.out.push(']');
        Ok(())
    }

    fn operand(&mut self, kind: OperandKind, value: u32) -> std::fmt::Result {
        let program = self.program;
        match kind {
            OperandKind::Op | OperandKind::NewOp => write!(self.out, "op{value}"),
            OperandKind::Number | OperandKind::Operand | OperandKind::Length => write!(self.out, "{value}"),
            OperandKind::Target => write!(self.out, "->{value}"),
            OperandKind::OpName => match program.op_names.get(value as usize) {
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
            OperandKind::Source => match SourceWord(value).get() {
                SourceRef::Matched(position) => write!(self.out, "position{}", position.raw()),
                SourceRef::Local(local) => write!(self.out, "local{}", local.raw()),
            },
            OperandKind::Local => write!(self.out, "local{value}"),
            OperandKind::RewriteCall => write!(self.out, "rewrite_call{value}"),
            OperandKind::Location => write!(self.out, "location{value}"),
        }
    }
}
