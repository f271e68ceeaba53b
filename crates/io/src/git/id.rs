//! Object ids of a git repository, one type per kind.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use skillpm_core::error::{Error, Result};

macro_rules! object_id {
    ($(#[$doc:meta])* $name:ident, $what:literal) => {
        $(#[$doc])*
        ///
        /// 40 hexadecimal digits in a SHA-1 repository, 64 in a SHA-256 one; always shown in full and in lower case.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $name(pub(super) gix::ObjectId);

        impl FromStr for $name {
            type Err = Error;

            fn from_str(text: &str) -> Result<Self> {
                gix::ObjectId::from_hex(text.as_bytes()).map($name).map_err(|_| {
                    Error::usage(format!(
                        concat!("invalid ", $what, " id `{}`: expected 40 or 64 hexadecimal digits"),
                        text.escape_debug()
                    ))
                })
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.0, f)
            }
        }

        impl TryFrom<String> for $name {
            type Error = Error;

            fn try_from(text: String) -> Result<Self> {
                text.parse()
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.to_string()
            }
        }
    };
}

object_id!(
    /// The id of a commit.
    CommitId,
    "commit"
);
object_id!(
    /// The id of a tree, which is git's identity of a directory's content.
    TreeId,
    "tree"
);
object_id!(
    /// The id of a blob, which is git's identity of a file's content.
    BlobId,
    "blob"
);

impl CommitId {
    /// Its first twelve digits, for display.
    #[must_use]
    pub fn short(&self) -> String {
        self.0.to_hex_with_len(12).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn abbreviated_ids_are_refused() {
        let sha1 = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
        assert_eq!(sha1.parse::<TreeId>().unwrap().to_string(), sha1);
        assert_eq!(
            sha1.to_uppercase().parse::<TreeId>().unwrap().to_string(),
            sha1
        );
        let sha256 = "ef4605".to_owned() + &"0".repeat(58);
        assert_eq!(sha256.parse::<CommitId>().unwrap().to_string(), sha256);
        for bad in [
            "",
            "4b825dc",
            "main",
            &sha1[1..],
            &format!("{sha1}0"),
            "--upload-pack=x",
        ] {
            assert!(bad.parse::<BlobId>().is_err(), "{bad}");
        }
    }
}
