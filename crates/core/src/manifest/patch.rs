//! `[patch]`: packages that replace others, also as transitive dependencies.
//!
//! ```toml
//! [patch."https://github.com/acme/skills"]     # a repository, or the URL of an index
//! release-notes = { path = "vendor/release-notes" }
//! [patch.default]                              # a registry by its name
//! "acme/pdf" = { git = "https://github.com/me/pdf", branch = "fix" }
//! style = { package = "me/style", version = "^2", registry = "mine" }
//! ```
//!
//! Only the project's own manifest is considered. So it is read separately from the rest: the `[patch]` of a package may
//! name a registry that is not configured here.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{
    DeclaredDependency, RegistryLookup, declared_dependency, location_at, schema, toml_error,
};
use crate::error::{Error, Result};
use crate::package::{PatchEntry, PatchedSource, SourceId};

#[derive(Deserialize)]
struct PatchOnlyManifest {
    #[serde(default)]
    patch: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<schema::RawDependency>>>,
}

/// Parses the entries of `[patch]` in the text of a project's manifest; `file` is its name for messages.
///
/// # Errors
/// If a table names an unknown source, or an entry is invalid or replaces a package by itself.
pub fn parse_patches(
    text: &str,
    file: &str,
    registries: RegistryLookup<'_>,
) -> Result<Vec<PatchEntry>> {
    if !text.contains("patch") {
        return Ok(Vec::new());
    }
    let light: PatchOnlyManifest =
        toml::from_str(text).map_err(|error| toml_error(&error, text, file))?;

    let mut patches = Vec::new();
    for (key, entries) in light.patch {
        let at = |span: std::ops::Range<usize>| location_at(text, file, span.start);
        let target = parse_patched_source(key.get_ref(), registries).map_err(|error| {
            error.wrap(format!(
                "{}: unknown source in `[patch.{}]`",
                at(key.span()),
                quoted_key(&key)
            ))
        })?;

        for (name, entry) in entries {
            let line = at(entry.span());
            let read = read_patch(name.get_ref(), entry.into_inner(), &target, registries);
            patches.push(read.map_err(|error| {
                error.wrap(format!("{line}: invalid patch of `{}`", name.get_ref()))
            })?);
        }
    }

    Ok(patches)
}

fn parse_patched_source(key: &str, registries: RegistryLookup<'_>) -> Result<PatchedSource> {
    // A URL can be that of an index or of a repository, so both are tried.
    let (index, repository) = if key.contains(':') {
        (key.to_owned(), key.parse().ok())
    } else {
        (registries(Some(key))?, None)
    };

    Ok(PatchedSource {
        written: key.to_owned(),
        index: Some(index),
        repository,
    })
}

fn read_patch(
    key: &str,
    entry: schema::RawDependency,
    patched: &PatchedSource,
    registries: RegistryLookup<'_>,
) -> Result<PatchEntry> {
    if matches!(&entry, schema::RawDependency::Table(table) if table.workspace.is_some()) {
        return Err(Error::usage(
            "a patch cannot inherit from `[workspace.dependencies]`",
        ));
    }

    let DeclaredDependency { dependency: by, .. } = declared_dependency(key, entry, registries)?;
    let package = key.parse()?;

    // The same name from another source is the purpose of a patch; from the same one it is a loop.
    if matches!(by.source, SourceId::Registry(_))
        && patched.matches(&by.source)
        && by.package == package
    {
        return Err(Error::usage(
            "the patch points to the same source, but must point to a different one",
        )
        .help("set another source: `path`, `git`, `archive` or another `registry`"));
    }

    Ok(PatchEntry {
        package,
        target: patched.clone(),
        replacement: by,
    })
}

fn quoted_key(key: &Spanned<String>) -> String {
    let is_bare = key
        .get_ref()
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if is_bare {
        key.get_ref().clone()
    } else {
        format!("\"{}\"", key.get_ref().escape_debug())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<PatchEntry>> {
        parse_patches(text, "skillpm.toml", &|name| match name {
            Some("acme") | None => Ok("file:///acme".into()),
            Some(name) => Err(Error::usage(format!("no registry `{name}` is configured"))),
        })
    }

    #[test]
    fn patched_source_is_a_registry_by_name_or_url_or_a_repository() {
        let text = "[patch.acme]\n\"acme/pdf\" = { path = \"vendor/pdf\" }\n\
                    [patch.\"file:///acme\"]\nstyle = { git = \"gh:me/style\", branch = \"fix\" }\n\
                    [patch.\"gh:acme/skills\"]\nnotes = { package = \"me/notes\", version = \"^2\", registry = \"acme\" }\n";
        let patches = read(text).unwrap();
        let registry = SourceId::Registry("file:///acme".into());
        let shown: Vec<String> = patches
            .iter()
            .map(|patch| {
                format!(
                    "{} by {} {}",
                    patch.package, patch.replacement.package, patch.replacement.source
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "acme/pdf by acme/pdf path+vendor/pdf",
                "style by style git+https://github.com/me/style?branch=fix",
                "notes by me/notes registry+file:///acme"
            ]
        );
        assert!(patches[0].target.matches(&registry) && patches[1].target.matches(&registry));
        assert!(
            patches[2]
                .target
                .matches(&"git+https://github.com/acme/skills?tag=v1".parse().unwrap())
        );
    }

    #[test]
    fn errors_have_their_location_and_reason() {
        for (text, expected) in [
            (
                "[patch.acmee]\na = \"1\"\n",
                "skillpm.toml:1:8: unknown source in `[patch.acmee]`",
            ),
            ("[patch.acme]\na = { pth = \"x\" }\n", "skillpm.toml:2:7"),
            (
                "[patch.acme]\na = { }\n",
                "skillpm.toml:2:5: invalid patch of `a`",
            ),
            (
                "[patch.acme]\na = { version = \"1\", registry = \"acme\" }\n",
                "points to the same source",
            ),
            ("[patch.acme]\na.workspace = true\n", "cannot inherit"),
        ] {
            let fault = format!("{:?}", read(text).unwrap_err());
            assert!(fault.contains(expected), "{text}\n{fault}");
        }
    }
}
