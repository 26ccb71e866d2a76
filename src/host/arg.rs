//! Natives as typed closures.
//!
//! Specification: the types of a closure's parameters and result are the signature of the native. The closure is called
//! only with arguments of these types. If other arguments are passed, a constraint does not hold and a rewrite refuses.
//!
//! A parameter is one of [`Op`], [`Value`], [`Type`], [`Attr`] and [`Location`], which hold an id of the host; a `Vec`
//! of values, types or attributes (a range); an `Option` of a value or attribute (`None` is null); `i64`, `bool`,
//! `Arc<str>`, [`ApInt`] or [`ApFloat`]; or [`Entity`], which accepts any argument. A result has one of the same types.
//! A tuple stands for several results, and `()` for none. The kind of a result of type [`Entity`] is checked after each
//! call.

use std::sync::Arc;

use super::entity::{Entity, Kind, Signature};
use super::ir::{Ir, Refusal};
use super::rewriter::Rewriter;
use crate::number::{ApFloat, ApInt};

macro_rules! wrapper {
    ($($(#[$doc:meta])* $name:ident;)*) => {
        $(
            $(#[$doc])*
            pub struct $name<H: Ir>(pub H::$name);
            impl<H: Ir> Clone for $name<H> {
                fn clone(&self) -> Self {
                    *self
                }
            }
            impl<H: Ir> Copy for $name<H> {}
            impl<H: Ir> std::fmt::Debug for $name<H> {
                fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                    self.0.fmt(f)
                }
            }
        )*
    };
}
wrapper! {
    /// An operation.
    Op;
    /// A value that is not null.
    Value;
    /// A type.
    Type;
    /// An attribute that is not null.
    Attr;
    /// A location.
    Location;
}

/// A Rust type that a parameter of a native can have.
pub trait Arg<H: Ir>: Sized {
    /// The kind of argument that this type accepts; `None` for any kind.
    const KIND: Option<Kind>;
    /// Converts the argument that a rule passes; `None` if this type does not accept the argument.
    fn from_entity(entity: &Entity<H>) -> Option<Self>;
}

/// A Rust type for the results of a native: none, one, or several. Several results are a tuple of single results, so
/// tuples do not nest:
///
/// ```compile_fail
/// use drrvm::host::{Natives, Rewriter, arg::Value};
/// use drrvm::ir::IrHost;
/// let natives = Natives::<IrHost>::new()
///     .rewrite("f", |_: &mut Rewriter<'_, IrHost>, a: Value<IrHost>| Ok(((a, a), a)));
/// ```
pub trait NativeResult<H: Ir>: Sized {
    /// The kinds of the results; `None` for a result of any kind.
    const KINDS: &'static [Option<Kind>];
    /// Appends the results as entities.
    fn push_to(self, entities: &mut Vec<Entity<H>>);
}

macro_rules! kinds {
    ($($ty:ty, $kind:ident, $take:pat => $taken:expr, $self:ident => $inner:expr;)*) => {
        $(
            impl<H: Ir> Arg<H> for $ty {
                const KIND: Option<Kind> = Some(Kind::$kind);
                fn from_entity(entity: &Entity<H>) -> Option<Self> {
                    if let Entity::$kind($take) = entity { Some($taken) } else { None }
                }
            }
            impl<H: Ir> NativeResult<H> for $ty {
                const KINDS: &'static [Option<Kind>] = &[Some(Kind::$kind)];
                fn push_to(self, entities: &mut Vec<Entity<H>>) {
                    let $self = self;
                    entities.push(Entity::$kind($inner));
                }
            }
        )*
    };
}
kinds! {
    Op<H>, Op, op => Op(*op), this => this.0;
    Value<H>, Value, Some(value) => Value(*value), this => Some(this.0);
    Option<Value<H>>, Value, value => value.map(Value), this => this.map(|value| value.0);
    Vec<Value<H>>, Values, values => values.iter().copied().map(Value).collect(),
        this => this.into_iter().map(|value| value.0).collect();
    Type<H>, Type, ty => Type(*ty), this => this.0;
    Vec<Type<H>>, Types, types => types.iter().copied().map(Type).collect(),
        this => this.into_iter().map(|ty| ty.0).collect();
    Attr<H>, Attr, Some(attr) => Attr(*attr), this => Some(this.0);
    Option<Attr<H>>, Attr, attr => attr.map(Attr), this => this.map(|attr| attr.0);
    Vec<Attr<H>>, Attrs, attrs => attrs.iter().copied().map(Attr).collect(),
        this => this.into_iter().map(|attr| attr.0).collect();
    i64, Int, int => *int, this => this;
    bool, Bool, bool => *bool, this => this;
    Arc<str>, Str, text => text.clone(), this => this;
    ApInt, ApInt, int => int.clone(), this => this;
    ApFloat, ApFloat, float => *float, this => this;
    Location<H>, Location, location => Location(*location), this => this.0;
}

impl<H: Ir> Arg<H> for Entity<H> {
    const KIND: Option<Kind> = None;
    fn from_entity(entity: &Entity<H>) -> Option<Self> {
        Some(entity.clone())
    }
}

impl<H: Ir> NativeResult<H> for Entity<H> {
    const KINDS: &'static [Option<Kind>] = &[None];
    fn push_to(self, entities: &mut Vec<Entity<H>>) {
        entities.push(self);
    }
}

impl<H: Ir> NativeResult<H> for () {
    const KINDS: &'static [Option<Kind>] = &[];
    fn push_to(self, _: &mut Vec<Entity<H>>) {}
}

/// The kind of a part of a tuple. The part must be a single result.
const fn single(kinds: &[Option<Kind>]) -> Option<Kind> {
    match *kinds {
        [kind] => kind,
        _ => panic!("each part of a tuple of results must be a single result"),
    }
}

macro_rules! several {
    ($($name:ident),*) => {
        impl<H: Ir, $($name: NativeResult<H>),*> NativeResult<H> for ($($name,)*) {
            const KINDS: &'static [Option<Kind>] = &[$(single($name::KINDS)),*];
            #[allow(non_snake_case, reason = "values have the names of their types")]
            fn push_to(self, entities: &mut Vec<Entity<H>>) {
                let ($($name,)*) = self;
                $($name.push_to(entities);)*
            }
        }
    };
}
several!(A, B);
several!(A, B, C);
several!(A, B, C, D);
several!(A, B, C, D, E);
several!(A, B, C, D, E, F);

/// A Rust type for the results of a constraint: `bool`, or an `Option` of the results.
pub trait ConstraintResult<H: Ir> {
    /// The kinds of the results; `None` for a result of any kind.
    const KINDS: &'static [Option<Kind>];
    /// The results; `None` if the constraint does not hold.
    fn results(self) -> Option<Vec<Entity<H>>>;
}

impl<H: Ir> ConstraintResult<H> for bool {
    const KINDS: &'static [Option<Kind>] = &[];
    fn results(self) -> Option<Vec<Entity<H>>> {
        self.then(Vec::new)
    }
}

impl<H: Ir, G: NativeResult<H>> ConstraintResult<H> for Option<G> {
    const KINDS: &'static [Option<Kind>] = G::KINDS;
    fn results(self) -> Option<Vec<Entity<H>>> {
        self.map(|result| entities(result))
    }
}

fn entities<H: Ir, R: NativeResult<H>>(result: R) -> Vec<Entity<H>> {
    let mut all = Vec::new();
    result.push_to(&mut all);
    all
}

/// A closure that is a constraint: `Fn(&H, A, B, …) -> bool`, or `-> Option<…>`. The compiler infers `Args`, the tuple
/// of the closure's result type and parameter types.
pub trait TypedConstraint<H: Ir, Args>: Send + Sync + 'static {
    /// The signature of the closure.
    fn signature() -> Signature;
    /// Calls the closure. The constraint does not hold if the arguments do not fit.
    fn call(&self, host: &H, args: &[Entity<H>]) -> Option<Vec<Entity<H>>>;
}

/// A closure that is a rewrite: `Fn(&mut Rewriter<'_, H>, A, B, …) -> Result<…, Refusal>`.
pub trait TypedRewrite<H: Ir, Args>: Send + Sync + 'static {
    /// The signature of the closure.
    fn signature() -> Signature;
    /// Calls the closure.
    ///
    /// # Errors
    /// The closure refuses, or the arguments do not fit.
    fn apply(&self, rewriter: &mut Rewriter<'_, H>, args: &[Entity<H>]) -> Result<Vec<Entity<H>>, Refusal>;
}

fn signature(params: &[Option<Kind>], results: &[Option<Kind>]) -> Signature {
    Signature { params: Some(params.to_vec()), results: results.to_vec() }
}

fn wrong_argument<H: Ir>(index: usize, wanted: Option<Kind>, given: &Entity<H>) -> Refusal {
    match wanted {
        Some(wanted) if wanted == given.kind() => {
            Refusal::new(format!("argument {} of a native is null", index + 1))
        }
        Some(wanted) => Refusal::new(format!(
            "argument {} of a native is {}, not {}",
            index + 1,
            given.kind().with_article(),
            wanted.with_article()
        )),
        None => Refusal::new(format!("argument {} of a native does not fit", index + 1)),
    }
}

macro_rules! closures {
    ($($name:ident $index:tt),*) => {
        impl<H: Ir, Fun, R, $($name),*> TypedConstraint<H, (R, $($name,)*)> for Fun
        where
            Fun: Fn(&H, $($name),*) -> R + Send + Sync + 'static,
            R: ConstraintResult<H>,
            $($name: Arg<H>,)*
        {
            fn signature() -> Signature {
                signature(&[$($name::KIND),*], R::KINDS)
            }
            #[allow(non_snake_case, reason = "values have the names of their types")]
            fn call(&self, host: &H, args: &[Entity<H>]) -> Option<Vec<Entity<H>>> {
                let [$($name),*] = args else { return None };
                self(host, $($name::from_entity($name)?),*).results()
            }
        }

        impl<H: Ir, Fun, R, $($name),*> TypedRewrite<H, (R, $($name,)*)> for Fun
        where
            Fun: Fn(&mut Rewriter<'_, H>, $($name),*) -> Result<R, Refusal> + Send + Sync + 'static,
            R: NativeResult<H>,
            $($name: Arg<H>,)*
        {
            fn signature() -> Signature {
                signature(&[$($name::KIND),*], R::KINDS)
            }
            #[allow(non_snake_case, reason = "values have the names of their types")]
            fn apply(
                &self,
                rewriter: &mut Rewriter<'_, H>,
                args: &[Entity<H>],
            ) -> Result<Vec<Entity<H>>, Refusal> {
                let [$($name),*] = args else {
                    return Err(Refusal::new("a native is called with the wrong number of arguments"));
                };
                let result = self(
                    rewriter,
                    $($name::from_entity($name).ok_or_else(|| wrong_argument($index, $name::KIND, $name))?),*
                );
                result.map(|result| entities(result))
            }
        }
    };
}
closures!();
closures!(A 0);
closures!(A 0, B 1);
closures!(A 0, B 1, C 2);
closures!(A 0, B 1, C 2, D 3);
closures!(A 0, B 1, C 2, D 3, E 4);
closures!(A 0, B 1, C 2, D 3, E 4, F 5);
closures!(A 0, B 1, C 2, D 3, E 4, F 5, G 6);
closures!(A 0, B 1, C 2, D 3, E 4, F 5, G 6, I 7);
