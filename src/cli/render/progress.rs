//! What is going on, while it goes on: one line on a terminal, and only once it has taken half a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::ProgressEvent;

/// How long something may take before it is worth a line.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// A line with the current download.
pub(in crate::cli) struct ProgressLine {
    enabled: bool,
    running: Mutex<Option<ActiveProgress>>,
}

struct ActiveProgress {
    bar: ProgressBar,
    sources: usize,
    bytes: u64,
    ended: Arc<Mutex<bool>>,
}

impl ProgressLine {
    pub(crate) fn new(enabled: bool) -> Self {
        ProgressLine {
            enabled,
            running: Mutex::new(None),
        }
    }

    /// Takes note of an event.
    pub(crate) fn on_event(&self, event: &ProgressEvent) {
        if !self.enabled {
            return;
        }

        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            ProgressEvent::Fetching { .. } => {
                // One line for all sources, which are fetched side by side.
                let running = running.get_or_insert_with(ActiveProgress::start);
                running.sources += 1;
                running.update_message();
            }
            ProgressEvent::Received { bytes } => {
                if let Some(running) = running.as_mut() {
                    running.bytes += bytes;
                    running.update_message();
                }
            }
            ProgressEvent::Fetched => drop(running.take()),
            _ => {}
        }
    }

    /// Prints something without tearing the line.
    pub(crate) fn suspend_while(&self, print: impl FnOnce()) {
        let bar = self
            .running
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(|running| running.bar.clone());
        // The spinner draws from its own thread, so output has to wait for it.
        match bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the line away.
    pub(crate) fn stop(&self) {
        drop(
            self.running
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .take(),
        );
    }
}

impl ActiveProgress {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());

        let style = ProgressStyle::with_template("{spinner:.cyan} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(style);

        let ended = Arc::new(Mutex::new(false));
        // A thread and no check on events: a slow server sends none.
        let (shown, over) = (bar.clone(), ended.clone());
        std::thread::spawn(move || Self::show_later(&shown, &over));

        ActiveProgress {
            bar,
            sources: 0,
            bytes: 0,
            ended,
        }
    }

    /// Shows the line of a command that takes long.
    fn show_later(bar: &ProgressBar, ended: &Mutex<bool>) {
        std::thread::sleep(SHOW_AFTER);
        // The command may have ended while this thread slept.
        if !*ended.lock().unwrap_or_else(PoisonError::into_inner) {
            bar.set_draw_target(ProgressDrawTarget::stderr());
            bar.enable_steady_tick(Duration::from_millis(100));
        }
    }

    fn update_message(&self) {
        let places = if self.sources == 1 {
            "1 source".to_owned()
        } else {
            format!("{} sources", self.sources)
        };

        let bytes = if self.bytes == 0 {
            String::new()
        } else {
            format!(", {}", HumanBytes(self.bytes))
        };

        self.bar
            .set_message(format!("fetching from {places}{bytes}"));
    }
}

impl Drop for ActiveProgress {
    fn drop(&mut self) {
        // Set before the bar is cleared: the thread would show it again otherwise.
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bar.finish_and_clear();
    }
}
