//! Who vouches for what: signatures of git commits and tags, held against keys that somebody lists.
//!
//! | file | |
//! |---|---|
//! | `object.rs` | a commit or tag → the bytes that were signed, and the signature over them |
//! | `armour.rs` | the signature's text → its parts, in OpenSSH's form (SSHSIG) |
//! | `key.rs` | a listed key: `ssh-ed25519 AAAA… who`, or a fingerprint; when it is valid |
//! | `openpgp/` | keys and signatures of OpenPGP, and what the program that verifies them said |
//! | `algorithm.rs` | whether a key made a signature; the one that names `ring` |
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
//! Everything that is not understood is a [`Doubt`], and no signature. X.509 is told apart, and not verified.
//! Pure: bytes in, a verdict out. Who lists keys, where the bytes come from, and which program verifies OpenPGP is for
//! others to know.

mod algorithm;
mod armour;
mod key;
mod object;
mod openpgp;
#[cfg(test)]
mod tests;
mod wire;

use std::fmt;

pub use key::{Fingerprint, Key, Validity};
pub use object::Signed;
pub use openpgp::{Detached, Flaw, Openpgp};

/// The namespace in which git signs.
const NAMESPACE: &str = "git";

/// Why something is not vouched for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// It has no signature.
    Unsigned,
    /// It has several, of which each could be meant.
    Several,
    /// It is signed in a way that is not verified here.
    Kind(&'static str),
    /// It, or its signature, cannot be read.
    Malformed(&'static str),
    /// Its signature is for something else than git.
    Namespace(String),
    /// Its signature is over a hash that is not known.
    Hash(String),
    /// Its key, or its signature, is of a sort that is not known, or that does not go with the other.
    Algorithm(String),
    /// It is signed with OpenPGP, and that counts for nothing.
    Openpgp(Flaw),
    /// The signature does not fit these bytes.
    Differs(Fingerprint),
    /// Its key is none of those that are listed.
    Stranger(Fingerprint),
    /// Its key is listed, and was not valid when it was signed.
    OutOfTime(Fingerprint),
    /// Nobody lists a key that could vouch for it.
    NoKeys,
    /// Where it comes from, nothing is signed.
    NoSource(String),
    /// It is signed, and does not say what it is taken for.
    Elsewhere(String),
    /// The history that would tell is not at hand.
    NoHistory,
    /// What it is that is in doubt, and why.
    Of(String, Box<Doubt>),
}

impl Doubt {
    /// The same, with what it is about.
    #[must_use]
    pub fn of(self, what: impl Into<String>) -> Doubt {
        Doubt::Of(what.into(), Box::new(self))
    }

    /// The key that signed it, where that is known and does not help.
    #[must_use]
    pub fn key(&self) -> Option<Fingerprint> {
        match self {
            Doubt::Differs(key) | Doubt::Stranger(key) | Doubt::OutOfTime(key) => Some(*key),
            Doubt::Of(_, doubt) => doubt.key(),
            _ => None,
        }
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Doubt::Unsigned => f.write_str("it is not signed"),
            Doubt::Several => f.write_str("it has more than one signature"),
            Doubt::Kind(kind) => write!(f, "it has a signature of {kind}, which is not verified here"),
            Doubt::Malformed(what) => write!(f, "its signature cannot be read: {what}"),
            Doubt::Namespace(name) => {
                write!(f, "its signature is for `{}`, not for `{NAMESPACE}`", name.escape_debug())
            }
            Doubt::Hash(name) => write!(f, "its signature is over an unknown hash, `{}`", name.escape_debug()),
            Doubt::Algorithm(name) => write!(f, "its signature is of an unknown sort, `{}`", name.escape_debug()),
            Doubt::Openpgp(flaw) => flaw.fmt(f),
            Doubt::Differs(key) => write!(f, "it is not what {key} signed"),
            Doubt::Stranger(key) => write!(f, "it is signed by {key}, which is not listed"),
            Doubt::OutOfTime(key) => write!(f, "it is signed by {key}, which was not valid then"),
            Doubt::NoKeys => f.write_str("nobody lists a key for it"),
            Doubt::NoSource(what) => f.write_str(what),
            Doubt::Elsewhere(what) => f.write_str(what),
            Doubt::Of(what, doubt) => write!(f, "{what}: {doubt}"),
            Doubt::NoHistory => f.write_str("the history that would tell is not at hand"),
        }
    }
}

/// What was found out about a package.
pub type Verdict = Result<Fingerprint, Doubt>;

/// What was found out about a package, and whether anybody cares.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vouched {
    /// The key that vouches for it, or why none does.
    pub verdict: Verdict,
    /// Whether somebody says that it should be signed: its owners, or who asks.
    pub is_expected: bool,
}

impl Vouched {
    /// What nobody vouches for, nor is expected to.
    #[must_use]
    pub fn not(doubt: Doubt) -> Vouched {
        Vouched { verdict: Err(doubt), is_expected: false }
    }
}

impl Signed {
    /// The key that vouches for it, if that is one of these; `openpgp` is asked about signatures of OpenPGP.
    ///
    /// # Errors
    /// Whatever is in doubt.
    pub fn by(&self, keys: &[Key], openpgp: &dyn Openpgp) -> Verdict {
        let text = self.signature()?;
        let fingerprint = if text.starts_with(openpgp::BEGIN) {
            openpgp::signer(text, self.payload(), keys, openpgp)?
        } else {
            self.ssh_signer(text, keys)?
        };
        if !keys.iter().any(|key| key.is(&fingerprint) && key.validity.holds(self.time())) {
            return Err(Doubt::OutOfTime(fingerprint));
        }
        Ok(fingerprint)
    }

    fn ssh_signer(&self, text: &str, keys: &[Key]) -> Verdict {
        let signature = armour::Signature::parse(text)?;
        let fingerprint = signature.key.fingerprint();
        if !keys.iter().any(|key| key.is(&fingerprint)) {
            return Err(if keys.is_empty() { Doubt::NoKeys } else { Doubt::Stranger(fingerprint) });
        }
        signature.verify(self.payload())?;
        Ok(fingerprint)
    }
}
