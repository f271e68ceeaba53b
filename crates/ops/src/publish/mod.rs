//! `publish`: packs a skill, holds it to what a registry asks for, and makes one change of the index: the archive, the
//! line that names it, and, for a new name, whose it is.
//!
//! ```text
//! prepare     directory → Job            packed, and what was found; committed? what does it need?
//! Target      where to                   `--registry`, the package's own `publish`, the default registry
//! decide      state of the index → Edit  asked anew whenever somebody else was faster; pure but for reading
//! Ledger      Edit → the index           one commit, or files by rename
//! ```
//!
//! With `--workspace` the same is done for each member whose version the index does not have, those that others need first.

mod order;
mod source;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use semver::Version;

use super::Context;
use super::ledger::{Target, With, author};
use super::package::{Neighbours, Packed, pack, pack_among, report_findings};
use crate::error::{Error, Result};
use crate::index::write::edit::{self, Verdict, Wanted};
use crate::index::write::{self, Edit, Files, Overlay};
use crate::index::{Entry, EntryDependency, Index, Origin, archive_path, entry_path};
use crate::manifest::Publish;
use crate::package::{Checksum, Dependency, PackageName, Sha256, SourceId};
use crate::report::Event;
use crate::workspace::Sort;
use source::Source;

/// What to publish.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own on the command line")]
pub struct PublishOptions {
    /// The directory of the skill; `None` for this one.
    pub dir: Option<PathBuf>,
    /// The registry to publish to, by name.
    pub registry: Option<String>,
    /// The branch of the index to leave it on, for review.
    pub branch: Option<String>,
    /// Whether to do all but the change.
    pub dry_run: bool,
    /// Whether to tag the commit it was made from.
    pub tag: bool,
    /// Whether to publish every member of the workspace that has changed.
    pub workspace: bool,
    /// Whether it may differ from what was committed.
    pub allow_dirty: bool,
    /// Whether a new name may be like one that another has.
    pub allow_similar: bool,
}

/// What was done about one package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It was published.
    Published,
    /// It would be.
    WouldPublish,
    /// The very same was there.
    Already {
        /// Whether it was yanked meanwhile.
        yanked: bool,
    },
    /// It is a member that is not for this registry.
    NotMeant,
}

/// One package, and what was done about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Publication {
    /// Its name.
    pub name: PackageName,
    /// Its version.
    pub version: Version,
    /// The checksum of its tree.
    pub checksum: Checksum,
    /// The digest of its archive.
    pub archive: Sha256,
    /// How many files it has.
    pub files: usize,
    /// The registry, by name.
    pub registry: String,
    /// The URL of its index.
    pub index: String,
    /// What was done.
    pub outcome: Outcome,
    /// The commit of the index.
    pub commit: Option<String>,
    /// The branch of the index that it waits on.
    pub branch: Option<String>,
    /// The tag that was made.
    pub tag: Option<String>,
}

/// What came of publishing.
#[derive(Debug)]
pub struct Published {
    /// Each package, in the order of publishing.
    pub packages: Vec<Publication>,
    /// Why it was not gone on with; what is in `packages` was done.
    pub failed: Option<Error>,
}

/// Publishes a skill, or the members of a workspace.
///
/// # Errors
/// If there is a finding that denies it, it may not be published, or the registry cannot be written.
pub fn publish(context: &Context<'_>, options: &PublishOptions) -> Result<Published> {
    let dir = match &options.dir {
        Some(dir) => crate::io::disk::real_path(&context.places.here.join(dir)),
        None => context.places.here.clone(),
    };
    let author = author(context, &dir)?;
    let tools = context.tools()?;
    let press = Press { with: With { context, tools: &tools, author: &author }, options };
    if options.workspace {
        return press.publish_members(&dir);
    }
    let job = press.prepare(&dir, None)?;
    let (publication, _) = press.publish(&job, &[])?;
    Ok(Published { packages: vec![publication], failed: None })
}

/// A package that is ready, and where it goes to.
struct Job {
    packed: Packed,
    target: Target,
    needs: Vec<EntryDependency>,
    /// The repository it was made in.
    source: Option<Source>,
}

/// All that publishing one package shares with publishing the next.
struct Press<'a> {
    with: With<'a>,
    options: &'a PublishOptions,
}

impl Press<'_> {
    /// Packs a skill and holds it to all that can be known without its registry.
    fn prepare(&self, dir: &Path, known: Option<Packed>) -> Result<Job> {
        let context = self.with.context;
        let packed = match known {
            Some(packed) => packed,
            None => pack(context, dir)?,
        };
        let target = Target::of_package(context, self.options.registry.as_deref(), (&packed.name, &packed.publish))?;
        report_findings(context, &packed);
        let source = Source::around(dir)?;
        if !self.options.allow_dirty
            && let Some(source) = &source
        {
            refuse_dirty(&packed, &source.dirty(&packed, dir)?)?;
        }
        if self.options.tag {
            let source = source.as_ref().ok_or_else(|| {
                Error::usage(format!("`{}` cannot be tagged: it lies in no git repository with a commit", packed.name))
                    .help("leave `--tag` out")
            })?;
            source.check_tag(&tag_name(&packed))?;
        }
        let needs = packed.dependencies.iter().map(|needed| as_entry(&packed, needed, &target.index));
        Ok(Job { needs: needs.collect::<Result<_>>()?, packed, target, source })
    }

    /// Publishes one package. A dry run does so as if `before` had been done to these indexes, and gives what it would do.
    fn publish(&self, job: &Job, before: &[(String, Edit)]) -> Result<(Publication, Option<Edit>)> {
        let (context, packed, target) = (self.with.context, &job.packed, &job.target);
        self.look_elsewhere(job);
        let ledger = target.open(&self.with, self.options.branch.as_deref())?;
        let mut origin: Option<Origin> = None;
        let (mut outcome, mut would) = (Outcome::Published, None);
        let written = ledger.change(&mut |files| {
            let mut state = Overlay::new(files);
            before.iter().filter(|(index, _)| *index == target.index).for_each(|(_, edit)| state.apply(edit.clone()));
            match self.decide(job, &state, &mut origin)? {
                Verdict::New(edit) if !self.options.dry_run => return Ok(Some(edit)),
                Verdict::New(edit) => (outcome, would) = (Outcome::WouldPublish, Some(edit)),
                Verdict::Already { yanked } => outcome = Outcome::Already { yanked },
            }
            Ok(None)
        })?;
        let mut publication = publication(job, outcome);
        if let Some(written) = written {
            publication.commit = written.commit;
            publication.branch = written.branch;
        }
        if let (true, false, Some(source)) = (self.options.tag, self.options.dry_run, &job.source) {
            let name = tag_name(packed);
            source.tag(&name, packed, (self.with.author, context.now))?;
            publication.tag = Some(name);
        }
        Ok((publication, would))
    }

    /// What is to be done at one state of the index. An archive that lies elsewhere is put there first: nothing names it
    /// until the line does.
    fn decide(&self, job: &Job, files: &dyn Files, origin: &mut Option<Origin>) -> Result<Verdict> {
        let (packed, target) = (&job.packed, &job.target);
        let config = write::config(files, &target.write)?;
        if config.dl.is_none() && origin.is_none() {
            let source = job.source.as_ref().ok_or_else(|| {
                Error::negative(format!("`{}` lies in no git repository", packed.name))
                    .note(format!(
                        "registry `{}` keeps no archives: each version is taken from its commit",
                        target.name
                    ))
                    .help("commit it, and push it to where others can have it from")
            })?;
            *origin = Some(source.origin(packed, &self.with.tools.git)?);
        }
        let mut entry = self.entry(job);
        let Some(dl) = &config.dl else {
            entry.src.clone_from(origin);
            return self.judge(&entry, None, files);
        };
        entry.archive = Some(format!("sha256:{}", packed.sha256));
        let place = archive_path(dl, &entry);
        if !dl.contains("://") {
            return self.judge(&entry, Some((&place, &packed.archive)), files);
        }
        let verdict = self.judge(&entry, None, files)?;
        let archives = target.archives.as_deref().ok_or_else(|| {
            Error::usage(format!("it is not known where registry `{}` keeps its archives", target.name))
                .note(format!("they are had from `{dl}`"))
                .help(format!(
                    "`skillpm config set registries.{}.archives file:///srv/www` names the directory that is served there",
                    target.name
                ))
        })?;
        let place_for_it = write::shelf(archives, &self.with.tools.for_index(self.with.context.reporter))?;
        if !self.options.dry_run && matches!(verdict, Verdict::New(_)) {
            place_for_it.put(write::place_on_shelf(dl, &place), &packed.archive)?;
        }
        Ok(verdict)
    }

    fn judge(&self, entry: &Entry, archive: Option<(&str, &[u8])>, files: &dyn Files) -> Result<Verdict> {
        let identity = &self.with.author.email;
        edit::publish(files, &Wanted { entry, archive, identity, allow_similar: self.options.allow_similar })
    }

    /// The line, without where the version is had from.
    fn entry(&self, job: &Job) -> Entry {
        let packed = &job.packed;
        let now = i64::try_from(self.with.context.now).ok().and_then(|now| Timestamp::from_second(now).ok());
        Entry {
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
            pubtime: now.map(|now| now.to_string()),
            src: None,
            v: 1,
            rest: serde_json::Map::new(),
        }
    }

    /// Warns of what other registries do not have; they may be out of reach, or be about to have it.
    fn look_elsewhere(&self, job: &Job) {
        let mut indexes: BTreeMap<&str, Result<Index<'_>>> = BTreeMap::new();
        for needed in &job.needs {
            let Some(url) = &needed.registry else { continue };
            let open = || Index::open(url, self.with.tools.for_index(self.with.context.reporter));
            let found = match indexes.entry(url).or_insert_with(open) {
                Ok(index) => index.lookup(&needed.name),
                Err(error) => Err(error.clone()),
            };
            let fits = |entry: &Entry| !entry.is_withdrawn() && needed.req.matches(&entry.vers);
            let warning = match found.map(|lookup| lookup.entries.iter().any(fits)) {
                Ok(true) => continue,
                Ok(false) => format!("`{} {}` is not in `{url}`, which it is needed from", needed.name, needed.req),
                Err(error) => format!("whether `{url}` has `{} {}` is not known: {error}", needed.name, needed.req),
            };
            self.with.context.reporter.report(Event::warning(warning));
        }
    }

    /// Publishes the members whose versions the index does not have.
    fn publish_members(&self, dir: &Path) -> Result<Published> {
        let (jobs, mut packages) = self.members(dir)?;
        let jobs = self.changed(jobs, &mut packages)?;
        let names: Vec<&PackageName> = jobs.iter().map(|job| &job.packed.name).collect();
        let place = |needed: &EntryDependency| names.iter().position(|name| **name == needed.name);
        let needs: Vec<Vec<usize>> = jobs.iter().map(|job| job.needs.iter().filter_map(place).collect()).collect();
        let mut before = Vec::new();
        for at in order::order(&names, &needs)? {
            match self.publish(&jobs[at], &before) {
                Ok((publication, would)) => {
                    before.extend(would.map(|edit| (publication.index.clone(), edit)));
                    packages.push(publication);
                }
                Err(error) => return Ok(Published { packages, failed: Some(error) }),
            }
        }
        Ok(Published { packages, failed: None })
    }

    /// Every member that may go to a registry, ready; and word of those that may not.
    fn members(&self, dir: &Path) -> Result<(Vec<Job>, Vec<Publication>)> {
        let context = self.with.context;
        let here = context.project_around(dir)?;
        let workspace = match here {
            Some(workspace) => workspace,
            None => context.workspace(Sort::Project)?,
        };
        let neighbours = Neighbours::around(context, &workspace.root)?;
        if neighbours.directories().is_empty() {
            return Err(Error::usage(format!("`{}` has no members to publish", workspace.manifest_path().display()))
                .help("name their directories in it: `[workspace]` and `members = [\"skills/*\"]`"));
        }
        let (mut jobs, mut others) = (Vec::new(), Vec::new());
        for place in neighbours.directories() {
            let packed = pack_among(context, &neighbours, &place)?;
            match (&packed.publish, &self.options.registry) {
                (Publish::Nowhere, _) => others.push(not_meant(&packed)),
                (Publish::Only(only), Some(asked)) if !only.contains(asked) => others.push(not_meant(&packed)),
                _ => jobs.push(self.prepare(&place, Some(packed))?),
            }
        }
        Ok((jobs, others))
    }

    /// Those whose versions their indexes do not have. The others are told, and it is a fault if they differ.
    fn changed(&self, jobs: Vec<Job>, told: &mut Vec<Publication>) -> Result<Vec<Job>> {
        let mut there: BTreeMap<PackageName, Option<(String, bool)>> = BTreeMap::new();
        let mut indexes: BTreeMap<&str, Vec<&Job>> = BTreeMap::new();
        for job in &jobs {
            indexes.entry(job.target.index.as_str()).or_default().push(job);
        }
        for group in indexes.into_values() {
            let ledger = group[0].target.open(&self.with, self.options.branch.as_deref())?;
            ledger.change(&mut |files| {
                for job in &group {
                    let file = files.read(&entry_path(&job.packed.name))?.unwrap_or_default();
                    let mut versions = edit::versions(&file).into_iter();
                    let own = versions.find(|(version, ..)| *version == job.packed.version);
                    there.insert(job.packed.name.clone(), own.map(|(_, checksum, yanked)| (checksum, yanked)));
                }
                Ok(None)
            })?;
        }
        let (mut wanted, mut stale) = (Vec::new(), Vec::new());
        for job in jobs {
            match there.remove(&job.packed.name).flatten() {
                None => wanted.push(job),
                Some((checksum, yanked)) if checksum == job.packed.checksum.to_string() => {
                    told.push(publication(&job, Outcome::Already { yanked }));
                }
                Some(_) => stale.push(format!("`{} {}`", job.packed.name, job.packed.version)),
            }
        }
        if stale.is_empty() { Ok(wanted) } else { Err(bump(&stale)) }
    }
}

fn bump(stale: &[String]) -> Error {
    let error = Error::negative(match stale {
        [one] => format!("{one} is published, and has changed since"),
        _ => format!("{} skills are published, and have changed since", stale.len()),
    });
    let error = if stale.len() > 1 { stale.iter().fold(error, |error, one| error.note(one.as_str())) } else { error };
    error
        .note("nothing was published")
        .help("a published version never changes: bump the version of each that has changed")
}

fn refuse_dirty(packed: &Packed, dirty: &[String]) -> Result<()> {
    const SHOWN: usize = 10;
    if dirty.is_empty() {
        return Ok(());
    }
    let files = if dirty.len() == 1 { "a file".to_owned() } else { format!("{} files", dirty.len()) };
    let error = Error::negative(format!("`{}` has {files} not as committed", packed.name));
    let error = dirty.iter().take(SHOWN).fold(error, |error, path| error.note(format!("`{path}`")));
    let more = dirty.len().saturating_sub(SHOWN);
    let error = if more > 0 { error.note(format!("and {more} more")) } else { error };
    Err(error.help("commit them, or publish them as they are with `--allow-dirty`"))
}

/// A need as a line of the index says it.
fn as_entry(packed: &Packed, needed: &Dependency, index: &str) -> Result<EntryDependency> {
    let SourceId::Registry(url) = &needed.source else {
        return Err(Error::negative(format!(
            "`{}` needs `{}` from {}, and a package of a registry can need packages of registries only",
            packed.name,
            needed.package,
            needed.source.place()
        ))
        .help("publish that one, too, and ask for a version of it"));
    };
    if *url == SourceId::EMBEDDED_INDEX {
        return Err(Error::negative(format!(
            "`{}` needs `{}` from the registry inside skillpm",
            packed.name, needed.package
        ))
        .note("not every skillpm has the same one inside, so that others may not get it")
        .help(format!("publish `{}` to the registry as well, and name that: `registry = \"NAME\"`", needed.package)));
    }
    let registry = (url != index).then(|| url.clone());
    Ok(EntryDependency { name: needed.package.clone(), req: needed.req.clone(), registry })
}

/// `NAME-vX.Y.Z`, as versions are read from tags.
fn tag_name(packed: &Packed) -> String {
    format!("{}-v{}", packed.name.skill(), packed.version)
}

fn publication(job: &Job, outcome: Outcome) -> Publication {
    Publication {
        registry: job.target.name.clone(),
        index: job.target.index.clone(),
        outcome,
        ..not_meant(&job.packed)
    }
}

fn not_meant(packed: &Packed) -> Publication {
    Publication {
        name: packed.name.clone(),
        version: packed.version.clone(),
        checksum: packed.checksum,
        archive: packed.sha256,
        files: packed.tree.len(),
        registry: String::new(),
        index: String::new(),
        outcome: Outcome::NotMeant,
        commit: None,
        branch: None,
        tag: None,
    }
}
