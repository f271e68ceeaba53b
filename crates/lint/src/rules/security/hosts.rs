//! Addresses: which host, and what sort of host that is.

use std::net::{Ipv4Addr, Ipv6Addr};

/// A web address in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Address<'a> {
    /// `http`, `https`, `ftp`; in any case.
    pub(super) scheme: &'a str,
    /// The host, without a port.
    pub(super) host: &'a str,
    /// What follows the host and its port.
    pub(super) path: &'a str,
}

/// What sort of a host it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// This machine or this network, or one that exists in documents only.
    Nobody,
    /// A public address without a name.
    RawIp,
    /// Where anybody may put text under no name.
    Paste,
    /// Where anybody may put files for some days.
    Drop,
    /// Where what arrives is shown to whoever opened the address.
    Catcher,
    /// A tunnel to somebody's own machine.
    Tunnel,
    /// It hides where it leads.
    Shortener,
    /// A publisher whose installer is known by this address.
    Known,
    /// Any other.
    Other,
}

impl Sort {
    /// Whether nobody vouches for what such a host says.
    pub(super) fn is_bad(self) -> bool {
        matches!(self, Sort::RawIp | Sort::Paste | Sort::Drop | Sort::Catcher | Sort::Tunnel | Sort::Shortener)
    }

    /// What to call it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Sort::RawIp => "an address without a name",
            Sort::Paste => "a page where anybody may put text",
            Sort::Drop => "a place where anybody may put files for some days",
            Sort::Catcher => "a place that collects what is sent to it",
            Sort::Tunnel => "a tunnel to somebody's own machine",
            Sort::Shortener => "a link that hides where it leads",
            Sort::Nobody | Sort::Known | Sort::Other => "a host",
        }
    }
}

/// Makes of one list of hosts both [`WORDS`], by which a text is searched, and [`UNVOUCHED`], by which a host is classified,
/// so that neither knows a host that the other does not. Of a shortener a path must follow: without one it leads nowhere.
macro_rules! unvouched {
    (
        $($sort:ident => [$($host:literal),+ $(,)?],)+
        ..., $last:ident / => [$($short:literal),+ $(,)?],
    ) => {
        /// What a text is searched for to find the hosts that nobody vouches for.
        pub(super) const WORDS: &[&str] = &[$($($host,)+)+ $(concat!($short, "/"),)+];

        /// Hosts that nobody vouches for.
        const UNVOUCHED: &[(Sort, &[&str])] = &[$((Sort::$sort, &[$($host),+]),)+ (Sort::$last, &[$($short),+])];
    };
}

unvouched! {
    // Pages for pastes.
    Paste => [
        "glot.io",
        "rentry.co",
        "rentry.org",
        "pastebin.com",
        "paste.ee",
        "hastebin.com",
        "dpaste.com",
        "dpaste.org",
        "termbin.com",
        "ix.io",
        "sprunge.us",
        "ghostbin.com",
        "controlc.com",
        "justpaste.it",
        "telegra.ph",
        "paste.rs",
        "pastes.dev",
        "snippet.host",
        "ideone.com",
        "privatebin.net",
        "p.ip.fi",
        "bpa.st",
        "textbin.net",
        "pastecode.io",
        "write.as",
        "paste.gg",
        "gist.githack.com",
    ],
    // Files for some days.
    Drop => [
        "0x0.st",
        "transfer.sh",
        "file.io",
        "gofile.io",
        "anonfiles.com",
        "catbox.moe",
        "temp.sh",
        "bashupload.com",
        "tmpfiles.org",
        "oshi.at",
        "mega.nz",
        "mediafire.com",
        "send.vis.ee",
        "wetransfer.com",
        "uguu.se",
        "pixeldrain.com",
        "cdn.discordapp.com",
        "keep.sh",
        "filebin.net",
        "ufile.io",
    ],
    // What collects.
    Catcher => [
        "webhook.site",
        "pipedream.net",
        "requestbin.com",
        "requestbin.net",
        "requestcatcher.com",
        "beeceptor.com",
        "hookbin.com",
        "interact.sh",
        "interactsh.com",
        "oast.fun",
        "oast.live",
        "oast.me",
        "oast.online",
        "oast.pro",
        "oast.site",
        "burpcollaborator.net",
        "oastify.com",
        "canarytokens.com",
        "dnslog.cn",
        "ceye.io",
        "requestinspector.com",
        "webhookrelay.com",
        "postb.in",
        "ptsv3.com",
        "ptsv2.com",
        "typedwebhook.tools",
        "requestrepo.com",
        "hookdeck.com",
        "webhook.cool",
        "whin2.com",
        "pingb.in",
        "mockbin.org",
    ],
    // Tunnels.
    Tunnel => [
        "ngrok.io",
        "ngrok.app",
        "ngrok.dev",
        "ngrok-free.app",
        "ngrok-free.dev",
        "trycloudflare.com",
        "loca.lt",
        "serveo.net",
        "localhost.run",
        "lhr.life",
        "pinggy.io",
        "pinggy.link",
        "bore.pub",
        "localtunnel.me",
        "portmap.io",
    ],
    ..., Shortener / => [
        "bit.ly",
        "tinyurl.com",
        "t.co",
        "goo.gl",
        "is.gd",
        "ow.ly",
        "buff.ly",
        "rebrand.ly",
        "cutt.ly",
        "shorturl.at",
        "t.ly",
        "rb.gy",
        "tiny.cc",
        "v.gd",
        "bl.ink",
        "s.id",
        "adf.ly",
        "soo.gd",
        "u.to",
        "clck.ru",
        "shorte.st",
        "tny.im",
        "qr.ae",
        "lnkd.in",
        "surl.li",
        "dub.sh",
        "urlz.fr",
        "x.gd",
    ],
}

/// What those are called that somebody has set up for pastes.
const PASTE_LABELS: [&str; 7] = ["paste", "pastes", "pastebin", "hastebin", "privatebin", "zerobin", "snippets"];
/// Hosts whose installers are known by name.
const KNOWN: &[&str] = &[
    "sh.rustup.rs",
    "win.rustup.rs",
    "astral.sh",
    "bun.sh",
    "bun.com",
    "deno.land",
    "get.docker.com",
    "get.pnpm.io",
    "install.python-poetry.org",
    "aka.ms",
    "aspire.dev",
    "dot.net",
    "dotnet.microsoft.com",
    "run.linkerd.io",
    "fluxcd.io",
    "get.helm.sh",
    "get.k3s.io",
    "sdk.cloud.google.com",
    "deb.nodesource.com",
    "rpm.nodesource.com",
    "packages.microsoft.com",
    "cli.github.com",
    "fly.io",
    "get.sdkman.io",
    "nixos.org",
    "install.determinate.systems",
    "starship.rs",
    "mise.run",
    "mise.jdx.dev",
    "claude.ai",
    "cursor.com",
    "opencode.ai",
    "ollama.com",
    "chocolatey.org",
    "community.chocolatey.org",
    "get.scoop.sh",
    "get.volta.sh",
    "fnm.vercel.app",
    "pyenv.run",
    "tailscale.com",
    "foundry.paradigm.xyz",
    "supabase.com",
    "railway.app",
    "railway.com",
    "vercel.com",
    "netlify.com",
    "get.pulumi.com",
    "cdn.pulumi.com",
    "getcomposer.org",
    "get.haskellup.org",
    "get-ghcup.haskell.org",
    "cdn.jsdelivr.net",
    "get.modular.com",
    "dl.google.com",
    "dl.k8s.io",
    "istio.io",
    "wasmtime.dev",
    "get.nextflow.io",
    "just.systems",
    "moonrepo.dev",
    "pixi.sh",
    "pkgx.sh",
    "get.jetify.com",
    "get.dagger.io",
    "dl.dagger.io",
    "app.factory.ai",
    "taskfile.dev",
    "openclaw.ai",
    "get.opentofu.org",
    "encore.dev",
    "turso.tech",
    "get.tur.so",
    "dl.min.io",
    "api.arize.com",
];
/// Owners on GitHub whose installers are known by name.
const KNOWN_OWNERS: &[&str] = &[
    "homebrew/",
    "nvm-sh/",
    "helm/",
    "ohmyzsh/",
    "kubernetes",
    "k3d-io/",
    "hashicorp/",
    "aquasecurity/",
    "anchore/",
    "golangci/",
    "derailed/",
    "microsoft/",
    "azure/",
    "github/",
    "astral-sh/",
    "denoland/",
    "docker/",
    "cli/cli",
    "argoproj/",
    "fluxcd/",
    "linkerd/",
    "istio/",
    "trufflesecurity/",
    "semgrep/",
    "infracost/",
    "terraform-linters/",
    "goreleaser/",
    "junegunn/",
    "pypa/",
    "rust-lang/",
    "dandavison/",
    "anthropics/",
    "openai/",
    "google-gemini/",
];

impl<'a> Address<'a> {
    /// The first address in a text.
    pub(super) fn find(text: &'a str) -> Option<Self> {
        let mut from = 0;
        while let Some(at) = text[from..].find("://") {
            let at = from + at;
            let start = text[..at]
                .rfind(|c: char| !c.is_ascii_alphabetic())
                .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
            if let Some(address) = Self::after(&text[start..at], &text[at + 3..]) {
                return Some(address);
            }
            from = at + 3;
        }
        None
    }

    /// The first that is figures, and stands without a scheme: downloaders take it for one of plain `http`.
    pub(super) fn bare(text: &'a str) -> Option<Self> {
        let marks = |c: char| matches!(c, '"' | '\'' | '`');
        text.split_whitespace().map(|word| word.trim_matches(marks)).find_map(|word| {
            let host = word.split([':', '/']).next()?;
            host.parse::<std::net::Ipv4Addr>().ok()?;
            Self::after("http", word)
        })
    }

    /// The address whose `://` is at this byte.
    pub(super) fn at(text: &'a str, at: usize) -> Option<Self> {
        let start = text[..at]
            .rfind(|c: char| !c.is_ascii_alphabetic())
            .map_or(0, |before| before + text[before..].chars().next().map_or(1, char::len_utf8));
        Self::after(&text[start..at], text[at..].strip_prefix("://")?)
    }

    fn after(scheme: &'a str, rest: &'a str) -> Option<Self> {
        let is_web = ["http", "https", "ftp", "ws", "wss", "tcp"].iter().any(|web| scheme.eq_ignore_ascii_case(web));
        // Without a scheme or a host there is no need to look for the end, which may be far.
        if !is_web || rest.starts_with('/') {
            return None;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "\"'`<>)|,;{}\\".contains(c)).unwrap_or(rest.len());
        let rest = &rest[..end];
        let authority_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(authority_end);
        let authority = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let host = match authority.strip_prefix('[') {
            Some(six) => six.split(']').next().unwrap_or(six),
            None => authority.split(':').next().unwrap_or(authority),
        };
        let host = host.trim_end_matches('.');
        (!host.is_empty()).then_some(Address { scheme, host, path })
    }

    /// What sort of a host it has.
    pub(super) fn sort(&self) -> Sort {
        let owner = self.path.trim_start_matches('/').to_ascii_lowercase();
        let is_github = ["raw.githubusercontent.com", "github.com", "gist.githubusercontent.com"]
            .iter()
            .any(|host| self.host.eq_ignore_ascii_case(host));
        if is_github && KNOWN_OWNERS.iter().any(|known| owner.starts_with(known)) {
            return Sort::Known;
        }
        sort(self.host)
    }

    /// Whether it is one of the addresses that are kept for documents: nobody's, and yet no name.
    pub(super) fn is_reserved(&self) -> bool {
        let is_four = self.host.parse().is_ok_and(|four: Ipv4Addr| four.is_documentation());
        is_four || self.host.parse().is_ok_and(|six: Ipv6Addr| six.segments()[..2] == [0x2001, 0xdb8])
    }

    /// Whether what it brings can be changed on the way.
    pub(super) fn is_open(&self) -> bool {
        (self.scheme.eq_ignore_ascii_case("http") || self.scheme.eq_ignore_ascii_case("ftp"))
            && sort(self.host) != Sort::Nobody
    }
}

/// Whether a host is one of these domains, or below one; in lower case, as they are.
pub(super) fn is_of(host: &str, domains: &[&str]) -> bool {
    let is_below = |domain: &&str| host.strip_suffix(*domain).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'));
    domains.iter().any(is_below)
}

/// What sort a host is.
pub(super) fn sort(host: &str) -> Sort {
    if let Some(public) = ip(host) {
        return if public { Sort::RawIp } else { Sort::Nobody };
    }
    let host = host.to_ascii_lowercase();
    let tail = host.rsplit('.').next().unwrap_or_default();
    if !host.contains('.') || ["local", "localhost", "internal", "test", "example", "invalid", "lan"].contains(&tail) {
        return if host.contains('.') && ["test", "example", "invalid"].contains(&tail) {
            Sort::Other
        } else {
            Sort::Nobody
        };
    }
    for (sort, hosts) in UNVOUCHED.iter().chain([&(Sort::Known, KNOWN)]) {
        if is_of(&host, hosts) {
            return *sort;
        }
    }
    if host.split('.').any(|label| PASTE_LABELS.contains(&label)) { Sort::Paste } else { Sort::Other }
}

/// Whether a host is a public IP address; `None` if it is a name.
fn ip(host: &str) -> Option<bool> {
    if let Ok(six) = host.parse::<Ipv6Addr>() {
        let [first, second, ..] = six.segments();
        let is_global = (0x2000..0x4000).contains(&first) && !(first == 0x2001 && second == 0xdb8);
        return Some(is_global);
    }
    let four: Ipv4Addr = match host.parse() {
        Ok(four) => four,
        Err(_) => disguised(host)?,
    };
    let [a, b, c, _] = four.octets();
    // Everybody's resolvers, and numbers that people count up when they need an address.
    let is_well_known =
        [[1, 1, 1, 1], [1, 0, 0, 1], [8, 8, 8, 8], [8, 8, 4, 4], [9, 9, 9, 9], [1, 2, 3, 4], [5, 6, 7, 8]]
            .contains(&four.octets());
    let is_reserved = a == 0
        || a >= 224
        || (a == 100 && (64..128).contains(&b))
        || (a == 198 && (18..20).contains(&b))
        || (a == 192 && b == 0 && c == 0);
    let is_nobodys = four.is_private() || four.is_loopback() || four.is_link_local() || four.is_documentation();
    Some(!(is_well_known || is_reserved || is_nobodys))
}

/// An IPv4 address written as one number, or with parts in hexadecimal or octal, as browsers and curl take it.
fn disguised(host: &str) -> Option<Ipv4Addr> {
    let number = |text: &str| -> Option<u32> {
        if let Some(hex) = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            return u32::from_str_radix(hex, 16).ok();
        }
        if text.len() > 1 && text.starts_with('0') { u32::from_str_radix(text, 8).ok() } else { text.parse().ok() }
    };
    let parts: Vec<&str> = host.split('.').collect();
    if parts.len() == 1 {
        let is_long = host.len() >= 8;
        return if is_long { number(host).map(Ipv4Addr::from) } else { None };
    }
    if parts.len() != 4 {
        return None;
    }
    let mut octets = [0; 4];
    for (octet, part) in octets.iter_mut().zip(&parts) {
        *octet = u8::try_from(number(part)?).ok()?;
    }
    Some(octets.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_host_that_is_classified_is_searched_for() {
        for (sort, hosts) in UNVOUCHED {
            for host in *hosts {
                assert_eq!(super::sort(host), *sort, "{host}");
                assert_eq!(super::sort(&format!("a.{host}")), *sort, "{host}");
                let address = format!("https://{host}/a");
                assert!(WORDS.iter().any(|word| address.contains(word)), "{host}");
            }
        }
        for word in WORDS {
            assert!(super::sort(word.trim_end_matches('/')).is_bad(), "{word}");
        }
    }

    #[test]
    fn hosts_are_sorted() {
        for (url, wanted) in [
            ("http://45.61.136.10/x", Sort::RawIp),
            ("http://0x2d3d880a/x", Sort::RawIp),
            ("http://758999050", Sort::RawIp),
            ("http://055.075.0210.012/x", Sort::RawIp),
            ("http://user@45.61.136.10:8080/x", Sort::RawIp),
            ("http://[2a01:4f8::1]/x", Sort::RawIp),
            ("http://203.0.113.7/x", Sort::Nobody),
            ("http://192.168.1.10:3000", Sort::Nobody),
            ("http://[::1]:3000", Sort::Nobody),
            ("http://[2001:db8::1]", Sort::Nobody),
            ("http://localhost:3000", Sort::Nobody),
            ("https://glot.io/snippets/a", Sort::Paste),
            ("https://a.b.ngrok-free.app/", Sort::Tunnel),
            ("https://notbit.ly/a", Sort::Other),
            ("https://bit.ly/a", Sort::Shortener),
            ("https://astral.sh/uv/install.sh", Sort::Known),
            ("https://paste.forms.dev/x", Sort::Paste),
            ("https://toothpaste.dev/x", Sort::Other),
            ("https://raw.githubusercontent.com/Homebrew/install/HEAD/install.sh", Sort::Known),
            ("https://raw.githubusercontent.com/someone/x/main/install.sh", Sort::Other),
        ] {
            assert_eq!(Address::find(url).unwrap().sort(), wanted, "{url}");
        }
        assert_eq!(Address::find("see `https://x.example:80/a?b` now").unwrap().host, "x.example");
        assert_eq!(Address::find("no address: // here"), None);
    }
}
