//! The C interface: loads a compiled rule set, binds it to an IR behind a table of functions, matches and
//! rewrites.
//!
//! Specification: the interface behaves like the Rust library, with handles for its objects and status codes for its
//! errors. An invalid handle or a damaged program only causes an error. cbindgen generates `include/drrvm.h` from this
//! crate. The caller guarantees that its pointers are valid and that the functions of its host satisfy
//! [`drrvm::host::Ir`].

#[cfg(test)]
mod conformance;
mod host;
mod table;

use std::cell::RefCell;
use std::ffi::{CString, c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use drrvm::Program;
use drrvm::host::{Entity, Kind, Natives, NoListener, Refusal, Signature};
use drrvm::rewrite::{Config, apply_greedily};
use drrvm::source::{SourceMap, render_classic};
use drrvm::vm::{LinkOptions, Matcher};

use host::Host;
pub use host::{
    drrvm_entity, drrvm_host, drrvm_id, drrvm_kind, drrvm_named_attr, drrvm_op_state, drrvm_visit,
};
use table::{Bound, Entry, Rules};

/// The outcome of a function.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub enum drrvm_status {
    /// Success.
    Ok = 0,
    /// No rule matches.
    NoMatch = 1,
    /// A handle was never returned, was freed, or has another kind.
    BadHandle = 2,
    /// An argument is invalid, such as a null pointer, a name that is not UTF-8, or an unknown kind.
    BadArgument = 3,
    /// The bytes are not a compiled program, have another version of the format, or are damaged.
    BadProgram = 4,
    /// Natives that rules call are missing or have a signature that does not fit a call.
    MissingNatives = 5,
    /// The limit on rewrites or on sweeps was reached.
    NotConverged = 6,
    /// A bug in the library; the IR may be partially rewritten.
    Internal = 7,
    /// The host gave an invalid answer, such as a number of a name beyond the limit, an endless list of uses, or an
    /// endless chain of parents. The called function reads and changes no further operations and values; the IR may be
    /// partially rewritten.
    BadHost = 8,
}

use drrvm_status::{
    BadArgument, BadHandle, BadHost, BadProgram, Internal, MissingNatives, NoMatch, NotConverged,
};

/// The status and message of a failure.
type Failure = (drrvm_status, String);

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs a function of the interface and keeps its error for `drrvm_last_error`.
fn guarded(run: impl FnOnce() -> Result<(), Failure>) -> drrvm_status {
    let result = catch_unwind(AssertUnwindSafe(run));
    let (status, message) = match result {
        Ok(Ok(())) => return drrvm_status::Ok,
        Ok(Err(failure)) => failure,
        Err(_) => (Internal, "a bug in drrvm; please report it".to_owned()),
    };
    let message: Vec<u8> = message.into_bytes().into_iter().filter(|&byte| byte != 0).collect();
    LAST_ERROR.with(|last| *last.borrow_mut() = CString::new(message).unwrap_or_default());
    status
}

fn bad(message: &str) -> Failure {
    (BadArgument, message.to_owned())
}

/// Fails if the host gave an invalid answer.
fn check(host: &Host) -> Result<(), Failure> {
    host.fault().map_or(Ok(()), |fault| Err((BadHost, fault.to_owned())))
}

/// Writes through a pointer of the caller.
fn give<T>(to: *mut T, value: T) -> Result<(), Failure> {
    if to.is_null() {
        return Err(bad("the pointer for the result is null"));
    }
    // SAFETY: the caller passes a pointer to a `T`, or null.
    unsafe { to.write(value) };
    Ok(())
}

/// The elements at a pointer.
fn slice<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Failure> {
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(bad("a null pointer has a count other than zero"));
    }
    // SAFETY: the caller guarantees `count` elements.
    Ok(unsafe { std::slice::from_raw_parts(pointer, count) })
}

fn host(table: *const drrvm_host, rewrites: bool) -> Result<Host, Failure> {
    // SAFETY: the caller passes a pointer to a table, or null.
    let table = unsafe { table.as_ref() }.ok_or_else(|| bad("the pointer to the host is null"))?;
    Host::new(table, rewrites).map_err(|missing| (BadArgument, missing))
}

fn wrong_handle(wanted: &str) -> Failure {
    (BadHandle, format!("this is not a handle of {wanted}, or it was freed"))
}

fn rules(handle: u64) -> Result<Arc<Rules>, Failure> {
    match table::get(handle) {
        Some(Entry::Rules(rules)) => Ok(rules),
        _ => Err(wrong_handle("a program")),
    }
}

fn natives(handle: u64) -> Result<Arc<Mutex<Natives<Host>>>, Failure> {
    match table::get(handle) {
        Some(Entry::Natives(natives)) => Ok(natives),
        _ => Err(wrong_handle("natives")),
    }
}

fn bound(handle: u64) -> Result<Arc<Bound>, Failure> {
    match table::get(handle) {
        Some(Entry::Matcher(matcher)) => Ok(matcher),
        _ => Err(wrong_handle("a matcher")),
    }
}

fn new_handle(entry: Entry, to: *mut u64) -> Result<(), Failure> {
    // Nobody could free a handle that is not given.
    give(to, 0)?;
    let handle = table::insert(entry).ok_or_else(|| (Internal, "too many handles".to_owned()))?;
    give(to, handle)
}

/// Returns the message of the last call on this thread whose status was not `DRRVM_STATUS_OK`. The text is valid
/// until the next such call.
#[unsafe(no_mangle)]
pub extern "C" fn drrvm_last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

/// Frees a handle of any kind.
#[unsafe(no_mangle)]
pub extern "C" fn drrvm_free(handle: u64) -> drrvm_status {
    guarded(|| if table::remove(handle) { Ok(()) } else { Err(wrong_handle("anything")) })
}

/// Loads a compiled rule set, as written by `drrvm compile`. The bytes are not needed after the call.
///
/// # Safety
/// `bytes` points to `length` bytes, and `program` to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_program_load(
    bytes: *const u8,
    length: usize,
    program: *mut u64,
) -> drrvm_status {
    guarded(|| {
        let mut sources = SourceMap::default();
        let loaded = Program::from_bytes(slice(bytes, length)?, &mut sources)
            .map_err(|error| (BadProgram, error.to_string()))?;
        new_handle(Entry::Rules(Arc::new(Rules { program: Arc::new(loaded), sources })), program)
    })
}

/// Stores the number of rules of a program. Rules are numbered from zero.
///
/// # Safety
/// `count` points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_program_rule_count(program: u64, count: *mut u32) -> drrvm_status {
    guarded(|| {
        let rules = rules(program)?;
        let rules = u32::try_from(rules.program.patterns().len());
        give(count, rules.expect("the ids of rules have 32 bits"))
    })
}

/// Copies the name of a rule to `buffer`, truncated to `capacity` bytes including a terminating zero. Stores the length
/// of the whole name in `length`.
///
/// # Safety
/// `buffer` points to `capacity` bytes or is null; `length` points to an integer or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_rule_name(
    program: u64,
    rule: u32,
    buffer: *mut c_char,
    capacity: usize,
    length: *mut usize,
) -> drrvm_status {
    guarded(|| {
        let rules = rules(program)?;
        let id = rules.program.patterns().ids().nth(rule as usize);
        let id = id.ok_or_else(|| bad("the program has no rule with this number"))?;
        let name = rules.program.pattern_name(id).as_bytes();
        if !length.is_null() {
            give(length, name.len())?;
        }
        if buffer.is_null() || capacity == 0 {
            return Ok(());
        }
        let copied = name.len().min(capacity - 1);
        // SAFETY: the buffer has `capacity` bytes, and at most `capacity - 1` are copied.
        unsafe {
            std::ptr::copy_nonoverlapping(name.as_ptr().cast(), buffer, copied);
            buffer.add(copied).write(0);
        }
        Ok(())
    })
}

/// Creates an empty set of natives.
///
/// # Safety
/// `natives` points to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_natives_new(natives: *mut u64) -> drrvm_status {
    guarded(|| new_handle(Entry::Natives(Arc::new(Mutex::new(Natives::new()))), natives))
}

/// A native constraint: returns true if it holds for its arguments. It must be pure and must not change the IR.
#[allow(non_camel_case_types, reason = "the name in C")]
pub type drrvm_constraint =
    Option<unsafe extern "C" fn(data: *mut c_void, args: *const drrvm_entity, count: usize) -> bool>;

/// A native rewrite: stores its results; returning false undoes the whole rewrite. It may create types and
/// attributes, but must not change operations.
#[allow(non_camel_case_types, reason = "the name in C")]
pub type drrvm_rewrite = Option<
    unsafe extern "C" fn(
        data: *mut c_void,
        args: *const drrvm_entity,
        count: usize,
        results: *mut drrvm_entity,
        result_count: usize,
    ) -> bool,
>;

/// A pointer of the caller that is passed to its native.
#[derive(Clone, Copy)]
struct Data(*mut c_void);

// SAFETY: the caller that registers a native guarantees that matching threads may call it.
unsafe impl Send for Data {}
// SAFETY: as for the preceding block.
unsafe impl Sync for Data {}

impl Data {
    fn pointer(&self) -> *mut c_void {
        self.0
    }
}

fn kind(number: c_int) -> Result<Kind, Failure> {
    Ok(match number {
        0 => Kind::Op,
        1 => Kind::Value,
        2 => Kind::Type,
        3 => Kind::Attr,
        4 => Kind::Int,
        5 => Kind::Bool,
        other => return Err((BadArgument, format!("{other} is not a drrvm_kind"))),
    })
}

fn kinds(pointer: *const c_int, count: usize) -> Result<Vec<Kind>, Failure> {
    slice(pointer, count)?.iter().map(|&number| kind(number)).collect()
}

fn name<'a>(pointer: *const c_char, length: usize) -> Result<&'a str, Failure> {
    std::str::from_utf8(slice(pointer.cast(), length)?).map_err(|_| bad("the name is not UTF-8"))
}

fn to_c(entity: &Entity<Host>) -> Option<drrvm_entity> {
    let id = |kind: drrvm_kind, id| drrvm_entity { kind: kind as c_int, id, number: 0 };
    let number = |kind: drrvm_kind, number| drrvm_entity { kind: kind as c_int, id: 0, number };
    Some(match entity {
        Entity::Op(op) => id(drrvm_kind::Op, *op),
        Entity::Value(value) => id(drrvm_kind::Value, value.unwrap_or(0)),
        Entity::Type(ty) => id(drrvm_kind::Type, *ty),
        Entity::Attr(attr) => id(drrvm_kind::Attr, attr.unwrap_or(0)),
        Entity::Int(value) => number(drrvm_kind::Int, *value),
        Entity::Bool(value) => number(drrvm_kind::Bool, i64::from(*value)),
        _ => return None,
    })
}

fn from_c(entity: &drrvm_entity, wanted: Kind) -> Result<Entity<Host>, Refusal> {
    if kind(entity.kind).ok() != Some(wanted) {
        return Err(Refusal::new("a native returned a result of a different kind than its signature states"));
    }
    let id = (entity.id != 0).then_some(entity.id);
    let null = || Refusal::new("a native returned none for a required result");
    Ok(match wanted {
        Kind::Op => Entity::Op(id.ok_or_else(null)?),
        Kind::Value => Entity::Value(id),
        Kind::Type => Entity::Type(id.ok_or_else(null)?),
        Kind::Attr => Entity::Attr(id),
        Kind::Int => Entity::Int(entity.number),
        _ => Entity::Bool(entity.number != 0),
    })
}

/// Registers a constraint with a name and the kinds of its arguments.
///
/// # Safety
/// `name` points to `length` bytes and `params` to `param_count` integers. `run` can be called with `data` while
/// a matcher exists that was linked with these natives.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_natives_constraint(
    natives: u64,
    name: *const c_char,
    length: usize,
    params: *const c_int,
    param_count: usize,
    run: drrvm_constraint,
    data: *mut c_void,
) -> drrvm_status {
    guarded(|| {
        let set = self::natives(natives)?;
        let (name, params) = (self::name(name, length)?, kinds(params, param_count)?);
        let run = run.ok_or_else(|| bad("the pointer to the native is null"))?;
        let data = Data(data);
        let signature = Signature::new(params, []);
        let own = Natives::new().constraint_with(name, signature, true, move |_host: &Host, args| {
            let args: Vec<_> = args.iter().map(to_c).collect::<Option<_>>()?;
            // SAFETY: the caller guaranteed this at registration; the arguments live until the call returns.
            unsafe { run(data.pointer(), args.as_ptr(), args.len()) }.then(Vec::new)
        });
        add(&set, own);
        Ok(())
    })
}

/// Registers a rewrite with a name and the kinds of its arguments and results.
///
/// # Safety
/// As for `drrvm_natives_constraint`, and `results` points to `result_count` integers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_natives_rewrite(
    natives: u64,
    name: *const c_char,
    length: usize,
    params: *const c_int,
    param_count: usize,
    results: *const c_int,
    result_count: usize,
    run: drrvm_rewrite,
    data: *mut c_void,
) -> drrvm_status {
    guarded(|| {
        let set = self::natives(natives)?;
        let (name, params) = (self::name(name, length)?, kinds(params, param_count)?);
        let results = kinds(results, result_count)?;
        let run = run.ok_or_else(|| bad("the pointer to the native is null"))?;
        let data = Data(data);
        let signature = Signature::new(params, results.clone());
        let own = Natives::new().rewrite_with(name, signature, move |_rewriter, args| {
            let args: Option<Vec<_>> = args.iter().map(to_c).collect();
            let args = args.ok_or_else(|| Refusal::new("an argument cannot be represented in C"))?;
            let mut given = vec![drrvm_entity { kind: -1, id: 0, number: 0 }; results.len()];
            // SAFETY: the caller guaranteed this at registration; arguments and results live until the call
            // returns.
            let done =
                unsafe { run(data.pointer(), args.as_ptr(), args.len(), given.as_mut_ptr(), given.len()) };
            if !done {
                return Err(Refusal::new("the native returned false"));
            }
            given.iter().zip(&results).map(|(entity, &kind)| from_c(entity, kind)).collect()
        });
        add(&set, own);
        Ok(())
    })
}

fn add(set: &Mutex<Natives<Host>>, own: Natives<Host>) {
    let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
    *set = std::mem::take(&mut *set).with(own);
}

/// Binds a program to a host. `natives` can be 0. With `allow_missing`, rules that call missing natives are dropped.
///
/// # Safety
/// `host` points to a table whose functions behave as documented, and `matcher` to a handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_link(
    program: u64,
    host: *const drrvm_host,
    natives: u64,
    allow_missing: bool,
    matcher: *mut u64,
) -> drrvm_status {
    guarded(|| {
        let rules = rules(program)?;
        let mut host = self::host(host, false)?;
        let set = match natives {
            0 => Arc::default(),
            handle => self::natives(handle)?,
        };
        let options = LinkOptions { allow_missing, ..LinkOptions::default() };
        let set = set.lock().unwrap_or_else(PoisonError::into_inner);
        let linked = Matcher::link(Arc::clone(&rules.program), &mut host, &set, &options);
        check(&host)?;
        let linked =
            linked.map_err(|error| (MissingNatives, render_classic(&error.diagnostics(), &rules.sources)))?;
        let scratch = Mutex::new(linked.cache());
        new_handle(Entry::Matcher(Arc::new(Bound { matcher: linked, scratch })), matcher)
    })
}

/// Finds the first rule that matches at an operation; the status is `DRRVM_STATUS_NO_MATCH` if none does.
///
/// # Safety
/// `host` is the table that the matcher was linked with, or an equivalent table; `op` is one of its operations; `rule`
/// points to an integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_match(
    matcher: u64,
    host: *const drrvm_host,
    op: drrvm_id,
    rule: *mut u32,
) -> drrvm_status {
    guarded(|| {
        let bound = bound(matcher)?;
        let host = self::host(host, false)?;
        if op == 0 {
            return Err(bad("the operation is zero"));
        }
        // The scratch is in use if another thread is matching, or if a function of the host calls `drrvm_match` during
        // a match.
        let (mut kept, mut own) = (bound.scratch.try_lock().ok(), None);
        let scratch = match &mut kept {
            Some(kept) => &mut **kept,
            None => own.insert(bound.matcher.cache()),
        };
        let found = bound.matcher.match_first(&host, op, scratch);
        check(&host)?;
        match found {
            Some(found) => give(rule, found.raw()),
            None => Err((NoMatch, "no rule matches".to_owned())),
        }
    })
}

/// The counts of a rewriting run.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct drrvm_report {
    /// The number of attempts to match an operation.
    pub visited: u64,
    /// The number of rewrites.
    pub rewrites: u64,
    /// The number of rewrites that failed and were undone. `rewrites` does not count them.
    pub refused: u64,
    /// The number of removed dead operations.
    pub removed: u64,
}

/// Applies rules to the operations inside `root` until none matches or a limit is reached. If `max_rewrites` is 0, the
/// default limit on rewrites applies.
///
/// # Safety
/// As for `drrvm_match`; `report` points to a report or is null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn drrvm_apply_greedily(
    matcher: u64,
    host: *const drrvm_host,
    root: drrvm_id,
    max_rewrites: u64,
    report: *mut drrvm_report,
) -> drrvm_status {
    guarded(|| {
        let bound = bound(matcher)?;
        let mut host = self::host(host, true)?;
        if root == 0 {
            return Err(bad("the root is zero"));
        }
        let config = Config::default().max_rewrites((max_rewrites != 0).then_some(max_rewrites));
        let done = apply_greedily(&mut host, root, &bound.matcher, &config, &mut NoListener);
        if !report.is_null() {
            let (visited, rewrites) = (done.visited, done.rewrites);
            let (refused, removed) = (done.refused, done.removed);
            give(report, drrvm_report { visited, rewrites, refused, removed })?;
        }
        check(&host)?;
        match done.not_converged {
            None => Ok(()),
            Some(_) => Err((NotConverged, "the limit on rewrites or on sweeps was reached".to_owned())),
        }
    })
}
