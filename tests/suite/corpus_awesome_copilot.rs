//! github/awesome-copilot: 402 skills in one flat collection, 15 more `SKILL.md` inside others.

use crate::catalog::skills;
use crate::support::{Repo, Sandbox, Server};

#[test]
fn all_402_skills_are_added_listed_and_left_unchanged() {
    let sandbox = Sandbox::project_here();
    let Some(repo) = Repo::from_bundle(&sandbox, "awesome-copilot") else {
        return;
    };
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!("add {} --all", server.url("awesome-copilot")))
        .exits(0);

    let installed = sandbox.tree(".agents/skills");
    assert_eq!(installed.top().len(), 402);
    assert_eq!(
        installed
            .paths()
            .iter()
            .filter(|path| path.ends_with("/SKILL.md"))
            .count(),
        402 + 15
    );
    let committed = repo.git(&["ls-tree", "-r", "--name-only", "HEAD", "skills/"]);
    let committed: Vec<_> = committed
        .lines()
        .filter_map(|path| path.strip_prefix("skills/"))
        .collect();
    assert_eq!(
        installed.paths().len(),
        committed.len(),
        "every file of every skill, and no other"
    );
    assert_eq!(sandbox.lock()["package"].as_array().unwrap().len(), 402);

    let listed = skills(&sandbox.skillpm("catalog --format json").exits(0));
    assert_eq!(
        listed
            .iter()
            .filter(|skill| skill["tier"] == "workspace")
            .count(),
        402
    );

    server.forget();
    let snapshot = sandbox.snapshot();
    sandbox.skillpm("install").exits(0);
    snapshot.still_holds();
    assert_eq!(server.count(""), 0, "{:?}", server.requests());
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn one_skill_of_402_is_fetched_alone() {
    let sandbox = Sandbox::project_here();
    let Some(_repo) = Repo::from_bundle(&sandbox, "awesome-copilot") else {
        return;
    };
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!(
            "add {} --skill acquire-codebase-knowledge",
            server.url("awesome-copilot")
        ))
        .exits(0);
    assert_eq!(
        sandbox.tree(".agents/skills").top(),
        ["acquire-codebase-knowledge"]
    );
    assert!(server.count("") <= 4, "{:?}", server.requests());
    assert!(
        server.bytes() < 500_000,
        "{} bytes for one skill",
        server.bytes()
    );
}
