//! A manifest, lockfile or settings file that is a link is changed where the link leads, and the link stays.

use std::os::unix::fs::symlink;

use snapbox::str;

use crate::support::Sandbox;

/// A project whose manifest is the user's link to a file outside of it.
fn linked() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("../dotfiles/a.toml", "# ours\n[dependencies]\n");
    symlink("../dotfiles/a.toml", sandbox.path("skillpm.toml")).unwrap();
    sandbox.write_skill("pdf", "Works on PDF files.");
    sandbox
}

#[track_caller]
fn is_link(sandbox: &Sandbox, path: &str) -> bool {
    let meta = std::fs::symlink_metadata(sandbox.path(path)).unwrap();
    meta.is_symlink()
}

#[track_caller]
fn git(sandbox: &Sandbox, arguments: &str) {
    let script = format!("cd ../project && git {arguments}");
    assert!(sandbox.shell(&script).status().unwrap().success());
}

#[test]
fn linked_manifest_and_lockfile_are_changed_where_they_are() {
    let sandbox = linked();
    sandbox.write("../dotfiles/a.lock", "");
    sandbox.skillpm("add ./pdf").exits(0);
    // Made by the command before, and moved to the others.
    std::fs::rename(
        sandbox.path("skillpm.lock"),
        sandbox.path("../dotfiles/a.lock"),
    )
    .unwrap();
    symlink(
        sandbox.path("../dotfiles/a.lock"),
        sandbox.path("skillpm.lock"),
    )
    .unwrap();

    sandbox.write_skill("csv", "Reads CSV.");
    sandbox.skillpm("add ./csv").exits(0);
    for file in ["skillpm.toml", "skillpm.lock"] {
        assert!(is_link(&sandbox, file), "{file}");
    }
    assert!(sandbox.read("../dotfiles/a.toml").starts_with("# ours\n"));
    for file in ["a.toml", "a.lock"] {
        assert!(sandbox.read(&format!("../dotfiles/{file}")).contains("csv"));
    }
    assert_eq!(sandbox.tree("../dotfiles").paths().len(), 2);

    sandbox.skillpm("undo").exits(0);
    assert!(is_link(&sandbox, "skillpm.toml"));
    assert!(!sandbox.read("../dotfiles/a.toml").contains("csv"));
    sandbox.skillpm("install --locked").exits(0);
    sandbox.skillpm("remove pdf").exits(0);
    assert!(!sandbox.read("../dotfiles/a.toml").contains("pdf"));
}

#[test]
fn links_in_the_home_directory_are_followed_though_git_tracks_them() {
    let sandbox = linked();
    for file in ["skillpm.toml", "config.toml"] {
        sandbox.write(&format!("../dotfiles/{file}"), "# ours\n");
        sandbox.write(&format!("~/.skillpm/{file}.old"), "");
        let target = format!("../../dotfiles/{file}");
        symlink(target, sandbox.path(&format!("~/.skillpm/{file}"))).unwrap();
    }
    git(&sandbox, "-C ../home init --quiet");
    git(&sandbox, "-C ../home add --all");
    sandbox.skillpm("add -g ./pdf").exits(0);
    sandbox.skillpm("config set net.offline true").exits(0);
    for (file, text) in [("skillpm.toml", "pdf"), ("config.toml", "offline")] {
        assert!(is_link(&sandbox, &format!("~/.skillpm/{file}")));
        let target = sandbox.read(&format!("../dotfiles/{file}"));
        assert!(
            target.contains(text) && target.contains("# ours"),
            "{target}"
        );
    }
}

#[test]
fn untracked_link_in_a_repository_is_followed_and_a_tracked_one_refused() {
    let sandbox = linked();
    git(&sandbox, "init --quiet");
    sandbox.skillpm("add ./pdf").exits(0);
    assert!(is_link(&sandbox, "skillpm.toml"));

    git(&sandbox, "add skillpm.toml");
    let before = sandbox.snapshot();
    let outside = sandbox.read("../dotfiles/a.toml");
    sandbox.skillpm("remove pdf").exits(3).stderr(str![[r"
error: refusing to follow the symbolic link `[ROOT]/project/skillpm.toml` out of the repository `[ROOT]/project`
  it leads to `[ROOT]/dotfiles/a.toml`, and is part of the repository
help: replace it with a file: cp --remove-destination '[ROOT]/dotfiles/a.toml' '[ROOT]/project/skillpm.toml'

"]]);
    before.still_holds();
    sandbox.reads("../dotfiles/a.toml", &outside);
}

#[test]
fn tracked_link_within_the_repository_is_followed() {
    let sandbox = Sandbox::new();
    git(&sandbox, "init --quiet");
    sandbox.write("shared/skillpm.toml", "[dependencies]\n");
    sandbox.write_skill("app/pdf", "Works on PDF files.");
    symlink("../shared/skillpm.toml", sandbox.path("app/skillpm.toml")).unwrap();
    git(&sandbox, "add --all");
    sandbox.skillpm("-C app add ./pdf").exits(0);
    assert!(is_link(&sandbox, "app/skillpm.toml"));
    assert!(sandbox.read("shared/skillpm.toml").contains("pdf"));
}

#[test]
fn link_to_a_tracked_link_out_of_the_repository_is_refused() {
    let sandbox = linked();
    git(&sandbox, "init --quiet");
    std::fs::rename(sandbox.path("skillpm.toml"), sandbox.path("theirs.toml")).unwrap();
    git(&sandbox, "add theirs.toml");
    symlink("theirs.toml", sandbox.path("skillpm.toml")).unwrap();
    let outside = sandbox.read("../dotfiles/a.toml");
    sandbox.skillpm("add ./pdf").exits(3);
    sandbox.reads("../dotfiles/a.toml", &outside);
}

#[test]
fn broken_link_is_named_and_stays() {
    let sandbox = linked();
    sandbox.delete("../dotfiles");
    let before = sandbox.snapshot();
    sandbox.skillpm("add ./pdf").exits(6).stderr(str![[r"
error: failed to write `[ROOT]/project/skillpm.toml`: it is a link to `../dotfiles/a.toml`, which does not exist
help: rm '[ROOT]/project/skillpm.toml', or restore the file that it leads to

"]]);
    before.still_holds();
}
