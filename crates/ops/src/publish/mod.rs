//! `publish`: packs a skill, checks it against the registry's requirements, and makes one change of
//! the index: the archive, the index line, and for a new name its owners.
//!
//! ```text
//! prepare         directory → PublishJob           packed and linted; committed? dependencies?
//! RegistryTarget  the registry                     `--registry`, the package's own `publish`, the default registry
//! decide_edit     state of the index → IndexEdit   repeated after a concurrent change; only reads
//! IndexWriter     IndexEdit → the index            one commit, or files by rename
//! ```
//!
//! With `--workspace` this is done for each member whose version the index does not have,
//! dependencies first.

mod order;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use semver::Version;

use super::CommandContext;
use super::package::{PackedSkill, WorkspaceMembers, pack, pack_member, report_findings};
use super::registry_target::{RegistrySession, RegistryTarget, resolve_author};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::PublishTargets;
use skillpm_core::package::{Checksum, PackageDependency, PackageName, Sha256Digest, SourceId};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::index::write::edit::{self, IndexPublishRequest, PublishDecision};
use skillpm_registry::index::write::{self, IndexEdit, IndexFiles, IndexOverlay};
use skillpm_registry::index::{
    EntryCommit, EntryDependency, Index, IndexEntry, archive_path, entry_path,
};
use skillpm_registry::workspace::WorkspaceKind;
use source::SourceRepository;

/// What to publish, and how.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of its own on the command line"
)]
pub struct PublishOptions {
    /// The directory of the skill; `None` for the current one.
    pub dir: Option<PathBuf>,
    /// The registry to publish to, by name.
    pub registry: Option<String>,
    /// The branch of the index to push to, for review.
    pub branch: Option<String>,
    /// Whether to skip the change of the index.
    pub dry_run: bool,
    /// Whether to tag the commit.
    pub tag: bool,
    /// Whether to publish every member of the workspace that has changed.
    pub workspace: bool,
    /// Whether uncommitted changes are allowed.
    pub allow_dirty: bool,
    /// Whether a new name may be similar to an existing one.
    pub allow_similar: bool,
}

/// The result for one package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishStatus {
    /// It was published.
    Published,
    /// It would be published without `--dry-run`.
    WouldPublish,
    /// The index has the same version with the same content.
    AlreadyPublished {
        /// Whether it is yanked.
        yanked: bool,
    },
    /// It is a member that may not be published to this registry.
    NotForRegistry,
}

/// One package and its result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublishedPackage {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    /// The checksum of its tree.
    pub checksum: Checksum,
    /// The digest of its archive.
    pub archive: Sha256Digest,
    /// The number of its files.
    pub files: usize,
    /// The registry, by name.
    pub registry: String,
    /// The URL of its index.
    pub index: String,
    /// The result.
    pub outcome: PublishStatus,
    /// The commit of the index.
    pub commit: Option<String>,
    /// The branch of the index that was pushed.
    pub branch: Option<String>,
    /// The tag that was created.
    pub tag: Option<String>,
}

/// The result of [`publish`].
#[derive(Debug)]
pub struct PublishReport {
    /// Each package, in the order of publishing.
    pub packages: Vec<PublishedPackage>,
    /// The error that ended publishing; `packages` were published before it.
    pub failed: Option<Error>,
}

/// Publishes a skill, or the members of a workspace.
///
/// # Errors
/// If a finding is an error, the package may not be published, or the registry cannot be written.
pub fn publish(context: &CommandContext<'_>, options: &PublishOptions) -> Result<PublishReport> {
    let dir = match &options.dir {
        Some(dir) => skillpm_io::disk::real_path(&context.dirs.cwd.join(dir)),
        None => context.dirs.cwd.clone(),
    };

    let author = resolve_author(context, &dir)?;
    let tools = context.tools()?;

    let publisher = PublishContext {
        write: RegistrySession {
            context,
            tools: &tools,
            author: &author,
        },
        options,
    };

    if options.workspace {
        return publisher.publish_members(&dir);
    }

    let job = publisher.prepare(&dir, None)?;
    let (publication, _) = publisher.publish(&job, &[])?;
    Ok(PublishReport {
        packages: vec![publication],
        failed: None,
    })
}

/// A packed skill and its registry.
struct PublishJob {
    packed: PackedSkill,
    target: RegistryTarget,
    needs: Vec<EntryDependency>,
    /// Its git repository, if it has one.
    source: Option<SourceRepository>,
}

/// What publishing all packages shares.
struct PublishContext<'a> {
    write: RegistrySession<'a>,
    options: &'a PublishOptions,
}

impl PublishContext<'_> {
    /// Packs a skill and makes the checks that do not need its registry.
    fn prepare(&self, dir: &Path, known: Option<PackedSkill>) -> Result<PublishJob> {
        let context = self.write.context;
        let packed = match known {
            Some(packed) => packed,
            None => pack(context, dir)?,
        };

        let target = RegistryTarget::for_package(
            context,
            self.options.registry.as_deref(),
            &packed.name,
            &packed.publish,
        )?;
        report_findings(context, &packed);

        let source = match &packed.unreadable {
            // What cannot be read may have uncommitted changes.
            Some(error) if !self.options.allow_dirty || self.options.tag => {
                let error = error.clone();
                return Err(error.help("or pass `--allow-dirty` to publish the files as they are"));
            }
            Some(_) => None,
            None => SourceRepository::find(dir)?,
        };
        // The files of a published version must be found in the history of its repository.
        if !self.options.allow_dirty
            && let Some(source) = &source
        {
            refuse_dirty(&packed, &source.dirty_files(&packed, dir)?)?;
        }

        // Before anything is published: a published version cannot be taken back if its tag fails.
        if self.options.tag {
            let source = source.as_ref().filter(|source| source.has_commit());
            let source = source.ok_or_else(|| {
                Error::usage(format!(
                    "`--tag` requires a git repository with a commit, and `{}` is not in one",
                    packed.name
                ))
                .help("run the command without `--tag`")
            })?;
            source.check_tag(&tag_name(&packed))?;
        }

        let needs = packed
            .dependencies
            .iter()
            .map(|needed| entry_dependency(&packed, needed, &target.index));

        Ok(PublishJob {
            needs: needs.collect::<Result<_>>()?,
            packed,
            target,
            source,
        })
    }

    /// Publishes one package. A dry run assumes that the edits `before` were made to these indexes,
    /// and returns its own edit.
    fn publish(
        &self,
        job: &PublishJob,
        before: &[(String, IndexEdit)],
    ) -> Result<(PublishedPackage, Option<IndexEdit>)> {
        let target = &job.target;
        // Only warnings: another registry's packages may be published after this one.
        self.warn_missing_elsewhere(job);
        let index = target.open(&self.write, self.options.branch.as_deref())?;
        let mut origin: Option<EntryCommit> = None;

        let (mut outcome, mut would) = (PublishStatus::Published, None);
        // Called again for each new state of the index, until no concurrent change interferes.
        let written = index.update(&mut |files| {
            let state = with_edits(files, &target.index, before);
            match self.decide_edit(job, &state, &mut origin)? {
                PublishDecision::New(edit) if !self.options.dry_run => return Ok(Some(edit)),
                PublishDecision::New(edit) => {
                    (outcome, would) = (PublishStatus::WouldPublish, Some(edit));
                }
                // The same content again is not an error, so that an interrupted run can be repeated.
                PublishDecision::AlreadyPublished { yanked } => {
                    outcome = PublishStatus::AlreadyPublished { yanked }
                }
            }
            Ok(None)
        })?;
        let mut publication = new_publication(job, outcome);

        if let Some(written) = written {
            publication.commit = written.commit;
            publication.branch = written.branch;
        }

        // After the index: a tag must not name a version that was not published.
        publication.tag = self.create_tag(job)?;
        Ok((publication, would))
    }

    /// Tags the published commit, if that was requested.
    fn create_tag(&self, job: &PublishJob) -> Result<Option<String>> {
        let source = job.source.as_ref();
        let Some(source) = source.filter(|_| self.options.tag && !self.options.dry_run) else {
            return Ok(None);
        };

        let name = tag_name(&job.packed);
        source.create_tag(
            &name,
            &job.packed,
            self.write.author,
            self.write.context.now,
        )?;
        Ok(Some(name))
    }

    /// Decides the edit for one state of the index. An archive outside of the index is uploaded
    /// first: nothing refers to it until the line does.
    fn decide_edit(
        &self,
        job: &PublishJob,
        files: &dyn IndexFiles,
        origin: &mut Option<EntryCommit>,
    ) -> Result<PublishDecision> {
        let (packed, target) = (&job.packed, &job.target);

        let config = write::read_config(files, &target.write)?;
        // Without archives the version is fetched from its commit, which must be pushed. Checked
        // once: the answer does not depend on the state of the index.
        if config.dl.is_none() && origin.is_none() {
            *origin = Some(self.find_origin(job)?);
        }

        let mut entry = self.new_entry(job);
        let Some(dl) = &config.dl else {
            entry.src.clone_from(origin);
            return self.check_entry(&entry, None, files);
        };

        entry.archive = Some(format!("sha256:{}", packed.sha256));
        let place = archive_path(dl, &entry);
        // Archives inside the index are part of the same change as the line.
        if !dl.contains("://") {
            return self.check_entry(&entry, Some((&place, &packed.archive)), files);
        }

        // Elsewhere they are not part of it. First every check, then the archive, then the line.
        let verdict = self.check_entry(&entry, None, files)?;

        let archives = archives_url(target, dl)?;
        let tools = self.write.tools.for_index(self.write.context.reporter);
        let archive_store = write::open_archive_store(archives, &tools)?;
        // On a conflict this runs again; the same bytes under the same name are harmless.
        if !self.options.dry_run && matches!(verdict, PublishDecision::New(_)) {
            archive_store.put(write::path_in_archive_store(dl, &place), &packed.archive)?;
        }

        Ok(verdict)
    }

    /// The pushed commit that a version is fetched from.
    fn find_origin(&self, job: &PublishJob) -> Result<EntryCommit> {
        let source = job.source.as_ref().ok_or_else(|| missing_repository(job))?;
        source.origin(&job.packed, &self.write.tools.git)
    }

    fn check_entry(
        &self,
        entry: &IndexEntry,
        archive: Option<(&str, &[u8])>,
        files: &dyn IndexFiles,
    ) -> Result<PublishDecision> {
        let identity = &self.write.author.email;
        edit::decide_publish(
            files,
            &IndexPublishRequest {
                entry,
                archive,
                identity,
                allow_similar: self.options.allow_similar,
            },
        )
    }

    /// The index line, without the archive or commit.
    fn new_entry(&self, job: &PublishJob) -> IndexEntry {
        // The time of the command, not of each attempt: a retry writes the same line.
        let packed = &job.packed;
        let now = i64::try_from(self.write.context.now)
            .ok()
            .and_then(|now| Timestamp::from_second(now).ok());

        IndexEntry {
            name: packed.name.clone(),
            vers: packed.version.clone(),
            deps: job.needs.clone(),
            cksum: packed.checksum,
            archive: None,
            yanked: false,
            revoked: None,
            description: packed.description.clone(),
            keywords: packed.keywords.clone(),
            license: packed.license.clone(),
            repository: packed.repository.clone(),
            pubtime: now.map(|now| now.to_string()),
            src: None,
            v: 1,
            rest: serde_json::Map::new(),
        }
    }

    /// Warns of dependencies that other registries do not have. No error: they may be unreachable,
    /// or get them later.
    fn warn_missing_elsewhere(&self, job: &PublishJob) {
        // An index is opened once for all dependencies in it.
        let mut indexes: BTreeMap<&str, Result<Index<'_>>> = BTreeMap::new();
        for needed in &job.needs {
            // Dependencies in the same index are checked by `check_entry`, where a missing one is
            // an error.
            let Some(url) = &needed.registry else {
                continue;
            };

            let open = || Index::open(url, self.write.tools.for_index(self.write.context.reporter));
            let found = match indexes.entry(url).or_insert_with(open) {
                Ok(index) => index.lookup(&needed.name),
                Err(error) => Err(error.clone()),
            };
            // A withdrawn version does not count: no new resolve chooses it.
            let fits =
                |entry: &IndexEntry| !entry.is_withdrawn() && needed.req.matches(&entry.vers);

            let warning = match found.map(|lookup| lookup.entries.iter().any(fits)) {
                Ok(true) => continue,
                Ok(false) => format!(
                    "no matching package named `{}` found in `{url}`, version `{}`",
                    needed.name, needed.req
                ),
                Err(error) => format!(
                    "failed to check whether `{url}` has `{} {}`: {error}",
                    needed.name, needed.req
                ),
            };
            self.write
                .context
                .reporter
                .report(ProgressEvent::warning(warning));
        }
    }

    /// Publishes the members whose versions the index does not have.
    fn publish_members(&self, dir: &Path) -> Result<PublishReport> {
        let (jobs, mut packages) = self.prepare_members(dir)?;

        let jobs = self.select_unpublished(jobs, &mut packages)?;
        let names: Vec<&PackageName> = jobs.iter().map(|job| &job.packed.name).collect();
        let place = |needed: &EntryDependency| names.iter().position(|name| **name == needed.name);

        let needs: Vec<Vec<usize>> = jobs
            .iter()
            .map(|job| job.needs.iter().filter_map(place).collect())
            .collect();
        let mut before = Vec::new();
        // Dependencies first: a line whose dependencies are not in the index is refused.
        for at in order::publish_order(&names, &needs)? {
            match self.publish(&jobs[at], &before) {
                Ok((publication, would)) => {
                    before.extend(would.map(|edit| (publication.index.clone(), edit)));
                    packages.push(publication);
                }
                // Members that were published stay published; the report has them and the error.
                Err(error) => {
                    return Ok(PublishReport {
                        packages,
                        failed: Some(error),
                    });
                }
            }
        }

        Ok(PublishReport {
            packages,
            failed: None,
        })
    }

    /// Prepares every member that may be published to the registry; also returns the reports of the
    /// others.
    fn prepare_members(&self, dir: &Path) -> Result<(Vec<PublishJob>, Vec<PublishedPackage>)> {
        let context = self.write.context;

        let here = context.project_around(dir)?;
        let workspace = match here {
            Some(workspace) => workspace,
            None => context.workspace(WorkspaceKind::Project)?,
        };

        let members = WorkspaceMembers::load(context, &workspace.root)?;
        if members.directories().is_empty() {
            return Err(Error::usage(format!(
                "no workspace members found in `{}`",
                workspace.manifest_path().display()
            ))
            .help("list their directories in it: `members = [\"skills/*\"]` under `[workspace]`"));
        }

        let (mut jobs, mut others, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for place in members.directories() {
            let packed = match pack_member(context, &members, &place) {
                Ok(packed) => packed,
                // All are reported before anything is published.
                Err(error) => {
                    refused.push(error);
                    continue;
                }
            };
            // Only an explicit `--registry` can mismatch; otherwise `publish` chooses the registry.
            match (&packed.publish, &self.options.registry) {
                (PublishTargets::Nowhere, _) => others.push(skipped_publication(&packed)),
                (PublishTargets::Only(only), Some(asked)) if !only.contains(asked) => {
                    others.push(skipped_publication(&packed));
                }
                _ => jobs.push(self.prepare(&place, Some(packed))?),
            }
        }

        Error::fail_if_any(refused, |count| {
            format!("{count} members cannot be published")
        })?;
        Ok((jobs, others))
    }

    /// The jobs whose versions their indexes do not have. The others are reported; other content of
    /// a published version is an error.
    fn select_unpublished(
        &self,
        jobs: Vec<PublishJob>,
        packages: &mut Vec<PublishedPackage>,
    ) -> Result<Vec<PublishJob>> {
        let mut published = self.read_published(&jobs)?;
        // The same version with other content cannot be published. All such members are reported
        // before anything is published.
        let (mut selected, mut stale) = (Vec::new(), Vec::new());
        for job in jobs {
            match published.remove(&job.packed.name).flatten() {
                None => selected.push(job),
                // Already published. This is how publishing a workspace continues after a failure.
                Some(own) if own.checksum == job.packed.checksum.to_string() => {
                    let status = PublishStatus::AlreadyPublished { yanked: own.yanked };
                    packages.push(new_publication(&job, status));
                }
                Some(_) => stale.push(format!("`{} {}`", job.packed.name, job.packed.version)),
            }
        }

        if stale.is_empty() {
            Ok(selected)
        } else {
            Err(stale_versions(&stale))
        }
    }

    /// What the indexes have of the versions to publish; `None` for one that they do not have.
    fn read_published(
        &self,
        jobs: &[PublishJob],
    ) -> Result<BTreeMap<PackageName, Option<PublishedVersion>>> {
        let mut published = BTreeMap::new();
        // One read of each index for all members that go there.
        let mut indexes: BTreeMap<&str, Vec<&PublishJob>> = BTreeMap::new();
        for job in jobs {
            indexes
                .entry(job.target.index.as_str())
                .or_default()
                .push(job);
        }

        for group in indexes.into_values() {
            let index = group[0]
                .target
                .open(&self.write, self.options.branch.as_deref())?;
            // `update` is only used to read: it returns no edit.
            index.update(&mut |files| {
                for job in &group {
                    let own = read_published_version(files, job)?;
                    published.insert(job.packed.name.clone(), own);
                }
                Ok(None)
            })?;
        }
        Ok(published)
    }
}

/// What an index has of a version.
struct PublishedVersion {
    checksum: String,
    yanked: bool,
}

fn read_published_version(
    files: &dyn IndexFiles,
    job: &PublishJob,
) -> Result<Option<PublishedVersion>> {
    let file = files
        .read(&entry_path(&job.packed.name))?
        .unwrap_or_default();
    let mut versions = edit::read_versions(&file).into_iter();

    let own = versions.find(|(version, ..)| *version == job.packed.version);
    Ok(own.map(|(_, checksum, yanked)| PublishedVersion { checksum, yanked }))
}

fn missing_repository(job: &PublishJob) -> Error {
    Error::negative(format!("git repository of `{}` not found", job.packed.name))
        .note(format!(
            "registry `{}` has no archives: each version is fetched from its commit",
            job.target.name
        ))
        .help("commit the skill, and push it to a remote that others can fetch from")
}

/// The files of an index with earlier edits of this command. A dry run of a workspace has changed
/// nothing, so that they are applied in memory: a member may depend on one that would be published
/// before it.
fn with_edits<'f>(
    files: &'f dyn IndexFiles,
    index: &str,
    before: &[(String, IndexEdit)],
) -> IndexOverlay<'f> {
    let mut state = IndexOverlay::new(files);
    for (_, edit) in before.iter().filter(|(other, _)| other == index) {
        state.apply(edit.clone());
    }
    state
}

/// Where the archives of a registry are uploaded, which are downloaded from `dl`.
fn archives_url<'t>(target: &'t RegistryTarget, dl: &str) -> Result<&'t str> {
    target
        .archives
        .as_deref()
        .ok_or_else(|| missing_archives(target, dl))
}

fn missing_archives(target: &RegistryTarget, dl: &str) -> Error {
    let setting = format!("registries.{}.archives", target.name);
    Error::usage(format!(
        "missing setting `{setting}`: where to upload archives"
    ))
    .note(format!("archives are downloaded from `{dl}`"))
    .help(format!(
        "set it to the directory that is served there, such as `skillpm config set {setting} file:///srv/www`"
    ))
}

fn stale_versions(stale: &[String]) -> Error {
    let error = Error::negative(match stale {
        [one] => format!("cannot publish {one}: that version is published with other content"),
        _ => format!(
            "cannot publish {} skills: their versions are published with other content",
            stale.len()
        ),
    });

    let error = if stale.len() > 1 {
        stale
            .iter()
            .fold(error, |error, one| error.note(one.as_str()))
    } else {
        error
    };

    error
        .note("nothing was published")
        .help("published versions never change: raise the version of each changed skill")
}

fn refuse_dirty(packed: &PackedSkill, dirty: &[String]) -> Result<()> {
    // Enough to see what kind of files they are.
    const SHOWN: usize = 10;
    if dirty.is_empty() {
        return Ok(());
    }

    let files = if dirty.len() == 1 {
        "1 file".to_owned()
    } else {
        format!("{} files", dirty.len())
    };

    let error = Error::negative(format!(
        "`{}` has {files} with uncommitted changes",
        packed.name
    ));
    let error = dirty
        .iter()
        .take(SHOWN)
        .fold(error, |error, path| error.note(format!("`{path}`")));

    let more = dirty.len().saturating_sub(SHOWN);
    let error = if more > 0 {
        error.note(format!("and {more} more"))
    } else {
        error
    };

    Err(error.help("commit them, or pass `--allow-dirty` to publish them as they are"))
}

/// A dependency as in the index line.
fn entry_dependency(
    packed: &PackedSkill,
    needed: &PackageDependency,
    index: &str,
) -> Result<EntryDependency> {
    let SourceId::Registry(url) = &needed.source else {
        return Err(Error::negative(format!(
            "cannot publish `{}`: its dependency `{}` is from {}, not from a registry",
            packed.name,
            needed.package,
            needed.source.describe()
        ))
        .help("publish the dependency, too, and require a version of it"));
    };
    // The bundled registry depends on the version of skillpm, so that an index cannot refer to it.
    if *url == SourceId::EMBEDDED_INDEX {
        return Err(Error::negative(format!(
            "cannot publish `{}`: its dependency `{}` is from the registry bundled with skillpm",
            packed.name, needed.package
        ))
        .note("the bundled registry depends on the version of skillpm")
        .help(format!(
            "publish `{}` to the registry as well, and set `registry = \"NAME\"`",
            needed.package
        )));
    }
    // The own index is not named, so that a mirror of it stays consistent.
    let registry = (url != index).then(|| url.clone());

    Ok(EntryDependency {
        name: needed.package.clone(),
        req: needed.req.clone(),
        registry,
    })
}

/// The tag of a version, `NAME-vX.Y.Z`, from which git sources read versions.
fn tag_name(packed: &PackedSkill) -> String {
    format!("{}-v{}", packed.name.skill(), packed.version)
}

fn new_publication(job: &PublishJob, outcome: PublishStatus) -> PublishedPackage {
    PublishedPackage {
        registry: job.target.name.clone(),
        index: job.target.index.clone(),
        outcome,
        ..skipped_publication(&job.packed)
    }
}

fn skipped_publication(packed: &PackedSkill) -> PublishedPackage {
    PublishedPackage {
        name: packed.name.clone(),
        version: packed.version.clone(),
        checksum: packed.checksum,
        archive: packed.sha256,
        files: packed.tree.len(),
        registry: String::new(),
        index: String::new(),
        outcome: PublishStatus::NotForRegistry,
        commit: None,
        branch: None,
        tag: None,
    }
}
