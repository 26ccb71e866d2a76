//! Built-ins over attributes, and those that make attributes.

use super::enums::Cases;
use super::value::{AttrRef, TypeRef, Val};
use super::{Args, Builtin, Evaluated, Evaluator, fail, is_true};
use crate::host::{AttrKind, AttrSpec, ElementValue, Facets, Refusal, Signedness, TypeKind, TypeSpec};
use crate::number::{ApFloat, ApInt, FloatFormat};
use crate::snippet::{EnumId, Item};

type Made<H> = AttrSpec<TypeRef<H>, AttrRef<H>>;

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn call_attrs(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let on = args.take(0);
        let a = self.the_attr(&on)?;
        let kind = self.attr_kind(&a);
        Ok(match op {
            B::AttrInt | B::AttrSInt | B::AttrUInt | B::AttrApInt | B::AttrBool => {
                let Some(value) = self.attr_int(&a) else {
                    return fail("an attribute that is no integer is asked for its value");
                };
                match op {
                    B::AttrApInt => Val::ApInt(value),
                    B::AttrBool => Val::Bool(!value.is_zero()),
                    B::AttrUInt => match value.to_u64() {
                        Some(value) => Val::Int(i128::from(value)),
                        None => return fail("an integer attribute does not fit 64 bits"),
                    },
                    _ => match value.to_i64() {
                        Some(value) => Val::Int(i128::from(value)),
                        None => return fail("an integer attribute does not fit 64 bits"),
                    },
                }
            }
            B::AttrFloat | B::AttrDouble => {
                let Some(value) = self.attr_float(&a) else {
                    return fail("an attribute that is no float is asked for its value");
                };
                if op == B::AttrFloat { Val::ApFloat(value) } else { Val::Double(value.to_f64()) }
            }
            B::AttrString => return self.string(&on).map(Val::Str),
            B::AttrHeldType => match self.attr_held_type(&a) {
                Some(t) => Val::Type(t),
                None => return fail("an attribute that holds no type is asked for it"),
            },
            B::AttrElements => Val::Range(self.items(&on)?),
            B::AttrLen | B::AttrIsEmpty | B::ElementsNumber => {
                let len = match kind {
                    AttrKind::Array { len }
                    | AttrKind::Dictionary { len }
                    | AttrKind::DenseArray { len }
                    | AttrKind::DenseElements { len, .. } => len,
                    _ => return fail("an attribute without elements is asked for their number"),
                };
                if op == B::AttrIsEmpty { Val::Bool(len == 0) } else { Val::Int(i128::from(len)) }
            }
            B::IsSplat => match kind {
                AttrKind::DenseElements { splat, .. } => Val::Bool(splat),
                _ => return fail("an attribute without elements is asked whether it is a splat"),
            },
            B::SplatValue => {
                let AttrKind::DenseElements { splat: true, .. } = kind else {
                    return fail("an attribute that is no splat is asked for its value");
                };
                let as_attr = is_true(&args.take(1));
                return self.element_at(&a, 0, as_attr);
            }
            B::ElementsOf => {
                let as_attr = is_true(&args.take(1));
                return self.elements(&a, as_attr).map(Val::range);
            }
            B::Reshape => {
                let to = self.the_type(&args.take(1))?;
                return self.reshape(&a, to);
            }
            B::DictGet | B::DictHas => {
                let AttrKind::Dictionary { len } = kind else {
                    return fail("an attribute that is no dictionary is asked for an entry");
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

    /// An element as the value it is, or as an attribute of its own.
    fn element_at(&mut self, a: &AttrRef<H>, index: u64, as_attr: bool) -> Evaluated<H> {
        let array = matches!(self.attr_kind(a), AttrKind::DenseArray { .. });
        let Some(element) = self.attr_element(a, index) else {
            return fail("the host does not tell an element's value");
        };
        let ty = |this: &Self| this.attr_type(a).and_then(|t| this.shaped(&t)).map(|(element, _)| element);
        Ok(match element {
            ElementValue::Attr(a) => Val::Attr(a),
            ElementValue::Str(text) if as_attr => return self.make_attr(AttrSpec::String(text)),
            ElementValue::Str(text) => Val::str(text),
            ElementValue::Int(x) if array && x.width() == 1 => Val::Bool(!x.is_zero()),
            ElementValue::Int(x) if array => match x.to_i64() {
                Some(x) => Val::Int(i128::from(x)),
                None => return fail("an element does not fit 64 bits"),
            },
            ElementValue::Float(x) if array => Val::Double(x.to_f64()),
            ElementValue::Int(x) if as_attr => {
                let Some(t) = ty(self) else { return fail("elements without a type") };
                return self.make_attr(AttrSpec::Integer(x, t));
            }
            ElementValue::Float(x) if as_attr => {
                let Some(t) = ty(self) else { return fail("elements without a type") };
                return self.make_attr(AttrSpec::Float(x, t));
            }
            ElementValue::Int(x) => Val::ApInt(x),
            ElementValue::Float(x) => Val::ApFloat(x),
        })
    }

    pub(super) fn elements(&mut self, a: &AttrRef<H>, as_attr: bool) -> Result<Vec<Val<H>>, Refusal> {
        let (len, splat) = match self.attr_kind(a) {
            AttrKind::Array { len } | AttrKind::DenseArray { len } => (len, false),
            AttrKind::DenseElements { len, splat } => (len, splat),
            _ => return fail("an attribute without elements is used as a range"),
        };
        self.step(len)?;
        if splat && len > 0 {
            let one = self.element_at(a, 0, as_attr)?;
            return Ok(vec![one; usize::try_from(len).unwrap_or(0)]);
        }
        (0..len).map(|i| self.element_at(a, i, as_attr)).collect()
    }

    fn reshape(&mut self, a: &AttrRef<H>, to: TypeRef<H>) -> Evaluated<H> {
        let AttrKind::DenseElements { len, splat } = self.attr_kind(a) else {
            return fail("an attribute without elements is reshaped");
        };
        if self.element_count(&to) != Some(len) {
            return fail("a reshape changes the number of elements");
        }
        let stored = if splat { 1 } else { len };
        self.step(stored)?;
        let mut ints = Vec::new();
        let mut floats = Vec::new();
        for i in 0..stored {
            match self.attr_element(a, i) {
                Some(ElementValue::Int(x)) => ints.push(x),
                Some(ElementValue::Float(x)) => floats.push(x),
                _ => return fail("the host does not tell an element's value"),
            }
        }
        self.make_attr(if floats.is_empty() {
            AttrSpec::DenseInts(ints, to)
        } else {
            AttrSpec::DenseFloats(floats, to)
        })
    }

    pub(super) fn make_attrs(&mut self, op: Builtin, mut args: Args<H>) -> Evaluated<H> {
        use Builtin as B;
        let first = args.take(0);
        let spec = match op {
            B::IntegerAttr => {
                let t = self.the_type(&first)?;
                return self.integer_attr(t, &args.take(1));
            }
            B::I1Attr => return self.sized(&first, 1, Signedness::Signless),
            B::I8Attr => return self.sized(&first, 8, Signedness::Signless),
            B::I16Attr => return self.sized(&first, 16, Signedness::Signless),
            B::I32Attr => return self.sized(&first, 32, Signedness::Signless),
            B::I64Attr => return self.sized(&first, 64, Signedness::Signless),
            B::SI8Attr => return self.sized(&first, 8, Signedness::Signed),
            B::SI16Attr => return self.sized(&first, 16, Signedness::Signed),
            B::SI32Attr => return self.sized(&first, 32, Signedness::Signed),
            B::SI64Attr => return self.sized(&first, 64, Signedness::Signed),
            B::UI8Attr => return self.sized(&first, 8, Signedness::Unsigned),
            B::UI16Attr => return self.sized(&first, 16, Signedness::Unsigned),
            B::UI32Attr => return self.sized(&first, 32, Signedness::Unsigned),
            B::UI64Attr => return self.sized(&first, 64, Signedness::Unsigned),
            B::IndexAttr => {
                let t = self.make_type(TypeSpec::Index)?;
                return self.integer_attr(t, &first);
            }
            B::BoolAttr => {
                let t = self.signless(1)?;
                AttrSpec::Integer(ApInt::from_u64(1, u64::from(is_true(&first))), t)
            }
            B::FloatAttr => {
                let t = self.the_type(&first)?;
                return self.float_attr(t, &args.take(1));
            }
            B::F16Attr => return self.float_of(&first, FloatFormat::F16),
            B::F32Attr => return self.float_of(&first, FloatFormat::F32),
            B::F64Attr => return self.float_of(&first, FloatFormat::F64),
            B::StringAttr => AttrSpec::String(self.string(&first)?.to_string()),
            B::SymbolRefAttr => AttrSpec::SymbolRef(self.string(&first)?.to_string()),
            B::ArrayAttr => {
                let items = self.items(&first)?;
                AttrSpec::Array(items.iter().map(|a| self.the_attr(a)).collect::<Result<_, _>>()?)
            }
            B::TypeAttr => AttrSpec::Type(self.the_type(&first)?),
            B::UnitAttr => AttrSpec::Unit,
            B::ZeroAttr => {
                let t = self.the_type(&first)?;
                return self.splat_number(t, 0);
            }
            B::OneAttr => {
                let t = self.the_type(&first)?;
                return self.splat_number(t, 1);
            }
            B::DenseElements => {
                let t = self.the_type(&first)?;
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
            B::I32Vector => return self.line(&first, 32, true),
            B::I64Vector => return self.line(&first, 64, true),
            B::I32Tensor => return self.line(&first, 32, false),
            B::I64Tensor => return self.line(&first, 64, false),
            B::EnumAttr => {
                let cases = self.cases(&args.take(2), &args.take(3))?;
                return self.enum_attr(&first, &args.take(1), &cases);
            }
            _ => return fail("the snippet is malformed"),
        };
        self.make_attr(spec)
    }

    fn sized(&mut self, value: &Val<H>, width: u32, signedness: Signedness) -> Evaluated<H> {
        let t = self.make_type(TypeSpec::Integer { width, signedness })?;
        self.integer_attr(t, value)
    }

    fn integer_attr(&mut self, t: TypeRef<H>, value: &Val<H>) -> Evaluated<H> {
        let width = self.int_width(&t)?;
        let value = match value {
            Val::ApInt(x) if x.width() == width => x.clone(),
            Val::ApInt(_) => return fail("an integer attribute's value has not the width of its type"),
            other => self.fixed_width(other, width)?,
        };
        self.make_attr(AttrSpec::Integer(value, t))
    }

    /// A machine integer in a width; what does not fit is cut off, as C++ does.
    fn fixed_width(&self, value: &Val<H>, width: u32) -> Result<ApInt, Refusal> {
        let value = self.int(value)?;
        match (i64::try_from(value), u64::try_from(value)) {
            (Ok(value), _) => Ok(ApInt::from_i64(width, value)),
            (_, Ok(value)) => Ok(ApInt::from_u64(width, value)),
            _ => fail("an integer does not fit 64 bits"),
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
            Val::ApFloat(_) => return fail("a float attribute's value has not the format of its type"),
            other => ApFloat::from_f64(format, self.double(other)?),
        };
        self.make_attr(AttrSpec::Float(value, t))
    }

    /// The attribute that is `number` for every element of a type; null for a type without numbers.
    fn splat_number(&mut self, t: TypeRef<H>, number: u64) -> Evaluated<H> {
        let int = |width| ApInt::from_u64(width, number);
        let float = |format| ApFloat::from_f64(format, if number == 0 { 0.0 } else { 1.0 });
        let spec: Made<H> = match self.type_kind(&t) {
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
        let given = u64::try_from(items.len()).unwrap_or(u64::MAX);
        if given != count && given != 1 {
            return fail(format!("{given} elements are given for a shape of {count}"));
        }
        self.step(given)?;
        match self.type_kind(&element) {
            TypeKind::Float(format) => {
                let float = |item: &Val<H>| match item {
                    Val::Attr(a) => self.attr_float(a).ok_or_else(|| Refusal::new("an element is no float")),
                    Val::ApFloat(x) if x.format() == format => Ok(*x),
                    Val::ApFloat(_) => fail("an element has not the format of its type"),
                    other => Ok(ApFloat::from_f64(format, self.double(other)?)),
                };
                let mut values = items.iter().map(float).collect::<Result<Vec<_>, _>>()?;
                splat(&mut values);
                self.make_attr(AttrSpec::DenseFloats(values, t))
            }
            TypeKind::Integer { .. } | TypeKind::Index => {
                let width = self.int_width(&element)?;
                let int = |item: &Val<H>| match item {
                    Val::Attr(a) => self.attr_int(a).ok_or_else(|| Refusal::new("an element is no integer")),
                    Val::ApInt(x) if x.width() == width => Ok(x.clone()),
                    Val::ApInt(_) => fail("an element has not the width of its type"),
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
            text.push_str(&ApFloat::from_f64(format, self.double(item)?).to_string());
        }
        text.push('>');
        self.make_attr(AttrSpec::Text(text))
    }

    /// An array of what a built-in makes of each element.
    fn array_of(&mut self, value: &Val<H>, op: Builtin) -> Evaluated<H> {
        let items = self.items(value)?;
        let mut attrs = Vec::with_capacity(items.len());
        for item in items.iter() {
            self.step(1)?;
            let mut args = Args { items: [const { Val::Null }; 4], len: 1 };
            args.items[0] = item.clone();
            let made = self.make_attrs(op, args)?;
            attrs.push(self.the_attr(&made)?);
        }
        self.make_attr(AttrSpec::Array(attrs))
    }

    /// Elements of a one-dimensional vector or tensor.
    fn line(&mut self, value: &Val<H>, width: u32, vector: bool) -> Evaluated<H> {
        let items = self.items(value)?;
        let Ok(len) = i64::try_from(items.len()) else { return fail("too many elements") };
        let element = self.signless(width)?;
        let t = self.make_type(if vector {
            TypeSpec::Vector { shape: vec![len], scalable: vec![false], element }
        } else {
            TypeSpec::RankedTensor { shape: vec![Some(len)], element, encoding: None }
        })?;
        self.dense(t, &Val::Range(items))
    }

    /// An attribute of an enumeration: an integer of this width, or a text of this prefix.
    fn enum_attr(&mut self, class: &Val<H>, value: &Val<H>, cases: &Cases) -> Evaluated<H> {
        let value = self.int(value)?;
        let Ok(value) = u64::try_from(value) else { return fail("an enumeration has no negative value") };
        if let Val::Str(prefix) = class {
            let Some(text) = cases.text(value) else {
                return fail(format!("an enumeration has no value {value}"));
            };
            return self.make_attr(AttrSpec::Text(format!("{prefix}<{text}>")));
        }
        let Ok(width) = u32::try_from(self.int(class)?) else { return fail("the snippet is malformed") };
        let t = self.signless(width)?;
        self.make_attr(AttrSpec::Integer(ApInt::from_u64(width, value), t))
    }

    /// Whether an attribute is a signless integer of a width that is an enumeration's value.
    pub(super) fn holds_enum(&self, a: &AttrRef<H>, width: u32, id: EnumId) -> bool {
        let signless = TypeKind::Integer { width, signedness: Signedness::Signless };
        let typed = self.attr_type(a).is_some_and(|t| self.type_kind(&t) == signless);
        let (true, Some(cases)) = (typed, self.entries(id)) else { return false };
        self.attr_int(a).and_then(|value| cases.of_number(value.to_u64()?)).is_some()
    }

    /// The value of an enumeration's attribute.
    pub(super) fn enum_value(&self, a: &AttrRef<H>, id: EnumId) -> Result<u64, Refusal> {
        if let Some(value) = self.attr_int(a) {
            return value.to_u64().ok_or_else(|| Refusal::new("an enumeration's value does not fit 64 bits"));
        }
        let text = self.attr_text(a);
        let parameter = |class| {
            let found = self.snippets.read_body(class, &text).ok()?;
            found.first().copied().flatten()
        };
        // One whose definition does not say how it is written has its value in brackets.
        let written = self
            .snippets
            .class_of_text(&text)
            .and_then(parameter)
            .or_else(|| text.split_once('<').and_then(|(_, rest)| rest.strip_suffix('>')));
        self.enum_of_text(written.unwrap_or(""), id)
    }

    /// The attribute that keeps a property.
    pub(super) fn property_attr(&mut self, value: Val<H>, item: Item) -> Evaluated<H> {
        let spec = match (item, &value) {
            (_, Val::Attr(_) | Val::Null) => return Ok(value),
            (_, Val::Range(items)) => {
                let mut attrs = Vec::with_capacity(items.len());
                for item_value in items.iter() {
                    self.step(1)?;
                    let made = self.property_attr(item_value.clone(), item)?;
                    attrs.push(self.the_attr(&made)?);
                }
                AttrSpec::Array(attrs)
            }
            (Item::Bool, _) | (Item::Unknown, Val::Bool(_)) => {
                let t = self.signless(1)?;
                AttrSpec::Integer(ApInt::from_u64(1, u64::from(is_true(&value))), t)
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
            _ => return fail(format!("{} cannot be kept in an attribute", value.what())),
        };
        self.make_attr(spec)
    }
}

/// Equal elements are stored once.
fn splat<T: PartialEq>(values: &mut Vec<T>) {
    if values.len() > 1 && values.iter().all(|v| *v == values[0]) {
        values.truncate(1);
    }
}
