//! Finds the files that an agent takes for skills below one directory.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use skillpm_core::error::Result;
use skillpm_io::ignore::FileSelection;
use skillpm_io::skills_dir::{
    self, DirectoryEntry, DirectoryEntryKind, DirectoryHandle, FOLDS_CASE, FileStamp, PathKind,
    RealPaths,
};

/// Most directories that are searched below one root: a root may be a link to anything.
const DIRECTORIES_MAX: usize = 20_000;

/// The name of the file that makes a directory a skill.
const SKILL_FILE: &str = "SKILL.md";

/// How an agent searches a directory of skills.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a habit of its own, and agents differ in every one"
)]
pub struct SearchRules {
    /// How many levels below the root a skill's directory may be.
    pub depth: usize,
    /// Whether the root itself may be a skill.
    pub root_is_skill: bool,
    /// Whether it searches below a directory that is a skill.
    pub enters_skills: bool,
    /// Whether it searches directories whose names begin with a dot.
    pub enters_hidden: bool,
    /// Whether it searches `node_modules`.
    pub enters_node_modules: bool,
    /// Whether `*.md` in the root are skills.
    pub reads_loose_files: bool,
    /// Whether `*.md` anywhere below the root are commands, and `SKILL.md` one in place of the others beside it.
    pub reads_commands: bool,
    /// How many skills of one root it takes; `None` for all.
    pub skills_max: Option<usize>,
    /// Which links to directories it follows.
    pub directory_links: LinkPolicy,
    /// Which `SKILL.md` that are links it reads.
    pub file_links: LinkPolicy,
    /// The path that it shows of a skill.
    pub shown_path: ShownPath,
    /// Whether it skips what the ignore files of the root name.
    pub reads_ignore_files: bool,
}

/// The path that an agent shows of a skill.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShownPath {
    /// As it was found.
    Found,
    /// With the links of the root resolved.
    RealRoot,
    /// With the links of the skill's directory resolved.
    RealDirectory,
}

/// Which links an agent follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkPolicy {
    /// All.
    Followed,
    /// Those that stay inside: of directories inside the root, of files inside the skill's directory.
    Inside,
    /// None.
    Ignored,
}

/// A file that an agent takes for a skill, or would if it followed the link.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundFile {
    /// The skill's directory below the root, `.` for the root itself.
    pub(super) directory: String,
    /// The file's name in it.
    pub(super) file: String,
    /// Whether its directory is a link.
    pub(super) linked: bool,
    /// What the agent calls it, if it is a command.
    pub(super) command: Option<String>,
    /// Why the agent does not read it; `None` if it does.
    pub(super) blocked: Option<&'static str>,
    /// The state of the file, where neither it nor its directory is a link; `None` if it is not known.
    pub(super) stamp: Option<FileStamp>,
}

/// The files that an agent takes for skills below `root`, by their paths; empty if there is no such directory.
///
/// Links may lead into `link_targets`, whatever the rules say.
///
/// # Errors
/// If the root cannot be read. A directory below it that cannot be read is skipped, as agents do.
pub(super) fn find_skill_files(
    root: &Path,
    rules: &SearchRules,
    link_targets: &[PathBuf],
    real_paths: &RealPaths,
) -> Result<Vec<FoundFile>> {
    let Some(entries) = skills_dir::list_entries(root)? else {
        return Ok(Vec::new());
    };

    let mut search = RootSearch {
        root,
        handle: DirectoryHandle::open(root).ok(),
        real_paths,
        real_root: real_paths.resolve(root).unwrap_or_else(|| root.to_owned()),
        rules,
        link_targets,
        ignored: rules
            .reads_ignore_files
            .then(|| read_ignore_files(root))
            .flatten(),
        visited: 0,
        queue: VecDeque::new(),
        found: Vec::new(),
    };
    search.visit_root(&entries);

    while let Some(next) = search.queue.pop_front() {
        if search.visited >= DIRECTORIES_MAX {
            break;
        }
        search.visited += 1;
        search.visit_directory(&next);
    }

    let mut found = search.found;
    found.sort_by(|a, b| path_parts(&a.directory, &a.file).cmp(&path_parts(&b.directory, &b.file)));
    found.truncate(rules.skills_max.unwrap_or(usize::MAX));
    Ok(found)
}

/// The parts of a skill's path in the order of a walk that takes the names of each directory in order.
pub(super) fn path_parts<'p>(directory: &'p str, file: &'p str) -> Vec<&'p str> {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| *part != ".").collect();
    if file != SKILL_FILE {
        parts.push(file);
    }
    parts
}

/// The names of the files whose patterns count, as for git.
const IGNORE_FILES: [&str; 3] = [".gitignore", ".ignore", ".fdignore"];

/// Most bytes of such a file.
const IGNORE_MAX: u64 = 1 << 20;

/// What the ignore files of a directory leave; `None` if it has none that can be read.
fn read_ignore_files(root: &Path) -> Option<FileSelection> {
    let mut patterns = Vec::new();
    for name in IGNORE_FILES {
        let Ok(Some((bytes, _))) = skills_dir::read_file(&root.join(name), IGNORE_MAX) else {
            continue;
        };
        let text = String::from_utf8_lossy(&bytes);
        let lines = text.lines().map(str::trim_end);
        patterns.extend(
            lines
                .filter(|line| !line.is_empty() && !line.starts_with('#'))
                .map(str::to_owned),
        );
    }

    if patterns.is_empty() {
        return None;
    }
    FileSelection::new(root, &[], &patterns, None).ok()
}

/// A directory that is still to be searched.
struct PendingDirectory {
    /// Below the root.
    path: String,
    level: usize,
    linked: bool,
}

struct RootSearch<'a> {
    root: &'a Path,
    /// The root, opened; `None` if it cannot be.
    handle: Option<DirectoryHandle>,
    real_paths: &'a RealPaths,
    real_root: PathBuf,
    rules: &'a SearchRules,
    /// Directories that links may lead into, whatever the rules say.
    link_targets: &'a [PathBuf],
    /// What the ignore files of the root leave.
    ignored: Option<FileSelection>,
    /// How many directories below the root were searched.
    visited: usize,
    queue: VecDeque<PendingDirectory>,
    found: Vec<FoundFile>,
}

impl RootSearch<'_> {
    fn visit_root(&mut self, entries: &[DirectoryEntry]) {
        if self.rules.reads_commands {
            self.push_commands(".", entries, false);
            return self.queue_directories("", 0, entries);
        }
        if self.rules.root_is_skill
            && let Some(found) = self.skill_in(".", entries, false)
        {
            self.found.push(found);
            if !self.rules.enters_skills {
                return;
            }
        }

        if self.rules.reads_loose_files {
            self.push_loose_files(entries);
        }
        self.queue_directories("", 0, entries);
    }

    fn visit_directory(&mut self, pending: &PendingDirectory) {
        let path = self.root.join(&pending.path);
        // Where links lead to one directory twice, most agents list it twice; only a circle is cut.
        if pending.linked && self.is_circle(&path) {
            return;
        }

        if let Some(found) = self.last_skill_at(pending) {
            return self.found.push(found);
        }

        let Ok(Some(entries)) = skills_dir::list_entries(&path) else {
            return;
        };
        if self.rules.reads_commands {
            self.push_commands(&pending.path, &entries, pending.linked);
        } else if let Some(found) = self.skill_in(&pending.path, &entries, pending.linked) {
            self.found.push(found);
            if !self.rules.enters_skills {
                return;
            }
        }
        if !pending.linked || self.follows_directory(&path) {
            self.queue_directories(&pending.path, pending.level, &entries);
        }
    }

    /// The skill that a directory is, if nothing below it is searched and neither it nor its file is a link: then one
    /// system call finds it, and the directory need not be read.
    fn last_skill_at(&self, pending: &PendingDirectory) -> Option<FoundFile> {
        let is_last = !self.rules.enters_skills || pending.level >= self.rules.depth;
        // Where the system finds `skill.md` by this name, too, only the directory says how it is spelled.
        if !is_last || pending.linked || self.rules.reads_commands || FOLDS_CASE {
            return None;
        }

        let file = format!("{}/{SKILL_FILE}", pending.path);
        let Ok(Some((PathKind::File, stamp))) = self.handle.as_ref()?.stat(&file) else {
            return None;
        };
        Some(FoundFile {
            directory: pending.path.clone(),
            file: SKILL_FILE.to_owned(),
            linked: false,
            command: None,
            blocked: None,
            stamp: Some(stamp),
        })
    }

    /// The skill that the directory `path` is; `None` if it has no file of that name.
    fn skill_in(&self, path: &str, entries: &[DirectoryEntry], linked: bool) -> Option<FoundFile> {
        let entry = entries.iter().find(|entry| entry.name == SKILL_FILE)?;
        let directory = self.root.join(path);

        let mut blocked = match entry.kind {
            DirectoryEntryKind::File => None,
            DirectoryEntryKind::Link if !is_file(&directory.join(SKILL_FILE)) => return None,
            DirectoryEntryKind::Link => self.blocked_file_link(&directory),
            // A directory or a pipe of that name: no agent reads it.
            DirectoryEntryKind::Directory | DirectoryEntryKind::Other => return None,
        };
        if linked && blocked.is_none() && !self.follows_directory(&directory) {
            blocked = Some("it does not follow the link that the skill's directory is");
        }

        Some(FoundFile {
            directory: path.to_owned(),
            file: SKILL_FILE.to_owned(),
            linked,
            command: None,
            blocked,
            stamp: None,
        })
    }

    /// Notes the commands in the directory `path`: its pages, or the one that is a `SKILL.md`.
    fn push_commands(&mut self, path: &str, entries: &[DirectoryEntry], linked: bool) {
        let directory = self.root.join(path);
        let pages: Vec<&str> = entries
            .iter()
            .map(|entry| &*entry.name)
            .filter(|name| is_page(name) && is_file(&directory.join(name)))
            .collect();

        let skill = pages
            .iter()
            .find(|name| name.eq_ignore_ascii_case(SKILL_FILE));
        let commands = match skill {
            Some(skill) => std::slice::from_ref(skill),
            None => &pages[..],
        };
        self.found.extend(commands.iter().map(|file| FoundFile {
            directory: path.to_owned(),
            file: (*file).to_owned(),
            linked,
            command: Some(command_name(self.root, path, file)),
            blocked: None,
            stamp: None,
        }));
    }

    /// Why a `SKILL.md` that is a link is not read; `None` if it is.
    fn blocked_file_link(&self, directory: &Path) -> Option<&'static str> {
        let is_inside = || {
            let real = self.real_paths.resolve(directory);
            let file = self.real_paths.resolve(&directory.join(SKILL_FILE));
            real.zip(file)
                .is_some_and(|(real, file)| file.starts_with(real))
        };
        let is_read = match self.rules.file_links {
            LinkPolicy::Followed => true,
            LinkPolicy::Inside => is_inside(),
            LinkPolicy::Ignored => false,
        };
        (!is_read).then_some("it does not follow the link that `SKILL.md` is")
    }

    /// Whether a link leads to a directory above itself, or nowhere.
    fn is_circle(&self, path: &Path) -> bool {
        let Some(real) = self.real_paths.resolve(path) else {
            return true;
        };
        let parent = path.parent();
        let parent = parent.and_then(|parent| self.real_paths.resolve(parent));
        parent.is_some_and(|parent| parent.starts_with(real))
    }

    fn follows_directory(&self, directory: &Path) -> bool {
        match self.rules.directory_links {
            LinkPolicy::Followed => true,
            LinkPolicy::Ignored => false,
            LinkPolicy::Inside => self.real_paths.resolve(directory).is_some_and(|real| {
                let mut allowed = std::iter::once(&self.real_root).chain(self.link_targets);
                allowed.any(|allowed| real.starts_with(allowed))
            }),
        }
    }

    fn push_loose_files(&mut self, entries: &[DirectoryEntry]) {
        for entry in entries {
            let is_shown = is_page(&entry.name) && !entry.name.starts_with('.');
            if is_shown && is_file(&self.root.join(&entry.name)) {
                self.found.push(FoundFile {
                    directory: ".".to_owned(),
                    file: entry.name.clone(),
                    linked: false,
                    command: None,
                    blocked: None,
                    stamp: None,
                });
            }
        }
    }

    /// Notes the directories below one that is `level` levels below the root.
    fn queue_directories(&mut self, above: &str, level: usize, entries: &[DirectoryEntry]) {
        if level >= self.rules.depth {
            return;
        }

        for entry in entries {
            let is_hidden = entry.name.starts_with('.') && !self.rules.enters_hidden;
            let is_dependency = entry.name == "node_modules" && !self.rules.enters_node_modules;
            // Below `.git` is no skill of anyone, whatever an agent searches.
            if is_hidden || is_dependency || entry.name == ".git" {
                continue;
            }

            let path = if above.is_empty() {
                entry.name.clone()
            } else {
                format!("{above}/{}", entry.name)
            };
            let linked = match entry.kind {
                DirectoryEntryKind::Directory => false,
                DirectoryEntryKind::Link => {
                    let kind = skills_dir::followed_kind(&self.root.join(&path));
                    if kind != Some(PathKind::Directory) {
                        continue;
                    }
                    true
                }
                DirectoryEntryKind::File | DirectoryEntryKind::Other => continue,
            };
            if self
                .ignored
                .as_ref()
                .is_some_and(|left| !left.includes(&path, true))
            {
                continue;
            }
            self.queue.push_back(PendingDirectory {
                path,
                level: level + 1,
                linked,
            });
        }
    }
}

/// Whether a file of this name is a page, for agents to which `MD` is none.
fn is_page(name: &str) -> bool {
    Path::new(name).extension() == Some(OsStr::new("md"))
}

/// What a command is called: the directories below the root and its file, with colons between them.
fn command_name(root: &Path, directory: &str, file: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| *part != ".").collect();
    if !file.eq_ignore_ascii_case(SKILL_FILE) {
        parts.push(file.strip_suffix(".md").unwrap_or(file));
    }
    if parts.is_empty() {
        return root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
    }
    parts.join(":")
}

/// Whether a path is a file, or a link to one.
fn is_file(path: &Path) -> bool {
    matches!(skills_dir::followed_kind(path), Some(PathKind::File))
}
