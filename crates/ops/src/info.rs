//! `info`: what is known of a package before anything of it is installed. Nothing is written, locked or kept.

use semver::{Version, VersionReq};

use super::Context;
use super::policy::Effective;
use super::search::{Installed, Registry, installed, locks};
use crate::catalog::Tier;
use crate::error::{Error, Kind, Result, nearest};
use crate::index::Entry;
use crate::index::search::{Query, near_names};
use crate::lockfile::{Locked, Lockfile};
use crate::package::{
    Checksum, Dependency, GitReference, GitUrl, PackageName, PackageSpec, RelPath, SiteUrl, SkillName, SourceId,
};
use crate::provenance::{Verdict, Vouched};
use crate::report::Event;
use crate::sources::{Choice, Fetched, FoundSkill, Lack, Offer, Question, Sources, Tools};
use crate::workspace::Sort;

/// What to tell of.
#[derive(Debug, Clone)]
pub struct InfoOptions {
    /// The package.
    pub spec: PackageSpec,
    /// The registry to look in; `None` for the default one, then the others.
    pub registry: Option<String>,
    /// Which skill of a source with many.
    pub skill: Option<String>,
}

/// What is known.
#[derive(Debug, Clone, PartialEq)]
pub enum Info {
    /// Of one package.
    Package(Box<Facts>),
    /// Of a source with many skills: where it is, and what it has.
    Skills(String, Vec<Listed>),
}

/// One skill of several in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its name, or its directory if it cannot be loaded.
    pub name: String,
    /// Its directory in the source; empty for the source itself.
    pub path: String,
    /// What it is for, or why it cannot be loaded.
    pub description: String,
}

/// All that is known of one version of a package.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    /// The package's name.
    pub name: String,
    /// The version that would be installed; `None` where its source states none.
    pub version: Option<Version>,
    /// Whether that version was withdrawn.
    pub yanked: bool,
    /// What it is for.
    pub description: Option<String>,
    /// Its licence.
    pub license: Option<String>,
    /// Words to find it by.
    pub keywords: Vec<String>,
    /// Its page or repository, as it says itself.
    pub homepage: Option<String>,
    /// Where it comes from, as a lockfile says it.
    pub source: String,
    /// The registry, for a package of one.
    pub registry: Option<Registry>,
    /// The repository it can be had from: its URL, the commit, the directory.
    pub git: Option<(String, String, Option<String>)>,
    /// What it needs.
    pub dependencies: Vec<Need>,
    /// The checksum of its files.
    pub checksum: Option<Checksum>,
    /// The digest of its archive.
    pub archive: Option<String>,
    /// When it was published, as RFC 3339.
    pub published: Option<String>,
    /// All versions, newest first.
    pub versions: Vec<Offered>,
    /// Who vouches for it: a key, or why there is none where one is expected; `None` where nothing is expected.
    pub signed: Option<Verdict>,
    /// Who may publish it; `None` where nobody says.
    pub owners: Option<Vec<String>>,
    /// Where it is installed.
    pub installed: Vec<Installed>,
    /// Who asks for it here.
    pub asked_by: Vec<Asker>,
}

/// Something that a package needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Need {
    /// The package.
    pub name: String,
    /// Which versions.
    pub req: String,
    /// Where it comes from, if not from the same place.
    pub source: Option<String>,
}

/// One version there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offered {
    /// The version.
    pub version: Version,
    /// Whether it was withdrawn.
    pub yanked: bool,
    /// When it was published, as RFC 3339.
    pub published: Option<String>,
}

/// Somebody here who asks for a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asker {
    /// The tier whose project it is.
    pub tier: Tier,
    /// `skillpm.toml`, or a package and its version.
    pub who: String,
    /// Which versions, where that is known.
    pub req: Option<String>,
}

/// Tells what is known of a package.
///
/// # Errors
/// If there is no such package or version, or its source cannot be read.
pub fn info(context: &Context<'_>, options: &InfoOptions) -> Result<Info> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &context.places.here, &registries, context.reporter);
    let teller = Teller { context, options, tools: &tools, sources: &sources, locks: locks(context)? };
    let info = match &options.spec {
        PackageSpec::Registry { name, req } => teller.registry(name, req.as_ref()),
        PackageSpec::Git { url, reference, subdir, req } => teller.git(url, reference, subdir.as_ref(), req.as_ref()),
        PackageSpec::Path(path) => teller.path(path),
        PackageSpec::Archive(place) => teller.archive(place),
        PackageSpec::WellKnown(site) => teller.site(site),
    };
    context.reporter.report(Event::Fetched);
    info
}

struct Teller<'t, 's> {
    context: &'t Context<'t>,
    options: &'t InfoOptions,
    tools: &'t Tools,
    sources: &'t Sources<'s>,
    locks: Vec<(Tier, Lockfile)>,
}

impl Teller<'_, '_> {
    fn registry(&self, name: &PackageName, req: Option<&VersionReq>) -> Result<Info> {
        let config = &self.context.config;
        let names = match &self.options.registry {
            Some(registry) => vec![registry.clone()],
            None => config.registry_names(),
        };
        let mut missing = None;
        for (at, registry) in names.into_iter().enumerate() {
            let registry = Registry { index: config.registry(Some(&registry))?, name: registry };
            match self.in_registry(&registry, name, req) {
                Ok(Some(facts)) => return Ok(Info::Package(Box::new(facts))),
                Ok(None) if missing.is_none() => missing = Some(registry),
                Ok(None) => {}
                // A registry further down that cannot be reached hides nothing that was asked for.
                Err(error) if at == 0 || error.kind() != Kind::Network => return Err(error),
                Err(error) => {
                    let message = format!("registry `{}` was not asked: {error}", registry.name);
                    self.context.reporter.report(Event::warning(message));
                }
            }
        }
        let registry = missing.ok_or_else(|| Error::internal("no registry was asked"))?;
        Err(self.unknown(&registry, name))
    }

    /// What a registry knows of a package; `None` if it does not have it.
    fn in_registry(&self, registry: &Registry, name: &PackageName, req: Option<&VersionReq>) -> Result<Option<Facts>> {
        let index = self.sources.index(&registry.index)?;
        let lookup = index.lookup(name)?;
        for skipped in lookup.skipped {
            self.context.reporter.report(Event::warning(format!("passed over {skipped}")));
        }
        if lookup.entries.is_empty() {
            return Ok(None);
        }
        let mut entries = lookup.entries;
        entries.sort_by(|a, b| b.vers.cmp(&a.vers));
        let chosen = choose(&entries, req).ok_or_else(|| no_version(name, req, &entries))?;
        let mut facts = of_entry(chosen, &registry.index);
        facts.versions = entries.iter().map(offered).collect();
        let keys = self.policy()?.signers(&SourceId::Registry(registry.index.clone()));
        facts.signed = told(index.vouched(&[(chosen, keys.as_slice())]).remove(0)?);
        facts.owners = index.owners(name)?;
        facts.installed = installed(&self.locks, &registry.index, &facts.name);
        facts.asked_by = self.asked_by(|source, package, _| {
            package == name && matches!(source, SourceId::Registry(index) if *index == registry.index)
        })?;
        facts.registry = Some(registry.clone());
        Ok(Some(facts))
    }

    fn unknown(&self, registry: &Registry, name: &PackageName) -> Error {
        let error = Error::negative(format!("registry `{}` has no package `{name}`", registry.name));
        let near = self.near(registry, name).unwrap_or_default();
        let error = match near.as_slice() {
            [] => error.help("`skillpm search WORD` looks through all registries"),
            near => error.help(format!("did you mean `{}`?", near.join("`, `"))),
        };
        match name.scope() {
            Some(_) => error.help(format!("for the repository on GitHub write `gh:{name}`")),
            None => error.help(format!("a directory is written `./{name}`, a repository `gh:owner/repo`")),
        }
    }

    /// The names that were probably meant; where an index cannot be listed, out of its table.
    fn near(&self, registry: &Registry, name: &PackageName) -> Result<Vec<String>> {
        let index = self.sources.index(&registry.index)?;
        let names = index.names();
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let near = nearest(&name.to_string(), names.iter().map(String::as_str));
            return Ok(near.into_iter().map(str::to_owned).collect());
        }
        let mut kept: Vec<_> = self.context.tables(self.tools).take(index.url()).into_iter().collect();
        Ok(near_names(&mut kept, &Query::new(&[name.to_string()]), 3).unwrap_or_default())
    }

    fn git(
        &self,
        url: &GitUrl,
        reference: &GitReference,
        subdir: Option<&RelPath>,
        req: Option<&VersionReq>,
    ) -> Result<Info> {
        self.refuse_registry()?;
        let choice = self.options.skill.iter().cloned().collect::<Vec<_>>();
        let choice = if choice.is_empty() { Choice::Open } else { Choice::Named(choice) };
        let found = self.sources.discover(url, (reference, req), subdir, &choice)?;
        let found = match self.one_of(found, url.as_str())? {
            Ok(found) => found,
            Err(listed) => return Ok(Info::Skills(url.to_string(), listed)),
        };
        let source = SourceId::Git { url: url.clone(), reference: reference.clone() };
        let needed = needed(&found, source, req)?;
        let mut facts = self.facts(&needed)?;
        let by_tag =
            Dependency { source: SourceId::Git { url: url.clone(), reference: GitReference::Versions }, ..needed };
        let versions = self.sources.look(&[by_tag]).remove(0).map(|look| look.versions).unwrap_or_default();
        let offered = |version| Offered { version, yanked: false, published: None };
        facts.versions = versions.into_iter().rev().map(offered).collect();
        Ok(Info::Package(Box::new(facts)))
    }

    fn path(&self, typed: &str) -> Result<Info> {
        self.refuse_registry()?;
        let path = if typed.starts_with('~') { self.context.expand(typed).display().to_string() } else { typed.into() };
        let found = match self.one_of(self.sources.discover_path(&path)?, typed)? {
            Ok(found) => found,
            Err(listed) => return Ok(Info::Skills(typed.to_owned(), listed)),
        };
        let place = match &found.dir {
            Some(dir) => format!("{}/{dir}", path.trim_end_matches('/')),
            None => path,
        };
        let needed = Dependency { subdir: None, ..needed(&found, SourceId::path(&place), None)? };
        Ok(Info::Package(Box::new(self.facts(&needed)?)))
    }

    fn site(&self, site: &SiteUrl) -> Result<Info> {
        self.refuse_registry()?;
        let listed = self.sources.listed(site)?.into_iter();
        let listed =
            listed.map(|(name, description)| Listed { name: name.to_string(), path: String::new(), description });
        let found = match self.one_listed(listed.collect(), &site.spelled())? {
            Ok(found) => found,
            Err(listed) => return Ok(Info::Skills(site.spelled(), listed)),
        };
        let name: SkillName = found.name.parse()?;
        let needed = plain(name, SourceId::WellKnown(site.clone()), None);
        Ok(Info::Package(Box::new(self.facts(&needed)?)))
    }

    fn archive(&self, typed: &str) -> Result<Info> {
        self.refuse_registry()?;
        let is_home = typed.starts_with('~');
        let place = if is_home { self.context.expand(typed).display().to_string() } else { typed.to_owned() };
        let any: SkillName = "skill".parse()?;
        let needed = plain(any, SourceId::Archive(place), None);
        Ok(Info::Package(Box::new(self.facts(&needed)?)))
    }

    fn refuse_registry(&self) -> Result<()> {
        match &self.options.registry {
            None => Ok(()),
            Some(_) => Err(Error::usage("`--registry` is for packages by name").help("leave it out")),
        }
    }

    /// The one skill that is meant, or the list of all where that is open.
    fn one_of(&self, mut found: Vec<FoundSkill>, place: &str) -> Result<Result<FoundSkill, Vec<Listed>>> {
        let listed: Vec<Listed> = found.iter().map(listed).collect();
        Ok(match self.choose(&listed, place)? {
            Some(at) => Ok(found.swap_remove(at)),
            None => Err(listed),
        })
    }

    /// The same of a list without the skills themselves.
    fn one_listed(&self, mut listed: Vec<Listed>, place: &str) -> Result<Result<Listed, Vec<Listed>>> {
        Ok(match self.choose(&listed, place)? {
            Some(at) => Ok(listed.swap_remove(at)),
            None => Err(listed),
        })
    }

    fn choose(&self, listed: &[Listed], place: &str) -> Result<Option<usize>> {
        let Some(name) = &self.options.skill else { return Ok((listed.len() == 1).then_some(0)) };
        let is_meant = |listed: &Listed| listed.name == *name || listed.path.rsplit('/').next() == Some(name);
        let at = listed.iter().position(is_meant).ok_or_else(|| {
            let error = Error::negative(format!("there is no skill `{}` in `{place}`", name.escape_debug()));
            match nearest(name, listed.iter().map(|listed| listed.name.as_str())) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("`skillpm info {place}` lists what it has")),
            }
        })?;
        Ok(Some(at))
    }

    /// What is known of the newest package that fits, from the package itself.
    fn facts(&self, needed: &Dependency) -> Result<Facts> {
        let fetched = self.bring(needed)?;
        let summary = &fetched.summary;
        let skill = fetched.skill.as_ref();
        let name = skill.map_or_else(|| summary.name.to_string(), |skill| skill.name.clone());
        let place = |need: &Dependency| (!need.source.same_place(&summary.source)).then(|| need.source.to_string());
        let needs = summary.dependencies.iter().flatten().map(|need| Need {
            name: need.package.to_string(),
            req: need.req.to_string(),
            source: place(need),
        });
        let is_it = |source: &SourceId, _: &PackageName, subdir: Option<&RelPath>| {
            source.same_place(&needed.source) && subdir == summary.subdir.as_ref()
        };
        let git = match (&summary.source, &fetched.origin.commit) {
            (SourceId::Git { url, .. }, Some(commit)) => {
                Some((url.to_string(), commit.clone(), summary.subdir.as_ref().map(ToString::to_string)))
            }
            _ => None,
        };
        Ok(Facts {
            name,
            version: summary.version.clone(),
            description: skill.map(|skill| skill.description.clone()),
            license: skill.and_then(|skill| skill.license.clone()),
            keywords: skill.map(|skill| skill.tags.clone()).unwrap_or_default(),
            homepage: skill.and_then(|skill| skill.homepage.clone()),
            source: summary.source.to_string(),
            git,
            dependencies: needs.collect(),
            checksum: Some(Checksum::of(&fetched.tree)),
            archive: fetched.origin.archive.map(|digest| format!("sha256:{digest}")),
            signed: self.signed(&fetched)?,
            installed: self.installed(&is_it),
            asked_by: self.asked_by(is_it)?,
            ..Facts::default()
        })
    }

    /// What the policy here says of keys.
    fn policy(&self) -> Result<Effective> {
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let project = self.context.project()?;
        let policy = project.map(|project| project.manifest(&registries)).transpose()?.map(|manifest| manifest.policy);
        Effective::of(self.context, &policy.unwrap_or_default())
    }

    /// Who vouches for a package that was brought.
    fn signed(&self, fetched: &Fetched) -> Result<Option<Verdict>> {
        let keys = self.policy()?.signers(&fetched.summary.source);
        if keys.is_empty() {
            return Ok(None);
        }
        let package = fetched.locked(Checksum::of(&fetched.tree));
        let vouched = self.sources.vouched(&[Question { package: &package, keys }]).remove(0)?;
        Ok(told(vouched))
    }

    fn bring(&self, needed: &Dependency) -> Result<Fetched> {
        let mut fitting = Vec::new();
        for offer in self.sources.query(std::slice::from_ref(needed)).remove(0)? {
            match offer {
                Offer::Fetched(fetched) => return Ok(*fetched),
                Offer::Summary(summary) => fitting.push(*summary),
            }
        }
        fitting.retain(|summary| summary.version.as_ref().is_some_and(|version| needed.req.matches(version)));
        let newest = fitting.into_iter().max_by(|a, b| a.version.cmp(&b.version)).ok_or_else(|| {
            Error::negative(format!("no version of `{}` fits `{}`", needed.package, needed.req))
                .help("leave the version out to see which there are")
        })?;
        self.sources.read(&[newest], &[None]).remove(0).map_err(|lack| match lack {
            Lack::Failed(error) => error,
            Lack::Unavailable(reason) => Error::negative(format!("`{}` cannot be had: {reason}", needed.package)),
        })
    }

    fn installed(&self, is_it: &dyn Fn(&SourceId, &PackageName, Option<&RelPath>) -> bool) -> Vec<Installed> {
        let of_lock = |(tier, lock): &(Tier, Lockfile)| {
            let found =
                lock.packages().iter().filter(|locked| is_it(&locked.source, &locked.name, locked.path.as_ref()));
            let copy = |locked: &Locked| Installed {
                tier: *tier,
                name: locked.install_name().to_string(),
                version: Some(locked.revision()),
                location: None,
            };
            found.map(copy).collect::<Vec<_>>()
        };
        self.locks.iter().flat_map(of_lock).collect()
    }

    /// Who asks for the package that `is_it` knows: the manifests here, and packages that are locked.
    fn asked_by(&self, is_it: impl Fn(&SourceId, &PackageName, Option<&RelPath>) -> bool) -> Result<Vec<Asker>> {
        let mut askers = Vec::new();
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let project = self.context.project()?.map(|project| (Tier::Workspace, project));
        let managed = (Tier::Managed, self.context.workspace(Sort::Managed)?);
        for (tier, project) in project.into_iter().chain([managed]) {
            let asked = project.manifest(&registries)?.dependencies;
            let asked = asked.iter().filter(|asked| is_it(&asked.source, &asked.package, asked.subdir.as_ref()));
            askers.extend(asked.map(|asked| Asker {
                tier,
                who: crate::manifest::FILE.to_owned(),
                req: Some(asked.req.to_string()),
            }));
        }
        for (tier, lock) in &self.locks {
            let it = lock.packages().iter().filter(|locked| is_it(&locked.source, &locked.name, locked.path.as_ref()));
            for reference in it.map(Locked::reference) {
                let needing = lock.packages().iter().filter(|locked| locked.dependencies.contains(&reference));
                askers.extend(needing.map(|locked| Asker { tier: *tier, who: locked.reference(), req: None }));
            }
        }
        Ok(askers)
    }
}

fn told(vouched: Vouched) -> Option<Verdict> {
    Some(vouched.verdict).filter(|verdict| verdict.is_ok() || vouched.is_expected)
}

/// The version that would be installed: the newest that fits and was not withdrawn, else, so that there is something to
/// tell, the newest that was. Without a requirement a pre-release counts only where there is nothing else.
fn choose<'e>(newest_first: &'e [Entry], req: Option<&VersionReq>) -> Option<&'e Entry> {
    let fits = |entry: &&Entry| req.is_none_or(|req| req.matches(&entry.vers));
    let is_release = |entry: &&Entry| req.is_some() || entry.vers.pre.is_empty();
    let fitting = || newest_first.iter().filter(fits);
    let there = || fitting().filter(|entry| !entry.is_withdrawn());
    there().find(is_release).or_else(|| there().next()).or_else(|| fitting().next())
}

fn no_version(name: &PackageName, req: Option<&VersionReq>, newest_first: &[Entry]) -> Error {
    let req = req.map(ToString::to_string).unwrap_or_default();
    let error = Error::negative(format!("no version of `{name}` fits `{req}`"));
    match choose(newest_first, None) {
        Some(newest) => error.help(format!("`{}` is the newest: `skillpm info {name}`", newest.vers)),
        None => error,
    }
}

fn of_entry(entry: &Entry, index: &str) -> Facts {
    let needs = entry.deps.iter().map(|need| Need {
        name: need.name.to_string(),
        req: need.req.to_string(),
        source: need.registry.clone(),
    });
    let text = |key: &str| entry.rest.get(key).and_then(|value| value.as_str()).map(str::to_owned);
    Facts {
        name: entry.name.to_string(),
        version: Some(entry.vers.clone()),
        yanked: entry.is_withdrawn(),
        description: entry.description.clone(),
        license: entry.license.clone(),
        keywords: entry.keywords.clone(),
        homepage: text("repository").or_else(|| text("homepage")),
        source: SourceId::Registry(index.to_owned()).to_string(),
        git: entry
            .src
            .as_ref()
            .map(|src| (src.git.to_string(), src.rev.clone(), src.path.as_ref().map(ToString::to_string))),
        dependencies: needs.collect(),
        checksum: Some(entry.cksum),
        archive: entry.archive.clone(),
        published: entry.pubtime.clone(),
        ..Facts::default()
    }
}

fn offered(entry: &Entry) -> Offered {
    Offered { version: entry.vers.clone(), yanked: entry.is_withdrawn(), published: entry.pubtime.clone() }
}

fn listed(found: &FoundSkill) -> Listed {
    let path = found.dir.as_ref().map(ToString::to_string).unwrap_or_default();
    match &found.skill {
        Ok(skill) => Listed { name: skill.name.clone(), path, description: skill.description.clone() },
        Err(error) => Listed { name: path.clone(), path, description: format!("cannot be loaded: {error}") },
    }
}

/// The dependency that a manifest would have on a skill that was found.
fn needed(found: &FoundSkill, source: SourceId, req: Option<&VersionReq>) -> Result<Dependency> {
    let skill = found.skill.clone()?;
    let directory = found.dir.as_ref().map(|dir| dir.file_name().to_owned());
    let name = skill.name.parse::<SkillName>().or_else(|error| match directory {
        Some(directory) => directory.parse(),
        None => Err(error),
    })?;
    Ok(Dependency { subdir: found.dir.clone(), ..plain(name, source, req) })
}

/// A dependency on a skill by its name.
fn plain(name: SkillName, source: SourceId, req: Option<&VersionReq>) -> Dependency {
    Dependency {
        alias: name.clone(),
        package: name.into(),
        source,
        subdir: None,
        req: req.cloned().unwrap_or(VersionReq::STAR),
        dev: false,
        optional: false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(version: &str, yanked: bool) -> Entry {
        let digits = "0".repeat(64);
        let line = format!(
            r#"{{"name":"pdf","vers":"{version}","cksum":"skill-tree-v1:{digits}","archive":"sha256:{digits}","yanked":{yanked}}}"#
        );
        Entry::parse(&line, &"pdf".parse().unwrap()).unwrap()
    }

    #[test]
    fn the_version_told_of_is_the_one_that_would_be_installed() {
        for (versions, req, chosen) in [
            (&[("2.0.0-rc.1", false), ("1.1.0", true), ("1.0.0", false)][..], None, Some("1.0.0")),
            (&[("2.0.0-rc.1", false), ("1.1.0", true)], None, Some("2.0.0-rc.1")),
            (&[("1.1.0", true), ("1.0.0", true)], None, Some("1.1.0")),
            (&[("1.1.0", true), ("1.0.0", false)], Some("^1"), Some("1.0.0")),
            (&[("1.1.0", true), ("1.0.0", false)], Some("=1.1.0"), Some("1.1.0")),
            (&[("2.0.0-rc.1", false), ("1.0.0", false)], Some("^2.0.0-rc"), Some("2.0.0-rc.1")),
            (&[("1.0.0", false)], Some("^2"), None),
        ] {
            let entries: Vec<Entry> = versions.iter().map(|(version, yanked)| entry(version, *yanked)).collect();
            let req = req.map(|req| req.parse().unwrap());
            let found = choose(&entries, req.as_ref()).map(|entry| entry.vers.to_string());
            assert_eq!(found.as_deref(), chosen, "{versions:?} {req:?}");
        }
    }
}
