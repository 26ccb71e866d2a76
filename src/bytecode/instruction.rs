//! The instruction set, defined once.
//!
//! An instruction is one word with the opcode and up to three small operands, then words. Where a
//! small operand needs more than 8 bits, the wide form gives each small operand a word of its own.
//! A table or list, if the instruction has one, comes last; the operand before it says how long it is.
//!
//! Opcodes, encoder, decoder, disassembler, validator and the table of the documentation are made
//! from the one definition in this file.

/// What an operand is, and so how it is checked and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// An operation register that is read.
    Op,
    /// An operation register that is written, unless the instruction goes to `otherwise`.
    NewOp,
    /// The index of an operand of the operation in the register before it; there is such an operand.
    Operand,
    /// A number without further meaning.
    Number,
    /// Where to go on: an address in the code.
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
    /// Something matched or made: a position or local, and which of the two.
    Source,
    /// A local of a rewrite.
    Local,
    /// A call of a rewrite.
    RewriteCall,
    /// A location.
    Location,
    /// How many entries the table or list has.
    Length,
}

impl OperandKind {
    /// All kinds, each at its number.
    pub(super) const ALL: [OperandKind; 19] = [
        OperandKind::Op,
        OperandKind::NewOp,
        OperandKind::Operand,
        OperandKind::Number,
        OperandKind::Target,
        OperandKind::OpName,
        OperandKind::AttrName,
        OperandKind::Constant,
        OperandKind::Question,
        OperandKind::Position,
        OperandKind::Snippet,
        OperandKind::Call,
        OperandKind::Pattern,
        OperandKind::Choice,
        OperandKind::Source,
        OperandKind::Local,
        OperandKind::RewriteCall,
        OperandKind::Location,
        OperandKind::Length,
    ];
}

/// What comes last in an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tail {
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
    /// A created operation: attributes as (name, source, whether it is inherent), then sources.
    Create,
}

/// An operand's name and kind.
pub type Operand = (&'static str, OperandKind);

/// How one instruction is laid out.
#[derive(Debug)]
pub struct Layout {
    /// Its opcode.
    pub opcode: Opcode,
    /// What the disassembler calls it.
    pub mnemonic: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// Operands in the first word.
    pub small: &'static [Operand],
    /// Operands in words of their own.
    pub words: &'static [Operand],
    /// What comes last.
    pub tail: Tail,
    /// Where it may stand.
    pub part: Part,
    /// Where it goes on.
    pub flow: Flow,
}

/// Where an instruction goes on, besides its targets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flow {
    /// With the instruction after it.
    Next,
    /// Nowhere else.
    Away,
}

/// Which interpreter runs an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// That of the match part.
    Match,
    /// That of the rewrites.
    Rewrite,
}

macro_rules! instructions {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $mnemonic:literal
        ($($small:ident: $small_kind:ident),*) [$($word:ident: $word_kind:ident),*] $tail:ident, $part:ident $flow:ident;
    )*) => {
        /// Which instruction.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum Opcode {
            $( $(#[doc = $doc])+ $name, )*
        }

        /// All instructions, by opcode.
        pub const INSTRUCTIONS: &[Layout] = &[
            $( Layout {
                opcode: Opcode::$name,
                mnemonic: $mnemonic,
                doc: concat!($($doc),+),
                small: &[$((stringify!($small), OperandKind::$small_kind)),*],
                words: &[$((stringify!($word), OperandKind::$word_kind)),*],
                tail: Tail::$tail,
                part: Part::$part,
                flow: Flow::$flow,
            }, )*
        ];

        impl Opcode {
            /// The instruction of this number.
            pub const fn from_byte(byte: u8) -> Option<Self> {
                const ALL: &[Opcode] = &[$( Opcode::$name, )*];
                if (byte as usize) < ALL.len() { Some(ALL[byte as usize]) } else { None }
            }
        }

        /// Opcodes as bytes, to match on.
        pub(crate) mod byte {
            #![allow(non_upper_case_globals, reason = "named as the instructions are")]
            #![allow(dead_code, reason = "rewrites are decoded, not matched on")]
            $( pub(crate) const $name: u8 = super::Opcode::$name as u8; )*
        }
    };
}

instructions! {
    /// Goes back to the newest open alternative; without one, nothing more matches.
    Fail = "fail" () [] None, Match Away;
    /// Goes on elsewhere.
    Jump = "jump" () [to: Target] None, Match Away;
    /// Goes on, and opens an alternative.
    Try = "try" () [then: Target] None, Match Next;
    /// A rule without guards matches.
    Accept = "accept" () [pattern: Pattern] None, Match Next;
    /// A rule with guards matches: the orders of its `either`s are settled.
    AcceptGuarded = "accept.guarded" () [pattern: Pattern] None, Match Next;

    /// Loads the operation that defines an operand, if it has this name.
    OperandOpIs = "operand_op.is" (from: Op, operand: Operand, to: NewOp) [name: OpName, otherwise: Target] None, Match Next;
    /// Loads the operation that defines an operand, and goes where its name says.
    OperandOpSwitch = "operand_op.switch" (from: Op, operand: Operand, to: NewOp)
        [otherwise: Target, length: Length] NameCases, Match Away;
    /// Loads the operation that defines an operand, and goes where its name, less `base`, says.
    OperandOpTable = "operand_op.table" (from: Op, operand: Operand, to: NewOp)
        [base: OpName, otherwise: Target, length: Length] Targets, Match Away;
    /// Loads the operation that defines an operand, if one does.
    OperandOp = "operand_op" (from: Op, operand: Operand, to: NewOp) [otherwise: Target] None, Match Next;
    /// Loads the operation at a position, if there is one.
    LoadOp = "load_op" (to: NewOp) [position: Position, otherwise: Target] None, Match Next;
    /// Goes on if an operation has this name.
    NameIs = "name.is" (op: Op) [name: OpName, otherwise: Target] None, Match Next;
    /// Goes where an operation's name says.
    NameSwitch = "name.switch" (op: Op) [otherwise: Target, length: Length] NameCases, Match Away;

    /// Goes on if an operation has this many operands.
    OperandCountIs = "operands.are" (op: Op, count: Number) [otherwise: Target] None, Match Next;
    /// Goes on if an operation has this many results.
    ResultCountIs = "results.are" (op: Op, count: Number) [otherwise: Target] None, Match Next;
    /// Goes on if an operation has this many operands and results.
    CountsAre = "counts.are" (op: Op, operands: Number, results: Number) [otherwise: Target] None, Match Next;

    /// Goes on if an attribute is this constant.
    AttrIs = "attr.is" (op: Op) [name: AttrName, value: Constant, otherwise: Target] None, Match Next;
    /// Goes where an attribute's value says.
    AttrSwitch = "attr.switch" (op: Op) [name: AttrName, otherwise: Target, length: Length] ConstantCases, Match Away;
    /// Goes on if an operand's type is this constant.
    OperandTypeIs = "operand_type.is" (op: Op, operand: Operand) [value: Constant, otherwise: Target] None, Match Next;
    /// Goes on if a snippet gives this answer for an operand's type.
    OperandTypeHolds = "operand_type.holds" (op: Op, operand: Operand, answer: Number)
        [snippet: Snippet, otherwise: Target] None, Match Next;
    /// Goes where the attribute or type at a position says.
    ConstantSwitch = "constant.switch" () [position: Position, otherwise: Target, length: Length] ConstantCases, Match Away;
    /// Goes on if two operands are the same value.
    SameOperands = "operands.same" (a: Op, a_operand: Operand, b: Op)
        [b_operand: Operand, otherwise: Target] None, Match Next;
    /// Goes on if a question has this answer.
    Ask = "ask" () [question: Question, answer: Number, otherwise: Target] None, Match Next;

    /// Opens a choice: each user of a value that has it at a place, newest first.
    EachUser = "each_user" (choice: Choice) [value: Position, place: Position] None, Match Next;
    /// Opens a choice: both orders of an `either`.
    Either = "either" (choice: Choice) [] None, Match Next;
    /// Goes on if a constraint holds (`negated`: if it does not); else goes back.
    Constrain = "constrain" (negated: Number) [call: Call] None, Match Next;

    /// Makes an attribute or type constant.
    MakeConstant = "make.constant" () [value: Constant, to: Local] None, Rewrite Next;
    /// Makes a location.
    MakeLocation = "make.location" () [location: Location, to: Local] None, Rewrite Next;
    /// Takes the type of a value or the types of a range.
    TypeOf = "type_of" () [of: Source, to: Local] None, Rewrite Next;
    /// Takes one result of an operation.
    GetResult = "get.result" () [op: Source, index: Number, to: Local] None, Rewrite Next;
    /// Takes results of an operation, from `first`, `count` of them.
    GetResults = "get.results" () [op: Source, first: Number, count: Number, to: Local] None, Rewrite Next;
    /// Takes all results of an operation.
    GetAllResults = "get.all_results" () [op: Source, to: Local] None, Rewrite Next;
    /// Joins things and ranges.
    MakeRange = "make.range" () [to: Local, length: Length] Sources, Rewrite Next;
    /// Calls a native rewrite or a snippet.
    CallRewrite = "call" () [call: RewriteCall] None, Rewrite Next;
    /// Makes an operation: `segments` says which segment sizes are written, `inferred` whether its
    /// result types are. The sources are its operands, then its result types.
    Create = "create" (inferred: Number, segments: Number)
        [name: OpName, to: Local, location: Location, operand_segments: AttrName, result_segments: AttrName,
         attributes: Number, operands: Number, results: Number] Create, Rewrite Next;
    /// Replaces an operation's results by values and ranges, joined, and erases it.
    Replace = "replace" () [op: Source, length: Length] Sources, Rewrite Next;
    /// Replaces an operation's results by those of another, and erases it.
    ReplaceByOp = "replace.by_op" () [op: Source, by: Source] None, Rewrite Next;
    /// Erases an operation.
    Erase = "erase" () [op: Source] None, Rewrite Next;
    /// Ends a rewrite.
    Done = "done" () [] None, Rewrite Away;
}

/// The bit of the opcode byte that marks the wide form.
pub(crate) const WIDE: u8 = 0x80;

impl Opcode {
    /// How it is laid out.
    pub fn layout(self) -> &'static Layout {
        &INSTRUCTIONS[self as usize]
    }
}

/// One decoded instruction.
#[derive(Clone, Debug)]
pub struct Decoded<'c> {
    /// What it is.
    pub layout: &'static Layout,
    /// Its small operands.
    pub small: [u32; 3],
    /// Its words.
    pub words: &'c [u32],
    /// Its table or list.
    pub tail: &'c [u32],
    /// Where the next instruction starts.
    pub end: usize,
}

impl Decoded<'_> {
    /// Every operand with its kind, small ones first, without the tail.
    pub fn operands(&self) -> impl Iterator<Item = (Operand, u32)> {
        let small = self.layout.small.iter().copied().zip(self.small);
        small.chain(self.layout.words.iter().copied().zip(self.words.iter().copied()))
    }

    /// The attributes of a created operation: name, source, whether it is inherent.
    pub(crate) fn created_attributes(&self) -> &[[u32; 3]] {
        self.created().0
    }

    /// The operands and the result types of a created operation.
    pub(crate) fn created_sources(&self) -> [&[u32]; 2] {
        self.created().1
    }

    fn created(&self) -> (&[[u32; 3]], [&[u32]; 2]) {
        let (Tail::Create, &[.., attributes, operands, _]) = (self.layout.tail, self.words) else {
            return (&[], [&[], &[]]);
        };
        // The tail is as long as the three numbers say.
        let (attributes, sources) = self.tail.split_at(3 * attributes as usize);
        let (operands, results) = sources.split_at(operands as usize);
        (attributes.as_chunks().0, [operands, results])
    }
}

/// The instruction at an address; `None` if the words there are not one, or end too soon.
#[inline]
pub fn decode(code: &[u32], at: usize) -> Option<Decoded<'_>> {
    let first = *code.get(at)?;
    let [byte, a, b, c] = first.to_le_bytes();
    let wide = byte & WIDE != 0;
    let layout = Opcode::from_byte(byte & !WIDE)?.layout();
    let mut small = [u32::from(a), u32::from(b), u32::from(c)];
    let mut next = at + 1;
    if wide {
        for slot in &mut small[..layout.small.len()] {
            *slot = *code.get(next)?;
            next += 1;
        }
    }
    let words = code.get(next..next.checked_add(layout.words.len())?)?;
    next += layout.words.len();
    let length = tail_len(layout, words)?;
    let tail = code.get(next..next.checked_add(length)?)?;
    Some(Decoded { layout, small, words, tail, end: next + length })
}

/// How many words the tail has.
pub(super) fn tail_len(layout: &Layout, words: &[u32]) -> Option<usize> {
    let last = |back: usize| words.len().checked_sub(back).map(|i| words[i] as usize);
    match layout.tail {
        Tail::None => Some(0),
        Tail::NameCases | Tail::ConstantCases => last(1)?.checked_mul(2),
        Tail::Targets | Tail::Sources => last(1),
        Tail::Create => last(3)?.checked_mul(3)?.checked_add(last(2)?)?.checked_add(last(1)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_layouts_agree() {
        for (i, layout) in INSTRUCTIONS.iter().enumerate() {
            assert_eq!(layout.opcode as usize, i);
            assert_eq!(Opcode::from_byte(layout.opcode as u8), Some(layout.opcode));
            assert!(layout.small.len() <= 3);
            assert!(i < WIDE as usize);
            let lengths = layout.words.iter().filter(|w| w.1 == OperandKind::Length).count();
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
