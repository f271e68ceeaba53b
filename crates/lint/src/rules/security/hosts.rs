//! Web addresses, and the class of a host.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A web address in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct WebAddress<'a> {
    /// `http`, `https`, `ftp`; in any case.
    pub(super) scheme: &'a str,
    /// The host, without a port.
    pub(super) host: &'a str,
    /// What follows the host and its port.
    pub(super) path: &'a str,
}

/// The class of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum HostClass {
    /// This machine or network, or an address reserved for documentation.
    NonPublic,
    /// A public IP address without a host name.
    RawIp,
    /// A paste site: anyone can publish text anonymously.
    Paste,
    /// A file drop: anyone can publish files for some days.
    Drop,
    /// A request collector: shows the received data to its anonymous owner.
    Catcher,
    /// A tunnel to a private machine.
    Tunnel,
    /// A URL shortener: hides its target.
    Shortener,
    /// A publisher with a well-known installer at this address.
    Known,
    /// Any other.
    Other,
}

impl HostClass {
    /// Whether content of such a host has no known publisher.
    pub(super) fn is_untrusted(self) -> bool {
        matches!(
            self,
            HostClass::RawIp
                | HostClass::Paste
                | HostClass::Drop
                | HostClass::Catcher
                | HostClass::Tunnel
                | HostClass::Shortener
        )
    }

    /// Describes the class, for a message.
    pub(super) fn describe(self) -> &'static str {
        match self {
            HostClass::RawIp => "an IP address without a host name",
            HostClass::Paste => "a paste site",
            HostClass::Drop => "a temporary file host",
            HostClass::Catcher => "an endpoint that collects requests",
            HostClass::Tunnel => "a tunnel to a private machine",
            HostClass::Shortener => "a URL shortener",
            HostClass::NonPublic => "a local or reserved host",
            HostClass::Known => "a well-known publisher",
            HostClass::Other => "an unknown host",
        }
    }
}

include!(concat!(env!("OUT_DIR"), "/security/hosts.rs"));

impl<'a> WebAddress<'a> {
    /// Finds the first address in a text.
    pub(super) fn find(text: &'a str) -> Option<Self> {
        let mut from = 0;
        while let Some(at) = text[from..].find("://") {
            let at = from + at;
            let start = text[..at]
                .rfind(|c: char| !c.is_ascii_alphabetic())
                .map_or(0, |before| {
                    before + text[before..].chars().next().map_or(1, char::len_utf8)
                });

            if let Some(address) = Self::parse_after_scheme(&text[start..at], &text[at + 3..]) {
                return Some(address);
            }
            from = at + 3;
        }
        None
    }

    /// Finds the first IPv4 address without a scheme: downloaders treat it as plain `http`.
    pub(super) fn find_bare_ip(text: &'a str) -> Option<Self> {
        let marks = |c: char| matches!(c, '"' | '\'' | '`');
        text.split_whitespace()
            .map(|word| word.trim_matches(marks))
            .find_map(|word| {
                let host = word.split([':', '/']).next()?;
                // Any other number alone is the value of an option.
                parse_ipv4(host)
                    .filter(|_| host.parse::<Ipv4Addr>().is_ok() || word.contains('/'))?;
                Self::parse_after_scheme("http", word)
            })
    }

    /// Parses the address whose `://` is at this byte.
    pub(super) fn parse_at(text: &'a str, at: usize) -> Option<Self> {
        let start = text[..at]
            .rfind(|c: char| !c.is_ascii_alphabetic())
            .map_or(0, |before| {
                before + text[before..].chars().next().map_or(1, char::len_utf8)
            });
        Self::parse_after_scheme(&text[start..at], text[at..].strip_prefix("://")?)
    }

    fn parse_after_scheme(scheme: &'a str, rest: &'a str) -> Option<Self> {
        let is_web = ["http", "https", "ftp", "ws", "wss", "tcp"]
            .iter()
            .any(|web| scheme.eq_ignore_ascii_case(web));
        // Without a scheme or a host there is no need to find the end, which may be far.
        if !is_web || rest.starts_with('/') {
            return None;
        }

        let end = rest
            .find(|c: char| c.is_whitespace() || "\"'`<>)|,;{}\\".contains(c))
            .unwrap_or(rest.len());
        let rest = &rest[..end];

        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(authority_end);
        // `https://github.com@evil.example/` leads to the host after the last `@`.
        let authority = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        // The colons of an IPv6 address are between brackets.
        let host = match authority.strip_prefix('[') {
            Some(ipv6) => ipv6.split(']').next().unwrap_or(ipv6),
            None => authority.split(':').next().unwrap_or(authority),
        };

        let host = host.trim_end_matches('.');
        (!host.is_empty()).then_some(WebAddress { scheme, host, path })
    }

    /// Returns the class of its host.
    pub(super) fn host_class(&self) -> HostClass {
        let owner = self.path.trim_start_matches('/').to_ascii_lowercase();
        let is_github = [
            "raw.githubusercontent.com",
            "github.com",
            "gist.githubusercontent.com",
        ]
        .iter()
        .any(|host| self.host.eq_ignore_ascii_case(host));
        // On GitHub anyone can publish, so the owner decides and not the host.
        if is_github && KNOWN_OWNERS.iter().any(|known| owner.starts_with(known)) {
            return HostClass::Known;
        }
        classify_host(self.host)
    }

    /// Whether it is an IP address reserved for documentation.
    pub(super) fn is_reserved(&self) -> bool {
        if let Ok(ipv6) = self.host.parse::<Ipv6Addr>() {
            let mapped = ipv6.to_ipv4_mapped();
            return mapped.is_some_and(|ipv4| ipv4.is_documentation())
                || ipv6.segments()[..2] == [0x2001, 0xdb8];
        }
        parse_ipv4(self.host).is_some_and(|ipv4| ipv4.is_documentation())
    }

    /// Whether a download from it can be changed in transit.
    pub(super) fn is_unencrypted(&self) -> bool {
        (self.scheme.eq_ignore_ascii_case("http") || self.scheme.eq_ignore_ascii_case("ftp"))
            && classify_host(self.host) != HostClass::NonPublic
    }
}

/// Whether a host, in lower case, is one of these domains or a subdomain.
pub(super) fn is_in_domain(host: &str, domains: &[&str]) -> bool {
    let is_below = |domain: &&str| {
        host.strip_suffix(*domain)
            .is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
    };
    domains.iter().any(is_below)
}

/// Whether each host in a text is one that texts on attacks use for the attacker, such as `evil.com`, and
/// there is at least one.
pub(super) fn names_only_attackers(text: &str) -> bool {
    const ATTACKERS: [&str; 5] = ["evil", "attacker", "malicious", "hacker", "c2"];
    const ENDINGS: [&str; 3] = ["com", "example", "test"];
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '$');
    let mut pieces = text.split_inclusive(|c: char| !is_part(c)).map(|piece| {
        let name = piece.trim_end_matches(|c: char| !is_part(c));
        (name.trim_matches('.'), piece.ends_with('('))
    });
    let mut has_attacker = false;

    let names_other = pieces.any(|(name, is_call)| {
        let Some((before, ending)) = name.rsplit_once('.').filter(|_| !is_call) else {
            // An address may also be a number, or in a variable.
            return name.contains('$') || is_public_ip(name).is_some();
        };
        let label = before.rsplit('.').next().unwrap_or(before);
        let is_attacker = ATTACKERS.contains(&label) && ENDINGS.contains(&ending);
        has_attacker |= is_attacker;
        !is_attacker
    });
    has_attacker && !names_other
}

/// Classifies a host.
pub(super) fn classify_host(host: &str) -> HostClass {
    if let Some(public) = is_public_ip(host) {
        return if public {
            HostClass::RawIp
        } else {
            HostClass::NonPublic
        };
    }

    let host = host.to_ascii_lowercase();
    let tail = host.rsplit('.').next().unwrap_or_default();
    // A name without a dot, or under one of these, cannot be registered by anyone.
    if !host.contains('.')
        || [
            "local",
            "localhost",
            "internal",
            "test",
            "example",
            "invalid",
            "lan",
        ]
        .contains(&tail)
    {
        // Reserved names count as any other host: examples of attacks use them.
        return if host.contains('.') && ["test", "example", "invalid"].contains(&tail) {
            HostClass::Other
        } else {
            HostClass::NonPublic
        };
    }

    // A tunnel of a known publisher is still a tunnel, so the untrusted hosts come first.
    for (class, hosts) in UNTRUSTED_HOSTS
        .iter()
        .chain([&(HostClass::Known, KNOWN_INSTALLERS)])
    {
        if is_in_domain(&host, hosts) {
            return *class;
        }
    }

    // Paste sites that anyone can host are known by their label only.
    if host.split('.').any(|label| PASTE_LABELS.contains(&label)) {
        HostClass::Paste
    } else {
        HostClass::Other
    }
}

/// Whether a host is a public IP address; `None` if it is a name.
fn is_public_ip(host: &str) -> Option<bool> {
    if let Ok(ipv6) = host.parse::<Ipv6Addr>() {
        if let Some(ipv4) = ipv6.to_ipv4_mapped() {
            return Some(is_public_ipv4(ipv4));
        }
        let [first, second, ..] = ipv6.segments();
        // Only 2000::/3 is assigned to the internet; 2001:db8::/32 of it is for documentation.
        let is_global = (0x2000..0x4000).contains(&first) && !(first == 0x2001 && second == 0xdb8);
        return Some(is_global);
    }

    parse_ipv4(host).map(is_public_ipv4)
}

fn is_public_ipv4(ipv4: Ipv4Addr) -> bool {
    let is_non_public =
        ipv4.is_private() || ipv4.is_loopback() || ipv4.is_link_local() || ipv4.is_documentation();
    !(is_well_known_ip(ipv4) || is_reserved_ip(ipv4) || is_non_public)
}

/// Whether an address is one of a public DNS resolver, or of numbers that people count up for an
/// example.
fn is_well_known_ip(ipv4: Ipv4Addr) -> bool {
    [
        [1, 1, 1, 1],
        [1, 0, 0, 1],
        [8, 8, 8, 8],
        [8, 8, 4, 4],
        [9, 9, 9, 9],
        [1, 2, 3, 4],
        [5, 6, 7, 8],
    ]
    .contains(&ipv4.octets())
}

/// Whether an address is in a range that is not routed on the internet, beside those that the
/// standard library knows.
fn is_reserved_ip(ipv4: Ipv4Addr) -> bool {
    let [a, b, c, _] = ipv4.octets();
    a == 0
        // Multicast, and what is reserved for later.
        || a >= 224
        // Between a provider and its customers.
        || (a == 100 && (64..128).contains(&b))
        // Benchmarks.
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0)
}

/// Parses an IPv4 address in any spelling that browsers and curl accept, by the [host parser]: as one
/// number, with fewer than four parts, and with parts in hexadecimal or octal.
///
/// [host parser]: https://url.spec.whatwg.org/#concept-ipv4-parser
fn parse_ipv4(host: &str) -> Option<Ipv4Addr> {
    if let Ok(ipv4) = host.parse() {
        return Some(ipv4);
    }

    let mut parts = host.split('.').collect::<Vec<_>>();
    let last = parts.pop()?;
    // A short number is a port or a count.
    if parts.len() > 3 || parts.is_empty() && last.len() < 8 {
        return None;
    }

    // The last part has all bytes that the others leave.
    let rest = parse_number(last)?;
    let left = 8 * (4 - u32::try_from(parts.len()).ok()?);
    if left < 32 && rest >> left != 0 {
        return None;
    }
    let mut address = rest;
    for (at, part) in (1..).zip(&parts) {
        address |= u32::from(u8::try_from(parse_number(part)?).ok()?) << (32 - 8 * at);
    }
    Some(Ipv4Addr::from(address))
}

/// Parses a number in hexadecimal with `0x`, in octal with `0`, or in decimal.
fn parse_number(text: &str) -> Option<u32> {
    if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        return u32::from_str_radix(hex, 16).ok();
    }
    if text.len() > 1 && text.starts_with('0') {
        u32::from_str_radix(text, 8).ok()
    } else {
        text.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_classified_host_is_searched_for() {
        for (class, hosts) in UNTRUSTED_HOSTS {
            for host in *hosts {
                assert_eq!(super::classify_host(host), *class, "{host}");
                assert_eq!(super::classify_host(&format!("a.{host}")), *class, "{host}");
                let address = format!("https://{host}/a");
                assert!(WORDS.iter().any(|word| address.contains(word)), "{host}");
            }
        }
        for word in WORDS {
            assert!(
                super::classify_host(word.trim_end_matches('/')).is_untrusted(),
                "{word}"
            );
        }
    }

    #[test]
    fn hosts_are_classified() {
        for (url, wanted) in [
            ("http://45.61.136.10/x", HostClass::RawIp),
            ("http://0x2d3d880a/x", HostClass::RawIp),
            ("http://758999050", HostClass::RawIp),
            ("http://055.075.0210.012/x", HostClass::RawIp),
            ("http://45.4032522/x", HostClass::RawIp),
            ("http://0x2d.0x3d.0x880a/x", HostClass::RawIp),
            ("http://[::ffff:45.61.136.10]/x", HostClass::RawIp),
            ("http://[::ffff:127.0.0.1]/x", HostClass::NonPublic),
            ("http://127.1/x", HostClass::NonPublic),
            ("http://0x7f000001/x", HostClass::NonPublic),
            ("http://1.2.3.4.5/x", HostClass::Other),
            ("http://user@45.61.136.10:8080/x", HostClass::RawIp),
            ("http://[2a01:4f8::1]/x", HostClass::RawIp),
            ("http://203.0.113.7/x", HostClass::NonPublic),
            ("http://192.168.1.10:3000", HostClass::NonPublic),
            ("http://[::1]:3000", HostClass::NonPublic),
            ("http://[2001:db8::1]", HostClass::NonPublic),
            ("http://localhost:3000", HostClass::NonPublic),
            ("https://glot.io/snippets/a", HostClass::Paste),
            ("https://a.b.ngrok-free.app/", HostClass::Tunnel),
            ("https://notbit.ly/a", HostClass::Other),
            ("https://bit.ly/a", HostClass::Shortener),
            ("https://astral.sh/uv/install.sh", HostClass::Known),
            ("https://paste.forms.dev/x", HostClass::Paste),
            ("https://toothpaste.dev/x", HostClass::Other),
            (
                "https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh",
                HostClass::Known,
            ),
            (
                "https://raw.githubusercontent.com/someone/x/main/install.sh",
                HostClass::Other,
            ),
        ] {
            assert_eq!(WebAddress::find(url).unwrap().host_class(), wanted, "{url}");
        }
        assert_eq!(
            WebAddress::find("see `https://x.example:80/a?b` now")
                .unwrap()
                .host,
            "x.example"
        );
        assert_eq!(WebAddress::find("no address: // here"), None);
    }
}
