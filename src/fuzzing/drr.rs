//! A generator of rule files from a grammar. Most rules are correct, and some contain a mistake.
//!
//! Rules that load must be well-formed. If they compile and link, the program is written and read back, and all engines
//! must find the same matches and make the same rewrites on IR that is generated for the rules.

use std::fmt::Write;
use std::sync::Arc;

use super::{drive, read};
use crate::equivalence::{Mode, agree_on};
use crate::frontend::{drr, ods, prelude, tablegen};
use crate::natives;
use crate::pdl::random::Tape;
use crate::pdl::{self, RuleSet};

/// Interprets bytes as decisions of a generator of `.td` files with operations and rules.
pub fn drr(bytes: &[u8]) {
    let rules = load(bytes);
    let natives = natives::all();
    let seed = bytes.iter().fold(0, |sum: u64, &byte| sum.wrapping_mul(31).wrapping_add(byte.into()));
    agree_on(&rules, &natives, Mode::Match, seed, 3);
    agree_on(&rules, &natives, Mode::Rewrite, seed, 3);
    drive::drive_all(&rules, &natives, bytes);
}

/// Returns the generated rules that have no errors.
fn load(bytes: &[u8]) -> RuleSet {
    let text = write(bytes);
    let mut rules = RuleSet::default();
    read("fuzz.td", text.as_bytes(), |sources, main| {
        let config = tablegen::Config { embedded: prelude::FILES, ..tablegen::Config::default() };
        let parsed = tablegen::parse(sources, main, &config)?;
        let loaded = drr::load(&ods::read(&parsed.records), sources, &mut rules, &Arc::default());
        let diagnostics = loaded.with_errors_of_rules().diagnostics;
        if diagnostics.has_errors() { Err(diagnostics) } else { Ok(()) }
    });
    if let Err(errors) = rules.verify() {
        panic!("loaded rules are malformed\n{text}\n{errors:?}");
    }
    assert!(rules.patterns.is_empty() || !pdl::print(&rules).is_empty());
    rules
}

const HEADER: &str = r#"include "mlir/IR/PatternBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
def T : Dialect { let name = "t"; let cppNamespace = "::t"; }
def Same : Constraint<CPred<"$0 == $1">>;
def SameType : Constraint<CPred<"$0.getType() == $1.getType()">>;
def OneUse : Constraint<CPred<"$0.hasOneUse()">>;
def TypeOf : NativeCodeCall<"$0.getType()">;
def Zero : NativeCodeCall<"$_builder.getI32IntegerAttr(0)">;
def Twice : NativeCodeCall<"$_builder.getI32IntegerAttr($0.getInt() + $0.getInt())">;
def First : NativeCodeCall<"$0">;
def Leaf : Op<T, "leaf", [Pure]> { let results = (outs AnyType:$r); }
"#;

/// The constraints of operands and results.
const TYPES: &[&str] =
    &["AnyType", "I32", "AnyInteger", "AnyTensor", "F32", "Index", "AnyTypeOf<[I32, I64]>"];
/// The constraints of attributes.
const ATTRS: &[&str] = &[
    "I32Attr",
    "I64Attr",
    "StrAttr",
    "AnyAttr",
    "UnitAttr",
    "BoolAttr",
    "OptionalAttr<I32Attr>",
    "DefaultValuedAttr<I32Attr, \"5\">",
    "ArrayAttr",
    "TypeAttr",
    "DenseI64ArrayAttr",
];
const ATTR_VALUES: &[&str] = &[
    "ConstantAttr<I32Attr, \"3\">",
    "ConstantAttr<I32Attr, \"0\">",
    "ConstantAttr<I64Attr, \"-1\">",
    "ConstantStrAttr<StrAttr, \"s\">",
    "ConstBoolAttrTrue",
    "ConstUnitAttr",
];
const TRAITS: &[&str] =
    &["Pure", "Commutative", "SameOperandsAndResultType", "ConstantLike", "SameTypeOperands", "Idempotent"];
const WRONG: &[&str] = &["$nowhere", "?", "(Nothing $x)", "42", "\"text\"", "$v0:$v1", "(either $v0)", "[]"];

/// A generated operation definition.
#[derive(Default)]
struct Op {
    operands: Vec<Group>,
    attrs: Vec<usize>,
    results: usize,
}

/// The number of values that a declared operand stands for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    One,
    Optional,
    Variadic,
}

/// The role of a new operation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OpRole {
    /// The operation replaces the root, which has this number of results.
    Root(usize),
    /// Another operation uses the operation, or the operation is a supplemental pattern, which nothing uses.
    Argument,
    /// The operation has a symbol and no users.
    Named,
}

struct Writer<'a> {
    tape: Tape<'a>,
    text: String,
    ops: Vec<Op>,
    /// The number of values that the current rule has bound.
    values: usize,
    /// The number of ranges that the current rule has bound.
    ranges: usize,
    /// The attributes that the current rule has bound, as indices into [`ATTRS`].
    attrs: Vec<usize>,
    /// The operations that the current rule matches, in the order of their symbols.
    bound: Vec<usize>,
}

/// Generates the file.
fn write(bytes: &[u8]) -> String {
    let tape = Tape::new(bytes);
    let text = HEADER.to_owned();
    let mut writer = Writer { tape, text, ops: vec![], values: 0, ranges: 0, attrs: vec![], bound: vec![] };
    for number in 0..2 + writer.tape.draw(4) {
        writer.op(number);
    }
    for number in 0..8 {
        if writer.tape.is_empty() {
            break;
        }
        writer.rule(number);
    }
    writer.text
}

impl Writer<'_> {
    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn pick(&mut self, from: &'static [&'static str]) -> &'static str {
        from[self.tape.draw(from.len())]
    }

    /// Generates the separator before an element of a list, unless it is the first element.
    fn comma(&mut self, first: &mut bool) {
        if !std::mem::take(first) {
            self.push(", ");
        }
    }

    /// Rarely inserts a token that does not belong here. Returns true if it does so.
    fn wrong(&mut self) -> bool {
        if !self.tape.chance(60) {
            return false;
        }
        let wrong = self.pick(WRONG);
        self.push(wrong);
        true
    }

    fn op(&mut self, number: usize) {
        let mut op = Op::default();
        let mut open = 0;
        let mut arguments = Vec::new();
        for i in 0..self.tape.draw(4) {
            let (group, wrapped) = match self.tape.draw(6) {
                0 => (Group::Optional, "Optional"),
                1 => (Group::Variadic, "Variadic"),
                _ => (Group::One, ""),
            };
            let ty = self.pick(TYPES);
            open += usize::from(group != Group::One);
            arguments.push(match group {
                Group::One => format!("{ty}:$o{i}"),
                _ => format!("{wrapped}<{ty}>:$o{i}"),
            });
            op.operands.push(group);
        }
        for i in 0..self.tape.draw(3) {
            let attr = self.tape.draw(ATTRS.len());
            arguments.push(format!("{}:$a{i}", ATTRS[attr]));
            op.attrs.push(attr);
        }
        op.results = [1, 1, 1, 0, 2][self.tape.draw(5)];
        let results: Vec<String> = (0..op.results).map(|i| format!("{}:$r{i}", self.pick(TYPES))).collect();
        let mut traits: Vec<&str> = Vec::new();
        if open > 1 {
            traits.push(if self.tape.chance(2) {
                "SameVariadicOperandSize"
            } else {
                "AttrSizedOperandSegments"
            });
        }
        if self.tape.chance(2) {
            traits.push(self.pick(TRAITS));
        }
        let _ = writeln!(
            self.text,
            "def O{number} : Op<T, \"o{number}\", [{}]> {{ let arguments = (ins {}); let results = (outs {}); }}",
            traits.join(", "),
            arguments.join(", "),
            results.join(", "),
        );
        self.ops.push(op);
    }

    fn rule(&mut self, number: usize) {
        (self.values, self.ranges) = (0, 0);
        self.attrs.clear();
        self.bound.clear();
        let _ = write!(self.text, "def R{number} : Pattern<");
        self.source(2);
        let root = self.bound.last().copied().unwrap_or(0);
        self.push(",\n  [");
        let mut first = true;
        if self.tape.chance(6) {
            // An auxiliary result pattern, whose symbol is not used.
            self.comma(&mut first);
            self.result(1, OpRole::Named);
        }
        match self.ops[root].results {
            1 if self.tape.chance(3) && self.values > 0 => {
                self.comma(&mut first);
                self.push("(replaceWithValue ");
                self.old_value();
                self.push(")");
            }
            2 if self.tape.chance(2) => {
                for _ in 0..2 {
                    self.comma(&mut first);
                    self.push("(replaceWithValue ");
                    self.old_value();
                    self.push(")");
                }
            }
            0 if self.tape.chance(2) => {}
            results => {
                self.comma(&mut first);
                self.result(2, OpRole::Root(results));
            }
        }
        self.push("],\n  [");
        let mut first = true;
        let constraints = if self.values > 0 { self.tape.draw(3) } else { 0 };
        for _ in 0..constraints {
            self.comma(&mut first);
            self.constraint();
        }
        self.push("], [");
        if self.tape.chance(8) {
            self.result(1, OpRole::Argument);
        }
        let benefit = self.tape.draw(4);
        let _ = writeln!(self.text, "], (addBenefit {benefit})>;");
    }

    /// Generates an operation to match.
    fn source(&mut self, depth: usize) {
        let number = if depth == 2 { self.tape.draw(self.ops.len()) } else { self.op_with(1) };
        let _ = write!(self.text, "(O{number}:$op");
        let symbol = self.text.len();
        let mut first = true;
        let groups = self.ops[number].operands.clone();
        // The symbols of nested operations get smaller numbers, so the text of nested operations is generated before
        // the number in the symbol of this operation is known.
        let mut parts = String::new();
        let before = std::mem::take(&mut self.text);
        let mut i = 0;
        while i < groups.len() {
            self.comma(&mut first);
            if groups[i] == Group::One && groups.get(i + 1) == Some(&Group::One) && self.tape.chance(6) {
                self.push("(either ");
                self.operand(depth);
                self.push(", ");
                self.operand(depth);
                self.push(")");
                i += 2;
                continue;
            }
            match groups[i] {
                Group::One => self.operand(depth),
                Group::Variadic if self.tape.chance(3) => {
                    self.push("(variadic ");
                    let mut first = true;
                    for _ in 0..1 + self.tape.draw(2) {
                        self.comma(&mut first);
                        if depth > 0 && self.tape.chance(2) {
                            self.source(depth - 1);
                        } else {
                            let _ = write!(self.text, "$v{}", self.values);
                            self.values += 1;
                        }
                    }
                    self.push(")");
                }
                _ => {
                    let _ = write!(self.text, "$w{}", self.ranges);
                    self.ranges += 1;
                }
            }
            i += 1;
        }
        for at in 0..self.ops[number].attrs.len() {
            self.comma(&mut first);
            let attr = self.ops[number].attrs[at];
            self.source_attr(attr);
        }
        parts.push_str(&self.text);
        self.text = before;
        self.text.truncate(symbol);
        let _ = write!(self.text, "{} {parts})", self.bound.len());
        self.bound.push(number);
    }

    fn operand(&mut self, depth: usize) {
        if self.wrong() {
            return;
        }
        match self.tape.draw(6) {
            0 | 1 if depth > 0 => return self.source(depth - 1),
            2 if self.values > 0 => return self.old_value(),
            3 => {
                let ty = self.pick(TYPES);
                let _ = write!(self.text, "{ty}:");
            }
            4 if self.tape.chance(4) => {
                let ty = self.pick(TYPES);
                return self.push(ty);
            }
            _ => {}
        }
        let _ = write!(self.text, "$v{}", self.values);
        self.values += 1;
    }

    fn source_attr(&mut self, attr: usize) {
        if self.wrong() {
            return;
        }
        match self.tape.draw(5) {
            0 => return self.constant_attr(attr),
            1 if !self.attrs.is_empty() && self.tape.chance(12) => {
                let known = self.tape.draw(self.attrs.len());
                let _ = write!(self.text, "$a{known}");
                return;
            }
            2 if !ATTRS[attr].contains('<') => self.push(&format!("{}:", ATTRS[attr])),
            _ => {}
        }
        let _ = write!(self.text, "$a{}", self.attrs.len());
        self.attrs.push(attr);
    }

    /// Generates a constant, which fits the attribute in many cases.
    fn constant_attr(&mut self, attr: usize) {
        let fits = match ATTRS[attr] {
            "I64Attr" => ATTR_VALUES[2],
            "StrAttr" => ATTR_VALUES[3],
            "BoolAttr" => ATTR_VALUES[4],
            "UnitAttr" => ATTR_VALUES[5],
            _ => ATTR_VALUES[0],
        };
        let value = if self.tape.chance(8) { self.pick(ATTR_VALUES) } else { fits };
        self.push(value);
    }

    fn old_value(&mut self) {
        if self.values == 0 {
            return self.push("$v0");
        }
        let at = self.tape.draw(self.values);
        let _ = write!(self.text, "$v{at}");
    }

    /// Returns an operation with this number of results, or any operation if there is none.
    fn op_with(&mut self, results: usize) -> usize {
        let start = self.tape.draw(self.ops.len());
        let mut numbers = (start..self.ops.len()).chain(0..start);
        numbers.find(|&number| self.ops[number].results == results).unwrap_or(start)
    }

    /// Generates an operation of a result pattern.
    fn result(&mut self, depth: usize, role: OpRole) {
        if self.wrong() {
            return;
        }
        let results = match role {
            OpRole::Root(results) => results,
            OpRole::Argument | OpRole::Named => 1,
        };
        let number = self.op_with(results);
        let _ = write!(self.text, "(O{number}");
        if role == OpRole::Named {
            self.push(":$new");
        }
        self.push(" ");
        let mut first = true;
        for at in 0..self.ops[number].operands.len() {
            self.comma(&mut first);
            match self.ops[number].operands[at] {
                Group::One => self.argument(depth),
                _ if self.ranges > 0 && self.tape.chance(2) => {
                    let at = self.tape.draw(self.ranges);
                    let _ = write!(self.text, "$w{at}");
                }
                Group::Variadic => {
                    self.push("(variadic");
                    let mut first = true;
                    for _ in 0..self.tape.draw(3) {
                        self.push(if std::mem::take(&mut first) { " " } else { ", " });
                        self.argument(depth);
                    }
                    self.push(")");
                }
                Group::Optional => self.argument(depth),
            }
        }
        for at in 0..self.ops[number].attrs.len() {
            self.comma(&mut first);
            let attr = self.ops[number].attrs[at];
            let same = self.attrs.iter().position(|&known| known == attr);
            match (same, self.tape.draw(4)) {
                (Some(known), 1..) => drop(write!(self.text, "$a{known}")),
                (_, 1) if ATTRS[attr] == "I32Attr" => self.push("(Zero)"),
                (Some(known), 0) if ATTRS[attr] == "I32Attr" => drop(write!(self.text, "(Twice $a{known})")),
                _ => self.constant_attr(attr),
            }
        }
        if role == OpRole::Argument && !self.tape.chance(3) && self.values > 0 {
            self.comma(&mut first);
            self.push("(returnType");
            let mut comma = true;
            for _ in 0..self.ops[number].results {
                self.push(if std::mem::take(&mut comma) { " " } else { ", " });
                if self.tape.chance(2) {
                    self.push("(TypeOf ");
                    self.old_value();
                    self.push(")");
                } else {
                    self.push("\"$_builder.getI32Type()\"");
                }
            }
            self.push(")");
        } else if self.tape.chance(10) {
            self.comma(&mut first);
            self.push("(location \"here\")");
        }
        self.push(")");
    }

    /// Generates an argument of a new operation.
    fn argument(&mut self, depth: usize) {
        if self.values == 0 {
            return self.push("(Leaf (returnType \"$_builder.getI32Type()\"))");
        }
        match self.tape.draw(6) {
            0 | 1 if depth > 0 => self.result(depth - 1, OpRole::Argument),
            2 => {
                self.push("(First ");
                self.old_value();
                self.push(")");
            }
            3 if self.bound.len() > 1 => {
                // The last operation is the root, which is about to be erased.
                let op = self.tape.draw(self.bound.len() - 1);
                let _ = write!(self.text, "$op{op}");
                let results = self.ops[self.bound[op]].results;
                if results > 1 {
                    let index = self.tape.draw(results);
                    let _ = write!(self.text, "__{index}");
                }
            }
            _ => self.old_value(),
        }
    }

    fn constraint(&mut self) {
        if self.wrong() {
            return;
        }
        match self.tape.draw(5) {
            0 => {
                self.push("(Same ");
                self.old_value();
                self.push(", ");
                self.old_value();
                self.push(")");
            }
            1 => {
                self.push("(SameType ");
                self.old_value();
                self.push(", ");
                self.old_value();
                self.push(")");
            }
            2 => {
                self.push("(OneUse ");
                self.old_value();
                self.push(")");
            }
            3 => {
                self.push("(HasNoUseOf:");
                self.old_value();
                self.push(")");
            }
            _ => {
                let ty = self.pick(TYPES);
                let _ = write!(self.text, "({ty} ");
                self.old_value();
                self.push(")");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::equivalence::Random;

    /// A generator whose rules never load would test only errors.
    #[test]
    fn most_rules_load() {
        let random = Random::new(3);
        let (mut made, mut loaded) = (0, 0);
        for case in 0..12 {
            let mut random = random.fork(case);
            let bytes: Vec<u8> = (0..120).map(|_| random.number().to_le_bytes()[0]).collect();
            made += write(&bytes).matches(": Pattern<").count();
            loaded += load(&bytes).patterns.len();
        }
        assert!(made / 2 < loaded && loaded < made, "{loaded} of {made}");
    }
}
