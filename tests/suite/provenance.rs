//! Who vouches for what: signed commits and tags of git sources, signed commits of an index, and what a lockfile makes of it.

use snapbox::str;

use crate::support::{IndexDir, Registry, Repo, Sandbox, Server, SshKey, package};

/// A repository with one skill at `v1.0.0`, whose commits Ann signs, and a project that trusts her.
fn signed(sandbox: &Sandbox) -> Option<(Repo, SshKey)> {
    let ann = SshKey::of(sandbox, "ann")?;
    let repo = Repo::new(sandbox, "skills");
    repo.sign_with(&ann)
        .skill("skills/pdf", "Reads PDF.")
        .commit("first")
        .tag("v1.0.0");
    trust(sandbox, &ann, "");
    Some((repo, ann))
}

/// A manifest whose policy lists a key, and says more.
fn trust(sandbox: &Sandbox, key: &SshKey, more: &str) {
    sandbox.write(
        "skillpm.toml",
        format!(
            "[dependencies]\n\n[policy]\nsigners = [\"{}\"]\n{more}",
            key.public()
        ),
    );
}

/// Fails unless a text, as it was printed, has these words: a fingerprint may look like a duration in it.
#[track_caller]
fn holds(text: &str, words: &str) {
    assert!(text.contains(words), "`{words}` should stand in:\n{text}");
}

#[test]
fn commit_signed_by_a_listed_key_is_locked_and_git_agrees() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    assert!(repo.git_vouches("verify-commit", "HEAD", &[&ann]));
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.0.0", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    let why = sandbox
        .skillpm("why pdf --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(why["signed_by"], ann.fingerprint());
    holds(
        sandbox.skillpm("why pdf").exits(0).stdout_text(),
        &format!("  signed by {}\n", ann.fingerprint()),
    );
    let verified = sandbox
        .skillpm("verify --format json")
        .exits(0)
        .stdout_json_lines();
    assert!(
        verified
            .iter()
            .any(|line| line["type"] == "signed" && line["signed_by"] == ann.fingerprint())
    );
    let listed = sandbox
        .skillpm("list --format json")
        .exits(0)
        .stdout_json_lines();
    assert!(
        listed
            .iter()
            .any(|line| line["name"] == "pdf" && line["signed_by"] == ann.fingerprint()),
        "{listed:?}"
    );
    // Nothing is asked again, and the lockfile stays as it is.
    let before = sandbox.snapshot();
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.skillpm("update").exits(0);
    before.still_holds();
}

#[test]
fn signed_tag_verifies_an_unsigned_commit() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    repo.sign_no_more()
        .skill("skills/pdf", "Reads PDF better.")
        .commit("second")
        .signed_tag("v1.1.0");
    assert!(repo.git_vouches("verify-tag", "v1.1.0", &[&ann]));
    assert!(!repo.git_vouches("verify-commit", "HEAD", &[&ann]));
    let server = Server::start(&sandbox);
    sandbox
        .skillpm(format!(
            "add {} --skill pdf --version ^1",
            server.url("skills")
        ))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "version"), "1.1.0");
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    // Nor has a host to be able to leave anything out, nor anything to be known before.
    repo.config("uploadpack.allowFilter", "false");
    sandbox.edit(
        "skillpm.toml",
        "[policy]\n",
        "[policy]\nrequire-signed = true\nrequire-reachable = true\n",
    );
    sandbox.delete(".agents");
    sandbox.delete(".skillpm");
    sandbox.skillpm("install --locked").home("other").exits(0);
    sandbox.has([".agents/skills/pdf/SKILL.md"]);
}

#[test]
fn signed_tag_under_another_name_is_refused() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    trust(&sandbox, &ann, "require-signed = true\n");
    repo.sign_no_more()
        .skill("skills/pdf", "An older one.")
        .commit("second")
        .signed_tag("v0.9.0");
    // Whoever can write to the host shows the old tag's object as a new release.
    let object = repo.git(&["rev-parse", "refs/tags/v0.9.0"]);
    repo.git(&["update-ref", "refs/tags/v2.0.0", &object]);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v2.0.0", repo.url()))
        .exits(1)
        .explains(["is for another tag or commit than `v2.0.0`"]);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v0.9.0", repo.url()))
        .exits(0);
}

#[test]
fn missing_required_signature_is_refused_with_the_reason() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let Some(eve) = SshKey::of(&sandbox, "eve") else {
        return;
    };
    let url = repo.url();
    trust(&sandbox, &eve, "require-signed = [\"git\"]\n");
    let before = sandbox.snapshot();
    let add = |tag: &str| sandbox.skillpm(format!("add {url} --skill pdf --tag {tag}"));
    let refused = add("v1.0.0").exits(1);
    refused.explains([
        "policy requires a signature of `pdf 1.0.0`",
        "which is not a trusted key",
        "`policy.require-signed` in skillpm.toml",
    ]);
    holds(refused.stderr_text(), &ann.fingerprint());
    repo.sign_no_more()
        .skill("skills/pdf", "Unsigned.")
        .commit("unsigned")
        .tag("v1.1.0");
    add("v1.1.0").exits(1).explains(["it is not signed"]);
    repo.write("pgp", "x")
        .commit("with a signature of another kind");
    let text = repo.git(&["cat-file", "commit", "HEAD"]);
    let (head, message) = text.split_once("\n\n").unwrap();
    let pgp = format!(
        "{head}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n wsB\n -----END PGP SIGNATURE-----\n\n{message}\n"
    );
    repo.add_object("commit", pgp.as_bytes(), "refs/tags/v1.2.0");
    add("v1.2.0")
        .exits(1)
        .explains(["failed to parse its signature"]);
    before.still_holds();
    trust(&sandbox, &ann, "require-signed = [\"git\"]\n");
    add("v1.0.0").exits(0);
    sandbox.skillpm("install --frozen").exits(0);
}

#[test]
fn key_is_accepted_while_valid_and_for_its_source_only() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let url = repo.url();
    // The commits of these tests are of June 2025.
    for (line, expected) in [
        (
            format!("valid-before=20250101 {}", ann.public()),
            "was not valid at that time",
        ),
        (
            format!("git:https://github.com/acme/* {}", ann.public()),
            "no trusted keys are listed for it",
        ),
    ] {
        let policy =
            format!("[dependencies]\n\n[policy]\nrequire-signed = true\nsigners = [\"{line}\"]\n");
        sandbox.write("skillpm.toml", policy);
        sandbox
            .skillpm(format!("add {url} --skill pdf --tag v1.0.0"))
            .exits(1)
            .explains([expected]);
    }
    let line = format!("git:{url} {}", ann.fingerprint());
    let policy =
        format!("[dependencies]\n\n[policy]\nrequire-signed = true\nsigners = [\"{line}\"]\n");
    sandbox.write("skillpm.toml", policy);
    sandbox
        .skillpm(format!("add {url} --skill pdf --tag v1.0.0"))
        .exits(0);
    sandbox.edit("skillpm.toml", &line, "no key at all");
    sandbox
        .skillpm("install")
        .exits(2).stderr(str![[r"
error: invalid public key `no key at all`
  set by `policy.signers` in skillpm.toml:6:11
help: write it as in `~/.ssh/id_ed25519.pub` (`ssh-ed25519 AAAA… who`), its fingerprint (`SHA256:…`), or the output of `gpg --armor --export WHO`

"]]);
}

#[test]
fn unsigned_version_replaces_a_signed_one_only_if_accepted() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .exits(0);
    repo.sign_no_more()
        .skill("skills/pdf", "Unsigned.")
        .commit("unsigned");
    let before = sandbox.snapshot();
    let refused = sandbox.skillpm("update").exits(3);
    refused.explains([
        "`pdf` was signed when it was locked, and is no longer signed by a trusted key",
        "it is not signed",
        "skillpm update pdf --allow-unsigned",
    ]);
    holds(
        refused.stderr_text(),
        &format!("signed by {}", ann.fingerprint()),
    );
    // So it is where nobody lists a key any more: the one that it was locked with is known.
    sandbox.edit("skillpm.toml", "signers", "# signers");
    sandbox.skillpm("update").exits(3);
    sandbox.edit("skillpm.toml", "# signers", "signers");
    before.still_holds();
    let Some(eve) = SshKey::of(&sandbox, "eve") else {
        return;
    };
    repo.sign_with(&eve)
        .skill("skills/pdf", "By Eve.")
        .commit("by eve");
    let refused = sandbox.skillpm("update").exits(3);
    refused.explains(["which is not a trusted key"]);
    holds(refused.stderr_text(), &eve.fingerprint());
    before.still_holds();
    sandbox
        .skillpm("update --allow-unsigned")
        .exits(0)
        .stderr_has("`pdf` is not signed by a trusted key");
    assert!(!sandbox.read("skillpm.lock").contains("signed-by"));
    repo.sign_with(&ann)
        .skill("skills/pdf", "By Ann again.")
        .commit("by ann");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
}

#[test]
fn lockfile_cannot_name_a_signed_commit_for_other_content() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    trust(&sandbox, &ann, "require-signed = true\n");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .exits(0);
    let lock = sandbox.read("skillpm.lock");
    let [tree, checksum] = ["tree", "checksum"].map(|field| sandbox.locked("pdf", field));
    repo.sign_no_more()
        .skill("skills/pdf", "Evil.")
        .commit("unsigned");
    // The other content is in this machine's store already.
    sandbox.write("other/skillpm.toml", "[dependencies]\n");
    sandbox
        .skillpm(format!("add {} --skill pdf --branch main", repo.url()))
        .in_dir("other")
        .exits(0);
    let other: toml::Table = sandbox.read("other/skillpm.lock").parse().unwrap();
    let [its_tree, its_checksum] =
        ["tree", "checksum"].map(|field| other["package"][0][field].as_str().unwrap().to_owned());
    assert_ne!(checksum, its_checksum);
    sandbox.write(
        "skillpm.lock",
        lock.replace(&tree, &its_tree)
            .replace(&checksum, &its_checksum),
    );
    sandbox.delete(".agents");
    sandbox.delete(".skillpm");
    sandbox
        .skillpm("install --locked")
        .exits(3)
        .explains(["checksum mismatch for `pdf`: it differs from its signed commit"]);
    sandbox.lacks([".agents/skills/pdf"]);
}

/// An index in git with `acme/pdf 1.0.0`, which Ann signs and whose scope lists her key, known to the project as `acme`.
fn index_of_ann(sandbox: &Sandbox) -> Option<(Repo, IndexDir, SshKey)> {
    let ann = SshKey::of(sandbox, "ann")?;
    let repo = Repo::new(sandbox, "index");
    let index = IndexDir::new(sandbox, "../repos/index");
    owners(&index, &[&ann]);
    index.publish("acme/pdf", "1.0.0", &[]);
    repo.sign_with(&ann).commit("first");
    IndexDir::configure(sandbox, "acme", &format!("git+{}", repo.url()));
    Some((repo, index, ann))
}

fn owners(index: &IndexDir, keys: &[&SshKey]) {
    let keys: Vec<String> = keys
        .iter()
        .map(|key| format!("    \"{}\",\n", key.public()))
        .collect();
    index.write(
        "owners/acme.toml",
        format!(
            "owners = [\"ann@acme.dev\"]\nkeys = [\n{}]\n",
            keys.concat()
        ),
    );
}

#[test]
fn version_is_signed_by_the_commit_that_published_it() {
    let sandbox = Sandbox::project_here();
    let Some((repo, index, ann)) = index_of_ann(&sandbox) else {
        return;
    };
    sandbox.edit(
        "skillpm.toml",
        "[dependencies]\n",
        "[dependencies]\n\n[policy]\nrequire-signed = [\"registry:acme\"]\n",
    );
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), ann.fingerprint());
    let info = sandbox
        .skillpm("info acme/pdf --registry acme --format json")
        .exits(0)
        .stdout_json();
    assert_eq!(info["signed_by"], ann.fingerprint());
    // Others publish on top of it, and it stays hers.
    index.publish("acme/csv", "1.0.0", &[]);
    repo.commit("csv");
    sandbox.delete("skillpm.lock");
    sandbox.skillpm("install").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), ann.fingerprint());
}

#[test]
fn unsigned_line_is_not_signed_by_later_commits() {
    let sandbox = Sandbox::project_here();
    let Some((repo, index, ann)) = index_of_ann(&sandbox) else {
        return;
    };
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "far", &format!("git+{}", server.url("index")));
    sandbox.skillpm("add acme/pdf --registry far").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), ann.fingerprint());
    index.publish("acme/pdf", "1.1.0", &[]);
    repo.sign_no_more()
        .commit("by somebody with the right to push");
    let before = sandbox.snapshot();
    sandbox
        .skillpm("update")
        .exits(3)
        .explains(["the head of its index: it is not signed"]);
    index.publish("acme/csv", "1.0.0", &[]);
    repo.sign_with(&ann).commit("csv");
    let refused = sandbox.skillpm("update").exits(3);
    refused.explains([
        "locked  pdf 1.0.0, signed by",
        "which published it: it is not signed",
    ]);
    before.still_holds();
    index.publish("acme/pdf", "1.2.0", &[]);
    repo.commit("pdf by ann");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.2.0");
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), ann.fingerprint());
}

#[test]
fn index_keys_change_only_with_a_signature_of_the_old_keys() {
    let sandbox = Sandbox::project_here();
    let Some((repo, index, ann)) = index_of_ann(&sandbox) else {
        return;
    };
    let (Some(bob), Some(eve)) = (SshKey::of(&sandbox, "bob"), SshKey::of(&sandbox, "eve")) else {
        return;
    };
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    owners(&index, &[&ann, &bob]);
    repo.commit("ann lets bob in");
    index.publish("acme/pdf", "1.1.0", &[]);
    repo.sign_with(&bob).commit("pdf by bob");
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), bob.fingerprint());
    owners(&index, &[&eve]);
    index.publish("acme/pdf", "1.2.0", &[]);
    repo.sign_with(&eve).commit("eve lets herself in");
    let before = sandbox.snapshot();
    let refused = sandbox.skillpm("update").exits(3);
    refused.explains([
        "`owners/acme.toml` of index",
        "refusing the changed keys",
        "registry.accept-rewritten=",
    ]);
    holds(
        refused.stderr_text(),
        &format!("before  {}, {}", ann.fingerprint(), bob.fingerprint()),
    );
    holds(
        refused.stderr_text(),
        &format!("now     {}", eve.fingerprint()),
    );
    before.still_holds();
    sandbox
        .skillpm("update --config registry.accept-rewritten=acme")
        .exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), eve.fingerprint());
    sandbox.skillpm("update").exits(0);
}

#[test]
fn merge_with_another_history_adds_no_keys() {
    let sandbox = Sandbox::project_here();
    let Some((repo, index, _ann)) = index_of_ann(&sandbox) else {
        return;
    };
    let Some(eve) = SshKey::of(&sandbox, "eve") else {
        return;
    };
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    repo.git(&["switch", "-q", "--orphan", "eve"]);
    index.config(&serde_json::json!({"api-version": 1, "dl": "archives/{name}-{version}.tar.gz"}));
    owners(&index, &[&eve]);
    index
        .publish("acme/pdf", "1.0.0", &[])
        .publish("acme/pdf", "1.1.0", &[]);
    repo.sign_with(&eve).commit("a history of eve's own");
    let merge = [
        "commit-tree",
        "-S",
        "-m",
        "merge",
        "-p",
        "main",
        "-p",
        "eve",
        "eve^{tree}",
    ];
    let merge = repo.git(&merge);
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["reset", "-q", "--hard", &merge]);
    let before = sandbox.snapshot();
    sandbox.skillpm("update").exits(3).explains([
        "refusing the changed keys in `owners/acme.toml` of index",
        "not signed by a previous key",
    ]);
    before.still_holds();
}

#[test]
fn require_signed_needs_a_registry_in_git() {
    let sandbox = Sandbox::project_here();
    let index = IndexDir::new(&sandbox, "../www/index");
    index.publish("acme/pdf", "1.0.0", &[]);
    IndexDir::configure(&sandbox, "acme", &index.url());
    sandbox.edit(
        "skillpm.toml",
        "[dependencies]\n",
        "[dependencies]\n\n[policy]\nrequire-signed = true\n",
    );
    sandbox
        .skillpm("add acme/pdf --registry acme")
        .exits(1)
        .explains(["its index is not a git repository"]);
}

#[test]
fn publish_signs_as_git_does_and_the_version_is_signed() {
    let sandbox = Sandbox::new();
    let Some(ann) = SshKey::of(&sandbox, "ann") else {
        return;
    };
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    package(&sandbox, "acme/pdf", "1.0.0");
    sandbox.gitconfig("[gpg]\n\tformat = x509\n");
    sandbox
        .skillpm("publish pdf --sign")
        .exits(2)
        .explains(["unsupported signing format `x509`"]);
    sandbox.gitconfig(&format!(
        "[gpg]\n\tformat = ssh\n[user]\n\tsigningKey = {}\n",
        ann.path().display()
    ));
    sandbox.skillpm("publish pdf").exits(0);
    assert!(
        !registry
            .git(&["cat-file", "commit", "main"])
            .contains("gpgsig")
    );
    package(&sandbox, "acme/csv", "1.0.0");
    sandbox.skillpm("publish csv --sign").exits(0);
    let signers = sandbox.root().join("allowed");
    std::fs::write(&signers, format!("* {}\n", ann.public())).unwrap();
    let setting = format!("gpg.ssh.allowedSignersFile={}", signers.display());
    registry.git(&["-c", &setting, "verify-commit", "main"]);
    registry.git(&["fsck", "--strict"]);

    let policy = format!(
        "[policy]\nrequire-signed = true\nsigners = [\"registry:acme {}\"]\n",
        ann.public()
    );
    sandbox.write(
        "user/skillpm.toml",
        format!("[dependencies]\n\"acme/csv\" = \"^1\"\n\n{policy}"),
    );
    sandbox.skillpm("install").in_dir("user").exits(0);
    sandbox.write(
        "user/skillpm.toml",
        format!("[dependencies]\n\"acme/pdf\" = \"^1\"\n\n{policy}"),
    );
    sandbox
        .skillpm("install")
        .in_dir("user")
        .exits(1)
        .explains(["which published it: it is not signed"]);
}

#[test]
fn force_pushed_head_is_refused_even_if_it_loses_nothing() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "index");
    let index = IndexDir::new(&sandbox, "../repos/index");
    index.publish("acme/pdf", "1.0.0", &[]);
    repo.commit("first");
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", server.url("index")));
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    let seen = repo.head();
    let first = repo.git(&["commit-tree", "-m", "again", "HEAD^{tree}"]);
    repo.git(&["reset", "-q", "--hard", &first]);
    index.publish("acme/pdf", "1.1.0", &[]);
    repo.commit("more");
    let before = sandbox.snapshot();
    for _ in 0..2 {
        let refused = sandbox.skillpm("update").exits(3);
        refused.stderr(str![[r"
    Fetching index [URL]/index
error: index `git+[URL]/index` rewrote its history
  head before  [COMMIT]
  head now     [COMMIT]
  the previous head is not an ancestor of the present one: it was force-pushed
help: nothing was installed, and the previous state stays cached; ask the registry's owners
help: if the change is intended, pass `--config registry.accept-rewritten=git+[URL]/index`

"]]);
        holds(refused.stderr_text(), &format!("head before  {seen}"));
        holds(
            refused.stderr_text(),
            &format!("head now     {}", repo.head()),
        );
        sandbox.delete("~/.skillpm/git");
    }
    before.still_holds();
    sandbox
        .skillpm("update --config registry.accept-rewritten=acme")
        .exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "version"), "1.1.0");
    sandbox.skillpm("update").exits(0);
}

#[test]
fn head_far_ahead_is_verified_by_commits_only() {
    let sandbox = Sandbox::project_here();
    let repo = Repo::new(&sandbox, "index");
    let index = IndexDir::new(&sandbox, "../repos/index");
    index.publish("acme/pdf", "1.0.0", &[]);
    for n in 0..200 {
        index.write(&format!("pa/ck/pack-{n}"), format!("{n}\n"));
    }
    repo.commit("first");
    let server = Server::start(&sandbox);
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", server.url("index")));
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    for n in 0..70 {
        index.write("pa/ck/pack-0", format!("again {n}\n"));
        repo.commit("another");
    }
    server.forget();
    sandbox.skillpm("update").exits(0);
    let sent: usize = server.requests().iter().map(|request| request.sent).sum();
    assert!(sent < 40_000, "{sent} bytes: {:#?}", server.requests());
}

#[test]
fn require_reachable_refuses_a_commit_of_a_fork() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo_with("pdf");
    let server = Server::start(&sandbox);
    let old = repo.head();
    for n in 0..40 {
        repo.write("log.txt", format!("{n}\n")).commit("another");
    }
    // What GitHub does with forks: their commits can be had here, and no reference leads to them.
    repo.git(&["switch", "-q", "-c", "fork"]);
    repo.skill("skills/pdf", "Evil.").commit("evil");
    let evil = repo.head();
    repo.git(&["switch", "-q", "main"]);
    repo.git(&["branch", "-q", "-D", "fork"]);
    let url = server.url("skills");
    sandbox.write(
        "skillpm.toml",
        "[dependencies]\n\n[policy]\nrequire-reachable = true\n",
    );
    let before = sandbox.snapshot();
    let refused = sandbox
        .skillpm(format!("add {url} --skill pdf --rev {evil}"))
        .exits(1);
    refused.stderr(str![[r"
    Fetching [URL]/skills
error: commit [COMMIT] of `pdf` is not in the history of any branch or tag of `[URL]/skills`
  required by skillpm.toml -> pdf
  set by `policy.require-reachable` in skillpm.toml:5:21
help: it may be from a fork, or was removed by a force push; run `skillpm update pdf` to lock a current commit

"]]);
    before.still_holds();
    sandbox
        .skillpm(format!("add {url} --skill pdf --rev {old}"))
        .exits(0);
    let [manifest, lock] = ["skillpm.toml", "skillpm.lock"].map(|file| sandbox.read(file));
    // Somebody proposes to take the other one.
    sandbox.write("skillpm.toml", manifest.replace(&old, &evil));
    sandbox.write("skillpm.lock", lock.replace(&old, &evil));
    sandbox
        .skillpm("install")
        .exits(1)
        .explains(["in the history of any branch or tag"]);
    sandbox.write("skillpm.toml", manifest);
    sandbox.write("skillpm.lock", lock);
    sandbox.skillpm("install --locked").home("other").exits(0);
}
