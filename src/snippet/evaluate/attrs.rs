//! Built-ins over attributes, and those that create attributes.

use super::error::fail;
use super::evaluator::Evaluator;
use super::value::{Args, AttrRef, Evaluated, TypeRef, Val};
use crate::host::{AttrKind, AttrSpec, ElementValue, Facets, Refusal, Signedness, TypeKind, TypeSpec};
use crate::identifier::keyword_or_string;
use crate::number::{ApFloat, ApInt, FloatFormat};
use crate::plural;
use crate::snippet::data::{Builtin, Cases, Item};

type SpecOfAttr<H> = AttrSpec<TypeRef<H>, AttrRef<H>>;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_attrs(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        let a = on.as_attr()?;
        let kind = self.attr_kind(&a);
        Ok(match op {
            B::AttrInt | B::AttrSInt | B::AttrUInt | B::AttrApInt | B::AttrBool => {
                let Some(value) = self.attr_int(&a) else {
                    return fail("an attribute that is not an integer is read as an integer");
                };
                match op {
                    B::AttrApInt => Val::ApInt(value),
                    B::AttrBool => Val::Bool(!value.is_zero()),
                    B::AttrUInt => match value.to_u64() {
                        Some(value) => Val::Int(i128::from(value)),
                        None => return fail("an integer attribute does not fit in 64 bits"),
                    },
                    _ => match value.to_i64() {
                        Some(value) => Val::Int(i128::from(value)),
                        None => return fail("an integer attribute does not fit in 64 bits"),
                    },
                }
            }
            B::AttrFloat | B::AttrDouble => {
                let Some(value) = self.attr_float(&a) else {
                    return fail("an attribute that is not a float is read as a float");
                };
                if op == B::AttrFloat { Val::ApFloat(value) } else { Val::Double(value.to_f64()) }
            }
            B::AttrString => return self.string(&on).map(Val::Str),
            B::AttrHeldType => match self.attr_held_type(&a) {
                Some(t) => Val::Type(t),
                None => return fail("an attribute that does not hold a type is read as a type"),
            },
            B::AttrElements => Val::Range(self.items(&on)?),
            B::AttrLen | B::AttrIsEmpty | B::ElementsNumber => {
                let len = match kind {
                    AttrKind::Array { len }
                    | AttrKind::Dictionary { len }
                    | AttrKind::DenseArray { len }
                    | AttrKind::DenseElements { len, .. } => len,
                    _ => return fail("an attribute is not an array, a dictionary or dense elements"),
                };
                if op == B::AttrIsEmpty { Val::Bool(len == 0) } else { Val::Int(i128::from(len)) }
            }
            B::IsSplat => match kind {
                AttrKind::DenseElements { splat, .. } => Val::Bool(splat),
                _ => return fail("an attribute does not have dense elements"),
            },
            B::SplatValue => {
                let AttrKind::DenseElements { splat: true, .. } = kind else {
                    return fail("an attribute is not a splat");
                };
                let as_attr = args.take(1).is_true();
                return self.element_at(&a, 0, as_attr);
            }
            B::ElementsOf => {
                let as_attr = args.take(1).is_true();
                return self.elements(&a, as_attr).map(Val::range);
            }
            B::Reshape | B::Bitcast => {
                let to = args.take(1).as_type()?;
                return self.reshape(&a, to, op == B::Bitcast);
            }
            B::DictEntries => {
                let AttrKind::Dictionary { len } = kind else {
                    return fail("an attribute is not a dictionary");
                };
                self.step(len)?;
                let mut entries = Vec::new();
                for at in 0..len {
                    let Some(name) = self.attr_entry_name(&a, at) else {
                        return fail("the host does not provide the names of a dictionary");
                    };
                    entries.push(Val::Tuple(vec![Val::str(name), self.element_at(&a, at, true)?].into()));
                }
                Val::range(entries)
            }
            B::SymbolNames => match self.symbol_names(&a) {
                Some(names) => {
                    self.step(names.len() as u64)?;
                    Val::range(names.into_iter().map(Val::str).collect())
                }
                None => return fail("an attribute is not a symbol reference"),
            },
            B::DictGet | B::DictHas => {
                let AttrKind::Dictionary { len } = kind else {
                    return fail("an attribute is not a dictionary");
                };
                let name = self.string(&args.take(1))?;
                self.step(len)?;
                let at = (0..len).find(|&i| self.attr_entry_name(&a, i).is_some_and(|n| *n == *name));
                match (op, at) {
                    (B::DictHas, at) => Val::Bool(at.is_some()),
                    (_, Some(at)) => return self.element_at(&a, at, true),
                    (_, None) => Val::Null,
                }
            }
            _ => return fail("the snippet is malformed"),
        })
    }

    /// Returns dense elements of the type `to` with the elements of `a`. If `bitcast` is true, the bits of each element
    /// are read as a value of the element type of `to`.
    fn reshape(&mut self, a: &AttrRef<H>, to: TypeRef<H>, bitcast: bool) -> Evaluated<H> {
        let AttrKind::DenseElements { len, splat } = self.attr_kind(a) else {
            return fail("an attribute does not have dense elements");
        };
        if self.element_count(&to) != Some(len) {
            return fail("a reshape changes the number of elements");
        }
        let element = self.shaped(&to).map(|(element, _)| self.type_kind(&element));
        let stored = if splat { 1 } else { len };
        self.step(stored)?;
        let mut ints = Vec::new();
        let mut floats = Vec::new();
        for i in 0..stored {
            let Some(value) = self.attr_element(a, i) else {
                return fail("the host does not provide the value of an element");
            };
            let value = match &element {
                Some(element) if bitcast => bitcast_element(value, element),
                _ => Some(value),
            };
            match value {
                Some(ElementValue::Int(x)) => ints.push(x),
                Some(ElementValue::Float(x)) => floats.push(x),
                _ if bitcast => {
                    return fail(
                        "an element cannot be bitcast to the new element type, because it has another width or is not a number",
                    );
                }
                _ => return fail("a reshape needs elements that are integers or floats"),
            }
        }
        // If there are no elements, the new element type decides between integers and floats.
        let is_float = matches!(element, Some(TypeKind::Float(_)));
        let has_ints = if stored == 0 { !is_float } else { floats.is_empty() };
        self.make_attr(if has_ints {
            AttrSpec::DenseInts(ints, to)
        } else {
            AttrSpec::DenseFloats(floats, to)
        })
    }

    pub(super) fn make_attrs(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let first = args.take(0);
        let signless = |width| TypeSpec::Integer { width, signedness: Signedness::Signless };
        let spec = match op {
            B::IntegerAttr => {
                let t = first.as_type()?;
                return self.integer_attr(t, &args.take(1));
            }
            B::I1Attr => return self.integer_of(&first, 1, Signedness::Signless),
            B::I8Attr => return self.integer_of(&first, 8, Signedness::Signless),
            B::I16Attr => return self.integer_of(&first, 16, Signedness::Signless),
            B::I32Attr => return self.integer_of(&first, 32, Signedness::Signless),
            B::I64Attr => return self.integer_of(&first, 64, Signedness::Signless),
            B::SI8Attr => return self.integer_of(&first, 8, Signedness::Signed),
            B::SI16Attr => return self.integer_of(&first, 16, Signedness::Signed),
            B::SI32Attr => return self.integer_of(&first, 32, Signedness::Signed),
            B::SI64Attr => return self.integer_of(&first, 64, Signedness::Signed),
            B::UI8Attr => return self.integer_of(&first, 8, Signedness::Unsigned),
            B::UI16Attr => return self.integer_of(&first, 16, Signedness::Unsigned),
            B::UI32Attr => return self.integer_of(&first, 32, Signedness::Unsigned),
            B::UI64Attr => return self.integer_of(&first, 64, Signedness::Unsigned),
            B::IndexAttr => {
                let t = self.make_type(TypeSpec::Index)?;
                return self.integer_attr(t, &first);
            }
            B::BoolAttr => {
                let t = self.signless(1)?;
                AttrSpec::Integer(ApInt::from_u64(1, u64::from(first.is_true())), t)
            }
            B::FloatAttr => {
                let t = first.as_type()?;
                return self.float_attr(t, &args.take(1));
            }
            B::F16Attr => return self.float_of(&first, FloatFormat::F16),
            B::F32Attr => return self.float_of(&first, FloatFormat::F32),
            B::F64Attr => return self.float_of(&first, FloatFormat::F64),
            B::StringAttr => AttrSpec::String(self.string(&first)?.to_string()),
            B::SymbolRefAttr => {
                let root = self.string(&first)?.to_string();
                let nested = match args.take(1) {
                    Val::Null => Vec::new().into(),
                    nested => self.items(&nested)?,
                };
                if nested.is_empty() {
                    AttrSpec::SymbolRef(root)
                } else {
                    let mut text = format!("@{}", keyword_or_string(&root));
                    for name in nested.iter() {
                        let Some(name) = self.attr_string(&name.as_attr()?) else {
                            return fail(
                                "a nested name of a symbol reference is not a flat symbol reference",
                            );
                        };
                        text.push_str("::@");
                        text.push_str(&keyword_or_string(&name));
                    }
                    AttrSpec::Text(text)
                }
            }
            B::ArrayAttr => {
                let items = self.items(&first)?;
                AttrSpec::Array(items.iter().map(|a| a.as_attr()).collect::<Result<_, _>>()?)
            }
            B::TypeAttr => AttrSpec::Type(first.as_type()?),
            B::DictionaryAttr => {
                let items = self.items(&first)?;
                self.step(items.len() as u64)?;
                let mut entries = Vec::with_capacity(items.len());
                for item in items.iter() {
                    let (name, value) = item.as_entry()?;
                    let name = self.string(name)?.to_string();
                    if entries.iter().any(|(other, _)| *other == name) {
                        return fail("a dictionary has two attributes with the same name");
                    }
                    entries.push((name, value.clone()));
                }
                AttrSpec::Dictionary(entries)
            }
            B::UnitAttr => AttrSpec::Unit,
            B::ZeroAttr => {
                let t = first.as_type()?;
                return self.splat_number(t, 0);
            }
            B::OneAttr => {
                let t = first.as_type()?;
                return self.splat_number(t, 1);
            }
            B::DenseElements => {
                let t = first.as_type()?;
                return self.dense(t, &args.take(1));
            }
            B::DenseBools => return self.dense_array(&first, 1),
            B::DenseI8 => return self.dense_array(&first, 8),
            B::DenseI16 => return self.dense_array(&first, 16),
            B::DenseI32 => return self.dense_array(&first, 32),
            B::DenseI64 => return self.dense_array(&first, 64),
            B::DenseF32 => return self.dense_floats(&first, FloatFormat::F32),
            B::DenseF64 => return self.dense_floats(&first, FloatFormat::F64),
            B::BoolArray => return self.array_of(&first, B::BoolAttr),
            B::I32Array => return self.array_of(&first, B::I32Attr),
            B::I64Array => return self.array_of(&first, B::I64Attr),
            B::IndexArray => return self.array_of(&first, B::IndexAttr),
            B::F32Array => return self.array_of(&first, B::F32Attr),
            B::F64Array => return self.array_of(&first, B::F64Attr),
            B::StrArray => return self.array_of(&first, B::StringAttr),
            B::TypeArray => return self.array_of(&first, B::TypeAttr),
            B::BoolVector => return self.one_dimensional(&first, signless(1), true),
            B::I32Vector => return self.one_dimensional(&first, signless(32), true),
            B::I64Vector => return self.one_dimensional(&first, signless(64), true),
            B::IndexVector => return self.one_dimensional(&first, TypeSpec::Index, true),
            B::F32Vector => return self.one_dimensional(&first, TypeSpec::Float(FloatFormat::F32), true),
            B::F64Vector => return self.one_dimensional(&first, TypeSpec::Float(FloatFormat::F64), true),
            B::I32Tensor => return self.one_dimensional(&first, signless(32), false),
            B::I64Tensor => return self.one_dimensional(&first, signless(64), false),
            B::IndexTensor => return self.one_dimensional(&first, TypeSpec::Index, false),
            B::EnumAttr => {
                let cases = self.cases(&args.take(2))?;
                return self.enum_attr(&first, &args.take(1), cases);
            }
            _ => return fail("the snippet is malformed"),
        };
        self.make_attr(spec)
    }

    fn integer_of(&mut self, value: &Val<H>, width: u32, signedness: Signedness) -> Evaluated<H> {
        let t = self.make_type(TypeSpec::Integer { width, signedness })?;
        self.integer_attr(t, value)
    }

    fn integer_attr(&mut self, t: TypeRef<H>, value: &Val<H>) -> Evaluated<H> {
        let width = self.int_width(&t)?;
        let value = match value {
            Val::ApInt(x) if x.width() == width => x.clone(),
            Val::ApInt(_) => {
                return fail("the value of an integer attribute does not have the width of its type");
            }
            other => {
                let value = self.fixed_width(other, 64.min(width))?;
                // Only a signed type extends the sign of a machine integer.
                let is_signed =
                    matches!(self.type_kind(&t), TypeKind::Integer { signedness: Signedness::Signed, .. });
                if is_signed { value.sext_or_trunc(width) } else { value.zext_or_trunc(width) }
            }
        };
        self.make_attr(AttrSpec::Integer(value, t))
    }

    /// Converts a machine integer to an integer with `width` bits. Excess bits are dropped, as in C++.
    fn fixed_width(&self, value: &Val<H>, width: u32) -> Result<ApInt, Refusal> {
        let value = value.int()?;
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Ok(ApInt::from_i64(width, value)),
            (_, Ok(value)) => Ok(ApInt::from_u64(width, value)),
            _ => fail("an integer does not fit in 64 bits"),
        }
    }

    fn float_of(&mut self, value: &Val<H>, format: FloatFormat) -> Evaluated<H> {
        let t = self.make_type(TypeSpec::Float(format))?;
        self.float_attr(t, value)
    }

    fn float_attr(&mut self, t: TypeRef<H>, value: &Val<H>) -> Evaluated<H> {
        let TypeKind::Float(format) = self.type_kind(&t) else {
            return fail("a float attribute needs a float type");
        };
        let value = match value {
            Val::ApFloat(x) if x.format() == format => *x,
            Val::ApFloat(_) => {
                return fail("the value of a float attribute does not have the format of its type");
            }
            other => ApFloat::from_f64(format, other.double()?),
        };
        self.make_attr(AttrSpec::Float(value, t))
    }

    /// The attribute of the number type `t` with the value `number`. If `t` is a vector or ranked tensor of numbers,
    /// every element has this value. Returns null for another type.
    fn splat_number(&mut self, t: TypeRef<H>, number: u64) -> Evaluated<H> {
        let int = |width| ApInt::from_u64(width, number);
        let float = |format| ApFloat::from_f64(format, if number == 0 { 0.0 } else { 1.0 });
        let spec: SpecOfAttr<H> = match self.type_kind(&t) {
            TypeKind::Integer { width, .. } => AttrSpec::Integer(int(width), t),
            TypeKind::Index => AttrSpec::Integer(int(64), t),
            TypeKind::Float(format) => AttrSpec::Float(float(format), t),
            TypeKind::Vector { element, .. } | TypeKind::RankedTensor { element, .. } => {
                match self.type_kind(&element) {
                    TypeKind::Integer { width, .. } => AttrSpec::DenseInts(vec![int(width)], t),
                    TypeKind::Index => AttrSpec::DenseInts(vec![int(64)], t),
                    TypeKind::Float(format) => AttrSpec::DenseFloats(vec![float(format)], t),
                    _ => return Ok(Val::Null),
                }
            }
            _ => return Ok(Val::Null),
        };
        self.make_attr(spec)
    }

    fn dense(&mut self, t: TypeRef<H>, value: &Val<H>) -> Evaluated<H> {
        let Some((element, _)) = self.shaped(&t) else { return fail("elements need a shaped type") };
        let Some(count) = self.element_count(&t) else { return fail("elements need a static shape") };
        let items = match value {
            Val::Range(items) => items.clone(),
            single => vec![single.clone()].into(),
        };
        let supplied = items.len() as u64;
        if supplied != count && supplied != 1 {
            return fail(format!(
                "{} are given for a shape of {}; expected {}{}",
                plural::count(supplied, "value"),
                plural::count(count, "element"),
                plural::count(count, "value"),
                if count == 1 { "" } else { " or 1" }
            ));
        }
        self.step(supplied)?;
        match self.type_kind(&element) {
            TypeKind::Float(format) => {
                let float = |item: &Val<H>| match item {
                    Val::Attr(a) => {
                        self.attr_float(a).ok_or_else(|| Refusal::new("an element is not a float"))
                    }
                    Val::ApFloat(x) if x.format() == format => Ok(*x),
                    Val::ApFloat(_) => fail("an element does not have the format of its type"),
                    // The function that a snippet passes to `mapValues` returns the bits of a float.
                    Val::ApInt(bits) if bits.width() == format.width() => {
                        match u128::try_from(bits.to_biguint()) {
                            Ok(bits) => Ok(ApFloat::from_bits(format, bits)),
                            Err(_) => fail("an element does not have the format of its type"),
                        }
                    }
                    other => Ok(ApFloat::from_f64(format, other.double()?)),
                };
                let mut values = items.iter().map(float).collect::<Result<Vec<_>, _>>()?;
                splat(&mut values);
                self.make_attr(AttrSpec::DenseFloats(values, t))
            }
            TypeKind::Integer { .. } | TypeKind::Index => {
                let width = self.int_width(&element)?;
                let int = |item: &Val<H>| match item {
                    Val::Attr(a) => {
                        self.attr_int(a).ok_or_else(|| Refusal::new("an element is not an integer"))
                    }
                    Val::ApInt(x) if x.width() == width => Ok(x.clone()),
                    Val::ApInt(_) => fail("an element does not have the width of its type"),
                    other => self.fixed_width(other, width),
                };
                let mut values = items.iter().map(int).collect::<Result<Vec<_>, _>>()?;
                splat(&mut values);
                self.make_attr(AttrSpec::DenseInts(values, t))
            }
            _ => fail("elements are neither integers nor floats"),
        }
    }

    fn dense_array(&mut self, value: &Val<H>, width: u32) -> Evaluated<H> {
        let items = self.items(value)?;
        let t = self.signless(width)?;
        let values = items
            .iter()
            .map(|item| match item {
                Val::Bool(b) => Ok(ApInt::from_u64(width, u64::from(*b))),
                other => self.fixed_width(other, width),
            })
            .collect::<Result<Vec<_>, _>>()?;
        self.make_attr(AttrSpec::DenseArray(values, t))
    }

    fn dense_floats(&mut self, value: &Val<H>, format: FloatFormat) -> Evaluated<H> {
        let items = self.items(value)?;
        let mut text = format!("array<{}", format.name());
        for (i, item) in items.iter().enumerate() {
            text.push_str(if i == 0 { ": " } else { ", " });
            text.push_str(&ApFloat::from_f64(format, item.double()?).to_string());
        }
        text.push('>');
        self.make_attr(AttrSpec::Text(text))
    }

    /// An array attribute whose elements the built-in `op` creates.
    fn array_of(&mut self, value: &Val<H>, op: Builtin) -> Evaluated<H> {
        let items = self.items(value)?;
        let mut attrs = Vec::with_capacity(items.len());
        for item in items.iter() {
            self.step(1)?;
            let mut args = Args::new();
            args.push(item.clone())?;
            attrs.push(self.make_attrs(op, args)?.as_attr()?);
        }
        self.make_attr(AttrSpec::Array(attrs))
    }

    /// An attribute of a one-dimensional vector or tensor with these elements.
    fn one_dimensional(
        &mut self,
        value: &Val<H>,
        element: TypeSpec<TypeRef<H>, AttrRef<H>>,
        vector: bool,
    ) -> Evaluated<H> {
        let items = self.items(value)?;
        let Ok(len) = i64::try_from(items.len()) else { return fail("a range has too many elements") };
        let element = self.make_type(element)?;
        let t = self.make_type(if vector {
            TypeSpec::Vector { shape: vec![len], scalable: vec![false], element }
        } else {
            TypeSpec::RankedTensor { shape: vec![Some(len)], element, encoding: None }
        })?;
        self.dense(t, &Val::Range(items))
    }

    /// An attribute that holds a value of an enumeration. `class` is the width of an integer attribute, or the text of
    /// the attribute's class.
    fn enum_attr(&mut self, class: &Val<H>, value: &Val<H>, cases: &Cases) -> Evaluated<H> {
        let value = value.int()?;
        let Ok(value) = u64::try_from(value) else { return fail("an enumeration has no negative values") };
        if let Val::Str(prefix) = class {
            let Some(text) = cases.text(value) else {
                return fail(format!("{value} is not a value of the enumeration"));
            };
            return self.make_attr(AttrSpec::Text(format!("{prefix}<{text}>")));
        }
        let Ok(width) = u32::try_from(class.int()?) else { return fail("the snippet is malformed") };
        let t = self.signless(width)?;
        self.make_attr(AttrSpec::Integer(ApInt::from_u64(width, value), t))
    }

    /// The attribute that represents a property.
    pub(super) fn property_attr(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        let spec = match (item, &value) {
            (_, Val::Attr(_) | Val::Null) => return Ok(value),
            (_, Val::Range(items)) => {
                let mut attrs = Vec::with_capacity(items.len());
                for item_value in items.iter() {
                    self.step(1)?;
                    let attr = self.property_attr(item_value.clone(), item)?;
                    attrs.push(attr.as_attr()?);
                }
                AttrSpec::Array(attrs)
            }
            (Item::Bool, _) | (Item::Unknown, Val::Bool(_)) => {
                let t = self.signless(1)?;
                AttrSpec::Integer(ApInt::from_u64(1, u64::from(value.is_true())), t)
            }
            (Item::Str, _) | (Item::Unknown, Val::Str(_)) => {
                AttrSpec::String(self.string(&value)?.to_string())
            }
            (Item::Double, _) => return self.float_of(&value, FloatFormat::F64),
            (Item::Int(int), _) => {
                let width = u32::from(int.bits);
                let t = self.signless(width)?;
                AttrSpec::Integer(self.fixed_width(&value, width)?, t)
            }
            (Item::Unknown, Val::Int(_)) => {
                let t = self.signless(64)?;
                AttrSpec::Integer(self.fixed_width(&value, 64)?, t)
            }
            _ => return fail(format!("no attribute represents {}", value.variant_name())),
        };
        self.make_attr(spec)
    }
}

/// The element of the type `to` with the same bits; `None` if the element or `to` is not a number, or if they have
/// different widths.
fn bitcast_element<T, A>(value: ElementValue<A>, to: &TypeKind<T>) -> Option<ElementValue<A>> {
    let bits = match value {
        ElementValue::Int(x) => x,
        ElementValue::Float(x) => ApInt::from_biguint(x.format().width(), &x.to_bits().into()),
        ElementValue::Attr(_) | ElementValue::Str(_) => return None,
    };
    match *to {
        TypeKind::Integer { width, .. } if width == bits.width() => Some(ElementValue::Int(bits)),
        TypeKind::Index if bits.width() == 64 => Some(ElementValue::Int(bits)),
        TypeKind::Float(format) if format.width() == bits.width() => {
            let bits = u128::try_from(bits.to_biguint()).ok()?;
            Some(ElementValue::Float(ApFloat::from_bits(format, bits)))
        }
        _ => None,
    }
}

/// Removes all elements but the first if all are equal.
fn splat<T: PartialEq>(values: &mut Vec<T>) {
    if values.len() > 1 && values.iter().all(|v| *v == values[0]) {
        values.truncate(1);
    }
}
