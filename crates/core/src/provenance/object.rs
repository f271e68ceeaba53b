//! Splits a commit or an annotated tag into the signed bytes and the signature over them.

use super::{VerifyError, armor, openpgp};

const OPENPGP_BEGINS: [&str; 2] = [openpgp::BEGIN, "-----BEGIN PGP MESSAGE-----"];
const X509_BEGIN: &str = "-----BEGIN SIGNED MESSAGE-----";
/// The start of the first line of an armored block.
const ARMOR_PREFIX: &str = "-----BEGIN ";

/// The signed bytes of a commit or tag, and the signature if there is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignedObject {
    payload: Vec<u8>,
    signature: Result<String, VerifyError>,
    time: Option<i64>,
}

impl SignedObject {
    /// A commit, by its bytes without git's header.
    #[must_use]
    pub fn from_commit(bytes: &[u8]) -> SignedObject {
        let (head, message) = split_headers(bytes);
        let (mut payload, headers) = take_signatures(head);
        payload.extend_from_slice(message);

        // In a SHA-256 repository (ids of 64 digits) the header is `gpgsig-sha256`.
        let hex = header_value(head, b"tree ").map_or(0, <[u8]>::len);
        let signature = match headers.as_slice() {
            [] => Err(VerifyError::Unsigned),
            [header] if header.name == signature_header_name(hex) => {
                utf8_text(&header.text).and_then(check_single_signature)
            }
            [_] => Err(VerifyError::Malformed("it is for another object format")),
            _ => Err(VerifyError::MultipleSignatures),
        };

        SignedObject {
            payload,
            signature,
            time: header_time(head, b"committer "),
        }
    }

    /// An annotated tag, by its bytes without git's header; `commit` and `name` are those that it must be about.
    #[must_use]
    pub fn from_tag(bytes: &[u8], commit: &str, name: &str) -> SignedObject {
        let (head, _) = split_headers(bytes);
        // The signature of a tag follows the message, which may quote one: two are ambiguous.
        let starts = armor_starts(bytes, head.len());
        let (payload, signature) = match starts.as_slice() {
            [] => (bytes, Err(VerifyError::Unsigned)),
            [at] => (
                &bytes[..*at],
                utf8_text(&bytes[*at..]).and_then(check_single_signature),
            ),
            _ => (bytes, Err(VerifyError::MultipleSignatures)),
        };

        let is_about = |key: &[u8], value: &str| {
            header_value(head, key).is_some_and(|found| found == value.as_bytes())
        };

        // A `gpgsig` header is one more signature, over the tag in the other hash. And as a signed
        // tag can be pushed under another ref, it counts for its own name and commit only.
        let signature = if head
            .split(|&byte| byte == b'\n')
            .any(|line| line.starts_with(b"gpgsig"))
        {
            Err(VerifyError::MultipleSignatures)
        } else if !is_about(b"object ", commit)
            || !is_about(b"type ", "commit")
            || !is_about(b"tag ", name)
        {
            signature.and(Err(VerifyError::WrongObject(format!(
                "the tag object is for another tag or commit than `{}`",
                name.escape_debug()
            ))))
        } else {
            signature
        };

        SignedObject {
            payload: payload.to_vec(),
            signature,
            time: header_time(head, b"tagger "),
        }
    }

    /// Whether it has any signature, valid or not.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.signature != Err(VerifyError::Unsigned)
    }

    pub(super) fn payload(&self) -> &[u8] {
        &self.payload
    }

    /// The time it states for itself, in seconds since 1970; `None` if it states none.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        self.time
    }

    pub(super) fn signature(&self) -> Result<&str, VerifyError> {
        self.signature.as_deref().map_err(Clone::clone)
    }
}

struct SignatureHeader<'a> {
    name: &'a [u8],
    text: Vec<u8>,
}

/// The headers that git signs, which are all but those of signatures, and those of signatures.
fn take_signatures(head: &[u8]) -> (Vec<u8>, Vec<SignatureHeader<'_>>) {
    let (mut payload, mut headers) = (Vec::with_capacity(head.len()), Vec::new());
    let mut is_signature = false;

    for line in head.split_inclusive(|&byte| byte == b'\n') {
        // Continuation lines begin with a space.
        let continues = line.starts_with(b" ");
        if !continues {
            // `gpgsig` and `gpgsig-sha256`: a commit that exists in both hashes can have both.
            is_signature = line.starts_with(b"gpgsig");
            if is_signature {
                headers.push(SignatureHeader {
                    name: first_word(line),
                    text: Vec::new(),
                });
            }
        }

        match headers.last_mut().filter(|_| is_signature) {
            Some(header) if continues => header.text.extend_from_slice(&line[1..]),
            Some(header) => header
                .text
                .extend_from_slice(&line[(header.name.len() + 1).min(line.len())..]),
            None => payload.extend_from_slice(line),
        }
    }

    (payload, headers)
}

/// The headers with their last line end, and the rest.
fn split_headers(bytes: &[u8]) -> (&[u8], &[u8]) {
    let end = bytes
        .windows(2)
        .position(|pair| pair == b"\n\n")
        .map_or(bytes.len(), |at| at + 1);
    bytes.split_at(end)
}

fn first_word(line: &[u8]) -> &[u8] {
    line.split(|&byte| byte == b' ' || byte == b'\n')
        .next()
        .unwrap_or(line)
}

/// The one value of a header; `None` if it is missing or repeated.
fn header_value<'a>(head: &'a [u8], key: &[u8]) -> Option<&'a [u8]> {
    let mut values = head
        .split(|&byte| byte == b'\n')
        .filter_map(|line| line.strip_prefix(key));
    // Of two headers with one name, readers differ in which they take.
    values.next().filter(|_| values.next().is_none())
}

/// The header that signs a commit with ids of `hex` digits, and not its twin in the other object format.
fn signature_header_name(hex: usize) -> &'static [u8] {
    if hex == 64 {
        b"gpgsig-sha256"
    } else {
        b"gpgsig"
    }
}

fn header_time(head: &[u8], key: &[u8]) -> Option<i64> {
    let line = std::str::from_utf8(header_value(head, key)?).ok()?;
    let (_, when) = line.rsplit_once('>')?;
    when.split_whitespace().next()?.parse().ok()
}

fn armor_starts(bytes: &[u8], from: usize) -> Vec<usize> {
    let known = |rest: &[u8]| {
        OPENPGP_BEGINS
            .iter()
            .chain(&[X509_BEGIN, armor::BEGIN])
            .any(|begin| rest.starts_with(begin.as_bytes()))
    };

    // Only at the start of a line, as git looks for it.
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

fn utf8_text(bytes: &[u8]) -> Result<&str, VerifyError> {
    std::str::from_utf8(bytes).map_err(|_| VerifyError::Malformed("not UTF-8"))
}

/// The text of a signature if it is a single one in a format that is verified here.
fn check_single_signature(text: &str) -> Result<String, VerifyError> {
    // Which of two blocks a verifier reads is its own choice.
    if text.matches(ARMOR_PREFIX).count() > 1 {
        return Err(VerifyError::MultipleSignatures);
    }

    if text.starts_with(X509_BEGIN) {
        return Err(VerifyError::UnsupportedFormat("X.509"));
    }

    let is_known = [openpgp::BEGIN, armor::BEGIN]
        .iter()
        .any(|begin| text.starts_with(begin));
    if is_known {
        Ok(text.to_owned())
    } else {
        Err(VerifyError::Malformed("unknown signature format"))
    }
}
