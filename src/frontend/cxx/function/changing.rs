//! Lowers algorithms that change a range, and methods that change a variable.

use super::lvalue::{CHAR, Held, is_range, spliced};
use super::place::{Place, Step};
use crate::frontend::cxx::ast::{NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{ContainerKind, Lower, Lowered, Order};
use crate::snippet::{BinaryOp, Builder, Builtin, Form, IntTy, Item, Ty, TypeClass, TypeError, Typed};

/// The arguments of an algorithm that changes a variable.
struct Changed<'n> {
    target: NodeId,
    /// The iterators that delimit the changed elements; `None` if all elements change.
    bounds: Option<[NodeId; 2]>,
    /// True if the algorithm visits the elements from the last to the first.
    is_reversed: bool,
    rest: &'n [NodeId],
}

/// The elements of a variable that an algorithm changes.
#[derive(Clone, Copy)]
enum Part {
    All,
    /// All elements, from the last to the first.
    Reversed,
    /// The elements between two iterators.
    Between([Typed; 2]),
}

/// The elements that an algorithm moves behind the others, before `erase` removes them.
enum Removed {
    /// Those that are equal to the element before them (`unique`).
    Repeated,
    /// Those for which a function returns true (`remove_if`).
    If(NodeId),
    /// Those that are equal to a value (`remove`).
    EqualTo(NodeId),
}

/// Builds the text of the characters that `change` returns for the characters in a range.
fn text_of(
    b: &mut Builder<'_>,
    characters: Typed,
    change: impl FnOnce(&mut Builder<'_>, Typed) -> Result<Typed, TypeError>,
) -> Result<Typed, TypeError> {
    let local = b.new_local(Ty::one(characters.ty.item))?;
    let character = b.local(local)?;
    let changed = change(b, character)?;
    let text = b.algorithm(Builtin::CharText, &[changed], Ty::STR)?;
    let make = b.lambda(&[local], text)?;
    let parts = b.algorithm(Builtin::MapRange, &[characters, make], Ty::range(Item::Str))?;
    let nothing = b.str("")?;
    b.algorithm(Builtin::StrJoin, &[parts, nothing], Ty::STR)
}

impl Lower<'_, '_> {
    /// The variable in `back_inserter(variable)`.
    pub(super) fn back_inserter(&self, node: NodeId) -> Option<NodeId> {
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return None };
        match (&self.ast[*callee].kind, &args[..]) {
            (NodeKind::Name(name), &[target]) if name.path == "back_inserter" => Some(target),
            _ => None,
        }
    }

    /// The variable in `variable.begin()`.
    pub(super) fn range_of_begin(&self, node: NodeId) -> Option<NodeId> {
        self.range_of_end(node, "begin")
    }

    /// Replaces the first elements of a variable by those of a range. The variable must have at least as many elements
    /// as the range.
    fn overwrite(&mut self, node: NodeId, target: NodeId, new: Typed) -> Lowered {
        self.update_range(node, target, |this, before| {
            let mut held = Held::new();
            let before = this.hold(node, before, &mut held)?;
            let new = this.build(node, |b| b.convert(new, before.ty))?;
            let new = this.hold(node, new, &mut held)?;
            let count = this.size_of(node, new)?;
            let rest = this.library_method(node, before, "drop_front", &[count])?;
            let all = this.build(node, |b| b.algorithm(Builtin::Concat, &[new, rest], before.ty))?;
            this.bind_held(node, held, all)
        })
    }

    /// Splits arguments into a variable, its bounds and the other arguments. The first arguments are `variable`,
    /// `variable.begin(), variable.end()`, `variable.rbegin(), variable.rend()`, or iterators to a part, such as
    /// `variable.begin() + 1, variable.end()`. Only a part has bounds.
    fn changed_argument<'n>(&self, args: &'n [NodeId]) -> Option<Changed<'n>> {
        match args {
            &[begin, end, ..] if let Some(target) = self.whole_range(begin, end) => {
                Some(Changed { target, bounds: None, is_reversed: false, rest: &args[2..] })
            }
            &[begin, end, ..] if let Some(target) = self.range_between(begin, end, ["rbegin", "rend"]) => {
                Some(Changed { target, bounds: None, is_reversed: true, rest: &args[2..] })
            }
            &[begin, end, ..] if let Some(target) = self.part_of_range(begin, end) => {
                Some(Changed { target, bounds: Some([begin, end]), is_reversed: false, rest: &args[2..] })
            }
            [first, rest @ ..] => Some(Changed { target: *first, bounds: None, is_reversed: false, rest }),
            [] => None,
        }
    }

    /// The variable in `variable.begin() + 1, variable.end() - 1`.
    fn part_of_range(&self, begin: NodeId, end: NodeId) -> Option<NodeId> {
        let base = |mut node: NodeId| {
            loop {
                match &self.ast[node].kind {
                    NodeKind::Binary(BinaryOp::Add | BinaryOp::Sub, of, _) => node = *of,
                    NodeKind::Call(callee, args) => match (&self.ast[*callee].kind, &args[..]) {
                        (NodeKind::Name(name), &[of, ..])
                            if matches!(name.path.as_str(), "next" | "prev") =>
                        {
                            node = of;
                        }
                        (NodeKind::Member { object, name, .. }, [])
                            if matches!(name.as_str(), "begin" | "end") =>
                        {
                            return Some(*object);
                        }
                        _ => return None,
                    },
                    _ => return None,
                }
            }
        };
        let (range, other) = (base(begin)?, base(end)?);
        let text = |node: NodeId| self.text.get(self.ast[node].lo..self.ast[node].hi);
        (text(range)? == text(other)?).then_some(range)
    }

    /// Replaces the elements of a variable, or the characters of a string, by those that `make` computes from them.
    fn update_range(
        &mut self,
        node: NodeId,
        target: NodeId,
        make: impl FnOnce(&mut Self, Typed) -> Lowered,
    ) -> Lowered {
        self.update_place(node, target, |this, before| {
            if before.ty != Ty::STR {
                return make(this, before);
            }
            let characters = this.build(node, |b| b.as_range(before))?;
            let changed = make(this, characters)?;
            this.build(node, |b| text_of(b, changed, |_, character| Ok(character)))
        })
    }

    /// Replaces a part of the elements of a variable by those that `make` computes from them.
    fn update_elements(
        &mut self,
        node: NodeId,
        target: NodeId,
        part: Part,
        make: impl FnOnce(&mut Self, Typed) -> Lowered,
    ) -> Lowered {
        self.update_range(node, target, |this, range| match part {
            Part::All => make(this, range),
            Part::Reversed => {
                let reversed = this.build(node, |b| b.algorithm(Builtin::Reversed, &[range], range.ty))?;
                let changed = make(this, reversed)?;
                this.build(node, |b| b.algorithm(Builtin::Reversed, &[changed], range.ty))
            }
            Part::Between([first, last]) => {
                let part = this.build(node, |b| b.algorithm(Builtin::IterRange, &[first, last], range.ty))?;
                let changed = make(this, part)?;
                this.build(node, |b| spliced(b, range, [first, last], Some(changed)))
            }
        })
    }

    /// Appends the elements of a range to a variable.
    pub(super) fn append(&mut self, node: NodeId, target: NodeId, added: Typed) -> Lowered {
        self.require_order(node, added)?;
        self.update_range(node, target, |this, before| {
            this.build(node, |b| {
                let added = b.convert(added, Ty::range(before.ty.item))?;
                b.algorithm(Builtin::Concat, &[before, added], before.ty)
            })
        })
    }

    /// The elements that the arguments `begin, end` or `count, value` denote, as a range of type `ty`.
    fn elements_of_pair(&mut self, node: NodeId, [first, second]: [NodeId; 2], ty: Ty) -> Lowered {
        let element = Ty::one(ty.item);
        let (first, second) = (self.expression(first, None)?, self.expression(second, Some(element))?);
        self.build(node, |b| {
            if first.ty.form == Form::Iterator {
                return b.algorithm(Builtin::IterRange, &[first, second], Ty::range(first.ty.item));
            }
            let filler = b.returned(second, element)?;
            b.algorithm(Builtin::Repeated, &[first, filler], ty)
        })
    }

    /// Lowers an algorithm that changes a variable; `None` if the call changes no variable.
    pub(super) fn changing_algorithm(
        &mut self,
        node: NodeId,
        name: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
        if matches!(name, "transform" | "copy" | "copy_if") {
            let Some((range, rest)) = self.range_argument(node, args)? else { return Ok(None) };
            if name != "copy"
                && let &[.., to, by] = rest
                && let Some(target) = self.back_inserter(to).or_else(|| self.range_of_begin(to))
            {
                self.require_fixed_range(node, args)?;
                self.require_unread_target(node, target, by)?;
            }
            let element = Ty::one(range.ty.item);
            // `transform(begin, end, other.begin(), target, function)`
            if let ("transform", &[other, to, by]) = (name, rest)
                && let Some(other) = self.range_of_begin(other)
            {
                let mut held = Held::new();
                let range = self.hold(node, range, &mut held)?;
                let other = self.expression(other, None)?;
                let other = self.build(node, |b| b.as_range(other))?;
                let count = self.size_of(node, range)?;
                let first = self.build(node, |b| b.int(0, IntTy::I64))?;
                let other = self.library_method(node, other, "slice", &[first, count])?;
                let (pairs, by) = self.on_pairs(node, [range, other], by)?;
                let ty = Ty::range(self.b.lambda_result(by).item);
                let added = self.build(node, |b| b.algorithm(Builtin::MapRange, &[pairs, by], ty))?;
                let stored = match (self.back_inserter(to), self.range_of_begin(to)) {
                    (Some(target), _) => self.append(node, target, added)?,
                    (None, Some(target)) => self.overwrite(node, target, added)?,
                    _ => {
                        return Err(error::unsupported("'transform' without 'back_inserter'", lo, hi));
                    }
                };
                return self.bind_held(node, held, stored).map(Some);
            }
            let (target, by) = match *rest {
                [to] if name == "copy" => (self.back_inserter(to), None),
                [to, by] if name != "copy" => (self.back_inserter(to), Some(by)),
                _ => return Ok(None),
            };
            let (target, overwrites) = match (target, self.range_of_begin(rest[0])) {
                (Some(target), _) => (target, false),
                (None, Some(target)) if name != "copy_if" => (target, true),
                _ => return Err(error::unsupported(&format!("'{name}' without 'back_inserter'"), lo, hi)),
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
                    self.at_node(node, added)?
                }
            };
            return match overwrites {
                true => self.overwrite(node, target, added).map(Some),
                false => self.append(node, target, added).map(Some),
            };
        }
        // The bounds of `std::rotate(begin, middle, end)` are moved to the front.
        let rotated;
        let args = match (name, args) {
            ("rotate", &[begin, middle, end]) => {
                rotated = [begin, end, begin, middle];
                &rotated[..]
            }
            _ => args,
        };
        let Some(Changed { target, bounds, is_reversed, rest }) = self.changed_argument(args) else {
            return Ok(None);
        };
        let mut held = Held::new();
        let ty = match self.place(target, &mut held)? {
            Some(place) => self.place_ty(node, &place)?,
            None => return Ok(None),
        };
        if let ("replace", Ty::STR, &[old, new], None) = (name, ty, rest, bounds) {
            return self.replace_characters(node, target, old, new).map(Some);
        }
        // `llvm::reverse(range)` returns a new range. Only `std::reverse(begin, end)` changes its range.
        let by_iterators = args.len() > rest.len() + 1;
        if !is_range(ty) && ty != Ty::STR || name == "reverse" && !by_iterators {
            return Ok(None);
        }
        let element = if ty == Ty::STR { CHAR } else { Ty::one(ty.item) };
        let mut held = Held::new();
        let part = match bounds {
            None if is_reversed => Part::Reversed,
            None => Part::All,
            Some([first, last]) => {
                let (first, last) = (self.expression(first, None)?, self.expression(last, None)?);
                Part::Between([self.hold(node, first, &mut held)?, self.hold(node, last, &mut held)?])
            }
        };
        let algorithm = |op, by: Option<Typed>| {
            move |this: &mut Self, range: Typed| {
                let args: Vec<Typed> = std::iter::once(range).chain(by).collect();
                this.build(node, |b| b.algorithm(op, &args, range.ty))
            }
        };
        let changed = match (name, rest) {
            ("sort" | "stable_sort", []) => {
                let by = self.less_of_class(node, element)?;
                let op = if by.is_some() { Builtin::SortedBy } else { Builtin::Sorted };
                self.update_elements(node, target, part, algorithm(op, by))
            }
            ("sort" | "stable_sort", &[by]) => {
                let by = self.function_argument(by, &[element, element])?;
                self.update_elements(node, target, part, algorithm(Builtin::SortedBy, Some(by)))
            }
            ("reverse", []) => self.update_elements(node, target, part, algorithm(Builtin::Reversed, None)),
            ("fill", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.build(node, |b| b.returned(value, element))?;
                self.update_elements(node, target, part, |this, range| {
                    let size = this.size_of(node, range)?;
                    this.build(node, |b| b.algorithm(Builtin::Repeated, &[size, value], range.ty))
                })
            }
            ("iota", &[from]) => {
                let from = self.expression(from, Some(element))?;
                let from = self.hold(node, from, &mut held)?;
                self.update_elements(node, target, part, |this, range| {
                    let size = this.size_of(node, range)?;
                    this.build(node, |b| {
                        let end = b.binary(BinaryOp::Add, from, size)?;
                        let numbers = b.algorithm(Builtin::Sequence, &[from, end], Ty::range(end.ty.item))?;
                        b.convert(numbers, range.ty)
                    })
                })
            }
            ("rotate", &[begin, middle]) => {
                let (begin, middle) = (self.expression(begin, None)?, self.expression(middle, None)?);
                let count = self.build(node, |b| b.binary(BinaryOp::Sub, middle, begin))?;
                let count = self.hold(node, count, &mut held)?;
                self.update_elements(node, target, part, |this, range| {
                    let last = this.library_method(node, range, "drop_front", &[count])?;
                    let first = this.library_method(node, range, "take_front", &[count])?;
                    this.build(node, |b| b.algorithm(Builtin::Concat, &[last, first], range.ty))
                })
            }
            ("append_range", &[added]) => {
                let added = self.expression(added, Some(element))?;
                self.append(node, target, added)
            }
            ("erase_if", &[by]) => {
                let by = self.function_argument(by, &[element])?;
                self.update_place(node, target, algorithm(Builtin::FilterOut, Some(by)))
            }
            ("erase", &[value]) => {
                let by = self.equality(node, target, value, element, &mut held)?;
                self.update_place(node, target, algorithm(Builtin::FilterOut, Some(by)))
            }
            ("replace", &[old, new]) => {
                self.require_no_element(target, new)?;
                let is_old = self.equality(node, target, old, element, &mut held)?;
                let new = self.expression(new, Some(element))?;
                let new = self.build(node, |b| b.returned(new, element))?;
                let new = self.hold(node, new, &mut held)?;
                let make = self.build(node, |b| {
                    let local = b.new_local(element)?;
                    let read = b.local(local)?;
                    let is_old = b.call_lambda(is_old, &[read])?;
                    let kept = b.select(is_old, new, read)?;
                    b.lambda(&[local], kept)
                })?;
                self.update_elements(node, target, part, algorithm(Builtin::MapRange, Some(make)))
            }
            _ => return Err(error::unsupported(&format!("'{name}' with these arguments"), lo, hi)),
        }?;
        self.bind_held(node, held, changed).map(Some)
    }

    /// A lambda that returns true for an element that equals a value.
    fn equality(
        &mut self,
        node: NodeId,
        target: NodeId,
        value: NodeId,
        element: Ty,
        held: &mut Held,
    ) -> Lowered {
        self.require_no_element(target, value)?;
        if matches!(element.item, Item::Tuple(_)) {
            let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
            return Err(error::unsupported("a comparison of objects by this function", lo, hi));
        }
        let value = self.expression(value, Some(element))?;
        let value = self.hold(node, value, held)?;
        self.build(node, |b| {
            let value = b.compared(value, element.item)?;
            let local = b.new_local(element)?;
            let read = b.local(local)?;
            let same = b.binary(BinaryOp::Eq, read, value)?;
            b.lambda(&[local], same)
        })
    }

    /// Checks that a value, to which an algorithm holds a reference, is not an element that the algorithm changes.
    fn require_no_element(&mut self, target: NodeId, value: NodeId) -> Result<(), Fault> {
        let (lo, hi) = (self.ast[value].lo, self.ast[value].hi);
        let (start, end) = (self.ast[target].lo, self.ast[target].hi);
        let names = |lo: usize, hi: usize| {
            let inside = self.ast.iter().filter(move |node| lo <= node.lo && node.hi <= hi);
            inside.filter_map(
                |node| if let NodeKind::Name(name) = &node.kind { Some(&name.path) } else { None },
            )
        };
        // An expression that names the variable can denote an element of it: `*v.begin()`.
        let is_named = names(start, end).any(|target| names(lo, hi).any(|name| name == target));
        let value_place = self.place(value, &mut Held::new())?;
        let target_place = self.place(target, &mut Held::new())?;
        let shares_root = match (value_place, target_place) {
            (Some(value_place), Some(target_place)) => value_place.root == target_place.root,
            _ => false,
        };
        if is_named || shares_root {
            return Err(error::unsupported("an element of the range that the function changes", lo, hi));
        }
        Ok(())
    }

    /// Lowers `std::replace(text.begin(), text.end(), old, new)`.
    fn replace_characters(&mut self, node: NodeId, target: NodeId, old: NodeId, new: NodeId) -> Lowered {
        let mut held = Held::new();
        self.require_no_element(target, old)?;
        self.require_no_element(target, new)?;
        let old = self.expression(old, None)?;
        let old = self.hold(node, old, &mut held)?;
        let new = self.expression(new, None)?;
        let new = self.hold(node, new, &mut held)?;
        let changed = self.update_with(node, target, |b, text| {
            let characters = b.as_range(text)?;
            text_of(b, characters, |b, character| {
                let new = b.convert(new, character.ty)?;
                let same = b.binary(BinaryOp::Eq, character, old)?;
                b.select(same, new, character)
            })
        })?;
        self.bind_held(node, held, changed)
    }

    /// Lowers `text.erase(std::remove_if(text.begin(), text.end(), predicate), text.end())` and the same with
    /// `std::remove`, where `removed` is the call of the algorithm; `None` for another argument.
    pub(super) fn erase_characters(
        &mut self,
        node: NodeId,
        text: NodeId,
        removed: NodeId,
    ) -> Result<Option<Typed>, Fault> {
        let character = CHAR;
        let mut held = Held::new();
        let by = match self.removed(removed, text) {
            Some(Removed::If(by)) => self.function_argument(by, &[character])?,
            Some(Removed::EqualTo(value)) => self.equality(node, text, value, character, &mut held)?,
            _ => return Ok(None),
        };
        let changed = self.update_with(node, text, |b, text| {
            let characters = b.as_range(text)?;
            let kept = b.algorithm(Builtin::FilterOut, &[characters, by], characters.ty)?;
            text_of(b, kept, |_, character| Ok(character))
        })?;
        self.bind_held(node, held, changed).map(Some)
    }

    /// The variable in `builder.setShape(…).dropDim(…)`. These methods return a reference to the variable.
    fn builder_of_chain(&self, mut node: NodeId) -> Option<NodeId> {
        let ast = self.ast;
        let mut calls = 0;
        while let NodeKind::Call(callee, _) = &ast[node].kind
            && let NodeKind::Member { object, name, .. } = &ast[*callee].kind
            && super::changes::changes_tensor_type(name)
        {
            node = *object;
            calls += 1;
        }
        let is_variable = matches!(ast[node].kind, NodeKind::Name(_)) && self.variable(node).is_some();
        (calls > 0 && is_variable).then_some(node)
    }

    /// Lowers a method that changes the variable in `object`; `None` for another method.
    pub(in crate::frontend::cxx) fn changing_method(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        if super::changes::changes_tensor_type(method)
            && let Some(builder) = self.builder_of_chain(object)
        {
            let before = self.expression(object, None)?;
            let Some(change) = self.changing_method(node, builder, method, args)? else { return Ok(None) };
            return self.build(node, |b| b.then(before, change)).map(Some);
        }
        // `(c ? a : b).push_back(x)`
        if let NodeKind::Select(condition, a, b) = self.ast[object].kind
            && super::changes::update_of(method).is_some()
        {
            let condition = self.expression(condition, None)?;
            let (then, otherwise) =
                (self.changing_method(node, a, method, args)?, self.changing_method(node, b, method, args)?);
            let (Some(then), Some(otherwise)) = (then, otherwise) else { return Ok(None) };
            return self.build(node, |b| b.branch(condition, then, otherwise)).map(Some);
        }
        let mut held = Held::new();
        let Some(place) = self.place(object, &mut held)? else { return Ok(None) };
        let ty = self.place_ty(node, &place)?;
        let element = Ty::one(ty.item);
        if super::changes::is_change(method) {
            for &arg in args {
                self.require_fixed_value(object, arg, Ty::NULL)?;
            }
        }
        if place.steps.is_empty()
            && self.container(place.root).kind == ContainerKind::Map
            && let Some(e) = self.map_method(node, place.root, method, args)?
        {
            return Ok(Some(e));
        }
        match (ty.form, ty.item) {
            (Form::Range, _) => {}
            (Form::Optional, _) => return self.change_optional(node, &place, method, args, held),
            (Form::One, Item::Unknown) if super::changes::update_of(method).is_some() => {}
            (Form::One, Item::ApInt | Item::ApFloat) => {
                return self.change_number(node, object, ty, method, args);
            }
            (Form::One, Item::Str) => return self.change_string(node, object, method, args),
            (Form::One, Item::Tuple(_)) if self.b.is_signed_number(ty) => {
                return self.change_sign(node, object, method, args);
            }
            (Form::One, Item::Type(TypeClass::RankedTensor))
                if super::changes::changes_tensor_type(method) =>
            {
                let args = self.items(args, None)?;
                let changed = self.update_place(node, object, |this, before| {
                    match this.composed_method(node, before, method, &args)? {
                        Some(new) => Ok(new),
                        None => Err(error::not_assignable(this.ast[node].lo, this.ast[node].hi)),
                    }
                })?;
                return Ok(Some(changed));
            }
            _ => return Ok(None),
        }
        if let ("erase", &[value]) = (method, args)
            && place.steps.is_empty()
            && self.container(place.root).kind == ContainerKind::Set
        {
            let value = self.expression(value, Some(element))?;
            if value.ty.form != Form::Iterator {
                return self.erase_value(node, &place, value).map(Some);
            }
        }
        match (method, args) {
            ("set" | "reset", []) if ty.item == Item::Bool => self
                .update_place(node, object, |this, bits| {
                    let size = this.size_of(node, bits)?;
                    this.build(node, |b| {
                        let value = b.bool(method == "set")?;
                        b.algorithm(Builtin::Repeated, &[size, value], bits.ty)
                    })
                })
                .map(Some),
            ("set" | "reset", &[at]) if ty.item == Item::Bool => {
                let at = self.expression(at, None)?;
                let at = self.build(node, |b| b.convert(at, Ty::I64))?;
                let mut element = place;
                element.steps.push(Step::At(self.hold(node, at, &mut held)?));
                let value = self.build(node, |b| b.bool(method == "set"))?;
                let stored = self.store_place(node, &element, value)?;
                self.bind_held(node, held, stored).map(Some)
            }
            ("reserve", _) => self.build(node, |b| b.null(Ty::NULL)).map(Some),
            ("assign", &[begin, end]) => {
                let new = self.elements_of_pair(node, [begin, end], ty)?;
                self.update_with(node, object, |_, _| Ok(new)).map(Some)
            }
            ("assign", &[list]) => {
                let new = self.expression(list, Some(element))?;
                self.require_order(node, new)?;
                let new = self.build(node, |b| b.convert(new, ty))?;
                self.update_with(node, object, |_, _| Ok(new)).map(Some)
            }
            ("append", &[count, filler]) if self.whole_range(count, filler).is_none() => {
                let added = self.elements_of_pair(node, [count, filler], ty)?;
                self.append(node, object, added).map(Some)
            }
            ("erase", &[first, _]) if let Some(removed) = self.removed(first, object) => {
                let by = match removed {
                    Removed::Repeated => {
                        let unique = |b: &mut Builder<'_>, range: Typed| {
                            b.algorithm(Builtin::Unique, &[range], range.ty)
                        };
                        return self.update_with(node, object, unique).map(Some);
                    }
                    Removed::If(by) => self.function_argument(by, &[element])?,
                    Removed::EqualTo(value) => self.equality(node, object, value, element, &mut held)?,
                };
                let new = self.update_with(node, object, |b, range| {
                    b.algorithm(Builtin::FilterOut, &[range, by], range.ty)
                })?;
                self.bind_held(node, held, new).map(Some)
            }
            ("erase", &[first, last]) => {
                let (first, last) = (self.expression(first, None)?, self.expression(last, None)?);
                self.update_with(node, object, |b, range| spliced(b, range, [first, last], None)).map(Some)
            }
            // For a set, the second field of the result is true if the value is new.
            ("insert", &[value]) => {
                let value = self.expression(value, Some(element))?;
                let value = self.build(node, |b| b.returned(value, element))?;
                let value = self.hold(node, value, &mut held)?;
                let read = self.read_place(node, &place)?;
                let found =
                    self.build(node, |b| b.algorithm(Builtin::IsContained, &[read, value], Ty::BOOL))?;
                let found = self.hold(node, found, &mut held)?;
                let one = self.build(node, |b| b.list(&[value]))?;
                let added = self.build(node, |b| b.algorithm(Builtin::Concat, &[read, one], ty))?;
                let sorted = place.steps.is_empty() && self.container(place.root).order == Order::Ascending;
                let added = match sorted {
                    true => self.build(node, |b| b.algorithm(Builtin::Sorted, &[added], ty))?,
                    false => added,
                };
                let new = self.build(node, |b| b.select(found, read, added))?;
                let stored = self.store_place(node, &place, new)?;
                let is_new = self.build(node, |b| b.not(found))?;
                let nothing = self.build(node, |b| b.null(Ty::NULL))?;
                let Some(Ty { item: Item::Tuple(id), .. }) = self.tuple_type(&[Ty::NULL, Ty::BOOL]) else {
                    return Ok(None);
                };
                let result = self.build(node, |b| b.tuple(id, &[nothing, is_new]))?;
                let both = self.build(node, |b| b.then(stored, result))?;
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
                        let new = self.build(node, |b| b.local(local))?;
                        let stored = self.store_place(node, &place, new)?;
                        let both = self.b.then(stored, result);
                        self.at_node(node, both)?
                    }
                };
                self.bind_held(node, held, e).map(Some)
            }
        }
    }

    /// Lowers `optional.reset()` and `optional.emplace(value)`; `None` for another method.
    fn change_optional(
        &mut self,
        node: NodeId,
        place: &Place,
        method: &str,
        args: &[NodeId],
        held: Held,
    ) -> Result<Option<Typed>, Fault> {
        let ty = self.place_ty(node, place)?;
        let inner = Ty::one(ty.item);
        let value = match (method, args) {
            ("reset", []) => self.build(node, |b| b.null(ty))?,
            ("emplace", _) if inner.is_unknown() || self.container_of_place(place).held.is_some() => {
                return Ok(None);
            }
            ("emplace", []) => self.default_value(node, inner)?,
            ("emplace", &[value]) => {
                let value = self.expression(value, Some(inner))?;
                self.build(node, |b| b.returned(value, inner))?
            }
            _ => return Ok(None),
        };
        let value = Typed { ty, ..value };
        let stored = self.store_place(node, place, value)?;
        self.bind_held(node, held, stored).map(Some)
    }

    /// Lowers `set.erase(value)`, whose result is the number of erased elements.
    fn erase_value(&mut self, node: NodeId, place: &Place, value: Typed) -> Lowered {
        let mut held = Held::new();
        let range = self.read_place(node, place)?;
        let element = Ty::one(range.ty.item);
        let value = self.build(node, |b| b.returned(value, element))?;
        let value = self.hold(node, value, &mut held)?;
        let (found, rest) = self.build(node, |b| {
            let found = b.algorithm(Builtin::IsContained, &[range, value], Ty::BOOL)?;
            let local = b.new_local(element)?;
            let other = b.local(local)?;
            let same = b.binary(BinaryOp::Eq, other, value)?;
            let by = b.lambda(&[local], same)?;
            Ok((found, b.algorithm(Builtin::FilterOut, &[range, by], range.ty)?))
        })?;
        let found = self.hold(node, found, &mut held)?;
        let stored = self.store_place(node, place, rest)?;
        let erased = self.build(node, |b| {
            let count = b.convert(found, Ty::U64)?;
            b.then(stored, count)
        })?;
        self.bind_held(node, held, erased)
    }

    /// The elements that a call removes, such as `remove_if(object.begin(), object.end(), predicate)`; `None` for
    /// another expression.
    fn removed(&self, node: NodeId, object: NodeId) -> Option<Removed> {
        let NodeKind::Call(callee, args) = &self.ast[node].kind else { return None };
        let NodeKind::Name(name) = &self.ast[*callee].kind else { return None };
        let Changed { target, bounds: None, is_reversed: false, rest } = self.changed_argument(args)? else {
            return None;
        };
        let text = |node: NodeId| self.text.get(self.ast[node].lo..self.ast[node].hi);
        if text(target)? != text(object)? {
            return None;
        }
        match (name.path.as_str(), rest) {
            ("unique", []) => Some(Removed::Repeated),
            ("remove_if", &[by]) => Some(Removed::If(by)),
            ("remove", &[value]) => Some(Removed::EqualTo(value)),
            _ => None,
        }
    }
}
