//! The binary encoding of positions and questions.
//!
//! A position is read after the positions that it refers to, so a loaded table has no cycles.

use super::position::{
    CallId, ConstantId, ConstantListId, GroupSize, Position, PositionId, Positions, Side, Split, SplitId,
};
use super::predicate::{Answer, ConstraintCall, Predicates, Question, QuestionId};
use super::row::{Guard, RowStep};
use crate::host::Kind;
use crate::id::IdVec;
use crate::intern::StrId;
use crate::pdl::Constant;
use crate::snippet::SnippetId;
use crate::source::Span;
use crate::wire::{Invalid, Reader, Wire, Writer, wire_enums, wire_ids, wire_structs};

wire_ids! {
    PositionId = positions, "position";
    SplitId = splits, "division";
    ConstantId = constants, "constant";
    ConstantListId = lists, "list of constants";
    CallId = calls, "constraint call";
    QuestionId = questions, "question";
}

wire_structs! {
    Split { groups, rule, partial }
    ConstraintCall { callee, args, results, chosen }
    RowStep { step, is_guard, span }
}

wire_enums! {
    Position {
        0 = Root, 1 = User { choice }, 2 = DefiningOp(of), 3 = Operand { op, index }, 4 = Result { op, index },
        5 = Either { choice, first, second }, 6 = Slice { op, side, split, group }, 7 = Element { range, index },
        8 = Attribute { op, name, storage, default }, 9 = TypeOf(of), 10 = AttrType(of),
        11 = CallResult { call, index, kind }, 12 = Constant(value), 13 = Constants(values),
    }
    Guard {
        0 = Test { question, answer, node }, 1 = EachUser { choice, value, place }, 2 = Either { choice },
        3 = Call { call, negated },
    }
    Side { 0 = Operands, 1 = Results }
    GroupSize { 0 = Exactly(count), 1 = Optional, 2 = Any }
    Question {
        0 = Name(op), 1 = Present(at), 2 = Count { op, side }, 3 = Fits { op, side, split }, 4 = Constant(at),
        5 = Is(at, value), 6 = Are(at, values), 7 = Same(a, b), 8 = Holds(snippet, at),
    }
}

impl Wire for Answer {
    fn write(&self, out: &mut Writer<'_>) {
        self.0.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(Answer)
    }
}

/// The limits of the reader contain the sizes of the tables.
impl Wire for Positions {
    fn write(&self, out: &mut Writer<'_>) {
        out.items(self.splits());
        for (kind, constant) in self.constants().iter() {
            let (tag, number) = match *constant {
                Constant::Text(text) => {
                    out.need(text);
                    (0, text.raw())
                }
                Constant::Snippet(snippet) => (2, snippet.raw()),
            };
            out.byte(tag | u8::from(*kind == Kind::Type));
            out.step(i64::from(number));
        }
        out.items(self.lists());
        self.iter().for_each(|(_, position)| position.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let limits = from.limits.clone();
        let splits = from.items(limits.splits)?;
        let mut constants: IdVec<ConstantId, (Kind, Constant)> = IdVec::default();
        from.check_count(limits.constants)?;
        for i in 0..limits.constants {
            let tag = from.byte()?;
            let kind = if tag & 1 == 0 { Kind::Attr } else { Kind::Type };
            let number = u32::try_from(from.step()?).ok();
            let constant = match tag >> 1 {
                0 => number.filter(|&n| n < limits.strings).map(|n| Constant::Text(StrId::from_raw(n))),
                1 => {
                    number.filter(|&n| n < limits.snippets).map(|n| Constant::Snippet(SnippetId::from_raw(n)))
                }
                _ => None,
            };
            let none = || from.invalid(format!("constant {i} refers to no string or snippet"));
            constants.push((kind, constant.ok_or_else(none)?));
        }
        let lists: IdVec<ConstantListId, Vec<ConstantId>> = from.items(limits.lists)?;
        if lists.iter().flatten().any(|&c| constants[c].0 != Kind::Type) {
            return Err(from.invalid("a list of types has an attribute"));
        }
        let mut positions = Positions::with_tables(splits, constants, lists);
        for i in 0..limits.positions {
            from.limits.positions = i;
            let position = Wire::read(from)?;
            if !positions.is_well_kinded(position) {
                return Err(from.invalid(format!("position {i} refers to an entity of the wrong kind")));
            }
            if !positions.append(position) {
                let most = Positions::MAX_DEPTH;
                return Err(from.invalid(format!("position {i} is longer than {most} steps")));
            }
        }
        from.limits.positions = limits.positions;
        Ok(positions)
    }
}

/// The limits of the reader contain the sizes of the tables. The validator checks that a call takes only results of
/// earlier calls.
impl Wire for Predicates {
    fn write(&self, out: &mut Writer<'_>) {
        self.iter().for_each(|(_, question)| question.write(out));
        for id in self.calls().ids() {
            self.calls()[id].write(out);
            self.call_span(id).write(out);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let (questions, calls) = (from.items(from.limits.questions)?, from.limits.calls);
        let calls: Vec<(ConstraintCall, Span)> = from.items(calls)?;
        let (calls, spans): (Vec<_>, Vec<_>) = calls.into_iter().unzip();
        Ok(Predicates::from_tables(questions, calls.into(), spans.into()))
    }
}
