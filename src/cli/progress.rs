//! A sign of life for what takes over a second, on a terminal only.

use std::sync::mpsc::{Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget};

/// How long nothing is shown.
const PATIENCE: Duration = Duration::from_secs(1);
const TICK: Duration = Duration::from_millis(120);

/// Says on standard error what is going on, once it has taken a second; gone when it is dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Dropped to end the thread that waits.
    wait: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Shows nothing ever if `shown` is false.
    pub(super) fn new(shown: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let wait = shown.then(|| {
            let (sender, ended) = channel::<()>();
            let bar = bar.clone();
            let thread = std::thread::spawn(move || {
                if ended.recv_timeout(PATIENCE) == Err(std::sync::mpsc::RecvTimeoutError::Timeout) {
                    bar.set_draw_target(ProgressDrawTarget::stderr());
                    bar.enable_steady_tick(TICK);
                }
            });
            (sender, thread)
        });
        Self { bar, wait }
    }

    /// Another part of the work begins.
    pub(super) fn phase(&self, what: &'static str) {
        self.bar.set_message(what);
    }

    /// Does something that writes to the terminal.
    pub(super) fn aside<T>(&self, write: impl FnOnce() -> T) -> T {
        self.bar.suspend(write)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((sender, thread)) = self.wait.take() {
            drop(sender);
            let _ = thread.join();
        }
        self.bar.finish_and_clear();
    }
}
