//! Reads the status output of `gpgv` (`doc/DETAILS` of `GnuPG`).
//!
//! ```text
//! [GNUPG:] NEWSIG ann@acme.dev
//! [GNUPG:] GOODSIG 5190960E0D7048A0 Ann <ann@acme.dev>
//! [GNUPG:] VALIDSIG FINGERPRINT 2026-11-22 1795369248 0 4 0 22 8 00 PRIMARY
//!                                               expires ┘     │  │ └ over binary data
//!                                                    key's kind  └ hash
//! ```
//!
//! It exits with 0 also where a key has expired or was revoked, so these lines decide, and all of them.

use super::OpenpgpError;
use crate::provenance::{KeyFingerprint, VerifyError};

const STATUS_PREFIX: &str = "[GNUPG:] ";
/// The numbers of accepted hashes: SHA-256, SHA-384, SHA-512, and two of SHA-3.
const ACCEPTED_HASHES: [&str; 5] = ["8", "9", "10", "12", "14"];
/// The numbers of accepted key algorithms: RSA, ECDSA, `EdDSA`, Ed25519 and Ed448.
const ACCEPTED_KEY_ALGORITHMS: [&str; 6] = ["1", "3", "19", "22", "27", "28"];
/// The class of a signature over binary data, and not over text or other keys.
const BINARY_CLASS: &str = "00";

/// The primary key that made the signature, or whose subkey did.
///
/// # Errors
/// If the output does not report exactly one good signature with accepted algorithms.
pub(in crate::provenance) fn read_signer(text: &str) -> Result<KeyFingerprint, VerifyError> {
    let lines: Vec<Vec<&str>> = text
        .lines()
        .filter_map(|line| line.strip_prefix(STATUS_PREFIX))
        .map(|line| line.split(' ').collect())
        .collect();
    let lines_of = |word: &'static str| lines.iter().filter(move |line| line[0] == word);

    // Of several signatures one might be good and another bad.
    if lines_of("NEWSIG").count() > 1 || lines_of("VALIDSIG").count() > 1 {
        return Err(VerifyError::MultipleSignatures);
    }

    // VALIDSIG alone proves nothing: it is printed for expired and revoked keys as well.
    for line in &lines {
        if let Some(error) = error_from_line(line) {
            return Err(error);
        }
    }

    // Each exactly once: a second GOODSIG could be about something else than the VALIDSIG.
    let only_line = |word: &'static str| {
        lines_of(word)
            .next()
            .filter(|_| lines_of(word).count() == 1)
    };
    match (
        only_line("NEWSIG"),
        only_line("GOODSIG"),
        only_line("VALIDSIG"),
    ) {
        (Some(_), Some(_), Some(valid)) => parse_validsig(valid),
        _ => Err(unverified_error("`gpgv` did not report a good signature")),
    }
}

/// The error that a line reports; `None` if it reports none.
fn error_from_line(line: &[&str]) -> Option<VerifyError> {
    let error = match line[0] {
        "BADSIG" => OpenpgpError::BadSignature(describe_key(line)),
        "EXPSIG" | "EXPKEYSIG" => OpenpgpError::Expired(describe_key(line)),
        "REVKEYSIG" => OpenpgpError::Revoked(describe_key(line)),
        "ERRSIG" => return Some(parse_errsig(line)),
        "NODATA" | "FAILURE" | "ERROR" | "UNEXPECTED" => {
            OpenpgpError::Unverified(format!("`gpgv` reported {}", line[0]))
        }
        _ => return None,
    };

    Some(VerifyError::Openpgp(error))
}

/// The id of the key in a line. Shown to people, so anything but hex digits is left out of the message.
fn describe_key(line: &[&str]) -> String {
    line.get(1)
        .copied()
        .filter(|id| is_hex(id))
        .unwrap_or("with an unknown id")
        .to_owned()
}

/// `ERRSIG id kind hash class time code fingerprint`, where code 9 means that the key is missing.
fn parse_errsig(line: &[&str]) -> VerifyError {
    let key = line
        .get(7)
        .and_then(|digits| KeyFingerprint::from_openpgp_digits(digits));

    // Code 9 comes first: without the key nothing else in the line was checked.
    match (line.get(6), key) {
        (Some(&"9"), Some(key)) => VerifyError::UntrustedKey(key),
        (Some(&"9"), None) => unverified_error("its key is not listed"),
        _ if line
            .get(3)
            .is_some_and(|hash| !ACCEPTED_HASHES.contains(hash)) =>
        {
            weak_hash_error()
        }
        _ => unverified_error("`gpgv` failed to check it"),
    }
}

/// The last field of `VALIDSIG`, the primary key, if the algorithms and the class are accepted.
fn parse_validsig(valid: &[&str]) -> Result<KeyFingerprint, VerifyError> {
    let [_, _, _, _, _, _, _, kind, hash, class, primary] = valid else {
        return Err(unverified_error("unknown format of `gpgv` output"));
    };

    if !ACCEPTED_HASHES.contains(hash) {
        return Err(weak_hash_error());
    }
    if !ACCEPTED_KEY_ALGORITHMS.contains(kind) {
        return Err(VerifyError::Openpgp(OpenpgpError::WeakAlgorithm(
            "its key algorithm is not accepted",
        )));
    }
    // Class 01 is over text with normalized line ends, which other bytes match as well.
    if *class != BINARY_CLASS {
        return Err(unverified_error("it is not over binary data"));
    }

    KeyFingerprint::from_openpgp_digits(primary)
        .ok_or_else(|| unverified_error("`gpgv` reported no key fingerprint"))
}

fn weak_hash_error() -> VerifyError {
    VerifyError::Openpgp(OpenpgpError::WeakAlgorithm(
        "its hash is too weak: at least SHA-256 is required",
    ))
}

fn unverified_error(why: &str) -> VerifyError {
    VerifyError::Openpgp(OpenpgpError::Unverified(why.to_owned()))
}

fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: &str = "62CCC624B03F14534F1065DA5190960E0D7048A0";
    const BELOW: &str = "50F9281529685468046DC4ADEB5359151ECDAB11";
    const NEW: &str = "[GNUPG:] NEWSIG ann@acme.dev\n";
    const GOOD: &str = "[GNUPG:] GOODSIG 5190960E0D7048A0 Ann <ann@acme.dev>\n";

    fn valid(kind: &str, hash: &str, class: &str) -> String {
        format!(
            "[GNUPG:] VALIDSIG {BELOW} 2026-11-22 1795369248 0 4 0 {kind} {hash} {class} {OWN}\n"
        )
    }

    fn error_of(text: &str) -> OpenpgpError {
        match read_signer(text) {
            Err(VerifyError::Openpgp(error)) => error,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_good_signature_is_by_the_primary_key() {
        let own = KeyFingerprint::from_openpgp_digits(OWN).unwrap();
        for hash in ACCEPTED_HASHES {
            assert_eq!(
                read_signer(&format!("{NEW}{GOOD}{}", valid("22", hash, "00"))),
                Ok(own)
            );
        }
    }

    #[test]
    fn any_other_output_is_refused() {
        let fine = format!("{NEW}{GOOD}{}", valid("22", "8", "00"));
        assert_eq!(
            read_signer(&format!("{fine}{fine}")),
            Err(VerifyError::MultipleSignatures)
        );
        assert_eq!(
            read_signer(&format!("{NEW}{fine}")),
            Err(VerifyError::MultipleSignatures)
        );
        let id = "EB5359151ECDAB11".to_owned();
        for (word, expected) in [
            ("BADSIG", OpenpgpError::BadSignature(id.clone())),
            ("EXPKEYSIG", OpenpgpError::Expired(id.clone())),
            ("EXPSIG", OpenpgpError::Expired(id.clone())),
            ("REVKEYSIG", OpenpgpError::Revoked(id.clone())),
        ] {
            assert_eq!(
                error_of(&format!("{fine}[GNUPG:] {word} {id} Old\n")),
                expected
            );
            assert_eq!(
                error_of(&format!(
                    "{NEW}[GNUPG:] {word} {id} Old\n{}",
                    valid("22", "8", "00")
                )),
                expected
            );
        }
        for (kind, hash, class) in [
            ("22", "2", "00"),
            ("22", "1", "00"),
            ("22", "11", "00"),
            ("17", "8", "00"),
        ] {
            assert!(
                matches!(
                    error_of(&format!("{NEW}{GOOD}{}", valid(kind, hash, class))),
                    OpenpgpError::WeakAlgorithm(_)
                ),
                "{kind} {hash}"
            );
        }
        for bad in [
            String::new(),
            GOOD.to_owned(),
            format!("{NEW}{GOOD}"),
            format!("{GOOD}{}", valid("22", "8", "00")),
            format!("{NEW}{}", valid("22", "8", "00")),
            format!("{NEW}{GOOD}{}", valid("22", "8", "01")),
            format!("{NEW}{GOOD}{}", valid("22", "8", "00").replace(OWN, "x")),
            format!(
                "{NEW}{GOOD}{}",
                valid("22", "8", "00").replace(&format!(" {OWN}"), "")
            ),
            fine.replace("[GNUPG:] ", ""),
            fine.replace("[GNUPG:] ", " [GNUPG:] "),
            format!("{fine}[GNUPG:] NODATA 4\n"),
        ] {
            assert!(
                matches!(error_of(&bad), OpenpgpError::Unverified(_)),
                "{bad}"
            );
        }
    }

    #[test]
    fn a_missing_key_is_named() {
        let line = |hash: &str, code: &str, key: &str| {
            format!("{NEW}[GNUPG:] ERRSIG EB5359151ECDAB11 22 {hash} 00 1590969600 {code} {key}\n")
        };
        assert_eq!(
            read_signer(&line("8", "9", BELOW)),
            Err(VerifyError::UntrustedKey(
                KeyFingerprint::from_openpgp_digits(BELOW).unwrap()
            ))
        );
        assert!(matches!(
            error_of(&line("8", "9", "-")),
            OpenpgpError::Unverified(_)
        ));
        assert!(matches!(
            error_of(&line("2", "5", BELOW)),
            OpenpgpError::WeakAlgorithm(_)
        ));
        assert!(matches!(
            error_of(&line("8", "4", BELOW)),
            OpenpgpError::Unverified(_)
        ));
    }
}
