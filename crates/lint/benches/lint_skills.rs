//! How long `lint` and `audit` take for the skills below a directory: the first pass of the process, which
//! also prepares the patterns, and the median of those after it.
//!
//! ```sh
//! cargo bench -p skillpm-lint --bench lint_skills                       # the skills of this repository
//! SKILLPM_BENCH_SKILLS=DIR cargo bench -p skillpm-lint --bench lint_skills
//! ```

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a benchmark reads files and prints its figures"
)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{env, fs};

use skillpm_lint::{FileContent, LintSettings, SkillDir, SkillFile};

/// Passes after the first.
const PASSES: usize = 9;

fn main() {
    let root = env::var_os("SKILLPM_BENCH_SKILLS").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../skills"),
        PathBuf::from,
    );
    let mut skills = Vec::new();
    find_skills(&root, &mut skills);
    assert!(!skills.is_empty(), "no SKILL.md below {}", root.display());

    let settings = LintSettings::default();
    print_times("lint", &skills, |skill| {
        skillpm_lint::check(skill, &settings).findings.len()
    });
    print_times("audit", &skills, |skill| {
        skillpm_lint::audit(skill, &settings).len()
    });
}

fn print_times(name: &str, skills: &[SkillDir], check: impl Fn(&SkillDir) -> usize) {
    let mut times: Vec<Duration> = Vec::new();
    let mut findings = 0;
    for _ in 0..=PASSES {
        let start = Instant::now();
        findings = skills.iter().map(&check).sum();
        times.push(start.elapsed());
    }

    let first = times.remove(0);
    times.sort_unstable();
    println!(
        "{name}: {} skills, {findings} findings, first pass {:.1} ms, then {:.1} ms",
        skills.len(),
        first.as_secs_f64() * 1e3,
        times[PASSES / 2].as_secs_f64() * 1e3,
    );
}

/// Reads each directory with a `SKILL.md`, with all its files.
fn find_skills(dir: &Path, skills: &mut Vec<SkillDir>) {
    if dir.join("SKILL.md").is_file() {
        let mut skill = SkillDir {
            path: dir.display().to_string(),
            directory: dir
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            ..SkillDir::default()
        };
        read_files(dir, dir, &mut skill.files);
        skill.files.sort_by(|a, b| a.path.cmp(&b.path));
        skills.push(skill);
        return;
    }

    for child in fs::read_dir(dir).into_iter().flatten().flatten() {
        let is_dir = child.file_type().is_ok_and(|kind| kind.is_dir());
        if is_dir && child.file_name() != ".git" {
            find_skills(&child.path(), skills);
        }
    }
}

fn read_files(root: &Path, dir: &Path, files: &mut Vec<SkillFile>) {
    for child in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = child.path();
        let kind = child.file_type().expect("the entry was just listed");
        if kind.is_dir() {
            read_files(root, &path, files);
        } else if kind.is_file() {
            let bytes = fs::read(&path).expect("the file was just listed");
            let relative = path.strip_prefix(root).expect("it is below the root");
            files.push(SkillFile {
                path: relative.display().to_string(),
                content: FileContent::from_bytes(bytes),
                executable: false,
            });
        }
    }
}
