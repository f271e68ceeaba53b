//! OpenPGP: its packets are parsed here, and signatures are verified by a program that the caller runs, as git does.
//!
//! | file | |
//! |---|---|
//! | `packets.rs` | armor → packets; a public key, and its fingerprint |
//! | `status.rs` | the output of `gpgv --status-fd` → the key that made the signature, or an error |

mod packets;
mod status;

use std::fmt;

use super::{KeyFingerprint, VerifyError};
pub(super) use packets::{OpenpgpCertificate, is_armored, parse_signature};
pub(super) use status::read_signer;

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
            // As an error of the signature: without the program nothing shows that it is good.
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
