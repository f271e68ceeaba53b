//! `info`: shows the metadata of a package without installing it. Nothing is written or locked.

mod registry;
mod usage;

use std::sync::Arc;

use semver::{Version, VersionReq};

use self::registry::RegistryReader;
pub(crate) use self::registry::version_info;
use self::usage::PackageUsage;
use super::CommandContext;
use super::policy::EffectivePolicy;
use super::search::{InstalledCopy, NamedRegistry, read_lockfiles};
use skillpm_catalog::catalog::Tier;
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{
    Checksum, GitReference, GitUrl, PackageDependency, PackageName, PackageSpec, RelPath, SiteUrl,
    SkillName, SourceId,
};
use skillpm_core::provenance::{SignatureStatus, VerifyResult};
use skillpm_core::report::ProgressEvent;
use skillpm_registry::sources::{
    AvailableVersion, ClawHubSkill, FetchError, FetchedPackage, FoundSkill, FoundSkills,
    PackageSources, SignatureRequest, SkillSelection, SourceContext,
};

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
    read_source(context, options, |reader| match &options.spec {
        PackageSpec::Registry { name, req } => RegistryReader {
            reader,
            name,
            req: req.as_ref(),
        }
        .read(),
        PackageSpec::ClawHub { name, req } => reader.read_from_clawhub(name, req.as_ref()),
        spec => match reader.find_dependency(spec)? {
            Ok(needed) => {
                let mut facts = reader.read_package(&needed)?;
                if let SourceId::Git { url, .. } = &needed.source {
                    facts.versions = reader.list_tags(&url.clone(), needed);
                }
                Ok(InfoReport::Package(Box::new(facts)))
            }
            Err(listed) => Ok(listed),
        },
    })
}

/// Fetches the package that [`info`] would describe; `Err` with the list of a source with several skills, of which none is
/// selected.
///
/// # Errors
/// As for [`info`].
pub(crate) fn fetch_package(
    context: &CommandContext<'_>,
    options: &InfoOptions,
) -> Result<Result<FetchedPackage, InfoReport>> {
    read_source(context, options, |reader| {
        let needed = match &options.spec {
            PackageSpec::Registry { name, req } => {
                let found = RegistryReader {
                    reader,
                    name,
                    req: req.as_ref(),
                };
                let source = SourceId::Registry(found.find_registry()?.index);
                PackageDependency {
                    package: name.clone(),
                    ..named_dependency(name.skill().clone(), source, req.as_ref())
                }
            }
            PackageSpec::ClawHub { name, req } => reader.find_on_clawhub(name, req.as_ref())?.0,
            spec => match reader.find_dependency(spec)? {
                Ok(needed) => needed,
                Err(listed) => return Ok(Err(listed)),
            },
        };
        reader.fetch_newest(&needed).map(Ok)
    })
}

fn read_source<T>(
    context: &CommandContext<'_>,
    options: &InfoOptions,
    read: impl FnOnce(&InfoReader<'_, '_>) -> Result<T>,
) -> Result<T> {
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = PackageSources::new(&tools, &context.dirs.cwd, &registries, context.reporter);
    let reader = InfoReader {
        context,
        options,
        tools: &tools,
        sources: &sources,
        usage: PackageUsage {
            context,
            locks: read_lockfiles(context)?,
        },
    };

    let found = read(&reader);
    // Ends the progress display, also after an error.
    context.reporter.report(ProgressEvent::Fetched);
    found
}

struct InfoReader<'t, 's> {
    context: &'t CommandContext<'t>,
    options: &'t InfoOptions,
    tools: &'t SourceContext,
    sources: &'t PackageSources<'s>,
    usage: PackageUsage<'t>,
}

impl InfoReader<'_, '_> {
    /// The dependency that a manifest would have on the skill of a source without an index; `Err` with the list of one with
    /// several skills, of which none is selected.
    fn find_dependency(&self, spec: &PackageSpec) -> Result<Result<PackageDependency, InfoReport>> {
        self.refuse_registry()?;
        match spec {
            PackageSpec::Git {
                url,
                reference,
                subdir,
                req,
            } => self.find_in_repository(url, reference, subdir.as_ref(), req.as_ref()),
            PackageSpec::Path(path) => self.find_in_directory(path),
            PackageSpec::WellKnown(site) => self.find_on_site(site),
            PackageSpec::Archive(place) => {
                // `skill` only fills the field: the name comes from the archive.
                let any: SkillName = "skill".parse()?;
                let source = SourceId::Archive(self.expand_home(place));
                Ok(Ok(named_dependency(any, source, None)))
            }
            PackageSpec::Registry { .. } | PackageSpec::ClawHub { .. } => {
                unreachable!("their packages are looked up by name")
            }
        }
    }

    /// A path as it was typed, with the home directory for `~`: in quotes or after a prefix, the shell has not expanded it.
    fn expand_home(&self, typed: &str) -> String {
        if typed.starts_with('~') {
            self.context.expand_path(typed).display().to_string()
        } else {
            typed.to_owned()
        }
    }

    fn find_in_repository(
        &self,
        url: &GitUrl,
        reference: &GitReference,
        subdir: Option<&RelPath>,
        req: Option<&VersionReq>,
    ) -> Result<Result<PackageDependency, InfoReport>> {
        let choice = match &self.options.skill {
            Some(skill) => SkillSelection::Named(vec![skill.clone()]),
            None => SkillSelection::Undecided,
        };

        let (reference, subdir) = self.sources.split_reference(url, reference, subdir)?;
        let found = self
            .sources
            .discover(url, (&reference, req), subdir.as_ref(), &choice)?;
        let found = match self.select_found(found, url.as_str())? {
            Ok(found) => found,
            Err(listed) => return Ok(Err(InfoReport::Skills(url.to_string(), listed))),
        };

        let source = SourceId::Git {
            url: url.clone(),
            reference: reference.clone(),
        };
        dependency_on(&found, source, req).map(Ok)
    }

    /// The versions of a skill in a repository: its tags, for any requested reference.
    fn list_tags(&self, url: &GitUrl, needed: PackageDependency) -> Vec<VersionInfo> {
        let by_tag = PackageDependency {
            source: SourceId::Git {
                url: url.clone(),
                reference: GitReference::Versions,
            },
            ..needed
        };

        // A repository without such tags, or one that cannot be reached, still has its package.
        let versions = self
            .sources
            .remote_states(&[by_tag])
            .remove(0)
            .map(|state| state.versions)
            .unwrap_or_default();

        let newest_first = versions.into_iter().rev();
        newest_first
            .map(|version| VersionInfo {
                version,
                // Git has no index that could say either.
                yanked: false,
                published: None,
            })
            .collect()
    }

    fn find_in_directory(&self, typed: &str) -> Result<Result<PackageDependency, InfoReport>> {
        let path = self.expand_home(typed);
        // Messages show what was typed, not the expanded path.
        let found = match self.select_found(self.sources.discover_path(&path)?, typed)? {
            Ok(found) => found,
            Err(listed) => return Ok(Err(InfoReport::Skills(typed.to_owned(), listed))),
        };

        let place = match &found.dir {
            Some(dir) => format!("{}/{dir}", path.trim_end_matches('/')),
            None => path,
        };

        // The directory is part of the path already.
        Ok(Ok(PackageDependency {
            subdir: None,
            ..dependency_on(&found, SourceId::from_path(&place), None)?
        }))
    }

    fn find_on_site(&self, site: &SiteUrl) -> Result<Result<PackageDependency, InfoReport>> {
        // Only the list is fetched: of a site with many skills one is read below, or none.
        let listed = self.sources.list_site(site)?.into_iter();
        let listed = listed.map(|(name, description)| SourceSkill {
            name: name.to_string(),
            path: String::new(),
            description,
        });

        let found = match self.select_listed(listed.collect(), &site.to_spec())? {
            Ok(found) => found,
            Err(listed) => return Ok(Err(InfoReport::Skills(site.to_spec(), listed))),
        };

        let name: SkillName = found.name.parse()?;
        let source = SourceId::WellKnown(site.clone());
        Ok(Ok(named_dependency(name, source, None)))
    }

    fn find_on_clawhub(
        &self,
        name: &PackageName,
        req: Option<&VersionReq>,
    ) -> Result<(PackageDependency, Arc<ClawHubSkill>)> {
        self.refuse_registry()?;
        let hub = self.context.config.clawhub_url()?;
        let found = self.sources.find_on_clawhub(&hub, name)?;

        let source = SourceId::ClawHub(hub);
        let needed = PackageDependency {
            package: found.name.clone(),
            ..named_dependency(name.skill().clone(), source, req)
        };
        Ok((needed, found))
    }

    fn read_from_clawhub(
        &self,
        name: &PackageName,
        req: Option<&VersionReq>,
    ) -> Result<InfoReport> {
        let (needed, found) = self.find_on_clawhub(name, req)?;
        let mut facts = self.read_package(&needed)?;
        facts.name = found.name.to_string();
        facts.versions = found.versions.iter().rev().map(clawhub_version).collect();
        Ok(InfoReport::Package(Box::new(facts)))
    }

    fn refuse_registry(&self) -> Result<()> {
        // Ignoring the flag would look as if that registry was searched.
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
        mut found: FoundSkills,
        place: &str,
    ) -> Result<Result<FoundSkill, Vec<SourceSkill>>> {
        found.report_unread(self.context.reporter);
        let listed: Vec<SourceSkill> = found.skills.iter().map(source_skill).collect();
        Ok(match self.choose_skill(&listed, place)? {
            Some(at) => Ok(found.skills.swap_remove(at)),
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

        // By directory as well: a skill that cannot be loaded has no other name.
        let matches = |listed: &SourceSkill| {
            listed.name == *name || listed.path.rsplit('/').next() == Some(name)
        };
        let at = listed
            .iter()
            .position(matches)
            .ok_or_else(|| unknown_skill(name, listed, place))?;
        Ok(Some(at))
    }

    /// Reads the metadata of the newest matching package, from its files.
    fn read_package(&self, needed: &PackageDependency) -> Result<PackageInfo> {
        let fetched = self.fetch_newest(needed)?;
        let summary = &fetched.summary;
        let is_same = |source: &SourceId, name: &PackageName, subdir: Option<&RelPath>| {
            subdir == summary.subdir.as_ref() && has_same_source(needed, source, name)
        };

        Ok(PackageInfo {
            signed: self.check_signature(&fetched)?,
            installed: self.usage.find_installed(&is_same),
            required_by: self.usage.find_dependents(&is_same)?,
            ..info_from_package(&fetched)
        })
    }

    /// The policy of the user and the project.
    fn effective_policy(&self) -> Result<EffectivePolicy> {
        let registries = |name: Option<&str>| self.context.config.registry(name);
        // Outside of a project, the user's own policy still applies.
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
            // Of the other versions, the summaries were enough.
            .read(&[newest], &[None])
            .remove(0)
            .map_err(|error| match error {
                FetchError::Failed(error) => error,
                FetchError::Unavailable(reason) => {
                    Error::negative(format!("failed to fetch `{}`: {reason}", needed.package))
                }
            })
    }
}

fn unknown_skill(name: &str, listed: &[SourceSkill], place: &str) -> Error {
    let error = Error::negative(format!(
        "no matching skill named `{}` found in `{place}`",
        name.escape_debug()
    ));
    error.help_nearest(
        name,
        listed.iter().map(|listed| listed.name.as_str()),
        format!("`skillpm info {place}` lists its skills"),
    )
}

/// Whether a package called `name` of `source` is from where the needed one is.
fn has_same_source(needed: &PackageDependency, source: &SourceId, name: &PackageName) -> bool {
    // One server has the packages of everyone.
    if matches!(source, SourceId::ClawHub(_)) && *name != needed.package {
        return false;
    }
    // Whatever the git reference is: a locked tag and a requested branch are one package.
    source.is_same_location(&needed.source)
}

fn clawhub_version(
    (version, published): &(semver::Version, Option<jiff::Timestamp>),
) -> VersionInfo {
    VersionInfo {
        version: version.clone(),
        yanked: false,
        published: published.map(|at| at.to_string()),
    }
}

/// The metadata that the files of a package have.
fn info_from_package(fetched: &FetchedPackage) -> PackageInfo {
    let summary = &fetched.summary;
    let skill = fetched.skill.as_ref();
    let needs = summary
        .dependencies
        .iter()
        .flatten()
        .map(|need| DependencyInfo {
            name: need.package.to_string(),
            req: need.req.to_string(),
            source: (!need.source.is_same_location(&summary.source))
                .then(|| need.source.to_string()),
        });
    let archive = fetched.origin.archive.as_ref();

    PackageInfo {
        // A package that is no readable skill has only the name that was requested.
        name: skill.map_or_else(|| summary.name.to_string(), |skill| skill.name.clone()),
        version: summary.version.clone(),
        description: skill.map(|skill| skill.description.clone()),
        license: skill.and_then(|skill| skill.license.clone()),
        keywords: skill.map(|skill| skill.tags.clone()).unwrap_or_default(),
        homepage: skill.and_then(|skill| skill.homepage.clone()),
        source: summary.source.to_string(),
        git: git_origin(fetched),
        dependencies: needs.collect(),
        checksum: Some(Checksum::from_tree(&fetched.tree)),
        archive: archive.map(|digest| format!("sha256:{digest}")),
        ..PackageInfo::default()
    }
}

/// The repository, commit and directory of a package from git.
fn git_origin(fetched: &FetchedPackage) -> Option<(String, String, Option<String>)> {
    let SourceId::Git { url, .. } = &fetched.summary.source else {
        return None;
    };
    let subdir = fetched.summary.subdir.as_ref().map(ToString::to_string);
    Some((url.to_string(), fetched.origin.commit.clone()?, subdir))
}

fn expected_verdict(status: SignatureStatus) -> Option<VerifyResult> {
    // A missing signature is reported only if one is expected.
    Some(status.verdict).filter(|verdict| verdict.is_ok() || status.is_expected)
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
        // Listed with the reason: without it, the skill would look as if it did not exist.
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
