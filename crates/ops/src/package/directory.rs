//! Reads the directory of a skill to pack: its manifest, the files that belong to the package, and
//! its commit.

use std::path::{Path, PathBuf};

use semver::VersionReq;

use super::workspace_members::WorkspaceMembers;
use crate::lint::lint_tree;
use crate::{CommandContext, agents};
use skillpm_core::error::{Error, Result};
use skillpm_core::lockfile;
use skillpm_core::manifest::publish::{PublishedDependency, render_published};
use skillpm_core::manifest::{self, Manifest, PublishTargets};
use skillpm_core::package::{RelPath, SkillName, Tree};
use skillpm_core::report::FileFinding;
use skillpm_io::disk::{self, EntryKind};
use skillpm_io::git::{CommitFiles, GitCheckout};
use skillpm_io::ignore::{FileSelection, IGNORE_FILE, TrackedFiles};
use skillpm_lint::package::{self as rules, DependencyFact, PackageFacts, PackageSubject};
use skillpm_registry::index::EntryCommit;
use skillpm_registry::workspace::WorkspaceMember;

/// A skill's directory with its manifest, workspace and git checkout.
pub(super) struct PackageDir<'a> {
    pub(super) dir: PathBuf,
    pub(super) manifest_text: Option<String>,
    pub(super) manifest: Option<Manifest>,
    pub(super) siblings: &'a WorkspaceMembers,
    pub(super) scope: Option<&'a SkillName>,
    pub(super) checkout: Option<GitCheckout>,
    /// Why the repository around it cannot be read, if there is one.
    pub(super) unreadable: Option<Error>,
}

/// What git has of a package.
#[derive(Default)]
pub(super) struct GitStatus {
    /// The pushed commit with exactly these files.
    pub origin: Option<EntryCommit>,
    /// The files with uncommitted changes; empty outside git.
    pub uncommitted: Vec<RelPath>,
    /// Why neither is known: the repository cannot be read.
    pub unreadable: Option<Error>,
}

impl<'a> PackageDir<'a> {
    pub(super) fn load(
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

        let (table, member) = (siblings.table.as_ref(), siblings.member_path(&dir));
        let manifest_text = disk::read_text(&dir.join(manifest::FILE))?;
        let manifest = manifest_text
            .as_ref()
            .map(|text| parse_manifest(context, siblings, &dir, text))
            .transpose()?;
        // The scope applies to the workspace's own packages, not to directories inside of it.
        let belongs = siblings.is_root(&dir) || member.is_some();
        let scope = table
            .filter(|_| belongs)
            .and_then(|table| table.scope.as_ref());
        // A command that does not need it goes on; `git_status` has the error.
        let (checkout, unreadable) = match GitCheckout::discover(&dir) {
            Ok(checkout) => (checkout, None),
            Err(error) => (None, Some(error)),
        };

        Ok(PackageDir {
            dir,
            manifest_text,
            manifest,
            siblings,
            scope,
            checkout,
            unreadable,
        })
    }

    /// Checks the files; returns what the package says of itself, if that is readable, and the
    /// findings.
    pub(super) fn check(
        &self,
        context: &CommandContext<'_>,
        source_tree: &Tree,
    ) -> Result<(Option<PackageFacts>, Vec<FileFinding>)> {
        let (facts, mut findings) = rules::describe(PackageSubject {
            tree: source_tree,
            directory: self.directory_name(),
            scope: self.scope,
            manifest: self.manifest.as_ref(),
        });

        let facts = facts.map(|facts| self.resolve_siblings(facts, &mut findings));
        findings.extend(rules::check(source_tree));
        // Files that the manifest excludes may still be linked to; the finding names them.
        findings.extend(rules::find_left_out(source_tree, &|path| {
            self.has_file(path)
        }));

        let linted = lint_tree(context, &self.dir, self.directory_name(), source_tree)?;
        add_unreported(&mut findings, linted);
        Ok((facts, findings))
    }

    /// The registries that the manifest allows; empty if it has no such list.
    pub(super) fn publish_targets(&self) -> PublishTargets {
        self.package()
            .map(|own| own.publish.clone())
            .unwrap_or_default()
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

    pub(super) fn display_name(&self) -> String {
        self.package().map_or_else(
            || self.dir.display().to_string(),
            |package| package.name.to_string(),
        )
    }

    /// Which of its files are published, apart from those that are not the author's.
    fn file_selection(&self) -> Result<FileSelection> {
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

        FileSelection::new(&self.dir, include, exclude, git)
    }

    /// Reads the files to publish.
    pub(super) fn read_files(&self, context: &CommandContext<'_>) -> Result<Tree> {
        let selection = self.file_selection()?;
        let installed = self.install_dirs(context)?;
        let found = disk::read_tree_filtered(&self.dir, &|path, kind| {
            let is_dir = kind == EntryKind::Directory;
            // Packed whatever the ignore files say: without them it is not a package.
            ["SKILL.md", manifest::FILE].contains(&path)
                || !self.is_foreign(path, is_dir, &installed) && selection.includes(path, is_dir)
        })?;
        Ok(found.tree)
    }

    /// Whether a path is not the author's: a file of skillpm, an installed skill, or another package.
    fn is_foreign(&self, path: &str, is_dir: bool, installed: &[String]) -> bool {
        let is_skillpm_file =
            path == lockfile::FILE || path.rsplit('/').next() == Some(IGNORE_FILE);

        is_skillpm_file
            || is_dir && (installed.iter().any(|dir| dir == path) || self.is_another_package(path))
    }

    /// The files with hard links outside the directory.
    pub(super) fn linked_files(&self, tree: &Tree) -> Result<Vec<String>> {
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
    pub(super) fn published_tree(
        &self,
        source_tree: &Tree,
        dependencies: &[DependencyFact],
    ) -> Result<Tree> {
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

    /// What git has of the package, also if that cannot be read.
    pub(super) fn git_status(&self, source_tree: &Tree, tree: &Tree) -> GitStatus {
        let status = match &self.unreadable {
            Some(error) => Err(error.clone()),
            None => self.read_git_status(source_tree, tree),
        };
        status.unwrap_or_else(|error| GitStatus {
            unreadable: Some(error),
            ..GitStatus::default()
        })
    }

    fn read_git_status(&self, source_tree: &Tree, tree: &Tree) -> Result<GitStatus> {
        let checkout = self.checkout.as_ref();
        let Some(checkout) = checkout.filter(|checkout| !checkout.is_bare()) else {
            return Ok(GitStatus::default());
        };

        let head = checkout.head()?;
        let committed = match &head {
            Some(head) => checkout.commit_files(head)?,
            None => CommitFiles::new(),
        };
        let Some(head) = head.filter(|_| !committed.is_empty()) else {
            // Nothing of it is committed yet, unless it is an ignored directory of an unrelated repository.
            let uncommitted = if self.file_selection()?.follows_git() {
                list_paths(source_tree)
            } else {
                Vec::new()
            };
            return Ok(GitStatus {
                uncommitted,
                ..GitStatus::default()
            });
        };

        // Compared by content with the commit: git's index and file times may be stale.
        let mut uncommitted = list_paths(source_tree);
        uncommitted.retain(|path| {
            let (blob, bytes) = (committed.get(path.as_str()), source_tree.get(path.as_str()));
            !blob
                .zip(bytes)
                .is_some_and(|(blob, bytes)| checkout.is_blob(blob, bytes))
        });

        // All three are needed to record the commit as the origin: no uncommitted changes, exactly
        // these files as a package, and a remote that has it.
        let is_origin = uncommitted.is_empty()
            && checkout.read_package(&head).as_ref() == Some(tree)
            && checkout.is_pushed(&head);

        let path = path_in_repository(checkout)?;
        let remote = checkout.remote_url().filter(|_| is_origin);
        let rev = head.to_string();
        Ok(GitStatus {
            origin: remote.map(|git| EntryCommit { git, rev, path }),
            uncommitted,
            unreadable: None,
        })
    }
}

/// Parses the manifest of a package. A member inherits from the workspace's tables, with paths
/// relative to the member.
fn parse_manifest(
    context: &CommandContext<'_>,
    siblings: &WorkspaceMembers,
    dir: &Path,
    text: &str,
) -> Result<Manifest> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let (table, member) = (siblings.table.as_ref(), siblings.member_path(dir));

    let shared = table
        .zip(member)
        .map(|(table, member)| table.shared.seen_from(member));
    // As messages show it: relative to the workspace, where the user calls the command.
    let file = member.map_or_else(
        || manifest::FILE.to_owned(),
        |member| format!("{member}/{}", manifest::FILE),
    );
    Manifest::parse_member(text, &file, &registries, shared.as_ref())
}

fn path_in_repository(checkout: &GitCheckout) -> Result<Option<RelPath>> {
    match checkout.subdirectory() {
        "" => Ok(None),
        below => below.parse().map(Some),
    }
}

fn list_paths(tree: &Tree) -> Vec<RelPath> {
    tree.files().map(|(path, _)| path.clone()).collect()
}

fn dependency_line(need: &DependencyFact) -> PublishedDependency<'_> {
    PublishedDependency {
        alias: need.alias.as_str(),
        package: need.name.to_string(),
        req: need.req.to_string(),
        registry: need.registry.as_deref(),
    }
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
