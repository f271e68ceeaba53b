//! `[patch]`: packages that are taken in place of others, wherever those are asked for.
//!
//! ```toml
//! [patch."https://github.com/acme/skills"]     # a repository, or the URL of an index
//! release-notes = { path = "vendor/release-notes" }
//! [patch.default]                              # a registry by its name
//! "acme/pdf" = { git = "https://github.com/me/pdf", branch = "fix" }
//! style = { package = "me/style", version = "^2", registry = "mine" }
//! ```
//!
//! It counts in the manifest of the project alone. So it is read apart from the rest: in a package's own manifest it may
//! name a registry that nobody here has heard of.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::{Declared, Registries, declared, located, place, schema};
use crate::error::{Error, Result};
use crate::package::{Patch, PatchedPlace, SourceId};

#[derive(Deserialize)]
struct Light {
    #[serde(default)]
    patch: BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Spanned<schema::Declared>>>,
}

/// The entries of `[patch]` in the text of a project's manifest; `file` is its name for messages.
///
/// # Errors
/// If a table names no place that is known, or an entry cannot be understood or puts a package in place of itself.
pub fn patches(text: &str, file: &str, registries: Registries<'_>) -> Result<Vec<Patch>> {
    if !text.contains("patch") {
        return Ok(Vec::new());
    }
    let light: Light = toml::from_str(text).map_err(|error| located(&error, text, file))?;
    let mut patches = Vec::new();
    for (key, entries) in light.patch {
        let at = |span: std::ops::Range<usize>| place(text, file, span.start);
        let target = patched_place(key.get_ref(), registries)
            .map_err(|error| error.wrap(format!("{}: `[patch.{}]` names no place", at(key.span()), quoted(&key))))?;
        for (name, entry) in entries {
            let line = at(entry.span());
            let read = one(name.get_ref(), entry.into_inner(), &target, registries);
            patches.push(read.map_err(|error| {
                error.wrap(format!("{line}: the patch of `{}` cannot be understood", name.get_ref()))
            })?);
        }
    }
    Ok(patches)
}

fn patched_place(key: &str, registries: Registries<'_>) -> Result<PatchedPlace> {
    let (index, repository) =
        if key.contains(':') { (key.to_owned(), key.parse().ok()) } else { (registries(Some(key))?, None) };
    Ok(PatchedPlace { written: key.to_owned(), index: Some(index), repository })
}

fn one(key: &str, entry: schema::Declared, patched: &PatchedPlace, registries: Registries<'_>) -> Result<Patch> {
    if matches!(&entry, schema::Declared::Table(table) if table.workspace.is_some()) {
        return Err(Error::usage("a patch is no dependency, and cannot inherit from one"));
    }
    let Declared { dependency: by, .. } = declared(key, entry, registries)?;
    let package = key.parse()?;
    if matches!(by.source, SourceId::Registry(_)) && patched.holds(&by.source) && by.package == package {
        return Err(Error::usage("it puts a package in place of itself")
            .help("name another source: `path`, `git`, `archive` or another `registry`"));
    }
    Ok(Patch { package, place: patched.clone(), by })
}

fn quoted(key: &Spanned<String>) -> String {
    let is_bare = key.get_ref().bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    if is_bare { key.get_ref().clone() } else { format!("\"{}\"", key.get_ref().escape_debug()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<Patch>> {
        patches(text, "skillpm.toml", &|name| match name {
            Some("acme") | None => Ok("file:///acme".into()),
            Some(name) => Err(Error::usage(format!("no registry `{name}` is configured"))),
        })
    }

    #[test]
    fn a_place_is_a_registry_by_name_or_url_or_a_repository() {
        let text = "[patch.acme]\n\"acme/pdf\" = { path = \"vendor/pdf\" }\n\
                    [patch.\"file:///acme\"]\nstyle = { git = \"gh:me/style\", branch = \"fix\" }\n\
                    [patch.\"gh:acme/skills\"]\nnotes = { package = \"me/notes\", version = \"^2\", registry = \"acme\" }\n";
        let patches = read(text).unwrap();
        let registry = SourceId::Registry("file:///acme".into());
        let told: Vec<String> = patches
            .iter()
            .map(|patch| format!("{} by {} {}", patch.package, patch.by.package, patch.by.source))
            .collect();
        assert_eq!(
            told,
            [
                "acme/pdf by acme/pdf path+vendor/pdf",
                "style by style git+https://github.com/me/style?branch=fix",
                "notes by me/notes registry+file:///acme"
            ]
        );
        assert!(patches[0].place.holds(&registry) && patches[1].place.holds(&registry));
        assert!(patches[2].place.holds(&"git+https://github.com/acme/skills?tag=v1".parse().unwrap()));
    }

    #[test]
    fn faults_have_their_place_and_reason() {
        for (text, expected) in [
            ("[patch.acmee]\na = \"1\"\n", "skillpm.toml:1:8: `[patch.acmee]` names no place"),
            ("[patch.acme]\na = { pth = \"x\" }\n", "skillpm.toml:2:7"),
            ("[patch.acme]\na = { }\n", "skillpm.toml:2:5: the patch of `a` cannot be understood"),
            ("[patch.acme]\na = { version = \"1\", registry = \"acme\" }\n", "in place of itself"),
            ("[patch.acme]\na.workspace = true\n", "cannot inherit"),
        ] {
            let fault = format!("{:?}", read(text).unwrap_err());
            assert!(fault.contains(expected), "{text}\n{fault}");
        }
    }
}
