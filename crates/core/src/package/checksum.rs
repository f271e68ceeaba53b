//! The checksum of a package's content: `skill-tree-v1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::Digest;

use crate::error::{Error, Result};

/// A SHA-256 digest; shown as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256Digest([u8; 32]);

impl Sha256Digest {
    /// The digest of `bytes`.
    #[must_use]
    pub fn hash_bytes(bytes: &[u8]) -> Self {
        Sha256Digest(sha2::Sha256::digest(bytes).into())
    }

    /// The 32 bytes of the digest.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest from its bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Sha256Digest(bytes)
    }
}

impl FromStr for Sha256Digest {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut bytes = [0; 32];
        // Upper case is refused, so that each digest has one spelling.
        let lower = !text.bytes().any(|b| b.is_ascii_uppercase());

        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) if lower => Ok(Sha256Digest(bytes)),
            _ => Err(Error::usage(format!(
                "invalid SHA-256 digest `{}`: it is not 64 lower-case hexadecimal digits",
                text.escape_debug()
            ))),
        }
    }
}

impl fmt::Display for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without a text of its own: a catalog shows one for each file.
        let mut digits = [0; 64];
        hex::encode_to_slice(self.0, &mut digits).expect("32 bytes are 64 digits");
        f.write_str(str::from_utf8(&digits).expect("digits are ASCII"))
    }
}

impl fmt::Debug for Sha256Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl TryFrom<String> for Sha256Digest {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Sha256Digest> for String {
    fn from(digest: Sha256Digest) -> String {
        digest.to_string()
    }
}

/// The prefix of every [`Checksum`], which names the hash algorithm.
// With a number, so that another way of hashing can be added without mistaking one for the other.
const PREFIX: &str = "skill-tree-v1:";

/// The checksum of a package's content, the same in lockfile, index, store and on disk.
///
/// SHA-256 over one line per file, sorted by the bytes of the path: `<mode> <sha256 of the bytes> <path>\n`, where the
/// mode is `x` for an executable file and `-` for any other. `docs/checksum.md` shows how to get the same with
/// `find`, `sort` and `sha256sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Checksum(Sha256Digest);

impl Checksum {
    /// The digest without the prefix, which names the directory in the store.
    #[must_use]
    pub fn digest(&self) -> &Sha256Digest {
        &self.0
    }

    /// The checksum with this digest.
    #[must_use]
    pub fn from_digest(digest: Sha256Digest) -> Self {
        Checksum(digest)
    }

    /// Its first twelve digits, for display.
    #[must_use]
    pub fn short(&self) -> String {
        // Enough for a person to compare; everything else compares all digits.
        hex::encode(&self.0.0[..6])
    }
}

/// Builds a [`Checksum`] from files given in the order of their paths, without keeping them in memory.
#[derive(Default)]
pub struct TreeHasher(sha2::Sha256);

impl TreeHasher {
    /// Adds the next file; paths must come sorted by their bytes.
    pub fn add(&mut self, executable: bool, digest: &Sha256Digest, path: &str) {
        // A path cannot contain a line end (`RelPath`), so that no two trees give the same lines.
        self.0.update(if executable { b"x " } else { b"- " });
        // On the stack: this runs once for each file.
        let mut digits = [0; 64];
        hex::encode_to_slice(digest.0, &mut digits).expect("32 bytes are 64 digits");
        self.0.update(digits);
        self.0.update(b" ");
        self.0.update(path.as_bytes());
        self.0.update(b"\n");
    }

    /// The checksum of what was added.
    #[must_use]
    pub fn finish(self) -> Checksum {
        Checksum(Sha256Digest(self.0.finalize().into()))
    }
}

impl FromStr for Checksum {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.strip_prefix(PREFIX) {
            Some(digest) => Ok(Checksum(digest.parse()?)),
            None => Err(Error::usage(format!(
                "invalid checksum `{}`: it does not begin with `{PREFIX}`",
                text.escape_debug()
            ))),
        }
    }
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.0)
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl TryFrom<String> for Checksum {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Checksum> for String {
    fn from(checksum: Checksum) -> String {
        checksum.to_string()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;
    use crate::package::Tree;

    /// The committed vectors; `tests/fixtures/checksum/vectors.json` was written by an independent program
    /// (`vectors.py` next to it).
    #[derive(Deserialize)]
    struct Vector {
        name: String,
        files: Vec<(String, String, bool)>,
        checksum: Checksum,
    }

    #[test]
    fn committed_vectors_match() {
        let vectors: Vec<Vector> = serde_json::from_str(include_str!(
            "../../../../tests/fixtures/checksum/vectors.json"
        ))
        .unwrap();
        assert!(vectors.len() >= 8);
        for vector in vectors {
            let mut tree = Tree::builder();
            for (path, hex_bytes, executable) in &vector.files {
                tree.add(path, hex::decode(hex_bytes).unwrap(), *executable)
                    .unwrap();
            }
            assert_eq!(
                Checksum::from_tree(&tree.finish()),
                vector.checksum,
                "{}",
                vector.name
            );
        }
    }

    #[test]
    fn moving_a_byte_from_name_to_content_changes_it() {
        let tree = |path: &str, bytes: &str| {
            let mut tree = Tree::builder();
            tree.add(path, bytes.into(), false).unwrap();
            Checksum::from_tree(&tree.finish())
        };
        assert_ne!(tree("a", "bc"), tree("ab", "c"));
    }

    #[test]
    fn text_form_round_trips_and_is_strict() {
        let checksum = Checksum::from_tree(&Tree::default());
        assert_eq!(checksum.to_string().parse::<Checksum>().unwrap(), checksum);
        assert!("sha256:00".parse::<Checksum>().is_err());
        assert!(
            checksum
                .to_string()
                .to_uppercase()
                .parse::<Checksum>()
                .is_err()
        );
    }

    type Files = BTreeMap<String, (Vec<u8>, bool)>;

    fn built<'a>(files: impl Iterator<Item = (&'a String, &'a (Vec<u8>, bool))>) -> Tree {
        let mut tree = Tree::builder();
        files.for_each(|(path, (bytes, executable))| {
            tree.add(path, bytes.clone(), *executable).unwrap();
        });
        tree.finish()
    }

    /// The checksum by its documented definition, computed with nothing but the digest.
    fn by_definition(files: &Files) -> String {
        let line = |(path, (bytes, executable)): (&String, &(Vec<u8>, bool))| {
            format!(
                "{} {} {path}\n",
                if *executable { 'x' } else { '-' },
                Sha256Digest::hash_bytes(bytes)
            )
        };
        format!(
            "{PREFIX}{}",
            Sha256Digest::hash_bytes(files.iter().map(line).collect::<String>().as_bytes())
        )
    }

    /// Few names and few bytes, some of which are part of the text form, so that many trees are nearly the same.
    fn files() -> impl Strategy<Value = Files> {
        let bytes = prop::collection::vec(prop::sample::select(b"ab -x\n0".as_slice()), 0..4);
        prop::collection::btree_map("[a-c]( [-x])?(d/e)?", (bytes, any::<bool>()), 0..4)
            .prop_filter("no file is a directory", |files| {
                files.keys().all(|path| {
                    !files
                        .keys()
                        .any(|other| other.starts_with(&format!("{path}/")))
                })
            })
    }

    proptest! {
        #[test]
        fn checksum_matches_the_definition_in_any_order_of_files(files in files()) {
            let tree = built(files.iter());
            prop_assert_eq!(Checksum::from_tree(&tree).to_string(), by_definition(&files));
            prop_assert_eq!(Checksum::from_tree(&built(files.iter().rev())), Checksum::from_tree(&tree));
        }

        #[test]
        fn two_packages_have_one_checksum_only_if_they_are_the_same(one in files(), other in files()) {
            let (a, b) = (built(one.iter()), built(other.iter()));
            prop_assert_eq!(Checksum::from_tree(&a) == Checksum::from_tree(&b), one == other);
            prop_assert_eq!(a == b, one == other);
        }

        #[test]
        fn any_change_of_a_tree_changes_its_checksum(files in files(), at in any::<prop::sample::Index>(), how in 0..4) {
            prop_assume!(!files.is_empty());
            let mut changed = files.clone();
            let path = files.keys().nth(at.index(files.len())).unwrap().clone();
            let (mut bytes, executable) = changed.remove(&path).unwrap();
            match how {
                0 => {}
                1 => drop(changed.insert(path, (bytes, !executable))),
                2 => {
                    bytes.push(b'!');
                    changed.insert(path, (bytes, executable));
                }
                _ => drop(changed.insert(format!("{path}!"), (bytes, executable))),
            }
            prop_assert_ne!(Checksum::from_tree(&built(changed.iter())), Checksum::from_tree(&built(files.iter())));
        }
    }
}
