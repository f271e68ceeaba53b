//! A repository made to do harm: nothing of it is run, followed or written outside its directory.

use crate::support::{Repo, Sandbox, skill_md};

const SECRET: &str = "CANARY-SECRET-7f3a91c2";

/// Fails unless adding `demo` from the repository is refused as hostile, and nothing of the project changes.
#[track_caller]
fn is_refused<const N: usize>(sandbox: &Sandbox, repo: &Repo, words: [&str; N]) {
    let snapshot = sandbox.snapshot();
    let outcome = sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(3);
    outcome.explains(words).never_prints(SECRET);
    snapshot.still_holds();
    sandbox.holds_nowhere(SECRET);
}

/// A repository whose skill `demo` holds these raw tree entries (mode, name, id) besides its `SKILL.md`.
fn demo_with(
    sandbox: &Sandbox,
    entries: impl FnOnce(&Repo) -> Vec<(&'static str, &'static str, String)>,
) -> Repo {
    let repo = Repo::new(sandbox, "hostile");
    let text = repo.blob(skill_md("demo", "Does harm."));
    let more = entries(&repo);
    let mut all = vec![("100644", "SKILL.md", text.as_str())];
    all.extend(
        more.iter()
            .map(|(mode, name, id)| (*mode, *name, id.as_str())),
    );
    all.sort_by_key(|entry| entry.1);
    let demo = repo.raw_tree(&all);
    let skills = repo.raw_tree(&[("40000", "demo", &demo)]);
    repo.commit_raw_tree(&[("40000", "skills", &skills)]);
    repo
}

#[cfg(unix)]
mod links {
    use super::*;

    /// A link in `demo` to each of these, with a secret outside the repository.
    fn linked(path: &str, to: &str) -> (Sandbox, Repo) {
        let sandbox = Sandbox::project_here();
        std::fs::write(sandbox.root().join("secret.txt"), SECRET).unwrap();
        let repo = Repo::new(&sandbox, "hostile");
        let to = to.replace("[ROOT]", sandbox.root().to_str().unwrap());
        repo.skill("skills/demo", "Does harm.")
            .write("shared/common.md", "shared\n")
            .link(path, to)
            .commit("first");
        (sandbox, repo)
    }

    #[test]
    fn link_to_a_file_outside_is_refused() {
        let (sandbox, repo) = linked("skills/demo/notes.md", "[ROOT]/secret.txt");
        is_refused(&sandbox, &repo, ["skills/demo", "notes.md"]);
    }

    #[test]
    fn link_that_leaves_the_skill_is_refused() {
        let (sandbox, repo) = linked("skills/demo/up", "../../../../../../../../etc");
        is_refused(&sandbox, &repo, ["skills/demo", "up"]);
    }

    #[test]
    fn link_to_a_sibling_is_refused_and_not_left_dangling() {
        let (sandbox, repo) = linked("skills/demo/shared.md", "../../shared/common.md");
        is_refused(&sandbox, &repo, ["skills/demo", "shared.md"]);
    }

    #[test]
    fn link_cycle_is_refused() {
        let (sandbox, repo) = linked("skills/demo/a", "a");
        is_refused(&sandbox, &repo, ["skills/demo"]);
    }

    #[test]
    fn skill_md_that_is_a_link_discloses_nothing() {
        let sandbox = Sandbox::project_here();
        sandbox.write_skill("../outside/demo", SECRET);
        let repo = Repo::new(&sandbox, "hostile");
        repo.link(
            "skills/demo/SKILL.md",
            sandbox.root().join("outside/demo/SKILL.md"),
        )
        .commit("first");
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {} --all", repo.url()))
            .exits_one_of([1, 3])
            .explains([])
            .never_prints(SECRET);
        snapshot.still_holds();
    }

    #[test]
    fn skill_directory_that_is_a_link_discloses_nothing() {
        let sandbox = Sandbox::project_here();
        sandbox.write_skill("../outside/demo", SECRET);
        let repo = Repo::new(&sandbox, "hostile");
        repo.link("skills/demo", sandbox.root().join("outside/demo"))
            .commit("first");
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {} --all", repo.url()))
            .exits_one_of([1, 3])
            .explains([])
            .never_prints(SECRET);
        snapshot.still_holds();
    }

    #[test]
    fn link_planted_at_the_skills_directory_is_not_followed() {
        let sandbox = Sandbox::project_here();
        let repo = sandbox.repo_with("demo");
        std::fs::create_dir(sandbox.root().join("elsewhere")).unwrap();
        std::os::unix::fs::symlink("../elsewhere", sandbox.path(".agents")).unwrap();
        let snapshot = sandbox.snapshot();
        sandbox
            .skillpm(format!("add {} --skill demo", repo.url()))
            .exits_one_of([1, 3, 6])
            .explains([".agents"]);
        snapshot.still_holds();
        assert!(sandbox.tree("../elsewhere").is_empty());
    }

    #[test]
    fn link_planted_at_an_installed_skill_is_not_followed() {
        let sandbox = Sandbox::project_here();
        let repo = sandbox.repo_with("demo");
        sandbox
            .skillpm(format!("add {} --skill demo --branch main", repo.url()))
            .exits(0);
        sandbox.write("../elsewhere/SKILL.md", "theirs\n");
        sandbox.delete(".agents/skills/demo");
        std::os::unix::fs::symlink("../../../elsewhere", sandbox.path(".agents/skills/demo"))
            .unwrap();
        repo.skill("skills/demo", "Is newer.").commit("second");
        let _ = sandbox.skillpm("update").exits_one_of([0, 1, 3]);
        sandbox.reads("../elsewhere/SKILL.md", "theirs\n");
    }
}

#[test]
fn unsafe_file_names_are_refused() {
    for name in [
        "..",
        ".",
        ".git",
        ".GIT",
        "git~1",
        ".g\u{200c}it",
        ".git ",
        "a\\b",
        "a:b",
        "con",
        "x.",
        "../../evil.txt",
        "a\u{7}b",
    ] {
        let sandbox = Sandbox::project_here();
        let repo = demo_with(&sandbox, |repo| vec![("100644", name, repo.blob("EVIL\n"))]);
        is_refused(&sandbox, &repo, ["skills/demo"]);
    }
}

#[test]
fn dot_and_dot_dot_names_are_refused() {
    let sandbox = Sandbox::project_here();
    let repo = demo_with(&sandbox, |repo| {
        let inner = repo.raw_tree(&[("100644", "evil.txt", &repo.blob("EVIL\n"))]);
        vec![("40000", "..", inner)]
    });
    is_refused(&sandbox, &repo, ["skills/demo"]);
}

#[test]
fn two_entries_with_one_name_are_refused() {
    let sandbox = Sandbox::project_here();
    let repo = demo_with(&sandbox, |repo| {
        vec![("100644", "SKILL.md", repo.blob(skill_md("demo", "EVIL")))]
    });
    is_refused(&sandbox, &repo, ["skills/demo"]);
}

#[test]
fn names_that_differ_in_case_only_are_refused() {
    let sandbox = Sandbox::project_here();
    let repo = demo_with(&sandbox, |repo| {
        vec![
            ("100644", "README.md", repo.blob("a")),
            ("100644", "readme.md", repo.blob("b")),
        ]
    });
    is_refused(&sandbox, &repo, ["readme.md"]);
}

#[test]
fn repository_inside_a_skill_is_refused() {
    let sandbox = Sandbox::project_here();
    let repo = demo_with(&sandbox, |_| vec![("160000", "dep", "1".repeat(40))]);
    is_refused(&sandbox, &repo, ["skills/demo", "dep"]);
}

#[test]
fn submodules_are_never_fetched() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "hostile");
    let canary = sandbox.root().join("pwned");
    let modules = format!(
        "[submodule \"x\"]\n\tpath = x\n\turl = https://example.invalid/x\n\tupdate = !touch {}\n",
        canary.display()
    );
    repo.skill("skills/demo", "Does no harm.")
        .write(".gitmodules", modules)
        .commit("first");
    sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(0);
    sandbox.has([".agents/skills/demo/SKILL.md"]);
    assert!(!canary.exists());
}

#[cfg(unix)]
#[test]
fn hooks_filters_and_line_endings_have_no_effect() {
    let sandbox = Sandbox::project_here();
    let canary = sandbox.root().join("pwned");
    sandbox.gitconfig(&format!(
        "[filter \"evil\"]\n\tsmudge = touch {}; cat\n[core]\n\tautocrlf = true\n",
        canary.display()
    ));
    let repo = Repo::new(&sandbox, "hostile");
    repo.skill("skills/demo", "Does no harm.").commit("first");
    repo.write(".gitattributes", "* filter=evil text eol=crlf\n");
    repo.script(
        ".githooks/post-checkout",
        format!("#!/bin/sh\ntouch {}\n", canary.display()),
    )
    .commit("attributes");
    sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(0);
    sandbox.reads(
        ".agents/skills/demo/SKILL.md",
        &skill_md("demo", "Does no harm."),
    );
    assert!(!canary.exists());
}

#[test]
fn exponential_tree_is_refused_quickly() {
    let sandbox = Sandbox::project_here();
    let repo = demo_with(&sandbox, |repo| {
        let names = ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"];
        let blob = repo.blob("x");
        let mut tree = repo.raw_tree(&names.map(|name| ("100644", name, blob.as_str())));
        for _ in 0..9 {
            let inner = tree.clone();
            tree = repo.raw_tree(&names.map(|name| ("40000", name, inner.as_str())));
        }
        vec![("40000", "data", tree)]
    });
    is_refused(&sandbox, &repo, ["skills/demo"]);
}

#[test]
fn too_large_file_is_refused() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "hostile");
    repo.skill("skills/demo", "Is too big.")
        .write("skills/demo/big.bin", vec![0; 11 << 20])
        .commit("first");
    is_refused(&sandbox, &repo, ["skills/demo", "big.bin"]);
}

#[test]
fn hostile_names_are_escaped_when_printed() {
    let sandbox = Sandbox::project_here();
    let repo = demo_with(&sandbox, |repo| {
        vec![("100644", "\u{1b}[31mred\u{202e}", repo.blob("x"))]
    });
    let outcome = sandbox
        .skillpm(format!("add {} --skill demo", repo.url()))
        .exits(3);
    outcome.never_prints("\u{1b}").never_prints("\u{202e}");
}
