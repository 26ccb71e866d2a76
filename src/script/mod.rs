//! Natives written in a script language, for those who have only the command line.
//!
//! Specification: a script's native takes and gives what its signature says, and does what one in Rust
//! would do that asks the host the same things; it has no other way to see or change anything.
//!
//! The text of a file goes in; [`Natives`] come out. The language is Rhai. A file is run once when it is
//! loaded, and then calls `constraint`, `rewrite` and `type_inference`, each with a name, a signature as
//! `drrvm check` prints it, and a function. Scripts have bounds: steps, nesting, sizes of what they
//! make, and how much they ask of the host. What is wrong with a script while it runs makes a constraint
//! not hold and a rewrite refuse, and is kept to be reported ([`Script::diagnostics`]).

mod call;
mod error;
mod host;
mod signature;
mod value;

use std::sync::{Arc, Mutex, PoisonError};

use rhai::{AST, Dynamic, Engine, FnPtr, NativeCallContext, Position};

use call::{AskOf, Call};
use value::Maker;

use crate::host::{Entity, Facets, IrMut, Kind, Natives, Refusal, Signature};
use crate::source::{Diagnostic, Diagnostics, SourceFile, Span};

/// Steps of one run of a function.
const STEPS: u64 = 1_000_000;
/// What a call may ask of the host, each thing once.
const ASKS: u32 = 1_000;
/// How deep functions may call each other, and expressions nest.
const CALLS: usize = 24;
const EXPRESSIONS: usize = 48;
/// Bytes of a string, entries of an array or map.
const STRING: usize = 1 << 20;
const ARRAY: usize = 100_000;
/// Faults that are kept to be reported.
const FAULTS: usize = 100;

/// A loaded file.
pub struct Script<H: Facets + IrMut> {
    natives: Natives<H>,
    faults: Arc<Faults>,
}

/// What went wrong while functions ran, each place once.
#[derive(Default)]
struct Faults {
    diagnostics: Mutex<Diagnostics>,
}

impl Faults {
    fn add(&self, fault: Diagnostic) {
        let mut diagnostics = self.diagnostics.lock().unwrap_or_else(PoisonError::into_inner);
        let known =
            diagnostics.iter().any(|known| known.message == fault.message && known.labels == fault.labels);
        if !known && diagnostics.len() < FAULTS {
            diagnostics.push(fault);
        }
    }
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
    /// The file is no script, fails while it is run, or registers something that is no native.
    pub fn load(file: &SourceFile) -> Result<Self, Diagnostics> {
        let registered = Arc::new(Mutex::new(Vec::new()));
        let mut engine = engine::<H>();
        for role in [Role::Constraint, Role::Rewrite, Role::TypeInference] {
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
        let faults = Arc::new(Faults::default());
        let code = Arc::new(Code {
            engine,
            ast,
            faults: Arc::clone(&faults),
            name: file.name().to_owned(),
            text: Arc::clone(file.text()),
            base: file.span(0..0).lo,
        });
        let mut natives = Natives::new();
        let mut errors = Diagnostics::default();
        let mut seen: Vec<(Role, String)> = Vec::new();
        for registered in all {
            let at = span(file, registered.at);
            let key = (registered.role, registered.name.clone());
            if seen.contains(&key) {
                errors.push(error::twice(&registered.name, at));
                continue;
            }
            seen.push(key);
            match signature::parse(&registered.signature) {
                Ok(signature) => natives = with(natives, &code, registered, signature, at, &mut errors),
                Err(word) => errors.push(error::signature(&registered.signature, &word, at)),
            }
        }
        if errors.has_errors() { Err(errors) } else { Ok(Self { natives, faults }) }
    }

    /// The natives that the file registers.
    pub fn natives(&self) -> Natives<H> {
        self.natives.clone()
    }

    /// What went wrong so far while its functions ran: a warning for each place.
    pub fn diagnostics(&self) -> Diagnostics {
        self.faults.diagnostics.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn engine<H: Facets + IrMut>() -> Engine {
    let mut engine = Engine::new();
    engine.set_max_operations(STEPS);
    engine.set_max_call_levels(CALLS);
    engine.set_max_expr_depths(EXPRESSIONS, EXPRESSIONS);
    engine.set_max_string_size(STRING);
    engine.set_max_array_size(ARRAY);
    engine.set_max_map_size(ARRAY);
    engine.disable_symbol("eval");
    engine.on_print(|_| {});
    engine.on_debug(|_, _, _| {});
    value::register::<H>(&mut engine);
    Maker::<H>::register(&mut engine);
    engine
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Constraint,
    Rewrite,
    TypeInference,
}

/// What a file asked to register.
struct Registered {
    role: Role,
    name: String,
    signature: String,
    function: FnPtr,
    at: Position,
}

fn register_role(engine: &mut Engine, role: Role, into: &Arc<Mutex<Vec<Registered>>>) {
    let add = |into: &Mutex<Vec<Registered>>, registered: Registered| {
        into.lock().unwrap_or_else(PoisonError::into_inner).push(registered);
    };
    let into = Arc::clone(into);
    let (word, inferred) = match role {
        Role::Constraint => ("constraint", None),
        Role::Rewrite => ("rewrite", None),
        Role::TypeInference => {
            ("type_inference", Some("(range of values, range of attributes) -> range of types"))
        }
    };
    match inferred {
        None => {
            engine.register_fn(
                word,
                move |context: NativeCallContext<'_>, name: &str, signature: &str, function: FnPtr| {
                    let (name, signature) = (name.to_owned(), signature.to_owned());
                    add(&into, Registered { role, name, signature, function, at: context.call_position() });
                },
            );
        }
        Some(signature) => {
            engine.register_fn(word, move |context: NativeCallContext<'_>, name: &str, function: FnPtr| {
                let (name, signature) = (name.to_owned(), signature.to_owned());
                add(&into, Registered { role, name, signature, function, at: context.call_position() });
            });
        }
    }
}

/// A loaded file's functions, and what they run in.
struct Code {
    engine: Engine,
    ast: AST,
    faults: Arc<Faults>,
    name: String,
    text: Arc<str>,
    /// Where the file starts in its source map.
    base: u32,
}

impl Code {
    /// Runs a function as often as it takes to answer all that it asks.
    ///
    /// What fails without a place of its own is said to have failed at `place`.
    fn run<H: Facets + IrMut>(
        &self,
        function: &FnPtr,
        place: Position,
        given: impl Fn(&Arc<Call<H>>) -> Vec<Dynamic>,
        answer: impl FnMut(&Arc<Call<H>>, &AskOf<H>) -> Result<Dynamic, String>,
    ) -> Result<Dynamic, Refusal> {
        let call = Call::new();
        let given = self.run_in(&call, function, place, given, answer);
        call.forget();
        given
    }

    fn run_in<H: Facets + IrMut>(
        &self,
        call: &Arc<Call<H>>,
        function: &FnPtr,
        place: Position,
        given: impl Fn(&Arc<Call<H>>) -> Vec<Dynamic>,
        mut answer: impl FnMut(&Arc<Call<H>>, &AskOf<H>) -> Result<Dynamic, String>,
    ) -> Result<Dynamic, Refusal> {
        for _ in 0..ASKS {
            call.restart();
            let mut args = vec![Dynamic::from(Maker::new(call))];
            args.append(&mut given(call));
            let failed = match function.call::<Dynamic>(&self.engine, &self.ast, args) {
                Ok(value) => return Ok(value),
                Err(failed) => failed,
            };
            match call.wanted() {
                Some(ask) => match answer(call, &ask) {
                    Ok(answer) => call.tell(ask, answer),
                    Err(reason) => return Err(self.fault(&reason, or(innermost(&failed), place))),
                },
                None => return Err(self.fault(&message(&failed), or(innermost(&failed), place))),
            }
        }
        Err(self.fault(&format!("it asks more than {ASKS} things of the IR"), place))
    }

    /// Runs the function of a constraint; `None` if it fails.
    fn ask<H: Facets + IrMut>(
        &self,
        function: &FnPtr,
        place: Position,
        ir: &H,
        args: &[Entity<H>],
    ) -> Option<Dynamic> {
        let given = |call: &Arc<Call<H>>| host::all_to_script(call, args);
        self.run(function, place, given, |call, ask| host::answer(ir, call, ask)).ok()
    }

    /// Keeps what went wrong to be reported, and refuses.
    fn fault(&self, message: &str, at: Position) -> Refusal {
        let place = place(&self.text, self.base, at);
        self.faults.add(error::while_running(message, place));
        match (at.line(), at.position()) {
            (Some(line), Some(column)) => Refusal::new(format!("{}:{line}:{column}: {message}", self.name)),
            _ => Refusal::new(format!("{}: {message}", self.name)),
        }
    }
}

/// A set of natives with one more.
fn with<H: Facets + IrMut>(
    natives: Natives<H>,
    code: &Arc<Code>,
    registered: Registered,
    signature: Signature,
    at: Span,
    errors: &mut Diagnostics,
) -> Natives<H> {
    let Registered { role, name, function, at: place, .. } = registered;
    let given = signature.params.as_ref().map_or(0, Vec::len) + 1;
    let taken = code.ast.iter_functions().find(|f| f.name == function.fn_name()).map(|f| f.params.len());
    let taken = taken.map(|taken| taken - function.curry().len().min(taken));
    if taken.is_some_and(|taken| taken != given) {
        errors.push(error::parameters(&name, given, taken.unwrap_or(0), at));
        return natives;
    }
    let code = Arc::clone(code);
    let results = signature.results.clone();
    match role {
        Role::Constraint if results.is_empty() || results == [Kind::Bool] => {
            let signature = Signature { results: Vec::new(), ..signature };
            natives.constraint_with(&name, signature, true, move |ir, args| {
                let value = code.ask(&function, place, ir, args)?;
                let Ok(holds) = value.as_bool() else {
                    let given = host::shown::<H>(&value);
                    code.fault(&format!("it gives {given}, not a boolean"), place);
                    return None;
                };
                holds.then(Vec::new)
            })
        }
        Role::Constraint => natives.constraint_with(&name, signature, true, move |ir, args| {
            let value = code.ask(&function, place, ir, args).filter(|value| !value.is_unit())?;
            let given = host::from_script_all(ir, value, &results);
            given.map_err(|wrong| code.fault(&wrong, place)).ok()
        }),
        Role::Rewrite => natives.rewrite_with(&name, signature, move |rewriter, args| {
            let value = code.run(
                &function,
                place,
                |call| host::all_to_script(call, args),
                |call, ask| host::answer_mut(rewriter, call, ask),
            )?;
            host::from_script_all(rewriter.host(), value, &results).map_err(|wrong| code.fault(&wrong, place))
        }),
        Role::TypeInference => natives.type_inference(&name, move |ir, new| {
            let value = code.run(
                &function,
                place,
                |call| host::new_op_to_script(call, new),
                |call, ask| host::answer_making(ir, call, ask),
            )?;
            match host::from_script_all(ir, value, &[Kind::Types])
                .map_err(|wrong| code.fault(&wrong, place))?
                .pop()
            {
                Some(Entity::Types(types)) => Ok(types),
                _ => Err(code.fault("it gives no types", place)),
            }
        }),
    }
}

fn or(at: Position, place: Position) -> Position {
    if at.is_none() { place } else { at }
}

/// Where the innermost call failed.
fn innermost(error: &rhai::EvalAltResult) -> Position {
    match error {
        rhai::EvalAltResult::ErrorInFunctionCall(_, _, inner, at) => {
            let inner = innermost(inner);
            if inner.is_none() { *at } else { inner }
        }
        other => other.position(),
    }
}

/// What failed, without the places: these are shown.
fn message(error: &rhai::EvalAltResult) -> String {
    match error {
        rhai::EvalAltResult::ErrorInFunctionCall(_, _, inner, _) => message(inner),
        rhai::EvalAltResult::ErrorTooManyOperations(_) => format!("it takes more than {STEPS} steps"),
        rhai::EvalAltResult::ErrorStackOverflow(_) => {
            format!("functions call each other more than {CALLS} deep")
        }
        other => {
            let text = other.to_string();
            text.split(" (line ").next().unwrap_or(&text).to_owned()
        }
    }
}

fn span(file: &SourceFile, at: Position) -> Span {
    place(file.text(), file.span(0..0).lo, at)
}

/// The word at a place.
fn place(text: &str, base: u32, at: Position) -> Span {
    let (Some(line), column) = (at.line(), at.position().unwrap_or(1)) else { return Span::NONE };
    let Some(start) =
        text.split_inclusive('\n').take(line - 1).map(str::len).reduce(|a, b| a + b).or(Some(0))
    else {
        return Span::NONE;
    };
    let rest = text.get(start..).unwrap_or("");
    let skipped: usize = rest.chars().take(column.saturating_sub(1)).map(char::len_utf8).sum();
    let word = rest[skipped..].chars().take_while(|c| c.is_alphanumeric() || *c == '_');
    let length = word.map(char::len_utf8).sum::<usize>().max(1);
    let number = |n: usize| u32::try_from(n).ok().and_then(|n| base.checked_add(n));
    match (number(start + skipped), number((start + skipped + length).min(text.len()))) {
        (Some(lo), Some(hi)) => Span { lo, hi: hi.max(lo) },
        _ => Span::NONE,
    }
}
