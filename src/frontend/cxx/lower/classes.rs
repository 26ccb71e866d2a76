//! The types and classes that C++ names denote, and the tests and casts of classes.

use super::state::{Lower, Lowered, Template, is_number};
use crate::frontend::cxx::ast::{NodeId, Passing, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::function::{Held, is_map, is_set};
use crate::frontend::cxx::resolve::Named;
use crate::host::Kind;
use crate::snippet::{
    AttrClass, BinaryOp, CastMode, Class, ClassId, ClassKind, Form, IntTy, Item, ObjectClass, Ty, TypeClass,
    Typed,
};

/// The meaning of a class name.
pub(super) enum Meaning {
    Object(ObjectClass),
    Enum(crate::snippet::EnumId),
    Scalar(Ty),
}

impl Lower<'_, '_> {
    pub(super) fn class(&mut self, path: &str) -> Option<Meaning> {
        if let Some(Template::Class(class)) = self.templates.get(path) {
            let path = class.path.clone();
            let outer = std::mem::take(&mut self.templates);
            let meaning = self.class(&path);
            self.templates = outer;
            return meaning;
        }
        if let Some(Template::Ty(ty)) = self.templates.get(path) {
            return Some(match ty.item {
                _ if ty.form != Form::One => return None,
                Item::Type(class) => Meaning::Object(ObjectClass::Type(class)),
                Item::Attr(class) => Meaning::Object(ObjectClass::Attr(class)),
                Item::Op(Some(class)) => Meaning::Object(ObjectClass::Op(class)),
                Item::Op(None) => Meaning::Object(ObjectClass::AnyOp),
                Item::Value => Meaning::Object(ObjectClass::Value),
                Item::Enum(id) => Meaning::Enum(id),
                _ => Meaning::Scalar(*ty),
            });
        }
        // Rules for quantised models use these types with and without their namespace.
        let quantized = path.ends_with("QuantizedType") || path.ends_with("QuantizedPerAxisType");
        let type_path =
            if quantized && !path.contains("::") { format!("quant::{path}") } else { path.to_owned() };
        if let Some(class) = TypeClass::from_cxx(&type_path) {
            return Some(Meaning::Object(ObjectClass::Type(class)));
        }
        if let Some(class) = AttrClass::from_cxx(path) {
            return Some(Meaning::Object(ObjectClass::Attr(class)));
        }
        let scalar = match path {
            "Operation" => return Some(Meaning::Object(ObjectClass::AnyOp)),
            "Value" | "TypedValue" => return Some(Meaning::Object(ObjectClass::Value)),
            "OpResult" => return Some(Meaning::Object(ObjectClass::OpResult)),
            "BlockArgument" => return Some(Meaning::Object(ObjectClass::BlockArgument)),
            "bool" => Ty::BOOL,
            "float" if self.in_function => Ty::FLOAT,
            "float" | "double" => Ty::DOUBLE,
            "StringLiteral" => Ty::STR,
            // A dialect is represented by the name of an operation.
            "Dialect" | "OperationName" if self.in_function => Ty::one(Item::Name),
            "nullptr_t" if self.in_function => Ty::NULL,
            "IntegerType::SignednessSemantics" if self.in_function => Ty::U32,
            "APFloat::opStatus"
            | "APFloat::cmpResult"
            | "APFloat::fltCategory"
            | "APFloat::roundingMode"
            | "RoundingMode"
            | "APInt::Rounding"
                if self.in_function =>
            {
                Ty::I32
            }
            "fltSemantics" if self.in_function => Ty::ty(TypeClass::Float),
            "APInt" => Ty::AP_INT,
            "APSInt" => self.b.signed_number_ty(),
            "APFloat" => Ty::AP_FLOAT,
            "StringRef" | "string" | "SmallString" | "Twine" | "string_view" => Ty::STR,
            "Location" => Ty::LOCATION,
            "AffineMap" => Ty::one(Item::AffineMap),
            "OpOperand" => Ty::one(Item::Use),
            "LogicalResult" => Ty::LOGICAL,
            _ => match int_type(path) {
                Some(int) => Ty::one(Item::Int(int)),
                None => {
                    return Some(match self.request.resolver.name(self.b.snippets(), path)? {
                        Named::Enum(id) => Meaning::Enum(id),
                        Named::Class(id) => Meaning::Object(object_class(id, self.b.snippets().class(id))?),
                    });
                }
            },
        };
        Some(Meaning::Scalar(scalar))
    }

    /// The static type of a C++ type name; `None` if it is unknown.
    pub(in crate::frontend::cxx) fn static_type(&mut self, name: &TypeName) -> Option<Ty> {
        match self.templates.get(&name.path).cloned() {
            Some(Template::Ty(ty)) => return Some(ty),
            Some(Template::Class(class)) => {
                // The name was written at the call, where the template parameters are not in scope.
                let outer = std::mem::take(&mut self.templates);
                let ty = self.static_type(&class);
                self.templates = outer;
                return ty;
            }
            _ => {}
        }
        if name.path == "char" && name.passing == Passing::Pointer {
            return Some(Ty::STR);
        }
        let form = match name.path.as_str() {
            "ArrayRef" | "SmallVector" | "SmallVectorImpl" | "vector" | "MutableArrayRef"
            | "iterator_range" | "initializer_list" | "array" => Form::Range,
            "StringSet" if self.in_function => return Some(Ty::range(Item::Str)),
            // A set is a range without repetitions. `function/order.rs` rejects code that depends on an order that C++
            // does not state for the class.
            path if self.in_function && is_set(path) => Form::Range,
            "BitVector" | "SmallBitVector" if self.in_function => return Some(Ty::range(Item::Bool)),
            "RankedTensorType::Builder" if self.in_function => return Some(Ty::ty(TypeClass::RankedTensor)),
            "NamedAttrList" if self.in_function => {
                return Some(Ty::range(self.b.snippets().named_attribute().item));
            }
            "NamedAttribute" => return Some(self.b.snippets().named_attribute()),
            "ValueShapeRange" => return Some(Ty::range(Item::Value)),
            "OpFoldResult" if self.in_function => return Some(Ty::one(Item::FoldResult)),
            "ShapeAdaptor" => return Some(Ty::ty(TypeClass::Shaped)),
            "ShapedTypeComponents" if self.in_function => return Some(self.shaped_components()),
            path if self.in_function
                && let Some(ty) = self.generated_class(path) =>
            {
                return Some(ty);
            }
            "pair" | "tuple" if self.in_function => {
                let is_reference =
                    |arg: &TypeName| matches!(arg.passing, Passing::Reference | Passing::ConstReference);
                if name.args.iter().any(is_reference) {
                    return None;
                }
                let types: Option<Vec<Ty>> = name.args.iter().map(|arg| self.part_type(arg)).collect();
                return self.tuple_type(&types?);
            }
            "StringMap" if self.in_function => {
                let value = name.args.first().and_then(|arg| self.part_type(arg))?;
                return self.tuple_type(&[Ty::STR, value]).map(|pair| Ty::range(pair.item));
            }
            path if self.in_function && is_map(path) => {
                let [key, value, ..] = &name.args[..] else { return None };
                let (key, value) = (self.part_type(key)?, self.part_type(value)?);
                return self.tuple_type(&[key, value]).map(|pair| Ty::range(pair.item));
            }
            "optional" | "FailureOr" => Form::Optional,
            "PatternRewriter" | "RewriterBase" | "OpBuilder" | "Builder" | "ConversionPatternRewriter"
                if self.in_function =>
            {
                return Some(Ty::BUILDER);
            }
            "ImplicitLocOpBuilder" if self.in_function => return Some(self.located_builder()),
            "OperationState" if self.in_function => return Some(self.operation_state()?.ty),
            "Block" | "Region::iterator"
                if self.in_function && self.source_class("Block", name.lo).is_none() =>
            {
                return Some(Ty::one(Item::Block));
            }
            "Region" if self.in_function && self.source_class("Region", name.lo).is_none() => {
                return Some(Ty::one(Item::Region));
            }
            "Block::iterator" if self.in_function => return Some(Ty::OP),
            "BlockRange" | "SuccessorRange" if self.in_function => return Some(Ty::range(Item::Block)),
            "OpBuilder::InsertPoint" if self.in_function => return Some(Ty::OP),
            "underlying_type_t" | "underlying_type::type" if self.in_function => {
                let of = self.static_type(name.args.first()?)?;
                return Some(Ty { item: of.item.underlying(), ..of });
            }
            "make_signed_t" | "make_unsigned_t" if self.in_function => {
                let Item::Int(of) = self.static_type(name.args.first()?)?.item else { return None };
                return Some(Ty::one(Item::Int(IntTy {
                    signed: name.path == "make_signed_t",
                    ..of.underlying()
                })));
            }
            "MLIRContext" => return Some(Ty::one(Item::Context)),
            "function_ref" | "function" => return Some(Ty::one(Item::Lambda)),
            "ValueRange" | "OperandRange" | "ResultRange" => return Some(Ty::range(Item::Value)),
            "TypeRange" => return Some(Ty::range(Item::Type(TypeClass::Any))),
            path => {
                if let Some(ty) = self.nearest_type(path, name.lo) {
                    return Some(ty);
                }
                let Some(meaning) = self.class(path) else {
                    let class =
                        self.source_class(path, name.lo).filter(|_| self.in_function).map(|class| class.ty);
                    return class.or_else(|| self.source_enum(path, name.lo));
                };
                return Some(match meaning {
                    Meaning::Object(class) => Ty::one(class.item()),
                    Meaning::Enum(id) => Ty::one(Item::Enum(id)),
                    Meaning::Scalar(ty) => ty,
                });
            }
        };
        if name.args.first().is_some_and(|arg| self.container_class(arg).is_special()) {
            return None;
        }
        // The static type of a range of ranges leaves its item unknown; evaluation finds the types.
        let element = name.args.first().map(|arg| self.static_type(arg));
        let may_be_unknown = |arg: &TypeName| {
            let is_opaque = is_iterator(arg) || arg.path == "complex";
            is_opaque || !self.in_function && (arg.path == "auto" || names_object(arg))
        };
        if element == Some(None) && !name.args.first().is_some_and(may_be_unknown) {
            return None;
        }
        let element = element.flatten();
        // Null stands for an empty optional, so an optional cannot hold another optional.
        if form == Form::Optional && element.is_some_and(|element| element.form == Form::Optional) {
            return None;
        }
        let item = element.filter(|ty| ty.form == Form::One).map_or(Item::Unknown, |ty| ty.item);
        Some(Ty { item, form })
    }

    /// The type to which C++ converts a value of the type `from`; `None` if the type has no name (`auto`), or if it is
    /// not known and `from` is not the type of a number.
    pub(in crate::frontend::cxx) fn type_of_conversion(
        &mut self,
        name: &TypeName,
        from: Ty,
    ) -> Result<Option<Ty>, Fault> {
        // C++ converts no numbers to iterators. A complex number can only become an element of an attribute, and the
        // evaluation then fails, because attributes of complex numbers are not built.
        if matches!(name.path.as_str(), "auto" | "void" | "complex") || is_iterator(name) {
            return Ok(self.static_type(name));
        }
        let to = self.static_type(name);
        let may_convert =
            matches!(from.item, Item::Int(_) | Item::Bool | Item::Float | Item::Double | Item::Enum(_));
        match to {
            None if may_convert => Err(self.unknown_type(name)),
            _ => Ok(to),
        }
    }

    /// The type to which C++ converts a value that may be a number.
    pub(in crate::frontend::cxx) fn type_of_number(&mut self, name: &TypeName) -> Result<Option<Ty>, Fault> {
        self.type_of_conversion(name, Ty::one(Item::Int(IntTy::I64)))
    }

    /// The type in the first of these template arguments; `None` if there is none, or if it is not a type.
    pub(in crate::frontend::cxx) fn template_type(&mut self, args: &[TypeName]) -> Result<Option<Ty>, Fault> {
        let Some(name) = args.first() else { return Ok(None) };
        let is_constant = name.path.starts_with(|c: char| c.is_ascii_digit() || c == '-')
            || matches!(self.templates.get(&name.path), Some(Template::Number(..) | Template::Bool(_)));
        match is_constant {
            true => Ok(None),
            false if !self.in_function && names_object(name) => Ok(self.static_type(name)),
            false => self.type_of_number(name),
        }
    }

    /// The type of a part of another value, such as a field; `None` for a map, and for a set that is not in the order
    /// of insertion, because the type of a part does not state these properties.
    fn part_type(&mut self, name: &TypeName) -> Option<Ty> {
        if self.container_class(name).is_special() { None } else { self.static_type(name) }
    }

    /// The value of `std::is_same_v<T, U>` and similar traits; `None` for another name, and for types of C++ that
    /// [`Ty`] does not distinguish.
    pub(super) fn type_trait(&mut self, name: &TypeName) -> Option<bool> {
        let name_of_trait = name.path.strip_suffix("_v").or_else(|| name.path.strip_suffix("::value"))?;
        if let ("is_same", [a, b]) = (name_of_trait, &name.args[..]) {
            return self.are_same(a, b);
        }
        let types: Option<Vec<Ty>> = name.args.iter().map(|arg| self.scalar_type(arg)).collect();
        let types = types?;
        let is_float = |ty: &Ty| matches!(ty.item, Item::Float | Item::Double);
        let is_integer =
            |ty: &Ty| ty.item == Item::Bool || matches!(ty.item, Item::Int(int) if int.enumeration.is_none());
        match (name_of_trait, &types[..]) {
            ("is_floating_point", [ty]) => Some(is_float(ty)),
            ("is_integral", [ty]) => Some(is_integer(ty)),
            ("is_arithmetic", [ty]) => Some(is_integer(ty) || is_float(ty)),
            ("is_signed", [ty]) => Some(
                is_float(ty) || matches!(ty.item, Item::Int(IntTy { signed: true, enumeration: None, .. })),
            ),
            ("is_unsigned", [ty]) => {
                let is_unsigned =
                    matches!(ty.item, Item::Int(IntTy { signed: false, enumeration: None, .. }));
                Some(ty.item == Item::Bool || is_unsigned)
            }
            _ => None,
        }
    }

    /// The type of a name, if it is one value and not a reference.
    fn scalar_type(&mut self, name: &TypeName) -> Option<Ty> {
        let ty = self.static_type(name).filter(|_| name.passing == Passing::Value)?;
        (ty.form == Form::One && !ty.is_unknown()).then_some(ty)
    }

    /// True if two names denote the same type; `None` if this is not known.
    fn are_same(&mut self, a: &TypeName, b: &TypeName) -> Option<bool> {
        if let (Some(a), Some(b)) = (self.distinct_type(a), self.distinct_type(b)) {
            return Some(a == b);
        }
        // Numbers with different static types have different types.
        let number = |this: &mut Self, of| this.scalar_type(of).filter(|&ty| is_number(ty));
        let (a, b) = (number(self, a)?, number(self, b)?);
        (a != b).then_some(false)
    }

    /// A constant of `std::numeric_limits<T>` that is not a function; `None` for another name.
    pub(super) fn numeric_limit(&mut self, name: &TypeName) -> Option<i128> {
        let ([of], Some(limit)) = (&name.args[..], name.path.strip_prefix("numeric_limits::")) else {
            return None;
        };
        let item = self.scalar_type(of)?.item;
        if matches!(item, Item::Int(int) if int.enumeration.is_some()) {
            return None;
        }
        Some(match (limit, item) {
            ("digits", Item::Int(int)) => i128::from(int.bits) - i128::from(int.signed),
            ("digits", Item::Bool) => 1,
            ("digits", Item::Float) => 24,
            ("digits", Item::Double) => 53,
            ("is_signed", Item::Int(int)) => int.signed.into(),
            ("is_signed", Item::Float | Item::Double) => 1,
            ("is_signed", Item::Bool) => 0,
            ("is_integer", Item::Int(_) | Item::Bool) => 1,
            ("is_integer" | "has_infinity" | "has_quiet_NaN", Item::Float | Item::Double) => {
                i128::from(limit != "is_integer")
            }
            ("has_infinity" | "has_quiet_NaN", Item::Int(_) | Item::Bool) => 0,
            _ => return None,
        })
    }

    /// The type of a name, if no other type of C++ has the same [`Ty`].
    fn distinct_type(&mut self, name: &TypeName) -> Option<Ty> {
        let is_deduced = matches!(self.templates.get(&name.path), Some(Template::Ty(_)));
        let is_long = self.text.get(name.lo..name.hi).is_some_and(|text| text.contains("long long"));
        let ty = self.static_type(name).filter(|_| name.passing == Passing::Value && !is_long)?;
        let is_distinct = match ty.item {
            Item::Int(int) => int.bits > 8 || !int.signed || int.enumeration.is_some(),
            Item::Bool | Item::Float | Item::Double | Item::ApInt | Item::ApFloat => true,
            // A deduced type is not distinct, because the static type of a value can be more precise than its type in
            // C++.
            Item::Type(_) | Item::Attr(_) | Item::Op(Some(_)) => !is_deduced,
            _ => false,
        };
        (ty.form == Form::One && is_distinct).then_some(ty)
    }

    /// The type of `ImplicitLocOpBuilder`: a tuple whose only field is the location.
    fn located_builder(&mut self) -> Ty {
        let id = self.b.snippets().tuple(Some("ImplicitLocOpBuilder"), &[("loc", Ty::LOCATION)]);
        Ty::one(Item::Tuple(id))
    }

    /// True for the type of `ImplicitLocOpBuilder`.
    pub(in crate::frontend::cxx) fn is_located_builder(&mut self, ty: Ty) -> bool {
        self.in_function && matches!(ty.item, Item::Tuple(_)) && ty == self.located_builder()
    }

    /// The location of an `ImplicitLocOpBuilder`; `None` for another value.
    pub(in crate::frontend::cxx) fn location_of_builder(
        &mut self,
        node: NodeId,
        e: Typed,
    ) -> Result<Option<Typed>, Fault> {
        if !self.is_located_builder(e.ty) {
            return Ok(None);
        }
        self.build(node, |b| b.field_at(e, 0)).map(Some)
    }

    /// The type of a class that ODS generates in addition to the class of an operation: its adaptor, or its properties.
    fn generated_class(&mut self, path: &str) -> Option<Ty> {
        let class = |outer: &str| match outer.strip_suffix("::") {
            Some(class) => Some(class.to_owned()),
            None if outer.is_empty() => self.class_scope.clone(),
            None => None,
        };
        if let Some(class) = path.strip_suffix("Properties").and_then(class) {
            return self.request.resolver.properties(self.b.snippets(), &class);
        }
        let is_opaque = matches!(path, "OpaqueProperties" | "PropertyRef");
        let of = match is_opaque {
            true => self.class_scope.clone(),
            false => path.strip_suffix("Adaptor").and_then(|outer| {
                class(outer).or_else(|| Some(outer.to_owned()).filter(|op| op.ends_with("Op")))
            }),
        };
        let adaptor = self.request.resolver.adaptor(self.b.snippets(), &of?)?;
        Some(if is_opaque { self.opaque_properties(adaptor) } else { adaptor })
    }

    /// Lowers `isa<A, B>(x)`, `cast<A>(x)` and related functions.
    pub(super) fn class_call(
        &mut self,
        node: NodeId,
        mode: ClassFunction,
        path: &str,
        classes: &[TypeName],
        args: &[NodeId],
    ) -> Lowered {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        let [arg] = args else { return Err(error::args(path, "one argument", lo, hi)) };
        let e = self.expression(*arg, None)?;
        self.class_test(node, mode, path, classes, e)
    }

    pub(super) fn class_test(
        &mut self,
        node: NodeId,
        mode: ClassFunction,
        path: &str,
        classes: &[TypeName],
        e: Typed,
    ) -> Lowered {
        if let [class] = classes
            && let Some(e) = self.constant_test(node, mode, &class.path, e)?
        {
            return Ok(e);
        }
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        if let (Ty { item: Item::Name, form: Form::One }, ClassFunction::IsA { .. }) = (e.ty, mode) {
            return self.dialect_test(node, classes, e);
        }
        let mut objects = Vec::new();
        for class in classes {
            objects.push(self.object_class(class, e)?);
        }
        let result = match (mode, objects.as_slice()) {
            (ClassFunction::IsA { null_is_false }, [_, ..]) => self.b.isa(e, &objects, null_is_false),
            (ClassFunction::Cast(mode), [class]) => self.b.cast(e, *class, mode),
            _ => return Err(error::template_args(path, "a class", lo, hi)),
        };
        self.at_node(node, result)
    }

    /// Lowers `isa<ADialect, BDialect>(dialect)`. The dialect is represented by the name of an operation.
    fn dialect_test(&mut self, node: NodeId, classes: &[TypeName], of: Typed) -> Lowered {
        let mut held = Held::new();
        let name = self.library_method(node, of, "getDialectNamespace", &[])?;
        let name = self.hold(node, name, &mut held)?;
        let mut result = self.build(node, |b| b.bool(false))?;
        for class in classes {
            let Some(dialect) = self.request.resolver.dialect_of_class(&class.path) else {
                return Err(self.unknown_type(class));
            };
            result = self.build(node, |b| {
                let dialect = b.str(&dialect)?;
                let is_same = b.binary(BinaryOp::Eq, name, dialect)?;
                b.or(result, is_same)
            })?;
        }
        self.bind_held(node, held, result)
    }

    /// The test or conversion for `arith::ConstantIndexOp` and `arith::ConstantIntOp`. Their objects are the operations
    /// `arith.constant` with a result of type `index` or of a signless integer type. Returns `None` for another class,
    /// for a value that is not an operation, for `cast_if_present`, and outside functions.
    fn constant_test(
        &mut self,
        node: NodeId,
        mode: ClassFunction,
        class: &str,
        e: Typed,
    ) -> Result<Option<Typed>, Fault> {
        let of_type = match class {
            "arith::ConstantIndexOp" => "isIndex",
            "arith::ConstantIntOp" => "isSignlessInteger",
            _ => return Ok(None),
        };
        let null_is_false = match mode {
            ClassFunction::IsA { null_is_false } => null_is_false,
            ClassFunction::Cast(CastMode::Must | CastMode::Try) => false,
            ClassFunction::Cast(CastMode::TryIfPresent) => true,
            ClassFunction::Cast(CastMode::MustIfPresent) => return Ok(None),
        };
        let Some(constant) = self.constant_class().filter(|_| matches!(e.ty.item, Item::Op(_))) else {
            return Ok(None);
        };
        let mut held = Held::new();
        let e = self.hold(node, e, &mut held)?;
        let op = self.build(node, |b| b.cast(e, constant, CastMode::Must))?;
        let ty = self.method_of(node, op, "getType", &[], &[])?;
        let fits = self.library_method(node, ty, of_type, &[])?;
        let result = self.build(node, |b| {
            let is_constant = b.isa(e, &[constant], null_is_false)?;
            let fits = b.and(is_constant, fits)?;
            match mode {
                ClassFunction::IsA { .. } => Ok(fits),
                ClassFunction::Cast(CastMode::Must) => {
                    let other = b.fail("the operation is not of the class of a cast")?;
                    b.select(fits, op, other)
                }
                ClassFunction::Cast(_) => {
                    let null = b.null(op.ty)?;
                    b.select(fits, op, null)
                }
            }
        })?;
        self.bind_held(node, held, result).map(Some)
    }

    /// The class of `arith.constant`; `None` outside of functions, and if `arith.constant` has no definition.
    fn constant_class(&mut self) -> Option<ObjectClass> {
        match self.class("arith::ConstantOp") {
            Some(Meaning::Object(class @ ObjectClass::Op(_))) if self.in_function => Some(class),
            _ => None,
        }
    }

    /// `value()` of an `arith::ConstantIndexOp` or `arith::ConstantIntOp`; `None` for another object.
    pub(super) fn constant_number(&mut self, node: NodeId, on: Typed) -> Result<Option<Typed>, Fault> {
        let Item::Op(Some(class)) = on.ty.item else { return Ok(None) };
        if self.constant_class().and_then(ObjectClass::named) != Some(class) {
            return Ok(None);
        }
        let value = self.method_of(node, on, "getValue", &[], &[])?;
        let number = ObjectClass::Attr(AttrClass::Integer);
        let number = self.build(node, |b| b.cast(value, number, CastMode::Must))?;
        self.library_method(node, number, "getInt", &[]).map(Some)
    }

    /// `isa<A, B>` of a value.
    pub(in crate::frontend::cxx) fn isa_of(
        &mut self,
        node: NodeId,
        classes: &[TypeName],
        e: Typed,
    ) -> Lowered {
        self.class_test(node, ClassFunction::IsA { null_is_false: false }, "isa", classes, e)
    }

    /// `cast<A>` of a value.
    pub(in crate::frontend::cxx) fn cast_of(
        &mut self,
        node: NodeId,
        classes: &[TypeName],
        e: Typed,
    ) -> Lowered {
        self.class_test(node, ClassFunction::Cast(CastMode::Must), "cast", classes, e)
    }

    fn object_class(&mut self, name: &TypeName, of: Typed) -> Result<ObjectClass, Fault> {
        match self.class(&name.path) {
            Some(Meaning::Object(class)) => Ok(class),
            Some(_) => Err(error::not_a_class(&name.path, name.lo, name.hi)),
            None => {
                // The class has no known definition. A type or attribute class in a namespace contains no objects of
                // other dialects. In all other cases, a native decides.
                let kind = match of.ty.item {
                    Item::Type(_) => Kind::Type,
                    Item::Attr(_) => Kind::Attr,
                    Item::Op(_) | Item::Value => Kind::Op,
                    _ if name.path.ends_with("Type") => Kind::Type,
                    _ if name.path.ends_with("Attr") => Kind::Attr,
                    _ => Kind::Op,
                };
                let class = match (kind, foreign_namespace(&name.path)) {
                    (Kind::Type | Kind::Attr, Some(namespace)) => {
                        let dialect = self.request.resolver.dialect_in(namespace);
                        let namespace = dialect.as_deref().unwrap_or_else(|| innermost(namespace));
                        Ok(self.b.foreign_class(&name.path, namespace, kind))
                    }
                    // A function from a source file calls no natives.
                    _ if self.in_function => return Err(self.unknown_type(name)),
                    _ => self.b.native_class_named(&name.path, kind),
                };
                let class = class.map_err(|e| error::ill_typed(&e, name.lo, name.hi))?;
                Ok(match kind {
                    Kind::Type => ObjectClass::Type(TypeClass::Named(class)),
                    Kind::Attr => ObjectClass::Attr(AttrClass::Named(class)),
                    _ => ObjectClass::Op(class),
                })
            }
        }
    }
}

/// True for the iterator of a class (`SmallVector<T>::iterator`).
fn is_iterator(name: &TypeName) -> bool {
    name.path.ends_with("iterator")
}

/// True for the name of a class of types, attributes or operations, whose values C++ never converts to numbers.
fn names_object(name: &TypeName) -> bool {
    ["Type", "Attr", "Op", "Interface"].iter().any(|end| name.path.ends_with(end))
}

/// The namespace that states the dialect of a type or attribute class (`TF` in `mlir::TF::RefType`); `None` if there is
/// no namespace, or if the name ends with neither `Type` nor `Attr`. Such a name can be that of an interface, which
/// objects of any dialect may implement.
fn foreign_namespace(path: &str) -> Option<&str> {
    let (outer, class) = path.rsplit_once("::")?;
    let is_class = class.ends_with("Type") || class.ends_with("Attr");
    is_class.then_some(outer)
}

/// The last part of the name of a namespace.
fn innermost(namespace: &str) -> &str {
    namespace.rsplit("::").next().unwrap_or(namespace)
}

/// The test or conversion of `isa`, `cast` and related functions.
#[derive(Clone, Copy)]
pub(super) enum ClassFunction {
    IsA { null_is_false: bool },
    Cast(CastMode),
}

pub(super) fn class_function(name: &str) -> Option<ClassFunction> {
    Some(match name {
        "isa" => ClassFunction::IsA { null_is_false: false },
        "isa_and_nonnull" | "isa_and_present" => ClassFunction::IsA { null_is_false: true },
        "cast" => ClassFunction::Cast(CastMode::Must),
        "dyn_cast" => ClassFunction::Cast(CastMode::Try),
        "cast_or_null" | "cast_if_present" => ClassFunction::Cast(CastMode::MustIfPresent),
        "dyn_cast_or_null" | "dyn_cast_if_present" => ClassFunction::Cast(CastMode::TryIfPresent),
        _ => return None,
    })
}

/// The integer type with a C++ name, on a platform where `long` has 64 bits.
pub(in crate::frontend) fn int_type(name: &str) -> Option<IntTy> {
    Some(match name {
        "int" | "int32_t" | "signed" | "signed int" => IntTy::I32,
        "unsigned" | "uint32_t" | "unsigned int" => IntTy::U32,
        "int64_t" | "long" | "long int" | "long long" | "long long int" | "ptrdiff_t" | "ssize_t"
        | "intptr_t" | "intmax_t" => IntTy::I64,
        "uint64_t" | "size_t" | "unsigned long" | "unsigned long long" | "uintptr_t" | "uintmax_t" => {
            IntTy::U64
        }
        "int8_t" | "char" => IntTy::I8,
        "uint8_t" | "unsigned char" => IntTy::new(8, false),
        "int16_t" | "short" | "short int" => IntTy::new(16, true),
        "uint16_t" | "unsigned short" => IntTy::new(16, false),
        _ => return None,
    })
}

fn object_class(id: ClassId, class: &Class) -> Option<ObjectClass> {
    Some(match class.kind {
        ClassKind::Op(_) | ClassKind::OneOf(Kind::Op, _) => ObjectClass::Op(id),
        ClassKind::OneOf(Kind::Type, _) | ClassKind::Foreign(Kind::Type, _) => {
            ObjectClass::Type(TypeClass::Named(id))
        }
        ClassKind::OneOf(..) | ClassKind::Foreign(..) => ObjectClass::Attr(AttrClass::Named(id)),
        ClassKind::Type(_) => ObjectClass::Type(TypeClass::Named(id)),
        ClassKind::Attr(_) | ClassKind::EnumAttr(..) | ClassKind::IntEnumAttr(..) => {
            ObjectClass::Attr(AttrClass::Named(id))
        }
        ClassKind::Native(_) => return None,
    })
}
