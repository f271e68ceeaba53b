//! Finds the skills of the packages to add: asks their sources, and the user if there are several.

use std::collections::BTreeMap;
use std::path::Path;

use semver::VersionReq;

use super::{
    AddOptions, SkillChooser, caret_requirement, reference_fields, unreadable_package_error,
};
use crate::CommandContext;
use crate::targets::relative_path;
use skillpm_core::error::{Error, FailureKind, Result, nearest_name};
use skillpm_core::manifest::edit::DependencyEntry;
use skillpm_core::package::{
    GitReference, GitUrl, PackageDependency, PackageName, PackageSpec, RelPath, SiteUrl, SkillName,
    SourceId,
};
use skillpm_core::report::ProgressEvent;
use skillpm_core::skill::{Skill, SkillFormat};
use skillpm_io::disk::normalize_path;
use skillpm_registry::config::EMBEDDED_REGISTRY;
use skillpm_registry::index::{self, IndexLookup};
use skillpm_registry::sources::describe::install_name;
use skillpm_registry::sources::release_age::ReleaseAge;
use skillpm_registry::sources::{FoundSkill, FoundSkills, PackageSources, SkillSelection};
use skillpm_registry::workspace::{Workspace, WorkspaceKind};

/// Finds the skills of requested packages, and their manifest entries.
pub(super) struct EntryFinder<'f, 's> {
    pub(super) context: &'f CommandContext<'f>,
    pub(super) options: &'f AddOptions,
    pub(super) sources: &'f PackageSources<'s>,
    pub(super) workspace: &'f Workspace,
    pub(super) age: ReleaseAge,
    pub(super) choose: SkillChooser<'f>,
    pub(super) is_repository: &'f dyn Fn(&PackageName) -> Result<bool>,
}

impl EntryFinder<'_, '_> {
    pub(super) fn find_entries(&self, spec: &PackageSpec) -> Result<Vec<DependencyEntry>> {
        match spec {
            PackageSpec::Registry { name, req } => {
                match self.find_in_registry(name, req.as_ref()) {
                    Ok(entry) => Ok(vec![entry]),
                    Err(error) if self.may_be_repository(name, &error) => {
                        if !(self.is_repository)(name)? {
                            return Err(error);
                        }
                        let url = format!("gh:{name}").parse()?;
                        self.find_in_repository(&url, &GitReference::Default, None, req.as_ref())
                    }
                    Err(error) => Err(error),
                }
            }
            PackageSpec::Git {
                url,
                reference,
                subdir,
                req,
            } => self.find_in_repository(url, reference, subdir.as_ref(), req.as_ref()),
            PackageSpec::Path(path) => self.find_in_directory(path),
            PackageSpec::Archive(typed) => self.find_in_archive(typed).map(|entry| vec![entry]),
            PackageSpec::WellKnown(site) => self.find_on_site(site),
            PackageSpec::ClawHub { name, req } => self
                .find_on_clawhub(name, req.as_ref())
                .map(|entry| vec![entry]),
        }
    }

    /// Whether `owner/repo` was typed that is no package, or with options that only repositories have.
    fn may_be_repository(&self, name: &PackageName, error: &Error) -> bool {
        let is_unknown = matches!(error.kind(), FailureKind::Negative | FailureKind::Usage);
        is_unknown && name.scope().is_some() && self.options.registry.is_none()
    }

    fn find_in_registry(
        &self,
        name: &PackageName,
        req: Option<&VersionReq>,
    ) -> Result<DependencyEntry> {
        let options = self.options;
        self.refuse_repository_options(name)?;

        let url = self.context.config.registry(options.registry.as_deref())?;
        // Looked up before it is written: a typo must not end in the manifest.
        let index = self.sources.open_index(&url)?;
        let lookup = index.lookup(name)?;
        let entries = lookup.entries;
        if entries.is_empty() {
            return Err(match lookup.skipped.first() {
                Some(reason) => unreadable_package_error(name, reason),
                None => {
                    let place = self.describe_registry(&url);
                    match self.find_other_registry(name, &url) {
                        Some(other) => other_registry_error(name, &place, &other),
                        None => {
                            let error = unknown_package_error(name, &place, &index.package_names());
                            self.help_registry_as_scope(error, name)
                        }
                    }
                }
            });
        }

        let written = match req.or(options.req.as_ref()) {
            Some(req) => req.to_string(),
            None => self.default_requirement(&entries),
        };
        let mut fields = vec![("version", written)];
        // A default of the user's own is named, too: a clone of the project has another one.
        let own_default = || {
            let is_shared = options.sort != WorkspaceKind::Managed;
            let name = self.context.config.own_default_registry();
            name.filter(|name| is_shared && *name != EMBEDDED_REGISTRY)
        };
        if let Some(registry) = options.registry.as_deref().or_else(own_default) {
            fields.push(("registry", registry.to_owned()));
        }
        // The key is the install name; `package` keeps the name in the registry.
        let key = match &options.alias {
            Some(alias) if alias != name.skill() => {
                // The format is not known here, and all but those of Nova refuse underscores when they are fetched.
                fields.insert(0, ("package", name.to_string()));
                alias.to_string()
            }
            _ => name.to_string(),
        };

        Ok(DependencyEntry {
            key,
            fields,
            dev: options.dev,
        })
    }

    /// Adds the command that was probably meant by `REGISTRY/NAME`.
    fn help_registry_as_scope(&self, error: Error, name: &PackageName) -> Error {
        let registries = self.context.config.registries();
        match name.scope().filter(|scope| registries.contains_key(scope.as_str())) {
            Some(registry) => error.help(format!(
                "for a package of the registry `{registry}`, run `skillpm add {} --registry {registry}`",
                name.skill()
            )),
            None => error,
        }
    }

    /// The first other registry that has a package. One that cannot be read is no answer, and none is asked where the user
    /// named one: the name is not for others.
    fn find_other_registry(&self, name: &PackageName, url: &str) -> Option<String> {
        if self.options.registry.is_some() {
            return None;
        }
        let config = &self.context.config;
        let mut others = config.registry_names().into_iter();
        others.find(|other| {
            let Ok(other) = config.registry(Some(other)) else {
                return false;
            };
            let lookup = || self.sources.open_index(&other)?.lookup(name);
            let has_version = |lookup: IndexLookup| {
                let mut entries = lookup.entries.iter();
                entries.any(|entry| !entry.is_withdrawn())
            };
            other != url && lookup().is_ok_and(has_version)
        })
    }

    /// The registry that names are looked up in, for messages. The URL of a default is shown: it may be the wrong one.
    fn describe_registry(&self, url: &str) -> String {
        match &self.options.registry {
            Some(name) => format!("registry `{name}`"),
            None => format!("the default registry, `{url}`"),
        }
    }

    /// Refuses options that only sources with several skills have.
    fn refuse_repository_options(&self, name: &PackageName) -> Result<()> {
        let options = self.options;
        // A registry package is one skill at its root.
        let names_skills = options.all || !options.skills.is_empty();
        if options.reference.is_none() && options.path.is_none() && !names_skills {
            return Ok(());
        }

        Err(Error::usage(format!(
            "unsupported options for registry package `{name}`: it has no branches, directories or other skills"
        ))
        .help(match (&*options.skills, name.scope()) {
            ([skill], Some(_)) => {
                format!("for a repository on GitHub, run `skillpm add gh:{name} --skill {skill}`; for a directory write `./{name}`")
            }
            _ => format!("for a repository on GitHub write `gh:{name}`; for a directory `./{name}`"),
        }))
    }

    /// The requirement that is written if none was given: `^` of the newest version.
    fn default_requirement(&self, entries: &[index::IndexEntry]) -> String {
        let is_free = |entry: &&index::IndexEntry| {
            !entry.is_withdrawn() && self.age.exclusion_reason(entry.published_at()).is_none()
        };

        newest_requirement(entries.iter().filter(is_free).map(|entry| &entry.vers))
    }

    fn find_in_repository(
        &self,
        url: &GitUrl,
        spelled: &GitReference,
        subdir: Option<&RelPath>,
        req: Option<&VersionReq>,
    ) -> Result<Vec<DependencyEntry>> {
        let options = self.options;
        let req = req.or(options.req.as_ref());
        let mut reference = choose_reference(options.reference.as_ref(), spelled, req)?;
        let mut subdir = subdir.cloned();
        if options.reference.is_none() {
            (reference, subdir) = self
                .sources
                .split_reference(url, &reference, subdir.as_ref())?;
        }

        let within = options.path.as_ref().or(subdir.as_ref());
        // With names only those skills are read, which saves reading a large repository.
        let choice = match (options.all, options.skills.as_slice()) {
            (true, _) => SkillSelection::All,
            (false, []) => SkillSelection::Undecided,
            (false, names) => SkillSelection::Named(names.to_vec()),
        };

        let found = self
            .sources
            .discover(url, (&reference, req), within, &choice)?;
        let chosen = self.choose_skills(found, &url.to_string())?;

        // One entry for each skill, all with the same reference.
        let mut location = vec![("git", url.to_string())];
        location.extend(reference_fields(&reference, req));
        self.manifest_entries(chosen, |dir| {
            let mut fields = location.clone();
            if let Some(dir) = dir {
                fields.insert(1, ("path", dir.to_string()));
            }
            fields
        })
    }

    fn find_in_directory(&self, typed: &str) -> Result<Vec<DependencyEntry>> {
        self.refuse_reference(typed)?;
        let within = |base: String| match &self.options.path {
            Some(within) => format!("{base}/{within}"),
            None => base,
        };

        let base = within(self.manifest_path(typed));
        // The manifest's path starts at the manifest; the one that is read starts at the root.
        let found = self
            .sources
            .discover_path(&within(self.path_relative_to(typed, &self.workspace.root)))?;
        let chosen = self.choose_skills(found, typed)?;

        self.manifest_entries(chosen, |dir| {
            let path = dir.map_or(base.clone(), |dir| {
                format!("{}/{dir}", base.trim_end_matches('/'))
            });
            vec![("path", path)]
        })
    }

    fn find_in_archive(&self, typed: &str) -> Result<DependencyEntry> {
        self.refuse_reference(typed)?;

        let is_url = typed.contains("://");
        let location = if is_url {
            typed.to_owned()
        } else {
            self.manifest_path(typed)
        };
        let from_root = if is_url {
            typed.to_owned()
        } else {
            self.path_relative_to(typed, &self.workspace.root)
        };

        // `skill` only fills the field: the name comes from the archive.
        let skill = self.sources.read_skill(&any_version_of(
            "skill".parse::<SkillName>()?,
            SourceId::Archive(from_root),
        ))?;
        let found = FoundSkill {
            dir: None,
            directory: None,
            skill: Ok(skill),
        };

        let mut entries =
            self.manifest_entries(vec![found], |_| vec![("archive", location.clone())])?;
        Ok(entries.remove(0))
    }

    /// Skills of a web site: its list is enough to select from, and only the selected ones are
    /// fetched.
    fn find_on_site(&self, site: &SiteUrl) -> Result<Vec<DependencyEntry>> {
        let options = self.options;
        if options.reference.is_some() || options.path.is_some() {
            return Err(Error::usage(format!(
                "unsupported options for site `{site}`: it has no branches, tags or directories"
            ))
            .help("`--skill NAME` selects one of its skills"));
        }

        let listed = self.sources.list_site(site)?;
        let names = self.choose_names(&listed, site)?;
        let needed: Vec<PackageDependency> = names
            .iter()
            .map(|name| any_version_of((*name).clone(), SourceId::WellKnown(site.clone())))
            .collect();

        // Their files are read now: a site lists skills that cannot be loaded, too.
        let found = self.read_from_site(&needed)?;
        self.manifest_entries(found, |_| {
            let req = options.req.as_ref().map(|req| ("version", req.to_string()));
            [("well-known", site.to_string())]
                .into_iter()
                .chain(req)
                .collect()
        })
    }

    fn find_on_clawhub(
        &self,
        name: &PackageName,
        req: Option<&VersionReq>,
    ) -> Result<DependencyEntry> {
        let options = self.options;
        let names_skills = options.all || !options.skills.is_empty();
        if options.reference.is_some() || options.path.is_some() || names_skills {
            return Err(Error::usage(format!(
                "unsupported options for `clawhub:{name}`: it has no branches, directories or other skills"
            )));
        }
        if options.registry.is_some() {
            return Err(Error::usage(format!(
                "conflicting options: `--registry` and `clawhub:{name}`"
            ))
            .help("the setting `clawhub.url` chooses another server"));
        }

        let hub = self.context.config.clawhub_url()?;
        // Looked up before it is written: a typo must not end in the manifest.
        let found = self.sources.find_on_clawhub(&hub, name)?;
        let written = match req.or(options.req.as_ref()) {
            Some(req) => req.to_string(),
            None => newest_requirement(
                found
                    .versions
                    .iter()
                    .filter(|(_, published)| self.age.exclusion_reason(*published).is_none())
                    .map(|(version, _)| version),
            ),
        };

        // With its owner, even if it was typed without: a slug may pass to another owner.
        let fields = vec![("clawhub", found.name.to_string()), ("version", written)];
        let key = options.alias.as_ref().unwrap_or(found.name.skill());
        Ok(DependencyEntry {
            key: key.to_string(),
            fields,
            dev: options.dev,
        })
    }

    fn read_from_site(&self, needed: &[PackageDependency]) -> Result<Vec<FoundSkill>> {
        let options = self.options;
        let mut found = Vec::new();
        for skill in self.sources.read_skills(needed) {
            match skill {
                Ok(skill) => found.push(FoundSkill {
                    dir: None,
                    directory: None,
                    skill: Ok(skill),
                }),
                // Only with `--all` may one be left out: the others were named by the user.
                Err(error) if options.all && options.keep_going => self.report_skipped(&error),
                Err(error) if options.all => {
                    return Err(error.help("`--keep-going` adds the others"));
                }
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }

    pub(super) fn report_skipped(&self, error: &Error) {
        let notes = error
            .notes()
            .iter()
            .filter(|note| note.starts_with("also in"));
        let parts: Vec<String> = [error.in_one_line()]
            .into_iter()
            .chain(notes.cloned())
            .collect();
        self.context.reporter.report(ProgressEvent::warning(format!(
            "skipped: {}",
            parts.join("; ")
        )));
    }

    fn choose_names<'l>(
        &self,
        listed: &'l [(SkillName, String)],
        site: &SiteUrl,
    ) -> Result<Vec<&'l SkillName>> {
        let options = self.options;
        // A site with a single skill needs no choice.
        if options.all || listed.len() == 1 && options.skills.is_empty() {
            return Ok(listed.iter().map(|(name, _)| name).collect());
        }

        if !options.skills.is_empty() {
            return options
                .skills
                .iter()
                .map(|wanted| find_listed(listed, wanted, site))
                .collect();
        }

        // The site's list has descriptions, so that nothing is fetched to ask.
        let titles: Vec<(String, String)> = listed
            .iter()
            .map(|(name, about)| (name.to_string(), about.clone()))
            .collect();
        match (self.choose)(&titles)? {
            Some(positions) => Ok(positions.into_iter().map(|at| &listed[at].0).collect()),
            None => Err(nothing_chosen_error(&titles, site.as_str())),
        }
    }

    fn refuse_reference(&self, typed: &str) -> Result<()> {
        match (&self.options.reference, &self.options.req) {
            (None, None) => Ok(()),
            _ => Err(Error::usage(format!(
                "unsupported options for `{typed}`: it has no branches, tags or versions"
            ))),
        }
    }

    /// A typed path as the manifest writes it: one that was typed relative is relative to the
    /// manifest's directory.
    fn manifest_path(&self, typed: &str) -> String {
        self.path_relative_to(typed, &self.workspace.edited_dir())
    }

    fn path_relative_to(&self, typed: &str, dir: &Path) -> String {
        // An absolute path stays absolute: it does not move with the project.
        if typed.starts_with('/') || typed.starts_with('~') {
            return self.context.expand_path(typed).display().to_string();
        }

        let target = self.context.dirs.cwd.join(typed);
        // With `./`, so that a path is never read as a name.
        let relative = relative_path(&normalize_path(&target), &normalize_path(dir));
        if relative.starts_with("..") {
            relative
        } else {
            format!("./{relative}")
        }
    }

    /// The found skills that are to be added.
    fn choose_skills(&self, found: FoundSkills, place: &str) -> Result<Vec<FoundSkill>> {
        let options = self.options;
        if !options.skills.is_empty() {
            return options
                .skills
                .iter()
                .map(|name| pick_skill(&found, name, place))
                .collect();
        }

        found.report_unread(self.context.reporter);
        let found = self.leave_out_internal(found.skills, place)?;
        if options.all {
            return self.keep_loadable(found);
        }
        // A source with a single skill needs no choice.
        if let [_] = found.as_slice() {
            return Ok(found);
        }

        let listed: Vec<(String, String)> = found.iter().map(skill_title).collect();
        match (self.choose)(&listed)? {
            Some(positions) => Ok(positions.into_iter().map(|at| found[at].clone()).collect()),
            None => Err(nothing_chosen_error(&listed, place)),
        }
    }

    /// Leaves out the skills that are for work on the source itself; they are added by name.
    fn leave_out_internal(&self, found: Vec<FoundSkill>, place: &str) -> Result<Vec<FoundSkill>> {
        let is_internal = |found: &FoundSkill| found.skill.as_ref().is_ok_and(|one| one.internal);
        let (internal, kept): (Vec<_>, Vec<_>) = found.into_iter().partition(is_internal);
        let names: Vec<String> = internal.iter().map(|one| skill_title(one).0).collect();
        if kept.is_empty() && !names.is_empty() {
            return Err(
                Error::negative(format!("all skills of `{place}` are internal"))
                    .note(format!("internal skills: {}", join_shortened(&names)))
                    .help("add them by name, with `--skill NAME`"),
            );
        }

        for name in names {
            let name = name.escape_debug();
            let message = format!("`{name}` is internal and is left out; `--skill {name}` adds it");
            self.context
                .reporter
                .report(ProgressEvent::Detail { message });
        }
        Ok(kept)
    }

    fn keep_loadable(&self, found: Vec<FoundSkill>) -> Result<Vec<FoundSkill>> {
        let mut loadable = Vec::new();
        for skill in found {
            match skill
                .skill
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|read| install_name(read, &file_of(&skill), skill.directory.as_deref()))
            {
                Ok(_) => loadable.push(skill),
                Err(error) if self.options.keep_going => self.report_skipped(&error),
                Err(error) => return Err(error.help("`--keep-going` adds the others")),
            }
        }
        Ok(loadable)
    }

    fn manifest_entries(
        &self,
        chosen: Vec<FoundSkill>,
        fields: impl Fn(Option<&RelPath>) -> Vec<(&'static str, String)>,
    ) -> Result<Vec<DependencyEntry>> {
        if self.options.alias.is_some() && (chosen.len() > 1 || self.options.specs.len() > 1) {
            return Err(Error::usage(
                "`--as` requires a single skill, and more than one was requested",
            )
            .help("add them one by one"));
        }

        let mut entries = Vec::new();
        for (name, found) in self.group_by_name(chosen)? {
            // One source may have two skills of one name, but the manifest has one key per name.
            match found.as_slice() {
                [one] => {
                    entries.push(self.manifest_entry(&name, one, fields(one.dir.as_ref())));
                }
                several => {
                    let dirs: Vec<String> = several.iter().map(dir_of).collect();
                    let error = ambiguous_name_error(name.skill().as_str(), &dirs);
                    if !self.options.all {
                        return Err(error);
                    } else if !self.options.keep_going {
                        return Err(error.help("`--keep-going` adds the others"));
                    }
                    let message = format!("skipped: {error}: `{}`", dirs.join("`, `"));
                    self.context.reporter.report(ProgressEvent::Warning {
                        message,
                        help: Some(format!("`--path {}` adds one of them", dirs[0])),
                    });
                }
            }
        }
        Ok(entries)
    }

    /// The skills by the name that they are installed under.
    fn group_by_name(
        &self,
        chosen: Vec<FoundSkill>,
    ) -> Result<BTreeMap<PackageName, Vec<FoundSkill>>> {
        let mut by_name: BTreeMap<PackageName, Vec<FoundSkill>> = BTreeMap::new();
        for found in chosen {
            let skill = found.skill.clone()?;
            let name = match &self.options.alias {
                Some(alias) => install_alias(alias, &skill)?.into(),
                None => self.default_name(&skill, &found)?,
            };
            by_name.entry(name).or_default().push(found);
        }
        Ok(by_name)
    }

    fn default_name(&self, skill: &Skill, found: &FoundSkill) -> Result<PackageName> {
        let name = install_name(skill, &file_of(found), found.directory.as_deref())?;
        if skill.own_id.is_none() && name.skill().as_str() != skill.name {
            self.context.reporter.report(ProgressEvent::Warning {
                message: format!(
                    "`{}` is installed as `{name}`, the name of its directory",
                    skill.name
                ),
                help: Some("use `--as NAME` to install it under another name".into()),
            });
        }
        Ok(name)
    }

    fn manifest_entry(
        &self,
        name: &PackageName,
        found: &FoundSkill,
        mut fields: Vec<(&'static str, String)>,
    ) -> DependencyEntry {
        let own = found
            .skill
            .as_ref()
            .ok()
            .and_then(|skill: &Skill| skill.name.parse::<SkillName>().ok());
        // `package` has the skill's own name if it is installed under another one.
        if let Some(own) = own.filter(|own| own != name.skill()) {
            fields.push(("package", own.to_string()));
        }

        DependencyEntry {
            key: name.to_string(),
            fields,
            dev: self.options.dev,
        }
    }
}

/// The alias for a skill, which may have underscores only if it is one of Nova: the others are named by the specification.
fn install_alias(alias: &SkillName, skill: &Skill) -> Result<SkillName> {
    if skill.format == SkillFormat::Nova {
        return Ok(alias.clone());
    }
    alias.as_str().parse()
}

/// The reference that a git source is used at. A version requirement excludes a branch, tag or
/// commit.
fn choose_reference(
    named: Option<&GitReference>,
    spelled: &GitReference,
    req: Option<&VersionReq>,
) -> Result<GitReference> {
    match (named, spelled, req) {
        (Some(_), GitReference::Versions, _) | (Some(_), _, Some(_)) => Err(Error::usage(
            "conflicting options: both a git reference and a version were given",
        )
        .help("pass only one of them")),
        (Some(named), ..) => Ok(named.clone()),
        // A version is searched among the tags, even if no `@` was typed.
        (None, GitReference::Default, Some(_)) => Ok(GitReference::Versions),
        (None, spelled, _) => Ok(spelled.clone()),
    }
}

fn find_listed<'l>(
    listed: &'l [(SkillName, String)],
    wanted: &str,
    site: &SiteUrl,
) -> Result<&'l SkillName> {
    let names = || listed.iter().map(|(name, _)| name);

    names().find(|name| name.as_str() == wanted).ok_or_else(|| {
        let names: Vec<String> = names().map(ToString::to_string).collect();
        unknown_skill_error(wanted, &names, site.as_str())
    })
}

/// `^` of the newest of these versions.
fn newest_requirement<'v>(versions: impl Iterator<Item = &'v semver::Version>) -> String {
    let newest = versions
        // A pre-release is selected only by a requirement that names one.
        .filter(|version| version.pre.is_empty())
        .max();
    // Without a version that can be selected now, `*`: the resolver explains why.
    newest.map_or("*".to_owned(), caret_requirement)
}

/// A dependency on any version of a package.
pub(super) fn any_version_of(
    package: impl Into<PackageName>,
    source: SourceId,
) -> PackageDependency {
    let package = package.into();
    PackageDependency {
        alias: package.skill().clone(),
        package,
        source,
        subdir: None,
        req: VersionReq::STAR,
        dev: false,
        optional: false,
    }
}

/// The error for a name that another registry has.
fn other_registry_error(name: &PackageName, place: &str, other: &str) -> Error {
    Error::negative(format!(
        "no matching package named `{name}` found in {place}"
    ))
    .help(format!(
        "registry `{other}` has it: run `skillpm add {name} --registry {other}`"
    ))
}

/// The error for a name that the registry does not have; `place` names the registry.
fn unknown_package_error(name: &PackageName, place: &str, names: &[PackageName]) -> Error {
    let texts: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut error = Error::negative(format!(
        "no matching package named `{name}` found in {place}"
    ));
    if let Some(near) = nearest_name(&name.to_string(), texts.iter().map(String::as_str)) {
        error = error.help(format!("did you mean `{near}`?"));
    } else {
        if !texts.is_empty() {
            error = error.note(format!("available packages: {}", join_shortened(&texts)));
        }
        error = error.help("`skillpm search WORD` searches all registries");
    }

    if name.scope().is_none() {
        error = error.help(format!(
            "write `./{name}` for a directory, `gh:owner/repo` for a repository"
        ));
    } else {
        error = error.help(format!("for the repository on GitHub write `gh:{name}`"));
    }
    error
}

fn pick_skill(source: &FoundSkills, name: &str, place: &str) -> Result<FoundSkill> {
    let found = &source.skills;
    let is_named = |found: &&FoundSkill| found.skill.as_ref().is_ok_and(|skill| skill.name == name);
    let is_called = |found: &&FoundSkill| {
        found
            .dir
            .as_ref()
            .is_some_and(|dir| dir.file_name() == name)
    };

    // The name in the frontmatter wins over the name of the directory.
    let mut matching: Vec<&FoundSkill> = found.iter().filter(is_named).collect();
    if matching.is_empty() {
        matching = found.iter().filter(is_called).collect();
    }

    match matching.as_slice() {
        [one] => {
            // A skill that cannot be loaded fails here, with the reason.
            one.skill.clone()?;
            Ok((*one).clone())
        }
        [] => {
            let titles: Vec<String> = found.iter().map(|found| skill_title(found).0).collect();
            let error = unknown_skill_error(name, &titles, place);
            Err(source.note_unread(error))
        }
        several => Err(ambiguous_name_error(
            name,
            &several
                .iter()
                .map(|found| dir_of(found))
                .collect::<Vec<_>>(),
        )),
    }
}

fn unknown_skill_error(name: &str, names: &[String], place: &str) -> Error {
    let error = Error::negative(format!(
        "no matching skill named `{}` found in `{place}`",
        name.escape_debug()
    ));
    error.help_nearest(
        name,
        names.iter().map(String::as_str),
        format!("available skills: {}", join_shortened(names)),
    )
}

/// The error for several skills of one name in one source.
fn ambiguous_name_error(name: &str, dirs: &[String]) -> Error {
    let error = Error::negative(format!(
        "duplicate skill name `{name}`: {} skills have it",
        dirs.len()
    ));
    let error = dirs
        .iter()
        .fold(error, |error, dir| error.note(format!("`{dir}`")));
    let last = dirs.last().map_or("", String::as_str);
    error.help(format!(
        "select one with `--path {last}`; to add both, rename one: `--path {last} --as NAME`"
    ))
}

fn nothing_chosen_error(listed: &[(String, String)], place: &str) -> Error {
    let names: Vec<String> = listed.iter().map(|(name, _)| name.clone()).collect();
    Error::new(
        FailureKind::Usage,
        format!("no skill selected: `{place}` has {} skills", listed.len()),
    )
    .note(format!("available skills: {}", join_shortened(&names)))
    .help("select skills with `--skill NAME`, or all of them with `--all`")
}

/// The number of names that an error lists.
const SHOWN_MAX: usize = 20;

fn join_shortened(names: &[String]) -> String {
    let mut names = names.to_vec();
    // As the source lists them the order may change between calls.
    names.sort();
    let shown = names
        .iter()
        .take(SHOWN_MAX)
        .map(|name| name.escape_debug().to_string())
        .collect::<Vec<_>>()
        .join(", ");
    if names.len() > SHOWN_MAX {
        format!("{shown}, and {} more", names.len() - SHOWN_MAX)
    } else {
        shown
    }
}

fn skill_title(found: &FoundSkill) -> (String, String) {
    match &found.skill {
        Ok(skill) => (skill.name.clone(), skill.description.clone()),
        // Listed all the same: a skill that is missing in the list would look like a wrong source.
        Err(error) => (dir_of(found), format!("failed to load: {error}")),
    }
}

fn dir_of(found: &FoundSkill) -> String {
    found
        .dir
        .as_ref()
        .map_or(".".to_owned(), ToString::to_string)
}

fn file_of(found: &FoundSkill) -> String {
    let file = found
        .skill
        .as_ref()
        .map(|skill| skill.format)
        .unwrap_or_default()
        .descriptor();
    found
        .dir
        .as_ref()
        .map_or(file.to_owned(), |dir| format!("{dir}/{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_relative_to_the_root() {
        let relative = |path: &str| {
            relative_path(
                &normalize_path(Path::new(path)),
                Path::new("/home/me/project"),
            )
        };
        assert_eq!(relative("/home/me/style"), "../style");
        assert_eq!(relative("/home/me/project/sub/../skills/a"), "skills/a");
        assert_eq!(relative("/home/me/project"), ".");
    }
}
