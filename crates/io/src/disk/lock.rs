//! Locks between processes: the operating system's own, so that a killed holder holds nothing.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::{Context, Error, Kind, Result};
use crate::report::{Event, Reporter};

/// Whether a lock is held alone or together with other readers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Together with others that share it.
    Shared,
    /// Alone.
    Exclusive,
}

/// A lock on a file, let go when dropped. The file holds the process id of an exclusive holder, for messages only.
#[derive(Debug)]
pub struct FileLock {
    file: File,
    path: PathBuf,
    is_signed: bool,
}

/// How long to wait before saying so.
const QUIET: Duration = Duration::from_secs(1);
/// How often to try again.
const PAUSE: Duration = Duration::from_millis(20);

impl FileLock {
    /// Takes the lock at `path`, made if need be, waiting for at most `patience`.
    ///
    /// # Errors
    /// [`Kind::Busy`] if somebody else still holds it then; a disk error if the file cannot be made.
    pub fn acquire(path: &Path, mode: Mode, patience: Duration, reporter: &dyn Reporter) -> Result<FileLock> {
        let file = match open(path) {
            // To share it, reading is enough: on a disk that may not be written, and in what is somebody else's.
            Err(_) if mode == Mode::Shared && path.exists() => open_with(OpenOptions::new().read(true), path)?,
            other => other?,
        };
        let mut lock = FileLock { file, path: path.to_owned(), is_signed: false };
        lock.wait(mode, patience, reporter)?;
        if mode == Mode::Exclusive {
            lock.sign();
        }
        Ok(lock)
    }

    /// Takes a directory's own lock, alone, which leaves nothing behind in it.
    ///
    /// # Errors
    /// As [`FileLock::acquire`].
    pub fn of_dir(path: &Path, patience: Duration, reporter: &dyn Reporter) -> Result<FileLock> {
        let file = File::open(path).context(|| format!("could not open `{}`", path.display()))?;
        let mut lock = FileLock { file, path: path.to_owned(), is_signed: false };
        lock.wait(Mode::Exclusive, patience, reporter)?;
        Ok(lock)
    }

    fn wait(&mut self, mode: Mode, patience: Duration, reporter: &dyn Reporter) -> Result<()> {
        let started = Instant::now();
        let mut told = false;
        while !self.try_take(mode)? {
            if started.elapsed() >= patience {
                return Err(self.busy());
            }
            if !told && started.elapsed() >= QUIET {
                told = true;
                reporter.report(Event::Blocked { what: self.description() });
            }
            std::thread::sleep(PAUSE);
        }
        Ok(())
    }

    fn try_take(&mut self, mode: Mode) -> Result<bool> {
        let taken = match mode {
            Mode::Shared => self.file.try_lock_shared(),
            Mode::Exclusive => self.file.try_lock(),
        };
        match taken {
            Ok(()) => Ok(true),
            Err(TryLockError::WouldBlock) => Ok(false),
            // Some network file systems know no locks; one command at a time is then the person's business.
            Err(TryLockError::Error(error)) if is_unsupported(&error) => Ok(true),
            Err(TryLockError::Error(error)) => {
                Err(error).context(|| format!("could not lock `{}`", self.path.display()))
            }
        }
    }

    /// Leaves the holder's process id; nobody's correctness hangs on it.
    fn sign(&mut self) {
        self.is_signed = true;
        let _ = self.file.set_len(0);
        let _ = self.file.rewind();
        let _ = write!(self.file, "{}", std::process::id());
    }

    fn description(&mut self) -> String {
        let mut holder = String::new();
        let _ = self.file.rewind();
        let _ = self.file.read_to_string(&mut holder);
        match holder.trim().parse::<u32>() {
            Ok(pid) => format!("the lock `{}`, held by process {pid}", self.path.display()),
            Err(_) => format!("the lock `{}`", self.path.display()),
        }
    }

    fn busy(&mut self) -> Error {
        let what = self.description();
        Error::new(Kind::Busy, format!("gave up waiting for {what}"))
            .help("wait for the other skillpm to finish, or end it")
    }
}

impl Drop for FileLock {
    fn drop(&mut self) {
        if self.is_signed {
            // While nobody else can hold it: who shares it next must not be taken for this process.
            let _ = self.file.set_len(0);
        }
    }
}

/// Opens the file of a lock, and makes it if it is not there.
fn open(path: &Path) -> Result<File> {
    if let Some(dir) = path.parent() {
        super::create_dir(dir)?;
    }
    open_with(OpenOptions::new().read(true).write(true).create(true).truncate(false), path)
}

/// Opens a lock that is a regular file. The holder's process id is written to it: what a link leads to would lose what
/// it has, and a pipe would be waited for.
fn open_with(options: &mut OpenOptions, path: &Path) -> Result<File> {
    let file = options.custom_flags(PLAIN).open(path).context(|| unopened(path))?;
    if !file.metadata().context(|| unopened(path))?.is_file() {
        let error = Error::disk(format!("refusing to use `{}` as a lock: it is not a regular file", path.display()));
        return Err(error.help("remove it, and run the command again"));
    }
    Ok(file)
}

/// `O_NOFOLLOW` and `O_NONBLOCK`.
const PLAIN: i32 = rustix::fs::OFlags::NOFOLLOW.union(rustix::fs::OFlags::NONBLOCK).bits().cast_signed();

fn unopened(path: &Path) -> String {
    format!("could not open the lock `{}`", path.display())
}

/// Whether a file system has no locks, or none on a directory.
fn is_unsupported(error: &std::io::Error) -> bool {
    use rustix::io::Errno;
    error.kind() == std::io::ErrorKind::Unsupported
        || matches!(Errno::from_io_error(error), Some(Errno::NOLCK | Errno::NOTSUP | Errno::BADF | Errno::NOSYS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::Silent;

    #[cfg(target_os = "linux")]
    #[test]
    fn a_lock_that_is_a_link_or_a_pipe_is_refused_and_nothing_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("precious"), "text").unwrap();
        std::os::unix::fs::symlink("precious", path("link")).unwrap();
        super::super::open::make_pipe(&path("pipe"));
        for name in ["link", "pipe"] {
            for mode in [Mode::Shared, Mode::Exclusive] {
                let error = FileLock::acquire(&path(name), mode, Duration::ZERO, &Silent).err().unwrap();
                assert_eq!(error.kind(), Kind::Disk, "{error:?}");
            }
        }
        assert_eq!(std::fs::read_to_string(path("precious")).unwrap(), "text");
    }

    #[test]
    fn a_directory_can_be_locked_without_a_trace() {
        let dir = tempfile::tempdir().unwrap();
        let held = FileLock::of_dir(dir.path(), Duration::ZERO, &Silent).unwrap();
        assert_eq!(FileLock::of_dir(dir.path(), Duration::ZERO, &Silent).unwrap_err().kind(), Kind::Busy);
        drop(held);
        FileLock::of_dir(dir.path(), Duration::ZERO, &Silent).unwrap();
        assert!(super::super::names(dir.path()).unwrap().is_empty());
    }

    #[test]
    fn an_exclusive_lock_keeps_others_out_and_is_let_go_on_drop() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let take = |mode| FileLock::acquire(&path, mode, Duration::ZERO, &Silent);
        let held = take(Mode::Exclusive).unwrap();
        let error = take(Mode::Shared).unwrap_err();
        assert_eq!(error.kind(), Kind::Busy);
        assert!(error.message().contains(&format!("process {}", std::process::id())), "{error}");
        drop(held);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
        let _one = take(Mode::Shared).unwrap();
        let _two = take(Mode::Shared).unwrap();
        assert!(take(Mode::Exclusive).is_err());
    }
}
