//! `[workspace]`: which directories belong to a project of many skills, and what they inherit from it.
//!
//! ```toml
//! [workspace]
//! members = ["skills/*"]
//! exclude = ["skills/attic"]
//! [workspace.package]
//! scope = "acme"               # of members that have their name from SKILL.md only
//! license = "MIT"              # a member takes it with `license.workspace = true`
//! [workspace.dependencies]
//! style = { path = "skills/style", version = "^1" }   # a member takes it with `style.workspace = true`
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

use super::schema::{self, InheritableField, WorkspacePackage};
use super::{
    DeclaredDependency, PublishTargets, RegistryLookup, declared_dependency, location_at,
    toml_error,
};
use crate::error::{Error, Result};
use crate::package::{PackageName, RelPath, SkillName, SourceId};

/// `[workspace]`.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceTable {
    /// The directories of its members.
    pub members: MemberPatterns,
    /// The scope of members that have their name from `SKILL.md` only.
    pub scope: Option<SkillName>,
    /// The values that members may inherit.
    pub shared: InheritableFields,
}

/// The values that the members of a workspace may inherit from its manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct InheritableFields {
    file: String,
    package: WorkspacePackage,
    dependencies: BTreeMap<String, DeclaredDependency>,
    /// The path from the member to the root, such as `../..`; empty for the root itself.
    root_prefix: String,
}

/// `members` and `exclude`: patterns of directories below the root.
///
/// `*` and `?` match characters within a path component, `**` any number of components. A component that begins with a dot
/// is matched only by a pattern that begins with a dot.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemberPatterns {
    patterns: Vec<Vec<String>>,
    exclude: Vec<Vec<String>>,
}

impl WorkspaceTable {
    pub(super) fn read(
        raw: schema::RawWorkspace,
        text: &str,
        file: &str,
        registries: RegistryLookup<'_>,
    ) -> Result<WorkspaceTable> {
        let members = MemberPatterns {
            patterns: parse_patterns(&raw.members, text, file)?,
            exclude: parse_patterns(&raw.exclude, text, file)?,
        };

        let mut dependencies = BTreeMap::new();
        for (key, entry) in raw.dependencies {
            let at = entry.span();
            if matches!(entry.get_ref(), schema::RawDependency::Table(table) if table.workspace.is_some())
            {
                let place = location_at(text, file, at.start);
                return Err(Error::usage(format!(
                    "{place}: invalid dependency `{}`: `[workspace.dependencies]` cannot inherit from itself",
                    key.get_ref()
                )));
            }

            let read = declared_dependency(key.get_ref(), entry.into_inner(), registries);
            dependencies.insert(
                key.get_ref().clone(),
                read.map_err(|error| wrap_dependency_error(error, text, file, &key, at))?,
            );
        }

        let shared = InheritableFields {
            file: file.to_owned(),
            package: raw.package,
            dependencies,
            root_prefix: String::new(),
        };

        Ok(WorkspaceTable {
            members,
            scope: shared.package.scope.clone(),
            shared,
        })
    }
}

/// Adds the entry and its location to an error.
pub(super) fn wrap_dependency_error(
    error: Error,
    text: &str,
    file: &str,
    key: &Spanned<String>,
    at: Range<usize>,
) -> Error {
    let is_key = PackageName::parse_key(key.get_ref()).is_err();
    let place = location_at(text, file, if is_key { key.span().start } else { at.start });

    error.wrap(format!("{place}: invalid dependency `{}`", key.get_ref()))
}

impl InheritableFields {
    /// The same values for a member at `dir` below the root: relative paths lead up to the root first.
    #[must_use]
    pub fn seen_from(&self, dir: &RelPath) -> InheritableFields {
        // The root's paths are relative to the root; a member's are relative to the member.
        let up = vec![".."; dir.parts().count()].join("/");
        InheritableFields {
            root_prefix: up,
            ..self.clone()
        }
    }

    pub(super) fn dependency(&self, key: &str) -> Option<DeclaredDependency> {
        let mut found = self.dependencies.get(key)?.clone();
        // An absolute path is the same from everywhere.
        if let SourceId::Path(path) = &found.dependency.source
            && !path.starts_with('/')
            && !self.root_prefix.is_empty()
        {
            found.dependency.source = SourceId::from_path(&format!("{}/{path}", self.root_prefix));
        }

        Some(found)
    }
}

/// The source of a member's inherited values, and its text and file name for messages.
pub(super) struct InheritContext<'a> {
    pub text: &'a str,
    pub file: &'a str,
    pub shared: Option<&'a InheritableFields>,
}

impl InheritContext<'_> {
    /// A key's own value, or the one it inherits.
    pub(super) fn value<T: Clone>(
        &self,
        key: &str,
        written: Option<Spanned<InheritableField<T>>>,
        theirs: fn(&WorkspacePackage) -> &Option<T>,
    ) -> Result<Option<T>> {
        let Some(written) = written else {
            return Ok(None);
        };

        let at = written.span().start;
        match written.into_inner() {
            InheritableField::Own(value) => Ok(Some(value)),
            InheritableField::Workspace => {
                let shared = self.workspace_fields(at, key)?;
                let value = theirs(&shared.package).clone();
                value
                    .map(Some)
                    .ok_or_else(|| self.missing_value(at, key, "package", shared))
            }
        }
    }

    /// The dependency under this key of `[workspace.dependencies]`.
    pub(super) fn dependency(&self, key: &str, at: usize) -> Result<DeclaredDependency> {
        let shared = self.workspace_fields(at, key)?;
        shared
            .dependency(key)
            .ok_or_else(|| self.missing_value(at, key, "dependencies", shared))
    }

    fn workspace_fields(&self, at: usize, key: &str) -> Result<&InheritableFields> {
        self.shared.ok_or_else(|| {
            let place = location_at(self.text, self.file, at);
            Error::usage(format!("{place}: `{key}.workspace = true` requires a workspace, and this directory is not a member of one"))
                .help("write the value, or add the directory to `members` of the `[workspace]` above it")
        })
    }

    fn missing_value(
        &self,
        at: usize,
        key: &str,
        table: &str,
        shared: &InheritableFields,
    ) -> Error {
        let (place, root) = (location_at(self.text, self.file, at), &shared.file);
        Error::usage(format!(
            "{place}: missing `{key}` in `[workspace.{table}]` of `{root}`, from which it is inherited"
        ))
        .help(format!(
            "add `{key}` to `[workspace.{table}]`, or write the value here"
        ))
    }
}

impl MemberPatterns {
    /// Parses `members` and `exclude` alone from the text of a manifest; `None` if it has no `[workspace]`.
    ///
    /// # Errors
    /// If it is not TOML, or a pattern is invalid.
    pub fn parse(text: &str, file: &str) -> Result<Option<MemberPatterns>> {
        #[derive(Deserialize)]
        struct MembersOnlyManifest {
            workspace: Option<MemberLists>,
        }
        #[derive(Deserialize)]
        #[serde(default)]
        #[derive(Default)]
        struct MemberLists {
            members: Vec<Spanned<String>>,
            exclude: Vec<Spanned<String>>,
        }

        // Most manifests have no workspace, and a search is far cheaper than the parser.
        if !text.contains("workspace") {
            return Ok(None);
        }
        let light: MembersOnlyManifest =
            toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;
        let Some(lists) = light.workspace else {
            return Ok(None);
        };

        let (patterns, exclude) = (
            parse_patterns(&lists.members, text, file)?,
            parse_patterns(&lists.exclude, text, file)?,
        );

        Ok(Some(MemberPatterns { patterns, exclude }))
    }

    /// Whether a directory below the root is a member, provided that it has a skill.
    #[must_use]
    pub fn contains_dir(&self, dir: &str) -> bool {
        let parts: Vec<&str> = dir.split('/').collect();
        self.patterns
            .iter()
            .any(|pattern| matches_pattern(pattern, &parts))
            && !self.is_excluded(&parts)
    }

    fn is_excluded(&self, parts: &[&str]) -> bool {
        // An excluded directory excludes all that is below it.
        (1..=parts.len()).any(|end| {
            self.exclude
                .iter()
                .any(|pattern| matches_pattern(pattern, &parts[..end]))
        })
    }

    /// The member directories below the root, sorted; `names` lists the subdirectories of a directory.
    ///
    /// The flag is true if a pattern names exactly this directory, so that it must exist.
    ///
    /// # Errors
    /// If `names` fails.
    pub fn expand(
        &self,
        names: &dyn Fn(&str) -> Result<Vec<String>>,
    ) -> Result<Vec<(String, bool)>> {
        let mut found = BTreeMap::new();

        for pattern in &self.patterns {
            let is_named = !pattern.iter().any(|part| has_wildcard(part));
            let mut dirs = Vec::new();
            expand_pattern("", pattern, names, &mut dirs)?;
            for dir in dirs {
                *found.entry(dir).or_insert(false) |= is_named;
            }
        }

        // Last, so that `exclude` also counts for a directory that `members` names outright.
        found.retain(|dir, _| !self.is_excluded(&dir.split('/').collect::<Vec<_>>()));
        Ok(found.into_iter().collect())
    }
}

/// The depth of directories to which `**` descends.
const DEPTH_MAX: usize = 16;

fn expand_pattern(
    dir: &str,
    pattern: &[String],
    names: &dyn Fn(&str) -> Result<Vec<String>>,
    found: &mut Vec<String>,
) -> Result<()> {
    let Some((first, rest)) = pattern.split_first() else {
        if !dir.is_empty() {
            found.push(dir.to_owned());
        }
        return Ok(());
    };

    // A plain name is not looked up: if the directory is missing, that is reported by name.
    if !has_wildcard(first) {
        return expand_pattern(&join_path(dir, first), rest, names, found);
    }

    // `**` also matches no directory at all.
    if first == "**" {
        expand_pattern(dir, rest, names, found)?;
    }
    // Bounded, since the depth of a directory tree is not.
    for name in names(dir)?.iter().filter(|name| matches_part(first, name)) {
        let goes_on = first == "**" && dir.matches('/').count() < DEPTH_MAX;
        expand_pattern(
            &join_path(dir, name),
            if goes_on { pattern } else { rest },
            names,
            found,
        )?;
    }
    Ok(())
}

/// A path below a directory, which is empty for the root.
fn join_path(dir: &str, name: &str) -> String {
    if dir.is_empty() {
        name.to_owned()
    } else {
        format!("{dir}/{name}")
    }
}

fn parse_patterns(written: &[Spanned<String>], text: &str, file: &str) -> Result<Vec<Vec<String>>> {
    written
        .iter()
        .map(|written| parse_pattern(written, text, file))
        .filter(|parts| !parts.as_ref().is_ok_and(Vec::is_empty))
        .collect()
}

/// The components of one pattern; empty for the root itself.
fn parse_pattern(written: &Spanned<String>, text: &str, file: &str) -> Result<Vec<String>> {
    let place = || location_at(text, file, written.span().start);
    let parts: Vec<String> = written
        .get_ref()
        .split('/')
        .filter(|part| !matches!(*part, "" | "."))
        .map(str::to_owned)
        .collect();

    if written.get_ref().starts_with('/') || parts.iter().any(|part| part == "..") {
        let why = "it leads out of the workspace";
        return Err(invalid_pattern(&place(), written.get_ref(), why));
    }
    // Rejected and not taken literally, since other tools read them as wildcards.
    if parts
        .iter()
        .any(|part| part.contains(['[', ']', '{', '}', '!', '\\']))
    {
        let why = "the only wildcards are `*`, `?` and `**`";
        return Err(invalid_pattern(&place(), written.get_ref(), why));
    }

    Ok(parts)
}

fn invalid_pattern(place: &str, pattern: &str, why: &str) -> Error {
    Error::usage(format!(
        "{place}: invalid member pattern `{pattern}`: {why}"
    ))
    .help("name directories below this one, such as `skills/*`")
}

fn has_wildcard(part: &str) -> bool {
    part.contains(['*', '?'])
}

fn matches_pattern(pattern: &[String], parts: &[&str]) -> bool {
    match (pattern.split_first(), parts.split_first()) {
        (None, None) => true,
        (None, Some(_)) => false,
        // Either no component, or one component and the same pattern again.
        (Some((first, rest)), _) if first == "**" => {
            matches_pattern(rest, parts)
                || parts.split_first().is_some_and(|(name, below)| {
                    matches_part(first, name) && matches_pattern(pattern, below)
                })
        }
        (Some(_), None) => false,
        (Some((first, rest)), Some((name, below))) => {
            matches_part(first, name) && matches_pattern(rest, below)
        }
    }
}

/// Whether one component of a pattern matches a name.
fn matches_part(pattern: &str, name: &str) -> bool {
    // As in a shell, `*` matches no hidden directory.
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }

    matches_wildcards(pattern.as_bytes(), name.as_bytes())
}

/// Matches wildcards, backtracking only to the last star, which suffices since a star matches anything.
fn matches_wildcards(pattern: &[u8], name: &[u8]) -> bool {
    let (mut at, mut next, mut retry) = (0, 0, None);

    while next < name.len() {
        match pattern.get(at) {
            // At first it takes nothing; `retry` remembers where it can take one character more.
            Some(b'*') => {
                retry = Some((at, next));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[next] => {
                at += 1;
                next += 1;
            }
            _ => {
                let Some((star, taken)) = retry else {
                    return false;
                };
                retry = Some((star, taken + 1));
                (at, next) = (star + 1, taken + 1);
            }
        }
    }

    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// The value of `publish`.
pub(super) fn resolve_publish(
    context: &InheritContext<'_>,
    written: Option<Spanned<InheritableField<schema::RawPublish>>>,
) -> Result<PublishTargets> {
    let found = context.value("publish", written, |theirs| &theirs.publish)?;
    Ok(
        found.map_or(PublishTargets::Anywhere, |schema::RawPublish(publish)| {
            publish
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members(text: &str) -> MemberPatterns {
        MemberPatterns::parse(&format!("[workspace]\n{text}\n"), "skillpm.toml")
            .unwrap()
            .unwrap()
    }

    #[test]
    fn a_pattern_matches_whole_parts_and_nothing_hidden() {
        let members = members(
            "members = [\"skills/*\", \"./one/\", \"deep/**\", \"a-?x*z\"]\nexclude = [\"skills/attic\"]",
        );
        for yes in [
            "skills/pdf",
            "one",
            "deep/a",
            "deep/a/b",
            "a-1xz",
            "a-1xyyzz",
        ] {
            assert!(members.contains_dir(yes), "{yes}");
        }
        for no in [
            "skills",
            "skills/a/b",
            "skills/.hidden",
            "skills/attic",
            "other",
            "deep/.a/b",
            "a-xz",
            "one/two",
        ] {
            assert!(!members.contains_dir(no), "{no}");
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
        assert_eq!(
            expand("members = [\"skills/*\"]"),
            [("skills/a".into(), false), ("skills/b".into(), false)]
        );
        assert_eq!(
            expand("members = [\"gone\", \"skills/**\"]\nexclude = [\"skills\"]"),
            [("gone".into(), true)]
        );
        let all: Vec<String> = expand("members = [\"**\"]")
            .into_iter()
            .map(|(dir, _)| dir)
            .collect();
        assert_eq!(
            all,
            ["other", "skills", "skills/a", "skills/b", "skills/b/c"]
        );
    }

    #[test]
    fn member_outside_of_the_workspace_is_refused() {
        for (pattern, why) in [
            ("../x", "leads out"),
            ("/x", "leads out"),
            ("[ab]", "wildcards"),
        ] {
            let error = MemberPatterns::parse(
                &format!("[workspace]\nmembers = [\"{pattern}\"]\n"),
                "skillpm.toml",
            )
            .unwrap_err();
            assert!(
                error.message().starts_with("skillpm.toml:2:12: "),
                "{error}"
            );
            assert!(error.message().contains(why), "{error}");
        }
    }
}
