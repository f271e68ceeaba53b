//! The policy for URLs: allowed schemes, hosts and redirects.

use std::net::IpAddr;

use reqwest::header::HeaderMap;
use url::Url;

use crate::http::{self, AddressScope, RedirectError, RedirectFault};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::GitUrl;

/// Refuses unencrypted connections to another machine, before a name is resolved or a process started.
///
/// `real` is `url` as rewritten by the user's git configuration (`url.<base>.insteadOf`).
pub(super) fn check_url(url: &GitUrl, real: &gix::Url, allow_http: bool) -> Result<()> {
    use gix::url::Scheme;

    match &real.scheme {
        Scheme::Https | Scheme::Ssh | Scheme::File => return Ok(()),
        Scheme::Http if allow_http || real.host().is_some_and(is_loopback) => return Ok(()),
        _ => {}
    }

    let spelling = real.to_bstring().to_string();
    // Not rewritten, so the URL itself has to change.
    if spelling == url.as_str() {
        let secure = spelling.replacen("http://", "https://", 1);
        return Err(Error::usage(format!(
            "refusing to connect to `{url}`: it is not encrypted"
        ))
        .help(format!(
            "use `{secure}`, or allow it with `--config net.allow-http=true`"
        )));
    }

    let real = super::failure::scrub(&spelling);
    Err(Error::usage(format!(
        "refusing to fetch `{url}` from `{real}`: it is not encrypted"
    ))
    .note("the git configuration rewrites it (`url.<base>.insteadOf`)")
    .help(r"`git config --show-origin --get-regexp '^url\.'` shows where"))
}

/// The target of a redirect, by the rules of all downloads.
pub(super) fn redirect_target(from: &Url, headers: &HeaderMap) -> Result<Url, RedirectError> {
    // The scope is that of the spelling: behind a proxy, the peer is not the host.
    let to = http::redirect_target(from, headers, AddressScope::from_host(from))?;

    // `http` was allowed for the first machine, so also for the next; a local server may only redirect locally.
    let is_local = http::is_loopback_host;
    if to.scheme() == "http" && is_local(from) && !is_local(&to) {
        return Err(RedirectError::Refused {
            target: to.into(),
            fault: RedirectFault::Unencrypted,
        });
    }
    Ok(to)
}

/// Scheme, host and port: what credentials are bound to.
pub(super) fn origin(url: &str) -> Option<String> {
    let url = Url::parse(url).ok()?;
    Some(format!(
        "{}://{}:{}",
        url.scheme(),
        url.host_str()?,
        url.port_or_known_default()?
    ))
}

/// Whether credentials may be sent there: over TLS, or without leaving this machine.
pub(super) fn may_carry_secrets(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    url.scheme() == "https" || url.host_str().is_some_and(is_loopback)
}

/// Whether requests to a URL never leave this machine, and are not encrypted.
pub(super) fn is_unencrypted_loopback(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else {
        return false;
    };
    url.scheme() == "http" && url.host_str().is_some_and(is_loopback)
}

fn is_loopback(host: &str) -> bool {
    match host.trim_matches(['[', ']']).parse::<IpAddr>() {
        // `::ffff:127.0.0.1` is a loopback address, too.
        Ok(address) => address.to_canonical().is_loopback(),
        Err(_) => host == "localhost",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::LOCATION;
    use skillpm_core::error::FailureKind;

    fn refusal(url: &str, real: &str) -> Option<Error> {
        check_url(
            &url.parse().unwrap(),
            &gix::url::parse(real).unwrap(),
            false,
        )
        .err()
    }

    #[test]
    fn plain_http_stays_on_this_machine() {
        for url in [
            "http://127.0.0.1:8080/a",
            "http://localhost/a",
            "http://[::1]:1/a",
            "http://127.9.9.9/a",
        ] {
            assert!(refusal(url, url).is_none(), "{url}");
        }
        for url in [
            "http://host/a",
            "http://10.0.0.1/a",
            "http://127.0.0.1.evil.test/a",
            "http://localhost.evil.test/a",
        ] {
            let error = refusal(url, url).unwrap();
            assert_eq!(error.kind(), FailureKind::Usage);
            assert!(check_url(&url.parse().unwrap(), &gix::url::parse(url).unwrap(), true).is_ok());
        }
    }

    #[test]
    fn a_rewrite_cannot_weaken_the_scheme() {
        for real in [
            "http://host/a",
            "git://host/a",
            "ext::sh -c id",
            "ftp://host/a",
        ] {
            assert!(refusal("https://host/a", real).is_some(), "{real}");
        }
        let error = refusal("https://host/a", "http://user:CANARY@host/a").unwrap();
        assert!(format!("{error:?}").contains("insteadOf"));
        assert!(!format!("{error:?}").contains("CANARY"));
        assert!(refusal("https://host/a", "https://mirror/a").is_none());
        assert!(refusal("https://host/a", "http://127.0.0.1/a").is_none());
    }

    #[test]
    fn redirects_to_local_or_unencrypted_urls_are_refused() {
        let is_followed = |from: &str, to: &str| {
            let headers = HeaderMap::from_iter([(LOCATION, to.parse().unwrap())]);
            redirect_target(&from.parse().unwrap(), &headers).is_ok()
        };
        assert!(is_followed("https://a.test/x", "https://b.test/x"));
        assert!(is_followed("http://127.0.0.1:1/x", "http://127.0.0.1:2/x"));
        assert!(is_followed("http://127.0.0.1:1/x", "https://b.test/x"));
        for to in [
            "http://a.test/x",
            "ftp://a.test/x",
            "file:///etc/passwd",
            "https://127.0.0.1/x",
            "https://localhost/x",
            "https://[::ffff:127.0.0.1]/x",
            "https://169.254.169.254/latest",
            "https://10.1.2.3/x",
            "https://100.64.0.1/x",
            "https://[64:ff9b::7f00:1]/x",
            "https://u:p@b.test/x",
        ] {
            assert!(!is_followed("https://a.test/x", to), "{to}");
        }
        assert!(!is_followed("http://127.0.0.1:1/x", "http://b.test/x"));
    }

    #[test]
    fn secrets_are_bound_to_scheme_host_and_port() {
        assert_eq!(origin("https://h/a/b"), origin("https://h:443/c"));
        assert_ne!(origin("https://h/a"), origin("https://h:444/a"));
        assert_ne!(origin("https://h/a"), origin("http://h/a"));
        assert!(may_carry_secrets("https://h/a") && may_carry_secrets("http://127.0.0.1:1/a"));
        assert!(!may_carry_secrets("http://h/a"));
    }
}
