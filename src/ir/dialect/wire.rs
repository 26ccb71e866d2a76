//! The encoding of definitions of dialects in a pack.
//!
//! Specification: definitions that are read describe the same syntax as the definitions that were written. Reading
//! checks that all indices are within their lists, so that the reader and the printer of custom forms need not check
//! them.

use super::definition::{
    AttrSyntax, AttributeDef, Dialect, DialectPart, EnumSyntax, GroupSizes, OpSyntax, PropertyDef,
    PropertyEncoding, PropertySyntax, RegionOrSuccessor, Syntax, Terminator, TypeSource, TypeSyntax,
    ValueGroup,
};
use super::format::{Anchor, DirectiveArg, Element, Group, TypeOperand};
use super::type_function::TypeFunction;
use crate::ir::traits::OpTraits;
use crate::snippet::Standalone;
use crate::wire::{Invalid, Reader, Section, Wire, Writer, wire_enums, wire_structs};

wire_structs! {
    Dialect { parts }
    ValueGroup { name, arity, segments, ty, source }
    AttributeDef { name, optional, default, has_default, syntax }
    PropertyDef { name, default, has_default, syntax, bytecode_encoding, attribute_encoding }
    RegionOrSuccessor { variadic }
    Group { present, absent, anchor }
}

wire_enums! {
    Syntax { 0 = Generic, 1 = Cxx, 2 = Declared { elements, text, inferred, prop_dict } }
    Terminator { 0 = Op(name), 1 = Class(class) }
    GroupSizes { 0 = OneVariable, 1 = Equal, 2 = Attribute }
    TypeSyntax { 0 = Full, 1 = Stripped(class) }
    TypeSource {
        0 = Written, 1 = Fixed(ty), 2 = Operand(group, function), 3 = Result(group, function),
        4 = Attribute(index, function), 5 = Cxx(what), 6 = Operands(function),
    }
    TypeFunction {
        0 = Snippet(snippet, text), 1 = ElementTypes, 2 = MaskType, 3 = FirstParameter, 4 = Wrapped(before, after),
        5 = PdlRange, 6 = PdlValue, 7 = ArmPredicate, 8 = WithClass(from, to), 9 = TritonPointee,
        10 = TritonPointer, 11 = I1, 12 = Unwrapped(before, after), 13 = PtrSum, 14 = BitVectorConcat,
    }
    AttrSyntax {
        0 = Any, 1 = TypeOmitted { ty, class }, 2 = Builtin(class), 3 = Array(element), 4 = SymbolName, 5 = Enum(cases),
        6 = Stripped(class), 7 = Unit,
    }
    PropertySyntax { 0 = Unit, 1 = Bool, 2 = Integer(ty), 3 = Str, 4 = Enum(cases), 5 = Cxx, 6 = NamedEnum(word, cases),
        7 = List(of), 8 = Optional { of, marked }, 9 = IntegerList(ty),
    }
    PropertyEncoding {
        0 = Unit, 1 = Bool, 2 = Integer { width, signed }, 3 = Str, 4 = Optional(of), 5 = List(of),
        6 = IntegerList(width), 7 = Cxx, 8 = Enum { class, cases },
    }
    Anchor { 0 = Present(index), 1 = Absent(index) }
    TypeOperand { 0 = Operand(index), 1 = Result(index), 2 = Operands, 3 = Results }
    DirectiveArg {
        0 = Operand(index), 1 = Type(of), 2 = Attribute(index), 3 = Property(index), 4 = Region(index),
        5 = Successor(index), 6 = AttrDict, 7 = PropDict, 8 = Whole, 9 = Text(text), 10 = Ref(of),
    }
    Element {
        0 = Literal(text), 1 = Space { printed }, 2 = Newline, 3 = Operand(index), 4 = Attribute { index, qualified },
        5 = Property(index), 6 = Region(index), 7 = Successor(index), 8 = Operands, 9 = Regions, 10 = Successors,
        11 = AttrDict { keyword }, 12 = PropDict, 13 = Type { of, qualified }, 14 = FunctionalType { inputs, results },
        15 = Custom { name, args }, 16 = Group(group), 17 = Oilist(clauses),
    }
}

/// The expressions come first, because the operations refer to them.
impl Wire for DialectPart {
    fn write(&self, out: &mut Writer<'_>) {
        Standalone(self.snippets.clone()).write(out);
        out.to(Section::Tables, |out| {
            self.ops.write(out);
            self.attributes.write(out);
            self.types.write(out);
            out.number(self.constraints.len() as u64);
            out.bytes(&self.constraints);
        });
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let Standalone(snippets) = Wire::read(from)?;
        from.from(Section::Tables, |from| {
            let (ops, attributes, types) = (Wire::read(from)?, Wire::read(from)?, Wire::read(from)?);
            let size = from.count()?;
            let constraints = from.bytes(size as usize)?.into();
            Ok(Self { ops, snippets, attributes, types, constraints })
        })
    }
}

impl Wire for EnumSyntax {
    fn write(&self, out: &mut Writer<'_>) {
        self.width.write(out);
        self.is_bit_set.write(out);
        self.separator.write(out);
        self.quoted.write(out);
        self.groups.write(out);
        self.cases.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            width: match u32::read(from)? {
                width @ 1..=64 => width,
                width => return Err(from.invalid(format!("an enum has {width} bits"))),
            },
            is_bit_set: Wire::read(from)?,
            separator: Wire::read(from)?,
            quoted: Wire::read(from)?,
            groups: Wire::read(from)?,
            cases: Wire::read(from)?,
        })
    }
}

impl Wire for OpTraits {
    fn write(&self, out: &mut Writer<'_>) {
        self.bits().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let bits = u16::read(from)?;
        Self::from_bits(bits).ok_or_else(|| from.invalid(format!("no set of traits has number {bits}")))
    }
}

/// Reading checks that the operation is well-formed.
impl Wire for OpSyntax {
    fn write(&self, out: &mut Writer<'_>) {
        self.name.write(out);
        self.class.write(out);
        self.traits.write(out);
        self.operands.write(out);
        self.operand_sizes.write(out);
        self.results.write(out);
        self.result_sizes.write(out);
        self.attributes.write(out);
        self.properties.write(out);
        self.regions.write(out);
        self.successors.write(out);
        self.terminator.write(out);
        for flag in [self.single_block, self.uses_properties, self.cxx_bytecode, self.names_results] {
            flag.write(out);
        }
        self.default_dialect.write(out);
        self.syntax.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let op = Self {
            name: Wire::read(from)?,
            class: Wire::read(from)?,
            traits: Wire::read(from)?,
            operands: Wire::read(from)?,
            operand_sizes: Wire::read(from)?,
            results: Wire::read(from)?,
            result_sizes: Wire::read(from)?,
            attributes: Wire::read(from)?,
            properties: Wire::read(from)?,
            regions: Wire::read(from)?,
            successors: Wire::read(from)?,
            terminator: Wire::read(from)?,
            single_block: Wire::read(from)?,
            uses_properties: Wire::read(from)?,
            cxx_bytecode: Wire::read(from)?,
            names_results: Wire::read(from)?,
            default_dialect: Wire::read(from)?,
            syntax: Wire::read(from)?,
        };
        if op.is_well_formed() {
            Ok(op)
        } else {
            Err(from.invalid(format!("the definition of '{}' is inconsistent", op.name)))
        }
    }
}

impl PropertyEncoding {
    /// True if all integers have 1 to 64 bits.
    fn is_well_formed(&self) -> bool {
        match self {
            Self::Integer { width, .. } | Self::IntegerList(width) => (1..=64).contains(width),
            Self::Optional(inner) | Self::List(inner) => inner.is_well_formed(),
            Self::Unit | Self::Bool | Self::Enum { .. } | Self::Str | Self::Cxx => true,
        }
    }
}

impl OpSyntax {
    /// True if all indices are within their lists, each optional group contains its anchor, all encodings are
    /// well-formed, and no literal is empty.
    fn is_well_formed(&self) -> bool {
        let groups = self.operands.iter().chain(&self.results);
        let sources = groups.clone().all(|group| match &group.source {
            TypeSource::Written | TypeSource::Fixed(_) | TypeSource::Cxx(_) | TypeSource::Operands(_) => true,
            TypeSource::Operand(index, _) => *index < self.operands.len(),
            TypeSource::Result(index, _) => *index < self.results.len(),
            TypeSource::Attribute(index, _) => *index < self.attributes.len(),
        });
        let mut encodings = self
            .properties
            .iter()
            .flat_map(|property| [&property.bytecode_encoding, &property.attribute_encoding]);
        let sound = sources && encodings.all(PropertyEncoding::is_well_formed);
        let Syntax::Declared { elements, .. } = &self.syntax else { return sound };
        sound && self.has_elements(elements)
    }

    fn has_elements(&self, elements: &[Element]) -> bool {
        elements.iter().all(|element| match element {
            Element::Literal(text) => !text.is_empty(),
            Element::Operand(index) => *index < self.operands.len(),
            Element::Attribute { index, .. } => *index < self.attributes.len(),
            Element::Property(index) => *index < self.properties.len(),
            Element::Region(index) => *index < self.regions.len(),
            Element::Successor(index) => *index < self.successors.len(),
            Element::Type { of, .. } => self.has_types(*of),
            Element::FunctionalType { inputs, results } => {
                self.has_types(*inputs) && self.has_types(*results)
            }
            Element::Custom { args, .. } => args.iter().all(|arg| self.has_argument(arg)),
            Element::Group(group) => {
                self.has_elements(&group.present)
                    && self.has_elements(&group.absent)
                    && group.anchor().is_some()
            }
            Element::Oilist(clauses) => {
                clauses.iter().all(|(literal, elements)| !literal.is_empty() && self.has_elements(elements))
            }
            Element::Space { .. }
            | Element::Newline
            | Element::Operands
            | Element::Regions
            | Element::Successors
            | Element::AttrDict { .. }
            | Element::PropDict => true,
        })
    }

    fn has_types(&self, of: TypeOperand) -> bool {
        match of {
            TypeOperand::Operand(index) => index < self.operands.len(),
            TypeOperand::Result(index) => index < self.results.len(),
            TypeOperand::Operands | TypeOperand::Results => true,
        }
    }

    fn has_argument(&self, arg: &DirectiveArg) -> bool {
        match arg {
            DirectiveArg::Operand(index) => *index < self.operands.len(),
            DirectiveArg::Type(of) => self.has_types(*of),
            DirectiveArg::Attribute(index) => *index < self.attributes.len(),
            DirectiveArg::Property(index) => *index < self.properties.len(),
            DirectiveArg::Region(index) => *index < self.regions.len(),
            DirectiveArg::Successor(index) => *index < self.successors.len(),
            DirectiveArg::Ref(of) => self.has_argument(of),
            DirectiveArg::AttrDict | DirectiveArg::PropDict | DirectiveArg::Whole | DirectiveArg::Text(_) => {
                true
            }
        }
    }
}
