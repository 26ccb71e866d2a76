//! Natives in a script language, for users of the command line who do not build Rust code.
//!
//! Specification: a script's native has the arguments and results of its signature, and the same effect as a native in
//! Rust that makes the same queries to the host. It cannot observe or change anything else.
//!
//! The input is the text of a file, and the output is a set of [`Natives`]. The language is Rhai. A file runs once when
//! it is loaded, and calls `constraint` and `rewrite` to register natives. These functions take a name, a signature in
//! the form that `drrvm check` prints, and a function. `type_inference`, `fold`, `effects`, `verify`, the same words
//! followed by `_for_trait`, and `materialize_constant` take a name and a function. Steps, nesting, sizes of values and
//! queries to the host are bounded. If a script fails, a constraint does not hold and a rewrite is refused;
//! [`Script::diagnostics`] returns the failures.

mod answer;
mod call;
mod code;
mod error;
mod hooks;
mod signature;
mod value;

use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use hashbrown::HashSet;
use rhai::packages::{Package, StandardPackage};
use rhai::{Engine, FnPtr, NativeCallContext, Position};

use code::{CALL_DEPTH_LIMIT, Code, Failures, STEP_LIMIT, innermost, message, span};
use hooks::Hook;
use value::Maker;

use crate::host::{Facets, IrMut, Kind, Natives, Signature};
use crate::source::{Diagnostics, SourceFile, Span};

/// The maximum depth of expressions.
const EXPR_DEPTH_LIMIT: usize = 48;
/// The maximum number of bytes of a string.
const STRING_LIMIT: usize = 1 << 20;
/// The maximum number of entries of an array or map.
const ARRAY_LIMIT: usize = 100_000;
/// The maximum number of strings that an engine shares.
const STRINGS_INTERNED: usize = 1024;

/// A loaded script file.
pub struct Script<H: Facets + IrMut> {
    natives: Natives<H>,
    failures: Arc<Failures>,
}

impl<H: Facets + IrMut> Script<H> {
    /// Loads a file.
    ///
    /// ```
    /// use drrvm::ir::IrHost;
    /// use drrvm::script::Script;
    /// use drrvm::source::SourceMap;
    ///
    /// let mut sources = SourceMap::default();
    /// let text = r#"
    ///     constraint("isSmall", "(attribute)", |ir, attr| attr.int != () && attr.int < 16);
    ///     rewrite("twice", "(attribute) -> attribute", |ir, attr| ir.int(attr.fixed + attr.fixed, attr.type));
    /// "#;
    /// let file = sources.add("natives.rhai", text).unwrap();
    /// let script = Script::<IrHost>::load(sources.file(file)).unwrap();
    /// let natives = script.natives();
    /// # let _ = natives;
    /// ```
    ///
    /// # Errors
    /// The file has a syntax error, fails while it runs, or registers an invalid native.
    pub fn load(file: &SourceFile) -> Result<Self, Diagnostics> {
        let registered = Arc::new(Mutex::new(Vec::new()));
        let mut engine = engine::<H>();
        for role in [Role::Constraint, Role::Rewrite].into_iter().chain(Role::hooks()) {
            register_role(&mut engine, role, &registered);
        }
        let mut ast = engine.compile(file.text()).map_err(|e| {
            Diagnostics::from(error::syntax(&e.err_type().to_string(), span(file, e.position())))
        })?;
        ast.set_source(file.name());
        engine.run_ast(&ast).map_err(|e| {
            let at = innermost(&e);
            Diagnostics::from(error::while_loading(&message(&e), span(file, at)))
        })?;
        let all = std::mem::take(&mut *registered.lock().unwrap_or_else(PoisonError::into_inner));
        let failures = Arc::new(Failures::default());
        let code = Arc::new(Code {
            engine,
            ast,
            failures: Arc::clone(&failures),
            name: file.name().to_owned(),
            text: Arc::clone(file.text()),
            base: file.span(0..0).lo,
        });
        let mut natives = Natives::new();
        let mut errors = Diagnostics::default();
        let mut seen = HashSet::new();
        for registered in all {
            let at = span(file, registered.at);
            let signature = match signature::parse(&registered.signature) {
                Ok(signature) => signature,
                Err(word) => {
                    errors.push(error::signature(&registered.signature, &word, at));
                    continue;
                }
            };
            let key = (registered.role, registered.name.clone(), signature.params.clone());
            if seen.insert(key) {
                natives = register_native(natives, &code, registered, signature, at, &mut errors);
            } else {
                errors.push(error::twice(&registered.name, &signature, at));
            }
        }
        if errors.has_errors() { Err(errors) } else { Ok(Self { natives, failures }) }
    }

    /// The natives that the file registers.
    pub fn natives(&self) -> Natives<H> {
        self.natives.clone()
    }

    /// The failures of functions so far, one for each message and place: errors, and warnings for `throw`, which is a
    /// refusal and not an error.
    pub fn diagnostics(&self) -> Diagnostics {
        self.failures.diagnostics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The standard functions of the script language, which all engines share.
// PERF: building the package took 8 of 13 ms of a run of `examples/arith` on the page of `hosts/web`.
static STANDARD: LazyLock<StandardPackage> = LazyLock::new(StandardPackage::new);

fn engine<H: Facets + IrMut>() -> Engine {
    let mut engine = Engine::new_raw();
    STANDARD.register_into_engine(&mut engine);
    engine.set_max_strings_interned(STRINGS_INTERNED);
    engine.set_max_operations(STEP_LIMIT);
    engine.set_max_call_levels(CALL_DEPTH_LIMIT);
    engine.set_max_expr_depths(EXPR_DEPTH_LIMIT, EXPR_DEPTH_LIMIT);
    engine.set_max_string_size(STRING_LIMIT);
    engine.set_max_array_size(ARRAY_LIMIT);
    engine.set_max_map_size(ARRAY_LIMIT);
    engine.disable_symbol("eval");
    engine.on_print(|_| {});
    engine.on_debug(|_, _, _| {});
    value::register::<H>(&mut engine);
    Maker::<H>::register(&mut engine);
    engine
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Role {
    Constraint,
    Rewrite,
    /// A function for operations. The Boolean is true if it is registered for a trait, and false if it is registered
    /// for the name of an operation or dialect.
    Hook(Hook, bool),
}

impl Role {
    /// The roles of functions for operations.
    fn hooks() -> impl Iterator<Item = Self> {
        let all = [Hook::TypeInference, Hook::Fold, Hook::Effects, Hook::Verify, Hook::MaterializeConstant];
        let roles = |hook: Hook| {
            [Self::Hook(hook, false)].into_iter().chain(hook.words().1.map(|_| Self::Hook(hook, true)))
        };
        all.into_iter().flat_map(roles)
    }
}

/// A call that registers a native.
struct Registration {
    role: Role,
    name: String,
    signature: String,
    function: FnPtr,
    at: Position,
}

fn register_role(engine: &mut Engine, role: Role, into: &Arc<Mutex<Vec<Registration>>>) {
    let add = |into: &Mutex<Vec<Registration>>, registered: Registration| {
        into.lock().unwrap_or_else(PoisonError::into_inner).push(registered);
    };
    let into = Arc::clone(into);
    let (word, fixed_signature) = match role {
        Role::Constraint => ("constraint", None),
        Role::Rewrite => ("rewrite", None),
        Role::Hook(hook, for_trait) => {
            let (word, of_trait) = hook.words();
            (of_trait.filter(|_| for_trait).unwrap_or(word), Some(hook.signature()))
        }
    };
    match fixed_signature {
        None => {
            engine.register_fn(
                word,
                move |context: NativeCallContext<'_>, name: &str, signature: &str, function: FnPtr| {
                    let (name, signature) = (name.to_owned(), signature.to_owned());
                    add(&into, Registration { role, name, signature, function, at: context.call_position() });
                },
            );
        }
        Some(signature) => {
            engine.register_fn(word, move |context: NativeCallContext<'_>, name: &str, function: FnPtr| {
                let (name, signature) = (name.to_owned(), signature.to_owned());
                add(&into, Registration { role, name, signature, function, at: context.call_position() });
            });
        }
    }
}

/// Adds a native to a set.
fn register_native<H: Facets + IrMut>(
    natives: Natives<H>,
    code: &Arc<Code>,
    registered: Registration,
    signature: Signature,
    at: Span,
    errors: &mut Diagnostics,
) -> Natives<H> {
    let Registration { role, name, function, at: place, .. } = registered;
    let needed = signature.params.as_ref().map_or(0, Vec::len) + 1;
    // Functions with one name differ in the number of their parameters.
    let overloads = code.ast.iter_functions().filter(|f| f.name == function.fn_name());
    let mut taken = overloads.map(|f| f.params.len().saturating_sub(function.curry().len()));
    if let Some(first) = taken.next()
        && first != needed
        && !taken.any(|taken| taken == needed)
    {
        errors.push(error::parameters(&name, needed, first, at));
        return natives;
    }
    let code = Arc::clone(code);
    let results = signature.results.clone();
    match role {
        Role::Constraint if results.is_empty() || results == [Some(Kind::Bool)] => {
            let signature = Signature { results: Vec::new(), ..signature };
            natives.constraint_with(&name, signature, true, move |ir, args| {
                let value = code.ask(&function, place, ir, args)?;
                let Ok(holds) = value.as_bool() else {
                    let actual = value::describe::<H>(&value);
                    code.fail(&format!("it returns {actual}, not a boolean"), place);
                    return None;
                };
                holds.then(Vec::new)
            })
        }
        Role::Constraint => natives.constraint_with(&name, signature, true, move |ir, args| {
            let value = code.ask(&function, place, ir, args).filter(|value| !value.is_unit())?;
            answer::from_script_all(ir, value, &results).map_err(|wrong| code.fail(&wrong, place)).ok()
        }),
        Role::Rewrite => natives.rewrite_with(&name, signature, move |rewriter, args| {
            let value = code.run(
                &function,
                place,
                |call| answer::all_to_script(call, args),
                |call, query| answer::answer_mut(rewriter, call, query),
            )?;
            answer::from_script_all(rewriter.host(), value, &results)
                .map_err(|wrong| code.fail(&wrong, place))
        }),
        Role::Hook(hook, for_trait) => {
            hooks::register(natives, code, hook, for_trait, &name, function, place)
        }
    }
}
