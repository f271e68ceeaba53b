//! The identity of a package's content: `skill-tree-v1`.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use sha2::Digest;

use super::Tree;
use crate::error::{Error, Result};

/// A SHA-256 digest; shown as 64 lower-case hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Sha256([u8; 32]);

impl Sha256 {
    /// The digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Sha256(sha2::Sha256::digest(bytes).into())
    }

    /// The digest as it lies in memory.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The digest from its bytes.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Sha256(bytes)
    }
}

impl FromStr for Sha256 {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let mut bytes = [0; 32];
        let lower = !text.bytes().any(|b| b.is_ascii_uppercase());
        match hex::decode_to_slice(text, &mut bytes) {
            Ok(()) if lower => Ok(Sha256(bytes)),
            _ => Err(Error::usage(format!("`{}` is not 64 lower-case hexadecimal digits", text.escape_debug()))),
        }
    }
}

impl fmt::Display for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha256 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl TryFrom<String> for Sha256 {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<Sha256> for String {
    fn from(digest: Sha256) -> String {
        digest.to_string()
    }
}

/// What every [`Checksum`] begins with; it names the rule by which the tree was read.
const PREFIX: &str = "skill-tree-v1:";

/// The one identity of a package's content, in lockfile, index, store and on disk.
///
/// SHA-256 over one line a file, sorted by the bytes of the path: `<mode> <sha256 of the bytes> <path>\n`, where the
/// mode is `x` for an executable file and `-` for any other. `docs/checksum.md` shows how to get the same with
/// `find`, `sort` and `sha256sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Checksum(Sha256);

impl Checksum {
    /// The checksum of a tree; its bytes are hashed the first time only.
    #[must_use]
    pub fn of(tree: &Tree) -> Self {
        *tree.checksum().get_or_init(|| Self::hash(tree))
    }

    fn hash(tree: &Tree) -> Self {
        let mut hasher = Hasher::default();
        for (path, file) in tree.files() {
            hasher.add(file.executable, &Sha256::of(&file.bytes), path.as_str());
        }
        hasher.finish()
    }

    /// The digest without its prefix, which is the directory's name in the store.
    #[must_use]
    pub fn digest(&self) -> &Sha256 {
        &self.0
    }

    /// The checksum whose digest this is.
    #[must_use]
    pub fn from_digest(digest: Sha256) -> Self {
        Checksum(digest)
    }

    /// Its first twelve digits, for people.
    #[must_use]
    pub fn short(&self) -> String {
        hex::encode(&self.0.0[..6])
    }
}

/// Builds a [`Checksum`] from files given in the order of their paths, without holding them.
#[derive(Default)]
pub struct Hasher(sha2::Sha256);

impl Hasher {
    /// Adds the next file; paths must come sorted by their bytes.
    pub fn add(&mut self, executable: bool, digest: &Sha256, path: &str) {
        self.0.update(if executable { b"x " } else { b"- " });
        let mut digits = [0; 64];
        hex::encode_to_slice(digest.0, &mut digits).expect("64 digits hold 32 bytes");
        self.0.update(digits);
        self.0.update(b" ");
        self.0.update(path.as_bytes());
        self.0.update(b"\n");
    }

    /// The checksum of what was added.
    #[must_use]
    pub fn finish(self) -> Checksum {
        Checksum(Sha256(self.0.finalize().into()))
    }
}

impl FromStr for Checksum {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match text.strip_prefix(PREFIX) {
            Some(digest) => Ok(Checksum(digest.parse()?)),
            None => Err(Error::usage(format!("`{}` does not begin with `{PREFIX}`", text.escape_debug()))),
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

    /// The committed vectors; `tests/fixtures/checksum/vectors.json` was written by a program that is not ours
    /// (`vectors.py` beside it).
    #[derive(Deserialize)]
    struct Vector {
        name: String,
        files: Vec<(String, String, bool)>,
        checksum: Checksum,
    }

    #[test]
    fn the_committed_vectors_hold() {
        let vectors: Vec<Vector> =
            serde_json::from_str(include_str!("../../../../tests/fixtures/checksum/vectors.json")).unwrap();
        assert!(vectors.len() >= 8);
        for vector in vectors {
            let mut tree = Tree::builder();
            for (path, hex_bytes, executable) in &vector.files {
                tree.add(path, hex::decode(hex_bytes).unwrap(), *executable).unwrap();
            }
            assert_eq!(Checksum::of(&tree.finish()), vector.checksum, "{}", vector.name);
        }
    }

    #[test]
    fn moving_a_byte_from_name_to_content_changes_it() {
        let tree = |path: &str, bytes: &str| {
            let mut tree = Tree::builder();
            tree.add(path, bytes.into(), false).unwrap();
            Checksum::of(&tree.finish())
        };
        assert_ne!(tree("a", "bc"), tree("ab", "c"));
    }

    #[test]
    fn text_form_round_trips_and_is_strict() {
        let checksum = Checksum::of(&Tree::default());
        assert_eq!(checksum.to_string().parse::<Checksum>().unwrap(), checksum);
        assert!("sha256:00".parse::<Checksum>().is_err());
        assert!(checksum.to_string().to_uppercase().parse::<Checksum>().is_err());
    }

    type Files = BTreeMap<String, (Vec<u8>, bool)>;

    fn built<'a>(files: impl Iterator<Item = (&'a String, &'a (Vec<u8>, bool))>) -> Tree {
        let mut tree = Tree::builder();
        files.for_each(|(path, (bytes, executable))| tree.add(path, bytes.clone(), *executable).unwrap());
        tree.finish()
    }

    /// What the documentation says: made with nothing of ours but the digest.
    fn by_the_book(files: &Files) -> String {
        let line = |(path, (bytes, executable)): (&String, &(Vec<u8>, bool))| {
            format!("{} {} {path}\n", if *executable { 'x' } else { '-' }, Sha256::of(bytes))
        };
        format!("{PREFIX}{}", Sha256::of(files.iter().map(line).collect::<String>().as_bytes()))
    }

    /// Few names and few bytes, of which some are those that the text form is made of, so that much is nearly the same.
    fn files() -> impl Strategy<Value = Files> {
        let bytes = prop::collection::vec(prop::sample::select(b"ab -x\n0".as_slice()), 0..4);
        prop::collection::btree_map("[a-c]( [-x])?(d/e)?", (bytes, any::<bool>()), 0..4)
            .prop_filter("no file is a directory", |files| {
                files.keys().all(|path| !files.keys().any(|other| other.starts_with(&format!("{path}/"))))
            })
    }

    proptest! {
        #[test]
        fn it_is_what_the_book_says_in_whatever_order_files_come(files in files()) {
            let tree = built(files.iter());
            prop_assert_eq!(Checksum::of(&tree).to_string(), by_the_book(&files));
            prop_assert_eq!(Checksum::of(&built(files.iter().rev())), Checksum::of(&tree));
        }

        #[test]
        fn two_packages_have_one_checksum_only_if_they_are_the_same(one in files(), other in files()) {
            let (a, b) = (built(one.iter()), built(other.iter()));
            prop_assert_eq!(Checksum::of(&a) == Checksum::of(&b), one == other);
            prop_assert_eq!(a == b, one == other);
        }

        #[test]
        fn any_one_change_changes_it(files in files(), at in any::<prop::sample::Index>(), how in 0..4) {
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
            prop_assert_ne!(Checksum::of(&built(changed.iter())), Checksum::of(&built(files.iter())));
        }
    }
}
