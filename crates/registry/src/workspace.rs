//! The project: its root, its manifest and its lockfile.
//!
//! There are two sorts of project, and nothing but their places differs: a directory with a `skillpm.toml`, whose skills
//! are the workspace tier, and the person's own (`--global`), whose skills are the managed tier:
//!
//! | | manifest, lockfile | state | skills |
//! |---|---|---|---|
//! | workspace | `<root>/skillpm.toml`, `.lock` | `<root>/.skillpm/` | `<root>/.agents/skills` |
//! | managed | `$SKILLPM_HOME/skillpm.toml`, `.lock` | `$SKILLPM_HOME/state/` | `~/.agents/skills` |
//!
//! A project of many skills says so in `[workspace]`: its members are directories with a `SKILL.md`, with or without a
//! `skillpm.toml` of their own, and inside each of them a command works on the project.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use semver::Version;

use crate::error::{Context, Error, Kind, Result};
use crate::io::disk;
use crate::lockfile::{self, Lockfile};
use crate::manifest::{self, Manifest, Members, Registries, Shared, WorkspaceTable};
use crate::package::{Dependency, PackageName, RelPath, SourceId};
use crate::resolver::{self, Root};
use crate::skill;

/// Which sort of project it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// A directory with a manifest.
    Project,
    /// The person's own skills.
    Managed,
}

/// A project, read but not yet understood: a command that has nothing to do never needs more than these texts.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Which sort it is.
    pub sort: Sort,
    /// The directory that paths in the manifest are relative to.
    pub root: PathBuf,
    /// The member that the command runs in; `None` if it runs in none, or in the root itself.
    pub member: Option<RelPath>,
    /// The text that the manifest of that member is to have; `None` while it stays.
    pub member_text: Option<String>,
    /// Where state, journal and backups lie.
    pub state_dir: PathBuf,
    /// The manifest's text; what a new one holds if there is none yet.
    pub manifest_text: String,
    /// Whether the manifest exists.
    pub exists: bool,
    /// The lockfile's text; `None` if there is none.
    pub lock_text: Option<String>,
}

/// Everything that a project consists of, as its manifests say.
#[derive(Debug, Clone)]
pub struct Lines {
    /// The manifest of the root.
    pub manifest: Manifest,
    /// The members of the workspace.
    pub members: Vec<Member>,
    /// What the root needs, then what each member does. Paths are seen from the root.
    pub roots: Vec<Root>,
}

/// A skill that a workspace is made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Member {
    /// Its directory below the root; `None` for the root itself.
    pub dir: Option<RelPath>,
    /// Its name: that of its manifest, else its skill's, in the workspace's scope if that has one.
    pub name: PackageName,
    /// Its version: that of its manifest, else its skill's.
    pub version: Option<Version>,
    /// Its own manifest, with what it inherits; `None` if it has none.
    pub manifest: Option<Manifest>,
}

impl Member {
    /// Its directory in the workspace at `root`.
    #[must_use]
    pub fn place(&self, root: &Path) -> PathBuf {
        self.dir.as_ref().map_or_else(|| root.to_owned(), |dir| root.join(dir.to_path()))
    }
}

impl Workspace {
    /// The project that `dir` lies in; `None` if there is none.
    ///
    /// It is the nearest directory upwards with a `skillpm.toml`, unless that is a member of a workspace further up. One
    /// that is no member is a project of its own, wherever it stands.
    ///
    /// # Errors
    /// If a file is there but cannot be read, or what it says of members cannot be understood.
    pub fn find(dir: &Path) -> Result<Option<Workspace>> {
        let mut nearest = None;
        for root in dir.ancestors() {
            let file = root.join(manifest::FILE);
            let Some(text) = disk::read_text(&file)? else { continue };
            let Some((inner, _)) = &nearest else {
                let is_root = Members::of(&text, &file.display().to_string()).is_ok_and(|members| members.is_some());
                nearest = Some((root, text));
                if is_root {
                    break;
                }
                continue;
            };
            let members = Members::of(&text, &file.display().to_string())?;
            if members.is_some_and(|members| belongs(&members, root, inner)) {
                nearest = Some((root, text));
                break;
            }
        }
        let Some((root, text)) = nearest else { return Ok(None) };
        let member = member_at(root, &text, dir);
        Ok(Some(Workspace { member, ..Self::project(root, Some(text))? }))
    }

    /// A project that is about to be made in `root`.
    ///
    /// # Errors
    /// If a lockfile is there but cannot be read.
    pub fn new_in(root: &Path) -> Result<Workspace> {
        Self::project(root, None)
    }

    /// The person's own project, which need not exist yet.
    ///
    /// # Errors
    /// If a file is there but cannot be read.
    pub fn managed(home: &Path) -> Result<Workspace> {
        let text = disk::read_text(&home.join(manifest::FILE))?;
        Self::read(Sort::Managed, home, home.join("state"), text)
    }

    fn project(root: &Path, text: Option<String>) -> Result<Workspace> {
        Self::read(Sort::Project, root, root.join(".skillpm"), text)
    }

    fn read(sort: Sort, root: &Path, state_dir: PathBuf, text: Option<String>) -> Result<Workspace> {
        Ok(Workspace {
            sort,
            root: root.to_owned(),
            member: None,
            member_text: None,
            state_dir,
            exists: text.is_some(),
            manifest_text: text.unwrap_or_else(|| manifest::edit::NEW.to_owned()),
            lock_text: disk::read_text(&root.join(lockfile::FILE))?,
        })
    }

    /// The manifest's path.
    #[must_use]
    pub fn manifest_path(&self) -> PathBuf {
        self.root.join(manifest::FILE)
    }

    /// The lockfile's path.
    #[must_use]
    pub fn lock_path(&self) -> PathBuf {
        self.root.join(lockfile::FILE)
    }

    /// What the manifest says.
    ///
    /// # Errors
    /// If it cannot be understood; the message has line and column.
    pub fn manifest(&self, registries: Registries<'_>) -> Result<Manifest> {
        Manifest::parse(&self.manifest_text, manifest::FILE, registries)
    }

    /// The skills that the project is made of, sorted by directory; none if it is not a workspace.
    ///
    /// The root itself comes first if it has a `[package]` and a `SKILL.md`.
    ///
    /// # Errors
    /// If a member's files cannot be read or understood, a directory that is named as a member has no `SKILL.md`, or two
    /// members have one name.
    pub fn members(&self, registries: Registries<'_>) -> Result<Vec<Member>> {
        let manifest = self.manifest(registries)?;
        let Some(table) = &manifest.workspace else { return Ok(Vec::new()) };
        let mut members = Vec::new();
        if manifest.package.is_some() && has_skill(&self.root)? {
            members.push(self.root_member(&manifest)?);
        }
        let folders = |dir: &str| folders(&self.root.join(dir));
        for (dir, is_named) in table.members.expand(&folders)? {
            if has_skill(&self.root.join(&dir))? {
                members.push(self.member_in(dir.parse()?, table, registries)?);
            } else if is_named {
                return Err(Error::usage(format!("`{dir}` is a member of this workspace and has no `SKILL.md`"))
                    .help(format!("`skillpm new` makes a skill; or take `{dir}` out of `members`")));
            }
        }
        distinct(&members)?;
        Ok(members)
    }

    /// What the workspace that the directory is a member of has for its members; `None` if it is none's.
    ///
    /// # Errors
    /// If the workspace's manifest cannot be read or understood.
    pub fn shared_with(dir: &Path, registries: Registries<'_>) -> Result<Option<Shared>> {
        let Some(found) = Self::find(dir)? else { return Ok(None) };
        let Some(member) = found.member.as_ref().filter(|member| found.root.join(member.to_path()) == dir) else {
            return Ok(None);
        };
        Ok(found.manifest(registries)?.workspace.map(|own| own.shared.seen_from(member)))
    }

    /// Everything that the project consists of, from its own manifest and those of its members, with paths seen from the
    /// root.
    ///
    /// # Errors
    /// As for [`Workspace::members`].
    pub fn lines(&self, registries: Registries<'_>) -> Result<Lines> {
        let manifest = self.manifest(registries)?;
        let members = if manifest.workspace.is_some() { self.members(registries)? } else { Vec::new() };
        let mut roots: Vec<Root> = manifest.dependencies.iter().cloned().map(Root::from).collect();
        for member in &members {
            let (Some(dir), Some(own)) = (&member.dir, &member.manifest) else { continue };
            let speaker = resolver::Member { name: member.name.to_string(), dir: dir.to_string() };
            roots.extend(own.dependencies.iter().map(|dependency| Root {
                dependency: Dependency { source: seen_from_root(dir, &dependency.source), ..dependency.clone() },
                member: Some(speaker.clone()),
            }));
        }
        Ok(Lines { manifest, members, roots })
    }

    /// The texts of the members' own manifests by their directories, not understood.
    ///
    /// # Errors
    /// If one cannot be read, or what the root says of members cannot be understood.
    pub fn member_texts(&self) -> Result<BTreeMap<String, String>> {
        let Some(members) = Members::of(&self.manifest_text, manifest::FILE)? else { return Ok(BTreeMap::new()) };
        let mut texts = BTreeMap::new();
        for (dir, _) in members.expand(&|dir: &str| folders(&self.root.join(dir)))? {
            let text = self.member_text_in(&dir.parse()?)?;
            texts.extend(text.map(|text| (dir, text)));
        }
        Ok(texts)
    }

    fn member_text_in(&self, dir: &RelPath) -> Result<Option<String>> {
        match &self.member_text {
            Some(text) if self.member.as_ref() == Some(dir) => Ok(Some(text.clone())),
            _ => disk::read_text(&self.root.join(dir.to_path()).join(manifest::FILE)),
        }
    }

    /// The directory whose manifest a command that edits one works on: the member's that it runs in, else the root.
    #[must_use]
    pub fn own_dir(&self) -> PathBuf {
        self.member.as_ref().map_or_else(|| self.root.clone(), |member| self.root.join(member.to_path()))
    }

    /// The text of that manifest; what a new one holds if there is none yet.
    ///
    /// # Errors
    /// If it is there but cannot be read.
    pub fn own_text(&self) -> Result<String> {
        match &self.member {
            None => Ok(self.manifest_text.clone()),
            Some(member) => Ok(self.member_text_in(member)?.unwrap_or_else(|| manifest::edit::NEW.to_owned())),
        }
    }

    /// What that manifest says.
    ///
    /// # Errors
    /// If it cannot be understood; the message has line and column.
    pub fn own_manifest(&self, registries: Registries<'_>) -> Result<Manifest> {
        let root = self.manifest(registries)?;
        let Some(member) = &self.member else { return Ok(root) };
        let shared = root.workspace.map(|table| table.shared.seen_from(member));
        let file = format!("{member}/{}", manifest::FILE);
        Manifest::parse_member(&self.own_text()?, &file, registries, shared.as_ref())
    }

    /// The project as it would be with another text of that manifest.
    #[must_use]
    pub fn with_own_text(&self, text: &str) -> Workspace {
        let mut changed = self.clone();
        match self.member {
            None => text.clone_into(&mut changed.manifest_text),
            Some(_) => changed.member_text = Some(text.to_owned()),
        }
        changed
    }

    fn root_member(&self, manifest: &Manifest) -> Result<Member> {
        let package = manifest.package.as_ref().expect("asked for only with a package");
        let version = match &package.version {
            Some(version) => Some(version.clone()),
            None => read_skill(&self.root, "SKILL.md")?.semver(),
        };
        Ok(Member { dir: None, name: package.name.clone(), version, manifest: Some(manifest.clone()) })
    }

    fn member_in(&self, dir: RelPath, table: &WorkspaceTable, registries: Registries<'_>) -> Result<Member> {
        let path = self.root.join(dir.to_path());
        let file = format!("{dir}/{}", manifest::FILE);
        let shared = table.shared.seen_from(&dir);
        let manifest = match self.member_text_in(&dir)? {
            Some(text) => Some(Manifest::parse_member(&text, &file, registries, Some(&shared))?),
            None => None,
        };
        if manifest.as_ref().is_some_and(|own| own.workspace.is_some()) {
            return Err(Error::usage(format!("`{dir}` is a member of this workspace, and a workspace of its own"))
                .help(format!("take `[workspace]` out of `{file}`, or `{dir}` out of `members`")));
        }
        let package = manifest.as_ref().and_then(|own| own.package.as_ref());
        if let Some((name, Some(version))) = package.map(|own| (own.name.clone(), own.version.clone())) {
            return Ok(Member { dir: Some(dir), name, version: Some(version), manifest });
        }
        let skill = read_skill(&path, &format!("{dir}/SKILL.md"))?;
        let name = match package {
            Some(package) => package.name.clone(),
            None => scoped(table, &skill.name).context(|| format!("`{dir}` cannot be a member"))?,
        };
        Ok(Member { dir: Some(dir), name, version: skill.semver(), manifest })
    }

    /// What the lockfile says; `None` if there is none.
    ///
    /// # Errors
    /// If it cannot be understood.
    pub fn lockfile(&self) -> Result<Option<Lockfile>> {
        self.lock_text.as_deref().map(|text| Lockfile::parse(text, lockfile::FILE)).transpose()
    }

    /// What the lockfile says.
    ///
    /// # Errors
    /// If there is none, or it cannot be understood.
    pub fn required_lockfile(&self) -> Result<Lockfile> {
        self.lockfile()?.ok_or_else(|| {
            Error::usage(format!("there is no `{}` in `{}`", lockfile::FILE, self.root.display()))
                .help("`skillpm install` makes one")
        })
    }
}

/// A source as a member's manifest writes it, seen from the root.
fn seen_from_root(dir: &RelPath, source: &SourceId) -> SourceId {
    match source {
        SourceId::Path(path) if !path.starts_with('/') => SourceId::path(&format!("{dir}/{path}")),
        SourceId::Archive(place) if !place.starts_with('/') && !place.contains("://") => {
            match SourceId::path(&format!("{dir}/{place}")) {
                SourceId::Path(path) => SourceId::Archive(path),
                other => other,
            }
        }
        other => other.clone(),
    }
}

/// Whether `inner` is a skill's directory and a member of the workspace in `root`.
fn belongs(members: &Members, root: &Path, inner: &Path) -> bool {
    below(root, inner).is_some_and(|dir| members.hold(&dir)) && has_skill(inner).unwrap_or(false)
}

/// The member that `dir` lies in; `None` also if what the root says of members cannot be understood.
fn member_at(root: &Path, text: &str, dir: &Path) -> Option<RelPath> {
    let members = Members::of(text, manifest::FILE).ok()??;
    let found = dir.ancestors().take_while(|at| *at != root).find(|at| belongs(&members, root, at))?;
    below(root, found)?.parse().ok()
}

/// The path of `dir` below `root`, with `/`.
fn below(root: &Path, dir: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = dir.strip_prefix(root).ok()?.iter().map(|part| part.to_str()).collect();
    parts.filter(|parts| !parts.is_empty()).map(|parts| parts.join("/"))
}

fn has_skill(dir: &Path) -> Result<bool> {
    Ok(disk::lstat(&dir.join("SKILL.md"))?.is_some_and(|meta| meta.is_file()))
}

/// The names of the directories in a directory, links not followed.
fn folders(dir: &Path) -> Result<Vec<String>> {
    let mut names = disk::names(dir)?;
    let is_folder = |name: &String| disk::lstat(&dir.join(name)).ok().flatten().is_some_and(|meta| meta.is_dir());
    names.retain(is_folder);
    Ok(names)
}

fn read_skill(dir: &Path, file: &str) -> Result<skill::Skill> {
    let bytes = disk::read(&dir.join("SKILL.md"))?.unwrap_or_default();
    let called = dir.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let reading = skill::read(&bytes, called);
    reading.skill.ok_or_else(|| skill::unreadable(file, &reading.diagnostics))
}

/// A skill's name in the workspace's scope.
fn scoped(table: &WorkspaceTable, name: &str) -> Result<PackageName> {
    match &table.scope {
        Some(scope) => format!("{scope}/{name}").parse(),
        None => name.parse(),
    }
}

fn distinct(members: &[Member]) -> Result<()> {
    let mut seen: BTreeMap<&PackageName, &Member> = BTreeMap::new();
    for member in members {
        if let Some(other) = seen.insert(&member.name, member) {
            let place = |member: &Member| member.dir.as_ref().map_or(".", RelPath::as_str).to_owned();
            return Err(Error::new(Kind::Usage, format!("two members of this workspace are called `{}`", member.name))
                .note(format!("`{}`", place(other)))
                .note(format!("`{}`", place(member)))
                .help("give one of them another name, or take it out with `exclude` below `[workspace]`"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOT: &str = "[workspace]\nmembers = [\"skills/*\"]\nexclude = [\"skills/attic\"]\n\
                        [workspace.package]\nscope = \"acme\"\nversion = \"2.0.0\"\n";

    fn write(dir: &Path, path: &str, text: &str) {
        let place = dir.join(path);
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::fs::write(place, text).unwrap();
    }

    fn skill(name: &str) -> String {
        format!("---\nname: {name}\ndescription: d\nmetadata:\n  version: 1.1.0\n---\n")
    }

    /// A workspace with `a` (no manifest), `b` (one that inherits), `attic` (excluded) and `notes` (no skill).
    fn workspace() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "skillpm.toml", ROOT);
        write(dir.path(), "skills/a/SKILL.md", &skill("a"));
        write(dir.path(), "skills/b/SKILL.md", &skill("b"));
        write(dir.path(), "skills/b/skillpm.toml", "[package]\nname = \"other/b\"\nversion.workspace = true\n");
        write(dir.path(), "skills/attic/SKILL.md", &skill("attic"));
        write(dir.path(), "skills/attic/skillpm.toml", "");
        write(dir.path(), "skills/notes/readme.md", "");
        dir
    }

    fn members(dir: &Path) -> Result<Vec<(String, String)>> {
        let members = Workspace::find(dir).unwrap().unwrap().members(&|_| Ok("index".into()))?;
        let told = |member: Member| {
            let dir = member.dir.map_or_else(|| ".".to_owned(), |dir| dir.to_string());
            (dir, format!("{} {}", member.name, member.version.unwrap()))
        };
        Ok(members.into_iter().map(told).collect())
    }

    #[test]
    fn members_are_the_skills_that_the_patterns_find() {
        let dir = workspace();
        let expected = [("skills/a", "acme/a 1.1.0"), ("skills/b", "other/b 2.0.0")].map(|(a, b)| (a.into(), b.into()));
        assert_eq!(members(dir.path()).unwrap(), expected);
        write(dir.path(), "skillpm.toml", &format!("{ROOT}[package]\nname = \"all\"\nversion = \"3.0.0\"\n"));
        assert_eq!(members(dir.path()).unwrap(), expected, "the root has no skill");
        write(dir.path(), "SKILL.md", &skill("all"));
        assert_eq!(members(dir.path()).unwrap()[0], (".".into(), "all 3.0.0".into()));
    }

    #[test]
    fn two_members_of_one_name_are_both_told() {
        let dir = workspace();
        write(dir.path(), "skills/c/SKILL.md", &skill("a"));
        let error = members(dir.path()).unwrap_err();
        assert_eq!(error.message(), "two members of this workspace are called `acme/a`");
        assert_eq!(error.notes(), ["`skills/a`", "`skills/c`"]);
    }

    #[test]
    fn a_directory_that_is_named_must_be_a_skill() {
        let dir = workspace();
        write(dir.path(), "skillpm.toml", "[workspace]\nmembers = [\"skills/notes\"]\n");
        let error = members(dir.path()).unwrap_err();
        assert_eq!(error.message(), "`skills/notes` is a member of this workspace and has no `SKILL.md`");
    }

    #[test]
    fn inside_a_member_the_project_is_the_workspace() {
        let dir = workspace();
        for (at, root, member) in [
            ("skills/b", "", Some("skills/b")),
            ("skills/a", "", Some("skills/a")),
            ("skills", "", None),
            ("skills/notes", "", None),
            ("skills/attic", "skills/attic", None),
        ] {
            let found = Workspace::find(&dir.path().join(at)).unwrap().unwrap();
            assert_eq!(found.root, dir.path().join(root).components().collect::<PathBuf>(), "{at}");
            assert_eq!(found.member.as_ref().map(RelPath::as_str), member, "{at}");
        }
    }

    #[test]
    fn the_nearest_manifest_upwards_is_the_project() {
        let dir = tempfile::tempdir().unwrap();
        let deep = dir.path().join("a/b/c");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(dir.path().join("a/skillpm.toml"), "[dependencies]\n").unwrap();
        let found = Workspace::find(&deep).unwrap().unwrap();
        assert_eq!(found.root, dir.path().join("a"));
        assert_eq!(found.lock_text, None);
        assert!(Workspace::find(dir.path()).unwrap().is_none());
    }
}
