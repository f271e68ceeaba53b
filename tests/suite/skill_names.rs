//! A name means one thing, and `--as` is how a second thing gets one.

use snapbox::str;

use crate::support::{Repo, Sandbox};

/// One repository with the skill `review` in two plugins.
fn two_reviews(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "plugins");
    repo.skill("plugins/alpha/skills/review", "Reviews as alpha does.");
    repo.skill("plugins/beta/skills/review", "Reviews as beta does.");
    repo.write(
        "plugins/beta/skills/review/references/how.md",
        "name: review\n",
    )
    .commit("first");
    repo
}

#[test]
fn name_of_two_directories_is_an_error_with_both() {
    let sandbox = Sandbox::project_here();
    let repo = two_reviews(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill review", repo.url()))
        .exits(1)
        .stderr(str![[r"
    Fetching file://[ROOT]/repos/plugins
error: duplicate skill name `review`: 2 skills have it
  `plugins/alpha/skills/review`
  `plugins/beta/skills/review`
help: select one with `--path plugins/beta/skills/review`; to add both, rename one: `--path plugins/beta/skills/review --as NAME`

"]]);
    sandbox
        .skillpm(format!("add {} --all", repo.url()))
        .exits(1)
        .stderr_has("help: `--keep-going` adds the others");
    snapshot.still_holds();
}

#[test]
fn as_renames_directory_and_frontmatter_name_only() {
    let sandbox = Sandbox::project_here();
    let repo = two_reviews(&sandbox);
    sandbox
        .skillpm(format!(
            "add {} --path plugins/beta/skills/review --as beta-review",
            repo.url()
        ))
        .exits(0);
    assert_eq!(
        sandbox.tree(".agents/skills").paths(),
        ["beta-review/SKILL.md", "beta-review/references/how.md"]
    );
    let original = repo.git(&["show", "HEAD:plugins/beta/skills/review/SKILL.md"]);
    let renamed = original.replacen("name: review", "name: beta-review", 1);
    assert_eq!(
        sandbox
            .read(".agents/skills/beta-review/SKILL.md")
            .trim_end(),
        renamed
    );
    sandbox.reads(
        ".agents/skills/beta-review/references/how.md",
        "name: review\n",
    );
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn both_skills_are_installed_under_two_names() {
    let sandbox = Sandbox::project_here();
    let repo = two_reviews(&sandbox);
    sandbox
        .skillpm(format!(
            "add {} --path plugins/alpha/skills/review",
            repo.url()
        ))
        .exits(0);
    sandbox
        .skillpm(format!(
            "add {} --path plugins/beta/skills/review --as beta-review",
            repo.url()
        ))
        .exits(0);
    assert_eq!(
        sandbox.tree(".agents/skills").top(),
        ["beta-review", "review"]
    );
    let clone = sandbox.fresh_clone("clone");
    sandbox
        .skillpm("install --locked")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
    sandbox
        .skillpm("verify")
        .in_dir(&clone)
        .home("elsewhere")
        .exits(0);
}

#[test]
fn same_name_from_another_source_suggests_as() {
    let sandbox = Sandbox::project_here();
    let one = sandbox.repo_with("pdf");
    let two = Repo::new(&sandbox, "other");
    two.skill("skills/pdf", "Reads PDF otherwise.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf", one.url()))
        .exits(0);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", two.url()))
        .exits(1)
        .explains(["pdf", "repos/skills", "repos/other", "--as"]);
    snapshot.still_holds();
    sandbox
        .skillpm(format!("add {} --skill pdf --as pdf-too", two.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["pdf", "pdf-too"]);
}

#[test]
fn renamed_skill_keeps_its_name_in_an_update() {
    let sandbox = Sandbox::project_here();
    let repo = sandbox.repo_with("pdf");
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --as my-pdf --branch main",
            repo.url()
        ))
        .exits(0);
    repo.skill("skills/pdf", "Reads PDF better.")
        .commit("second");
    sandbox.skillpm("update").exits(0);
    let text = sandbox.read(".agents/skills/my-pdf/SKILL.md");
    assert!(
        text.contains("name: my-pdf\n") && text.contains("better"),
        "{text}"
    );
    sandbox.skillpm("remove my-pdf").exits(0);
    assert!(sandbox.tree(".agents/skills").is_empty());
}

#[test]
fn as_refuses_an_invalid_name() {
    for name in ["../evil", "..", "PDF", "a/b", "-x", "con"] {
        let sandbox = Sandbox::project_here();
        sandbox.write_skill("pdf", "Reads PDF.");
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add ./pdf --as={name}"))
            .exits(2)
            .stderr_has(name);
        snapshot.still_holds();
    }
}

#[test]
fn name_that_is_no_string_is_refused_unless_as_is_given() {
    for (name, place) in [
        ("", "2:1"),
        ("''", "2:1"),
        ("{a: b}", "2:7"),
        ("!!python/name:os.system ['true']", "2:31"),
    ] {
        let sandbox = Sandbox::project_here();
        let repo = Repo::new(&sandbox, "skills");
        repo.write(
            "skills/pdf/SKILL.md",
            format!("---\nname: {name}\ndescription: Reads PDF.\n---\n"),
        );
        repo.skill("skills/csv", "Reads CSV.").commit("first");
        let snapshot = sandbox.snapshot();
        for choice in ["--skill pdf", "--all"] {
            let outcome = sandbox
                .skillpm(format!("add {} {choice}", repo.url()))
                .exits(1);
            outcome.explains([&format!("skills/pdf/SKILL.md:{place}: "), "`name`", "--as"]);
        }
        snapshot.still_holds();
        sandbox
            .skillpm(format!("add {} --all --keep-going", repo.url()))
            .exits(0)
            .stderr_has("skipped");
        sandbox
            .skillpm(format!("add {} --skill pdf --as forms", repo.url()))
            .exits(0);
        assert_eq!(
            sandbox.tree(".agents/skills").top(),
            ["csv", "forms"],
            "{name}"
        );
    }
}

#[test]
fn as_with_two_skills_is_a_usage_error() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("pdf", "Reads PDF.");
    sandbox.write_skill("csv", "Reads CSV.");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("add ./pdf ./csv --as both")
        .exits(2)
        .stderr_has("--as");
    snapshot.still_holds();
}

#[test]
fn skill_is_found_where_the_marketplace_lists_it() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "market");
    let marketplace = r#"{"name": "m", "owner": {"name": "o"}, "plugins": [
        {"name": "deep", "source": "./a/b/c/d/e/f/g/h", "skills": ["./odd/pdf"]},
        {"name": "nested", "source": "./plugins/nested"}]}"#;
    repo.write(".claude-plugin/marketplace.json", marketplace);
    repo.skill("a/b/c/d/e/f/g/h/odd/pdf", "Reads PDF.")
        .skill("plugins/nested/skills/csv", "Reads CSV.")
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill pdf --skill csv", repo.url()))
        .exits(0);
    assert_eq!(sandbox.tree(".agents/skills").top(), ["csv", "pdf"]);
    assert_eq!(sandbox.locked("pdf", "path"), "a/b/c/d/e/f/g/h/odd/pdf");
}

#[test]
fn marketplace_cannot_point_outside_its_repository() {
    let sandbox = Sandbox::project_here();
    sandbox.write_skill("../outside/pdf", "CANARY");
    let repo = Repo::new(&sandbox, "market");
    let marketplace = r#"{"name": "m", "plugins": [{"name": "p", "source": "../../outside", "skills": ["./pdf", "../../../outside/pdf"]}]}"#;
    repo.write(".claude-plugin/marketplace.json", marketplace)
        .commit("first");
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .exits_one_of([1, 3])
        .explains([]);
    snapshot.still_holds();
}
