//! The directory of skillpm's own files in a project, and the proof that this user wrote them on this machine.
//!
//! ```json
//! {"seal":"9f2c…","moved":"77ab…","version":2,"committed":false,…}
//! ```
//!
//! A clone can contain a `.skillpm/` of its own, and following a journal moves and deletes files. So each of
//! `journal.json`, `state.json` and `undo/*.json` begins with two codes (HMAC-SHA-256) by the key in
//! `$SKILLPM_HOME/state-key`, which no repository contains: `seal` is over the project's path, the file's name and the
//! rest of the file, `moved` over the identity of the project's directory instead of its path, so that a project can be
//! renamed. A file without a valid code is never followed.
//!
//! A clone can make any part of `.skillpm/` a link, too. So it is opened by [`StateDir::handles`] only, which follows none.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::Serialize;

use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::Sha256Digest;
use skillpm_io::disk::{self, DirectoryHandles, FileIdentity};

/// The key's file in `$SKILLPM_HOME`.
const KEY_FILE: &str = "state-key";
/// The length of the key, in bytes.
const KEY_SIZE: usize = 32;
/// The length of a code, in hexadecimal digits.
const CODE_SIZE: usize = 64;
/// The text before and between the codes of a file.
const SEAL_START: &[u8] = b"{\"seal\":\"";
const MOVED_START: &[u8] = b"\",\"moved\":\"";
const BODY_START: &[u8] = b"\",";

/// The directory of a project's state, journal and undo entries, with the key that proves that this user wrote them.
#[derive(Debug, Clone)]
pub struct StateDir {
    path: PathBuf,
    root: PathBuf,
    key_file: PathBuf,
    key: OnceLock<hmac::Key>,
}

/// A file in a [`StateDir`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OwnFile {
    /// There is none.
    Missing,
    /// It was not written by this user on this machine for this project.
    Untrusted,
    /// It was written by this user: its JSON.
    Trusted(Vec<u8>),
}

impl StateDir {
    /// The directory `path` of the project at `root`; the key is in `home`, which is `$SKILLPM_HOME`.
    #[must_use]
    pub fn new(path: &Path, root: &Path, home: &Path) -> StateDir {
        StateDir {
            path: path.to_owned(),
            root: root.to_owned(),
            key_file: home.join(KEY_FILE),
            key: OnceLock::new(),
        }
    }

    /// The path of the directory.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A free name in the backup for what is at `place`, of a command that started at `now`.
    #[must_use]
    pub fn free_backup_name(&self, now: u64, place: &Path) -> PathBuf {
        let place = place.strip_prefix("/").unwrap_or(place);
        let is_free = |name: &PathBuf| {
            let kept = self.join("backup").join(name);
            !disk::lstat(&kept).is_ok_and(|found| found.is_some())
        };

        // Two commands may run in the same second.
        let later = (2..).map(|count| format!("{now}-{count}"));
        std::iter::once(now.to_string())
            .chain(later)
            .map(|stamp| Path::new(&stamp).join(place))
            .find(is_free)
            .expect("there is always another number")
    }

    /// The project's root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Whether it is that of the user's own project, in `$SKILLPM_HOME`.
    #[must_use]
    pub fn is_of_user(&self) -> bool {
        self.key_file.parent() == Some(&self.root)
    }

    /// Opens what is in the directory, and refuses each link there; other directories of the project as
    /// [`DirectoryHandles::new`] does.
    #[must_use]
    pub fn handles(&self) -> DirectoryHandles {
        DirectoryHandles::with_own_directory(&self.root, &self.path)
    }

    /// The names in a directory of this one, such as `undo`, sorted; the empty name is this one.
    ///
    /// # Errors
    /// If it is a link, or cannot be read.
    pub fn list_names(&self, dir: &str) -> Result<Vec<String>> {
        self.handles().list_names(&self.join(dir))
    }

    /// The bytes of the file `name`, also if another user wrote it; `None` if there is none.
    ///
    /// # Errors
    /// If it is a link or no regular file, or cannot be read.
    pub fn read_bytes(&self, name: &str) -> Result<Option<Vec<u8>>> {
        let path = self.join(name);
        self.handles().read_file(&path, disk::size_limit(&path))
    }

    /// Writes the file `name`; a crash leaves the old bytes or the new ones.
    ///
    /// # Errors
    /// If its directory or it is a link, or cannot be written.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (path, mut handles) = (self.join(name), self.handles());
        handles.create_dir(path.parent().unwrap_or(&self.path))?;
        handles.write_atomic(&path, bytes)
    }

    /// As [`StateDir::write`], for a file that can be made again: a power failure may leave the old one, or one that is empty
    /// or truncated.
    ///
    /// # Errors
    /// As for [`StateDir::write`].
    pub fn write_cached(&self, name: &str, bytes: &[u8]) -> Result<()> {
        let (path, mut handles) = (self.join(name), self.handles());
        handles.create_dir(path.parent().unwrap_or(&self.path))?;
        handles.write_unsynced(&path, bytes)
    }

    /// Removes the file `name`, if there is one.
    ///
    /// # Errors
    /// If its directory is a link, or it cannot be removed.
    pub fn remove(&self, name: &str) -> Result<()> {
        self.handles().remove(&self.join(name))
    }

    fn join(&self, name: &str) -> PathBuf {
        // An empty name would leave a slash at the end, with which a link is followed.
        self.path.join(name).components().collect()
    }

    /// Reads the file `name`, such as `undo/00000000000000000007.json`.
    ///
    /// # Errors
    /// If its directory is a link, or it or the key cannot be read.
    pub fn read(&self, name: &str) -> Result<OwnFile> {
        self.read_as(name, name)
    }

    /// Reads the file `name`, which was sealed as `sealed_as` and renamed since.
    ///
    /// # Errors
    /// As for [`StateDir::read`].
    pub fn read_as(&self, name: &str, sealed_as: &str) -> Result<OwnFile> {
        let mut handles = self.handles();
        let path = self.join(name);
        // A link in place of the file came with a clone, as any file without a valid code.
        if handles.is_link(&path)? {
            return Ok(OwnFile::Untrusted);
        }
        let limit = disk::size_limit(&self.path.join(sealed_as));
        let Some(bytes) = handles.read_file(&path, limit)? else {
            return Ok(OwnFile::Missing);
        };
        let Some((seal, moved, body)) = split_sealed(&bytes) else {
            return Ok(OwnFile::Untrusted);
        };
        // Without a key of this user no file can be trusted.
        let key = match self.read_key() {
            Err(error) if error.kind() == FailureKind::Integrity => return Ok(OwnFile::Untrusted),
            key => key?,
        };
        let Some(key) = key else {
            return Ok(OwnFile::Untrusted);
        };

        // Valid at its path, or, after the project was moved, by the identity of its directory.
        let is_own = is_valid_code(key, &self.payload_by_path(sealed_as, &body), seal)
            || self
                .payload_by_identity(sealed_as, &body)?
                .is_some_and(|subject| is_valid_code(key, &subject, moved));

        Ok(if is_own {
            OwnFile::Trusted(body)
        } else {
            OwnFile::Untrusted
        })
    }

    /// Seals `content` as the bytes of the file `name`.
    ///
    /// # Errors
    /// If there is no key yet and it cannot be written.
    pub fn seal(&self, name: &str, content: &impl Serialize) -> Result<Vec<u8>> {
        let body = serde_json::to_vec(content)
            .map_err(|cause| Error::internal(format!("failed to serialize `{name}`: {cause}")))?;
        debug_assert!(
            body.len() > 2 && body.starts_with(b"{"),
            "an object with fields"
        );
        let key = self.read_or_create_key()?;

        let seal = hmac::sign(key, &self.payload_by_path(name, &body));
        let moved = self
            .payload_by_identity(name, &body)?
            .map(|subject| hmac::sign(key, &subject));

        let mut bytes = Vec::with_capacity(body.len() + 2 * CODE_SIZE + 32);
        bytes.extend_from_slice(SEAL_START);
        bytes.extend_from_slice(hex::encode(seal).as_bytes());
        bytes.extend_from_slice(MOVED_START);
        // Zeros keep the layout for a directory that does not exist yet.
        let moved = moved.map_or_else(|| "0".repeat(CODE_SIZE), hex::encode);
        bytes.extend_from_slice(moved.as_bytes());
        bytes.extend_from_slice(BODY_START);
        bytes.extend_from_slice(&body[1..]);
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Refuses a directory that is a symbolic link before anything is changed: a clone would choose which files are removed.
    ///
    /// # Errors
    /// [`Integrity`](skillpm_core::error::FailureKind::Integrity) if the directory or one of those in it is a symbolic link.
    pub fn refuse_links(&self) -> Result<()> {
        let mut handles = self.handles();
        for name in ["", "undo", "stage", "backup"] {
            let path = self.join(name);
            if handles.is_link(&path)? {
                return Err(disk::refused_link(&path));
            }
        }
        Ok(())
    }

    /// The error of a command that needs the file `name`, which is not this user's.
    #[must_use]
    pub fn untrusted_error(&self, name: &str) -> Error {
        let path = self.path.join(name);
        // This user may have written it: who did is not known without the key.
        if let Err(error) = self.read_key() {
            return error.wrap(format!("failed to check who wrote `{}`", path.display()));
        }
        Error::integrity(format!(
            "refusing to use `{}`: it was not written by this user on this machine for this project",
            path.display()
        ))
        .note("it may have come with the repository; nothing was changed")
        .help(format!("rm '{}'", path.display()))
    }

    /// The payload of `seal`. The path is preceded by its length, so that no path can be read as the beginning of a name.
    fn payload_by_path(&self, name: &str, body: &[u8]) -> Vec<u8> {
        let root = disk::real_path(&self.root);
        code_payload("path", root.as_os_str().as_encoded_bytes(), name, body)
    }

    /// The payload of `moved`; `None` while the project's directory does not exist.
    fn payload_by_identity(&self, name: &str, body: &[u8]) -> Result<Option<Vec<u8>>> {
        let Some(FileIdentity(device, inode)) = disk::file_identity(&self.root)? else {
            return Ok(None);
        };
        let identity = format!("{device} {inode}");
        let payload = code_payload("identity", identity.as_bytes(), name, body);
        Ok(Some(payload))
    }

    /// The key; `None` if there is none yet.
    ///
    /// # Errors
    /// [`Integrity`](FailureKind::Integrity) if the file is no key that this user alone may read; or if it cannot be read.
    fn read_key(&self) -> Result<Option<&hmac::Key>> {
        if let Some(key) = self.key.get() {
            return Ok(Some(key));
        }
        let Some(meta) = disk::lstat(&self.key_file)? else {
            return Ok(None);
        };

        let shown = self.key_file.display();
        let owner = disk::file_ownership(&meta);
        // Root may write here only where it is to work for the owner, whose key it then uses.
        let is_of_home = || {
            let home = self.key_file.parent()?;
            let home = disk::lstat(&disk::real_path(home)).ok().flatten()?;
            Some(disk::file_ownership(&home).user == owner.user)
        };
        if !(owner.is_ours || disk::runs_as_root() && is_of_home() == Some(true)) {
            return Err(self
                .unusable_key(&format!("user {} owns it", owner.user))
                .help(format!(
                    "if it is yours, run `sudo chown \"$USER\" '{shown}'`"
                ))
                .help("or set `SKILLPM_HOME` to a directory of your own"));
        }
        // A key that others may read or write proves nothing.
        if meta.is_file() && owner.others_access {
            return Err(self
                .unusable_key("other users may read or write it")
                .note(format!("found mode {:04o}, expected 0600", owner.mode))
                .help(format!("chmod 600 '{shown}'")));
        }

        let text = if meta.is_file() {
            disk::read(&self.key_file)?
        } else {
            None
        };
        let bytes = text
            .and_then(|text| hex::decode(text.trim_ascii()).ok())
            .filter(|bytes| bytes.len() == KEY_SIZE)
            .ok_or_else(|| {
                self.unusable_key("it is not a key that skillpm wrote")
                    .note("with another key, earlier commands cannot be undone")
                    .help(format!("rm '{shown}'"))
            })?;
        let key = self
            .key
            .get_or_init(|| hmac::Key::new(hmac::HMAC_SHA256, &bytes));
        Ok(Some(key))
    }

    fn unusable_key(&self, why: &str) -> Error {
        Error::integrity(format!(
            "refusing to use the key `{}`: {why}",
            self.key_file.display()
        ))
    }

    /// Reads the key, which is created if there is none. One that cannot be used is never replaced: with another one, this
    /// user's earlier commands could not be undone.
    fn read_or_create_key(&self) -> Result<&hmac::Key> {
        if self.read_key()?.is_none() {
            let mut bytes = [0; KEY_SIZE];
            SystemRandom::new()
                .fill(&mut bytes)
                .map_err(|_| Error::disk("failed to read random bytes from the system"))?;
            let text = format!("{}\n", hex::encode(bytes));
            if let Some(home) = self.key_file.parent() {
                // A command that was killed here left its file.
                disk::remove_abandoned(home, disk::TEMPORARY_PREFIX);
            }
            // Another process may have created one meanwhile, which is as good.
            disk::create_private(&self.key_file, text.as_bytes())?;
        }

        self.read_key()?.ok_or_else(|| {
            Error::disk(format!(
                "failed to read the key `{}`: it was removed meanwhile",
                self.key_file.display()
            ))
        })
    }
}

/// The bytes that a code signs.
fn code_payload(kind: &str, project: &[u8], name: &str, body: &[u8]) -> Vec<u8> {
    // A digest, so that the signed text is short however long the file is.
    let digest = Sha256Digest::hash_bytes(body).to_string();
    let mut bytes = format!("skillpm state 1\n{kind}\n{}\n", project.len()).into_bytes();
    bytes.extend_from_slice(project);
    bytes.extend_from_slice(format!("\n{name}\n{digest}").as_bytes());
    bytes
}

fn is_valid_code(key: &hmac::Key, subject: &[u8], code: &[u8]) -> bool {
    hex::decode(code).is_ok_and(|code| hmac::verify(key, subject, &code).is_ok())
}

/// Splits a file into its two codes and its JSON without them; `None` if it has another format.
fn split_sealed(bytes: &[u8]) -> Option<(&[u8], &[u8], Vec<u8>)> {
    let (seal, rest) = bytes
        .strip_prefix(SEAL_START)?
        .split_at_checked(CODE_SIZE)?;
    let (moved, rest) = rest
        .strip_prefix(MOVED_START)?
        .split_at_checked(CODE_SIZE)?;
    let rest = rest.strip_prefix(BODY_START)?.strip_suffix(b"\n")?;

    let mut body = Vec::with_capacity(rest.len() + 1);
    body.push(b'{');
    body.extend_from_slice(rest);
    Some((seal, moved, body))
}

#[cfg(test)]
mod tests {
    use std::fs;
    #[cfg(unix)]
    use std::os::unix::fs::PermissionsExt as _;

    use serde_json::json;

    use super::*;

    struct Machine {
        dir: tempfile::TempDir,
    }

    impl Machine {
        fn new() -> Machine {
            let dir = tempfile::tempdir().unwrap();
            fs::create_dir_all(dir.path().join("a/.skillpm/undo")).unwrap();
            fs::create_dir_all(dir.path().join("b/.skillpm/undo")).unwrap();
            Machine { dir }
        }

        fn state(&self, project: &str) -> StateDir {
            let root = self.dir.path().join(project);
            StateDir::new(&root.join(".skillpm"), &root, &self.dir.path().join("home"))
        }

        fn write(&self, project: &str, name: &str) -> Vec<u8> {
            let state = self.state(project);
            let bytes = state
                .seal(name, &json!({"version": 1, "steps": []}))
                .unwrap();
            fs::write(state.path().join(name), &bytes).unwrap();
            bytes
        }
    }

    #[test]
    fn a_file_of_this_user_is_read_and_is_valid_json() {
        let machine = Machine::new();
        assert_eq!(
            machine.state("a").read("state.json").unwrap(),
            OwnFile::Missing
        );
        let bytes = machine.write("a", "state.json");
        let whole: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(whole["version"], 1);
        let body = br#"{"version":1,"steps":[]}"#.to_vec();
        assert_eq!(
            machine.state("a").read("state.json").unwrap(),
            OwnFile::Trusted(body)
        );
    }

    #[test]
    fn a_changed_byte_another_name_project_or_key_is_untrusted() {
        let machine = Machine::new();
        let bytes = machine.write("a", "state.json");
        let read = |project: &str, name: &str, bytes: &[u8]| {
            let state = machine.state(project);
            fs::write(state.path().join(name), bytes).unwrap();
            state.read(name).unwrap()
        };
        assert_eq!(read("a", "journal.json", &bytes), OwnFile::Untrusted);
        assert_eq!(read("b", "state.json", &bytes), OwnFile::Untrusted);
        for at in [2 * CODE_SIZE + 25, bytes.len() - 3] {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_eq!(
                read("a", "state.json", &changed),
                OwnFile::Untrusted,
                "byte {at}"
            );
        }
        for cut in 0..bytes.len() {
            assert_eq!(
                read("a", "state.json", &bytes[..cut]),
                OwnFile::Untrusted,
                "{cut} bytes"
            );
        }
        assert!(matches!(
            read("a", "state.json", &bytes),
            OwnFile::Trusted(_)
        ));
        fs::remove_file(machine.dir.path().join("home/state-key")).unwrap();
        assert_eq!(read("a", "state.json", &bytes), OwnFile::Untrusted);
        machine.write("b", "state.json");
        assert_eq!(read("a", "state.json", &bytes), OwnFile::Untrusted);
    }

    #[test]
    fn a_project_that_is_renamed_keeps_its_files_and_a_copy_does_not() {
        let machine = Machine::new();
        let bytes = machine.write("a", "state.json");
        fs::rename(machine.dir.path().join("a"), machine.dir.path().join("c")).unwrap();
        assert!(matches!(
            machine.state("c").read("state.json").unwrap(),
            OwnFile::Trusted(_)
        ));
        fs::write(machine.state("b").path().join("state.json"), bytes).unwrap();
        assert_eq!(
            machine.state("b").read("state.json").unwrap(),
            OwnFile::Untrusted
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_key_that_others_may_read_proves_nothing_and_is_not_replaced() {
        let machine = Machine::new();
        machine.write("a", "state.json");
        let key = machine.dir.path().join("home/state-key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(
            machine.state("a").read("state.json").unwrap(),
            OwnFile::Untrusted
        );
        let error = machine
            .state("a")
            .seal("state.json", &json!({"version": 1}))
            .unwrap_err();
        assert!(
            error
                .message()
                .ends_with("other users may read or write it"),
            "{error}"
        );
        fs::set_permissions(&key, fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(
            machine.state("a").read("state.json").unwrap(),
            OwnFile::Trusted(_)
        ));
    }

    #[test]
    fn a_key_that_is_none_stays_as_it_is() {
        let machine = Machine::new();
        machine.write("a", "state.json");
        let key = machine.dir.path().join("home/state-key");
        for text in ["", "00", "not hexadecimal\n"] {
            fs::write(&key, text).unwrap();
            let error = machine
                .state("a")
                .seal("state.json", &json!({"version": 1}))
                .unwrap_err();
            assert_eq!(error.kind(), FailureKind::Integrity, "{error}");
            assert_eq!(fs::read_to_string(&key).unwrap(), text);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_directory_that_is_a_link_is_refused() {
        let machine = Machine::new();
        machine.state("a").refuse_links().unwrap();
        fs::remove_dir(machine.dir.path().join("a/.skillpm/undo")).unwrap();
        std::os::unix::fs::symlink("../../b", machine.dir.path().join("a/.skillpm/undo")).unwrap();
        let error = machine.state("a").refuse_links().unwrap_err();
        assert!(
            error
                .message()
                .ends_with(".skillpm/undo`: it is a symbolic link"),
            "{error}"
        );
    }
}
