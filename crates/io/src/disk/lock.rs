//! Locks between processes, by the operating system (`flock`), which releases the lock of a killed process.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::platform;
use skillpm_core::error::{Error, ErrorContext, FailureKind, Result};
use skillpm_core::report::{EventReporter, ProgressEvent};

/// Whether a lock is exclusive or shared with other readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockMode {
    /// Together with others that share it.
    Shared,
    /// Alone.
    Exclusive,
}

/// A lock on a file, released on drop. The file contains the process id of an exclusive owner, for messages only.
#[derive(Debug)]
pub struct FileLock {
    /// `None` if the directory cannot be locked, as no one can write to it.
    file: Option<File>,
    path: PathBuf,
    has_written_pid: bool,
    /// The file of a directory's lock, which is removed with the lock.
    directory_file: Option<PathBuf>,
}

/// How long to wait before reporting it.
const REPORT_AFTER: Duration = Duration::from_secs(1);
/// How often to try again.
const RETRY_INTERVAL: Duration = Duration::from_millis(20);

impl FileLock {
    /// Acquires the lock at `path`, which is created if necessary; waits for at most `timeout`.
    ///
    /// # Errors
    /// [`FailureKind::Busy`] if another process still has it then; a disk error if the file cannot be created.
    pub fn acquire(
        path: &Path,
        mode: LockMode,
        timeout: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<FileLock> {
        let file = match open_or_create(path) {
            // A shared lock needs read access only: on a read-only disk, or in a directory of another user.
            Err(_) if mode == LockMode::Shared && path.exists() => {
                open_with(OpenOptions::new().read(true), path)?
            }
            other => other?,
        };

        let mut lock = FileLock {
            file: Some(file),
            path: path.to_owned(),
            has_written_pid: false,
            directory_file: None,
        };

        lock.wait(mode, timeout, reporter)?;
        if mode == LockMode::Exclusive {
            lock.write_pid();
        }
        Ok(lock)
    }

    /// Acquires an exclusive lock on a directory, which leaves no file in it.
    ///
    /// # Errors
    /// As [`FileLock::acquire`].
    pub fn acquire_dir(
        path: &Path,
        timeout: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<FileLock> {
        loop {
            let opened = platform::open_directory_lock(path)
                .context(|| format!("failed to open `{}`", path.display()))?;
            let (file, created) = opened.map(|lock| (lock.file, lock.path)).unzip();
            let mut lock = FileLock {
                file,
                path: path.to_owned(),
                has_written_pid: false,
                directory_file: None,
            };
            lock.wait(LockMode::Exclusive, timeout, reporter)?;

            // The owner before us may have removed the file between its opening and its lock.
            let created = created.flatten();
            if lock.is_at(created.as_deref())? {
                if created.is_some() {
                    lock.write_pid();
                }
                lock.directory_file = created;
                return Ok(lock);
            }
        }
    }

    /// Whether the locked file is the one at a path, if it has one.
    fn is_at(&self, path: Option<&Path>) -> Result<bool> {
        match (&self.file, path) {
            (Some(file), Some(path)) => platform::is_file_at(file, path)
                .context(|| format!("failed to stat `{}`", path.display())),
            _ => Ok(true),
        }
    }

    fn wait(
        &mut self,
        mode: LockMode,
        timeout: Duration,
        reporter: &dyn EventReporter,
    ) -> Result<()> {
        let started = Instant::now();
        let mut is_reported = false;

        while !self.try_lock(mode)? {
            if started.elapsed() >= timeout {
                return Err(self.busy_error());
            }
            // Once, and only if it takes long enough to be noticed.
            if !is_reported && started.elapsed() >= REPORT_AFTER {
                is_reported = true;
                reporter.report(ProgressEvent::Blocked {
                    what: self.describe(),
                });
            }
            std::thread::sleep(RETRY_INTERVAL);
        }
        Ok(())
    }

    fn try_lock(&mut self, mode: LockMode) -> Result<bool> {
        let Some(file) = &self.file else {
            return Ok(true);
        };
        let taken = match mode {
            LockMode::Shared => file.try_lock_shared(),
            LockMode::Exclusive => file.try_lock(),
        };

        match taken {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            // Some network file systems do not support locks; then users must run one command at a time themselves.
            Err(TryLockError::Error(error)) if platform::is_lock_unsupported(&error) => Ok(true),
            Err(TryLockError::Error(error)) => {
                Err(error).context(|| format!("failed to lock `{}`", self.path.display()))
            }
        }
    }

    /// Writes our process id, for messages only; a failure does not matter.
    fn write_pid(&mut self) {
        self.has_written_pid = true;
        if let Some(file) = &mut self.file {
            let _ = file.set_len(0);
            let _ = file.rewind();
            let _ = write!(file, "{}", std::process::id());
        }
    }

    fn describe(&mut self) -> String {
        let mut holder = String::new();
        if let Some(file) = &mut self.file {
            let _ = file.rewind();
            let _ = file.read_to_string(&mut holder);
        }

        match holder.trim().parse::<u32>() {
            Ok(pid) => format!("file lock `{}`, held by process {pid}", self.path.display()),
            Err(_) => format!("file lock `{}`", self.path.display()),
        }
    }

    fn busy_error(&mut self) -> Error {
        let what = self.describe();
        Error::new(FailureKind::Busy, format!("timed out waiting for {what}"))
            .help("wait for the other skillpm process to finish, or stop it")
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        // While the lock is still exclusive: the next owner must not be reported as this process.
        if let Some(file) = self.file.as_ref().filter(|_| self.has_written_pid) {
            let _ = file.set_len(0);
        }
        if let Some(path) = &self.directory_file {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Opens a lock file, and creates it if it does not exist.
fn open_or_create(path: &Path) -> Result<File> {
    if let Some(dir) = path.parent() {
        super::create_dir(dir)?;
    }
    if !path.exists() {
        super::protection::check_change(path).context(|| open_failure(path))?;
    }
    open_with(
        OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false),
        path,
    )
}

/// Opens a lock file, which must be a regular file: the process id is written to it, so the target of a link
/// would lose its content, and opening a pipe would block.
fn open_with(options: &mut OpenOptions, path: &Path) -> Result<File> {
    let file = platform::open_lock_file(options, path).context(|| open_failure(path))?;

    // From the open handle, since the name may mean another file by now.
    if !file.metadata().context(|| open_failure(path))?.is_file() {
        let error = Error::disk(format!(
            "refusing to use `{}` as a lock: it is not a regular file",
            path.display()
        ));
        return Err(error.help("remove it, and run the command again"));
    }
    Ok(file)
}

fn open_failure(path: &Path) -> String {
    format!("failed to open lock file `{}`", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::report::SilentReporter;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_that_is_a_link_or_a_pipe_is_refused_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("precious"), "text").unwrap();
        std::os::unix::fs::symlink("precious", path("link")).unwrap();
        super::super::open::make_pipe(&path("pipe"));
        for name in ["link", "pipe"] {
            for mode in [LockMode::Shared, LockMode::Exclusive] {
                let error = FileLock::acquire(&path(name), mode, Duration::ZERO, &SilentReporter)
                    .err()
                    .unwrap();
                assert_eq!(error.kind(), FailureKind::Disk, "{error:?}");
            }
        }
        assert_eq!(std::fs::read_to_string(path("precious")).unwrap(), "text");
    }

    #[test]
    fn a_directory_can_be_locked_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        let lock = FileLock::acquire_dir(dir.path(), Duration::ZERO, &SilentReporter).unwrap();
        assert_eq!(
            FileLock::acquire_dir(dir.path(), Duration::ZERO, &SilentReporter)
                .unwrap_err()
                .kind(),
            FailureKind::Busy
        );
        drop(lock);
        FileLock::acquire_dir(dir.path(), Duration::ZERO, &SilentReporter).unwrap();
        assert!(super::super::list_names(dir.path()).unwrap().is_empty());
    }

    #[test]
    fn file_that_cannot_be_looked_at_is_not_taken_for_a_removed_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let take =
            || FileLock::acquire(&path, LockMode::Exclusive, Duration::ZERO, &SilentReporter);
        let lock = take().unwrap();
        assert!(lock.is_at(Some(&path)).unwrap());
        assert!(!lock.is_at(Some(&dir.path().join("other"))).unwrap());
        // No system has a name with this character.
        assert!(lock.is_at(Some(&dir.path().join("a\0b"))).is_err());
    }

    #[test]
    fn an_exclusive_lock_excludes_others_and_is_released_on_drop() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let take = |mode| FileLock::acquire(&path, mode, Duration::ZERO, &SilentReporter);
        let lock = take(LockMode::Exclusive).unwrap();
        let error = take(LockMode::Shared).unwrap_err();
        assert_eq!(error.kind(), FailureKind::Busy);
        assert!(
            error
                .message()
                .contains(&format!("process {}", std::process::id())),
            "{error}"
        );
        drop(lock);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
        let _one = take(LockMode::Shared).unwrap();
        let _two = take(LockMode::Shared).unwrap();
        assert!(take(LockMode::Exclusive).is_err());
    }
}
