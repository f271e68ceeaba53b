use proptest::prelude::*;

use super::*;

fn tree(files: &[(&str, &str)]) -> Tree {
    let mut tree = Tree::builder();
    for (path, text) in files {
        let (path, executable) = path.strip_prefix('+').map_or((*path, false), |path| (path, true));
        tree.add(path, text.as_bytes().to_vec(), executable).unwrap();
    }
    tree.finish()
}

fn merged(base: &Tree, ours: &Tree, theirs: &Tree, favour: Favour) -> Merged {
    trees(base, ours, theirs, favour, Names::default()).unwrap()
}

fn told(merged: &Merged) -> Vec<String> {
    let tell = |change: &Change| match &change.from {
        Some(from) => format!("{from} -> {} {}", change.path, change.outcome.name()),
        None => format!("{} {}", change.path, change.outcome.name()),
    };
    merged.files.iter().map(tell).collect()
}

const TEN: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

#[test]
fn each_file_becomes_what_both_wanted() {
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
    let merged = merged(&base, &ours, &theirs, Favour::Neither);
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
    assert_eq!(told(&merged), wanted);
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
    let (base, ours, theirs) = (tree(&[("a.md", TEN)]), TEN.replace("5\n", "mine\n"), TEN.replace("5\n", "new\n"));
    let (ours, theirs) = (tree(&[("a.md", &ours)]), tree(&[("a.md", &theirs)]));
    let both = merged(&base, &ours, &theirs, Favour::Neither);
    assert_eq!(told(&both), ["a.md conflict"]);
    let text = String::from_utf8(both.tree.get("a.md").unwrap().to_vec()).unwrap();
    assert_eq!(text, TEN.replace("5\n", "<<<<<<< yours\nmine\n=======\nnew\n>>>>>>> new\n"));
    assert!(has_marks(text.as_bytes()) && !has_marks(TEN.as_bytes()));
    assert_eq!(merged(&base, &ours, &theirs, Favour::Ours).tree, ours);
    assert_eq!(merged(&base, &ours, &theirs, Favour::Theirs).tree, theirs);
}

#[test]
fn a_file_that_is_no_text_is_one_sides() {
    let of = |text| tree(&[("a.png", text)]);
    let (base, ours, theirs) = (of("\0a"), of("\0b"), of("\0c"));
    let both = merged(&base, &ours, &theirs, Favour::Neither);
    assert_eq!((told(&both), &both.tree), (vec!["a.png binary-conflict".to_owned()], &ours));
    assert_eq!(merged(&base, &ours, &theirs, Favour::Theirs).tree, theirs);
    assert_eq!(told(&merged(&base, &base, &theirs, Favour::Neither)), ["a.png updated"]);
}

#[test]
fn edits_follow_a_file_that_moved() {
    let edited = TEN.replace("5\n", "mine\n");
    let base = tree(&[("references/a.md", TEN), ("b.md", TEN), ("c.md", "x\n")]);
    let ours = tree(&[("references/a.md", &edited), ("B/b.md", TEN), ("c.md", "x\n")]);
    let theirs =
        tree(&[("docs/a.md", &TEN.replace("9\n", "nine\n")), ("b.md", &TEN.replace("1\n", "one\n")), ("c.md", "x\n")]);
    let both = merged(&base, &ours, &theirs, Favour::Neither);
    assert_eq!(told(&both), ["b.md -> B/b.md updated", "references/a.md -> docs/a.md merged"]);
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
    assert_eq!(told(&merged(&none, &of("a\n"), &of("a\n"), Favour::Neither)), ["new.md merged"]);
    let both = merged(&none, &of("a\n"), &of("b\n"), Favour::Neither);
    assert_eq!(told(&both), ["new.md conflict"]);
    assert_eq!(both.tree.get("new.md").unwrap(), b"<<<<<<< yours\na\n=======\nb\n>>>>>>> new\n");
}

#[test]
fn a_file_that_moved_takes_no_other_files_place() {
    let base = tree(&[("a.md", TEN), ("b.md", "b\n")]);
    // The person moved `a.md` to where upstream adds another file, and the other way round.
    let (moved, added) =
        (tree(&[("x.md", TEN), ("b.md", "b\n")]), tree(&[("a.md", TEN), ("b.md", "b\n"), ("x.md", "new\n")]));
    for (ours, theirs) in [(&moved, &added), (&added, &moved)] {
        let both = merged(&base, ours, theirs, Favour::Neither);
        assert!(told(&both).contains(&"x.md conflict".to_owned()), "{:?}", told(&both));
        let text = String::from_utf8(both.tree.get("x.md").unwrap().to_vec()).unwrap();
        assert!(text.contains(TEN) && text.contains("new\n"), "{text}");
    }
    // Two files that moved to one place.
    let base = tree(&[("a.md", TEN), ("b.md", &TEN.replace('\n', "b\n"))]);
    let ours = tree(&[("x.md", TEN), ("b.md", &TEN.replace('\n', "b\n"))]);
    let theirs = tree(&[("a.md", TEN), ("x.md", &TEN.replace('\n', "b\n"))]);
    let both = merged(&base, &ours, &theirs, Favour::Neither);
    assert_eq!(told(&both), ["a.md kept-removed", "b.md removed", "x.md conflict"]);
}

proptest! {
    #[test]
    fn nothing_that_a_person_wrote_is_lost(
        base in prop::collection::btree_map("[a-c]", "([a-c]\n){3,8}", 0..4),
        ours in prop::collection::btree_map("[a-e]", "([a-c]\n){3,8}", 0..5),
        theirs in prop::collection::btree_map("[a-e]", "([a-c]\n){3,8}", 0..5),
    ) {
        let of = |files: &std::collections::BTreeMap<String, String>| {
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            tree(&files)
        };
        let (base, ours, theirs) = (of(&base), of(&ours), of(&theirs));
        let merged = merged(&base, &ours, &theirs, Favour::Neither);
        let mixed = |outcome| matches!(outcome, Outcome::Merged | Outcome::Conflict);
        for (path, file) in ours.files().filter(|(path, file)| base.file(path.as_str()) != Some(*file)) {
            let is_there = merged.tree.files().any(|(_, kept)| kept.bytes == file.bytes);
            let is_told = merged.files.iter().any(|change| mixed(change.outcome) && (change.path == *path || change.from.is_some()));
            // What only moved here goes where upstream took it, with what upstream wrote.
            let only_moved = base.files().any(|(_, before)| before.bytes == file.bytes)
                || merged.files.iter().any(|change| change.path == *path && change.from.is_some());
            prop_assert!(is_there || is_told || only_moved, "{path}: {:?}", told(&merged));
        }
    }

    #[test]
    fn who_changes_nothing_gets_what_the_other_has(
        base in prop::collection::btree_map("[a-d]{1,2}", "([a-c]\n){0,6}", 0..5),
        other in prop::collection::btree_map("[a-d]{1,2}", "([a-c]\n){0,6}", 0..5),
    ) {
        let of = |files: &std::collections::BTreeMap<String, String>| {
            let files: Vec<_> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            tree(&files)
        };
        let (base, other) = (of(&base), of(&other));
        prop_assert_eq!(&merged(&base, &base, &other, Favour::Neither).tree, &other);
        prop_assert_eq!(&merged(&base, &other, &base, Favour::Neither).tree, &other);
        prop_assert_eq!(&merged(&base, &other, &other, Favour::Neither).tree, &other);
    }

    #[test]
    fn swapped_sides_give_the_swapped_result(base in files(), ours in files(), theirs in files()) {
        let (there, back) = (merge_of(&base, &ours, &theirs), merge_of(&base, &theirs, &ours));
        prop_assert_eq!(there.is_ok(), back.is_ok());
        let (Ok(there), Ok(back)) = (there, back) else { return Ok(()) };
        // The person has the last word on where a file is that both moved, and that one stays away which they removed.
        let prefers_the_person = |change: &Change| {
            change.from.is_some() || matches!(change.outcome, Outcome::KeptRemoved | Outcome::KeptThoughRemoved)
        };
        prop_assume!(!there.files.iter().chain(&back.files).any(prefers_the_person));
        prop_assert_eq!(there.conflicts().count(), back.conflicts().count(), "{:?} {:?}", told(&there), told(&back));
        if there.conflicts().count() == 0 {
            prop_assert_eq!(&there.tree, &back.tree);
        }
        for change in &there.files {
            let expected = match change.outcome {
                Outcome::Updated => Outcome::Kept,
                Outcome::Added => Outcome::KeptAdded,
                _ => continue,
            };
            let other = back.files.iter().find(|other| other.path == change.path);
            prop_assert_eq!(other.map(|other| other.outcome), Some(expected), "{}", change.path);
        }
    }

    #[test]
    fn whoever_is_favoured_leaves_nothing_to_decide(base in files(), ours in files(), theirs in files()) {
        for favour in [Favour::Ours, Favour::Theirs] {
            if let Ok(merged) = trees(&base, &ours, &theirs, favour, Names::default()) {
                prop_assert_eq!(merged.conflicts().count(), 0);
                prop_assert!(merged.tree.files().all(|(_, file)| !has_marks(&file.bytes)));
            }
        }
    }

    #[test]
    fn both_alike_is_that_and_who_changes_nothing_gets_the_other(base in files(), other in files()) {
        prop_assert_eq!(&merge_of(&base, &other, &other).unwrap().tree, &other);
        prop_assert_eq!(&merge_of(&base, &base, &other).unwrap().tree, &other);
        prop_assert_eq!(&merge_of(&base, &other, &base).unwrap().tree, &other);
    }
}

fn merge_of(base: &Tree, ours: &Tree, theirs: &Tree) -> Result<Merged> {
    trees(base, ours, theirs, Favour::Neither, Names::default())
}

/// Texts that end with a line or do not, with either line end, bytes that are no text, and both modes; names that move.
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
