//! `.pre-commit-hooks.yaml`, run by pre-commit itself on the files of a commit.

use super::{
    BAD_SKILL, Command, GOOD_SKILL, Output, PathBuf, find_tool, read_yaml, root, run_script, text,
};
use crate::support::Sandbox;

/// A repository with our hooks; the program is the built one instead of one that pre-commit builds.
struct HookRun {
    sandbox: Sandbox,
    pre_commit: PathBuf,
}

impl HookRun {
    fn prepare() -> Option<HookRun> {
        let pre_commit = find_tool("packaging/bin/pre-commit", "/usr/bin/pre-commit")?;
        let sandbox = Sandbox::new();
        let mut hooks = read_yaml(".pre-commit-hooks.yaml");
        for hook in hooks.as_array_mut().unwrap() {
            hook["language"] = "system".into();
        }
        let config = serde_json::json!({"repos": [{"repo": "local", "hooks": hooks}]});
        sandbox.write(
            ".pre-commit-config.yaml",
            serde_json::to_string(&config).unwrap(),
        );
        sandbox.write("README.md", "# Skills\n");
        let run = HookRun {
            sandbox,
            pre_commit,
        };
        assert!(
            run_script(&run.sandbox, "git init -q", &[])
                .status
                .success()
        );
        Some(run)
    }

    /// Runs a hook on all files.
    fn run(&self, hook: &str) -> Output {
        let script = format!(
            "git add -A && exec '{}' run --all-files --verbose {hook}",
            self.pre_commit.display()
        );
        run_script(&self.sandbox, &script, &[])
    }
}

#[test]
fn pre_commit_accepts_the_manifest_of_the_hooks() {
    let Some(pre_commit) = find_tool("packaging/bin/pre-commit", "/usr/bin/pre-commit") else {
        return;
    };
    let output = Command::new(pre_commit)
        .arg("validate-manifest")
        .arg(root().join(".pre-commit-hooks.yaml"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn pre_commit_hook_fails_on_a_skill_with_an_error() {
    let Some(run) = HookRun::prepare() else {
        return;
    };
    run.sandbox.write("skills/notes/SKILL.md", GOOD_SKILL);
    let output = run.run("skillpm-lint");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    assert!(text(&output).contains("Passed"), "{}", text(&output));

    run.sandbox.write("skills/notes/SKILL.md", BAD_SKILL);
    let output = run.run("skillpm-lint");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output));
    assert!(text(&output).contains("SK501"), "{}", text(&output));
}

#[test]
fn pre_commit_hook_fixes_what_it_can_and_fails() {
    let Some(run) = HookRun::prepare() else {
        return;
    };
    // A version that YAML reads as a number has a safe fix: quotes.
    run.sandbox.write(
        "skills/notes/SKILL.md",
        GOOD_SKILL.replace("name: notes\n", "name: notes\nmetadata:\n  version: 1.0\n"),
    );
    let output = run.run("skillpm-lint-fix");
    assert_eq!(
        output.status.code(),
        Some(1),
        "a hook that changes files fails: {}",
        text(&output)
    );
    assert!(
        text(&output).contains("files were modified by this hook"),
        "{}",
        text(&output)
    );
    let output = run.run("skillpm-lint-fix");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
}
