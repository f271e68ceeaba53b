//! Signing a commit as git would: `ssh-keygen -Y sign -n git -f KEY` or `gpg -bsau KEY`, with the key
//! that git is configured to use.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gix::bstr::ByteSlice;

use super::failure;
use super::identity::load_config;
use skillpm_core::error::{Error, ErrorContext, Result};

/// Prefix of the status lines of `gpg`.
const STATUS: &str = "[GNUPG:] ";

/// How the user signs commits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommitSigning {
    program: PathBuf,
    key: SigningKey,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SigningKey {
    File(PathBuf),
    /// A public key, whose private key is in the ssh agent.
    InAgent(String),
    /// The user id of an OpenPGP key for `gpg`.
    Openpgp(String),
}

/// How commits are signed in a directory, by its git configuration; `None` if they are not. `asked`, if given, overrides
/// `commit.gpgSign`; `committer` is the committer's address, which selects the OpenPGP key if none is configured.
///
/// # Errors
/// If commits are to be signed, and no key is configured, or the format is neither SSH nor OpenPGP.
pub fn commit_signing(
    dir: &Path,
    asked: Option<bool>,
    committer: &str,
) -> Result<Option<CommitSigning>> {
    let config = load_config(dir).map_err(|cause| failure::configuration_error(&cause))?;
    let text = |key: &str| {
        config
            .string(key)
            .and_then(|text| Some(text.to_str().ok()?.trim().to_owned()))
    };
    let by_git = || matches!(config.boolean("commit.gpgSign"), Ok(Some(true)));
    if !asked.unwrap_or_else(by_git) {
        return Ok(None);
    }

    let key = text("user.signingKey").filter(|key| !key.is_empty());
    let no_key = |help: &str| {
        Error::usage("missing signing key in the git configuration (`user.signingKey`)").help(help)
    };

    match text("gpg.format").as_deref() {
        Some("ssh") => {
            let key = key.ok_or_else(|| no_key("`git config --global user.signingKey ~/.ssh/id_ed25519.pub`"))?;
            let program = text("gpg.ssh.program").map_or_else(|| "ssh-keygen".into(), |path| expand_home(&path));
            Ok(Some(CommitSigning { program, key: SigningKey::parse(&key) }))
        }
        None | Some("openpgp") => {
            // gpg finds the key by the committer's address, as it does for git.
            let key = key.or_else(|| Some(format!("<{committer}>")).filter(|_| !committer.is_empty()));
            let key = key.ok_or_else(|| no_key("`git config --global user.signingKey KEY`, as `gpg -K` shows it"))?;
            let program = text("gpg.openpgp.program").or_else(|| text("gpg.program"));
            let program = program.map_or_else(|| "gpg".into(), |path| expand_home(&path));
            Ok(Some(CommitSigning { program, key: SigningKey::Openpgp(key) }))
        }
        // `commit.gpgSign` with X.509, and no explicit request: the commit stays unsigned.
        Some(_) if asked.is_none() => Ok(None),
        Some(other) => Err(Error::usage(format!(
            "unsupported signing format `{}` (`gpg.format`): an index is signed with SSH or OpenPGP",
            other.escape_debug()
        ))
        .help("`git config --global gpg.format ssh`, and `git config --global user.signingKey ~/.ssh/id_ed25519.pub`")),
    }
}

impl SigningKey {
    fn parse(text: &str) -> SigningKey {
        match text.strip_prefix("key::") {
            Some(literal) => SigningKey::InAgent(literal.to_owned()),
            None if text.starts_with("ssh-") => SigningKey::InAgent(text.to_owned()),
            None => SigningKey::File(expand_home(text)),
        }
    }
}

fn expand_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), gix::path::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

impl CommitSigning {
    /// Signs bytes; gives the signature as text.
    ///
    /// # Errors
    /// If the program cannot be run, or does not sign.
    pub(super) fn sign(&self, payload: &[u8]) -> Result<String> {
        let mut command = Command::new(&self.program);
        let literal = match &self.key {
            SigningKey::Openpgp(key) => {
                command.args(["--status-fd=2", "-bsau", key]);
                None
            }
            SigningKey::File(path) => {
                command.args(["-Y", "sign", "-n", "git", "-f"]).arg(path);
                None
            }
            SigningKey::InAgent(key) => {
                command.args(["-Y", "sign", "-n", "git"]);
                let context = || "failed to write the public signing key".to_owned();
                let mut file = tempfile::NamedTempFile::new().context(context)?;
                writeln!(file, "{key}").context(context)?;
                // `-U`: the private key is in the agent.
                command.arg("-U").arg("-f").arg(file.path());
                Some(file)
            }
        };

        let output = run_with_input(&mut command, payload).map_err(|cause| {
            Error::usage(format!(
                "failed to run `{}` to sign the commit",
                self.program.display()
            ))
            .cause(cause.to_string())
            .help(format!(
                "install {}; or publish without signing: `--config registry.sign=false`",
                self.suite()
            ))
        })?;
        // The file must be there until the program has ended.
        drop(literal);

        let is_openpgp = matches!(self.key, SigningKey::Openpgp(_));
        if !output.status.success() || is_openpgp && !has_signed(&output.stderr) {
            let said = String::from_utf8_lossy(&output.stderr);
            let error = Error::usage(format!(
                "failed to sign the commit with `{}`",
                self.program.display()
            ));
            let lines = said
                .lines()
                .filter(|line| !line.trim().is_empty() && !line.starts_with(STATUS))
                .take(5);
            return Err(lines
                .fold(error, |error, line| error.cause(failure::quote_host(line)))
                .help("`git commit -S` shows whether git itself can sign; nothing was published"));
        }

        let text = String::from_utf8(output.stdout)
            .map_err(|_| Error::internal("a signature is not UTF-8"))?;
        // On Windows `gpg` ends lines with CRLF, and git removes the CR.
        Ok(text.replace("\r\n", "\n"))
    }

    /// The suite that contains the program.
    fn suite(&self) -> &'static str {
        if matches!(self.key, SigningKey::Openpgp(_)) {
            "GnuPG"
        } else {
            "OpenSSH"
        }
    }
}

/// Whether `gpg` reports a signature: it exits with 0 in other cases as well.
fn has_signed(status: &[u8]) -> bool {
    let made = format!("{STATUS}SIG_CREATED ");
    String::from_utf8_lossy(status)
        .lines()
        .any(|line| line.starts_with(&made))
}

fn run_with_input(command: &mut Command, payload: &[u8]) -> std::io::Result<std::process::Output> {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that does not read all of it fails, and reports that itself.
        let _ = stdin.write_all(payload);
    }
    child.wait_with_output()
}
