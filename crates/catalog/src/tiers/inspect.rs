//! Inspects the files of skills: their hashes, the tree's checksum, the length of the instructions.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hash, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use foldhash::quality::FixedState;
use serde::{Deserialize, Serialize};

use super::cache::{self, CacheReader, CacheRecord, DiscoveryCache};
use super::{RootSource, TierRoot};
use crate::catalog::{DiscoveredSkills, FileFact, SkillCandidate, SkillContent, SkillListing};
use skillpm_core::error::{Error, Result};
use skillpm_core::package::{BundledSkill, RelPath, Sha256Digest, TreeHasher, TreeLimits};
use skillpm_core::report::{Diagnostic, DiagnosticLevel};
use skillpm_core::skill::formats::codex::{self, CodexMetadata};
use skillpm_core::skill::{SkillFormat, tokens};
use skillpm_io::skills_dir::{self, DirectoryHandle, PathKind, WalkedEntry};

/// The skills whose files are inspected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InspectScope {
    /// Skills with duplicate names: enough to decide whether they differ.
    Shadowed,
    /// Every skill.
    All,
}

/// Fills in the content of the skills in `places`, the roots of this very discovery.
///
/// A skill with files that are not allowed in a package gets a diagnostic and no checksum; one with unreadable files
/// gets no content.
pub fn inspect(
    discovery: &mut DiscoveredSkills,
    places: &[TierRoot],
    which: InspectScope,
    memory: Option<&DiscoveryCache>,
) {
    let mut jobs = list_jobs(&discovery.candidates, which);

    // A file for each scope: an inspection of some skills does not know the records of the others.
    let path = memory.map(|memory| match which {
        InspectScope::All => memory.contents(),
        InspectScope::Shadowed => memory.shadowed_contents(),
    });
    // Where only some are inspected, an earlier inspection of all may know them.
    let all = memory.filter(|_| which == InspectScope::Shadowed && !jobs.is_empty());
    let mut inspector = TreeInspector {
        cache: CacheReader::open(path.as_deref()),
        fallback: all.map(|memory| ContentFallback::new(memory.contents())),
        now: memory.map(DiscoveryCache::now),
        entered: None,
        root_dir: None,
        has_new_records: false,
    };

    for job in &mut jobs {
        let candidate = job.candidate_mut(&mut discovery.candidates);
        let place = &places[usize::from(candidate.root)];

        job.inspected = match place.source {
            RootSource::Disk => inspector.inspect_candidate(candidate, &place.root.path),
            RootSource::Binary(skills) => {
                // Not cached: the bytes are in memory, and hashing them is all there is to do.
                inspect_bundled(candidate, skills);
                None
            }
        };
    }

    let is_stale = inspector.has_new_records || !inspector.cache.is_exhausted();
    if let Some(path) = path.filter(|_| is_stale) {
        write_cache(&discovery.candidates, &jobs, places, &path);
    }
}

/// The cache of an inspection of all skills, which is opened for the first skill that is missing in the other one.
struct ContentFallback {
    path: PathBuf,
    cache: Option<CacheReader<ContentRecord>>,
    /// The root whose records come next.
    entered: Option<u16>,
}

impl ContentFallback {
    fn new(path: PathBuf) -> Self {
        ContentFallback {
            path,
            cache: None,
            entered: None,
        }
    }

    fn take_record(&mut self, candidate: &SkillCandidate, root: &Path) -> Option<ContentRecord> {
        let cache = self
            .cache
            .get_or_insert_with(|| CacheReader::open(Some(&self.path)));
        if self.entered.replace(candidate.root) != Some(candidate.root) {
            cache.seek_root(&root.to_string_lossy());
        }
        cache.take_record(&candidate.directory)
    }
}

/// Reads the cache beside the directories, root by root.
struct TreeInspector {
    cache: CacheReader<ContentRecord>,
    fallback: Option<ContentFallback>,
    /// The time before the first file was looked at; `None` if nothing is cached.
    now: Option<SystemTime>,
    /// The root whose directory is open.
    entered: Option<u16>,
    root_dir: Option<DirectoryHandle>,
    /// Whether there is a record that is not in the cache.
    has_new_records: bool,
}

impl TreeInspector {
    /// Fills in the content of a skill below `root`, from the cache if its files are unchanged. Returns what is to be
    /// cached of it.
    fn inspect_candidate(
        &mut self,
        candidate: &mut SkillCandidate,
        root: &Path,
    ) -> Option<InspectedTree> {
        if self.entered.replace(candidate.root) != Some(candidate.root) {
            // Jobs are sorted by root, so that each root is opened once.
            self.cache.seek_root(&root.to_string_lossy());
            self.root_dir = DirectoryHandle::open(root).ok();
        }

        let root_dir = self.root_dir.as_ref();
        let mut record = self
            .cache
            .take_record(&candidate.directory)
            .filter(|record| record.is_current(root_dir));
        if record.is_none()
            && let Some(fallback) = &mut self.fallback
        {
            let known = fallback.take_record(candidate, root);
            record = known.filter(|record| record.is_current(root_dir));
            self.has_new_records |= record.is_some();
        }

        if let Some(record) = record {
            candidate.content = Some(Box::new(record.content));
            // The findings about its files are cached with them, or they would show only once.
            candidate
                .diagnostics
                .extend_from_slice(&record.seen.diagnostics);
            return Some(record.seen);
        }

        let inspected = inspect_directory(candidate, root, self.root_dir.as_ref(), self.now);
        self.has_new_records |= inspected.is_some();
        inspected
    }
}

/// One candidate to inspect.
struct InspectJob {
    root: u16,
    winner: usize,
    /// Index in the winner's shadowed skills; `None` for the winner itself.
    shadow: Option<usize>,
    /// Cached data besides its content; `None` if it is not to be cached.
    inspected: Option<InspectedTree>,
}

impl InspectJob {
    fn candidate<'a>(&self, candidates: &'a [SkillCandidate]) -> &'a SkillCandidate {
        let winner = &candidates[self.winner];

        self.shadow.map_or(winner, |at| &winner.shadows[at])
    }

    fn candidate_mut<'a>(&self, candidates: &'a mut [SkillCandidate]) -> &'a mut SkillCandidate {
        let winner = &mut candidates[self.winner];
        match self.shadow {
            Some(at) => &mut winner.shadows[at],
            None => winner,
        }
    }

    /// What the cache keeps of the candidate; `None` if it is not to be cached.
    fn record<'a>(&'a self, candidates: &'a [SkillCandidate]) -> Option<ContentRecordRef<'a>> {
        let candidate = self.candidate(candidates);
        Some(ContentRecordRef {
            directory: &candidate.directory,
            seen: self.inspected.as_ref()?,
            content: candidate.content.as_deref()?,
        })
    }
}

/// The candidates to inspect, in the order of the cache.
fn list_jobs(candidates: &[SkillCandidate], which: InspectScope) -> Vec<InspectJob> {
    let mut jobs = Vec::new();

    for (winner, candidate) in candidates.iter().enumerate() {
        if which == InspectScope::Shadowed && candidate.shadows.is_empty() {
            continue;
        }

        // The files beside a command are other commands, and none of its own.
        if candidate.command.is_none() {
            jobs.push(InspectJob {
                root: candidate.root,
                winner,
                shadow: None,
                inspected: None,
            });
        }

        jobs.extend(
            (0..)
                .zip(&candidate.shadows)
                .filter(|(_, covered)| covered.command.is_none())
                .map(|(at, covered)| InspectJob {
                    root: covered.root,
                    winner,
                    shadow: Some(at),
                    inspected: None,
                }),
        );
    }

    // The cache is read forward only, in the order of discovery.
    jobs.sort_by_key(|job| (job.root, &*job.candidate(candidates).directory));
    jobs
}

/// The cached record of a skill's files.
#[derive(Deserialize)]
struct ContentRecord {
    directory: Box<str>,
    seen: InspectedTree,
    content: SkillContent,
}

/// The same, as it is written.
#[derive(Serialize)]
struct ContentRecordRef<'a> {
    directory: &'a str,
    seen: &'a InspectedTree,
    content: &'a SkillContent,
}

/// Metadata of a skill's files.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
struct InspectedTree {
    /// Of the stamps of all directories and files: it shows a change without reading them.
    fingerprint: u64,
    /// The directories below the skill's.
    directories: Box<[Box<str>]>,
    /// Findings about the files, valid as long as the files are unchanged.
    diagnostics: Vec<Diagnostic>,
}

impl CacheRecord for ContentRecord {
    fn directory(&self) -> &str {
        &self.directory
    }
}

impl ContentRecord {
    fn is_current(&self, root: Option<&DirectoryHandle>) -> bool {
        let (directories, files) = (&self.seen.directories, &self.content.files);
        root.and_then(|root| fingerprint((root, &self.directory), directories, files, None))
            == Some(self.seen.fingerprint)
    }
}

/// A hash of the stamps of a skill's directory in `root`, those below it, and its files. `None` if one is gone, or
/// changed so shortly before `now` that a later change might not show.
fn fingerprint(
    (root, directory): (&DirectoryHandle, &str),
    directories: &[Box<str>],
    files: &[FileFact],
    now: Option<SystemTime>,
) -> Option<u64> {
    let mut hasher = FixedState::default().build_hasher();

    let mut add = |stamp: skills_dir::FileStamp| {
        stamp.hash(&mut hasher);
        // A file that changed in the same tick as it was read may change again unnoticed.
        now.is_none_or(|now| stamp.is_settled(now)).then_some(())
    };
    // Of the directories, too: a new file shows in no stamp but that of its directory.
    add(root.directory_stamp(directory)?)?;

    let mut path_buffer = format!("{directory}/");
    for path in directories
        .iter()
        .chain(files.iter().map(|file| &file.path))
    {
        path_buffer.truncate(directory.len() + 1);
        path_buffer.push_str(path);
        add(root.stat(&path_buffer).ok()??.1)?;
    }

    Some(hasher.finish())
}

fn write_cache(
    candidates: &[SkillCandidate],
    jobs: &[InspectJob],
    places: &[TierRoot],
    path: &Path,
) {
    let mut roots = Vec::new();
    for of_root in jobs.chunk_by(|a, b| a.root == b.root) {
        let records = of_root.iter().filter_map(|job| job.record(candidates));

        let path = places[usize::from(of_root[0].root)]
            .root
            .path
            .to_string_lossy();
        roots.push((path.into_owned(), records.collect()));
    }

    cache::write_records(path, &roots);
}

/// Looks at the files of a skill in the root `path`; what was seen besides their content comes back, if it is to be
/// remembered.
fn inspect_directory(
    candidate: &mut SkillCandidate,
    path: &Path,
    root: Option<&DirectoryHandle>,
    now: Option<SystemTime>,
) -> Option<InspectedTree> {
    let measured = measure_skill(&path.join(&*candidate.directory), &candidate.listing)
        .unwrap_or_else(|error| {
            // An error is a diagnostic of the skill and does not end the run: the others are listed.
            MeasuredSkill {
                diagnostics: vec![unreadable_diagnostic(&error)],
                ..MeasuredSkill::default()
            }
        });

    candidate
        .diagnostics
        .extend_from_slice(&measured.diagnostics);
    let content = candidate.content.insert(Box::new(measured.content?));

    // The stamps are taken after the files were read: whatever changed since `now` is not settled.
    let (root, now) = (root.filter(|_| measured.is_settled)?, now?);

    let fingerprint = fingerprint(
        (root, &candidate.directory),
        &measured.directories,
        &content.files,
        Some(now),
    )?;

    Some(InspectedTree {
        fingerprint,
        directories: measured.directories,
        diagnostics: measured.diagnostics,
    })
}

fn unreadable_diagnostic(error: &Error) -> Diagnostic {
    let message = std::iter::once(error.message()).chain(error.causes().iter().map(String::as_str));

    Diagnostic::new(
        "files-unreadable",
        DiagnosticLevel::Warning,
        message.collect::<Vec<_>>().join(": "),
    )
}

#[derive(Default)]
struct MeasuredSkill {
    content: Option<SkillContent>,
    directories: Box<[Box<str>]>,
    diagnostics: Vec<Diagnostic>,
    /// Whether none of it changed while being read.
    is_settled: bool,
}

/// Reads every file below `base`.
fn measure_skill(base: &Path, listing: &SkillListing) -> Result<MeasuredSkill> {
    let limits = TreeLimits::default();
    // Directories count too, and a tree that is all directories is no skill either.
    let mut walked = skills_dir::walk_skill(base, limits.files * 2)?;
    // The checksum is over the files in this order, whatever the file system's order is.
    walked.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    check_limits(&walked, &limits)?;

    let mut tally = ContentBuilder::new(listing);
    let mut directories = Vec::new();
    let mut is_settled = true;
    for entry in walked {
        match entry.kind {
            PathKind::Directory => directories.push(entry.path.into()),
            // A name that is not UTF-8 has another spelling here, by which it cannot be opened.
            PathKind::File if entry.is_exact && entry.path.parse::<RelPath>().is_ok() => {
                limits.check_file(tally.files.len(), tally.bytes, &entry.path, entry.size)?;
                is_settled &= tally.read(base, &entry.path, entry.executable, limits.file)?;
            }
            PathKind::File => tally.leave_out(
                &entry.path,
                "a package cannot contain a file with that name",
            ),
            // A link could lead out of the skill, and agents would read what it leads to.
            PathKind::Link => tally.leave_out(&entry.path, "it is a link"),
            PathKind::Other => tally.leave_out(&entry.path, "it is not a regular file"),
        }
    }

    let (content, diagnostics) = tally.finish();
    Ok(MeasuredSkill {
        content: Some(content),
        directories: directories.into(),
        diagnostics,
        is_settled,
    })
}

/// Refuses a skill that is too large by what its directories say, before any of it is read: it is not remembered, and would
/// be read again by every run.
fn check_limits(walked: &[WalkedEntry], limits: &TreeLimits) -> Result<()> {
    // Names that cannot be in a package are left out later, and do not count here either.
    let files = walked
        .iter()
        .filter(|entry| matches!(entry.kind, PathKind::File) && entry.is_exact);

    let mut bytes = 0;
    for (count, entry) in files
        .filter(|entry| entry.path.parse::<RelPath>().is_ok())
        .enumerate()
    {
        limits.check_file(count, bytes, &entry.path, entry.size)?;
        bytes += entry.size;
    }
    Ok(())
}

fn inspect_bundled(candidate: &mut SkillCandidate, skills: &[BundledSkill]) {
    let Some(skill) = skills
        .iter()
        .find(|skill| *skill.name == *candidate.directory)
    else {
        return;
    };

    let mut tally = ContentBuilder::new(&candidate.listing);
    for (path, bytes, executable) in skill.files {
        tally.add(path, bytes, *executable);
    }

    candidate.content = Some(Box::new(tally.finish().0));
}

/// Adds up the files of a skill, given in the order of their paths.
struct ContentBuilder<'a> {
    listing: &'a SkillListing,
    files: Vec<FileFact>,
    bytes: u64,
    checksum: TreeHasher,
    est_tokens: u32,
    codex: Option<CodexMetadata>,
    left_out: Vec<Diagnostic>,
}

impl<'a> ContentBuilder<'a> {
    fn new(listing: &'a SkillListing) -> Self {
        let est_tokens = listing
            .generated_instructions()
            .map_or(0, |text| estimate_tokens(&text));

        ContentBuilder {
            listing,
            files: Vec::new(),
            bytes: 0,
            checksum: TreeHasher::default(),
            est_tokens,
            codex: None,
            left_out: Vec::new(),
        }
    }

    /// Adds a file below `base`, of at most so many bytes; `false` if it changed while it was read.
    fn read(&mut self, base: &Path, path: &str, executable: bool, most: u64) -> Result<bool> {
        match skills_dir::read_file(&base.join(path), most)? {
            Some((bytes, _)) => {
                self.add(path, &bytes, executable);
                Ok(true)
            }
            None => {
                self.leave_out(path, "it changed while being read");
                Ok(false)
            }
        }
    }

    fn add(&mut self, path: &str, bytes: &[u8], executable: bool) {
        let sha256 = Sha256Digest::hash_bytes(bytes);
        let size = bytes.len() as u64;
        self.bytes += size;
        self.checksum.add(executable, &sha256, path);

        let format = self.listing.facts().format;
        // The instructions of a Devai skill are made from its descriptor, and were counted above.
        if path == format.file() && format != SkillFormat::Devai {
            let body = bytes
                .get(self.listing.body_start as usize..)
                .unwrap_or_default();
            // The plain check is several times as fast as the lossy one, and text is nearly always valid.
            let body =
                str::from_utf8(body).map_or_else(|_| String::from_utf8_lossy(body), Cow::Borrowed);
            self.est_tokens = estimate_tokens(&body);
        } else if path == codex::FILE && format == SkillFormat::SkillMd {
            self.codex = codex::read(bytes);
        }

        self.files.push(FileFact {
            path: path.into(),
            size,
            sha256,
            executable,
        });
    }

    fn leave_out(&mut self, path: &str, why: &str) {
        let message = format!("`{}` is skipped: {why}", path.escape_debug());
        self.left_out.push(Diagnostic::new(
            "file-left-out",
            DiagnosticLevel::Warning,
            message,
        ));
    }

    fn finish(self) -> (SkillContent, Vec<Diagnostic>) {
        // What was left out would be missing from the tree, so there is no checksum of it.
        let checksum = self.left_out.is_empty().then(|| self.checksum.finish());

        let codex = self.codex.map(Box::new);
        (
            SkillContent {
                files: self.files.into(),
                checksum,
                est_tokens: self.est_tokens,
                codex,
            },
            self.left_out,
        )
    }
}

fn estimate_tokens(text: &str) -> u32 {
    u32::try_from(tokens::estimate(text)).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use skillpm_core::package::arbitrary;

    proptest! {
        #[test]
        fn what_is_remembered_of_files_is_read_as_it_was_written(seed in any::<u64>()) {
            let ContentRecord { directory, seen, content } = arbitrary::from_seed(seed);
            let written = postcard::to_stdvec(&ContentRecordRef { directory: &directory, seen: &seen, content: &content }).unwrap();
            let read: ContentRecord = postcard::from_bytes(&written).unwrap();
            prop_assert_eq!((read.directory, read.seen, read.content), (directory, seen, content));
        }
    }
}
