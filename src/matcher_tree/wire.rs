//! Positions and questions in the file format.
//!
//! A position is read after those that it is defined by, so what is read has no cycles.

use super::lower::{Asked, Guard};
use super::position::{
    CallId, ConstantId, ConstantListId, GroupSize, Position, PositionId, Positions, Side, Split, SplitId,
};
use super::predicate::{Answer, ConstraintCall, Predicates, Question, QuestionId};
use crate::host::Kind;
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
    Asked { step, late, span }
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

/// The sizes of the tables are in the limits.
impl Wire for Positions {
    fn write(&self, out: &mut Writer<'_>) {
        out.items(self.splits());
        out.items(self.constants().iter());
        out.items(self.lists());
        self.iter().for_each(|(_, position)| position.write(out));
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let mut positions = Positions::default();
        let twice = |from: &Reader<'_>, what: &str| from.invalid(format!("a {what} is there twice"));
        let limits = from.limits.clone();
        for i in 0..limits.splits {
            if positions.intern_split(&Wire::read(from)?).raw() != i {
                return Err(twice(from, "division"));
            }
        }
        for i in 0..limits.constants {
            let (kind, constant) = Wire::read(from)?;
            if !matches!(kind, Kind::Attr | Kind::Type) {
                return Err(from.invalid(format!("a constant is a {kind}")));
            }
            if positions.intern_constant(kind, constant).raw() != i {
                return Err(twice(from, "constant"));
            }
        }
        for i in 0..limits.lists {
            let list: Vec<ConstantId> = Wire::read(from)?;
            if list.iter().any(|&c| positions.constants()[c].0 != Kind::Type) {
                return Err(from.invalid("a list of types has an attribute"));
            }
            if positions.intern_list(list).raw() != i {
                return Err(twice(from, "list of constants"));
            }
        }
        for i in 0..limits.positions {
            from.limits.positions = i;
            let position = Wire::read(from)?;
            if !positions.is_well_kinded(position) {
                return Err(from.invalid(format!("position {i} is of something of another kind")));
            }
            match positions.intern(position) {
                Some(id) if id.raw() == i => {}
                Some(_) => return Err(twice(from, "position")),
                None => {
                    return Err(
                        from.invalid(format!("position {i} is longer than {} steps", Positions::MAX_DEPTH))
                    );
                }
            }
        }
        from.limits.positions = limits.positions;
        Ok(positions)
    }
}

/// The sizes of the tables are in the limits. A call takes results of calls before it.
impl Wire for Predicates {
    fn write(&self, out: &mut Writer<'_>) {
        self.iter().for_each(|(_, question)| question.write(out));
        for id in self.calls().ids() {
            self.calls()[id].write(out);
            self.call_span(id).write(out);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let mut predicates = Predicates::default();
        for i in 0..from.limits.questions {
            if predicates.intern(Wire::read(from)?).raw() != i {
                return Err(from.invalid(format!("question {i} is there twice")));
            }
        }
        for i in 0..from.limits.calls {
            let (call, span) = Wire::read(from)?;
            if predicates.intern_call(call, span).raw() != i {
                return Err(from.invalid(format!("constraint call {i} is there twice")));
            }
        }
        Ok(predicates)
    }
}
