//! The binary encoding of those parts of rules that programs contain.

use super::match_part::{Arg, Callee, Constant, GroupSplit, NodeId};
use super::op_table::{
    Arity, AttrDef, Check, Constraint, Count, OpDef, OpTable, RegionDef, Segments, Trait, TypeRecipe,
    ValueDef,
};
use super::rewrite_part::LocalId;
use super::rule_set::{Origin, PatternId};
use crate::host::Kind;
use crate::wire::{Invalid, Reader, Wire, Writer, wire_enums, wire_ids, wire_structs};

wire_ids! {
    PatternId = patterns, "rule";
}

/// Encodes the ids of nodes and locals, which are indices of tables of one rule. Readers accept every id, because they
/// do not know the sizes of these tables. The validator checks locals, and debug data with unknown nodes is ignored.
macro_rules! wire_ids_of_rules {
    ($($name:ident)*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Writer<'_>) {
                self.raw().write(out);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
                Wire::read(from).map($name::from_raw)
            }
        }
    )*};
}

wire_ids_of_rules! { NodeId LocalId }

wire_structs! {
    OpDef {
        name, operands, operand_segments, attributes, has_properties, results, result_segments, regions, successors, traits,
        cxx_traits, checks, result_types, same_types, infers_types, span,
    }
    ValueDef { name, arity, constraint, segments }
    AttrDef { name, optional, default, storage, constraint }
    RegionDef { name, variadic, blocks, summary }
    Count { least, most }
    Constraint { holds, summary }
}

wire_enums! {
    Kind {
        0 = Op, 1 = Value, 2 = Values, 3 = Type, 4 = Types, 5 = Attr, 6 = Attrs, 7 = Int, 8 = Bool, 9 = Str,
        10 = ApInt, 11 = ApFloat, 12 = Location,
    }
    Constant { 0 = Text(text), 1 = Snippet(snippet) }
    Callee { 0 = Native(name), 1 = Snippet(snippet) }
    Arg<N> { 0 = Of(of), 1 = Each(of), 2 = Attr(value), 3 = Type(value), 4 = Int(value), 5 = Bool(value), 6 = Str(value) }
    GroupSplit { 0 = Rest, 1 = Equal, 2 = Attribute(name) }
    Arity { 0 = One, 1 = Optional, 2 = Variadic }
    Segments { 0 = Rest, 1 = Equal, 2 = Attribute(name) }
    Trait {
        0 = Pure, 1 = Commutative, 2 = ConstantLike, 3 = Terminator, 4 = IsolatedFromAbove, 5 = Idempotent,
        6 = Involution, 7 = SameOperandsAndResultType, 8 = SameTypeOperands, 9 = SymbolTable, 10 = Symbol,
        11 = SameOperandsShape, 12 = SameOperandsAndResultShape, 13 = SameOperandsElementType,
        14 = SameOperandsAndResultElementType, 15 = SameOperandsAndResultRank, 16 = ResultsAreBoolLike,
        17 = ResultsAreFloatLike, 18 = ResultsAreSignlessIntegerLike, 19 = OperandsAreFloatLike,
        20 = OperandsAreSignlessIntegerLike, 21 = ResultsBroadcastableShape, 22 = Elementwise, 23 = NoTerminator,
        24 = SingleBlock, 25 = NoRegionArguments, 26 = GraphRegion, 27 = RegionKind,
        28 = AttrSizedOperandSegments, 29 = AttrSizedResultSegments, 30 = InferredResultTypes, 31 = OptionalSymbol,
        32 = ReadsMemory, 33 = NestedEffects,
    }
    Check {
        0 = Trait(known), 1 = Parent(names), 2 = RegionTerminator(name), 3 = Constraints, 4 = Holds(condition),
        5 = Regions,
    }
    TypeRecipe {
        0 = Fixed(ty), 1 = Operand(index), 2 = AttrType(name), 3 = HeldType(name), 4 = Result(index),
        5 = Transform(snippet, of),
    }
}

impl Wire for OpTable {
    fn write(&self, out: &mut Writer<'_>) {
        out.number(self.iter().len() as u64);
        out.items(self.iter());
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let mut ops = OpTable::default();
        for _ in 0..from.count()? {
            ops.insert(OpDef::read(from)?);
        }
        Ok(ops)
    }
}

/// A place in Rust code is encoded as a place in a file.
impl Wire for Origin {
    fn write(&self, out: &mut Writer<'_>) {
        match self {
            Origin::Span(span) => span.write(out),
            Origin::Rust(at) => out.place(at.file(), at.line(), at.column()),
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        Wire::read(from).map(Origin::Span)
    }
}
