//! Keys of OpenSSH and OpenPGP, made by the real `ssh-keygen` and `gpg`, and repositories whose commits they sign.

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
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "", "-C", who, "-f"])
            .arg(&path)
            .status();
        match made {
            Ok(status) if status.success() => {
                let public = std::fs::read_to_string(path.with_extension("pub"))
                    .unwrap()
                    .trim()
                    .to_owned();
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
        let output = Command::new("ssh-keygen")
            .arg("-lf")
            .arg(&self.path)
            .output()
            .unwrap();
        String::from_utf8(output.stdout)
            .unwrap()
            .split(' ')
            .nth(1)
            .unwrap()
            .to_owned()
    }
}

/// A key of OpenPGP with a home of its own below the sandbox's `keys`.
pub(crate) struct GpgKey {
    home: PathBuf,
    public: String,
    digits: String,
}

impl GpgKey {
    /// A new key of somebody. Without `gpg` and `gpgv`, this says that the test is skipped and returns `None`.
    pub(crate) fn of(sandbox: &Sandbox, who: &str) -> Option<GpgKey> {
        let home = sandbox.root().join("keys").join(format!("{who}.gnupg"));
        std::fs::create_dir_all(&home).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&home, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
        let mut key = GpgKey {
            home,
            public: String::new(),
            digits: String::new(),
        };
        let person = format!("{who} <{who}@acme.dev>");
        let made = key.gpg(&[
            "--passphrase",
            "",
            "--quick-gen-key",
            &person,
            "ed25519",
            "sign",
            "never",
        ]);
        if made.is_none() || Command::new("gpgv").arg("--version").output().is_err() {
            skipped("there is no gpg that makes keys, or no gpgv");
            return None;
        }
        let listed = key.gpg(&["--with-colons", "--list-keys"]).unwrap();
        let line = listed
            .lines()
            .find_map(|line| line.strip_prefix("fpr:::::::::"))
            .unwrap();
        line.trim_end_matches(':').clone_into(&mut key.digits);
        key.public = key.export();
        key.write_program();
        Some(key)
    }

    /// What `gpg` prints for these arguments in this key's home; `None` if it fails.
    pub(crate) fn gpg(&self, arguments: &[&str]) -> Option<String> {
        let mut gpg = Command::new("gpg");
        gpg.args(["--batch", "--yes", "-q", "--homedir"])
            .arg(&self.home)
            .args(arguments);
        let output = gpg.output().ok().filter(|output| output.status.success())?;
        Some(String::from_utf8(output.stdout).unwrap())
    }

    /// The public key as it is now, armoured.
    pub(crate) fn export(&self) -> String {
        self.gpg(&["--armor", "--export"]).unwrap()
    }

    /// The public key, armoured, as it was made.
    pub(crate) fn public(&self) -> &str {
        &self.public
    }

    /// What `gpg` calls it: 40 digits.
    pub(crate) fn digits(&self) -> &str {
        &self.digits
    }

    /// What skillpm calls it: `openpgp:…`.
    pub(crate) fn fingerprint(&self) -> String {
        format!("openpgp:{}", self.digits)
    }

    /// The program that git signs with: `gpg`, with this key's home.
    pub(crate) fn program(&self) -> PathBuf {
        self.home.join("program")
    }

    fn write_program(&self) {
        let text = format!(
            "#!/bin/sh\nexec gpg --batch --homedir '{}' \"$@\"\n",
            self.home.display()
        );
        std::fs::write(self.program(), text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(self.program(), std::fs::Permissions::from_mode(0o755))
                .unwrap();
        }
    }
}

impl Drop for GpgKey {
    fn drop(&mut self) {
        let _ = Command::new("gpgconf")
            .arg("--homedir")
            .arg(&self.home)
            .args(["--kill", "gpg-agent"])
            .output();
    }
}

impl Repo {
    /// Signs all commits from now on, and those tags that are to be signed, with OpenPGP.
    pub(crate) fn sign_with_gpg(&self, key: &GpgKey) -> &Self {
        self.config("gpg.format", "openpgp")
            .config("user.signingKey", key.digits());
        self.config("gpg.program", key.program().to_str().unwrap())
            .config("commit.gpgSign", "true")
    }

    /// Signs all commits from now on, and those tags that are to be signed.
    pub(crate) fn sign_with(&self, key: &SshKey) -> &Self {
        self.config("gpg.format", "ssh")
            .config("user.signingKey", key.path.to_str().unwrap());
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
        let lines: String = keys
            .iter()
            .map(|key| format!("* namespaces=\"git\" {}\n", key.public))
            .collect();
        std::fs::write(&file, lines).unwrap();
        let setting = format!("gpg.ssh.allowedSignersFile={}", file.display());
        let status = Command::new("git")
            .arg("-C")
            .arg(self.path())
            .args(["-c", &setting, command, name])
            .output();
        status.unwrap().status.success()
    }
}
