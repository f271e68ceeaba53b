use super::*;
use crate::lockfile::FILE;
use crate::package::{Dependency, SourceId, Tree};

/// A lockfile from lines such as `report 1.0.0 -> pdf 1.0.0`.
fn lock(lines: &str) -> Lockfile {
    let entry = |line: &str| {
        let (id, needs) = line.split_once("->").unwrap_or((line, ""));
        let mut words = id.split_whitespace();
        let (name, version) = (words.next().unwrap(), words.next().unwrap());
        let mut tree = Tree::builder();
        tree.add("SKILL.md", format!("{name} {version}").into_bytes(), false).unwrap();
        let source = "registry+embedded:default".parse().unwrap();
        Locked {
            alias: words.next().map(|alias| alias.parse().unwrap()),
            version: version.parse().ok(),
            dependencies: needs.split(',').map(str::trim).filter(|need| !need.is_empty()).map(Into::into).collect(),
            ..Locked::new(name.parse().unwrap(), source, Checksum::of(&tree.finish()))
        }
    };
    Lockfile::new(lines.lines().map(str::trim).filter(|line| !line.is_empty()).map(entry).collect())
}

fn shown(lockfile: &Lockfile) -> Vec<String> {
    let line = |locked: &Locked| {
        let needs = locked.dependencies.join(", ");
        if needs.is_empty() { locked.reference() } else { format!("{} -> {needs}", locked.reference()) }
    };
    lockfile.packages().iter().map(line).collect()
}

fn roots(asked: &[(&str, &str)]) -> Vec<Root> {
    let root = |(name, req): &(&str, &str)| {
        Root::from(Dependency {
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

fn merged_with(sides: [&str; 3], asked: &[(&str, &str)], needs: &Needs) -> Merged {
    let [base, ours, theirs] = sides.map(lock);
    let roots = roots(asked);
    let known = Known { roots: Some(&roots), is_final: false, patches: &[], needs };
    let merged = merge(Sides { base: &base, ours: &ours, theirs: &theirs }, known);
    let mirrored = merge(Sides { base: &base, ours: &theirs, theirs: &ours }, known);
    assert_eq!(merged.lockfile, mirrored.lockfile, "the sides are not treated alike");
    assert_eq!(merged.clashes.len(), mirrored.clashes.len());
    merged
}

#[track_caller]
fn becomes(sides: [&str; 3], asked: &[(&str, &str)], expected: &[&str]) {
    let merged = merged_with(sides, asked, &Needs::new());
    assert_eq!(merged.clashes, []);
    assert_eq!(shown(&merged.lockfile), expected);
    assert_eq!(Lockfile::parse(&merged.to_text(), FILE).unwrap(), merged.lockfile);
}

#[track_caller]
fn clashes(sides: [&str; 3], asked: &[(&str, &str)], about: &[&str]) {
    let merged = merged_with(sides, asked, &Needs::new());
    let names: Vec<String> = merged.clashes.iter().filter_map(Clash::name).map(ToString::to_string).collect();
    assert_eq!(names, about);
    let text = merged.to_text();
    assert!(Lockfile::parse(&text, FILE).unwrap_err().message().contains("conflict markers"), "{text}");
}

#[test]
fn what_each_side_added_is_there() {
    becomes(["a 1.0.0", "a 1.0.0\nb 1.0.0", "a 1.0.0\nc 1.0.0"], &[], &["a 1.0.0", "b 1.0.0", "c 1.0.0"]);
    becomes(["", "a 1.0.0", "b 1.0.0"], &[], &["a 1.0.0", "b 1.0.0"]);
}

#[test]
fn what_each_side_updated_is_updated() {
    becomes(["a 1.0.0\nb 1.0.0", "a 1.1.0\nb 1.0.0", "a 1.0.0\nb 2.0.0"], &[], &["a 1.1.0", "b 2.0.0"]);
}

#[test]
fn of_two_versions_the_higher_is_taken_if_the_manifest_admits_it() {
    let sides = ["a 1.0.0", "a 1.1.0", "a 1.2.0"];
    becomes(sides, &[("a", "^1")], &["a 1.2.0"]);
    clashes(sides, &[("a", "~1.1")], &["a"]);
}

#[test]
fn a_manifest_that_is_merged_decides_for_the_lower_version_too() {
    let [base, ours, theirs] = ["a 1.0.0", "a 1.1.0", "a 1.2.0"].map(lock);
    let roots = roots(&[("a", "~1.1")]);
    let known = Known { roots: Some(&roots), is_final: true, patches: &[], needs: &Needs::new() };
    let merged = merge(Sides { base: &base, ours: &ours, theirs: &theirs }, known);
    assert_eq!((shown(&merged.lockfile), merged.clashes.len()), (vec!["a 1.1.0".to_owned()], 0));
}

#[test]
fn without_a_manifest_two_versions_are_a_clash() {
    let [base, ours, theirs] = ["a 1.0.0\nb 1.0.0", "a 1.1.0\nb 1.0.0", "a 1.2.0\nb 1.1.0"].map(lock);
    let known = Known { roots: None, is_final: false, patches: &[], needs: &Needs::new() };
    let merged = merge(Sides { base: &base, ours: &ours, theirs: &theirs }, known);
    assert_eq!((shown(&merged.lockfile), merged.clashes.len()), (vec!["b 1.1.0".to_owned()], 1));
}

#[test]
fn what_one_removed_and_the_other_updated_is_gone_unless_it_is_needed() {
    becomes(["a 1.0.0\nb 1.0.0", "b 1.0.0", "a 1.1.0\nb 1.0.0"], &[("b", "*")], &["b 1.0.0"]);
    becomes(
        ["a 1.0.0\nb 1.0.0", "b 1.0.0", "a 1.1.0\nb 1.0.0\nc 1.0.0 -> a 1.1.0"],
        &[("b", "*")],
        &["a 1.1.0", "b 1.0.0", "c 1.0.0 -> a 1.1.0"],
    );
}

#[test]
fn what_was_removed_comes_back_for_a_newcomer_that_needs_it() {
    becomes(
        ["a 1.0.0\nb 1.0.0", "b 1.0.0", "a 1.0.0\nb 1.0.0\nc 1.0.0 -> a 1.0.0"],
        &[("b", "*")],
        &["a 1.0.0", "b 1.0.0", "c 1.0.0 -> a 1.0.0"],
    );
}

#[test]
fn what_is_needed_is_written_anew() {
    // Theirs takes `report` to 2.0.0, which had `pdf` 1.0.0; ours takes `pdf` to 1.1.0.
    let sides = [
        "pdf 1.0.0\nreport 1.0.0 -> pdf 1.0.0",
        "pdf 1.1.0\nreport 1.0.0 -> pdf 1.1.0",
        "pdf 1.0.0\nreport 2.0.0 -> pdf 1.0.0",
    ];
    clashes(sides, &[("report", "*")], &["pdf"]);
    let report = lock("report 2.0.0").packages()[0].clone();
    let needs = |req: &str| {
        let asked = BTreeMap::from([("pdf".parse().unwrap(), req.parse().unwrap())]);
        Needs::from([(report.upstream(), asked)])
    };
    let merged = merged_with(sides, &[("report", "*")], &needs("^1"));
    assert_eq!(shown(&merged.lockfile), ["pdf 1.1.0", "report 2.0.0 -> pdf 1.1.0"]);
    assert_eq!(merged_with(sides, &[("report", "*")], &needs("~1.0")).clashes.len(), 1);
}

#[test]
fn the_lower_version_is_taken_where_only_that_fits_those_who_need_it() {
    let sides =
        ["pdf 1.0.0\nold 1.0.0 -> pdf 1.0.0", "pdf 1.1.0\nold 1.1.0 -> pdf 1.1.0", "pdf 1.2.0\nold 1.0.0 -> pdf 1.2.0"];
    // `old` 1.1.0 was never seen with `pdf` 1.2.0.
    becomes(sides, &[("old", "*")], &["old 1.1.0 -> pdf 1.1.0", "pdf 1.1.0"]);
}

#[test]
fn what_only_packages_needed_that_are_gone_goes() {
    let sides = [
        "p 1.0.0\nq 1.0.0 -> p 1.0.0\nr 1.0.0 -> p 1.0.0",
        "p 1.0.0\nq 1.0.0 -> p 1.0.0",
        "p 1.0.0\nr 1.0.0 -> p 1.0.0",
    ];
    becomes(sides, &[], &[]);
    becomes(sides, &[("p", "*")], &["p 1.0.0"]);
    // Ours removes `x`; theirs updates it, and it needs something new.
    becomes(["k 1.0.0\nx 1.0.0", "k 1.0.0", "k 1.0.0\nx 2.0.0 -> z 1.0.0\nz 1.0.0"], &[], &["k 1.0.0"]);
}

#[test]
fn a_circle_that_one_side_added_stays() {
    becomes(
        ["k 1.0.0", "k 1.1.0", "k 1.0.0\na 1.0.0 -> b 1.0.0\nb 1.0.0 -> a 1.0.0"],
        &[("k", "*")],
        &["a 1.0.0 -> b 1.0.0", "b 1.0.0 -> a 1.0.0", "k 1.1.0"],
    );
}

#[test]
fn two_packages_of_one_name_and_two_versions_of_one_package_clash() {
    clashes(["", "one/pdf 1.0.0", "two/pdf 1.0.0"], &[], &["pdf", "pdf"]);
    clashes(["", "a 1.0.0 x", "a 2.0.0 y"], &[], &["x", "y"]);
}

#[test]
fn one_version_with_two_contents_is_a_clash() {
    let [base, ours, mut theirs] = ["a 1.0.0", "a 1.1.0", "a 1.1.0"].map(lock);
    theirs.packages[0].checksum = Checksum::of(&Tree::default());
    let known = Known { roots: Some(&[]), is_final: true, patches: &[], needs: &Needs::new() };
    let merged = merge(Sides { base: &base, ours: &ours, theirs: &theirs }, known);
    assert_eq!(merged.clashes.len(), 1);
}

#[test]
fn a_clash_has_both_sides_between_markers_and_all_else_is_merged() {
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
        &Needs::new(),
    );
    let text = merged.to_text();
    let versions: Vec<&str> = text
        .lines()
        .filter(|line| line.starts_with("version = \"") || line.len() < 20 && line.starts_with(['<', '=', '>']))
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
    let Text { ours, theirs, base } = sides(&text).unwrap();
    assert_eq!(base, None);
    assert_eq!(shown(&Lockfile::parse_uncounted(&ours, FILE).unwrap()), ["a 1.1.0", "b 1.1.0"]);
    assert_eq!(shown(&Lockfile::parse_uncounted(&theirs, FILE).unwrap()), ["a 1.2.0", "b 1.1.0"]);
}

#[test]
fn markers_in_every_style_of_git_are_taken_apart() {
    let text = "a\n<<<<<<< HEAD\nb\n||||||| 0123\nc\n=======\nd\n>>>>>>> other\ne\n";
    let expected = Text { ours: "a\nb\ne\n".into(), base: Some("a\nc\ne\n".into()), theirs: "a\nd\ne\n".into() };
    assert_eq!(sides(text), Some(expected));
    for broken in ["a\n", "<<<<<<< x\na\n", "<<<<<<< x\n=======\n=======\n>>>>>>> y\n", ">>>>>>> y\n"] {
        assert_eq!(sides(broken), None, "{broken}");
    }
}

/// Every pair of sides that each add, update or remove one of five packages.
#[test]
fn disjoint_changes_always_merge_and_the_answer_has_all_of_both() {
    let names = ["a", "b", "c", "d", "e"];
    let base: BTreeMap<&str, u64> = names[..4].iter().map(|name| (*name, 1)).collect();
    let text = |packages: &BTreeMap<&str, u64>| {
        packages.iter().map(|(name, major)| format!("{name} {major}.0.0")).collect::<Vec<_>>().join("\n")
    };
    let change = |packages: &mut BTreeMap<&'static str, u64>, name: &'static str, how: u64| match how {
        0 => drop(packages.remove(name)),
        how => drop(packages.insert(name, 1 + how)),
    };
    for (one, other) in names.iter().flat_map(|one| names.map(|other| (*one, other))).filter(|(a, b)| a != b) {
        for (how, how_other) in [(0, 0), (0, 1), (1, 0), (1, 1), (1, 2)] {
            let (mut ours, mut theirs, mut both) = (base.clone(), base.clone(), base.clone());
            change(&mut ours, one, how);
            change(&mut theirs, other, how_other);
            change(&mut both, one, how);
            change(&mut both, other, how_other);
            let expected = text(&both);
            becomes([&text(&base), &text(&ours), &text(&theirs)], &[], &expected.lines().collect::<Vec<_>>());
        }
    }
}
