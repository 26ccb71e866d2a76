//! What scripts see: operations, values, types, attributes, fixed-width integers; and what they can make.

use std::sync::Arc;

use rhai::{Array, Dynamic, Engine, EvalAltResult, ImmutableString, Map};

use super::call::{Ask, AskOf, Call, NewOp, Number, Thing, ThingOf};
use crate::host::{Facets, Ir};
use crate::number::ApInt;

type Given = Result<Dynamic, Box<EvalAltResult>>;

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
                fn thing(&self) -> ThingOf<H> {
                    Thing::$kind(self.id)
                }
                fn register(engine: &mut Engine, properties: &[&'static str]) {
                    engine.register_type_with_name::<Self>($shown);
                    engine.register_fn("==", |a: Self, b: Self| a.id == b.id);
                    engine.register_fn("!=", |a: Self, b: Self| a.id != b.id);
                    for &name in properties {
                        let get = move |this: &mut Self| -> Given {
                            this.call.ask(Ask::Property(name, this.thing()))
                        };
                        engine.register_get(name, get);
                    }
                    for name in ["to_string", "to_debug"] {
                        let get = move |this: &mut Self| -> Result<ImmutableString, Box<EvalAltResult>> {
                            let text = this.call.ask(Ask::Property("text", this.thing()))?;
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

/// A location: scripts pass it on.
pub(super) struct ScriptLocation<H: Ir>(pub(super) H::Location);
impl<H: Ir> Clone for ScriptLocation<H> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

/// What scripts can ask of operations, values, types and attributes, as properties.
pub(super) const OP_PROPERTIES: &[&str] = &["name", "operands", "results", "text"];
pub(super) const VALUE_PROPERTIES: &[&str] = &["type", "op", "uses", "text"];
pub(super) const TYPE_PROPERTIES: &[&str] = &["class", "width", "element", "rank", "shape", "text"];
pub(super) const ATTR_PROPERTIES: &[&str] =
    &["class", "type", "int", "fixed", "float", "string", "splat", "elements", "text"];

/// Tells an engine of all types and functions but those that make something of the host.
pub(super) fn register<H: Ir>(engine: &mut Engine) {
    ScriptOp::<H>::register(engine, OP_PROPERTIES);
    ScriptValue::<H>::register(engine, VALUE_PROPERTIES);
    ScriptType::<H>::register(engine, TYPE_PROPERTIES);
    ScriptAttr::<H>::register(engine, ATTR_PROPERTIES);
    engine.register_type_with_name::<ScriptLocation<H>>("location");
    engine.register_fn("attr", |op: &mut ScriptOp<H>, name: ImmutableString| -> Given {
        op.call.ask(Ask::OpAttr(op.id, name))
    });
    register_fixed(engine);
}

/// The widest integer that a script can make from nothing.
const FIXED_LIMIT: u32 = 4096;

/// Integers of a fixed width; arithmetic wraps around.
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
                Err(format!("'{name}' of integers of {} and {} bits", a.width(), b.width()).into())
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
        match u32::try_from(width).ok().filter(|width| (1..=FIXED_LIMIT).contains(width)) {
            Some(width) => Ok(ApInt::from_i64(width, value)),
            None => Err(format!("no integer has {width} bits").into()),
        }
    });
}

/// What makes types, attributes and operations; part of each call, since it asks the host.
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
        engine.register_fn("type", |ir: &mut Self, text: ImmutableString| ir.0.ask(Ask::Type(text)));
        engine.register_fn("attr", |ir: &mut Self, text: ImmutableString| ir.0.ask(Ask::Attr(text)));
        engine.register_fn("string", |ir: &mut Self, text: ImmutableString| ir.0.ask(Ask::StringAttr(text)));
        engine.register_fn("int", |ir: &mut Self, value: i64, ty: ScriptType<H>| {
            ir.0.ask(Ask::IntAttr(Number::Any(value), ty.id))
        });
        engine.register_fn("int", |ir: &mut Self, value: ApInt, ty: ScriptType<H>| {
            ir.0.ask(Ask::IntAttr(Number::Fixed(value), ty.id))
        });
        engine.register_fn(
            "create",
            |ir: &mut Self, name: ImmutableString, operands: Array, attributes: Map, types: Array| -> Given {
                let ask = new_op::<H>(ir.0.next_order(), name, operands, attributes, types)?;
                ir.0.ask(ask)
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
) -> Result<AskOf<H>, Box<EvalAltResult>> {
    let wrong = |what: &str, given: &Dynamic| -> Box<EvalAltResult> {
        format!("{what} of a new operation is {}", super::host::shown::<H>(given)).into()
    };
    let mut all = NewOp { order, name, operands: vec![], attributes: vec![], types: vec![] };
    for operand in operands {
        let value = operand.clone().try_cast::<ScriptValue<H>>();
        all.operands.push(value.ok_or_else(|| wrong("an operand", &operand))?.id);
    }
    // A map is sorted by name.
    for (name, attr) in attributes {
        let value = attr.clone().try_cast::<ScriptAttr<H>>();
        all.attributes.push((name.to_string(), value.ok_or_else(|| wrong("an attribute", &attr))?.id));
    }
    for ty in types {
        let value = ty.clone().try_cast::<ScriptType<H>>();
        all.types.push(value.ok_or_else(|| wrong("a result type", &ty))?.id);
    }
    Ok(Ask::Create(all))
}
