//! Whether a skill's files are those that a tool installed, each by the tool's own recipe.

use std::collections::BTreeMap;

use super::collation::compare;
use crate::package::{File, RelPath, Sha256, Tree};

/// What a tool wrote down of a skill's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Proof {
    /// Nothing that could be checked.
    #[default]
    None,
    /// `npx skills`: SHA-256 over path and content of each file after the other, in the order of `localeCompare`.
    Skills(Sha256),
    /// `apm`: the SHA-256 of each file, by its path in the skill; of texts with `\n` for `\r\n`.
    Files(BTreeMap<String, Sha256>),
    /// `clawhub`: SHA-256 over the lines `path:hash`, in the order of `localeCompare`, of what is not hidden.
    Fingerprint(Sha256),
}

impl Proof {
    /// Whether these are the files; `None` if that cannot be told.
    #[must_use]
    pub fn holds(&self, tree: &Tree) -> Option<bool> {
        match self {
            Proof::None => None,
            Proof::Skills(hash) => Some(skills(tree)? == *hash),
            Proof::Files(hashes) => {
                let found: BTreeMap<String, Sha256> =
                    tree.files().map(|(path, file)| (path.to_string(), Sha256::of(&canonical(&file.bytes)))).collect();
                Some(found == *hashes)
            }
            Proof::Fingerprint(hash) => Some(fingerprint(tree)? == *hash),
        }
    }
}

fn skills(tree: &Tree) -> Option<Sha256> {
    let is_hashed = |path: &RelPath| !path.parts().any(|part| matches!(part, ".git" | "node_modules"));
    let mut bytes = Vec::new();
    for (path, file) in sorted(tree, is_hashed)? {
        bytes.extend_from_slice(path.as_str().as_bytes());
        bytes.extend_from_slice(&file.bytes);
    }
    Some(Sha256::of(&bytes))
}

fn fingerprint(tree: &Tree) -> Option<Sha256> {
    let is_hashed = |path: &RelPath| !path.parts().any(|part| part.starts_with('.') || part == "node_modules");
    let line = |(path, file): (&RelPath, &File)| format!("{path}:{}", Sha256::of(&file.bytes));
    let lines: Vec<String> = sorted(tree, is_hashed)?.into_iter().map(line).collect();
    Some(Sha256::of(lines.join("\n").as_bytes()))
}

/// The files in the order of `localeCompare`; `None` if that cannot be told.
fn sorted(tree: &Tree, is_hashed: impl Fn(&RelPath) -> bool) -> Option<Vec<(&RelPath, &File)>> {
    let mut files: Vec<(&RelPath, &File)> = tree.files().filter(|(path, _)| is_hashed(path)).collect();
    // Also a single path must be one whose place could be told.
    if files.iter().any(|(path, _)| compare(path.as_str(), "").is_none()) {
        return None;
    }
    files.sort_by(|(a, _), (b, _)| compare(a.as_str(), b.as_str()).expect("each was compared before"));
    Some(files)
}

/// A text without the carriage returns that a checkout may have added; anything else as it is.
fn canonical(bytes: &[u8]) -> Vec<u8> {
    let is_text = !bytes.contains(&0) && std::str::from_utf8(bytes).is_ok();
    if !is_text || !bytes.contains(&b'\r') {
        return bytes.to_vec();
    }
    let mut plain = Vec::with_capacity(bytes.len());
    for (at, &byte) in bytes.iter().enumerate() {
        if byte != b'\r' || bytes.get(at + 1) != Some(&b'\n') {
            plain.push(byte);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::builder();
        files.iter().for_each(|(path, text)| tree.add(path, (*text).into(), false).unwrap());
        tree.finish()
    }

    /// The skill of the recordings in `tests/fixtures/import`, and the hashes that the programs wrote down for it.
    fn pdf() -> Tree {
        let page = "---\nname: pdf\ndescription: Reads PDF. Use when a PDF is given.\n---\n\n# pdf\n";
        tree(&[("SKILL.md", page), ("references/B.md", "a\n"), ("references/a.md", "b\n")])
    }

    #[test]
    fn the_hash_of_npx_skills_is_that_which_it_wrote_down() {
        let hash = "9201a53b3953a256429200d2ff8d1b4938a04cc0b98a913c3502ce322a1a210d".parse().unwrap();
        assert_eq!(Proof::Skills(hash).holds(&pdf()), Some(true));
        assert_eq!(Proof::Skills(hash).holds(&tree(&[("SKILL.md", "else")])), Some(false));
        assert_eq!(Proof::Skills(hash).holds(&tree(&[("ä.md", "a")])), None);
    }

    #[test]
    fn the_hashes_of_apm_are_those_which_it_wrote_down() {
        let hashes = [
            ("SKILL.md", "4f1e626cc64cbd5c8463ce108ce4bdc493e4cd5ff8ab02bb646de90d26aa548b"),
            ("references/B.md", "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7"),
            ("references/a.md", "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f"),
        ];
        let hashes = Proof::Files(hashes.map(|(path, hash)| (path.to_owned(), hash.parse().unwrap())).into());
        assert_eq!(hashes.holds(&pdf()), Some(true));
        assert_eq!(hashes.holds(&tree(&[("SKILL.md", "else")])), Some(false));
    }

    #[test]
    fn line_ends_count_only_in_what_is_no_text() {
        assert_eq!(canonical(b"a\r\nb\rc\n"), b"a\nb\rc\n");
        assert_eq!(canonical(b"\0\r\n"), b"\0\r\n");
    }
}
