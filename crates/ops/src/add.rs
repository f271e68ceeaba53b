//! `add`: finds what was asked for, writes it into the manifest in memory, and goes the one way.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::VersionReq;

use super::Context;
use super::release_age::release_age;
use super::sync::{Keep, Rules, Synced, Wish, hold, sync_with};
use super::targets::relative;
use crate::error::{Error, Kind, Result, nearest};
use crate::index;
use crate::io::disk::{normal_path, repository_around};
use crate::manifest::Manifest;
use crate::manifest::edit::{self, Entry};
use crate::package::{
    Dependency, GitReference, GitUrl, PackageName, PackageSpec, RelPath, SiteUrl, SkillName, SourceId,
};
use crate::report::Event;
use crate::skill::Skill;
use crate::sources::describe::install_name;
use crate::sources::release_age::ReleaseAge;
use crate::sources::{Choice, FoundSkill, Sources};
use crate::workspace::{Sort, Workspace};

/// What to add, and how.
#[derive(Debug, Clone)]
pub struct AddOptions {
    /// Where packages are to be found.
    pub specs: Vec<PackageSpec>,
    /// Which skills of a source with many.
    pub skills: Vec<String>,
    /// All skills of a source.
    pub all: bool,
    /// With `all`: leave out those that no agent would load or that have no usable name, instead of refusing.
    pub keep_going: bool,
    /// Which versions.
    pub req: Option<VersionReq>,
    /// Which reference of a git source.
    pub reference: Option<GitReference>,
    /// The directory inside the source.
    pub path: Option<RelPath>,
    /// The registry to take names from.
    pub registry: Option<String>,
    /// The name to install under.
    pub alias: Option<SkillName>,
    /// Whether it is for work on this package only.
    pub dev: bool,
    /// Agents whose own directories get the skills from now on.
    pub targets: Vec<String>,
    /// Which project.
    pub sort: Sort,
    /// How far to go.
    pub rules: Rules,
}

/// Asks a person which of several skills to add; gives their positions. `None` where nobody can be asked.
pub type Chooser<'a> = &'a dyn Fn(&[(String, String)]) -> Result<Option<Vec<usize>>>;

/// Adds packages to a project and installs them.
///
/// # Errors
/// If something cannot be found, a name is taken, or nothing fits; then nothing was changed.
pub fn add(context: &Context<'_>, options: &AddOptions, choose: Chooser<'_>) -> Result<Synced> {
    for agent in &options.targets {
        super::agents::agent(context, agent)?;
    }
    let held = hold(context, options.sort, Some(&new_root(context)))?;
    // Before anything is looked for: a lockfile that cannot be read stops every command alike.
    held.workspace.lockfile()?;
    let tools = context.tools()?;
    let registries = |name: Option<&str>| context.config.registry(name);
    let sources = Sources::new(&tools, &held.workspace.root, &registries, context.reporter);
    let registries = |name: Option<&str>| context.config.registry(name);
    let age = release_age(context, &held.workspace.manifest(&registries)?.policy)?;
    let finder = Finder { context, options, sources: &sources, workspace: &held.workspace, age, choose };
    let mut entries = Vec::new();
    for spec in &options.specs {
        entries.extend(finder.find(spec)?);
    }
    if entries.is_empty() {
        return Err(Error::negative("none of the skills that were found can be added"));
    }
    let text = new_manifest(context, &held.workspace, &entries, options)?;
    let is_new = !held.workspace.exists && !options.rules.dry_run;
    let names = entries.iter().filter_map(|entry| entry.key.parse::<PackageName>().ok());
    let wish = Wish {
        manifest_text: (text != held.workspace.own_text()? || is_new).then_some(text),
        keep: Keep::AllBut(names.map(|name| name.skill().clone()).collect()),
        ..Wish::default()
    };
    let synced = sync_with(context, &held, &sources, &wish, options.rules)?;
    if is_new {
        context
            .reporter
            .report(Event::Done { verb: "Created", what: held.workspace.manifest_path().display().to_string() });
    }
    Ok(synced)
}

/// Where a project begins that does not exist yet: at the root of the repository around here, else here.
fn new_root(context: &Context<'_>) -> PathBuf {
    let here = &context.places.here;
    repository_around(here).unwrap_or(here).to_owned()
}

fn new_manifest(
    context: &Context<'_>,
    workspace: &Workspace,
    entries: &[Entry],
    options: &AddOptions,
) -> Result<String> {
    let registries = |name: Option<&str>| context.config.registry(name);
    let before = workspace.own_manifest(&registries)?;
    if let (Some(member), false) = (&workspace.member, options.targets.is_empty()) {
        return Err(Error::usage(format!("`{member}` is a member of a workspace, whose root says into which targets"))
            .help(format!("add the target there: `skillpm -C {} add --target …`", workspace.root.display())));
    }
    let mut text = edit::set(&workspace.own_text()?, entries)?;
    for agent in &options.targets {
        text = edit::add_target(&text, agent)?;
    }
    let after = workspace.with_own_text(&text).own_manifest(&registries)?;
    for entry in entries {
        let name: PackageName = entry.key.parse()?;
        let find =
            |manifest: &Manifest| manifest.dependencies.iter().find(|known| known.alias == *name.skill()).cloned();
        if let (Some(old), Some(new)) = (find(&before), find(&after))
            && !same_skill(&old, &new)
        {
            return Err(Error::negative(format!("`{}` is there already, from another source", name.skill()))
                .note(format!("there      {}", described(&old)))
                .note(format!("asked for  {}", described(&new)))
                .help(format!(
                    "add it under another name with `--as NAME`, or `skillpm remove {}` first",
                    name.skill()
                )));
        }
    }
    Ok(text)
}

fn same_skill(old: &Dependency, new: &Dependency) -> bool {
    old.source.same_place(&new.source) && old.package == new.package && old.subdir == new.subdir
}

fn described(dependency: &Dependency) -> String {
    match &dependency.subdir {
        Some(dir) => format!("`{dir}` in {}", dependency.source.place()),
        None => format!("`{}` in {}", dependency.package, dependency.source.place()),
    }
}

struct Finder<'f, 's> {
    context: &'f Context<'f>,
    options: &'f AddOptions,
    sources: &'f Sources<'s>,
    workspace: &'f Workspace,
    age: ReleaseAge,
    choose: Chooser<'f>,
}

impl Finder<'_, '_> {
    fn find(&self, spec: &PackageSpec) -> Result<Vec<Entry>> {
        match spec {
            PackageSpec::Registry { name, req } => self.registry(name, req.as_ref()).map(|entry| vec![entry]),
            PackageSpec::Git { url, reference, subdir, req } => self.git(url, reference, subdir.as_ref(), req.as_ref()),
            PackageSpec::Path(path) => self.path(path),
            PackageSpec::Archive(place) => self.archive(place).map(|entry| vec![entry]),
            PackageSpec::WellKnown(site) => self.well_known(site),
        }
    }

    fn registry(&self, name: &PackageName, req: Option<&VersionReq>) -> Result<Entry> {
        let options = self.options;
        if options.reference.is_some() || options.path.is_some() || options.all || !options.skills.is_empty() {
            return Err(Error::usage(format!(
                "`{name}` is one package of a registry: it has no branches, directories or further skills"
            ))
            .help(format!("for a repository on GitHub write `gh:{name}`; for a directory `./{name}`")));
        }
        let url = self.context.config.registry(options.registry.as_deref())?;
        let index = self.sources.index(&url)?;
        let entries = index.lookup(name)?.entries;
        if entries.is_empty() {
            return Err(unknown(name, &index.names()));
        }
        let req = req.or(options.req.as_ref());
        let fits = |version: &semver::Version| req.map_or(version.pre.is_empty(), |req| req.matches(version));
        let is_free = |entry: &&index::Entry| !entry.is_withdrawn() && self.age.bars(entry.published()).is_none();
        let newest = entries.iter().filter(is_free).map(|entry| &entry.vers).filter(|version| fits(version)).max();
        let written = match (req, newest) {
            (Some(req), _) => req.to_string(),
            (None, Some(newest)) => caret(newest),
            (None, None) => "*".to_owned(),
        };
        let mut fields = vec![("version", written)];
        if let Some(registry) = &options.registry {
            fields.push(("registry", registry.clone()));
        }
        let key = match &options.alias {
            Some(alias) if alias != name.skill() => {
                fields.insert(0, ("package", name.to_string()));
                alias.to_string()
            }
            _ => name.to_string(),
        };
        Ok(Entry { key, fields, dev: options.dev })
    }

    fn git(
        &self,
        url: &GitUrl,
        spelled: &GitReference,
        subdir: Option<&RelPath>,
        req: Option<&VersionReq>,
    ) -> Result<Vec<Entry>> {
        let options = self.options;
        let req = req.or(options.req.as_ref());
        let reference = match (&options.reference, spelled, req) {
            (Some(_), GitReference::Versions, _) | (Some(_), _, Some(_)) => {
                return Err(Error::usage("a reference and a version were both asked for").help("keep one of them"));
            }
            (Some(named), ..) => named.clone(),
            (None, GitReference::Default, Some(_)) => GitReference::Versions,
            (None, spelled, _) => spelled.clone(),
        };
        let within = options.path.as_ref().or(subdir);
        let choice = match (options.all, options.skills.as_slice()) {
            (true, _) => Choice::All,
            (false, []) => Choice::Open,
            (false, names) => Choice::Named(names.to_vec()),
        };
        let found = self.sources.discover(url, (&reference, req), within, &choice)?;
        let chosen = self.choose(found, &url.to_string())?;
        let mut place = vec![("git", url.to_string())];
        place.extend(reference_fields(&reference, req));
        self.entries(chosen, |dir| {
            let mut fields = place.clone();
            if let Some(dir) = dir {
                fields.insert(1, ("path", dir.to_string()));
            }
            fields
        })
    }

    fn path(&self, typed: &str) -> Result<Vec<Entry>> {
        self.refuse_reference(typed)?;
        let within = |base: String| match &self.options.path {
            Some(within) => format!("{base}/{within}"),
            None => base,
        };
        let base = within(self.written(typed));
        let found = self.sources.discover_path(&within(self.seen_from(typed, &self.workspace.root)))?;
        let chosen = self.choose(found, typed)?;
        self.entries(chosen, |dir| {
            let path = dir.map_or(base.clone(), |dir| format!("{}/{dir}", base.trim_end_matches('/')));
            vec![("path", path)]
        })
    }

    fn archive(&self, typed: &str) -> Result<Entry> {
        self.refuse_reference(typed)?;
        let is_url = typed.contains("://");
        let place = if is_url { typed.to_owned() } else { self.written(typed) };
        let seen = if is_url { typed.to_owned() } else { self.seen_from(typed, &self.workspace.root) };
        let skill = self.sources.skill_of(&any_of("skill".parse()?, SourceId::Archive(seen)))?;
        let found = FoundSkill { dir: None, skill: Ok(skill) };
        let mut entries = self.entries(vec![found], |_| vec![("archive", place.clone())])?;
        Ok(entries.remove(0))
    }

    /// Skills of a web site: what it lists is enough to choose among them, and only the chosen are brought.
    fn well_known(&self, site: &SiteUrl) -> Result<Vec<Entry>> {
        let options = self.options;
        if options.reference.is_some() || options.path.is_some() {
            return Err(Error::usage(format!("`{site}` has no branches, tags or directories to choose from"))
                .help("`--skill NAME` chooses one of its skills"));
        }
        let listed = self.sources.listed(site)?;
        let names = self.chosen_names(&listed, site)?;
        let needed: Vec<Dependency> =
            names.iter().map(|name| any_of((*name).clone(), SourceId::WellKnown(site.clone()))).collect();
        let mut found = Vec::new();
        for skill in self.sources.skills_of(&needed) {
            match skill {
                Ok(skill) => found.push(FoundSkill { dir: None, skill: Ok(skill) }),
                Err(error) if options.all && options.keep_going => {
                    self.context.reporter.report(Event::warning(format!("left out: {error}")));
                }
                Err(error) if options.all => return Err(error.help("`--keep-going` adds the others")),
                Err(error) => return Err(error),
            }
        }
        self.entries(found, |_| {
            let req = options.req.as_ref().map(|req| ("version", req.to_string()));
            [("well-known", site.to_string())].into_iter().chain(req).collect()
        })
    }

    fn chosen_names<'l>(&self, listed: &'l [(SkillName, String)], site: &SiteUrl) -> Result<Vec<&'l SkillName>> {
        let options = self.options;
        if options.all || listed.len() == 1 && options.skills.is_empty() {
            return Ok(listed.iter().map(|(name, _)| name).collect());
        }
        if !options.skills.is_empty() {
            let named = |wanted: &String| {
                let found = listed.iter().map(|(name, _)| name).find(|name| name.as_str() == wanted);
                found.ok_or_else(|| {
                    let names: Vec<String> = listed.iter().map(|(name, _)| name.to_string()).collect();
                    no_such_skill(wanted, &names, site.as_str())
                })
            };
            return options.skills.iter().map(named).collect();
        }
        let titles: Vec<(String, String)> =
            listed.iter().map(|(name, about)| (name.to_string(), about.clone())).collect();
        match (self.choose)(&titles)? {
            Some(positions) => Ok(positions.into_iter().map(|at| &listed[at].0).collect()),
            None => Err(undecided(&titles, site.as_str())),
        }
    }

    fn refuse_reference(&self, typed: &str) -> Result<()> {
        match (&self.options.reference, &self.options.req) {
            (None, None) => Ok(()),
            _ => Err(Error::usage(format!("`{typed}` has no branches, tags or versions to choose from"))),
        }
    }

    /// A typed path as the manifest writes it: relative to the manifest's directory where it was typed relative.
    fn written(&self, typed: &str) -> String {
        self.seen_from(typed, &self.workspace.own_dir())
    }

    fn seen_from(&self, typed: &str, dir: &Path) -> String {
        if typed.starts_with('/') || typed.starts_with('~') {
            return self.context.expand(typed).display().to_string();
        }
        let target = self.context.places.here.join(typed);
        let relative = relative(&normal_path(&target), &normal_path(dir));
        if relative.starts_with("..") { relative } else { format!("./{relative}") }
    }

    /// Which of the skills that were found are to be added.
    fn choose(&self, found: Vec<FoundSkill>, place: &str) -> Result<Vec<FoundSkill>> {
        let options = self.options;
        if options.all {
            return self.loadable(found);
        }
        if !options.skills.is_empty() {
            return options.skills.iter().map(|name| pick(&found, name, place)).collect();
        }
        if let [_] = found.as_slice() {
            return Ok(found);
        }
        let listed: Vec<(String, String)> = found.iter().map(title).collect();
        match (self.choose)(&listed)? {
            Some(positions) => Ok(positions.into_iter().map(|at| found[at].clone()).collect()),
            None => Err(undecided(&listed, place)),
        }
    }

    fn loadable(&self, found: Vec<FoundSkill>) -> Result<Vec<FoundSkill>> {
        let mut loadable = Vec::new();
        for skill in found {
            match skill.skill.as_ref().map_err(Clone::clone).and_then(|read| install_name(read, &file_of(&skill))) {
                Ok(_) => loadable.push(skill),
                Err(error) if self.options.keep_going => {
                    self.context.reporter.report(Event::warning(format!("left out: {error}")));
                }
                Err(error) => return Err(error.help("`--keep-going` adds the others")),
            }
        }
        Ok(loadable)
    }

    fn entries(
        &self,
        chosen: Vec<FoundSkill>,
        fields: impl Fn(Option<&RelPath>) -> Vec<(&'static str, String)>,
    ) -> Result<Vec<Entry>> {
        if self.options.alias.is_some() && (chosen.len() > 1 || self.options.specs.len() > 1) {
            return Err(Error::usage("`--as` gives one name, and more than one skill was asked for")
                .help("add them one by one"));
        }
        let mut by_name: BTreeMap<PackageName, Vec<FoundSkill>> = BTreeMap::new();
        for found in chosen {
            let file = file_of(&found);
            let skill = found.skill.clone()?;
            let name = match &self.options.alias {
                Some(alias) => alias.clone().into(),
                None => install_name(&skill, &file)?,
            };
            by_name.entry(name).or_default().push(found);
        }
        if let Some((name, twice)) = by_name.iter().find(|(_, found)| found.len() > 1) {
            let dirs: Vec<String> = twice.iter().map(dir_of).collect();
            return Err(ambiguous(name.skill().as_str(), &dirs));
        }
        let entry = |(name, found): (PackageName, Vec<FoundSkill>)| {
            let found = found.into_iter().next().expect("each name has one");
            let mut fields = fields(found.dir.as_ref());
            let own = found.skill.as_ref().ok().and_then(|skill: &Skill| skill.name.parse::<SkillName>().ok());
            if let Some(own) = own.filter(|own| own != name.skill()) {
                fields.push(("package", own.to_string()));
            }
            Entry { key: name.to_string(), fields, dev: self.options.dev }
        };
        Ok(by_name.into_iter().map(entry).collect())
    }
}

/// A dependency on a package of a source, whatever its version.
fn any_of(name: SkillName, source: SourceId) -> Dependency {
    Dependency {
        alias: name.clone(),
        package: name.into(),
        source,
        subdir: None,
        req: VersionReq::STAR,
        dev: false,
        optional: false,
    }
}

pub(super) fn reference_fields(reference: &GitReference, req: Option<&VersionReq>) -> Vec<(&'static str, String)> {
    match reference {
        GitReference::Default => Vec::new(),
        GitReference::Branch(name) => vec![("branch", name.clone())],
        GitReference::Tag(name) => vec![("tag", name.clone())],
        GitReference::Rev(name) => vec![("rev", name.clone())],
        GitReference::Versions => vec![("version", req.map_or("*".to_owned(), ToString::to_string))],
    }
}

/// The requirement that `add` writes for a version: `^1.2` for 1.2.0, `^1.2.3` for 1.2.3.
pub(super) fn caret(version: &semver::Version) -> String {
    match (version.patch, version.pre.is_empty()) {
        (0, true) => format!("^{}.{}", version.major, version.minor),
        _ => format!("^{}.{}.{}{}", version.major, version.minor, version.patch, pre(version)),
    }
}

fn pre(version: &semver::Version) -> String {
    if version.pre.is_empty() { String::new() } else { format!("-{}", version.pre) }
}

fn unknown(name: &PackageName, names: &[PackageName]) -> Error {
    let texts: Vec<String> = names.iter().map(ToString::to_string).collect();
    let mut error = Error::negative(format!("the registry has no package `{name}`"));
    if let Some(near) = nearest(&name.to_string(), texts.iter().map(String::as_str)) {
        error = error.help(format!("did you mean `{near}`?"));
    } else if !texts.is_empty() {
        error = error.note(format!("it has: {}", shortened(&texts)));
    }
    if name.scope().is_none() {
        error = error.help(format!("a directory is written `./{name}`, a repository `gh:owner/repo`"));
    } else {
        error = error.help(format!("for the repository on GitHub write `gh:{name}`"));
    }
    error
}

fn pick(found: &[FoundSkill], name: &str, place: &str) -> Result<FoundSkill> {
    let is_named = |found: &&FoundSkill| found.skill.as_ref().is_ok_and(|skill| skill.name == name);
    let is_called = |found: &&FoundSkill| found.dir.as_ref().is_some_and(|dir| dir.file_name() == name);
    let mut matching: Vec<&FoundSkill> = found.iter().filter(is_named).collect();
    if matching.is_empty() {
        matching = found.iter().filter(is_called).collect();
    }
    match matching.as_slice() {
        [one] => {
            one.skill.clone()?;
            Ok((*one).clone())
        }
        [] => Err(no_such_skill(name, &found.iter().map(|found| title(found).0).collect::<Vec<_>>(), place)),
        several => Err(ambiguous(name, &several.iter().map(|found| dir_of(found)).collect::<Vec<_>>())),
    }
}

fn no_such_skill(name: &str, names: &[String], place: &str) -> Error {
    let error = Error::negative(format!("there is no skill `{}` in `{place}`", name.escape_debug()));
    match nearest(name, names.iter().map(String::as_str)) {
        Some(near) => error.help(format!("did you mean `{near}`?")),
        None => error.help(format!("it has: {}", shortened(names))),
    }
}

/// Two skills of one name in one source.
fn ambiguous(name: &str, dirs: &[String]) -> Error {
    let error = Error::negative(format!("`{name}` is the name of {} skills", dirs.len()));
    let error = dirs.iter().fold(error, |error, dir| error.note(format!("`{dir}`")));
    let last = dirs.last().map_or("", String::as_str);
    error.help(format!(
        "take one alone with `--path {last}`; to have both, give one another name: `--path {last} --as NAME`"
    ))
}

fn undecided(listed: &[(String, String)], place: &str) -> Error {
    let names: Vec<String> = listed.iter().map(|(name, _)| name.clone()).collect();
    Error::new(Kind::Usage, format!("`{place}` has {} skills, and none was chosen", listed.len()))
        .note(format!("it has: {}", shortened(&names)))
        .help("name some with `--skill NAME`, or take all of them with `--all`")
}

/// How many names of a source's skills an error lists.
const SHOWN: usize = 20;

fn shortened(names: &[String]) -> String {
    let mut names = names.to_vec();
    names.sort();
    let shown = names.iter().take(SHOWN).map(|name| name.escape_debug().to_string()).collect::<Vec<_>>().join(", ");
    if names.len() > SHOWN { format!("{shown}, and {} more", names.len() - SHOWN) } else { shown }
}

fn title(found: &FoundSkill) -> (String, String) {
    match &found.skill {
        Ok(skill) => (skill.name.clone(), skill.description.clone()),
        Err(error) => (dir_of(found), format!("cannot be loaded: {error}")),
    }
}

fn dir_of(found: &FoundSkill) -> String {
    found.dir.as_ref().map_or(".".to_owned(), ToString::to_string)
}

fn file_of(found: &FoundSkill) -> String {
    let file = found.skill.as_ref().map(|skill| skill.format).unwrap_or_default().descriptor();
    found.dir.as_ref().map_or(file.to_owned(), |dir| format!("{dir}/{file}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_seen_from_the_root() {
        let way = |path: &str| relative(&normal_path(Path::new(path)), Path::new("/home/me/project"));
        assert_eq!(way("/home/me/style"), "../style");
        assert_eq!(way("/home/me/project/sub/../skills/a"), "skills/a");
        assert_eq!(way("/home/me/project"), ".");
    }

    #[test]
    fn requirements_are_as_short_as_they_can_be() {
        for (version, written) in
            [("1.2.0", "^1.2"), ("1.2.3", "^1.2.3"), ("0.3.1", "^0.3.1"), ("2.0.0-rc.1", "^2.0.0-rc.1")]
        {
            assert_eq!(caret(&version.parse().unwrap()), written);
        }
    }
}
