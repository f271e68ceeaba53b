//! Keys that somebody lists.
//!
//! ```text
//! ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI… ann@acme.dev                as in `~/.ssh/id_ed25519.pub`
//! valid-after="20260101",valid-before="20270101" ssh-ed25519 AAAA…   with options, as in git's file of allowed signers
//! SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc                 by its fingerprint alone
//! ```

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD as BASE64, BASE64_STANDARD_NO_PAD as UNPADDED};
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

use super::algorithm::PublicKey;
use crate::error::{Error, Result};
use crate::package::Sha256;

const SHA256: &str = "SHA256:";

/// What tells one key from another: `SHA256:` and 43 digits of Base64, as `ssh-keygen -l` shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fingerprint(Sha256);

impl Fingerprint {
    pub(super) fn of(blob: &[u8]) -> Fingerprint {
        Fingerprint(Sha256::of(blob))
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SHA256}{}", UNPADDED.encode(self.0.as_bytes()))
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    fn from_str(text: &str) -> Result<Fingerprint> {
        let digits = text.strip_prefix(SHA256).and_then(|digits| UNPADDED.decode(digits).ok());
        let digest = digits.and_then(|digits| <[u8; 32]>::try_from(digits).ok());
        digest.map(|digest| Fingerprint(Sha256::from_bytes(digest))).ok_or_else(|| {
            Error::usage(format!("`{}` is no fingerprint of a key", text.escape_debug()))
                .help("`ssh-keygen -lf FILE` shows it: `SHA256:` and 43 characters")
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
    /// When it may sign.
    pub validity: Validity,
}

impl Key {
    /// The key with a fingerprint, which may always sign.
    #[must_use]
    pub fn known(fingerprint: Fingerprint) -> Key {
        Key { fingerprint, validity: Validity::default() }
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

    /// Whether it is the one with a fingerprint.
    #[must_use]
    pub fn is(&self, fingerprint: &Fingerprint) -> bool {
        self.fingerprint == *fingerprint
    }
}

impl FromStr for Key {
    type Err = Error;

    fn from_str(text: &str) -> Result<Key> {
        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first.starts_with(SHA256) {
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
        Ok(Key { fingerprint: key.fingerprint(), validity })
    }
}

fn no_key(text: &str) -> Error {
    let shown: String = text.chars().take(60).collect();
    Error::usage(format!("`{}` is no public key", shown.escape_debug()))
        .help("write it as in `~/.ssh/id_ed25519.pub` (`ssh-ed25519 AAAA… who`), or its fingerprint (`SHA256:…`)")
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
