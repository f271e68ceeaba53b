use proptest::prelude::*;

use super::*;

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::builder();
    for (path, text) in files {
        let (path, executable) = path
            .strip_prefix('+')
            .map_or((*path, false), |path| (path, true));
        tree.add(path, text.as_bytes().to_vec(), executable)
            .unwrap();
    }
    tree.finish()
}

fn merge_or_panic(base: &Tree, ours: &Tree, theirs: &Tree, favor: MergeFavor) -> MergedTree {
    merge_trees(base, ours, theirs, favor, ConflictLabels::default()).unwrap()
}

fn describe_outcomes(merged: &MergedTree) -> Vec<String> {
    let render = |change: &MergedFile| match &change.from {
        Some(from) => format!("{from} -> {} {}", change.path, change.outcome.name()),
        None => format!("{} {}", change.path, change.outcome.name()),
    };
    merged.files.iter().map(render).collect()
}

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn changes_of_both_sides_are_merged_file_by_file() {
    let base = tree(&[
        ("SKILL.md", TEN),
        ("edited.md", "a\n"),
        ("gone-there.md", "a\n"),
        ("gone-there-edited.md", "a\n"),
        ("gone-here.md", "a\n"),
        ("gone-both.md", "a\n"),
        ("same.md", "a\n"),
        ("alike.md", "a\n"),
        ("run.sh", "a\n"),
    ]);
    let ours = tree(&[
        ("SKILL.md", "one\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"),
        ("edited.md", "b\n"),
        ("gone-there.md", "a\n"),
        ("gone-there-edited.md", "mine\n"),
        ("same.md", "a\n"),
        ("alike.md", "b\n"),
        ("mine.md", "x\n"),
        ("run.sh", "b\n"),
    ]);
    let theirs = tree(&[
        ("SKILL.md", "1\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"),
        ("edited.md", "a\n"),
        ("gone-here.md", "c\n"),
        ("same.md", "a\n"),
        ("alike.md", "b\n"),
        ("new.md", "n\n"),
        ("+run.sh", "a\n"),
    ]);
    let merged = merge_or_panic(&base, &ours, &theirs, MergeFavor::Neither);
    let wanted = [
        "SKILL.md merged",
        "alike.md merged",
        "edited.md kept",
        "gone-here.md kept-removed",
        "gone-there-edited.md kept-though-removed",
        "gone-there.md removed",
        "mine.md kept-added",
        "new.md added",
        "run.sh merged",
    ];
    assert_eq!(describe_outcomes(&merged), wanted);
    assert_eq!(
        merged.tree,
        tree(&[
            ("SKILL.md", "one\n2\n3\n4\n5\n6\n7\n8\n9\nten\n"),
            ("edited.md", "b\n"),
            ("gone-there-edited.md", "mine\n"),
            ("same.md", "a\n"),
            ("alike.md", "b\n"),
            ("mine.md", "x\n"),
            ("new.md", "n\n"),
            ("+run.sh", "b\n"),
        ])
    );
}

#[test]
fn one_line_changed_twice_is_a_conflict_that_one_side_can_win() {
    let (base, ours, theirs) = (
        tree(&[("a.md", TEN)]),
        TEN.replace("5\n", "mine\n"),
        TEN.replace("5\n", "new\n"),
    );
    let (ours, theirs) = (tree(&[("a.md", &ours)]), tree(&[("a.md", &theirs)]));
    let both = merge_or_panic(&base, &ours, &theirs, MergeFavor::Neither);
    assert_eq!(describe_outcomes(&both), ["a.md conflict"]);
    let text = String::from_utf8(both.tree.get("a.md").unwrap().to_vec()).unwrap();
    assert_eq!(
        text,
        TEN.replace("5\n", "<<<<<<< yours\nmine\n=======\nnew\n>>>>>>> new\n")
    );
    assert!(has_conflict_markers(text.as_bytes()) && !has_conflict_markers(TEN.as_bytes()));
    assert_eq!(
        merge_or_panic(&base, &ours, &theirs, MergeFavor::Ours).tree,
        ours
    );
    assert_eq!(
        merge_or_panic(&base, &ours, &theirs, MergeFavor::Theirs).tree,
        theirs
    );
}

#[test]
fn a_binary_file_is_taken_from_one_side() {
    let of = |text| tree(&[("a.png", text)]);
    let (base, ours, theirs) = (of("\0a"), of("\0b"), of("\0c"));
    let both = merge_or_panic(&base, &ours, &theirs, MergeFavor::Neither);
    assert_eq!(
        (describe_outcomes(&both), &both.tree),
        (vec!["a.png binary-conflict".to_owned()], &ours)
    );
    assert_eq!(
        merge_or_panic(&base, &ours, &theirs, MergeFavor::Theirs).tree,
        theirs
    );
    assert_eq!(
        describe_outcomes(&merge_or_panic(&base, &base, &theirs, MergeFavor::Neither)),
        ["a.png updated"]
    );
}

#[test]
fn edits_follow_a_file_that_moved() {
    let edited = TEN.replace("5\n", "mine\n");
    let base = tree(&[("references/a.md", TEN), ("b.md", TEN), ("c.md", "x\n")]);
    let ours = tree(&[
        ("references/a.md", &edited),
        ("B/b.md", TEN),
        ("c.md", "x\n"),
    ]);
    let theirs = tree(&[
        ("docs/a.md", &TEN.replace("9\n", "nine\n")),
        ("b.md", &TEN.replace("1\n", "one\n")),
        ("c.md", "x\n"),
    ]);
    let both = merge_or_panic(&base, &ours, &theirs, MergeFavor::Neither);
    assert_eq!(
        describe_outcomes(&both),
        [
            "b.md -> B/b.md updated",
            "references/a.md -> docs/a.md merged"
        ]
    );
    assert_eq!(
        both.tree,
        tree(&[
            ("docs/a.md", &edited.replace("9\n", "nine\n")),
            ("B/b.md", &TEN.replace("1\n", "one\n")),
            ("c.md", "x\n")
        ])
    );
}

#[test]
fn two_new_files_of_one_name_are_merged_or_in_conflict() {
    let none = tree(&[]);
    let of = |text| tree(&[("new.md", text)]);
    assert_eq!(
        describe_outcomes(&merge_or_panic(
            &none,
            &of("a\n"),
            &of("a\n"),
            MergeFavor::Neither
        )),
        ["new.md merged"]
    );
    let both = merge_or_panic(&none, &of("a\n"), &of("b\n"), MergeFavor::Neither);
    assert_eq!(describe_outcomes(&both), ["new.md conflict"]);
    assert_eq!(
        both.tree.get("new.md").unwrap(),
        b"<<<<<<< yours\na\n=======\nb\n>>>>>>> new\n"
    );
}

#[test]
fn a_renamed_file_replaces_no_other_file() {
    let base = tree(&[("a.md", TEN), ("b.md", "b\n")]);
    // One side moves `a.md` to a path where the other adds a file.
    let (moved, added) = (
        tree(&[("x.md", TEN), ("b.md", "b\n")]),
        tree(&[("a.md", TEN), ("b.md", "b\n"), ("x.md", "new\n")]),
    );
    for (ours, theirs) in [(&moved, &added), (&added, &moved)] {
        let both = merge_or_panic(&base, ours, theirs, MergeFavor::Neither);
        assert!(
            describe_outcomes(&both).contains(&"x.md conflict".to_owned()),
            "{:?}",
            describe_outcomes(&both)
        );
        let text = String::from_utf8(both.tree.get("x.md").unwrap().to_vec()).unwrap();
        assert!(text.contains(TEN) && text.contains("new\n"), "{text}");
    }
    // Two files that moved to one place.
    let base = tree(&[("a.md", TEN), ("b.md", &TEN.replace('\n', "b\n"))]);
    let ours = tree(&[("x.md", TEN), ("b.md", &TEN.replace('\n', "b\n"))]);
    let theirs = tree(&[("a.md", TEN), ("x.md", &TEN.replace('\n', "b\n"))]);
    let both = merge_or_panic(&base, &ours, &theirs, MergeFavor::Neither);
    assert_eq!(
        describe_outcomes(&both),
        ["a.md kept-removed", "b.md removed", "x.md conflict"]
    );
}

proptest! {
    #[test]
    fn no_local_edit_is_lost(
        base in prop::collection::btree_map("[a-c]", "([a-c]\n){3,8}", 0..4),
        ours in prop::collection::btree_map("[a-e]", "([a-c]\n){3,8}", 0..5),
        theirs in prop::collection::btree_map("[a-e]", "([a-c]\n){3,8}", 0..5),
    ) {
        let of = |files: &std::collections::BTreeMap<String, String>| {
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            tree(&files)
        };
        let (base, ours, theirs) = (of(&base), of(&ours), of(&theirs));
        let merged = merge_or_panic(&base, &ours, &theirs, MergeFavor::Neither);
        let mixed = |outcome| matches!(outcome, FileOutcome::Merged | FileOutcome::Conflict);
        for (path, file) in ours.files().filter(|(path, file)| base.file(path.as_str()) != Some(*file)) {
            let is_there = merged.tree.files().any(|(_, kept)| kept.bytes == file.bytes);
            let is_mixed = merged.files.iter().any(|change| mixed(change.outcome) && (change.path == *path || change.from.is_some()));
            // A file that was only renamed locally has upstream's path and content.
            let only_moved = base.files().any(|(_, before)| before.bytes == file.bytes)
                || merged.files.iter().any(|change| change.path == *path && change.from.is_some());
            prop_assert!(is_there || is_mixed || only_moved, "{path}: {:?}", describe_outcomes(&merged));
        }
    }

    #[test]
    fn without_local_changes_the_result_is_the_other_side(
        base in prop::collection::btree_map("[a-d]{1,2}", "([a-c]\n){0,6}", 0..5),
        other in prop::collection::btree_map("[a-d]{1,2}", "([a-c]\n){0,6}", 0..5),
    ) {
        let of = |files: &std::collections::BTreeMap<String, String>| {
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            tree(&files)
        };
        let (base, other) = (of(&base), of(&other));
        prop_assert_eq!(&merge_or_panic(&base, &base, &other, MergeFavor::Neither).tree, &other);
        prop_assert_eq!(&merge_or_panic(&base, &other, &base, MergeFavor::Neither).tree, &other);
        prop_assert_eq!(&merge_or_panic(&base, &other, &other, MergeFavor::Neither).tree, &other);
    }

    #[test]
    fn swapped_sides_give_the_swapped_result(base in files(), ours in files(), theirs in files()) {
        let (there, back) = (merge_of(&base, &ours, &theirs), merge_of(&base, &theirs, &ours));
        prop_assert_eq!(there.is_ok(), back.is_ok());
        let (Ok(there), Ok(back)) = (there, back) else { return Ok(()) };
        // The user's path wins for a file that both moved, and a file that the user removed stays removed.
        let prefers_ours = |change: &MergedFile| {
            change.from.is_some() || matches!(change.outcome, FileOutcome::KeptRemoved | FileOutcome::KeptThoughRemoved)
        };
        prop_assume!(!there.files.iter().chain(&back.files).any(prefers_ours));
        prop_assert_eq!(there.conflicts().count(), back.conflicts().count(), "{:?} {:?}", describe_outcomes(&there), describe_outcomes(&back));
        if there.conflicts().count() == 0 {
            prop_assert_eq!(&there.tree, &back.tree);
        }
        for change in &there.files {
            let expected = match change.outcome {
                FileOutcome::Updated => FileOutcome::Kept,
                FileOutcome::Added => FileOutcome::KeptAdded,
                _ => continue,
            };
            let other = back.files.iter().find(|other| other.path == change.path);
            prop_assert_eq!(other.map(|other| other.outcome), Some(expected), "{}", change.path);
        }
    }

    #[test]
    fn favoring_a_side_leaves_no_conflict(base in files(), ours in files(), theirs in files()) {
        for favor in [MergeFavor::Ours, MergeFavor::Theirs] {
            if let Ok(merged) = merge_trees(&base, &ours, &theirs, favor, ConflictLabels::default()) {
                prop_assert_eq!(merged.conflicts().count(), 0);
                prop_assert!(merged.tree.files().all(|(_, file)| !has_conflict_markers(&file.bytes)));
            }
        }
    }

    #[test]
    fn equal_sides_and_one_sided_changes_merge_cleanly(base in files(), other in files()) {
        prop_assert_eq!(&merge_of(&base, &other, &other).unwrap().tree, &other);
        prop_assert_eq!(&merge_of(&base, &base, &other).unwrap().tree, &other);
        prop_assert_eq!(&merge_of(&base, &other, &base).unwrap().tree, &other);
    }
}

fn merge_of(base: &Tree, ours: &Tree, theirs: &Tree) -> Result<MergedTree> {
    merge_trees(
        base,
        ours,
        theirs,
        MergeFavor::Neither,
        ConflictLabels::default(),
    )
}

/// Texts with and without a last line end, with either line ending, bytes that are not text, both modes, and renames.
fn files() -> impl Strategy<Value = Tree> {
    let bytes = prop_oneof![
        4 => "([a-d]\r?\n){0,6}[ab]?".prop_map(String::into_bytes),
        1 => prop::collection::vec(0..3_u8, 1..4),
    ];
    prop::collection::btree_map("[a-d]|e/[fg]", (bytes, any::<bool>()), 0..4).prop_map(|files| {
        let mut tree = Tree::builder();
        for (path, (bytes, executable)) in files {
            tree.add(&path, bytes, executable).unwrap();
        }
        tree.finish()
    })
}
