//! Discovers skills as an agent does: in its directories, by its own reading of each file.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::readings::{FileReading, ReadingCache};
use super::search::{FoundFile, find_skill_files, path_parts};
use super::{AgentLoader, SameRootRule, SearchRules, ShownPath};
use crate::catalog::{
    DiscoveredSkills, DroppedSkill, HiddenReason, PathFinding, ShownText, SkillCandidate,
    SkillListing, Tier, UnlistedSkill,
};
use crate::tiers::{self, DiscoveryCache, TierRoot};
use skillpm_core::package::TreeLimits;
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill;
use skillpm_io::skills_dir::{self, RealPaths};

/// One directory that an agent searches, and how.
#[derive(Debug, Clone)]
pub struct SearchRoot {
    /// The directory.
    pub root: TierRoot,
    /// How it is searched.
    pub rules: SearchRules,
    /// Real directories that links in it may lead into, whatever the rules say.
    pub link_targets: Vec<PathBuf>,
    /// Why the agent does not read it after all; `None` if it does.
    pub unread: Option<String>,
}

/// What an agent makes of the text of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum FileVerdict {
    /// It lists the skill, with this text.
    Listed(ShownText),
    /// It lists no skill, for this reason.
    Dropped(String),
}

/// How an agent reads what it finds.
pub struct FileReader<'a> {
    /// The agent's habits.
    pub loader: &'a AgentLoader,
    /// What people call the agent.
    pub title: &'a str,
    /// Its verdict on a text, with the name of the skill's directory.
    pub judge: &'a dyn Fn(&str, &str) -> FileVerdict,
    /// Its verdict on the text of a command, with the command's name.
    pub judge_command: &'a dyn Fn(&str, &str) -> FileVerdict,
    /// Why a switch of the agent's leaves out the file of a skill, before copies are compared; `None` if none does.
    pub exclude: &'a dyn Fn(Tier, &Path) -> Option<String>,
    /// Whether it goes by the names that it reads, and not by the names of directories.
    pub names_from_files: bool,
}

/// Discovers the skills of an agent: of the roots in their order, by its own rules and verdicts.
///
/// What it finds and does not load is in `dropped`, where skillpm itself could read the skill.
/// Unchanged files are taken from the cache `memory`, and new ones are added to it.
#[must_use]
pub fn discover_as_agent(
    roots: &[SearchRoot],
    reader: &FileReader<'_>,
    memory: Option<&DiscoveryCache>,
) -> DiscoveredSkills {
    let mut walk = AgentWalk {
        reader,
        readings: ReadingCache::open(memory),
        real_paths: RealPaths::default(),
        real_root: PathBuf::new(),
        found: Vec::new(),
        discovery: DiscoveredSkills {
            roots: roots.iter().map(|root| root.root.root.clone()).collect(),
            ..DiscoveredSkills::default()
        },
    };

    let mut visited = Vec::new();
    for (rank, root) in (0..).zip(roots) {
        let path = &root.root.root.path;
        // Two roots may be links to one directory; its skills count for the first.
        match walk.real_paths.resolve(path) {
            Some(real) if !visited.contains(&real) => {
                walk.real_root.clone_from(&real);
                visited.push(real);
            }
            _ => continue,
        }
        walk.readings.enter_root(path);
        walk.search_root(rank, root);
    }

    walk.readings.write();
    walk.finish()
}

struct AgentWalk<'a> {
    reader: &'a FileReader<'a>,
    readings: ReadingCache<'a>,
    real_paths: RealPaths,
    /// The real path of the root that is searched.
    real_root: PathBuf,
    /// Each with the real path of its file.
    found: Vec<(SkillCandidate, PathBuf)>,
    discovery: DiscoveredSkills,
}

impl AgentWalk<'_> {
    fn search_root(&mut self, rank: u16, search: &SearchRoot) {
        let root = &*search.root.root.path;
        let files = find_skill_files(root, &search.rules, &search.link_targets, &self.real_paths);
        let files = match files {
            Ok(files) => files,
            Err(error) => {
                let message = format!(
                    "failed to read the directory: {}",
                    error.causes().join(": ")
                );
                return self.discovery.findings.push(PathFinding {
                    path: root.to_owned(),
                    diagnostic: Diagnostic::new(
                        "root-unreadable",
                        DiagnosticLevel::Warning,
                        message,
                    ),
                });
            }
        };

        let start = self.found.len();
        for file in files {
            self.read_skill(rank, search, file);
        }
        // The first of a name wins below, so that the last of this root has to come first.
        if self.reader.loader.same_root == SameRootRule::LastWins {
            self.found[start..].reverse();
        }
    }

    /// Reads one file as skillpm does and as the agent does.
    fn read_skill(&mut self, rank: u16, search: &SearchRoot, found: FoundFile) {
        let root = &*search.root.root.path;
        let directory = root.join(&found.directory);
        let path = directory.join(&found.file);
        // Links are followed here: whether the agent does so is decided by its search.
        let Some(resolved) = self.resolve_file(&path, &found) else {
            return self.push_unreadable(rank, path, "the file is gone");
        };
        let read = match self.read_file(&resolved, root, &found) {
            Ok(read) => read,
            Err(reason) => return self.push_unreadable(rank, path, &reason),
        };

        let FileReading {
            listing,
            diagnostics,
            verdict,
        } = read;
        let unread = found.blocked.map(str::to_owned).or(search.unread.clone());
        let verdict = unread.map_or(verdict, FileVerdict::Dropped);
        match (listing, verdict) {
            (None, FileVerdict::Dropped(reason)) => {
                let mut diagnostics = diagnostics;
                if diagnostics.is_empty() {
                    diagnostics.push(Diagnostic::new(
                        "agent-drops",
                        DiagnosticLevel::Error,
                        reason,
                    ));
                }
                self.discovery.unlisted.push(UnlistedSkill {
                    root: rank,
                    location: path,
                    diagnostics,
                });
            }
            (Some(listing), FileVerdict::Dropped(reason)) => {
                let because = format!("{} does not load it: {reason}", self.reader.title);
                let skill = new_candidate(rank, found, listing, diagnostics);
                self.push_dropped(skill, HiddenReason::Dropped, because);
            }
            // What skillpm cannot read it knows by what the agent shows of it.
            (listing, FileVerdict::Listed(mut shown)) => {
                shown.location = self.shown_location(search, &found);
                let listing = listing
                    .unwrap_or_else(|| SkillListing::from_shown(&shown.name, &shown.description));
                let mut skill = new_candidate(rank, found, listing, diagnostics);
                if self.reader.names_from_files {
                    skill.listing.name.clone_from(&shown.name);
                }
                skill.shown = Some(Box::new(shown));
                match (self.reader.exclude)(search.root.root.tier, &path) {
                    Some(because) => self.push_dropped(skill, HiddenReason::Denied, because),
                    None => self.found.push((skill, resolved)),
                }
            }
        }
    }

    /// The real path of a file that was found.
    fn resolve_file(&self, path: &Path, found: &FoundFile) -> Option<PathBuf> {
        // The search has seen that nothing below the root is a link.
        let is_plain = found.stamp.is_some() && !found.directory.contains('/');
        if is_plain {
            return Some(self.real_root.join(&found.directory).join(&found.file));
        }
        self.real_paths.resolve(path)
    }

    /// Reads a file as skillpm does and as the agent does, or recalls what was read of it.
    fn read_file(
        &mut self,
        real: &Path,
        root: &Path,
        found: &FoundFile,
    ) -> Result<FileReading, String> {
        let key = path_parts(&found.directory, &found.file).join("\0");
        if let Some(reading) = self.readings.recall(&key, real, found.stamp) {
            return Ok(reading);
        }

        let (bytes, stamp) = match skills_dir::read_file(real, TreeLimits::default().skill_md) {
            Ok(Some(content)) => content,
            Ok(None) => return Err("it is not a regular file, or too large".to_owned()),
            Err(error) => return Err(error.causes().join(": ")),
        };

        let (own_name, judge) = match &found.command {
            Some(command) => (command.clone(), self.reader.judge_command),
            None => (directory_name(root, &found.directory), self.reader.judge),
        };
        let reading = skill::read_without_json(&bytes, &own_name);
        // Each agent puts a mark in the place of bytes that are not UTF-8, and so does this.
        let verdict = judge(&String::from_utf8_lossy(&bytes), &own_name);
        let reading = FileReading {
            listing: reading.skill.map(SkillListing::from),
            diagnostics: reading.diagnostics,
            verdict,
        };
        self.readings.keep(key, stamp, &reading);
        Ok(reading)
    }

    /// The path that the agent shows of a skill; `None` for the one at which it was found.
    fn shown_location(&self, search: &SearchRoot, found: &FoundFile) -> Option<PathBuf> {
        let root = &search.root.root.path;
        let directory = match search.rules.shown_path {
            ShownPath::Found => return None,
            ShownPath::RealRoot => match &*found.directory {
                "." => self.real_paths.resolve(root)?,
                below => self.real_paths.resolve(root)?.join(below),
            },
            ShownPath::RealDirectory => self.real_paths.resolve(&root.join(&found.directory))?,
        };
        Some(directory.join(&found.file))
    }

    fn push_dropped(&mut self, skill: SkillCandidate, hidden: HiddenReason, because: String) {
        self.discovery.dropped.push(DroppedSkill {
            skill,
            hidden,
            because,
        });
    }

    fn push_unreadable(&mut self, root: u16, location: PathBuf, reason: &str) {
        let message = format!("failed to read `SKILL.md`: {reason}");
        self.discovery.unlisted.push(UnlistedSkill {
            root,
            location,
            diagnostics: vec![Diagnostic::new(
                "skill-md-unreadable",
                DiagnosticLevel::Error,
                message,
            )],
        });
    }

    fn finish(mut self) -> DiscoveredSkills {
        let roots = &self.discovery.roots;
        let real = |skill: &SkillCandidate| self.real_paths.resolve(&skill.location(roots));
        let same_place = |a: &SkillCandidate, b: &SkillCandidate| {
            real(a).is_some_and(|place| Some(place) == real(b))
        };

        let once_per_file = self.reader.loader.once_per_file;
        let mut seen = HashSet::new();
        let found = std::mem::take(&mut self.found)
            .into_iter()
            // By the text of the paths, which have no links: comparing their components takes thrice as long.
            .filter_map(|(skill, real)| {
                (!once_per_file || seen.insert(real.into_os_string())).then_some(skill)
            })
            .collect();

        let merged = tiers::merge(found, same_place);
        self.discovery.candidates = if self.reader.names_from_files {
            merged
        } else {
            tiers::merge_by_directory(merged)
        };
        if self.reader.loader.races {
            self.warn_about_races();
        }
        self.discovery
    }

    /// Reports the names of which the agent may list any copy.
    fn warn_about_races(&mut self) {
        let copies = self.discovery.candidates.iter_mut();
        for skill in copies.filter(|skill| !skill.shadows.is_empty()) {
            let message = format!(
                "{} reads the {} skills of this name side by side, and lists the one that it reads last",
                self.reader.title,
                skill.shadows.len() + 1
            );
            let diagnostic =
                Diagnostic::new("winner-undetermined", DiagnosticLevel::Warning, message);
            skill
                .diagnostics
                .push(diagnostic.help("remove or rename all but one"));
        }
    }
}

/// The order in which a walk finds two skills of one root.
pub(crate) fn compare_paths(a: &SkillCandidate, b: &SkillCandidate) -> std::cmp::Ordering {
    path_parts(&a.directory, a.file_name()).cmp(&path_parts(&b.directory, b.file_name()))
}

/// The name of a skill's directory, which most agents take where a skill has no name.
fn directory_name(root: &Path, directory: &str) -> String {
    match directory {
        "." => root
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned(),
        below => below.rsplit('/').next().unwrap_or(below).to_owned(),
    }
}

fn new_candidate(
    root: u16,
    found: FoundFile,
    listing: SkillListing,
    diagnostics: Vec<Diagnostic>,
) -> SkillCandidate {
    let is_usual = found.file == listing.facts().format.file();
    let mut listing = listing;
    let mut diagnostics = diagnostics;
    if let Some(command) = &found.command {
        // A command needs no name and no description, so that these findings are none.
        diagnostics.clear();
        listing.name = command.as_str().into();
    }
    SkillCandidate {
        linked: found.linked,
        command: found.command.map(Into::into),
        file: (!is_usual).then(|| found.file.into()),
        diagnostics,
        ..SkillCandidate::new(root, found.directory, listing)
    }
}
