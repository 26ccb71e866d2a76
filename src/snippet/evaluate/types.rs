//! Built-ins over types, and those that create types.

use super::arithmetic::rounding_mode;
use super::error::fail;
use super::evaluator::Evaluator;
use super::inspect::Quantized;
use super::value::{Args, Evaluated, SmallList, TypeRef, Val};
use crate::host::{Facets, Refusal, Signedness, TypeKind, TypeSpec, broadcast_shape};
use crate::number::{ApFloat, FloatFormat, MAX_WIDTH};
use crate::snippet::data::{Builtin, TypeClass};

/// The representation of a dynamic size in C++.
const DYNAMIC: i128 = i64::MIN as i128;

/// The values of `IntegerType::SignednessSemantics`, in order.
const SIGNEDNESS: [Signedness; 3] = [Signedness::Signless, Signedness::Signed, Signedness::Unsigned];

/// A scalar type; `Other` for every other type.
#[derive(Clone, Copy)]
enum Scalar {
    Integer(u32, Signedness),
    Index,
    Float(FloatFormat),
    Other,
}

/// True if a memref type has a layout other than the identity. `rest` is the text of the type after the element type.
/// `None` if the text does not decide if an attribute is a layout or a memory space.
fn has_layout(rest: &str) -> Option<bool> {
    const SPACES: [&str; 3] = ["#gpu.address_space<", "#amdgpu.address_space<", "#spirv.storage_class<"];
    match rest.strip_prefix(", ") {
        None => Some(rest.starts_with(',')),
        Some(first) if first.starts_with("affine_map<") || first.starts_with("strided<") => Some(true),
        Some(first) if first.starts_with(|c: char| c.is_ascii_digit()) || first.starts_with('"') => {
            Some(false)
        }
        Some(first) => SPACES.iter().any(|space| first.starts_with(space)).then_some(false),
    }
}

impl<T> From<&TypeKind<T>> for Scalar {
    fn from(kind: &TypeKind<T>) -> Self {
        match kind {
            TypeKind::Integer { width, signedness } => Scalar::Integer(*width, *signedness),
            TypeKind::Index => Scalar::Index,
            TypeKind::Float(format) => Scalar::Float(*format),
            _ => Scalar::Other,
        }
    }
}

impl Scalar {
    /// Evaluates a predicate over scalar types, with a required width if there is one. Returns `None` for another
    /// built-in.
    fn test(self, op: Builtin, width: Option<i128>) -> Option<bool> {
        use Builtin as B;
        let integer = |of: fn(Signedness) -> bool| match self {
            Scalar::Integer(w, s) => of(s) && width.is_none_or(|width| width == i128::from(w)),
            _ => false,
        };
        let any_integer = || integer(|_| true);
        let signless = || integer(|signedness| signedness == Signedness::Signless);
        let index = matches!(self, Scalar::Index);
        let float = matches!(self, Scalar::Float(_));
        let is_float = |format| matches!(self, Scalar::Float(found) if found == format);
        Some(match op {
            B::IsInteger => any_integer(),
            B::IsSignlessInteger => signless(),
            B::IsSignedInteger => integer(|signedness| signedness == Signedness::Signed),
            B::IsUnsignedInteger => integer(|signedness| signedness == Signedness::Unsigned),
            B::IsIndex => index,
            B::IsF16 => is_float(FloatFormat::F16),
            B::IsF32 => is_float(FloatFormat::F32),
            B::IsF64 => is_float(FloatFormat::F64),
            B::IsBF16 => is_float(FloatFormat::BF16),
            B::IsF80 => is_float(FloatFormat::F80),
            B::IsF128 => is_float(FloatFormat::F128),
            B::IsTF32 => is_float(FloatFormat::TF32),
            B::IsIntOrIndex => any_integer() || index,
            B::IsIntOrFloat => any_integer() || float,
            B::IsIntOrIndexOrFloat => any_integer() || index || float,
            B::IsSignlessIntOrIndex => signless() || index,
            B::IsSignlessIntOrFloat => signless() || float,
            B::IsSignlessIntOrIndexOrFloat => signless() || index || float,
            _ => return None,
        })
    }
}

/// True for a built-in over the sizes of a shape.
fn reads_shape(op: Builtin) -> bool {
    use Builtin as B;
    matches!(
        op,
        B::Rank
            | B::HasRank
            | B::HasStaticShape
            | B::Shape
            | B::NumElements
            | B::DimSize
            | B::IsDynamicDim
            | B::NumDynamicDims
    )
}

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_types(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        match op {
            B::IsDynamicSize => return Ok(Val::Bool(on.int()? == DYNAMIC)),
            B::IsStaticSize => return Ok(Val::Bool(on.int()? != DYNAMIC)),
            B::IsDynamicShape => return Ok(Val::Bool(self.ints(&on)?.contains(&DYNAMIC))),
            B::IsStaticShape => return Ok(Val::Bool(!self.ints(&on)?.contains(&DYNAMIC))),
            B::ElementTypeOrSelf => return self.element_type_or_self(&on),
            B::BroadcastType => {
                let (a, b) = (on.as_type()?, args.take(1).as_type()?);
                let element = args.take(2);
                return self.broadcast_type(&a, &b, &element);
            }
            B::BroadcastShape => {
                let (a, b) = (self.ints(&on)?, self.ints(&args.take(1))?);
                self.step((a.len() + b.len()) as u64)?;
                // A snippet can pass any numbers. A size that does not fit in 64 bits counts as dynamic.
                let sizes = |list: Vec<i128>| {
                    let size = |s: i128| i64::try_from(s).ok().filter(|&s| i128::from(s) != DYNAMIC);
                    list.into_iter().map(size).collect::<Vec<_>>()
                };
                return Ok(match broadcast_shape(&sizes(a), &sizes(b)) {
                    Some(shape) => {
                        let size = |size: Option<i64>| Val::Int(size.map_or(DYNAMIC, i128::from));
                        Val::range(shape.into_iter().map(size).collect())
                    }
                    None => Val::Null,
                });
            }
            B::CompatibleShapes => {
                let other = args.take(1);
                return self.are_compatible_shapes(&on, &other).map(Val::Bool);
            }
            B::FloatSemantics => {
                let Val::ApFloat(x) = on else {
                    return fail(format!("{} has no float semantics", on.variant_name()));
                };
                return self.make_type(TypeSpec::Float(x.format())).map(Val::Type);
            }
            B::FloatTo
            | B::FloatZero
            | B::FloatInf
            | B::FloatNan
            | B::FloatLargest
            | B::FloatSmallest
            | B::FloatSmallestNormalized
            | B::FloatOfText
            | B::FloatOfInt
            | B::FloatOfBits => {
                let (arg, mode) = (args.take(1), args.take(2));
                return self.float_of_type(op, &on, &arg, &mode);
            }
            B::ElementType => {
                let t = match &on {
                    Val::Attr(a) => {
                        match self.array_element_type(a).filter(|_| self.attr_type(a).is_none()) {
                            Some(element) => return Ok(Val::Type(element)),
                            None => self.attr_type(a),
                        }
                    }
                    _ => Some(on.as_type()?),
                };
                let Some(t) = t else { return fail("a type or attribute has no element type") };
                return match (self.shaped(&t), self.type_kind(&t)) {
                    (Some((element, _)), _) | (_, TypeKind::Complex(element)) => Ok(Val::Type(element)),
                    _ => match self.declared_element(&t)? {
                        Some(element) => Ok(Val::Type(element)),
                        None => fail("a type or attribute has no element type"),
                    },
                };
            }
            _ => {}
        }
        let t = on.as_type()?;
        let kind = self.type_kind(&t);
        let rank = self.shaped(&t).map(|(_, rank)| rank);
        if reads_shape(op) {
            let sizes = match (kind, rank) {
                (TypeKind::Dialect, _) => self.declared_sizes(&t)?,
                (_, Some(Some(rank))) => Some(self.sizes(&t, rank)?),
                (_, Some(None)) if matches!(op, B::HasRank | B::HasStaticShape) => {
                    return Ok(Val::Bool(false));
                }
                (_, Some(None)) => return fail("an unranked type has no shape"),
                (_, None) => None,
            };
            let Some(sizes) = sizes else { return fail("a type has no shape") };
            return self.of_shape(op, &sizes, args);
        }
        let ranked = || match rank {
            Some(Some(rank)) => Ok(rank),
            Some(None) => fail("an unranked type has no shape"),
            None => fail("a type has no shape"),
        };
        let scalar = Scalar::from(&kind);
        if let Some(holds) = scalar.test(op, None) {
            // A width, if any, is the second argument.
            let holds = match args.len() {
                2.. if holds => scalar.test(op, Some(args.take(1).int()?)) == Some(true),
                _ => holds,
            };
            return Ok(Val::Bool(holds));
        }
        Ok(match op {
            B::BitWidth => Val::Int(i128::from(self.bit_width(&t)?)),
            B::FloatPrecision => {
                let TypeKind::Float(format) = kind else {
                    return fail("a type that is not a float has no mantissa");
                };
                Val::Int(i128::from(format.precision()))
            }
            B::FloatHasInfinity | B::FloatHasNan => {
                let TypeKind::Float(format) = kind else {
                    return fail("a type that is not a float has no float semantics");
                };
                let has_infinity = op == B::FloatHasInfinity;
                return Ok(Val::Bool(if has_infinity { format.has_infinity() } else { format.has_nan() }));
            }
            B::FloatMaxExponent | B::FloatMinExponent => {
                let TypeKind::Float(format) = kind else {
                    return fail("a type that is not a float has no exponent");
                };
                let exponents = format.exponents();
                Val::Int(i128::from(if op == B::FloatMaxExponent {
                    *exponents.end()
                } else {
                    *exponents.start()
                }))
            }
            B::IsSigned | B::IsSignless | B::IsUnsigned | B::Signedness => {
                let TypeKind::Integer { signedness, .. } = kind else {
                    return fail("a type that is not an integer has no signedness");
                };
                match op {
                    B::IsSigned => Val::Bool(signedness == Signedness::Signed),
                    B::IsUnsigned => Val::Bool(signedness == Signedness::Unsigned),
                    B::IsSignless => Val::Bool(signedness == Signedness::Signless),
                    _ => {
                        let number = SIGNEDNESS.iter().position(|other| *other == signedness);
                        Val::count(number.unwrap_or_default())
                    }
                }
            }
            B::ElementBitWidth => {
                let element = match self.shaped(&t) {
                    Some((element, _)) => Some(element),
                    None => self.declared_element(&t)?,
                };
                match element {
                    Some(element) => Val::Int(i128::from(self.bit_width(&element)?)),
                    None => return fail("a type has no elements"),
                }
            }
            B::CloneType => return self.clone_type(&t, args),
            B::ScalableDims => {
                let rank = ranked()?;
                Val::range((0..rank).map(|d| Val::Bool(self.dim_is_scalable(&t, d))).collect())
            }
            B::IsScalable => Val::Bool((0..ranked()?).any(|d| self.dim_is_scalable(&t, d))),
            B::AllDimsScalable => {
                let rank = ranked()?;
                Val::Bool(rank > 0 && (0..rank).all(|d| self.dim_is_scalable(&t, d)))
            }
            B::FunctionInputs | B::FunctionResults | B::NumInputs | B::NumResults => {
                let TypeKind::Function { inputs, results } = kind else {
                    return fail("a type is not a function type");
                };
                match op {
                    B::NumInputs => Val::Int(i128::from(inputs)),
                    B::NumResults => Val::Int(i128::from(results)),
                    B::FunctionInputs => self.parts(&t, 0..inputs)?,
                    _ => self.parts(&t, inputs..inputs.saturating_add(results))?,
                }
            }
            B::TypeParts => match kind {
                TypeKind::Tuple(count) => self.parts(&t, 0..count)?,
                _ => return fail("a type is not a tuple type"),
            },
            B::TypeExtra => self.type_extra(&t).map_or(Val::Null, Val::Attr),
            B::QuantStorageType
            | B::QuantStorageWidth
            | B::QuantIsSigned
            | B::QuantExpressedType
            | B::QuantMin
            | B::QuantMax
            | B::QuantScale
            | B::QuantZeroPoint
            | B::QuantDimension
            | B::QuantScales
            | B::QuantZeroPoints => {
                let text = self.type_text(&t);
                let Some(quantized) = Quantized::parse(&text) else {
                    return fail("a type is not quantised");
                };
                let storage =
                    quantized.storage.ok_or_else(|| Refusal::new("a calibrated type has no storage type"));
                let first = |list: Vec<(f64, i64)>| {
                    list.first().copied().ok_or_else(|| Refusal::new("a quantised type has no scale"))
                };
                match op {
                    B::QuantMin => Val::Int(storage?.range().0.into()),
                    B::QuantMax => Val::Int(storage?.range().1.into()),
                    B::QuantDimension => Val::Int(quantized.axis.unwrap_or_default().into()),
                    B::QuantScale => Val::Double(first(quantized.scales())?.0),
                    B::QuantZeroPoint => Val::Int(first(quantized.scales())?.1.into()),
                    B::QuantScales => Val::range(
                        quantized.scales().into_iter().map(|(scale, _)| Val::Double(scale)).collect(),
                    ),
                    B::QuantZeroPoints => Val::range(
                        quantized.scales().into_iter().map(|(_, point)| Val::Int(point.into())).collect(),
                    ),
                    B::QuantStorageType => Val::Type(self.signless(storage?.width)?),
                    B::QuantStorageWidth => Val::Int(i128::from(storage?.width)),
                    B::QuantIsSigned => Val::Bool(storage.is_ok_and(|storage| storage.signed)),
                    _ => match FloatFormat::from_name(quantized.expressed) {
                        Some(format) => Val::Type(self.make_type(TypeSpec::Float(format))?),
                        None => return fail("the expressed type of a quantised type is not a float"),
                    },
                }
            }
            B::HasValueSemantics => Val::Bool(matches!(
                kind,
                TypeKind::Vector { .. } | TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_)
            )),
            _ => return fail("the snippet is malformed"),
        })
    }

    /// Evaluates a built-in over the sizes of a shape.
    fn of_shape(&mut self, op: Builtin, sizes: &[i128], mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let dynamic = sizes.iter().filter(|size| **size == DYNAMIC).count();
        Ok(match op {
            B::Rank => Val::count(sizes.len()),
            B::HasRank => Val::Bool(true),
            B::HasStaticShape if args.len() < 2 => Val::Bool(dynamic == 0),
            B::HasStaticShape => Val::Bool(dynamic == 0 && self.ints(&args.take(1))? == sizes),
            B::NumDynamicDims => Val::count(dynamic),
            B::NumElements => {
                let product = sizes.iter().try_fold(1_i128, |product, size| product.checked_mul(*size));
                match product.and_then(|product| i64::try_from(product).ok()).filter(|_| dynamic == 0) {
                    Some(count) => Val::Int(i128::from(count)),
                    None => return fail("a type has no static shape"),
                }
            }
            B::DimSize | B::IsDynamicDim => {
                let dim = args.take(1).int()?;
                let Some(&size) = usize::try_from(dim).ok().and_then(|dim| sizes.get(dim)) else {
                    return fail(format!("a type of rank {} has no dimension {dim}", sizes.len()));
                };
                if op == B::DimSize { Val::Int(size) } else { Val::Bool(size == DYNAMIC) }
            }
            _ => Val::range(sizes.iter().copied().map(Val::Int).collect()),
        })
    }

    fn parts(&mut self, t: &TypeRef<H>, range: std::ops::Range<u32>) -> Evaluated<H> {
        self.step(range.len() as u64)?;
        let parts: Option<Vec<Val<H>>> = range.map(|i| self.type_part(t, i).map(Val::Type)).collect();
        parts.map_or_else(
            || fail("the host does not provide the parts of a type"),
            |parts| Ok(Val::range(parts)),
        )
    }

    fn sizes(&mut self, t: &TypeRef<H>, rank: u32) -> Result<SmallList<i128>, Refusal> {
        self.step(u64::from(rank))?;
        Ok((0..rank).map(|d| self.type_dim(t, d).map_or(DYNAMIC, i128::from)).collect())
    }

    pub(super) fn bit_width(&self, t: &TypeRef<H>) -> Result<u32, Refusal> {
        match self.type_kind(t) {
            TypeKind::Integer { width, .. } => Ok(width),
            TypeKind::Float(format) => Ok(format.width()),
            _ => fail("a type that is neither an integer nor a float has no width"),
        }
    }

    /// A float in the format of a float type. In snippets, the type stands for its semantics.
    fn float_of_type(&mut self, op: Builtin, on: &Val<H>, arg: &Val<H>, mode: &Val<H>) -> Evaluated<H> {
        use Builtin as B;
        let TypeKind::Float(format) = self.type_kind(&on.as_type()?) else {
            return fail("a type that is not a float has no float semantics");
        };
        let negative = arg.is_true();
        let value = match op {
            B::FloatTo => match arg {
                Val::ApFloat(x) => {
                    let Some(rounded) = x.convert_rounded(format, rounding_mode(mode.int()?)?) else {
                        return fail(
                            "this rounding mode is not supported for conversions to this float format",
                        );
                    };
                    Some(rounded)
                }
                other => Some(ApFloat::from_f64(format, other.double()?)),
            },
            B::FloatZero => {
                let zero = ApFloat::zero(format);
                Some(if negative { zero.neg() } else { zero })
            }
            B::FloatInf => ApFloat::infinity_or_nan(format, negative),
            B::FloatLargest => Some(ApFloat::largest(format, negative)),
            B::FloatSmallest => Some(ApFloat::smallest(format, negative)),
            B::FloatSmallestNormalized => Some(ApFloat::smallest_normalized(format, negative)),
            B::FloatOfText => ApFloat::parse_decimal(format, &self.string(arg)?),
            // Conversion by way of a double would round a 64-bit integer twice.
            B::FloatOfInt => ApFloat::parse_decimal(format, &arg.int()?.to_string()),
            B::FloatOfBits => match arg {
                Val::ApInt(bits) if bits.width() == format.width() => {
                    u128::try_from(bits.to_biguint()).ok().map(|bits| ApFloat::from_bits(format, bits))
                }
                _ => return fail("the bits of a float do not have the width of its format"),
            },
            _ => ApFloat::nan(format).map(|nan| if negative { nan.neg() } else { nan }),
        };
        value.map_or_else(|| fail("a float format does not have the value"), |value| Ok(Val::ApFloat(value)))
    }

    /// `OpTrait::util::getBroadcastedType`: null if the types do not broadcast.
    fn broadcast_type(&mut self, a: &TypeRef<H>, b: &TypeRef<H>, element: &Val<H>) -> Evaluated<H> {
        let element = match element {
            Val::Null => {
                let (x, y) = (self.element_type_or_self(&Val::Type(a.clone()))?, Val::Type(b.clone()));
                let y = self.element_type_or_self(&y)?;
                if !self.equal(&x, &y)? {
                    return Ok(Val::Null);
                }
                x.as_type()?
            }
            element => element.as_type()?,
        };
        let is = |class| (self.type_is(a, class), self.type_is(b, class));
        let (unranked, vector) = (is(TypeClass::UnrankedTensor), is(TypeClass::Vector));
        let tensor = is(TypeClass::RankedTensor);
        let either = |(a, b): (bool, bool)| a || b;
        if either(unranked) {
            if either(vector) {
                return Ok(Val::Null);
            }
            return Ok(Val::Type(self.make_type(TypeSpec::UnrankedTensor(element))?));
        }
        if either(vector) && either(tensor) {
            return Ok(Val::Null);
        }
        let mut sizes = |t: &TypeRef<H>| match self.shaped(t) {
            Some((_, Some(rank))) => tensor_shape(&self.sizes(t, rank)?),
            _ => Ok(Vec::new()),
        };
        let (x, y) = (sizes(a)?, sizes(b)?);
        let Some(shape) = broadcast_shape(&x, &y) else { return Ok(Val::Null) };
        self.step(shape.len() as u64)?;
        let spec = if either(vector) {
            let scalable = vec![false; shape.len()];
            let Some(shape) = shape.into_iter().collect() else {
                return fail("a vector type has a dynamic size");
            };
            TypeSpec::Vector { shape, scalable, element }
        } else if either(tensor) {
            TypeSpec::RankedTensor { shape, element, encoding: None }
        } else {
            return Ok(Val::Type(element));
        };
        Ok(Val::Type(self.make_type(spec)?))
    }

    /// `verifyCompatibleShape` of two types or of two shapes.
    fn are_compatible_shapes(&mut self, a: &Val<H>, b: &Val<H>) -> Result<bool, Refusal> {
        let (x, y) = match (a, b) {
            (Val::Type(a), Val::Type(b)) => {
                let (x, y) = match (self.shape_of(a)?, self.shape_of(b)?) {
                    (None, None) => return Ok(true),
                    (None, _) | (_, None) => return Ok(false),
                    (Some(x), Some(y)) => (x, y),
                };
                match (x, y) {
                    (Some(x), Some(y)) => (x.to_vec(), y.to_vec()),
                    _ => return Ok(true),
                }
            }
            _ => (self.ints(a)?, self.ints(b)?),
        };
        self.step(x.len() as u64)?;
        let fit = |(x, y): (&i128, &i128)| x == y || *x == DYNAMIC || *y == DYNAMIC;
        Ok(x.len() == y.len() && x.iter().zip(&y).all(fit))
    }

    /// The sizes of a shaped type. `Some(None)` if the type is unranked, and `None` if it is not shaped.
    fn shape_of(&mut self, t: &TypeRef<H>) -> Result<Option<Option<SmallList<i128>>>, Refusal> {
        match (self.type_kind(t), self.shaped(t)) {
            (TypeKind::Dialect, _) => Ok(self.declared_sizes(t)?.map(Some)),
            (_, Some((_, Some(rank)))) => self.sizes(t, rank).map(|sizes| Some(Some(sizes))),
            (_, Some((_, None))) => Ok(Some(None)),
            (_, None) => Ok(None),
        }
    }

    fn element_type_or_self(&mut self, on: &Val<H>) -> Evaluated<H> {
        let t = match on {
            Val::Type(t) => t.clone(),
            Val::Value(v) => TypeRef::Host(self.host().value_type(*v)),
            Val::Op(op) => match self.single_result(*op)? {
                Val::Value(v) => TypeRef::Host(self.host().value_type(v)),
                _ => return fail("an operation without a result has no type"),
            },
            Val::Attr(a) => match self.attr_type(a) {
                Some(t) => t,
                None => return fail("an attribute has no type"),
            },
            other => return fail(format!("{} has no element type", other.variant_name())),
        };
        let element = match self.shaped(&t) {
            Some((element, _)) => Some(element),
            None => self.declared_element(&t)?,
        };
        Ok(Val::Type(element.unwrap_or(t)))
    }

    /// A parameter of a dialect's type that declares the interface `ShapedType`; `None` for another type.
    fn shape_param(&mut self, t: &TypeRef<H>, name: &str) -> Result<Option<Val<H>>, Refusal> {
        let on = Val::Type(t.clone());
        if !self.declares("ShapedType", &on)? {
            return Ok(None);
        }
        let text = self.type_text(t);
        let class = self.snippets.class_of_text(&text).and_then(|class| {
            let params = &self.snippets.body(class)?.params;
            let index = params.iter().position(|param| self.snippets.str(param.name) == name)?;
            Some((class, u32::try_from(index).ok().filter(|&index| self.snippets.can_read(class, index))?))
        });
        match class {
            Some((class, index)) => self.body_param(&on, class, index).map(Some),
            None => self.unknown(format!("only C++ code can compute the '{name}' of '{text}'")),
        }
    }

    /// The element type of a dialect's type; `None` if it does not declare the interface `ShapedType`.
    fn declared_element(&mut self, t: &TypeRef<H>) -> Result<Option<TypeRef<H>>, Refusal> {
        match self.shape_param(t, "elementType")? {
            None => Ok(None),
            Some(Val::Type(element)) => Ok(Some(element)),
            Some(_) => self.unknown("only C++ code can compute the element type of a shaped type"),
        }
    }

    /// The sizes of a dialect's type; `None` if it does not declare the interface `ShapedType`.
    fn declared_sizes(&mut self, t: &TypeRef<H>) -> Result<Option<SmallList<i128>>, Refusal> {
        match self.shape_param(t, "shape")? {
            None => Ok(None),
            Some(Val::Range(sizes)) => self.ints(&Val::Range(sizes)).map(|sizes| Some(sizes.into())),
            Some(_) => self.unknown("only C++ code can compute the shape of a shaped type"),
        }
    }

    fn clone_type(&mut self, t: &TypeRef<H>, mut args: Args<H>) -> Evaluated<H> {
        let Some((mut element, rank)) = self.shaped(t) else {
            return fail("a type has no shape");
        };
        let mut shape = match rank {
            Some(rank) => Some(self.sizes(t, rank)?),
            None => None,
        };
        for i in 1..args.len() {
            match args.take(i) {
                Val::Type(t) => element = t,
                Val::Null => {}
                sizes => shape = Some(self.ints(&sizes)?.into()),
            }
        }
        let spec = match (self.type_kind(t), shape) {
            (TypeKind::Vector { .. }, Some(shape)) => {
                let scalable = (0..).zip(&shape).map(|(d, _)| self.dim_is_scalable(t, d)).collect();
                TypeSpec::Vector { shape: vector_shape(&shape)?, scalable, element }
            }
            (TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_), Some(shape)) => {
                TypeSpec::RankedTensor { shape: tensor_shape(&shape)?, element, encoding: self.type_extra(t) }
            }
            (TypeKind::UnrankedTensor(_), None) => TypeSpec::UnrankedTensor(element),
            (TypeKind::MemRef { .. } | TypeKind::UnrankedMemRef(_), shape) => {
                return self.clone_memref(t, shape, &element).map(Val::Type);
            }
            _ => return fail("a type cannot be cloned with another shape"),
        };
        self.make_type(spec).map(Val::Type)
    }

    /// A memref type with another shape or element type. It keeps the layout and the memory space.
    fn clone_memref(
        &mut self,
        t: &TypeRef<H>,
        shape: Option<SmallList<i128>>,
        element: &TypeRef<H>,
    ) -> Result<TypeRef<H>, Refusal> {
        let Some((own_element, rank)) = self.shaped(t) else { return fail("a type has no shape") };
        let own_shape = match rank {
            Some(rank) => Some(self.sizes(t, rank)?),
            None => None,
        };
        let new_rank =
            own_shape.as_ref().zip(shape.as_ref()).is_some_and(|(own, new)| own.len() != new.len());
        let start = self.memref_start(own_shape.as_deref(), &own_element)?;
        let new_start = self.memref_start(shape.as_deref(), element)?;
        let text = self.type_text(t);
        // In the text, the layout and the memory space follow the element type.
        let Some(rest) = text.strip_prefix(&*start) else {
            return self.unknown(format!("the layout of {text} is unknown"));
        };
        match has_layout(rest) {
            _ if !new_rank => {}
            Some(true) => {
                return fail("the layout of a memref has another number of dimensions than the new shape");
            }
            Some(false) => {}
            None => return self.unknown(format!("the layout of {text} is unknown")),
        }
        match self.make_type(TypeSpec::Text(new_start + rest))? {
            // Nothing is known about a type that the IR does not have.
            TypeRef::Fresh(_) => self.unknown("the IR does not have the new memref type"),
            made => Ok(made),
        }
    }

    pub(super) fn make_types(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let first = args.take(0);
        let signless = |width| TypeSpec::Integer { width, signedness: Signedness::Signless };
        let spec = match op {
            B::IntegerType | B::SignedIntegerType | B::IntegerTypeWith => {
                let second = args.take(1);
                let width = first.int()?;
                let Some(width) = u32::try_from(width).ok().filter(|w| *w <= MAX_WIDTH) else {
                    return fail(format!(
                        "an integer type cannot have {width} bits; the maximum is {MAX_WIDTH}"
                    ));
                };
                let signedness = match op {
                    B::IntegerType => Signedness::Signless,
                    B::IntegerTypeWith => {
                        let number = usize::try_from(second.int()?).ok();
                        match number.and_then(|number| SIGNEDNESS.get(number)) {
                            Some(&signedness) => signedness,
                            None => return fail("no signedness has this number: expected 0, 1 or 2"),
                        }
                    }
                    _ if second.is_true() => Signedness::Signed,
                    _ => Signedness::Unsigned,
                };
                TypeSpec::Integer { width, signedness }
            }
            B::I1 => signless(1),
            B::I8 => signless(8),
            B::I16 => signless(16),
            B::I32 => signless(32),
            B::I64 => signless(64),
            B::Index => TypeSpec::Index,
            B::F16 => TypeSpec::Float(FloatFormat::F16),
            B::BF16 => TypeSpec::Float(FloatFormat::BF16),
            B::F32 => TypeSpec::Float(FloatFormat::F32),
            B::F64 => TypeSpec::Float(FloatFormat::F64),
            B::NoneType => TypeSpec::None,
            B::ComplexType => TypeSpec::Complex(first.as_type()?),
            B::FunctionType => {
                TypeSpec::Function { inputs: self.types(&first)?, results: self.types(&args.take(1))? }
            }
            B::TupleType => TypeSpec::Tuple(self.types(&first)?),
            B::RankedTensorType => {
                let element = args.take(1).as_type()?;
                let encoding = match args.take(2) {
                    Val::Attr(a) => Some(a),
                    _ => None,
                };
                TypeSpec::RankedTensor { shape: tensor_shape(&self.ints(&first)?)?, element, encoding }
            }
            B::UnrankedTensorType => TypeSpec::UnrankedTensor(first.as_type()?),
            B::VectorType => {
                let shape = vector_shape(&self.ints(&first)?)?;
                let element = args.take(1).as_type()?;
                let scalable = match args.take(2) {
                    Val::Range(flags) => flags.iter().map(Val::is_true).collect(),
                    _ => vec![false; shape.len()],
                };
                if scalable.len() != shape.len() {
                    return fail("the numbers of sizes and of scalable flags of a vector type differ");
                }
                TypeSpec::Vector { shape, scalable, element }
            }
            B::MemRefType => {
                let shape = self.ints(&first)?;
                let element = args.take(1).as_type()?;
                TypeSpec::Text(self.memref_text(&shape, &element, &args.take(2), &args.take(3))?)
            }
            B::TypeByClass => {
                let text = self.string(&first)?;
                match FloatFormat::from_name(&text) {
                    Some(format) => TypeSpec::Float(format),
                    None => TypeSpec::Text(text.to_string()),
                }
            }
            _ => return fail("the snippet is malformed"),
        };
        self.make_type(spec).map(Val::Type)
    }

    /// The text of a memref type up to and including its element type. Without a shape, the type is unranked.
    fn memref_start(&mut self, shape: Option<&[i128]>, element: &TypeRef<H>) -> Result<String, Refusal> {
        let element = self.type_text(element);
        if element.is_empty() {
            return self.unknown("the IR does not have the element type of a new memref type");
        }
        let Some(shape) = shape else { return Ok(format!("memref<*x{element}")) };
        let sizes = tensor_shape(shape)?.into_iter();
        let sizes = sizes.map(|size| size.map_or_else(|| "?x".to_owned(), |size| format!("{size}x")));
        Ok(format!("memref<{}{element}", sizes.collect::<String>()))
    }

    /// The text of a memref type. It omits an identity layout and the memory space 0, which are the defaults.
    fn memref_text(
        &mut self,
        shape: &[i128],
        element: &TypeRef<H>,
        layout: &Val<H>,
        space: &Val<H>,
    ) -> Result<String, Refusal> {
        let mut text = self.memref_start(Some(shape), element)?;
        if let Val::Attr(layout) = layout {
            let dims: Vec<String> = (0..shape.len()).map(|dim| format!("d{dim}")).collect();
            let dims = dims.join(", ");
            let layout = self.attr_text(layout);
            if *layout != *format!("affine_map<({dims}) -> ({dims})>") {
                text += &format!(", {layout}");
            }
        }
        if let Val::Attr(space) = space
            && !self.attr_int(space).is_some_and(|space| space.is_zero())
        {
            text += &format!(", {}", self.attr_text(space));
        }
        Ok(text + ">")
    }

    fn types(&mut self, value: &Val<H>) -> Result<Vec<TypeRef<H>>, Refusal> {
        self.items(value)?.iter().map(|t| t.as_type()).collect()
    }
}

/// The sizes of a tensor type, which may be dynamic.
fn tensor_shape(sizes: &[i128]) -> Result<Vec<Option<i64>>, Refusal> {
    let size = |&s: &i128| match i64::try_from(s) {
        Ok(i64::MIN) => Ok(None),
        Ok(s) if s >= 0 => Ok(Some(s)),
        _ => fail("a shape has a negative size"),
    };
    sizes.iter().map(size).collect()
}

/// The sizes of a vector type, which are static.
fn vector_shape(sizes: &[i128]) -> Result<Vec<i64>, Refusal> {
    let size = |&s: &i128| match i64::try_from(s) {
        Ok(s) if s > 0 => Ok(s),
        _ => fail("a vector type has a size that is not positive"),
    };
    sizes.iter().map(size).collect()
}
