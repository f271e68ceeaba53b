//! References of a repository, and how a [`GitReference`] is resolved among them.

use serde::{Deserialize, Serialize};

use super::id::CommitId;
use skillpm_core::error::{Error, Result, edit_distance};
use skillpm_core::package::{GitReference, GitUrl};

/// A reference of a host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RemoteRef {
    /// The full name: `HEAD`, `refs/heads/main`, `refs/tags/v1.0.0`.
    pub name: String,
    /// The commit it points to; for an annotated tag, the tagged commit.
    pub commit: CommitId,
    /// The target of a symbolic reference such as `HEAD`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The tag object itself, for an annotated tag.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<CommitId>,
}

/// Whether a full name is a valid reference name.
#[must_use]
pub fn is_reference_name(name: &str) -> bool {
    gix::validate::reference::name(name.into()).is_ok()
}

/// A resolved [`GitReference`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ResolvedReference {
    /// The commit.
    pub commit: CommitId,
    /// The full name of the branch or tag it was resolved by; `None` for a commit id.
    pub full_name: Option<String>,
}

/// How a reference is looked up.
pub(super) enum ReferenceQuery {
    /// A full commit id. A branch of that name never takes its place.
    Commit(CommitId),
    /// Exactly this reference.
    Exact(String),
    /// The first digits of a commit id.
    Prefix(String),
}

pub(super) fn reference_query(reference: &GitReference) -> Result<ReferenceQuery> {
    Ok(match reference {
        GitReference::Default => ReferenceQuery::Exact("HEAD".into()),
        GitReference::Branch(name) => ReferenceQuery::Exact(format!("refs/heads/{name}")),
        GitReference::Tag(name) => ReferenceQuery::Exact(format!("refs/tags/{name}")),
        // `HEAD` and full names are taken as they are.
        GitReference::Rev(name) if name == "HEAD" || name.starts_with("refs/") => {
            ReferenceQuery::Exact(name.clone())
        }
        GitReference::Rev(name) => match name.parse() {
            Ok(commit) => ReferenceQuery::Commit(commit),
            Err(_) if is_short_hex(name) => ReferenceQuery::Prefix(name.to_ascii_lowercase()),
            Err(_) => {
                return Err(Error::usage(format!("invalid revision `{name}`"))
                    .help("a revision is a commit id or a full reference such as `refs/tags/v1`")
                    .help(format!(
                        "for a branch use `--branch {name}`, for a tag `--tag {name}`"
                    )));
            }
        },
        // The version is chosen, and with it a tag, before a reference is resolved.
        GitReference::Versions => {
            return Err(Error::internal(
                "a choice among version tags was used as a reference",
            ));
        }
    })
}

fn is_short_hex(text: &str) -> bool {
    (7..64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// The error for a reference that is not among `refs`, all branches and tags.
pub(super) fn unknown_reference(
    url: &GitUrl,
    reference: &GitReference,
    refs: &[RemoteRef],
) -> Error {
    let (name, own, other) = match reference {
        GitReference::Branch(name) => (name, "refs/heads/", "refs/tags/"),
        GitReference::Tag(name) => (name, "refs/tags/", "refs/heads/"),
        GitReference::Rev(name) => (name, "refs/", "refs/"),
        GitReference::Default | GitReference::Versions => return no_default_branch(url, refs),
    };

    let mut error = Error::negative(format!("{reference} not found in `{url}`"));
    // The most likely mistake: a tag requested as a branch, or the reverse.
    if own != other
        && refs
            .iter()
            .any(|found| found.name.strip_prefix(other) == Some(name))
    {
        let kind = if other == "refs/tags/" {
            "tag"
        } else {
            "branch"
        };
        return error.help(format!(
            "there is a {kind} of that name; use `--{kind} {name}`"
        ));
    }

    let known: Vec<&str> = refs
        .iter()
        .filter_map(|found| found.name.strip_prefix(own))
        .collect();

    let near = nearest_names(name, &known);
    if !near.is_empty() {
        error = error.note(format!("similar names: {}", near.join(", ")));
    } else if known.is_empty() && own != other {
        error = error.note(if own == "refs/tags/" {
            "the repository has no tags"
        } else {
            "the repository has no branches"
        });
    }

    error.help(format!("`git ls-remote {url}` lists all branches and tags"))
}

fn no_default_branch(url: &GitUrl, refs: &[RemoteRef]) -> Error {
    if refs
        .iter()
        .any(|found| found.name.starts_with("refs/heads/"))
    {
        let branches = refs
            .iter()
            .filter_map(|found| found.name.strip_prefix("refs/heads/"));
        let branches: Vec<_> = branches
            .take(5)
            .map(|name| format!("`{}`", name.escape_debug()))
            .collect();
        return Error::negative(format!("no default branch in `{url}`"))
            .note(format!("its branches: {}", branches.join(", ")))
            .help("choose one with `--branch`");
    }

    Error::negative(format!(
        "no commits found in `{url}`: the repository is empty"
    ))
}

/// Up to five of `known` that are similar to `name`, the most similar first, in backticks.
fn nearest_names(name: &str, known: &[&str]) -> Vec<String> {
    // Version tags differ in few characters, so the allowed distance depends on the length, and a candidate that
    // contains the name (`v1.2.0` for `1.2.0`) always counts.
    let allowed = 1 + name.len() / 3;

    let mut ranked: Vec<(usize, &str)> = Vec::new();
    for &candidate in known {
        let distance = if candidate.contains(name) {
            0
        } else {
            edit_distance(name, candidate)
        };
        if distance <= allowed {
            ranked.push((distance, candidate));
        }
    }

    ranked.sort_unstable();
    ranked
        .into_iter()
        .take(5)
        .map(|(_, candidate)| format!("`{}`", candidate.escape_debug()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use skillpm_core::error::FailureKind;

    fn refs(names: &[&str]) -> Vec<RemoteRef> {
        let commit = "4b825dc642cb6eb9a060e54bf8d69288fbee4904".parse().unwrap();
        names
            .iter()
            .map(|&name| RemoteRef {
                name: name.into(),
                commit,
                target: None,
                tag: None,
            })
            .collect()
    }

    fn message(reference: &GitReference, names: &[&str]) -> String {
        let error = unknown_reference(&"https://h/a/b".parse().unwrap(), reference, &refs(names));
        assert_eq!(error.kind(), FailureKind::Negative);
        format!("{error:?}")
    }

    #[test]
    fn whole_hex_is_a_commit_and_never_a_name() {
        let hex = "4B825DC642cb6eb9a060e54bf8d69288fbee4904".to_owned();
        assert!(matches!(
            reference_query(&GitReference::Rev(hex.clone())).unwrap(),
            ReferenceQuery::Commit(_)
        ));
        assert!(matches!(
            reference_query(&GitReference::Branch(hex)).unwrap(),
            ReferenceQuery::Exact(_)
        ));
        assert!(matches!(
            reference_query(&GitReference::Rev("4b825dc".into())).unwrap(),
            ReferenceQuery::Prefix(_)
        ));
        assert!(matches!(
            reference_query(&GitReference::Rev("refs/pull/1/head".into())).unwrap(),
            ReferenceQuery::Exact(_)
        ));
        let error = reference_query(&GitReference::Rev("main".into()))
            .err()
            .unwrap();
        assert!(format!("{error:?}").contains("--branch main"));
    }

    #[test]
    fn a_missing_name_suggests_similar_ones() {
        let names = [
            "refs/tags/v1.0.0",
            "refs/tags/v1.2.0",
            "refs/tags/pdf-v1.2.0",
            "refs/tags/zzz",
            "refs/heads/main",
        ];
        let text = message(&GitReference::Tag("1.2.0".into()), &names);
        assert!(text.contains("`pdf-v1.2.0`, `v1.2.0`"), "{text}");
        assert!(!text.contains("zzz") && !text.contains("main"), "{text}");
        assert!(message(&GitReference::Branch("mian".into()), &names).contains("`main`"));
    }

    #[test]
    fn a_tag_requested_as_a_branch_is_suggested() {
        assert!(
            message(&GitReference::Branch("v1".into()), &["refs/tags/v1"]).contains("--tag v1")
        );
        assert!(
            message(&GitReference::Tag("main".into()), &["refs/heads/main"])
                .contains("--branch main")
        );
    }

    #[test]
    fn an_empty_repository_is_reported_as_such() {
        assert!(message(&GitReference::Default, &[]).contains("no commits found"));
        assert!(message(&GitReference::Default, &["refs/heads/dev"]).contains("`dev`"));
    }

    #[test]
    fn edit_distance_counts_letters() {
        for (a, b, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("main", "mian", 1),
            ("v1.0", "v1.1", 1),
            ("kitten", "sitting", 3),
        ] {
            assert_eq!(edit_distance(a, b), expected, "{a} {b}");
            assert_eq!(edit_distance(b, a), expected, "{b} {a}");
        }
    }
}
