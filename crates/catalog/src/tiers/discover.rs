//! Looks through the roots.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cache::{self, Memory, Reader, Record};
use super::read::{self, Also, Found, Other};
use super::{Ground, Place, merge};
use crate::catalog::{Candidate, Discovery, Finding, Listing, Root, Unlisted};
use crate::error::Error;
use crate::io::skills_dir::{self, Held, Kind, Name, Stamp};
use crate::package::BundledSkill;
use crate::report::{Diagnostic, Level};
use crate::skill::formats::container;
use crate::skill::{self, Format, Reading};

/// Finds the skills of all roots, one level down, and which of them each name means.
///
/// Roots that do not exist are empty, and a directory that two roots lead to counts for the first. What `memory`
/// holds of unchanged skills is not read again, and what is new is added to it.
pub fn discover(places: &[Place], memory: Option<&Memory>) -> Discovery {
    let path = memory.map(Memory::listings);
    let mut search = Search {
        cache: Reader::open(path.as_deref()),
        memory,
        fresh: false,
        seen: HashSet::new(),
        found: Vec::new(),
        findings: Vec::new(),
        scratch: Vec::new(),
    };
    for (rank, place) in (0..).zip(places) {
        match place.ground {
            Ground::Disk => search.look(rank, &place.root.path),
            Ground::Binary(skills) => search.found.extend(skills.iter().map(|skill| bundled(rank, skill))),
        }
    }
    search.remember(places);
    search.finish(places.iter().map(|place| place.root.clone()).collect())
}

/// A skill directory that was looked at.
struct Seen {
    root: u16,
    /// Whether the record will hold as long as its stamp does.
    keep: bool,
    record: Remembered,
}

/// What is remembered of a skill directory.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Remembered {
    directory: Box<str>,
    format: Format,
    /// Of the file that describes it.
    stamp: Stamp,
    /// What else shows a change, where that is not the only file that was read.
    also: Option<Box<Also>>,
    linked: bool,
    listing: Option<Listing>,
    diagnostics: Vec<Diagnostic>,
}

impl Record for Remembered {
    fn directory(&self) -> &str {
        &self.directory
    }
}

struct Search<'a> {
    cache: Reader<Remembered>,
    memory: Option<&'a Memory>,
    /// Whether there is something to remember that the cache does not hold.
    fresh: bool,
    seen: HashSet<PathBuf>,
    found: Vec<Seen>,
    findings: Vec<Finding>,
    scratch: Vec<u8>,
}

impl Search<'_> {
    /// Looks through one directory of skills.
    fn look(&mut self, root: u16, path: &Path) {
        let names = match skills_dir::names(path) {
            Ok(Some(names)) => names,
            Ok(None) => return,
            Err(error) => return self.find(path, "root-unreadable", &reason(&error)),
        };
        if !skills_dir::real_path(path).is_some_and(|real| self.seen.insert(real)) {
            return;
        }
        for odd in names.odd {
            self.find(&path.join(odd), "name-not-utf8", "the directory's name is not UTF-8");
        }
        let held = match Held::open(path) {
            Ok(held) => held,
            Err(error) => return self.find(path, "root-unreadable", &reason(&error)),
        };
        self.cache.enter(&path.to_string_lossy());
        let mut below = String::new();
        for name in names.names {
            match self.recall(root, &name, &held, &mut below) {
                Some(seen) => self.found.push(seen),
                None => self.look_at(root, name, &held, path),
            }
        }
    }

    /// A directory as it is remembered, if what was read of it is as it was.
    fn recall(&mut self, root: u16, name: &Name, held: &Held, below: &mut String) -> Option<Seen> {
        let record = self.cache.take(&name.text).filter(|record| record.linked == name.linked)?;
        below.clear();
        below.extend([&*name.text, "/", record.format.descriptor()]);
        let is_unchanged = matches!(held.stat(below), Ok(Some((Kind::File { .. }, stamp))) if stamp == record.stamp);
        let is_unchanged = is_unchanged
            && record.also.as_ref().is_none_or(|also| Also::of(held, &name.text).as_ref() == Some(&**also));
        is_unchanged.then_some(Seen { root, keep: true, record })
    }

    /// Looks at one directory below `path`, which is held open.
    fn look_at(&mut self, root: u16, name: Name, held: &Held, path: &Path) {
        match read::skill_md(held, &name.text, &mut self.scratch) {
            Found::Skill(stamp, reading) => {
                let keep = self.memory.is_some_and(|memory| stamp.settled(memory.now()));
                self.fresh |= keep;
                self.found.push(Seen { root, keep, record: Remembered::of(name, stamp, reading) });
            }
            Found::Refused(diagnostic) => {
                let reading = Reading { skill: None, diagnostics: vec![diagnostic] };
                let record = Remembered::of(name, Stamp::default(), reading);
                self.found.push(Seen { root, keep: false, record });
            }
            Found::Nothing => match read::other(held, path, &name.text) {
                Some(other) => self.take_other(root, name, other),
                None => self.look_closer(&name, held, &path.join(&*name.text)),
            },
        }
    }

    /// Takes a skill of another format than `SKILL.md`.
    fn take_other(&mut self, root: u16, name: Name, other: Other) {
        let Other { format, stamp, also, reading } = other;
        let keep = self.memory.is_some_and(|memory| stamp.settled(memory.now()) && also.settled(memory.now()));
        self.fresh |= keep;
        let record = Remembered { format, also: Some(Box::new(also)), ..Remembered::of(name, stamp, reading) };
        self.found.push(Seen { root, keep, record });
    }

    /// Says why a directory that is no skill is not the skill that it seems to be.
    fn look_closer(&mut self, name: &Name, held: &Held, directory: &Path) {
        let has = |file: &str| matches!(held.stat(&format!("{}/{file}", name.text)), Ok(Some((Kind::File { .. }, _))));
        if let Some(spelling) = skills_dir::spelling(directory, "SKILL.md") {
            let message = format!("the file is named `{}`; agents look for `SKILL.md`", spelling.escape_debug());
            self.find(&directory.join(&spelling), "skill-md-wrong-case", &message);
        } else if name.linked && skills_dir::real_path(directory).is_none() {
            self.find(directory, "link-broken", "the link leads nowhere");
        } else if let Some(kind) = container::kind(&has) {
            let message = format!("this is {kind}: no agent looks for the skills in it here");
            let way = format!("`skillpm add {} --all` installs them", directory.display().to_string().escape_debug());
            let diagnostic = Diagnostic::new("container-not-skill", Level::Warning, message).help(way);
            self.findings.push(Finding { path: directory.to_owned(), diagnostic });
        }
    }

    fn find(&mut self, path: &Path, rule: &str, message: &str) {
        self.findings
            .push(Finding { path: path.to_owned(), diagnostic: Diagnostic::new(rule, Level::Warning, message) });
    }

    /// Writes the cache anew if it lacks something or holds what is gone.
    fn remember(&self, places: &[Place]) {
        let Some(memory) = self.memory.filter(|_| self.fresh || !self.cache.is_spent()) else { return };
        let mut roots: Vec<(String, Vec<&Remembered>)> = Vec::new();
        for of_root in self.found.chunk_by(|a, b| a.root == b.root) {
            let path = &places[usize::from(of_root[0].root)].root.path;
            let kept = of_root.iter().filter(|seen| seen.keep).map(|seen| &seen.record);
            roots.push((path.to_string_lossy().into_owned(), kept.collect()));
        }
        cache::write(&memory.listings(), &roots);
    }

    fn finish(self, roots: Vec<Root>) -> Discovery {
        let (mut candidates, mut unlisted) = (Vec::with_capacity(self.found.len()), Vec::new());
        for Seen { root, record, .. } in self.found {
            let Some(listing) = record.listing else {
                let location = roots[usize::from(root)].path.join(&*record.directory);
                let location = location.join(record.format.descriptor());
                unlisted.push(Unlisted { root, location, diagnostics: record.diagnostics });
                continue;
            };
            candidates.push(Candidate {
                root,
                linked: record.linked,
                directory: record.directory,
                listing,
                diagnostics: record.diagnostics,
                content: None,
                source: None,
                signed_by: None,
                locked_version: None,
                shadows: Vec::new(),
            });
        }
        let real = |candidate: &Candidate| skills_dir::real_path(&candidate.base_dir(&roots));
        let same_place = |a: &Candidate, b: &Candidate| {
            (a.linked || b.linked) && real(a).is_some_and(|place| Some(place) == real(b))
        };
        let candidates = merge(candidates, same_place);
        Discovery { roots, candidates, unlisted, findings: self.findings }
    }
}

impl Remembered {
    fn of(name: Name, stamp: Stamp, reading: Reading) -> Self {
        let Reading { skill, mut diagnostics } = reading;
        if name.linked && skill.is_some() {
            let message = "the skill's directory is a link, which some agents do not follow";
            diagnostics.push(Diagnostic::new("skill-dir-link", Level::Note, message));
        }
        Remembered {
            directory: name.text,
            format: Format::SkillMd,
            stamp,
            also: None,
            linked: name.linked,
            listing: skill.map(Listing::from),
            diagnostics,
        }
    }
}

/// A skill that lies in the binary.
fn bundled(root: u16, bundled: &BundledSkill) -> Seen {
    let reading = skill::read(bundled.get("SKILL.md").unwrap_or_default(), bundled.name);
    let name = Name { text: bundled.name.into(), linked: false };
    Seen { root, keep: false, record: Remembered::of(name, Stamp::default(), reading) }
}

fn reason(error: &Error) -> String {
    format!("the directory could not be read: {}", error.causes().join(": "))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::package::anything;

    proptest! {
        #[test]
        fn what_is_remembered_of_a_skill_is_read_as_it_was_written(seed in any::<u64>()) {
            let record: Remembered = anything::of(seed);
            let written = postcard::to_stdvec(&record).unwrap();
            prop_assert_eq!(postcard::from_bytes::<Remembered>(&written).unwrap(), record);
        }
    }
}
