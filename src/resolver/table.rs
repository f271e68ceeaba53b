//! Worlds as tables, for tests.
//!
//! ```text
//! a 1.0.0 -> b ^1, git/c * tag:v4 as:d opt     a registry's package and what it needs
//! a 1.1.0 yanked                               a yanked version
//! git/c 4.0.0 tag:v4 dir:skills/c unread       a skill at a tag of the repository, not read yet
//! path/d -                                     one without a version
//! ```
//!
//! A name's first part is its place: `git` and `hub` are repositories, `path` a directory, `zip` an archive, `other` a
//! second registry, and anything else the scope of a name in the default registry. In requirements, `&` stands for `,`.

use semver::VersionReq;

use super::{Candidates, Pins, Resolve, Surroundings, resolve};
use crate::error::Error;
use crate::package::{Dependency, GitReference, PackageName, SourceId, Summary};

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
    let other = if flags.contains(&"head") { GitReference::Default } else { GitReference::Versions };
    SourceId::Git { url: url.parse().unwrap(), reference: reference.unwrap_or(other) }
}

fn flag<'f>(flags: &[&'f str], name: &str) -> Option<&'f str> {
    flags.iter().find_map(|flag| flag.strip_prefix(name)?.strip_prefix(':'))
}

pub(super) fn dependency(text: &str) -> Dependency {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (source, package) = place(words[0], &words[2..]);
    let flags = &words[2..];
    Dependency {
        alias: flag(flags, "as").map_or_else(|| package.skill().clone(), |alias| alias.parse().unwrap()),
        package,
        source,
        subdir: flag(flags, "dir").map(|dir| dir.parse().unwrap()),
        req: VersionReq::parse(&words[1].replace('&', ",")).unwrap(),
        dev: flags.contains(&"dev"),
        optional: flags.contains(&"opt"),
    }
}

pub(super) fn dependencies(text: &str) -> Vec<Dependency> {
    text.split(',').map(str::trim).filter(|text| !text.is_empty()).map(dependency).collect()
}

pub(super) fn summary(line: &str) -> Summary {
    let (head, needs) = line.split_once("->").unwrap_or((line, ""));
    let words: Vec<&str> = head.split_whitespace().collect();
    let flags = &words[2..];
    let (source, name) = place(words[0], flags);
    Summary {
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
    table.lines().map(str::trim).filter(|line| !line.is_empty()).map(summary).collect()
}

/// Pins from lines as in a table of candidates; `precise` in front of one forces it.
pub(super) fn pins(table: &str) -> Pins {
    let mut pins = Pins::new();
    for line in table.lines().map(str::trim).filter(|line| !line.is_empty()) {
        match line.strip_prefix("precise ") {
            Some(line) => pins.require(summary(line).id(), summary(line).subdir),
            None => pins.keep(summary(line).id(), summary(line).subdir),
        }
    }
    pins
}

/// The answer as `name version` words, with the tag or branch where there is one.
pub(super) fn answer(resolve: &Resolve) -> String {
    let word = |id: &crate::package::PackageId| match &id.source {
        SourceId::Git { reference: GitReference::Tag(name) | GitReference::Branch(name), .. } => format!("{id} {name}"),
        _ => id.to_string(),
    };
    resolve.packages().iter().map(|package| word(&package.id)).collect::<Vec<_>>().join(", ")
}

pub(super) fn solved(roots: &str, table: &str) -> String {
    with_pins(roots, "", table)
}

pub(super) fn with_pins(roots: &str, locked: &str, table: &str) -> String {
    match resolve(&dependencies(roots), &pins(locked), &candidates(table)) {
        Ok(resolve) => answer(&resolve),
        Err(conflict) => panic!("{:?}", explained(&conflict.explain(&Surroundings::default()))),
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
