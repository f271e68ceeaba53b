//! `validate`: both profiles, on the command line and against the official validator.
//!
//! The official validator is asked where it is installed, and its answers are recorded for where it is not. To record
//! anew, with `.ci/run`'s copy or `SKILLPM_TEST_SKILLS_REF` naming a python that has it:
//!
//! ```text
//! SNAPSHOTS=overwrite cargo test --test suite validate
//! ```

mod cases;
mod oracle;
mod spec;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};
use skillpm::lint::validate::{ValidationProfile, validate};
use skillpm::lint::{FileContent, SkillDir, SkillFile};
use snapbox::str;

use crate::support::{Repo, Sandbox, overwrites};
use cases::Case;
use oracle::{Verdict, recorded};

const RECORDING: &str = "tests/fixtures/validate/recorded.txt";
const CORPUS: &str = "tests/fixtures/validate/corpus.txt";

/// What the reference profile says of a file that is nowhere.
fn ours(case: &Case) -> Verdict {
    told(&case.file, &case.dir, ValidationProfile::Reference)
        .into_iter()
        .map(|(_, message)| message)
        .collect()
}

/// Asserts that the official validator, where it is installed, accepts the skills in these directories.
pub(crate) fn accepts_officially(sandbox: &Sandbox, dirs: &[String]) {
    let questions: Vec<Value> = dirs
        .iter()
        .map(|dir| json!({"path": sandbox.path(dir)}))
        .collect();
    for (dir, verdict) in dirs.iter().zip(oracle::ask(&questions).unwrap_or_default()) {
        assert_eq!(verdict, Verdict::new(), "{dir}");
    }
}

/// The rules and messages of what is found.
fn told(file: &str, dir: &str, profile: ValidationProfile) -> Vec<(String, String)> {
    let page = SkillFile {
        path: "SKILL.md".into(),
        content: FileContent::Text(file.into()),
        executable: false,
    };
    let skill = SkillDir {
        path: dir.into(),
        directory: dir.into(),
        files: vec![page],
        nested: Vec::new(),
    };
    validate(&skill, profile)
        .into_iter()
        .map(|found| (found.diagnostic.rule, found.diagnostic.message))
        .collect()
}

/// Verdicts as they are recorded: a line each, the case and then what is said of it.
fn lines<'a>(verdicts: impl Iterator<Item = (&'a str, &'a Verdict)>) -> String {
    verdicts
        .map(|(name, verdict)| format!("{name}\t{}\n", recorded(verdict)))
        .collect()
}

/// Compares all lines, and shows those that differ.
#[track_caller]
fn same_lines(found: &str, expected: &str) {
    let differ: Vec<_> = found
        .lines()
        .zip(expected.lines())
        .filter(|(found, expected)| found != expected)
        .collect();
    assert!(
        differ.is_empty(),
        "{} lines differ: {:#?}",
        differ.len(),
        &differ[..differ.len().min(20)]
    );
    assert_eq!(found.lines().count(), expected.lines().count());
}

#[test]
fn reference_profile_agrees_with_the_official_validator() {
    let cases = cases::all();
    assert!(cases.len() > 2_000, "{}", cases.len());
    let questions: Vec<Value> = cases
        .iter()
        .map(|case| json!({"file": case.file, "dir": case.dir}))
        .collect();
    let named =
        |verdicts: &[Verdict]| lines(cases.iter().map(|case| case.name.as_str()).zip(verdicts));
    if let Some(asked) = oracle::ask(&questions) {
        if overwrites() {
            std::fs::write(RECORDING, named(&asked)).unwrap();
        }
        same_lines(&std::fs::read_to_string(RECORDING).unwrap(), &named(&asked));
    }
    let ours = named(&cases.iter().map(ours).collect::<Vec<_>>());
    let theirs = std::fs::read_to_string(RECORDING).unwrap();
    same_lines(&without_words(&ours), &without_words(&theirs));
    // Where a file has several faults, the two may name different ones first; see docs/validation.md.
    let other_words = ours
        .lines()
        .zip(theirs.lines())
        .filter(|(ours, theirs)| ours != theirs)
        .count();
    assert!(
        other_words * 100 <= cases.len(),
        "{other_words} of {}",
        cases.len()
    );
}

/// The verdicts alone.
fn without_words(lines: &str) -> String {
    let verdict = |line: &str| {
        let (name, said) = line.split_once('\t').unwrap();
        format!("{name}\t{}\n", said.split(' ').next().unwrap())
    };
    lines.lines().map(verdict).collect()
}

/// The skills below a directory, with what a run of the command says of each.
fn run_over(sandbox: &Sandbox, root: &Path) -> BTreeMap<String, Verdict> {
    let mut verdicts: BTreeMap<String, Verdict> = skills_below(root)
        .into_iter()
        .map(|dir| (dir, Vec::new()))
        .collect();
    let outcome = sandbox
        .skillpm("validate . --profile reference --format json")
        .in_dir(root)
        .exits_one_of([0, 1]);
    for line in outcome
        .stdout_json_lines()
        .iter()
        .filter(|line| line["path"].is_string())
    {
        let path = line["path"].as_str().unwrap();
        let dir = path
            .strip_prefix("./")
            .unwrap_or(path)
            .rsplit_once('/')
            .map_or("", |(dir, _)| dir);
        verdicts
            .get_mut(dir)
            .unwrap()
            .push(line["message"].as_str().unwrap().to_owned());
    }
    verdicts
}

fn skills_below(root: &Path) -> Vec<String> {
    let mut dirs = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(dir) = open.pop() {
        for entry in std::fs::read_dir(&dir).unwrap().map(Result::unwrap) {
            if entry.file_type().unwrap().is_dir() && entry.file_name() != ".git" {
                open.push(entry.path());
            } else if entry.file_name() == "SKILL.md" {
                dirs.push(
                    dir.strip_prefix(root)
                        .unwrap()
                        .to_str()
                        .unwrap()
                        .replace('\\', "/"),
                );
            }
        }
    }
    dirs
}

#[test]
fn verdicts_for_three_collections_match_the_official_validator() {
    let sandbox = Sandbox::new();
    let mut all = String::new();
    let (mut skills, mut fresh) = (0, String::new());
    for name in ["awesome-copilot", "superpowers", "wshobson-agents"] {
        let Some(mirror) = Repo::from_bundle(&sandbox, name) else {
            return;
        };
        let repo = Repo::cloned(&sandbox, &mirror, &format!("{name}-tree"));
        let ours = run_over(&sandbox, repo.path());
        skills += ours.len();
        let invalid = |verdicts: &BTreeMap<String, Verdict>| {
            let paths: Vec<_> = verdicts
                .iter()
                .filter(|(_, verdict)| !verdict.is_empty())
                .collect();
            lines(
                paths
                    .into_iter()
                    .map(|(path, verdict)| (path.as_str(), verdict)),
            )
        };
        all += &format!("{name}: {} skills\n{}", ours.len(), invalid(&ours));
        let questions: Vec<Value> = ours
            .keys()
            .map(|dir| json!({"path": repo.path().join(dir)}))
            .collect();
        if let Some(asked) = oracle::ask(&questions) {
            let theirs: BTreeMap<String, Verdict> = ours.keys().cloned().zip(asked).collect();
            assert_eq!(ours, theirs);
            fresh += &format!("{name}: {} skills\n{}", theirs.len(), invalid(&theirs));
        }
    }
    assert!(skills > 600, "{skills}");
    if !fresh.is_empty() && overwrites() {
        std::fs::write(CORPUS, &fresh).unwrap();
    }
    same_lines(&all, &std::fs::read_to_string(CORPUS).unwrap());
}

#[test]
fn invalid_skill_is_reported_with_its_place() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("skills/pdf", "Fills forms.");
    sandbox
        .skillpm("validate skills --format short")
        .exits(0)
        .stdout("");
    sandbox.write(
        "skills/csv/SKILL.md",
        "---\nname: Csv\ndescription: d\n---\n",
    );
    sandbox
        .skillpm("validate skills --format short")
        .exits(1).stdout(str![[r"
skills/csv/SKILL.md:2:7: error[SK204] name-uppercase: `name` contains uppercase letters; only `a-z`, `0-9` and `-` are allowed
skills/csv/SKILL.md:2:7: error[SK208] name-directory-mismatch: `name` is `Csv`, but the directory is named `csv`; they must be equal

"]]);
    sandbox.skillpm("validate skills/pdf").exits(0);
    sandbox
        .skillpm("validate skills/pdf skills/csv/SKILL.md")
        .exits(1);
}

#[test]
fn profiles_differ_where_specification_and_validator_differ() {
    let sandbox = Sandbox::new();
    let both = |path: &str, spec: i32, reference: i32| {
        sandbox.skillpm(format!("validate {path}")).exits(spec);
        sandbox
            .skillpm(format!("validate {path} --profile reference"))
            .exits(reference);
    };
    sandbox.write(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: d\nversion: 1.0.0\n---\n",
    );
    both("pdf", 0, 1);
    sandbox.write(
        "csv/SKILL.md",
        "---\nname: csv\ndescription: d\nmetadata: {a: b}\n---\n",
    );
    both("csv", 0, 1);
    sandbox.write(
        "xml/SKILL.md",
        "---\nname: xml\ndescription: d\nmetadata:\n  a: 1\n---\n",
    );
    both("xml", 1, 0);
    sandbox.write("lower/skill.md", "---\nname: lower\ndescription: d\n---\n");
    both("lower", 1, 0);
    sandbox.write("other/Skill.md", "---\nname: other\ndescription: d\n---\n");
    both("other", 1, 1);
    sandbox.write(
        "bytes/SKILL.md",
        b"---\nname: bytes\ndescription: \xff\n---\n",
    );
    both("bytes", 1, 1);
}

#[test]
#[cfg_attr(
    any(windows, target_os = "macos"),
    ignore = "its file systems fold case: a directory has only one of the two"
)]
fn uppercase_skill_md_is_preferred() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", "---\nname: pdf\ndescription: d\n---\n");
    sandbox.write("pdf/skill.md", "none\n");
    sandbox.skillpm("validate pdf --profile reference").exits(0);
    sandbox.skillpm("validate pdf").exits(0);
}

#[test]
fn directory_name_does_not_depend_on_the_working_directory() {
    let sandbox = Sandbox::new();
    sandbox.write_skill("pdf", "Fills forms.");
    for line in [
        "validate",
        "validate .",
        "validate SKILL.md",
        "validate ../pdf",
        "validate ./SKILL.md",
    ] {
        sandbox
            .skillpm(format!("{line} --profile reference"))
            .in_dir(sandbox.path("pdf"))
            .exits(0);
        sandbox.skillpm(line).in_dir(sandbox.path("pdf")).exits(0);
    }
    sandbox.write("sub/x", "");
    sandbox
        .skillpm("validate ..")
        .in_dir(sandbox.path("sub"))
        .exits(0);
}

#[test]
fn stdin_is_validated_as_the_named_file() {
    let sandbox = Sandbox::new();
    let text = "---\nname: pdf\ndescription: d\n---\n";
    sandbox.skillpm("validate -").stdin(text).exits(0);
    sandbox
        .skillpm("validate - --stdin-filename skills/pdf/SKILL.md")
        .stdin(text)
        .exits(0);
    sandbox
        .skillpm(
            "validate - --stdin-filename skills/csv/SKILL.md --profile reference --format short",
        )
        .stdin(text)
        .exits(1).stdout(str![[r"
skills/csv/SKILL.md:2:7: error[SK208] name-directory-mismatch: Directory name 'csv' must match skill name 'pdf'

"]]);
}

#[test]
fn directory_without_a_skill_is_invalid() {
    let sandbox = Sandbox::new();
    sandbox.write("empty/README.md", "x");
    sandbox
        .skillpm("validate empty --profile reference --format short")
        .exits(1)
        .stdout_has("Missing required file: SKILL.md");
    sandbox
        .skillpm("validate gone")
        .exits(2)
        .stderr_has("path `gone` not found");
    sandbox
        .skillpm("validate empty/README.md")
        .exits(2)
        .stderr_has("`empty/README.md` is not a `SKILL.md`");
    sandbox.skillpm("validate empty --profile strict").exits(2);
}

#[test]
fn skill_of_another_format_is_named_with_what_checks_it() {
    let sandbox = Sandbox::new();
    sandbox.write(
        "skills/tea/manifest.yaml",
        "name: tea\ndescription: Makes tea\n",
    );
    sandbox.write("skills/tea/instructions.md", "Boil.\n");
    sandbox
        .skillpm("validate skills/tea")
        .exits(1)
        .stdout(str![[r"
error[SK001]: the directory has no `SKILL.md` (missing-skill-md)
 --> skills/tea/SKILL.md
  = note: `manifest.yaml` describes a skill of Nova, which is another format
  = help: `skillpm lint skills/tea` checks it; `skillpm convert skills/tea --to skill-md` converts it


"]]);
}
