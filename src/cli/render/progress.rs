//! What is going on, while it goes on: one line on a terminal, and only once it has taken half a second.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::Event;

/// How long something may take before it is worth a line.
const PATIENCE: Duration = Duration::from_millis(500);

/// A line that says what is being fetched.
pub(in crate::cli) struct Progress {
    enabled: bool,
    running: Mutex<Option<Running>>,
}

struct Running {
    bar: ProgressBar,
    places: usize,
    bytes: u64,
    ended: Arc<Mutex<bool>>,
}

impl Progress {
    pub(crate) fn new(enabled: bool) -> Self {
        Progress { enabled, running: Mutex::new(None) }
    }

    /// Takes note of an event.
    pub(crate) fn hear(&self, event: &Event) {
        if !self.enabled {
            return;
        }
        let mut running = self.running.lock().unwrap_or_else(PoisonError::into_inner);
        match event {
            Event::Fetching { .. } => {
                let running = running.get_or_insert_with(Running::start);
                running.places += 1;
                running.tell();
            }
            Event::Received { bytes } => {
                if let Some(running) = running.as_mut() {
                    running.bytes += bytes;
                    running.tell();
                }
            }
            Event::Fetched => drop(running.take()),
            _ => {}
        }
    }

    /// Prints something without tearing the line.
    pub(crate) fn around(&self, print: impl FnOnce()) {
        let bar =
            self.running.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(|running| running.bar.clone());
        match bar {
            Some(bar) => bar.suspend(print),
            None => print(),
        }
    }

    /// Takes the line away.
    pub(crate) fn stop(&self) {
        drop(self.running.lock().unwrap_or_else(PoisonError::into_inner).take());
    }
}

impl Running {
    fn start() -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let style =
            ProgressStyle::with_template("{spinner:.cyan} {msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        bar.set_style(style);
        let ended = Arc::new(Mutex::new(false));
        let (shown, over) = (bar.clone(), ended.clone());
        std::thread::spawn(move || {
            std::thread::sleep(PATIENCE);
            if !*over.lock().unwrap_or_else(PoisonError::into_inner) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(100));
            }
        });
        Running { bar, places: 0, bytes: 0, ended }
    }

    fn tell(&self) {
        let places = if self.places == 1 { "1 source".to_owned() } else { format!("{} sources", self.places) };
        let bytes = if self.bytes == 0 { String::new() } else { format!(", {}", HumanBytes(self.bytes)) };
        self.bar.set_message(format!("fetching from {places}{bytes}"));
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.bar.finish_and_clear();
    }
}
