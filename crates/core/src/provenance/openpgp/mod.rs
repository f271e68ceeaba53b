//! OpenPGP: its packets are parsed here, and signatures are verified by a program that the caller runs, as git does.
//!
//! | file | |
//! |---|---|
//! | `packets.rs` | armor → packets; a public key, and its fingerprint |
//! | `status.rs` | the output of `gpgv --status-fd` → the key that made the signature, or an error |

mod packets;
mod status;

use std::fmt;

use super::{KeyFingerprint, TrustedKey, VerifyError, VerifyResult};
pub(super) use packets::{OpenpgpCertificate, is_armored};

/// The first line of an armored signature.
pub(super) const BEGIN: &str = packets::SIGNATURE_FRAME.begin;

/// Content signed with OpenPGP, as the verifying program takes it.
#[derive(Debug, Clone, Copy)]
pub struct DetachedSignature<'a> {
    /// The keys that may have made it, as packets.
    pub keyring: &'a [u8],
    /// The signature: one packet.
    pub signature: &'a [u8],
    /// The signed bytes.
    pub payload: &'a [u8],
}

/// Runs the program that verifies OpenPGP signatures.
pub trait OpenpgpVerifier {
    /// The output of `gpgv --status-fd`, in lines that begin with `[GNUPG:]`.
    ///
    /// # Errors
    /// If the program is missing or fails.
    fn status(&self, signed: &DetachedSignature<'_>) -> Result<String, VerifyError>;
}

/// Why an OpenPGP signature is not accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OpenpgpError {
    /// It is over other bytes; the id is of the key that it names.
    BadSignature(String),
    /// Its key, or the signature itself, has expired.
    Expired(String),
    /// Its key was revoked.
    Revoked(String),
    /// It is over a hash, or by a kind of key, that is too weak.
    WeakAlgorithm(&'static str),
    /// Only the key's fingerprint is listed, and verifying requires the key.
    MissingKey(KeyFingerprint),
    /// The program that verifies it is not installed.
    MissingProgram(&'static str),
    /// The program that verifies it did not report a result.
    Unverified(String),
}

impl fmt::Display for OpenpgpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OpenpgpError::BadSignature(id) => {
                write!(
                    f,
                    "bad signature from OpenPGP key {id}: the content does not match"
                )
            }
            OpenpgpError::Expired(id) => {
                write!(f, "its OpenPGP key {id}, or its signature, has expired")
            }
            OpenpgpError::Revoked(id) => write!(f, "its OpenPGP key {id} was revoked"),
            OpenpgpError::WeakAlgorithm(what) => {
                write!(f, "its OpenPGP signature is not accepted: {what}")
            }
            OpenpgpError::MissingKey(key) => {
                write!(
                    f,
                    "it may be signed by {key}, but only its fingerprint is listed: OpenPGP requires the public key"
                )
            }
            OpenpgpError::MissingProgram(name) => {
                write!(
                    f,
                    "verifying its OpenPGP signature requires `{name}`, which was not found: install {name}"
                )
            }
            OpenpgpError::Unverified(why) => {
                write!(f, "failed to verify its OpenPGP signature: {why}")
            }
        }
    }
}

/// The one of `keys` that made a signature.
///
/// # Errors
/// If the signature cannot be parsed, is not good, or is by another key.
pub(super) fn find_signer(
    text: &str,
    payload: &[u8],
    keys: &[TrustedKey],
    openpgp: &dyn OpenpgpVerifier,
) -> VerifyResult {
    let signature = packets::parse_signature(text).map_err(VerifyError::Malformed)?;
    // Without listed keys nothing can match, so the program is not started.
    if keys.is_empty() {
        return Err(VerifyError::NoTrustedKeys);
    }

    // One key may be listed more than once, and the keyring needs it once.
    let mut known: Vec<&[u8]> = keys.iter().filter_map(TrustedKey::certificate).collect();
    known.sort_unstable();
    known.dedup();

    let status_output = openpgp.status(&DetachedSignature {
        keyring: &known.concat(),
        signature: &signature,
        payload,
    })?;

    match status::read_signer(&status_output) {
        // `gpgv` names the primary key, also where a subkey made the signature.
        Ok(key)
            if keys
                .iter()
                .any(|listed| listed.has_fingerprint(&key) && listed.certificate().is_some()) =>
        {
            Ok(key)
        }
        // A good signature by a key that was not passed in is not accepted.
        Ok(key) | Err(VerifyError::UntrustedKey(key)) => Err(untrusted_key(key, keys)),
        Err(error) => Err(error),
    }
}

/// The error for a signature by a key whose packets are not listed.
fn untrusted_key(key: KeyFingerprint, keys: &[TrustedKey]) -> VerifyError {
    if keys.iter().any(|listed| listed.has_fingerprint(&key)) {
        return VerifyError::Openpgp(OpenpgpError::MissingKey(key));
    }
    VerifyError::UntrustedKey(key)
}
