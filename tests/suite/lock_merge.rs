//! `lock --merge`: real merges and rebases of git in which both sides changed the lockfile.

use snapbox::str;

use crate::support::{Registry, Repo, Sandbox, package_needing};

/// A project in a git repository, with its own skills in a registry; every file but skillpm's own state is tracked.
struct Project {
    sandbox: Sandbox,
    repo: Repo,
}

impl Project {
    /// With `alpha`, `bravo` and `kappa`, each at 1.0.0, locked and committed.
    fn new() -> Self {
        let sandbox = Sandbox::project_here();
        let registry = Registry::directory(&sandbox, "index");
        registry.configure(&sandbox);
        for name in ["alpha", "bravo", "delta", "gamma", "kappa", "omega"] {
            publish(&sandbox, name, "1.0.0", &[]);
        }
        let project = Project {
            repo: Repo::new(&sandbox, "project"),
            sandbox,
        };
        project.skillpm("init").exits(0);
        project
            .skillpm("add acme/alpha acme/bravo acme/kappa")
            .exits(0);
        project.repo.write(".gitignore", ".skillpm/\n.agents/\n");
        project
            .repo
            .write(".gitattributes", "skillpm.lock merge=skillpm\n");
        project.repo.commit("base");
        project
    }

    fn skillpm(&self, line: &str) -> crate::support::Run<'_> {
        self.sandbox.skillpm(line).in_dir(self.repo.path())
    }

    /// Sets up the merge driver, as the documentation says.
    fn with_driver(self) -> Self {
        let driver = format!(
            "'{}' lock --merge %O %A %B %P",
            env!("CARGO_BIN_EXE_skillpm")
        );
        self.repo
            .config("merge.skillpm.name", "skillpm lockfiles")
            .config("merge.skillpm.driver", &driver);
        self
    }

    fn publish(&self, name: &str, version: &str) {
        publish(&self.sandbox, name, version, &[]);
    }

    /// Does these on a branch of their own, begun at `main`, and commits.
    fn on_branch(&self, branch: &str, commands: &[&str]) {
        self.repo.git(&["checkout", "-q", "main"]);
        self.repo.git(&["checkout", "-q", "-b", branch]);
        for command in commands {
            self.skillpm(command).exits(0);
        }
        self.repo.commit(branch);
    }

    /// Runs git; whether it went well.
    fn tries(&self, args: &[&str]) -> bool {
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| self.repo.git(args))).is_ok()
    }

    fn lock(&self) -> String {
        std::fs::read_to_string(self.repo.path().join("skillpm.lock")).unwrap()
    }

    /// `name version` of everything that is locked.
    fn locked(&self) -> Vec<String> {
        let table: toml::Table = toml::from_str(&self.lock()).unwrap();
        let packages = table
            .get("package")
            .and_then(|list| list.as_array())
            .cloned()
            .unwrap_or_default();
        let text = |package: &toml::Value, field: &str| {
            package[field].as_str().unwrap().replace("acme/", "")
        };
        packages
            .iter()
            .map(|package| format!("{} {}", text(package, "name"), text(package, "version")))
            .collect()
    }

    /// That it is merged, answers the manifest, and can be installed.
    #[track_caller]
    fn is_true(&self, expected: &[&str]) {
        assert_eq!(self.locked(), expected);
        self.skillpm("lock --locked").exits(0);
        self.skillpm("install --locked").exits(0);
    }
}

/// Publishes a version of `acme/NAME`.
fn publish(sandbox: &Sandbox, name: &str, version: &str, needs: &[&str]) {
    package_needing(sandbox, &format!("acme/{name}"), version, needs);
    sandbox.skillpm(format!("publish {name}")).exits(0);
}

/// Keeps both sides' lines of a text with markers.
fn both(text: &str) -> String {
    let is_mark = |line: &&str| {
        !["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
            .iter()
            .any(|mark| line.starts_with(mark))
    };
    text.lines()
        .filter(is_mark)
        .map(|line| format!("{line}\n"))
        .collect()
}

#[test]
fn branches_that_add_different_skills_merge() {
    let project = Project::new().with_driver();
    project.on_branch("one", &["add acme/delta"]);
    project.on_branch("two", &["add acme/omega acme/gamma"]);
    // The manifest is text, and git's own affair; the lockfile is the driver's.
    let went_well = project.tries(&["merge", "-q", "one"]);
    let manifest = std::fs::read_to_string(project.repo.path().join("skillpm.toml")).unwrap();
    project.repo.write("skillpm.toml", both(&manifest));
    assert!(
        !project.lock().contains("<<<<<<<"),
        "{went_well}: {}",
        project.lock()
    );
    project.is_true(&[
        "alpha 1.0.0",
        "bravo 1.0.0",
        "delta 1.0.0",
        "gamma 1.0.0",
        "kappa 1.0.0",
        "omega 1.0.0",
    ]);
}

#[test]
fn branches_that_update_different_skills_merge_without_questions() {
    let project = Project::new().with_driver();
    project.publish("alpha", "1.1.0");
    project.publish("kappa", "1.2.0");
    project.on_branch("one", &["update alpha"]);
    project.on_branch("two", &["update kappa"]);
    project.repo.git(&["merge", "-q", "one", "-m", "merge"]);
    project.is_true(&["alpha 1.1.0", "bravo 1.0.0", "kappa 1.2.0"]);
}

#[test]
fn newer_of_two_updates_is_selected() {
    let project = Project::new().with_driver();
    project.publish("alpha", "1.1.0");
    project.on_branch("one", &["update alpha"]);
    project.publish("alpha", "1.2.0");
    project.on_branch("two", &["update alpha"]);
    project.repo.git(&["merge", "-q", "one", "-m", "merge"]);
    project.is_true(&["alpha 1.2.0", "bravo 1.0.0", "kappa 1.0.0"]);
    project.repo.git(&["checkout", "-q", "one"]);
    project.repo.git(&["merge", "-q", "two", "-m", "merge"]);
    project.is_true(&["alpha 1.2.0", "bravo 1.0.0", "kappa 1.0.0"]);
}

#[test]
fn rebase_merges_the_same_way() {
    let project = Project::new().with_driver();
    project.publish("alpha", "1.1.0");
    project.publish("bravo", "1.5.0");
    project.on_branch("one", &["update alpha", "remove kappa"]);
    project.on_branch("two", &["update bravo"]);
    project.repo.git(&["rebase", "-q", "one"]);
    project.is_true(&["alpha 1.1.0", "bravo 1.5.0"]);
}

#[test]
fn skill_removed_on_one_branch_stays_removed() {
    let project = Project::new().with_driver();
    project.publish("kappa", "1.1.0");
    project.on_branch("one", &["remove kappa"]);
    project.on_branch("two", &["update kappa"]);
    project.repo.git(&["merge", "-q", "one", "-m", "merge"]);
    project.is_true(&["alpha 1.0.0", "bravo 1.0.0"]);
    project.repo.git(&["checkout", "-q", "one"]);
    project.repo.git(&["merge", "-q", "two", "-m", "merge"]);
    project.is_true(&["alpha 1.0.0", "bravo 1.0.0"]);
}

#[test]
fn dependencies_are_merged_with_their_package() {
    let project = Project::new().with_driver();
    publish(
        &project.sandbox,
        "report",
        "1.0.0",
        &["\"acme/alpha\" = \"^1\""],
    );
    project.skillpm("add acme/report").exits(0);
    project.repo.commit("report");
    project.publish("alpha", "1.1.0");
    publish(
        &project.sandbox,
        "report",
        "1.1.0",
        &["\"acme/alpha\" = \"^1.0\"", "\"acme/gamma\" = \"*\""],
    );
    project.on_branch("one", &["update alpha"]);
    project.on_branch("two", &["update report", "install"]);
    project.repo.git(&["merge", "-q", "one", "-m", "merge"]);
    project.is_true(&[
        "alpha 1.1.0",
        "bravo 1.0.0",
        "gamma 1.0.0",
        "kappa 1.0.0",
        "report 1.1.0",
    ]);
    assert!(
        project
            .lock()
            .contains("dependencies = [\"acme/alpha 1.1.0\", \"acme/gamma 1.0.0\"]"),
        "{}",
        project.lock()
    );
}

/// Both sides ask for another major version of `alpha`; `main` is merged into, `one` comes.
fn contested(driver: bool) -> Project {
    let project = Project::new();
    let project = if driver {
        project.with_driver()
    } else {
        project
    };
    project.publish("alpha", "2.0.0");
    project.publish("alpha", "3.0.0");
    project.on_branch("one", &["add acme/alpha@^3"]);
    project.on_branch("two", &["add acme/alpha@^2"]);
    assert!(
        !project.tries(&["merge", "-q", "one"]),
        "there is a conflict"
    );
    project
}

#[test]
fn conflict_is_left_to_git_and_resolved_by_the_named_command() {
    for driver in [true, false] {
        let project = contested(driver);
        assert!(project.lock().contains("<<<<<<<"), "{}", project.lock());
        assert!(
            project
                .repo
                .git(&["status", "--porcelain"])
                .contains("UU skillpm.lock")
        );
        // First the manifest, as every command says.
        project
            .skillpm("lock --merge")
            .exits(2)
            .explains(["skillpm.toml", "merge conflict markers"]);
        let manifest = project.repo.git(&["show", ":3:skillpm.toml"]);
        project.repo.write("skillpm.toml", format!("{manifest}\n"));
        let marked = project.lock();
        for command in ["install", "update", "lock", "add acme/omega"] {
            project.skillpm(command).exits(2).explains([
                "skillpm.lock",
                "merge conflict markers",
                "`skillpm lock --merge`",
            ]);
        }
        assert_eq!(project.lock(), marked);
        project
            .skillpm("lock --merge --locked")
            .exits(1)
            .explains(["--locked"]);
        project.skillpm("lock --merge --dry-run").exits(0);
        assert_eq!(project.lock(), marked);
        project
            .skillpm("lock --merge --offline")
            .exits(0)
            .stderr("      Locked 3 skills in skillpm.lock\n");
        project.is_true(&["alpha 3.0.0", "bravo 1.0.0", "kappa 1.0.0"]);
        project
            .skillpm("lock --merge")
            .exits(0)
            .stderr("   Unchanged 3 skills in skillpm.lock\n");
        project.repo.commit("merged");
    }
}

#[test]
fn conflict_in_a_reftable_repository_is_resolved() {
    let project = contested(false);
    if !project.repo.to_reftable() {
        return;
    }
    let manifest = project.repo.git(&["show", ":3:skillpm.toml"]);
    project.repo.write("skillpm.toml", format!("{manifest}\n"));
    project.skillpm("lock --merge").exits(0);
    project.is_true(&["alpha 3.0.0", "bravo 1.0.0", "kappa 1.0.0"]);
}

#[test]
fn resolution_can_be_undone() {
    let project = contested(false);
    let manifest = project.repo.git(&["show", ":2:skillpm.toml"]);
    project.repo.write("skillpm.toml", format!("{manifest}\n"));
    let marked = project.lock();
    project.skillpm("lock --merge").exits(0);
    project.skillpm("undo").exits(0);
    assert_eq!(project.lock(), marked);
}

#[test]
fn conflict_markers_without_git_are_resolved() {
    let project = contested(false);
    let marked = project.lock();
    let manifest = project.repo.git(&["show", ":2:skillpm.toml"]);
    let other = project.sandbox.path("no-git");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("skillpm.toml"), format!("{manifest}\n")).unwrap();
    std::fs::write(other.join("skillpm.lock"), &marked).unwrap();
    project
        .sandbox
        .skillpm("lock --merge --offline")
        .in_dir(&other)
        .exits(0);
    let lock = std::fs::read_to_string(other.join("skillpm.lock")).unwrap();
    assert!(
        lock.contains("version = \"2.0.0\"") && !lock.contains("3.0.0"),
        "{lock}"
    );
    std::fs::write(
        other.join("skillpm.lock"),
        marked.replacen("=======", "", 1),
    )
    .unwrap();
    project
        .sandbox
        .skillpm("lock --merge")
        .in_dir(&other)
        .exits(2)
        .explains(["the conflict markers are incomplete"]);
}

#[test]
fn entry_count_merged_by_git_is_corrected_by_lock_merge() {
    let project = Project::new();
    project.on_branch("one", &["add acme/delta"]);
    project.on_branch("two", &["add acme/omega"]);
    project.tries(&["merge", "-q", "one"]);
    let manifest = std::fs::read_to_string(project.repo.path().join("skillpm.toml")).unwrap();
    project.repo.write("skillpm.toml", both(&manifest));
    let text = both(&project.lock());
    project.repo.write("skillpm.lock", text);
    project.skillpm("install").exits(2).stderr(str![[r"
error: failed to parse lockfile at `skillpm.lock`: `metadata.entries` is 4, but the file has 5
help: restore it with `git checkout skillpm.lock`, or delete it and run `skillpm lock` to resolve all versions again
help: if it is the result of a merge, run `skillpm lock --merge` to repair it

"]]);
    project.skillpm("lock --merge --offline").exits(0);
    project.is_true(&[
        "alpha 1.0.0",
        "bravo 1.0.0",
        "delta 1.0.0",
        "kappa 1.0.0",
        "omega 1.0.0",
    ]);
}

#[test]
fn driver_leaves_invalid_input_unchanged() {
    let project = Project::new();
    let lock = project.lock();
    project.repo.write("broken", "not a lockfile\n");
    project
        .skillpm("lock --merge skillpm.lock skillpm.lock")
        .exits(2)
        .explains(["found 2 files"]);
    project
        .skillpm("lock --merge broken skillpm.lock broken")
        .exits(2)
        .explains(["failed to parse lockfile at `"]);
    project
        .skillpm("lock --merge nowhere skillpm.lock broken")
        .exits(2)
        .explains(["nowhere"]);
    assert_eq!(project.lock(), lock);
    project
        .skillpm("lock --merge skillpm.lock skillpm.lock skillpm.lock --format json")
        .exits(0);
    assert_eq!(project.lock(), lock);
}
