//! Looks at the files of skills: their hashes, the tree's checksum, the length of the instructions.

use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher as _};
use std::path::Path;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use super::cache::{self, Memory, Reader, Record};
use super::{Ground, Place};
use crate::catalog::{Candidate, Content, Discovery, FileFact, Listing};
use crate::error::{Error, Result};
use crate::io::skills_dir::{self, Held, Kind, Walked};
use crate::package::{BundledSkill, Hasher, Limits, RelPath, Sha256};
use crate::report::{Diagnostic, Level};
use crate::skill::formats::codex::{self, Codex};
use crate::skill::{Format, tokens};

/// Whose files are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Which {
    /// Those of names that several skills claim: enough to tell whether they differ.
    Shadowed,
    /// Those of every skill.
    All,
}

/// Fills in the content of the skills that `places`, the roots of this very discovery, hold.
///
/// A skill that holds what no package may hold gets a diagnostic and no checksum, and one whose files cannot be read
/// no content.
pub fn inspect(discovery: &mut Discovery, places: &[Place], which: Which, memory: Option<&Memory>) {
    let mut jobs = jobs(&discovery.candidates, which);
    let path = memory.map(Memory::contents);
    let mut cache = Reader::<Remembered>::open(path.as_deref());
    let (mut entered, mut held, mut fresh) = (None, None, false);
    for job in &mut jobs {
        let candidate = job.candidate_mut(&mut discovery.candidates);
        let place = &places[usize::from(candidate.root)];
        if let Ground::Binary(skills) = place.ground {
            inspect_bundled(candidate, skills);
            continue;
        }
        if entered.replace(candidate.root) != Some(candidate.root) {
            cache.enter(&place.root.path.to_string_lossy());
            held = Held::open(&place.root.path).ok();
        }
        if let Some(record) = cache.take(&candidate.directory).filter(|record| record.holds(held.as_ref())) {
            candidate.content = Some(Box::new(record.content));
            candidate.diagnostics.extend_from_slice(&record.seen.diagnostics);
            job.seen = Some(record.seen);
        } else {
            job.seen = inspect_directory(candidate, &place.root.path, held.as_ref(), memory.map(Memory::now));
            fresh |= job.seen.is_some();
        }
    }
    // A look at some does not know the rest of the file, so it must not write it.
    if let Some(memory) = memory.filter(|_| which == Which::All && (fresh || !cache.is_spent())) {
        remember(&discovery.candidates, &jobs, places, memory);
    }
}

/// One candidate to look at.
struct Job {
    root: u16,
    winner: usize,
    /// Which of those the winner covers; `None` for the winner itself.
    covered: Option<usize>,
    /// What is remembered besides its content; `None` if it is not to be remembered.
    seen: Option<Seen>,
}

impl Job {
    fn candidate<'a>(&self, candidates: &'a [Candidate]) -> &'a Candidate {
        let winner = &candidates[self.winner];
        self.covered.map_or(winner, |at| &winner.shadows[at])
    }

    fn candidate_mut<'a>(&self, candidates: &'a mut [Candidate]) -> &'a mut Candidate {
        let winner = &mut candidates[self.winner];
        match self.covered {
            Some(at) => &mut winner.shadows[at],
            None => winner,
        }
    }
}

/// The candidates to look at, in the order of the cache.
fn jobs(candidates: &[Candidate], which: Which) -> Vec<Job> {
    let mut jobs = Vec::new();
    for (winner, candidate) in candidates.iter().enumerate() {
        if which == Which::Shadowed && candidate.shadows.is_empty() {
            continue;
        }
        jobs.push(Job { root: candidate.root, winner, covered: None, seen: None });
        jobs.extend((0..).zip(&candidate.shadows).map(|(at, covered)| Job {
            root: covered.root,
            winner,
            covered: Some(at),
            seen: None,
        }));
    }
    jobs.sort_by_key(|job| (job.root, &*job.candidate(candidates).directory));
    jobs
}

/// What is remembered of a skill's files.
#[derive(Deserialize)]
struct Remembered {
    directory: Box<str>,
    seen: Seen,
    content: Content,
}

/// The same, as it is written.
#[derive(Serialize)]
struct Remembering<'a> {
    directory: &'a str,
    seen: &'a Seen,
    content: &'a Content,
}

/// What was seen of a skill's files besides what they hold.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct Seen {
    /// Of the stamps of all directories and files: it shows a change without reading them.
    fingerprint: u64,
    /// The directories below the skill's.
    directories: Box<[Box<str>]>,
    /// What is to be said of the files, which holds as long as they stay.
    diagnostics: Vec<Diagnostic>,
}

impl Record for Remembered {
    fn directory(&self) -> &str {
        &self.directory
    }
}

impl Remembered {
    fn holds(&self, root: Option<&Held>) -> bool {
        let (directories, files) = (&self.seen.directories, &self.content.files);
        root.and_then(|root| fingerprint((root, &self.directory), directories, files, None))
            == Some(self.seen.fingerprint)
    }
}

/// A hash of the stamps of a skill's directory in `root`, those below it, and its files. `None` if one is gone, or
/// changed so shortly before `now` that a later change might not show.
fn fingerprint(
    (root, directory): (&Held, &str),
    directories: &[Box<str>],
    files: &[FileFact],
    now: Option<SystemTime>,
) -> Option<u64> {
    let mut hasher = DefaultHasher::new();
    let mut add = |stamp: skills_dir::Stamp| {
        stamp.hash(&mut hasher);
        now.is_none_or(|now| stamp.settled(now)).then_some(())
    };
    add(root.directory_stamp(directory)?)?;
    let mut below = format!("{directory}/");
    for path in directories.iter().chain(files.iter().map(|file| &file.path)) {
        below.truncate(directory.len() + 1);
        below.push_str(path);
        add(root.stat(&below).ok()??.1)?;
    }
    Some(hasher.finish())
}

fn remember(candidates: &[Candidate], jobs: &[Job], places: &[Place], memory: &Memory) {
    let mut roots = Vec::new();
    for of_root in jobs.chunk_by(|a, b| a.root == b.root) {
        let records = of_root.iter().filter_map(|job| {
            let candidate = job.candidate(candidates);
            Some(Remembering {
                directory: &candidate.directory,
                seen: job.seen.as_ref()?,
                content: candidate.content.as_deref()?,
            })
        });
        let path = places[usize::from(of_root[0].root)].root.path.to_string_lossy();
        roots.push((path.into_owned(), records.collect()));
    }
    cache::write(&memory.contents(), &roots);
}

/// Looks at the files of a skill in the root `path`; what was seen besides their content comes back, if it is to be
/// remembered.
fn inspect_directory(
    candidate: &mut Candidate,
    path: &Path,
    root: Option<&Held>,
    now: Option<SystemTime>,
) -> Option<Seen> {
    let measured = measure(&path.join(&*candidate.directory), &candidate.listing)
        .unwrap_or_else(|error| Measured { diagnostics: vec![unreadable(&error)], ..Measured::default() });
    candidate.diagnostics.extend_from_slice(&measured.diagnostics);
    let content = candidate.content.insert(Box::new(measured.content?));
    // The stamps are taken after the files were read: whatever changed since `now` is not settled.
    let (root, now) = (root.filter(|_| measured.is_settled)?, now?);
    let fingerprint = fingerprint((root, &candidate.directory), &measured.directories, &content.files, Some(now))?;
    Some(Seen { fingerprint, directories: measured.directories, diagnostics: measured.diagnostics })
}

fn unreadable(error: &Error) -> Diagnostic {
    let message = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));
    Diagnostic::new("files-unreadable", Level::Warning, message.collect::<Vec<_>>().join(": "))
}

#[derive(Default)]
struct Measured {
    content: Option<Content>,
    directories: Box<[Box<str>]>,
    diagnostics: Vec<Diagnostic>,
    /// Whether none of it changed while it was read.
    is_settled: bool,
}

/// Reads every file below `base`.
fn measure(base: &Path, listing: &Listing) -> Result<Measured> {
    let limits = Limits::default();
    // Directories count too, and a tree that is all directories is no skill either.
    let mut walked = skills_dir::walk(base, limits.files * 2)?;
    walked.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    admit(&walked, &limits)?;

    let mut tally = Tally::of(listing);
    let mut directories = Vec::new();
    let mut is_settled = true;
    for entry in walked {
        match entry.kind {
            Kind::Directory => directories.push(entry.path.into()),
            Kind::File { executable } if entry.faithful && entry.path.parse::<RelPath>().is_ok() => {
                limits.admit(tally.files.len(), tally.bytes, &entry.path, entry.size)?;
                match skills_dir::read(&base.join(&entry.path), limits.file)? {
                    Some((bytes, _)) => tally.add(&entry.path, &bytes, executable),
                    None => {
                        is_settled = false;
                        tally.leave_out(&entry.path, "it changed while it was read");
                    }
                }
            }
            Kind::File { .. } => tally.leave_out(&entry.path, "no package may hold a file of that name"),
            Kind::Link => tally.leave_out(&entry.path, "it is a link"),
            Kind::Other => tally.leave_out(&entry.path, "it is not a regular file"),
        }
    }
    let (content, diagnostics) = tally.finish();
    Ok(Measured { content: Some(content), directories: directories.into(), diagnostics, is_settled })
}

/// Refuses a skill that is too large by what its directories say, before any of it is read: it is not remembered, and would
/// be read again by every run.
fn admit(walked: &[Walked], limits: &Limits) -> Result<()> {
    let files = walked.iter().filter(|entry| matches!(entry.kind, Kind::File { .. }) && entry.faithful);
    let mut bytes = 0;
    for (count, entry) in files.filter(|entry| entry.path.parse::<RelPath>().is_ok()).enumerate() {
        limits.admit(count, bytes, &entry.path, entry.size)?;
        bytes += entry.size;
    }
    Ok(())
}

fn inspect_bundled(candidate: &mut Candidate, skills: &[BundledSkill]) {
    let Some(skill) = skills.iter().find(|skill| *skill.name == *candidate.directory) else { return };
    let mut tally = Tally::of(&candidate.listing);
    for (path, bytes, executable) in skill.files {
        tally.add(path, bytes, *executable);
    }
    candidate.content = Some(Box::new(tally.finish().0));
}

/// Adds up the files of a skill, given in the order of their paths.
struct Tally<'a> {
    listing: &'a Listing,
    files: Vec<FileFact>,
    bytes: u64,
    checksum: Hasher,
    est_tokens: u32,
    codex: Option<Codex>,
    left_out: Vec<Diagnostic>,
}

impl<'a> Tally<'a> {
    fn of(listing: &'a Listing) -> Self {
        let est_tokens = listing.made_instructions().map_or(0, |text| estimate(&text));
        Tally {
            listing,
            files: Vec::new(),
            bytes: 0,
            checksum: Hasher::default(),
            est_tokens,
            codex: None,
            left_out: Vec::new(),
        }
    }

    fn add(&mut self, path: &str, bytes: &[u8], executable: bool) {
        let sha256 = Sha256::of(bytes);
        let size = bytes.len() as u64;
        self.bytes += size;
        self.checksum.add(executable, &sha256, path);
        let format = self.listing.facts().format;
        if path == format.file() && format != Format::Devai {
            let body = bytes.get(self.listing.body_start as usize..).unwrap_or_default();
            // The plain check is several times as fast as the lossy one on what is nearly always valid.
            let body = str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed);
            self.est_tokens = estimate(&body);
        } else if path == codex::FILE && format == Format::SkillMd {
            self.codex = codex::read(bytes);
        }
        self.files.push(FileFact { path: path.into(), size, sha256, executable });
    }

    fn leave_out(&mut self, path: &str, why: &str) {
        let message = format!("`{}` is left out: {why}", path.escape_debug());
        self.left_out.push(Diagnostic::new("file-left-out", Level::Warning, message));
    }

    fn finish(self) -> (Content, Vec<Diagnostic>) {
        let checksum = self.left_out.is_empty().then(|| self.checksum.finish());
        let codex = self.codex.map(Box::new);
        (Content { files: self.files.into(), checksum, est_tokens: self.est_tokens, codex }, self.left_out)
    }
}

fn estimate(text: &str) -> u32 {
    u32::try_from(tokens::estimate(text)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::package::anything;

    proptest! {
        #[test]
        fn what_is_remembered_of_files_is_read_as_it_was_written(seed in any::<u64>()) {
            let Remembered { directory, seen, content } = anything::of(seed);
            let written = postcard::to_stdvec(&Remembering { directory: &directory, seen: &seen, content: &content }).unwrap();
            let read: Remembered = postcard::from_bytes(&written).unwrap();
            prop_assert_eq!((read.directory, read.seen, read.content), (directory, seen, content));
        }
    }
}
