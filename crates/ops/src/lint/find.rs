//! Finds the skills below the paths of the command line.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::installed::InstalledSkills;
use super::{CommandContext, LintOptions, UnsavedFile, display_path};
use skillpm_core::error::{Error, Result};
use skillpm_core::skill::formats;
use skillpm_io::disk;
use skillpm_io::ignore::walk::{DiscoveredFile, DiscoveredKind, IgnoredFiles, discover_files};
use skillpm_lint::subject::{SKILL_FILE, is_skill_file};

/// The skills of one `lint` run.
pub(super) struct LintInput {
    /// The paths of the command line.
    pub(super) roots: Vec<LintRoot>,
    /// The skills, in the order in which they were named, then by path.
    pub(super) skills: Vec<LocatedSkill>,
    /// The number of skills that were skipped because skillpm installed them.
    pub(super) installed: usize,
}

/// A directory that was searched.
pub(super) struct LintRoot {
    /// Its path as messages show it; empty for the current directory.
    pub(super) shown: String,
    /// Its real path, without links.
    pub(super) dir: PathBuf,
    /// Whether all skills below it are linted, and not only its own.
    pub(super) is_recursive: bool,
}

/// A skill that was found, not yet read.
pub(super) struct LocatedSkill {
    /// Its path as messages show it.
    pub(super) shown: String,
    /// Its real path, without links.
    pub(super) dir: PathBuf,
    /// The name of its directory; empty for the root.
    pub(super) directory: String,
    /// Its files, sorted by path.
    pub(super) files: Vec<DiscoveredFile>,
    /// The `SKILL.md` files of skills nested in it.
    pub(super) nested: Vec<String>,
    /// The paths and texts of files that an editor has not saved.
    pub(super) unsaved: Vec<(String, Vec<u8>)>,
    /// Whether only the unsaved file exists.
    pub(super) is_alone: bool,
    /// The index of its root in [`LintInput::roots`].
    pub(super) root: usize,
}

impl LocatedSkill {
    /// The path on disk of a file that a finding names.
    pub(super) fn file_path(&self, path: &str) -> PathBuf {
        self.dir
            .join(skillpm_lint::relative_to(&self.shown, path).unwrap_or_default())
    }

    /// Whether a finding's path is in this skill.
    pub(super) fn contains(&self, path: &str) -> bool {
        skillpm_lint::relative_to(&self.shown, path).is_some()
    }

    /// Adds a file, if the walk has not found it: one that is not saved yet.
    fn add_file(&mut self, path: &str) {
        // The list is sorted by path.
        if let Err(at) = self
            .files
            .binary_search_by(|walked| walked.path.as_str().cmp(path))
        {
            let file = DiscoveredFile {
                path: path.to_owned(),
                kind: DiscoveredKind::File,
            };
            self.files.insert(at, file);
        }
    }

    /// Adds a file from the walk; they come in the order of their paths.
    fn push_file(&mut self, path: String, kind: DiscoveredKind) {
        self.files.push(DiscoveredFile { path, kind });
    }
}

/// Skills by their shown path.
pub(super) struct ByPath<'a>(BTreeMap<&'a str, &'a LocatedSkill>);

impl<'a> ByPath<'a> {
    pub(super) fn new(found: &'a LintInput) -> ByPath<'a> {
        ByPath(
            found
                .skills
                .iter()
                .map(|located| (located.shown.as_str(), located))
                .collect(),
        )
    }

    /// The innermost skill that a finding's path belongs to.
    pub(super) fn skill_at(&self, path: &str) -> Option<&'a LocatedSkill> {
        let mut dir = path;
        loop {
            if let Some(located) = self.0.get(dir) {
                return Some(located);
            }
            dir = match dir.rsplit_once('/') {
                Some((dir, _)) => dir,
                None if dir.is_empty() => return None,
                None => "",
            };
        }
    }
}

/// The directory of the skill that a file belongs to: the nearest one upwards, up to the root of the repository. `None` if
/// there is none.
#[must_use]
pub fn find_skill_dir(file: &Path) -> Option<PathBuf> {
    SkillDirCache::default()
        .nearest_skill(file)
        .map(|(dir, _)| dir)
}

/// Finds the skills of a run: those below its paths, or the one of the unsaved file.
pub(super) fn find_skills(
    context: &CommandContext<'_>,
    options: &LintOptions,
) -> Result<LintInput> {
    let mut found = LintInput {
        roots: Vec::new(),
        skills: Vec::new(),
        installed: 0,
    };

    if let Some((given, others)) = options.unsaved.split_first() {
        found.add_unsaved(&context.dirs.cwd, given, others)?;
        return Ok(found);
    }

    let here = [PathBuf::new()];
    let paths = if options.paths.is_empty() {
        &here[..]
    } else {
        &options.paths
    };

    // Reading lockfile and state costs time; an editor's text or a single file needs neither.
    let installed = LazyCell::new(|| InstalledSkills::find(context));
    let mut cache = SkillDirCache::default();

    for path in paths {
        match find_directory(&context.dirs.cwd, path)? {
            Some(base) => found.add_directory(base, &installed, options.paths.is_empty())?,
            None => found.add_file(&context.dirs.cwd, path, &mut cache)?,
        }
    }

    // Two paths may lead to one skill; the first one names it.
    let mut seen = BTreeSet::new();
    found
        .skills
        .retain(|located| seen.insert(located.dir.clone()));

    Ok(found)
}

/// The directory that a path of the command line names; `None` if it names a file.
fn find_directory(here: &Path, path: &Path) -> Result<Option<LintRoot>> {
    let real = disk::real_path(&here.join(path));
    let Some(meta) = disk::lstat(&real)? else {
        return Err(Error::usage(format!("path `{}` not found", path.display()))
            .help("pass directories that contain skills, or files of skills"));
    };

    Ok(meta.is_dir().then(|| LintRoot {
        shown: display_tidy(path),
        dir: real,
        is_recursive: true,
    }))
}

impl LintInput {
    /// Adds every skill below a directory; if it has none and was named, the directory itself.
    fn add_directory(
        &mut self,
        base: LintRoot,
        installed: &InstalledSkills,
        is_unnamed: bool,
    ) -> Result<()> {
        let mut walked = discover_files(&base.dir, IgnoredFiles::Skipped, 0)?;
        // Packages in a vendored directory, or in the store below a home, belong to other authors.
        let copies = installed.copies_below(&base.dir);
        if !copies.is_empty() {
            walked.retain(|one| {
                let path = base.dir.join(&one.path);
                !copies.iter().any(|dir| path.starts_with(dir))
            });
        }
        let mut located_skills = split_into_skills(&base, walked, self.roots.len());

        if located_skills.is_empty() && !is_unnamed {
            // Git ignores all of it, but the user named the directory: then it is meant.
            located_skills = split_into_skills(
                &base,
                discover_files(&base.dir, IgnoredFiles::Included, 0)?,
                self.roots.len(),
            );
        }

        if located_skills.is_empty() && !is_unnamed {
            // No skill at all is a finding of the skill that was expected here.
            located_skills.push(empty_skill(&base.shown, &base.dir, self.roots.len()));
        }

        let before = located_skills.len();
        located_skills.retain(|located| !installed.contains(&located.dir, &base.dir));
        self.installed += before - located_skills.len();
        self.skills.append(&mut located_skills);
        self.roots.push(base);

        Ok(())
    }

    /// Adds the skill that a file belongs to, if there is one.
    fn add_file(&mut self, here: &Path, file: &Path, known: &mut SkillDirCache) -> Result<()> {
        let full = here.join(file);

        let Some((dir, up)) = known.nearest_skill(&full) else {
            // A pre-commit hook passes every file of a commit, also those of no skill.
            return Ok(());
        };

        let base = LintRoot {
            shown: display_ancestor(here, file, up, &dir),
            dir: disk::real_path(&dir),
            is_recursive: false,
        };
        // Several files of one skill are one skill.
        if !known.added.insert(base.dir.clone()) {
            return Ok(());
        }

        let at = self.roots.len();
        let mut located_skills = split_into_skills(
            &base,
            discover_files(&base.dir, IgnoredFiles::Skipped, 1)?,
            at,
        );

        if located_skills.iter().all(|located| located.dir != base.dir) {
            // The file is there, but git ignores the directory.
            located_skills = split_into_skills(
                &base,
                discover_files(&base.dir, IgnoredFiles::Included, 1)?,
                at,
            );
        }

        self.skills.extend(
            located_skills
                .into_iter()
                .filter(|located| located.dir == base.dir),
        );
        self.roots.push(base);
        Ok(())
    }

    /// Adds the skill of a file that an editor has not saved, with the `others` that are in it.
    fn add_unsaved(
        &mut self,
        here: &Path,
        given: &UnsavedFile,
        others: &[UnsavedFile],
    ) -> Result<()> {
        // Text from standard input without a path: a `SKILL.md` that has no directory.
        let Some(path) = &given.path else {
            self.add_stdin(here, &given.text);
            return Ok(());
        };

        let UnsavedPlace {
            root: base,
            below,
            is_there,
        } = locate_unsaved(here, path);
        let walked = if is_there {
            discover_files(&base.dir, IgnoredFiles::Skipped, 1)?
        } else {
            Vec::new()
        };

        let at = self.roots.len();
        let mut located = split_into_skills(&base, walked, at)
            .into_iter()
            .find(|located| located.dir == base.dir)
            .unwrap_or_else(|| empty_skill(&base.shown, &base.dir, at));
        located.add_file(&below);

        let mut unsaved = vec![(below, given.text.clone())];
        for other in others {
            let below = other
                .path
                .as_deref()
                .and_then(|path| below_dir(here, path, &base.dir));
            // A file of a skill inside this one is none of its files.
            if let Some(below) = below.filter(|below| !is_nested(below, &located)) {
                located.add_file(&below);
                unsaved.push((below, other.text.clone()));
            }
        }

        self.skills.push(LocatedSkill {
            unsaved,
            is_alone: !is_there,
            ..located
        });
        self.roots.push(base);
        Ok(())
    }

    /// Adds a text as a skill of one file, without a directory.
    fn add_stdin(&mut self, here: &Path, text: &[u8]) {
        let mut located = LocatedSkill {
            unsaved: vec![(SKILL_FILE.into(), text.to_owned())],
            is_alone: true,
            // The current directory is not the skill's, so that its name says nothing.
            directory: String::new(),
            ..empty_skill("", here, self.roots.len())
        };
        located.add_file(SKILL_FILE);

        self.skills.push(located);
        self.roots.push(LintRoot {
            shown: String::new(),
            dir: here.to_owned(),
            is_recursive: false,
        });
    }
}

/// Where a file that is not saved belongs.
struct UnsavedPlace {
    /// The directory of its skill.
    root: LintRoot,
    /// The path of the file in it.
    below: String,
    /// Whether the skill is on disk. A new one may exist in the editor only; then there are no other files to check.
    is_there: bool,
}

/// Finds the skill around a file that is not saved. Without a skill, it is the directory of the file.
fn locate_unsaved(here: &Path, path: &Path) -> UnsavedPlace {
    let full = here.join(path);
    let parent = full.parent().unwrap_or(here).to_owned();
    let nearest = SkillDirCache::default().nearest_skill(&full);
    // A new `SKILL.md` is a skill of its own, also below another one.
    let is_own =
        |(dir, _): &(PathBuf, usize)| *dir == parent || !is_skill_file(&full.to_string_lossy());
    let nearest = nearest.filter(is_own);

    let is_there = nearest.is_some();
    let (dir, up) = nearest.unwrap_or((parent, 1));
    let below = full.strip_prefix(&dir).unwrap_or(&full);
    UnsavedPlace {
        root: LintRoot {
            shown: display_ancestor(here, path, up, &dir),
            dir: disk::real_path(&dir),
            is_recursive: false,
        },
        below: display_path(Path::new(""), below),
        is_there,
    }
}

/// The path of a file relative to a directory, whose path has no links; `None` if it is elsewhere.
fn below_dir(here: &Path, path: &Path, dir: &Path) -> Option<String> {
    let full = here.join(path);
    let real = disk::real_path(full.parent()?).join(full.file_name()?);
    Some(display_path(Path::new(""), real.strip_prefix(dir).ok()?))
}

/// Whether a path in a skill's directory belongs to a skill nested in it.
fn is_nested(below: &str, located: &LocatedSkill) -> bool {
    let mut dirs = located.nested.iter().map(|nested| parent(nested));
    dirs.any(|dir| skillpm_lint::relative_to(dir, below).is_some())
}

/// Assigns the files below a directory to skills.
pub(super) fn split_into_skills(
    base: &LintRoot,
    walked: Vec<DiscoveredFile>,
    at: usize,
) -> Vec<LocatedSkill> {
    let mut located_skills = find_skill_roots(base, &walked, at);
    if located_skills.is_empty() {
        return Vec::new();
    }

    for one in walked {
        // The nearest skill around a file owns it; outer skills only list its `SKILL.md` as nested.
        let mut roots = ancestors(&one.path).filter(|root| located_skills.contains_key(*root));
        let Some(own) = roots.next().map(str::to_owned) else {
            continue;
        };

        if is_skill_file(&one.path) && parent(&one.path) == own {
            let outer: Vec<String> = roots.map(str::to_owned).collect();
            for root in outer {
                let nested = path_below(&root, &one.path);
                located_skills
                    .entry(root)
                    .and_modify(|located| located.nested.push(nested));
            }
        }

        let path = path_below(&own, &one.path);
        located_skills
            .entry(own)
            .and_modify(|located| located.push_file(path, one.kind));
    }

    located_skills.into_values().collect()
}

/// The directories that are skills, by their path below `base`, without their files.
fn find_skill_roots(
    base: &LintRoot,
    walked: &[DiscoveredFile],
    at: usize,
) -> BTreeMap<String, LocatedSkill> {
    let paths: BTreeSet<&str> = walked.iter().map(|one| one.path.as_str()).collect();
    // A set: a directory may have descriptors of two formats.
    let roots: BTreeSet<&str> = walked
        .iter()
        .filter(|one| is_skill_file(&one.path) || is_descriptor(&one.path, &paths))
        .map(|one| parent(&one.path))
        .collect();

    let mut found = BTreeMap::new();
    for root in roots {
        let located = if root.is_empty() {
            empty_skill(&base.shown, &base.dir, at)
        } else {
            let shown = skillpm_lint::join(&base.shown, root);
            empty_skill(&shown, &base.dir.join(root), at)
        };
        found.insert(root.to_owned(), located);
    }
    found
}

/// Whether a file makes its directory a skill of another format.
fn is_descriptor(path: &str, paths: &BTreeSet<&str>) -> bool {
    let (dir, name) = (parent(path), path.rsplit('/').next().unwrap_or(path));
    // Formats other than `SKILL.md` are known by their file's name and its neighbors.
    formats::is_descriptor(name, &|beside| {
        paths.contains(skillpm_lint::join(dir, beside).as_str())
    })
}

fn empty_skill(shown: &str, dir: &Path, base: usize) -> LocatedSkill {
    LocatedSkill {
        shown: shown.to_owned(),
        directory: dir
            .file_name()
            .map_or(String::new(), |name| name.to_string_lossy().into_owned()),
        dir: dir.to_owned(),
        files: Vec::new(),
        nested: Vec::new(),
        unsaved: Vec::new(),
        is_alone: false,
        root: base,
    }
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(parent, _)| parent)
}

/// The directories above a path, the nearest first, and the empty one last.
fn ancestors(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(parent(path)), |dir| {
        (!dir.is_empty()).then(|| parent(dir))
    })
}

fn path_below(root: &str, path: &str) -> String {
    skillpm_lint::relative_to(root, path)
        .unwrap_or(path)
        .to_owned()
}

/// Remembers which directories have a skill above: a hook passes all files of a commit, and most
/// share directories.
#[derive(Default)]
struct SkillDirCache {
    /// For each directory, the number of steps up to a skill; `None` if there is no skill.
    skills: BTreeMap<PathBuf, Option<usize>>,
    /// The skills that were added.
    added: BTreeSet<PathBuf>,
}

impl SkillDirCache {
    /// The nearest skill directory above a file, and the number of steps up to it.
    fn nearest_skill(&mut self, file: &Path) -> Option<(PathBuf, usize)> {
        let up = self.steps_to_skill(file.parent()?)? + 1;
        Some((file.ancestors().nth(up)?.to_owned(), up))
    }

    /// The number of steps from a directory up to a skill, up to the root of the repository.
    fn steps_to_skill(&mut self, dir: &Path) -> Option<usize> {
        if let Some(known) = self.skills.get(dir) {
            return *known;
        }

        // A directory that cannot be read has no skill that could be linted.
        let names = disk::list_names(dir).unwrap_or_default();
        let among: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let found = if names
            .iter()
            .any(|name| is_skill_file(name) || is_descriptor(name, &among))
        {
            Some(0)
        } else if names.iter().any(|name| name == ".git") {
            // Skills end at the root of their repository.
            None
        } else {
            dir.parent()
                .and_then(|parent| self.steps_to_skill(parent))
                .map(|up| up + 1)
        };

        // Remembered for every directory on the way, so that each is listed once for all files.
        self.skills.insert(dir.to_owned(), found);
        found
    }
}

/// The directory `up` steps above a path, as messages show it.
fn display_ancestor(here: &Path, path: &Path, up: usize, dir: &Path) -> String {
    // With `..` in the path a component cannot be cut off, so that the real path is shown.
    let is_plain = path
        .components()
        .rev()
        .take(up)
        .all(|part| matches!(part, Component::Normal(_)));

    match path.ancestors().nth(up) {
        Some(above) if is_plain => display_tidy(above),
        _ => display_path(here, dir),
    }
}

/// A path without a leading `./` and a trailing `/`.
fn display_tidy(path: &Path) -> String {
    let plain: PathBuf = path
        .components()
        .filter(|part| *part != Component::CurDir)
        .collect();
    display_path(Path::new(""), &plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_belong_to_the_innermost_skill_and_outer_ones_know_of_its_page() {
        let base = LintRoot {
            shown: "s".into(),
            dir: "/x".into(),
            is_recursive: true,
        };
        let paths = [
            "README.md",
            "a/SKILL.md",
            "a/b/c/SKILL.md",
            "a/b/c/y.sh",
            "a/b/z.md",
            "d/skill.md",
        ];
        let walked = paths.map(|path| DiscoveredFile {
            path: path.into(),
            kind: DiscoveredKind::File,
        });
        let lines: Vec<String> = split_into_skills(&base, walked.to_vec(), 0)
            .iter()
            .map(|located| {
                let files: Vec<&str> = located
                    .files
                    .iter()
                    .map(|file| file.path.as_str())
                    .collect();
                format!(
                    "{} {} {} [{}]",
                    located.shown,
                    located.directory,
                    files.join(" "),
                    located.nested.join(" ")
                )
            })
            .collect();
        assert_eq!(
            lines,
            [
                "s/a a SKILL.md b/z.md [b/c/SKILL.md]",
                "s/a/b/c c SKILL.md y.sh []",
                "s/d d skill.md []"
            ]
        );
    }

    #[test]
    fn paths_are_shown_as_they_were_given_but_tidied() {
        for (path, expected) in [
            ("", ""),
            (".", ""),
            ("./a/", "a"),
            ("../a", "../a"),
            ("/a/./b", "/a/b"),
        ] {
            assert_eq!(display_tidy(Path::new(path)), expected, "{path}");
        }
        let here = Path::new("/p/q");
        assert_eq!(
            display_ancestor(here, Path::new("s/a/x/y.sh"), 2, Path::new("/p/q/s/a")),
            "s/a"
        );
        assert_eq!(
            display_ancestor(here, Path::new("y.sh"), 2, Path::new("/p")),
            "/p"
        );
        assert_eq!(
            display_ancestor(here, Path::new("y.sh"), 1, Path::new("/p/q")),
            ""
        );
    }
}
