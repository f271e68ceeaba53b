//! What is going on, while it goes on: on a terminal, and only once it has taken half a second, a line for each source with
//! what it has sent and how fast, and a line with the sum.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::human::plural;
use crate::io::traffic::{SourceTraffic, TrafficLog};
use crate::report::ProgressEvent;

/// How long something may take before it is worth a line.
const SHOW_AFTER: Duration = Duration::from_millis(500);

/// How often the lines change.
const TICK: Duration = Duration::from_millis(100);

/// Most sources with a line of their own: fewer than a small terminal has lines.
const LINES_MAX: usize = 8;

/// The lines of the sources that are asked.
pub(in crate::cli) struct ProgressLines {
    enabled: bool,
    traffic: TrafficLog,
    running: Mutex<Option<ActiveProgress>>,
}

struct ActiveProgress {
    lines: MultiProgress,
    state: Arc<Mutex<ProgressState>>,
    begun: Instant,
}

#[derive(Default)]
struct ProgressState {
    sources: usize,
    is_shown: bool,
    is_over: bool,
}

impl ProgressLines {
    pub(crate) fn new(enabled: bool, traffic: TrafficLog) -> Self {
        ProgressLines {
            enabled,
            traffic,
            running: Mutex::new(None),
        }
    }

    /// Takes note of an event. The result is what was fetched, once all fetches are over that took long enough for lines.
    pub(crate) fn on_event(&self, event: &ProgressEvent) -> Option<String> {
        if !self.enabled {
            return None;
        }

        let mut running = lock(&self.running);
        match event {
            ProgressEvent::Fetching { .. } => {
                let running =
                    running.get_or_insert_with(|| ActiveProgress::start(self.traffic.clone()));
                lock(&running.state).sources += 1;
                None
            }
            ProgressEvent::Fetched => running.take()?.describe_end(&self.traffic),
            _ => None,
        }
    }

    /// Prints something without tearing the lines.
    pub(crate) fn suspend_while(&self, print: impl FnOnce()) {
        let lines = lock(&self.running)
            .as_ref()
            .map(|running| running.lines.clone());
        // The lines are drawn by a thread of their own, so output has to wait for it.
        match lines {
            Some(lines) => lines.suspend(print),
            None => print(),
        }
    }

    /// Takes the lines away.
    pub(crate) fn stop(&self) {
        drop(lock(&self.running).take());
    }
}

impl ActiveProgress {
    fn start(traffic: TrafficLog) -> Self {
        let lines = MultiProgress::with_draw_target(ProgressDrawTarget::hidden());
        let state = Arc::new(Mutex::new(ProgressState::default()));

        // A thread and no check on events: a slow server sends none.
        let (shown, shared) = (lines.clone(), state.clone());
        std::thread::spawn(move || draw_until_over(&shown, &shared, &traffic));
        ActiveProgress {
            lines,
            state,
            begun: Instant::now(),
        }
    }

    /// `3 sources, 14 requests, 12.3 MiB in 2.4 s`; `None` if it was over before the lines were shown.
    fn describe_end(&self, traffic: &TrafficLog) -> Option<String> {
        let state = lock(&self.state);
        if !state.is_shown {
            return None;
        }

        let all = sum(&traffic.sources());
        let requests = usize::try_from(all.requests).unwrap_or(usize::MAX);
        Some(format!(
            "{}, {}, {} in {:.1} s",
            plural(state.sources, "source"),
            plural(requests, "request"),
            HumanBytes(all.bytes),
            self.begun.elapsed().as_secs_f64()
        ))
    }
}

impl Drop for ActiveProgress {
    fn drop(&mut self) {
        let mut state = lock(&self.state);
        // Set before the lines are cleared: the thread would draw them again otherwise.
        state.is_over = true;
        if state.is_shown {
            let _ = self.lines.clear();
        }
    }
}

/// Draws the lines of a command that takes long.
fn draw_until_over(lines: &MultiProgress, state: &Mutex<ProgressState>, traffic: &TrafficLog) {
    let begun = Instant::now();
    std::thread::sleep(SHOW_AFTER);

    let mut drawn = DrawnLines::new(lines);
    loop {
        {
            let mut state = lock(state);
            // The command may have ended while this thread slept.
            if state.is_over {
                return;
            }
            if !state.is_shown {
                state.is_shown = true;
                lines.set_draw_target(ProgressDrawTarget::stderr());
            }
            drawn.update(&traffic.sources(), state.sources, begun.elapsed());
        }
        std::thread::sleep(TICK);
    }
}

/// The lines on the terminal.
struct DrawnLines<'l> {
    lines: &'l MultiProgress,
    total: ProgressBar,
    by_source: BTreeMap<String, ProgressBar>,
}

impl<'l> DrawnLines<'l> {
    fn new(lines: &'l MultiProgress) -> Self {
        DrawnLines {
            lines,
            total: lines.add(new_line("{spinner:.cyan} {msg}")),
            by_source: BTreeMap::new(),
        }
    }

    fn update(
        &mut self,
        sources: &BTreeMap<String, SourceTraffic>,
        fetched: usize,
        elapsed: Duration,
    ) {
        // A source that has nothing more to send leaves its line to others.
        self.by_source.retain(|source, line| {
            let is_active = sources
                .get(source)
                .is_some_and(|traffic| traffic.active > 0);
            if !is_active {
                line.finish_and_clear();
                self.lines.remove(line);
            }
            is_active
        });

        for (source, traffic) in sources.iter().filter(|(_, traffic)| traffic.active > 0) {
            if !self.by_source.contains_key(source) && self.by_source.len() < LINES_MAX {
                let line = self.lines.insert_before(&self.total, new_line("  {msg}"));
                self.by_source.insert(source.clone(), line);
            }
            if let Some(line) = self.by_source.get(source) {
                line.set_message(format!("{source}  {}", describe_traffic(traffic, elapsed)));
            }
        }

        let all = sum(sources);
        let places = plural(fetched, "source");
        let traffic = describe_traffic(&all, elapsed);
        self.total
            .set_message(format!("fetching from {places}  {traffic}"));
        self.total.tick();
    }
}

fn new_line(template: &str) -> ProgressBar {
    let style =
        ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner());
    ProgressBar::new_spinner().with_style(style)
}

/// All sources together; the rest is known if it is of each that is active.
fn sum(sources: &BTreeMap<String, SourceTraffic>) -> SourceTraffic {
    let mut all = SourceTraffic {
        remaining: Some(0),
        ..SourceTraffic::default()
    };
    for traffic in sources.values() {
        all.requests += traffic.requests;
        all.bytes += traffic.bytes;
        all.active += traffic.active;
        if traffic.active > 0 {
            let known = all.remaining.zip(traffic.remaining);
            all.remaining = known.map(|(left, more)| left + more);
        }
    }
    all
}

/// `3.2 MiB, 1.1 MiB/s, 4 s left`
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate is shown with two digits"
)]
fn describe_traffic(traffic: &SourceTraffic, elapsed: Duration) -> String {
    if traffic.bytes == 0 {
        return "waiting for an answer".to_owned();
    }

    let rate = traffic.bytes as f64 / elapsed.as_secs_f64().max(0.1);
    let mut text = format!(
        "{}, {}/s",
        HumanBytes(traffic.bytes),
        HumanBytes(rate as u64)
    );
    if let Some(left) = traffic.remaining.filter(|left| *left > 0 && rate > 1.0) {
        text.push_str(&format!(", {} s left", (left as f64 / rate).ceil() as u64));
    }
    text
}

/// A panic while drawing leaves nothing that later lines depend on.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn traffic(bytes: u64, remaining: Option<u64>) -> SourceTraffic {
        SourceTraffic {
            active: 1,
            requests: 1,
            bytes,
            remaining,
            ..SourceTraffic::default()
        }
    }

    #[test]
    fn time_left_is_shown_where_the_rest_is_known() {
        let second = Duration::from_secs(1);
        let describe = |bytes, rest| describe_traffic(&traffic(bytes, rest), second);
        assert_eq!(describe(0, None), "waiting for an answer");
        assert_eq!(describe(2048, None), "2.00 KiB, 2.00 KiB/s");
        assert_eq!(describe(2048, Some(5000)), "2.00 KiB, 2.00 KiB/s, 3 s left");
    }

    #[test]
    fn rest_of_all_is_unknown_if_that_of_one_is() {
        let of = |rest: [Option<u64>; 2]| {
            let sources = rest
                .iter()
                .enumerate()
                .map(|(at, rest)| (at.to_string(), traffic(10, *rest)));
            let all = sum(&sources.collect());
            (all.bytes, all.remaining)
        };
        assert_eq!(of([Some(1), Some(2)]), (20, Some(3)));
        assert_eq!(of([Some(1), None]), (20, None));
    }
}
