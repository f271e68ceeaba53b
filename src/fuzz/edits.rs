//! What people changed: patches, and merges of them with what upstream changed.

use crate::merge::{self, Change, Favour, Merged, Names, Outcome, patch};
use crate::package::{Limits, Tree};

/// A patch that fits gives a package within all limits, and what it changed can be written down, made again and taken back.
pub(super) fn patch(input: &[u8]) {
    let before = patched_here();
    let Ok(after) = patch::apply(&before, input) else { return };
    keeps_limits(&after);
    if after == before {
        return assert_eq!(patch::changes(&before, &after), []);
    }
    let there = patch::whole_patch(&patch::changes(&before, &after));
    assert_eq!(patch::apply(&before, there.as_bytes()).ok().as_ref(), Some(&after), "{there}");
    let back = patch::whole_patch(&patch::changes(&after, &before));
    assert_eq!(patch::apply(&after, back.as_bytes()).ok(), Some(before), "{back}");
}

/// What the patches of the seeds are for.
fn patched_here() -> Tree {
    let ten: String = (1..=10).map(|line| format!("line {line}\n")).collect();
    let mut tree = Tree::builder();
    for (path, bytes) in
        [("SKILL.md", ten.as_bytes()), ("a b/c.md", b"c\r\n"), ("logo.png", b"\0png"), ("run.sh", b"#!/bin/sh\n")]
    {
        tree.add(path, bytes.to_vec(), path == "run.sh").expect("the paths are good");
    }
    tree.finish()
}

/// Three packages, apart at bytes `0x1e`: who changed nothing gets what the other has, both alike is that, and sides that
/// are swapped give what they gave, swapped; but for what the person has the last word on: where a file is that both moved,
/// and that one stays away which they removed.
pub(super) fn merge(input: &[u8]) {
    let mut parts = input.splitn(3, |byte| *byte == 0x1e);
    let mut next = || package(parts.next().unwrap_or_default());
    let (base, ours, theirs) = (next(), next(), next());
    assert_eq!(merged(&base, &base, &theirs).map(|merged| merged.tree), Some(theirs.clone()));
    assert_eq!(merged(&base, &ours, &base).map(|merged| merged.tree), Some(ours.clone()));
    assert_eq!(merged(&base, &ours, &ours).map(|merged| merged.tree), Some(ours.clone()));
    let (there, back) = (merged(&base, &ours, &theirs), merged(&base, &theirs, &ours));
    let (Some(there), Some(back)) = (there, back) else { return };
    keeps_limits(&there.tree);
    let conflicts = |merged: &Merged| merged.conflicts().count();
    if [&there, &back].iter().any(|merged| merged.files.iter().any(prefers_the_person)) {
        return;
    }
    assert_eq!(conflicts(&there), conflicts(&back));
    if conflicts(&there) == 0 {
        assert_eq!(there.tree, back.tree);
    }
}

fn prefers_the_person(change: &Change) -> bool {
    change.from.is_some() || matches!(change.outcome, Outcome::KeptRemoved | Outcome::KeptThoughRemoved)
}

fn merged(base: &Tree, ours: &Tree, theirs: &Tree) -> Option<Merged> {
    merge::trees(base, ours, theirs, Favour::Neither, Names::default()).ok()
}

/// Files apart at bytes `0x1d`: the first line is the name, `+` before it says that it can be run.
fn package(input: &[u8]) -> Tree {
    let mut tree = Tree::builder();
    for file in input.split(|byte| *byte == 0x1d) {
        let (name, bytes) = file.split_at(memchr::memchr(b'\n', file).unwrap_or(file.len()));
        let name = String::from_utf8_lossy(name);
        let (name, executable) = name.strip_prefix('+').map_or((&*name, false), |name| (name, true));
        // Names that are none, or meet, are no part of it.
        let _ = tree.add(name, bytes.get(1..).unwrap_or_default().to_vec(), executable);
    }
    tree.finish()
}

pub(super) fn keeps_limits(tree: &Tree) {
    let limits = Limits::default();
    let sizes = || tree.files().map(|(_, file)| file.bytes.len() as u64);
    assert!(tree.len() <= limits.files);
    assert!(sizes().sum::<u64>() <= limits.total);
    assert!(sizes().all(|size| size <= limits.file));
    let mut again = Tree::builder();
    for (path, file) in tree.files() {
        again.add(path.as_str(), file.bytes.clone(), file.executable).expect("a package is one that can be built");
    }
    assert_eq!(again.finish(), *tree);
}
