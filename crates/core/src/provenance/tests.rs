//! Signatures that `ssh-keygen` made of `tests/fixtures/signatures/payload`, verified as they are and with changed bytes.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use ring::signature::{Ed25519KeyPair, KeyPair};

use super::algorithm::SignatureHash;
use super::wire::push_field;
use super::{
    DetachedSignature, KeyFingerprint, KeyValidity, OpenpgpError, OpenpgpVerifier, SignedObject,
    TrustedKey, VerifyError, VerifyResult,
};

macro_rules! fixture {
    ($name:literal) => {
        include_str!(concat!("../../../../tests/fixtures/signatures/", $name))
    };
}

const PAYLOAD: &str = fixture!("payload");
const ED25519: [&str; 2] = [fixture!("ed25519.pub"), fixture!("ed25519.sig")];
const OPENPGP: [&str; 2] = [fixture!("openpgp.pub"), fixture!("openpgp.sig")];
const KINDS: [[&str; 2]; 5] = [
    ED25519,
    [fixture!("ecdsa256.pub"), fixture!("ecdsa256.sig")],
    [fixture!("ecdsa384.pub"), fixture!("ecdsa384.sig")],
    [fixture!("rsa2048.pub"), fixture!("rsa2048.sig")],
    [fixture!("rsa2048.pub"), fixture!("rsa2048-sha256.sig")],
];

/// A machine without a program that verifies OpenPGP.
struct NoVerifier;

impl OpenpgpVerifier for NoVerifier {
    fn status(&self, _: &DetachedSignature<'_>) -> Result<String, VerifyError> {
        Err(VerifyError::Openpgp(OpenpgpError::MissingProgram("gpgv")))
    }
}

/// A program with a fixed output, in which `KEY` becomes the digits of the primary key.
struct FixedOutput(&'static str, KeyFingerprint);

impl OpenpgpVerifier for FixedOutput {
    fn status(&self, signed: &DetachedSignature<'_>) -> Result<String, VerifyError> {
        assert_eq!(signed.payload, PAYLOAD.as_bytes());
        let digits = self.1.openpgp_digits().unwrap();
        Ok(self.0.replace("KEY", &digits))
    }
}

/// A commit with signatures, each under its header.
fn commit(payload: &str, signatures: &[(&str, &str)]) -> Vec<u8> {
    let (head, message) = payload.split_once("\n\n").unwrap();
    let folded =
        |(name, text): &(&str, &str)| format!("{name} {}\n", text.trim_end().replace('\n', "\n "));
    format!(
        "{head}\n{}\n{message}",
        signatures.iter().map(folded).collect::<String>()
    )
    .into_bytes()
}

fn verify(payload: &str, signature: &str, key: &str) -> VerifyResult {
    SignedObject::from_commit(&commit(payload, &[("gpgsig", signature)]))
        .verify(&[key.parse().unwrap()], &NoVerifier)
}

fn fingerprint(key: &str) -> KeyFingerprint {
    key.parse::<TrustedKey>().unwrap().fingerprint()
}

#[test]
fn every_kind_of_ssh_key_verifies_exactly_the_signed_bytes() {
    for [key, signature] in KINDS {
        let own = fingerprint(key);
        assert_eq!(verify(PAYLOAD, signature, key), Ok(own), "{key}");
        assert_eq!(
            verify(PAYLOAD, signature, &own.to_string()),
            Ok(own),
            "{key}"
        );
        assert_eq!(
            verify(&PAYLOAD.replace("signed", "changed"), signature, key),
            Err(VerifyError::Mismatch(own)),
            "{key}"
        );
        assert_eq!(
            verify(
                PAYLOAD,
                signature,
                &KeyFingerprint::from_ssh_blob(b"x").to_string()
            ),
            Err(VerifyError::UntrustedKey(own)),
            "{key}"
        );
    }
}

#[test]
fn a_signature_with_any_byte_changed_is_refused() {
    for [key, signature] in KINDS {
        let digits: String = signature
            .lines()
            .filter(|line| !line.starts_with("---"))
            .collect();
        let bytes = BASE64.decode(digits).unwrap();
        for at in 0..bytes.len() {
            let mut touched = bytes.clone();
            touched[at] ^= 1;
            let text = format!(
                "-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n",
                BASE64.encode(&touched)
            );
            assert!(verify(PAYLOAD, &text, key).is_err(), "byte {at} of {key}");
        }
        for length in 0..bytes.len() {
            let cut = BASE64.encode(&bytes[..length]);
            let text =
                format!("-----BEGIN SSH SIGNATURE-----\n{cut}\n-----END SSH SIGNATURE-----\n");
            assert!(
                verify(PAYLOAD, &text, key).is_err(),
                "{length} bytes of {key}"
            );
        }
    }
}

#[test]
fn unknown_signature_formats_are_refused() {
    let [key, signature] = ED25519;
    assert_eq!(
        verify(PAYLOAD, fixture!("namespace.sig"), key),
        Err(VerifyError::WrongNamespace("file".into()))
    );
    let p521 = verify(PAYLOAD, fixture!("ecdsa521.sig"), key);
    assert_eq!(
        p521,
        Err(VerifyError::UnknownAlgorithm("ecdsa-sha2-nistp521".into()))
    );
    let message = "-----BEGIN PGP MESSAGE-----\n\nwsBc\n-----END PGP MESSAGE-----\n";
    assert_eq!(
        verify(PAYLOAD, message, key),
        Err(VerifyError::Malformed("unknown signature format"))
    );
    let x509 = "-----BEGIN SIGNED MESSAGE-----\nMII\n-----END SIGNED MESSAGE-----\n";
    assert_eq!(
        verify(PAYLOAD, x509, key),
        Err(VerifyError::UnsupportedFormat("X.509"))
    );
    assert!(matches!(
        verify(PAYLOAD, "hello", key),
        Err(VerifyError::Malformed(_))
    ));
    let unknown_hash = BASE64.encode([&b"SSHSIG\0\0\0\x01"[..], &hashed_by("md5")].concat());
    let text =
        format!("-----BEGIN SSH SIGNATURE-----\n{unknown_hash}\n-----END SSH SIGNATURE-----");
    assert_eq!(
        verify(PAYLOAD, &text, key),
        Err(VerifyError::UnknownHash("md5".into()))
    );

    let verdict = |signatures: &[(&str, &str)]| {
        SignedObject::from_commit(&commit(PAYLOAD, signatures))
            .verify(&[key.parse().unwrap()], &NoVerifier)
    };
    assert_eq!(verdict(&[]), Err(VerifyError::Unsigned));
    assert_eq!(
        verdict(&[("gpgsig", signature), ("gpgsig", signature)]),
        Err(VerifyError::MultipleSignatures)
    );
    assert_eq!(
        verdict(&[("gpgsig", signature), ("gpgsig-sha256", signature)]),
        Err(VerifyError::MultipleSignatures)
    );
    assert_eq!(
        verdict(&[("gpgsig", &format!("{signature}{signature}"))]),
        Err(VerifyError::MultipleSignatures)
    );
    assert!(matches!(
        verdict(&[("gpgsig-sha256", signature)]),
        Err(VerifyError::Malformed(_))
    ));
    assert!(matches!(
        verdict(&[("gpgsignature", signature)]),
        Err(VerifyError::Malformed(_))
    ));
    assert_eq!(
        SignedObject::from_commit(&commit(PAYLOAD, &[("gpgsig", signature)]))
            .verify(&[], &NoVerifier),
        Err(VerifyError::NoTrustedKeys)
    );
}

/// The fields of a signature of the fixture's key from the key on, over another hash.
fn hashed_by(name: &str) -> Vec<u8> {
    let blob = BASE64
        .decode(ED25519[0].split(' ').nth(1).unwrap())
        .unwrap();
    let mut fields = Vec::new();
    for field in [&blob[..], b"git", b"", name.as_bytes(), b"x"] {
        push_field(&mut fields, field);
    }
    fields
}

#[test]
fn a_key_signs_only_while_it_is_valid() {
    let [key, signature] = ED25519;
    // 2025-06-15
    let made = 1_750_000_060;
    for (options, is_valid) in [
        ("valid-after=\"20250615\"", true),
        ("valid-after=\"20250616\"", false),
        ("valid-before=\"20250615\"", false),
        ("valid-after=\"20250101\",valid-before=\"20260101Z\"", true),
    ] {
        let verdict = verify(PAYLOAD, signature, &format!("{options} {key}"));
        let expected = if is_valid {
            Ok(fingerprint(key))
        } else {
            Err(VerifyError::OutsideValidity(fingerprint(key)))
        };
        assert_eq!(verdict, expected, "{options}");
    }
    let until = |text: &str| KeyValidity::from_bounds(Some("2025-01-01"), Some(text)).unwrap();
    assert!(
        until("2025-06-15").contains(Some(made)),
        "the last day counts as a whole"
    );
    assert!(
        !until("2025-06-14").contains(Some(made))
            && !until("2025-06-15T15:00:00Z").contains(Some(made))
    );
    assert!(
        !until("2025-06-15").contains(None),
        "an object without a time is outside any validity"
    );
    assert!(KeyValidity::from_bounds(None, Some("soon")).is_err());
}

#[test]
fn a_tag_signature_counts_for_its_own_name_and_commit_only() {
    let [key, signature] = ED25519;
    let keys = [key.parse::<TrustedKey>().unwrap()];
    let commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let text = |end: &str| {
        format!("object {commit}\ntype commit\ntag v1\ntagger A <a@x> 1 +0000\n\nv1\n{end}")
    };
    let verdict = |end: &str, commit: &str, name: &str| {
        SignedObject::from_tag(text(end).as_bytes(), commit, name).verify(&keys, &NoVerifier)
    };
    assert_eq!(verdict("", commit, "v1"), Err(VerifyError::Unsigned));
    // The signature is of other bytes, which is found out last.
    assert_eq!(
        verdict(signature, commit, "v1"),
        Err(VerifyError::Mismatch(fingerprint(key)))
    );
    assert!(matches!(
        verdict(signature, commit, "v2"),
        Err(VerifyError::WrongObject(_))
    ));
    assert!(matches!(
        verdict(signature, &"0".repeat(40), "v1"),
        Err(VerifyError::WrongObject(_))
    ));
    assert_eq!(
        verdict(&format!("{signature}{signature}"), commit, "v1"),
        Err(VerifyError::MultipleSignatures)
    );
    let gpg = VerifyError::Openpgp(OpenpgpError::MissingProgram("gpgv"));
    assert_eq!(verdict(OPENPGP[1], commit, "v1"), Err(gpg));
    assert!(matches!(
        verdict(OPENPGP[1], commit, "v2"),
        Err(VerifyError::WrongObject(_))
    ));
    assert_eq!(
        verdict(&format!("{}{signature}", OPENPGP[1]), commit, "v1"),
        Err(VerifyError::MultipleSignatures)
    );
}

#[test]
fn a_security_key_counts_if_it_was_touched() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let mut blob = Vec::new();
    for field in [
        &b"sk-ssh-ed25519@openssh.com"[..],
        pair.public_key().as_ref(),
        b"ssh:",
    ] {
        push_field(&mut blob, field);
    }
    let mut message = b"SSHSIG".to_vec();
    for field in [
        &b"git"[..],
        b"",
        b"sha512",
        &SignatureHash::Sha512.hash_bytes(PAYLOAD.as_bytes()),
    ] {
        push_field(&mut message, field);
    }
    for (flags, expected) in [(1_u8, true), (0, false), (5, true)] {
        let rest = [&[flags][..], &[0, 0, 0, 9]].concat();
        let touched = [
            &SignatureHash::Sha256.hash_bytes(b"ssh:"),
            &rest[..],
            &SignatureHash::Sha256.hash_bytes(&message),
        ]
        .concat();
        let mut made = Vec::new();
        push_field(&mut made, b"sk-ssh-ed25519@openssh.com");
        push_field(&mut made, pair.sign(&touched).as_ref());
        made.extend(rest);
        let mut bytes = b"SSHSIG\0\0\0\x01".to_vec();
        for field in [&blob[..], b"git", b"", b"sha512", &made] {
            push_field(&mut bytes, field);
        }
        let text = format!(
            "-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----",
            BASE64.encode(&bytes)
        );
        let key = format!("sk-ssh-ed25519@openssh.com {}", BASE64.encode(&blob));
        assert_eq!(verify(PAYLOAD, &text, &key).is_ok(), expected, "{flags}");
    }
}

#[test]
fn each_line_of_a_key_file_is_a_key_or_an_error() {
    let shown = fingerprint(ED25519[0]).to_string();
    assert_eq!(shown.parse::<KeyFingerprint>().unwrap().to_string(), shown);
    let digits = ED25519[0].split(' ').nth(1).unwrap();
    for bad in [
        "",
        "ssh-ed25519",
        "SHA256:x",
        "ssh-rsa AAAA",
        &format!("ssh-rsa {digits}"),
        "x=1 ssh-ed25519 AAAA",
    ] {
        assert!(bad.parse::<TrustedKey>().is_err(), "{bad}");
    }
}

#[test]
fn an_openpgp_signature_counts_by_a_listed_key_with_its_packets() {
    let [key, signature] = OPENPGP;
    let own = fingerprint(key);
    assert_eq!(own.to_string().parse::<KeyFingerprint>().unwrap(), own);
    assert_eq!(own.to_string().len(), "openpgp:".len() + 40);
    let signed = SignedObject::from_commit(&commit(PAYLOAD, &[("gpgsig", signature)]));
    let good = "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 A\n[GNUPG:] VALIDSIG KEY 2025-06-01 1 0 4 0 22 8 00 KEY\n";
    let by = |lines: &[&str], program: &FixedOutput| {
        let keys: Vec<TrustedKey> = lines.iter().map(|line| line.parse().unwrap()).collect();
        signed.verify(&keys, program)
    };
    assert_eq!(by(&[key], &FixedOutput(good, own)), Ok(own));
    assert_eq!(by(&[ED25519[0], key], &FixedOutput(good, own)), Ok(own));
    assert_eq!(
        by(&[], &FixedOutput(good, own)),
        Err(VerifyError::NoTrustedKeys)
    );
    assert_eq!(
        by(&[ED25519[0]], &FixedOutput(good, own)),
        Err(VerifyError::UntrustedKey(own))
    );
    let alone = Err(VerifyError::Openpgp(OpenpgpError::MissingKey(own)));
    assert_eq!(by(&[&own.to_string()], &FixedOutput(good, own)), alone);
    let missing = "[GNUPG:] NEWSIG\n[GNUPG:] ERRSIG 1 22 8 00 1 9 KEY\n[GNUPG:] NO_PUBKEY 1\n";
    assert_eq!(by(&[&own.to_string()], &FixedOutput(missing, own)), alone);
    let early = format!("valid-before=\"20250101\" {key}");
    assert_eq!(
        by(&[&early], &FixedOutput(good, own)),
        Err(VerifyError::OutsideValidity(own))
    );
    assert_eq!(by(&[&early, key], &FixedOutput(good, own)), Ok(own));
    let later = commit(PAYLOAD, &[("gpgsig", &signature.replace("END PGP", "END"))]);
    assert!(matches!(
        SignedObject::from_commit(&later).verify(&[key.parse().unwrap()], &NoVerifier),
        Err(VerifyError::Malformed(_))
    ));
}

#[test]
fn an_openpgp_key_does_not_verify_an_ssh_signature() {
    let [key, signature] = ED25519;
    let pgp: TrustedKey = OPENPGP[0].parse().unwrap();
    let signed = SignedObject::from_commit(&commit(PAYLOAD, &[("gpgsig", signature)]));
    assert_eq!(
        signed.verify(&[pgp], &NoVerifier),
        Err(VerifyError::UntrustedKey(fingerprint(key)))
    );
}
