//! Access control over HTTP: pages in a browser are refused, whatever host name they use (DNS rebinding), and if a token
//! is set, so are requests without it.

use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName, StatusCode, Uri, header};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use skillpm_core::package::Sha256Digest;

/// Host names of the loopback.
// The address is not enough: with DNS rebinding, a page reaches 127.0.0.1 under a name of its own.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "::1"];

/// The allowed hosts, and the token.
#[derive(Debug, Clone)]
pub(super) struct RequestGuard {
    hosts: Vec<String>,
    /// Digest of the token: digests compare in constant time with respect to the token.
    token: Option<Sha256Digest>,
    /// Whether there are pages for people.
    has_pages: bool,
}

impl RequestGuard {
    pub(super) fn new(hosts: Vec<String>, token: Option<&str>) -> Self {
        RequestGuard {
            hosts,
            token: token.map(|token| Sha256Digest::hash_bytes(token.as_bytes())),
            has_pages: false,
        }
    }

    /// The same for a server that has pages for people, or has not.
    pub(super) fn with_pages(self, has_pages: bool) -> Self {
        RequestGuard { has_pages, ..self }
    }

    /// Whether the token may be the password of a request for a path: for pages only. A browser sends a password with every
    /// request, also with one that another site causes, so that it is not enough for what changes anything.
    pub(super) fn allows_passwords(&self, path: &str) -> bool {
        self.has_pages && !is_for_programs(path)
    }

    /// Why a request with these headers is refused, if it is.
    pub(super) fn refusal(
        &self,
        headers: &HeaderMap,
        uri: &Uri,
    ) -> Option<(StatusCode, &'static str)> {
        if let Some(fault) = find_ambiguity(headers, uri) {
            return Some((StatusCode::BAD_REQUEST, fault));
        }

        // A request may name its host in the target alone, as over HTTP/2.
        let target = uri.authority().map(Authority::as_str);
        let host = header_text(headers, &header::HOST).or(target);
        if !host.is_some_and(|host| self.allows_authority(host)) {
            return Some((StatusCode::FORBIDDEN, "unknown host name of this server\n"));
        }

        // Programs send no origin; a browser sends one with every request that could do harm.
        let origin = header_text(headers, &header::ORIGIN);
        if !origin.is_none_or(|origin| self.allows_origin(origin)) {
            return Some((StatusCode::FORBIDDEN, "origin not allowed\n"));
        }

        let is_allowed = self.allows_bearer(headers)
            || self.allows_passwords(uri.path()) && self.has_password(headers);
        (!is_allowed).then_some((StatusCode::UNAUTHORIZED, "a bearer token is required\n"))
    }

    /// Whether a request has the token as a password, as browsers send it; the name of the user does not matter.
    fn has_password(&self, headers: &HeaderMap) -> bool {
        let decode = |value: &str| {
            let (scheme, given) = value.split_once(' ')?;
            let is_basic = scheme.eq_ignore_ascii_case("basic");
            let decoded = is_basic.then(|| BASE64_STANDARD.decode(given.trim()).ok())??;
            let colon = decoded.iter().position(|byte| *byte == b':')?;
            Some(Sha256Digest::hash_bytes(&decoded[colon + 1..]))
        };

        let given = header_text(headers, &header::AUTHORIZATION).and_then(decode);
        given.is_some() && given == self.token
    }

    /// Whether a request has the token, if one is set.
    fn allows_bearer(&self, headers: &HeaderMap) -> bool {
        let Some(token) = &self.token else {
            return true;
        };

        let given = header_text(headers, &header::AUTHORIZATION).and_then(|value| {
            // RFC 9110: the scheme is compared without regard to case.
            let (scheme, given) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then(|| given.trim())
        });
        given.is_some_and(|given| Sha256Digest::hash_bytes(given.as_bytes()) == *token)
    }

    fn allows_origin(&self, origin: &str) -> bool {
        // A page of any scheme but these (`null`, `file:`) has no host that could be allowed.
        let authority = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"));

        authority.is_some_and(|authority| self.allows_authority(authority))
    }

    fn allows_authority(&self, authority: &str) -> bool {
        let Ok(authority) = authority.parse::<Authority>() else {
            return false;
        };
        // `user@host` could make one reader take the user for the host.
        if authority.as_str().contains('@') {
            return false;
        }

        // IPv6 addresses are in brackets there, and without them in the list.
        let host = authority
            .host()
            .trim_start_matches('[')
            .trim_end_matches(']');

        let known = LOOPBACK
            .iter()
            .copied()
            .chain(self.hosts.iter().map(String::as_str));

        known
            .into_iter()
            .any(|known| known.eq_ignore_ascii_case(host))
    }
}

/// Whether a path is one of those of [`super::http`] for programs.
fn is_for_programs(path: &str) -> bool {
    ["/mcp", "/catalog.json", "/.well-known"]
        .iter()
        .any(|program| path == *program || path.starts_with(&format!("{program}/")))
}

/// What a reader of the request could take in two ways.
fn find_ambiguity(headers: &HeaderMap, uri: &Uri) -> Option<&'static str> {
    // Of two values, or of a host in the target and another beside it, we would look at one, and
    // a proxy in front of us at the other.
    if [header::HOST, header::ORIGIN, header::AUTHORIZATION]
        .iter()
        .any(|name| is_repeated(headers, name))
    {
        return Some("duplicate header in the request\n");
    }

    let target = uri.authority()?;
    let host = header_text(headers, &header::HOST)?;
    (!target.as_str().eq_ignore_ascii_case(host))
        .then_some("the request target names another host than its Host header\n")
}

/// The value of a header; empty if it is not visible ASCII.
fn header_text<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    // Empty and not `None`: a header that cannot be read must fail its check, not skip it.
    headers
        .get(name)
        .map(|value| value.to_str().unwrap_or_default())
}

fn is_repeated(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get_all(name).iter().nth(1).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(guard: &RequestGuard, headers: &[(&'static str, &str)]) -> Option<u16> {
        let map = headers.iter().map(|(name, value)| {
            (
                axum::http::HeaderName::from_static(name),
                value.parse::<axum::http::HeaderValue>().unwrap(),
            )
        });
        guard
            .refusal(&map.collect(), &Uri::from_static("/mcp"))
            .map(|(status, _)| status.as_u16())
    }

    #[test]
    fn only_the_names_of_this_machine_are_answered_to() {
        let guard = RequestGuard::new(vec!["box.lan".into()], None);
        for host in [
            "localhost",
            "127.0.0.1:8417",
            "[::1]:8417",
            "LOCALHOST:1",
            "box.lan:80",
        ] {
            assert_eq!(asked(&guard, &[("host", host)]), None, "{host}");
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.nip.io:8417",
            "a@localhost",
            "",
            "local host",
        ] {
            assert_eq!(asked(&guard, &[("host", host)]), Some(403), "{host}");
        }
        assert_eq!(asked(&guard, &[]), Some(403), "no name at all");
    }

    #[test]
    fn a_request_that_names_two_hosts_is_refused() {
        let guard = RequestGuard::new(Vec::new(), Some("s3cret"));
        let token = ("authorization", "Bearer s3cret");
        let status = |target: &'static str, headers: &[(&'static str, &str)]| {
            let mut map = HeaderMap::new();
            for (name, value) in headers {
                map.append(HeaderName::from_static(name), value.parse().unwrap());
            }
            guard
                .refusal(&map, &Uri::from_static(target))
                .map(|(status, _)| status.as_u16())
        };
        let host = ("host", "localhost:1");
        for (target, headers) in [
            ("/mcp", &[host, ("host", "evil.example"), token][..]),
            ("/mcp", &[host, host, token]),
            ("/mcp", &[host, token, token]),
            (
                "/mcp",
                &[
                    host,
                    ("origin", "http://localhost"),
                    ("origin", "null"),
                    token,
                ],
            ),
            ("http://evil.example/mcp", &[host, token]),
            ("http://localhost:2/mcp", &[host, token]),
        ] {
            assert_eq!(status(target, headers), Some(400), "{target} {headers:?}");
        }
        assert_eq!(
            status(
                "http://evil.example/mcp",
                &[("host", "evil.example"), token]
            ),
            Some(403)
        );
        assert_eq!(status("http://LOCALHOST:1/mcp", &[host, token]), None);
        assert_eq!(status("http://localhost:1/mcp", &[token]), None);
    }

    #[test]
    fn password_opens_pages_only_and_only_if_there_are_any() {
        let status = |guard: &RequestGuard, path: &'static str| {
            let mut map = HeaderMap::new();
            map.insert("host", "localhost".parse().unwrap());
            // ann:s3cret
            map.insert("authorization", "Basic YW5uOnMzY3JldA==".parse().unwrap());
            let refused = guard.refusal(&map, &Uri::from_static(path));
            refused.map(|(status, _)| status.as_u16())
        };
        let guard = RequestGuard::new(Vec::new(), Some("s3cret"));
        assert_eq!(status(&guard, "/"), Some(401));
        let guard = guard.with_pages(true);
        assert_eq!(status(&guard, "/skills/pdf/index.html"), None);
        for path in [
            "/mcp",
            "/mcp/",
            "/catalog.json",
            "/.well-known/skills/index.json",
        ] {
            assert_eq!(status(&guard, path), Some(401), "{path}");
        }
        let other = RequestGuard::new(Vec::new(), Some("other")).with_pages(true);
        assert_eq!(status(&other, "/"), Some(401));
    }

    #[test]
    fn pages_of_other_origins_are_refused() {
        let guard = RequestGuard::new(Vec::new(), None);
        for origin in [
            "http://localhost:6274",
            "https://127.0.0.1",
            "http://[::1]:9",
        ] {
            assert_eq!(
                asked(&guard, &[("host", "localhost"), ("origin", origin)]),
                None,
                "{origin}"
            );
        }
        for origin in [
            "null",
            "https://evil.example",
            "http://localhost.evil.example",
            "file://localhost",
            "http://a@localhost",
        ] {
            assert_eq!(
                asked(&guard, &[("host", "localhost"), ("origin", origin)]),
                Some(403),
                "{origin}"
            );
        }
    }

    #[test]
    fn request_without_the_configured_token_is_refused() {
        let guard = RequestGuard::new(Vec::new(), Some("s3cret"));
        let with = |value| asked(&guard, &[("host", "localhost"), ("authorization", value)]);
        assert_eq!((with("Bearer s3cret"), with("bearer s3cret")), (None, None));
        for value in [
            "Bearer s3cre",
            "Bearer s3crett",
            "Basic s3cret",
            "s3cret",
            "Bearer ",
            "",
        ] {
            assert_eq!(with(value), Some(401), "{value}");
        }
        assert_eq!(asked(&guard, &[("host", "localhost")]), Some(401));
    }
}
