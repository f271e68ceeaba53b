//! A git repository: a change is one commit on its default branch (or on one for review), pushed without force. A writer
//! whose push is rejected reads the new head, computes its edit again, and pushes again.
//!
//! Processes on one machine that write to the same repository take turns by a lock; between machines the host's own
//! compare-and-swap of the branch decides.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use super::{
    DecideEdit, IndexEdit, IndexEditOutcome, IndexFiles, IndexWriteOptions, IndexWriter,
    retry_pause,
};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{GitUrl, SecretString, Sha256Digest};
use skillpm_io::disk::{FileLock, LockMode};
use skillpm_io::git::{self, BranchHead, CommitChange, CommitId, ListingLimits, PushOutcome};

/// Largest file of an index that is read, in bytes: a package with some 50,000 versions.
const FILE_MAX: u64 = 32 << 20;
/// Fewest retries after a race, however long they take.
const RACES_MIN: u32 = 30;
/// Most retries of a push without a response.
const FAILURES_MAX: u32 = 3;
/// How long a branch may stay unchanged while pushes are rejected as races: after that a stale lock is assumed.
const STUCK_AFTER: Duration = Duration::from_secs(45);
/// Longest pause before the first retry.
const PAUSE_START: Duration = Duration::from_millis(40);
/// Longest pause before any retry.
const PAUSE_MAX: Duration = Duration::from_secs(3);

pub(super) struct GitIndexWriter<'a> {
    url: GitUrl,
    /// The full name of the branch for review; `None` for the default branch.
    branch: Option<String>,
    writing: IndexWriteOptions<'a>,
}

impl<'a> GitIndexWriter<'a> {
    pub(super) fn new(url: GitUrl, writing: IndexWriteOptions<'a>) -> Result<Self> {
        if writing.tools.offline {
            return Err(Error::network(format!(
                "cannot write to `{url}` while the network is off"
            ))
            .help("run the command again without `--offline`"));
        }

        let branch = writing.branch.map(full_branch_name).transpose()?;
        Ok(GitIndexWriter {
            url,
            branch,
            writing,
        })
    }

    /// Locks the repository against other processes on this machine.
    fn lock_repository(&self) -> Result<FileLock> {
        // By URL and not by name: two registries may be in the same repository.
        let digest = Sha256Digest::hash_bytes(self.url.as_str().as_bytes()).to_string();

        let path = self
            .writing
            .tools
            .cache
            .join(format!("write-{}.lock", &digest[..16]));
        FileLock::acquire(
            &path,
            LockMode::Exclusive,
            self.writing.timeout,
            self.writing.tools.reporter,
        )
    }

    /// Finds the commit to change and the branch to push to; an existing branch for review is changed itself.
    fn find_target_head(&self, repository: &mut git::GitRepository<'_>) -> Result<BranchHead> {
        let head = repository.head()?;
        let Some(branch) = &self.branch else {
            return Ok(head);
        };

        // Reviews of several changes may share one branch.
        let existing = repository
            .refs(&[branch])?
            .into_iter()
            .find(|found| found.name == *branch);

        Ok(BranchHead {
            branch: branch.clone(),
            commit: existing.map(|found| found.commit).or(head.commit),
        })
    }

    fn push_edit(
        &self,
        repository: &mut git::GitRepository<'_>,
        head: &BranchHead,
        edit: &IndexEdit,
        secret: Option<&SecretString>,
    ) -> Result<PushAttempt> {
        // One commit has all files, so their order does not matter.
        let mut files = edit.archives.clone();
        files.extend(edit.files.clone());

        let change = CommitChange {
            parent: head.commit,
            files: &files,
            message: &edit.message,
            author: self.writing.author,
            time: self.writing.time,
        };

        // Again for each attempt: its parent is another one after a race.
        let draft = repository.draft_commit(&change)?;
        let pushed = repository.push(&draft, &head.branch, secret);
        Ok(PushAttempt {
            commit: draft.commit(),
            pushed,
        })
    }

    fn edit_outcome(&self, commit: CommitId, retries: u32) -> IndexEditOutcome {
        let branch = self
            .branch
            .as_deref()
            .and_then(|branch| branch.strip_prefix("refs/heads/"));
        IndexEditOutcome {
            commit: Some(commit.to_string()),
            branch: branch.map(str::to_owned),
            retries,
        }
    }

    /// The error for a branch that does not move while pushes are rejected.
    fn stuck_error(&self, branch: &str, message: &str) -> Error {
        let error = Error::new(
            FailureKind::Busy,
            format!(
                "failed to push to `{branch}` of `{}`: it seems to be locked",
                self.url
            ),
        )
        .note(format!("the remote reported: {message}"))
        .note("an interrupted push may have left a lock file");

        match self.url.as_str().strip_prefix("file://") {
            Some(path) => error.help(format!(
                "if no git process uses it, remove the lock: `rm '{path}/{branch}.lock'`"
            )),
            None => error.help(
                "nothing was written; the administrator of the repository can remove the lock",
            ),
        }
    }

    fn declined_error(&self, branch: &str, messages: Vec<String>) -> Error {
        let branch = branch.trim_start_matches("refs/heads/");
        let error = Error::negative(format!(
            "failed to push to `{branch}` of `{}`: the remote rejected it",
            self.url
        ));

        let error = messages.into_iter().fold(error, |error, message| {
            error.note(format!("the remote reported: {message}"))
        });

        error.help(
            "if the branch is protected, use `--branch NAME` to push to another one, for review",
        )
    }
}

/// The pushes of one update so far.
struct PushProgress {
    started: Instant,
    /// How often another writer was faster.
    races: u32,
    /// Pushes without a response.
    failures: u32,
    /// Pushes without a response may have landed all the same.
    unconfirmed: Vec<CommitId>,
    /// The head of the branch, and since when it is that one.
    last_move: (Option<CommitId>, Instant),
}

impl PushProgress {
    fn new() -> PushProgress {
        let started = Instant::now();
        PushProgress {
            started,
            races: 0,
            failures: 0,
            unconfirmed: Vec::new(),
            last_move: (None, started),
        }
    }

    fn record_head(&mut self, head: Option<CommitId>) {
        // As long as the head moves, some writer makes progress.
        if self.last_move.0 != head {
            self.last_move = (head, Instant::now());
        }
    }
}

impl GitIndexWriter<'_> {
    /// Decides on the state of the branch as it is now, and pushes the edit.
    fn try_update(
        &self,
        decide: &mut DecideEdit<'_>,
        secret: Option<&SecretString>,
        progress: &mut PushProgress,
    ) -> Result<UpdateAttempt> {
        // Opened again each time, since an open repository caches its references.
        let mut repository = self.writing.tools.git.open(&self.url)?;
        let head = self.find_target_head(&mut repository)?;
        // The response to that push was lost, but the push landed.
        if let Some(commit) = head
            .commit
            .filter(|commit| progress.unconfirmed.contains(commit))
        {
            return Ok(UpdateAttempt::Landed(commit));
        }
        progress.record_head(head.commit);

        let state = GitIndexSnapshot {
            repository: RefCell::new(&mut repository),
            commit: head.commit,
            is_refused: Cell::new(false),
        };
        let decided = decide(&state);
        let is_refused = state.is_refused.get();
        let edit = match decided {
            // Before version 2 of the protocol, a host serves a commit only as long as it is the head of a branch.
            Err(_) if is_refused && self.has_moved(&head)? => {
                progress.races += 1;
                return Ok(UpdateAttempt::Overtaken);
            }
            decided => decided?.map(IndexEdit::check_paths).transpose()?,
        };
        let Some(edit) = edit else {
            return Ok(UpdateAttempt::Unchanged);
        };

        let attempt = self.push_edit(&mut repository, &head, &edit, secret)?;
        let commit = attempt.commit;
        if self.has_landed(attempt, &head.branch, progress)? {
            Ok(UpdateAttempt::Landed(commit))
        } else {
            Ok(UpdateAttempt::Overtaken)
        }
    }

    /// Whether another writer has changed the branch since its head was read.
    fn has_moved(&self, head: &BranchHead) -> Result<bool> {
        let mut repository = self.writing.tools.git.open(&self.url)?;
        Ok(self.find_target_head(&mut repository)?.commit != head.commit)
    }

    /// Whether a push landed; `false` if it is to be retried.
    fn has_landed(
        &self,
        attempt: PushAttempt,
        branch: &str,
        progress: &mut PushProgress,
    ) -> Result<bool> {
        match attempt.pushed {
            Ok(PushOutcome::Landed) => return Ok(true),
            Ok(PushOutcome::Declined(messages)) => {
                return Err(self.declined_error(branch, messages));
            }
            // Rejected for long while the branch does not move: there is a stale lock.
            Ok(PushOutcome::Raced(message)) if progress.last_move.1.elapsed() > STUCK_AFTER => {
                return Err(self.stuck_error(branch, &message));
            }
            Ok(PushOutcome::Raced(_)) => progress.races += 1,
            Err(error)
                if progress.failures == FAILURES_MAX || error.kind() != FailureKind::Network =>
            {
                return Err(error);
            }
            // No response: the push may have landed all the same.
            Err(_) => progress.failures += 1,
        }

        progress.unconfirmed.push(attempt.commit);
        Ok(false)
    }

    fn check_patience(&self, progress: &PushProgress) -> Result<()> {
        let races = progress.races;
        // Only after many attempts and a long time: either alone is normal with many writers.
        if races > RACES_MIN && progress.started.elapsed() > self.writing.timeout {
            return Err(Error::new(
                FailureKind::Busy,
                format!(
                    "failed to push to `{}`: others changed it {races} times meanwhile",
                    self.url
                ),
            )
            .help("nothing was written; run the command again when fewer others publish"));
        }
        Ok(())
    }
}

/// One push, with its commit.
struct PushAttempt {
    commit: CommitId,
    pushed: Result<PushOutcome>,
}

/// The result of one attempt of an update.
enum UpdateAttempt {
    /// There is nothing to change.
    Unchanged,
    /// The branch has this commit.
    Landed(CommitId),
    /// Another writer was faster, or there was no response.
    Overtaken,
}

impl IndexWriter for GitIndexWriter<'_> {
    fn update(&self, decide: &mut DecideEdit<'_>) -> Result<Option<IndexEditOutcome>> {
        let _lock = self.lock_repository()?;
        self.writing.tools.git.remove_abandoned_drafts();
        // A token is stored for the URL of the index, not for that of its repository.
        let secret = (self.writing.tools.tokens)(&format!("git+{}", self.url))?;

        let mut progress = PushProgress::new();
        loop {
            match self.try_update(decide, secret.as_ref(), &mut progress)? {
                UpdateAttempt::Unchanged => return Ok(None),
                UpdateAttempt::Landed(commit) => {
                    return Ok(Some(self.edit_outcome(commit, progress.races)));
                }
                UpdateAttempt::Overtaken => {}
            }

            self.check_patience(&progress)?;
            let retries = progress.races + progress.failures;
            std::thread::sleep(retry_pause(retries, PAUSE_START..PAUSE_MAX));
        }
    }
}

/// Parses the name of a branch for review; returns its full name.
fn full_branch_name(name: &str) -> Result<String> {
    let full = if name.starts_with("refs/") {
        name.to_owned()
    } else {
        format!("refs/heads/{name}")
    };

    // A tag or a note must not be moved by mistake.
    let is_branch =
        full.starts_with("refs/heads/") && !full.ends_with('/') && git::is_reference_name(&full);
    if is_branch {
        Ok(full)
    } else {
        Err(Error::usage(format!(
            "invalid branch name `{}`",
            name.escape_debug()
        )))
    }
}

/// The files of one commit.
struct GitIndexSnapshot<'a> {
    repository: RefCell<&'a mut git::GitRepository<'static>>,
    commit: Option<CommitId>,
    /// Whether the host did not serve the commit.
    is_refused: Cell<bool>,
}

impl IndexFiles for GitIndexSnapshot<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let Some(commit) = self.commit else {
            return Ok(None);
        };

        let read = self.repository.borrow_mut().read_files(
            &commit,
            &[path.to_owned()],
            (FILE_MAX, FILE_MAX),
        );
        let mut files = read.inspect_err(|_| self.is_refused.set(true))?;
        Ok(files.pop().flatten())
    }

    fn list_paths(&self, enters: &dyn Fn(&str) -> bool) -> Result<Option<Vec<String>>> {
        let Some(commit) = self.commit else {
            return Ok(Some(Vec::new()));
        };

        let listing = self
            .repository
            .borrow_mut()
            .list_commit_in(&commit, enters, ListingLimits::INDEX)
            .inspect_err(|_| self.is_refused.set(true))?;
        Ok(Some(
            listing
                .entries()
                .iter()
                .map(|entry| entry.path.clone())
                .collect(),
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_invalid_branch_name_is_refused() {
        assert_eq!(
            full_branch_name("publish/pdf-1.0.0").unwrap(),
            "refs/heads/publish/pdf-1.0.0"
        );
        assert_eq!(full_branch_name("refs/heads/x").unwrap(), "refs/heads/x");
        for bad in [
            "",
            "a b",
            "a..b",
            "refs/tags/x",
            "-x/",
            "x.lock",
            "a:b",
            "a\u{1b}",
        ] {
            assert!(full_branch_name(bad).is_err(), "{bad}");
        }
    }
}
