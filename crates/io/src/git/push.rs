//! Pushing: the one thing that git itself is run for, since gix cannot.
//!
//! What it prints for programs (`--porcelain`) and what the host says beside it are read:
//!
//! ```text
//! To file:///srv/index.git
//!         1f0c…:refs/heads/main   d3f414f..439fec1               landed
//! !       1f0c…:refs/heads/main   [rejected] (fetch first)       somebody was faster
//! !       1f0c…:refs/heads/main   [remote rejected] (cannot lock ref …)       the same, noticed later
//! !       1f0c…:refs/heads/main   [remote rejected] (pre-receive hook declined)      no, and `remote: …` says why
//! ```

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::commit::Draft;
use super::{Repository, Shared, failure, reach, remote};
use crate::error::{Error, Result};
use crate::package::{GitUrl, Secret};

/// Variables that would lead git to another repository, or make it another git: those of `git rev-parse
/// --local-env-vars` without the configuration, and what speaks into its output or its files.
const UNWANTED: [&str; 21] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_ATTR_SOURCE",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_TRACE",
    "GIT_TRACE2",
    "GIT_TRACE_CURL",
    "GIT_TRACE_PACKET",
    "GIT_WORK_TREE",
];

/// Settings that hold whatever the user's are: no hooks, no waiting for a host that only drips.
const SETTINGS: [&str; 4] = ["core.hooksPath=/dev/null", "http.lowSpeedLimit=100", "http.lowSpeedTime=60", "gc.auto=0"];

/// Words by which a host says that another push was at the same branch at the same moment.
const CONTENTION: [&str; 8] = [
    "cannot lock ref",
    "failed to lock",
    "failed to update ref",
    "incorrect old value provided",
    "reference already exists",
    "unable to create",
    "file exists",
    "fetch first",
];

/// Most lines that are shown of what a host says.
const LINES_MAX: usize = 20;

/// What came of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pushed {
    /// The branch is at the commit.
    Landed,
    /// Somebody else has moved the branch, or is about to; how the host puts it.
    Raced(String),
    /// The host does not want it; why, in its own words, one line each.
    Declined(Vec<String>),
}

impl Repository {
    /// Pushes a commit to a branch (`refs/heads/main`), never by force.
    ///
    /// `secret` is what the host is shown at once, `user:password` or a token alone; without it git's own credential
    /// helpers are asked if the host asks.
    ///
    /// # Errors
    /// If git cannot be run, or the host not be reached or does not let us in. Nothing is known then of whether the
    /// commit has landed.
    pub fn push(&self, draft: &Draft, branch: &str, secret: Option<&Secret>) -> Result<Pushed> {
        let mut git = command(&self.url, &self.shared, draft.scratch.path(), secret)?;
        git.args(["push", "--porcelain", "--no-verify", "--no-thin", "--no-follow-tags", "--recurse-submodules=no"]);
        git.arg("--").arg(self.url.as_str()).arg(format!("{}:{branch}", draft.commit()));
        let output = git.output().map_err(|cause| {
            Error::network("git could not be started")
                .cause(cause.to_string())
                .note(format!("while pushing to `{}`", self.url))
                .help("install git: publishing is the one thing that needs it")
        })?;
        understand(&self.url, &output)
    }
}

fn command(url: &GitUrl, shared: &Shared, scratch: &Path, secret: Option<&Secret>) -> Result<Command> {
    let options = &shared.options;
    let config = remote::user_config(scratch, options).map_err(|cause| failure::configuration(&cause))?;
    let remote = config.remote_at(url.as_str()).map_err(|cause| failure::configuration(&cause))?;
    if let Some(real) = remote.url(gix::remote::Direction::Push) {
        reach::check(url, real, options.allow_http)?;
    }
    let mut git = Command::new("git");
    git.current_dir(scratch).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if url.scheme() == "file" {
        // The one who writes is a child of ours then. Whoever kills our whole group must not kill it in the middle, as git
        // leaves its lock behind, and nobody could write any more.
        #[cfg(unix)]
        std::os::unix::process::CommandExt::process_group(&mut git, 0);
    }
    for name in UNWANTED {
        git.env_remove(name);
    }
    git.env("LC_ALL", "C").env("GIT_TERMINAL_PROMPT", "0").env("GIT_ALLOW_PROTOCOL", "file:http:https:ssh");
    let is_bare_ssh = config.ssh_connect_options().is_ok_and(|ssh| ssh.command.is_none());
    if is_bare_ssh && !options.interactive {
        git.env("GIT_SSH_COMMAND", "ssh -oBatchMode=yes -oConnectTimeout=10");
    }
    git.arg("--git-dir").arg(scratch);
    for setting in SETTINGS.iter().copied().chain(options.config.iter().map(String::as_str)) {
        git.arg("-c").arg(setting);
    }
    if let Some(secret) = secret.filter(|_| reach::may_carry_secrets(url.as_str())) {
        show(&mut git, url, secret, options.environment_config);
    }
    Ok(git)
}

/// Hands a secret to git in its environment, where nobody else sees it; after the settings that are there already.
fn show(git: &mut Command, url: &GitUrl, secret: &Secret, taken: usize) {
    let pair = match secret.reveal() {
        both if both.contains(':') => both.to_owned(),
        alone => format!("x-access-token:{alone}"),
    };
    let settings = [
        (format!("http.{url}.extraHeader"), format!("Authorization: Basic {}", BASE64.encode(pair.as_bytes()))),
        // Whoever the host sends us to is not who the secret was meant for.
        ("http.followRedirects".to_owned(), "false".to_owned()),
    ];
    git.env("GIT_CONFIG_COUNT", (taken + settings.len()).to_string());
    for (at, (key, value)) in settings.iter().enumerate() {
        git.env(format!("GIT_CONFIG_KEY_{}", taken + at), key).env(format!("GIT_CONFIG_VALUE_{}", taken + at), value);
    }
}

fn understand(url: &GitUrl, output: &Output) -> Result<Pushed> {
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let refusal = stdout.lines().find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
    let Some(summary) = refusal else {
        return if output.status.success() { Ok(Pushed::Landed) } else { Err(failed(url, &stderr)) };
    };
    let said = summary.to_ascii_lowercase();
    if said.starts_with("[rejected]") || CONTENTION.iter().any(|words| said.contains(words)) {
        return Ok(Pushed::Raced(shown(summary.trim_start_matches("[remote rejected]"))));
    }
    if said.starts_with("[remote failure]") {
        return Err(failed(url, &stderr));
    }
    let mut words = vec![shown(summary.trim_start_matches("[remote rejected]"))];
    words.extend(remote_words(&stderr));
    Ok(Pushed::Declined(words))
}

/// What the host said on its own channel.
fn remote_words(stderr: &str) -> Vec<String> {
    let lines = stderr.lines().filter_map(|line| line.strip_prefix("remote:")).map(shown);
    lines.filter(|line| !line.is_empty()).take(LINES_MAX).collect()
}

/// A line from elsewhere, safe to be shown.
fn shown(line: &str) -> String {
    let line: String = failure::scrub(line).trim().chars().take(300).collect();
    let line = line.strip_prefix('(').and_then(|line| line.strip_suffix(')')).unwrap_or(&line);
    line.chars().fold(String::new(), |mut text, c| {
        let _ = if c.is_control() { write!(text, "{}", c.escape_default()) } else { write!(text, "{c}") };
        text
    })
}

/// git came to no answer.
fn failed(url: &GitUrl, stderr: &str) -> Error {
    let lower = stderr.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));
    let error =
        if says(&["authentication failed", "could not read username", "could not read password", " 401", " 403"]) {
            Error::network(format!("`{url}` does not let you push"))
                .help(format!("log in with git once: `git push {url}`; or ask its owner for the right to write"))
        } else if says(&["permission denied (", "host key verification failed"]) {
            Error::network(format!("`{url}` refused the login"))
                .help("the key must be in the ssh agent (`ssh-add -l`), and the host's key the known one")
        } else {
            Error::network(format!("`{url}` could not be pushed to"))
                .help(format!("`git ls-remote {url}` shows whether git itself can reach it"))
        };
    let told = stderr.lines().map(shown).filter(|line| !line.is_empty() && !line.starts_with("error: failed to push"));
    told.take(LINES_MAX).fold(error, Error::cause)
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn told(code: i32, stdout: &str, stderr: &str) -> Result<Pushed> {
        let output = Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: format!("To file:///x\n{stdout}\nDone\n").into(),
            stderr: stderr.into(),
        };
        understand(&"https://host/index".parse().unwrap(), &output)
    }

    #[test]
    fn what_git_prints_is_told_apart() {
        assert_eq!(told(0, " \ta:refs/heads/main\td3f414f..439fec1", "").unwrap(), Pushed::Landed);
        for raced in [
            "[rejected] (fetch first)",
            "[rejected] (non-fast-forward)",
            "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)",
            "[remote rejected] (failed to update ref)",
            "[remote rejected] (Unable to create '/srv/x/refs/heads/main.lock': File exists.)",
        ] {
            let told = told(1, &format!("!\ta:refs/heads/main\t{raced}"), "").unwrap();
            assert!(matches!(told, Pushed::Raced(_)), "{raced}");
        }
    }

    #[test]
    fn a_host_s_no_is_told_in_its_own_words_and_cannot_write_on_the_terminal() {
        let declined = told(
            1,
            "!\ta:refs/heads/main\t[remote rejected] (pre-receive hook declined)",
            "remote: ask \u{1b}[31mmore\nremote:   \nremote: see https://joe:CANARY@host/x\nerror: failed to push\n",
        );
        let expected = ["pre-receive hook declined", "ask \\u{1b}[31mmore", "see https://***@host/x"];
        assert_eq!(declined.unwrap(), Pushed::Declined(expected.map(str::to_owned).into()));
    }

    #[test]
    fn a_failure_says_what_is_missing() {
        for (stderr, words) in [
            ("fatal: Authentication failed for 'https://host/index/'", "does not let you push"),
            ("fatal: could not read Username for 'https://host': terminal prompts disabled", "does not let you push"),
            ("git@host: Permission denied (publickey).", "refused the login"),
            ("fatal: unable to access 'https://host/index/': Could not resolve host: host", "could not be pushed to"),
        ] {
            let error = told(128, "", stderr).unwrap_err();
            assert!(error.message().contains(words), "{error:?}");
            assert_eq!(error.causes().len(), 1, "{error:?}");
        }
    }

    #[test]
    fn a_secret_travels_in_the_environment_after_what_is_there() {
        let mut git = Command::new("git");
        show(&mut git, &"https://host/index".parse().unwrap(), &Secret::new("joe:s3cret"), 2);
        let env: Vec<_> =
            git.get_envs().map(|(key, value)| (key.to_str(), value.and_then(|value| value.to_str()))).collect();
        assert_eq!(env[0], (Some("GIT_CONFIG_COUNT"), Some("4")));
        assert_eq!(env[1], (Some("GIT_CONFIG_KEY_2"), Some("http.https://host/index.extraHeader")));
        assert_eq!(env[3], (Some("GIT_CONFIG_VALUE_2"), Some("Authorization: Basic am9lOnMzY3JldA==")));
        assert_eq!(git.get_args().count(), 0);
    }
}
