//! Packages from local directories.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use super::describe::{DescribeContext, SkillLocation, describe_package};
use super::discover::{SkillDirs, SkillSearch, dir_name, join_paths, remove_copies};
use super::git::{note_unread, read_skill};
use super::links::{
    DirectoryLinks, LINKS_MAX, PathKind, may_be_directory, resolve_directory_links,
};
use super::{
    AvailableVersion, FetchedPackage, FoundSkill, FoundSkills, PackageOrigin, PackageSources,
};
use crate::workspace::Workspace;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{
    Checksum, PackageDependency, PackageSummary, SkillName, SourceId, Tree, is_secret_file,
    may_be_key, slashed,
};
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::{Skill, formats};
use skillpm_io::disk;
use skillpm_io::local_files::read_source_directory;

/// How deep a directory is searched for skills.
const DEPTH_MAX: usize = 8;

/// Reads the directory, which has one version.
pub(super) fn available_version(
    sources: &PackageSources<'_>,
    path: &str,
    needed: &PackageDependency,
) -> Result<Vec<AvailableVersion>> {
    // A directory has one state, so that it is read at once.
    fetch(sources, path, &PackageSummary::unread(needed))
        .map(|fetched| vec![AvailableVersion::Fetched(Box::new(fetched))])
}

/// Reads the package, under the name in `wanted`.
pub(super) fn fetch(
    sources: &PackageSources<'_>,
    path: &str,
    wanted: &PackageSummary,
) -> Result<FetchedPackage> {
    let tree = sources.budget.charge(read_directory(sources, path)?)?;
    warn_of_secrets(sources, path, &tree);
    warn_of_links(sources, path, &tree)?;

    let real = disk::real_path(&resolve_path(sources, path));
    // The real path has a name even where `.` or a link is given.
    let directory = real
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_else(|| dir_name(path));

    let around = DescribeContext {
        place: path,
        directory,
        registries: sources.registries,
        sibling: &|name| find_sibling(sources, path, name),
        relative: &|inner| Ok((SourceId::from_path(&join_relative(path, inner)), None)),
        shared: &|| Workspace::inherited_by(&real, sources.registries),
    };

    let described = describe_package(&tree, &around)?;
    let summary = PackageSummary {
        version: described.version,
        dependencies: Some(described.dependencies),
        ..wanted.clone()
    };

    Ok(FetchedPackage {
        summary,
        origin: PackageOrigin::default(),
        tree,
        skill: Some(described.skill),
        diagnostics: described.diagnostics,
    })
}

/// The skill in the directory beside a package's, with this name.
fn find_sibling(
    sources: &PackageSources<'_>,
    path: &str,
    name: &SkillName,
) -> Option<SkillLocation> {
    let beside = format!("{}/../{name}", path.trim_end_matches('/'));
    let dir = resolve_path(sources, &beside);
    formats::detect_format(&|file| disk::lstat(&dir.join(file)).ok().flatten().is_some())?;
    Some((SourceId::from_path(&beside), None))
}

/// A path in a package's manifest, which is relative to the package, as one of the project.
fn join_relative(path: &str, inner: &str) -> String {
    // An absolute path is the user's own choice here: the project itself wrote it.
    if inner.starts_with('/') {
        inner.to_owned()
    } else {
        format!("{}/{inner}", path.trim_end_matches('/'))
    }
}

/// Warns about files that look like secrets and that git tracks: they are copied into every target.
fn warn_of_secrets(sources: &PackageSources<'_>, path: &str, tree: &Tree) {
    let found: Vec<&str> = tree
        .files()
        .map(|(file, _)| file.as_str())
        .filter(|file| is_secret_file(file) || may_be_key(file))
        .collect();
    if !found.is_empty() {
        sources.reporter.report(ProgressEvent::Warning {
            message: format!(
                "`{path}` contains files that look like secrets: {}",
                found.join(", ")
            ),
            help: Some("move them out of the skill's directory".into()),
        });
    }
}

/// Warns about hard links to files outside the directory.
fn warn_of_links(sources: &PackageSources<'_>, path: &str, tree: &Tree) -> Result<()> {
    // Such a link looks like any other file: only the count of its names shows it.
    let files = tree.files().map(|(file, _)| file.as_str());
    let linked = disk::hard_linked_outside(&resolve_path(sources, path), files)?;
    if let Some(event) = super::hard_link_warning(path, &linked) {
        sources.reporter.report(event);
    }
    Ok(())
}

/// Reads the directory's files.
pub(super) fn read_directory(sources: &PackageSources<'_>, path: &str) -> Result<Tree> {
    let dir = resolve_path(sources, path);
    // The path may itself be a link; links inside the directory are refused.
    let real = disk::real_path(&dir);
    match disk::lstat(&real)? {
        Some(meta) if meta.is_dir() => {
            with_unsaved_manifest(sources, &real, read_source_directory(&dir)?.tree)
        }
        Some(_) => Err(not_a_directory(path)),
        None => Err(missing_directory(path)),
    }
}

/// The files of the directory `real` as they are after the command: the lockfile that it writes must fit the manifest that
/// it writes.
fn with_unsaved_manifest(sources: &PackageSources<'_>, real: &Path, tree: Tree) -> Result<Tree> {
    let unsaved = sources
        .unsaved_manifest
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let Some((file, text)) = &*unsaved else {
        return Ok(tree);
    };
    let Ok(inner) = file.strip_prefix(real) else {
        return Ok(tree);
    };

    let inner = slashed(inner);
    if tree.get(&inner).is_none() && disk::lstat(file)?.is_some() {
        // It is there, and no part of the package.
        return Ok(tree);
    }

    let executable = tree.file(&inner).is_some_and(|file| file.executable);
    let mut changed = Tree::builder();
    for (path, file) in tree.into_files().filter(|(path, _)| path.as_str() != inner) {
        changed.add(path.as_str(), file.bytes, file.executable)?;
    }
    changed.add(&inner, text.clone().into_bytes(), executable)?;
    Ok(changed.finish())
}

fn not_a_directory(path: &str) -> Error {
    let help = match path.strip_suffix("SKILL.md") {
        Some(dir) => format!(
            "the skill is the directory of that file, `{}`",
            if dir.is_empty() { "." } else { dir }
        ),
        None => "a skill is a directory, or an archive whose name ends with `.tar.gz`, `.zip` or `.skill`".to_owned(),
    };
    Error::negative(format!("invalid source `{path}`: it is not a directory")).help(help)
}

fn missing_directory(path: &str) -> Error {
    Error::negative(format!("directory `{path}` not found"))
        .help("check its spelling; write a repository as `gh:owner/repo` or as a URL")
}

/// Finds the skills under a directory.
pub(super) fn discover_skills(sources: &PackageSources<'_>, path: &str) -> Result<FoundSkills> {
    let dir = resolve_path(sources, path);
    match disk::lstat(&disk::real_path(&dir))? {
        Some(meta) if meta.is_dir() => {}
        Some(_) => return Err(not_a_directory(path)),
        None => return Err(missing_directory(path)),
    }

    let (mut files, mut links) = disk::list_files_and_links(&dir, DEPTH_MAX)?;
    // One that is a link is found all the same: it is read, or refused with the reason.
    files.extend(links.extract_if(.., |link| dir_name(link) == "SKILL.md"));
    files.sort_unstable();
    let names: Vec<&str> = files.iter().map(String::as_str).collect();
    let search = SkillSearch::new(&names);
    links.retain(|link| may_be_directory(link) && !search.is_in_skill(link));
    let links = read_links(&dir, links)?;
    let SkillDirs {
        offered: mut dirs,
        unread,
        ..
    } = search.find(&links, &mut |file| {
        disk::read(&dir.join(file)).ok().flatten()
    });
    let copies = remove_copies(&mut dirs, &mut |inner| {
        let read = read_source_directory(&dir.join(inner)).ok()?;
        Some(Checksum::from_tree(&read.tree))
    });
    let unread: Vec<String> = unread.into_iter().map(|one| one.reason).collect();

    let mut found = Vec::new();
    for inner in dirs {
        let directory = if inner.is_empty() {
            // The real path has a name even where `.` or a link is given.
            let real = disk::real_path(&dir);
            let own_name = real.file_name().and_then(|name| name.to_str());
            own_name.unwrap_or("skill").to_owned()
        } else {
            dir_name(&inner).to_owned()
        };
        let skill = read_skill_below(path, &dir, &names, (&inner, &directory))?;
        let dir = if inner.is_empty() {
            None
        } else {
            Some(inner.parse()?)
        };
        found.push(FoundSkill {
            dir,
            directory: Some(directory),
            skill,
        });
    }

    if found.is_empty() {
        let error = Error::negative(format!("no skill found in `{path}`"))
            .note("a skill is a directory with a `SKILL.md`");
        return Err(note_unread(error, unread.iter().map(String::as_str)).help(
            match Path::new(path)
                .file_name()
                .map(|name| name.to_string_lossy())
            {
                Some(name)
                    if path.trim_start_matches("./") == name
                        && name.parse::<SkillName>().is_ok() =>
                {
                    format!("`skillpm new {name}` writes one there")
                }
                _ => "write the `SKILL.md`, or run `skillpm new NAME` to create a skill".to_owned(),
            },
        ));
    }
    Ok(FoundSkills {
        skills: found,
        copies,
        unsearched: None,
        unread,
    })
}

/// Where the links below a directory lead, if they may lead to others.
fn read_links(dir: &Path, links: Vec<String>) -> Result<DirectoryLinks> {
    let mut targets = BTreeMap::new();
    for link in links.into_iter().take(LINKS_MAX) {
        let target = disk::read_link(&dir.join(&link))?;
        targets.insert(link, target.to_string_lossy().into_owned());
    }
    Ok(resolve_directory_links(targets, &|path| {
        let meta = disk::lstat(&dir.join(path)).ok().flatten()?;
        Some(if meta.is_symlink() {
            PathKind::Link
        } else if meta.is_dir() {
            PathKind::Directory
        } else {
            PathKind::File
        })
    }))
}

/// Reads the skill in the directory `inner` of `dir`, which is called `directory`; `names` are the files of `dir`. The inner
/// error is one of the skill.
fn read_skill_below(
    path: &str,
    dir: &Path,
    names: &[&str],
    (inner, directory): (&str, &str),
) -> Result<Result<Skill>> {
    let has = |file: &str| {
        names
            .binary_search(&join_paths(inner, file).as_str())
            .is_ok()
    };
    let descriptor = formats::detect_format(&has)
        .unwrap_or_default()
        .descriptor();
    let file = dir.join(join_paths(inner, descriptor));
    let bytes = if disk::lstat(&file)?.is_some_and(|meta| meta.is_symlink()) {
        // As it is in the package, in which it may lead to another file.
        match read_source_directory(&dir.join(inner)) {
            Ok(read) => read.tree.get(descriptor).unwrap_or_default().to_vec(),
            Err(error) => return Ok(Err(error)),
        }
    } else {
        disk::read(&file)?.unwrap_or_default()
    };

    let shown = if inner.is_empty() {
        path.to_owned()
    } else {
        format!("{}/{inner}", path.trim_end_matches('/'))
    };
    Ok(read_skill(&bytes, &has, &shown, directory))
}

fn resolve_path(sources: &PackageSources<'_>, path: &str) -> PathBuf {
    sources.root.join(path)
}
