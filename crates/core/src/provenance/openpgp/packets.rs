//! Splits OpenPGP data into packets (RFC 4880, sections 4 and 6).
//!
//! ```text
//! -----BEGIN PGP PUBLIC KEY BLOCK-----      0x98 len  the key itself     6
//!                                           0xb4 len  its user id       13
//! mDMEawMpHxYJKwYBBAHaRw8BAQdA…             0x88 len  signed by itself   2
//! =PIJq                                     0xb8 len  a subkey          14
//! -----END PGP PUBLIC KEY BLOCK-----        0x88 len  signed by it       2
//! ```

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use crate::provenance::KeyFingerprint;
use crate::provenance::algorithm::sha1;

/// The two lines around an armored block.
pub(super) struct ArmorFrame {
    pub(super) begin: &'static str,
    end: &'static str,
}

const PUBLIC_KEY_FRAME: ArmorFrame = ArmorFrame {
    begin: "-----BEGIN PGP PUBLIC KEY BLOCK-----",
    end: "-----END PGP PUBLIC KEY BLOCK-----",
};
pub(super) const SIGNATURE_FRAME: ArmorFrame = ArmorFrame {
    begin: "-----BEGIN PGP SIGNATURE-----",
    end: "-----END PGP SIGNATURE-----",
};

/// The start of each armored OpenPGP block.
const ARMOR_PREFIX: &str = "-----BEGIN PGP ";
/// Longest text that is read: a key that many others have signed has some 100 kB.
const TEXT_MAX: usize = 512 << 10;

/// The kinds of packets that there are in a signature or a public key.
const TAG_SIGNATURE: u8 = 2;
const TAG_PUBLIC_KEY: u8 = 6;
const TAG_PUBLIC_SUBKEY: u8 = 14;
const TAGS_BESIDE_KEY: [u8; 4] = [TAG_SIGNATURE, 13, TAG_PUBLIC_SUBKEY, 17];
/// Those that only a private key has.
const PRIVATE_TAGS: [u8; 2] = [5, 7];

/// The kinds of keys that are RSA, and the fewest bits that one may have.
const RSA_ALGORITHMS: std::ops::RangeInclusive<u8> = 1..=3;
const RSA_BITS_MIN: u16 = 2048;

/// Whether a text begins like an armored OpenPGP block.
pub(in crate::provenance) fn is_armored(text: &str) -> bool {
    text.trim_start().starts_with(ARMOR_PREFIX)
}

/// One public key with what belongs to it.
pub(in crate::provenance) struct OpenpgpCertificate {
    pub(in crate::provenance) fingerprint: KeyFingerprint,
    pub(in crate::provenance) packets: Vec<u8>,
}

impl OpenpgpCertificate {
    /// Parses an armored public key.
    pub(in crate::provenance) fn parse(text: &str) -> Result<OpenpgpCertificate, &'static str> {
        let text = text.trim();

        // A pasted private key gets a message of its own: it has to leave the file.
        if text.starts_with("-----BEGIN PGP PRIVATE KEY BLOCK-----") {
            return Err(
                "it is a private key: remove it, and list the output of `gpg --armor --export`",
            );
        }

        let packets = dearmor(text, &PUBLIC_KEY_FRAME)?;
        let read = split_packets(&packets)?;
        let [(TAG_PUBLIC_KEY, own), rest @ ..] = read.as_slice() else {
            return Err("it does not begin with a public key");
        };

        // The header line says public, but only the packets count.
        if read.iter().any(|(kind, _)| PRIVATE_TAGS.contains(kind)) {
            return Err(
                "it contains a private key: remove it, and list the output of `gpg --armor --export`",
            );
        }
        // The verifying program accepts any key of the block, but an entry of the list must name one.
        if rest.iter().any(|(kind, _)| *kind == TAG_PUBLIC_KEY) {
            return Err("it has more than one key: list each separately");
        }
        if rest.iter().any(|(kind, _)| !TAGS_BESIDE_KEY.contains(kind)) {
            return Err("it has a packet that does not belong to a public key");
        }

        let fingerprint = key_fingerprint(own)?;
        // Subkeys sign for the primary key, so a weak one among them is as bad.
        for (_, body) in read
            .iter()
            .filter(|(kind, _)| matches!(*kind, TAG_PUBLIC_KEY | TAG_PUBLIC_SUBKEY))
        {
            check_key_strength(body)?;
        }

        Ok(OpenpgpCertificate {
            fingerprint,
            packets,
        })
    }
}

/// The single packet of an armored signature.
pub(in crate::provenance) fn parse_signature(text: &str) -> Result<Vec<u8>, &'static str> {
    let packets = dearmor(text.trim_end(), &SIGNATURE_FRAME)?;
    match split_packets(&packets)?.as_slice() {
        [(TAG_SIGNATURE, _)] => Ok(packets),
        _ => Err("expected exactly one signature"),
    }
}

/// The fingerprint of a key, by the body of its packet.
fn key_fingerprint(body: &[u8]) -> Result<KeyFingerprint, &'static str> {
    match body.first() {
        // RFC 4880, 12.2: SHA-1 over 0x99, the length in two bytes, and the body.
        Some(4) => {
            let length = u16::try_from(body.len()).map_err(|_| "its key is too long")?;
            let framed = [&[0x99][..], &length.to_be_bytes(), body].concat();
            Ok(KeyFingerprint::from_openpgp_v4(sha1(&framed)))
        }
        // Version 5: SHA-256 over 0x9a, the length in four bytes, and the body.
        Some(5) => {
            let length = u32::try_from(body.len()).map_err(|_| "its key is too long")?;
            Ok(KeyFingerprint::from_openpgp_v5(
                &[&[0x9a][..], &length.to_be_bytes(), body].concat(),
            ))
        }
        _ => Err("unsupported key version: expected 4 or 5"),
    }
}

/// Checks that a key is not too weak.
fn check_key_strength(body: &[u8]) -> Result<(), &'static str> {
    // Where the key's first number begins, which of RSA is the modulus: after version, time
    // and algorithm, and in version 5 after four bytes of length as well.
    let numbers = if body.first() == Some(&5) { 10 } else { 6 };
    let bits = body
        .get(numbers..numbers + 2)
        .map(|bits| u16::from_be_bytes([bits[0], bits[1]]));

    match (body.get(5), bits) {
        (Some(kind), Some(bits)) if RSA_ALGORITHMS.contains(kind) && bits < RSA_BITS_MIN => {
            Err("it has an RSA key of less than 2048 bits")
        }
        (Some(_), Some(_)) => Ok(()),
        _ => Err("unexpected end of its key"),
    }
}

/// Decodes the bytes between two lines. The checksum of four digits is ignored: it only guards against slips.
fn dearmor(text: &str, frame: &ArmorFrame) -> Result<Vec<u8>, &'static str> {
    if text.len() > TEXT_MAX {
        return Err("it is too long");
    }

    let body = text
        .strip_prefix(frame.begin)
        .and_then(|body| body.strip_suffix(frame.end));
    let body = body.ok_or("mismatched begin and end lines")?;

    // Headers before the data, such as `Version:`, are about the program that wrote it.
    let lines = body
        .lines()
        .map(str::trim)
        .skip_while(|line| line.contains(": ") || line.is_empty());
    let digits: String = lines.filter(|line| !is_checksum(line)).collect();

    BASE64.decode(digits).map_err(|_| "invalid Base64")
}

fn is_checksum(line: &str) -> bool {
    line.len() == 5 && line.starts_with('=')
}

/// The kind and body of each packet.
fn split_packets(mut bytes: &[u8]) -> Result<Vec<(u8, &[u8])>, &'static str> {
    let mut packets = Vec::new();
    while let [head, rest @ ..] = bytes {
        let (kind, length, rest) = match head {
            // The newer header: the type in the lower six bits.
            0xc0.. => {
                let (length, rest) = new_format_length(rest)?;
                (head & 0x3f, length, rest)
            }
            // The older one: four bits of type, two for the size of the length.
            0x80.. => {
                let (length, rest) = old_format_length(head & 3, rest)?;
                (head >> 2 & 0xf, length, rest)
            }
            _ => return Err("invalid packet header"),
        };

        let (body, rest) = rest
            .split_at_checked(length)
            .ok_or("unexpected end of data")?;
        packets.push((kind, body));
        bytes = rest;
    }

    Ok(packets)
}

fn new_format_length(bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    match bytes {
        [first @ 0..192, rest @ ..] => Ok((usize::from(*first), rest)),
        [first @ 192..224, second, rest @ ..] => Ok((
            (usize::from(*first) - 192) * 256 + usize::from(*second) + 192,
            rest,
        )),
        [255, rest @ ..] => big_endian_length(4, rest),
        // Partial lengths are for streamed data (RFC 4880, 4.2.2.4), not for keys and signatures.
        [224..255, ..] => Err("unsupported packet of partial lengths"),
        _ => Err("unexpected end of data"),
    }
}

fn old_format_length(kind: u8, bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    match kind {
        0 => big_endian_length(1, bytes),
        1 => big_endian_length(2, bytes),
        2 => big_endian_length(4, bytes),
        _ => Err("unsupported packet of indeterminate length"),
    }
}

fn big_endian_length(width: usize, bytes: &[u8]) -> Result<(usize, &[u8]), &'static str> {
    let (number, rest) = bytes
        .split_at_checked(width)
        .ok_or("unexpected end of data")?;
    Ok((
        number
            .iter()
            .fold(0, |sum, &byte| sum << 8 | usize::from(byte)),
        rest,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANN: &str = include_str!("../../../../../tests/fixtures/signatures/openpgp.pub");
    const SIGNED: &str = include_str!("../../../../../tests/fixtures/signatures/openpgp.sig");
    const FINGERPRINT: &str =
        include_str!("../../../../../tests/fixtures/signatures/openpgp.fingerprint");

    fn armored(packets: &[u8]) -> String {
        format!(
            "{}\n\n{}\n{}\n",
            PUBLIC_KEY_FRAME.begin,
            BASE64.encode(packets),
            PUBLIC_KEY_FRAME.end
        )
    }

    fn fault(text: &str) -> &'static str {
        OpenpgpCertificate::parse(text).err().unwrap_or("none")
    }

    #[test]
    fn key_fingerprints_match_those_of_gpg() {
        let key = OpenpgpCertificate::parse(ANN).unwrap();
        assert_eq!(
            key.fingerprint.to_string(),
            format!("openpgp:{}", FINGERPRINT.trim())
        );
        let indented = ANN.replace('\n', "\r\n   ").replacen(
            "\r\n   ",
            "\r\n Version: GnuPG v2\r\n Comment: hers\r\n",
            1,
        );
        assert_eq!(
            OpenpgpCertificate::parse(&indented).unwrap().packets,
            key.packets
        );
        assert_eq!(
            OpenpgpCertificate::parse(&armored(&key.packets))
                .unwrap()
                .packets,
            key.packets
        );
    }

    #[test]
    fn anything_but_one_whole_public_key_is_refused() {
        let packets = OpenpgpCertificate::parse(ANN).unwrap().packets;
        assert!(fault(&armored(&[&packets[..], &packets].concat())).contains("more than one key"));
        assert!(fault(&armored(&packets[..packets.len() - 1])).contains("unexpected end"));
        assert!(fault(&armored(&[])).contains("does not begin"));
        assert!(fault(&armored(&[&packets[..], &[0x94, 1, 4]].concat())).contains("private key"));
        assert!(
            fault(&armored(&[&packets[..], &[0xcb, 1, 4]].concat()))
                .contains("does not belong to a public key")
        );
        assert!(fault("-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nx\n").contains("private key"));
        assert!(
            fault(&armored(&[0x98, 8, 4, 0, 0, 0, 0, 1, 4, 0])).contains("less than 2048 bits")
        );
        assert!(fault(&armored(&[0x98, 8, 3, 0, 0, 0, 0, 1, 8, 0])).contains("version"));
        assert!(fault(&ANN.replace("END PGP", "END")).contains("mismatched begin and end"));
        for length in 0..ANN.len() - 2 {
            assert_ne!(fault(&ANN[..length]), "none", "{length}");
        }
    }

    #[test]
    fn a_signature_is_one_packet() {
        let packet = parse_signature(SIGNED).unwrap();
        let text = |packets: &[u8]| {
            format!(
                "{}\n\n{}\n{}",
                SIGNATURE_FRAME.begin,
                BASE64.encode(packets),
                SIGNATURE_FRAME.end
            )
        };
        assert_eq!(parse_signature(&text(&packet)).unwrap(), packet);
        assert!(parse_signature(&text(&[&packet[..], &packet].concat())).is_err());
        assert!(parse_signature(&text(&[])).is_err() && parse_signature(ANN).is_err());
        assert!(parse_signature(&format!("{SIGNED}more")).is_err());
    }

    #[test]
    fn lengths_come_in_every_form() {
        let body = [7; 300];
        for head in [
            &[0xc2, 192, 108][..],
            &[0xc2, 255, 0, 0, 1, 44],
            &[0x89, 1, 44],
            &[0x8a, 0, 0, 1, 44],
        ] {
            assert_eq!(
                split_packets(&[head, &body].concat()).unwrap(),
                [(2, &body[..])],
                "{head:?}"
            );
        }
        for bad in [
            &[0x8b, 1][..],
            &[0xc2, 224, 1],
            &[0x02, 1, 1],
            &[0xc2],
            &[0xc2, 255, 0],
            &[0x88, 2, 1],
        ] {
            assert!(split_packets(bad).is_err(), "{bad:?}");
        }
    }
}
