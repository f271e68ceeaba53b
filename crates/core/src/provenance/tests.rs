//! Signatures that `ssh-keygen` made of `tests/fixtures/signatures/payload`, and what becomes of them when they are touched.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use ring::signature::{Ed25519KeyPair, KeyPair};

use super::algorithm::Hash;
use super::wire::push_field;
use super::{Detached, Doubt, Fingerprint, Flaw, Key, Openpgp, Signed, Validity, Verdict};

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

/// Where no program verifies OpenPGP.
struct Nobody;

impl Openpgp for Nobody {
    fn status(&self, _: &Detached<'_>) -> Result<String, Doubt> {
        Err(Doubt::Openpgp(Flaw::NoProgram("gpgv")))
    }
}

/// One that says what it was told to say, and by which primary key the signature is.
struct Says(&'static str, Fingerprint);

impl Openpgp for Says {
    fn status(&self, signed: &Detached<'_>) -> Result<String, Doubt> {
        assert_eq!(signed.payload, PAYLOAD.as_bytes());
        let digits = self.1.openpgp_digits().unwrap();
        Ok(self.0.replace("KEY", &digits))
    }
}

/// A commit with signatures, each under its header.
fn commit(payload: &str, signatures: &[(&str, &str)]) -> Vec<u8> {
    let (head, message) = payload.split_once("\n\n").unwrap();
    let folded = |(name, text): &(&str, &str)| format!("{name} {}\n", text.trim_end().replace('\n', "\n "));
    format!("{head}\n{}\n{message}", signatures.iter().map(folded).collect::<String>()).into_bytes()
}

fn judge(payload: &str, signature: &str, key: &str) -> Verdict {
    Signed::commit(&commit(payload, &[("gpgsig", signature)])).by(&[key.parse().unwrap()], &Nobody)
}

fn fingerprint(key: &str) -> Fingerprint {
    key.parse::<Key>().unwrap().fingerprint()
}

#[test]
fn every_kind_of_key_that_ssh_has_vouches_for_just_these_bytes() {
    for [key, signature] in KINDS {
        let own = fingerprint(key);
        assert_eq!(judge(PAYLOAD, signature, key), Ok(own), "{key}");
        assert_eq!(judge(PAYLOAD, signature, &own.to_string()), Ok(own), "{key}");
        assert_eq!(judge(&PAYLOAD.replace("signed", "changed"), signature, key), Err(Doubt::Differs(own)), "{key}");
        assert_eq!(judge(PAYLOAD, signature, &Fingerprint::of(b"x").to_string()), Err(Doubt::Stranger(own)), "{key}");
    }
}

#[test]
fn no_touched_byte_of_a_signature_goes_through() {
    for [key, signature] in KINDS {
        let digits: String = signature.lines().filter(|line| !line.starts_with("---")).collect();
        let bytes = BASE64.decode(digits).unwrap();
        for at in 0..bytes.len() {
            let mut touched = bytes.clone();
            touched[at] ^= 1;
            let text =
                format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", BASE64.encode(&touched));
            assert!(judge(PAYLOAD, &text, key).is_err(), "byte {at} of {key}");
        }
        for length in 0..bytes.len() {
            let cut = BASE64.encode(&bytes[..length]);
            let text = format!("-----BEGIN SSH SIGNATURE-----\n{cut}\n-----END SSH SIGNATURE-----\n");
            assert!(judge(PAYLOAD, &text, key).is_err(), "{length} bytes of {key}");
        }
    }
}

#[test]
fn what_is_not_understood_is_no_signature() {
    let [key, signature] = ED25519;
    assert_eq!(judge(PAYLOAD, fixture!("namespace.sig"), key), Err(Doubt::Namespace("file".into())));
    let p521 = judge(PAYLOAD, fixture!("ecdsa521.sig"), key);
    assert_eq!(p521, Err(Doubt::Algorithm("ecdsa-sha2-nistp521".into())));
    let message = "-----BEGIN PGP MESSAGE-----\n\nwsBc\n-----END PGP MESSAGE-----\n";
    assert_eq!(judge(PAYLOAD, message, key), Err(Doubt::Malformed("it is of no known form")));
    let x509 = "-----BEGIN SIGNED MESSAGE-----\nMII\n-----END SIGNED MESSAGE-----\n";
    assert_eq!(judge(PAYLOAD, x509, key), Err(Doubt::Kind("X.509")));
    assert!(matches!(judge(PAYLOAD, "hello", key), Err(Doubt::Malformed(_))));
    let unknown_hash = BASE64.encode([&b"SSHSIG\0\0\0\x01"[..], &hashed_by("md5")].concat());
    let text = format!("-----BEGIN SSH SIGNATURE-----\n{unknown_hash}\n-----END SSH SIGNATURE-----");
    assert_eq!(judge(PAYLOAD, &text, key), Err(Doubt::Hash("md5".into())));

    let verdict =
        |signatures: &[(&str, &str)]| Signed::commit(&commit(PAYLOAD, signatures)).by(&[key.parse().unwrap()], &Nobody);
    assert_eq!(verdict(&[]), Err(Doubt::Unsigned));
    assert_eq!(verdict(&[("gpgsig", signature), ("gpgsig", signature)]), Err(Doubt::Several));
    assert_eq!(verdict(&[("gpgsig", signature), ("gpgsig-sha256", signature)]), Err(Doubt::Several));
    assert_eq!(verdict(&[("gpgsig", &format!("{signature}{signature}"))]), Err(Doubt::Several));
    assert!(matches!(verdict(&[("gpgsig-sha256", signature)]), Err(Doubt::Malformed(_))));
    assert!(matches!(verdict(&[("gpgsignature", signature)]), Err(Doubt::Malformed(_))));
    assert_eq!(Signed::commit(&commit(PAYLOAD, &[("gpgsig", signature)])).by(&[], &Nobody), Err(Doubt::NoKeys));
}

/// The fields of a signature of the fixture's key from the key on, over another hash.
fn hashed_by(name: &str) -> Vec<u8> {
    let blob = BASE64.decode(ED25519[0].split(' ').nth(1).unwrap()).unwrap();
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
    for (options, holds) in [
        ("valid-after=\"20250615\"", true),
        ("valid-after=\"20250616\"", false),
        ("valid-before=\"20250615\"", false),
        ("valid-after=\"20250101\",valid-before=\"20260101Z\"", true),
    ] {
        let verdict = judge(PAYLOAD, signature, &format!("{options} {key}"));
        let expected = if holds { Ok(fingerprint(key)) } else { Err(Doubt::OutOfTime(fingerprint(key))) };
        assert_eq!(verdict, expected, "{options}");
    }
    let until = |text: &str| Validity::between(Some("2025-01-01"), Some(text)).unwrap();
    assert!(until("2025-06-15").holds(Some(made)), "the last day counts as a whole");
    assert!(!until("2025-06-14").holds(Some(made)) && !until("2025-06-15T15:00:00Z").holds(Some(made)));
    assert!(!until("2025-06-15").holds(None), "what does not say when it was made cannot be in time");
    assert!(Validity::between(None, Some("soon")).is_err());
}

#[test]
fn a_tag_vouches_for_its_own_name_and_commit_alone() {
    let [key, signature] = ED25519;
    let keys = [key.parse::<Key>().unwrap()];
    let commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let text = |end: &str| format!("object {commit}\ntype commit\ntag v1\ntagger A <a@x> 1 +0000\n\nv1\n{end}");
    let verdict =
        |end: &str, commit: &str, name: &str| Signed::tag(text(end).as_bytes(), commit, name).by(&keys, &Nobody);
    assert_eq!(verdict("", commit, "v1"), Err(Doubt::Unsigned));
    // The signature is of other bytes, which is found out last.
    assert_eq!(verdict(signature, commit, "v1"), Err(Doubt::Differs(fingerprint(key))));
    assert!(matches!(verdict(signature, commit, "v2"), Err(Doubt::Elsewhere(_))));
    assert!(matches!(verdict(signature, &"0".repeat(40), "v1"), Err(Doubt::Elsewhere(_))));
    assert_eq!(verdict(&format!("{signature}{signature}"), commit, "v1"), Err(Doubt::Several));
    let gpg = Doubt::Openpgp(Flaw::NoProgram("gpgv"));
    assert_eq!(verdict(OPENPGP[1], commit, "v1"), Err(gpg));
    assert!(matches!(verdict(OPENPGP[1], commit, "v2"), Err(Doubt::Elsewhere(_))));
    assert_eq!(verdict(&format!("{}{signature}", OPENPGP[1]), commit, "v1"), Err(Doubt::Several));
}

#[test]
fn a_security_key_counts_if_it_was_touched() {
    let pair = Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap();
    let mut blob = Vec::new();
    for field in [&b"sk-ssh-ed25519@openssh.com"[..], pair.public_key().as_ref(), b"ssh:"] {
        push_field(&mut blob, field);
    }
    let mut message = b"SSHSIG".to_vec();
    for field in [&b"git"[..], b"", b"sha512", &Hash::Sha512.of(PAYLOAD.as_bytes())] {
        push_field(&mut message, field);
    }
    for (flags, expected) in [(1_u8, true), (0, false), (5, true)] {
        let rest = [&[flags][..], &[0, 0, 0, 9]].concat();
        let touched = [&Hash::Sha256.of(b"ssh:"), &rest[..], &Hash::Sha256.of(&message)].concat();
        let mut made = Vec::new();
        push_field(&mut made, b"sk-ssh-ed25519@openssh.com");
        push_field(&mut made, pair.sign(&touched).as_ref());
        made.extend(rest);
        let mut bytes = b"SSHSIG\0\0\0\x01".to_vec();
        for field in [&blob[..], b"git", b"", b"sha512", &made] {
            push_field(&mut bytes, field);
        }
        let text = format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----", BASE64.encode(&bytes));
        let key = format!("sk-ssh-ed25519@openssh.com {}", BASE64.encode(&blob));
        assert_eq!(judge(PAYLOAD, &text, &key).is_ok(), expected, "{flags}");
    }
}

#[test]
fn a_line_is_a_key_or_an_error() {
    let shown = fingerprint(ED25519[0]).to_string();
    assert_eq!(shown.parse::<Fingerprint>().unwrap().to_string(), shown);
    let digits = ED25519[0].split(' ').nth(1).unwrap();
    for bad in ["", "ssh-ed25519", "SHA256:x", "ssh-rsa AAAA", &format!("ssh-rsa {digits}"), "x=1 ssh-ed25519 AAAA"] {
        assert!(bad.parse::<Key>().is_err(), "{bad}");
    }
}

#[test]
fn a_signature_of_openpgp_counts_by_a_listed_key_that_is_known_as_a_whole() {
    let [key, signature] = OPENPGP;
    let own = fingerprint(key);
    assert_eq!(own.to_string().parse::<Fingerprint>().unwrap(), own);
    assert_eq!(own.to_string().len(), "openpgp:".len() + 40);
    let signed = Signed::commit(&commit(PAYLOAD, &[("gpgsig", signature)]));
    let good = "[GNUPG:] NEWSIG\n[GNUPG:] GOODSIG 1 A\n[GNUPG:] VALIDSIG KEY 2025-06-01 1 0 4 0 22 8 00 KEY\n";
    let by = |lines: &[&str], said: &Says| {
        let keys: Vec<Key> = lines.iter().map(|line| line.parse().unwrap()).collect();
        signed.by(&keys, said)
    };
    assert_eq!(by(&[key], &Says(good, own)), Ok(own));
    assert_eq!(by(&[ED25519[0], key], &Says(good, own)), Ok(own));
    assert_eq!(by(&[], &Says(good, own)), Err(Doubt::NoKeys));
    assert_eq!(by(&[ED25519[0]], &Says(good, own)), Err(Doubt::Stranger(own)));
    let alone = Err(Doubt::Openpgp(Flaw::FingerprintAlone(own)));
    assert_eq!(by(&[&own.to_string()], &Says(good, own)), alone);
    let missing = "[GNUPG:] NEWSIG\n[GNUPG:] ERRSIG 1 22 8 00 1 9 KEY\n[GNUPG:] NO_PUBKEY 1\n";
    assert_eq!(by(&[&own.to_string()], &Says(missing, own)), alone);
    let early = format!("valid-before=\"20250101\" {key}");
    assert_eq!(by(&[&early], &Says(good, own)), Err(Doubt::OutOfTime(own)));
    assert_eq!(by(&[&early, key], &Says(good, own)), Ok(own));
    let later = commit(PAYLOAD, &[("gpgsig", &signature.replace("END PGP", "END"))]);
    assert!(matches!(Signed::commit(&later).by(&[key.parse().unwrap()], &Nobody), Err(Doubt::Malformed(_))));
}

#[test]
fn a_signature_of_openpgp_does_not_count_for_a_key_of_ssh() {
    let [key, signature] = ED25519;
    let pgp: Key = OPENPGP[0].parse().unwrap();
    let signed = Signed::commit(&commit(PAYLOAD, &[("gpgsig", signature)]));
    assert_eq!(signed.by(&[pgp], &Nobody), Err(Doubt::Stranger(fingerprint(key))));
}
