//! Advisories, and signatures of commits and tags.

use std::collections::BTreeMap;

use crate::advisory::{self, pack};
use crate::package::RelPath;
use crate::provenance::{
    DetachedSignature, KeyFingerprint, OpenpgpError, OpenpgpVerifier, SignedObject, TrustedKey,
    VerifyError,
};

/// A parsed advisory has an id that is valid as a file name, and parses the same from a pack.
pub(super) fn advisory(input: &[u8]) {
    let _ = pack::unpack(input);

    let Ok(parsed) = advisory::parse(input) else {
        return;
    };

    let advisory = parsed.advisory;
    assert!(
        advisory.id.path().parse::<RelPath>().is_ok(),
        "{}",
        advisory.id
    );

    let packed = pack::pack(&BTreeMap::from([(advisory.id.clone(), input.to_vec())]))
        .expect("it was JSON before");
    let unpacked = pack::unpack(packed.as_bytes()).expect("what was packed can be unpacked");

    assert_eq!(
        (unpacked.advisories, unpacked.skipped),
        (vec![advisory], Vec::new())
    );
}

const PAYLOAD: &str = include_str!("../../tests/fixtures/signatures/payload");
const KEYS: [&str; 4] = [
    include_str!("../../tests/fixtures/signatures/ed25519.pub"),
    include_str!("../../tests/fixtures/signatures/ecdsa256.pub"),
    include_str!("../../tests/fixtures/signatures/ecdsa384.pub"),
    include_str!("../../tests/fixtures/signatures/rsa2048.pub"),
];

/// Runs no program for generated input.
struct NoOpenpgp;

impl OpenpgpVerifier for NoOpenpgp {
    fn status(&self, _: &DetachedSignature<'_>) -> Result<String, VerifyError> {
        Err(VerifyError::Openpgp(OpenpgpError::MissingProgram("gpgv")))
    }
}

/// Keys that signed one commit verify no other commit or tag; invalid keys are refused.
pub(super) fn signature(input: &[u8]) {
    let keys: Vec<TrustedKey> = KEYS
        .iter()
        .map(|key| key.parse().expect("the keys are good"))
        .collect();

    let commit = SignedObject::from_commit(input);
    if let Ok(by) = commit.verify(&keys, &NoOpenpgp) {
        // Only the payload that the keys really signed may verify, to the byte.
        assert!(commit.is_signed() && keys.iter().any(|key| key.has_fingerprint(&by)));
        assert_eq!(
            without_signature(input),
            PAYLOAD.as_bytes(),
            "a key verifies data that it never signed"
        );
    }

    assert!(
        SignedObject::from_tag(input, &"0".repeat(40), "v1.0.0")
            .verify(&keys, &NoOpenpgp)
            .is_err()
    );

    if let Ok(key) = String::from_utf8_lossy(input).parse::<TrustedKey>() {
        let fingerprint = key.fingerprint();
        assert_eq!(
            fingerprint.to_string().parse::<KeyFingerprint>().ok(),
            Some(fingerprint)
        );
    }
}

/// A commit without its signature header and its continuation lines.
fn without_signature(commit: &[u8]) -> Vec<u8> {
    let mut is_signature = false;
    let mut is_head = true;
    let mut rest = Vec::new();

    for line in commit.split_inclusive(|byte| *byte == b'\n') {
        is_head = is_head && line != b"\n";

        is_signature =
            is_head && (line.starts_with(b"gpgsig") || is_signature && line.starts_with(b" "));

        if !is_signature {
            rest.extend_from_slice(line);
        }
    }

    rest
}
