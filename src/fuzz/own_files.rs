//! The files of a project's own state: journal, state and undo entries.

use std::path::{Component, Path};
use std::sync::OnceLock;

use crate::install::state::{self, ProjectState};
use crate::install::state_dir::{OwnFile, StateDir};
use crate::install::{transaction, undo};
use crate::io::disk;

/// A project with a key; its state directory is empty between inputs.
fn state_dir() -> &'static StateDir {
    static DIR: OnceLock<StateDir> = OnceLock::new();

    DIR.get_or_init(create_state_dir)
}

fn create_state_dir() -> StateDir {
    // Kept for the whole run: a new directory for each input would be slow.
    let root = tempfile::tempdir().expect("a temporary directory").keep();
    let project = root.join("project");
    let dir = StateDir::new(&project.join(".skillpm"), &project, &root.join("home"));

    disk::create_dir(dir.path()).expect("a directory");
    dir.seal(state::STATE_FILE, &ProjectState::default())
        .expect("the key is made once");
    dir
}

/// Whatever its content, a file without the key is not accepted as this user's.
fn assert_untrusted(name: &str, input: &[u8]) {
    let dir = state_dir();
    let path = dir.path().join(name);

    disk::write_cached(&path, input).expect("a file");
    assert_eq!(dir.read(name).expect("it can be read"), OwnFile::Untrusted);

    disk::remove(&path).expect("it can be removed");
}

/// A journal without the key is not applied, and even with it may contain only stages, backups and plain paths.
pub(super) fn journal(input: &[u8]) {
    let dir = state_dir();
    assert_untrusted(transaction::JOURNAL, input);

    assert!(
        transaction::recover(dir).is_ok_and(|recovered| recovered.is_none()),
        "it was removed"
    );

    let Some(paths) = transaction::journal_paths(input, dir) else {
        return;
    };

    let is_plain = |path: &Path| !path.components().any(|part| part == Component::ParentDir);
    assert!(
        paths
            .deleted
            .iter()
            .chain(&paths.moved)
            .all(|path| is_plain(path)),
        "{paths:?}"
    );

    let is_stage = |path: &Path| {
        path.ends_with(transaction::STAGE_BESIDE) || *path == dir.path().join("stage")
    };

    assert!(paths.deleted.iter().all(|path| is_stage(path)), "{paths:?}");
}

/// A state without the key is not accepted; one with the key is written the same.
pub(super) fn state(input: &[u8]) {
    let dir = state_dir();
    assert_untrusted(state::STATE_FILE, input);

    let Ok(state) = serde_json::from_slice::<ProjectState>(input) else {
        return;
    };

    let (path, bytes) = state.to_file(dir).expect("the key is there");
    disk::write_cached(&path, &bytes).expect("a file");
    let again = ProjectState::load(dir).expect("it can be read");

    assert_eq!(
        ProjectState {
            version: state.version,
            ..again
        },
        state
    );

    disk::remove(&path).expect("it can be removed");
}

/// An entry without the key is not undone; one with the key is written the same.
pub(super) fn undo_entry(input: &[u8]) {
    let dir = state_dir();
    assert_untrusted("undo/00000000000000000001.json", input);

    let Ok(entry) = serde_json::from_slice::<undo::UndoEntry>(input) else {
        return;
    };

    let (path, bytes) = entry.to_file(dir).expect("the key is there");
    disk::write_cached(&path, &bytes).expect("a file");

    if let Some((_, again)) = undo::entries(dir).expect("it can be read").first() {
        assert_eq!(*again, entry);
    }

    disk::remove(&path).expect("it can be removed");
}
