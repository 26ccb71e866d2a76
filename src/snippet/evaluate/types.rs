//! Built-ins over types, and those that make types.

use super::value::{TypeRef, Val};
use super::view::Quantized;
use super::{Args, Builtin, Evaluated, Evaluator, fail};
use crate::host::{Facets, Refusal, Signedness, TypeKind, TypeSpec};
use crate::number::{FloatFormat, MAX_WIDTH};

/// What a dynamic size is in C++.
const DYNAMIC: i128 = i64::MIN as i128;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_types(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        match op {
            B::IsDynamicSize => return Ok(Val::Bool(self.int(&on)? == DYNAMIC)),
            B::ElementTypeOrSelf => return self.element_type_or_self(&on),
            B::ElementType => {
                let t = match &on {
                    Val::Attr(a) => {
                        match self.array_element_type(a).filter(|_| self.attr_type(a).is_none()) {
                            Some(element) => return Ok(Val::Type(element)),
                            None => self.attr_type(a),
                        }
                    }
                    _ => Some(self.the_type(&on)?),
                };
                let Some(t) = t else { return fail("what has no elements is asked for their type") };
                return match (self.shaped(&t), self.type_kind(&t)) {
                    (Some((element, _)), _) | (_, TypeKind::Complex(element)) => Ok(Val::Type(element)),
                    _ => match self.declared_element(&t)? {
                        Some(element) => Ok(Val::Type(element)),
                        None => fail("what has no elements is asked for their type"),
                    },
                };
            }
            B::BitWidth if matches!(on, Val::ApInt(_)) => return self.call_numbers(op, one(on)),
            _ => {}
        }
        let t = self.the_type(&on)?;
        let kind = self.type_kind(&t);
        if let TypeKind::Dialect = kind
            && let Some(found) = self.of_declared_shape(op, &t, &mut args)?
        {
            return Ok(found);
        }
        let signless = matches!(kind, TypeKind::Integer { signedness: Signedness::Signless, .. });
        let integer = matches!(kind, TypeKind::Integer { .. });
        let float = matches!(kind, TypeKind::Float(_));
        let index = matches!(kind, TypeKind::Index);
        let is_float = |format: FloatFormat| Val::Bool(matches!(kind, TypeKind::Float(f) if f == format));
        let rank = self.shaped(&t).map(|(_, rank)| rank);
        let ranked = || match rank {
            Some(Some(rank)) => Ok(rank),
            Some(None) => fail("an unranked type is asked for its shape"),
            None => fail("a type without shape is asked for it"),
        };
        Ok(match op {
            B::IsInteger | B::IsSignlessInteger | B::IsSignedInteger | B::IsUnsignedInteger => {
                let TypeKind::Integer { width, signedness } = kind else { return Ok(Val::Bool(false)) };
                let sign = match op {
                    B::IsSignlessInteger => signedness == Signedness::Signless,
                    B::IsSignedInteger => signedness == Signedness::Signed,
                    B::IsUnsignedInteger => signedness == Signedness::Unsigned,
                    _ => true,
                };
                let wide = args.len < 2 || self.int(&args.take(1))? == i128::from(width);
                Val::Bool(sign && wide)
            }
            B::IsIndex => Val::Bool(index),
            B::IsF16 => is_float(FloatFormat::F16),
            B::IsF32 => is_float(FloatFormat::F32),
            B::IsF64 => is_float(FloatFormat::F64),
            B::IsBF16 => is_float(FloatFormat::BF16),
            B::IsF80 => is_float(FloatFormat::F80),
            B::IsF128 => is_float(FloatFormat::F128),
            B::IsTF32 => is_float(FloatFormat::TF32),
            B::IsIntOrIndex => Val::Bool(integer || index),
            B::IsIntOrFloat => Val::Bool(integer || float),
            B::IsIntOrIndexOrFloat => Val::Bool(integer || index || float),
            B::IsSignlessIntOrIndex => Val::Bool(signless || index),
            B::IsSignlessIntOrFloat => Val::Bool(signless || float),
            B::IsSignlessIntOrIndexOrFloat => Val::Bool(signless || index || float),
            B::BitWidth => Val::Int(i128::from(self.bit_width(&t)?)),
            B::IsSigned | B::IsSignless | B::IsUnsigned => {
                let TypeKind::Integer { signedness, .. } = kind else {
                    return fail("a type that is no integer is asked for its sign");
                };
                Val::Bool(match op {
                    B::IsSigned => signedness == Signedness::Signed,
                    B::IsUnsigned => signedness == Signedness::Unsigned,
                    _ => signless,
                })
            }
            B::Rank => Val::Int(i128::from(ranked()?)),
            B::HasRank => match rank {
                Some(rank) => Val::Bool(rank.is_some()),
                None => return fail("a type without shape is asked for its rank"),
            },
            B::HasStaticShape => {
                let sizes = match rank {
                    Some(None) => return Ok(Val::Bool(false)),
                    _ => self.sizes(&t, ranked()?)?,
                };
                let fixed = !sizes.contains(&DYNAMIC);
                let same = args.len < 2 || {
                    let wanted = self.ints(&args.take(1))?;
                    wanted == sizes
                };
                Val::Bool(fixed && same)
            }
            B::Shape => {
                let sizes = self.sizes(&t, ranked()?)?;
                Val::range(sizes.into_iter().map(Val::Int).collect())
            }
            B::NumElements => match self.element_count(&t).map(i64::try_from) {
                Some(Ok(count)) => Val::Int(i128::from(count)),
                _ => return fail("a type without static shape is asked for its number of elements"),
            },
            B::DimSize | B::IsDynamicDim => {
                let dim = self.int(&args.take(1))?;
                let rank = ranked()?;
                let Some(dim) = u32::try_from(dim).ok().filter(|d| *d < rank) else {
                    return fail("a dimension past the rank");
                };
                let size = self.type_dim(&t, dim);
                match op {
                    B::DimSize => Val::Int(size.map_or(DYNAMIC, i128::from)),
                    _ => Val::Bool(size.is_none()),
                }
            }
            B::NumDynamicDims => {
                let sizes = self.sizes(&t, ranked()?)?;
                let dynamic = sizes.iter().filter(|s| **s == DYNAMIC).count();
                Val::Int(i128::try_from(dynamic).unwrap_or(0))
            }
            B::ElementBitWidth => match self.shaped(&t) {
                Some((element, _)) => Val::Int(i128::from(self.bit_width(&element)?)),
                None => return fail("a type without elements is asked for their width"),
            },
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
                    return fail("a type that is no function is asked for its inputs or results");
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
                _ => return fail("a type that is no tuple is asked for its parts"),
            },
            B::TypeExtra => self.type_extra(&t).map_or(Val::Null, Val::Attr),
            B::QuantStorageType | B::QuantStorageWidth | B::QuantIsSigned | B::QuantExpressedType => {
                let text = self.type_text(&t);
                let Some(quantized) = Quantized::read(&text) else {
                    return fail("a type that is not quantised is asked for its storage");
                };
                match op {
                    B::QuantStorageType => Val::Type(self.signless(quantized.width)?),
                    B::QuantStorageWidth => Val::Int(i128::from(quantized.width)),
                    B::QuantIsSigned => Val::Bool(quantized.signed),
                    _ => match FloatFormat::from_name(quantized.expressed) {
                        Some(format) => Val::Type(self.make_type(TypeSpec::Float(format))?),
                        None => return fail("a quantised type expresses no float"),
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

    /// What is asked of the shape of a dialect's own type; none if something else is, or it is not declared to
    /// have one.
    fn of_declared_shape(
        &mut self,
        op: Builtin,
        t: &TypeRef<H>,
        args: &mut Args<H>,
    ) -> Result<Option<Val<H>>, Refusal> {
        use Builtin as B;
        match op {
            B::ElementBitWidth => {
                let Some(element) = self.declared_element(t)? else { return Ok(None) };
                return Ok(Some(Val::Int(i128::from(self.bit_width(&element)?))));
            }
            B::Rank | B::HasRank | B::HasStaticShape | B::Shape | B::NumElements => {}
            B::DimSize | B::IsDynamicDim | B::NumDynamicDims => {}
            _ => return Ok(None),
        }
        let Some(sizes) = self.declared_sizes(t)? else { return Ok(None) };
        let dynamic = sizes.iter().filter(|size| **size == DYNAMIC).count();
        let number = |count: usize| Val::Int(i128::try_from(count).unwrap_or(0));
        Ok(Some(match op {
            B::Rank => number(sizes.len()),
            B::HasRank => Val::Bool(true),
            B::HasStaticShape if args.len < 2 => Val::Bool(dynamic == 0),
            B::HasStaticShape => Val::Bool(dynamic == 0 && self.ints(&args.take(1))? == sizes),
            B::NumDynamicDims => number(dynamic),
            B::NumElements => {
                let product = sizes.iter().try_fold(1_i128, |product, size| product.checked_mul(*size));
                match product.and_then(|product| i64::try_from(product).ok()).filter(|_| dynamic == 0) {
                    Some(count) => Val::Int(i128::from(count)),
                    None => return fail("a type without static shape is asked for its number of elements"),
                }
            }
            B::DimSize | B::IsDynamicDim => {
                let dim = usize::try_from(self.int(&args.take(1))?).ok();
                let Some(&size) = dim.and_then(|dim| sizes.get(dim)) else {
                    return fail("a dimension past the rank");
                };
                if op == B::DimSize { Val::Int(size) } else { Val::Bool(size == DYNAMIC) }
            }
            _ => Val::range(sizes.into_iter().map(Val::Int).collect()),
        }))
    }

    fn parts(&mut self, t: &TypeRef<H>, range: std::ops::Range<u32>) -> Evaluated<H> {
        self.step(u64::try_from(range.len()).unwrap_or(u64::MAX))?;
        let parts: Option<Vec<Val<H>>> = range.map(|i| self.type_part(t, i).map(Val::Type)).collect();
        parts.map_or_else(|| fail("the host does not tell a type's parts"), |parts| Ok(Val::range(parts)))
    }

    fn sizes(&mut self, t: &TypeRef<H>, rank: u32) -> Result<Vec<i128>, Refusal> {
        self.step(u64::from(rank))?;
        Ok((0..rank).map(|d| self.type_dim(t, d).map_or(DYNAMIC, i128::from)).collect())
    }

    pub(super) fn bit_width(&self, t: &TypeRef<H>) -> Result<u32, Refusal> {
        match self.type_kind(t) {
            TypeKind::Integer { width, .. } => Ok(width),
            TypeKind::Float(format) => Ok(format.width()),
            _ => fail("a type that is neither integer nor float is asked for its width"),
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
                None => return fail("an attribute without type is asked for its element type"),
            },
            other => return fail(format!("{} has no element type", other.what())),
        };
        let element = match self.shaped(&t) {
            Some((element, _)) => Some(element),
            None => self.declared_element(&t)?,
        };
        Ok(Val::Type(element.unwrap_or(t)))
    }

    /// A parameter of a type of a dialect that is declared to have a shape; none if it is not.
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
            None => self.unknown(format!("C++ alone says what the '{name}' of '{text}' is")),
        }
    }

    /// The element type of a dialect's own shaped type; none if it is not declared to be one.
    fn declared_element(&mut self, t: &TypeRef<H>) -> Result<Option<TypeRef<H>>, Refusal> {
        match self.shape_param(t, "elementType")? {
            None => Ok(None),
            Some(Val::Type(element)) => Ok(Some(element)),
            Some(_) => self.unknown("C++ alone says what the element type of a shaped type is"),
        }
    }

    /// The sizes of a dialect's own shaped type; none if it is not declared to be one.
    fn declared_sizes(&mut self, t: &TypeRef<H>) -> Result<Option<Vec<i128>>, Refusal> {
        match self.shape_param(t, "shape")? {
            None => Ok(None),
            Some(Val::Range(sizes)) => self.ints(&Val::Range(sizes)).map(Some),
            Some(_) => self.unknown("C++ alone says what the shape of a shaped type is"),
        }
    }

    fn clone_type(&mut self, t: &TypeRef<H>, mut args: Args<H>) -> Evaluated<H> {
        let Some((mut element, rank)) = self.shaped(t) else {
            return fail("a type without shape cannot be cloned with another");
        };
        let mut shape = match rank {
            Some(rank) => Some(self.sizes(t, rank)?),
            None => None,
        };
        for i in 1..args.len {
            match args.take(i) {
                Val::Type(t) => element = t,
                sizes => shape = Some(self.ints(&sizes)?),
            }
        }
        let spec = match (self.type_kind(t), shape) {
            (TypeKind::Vector { .. }, Some(shape)) => {
                let scalable = (0..).zip(&shape).map(|(d, _)| self.dim_is_scalable(t, d)).collect();
                TypeSpec::Vector { shape: fixed(&shape)?, scalable, element }
            }
            (TypeKind::RankedTensor { .. } | TypeKind::UnrankedTensor(_), Some(shape)) => {
                TypeSpec::RankedTensor { shape: open(&shape)?, element, encoding: self.type_extra(t) }
            }
            (TypeKind::UnrankedTensor(_), None) => TypeSpec::UnrankedTensor(element),
            _ => return fail("a memref cannot be cloned with another shape here"),
        };
        self.make_type(spec).map(Val::Type)
    }

    pub(super) fn make_types(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let first = args.take(0);
        let signless = |width| TypeSpec::Integer { width, signedness: Signedness::Signless };
        let spec = match op {
            B::IntegerType | B::SignedIntegerType => {
                let second = args.take(1);
                let width = self.int(&first)?;
                let Some(width) = u32::try_from(width).ok().filter(|w| *w <= MAX_WIDTH) else {
                    return fail("an integer type of an impossible width");
                };
                let signedness = match op {
                    B::IntegerType => Signedness::Signless,
                    _ if super::is_true(&second) => Signedness::Signed,
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
            B::ComplexType => TypeSpec::Complex(self.the_type(&first)?),
            B::FunctionType => {
                TypeSpec::Function { inputs: self.types(&first)?, results: self.types(&args.take(1))? }
            }
            B::TupleType => TypeSpec::Tuple(self.types(&first)?),
            B::RankedTensorType => {
                let element = self.the_type(&args.take(1))?;
                let encoding = match args.take(2) {
                    Val::Attr(a) => Some(a),
                    _ => None,
                };
                TypeSpec::RankedTensor { shape: open(&self.ints(&first)?)?, element, encoding }
            }
            B::UnrankedTensorType => TypeSpec::UnrankedTensor(self.the_type(&first)?),
            B::VectorType => {
                let shape = fixed(&self.ints(&first)?)?;
                let element = self.the_type(&args.take(1))?;
                let scalable = match args.take(2) {
                    Val::Range(flags) => flags.iter().map(super::is_true).collect(),
                    _ => vec![false; shape.len()],
                };
                if scalable.len() != shape.len() {
                    return fail("a vector type has as many sizes as scalable flags");
                }
                TypeSpec::Vector { shape, scalable, element }
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

    fn types(&mut self, value: &Val<H>) -> Result<Vec<TypeRef<H>>, Refusal> {
        self.items(value)?.iter().map(|t| self.the_type(t)).collect()
    }
}

fn one<H: Facets>(value: Val<H>) -> Args<H> {
    Args { items: [value, Val::Null, Val::Null, Val::Null], len: 1 }
}

/// Sizes as a tensor type has them.
fn open(sizes: &[i128]) -> Result<Vec<Option<i64>>, Refusal> {
    let size = |&s: &i128| match i64::try_from(s) {
        Ok(i64::MIN) => Ok(None),
        Ok(s) if s >= 0 => Ok(Some(s)),
        _ => fail("a shape has a negative size"),
    };
    sizes.iter().map(size).collect()
}

/// Sizes as a vector type has them.
fn fixed(sizes: &[i128]) -> Result<Vec<i64>, Refusal> {
    let size = |&s: &i128| match i64::try_from(s) {
        Ok(s) if s > 0 => Ok(s),
        _ => fail("a vector type has a size that is not positive"),
    };
    sizes.iter().map(size).collect()
}
