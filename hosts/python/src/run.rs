//! Long computations that Python can interrupt.
//!
//! A computation runs without the interpreter lock. Every 20 ms it takes the lock and handles signals, so Ctrl-C raises
//! `KeyboardInterrupt`. An exception in a native or a signal handler is kept in the [`Run`], and the driver stops.
//!
//! Copying, verifying or printing a large module takes longer than these 20 ms, and does not check for signals. Another
//! thread does this work, and the thread of the caller only handles signals. Rules that call Python functions match and
//! rewrite on the thread of the caller.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use drrvm::rewrite::Interrupt;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The time between two checks for signals.
const PAUSE: Duration = Duration::from_millis(20);
/// The number of calls of [`Run::must_stop`] between two readings of the clock.
const VISITS: u32 = 64;

/// Locks a mutex, even after a panic of another thread.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One run of a driver.
pub(crate) struct Run {
    failure: Mutex<Option<PyErr>>,
    visits: AtomicU32,
    looked: Mutex<Instant>,
    /// The thread that handles signals.
    thread: ThreadId,
}

thread_local! {
    /// The runs of this thread, the innermost last: a native can start another run.
    static RUNS: RefCell<Vec<Arc<Run>>> = const { RefCell::new(Vec::new()) };
}

impl Run {
    /// Calls `drive` without the interpreter lock.
    ///
    /// # Errors
    /// The exception that stopped the run, from a native or a signal handler.
    pub(crate) fn drive<T: Send>(py: Python<'_>, drive: impl FnOnce(&Arc<Run>) -> T + Send) -> PyResult<T> {
        let run = Arc::new(Self::new());
        let result = py.detach(|| run.enter(drive));
        run.unless_failed(result)
    }

    /// Like [`drive`](Self::drive), but in another thread if `apart` is true.
    ///
    /// # Errors
    /// The exception that stopped the run, from a native or a signal handler. The other thread stops when it next polls
    /// its interrupt, and its result is dropped.
    pub(crate) fn drive_apart<T: Send + 'static>(
        py: Python<'_>,
        apart: bool,
        drive: impl FnOnce(&Arc<Run>) -> T + Send + 'static,
    ) -> PyResult<T> {
        let run = Arc::new(Self::new());
        if !apart {
            let result = py.detach(|| run.enter(drive));
            let Some(failure) = lock(&run.failure).take() else { return Ok(result) };
            // Freeing a large module takes long. If no thread can be started, the current thread frees it.
            let _ = thread::Builder::new().spawn(move || drop(result));
            return Err(failure);
        }
        let theirs = run.clone();
        let result = compute(py, true, move || theirs.enter(drive));
        run.unless_failed(result.inspect_err(|error| run.fail(error.clone_ref(py)))?)
    }

    /// Calls `drive`. Natives that it calls find this run.
    fn enter<T>(self: &Arc<Self>, drive: impl FnOnce(&Arc<Run>) -> T) -> T {
        RUNS.with_borrow_mut(|runs| runs.push(self.clone()));
        let _pop = Pop;
        drive(self)
    }

    /// The result, or the exception that stopped the run.
    fn unless_failed<T>(&self, result: T) -> PyResult<T> {
        lock(&self.failure).take().map_or(Ok(result), Err)
    }

    fn new() -> Self {
        Self {
            failure: Mutex::default(),
            visits: AtomicU32::new(0),
            looked: Mutex::new(Instant::now()),
            thread: thread::current().id(),
        }
    }

    /// The innermost run of this thread.
    pub(crate) fn current() -> Option<Arc<Run>> {
        RUNS.with_borrow(|runs| runs.last().cloned())
    }

    /// Keeps the first exception, which stops the run.
    pub(crate) fn fail(&self, error: PyErr) {
        lock(&self.failure).get_or_insert(error);
    }

    /// True after an exception.
    pub(crate) fn has_failed(&self) -> bool {
        lock(&self.failure).is_some()
    }

    /// The interrupt that stops the driver of this run.
    pub(crate) fn interrupt(self: &Arc<Self>) -> Interrupt {
        let run = self.clone();
        Interrupt::new(move || run.must_stop())
    }

    /// An interrupt that is polled rarely, possibly by several threads.
    pub(crate) fn rare_interrupt(self: &Arc<Self>) -> Interrupt {
        let run = self.clone();
        Interrupt::new(move || run.look())
    }

    /// Handles signals from time to time. Returns true if the run must stop.
    pub(crate) fn must_stop(&self) -> bool {
        if self.visits.fetch_add(1, Ordering::Relaxed).is_multiple_of(VISITS) {
            return self.look();
        }
        self.has_failed()
    }

    /// Handles signals if [`PAUSE`] has passed since the last check. Returns true if the run must stop.
    fn look(&self) -> bool {
        if thread::current().id() == self.thread {
            let mut looked = lock(&self.looked);
            if looked.elapsed() >= PAUSE {
                *looked = Instant::now();
                drop(looked);
                if let Err(error) = Python::attach(|py| py.check_signals()) {
                    self.fail(error);
                }
            }
        }
        self.has_failed()
    }
}

/// Ends the innermost run of this thread, even after a panic.
struct Pop;

impl Drop for Pop {
    fn drop(&mut self) {
        RUNS.with_borrow_mut(Vec::pop);
    }
}

/// The number of bytes above which a text is processed in another thread, so that signals can end the computation.
pub(crate) const LARGE: usize = 1 << 20;

/// Runs `work`, which cannot be stopped. If `large` is true, another thread runs it. If a signal handler raises an
/// exception, the result of that thread is dropped.
pub(crate) fn compute<T: Send + 'static>(
    py: Python<'_>,
    large: bool,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    if !large {
        return Ok(py.detach(work));
    }
    let (send, receive) = channel();
    let spawned = thread::Builder::new().spawn(move || {
        // Nobody receives the result after an exception.
        let _ = send.send(work());
    });
    spawned.map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))?;
    let receive = Mutex::new(receive);
    loop {
        match py.detach(|| lock(&receive).recv_timeout(PAUSE)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("a bug in drrvm: a thread panicked"));
            }
        }
    }
}
