//! A progress indicator on terminals, for commands that take more than a second.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

/// The time before the indicator appears.
const DELAY: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// A display of the current phase on standard error. It is removed when this value is dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    /// The thread that shows the indicator after the delay, and the sender whose drop ends the delay early.
    timer: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Creates an indicator, which never appears if `shown` is false.
    pub(super) fn new(shown: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let timer = shown.then(|| {
            let (sender, ended) = channel::<()>();
            let bar = bar.clone();
            let thread = std::thread::spawn(move || {
                if ended.recv_timeout(DELAY) == Err(RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
            (sender, thread)
        });
        Self { bar, timer }
    }

    /// Names the current phase.
    pub(super) fn phase(&self, name: &'static str) {
        self.bar.set_message(name);
    }

    /// Hides the indicator while `write` writes to the terminal.
    pub(super) fn suspend<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.timer.take() {
            drop(sender);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
