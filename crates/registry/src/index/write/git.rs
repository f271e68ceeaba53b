//! A git repository: a change is one commit on its default branch (or on one for review), pushed without force. Whoever
//! was slower looks at the new head, decides again, and pushes again.
//!
//! On one machine those who write to one repository take turns; between machines the host's own compare-and-swap of the
//! branch is what decides, and nobody is asked to wait for another.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::{Decide, Edit, Files, Ledger, Writing, Written, pause};
use crate::error::{Error, Kind, Result};
use crate::io::disk::{FileLock, Mode};
use crate::io::git::{self, Change, CommitId, Head, Pushed};
use crate::package::{GitUrl, Secret, Sha256};

/// Largest file of an index that is read, in bytes: a package with some 50,000 versions.
const FILE_MAX: u64 = 32 << 20;
/// Fewest times that a race is run again, however long it took.
const RACES_MIN: u32 = 30;
/// Most times that a push is tried again which came to no answer.
const FAILURES_MAX: u32 = 3;
/// How long a branch may stay where it is though others are said to be at it: then nobody is, and a lock was left behind.
const STUCK: Duration = Duration::from_secs(45);
/// Longest pause before the first race is run again.
const PAUSE: Duration = Duration::from_millis(40);
/// Longest pause before any race is run again.
const PAUSE_MAX: Duration = Duration::from_secs(3);

pub(super) struct Repository<'a> {
    url: GitUrl,
    /// Its full name.
    branch: Option<String>,
    writing: Writing<'a>,
}

impl<'a> Repository<'a> {
    pub(super) fn new(url: GitUrl, writing: Writing<'a>) -> Result<Self> {
        if writing.tools.offline {
            return Err(Error::network(format!("`{url}` cannot be written while the network is off"))
                .help("run it once more without `--offline`"));
        }
        let branch = writing.branch.map(full_name).transpose()?;
        Ok(Repository { url, branch, writing })
    }

    /// Waits for those on this machine who write to the same repository.
    fn take_turn(&self) -> Result<FileLock> {
        let digest = Sha256::of(self.url.as_str().as_bytes()).to_string();
        let path = self.writing.tools.cache.join(format!("write-{}.lock", &digest[..16]));
        FileLock::acquire(&path, Mode::Exclusive, self.writing.patience, self.writing.tools.reporter)
    }

    /// The state that a change is to be made to, and the branch it goes to: of a branch for review that is there
    /// already, its own.
    fn look(&self, repository: &mut git::Repository) -> Result<Head> {
        let head = repository.head()?;
        let Some(branch) = &self.branch else { return Ok(head) };
        let there = repository.refs(&[branch])?.into_iter().find(|found| found.name == *branch);
        Ok(Head { branch: branch.clone(), commit: there.map(|found| found.commit).or(head.commit) })
    }

    fn push(&self, repository: &mut git::Repository, head: &Head, edit: &Edit, secret: Option<&Secret>) -> Result<Try> {
        let mut files = edit.archives.clone();
        files.extend(edit.files.clone());
        let change = Change {
            parent: head.commit,
            files: &files,
            message: &edit.message,
            author: self.writing.author,
            time: self.writing.time,
        };
        let draft = repository.draft(&change)?;
        let pushed = repository.push(&draft, &head.branch, secret);
        Ok(Try { commit: draft.commit(), pushed })
    }

    fn written(&self, commit: CommitId, retries: u32) -> Written {
        let branch = self.branch.as_deref().and_then(|branch| branch.strip_prefix("refs/heads/"));
        Written { commit: Some(commit.to_string()), branch: branch.map(str::to_owned), retries }
    }

    /// Nobody moves the branch, and nobody may.
    fn stuck(&self, branch: &str, words: &str) -> Error {
        let error = Error::new(Kind::Busy, format!("`{}` lets nobody change `{branch}`, and nobody does", self.url))
            .note(format!("it says: {words}"))
            .note("a push that was cut off there may have left its lock behind");
        match self.url.as_str().strip_prefix("file://") {
            Some(path) => error.help(format!("if no git works in it, remove the lock: `rm '{path}/{branch}.lock'`")),
            None => error.help("whoever keeps it can remove the lock; nothing was written"),
        }
    }

    fn declined(&self, branch: &str, words: Vec<String>) -> Error {
        let branch = branch.trim_start_matches("refs/heads/");
        let error = Error::negative(format!("`{}` declined the change of its branch `{branch}`", self.url));
        let error = words.into_iter().fold(error, |error, word| error.note(format!("it says: {word}")));
        error.help("if its branch is protected, `--branch NAME` leaves the change on another, for review")
    }
}

/// One push, and the commit that it was of.
struct Try {
    commit: CommitId,
    pushed: Result<Pushed>,
}

impl Ledger for Repository<'_> {
    fn change(&self, decide: &mut Decide<'_>) -> Result<Option<Written>> {
        let _turn = self.take_turn()?;
        self.writing.tools.git.clear_drafts();
        let secret = (self.writing.tools.tokens)(&format!("git+{}", self.url))?;
        let started = Instant::now();
        let (mut races, mut failures) = (0, 0);
        // Of those that came to no answer, each may have landed.
        let mut perhaps: Vec<CommitId> = Vec::new();
        let mut still = (None, started);
        loop {
            // Anew each time: what was asked once is remembered as long as it is open.
            let mut repository = self.writing.tools.git.open(&self.url)?;
            let head = self.look(&mut repository)?;
            if let Some(commit) = head.commit.filter(|commit| perhaps.contains(commit)) {
                return Ok(Some(self.written(commit, races)));
            }
            if still.0 != head.commit {
                still = (head.commit, Instant::now());
            }
            let state = At { repository: RefCell::new(&mut repository), commit: head.commit };
            let Some(edit) = decide(&state)?.map(Edit::checked).transpose()? else { return Ok(None) };
            let Try { commit, pushed } = self.push(&mut repository, &head, &edit, secret.as_ref())?;
            match pushed {
                Ok(Pushed::Landed) => return Ok(Some(self.written(commit, races))),
                Ok(Pushed::Declined(words)) => return Err(self.declined(&head.branch, words)),
                Ok(Pushed::Raced(words)) if still.1.elapsed() > STUCK => return Err(self.stuck(&head.branch, &words)),
                Ok(Pushed::Raced(_)) => races += 1,
                Err(error) if failures == FAILURES_MAX || error.kind() != Kind::Network => return Err(error),
                Err(_) => failures += 1,
            }
            perhaps.push(commit);
            if races > RACES_MIN && started.elapsed() > self.writing.patience {
                return Err(Error::new(Kind::Busy, format!("others were faster {races} times at `{}`", self.url))
                    .help("nothing was written; run it again when fewer publish at once"));
            }
            std::thread::sleep(pause(races + failures, PAUSE..PAUSE_MAX));
        }
    }
}

/// The full name of a branch for review.
fn full_name(name: &str) -> Result<String> {
    let full = if name.starts_with("refs/") { name.to_owned() } else { format!("refs/heads/{name}") };
    let is_branch = full.starts_with("refs/heads/") && !full.ends_with('/') && git::is_reference_name(&full);
    if is_branch { Ok(full) } else { Err(Error::usage(format!("`{}` cannot be a branch's name", name.escape_debug()))) }
}

/// The files of one commit.
struct At<'a> {
    repository: RefCell<&'a mut git::Repository>,
    commit: Option<CommitId>,
}

impl Files for At<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let Some(commit) = self.commit else { return Ok(None) };
        let mut files = self.repository.borrow_mut().files_at(&commit, &[path.to_owned()], FILE_MAX)?;
        Ok(files.pop().flatten())
    }

    fn paths(&self) -> Result<Option<Vec<String>>> {
        let Some(commit) = self.commit else { return Ok(Some(Vec::new())) };
        let listing = self.repository.borrow_mut().listing(&commit)?;
        Ok(Some(listing.entries().iter().map(|entry| entry.path.clone()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_branch_is_a_branch() {
        assert_eq!(full_name("publish/pdf-1.0.0").unwrap(), "refs/heads/publish/pdf-1.0.0");
        assert_eq!(full_name("refs/heads/x").unwrap(), "refs/heads/x");
        for bad in ["", "a b", "a..b", "refs/tags/x", "-x/", "x.lock", "a:b", "a\u{1b}"] {
            assert!(full_name(bad).is_err(), "{bad}");
        }
    }
}
