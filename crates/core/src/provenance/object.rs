//! A commit or an annotated tag, taken apart: what was signed, and by what.

use super::{Doubt, armour, openpgp};

const OPENPGP: [&str; 2] = [openpgp::BEGIN, "-----BEGIN PGP MESSAGE-----"];
const X509: &str = "-----BEGIN SIGNED MESSAGE-----";
/// How a line begins that begins something armoured.
const ARMOUR: &str = "-----BEGIN ";

/// What was signed, and what it was signed with, if it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    payload: Vec<u8>,
    signature: Result<String, Doubt>,
    time: Option<i64>,
}

impl Signed {
    /// A commit, by its bytes without git's header.
    #[must_use]
    pub fn commit(bytes: &[u8]) -> Signed {
        let (mut payload, mut found) = (Vec::with_capacity(bytes.len()), Vec::new());
        let (head, message) = split(bytes);
        let mut is_signature = false;
        for line in head.split_inclusive(|&byte| byte == b'\n') {
            let continues = line.starts_with(b" ");
            if !continues {
                is_signature = line.starts_with(b"gpgsig");
                if is_signature {
                    found.push(Header { name: word(line), text: Vec::new() });
                }
            }
            match found.last_mut().filter(|_| is_signature) {
                Some(header) if continues => header.text.extend_from_slice(&line[1..]),
                Some(header) => header.text.extend_from_slice(&line[(header.name.len() + 1).min(line.len())..]),
                None => payload.extend_from_slice(line),
            }
        }
        payload.extend_from_slice(message);
        let hex = value_of(head, b"tree ").map_or(0, <[u8]>::len);
        let signature = match found.as_slice() {
            [] => Err(Doubt::Unsigned),
            [header] if header.name == own_header(hex) => text(&header.text).and_then(one),
            [_] => Err(Doubt::Malformed("it is for another hash of objects")),
            _ => Err(Doubt::Several),
        };
        Signed { payload, signature, time: time(head, b"committer ") }
    }

    /// An annotated tag, by its bytes without git's header, and the commit and name that it is taken for.
    #[must_use]
    pub fn tag(bytes: &[u8], commit: &str, name: &str) -> Signed {
        let (head, _) = split(bytes);
        let starts = starts_of_armour(bytes, head.len());
        let (payload, signature) = match starts.as_slice() {
            [] => (bytes, Err(Doubt::Unsigned)),
            [at] => (&bytes[..*at], text(&bytes[*at..]).and_then(one)),
            _ => (bytes, Err(Doubt::Several)),
        };
        let is_about = |key: &[u8], value: &str| value_of(head, key).is_some_and(|found| found == value.as_bytes());
        let signature = if head.split(|&byte| byte == b'\n').any(|line| line.starts_with(b"gpgsig")) {
            Err(Doubt::Several)
        } else if !is_about(b"object ", commit) || !is_about(b"type ", "commit") || !is_about(b"tag ", name) {
            signature.and(Err(Doubt::Elsewhere(format!("the tag object is not about `{}`", name.escape_debug()))))
        } else {
            signature
        };
        Signed { payload: payload.to_vec(), signature, time: time(head, b"tagger ") }
    }

    /// Whether it has a signature at all, of whatever kind.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signature != Err(Doubt::Unsigned)
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// When it was made, in seconds since 1970, by its own word; `None` if it does not say.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        self.time
    }

    pub(super) fn signature(&self) -> Result<&str, Doubt> {
        self.signature.as_deref().map_err(Clone::clone)
    }
}

struct Header<'a> {
    name: &'a [u8],
    text: Vec<u8>,
}

/// The headers, and what follows them.
fn split(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes.windows(2).position(|pair| pair == b"\n\n").map_or(bytes.len(), |at| at + 1);
    bytes.split_at(end)
}

fn word(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b' ' || byte == b'\n').next().unwrap_or(line)
}

/// The one value of a header; `None` if it is not there, or there twice.
fn value_of<'a>(head: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut values = head.split(|&byte| byte == b'\n').filter_map(|line| line.strip_prefix(key));
    values.next().filter(|_| values.next().is_none())
}

/// The header that signs the form of a commit which is read here, and not its twin of another hash.
fn own_header(hex: usize) -> &'static [u8] {
    if hex == 64 { b"gpgsig-sha256" } else { b"gpgsig" }
}

fn time(head: &[u8], key: &[u8]) -> Option<i64> {
    let line = std::str::from_utf8(value_of(head, key)?).ok()?;
    let (_, when) = line.rsplit_once('>')?;
    when.split_whitespace().next()?.parse().ok()
}

fn starts_of_armour(bytes: &[u8], from: usize) -> Vec<usize> {
    let known =
        |rest: &[u8]| OPENPGP.iter().chain(&[X509, armour::BEGIN]).any(|begin| rest.starts_with(begin.as_bytes()));
    let mut starts = Vec::new();
    let mut at = from;
    while at < bytes.len() {
        if known(&bytes[at..]) {
            starts.push(at);
        }
        at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |end| at + end + 1);
    }
    starts
}

fn text(bytes: &[u8]) -> Result<&str, Doubt> {
    std::str::from_utf8(bytes).map_err(|_| Doubt::Malformed("it is no text"))
}

/// A signature that is verified here, alone.
fn one(text: &str) -> Result<String, Doubt> {
    if text.matches(ARMOUR).count() > 1 {
        return Err(Doubt::Several);
    }
    if text.starts_with(X509) {
        return Err(Doubt::Kind("X.509"));
    }
    let is_known = [openpgp::BEGIN, armour::BEGIN].iter().any(|begin| text.starts_with(begin));
    if is_known { Ok(text.to_owned()) } else { Err(Doubt::Malformed("it is of no known form")) }
}
