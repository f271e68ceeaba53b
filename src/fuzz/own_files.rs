//! The files of a project's own state: journal, state and undo entries.

use std::path::{Component, Path};
use std::sync::OnceLock;

use crate::install::state::{self, State};
use crate::install::state_dir::{OwnFile, StateDir};
use crate::install::{transaction, undo};
use crate::io::disk;

/// A project with a key; its state directory is empty between inputs.
fn state_dir() -> &'static StateDir {
    static DIR: OnceLock<StateDir> = OnceLock::new();
    DIR.get_or_init(|| {
        let root = tempfile::tempdir().expect("a temporary directory").keep();
        let project = root.join("project");
        let dir = StateDir::new(&project.join(".skillpm"), &project, &root.join("home"));
        disk::create_dir(dir.path()).expect("a directory");
        dir.seal(state::FILE, &State::default()).expect("the key is made once");
        dir
    })
}

/// Whatever a file says, without the key it is not this user's.
fn is_untrusted(name: &str, input: &[u8]) {
    let dir = state_dir();
    let path = dir.path().join(name);
    disk::write_copy(&path, input).expect("a file");
    assert_eq!(dir.read(name).expect("it can be read"), OwnFile::Untrusted);
    disk::remove(&path).expect("it can be removed");
}

/// A journal is not obeyed without the key, and even with it names only stages, backups and plain paths.
pub(super) fn journal(input: &[u8]) {
    let dir = state_dir();
    is_untrusted(transaction::JOURNAL, input);
    assert!(transaction::recover(dir).is_ok_and(|recovered| recovered.is_none()), "it was removed");
    let Some(paths) = transaction::paths_in(input, dir) else { return };

    let is_plain = |path: &Path| !path.components().any(|part| part == Component::ParentDir);
    assert!(paths.deleted.iter().chain(&paths.moved).all(|path| is_plain(path)), "{paths:?}");
    let is_stage = |path: &Path| path.ends_with(transaction::STAGE_BESIDE) || *path == dir.path().join("stage");
    assert!(paths.deleted.iter().all(|path| is_stage(path)), "{paths:?}");
}

/// A state is not read without the key; what is read with it is written the same.
pub(super) fn state(input: &[u8]) {
    let dir = state_dir();
    is_untrusted(state::FILE, input);
    let Ok(state) = serde_json::from_slice::<State>(input) else { return };
    let (path, bytes) = state.to_file(dir).expect("the key is there");
    disk::write_copy(&path, &bytes).expect("a file");
    let again = State::load(dir).expect("it can be read");
    assert_eq!(State { version: state.version, ..again }, state);
    disk::remove(&path).expect("it can be removed");
}

/// An entry is not undone without the key; what is read with it is written the same.
pub(super) fn undo_entry(input: &[u8]) {
    let dir = state_dir();
    is_untrusted("undo/00000000000000000001.json", input);
    let Ok(entry) = serde_json::from_slice::<undo::Entry>(input) else { return };
    let (path, bytes) = entry.to_file(dir).expect("the key is there");
    disk::write_copy(&path, &bytes).expect("a file");
    if let Some((_, again)) = undo::entries(dir).expect("it can be read").first() {
        assert_eq!(*again, entry);
    }
    disk::remove(&path).expect("it can be removed");
}
