//! Says when something below given paths has changed: by the system's events, or by looking again and again.
//!
//! ```text
//! attend(paths) ──▶ every directory below them is watched, and of those that are not there the nearest above
//! wait()        ──▶ an event that matters, then quiet for half a second ──▶ Wake::Look
//! ```
//!
//! Directories are watched one by one, each before its names are read, so that nothing that appears meanwhile is missed;
//! no link is followed but from a directory of skills to a skill. What cannot be watched (a file system of another
//! machine, more directories than the system allows) is polled. As events can get lost, there is a look now and then
//! in any case.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use notify::event::{EventKind, ModifyKind};
use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::disk;

/// How long nothing must have happened before a change counts as finished.
pub const DEBOUNCE: Duration = Duration::from_millis(500);
/// How long is waited for that at most, where things keep happening.
const PATIENCE: Duration = Duration::from_secs(3);
/// After how long there is a look without any event.
const ANYWAY: Duration = Duration::from_secs(30);
/// How often there is a look where there are no events.
const POLL: Duration = Duration::from_secs(1);
/// Most directories that are watched.
const DIRECTORIES_MAX: usize = 1 << 16;
/// Most levels that are watched below a path.
const DEPTH_MAX: usize = 17;

/// How changes are noticed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Attention {
    /// The system says so.
    Events,
    /// By looking again and again.
    Polling {
        /// The pause between two looks.
        every: Duration,
        /// Why not by events; `None` if polling was asked for.
        why: Option<String>,
    },
}

/// Why waiting ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wake {
    /// Something may have changed.
    Look,
    /// Somebody said stop.
    Stop,
    /// The time is up.
    TimeUp,
}

/// Waits for changes.
#[derive(Debug)]
pub struct Watch {
    attention: Attention,
    watcher: Option<RecommendedWatcher>,
    /// What matters, with every link in it followed.
    paths: Vec<PathBuf>,
    watched: BTreeSet<PathBuf>,
    /// Whether there may be directories that are not watched yet.
    stale: bool,
    sender: Sender<Signal>,
    signals: Receiver<Signal>,
    debounce: Duration,
}

#[derive(Debug)]
enum Signal {
    /// Something happened at these paths; whether what they name may be another thing now.
    Event {
        paths: Vec<PathBuf>,
        renamed: bool,
    },
    /// Nobody knows what happened.
    Unknown,
    Stop,
}

/// Ends the waiting of a [`Watch`], from any thread.
#[derive(Debug, Clone)]
pub struct Stop(Sender<Signal>);

impl Stop {
    /// Ends it; the next [`Watch::wait`] says so, if none waits now.
    pub fn stop(&self) {
        // Nobody listens any more: then it has ended.
        let _ = self.0.send(Signal::Stop);
    }
}

impl Watch {
    /// A watch by `attention`, or by polling if the system gives no events; of nothing yet.
    #[must_use]
    pub fn new(attention: Attention, debounce: Duration) -> Self {
        let (sender, signals) = mpsc::channel();
        let mut watch = Watch {
            attention,
            watcher: None,
            paths: Vec::new(),
            watched: BTreeSet::new(),
            stale: true,
            sender: sender.clone(),
            signals,
            debounce,
        };
        if watch.attention == Attention::Events {
            let hear = move |event| signal(event).into_iter().for_each(|signal| drop(sender.send(signal)));
            let config = notify::Config::default().with_follow_symlinks(false);
            match RecommendedWatcher::new(hear, config) {
                Ok(watcher) => watch.watcher = Some(watcher),
                Err(error) => watch.give_up(&error.to_string()),
            }
        }
        watch
    }

    /// How changes are noticed.
    #[must_use]
    pub fn attention(&self) -> &Attention {
        &self.attention
    }

    /// What ends the waiting.
    #[must_use]
    pub fn stopper(&self) -> Stop {
        Stop(self.sender.clone())
    }

    /// Watches these files and directories from now on, whether they are there or not.
    pub fn attend(&mut self, paths: &[PathBuf]) {
        if self.watcher.is_none() {
            return;
        }
        let paths: Vec<PathBuf> = paths.iter().map(|path| real(path)).collect();
        if !std::mem::replace(&mut self.stale, false) && paths == self.paths {
            return;
        }
        self.paths = paths;
        if let Some(remote) = self.paths.iter().find(|path| is_remote(path)) {
            let why = format!("`{}` lies on a file system that tells nothing of changes by others", remote.display());
            return self.give_up(&why);
        }
        let mut wanted = Wanted::default();
        for path in self.paths.clone() {
            let watched = match fs::metadata(&path) {
                Ok(meta) if meta.is_dir() => self.descend(&path, 0, &mut wanted),
                _ => nearest_directory(&path).map_or(Ok(()), |above| self.watch(above, &mut wanted)),
            };
            if let Err(why) = watched {
                return self.give_up(&why);
            }
        }
        for gone in self.watched.difference(&wanted.directories).cloned().collect::<Vec<_>>() {
            self.unwatch(&gone);
        }
    }

    /// Waits until something may have changed and has come to rest, or until `at_most` has passed. `cost` is what a look
    /// takes: polling spends a tenth of the time on it at most.
    pub fn wait(&mut self, at_most: Option<Duration>, cost: Duration) -> Wake {
        let start = Instant::now();
        let until_look = match self.attention {
            Attention::Polling { every, .. } => every.max(cost * 9),
            Attention::Events => ANYWAY.max(cost * 9),
        };
        let end = start + at_most.map_or(until_look, |most| most.min(until_look));
        loop {
            match self.signals.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return Wake::Stop,
                Ok(signal) if self.matters(&signal) => break,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) if end < start + until_look => return Wake::TimeUp,
                Err(RecvTimeoutError::Timeout) => {
                    self.stale = true;
                    return Wake::Look;
                }
            }
        }
        self.come_to_rest()
    }

    /// Waits until nothing has happened for a while.
    fn come_to_rest(&mut self) -> Wake {
        let (mut quiet, end) = (Instant::now() + self.debounce, Instant::now() + self.debounce.max(PATIENCE));
        loop {
            match self.signals.recv_timeout(quiet.min(end).saturating_duration_since(Instant::now())) {
                Ok(Signal::Stop) | Err(RecvTimeoutError::Disconnected) => return Wake::Stop,
                Ok(signal) if self.matters(&signal) => quiet = Instant::now() + self.debounce,
                Ok(_) => {}
                Err(RecvTimeoutError::Timeout) => return Wake::Look,
            }
        }
    }

    /// Whether what was heard is about the paths that matter. A directory that may be another now is watched anew.
    fn matters(&mut self, signal: &Signal) -> bool {
        let Signal::Event { paths, renamed } = signal else {
            self.stale = true;
            return matches!(signal, Signal::Unknown);
        };
        if *renamed {
            self.stale = true;
            for path in paths {
                let below = self.watched.range(path.clone()..).take_while(|watched| watched.starts_with(path));
                below.cloned().collect::<Vec<_>>().iter().for_each(|watched| self.unwatch(watched));
            }
        }
        paths.iter().any(|path| {
            let is_near = |wanted: &PathBuf| path.starts_with(wanted) || wanted.starts_with(path);
            self.paths.iter().any(is_near) || path.parent().is_some_and(|parent| self.is_linked(parent))
        })
    }

    /// Whether a directory is watched because a link in a directory that matters leads to it.
    fn is_linked(&self, directory: &Path) -> bool {
        let leads_to_paths = || self.paths.iter().any(|path| path.starts_with(directory));
        self.watched.contains(directory) && !leads_to_paths()
    }

    /// Watches a directory and those below it. At the first level links are followed: they may be skills.
    fn descend(&mut self, directory: &Path, depth: usize, wanted: &mut Wanted) -> Result<(), String> {
        if depth == DEPTH_MAX || wanted.directories.contains(directory) {
            return Ok(());
        }
        self.watch(directory, wanted)?;
        if depth == 0 && !cfg!(target_os = "linux") {
            return Ok(());
        }
        // What is gone again has been heard of.
        let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
        for entry in entries.flatten() {
            let Ok(kind) = entry.file_type() else { continue };
            if entry.file_name() == ".git" {
                continue;
            }
            if kind.is_dir() {
                self.descend(&entry.path(), depth + 1, wanted)?;
            } else if kind.is_symlink() && depth == 0 {
                let target = disk::real_path(&entry.path());
                if fs::metadata(&target).is_ok_and(|meta| meta.is_dir()) && holds_skill(&target) {
                    self.descend(&target, depth + 1, wanted)?;
                }
            }
        }
        Ok(())
    }

    fn watch(&mut self, directory: &Path, wanted: &mut Wanted) -> Result<(), String> {
        let is_new = wanted.directories.insert(directory.to_owned());
        if !is_new || self.watched.contains(directory) {
            return Ok(());
        }
        if wanted.directories.len() > DIRECTORIES_MAX {
            return Err(format!("there are more than {DIRECTORIES_MAX} directories"));
        }
        let Some(watcher) = &mut self.watcher else { return Ok(()) };
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
            Err(error) if is_gone(&error) || !directory.is_dir() => Ok(()),
            Err(error) => Err(match error.kind {
                notify::ErrorKind::MaxFilesWatch => {
                    "the system watches no more directories for you (`fs.inotify.max_user_watches`)".to_owned()
                }
                _ => error.to_string(),
            }),
        }
    }

    fn unwatch(&mut self, directory: &Path) {
        self.watched.remove(directory);
        if let Some(watcher) = &mut self.watcher {
            // It may be gone, and its watch with it.
            let _ = watcher.unwatch(directory);
        }
    }

    fn give_up(&mut self, why: &str) {
        self.watcher = None;
        self.watched.clear();
        self.attention = Attention::Polling { every: POLL, why: Some(why.to_owned()) };
    }
}

/// The directories that are to be watched.
#[derive(Default)]
struct Wanted {
    directories: BTreeSet<PathBuf>,
}

/// What an event means; `None` for one that changes nothing, such as reading.
fn signal(event: notify::Result<notify::Event>) -> Option<Signal> {
    match event {
        Ok(event) if event.need_rescan() => Some(Signal::Unknown),
        Ok(event) => {
            let renamed = match event.kind {
                EventKind::Access(_) => return None,
                EventKind::Remove(_) | EventKind::Create(_) | EventKind::Modify(ModifyKind::Name(_)) => true,
                _ => false,
            };
            Some(Signal::Event { paths: event.paths, renamed })
        }
        Err(_) => Some(Signal::Unknown),
    }
}

fn is_gone(error: &notify::Error) -> bool {
    match &error.kind {
        notify::ErrorKind::PathNotFound => true,
        notify::ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        _ => false,
    }
}

/// A path with the links followed in as much of it as is there.
fn real(path: &Path) -> PathBuf {
    match nearest_directory(path) {
        Some(above) if above != path => {
            path.strip_prefix(above).map_or_else(|_| path.to_owned(), |rest| disk::real_path(above).join(rest))
        }
        _ => disk::real_path(path),
    }
}

fn nearest_directory(path: &Path) -> Option<&Path> {
    path.ancestors().find(|above| above.is_dir())
}

/// Whether a directory that a link leads to is one skill, and not half the disk.
fn holds_skill(directory: &Path) -> bool {
    ["SKILL.md", "manifest.yaml", "skill.json"].iter().any(|file| directory.join(file).is_file())
}

/// Whether a path lies where changes made by other machines come without events.
#[cfg(target_os = "linux")]
fn is_remote(path: &Path) -> bool {
    /// NFS, SMB and its successors, 9P, Plan 9 over virtio, FUSE, `VirtualBox`, AFS, Ceph.
    const KINDS: [i64; 9] =
        [0x6969, 0x517b, 0xff53_4d42, 0xfe53_4d42, 0x0102_1997, 0x6573_5546, 0x786f_4256, 0x5346_414f, 0x00c3_6400];
    let kind = nearest_directory(path).and_then(|above| rustix::fs::statfs(above).ok()).map(|stat| stat.f_type);
    #[expect(clippy::useless_conversion, reason = "other architectures have other widths")]
    kind.is_some_and(|kind| KINDS.contains(&(i64::from(kind) & 0xffff_ffff)))
}

#[cfg(not(target_os = "linux"))]
fn is_remote(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOON: Duration = Duration::from_secs(10);
    const QUIET: Duration = Duration::from_millis(300);

    fn watch(paths: &[PathBuf]) -> Watch {
        let mut watch = Watch::new(Attention::Events, Duration::from_millis(50));
        watch.attend(paths);
        watch
    }

    /// Waits for what was just done, and for nothing besides.
    fn wakes(watch: &mut Watch, paths: &[PathBuf]) -> bool {
        let woken = watch.wait(Some(SOON), Duration::ZERO) == Wake::Look;
        watch.attend(paths);
        while watch.wait(Some(QUIET), Duration::ZERO) == Wake::Look {
            watch.attend(paths);
        }
        woken
    }

    #[test]
    fn a_change_in_a_directory_that_was_made_later_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().join("project/.agents/skills"), dir.path().join("project/skillpm.toml")];
        fs::create_dir(dir.path().join("project")).unwrap();
        let mut watch = watch(&paths);
        assert_eq!(watch.attention(), &Attention::Events);
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
    fn reading_and_what_lies_beside_are_no_changes() {
        let dir = tempfile::tempdir().unwrap();
        let paths = [dir.path().join("skills"), dir.path().join("more/skills")];
        fs::create_dir_all(paths[0].join("pdf")).unwrap();
        fs::write(paths[0].join("pdf/SKILL.md"), "x").unwrap();
        let mut watch = watch(&paths);
        fs::read(paths[0].join("pdf/SKILL.md")).unwrap();
        fs::read_dir(&paths[0]).unwrap().for_each(drop);
        fs::write(dir.path().join("notes.txt"), "x").unwrap();
        assert_eq!(watch.wait(Some(QUIET), Duration::ZERO), Wake::TimeUp);
        fs::write(paths[0].join("pdf/SKILL.md"), "y").unwrap();
        assert_eq!(watch.wait(Some(SOON), Duration::ZERO), Wake::Look);
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
        assert_eq!(watch.wait(Some(QUIET), Duration::ZERO), Wake::TimeUp);
        fs::write(dir.path().join("pdf/SKILL.md"), "y").unwrap();
        assert_eq!(watch.wait(Some(SOON), Duration::ZERO), Wake::Look);
    }

    #[test]
    fn polling_looks_after_each_pause_and_spares_the_machine() {
        let every = Duration::from_millis(20);
        let mut watch = Watch::new(Attention::Polling { every, why: None }, Duration::ZERO);
        assert_eq!(watch.wait(None, Duration::ZERO), Wake::Look);
        assert_eq!(watch.wait(Some(QUIET), Duration::from_secs(1)), Wake::TimeUp);
    }

    #[test]
    fn waiting_can_be_ended_from_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let mut watch = watch(&[dir.path().to_owned()]);
        let stop = watch.stopper();
        std::thread::spawn(move || stop.stop());
        assert_eq!(watch.wait(Some(SOON), Duration::ZERO), Wake::Stop);
        assert!(!watch.stale, "nothing has happened to the directories");
    }
}
