//! Commits and tags that are signed with OpenPGP by the real `gpg`, and verified by `gpgv`.

use crate::support::{GpgKey, IndexDir, Registry, Repo, Sandbox, SshKey, package};

/// A repository with one skill, whose commits Ann signs with OpenPGP, and a project that trusts her.
fn signed(sandbox: &Sandbox) -> Option<(Repo, GpgKey)> {
    let ann = GpgKey::of(sandbox, "ann")?;
    let repo = Repo::new(sandbox, "skills");
    repo.sign_with_gpg(&ann)
        .skill("skills/pdf", "Reads PDF.")
        .commit("first")
        .tag("v1.0.0");
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
fn signatures_by_listed_keys_are_locked_and_git_agrees() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    repo.git(&["verify-commit", "HEAD"]);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.0.0", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    holds(
        sandbox.skillpm("why pdf").exits(0).stdout_text(),
        &format!("  signed by {}\n", ann.fingerprint()),
    );
    repo.sign_no_more()
        .skill("skills/pdf", "Reads PDF better.")
        .commit("second")
        .signed_tag("v1.1.0");
    repo.git(&["verify-tag", "v1.1.0"]);
    sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.1.0", repo.url()))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    let before = sandbox.snapshot();
    sandbox.skillpm("install --frozen").exits(0);
    sandbox.skillpm("update").exits(0);
    before.still_holds();
}

#[test]
fn unlisted_key_is_refused_by_name() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let Some(eve) = GpgKey::of(&sandbox, "eve") else {
        return;
    };
    let add = format!("add {} --skill pdf --tag v1.0.0", repo.url());
    trust(&sandbox, eve.public());
    let refused = sandbox.skillpm(&add).exits(1);
    refused.explains([
        "policy requires a signature of `pdf 1.0.0`",
        "which is not a trusted key",
        "add the output of `gpg --armor --export",
    ]);
    holds(refused.stderr_text(), &ann.fingerprint());
    // One of SSH does not help, nor does the fingerprint of the right one.
    if let Some(ssh) = SshKey::of(&sandbox, "ann") {
        trust(&sandbox, ssh.public());
        holds(
            sandbox.skillpm(&add).exits(1).stderr_text(),
            &ann.fingerprint(),
        );
    }
    trust(&sandbox, &ann.fingerprint());
    sandbox
        .skillpm(&add)
        .exits(1)
        .explains(["only its fingerprint is listed: OpenPGP requires the public key"]);
    sandbox.lacks(["skillpm.lock", ".agents"]);
}

#[test]
fn changed_signed_commit_is_refused() {
    let sandbox = Sandbox::new();
    let Some((repo, _ann)) = signed(&sandbox) else {
        return;
    };
    let text = repo.git(&["cat-file", "commit", "HEAD"]);
    let (head, message) = text
        .split_once("\n\n")
        .map(|(head, _)| (head, "another message\n"))
        .unwrap();
    repo.add_object(
        "commit",
        format!("{head}\n\n{message}").as_bytes(),
        "refs/tags/v2.0.0",
    );
    let add = |tag: &str| sandbox.skillpm(format!("add {} --skill pdf --tag {tag}", repo.url()));
    add("v2.0.0")
        .exits(1)
        .explains(["bad signature from OpenPGP key"]);
    let (first, rest) = text.split_once("gpgsig ").unwrap();
    let cut = format!("{first}gpgsig {}", rest.replacen("\n \n ", "\n \n iQ", 1));
    repo.add_object("commit", cut.as_bytes(), "refs/tags/v3.0.0");
    add("v3.0.0")
        .exits(1)
        .explains(["failed to parse its signature"]);
    sandbox.lacks(["skillpm.lock", ".agents"]);
}

#[test]
fn key_is_accepted_only_while_valid() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let add = format!("add {} --skill pdf --tag v1.0.0", repo.url());
    // The commits of these tests are of June 2025.
    trust(&sandbox, &format!("valid-before=20250101 {}", ann.public()));
    sandbox
        .skillpm(&add)
        .exits(1)
        .explains(["was not valid at that time"]);
    trust(
        &sandbox,
        &format!("git:https://github.com/acme/*\n{}", ann.public()),
    );
    sandbox
        .skillpm(&add)
        .exits(1)
        .explains(["no trusted keys are listed for it"]);
    let revocation = sandbox.root().join(format!(
        "keys/ann.gnupg/openpgp-revocs.d/{}.rev",
        ann.digits()
    ));
    let text = std::fs::read_to_string(&revocation)
        .unwrap()
        .replace(":-----BEGIN", "-----BEGIN");
    std::fs::write(&revocation, text).unwrap();
    ann.gpg(&["--import", revocation.to_str().unwrap()])
        .unwrap();
    trust(&sandbox, &ann.export());
    sandbox.skillpm(&add).exits(1).explains(["was revoked"]);
    trust(&sandbox, &format!("git:{}\n{}", repo.url(), ann.public()));
    sandbox.skillpm(&add).exits(0);
}

#[test]
fn subkey_signs_for_its_listed_key_unless_expired() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    ann.gpg(&[
        "--passphrase",
        "",
        "--quick-add-key",
        ann.digits(),
        "ed25519",
        "sign",
        "never",
    ])
    .unwrap();
    repo.skill("skills/pdf", "By the key below.")
        .commit("second")
        .tag("v1.1.0");
    let add = format!("add {} --skill pdf --tag v1.1.0", repo.url());
    holds(
        sandbox.skillpm(&add).exits(1).stderr_text(),
        "which is not a trusted key",
    );
    trust(&sandbox, &ann.export());
    sandbox.skillpm(&add).exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    ann.gpg(&["--quick-set-expire", ann.digits(), "seconds=1"])
        .unwrap();
    std::thread::sleep(std::time::Duration::from_millis(2100));
    trust(&sandbox, &ann.export());
    sandbox.delete("skillpm.lock");
    sandbox.skillpm(&add).exits(1).explains(["has expired"]);
}

#[test]
fn signature_with_a_weak_hash_is_refused() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let program = std::fs::read_to_string(ann.program()).unwrap();
    let weak = "gpg --digest-algo SHA1 --allow-weak-digest-algos --batch";
    std::fs::write(ann.program(), program.replace("gpg --batch", weak)).unwrap();
    repo.skill("skills/pdf", "Signed over SHA-1.")
        .commit("second")
        .tag("v1.1.0");
    let refused = sandbox
        .skillpm(format!("add {} --skill pdf --tag v1.1.0", repo.url()))
        .exits(1);
    refused.explains(["its hash is too weak"]);
}

#[test]
fn missing_gpgv_verifies_nothing_and_keeps_signed_versions() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let server = crate::support::Server::start(&sandbox);
    let empty = sandbox.root().join("empty");
    std::fs::create_dir(&empty).unwrap();
    let url = server.url("skills");
    let before = sandbox.snapshot();
    let refused = sandbox
        .skillpm(format!("add {url} --skill pdf --tag v1.0.0"))
        .env("PATH", &empty)
        .exits(1);
    refused.explains(["requires `gpgv`, which was not found: install gpgv"]);
    before.still_holds();
    sandbox
        .skillpm(format!("add {url} --skill pdf --branch main"))
        .exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
    sandbox.edit("skillpm.toml", "require-signed = true\n", "");
    repo.skill("skills/pdf", "Reads more.").commit("second");
    let before = sandbox.snapshot();
    let refused = sandbox.skillpm("update").env("PATH", &empty).exits(3);
    refused.explains(["`pdf` was signed when it was locked", "install gpgv"]);
    before.still_holds();
    sandbox.skillpm("update").exits(0);
    assert_eq!(sandbox.locked("pdf", "signed-by"), ann.fingerprint());
}

#[test]
fn unsigned_version_does_not_replace_a_signed_one() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    sandbox.edit("skillpm.toml", "require-signed = true\n", "");
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
    ]);
    holds(
        refused.stderr_text(),
        &format!("signed by {}", ann.fingerprint()),
    );
    before.still_holds();
}

#[test]
fn index_owners_sign_with_listed_openpgp_keys() {
    let sandbox = Sandbox::project_here();
    let Some(ann) = GpgKey::of(&sandbox, "ann") else {
        return;
    };
    let Some(eve) = GpgKey::of(&sandbox, "eve") else {
        return;
    };
    let repo = Repo::new(&sandbox, "index");
    let index = IndexDir::new(&sandbox, "../repos/index");
    let valid = format!(
        "valid-from = 2025-01-01\nvalid-until = 2025-12-31\nkey = \"\"\"\n{}\"\"\"\n",
        ann.public()
    );
    index.write(
        "owners/acme.toml",
        format!("owners = [\"ann@acme.dev\"]\n\n[[key]]\n{valid}"),
    );
    index.publish("acme/pdf", "1.0.0", &[]);
    repo.sign_with_gpg(&ann).commit("first");
    repo.git(&["verify-commit", "HEAD"]);
    IndexDir::configure(&sandbox, "acme", &format!("git+{}", repo.url()));
    sandbox.edit(
        "skillpm.toml",
        "[dependencies]\n",
        "[dependencies]\n\n[policy]\nrequire-signed = true\n",
    );
    sandbox.skillpm("add acme/pdf --registry acme").exits(0);
    assert_eq!(sandbox.locked("acme/pdf", "signed-by"), ann.fingerprint());
    // Whoever else signs does not count, and cannot let itself in.
    index.publish("acme/pdf", "1.1.0", &[]);
    repo.sign_with_gpg(&eve).commit("by eve");
    let before = sandbox.snapshot();
    holds(
        sandbox.skillpm("update").exits(3).stderr_text(),
        &eve.fingerprint(),
    );
    index.write(
        "owners/acme.toml",
        format!("owners = []\nkeys = [\"\"\"\n{}\"\"\"]\n", eve.public()),
    );
    repo.commit("eve lets herself in");
    let refused = sandbox.skillpm("update").exits(3);
    refused.explains(["refusing the changed keys"]);
    holds(
        refused.stderr_text(),
        &format!("now     {}", eve.fingerprint()),
    );
    before.still_holds();
}

#[test]
fn publish_signs_with_gpg_where_git_does() {
    let sandbox = Sandbox::new();
    let Some(ann) = GpgKey::of(&sandbox, "ann") else {
        return;
    };
    let registry = Registry::bare(&sandbox, "index.git");
    registry.configure(&sandbox);
    package(&sandbox, "acme/pdf", "1.0.0");
    let config = |key: &str| {
        sandbox.gitconfig(&format!(
            "[gpg]\n\tprogram = {}\n[user]\n\tsigningKey = {key}\n",
            ann.program().display()
        ));
    };
    config("nobody@nowhere.example");
    sandbox
        .skillpm("publish pdf --sign")
        .exits(2)
        .explains(["failed to sign the commit"]);
    config(ann.digits());
    sandbox.skillpm("publish pdf --sign").exits(0);
    registry.git(&[
        "-c",
        &format!("gpg.program={}", ann.program().display()),
        "verify-commit",
        "main",
    ]);
    registry.git(&["fsck", "--strict"]);
    let signers = format!("signers = [\"\"\"registry:acme\n{}\"\"\"]", ann.public());
    let policy = format!("[policy]\nrequire-signed = true\n{signers}\n");
    sandbox.write(
        "user/skillpm.toml",
        format!("[dependencies]\n\"acme/pdf\" = \"^1\"\n\n{policy}"),
    );
    sandbox.skillpm("install").in_dir("user").exits(0);
}

#[test]
fn invalid_public_key_is_refused_where_it_is_listed() {
    let sandbox = Sandbox::new();
    let Some((repo, ann)) = signed(&sandbox) else {
        return;
    };
    let add = format!("add {} --skill pdf --tag v1.0.0", repo.url());
    let private = ann
        .gpg(&[
            "--armor",
            "--passphrase",
            "",
            "--pinentry-mode",
            "loopback",
            "--export-secret-keys",
        ])
        .unwrap();
    for (key, why) in [
        (private, "it is a private key"),
        (
            ann.public().replace("END PGP", "END"),
            "mismatched begin and end lines",
        ),
        (ann.public().replacen("\n\nm", "\n\n*", 1), "invalid Base64"),
    ] {
        trust(&sandbox, &key);
        sandbox.skillpm(&add).exits(2).explains([
            "invalid public key",
            why,
            "`policy.signers` in skillpm.toml",
        ]);
    }
    sandbox.lacks(["skillpm.lock", ".agents"]);
}
