//! The fingerprints by which keys are listed and reported.
//!
//! ```text
//! SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDCLyPHRyJl1BMlyLc       of a key of SSH
//! openpgp:D2A6B1C2…                                        of a key of OpenPGP, 40 or 64 digits
//! ```

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD_NO_PAD as UNPADDED;

use crate::error::{Error, Result};
use crate::package::Sha256Digest;

pub(super) const SHA256_PREFIX: &str = "SHA256:";
pub(super) const OPENPGP_PREFIX: &str = "openpgp:";

/// Identifies a key: `SHA256:` and 43 digits of Base64, as `ssh-keygen -l` shows it, or `openpgp:` and the 40 or 64 digits
/// that `gpg --fingerprint` shows of a primary key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct KeyFingerprint(FingerprintKind);

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum FingerprintKind {
    Ssh(Sha256Digest),
    Openpgp4([u8; 20]),
    Openpgp5(Sha256Digest),
}

impl KeyFingerprint {
    pub(super) fn from_ssh_blob(blob: &[u8]) -> KeyFingerprint {
        KeyFingerprint(FingerprintKind::Ssh(Sha256Digest::hash_bytes(blob)))
    }

    /// The fingerprint of an OpenPGP key of version 4, by the SHA-1 of its framed packet.
    pub(super) fn from_openpgp_v4(sha1: [u8; 20]) -> KeyFingerprint {
        KeyFingerprint(FingerprintKind::Openpgp4(sha1))
    }

    /// The fingerprint of an OpenPGP key of version 5, framed as it is hashed.
    pub(super) fn from_openpgp_v5(framed: &[u8]) -> KeyFingerprint {
        KeyFingerprint(FingerprintKind::Openpgp5(Sha256Digest::hash_bytes(framed)))
    }

    /// Parses 40 or 64 hex digits; `None` for anything else.
    pub(super) fn from_openpgp_digits(digits: &str) -> Option<KeyFingerprint> {
        let bytes = hex::decode(digits).ok()?;
        let kind = match bytes.len() {
            20 => FingerprintKind::Openpgp4(bytes.try_into().ok()?),
            // Any other length fails in the conversion.
            _ => FingerprintKind::Openpgp5(Sha256Digest::from_bytes(bytes.try_into().ok()?)),
        };

        Some(KeyFingerprint(kind))
    }

    /// The digits that `gpg` shows for it; `None` for an SSH key.
    #[must_use]
    pub fn openpgp_digits(&self) -> Option<String> {
        let bytes = match &self.0 {
            FingerprintKind::Ssh(_) => return None,
            FingerprintKind::Openpgp4(bytes) => &bytes[..],
            FingerprintKind::Openpgp5(hash) => &hash.as_bytes()[..],
        };
        // `gpg` takes and shows these digits without a prefix.
        Some(hex::encode_upper(bytes))
    }
}

impl fmt::Display for KeyFingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.0, self.openpgp_digits()) {
            (FingerprintKind::Ssh(hash), _) => {
                write!(f, "{SHA256_PREFIX}{}", UNPADDED.encode(hash.as_bytes()))
            }
            (_, digits) => write!(f, "{OPENPGP_PREFIX}{}", digits.unwrap_or_default()),
        }
    }
}

impl FromStr for KeyFingerprint {
    type Err = Error;

    fn from_str(text: &str) -> Result<KeyFingerprint> {
        // Always with a prefix, so that the digits of one kind are never read as those of another.
        if let Some(key) = text
            .strip_prefix(OPENPGP_PREFIX)
            .and_then(KeyFingerprint::from_openpgp_digits)
        {
            return Ok(key);
        }

        let digits = text
            .strip_prefix(SHA256_PREFIX)
            .and_then(|digits| UNPADDED.decode(digits).ok());
        let digest = digits.and_then(|digits| <[u8; 32]>::try_from(digits).ok());

        digest.map(|digest| KeyFingerprint(FingerprintKind::Ssh(Sha256Digest::from_bytes(digest)))).ok_or_else(|| {
            Error::usage(format!("invalid key fingerprint `{}`", text.escape_debug()))
                .help("`ssh-keygen -lf FILE` shows it: `SHA256:` and 43 characters; for OpenPGP it is `openpgp:` and 40 digits")
        })
    }
}
