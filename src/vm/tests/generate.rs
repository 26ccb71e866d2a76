//! Generates random IR for random rules.

pub(super) use crate::pdl::random::{rewriting_rules, rules};

use crate::host::Natives;
use crate::host::mock::{Mock, MockValue};
use crate::pdl::random::{self, ATTR_NAMES, ATTRS, NAMES, TYPES, Tape};

/// A block of random operations.
pub(super) fn ir(bytes: &[u8]) -> Mock {
    let tape = &mut Tape::new(bytes);
    let mut ir = Mock::default();
    let mut values: Vec<MockValue> = vec![ir.arg("i32"), ir.arg("i64")];
    for _ in 0..24 {
        if tape.is_empty() {
            break;
        }
        let name = NAMES[tape.draw(NAMES.len())];
        // Operands are among the five newest values, so that operations nest deeply.
        let operands: Vec<MockValue> =
            (0..tape.draw(4)).map(|_| values[values.len() - 1 - tape.draw(values.len().min(5))]).collect();
        let mut attributes = Vec::new();
        for attr in ATTR_NAMES {
            if !tape.chance(3) {
                attributes.push((attr, ATTRS[tape.draw(ATTRS.len())].to_owned()));
            }
        }
        if tape.chance(2) {
            let first = tape.draw(operands.len() + 1);
            attributes.push(("seg", format!("array<i32: {first}, {}>", operands.len() - first)));
        }
        let attributes: Vec<(&str, &str)> = attributes.iter().map(|(n, v)| (*n, v.as_str())).collect();
        let results: Vec<&str> =
            (0..[1, 1, 1, 2, 0, 3][tape.draw(6)]).map(|_| TYPES[tape.draw(TYPES.len())]).collect();
        let op = ir.op(name, &operands, &attributes, &results);
        use crate::host::Ir;
        for i in 0..ir.result_count(op) {
            values.push(ir.result(op, i));
        }
    }
    ir
}

/// The natives that the rules call.
pub(super) fn natives() -> Natives<Mock> {
    random::natives(|ir: &Mock, ty| ir.str(ty.0) == "i32")
}

/// Sets operands to random results, which may be results of later operations. Returns true if it sets any operand.
pub(super) fn turn(ir: &mut Mock, bytes: &[u8]) -> bool {
    use crate::host::Ir;
    let tape = &mut Tape::new(bytes);
    let ops = ir.block().to_vec();
    let values: Vec<MockValue> = ops
        .iter()
        .flat_map(|&op| (0..ir.result_count(op)).map(move |i| (op, i)))
        .map(|(op, i)| ir.result(op, i))
        .collect();
    let mut turned = false;
    while !tape.is_empty() && !values.is_empty() {
        let op = ops[tape.draw(ops.len())];
        let value = values[tape.draw(values.len())];
        if ir.operand_count(op) > 0 {
            let count = usize::try_from(ir.operand_count(op)).expect("small");
            let index = u32::try_from(tape.draw(count)).expect("small");
            ir.set_operand(op, index, value);
            turned = true;
        }
    }
    turned
}
