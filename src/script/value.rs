//! The types of the script language: operations, values, types, attributes, fixed-width integers, and the object `ir`,
//! which creates operations, types and attributes.

use std::sync::Arc;

use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Map, Position};

use super::call::{Call, NewOp, Number, Object, ObjectOf, Query, QueryOf};
use crate::host::{Facets, Ir, Kind};
use crate::number::ApInt;

type Answer = Result<Dynamic, Box<EvalAltResult>>;

macro_rules! handles {
    ($($(#[$doc:meta])* $name:ident, $kind:ident, $shown:literal;)*) => {
        $(
            $(#[$doc])*
            pub(super) struct $name<H: Ir> {
                pub(super) id: H::$kind,
                call: Arc<Call<H>>,
            }
            impl<H: Ir> Clone for $name<H> {
                fn clone(&self) -> Self {
                    Self { id: self.id, call: Arc::clone(&self.call) }
                }
            }
            impl<H: Ir> $name<H> {
                pub(super) fn new(id: H::$kind, call: &Arc<Call<H>>) -> Self {
                    Self { id, call: Arc::clone(call) }
                }
                fn object(&self) -> ObjectOf<H> {
                    Object::$kind(self.id)
                }
                fn register(engine: &mut Engine, properties: &[&'static str]) {
                    engine.register_type_with_name::<Self>($shown);
                    engine.register_fn("==", |a: Self, b: Self| a.id == b.id);
                    engine.register_fn("!=", |a: Self, b: Self| a.id != b.id);
                    for &name in properties {
                        let get = move |this: &mut Self| -> Answer {
                            this.call.query(Query::Property(name, this.object()))
                        };
                        engine.register_get(name, get);
                    }
                    for name in ["to_string", "to_debug"] {
                        let get = move |this: &mut Self| -> Result<ImmutableString, Box<EvalAltResult>> {
                            let text = this.call.query(Query::Property("text", this.object()))?;
                            Ok(text.into_immutable_string().unwrap_or_default())
                        };
                        engine.register_fn(name, get);
                    }
                }
            }
        )*
    };
}
handles! {
    /// An operation.
    ScriptOp, Op, "operation";
    /// A value.
    ScriptValue, Value, "value";
    /// A type.
    ScriptType, Type, "type";
    /// An attribute.
    ScriptAttr, Attr, "attribute";
}

/// A location, which scripts can only pass on.
pub(super) struct ScriptLocation<H: Ir>(pub(super) H::Location);
impl<H: Ir> Clone for ScriptLocation<H> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

/// A type or attribute that the IR does not contain, in a function that cannot create it. It equals only `()` and
/// itself.
#[derive(Clone, PartialEq)]
pub(super) struct Absent {
    pub(super) kind: Kind,
    pub(super) text: String,
}

impl Absent {
    fn register(engine: &mut Engine) {
        engine.register_type_with_name::<Self>("type or attribute that the IR does not contain");
        engine.register_fn("==", |a: Self, b: Self| a == b);
        engine.register_fn("!=", |a: Self, b: Self| a != b);
        engine.register_fn("==", |_: Self, (): ()| true);
        engine.register_fn("!=", |_: Self, (): ()| false);
        engine.register_fn("==", |(): (), _: Self| true);
        engine.register_fn("!=", |(): (), _: Self| false);
    }
}

pub(super) const OP_PROPERTIES: &[&str] = &["name", "operands", "results", "text"];
pub(super) const VALUE_PROPERTIES: &[&str] = &["type", "op", "uses", "text"];
pub(super) const TYPE_PROPERTIES: &[&str] = &["class", "width", "element", "rank", "shape", "text"];
pub(super) const ATTR_PROPERTIES: &[&str] =
    &["class", "type", "int", "fixed", "float", "string", "splat", "elements", "text"];

/// Registers all types and functions with an engine, except those of [`Maker`].
pub(super) fn register<H: Ir>(engine: &mut Engine) {
    ScriptOp::<H>::register(engine, OP_PROPERTIES);
    ScriptValue::<H>::register(engine, VALUE_PROPERTIES);
    ScriptType::<H>::register(engine, TYPE_PROPERTIES);
    ScriptAttr::<H>::register(engine, ATTR_PROPERTIES);
    engine.register_type_with_name::<ScriptLocation<H>>("location");
    Absent::register(engine);
    engine.register_fn("attr", |op: &mut ScriptOp<H>, name: ImmutableString| -> Answer {
        op.call.query(Query::OpAttr(op.id, name))
    });
    register_fixed(engine);
}

/// The maximum width of a fixed-width integer that a script creates from an integer.
const WIDTH_LIMIT: u32 = 4096;

/// Registers fixed-width integers, whose arithmetic wraps.
fn register_fixed(engine: &mut Engine) {
    engine.register_type_with_name::<ApInt>("fixed-width integer");
    type Binary = (&'static str, fn(&ApInt, &ApInt) -> ApInt);
    let binary: [Binary; 6] = [
        ("+", ApInt::wrapping_add),
        ("-", ApInt::wrapping_sub),
        ("*", ApInt::wrapping_mul),
        ("&", ApInt::and),
        ("|", ApInt::or),
        ("^", ApInt::xor),
    ];
    for (name, apply) in binary {
        engine.register_fn(name, move |a: ApInt, b: ApInt| -> Result<ApInt, Box<EvalAltResult>> {
            if a.width() == b.width() {
                Ok(apply(&a, &b))
            } else {
                let message = format!("'{name}' of integers of {} and {} bits", a.width(), b.width());
                Err(Box::new(EvalAltResult::ErrorArithmetic(message, Position::NONE)))
            }
        });
    }
    engine.register_fn("==", |a: ApInt, b: ApInt| a == b);
    engine.register_fn("!=", |a: ApInt, b: ApInt| a != b);
    engine.register_get("width", |a: &mut ApInt| i64::from(a.width()));
    engine.register_get("int", |a: &mut ApInt| a.to_i64().map_or(Dynamic::UNIT, Dynamic::from));
    engine.register_get("unsigned", |a: &mut ApInt| {
        let value = a.to_u64().and_then(|value| i64::try_from(value).ok());
        value.map_or(Dynamic::UNIT, Dynamic::from)
    });
    engine.register_fn("to_string", |a: &mut ApInt| a.to_bigint().to_string());
    engine.register_fn("fixed", |width: i64, value: i64| -> Result<ApInt, Box<EvalAltResult>> {
        match u32::try_from(width).ok().filter(|width| (1..=WIDTH_LIMIT).contains(width)) {
            Some(width) => Ok(ApInt::from_i64(width, value)),
            None => {
                let message = format!("an integer has 1 to {WIDTH_LIMIT} bits, not {width}");
                Err(Box::new(EvalAltResult::ErrorArithmetic(message, Position::NONE)))
            }
        }
    });
}

/// The first argument of each function, `ir`: it creates types, attributes and operations.
pub(super) struct Maker<H: Ir>(Arc<Call<H>>);

impl<H: Ir> Clone for Maker<H> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<H: Facets> Maker<H> {
    pub(super) fn new(call: &Arc<Call<H>>) -> Self {
        Self(Arc::clone(call))
    }

    pub(super) fn register(engine: &mut Engine) {
        engine.register_type_with_name::<Self>("ir");
        engine.register_fn("type", |ir: &mut Self, text: ImmutableString| ir.0.query(Query::Type(text)));
        engine.register_fn("attr", |ir: &mut Self, text: ImmutableString| ir.0.query(Query::Attr(text)));
        engine.register_fn("string", |ir: &mut Self, text: ImmutableString| {
            ir.0.query(Query::StringAttr(text))
        });
        engine.register_fn("int", |ir: &mut Self, value: i64, ty: ScriptType<H>| {
            ir.0.query(Query::IntAttr(Number::Any(value), ty.id))
        });
        engine.register_fn("int", |ir: &mut Self, value: ApInt, ty: ScriptType<H>| {
            ir.0.query(Query::IntAttr(Number::Fixed(value), ty.id))
        });
        engine.register_fn(
            "create",
            |ir: &mut Self,
             name: ImmutableString,
             operands: Array,
             attributes: Map,
             types: Array|
             -> Answer {
                let query = new_op::<H>(ir.0.next_order(), name, operands, attributes, types)?;
                ir.0.query(query)
            },
        );
    }
}

fn new_op<H: Facets>(
    order: u32,
    name: ImmutableString,
    operands: Array,
    attributes: Map,
    types: Array,
) -> Result<QueryOf<H>, Box<EvalAltResult>> {
    let error = |what: &str, given: &Dynamic| -> Box<EvalAltResult> {
        let message = format!("{what} of a new operation is {}", describe::<H>(given));
        Box::new(EvalAltResult::ErrorArithmetic(message, Position::NONE))
    };
    let mut all = NewOp { order, name, operands: vec![], attributes: vec![], types: vec![] };
    for operand in operands {
        let value = operand.clone().try_cast::<ScriptValue<H>>();
        all.operands.push(value.ok_or_else(|| error("an operand", &operand))?.id);
    }
    // A map iterates in the order of names.
    for (name, attr) in attributes {
        let value = attr.clone().try_cast::<ScriptAttr<H>>();
        all.attributes.push((name.to_string(), value.ok_or_else(|| error("an attribute", &attr))?.id));
    }
    for ty in types {
        let value = ty.clone().try_cast::<ScriptType<H>>();
        all.types.push(value.ok_or_else(|| error("a result type", &ty))?.id);
    }
    Ok(Query::Create(all))
}

/// A description of a script's value, for messages.
pub(super) fn describe<H: Ir>(value: &Dynamic) -> String {
    let named: [(bool, &str); 13] = [
        (value.is::<ScriptOp<H>>(), "an operation"),
        (value.is::<ScriptValue<H>>(), "a value"),
        (value.is::<ScriptType<H>>(), "a type"),
        (value.is::<ScriptAttr<H>>(), "an attribute"),
        (value.is::<ScriptLocation<H>>(), "a location"),
        (value.is::<Absent>(), "a type or attribute that the IR does not contain"),
        (value.is::<ApInt>(), "a fixed-width integer"),
        (value.is_unit(), "nothing"),
        (value.is_int(), "an integer"),
        (value.is_bool(), "a boolean"),
        (value.is_string(), "a string"),
        (value.is_array(), "an array"),
        (value.is_map(), "a map"),
    ];
    match named.into_iter().find(|(is, _)| *is) {
        Some((_, name)) => name.to_owned(),
        None => format!("a value of type '{}'", value.type_name()),
    }
}
