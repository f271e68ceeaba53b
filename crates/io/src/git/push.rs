//! Pushing, by running git, since gix does not support it.
//!
//! Both the `--porcelain` output and the messages of the host are parsed:
//!
//! ```text
//! To file:///srv/index.git
//!         1f0c…:refs/heads/main   d3f414f..439fec1               pushed
//! !       1f0c…:refs/heads/main   [rejected] (fetch first)       another push was faster
//! !       1f0c…:refs/heads/main   [remote rejected] (cannot lock ref …)       the same, noticed later
//! !       1f0c…:refs/heads/main   [remote rejected] (pre-receive hook declined)      declined; `remote: …` has the reason
//! ```

use std::path::Path;
use std::process::{Command, Output, Stdio};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::commit::DraftCommit;
use super::environment::remove_repository_variables;
use super::{GitRepository, GitShared, config, failure, ssh, tls, url_policy};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{GitUrl, SecretString};

/// Settings that override the user's: no hooks, no waiting for a slow host.
const FIXED_SETTINGS: [&str; 4] = [
    "core.hooksPath=/dev/null",
    "http.lowSpeedLimit=100",
    "http.lowSpeedTime=60",
    "gc.auto=0",
];

/// Messages of hosts for a concurrent push to the same branch.
const CONTENTION_MESSAGES: [&str; 8] = [
    "cannot lock ref",
    "failed to lock",
    "failed to update ref",
    "incorrect old value provided",
    "reference already exists",
    "unable to create",
    "file exists",
    "fetch first",
];

/// Most lines of a host's messages that are shown.
const LINES_MAX: usize = 20;

/// The result of a push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PushOutcome {
    /// The branch now has the commit.
    Landed,
    /// A concurrent push has moved the branch, or is about to; with the message of the host.
    Raced(String),
    /// The host declined the push; with its message, one line each.
    Declined(Vec<String>),
}

impl GitRepository<'_> {
    /// Pushes a commit to a branch (`refs/heads/main`), never by force.
    ///
    /// `secret` is sent with the first request, `user:password` or a token alone; without it, git's own credential
    /// helpers are used if the host asks for credentials.
    ///
    /// # Errors
    /// If git cannot be run, or the host cannot be reached or denies access. Then it is unknown whether the commit was
    /// pushed.
    pub fn push(
        &self,
        draft: &DraftCommit,
        branch: &str,
        secret: Option<&SecretString>,
    ) -> Result<PushOutcome> {
        let mut git = push_command(&self.url, &self.shared, draft.scratch.path(), secret)?;
        // A thin pack would use objects that only the host has as delta bases.
        git.args([
            "push",
            "--porcelain",
            "--no-verify",
            "--no-thin",
            "--no-follow-tags",
            "--recurse-submodules=no",
        ]);

        // After `--`, no URL can be taken for an option.
        git.arg("--")
            .arg(self.url.as_str())
            .arg(format!("{}:{branch}", draft.commit()));

        // How many requests git makes of it is not known: the push is logged as one.
        let is_local = self.url.as_str().starts_with("file:");
        let logged =
            (!is_local).then(|| self.shared.options.traffic.start("PUSH", self.url.as_str()));
        let output = git.output();
        drop(logged);
        let output = output.map_err(|cause| {
            Error::network("failed to start git")
                .cause(cause.to_string())
                .note(format!("while pushing to `{}`", self.url))
                .help("install git, which is required for publishing")
        })?;

        parse_push_output(&self.url, &output)
    }
}

fn push_command(
    url: &GitUrl,
    shared: &GitShared,
    scratch: &Path,
    secret: Option<&SecretString>,
) -> Result<Command> {
    let options = &shared.options;
    let config = config::user_config(scratch, options)
        .map_err(|cause| failure::configuration_error(&cause))?;
    let remote = config
        .remote_at(url.as_str())
        .map_err(|cause| failure::configuration_error(&cause))?;
    // `pushInsteadOf` may rewrite the URL, and must not weaken its encryption.
    let mut git = detached_git(url, scratch);
    if let Some(real) = remote.url(gix::remote::Direction::Push) {
        url_policy::check_url(url, real, options.allow_http)?;
        let config = config.config_snapshot();
        let real = real.to_bstring().to_string();
        if let Some(bundle) = tls::write_bundle(config.plumbing(), &real, options, scratch)? {
            git.env("GIT_SSL_CAINFO", bundle);
        }
    }

    // Without a terminal, ssh must fail instead of waiting for an answer.
    if !options.interactive
        && let Ok(configured) = config.ssh_connect_options()
        && let Some(command) = ssh::unattended_command(&configured)
    {
        git.env("GIT_SSH_COMMAND", command);
    }

    git.arg("--git-dir").arg(scratch);
    for setting in FIXED_SETTINGS
        .iter()
        .copied()
        .chain(options.config.iter().map(String::as_str))
    {
        git.arg("-c").arg(setting);
    }

    if let Some(secret) = secret.filter(|_| url_policy::may_carry_secrets(url.as_str())) {
        pass_secret(&mut git, url, secret, options.environment_config);
    }
    Ok(git)
}

/// git without a terminal, and without the environment's idea of which repository to use.
fn detached_git(url: &GitUrl, scratch: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(scratch)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if url.scheme() == "file" {
        // The writing process is our child then. A signal to our process group (Ctrl-C) must not kill it in the middle:
        // git would leave its lock behind, which blocks all further writes.
        crate::platform::detach_from_terminal(&mut git);
    }

    remove_repository_variables(&mut git);
    // English, since messages are matched; no prompt; no transport beyond those that are checked.
    git.env("LC_ALL", "C")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_ALLOW_PROTOCOL", "file:http:https:ssh");
    git
}

/// Passes a secret to git in its environment, which other users cannot read, after the `taken` existing settings.
fn pass_secret(git: &mut Command, url: &GitUrl, secret: &SecretString, taken: usize) {
    let pair = match secret.reveal() {
        both if both.contains(':') => both.to_owned(),
        alone => format!("x-access-token:{alone}"),
    };

    // For this URL alone: a header for all hosts would go to a submodule's, too.
    let settings = [
        (
            format!("http.{url}.extraHeader"),
            format!("Authorization: Basic {}", BASE64.encode(pair.as_bytes())),
        ),
        // The secret is meant for this host only, not for a redirect target.
        ("http.followRedirects".to_owned(), "false".to_owned()),
    ];

    git.env("GIT_CONFIG_COUNT", (taken + settings.len()).to_string());
    for (at, (key, value)) in settings.iter().enumerate() {
        git.env(format!("GIT_CONFIG_KEY_{}", taken + at), key)
            .env(format!("GIT_CONFIG_VALUE_{}", taken + at), value);
    }
}

fn parse_push_output(url: &GitUrl, output: &Output) -> Result<PushOutcome> {
    let (stdout, stderr) = (
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr),
    );

    // Only our one reference was pushed, so there is one line about it.
    let refusal = stdout
        .lines()
        .find_map(|line| line.strip_prefix("!\t")?.split('\t').nth(1));
    let Some(summary) = refusal else {
        return if output.status.success() {
            Ok(PushOutcome::Landed)
        } else {
            Err(push_error(url, &stderr))
        };
    };

    let said = summary.to_ascii_lowercase();
    // Another push was faster: the caller reads the branch again and retries.
    if said.starts_with("[rejected]")
        || CONTENTION_MESSAGES.iter().any(|words| said.contains(words))
    {
        return Ok(PushOutcome::Raced(sanitize_line(
            summary.trim_start_matches("[remote rejected]"),
        )));
    }

    if said.starts_with("[remote failure]") {
        return Err(push_error(url, &stderr));
    }

    let mut words = vec![sanitize_line(
        summary.trim_start_matches("[remote rejected]"),
    )];
    words.extend(remote_messages(&stderr));
    Ok(PushOutcome::Declined(words))
}

/// The messages of the host on its side channel (`remote: …`).
fn remote_messages(stderr: &str) -> Vec<String> {
    let lines = stderr
        .lines()
        .filter_map(|line| line.strip_prefix("remote:"))
        .map(sanitize_line);
    lines
        .filter(|line| !line.is_empty())
        .take(LINES_MAX)
        .collect()
}

/// A third-party line, safe to be shown.
fn sanitize_line(line: &str) -> String {
    let line: String = failure::scrub(line).trim().chars().take(300).collect();
    let line = line
        .strip_prefix('(')
        .and_then(|line| line.strip_suffix(')'))
        .unwrap_or(&line);
    let mut text = String::new();
    for c in line.chars() {
        if c.is_control() {
            text.extend(c.escape_default());
        } else {
            text.push(c);
        }
    }
    text
}

/// The error for a push without a result.
fn push_error(url: &GitUrl, stderr: &str) -> Error {
    let lower = stderr.to_ascii_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| lower.contains(word));

    let error = if says(&[
        "authentication failed",
        "could not read username",
        "could not read password",
        " 401",
        " 403",
    ]) {
        Error::network(format!("failed to push to `{url}`: access denied")).help(format!(
            "log in with git once: `git push {url}`; or ask its owner for write access"
        ))
    } else if says(&["permission denied (", "host key verification failed"]) {
        Error::network(format!("failed to authenticate with `{url}` over ssh"))
            .help("the key must be in the ssh agent (`ssh-add -l`), and the host key must be known")
    } else {
        Error::network(format!("failed to push to `{url}`")).help(format!(
            "`git ls-remote {url}` shows whether git itself can reach it"
        ))
    };

    let messages = stderr
        .lines()
        .map(sanitize_line)
        .filter(|line| !line.is_empty() && !line.starts_with("error: failed to push"));
    messages.take(LINES_MAX).fold(error, Error::cause)
}

#[cfg(test)]
mod tests {
    #[cfg(unix)]
    use std::os::unix::process::ExitStatusExt;
    #[cfg(windows)]
    use std::os::windows::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    /// How a process ended that exited with this code.
    fn exit_status(code: i32) -> ExitStatus {
        #[cfg(unix)]
        return ExitStatus::from_raw(code << 8);
        #[cfg(windows)]
        return ExitStatus::from_raw(code.cast_unsigned());
    }

    fn parsed(code: i32, stdout: &str, stderr: &str) -> Result<PushOutcome> {
        let output = Output {
            status: exit_status(code),
            stdout: format!("To file:///x\n{stdout}\nDone\n").into(),
            stderr: stderr.into(),
        };
        parse_push_output(&"https://host/index".parse().unwrap(), &output)
    }

    #[test]
    fn the_output_of_git_is_classified() {
        assert_eq!(
            parsed(0, " \ta:refs/heads/main\td3f414f..439fec1", "").unwrap(),
            PushOutcome::Landed
        );
        for raced in [
            "[rejected] (fetch first)",
            "[rejected] (non-fast-forward)",
            "[remote rejected] (cannot lock ref 'refs/heads/main': is at 1 but expected 2)",
            "[remote rejected] (failed to update ref)",
            "[remote rejected] (Unable to create '/srv/x/refs/heads/main.lock': File exists.)",
        ] {
            let outcome = parsed(1, &format!("!\ta:refs/heads/main\t{raced}"), "").unwrap();
            assert!(matches!(outcome, PushOutcome::Raced(_)), "{raced}");
        }
    }

    #[test]
    fn a_declined_push_shows_the_escaped_message_of_the_host() {
        let declined = parsed(
            1,
            "!\ta:refs/heads/main\t[remote rejected] (pre-receive hook declined)",
            "remote: ask \u{1b}[31mmore\nremote:   \nremote: see https://joe:CANARY@host/x\nerror: failed to push\n",
        );
        let expected = [
            "pre-receive hook declined",
            "ask \\u{1b}[31mmore",
            "see https://***@host/x",
        ];
        assert_eq!(
            declined.unwrap(),
            PushOutcome::Declined(expected.map(str::to_owned).into())
        );
    }

    #[test]
    fn push_failure_names_the_missing_access() {
        for (stderr, words) in [
            (
                "fatal: Authentication failed for 'https://host/index/'",
                "access denied",
            ),
            (
                "fatal: could not read Username for 'https://host': terminal prompts disabled",
                "access denied",
            ),
            (
                "git@host: Permission denied (publickey).",
                "failed to authenticate",
            ),
            (
                "fatal: unable to access 'https://host/index/': Could not resolve host: host",
                "failed to push to",
            ),
        ] {
            let error = parsed(128, "", stderr).unwrap_err();
            assert!(error.message().contains(words), "{error:?}");
            assert_eq!(error.causes().len(), 1, "{error:?}");
        }
    }

    #[test]
    fn secret_is_appended_to_the_environment_of_git() {
        let mut git = Command::new("git");
        pass_secret(
            &mut git,
            &"https://host/index".parse().unwrap(),
            &SecretString::new("joe:s3cret"),
            2,
        );
        let env: Vec<_> = git
            .get_envs()
            .map(|(key, value)| (key.to_str(), value.and_then(|value| value.to_str())))
            .collect();
        assert_eq!(env[0], (Some("GIT_CONFIG_COUNT"), Some("4")));
        assert_eq!(
            env[1],
            (
                Some("GIT_CONFIG_KEY_2"),
                Some("http.https://host/index.extraHeader")
            )
        );
        assert_eq!(
            env[3],
            (
                Some("GIT_CONFIG_VALUE_2"),
                Some("Authorization: Basic am9lOnMzY3JldA==")
            )
        );
        assert_eq!(git.get_args().count(), 0);
    }
}
