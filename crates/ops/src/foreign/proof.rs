//! Verifies that a skill's files are those that another tool installed, with the tool's own hash.

use std::collections::BTreeMap;

use super::collation::compare;
use skillpm_core::package::{RelPath, Sha256Digest, Tree, TreeFile};

/// The hashes that a tool recorded for a skill's files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum ContentProof {
    /// None that could be verified.
    #[default]
    None,
    /// `npx skills`: SHA-256 over path and content of each file, in the order of `localeCompare`.
    Skills(Sha256Digest),
    /// `apm`: the SHA-256 of each file, by its path in the skill; in texts, `\r\n` counts as `\n`.
    Files(BTreeMap<String, Sha256Digest>),
    /// `clawhub`: SHA-256 over lines `path:hash`, in the order of `localeCompare`, without hidden
    /// files.
    Fingerprint(Sha256Digest),
}

impl ContentProof {
    /// Whether a tree has these files; `None` if unknown.
    #[must_use]
    pub fn matches(&self, tree: &Tree) -> Option<bool> {
        match self {
            ContentProof::None => None,
            ContentProof::Skills(hash) => Some(skills_hash(tree)? == *hash),
            ContentProof::Files(hashes) => {
                let found: BTreeMap<String, Sha256Digest> = tree
                    .files()
                    .map(|(path, file)| {
                        (
                            path.to_string(),
                            Sha256Digest::hash_bytes(&normalize_newlines(&file.bytes)),
                        )
                    })
                    .collect();
                Some(found == *hashes)
            }
            ContentProof::Fingerprint(hash) => Some(clawhub_fingerprint(tree)? == *hash),
        }
    }
}

fn skills_hash(tree: &Tree) -> Option<Sha256Digest> {
    let is_hashed = |path: &RelPath| {
        !path
            .parts()
            .any(|part| matches!(part, ".git" | "node_modules"))
    };

    let mut bytes = Vec::new();
    for (path, file) in sorted_files(tree, is_hashed)? {
        // The tool has no separator between path and content.
        bytes.extend_from_slice(path.as_str().as_bytes());
        bytes.extend_from_slice(&file.bytes);
    }
    Some(Sha256Digest::hash_bytes(&bytes))
}

fn clawhub_fingerprint(tree: &Tree) -> Option<Sha256Digest> {
    // Hidden files do not count; the tool's own record is one.
    let is_hashed = |path: &RelPath| {
        !path
            .parts()
            .any(|part| part.starts_with('.') || part == "node_modules")
    };

    let line = |(path, file): (&RelPath, &TreeFile)| {
        format!("{path}:{}", Sha256Digest::hash_bytes(&file.bytes))
    };
    let lines: Vec<String> = sorted_files(tree, is_hashed)?
        .into_iter()
        .map(line)
        .collect();
    Some(Sha256Digest::hash_bytes(lines.join("\n").as_bytes()))
}

/// The files in the order of `localeCompare`; `None` if a path has no known order.
fn sorted_files(
    tree: &Tree,
    is_hashed: impl Fn(&RelPath) -> bool,
) -> Option<Vec<(&RelPath, &TreeFile)>> {
    let mut files: Vec<(&RelPath, &TreeFile)> =
        tree.files().filter(|(path, _)| is_hashed(path)).collect();

    // Checked for each path alone: a single file is never compared by the sort below.
    if files
        .iter()
        .any(|(path, _)| compare(path.as_str(), "").is_none())
    {
        return None;
    }

    files.sort_by(|(a, _), (b, _)| {
        compare(a.as_str(), b.as_str()).expect("each was compared before")
    });
    Some(files)
}

/// Removes from a text the carriage returns that a checkout may have added; a binary file is
/// returned unchanged.
fn normalize_newlines(bytes: &[u8]) -> Vec<u8> {
    // In a binary file, carriage returns are content.
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
        files
            .iter()
            .for_each(|(path, text)| tree.add(path, (*text).into(), false).unwrap());
        tree.finish()
    }

    /// The skill of the recordings in `tests/fixtures/import`; the hashes are those that the tools
    /// recorded for it.
    fn pdf() -> Tree {
        let page =
            "---\nname: pdf\ndescription: Reads PDF. Use when a PDF is given.\n---\n\n# pdf\n";
        tree(&[
            ("SKILL.md", page),
            ("references/B.md", "a\n"),
            ("references/a.md", "b\n"),
        ])
    }

    #[test]
    fn hash_of_npx_skills_matches_its_record() {
        let hash = "9201a53b3953a256429200d2ff8d1b4938a04cc0b98a913c3502ce322a1a210d"
            .parse()
            .unwrap();
        assert_eq!(ContentProof::Skills(hash).matches(&pdf()), Some(true));
        assert_eq!(
            ContentProof::Skills(hash).matches(&tree(&[("SKILL.md", "else")])),
            Some(false)
        );
        assert_eq!(
            ContentProof::Skills(hash).matches(&tree(&[("ä.md", "a")])),
            None
        );
    }

    #[test]
    fn hashes_of_apm_match_its_record() {
        let hashes = [
            (
                "SKILL.md",
                "4f1e626cc64cbd5c8463ce108ce4bdc493e4cd5ff8ab02bb646de90d26aa548b",
            ),
            (
                "references/B.md",
                "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7",
            ),
            (
                "references/a.md",
                "0263829989b6fd954f72baaf2fc64bc2e2f01d692d4de72986ea808f6e99813f",
            ),
        ];
        let hashes = ContentProof::Files(
            hashes
                .map(|(path, hash)| (path.to_owned(), hash.parse().unwrap()))
                .into(),
        );
        assert_eq!(hashes.matches(&pdf()), Some(true));
        assert_eq!(hashes.matches(&tree(&[("SKILL.md", "else")])), Some(false));
    }

    #[test]
    fn line_endings_count_only_in_binary_files() {
        assert_eq!(normalize_newlines(b"a\r\nb\rc\n"), b"a\nb\rc\n");
        assert_eq!(normalize_newlines(b"\0\r\n"), b"\0\r\n");
    }
}
