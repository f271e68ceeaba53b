//! Turns errors of gix, reqwest and ssh into messages: which repository, what went wrong, what to configure.

use std::io::ErrorKind;

use super::http::TransportError;
use skillpm_core::error::{Error, FailureKind};
use skillpm_core::package::GitUrl;

/// Most causes that are shown of one failure.
const CAUSES_MAX: usize = 4;

/// The outcome of authentication when the host asked for credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoginOutcome {
    /// The host did not ask.
    NotAsked,
    /// No helper is configured.
    NoHelper,
    /// The helpers provided no credentials.
    NothingGiven,
    /// The host rejected their credentials.
    Refused,
    /// The host rejected the stored token, and the helpers provided no credentials.
    TokenRefused,
    /// The host rejected the login of `~/.netrc`, and the helpers provided no credentials.
    NetrcRefused,
    /// The helpers were not asked, as the connection is not encrypted.
    Withheld,
}

/// The error for a failed HTTP request.
pub(super) fn http_error(url: &GitUrl, fault: &TransportError, login: LoginOutcome) -> Error {
    match fault {
        TransportError::Unreachable(causes) => unreachable_error(url, causes),
        TransportError::Broken(causes) | TransportError::Cut(causes) => {
            let why = "the connection was interrupted";
            with_causes(
                interrupted_error(url, why),
                causes.iter().map(String::as_str),
            )
            .note(format!("while fetching `{url}`"))
            .help("try again; the partial response was discarded")
        }
        TransportError::Stalled(silence) => {
            let why = format!("almost no data for {} s", silence.as_secs_f64());
            interrupted_error(url, &why)
                .note(format!("while fetching `{url}`"))
                .help("try again later; the partial response was discarded")
        }
        TransportError::Untrusted(fault) => {
            let error = Error::network(format!("failed to connect to `{}`", host_name(url)));
            let error = fault.explain(error.cause(fault.cause()));
            error.note(format!("while fetching `{url}`"))
        }
        TransportError::Status {
            status: 401 | 403,
            challenges,
            ..
        } => match unsupported_schemes(challenges) {
            Some(schemes) => Error::network(format!(
                "failed to authenticate with `{url}`: unsupported method {schemes}"
            ))
            .note("supported are user and password, tokens, `http.extraHeader` and client certificates")
            .help("use a token or ssh; `git ls-remote` may work, as git knows more methods"),
            None => access_denied(url, login),
        },
        // Hosts hide private repositories behind "not found".
        TransportError::Status {
            status: 404 | 410, ..
        } => repository_not_found(url, login),
        TransportError::Status { status, .. } => {
            interrupted_error(url, &format!("HTTP status {status}"))
                .note(format!("while fetching `{url}`"))
        }
        TransportError::Redirect(why) => {
            Error::network(format!("failed to fetch `{url}`: {}", scrub(why)))
                .help("if the repository has moved, use its new URL")
        }
        TransportError::TooLarge => Error::integrity(format!(
            "refusing to fetch `{url}`: the response is too large"
        ))
        .note("the response was discarded"),
    }
}

fn unreachable_error(url: &GitUrl, causes: &[String]) -> Error {
    let error = Error::network(format!("failed to connect to `{}`", host_name(url)));
    // The outer causes only say that there is an inner one.
    let inner = &causes[causes.len().saturating_sub(2)..];
    with_causes(error, inner.iter().map(String::as_str))
        .note(format!("while fetching `{url}`"))
        .help("check the network; behind a proxy, set `HTTPS_PROXY` or `git config --global http.proxy`")
        .help("use `--offline` to work with cached data")
}

fn interrupted_error(url: &GitUrl, why: &str) -> Error {
    Error::network(format!("failed to fetch from `{}`: {why}", host_name(url)))
}

fn access_denied(url: &GitUrl, login: LoginOutcome) -> Error {
    match login {
        LoginOutcome::Refused => Error::network(format!("failed to authenticate with `{url}`: the credentials were rejected"))
            .help("the credentials may have expired; `git credential reject` makes the helper forget them")
            .help(format!("`git ls-remote {url}` shows whether git itself can read it")),
        LoginOutcome::TokenRefused => Error::network(format!("failed to authenticate with `{url}`: the stored token was rejected"))
            .help(format!("run `skillpm login --registry git+{url}` to store a new one")),
        LoginOutcome::NetrcRefused => Error::network(format!("failed to authenticate with `{url}`: the login of `~/.netrc` was rejected"))
            .help("correct its line in `~/.netrc`, or the file that `NETRC` names")
            .help(format!("`git ls-remote {url}` shows whether git itself can read it")),
        LoginOutcome::Withheld => Error::network(format!("`{url}` requires credentials, which are never sent unencrypted"))
            .help("use `https://` or ssh"),
        // Many hosts ask for a login where there is no such repository, so both are suggested.
        LoginOutcome::NothingGiven => suggest_ssh(
            url,
            Error::network(format!("`{url}` not found or requires credentials, and the credential helper provided no user and password"))
                .note("what a helper answers as `authtype` is not supported")
                .help(format!("check the URL, or log in with git once: `git ls-remote {url}`")),
        ),
        LoginOutcome::NoHelper => suggest_ssh(
            url,
            Error::network(format!(
                "`{url}` not found or requires credentials, and no credential helper is configured"
            ))
            .help("check the URL, or set up a credential helper of git, such as `gh auth setup-git` for GitHub"),
        ),
        LoginOutcome::NotAsked => Error::network(format!("failed to fetch `{url}`: access denied")),
    }
}

/// The methods that the host asks for, if it accepts none that we have.
pub(super) fn unsupported_schemes(challenges: &[String]) -> Option<String> {
    const UNSUPPORTED: [&str; 4] = ["Negotiate", "NTLM", "Kerberos", "Digest"];
    let all = challenges.join(", ").to_ascii_lowercase();
    // One header may have several challenges.
    if ["basic", "bearer"].iter().any(|known| all.contains(known)) {
        return None;
    }

    let mut found = Vec::new();
    for challenge in challenges {
        let scheme = challenge.split([' ', ',']).next().unwrap_or_default();
        let name = UNSUPPORTED
            .iter()
            .find(|name| scheme.eq_ignore_ascii_case(name))?;
        let text = format!("`{name}`");
        if !found.contains(&text) {
            found.push(text);
        }
    }
    (!found.is_empty()).then(|| found.join(" or "))
}

fn repository_not_found(url: &GitUrl, login: LoginOutcome) -> Error {
    let error = Error::network(format!("repository `{url}` not found")).help("check the URL");
    match login {
        LoginOutcome::NotAsked => suggest_ssh(
            url,
            error.note("some hosts respond this way for private repositories without login, too"),
        ),
        _ => error.note("the configured credentials may not have access to it"),
    }
}

/// Suggests the ssh URL of the same repository, if the host is likely to have one.
fn suggest_ssh(url: &GitUrl, error: Error) -> Error {
    match url.as_str().strip_prefix("https://") {
        // A port of HTTPS is not that of ssh.
        Some(rest) if !rest.contains(':') => {
            error.help(format!("with an ssh key, use `ssh://git@{rest}`"))
        }
        _ => error,
    }
}

/// The error for any other network operation of gix.
pub(super) fn gix_error(url: &GitUrl, cause: &gix::Error) -> Error {
    // A full disk looks like a failed fetch, but is not the fault of the host.
    if has_io_kind(cause, is_disk_error) {
        let error = Error::disk(format!("failed to write objects fetched from `{url}`"));
        return with_gix_causes(error, cause)
            .help("check the free space below `SKILLPM_HOME`, and run the command again");
    }

    let error = if url.scheme() == "ssh" {
        ssh_error(url, cause)
    } else {
        Error::network(format!("failed to fetch `{url}`")).help(format!(
            "`git ls-remote {url}` shows whether git itself can read it"
        ))
    };
    with_gix_causes(error, cause)
}

/// The error for ssh, by the reason that `ssh.rs` found in what ssh prints.
fn ssh_error(url: &GitUrl, cause: &gix::Error) -> Error {
    let no_program = cause.iter_errors().any(|error| {
        matches!(
            error.downcast_ref(),
            Some(gix::protocol::transport::client::Error::InvokeProgram { .. })
        )
    });
    if no_program {
        return Error::network("failed to start ssh")
            .note(format!("while fetching `{url}`"))
            .help("install an ssh client, or configure one with `git config --global core.sshCommand`");
    }

    let host = host_name(url);
    let refused = has_io_kind(cause, |kind| kind == ErrorKind::PermissionDenied);
    if refused || cause.is_unauthenticated() {
        return Error::network(format!("failed to authenticate with `{host}` over ssh"))
            .note(format!("while fetching `{url}`"))
            .help("ssh cannot prompt here: the key must be in the ssh agent (`ssh-add -l`) or need no passphrase")
            .help(format!("`git ls-remote {url}` shows whether git itself can read it"));
    }

    let is_unreachable = |kind| {
        matches!(
            kind,
            ErrorKind::ConnectionRefused | ErrorKind::ConnectionReset | ErrorKind::NotFound
        )
    };
    if has_io_kind(cause, is_unreachable) {
        return Error::network(format!("failed to connect to `{host}`"))
            .note(format!("while fetching `{url}`"))
            .help("check the host name and the network");
    }

    if has_io_kind(cause, |kind| kind == ErrorKind::UnexpectedEof) {
        return interrupted_error(url, "the connection was interrupted")
            .note(format!("while fetching `{url}`"))
            .help("try again; the partial response was discarded");
    }

    // Closed without output: an unknown host key, or a shell without git.
    Error::network(format!("failed to connect to `{host}`: ssh exited before git responded"))
        .note(format!("while fetching `{url}`"))
        .help("check the host's key (`ssh-keygen -F HOST`), and that the key in the ssh agent may log in (`ssh-add -l`)")
        .help(format!("`git ls-remote {url}` shows whether git itself can read it"))
}

/// Whether one of the causes is an I/O error of such a kind.
pub(super) fn has_io_kind(cause: &gix::Error, is_meant: impl Fn(ErrorKind) -> bool) -> bool {
    cause
        .iter_errors()
        .filter_map(|error| error.downcast_ref::<std::io::Error>())
        .any(|error| is_meant(error.kind()))
}

/// Whether this error kind can only come from the local disk.
fn is_disk_error(kind: ErrorKind) -> bool {
    matches!(
        kind,
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem
    )
}

/// The error for an object that unpacks to more than `limit` bytes.
pub(super) fn oversized_object(url: &GitUrl, limit: usize) -> Error {
    Error::integrity(format!(
        "refusing to fetch `{url}`: it sends an object of more than {limit} bytes"
    ))
    .note("the response was discarded")
}

/// The error message of a server in git's protocol (`ERR …`), if there is one.
///
/// gix treats such a line as an error in some places, and as an unknown line in others.
pub(super) fn server_message(cause: &gix::Error) -> Option<String> {
    cause.iter_errors().find_map(find_server_message)
}

fn find_server_message(error: &(dyn std::error::Error + 'static)) -> Option<String> {
    if let Some(said) = error.downcast_ref::<gix::protocol::transport::packetline::read::Error>() {
        return Some(said.message.to_string());
    }

    // In the other places the line is only in the text of the error.
    let text = error.to_string();
    let (_, said) = text.split_once("ERR ")?;
    Some(
        said.trim_end_matches(['"', '\n'])
            .trim_end_matches("\\n")
            .to_owned(),
    )
}

/// A message of the host, as a note.
pub(super) fn quote_host(said: &str) -> String {
    format!("the host says: {}", scrub(said).trim().escape_debug())
}

/// The error for `what` that is not cached while offline.
pub(super) fn offline_error(url: &GitUrl, what: &str) -> Error {
    Error::network(format!(
        "cannot fetch {what} of `{url}`: not cached, and network access is disabled (`--offline`)"
    ))
    .help("run the command once without `--offline`")
}

/// The error for an invalid git configuration of the user.
pub(super) fn configuration_error(cause: &gix::Error) -> Error {
    with_gix_causes(
        Error::new(FailureKind::Usage, "failed to read the git configuration"),
        cause,
    )
    .help("`git config --list --show-origin` shows how git reads it")
}

/// Adds the errors of gix as causes, outermost first, without secrets.
pub(super) fn with_gix_causes(error: Error, cause: &gix::Error) -> Error {
    let texts: Vec<String> = cause.iter_errors().map(ToString::to_string).collect();
    with_causes(error, texts.iter().map(String::as_str))
}

fn with_causes<'a>(mut error: Error, causes: impl Iterator<Item = &'a str>) -> Error {
    let mut shown: Vec<String> = Vec::new();
    for cause in causes {
        // The text may be the host's, and could carry escape sequences.
        let text = normalize_message(cause);
        // gix often repeats an inner message in the outer one.
        if text.is_empty() || shown.iter().any(|before| before.contains(&text)) {
            continue;
        }
        if shown.len() == CAUSES_MAX {
            break;
        }
        error = error.cause(text.clone());
        shown.push(text);
    }
    error
}

/// Normalizes a third-party message to our style: one line, lower case first, no full stop, nothing secret or
/// unprintable.
fn normalize_message(text: &str) -> String {
    let line: String = scrub(text)
        .lines()
        .next()
        .unwrap_or_default()
        .trim()
        .trim_end_matches('.')
        .chars()
        .take(300)
        .collect();

    let line: String = line
        .chars()
        .flat_map(|c| {
            if c.is_control() {
                c.escape_default().collect()
            } else {
                vec![c]
            }
        })
        .collect();

    let mut letters = line.chars();
    match (letters.next(), letters.next()) {
        // An acronym (`HTTP`, `IO`) stays as it is.
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(line.chars().skip(1)).collect()
        }
        _ => line,
    }
}

/// The text with everything between `//` and `@` hidden.
pub(super) fn scrub(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//") {
        let (before, after) = rest.split_at(at + 2);
        clean.push_str(before);

        // Up to the end of the authority: an `@` further on is part of a path.
        let end = after
            .find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c))
            .unwrap_or(after.len());
        match after[..end].rfind('@') {
            // The ssh user `git` is not a secret; any other user may be a token.
            Some(sign) if &after[..sign] == "git" => clean.push_str("git"),
            Some(_) => clean.push_str("***"),
            None => {}
        }
        // On from the `@`, which is shown.
        rest = &after[after[..end].rfind('@').unwrap_or(0)..];
    }
    clean + rest
}

fn host_name(url: &GitUrl) -> String {
    url.host().unwrap_or_else(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_remains_in_a_third_party_message() {
        for text in [
            "could not read https://user:CANARY@host/a",
            "https://CANARY@host",
            "a https://ok/x then \"http://u:CANARY@h:1/y\" and ssh://CANARY:x@h/z",
            "proxy http://u:p@CANARY@h failed",
        ] {
            assert!(!scrub(text).contains("CANARY"), "{}", scrub(text));
        }
        assert_eq!(scrub("https://user:x@host/a b"), "https://***@host/a b");
        assert_eq!(scrub("ssh://git@host/a"), "ssh://git@host/a");
        assert_eq!(scrub("mail a@b // c@d"), "mail a@b // c@d");
    }

    #[test]
    fn third_party_messages_are_normalized() {
        assert_eq!(
            normalize_message("Could not do it.\nSecond line"),
            "could not do it"
        );
        assert_eq!(normalize_message("HTTP status 500"), "HTTP status 500");
        assert_eq!(normalize_message("a\u{1b}[31mb"), "a\\u{1b}[31mb");
    }

    #[test]
    fn every_answer_of_a_host_names_the_repository_and_what_is_missing() {
        let url: GitUrl = "https://github.com/acme/private".parse().unwrap();
        let status = |status| TransportError::Status {
            status,
            url: url.to_string(),
            challenges: vec![],
        };
        for (fault, login, expected) in [
            (
                status(401),
                LoginOutcome::NoHelper,
                "no credential helper is configured",
            ),
            (
                status(401),
                LoginOutcome::NothingGiven,
                "helper provided no user and password",
            ),
            (
                status(401),
                LoginOutcome::Refused,
                "credentials were rejected",
            ),
            (
                status(404),
                LoginOutcome::NotAsked,
                "ssh://git@github.com/acme/private",
            ),
            (status(500), LoginOutcome::NotAsked, "HTTP status 500"),
            (
                TransportError::Unreachable(vec!["dns error".into()]),
                LoginOutcome::NotAsked,
                "HTTPS_PROXY",
            ),
        ] {
            let error = http_error(&url, &fault, login);
            assert_eq!(error.kind(), FailureKind::Network);
            let text = format!("{error:?}");
            assert!(
                text.contains(expected) && text.contains("acme/private"),
                "{text}"
            );
        }
    }
}
