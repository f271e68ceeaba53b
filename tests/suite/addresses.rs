//! Addresses of repositories as people have them.

use snapbox::str;

use crate::support::{Repo, Sandbox};

/// A repository that is read in place of `host`, by the user's git configuration.
fn at(sandbox: &Sandbox, host: &str) -> Repo {
    let repo = Repo::new(sandbox, "r");
    repo.skill("skills/notes", "Takes notes.").commit("skills");
    sandbox.gitconfig(&format!("[url \"{}\"]\n\tinsteadOf = {host}\n", repo.url()));
    repo
}

#[test]
fn copied_pages_are_taken() {
    for (repository, page) in [
        (
            "https://gitlab.acme.test/g/s/r",
            "https://gitlab.acme.test/g/s/r/-/tree/main/skills/notes?ref_type=heads",
        ),
        (
            "https://git.acme.test/o/r",
            "https://git.acme.test/o/r/src/branch/main/skills/notes",
        ),
        (
            "https://github.com/o/r",
            "https://github.com/o/r/blob/main/skills/notes/SKILL.md?plain=1",
        ),
        ("https://github.com/o/r", "github.com/o/r/tree/main/skills"),
        ("https://github.com/o/r", "gh:o/r/skills/notes"),
        ("https://github.com/o/r", "github:o/r#main"),
        ("https://github.com/o/r", "git+https://github.com/o/r#main"),
        ("https://github.com/o/r", "https://github.com/o/r#readme"),
        ("git@git.acme.test:o/r.git", "git@git.acme.test:o/r.git"),
    ] {
        let sandbox = Sandbox::new();
        let _repo = at(&sandbox, repository);
        sandbox.skillpm(format!("add {page}")).exits(0);
        sandbox.has([".agents/skills/notes/SKILL.md"]);
    }
}

#[test]
fn user_name_of_a_cloned_url_is_refused_with_the_url_that_works() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("add https://acme@dev.azure.com/acme/p/_git/skills --all")
        .exits(2)
        .stderr(str![[r"
error: invalid git URL `https://***@dev.azure.com/acme/p/_git/skills`: it contains a user name, which is a token on some hosts, and would be written to the manifest and the lockfile
help: write it as `https://dev.azure.com/acme/p/_git/skills`
help: to choose a login, run `git config --global credential.https://dev.azure.com.username NAME`

"]]);
}

#[test]
fn page_of_a_branch_with_a_slash_or_of_a_tag_is_taken() {
    let host = "https://git.acme.test/o/r";
    let commit = |sandbox: &Sandbox| {
        let repo = at(sandbox, host);
        repo.git(&["checkout", "-qb", "feat/x"]);
        repo.skill("skills/other", "Takes other notes.")
            .commit("other")
            .tag("v1.0")
            .tag("rel/2");
        let id = repo.head();
        repo.git(&["checkout", "-q", "main"]);
        id
    };
    for (page, field) in [
        ("tree/feat/x/skills/other", "branch = \"feat/x\""),
        ("blob/feat/x/skills/other/SKILL.md", "branch = \"feat/x\""),
        ("-/tree/feat/x/skills?ref_type=heads", "branch = \"feat/x\""),
        ("src/branch/feat/x/skills/other", "branch = \"feat/x\""),
        ("tree/v1.0/skills/other", "tag = \"v1.0\""),
        ("src/tag/rel/2/skills/other", "tag = \"rel/2\""),
        ("-/tree/rel/2/skills/other?ref_type=tags", "tag = \"rel/2\""),
    ] {
        let sandbox = Sandbox::new();
        commit(&sandbox);
        sandbox
            .skillpm(format!("add {host}/{page} --skill other"))
            .exits(0);
        let manifest = sandbox.read("skillpm.toml");
        assert!(manifest.contains(field), "{page}: {manifest}");
        assert!(manifest.contains("path = \"skills/other\""), "{page}");
        sandbox
            .skillpm(format!("info {host}/{page} --skill other"))
            .exits(0);
    }

    let sandbox = Sandbox::new();
    let id = commit(&sandbox);
    sandbox
        .skillpm(format!("add {host}/tree/{}/skills/other", &id[..8]))
        .exits(0);
    sandbox
        .skillpm(format!("add {host}/tree/gone/skills/other"))
        .exits(1)
        .stderr_has("gone");
}

#[test]
fn refused_addresses_name_the_form_that_works() {
    let sandbox = Sandbox::new();
    let before = sandbox.snapshot();
    sandbox
        .skillpm("add owner/repo@pdf")
        .exits(2)
        .stderr_has("`skillpm add gh:owner/repo --skill pdf`");
    sandbox
        .skillpm("add https://github.com/o/r/blob/main/skills/README.md")
        .exits(2)
        .stderr(str![[r"
error: invalid package spec `https://github.com/o/r/blob/main/skills/README.md`: it is the page of a file that is no `SKILL.md`
help: for the skills beside it, run `skillpm add https://github.com/o/r --path skills`

"]]);
    before.still_holds();
}

#[test]
fn spellings_of_a_repository_are_one_source() {
    let sandbox = Sandbox::new();
    let repo = at(&sandbox, "https://git.acme.test/o/r");
    sandbox.gitconfig(&format!(
        "[url \"{0}\"]\n\tinsteadOf = https://git.acme.test/o/r\n\tinsteadOf = https://git.acme.test/o/r.git\n",
        repo.url()
    ));
    sandbox.skillpm("add https://git.acme.test/o/r").exits(0);
    for spelling in [
        "https://git.acme.test/o/r.git",
        "https://GIT.acme.test:443/o/r/",
    ] {
        sandbox.skillpm(format!("add {spelling}")).exits(0);
    }
}
