//! Which addresses a request may reach.
//!
//! A URL that a person wrote may lead anywhere. Where a *server* sends us on to is the server's choice, and must not
//! become a way into networks that only we can see: an answer from outside may not lead to this machine, to private
//! addresses or to a cloud's metadata service. Names are checked when they are resolved, by the very lookup whose
//! result is connected to, so that a name cannot mean one thing when checked and another when used.

use std::error::Error as StdError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// How far a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    /// Anywhere: a person gave the URL.
    Anywhere,
    /// This machine only: the URL says `localhost`, and no name server may say otherwise.
    Loopback,
    /// Where the server at a public address may send us: to public addresses.
    Public,
    /// Where the server at this other address may send us: to public ones, to itself, and from a private or loopback
    /// address to private ones.
    From(IpAddr),
}

impl Reach {
    /// How far an answer from `peer` may lead.
    pub(super) fn from_peer(peer: Option<SocketAddr>) -> Reach {
        match peer.map(|peer| canonical(peer.ip())) {
            Some(ip) if !is_public(ip) => Reach::From(ip),
            _ => Reach::Public,
        }
    }

    /// How far the server that a URL leads to may send us, before it was ever asked.
    ///
    /// A name that leads to several addresses is taken for what gives it the least; one that is not found, for a public
    /// one, since a proxy may know it.
    pub(super) async fn of_server(url: &str) -> Reach {
        let Ok(url) = Url::parse(url) else { return Reach::Public };
        let found: Vec<IpAddr> = match url.host() {
            Some(Host::Ipv4(ip)) => vec![ip.into()],
            Some(Host::Ipv6(ip)) => vec![ip.into()],
            Some(Host::Domain(_)) if is_loopback_host(&url) => vec![Ipv4Addr::LOCALHOST.into()],
            Some(Host::Domain(name)) => match tokio::net::lookup_host((name, 0)).await {
                Ok(found) => found.map(|addr| addr.ip()).collect(),
                Err(_) => Vec::new(),
            },
            None => Vec::new(),
        };
        match found.first() {
            Some(&first) if !found.iter().any(|&ip| is_public(canonical(ip))) => Reach::From(canonical(first)),
            _ => Reach::Public,
        }
    }

    /// Whether `ip` lies within it.
    pub(super) fn covers(self, ip: IpAddr) -> bool {
        let ip = canonical(ip);
        match self {
            Reach::Anywhere => true,
            Reach::Loopback => ip.is_loopback(),
            Reach::Public => is_public(ip),
            Reach::From(peer) => is_public(ip) || ip == peer || is_private(ip),
        }
    }

    /// Whether the host of `url` may be asked for all that its spelling says; a name is checked again when resolved.
    pub(super) fn covers_host(self, url: &Url) -> bool {
        match url.host() {
            Some(Host::Ipv4(ip)) => self.covers(ip.into()),
            Some(Host::Ipv6(ip)) => self.covers(ip.into()),
            Some(Host::Domain(_)) => !is_loopback_host(url) || self.covers(Ipv4Addr::LOCALHOST.into()),
            None => false,
        }
    }
}

/// Whether the URL's host is this machine by its spelling.
pub(in crate::io) fn is_loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => canonical(ip.into()).is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// Whether the URL's host is an address at which no package can be: link-local (cloud metadata), multicast, none.
pub(super) fn is_never_a_host(url: &Url) -> bool {
    let ip = match url.host() {
        Some(Host::Ipv4(ip)) => ip.into(),
        Some(Host::Ipv6(ip)) => ip.into(),
        _ => return false,
    };
    let ip = canonical(ip);
    !is_public(ip) && !is_private(ip) && !ip.is_loopback()
}

/// An IPv4 address that is written as an IPv6 one is the IPv4 one.
fn canonical(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else { return ip };
    // ::ffff:a.b.c.d, and NAT64's 64:ff9b::a.b.c.d.
    let mapped = v6.to_ipv4_mapped().or_else(|| match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low))),
        _ => None,
    });
    mapped.map_or(ip, IpAddr::V4)
}

fn is_private(ip: IpAddr) -> bool {
    match ip {
        // 100.64/10 is what carriers and overlay networks use inside.
        IpAddr::V4(ip) => ip.is_private() || (ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64),
        IpAddr::V6(ip) => ip.is_unique_local(),
    }
}

fn is_public(ip: IpAddr) -> bool {
    let special = match ip {
        IpAddr::V4(ip) => {
            let [first, second, third, _] = ip.octets();
            first == 0
                || first >= 240
                || ip.is_loopback()
                || ip.is_link_local()
                || ip.is_multicast()
                || (first, second, third) == (192, 0, 0)
                || (first == 198 && second & 0xfe == 18)
        }
        IpAddr::V6(ip) => is_special_v6(ip),
    };
    !special && !is_private(ip)
}

fn is_special_v6(ip: Ipv6Addr) -> bool {
    // fec0::/10 is the old site-local range; the first 96 bits zero are the deprecated IPv4-compatible form, and
    // the loopback and unspecified addresses.
    let [first, ..] = ip.segments();
    ip.is_multicast() || ip.is_unicast_link_local() || first & 0xffc0 == 0xfec0 || ip.segments()[..6] == [0; 6]
}

/// Resolves names to the addresses that may be reached.
pub(super) struct Guard(pub(super) Reach);

impl Resolve for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let allowed: Vec<SocketAddr> = found.iter().copied().filter(|addr| reach.covers(addr.ip())).collect();
            match (found.first(), allowed.is_empty()) {
                (Some(first), true) => Err(Box::new(OutOfReach(first.ip())) as Box<dyn StdError + Send + Sync>),
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

/// A name led to an address that may not be reached.
#[derive(Debug, thiserror::Error)]
#[error("its name leads to {0}, where a server outside may not send us")]
pub(super) struct OutOfReach(IpAddr);

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn from(text: &str) -> Reach {
        Reach::from_peer(Some(SocketAddr::new(ip(text), 443)))
    }

    #[test]
    fn a_public_server_leads_to_public_addresses_only() {
        for peer in ["140.82.121.4", "2606:50c0:8000::153"] {
            assert!(from(peer).covers(ip("185.199.108.153")));
            for inside in [
                "127.0.0.1",
                "127.9.9.9",
                "::1",
                "0.0.0.0",
                "::",
                "10.1.2.3",
                "172.16.0.1",
                "192.168.1.1",
                "100.64.0.1",
                "169.254.169.254",
                "::ffff:169.254.169.254",
                "::ffff:127.0.0.1",
                "64:ff9b::7f00:1",
                "fe80::1",
                "fd00::1",
                "224.0.0.1",
                "ff02::1",
                "255.255.255.255",
                "::7f00:1",
                "198.18.0.1",
            ] {
                assert!(!from(peer).covers(ip(inside)), "{inside}");
            }
        }
    }

    #[test]
    fn a_server_inside_leads_to_itself_and_to_private_addresses() {
        assert!(from("127.0.0.1").covers(ip("127.0.0.1")));
        assert!(from("127.0.0.1").covers(ip("::ffff:127.0.0.1")));
        assert!(!from("127.0.0.1").covers(ip("127.0.0.2")));
        assert!(from("10.0.0.1").covers(ip("192.168.0.7")));
        assert!(!from("10.0.0.1").covers(ip("127.0.0.1")));
        assert!(!from("10.0.0.1").covers(ip("169.254.169.254")));
    }

    #[test]
    fn a_peer_that_is_not_known_counts_as_public() {
        assert_eq!(Reach::from_peer(None), Reach::Public);
    }

    #[test]
    fn a_name_is_checked_by_what_it_resolves_to() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let resolve = |reach| runtime.block_on(Guard(reach).resolve("localhost".parse().unwrap()));
        assert!(resolve(Reach::Loopback).unwrap().all(|addr| addr.ip().is_loopback()));
        assert!(resolve(Reach::Public).is_err());
    }
}
