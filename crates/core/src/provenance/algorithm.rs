//! Which keys and signatures there are, and whether the one made the other. The arithmetic is `ring`'s.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512, digest};
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA512, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

use super::wire::{Fields, push_padded, trimmed};
use super::{Doubt, Fingerprint};

/// The bit by which a security key says that somebody touched it.
const TOUCHED: u8 = 1;

/// What a signature is over: not the bytes themselves, but a hash of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hash {
    Sha256,
    Sha512,
}

impl Hash {
    pub(super) fn named(name: &str) -> Result<Hash, Doubt> {
        match name {
            "sha256" => Ok(Hash::Sha256),
            "sha512" => Ok(Hash::Sha512),
            other => Err(Doubt::Hash(other.to_owned())),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Hash::Sha256 => "sha256",
            Hash::Sha512 => "sha512",
        }
    }

    pub(super) fn of(self, bytes: &[u8]) -> Vec<u8> {
        let algorithm = match self {
            Hash::Sha256 => &SHA256,
            Hash::Sha512 => &SHA512,
        };
        digest(algorithm, bytes).as_ref().to_vec()
    }
}

/// What OpenPGP tells its keys by.
pub(super) fn sha1(bytes: &[u8]) -> [u8; 20] {
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, bytes);
    std::array::from_fn(|at| hash.as_ref()[at])
}

/// A public key as OpenSSH writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublicKey {
    blob: Vec<u8>,
    kind: Kind,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Kind {
    Ed25519(Vec<u8>),
    Ecdsa(Curve, Vec<u8>),
    Rsa {
        e: Vec<u8>,
        n: Vec<u8>,
    },
    /// In a security key, for an application (`ssh:`).
    Touch(Box<Kind>, Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Curve {
    P256,
    P384,
}

impl Curve {
    fn of(name: &str) -> Option<Curve> {
        match name {
            "nistp256" => Some(Curve::P256),
            "nistp384" => Some(Curve::P384),
            _ => None,
        }
    }

    fn width(self) -> usize {
        match self {
            Curve::P256 => 32,
            Curve::P384 => 48,
        }
    }

    fn algorithm(self) -> &'static dyn VerificationAlgorithm {
        match self {
            Curve::P256 => &ECDSA_P256_SHA256_FIXED,
            Curve::P384 => &ECDSA_P384_SHA384_FIXED,
        }
    }
}

impl PublicKey {
    /// Reads one as it stands in files and signatures, decoded.
    pub(super) fn read(blob: &[u8]) -> Result<PublicKey, Doubt> {
        let mut fields = Fields(blob);
        let kind = Kind::read(&mut fields)?;
        fields.end()?;
        Ok(PublicKey { blob: blob.to_vec(), kind })
    }

    /// The word that a line with this key begins with.
    pub(super) fn word(&self) -> &str {
        Fields(&self.blob).text().unwrap_or_default()
    }

    pub(super) fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.blob)
    }

    /// Whether it made a signature over a message.
    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), Doubt> {
        let mut fields = Fields(signature);
        let made = Made { name: fields.text()?, bytes: fields.bytes()?, rest: fields };
        if self.kind.fits(message, &made)? { Ok(()) } else { Err(Doubt::Differs(self.fingerprint())) }
    }
}

/// A signature as it was made.
struct Made<'a> {
    name: &'a str,
    bytes: &'a [u8],
    rest: Fields<'a>,
}

impl Made<'_> {
    fn is_named(&self, name: &str) -> Result<(), Doubt> {
        if self.name == name { Ok(()) } else { Err(Doubt::Algorithm(self.name.to_owned())) }
    }
}

impl Kind {
    fn read(fields: &mut Fields<'_>) -> Result<Kind, Doubt> {
        let name = fields.text()?;
        if let Some(inner) = name.strip_prefix("sk-").and_then(|name| name.strip_suffix("@openssh.com")) {
            let inner = match inner {
                "ssh-ed25519" => Kind::Ed25519(fields.bytes()?.to_vec()),
                "ecdsa-sha2-nistp256" => Kind::read_ecdsa("nistp256", fields)?,
                _ => return Err(Doubt::Algorithm(name.to_owned())),
            };
            return Ok(Kind::Touch(Box::new(inner), fields.bytes()?.to_vec()));
        }
        match name {
            "ssh-ed25519" => Ok(Kind::Ed25519(fields.bytes()?.to_vec())),
            "ssh-rsa" => Ok(Kind::Rsa { e: fields.bytes()?.to_vec(), n: fields.bytes()?.to_vec() }),
            _ => match name.strip_prefix("ecdsa-sha2-") {
                Some(curve) => Kind::read_ecdsa(curve, fields),
                None => Err(Doubt::Algorithm(name.to_owned())),
            },
        }
    }

    fn read_ecdsa(name: &str, fields: &mut Fields<'_>) -> Result<Kind, Doubt> {
        let curve = Curve::of(name).filter(|_| fields.text() == Ok(name));
        let curve = curve.ok_or_else(|| Doubt::Algorithm(format!("ecdsa-sha2-{name}")))?;
        Ok(Kind::Ecdsa(curve, fields.bytes()?.to_vec()))
    }

    fn fits(&self, message: &[u8], made: &Made<'_>) -> Result<bool, Doubt> {
        match self {
            Kind::Touch(inner, application) => inner.fits_touched(message, made, application),
            Kind::Ed25519(key) => {
                made.is_named("ssh-ed25519")?;
                made.rest.end()?;
                Ok(verifies(&ED25519, key, message, made.bytes))
            }
            Kind::Ecdsa(curve, key) => {
                let name = if *curve == Curve::P256 { "ecdsa-sha2-nistp256" } else { "ecdsa-sha2-nistp384" };
                made.is_named(name)?;
                made.rest.end()?;
                Ok(verifies(curve.algorithm(), key, message, &fixed(made.bytes, curve.width())?))
            }
            Kind::Rsa { e, n } => {
                let algorithm = match made.name {
                    "rsa-sha2-256" => &RSA_PKCS1_2048_8192_SHA256,
                    "rsa-sha2-512" => &RSA_PKCS1_2048_8192_SHA512,
                    other => return Err(Doubt::Algorithm(other.to_owned())),
                };
                made.rest.end()?;
                let key = RsaPublicKeyComponents { n: trimmed(n), e: trimmed(e) };
                let mut padded = Vec::new();
                push_padded(&mut padded, made.bytes, key.n.len())?;
                Ok(key.verify(algorithm, message, &padded).is_ok())
            }
        }
    }

    /// What a security key signs is not the message, but hashes of it and of its application, whether it was touched, and a
    /// counter.
    fn fits_touched(&self, message: &[u8], made: &Made<'_>, application: &[u8]) -> Result<bool, Doubt> {
        let mut rest = made.rest;
        let flags = rest.take(1)?;
        let counter = rest.take(4)?;
        rest.end()?;
        if flags[0] & TOUCHED == 0 {
            return Err(Doubt::Malformed("nobody touched the security key"));
        }
        let message = [&Hash::Sha256.of(application), flags, counter, &Hash::Sha256.of(message)].concat();
        match self {
            Kind::Ed25519(key) => {
                made.is_named("sk-ssh-ed25519@openssh.com")?;
                Ok(verifies(&ED25519, key, &message, made.bytes))
            }
            Kind::Ecdsa(curve, key) => {
                made.is_named("sk-ecdsa-sha2-nistp256@openssh.com")?;
                Ok(verifies(curve.algorithm(), key, &message, &fixed(made.bytes, curve.width())?))
            }
            Kind::Rsa { .. } | Kind::Touch(..) => Err(Doubt::Algorithm(made.name.to_owned())),
        }
    }
}

fn verifies(algorithm: &'static dyn VerificationAlgorithm, key: &[u8], message: &[u8], signature: &[u8]) -> bool {
    let key: UnparsedPublicKey<&[u8]> = signature::UnparsedPublicKey::new(algorithm, key);
    key.verify(message, signature).is_ok()
}

/// The two numbers of an ECDSA signature in one width.
fn fixed(signature: &[u8], width: usize) -> Result<Vec<u8>, Doubt> {
    let mut fields = Fields(signature);
    let mut both = Vec::with_capacity(2 * width);
    for _ in 0..2 {
        push_padded(&mut both, fields.bytes()?, width)?;
    }
    fields.end()?;
    Ok(both)
}
