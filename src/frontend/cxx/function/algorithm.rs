//! Lowers calls of algorithms, of functions of tuples, and of methods that change their object.

use super::place::{Held, is_range, tuple_index};
use crate::frontend::cxx::ast::{NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Lower, Lowered};
use crate::snippet::{AttrClass, BinaryOp, Builtin, Form, IntTy, Item, Ty, Typed};

impl Lower<'_, '_> {
    /// The range that the first arguments denote: a range, or two iterators. Also returns the other arguments.
    fn range_argument<'n>(
        &mut self,
        node: NodeId,
        args: &'n [NodeId],
    ) -> Result<Option<(Typed, &'n [NodeId])>, Fault> {
        if let &[begin, end, ..] = args
            && let Some(range) = self.whole_range(begin, end)
        {
            let range = self.expression(range, None)?;
            let range = self.b.as_range(range);
            return Ok(Some((self.ill(node, range)?, &args[2..])));
        }
        let Some((&first, rest)) = args.split_first() else { return Ok(None) };
        let first = self.expression(first, None)?;
        if first.ty.form == Form::Iterator {
            let Some((&end, rest)) = rest.split_first() else { return Ok(None) };
            let end = self.expression(end, None)?;
            let range = self.b.algorithm(Builtin::IterRange, &[first, end], Ty::range(first.ty.item));
            return Ok(Some((self.ill(node, range)?, rest)));
        }
        match self.b.as_range(first) {
            Ok(range) => Ok(Some((range, rest))),
            Err(_) => Ok(None),
        }
    }

    /// A function argument: a lambda, a function object, or `IsaPred`. `types` are those of `auto` parameters.
    fn function_argument(&mut self, node: NodeId, types: &[Ty]) -> Lowered {
        let ast = self.ast;
        match &ast[node].kind {
            NodeKind::Lambda(params, result, body, _) => {
                self.lambda_of(node, params, result.as_ref(), *body, types)
            }
            NodeKind::Name(name) if name.path == "IsaPred" => {
                let local = self.b.new_local(types.first().copied().unwrap_or(Ty::UNKNOWN));
                let local = self.ill(node, local)?;
                let read = self.b.local(local);
                let read = self.ill(node, read)?;
                let test = self.isa_of(node, &name.args, read)?;
                let lambda = self.b.lambda(&[local], test);
                self.ill(node, lambda)
            }
            NodeKind::Name(name) => {
                let found = self.scope.iter().rposition(|(bound, _)| *bound == name.path);
                match found.map(|at| self.scope[at].1) {
                    Some(Bound::Lambda(lambda)) => self.named_lambda(lambda, types),
                    _ => self.expression(node, types.first().copied()),
                }
            }
            _ => self.expression(node, types.first().copied()),
        }
    }

    fn algorithm_of(
        &mut self,
        node: NodeId,
        op: Builtin,
        args: &[Typed],
        ty: Ty,
    ) -> Result<Option<Typed>, Fault> {
        let e = self.b.algorithm(op, args, ty);
        self.ill(node, e).map(Some)
    }

    /// A call of an algorithm of LLVM or the standard library; `None` if no algorithm has this name and takes these
    /// arguments.
    pub(in crate::frontend::cxx) fn algorithm(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        match name.path.as_str() {
            "make_pair" | "make_tuple" | "pair" | "tuple" => self.make_tuple(node, name, args),
            "get" => {
                let (Some(index), &[of]) = (tuple_index(name), args) else { return Ok(None) };
                let of = self.expression(of, None)?;
                let field = self.b.field_at(of, index);
                self.ill(node, field).map(Some)
            }
            "swap" => {
                let &[a, b] = args else { return Ok(None) };
                let (first, second) = (self.expression(a, None)?, self.expression(b, None)?);
                let mut held = Held::new();
                let (first, second) =
                    (self.hold(node, first, &mut held)?, self.hold(node, second, &mut held)?);
                let to_a = self.store(node, a, second)?;
                let to_b = self.store(node, b, first)?;
                let both = self.b.then(to_a, to_b);
                let both = self.ill(node, both)?;
                self.bind_held(node, held, both).map(Some)
            }
            "neg" => {
                let &[of] = args else { return Ok(None) };
                let of = self.expression(of, None)?;
                if of.ty != Ty::AP_FLOAT {
                    return Ok(None);
                }
                let e = self.b.unary('-', of);
                self.ill(node, e).map(Some)
            }
            "clamp" => self.clamp(node, name, args),
            "max" | "min" => {
                let (Some(ty), &[a, b]) = (name.args.first(), args) else { return Ok(None) };
                let Some(ty) = self.static_type(ty) else { return Ok(None) };
                let (a, b) = (self.expression(a, None)?, self.expression(b, None)?);
                let (a, b) = (self.b.convert(a, ty), self.b.convert(b, ty));
                let args = [self.ill(node, a)?, self.ill(node, b)?];
                self.b.function(&name.path, &args, None).map(|e| self.ill(node, e)).transpose()
            }
            "seq" | "seq_inclusive" => {
                let &[from, to] = args else { return Ok(None) };
                let (from, to) = (self.expression(from, None)?, self.expression(to, None)?);
                let ty = name.args.first().and_then(|ty| self.static_type(ty)).unwrap_or(from.ty);
                let to = if name.path == "seq" {
                    to
                } else {
                    let one = self.b.int(1, IntTy::I32);
                    let one = self.ill(node, one)?;
                    let next = self.b.binary(BinaryOp::Add, to, one);
                    self.ill(node, next)?
                };
                self.algorithm_of(node, Builtin::Sequence, &[from, to], Ty::range(ty.item))
            }
            "enumerate" | "zip" | "zip_equal" | "zip_first" | "zip_shortest" if !args.is_empty() => {
                self.zip(node, &name.path, args)
            }
            "concat" if args.len() == 2 => {
                let (a, b) = (self.expression(args[0], None)?, self.expression(args[1], None)?);
                let (a, b) = (self.b.as_range(a), self.b.as_range(b));
                let (a, b) = (self.ill(node, a)?, self.ill(node, b)?);
                let item =
                    name.args.first().and_then(|ty| self.static_type(ty)).map_or(a.ty.item, |ty| ty.item);
                self.algorithm_of(node, Builtin::Concat, &[a, b], Ty::range(item))
            }
            "sort" | "stable_sort" | "reverse" | "fill" | "iota" | "transform" | "copy" | "copy_if"
            | "append_range" | "erase_if" | "erase" => self.changing_algorithm(node, &name.path, args),
            "find" | "find_if" | "max_element" | "min_element" | "count" | "equal" | "accumulate"
            | "sum_of" | "product_of" | "make_filter_range" | "make_range" | "drop_begin" | "drop_end"
            | "for_each" | "all_of" | "any_of" | "none_of" | "count_if" | "is_contained" | "map_range"
            | "map_to_vector" => self.reading_algorithm(node, &name.path, args),
            _ => Ok(None),
        }
    }

    fn make_tuple(&mut self, node: NodeId, name: &TypeName, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        if matches!(name.path.as_str(), "pair" | "tuple") && !name.args.is_empty() {
            return Ok(None);
        }
        let values = self.items(args, None)?;
        let types: Vec<Ty> = values.iter().map(|value| value.ty).collect();
        let Some(ty) = self.tuple_type(&types) else { return Ok(None) };
        let Item::Tuple(id) = ty.item else { return Ok(None) };
        let tuple = self.b.tuple(id, &values);
        self.ill(node, tuple).map(Some)
    }

    /// The type of `std::pair` or `std::tuple` with these fields.
    pub(in crate::frontend::cxx) fn tuple_type(&mut self, types: &[Ty]) -> Option<Ty> {
        const NAMES: [&str; 8] = ["0", "1", "2", "3", "4", "5", "6", "7"];
        let names: &[&str] = if types.len() == 2 { &["first", "second"] } else { &NAMES };
        if types.is_empty() || types.len() > names.len() {
            return None;
        }
        let fields: Vec<(&str, Ty)> = names.iter().copied().zip(types.iter().copied()).collect();
        Some(Ty::one(Item::Tuple(self.b.snippets().tuple(None, &fields))))
    }

    /// The type of `NamedAttribute`.
    pub(in crate::frontend::cxx) fn named_attribute(&mut self) -> Ty {
        let fields = [("getName", Ty::STR), ("getValue", Ty::ATTR)];
        Ty::one(Item::Tuple(self.b.snippets().tuple(Some("NamedAttribute"), &fields)))
    }

    fn zip(&mut self, node: NodeId, name: &str, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let mut ranges = Vec::new();
        for &arg in args {
            let range = self.expression(arg, None)?;
            let range = self.b.as_range(range);
            ranges.push(self.ill(node, range)?);
        }
        let types: Vec<Ty> = ranges.iter().map(|range| Ty::one(range.ty.item)).collect();
        let (op, ty) = match (name, &types[..]) {
            ("enumerate", &[element]) => {
                let fields = [("index", Ty::U64), ("value", element)];
                (Builtin::Enumerate, Ty::one(Item::Tuple(self.b.snippets().tuple(None, &fields))))
            }
            ("enumerate", _) => {
                let types: Vec<Ty> = std::iter::once(Ty::U64).chain(types).collect();
                let Some(ty) = self.tuple_type(&types) else { return Ok(None) };
                (Builtin::Enumerate, ty)
            }
            _ => match self.tuple_type(&types) {
                Some(ty) => (Builtin::Zip, ty),
                None => return Ok(None),
            },
        };
        if ranges.len() > 4 {
            return Ok(None);
        }
        self.algorithm_of(node, op, &ranges, Ty::range(ty.item))
    }

    fn clamp(&mut self, node: NodeId, name: &TypeName, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let &[value, low, high] = args else { return Ok(None) };
        let value = self.expression(value, None)?;
        let ty = name.args.first().and_then(|ty| self.static_type(ty)).unwrap_or(value.ty);
        let mut held = Held::new();
        let mut convert = |this: &mut Self, e: Typed| {
            let e = this.b.convert(e, ty);
            let e = this.ill(node, e)?;
            this.hold(node, e, &mut held)
        };
        let value = convert(self, value)?;
        let low = self.expression(low, None)?;
        let low = convert(self, low)?;
        let high = self.expression(high, None)?;
        let high = convert(self, high)?;
        let below = self.b.binary(BinaryOp::Lt, value, low);
        let below = self.ill(node, below)?;
        let above = self.b.binary(BinaryOp::Lt, high, value);
        let above = self.ill(node, above)?;
        let upper = self.b.select(above, high, value);
        let upper = self.ill(node, upper)?;
        let e = self.b.select(below, low, upper);
        let e = self.ill(node, e)?;
        self.bind_held(node, held, e).map(Some)
    }

    /// An algorithm that changes nothing.
    fn reading_algorithm(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let Some((range, rest)) = self.range_argument(node, args)? else { return Ok(None) };
        let element = Ty::one(range.ty.item);
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        let (op, ty) = match (name, rest) {
            ("max_element", []) => (Builtin::MaxElement, iterator),
            ("min_element", []) => (Builtin::MinElement, iterator),
            ("make_range", []) => return Ok(Some(range)),
            ("sum_of" | "product_of", []) => {
                let zero = self.default_value(node, element)?;
                let (op, initial) = match name {
                    "sum_of" => (BinaryOp::Add, zero),
                    _ => {
                        let one = self.b.int(1, IntTy::I32);
                        let one = self.ill(node, one)?;
                        let one = self.b.convert(one, element);
                        (BinaryOp::Mul, self.ill(node, one)?)
                    }
                };
                return self.fold(node, range, initial, None, op).map(Some);
            }
            ("drop_begin" | "drop_end", _) if rest.len() <= 1 => {
                let method = if name == "drop_begin" { "drop_front" } else { "drop_back" };
                let values = self.items(rest, None)?;
                return self.b.method(range, method, &values, None).map(|e| self.ill(node, e)).transpose();
            }
            ("accumulate", &[initial]) => {
                let initial = self.expression(initial, None)?;
                return self.fold(node, range, initial, None, BinaryOp::Add).map(Some);
            }
            ("accumulate", &[initial, by]) => {
                let initial = self.expression(initial, None)?;
                return self.fold(node, range, initial, Some(by), BinaryOp::Add).map(Some);
            }
            ("for_each", &[by]) => {
                let local = self.b.new_local(element);
                let local = self.ill(node, local)?;
                let read = self.b.local(local);
                let read = self.ill(node, read)?;
                let lambda = self.function_argument(by, &[element])?;
                let call = self.b.call_lambda(lambda, &[read]);
                let call = self.ill(node, call)?;
                let e = self.b.for_each(local, range, call);
                return self.ill(node, e).map(Some);
            }
            ("find", &[value]) => {
                let value = self.expression(value, Some(element))?;
                return self.algorithm_of(node, Builtin::Find, &[range, value], iterator);
            }
            ("count", &[value]) => {
                let value = self.expression(value, Some(element))?;
                return self.algorithm_of(node, Builtin::Count, &[range, value], Ty::I64);
            }
            ("equal", &[other]) => {
                let other = self.expression(other, None)?;
                let other = if other.ty.form == Form::Iterator { Ok(other) } else { self.b.as_range(other) };
                let other = self.ill(node, other)?;
                return self.algorithm_of(node, Builtin::EqualRanges, &[range, other], Ty::BOOL);
            }
            ("equal", &[begin, end]) => {
                let Some((other, [])) = self.range_argument(node, &[begin, end])? else { return Ok(None) };
                return self.algorithm_of(node, Builtin::EqualRanges, &[range, other], Ty::BOOL);
            }
            ("find_if", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                return self.algorithm_of(node, Builtin::FindIf, &[range, by], iterator);
            }
            ("make_filter_range", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                return self.algorithm_of(node, Builtin::Filter, &[range, by], range.ty);
            }
            ("all_of" | "any_of" | "none_of" | "count_if" | "map_range" | "map_to_vector", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                return self.b.function(name, &[range, by], None).map(|e| self.ill(node, e)).transpose();
            }
            ("is_contained", &[value]) => {
                let value = self.expression(value, Some(element))?;
                return self.b.function(name, &[range, value], None).map(|e| self.ill(node, e)).transpose();
            }
            _ => return Ok(None),
        };
        self.algorithm_of(node, op, &[range], ty)
    }

    /// `accumulate`: the fold of a range by a function or by an operator, in the type of the initial value.
    fn fold(
        &mut self,
        node: NodeId,
        range: Typed,
        initial: Typed,
        by: Option<NodeId>,
        op: BinaryOp,
    ) -> Lowered {
        let ty = initial.ty;
        let element = Ty::one(range.ty.item);
        let (a, b) = (self.b.new_local(ty), self.b.new_local(element));
        let locals = [self.ill(node, a)?, self.ill(node, b)?];
        let (a, b) = (self.b.local(locals[0]), self.b.local(locals[1]));
        let (a, b) = (self.ill(node, a)?, self.ill(node, b)?);
        let value = match by {
            Some(by) => {
                let by = self.function_argument(by, &[ty, element])?;
                self.b.call_lambda(by, &[a, b])
            }
            None => self.b.binary(op, a, b),
        };
        let value = self.ill(node, value)?;
        let value = self.b.returned(value, ty);
        let value = self.ill(node, value)?;
        let lambda = self.b.lambda(&locals, value);
        let lambda = self.ill(node, lambda)?;
        let e = self.b.algorithm(Builtin::Fold, &[range, initial, lambda], ty);
        self.ill(node, e)
    }

    /// The variable in `back_inserter(variable)`.
    fn back_inserter(&self, node: NodeId) -> Option<NodeId> {
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return None };
        match (&self.ast[*callee].kind, &args[..]) {
            (NodeKind::Name(name), &[target]) if name.path == "back_inserter" => Some(target),
            _ => None,
        }
    }

    /// The variable in the arguments `variable` or `variable.begin(), variable.end()`, and the other arguments.
    fn changed_argument<'n>(&self, args: &'n [NodeId]) -> Option<(NodeId, &'n [NodeId])> {
        match args {
            &[begin, end, ..] if let Some(range) = self.whole_range(begin, end) => Some((range, &args[2..])),
            [first, rest @ ..] => Some((*first, rest)),
            [] => None,
        }
    }

    /// An algorithm that changes a variable.
    fn changing_algorithm(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        if matches!(name, "transform" | "copy" | "copy_if") {
            let Some((range, rest)) = self.range_argument(node, args)? else { return Ok(None) };
            let element = Ty::one(range.ty.item);
            let (target, by) = match *rest {
                [to] if name == "copy" => (self.back_inserter(to), None),
                [to, by] if name != "copy" => (self.back_inserter(to), Some(by)),
                _ => return Ok(None),
            };
            let Some(target) = target else {
                return Err(error::statement(&format!("{name} without back_inserter"), lo, hi));
            };
            let added = match by {
                None => range,
                Some(by) => {
                    let by = self.function_argument(by, &[element])?;
                    let (op, ty) = match name {
                        "copy_if" => (Builtin::Filter, range.ty),
                        _ => (Builtin::MapRange, Ty::range(self.b.lambda_result(by).item)),
                    };
                    let added = self.b.algorithm(op, &[range, by], ty);
                    self.ill(node, added)?
                }
            };
            return self
                .update_place(node, target, |this, before| {
                    let added = this.b.convert(added, Ty::range(before.ty.item));
                    let added = this.ill(node, added)?;
                    let all = this.b.algorithm(Builtin::Concat, &[before, added], before.ty);
                    this.ill(node, all)
                })
                .map(Some);
        }
        let Some((target, rest)) = self.changed_argument(args) else { return Ok(None) };
        let mut held = Held::new();
        let ty = match self.place(target, &mut held)? {
            Some(place) => self.place_ty(node, &place)?,
            None => return Ok(None),
        };
        // `llvm::reverse(range)` is a new range.
        let by_iterators = args.len() > rest.len() + 1;
        if !is_range(ty) || name == "reverse" && !by_iterators {
            return Ok(None);
        }
        let element = Ty::one(ty.item);
        let changed = match (name, rest) {
            ("sort" | "stable_sort", []) => self.update_place(node, target, |this, range| {
                let e = this.b.algorithm(Builtin::Sorted, &[range], range.ty);
                this.ill(node, e)
            }),
            ("sort" | "stable_sort", &[by]) => {
                let by = self.function_argument(by, &[element, element])?;
                self.update_place(node, target, |this, range| {
                    let e = this.b.algorithm(Builtin::SortedBy, &[range, by], range.ty);
                    this.ill(node, e)
                })
            }
            ("reverse", []) => self.update_place(node, target, |this, range| {
                let e = this.b.algorithm(Builtin::Reversed, &[range], range.ty);
                this.ill(node, e)
            }),
            ("fill", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.b.returned(value, element);
                let value = self.ill(node, value)?;
                self.update_place(node, target, |this, range| {
                    let size = this.size_of(node, range)?;
                    let e = this.b.algorithm(Builtin::Repeated, &[size, value], range.ty);
                    this.ill(node, e)
                })
            }
            ("iota", &[from]) => {
                let from = self.expression(from, Some(element))?;
                let mut held = Held::new();
                let from = self.hold(node, from, &mut held)?;
                let e = self.update_place(node, target, |this, range| {
                    let size = this.size_of(node, range)?;
                    let end = this.b.binary(BinaryOp::Add, from, size);
                    let end = this.ill(node, end)?;
                    let e = this.b.algorithm(Builtin::Sequence, &[from, end], range.ty);
                    this.ill(node, e)
                })?;
                self.bind_held(node, held, e)
            }
            ("append_range", &[added]) => {
                let added = self.expression(added, Some(element))?;
                self.update_place(node, target, |this, range| {
                    let added = this.b.convert(added, range.ty);
                    let added = this.ill(node, added)?;
                    let e = this.b.algorithm(Builtin::Concat, &[range, added], range.ty);
                    this.ill(node, e)
                })
            }
            ("erase_if", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                self.update_place(node, target, |this, range| {
                    let e = this.b.algorithm(Builtin::FilterOut, &[range, by], range.ty);
                    this.ill(node, e)
                })
            }
            _ => return Err(error::statement(&format!("{name} with these arguments"), lo, hi)),
        };
        changed.map(Some)
    }

    /// A method that changes the variable in `object`; `None` for another method.
    pub(in crate::frontend::cxx) fn changing_method(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let mut held = Held::new();
        let Some(place) = self.place(object, &mut held)? else { return Ok(None) };
        let ty = self.place_ty(node, &place)?;
        let element = Ty::one(ty.item);
        match (ty.form, ty.item) {
            (Form::Range, _) => {}
            (Form::One, Item::Unknown) if super::changes::update_of(method).is_some() => {}
            (Form::One, Item::ApInt | Item::ApFloat) => {
                return self.change_number(node, object, ty, method, args);
            }
            (Form::One, Item::Str) => return self.consume(node, object, method, args),
            _ => return Ok(None),
        }
        match (method, args) {
            ("reserve", _) => {
                let nothing = self.b.null(Ty::NULL);
                self.ill(node, nothing).map(Some)
            }
            ("assign", &[begin, end]) => {
                let values = [self.expression(begin, None)?, self.expression(end, Some(element))?];
                let new = if values[0].ty.form == Form::Iterator {
                    self.b.algorithm(Builtin::IterRange, &values, ty)
                } else {
                    let filler = self.b.returned(values[1], element);
                    let filler = self.ill(node, filler)?;
                    self.b.algorithm(Builtin::Repeated, &[values[0], filler], ty)
                };
                let new = self.ill(node, new)?;
                self.update_place(node, object, |_, _| Ok(new)).map(Some)
            }
            ("append", &[count, filler]) if self.whole_range(count, filler).is_none() => {
                let values = [self.expression(count, None)?, self.expression(filler, Some(element))?];
                let added = if values[0].ty.form == Form::Iterator {
                    self.b.algorithm(Builtin::IterRange, &values, Ty::range(values[0].ty.item))
                } else {
                    let filler = self.b.returned(values[1], element);
                    let filler = self.ill(node, filler)?;
                    self.b.algorithm(Builtin::Repeated, &[values[0], filler], ty)
                };
                let added = self.ill(node, added)?;
                self.update_place(node, object, |this, range| {
                    let added = this.b.convert(added, range.ty);
                    let added = this.ill(node, added)?;
                    let e = this.b.algorithm(Builtin::Concat, &[range, added], range.ty);
                    this.ill(node, e)
                })
                .map(Some)
            }
            ("erase", &[first, _]) if let Some(by) = self.removal(first, object) => {
                let new = match by {
                    None => self.update_place(node, object, |this, range| {
                        let e = this.b.algorithm(Builtin::Unique, &[range], range.ty);
                        this.ill(node, e)
                    }),
                    Some(by) => {
                        let by = self.function_argument(by, &[element])?;
                        self.update_place(node, object, |this, range| {
                            let e = this.b.algorithm(Builtin::FilterOut, &[range, by], range.ty);
                            this.ill(node, e)
                        })
                    }
                };
                new.map(Some)
            }
            ("erase", &[first, last]) => {
                let (first, last) = (self.expression(first, None)?, self.expression(last, None)?);
                self.update_place(node, object, |this, range| {
                    let iterator = Ty { item: ty.item, form: Form::Iterator };
                    let begin = this.b.algorithm(Builtin::Begin, &[range], iterator);
                    let begin = this.ill(node, begin)?;
                    let end = this.b.algorithm(Builtin::End, &[range], iterator);
                    let end = this.ill(node, end)?;
                    let before = this.b.algorithm(Builtin::IterRange, &[begin, first], ty);
                    let before = this.ill(node, before)?;
                    let after = this.b.algorithm(Builtin::IterRange, &[last, end], ty);
                    let after = this.ill(node, after)?;
                    let e = this.b.algorithm(Builtin::Concat, &[before, after], ty);
                    this.ill(node, e)
                })
                .map(Some)
            }
            // A set: the result says if the value is new.
            ("insert", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.b.returned(value, element);
                let value = self.ill(node, value)?;
                let value = self.hold(node, value, &mut held)?;
                let read = self.read_place(node, &place)?;
                let found = self.b.algorithm(Builtin::IsContained, &[read, value], Ty::BOOL);
                let found = self.ill(node, found)?;
                let found = self.hold(node, found, &mut held)?;
                let one = self.b.list(&[value]);
                let one = self.ill(node, one)?;
                let added = self.b.algorithm(Builtin::Concat, &[read, one], ty);
                let added = self.ill(node, added)?;
                let new = self.b.select(found, read, added);
                let new = self.ill(node, new)?;
                let stored = self.store_place(node, &place, new)?;
                let is_new = self.b.not(found);
                let is_new = self.ill(node, is_new)?;
                let nothing = self.b.null(Ty::NULL);
                let nothing = self.ill(node, nothing)?;
                let Some(Ty { item: Item::Tuple(id), .. }) = self.tuple_type(&[Ty::NULL, Ty::BOOL]) else {
                    return Ok(None);
                };
                let result = self.b.tuple(id, &[nothing, is_new]);
                let result = self.ill(node, result)?;
                let both = self.b.then(stored, result);
                let both = self.ill(node, both)?;
                self.bind_held(node, held, both).map(Some)
            }
            _ => {
                if super::changes::update_of(method).is_none() {
                    return Ok(None);
                }
                let Some((local, back)) = self.reference(node, object, &mut held)? else { return Ok(None) };
                let Some(e) = self.change(node, local, method, args)? else { return Ok(None) };
                let e = match back {
                    None => e,
                    Some(place) => {
                        let result = self.hold(node, e, &mut held)?;
                        let new = self.b.local(local);
                        let new = self.ill(node, new)?;
                        let stored = self.store_place(node, &place, new)?;
                        let both = self.b.then(stored, result);
                        self.ill(node, both)?
                    }
                };
                self.bind_held(node, held, e).map(Some)
            }
        }
    }

    /// The predicate in `remove_if(object.begin(), object.end(), predicate)`, or none for `unique`.
    fn removal(&self, node: NodeId, object: NodeId) -> Option<Option<NodeId>> {
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return None };
        let NodeKind::Name(name) = &self.ast[*callee].kind else { return None };
        let (target, rest) = self.changed_argument(args)?;
        let text = |node: NodeId| self.text.get(self.ast[node].lo..self.ast[node].hi);
        if text(target)? != text(object)? {
            return None;
        }
        match (name.path.as_str(), rest) {
            ("unique", []) => Some(None),
            ("remove_if", &[by]) => Some(Some(by)),
            _ => None,
        }
    }

    /// A method that changes an `APInt` or `APFloat`.
    fn change_number(
        &mut self,
        node: NodeId,
        object: NodeId,
        ty: Ty,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let unary = |op: Builtin| (op, None);
        let (op, arg) = match (method, args) {
            ("setBit", &[at]) => (Builtin::ApWithBit, Some(at)),
            ("clearBit", &[at]) => (Builtin::ApWithoutBit, Some(at)),
            ("lshrInPlace", &[by]) => (Builtin::ApLshr, Some(by)),
            ("ashrInPlace", &[by]) => (Builtin::ApAshr, Some(by)),
            ("negate" | "changeSign", []) => {
                return self
                    .update_place(node, object, |this, value| {
                        let e = this.b.unary('-', value);
                        this.ill(node, e)
                    })
                    .map(Some);
            }
            ("flipAllBits", []) => {
                return self
                    .update_place(node, object, |this, value| {
                        let e = this.b.unary('~', value);
                        this.ill(node, e)
                    })
                    .map(Some);
            }
            ("add" | "subtract" | "multiply" | "divide", &[by, mode]) if self.is_to_nearest(mode) => {
                let op = match method {
                    "add" => BinaryOp::Add,
                    "subtract" => BinaryOp::Sub,
                    "multiply" => BinaryOp::Mul,
                    _ => BinaryOp::Div,
                };
                let by = self.expression(by, None)?;
                return self
                    .update_place(node, object, |this, value| {
                        let e = this.b.binary(op, value, by);
                        this.ill(node, e)
                    })
                    .map(Some);
            }
            ("convert", &[to, mode, loses]) if self.is_to_nearest(mode) => {
                return self.convert_float(node, object, to, loses).map(Some);
            }
            ("roundToIntegral", &[mode]) => {
                let Some(mode) = self.rounding(mode) else { return Ok(None) };
                return self
                    .update_place(node, object, |this, value| {
                        let mode = this.b.int(mode, IntTy::I32);
                        let mode = this.ill(node, mode)?;
                        let e = this.b.algorithm(Builtin::FloatRound, &[value, mode], ty);
                        this.ill(node, e)
                    })
                    .map(Some);
            }
            ("clearAllBits", []) => unary(Builtin::ApZero),
            _ => return self.overflowing(node, object, method, args),
        };
        let arg = arg.map(|arg| self.expression(arg, None)).transpose()?;
        self.update_place(node, object, |this, value| {
            let value = match op {
                Builtin::ApZero => {
                    let width = this.b.method(value, "getBitWidth", &[], None).unwrap_or(Ok(value));
                    this.ill(node, width)?
                }
                _ => value,
            };
            let args: Vec<Typed> = std::iter::once(value).chain(arg).collect();
            let e = this.b.algorithm(op, &args, ty);
            this.ill(node, e)
        })
        .map(Some)
    }

    /// The number of a rounding mode.
    fn rounding(&self, node: NodeId) -> Option<i128> {
        const MODES: [&str; 5] =
            ["NearestTiesToEven", "NearestTiesToAway", "TowardZero", "TowardPositive", "TowardNegative"];
        let NodeKind::Name(name) = &self.ast[node].kind else { return None };
        (0..).zip(MODES).find(|(_, mode)| name.path.ends_with(mode)).map(|(number, _)| number)
    }

    /// `attribute.mapValues(type, function)`: `None` for other arguments.
    pub(in crate::frontend::cxx) fn map_values(
        &mut self,
        node: NodeId,
        on: Typed,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let &[element, by] = args else { return Ok(None) };
        let element = self.expression(element, None)?;
        let Ty { item: Item::Attr(class), form: Form::One } = on.ty else { return Ok(None) };
        let item = match class {
            AttrClass::DenseIntElements => Item::ApInt,
            AttrClass::DenseFloatElements => Item::ApFloat,
            _ => return Ok(None),
        };
        let mut held = Held::new();
        let on = self.hold(node, on, &mut held)?;
        let values = self.b.algorithm(Builtin::ElementsOf, &[on], Ty::range(item));
        let values = self.ill(node, values)?;
        let by = self.function_argument(by, &[Ty::one(item)])?;
        let mapped = self.b.algorithm(Builtin::MapRange, &[values, by], Ty::range(Item::ApInt));
        let mapped = self.ill(node, mapped)?;
        let ty = self.b.method(on, "getType", &[], None).unwrap_or(Ok(on));
        let ty = self.ill(node, ty)?;
        let ty = self.b.method(ty, "clone", &[element], None).unwrap_or(Ok(ty));
        let ty = self.ill(node, ty)?;
        let e = self.b.function("DenseElementsAttr::get", &[ty, mapped], None).unwrap_or(Ok(ty));
        let e = self.ill(node, e)?;
        self.bind_held(node, held, e).map(Some)
    }

    /// `text.getAsInteger(10, value)`, which is true if the text is not a number.
    pub(in crate::frontend::cxx) fn parse_integer(
        &mut self,
        node: NodeId,
        on: Typed,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let &[radix, target] = args else { return Ok(None) };
        let radix = self.expression(radix, None)?;
        if on.ty != Ty::STR || !matches!(self.b.literal(radix), Some(10)) {
            return Ok(None);
        }
        let mut held = Held::new();
        let number = self.b.algorithm(Builtin::ParseInt, &[on], Ty::optional(Item::Int(IntTy::I64)));
        let number = self.ill(node, number)?;
        let number = self.hold(node, number, &mut held)?;
        let value = self.b.deref(number);
        let value = self.ill(node, value)?;
        let stored = self.store(node, target, value)?;
        let (yes, no) = (self.b.bool(true), self.b.bool(false));
        let (yes, no) = (self.ill(node, yes)?, self.ill(node, no)?);
        let parsed = self.b.then(stored, no);
        let parsed = self.ill(node, parsed)?;
        let e = self.b.select(number, parsed, yes);
        let e = self.ill(node, e)?;
        self.bind_held(node, held, e).map(Some)
    }

    /// True for `APFloat::rmNearestTiesToEven` under any of its names.
    fn is_to_nearest(&self, node: NodeId) -> bool {
        matches!(&self.ast[node].kind, NodeKind::Name(name) if name.path.ends_with("NearestTiesToEven"))
    }

    /// `value.convert(semantics, mode, &losesInfo)`.
    fn convert_float(&mut self, node: NodeId, object: NodeId, to: NodeId, loses: NodeId) -> Lowered {
        let to = self.expression(to, None)?;
        let mut held = Held::new();
        let to = self.hold(node, to, &mut held)?;
        let before = self.expression(object, None)?;
        let before = self.hold(node, before, &mut held)?;
        let after = self.b.algorithm(Builtin::FloatTo, &[to, before], Ty::AP_FLOAT);
        let after = self.ill(node, after)?;
        let after = self.hold(node, after, &mut held)?;
        let stored = self.store(node, object, after)?;
        // Formats of more than 64 bits do not occur here, so a double shows if the value differs.
        let wide = |this: &mut Self, e: Typed| {
            let e = this.b.method(e, "convertToDouble", &[], None).unwrap_or(Ok(e));
            this.ill(node, e)
        };
        let (x, y) = (wide(self, before)?, wide(self, after)?);
        let lost = self.b.binary(BinaryOp::Ne, x, y);
        let lost = self.ill(node, lost)?;
        let loss_stored = self.store(node, loses, lost)?;
        let both = self.b.then(stored, loss_stored);
        let both = self.ill(node, both)?;
        self.bind_held(node, held, both)
    }

    /// `a.sadd_ov(b, overflow)` and similar methods; `None` for another method.
    pub(in crate::frontend::cxx) fn overflowing(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let (test, op) = match method {
            "sadd_ov" => (Builtin::ApSaddOverflows, BinaryOp::Add),
            "uadd_ov" => (Builtin::ApUaddOverflows, BinaryOp::Add),
            "ssub_ov" => (Builtin::ApSsubOverflows, BinaryOp::Sub),
            "usub_ov" => (Builtin::ApUsubOverflows, BinaryOp::Sub),
            "smul_ov" => (Builtin::ApSmulOverflows, BinaryOp::Mul),
            "umul_ov" => (Builtin::ApUmulOverflows, BinaryOp::Mul),
            "sdiv_ov" => (Builtin::ApSdivOverflows, BinaryOp::Div),
            _ => return Ok(None),
        };
        let &[by, overflow] = args else { return Ok(None) };
        let mut held = Held::new();
        let on = self.expression(object, None)?;
        let on = self.hold(node, on, &mut held)?;
        let by = self.expression(by, None)?;
        let by = self.hold(node, by, &mut held)?;
        let overflows = self.b.algorithm(test, &[on, by], Ty::BOOL);
        let overflows = self.ill(node, overflows)?;
        let stored = self.store(node, overflow, overflows)?;
        let value = match op {
            BinaryOp::Div => self.b.algorithm(Builtin::ApSdiv, &[on, by], Ty::AP_INT),
            _ => self.b.binary(op, on, by),
        };
        let value = self.ill(node, value)?;
        let both = self.b.then(stored, value);
        let both = self.ill(node, both)?;
        self.bind_held(node, held, both).map(Some)
    }

    /// `text.consume_front("x")`.
    fn consume(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let ("consume_front" | "consume_back", &[part]) = (method, args) else { return Ok(None) };
        let front = method == "consume_front";
        let mut held = Held::new();
        let part = self.expression(part, Some(Ty::STR))?;
        let part = self.hold(node, part, &mut held)?;
        let text = self.expression(object, None)?;
        let fits = self.b.method(text, if front { "starts_with" } else { "ends_with" }, &[part], None);
        let fits = self.ill(node, fits.unwrap_or(Ok(text)))?;
        let size = |this: &mut Self, e: Typed| {
            let e = this.b.method(e, "size", &[], None).unwrap_or(Ok(e));
            this.ill(node, e)
        };
        let (whole, length) = (size(self, text)?, size(self, part)?);
        let left = self.b.binary(BinaryOp::Sub, whole, length);
        let left = self.ill(node, left)?;
        let zero = self.b.int(0, IntTy::I64);
        let zero = self.ill(node, zero)?;
        let from = if front { length } else { zero };
        let rest = self.b.algorithm(Builtin::Substr, &[text, from, left], Ty::STR);
        let rest = self.ill(node, rest)?;
        let stored = self.store(node, object, rest)?;
        let (yes, no) = (self.b.bool(true), self.b.bool(false));
        let (yes, no) = (self.ill(node, yes)?, self.ill(node, no)?);
        let consumed = self.b.then(stored, yes);
        let consumed = self.ill(node, consumed)?;
        let e = self.b.select(fits, consumed, no);
        let e = self.ill(node, e)?;
        self.bind_held(node, held, e).map(Some)
    }

    /// `tie(a, b) = value`.
    pub(super) fn store_tied(&mut self, node: NodeId, targets: &[NodeId], value: Typed) -> Lowered {
        let mut held = Held::new();
        let value = self.hold(node, value, &mut held)?;
        let mut all = Vec::new();
        for (field, &target) in (0..).zip(targets) {
            if matches!(&self.ast[target].kind, NodeKind::Name(name) if name.path == "ignore") {
                continue;
            }
            let field = self.b.field_at(value, field);
            let field = self.ill(node, field)?;
            all.push(self.store(node, target, field)?);
        }
        let block = self.b.block(&all);
        let block = self.ill(node, block)?;
        self.bind_held(node, held, block)
    }

    /// `op->setAttr(name, value)` and other methods on the attributes of an operation; `None` for another method.
    pub(in crate::frontend::cxx) fn attribute_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        if !matches!(on.ty, Ty { item: Item::Op(_), form: Form::One }) {
            return Ok(None);
        }
        let named = self.named_attribute();
        let (op, passed, ty) = match (method, args) {
            ("setAttr" | "setDiscardableAttr" | "setInherentAttr", &[name, value]) => {
                let name = self.b.convert(name, Ty::STR);
                let name = self.ill(node, name)?;
                let value = self.b.convert(value, Ty::ATTR);
                (Builtin::SetAttr, vec![on, name, self.ill(node, value)?], Ty::NULL)
            }
            ("removeAttr" | "removeDiscardableAttr", &[name]) => {
                let name = self.b.convert(name, Ty::STR);
                (Builtin::RemoveAttr, vec![on, self.ill(node, name)?], Ty::ATTR)
            }
            ("getAttrs" | "getDiscardableAttrs", []) => {
                (Builtin::OpAttributes, vec![on], Ty::range(named.item))
            }
            ("setAttrs" | "setDiscardableAttrs", &[attrs]) => {
                let attrs = self.b.convert(attrs, Ty::range(named.item));
                (Builtin::SetAttrs, vec![on, self.ill(node, attrs)?], Ty::NULL)
            }
            _ => return Ok(None),
        };
        let e = self.b.algorithm(op, &passed, ty);
        self.ill(node, e).map(Some)
    }

    /// Calls of methods of a range that the library does not list: sets, and reverse iterators.
    pub(in crate::frontend::cxx) fn range_method(
        &mut self,
        node: NodeId,
        on: Typed,
        method: &str,
        args: &[Typed],
    ) -> Result<Option<Typed>, Fault> {
        if on.ty.form != Form::Range {
            return Ok(None);
        }
        let iterator = Ty { item: on.ty.item, form: Form::Iterator };
        let e = match (method, args) {
            ("rbegin" | "rend", []) => {
                let reversed = self.b.algorithm(Builtin::Reversed, &[on], on.ty);
                let reversed = self.ill(node, reversed)?;
                let op = if method == "rbegin" { Builtin::Begin } else { Builtin::End };
                self.b.algorithm(op, &[reversed], iterator)
            }
            ("contains", &[value]) => self.b.algorithm(Builtin::IsContained, &[on, value], Ty::BOOL),
            ("count", &[value]) => self.b.algorithm(Builtin::Count, &[on, value], Ty::U64),
            ("equals", &[other]) => self.b.algorithm(Builtin::EqualRanges, &[on, other], Ty::BOOL),
            ("getArrayRef" | "takeVector", []) => Ok(on),
            _ => return Ok(None),
        };
        self.ill(node, e).map(Some)
    }
}
