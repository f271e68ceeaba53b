//! Trusted keys, as settings and policies list them.
//!
//! ```text
//! ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI… ann@acme.dev                as in `~/.ssh/id_ed25519.pub`
//! valid-after="20260101",valid-before="20270101" ssh-ed25519 AAAA…   with options, as in git's file of allowed signers
//! SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc                 by its fingerprint alone
//! -----BEGIN PGP PUBLIC KEY BLOCK-----…                              of OpenPGP, as `gpg --armor --export` writes it
//! ```

use std::str::FromStr;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;

use super::algorithm::PublicKey;
use super::fingerprint::{KeyFingerprint, OPENPGP_PREFIX, SHA256_PREFIX};
use super::openpgp::{self, OpenpgpCertificate};
use crate::error::{Error, Result};

/// The time during which a key may sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct KeyValidity {
    /// The first second, since 1970; `None` for no lower bound.
    pub from: Option<i64>,
    /// The first second after it, since 1970; `None` for no upper bound.
    pub before: Option<i64>,
}

impl KeyValidity {
    /// Whether a time is within; an unknown time is only within a validity without bounds.
    #[must_use]
    pub fn contains(&self, time: Option<i64>) -> bool {
        match time {
            Some(time) => {
                self.from.is_none_or(|from| from <= time)
                    && self.before.is_none_or(|before| time < before)
            }
            // Without a date it could be from before or after the time in which the key is valid.
            None => *self == KeyValidity::default(),
        }
    }

    /// The validity between two times, each a timestamp or a day in UTC; the last day counts as a whole.
    ///
    /// # Errors
    /// If one is neither a timestamp nor a day.
    pub fn from_bounds(from: Option<&str>, until: Option<&str>) -> Result<KeyValidity> {
        let from = from.map(|text| parse_timestamp(text, false)).transpose()?;
        let before = until.map(|text| parse_timestamp(text, true)).transpose()?;
        Ok(KeyValidity { from, before })
    }
}

/// A key that is listed as trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrustedKey {
    fingerprint: KeyFingerprint,
    certificate: Option<Arc<[u8]>>,
    /// When it may sign.
    pub validity: KeyValidity,
}

impl TrustedKey {
    /// The key with a fingerprint, valid at all times.
    #[must_use]
    pub fn from_fingerprint(fingerprint: KeyFingerprint) -> TrustedKey {
        TrustedKey {
            fingerprint,
            certificate: None,
            validity: KeyValidity::default(),
        }
    }

    /// The same key with another validity.
    #[must_use]
    pub fn with_validity(self, validity: KeyValidity) -> TrustedKey {
        TrustedKey { validity, ..self }
    }

    /// Its fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> KeyFingerprint {
        self.fingerprint
    }

    /// Its OpenPGP packets; `None` for an SSH key, or where only the fingerprint is listed.
    pub(super) fn certificate(&self) -> Option<&[u8]> {
        self.certificate.as_deref()
    }

    /// Whether its fingerprint is this one.
    #[must_use]
    pub fn has_fingerprint(&self, fingerprint: &KeyFingerprint) -> bool {
        self.fingerprint == *fingerprint
    }
}

impl FromStr for TrustedKey {
    type Err = Error;

    fn from_str(text: &str) -> Result<TrustedKey> {
        if openpgp::is_armored(text) {
            return parse_armored(text);
        }

        // The options of an armored key come before its first line.
        if let Some((first, block)) = text.trim_start().split_once(char::is_whitespace)
            && openpgp::is_armored(block)
        {
            return Ok(parse_armored(block)?.with_validity(parse_options(first)?));
        }

        let mut words = text.split_whitespace();
        let first = words.next().unwrap_or_default();
        if first.starts_with(SHA256_PREFIX) || first.starts_with(OPENPGP_PREFIX) {
            return Ok(TrustedKey::from_fingerprint(first.parse()?));
        }

        // Options are known by their `=`, which no key type contains.
        let (validity, kind) = if first.contains('=') {
            (parse_options(first)?, words.next().unwrap_or_default())
        } else {
            (KeyValidity::default(), first)
        };

        let blob = words
            .next()
            .and_then(|digits| BASE64.decode(digits).ok())
            .ok_or_else(|| invalid_key_error(text))?;
        let key = PublicKey::from_blob(&blob)
            .map_err(|error| invalid_key_error(text).note(error.to_string()))?;

        // The blob names its type as well. A line with another type was damaged, or misleads.
        if key.key_type() != kind {
            return Err(invalid_key_error(text).note(format!(
                "the key data is of type `{}`",
                key.key_type().escape_debug()
            )));
        }

        Ok(TrustedKey {
            fingerprint: key.fingerprint(),
            certificate: None,
            validity,
        })
    }
}

fn parse_armored(text: &str) -> Result<TrustedKey> {
    let OpenpgpCertificate {
        fingerprint,
        packets,
    } = OpenpgpCertificate::parse(text).map_err(|why| invalid_key_error(text).note(why))?;
    Ok(TrustedKey {
        fingerprint,
        certificate: Some(packets.into()),
        validity: KeyValidity::default(),
    })
}

fn invalid_key_error(text: &str) -> Error {
    let shown: String = text
        .trim()
        .lines()
        .next()
        .unwrap_or_default()
        .chars()
        .take(60)
        .collect();

    Error::usage(format!("invalid public key `{}`", shown.escape_debug()))
        .help("write it as in `~/.ssh/id_ed25519.pub` (`ssh-ed25519 AAAA… who`), its fingerprint (`SHA256:…`), or the output of `gpg --armor --export WHO`")
}

/// The options before a key, of which only those about time are known.
fn parse_options(text: &str) -> Result<KeyValidity> {
    let mut validity = KeyValidity::default();
    for option in text.split(',') {
        let (name, value) = option.split_once('=').unwrap_or((option, ""));
        let value = value.trim_matches('"');
        match name {
            "valid-after" => validity.from = Some(parse_timestamp(value, false)?),
            "valid-before" => validity.before = Some(parse_timestamp(value, false)?),
            // Common in files of allowed signers, and no restriction here: these keys verify git objects only.
            "namespaces" if value == super::NAMESPACE => {}
            // An unknown option may restrict the key, so ignoring it would trust more than intended.
            _ => {
                return Err(Error::usage(format!(
                    "unknown key option `{}`",
                    option.escape_debug()
                ))
                .help("known options: `valid-after=\"20260101\"`, `valid-before=\"20270101\"`"));
            }
        }
    }

    Ok(validity)
}

/// Parses a timestamp, a day, or either in OpenSSH's digits (`20260101`, `202601011200Z`) into seconds since 1970. A day
/// begins in UTC; with `is_last` its end is returned.
fn parse_timestamp(text: &str, is_last: bool) -> Result<i64> {
    if let Ok(moment) = text.parse::<Timestamp>() {
        return Ok(moment.as_second());
    }

    // In UTC, with or without `Z`: the same line must mean the same time on each machine.
    let digits = text.strip_suffix('Z').unwrap_or(text);
    let is_compact = digits.bytes().all(|byte| byte.is_ascii_digit());
    let parsed = match digits.len() {
        8 if is_compact => Date::strptime("%Y%m%d", digits)
            .ok()
            .map(|date| day_bound(date, is_last)),
        12 if is_compact => DateTime::strptime("%Y%m%d%H%M", digits).ok(),
        14 if is_compact => DateTime::strptime("%Y%m%d%H%M%S", digits).ok(),
        10 if !is_compact => text
            .parse::<Date>()
            .ok()
            .map(|date| day_bound(date, is_last)),
        _ => None,
    };

    let moment = parsed.and_then(|parsed| Offset::UTC.to_timestamp(parsed).ok());
    moment.map(Timestamp::as_second).ok_or_else(|| {
        Error::usage(format!("invalid time `{}`", text.escape_debug())).help(
            "write a day (`2026-11-01`, which begins in UTC) or a moment (`2026-11-01T12:00:00Z`)",
        )
    })
}

/// Midnight at the start of a day, or with `is_last` at its end.
fn day_bound(date: Date, is_last: bool) -> DateTime {
    let date = if is_last {
        date.tomorrow().unwrap_or(date)
    } else {
        date
    };
    date.to_datetime(jiff::civil::Time::midnight())
}
