//! Keys of OpenSSH, made by the real `ssh-keygen`, and repositories whose commits they sign.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Repo, Sandbox, skipped};

/// A key in the sandbox's `keys`.
pub(crate) struct SshKey {
    path: PathBuf,
    public: String,
}

impl SshKey {
    /// A new key of somebody. Without `ssh-keygen`, this says that the test is skipped and returns `None`.
    pub(crate) fn of(sandbox: &Sandbox, who: &str) -> Option<SshKey> {
        let dir = sandbox.root().join("keys");
        std::fs::create_dir_all(&dir).unwrap();
        let path = dir.join(who);
        let made =
            Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-C", who, "-f"]).arg(&path).status();
        match made {
            Ok(status) if status.success() => {
                let public = std::fs::read_to_string(path.with_extension("pub")).unwrap().trim().to_owned();
                Some(SshKey { path, public })
            }
            _ => {
                skipped("there is no ssh-keygen");
                None
            }
        }
    }

    /// The line of the public key.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// The file of the private key.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// What `ssh-keygen` calls it: `SHA256:…`.
    pub(crate) fn fingerprint(&self) -> String {
        let output = Command::new("ssh-keygen").arg("-lf").arg(&self.path).output().unwrap();
        String::from_utf8(output.stdout).unwrap().split(' ').nth(1).unwrap().to_owned()
    }
}

impl Repo {
    /// Signs all commits from now on, and those tags that are to be signed.
    pub(crate) fn sign_with(&self, key: &SshKey) -> &Self {
        self.config("gpg.format", "ssh").config("user.signingKey", key.path.to_str().unwrap());
        self.config("commit.gpgSign", "true")
    }

    /// Signs no commits from now on.
    pub(crate) fn sign_no_more(&self) -> &Self {
        self.config("commit.gpgSign", "false")
    }

    /// A signed tag at the newest commit.
    pub(crate) fn signed_tag(&self, name: &str) -> &Self {
        self.git(&["tag", "-s", "-m", name, name]);
        self
    }

    /// Whether git itself takes a commit or tag for signed by one of these keys: what ours is held against.
    pub(crate) fn git_vouches(&self, command: &str, name: &str, keys: &[&SshKey]) -> bool {
        let file = self.path().join("../allowed-signers");
        let lines: String = keys.iter().map(|key| format!("* namespaces=\"git\" {}\n", key.public)).collect();
        std::fs::write(&file, lines).unwrap();
        let setting = format!("gpg.ssh.allowedSignersFile={}", file.display());
        let status = Command::new("git").arg("-C").arg(self.path()).args(["-c", &setting, command, name]).output();
        status.unwrap().status.success()
    }
}
