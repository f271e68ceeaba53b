//! From what gix, reqwest and ssh say to what a person needs to know: which repository, what went wrong, what is
//! missing on this side.

use std::io::ErrorKind;

use super::http::Trouble;
use crate::error::{Error, Kind};
use crate::package::GitUrl;

/// Most causes that are shown of one failure.
const CAUSES_MAX: usize = 4;

/// What the credential helpers said when the host asked for credentials.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Login {
    /// The host did not ask.
    NotAsked,
    /// No helper is configured.
    NoHelper,
    /// The helpers gave nothing.
    NothingGiven,
    /// What they gave was refused.
    Refused,
    /// The token that is kept for the repository was refused, and they gave nothing.
    TokenRefused,
    /// They were not asked, as the secret would have crossed the network in clear text.
    Withheld,
}

/// The failure of an HTTP request.
pub(super) fn http(url: &GitUrl, trouble: &Trouble, login: Login) -> Error {
    match trouble {
        // The outer causes only say that there is an inner one.
        Trouble::Unreachable(causes) => with_causes(
            Error::network(format!("`{}` could not be reached", host(url))),
            causes[causes.len().saturating_sub(2)..].iter().map(String::as_str),
        )
        .note(format!("while fetching `{url}`"))
        .help("check the network; behind a proxy, set `HTTPS_PROXY` or `git config --global http.proxy`")
        .help("with `--offline`, what was fetched before is used"),
        Trouble::Broken(causes) => {
            with_causes(Error::network(format!("`{}` stopped answering", host(url))), causes.iter().map(String::as_str))
                .note(format!("while fetching `{url}`"))
                .help("try again; nothing of the broken answer is kept")
        }
        Trouble::Stalled(silence) => {
            let silence = silence.as_secs_f64();
            Error::network(format!("`{}` sent next to nothing for {silence} s", host(url)))
                .note(format!("while fetching `{url}`"))
                .help("try again later; nothing of the broken answer is kept")
        }
        Trouble::Status { status: 401 | 403, .. } => denied(url, login),
        Trouble::Status { status: 404 | 410, .. } => not_found(url, login),
        Trouble::Status { status, .. } => Error::network(format!("`{}` answered with HTTP status {status}", host(url)))
            .note(format!("while fetching `{url}`")),
        Trouble::Redirect(why) => Error::network(format!("`{url}` was not fetched: {}", scrub(why)))
            .help("if the repository has moved, use its new URL"),
        Trouble::TooLarge => Error::integrity(format!("`{url}` sends more than any collection of skills can have"))
            .note("nothing of it is kept"),
    }
}

fn denied(url: &GitUrl, login: Login) -> Error {
    match login {
        Login::Refused => Error::network(format!("`{url}` refuses the credentials it was given"))
            .help("they may have expired; `git credential reject` makes the helper forget them")
            .help(format!("`git ls-remote {url}` shows whether git itself can read it")),
        Login::TokenRefused => Error::network(format!("`{url}` refuses the token that is kept for it"))
            .help(format!("`skillpm login --registry git+{url}` keeps another one")),
        Login::Withheld => Error::network(format!("`{url}` needs credentials, which are never sent unencrypted"))
            .help("use `https://` or ssh"),
        Login::NothingGiven => or_ssh(
            url,
            Error::network(format!("`{url}` does not exist or needs credentials, and the credential helper gave none"))
                .help(format!("check its spelling, or log in with git once: `git ls-remote {url}`")),
        ),
        Login::NoHelper => or_ssh(
            url,
            Error::network(format!(
                "`{url}` does not exist or needs credentials, and no credential helper is configured"
            ))
            .help("check its spelling, or set a helper up: `git config --global credential.helper store`"),
        ),
        Login::NotAsked => Error::network(format!("`{url}` may not be read by you")),
    }
}

fn not_found(url: &GitUrl, login: Login) -> Error {
    let error = Error::network(format!("`{url}` was not found")).help("check its spelling");
    match login {
        Login::NotAsked => {
            or_ssh(url, error.note("some hosts answer so, too, when a repository is private and nobody has logged in"))
        }
        _ => error.note("the credentials of this machine may not be allowed to see it"),
    }
}

/// Adds the ssh URL of the same repository, where a host is likely to have one.
fn or_ssh(url: &GitUrl, error: Error) -> Error {
    match url.as_str().strip_prefix("https://") {
        Some(rest) if !rest.contains(':') => error.help(format!("with an ssh key, use `ssh://git@{rest}`")),
        _ => error,
    }
}

/// The failure of anything else that gix does over the network.
pub(super) fn other(url: &GitUrl, cause: &gix::Error) -> Error {
    let kinds =
        || cause.iter_errors().filter_map(|error| error.downcast_ref::<std::io::Error>()).map(std::io::Error::kind);
    if kinds().any(is_of_the_disk) {
        let error = Error::disk(format!("what was fetched of `{url}` could not be written"));
        return with_gix_causes(error, cause).help("see to the space below `SKILLPM_HOME`, and run the command again");
    }
    let is_ssh = url.scheme() == "ssh";
    let no_program = cause.iter_errors().any(|error| {
        matches!(error.downcast_ref(), Some(gix::protocol::transport::client::Error::InvokeProgram { .. }))
    });
    let refused = kinds().any(|kind| kind == ErrorKind::PermissionDenied) || cause.is_unauthenticated();
    let unreachable = kinds().any(|kind| matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::NotFound));
    let error = if is_ssh && no_program {
        Error::network("ssh could not be started")
            .note(format!("while fetching `{url}`"))
            .help("install an ssh client, or name one with `git config --global core.sshCommand`")
    } else if is_ssh && refused {
        Error::network(format!("`{}` refused the login", host(url)))
            .note(format!("while fetching `{url}`"))
            .help("ssh may ask for nothing here: the key must be in the ssh agent (`ssh-add -l`) or need no passphrase")
            .help(format!("`git ls-remote {url}` shows whether git itself can read it"))
    } else if is_ssh && unreachable {
        Error::network(format!("`{}` could not be reached", host(url)))
            .note(format!("while fetching `{url}`"))
            .help("check the host's name and the network")
    } else if is_ssh {
        // Gone before a word: a host key that is not the known one, or a shell that does not know git.
        Error::network(format!("ssh to `{}` ended before git could speak", host(url)))
            .note(format!("while fetching `{url}`"))
            .help("check the host's key (`ssh-keygen -F HOST`), and that the key in the ssh agent may log in (`ssh-add -l`)")
            .help(format!("`git ls-remote {url}` shows whether git itself can read it"))
    } else {
        Error::network(format!("`{url}` could not be fetched"))
            .help(format!("`git ls-remote {url}` shows whether git itself can read it"))
    };
    with_gix_causes(error, cause)
}

/// Whether that can only be this machine's disk.
fn is_of_the_disk(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::ReadOnlyFilesystem)
}

/// Something in the answer unpacks to more than `limit` bytes.
pub(super) fn bomb(url: &GitUrl, limit: usize) -> Error {
    Error::integrity(format!("`{url}` sends an object of more than {limit} bytes")).note("nothing of it is kept")
}

/// What a server said in git's own protocol, where it answered with an error.
///
/// gix knows such a line as an error in some places and complains of it as an unknown line in others.
pub(super) fn server_message(cause: &gix::Error) -> Option<String> {
    cause.iter_errors().find_map(|error| {
        if let Some(said) = error.downcast_ref::<gix::protocol::transport::packetline::read::Error>() {
            return Some(said.message.to_string());
        }
        let text = error.to_string();
        let (_, said) = text.split_once("ERR ")?;
        Some(said.trim_end_matches(['"', '\n']).trim_end_matches("\\n").to_owned())
    })
}

/// What a host said, as a note.
pub(super) fn quote(said: &str) -> String {
    format!("the host says: {}", scrub(said).trim().escape_debug())
}

/// The network is off, and `what` is not here.
pub(super) fn offline(url: &GitUrl, what: &str) -> Error {
    Error::network(format!("{what} of `{url}` is not in the cache, and the network is off"))
        .help("run it once without `--offline`")
}

/// The user's git configuration cannot be used.
pub(super) fn configuration(cause: &gix::Error) -> Error {
    with_gix_causes(Error::new(Kind::Usage, "the git configuration cannot be read"), cause)
        .help("`git config --list --show-origin` shows what git makes of it")
}

/// Adds what gix says, outermost first, without what may be secret.
pub(super) fn with_gix_causes(error: Error, cause: &gix::Error) -> Error {
    let texts: Vec<String> = cause.iter_errors().map(ToString::to_string).collect();
    with_causes(error, texts.iter().map(String::as_str))
}

fn with_causes<'a>(mut error: Error, causes: impl Iterator<Item = &'a str>) -> Error {
    let mut shown: Vec<String> = Vec::new();
    for cause in causes {
        let text = sentence(cause);
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

/// A foreign message in the house's style: one line, lower case first, no full stop, nothing secret or unprintable.
fn sentence(text: &str) -> String {
    let line: String =
        scrub(text).lines().next().unwrap_or_default().trim().trim_end_matches('.').chars().take(300).collect();
    let line: String =
        line.chars().flat_map(|c| if c.is_control() { c.escape_default().collect() } else { vec![c] }).collect();
    let mut letters = line.chars();
    match (letters.next(), letters.next()) {
        // An acronym (`HTTP`, `IO`) stays as it is.
        (Some(first), Some(second)) if !second.is_uppercase() => {
            first.to_lowercase().chain(line.chars().skip(1)).collect()
        }
        _ => line,
    }
}

/// The text with whatever stands between `//` and `@` hidden.
pub(super) fn scrub(text: &str) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find("//") {
        let (before, after) = rest.split_at(at + 2);
        clean.push_str(before);
        let end = after.find(|c: char| c.is_whitespace() || "/?#\"'`<>".contains(c)).unwrap_or(after.len());
        match after[..end].rfind('@') {
            // A user alone is no secret where ssh needs one, yet over https it may be a token.
            Some(sign) if &after[..sign] == "git" => clean.push_str("git"),
            Some(_) => clean.push_str("***"),
            None => {}
        }
        rest = &after[after[..end].rfind('@').unwrap_or(0)..];
    }
    clean + rest
}

fn host(url: &GitUrl) -> String {
    url.host().unwrap_or_else(|| url.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_secret_survives_in_a_foreign_message() {
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
    fn foreign_messages_are_put_into_the_house_style() {
        assert_eq!(sentence("Could not do it.\nSecond line"), "could not do it");
        assert_eq!(sentence("HTTP status 500"), "HTTP status 500");
        assert_eq!(sentence("a\u{1b}[31mb"), "a\\u{1b}[31mb");
    }

    #[test]
    fn every_answer_of_a_host_names_the_repository_and_what_is_missing() {
        let url: GitUrl = "https://github.com/acme/private".parse().unwrap();
        let status = |status| Trouble::Status { status, url: url.to_string(), challenges: vec![] };
        for (trouble, login, told) in [
            (status(401), Login::NoHelper, "credential.helper"),
            (status(401), Login::NothingGiven, "helper gave none"),
            (status(401), Login::Refused, "refuses the credentials"),
            (status(404), Login::NotAsked, "ssh://git@github.com/acme/private"),
            (status(500), Login::NotAsked, "HTTP status 500"),
            (Trouble::Unreachable(vec!["dns error".into()]), Login::NotAsked, "HTTPS_PROXY"),
        ] {
            let error = http(&url, &trouble, login);
            assert_eq!(error.kind(), Kind::Network);
            let text = format!("{error:?}");
            assert!(text.contains(told) && text.contains("acme/private"), "{text}");
        }
    }
}
