//! Runs the checks on the inputs committed below `fuzz/`: the seeds of fuzzing, and its former findings.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use super::{FuzzTarget, TARGETS};

fn fuzz() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz")
}

fn names(dir: &Path) -> Vec<String> {
    let entries = fs::read_dir(dir).unwrap_or_else(|cause| panic!("{}: {cause}", dir.display()));
    let mut names: Vec<_> = entries
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort_unstable();
    names
}

/// The inputs of a folder that fail a target's check.
fn failures(target: &FuzzTarget, dir: &Path) -> Vec<String> {
    let fails = |name: &String| {
        let input = fs::read(dir.join(name)).unwrap();
        catch_unwind(AssertUnwindSafe(|| (target.check)(&input))).is_err()
    };
    names(dir)
        .into_iter()
        .filter(fails)
        .map(|name| format!("{}/{name}", target.name))
        .collect()
}

#[test]
fn every_fuzz_seed_passes() {
    let failed: Vec<_> = TARGETS
        .iter()
        .flat_map(|target| failures(target, &fuzz().join("seeds").join(target.name)))
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn former_findings_stay_fixed() {
    let found = fuzz().join("found");
    let targets = TARGETS
        .iter()
        .filter(|target| found.join(target.name).is_dir());
    let failed: Vec<_> = targets
        .flat_map(|target| failures(target, &found.join(target.name)))
        .collect();
    assert!(failed.is_empty(), "{failed:?}");
}

#[test]
fn every_target_has_its_program_its_seeds_and_its_row() {
    let targets: Vec<_> = TARGETS
        .iter()
        .map(|target| target.name.to_owned())
        .collect();
    assert!(targets.is_sorted());
    assert_eq!(names(&fuzz().join("seeds")), targets);
    let programs: Vec<_> = targets.iter().map(|name| format!("{name}.rs")).collect();
    assert_eq!(names(&fuzz().join("fuzz_targets")), programs);
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    let docs = fs::read_to_string(fuzz().join("../docs/fuzzing.md")).unwrap();
    for target in targets {
        assert!(
            manifest.contains(&format!("name = \"{target}\"\n")),
            "{target}"
        );
        assert!(docs.contains(&format!("\n| `{target}` |")), "{target}");
        assert!(
            names(&fuzz().join("seeds").join(&target)).len() >= 3,
            "{target}"
        );
    }
    for found in names(&fuzz().join("found")) {
        assert!(TARGETS.iter().any(|target| target.name == found), "{found}");
    }
}
