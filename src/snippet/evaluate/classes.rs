//! Class tests, casts, and the natives that decide membership in a class.

use super::entity::{from_entity, to_entity};
use super::error::fail;
use super::evaluator::Evaluator;
use super::linked::adapt;
use super::undecided::Unknown;
use super::value::{Evaluated, Val};
use crate::host::{Entity, Facets, Refusal};
use crate::id::Id;
use crate::intern::StrId;
use crate::snippet::data::{
    AttrClass, CastMode, ClassId, ClassKind, Expr, ExprList, Item, ObjectClass, TypeClass,
};
use crate::snippet::library::Receiver;
use crate::snippet::text::{declares, split_class};

impl<H: Facets> Evaluator<'_, H> {
    pub(super) fn is_a(&mut self, value: &Val<H>, class: ObjectClass) -> Result<bool, Refusal> {
        Ok(match (class, value) {
            (ObjectClass::Type(TypeClass::Named(id)), Val::Type(t)) => {
                self.is_named(id, Val::Type(t.clone()))?
            }
            (ObjectClass::Type(kind), Val::Type(t)) => {
                self.type_is(t, kind) || self.dialect_declares(class, value)?
            }
            (ObjectClass::Attr(AttrClass::Named(id)), Val::Attr(a)) => {
                self.is_named(id, Val::Attr(a.clone()))?
            }
            (ObjectClass::Attr(kind), Val::Attr(a)) => {
                self.attr_is(a, kind) || self.dialect_declares(class, value)?
            }
            (ObjectClass::Op(id), Val::Op(op)) => self.is_named(id, Val::Op(*op))?,
            (ObjectClass::Op(id), Val::Value(v)) => match self.host().defining_op(*v) {
                Some(op) => self.is_named(id, Val::Op(op))?,
                None => false,
            },
            (ObjectClass::AnyOp, Val::Op(_)) | (ObjectClass::Value, Val::Value(_)) => true,
            (ObjectClass::OpResult, Val::Value(v)) => self.host().defining_op(*v).is_some(),
            (ObjectClass::BlockArgument, Val::Value(v)) => self.host().defining_op(*v).is_none(),
            _ => false,
        })
    }

    fn is_named(&mut self, id: ClassId, value: Val<H>) -> Result<bool, Refusal> {
        let Some(class) = self.snippets.classes.get(id) else { return fail("the snippet is malformed") };
        let of_text = |text: &str, class: &str| split_class(text).is_some_and(|(own, _)| own == class);
        match (class.kind, &value) {
            (ClassKind::Op(name), Val::Op(op)) => {
                Ok(self.linked.op_name(name).is_some_and(|name| self.host().op_name(*op) == name))
            }
            (ClassKind::OneOf(_, names), Val::Type(_) | Val::Attr(_)) => {
                let name = self.snippets.str(class.cxx_name);
                self.step(1)?;
                self.has_interface(name, self.snippets.str(names), &value)
            }
            (ClassKind::OneOf(_, names), Val::Op(op)) => {
                let name = self.host().op_name_text(self.host().op_name(*op)).to_owned();
                self.step(1)?;
                let names = self.snippets.str(names);
                match declares(names, &name) {
                    Some(declared) => Ok(declared),
                    // The list of a trait also contains, with a `-`, the operations that do not have the trait.
                    None if names.split(',').any(|one| one.starts_with('-')) => {
                        self.unknown(format!("'{name}' has no definition, so its traits are unknown"))
                    }
                    None => Ok(false),
                }
            }
            (ClassKind::Type(text), Val::Type(t)) => Ok(of_text(&self.type_text(t), self.snippets.str(text))),
            (ClassKind::Attr(text) | ClassKind::EnumAttr(text, _), Val::Attr(a)) => {
                Ok(of_text(&self.attr_text(a), self.snippets.str(text)))
            }
            (ClassKind::IntEnumAttr(width, id), Val::Attr(a)) => Ok(self.holds_enum(a, width, id)),
            (ClassKind::Foreign(_, namespace), Val::Type(_) | Val::Attr(_)) => {
                self.is_foreign(class.cxx_name, namespace, value)
            }
            (ClassKind::Native(native), _) => {
                let arg = to_entity(value, None)?;
                let holds = self.native(native.index(), &mut [arg], ExprList::EMPTY)?;
                Ok(holds.is_true())
            }
            _ => Ok(false),
        }
    }

    /// Decides if an object is a member of a class without a definition. If a native for the class is registered, the
    /// native decides. Otherwise, an object of another dialect is not a member, and the answer for objects of the
    /// class's dialect is not known.
    fn is_foreign(&mut self, name: StrId, namespace: StrId, value: Val<H>) -> Result<bool, Refusal> {
        let (class, namespace) = (self.snippets.str(name), self.snippets.str(namespace));
        let native = self.snippets.strings.find(&format!("isa<{class}>"));
        if let Some(native) = native.and_then(|native| self.linked.override_of(native)) {
            let arg = to_entity(value, None)?;
            return Ok(self.native(native, &mut [arg], ExprList::EMPTY)?.is_true());
        }
        let text = self.text_of(&value);
        self.step(1)?;
        let Some((own, _)) = split_class(&text) else { return Ok(false) };
        let dialect = own.trim_start_matches(['!', '#']).split('.').next().unwrap_or_default();
        let plain = |name: &str| name.replace('_', "").to_lowercase();
        let (dialect, namespace) = (plain(dialect), plain(namespace));
        // The namespace of `!tf_type.x` is `TF`.
        if !dialect.starts_with(&namespace) && !namespace.starts_with(&dialect) {
            return Ok(false);
        }
        self.unknown = Some(Unknown::Class(name));
        fail(format!("no definition of '{class}' is known: a native constraint 'isa<{class}>' can decide"))
    }

    pub(super) fn cast(&mut self, value: Val<H>, class: ObjectClass, mode: CastMode) -> Evaluated<H> {
        if value.is_null() {
            return match mode {
                CastMode::Must | CastMode::Try => fail("null is cast"),
                CastMode::MustIfPresent | CastMode::TryIfPresent => Ok(Val::Null),
            };
        }
        if self.is_a(&value, class)? {
            return Ok(match (class, value) {
                (ObjectClass::Op(_) | ObjectClass::AnyOp, Val::Value(v)) => {
                    self.host().defining_op(v).map_or(Val::Null, Val::Op)
                }
                (_, value) => value,
            });
        }
        match mode {
            CastMode::Must | CastMode::MustIfPresent => {
                fail(format!("{} does not have the class to which it is cast", value.variant_name()))
            }
            CastMode::Try | CastMode::TryIfPresent => Ok(Val::Null),
        }
    }

    /// True if a value can be the receiver of a method.
    pub(super) fn receives(&mut self, receiver: Receiver, value: &Val<H>) -> Result<bool, Refusal> {
        Ok(match receiver {
            Receiver::Free | Receiver::Optional | Receiver::Enum => false,
            Receiver::Range | Receiver::RangeOf(_) => matches!(value, Val::Range(_)),
            Receiver::One(item) => match (item, value) {
                (Item::Type(class), Val::Type(_)) => self.is_a(value, ObjectClass::Type(class))?,
                (Item::Attr(class), Val::Attr(_)) => self.is_a(value, ObjectClass::Attr(class))?,
                (Item::AffineMap, Val::Attr(_)) => {
                    self.is_a(value, ObjectClass::Attr(AttrClass::AffineMap))?
                }
                (Item::Value, Val::Value(_))
                | (Item::Op(_), Val::Op(_))
                | (Item::Use, Val::Use(_))
                | (Item::Str | Item::Name, Val::Str(_))
                | (Item::ApInt, Val::ApInt(_))
                | (Item::ApFloat, Val::ApFloat(_)) => true,
                _ => false,
            },
        })
    }

    /// Calls a native and binds its last results to output parameters. Returns null if a constraint does not hold, or
    /// if a result does not have the class of its parameter.
    pub(super) fn native(&mut self, index: usize, args: &mut [Entity<H>], outs: ExprList) -> Evaluated<H> {
        let missing = || fail("the snippet calls a native that is not registered for this use");
        let Some(native) = self.linked.native(index) else { return missing() };
        let rewritten = match native.rewrite(args) {
            Some(rewrite) => {
                adapt(&rewrite.signature, self.access.host(), args);
                self.access.rewrite(&*rewrite.run, args)
            }
            None => None,
        };
        let results = match rewritten {
            Some(results) => {
                self.refused_by_native |= results.is_err();
                Some(results?)
            }
            None => {
                let Some(constraint) = native.constraint(args) else { return missing() };
                adapt(&constraint.signature, self.access.host(), args);
                (constraint.run)(self.access.host(), args)
            }
        };
        let Some(results) = results else { return Ok(Val::Null) };
        let mut values: Vec<Val<H>> = results.into_iter().map(from_entity).collect();
        let outputs = self.list(outs);
        if values.len() < outputs.len() {
            return fail("a native has fewer results than the snippet binds");
        }
        let bound = values.split_off(values.len() - outputs.len());
        for (&id, value) in outputs.iter().zip(bound) {
            if let Some(&Expr::Param(output)) = self.snippets.exprs.get(id)
                && !self.assign(output, value)?
            {
                return Ok(Val::Null);
            }
        }
        Ok(match values.len() {
            0 => Val::Bool(true),
            1 => values.swap_remove(0),
            _ => Val::range(values),
        })
    }

    /// Binds an output parameter. Returns false if the value does not have the parameter's class.
    pub(super) fn assign(&mut self, output: u32, value: Val<H>) -> Result<bool, Refusal> {
        let Some(param) = self.snippet.params.get(output as usize) else {
            return fail("the snippet is malformed");
        };
        if let (Item::Attr(class), Val::Attr(_)) = (param.ty.item, &value)
            && !self.is_a(&value, ObjectClass::Attr(class))?
        {
            return Ok(false);
        }
        match self.outputs.get_mut(output as usize) {
            Some(slot) => *slot = Some(value),
            None => return fail("the snippet is malformed"),
        }
        Ok(true)
    }
}
