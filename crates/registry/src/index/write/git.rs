//! A git repository: a change is one commit on its default branch (or on one for review), pushed without force. A writer
//! whose push is rejected reads the new head, computes its edit again, and pushes again.
//!
//! Processes on one machine that write to the same repository take turns by a lock; between machines the host's own
//! compare-and-swap of the branch decides.

use std::cell::RefCell;
use std::time::{Duration, Instant};

use super::{
    DecideEdit, IndexEdit, IndexEditOutcome, IndexFiles, IndexWriteOptions, IndexWriter,
    retry_pause,
};
use skillpm_core::error::{Error, FailureKind, Result};
use skillpm_core::package::{GitUrl, SecretString, Sha256Digest};
use skillpm_io::disk::{FileLock, LockMode};
use skillpm_io::git::{self, BranchHead, CommitChange, CommitId, PushOutcome};

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
    fn find_target_head(&self, repository: &mut git::GitRepository) -> Result<BranchHead> {
        let head = repository.head()?;
        let Some(branch) = &self.branch else {
            return Ok(head);
        };

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
        repository: &mut git::GitRepository,
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

/// One push, with its commit.
struct PushAttempt {
    commit: CommitId,
    pushed: Result<PushOutcome>,
}

impl IndexWriter for GitIndexWriter<'_> {
    fn update(&self, decide: &mut DecideEdit<'_>) -> Result<Option<IndexEditOutcome>> {
        let _lock = self.lock_repository()?;
        self.writing.tools.git.remove_abandoned_drafts();
        // A token is stored for the URL of the index, not for that of its repository.
        let secret = (self.writing.tools.tokens)(&format!("git+{}", self.url))?;

        let started = Instant::now();
        let (mut races, mut failures) = (0, 0);
        // Pushes without a response may have landed all the same.
        let mut unconfirmed: Vec<CommitId> = Vec::new();

        let mut last_move = (None, started);
        loop {
            // Opened again each time, since an open repository caches its references.
            let mut repository = self.writing.tools.git.open(&self.url)?;

            let head = self.find_target_head(&mut repository)?;

            // The response to that push was lost, but the push landed.
            if let Some(commit) = head.commit.filter(|commit| unconfirmed.contains(commit)) {
                return Ok(Some(self.edit_outcome(commit, races)));
            }

            // As long as the head moves, some writer makes progress.
            if last_move.0 != head.commit {
                last_move = (head.commit, Instant::now());
            }

            let state = GitIndexSnapshot {
                repository: RefCell::new(&mut repository),
                commit: head.commit,
            };

            let Some(edit) = decide(&state)?.map(IndexEdit::check_paths).transpose()? else {
                return Ok(None);
            };

            let PushAttempt { commit, pushed } =
                self.push_edit(&mut repository, &head, &edit, secret.as_ref())?;

            match pushed {
                Ok(PushOutcome::Landed) => return Ok(Some(self.edit_outcome(commit, races))),
                Ok(PushOutcome::Declined(messages)) => {
                    return Err(self.declined_error(&head.branch, messages));
                }
                // Rejected for long while the branch does not move: there is a stale lock.
                Ok(PushOutcome::Raced(message)) if last_move.1.elapsed() > STUCK_AFTER => {
                    return Err(self.stuck_error(&head.branch, &message));
                }
                Ok(PushOutcome::Raced(_)) => races += 1,
                Err(error) if failures == FAILURES_MAX || error.kind() != FailureKind::Network => {
                    return Err(error);
                }
                // No response: the push may have landed all the same.
                Err(_) => failures += 1,
            }

            unconfirmed.push(commit);

            // Only after many attempts and a long time: either alone is normal with many writers.
            if races > RACES_MIN && started.elapsed() > self.writing.timeout {
                return Err(Error::new(
                    FailureKind::Busy,
                    format!(
                        "failed to push to `{}`: others changed it {races} times meanwhile",
                        self.url
                    ),
                )
                .help("nothing was written; run the command again when fewer others publish"));
            }

            std::thread::sleep(retry_pause(races + failures, PAUSE_START..PAUSE_MAX));
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
    repository: RefCell<&'a mut git::GitRepository>,
    commit: Option<CommitId>,
}

impl IndexFiles for GitIndexSnapshot<'_> {
    fn read(&self, path: &str) -> Result<Option<Vec<u8>>> {
        let Some(commit) = self.commit else {
            return Ok(None);
        };

        let mut files = self.repository.borrow_mut().read_files(
            &commit,
            &[path.to_owned()],
            (FILE_MAX, FILE_MAX),
        )?;
        Ok(files.pop().flatten())
    }

    fn list_paths(&self) -> Result<Option<Vec<String>>> {
        let Some(commit) = self.commit else {
            return Ok(Some(Vec::new()));
        };

        let listing = self.repository.borrow_mut().list_commit(&commit)?;
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
