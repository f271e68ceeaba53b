//! Key and signature algorithms, and verification. The arithmetic is `ring`'s.

use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, SHA256, SHA512, digest};
use ring::signature::{
    self, ECDSA_P256_SHA256_FIXED, ECDSA_P384_SHA384_FIXED, ED25519, RSA_PKCS1_2048_8192_SHA256,
    RSA_PKCS1_2048_8192_SHA512, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};

use super::wire::{WireReader, push_padded, trim_leading_zeros};
use super::{KeyFingerprint, VerifyError};

/// The flag that a security key sets when it was touched.
const USER_PRESENT: u8 = 1;

/// The hash that a signature is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SignatureHash {
    Sha256,
    Sha512,
}

impl SignatureHash {
    pub(super) fn from_name(name: &str) -> Result<SignatureHash, VerifyError> {
        match name {
            "sha256" => Ok(SignatureHash::Sha256),
            "sha512" => Ok(SignatureHash::Sha512),
            other => Err(VerifyError::UnknownHash(other.to_owned())),
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            SignatureHash::Sha256 => "sha256",
            SignatureHash::Sha512 => "sha512",
        }
    }

    pub(super) fn hash_bytes(self, bytes: &[u8]) -> Vec<u8> {
        let algorithm = match self {
            SignatureHash::Sha256 => &SHA256,
            SignatureHash::Sha512 => &SHA512,
        };
        digest(algorithm, bytes).as_ref().to_vec()
    }
}

/// The SHA-1 of some bytes, which OpenPGP uses for fingerprints only.
pub(super) fn sha1(bytes: &[u8]) -> [u8; 20] {
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, bytes);
    std::array::from_fn(|at| hash.as_ref()[at])
}

/// A public key as OpenSSH writes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PublicKey {
    blob: Vec<u8>,
    kind: KeyAlgorithm,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum KeyAlgorithm {
    Ed25519(Vec<u8>),
    Ecdsa(EcdsaCurve, Vec<u8>),
    Rsa {
        e: Vec<u8>,
        n: Vec<u8>,
    },
    /// In a security key, for an application (`ssh:`).
    SecurityKey(Box<KeyAlgorithm>, Vec<u8>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EcdsaCurve {
    P256,
    P384,
}

impl EcdsaCurve {
    fn from_name(name: &str) -> Option<EcdsaCurve> {
        match name {
            "nistp256" => Some(EcdsaCurve::P256),
            "nistp384" => Some(EcdsaCurve::P384),
            // `ring` has no P-521.
            _ => None,
        }
    }

    fn coordinate_size(self) -> usize {
        match self {
            EcdsaCurve::P256 => 32,
            EcdsaCurve::P384 => 48,
        }
    }

    fn algorithm(self) -> &'static dyn VerificationAlgorithm {
        match self {
            EcdsaCurve::P256 => &ECDSA_P256_SHA256_FIXED,
            EcdsaCurve::P384 => &ECDSA_P384_SHA384_FIXED,
        }
    }
}

impl PublicKey {
    /// Parses the decoded form of key files and signatures.
    pub(super) fn from_blob(blob: &[u8]) -> Result<PublicKey, VerifyError> {
        let mut fields = WireReader(blob);
        let kind = KeyAlgorithm::read(&mut fields)?;

        // Two blobs of one key would have two fingerprints.
        fields.expect_end()?;
        Ok(PublicKey {
            blob: blob.to_vec(),
            kind,
        })
    }

    /// The type that a key file gives before the data, such as `ssh-ed25519`.
    pub(super) fn key_type(&self) -> &str {
        WireReader(&self.blob).read_text().unwrap_or_default()
    }

    pub(super) fn fingerprint(&self) -> KeyFingerprint {
        KeyFingerprint::from_ssh_blob(&self.blob)
    }

    /// Verifies that it made a signature over a message.
    pub(super) fn verify(&self, message: &[u8], signature: &[u8]) -> Result<(), VerifyError> {
        let mut fields = WireReader(signature);
        let blob = SignatureBlob {
            name: fields.read_text()?,
            bytes: fields.read_bytes()?,
            rest: fields,
        };

        if self.kind.verify(message, &blob)? {
            Ok(())
        } else {
            Err(VerifyError::Mismatch(self.fingerprint()))
        }
    }
}

/// A signature with the name of its algorithm, and data behind it.
struct SignatureBlob<'a> {
    name: &'a str,
    bytes: &'a [u8],
    rest: WireReader<'a>,
}

impl SignatureBlob<'_> {
    fn check_algorithm(&self, name: &str) -> Result<(), VerifyError> {
        // The key decides on its algorithm, and not the signature, which the signer writes.
        if self.name == name {
            Ok(())
        } else {
            Err(VerifyError::UnknownAlgorithm(self.name.to_owned()))
        }
    }
}

impl KeyAlgorithm {
    fn read(fields: &mut WireReader<'_>) -> Result<KeyAlgorithm, VerifyError> {
        let name = fields.read_text()?;
        // Security keys (FIDO): OpenSSH names their types `sk-ALGORITHM@openssh.com`.
        if let Some(inner) = name
            .strip_prefix("sk-")
            .and_then(|name| name.strip_suffix("@openssh.com"))
        {
            let inner = match inner {
                "ssh-ed25519" => KeyAlgorithm::Ed25519(fields.read_bytes()?.to_vec()),
                "ecdsa-sha2-nistp256" => KeyAlgorithm::read_ecdsa("nistp256", fields)?,
                _ => return Err(VerifyError::UnknownAlgorithm(name.to_owned())),
            };
            return Ok(KeyAlgorithm::SecurityKey(
                Box::new(inner),
                fields.read_bytes()?.to_vec(),
            ));
        }

        match name {
            "ssh-ed25519" => Ok(KeyAlgorithm::Ed25519(fields.read_bytes()?.to_vec())),
            "ssh-rsa" => Ok(KeyAlgorithm::Rsa {
                e: fields.read_bytes()?.to_vec(),
                n: fields.read_bytes()?.to_vec(),
            }),
            _ => match name.strip_prefix("ecdsa-sha2-") {
                Some(curve) => KeyAlgorithm::read_ecdsa(curve, fields),
                None => Err(VerifyError::UnknownAlgorithm(name.to_owned())),
            },
        }
    }

    fn read_ecdsa(name: &str, fields: &mut WireReader<'_>) -> Result<KeyAlgorithm, VerifyError> {
        // The curve is named twice, in the type and in a field of its own; both must agree.
        let curve = EcdsaCurve::from_name(name).filter(|_| fields.read_text() == Ok(name));
        let curve =
            curve.ok_or_else(|| VerifyError::UnknownAlgorithm(format!("ecdsa-sha2-{name}")))?;
        Ok(KeyAlgorithm::Ecdsa(curve, fields.read_bytes()?.to_vec()))
    }

    fn verify(&self, message: &[u8], blob: &SignatureBlob<'_>) -> Result<bool, VerifyError> {
        match self {
            KeyAlgorithm::SecurityKey(inner, application) => {
                inner.verify_security_key(message, blob, application)
            }
            KeyAlgorithm::Ed25519(key) => {
                blob.check_algorithm("ssh-ed25519")?;
                // Strict about the end: bytes after the signature are covered by nothing.
                blob.rest.expect_end()?;
                Ok(is_valid_signature(&ED25519, key, message, blob.bytes))
            }
            KeyAlgorithm::Ecdsa(curve, key) => {
                let name = if *curve == EcdsaCurve::P256 {
                    "ecdsa-sha2-nistp256"
                } else {
                    "ecdsa-sha2-nistp384"
                };

                blob.check_algorithm(name)?;
                blob.rest.expect_end()?;
                Ok(is_valid_signature(
                    curve.algorithm(),
                    key,
                    message,
                    &pad_ecdsa_signature(blob.bytes, curve.coordinate_size())?,
                ))
            }
            KeyAlgorithm::Rsa { e, n } => {
                // The names of SHA-2 alone: a signature named `ssh-rsa` is over SHA-1 and is refused.
                let algorithm = match blob.name {
                    "rsa-sha2-256" => &RSA_PKCS1_2048_8192_SHA256,
                    "rsa-sha2-512" => &RSA_PKCS1_2048_8192_SHA512,
                    other => return Err(VerifyError::UnknownAlgorithm(other.to_owned())),
                };

                blob.rest.expect_end()?;
                let key = RsaPublicKeyComponents {
                    n: trim_leading_zeros(n),
                    e: trim_leading_zeros(e),
                };

                // OpenSSH may strip leading zeros; `ring` wants the signature as long as the modulus.
                let mut padded = Vec::new();
                push_padded(&mut padded, blob.bytes, key.n.len())?;
                Ok(key.verify(algorithm, message, &padded).is_ok())
            }
        }
    }

    /// Verifies the signature of a security key, which signs hashes of the message and of its application, a flag for a touch,
    /// and a counter.
    fn verify_security_key(
        &self,
        message: &[u8],
        blob: &SignatureBlob<'_>,
        application: &[u8],
    ) -> Result<bool, VerifyError> {
        let mut rest = blob.rest;
        let flags = rest.take(1)?;
        let counter = rest.take(4)?;
        rest.expect_end()?;

        // Without a touch any program on that machine could have signed.
        if flags[0] & USER_PRESENT == 0 {
            return Err(VerifyError::Malformed("the security key was not touched"));
        }

        // PROTOCOL.u2f: SHA-256(application), flags, counter, SHA-256(message).
        let message = [
            &SignatureHash::Sha256.hash_bytes(application),
            flags,
            counter,
            &SignatureHash::Sha256.hash_bytes(message),
        ]
        .concat();

        match self {
            KeyAlgorithm::Ed25519(key) => {
                blob.check_algorithm("sk-ssh-ed25519@openssh.com")?;
                Ok(is_valid_signature(&ED25519, key, &message, blob.bytes))
            }
            KeyAlgorithm::Ecdsa(curve, key) => {
                blob.check_algorithm("sk-ecdsa-sha2-nistp256@openssh.com")?;
                Ok(is_valid_signature(
                    curve.algorithm(),
                    key,
                    &message,
                    &pad_ecdsa_signature(blob.bytes, curve.coordinate_size())?,
                ))
            }
            KeyAlgorithm::Rsa { .. } | KeyAlgorithm::SecurityKey(..) => {
                Err(VerifyError::UnknownAlgorithm(blob.name.to_owned()))
            }
        }
    }
}

fn is_valid_signature(
    algorithm: &'static dyn VerificationAlgorithm,
    key: &[u8],
    message: &[u8],
    signature: &[u8],
) -> bool {
    let key: UnparsedPublicKey<&[u8]> = signature::UnparsedPublicKey::new(algorithm, key);
    key.verify(message, signature).is_ok()
}

/// The two numbers of an ECDSA signature, each padded to `width` bytes.
fn pad_ecdsa_signature(signature: &[u8], width: usize) -> Result<Vec<u8>, VerifyError> {
    let mut fields = WireReader(signature);
    // SSH writes r and s as integers of any length; `ring` wants both as wide as the curve.
    let mut padded = Vec::with_capacity(2 * width);
    for _ in 0..2 {
        push_padded(&mut padded, fields.read_bytes()?, width)?;
    }

    fields.expect_end()?;
    Ok(padded)
}
