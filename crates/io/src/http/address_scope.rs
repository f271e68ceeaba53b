//! Scopes of addresses that a request may reach, against server-side request forgery.
//!
//! A URL that the user wrote may lead anywhere. The target of a redirect is the *server's* choice, and must not
//! open a way into networks that only we can reach: a public server may not redirect to this machine, to
//! private addresses or to a cloud's metadata service. Names are checked when they are resolved, by the same
//! lookup whose result is connected to, so that a name cannot resolve differently when checked and when used.

use std::error::Error as StdError;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// How far a request may go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum AddressScope {
    /// Anywhere: the user gave the URL.
    Anywhere,
    /// This machine only: the URL says `localhost`, which DNS must not override.
    Loopback,
    /// Where a server at a public address may redirect to: public addresses.
    Public,
    /// Where a server at this non-public address may redirect to: public addresses, itself, and from a private or
    /// loopback address to private ones.
    From(IpAddr),
}

impl AddressScope {
    /// The scope of redirects from `peer`.
    pub(super) fn from_peer(peer: Option<SocketAddr>) -> AddressScope {
        peer.map_or(AddressScope::Public, |peer| {
            AddressScope::from_ip(peer.ip())
        })
    }

    /// The scope of redirects from the host of a URL by its spelling; a name counts as public.
    pub(crate) fn from_host(url: &Url) -> AddressScope {
        match url.host() {
            Some(Host::Ipv4(ip)) => AddressScope::from_ip(ip.into()),
            Some(Host::Ipv6(ip)) => AddressScope::from_ip(ip.into()),
            Some(Host::Domain(_)) if is_loopback_host(url) => {
                AddressScope::from_ip(Ipv4Addr::LOCALHOST.into())
            }
            _ => AddressScope::Public,
        }
    }

    fn from_ip(ip: IpAddr) -> AddressScope {
        let ip = canonical_ip(ip);
        if is_public(ip) {
            AddressScope::Public
        } else {
            AddressScope::From(ip)
        }
    }

    /// The scope of redirects from the server of a URL, before it was contacted.
    ///
    /// A name with several addresses gets the narrowest scope; one that does not resolve counts as public, since
    /// a proxy may know it.
    pub(super) async fn for_server(url: &str) -> AddressScope {
        let Ok(url) = Url::parse(url) else {
            return AddressScope::Public;
        };

        let name = match url.host() {
            Some(Host::Domain(name)) if !is_loopback_host(&url) => name,
            _ => return AddressScope::from_host(&url),
        };

        let found: Vec<IpAddr> = match tokio::net::lookup_host((name, 0)).await {
            Ok(found) => found.map(|addr| addr.ip()).collect(),
            Err(_) => Vec::new(),
        };

        match found.first() {
            Some(&first) if !found.iter().any(|&ip| is_public(canonical_ip(ip))) => {
                AddressScope::From(canonical_ip(first))
            }
            // Not resolved, or with a public address among others.
            _ => AddressScope::Public,
        }
    }

    /// Whether `ip` is in the scope.
    pub(super) fn allows(self, ip: IpAddr) -> bool {
        let ip = canonical_ip(ip);
        match self {
            AddressScope::Anywhere => true,
            AddressScope::Loopback => ip.is_loopback(),
            AddressScope::Public => is_public(ip),
            AddressScope::From(peer) => is_public(ip) || ip == peer || is_private(ip),
        }
    }

    /// Whether the host of `url` is in the scope by its spelling; a name is checked again when resolved.
    pub(super) fn allows_host(self, url: &Url) -> bool {
        match url.host() {
            Some(Host::Ipv4(ip)) => self.allows(ip.into()),
            Some(Host::Ipv6(ip)) => self.allows(ip.into()),
            Some(Host::Domain(_)) => {
                !is_loopback_host(url) || self.allows(Ipv4Addr::LOCALHOST.into())
            }
            None => false,
        }
    }
}

/// Whether the URL's host is this machine by its spelling.
pub(crate) fn is_loopback_host(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(ip)) => ip.is_loopback(),
        Some(Host::Ipv6(ip)) => canonical_ip(ip.into()).is_loopback(),
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        None => false,
    }
}

/// Whether the URL's host is an address that never serves packages: link-local (cloud metadata), multicast, unspecified.
pub(super) fn is_unusable_host(url: &Url) -> bool {
    let ip = match url.host() {
        Some(Host::Ipv4(ip)) => ip.into(),
        Some(Host::Ipv6(ip)) => ip.into(),
        _ => return false,
    };

    let ip = canonical_ip(ip);
    !is_public(ip) && !is_private(ip) && !ip.is_loopback()
}

/// Maps an IPv4 address in IPv6 form to the IPv4 address.
fn canonical_ip(ip: IpAddr) -> IpAddr {
    let IpAddr::V6(v6) = ip else { return ip };
    // ::ffff:a.b.c.d, and NAT64's 64:ff9b::a.b.c.d.
    let mapped = v6.to_ipv4_mapped().or_else(|| match v6.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))
        }
        _ => None,
    });
    mapped.map_or(ip, IpAddr::V4)
}

fn is_private(ip: IpAddr) -> bool {
    match ip {
        // 100.64/10 (RFC 6598) is used inside of carrier and overlay networks.
        IpAddr::V4(ip) => ip.is_private() || (ip.octets()[0] == 100 && ip.octets()[1] & 0xc0 == 64),
        IpAddr::V6(ip) => ip.is_unique_local(),
    }
}

fn is_public(ip: IpAddr) -> bool {
    let special = match ip {
        IpAddr::V4(ip) => {
            // 0/8 is this network; 192.0.0/24 is for protocols, 198.18/15 for benchmarks, 240/4 reserved.
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
    ip.is_multicast()
        || ip.is_unicast_link_local()
        || first & 0xffc0 == 0xfec0
        || ip.segments()[..6] == [0; 6]
}

/// Resolves names to the addresses in a scope.
pub(super) struct ScopedResolver(pub(super) AddressScope);

impl Resolve for ScopedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let reach = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> =
                tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            let allowed: Vec<SocketAddr> = found
                .iter()
                .copied()
                .filter(|addr| reach.allows(addr.ip()))
                .collect();

            match (found.first(), allowed.is_empty()) {
                (Some(first), true) => {
                    Err(Box::new(OutOfReach(first.ip())) as Box<dyn StdError + Send + Sync>)
                }
                // Only allowed addresses are used.
                _ => Ok(Box::new(allowed.into_iter()) as Addrs),
            }
        })
    }
}

/// A name resolved only to addresses outside of the scope.
#[derive(Debug, thiserror::Error)]
#[error("the host name resolves to {0}, which this request may not access")]
pub(super) struct OutOfReach(IpAddr);

#[cfg(test)]
mod tests {
    use super::*;

    fn ip(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn from(text: &str) -> AddressScope {
        AddressScope::from_peer(Some(SocketAddr::new(ip(text), 443)))
    }

    #[test]
    fn a_public_server_leads_to_public_addresses_only() {
        for peer in ["140.82.121.4", "2606:50c0:8000::153"] {
            assert!(from(peer).allows(ip("185.199.108.153")));
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
                assert!(!from(peer).allows(ip(inside)), "{inside}");
            }
        }
    }

    #[test]
    fn a_server_inside_leads_to_itself_and_to_private_addresses() {
        assert!(from("127.0.0.1").allows(ip("127.0.0.1")));
        assert!(from("127.0.0.1").allows(ip("::ffff:127.0.0.1")));
        assert!(!from("127.0.0.1").allows(ip("127.0.0.2")));
        assert!(from("10.0.0.1").allows(ip("192.168.0.7")));
        assert!(!from("10.0.0.1").allows(ip("127.0.0.1")));
        assert!(!from("10.0.0.1").allows(ip("169.254.169.254")));
    }

    #[test]
    fn a_peer_that_is_not_known_counts_as_public() {
        assert_eq!(AddressScope::from_peer(None), AddressScope::Public);
    }

    #[test]
    fn a_name_is_checked_by_what_it_resolves_to() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let resolve =
            |reach| runtime.block_on(ScopedResolver(reach).resolve("localhost".parse().unwrap()));
        assert!(
            resolve(AddressScope::Loopback)
                .unwrap()
                .all(|addr| addr.ip().is_loopback())
        );
        assert!(resolve(AddressScope::Public).is_err());
    }
}
