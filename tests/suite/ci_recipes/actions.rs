//! `action.yml`, `ci/update/action.yml`, and the workflows that use them or are our own.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{
    BAD_SKILL, Command, GOOD_SKILL, Output, PathBuf, find_tool, fs, read, read_yaml, root, text,
    validate,
};
use crate::packaging::Release;
use crate::support::{Sandbox, Server};

/// A run of the `run:` steps of a composite action, each by bash as GitHub starts it.
struct ActionRun<'s> {
    sandbox: &'s Sandbox,
    action: &'static str,
    inputs: BTreeMap<&'static str, &'static str>,
    env: Vec<(&'static str, String)>,
    path: String,
}

impl<'s> ActionRun<'s> {
    fn new(sandbox: &'s Sandbox, action: &'static str) -> Self {
        let binary = PathBuf::from(env!("CARGO_BIN_EXE_skillpm"));
        ActionRun {
            sandbox,
            action,
            inputs: BTreeMap::new(),
            env: Vec::new(),
            path: format!("{}:/usr/bin:/bin", binary.parent().unwrap().display()),
        }
    }

    fn input(mut self, name: &'static str, value: &'static str) -> Self {
        self.inputs.insert(name, value);
        self
    }

    /// The value of `${{ inputs.NAME }}` in the `env` of a step.
    #[track_caller]
    fn value(&self, action: &Value, expression: &str) -> String {
        let name = expression
            .strip_prefix("${{ inputs.")
            .and_then(|rest| rest.strip_suffix(" }}"))
            .unwrap_or_else(|| panic!("`{expression}` is more than an input"));
        let default = action["inputs"][name]["default"].as_str().unwrap();
        (*self.inputs.get(name).unwrap_or(&default)).to_owned()
    }

    /// Runs the steps until one fails; gives the output of the last one that ran.
    fn run(&self) -> Output {
        let action = read_yaml(self.action);
        let dir = root().join(self.action);
        let mut last = None;
        for step in action["runs"]["steps"].as_array().unwrap() {
            let env: Vec<(String, String)> = step["env"]
                .as_object()
                .unwrap()
                .iter()
                .map(|(key, value)| (key.clone(), self.value(&action, value.as_str().unwrap())))
                .collect();
            let script = self.sandbox.root().join("step.sh");
            fs::write(&script, step["run"].as_str().unwrap()).unwrap();
            let output = Command::new("bash")
                .args(["--noprofile", "--norc", "-eo", "pipefail"])
                .arg(&script)
                .env_clear()
                .env("PATH", &self.path)
                .env("HOME", self.sandbox.root().join("home"))
                .env("RUNNER_TEMP", self.sandbox.root().join("tmp"))
                .env("GITHUB_ACTION_PATH", dir.parent().unwrap())
                .env("GITHUB_OUTPUT", self.sandbox.root().join("output"))
                .env("GITHUB_PATH", self.sandbox.root().join("path"))
                .envs(self.env.iter().map(|(key, value)| (key, value)))
                .envs(env)
                .current_dir(self.sandbox.path("."))
                .output()
                .unwrap();
            let failed = !output.status.success();
            last = Some(output);
            if failed {
                break;
            }
        }
        last.unwrap()
    }
}

#[test]
fn lint_action_fails_with_the_findings_of_the_pull_request() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/notes/SKILL.md", GOOD_SKILL);
    let run = ActionRun::new(&sandbox, "action.yml").input("paths", "skills");
    let output = run.run();
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));

    sandbox.write("skills/notes/SKILL.md", BAD_SKILL);
    let output = run.run();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text(&output)
            .contains("::error title=SK501 broken-link,file=skills/notes/SKILL.md,line=8,"),
        "{}",
        text(&output)
    );
    let outputs = fs::read_to_string(sandbox.root().join("output")).unwrap();
    assert_eq!(outputs, "exit-code=0\nexit-code=1\n");
}

#[test]
fn inputs_of_the_lint_action_are_not_run_as_scripts() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/notes/SKILL.md", GOOD_SKILL);
    let output = ActionRun::new(&sandbox, "action.yml")
        .input("paths", "$(touch hacked) `touch hacked` ; touch hacked")
        .input("version", "\"; touch hacked; \"")
        .run();
    assert_ne!(output.status.code(), Some(0), "{}", text(&output));
    sandbox.lacks(["hacked"]);
}

#[test]
fn action_installs_a_release_where_skillpm_is_missing() {
    let sandbox = Sandbox::new();
    let program = "#!/bin/sh\necho \"skillpm of the release $*\"\n";
    let Some(release) = Release::make(&sandbox, program) else {
        return;
    };
    let server = Server::start(&sandbox);
    let base = server.url("").trim_end_matches('/').to_owned();
    for place in ["latest/download", "download/v9.9.9"] {
        let dir = release.archives.join(place);
        fs::create_dir_all(&dir).unwrap();
        fs::copy(release.manifests.join("install.sh"), dir.join("install.sh")).unwrap();
    }

    for (version, place) in [
        ("latest", "/latest/download/"),
        ("9.9.9", "/download/v9.9.9/"),
        ("v9.9.9", "/download/v9.9.9/"),
    ] {
        server.forget();
        let mut run = ActionRun::new(&sandbox, "action.yml").input("version", version);
        run.path = format!(
            "{}:/usr/bin:/bin",
            sandbox.root().join("tmp/skillpm/bin").display()
        );
        run.env.push(("SKILLPM_RELEASES", base.clone()));
        run.env.push(("SKILLPM_DOWNLOAD_URL", base.clone()));
        // The host puts what a step writes into `GITHUB_PATH` before PATH; here it is in PATH from the beginning.
        let output = run.run();
        assert_eq!(
            text(&output),
            "skillpm of the release lint --format github\n"
        );
        assert!(
            server.requests()[0].line.contains(place),
            "{:?}",
            server.requests()
        );
        let path = fs::read_to_string(sandbox.root().join("path")).unwrap();
        assert_eq!(
            path.trim_end(),
            sandbox.root().join("tmp/skillpm/bin").to_str().unwrap()
        );
        fs::remove_file(sandbox.root().join("path")).unwrap();
        fs::remove_dir_all(sandbox.root().join("tmp/skillpm")).unwrap();
    }
}

#[test]
fn action_files_match_the_schema_of_actions() {
    for file in ["action.yml", "ci/update/action.yml"] {
        let valid = validate("vendor.github-actions", &[], &root().join(file));
        if valid.is_none() {
            return;
        }
    }
}

/// Our workflows, the one in a new registry, and those that pages show.
fn all_workflows(sandbox: &Sandbox) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = ["ci.yml", "release.yml"]
        .iter()
        .map(|name| root().join(".github/workflows").join(name))
        .collect();
    files.push(root().join("crates/ops/src/registry/template/check.yml"));
    for (page, count) in [("docs/how-to/ci.md", 2), ("docs/registry.md", 1)] {
        let before = files.len();
        for (at, workflow) in workflows_of(page).iter().enumerate() {
            let name = format!("{}-{at}.yml", page.replace('/', "-"));
            sandbox.write(&name, workflow);
            files.push(sandbox.path(&name));
        }
        assert_eq!(files.len() - before, count, "workflows in {page}");
    }
    files
}

#[test]
fn workflows_pass_actionlint() {
    let Some(actionlint) = find_tool("packaging/bin/actionlint", "/usr/bin/actionlint") else {
        return;
    };
    let sandbox = Sandbox::new();
    let files = all_workflows(&sandbox);

    let output = Command::new(actionlint)
        .args(["-no-color", "-oneline", "-shellcheck="])
        .args(&files)
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn workflows_and_actions_pass_zizmor() {
    let Some(zizmor) = find_tool("packaging/bin/zizmor", "/usr/bin/zizmor") else {
        return;
    };
    let sandbox = Sandbox::new();
    let output = Command::new(zizmor)
        .args([
            "--offline",
            "--quiet",
            "--color=never",
            "--strict-collection",
        ])
        .arg("--config")
        .arg(root().join(".github/zizmor.yml"))
        .args(all_workflows(&sandbox))
        .args(["action.yml", "ci/update/action.yml"].map(|file| root().join(file)))
        .current_dir(sandbox.path("."))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

/// A tag can be moved to other code; the commit stays. Dependabot and Renovate read the tag in the comment.
#[test]
fn actions_are_pinned_to_commits_with_their_tags() {
    let pinned = regex::Regex::new(r"^[\w.-]+/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$").unwrap();
    // A copy in the reader's repository, until a release has a tag.
    let own = ["$/.github/skillpm", "$/.github/skillpm/ci/update"];

    let (mut count, mut by_action) = (0, BTreeMap::new());
    for file in [
        ".github/workflows/ci.yml",
        ".github/workflows/release.yml",
        "crates/ops/src/registry/template/check.yml",
        "action.yml",
        "ci/update/action.yml",
        "docs/how-to/ci.md",
        "docs/linting.md",
        "docs/registry.md",
    ] {
        let text = read(file);
        let used = |line: &str| {
            let line = line.trim_start().trim_start_matches("- ");
            line.strip_prefix("uses: ")
                .map(|used| used.trim().to_owned())
        };
        for used in text.lines().filter_map(used) {
            count += 1;
            if file.starts_with("docs/") && own.contains(&&*used) {
                continue;
            }
            assert!(pinned.is_match(&used), "`{used}` in {file}");
            // One commit of each everywhere, so that none is forgotten.
            let (action, pin) = used.split_once('@').unwrap();
            let first = by_action
                .entry(action.to_owned())
                .or_insert_with(|| pin.to_owned());
            assert_eq!(first, pin, "{action} in {file}");
        }
    }
    assert!(count > 25, "{count}");
}

/// What a release is built with comes by digest, and nothing in it from a cache, which another workflow could have written.
#[test]
fn release_takes_packages_by_digest_and_nothing_from_caches() {
    let workflow = read(".github/workflows/release.yml");
    for line in workflow.lines().filter(|line| line.contains("pip install")) {
        assert!(line.contains("--require-hashes"), "{line}");
    }
    for line in workflow
        .lines()
        .filter(|line| line.contains("cargo install"))
    {
        assert!(line.contains("--locked") && line.contains('@'), "{line}");
    }
    assert!(!workflow.contains("actions/cache"));

    let yaml: Value = serde_yaml::from_str(&workflow).unwrap();
    assert_eq!(yaml["permissions"], serde_json::json!({"contents": "read"}));
    for (name, job) in yaml["jobs"].as_object().unwrap() {
        for step in job["steps"].as_array().unwrap() {
            let with = &step["with"];
            let off = match step["uses"]
                .as_str()
                .and_then(|used| used.split('@').next())
            {
                Some("actions/checkout") => ("persist-credentials", false),
                Some("actions/setup-node") => ("package-manager-cache", false),
                Some("docker/setup-qemu-action") => ("cache-image", false),
                Some("docker/setup-buildx-action") => ("cache-binary", false),
                Some("docker/build-push-action") => ("no-cache", true),
                _ => continue,
            };
            assert_eq!(with[off.0], off.1, "{} of {name}", off.0);
        }
    }
}

/// The YAML blocks of a page that are workflows of GitHub.
fn workflows_of(page: &str) -> Vec<String> {
    let page = read(page);
    page.split("```yaml\n")
        .skip(1)
        .filter_map(|rest| rest.split("\n```").next())
        .filter(|block| block.contains("runs-on:"))
        .map(|block| {
            let named = if block.contains("name:") {
                ""
            } else {
                "name: shown\n"
            };
            format!("{named}{block}\n")
        })
        .collect()
}

/// The workflow must call the scripts, not repeat what they do.
#[test]
fn release_workflow_calls_every_script_of_packaging() {
    let workflow = read(".github/workflows/release.yml");
    for entry in fs::read_dir(root().join("packaging")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        let extension = path.extension().and_then(|extension| extension.to_str());
        let is_script = matches!(extension, Some("py" | "sh")) || name == "Dockerfile";
        assert!(
            !is_script || workflow.contains(&format!("packaging/{name}")),
            "{name}"
        );
    }
    let yaml: Value = serde_yaml::from_str(&workflow).unwrap();
    let jobs = yaml["jobs"].as_object().unwrap();
    let publishing: Vec<&str> = jobs
        .iter()
        .filter(|(_, job)| job["environment"] == "release")
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(publishing, ["github", "crates", "pypi", "npm", "image"]);
    // What publishes comes after what publishes only for tags.
    assert_eq!(jobs["github"]["if"], "github.ref_type == 'tag'");
    for name in ["crates", "pypi", "npm", "image"] {
        assert!(
            jobs[name]["needs"]
                .as_array()
                .unwrap()
                .contains(&"github".into()),
            "{name}"
        );
    }
}
