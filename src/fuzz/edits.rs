//! Local edits: patches, and their merges with upstream changes.

use crate::merge::{self, ConflictLabels, FileOutcome, MergeFavor, MergedFile, MergedTree, patch};
use crate::package::{Tree, TreeLimits};

/// A patch that applies gives a package within all limits, and its changes can be written, applied again and reverted.
pub(super) fn patch(input: &[u8]) {
    let before = patch_base();
    let Ok(after) = patch::apply(&before, input) else {
        return;
    };

    assert_within_limits(&after);
    if after == before {
        return assert_eq!(patch::diff_trees(&before, &after), []);
    }

    let there = patch::render_full_patch(&patch::diff_trees(&before, &after));
    assert_eq!(
        patch::apply(&before, there.as_bytes()).ok().as_ref(),
        Some(&after),
        "{there}"
    );

    let back = patch::render_full_patch(&patch::diff_trees(&after, &before));
    assert_eq!(
        patch::apply(&after, back.as_bytes()).ok(),
        Some(before),
        "{back}"
    );
}

/// The package that the seeds' patches apply to.
fn patch_base() -> Tree {
    let ten: String = (1..=10).map(|line| format!("line {line}\n")).collect();

    let mut tree = Tree::builder();
    for (path, bytes) in [
        ("SKILL.md", ten.as_bytes()),
        ("a b/c.md", b"c\r\n"),
        ("logo.png", b"\0png"),
        ("run.sh", b"#!/bin/sh\n"),
    ] {
        tree.add(path, bytes.to_vec(), path == "run.sh")
            .expect("the paths are good");
    }

    tree.finish()
}

/// Three packages, separated by bytes `0x1e`: an unchanged side gets the other's version, equal sides give that version,
/// and swapped sides give the swapped result; except where the local side wins: the path of a file that both moved, and
/// a file that it removed.
pub(super) fn merge(input: &[u8]) {
    let mut parts = input.splitn(3, |byte| *byte == 0x1e);
    let mut next = || parse_package(parts.next().unwrap_or_default());
    let (base, ours, theirs) = (next(), next(), next());
    // A side that changed nothing takes the other as it is.
    assert_eq!(
        merge_trees(&base, &base, &theirs).map(|merged| merged.tree),
        Some(theirs.clone())
    );
    assert_eq!(
        merge_trees(&base, &ours, &base).map(|merged| merged.tree),
        Some(ours.clone())
    );
    assert_eq!(
        merge_trees(&base, &ours, &ours).map(|merged| merged.tree),
        Some(ours.clone())
    );

    let (there, back) = (
        merge_trees(&base, &ours, &theirs),
        merge_trees(&base, &theirs, &ours),
    );
    let (Some(there), Some(back)) = (there, back) else {
        return;
    };
    assert_within_limits(&there.tree);

    let conflicts = |merged: &MergedTree| merged.conflicts().count();
    // Where the person's side has the last word, swapping the sides changes the result.
    if [&there, &back]
        .iter()
        .any(|merged| merged.files.iter().any(is_asymmetric))
    {
        return;
    }

    assert_eq!(conflicts(&there), conflicts(&back));
    if conflicts(&there) == 0 {
        assert_eq!(there.tree, back.tree);
    }
}

fn is_asymmetric(change: &MergedFile) -> bool {
    change.from.is_some()
        || matches!(
            change.outcome,
            FileOutcome::KeptRemoved | FileOutcome::KeptThoughRemoved
        )
}

fn merge_trees(base: &Tree, ours: &Tree, theirs: &Tree) -> Option<MergedTree> {
    merge::merge_trees(
        base,
        ours,
        theirs,
        MergeFavor::Neither,
        ConflictLabels::default(),
    )
    .ok()
}

/// Files separated by bytes `0x1d`: the first line is the name, with the prefix `+` if it is executable.
fn parse_package(input: &[u8]) -> Tree {
    let mut tree = Tree::builder();

    for file in input.split(|byte| *byte == 0x1d) {
        let (name, bytes) = file.split_at(memchr::memchr(b'\n', file).unwrap_or(file.len()));
        let name = String::from_utf8_lossy(name);

        let (name, executable) = name
            .strip_prefix('+')
            .map_or((&*name, false), |name| (name, true));

        // Invalid or colliding names are skipped.
        let _ = tree.add(
            name,
            bytes.get(1..).unwrap_or_default().to_vec(),
            executable,
        );
    }

    tree.finish()
}

pub(super) fn assert_within_limits(tree: &Tree) {
    let limits = TreeLimits::default();
    let sizes = || tree.files().map(|(_, file)| file.bytes.len() as u64);

    assert!(tree.len() <= limits.files);
    assert!(sizes().sum::<u64>() <= limits.total);
    assert!(sizes().all(|size| size <= limits.file));

    let mut again = Tree::builder();
    for (path, file) in tree.files() {
        again
            .add(path.as_str(), file.bytes.clone(), file.executable)
            .expect("a package is one that can be built");
    }

    assert_eq!(again.finish(), *tree);
}
