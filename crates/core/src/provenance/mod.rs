//! Signatures of git commits and tags, verified against trusted keys.
//!
//! | file | |
//! |---|---|
//! | `object.rs` | a commit or tag → the bytes that were signed, and the signature over them |
//! | `armor.rs` | the signature's text → its parts, in OpenSSH's form (SSHSIG) |
//! | `key.rs` | a trusted key: `ssh-ed25519 AAAA… who`, or a fingerprint; when it is valid |
//! | `fingerprint.rs` | `SHA256:…` or `openpgp:…`, by which keys are listed and reported |
//! | `openpgp/` | OpenPGP keys and signatures, and the output of the program that verifies them |
//! | `algorithm.rs` | whether a key made a signature; the only file that uses `ring` |
//! | `wire.rs` | SSH's encoding of fields |
//!
//! ```text
//! tree 5b0c…                                          -----BEGIN SSH SIGNATURE-----
//! parent 91ac…                                        U1NIU0lHAAAAAQAAADMAAAAL…     "SSHSIG", 1, the key, `git`,
//! committer Ann <ann@acme.dev> 1750000060 +0000       …                             the hash, the signature
//! gpgsig -----BEGIN SSH SIGNATURE-----                -----END SSH SIGNATURE-----
//!  …
//! ```
//!
//! Everything that is not understood is a [`VerifyError`], never a valid signature. X.509 is recognized, and not
//! verified. Pure: bytes in, a verdict out. Callers list the keys, fetch the bytes and run the program that verifies
//! OpenPGP.

mod algorithm;
mod armor;
mod fingerprint;
mod key;
mod object;
mod openpgp;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;

pub use fingerprint::KeyFingerprint;
pub use key::{KeyValidity, TrustedKey};
pub use object::SignedObject;
pub use openpgp::{DetachedSignature, OpenpgpError, OpenpgpVerifier};

/// The namespace in which git signs.
const NAMESPACE: &str = "git";

/// Why something is not signed by a trusted key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VerifyError {
    /// It has no signature.
    Unsigned,
    /// It has several signatures, any of which could be meant.
    MultipleSignatures,
    /// It is signed in a format that is not verified here.
    UnsupportedFormat(&'static str),
    /// It, or its signature, cannot be parsed.
    Malformed(&'static str),
    /// Its signature is for something other than git.
    WrongNamespace(String),
    /// Its signature is over an unknown hash.
    UnknownHash(String),
    /// Its key or its signature is of an unknown algorithm, or the two do not match.
    UnknownAlgorithm(String),
    /// It is signed with OpenPGP, and the signature is not accepted.
    Openpgp(OpenpgpError),
    /// The signature is over other bytes.
    Mismatch(KeyFingerprint),
    /// Its key is not a trusted one.
    UntrustedKey(KeyFingerprint),
    /// Its key is trusted, and was not valid at the time of the signature.
    OutsideValidity(KeyFingerprint),
    /// No trusted keys are listed for it.
    NoTrustedKeys,
    /// Its source does not sign anything.
    UnsignedSource(String),
    /// It is signed, and is about another object than the one requested.
    WrongObject(String),
    /// The history needed to verify it is not available.
    MissingHistory,
    /// The object that failed, and why.
    About(String, Box<VerifyError>),
}

impl VerifyError {
    /// The same error, with the object that it is about.
    #[must_use]
    pub fn about(self, what: impl Into<String>) -> VerifyError {
        VerifyError::About(what.into(), Box::new(self))
    }

    /// The key of the signature that failed, where it is known.
    #[must_use]
    pub fn key(&self) -> Option<KeyFingerprint> {
        match self {
            VerifyError::Mismatch(key)
            | VerifyError::UntrustedKey(key)
            | VerifyError::OutsideValidity(key) => Some(*key),
            VerifyError::About(_, error) => error.key(),
            _ => None,
        }
    }
}

impl fmt::Display for VerifyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            VerifyError::Unsigned => f.write_str("it is not signed"),
            VerifyError::MultipleSignatures => f.write_str("it has multiple signatures"),
            VerifyError::UnsupportedFormat(kind) => {
                write!(f, "unsupported signature format {kind}")
            }
            VerifyError::Malformed(what) => write!(f, "failed to parse its signature: {what}"),
            VerifyError::WrongNamespace(name) => {
                write!(
                    f,
                    "unexpected signature namespace `{}`: expected `{NAMESPACE}`",
                    name.escape_debug()
                )
            }
            VerifyError::UnknownHash(name) => write!(
                f,
                "unknown hash algorithm `{}` in its signature",
                name.escape_debug()
            ),
            VerifyError::UnknownAlgorithm(name) => write!(
                f,
                "unknown key or signature algorithm `{}`",
                name.escape_debug()
            ),
            VerifyError::Openpgp(error) => error.fmt(f),
            VerifyError::Mismatch(key) => {
                write!(f, "bad signature from {key}: the content does not match")
            }
            VerifyError::UntrustedKey(key) => {
                write!(f, "it is signed by {key}, which is not a trusted key")
            }
            VerifyError::OutsideValidity(key) => {
                write!(f, "it is signed by {key}, which was not valid at that time")
            }
            VerifyError::NoTrustedKeys => f.write_str("no trusted keys are listed for it"),
            VerifyError::UnsignedSource(what) => f.write_str(what),
            VerifyError::WrongObject(what) => f.write_str(what),
            VerifyError::About(what, error) => write!(f, "{what}: {error}"),
            VerifyError::MissingHistory => {
                f.write_str("the history needed to verify it is not available")
            }
        }
    }
}

/// The key that signed a package, or why none did.
pub type VerifyResult = Result<KeyFingerprint, VerifyError>;

/// The result of verifying a package, and whether a signature is required.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SignatureStatus {
    /// The trusted key that signed it, or why there is none.
    pub verdict: VerifyResult,
    /// Whether its owners or the caller's policy expect it to be signed.
    pub is_expected: bool,
}

impl SignatureStatus {
    /// The status of a package that is not signed, nor expected to be.
    #[must_use]
    pub fn unverified(error: VerifyError) -> SignatureStatus {
        SignatureStatus {
            verdict: Err(error),
            is_expected: false,
        }
    }
}

impl SignedObject {
    /// The one of `keys` that signed it; `openpgp` verifies OpenPGP signatures.
    ///
    /// # Errors
    /// If it is not signed by one of them at a time when that key was valid.
    pub fn verify(&self, keys: &[TrustedKey], openpgp: &dyn OpenpgpVerifier) -> VerifyResult {
        let text = self.signature()?;
        // `signature` returns only these two formats; anything else is an error by now.
        let fingerprint = if text.starts_with(openpgp::BEGIN) {
            self.verify_openpgp(text, keys, openpgp)?
        } else {
            self.verify_ssh(text, keys)?
        };

        // A key may be listed several times, each with its own time.
        if !keys
            .iter()
            .any(|key| key.has_fingerprint(&fingerprint) && key.validity.contains(self.time()))
        {
            return Err(VerifyError::OutsideValidity(fingerprint));
        }

        Ok(fingerprint)
    }

    /// The key that made an OpenPGP signature.
    ///
    /// # Errors
    /// If the signature cannot be parsed, is not good, or is by another key.
    fn verify_openpgp(
        &self,
        text: &str,
        keys: &[TrustedKey],
        openpgp: &dyn OpenpgpVerifier,
    ) -> VerifyResult {
        let signature = openpgp::parse_signature(text).map_err(VerifyError::Malformed)?;
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
            payload: self.payload(),
        })?;

        match openpgp::read_signer(&status_output) {
            // `gpgv` names the primary key, also where a subkey made the signature.
            Ok(key)
                if keys.iter().any(|listed| {
                    listed.has_fingerprint(&key) && listed.certificate().is_some()
                }) =>
            {
                Ok(key)
            }
            // A good signature by a key that was not passed in is not accepted.
            Ok(key) | Err(VerifyError::UntrustedKey(key)) => Err(untrusted_key(key, keys)),
            Err(error) => Err(error),
        }
    }

    /// The key that made an OpenSSH signature.
    ///
    /// # Errors
    /// If the signature cannot be parsed, does not match, or is by a key that is not listed.
    fn verify_ssh(&self, text: &str, keys: &[TrustedKey]) -> VerifyResult {
        let signature = armor::Signature::parse(text)?;
        let fingerprint = signature.key.fingerprint();

        // Before the arithmetic: an unlisted key is reported as such, even if it did not sign this.
        if !keys.iter().any(|key| key.has_fingerprint(&fingerprint)) {
            return Err(if keys.is_empty() {
                VerifyError::NoTrustedKeys
            } else {
                VerifyError::UntrustedKey(fingerprint)
            });
        }

        signature.verify(self.payload())?;
        Ok(fingerprint)
    }
}

/// The error for a signature by a key whose packets are not listed.
fn untrusted_key(key: KeyFingerprint, keys: &[TrustedKey]) -> VerifyError {
    if keys.iter().any(|listed| listed.has_fingerprint(&key)) {
        return VerifyError::Openpgp(OpenpgpError::MissingKey(key));
    }
    VerifyError::UntrustedKey(key)
}
