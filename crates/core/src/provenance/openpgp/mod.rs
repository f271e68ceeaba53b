//! OpenPGP: read here as far as its packets, and verified by a program that the caller knows, as git does.
//!
//! | file | |
//! |---|---|
//! | `packets.rs` | armour → packets; a public key, and its fingerprint |
//! | `status.rs` | what `gpgv --status-fd` said → the key that made the signature, or a doubt |

mod packets;
mod status;

use std::fmt;

use super::{Doubt, Fingerprint, Key, Verdict};
pub(super) use packets::{Certificate, is_block};

/// How the text of a signature begins.
pub(super) const BEGIN: &str = packets::SIGNATURE.begin;

/// Something signed with OpenPGP, as a program wants to have it.
#[derive(Debug, Clone, Copy)]
pub struct Detached<'a> {
    /// The keys that may have made it, as packets.
    pub keyring: &'a [u8],
    /// The signature: one packet.
    pub signature: &'a [u8],
    /// What was signed.
    pub payload: &'a [u8],
}

/// Who can tell which key made a signature.
pub trait Openpgp {
    /// What `gpgv --status-fd` says of it, in lines that begin with `[GNUPG:]`.
    ///
    /// # Errors
    /// If nobody here can tell.
    fn status(&self, signed: &Detached<'_>) -> Result<String, Doubt>;
}

/// Why an OpenPGP signature counts for nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Flaw {
    /// It does not fit the bytes; the id is of the key that it names.
    Differs(String),
    /// Its key, or the signature itself, has expired.
    Expired(String),
    /// Its key was revoked.
    Revoked(String),
    /// It is over a hash, or by a kind of key, that is too weak.
    Weak(&'static str),
    /// The key cannot be told by its fingerprint alone.
    FingerprintAlone(Fingerprint),
    /// The program that verifies it is not installed.
    NoProgram(&'static str),
    /// The program that verifies it did not say what was asked.
    Unclear(String),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Flaw::Differs(id) => write!(f, "it is not what the OpenPGP key {id} signed"),
            Flaw::Expired(id) => write!(f, "its OpenPGP key {id}, or its signature, has expired"),
            Flaw::Revoked(id) => write!(f, "its OpenPGP key {id} was revoked"),
            Flaw::Weak(what) => write!(f, "its OpenPGP signature counts for nothing: {what}"),
            Flaw::FingerprintAlone(key) => {
                write!(
                    f,
                    "it may be signed by {key}, of which only the fingerprint is known, and OpenPGP needs the key"
                )
            }
            Flaw::NoProgram(name) => {
                write!(
                    f,
                    "its signature is of OpenPGP, and `{name}`, which verifies those, is not here: install {name}"
                )
            }
            Flaw::Unclear(why) => write!(f, "its OpenPGP signature could not be verified: {why}"),
        }
    }
}

/// The key that made a signature, if that is one of these.
pub(super) fn signer(text: &str, payload: &[u8], keys: &[Key], openpgp: &dyn Openpgp) -> Verdict {
    let signature = packets::signature(text).map_err(Doubt::Malformed)?;
    if keys.is_empty() {
        return Err(Doubt::NoKeys);
    }
    let mut known: Vec<&[u8]> = keys.iter().filter_map(Key::certificate).collect();
    known.sort_unstable();
    known.dedup();
    let told = openpgp.status(&Detached { keyring: &known.concat(), signature: &signature, payload })?;
    match status::read(&told) {
        Ok(key) if keys.iter().any(|listed| listed.is(&key) && listed.certificate().is_some()) => Ok(key),
        Ok(key) | Err(Doubt::Stranger(key)) => Err(stranger(key, keys)),
        Err(doubt) => Err(doubt),
    }
}

fn stranger(key: Fingerprint, keys: &[Key]) -> Doubt {
    if keys.iter().any(|listed| listed.is(&key)) {
        return Doubt::Openpgp(Flaw::FingerprintAlone(key));
    }
    Doubt::Stranger(key)
}
