//! `info`: shows the metadata of a package without installing it. Nothing is written or locked.

use semver::{Version, VersionReq};

use super::CommandContext;
use super::add;
use super::policy::EffectivePolicy;
use super::search::{InstalledCopy, NamedRegistry, installed_copies, read_lockfiles};
use skillpm_catalog::catalog::Tier;
use skillpm_core::error::{Error, FailureKind, Result, nearest_name};
use skillpm_core::lockfile::{LockedPackage, Lockfile};
use skillpm_core::package::{
    Checksum, GitReference, GitUrl, PackageDependency, PackageName, PackageSpec, RelPath, SiteUrl,
    SkillName, SourceId,
};
use skillpm_core::provenance::{SignatureStatus, VerifyResult};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::index::IndexEntry;
use skillpm_registry::index::search::{SearchQuery, suggest_names};
use skillpm_registry::sources::{
    AvailableVersion, FetchError, FetchedPackage, FoundSkill, PackageSources, SignatureRequest,
    SkillSelection, SourceContext,
};
use skillpm_registry::workspace::WorkspaceKind;

/// Options of [`info`].
#[derive(Debug, Clone)]
pub struct InfoOptions {
    /// The package.
    pub spec: PackageSpec,
    /// The registry to search; `None` for the default one, then the others.
    pub registry: Option<String>,
    /// The skill to show, of a source with several.
    pub skill: Option<String>,
}

/// The result of [`info`].
#[derive(Debug, Clone, PartialEq)]
pub enum InfoReport {
    /// The metadata of one package.
    Package(Box<PackageInfo>),
    /// A source with several skills, and their list.
    Skills(String, Vec<SourceSkill>),
}

/// One skill of several in a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceSkill {
    /// Its name, or its directory if it cannot be loaded.
    pub name: String,
    /// Its directory in the source; empty for the source itself.
    pub path: String,
    /// Its description, or why it cannot be loaded.
    pub description: String,
}

/// The metadata of one version of a package.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PackageInfo {
    /// The package's name.
    pub name: String,
    /// The version that would be installed; `None` if its source has none.
    pub version: Option<Version>,
    /// Whether that version was yanked or revoked.
    pub yanked: bool,
    /// Its description.
    pub description: Option<String>,
    /// Its license.
    pub license: Option<String>,
    /// Its keywords for search.
    pub keywords: Vec<String>,
    /// Its page or repository, by its own metadata.
    pub homepage: Option<String>,
    /// Its source, as in a lockfile.
    pub source: String,
    /// The registry; `None` for another source.
    pub registry: Option<NamedRegistry>,
    /// Its git repository: URL, commit, directory.
    pub git: Option<(String, String, Option<String>)>,
    /// Its dependencies.
    pub dependencies: Vec<DependencyInfo>,
    /// The checksum of its files.
    pub checksum: Option<Checksum>,
    /// The digest of its archive.
    pub archive: Option<String>,
    /// When it was published, as RFC 3339.
    pub published: Option<String>,
    /// All versions, newest first.
    pub versions: Vec<VersionInfo>,
    /// The key that signed it, or why no valid signature was found; `None` if no signature is
    /// expected.
    pub signed: Option<VerifyResult>,
    /// The owners, who may publish it; `None` if the registry has no owners.
    pub owners: Option<Vec<String>>,
    /// The installed copies.
    pub installed: Vec<InstalledCopy>,
    /// The manifests and packages that depend on it here.
    pub required_by: Vec<DependentInfo>,
}

/// A dependency of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependencyInfo {
    /// The package's name.
    pub name: String,
    /// The version requirement.
    pub req: String,
    /// Its source, if it is another one.
    pub source: Option<String>,
}

/// One available version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VersionInfo {
    /// The version.
    pub version: Version,
    /// Whether it was yanked or revoked.
    pub yanked: bool,
    /// When it was published, as RFC 3339.
    pub published: Option<String>,
}

/// A manifest or locked package that depends on a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DependentInfo {
    /// The tier whose project it is.
    pub tier: Tier,
    /// `skillpm.toml`, or name and version of a package.
    pub who: String,
    /// The version requirement, if known.
    pub req: Option<String>,
}

/// Reads the metadata of a package.
///
/// # Errors
/// If the package or version is not found, or its source cannot be read.
pub fn info(context: &CommandContext<'_>, options: &InfoOptions) -> Result<InfoReport> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &context.dirs.cwd, &registries, context.reporter);

    let reader = InfoReader {
        context,
        options,
        tools: &tools,
        sources: &sources,
        locks: read_lockfiles(context)?,
    };

    let info = match &options.spec {
        PackageSpec::Registry { name, req } => reader.read_from_registries(name, req.as_ref()),
        PackageSpec::Git {
            url,
            reference,
            subdir,
            req,
        } => reader.read_from_repository(url, reference, subdir.as_ref(), req.as_ref()),
        PackageSpec::Path(path) => reader.read_from_directory(path),
        PackageSpec::Archive(place) => reader.read_from_archive(place),
        PackageSpec::WellKnown(site) => reader.read_from_site(site),
    };

    // Ends the progress display, also after an error.
    context.reporter.report(ProgressEvent::Fetched);
    info
}

struct InfoReader<'t, 's> {
    context: &'t CommandContext<'t>,
    options: &'t InfoOptions,
    tools: &'t SourceContext,
    sources: &'t PackageSources<'s>,
    locks: Vec<(Tier, Lockfile)>,
}

impl InfoReader<'_, '_> {
    fn read_from_registries(
        &self,
        name: &PackageName,
        req: Option<&VersionReq>,
    ) -> Result<InfoReport> {
        let config = &self.context.config;
        let names = match &self.options.registry {
            Some(registry) => vec![registry.clone()],
            None => config.registry_names(),
        };
        let mut missing = None;

        for (at, registry) in names.into_iter().enumerate() {
            let registry = NamedRegistry {
                index: config.registry(Some(&registry))?,
                name: registry,
            };
            match self.read_from_registry(&registry, name, req) {
                Ok(Some(info)) => return Ok(InfoReport::Package(Box::new(info))),
                Ok(None) if missing.is_none() => missing = Some(registry),
                Ok(None) => {}
                // Only the first registry has to be reachable: it alone can hide the others.
                Err(error) if at == 0 || error.kind() != FailureKind::Network => return Err(error),
                Err(error) => {
                    let message = format!("failed to query registry `{}`: {error}", registry.name);
                    self.context
                        .reporter
                        .report(ProgressEvent::warning(message));
                }
            }
        }

        let registry = missing.ok_or_else(|| Error::internal("no registry was queried"))?;
        Err(self.unknown_package_error(&registry, name))
    }

    /// Reads the metadata of a registry's package; `None` if the registry does not have it.
    fn read_from_registry(
        &self,
        registry: &NamedRegistry,
        name: &PackageName,
        req: Option<&VersionReq>,
    ) -> Result<Option<PackageInfo>> {
        let index = self.sources.open_index(&registry.index)?;
        let lookup = index.lookup(name)?;
        let first = lookup.skipped.first().cloned();

        for skipped in lookup.skipped {
            self.context
                .reporter
                .report(ProgressEvent::warning(format!("ignoring {skipped}")));
        }
        // Invalid lines are ignored with a warning, unless there are no others.
        if lookup.entries.is_empty() {
            return first.map_or(Ok(None), |reason| {
                Err(add::unreadable_package_error(name, &reason))
            });
        }

        let mut entries = lookup.entries;
        entries.sort_by(|a, b| b.vers.cmp(&a.vers));
        let chosen =
            choose_version(&entries, req).ok_or_else(|| no_version_error(name, req, &entries))?;

        let mut facts = info_from_entry(chosen, &registry.index);
        facts.versions = entries.iter().map(version_info).collect();
        let keys = self
            .effective_policy()?
            .signers(&SourceId::Registry(registry.index.clone()));
        facts.signed = expected_verdict(
            index
                .verify_entries(&[(chosen, keys.as_slice())])
                .remove(0)?,
        );
        facts.owners = index.owners(name)?;

        facts.installed = installed_copies(&self.locks, &registry.index, &facts.name);
        facts.required_by = self.find_dependents(|source, package, _| {
            package == name
                && matches!(source, SourceId::Registry(index) if *index == registry.index)
        })?;

        facts.registry = Some(registry.clone());
        Ok(Some(facts))
    }

    fn unknown_package_error(&self, registry: &NamedRegistry, name: &PackageName) -> Error {
        let error = Error::negative(format!(
            "no matching package named `{name}` found in registry `{}`",
            registry.name
        ));
        let near = self.suggest_names(registry, name).unwrap_or_default();
        let error = match near.as_slice() {
            [] => error.help("`skillpm search WORD` searches all registries"),
            near => error.help(format!("did you mean `{}`?", near.join("`, `"))),
        };

        match name.scope() {
            Some(_) => error.help(format!("for the repository on GitHub write `gh:{name}`")),
            None => error.help(format!(
                "write `./{name}` for a directory, `gh:owner/repo` for a repository"
            )),
        }
    }

    /// The names similar to an unknown one; from the search table, if the index cannot be listed.
    fn suggest_names(&self, registry: &NamedRegistry, name: &PackageName) -> Result<Vec<String>> {
        let index = self.sources.open_index(&registry.index)?;
        let names = index.package_names();
        if !names.is_empty() {
            let names: Vec<String> = names.iter().map(ToString::to_string).collect();
            let near = nearest_name(&name.to_string(), names.iter().map(String::as_str));
            return Ok(near.into_iter().map(str::to_owned).collect());
        }

        // A sparse index cannot be listed, but its search table may be cached.
        let mut tables: Vec<_> = self
            .context
            .search_tables(self.tools)
            .open_table(index.url())
            .into_iter()
            .collect();
        Ok(
            suggest_names(&mut tables, &SearchQuery::new(&[name.to_string()]), 3)
                .unwrap_or_default(),
        )
    }

    fn read_from_repository(
        &self,
        url: &GitUrl,
        reference: &GitReference,
        subdir: Option<&RelPath>,
        req: Option<&VersionReq>,
    ) -> Result<InfoReport> {
        self.refuse_registry()?;
        let choice = self.options.skill.iter().cloned().collect::<Vec<_>>();
        let choice = if choice.is_empty() {
            SkillSelection::Undecided
        } else {
            SkillSelection::Named(choice)
        };

        let found = self
            .sources
            .discover(url, (reference, req), subdir, &choice)?;
        let found = match self.select_found(found, url.as_str())? {
            Ok(found) => found,
            Err(listed) => return Ok(InfoReport::Skills(url.to_string(), listed)),
        };

        let source = SourceId::Git {
            url: url.clone(),
            reference: reference.clone(),
        };
        let needed = dependency_on(&found, source, req)?;
        let mut facts = self.read_package(&needed)?;

        // The versions of a repository are its tags, for any requested reference.
        let by_tag = PackageDependency {
            source: SourceId::Git {
                url: url.clone(),
                reference: GitReference::Versions,
            },
            ..needed
        };

        let versions = self
            .sources
            .remote_states(&[by_tag])
            .remove(0)
            .map(|state| state.versions)
            .unwrap_or_default();

        let to_info = |version| VersionInfo {
            version,
            yanked: false,
            published: None,
        };

        facts.versions = versions.into_iter().rev().map(to_info).collect();
        Ok(InfoReport::Package(Box::new(facts)))
    }

    fn read_from_directory(&self, typed: &str) -> Result<InfoReport> {
        self.refuse_registry()?;
        let path = if typed.starts_with('~') {
            self.context.expand_path(typed).display().to_string()
        } else {
            typed.into()
        };

        let found = match self.select_found(self.sources.discover_path(&path)?, typed)? {
            Ok(found) => found,
            Err(listed) => return Ok(InfoReport::Skills(typed.to_owned(), listed)),
        };

        let place = match &found.dir {
            Some(dir) => format!("{}/{dir}", path.trim_end_matches('/')),
            None => path,
        };

        // The directory is part of the path already.
        let needed = PackageDependency {
            subdir: None,
            ..dependency_on(&found, SourceId::from_path(&place), None)?
        };
        Ok(InfoReport::Package(Box::new(self.read_package(&needed)?)))
    }

    fn read_from_site(&self, site: &SiteUrl) -> Result<InfoReport> {
        self.refuse_registry()?;
        let listed = self.sources.list_site(site)?.into_iter();
        let listed = listed.map(|(name, description)| SourceSkill {
            name: name.to_string(),
            path: String::new(),
            description,
        });

        let found = match self.select_listed(listed.collect(), &site.to_spec())? {
            Ok(found) => found,
            Err(listed) => return Ok(InfoReport::Skills(site.to_spec(), listed)),
        };

        let name: SkillName = found.name.parse()?;
        let needed = named_dependency(name, SourceId::WellKnown(site.clone()), None);
        Ok(InfoReport::Package(Box::new(self.read_package(&needed)?)))
    }

    fn read_from_archive(&self, typed: &str) -> Result<InfoReport> {
        self.refuse_registry()?;
        let is_home = typed.starts_with('~');
        let place = if is_home {
            self.context.expand_path(typed).display().to_string()
        } else {
            typed.to_owned()
        };

        // `skill` only fills the field: the name comes from the archive.
        let any: SkillName = "skill".parse()?;
        let needed = named_dependency(any, SourceId::Archive(place), None);
        Ok(InfoReport::Package(Box::new(self.read_package(&needed)?)))
    }

    fn refuse_registry(&self) -> Result<()> {
        match &self.options.registry {
            None => Ok(()),
            Some(_) => {
                Err(Error::usage("`--registry` requires a package name").help("omit `--registry`"))
            }
        }
    }

    /// Selects one of the found skills; `Err` with the list if no single one is selected.
    fn select_found(
        &self,
        mut found: Vec<FoundSkill>,
        place: &str,
    ) -> Result<Result<FoundSkill, Vec<SourceSkill>>> {
        let listed: Vec<SourceSkill> = found.iter().map(source_skill).collect();
        Ok(match self.choose_skill(&listed, place)? {
            Some(at) => Ok(found.swap_remove(at)),
            None => Err(listed),
        })
    }

    /// Like [`Self::select_found`], for a list without the skills themselves.
    fn select_listed(
        &self,
        mut listed: Vec<SourceSkill>,
        place: &str,
    ) -> Result<Result<SourceSkill, Vec<SourceSkill>>> {
        Ok(match self.choose_skill(&listed, place)? {
            Some(at) => Ok(listed.swap_remove(at)),
            None => Err(listed),
        })
    }

    /// The position of the selected skill; `None` if several are left.
    fn choose_skill(&self, listed: &[SourceSkill], place: &str) -> Result<Option<usize>> {
        let Some(name) = &self.options.skill else {
            // A single skill needs no choice; several are listed.
            return Ok((listed.len() == 1).then_some(0));
        };

        let matches = |listed: &SourceSkill| {
            listed.name == *name || listed.path.rsplit('/').next() == Some(name)
        };
        let at = listed.iter().position(matches).ok_or_else(|| {
            let error = Error::negative(format!(
                "no matching skill named `{}` found in `{place}`",
                name.escape_debug()
            ));
            match nearest_name(name, listed.iter().map(|listed| listed.name.as_str())) {
                Some(near) => error.help(format!("did you mean `{near}`?")),
                None => error.help(format!("`skillpm info {place}` lists its skills")),
            }
        })?;
        Ok(Some(at))
    }

    /// Reads the metadata of the newest matching package, from its files.
    fn read_package(&self, needed: &PackageDependency) -> Result<PackageInfo> {
        let fetched = self.fetch_newest(needed)?;
        let summary = &fetched.summary;
        let skill = fetched.skill.as_ref();
        let name = skill.map_or_else(|| summary.name.to_string(), |skill| skill.name.clone());

        let place = |need: &PackageDependency| {
            (!need.source.is_same_location(&summary.source)).then(|| need.source.to_string())
        };
        let needs = summary
            .dependencies
            .iter()
            .flatten()
            .map(|need| DependencyInfo {
                name: need.package.to_string(),
                req: need.req.to_string(),
                source: place(need),
            });
        let is_same = |source: &SourceId, _: &PackageName, subdir: Option<&RelPath>| {
            source.is_same_location(&needed.source) && subdir == summary.subdir.as_ref()
        };

        let git = match (&summary.source, &fetched.origin.commit) {
            (SourceId::Git { url, .. }, Some(commit)) => Some((
                url.to_string(),
                commit.clone(),
                summary.subdir.as_ref().map(ToString::to_string),
            )),
            _ => None,
        };

        Ok(PackageInfo {
            name,
            version: summary.version.clone(),
            description: skill.map(|skill| skill.description.clone()),
            license: skill.and_then(|skill| skill.license.clone()),
            keywords: skill.map(|skill| skill.tags.clone()).unwrap_or_default(),
            homepage: skill.and_then(|skill| skill.homepage.clone()),
            source: summary.source.to_string(),
            git,
            dependencies: needs.collect(),
            checksum: Some(Checksum::from_tree(&fetched.tree)),
            archive: fetched
                .origin
                .archive
                .map(|digest| format!("sha256:{digest}")),
            signed: self.check_signature(&fetched)?,
            installed: self.find_installed(&is_same),
            required_by: self.find_dependents(is_same)?,
            ..PackageInfo::default()
        })
    }

    /// The policy of the user and the project.
    fn effective_policy(&self) -> Result<EffectivePolicy> {
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let project = self.context.project()?;
        let policy = project
            .map(|project| project.manifest(&registries))
            .transpose()?
            .map(|manifest| manifest.policy);
        EffectivePolicy::load(self.context, &policy.unwrap_or_default())
    }

    /// Verifies the signature of a fetched package; `None` if no key is expected.
    fn check_signature(&self, fetched: &FetchedPackage) -> Result<Option<VerifyResult>> {
        let keys = self.effective_policy()?.signers(&fetched.summary.source);
        // Without an expected key, no signature is fetched.
        if keys.is_empty() {
            return Ok(None);
        }

        let package = fetched.to_locked(Checksum::from_tree(&fetched.tree));
        let status = self
            .sources
            .verify_signatures(&[SignatureRequest {
                package: &package,
                keys,
            }])
            .remove(0)?;
        Ok(expected_verdict(status))
    }

    fn fetch_newest(&self, needed: &PackageDependency) -> Result<FetchedPackage> {
        let mut fitting = Vec::new();
        for version in self.sources.query(std::slice::from_ref(needed)).remove(0)? {
            match version {
                // A source with a single version returns its package; others list versions.
                AvailableVersion::Fetched(fetched) => return Ok(*fetched),
                AvailableVersion::Summary(summary) => fitting.push(*summary),
            }
        }

        // A summary without a version cannot match the requirement.
        fitting.retain(|summary| {
            summary
                .version
                .as_ref()
                .is_some_and(|version| needed.req.matches(version))
        });

        let newest = fitting
            .into_iter()
            .max_by(|a, b| a.version.cmp(&b.version))
            .ok_or_else(|| {
                Error::negative(format!(
                    "no version of `{}` matches `{}`",
                    needed.package, needed.req
                ))
                .help("omit the version to list all versions")
            })?;

        self.sources
            .read(&[newest], &[None])
            .remove(0)
            .map_err(|error| match error {
                FetchError::Failed(error) => error,
                FetchError::Unavailable(reason) => {
                    Error::negative(format!("failed to fetch `{}`: {reason}", needed.package))
                }
            })
    }

    fn find_installed(
        &self,
        is_same: &dyn Fn(&SourceId, &PackageName, Option<&RelPath>) -> bool,
    ) -> Vec<InstalledCopy> {
        let of_lock = |(tier, lock): &(Tier, Lockfile)| {
            let found = lock
                .packages()
                .iter()
                .filter(|locked| is_same(&locked.source, &locked.name, locked.path.as_ref()));
            let copy = |locked: &LockedPackage| InstalledCopy {
                tier: *tier,
                name: locked.install_name().to_string(),
                version: Some(locked.revision()),
                location: None,
            };
            found.map(copy).collect::<Vec<_>>()
        };
        self.locks.iter().flat_map(of_lock).collect()
    }

    /// The manifests and locked packages that depend on the package for which `is_same` is true.
    fn find_dependents(
        &self,
        is_same: impl Fn(&SourceId, &PackageName, Option<&RelPath>) -> bool,
    ) -> Result<Vec<DependentInfo>> {
        let mut dependents = Vec::new();
        let registries = |name: Option<&str>| self.context.config.registry(name);
        let project = self
            .context
            .project()?
            .map(|project| (Tier::Workspace, project));
        let managed = (
            Tier::Managed,
            self.context.workspace(WorkspaceKind::Managed)?,
        );

        for (tier, project) in project.into_iter().chain([managed]) {
            let asked = project.manifest(&registries)?.dependencies;
            let asked = asked
                .iter()
                .filter(|asked| is_same(&asked.source, &asked.package, asked.subdir.as_ref()));
            dependents.extend(asked.map(|asked| DependentInfo {
                tier,
                who: skillpm_core::manifest::FILE.to_owned(),
                req: Some(asked.req.to_string()),
            }));
        }

        for (tier, lock) in &self.locks {
            let matching = lock
                .packages()
                .iter()
                .filter(|locked| is_same(&locked.source, &locked.name, locked.path.as_ref()));
            for reference in matching.map(LockedPackage::reference) {
                let dependent = lock
                    .packages()
                    .iter()
                    .filter(|locked| locked.dependencies.contains(&reference));
                dependents.extend(dependent.map(|locked| DependentInfo {
                    tier: *tier,
                    who: locked.reference(),
                    req: None,
                }));
            }
        }

        Ok(dependents)
    }
}

fn expected_verdict(status: SignatureStatus) -> Option<VerifyResult> {
    // A missing signature is reported only if one is expected.
    Some(status.verdict).filter(|verdict| verdict.is_ok() || status.is_expected)
}

/// The version that would be installed: the newest that matches and was not withdrawn; if all were,
/// the newest, so that there is something to show. Without a requirement a pre-release is selected
/// only if there is no release.
fn choose_version<'e>(
    newest_first: &'e [IndexEntry],
    req: Option<&VersionReq>,
) -> Option<&'e IndexEntry> {
    let matches = |entry: &&IndexEntry| req.is_none_or(|req| req.matches(&entry.vers));
    let is_release = |entry: &&IndexEntry| req.is_some() || entry.vers.pre.is_empty();
    let matching = || newest_first.iter().filter(matches);
    let available = || matching().filter(|entry| !entry.is_withdrawn());

    available()
        .find(is_release)
        .or_else(|| available().next())
        .or_else(|| matching().next())
}

fn no_version_error(
    name: &PackageName,
    req: Option<&VersionReq>,
    newest_first: &[IndexEntry],
) -> Error {
    let req = req.map(ToString::to_string).unwrap_or_default();
    let error = Error::negative(format!("no version of `{name}` matches `{req}`"));
    match choose_version(newest_first, None) {
        Some(newest) => error.help(format!(
            "the newest version is `{}`: `skillpm info {name}`",
            newest.vers
        )),
        None => error,
    }
}

fn info_from_entry(entry: &IndexEntry, index: &str) -> PackageInfo {
    let needs = entry.deps.iter().map(|need| DependencyInfo {
        name: need.name.to_string(),
        req: need.req.to_string(),
        source: need.registry.clone(),
    });
    let text = |key: &str| {
        entry
            .rest
            .get(key)
            .and_then(|value| value.as_str())
            .map(str::to_owned)
    };

    PackageInfo {
        name: entry.name.to_string(),
        version: Some(entry.vers.clone()),
        yanked: entry.is_withdrawn(),
        description: entry.description.clone(),
        license: entry.license.clone(),
        keywords: entry.keywords.clone(),
        homepage: text("repository").or_else(|| text("homepage")),
        source: SourceId::Registry(index.to_owned()).to_string(),
        git: entry.src.as_ref().map(|src| {
            (
                src.git.to_string(),
                src.rev.clone(),
                src.path.as_ref().map(ToString::to_string),
            )
        }),
        dependencies: needs.collect(),
        checksum: Some(entry.cksum),
        archive: entry.archive.clone(),
        published: entry.pubtime.clone(),
        ..PackageInfo::default()
    }
}

fn version_info(entry: &IndexEntry) -> VersionInfo {
    VersionInfo {
        version: entry.vers.clone(),
        yanked: entry.is_withdrawn(),
        published: entry.pubtime.clone(),
    }
}

fn source_skill(found: &FoundSkill) -> SourceSkill {
    let path = found
        .dir
        .as_ref()
        .map(ToString::to_string)
        .unwrap_or_default();
    match &found.skill {
        Ok(skill) => SourceSkill {
            name: skill.name.clone(),
            path,
            description: skill.description.clone(),
        },
        Err(error) => SourceSkill {
            name: path.clone(),
            path,
            description: format!("failed to load: {error}"),
        },
    }
}

/// The dependency that a manifest would have on a found skill.
fn dependency_on(
    found: &FoundSkill,
    source: SourceId,
    req: Option<&VersionReq>,
) -> Result<PackageDependency> {
    let skill = found.skill.clone()?;
    let directory = found.dir.as_ref().map(|dir| dir.file_name().to_owned());
    // A skill without a valid name is named by its directory.
    let name = skill
        .name
        .parse::<SkillName>()
        .or_else(|error| match directory {
            Some(directory) => directory.parse(),
            None => Err(error),
        })?;

    Ok(PackageDependency {
        subdir: found.dir.clone(),
        ..named_dependency(name, source, req)
    })
}

/// A dependency on a skill by name.
fn named_dependency(
    name: SkillName,
    source: SourceId,
    req: Option<&VersionReq>,
) -> PackageDependency {
    PackageDependency {
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

    fn entry(version: &str, yanked: bool) -> IndexEntry {
        let digits = "0".repeat(64);
        let line = format!(
            r#"{{"name":"pdf","vers":"{version}","cksum":"skill-tree-v1:{digits}","archive":"sha256:{digits}","yanked":{yanked}}}"#
        );
        IndexEntry::parse(&line, &"pdf".parse().unwrap()).unwrap()
    }

    #[test]
    fn shown_version_is_the_one_that_would_be_installed() {
        for (versions, req, chosen) in [
            (
                &[("2.0.0-rc.1", false), ("1.1.0", true), ("1.0.0", false)][..],
                None,
                Some("1.0.0"),
            ),
            (
                &[("2.0.0-rc.1", false), ("1.1.0", true)],
                None,
                Some("2.0.0-rc.1"),
            ),
            (&[("1.1.0", true), ("1.0.0", true)], None, Some("1.1.0")),
            (
                &[("1.1.0", true), ("1.0.0", false)],
                Some("^1"),
                Some("1.0.0"),
            ),
            (
                &[("1.1.0", true), ("1.0.0", false)],
                Some("=1.1.0"),
                Some("1.1.0"),
            ),
            (
                &[("2.0.0-rc.1", false), ("1.0.0", false)],
                Some("^2.0.0-rc"),
                Some("2.0.0-rc.1"),
            ),
            (&[("1.0.0", false)], Some("^2"), None),
        ] {
            let entries: Vec<IndexEntry> = versions
                .iter()
                .map(|(version, yanked)| entry(version, *yanked))
                .collect();
            let req = req.map(|req| req.parse().unwrap());
            let found = choose_version(&entries, req.as_ref()).map(|entry| entry.vers.to_string());
            assert_eq!(found.as_deref(), chosen, "{versions:?} {req:?}");
        }
    }
}
