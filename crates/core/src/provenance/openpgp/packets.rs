//! OpenPGP's packets, as far as they must be told apart (RFC 4880, sections 4 and 6).
//!
//! ```text
//! -----BEGIN PGP PUBLIC KEY BLOCK-----      0x98 len  the key itself     6
//!                                           0xb4 len  who it is of      13
//! mDMEawMpHxYJKwYBBAHaRw8BAQdA…             0x88 len  signed by itself   2
//! =PIJq                                     0xb8 len  a key below it    14
//! -----END PGP PUBLIC KEY BLOCK-----        0x88 len  signed by it       2
//! ```

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use crate::provenance::Fingerprint;

/// The two lines around something armoured.
pub(super) struct Frame {
    pub(super) begin: &'static str,
    end: &'static str,
}

const PUBLIC: Frame =
    Frame { begin: "-----BEGIN PGP PUBLIC KEY BLOCK-----", end: "-----END PGP PUBLIC KEY BLOCK-----" };
pub(super) const SIGNATURE: Frame =
    Frame { begin: "-----BEGIN PGP SIGNATURE-----", end: "-----END PGP SIGNATURE-----" };

/// How everything that is armoured as OpenPGP begins.
const ANY: &str = "-----BEGIN PGP ";
/// Longest text that is read: a key that many others have signed has some 100 kB.
const TEXT_MAX: usize = 512 << 10;

/// The kinds of packets that there are in a signature or a public key.
const A_SIGNATURE: u8 = 2;
const A_KEY: u8 = 6;
const A_SUBKEY: u8 = 14;
const BESIDE: [u8; 4] = [A_SIGNATURE, 13, A_SUBKEY, 17];
/// Those that only a private key has.
const PRIVATE: [u8; 2] = [5, 7];

/// The kinds of keys that are RSA, and the fewest bits that one may have.
const RSA: std::ops::RangeInclusive<u8> = 1..=3;
const RSA_BITS_MIN: u16 = 2048;

/// Whether a text wants to be something armoured as OpenPGP.
pub(in crate::provenance) fn is_block(text: &str) -> bool {
    text.trim_start().starts_with(ANY)
}

/// One public key with what belongs to it.
pub(in crate::provenance) struct Certificate {
    pub(in crate::provenance) fingerprint: Fingerprint,
    pub(in crate::provenance) packets: Vec<u8>,
}

impl Certificate {
    /// Reads an armoured public key.
    pub(in crate::provenance) fn parse(text: &str) -> Result<Certificate, &'static str> {
        let text = text.trim();
        if text.starts_with("-----BEGIN PGP PRIVATE KEY BLOCK-----") {
            return Err("it is a private key: take it out, and list what `gpg --armor --export` writes");
        }
        let packets = dearmoured(text, &PUBLIC)?;
        let read = split(&packets)?;
        let [(A_KEY, own), rest @ ..] = read.as_slice() else { return Err("it does not begin with a public key") };
        if read.iter().any(|(kind, _)| PRIVATE.contains(kind)) {
            return Err("it has a private key in it: take it out, and list what `gpg --armor --export` writes");
        }
        if rest.iter().any(|(kind, _)| *kind == A_KEY) {
            return Err("it is more than one key: list each alone");
        }
        if rest.iter().any(|(kind, _)| !BESIDE.contains(kind)) {
            return Err("it has something in it that belongs to no public key");
        }
        let fingerprint = fingerprint(own)?;
        for (_, body) in read.iter().filter(|(kind, _)| matches!(*kind, A_KEY | A_SUBKEY)) {
            strong(body)?;
        }
        Ok(Certificate { fingerprint, packets })
    }
}

/// The one packet of an armoured signature.
pub(super) fn signature(text: &str) -> Result<Vec<u8>, &'static str> {
    let packets = dearmoured(text.trim_end(), &SIGNATURE)?;
    match split(&packets)?.as_slice() {
        [(A_SIGNATURE, _)] => Ok(packets),
        _ => Err("it is not one signature alone"),
    }
}

/// What a key is told by.
fn fingerprint(body: &[u8]) -> Result<Fingerprint, &'static str> {
    match body.first() {
        Some(4) => {
            let length = u16::try_from(body.len()).map_err(|_| "its key is too long")?;
            Ok(Fingerprint::openpgp_4(&[&[0x99][..], &length.to_be_bytes(), body].concat()))
        }
        Some(5) => {
            let length = u32::try_from(body.len()).map_err(|_| "its key is too long")?;
            Ok(Fingerprint::openpgp_5(&[&[0x9a][..], &length.to_be_bytes(), body].concat()))
        }
        _ => Err("it is of a version that is not known: 4 and 5 are"),
    }
}

/// That a key is none of the weak ones.
fn strong(body: &[u8]) -> Result<(), &'static str> {
    let numbers = if body.first() == Some(&5) { 10 } else { 6 };
    let bits = body.get(numbers..numbers + 2).map(|bits| u16::from_be_bytes([bits[0], bits[1]]));
    match (body.get(5), bits) {
        (Some(kind), Some(bits)) if RSA.contains(kind) && bits < RSA_BITS_MIN => {
            Err("it has an RSA key of less than 2048 bits")
        }
        (Some(_), Some(_)) => Ok(()),
        _ => Err("its key ends too early"),
    }
}

/// The bytes between two lines; the checksum of four digits is not looked at, since what it guards against is a slip.
fn dearmoured(text: &str, frame: &Frame) -> Result<Vec<u8>, &'static str> {
    if text.len() > TEXT_MAX {
        return Err("it is too long");
    }
    let body = text.strip_prefix(frame.begin).and_then(|body| body.strip_suffix(frame.end));
    let body = body.ok_or("it does not end as it begins")?;
    // What stands before the first digits is about the program that wrote it.
    let lines = body.lines().map(str::trim).skip_while(|line| line.contains(": ") || line.is_empty());
    let digits: String = lines.filter(|line| !is_checksum(line)).collect();
    BASE64.decode(digits).map_err(|_| "it is no Base64")
}

fn is_checksum(line: &str) -> bool {
    line.len() == 5 && line.starts_with('=')
}

/// The kind and body of each packet.
fn split(mut bytes: &[u8]) -> Result<Vec<(u8, &[u8])>, &'static str> {
    let mut packets = Vec::new();
    while let [head, rest @ ..] = bytes {
        let (kind, length, rest) = match head {
            0xc0.. => {
                let (length, rest) = new_length(rest)?;
                (head & 0x3f, length, rest)
            }
            0x80.. => {
                let (length, rest) = old_length(head & 3, rest)?;
                (head >> 2 & 0xf, length, rest)
            }
            _ => return Err("it does not consist of packets"),
        };
        let (body, rest) = rest.split_at_checked(length).ok_or("it ends too early")?;
        packets.push((kind, body));
        bytes = rest;
    }
    Ok(packets)
}

fn new_length(bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    match bytes {
        [first @ 0..192, rest @ ..] => Ok((usize::from(*first), rest)),
        [first @ 192..224, second, rest @ ..] => {
            Ok(((usize::from(*first) - 192) * 256 + usize::from(*second) + 192, rest))
        }
        [255, rest @ ..] => number(4, rest),
        [224..255, ..] => Err("it comes in parts"),
        _ => Err("it ends too early"),
    }
}

fn old_length(kind: u8, bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    match kind {
        0 => number(1, bytes),
        1 => number(2, bytes),
        2 => number(4, bytes),
        _ => Err("it has no length"),
    }
}

fn number(width: usize, bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    let (number, rest) = bytes.split_at_checked(width).ok_or("it ends too early")?;
    Ok((number.iter().fold(0, |sum, &byte| sum << 8 | usize::from(byte)), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: &str = include_str!("../../../../../tests/fixtures/signatures/openpgp.pub");
    const SIGNED: &str = include_str!("../../../../../tests/fixtures/signatures/openpgp.sig");
    const FINGERPRINT: &str = include_str!("../../../../../tests/fixtures/signatures/openpgp.fingerprint");

    fn armoured(packets: &[u8]) -> String {
        format!("{}\n\n{}\n{}\n", PUBLIC.begin, BASE64.encode(packets), PUBLIC.end)
    }

    fn fault(text: &str) -> &'static str {
        Certificate::parse(text).err().unwrap_or("none")
    }

    #[test]
    fn a_key_has_the_fingerprint_that_gpg_says() {
        let key = Certificate::parse(ANN).unwrap();
        assert_eq!(key.fingerprint.to_string(), format!("openpgp:{}", FINGERPRINT.trim()));
        let indented =
            ANN.replace('\n', "\r\n   ").replacen("\r\n   ", "\r\n Version: GnuPG v2\r\n Comment: hers\r\n", 1);
        assert_eq!(Certificate::parse(&indented).unwrap().packets, key.packets);
        assert_eq!(Certificate::parse(&armoured(&key.packets)).unwrap().packets, key.packets);
    }

    #[test]
    fn what_is_not_one_whole_public_key_is_refused() {
        let packets = Certificate::parse(ANN).unwrap().packets;
        assert!(fault(&armoured(&[&packets[..], &packets].concat())).contains("more than one key"));
        assert!(fault(&armoured(&packets[..packets.len() - 1])).contains("too early"));
        assert!(fault(&armoured(&[])).contains("does not begin"));
        assert!(fault(&armoured(&[&packets[..], &[0x94, 1, 4]].concat())).contains("private key"));
        assert!(fault(&armoured(&[&packets[..], &[0xcb, 1, 4]].concat())).contains("belongs to no public key"));
        assert!(fault("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx\n").contains("private key"));
        assert!(fault(&armoured(&[0x98, 8, 4, 0, 0, 0, 0, 1, 4, 0])).contains("less than 2048 bits"));
        assert!(fault(&armoured(&[0x98, 8, 3, 0, 0, 0, 0, 1, 8, 0])).contains("version"));
        assert!(fault(&ANN.replace("END PGP", "END")).contains("does not end"));
        for length in 0..ANN.len() - 2 {
            assert_ne!(fault(&ANN[..length]), "none", "{length}");
        }
    }

    #[test]
    fn a_signature_is_one_packet() {
        let packet = signature(SIGNED).unwrap();
        let text = |packets: &[u8]| format!("{}\n\n{}\n{}", SIGNATURE.begin, BASE64.encode(packets), SIGNATURE.end);
        assert_eq!(signature(&text(&packet)).unwrap(), packet);
        assert!(signature(&text(&[&packet[..], &packet].concat())).is_err());
        assert!(signature(&text(&[])).is_err() && signature(ANN).is_err());
        assert!(signature(&format!("{SIGNED}more")).is_err());
    }

    #[test]
    fn lengths_come_in_every_form() {
        let body = [7; 300];
        for head in [&[0xc2, 192, 108][..], &[0xc2, 255, 0, 0, 1, 44], &[0x89, 1, 44], &[0x8a, 0, 0, 1, 44]] {
            assert_eq!(split(&[head, &body].concat()).unwrap(), [(2, &body[..])], "{head:?}");
        }
        for bad in [&[0x8b, 1][..], &[0xc2, 224, 1], &[0x02, 1, 1], &[0xc2], &[0xc2, 255, 0], &[0x88, 2, 1]] {
            assert!(split(bad).is_err(), "{bad:?}");
        }
    }
}
