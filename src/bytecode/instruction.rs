//! The instruction set, defined once.
//!
//! Specification: decoding an encoded instruction gives the same instruction.
//!
//! An instruction is one word with the opcode and up to three small operands, then a word for each other operand. If a
//! small operand needs more than 8 bits, the *wide form* stores each small operand in a word of its own. Some
//! instructions end with a *tail*: a table or a list, which starts with its lengths. If an instruction has a target
//! `otherwise`, it continues there when its test fails, when the operation that it loads does not exist, or when no
//! case applies.
//!
//! The macro `instructions!` defines the opcodes, the layouts that generic passes use, and two structs for each
//! instruction. The interpreters and the validator read the struct in [`read`] from code. Lowering gives the struct in
//! [`emit`] to the assembler; the targets in this struct are labels.

use crate::id::Id;
use crate::intern::StrId;
use crate::matcher_tree::{Answer, CallId, ConstantId, PositionId, QuestionId};
use crate::pdl::{LocalId, PatternId};
use crate::snippet::SnippetId;

use super::ids::{Address, Label, LocationId, OpNumber, Register, RewriteCallId, SourceWord};

macro_rules! operand_kinds {
    ($($(#[$doc:meta])* $kind:ident,)*) => {
        /// The kind of an operand. It decides how the operand is checked and printed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum OperandKind { $($(#[$doc])* $kind,)* }

        impl OperandKind {
            /// All kinds, in the order of their discriminants.
            pub(super) const ALL: &'static [OperandKind] = &[$(OperandKind::$kind),*];
        }
    };
}

operand_kinds! {
    /// An operation register that is read.
    Op,
    /// An operation register that is written. At the target `otherwise`, it counts as not written.
    NewOp,
    /// The index of an operand of an operation. The preceding `Op` names the register of this operation. The validator
    /// ensures that the operation has this operand.
    Operand,
    /// A number.
    Number,
    /// The expected answer to a question.
    Answer,
    /// Zero or one.
    Flag,
    /// The address of another instruction.
    Target,
    /// An operation name, by the program's number for it.
    OpName,
    /// An attribute name.
    AttrName,
    /// A constant.
    Constant,
    /// A question.
    Question,
    /// A position.
    Position,
    /// A snippet.
    Snippet,
    /// A constraint call.
    Call,
    /// A rule.
    Pattern,
    /// A choice register.
    Choice,
    /// A position or a local.
    Source,
    /// A local of a rewrite.
    Local,
    /// A call of a native or a snippet in a rewrite.
    RewriteCall,
    /// A location.
    Location,
}

/// The Rust type of an operand of a kind; `$target` is the type of targets.
macro_rules! operand_type {
    (Op, $target:ty) => {
        Register
    };
    (NewOp, $target:ty) => {
        Register
    };
    (Operand, $target:ty) => {
        u32
    };
    (Number, $target:ty) => {
        u32
    };
    (Answer, $target:ty) => {
        Answer
    };
    (Flag, $target:ty) => {
        bool
    };
    (Target, $target:ty) => {
        $target
    };
    (OpName, $target:ty) => {
        OpNumber
    };
    (AttrName, $target:ty) => {
        StrId
    };
    (Constant, $target:ty) => {
        ConstantId
    };
    (Question, $target:ty) => {
        QuestionId
    };
    (Position, $target:ty) => {
        PositionId
    };
    (Snippet, $target:ty) => {
        SnippetId
    };
    (Call, $target:ty) => {
        CallId
    };
    (Pattern, $target:ty) => {
        PatternId
    };
    (Choice, $target:ty) => {
        u32
    };
    (Source, $target:ty) => {
        SourceWord
    };
    (Local, $target:ty) => {
        LocalId
    };
    (RewriteCall, $target:ty) => {
        RewriteCallId
    };
    (Location, $target:ty) => {
        LocationId
    };
}

/// The part of an instruction after its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tail {
    /// Nothing.
    None,
    /// Pairs of a name and a target, ascending by name.
    NameCases,
    /// Pairs of a constant and a target, ascending by constant.
    ConstantCases,
    /// Targets.
    Targets,
    /// Sources.
    Sources,
    /// The parts of a created operation: attributes (name, source, flag for inherent attributes), then the sources of
    /// operands, then the sources of result types.
    Create,
}

impl Tail {
    /// The number of words that hold the lengths of the tail.
    pub(super) const fn length_words(self) -> usize {
        match self {
            Tail::None => 0,
            Tail::NameCases | Tail::ConstantCases | Tail::Targets | Tail::Sources => 1,
            Tail::Create => 3,
        }
    }

    /// The number of words that follow the lengths; `None` if it is too large.
    pub(super) fn words(self, lengths: &[u32]) -> Option<usize> {
        match (self, lengths) {
            (Tail::NameCases | Tail::ConstantCases, &[length]) => (length as usize).checked_mul(2),
            (Tail::Targets | Tail::Sources, &[length]) => Some(length as usize),
            (Tail::Create, &[attributes, operands, results]) => {
                let attributes = (attributes as usize).checked_mul(3)?;
                attributes.checked_add(operands as usize)?.checked_add(results as usize)
            }
            _ => Some(0),
        }
    }

    /// The kinds of the words of one entry. For [`Tail::Create`], this is an entry after the attributes.
    pub(super) const fn entries(self) -> &'static [OperandKind] {
        match self {
            Tail::NameCases => &[OperandKind::OpName, OperandKind::Target],
            Tail::ConstantCases => &[OperandKind::Constant, OperandKind::Target],
            Tail::Targets => &[OperandKind::Target],
            Tail::None | Tail::Sources | Tail::Create => &[OperandKind::Source],
        }
    }
}

/// The name and the kind of an operand.
pub(crate) type Operand = (&'static str, OperandKind);

/// The layout of an instruction.
#[derive(Debug)]
pub(crate) struct Layout {
    /// The opcode.
    pub opcode: Opcode,
    /// The name in disassembly.
    pub mnemonic: &'static str,
    /// The operands in the first word.
    pub small: &'static [Operand],
    /// The operands in words of their own.
    pub words: &'static [Operand],
    /// The tail.
    pub tail: Tail,
    /// The interpreter that runs the instruction.
    pub phase: Phase,
    /// The successor.
    pub flow: Flow,
}

/// The successor of an instruction, besides its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Flow {
    /// The instruction after it.
    Next,
    /// None.
    Away,
}

/// The interpreter that runs an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Phase {
    /// The interpreter of match code.
    Match,
    /// The interpreter of rewrite code.
    Rewrite,
}

/// A type that a word of code encodes.
pub(crate) trait Word: Copy {
    fn from_word(word: u32) -> Self;
    fn to_word(self) -> u32;
}

impl Word for u32 {
    #[inline]
    fn from_word(word: u32) -> Self {
        word
    }
    fn to_word(self) -> u32 {
        self
    }
}

impl Word for bool {
    #[inline]
    fn from_word(word: u32) -> Self {
        word != 0
    }
    fn to_word(self) -> u32 {
        u32::from(self)
    }
}

impl Word for Answer {
    #[inline]
    fn from_word(word: u32) -> Self {
        Answer(word)
    }
    fn to_word(self) -> u32 {
        self.0
    }
}

/// A word that the assembler writes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AsmWord {
    Number(u32),
    /// The length of a table. A length of more than 32 bits is an error.
    Length(usize),
    Target(Label),
}

impl From<Label> for AsmWord {
    fn from(label: Label) -> Self {
        AsmWord::Target(label)
    }
}

macro_rules! words {
    ($($ty:ident)*) => {$(
        impl Word for $ty {
            #[inline]
            fn from_word(word: u32) -> Self {
                Self::from_raw(word)
            }
            fn to_word(self) -> u32 {
                self.raw()
            }
        }
    )*};
}
words! {
    Address OpNumber Register RewriteCallId LocationId SourceWord StrId CallId ConstantId PositionId QuestionId
    LocalId PatternId SnippetId
}

macro_rules! asm_words {
    ($($ty:ident)*) => {$(
        impl From<$ty> for AsmWord {
            fn from(operand: $ty) -> Self {
                AsmWord::Number(operand.to_word())
            }
        }
    )*};
}
asm_words! {
    u32 bool Answer OpNumber Register RewriteCallId LocationId SourceWord StrId CallId ConstantId PositionId QuestionId
    LocalId PatternId SnippetId
}

/// An instruction that can be read from code.
pub(crate) trait Read: Sized {
    /// The number of operands in words of their own.
    const WORDS: u32;

    /// Reads the instruction that has this head.
    ///
    /// # Panics
    /// The code is too short.
    fn read(code: &[u32], head: &Head) -> Self;

    /// The address of the word after the operands.
    #[inline(always)]
    fn end(head: &Head) -> Address {
        head.words.after(Self::WORDS)
    }
}

/// An instruction that the assembler can write.
pub(crate) trait Emit {
    const OPCODE: Opcode;
    /// Returns the small operands, then zeros.
    fn small(&self) -> [u32; 3];
    /// Appends the other operands, the lengths of the tail and the tail.
    fn words(&self, out: &mut Vec<AsmWord>);
}

/// The tail of an instruction that the assembler can write.
trait EmitTail {
    fn append(&self, out: &mut Vec<AsmWord>);
}

impl<K: Copy + Into<AsmWord>> EmitTail for Vec<(K, Label)> {
    fn append(&self, out: &mut Vec<AsmWord>) {
        out.push(AsmWord::Length(self.len()));
        out.extend(self.iter().flat_map(|&(key, to)| [key.into(), to.into()]));
    }
}

impl<T: Copy + Into<AsmWord>> EmitTail for Vec<T> {
    fn append(&self, out: &mut Vec<AsmWord>) {
        out.push(AsmWord::Length(self.len()));
        out.extend(self.iter().map(|&entry| entry.into()));
    }
}

/// The parts of a created operation.
pub(crate) struct CreateParts {
    /// Name, value, and true for an inherent attribute.
    pub(crate) attributes: Vec<(StrId, SourceWord, bool)>,
    pub(crate) operands: Vec<SourceWord>,
    pub(crate) result_types: Vec<SourceWord>,
}

impl EmitTail for CreateParts {
    fn append(&self, out: &mut Vec<AsmWord>) {
        let Self { attributes, operands, result_types } = self;
        out.extend([attributes.len(), operands.len(), result_types.len()].map(AsmWord::Length));
        out.extend(
            attributes
                .iter()
                .flat_map(|&(name, value, inherent)| [AsmWord::from(name), value.into(), inherent.into()]),
        );
        out.extend(operands.iter().chain(result_types).map(|&source| AsmWord::from(source)));
    }
}

/// A table that starts at a word of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Table<const WIDTH: usize> {
    start: usize,
    pub(crate) length: u32,
}

impl<const WIDTH: usize> Table<WIDTH> {
    #[inline]
    fn read(code: &[u32], at: usize) -> Self {
        Self { start: at + 1, length: code[at] }
    }

    /// The address of the word after the table.
    #[inline]
    pub(crate) fn end(self) -> Address {
        let end = self.start + WIDTH * self.length as usize;
        Address::try_new(end).expect("the addresses of code have 32 bits")
    }

    /// The entries.
    #[inline]
    pub(crate) fn of(self, code: &[u32]) -> &[[u32; WIDTH]] {
        code[self.start..][..WIDTH * self.length as usize].as_chunks().0
    }
}

impl Table<1> {
    /// The target at an index; `None` if the index is outside the table.
    #[inline]
    pub(crate) fn target(self, code: &[u32], index: u32) -> Option<Address> {
        (index < self.length).then(|| Address::from_raw(code[self.start + index as usize]))
    }

    /// The entries as sources.
    pub(crate) fn sources(self, code: &[u32]) -> impl ExactSizeIterator<Item = SourceWord> {
        self.of(code).iter().map(|&[source]| SourceWord::from_raw(source))
    }
}

/// The target of a key in cases that ascend by key; `None` if no case has the key.
#[inline]
pub(crate) fn find_case(cases: &[[u32; 2]], key: u32) -> Option<Address> {
    let case = if cases.len() <= 8 {
        cases.iter().find(|case| case[0] == key)
    } else {
        let i = cases.partition_point(|case| case[0] < key);
        cases.get(i).filter(|case| case[0] == key)
    };
    case.map(|case| Address::from_raw(case[1]))
}

/// The parts of a created operation, in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CreateTable {
    pub(crate) attributes: Table<3>,
    pub(crate) operands: Table<1>,
    pub(crate) result_types: Table<1>,
}

impl CreateTable {
    fn read(code: &[u32], at: usize) -> Self {
        let [attributes, operands, results] = words(code, at);
        let (start, length) = (at + 3, attributes);
        let attributes = Table { start, length };
        let start = start + 3 * length as usize;
        let operands = Table { start, length: operands };
        let start = start + operands.length as usize;
        Self { attributes, operands, result_types: Table { start, length: results } }
    }

    /// The address of the word after the table.
    #[inline]
    pub(crate) fn end(self) -> Address {
        self.result_types.end()
    }

    /// The name and the source of each attribute, and true if it is inherent.
    pub(crate) fn attributes(self, code: &[u32]) -> impl Iterator<Item = (StrId, SourceWord, bool)> {
        self.attributes.of(code).iter().map(|&[name, value, inherent]| {
            (StrId::from_raw(name), SourceWord::from_raw(value), inherent != 0)
        })
    }
}

macro_rules! tail_table {
    (NameCases) => { super::Table<2> };
    (ConstantCases) => { super::Table<2> };
    (Targets) => { super::Table<1> };
    (Sources) => { super::Table<1> };
    (Create) => { super::CreateTable };
}

macro_rules! tail_parts {
    (NameCases) => { Vec<(OpNumber, Label)> };
    (ConstantCases) => { Vec<(ConstantId, Label)> };
    (Targets) => { Vec<Label> };
    (Sources) => { Vec<SourceWord> };
    (Create) => { super::CreateParts };
}

macro_rules! tail_kind {
    () => {
        Tail::None
    };
    ($tail:ident) => {
        Tail::$tail
    };
}

/// The `N` words from an index on.
#[inline(always)]
fn words<const N: usize>(code: &[u32], at: usize) -> [u32; N] {
    *code[at..at + N].first_chunk().expect("the slice has N words")
}

/// The opcode and the small operands of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// The number of the opcode, without the bit of the wide form.
    pub(crate) opcode: u8,
    pub(crate) small: [u32; 3],
    /// The address of the word after the small operands.
    pub(crate) words: Address,
}

impl Head {
    /// The head of the instruction at an address; `None` for a wide form that is truncated or has an unknown opcode.
    ///
    /// # Panics
    /// The address is outside the code.
    #[inline(always)]
    pub(crate) fn read(code: &[u32], at: Address) -> Option<Self> {
        let [opcode, a, b, c] = code[at.index()].to_le_bytes();
        if opcode & WIDE == 0 {
            return Some(Self { opcode, small: [a, b, c].map(u32::from), words: at.after(1) });
        }
        Self::read_wide(code, at)
    }

    #[cold]
    fn read_wide(code: &[u32], at: Address) -> Option<Self> {
        let opcode = code[at.index()].to_le_bytes()[0] & !WIDE;
        let count = Opcode::from_byte(opcode)?.layout().small.len();
        let (mut small, start) = ([0; 3], at.index() + 1);
        small[..count].copy_from_slice(code.get(start..start + count)?);
        Some(Self { opcode, small, words: Address::try_new(start + count)? })
    }
}

macro_rules! instructions {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $mnemonic:literal
        ($($small:ident: $small_kind:ident),*) [$($word:ident: $word_kind:ident),*] $($tail:ident)?, $phase:ident $flow:ident;
    )*) => {
        /// The opcode of an instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub(crate) enum Opcode {
            $( $(#[doc = $doc])+ $name, )*
        }

        /// The layouts of all instructions, by opcode.
        pub(crate) const INSTRUCTIONS: &[Layout] = &[
            $( Layout {
                opcode: Opcode::$name,
                mnemonic: $mnemonic,
                small: &[$((stringify!($small), OperandKind::$small_kind)),*],
                words: &[$((stringify!($word), OperandKind::$word_kind)),*],
                tail: tail_kind!($($tail)?),
                phase: Phase::$phase,
                flow: Flow::$flow,
            }, )*
        ];

        impl Opcode {
            /// The opcode with this number.
            pub(crate) const fn from_byte(byte: u8) -> Option<Self> {
                const ALL: &[Opcode] = &[$( Opcode::$name, )*];
                if (byte as usize) < ALL.len() { Some(ALL[byte as usize]) } else { None }
            }
        }

        /// Opcodes as bytes, to match on.
        pub(crate) mod byte {
            #![allow(non_upper_case_globals, reason = "named like the instructions")]
            $( pub(crate) const $name: u8 = super::Opcode::$name as u8; )*
        }

        /// An instruction as the interpreter reads it.
        pub(crate) mod read {
            use super::*;

            $(
                $(#[doc = $doc])+
                #[derive(Clone, Copy, Debug, PartialEq, Eq)]
                pub(crate) struct $name {
                    $( pub(crate) $small: operand_type!($small_kind, Address), )*
                    $( pub(crate) $word: operand_type!($word_kind, Address), )*
                    $( pub(crate) tail: tail_table!($tail), )?
                }

                impl Read for $name {
                    const WORDS: u32 = 0 $(+ { let _ = stringify!($word); 1 })*;

                    #[inline(always)]
                    fn read(code: &[u32], head: &Head) -> Self {
                        let [$($small,)* ..] = head.small;
                        let [$($word),*] = words::<{ Self::WORDS as usize }>(code, head.words.index());
                        Self {
                            $( $small: Word::from_word($small), )*
                            $( $word: Word::from_word($word), )*
                            $( tail: <tail_table!($tail)>::read(code, head.words.index() + Self::WORDS as usize), )?
                        }
                    }
                }
            )*
        }

        /// An instruction that was read.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Instruction {
            $( $name(read::$name), )*
        }

        /// An instruction as the assembler takes it.
        pub(crate) mod emit {
            use super::*;

            $(
                $(#[doc = $doc])+
                pub(crate) struct $name {
                    $( pub(crate) $small: operand_type!($small_kind, Label), )*
                    $( pub(crate) $word: operand_type!($word_kind, Label), )*
                    $( pub(crate) tail: tail_parts!($tail), )?
                }

                impl Emit for $name {
                    const OPCODE: Opcode = Opcode::$name;

                    fn small(&self) -> [u32; 3] {
                        let mut small = [0; 3];
                        let operands: &[u32] = &[$( Word::to_word(self.$small) ),*];
                        small[..operands.len()].copy_from_slice(operands);
                        small
                    }

                    fn words(&self, out: &mut Vec<AsmWord>) {
                        let operands: &[AsmWord] = &[$( self.$word.into() ),*];
                        out.extend_from_slice(operands);
                        $( <tail_parts!($tail) as EmitTail>::append(&self.tail, out); )?
                    }
                }
            )*
        }

        impl Decoded<'_> {
            /// The instruction with its operands by name.
            pub(crate) fn instruction(&self) -> Instruction {
                match self.layout.opcode {
                    $( Opcode::$name => Instruction::$name(read::$name::read(self.code, &self.head)), )*
                }
            }
        }
    };
}

instructions! {
    /// Continues with the newest open alternative. If none is open, no further rule matches.
    Fail = "fail" () [], Match Away;
    /// Continues at the target.
    Jump = "jump" () [to: Target], Match Away;
    /// Opens an alternative, at which matching continues after a later failure.
    Try = "try" () [then: Target], Match Next;
    /// Reports a match of a rule without guards.
    Accept = "accept" () [pattern: Pattern], Match Next;
    /// Reports a match of a rule with guards. If an `either` matched in its first order, the second order is not tried.
    AcceptGuarded = "accept.guarded" () [pattern: Pattern], Match Next;

    /// Loads the operation that defines an operand, if this operation has the name.
    OperandOpIs = "operand_op.is" (from: Op, operand: Operand, to: NewOp) [name: OpName, otherwise: Target], Match Next;
    /// Loads the operation that defines an operand, and continues at the target of its name.
    OperandOpSwitch = "operand_op.switch" (from: Op, operand: Operand, to: NewOp)
        [otherwise: Target] NameCases, Match Away;
    /// Loads the operation that defines an operand, and continues at a target in the tail. The index of the target is
    /// the number of the operation's name minus `base`.
    OperandOpTable = "operand_op.table" (from: Op, operand: Operand, to: NewOp)
        [base: OpName, otherwise: Target] Targets, Match Away;
    /// Loads the operation that defines an operand, if there is one.
    OperandOp = "operand_op" (from: Op, operand: Operand, to: NewOp) [otherwise: Target], Match Next;
    /// Loads the operation at a position, if there is one.
    LoadOp = "load_op" (to: NewOp) [position: Position, otherwise: Target], Match Next;
    /// Tests the name of an operation.
    NameIs = "name.is" (op: Op) [name: OpName, otherwise: Target], Match Next;
    /// Continues at the target of an operation's name.
    NameSwitch = "name.switch" (op: Op) [otherwise: Target] NameCases, Match Away;

    /// Tests the number of operands of an operation.
    OperandCountIs = "operands.are" (op: Op, count: Number) [otherwise: Target], Match Next;
    /// Tests the number of results of an operation.
    ResultCountIs = "results.are" (op: Op, count: Number) [otherwise: Target], Match Next;
    /// Tests the numbers of operands and results of an operation.
    CountsAre = "counts.are" (op: Op, operands: Number, results: Number) [otherwise: Target], Match Next;

    /// Tests that an operation has a result with this index.
    HasResult = "result.exists" (op: Op, index: Number) [otherwise: Target], Match Next;

    /// Tests that an operation has an attribute.
    HasAttr = "attr.exists" (op: Op) [name: AttrName, otherwise: Target], Match Next;
    /// Tests that an operation has an attribute for which a snippet holds.
    AttrHolds = "attr.holds" (op: Op) [name: AttrName, snippet: Snippet, otherwise: Target], Match Next;
    /// Tests that an attribute equals a constant.
    AttrIs = "attr.is" (op: Op) [name: AttrName, value: Constant, otherwise: Target], Match Next;
    /// Continues at the target of an attribute's value.
    AttrSwitch = "attr.switch" (op: Op) [name: AttrName, otherwise: Target] ConstantCases, Match Away;
    /// Tests that the type of an operand equals a constant.
    OperandTypeIs = "operand_type.is" (op: Op, operand: Operand) [value: Constant, otherwise: Target], Match Next;
    /// Tests a snippet's answer for the type of an operand.
    OperandTypeHolds = "operand_type.holds" (op: Op, operand: Operand, answer: Answer)
        [snippet: Snippet, otherwise: Target], Match Next;
    /// Continues at the target of the attribute or type at a position.
    ConstantSwitch = "constant.switch" () [position: Position, otherwise: Target] ConstantCases, Match Away;
    /// Tests that two operands are the same value.
    SameOperands = "operands.same" (a: Op, a_operand: Operand, b: Op)
        [b_operand: Operand, otherwise: Target], Match Next;
    /// Tests the answer to a question.
    Ask = "ask" () [question: Question, answer: Answer, otherwise: Target], Match Next;

    /// Opens a choice between the users of a value, newest first. Users whose operand at `place` is another value are
    /// skipped.
    EachUser = "each_user" (choice: Choice) [value: Position, place: Position], Match Next;
    /// Opens a choice between the two orders of an `either`.
    Either = "either" (choice: Choice) [], Match Next;
    /// Tests that a constraint holds or, if `negated` is set, that it does not hold. If the test fails, runs `fail`.
    Constrain = "constrain" (negated: Flag) [call: Call], Match Next;

    /// Gets an attribute or type constant.
    MakeConstant = "make.constant" () [value: Constant, to: Local], Rewrite Next;
    /// Creates a location.
    MakeLocation = "make.location" () [location: Location, to: Local], Rewrite Next;
    /// Gets the type of a value or attribute, or the types of a range.
    TypeOf = "type_of" () [of: Source, to: Local], Rewrite Next;
    /// Gets one result of an operation.
    GetResult = "get.result" () [op: Source, index: Number, to: Local], Rewrite Next;
    /// Gets `count` results of an operation, starting with `first`.
    GetResults = "get.results" () [op: Source, first: Number, count: Number, to: Local], Rewrite Next;
    /// Gets all results of an operation.
    GetAllResults = "get.all_results" () [op: Source, to: Local], Rewrite Next;
    /// Concatenates entities and ranges into one range.
    MakeRange = "make.range" () [to: Local] Sources, Rewrite Next;
    /// Calls a native rewrite or a snippet.
    CallRewrite = "call" () [call: RewriteCall], Rewrite Next;
    /// Creates an operation with `regions` empty regions. If `inferred` is set, the result types are inferred. Bit 0 of
    /// `segments` is set if the segment sizes of the operands are written, and bit 1 if the segment sizes of the
    /// results are written.
    Create = "create" (inferred: Flag, segments: Number)
        [name: OpName, to: Local, location: Location, operand_segments: AttrName, result_segments: AttrName, regions: Number]
        Create, Rewrite Next;
    /// Replaces the results of an operation by values and ranges, and erases the operation.
    Replace = "replace" () [op: Source] Sources, Rewrite Next;
    /// Replaces the results of an operation by the results of another operation, and erases the first operation.
    ReplaceByOp = "replace.by_op" () [op: Source, by: Source], Rewrite Next;
    /// Erases an operation.
    Erase = "erase" () [op: Source], Rewrite Next;
    /// Ends a rewrite.
    Done = "done" () [], Rewrite Away;
}

/// The bit of the opcode byte that marks the wide form.
pub(crate) const WIDE: u8 = 0x80;

impl Opcode {
    /// The layout of the instruction.
    pub(crate) fn layout(self) -> &'static Layout {
        &INSTRUCTIONS[self as usize]
    }
}

/// A complete instruction in code.
#[derive(Clone, Debug)]
pub(crate) struct Decoded<'c> {
    /// The layout.
    pub layout: &'static Layout,
    code: &'c [u32],
    head: Head,
    /// The operands in words of their own.
    pub words: &'c [u32],
    /// The lengths of the tail.
    pub lengths: &'c [u32],
    /// The entries of the tail.
    pub tail: &'c [u32],
    /// The address of the next instruction.
    pub end: Address,
}

impl Decoded<'_> {
    /// The small operands.
    pub(crate) fn small(&self) -> &[u32] {
        &self.head.small[..self.layout.small.len()]
    }

    /// Each operand with its name and kind, small operands first, without the tail.
    pub(crate) fn operands(&self) -> impl Iterator<Item = (Operand, u32)> {
        let small = self.layout.small.iter().zip(self.small());
        small.chain(self.layout.words.iter().zip(self.words)).map(|(&operand, &value)| (operand, value))
    }

    /// The targets in the tail.
    pub(super) fn tail_targets(&self) -> impl Iterator<Item = Address> {
        let entries = self.layout.tail.entries();
        let targets = if entries.last() == Some(&OperandKind::Target) { self.tail } else { &[] };
        targets.iter().skip(entries.len() - 1).step_by(entries.len()).map(|&to| Address::from_raw(to))
    }
}

/// The instruction at an address; `None` if the words there are not an instruction, or the code ends too soon.
#[inline]
pub(crate) fn decode(code: &[u32], at: Address) -> Option<Decoded<'_>> {
    code.get(at.index())?;
    let head = Head::read(code, at)?;
    let layout = Opcode::from_byte(head.opcode)?.layout();
    let start = head.words.index();
    let (words, rest) = code.get(start..)?.split_at_checked(layout.words.len())?;
    let (lengths, rest) = rest.split_at_checked(layout.tail.length_words())?;
    let tail = rest.get(..layout.tail.words(lengths)?)?;
    let end = Address::try_new(start + words.len() + lengths.len() + tail.len())?;
    Some(Decoded { layout, code, head, words, lengths, tail, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opcodes_index_their_layouts() {
        for (i, layout) in INSTRUCTIONS.iter().enumerate() {
            assert_eq!(layout.opcode as usize, i);
            assert_eq!(Opcode::from_byte(layout.opcode as u8), Some(layout.opcode));
            assert!(layout.small.len() <= 3);
            assert!(i < WIDE as usize);
            let is_create = layout.opcode == Opcode::Create;
            assert_eq!(layout.tail == Tail::Create, is_create, "{}", layout.mnemonic);
            let lengths = layout.tail.length_words();
            assert_eq!(
                lengths == 1,
                !matches!(layout.tail, Tail::None | Tail::Create),
                "{}",
                layout.mnemonic
            );
        }
        assert_eq!(Opcode::from_byte(0x7f), None);
        assert!(OperandKind::ALL.iter().enumerate().all(|(i, &kind)| kind as usize == i));
    }
}
