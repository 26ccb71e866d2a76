//! Lowers calls of algorithms and of functions that create or read tuples.

use super::head::head;
use super::lower::constructed;
use super::lvalue::{Held, tuple_index};
use crate::frontend::cxx::ast::{Ast, NodeId, NodeKind, TypeName};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Bound, Container, Lower, Lowered};
use crate::snippet::{BinaryOp, Builder, Builtin, Form, IntTy, Item, LocalId, Ty, Typed};

/// The field of two pairs that `llvm::less_first()` or `llvm::less_second()` compares.
fn compared_field(class: &TypeName) -> Option<u32> {
    match class.path.as_str() {
        "less_first" => Some(0),
        "less_second" => Some(1),
        _ => None,
    }
}

impl Lower<'_, '_> {
    /// The range that the arguments start with: one range, or two iterators. Also returns the arguments after it.
    pub(super) fn range_argument<'n>(
        &mut self,
        node: NodeId,
        args: &'n [NodeId],
    ) -> Result<Option<(Typed, &'n [NodeId])>, Fault> {
        if let &[begin, end, ..] = args
            && let Some(range) = self.whole_range(begin, end)
        {
            let range = self.expression(range, None)?;
            let range = self.b.as_range(range);
            return Ok(Some((self.at_node(node, range)?, &args[2..])));
        }
        let Some((&first, rest)) = args.split_first() else { return Ok(None) };
        let first = self.expression(first, None)?;
        if first.ty.form == Form::Iterator {
            let Some((&end, rest)) = rest.split_first() else { return Ok(None) };
            let end = self.expression(end, None)?;
            let range = self.b.algorithm(Builtin::IterRange, &[first, end], Ty::range(first.ty.item));
            return Ok(Some((self.at_node(node, range)?, rest)));
        }
        match self.b.as_range(first) {
            Ok(range) => Ok(Some((range, rest))),
            Err(_) => Ok(None),
        }
    }

    /// Lowers an argument that is a function: a lambda, a function object, `IsaPred`, or the name of a function.
    /// `types` has the types of the arguments with which the function is called.
    pub(in crate::frontend::cxx) fn function_argument(&mut self, node: NodeId, types: &[Ty]) -> Lowered {
        let ast = self.ast;
        if let Some((class, op)) = self.created_operator(node) {
            let first = types.first().copied().unwrap_or(Ty::UNKNOWN);
            let second = types.get(1).copied().unwrap_or(first);
            return self.operator_lambda(node, &class, op, [first, second]);
        }
        if let Some(class) = constructed(ast, node)
            && let Some(field) = compared_field(class)
            && let &[first, second] = types
        {
            return self.build(node, |b| {
                let locals = [b.new_local(first)?, b.new_local(second)?];
                let (x, y) = (b.local(locals[0])?, b.local(locals[1])?);
                let (x, y) = (b.field_at(x, field)?, b.field_at(y, field)?);
                let is_less = b.binary(BinaryOp::Lt, x, y)?;
                b.lambda(&locals, is_less)
            });
        }
        match &ast[node].kind {
            NodeKind::Lambda(params, result, body, _) => {
                self.lambda_of(node, params, result.as_ref(), *body, types)
            }
            NodeKind::Call(callee, args) if let Some(method) = method_of_class(ast, *callee, args) => {
                let ty = types.first().copied().unwrap_or(Ty::UNKNOWN);
                let local = self.build(node, |b| b.new_local(ty))?;
                let read = self.build(node, |b| b.local(local))?;
                let called = self.method_of(node, read, method, &[], &[])?;
                self.build(node, |b| b.lambda(&[local], called))
            }
            NodeKind::Name(name) if name.path == "IsaPred" => {
                let local =
                    self.build(node, |b| b.new_local(types.first().copied().unwrap_or(Ty::UNKNOWN)))?;
                let read = self.build(node, |b| b.local(local))?;
                let test = self.isa_of(node, &name.args, read)?;
                self.build(node, |b| b.lambda(&[local], test))
            }
            NodeKind::Name(name) => {
                let found = self.scope.iter().rposition(|(bound, _)| *bound == name.path);
                match found.map(|at| self.scope[at].1) {
                    Some(Bound::Lambda(lambda)) => self.named_lambda(lambda, types),
                    Some(bound) => {
                        if let Bound::Local(local) = bound {
                            self.record_applied(local, types);
                        }
                        let value = self.expression(node, types.first().copied())?;
                        self.callable_object(node, value, types)
                    }
                    None => match self.function_lambda(node, name, types)? {
                        Some(lambda) => Ok(lambda),
                        None => self.expression(node, types.first().copied()),
                    },
                }
            }
            _ => {
                let value = self.expression(node, types.first().copied())?;
                self.callable_object(node, value, types)
            }
        }
    }

    /// The lambda that calls the function with this name; `None` if no such function takes arguments of these types.
    fn function_lambda(
        &mut self,
        node: NodeId,
        name: &TypeName,
        types: &[Ty],
    ) -> Result<Option<Typed>, Fault> {
        let mut locals = Vec::new();
        let mut values = Vec::new();
        for &ty in types {
            let local = self.build(node, |b| b.new_local(ty))?;
            locals.push(local);
            values.push(self.build(node, |b| b.local(local))?);
        }
        let called = match self.helper_call_of(node, name, &[], &values)? {
            Some(e) => Some(e),
            None => self.b.function(&name.path, &values, None).map(|e| self.at_node(node, e)).transpose()?,
        };
        let Some(called) = called else { return Ok(None) };
        let lambda = self.build(node, |b| b.lambda(&locals, called))?;
        self.set_container(lambda, self.container_of(called));
        Ok(Some(lambda))
    }

    /// The lambda that calls the only function with this name; `None` if there is none or several, or if it is a
    /// template.
    pub(in crate::frontend::cxx) fn function_value(
        &mut self,
        node: NodeId,
        name: &TypeName,
    ) -> Result<Option<Typed>, Fault> {
        let Some(functions) = self.functions() else { return Ok(None) };
        let [only] = functions.free(name, &self.enclosing)[..] else { return Ok(None) };
        let Ok(head) = head(functions, only) else { return Ok(None) };
        let types: Option<Vec<Ty>> =
            head.params.iter().map(|(ty, ..)| self.static_type_in_function(ty)).collect();
        match types.filter(|_| head.template.is_empty()) {
            Some(types) => self.function_lambda(node, name, &types),
            None => Ok(None),
        }
    }

    fn algorithm_of(
        &mut self,
        node: NodeId,
        op: Builtin,
        args: &[Typed],
        ty: Ty,
    ) -> Result<Option<Typed>, Fault> {
        self.build(node, |b| b.algorithm(op, args, ty)).map(Some)
    }

    /// A call of an algorithm of LLVM or the standard library; `None` if no algorithm has this name and takes these
    /// arguments.
    pub(in crate::frontend::cxx) fn algorithm(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if matches!(name.path.as_str(), "min" | "max" | "clamp") {
            self.require_unchanged_arguments(node, args, |_| true)?;
        }
        match name.path.as_str() {
            "countr_zero" | "countl_zero" | "bit_width" => self.bit_count(node, &name.path, args),
            "OpFoldResult" => self.fold_result(node, args),
            "make_pair" | "make_tuple" | "pair" | "tuple" => self.make_tuple(node, name, args),
            "get" => {
                let (Some(index), &[of]) = (tuple_index(name), args) else { return Ok(None) };
                let of = self.expression(of, None)?;
                self.build(node, |b| b.field_at(of, index)).map(Some)
            }
            "swap" => {
                let &[a, b] = args else { return Ok(None) };
                let (first, second) = (self.expression(a, None)?, self.expression(b, None)?);
                let mut held = Held::new();
                let (first, second) =
                    (self.hold(node, first, &mut held)?, self.hold(node, second, &mut held)?);
                let to_a = self.store(node, a, second)?;
                let to_b = self.store(node, b, first)?;
                let both = self.build(node, |b| b.then(to_a, to_b))?;
                self.bind_held(node, held, both).map(Some)
            }
            "prev"
                if let &[at, ref by @ ..] = args
                    && by.len() <= 1 =>
            {
                self.iterator_before(node, at, by.first())
            }
            "minmax" if !args.is_empty() => self.both_extremes(node, name, args),
            "formatv" => self.formatted(node, args),
            "set_intersection" | "set_union" | "set_difference" | "set_symmetric_difference" | "merge" => {
                self.merging_algorithm(node, &name.path, args)
            }
            "includes" | "is_permutation" | "inner_product" => {
                self.comparing_algorithm(node, &name.path, args)
            }
            "frexp" => {
                let &[of, exponent] = args else { return Ok(None) };
                let mut held = Held::new();
                let of = self.expression(of, None)?;
                let ty = if self.is_in_std(name) && of.ty == Ty::FLOAT { Ty::FLOAT } else { Ty::DOUBLE };
                let of = self.build(node, |b| b.convert(of, ty))?;
                let of = self.hold(node, of, &mut held)?;
                let value = self.build(node, |b| b.algorithm(Builtin::ExponentOf, &[of], Ty::I32))?;
                let stored = self.store(node, exponent, value)?;
                let both = self.build(node, |b| {
                    let fraction = b.algorithm(Builtin::FractionOf, &[of], ty)?;
                    b.then(stored, fraction)
                })?;
                self.bind_held(node, held, both).map(Some)
            }
            "neg" => {
                let &[of] = args else { return Ok(None) };
                let of = self.expression(of, None)?;
                if of.ty != Ty::AP_FLOAT {
                    return Ok(None);
                }
                self.build(node, |b| b.unary('-', of)).map(Some)
            }
            "Log2_32_Ceil" | "Log2_64_Ceil" => self.log2_ceil(node, &name.path, args),
            "clamp" => self.clamp(node, name, args),
            "max" | "min"
                if let &[list] = args
                    && let NodeKind::Braces(items) = &self.ast[list].kind =>
            {
                self.extreme_of_list(node, name, items)
            }
            "max" | "min"
                if let &[list, by] = args
                    && let NodeKind::Braces(items) = &self.ast[list].kind =>
            {
                self.extreme_by(node, name, items, by)
            }
            "max" | "min" if let &[a, b, by] = args => self.extreme_by(node, name, &[a, b], by),
            "max" | "min" => {
                let (Some(ty), &[a, b]) = (name.args.first(), args) else { return Ok(None) };
                let Some(ty) = self.static_type(ty) else { return Ok(None) };
                let (a, b) = (self.expression(a, None)?, self.expression(b, None)?);
                let (a, b) = (self.b.convert(a, ty), self.b.convert(b, ty));
                let args = [self.at_node(node, a)?, self.at_node(node, b)?];
                self.b.function(&name.path, &args, None).map(|e| self.at_node(node, e)).transpose()
            }
            "seq" | "seq_inclusive" => {
                let (from, to) = match *args {
                    [from, to] => (Some(self.expression(from, None)?), self.expression(to, None)?),
                    [to] if name.path == "seq" => (None, self.expression(to, None)?),
                    _ => return Ok(None),
                };
                let from = match from {
                    Some(from) => from,
                    None => {
                        self.build(node, |b| b.int(0, IntTy::I32).and_then(|zero| b.convert(zero, to.ty)))?
                    }
                };
                let ty = self.template_type(&name.args)?.unwrap_or(from.ty);
                let (from, to) = (self.convert_number(node, from, ty)?, self.convert_number(node, to, ty)?);
                let to = if name.path == "seq" {
                    to
                } else {
                    let one = self.build(node, |b| b.int(1, IntTy::I32))?;
                    let next = self.b.binary(BinaryOp::Add, to, one);
                    self.at_node(node, next)?
                };
                self.algorithm_of(node, Builtin::Sequence, &[from, to], Ty::range(ty.item))
            }
            "enumerate" | "zip" | "zip_equal" | "zip_first" | "zip_shortest" if !args.is_empty() => {
                self.zip(node, &name.path, args)
            }
            "concat" if args.len() == 2 => {
                let (a, b) = (self.expression(args[0], None)?, self.expression(args[1], None)?);
                let a = self.build(node, |builder| builder.as_range(a))?;
                let b = self.build(node, |builder| builder.as_range(b))?;
                let item = self.template_type(&name.args)?.map_or(a.ty.item, |ty| ty.item);
                self.algorithm_of(node, Builtin::Concat, &[a, b], Ty::range(item))
            }
            "sort" | "stable_sort" | "reverse" | "fill" | "replace" | "iota" | "rotate" | "transform"
            | "copy" | "copy_if" | "append_range" | "erase_if" | "erase" => {
                self.changing_algorithm(node, &name.path, args)
            }
            "find"
            | "find_if"
            | "find_if_not"
            | "partition_point"
            | "adjacent_find"
            | "binary_search"
            | "is_sorted"
            | "lexicographical_compare"
            | "minmax_element"
            | "reduce"
            | "lower_bound"
            | "upper_bound"
            | "max_element"
            | "min_element"
            | "count"
            | "equal"
            | "accumulate"
            | "sum_of"
            | "product_of"
            | "make_filter_range"
            | "make_range"
            | "drop_begin"
            | "drop_end"
            | "for_each"
            | "interleave"
            | "interleaveComma"
            | "all_of"
            | "any_of"
            | "none_of"
            | "all_of_zip"
            | "count_if"
            | "is_contained"
            | "map_range"
            | "map_to_vector" => self.reading_algorithm(node, &name.path, args),
            _ => Ok(None),
        }
    }

    /// Lowers `countr_zero`, `countl_zero` and `bit_width` of an unsigned integer.
    fn bit_count(&mut self, node: NodeId, name: &str, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let &[of] = args else { return Ok(None) };
        let of = self.expression(of, None)?;
        let Ty { item: Item::Int(int @ IntTy { signed: false, .. }), form: Form::One } = of.ty else {
            return Ok(None);
        };
        self.build(node, |b| {
            let of = b.convert(of, Ty::U64)?;
            let number = |b: &mut Builder<'_>, value: u8| b.int(value.into(), IntTy::I32);
            if name == "countr_zero" {
                let (zeros, bits) =
                    (b.algorithm(Builtin::TrailingZeros, &[of], Ty::I32)?, number(b, int.bits)?);
                return b.algorithm(Builtin::Min, &[zeros, bits], Ty::I32);
            }
            let zeros = b.algorithm(Builtin::LeadingZeros, &[of], Ty::I32)?;
            match name {
                "bit_width" => {
                    let all = number(b, 64)?;
                    b.binary(BinaryOp::Sub, all, zeros)
                }
                _ => {
                    let unused = number(b, 64 - int.bits)?;
                    b.binary(BinaryOp::Sub, zeros, unused)
                }
            }
        })
        .map(Some)
    }

    /// `OpFoldResult(x)`. Outside of functions, the value has the type of `x`.
    fn fold_result(&mut self, node: NodeId, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let to = Ty::one(Item::FoldResult);
        match args {
            [] if self.in_function => self.build(node, |b| b.null(to)).map(Some),
            &[of] => {
                let of = self.expression(of, None)?;
                if self.in_function {
                    return self.build(node, |b| b.convert(of, to)).map(Some);
                }
                Ok(Some(of).filter(|of| matches!(of.ty.item, Item::Attr(_) | Item::Value)))
            }
            _ => Ok(None),
        }
    }

    /// Lowers `Log2_32_Ceil` and `Log2_64_Ceil`, the logarithm to base 2, rounded up. For zero, LLVM returns the width
    /// of the type.
    fn log2_ceil(&mut self, node: NodeId, name: &str, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let &[of] = args else { return Ok(None) };
        let (ty, width, floor) =
            if name == "Log2_32_Ceil" { (Ty::U32, 32, "Log2_32") } else { (Ty::U64, 64, "Log2_64") };
        let mut held = Held::new();
        let of = self.expression(of, None)?;
        let of = self.build(node, |b| b.convert(of, ty))?;
        let of = self.hold(node, of, &mut held)?;
        let number = |this: &mut Self, value| this.build(node, |b| b.int(value, IntTy::U32));
        let (zero, one, width) = (number(self, 0)?, number(self, 1)?, number(self, width)?);
        let before = self.build(node, |b| b.binary(BinaryOp::Sub, of, one))?;
        let floor = self.library_function(node, floor, &[before])?;
        let log = self.build(node, |b| b.binary(BinaryOp::Add, floor, one))?;
        let is_one = self.build(node, |b| b.binary(BinaryOp::Eq, of, one))?;
        let log = self.build(node, |b| b.select(is_one, zero, log))?;
        let is_zero = self.build(node, |b| b.binary(BinaryOp::Eq, of, zero))?;
        let e = self.build(node, |b| b.select(is_zero, width, log))?;
        self.bind_held(node, held, e).map(Some)
    }

    pub(super) fn make_tuple(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if matches!(name.path.as_str(), "pair" | "tuple") && !name.args.is_empty() {
            return Ok(None);
        }
        let values = self.items(args, None)?;
        let types: Vec<Ty> = values.iter().map(|value| value.ty).collect();
        let Some(ty) = self.tuple_type(&types) else { return Ok(None) };
        let Item::Tuple(id) = ty.item else { return Ok(None) };
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        for &value in &values {
            let what = "a pair or tuple with a set or map";
            self.require_container((lo, hi), self.container_of(value), Container::default(), what)?;
        }
        self.build(node, |b| b.tuple(id, &values)).map(Some)
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

    fn zip(&mut self, node: NodeId, name: &str, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let mut ranges = Vec::new();
        for &arg in args {
            let range = self.expression(arg, None)?;
            let range = self.b.as_range(range);
            ranges.push(self.at_node(node, range)?);
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

    /// Lowers `std::max({a, b, c})`.
    fn extreme_of_list(
        &mut self,
        node: NodeId,
        name: &TypeName,
        items: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let values = self.items(items, None)?;
        let Some(first) = values.first() else { return Ok(None) };
        let ty = self.template_type(&name.args)?.unwrap_or(first.ty);
        let mut held = Held::new();
        let mut result: Option<Typed> = None;
        for value in values {
            let value = self.build(node, |b| b.convert(value, ty))?;
            let value = self.hold(node, value, &mut held)?;
            result = Some(match result {
                None => value,
                Some(before) => self.library_function(node, &name.path, &[before, value])?,
            });
        }
        let Some(result) = result else { return Ok(None) };
        self.bind_held(node, held, result).map(Some)
    }

    /// Lowers `std::prev(iterator)` and `std::prev(iterator, n)`. Returns `None` for another argument.
    fn iterator_before(
        &mut self,
        node: NodeId,
        at: NodeId,
        by: Option<&NodeId>,
    ) -> Result<Option<Typed>, Fault> {
        let at = self.expression(at, None)?;
        if at.ty.form != Form::Iterator {
            return Ok(None);
        }
        let by = match by {
            Some(&by) => self.expression(by, None)?,
            None => self.build(node, |b| b.int(1, IntTy::I64))?,
        };
        let by = self.convert_number(node, by, Ty::I64)?;
        let back = self.build(node, |b| b.unary('-', by))?;
        self.library_function(node, "next", &[at, back]).map(Some)
    }

    /// Lowers `std::minmax(a, b)` and `std::minmax({a, b, …})` of numbers.
    fn both_extremes(
        &mut self,
        node: NodeId,
        name: &TypeName,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let items = match *args {
            [list] if let NodeKind::Braces(items) = &self.ast[list].kind => &items[..],
            [_, _] => args,
            _ => return Ok(None),
        };
        let values = self.items(items, None)?;
        let Some(&first) = values.first() else { return Ok(None) };
        let ty = self.template_type(&name.args)?.unwrap_or(first.ty);
        // The arguments have one type in C++. Equal numbers are not distinguishable, except the zeros of floats.
        let is_integer = matches!(ty, Ty { item: Item::Int(_), form: Form::One });
        let Some(pair) = self.tuple_type(&[ty, ty]).filter(|_| is_integer) else { return Ok(None) };
        let Item::Tuple(id) = pair.item else { return Ok(None) };
        let mut held = Held::new();
        let mut extremes: Option<[Typed; 2]> = None;
        for value in values {
            let value = self.build(node, |b| b.convert(value, ty))?;
            let value = self.hold(node, value, &mut held)?;
            extremes = Some(match extremes {
                None => [value; 2],
                Some([least, greatest]) => [
                    self.library_function(node, "min", &[least, value])?,
                    self.library_function(node, "max", &[greatest, value])?,
                ],
            });
        }
        let Some(extremes) = extremes else { return Ok(None) };
        let pair = self.build(node, |b| b.tuple(id, &extremes))?;
        self.bind_held(node, held, pair).map(Some)
    }

    /// Lowers `max(a, b, less)` and `max({a, b, …}, less)`, and the same for `min`.
    fn extreme_by(
        &mut self,
        node: NodeId,
        name: &TypeName,
        items: &[NodeId],
        by: NodeId,
    ) -> Result<Option<Typed>, Fault> {
        let values = self.items(items, None)?;
        let Some(first) = values.first() else { return Ok(None) };
        let ty = self.template_type(&name.args)?.unwrap_or(first.ty);
        if ty.form != Form::One || ty.is_unknown() {
            return Ok(None);
        }
        let mut converted = Vec::with_capacity(values.len());
        for value in values {
            converted.push(self.build(node, |b| b.returned(value, ty))?);
        }
        let list = self.build(node, |b| b.list(&converted))?;
        let list = Typed { ty: Ty::range(ty.item), ..list };
        let found = self.extreme_element(node, list, by, name.path == "max")?;
        self.build(node, |b| b.deref(found)).map(Some)
    }

    fn clamp(&mut self, node: NodeId, name: &TypeName, args: &[NodeId]) -> Result<Option<Typed>, Fault> {
        let &[value, low, high] = args else { return Ok(None) };
        let value = self.expression(value, None)?;
        let ty = self.template_type(&name.args)?.unwrap_or(value.ty);
        let mut held = Held::new();
        let mut convert = |this: &mut Self, e: Typed| {
            let e = this.build(node, |b| b.convert(e, ty))?;
            this.hold(node, e, &mut held)
        };
        let value = convert(self, value)?;
        let low = self.expression(low, None)?;
        let low = convert(self, low)?;
        let high = self.expression(high, None)?;
        let high = convert(self, high)?;
        let below = self.build(node, |b| b.binary(BinaryOp::Lt, value, low))?;
        let above = self.build(node, |b| b.binary(BinaryOp::Lt, high, value))?;
        let upper = self.build(node, |b| b.select(above, high, value))?;
        let e = self.build(node, |b| b.select(below, low, upper))?;
        self.bind_held(node, held, e).map(Some)
    }

    /// Lowers an algorithm that does not change its range.
    fn reading_algorithm(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if matches!(
            name,
            "find"
                | "find_if"
                | "find_if_not"
                | "partition_point"
                | "adjacent_find"
                | "lower_bound"
                | "upper_bound"
                | "max_element"
                | "min_element"
                | "minmax_element"
        ) && let &[begin, end, ref rest @ ..] = args
            && self.whole_range(begin, end).is_none()
        {
            let begin = self.expression(begin, None)?;
            if begin.ty.form == Form::Iterator {
                let end = self.expression(end, None)?;
                return self.found_in_part(node, name, args, [begin, end], rest);
            }
        }
        let Some((range, rest)) = self.range_argument(node, args)? else { return Ok(None) };
        self.require_order_for(node, name, &[range])?;
        self.require_fixed_range(node, args)?;
        self.read_range(node, name, range, rest)
    }

    /// The iterator that an algorithm finds between two iterators.
    fn found_in_part(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
        [begin, end]: [Typed; 2],
        rest: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        self.require_fixed_range(node, args)?;
        let mut held = Held::new();
        let begin = self.hold(node, begin, &mut held)?;
        let part =
            self.build(node, |b| b.algorithm(Builtin::IterRange, &[begin, end], Ty::range(begin.ty.item)))?;
        self.require_order_for(node, name, &[part])?;
        let part = self.hold(node, part, &mut held)?;
        let Some(found) = self.read_range(node, name, part, rest)? else { return Ok(None) };
        // The found iterators point into the part. The results point into the whole range.
        let in_whole = |b: &mut Builder<'_>, found: Typed| {
            let first = b.algorithm(Builtin::Begin, &[part], begin.ty)?;
            let index = b.algorithm(Builtin::Distance, &[first, found], Ty::I64)?;
            b.algorithm(Builtin::Next, &[begin, index], begin.ty)
        };
        let found = match found.ty.item {
            Item::Tuple(id) if name == "minmax_element" => {
                let found = self.hold(node, found, &mut held)?;
                self.build(node, |b| {
                    let (least, greatest) = (b.field_at(found, 0)?, b.field_at(found, 1)?);
                    let both = [in_whole(b, least)?, in_whole(b, greatest)?];
                    b.tuple(id, &both)
                })?
            }
            _ => self.build(node, |b| in_whole(b, found))?,
        };
        self.bind_held(node, held, found).map(Some)
    }

    /// Lowers an algorithm that does not change its range. `rest` has the arguments after the range.
    fn read_range(
        &mut self,
        node: NodeId,
        name: &str,
        range: Typed,
        rest: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let element = Ty::one(range.ty.item);
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        let (op, ty) = match (name, rest) {
            ("max_element", []) => (Builtin::MaxElement, iterator),
            ("min_element", []) => (Builtin::MinElement, iterator),
            ("max_element" | "min_element", &[by]) => {
                return self.extreme_element(node, range, by, name == "max_element").map(Some);
            }
            ("minmax_element", []) => return self.extremes(node, range),
            ("adjacent_find" | "is_sorted", &[by]) => {
                return self.first_neighbours(node, range, by, name == "is_sorted").map(Some);
            }
            ("adjacent_find", []) => {
                return self
                    .build(node, |b| {
                        let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
                        let end = b.algorithm(Builtin::End, &[range], iterator)?;
                        b.algorithm(Builtin::AdjacentFind, &[begin, end], iterator)
                    })
                    .map(Some);
            }
            ("is_sorted", []) => (Builtin::IsSorted, Ty::BOOL),
            ("binary_search", &[value, ref by @ ..]) if by.len() <= 1 => {
                return self.has_in_order(node, range, value, by.first().copied()).map(Some);
            }
            ("lexicographical_compare", others)
                if let Some((other, [])) = self.range_argument(node, others)? =>
            {
                return self.build(node, |b| b.binary(BinaryOp::Lt, range, other)).map(Some);
            }
            ("reduce", []) => {
                let zero = self.default_value(node, element)?;
                return self.fold(node, range, zero, None, BinaryOp::Add).map(Some);
            }
            ("find_if_not" | "partition_point", &[by]) => {
                let op = if name == "find_if_not" { Builtin::FindIf } else { Builtin::PartitionPoint };
                let by = self.function_argument(by, &[element])?;
                let by = match name {
                    "find_if_not" => self.negated(node, by, element)?,
                    _ => by,
                };
                return self.algorithm_of(node, op, &[range, by], iterator);
            }
            // `all_of_zip(a, b, function)`
            ("all_of_zip", &[other, by]) => {
                self.require_fixed_range(node, rest)?;
                let other = self.expression(other, None)?;
                let other = self.build(node, |b| b.as_range(other))?;
                let mut held = Held::new();
                let range = self.hold(node, range, &mut held)?;
                let other = self.hold(node, other, &mut held)?;
                let (pairs, by) = self.on_pairs(node, [range, other], by)?;
                let all = self.library_function(node, "all_of", &[pairs, by])?;
                // The result is false for ranges of different sizes, but the function is called first.
                let (size, other) = (self.size_of(node, range)?, self.size_of(node, other)?);
                let all = self.build(node, |b| {
                    let same = b.binary(BinaryOp::Eq, size, other)?;
                    b.and(all, same)
                })?;
                return self.bind_held(node, held, all).map(Some);
            }
            ("make_range", []) => return Ok(Some(range)),
            ("sum_of" | "product_of", []) => {
                let zero = self.default_value(node, element)?;
                let (op, initial) = match name {
                    "sum_of" => (BinaryOp::Add, zero),
                    _ => {
                        let one = self.build(node, |b| b.int(1, IntTy::I32))?;
                        let one = self.b.convert(one, element);
                        (BinaryOp::Mul, self.at_node(node, one)?)
                    }
                };
                return self.fold(node, range, initial, None, op).map(Some);
            }
            ("drop_begin" | "drop_end", _) if rest.len() <= 1 => {
                let method = if name == "drop_begin" { "drop_front" } else { "drop_back" };
                let values = self.items(rest, None)?;
                return self
                    .b
                    .method(range, method, &values, None)
                    .map(|e| self.at_node(node, e))
                    .transpose();
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
                let local = self.build(node, |b| b.new_local(element))?;
                let read = self.build(node, |b| b.local(local))?;
                let lambda = self.function_argument(by, &[element])?;
                let call = self.build(node, |b| b.call_lambda(lambda, &[read]))?;
                return self.build(node, |b| b.for_each(local, range, call)).map(Some);
            }
            // `interleave(range, stream, text)` and `interleave(range, stream, each, text)`
            ("interleave", &[stream, ref each @ .., between])
                if each.len() <= 1 && self.is_stream_name(stream) =>
            {
                let between = self.expression(between, None)?;
                let between = self.build(node, |b| b.convert(between, Ty::STR))?;
                return self.interleave_text(node, range, stream, each.first().copied(), between).map(Some);
            }
            ("interleaveComma", &[stream, ref each @ ..])
                if each.len() <= 1 && self.is_stream_name(stream) =>
            {
                let between = self.build(node, |b| b.str(", "))?;
                return self.interleave_text(node, range, stream, each.first().copied(), between).map(Some);
            }
            // `interleave(range, each, between)`
            ("interleave", &[each, between]) => {
                let local = self.build(node, |b| b.new_local(element))?;
                let read = self.build(node, |b| b.local(local))?;
                let between = self.function_argument(between, &[])?;
                let between = self.build(node, |b| b.call_lambda(between, &[]))?;
                let each = self.function_argument(each, &[element])?;
                let each = self.build(node, |b| b.call_lambda(each, &[read]))?;
                return self.interleaved(node, range, local, [each, between]).map(Some);
            }
            ("find", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.build(node, |b| b.compared(value, element.item))?;
                return self.algorithm_of(node, Builtin::Find, &[range, value], iterator);
            }
            ("count", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.build(node, |b| b.compared(value, element.item))?;
                return self.algorithm_of(node, Builtin::Count, &[range, value], Ty::I64);
            }
            ("equal", &[other]) => {
                let other = self.expression(other, None)?;
                let other = if other.ty.form == Form::Iterator { Ok(other) } else { self.b.as_range(other) };
                let other = self.at_node(node, other)?;
                let other = self.build(node, |b| b.compared(other, element.item))?;
                return self.algorithm_of(node, Builtin::EqualRanges, &[range, other], Ty::BOOL);
            }
            ("equal", &[begin, end]) => {
                let Some((other, [])) = self.range_argument(node, &[begin, end])? else { return Ok(None) };
                let other = self.build(node, |b| b.compared(other, element.item))?;
                return self.algorithm_of(node, Builtin::EqualRanges, &[range, other], Ty::BOOL);
            }
            ("find_if", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                return self.algorithm_of(node, Builtin::FindIf, &[range, by], iterator);
            }
            ("lower_bound" | "upper_bound", &[value, ref by @ ..]) if by.len() <= 1 => {
                return self.bound(node, name == "lower_bound", range, value, by.first().copied()).map(Some);
            }
            ("make_filter_range", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                return self.algorithm_of(node, Builtin::Filter, &[range, by], range.ty);
            }
            ("all_of" | "any_of" | "none_of" | "count_if" | "map_range" | "map_to_vector", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                return self.b.function(name, &[range, by], None).map(|e| self.at_node(node, e)).transpose();
            }
            ("is_contained", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.build(node, |b| b.compared(value, element.item))?;
                return self
                    .b
                    .function(name, &[range, value], None)
                    .map(|e| self.at_node(node, e))
                    .transpose();
            }
            _ => return Ok(None),
        };
        self.algorithm_of(node, op, &[range], ty)
    }

    /// The pairs of the elements of two ranges, and a function that calls `by` with the parts of a pair.
    pub(super) fn on_pairs(
        &mut self,
        node: NodeId,
        [x, y]: [Typed; 2],
        by: NodeId,
    ) -> Result<(Typed, Typed), Fault> {
        let types = [Ty::one(x.ty.item), Ty::one(y.ty.item)];
        let Some(pair) = self.tuple_type(&types) else {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported("pairs of these elements", lo, hi));
        };
        let by = self.function_argument(by, &types)?;
        let (local, first, second) = self.build(node, |b| {
            let local = b.new_local(pair)?;
            let read = b.local(local)?;
            Ok((local, b.field_at(read, 0)?, b.field_at(read, 1)?))
        })?;
        let called = self.build(node, |b| b.call_lambda(by, &[first, second]))?;
        self.build(node, |b| {
            let pairs = b.algorithm(Builtin::Zip, &[x, y], Ty::range(pair.item))?;
            Ok((pairs, b.lambda(&[local], called)?))
        })
    }

    /// The lambda that returns the negated result of another lambda.
    fn negated(&mut self, node: NodeId, by: Typed, element: Ty) -> Lowered {
        self.build(node, |b| {
            let local = b.new_local(element)?;
            let read = b.local(local)?;
            let held = b.call_lambda(by, &[read])?;
            let opposite = b.not(held)?;
            b.lambda(&[local], opposite)
        })
    }

    /// Iterators to the first of the least elements and to the last of the greatest elements.
    fn extremes(&mut self, node: NodeId, range: Typed) -> Result<Option<Typed>, Fault> {
        let mut held = Held::new();
        let range = self.hold(node, range, &mut held)?;
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        let Some(Ty { item: Item::Tuple(pair), .. }) = self.tuple_type(&[iterator, iterator]) else {
            return Ok(None);
        };
        let both = self.build(node, |b| {
            let least = b.algorithm(Builtin::MinElement, &[range], iterator)?;
            let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
            let size = b.algorithm(Builtin::Size, &[range], Ty::I64)?;
            // The last of the greatest elements is the first one from the end.
            let reversed = b.algorithm(Builtin::Reversed, &[range], range.ty)?;
            let greatest = b.algorithm(Builtin::MaxElement, &[reversed], iterator)?;
            let end = b.algorithm(Builtin::Begin, &[reversed], iterator)?;
            let from_end = b.algorithm(Builtin::Distance, &[end, greatest], Ty::I64)?;
            let one = b.int(1, IntTy::I64)?;
            let last = b.binary(BinaryOp::Sub, size, one)?;
            let index = b.binary(BinaryOp::Sub, last, from_end)?;
            let is_empty = b.algorithm(Builtin::IsEmpty, &[range], Ty::BOOL)?;
            let zero = b.int(0, IntTy::I64)?;
            let index = b.select(is_empty, zero, index)?;
            let greatest = b.algorithm(Builtin::Next, &[begin, index], iterator)?;
            b.tuple(pair, &[least, greatest])
        })?;
        self.bind_held(node, held, both).map(Some)
    }

    /// An iterator to the first element `x` for which `by(x, y)` is true, where `y` is the next element. If `is_sorted`
    /// is true, the result is instead a Boolean: true if `by(y, x)` is true for no such pair.
    fn first_neighbours(&mut self, node: NodeId, range: Typed, by: NodeId, is_sorted: bool) -> Lowered {
        let mut held = Held::new();
        let range = self.hold(node, range, &mut held)?;
        let element = Ty::one(range.ty.item);
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        let by = self.function_argument(by, &[element, element])?;
        let found = self.build(node, |b| {
            let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
            let size = b.algorithm(Builtin::Size, &[range], Ty::I64)?;
            let (zero, one) = (b.int(0, IntTy::I64)?, b.int(1, IntTy::I64)?);
            let last = b.binary(BinaryOp::Sub, size, one)?;
            let numbers = b.algorithm(Builtin::Sequence, &[zero, last], Ty::range(Item::Int(IntTy::I64)))?;
            let local = b.new_local(Ty::I64)?;
            let at = b.local(local)?;
            let next = b.binary(BinaryOp::Add, at, one)?;
            let (x, y) = (b.index(range, at)?, b.index(range, next)?);
            let fits = b.call_lambda(by, &if is_sorted { [y, x] } else { [x, y] })?;
            let fits = b.truth(fits)?;
            let test = b.lambda(&[local], fits)?;
            if is_sorted {
                return b.algorithm(Builtin::NoneOf, &[numbers, test], Ty::BOOL);
            }
            let index = Ty { item: Item::Int(IntTy::I64), form: Form::Iterator };
            let first = b.algorithm(Builtin::Begin, &[numbers], index)?;
            let found = b.algorithm(Builtin::FindIf, &[numbers, test], index)?;
            let found = b.algorithm(Builtin::Distance, &[first, found], Ty::I64)?;
            let none = b.binary(BinaryOp::Ge, found, last)?;
            let found = b.select(none, size, found)?;
            b.algorithm(Builtin::Next, &[begin, found], iterator)
        })?;
        self.bind_held(node, held, found)
    }

    /// Lowers `binary_search`: true if the range between `lower_bound` and `upper_bound` of the value is not empty.
    fn has_in_order(&mut self, node: NodeId, range: Typed, value: NodeId, by: Option<NodeId>) -> Lowered {
        let mut held = Held::new();
        let range = self.hold(node, range, &mut held)?;
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        let lower = self.bound(node, true, range, value, by)?;
        let lower = self.hold(node, lower, &mut held)?;
        let upper = self.bound(node, false, range, value, by)?;
        let upper = self.hold(node, upper, &mut held)?;
        let found = self.build(node, |b| {
            let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
            let from = b.algorithm(Builtin::Distance, &[begin, lower], Ty::I64)?;
            let to = b.algorithm(Builtin::Distance, &[begin, upper], Ty::I64)?;
            b.binary(BinaryOp::Lt, from, to)
        })?;
        self.bind_held(node, held, found)
    }

    /// An iterator to the first of the greatest or least elements. `by` compares two elements.
    fn extreme_element(&mut self, node: NodeId, range: Typed, by: NodeId, is_greatest: bool) -> Lowered {
        let mut held = Held::new();
        let range = self.hold(node, range, &mut held)?;
        let element = Ty::one(range.ty.item);
        let iterator = Ty { item: range.ty.item, form: Form::Iterator };
        let by = self.function_argument(by, &[element, element])?;
        let found = self.build(node, |b| {
            let begin = b.algorithm(Builtin::Begin, &[range], iterator)?;
            let end = b.algorithm(Builtin::End, &[range], iterator)?;
            let (best, at) = (b.new_local(iterator)?, b.new_local(iterator)?);
            let (best_read, at_read) = (b.local(best)?, b.local(at)?);
            let (known, other) = (b.deref(best_read)?, b.deref(at_read)?);
            let compared = if is_greatest { [known, other] } else { [other, known] };
            // The first element is not compared with itself.
            let is_other = b.binary(BinaryOp::Ne, at_read, begin)?;
            let is_better = b.call_lambda(by, &compared)?;
            let is_better = b.and(is_other, is_better)?;
            let (taken, nothing) = (b.set(best, at_read)?, b.null(Ty::NULL)?);
            let body = b.branch(is_better, taken, nothing)?;
            let one = b.int(1, IntTy::I64)?;
            let next = b.algorithm(Builtin::Next, &[at_read, one], iterator)?;
            let step = b.set(at, next)?;
            let more = b.binary(BinaryOp::Ne, at_read, end)?;
            let search = b.repeat(more, step, body)?;
            let all = b.then(search, best_read)?;
            let all = b.bind(at, begin, all)?;
            b.bind(best, begin, all)
        })?;
        self.bind_held(node, held, found)
    }

    /// Evaluates an effect for each element of a range, and another effect between elements.
    fn interleaved(
        &mut self,
        node: NodeId,
        range: Typed,
        element: LocalId,
        [each, between]: [Typed; 2],
    ) -> Lowered {
        self.build(node, |b| {
            let is_first = b.new_local(Ty::BOOL)?;
            let (first, yes, no) = (b.local(is_first)?, b.bool(true)?, b.bool(false)?);
            let started = b.set(is_first, no)?;
            let between = b.branch(first, started, between)?;
            let body = b.block(&[between, each])?;
            let all = b.for_each(element, range, body)?;
            b.bind(is_first, yes, all)
        })
    }

    /// Writes the elements of a range to a stream, with a text between them. The function `each`, if it is given,
    /// writes an element.
    fn interleave_text(
        &mut self,
        node: NodeId,
        range: Typed,
        stream: NodeId,
        each: Option<NodeId>,
        between: Typed,
    ) -> Lowered {
        let mut held = Held::new();
        let between = self.hold(node, between, &mut held)?;
        let element = Ty::one(range.ty.item);
        let local = self.build(node, |b| b.new_local(element))?;
        let read = self.build(node, |b| b.local(local))?;
        let each = match each {
            Some(each) => {
                let each = self.function_argument(each, &[element])?;
                self.build(node, |b| b.call_lambda(each, &[read]))?
            }
            None => {
                let text = self.printed(node, read)?;
                self.write_text(node, stream, text)?
            }
        };
        let between = self.write_text(node, stream, between)?;
        let all = self.interleaved(node, range, local, [each, between])?;
        self.bind_held(node, held, all)
    }

    /// Two locals for the parameters of a lambda, and expressions that read them.
    pub(super) fn two_locals(
        &mut self,
        node: NodeId,
        [x, y]: [Ty; 2],
    ) -> Result<([LocalId; 2], [Typed; 2]), Fault> {
        self.build(node, |b| {
            let locals = [b.new_local(x)?, b.new_local(y)?];
            Ok((locals, [b.local(locals[0])?, b.local(locals[1])?]))
        })
    }

    /// Lowers `lower_bound`, which finds the first element that is not less than a value, or `upper_bound`, which finds
    /// the first element that is greater than the value. The function `by`, if it is given, replaces the operator `<`.
    fn bound(
        &mut self,
        node: NodeId,
        is_lower: bool,
        range: Typed,
        value: NodeId,
        by: Option<NodeId>,
    ) -> Lowered {
        let element = Ty::one(range.ty.item);
        let mut held = Held::new();
        let value = self.expression(value, Some(element))?;
        let value = self.hold(node, value, &mut held)?;
        let local = self.build(node, |b| b.new_local(element))?;
        let read = self.build(node, |b| b.local(local))?;
        let (a, b) = if is_lower { (read, value) } else { (value, read) };
        let is_less = match by {
            Some(by) => {
                let by = self.function_argument(by, &[a.ty, b.ty])?;
                self.build(node, |builder| builder.call_lambda(by, &[a, b]))?
            }
            None => self.build(node, |builder| builder.binary(BinaryOp::Lt, a, b))?,
        };
        let found = self.build(node, |builder| {
            let is_less = builder.truth(is_less)?;
            let is_before = if is_lower { is_less } else { builder.not(is_less)? };
            let lambda = builder.lambda(&[local], is_before)?;
            let iterator = Ty { item: range.ty.item, form: Form::Iterator };
            builder.algorithm(Builtin::PartitionPoint, &[range, lambda], iterator)
        })?;
        self.bind_held(node, held, found)
    }

    /// Folds a range by a function or an operator, in the type of the initial value: `accumulate`, `reduce`, `sum_of`
    /// and `product_of`.
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
        if self.container_of(initial).is_special() {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported(
                "a set or map that is built from the elements of a range",
                lo,
                hi,
            ));
        }
        let (locals, [x, y]) = self.two_locals(node, [ty, element])?;
        let value = match by {
            Some(by) => {
                let by = self.function_argument(by, &[ty, element])?;
                self.build(node, |b| b.call_lambda(by, &[x, y]))?
            }
            None => self.build(node, |b| b.binary(op, x, y))?,
        };
        let value = self.build(node, |b| b.returned(value, ty))?;
        let lambda = self.build(node, |b| b.lambda(&locals, value))?;
        self.build(node, |b| b.algorithm(Builtin::Fold, &[range, initial, lambda], ty))
    }
}

/// The method in `std::mem_fn(&C::method)`.
fn method_of_class<'n>(ast: &'n Ast, callee: NodeId, args: &[NodeId]) -> Option<&'n str> {
    let (NodeKind::Name(name), &[arg]) = (&ast[callee].kind, args) else { return None };
    let NodeKind::AddressOf(of) = ast[arg].kind else { return None };
    match &ast[of].kind {
        NodeKind::Name(method) if name.path == "mem_fn" => method.path.rsplit_once("::").map(|(_, of)| of),
        _ => None,
    }
}
