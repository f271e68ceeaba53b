//! Signing a commit as git would: `ssh-keygen -Y sign -n git -f KEY` or `gpg -bsau KEY`, with the key
//! that git is configured to use.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gix::bstr::ByteSlice;

use super::config::{expand_home, load_config};
use super::failure;
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

    match text("gpg.format").as_deref() {
        Some("ssh") => ssh_signing(&text).map(Some),
        None | Some("openpgp") => openpgp_signing(&text, committer).map(Some),
        // `commit.gpgSign` with X.509, and no explicit request: the commit stays unsigned.
        Some(_) if asked.is_none() => Ok(None),
        Some(other) => Err(Error::usage(format!(
            "unsupported signing format `{}` (`gpg.format`): an index is signed with SSH or OpenPGP",
            other.escape_debug()
        ))
        .help("`git config --global gpg.format ssh`, and `git config --global user.signingKey ~/.ssh/id_ed25519.pub`")),
    }
}

/// Signing with the SSH key of the configuration, whose values `text` returns.
fn ssh_signing(text: &dyn Fn(&str) -> Option<String>) -> Result<CommitSigning> {
    let key = configured_key(text).ok_or_else(|| {
        missing_key("`git config --global user.signingKey ~/.ssh/id_ed25519.pub`")
    })?;
    let program =
        text("gpg.ssh.program").map_or_else(|| "ssh-keygen".into(), |path| expand_home(&path));
    Ok(CommitSigning {
        program,
        key: SigningKey::parse(&key),
    })
}

/// Signing with the OpenPGP key of the configuration, or else of the committer.
fn openpgp_signing(
    text: &dyn Fn(&str) -> Option<String>,
    committer: &str,
) -> Result<CommitSigning> {
    // gpg finds the key by the committer's address, as it does for git.
    let by_address = || Some(format!("<{committer}>")).filter(|_| !committer.is_empty());
    let key = configured_key(text).or_else(by_address).ok_or_else(|| {
        missing_key("`git config --global user.signingKey KEY`, as `gpg -K` shows it")
    })?;

    // `gpg.program` is the older name, from when git signed with OpenPGP only.
    let program = text("gpg.openpgp.program").or_else(|| text("gpg.program"));
    Ok(CommitSigning {
        program: program.map_or_else(|| "gpg".into(), |path| expand_home(&path)),
        key: SigningKey::Openpgp(key),
    })
}

fn configured_key(text: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    text("user.signingKey").filter(|key| !key.is_empty())
}

fn missing_key(help: &str) -> Error {
    Error::usage("missing signing key in the git configuration (`user.signingKey`)").help(help)
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

impl CommitSigning {
    /// Signs bytes; gives the signature as text.
    ///
    /// # Errors
    /// If the program cannot be run, or does not sign.
    pub(super) fn sign(&self, payload: &[u8]) -> Result<String> {
        let mut command = Command::new(&self.program);
        let key_file = self.add_arguments(&mut command)?;

        let output =
            run_with_input(&mut command, payload).map_err(|cause| self.program_error(&cause))?;
        // The file must be there until the program has ended.
        drop(key_file);

        let is_openpgp = matches!(self.key, SigningKey::Openpgp(_));
        if !output.status.success() || is_openpgp && !has_signed(&output.stderr) {
            return Err(self.signing_error(&output.stderr));
        }

        let text = String::from_utf8(output.stdout)
            .map_err(|_| Error::internal("a signature is not UTF-8"))?;
        // On Windows `gpg` ends lines with CRLF, and git removes the CR.
        Ok(text.replace("\r\n", "\n"))
    }

    fn program_error(&self, cause: &std::io::Error) -> Error {
        Error::usage(format!(
            "failed to run `{}` to sign the commit",
            self.program.display()
        ))
        .cause(cause.to_string())
        .help(format!(
            "install {}; or publish without signing: `--config registry.sign=false`",
            self.suite()
        ))
    }

    /// Adds the arguments that git passes; returns the file of a key that is in the agent, which `ssh-keygen` reads.
    fn add_arguments(&self, command: &mut Command) -> Result<Option<tempfile::NamedTempFile>> {
        let key = match &self.key {
            SigningKey::Openpgp(key) => {
                command.args(["--status-fd=2", "-bsau", key]);
                return Ok(None);
            }
            SigningKey::File(path) => {
                command.args(["-Y", "sign", "-n", "git", "-f"]).arg(path);
                return Ok(None);
            }
            SigningKey::InAgent(key) => key,
        };

        let context = || "failed to write the public signing key".to_owned();
        let mut file = tempfile::NamedTempFile::new().context(context)?;
        writeln!(file, "{key}").context(context)?;
        // `-U`: the private key is in the agent.
        command
            .args(["-Y", "sign", "-n", "git", "-U", "-f"])
            .arg(file.path());
        Ok(Some(file))
    }

    /// The error for a program that did not sign, with the beginning of what it printed.
    fn signing_error(&self, stderr: &[u8]) -> Error {
        let said = String::from_utf8_lossy(stderr);
        let error = Error::usage(format!(
            "failed to sign the commit with `{}`",
            self.program.display()
        ));
        // The status lines are for programs.
        let lines = said
            .lines()
            .filter(|line| !line.trim().is_empty() && !line.starts_with(STATUS))
            .take(5);
        lines
            .fold(error, |error, line| error.cause(failure::quote_host(line)))
            .help("`git commit -S` shows whether git itself can sign; nothing was published")
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
