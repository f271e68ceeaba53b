//! Opening a file to read all of it: only a regular file, and only up to a size.
//!
//! A project, a package or an index names a file, and can put anything there: a pipe without a writer, a
//! link to `/dev/zero`, a file larger than memory. So opening never blocks, the type is read from the open
//! handle (a name can mean something else a moment later), and reading ends one byte past the limit whatever
//! size the file claims to have.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

use crate::platform::{self, FileKind};
use skillpm_core::error::{Error, ErrorContext, Result};

const MIB: u64 = 1 << 20;

/// Largest manifest or settings file, in bytes: some eight thousand dependencies. Solving a megabyte of the
/// shortest ones took 290 MB of memory.
pub const TOML_MAX: u64 = MIB / 2;

/// Largest lockfile, in bytes: some twelve thousand packages.
pub const LOCKFILE_MAX: u64 = 4 * MIB;

/// Largest JSON state file, in bytes. Parsed, one with the shortest entries takes ten times as much memory.
pub const JSON_MAX: u64 = 16 * MIB;

/// Largest record of a command (journal, undo), in bytes: it contains whole files, so that they can be restored.
pub const RECORD_MAX: u64 = 20 * MIB;

/// Largest patch file, in bytes.
pub const PATCH_MAX: u64 = 32 * MIB;

/// Largest file of any other kind, in bytes.
pub const READ_MAX: u64 = 64 * MIB;

/// The size limit for a file of this name, in bytes.
#[must_use]
pub fn size_limit(path: &Path) -> u64 {
    let name = path.file_name().unwrap_or_default();
    let is_record =
        name == "journal.json" || path.parent().is_some_and(|dir| dir.ends_with("undo"));
    match path.extension().and_then(|extension| extension.to_str()) {
        _ if name == "skillpm.lock" => LOCKFILE_MAX,
        Some("toml") => TOML_MAX,
        Some("json") if is_record => RECORD_MAX,
        Some("json") => JSON_MAX,
        Some("patch") => PATCH_MAX,
        _ => READ_MAX,
    }
}

/// Opens the regular file at `path`, links followed, without blocking; `None` if there is none.
///
/// # Errors
/// If it is there and cannot be opened, or is not a regular file.
pub fn open_regular(path: &Path) -> Result<Option<(File, Metadata)>> {
    let failed = || format!("failed to read `{}`", path.display());
    let file = match platform::open_file(path) {
        Ok(file) => file,
        Err(error) if super::is_absent(&error) => return Ok(None),
        // Not every system can open a pipe without waiting, or a directory.
        Err(error) => match std::fs::metadata(path) {
            Ok(meta) if !meta.is_file() && !meta.is_dir() => {
                return Err(not_regular(path, platform::file_kind(meta.file_type())));
            }
            _ => return Err(error).context(failed),
        },
    };
    let meta = regular_metadata(&file, path)?;
    Ok(Some((file, meta)))
}

/// The metadata of an open file, which must be a regular one.
fn regular_metadata(file: &File, path: &Path) -> Result<Metadata> {
    let failed = || format!("failed to read `{}`", path.display());
    let meta = file.metadata().context(failed)?;
    if meta.is_dir() {
        return Err(io::Error::from(ErrorKind::IsADirectory)).context(failed);
    }
    if !meta.is_file() {
        return Err(not_regular(path, platform::file_kind(meta.file_type())));
    }
    Ok(meta)
}

/// Reads a regular file of at most `limit` bytes; `None` if there is none.
///
/// # Errors
/// If it is there but cannot be read, is not a regular file, or is larger.
pub fn read_up_to(path: &Path, limit: u64) -> Result<Option<Vec<u8>>> {
    let Some((file, meta)) = open_regular(path)? else {
        return Ok(None);
    };
    read_bounded(file, &meta, path, limit).map(Some)
}

/// Reads an open file, which must be a regular one of at most `limit` bytes.
pub(super) fn read_open_file(file: File, path: &Path, limit: u64) -> Result<Vec<u8>> {
    let meta = regular_metadata(&file, path)?;
    read_bounded(file, &meta, path, limit)
}

fn read_bounded(file: File, meta: &Metadata, path: &Path, limit: u64) -> Result<Vec<u8>> {
    // Refused before memory is allocated for it.
    if meta.len() > limit {
        return Err(too_large(path, &meta.len().to_string(), limit));
    }

    let bytes = read_whole(file, meta.len(), limit)
        .context(|| format!("failed to read `{}`", path.display()))?;
    if bytes.len() as u64 > limit {
        return Err(too_large(path, &format!("more than {limit}"), limit));
    }
    Ok(bytes)
}

/// Reads a file of `size` bytes, or one byte more than the limit if it turns out to be larger: one system call less than
/// `read_to_end`, which asks for the end of every file.
pub(crate) fn read_whole(file: File, size: u64, limit: u64) -> io::Result<Vec<u8>> {
    // With space for one byte more, so that a read of just the size has reached the end.
    let expected = usize::try_from(size.min(limit)).unwrap_or(0);
    let mut bytes = Vec::with_capacity(expected + 1);
    match platform::read_once(&file, &mut bytes) {
        Ok(count) if count as u64 == size => return Ok(bytes),
        // A file can grow while it is read, and some (in `/proc`) claim to be empty.
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::Interrupted => {}
        Err(error) => return Err(error),
    }

    let left = (limit + 1).saturating_sub(bytes.len() as u64);
    file.take(left).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Refuses what [`read_up_to`] would refuse, without opening it: for files that libraries open by name. A
/// missing file is not an error.
///
/// # Errors
/// If it is there and not a regular file (or a directory), or is larger than `limit` bytes.
pub fn check_readable(path: &Path, limit: u64) -> Result<()> {
    // A path that cannot be accessed cannot be read either; the reader reports that.
    let Ok(meta) = std::fs::metadata(path) else {
        return Ok(());
    };
    match () {
        () if meta.is_dir() => Ok(()),
        () if !meta.is_file() => Err(not_regular(path, platform::file_kind(meta.file_type()))),
        () if meta.len() > limit => Err(too_large(path, &meta.len().to_string(), limit)),
        () => Ok(()),
    }
}

pub(super) fn not_regular(path: &Path, kind: FileKind) -> Error {
    let what = match kind {
        FileKind::Pipe => "a pipe",
        FileKind::Socket => "a socket",
        _ => "a device",
    };
    Error::integrity(format!(
        "refusing to read `{}`: it is {what}, not a regular file",
        path.display()
    ))
    .help("put a regular file there, or remove it")
}

fn too_large(path: &Path, size: &str, limit: u64) -> Error {
    Error::integrity(format!(
        "refusing to read `{}`: it has {size} bytes; the limit is {limit}",
        path.display()
    ))
}

/// Makes a pipe, for tests. Not with `mkfifo`: a child process inherits the locks of other tests for a moment.
#[cfg(all(test, target_os = "linux"))]
pub(crate) fn make_pipe(path: &Path) {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
        .expect("a directory of a test takes a pipe");
}

/// What a pipe is called in messages: the portable implementation does not distinguish pipes from devices.
#[cfg(all(test, target_os = "linux"))]
pub(crate) const PIPE: &str = if platform::IS_PORTABLE {
    "a device"
} else {
    "a pipe"
};

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use skillpm_core::error::FailureKind;

    #[cfg(target_os = "linux")]
    #[test]
    fn only_a_regular_file_is_read_without_blocking() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        make_pipe(&path("pipe"));
        symlink("pipe", path("link")).unwrap();
        symlink("/dev/zero", path("zero")).unwrap();
        for (name, what) in [("pipe", PIPE), ("link", PIPE), ("zero", "a device")] {
            let error = super::super::read(&path(name)).unwrap_err();
            assert_eq!(error.kind(), FailureKind::Integrity);
            assert!(
                error
                    .message()
                    .ends_with(&format!("it is {what}, not a regular file")),
                "{error:?}"
            );
            assert!(error.message().contains(name), "{error:?}");
        }
        assert_eq!(
            super::super::read(dir.path()).unwrap_err().kind(),
            FailureKind::Disk
        );
        fs::write(path("text"), "x").unwrap();
        symlink("text", path("fine")).unwrap();
        assert_eq!(super::super::read(&path("fine")).unwrap().unwrap(), b"x");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_claims_to_be_empty_is_read_to_its_end() {
        // More than a page, which is the most that one read of such a file returns.
        let mappings = Path::new("/proc/self/smaps");
        let read = super::super::read(mappings);
        assert!(read.unwrap().unwrap().len() > 4096);
        let limited = read_up_to(mappings, 100).unwrap_err();
        assert!(
            limited
                .message()
                .ends_with("it has more than 100 bytes; the limit is 100")
        );
    }

    #[test]
    fn a_file_has_at_most_the_bytes_that_its_kind_may_have() {
        let dir = tempfile::tempdir().unwrap();
        for (name, limit) in [
            ("skillpm.toml", TOML_MAX),
            (".skillpm/config.toml", TOML_MAX),
            ("skillpm.lock", LOCKFILE_MAX),
            (".skillpm/state.json", JSON_MAX),
            (".skillpm/journal.json", RECORD_MAX),
            (".skillpm/undo/1.json", RECORD_MAX),
            ("patches/pdf.patch", PATCH_MAX),
            (".agents/skills/pdf/notes.md", READ_MAX),
        ] {
            let path = dir.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            // A hole takes no space on the disk.
            let file = File::create(&path).unwrap();
            file.set_len(limit).unwrap();
            assert_eq!(
                super::super::read(&path).unwrap().unwrap().len() as u64,
                limit,
                "{name}"
            );
            file.set_len(limit + 1).unwrap();
            let error = super::super::read(&path).unwrap_err();
            let end = format!("it has {} bytes; the limit is {limit}", limit + 1);
            assert!(error.message().ends_with(&end), "{error:?}");
            assert_eq!(error.kind(), FailureKind::Integrity);
        }
    }

    #[test]
    fn the_claimed_size_of_a_file_is_not_trusted() {
        // It claims to be empty.
        let path = Path::new("/proc/self/maps");
        if fs::metadata(path).is_ok_and(|meta| meta.len() == 0) {
            let error = read_up_to(path, 100).unwrap_err();
            assert!(
                error
                    .message()
                    .ends_with("it has more than 100 bytes; the limit is 100"),
                "{error:?}"
            );
        }
    }
}
