//! The project: its root, its manifest and its lockfile.
//!
//! There are two kinds of project, which differ only in their paths: a directory with a `skillpm.toml`, whose skills are
//! the workspace tier, and the user's own (`--global`), whose skills are the managed tier:
//!
//! | | manifest, lockfile | state | skills |
//! |---|---|---|---|
//! | workspace | `<root>/skillpm.toml`, `.lock` | `<root>/.skillpm/` | `<root>/.agents/skills` |
//! | managed | `$SKILLPM_HOME/skillpm.toml`, `.lock` | `$SKILLPM_HOME/state/` | `~/.agents/skills` |
//!
//! A project with many skills lists them in `[workspace]`: its members are directories with a `SKILL.md`, with or without
//! a `skillpm.toml` of their own. A command that runs inside a member works on the project.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use semver::Version;

use skillpm_core::error::{Error, ErrorContext, FailureKind, Result};
use skillpm_core::lockfile::{self, Lockfile};
use skillpm_core::manifest::{
    self, InheritableFields, Manifest, MemberPatterns, RegistryLookup, WorkspaceTable,
};
use skillpm_core::package::{PackageDependency, PackageName, RelPath, SourceId};
use skillpm_core::resolver::{self, RootDependency};
use skillpm_core::skill;
use skillpm_io::disk;

/// The kind of a project.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkspaceKind {
    /// A directory with a manifest.
    Project,
    /// The user's own skills.
    Managed,
}

/// A project whose files are read but not parsed: a command with nothing to do needs no more than these texts.
#[derive(Debug, Clone)]
pub struct Workspace {
    /// Its kind.
    pub kind: WorkspaceKind,
    /// The directory that paths in the manifest are relative to.
    pub root: PathBuf,
    /// The member that the command runs in; `None` if it runs in none, or in the root itself.
    pub member: Option<RelPath>,
    /// The text that the manifest of that member will have; `None` while it is unchanged.
    pub member_text: Option<String>,
    /// The directory of state, journal and backups.
    pub state_dir: PathBuf,
    /// The manifest's text; that of an empty one if there is none yet.
    pub manifest_text: String,
    /// Whether the manifest exists.
    pub exists: bool,
    /// The lockfile's text; `None` if there is none.
    pub lock_text: Option<String>,
}

/// The parsed manifests of a project.
#[derive(Debug, Clone)]
pub struct WorkspaceManifests {
    /// The manifest of the root.
    pub manifest: Manifest,
    /// The members of the workspace.
    pub members: Vec<WorkspaceMember>,
    /// The dependencies of the root, then those of each member, with paths relative to the root.
    pub roots: Vec<RootDependency>,
}

/// A skill of a workspace.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkspaceMember {
    /// Its directory, relative to the root; `None` for the root itself.
    pub dir: Option<RelPath>,
    /// Its name: that of its manifest, else its skill's, in the workspace's scope if that has one.
    pub name: PackageName,
    /// Its version: that of its manifest, else its skill's.
    pub version: Option<Version>,
    /// Its own manifest, with inherited fields; `None` if it has none.
    pub manifest: Option<Manifest>,
}

impl WorkspaceMember {
    /// Its directory in the workspace at `root`.
    #[must_use]
    pub fn place(&self, root: &Path) -> PathBuf {
        self.dir
            .as_ref()
            .map_or_else(|| root.to_owned(), |dir| root.join(dir.to_path()))
    }
}

impl Workspace {
    /// Finds the project that `dir` is in; `None` if there is none.
    ///
    /// It is the nearest directory upwards with a `skillpm.toml`, up to the root of the repository, unless that is a member
    /// of a workspace further up. A directory that is not a member is a project of its own, even inside a workspace.
    ///
    /// Above the root of the repository only a workspace counts that has the directory as a member, such as one whose
    /// members are submodules: any other manifest there is of something else.
    ///
    /// # Errors
    /// If a file cannot be read, or its `members` are invalid.
    pub fn find(dir: &Path) -> Result<Option<Workspace>> {
        let mut nearest = None;
        let repository = disk::find_repository_root(dir);
        // Upwards from the innermost: a project inside another one is the one that is meant.
        for root in dir.ancestors() {
            if repository.is_some_and(|repository| !root.starts_with(repository)) {
                let inner = nearest.as_ref().map(|(inner, _)| *inner);
                if let Some(text) = workspace_text(root, dir, inner) {
                    nearest = Some((root, text));
                    break;
                }
                continue;
            }

            let file = root.join(manifest::FILE);
            let Some(text) = disk::read_text(&file)? else {
                continue;
            };

            let Some((inner, _)) = &nearest else {
                // The nearest manifest. A root of a workspace is its own project, whatever is above it.
                let is_root = MemberPatterns::parse(&text, &file.display().to_string())
                    .is_ok_and(|members| members.is_some());
                nearest = Some((root, text));
                if is_root {
                    break;
                }
                continue;
            };

            // Further up only a workspace counts that has the inner directory as a member.
            let members = MemberPatterns::parse(&text, &file.display().to_string())?;
            if members.is_some_and(|members| is_member(&members, root, inner)) {
                nearest = Some((root, text));
                break;
            }
        }

        let Some((root, text)) = nearest else {
            return Ok(None);
        };

        let member = member_at(root, &text, dir);
        Ok(Some(Workspace {
            member,
            ..Self::project(root, Some(text))?
        }))
    }

    /// Opens a project that is about to be created in `root`.
    ///
    /// # Errors
    /// If there is a lockfile that cannot be read.
    pub fn new_in(root: &Path) -> Result<Workspace> {
        Self::project(root, None)
    }

    /// Opens the user's own project, which need not exist yet.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn managed(home: &Path) -> Result<Workspace> {
        // No search upwards: the user's own project is always at the same place.
        let text = disk::read_text(&home.join(manifest::FILE))?;
        Self::read(WorkspaceKind::Managed, home, home.join("state"), text)
    }

    fn project(root: &Path, text: Option<String>) -> Result<Workspace> {
        Self::read(WorkspaceKind::Project, root, root.join(".skillpm"), text)
    }

    fn read(
        kind: WorkspaceKind,
        root: &Path,
        state_dir: PathBuf,
        text: Option<String>,
    ) -> Result<Workspace> {
        Ok(Workspace {
            kind,
            root: root.to_owned(),
            member: None,
            member_text: None,
            state_dir,
            exists: text.is_some(),
            manifest_text: text.unwrap_or_else(|| manifest::edit::EMPTY_MANIFEST.to_owned()),
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

    /// Parses the manifest.
    ///
    /// # Errors
    /// If it is invalid; the message has line and column.
    pub fn manifest(&self, registries: RegistryLookup<'_>) -> Result<Manifest> {
        let registries = |name: Option<&str>| self.look_up_registry(registries, name);
        Manifest::parse(&self.manifest_text, manifest::FILE, &registries)
    }

    /// The index URL of a registry. The lockfile has that of one that the settings lack, as in a clone.
    fn look_up_registry(
        &self,
        registries: RegistryLookup<'_>,
        name: Option<&str>,
    ) -> Result<String> {
        let (error, name) = match (registries(name), name) {
            (Err(error), Some(name)) => (error, name),
            (found, _) => return found,
        };
        let Ok(Some(lockfile)) = self.lockfile() else {
            return Err(error);
        };
        let known = registries(None).ok();
        let locked = lockfile.packages().iter();
        let urls: BTreeSet<&str> = locked
            .filter_map(|locked| match &locked.source {
                SourceId::Registry(url) if Some(url.as_str()) != known.as_deref() => {
                    Some(url.as_str())
                }
                _ => None,
            })
            .filter(|url| *url != SourceId::EMBEDDED_INDEX)
            .collect();
        if urls.is_empty() {
            return Err(error);
        }
        let unknown = Error::usage(format!("unknown registry `{}`", name.escape_debug()))
            .note("it is in the settings of who added it, and not in those of the project");
        Err(urls.into_iter().fold(unknown, |error, url| {
            error.help(format!(
                "skillpm.lock has packages of `{url}`; if you trust it, run `skillpm config set --project registries.{name}.index {}`",
                resolver::shell_quoted(url.to_owned())
            ))
        }))
    }

    /// Reads the members of the workspace, sorted by directory; none if the project is not a workspace.
    ///
    /// The root itself comes first if it has a `[package]` and a `SKILL.md`.
    ///
    /// # Errors
    /// If a member's files cannot be read or parsed, a directory that is named as a member has no `SKILL.md`, or two
    /// members have the same name.
    pub fn members(&self, registries: RegistryLookup<'_>) -> Result<Vec<WorkspaceMember>> {
        let manifest = self.manifest(registries)?;
        let Some(table) = &manifest.workspace else {
            return Ok(Vec::new());
        };

        let (mut members, mut invalid) = (Vec::new(), Vec::new());
        if manifest.package.is_some() && has_skill(&self.root)? {
            members.push(self.read_root_member(&manifest)?);
        }

        let folders = |dir: &str| subdirectories(&self.root.join(dir));
        // A pattern may match other directories, too; one that is named has to be a skill.
        for (dir, is_named) in table.members.expand(&folders)? {
            if has_skill(&self.root.join(&dir))? {
                match self.read_member(dir.parse()?, table, registries) {
                    Ok(member) => members.push(member),
                    Err(error) => invalid.push(error),
                }
            } else if is_named {
                return Err(Error::usage(format!(
                    "missing `SKILL.md` in workspace member `{dir}`"
                ))
                .help(format!(
                    "run `skillpm new` to create a skill, or remove `{dir}` from `members`"
                )));
            }
        }

        Error::fail_if_any(invalid, |count| {
            format!("{count} workspace members are invalid")
        })?;
        check_unique_names(&members)?;
        Ok(members)
    }

    /// The fields that a workspace member in `dir` inherits; `None` if `dir` is not a member.
    ///
    /// # Errors
    /// If the workspace's manifest cannot be read or parsed.
    pub fn inherited_by(
        dir: &Path,
        registries: RegistryLookup<'_>,
    ) -> Result<Option<InheritableFields>> {
        // A directory outside any workspace inherits nothing, and that is no error.
        let Some(found) = Self::find(dir)? else {
            return Ok(None);
        };

        let Some(member) = found
            .member
            .as_ref()
            .filter(|member| found.root.join(member.to_path()) == dir)
        else {
            return Ok(None);
        };

        Ok(found
            .manifest(registries)?
            .workspace
            .map(|own| own.shared.seen_from(member)))
    }

    /// Parses the project's own manifest and those of its members, with paths relative to the root.
    ///
    /// # Errors
    /// As for [`Workspace::members`].
    pub fn read_manifests(&self, registries: RegistryLookup<'_>) -> Result<WorkspaceManifests> {
        let manifest = self.manifest(registries)?;

        let members = if manifest.workspace.is_some() {
            self.members(registries)?
        } else {
            Vec::new()
        };

        let mut roots: Vec<RootDependency> = manifest
            .dependencies
            .iter()
            .cloned()
            .map(RootDependency::from)
            .collect();

        for member in &members {
            // The dependencies of the root are in `roots` already.
            let (Some(dir), Some(own)) = (&member.dir, &member.manifest) else {
                continue;
            };

            // For the explanation of a conflict, which names the member that requires something.
            let member_ref = resolver::MemberRef {
                name: member.name.to_string(),
                dir: dir.to_string(),
            };
            roots.extend(own.dependencies.iter().map(|dependency| RootDependency {
                dependency: PackageDependency {
                    source: rebase_source(dir, &dependency.source),
                    ..dependency.clone()
                },
                member: Some(member_ref.clone()),
            }));
        }

        Ok(WorkspaceManifests {
            manifest,
            members,
            roots,
        })
    }

    /// Reads the texts of the members' own manifests, by their directories.
    ///
    /// # Errors
    /// If one cannot be read, or the `members` of the root are invalid.
    pub fn member_texts(&self) -> Result<BTreeMap<String, String>> {
        let Some(members) = MemberPatterns::parse(&self.manifest_text, manifest::FILE)? else {
            return Ok(BTreeMap::new());
        };

        let mut texts = BTreeMap::new();
        for (dir, _) in members.expand(&|dir: &str| subdirectories(&self.root.join(dir)))? {
            // A member without a manifest of its own has no text to edit or to undo.
            let text = self.member_text_in(&dir.parse()?)?;
            texts.extend(text.map(|text| (dir, text)));
        }
        Ok(texts)
    }

    fn member_text_in(&self, dir: &RelPath) -> Result<Option<String>> {
        match &self.member_text {
            // The text that a command is about to write replaces the one on disk.
            Some(text) if self.member.as_ref() == Some(dir) => Ok(Some(text.clone())),
            _ => disk::read_text(&self.root.join(dir.to_path()).join(manifest::FILE)),
        }
    }

    /// The directory of the manifest that a command edits: the member that it runs in, else the root.
    #[must_use]
    pub fn edited_dir(&self) -> PathBuf {
        self.member.as_ref().map_or_else(
            || self.root.clone(),
            |member| self.root.join(member.to_path()),
        )
    }

    /// The text of that manifest; that of an empty one if there is none yet.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn edited_text(&self) -> Result<String> {
        match &self.member {
            None => Ok(self.manifest_text.clone()),
            Some(member) => Ok(self
                .member_text_in(member)?
                .unwrap_or_else(|| manifest::edit::EMPTY_MANIFEST.to_owned())),
        }
    }

    /// Parses that manifest.
    ///
    /// # Errors
    /// If it is invalid; the message has line and column.
    pub fn edited_manifest(&self, registries: RegistryLookup<'_>) -> Result<Manifest> {
        let root = self.manifest(registries)?;
        let Some(member) = &self.member else {
            return Ok(root);
        };

        let shared = root.workspace.map(|table| table.shared.seen_from(member));
        // Relative to the root, where the user runs most commands.
        let file = format!("{member}/{}", manifest::FILE);
        let registries = |name: Option<&str>| self.look_up_registry(registries, name);
        Manifest::parse_member(&self.edited_text()?, &file, &registries, shared.as_ref())
    }

    /// The project as it would be with another text of that manifest.
    #[must_use]
    pub fn with_edited_text(&self, text: &str) -> Workspace {
        // Nothing is written yet: the transaction writes all texts at once.
        let mut changed = self.clone();
        match self.member {
            None => text.clone_into(&mut changed.manifest_text),
            Some(_) => changed.member_text = Some(text.to_owned()),
        }
        changed
    }

    fn read_root_member(&self, manifest: &Manifest) -> Result<WorkspaceMember> {
        let package = manifest
            .package
            .as_ref()
            .expect("called only with a package");
        let version = match &package.version {
            Some(version) => Some(version.clone()),
            // Only without a version in the manifest is the skill read.
            None => read_skill(&self.root, "SKILL.md")?.semver(),
        };

        Ok(WorkspaceMember {
            dir: None,
            name: package.name.clone(),
            version,
            manifest: Some(manifest.clone()),
        })
    }

    fn read_member(
        &self,
        dir: RelPath,
        table: &WorkspaceTable,
        registries: RegistryLookup<'_>,
    ) -> Result<WorkspaceMember> {
        let manifest = self.read_member_manifest(&dir, table, registries)?;
        let package = manifest.as_ref().and_then(|own| own.package.as_ref());
        // With both of them in the manifest the skill need not be read.
        if let Some((name, Some(version))) =
            package.map(|own| (own.name.clone(), own.version.clone()))
        {
            return Ok(WorkspaceMember {
                dir: Some(dir),
                name,
                version: Some(version),
                manifest,
            });
        }

        let path = self.root.join(dir.to_path());
        let skill = read_skill(&path, &format!("{dir}/SKILL.md"))?;
        // The manifest's name has its scope already.
        let name = match package {
            Some(package) => package.name.clone(),
            None => scoped_name(table, &skill.name)
                .context(|| format!("invalid workspace member `{dir}`"))?,
        };

        Ok(WorkspaceMember {
            dir: Some(dir),
            name,
            version: skill.semver(),
            manifest,
        })
    }

    fn read_member_manifest(
        &self,
        dir: &RelPath,
        table: &WorkspaceTable,
        registries: RegistryLookup<'_>,
    ) -> Result<Option<Manifest>> {
        let Some(text) = self.member_text_in(dir)? else {
            return Ok(None);
        };

        let file = format!("{dir}/{}", manifest::FILE);
        let shared = table.shared.seen_from(dir);
        let registries = |name: Option<&str>| self.look_up_registry(registries, name);
        let own = Manifest::parse_member(&text, &file, &registries, Some(&shared))?;
        // Whose members would be part of two workspaces.
        if own.workspace.is_some() {
            return Err(Error::usage(format!(
                "workspace member `{dir}` cannot be a workspace itself"
            ))
            .help(format!(
                "remove `[workspace]` from `{file}`, or `{dir}` from `members`"
            )));
        }
        Ok(Some(own))
    }

    /// Parses the lockfile; `None` if there is none.
    ///
    /// # Errors
    /// If it is invalid.
    pub fn lockfile(&self) -> Result<Option<Lockfile>> {
        // Parsed on demand: a command with nothing to do compares texts only.
        self.lock_text
            .as_deref()
            .map(|text| Lockfile::parse(text, lockfile::FILE))
            .transpose()
    }

    /// Parses the lockfile, which must exist.
    ///
    /// # Errors
    /// If there is none, or it is invalid.
    pub fn required_lockfile(&self) -> Result<Lockfile> {
        match self.lockfile()? {
            Some(lockfile) => Ok(lockfile),
            None => Err(Error::usage(format!(
                "lockfile `{}` not found in `{}`",
                lockfile::FILE,
                self.root.display()
            ))
            .help("run `skillpm install` to create it")),
        }
    }
}

/// Rebases a source in a member's manifest, so that its path is relative to the root.
fn rebase_source(dir: &RelPath, source: &SourceId) -> SourceId {
    match source {
        SourceId::Path(path) if !path.starts_with('/') => {
            SourceId::from_path(&format!("{dir}/{path}"))
        }
        SourceId::Archive(path) if !path.starts_with('/') && !path.contains("://") => {
            // Normalized as a path is: `..` may lead out of the member's directory.
            match SourceId::from_path(&format!("{dir}/{path}")) {
                SourceId::Path(path) => SourceId::Archive(path),
                other => other,
            }
        }
        other => other.clone(),
    }
}

/// The manifest in `root`, above the repository of `dir`, if it is that of a workspace with `inner` as a member, or with the
/// skill that `dir` is in.
fn workspace_text(root: &Path, dir: &Path, inner: Option<&Path>) -> Option<String> {
    // One that cannot be read, or is invalid, is not this project's, and must not stop its commands.
    let text = disk::read_text(&root.join(manifest::FILE)).ok()??;
    let has_member = match inner {
        Some(inner) => MemberPatterns::parse(&text, manifest::FILE)
            .ok()?
            .is_some_and(|members| is_member(&members, root, inner)),
        None => member_at(root, &text, dir).is_some(),
    };
    has_member.then_some(text)
}

/// Whether `inner` is a skill's directory and a member of the workspace in `root`.
fn is_member(members: &MemberPatterns, root: &Path, inner: &Path) -> bool {
    relative_dir(root, inner).is_some_and(|dir| members.contains_dir(&dir))
        && has_skill(inner).unwrap_or(false)
}

/// The member that `dir` is in; `None` also if the `members` of the root are invalid.
fn member_at(root: &Path, text: &str, dir: &Path) -> Option<RelPath> {
    let members = MemberPatterns::parse(text, manifest::FILE).ok()??;
    let found = dir
        .ancestors()
        .take_while(|at| *at != root)
        .find(|at| is_member(&members, root, at))?;
    relative_dir(root, found)?.parse().ok()
}

/// The path of `dir` relative to `root`, with `/`; `None` for the root itself and outside it.
fn relative_dir(root: &Path, dir: &Path) -> Option<String> {
    // A name that is not UTF-8 cannot be in `members`.
    let parts: Option<Vec<&str>> = dir
        .strip_prefix(root)
        .ok()?
        .iter()
        .map(|part| part.to_str())
        .collect();
    parts
        .filter(|parts| !parts.is_empty())
        .map(|parts| parts.join("/"))
}

fn has_skill(dir: &Path) -> Result<bool> {
    // A link does not count: it could lead to a skill outside the workspace.
    Ok(disk::lstat(&dir.join("SKILL.md"))?.is_some_and(|meta| meta.is_file()))
}

/// The names of the directories in a directory, links not followed.
fn subdirectories(dir: &Path) -> Result<Vec<String>> {
    let mut names = disk::list_names(dir)?;
    let is_folder = |name: &String| {
        disk::lstat(&dir.join(name))
            .ok()
            .flatten()
            .is_some_and(|meta| meta.is_dir())
    };

    names.retain(is_folder);
    Ok(names)
}

fn read_skill(dir: &Path, file: &str) -> Result<skill::Skill> {
    let bytes = disk::read(&dir.join("SKILL.md"))?.unwrap_or_default();
    let dir_name = dir
        .file_name()
        .and_then(|name| name.to_str())
        .unwrap_or_default();

    let reading = skill::read(&bytes, dir_name);
    reading
        .skill
        .ok_or_else(|| skill::unreadable_error(file, &reading.diagnostics))
}

/// A skill's name in the workspace's scope.
fn scoped_name(table: &WorkspaceTable, name: &str) -> Result<PackageName> {
    match &table.scope {
        Some(scope) => format!("{scope}/{name}").parse(),
        None => name.parse(),
    }
}

fn check_unique_names(members: &[WorkspaceMember]) -> Result<()> {
    let mut seen: BTreeMap<&PackageName, &WorkspaceMember> = BTreeMap::new();
    for member in members {
        // Both would be installed and locked under one name.
        if let Some(other) = seen.insert(&member.name, member) {
            let dir = |member: &WorkspaceMember| {
                member.dir.as_ref().map_or(".", RelPath::as_str).to_owned()
            };
            return Err(Error::new(
                FailureKind::Usage,
                format!("two packages named `{}` in this workspace", member.name),
            )
            .note(format!("`{}`", dir(other)))
            .note(format!("`{}`", dir(member)))
            .help("rename one of them, or exclude it with `exclude` in `[workspace]`"));
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

    /// A workspace with `a` (no manifest), `b` (which inherits), `attic` (excluded) and `notes` (not a skill).
    fn workspace() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        write(dir.path(), "skillpm.toml", ROOT);
        write(dir.path(), "skills/a/SKILL.md", &skill("a"));
        write(dir.path(), "skills/b/SKILL.md", &skill("b"));
        write(
            dir.path(),
            "skills/b/skillpm.toml",
            "[package]\nname = \"other/b\"\nversion.workspace = true\n",
        );
        write(dir.path(), "skills/attic/SKILL.md", &skill("attic"));
        write(dir.path(), "skills/attic/skillpm.toml", "");
        write(dir.path(), "skills/notes/readme.md", "");
        dir
    }

    fn members(dir: &Path) -> Result<Vec<(String, String)>> {
        let members = Workspace::find(dir)
            .unwrap()
            .unwrap()
            .members(&|_| Ok("index".into()))?;
        let name_and_version = |member: WorkspaceMember| {
            let dir = member
                .dir
                .map_or_else(|| ".".to_owned(), |dir| dir.to_string());
            (dir, format!("{} {}", member.name, member.version.unwrap()))
        };
        Ok(members.into_iter().map(name_and_version).collect())
    }

    #[test]
    fn members_are_the_skills_that_the_patterns_find() {
        let dir = workspace();
        let expected = [("skills/a", "acme/a 1.1.0"), ("skills/b", "other/b 2.0.0")]
            .map(|(a, b)| (a.into(), b.into()));
        assert_eq!(members(dir.path()).unwrap(), expected);
        write(
            dir.path(),
            "skillpm.toml",
            &format!("{ROOT}[package]\nname = \"all\"\nversion = \"3.0.0\"\n"),
        );
        assert_eq!(
            members(dir.path()).unwrap(),
            expected,
            "the root has no skill"
        );
        write(dir.path(), "SKILL.md", &skill("all"));
        assert_eq!(
            members(dir.path()).unwrap()[0],
            (".".into(), "all 3.0.0".into())
        );
    }

    #[test]
    fn two_members_of_one_name_are_both_in_the_error() {
        let dir = workspace();
        write(dir.path(), "skills/c/SKILL.md", &skill("a"));
        let error = members(dir.path()).unwrap_err();
        assert_eq!(
            error.message(),
            "two packages named `acme/a` in this workspace"
        );
        assert_eq!(error.notes(), ["`skills/a`", "`skills/c`"]);
    }

    #[test]
    fn a_directory_that_is_named_must_be_a_skill() {
        let dir = workspace();
        write(
            dir.path(),
            "skillpm.toml",
            "[workspace]\nmembers = [\"skills/notes\"]\n",
        );
        let error = members(dir.path()).unwrap_err();
        assert_eq!(
            error.message(),
            "missing `SKILL.md` in workspace member `skills/notes`"
        );
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
            assert_eq!(
                found.root,
                dir.path().join(root).components().collect::<PathBuf>(),
                "{at}"
            );
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
