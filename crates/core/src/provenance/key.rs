//! Keys that somebody lists.
//!
//! ```text
//! ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI… ann@acme.dev                as in `~/.ssh/id_ed25519.pub`
//! valid-after="20260101",valid-before="20270101" ssh-ed25519 AAAA…   with options, as in git's file of allowed signers
//! SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc                 by its fingerprint alone
//! -----BEGIN PGP PUBLIC KEY BLOCK-----…                              of OpenPGP, as `gpg --armor --export` writes it
//! ```

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as BASE64, BASE64_STANDARD_NO_PAD as UNPADDED};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

use super::algorithm::{PublicKey, sha1};
use super::openpgp::{self, Certificate};
use crate::error::{Error, Result};
use crate::package::Sha256;

const SHA256: &str = "SHA256:";
const OPENPGP: &str = "openpgp:";

/// What tells one key from another: `SHA256:` and 43 digits of Base64, as `ssh-keygen -l` shows it, or `openpgp:` and the 40
/// or 64 digits that `gpg --fingerprint` shows of a primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(Told);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Told {
    Ssh(Sha256),
    Openpgp4([u8; 20]),
    Openpgp5(Sha256),
}

impl Fingerprint {
    pub(super) fn of(blob: &[u8]) -> Fingerprint {
        Fingerprint(Told::Ssh(Sha256::of(blob)))
    }

    /// Of a key of OpenPGP's version 4, in the form that is hashed.
    pub(super) fn openpgp_4(framed: &[u8]) -> Fingerprint {
        Fingerprint(Told::Openpgp4(sha1(framed)))
    }

    /// The same of version 5.
    pub(super) fn openpgp_5(framed: &[u8]) -> Fingerprint {
        Fingerprint(Told::Openpgp5(Sha256::of(framed)))
    }

    /// The one that OpenPGP writes in these digits.
    pub(super) fn openpgp(digits: &str) -> Option<Fingerprint> {
        let bytes = hex::decode(digits).ok()?;
        let told = match bytes.len() {
            20 => Told::Openpgp4(bytes.try_into().ok()?),
            _ => Told::Openpgp5(Sha256::from_bytes(bytes.try_into().ok()?)),
        };
        Some(Fingerprint(told))
    }

    /// The digits by which `gpg` knows it, if it is of OpenPGP.
    #[must_use]
    pub fn openpgp_digits(&self) -> Option<String> {
        let bytes = match &self.0 {
            Told::Ssh(_) => return None,
            Told::Openpgp4(bytes) => &bytes[..],
            Told::Openpgp5(hash) => &hash.as_bytes()[..],
        };
        Some(hex::encode_upper(bytes))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0, self.openpgp_digits()) {
            (Told::Ssh(hash), _) => write!(f, "{SHA256}{}", UNPADDED.encode(hash.as_bytes())),
            (_, digits) => write!(f, "{OPENPGP}{}", digits.unwrap_or_default()),
        }
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Fingerprint> {
        if let Some(key) = text.strip_prefix(OPENPGP).and_then(Fingerprint::openpgp) {
            return Ok(key);
        }
        let digits = text.strip_prefix(SHA256).and_then(|digits| UNPADDED.decode(digits).ok());
        let digest = digits.and_then(|digits| <[u8; 32]>::try_from(digits).ok());
        digest.map(|digest| Fingerprint(Told::Ssh(Sha256::from_bytes(digest)))).ok_or_else(|| {
            Error::usage(format!("`{}` is no fingerprint of a key", text.escape_debug()))
                .help("`ssh-keygen -lf FILE` shows it: `SHA256:` and 43 characters; of OpenPGP it is `openpgp:` and 40 digits")
        })
    }
}

/// When a key may sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Validity {
    /// From then on, in seconds since 1970; `None` for ever before.
    pub from: Option<i64>,
    /// Not any more at that second; `None` for ever after.
    pub before: Option<i64>,
}

impl Validity {
    /// Whether it may at a time; at an unknown one only what may always does.
    #[must_use]
    pub fn holds(&self, time: Option<i64>) -> bool {
        match time {
            Some(time) => self.from.is_none_or(|from| from <= time) && self.before.is_none_or(|before| time < before),
            None => *self == Validity::default(),
        }
    }

    /// Both ends as a table gives them: moments, or days in UTC, of which the last counts as a whole.
    ///
    /// # Errors
    /// If one is neither.
    pub fn between(from: Option<&str>, until: Option<&str>) -> Result<Validity> {
        let from = from.map(|text| second(text, false)).transpose()?;
        let before = until.map(|text| second(text, true)).transpose()?;
        Ok(Validity { from, before })
    }
}

/// A listed key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    fingerprint: Fingerprint,
    certificate: Option<Arc<[u8]>>,
    /// When it may sign.
    pub validity: Validity,
}

impl Key {
    /// The key with a fingerprint, which may always sign.
    #[must_use]
    pub fn known(fingerprint: Fingerprint) -> Key {
        Key { fingerprint, certificate: None, validity: Validity::default() }
    }

    /// The same key, for another time.
    #[must_use]
    pub fn within(self, validity: Validity) -> Key {
        Key { validity, ..self }
    }

    /// What tells it from another.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Its packets, if it is of OpenPGP and more is known of it than its fingerprint.
    pub(super) fn certificate(&self) -> Option<&[u8]> {
        self.certificate.as_deref()
    }

    /// Whether it is the one with a fingerprint.
    #[must_use]
    pub fn is(&self, fingerprint: &Fingerprint) -> bool {
        self.fingerprint == *fingerprint
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Key> {
        if openpgp::is_block(text) {
            return armoured(text);
        }
        if let Some((first, block)) = text.trim_start().split_once(char::is_whitespace)
            && openpgp::is_block(block)
        {
            return Ok(armoured(block)?.within(options(first)?));
        }
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first.starts_with(SHA256) || first.starts_with(OPENPGP) {
            return Ok(Key::known(first.parse()?));
        }
        let (validity, kind) = if first.contains('=') {
            (options(first)?, words.next().unwrap_or_default())
        } else {
            (Validity::default(), first)
        };
        let blob = words.next().and_then(|digits| BASE64.decode(digits).ok()).ok_or_else(|| no_key(text))?;
        let key = PublicKey::read(&blob).map_err(|doubt| no_key(text).note(doubt.to_string()))?;
        if key.word() != kind {
            return Err(no_key(text).note(format!("it says `{}` of itself", key.word().escape_debug())));
        }
        Ok(Key { fingerprint: key.fingerprint(), certificate: None, validity })
    }
}

fn armoured(text: &str) -> Result<Key> {
    let Certificate { fingerprint, packets } = Certificate::parse(text).map_err(|why| no_key(text).note(why))?;
    Ok(Key { fingerprint, certificate: Some(packets.into()), validity: Validity::default() })
}

fn no_key(text: &str) -> Error {
    let shown: String = text.trim().lines().next().unwrap_or_default().chars().take(60).collect();
    Error::usage(format!("`{}` is no public key", shown.escape_debug()))
        .help("write it as in `~/.ssh/id_ed25519.pub` (`ssh-ed25519 AAAA… who`), its fingerprint (`SHA256:…`), or what `gpg --armor --export WHO` writes")
}

/// The options before a key, of which only those about time are known.
fn options(text: &str) -> Result<Validity> {
    let mut validity = Validity::default();
    for option in text.split(',') {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let value = value.trim_matches('"');
        match name {
            "valid-after" => validity.from = Some(second(value, false)?),
            "valid-before" => validity.before = Some(second(value, false)?),
            "namespaces" if value == super::NAMESPACE => {}
            _ => {
                return Err(Error::usage(format!("`{}` is no option of a key", option.escape_debug()))
                    .help("there are `valid-after=\"20260101\"` and `valid-before=\"20270101\"`"));
            }
        }
    }
    Ok(validity)
}

/// The second that a text names: a moment, a day, or either in OpenSSH's digits (`20260101`, `202601011200Z`). A day begins
/// in UTC; with `is_last` its end is meant.
fn second(text: &str, is_last: bool) -> Result<i64> {
    let day = |date: Date| {
        let date = if is_last { date.tomorrow().unwrap_or(date) } else { date };
        date.to_datetime(jiff::civil::Time::midnight())
    };
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment.as_second());
    }
    let digits = text.strip_suffix('Z').unwrap_or(text);
    let is_compact = digits.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = match digits.len() {
        8 if is_compact => Date::strptime("%Y%m%d", digits).ok().map(day),
        12 if is_compact => DateTime::strptime("%Y%m%d%H%M", digits).ok(),
        14 if is_compact => DateTime::strptime("%Y%m%d%H%M%S", digits).ok(),
        10 if !is_compact => text.parse::<Date>().ok().map(day),
        _ => None,
    };
    let moment = parsed.and_then(|parsed| Offset::UTC.to_timestamp(parsed).ok());
    moment.map(Timestamp::as_second).ok_or_else(|| {
        Error::usage(format!("`{}` is no time", text.escape_debug()))
            .help("write a day (`2026-11-01`, which begins in UTC) or a moment (`2026-11-01T12:00:00Z`)")
    })
}
