//! Natives in C++: functions that plugins and projects register through `drrvm/mlir.h`.
//!
//! Specification: a native in C++ behaves like a native in Rust. A native in C++ creates operations through MLIR's
//! rewriter; if the rewrite fails later, these operations are erased.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, PoisonError};

use drrvm::host::{ApFloat, Entity, Kind, Natives, NewOp, Refusal, Rewriter, Signature};

use crate::bridge::{self, RewriterRef};
use crate::capi::{Attribute, Location, Operation, Type, Value};
use crate::foreign::{Call, Push, RawEntity, RawFloat, RawNative, slice};
use crate::host::MlirHost;

type HostEntity = Entity<MlirHost>;

/// A function of C++ and its state. Both live as long as the process.
#[derive(Clone, Copy)]
struct Function {
    call: Call,
    state: *const c_void,
}

// SAFETY: `drrvm/mlir.h` requires that natives can be called from several threads.
unsafe impl Send for Function {}
// SAFETY: `drrvm/mlir.h` requires that natives can be called from several threads.
unsafe impl Sync for Function {}

/// A native in C++.
#[derive(Clone)]
pub(crate) struct CxxNative {
    name: String,
    role: u32,
    signature: Signature,
    function: Function,
}

/// Values of `DrrvmRole`. A native with any other value is a rewrite.
const CONSTRAINT: u32 = 0;
const TYPE_INFERENCE: u32 = 2;

/// The natives of plugins, in the order in which they were registered.
static REGISTERED: Mutex<Vec<CxxNative>> = Mutex::new(Vec::new());

/// The kinds by their numbers in `DrrvmKind`; `None` stands for any kind.
const KINDS: [Option<Kind>; 14] = [
    Some(Kind::Op),
    Some(Kind::Value),
    Some(Kind::Values),
    Some(Kind::Type),
    Some(Kind::Types),
    Some(Kind::Attr),
    Some(Kind::Attrs),
    Some(Kind::Int),
    Some(Kind::Bool),
    Some(Kind::Str),
    Some(Kind::Location),
    None,
    Some(Kind::ApInt),
    Some(Kind::ApFloat),
];

fn kind(number: u32) -> Option<Kind> {
    KINDS.get(number as usize).copied().flatten()
}

impl CxxNative {
    /// Copies the description of a native.
    ///
    /// # Safety
    /// The pointers and lengths of `raw` are right; its function can be called until the process ends.
    pub(crate) unsafe fn new(raw: &RawNative) -> Self {
        // SAFETY: the caller guarantees this.
        unsafe {
            let count = usize::try_from(raw.param_count).ok();
            let params = count.map(|count| slice(raw.params, count).iter().map(|&k| kind(k)).collect());
            let results = slice(raw.results, raw.result_count).iter().map(|&k| kind(k)).collect();
            Self {
                name: raw.name.get(),
                role: raw.role,
                signature: Signature { params, results },
                function: Function { call: raw.call, state: raw.function },
            }
        }
    }

    /// Registers the native for all rules that are loaded later.
    pub(crate) fn register(self) {
        REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).push(self);
    }

    fn add_to(self, natives: Natives<MlirHost>) -> Natives<MlirHost> {
        let Self { name, role, signature, function } = self;
        match role {
            CONSTRAINT => natives.constraint_with(&name, signature, true, move |host, args| {
                call(function, host.rewriter(), host, args)
            }),
            TYPE_INFERENCE => natives.type_inference(&name, move |host, new| infer(function, host, new)),
            _ => natives
                .rewrite_with(&name, signature, move |rewriter, args| rewrite(function, rewriter, args)),
        }
    }
}

/// Adds the natives that plugins registered, and then the natives in `own`, which take precedence.
pub(crate) fn add_all(natives: Natives<MlirHost>, own: Vec<CxxNative>) -> Natives<MlirHost> {
    let registered = REGISTERED.lock().unwrap_or_else(PoisonError::into_inner).clone();
    registered.into_iter().chain(own).fold(natives, |natives, native| native.add_to(natives))
}

fn infer(function: Function, host: &mut MlirHost, new: &NewOp<'_, MlirHost>) -> Result<Vec<Type>, Refusal> {
    let attributes = host.dictionary(new.attributes);
    let args = [Entity::Values(new.operands.to_vec()), Entity::Attr(Some(attributes))];
    let results = call(function, host.rewriter(), host, &args);
    match results.as_deref() {
        Some([Entity::Types(types)]) => Ok(types.clone()),
        _ => Err(Refusal::new("a type inference in C++ refused")),
    }
}

fn rewrite(
    function: Function,
    rewriter: &mut Rewriter<'_, MlirHost>,
    args: &[HostEntity],
) -> Result<Vec<HostEntity>, Refusal> {
    let root = rewriter.root();
    let mut created = Vec::new();
    let host = rewriter.host();
    let results = bridge::with_recorder(host.context, host.rewriter(), root, &mut created, |recorder| {
        call(function, Some(recorder), host, args)
    });
    for op in created {
        rewriter.host_mut().record_created(op);
        rewriter.adopt(op);
    }
    results.ok_or_else(|| Refusal::new("a native in C++ refused"))
}

/// Calls a function. Returns `None` if the constraint does not hold, if the rewrite refuses, or if a result is invalid.
fn call(
    function: Function,
    rewriter: Option<RewriterRef>,
    host: &MlirHost,
    args: &[HostEntity],
) -> Option<Vec<HostEntity>> {
    unsafe extern "C" fn push(results: *mut c_void, result: *const RawEntity) {
        // SAFETY: `results` is the vector below, and C++ passes an entity whose arrays exist during the call.
        unsafe {
            let results = &mut *results.cast::<Vec<Option<HostEntity>>>();
            results.push(entity(&*result));
        }
    }
    let numbers: Vec<Number> = args.iter().map(Number::of).collect();
    let raw: Vec<RawEntity> = args.iter().zip(&numbers).map(|(arg, number)| raw(arg, number)).collect();
    let mut results: Vec<Option<HostEntity>> = Vec::new();
    let mut run = |rewriter: RewriterRef| {
        let user = (&raw mut results).cast::<c_void>();
        let rewriter = std::ptr::with_exposed_provenance_mut(rewriter.0.get());
        // SAFETY: the function can be called, by the invariant of `Function`; the arguments outlive the call.
        unsafe { (function.call)(function.state, rewriter, raw.as_ptr(), raw.len(), push as Push, user) }
    };
    let holds = match rewriter {
        Some(rewriter) => run(rewriter),
        None => bridge::with_local_rewriter(host.context, run),
    };
    holds.then_some(results)?.into_iter().collect()
}

fn address(id: usize) -> *const c_void {
    std::ptr::with_exposed_provenance(id)
}

/// The memory of a numeric argument that C++ reads through a pointer.
enum Number {
    /// The words of an integer, the lowest first; at least one.
    Words(Vec<u64>),
    Float(RawFloat),
    /// The argument needs no memory.
    None,
}

impl Number {
    fn of(entity: &HostEntity) -> Self {
        match entity {
            Entity::ApInt(int) => Self::Words(bridge::words(int)),
            Entity::ApFloat(float) => {
                let semantics = bridge::float_semantics(float.format().name());
                Self::Float(RawFloat { semantics, bits: bridge::float_words(*float) })
            }
            _ => Self::None,
        }
    }

    fn address(&self) -> *const c_void {
        match self {
            Self::Words(words) => words.as_ptr().cast(),
            Self::Float(float) => std::ptr::from_ref(float).cast(),
            Self::None => std::ptr::null(),
        }
    }
}

fn raw(entity: &HostEntity, memory: &Number) -> RawEntity {
    let one = |kind, id: usize| RawEntity { kind, data: address(id), count: 0 };
    let list = |kind, data: *const c_void, count| RawEntity { kind, data, count };
    let number = |kind, count| RawEntity { kind, data: memory.address(), count };
    match entity {
        Entity::Op(op) => one(0, op.0),
        Entity::Value(value) => one(1, value.map_or(0, |value| value.0)),
        Entity::Values(values) => list(2, values.as_ptr().cast(), values.len()),
        Entity::Type(ty) => one(3, ty.0),
        Entity::Types(types) => list(4, types.as_ptr().cast(), types.len()),
        Entity::Attr(attr) => one(5, attr.map_or(0, |attr| attr.0)),
        Entity::Attrs(attrs) => list(6, attrs.as_ptr().cast(), attrs.len()),
        // Two's complement, as the header reads it.
        Entity::Int(int) => number(7, int.cast_unsigned() as usize),
        Entity::Bool(bool) => number(8, usize::from(*bool)),
        Entity::Str(text) => list(9, text.as_ptr().cast(), text.len()),
        Entity::Location(location) => one(10, location.0),
        Entity::ApInt(int) => number(12, int.width() as usize),
        Entity::ApFloat(_) => number(13, 0),
    }
}

/// The entity that C++ passes.
///
/// # Safety
/// If `raw` is a range or a text, `data` points to `count` elements. If it is an `APInt` or `APFloat`, `data` points to
/// its words or to a [`RawFloat`].
unsafe fn entity(raw: &RawEntity) -> Option<HostEntity> {
    let id = raw.data.addr();
    let some = (id != 0).then_some(id);
    // SAFETY: the caller guarantees this.
    Some(unsafe {
        match raw.kind {
            0 => Entity::Op(Operation(some?)),
            1 => Entity::Value(some.map(Value)),
            2 => Entity::Values(slice(raw.data.cast::<Value>(), raw.count).to_vec()),
            3 => Entity::Type(Type(some?)),
            4 => Entity::Types(slice(raw.data.cast::<Type>(), raw.count).to_vec()),
            5 => Entity::Attr(some.map(Attribute)),
            6 => Entity::Attrs(slice(raw.data.cast::<Attribute>(), raw.count).to_vec()),
            7 => Entity::Int((raw.count as u64).cast_signed()),
            8 => Entity::Bool(raw.count != 0),
            9 => {
                let bytes = slice(raw.data.cast::<u8>(), raw.count);
                Entity::Str(Arc::from(String::from_utf8_lossy(bytes)))
            }
            10 => Entity::Location(Location(some?)),
            12 => {
                let width = u32::try_from(raw.count).ok()?;
                let words = slice(raw.data.cast::<u64>(), raw.count.div_ceil(64));
                Entity::ApInt(bridge::from_words(width, words))
            }
            13 => {
                let float = raw.data.cast::<RawFloat>().read();
                let [low, high] = float.bits;
                let format = bridge::float_format(float.semantics)?;
                Entity::ApFloat(ApFloat::from_bits(format, u128::from(high) << 64 | u128::from(low)))
            }
            _ => return None,
        }
    })
}
