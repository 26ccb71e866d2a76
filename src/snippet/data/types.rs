//! The static types of the snippet language.
//!
//! A type is an item and a form: `std::optional<int64_t>` is an optional integer, `ArrayRef<Type>` is a range of types.
//! Forms do not nest: the elements of a range of ranges have the unknown type. Types, attributes, values and operations
//! may be null, as in MLIR. Null also represents the empty optional, so an optional does not hold null.

use crate::host::Kind;
use crate::id::define_ids;
use crate::number::FloatFormat;

/// The C++ names of the built-in interfaces that are classes of the snippet language. Types and attributes of dialects
/// can declare them.
pub(crate) const BUILTIN_INTERFACES: [&str; 4] = ["ShapedType", "FloatType", "ElementsAttr", "TypedAttr"];

define_ids! {
    /// A class of operations, types or attributes of a dialect, in a [`Snippets`](super::Snippets) table.
    pub struct ClassId;
    /// An enumeration of a [`Snippets`](super::Snippets) table.
    pub struct EnumId;
    /// A tuple type of a [`Snippets`](super::Snippets) table.
    pub struct TupleId;
}

/// A static type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ty {
    /// The type of a single element.
    pub item: Item,
    /// The number of elements.
    pub form: Form,
}

/// The number of elements that a type stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// One.
    One,
    /// None or one: `std::optional`, `FailureOr`.
    Optional,
    /// A sequence.
    Range,
    /// A position in a range.
    Iterator,
}

/// A C++ integer type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntTy {
    /// The width: 8, 16, 32 or 64.
    pub bits: u8,
    /// True if the type has negative values.
    pub signed: bool,
    /// The enumeration, if the type is an enumeration of a source file; `None` for an integer type. The values of an
    /// enumeration are those of its underlying type, so expressions and serialised tables do not state the enumeration.
    pub(crate) enumeration: Option<SourceEnum>,
}

/// An enumeration of the source files with helper functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct SourceEnum {
    /// The number of the enumeration.
    pub(crate) number: u16,
    /// True for `enum class`, which does not convert to integers.
    pub(crate) is_scoped: bool,
    /// True if the source files define a comparison for the enumeration.
    pub(crate) has_comparison: bool,
}

impl IntTy {
    /// `int64_t`.
    pub const I64: IntTy = IntTy::new(64, true);
    /// `int`.
    pub const I32: IntTy = IntTy::new(32, true);
    /// `int8_t` and `char`, which are different types in C++.
    pub const I8: IntTy = IntTy::new(8, true);
    /// `unsigned`.
    pub const U32: IntTy = IntTy::new(32, false);
    /// `uint64_t`.
    pub const U64: IntTy = IntTy::new(64, false);

    /// The integer type with this width and signedness.
    pub const fn new(bits: u8, signed: bool) -> IntTy {
        IntTy { bits, signed, enumeration: None }
    }

    /// The type itself, or the underlying type of an enumeration.
    #[must_use]
    pub const fn underlying(self) -> IntTy {
        IntTy { enumeration: None, ..self }
    }

    /// The type in which C++ computes with operands of these two types.
    #[must_use]
    pub fn common(self, other: IntTy) -> IntTy {
        let promote = |t: IntTy| if t.bits < 32 { IntTy::I32 } else { t.underlying() };
        let (a, b) = (promote(self), promote(other));
        match a.bits.cmp(&b.bits) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal => IntTy::new(a.bits, a.signed && b.signed),
        }
    }

    /// True if the type has all values of another type.
    pub fn contains(self, other: IntTy) -> bool {
        self.underlying() == other.underlying() || self.bits > other.bits && (self.signed || !other.signed)
    }

    /// The item of the type.
    pub const fn item(self) -> Item {
        Item::Int(self)
    }

    /// The value of this type that is congruent to `value` modulo 2^`bits`.
    pub fn wrap(self, value: i128) -> i128 {
        let modulus = 1_i128 << self.bits;
        let low = value.rem_euclid(modulus);
        if self.signed && low >= modulus / 2 { low - modulus } else { low }
    }
}

/// The type of a single element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Item {
    /// A type that is known only during evaluation, for example the type of the result of a native that states no type.
    /// The evaluator checks the value.
    Unknown,
    /// `nullptr`, `std::nullopt`, `{}`.
    Null,
    /// `bool`.
    Bool,
    /// An integer.
    Int(IntTy),
    /// `double`. Outside function bodies, a variable that is declared as `float` also has this type.
    Double,
    /// `StringRef` and `std::string`.
    Str,
    /// `APInt`.
    ApInt,
    /// `APFloat`.
    ApFloat,
    /// `LogicalResult`.
    Logical,
    /// A type of the IR.
    Type(TypeClass),
    /// An attribute.
    Attr(AttrClass),
    /// A value of the IR.
    Value,
    /// An operation, with its class if that is known.
    Op(Option<ClassId>),
    /// A use of a value.
    Use,
    /// A location.
    Location,
    /// An entry of an enumeration.
    Enum(EnumId),
    /// An operation's or attribute's name.
    Name,
    /// `$_builder`.
    Builder,
    /// `MLIRContext *`.
    Context,
    /// `AffineMap`. The evaluator represents a map by the attribute that holds it.
    AffineMap,
    /// A matcher: the result of `m_Constant`, `m_Zero` and others.
    Matcher,
    /// A lambda.
    Lambda,
    /// `std::pair`, `std::tuple`, a class of a library that has fields (`NamedAttribute`), or a class of a source file.
    Tuple(TupleId),
    /// `Block *` and `Block &`.
    Block,
    /// `Region *` and `Region &`.
    Region,
    /// `float` in function bodies, and literals such as `1.5f`. The evaluator stores the number as a double, and rounds
    /// each result to single precision.
    Float,
    /// `OpFoldResult`: a value or an attribute.
    FoldResult,
}

impl Item {
    /// The item itself, or the underlying type of an enumeration of the source files.
    pub(crate) fn underlying(self) -> Self {
        match self {
            Self::Int(int) => Self::Int(int.underlying()),
            other => other,
        }
    }

    /// True for objects that C++ programs never copy, so that a pointer or reference stands for the object itself.
    pub(crate) fn is_object(self) -> bool {
        matches!(self, Self::Op(_) | Self::Block | Self::Region | Self::Builder | Self::Context)
    }
}

macro_rules! one {
    ($($(#[$doc:meta])* $name:ident = $item:expr;)*) => {
        impl Ty {
            $($(#[$doc])* pub const $name: Ty = Ty { item: $item, form: Form::One };)*
        }
    };
}
one! {
    /// A type that is known only during evaluation.
    UNKNOWN = Item::Unknown;
    /// `nullptr`.
    NULL = Item::Null;
    /// `bool`.
    BOOL = Item::Bool;
    /// `int64_t`.
    I64 = Item::Int(IntTy::I64);
    /// `int`.
    I32 = Item::Int(IntTy::I32);
    /// `unsigned`.
    U32 = Item::Int(IntTy::U32);
    /// `uint64_t`, `size_t`.
    U64 = Item::Int(IntTy::U64);
    /// `double`.
    DOUBLE = Item::Double;
    /// `float`.
    FLOAT = Item::Float;
    /// A string.
    STR = Item::Str;
    /// `APInt`.
    AP_INT = Item::ApInt;
    /// `APFloat`.
    AP_FLOAT = Item::ApFloat;
    /// `LogicalResult`.
    LOGICAL = Item::Logical;
    /// Any type.
    TYPE = Item::Type(TypeClass::Any);
    /// Any attribute.
    ATTR = Item::Attr(AttrClass::Any);
    /// A value.
    VALUE = Item::Value;
    /// Any operation.
    OP = Item::Op(None);
    /// A location.
    LOCATION = Item::Location;
    /// `$_builder`.
    BUILDER = Item::Builder;
}

impl Ty {
    /// A single element.
    pub const fn one(item: Item) -> Ty {
        Ty { item, form: Form::One }
    }
    /// A range.
    pub const fn range(item: Item) -> Ty {
        Ty { item, form: Form::Range }
    }
    /// An optional.
    pub const fn optional(item: Item) -> Ty {
        Ty { item, form: Form::Optional }
    }
    /// A type of a class.
    #[allow(clippy::self_named_constructors, reason = "the counterpart of `attr`")]
    pub const fn ty(class: TypeClass) -> Ty {
        Ty::one(Item::Type(class))
    }
    /// An attribute of a class.
    pub const fn attr(class: AttrClass) -> Ty {
        Ty::one(Item::Attr(class))
    }

    /// True for an enumeration.
    pub(crate) fn is_enumeration(self) -> bool {
        let is_item = matches!(self.item, Item::Enum(_) | Item::Int(IntTy { enumeration: Some(_), .. }));
        self.form == Form::One && is_item
    }

    /// True for an enumeration for which the source files define a comparison.
    pub(crate) fn has_comparison(self) -> bool {
        let is_compared = |int: IntTy| int.enumeration.is_some_and(|of| of.has_comparison);
        self.form == Form::One && matches!(self.item, Item::Int(int) if is_compared(int))
    }

    /// True if the type is known only during evaluation.
    pub const fn is_unknown(self) -> bool {
        matches!(self.item, Item::Unknown)
    }

    /// The kind of the entities that represent values of this type for natives; `None` if no kind does.
    pub fn kind(self) -> Option<Kind> {
        Some(match (self.form, self.item) {
            (Form::One | Form::Optional, Item::Bool | Item::Logical) => Kind::Bool,
            (Form::One | Form::Optional, Item::Int(_) | Item::Enum(_)) => Kind::Int,
            (Form::One | Form::Optional, Item::Str | Item::Name) => Kind::Str,
            (Form::One | Form::Optional, Item::ApInt) => Kind::ApInt,
            (Form::One | Form::Optional, Item::ApFloat | Item::Double | Item::Float) => Kind::ApFloat,
            (Form::One | Form::Optional, Item::Type(_)) => Kind::Type,
            (Form::One | Form::Optional, Item::Attr(_) | Item::AffineMap) => Kind::Attr,
            (Form::One | Form::Optional, Item::Value) => Kind::Value,
            (Form::One | Form::Optional, Item::Op(_)) => Kind::Op,
            (Form::One | Form::Optional, Item::Location) => Kind::Location,
            (Form::Range, Item::Value) => Kind::Values,
            (Form::Range, Item::Type(_)) => Kind::Types,
            (Form::Range, Item::Attr(_) | Item::AffineMap) => Kind::Attrs,
            _ => return None,
        })
    }

    /// The most general static type of entities of a kind.
    pub fn of_kind(kind: Kind) -> Ty {
        match kind {
            Kind::Op => Ty::OP,
            Kind::Value => Ty::VALUE,
            Kind::Values => Ty::range(Item::Value),
            Kind::Type => Ty::TYPE,
            Kind::Types => Ty::range(Item::Type(TypeClass::Any)),
            Kind::Attr => Ty::ATTR,
            Kind::Attrs => Ty::range(Item::Attr(AttrClass::Any)),
            Kind::Int => Ty::I64,
            Kind::Bool => Ty::BOOL,
            Kind::Str => Ty::STR,
            Kind::ApInt => Ty::AP_INT,
            Kind::ApFloat => Ty::AP_FLOAT,
            Kind::Location => Ty::LOCATION,
        }
    }
}

/// A class of types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TypeClass {
    /// `Type`.
    Any,
    /// `IntegerType`.
    Integer,
    /// `IndexType`.
    Index,
    /// `FloatType`.
    Float,
    /// `Float32Type` and others.
    FloatOf(FloatFormat),
    /// `NoneType`.
    None,
    /// `ComplexType`.
    Complex,
    /// `ShapedType`.
    Shaped,
    /// `VectorType`.
    Vector,
    /// `FixedVectorType`.
    FixedVector,
    /// `ScalableVectorType`.
    ScalableVector,
    /// `TensorType`.
    Tensor,
    /// `RankedTensorType`.
    RankedTensor,
    /// `UnrankedTensorType`.
    UnrankedTensor,
    /// `BaseMemRefType`.
    BaseMemRef,
    /// `MemRefType`.
    MemRef,
    /// `UnrankedMemRefType`.
    UnrankedMemRef,
    /// `FunctionType`.
    Function,
    /// `TupleType`.
    Tuple,
    /// `quant::QuantizedType`.
    Quantized,
    /// `quant::UniformQuantizedType`.
    UniformQuantized,
    /// `quant::UniformQuantizedPerAxisType`.
    QuantizedPerAxis,
    /// `quant::AnyQuantizedType`.
    AnyQuantized,
    /// A dialect's class.
    Named(ClassId),
}

const TYPE_CLASSES: &[(&str, TypeClass)] = &[
    ("Type", TypeClass::Any),
    ("IntegerType", TypeClass::Integer),
    ("IndexType", TypeClass::Index),
    ("FloatType", TypeClass::Float),
    ("NoneType", TypeClass::None),
    ("ComplexType", TypeClass::Complex),
    ("ShapedType", TypeClass::Shaped),
    ("VectorType", TypeClass::Vector),
    ("FixedVectorType", TypeClass::FixedVector),
    ("ScalableVectorType", TypeClass::ScalableVector),
    ("TensorType", TypeClass::Tensor),
    ("RankedTensorType", TypeClass::RankedTensor),
    ("UnrankedTensorType", TypeClass::UnrankedTensor),
    ("BaseMemRefType", TypeClass::BaseMemRef),
    ("MemRefType", TypeClass::MemRef),
    ("UnrankedMemRefType", TypeClass::UnrankedMemRef),
    ("FunctionType", TypeClass::Function),
    ("TupleType", TypeClass::Tuple),
    ("quant::QuantizedType", TypeClass::Quantized),
    ("quant::UniformQuantizedType", TypeClass::UniformQuantized),
    ("quant::UniformQuantizedPerAxisType", TypeClass::QuantizedPerAxis),
    ("quant::AnyQuantizedType", TypeClass::AnyQuantized),
];

impl TypeClass {
    /// The class of this C++ name. The name has no namespaces except `quant::`.
    pub fn from_cxx(name: &str) -> Option<TypeClass> {
        if let Some(&(_, class)) = TYPE_CLASSES.iter().find(|&&(n, _)| n == name) {
            return Some(class);
        }
        let format = match name {
            "BFloat16Type" => FloatFormat::from_name("bf16"),
            "FloatTF32Type" => FloatFormat::from_name("tf32"),
            _ => {
                let suffix = name.strip_prefix("Float")?.strip_suffix("Type")?;
                FloatFormat::from_name(&format!("f{suffix}"))
            }
        };
        format.map(TypeClass::FloatOf)
    }

    /// The C++ name. It is empty for a dialect's class, whose name is in [`Snippets`](super::Snippets).
    pub fn cxx_name(self) -> String {
        if let TypeClass::FloatOf(format) = self {
            return match format.name() {
                "bf16" => "BFloat16Type".into(),
                "tf32" => "FloatTF32Type".into(),
                name => format!("Float{}Type", &name[1..]),
            };
        }
        TYPE_CLASSES.iter().find(|&&(_, c)| c == self).map_or("", |&(n, _)| n).to_owned()
    }

    /// The base class, or the interface that the class implements.
    pub fn parent(self) -> Option<TypeClass> {
        use TypeClass as C;
        Some(match self {
            C::Any => return None,
            C::FloatOf(_) => C::Float,
            C::Vector | C::Tensor | C::BaseMemRef => C::Shaped,
            C::FixedVector | C::ScalableVector => C::Vector,
            C::RankedTensor | C::UnrankedTensor => C::Tensor,
            C::MemRef | C::UnrankedMemRef => C::BaseMemRef,
            C::UniformQuantized | C::QuantizedPerAxis | C::AnyQuantized => C::Quantized,
            _ => C::Any,
        })
    }

    /// True for an interface. In C++, a conversion to an interface is a user-defined conversion, unlike a conversion to
    /// a base class.
    pub fn is_interface(self) -> bool {
        matches!(self, TypeClass::Shaped | TypeClass::Float)
    }

    /// True if `other` is the class itself or one of its ancestors.
    pub fn is_a(self, other: TypeClass) -> bool {
        std::iter::successors(Some(self), |c| c.parent()).any(|c| c == other)
    }
}

/// A class of attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AttrClass {
    /// `Attribute`.
    Any,
    /// `TypedAttr`.
    Typed,
    /// `IntegerAttr`.
    Integer,
    /// `BoolAttr`.
    Bool,
    /// `FloatAttr`.
    Float,
    /// `StringAttr`.
    String,
    /// `ArrayAttr`.
    Array,
    /// `DictionaryAttr`.
    Dictionary,
    /// `TypeAttr`.
    Type,
    /// `SymbolRefAttr`.
    SymbolRef,
    /// `FlatSymbolRefAttr`.
    FlatSymbolRef,
    /// `UnitAttr`.
    Unit,
    /// `ElementsAttr`.
    Elements,
    /// `DenseElementsAttr`.
    DenseElements,
    /// `DenseIntElementsAttr`.
    DenseIntElements,
    /// `DenseFPElementsAttr`.
    DenseFloatElements,
    /// `SplatElementsAttr`.
    SplatElements,
    /// `DenseArrayAttr`.
    DenseArray,
    /// `DenseI64ArrayAttr` and others: signless integers of this width. Width 1 is `DenseBoolArrayAttr`.
    DenseIntArray(u8),
    /// `DenseF32ArrayAttr` and others: floats of this width.
    DenseFloatArray(u8),
    /// `AffineMapAttr`.
    AffineMap,
    /// `LocationAttr`.
    Location,
    /// A dialect's class.
    Named(ClassId),
    /// A builtin class whose attributes the evaluator recognises by their text.
    ByText(TextAttrClass),
}

/// A builtin class of attributes that the evaluator recognises by their text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum TextAttrClass {
    /// `IntegerSetAttr`.
    IntegerSet,
    /// `DenseResourceElementsAttr`.
    DenseResource,
    /// `SparseElementsAttr`.
    Sparse,
    /// `StridedLayoutAttr`.
    StridedLayout,
    /// `UnknownLoc`.
    UnknownLoc,
    /// `CallSiteLoc`.
    CallSiteLoc,
    /// `FusedLoc`.
    FusedLoc,
    /// `NameLoc`.
    NameLoc,
    /// `FileLineColRange`, of which `FileLineColLoc` is a special case.
    FileLoc,
}

impl TextAttrClass {
    /// True if an attribute with this text belongs to the class.
    pub(crate) fn has(self, text: &str) -> bool {
        // `"name"` and `"name"(…)` are names, `"file":1:2` is a position.
        let is_name = || text.strip_prefix("loc(\"").is_some_and(|rest| !after_string(rest).starts_with(':'));
        match self {
            Self::IntegerSet => text.starts_with("affine_set<"),
            Self::DenseResource => text.starts_with("dense_resource<"),
            Self::Sparse => text.starts_with("sparse<"),
            Self::StridedLayout => text.starts_with("strided<"),
            Self::UnknownLoc => text == "loc(unknown)",
            Self::CallSiteLoc => text.starts_with("loc(callsite("),
            Self::FusedLoc => text.starts_with("loc(fused"),
            Self::NameLoc => is_name(),
            Self::FileLoc => text.starts_with("loc(\"") && !is_name(),
        }
    }
}

/// The text after the string literal with which `text` begins. The opening quote of the literal is not in `text`.
fn after_string(text: &str) -> &str {
    let mut escaped = false;
    let end = text.find(|c: char| {
        let ends = c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
        ends
    });
    end.map_or("", |end| &text[end + 1..])
}

const ATTR_CLASSES: &[(&str, AttrClass)] = &[
    ("Attribute", AttrClass::Any),
    ("TypedAttr", AttrClass::Typed),
    ("IntegerAttr", AttrClass::Integer),
    ("BoolAttr", AttrClass::Bool),
    ("FloatAttr", AttrClass::Float),
    ("StringAttr", AttrClass::String),
    ("ArrayAttr", AttrClass::Array),
    ("DictionaryAttr", AttrClass::Dictionary),
    ("TypeAttr", AttrClass::Type),
    ("SymbolRefAttr", AttrClass::SymbolRef),
    ("FlatSymbolRefAttr", AttrClass::FlatSymbolRef),
    ("UnitAttr", AttrClass::Unit),
    ("ElementsAttr", AttrClass::Elements),
    ("DenseElementsAttr", AttrClass::DenseElements),
    ("DenseIntOrFPElementsAttr", AttrClass::DenseElements),
    ("DenseIntElementsAttr", AttrClass::DenseIntElements),
    ("DenseFPElementsAttr", AttrClass::DenseFloatElements),
    ("SplatElementsAttr", AttrClass::SplatElements),
    ("DenseArrayAttr", AttrClass::DenseArray),
    ("DenseBoolArrayAttr", AttrClass::DenseIntArray(1)),
    ("DenseI8ArrayAttr", AttrClass::DenseIntArray(8)),
    ("DenseI16ArrayAttr", AttrClass::DenseIntArray(16)),
    ("DenseI32ArrayAttr", AttrClass::DenseIntArray(32)),
    ("DenseI64ArrayAttr", AttrClass::DenseIntArray(64)),
    ("DenseF32ArrayAttr", AttrClass::DenseFloatArray(32)),
    ("DenseF64ArrayAttr", AttrClass::DenseFloatArray(64)),
    ("AffineMapAttr", AttrClass::AffineMap),
    ("LocationAttr", AttrClass::Location),
    ("IntegerSetAttr", AttrClass::ByText(TextAttrClass::IntegerSet)),
    ("DenseResourceElementsAttr", AttrClass::ByText(TextAttrClass::DenseResource)),
    ("SparseElementsAttr", AttrClass::ByText(TextAttrClass::Sparse)),
    ("StridedLayoutAttr", AttrClass::ByText(TextAttrClass::StridedLayout)),
    ("UnknownLoc", AttrClass::ByText(TextAttrClass::UnknownLoc)),
    ("CallSiteLoc", AttrClass::ByText(TextAttrClass::CallSiteLoc)),
    ("FusedLoc", AttrClass::ByText(TextAttrClass::FusedLoc)),
    ("NameLoc", AttrClass::ByText(TextAttrClass::NameLoc)),
    ("FileLineColRange", AttrClass::ByText(TextAttrClass::FileLoc)),
];

impl AttrClass {
    /// The class of this C++ name, without namespaces.
    pub fn from_cxx(name: &str) -> Option<AttrClass> {
        ATTR_CLASSES.iter().find(|&&(n, _)| n == name).map(|&(_, class)| class)
    }

    /// The C++ name. It is empty for a dialect's class, whose name is in [`Snippets`](super::Snippets).
    pub fn cxx_name(self) -> String {
        ATTR_CLASSES.iter().find(|&&(_, c)| c == self).map_or("", |&(n, _)| n).to_owned()
    }

    /// The base class, or the interface that the class implements.
    pub fn parent(self) -> Option<AttrClass> {
        use AttrClass as C;
        Some(match self {
            C::Any => return None,
            C::Bool => C::Integer,
            C::Integer | C::Float | C::String | C::Elements => C::Typed,
            C::FlatSymbolRef => C::SymbolRef,
            C::DenseElements => C::Elements,
            C::DenseIntElements | C::DenseFloatElements | C::SplatElements => C::DenseElements,
            C::DenseIntArray(_) | C::DenseFloatArray(_) => C::DenseArray,
            C::ByText(TextAttrClass::DenseResource | TextAttrClass::Sparse) => C::Elements,
            C::ByText(
                TextAttrClass::UnknownLoc
                | TextAttrClass::CallSiteLoc
                | TextAttrClass::FusedLoc
                | TextAttrClass::NameLoc
                | TextAttrClass::FileLoc,
            ) => C::Location,
            _ => C::Any,
        })
    }

    /// True for an interface. In C++, a conversion to an interface is a user-defined conversion, unlike a conversion to
    /// a base class.
    pub fn is_interface(self) -> bool {
        matches!(self, AttrClass::Typed | AttrClass::Elements)
    }

    /// True if `other` is the class itself or one of its ancestors.
    pub fn is_a(self, other: AttrClass) -> bool {
        std::iter::successors(Some(self), |c| c.parent()).any(|c| c == other)
    }
}
