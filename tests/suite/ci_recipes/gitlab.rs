//! `templates/skillpm.yml`, the component for GitLab CI.

use serde_json::Value;

use super::{BAD_SKILL, GOOD_SKILL, fs, read, run_script, text, validate};
use crate::support::Sandbox;

/// The component's two documents: its inputs, and its jobs with these inputs as GitLab fills them in.
fn fill_in(inputs: &[(&str, &str)]) -> (Value, Value) {
    let source = read("templates/skillpm.yml");
    let (spec, jobs) = source.split_once("\n---\n").unwrap();
    let spec: Value = serde_yaml::from_str(spec).unwrap();

    let mut jobs = jobs.to_owned();
    for (name, input) in spec["spec"]["inputs"].as_object().unwrap() {
        let given = inputs.iter().find(|(given, _)| given == name);
        let value = given.map_or(input["default"].as_str().unwrap(), |(_, value)| value);
        assert!(input["description"].is_string(), "{name}");
        jobs = jobs.replace(&format!("$[[ inputs.{name} ]]"), value);
    }
    assert!(!jobs.contains("$[["), "an input is not declared: {jobs}");
    (spec, serde_yaml::from_str(&jobs).unwrap())
}

/// Runs the script of a job as GitLab's runner does: one shell, which ends with the first command that fails.
fn run_job(sandbox: &Sandbox, job: &Value) -> (Option<i32>, String) {
    let lines: Vec<&str> = job["script"]
        .as_array()
        .unwrap()
        .iter()
        .map(|line| line.as_str().unwrap())
        .collect();
    let project = sandbox.path(".");
    let project = project.to_str().unwrap();
    let variables: Vec<(&str, String)> = job["variables"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(key, value)| {
            (
                key.as_str(),
                value
                    .as_str()
                    .unwrap_or_default()
                    .replace("$CI_PROJECT_DIR", project),
            )
        })
        .collect();
    let env: Vec<(&str, &str)> = variables
        .iter()
        .map(|(key, value)| (*key, value.as_str()))
        .collect();
    let output = run_script(sandbox, &format!("set -e\n{}", lines.join("\n")), &env);
    (output.status.code(), text(&output))
}

#[test]
fn gitlab_component_matches_the_schema_of_gitlab() {
    let sandbox = Sandbox::new();
    let (spec, jobs) = fill_in(&[]);
    for (name, document) in [("spec.json", &spec), ("jobs.json", &jobs)] {
        sandbox.write(name, serde_json::to_string(document).unwrap());
        let valid = validate(
            "vendor.gitlab-ci",
            &["--data-transform", "gitlab-ci"],
            &sandbox.path(name),
        );
        if valid.is_none() {
            return;
        }
    }
}

#[test]
fn gitlab_component_uses_the_image_of_this_version() {
    let (_, jobs) = fill_in(&[]);
    let image = concat!("ghcr.io/skillpm/skillpm:", env!("CARGO_PKG_VERSION"));
    for (name, job) in jobs.as_object().unwrap() {
        assert_eq!(job["image"], image, "{name}");
    }
}

#[test]
fn gitlab_install_job_verifies_the_locked_skills() {
    let sandbox = Sandbox::new();
    sandbox.skillpm("add commit-messages").exits(0);
    fs::remove_dir_all(sandbox.path(".agents")).unwrap();
    let (_, jobs) = fill_in(&[]);
    let job = &jobs["skillpm-install"];
    let (code, printed) = run_job(&sandbox, job);
    assert_eq!(code, Some(0), "{printed}");
    sandbox.has([
        ".agents/skills/commit-messages/SKILL.md",
        ".skillpm-cache/store",
    ]);

    sandbox.write(".agents/skills/commit-messages/SKILL.md", "changed");
    let (code, printed) = run_job(&sandbox, job);
    assert_eq!(code, Some(1), "{printed}");
    assert!(
        printed.contains("error: installed skills differ from the lockfile"),
        "{printed}"
    );
}

#[test]
fn gitlab_lint_job_leaves_a_report_when_it_fails() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/notes/SKILL.md", GOOD_SKILL);
    let (_, jobs) = fill_in(&[("paths", "skills"), ("lint-args", "--deny-warnings")]);
    let job = &jobs["skillpm-lint"];
    let (code, printed) = run_job(&sandbox, job);
    assert_eq!(
        (code, sandbox.read("gl-code-quality-report.json").trim()),
        (Some(0), "[]"),
        "{printed}"
    );

    sandbox.write("skills/notes/SKILL.md", BAD_SKILL);
    let (code, printed) = run_job(&sandbox, job);
    assert_eq!(code, Some(1), "{printed}");
    let report: Value = serde_json::from_str(&sandbox.read("gl-code-quality-report.json")).unwrap();
    assert_eq!(report[0]["location"]["path"], "skills/notes/SKILL.md");
    assert_eq!(
        job["artifacts"]["reports"]["codequality"],
        "gl-code-quality-report.json"
    );
}

#[test]
fn inputs_of_the_gitlab_component_are_not_run_as_scripts() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/notes/SKILL.md", GOOD_SKILL);
    let (_, jobs) = fill_in(&[("paths", "skills; touch hacked; $(touch hacked)")]);
    let (code, printed) = run_job(&sandbox, &jobs["skillpm-lint"]);
    assert_ne!(code, Some(0), "{printed}");
    sandbox.lacks(["hacked"]);
}
