//! The directory of a project's own files, and the proof that this user wrote them on this machine.
//!
//! ```json
//! {"seal":"9f2c…","moved":"77ab…","version":2,"committed":false,…}
//! ```
//!
//! A clone can bring a `.skillpm/` of its own, and to obey a journal means to move and delete files. So each of
//! `journal.json`, `state.json` and `undo/*.json` begins with two codes (HMAC-SHA-256) by the key in
//! `$SKILLPM_HOME/state-key`, which no repository brings: `seal` is over the project's path, the file's name and what
//! follows, `moved` over the identity of the project's directory instead of its path, so that a project can be renamed.
//! A file with neither is not obeyed, whatever it says.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use ring::hmac;
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::Serialize;

use crate::error::{Error, Result};
use crate::io::disk::{self, Identity};
use crate::package::Sha256;

/// The key's file in `$SKILLPM_HOME`.
const KEY_FILE: &str = "state-key";
/// The length of the key, in bytes.
const KEY_SIZE: usize = 32;
/// The length of a code, in hexadecimal digits.
const CODE_SIZE: usize = 64;
/// What a file begins with, before and between its codes.
const SEAL_START: &[u8] = b"{\"seal\":\"";
const MOVED_START: &[u8] = b"\",\"moved\":\"";
const BODY_START: &[u8] = b"\",";

/// Where a project's state, journal and undo entries are, and how to tell that they are this user's.
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
    /// What this user wrote, as JSON.
    Trusted(Vec<u8>),
}

impl StateDir {
    /// The directory `path` of the project at `root`; the key is in `home`, which is `$SKILLPM_HOME`.
    #[must_use]
    pub fn new(path: &Path, root: &Path, home: &Path) -> StateDir {
        StateDir { path: path.to_owned(), root: root.to_owned(), key_file: home.join(KEY_FILE), key: OnceLock::new() }
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The project's root.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Reads the file `name`, such as `undo/00000000000000000007.json`.
    ///
    /// # Errors
    /// If it or the key is there but cannot be read.
    pub fn read(&self, name: &str) -> Result<OwnFile> {
        let Some(bytes) = disk::read(&self.path.join(name))? else { return Ok(OwnFile::Missing) };
        let Some((seal, moved, body)) = split(&bytes) else { return Ok(OwnFile::Untrusted) };
        let Some(key) = self.known_key()? else { return Ok(OwnFile::Untrusted) };

        let is_ours = is_code(key, &self.subject_by_path(name, &body), seal)
            || self.subject_by_identity(name, &body)?.is_some_and(|subject| is_code(key, &subject, moved));

        Ok(if is_ours { OwnFile::Trusted(body) } else { OwnFile::Untrusted })
    }

    /// The bytes with which `content` is written as the file `name`.
    ///
    /// # Errors
    /// If the key is not there yet and cannot be written.
    pub fn seal(&self, name: &str, content: &impl Serialize) -> Result<Vec<u8>> {
        let body = serde_json::to_vec(content).map_err(|cause| Error::internal(format!("{name}: {cause}")))?;
        debug_assert!(body.len() > 2 && body.starts_with(b"{"), "an object with fields");
        let key = self.key()?;

        let seal = hmac::sign(key, &self.subject_by_path(name, &body));
        let moved = self.subject_by_identity(name, &body)?.map(|subject| hmac::sign(key, &subject));

        let mut bytes = Vec::with_capacity(body.len() + 2 * CODE_SIZE + 32);
        bytes.extend_from_slice(SEAL_START);
        bytes.extend_from_slice(hex::encode(seal).as_bytes());
        bytes.extend_from_slice(MOVED_START);
        let moved = moved.map_or_else(|| "0".repeat(CODE_SIZE), hex::encode);
        bytes.extend_from_slice(moved.as_bytes());
        bytes.extend_from_slice(BODY_START);
        bytes.extend_from_slice(&body[1..]);
        bytes.push(b'\n');
        Ok(bytes)
    }

    /// Refuses a directory that a link leads to somewhere else: a clone would choose what is removed there.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if the directory or one of those in it is a symbolic link.
    pub fn refuse_links(&self) -> Result<()> {
        for path in ["", "undo", "stage", "backup"].map(|name| self.path.join(name)) {
            // An empty name leaves a slash at the end, behind which a link is followed.
            let path = path.components().collect::<PathBuf>();
            if disk::lstat(&path)?.is_some_and(|meta| meta.is_symlink()) {
                return Err(Error::integrity(format!("refusing to use `{}`: it is a symbolic link", path.display()))
                    .note("nothing was changed")
                    .help(format!("rm '{}'", path.display())));
            }
        }
        Ok(())
    }

    /// That the file `name` is not this user's, as an error of a command that would have to obey it.
    #[must_use]
    pub fn refused(&self, name: &str) -> Error {
        let path = self.path.join(name);
        Error::integrity(format!(
            "refusing to use `{}`: it was not written by this user on this machine for this project",
            path.display()
        ))
        .note("it may have come with the repository; nothing was changed")
        .help(format!("rm '{}'", path.display()))
    }

    /// What `seal` vouches for. Its length comes first, so that no path can be read as the beginning of a name.
    fn subject_by_path(&self, name: &str, body: &[u8]) -> Vec<u8> {
        let root = disk::real_path(&self.root);
        subject("path", root.as_os_str().as_encoded_bytes(), name, body)
    }

    /// What `moved` vouches for; `None` while the project's directory is not there.
    fn subject_by_identity(&self, name: &str, body: &[u8]) -> Result<Option<Vec<u8>>> {
        let identity = disk::identity(&self.root)?;
        Ok(identity
            .map(|Identity(device, inode)| subject("identity", format!("{device} {inode}").as_bytes(), name, body)))
    }

    /// The key; `None` if there is none yet.
    fn known_key(&self) -> Result<Option<&hmac::Key>> {
        if let Some(key) = self.key.get() {
            return Ok(Some(key));
        }
        // A key that others may read or write proves nothing.
        let is_private = disk::lstat(&self.key_file)?.is_some_and(|meta| {
            let owner = disk::ownership(&meta);
            meta.is_file() && owner.is_ours && !owner.others_may
        });
        if !is_private {
            return Ok(None);
        }
        let Some(text) = disk::read(&self.key_file)? else { return Ok(None) };
        let bytes = hex::decode(text.trim_ascii()).ok().filter(|bytes| bytes.len() == KEY_SIZE);
        Ok(bytes.map(|bytes| self.key.get_or_init(|| hmac::Key::new(hmac::HMAC_SHA256, &bytes))))
    }

    /// The key, which is made if there is none.
    fn key(&self) -> Result<&hmac::Key> {
        if self.known_key()?.is_none() {
            let mut bytes = [0; KEY_SIZE];
            SystemRandom::new()
                .fill(&mut bytes)
                .map_err(|_| Error::disk("failed to read random bytes of the system"))?;
            let text = format!("{}\n", hex::encode(bytes));
            if let Some(home) = self.key_file.parent() {
                // A command that was killed here left its file.
                disk::clear_dead(home, disk::TEMPORARY);
            }
            if !disk::create_private(&self.key_file, text.as_bytes())? && self.known_key()?.is_none() {
                disk::write_private(&self.key_file, text.as_bytes())?;
            }
        }
        self.known_key()?.ok_or_else(|| {
            Error::disk(format!("`{}` is not a key that only you may read", self.key_file.display()))
                .help(format!("rm '{}'", self.key_file.display()))
        })
    }
}

/// The bytes that a code is made of.
fn subject(kind: &str, place: &[u8], name: &str, body: &[u8]) -> Vec<u8> {
    let digest = Sha256::of(body).to_string();
    let mut bytes = format!("skillpm state 1\n{kind}\n{}\n", place.len()).into_bytes();
    bytes.extend_from_slice(place);
    bytes.extend_from_slice(format!("\n{name}\n{digest}").as_bytes());
    bytes
}

fn is_code(key: &hmac::Key, subject: &[u8], code: &[u8]) -> bool {
    hex::decode(code).is_ok_and(|code| hmac::verify(key, subject, &code).is_ok())
}

/// The two codes of a file and its JSON without them; `None` if it has another form.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8], Vec<u8>)> {
    let (seal, rest) = bytes.strip_prefix(SEAL_START)?.split_at_checked(CODE_SIZE)?;
    let (moved, rest) = rest.strip_prefix(MOVED_START)?.split_at_checked(CODE_SIZE)?;
    let rest = rest.strip_prefix(BODY_START)?.strip_suffix(b"\n")?;
    let mut body = Vec::with_capacity(rest.len() + 1);
    body.push(b'{');
    body.extend_from_slice(rest);
    Some((seal, moved, body))
}

#[cfg(test)]
mod tests {
    use std::fs;
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
            let bytes = state.seal(name, &json!({"version": 1, "steps": []})).unwrap();
            fs::write(state.path().join(name), &bytes).unwrap();
            bytes
        }
    }

    #[test]
    fn what_this_user_wrote_is_read_and_is_json_as_a_whole() {
        let machine = Machine::new();
        assert_eq!(machine.state("a").read("state.json").unwrap(), OwnFile::Missing);
        let bytes = machine.write("a", "state.json");
        let whole: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        assert_eq!(whole["version"], 1);
        let body = br#"{"version":1,"steps":[]}"#.to_vec();
        assert_eq!(machine.state("a").read("state.json").unwrap(), OwnFile::Trusted(body));
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
            assert_eq!(read("a", "state.json", &changed), OwnFile::Untrusted, "byte {at}");
        }
        for cut in 0..bytes.len() {
            assert_eq!(read("a", "state.json", &bytes[..cut]), OwnFile::Untrusted, "{cut} bytes");
        }
        assert!(matches!(read("a", "state.json", &bytes), OwnFile::Trusted(_)));
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
        assert!(matches!(machine.state("c").read("state.json").unwrap(), OwnFile::Trusted(_)));
        fs::write(machine.state("b").path().join("state.json"), bytes).unwrap();
        assert_eq!(machine.state("b").read("state.json").unwrap(), OwnFile::Untrusted);
    }

    #[test]
    fn a_key_that_others_may_read_proves_nothing_and_is_replaced() {
        let machine = Machine::new();
        machine.write("a", "state.json");
        let key = machine.dir.path().join("home/state-key");
        fs::set_permissions(&key, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(machine.state("a").read("state.json").unwrap(), OwnFile::Untrusted);
        machine.write("a", "state.json");
        assert!(matches!(machine.state("a").read("state.json").unwrap(), OwnFile::Trusted(_)));
        assert_eq!(fs::metadata(&key).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_directory_that_is_a_link_is_refused() {
        let machine = Machine::new();
        machine.state("a").refuse_links().unwrap();
        fs::remove_dir(machine.dir.path().join("a/.skillpm/undo")).unwrap();
        std::os::unix::fs::symlink("../../b", machine.dir.path().join("a/.skillpm/undo")).unwrap();
        let error = machine.state("a").refuse_links().unwrap_err();
        assert!(error.message().ends_with(".skillpm/undo`: it is a symbolic link"), "{error}");
    }
}
