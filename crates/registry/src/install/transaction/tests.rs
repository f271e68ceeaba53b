use std::fs;

use super::*;
use skillpm_io::disk::FileIdentity;

fn tree(text: &str) -> Tree {
    let mut tree = Tree::builder();
    tree.add("SKILL.md", text.into(), false).unwrap();
    tree.finish()
}

/// Every file below a directory, with its text.
fn listing(dir: &Path) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(path) = todo.pop() {
        for entry in fs::read_dir(path).unwrap().flatten() {
            if entry.path().is_dir() {
                todo.push(entry.path());
            } else {
                let path = entry.path();
                let name = path.strip_prefix(dir).unwrap().display().to_string();
                let name = name.replace(std::path::MAIN_SEPARATOR, "/");
                files.insert(name, fs::read_to_string(entry.path()).unwrap());
            }
        }
    }
    files
}

/// A project in a directory, with the key in another beside it.
struct Project {
    _dir: tempfile::TempDir,
    root: PathBuf,
}

impl Project {
    fn path(&self) -> &Path {
        &self.root
    }

    fn state_dir(&self) -> StateDir {
        state_dir(&self.root)
    }
}

fn state_dir(root: &Path) -> StateDir {
    StateDir::new(&root.join(".skillpm"), root, &root.with_file_name("home"))
}

fn project() -> Project {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("project");
    let root = Project { _dir: dir, root };
    for name in ["kept", "old", "gone"] {
        fs::create_dir_all(root.path().join("skills").join(name)).unwrap();
        fs::write(root.path().join("skills").join(name).join("SKILL.md"), name).unwrap();
    }
    fs::write(root.path().join("lock"), "before").unwrap();
    root
}

fn stage(root: &Path) -> Transaction {
    let mut changes = Transaction::begin(&state_dir(root)).unwrap();
    changes
        .put_tree(
            &root.join("skills/old"),
            &tree("new"),
            None,
            &LocalFiles::default(),
        )
        .unwrap();
    changes
        .put_tree(
            &root.join("skills/fresh"),
            &tree("fresh"),
            None,
            &LocalFiles::default(),
        )
        .unwrap();
    changes
        .put_tree(
            &root.join("other/agent/fresh"),
            &tree("fresh"),
            None,
            &LocalFiles::default(),
        )
        .unwrap();
    changes
        .remove(&root.join("skills/gone"), None, &LocalFiles::default())
        .unwrap();
    changes.put_file(&root.join("lock"), b"after").unwrap();
    changes
}

fn after() -> BTreeMap<String, String> {
    [
        ("lock", "after"),
        ("other/agent/fresh/SKILL.md", "fresh"),
        ("skills/fresh/SKILL.md", "fresh"),
        ("skills/kept/SKILL.md", "kept"),
        ("skills/old/SKILL.md", "new"),
    ]
    .map(|(path, text)| (path.to_owned(), text.to_owned()))
    .into()
}

#[test]
fn all_changes_are_made_and_nothing_is_left_over() {
    let root = project();
    stage(root.path()).commit().unwrap();
    assert_eq!(listing(root.path()), after());
    assert!(
        disk::list_names(&root.path().join(".skillpm"))
            .unwrap()
            .is_empty()
    );
}

#[test]
fn changes_are_undone_when_dropped_without_commit() {
    let root = project();
    let before = listing(root.path());
    drop(stage(root.path()));
    assert_eq!(listing(root.path()), before);
    assert_eq!(disk::list_names(root.path()).unwrap(), ["lock", "skills"]);
}

#[test]
fn a_kill_after_any_number_of_steps_is_undone_by_the_next_command() {
    for steps in 0..=5 {
        let root = project();
        let before = listing(root.path());
        let mut killed = stage(root.path());
        killed.begin_steps().unwrap();
        for step in &killed.journal.steps[..steps] {
            apply_step(step, &mut killed.handles).unwrap();
        }
        killed.finished = true; // so that `drop` does not undo
        drop(killed);
        assert_eq!(
            recover(&root.state_dir()).unwrap(),
            Some(RecoveryReport::default())
        );
        assert_eq!(listing(root.path()), before, "after {steps} steps");
        assert_eq!(recover(&root.state_dir()).unwrap(), None);
    }
}

#[test]
fn a_kill_is_undone_after_the_user_removed_the_target() {
    let root = project();
    let mut before = listing(root.path());
    let mut killed = stage(root.path());
    killed.begin_steps().unwrap();
    for step in &killed.journal.steps {
        apply_step(step, &mut killed.handles).unwrap();
    }
    killed.finished = true; // so that `drop` does not undo
    drop(killed);
    fs::remove_dir_all(root.path().join("skills")).unwrap();

    assert_eq!(
        recover(&root.state_dir()).unwrap(),
        Some(RecoveryReport::default())
    );
    // What the command replaced or removed is there again; the rest is as the user left it.
    before.remove("skills/kept/SKILL.md");
    assert_eq!(listing(root.path()), before);
    assert_eq!(recover(&root.state_dir()).unwrap(), None);
}

#[test]
fn a_kill_between_the_moves_of_an_exchange_is_undone_by_the_next_command() {
    for moves in 1..=2 {
        let root = project();
        let before = listing(root.path());
        let mut killed = stage(root.path());
        killed.begin_steps().unwrap();
        let step = &killed.journal.steps[0];
        fs::rename(&step.place, disk::aside_path(&step.staged)).unwrap();
        if moves == 2 {
            fs::rename(&step.staged, &step.place).unwrap();
        }
        killed.finished = true;
        drop(killed);
        assert_eq!(
            recover(&root.state_dir()).unwrap(),
            Some(RecoveryReport::default())
        );
        assert_eq!(listing(root.path()), before, "after {moves} moves");
    }
}

#[test]
fn kill_while_an_unmovable_directory_is_copied_is_undone() {
    let root = project();
    let before = listing(root.path());
    let mut changes = stage(root.path());
    let old = changes.journal.steps[0].old;
    changes.replace_with_copy(0).unwrap();
    assert_ne!(changes.journal.steps[0].old, old, "it is another directory");
    changes.commit().unwrap();
    assert_eq!(listing(root.path()), after());

    let root = project();
    let mut killed = stage(root.path());
    killed.begin_steps().unwrap();
    let step = &killed.journal.steps[0];
    let aside = disk::aside_path(&step.staged);
    fs::create_dir(&aside).unwrap();
    fs::copy(step.place.join("SKILL.md"), aside.join("SKILL.md")).unwrap();
    let copy = disk::file_identity(&aside).unwrap();
    killed.journal.steps[0].old = copy;
    killed.save_journal().unwrap();
    // It had been emptied, and not removed yet.
    let step = &killed.journal.steps[0];
    fs::remove_file(step.place.join("SKILL.md")).unwrap();
    killed.finished = true;
    drop(killed);
    assert_eq!(
        recover(&root.state_dir()).unwrap(),
        Some(RecoveryReport::default())
    );
    assert_eq!(listing(root.path()), before);
}

#[test]
fn a_kill_is_undone_after_the_device_number_changed() {
    let root = project();
    let before = listing(root.path());
    let mut killed = stage(root.path());
    killed.begin_steps().unwrap();
    for step in &killed.journal.steps.clone() {
        apply_step(step, &mut killed.handles).unwrap();
    }
    let real = killed.journal.device;
    killed.journal = killed.journal.clone().on_device(real + 7);
    killed.save_journal().unwrap();
    killed.finished = true;
    drop(killed);
    assert_eq!(
        recover(&root.state_dir()).unwrap(),
        Some(RecoveryReport::default())
    );
    assert_eq!(listing(root.path()), before);
}

#[test]
fn staged_content_that_cannot_be_identified_is_kept() {
    let root = project();
    let mut killed = stage(root.path());
    killed.begin_steps().unwrap();
    for step in &killed.journal.steps.clone() {
        apply_step(step, &mut killed.handles).unwrap();
    }
    // As on a disk that was restored from a backup.
    killed.journal.steps.iter_mut().for_each(|step| {
        step.old = step.old.map(|old| FileIdentity(old.0, old.1 + 1_000_000));
        step.new = step.new.map(|new| FileIdentity(new.0, new.1 + 1_000_000));
    });
    killed.save_journal().unwrap();
    killed.finished = true;
    drop(killed);
    recover(&root.state_dir()).unwrap();
    let kept = listing(&root.path().join(".skillpm/backup"));
    assert_eq!(kept["stage-1/0/SKILL.md"], "old", "{kept:?}");
    assert_eq!(listing(root.path())["skills/gone/SKILL.md"], "gone");
}

#[test]
fn a_kill_after_the_commit_is_finished_by_the_next_command() {
    let root = project();
    let mut killed = stage(root.path());
    killed.begin_steps().unwrap();
    killed.journal.steps.iter().for_each(|step| {
        apply_step(step, &mut killed.handles)
            .unwrap()
            .require_moved(&step.place)
            .unwrap();
    });
    killed.mark_committed().unwrap();
    killed.finished = true;
    drop(killed);
    recover(&root.state_dir()).unwrap();
    assert_eq!(listing(root.path()), after());
}

#[test]
fn a_journal_that_was_committed_in_place_is_finished() {
    let root = project();
    let mut killed = stage(root.path());
    killed.begin_steps().unwrap();
    for step in &killed.journal.steps.clone() {
        apply_step(step, &mut killed.handles).unwrap();
    }
    killed.journal.committed = true;
    killed.save_journal().unwrap();
    killed.finished = true;
    drop(killed);
    recover(&root.state_dir()).unwrap();
    assert_eq!(listing(root.path()), after());
}

#[test]
fn stage_of_a_command_that_changed_nothing_is_removed() {
    for is_torn in [false, true] {
        let root = project();
        let before = listing(root.path());
        let mut killed = stage(root.path());
        killed.finished = true;
        drop(killed);
        if is_torn {
            fs::write(root.path().join(".skillpm/journal.json.new"), "").unwrap();
        }
        recover(&root.state_dir()).unwrap();
        assert_eq!(listing(root.path()), before);
        let left = disk::list_names(&root.path().join(".skillpm")).unwrap();
        assert!(left.is_empty(), "{left:?}");
    }
}

#[test]
fn an_edit_during_the_commit_undoes_everything() {
    let root = project();
    let stamp = disk::stamp_tree(&root.path().join("skills/old")).unwrap();
    let mut changes = Transaction::begin(&root.state_dir()).unwrap();
    changes
        .put_tree(
            &root.path().join("skills/old"),
            &tree("new"),
            stamp,
            &LocalFiles::default(),
        )
        .unwrap();
    fs::write(root.path().join("skills/old/SKILL.md"), "edited").unwrap();
    let before = listing(&root.path().join("skills"));
    assert!(
        changes
            .commit()
            .unwrap_err()
            .message()
            .ends_with("it was edited meanwhile")
    );
    assert_eq!(listing(&root.path().join("skills")), before);
}

#[cfg(unix)]
#[test]
fn directory_moved_during_the_commit_undoes_everything() {
    for with_text in [false, true] {
        let root = project();
        let before = listing(&root.path().join("skills"));
        let mut changes = Transaction::begin(&root.state_dir()).unwrap();
        changes
            .put_tree(
                &root.path().join("skills/old"),
                &tree("new"),
                None,
                &LocalFiles::default(),
            )
            .unwrap();
        changes
            .remove(
                &root.path().join("skills/gone"),
                None,
                &LocalFiles::default(),
            )
            .unwrap();
        if with_text {
            changes
                .put_file(&root.path().join("lock"), b"after")
                .unwrap();
        }
        fs::rename(root.path().join("skills"), root.path().join("moved")).unwrap();
        fs::create_dir(root.path().join("planted")).unwrap();
        std::os::unix::fs::symlink("planted", root.path().join("skills")).unwrap();
        let error = changes.commit().unwrap_err();
        assert!(
            error
                .message()
                .ends_with("skills` was moved while skillpm was writing to it"),
            "{error}"
        );
        assert_eq!(
            listing(&root.path().join("moved")),
            before,
            "with a text: {with_text}"
        );
        assert_eq!(
            fs::read_to_string(root.path().join("lock")).unwrap(),
            "before"
        );
    }
}

#[test]
fn a_backup_outlives_the_transaction() {
    let root = project();
    let mut changes = Transaction::begin(&root.state_dir()).unwrap();
    changes
        .back_up(&root.path().join("skills/old"), Path::new("1/old"))
        .unwrap();
    changes
        .put_tree(
            &root.path().join("skills/old"),
            &tree("new"),
            None,
            &LocalFiles::default(),
        )
        .unwrap();
    changes.commit().unwrap();
    assert_eq!(
        fs::read_to_string(root.path().join(".skillpm/backup/1/old/SKILL.md")).unwrap(),
        "old"
    );
    assert_eq!(
        fs::read_to_string(root.path().join("skills/old/SKILL.md")).unwrap(),
        "new"
    );
}

#[test]
fn files_that_a_killed_command_had_begun_are_removed() {
    let root = project();
    let state = root.path().join(".skillpm");
    fs::create_dir_all(state.join("undo")).unwrap();
    for begun in [".skillpm-stage-aB3dE9", "undo/.skillpm-stage-aB3dE9"] {
        fs::write(state.join(begun), "{").unwrap();
    }
    fs::write(state.join("undo/notes"), "mine").unwrap();
    recover(&root.state_dir()).unwrap();
    assert_eq!(
        listing(&state),
        [("undo/notes".to_owned(), "mine".to_owned())].into()
    );
}
