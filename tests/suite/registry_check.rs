//! `registry new` and `registry check`: an index as it begins, and what may become of it, by whose hand.

use snapbox::str;

use crate::support::{Repo, Sandbox};

/// An index in a repository with `acme/pdf 1.0.0` and `notes 1.0.0` in it, and whoever publishes to it.
struct Registry {
    sandbox: Sandbox,
    repo: Repo,
}

/// Something done to an index, and what the check then says.
type Case<'a> = (&'a dyn Fn(&Registry), &'a str);

impl Registry {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let repo = Repo::new(&sandbox, "index");
        sandbox
            .skillpm("registry new fresh --owner keeper@x.dev")
            .exits(0);
        for file in sandbox.tree("fresh").paths() {
            repo.write(file, sandbox.read(&format!("fresh/{file}")));
        }
        repo.commit("begin");
        let registry = Registry { sandbox, repo };
        registry.publish("acme/pdf", "1.0.0", "tester@example.org");
        registry.publish("notes", "1.0.0", "keeper@x.dev");
        registry
            .repo
            .commit("two packages")
            .git(&["branch", "base"]);
        registry
    }

    /// Publishes into the work tree; nothing is committed.
    fn publish(&self, name: &str, version: &str, identity: &str) {
        let skill = name.rsplit('/').next().unwrap();
        let text =
            format!("---\nname: {skill}\ndescription: Does {skill}.\nlicense: MIT\n---\n\nText.\n");
        self.sandbox.write(&format!("{skill}/SKILL.md"), text);
        let manifest = format!("[package]\nname = \"{name}\"\nversion = \"{version}\"\n");
        self.sandbox
            .write(&format!("{skill}/skillpm.toml"), manifest);
        self.sandbox
            .skillpm(format!(
                "publish {skill} --registry r --config registries.r.index={} --config registry.identity={identity}",
                self.repo.url()
            ))
            .exits(0);
    }

    fn replace(&self, path: &str, from: &str, to: &str) {
        let text = std::fs::read_to_string(self.repo.path().join(path)).unwrap();
        assert!(
            text.contains(from),
            "`{from}` should stand in {path}:\n{text}"
        );
        self.repo.write(path, text.replace(from, to));
    }

    /// The lines that the check prints, with this exit code.
    #[track_caller]
    fn check(&self, arguments: &str, code: i32) -> Vec<String> {
        let line = format!("registry check {} {arguments}", self.repo.path().display());
        let run = self.sandbox.skillpm(line).exits(code);
        run.stdout_text()
            .lines()
            .filter(|line| !line.starts_with("  help: "))
            .map(str::to_owned)
            .collect()
    }

    /// Commits what was written and gives what the check says of it.
    #[track_caller]
    fn commits(&self, arguments: &str, code: i32) -> Vec<String> {
        self.repo.commit("change");
        self.check(&format!("--base base {arguments}"), code)
    }
}

#[test]
fn new_index_is_valid_and_prints_next_steps() {
    let sandbox = Sandbox::new();
    sandbox
        .skillpm("registry new index --git")
        .exits(0)
        .stdout("")
        .stderr(
            "     Created index, owned by tester@example.org
       Next: skillpm config set registries.NAME.index git+file://[ROOT]/project/index
             skillpm publish --registry NAME
       Then: push it to a server, and share its `git+https://` or `git+ssh://` URL
",
        );
    sandbox.reads(
        "index/config.json",
        "{\"api-version\":1,\"dl\":\"archives/{name}-{version}.tar.gz\"}\n",
    );
    sandbox.has([
        "index/.gitattributes",
        "index/.github/workflows/check.yml",
        "index/README.md",
        "index/.gitlab-ci.yml",
    ]);
    sandbox
        .skillpm("registry check index")
        .exits(0)
        .stdout("")
        .stderr("     Checked 0 packages, 0 versions, 0 archives\n");
    let git = |args: &[&str]| {
        let output = std::process::Command::new("git")
            .args(args)
            .current_dir(sandbox.path("index"))
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(git(&["status", "--short"]), "", "all of it is committed");
    assert_eq!(
        git(&["log", "--format=%ae %s", "main"]),
        "tester@example.org begin a registry\n"
    );
}

#[test]
fn new_index_never_replaces_anything() {
    let sandbox = Sandbox::new();
    sandbox.write("index/notes.txt", "mine");
    sandbox
        .skillpm("registry new index")
        .exits(1)
        .explains(["directory `[ROOT]/project/index` is not empty"]);
    sandbox.reads("index/notes.txt", "mine");
    sandbox
        .skillpm("registry new other --dl '{name}.tar.gz'")
        .exits(2)
        .explains(["two versions would have the same archive"]);
    sandbox.lacks(["other"]);
}

#[test]
fn published_index_is_valid_and_so_is_a_change_by_its_owner() {
    let registry = Registry::new();
    assert_eq!(registry.check("", 0), Vec::<String>::new());
    registry.publish("acme/pdf", "1.1.0", "tester@example.org");
    assert_eq!(registry.commits("", 0), Vec::<String>::new());
    registry.replace("acme/3/p/pdf", "\"yanked\":false", "\"yanked\":true");
    assert_eq!(registry.commits("", 0), Vec::<String>::new());
    // What is not committed is not what would be merged.
    registry.repo.write("acme/3/p/pdf", "");
    assert_eq!(registry.check("--base base", 0), Vec::<String>::new());
}

#[test]
fn each_fault_of_an_index_is_reported_at_its_place() {
    let file = "acme/3/p/pdf";
    let cases: [Case<'_>; 11] = [
        (
            &|r| r.replace(file, "\"v\":1}", "\"v\":1 }"),
            "acme/3/p/pdf:1:1: error: line is not canonical: expected",
        ),
        (
            &|r| r.replace(file, "}\n", "}"),
            "acme/3/p/pdf: error: missing newline at end of file",
        ),
        (
            &|r| r.replace(file, "1.0.0\",\"deps", "1.0\",\"deps"),
            "acme/3/p/pdf:1:1: error: invalid entry",
        ),
        (
            &|r| {
                let text = std::fs::read_to_string(r.repo.path().join(file)).unwrap();
                r.repo.write(
                    file,
                    text.clone() + &text.replace("\"1.0.0\"", "\"1.0.0+2\""),
                );
            },
            "acme/3/p/pdf:2:1: error: duplicate version 1.0.0+2: 1.0.0 in line 1 differs only in build metadata",
        ),
        (
            &|r| {
                r.replace(
                    file,
                    "\"deps\":[]",
                    "\"deps\":[{\"name\":\"gone\",\"req\":\"^1\"}]",
                );
            },
            "acme/3/p/pdf:1:1: error: no matching package named `gone` found in this index (dependency)",
        ),
        (
            &|r| r.replace(file, "Does pdf.", "Does all."),
            "error: `description` is `Does all.` in the index, but `Does pdf.` in",
        ),
        (
            &|r| r.replace(file, "\"license\":\"MIT\",", ""),
            "error: `license` is nothing in the index, but `MIT` in the package",
        ),
        (
            &|r| {
                r.repo.write("archives/acme/pdf-1.0.0.tar.gz", "x");
            },
            "acme/3/p/pdf:1:1: error: digest mismatch of `archives/acme/pdf-1.0.0.tar.gz`: found sha256:",
        ),
        (
            &|r| {
                r.repo.write("archives/else.tar.gz", "x");
            },
            "archives/else.tar.gz: error: unknown file",
        ),
        (
            &|r| {
                r.repo.remove("owners/acme.toml");
            },
            "missing `owners/acme.toml`: the package has no owners",
        ),
        (
            &|r| r.replace("config.json", "{version}", ""),
            "config.json: error: invalid `dl` `archives/{name}-.tar.gz`",
        ),
    ];
    for (harm, expected) in cases {
        let registry = Registry::new();
        harm(&registry);
        let told = registry.check("", 1).join("\n");
        assert!(
            told.contains(expected),
            "`{expected}` should be told:\n{told}"
        );
    }
}

#[test]
fn each_invalid_line_of_a_change_is_one_error() {
    let registry = Registry::new();
    let file = "acme/3/p/pdf";
    let text = std::fs::read_to_string(registry.repo.path().join(file)).unwrap();
    let add = |lines: &str| registry.repo.write(file, format!("{text}{lines}"));

    add("{}\nnot JSON\n{}\n");
    assert_eq!(
        registry.commits("", 1),
        [
            "acme/3/p/pdf:2:1: error: invalid entry: missing field `name` at line 1 column 2 (index-line)",
            "acme/3/p/pdf:3:1: error: invalid entry: expected ident at line 1 column 2 (index-line)",
            "acme/3/p/pdf:4:1: error: invalid entry: missing field `name` at line 1 column 2 (index-line)",
        ]
    );

    // As many as fit: each is looked at a few times only.
    add(&"{}\n".repeat(50_000));
    assert_eq!(registry.commits("", 1).len(), 50_000);

    // Also where each is a version: moved, removed and added in one change.
    let versions = |from: usize| -> String {
        let line = |at: usize| text.replace("1.0.0", &format!("1.{at}.0"));
        (from..from + 3_000).map(line).collect()
    };
    add(&versions(1));
    registry
        .repo
        .commit("many versions")
        .git(&["branch", "-f", "base"]);
    add(&versions(2));
    let told = registry.commits("", 1);
    assert!(
        told.iter()
            .any(|line| line.contains("version 1.1.0 was removed")),
        "{}",
        told.join("\n")
    );
}

#[test]
fn published_versions_cannot_be_changed_or_removed() {
    let cases: [Case<'_>; 4] = [
        (
            &|r| r.replace("acme/3/p/pdf", "\"Does pdf.\"", "\"Else.\""),
            "acme/3/p/pdf:1:1: error: `description` of version 1.0.0 was changed from \"Does pdf.\" to \"Else.\" (append-only)",
        ),
        (
            &|r| {
                r.repo.remove("acme/3/p/pdf");
            },
            "acme/3/p/pdf:1:1: error: version 1.0.0 was removed",
        ),
        (
            &|r| {
                r.repo.write("archives/acme/pdf-1.0.0.tar.gz", "x");
            },
            "archives/acme/pdf-1.0.0.tar.gz: error: a published archive was changed",
        ),
        (
            &|r| {
                r.repo.remove("archives/acme/pdf-1.0.0.tar.gz");
            },
            "archives/acme/pdf-1.0.0.tar.gz: error: a published archive was removed",
        ),
    ];
    for (harm, expected) in cases {
        let registry = Registry::new();
        harm(&registry);
        let told = registry.commits("", 1).join("\n");
        assert!(
            told.contains(expected),
            "`{expected}` should be told:\n{told}"
        );
    }
}

#[test]
fn only_owners_before_the_change_publish() {
    let registry = Registry::new();
    registry.publish("acme/pdf", "1.1.0", "tester@example.org");
    // Whoever adds themselves to a scope in the same change is not its owner yet.
    registry.replace(
        "owners/acme.toml",
        "tester@example.org",
        "tester@example.org\", \"eve@x.dev",
    );
    let of_others = [
        "acme/3/p/pdf: error: refusing to change `acme/pdf`: scope `acme` belongs to `tester@example.org`, not to `eve@x.dev` (owners)",
        "owners/acme.toml: error: `eve@x.dev` is not an owner of `acme/` (owners)",
    ];
    assert_eq!(registry.commits("--by eve@x.dev", 1), of_others);
    assert_eq!(
        registry.check("--base base --by github:eve --by tester@example.org", 0),
        Vec::<String>::new()
    );
    registry.repo.config("user.email", "mallory@x.dev");
    registry.publish("acme/pdf", "1.2.0", "tester@example.org");
    let told = registry.commits("", 1).join("\n");
    assert!(
        told.contains("not to `mallory@x.dev`"),
        "the author of each commit is asked for: {told}"
    );
}

#[test]
fn new_scope_is_claimed_only_for_oneself() {
    let registry = Registry::new();
    registry.publish("new/thing", "1.0.0", "tester@example.org");
    assert_eq!(registry.commits("", 0), Vec::<String>::new());
    let told = registry.check("--base base --by eve@x.dev", 1);
    assert_eq!(
        told,
        [
            "new/th/in/thing: error: `new/` has no owners, and `owners/new.toml` does not list `eve@x.dev` (owners)",
            "owners/new.toml: error: `new/` can only be claimed by adding oneself, and `eve@x.dev` is not in it (owners)",
        ]
    );
}

#[test]
fn keys_of_a_scope_are_changed_by_its_owners_only() {
    let registry = Registry::new();
    let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFKsde/qM7KZKjaF31ol/oDz3sqyN/fIHuNOkbQ91DUs";
    registry.repo.write(
        "owners/acme.toml",
        format!("owners = [\"tester@example.org\"]\nkeys = [\"{key} ann\"]\n"),
    );
    assert_eq!(
        registry.commits("--by eve@x.dev", 1),
        ["owners/acme.toml: error: `eve@x.dev` is not an owner of `acme/` (owners)"]
    );
    assert_eq!(
        registry.check("--base base --by tester@example.org", 0),
        Vec::<String>::new()
    );
    registry.replace("owners/acme.toml", "ssh-ed25519", "ssh-rsa");
    let told = registry.commits("--by tester@example.org", 1);
    assert!(
        told.len() == 1 && told[0].contains("invalid public key"),
        "{told:?}"
    );
}

#[test]
fn scope_always_has_an_owner() {
    let registry = Registry::new();
    registry.repo.write("owners/acme.toml", "owners = []\n");
    assert_eq!(
        registry.commits("--by tester@example.org", 1),
        [
            "owners/acme.toml: error: `acme/` would have no owners, so that anyone could claim it (owners)",
            "owners/acme.toml: error: no owners of `acme/` (owners)",
        ]
    );
    registry.repo.remove("owners/acme.toml");
    assert_eq!(registry.commits("--by tester@example.org", 1).len(), 1);
}

#[test]
fn index_settings_are_changed_by_index_owners_only() {
    let registry = Registry::new();
    registry
        .repo
        .write("README.md", "# Ours\n")
        .write(".github/workflows/check.yml", "on: never\n");
    let told = registry.commits("--by tester@example.org", 1);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(told[0].starts_with(
        ".github/workflows/check.yml: error: only owners in `owners/_.toml` may change it"
    ));
    assert_eq!(
        registry.check("--base base --by keeper@x.dev", 0),
        Vec::<String>::new()
    );
}

#[test]
fn change_that_does_not_build_on_its_base_is_refused() {
    let registry = Registry::new();
    registry.repo.git(&["checkout", "-q", "base^"]);
    let line = format!(
        "registry check {} --base base",
        registry.repo.path().display()
    );
    registry.sandbox.skillpm(line).exits(1).stderr(str![[r"
error: `HEAD` is not based on `base`
  `base` is [COMMIT]
help: merge it first: `git merge base`, or `git rebase base`

"]]);
    let line = format!(
        "registry check {} --base gone",
        registry.repo.path().display()
    );
    registry
        .sandbox
        .skillpm(line)
        .exits(1)
        .explains(["unknown revision `gone` in"]);
}

#[test]
fn findings_have_json_lines() {
    let registry = Registry::new();
    registry.repo.write("stray.bin", "x");
    let line = format!(
        "registry check {} --format json",
        registry.repo.path().display()
    );
    let lines = registry.sandbox.skillpm(line).exits(1).stdout_json_lines();
    assert_eq!(
        (&lines[0]["type"], &lines[0]["rule"]),
        (&"diagnostic".into(), &"stray-file".into())
    );
    assert_eq!(
        (
            &lines[1]["type"],
            &lines[1]["errors"],
            &lines[1]["archives"]
        ),
        (&"summary".into(), &1.into(), &2.into())
    );
}

#[test]
fn bare_repository_is_checked_by_its_commits() {
    let registry = Registry::new();
    let bare = registry.sandbox.root().join("repos/bare.git");
    let (from, to) = (
        registry.repo.path().to_str().unwrap(),
        bare.to_str().unwrap(),
    );
    registry.repo.git(&["clone", "-q", "--bare", from, to]);
    registry
        .sandbox
        .skillpm(format!("registry check {to}"))
        .exits(0)
        .stdout("")
        .stderr("     Checked 2 packages, 2 versions, 2 archives\n");
}
