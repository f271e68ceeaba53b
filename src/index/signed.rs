//! Who vouches for a line: the key that signed the commit which added it.
//!
//! ```text
//! owners/acme.toml   keys = […]     the keys of a scope; those of owners/_.toml vouch for every name
//!
//! 4f1c  yank acme/csv   signed      the head: by any key that the index lists
//! 88d0  csv 2.0.0       signed
//! 1f0c  pdf 1.2.0       signed      the commit that added the line about it: by a key of its scope
//! ```
//!
//! Keys are themselves lines of the index. The first that are seen are believed; others only if a commit lists them that is
//! signed by one which was believed before.

use super::write::owners;
use super::{Entry, Index, entry_path, owners_path};
use crate::error::{Error, Result};
use crate::index::place::Past;
use crate::io::git::{Changed, CommitId};
use crate::io::gpgv::Gpgv;
use crate::provenance::{Doubt, Key, Verdict, Vouched};

/// How many states of a file are looked at in one request: nearly always the newest tells.
const WAVE: usize = 8;

/// The file whose keys vouch for every name.
const KEEPERS: &str = "owners/_.toml";

impl Index<'_> {
    /// Who vouches for what the index says of a version: one of `listed`, or, where those are none, of the keys that its
    /// owners list in the index.
    ///
    /// # Errors
    /// If the index cannot be read; [`Kind::Integrity`](crate::error::Kind::Integrity) if it lists other keys than it did,
    /// and none of those vouches for that.
    pub fn vouched(&self, entry: &Entry, listed: &[Key]) -> Result<Vouched> {
        let Some(past) = self.place.past() else {
            let doubt = Doubt::NoSource("its index is not read from git, and nothing else is signed".into());
            return Ok(Vouched { verdict: Err(doubt), is_expected: !listed.is_empty() });
        };
        let (keys, is_expected) = if listed.is_empty() {
            let own = self.believed(past, &owners_path(&entry.name))?;
            let is_expected = !own.is_empty();
            ([own, self.believed(past, KEEPERS)?].concat(), is_expected)
        } else {
            (listed.to_vec(), true)
        };
        let verdict = if keys.is_empty() { Err(Doubt::NoKeys) } else { self.judge(past, entry, &keys)? };
        Ok(Vouched { verdict, is_expected })
    }

    fn judge(&self, past: &dyn Past, entry: &Entry, keys: &[Key]) -> Result<Verdict> {
        let head = past.head();
        let everyone = [keys, &self.all_keys()?].concat();
        if let Err(doubt) = past.signed(&head)?.by(&everyone, &Gpgv) {
            return Ok(Err(doubt.of(format!("commit {}, the head of its index", short(&head)))));
        }
        let Some(added) = added_by(past, entry)? else { return Ok(Err(Doubt::NoHistory)) };
        let verdict = past.signed(&added)?.by(keys, &Gpgv);
        Ok(verdict.map_err(|doubt| doubt.of(format!("commit {}, which published it", short(&added)))))
    }

    /// Every key that the index lists.
    fn all_keys(&self) -> Result<Vec<Key>> {
        let paths = self.place.paths()?.unwrap_or_default().into_iter();
        let is_file =
            |path: &String| path.strip_prefix("owners/").and_then(|name| name.strip_suffix(".toml")).is_some();
        let paths: Vec<String> = paths.filter(is_file).collect();
        let mut all = Vec::new();
        for (path, file) in paths.iter().zip(self.place.read_all(&paths)) {
            // Whoever cannot be read vouches for nothing.
            all.extend(owners::keys(file?.as_deref(), path).unwrap_or_default());
        }
        Ok(all)
    }

    /// The keys in a file of owners, if they may be believed.
    fn believed(&self, past: &dyn Past, path: &str) -> Result<Vec<Key>> {
        let now = self.place.read(path)?.unwrap_or_default();
        let keys = owners::keys(Some(&now), path)?;
        let before = past.remembered(path);
        let known = owners::keys(before.as_deref(), path).unwrap_or_default();
        if !known.is_empty() && known != keys && !past.may_rewrite() {
            self.hold_to_its_keys(past, path, &known)?;
        }
        if before.as_deref() != Some(&now) {
            past.remember(path, &now)?;
        }
        Ok(keys)
    }

    /// Walks from the state of a file in which it listed the known keys to what it is now: each change of its keys must be
    /// signed by one that it listed before.
    fn hold_to_its_keys(&self, past: &dyn Past, path: &str, known: &[Key]) -> Result<()> {
        let mut later: Vec<(CommitId, Vec<Key>)> = Vec::new();
        let mut is_met = false;
        let changes = past.changes(path)?.unwrap_or_default();
        for (changed, bytes) in states(past, &changes) {
            let keys = owners::keys(bytes?.as_deref(), path).unwrap_or_default();
            is_met = keys == known;
            if is_met {
                break;
            }
            later.push((changed.commit, keys));
        }
        let mut trusted = known.to_vec();
        let mut broken = (!is_met).then(|| past.head());
        for (commit, keys) in later.into_iter().rev().filter(|_| is_met) {
            if broken.is_none() && keys != trusted && past.signed(&commit)?.by(&trusted, &Gpgv).is_err() {
                broken = Some(commit);
            }
            trusted = keys;
        }
        let Some(commit) = broken else { return Ok(()) };
        let shown = |keys: &[Key]| {
            let shown: Vec<String> = keys.iter().map(|key| key.fingerprint().to_string()).collect();
            if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
        };
        let now = owners::keys(self.place.read(path)?.as_deref(), path)?;
        Err(past.how_to_accept(
            Error::integrity(format!(
                "`{path}` of index `{}` lists other keys, and none of the old ones says so",
                self.url()
            ))
            .note(format!("before  {}", shown(known)))
            .note(format!("now     {}", shown(&now)))
            .note(format!("since commit {}, which no key signed that was listed before it", short(&commit))),
        ))
    }
}

/// The commit that added the line about a version; `None` if the history is not at hand that far.
fn added_by(past: &dyn Past, entry: &Entry) -> Result<Option<CommitId>> {
    let Some(changes) = past.changes(&entry_path(&entry.name))? else { return Ok(None) };
    let mut added = None;
    for (changed, bytes) in states(past, &changes) {
        if !says_the_same(bytes?.as_deref().unwrap_or_default(), entry) {
            break;
        }
        added = Some(changed.commit);
    }
    Ok(added)
}

/// Whether a file has the line of a version, but for whether it is yanked or revoked.
fn says_the_same(file: &[u8], entry: &Entry) -> bool {
    let text = String::from_utf8_lossy(file);
    let mut entries = text.lines().filter_map(|line| Entry::parse(line, &entry.name).ok());
    let found = entries.find(|found| found.vers == entry.vers);
    found.is_some_and(|found| Entry { yanked: entry.yanked, revoked: entry.revoked.clone(), ..found } == *entry)
}

/// The states of a file, the newest first, a few at a time.
fn states<'s>(
    past: &'s dyn Past,
    changes: &'s [Changed],
) -> impl Iterator<Item = (&'s Changed, Result<Option<Vec<u8>>>)> {
    changes.chunks(WAVE).flat_map(|wave| {
        let blobs: Vec<_> = wave.iter().filter_map(|changed| changed.blob).collect();
        let mut contents = past.contents(&blobs).map(Vec::into_iter);
        let content = |changed: &'s Changed| match (changed.blob, &mut contents) {
            (None, _) => (changed, Ok(None)),
            (Some(_), Ok(contents)) => (changed, Ok(contents.next())),
            (Some(_), Err(error)) => (changed, Err(error.clone())),
        };
        wave.iter().map(content).collect::<Vec<_>>()
    })
}

fn short(commit: &CommitId) -> String {
    commit.to_string().chars().take(12).collect()
}
