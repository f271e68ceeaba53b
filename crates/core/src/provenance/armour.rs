//! OpenSSH's signatures: <https://github.com/openssh/openssh-portable/blob/master/PROTOCOL.sshsig>.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::algorithm::{self, PublicKey};
use super::wire::{Fields, push_field};
use super::{Doubt, NAMESPACE};

pub(super) const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";
const MAGIC: &[u8] = b"SSHSIG";
const VERSION: u32 = 1;
/// Longest text of a signature; one of RSA with 16,384 bits has some 6,000 characters.
const TEXT_MAX: usize = 16 << 10;

/// A signature and the key that is said to have made it.
pub(super) struct Signature {
    pub key: PublicKey,
    hash: algorithm::Hash,
    reserved: Vec<u8>,
    made: Vec<u8>,
}

impl Signature {
    /// Reads the text of one.
    pub(super) fn parse(text: &str) -> Result<Signature, Doubt> {
        if text.len() > TEXT_MAX {
            return Err(Doubt::Malformed("it is too long"));
        }
        let body = text.trim_end().strip_prefix(BEGIN).and_then(|body| body.strip_suffix(END));
        let body = body.ok_or(Doubt::Malformed("it does not end as it begins"))?;
        let digits: String = body.chars().filter(|c| !matches!(c, '\n' | '\r')).collect();
        let bytes = BASE64.decode(digits).map_err(|_| Doubt::Malformed("it is no Base64"))?;
        Signature::read(&bytes)
    }

    fn read(bytes: &[u8]) -> Result<Signature, Doubt> {
        let mut fields = Fields(bytes);
        if fields.take(MAGIC.len())? != MAGIC {
            return Err(Doubt::Malformed("it is no signature of OpenSSH"));
        }
        if fields.number()? != VERSION {
            return Err(Doubt::Malformed("it is of a newer form"));
        }
        let key = PublicKey::read(fields.bytes()?)?;
        let namespace = fields.text()?;
        if namespace != NAMESPACE {
            return Err(Doubt::Namespace(namespace.to_owned()));
        }
        let reserved = fields.bytes()?.to_vec();
        let hash = algorithm::Hash::named(fields.text()?)?;
        let made = fields.bytes()?.to_vec();
        fields.end()?;
        Ok(Signature { key, hash, reserved, made })
    }

    /// Whether the key made it over these bytes.
    pub(super) fn verify(&self, payload: &[u8]) -> Result<(), Doubt> {
        let mut message = MAGIC.to_vec();
        push_field(&mut message, NAMESPACE.as_bytes());
        push_field(&mut message, &self.reserved);
        push_field(&mut message, self.hash.name().as_bytes());
        push_field(&mut message, &self.hash.of(payload));
        self.key.verify(&message, &self.made)
    }
}
