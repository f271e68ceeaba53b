//! Signing a commit as git would: `ssh-keygen -Y sign -n git -f KEY` or `gpg -bsau KEY`, with the key that git is told to use.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use gix::bstr::ByteSlice;

use super::failure;
use super::person::config_at;
use crate::error::{Context, Error, Result};

/// How a line begins that `gpg` writes for programs.
const STATUS: &str = "[GNUPG:] ";

/// How somebody signs the commits that they make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signing {
    program: PathBuf,
    key: SigningKey,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum SigningKey {
    File(PathBuf),
    /// A public key whose other half the agent has.
    InAgent(String),
    /// What `gpg` knows the key of OpenPGP by.
    Openpgp(String),
}

/// How commits are signed in a directory, by its git configuration; `None` if they are not. `asked` is what a person says,
/// where they say anything, instead of `commit.gpgSign`; `committer` is the address of who commits, which OpenPGP goes by
/// where no key is named.
///
/// # Errors
/// If they are to be signed, and git does not say with what key, or signs neither with an SSH key nor with OpenPGP.
pub fn signing(dir: &Path, asked: Option<bool>, committer: &str) -> Result<Option<Signing>> {
    let config = config_at(dir).map_err(|cause| failure::configuration(&cause))?;
    let text = |key: &str| config.string(key).and_then(|text| Some(text.to_str().ok()?.trim().to_owned()));
    let by_git = || matches!(config.boolean("commit.gpgSign"), Ok(Some(true)));
    if !asked.unwrap_or_else(by_git) {
        return Ok(None);
    }
    let key = text("user.signingKey").filter(|key| !key.is_empty());
    let no_key = |help: &str| Error::usage("a commit is to be signed, and git does not say with what key").help(help);
    match text("gpg.format").as_deref() {
        Some("ssh") => {
            let key = key.ok_or_else(|| no_key("`git config --global user.signingKey ~/.ssh/id_ed25519.pub`"))?;
            let program = text("gpg.ssh.program").map_or_else(|| "ssh-keygen".into(), |path| at_home(&path));
            Ok(Some(Signing { program, key: SigningKey::of(&key) }))
        }
        None | Some("openpgp") => {
            let key = key.or_else(|| Some(format!("<{committer}>")).filter(|_| !committer.is_empty()));
            let key = key.ok_or_else(|| no_key("`git config --global user.signingKey KEY`, as `gpg -K` shows it"))?;
            let program = text("gpg.openpgp.program").or_else(|| text("gpg.program"));
            let program = program.map_or_else(|| "gpg".into(), |path| at_home(&path));
            Ok(Some(Signing { program, key: SigningKey::Openpgp(key) }))
        }
        Some(_) if asked.is_none() => Ok(None),
        Some(other) => Err(Error::usage(format!(
            "git signs with `{}` here, and an index is signed with an SSH key or OpenPGP",
            other.escape_debug()
        ))
        .help("`git config --global gpg.format ssh`, and `git config --global user.signingKey ~/.ssh/id_ed25519.pub`")),
    }
}

impl SigningKey {
    fn of(text: &str) -> SigningKey {
        match text.strip_prefix("key::") {
            Some(literal) => SigningKey::InAgent(literal.to_owned()),
            None if text.starts_with("ssh-") => SigningKey::InAgent(text.to_owned()),
            None => SigningKey::File(at_home(text)),
        }
    }
}

fn at_home(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), gix::path::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => path.into(),
    }
}

impl Signing {
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
                let told = || "could not write the public key that signs".to_owned();
                let mut file = tempfile::NamedTempFile::new().context(told)?;
                writeln!(file, "{key}").context(told)?;
                command.arg("-U").arg("-f").arg(file.path());
                Some(file)
            }
        };
        let output = run(&mut command, payload).map_err(|cause| {
            Error::usage(format!("`{}` could not be run, which signs", self.program.display()))
                .cause(cause.to_string())
                .help(format!("install {}; or publish without signing: `--config registry.sign=false`", self.suite()))
        })?;
        drop(literal);
        let is_openpgp = matches!(self.key, SigningKey::Openpgp(_));
        if !output.status.success() || is_openpgp && !has_signed(&output.stderr) {
            let said = String::from_utf8_lossy(&output.stderr);
            let error = Error::usage(format!("`{}` did not sign the commit", self.program.display()));
            let told = said.lines().filter(|line| !line.trim().is_empty() && !line.starts_with(STATUS)).take(5);
            return Err(told
                .fold(error, |error, line| error.cause(failure::quote(line)))
                .help("`git commit -S` shows whether git itself can sign; nothing was published"));
        }
        let text = String::from_utf8(output.stdout).map_err(|_| Error::internal("a signature is no text"))?;
        // On Windows `gpg` ends lines with two characters, and git takes one of them out.
        Ok(text.replace("\r\n", "\n"))
    }

    /// What the program comes with.
    fn suite(&self) -> &'static str {
        if matches!(self.key, SigningKey::Openpgp(_)) { "GnuPG" } else { "OpenSSH" }
    }
}

/// Whether `gpg` says that it has: it ends with 0 in other cases as well.
fn has_signed(status: &[u8]) -> bool {
    let made = format!("{STATUS}SIG_CREATED ");
    String::from_utf8_lossy(status).lines().any(|line| line.starts_with(&made))
}

fn run(command: &mut Command, payload: &[u8]) -> std::io::Result<std::process::Output> {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // What it does not read it does not sign, and says so.
        let _ = stdin.write_all(payload);
    }
    child.wait_with_output()
}
