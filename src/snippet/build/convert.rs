//! Implicit conversions, lists and tuples.

use super::builder::{Builder, Checked, Typed};
use super::error::TypeError;
use crate::snippet::data::{
    AttrClass, BinaryOp, Builtin, CONVERSION_TO_BOOL, Expr, ExprId, Form, IntTy, Item, TruthBy, TupleId,
    TupleKind, Ty,
};

impl Builder<'_> {
    /// Declares the number of results of a call of a native. Returns false for another expression, for a call with
    /// output parameters, and if the native cannot be added.
    pub(crate) fn expect_many(&mut self, e: Typed, count: u32) -> bool {
        let Expr::Native(id, args, outs) = self.snippets.exprs[e.id] else { return false };
        let native = &self.snippets.natives[id];
        let (name, params) = (self.snippets.str(native.name).to_owned(), native.params.clone());
        match self.add_native(&name, params, vec![None; count as usize]) {
            Ok(id) if outs.len == 0 => {
                self.snippets.exprs[e.id] = Expr::Native(id, args, outs);
                true
            }
            _ => false,
        }
    }

    /// Declares the result type of a call of a native, if it is not known yet.
    fn expect_result(&mut self, e: Typed, to: Ty) -> Result<(), TypeError> {
        if let (Expr::Native(id, args, outs), Some(kind)) = (self.snippets.exprs[e.id], to.kind())
            && self.snippets.natives[id].results == [None]
        {
            let native = &self.snippets.natives[id];
            let (name, params) = (self.snippets.str(native.name).to_owned(), native.params.clone());
            let id = self.add_native(&name, params, vec![Some(kind)])?;
            self.snippets.exprs[e.id] = Expr::Native(id, args, outs);
        }
        Ok(())
    }

    /// Builds the contextual conversion to `bool`.
    pub(crate) fn truth(&mut self, e: Typed) -> Checked {
        self.expect_result(e, Ty::BOOL)?;
        let by = match (e.ty.form, e.ty.item) {
            (Form::One, Item::Bool) => return Ok(e),
            (Form::One, Item::Int(_) | Item::Double | Item::Float | Item::Unknown) => TruthBy::Value,
            (Form::Optional, _) => TruthBy::Presence,
            (
                Form::One,
                Item::Type(_)
                | Item::Attr(_)
                | Item::AffineMap
                | Item::Value
                | Item::Op(_)
                | Item::Null
                | Item::Block
                | Item::Region
                | Item::Location
                | Item::FoldResult,
            ) => TruthBy::Presence,
            // This tuple is the result of `insert`: an iterator, which is null, and a `bool`. In C++, `insert` of a
            // `SetVector` returns only the `bool`.
            _ if self.field_types(e.ty).is_some_and(|types| types == [Ty::NULL, Ty::BOOL]) => {
                return self.field_at(e, 1);
            }
            _ if let Some(field) = self.field_index(e.ty, CONVERSION_TO_BOOL) => {
                return self.field_at(e, field);
            }
            _ => return Err(TypeError::not_bool(&self.show(e.ty))),
        };
        self.add(Expr::Truth(e.id, by), Ty::BOOL)
    }

    /// Converts an expression to a range: the elements of an attribute, the operations of a block, the blocks of a
    /// region, the characters of a string, or the results of an operation. A value or type becomes a range of one
    /// element.
    pub(crate) fn as_range(&mut self, e: Typed) -> Checked {
        match (e.ty.form, e.ty.item) {
            (Form::Range, _) => Ok(e),
            (Form::One, Item::Unknown) => Ok(Typed { ty: Ty::range(Item::Unknown), ..e }),
            (Form::One, Item::Block) => self.builtin(Builtin::BlockOps, &[e], Ty::range(Item::Op(None))),
            (Form::One, Item::Region) => self.builtin(Builtin::RegionBlocks, &[e], Ty::range(Item::Block)),
            (Form::One, Item::Attr(AttrClass::Dictionary)) => {
                let entry = self.snippets.named_attribute();
                self.builtin(Builtin::DictEntries, &[e], Ty::range(entry.item))
            }
            (Form::One, Item::Attr(class)) => {
                let item = match class {
                    AttrClass::Array => Item::Attr(AttrClass::Any),
                    AttrClass::DenseIntArray(1) => Item::Bool,
                    AttrClass::DenseIntArray(bits) => Item::Int(IntTy::new(bits, true)),
                    AttrClass::DenseFloatArray(32) => Item::Float,
                    AttrClass::DenseFloatArray(_) => Item::Double,
                    AttrClass::DenseIntElements => Item::ApInt,
                    AttrClass::DenseFloatElements => Item::ApFloat,
                    AttrClass::DenseElements | AttrClass::Elements => Item::Unknown,
                    _ => return Err(TypeError::wrong_kind(&self.show(e.ty), "a range")),
                };
                let op =
                    if class.is_a(AttrClass::Elements) { Builtin::ElementsOf } else { Builtin::AttrElements };
                self.builtin(op, &[e], Ty::range(item))
            }
            (Form::One, Item::Str) => self.builtin(Builtin::Chars, &[e], Ty::range(Item::Int(IntTy::I8))),
            (Form::One, Item::Op(_)) => self.builtin(Builtin::OpResults, &[e], Ty::range(Item::Value)),
            (Form::One, Item::Value | Item::Type(_)) => self.list(&[e]),
            _ => Err(TypeError::wrong_kind(&self.show(e.ty), "a range")),
        }
    }

    /// The type of the argument with which a lambda over `range` is called.
    pub(crate) fn element(&mut self, range: Typed) -> Ty {
        self.as_range(range).map_or(Ty::UNKNOWN, |r| Ty::one(r.ty.item))
    }

    /// Builds `{ a, b }`. If an item is a range, the list contains its elements.
    pub(crate) fn list(&mut self, items: &[Typed]) -> Checked {
        self.list_or_tuple(items, false)
    }

    /// Builds `{ a, b }` as in C++. The list may initialise a tuple. If it contains a range and has several items, the
    /// items are the elements of a range of ranges. Two iterators denote the elements between them.
    pub(crate) fn braced_list(&mut self, items: &[Typed]) -> Checked {
        let list = self.list_or_tuple(items, true)?;
        let made = match *items {
            [from, to] if [from, to].iter().all(|e| e.ty.form == Form::Iterator) => {
                self.builtin(Builtin::IterRange, &[from, to], Ty::range(from.ty.item))?
            }
            _ if !items.iter().any(may_be_range) => return Ok(list),
            [_] => list,
            _ => self.list_of_ranges(items)?,
        };
        self.flat_lists.insert(made.id, list.id);
        Ok(made)
    }

    /// Builds a range whose elements are ranges.
    fn list_of_ranges(&mut self, items: &[Typed]) -> Checked {
        let one = self.int(1, IntTy::I64)?;
        // A list contains the elements of its ranges. To be an element itself, a range is wrapped in another range.
        let wrapped = items.iter().map(|&item| match may_be_range(&item) {
            true => self.builtin(Builtin::Repeated, &[one, item], Ty::range(Item::Unknown)),
            false => Ok(item),
        });
        let wrapped = wrapped.collect::<Result<Vec<_>, _>>()?;
        self.list_or_tuple(&wrapped, true).map(|list| Typed { ty: Ty::range(Item::Unknown), ..list })
    }

    /// The items between the braces of a list; `None` for another expression.
    pub(crate) fn listed(&self, e: Typed) -> Option<Vec<Typed>> {
        let id = self.flat_lists.get(&e.id).copied().unwrap_or(e.id);
        let Expr::List(list) = self.snippets.exprs[id] else { return None };
        let ty = |id: &ExprId| self.list_types.get(id).copied().unwrap_or(Ty::one(e.ty.item));
        Some(self.snippets.list(list).iter().map(|id| Typed { id: *id, ty: ty(id) }).collect())
    }

    /// Converts a braced list with a range among its items to a range type. Returns `None` for other expressions, and
    /// for lists that [`Builder::convert`] converts like any other range.
    fn range_of_lists(&mut self, e: Typed, to: Ty) -> Option<Checked> {
        let items = if self.flat_lists.contains_key(&e.id) { self.listed(e)? } else { return None };
        let nests = to.item == Item::Unknown;
        Some(match items[..] {
            _ if !items.iter().any(may_be_range) => return None,
            // `{x}` could be a copy of `x`, or a range with the element `x`.
            [one] if nests && one.ty == to => Err(TypeError::list_of_ranges()),
            [_] if nests => self.list_of_ranges(&items),
            [_] => return None,
            _ if nests => Ok(Typed { ty: to, ..e }),
            _ => {
                let converted = items.iter().map(|&item| self.convert(item, Ty::one(to.item)));
                let converted = converted.collect::<Result<Vec<_>, _>>();
                converted.and_then(|items| self.list(&items)).map(|list| Typed { ty: to, ..list })
            }
        })
    }

    /// Builds `{ a, b }`, which may initialise a tuple if `tuple` is true.
    fn list_or_tuple(&mut self, items: &[Typed], tuple: bool) -> Checked {
        let mut item = items.first().map_or(Item::Null, |e| e.ty.item);
        let mut mixed = None;
        for e in items {
            self.list_types.insert(e.id, e.ty);
            if item != e.ty.item {
                match self.common_item(item, e.ty.item) {
                    Some(common) => item = common,
                    None => mixed = mixed.or(Some(e.ty)),
                }
            }
        }
        // Elements without a common type can only be the fields of a tuple.
        if let Some(ty) = mixed
            && !tuple
        {
            return Err(TypeError::mixed_list(&self.show(Ty::one(item)), &self.show(ty)));
        }
        let ids: Vec<ExprId> = items.iter().map(|e| e.id).collect();
        let list = self.add_list(&ids)?;
        self.add(Expr::List(list), Ty::range(item))
    }

    /// True for `{}`, which default-constructs a value of any type.
    pub(crate) fn is_default(&self, e: Typed) -> bool {
        e.ty.form == Form::Range && matches!(self.snippets.exprs[e.id], Expr::List(list) if list.len == 0)
    }

    /// Builds the value that `{}` constructs for a type that is not a range.
    pub(super) fn default_of(&mut self, to: Ty) -> Checked {
        match (to.form, to.item) {
            (Form::One, Item::Bool) => self.bool(false),
            (Form::One, Item::Int(_) | Item::Enum(_)) => self.add(Expr::Int(0), to),
            (Form::One, Item::Double | Item::Float) => self.double(0.0).map(|e| Typed { ty: to, ..e }),
            (Form::One, Item::Str) => self.str(""),
            _ => self.null(to),
        }
    }

    /// The most specific item to which both items convert.
    pub(super) fn common_item(&self, a: Item, b: Item) -> Option<Item> {
        Some(match (a, b) {
            (Item::Null, x) | (x, Item::Null) => x,
            (Item::Unknown, _) | (_, Item::Unknown) => Item::Unknown,
            (Item::Int(x), Item::Int(y)) => Item::Int(x.common(y)),
            (Item::Int(x), Item::Bool) | (Item::Bool, Item::Int(x)) => Item::Int(x.common(IntTy::I32)),
            (Item::Double, Item::Int(_) | Item::Float) | (Item::Int(_) | Item::Float, Item::Double) => {
                Item::Double
            }
            (Item::Float, Item::Int(_)) | (Item::Int(_), Item::Float) => Item::Float,
            (Item::Type(x), Item::Type(_)) => {
                let up = std::iter::successors(Some(x), |c| c.parent());
                Item::Type(up.into_iter().find(|&c| self.item_is(b, Item::Type(c)))?)
            }
            (Item::Attr(x), Item::Attr(_)) => {
                let up = std::iter::successors(Some(x), |c| c.parent());
                Item::Attr(up.into_iter().find(|&c| self.item_is(b, Item::Attr(c)))?)
            }
            (Item::Op(_), Item::Op(_)) if a != b => Item::Op(None),
            (Item::Attr(_) | Item::FoldResult, Item::Value)
            | (Item::Value, Item::Attr(_) | Item::FoldResult)
            | (Item::Attr(_), Item::FoldResult)
            | (Item::FoldResult, Item::Attr(_)) => Item::FoldResult,
            (Item::Op(_), Item::Value) | (Item::Value, Item::Op(_)) => Item::Value,
            (Item::Str, Item::Name | Item::Attr(AttrClass::String))
            | (Item::Name | Item::Attr(AttrClass::String), Item::Str) => Item::Str,
            _ if a == b => a,
            _ => return None,
        })
    }

    /// Converts an expression to a type, as C++ does implicitly.
    pub(crate) fn convert(&mut self, e: Typed, to: Ty) -> Checked {
        if to.form == Form::Range
            && let Some(range) = self.range_of_lists(e, to)
        {
            return range;
        }
        if e.ty == to || to.is_unknown() || e.ty.item == Item::Unknown && e.ty.form == Form::One {
            self.expect_result(e, to)?;
            return match to.item {
                Item::Int(_) | Item::Double | Item::Float if e.ty != to && to.form == Form::One => {
                    self.add(Expr::Convert(e.id, to.item), to)
                }
                _ => Ok(Typed { ty: if to.is_unknown() { e.ty } else { to }, ..e }),
            };
        }
        let error = |this: &Self| TypeError::convert(&this.show(e.ty), &this.show(to));
        if let (Item::Tuple(id), Form::One | Form::Optional) = (to.item, to.form)
            && e.ty.form == Form::Range
        {
            return self.tuple_of_list(e, id).map(|e| Typed { ty: to, ..e });
        }
        // An integer converts to an `ArrayRef` of one element.
        if let (Item::Int(_), Form::One, Item::Int(_), Form::Range) = (e.ty.item, e.ty.form, to.item, to.form)
        {
            let element = self.convert(e, Ty::one(to.item))?;
            return self.list(&[element]).map(|list| Typed { ty: to, ..list });
        }
        if to.form == Form::Range {
            let range = self.as_range(e).map_err(|_| error(self))?;
            let (from, into) = (range.ty.item, to.item);
            if self.is_unchanged_as(from, into) {
                return Ok(Typed { ty: Ty::range(into), ..range });
            }
            let elementwise = matches!(
                (from, into),
                (
                    Item::Int(_) | Item::Bool | Item::Double | Item::Float,
                    Item::Int(_) | Item::Bool | Item::Double | Item::Float
                ) | (Item::Attr(_), Item::Str)
                    | (Item::Op(_), Item::Value)
            );
            if elementwise {
                return self.add(Expr::Convert(range.id, into), Ty::range(into));
            }
            return Err(error(self));
        }
        if e.ty.form == Form::Range || e.ty.form == Form::Iterator {
            if self.is_default(e) {
                return self.default_of(to);
            }
            if let Some(&[one]) = self.listed(e).as_deref() {
                return self.convert(one, to);
            }
            return Err(error(self));
        }
        if to.form == Form::Iterator || e.ty.form == Form::Optional && to.form == Form::One {
            return Err(error(self));
        }
        if e.ty.form == Form::Optional {
            return match self.is_unchanged_as(e.ty.item, to.item) {
                true => Ok(Typed { ty: to, ..e }),
                false => self.convert_present(e, to),
            };
        }
        let converted = match (e.ty.item, to.item) {
            (
                Item::Null,
                Item::Int(_)
                | Item::Bool
                | Item::Double
                | Item::Float
                | Item::ApInt
                | Item::ApFloat
                | Item::Tuple(_),
            ) if to.form == Form::One => {
                return Err(error(self));
            }
            (Item::Null, _) => Typed { ty: to, ..e },
            (
                Item::Bool | Item::Int(_) | Item::Double | Item::Float | Item::Enum(_),
                Item::Int(_) | Item::Double | Item::Float,
            ) => self.add(Expr::Convert(e.id, to.item), to)?,
            (Item::Int(_) | Item::Double | Item::Float | Item::Tuple(_), Item::Bool) => self.truth(e)?,
            (
                Item::Type(_)
                | Item::Attr(_)
                | Item::AffineMap
                | Item::Value
                | Item::Op(_)
                | Item::FoldResult,
                Item::Bool,
            ) => self.truth(e)?,
            (Item::Attr(a), Item::Str) if a.is_a(AttrClass::String) || a.is_a(AttrClass::SymbolRef) => {
                self.add(Expr::Convert(e.id, Item::Str), to)?
            }
            (Item::Name, Item::Str) | (Item::Str, Item::Name) => Typed { ty: to, ..e },
            (Item::Op(_), Item::Value) => self.builtin(Builtin::OpResult, &[e], to)?,
            (Item::Tuple(id), Item::ApInt) if self.snippets.is_signed_number(id) => self.number_of(e)?,
            // The fields of an `APSInt` can be read from an attribute, so only the static type changes.
            (Item::Attr(_), Item::Tuple(id)) if self.snippets.is_signed_number(id) => Typed { ty: to, ..e },
            (Item::Location, Item::Attr(_)) | (Item::Attr(AttrClass::Location), Item::Location) => {
                Typed { ty: to, ..e }
            }
            (Item::Attr(AttrClass::Any), Item::Attr(AttrClass::Typed)) => Typed { ty: to, ..e },
            (a, b) if self.item_is(a, b) => Typed { ty: to, ..e },
            _ => return Err(error(self)),
        };
        Ok(Typed { ty: to, ..converted })
    }

    /// Builds the value of an attribute as an accessor of an operation returns it: the attribute itself, the number,
    /// string or enumerator that it holds, or its elements. The value of null is null.
    pub(crate) fn held_value(&mut self, attribute: Typed, to: Ty) -> Checked {
        let held = match (to.form, to.item) {
            (_, Item::Attr(_)) => return self.convert(attribute, to),
            (Form::Range, item) => {
                let elements = self.builtin(Builtin::AttrElements, &[attribute], Ty::range(Item::Unknown))?;
                self.add(Expr::Convert(elements.id, item), to)?
            }
            (_, item) => self.add(Expr::Convert(attribute.id, item), to)?,
        };
        let none = self.null(to)?;
        let present = self.truth(attribute)?;
        self.add(Expr::Select(present.id, held.id, none.id), to)
    }

    /// True if a conversion from one item to another one changes only the static type.
    fn is_unchanged_as(&self, from: Item, to: Item) -> bool {
        match (from, to) {
            (Item::Null | Item::Unknown, _) => true,
            (Item::Int(from), Item::Int(to)) => to.contains(from),
            _ => self.item_is(from, to),
        }
    }

    /// Converts the value of an optional, if there is one.
    fn convert_present(&mut self, e: Typed, to: Ty) -> Checked {
        let local = self.new_local(e.ty)?;
        let read = self.local(local)?;
        let present = self.truth(read)?;
        let value = self.convert(Typed { ty: Ty::one(e.ty.item), ..read }, Ty::one(to.item))?;
        let none = self.null(to)?;
        let converted = self.add(Expr::Select(present.id, value.id, none.id), to)?;
        self.bind(local, e, converted)
    }

    /// Converts a number that is tested for equality with values of the item `with`. If the common type of two integers
    /// is `uint32_t`, the number gets the type to which C++ promotes `with`. Integers with another common type need no
    /// conversion, because the evaluator compares their low 64 bits. An integer becomes a `float` if `with` is `float`.
    /// Returns an error if a `float` is compared with integers.
    pub(crate) fn compared(&mut self, e: Typed, with: Item) -> Checked {
        let item = match (e.ty.item, with) {
            (Item::Int(of), Item::Int(with)) if of != with && of.common(with) == IntTy::U32 => {
                with.common(with).item()
            }
            (Item::Int(_), Item::Float) => Item::Float,
            (Item::Float, Item::Int(_)) => {
                return Err(TypeError::operands(BinaryOp::Eq, &self.show(Ty::one(with)), &self.show(e.ty)));
            }
            _ => return Ok(e),
        };
        self.convert(e, Ty { item, ..e.ty })
    }

    /// Converts the elements of each range in a range of ranges to an item.
    pub(crate) fn convert_inner(&mut self, e: Typed, item: Item) -> Checked {
        let local = self.new_local(Ty::UNKNOWN)?;
        let inner = self.local(local)?;
        let converted = self.add(Expr::Convert(inner.id, item), Ty::range(item))?;
        let convert = self.lambda(&[local], converted)?;
        self.builtin(Builtin::MapRange, &[e, convert], Ty::range(Item::Unknown))
    }

    /// Builds a tuple of these fields.
    pub(crate) fn tuple(&mut self, id: TupleId, fields: &[Typed]) -> Checked {
        let types: Vec<Ty> = self.snippets.tuples[id].fields.iter().map(|&(_, ty)| ty).collect();
        if types.len() != fields.len() {
            return Err(TypeError::list("a list of another length", &self.show(Ty::one(Item::Tuple(id)))));
        }
        let mut ids = Vec::with_capacity(fields.len());
        for (&field, ty) in fields.iter().zip(types) {
            ids.push(self.returned(field, ty)?.id);
        }
        let list = self.add_list(&ids)?;
        self.add(Expr::Tuple(list), Ty::one(Item::Tuple(id)))
    }

    /// Builds the tuple that `{a, b}` initialises.
    fn tuple_of_list(&mut self, e: Typed, id: TupleId) -> Checked {
        let Some(fields) = self.listed(e) else {
            return Err(TypeError::convert(&self.show(e.ty), &self.show(Ty::one(Item::Tuple(id)))));
        };
        if self.snippets.tuples[id].kind == TupleKind::Constructed {
            let class = self.show(Ty::one(Item::Tuple(id)));
            return Err(TypeError::list("a list without the name of the class", &class));
        }
        self.tuple(id, &fields)
    }

    /// Builds a read of the tuple field with this name, which C++ code reads as a member or by a method; `None` if the
    /// type has no such field.
    pub(crate) fn field(&mut self, e: Typed, name: &str) -> Option<Checked> {
        let index = self.field_index(e.ty, name)?;
        Some(self.field_at(e, index))
    }

    /// The number of a field with this name.
    pub(crate) fn field_index(&self, ty: Ty, name: &str) -> Option<u32> {
        self.find_field(ty, |field| field == name)
    }

    /// The number of the first field whose name satisfies a condition.
    pub(crate) fn find_field(&self, ty: Ty, is_wanted: impl Fn(&str) -> bool) -> Option<u32> {
        let Ty { item: Item::Tuple(id), form: Form::One } = ty else { return None };
        let fields = &self.snippets.tuples.get(id)?.fields;
        let at = fields.iter().position(|&(field, _)| is_wanted(self.snippets.str(field)))?;
        u32::try_from(at).ok()
    }

    /// The types of the fields of a tuple; `None` for another type.
    pub(crate) fn field_types(&self, ty: Ty) -> Option<Vec<Ty>> {
        let Ty { item: Item::Tuple(id), form: Form::One } = ty else { return None };
        Some(self.snippets.tuples.get(id)?.fields.iter().map(|&(_, ty)| ty).collect())
    }

    /// The name of a tuple type; `None` for `std::pair` and `std::tuple`.
    pub(crate) fn tuple_name(&self, id: TupleId) -> Option<String> {
        let name = self.snippets.tuples.get(id)?.name?;
        Some(self.snippets.str(name).to_owned())
    }

    /// The class of a source file whose objects have this type; `None` for another type.
    pub(crate) fn class_of(&self, ty: Ty) -> Option<String> {
        let Ty { item: Item::Tuple(id), form: Form::One } = ty else { return None };
        let tuple = self.snippets.tuples.get(id).filter(|tuple| tuple.kind != TupleKind::Library)?;
        Some(self.snippets.str(tuple.name?).to_owned())
    }

    /// True if values of this type are or contain objects of a class of a source file, or values of an enumeration for
    /// which the files define a comparison.
    pub(super) fn contains_object(&self, ty: Ty) -> bool {
        let (mut items, mut next) = (vec![ty.item], 0);
        while let Some(&item) = items.get(next) {
            if self.class_of(Ty::one(item)).is_some() || Ty::one(item).has_comparison() {
                return true;
            }
            for field in self.field_types(Ty::one(item)).unwrap_or_default() {
                if !items.contains(&field.item) {
                    items.push(field.item);
                }
            }
            next += 1;
        }
        false
    }

    /// The field names of a type that is a class of a source file; empty for another type.
    pub(crate) fn field_names(&self, ty: Ty) -> Vec<String> {
        let tuple = match ty.item {
            Item::Tuple(id) if self.class_of(ty).is_some() => self.snippets.tuples.get(id),
            _ => None,
        };
        let fields = tuple.map_or(&[][..], |tuple| &tuple.fields);
        fields.iter().map(|&(name, _)| self.snippets.str(name).to_owned()).collect()
    }

    /// Builds a read of the tuple field with this number.
    pub(crate) fn field_at(&mut self, e: Typed, index: u32) -> Checked {
        match self.field_types(e.ty).and_then(|types| types.get(index as usize).copied()) {
            Some(ty) => self.add(Expr::Field(e.id, index), ty),
            None => Err(TypeError::wrong_kind(&self.show(e.ty), "a tuple with this field")),
        }
    }

    /// Converts two alternatives to their common type.
    pub(super) fn unify(&mut self, a: Typed, b: Typed) -> Result<(Typed, Typed, Ty), TypeError> {
        if a.ty == b.ty {
            return Ok((a, b, a.ty));
        }
        let form = match (a.ty.form, b.ty.form) {
            (x, y) if x == y => x,
            (Form::Range, _) | (_, Form::Range) => Form::Range,
            _ => Form::Optional,
        };
        let item = self.common_item(a.ty.item, b.ty.item);
        let item = item.ok_or_else(|| TypeError::alternatives(&self.show(a.ty), &self.show(b.ty)))?;
        let to = Ty { item, form };
        Ok((self.convert(a, to)?, self.convert(b, to)?, to))
    }

    /// Builds `$0 = e`.
    pub(crate) fn assign(&mut self, output: u32, e: Typed) -> Checked {
        let ty = self.params.get(output as usize).map_or(Ty::UNKNOWN, |p| p.ty);
        let e = self.convert(e, ty)?;
        self.add(Expr::Assign(output, e.id), ty)
    }
}

/// True for a range, and for a value that evaluation may find to be a range.
fn may_be_range(e: &Typed) -> bool {
    e.ty.form == Form::Range || e.ty == Ty::UNKNOWN
}
