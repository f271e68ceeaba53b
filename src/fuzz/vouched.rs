//! What is known against packages, and who vouches for them.

use std::collections::BTreeMap;

use crate::advisory::{self, pack};
use crate::package::RelPath;
use crate::provenance::{Detached, Doubt, Fingerprint, Flaw, Key, Openpgp, Signed};

/// An advisory that is read has an id that is a file's name, and reads the same out of a pack.
pub(super) fn advisory(input: &[u8]) {
    let _ = pack::unpack(input);
    let Ok(parsed) = advisory::parse(input) else { return };
    let advisory = parsed.advisory;
    assert!(advisory.id.path().parse::<RelPath>().is_ok(), "{}", advisory.id);
    let packed = pack::pack(&BTreeMap::from([(advisory.id.clone(), input.to_vec())])).expect("it was JSON before");
    let unpacked = pack::unpack(packed.as_bytes()).expect("what was packed can be unpacked");
    assert_eq!((unpacked.advisories, unpacked.skipped), (vec![advisory], Vec::new()));
}

const PAYLOAD: &str = include_str!("../../tests/fixtures/signatures/payload");
const KEYS: [&str; 4] = [
    include_str!("../../tests/fixtures/signatures/ed25519.pub"),
    include_str!("../../tests/fixtures/signatures/ecdsa256.pub"),
    include_str!("../../tests/fixtures/signatures/ecdsa384.pub"),
    include_str!("../../tests/fixtures/signatures/rsa2048.pub"),
];

/// No program is run for what is made up.
struct Nobody;

impl Openpgp for Nobody {
    fn status(&self, _: &Detached<'_>) -> Result<String, Doubt> {
        Err(Doubt::Openpgp(Flaw::NoProgram("gpgv")))
    }
}

/// Keys that signed one commit vouch for no other, and for no tag; a key is read or is none.
pub(super) fn signature(input: &[u8]) {
    let keys: Vec<Key> = KEYS.iter().map(|key| key.parse().expect("the keys are good")).collect();
    let commit = Signed::commit(input);
    if let Ok(by) = commit.by(&keys, &Nobody) {
        assert!(commit.is_signed() && keys.iter().any(|key| key.is(&by)));
        assert_eq!(without_signature(input), PAYLOAD.as_bytes(), "a key vouches for what it never signed");
    }
    assert!(Signed::tag(input, &"0".repeat(40), "v1.0.0").by(&keys, &Nobody).is_err());
    if let Ok(key) = String::from_utf8_lossy(input).parse::<Key>() {
        let fingerprint = key.fingerprint();
        assert_eq!(fingerprint.to_string().parse::<Fingerprint>().ok(), Some(fingerprint));
    }
}

/// A commit without its header of a signature, and the lines that go on with it.
fn without_signature(commit: &[u8]) -> Vec<u8> {
    let mut is_signature = false;
    let mut is_head = true;
    let mut rest = Vec::new();
    for line in commit.split_inclusive(|byte| *byte == b'\n') {
        is_head = is_head && line != b"\n";
        is_signature = is_head && (line.starts_with(b"gpgsig") || is_signature && line.starts_with(b" "));
        if !is_signature {
            rest.extend_from_slice(line);
        }
    }
    rest
}
