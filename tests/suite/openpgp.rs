//! Commits and tags that are signed with OpenPGP by the real `gpg`, and verified by `gpgv`.

use crate::support::{GpgKey, Repo, Sandbox};

/// A repository with one skill, whose commits Ann signs with OpenPGP, and a project that trusts her.
fn signed(sandbox: &Sandbox) -> Option<(Repo, GpgKey)> {
    let ann = GpgKey::of(sandbox, "ann")?;
    let repo = Repo::new(sandbox, "skills");
    repo.sign_with_gpg(&ann).skill("skills/pdf", "Reads PDF.").commit("first").tag("v1.0.0");
    trust(sandbox, ann.public());
    Some((repo, ann))
}

/// A manifest whose policy wants a signature of this key.
fn trust(sandbox: &Sandbox, key: &str) {
    let policy = format!("[policy]\nrequire-signed = true\nsigners = [\n\"\"\"\n{key}\"\"\",\n]\n");
    sandbox.write("skillpm.toml", format!("[dependencies]\n\n{policy}"));
}

/// Fails unless a text, as it was printed, has these words.
#[track_caller]
fn holds(text: &str, words: &str) {
    assert!(text.contains(words), "`{words}` should stand in:\n{text}");
}

#[test]
fn a_commit_and_a_tag_signed_by_a_listed_key_are_locked_with_it_and_git_agrees() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else { return };
    repo.git(&["verify-commit", "HEAD"]);
    sandbox.skillpm(format!("add {} --skill pdf --tag v1.0.0", repo.url())).exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    holds(sandbox.skillpm("why pdf").exits(0).stdout_text(), &format!("  signed by {}\n", ann.fingerprint()));
    repo.sign_no_more().skill("skills/pdf", "Reads PDF better.").commit("second").signed_tag("v1.1.0");
    repo.git(&["verify-tag", "v1.1.0"]);
    sandbox.skillpm(format!("add {} --skill pdf --tag v1.1.0", repo.url())).exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    let before = sandbox.snapshot();
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.skillpm("update").exits(0);
    before.still_holds();
}
