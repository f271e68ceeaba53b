//! OpenSSH's signatures: <https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig>.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::algorithm::{self, PublicKey};
use super::wire::{WireReader, push_field};
use super::{NAMESPACE, VerifyError};

pub(super) const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
const MAGIC: &[u8] = b"SSHSIG";
const VERSION: u32 = 1;
/// Longest text of a signature; one of RSA with 16,384 bits has some 6,000 characters.
const TEXT_MAX: usize = 16 << 10;

/// A signature and the key that it names as its own.
pub(super) struct Signature {
    pub key: PublicKey,
    hash: algorithm::SignatureHash,
    reserved: Vec<u8>,
    blob: Vec<u8>,
}

impl Signature {
    /// Parses an armored signature.
    pub(super) fn parse(text: &str) -> Result<Signature, VerifyError> {
        if text.len() > TEXT_MAX {
            return Err(VerifyError::Malformed("it is too long"));
        }

        let body = text
            .trim_end()
            .strip_prefix(BEGIN)
            .and_then(|body| body.strip_suffix(END));
        let body = body.ok_or(VerifyError::Malformed("mismatched begin and end lines"))?;

        // The Base64 is wrapped at line ends, which the decoder does not accept.
        let digits: String = body.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
        let bytes = BASE64
            .decode(digits)
            .map_err(|_| VerifyError::Malformed("invalid Base64"))?;

        Signature::from_bytes(&bytes)
    }

    fn from_bytes(bytes: &[u8]) -> Result<Signature, VerifyError> {
        let mut fields = WireReader(bytes);
        if fields.take(MAGIC.len())? != MAGIC {
            return Err(VerifyError::Malformed("not an OpenSSH signature"));
        }
        if fields.read_u32()? != VERSION {
            return Err(VerifyError::Malformed("unsupported version"));
        }

        let key = PublicKey::from_blob(fields.read_bytes()?)?;
        let namespace = fields.read_text()?;
        // A signature over a file or a mail must not pass for one over a commit.
        if namespace != NAMESPACE {
            return Err(VerifyError::WrongNamespace(namespace.to_owned()));
        }

        // `reserved` is empty today; it is kept because the signature covers it.
        let reserved = fields.read_bytes()?.to_vec();
        let hash = algorithm::SignatureHash::from_name(fields.read_text()?)?;
        let blob = fields.read_bytes()?.to_vec();
        fields.expect_end()?;

        Ok(Signature {
            key,
            hash,
            reserved,
            blob,
        })
    }

    /// Verifies that the key made it over these bytes.
    pub(super) fn verify(&self, payload: &[u8]) -> Result<(), VerifyError> {
        // PROTOCOL.sshsig: what is signed is not the payload but this blob with its hash in it.
        let mut message = MAGIC.to_vec();
        push_field(&mut message, NAMESPACE.as_bytes());
        push_field(&mut message, &self.reserved);
        push_field(&mut message, self.hash.name().as_bytes());
        push_field(&mut message, &self.hash.hash_bytes(payload));

        self.key.verify(&message, &self.blob)
    }
}
