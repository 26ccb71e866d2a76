//! Lowers maps: ranges of pairs, with one pair for each key.

use super::changes::is_map;
use super::lvalue::Held;
use crate::frontend::cxx::ast::{NodeId, NodeKind};
use crate::frontend::cxx::error::{self, Fault};
use crate::frontend::cxx::lower::{Container, ContainerKind, Lower, Lowered, Order};
use crate::snippet::{
    AttrClass, BinaryOp, Builder, Builtin, Form, IntTy, Item, LocalId, Ty, TypeError, Typed,
};

/// The map with one more pair.
fn with_pair(b: &mut Builder<'_>, map: Typed, pair: Typed, sorted: bool) -> Result<Typed, TypeError> {
    let one = b.list(&[pair])?;
    let all = b.algorithm(Builtin::Concat, &[map, Typed { ty: map.ty, ..one }], map.ty)?;
    if sorted { b.algorithm(Builtin::Sorted, &[all], map.ty) } else { Ok(all) }
}

impl Lower<'_, '_> {
    /// The variable that holds a map.
    pub(in crate::frontend::cxx) fn map(&self, node: NodeId) -> Option<LocalId> {
        self.variable(node).filter(|&local| self.container(local).kind == ContainerKind::Map)
    }

    /// The types of the keys and values of a map.
    pub(super) fn map_types(&mut self, node: NodeId, map: Ty) -> Result<[Ty; 2], Fault> {
        match self.b.field_types(Ty::one(map.item)).as_deref() {
            Some(&[key, value]) => Ok([key, value]),
            _ => Err(error::not_assignable(self.ast[node].lo, self.ast[node].hi)),
        }
    }

    /// A key, converted to the key type of the map.
    pub(super) fn map_key(&mut self, node: NodeId, map: Ty, key: NodeId) -> Lowered {
        let [ty, _] = self.map_types(node, map)?;
        let key = self.expression(key, Some(ty))?;
        self.build(node, |b| b.returned(key, ty))
    }

    /// The predicate that is true for the pair that has this key.
    fn has_key(&mut self, node: NodeId, map: Ty, key: Typed) -> Lowered {
        self.build(node, |b| {
            let local = b.new_local(Ty::one(map.item))?;
            let pair = b.local(local)?;
            let of_pair = b.field_at(pair, 0)?;
            let same = b.binary(BinaryOp::Eq, of_pair, key)?;
            b.lambda(&[local], same)
        })
    }

    /// The value of a key, or the default value if the key is not in the map.
    pub(super) fn map_value(&mut self, node: NodeId, map: Typed, key: Typed) -> Lowered {
        let [_, ty] = self.map_types(node, map.ty)?;
        let default = self.default_value(node, ty)?;
        let by = self.has_key(node, map.ty, key)?;
        let mut held = Held::new();
        let found = self.build(node, |b| b.algorithm(Builtin::Filter, &[map, by], map.ty))?;
        let found = self.hold(node, found, &mut held)?;
        let none = self.library_method(node, found, "empty", &[])?;
        let value = self.build(node, |b| {
            let zero = b.int(0, IntTy::I64)?;
            let pair = b.index(found, zero)?;
            let value = b.field_at(pair, 1)?;
            b.select(none, Typed { ty, ..default }, value)
        })?;
        self.bind_held(node, held, value)
    }

    /// The map after `value` is assigned to `key`. Both `key` and `value` are evaluated several times, so they must
    /// have no effects. A new key comes last, unless the map is sorted.
    pub(super) fn map_with(
        &mut self,
        node: NodeId,
        map: Typed,
        key: Typed,
        value: Typed,
        sorted: bool,
    ) -> Lowered {
        let by = self.has_key(node, map.ty, key)?;
        let Item::Tuple(id) = map.ty.item else {
            return Err(error::not_assignable(self.ast[node].lo, self.ast[node].hi));
        };
        let known = self.library_function(node, "any_of", &[map, by])?;
        self.build(node, |b| {
            let pair = b.tuple(id, &[key, value])?;
            let local = b.new_local(pair.ty)?;
            let old = b.local(local)?;
            let of_old = b.field_at(old, 0)?;
            let same = b.binary(BinaryOp::Eq, of_old, key)?;
            let new = b.select(same, pair, old)?;
            let replace = b.lambda(&[local], new)?;
            let replaced = b.algorithm(Builtin::MapRange, &[map, replace], map.ty)?;
            let added = with_pair(b, map, pair, sorted)?;
            b.select(known, replaced, added)
        })
    }

    /// Lowers `map[key]`, which adds the key with the default value if the key is not in the map.
    pub(in crate::frontend::cxx) fn map_element(&mut self, node: NodeId) -> Lowered {
        let mut held = Held::new();
        let Some(place) = self.place(node, &mut held)? else {
            return Err(error::not_assignable(self.ast[node].lo, self.ast[node].hi));
        };
        let value = self.read_place(node, &place)?;
        let value = self.hold(node, value, &mut held)?;
        let stored = self.store_place(node, &place, value)?;
        self.bind_held(node, held, stored)
    }

    /// Lowers a method of a map, where the map is a constant of the source files. Returns `None` for another method or
    /// object.
    pub(in crate::frontend::cxx) fn constant_map_method(
        &mut self,
        node: NodeId,
        object: NodeId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let NodeKind::Name(name) = &self.ast[object].kind else { return Ok(None) };
        let is_read = matches!(method, "lookup" | "count" | "contains" | "find" | "at" | "begin");
        if !is_read || self.scope.iter().any(|(bound, _)| *bound == name.path) {
            return Ok(None);
        }
        let Some((map, ty)) = self.declared_constant(node, name)?.filter(|(_, ty)| is_map(&ty.path)) else {
            return Ok(None);
        };
        let root = self.build(node, |b| b.new_local(map.ty))?;
        self.declare_container(root, &ty, Container::default());
        match self.map_method(node, root, method, args)? {
            Some(e) => self.build(node, |b| b.bind(root, map, e)).map(Some),
            None => Ok(None),
        }
    }

    /// A method of a map; `None` for other methods, such as those that maps share with ranges.
    pub(super) fn map_method(
        &mut self,
        node: NodeId,
        root: LocalId,
        method: &str,
        args: &[NodeId],
    ) -> Result<Option<Typed>, Fault> {
        let map = self.build(node, |b| b.local(root))?;
        let mut held = Held::new();
        let e = match (method, args) {
            ("lookup", &[key]) => {
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                self.map_value(node, map, key)?
            }
            ("count" | "contains", &[key]) => {
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                let by = self.has_key(node, map.ty, key)?;
                let any = self.library_function(node, "any_of", &[map, by])?;
                let ty = match method {
                    "contains" => Ty::BOOL,
                    _ => self.container(root).counts.count(),
                };
                self.build(node, |b| b.convert(any, ty))?
            }
            ("find", &[key]) => {
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                let by = self.has_key(node, map.ty, key)?;
                let iterator = Ty { item: map.ty.item, form: Form::Iterator };
                self.build(node, |b| b.algorithm(Builtin::FindIf, &[map, by], iterator))?
            }
            ("erase", &[key]) => {
                let mut at = None;
                let key = match self.expression(key, None)? {
                    iterator if iterator.ty.form == Form::Iterator => {
                        let iterator = self.hold(node, iterator, &mut held)?;
                        at = Some(iterator).filter(|_| self.container(root).order != Order::Unstated);
                        self.build(node, |b| {
                            let pair = b.deref(iterator)?;
                            b.field_at(pair, 0)
                        })?
                    }
                    _ => self.map_key(node, map.ty, key)?,
                };
                let key = self.hold(node, key, &mut held)?;
                let by = self.has_key(node, map.ty, key)?;
                let any = self.library_function(node, "any_of", &[map, by])?;
                let any = self.hold(node, any, &mut held)?;
                let index = match at {
                    Some(at) => {
                        let index = self.build(node, |b| {
                            let begin = b.algorithm(Builtin::Begin, &[map], at.ty)?;
                            b.algorithm(Builtin::Distance, &[begin, at], Ty::I64)
                        })?;
                        Some((self.hold(node, index, &mut held)?, at.ty))
                    }
                    None => None,
                };
                self.build(node, |b| {
                    let rest = b.algorithm(Builtin::FilterOut, &[map, by], map.ty)?;
                    let stored = b.set(root, rest)?;
                    // `erase(iterator)` returns an iterator to the pair after the erased pair.
                    let result = match index {
                        Some((index, iterator)) => {
                            let map = b.local(root)?;
                            let begin = b.algorithm(Builtin::Begin, &[map], iterator)?;
                            b.algorithm(Builtin::Next, &[begin, index], iterator)?
                        }
                        None => any,
                    };
                    b.then(stored, result)
                })?
            }
            ("insert" | "try_emplace" | "emplace", _) => {
                let Item::Tuple(id) = map.ty.item else { return Ok(None) };
                let (key, value) = match *args {
                    [pair] => {
                        let pair = self.expression(pair, Some(Ty::one(map.ty.item)))?;
                        let pair = self.build(node, |b| b.returned(pair, Ty::one(map.ty.item)))?;
                        let pair = self.hold(node, pair, &mut held)?;
                        let key = self.build(node, |b| b.field_at(pair, 0))?;
                        (key, self.build(node, |b| b.field_at(pair, 1))?)
                    }
                    [key, value] => {
                        let [_, ty] = self.map_types(node, map.ty)?;
                        let key = self.map_key(node, map.ty, key)?;
                        let value = self.expression(value, Some(ty))?;
                        (key, self.build(node, |b| b.returned(value, ty))?)
                    }
                    _ => return Ok(None),
                };
                let key = self.hold(node, key, &mut held)?;
                let value = self.hold(node, value, &mut held)?;
                let by = self.has_key(node, map.ty, key)?;
                let any = self.library_function(node, "any_of", &[map, by])?;
                let known = self.hold(node, any, &mut held)?;
                let Some(Ty { item: Item::Tuple(result), .. }) = self.tuple_type(&[Ty::NULL, Ty::BOOL])
                else {
                    return Ok(None);
                };
                let sorted = self.container(root).order == Order::Ascending;
                self.build(node, |b| {
                    let pair = b.tuple(id, &[key, value])?;
                    let all = with_pair(b, map, pair, sorted)?;
                    let new = b.select(known, map, all)?;
                    let stored = b.set(root, new)?;
                    let (is_new, nothing) = (b.not(known)?, b.null(Ty::NULL)?);
                    let result = b.tuple(result, &[nothing, is_new])?;
                    b.then(stored, result)
                })?
            }
            ("at", &[key]) => {
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                let by = self.has_key(node, map.ty, key)?;
                let iterator = Ty { item: map.ty.item, form: Form::Iterator };
                self.build(node, |b| {
                    let found = b.algorithm(Builtin::FindIf, &[map, by], iterator)?;
                    let pair = b.deref(found)?;
                    b.field_at(pair, 1)
                })?
            }
            // `set` and `append` are methods of `NamedAttrList`.
            ("set" | "append" | "insert_or_assign", &[key, value]) => {
                let [_, ty] = self.map_types(node, map.ty)?;
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                let value = self.expression(value, Some(ty))?;
                let value = self.build(node, |b| b.returned(value, ty))?;
                let value = self.hold(node, value, &mut held)?;
                let sorted = self.container(root).order == Order::Ascending;
                // `set` returns the old attribute, or null.
                let old = match method {
                    "set" => Some(self.map_value(node, map, key)?),
                    _ => None,
                };
                let old = old.map(|old| self.hold(node, old, &mut held)).transpose()?;
                let new = self.map_with(node, map, key, value, sorted)?;
                let stored = self.build(node, |b| b.set(root, new))?;
                match old {
                    Some(old) => self.build(node, |b| b.then(stored, old))?,
                    None => stored,
                }
            }
            // The bounds of a map that sorts its keys.
            ("lower_bound" | "upper_bound", &[key]) if self.container(root).order == Order::Ascending => {
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                self.sorted_bound(node, map, key, method == "lower_bound", true)?
            }
            ("get", &[key]) => {
                let key = self.map_key(node, map.ty, key)?;
                let key = self.hold(node, key, &mut held)?;
                self.map_value(node, map, key)?
            }
            ("getDictionary", &[_]) => self.build(node, |b| {
                b.algorithm(Builtin::DictionaryAttr, &[map], Ty::attr(AttrClass::Dictionary))
            })?,
            ("begin", []) if self.container(root).order == Order::Unstated => {
                let (lo, hi) = (self.ast[node].lo, self.ast[node].hi);
                return Err(error::unsupported("the order of the pairs of a map", lo, hi));
            }
            _ => return Ok(None),
        };
        self.bind_held(node, held, e).map(Some)
    }
}
