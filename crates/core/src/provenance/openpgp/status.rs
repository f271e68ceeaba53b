//! What `gpgv` says on its status descriptor (`doc/DETAILS` of `GnuPG`).
//!
//! ```text
//! [GNUPG:] NEWSIG ann@acme.dev
//! [GNUPG:] GOODSIG 5190960E0D7048A0 Ann <ann@acme.dev>
//! [GNUPG:] VALIDSIG FINGERPRINT 2026-11-22 1795369248 0 4 0 22 8 00 PRIMARY
//!                                               expires ┘     │  │ └ over the bytes as they are
//!                                                    key's kind  └ hash
//! ```
//!
//! It ends with 0 also where a key has expired or was revoked, so it is these lines that count, and all of them.

use super::Flaw;
use crate::provenance::{Doubt, Fingerprint};

const MARK: &str = "[GNUPG:] ";
/// The numbers of hashes that are believed: SHA-256, SHA-384, SHA-512, and two of SHA-3.
const HASHES: [&str; 5] = ["8", "9", "10", "12", "14"];
/// The numbers of kinds of keys that are believed: RSA, ECDSA, `EdDSA`, Ed25519 and Ed448.
const KINDS: [&str; 6] = ["1", "3", "19", "22", "27", "28"];
/// A signature over bytes, and not over lines or other keys.
const OVER_BYTES: &str = "00";

/// The primary key of the one that made the signature.
pub(super) fn read(text: &str) -> Result<Fingerprint, Doubt> {
    let lines: Vec<Vec<&str>> =
        text.lines().filter_map(|line| line.strip_prefix(MARK)).map(|line| line.split(' ').collect()).collect();
    let named = |word: &'static str| lines.iter().filter(move |line| line[0] == word);
    if named("NEWSIG").count() > 1 || named("VALIDSIG").count() > 1 {
        return Err(Doubt::Several);
    }
    for line in &lines {
        if let Some(doubt) = refused(line) {
            return Err(doubt);
        }
    }
    let one = |word: &'static str| named(word).next().filter(|_| named(word).count() == 1);
    match (one("NEWSIG"), one("GOODSIG"), one("VALIDSIG")) {
        (Some(_), Some(_), Some(valid)) => primary(valid),
        _ => Err(unclear("`gpgv` did not say that it is good")),
    }
}

/// The doubt that a line says, if it says one.
fn refused(line: &[&str]) -> Option<Doubt> {
    let id = || line.get(1).copied().filter(|id| is_hex(id)).unwrap_or("that it names").to_owned();
    let flaw = match line[0] {
        "BADSIG" => Flaw::Differs(id()),
        "EXPSIG" | "EXPKEYSIG" => Flaw::Expired(id()),
        "REVKEYSIG" => Flaw::Revoked(id()),
        "ERRSIG" => return Some(not_checked(line)),
        "NODATA" | "FAILURE" | "ERROR" | "UNEXPECTED" => Flaw::Unclear(format!("`gpgv` says {}", line[0])),
        _ => return None,
    };
    Some(Doubt::Openpgp(flaw))
}

/// `ERRSIG id kind hash class time code fingerprint`, where code 9 is that the key is not there.
fn not_checked(line: &[&str]) -> Doubt {
    let key = line.get(7).and_then(|digits| Fingerprint::openpgp(digits));
    match (line.get(6), key) {
        (Some(&"9"), Some(key)) => Doubt::Stranger(key),
        (Some(&"9"), None) => unclear("its key is not listed"),
        _ if line.get(3).is_some_and(|hash| !HASHES.contains(hash)) => weak_hash(),
        _ => unclear("`gpgv` could not check it"),
    }
}

/// The last field of `VALIDSIG`, if those before it will do.
fn primary(valid: &[&str]) -> Result<Fingerprint, Doubt> {
    let [_, _, _, _, _, _, _, kind, hash, class, primary] = valid else {
        return Err(unclear("`gpgv` says it in a form that is not known"));
    };
    if !HASHES.contains(hash) {
        return Err(weak_hash());
    }
    if !KINDS.contains(kind) {
        return Err(Doubt::Openpgp(Flaw::Weak("its kind of key is not believed any more, or not yet")));
    }
    if *class != OVER_BYTES {
        return Err(unclear("it is not over the bytes as they are"));
    }
    Fingerprint::openpgp(primary).ok_or_else(|| unclear("`gpgv` names no key"))
}

fn weak_hash() -> Doubt {
    Doubt::Openpgp(Flaw::Weak("it is over a weak hash, and at least SHA-256 is believed"))
}

fn unclear(why: &str) -> Doubt {
    Doubt::Openpgp(Flaw::Unclear(why.to_owned()))
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
        format!("[GNUPG:] VALIDSIG {BELOW} 2026-11-22 1795369248 0 4 0 {kind} {hash} {class} {OWN}\n")
    }

    fn flaw(text: &str) -> Flaw {
        match read(text) {
            Err(Doubt::Openpgp(flaw)) => flaw,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn one_good_signature_is_by_the_primary_key() {
        let own = Fingerprint::openpgp(OWN).unwrap();
        for hash in HASHES {
            assert_eq!(read(&format!("{NEW}{GOOD}{}", valid("22", hash, "00"))), Ok(own));
        }
    }

    #[test]
    fn whatever_else_is_said_it_is_none() {
        let fine = format!("{NEW}{GOOD}{}", valid("22", "8", "00"));
        assert_eq!(read(&format!("{fine}{fine}")), Err(Doubt::Several));
        assert_eq!(read(&format!("{NEW}{fine}")), Err(Doubt::Several));
        let id = "EB5359151ECDAB11".to_owned();
        for (word, expected) in [
            ("BADSIG", Flaw::Differs(id.clone())),
            ("EXPKEYSIG", Flaw::Expired(id.clone())),
            ("EXPSIG", Flaw::Expired(id.clone())),
            ("REVKEYSIG", Flaw::Revoked(id.clone())),
        ] {
            assert_eq!(flaw(&format!("{fine}[GNUPG:] {word} {id} Old\n")), expected);
            assert_eq!(flaw(&format!("{NEW}[GNUPG:] {word} {id} Old\n{}", valid("22", "8", "00"))), expected);
        }
        for (kind, hash, class) in [("22", "2", "00"), ("22", "1", "00"), ("22", "11", "00"), ("17", "8", "00")] {
            assert!(
                matches!(flaw(&format!("{NEW}{GOOD}{}", valid(kind, hash, class))), Flaw::Weak(_)),
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
            format!("{NEW}{GOOD}{}", valid("22", "8", "00").replace(&format!(" {OWN}"), "")),
            fine.replace("[GNUPG:] ", ""),
            fine.replace("[GNUPG:] ", " [GNUPG:] "),
            format!("{fine}[GNUPG:] NODATA 4\n"),
        ] {
            assert!(matches!(flaw(&bad), Flaw::Unclear(_)), "{bad}");
        }
    }

    #[test]
    fn a_key_that_is_not_there_is_named() {
        let line = |hash: &str, code: &str, key: &str| {
            format!("{NEW}[GNUPG:] ERRSIG EB5359151ECDAB11 22 {hash} 00 1590969600 {code} {key}\n")
        };
        assert_eq!(read(&line("8", "9", BELOW)), Err(Doubt::Stranger(Fingerprint::openpgp(BELOW).unwrap())));
        assert!(matches!(flaw(&line("8", "9", "-")), Flaw::Unclear(_)));
        assert!(matches!(flaw(&line("2", "5", BELOW)), Flaw::Weak(_)));
        assert!(matches!(flaw(&line("8", "4", BELOW)), Flaw::Unclear(_)));
    }
}
