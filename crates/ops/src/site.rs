//! `registry site`: a directory of static files that offers skills to whoever can ask a web server for a file.
//!
//! | made from | holds |
//! |---|---|
//! | the members of the workspace here, or the package, or what the project installed | a page, and the lists below `/.well-known/` |
//! | a registry | that for the newest version of each package, and the registry itself: `sparse+https://…` reads it |
//!
//! The directory is replaced as a whole, and only if all in it was written by this command: `.skillpm-site` lists that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::Context;
use super::package::{self, Neighbours};
use super::stage::{Stage, Writer};
use crate::advisory::pack;
use crate::error::{Error, Result};
use crate::index::{Entry, Index, IndexConfig, archive_path, entry_path};
use crate::io::disk;
use crate::package::{Checksum, PackageName, SiteUrl, SkillName, SourceId, Summary, Tree};
use crate::report::{Event, Reporter};
use crate::site::{About, Offered, Offering, Page, Row, WellKnown};
use crate::skill::{self, Skill};
use crate::sources::{Lack, Sources};
use crate::workspace::{Sort, Workspace};

/// How many packages of a registry are worked on together.
const WAVE: usize = 32;

/// Where a registry's archives stand in a site.
const ARCHIVES: &str = "archives/{name}-{version}.tar.gz";

/// What to make, and where.
#[derive(Debug, Clone)]
pub struct SiteOptions {
    /// The directory to write, which is new, empty, or an earlier site.
    pub out: PathBuf,
    /// The registry to make it from; `None` for what is here.
    pub registry: Option<String>,
    /// Where it will be served, if that is known.
    pub base: Option<SiteUrl>,
}

/// What was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The directory.
    pub out: PathBuf,
    /// How many skills are offered below `/.well-known/`.
    pub skills: usize,
    /// How many packages of a registry are in it.
    pub packages: usize,
    /// How many versions they have.
    pub versions: usize,
    /// How many files were written.
    pub files: usize,
    /// How many bytes they have.
    pub bytes: u64,
}

/// Writes a static site of the skills that are here, or of a registry.
///
/// # Errors
/// If there is nothing to offer, something cannot be read, an archive is not what its registry says, or the directory
/// holds anything that this command did not write. Then nothing was changed.
pub fn site(context: &Context<'_>, options: &SiteOptions) -> Result<Site> {
    let out = disk::normal_path(&context.places.here.join(&options.out));
    if context.places.here.starts_with(&out) {
        return Err(Error::usage(format!("`{}` holds the directory you are in, and would be replaced", out.display()))
            .help("name a directory of its own: `skillpm registry site public`"));
    }
    let stage = Stage::begin(Writer::RegistrySite, &out, context.patience(), context.reporter)?;
    let mut making = Making {
        context,
        stage,
        offered: WellKnown::new(options.base.clone()),
        page: Page { title: "Skills".into(), base: options.base.clone(), rows: Vec::new() },
        made: Site { out: out.clone(), skills: 0, packages: 0, versions: 0, files: 0, bytes: 0 },
    };
    match &options.registry {
        Some(name) => making.registry(name)?,
        None => making.here()?,
    }
    making.finish()
}

/// A site in the making.
struct Making<'c> {
    context: &'c Context<'c>,
    stage: Stage,
    offered: WellKnown,
    page: Page,
    made: Site,
}

impl Making<'_> {
    fn finish(mut self) -> Result<Site> {
        if self.made.skills == 0 && self.made.packages == 0 {
            return Err(Error::negative("there is no skill to offer"));
        }
        self.page.rows.sort_by(|a, b| a.name.cmp(&b.name));
        self.stage.put_all(self.offered.finish())?;
        self.stage.put("index.html", self.page.to_html().as_bytes())?;
        // Some hosts leave out what begins with a dot unless they are told not to.
        self.stage.put(".nojekyll", b"")?;
        let (files, bytes) = self.stage.finish()?;
        Ok(Site { files, bytes, ..self.made })
    }

    /// Offers what is here: the members of a workspace, else a package, else what a project has installed, else the skills
    /// that lie about as in any repository of skills.
    fn here(&mut self) -> Result<()> {
        let here = self.context.places.here.clone();
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let Some(workspace) = self.context.project()? else {
            return self.loose(&here);
        };
        let root = workspace.root.clone();
        let neighbours = Neighbours::around(self.context, &root)?;
        if !neighbours.members().is_empty() {
            for member in neighbours.members() {
                let version = member.version.as_ref().map(ToString::to_string);
                self.own(&neighbours, (&member.name, version), &member.place(&root))?;
            }
            return Ok(());
        }
        let manifest = workspace.manifest(&registries)?;
        if let Some(package) = &manifest.package {
            let version = package.version.as_ref().map(ToString::to_string);
            return self.own(&neighbours, (&package.name, version), &root);
        }
        if workspace.sort == Sort::Project && manifest.dependencies.is_empty() {
            return self.loose(&root);
        }
        self.installed(&workspace, &root.join(manifest.install.dir.to_path()))
    }

    /// The skills in a directory without a manifest that says which.
    fn loose(&mut self, root: &Path) -> Result<()> {
        let tools = self.context.tools()?;
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let sources = Sources::new(&tools, root, &registries, self.context.reporter);
        for found in sources.discover_path(".")? {
            let dir = found.dir.as_ref().map_or(root.to_owned(), |dir| root.join(dir.to_path()));
            // What an agent's directory holds was installed there, from somewhere else.
            if found.dir.as_ref().is_some_and(|dir| dir.as_str().starts_with('.')) {
                continue;
            }
            let name: PackageName = found.skill?.name.parse()?;
            self.own(&Neighbours::around(self.context, &dir)?, (&name, None), &dir)?;
        }
        Ok(())
    }

    /// One skill that is written here.
    fn own(
        &mut self,
        neighbours: &Neighbours,
        (name, version): (&PackageName, Option<String>),
        dir: &Path,
    ) -> Result<()> {
        if self.made.out.starts_with(dir) {
            return Err(Error::usage(format!(
                "`{}` lies inside the skill `{name}`, and would become a part of it",
                self.made.out.display()
            ))
            .help("name a directory beside it, such as `../public`"));
        }
        let tree = package::files(self.context, neighbours, dir)?;
        self.plain(name.skill(), version, &tree)
    }

    /// What a project installed, as it stands there.
    fn installed(&mut self, workspace: &Workspace, dir: &Path) -> Result<()> {
        for locked in workspace.required_lockfile()?.packages() {
            let name = locked.install_name();
            let place = dir.join(name.as_str());
            if disk::lstat(&place)?.is_none() {
                return Err(Error::negative(format!("`{name}` is not installed")).help("run `skillpm install` first"));
            }
            let tree = disk::read_tree(&disk::real_path(&place))?;
            if Checksum::of(&tree) != locked.checksum {
                self.context.reporter.report(Event::Warning {
                    message: format!("`{name}` was edited, and is offered as it is"),
                    help: Some("`skillpm verify` shows the edits".into()),
                });
            }
            self.plain(name, locked.version.as_ref().map(ToString::to_string), &tree)?;
        }
        Ok(())
    }

    /// Offers a skill that has no registry's package around it.
    fn plain(&mut self, name: &SkillName, version: Option<String>, tree: &Tree) -> Result<()> {
        let skill = read(name, tree)?;
        self.stage.put_all(self.offered.add(&Offered {
            name,
            description: &skill.description,
            tree,
            about: About::default(),
        })?)?;
        self.made.skills += 1;
        self.page.rows.push(Row {
            name: name.to_string(),
            version: version.or(skill.version),
            description: skill.description,
            keywords: skill.tags,
            license: skill.license,
            skill: Some(name.to_string()),
            ..Row::default()
        });
        Ok(())
    }

    /// A registry: its own files, and the newest version of each package for those who do not know registries.
    fn registry(&mut self, name: &str) -> Result<()> {
        let url = self.context.config.registry(Some(name))?;
        let tools = self.context.tools()?;
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let sources = Sources::new(&tools, &self.context.places.here, &registries, self.context.reporter);
        let index = sources.index(&url)?;
        let registry = Registry { index: &index, sources: &sources, reporter: self.context.reporter };
        let names = index.names();
        if names.is_empty() {
            return Err(Error::negative(format!("registry `{name}` has no packages, or cannot list them"))
                .note(format!("its index is `{url}`"))
                .help("an index in a directory or a git repository can be listed"));
        }
        let config = IndexConfig { dl: Some(ARCHIVES.to_owned()), ..index.config().clone() };
        if index.config().advisories {
            let all = index.file(&pack::path())?.unwrap_or_default();
            self.stage.put(&pack::path(), &all)?;
        }
        let config = serde_json::to_string(&config).expect("a config is JSON");
        self.stage.put("config.json", format!("{config}\n").as_bytes())?;
        let mut bearers: BTreeMap<&SkillName, usize> = BTreeMap::new();
        names.iter().for_each(|name| *bearers.entry(name.skill()).or_default() += 1);
        for wave in names.chunks(WAVE) {
            let lookups = index.lookup_all(wave);
            for ((package, file), lookup) in wave.iter().zip(index.files(wave)).zip(lookups) {
                let (Some(file), lookup) = (file?, lookup?) else { continue };
                for skipped in lookup.skipped {
                    self.context.reporter.report(Event::warning(format!("copied unread: {skipped}")));
                }
                self.stage.put(&entry_path(package), &file)?;
                let newest = newest(&lookup.entries);
                let archive = self.archives(&registry, &lookup.entries, newest)?;
                self.made.packages += 1;
                self.made.versions += lookup.entries.len();
                if let Some(newest) = newest {
                    let tree = registry.tree(newest, archive)?;
                    self.newest((newest, &tree), &lookup.entries, bearers[package.skill()] > 1)?;
                }
            }
        }
        let mut search = Vec::new();
        index.write_jsonl(&self.context.tables(&tools), &mut search)?;
        self.stage.put("search.jsonl", &search)
    }

    /// The archives of all versions, those that were withdrawn too: old lockfiles need them. Gives that of the newest.
    fn archives(
        &mut self,
        registry: &Registry<'_, '_>,
        entries: &[Entry],
        newest: Option<&Entry>,
    ) -> Result<Option<Vec<u8>>> {
        let mut kept = None;
        let served: Vec<&Entry> = entries.iter().filter(|entry| entry.archive.is_some()).collect();
        let jobs = usize::try_from(self.context.config.number("net.jobs")).unwrap_or(1).max(1);
        for wave in served.chunks(jobs) {
            for (&entry, bytes) in wave.iter().zip(registry.sources.archives(registry.index.url(), wave)) {
                let bytes = bytes.map_err(|error| error.help("nothing was written; tell the registry's owners"))?;
                self.stage.put(&archive_path(ARCHIVES, entry), &bytes)?;
                if newest == Some(entry) {
                    kept = Some(bytes);
                }
            }
        }
        Ok(kept)
    }

    /// Offers the newest version of a package as a skill. Where several packages have skills of that name, the one without
    /// a scope has it, and no other.
    fn newest(&mut self, (entry, tree): (&Entry, &Tree), all: &[Entry], is_clash: bool) -> Result<()> {
        let skill = entry.name.skill();
        let mut row = Row {
            name: entry.name.to_string(),
            version: Some(entry.vers.to_string()),
            description: entry.description.clone().unwrap_or_default(),
            keywords: entry.keywords.clone(),
            license: entry.license.clone(),
            spec: Some(entry.name.to_string()),
            versions: versions(all),
            ..Row::default()
        };
        match read(skill, tree) {
            Err(error) => self.left_out(&entry.name, &error.to_string()),
            Ok(_) if is_clash && entry.name.scope().is_some() => {
                self.left_out(&entry.name, "another package's skill has that name");
            }
            Ok(read) => {
                let offered = Offered { name: skill, description: &read.description, tree, about: About::default() };
                self.stage.put_all(self.offered.add(&offered)?)?;
                self.made.skills += 1;
                row.skill = Some(skill.to_string());
                row.spec = None;
                if row.description.is_empty() {
                    row.description = read.description;
                }
            }
        }
        self.page.rows.push(row);
        Ok(())
    }

    fn left_out(&self, name: &PackageName, why: &str) {
        self.context.reporter.report(Event::Warning {
            message: format!("`{name}` is not offered below `/.well-known/`: {why}"),
            help: Some("the site's registry has it all the same".into()),
        });
    }
}

/// What a skill says of itself, which must be that it has this name.
fn read(name: &SkillName, tree: &Tree) -> Result<Skill> {
    let source = tree.get("SKILL.md").ok_or_else(|| Error::negative(format!("`{name}` has no `SKILL.md`")))?;
    let reading = skill::read(source, name.as_str());
    let skill = reading.skill.ok_or_else(|| {
        let why = reading.diagnostics.first().map_or(String::new(), |found| format!(": {}", found.message));
        Error::negative(format!("no agent would list `{name}`{why}"))
    })?;
    if skill.name != name.as_str() {
        let found = skill.name.escape_debug().to_string();
        return Err(Error::negative(format!("the `SKILL.md` of `{name}` says that its name is `{found}`"))
            .help("a site can offer it only if both are the same"));
    }
    Ok(skill)
}

/// The newest version that was not withdrawn; a pre-release only where there is nothing else.
fn newest(entries: &[Entry]) -> Option<&Entry> {
    let had = entries.iter().filter(|entry| !entry.is_withdrawn());
    had.max_by_key(|entry| (entry.vers.pre.is_empty(), &entry.vers))
}

fn versions(entries: &[Entry]) -> Vec<(String, bool)> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|a, b| b.vers.cmp(&a.vers));
    sorted.into_iter().map(|entry| (entry.vers.to_string(), entry.is_withdrawn())).collect()
}

/// A registry, and what it takes to bring its packages.
struct Registry<'r, 's> {
    index: &'r Index<'s>,
    sources: &'r Sources<'s>,
    reporter: &'r dyn Reporter,
}

impl Registry<'_, '_> {
    /// The files of a version: of its archive if it has one, else from the commit that it was published from.
    fn tree(&self, entry: &Entry, archive: Option<Vec<u8>>) -> Result<Tree> {
        if let Some(archive) = archive {
            self.reporter.report(Event::Fetching { what: format!("{} {}", entry.name, entry.vers) });
            return Sources::unpack(entry, &archive);
        }
        let summary = Summary {
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
            Err(Lack::Failed(error)) => Err(error),
            Err(Lack::Unavailable(reason)) => Err(Error::negative(reason)),
        }
    }
}
