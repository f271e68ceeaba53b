use super::*;
use crate::lockfile::FILE;
use crate::package::{PackageDependency, SourceId, Tree};

/// A lockfile from lines such as `report 1.0.0 -> pdf 1.0.0`.
fn lock(lines: &str) -> Lockfile {
    let entry = |line: &str| {
        let (id, needs) = line.split_once("->").unwrap_or((line, ""));
        let mut words = id.split_whitespace();
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        let mut tree = Tree::builder();
        tree.add("SKILL.md", format!("{name} {version}").into_bytes(), false)
            .unwrap();
        let source = "registry+embedded:default".parse().unwrap();
        LockedPackage {
            alias: words.next().map(|alias| alias.parse().unwrap()),
            version: version.parse().ok(),
            dependencies: needs
                .split(',')
                .map(str::trim)
                .filter(|need| !need.is_empty())
                .map(Into::into)
                .collect(),
            ..LockedPackage::new(
                name.parse().unwrap(),
                source,
                Checksum::from_tree(&tree.finish()),
            )
        }
    };
    Lockfile::new(
        lines
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty())
            .map(entry)
            .collect(),
    )
}

fn shown(lockfile: &Lockfile) -> Vec<String> {
    let line = |locked: &LockedPackage| {
        let needs = locked.dependencies.join(", ");
        if needs.is_empty() {
            locked.reference()
        } else {
            format!("{} -> {needs}", locked.reference())
        }
    };
    lockfile.packages().iter().map(line).collect()
}

fn roots(asked: &[(&str, &str)]) -> Vec<RootDependency> {
    let root = |(name, req): &(&str, &str)| {
        RootDependency::from(PackageDependency {
            alias: name.parse().unwrap(),
            package: name.parse().unwrap(),
            source: SourceId::Registry(SourceId::EMBEDDED_INDEX.into()),
            subdir: None,
            req: req.parse().unwrap(),
            dev: false,
            optional: false,
        })
    };
    asked.iter().map(root).collect()
}

fn merged_with(
    sides: [&str; 3],
    asked: &[(&str, &str)],
    needs: &KnownRequirements,
) -> MergedLockfile {
    let [base, ours, theirs] = sides.map(lock);
    let roots = roots(asked);
    let known = LockfileMergeContext {
        roots: Some(&roots),
        is_manifest_merged: false,
        patches: &[],
        requirements: needs,
    };
    let merged = merge(
        LockfileSides {
            base: &base,
            ours: &ours,
            theirs: &theirs,
        },
        known,
    );
    let mirrored = merge(
        LockfileSides {
            base: &base,
            ours: &theirs,
            theirs: &ours,
        },
        known,
    );
    assert_eq!(
        merged.lockfile, mirrored.lockfile,
        "the merge is not symmetric"
    );
    assert_eq!(merged.conflicts.len(), mirrored.conflicts.len());
    merged
}

#[track_caller]
fn becomes(sides: [&str; 3], asked: &[(&str, &str)], expected: &[&str]) {
    let merged = merged_with(sides, asked, &KnownRequirements::new());
    assert_eq!(merged.conflicts, []);
    assert_eq!(shown(&merged.lockfile), expected);
    assert_eq!(
        Lockfile::parse(&merged.to_text(), FILE).unwrap(),
        merged.lockfile
    );
}

#[track_caller]
fn conflicts(sides: [&str; 3], asked: &[(&str, &str)], about: &[&str]) {
    let merged = merged_with(sides, asked, &KnownRequirements::new());
    let names: Vec<String> = merged
        .conflicts
        .iter()
        .filter_map(LockfileConflict::name)
        .map(ToString::to_string)
        .collect();
    assert_eq!(names, about);
    let text = merged.to_text();
    assert!(
        Lockfile::parse(&text, FILE)
            .unwrap_err()
            .message()
            .contains("conflict markers"),
        "{text}"
    );
}

#[test]
fn packages_added_by_each_side_are_merged() {
    becomes(
        ["a 1.0.0", "a 1.0.0\nb 1.0.0", "a 1.0.0\nc 1.0.0"],
        &[],
        &["a 1.0.0", "b 1.0.0", "c 1.0.0"],
    );
    becomes(["", "a 1.0.0", "b 1.0.0"], &[], &["a 1.0.0", "b 1.0.0"]);
}

#[test]
fn packages_updated_by_each_side_are_updated() {
    becomes(
        ["a 1.0.0\nb 1.0.0", "a 1.1.0\nb 1.0.0", "a 1.0.0\nb 2.0.0"],
        &[],
        &["a 1.1.0", "b 2.0.0"],
    );
}

#[test]
fn of_two_versions_the_higher_is_taken_if_the_manifest_admits_it() {
    let sides = ["a 1.0.0", "a 1.1.0", "a 1.2.0"];
    becomes(sides, &[("a", "^1")], &["a 1.2.0"]);
    conflicts(sides, &[("a", "~1.1")], &["a"]);
}

#[test]
fn merged_manifest_can_require_the_lower_version() {
    let [base, ours, theirs] = ["a 1.0.0", "a 1.1.0", "a 1.2.0"].map(lock);
    let roots = roots(&[("a", "~1.1")]);
    let known = LockfileMergeContext {
        roots: Some(&roots),
        is_manifest_merged: true,
        patches: &[],
        requirements: &KnownRequirements::new(),
    };
    let merged = merge(
        LockfileSides {
            base: &base,
            ours: &ours,
            theirs: &theirs,
        },
        known,
    );
    assert_eq!(
        (shown(&merged.lockfile), merged.conflicts.len()),
        (vec!["a 1.1.0".to_owned()], 0)
    );
}

#[test]
fn without_a_manifest_two_versions_are_a_conflict() {
    let [base, ours, theirs] =
        ["a 1.0.0\nb 1.0.0", "a 1.1.0\nb 1.0.0", "a 1.2.0\nb 1.1.0"].map(lock);
    let known = LockfileMergeContext {
        roots: None,
        is_manifest_merged: false,
        patches: &[],
        requirements: &KnownRequirements::new(),
    };
    let merged = merge(
        LockfileSides {
            base: &base,
            ours: &ours,
            theirs: &theirs,
        },
        known,
    );
    assert_eq!(
        (shown(&merged.lockfile), merged.conflicts.len()),
        (vec!["b 1.1.0".to_owned()], 1)
    );
}

#[test]
fn package_removed_by_one_and_updated_by_the_other_is_gone_unless_needed() {
    becomes(
        ["a 1.0.0\nb 1.0.0", "b 1.0.0", "a 1.1.0\nb 1.0.0"],
        &[("b", "*")],
        &["b 1.0.0"],
    );
    becomes(
        [
            "a 1.0.0\nb 1.0.0",
            "b 1.0.0",
            "a 1.1.0\nb 1.0.0\nc 1.0.0 -> a 1.1.0",
        ],
        &[("b", "*")],
        &["a 1.1.0", "b 1.0.0", "c 1.0.0 -> a 1.1.0"],
    );
}

#[test]
fn removed_package_comes_back_for_a_new_package_that_needs_it() {
    becomes(
        [
            "a 1.0.0\nb 1.0.0",
            "b 1.0.0",
            "a 1.0.0\nb 1.0.0\nc 1.0.0 -> a 1.0.0",
        ],
        &[("b", "*")],
        &["a 1.0.0", "b 1.0.0", "c 1.0.0 -> a 1.0.0"],
    );
}

#[test]
fn dependencies_are_rewritten() {
    // Theirs takes `report` to 2.0.0, which had `pdf` 1.0.0; ours takes `pdf` to 1.1.0.
    let sides = [
        "pdf 1.0.0\nreport 1.0.0 -> pdf 1.0.0",
        "pdf 1.1.0\nreport 1.0.0 -> pdf 1.1.0",
        "pdf 1.0.0\nreport 2.0.0 -> pdf 1.0.0",
    ];
    conflicts(sides, &[("report", "*")], &["pdf"]);
    let report = lock("report 2.0.0").packages()[0].clone();
    let needs = |req: &str| {
        let asked = BTreeMap::from([("pdf".parse().unwrap(), req.parse().unwrap())]);
        KnownRequirements::from([(report.upstream_checksum(), asked)])
    };
    let merged = merged_with(sides, &[("report", "*")], &needs("^1"));
    assert_eq!(
        shown(&merged.lockfile),
        ["pdf 1.1.0", "report 2.0.0 -> pdf 1.1.0"]
    );
    assert_eq!(
        merged_with(sides, &[("report", "*")], &needs("~1.0"))
            .conflicts
            .len(),
        1
    );
}

#[test]
fn lower_version_is_taken_where_only_that_fits_its_dependents() {
    let sides = [
        "pdf 1.0.0\nold 1.0.0 -> pdf 1.0.0",
        "pdf 1.1.0\nold 1.1.0 -> pdf 1.1.0",
        "pdf 1.2.0\nold 1.0.0 -> pdf 1.2.0",
    ];
    // `old` 1.1.0 was never seen with `pdf` 1.2.0.
    becomes(
        sides,
        &[("old", "*")],
        &["old 1.1.0 -> pdf 1.1.0", "pdf 1.1.0"],
    );
}

#[test]
fn packages_needed_only_by_removed_ones_are_dropped() {
    let sides = [
        "p 1.0.0\nq 1.0.0 -> p 1.0.0\nr 1.0.0 -> p 1.0.0",
        "p 1.0.0\nq 1.0.0 -> p 1.0.0",
        "p 1.0.0\nr 1.0.0 -> p 1.0.0",
    ];
    becomes(sides, &[], &[]);
    becomes(sides, &[("p", "*")], &["p 1.0.0"]);
    // Ours removes `x`; theirs updates it, and it needs something new.
    becomes(
        [
            "k 1.0.0\nx 1.0.0",
            "k 1.0.0",
            "k 1.0.0\nx 2.0.0 -> z 1.0.0\nz 1.0.0",
        ],
        &[],
        &["k 1.0.0"],
    );
}

#[test]
fn cycle_added_by_one_side_stays() {
    becomes(
        [
            "k 1.0.0",
            "k 1.1.0",
            "k 1.0.0\na 1.0.0 -> b 1.0.0\nb 1.0.0 -> a 1.0.0",
        ],
        &[("k", "*")],
        &["a 1.0.0 -> b 1.0.0", "b 1.0.0 -> a 1.0.0", "k 1.1.0"],
    );
}

#[test]
fn two_packages_of_one_name_and_two_versions_of_one_package_conflict() {
    conflicts(["", "one/pdf 1.0.0", "two/pdf 1.0.0"], &[], &["pdf", "pdf"]);
    conflicts(["", "a 1.0.0 x", "a 2.0.0 y"], &[], &["x", "y"]);
}

#[test]
fn one_version_with_two_contents_is_a_conflict() {
    let [base, ours, mut theirs] = ["a 1.0.0", "a 1.1.0", "a 1.1.0"].map(lock);
    theirs.packages[0].checksum = Checksum::from_tree(&Tree::default());
    let known = LockfileMergeContext {
        roots: Some(&[]),
        is_manifest_merged: true,
        patches: &[],
        requirements: &KnownRequirements::new(),
    };
    let merged = merge(
        LockfileSides {
            base: &base,
            ours: &ours,
            theirs: &theirs,
        },
        known,
    );
    assert_eq!(merged.conflicts.len(), 1);
}

#[test]
fn conflict_has_both_sides_between_markers_and_the_rest_is_merged() {
    let merged = merged_with(
        [
            "a 1.0.0
b 1.0.0",
            "a 1.1.0
b 1.1.0",
            "a 1.2.0
b 1.0.0",
        ],
        &[("a", "~1.1")],
        &KnownRequirements::new(),
    );
    let text = merged.to_text();
    let versions: Vec<&str> = text
        .lines()
        .filter(|line| {
            line.starts_with("version = \"") || line.len() < 20 && line.starts_with(['<', '=', '>'])
        })
        .collect();
    assert_eq!(
        versions,
        [
            "<<<<<<< ours",
            "version = \"1.1.0\"",
            "=======",
            "version = \"1.2.0\"",
            ">>>>>>> theirs",
            "version = \"1.1.0\""
        ]
    );
    let ConflictSides { ours, theirs, base } = split_sides(&text).unwrap();
    assert_eq!(base, None);
    assert_eq!(
        shown(&Lockfile::parse_uncounted(&ours, FILE).unwrap()),
        ["a 1.1.0", "b 1.1.0"]
    );
    assert_eq!(
        shown(&Lockfile::parse_uncounted(&theirs, FILE).unwrap()),
        ["a 1.2.0", "b 1.1.0"]
    );
}

#[test]
fn markers_in_every_style_of_git_are_split() {
    let text = "a\n<<<<<<< HEAD\nb\n||||||| 0123\nc\n=======\nd\n>>>>>>> other\ne\n";
    let expected = ConflictSides {
        ours: "a\nb\ne\n".into(),
        base: Some("a\nc\ne\n".into()),
        theirs: "a\nd\ne\n".into(),
    };
    assert_eq!(split_sides(text), Some(expected));
    for broken in [
        "a\n",
        "<<<<<<< x\na\n",
        "<<<<<<< x\n=======\n=======\n>>>>>>> y\n",
        ">>>>>>> y\n",
    ] {
        assert_eq!(split_sides(broken), None, "{broken}");
    }
}

/// Every pair of sides that each add, update or remove one of five packages.
#[test]
fn disjoint_changes_always_merge_to_all_of_both() {
    let names = ["a", "b", "c", "d", "e"];
    let base: BTreeMap<&str, u64> = names[..4].iter().map(|name| (*name, 1)).collect();
    let text = |packages: &BTreeMap<&str, u64>| {
        packages
            .iter()
            .map(|(name, major)| format!("{name} {major}.0.0"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let change =
        |packages: &mut BTreeMap<&'static str, u64>, name: &'static str, how: u64| match how {
            0 => drop(packages.remove(name)),
            how => drop(packages.insert(name, 1 + how)),
        };
    for (one, other) in names
        .iter()
        .flat_map(|one| names.map(|other| (*one, other)))
        .filter(|(a, b)| a != b)
    {
        for (how, how_other) in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)] {
            let (mut ours, mut theirs, mut both) = (base.clone(), base.clone(), base.clone());
            change(&mut ours, one, how);
            change(&mut theirs, other, how_other);
            change(&mut both, one, how);
            change(&mut both, other, how_other);
            let expected = text(&both);
            becomes(
                [&text(&base), &text(&ours), &text(&theirs)],
                &[],
                &expected.lines().collect::<Vec<_>>(),
            );
        }
    }
}
