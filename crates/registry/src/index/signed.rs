//! The signatures of index entries: the key that signed the commit which added the line.
//!
//! ```text
//! owners/acme.toml   keys = […]     the keys of a scope; those of owners/_.toml are trusted for every name
//!
//! 4f1c  yank acme/csv   signed      the head: by any key in the index
//! 88d0  csv 2.0.0       signed
//! 1f0c  pdf 1.2.0       signed      the commit that added its line: by a key of its scope
//! ```
//!
//! The keys themselves are in the index. The first ones are trusted on first use; later ones only if the commit that adds
//! them is signed by a key that was trusted before.

use std::collections::BTreeMap;

use super::write::owners;
use super::{Index, IndexEntry, entry_path, owners_path};
use crate::index::transport::IndexHistory;
use skillpm_core::error::{Error, Result};
use skillpm_core::provenance::{SignatureStatus, TrustedKey, VerifyError, VerifyResult};
use skillpm_io::git::{CommitId, FileRevision};
use skillpm_io::gpgv::GpgvVerifier;

/// How many states of a file are read in one request: nearly always the newest is enough.
const BATCH_SIZE: usize = 8;

/// The file whose keys are trusted for every name.
const INDEX_OWNERS_FILE: &str = "owners/_.toml";

impl Index<'_> {
    /// Verifies the signatures of entries: each by one of the given keys, or, if none are given, by one that its owners list
    /// in the index.
    ///
    /// # Errors
    /// One result each: if the index cannot be read; [`Integrity`](skillpm_core::error::FailureKind::Integrity) if the index
    /// changed its keys, and no previous key signed that.
    #[must_use]
    pub fn verify_entries(
        &self,
        asked: &[(&IndexEntry, &[TrustedKey])],
    ) -> Vec<Result<SignatureStatus>> {
        // Only a git repository has signatures of its changes.
        let Some(history) = self.transport.history() else {
            let error = VerifyError::UnsignedSource(
                "its index is not a git repository, so its changes are not signed".into(),
            );
            let unsigned = |is_expected| {
                Ok(SignatureStatus {
                    verdict: Err(error.clone()),
                    is_expected,
                })
            };
            return asked
                .iter()
                .map(|(_, listed)| unsigned(!listed.is_empty()))
                .collect();
        };

        let mut cache = SignatureCache {
            index: self,
            history,
            index_keys: None,
            trusted_keys: BTreeMap::new(),
            verdicts: Vec::new(),
        };
        asked
            .iter()
            .map(|(entry, listed)| cache.verify_entry(entry, listed))
            .collect()
    }
}

/// Verified commits and keys of an index, which many lines share.
struct SignatureCache<'i> {
    index: &'i Index<'i>,
    history: &'i dyn IndexHistory,
    /// Every key in the index.
    index_keys: Option<Vec<TrustedKey>>,
    /// The keys in owners' files, by path.
    trusted_keys: BTreeMap<String, Vec<TrustedKey>>,
    /// Commits, the keys that they were checked against, and the results.
    verdicts: Vec<(CommitId, Vec<TrustedKey>, VerifyResult)>,
}

impl SignatureCache<'_> {
    fn verify_entry(
        &mut self,
        entry: &IndexEntry,
        listed: &[TrustedKey],
    ) -> Result<SignatureStatus> {
        // The user's own keys replace those of the index, so that it cannot add a signer.
        let (keys, is_expected) = if listed.is_empty() {
            let own = self.trusted_keys(&owners_path(&entry.name))?;
            let is_expected = !own.is_empty();
            (
                [own, self.trusted_keys(INDEX_OWNERS_FILE)?].concat(),
                is_expected,
            )
        } else {
            (listed.to_vec(), true)
        };

        let verdict = if keys.is_empty() {
            Err(VerifyError::NoTrustedKeys)
        } else {
            self.check_entry(entry, &keys)?
        };
        Ok(SignatureStatus {
            verdict,
            is_expected,
        })
    }

    fn check_entry(&mut self, entry: &IndexEntry, keys: &[TrustedKey]) -> Result<VerifyResult> {
        let head = self.history.head();
        let all_keys = [keys, self.index_keys()?].concat();

        // The head is checked first: without it, a line could be yanked or removed unnoticed.
        if let Err(error) = self.verify_commit(&head, &all_keys)? {
            return Ok(Err(
                error.about(format!("commit {}, the head of its index", head.short()))
            ));
        }

        let Some(added) = find_adding_commit(self.history, entry)? else {
            return Ok(Err(VerifyError::MissingHistory));
        };

        let verdict = self.verify_commit(&added, keys)?;
        Ok(verdict
            .map_err(|error| error.about(format!("commit {}, which published it", added.short()))))
    }

    /// Verifies that one of these keys signed a commit.
    fn verify_commit(&mut self, commit: &CommitId, keys: &[TrustedKey]) -> Result<VerifyResult> {
        // Many lines share a commit, and verifying a signature may run a program.
        let known = self
            .verdicts
            .iter()
            .find(|(known, by, _)| known == commit && by == keys);
        if let Some((.., verdict)) = known {
            return Ok(verdict.clone());
        }

        let verdict = self
            .history
            .signed_commit(commit)?
            .verify(keys, &GpgvVerifier);
        self.verdicts
            .push((*commit, keys.to_vec(), verdict.clone()));
        Ok(verdict)
    }

    /// Every key in the index.
    fn index_keys(&mut self) -> Result<&[TrustedKey]> {
        if self.index_keys.is_none() {
            self.index_keys = Some(self.index.read_index_keys()?);
        }
        Ok(self.index_keys.as_deref().unwrap_or_default())
    }

    /// The keys in an owners' file, if they are trusted.
    fn trusted_keys(&mut self, path: &str) -> Result<Vec<TrustedKey>> {
        if let Some(keys) = self.trusted_keys.get(path) {
            return Ok(keys.clone());
        }
        let keys = self.index.read_trusted_keys(self.history, path)?;
        self.trusted_keys.insert(path.to_owned(), keys.clone());
        Ok(keys)
    }
}

impl Index<'_> {
    /// Reads every key in the index.
    fn read_index_keys(&self) -> Result<Vec<TrustedKey>> {
        let paths = self.transport.list_paths()?.unwrap_or_default().into_iter();
        let is_file = |path: &String| {
            path.strip_prefix("owners/")
                .and_then(|name| name.strip_suffix(".toml"))
                .is_some()
        };
        let paths: Vec<String> = paths.filter(is_file).collect();

        let mut all = Vec::new();
        for (path, file) in paths.iter().zip(self.transport.read_all(&paths)) {
            // The keys of an invalid file are not trusted.
            all.extend(owners::read_keys(file?.as_deref(), path).unwrap_or_default());
        }
        Ok(all)
    }

    /// Reads the keys in an owners' file, if they are trusted.
    fn read_trusted_keys(&self, history: &dyn IndexHistory, path: &str) -> Result<Vec<TrustedKey>> {
        let now = self.transport.read(path)?.unwrap_or_default();
        let keys = owners::read_keys(Some(&now), path)?;

        let before = history.trusted_file(path);
        let known = owners::read_keys(before.as_deref(), path).unwrap_or_default();

        // Trust on first use: the first keys are accepted as they are, later ones need a signature.
        if !known.is_empty() && known != keys && !history.accepts_rewrites() {
            self.check_key_rotation(history, path, &known, &keys)?;
        }

        if before.as_deref() != Some(&now) {
            history.trust_file(path, &now)?;
        }
        Ok(keys)
    }

    /// Checks each change of the keys in a file since it had the known ones: it must be signed by a key that was listed
    /// before it.
    fn check_key_rotation(
        &self,
        history: &dyn IndexHistory,
        path: &str,
        known: &[TrustedKey],
        now: &[TrustedKey],
    ) -> Result<()> {
        let failure = match find_newer_keys(history, path, known)? {
            Some(states) => find_unsigned_change(history, known, states)?,
            // No state lists the trusted keys: nothing connects them to the new ones.
            None => Some((history.head(), VerifyError::MissingHistory)),
        };
        let Some((commit, error)) = failure else {
            return Ok(());
        };

        Err(history.with_accept_help(
            Error::integrity(format!(
                "refusing the changed keys in `{path}` of index `{}`: not signed by a previous key",
                self.url()
            ))
            .note(format!("before  {}", format_keys(known)))
            .note(format!("now     {}", format_keys(now)))
            .note(format!(
                "since commit {}, which is not signed by a key that was listed before it: {error}",
                commit.short()
            )),
        ))
    }
}

/// The keys of a file in one state of its history.
type KeyState = (CommitId, Vec<TrustedKey>);

/// Lists the states of a file since it had the known keys, the oldest first; `None` if none of its states has them.
fn find_newer_keys(
    history: &dyn IndexHistory,
    path: &str,
    known: &[TrustedKey],
) -> Result<Option<Vec<KeyState>>> {
    let mut newer = Vec::new();
    // Back from the newest state, until one lists the keys that are trusted.
    let changes = history.file_changes(path)?.unwrap_or_default();
    for (changed, bytes) in file_states(history, &changes) {
        let keys = owners::read_keys(Some(&bytes?), path).unwrap_or_default();
        if keys == known {
            newer.reverse();
            return Ok(Some(newer));
        }
        newer.push((changed.commit, keys));
    }
    Ok(None)
}

/// Finds the first change of the keys that no key listed before it has signed.
fn find_unsigned_change(
    history: &dyn IndexHistory,
    known: &[TrustedKey],
    states: Vec<KeyState>,
) -> Result<Option<(CommitId, VerifyError)>> {
    let mut trusted = known.to_vec();
    for (commit, keys) in states {
        // A change of owners alone needs no signature.
        if keys != trusted
            && let Err(error) = history
                .signed_commit(&commit)?
                .verify(&trusted, &GpgvVerifier)
        {
            return Ok(Some((commit, error)));
        }
        // Each state is trusted by the one before it, so the chain reaches back to the known keys.
        trusted = keys;
    }
    Ok(None)
}

fn format_keys(keys: &[TrustedKey]) -> String {
    let shown: Vec<String> = keys
        .iter()
        .map(|key| key.fingerprint().to_string())
        .collect();
    if shown.is_empty() {
        "none".to_owned()
    } else {
        shown.join(", ")
    }
}

/// Finds the commit that added the line of a version; `None` if the history is not available that far.
fn find_adding_commit(history: &dyn IndexHistory, entry: &IndexEntry) -> Result<Option<CommitId>> {
    let Some(changes) = history.file_changes(&entry_path(&entry.name))? else {
        return Ok(None);
    };

    // Back from the newest state to the oldest that has the same line: its commit added it.
    let mut added = None;
    for (changed, bytes) in file_states(history, &changes) {
        if !has_same_entry(&bytes?, entry) {
            break;
        }
        added = Some(changed.commit);
    }
    Ok(added)
}

/// Whether a file has the line of a version, apart from `yanked` and `revoked`.
fn has_same_entry(file: &[u8], entry: &IndexEntry) -> bool {
    let text = String::from_utf8_lossy(file);
    let mut entries = text
        .lines()
        .filter_map(|line| IndexEntry::parse(line, &entry.name).ok());

    let found = entries.find(|found| found.vers == entry.vers);
    found.is_some_and(|found| {
        IndexEntry {
            yanked: entry.yanked,
            revoked: entry.revoked.clone(),
            ..found
        } == *entry
    })
}

/// Reads the states of a file, the newest first, a few at a time.
fn file_states<'s>(
    history: &'s dyn IndexHistory,
    changes: &'s [FileRevision],
) -> impl Iterator<Item = (&'s FileRevision, Result<Vec<u8>>)> {
    changes
        .chunks(BATCH_SIZE)
        .flat_map(|wave| wave.iter().zip(read_states(history, wave)))
}

fn read_states(history: &dyn IndexHistory, wave: &[FileRevision]) -> Vec<Result<Vec<u8>>> {
    let blobs: Vec<_> = wave.iter().map(|changed| changed.blob).collect();
    match history.read_blobs(&blobs) {
        Ok(contents) => contents.into_iter().map(Ok).collect(),
        Err(error) => wave.iter().map(|_| Err(error.clone())).collect(),
    }
}
