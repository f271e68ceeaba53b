//! Watches paths for changes: by events of the system, or by polling.
//!
//! ```text
//! watch_paths(paths) ──▶ every directory below them is watched; for a missing path, its nearest existing parent
//! wait()             ──▶ a relevant event, then quiet for half a second ──▶ WakeReason::Changed
//! ```
//!
//! Directories are watched one by one, each before its names are read, so that nothing that appears meanwhile is
//! missed. Links are followed only from a directory of skills to a skill. Paths that cannot be watched (on a network
//! file system, or more directories than the system allows) are polled. As events can get lost, there is a rescan
//! now and then in any case.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::{disk, platform};

/// How long there must be no event before a change counts as finished.
pub const DEBOUNCE: Duration = Duration::from_millis(500);
/// Longest wait for that, while events keep coming.
const DEBOUNCE_MAX: Duration = Duration::from_secs(3);
/// Time between rescans without any event.
const RESCAN_INTERVAL: Duration = Duration::from_secs(30);
/// Time between two polls.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Most directories that are watched.
const DIRECTORIES_MAX: usize = 1 << 16;
/// Most levels that are watched below a path.
const DEPTH_MAX: usize = 17;

/// How changes are noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WatchMode {
    /// By events of the system.
    Events,
    /// By polling.
    Polling {
        /// The pause between two polls.
        every: Duration,
        /// Why events are not used; `None` if polling was requested.
        why: Option<String>,
    },
}

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    /// Something may have changed.
    Changed,
    /// A [`WatchStopper`] ended it.
    Stopped,
    /// The time is up.
    TimeUp,
}

/// Waits for changes.
#[derive(Debug)]
pub struct FileWatch {
    mode: WatchMode,
    watcher: Option<RecommendedWatcher>,
    /// The watched paths, with links resolved.
    paths: Vec<PathBuf>,
    watched: BTreeSet<PathBuf>,
    /// Whether there may be directories that are not watched yet.
    is_stale: bool,
    sender: Sender<WatchSignal>,
    signals: Receiver<WatchSignal>,
    debounce: Duration,
}

#[derive(Debug)]
enum WatchSignal {
    /// An event at these paths; `renamed` if they may name another file now.
    Event {
        paths: Vec<PathBuf>,
        renamed: bool,
    },
    /// Events were lost, or the watcher failed.
    Unknown,
    Stop,
}

/// Ends the wait of a [`FileWatch`], from any thread.
#[derive(Debug, Clone)]
pub struct WatchStopper(Sender<WatchSignal>);

impl WatchStopper {
    /// Ends the current [`FileWatch::wait`], or the next one if none is running.
    pub fn stop(&self) {
        // Without a receiver, the watch has ended already.
        let _ = self.0.send(WatchSignal::Stop);
    }
}

impl FileWatch {
    /// Creates a watch without paths; it polls if the system provides no events.
    #[must_use]
    pub fn new(mode: WatchMode, debounce: Duration) -> Self {
        let (sender, signals) = mpsc::channel();
        let mut watch = FileWatch {
            mode,
            watcher: None,
            paths: Vec::new(),
            watched: BTreeSet::new(),
            is_stale: true,
            sender: sender.clone(),
            signals,
            debounce,
        };

        if watch.mode == WatchMode::Events {
            let on_event = move |event| {
                classify_event(event)
                    .into_iter()
                    .for_each(|signal| drop(sender.send(signal)));
            };
            // Links are resolved here, and only those that lead to skills are followed.
            let config = notify::Config::default().with_follow_symlinks(false);
            match RecommendedWatcher::new(on_event, config) {
                Ok(watcher) => watch.watcher = Some(watcher),
                Err(error) => watch.fall_back_to_polling(&error.to_string()),
            }
        }

        watch
    }

    /// How changes are noticed.
    #[must_use]
    pub fn mode(&self) -> &WatchMode {
        &self.mode
    }

    /// A handle that ends the wait.
    #[must_use]
    pub fn stopper(&self) -> WatchStopper {
        WatchStopper(self.sender.clone())
    }

    /// Watches these files and directories from now on, whether they exist or not.
    pub fn watch_paths(&mut self, paths: &[PathBuf]) {
        // Polling needs no list: the caller rescans everything each time.
        if self.watcher.is_none() {
            return;
        }

        let paths: Vec<PathBuf> = paths.iter().map(|path| resolve_links(path)).collect();
        // Walking all directories is costly, and done only if some may be new.
        if !std::mem::replace(&mut self.is_stale, false) && paths == self.paths {
            return;
        }

        self.paths = paths;
        // All or nothing: with one path polled, watching the others saves little.
        if let Some(remote) = self.paths.iter().find(|path| is_remote(path)) {
            let why = format!(
                "`{}` is on a network file system, which does not report changes by other machines",
                remote.display()
            );
            return self.fall_back_to_polling(&why);
        }

        let mut wanted = WantedDirectories::default();
        for path in self.paths.clone() {
            let watched = match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.watch_below(&path, 0, &mut wanted),
                // Not there yet, or a file: the directory above shows when it comes or changes.
                _ => nearest_directory(&path)
                    .map_or(Ok(()), |above| self.watch_directory(above, &mut wanted)),
            };
            if let Err(why) = watched {
                return self.fall_back_to_polling(&why);
            }
        }

        for gone in self
            .watched
            .difference(&wanted.directories)
            .cloned()
            .collect::<Vec<_>>()
        {
            self.unwatch_directory(&gone);
        }
    }

    /// Waits until something may have changed and is quiet again, or until `at_most` has passed. `cost` is how long a
    /// scan takes: polling spends at most a tenth of the time on it.
    pub fn wait(&mut self, at_most: Option<Duration>, cost: Duration) -> WakeReason {
        let start = Instant::now();
        // Waiting nine times as long as a scan takes limits scans to a tenth of the time.
        let until_scan = match self.mode {
            WatchMode::Polling { every, .. } => every.max(cost * 9),
            WatchMode::Events => RESCAN_INTERVAL.max(cost * 9),
        };
        // A rescan is due even without an event: the queue of the system may have overflowed.
        let end = start + at_most.map_or(until_scan, |most| most.min(until_scan));

        loop {
            match self
                .signals
                .recv_timeout(end.saturating_duration_since(Instant::now()))
            {
                Ok(WatchSignal::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    return WakeReason::Stopped;
                }
                Ok(signal) if self.is_relevant(&signal) => break,
                Ok(_) => {}
                // The caller's time is up before a rescan is due.
                Err(RecvTimeoutError::Timeout) if end < start + until_scan => {
                    return WakeReason::TimeUp;
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.is_stale = true;
                    return WakeReason::Changed;
                }
            }
        }

        self.wait_for_quiet()
    }

    /// Waits until there was no event for the debounce time.
    fn wait_for_quiet(&mut self) -> WakeReason {
        let (mut quiet, end) = (
            Instant::now() + self.debounce,
            Instant::now() + self.debounce.max(DEBOUNCE_MAX),
        );

        loop {
            match self
                .signals
                .recv_timeout(quiet.min(end).saturating_duration_since(Instant::now()))
            {
                Ok(WatchSignal::Stop) | Err(RecvTimeoutError::Disconnected) => {
                    return WakeReason::Stopped;
                }
                Ok(signal) if self.is_relevant(&signal) => quiet = Instant::now() + self.debounce,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return WakeReason::Changed,
            }
        }
    }

    /// Whether a signal concerns the watched paths. The watch of a directory that may have been replaced is dropped, to
    /// be set up again.
    fn is_relevant(&mut self, signal: &WatchSignal) -> bool {
        let WatchSignal::Event { paths, renamed } = signal else {
            self.is_stale = true;
            return matches!(signal, WatchSignal::Unknown);
        };

        if *renamed {
            // A watch stays with the directory that was renamed; its name may mean another one now.
            self.is_stale = true;
            for path in paths {
                let below = self
                    .watched
                    .range(path.clone()..)
                    .take_while(|watched| watched.starts_with(path));
                below
                    .cloned()
                    .collect::<Vec<_>>()
                    .iter()
                    .for_each(|watched| self.unwatch_directory(watched));
            }
        }

        paths.iter().any(|path| {
            let is_near = |wanted: &PathBuf| path.starts_with(wanted) || wanted.starts_with(path);
            self.paths.iter().any(is_near)
                || path
                    .parent()
                    .is_some_and(|parent| self.is_link_target(parent))
        })
    }

    /// Whether a directory is watched because a link in a watched directory leads to it.
    fn is_link_target(&self, directory: &Path) -> bool {
        let leads_to_paths = || self.paths.iter().any(|path| path.starts_with(directory));
        self.watched.contains(directory) && !leads_to_paths()
    }

    /// Watches a directory and those below it. At the first level links are followed: they may be skills.
    fn watch_below(
        &mut self,
        directory: &Path,
        depth: usize,
        wanted: &mut WantedDirectories,
    ) -> Result<(), String> {
        if depth == DEPTH_MAX || wanted.directories.contains(directory) {
            return Ok(());
        }
        // Before its names are read, so that nothing made in between is missed.
        self.watch_directory(directory, wanted)?;
        // On other systems one watch covers everything below.
        if depth == 0 && !cfg!(target_os = "linux") {
            return Ok(());
        }

        // A directory that was removed again has caused an event.
        let Ok(entries) = fs::read_dir(directory) else {
            return Ok(());
        };

        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else {
                continue;
            };
            if entry.file_name() == ".git" {
                continue;
            }
            if kind.is_dir() {
                self.watch_below(&entry.path(), depth + 1, wanted)?;
            } else if kind.is_symlink() && depth == 0 {
                let target = disk::real_path(&entry.path());
                if fs::metadata(&target).is_ok_and(|meta| meta.is_dir())
                    && is_skill_directory(&target)
                {
                    self.watch_below(&target, depth + 1, wanted)?;
                }
            }
        }
        Ok(())
    }

    fn watch_directory(
        &mut self,
        directory: &Path,
        wanted: &mut WantedDirectories,
    ) -> Result<(), String> {
        let is_new = wanted.directories.insert(directory.to_owned());
        if !is_new || self.watched.contains(directory) {
            return Ok(());
        }
        // Each takes one of the watches that all programs of the user share.
        if wanted.directories.len() > DIRECTORIES_MAX {
            return Err(format!("there are more than {DIRECTORIES_MAX} directories"));
        }

        let Some(watcher) = &mut self.watcher else {
            return Ok(());
        };

        let is_within = self.paths.iter().any(|path| directory.starts_with(path));
        let mode = if is_within && !cfg!(target_os = "linux") {
            RecursiveMode::Recursive
        } else {
            RecursiveMode::NonRecursive
        };

        match watcher.watch(directory, mode) {
            Ok(()) => {
                self.watched.insert(directory.to_owned());
                Ok(())
            }
            // Gone since it was listed, as the watch of its parent has noticed.
            Err(error) if is_gone(&error) || !directory.is_dir() => Ok(()),
            Err(error) => Err(match error.kind {
                notify::ErrorKind::MaxFilesWatch => {
                    "the limit of watched directories is reached (`fs.inotify.max_user_watches`)"
                        .to_owned()
                }
                _ => error.to_string(),
            }),
        }
    }

    fn unwatch_directory(&mut self, directory: &Path) {
        self.watched.remove(directory);
        if let Some(watcher) = &mut self.watcher {
            // It may have been removed, and its watch with it.
            let _ = watcher.unwatch(directory);
        }
    }

    fn fall_back_to_polling(&mut self, why: &str) {
        self.watcher = None;
        self.watched.clear();
        self.mode = WatchMode::Polling {
            every: POLL_INTERVAL,
            why: Some(why.to_owned()),
        };
    }
}

/// The directories to watch.
#[derive(Default)]
struct WantedDirectories {
    directories: BTreeSet<PathBuf>,
}

/// The signal for an event; `None` for one that changes nothing, such as a read.
fn classify_event(event: notify::Result<notify::Event>) -> Option<WatchSignal> {
    match event {
        Ok(event) if event.need_rescan() => Some(WatchSignal::Unknown),
        Ok(event) => {
            let renamed = match event.kind {
                EventKind::Access(_) => return None,
                EventKind::Remove(_)
                | EventKind::Create(_)
                | EventKind::Modify(ModifyKind::Name(_)) => true,
                _ => false,
            };
            Some(WatchSignal::Event {
                paths: event.paths,
                renamed,
            })
        }
        // An error may mean lost events, so everything is scanned again.
        Err(_) => Some(WatchSignal::Unknown),
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// A path with the links resolved in its existing part.
fn resolve_links(path: &Path) -> PathBuf {
    match nearest_directory(path) {
        Some(above) if above != path => path.strip_prefix(above).map_or_else(
            |_| path.to_owned(),
            |rest| disk::real_path(above).join(rest),
        ),
        _ => disk::real_path(path),
    }
}

fn nearest_directory(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| above.is_dir())
}

/// Whether the target directory of a link is a skill, and not half the disk.
fn is_skill_directory(directory: &Path) -> bool {
    ["SKILL.md", "manifest.yaml", "skill.json"]
        .iter()
        .any(|file| directory.join(file).is_file())
}

/// Whether a path is on a file system where changes by other machines cause no events.
fn is_remote(path: &Path) -> bool {
    nearest_directory(path).is_some_and(platform::is_remote)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(10);
    const QUIET: Duration = Duration::from_millis(300);

    fn watch(paths: &[PathBuf]) -> FileWatch {
        let mut watch = FileWatch::new(WatchMode::Events, Duration::from_millis(50));
        watch.watch_paths(paths);
        watch
    }

    /// Waits for the last change, and until there are no further events.
    fn wakes(watch: &mut FileWatch, paths: &[PathBuf]) -> bool {
        let woken = watch.wait(Some(SOON), Duration::ZERO) == WakeReason::Changed;
        watch.watch_paths(paths);
        while watch.wait(Some(QUIET), Duration::ZERO) == WakeReason::Changed {
            watch.watch_paths(paths);
        }
        woken
    }

    #[test]
    fn a_change_in_a_directory_that_was_made_later_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [
            dir.path().join("project/.agents/skills"),
            dir.path().join("project/skillpm.toml"),
        ];
        fs::create_dir(dir.path().join("project")).unwrap();
        let mut watch = watch(&paths);
        assert_eq!(watch.mode(), &WatchMode::Events);
        let skill = paths[0].join("pdf");
        fs::create_dir_all(skill.join("references")).unwrap();
        assert!(wakes(&mut watch, &paths), "the directories");
        for file in ["SKILL.md", "references/forms.md"] {
            fs::write(skill.join(file), "x").unwrap();
            assert!(wakes(&mut watch, &paths), "{file} is new");
            fs::write(skill.join(file), "yy").unwrap();
            assert!(wakes(&mut watch, &paths), "{file} has changed");
        }
        fs::rename(&skill, paths[0].join("pdf2")).unwrap();
        assert!(wakes(&mut watch, &paths), "the skill was renamed");
        fs::write(paths[0].join("pdf2/references/forms.md"), "zzz").unwrap();
        assert!(wakes(&mut watch, &paths), "and is still watched");
        fs::remove_dir_all(&paths[0]).unwrap();
        assert!(wakes(&mut watch, &paths), "all is gone");
        fs::create_dir_all(skill.join("references")).unwrap();
        assert!(wakes(&mut watch, &paths), "and there again");
        fs::write(skill.join("references/forms.md"), "x").unwrap();
        assert!(wakes(&mut watch, &paths), "with what is in it");
        fs::write(&paths[1], "[dependencies]\n").unwrap();
        assert!(wakes(&mut watch, &paths), "a file that was not there");
    }

    #[test]
    fn reading_and_changes_beside_a_skill_are_no_events() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().join("skills"), dir.path().join("more/skills")];
        fs::create_dir_all(paths[0].join("pdf")).unwrap();
        fs::write(paths[0].join("pdf/SKILL.md"), "x").unwrap();
        let mut watch = watch(&paths);
        fs::read(paths[0].join("pdf/SKILL.md")).unwrap();
        fs::read_dir(&paths[0]).unwrap().for_each(drop);
        fs::write(dir.path().join("notes.txt"), "x").unwrap();
        assert_eq!(watch.wait(Some(QUIET), Duration::ZERO), WakeReason::TimeUp);
        fs::write(paths[0].join("pdf/SKILL.md"), "y").unwrap();
        assert_eq!(watch.wait(Some(SOON), Duration::ZERO), WakeReason::Changed);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_a_skill_is_followed_and_a_link_to_the_disk_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().join("skills")];
        fs::create_dir_all(&paths[0]).unwrap();
        for (name, file) in [("pdf", "SKILL.md"), ("disk", "notes.txt")] {
            fs::create_dir(dir.path().join(name)).unwrap();
            fs::write(dir.path().join(name).join(file), "x").unwrap();
            std::os::unix::fs::symlink(dir.path().join(name), paths[0].join(name)).unwrap();
        }
        let mut watch = watch(&paths);
        fs::write(dir.path().join("disk/notes.txt"), "y").unwrap();
        assert_eq!(watch.wait(Some(QUIET), Duration::ZERO), WakeReason::TimeUp);
        fs::write(dir.path().join("pdf/SKILL.md"), "y").unwrap();
        assert_eq!(watch.wait(Some(SOON), Duration::ZERO), WakeReason::Changed);
    }

    #[test]
    fn polling_wakes_after_each_pause_and_limits_its_cost() {
        let every = Duration::from_millis(20);
        let mut watch = FileWatch::new(WatchMode::Polling { every, why: None }, Duration::ZERO);
        assert_eq!(watch.wait(None, Duration::ZERO), WakeReason::Changed);
        assert_eq!(
            watch.wait(Some(QUIET), Duration::from_secs(1)),
            WakeReason::TimeUp
        );
    }

    #[test]
    fn waiting_is_ended_by_another_thread() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = watch(&[dir.path().to_owned()]);
        let stop = watch.stopper();
        std::thread::spawn(move || stop.stop());
        assert_eq!(watch.wait(Some(SOON), Duration::ZERO), WakeReason::Stopped);
        assert!(!watch.is_stale, "nothing has happened to the directories");
    }
}
