//! References of a repository, and what a [`GitReference`] means among them.

use serde::{Deserialize, Serialize};

use super::id::CommitId;
use crate::error::{Error, Result, distance};
use crate::package::{GitReference, GitUrl};

/// A reference as the host tells it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteRef {
    /// The full name: `HEAD`, `refs/heads/main`, `refs/tags/v1.0.0`.
    pub name: String,
    /// What it points to; for an annotated tag, what that tag points to.
    pub commit: CommitId,
    /// The reference that it stands for, where it is a symbolic one, as `HEAD` is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The tag object itself, where it is an annotated tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<CommitId>,
}

/// Whether a full name is one that git gives to references.
#[must_use]
pub fn is_reference_name(name: &str) -> bool {
    gix::validate::reference::name(name.into()).is_ok()
}

/// What a [`GitReference`] means now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The commit.
    pub commit: CommitId,
    /// The full name of the branch or tag that led to it; `None` where a commit was named.
    pub full_name: Option<String>,
}

/// What must be asked of the host to know what a reference means.
pub(super) enum Question {
    /// A commit is named in full. No branch that bears those digits as its name can take its place.
    Commit(CommitId),
    /// Exactly this reference.
    Exactly(String),
    /// A commit is named by its first digits.
    Beginning(String),
}

pub(super) fn question(reference: &GitReference) -> Result<Question> {
    Ok(match reference {
        GitReference::Default => Question::Exactly("HEAD".into()),
        GitReference::Branch(name) => Question::Exactly(format!("refs/heads/{name}")),
        GitReference::Tag(name) => Question::Exactly(format!("refs/tags/{name}")),
        GitReference::Rev(name) if name == "HEAD" || name.starts_with("refs/") => Question::Exactly(name.clone()),
        GitReference::Rev(name) => match name.parse() {
            Ok(commit) => Question::Commit(commit),
            Err(_) if is_short_hex(name) => Question::Beginning(name.to_ascii_lowercase()),
            Err(_) => {
                return Err(Error::usage(format!("`{name}` is not a revision"))
                    .help("a revision is a commit id or a full reference such as `refs/tags/v1`")
                    .help(format!("a branch is named with `--branch {name}`, a tag with `--tag {name}`")));
            }
        },
        GitReference::Versions => return Err(Error::internal("a choice among version tags was taken for a reference")),
    })
}

fn is_short_hex(text: &str) -> bool {
    (7..64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Says that a reference is not among `refs`, which are all branches and tags there are.
pub(super) fn missing(url: &GitUrl, reference: &GitReference, refs: &[RemoteRef]) -> Error {
    let (name, own, other) = match reference {
        GitReference::Branch(name) => (name, "refs/heads/", "refs/tags/"),
        GitReference::Tag(name) => (name, "refs/tags/", "refs/heads/"),
        GitReference::Rev(name) => (name, "refs/", "refs/"),
        GitReference::Default | GitReference::Versions => return empty(url, refs),
    };
    let mut error = Error::negative(format!("`{url}` has no {reference}"));
    if own != other && refs.iter().any(|found| found.name.strip_prefix(other) == Some(name)) {
        let kind = if other == "refs/tags/" { "tag" } else { "branch" };
        return error.help(format!("there is a {kind} of that name; ask for it with `--{kind} {name}`"));
    }
    let known: Vec<&str> = refs.iter().filter_map(|found| found.name.strip_prefix(own)).collect();
    let near = nearest(name, &known);
    if !near.is_empty() {
        error = error.note(format!("nearest: {}", near.join(", ")));
    } else if known.is_empty() && own != other {
        error = error.note(if own == "refs/tags/" { "it has no tags at all" } else { "it has no branches at all" });
    }
    error.help(format!("`git ls-remote {url}` lists all it has"))
}

fn empty(url: &GitUrl, refs: &[RemoteRef]) -> Error {
    if refs.iter().any(|found| found.name.starts_with("refs/heads/")) {
        let branches = refs.iter().filter_map(|found| found.name.strip_prefix("refs/heads/"));
        let branches: Vec<_> = branches.take(5).map(|name| format!("`{}`", name.escape_debug())).collect();
        return Error::negative(format!("`{url}` has no default branch"))
            .note(format!("its branches: {}", branches.join(", ")))
            .help("name one with `--branch`");
    }
    Error::negative(format!("`{url}` is empty: it has no commit yet"))
}

/// Up to five of `known` that look like `name`, the likest first, in backticks.
fn nearest(name: &str, known: &[&str]) -> Vec<String> {
    // Versions differ in little but their numbers, so closeness is measured against the length, and what holds the
    // name whole (`v1.2.0` for `1.2.0`) counts as close.
    let allowed = 1 + name.len() / 3;
    let mut ranked: Vec<(usize, &str)> = known
        .iter()
        .filter_map(|&candidate| {
            let distance = if candidate.contains(name) { 0 } else { distance(name, candidate) };
            (distance <= allowed).then_some((distance, candidate))
        })
        .collect();
    ranked.sort_unstable();
    ranked.into_iter().take(5).map(|(_, candidate)| format!("`{}`", candidate.escape_debug())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Kind;

    fn refs(names: &[&str]) -> Vec<RemoteRef> {
        let commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap();
        names.iter().map(|&name| RemoteRef { name: name.into(), commit, target: None, tag: None }).collect()
    }

    fn told(reference: &GitReference, names: &[&str]) -> String {
        let error = missing(&"https://h/a/b".parse().unwrap(), reference, &refs(names));
        assert_eq!(error.kind(), Kind::Negative);
        format!("{error:?}")
    }

    #[test]
    fn whole_hex_is_a_commit_and_never_a_name() {
        let hex = "4B825DC642cb6eb9a060e54bf8d69288fbee4904".to_owned();
        assert!(matches!(question(&GitReference::Rev(hex.clone())).unwrap(), Question::Commit(_)));
        assert!(matches!(question(&GitReference::Branch(hex)).unwrap(), Question::Exactly(_)));
        assert!(matches!(question(&GitReference::Rev("4b825dc".into())).unwrap(), Question::Beginning(_)));
        assert!(matches!(question(&GitReference::Rev("refs/pull/1/head".into())).unwrap(), Question::Exactly(_)));
        let error = question(&GitReference::Rev("main".into())).err().unwrap();
        assert!(format!("{error:?}").contains("--branch main"));
    }

    #[test]
    fn a_missing_name_is_told_with_the_nearest_ones() {
        let names =
            ["refs/tags/v1.0.0", "refs/tags/v1.2.0", "refs/tags/pdf-v1.2.0", "refs/tags/zzz", "refs/heads/main"];
        let text = told(&GitReference::Tag("1.2.0".into()), &names);
        assert!(text.contains("`pdf-v1.2.0`, `v1.2.0`"), "{text}");
        assert!(!text.contains("zzz") && !text.contains("main"), "{text}");
        assert!(told(&GitReference::Branch("mian".into()), &names).contains("`main`"));
    }

    #[test]
    fn a_tag_asked_for_as_a_branch_is_pointed_at() {
        assert!(told(&GitReference::Branch("v1".into()), &["refs/tags/v1"]).contains("--tag v1"));
        assert!(told(&GitReference::Tag("main".into()), &["refs/heads/main"]).contains("--branch main"));
    }

    #[test]
    fn nothing_at_all_is_told_as_an_empty_repository() {
        assert!(told(&GitReference::Default, &[]).contains("no commit yet"));
        assert!(told(&GitReference::Default, &["refs/heads/dev"]).contains("`dev`"));
    }

    #[test]
    fn distance_counts_letters() {
        for (a, b, expected) in
            [("", "", 0), ("a", "", 1), ("main", "mian", 1), ("v1.0", "v1.1", 1), ("kitten", "sitting", 3)]
        {
            assert_eq!(distance(a, b), expected, "{a} {b}");
            assert_eq!(distance(b, a), expected, "{b} {a}");
        }
    }
}
