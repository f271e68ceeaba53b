//! `package`: packs a directory into the archive that a registry serves, and unpacks it again.
//!
//! ```text
//! directory ─ select ─ Tree ─ describe, check ─ render manifest ─ pack ─ unpack, compare
//!             include                           without its              same tree, same bytes
//!             exclude                           workspace
//!             git
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::{Version, VersionReq};

use super::lint::lint_tree;
use super::{CommandContext, agents};
use skillpm_core::error::{Error, ErrorContext as _, Result};
use skillpm_core::lockfile;
use skillpm_core::manifest::publish::{PublishedDependency, render_published};
use skillpm_core::manifest::{self, Manifest, PublishTargets, WorkspaceTable};
use skillpm_core::package::{
    Checksum, PackageDependency, PackageName, RelPath, Sha256Digest, SkillName, SourceId, Tree,
};
use skillpm_core::report::{DiagnosticLevel, FileFinding, ProgressEvent};
use skillpm_io::git::GitCheckout;
use skillpm_io::ignore::{FileSelection, IGNORE_FILE, TrackedFiles};
use skillpm_io::{archive, disk};
use skillpm_lint::package::{self as rules, DependencyFact, PackageFacts, PackageSubject};
use skillpm_registry::index::EntryCommit;
use skillpm_registry::sources::hard_link_warning;
use skillpm_registry::workspace::{Workspace, WorkspaceMember};

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
    /// The registries it may be published to.
    pub publish: PublishTargets,
    /// The commit with exactly these files, if its remote has it.
    pub git: Option<EntryCommit>,
    /// Files with uncommitted changes; empty outside git.
    pub uncommitted: Vec<RelPath>,
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

    let (facts, mut findings) = rules::describe(PackageSubject {
        tree: &source_tree,
        directory: package.directory_name(),
        scope: package.scope,
        manifest: package.manifest.as_ref(),
    });

    let facts = facts.map(|facts| package.resolve_siblings(facts, &mut findings));
    findings.extend(rules::check(&source_tree));
    // Files that the manifest excludes may still be linked to; the finding names them.
    findings.extend(rules::find_left_out(&source_tree, &|path| {
        package.has_file(path)
    }));

    add_unreported(
        &mut findings,
        lint_tree(
            context,
            &package.dir,
            package.directory_name(),
            &source_tree,
        )?,
    );

    // All findings are reported together, so that a release does not fail rule by rule.
    let Some(facts) = facts.filter(|_| !findings.iter().any(FileFinding::is_error)) else {
        return Err(publish_refusal(&package.display_name(), &findings));
    };

    // From here on the tree is the published one: its manifest has no workspace.
    let tree = package.published_tree(&source_tree, &facts.dependencies)?;

    let archive = archive::pack(&tree, &top_dir(&facts.name, &facts.version))?;
    // Installing uses the strict archive reader: a package that it refuses is found here, not by
    // the first user.
    verify_archive(&archive, &facts, &tree)?;
    let (git, uncommitted) = package.git_status(&source_tree, &tree)?;

    Ok(PackedSkill {
        checksum: Checksum::from_tree(&tree),
        sha256: Sha256Digest::hash_bytes(&archive),
        archive,
        dependencies: registry_dependencies(context, &facts.dependencies)?,
        publish: package
            .package()
            .map(|own| own.publish.clone())
            .unwrap_or_default(),
        name: facts.name,
        version: facts.version,
        tree,
        description: Some(facts.description).filter(|text| !text.is_empty()),
        keywords: facts.keywords,
        license: facts.license,
        git,
        uncommitted,
        linked: package.linked_files(&source_tree)?,
        sources: finding_sources(&source_tree, &findings),
        dir: package.dir,
        diagnostics: findings,
    })
}

/// The texts of the tree's files with findings.
fn finding_sources(tree: &Tree, findings: &[FileFinding]) -> BTreeMap<String, String> {
    let text = |finding: &FileFinding| {
        let text = std::str::from_utf8(tree.get(&finding.path)?).ok()?;
        Some((finding.path.clone(), text.to_owned()))
    };
    findings.iter().filter_map(text).collect()
}

/// Adds findings that are not reported yet, neither by the same rule for the same file, nor at the
/// same span.
fn add_unreported(findings: &mut Vec<FileFinding>, others: Vec<FileFinding>) {
    let reported = findings.len();

    for other in others {
        // The two checks overlap; one report of a fault is enough.
        let span = &other.diagnostic.span;
        let is_reported = |one: &FileFinding| {
            one.path == other.path
                && (one.diagnostic.rule == other.diagnostic.rule
                    || span.is_some() && one.diagnostic.span == *span)
        };
        if !findings[..reported].iter().any(is_reported) {
            findings.push(other);
        }
    }
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

    let is_free = match disk::lstat(&dir)? {
        None => true,
        Some(meta) => meta.is_dir() && disk::is_empty(&dir)?,
    };

    if !is_free {
        return Err(
            Error::usage(format!("directory `{}` is not empty", dir.display()))
                .help("pass a new or empty directory"),
        );
    }

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

fn dependency_line(need: &DependencyFact) -> PublishedDependency<'_> {
    PublishedDependency {
        alias: need.alias.as_str(),
        package: need.name.to_string(),
        req: need.req.to_string(),
        registry: need.registry.as_deref(),
    }
}

fn registry_dependencies(
    context: &CommandContext<'_>,
    dependencies: &[DependencyFact],
) -> Result<Vec<PackageDependency>> {
    let dependency = |need: &DependencyFact| {
        Ok(PackageDependency {
            alias: need.alias.clone(),
            package: need.name.clone(),
            source: SourceId::Registry(context.config.registry(need.registry.as_deref())?),
            subdir: None,
            req: need.req.clone(),
            dev: false,
            optional: need.optional,
        })
    };

    dependencies.iter().map(dependency).collect()
}

/// The workspace around skills, read once for all skills that are packed together.
pub struct WorkspaceMembers {
    workspace: Option<Workspace>,
    table: Option<WorkspaceTable>,
    members: Vec<WorkspaceMember>,
}

impl WorkspaceMembers {
    /// Reads the workspace around a directory, if it belongs to one.
    ///
    /// # Errors
    /// If the workspace or a member of it cannot be read or is invalid.
    pub fn load(context: &CommandContext<'_>, dir: &Path) -> Result<WorkspaceMembers> {
        let dir = disk::real_path(&context.dirs.cwd.join(dir));
        let registries = |name: Option<&str>| context.config.registry(name);
        let workspace = context.project_around(&dir)?;

        let root = workspace
            .as_ref()
            .map(|found| found.manifest(&registries))
            .transpose()?;

        let mut siblings = WorkspaceMembers {
            workspace,
            table: root.and_then(|root| root.workspace),
            members: Vec::new(),
        };
        // A directory that is not one of the workspace's members is packed on its own.
        if siblings.table.is_some()
            && (siblings.is_root(&dir) || siblings.member_path(&dir).is_some())
        {
            let found = siblings
                .workspace
                .as_ref()
                .map(|found| found.members(&registries))
                .transpose()?;
            siblings.members = found.unwrap_or_default();
        }

        Ok(siblings)
    }

    /// The members of the workspace; empty without a workspace.
    #[must_use]
    pub fn members(&self) -> &[WorkspaceMember] {
        &self.members
    }

    /// The directories of the members.
    #[must_use]
    pub fn directories(&self) -> Vec<PathBuf> {
        let root = self.workspace.as_ref().map(|found| found.root.as_path());
        root.map(|root| {
            self.members
                .iter()
                .map(|member| member.place(root))
                .collect()
        })
        .unwrap_or_default()
    }

    fn is_root(&self, dir: &Path) -> bool {
        self.workspace
            .as_ref()
            .is_some_and(|found| found.root == dir)
    }

    /// The path of the member with this directory, relative to the root.
    fn member_path(&self, dir: &Path) -> Option<&RelPath> {
        let found = self.workspace.as_ref()?;

        let members = found
            .member
            .iter()
            .chain(self.members.iter().filter_map(|member| member.dir.as_ref()));

        members
            .into_iter()
            .find(|member| found.root.join(member.to_path()) == dir)
    }
}

/// A skill's directory with its manifest, workspace and git checkout.
struct PackageDir<'a> {
    dir: PathBuf,
    manifest_text: Option<String>,
    manifest: Option<Manifest>,
    siblings: &'a WorkspaceMembers,
    scope: Option<&'a SkillName>,
    checkout: Option<GitCheckout>,
}

impl<'a> PackageDir<'a> {
    fn load(
        context: &CommandContext<'_>,
        siblings: &'a WorkspaceMembers,
        dir: &Path,
    ) -> Result<Self> {
        let dir = disk::real_path(&context.dirs.cwd.join(dir));

        if !disk::lstat(&dir)?.is_some_and(|meta| meta.is_dir()) {
            return Err(
                Error::usage(format!("directory `{}` not found", dir.display()))
                    .help("pass the directory of a skill, or none for the current directory"),
            );
        }

        let registries = |name: Option<&str>| context.config.registry(name);
        let (table, member) = (siblings.table.as_ref(), siblings.member_path(&dir));
        let manifest_text = disk::read_text(&dir.join(manifest::FILE))?;
        // A member inherits from the workspace's tables, with paths relative to the member.
        let shared = table
            .zip(member)
            .map(|(table, member)| table.shared.seen_from(member));
        let file = member.map_or_else(
            || manifest::FILE.to_owned(),
            |member| format!("{member}/{}", manifest::FILE),
        );

        let parse =
            |text: &String| Manifest::parse_member(text, &file, &registries, shared.as_ref());

        let manifest = manifest_text.as_ref().map(parse).transpose()?;
        // The scope applies to the workspace's own packages, not to directories inside of it.
        let belongs = siblings.is_root(&dir) || member.is_some();
        let scope = table
            .filter(|_| belongs)
            .and_then(|table| table.scope.as_ref());
        let checkout = GitCheckout::discover(&dir)?;

        Ok(PackageDir {
            dir,
            manifest_text,
            manifest,
            siblings,
            scope,
            checkout,
        })
    }

    fn package(&self) -> Option<&manifest::PackageTable> {
        self.manifest.as_ref()?.package.as_ref()
    }

    /// The name that the directory should have. A package with a name in its manifest may be in any
    /// directory.
    fn directory_name(&self) -> &str {
        match self.package() {
            Some(package) => package.name.skill().as_str(),
            None => self
                .dir
                .file_name()
                .and_then(|name| name.to_str())
                .unwrap_or_default(),
        }
    }

    fn display_name(&self) -> String {
        self.package().map_or_else(
            || self.dir.display().to_string(),
            |package| package.name.to_string(),
        )
    }

    /// Reads the files to publish.
    fn read_files(&self, context: &CommandContext<'_>) -> Result<Tree> {
        let git = match &self.checkout {
            // A tracked file is selected even if git's ignore rules match it.
            Some(checkout) if !checkout.is_bare() => Some(TrackedFiles {
                root: checkout.root().to_owned(),
                git_dir: checkout.git_dir().to_owned(),
                files: checkout.tracked_files()?,
            }),
            _ => None,
        };

        let (include, exclude) = self
            .package()
            .map_or((&[][..], &[][..]), |own| (&own.include, &own.exclude));

        let selection = FileSelection::new(&self.dir, include, exclude, git)?;
        let installed = self.install_dirs(context)?;
        // Packed whatever the ignore files say: without them it is not a package.
        let own = ["SKILL.md", manifest::FILE];

        disk::read_tree_filtered(&self.dir, &|path, is_dir| {
            if own.contains(&path) {
                return true;
            }

            let is_skillpm_file =
                path == lockfile::FILE || path.rsplit('/').next() == Some(IGNORE_FILE);

            let is_elsewhere = is_dir
                && (installed.iter().any(|dir| dir == path) || self.is_another_package(path));
            !is_skillpm_file && !is_elsewhere && selection.includes(path, is_dir)
        })
    }

    /// The files with hard links outside the directory.
    fn linked_files(&self, tree: &Tree) -> Result<Vec<String>> {
        let linked =
            disk::hard_linked_outside(&self.dir, tree.files().map(|(path, _)| path.as_str()))?;
        Ok(linked.into_iter().map(str::to_owned).collect())
    }

    /// Whether a file exists, published or not.
    fn has_file(&self, path: &str) -> bool {
        disk::lstat(&self.dir.join(path))
            .is_ok_and(|found| found.is_some_and(|meta| meta.is_file()))
    }

    /// The directories that skillpm installs skills into, if this is a project's root.
    fn install_dirs(&self, context: &CommandContext<'_>) -> Result<Vec<String>> {
        let is_root = self.siblings.is_root(&self.dir);
        let Some(install) = self
            .manifest
            .as_ref()
            .filter(|_| is_root)
            .map(|manifest| &manifest.install)
        else {
            return Ok(Vec::new());
        };

        // Installed copies are packages of other authors.
        let mut dirs = vec![install.dir.to_string()];
        for id in &install.targets {
            dirs.extend(agents::required_agent(context, id)?.project_dir);
        }
        Ok(dirs)
    }

    /// Whether a subdirectory is published as a package of its own.
    fn is_another_package(&self, path: &str) -> bool {
        let is_below =
            |member: &WorkspaceMember| member.dir.as_ref().is_some_and(|dir| dir.as_str() == path);

        let is_member =
            self.siblings.is_root(&self.dir) && self.siblings.members.iter().any(is_below);

        // A manifest of its own makes a directory a package, whether or not it is a member.
        is_member
            || disk::lstat(&self.dir.join(path).join(manifest::FILE))
                .is_ok_and(|found| found.is_some())
    }

    /// Replaces dependencies on workspace siblings by their published names and versions.
    fn resolve_siblings(
        &self,
        mut facts: PackageFacts,
        findings: &mut Vec<FileFinding>,
    ) -> PackageFacts {
        for need in &mut facts.dependencies {
            let sibling = match &need.path {
                Some(path) => self.member_at(&self.dir.join(path)),
                // `requires` names no scope; a member of that name is meant.
                None if need.optional && need.name.scope().is_none() => self
                    .siblings
                    .members
                    .iter()
                    .find(|member| member.name.skill() == need.name.skill()),
                None => None,
            };

            if let Some(sibling) = sibling {
                need.name = sibling.name.clone();
            }

            // A requirement that the author wrote stays; only `path` alone gets one here.
            if need.path.is_none() || need.req != VersionReq::STAR {
                continue;
            }
            let version = sibling.and_then(|sibling| sibling.version.as_ref());

            match version.and_then(|version| VersionReq::parse(&format!("^{version}")).ok()) {
                Some(req) => need.req = req,
                // A sibling without a version cannot be depended on.
                None => findings.push(FileFinding {
                    path: manifest::FILE.into(),
                    diagnostic: rules::unpublished_dependency(
                        need.alias.as_str(),
                        &format!("`{}`", need.path.as_deref().unwrap_or_default()),
                    ),
                }),
            }
        }

        // Sorted, so that the order in the manifest does not change the package.
        facts.dependencies.sort_by(|a, b| a.name.cmp(&b.name));
        facts
    }

    fn member_at(&self, dir: &Path) -> Option<&WorkspaceMember> {
        let root = &self.siblings.workspace.as_ref()?.root;
        let real = disk::real_path(dir);
        self.siblings
            .members
            .iter()
            .find(|member| disk::real_path(&member.place(root)) == real)
    }

    /// The files with the manifest as it is published.
    fn published_tree(&self, source_tree: &Tree, dependencies: &[DependencyFact]) -> Result<Tree> {
        let (Some(text), Some(manifest)) = (&self.manifest_text, &self.manifest) else {
            return Ok(source_tree.clone());
        };
        match render_published(
            text,
            manifest,
            &dependencies.iter().map(dependency_line).collect::<Vec<_>>(),
        )? {
            Some(text) => source_tree
                .clone()
                .with_file(manifest::FILE, text.into_bytes())
                .ok_or_else(|| {
                    Error::internal("the manifest is missing in the files it was read from")
                }),
            None => Ok(source_tree.clone()),
        }
    }

    /// The pushed commit with exactly these files, and the files with uncommitted changes.
    fn git_status(
        &self,
        source_tree: &Tree,
        tree: &Tree,
    ) -> Result<(Option<EntryCommit>, Vec<RelPath>)> {
        let Some(checkout) = self
            .checkout
            .as_ref()
            .filter(|checkout| !checkout.is_bare())
        else {
            return Ok((None, Vec::new()));
        };

        let Some(head) = checkout.head() else {
            // A repository without a commit: nothing is committed yet.
            return Ok((
                None,
                source_tree.files().map(|(path, _)| path.clone()).collect(),
            ));
        };

        let committed = checkout.commit_files(&head)?;
        if committed.is_empty() {
            // An ignored directory of an unrelated repository.
            return Ok((None, Vec::new()));
        }

        // Compared by content with the commit: git's index and file times may be stale.
        let is_committed = |path: &RelPath, bytes: &[u8]| {
            committed
                .get(path.as_str())
                .is_some_and(|blob| checkout.is_blob(blob, bytes))
        };

        let uncommitted: Vec<RelPath> = source_tree
            .files()
            .filter(|(path, file)| !is_committed(path, &file.bytes))
            .map(|(path, _)| path.clone())
            .collect();

        // All three are needed to record the commit as the origin: no uncommitted changes, exactly
        // these files as a package, and a remote that has it.
        let is_origin = uncommitted.is_empty()
            && checkout.read_package(&head).as_ref() == Some(tree)
            && checkout.is_pushed(&head);

        let path = match checkout.subdirectory() {
            "" => None,
            below => Some(below.parse()?),
        };
        let remote = checkout.remote_url().filter(|_| is_origin);

        Ok((
            remote.map(|git| EntryCommit {
                git,
                rev: head.to_string(),
                path,
            }),
            uncommitted,
        ))
    }
}
