//! Disks that are full or may not be written.

use crate::support::{Repo, Sandbox, mount, skill_md};

/// A project whose `big` is at 1.0.0, small, and in the repository at 2.0.0, far larger than the small disks here.
fn growing(sandbox: &Sandbox) -> Repo {
    let repo = Repo::new(sandbox, "skills");
    repo.write("skills/big/SKILL.md", skill_md("big", "Is small."))
        .commit("1")
        .tag("v1.0.0");
    sandbox
        .skillpm(format!("add {} --skill big --version '*'", repo.url()))
        .exits(0);
    for n in 0..40 {
        repo.write(
            &format!("skills/big/data/{n}.txt"),
            format!("{n} ").repeat(20_000),
        );
    }
    repo.write("skills/big/SKILL.md", skill_md("big", "Is large."))
        .commit("2")
        .tag("v2.0.0");
    repo
}

/// Puts a small disk in the place of a directory, with what the directory held.
fn small(dir: &str) -> String {
    format!(
        "mkdir -p ../kept && cp -a {dir}/. ../kept/ && mount -t tmpfs -o size=512k none {dir} && cp -a ../kept/. {dir}/ && cd ."
    )
}

#[test]
fn full_disk_leaves_the_old_version_intact() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    let lock = sandbox.read("skillpm.lock");
    // The small disk is gone with its namespace, so what stands on it is asked for in there.
    let script = format!(
        "{}\nset +e\n\"$@\"\ncode=$?\nfind . -type f | sort\ncat .agents/skills/big/SKILL.md skillpm.lock\nexit $code",
        small("../project")
    );
    let outcome = sandbox.skillpm("update").after_mounting(&script).exits(6);
    outcome
        .explains(["big", "space"])
        .stdout_has("Is small.")
        .stdout_has("version = \"1.0.0\"");
    assert!(
        outcome.stdout_text().ends_with(&lock),
        "the lockfile is not the old one:\n{}",
        outcome.stdout_text()
    );
    assert!(
        !outcome.stdout_text().contains("/data/"),
        "litter is left:\n{}",
        outcome.stdout_text()
    );
}

#[test]
fn full_store_leaves_the_project_unchanged() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .after_mounting(&small("../home/.skillpm"))
        .exits(6)
        .explains(["space"]);
    snapshot.still_holds();
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("big", "version"), "2.0.0");
    sandbox.skillpm("verify").exits(0);
}

#[test]
fn read_only_target_is_named() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    let snapshot = sandbox.snapshot();
    let read_only = "mount --bind .agents .agents && mount -o remount,ro,bind .agents";
    sandbox
        .skillpm("update")
        .after_mounting(read_only)
        .exits(6)
        .explains([".agents/skills", "read-only"]);
    snapshot.still_holds();
}

#[test]
fn reading_commands_work_on_a_read_only_disk() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    sandbox.has([".agents/skills/big/SKILL.md"]);
    let read_only =
        "mount --bind \"$PWD\" \"$PWD\" && mount -o remount,ro,bind \"$PWD\" && cd \"$PWD\"";
    for command in [
        "list",
        "verify",
        "tree",
        "catalog --format json",
        "show big",
        "install",
    ] {
        sandbox.skillpm(command).after_mounting(read_only).exits(0);
    }
}

#[test]
fn store_and_project_may_be_on_different_disks() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    let other = "mkdir -p ../kept && cp -a ../home/.skillpm/. ../kept/ && mount -t tmpfs none ../home/.skillpm && cp -a ../kept/. ../home/.skillpm/";
    sandbox.skillpm("update").after_mounting(other).exits(0);
    assert!(
        sandbox
            .read(".agents/skills/big/SKILL.md")
            .contains("Is large.")
    );
}

#[test]
fn too_long_path_is_reported_and_leaves_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    // The skill's place is longer than any path may be, and the project's own is not.
    let mut deep = sandbox.path(".");
    while deep.as_os_str().len() < 4000 {
        deep.push("d".repeat(90));
        std::fs::create_dir(&deep).unwrap();
    }
    std::fs::write(
        deep.join("skillpm.toml"),
        format!("[dependencies]\n[install]\ndir = \"{}\"\n", "e".repeat(90)),
    )
    .unwrap();
    let outcome = sandbox
        .skillpm(format!("add {} --skill pdf", repo.url()))
        .in_dir(&deep)
        .exits(6);
    outcome.explains(["too long"]);
    let names: Vec<_> = std::fs::read_dir(&deep)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["skillpm.toml"]);
}

#[test]
fn read_only_store_is_named_and_the_project_unchanged() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    let snapshot = sandbox.snapshot();
    let read_only = "mount --bind ../home ../home && mount -o remount,ro,bind ../home";
    sandbox
        .skillpm("update")
        .after_mounting(read_only)
        .exits(6)
        .explains([".skillpm", "read-only"]);
    snapshot.still_holds();
    sandbox.skillpm("update").exits(0);
}

#[test]
fn full_or_read_only_temporary_directory_stops_no_command() {
    if !mount::permitted() {
        return;
    }
    for mounted in [
        "mount -t tmpfs -o size=4k none ../tmp && head -c 4096 /dev/zero > ../tmp/full || true",
        "mount --bind ../tmp ../tmp && mount -o remount,ro,bind ../tmp",
    ] {
        let sandbox = Sandbox::project_here();
        growing(&sandbox);
        sandbox.skillpm("update").after_mounting(mounted).exits(0);
        assert_eq!(sandbox.locked("big", "version"), "2.0.0");
    }
}

#[test]
fn home_and_project_on_two_small_disks_work() {
    if !mount::permitted() {
        return;
    }
    let sandbox = Sandbox::project_here();
    growing(&sandbox);
    let two = "mkdir -p ../kept/h ../kept/t && cp -a ../home/.skillpm/. ../kept/h/ && mount -t tmpfs none ../home/.skillpm \
               && cp -a ../kept/h/. ../home/.skillpm/ && cp -a .agents/. ../kept/t/ && mount -t tmpfs none .agents && cp -a ../kept/t/. .agents/";
    let script = format!(
        "{two}\n\"$@\"\ncode=$?\ncat .agents/skills/big/SKILL.md\nfind . -name '.skillpm-stage*'\nexit $code"
    );
    let outcome = sandbox.skillpm("update").after_mounting(&script).exits(0);
    outcome.stdout_has("Is large.");
    assert!(
        !outcome.stdout_text().contains(".skillpm-stage"),
        "{}",
        outcome.stdout_text()
    );
}
