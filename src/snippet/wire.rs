//! Snippets in the file format.
//!
//! Specification: snippets that are read evaluate like those that were written. Reading checks that lists and ids are
//! within the tables, except the ids of locals and of tuple types. The evaluator checks that parameters and locals
//! exist, and bounds the depth of recursion.

use std::borrow::Borrow;

use super::data::{
    AttrClass, BinaryOp, Body, BodyParam, BodyPart, Builtin, CastMode, Class, ClassId, ClassKind, Enum,
    EnumCase, EnumId, Expr, ExprId, ExprList, Form, Function, FunctionId, GroupRef, IntTy, Item, LocalId,
    Member, NativeId, NativeUse, ObjectClass, Param, ParamDefault, ParamKind, Plan, PlanArg, PlanId,
    PlanResults, Snippet, SnippetId, SnippetResult, Snippets, TextAttrClass, TruthBy, TupleId, Ty, TypeClass,
    Update,
};
use crate::intern::StrId;
use crate::number::FloatFormat;
use crate::wire::{Invalid, Limits, Reader, Section, Wire, Writer, wire_enums, wire_ids, wire_structs};

wire_ids! {
    SnippetId = snippets, "snippet";
    ExprId = exprs, "expression";
    NativeId = natives, "native";
    ClassId = classes, "class";
    EnumId = enums, "enumeration";
    PlanId = plans, "plan";
    FunctionId = functions, "function";
}

wire_structs! {
    Param { name, ty, out }
    NativeUse { name, params, results, matching, span }
    Class { cxx_name, kind }
    Enum { cxx_name, bit_separator, groups, quoted, cases }
    EnumCase { symbol, text, value }
    Plan { op, args, results, operand_segments, regions }
    Ty { item, form }
    BodyParam { name, kind, range, optional, qualified, default }
}

wire_enums! {
    SnippetResult { 0 = Predicate, 1 = Value(ty), 2 = Many(count), 3 = Nothing }
    ClassKind {
        0 = Op(name), 1 = Type(text), 2 = Attr(text), 3 = EnumAttr(text, values), 4 = IntEnumAttr(width, values),
        5 = Native(native), 6 = OneOf(kind, names), 7 = Foreign(kind, namespace),
    }
    PlanArg { 0 = ResultTypes, 1 = Operand, 2 = Attr(name), 3 = Successors }
    PlanResults { 0 = Given, 1 = OfOperand(group, count), 2 = OfAttr(name), 3 = Fixed(types) }
    ObjectClass {
        0 = Type(class), 1 = Attr(class), 2 = Op(class), 3 = AnyOp, 4 = Value, 5 = OpResult, 6 = BlockArgument,
    }
    CastMode { 0 = Must, 1 = MustIfPresent, 2 = Try, 3 = TryIfPresent }
    BinaryOp {
        0 = Add, 1 = Sub, 2 = Mul, 3 = Div, 4 = Rem, 5 = Shl, 6 = Shr, 7 = And, 8 = Or, 9 = Xor,
        10 = Eq, 11 = Ne, 12 = Lt, 13 = Le, 14 = Gt, 15 = Ge,
    }
    TruthBy { 0 = Value, 1 = Presence }
    Member {
        0 = Operands(group), 1 = Results(group), 2 = Attr(name), 3 = UnitAttr(name), 4 = Param(class, index),
    }
    ParamKind {
        0 = Int(ty), 1 = Str, 2 = Type(class), 3 = Attr(class), 4 = Enum(values), 5 = SelfType, 6 = Cxx, 7 = Bool,
        8 = TypeOf(class), 9 = AttrOf(class),
    }
    ParamDefault { 0 = Null, 1 = Int(value), 2 = Str(text), 3 = Cxx }
    BodyPart<S> {
        0 = Literal(text), 1 = Blank(text), 2 = Param(param), 3 = Params(params), 4 = Struct(params),
        5 = Group { present, absent, anchor, inverted }, 6 = Custom,
    }
    GroupRef {
        0 = One(index), 1 = FromEnd(index), 2 = Rest { before, after },
        3 = Equal { fixed_before, open_before, fixed, open }, 4 = Segment { sizes, index },
    }
    Form { 0 = One, 1 = Optional, 2 = Range, 3 = Iterator }
    Item {
        0 = Unknown, 1 = Null, 2 = Bool, 3 = Int(ty), 4 = Double, 5 = Str, 6 = ApInt, 7 = ApFloat, 8 = Logical,
        9 = Type(class), 10 = Attr(class), 11 = Value, 12 = Op(class), 13 = Use, 14 = Location, 15 = Enum(values),
        16 = Name, 17 = Builder, 18 = Context, 19 = Matcher, 20 = Lambda, 21 = AffineMap, 22 = Tuple(ty), 23 = Float,
        24 = Block, 25 = Region, 26 = FoldResult,
    }
    TypeClass {
        0 = Any, 1 = Integer, 2 = Index, 3 = Float, 4 = FloatOf(format), 5 = None, 6 = Complex, 7 = Shaped,
        8 = Vector, 9 = FixedVector, 10 = ScalableVector, 11 = Tensor, 12 = RankedTensor, 13 = UnrankedTensor,
        14 = BaseMemRef, 15 = MemRef, 16 = UnrankedMemRef, 17 = Function, 18 = Tuple, 19 = Quantized,
        20 = UniformQuantized, 21 = QuantizedPerAxis, 22 = AnyQuantized, 23 = Named(class),
    }
    TextAttrClass {
        0 = IntegerSet, 1 = DenseResource, 2 = Sparse, 3 = StridedLayout, 4 = UnknownLoc, 5 = CallSiteLoc,
        6 = FusedLoc, 7 = NameLoc, 8 = FileLoc,
    }
    AttrClass {
        0 = Any, 1 = Typed, 2 = Integer, 3 = Bool, 4 = Float, 5 = String, 6 = Array, 7 = Dictionary, 8 = Type,
        9 = SymbolRef, 10 = FlatSymbolRef, 11 = Unit, 12 = Elements, 13 = DenseElements, 14 = DenseIntElements,
        15 = DenseFloatElements, 16 = SplatElements, 17 = DenseArray, 18 = DenseIntArray(width),
        19 = DenseFloatArray(width), 20 = AffineMap, 21 = Location, 22 = Named(class),
        23 = ByText(class),
    }
    Expr {
        0 = Param(index), 1 = Local(index), 2 = Null, 3 = Bool(value), 4 = Int(value), 5 = Double(value),
        6 = Str(text), 7 = Truth(of, by), 8 = Not(of), 9 = And(a, b), 10 = Or(a, b), 11 = Select(condition, a, b),
        12 = Then(a, b), 13 = Neg(of, item), 14 = BitNot(of, item), 15 = Binary(op, item, a, b),
        16 = Convert(of, item), 17 = Deref(of), 18 = Builtin(builtin, args), 19 = Function(name, call),
        20 = Dynamic(name, args), 21 = Native(native, args, outs), 22 = IsA(of, class),
        23 = Cast(of, class, mode), 24 = List(items), 25 = Lambda { first, params, body },
        26 = Let(local, value, rest), 27 = Assign(param, value), 28 = Member(of, member), 29 = ToAttr(of, item),
        30 = Create(plan, args), 31 = Make(class, args), 32 = Call(function, args, outs), 33 = Apply(lambda, args),
        34 = Body(of), 35 = Block(statements), 36 = Return(value), 37 = Break, 38 = Continue,
        39 = Loop { condition, step, body }, 40 = ForEach(local, range, body), 41 = Switch(subject, cases),
        42 = Update(update, local, args), 43 = Fail(reason), 44 = Tuple(fields), 45 = Field(of, index),
        46 = Enum(values),
    }
    Update {
        0 = Push, 1 = Append, 2 = Pop, 3 = Clear, 4 = Resize, 5 = SetAt, 6 = Insert, 7 = Erase, 8 = Reverse,
    }
}

/// Implements [`Wire`] for a built-in or a float format, which is stored as its position in `ALL`.
macro_rules! wire_numbered {
    ($($name:ident = $what:literal;)*) => {$(
        impl Wire for $name {
            fn write(&self, out: &mut Writer<'_>) {
                let number = $name::ALL.iter().position(|one| one == self);
                out.number(number.expect("`ALL` lists every variant") as u64);
            }
            fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
                let number = from.number()?;
                let found = usize::try_from(number).ok().and_then(|n| $name::ALL.get(n)).copied();
                found.ok_or_else(|| from.invalid(format!(concat!("no ", $what, " has number {}"), number)))
            }
        }
    )*};
}
wire_numbered! {
    Builtin = "built-in";
    FloatFormat = "float format";
}

/// The id is not checked, because the table of tuple types is not stored: only the builder reads this table.
impl Wire for TupleId {
    fn write(&self, out: &mut Writer<'_>) {
        self.raw().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(Self::from_raw)
    }
}

/// The evaluator checks that the local exists.
impl Wire for LocalId {
    fn write(&self, out: &mut Writer<'_>) {
        self.raw().write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        u32::read(from).map(Self::from_raw)
    }
}

impl Wire for IntTy {
    fn write(&self, out: &mut Writer<'_>) {
        self.bits.write(out);
        self.signed.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        match (u8::read(from)?, bool::read(from)?) {
            (bits @ (8 | 16 | 32 | 64), signed) => Ok(Self::new(bits, signed)),
            (bits, _) => Err(from.invalid(format!("no integer type has {bits} bits"))),
        }
    }
}

impl Wire for ExprList {
    fn write(&self, out: &mut Writer<'_>) {
        self.start.write(out);
        self.len.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        Ok(Self { start: u32::read(from)?, len: u32::read(from)? })
    }
}

/// The text is in another section, because only messages need it.
impl Wire for Snippet {
    fn write(&self, out: &mut Writer<'_>) {
        self.params.write(out);
        self.result.write(out);
        out.to(Section::Signatures, |out| self.text.write(out));
        self.span.write(out);
        self.pure.write(out);
        self.rewrites.write(out);
        self.constraint.write(out);
        self.root.write(out);
        self.locals.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            params: Wire::read(from)?,
            result: Wire::read(from)?,
            text: from.from(Section::Signatures, Wire::read)?,
            span: Wire::read(from)?,
            pure: Wire::read(from)?,
            rewrites: Wire::read(from)?,
            constraint: Wire::read(from)?,
            root: Wire::read(from)?,
            locals: {
                let most = from.limits.exprs;
                from.below(most, "the number of locals")?
            },
        })
    }
}

/// The evaluator checks that the parameters and locals exist.
impl Wire for Function {
    fn write(&self, out: &mut Writer<'_>) {
        self.name.write(out);
        self.span.write(out);
        self.params.write(out);
        self.reference_params.write(out);
        self.locals.write(out);
        self.body.write(out);
        self.calls_native.write(out);
        self.rewrites.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        Ok(Self {
            name: Wire::read(from)?,
            span: Wire::read(from)?,
            params: Wire::read(from)?,
            reference_params: Wire::read(from)?,
            locals: {
                let most = from.limits.exprs;
                from.below(most, "the number of locals")?
            },
            body: Wire::read(from)?,
            calls_native: Wire::read(from)?,
            rewrites: Wire::read(from)?,
        })
    }
}

/// Reading checks that each parameter of the format exists.
impl Wire for Body {
    fn write(&self, out: &mut Writer<'_>) {
        self.params.write(out);
        self.format.write(out);
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let body = Self { params: Wire::read(from)?, format: Wire::read(from)? };
        if body.is_well_formed() {
            Ok(body)
        } else {
            Err(from.invalid("a format names a parameter that does not exist"))
        }
    }
}

impl Snippets {
    /// The sizes of the tables.
    pub(crate) fn limits(&self) -> Limits {
        let count = |len: usize| u32::try_from(len).expect("ids of a table are 32 bits");
        Limits {
            snippets: count(self.len()),
            snippet_strings: count(self.strings.len()),
            exprs: count(self.exprs.len()),
            natives: count(self.natives.len()),
            classes: count(self.classes.len()),
            enums: count(self.enums.len()),
            plans: count(self.plans.len()),
            functions: count(self.functions.len()),
            ..Limits::default()
        }
    }
}

/// Snippets that are not part of a program, with the sizes of their tables.
pub(crate) struct Standalone<S>(pub(crate) S);

impl<S: Borrow<Snippets> + From<Snippets>> Wire for Standalone<S> {
    fn write(&self, out: &mut Writer<'_>) {
        self.0.borrow().limits().write(out);
        out.to(Section::Snippets, |out| self.0.borrow().write(out));
    }
    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        from.limits = Limits::read(from)?;
        Ok(Self(from.from(Section::Snippets, Snippets::read)?.into()))
    }
}

/// The sizes of the tables are in [`Limits`].
impl Wire for Snippets {
    fn write(&self, out: &mut Writer<'_>) {
        let mut constant_ops: Vec<_> = self.constant_ops.iter().map(|(&op, &value)| (op, value)).collect();
        constant_ops.sort_unstable();
        let mut bodies: Vec<StrId> = self.bodies.keys().copied().collect();
        bodies.sort_unstable();
        out.with_strings(&self.strings, |out| {
            self.lists.write(out);
            out.items(self.exprs.iter());
            out.items(self.classes.iter());
            out.items(self.enums.iter());
            out.items(self.plans.iter());
            out.items(self.functions.iter());
            out.items(self.snippets.iter());
            constant_ops.write(out);
            out.number(bodies.len() as u64);
            for class in bodies {
                class.write(out);
                self.bodies[&class].write(out);
            }
            out.to(Section::Signatures, |out| out.items(self.natives.iter()));
        });
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, Invalid> {
        let outer = std::mem::replace(&mut from.limits.strings, from.limits.snippet_strings);
        let limits = from.limits.clone();
        let lists = Wire::read(from)?;
        let snippets = Self {
            exprs: from.items(limits.exprs)?,
            classes: from.items(limits.classes)?,
            enums: from.items(limits.enums)?,
            plans: from.items(limits.plans)?,
            functions: from.items(limits.functions)?,
            snippets: from.items(limits.snippets)?,
            constant_ops: Vec::<(StrId, StrId)>::read(from)?.into_iter().collect(),
            bodies: Vec::<(StrId, Body)>::read(from)?.into_iter().collect(),
            natives: from.from(Section::Signatures, |from| from.items(limits.natives))?,
            strings: from.strings(limits.snippet_strings)?,
            lists,
            ..Self::default()
        };
        from.limits.strings = outer;
        if snippets.exprs.iter().flat_map(Expr::lists).all(|list| snippets.has_list(list)) {
            Ok(snippets.with_names())
        } else {
            Err(from.invalid("a list of an expression is outside of the table of lists"))
        }
    }
}
