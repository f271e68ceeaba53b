//! `registry site`: writes a static web site that serves skills or a registry.
//!
//! | source | contents |
//! |---|---|
//! | the members of the workspace, or the package, or the project's installed skills | pages, and the lists below `/.well-known/` |
//! | a registry | the same for the newest version of each package, and the registry itself, for `sparse+https://…` |
//!
//! The directory is replaced as a whole, and only if this command wrote all files in it:
//! `.skillpm-site` lists them. Packages are read and written in batches: in memory are what the lists say of all, and the
//! files of one batch.

mod dependents;
pub(super) mod package_facts;
mod version_history;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use dependents::DependentPackages;
use version_history::VersionHistory;

use super::CommandContext;
use super::package::{self, WorkspaceMembers};
use super::stage::{StageWriter, StagedDirectory};
use skillpm_catalog::site::{
    FacetGroup, InstallCommand, OfferedMetadata, OfferedSkill, PackageFacet, PackagePage,
    PackageRow, RelatedPackage, SiteBuilder, SiteFiles, SiteHost, SiteIndex, WellKnown,
    active_files,
};
use skillpm_core::advisory::pack;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{
    Checksum, PackageName, PackageSummary, SiteUrl, SkillName, SourceId, Tree,
};
use skillpm_core::provenance::KeyFingerprint;
use skillpm_core::report::{EventReporter, ProgressEvent};
use skillpm_core::skill::{self, Skill, SkillFormat, formats};
use skillpm_io::local_files::InstalledReader;
use skillpm_io::{disk, run_on_all_processors};
use skillpm_registry::index::{
    Index, IndexConfig, IndexEntry, IndexLookup, archive_path, entry_path,
};
use skillpm_registry::sources::{FetchError, PackageSources, SourceContext};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// The number of packages of a registry that are processed together.
const BATCH: usize = 32;

/// The number of packages from which a site has a search index: the list of fewer is about as small as a search with one.
const SHARDS_MIN: usize = 1000;

/// The name of a site of local skills.
const TITLE: &str = "Skills";

/// The template of archive paths in a site.
const ARCHIVES: &str = "archives/{name}-{version}.tar.gz";

/// The contents of a site, and where to write it.
#[derive(Debug, Clone)]
pub struct SiteOptions {
    /// The directory to write, which must be new, empty, or an earlier site.
    pub out: PathBuf,
    /// The registry to publish; `None` for local skills.
    pub registry: Option<String>,
    /// The name of the site; `None` for that of the registry.
    pub title: Option<String>,
    /// The URL it will be served at, if that is known.
    pub base: Option<SiteUrl>,
    /// Whether only the search index of the registry is written.
    pub search_only: bool,
}

/// The result of [`site`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SiteReport {
    /// The directory.
    pub out: PathBuf,
    /// The number of skills below `/.well-known/`.
    pub skills: usize,
    /// The number of skills with a page: those of other formats than `SKILL.md`, too.
    pub shown: usize,
    /// The number of packages of the registry.
    pub packages: usize,
    /// The number of their versions.
    pub versions: usize,
    /// The number of written files.
    pub files: usize,
    /// The number of their bytes.
    pub bytes: u64,
}

/// Writes a static site of local skills, or of a registry.
///
/// # Errors
/// If there are no skills, something cannot be read, an archive has another checksum than in its
/// registry, or the directory has files that this command did not write. Nothing is changed then.
pub fn site(context: &CommandContext<'_>, options: &SiteOptions) -> Result<SiteReport> {
    let out = disk::normalize_path(&context.dirs.cwd.join(&options.out));
    // The swap at the end would remove the current directory of the shell.
    if context.dirs.cwd.starts_with(&out) {
        return Err(Error::usage(format!(
            "refusing to replace `{}`: it contains the current directory",
            out.display()
        ))
        .help("pass a separate directory: `skillpm registry site public`"));
    }

    let stage = StagedDirectory::begin(
        StageWriter::RegistrySite,
        &out,
        context.lock_timeout(),
        context.reporter,
    )?;

    let mut build = SiteBuild {
        context,
        stage,
        offered: WellKnown::new(options.base.clone(), SiteHost::Files),
        base: options.base.as_ref(),
        index: SiteIndex {
            title: options.title.clone().unwrap_or_else(|| site_title(options)),
            rules: package_facts::rule_entries(),
            ..SiteIndex::default()
        },
        report: SiteReport {
            out: out.clone(),
            skills: 0,
            shown: 0,
            packages: 0,
            versions: 0,
            files: 0,
            bytes: 0,
        },
    };

    match &options.registry {
        Some(name) => build.add_registry(name, options.search_only)?,
        None => build.add_local()?,
    }
    build.finish(options.search_only)
}

/// Where a site has the archive of a version, if it has one.
fn copied_archive(entry: &IndexEntry) -> Option<String> {
    let archive = entry.archive.as_ref();
    archive.map(|_| archive_path(ARCHIVES, entry))
}

fn site_title(options: &SiteOptions) -> String {
    match &options.registry {
        Some(name) => format!("{name} skills"),
        None => TITLE.to_owned(),
    }
}

/// A site while it is written.
struct SiteBuild<'c> {
    context: &'c CommandContext<'c>,
    stage: StagedDirectory,
    offered: WellKnown,
    base: Option<&'c SiteUrl>,
    index: SiteIndex,
    report: SiteReport,
}

impl SiteBuild<'_> {
    fn finish(mut self, search_only: bool) -> Result<SiteReport> {
        // A skill of another format than `SKILL.md` has a page only.
        self.report.shown = self.index.rows.len();
        if self.report.skills + self.report.shown + self.report.packages == 0 {
            return Err(Error::negative("no skills to publish found"));
        }

        if !search_only {
            self.index.versions = self.report.versions;
            if self.index.setup.is_empty() && self.report.skills > 0 {
                let add =
                    self.command("Choose from the skills of this site:", "skillpm add {site}");
                self.index.setup.push(add);
            }
            self.stage.put_all(self.offered.finish())?;
            self.stage.put_all(self.index.into_files())?;

            // GitHub Pages leaves out `.well-known` without this file.
            self.stage.put(".nojekyll", b"")?;
        }

        let (files, bytes) = self.stage.finish()?;
        Ok(SiteReport {
            files,
            bytes,
            ..self.report
        })
    }

    /// A command, with the site's address if that is known.
    fn command(&self, label: &str, command: impl Into<String>) -> InstallCommand {
        let mut command = command.into();
        if let Some(base) = self.base {
            command = command
                .replace("{site}", &base.to_spec())
                .replace("{root}", base.as_str());
        }
        InstallCommand {
            label: label.to_owned(),
            command,
        }
    }

    /// Adds local skills: the members of a workspace, else a package, else the project's installed
    /// skills, else the skills found in the directory.
    fn add_local(&mut self) -> Result<()> {
        let here = self.context.dirs.cwd.clone();
        let registries = |name: Option<&str>| self.context.config.registry(name);

        let Some(workspace) = self.context.project()? else {
            return self.add_discovered(&here);
        };
        let root = workspace.root.clone();

        let members = WorkspaceMembers::load(self.context, &root)?;
        // A workspace publishes its members; its installed skills are from third parties.
        if !members.members().is_empty() {
            for member in members.members() {
                let version = member.version.as_ref().map(ToString::to_string);
                self.add_own(&members, &member.name, version, &member.place(&root))?;
            }
            return Ok(());
        }

        let manifest = workspace.manifest(&registries)?;
        if let Some(package) = &manifest.package {
            let version = package.version.as_ref().map(ToString::to_string);
            return self.add_own(&members, &package.name, version, &root);
        }
        // A manifest without dependencies does not say which skills to publish.
        if workspace.kind == WorkspaceKind::Project && manifest.dependencies.is_empty() {
            return self.add_discovered(&root);
        }

        self.add_installed(&workspace, &root.join(manifest.install.dir.to_path()))
    }

    /// Adds the skills in a directory without a manifest that lists them.
    fn add_discovered(&mut self, root: &Path) -> Result<()> {
        let tools = self.context.tools()?;
        let registries = |name: Option<&str>| self.context.config.registry(name);

        let sources = PackageSources::new(&tools, root, &registries, self.context.reporter);
        for found in sources.discover_path(".")?.skills {
            let dir = found
                .dir
                .as_ref()
                .map_or(root.to_owned(), |dir| root.join(dir.to_path()));
            // Skills in an agent's directory, such as `.claude`, are installed from other sources.
            if found
                .dir
                .as_ref()
                .is_some_and(|dir| dir.as_str().starts_with('.'))
            {
                continue;
            }

            let name: PackageName = found.skill?.name.parse()?;
            self.add_own(
                &WorkspaceMembers::load(self.context, &dir)?,
                &name,
                None,
                &dir,
            )?;
        }
        Ok(())
    }

    /// Adds a skill of this project.
    fn add_own(
        &mut self,
        members: &WorkspaceMembers,
        name: &PackageName,
        version: Option<String>,
        dir: &Path,
    ) -> Result<()> {
        // A site inside a skill would be part of it in the next run, and grow with each.
        if self.report.out.starts_with(dir) {
            return Err(Error::usage(format!(
                "refusing to write to `{}`: it is inside the skill `{name}`",
                self.report.out.display()
            ))
            .help("pass a directory beside it, such as `../public`"));
        }

        let tree = package::publishable_files(self.context, members, dir)?;
        self.add_skill(name.skill(), version, &tree)
    }

    /// Adds a project's installed skills as they are on disk.
    fn add_installed(&mut self, workspace: &Workspace, dir: &Path) -> Result<()> {
        for locked in workspace.required_lockfile()?.packages() {
            let name = locked.install_name();

            let place = dir.join(name.as_str());
            if disk::lstat(&place)?.is_none() {
                return Err(Error::negative(format!("`{name}` is not installed"))
                    .help("run `skillpm install` first"));
            }

            let real = disk::real_path(&place);
            let installed = InstalledReader::new(&workspace.root, &|_| None);
            let tree = installed.read(&real, Some(&locked.checksum))?.tree;
            // Edits are published, since this project uses them, but with a warning.
            if Checksum::from_tree(&tree) != locked.checksum {
                self.context.reporter.report(ProgressEvent::Warning {
                    message: format!("`{name}` is published with local edits"),
                    help: Some("to see the edits, run `skillpm verify`".into()),
                });
            }

            self.add_skill(
                name,
                locked.version.as_ref().map(ToString::to_string),
                &tree,
            )?;
        }
        Ok(())
    }

    /// Adds a skill that is not a package of a registry.
    fn add_skill(&mut self, name: &SkillName, version: Option<String>, tree: &Tree) -> Result<()> {
        // The lists below `/.well-known/` are of `SKILL.md`s. A skill of another format has a page only.
        let other = read_other_format(name, tree);
        let is_offered = other.is_none();
        let skill = match other {
            Some(skill) => skill,
            None => read_skill(name, tree)?,
        };

        let archive = if is_offered {
            self.offer_skill(name, &skill, tree)?
        } else {
            self.warn_not_offered(name, &skill);
            None
        };

        let command = format!("skillpm add {{site}} --skill {name}");
        let commands = is_offered.then(|| self.command("", command));
        let requires = skill
            .requires
            .iter()
            .map(|needed| match needed.split_once('@') {
                Some((name, requirement)) => (name.to_owned(), requirement.to_owned()),
                None => (needed.clone(), "*".to_owned()),
            });
        let page = PackagePage {
            site: self.index.title.clone(),
            archive,
            row: PackageRow {
                name: name.to_string(),
                slug: name.to_string(),
                version: version.or_else(|| skill.version.clone()),
                description: skill.description.clone(),
                tags: skill.tags.clone(),
                license: skill.license.clone(),
                ..PackageRow::default()
            },
            commands: commands.into_iter().collect(),
            dependencies: requires
                .map(|(name, requirement)| RelatedPackage {
                    name,
                    requirement,
                    ..RelatedPackage::default()
                })
                .collect(),
            ..PackagePage::default()
        };
        let pending = PendingPage {
            page,
            directory: name.clone(),
            tree: tree.clone(),
            skill: Some(skill),
        };
        self.put_pending(&[pending])
    }

    fn warn_not_offered(&self, name: &SkillName, skill: &Skill) {
        let format = skill.format.name();
        self.context.reporter.report(ProgressEvent::Warning {
            message: format!(
                "`{name}` is left out below `/.well-known/`: it has no `SKILL.md`, but the format `{format}`"
            ),
            help: Some("to offer it there, run `skillpm convert DIR --to skill-md`".into()),
        });
    }

    /// Adds a registry: its own files, and the newest version of each package below
    /// `/.well-known/`.
    fn add_registry(&mut self, name: &str, search_only: bool) -> Result<()> {
        let url = self.context.config.registry(Some(name))?;
        let tools = self.context.tools()?;
        let registries = |name: Option<&str>| self.context.config.registry(name);

        let sources = PackageSources::new(
            &tools,
            &self.context.dirs.cwd,
            &registries,
            self.context.reporter,
        );

        let index = sources.open_index(&url)?;
        // The search index alone needs neither the list of names nor the packages.
        if search_only {
            self.report.packages = self.put_search_shards(&index, &tools)?;
            return Ok(());
        }

        let names = index.package_names();
        let registry = SiteRegistry {
            title: self.index.title.clone(),
            name,
            index: &index,
            sources: &sources,
            reporter: self.context.reporter,
            names: names.iter().collect(),
            dependents: DependentPackages::read(&index, &names),
        };
        if names.is_empty() {
            return Err(Error::negative(format!(
                "no packages found in registry `{name}`, or it cannot list them"
            ))
            .note(format!("its index is `{url}`"))
            .help("use an index in a directory or a git repository, which can be listed"));
        }

        let has_search = index.config().search || names.len() >= SHARDS_MIN;
        self.put_index_files(&index, has_search)?;
        self.add_packages(&registry, &names)?;

        let setup = format!("skillpm config set registries.{name}.index sparse+{{root}}/");
        self.index.setup = vec![self.command("Add this registry to your settings:", setup)];
        if let Some(row) = self.index.rows.first() {
            let add = format!("skillpm add {} --registry {name}", row.name);
            let add = self.command("Then add a skill by its name:", add);
            self.index.setup.push(add);
        }

        let mut search = Vec::new();
        index.write_jsonl(&self.context.search_tables(&tools), &mut search)?;
        self.stage.put("search.jsonl", &search)?;
        if has_search {
            self.put_search_shards(&index, &tools)?;
        }
        Ok(())
    }

    /// Adds the search index of a registry; returns the number of its packages.
    fn put_search_shards(&mut self, index: &Index<'_>, tools: &SourceContext) -> Result<usize> {
        let tables = self.context.search_tables(tools);
        index.write_search_shards(&tables, &mut |path, bytes| self.stage.put(path, bytes))
    }

    /// Adds the packages of a registry.
    fn add_packages(
        &mut self,
        registry: &SiteRegistry<'_, '_>,
        names: &[PackageName],
    ) -> Result<()> {
        let index = registry.index;

        // Without the scope two packages may have the same skill name below `/.well-known/`.
        let mut name_counts: BTreeMap<&SkillName, usize> = BTreeMap::new();
        names
            .iter()
            .for_each(|name| *name_counts.entry(name.skill()).or_default() += 1);

        // In groups, so that requests run in parallel and few archives are in memory.
        for batch in names.chunks(BATCH) {
            index.reset_read_limits();
            let files = index.read_entry_files(batch);
            let lookups: Vec<IndexLookup> =
                index.lookup_all(batch).into_iter().collect::<Result<_>>()?;
            let mut signers = registry.verify_newest(&lookups)?;

            let mut pending = Vec::new();
            for ((package, file), lookup) in batch.iter().zip(files).zip(lookups) {
                // The name is in the list, but its file was removed since the list was read.
                let Some(file) = file? else {
                    continue;
                };

                // The file is copied as it is: lines of a newer format must not be lost.
                self.stage.put(&entry_path(package), &file)?;
                let facts = PackageContext {
                    is_ambiguous: name_counts[package.skill()] > 1,
                    signer: signers.remove(package),
                };
                pending.extend(self.add_package(registry, &lookup, &facts)?);
            }
            self.put_pending(&pending)?;
        }
        Ok(())
    }

    /// Writes the pages of a batch. Checking and rendering is what takes time, so that it runs on all processors.
    fn put_pending(&mut self, pending: &[PendingPage]) -> Result<()> {
        for (row, files) in run_on_all_processors(pending, PendingPage::render) {
            self.stage.put_all(files)?;
            self.index.rows.push(row);
        }
        Ok(())
    }

    /// Writes the files of an index that belong to no package.
    fn put_index_files(&mut self, index: &Index<'_>, has_search: bool) -> Result<()> {
        // The copy serves its own archives, wherever the registry has them.
        let config = IndexConfig {
            dl: Some(ARCHIVES.to_owned()),
            search: has_search,
            ..index.config().clone()
        };

        if index.config().advisories {
            // Clients fetch only this file; the single advisories are its sources.
            let all = index.read_file(&pack::pack_path())?.unwrap_or_default();
            self.stage.put(&pack::pack_path(), &all)?;
        }

        let config = serde_json::to_string(&config).expect("a config is JSON");
        self.stage
            .put("config.json", format!("{config}\n").as_bytes())
    }

    /// Adds the archives of a package, and its newest version as a skill; returns the page of that.
    fn add_package(
        &mut self,
        registry: &SiteRegistry<'_, '_>,
        lookup: &IndexLookup,
        facts: &PackageContext,
    ) -> Result<Option<PendingPage>> {
        for skipped in &lookup.skipped {
            self.context.reporter.report(ProgressEvent::warning(format!(
                "copied without parsing: {skipped}"
            )));
        }

        let newest = newest_version(&lookup.entries);
        let mut history = VersionHistory::new(&lookup.entries);
        let archive = self.copy_archives(registry, &mut history, newest)?;

        self.report.packages += 1;
        self.report.versions += lookup.entries.len();

        let Some(newest) = newest else {
            // A package of which every version is withdrawn is served and has a page, but is in no list.
            if let Some(page) = registry.withdrawn_page(history)? {
                self.stage.put_all(page.to_files())?;
            }
            return Ok(None);
        };

        let tree = registry.fetch_tree(newest, archive)?;
        let mut page = registry.newest_page(newest, history)?;
        let add = format!("skillpm add {} --registry {}", newest.name, registry.name);
        page.commands = vec![self.command("", add)];
        let skill = self.add_newest(newest, &tree, facts, &mut page)?;
        Ok(Some(PendingPage {
            page,
            directory: newest.name.skill().clone(),
            tree,
            skill,
        }))
    }

    /// Copies the archives of all versions, also of withdrawn ones, which old lockfiles need;
    /// returns that of the newest.
    fn copy_archives(
        &mut self,
        registry: &SiteRegistry<'_, '_>,
        history: &mut VersionHistory<'_>,
        newest: Option<&IndexEntry>,
    ) -> Result<Option<Vec<u8>>> {
        let mut newest_archive = None;

        let served: Vec<&IndexEntry> = history
            .entries()
            .iter()
            .copied()
            .filter(|entry| entry.archive.is_some())
            .collect();

        let jobs = usize::try_from(self.context.config.number("net.jobs"))
            .unwrap_or(1)
            .max(1);

        for batch in served.chunks(jobs) {
            for (&entry, bytes) in batch.iter().zip(
                registry
                    .sources
                    .download_archives(registry.index.url(), batch),
            ) {
                // A copy without an archive would break lockfiles that have the version.
                let bytes = bytes.map_err(|error| {
                    error.help("nothing was written; report this to the registry's owners")
                })?;
                self.stage.put(&archive_path(ARCHIVES, entry), &bytes)?;
                history.add(entry, &bytes);
                // Only the newest is needed again, to unpack it for its page and `/.well-known/`.
                if newest == Some(entry) {
                    newest_archive = Some(bytes);
                }
            }
        }

        Ok(newest_archive)
    }

    /// Adds the newest version of a package as a skill, and returns what its file says. If several packages have a skill of
    /// that name, only the one without a scope is added.
    fn add_newest(
        &mut self,
        entry: &IndexEntry,
        tree: &Tree,
        facts: &PackageContext,
        page: &mut PackagePage,
    ) -> Result<Option<Skill>> {
        let skill = entry.name.skill();
        let read = match read_skill(skill, tree) {
            Ok(read) => Some(read),
            // Left out below `/.well-known/` only; the registry still serves the package.
            Err(error) => {
                self.warn_left_out(&entry.name, &error.to_string());
                read_other_format(skill, tree)
            }
        };

        match &read {
            Some(read) if read.format == SkillFormat::SkillMd => {
                if facts.is_ambiguous && entry.name.scope().is_some() {
                    self.warn_left_out(&entry.name, "another package has a skill of that name");
                } else {
                    self.offer_skill(skill, read, tree)?;
                    let command = format!("skillpm add {{site}} --skill {skill}");
                    page.commands
                        .push(self.command("Without this registry in your settings:", command));
                }
                if page.row.description.is_empty() {
                    page.row.description.clone_from(&read.description);
                }
            }
            _ => {}
        }

        if let Some(signer) = &facts.signer {
            page.row.facets.push(PackageFacet {
                group: FacetGroup::Signature,
                value: "signed".to_owned(),
            });
            page.facts
                .push(("Signed by".to_owned(), signer.to_string()));
        }
        Ok(read)
    }

    /// Puts a skill below `/.well-known/`; returns the path of its archive, if it has one.
    fn offer_skill(
        &mut self,
        name: &SkillName,
        skill: &Skill,
        tree: &Tree,
    ) -> Result<Option<String>> {
        let offered = OfferedSkill {
            name,
            description: &skill.description,
            tree,
            metadata: OfferedMetadata::default(),
        };
        let files = self.offered.add(&offered)?;
        let archive = format!(".well-known/agent-skills/{name}.tar.gz");
        let archive = files.contains_key(&archive).then_some(archive);
        self.stage.put_all(files)?;
        warn_of_archive_only(self.context, name, tree);
        self.report.skills += 1;
        Ok(archive)
    }

    fn warn_left_out(&self, name: &PackageName, reason: &str) {
        self.context.reporter.report(ProgressEvent::Warning {
            message: format!("`{name}` is left out below `/.well-known/`: {reason}"),
            help: Some("the site's registry still has it".into()),
        });
    }
}

/// Warns of a skill that clients of discovery 0.1 do not find, because a web server must not serve its files as they are.
pub(super) fn warn_of_archive_only(context: &CommandContext<'_>, name: &SkillName, tree: &Tree) {
    let mut active = active_files(tree);
    let Some(first) = active.next() else {
        return;
    };
    let more = match active.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };

    context.reporter.report(ProgressEvent::Warning {
        message: format!(
            "`{name}` is offered as an archive only: a web server could run `{first}`{more} as a page of the site"
        ),
        help: Some("clients of discovery 0.1, which read single files, do not list it".into()),
    });
}

/// Parses a skill without a `SKILL.md`; `None` if it has one, or is no skill that any agent lists.
fn read_other_format(name: &SkillName, tree: &Tree) -> Option<Skill> {
    formats::read_tree(tree, name.as_str())?
        .skill
        .filter(|skill| skill.format != SkillFormat::SkillMd)
}

/// Parses a skill, which must have this name.
fn read_skill(name: &SkillName, tree: &Tree) -> Result<Skill> {
    let source = tree
        .get("SKILL.md")
        .ok_or_else(|| Error::negative(format!("`SKILL.md` of `{name}` not found")))?;
    let reading = skill::read(source, name.as_str());

    let skill = reading.skill.ok_or_else(|| {
        let reason = reading
            .diagnostics
            .first()
            .map_or(String::new(), |found| format!(": {}", found.message));
        Error::negative(format!("invalid skill `{name}`{reason}"))
    })?;

    // Agents use the name in the file, so that the skill would have another name there.
    if skill.name != name.as_str() {
        let found = skill.name.escape_debug().to_string();
        return Err(Error::negative(format!(
            "name mismatch: the `SKILL.md` of `{name}` has the name `{found}`"
        ))
        .help("use the same name for both"));
    }

    Ok(skill)
}

/// The newest version that is not withdrawn; a pre-release only if there is no other.
fn newest_version(entries: &[IndexEntry]) -> Option<&IndexEntry> {
    let available = entries.iter().filter(|entry| !entry.is_withdrawn());
    available.max_by_key(|entry| (entry.vers.pre.is_empty(), &entry.vers))
}

/// A page of which the files of the package are not read yet.
struct PendingPage {
    page: PackagePage,
    directory: SkillName,
    tree: Tree,
    /// What its own file says; `None` if it is invalid.
    skill: Option<Skill>,
}

impl PendingPage {
    /// What the lists say of it, and its files.
    fn render(&self) -> (PackageRow, SiteFiles) {
        let mut page = self.page.clone();
        package_facts::add_tree(
            &mut page,
            self.directory.as_str(),
            &self.tree,
            self.skill.as_ref(),
        );
        (page.row.clone(), page.to_files())
    }
}

/// What the rest of a registry says of one package.
struct PackageContext {
    /// Whether another package has a skill of the same name.
    is_ambiguous: bool,
    /// The trusted key that signed the newest version.
    signer: Option<KeyFingerprint>,
}

/// A registry, and the sources to fetch its packages from.
struct SiteRegistry<'r, 's> {
    /// The name of the site.
    title: String,
    /// The name of the registry in settings.
    name: &'r str,
    index: &'r Index<'s>,
    sources: &'r PackageSources<'s>,
    reporter: &'r dyn EventReporter,
    names: BTreeSet<&'r PackageName>,
    dependents: DependentPackages,
}

impl SiteRegistry<'_, '_> {
    /// The keys that signed the newest versions of packages, by name, if trusted ones did.
    fn verify_newest(
        &self,
        lookups: &[IndexLookup],
    ) -> Result<BTreeMap<PackageName, KeyFingerprint>> {
        let newest: Vec<&IndexEntry> = lookups
            .iter()
            .filter_map(|lookup| newest_version(&lookup.entries))
            .collect();
        // Without keys of the reader, those that the index itself lists.
        let asked: Vec<_> = newest.iter().map(|entry| (*entry, &[][..])).collect();

        let mut signers = BTreeMap::new();
        for (entry, status) in newest.iter().zip(self.index.verify_entries(&asked)) {
            if let Ok(key) = status?.verdict {
                signers.insert(entry.name.clone(), key);
            }
        }
        Ok(signers)
    }

    /// The page of a package, with what the index says of its newest version.
    fn newest_page(&self, entry: &IndexEntry, history: VersionHistory<'_>) -> Result<PackagePage> {
        let mut facts = Vec::new();
        let commit_url = entry.src.as_ref().map(|src| src.git.to_string());
        let repository = entry.repository.clone().or_else(|| commit_url.clone());
        facts.extend(repository.clone().map(|url| ("Repository".to_owned(), url)));

        let owners = self.index.owners(&entry.name)?.unwrap_or_default();
        if !owners.is_empty() {
            facts.push(("Owners".to_owned(), owners.join(", ")));
        }

        facts.push(("Checksum".to_owned(), entry.cksum.to_string()));
        if let Some(src) = &entry.src {
            let elsewhere = commit_url.filter(|url| repository.as_ref() != Some(url));
            facts.extend(elsewhere.map(|url| ("Published from".to_owned(), url)));
            facts.push(("Commit".to_owned(), src.rev.clone()));
            let path = src
                .path
                .iter()
                .map(|path| ("Directory".to_owned(), path.to_string()));
            facts.extend(path);
        }

        Ok(PackagePage {
            site: self.title.clone(),
            archive: copied_archive(entry),
            row: PackageRow {
                name: entry.name.to_string(),
                slug: entry.name.to_string(),
                version: Some(entry.vers.to_string()),
                description: entry.description.clone().unwrap_or_default(),
                tags: entry.keywords.clone(),
                license: entry.license.clone(),
                published: entry.published_at(),
                ..PackageRow::default()
            },
            versions: history.into_rows(),
            dependencies: dependents::needed_by(entry, |name| self.names.contains(name)),
            dependents: self.dependents.of_package(&entry.name),
            facts,
            ..PackagePage::default()
        })
    }

    /// The page of a package of which every version is withdrawn; `None` if it has no readable version.
    fn withdrawn_page(&self, history: VersionHistory<'_>) -> Result<Option<PackagePage>> {
        let Some(entry) = history.entries().last().copied() else {
            return Ok(None);
        };
        let mut page = self.newest_page(entry, history)?;
        page.notice = Some("Every version of this package is withdrawn.".to_owned());
        page.row.version = None;
        // Old lockfiles still get it; a page does not offer it.
        page.archive = None;
        Ok(Some(page))
    }

    /// The files of a version: from its archive if it has one, else from the commit it was
    /// published from.
    fn fetch_tree(&self, entry: &IndexEntry, archive: Option<Vec<u8>>) -> Result<Tree> {
        // The archive is already downloaded.
        if let Some(archive) = archive {
            self.reporter.report(ProgressEvent::Fetching {
                what: format!("{} {}", entry.name, entry.vers),
            });
            return PackageSources::unpack_archive(entry, &archive);
        }

        let summary = PackageSummary {
            name: entry.name.clone(),
            version: Some(entry.vers.clone()),
            source: SourceId::Registry(self.index.url().to_owned()),
            subdir: None,
            dependencies: Some(Vec::new()),
            yanked: false,
            published: None,
        };

        match self.sources.read(&[summary], &[None]).remove(0) {
            Ok(fetched) => Ok(fetched.tree),
            Err(FetchError::Failed(error)) => Err(error),
            Err(FetchError::Unavailable(reason)) => Err(Error::negative(reason)),
        }
    }
}
