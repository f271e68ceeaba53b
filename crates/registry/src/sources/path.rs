//! Packages out of directories of this disk.

use std::path::PathBuf;

use super::describe::{Surroundings, describe};
use super::discover::{discover as skill_dirs, join, last_part};
use super::git::read_skill;
use super::{Fetched, FoundSkill, Offer, Origin, Sources};
use crate::error::{Error, Result};
use crate::io::disk;
use crate::package::{Dependency, SkillName, SourceId, Summary, Tree};
use crate::report::Event;
use crate::skill::formats;
use crate::workspace::Workspace;

/// How deep a directory is searched for skills.
const DEPTH_MAX: usize = 8;

/// The one package that the directory is.
pub(super) fn offer(sources: &Sources<'_>, path: &str, needed: &Dependency) -> Result<Vec<Offer>> {
    fetch(sources, path, &Summary::unread(needed)).map(|fetched| vec![Offer::Fetched(Box::new(fetched))])
}

/// The package, read anew; `wanted` says under which name.
pub(super) fn fetch(sources: &Sources<'_>, path: &str, wanted: &Summary) -> Result<Fetched> {
    let tree = read(sources, path)?;
    warn_of_secrets(sources, path, &tree);
    warn_of_links(sources, path, &tree)?;
    let sibling = |name: &SkillName| {
        let beside = format!("{}/../{name}", path.trim_end_matches('/'));
        let beside_it = place(sources, &beside);
        let is_skill = formats::detect(&|file| disk::lstat(&beside_it.join(file)).ok().flatten().is_some());
        is_skill.is_some().then(|| (SourceId::path(&beside), None))
    };
    let relative = |inner: &str| {
        let joined =
            if inner.starts_with('/') { inner.to_owned() } else { format!("{}/{inner}", path.trim_end_matches('/')) };
        Ok((SourceId::path(&joined), None))
    };
    let real = disk::real_path(&place(sources, path));
    let directory = real.file_name().and_then(|name| name.to_str()).unwrap_or_else(|| last_part(path));
    let around = Surroundings {
        place: path,
        directory,
        registries: sources.registries,
        sibling: &sibling,
        relative: &relative,
        shared: &|| Workspace::shared_with(&real, sources.registries),
    };
    let described = describe(&tree, &around)?;
    let summary = Summary { version: described.version, dependencies: Some(described.dependencies), ..wanted.clone() };
    Ok(Fetched {
        summary,
        origin: Origin::default(),
        tree,
        skill: Some(described.skill),
        diagnostics: described.diagnostics,
    })
}

/// Says so where a directory holds what looks like a secret: it would be copied into every target.
fn warn_of_secrets(sources: &Sources<'_>, path: &str, tree: &Tree) {
    let found: Vec<&str> =
        tree.files().map(|(file, _)| file.as_str()).filter(|file| is_secret(last_part(file))).collect();
    if !found.is_empty() {
        sources.reporter.report(Event::Warning {
            message: format!("`{path}` holds what looks like a secret: {}", found.join(", ")),
            help: Some("keep it out of the skill's directory".into()),
        });
    }
}

/// Says so where a file of a directory has another name outside it.
fn warn_of_links(sources: &Sources<'_>, path: &str, tree: &Tree) -> Result<()> {
    let files = tree.files().map(|(file, _)| file.as_str());
    let linked = disk::linked_from_outside(&place(sources, path), files)?;
    if let Some(event) = super::linked_from_outside(path, &linked) {
        sources.reporter.report(event);
    }
    Ok(())
}

fn is_secret(name: &str) -> bool {
    let is_environment = name == ".env" || name.starts_with(".env.") && !name.ends_with(".example");
    is_environment
        || matches!(name, ".npmrc" | ".pypirc" | ".netrc" | "id_rsa" | "id_ed25519" | "id_ecdsa" | "credentials.json")
        || [".pem", ".p12", ".pfx", ".key"].iter().any(|end| name.ends_with(end))
}

/// The directory's files.
pub(super) fn read(sources: &Sources<'_>, path: &str) -> Result<Tree> {
    let dir = place(sources, path);
    match disk::lstat(&disk::real_path(&dir))? {
        Some(meta) if meta.is_dir() => disk::read_tree(&dir),
        Some(_) => Err(Error::negative(format!("`{path}` is not a directory"))),
        None => Err(missing(path)),
    }
}

fn missing(path: &str) -> Error {
    Error::negative(format!("there is no directory `{path}`"))
        .help("check its spelling; a repository is written `gh:owner/repo` or as a URL")
}

/// The skills below a directory.
pub(super) fn discover(sources: &Sources<'_>, path: &str) -> Result<Vec<FoundSkill>> {
    let dir = place(sources, path);
    if disk::lstat(&disk::real_path(&dir))?.is_none() {
        return Err(missing(path));
    }
    let files = disk::list_files(&dir, DEPTH_MAX)?;
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let dirs = skill_dirs(&names, &mut |file| disk::read(&dir.join(file)).ok().flatten()).offered;
    let real = disk::real_path(&dir);
    let own_name = real.file_name().and_then(|name| name.to_str()).unwrap_or("skill");
    let mut found = Vec::new();
    for inner in dirs {
        let has = |file: &str| names.binary_search(&join(&inner, file).as_str()).is_ok();
        let descriptor = formats::detect(&has).unwrap_or_default().descriptor();
        let bytes = disk::read(&dir.join(join(&inner, descriptor)))?.unwrap_or_default();
        let directory = if inner.is_empty() { own_name } else { last_part(&inner) };
        let shown = if inner.is_empty() { path.to_owned() } else { format!("{}/{inner}", path.trim_end_matches('/')) };
        let skill = read_skill(&bytes, &has, &shown, directory);
        found.push(FoundSkill { dir: if inner.is_empty() { None } else { Some(inner.parse()?) }, skill });
    }
    if found.is_empty() {
        return Err(Error::negative(format!("there is no skill in `{path}`"))
            .note("a skill is a directory with a `SKILL.md`")
            .help("`skillpm new NAME` makes one"));
    }
    Ok(found)
}

fn place(sources: &Sources<'_>, path: &str) -> PathBuf {
    sources.root.join(path)
}
