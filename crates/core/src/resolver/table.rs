//! Candidates and requirements written as text tables, for tests.
//!
//! ```text
//! a 1.0.0 -> b ^1, git/c * tag:v4 as:d opt     a registry package and its dependencies
//! a 1.1.0 yanked                               a yanked version
//! git/c 4.0.0 tag:v4 dir:skills/c unread       a skill at a tag of the repository, not read yet
//! path/d -                                     one without a version
//! a 1.2.0 too-new                              one that was published too recently
//! patch a by path/a *                          an entry of `[patch]`
//! ```
//!
//! A name's first part is its source: `git` and `hub` are repositories, `path` a directory, `zip` an archive, `other` a
//! second registry, and anything else the scope of a name in the default registry. In requirements, `&` means `,`.

use semver::VersionReq;

use super::{
    Candidates, ExplainContext, MemberRef, ResolveGraph, RootDependency, VersionPins, resolve,
};
use crate::error::Error;
use crate::package::{
    GitReference, PackageDependency, PackageName, PackageSummary, PatchEntry, PatchedSource,
    SourceId,
};

pub(super) const INDEX: &str = "file:///index";

fn place(name: &str, flags: &[&str]) -> (SourceId, PackageName) {
    let (place, rest) = name.split_once('/').unwrap_or(("", name));
    let source = match place {
        "git" => git("gh:acme/skills", flags),
        "hub" => git("https://hub.dev/x/tools.git", flags),
        "path" => SourceId::Path(format!("../{rest}")),
        "zip" => SourceId::Archive(format!("https://acme.dev/{rest}.zip")),
        "other" => SourceId::Registry("https://other.dev/index".into()),
        _ => return (SourceId::Registry(INDEX.into()), name.parse().unwrap()),
    };
    (source, rest.parse().unwrap())
}

fn git(url: &str, flags: &[&str]) -> SourceId {
    let reference = flags.iter().find_map(|flag| match flag.split_once(':')? {
        ("tag", name) => Some(GitReference::Tag(name.into())),
        ("branch", name) => Some(GitReference::Branch(name.into())),
        _ => None,
    });
    let other = if flags.contains(&"head") {
        GitReference::Default
    } else {
        GitReference::Versions
    };
    SourceId::Git {
        url: url.parse().unwrap(),
        reference: reference.unwrap_or(other),
    }
}

fn flag<'f>(flags: &[&'f str], name: &str) -> Option<&'f str> {
    flags
        .iter()
        .find_map(|flag| flag.strip_prefix(name)?.strip_prefix(':'))
}

pub(super) fn dependency(text: &str) -> PackageDependency {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (source, package) = place(words[0], &words[2..]);
    let flags = &words[2..];
    PackageDependency {
        alias: flag(flags, "as")
            .map_or_else(|| package.skill().clone(), |alias| alias.parse().unwrap()),
        package,
        source,
        subdir: flag(flags, "dir").map(|dir| dir.parse().unwrap()),
        req: VersionReq::parse(&words[1].replace('&', ",")).unwrap(),
        dev: flags.contains(&"dev"),
        optional: flags.contains(&"opt"),
    }
}

pub(super) fn dependencies(text: &str) -> Vec<PackageDependency> {
    text.split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty())
        .map(dependency)
        .collect()
}

/// The dependencies of the project; `in:skills/a` makes one that of a member.
pub(super) fn roots(text: &str) -> Vec<RootDependency> {
    let lines = text
        .split(',')
        .map(str::trim)
        .filter(|text| !text.is_empty());
    lines
        .map(|text| RootDependency {
            dependency: dependency(text),
            member: parse_member(text),
        })
        .collect()
}

fn parse_member(text: &str) -> Option<MemberRef> {
    let dir = text
        .split_whitespace()
        .find_map(|word| word.strip_prefix("in:"))?;
    Some(MemberRef {
        name: format!("acme/{}", dir.rsplit('/').next()?),
        dir: dir.to_owned(),
    })
}

/// A patch: `pdf by path/pdf *`, `git/pdf by path/pdf * dir:x`.
pub(super) fn patch(text: &str) -> PatchEntry {
    let (replaced, by) = text.split_once(" by ").unwrap();
    let (source, package) = place(replaced, &[]);
    let (index, repository) = match source {
        SourceId::Registry(index) => (Some(index), None),
        SourceId::Git { url, .. } => (None, Some(url)),
        other => panic!("{other}"),
    };
    PatchEntry {
        package,
        target: PatchedSource {
            written: "it".into(),
            index,
            repository,
        },
        replacement: dependency(by),
    }
}

pub(super) fn summary(line: &str) -> PackageSummary {
    let (head, needs) = line.split_once("->").unwrap_or((line, ""));
    let words: Vec<&str> = head.split_whitespace().collect();
    let flags = &words[2..];
    let (source, name) = place(words[0], flags);
    PackageSummary {
        name,
        version: (words[1] != "-").then(|| words[1].parse().unwrap()),
        source,
        subdir: flag(flags, "dir").map(|dir| dir.parse().unwrap()),
        dependencies: (!flags.contains(&"unread")).then(|| dependencies(needs)),
        yanked: flags.contains(&"yanked"),
        published: None,
    }
}

pub(super) fn candidates(table: &str) -> Candidates {
    let lines = || table.lines().map(str::trim).filter(|line| !line.is_empty());
    let mut candidates: Candidates = lines()
        .filter(|line| !line.starts_with("patch "))
        .map(summary)
        .collect();
    for line in lines() {
        match line.strip_prefix("patch ") {
            Some(line) => candidates.patch(patch(line)),
            None if line.contains(" too-new") => {
                candidates.mark_too_new(
                    &summary(line).id(),
                    "was published today, and `min-release-age` is 7 days",
                );
            }
            None => {}
        }
    }
    candidates
}

/// Pins from lines as in a table of candidates; `precise` in front of one forces it.
pub(super) fn pins(table: &str) -> VersionPins {
    let mut pins = VersionPins::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix("precise ") {
            Some(line) => pins.require(summary(line).id(), summary(line).subdir),
            None => pins.prefer(summary(line).id(), summary(line).subdir),
        }
    }
    pins
}

/// The selected packages as `name version`, with the tag or branch where there is one.
pub(super) fn answer(resolve: &ResolveGraph) -> String {
    let word = |id: &crate::package::PackageId| match &id.source {
        SourceId::Git {
            reference: GitReference::Tag(name) | GitReference::Branch(name),
            ..
        } => format!("{id} {name}"),
        _ => id.to_string(),
    };
    resolve
        .packages()
        .iter()
        .map(|package| word(&package.id))
        .collect::<Vec<_>>()
        .join(", ")
}

pub(super) fn solved(roots: &str, table: &str) -> String {
    with_pins(roots, "", table)
}

pub(super) fn with_pins(roots: &str, locked: &str, table: &str) -> String {
    match resolve(&self::roots(roots), &pins(locked), &candidates(table)) {
        Ok(resolve) => answer(&resolve),
        Err(conflict) => panic!(
            "{:?}",
            explained(&conflict.explain(&ExplainContext::default()))
        ),
    }
}

/// An error as it is printed.
pub(super) fn explained(error: &Error) -> String {
    let mut text = format!("error: {}\n", error.message());
    for note in error.notes() {
        text += &format!("  {note}\n");
    }
    for help in error.helps() {
        text += &format!("help: {help}\n");
    }
    text
}
