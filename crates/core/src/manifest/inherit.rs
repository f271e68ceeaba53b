//! `[workspace]`: which directories belong to a project of many skills, and what they inherit from it.
//!
//! ```toml
//! [workspace]
//! members = ["skills/*"]
//! exclude = ["skills/attic"]
//! [workspace.package]
//! scope = "acme"               # of members that are named by their SKILL.md alone
//! license = "MIT"              # a member takes it with `license.workspace = true`
//! [workspace.dependencies]
//! style = { path = "skills/style", version = "^1" }   # a member takes it with `style.workspace = true`
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::schema::{self, Inheritable, WorkspacePackage};
use super::{Declared, Publish, Registries, declared, located, place};
use crate::error::{Error, Result};
use crate::package::{PackageName, RelPath, SkillName, SourceId};

/// `[workspace]`.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceTable {
    /// Which directories belong to it.
    pub members: Members,
    /// The scope of members that have no name but that of their `SKILL.md`.
    pub scope: Option<SkillName>,
    /// What members may inherit.
    pub shared: Shared,
}

/// What the members of a workspace may inherit from its manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Shared {
    file: String,
    package: WorkspacePackage,
    dependencies: BTreeMap<String, Declared>,
    /// The way from the member to the root, such as `../..`; empty for the root itself.
    up: String,
}

/// `members` and `exclude`: patterns of directories below the root.
///
/// `*` and `?` stand for characters within a part, `**` for any number of parts. No pattern but one that says so
/// matches a part that begins with a dot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Members {
    patterns: Vec<Vec<String>>,
    exclude: Vec<Vec<String>>,
}

impl WorkspaceTable {
    pub(super) fn read(
        raw: schema::Workspace,
        text: &str,
        file: &str,
        registries: Registries<'_>,
    ) -> Result<WorkspaceTable> {
        let members =
            Members { patterns: patterns(&raw.members, text, file)?, exclude: patterns(&raw.exclude, text, file)? };
        let mut dependencies = BTreeMap::new();
        for (key, entry) in raw.dependencies {
            let at = entry.span();
            if matches!(entry.get_ref(), schema::Declared::Table(table) if table.workspace.is_some()) {
                let place = place(text, file, at.start);
                return Err(Error::usage(format!("{place}: `{}` cannot inherit from its own table", key.get_ref())));
            }
            let read = declared(key.get_ref(), entry.into_inner(), registries);
            dependencies.insert(key.get_ref().clone(), read.map_err(|error| misread(error, text, file, &key, at))?);
        }
        let shared = Shared { file: file.to_owned(), package: raw.package, dependencies, up: String::new() };
        Ok(WorkspaceTable { members, scope: shared.package.scope.clone(), shared })
    }
}

/// Says which entry of which line could not be understood.
pub(super) fn misread(error: Error, text: &str, file: &str, key: &Spanned<String>, at: Range<usize>) -> Error {
    let is_key = key.get_ref().parse::<PackageName>().is_err();
    let place = place(text, file, if is_key { key.span().start } else { at.start });
    error.wrap(format!("{place}: dependency `{}` cannot be understood", key.get_ref()))
}

impl Shared {
    /// The same, as a member at `dir` below the root sees it: paths lead up to the root first.
    #[must_use]
    pub fn seen_from(&self, dir: &RelPath) -> Shared {
        let up = vec![".."; dir.parts().count()].join("/");
        Shared { up, ..self.clone() }
    }

    pub(super) fn dependency(&self, key: &str) -> Option<Declared> {
        let mut found = self.dependencies.get(key)?.clone();
        if let SourceId::Path(path) = &found.dependency.source
            && !path.starts_with('/')
            && !self.up.is_empty()
        {
            found.dependency.source = SourceId::path(&format!("{}/{path}", self.up));
        }
        Some(found)
    }
}

/// Where a member's inherited values come from, and where it stands, for messages.
pub(super) struct Heir<'a> {
    pub text: &'a str,
    pub file: &'a str,
    pub shared: Option<&'a Shared>,
}

impl Heir<'_> {
    /// A key's own value, or the one it inherits.
    pub(super) fn value<T: Clone>(
        &self,
        key: &str,
        written: Option<Spanned<Inheritable<T>>>,
        theirs: fn(&WorkspacePackage) -> &Option<T>,
    ) -> Result<Option<T>> {
        let Some(written) = written else { return Ok(None) };
        let at = written.span().start;
        match written.into_inner() {
            Inheritable::Own(value) => Ok(Some(value)),
            Inheritable::Workspace => {
                let shared = self.root(at, key)?;
                let value = theirs(&shared.package).clone();
                value.map(Some).ok_or_else(|| self.lacks(at, key, "package", shared))
            }
        }
    }

    /// The dependency under this key of `[workspace.dependencies]`.
    pub(super) fn dependency(&self, key: &str, at: usize) -> Result<Declared> {
        let shared = self.root(at, key)?;
        shared.dependency(key).ok_or_else(|| self.lacks(at, key, "dependencies", shared))
    }

    fn root(&self, at: usize, key: &str) -> Result<&Shared> {
        self.shared.ok_or_else(|| {
            let place = place(self.text, self.file, at);
            Error::usage(format!("{place}: `{key}` is inherited, and this directory is a member of no workspace"))
                .help("write the value itself, or add the directory to `members` in the `[workspace]` above it")
        })
    }

    fn lacks(&self, at: usize, key: &str, table: &str, shared: &Shared) -> Error {
        let (place, root) = (place(self.text, self.file, at), &shared.file);
        Error::usage(format!("{place}: `{key}` is inherited, and `[workspace.{table}]` in `{root}` has no `{key}`"))
            .help(format!("add `{key}` below `[workspace.{table}]`, or write the value here"))
    }
}

impl Members {
    /// What the text of a manifest says of members; `None` if it has no `[workspace]`. Nothing else of it is understood.
    ///
    /// # Errors
    /// If it is not TOML, or a pattern cannot be.
    pub fn of(text: &str, file: &str) -> Result<Option<Members>> {
        #[derive(Deserialize)]
        struct Light {
            workspace: Option<Lists>,
        }
        #[derive(Deserialize)]
        #[serde(default)]
        #[derive(Default)]
        struct Lists {
            members: Vec<Spanned<String>>,
            exclude: Vec<Spanned<String>>,
        }
        if !text.contains("workspace") {
            return Ok(None);
        }
        let light: Light = toml::from_str(text).map_err(|error| located(&error, text, file))?;
        let Some(lists) = light.workspace else { return Ok(None) };
        let (patterns, exclude) = (patterns(&lists.members, text, file)?, patterns(&lists.exclude, text, file)?);
        Ok(Some(Members { patterns, exclude }))
    }

    /// Whether the directory at this path below the root belongs to it, if there is a skill in it.
    #[must_use]
    pub fn hold(&self, dir: &str) -> bool {
        let parts: Vec<&str> = dir.split('/').collect();
        self.patterns.iter().any(|pattern| matches(pattern, &parts)) && !self.is_excluded(&parts)
    }

    fn is_excluded(&self, parts: &[&str]) -> bool {
        (1..=parts.len()).any(|end| self.exclude.iter().any(|pattern| matches(pattern, &parts[..end])))
    }

    /// The directories below the root that belong to it, sorted; `names` tells the names of directories in one.
    ///
    /// The flag says whether a pattern names just this directory, so that it must be there.
    ///
    /// # Errors
    /// Whatever `names` fails for.
    pub fn expand(&self, names: &dyn Fn(&str) -> Result<Vec<String>>) -> Result<Vec<(String, bool)>> {
        let mut found = BTreeMap::new();
        for pattern in &self.patterns {
            let is_named = !pattern.iter().any(|part| is_wild(part));
            let mut dirs = Vec::new();
            walk("", pattern, names, &mut dirs)?;
            for dir in dirs {
                *found.entry(dir).or_insert(false) |= is_named;
            }
        }
        found.retain(|dir, _| !self.is_excluded(&dir.split('/').collect::<Vec<_>>()));
        Ok(found.into_iter().collect())
    }
}

/// How deep `**` looks.
const DEPTH_MAX: usize = 16;

fn walk(
    dir: &str,
    pattern: &[String],
    names: &dyn Fn(&str) -> Result<Vec<String>>,
    found: &mut Vec<String>,
) -> Result<()> {
    let join = |name: &str| if dir.is_empty() { name.to_owned() } else { format!("{dir}/{name}") };
    let Some((first, rest)) = pattern.split_first() else {
        if !dir.is_empty() {
            found.push(dir.to_owned());
        }
        return Ok(());
    };
    if !is_wild(first) {
        return walk(&join(first), rest, names, found);
    }
    if first == "**" {
        walk(dir, rest, names, found)?;
    }
    for name in names(dir)?.iter().filter(|name| part_matches(first, name)) {
        let goes_on = first == "**" && dir.matches('/').count() < DEPTH_MAX;
        walk(&join(name), if goes_on { pattern } else { rest }, names, found)?;
    }
    Ok(())
}

fn patterns(written: &[Spanned<String>], text: &str, file: &str) -> Result<Vec<Vec<String>>> {
    let pattern = |written: &Spanned<String>| {
        let refused = |why: &str| {
            let place = place(text, file, written.span().start);
            Error::usage(format!("{place}: `{}` cannot be a member: {why}", written.get_ref()))
                .help("name directories below this one, such as `skills/*`")
        };
        let parts: Vec<String> =
            written.get_ref().split('/').filter(|part| !matches!(*part, "" | ".")).map(str::to_owned).collect();
        if written.get_ref().starts_with('/') || parts.iter().any(|part| part == "..") {
            return Err(refused("it leads out of the workspace"));
        }
        if parts.iter().any(|part| part.contains(['[', ']', '{', '}', '!', '\\'])) {
            return Err(refused("its wildcards can be `*`, `?` and `**`"));
        }
        Ok(parts)
    };
    written.iter().map(pattern).filter(|parts| !parts.as_ref().is_ok_and(Vec::is_empty)).collect()
}

fn is_wild(part: &str) -> bool {
    part.contains(['*', '?'])
}

fn matches(pattern: &[String], parts: &[&str]) -> bool {
    match (pattern.split_first(), parts.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        (Some((first, rest)), _) if first == "**" => {
            matches(rest, parts)
                || parts.split_first().is_some_and(|(name, below)| part_matches(first, name) && matches(pattern, below))
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((name, below))) => part_matches(first, name) && matches(rest, below),
    }
}

/// Whether one part of a pattern matches a name.
fn part_matches(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    wild(pattern.as_bytes(), name.as_bytes())
}

/// Matches with one step back: to just behind the last star, which suffices, since a star takes anything.
fn wild(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next, mut retry) = (0, 0, None);
    while next < name.len() {
        match pattern.get(at) {
            Some(b'*') => {
                retry = Some((at, next));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[next] => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((star, taken)) = retry else { return false };
                retry = Some((star, taken + 1));
                (at, next) = (star + 1, taken + 1);
            }
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// The value of `publish`.
pub(super) fn publish(heir: &Heir<'_>, written: Option<Spanned<Inheritable<schema::Publish>>>) -> Result<Publish> {
    let found = heir.value("publish", written, |theirs| &theirs.publish)?;
    Ok(found.map_or(Publish::Anywhere, |schema::Publish(publish)| publish))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> Members {
        Members::of(&format!("[workspace]\n{text}\n"), "skillpm.toml").unwrap().unwrap()
    }

    #[test]
    fn a_pattern_matches_whole_parts_and_nothing_hidden() {
        let members =
            members("members = [\"skills/*\", \"./one/\", \"deep/**\", \"a-?x*z\"]\nexclude = [\"skills/attic\"]");
        for yes in ["skills/pdf", "one", "deep/a", "deep/a/b", "a-1xz", "a-1xyyzz"] {
            assert!(members.hold(yes), "{yes}");
        }
        for no in ["skills", "skills/a/b", "skills/.hidden", "skills/attic", "other", "deep/.a/b", "a-xz", "one/two"] {
            assert!(!members.hold(no), "{no}");
        }
    }

    #[test]
    fn patterns_expand_to_the_directories_that_are_there() {
        let tree = |dir: &str| -> Result<Vec<String>> {
            Ok(match dir {
                "" => vec!["skills", "other"],
                "skills" => vec!["a", "b", ".git"],
                "skills/b" => vec!["c"],
                _ => vec![],
            }
            .into_iter()
            .map(str::to_owned)
            .collect())
        };
        let expand = |text: &str| members(text).expand(&tree).unwrap();
        assert_eq!(expand("members = [\"skills/*\"]"), [("skills/a".into(), false), ("skills/b".into(), false)]);
        assert_eq!(expand("members = [\"gone\", \"skills/**\"]\nexclude = [\"skills\"]"), [("gone".into(), true)]);
        let all: Vec<String> = expand("members = [\"**\"]").into_iter().map(|(dir, _)| dir).collect();
        assert_eq!(all, ["other", "skills", "skills/a", "skills/b", "skills/b/c"]);
    }

    #[test]
    fn a_member_cannot_lie_outside() {
        for (pattern, why) in [("../x", "leads out"), ("/x", "leads out"), ("[ab]", "wildcards")] {
            let error = Members::of(&format!("[workspace]\nmembers = [\"{pattern}\"]\n"), "skillpm.toml").unwrap_err();
            assert!(error.message().starts_with("skillpm.toml:2:12: "), "{error}");
            assert!(error.message().contains(why), "{error}");
        }
    }
}
