//! `package`: packs a directory into the archive that a registry serves, and unpacks it again.
//!
//! ```text
//! directory ─ select ─ Tree ─ describe, check ─ render manifest ─ pack ─ unpack, compare
//!             include                           without its              same tree, same bytes
//!             exclude                           workspace
//!             git
//! ```

mod directory;
mod workspace_members;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;

use super::CommandContext;
use directory::{GitStatus, PackageDir};
use skillpm_core::error::{Error, ErrorContext as _, Result};
use skillpm_core::manifest::PublishTargets;
use skillpm_core::package::{
    Checksum, PackageDependency, PackageName, RelPath, Sha256Digest, SourceId, Tree,
};
use skillpm_core::report::{DiagnosticLevel, FileFinding, ProgressEvent};
use skillpm_io::{archive, disk};
use skillpm_lint::package::{self as rules, DependencyFact, PackageFacts};
use skillpm_registry::index::EntryCommit;
use skillpm_registry::sources::{check_file_count, hard_link_warning};
pub use workspace_members::WorkspaceMembers;

/// A package, ready to be published.
#[derive(Debug, Clone)]
pub struct PackedSkill {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    /// Its files.
    pub tree: Tree,
    /// The checksum of its files.
    pub checksum: Checksum,
    /// The archive: a reproducible `.tar.gz` with one top directory, `<skill>-<version>/`.
    pub archive: Vec<u8>,
    /// The digest of the archive.
    pub sha256: Sha256Digest,
    /// Its dependencies, all of them from registries.
    pub dependencies: Vec<PackageDependency>,
    /// Its description, on one line.
    pub description: Option<String>,
    /// Its search keywords.
    pub keywords: Vec<String>,
    /// Its license, as an SPDX expression.
    pub license: Option<String>,
    /// The URL of its repository, as its manifest has it.
    pub repository: Option<String>,
    /// The registries it may be published to.
    pub publish: PublishTargets,
    /// The commit with exactly these files, if its remote has it.
    pub git: Option<EntryCommit>,
    /// Files with uncommitted changes; empty outside git.
    pub uncommitted: Vec<RelPath>,
    /// Why the repository around it cannot be read, so that uncommitted changes are not known.
    pub unreadable: Option<Error>,
    /// Files with hard links outside the directory.
    pub linked: Vec<String>,
    /// The findings, none of which is an error.
    pub diagnostics: Vec<FileFinding>,
    /// The texts of the files with findings, by path.
    pub sources: BTreeMap<String, String>,
    /// Its directory, without links.
    pub dir: PathBuf,
}

impl PackedSkill {
    /// The name of the archive, without a directory: `<skill>-<version>.tar.gz`.
    #[must_use]
    pub fn file_name(&self) -> String {
        format!("{}.tar.gz", top_dir(&self.name, &self.version))
    }
}

/// Packs the skill in a directory.
///
/// # Errors
/// [`Negative`](skillpm_core::error::FailureKind::Negative), with every finding, if one of them is
/// an error; if its files cannot be read, or are not a package.
pub fn pack(context: &CommandContext<'_>, dir: &Path) -> Result<PackedSkill> {
    pack_member(context, &WorkspaceMembers::load(context, dir)?, dir)
}

/// Packs the skill in a directory, or with `workspace` every member of the workspace around it.
///
/// # Errors
/// As [`pack`], for the first that cannot be packed; or if there is no workspace with members.
pub fn pack_all(
    context: &CommandContext<'_>,
    dir: &Path,
    workspace: bool,
) -> Result<Vec<PackedSkill>> {
    if !workspace {
        return Ok(vec![pack(context, dir)?]);
    }

    let found = context.project_around(&disk::real_path(&context.dirs.cwd.join(dir)))?;
    let siblings = found
        .map(|found| WorkspaceMembers::load(context, &found.root))
        .transpose()?;

    let dirs = siblings
        .as_ref()
        .map(WorkspaceMembers::directories)
        .unwrap_or_default();

    let Some(siblings) = siblings.filter(|_| !dirs.is_empty()) else {
        let dir = disk::real_path(&context.dirs.cwd.join(dir));
        return Err(Error::usage(format!(
            "`--workspace` requires a workspace with members, and `{}` is not in one",
            dir.display()
        ))
        .help("list the skills in the root's `skillpm.toml`: `members = [\"skills/*\"]` under `[workspace]`"));
    };
    dirs.iter()
        .map(|dir| pack_member(context, &siblings, dir))
        .collect()
}

/// Packs the skill in a directory of a workspace that has been read.
///
/// # Errors
/// As [`pack`].
pub fn pack_member(
    context: &CommandContext<'_>,
    siblings: &WorkspaceMembers,
    dir: &Path,
) -> Result<PackedSkill> {
    let package = PackageDir::load(context, siblings, dir)?;
    let source_tree = package.read_files(context)?;

    let (facts, findings) = package.check(context, &source_tree)?;

    // All findings are reported together, so that a release does not fail rule by rule.
    let Some(facts) = facts.filter(|_| !findings.iter().any(FileFinding::is_error)) else {
        return Err(publish_refusal(&package.display_name(), &findings));
    };

    // From here on the tree is the published one: its manifest has no workspace.
    let tree = package.published_tree(&source_tree, &facts.dependencies)?;
    check_file_count(tree.len(), context.config.number("net.max-files"))?;
    let archive = pack_verified(&tree, &facts)?;
    let GitStatus {
        origin: git,
        uncommitted,
        unreadable,
    } = package.git_status(&source_tree, &tree);

    Ok(PackedSkill {
        checksum: Checksum::from_tree(&tree),
        sha256: Sha256Digest::hash_bytes(&archive),
        archive,
        dependencies: registry_dependencies(context, &facts.dependencies)?,
        publish: package.publish_targets(),
        name: facts.name,
        version: facts.version,
        tree,
        description: Some(facts.description).filter(|text| !text.is_empty()),
        keywords: facts.keywords,
        license: facts.license,
        repository: facts.repository,
        git,
        uncommitted,
        unreadable,
        linked: package.linked_files(&source_tree)?,
        sources: finding_sources(&source_tree, &findings),
        dir: package.dir,
        diagnostics: findings,
    })
}

/// Packs a package, and reads the archive as installing it does: a package that the strict archive
/// reader refuses is found here, not by the first user.
fn pack_verified(tree: &Tree, facts: &PackageFacts) -> Result<Vec<u8>> {
    let archive = archive::pack(tree, &top_dir(&facts.name, &facts.version))?;
    verify_archive(&archive, facts, tree)?;
    Ok(archive)
}

/// The texts of the tree's files with findings.
fn finding_sources(tree: &Tree, findings: &[FileFinding]) -> BTreeMap<String, String> {
    let text = |finding: &FileFinding| {
        let text = std::str::from_utf8(tree.get(&finding.path)?).ok()?;
        Some((finding.path.clone(), text.to_owned()))
    };
    findings.iter().filter_map(text).collect()
}

/// The files of a skill that would be published.
///
/// # Errors
/// If they cannot be read, or a finding is an error, such as a secret.
pub fn publishable_files(
    context: &CommandContext<'_>,
    siblings: &WorkspaceMembers,
    dir: &Path,
) -> Result<Tree> {
    let package = PackageDir::load(context, siblings, dir)?;
    // Which files are published depends on what git tracks.
    if let Some(error) = package.unreadable {
        return Err(error);
    }
    let source_tree = package.read_files(context)?;
    // A site serves these files to anyone: what may not be published may not be served.
    let findings = rules::check(&source_tree);
    if findings.iter().any(FileFinding::is_error) {
        return Err(publish_refusal(&package.display_name(), &findings));
    }

    Ok(source_tree)
}

/// Reports the errors and warnings of a package, and its uncommitted files.
pub fn report(context: &CommandContext<'_>, packed: &PackedSkill) {
    report_findings(context, packed);
    if let Some(error) = &packed.unreadable {
        context.reporter.report(ProgressEvent::Warning {
            message: format!(
                "`{}` is packed without looking for uncommitted changes: {}",
                packed.name,
                error.message()
            ),
            help: error.helps().first().cloned(),
        });
    }
    if let Some(first) = packed.uncommitted.first() {
        let more = packed.uncommitted.len() - 1;
        let rest = if more == 0 {
            String::new()
        } else {
            format!(" and {more} more")
        };
        context.reporter.report(ProgressEvent::Warning {
            message: format!(
                "`{}` is packed with uncommitted changes in `{first}`{rest}",
                packed.name
            ),
            help: Some("commit them, so that the published files can be found in git".into()),
        });
    }
}

/// Reports the errors and warnings of a package, with paths relative to the current directory, and
/// files with hard links elsewhere.
pub(super) fn report_findings(context: &CommandContext<'_>, packed: &PackedSkill) {
    if let Some(linked) = hard_link_warning(&packed.name.to_string(), &packed.linked) {
        context.reporter.report(linked);
    }

    let place = packed
        .dir
        .strip_prefix(&context.dirs.cwd)
        .unwrap_or(&packed.dir);
    let shown = |path: &str| place.join(path).display().to_string();

    let reported = packed
        .diagnostics
        .iter()
        .filter(|finding| finding.diagnostic.level > DiagnosticLevel::Note);
    let reported = reported.map(|finding| FileFinding {
        path: shown(&finding.path),
        diagnostic: finding.diagnostic.clone(),
    });
    let findings: Vec<FileFinding> = reported.collect();

    if !findings.is_empty() {
        let sources = packed
            .sources
            .iter()
            .map(|(path, text)| (shown(path), text.clone()))
            .collect();
        context
            .reporter
            .report(ProgressEvent::LintFindings { findings, sources });
    }
}

/// Writes archives into a directory, or a single one to the file `output`; returns their paths.
///
/// # Errors
/// If several would be written to one file, or a write fails.
pub fn write_archives(
    context: &CommandContext<'_>,
    packed: &[PackedSkill],
    output: Option<&Path>,
) -> Result<Vec<PathBuf>> {
    let output = output.map_or_else(
        || context.dirs.cwd.clone(),
        |path| context.dirs.cwd.join(path),
    );

    let is_dir = disk::lstat(&disk::real_path(&output))?.is_some_and(|meta| meta.is_dir());
    // `dist/` means a directory even before it exists.
    let ends_as_dir = output.as_os_str().to_string_lossy().ends_with('/');

    if !is_dir && !ends_as_dir && packed.len() > 1 {
        return Err(Error::usage(format!(
            "cannot write {} packages to one file",
            packed.len()
        ))
        .help(format!(
            "pass a directory: `--output {}/`",
            output.display()
        )));
    }

    let place = |packed: &PackedSkill| {
        if is_dir || ends_as_dir {
            output.join(packed.file_name())
        } else {
            output.clone()
        }
    };

    let mut paths = Vec::new();
    for packed in packed {
        let path = place(packed);
        // Two scopes may have a skill of the same name, and file names have no scope.
        if paths.contains(&path) {
            return Err(Error::negative(format!(
                "conflicting packages: two would be written to `{}`",
                path.display()
            ))
            .help("pack them one by one, with `--output`"));
        }

        disk::write_atomic(&path, &packed.archive)?;
        paths.push(path);
    }
    Ok(paths)
}

/// An unpacked archive.
#[derive(Debug, Clone)]
pub struct ExtractedArchive {
    /// The directory it was unpacked to.
    pub dir: PathBuf,
    /// The name of the archive's single top directory, if it has one.
    pub top: Option<String>,
    /// The files.
    pub tree: Tree,
    /// The digest of the archive.
    pub sha256: Sha256Digest,
}

/// Checks an archive as installing it does, and unpacks it into a new or empty directory.
///
/// # Errors
/// As for every archive that is installed; if the directory is not empty.
pub fn extract(context: &CommandContext<'_>, file: &Path, dir: &Path) -> Result<ExtractedArchive> {
    let (path, dir) = (context.dirs.cwd.join(file), context.dirs.cwd.join(dir));

    // Bounded before it is read: the file may be anything that the user named.
    let bytes = disk::read_up_to(&path, archive::ARCHIVE_MAX)?.ok_or_else(|| {
        Error::usage(format!("archive `{}` not found", file.display()))
            .help("pass an archive and the directory to unpack it to")
    })?;

    refuse_used_directory(&dir)?;

    let name = path.display().to_string();
    let kind = archive::ArchiveFormat::detect(&name, &bytes)?;

    let unpacked = archive::unpack(&bytes, kind).and_then(archive::strip_top);
    let (tree, top) = unpacked.context(|| format!("failed to unpack `{}`", file.display()))?;

    check_package(&tree, kind, top.as_deref())
        .context(|| format!("invalid package `{}`", file.display()))?;
    disk::write_tree_atomic(&dir, &tree)?;

    Ok(ExtractedArchive {
        dir,
        top,
        tree,
        sha256: Sha256Digest::hash_bytes(&bytes),
    })
}

/// Refuses a directory with files in it, which would be mixed with those of the archive.
fn refuse_used_directory(dir: &Path) -> Result<()> {
    let is_free = match disk::lstat(dir)? {
        None => true,
        Some(meta) => meta.is_dir() && disk::is_empty(dir)?,
    };

    if is_free {
        return Ok(());
    }
    Err(
        Error::usage(format!("directory `{}` is not empty", dir.display()))
            .help("pass a new or empty directory"),
    )
}

/// Refuses an archive without a skill, or a `.tar.gz` without a single top directory. A zip may
/// have its files at the root, as those of other tools do.
fn check_package(tree: &Tree, kind: archive::ArchiveFormat, top: Option<&str>) -> Result<()> {
    // Without the top directory two packages unpacked side by side would mix.
    if kind == archive::ArchiveFormat::TarGz && top.is_none() {
        return Err(Error::integrity(
            "its files are not all in one directory, `<name>-<version>/`",
        )
        .help("create the archive with `skillpm package`"));
    }

    if tree.get("SKILL.md").is_none() {
        return Err(Error::integrity("missing `SKILL.md`")
            .help("use an archive of a single skill, with `SKILL.md` in its top directory"));
    }
    Ok(())
}

/// The top directory of a package's archive.
fn top_dir(name: &PackageName, version: &Version) -> String {
    format!("{}-{version}", name.skill())
}

/// Reads the archive again as installing it does, and compares.
fn verify_archive(bytes: &[u8], facts: &PackageFacts, tree: &Tree) -> Result<()> {
    let top = top_dir(&facts.name, &facts.version);
    let (again, found) =
        archive::strip_top(archive::unpack(bytes, archive::ArchiveFormat::TarGz)?)?;

    // If all files of a package are in one directory below the top one, only the top one is
    // stripped.
    if again != *tree || found.as_ref() != Some(&top) {
        return Err(Error::internal(format!(
            "the archive of `{}` does not unpack to the packed files",
            facts.name
        )));
    }
    Ok(())
}

fn publish_refusal(place: &str, findings: &[FileFinding]) -> Error {
    let denials: Vec<&FileFinding> = findings
        .iter()
        .filter(|finding| finding.is_error())
        .collect();

    let count = denials.len();
    let what = if count == 1 {
        "one finding is an error".to_owned()
    } else {
        format!("{count} findings are errors")
    };

    let mut error = Error::negative(format!("cannot publish `{place}`: {what}"));
    for FileFinding { path, diagnostic } in &denials {
        error = error.note(format!(
            "{}: {} ({})",
            diagnostic.location(path),
            diagnostic.message,
            diagnostic.rule
        ));
    }

    let mut helps: Vec<&str> = denials
        .iter()
        .filter_map(|finding| finding.diagnostic.help.as_deref())
        .collect();
    // Findings of one rule have the same advice.
    helps.dedup();

    helps.into_iter().take(HELPS_MAX).fold(error, Error::help)
}

/// The highest number of `help:` lines in one error.
const HELPS_MAX: usize = 4;

fn registry_dependencies(
    context: &CommandContext<'_>,
    dependencies: &[DependencyFact],
) -> Result<Vec<PackageDependency>> {
    dependencies
        .iter()
        .map(|need| registry_dependency(context, need))
        .collect()
}

fn registry_dependency(
    context: &CommandContext<'_>,
    need: &DependencyFact,
) -> Result<PackageDependency> {
    Ok(PackageDependency {
        alias: need.alias.clone(),
        package: need.name.clone(),
        source: SourceId::Registry(context.config.registry(need.registry.as_deref())?),
        subdir: None,
        req: need.req.clone(),
        dev: false,
        optional: need.optional,
    })
}
