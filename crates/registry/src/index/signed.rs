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

use std::collections::BTreeMap;

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
    /// Who vouches for what the index says of versions: for each, one of the keys that are given with it, or, where those
    /// are none, of those that its owners list in the index.
    ///
    /// # Errors
    /// Each for itself: if the index cannot be read; [`Kind::Integrity`](crate::error::Kind::Integrity) if it lists other
    /// keys than it did, and none of those vouches for that.
    #[must_use]
    pub fn vouched(&self, asked: &[(&Entry, &[Key])]) -> Vec<Result<Vouched>> {
        let Some(past) = self.place.past() else {
            let doubt = Doubt::NoSource("its index is not read from git, and nothing else is signed".into());
            let not = |is_expected| Ok(Vouched { verdict: Err(doubt.clone()), is_expected });
            return asked.iter().map(|(_, listed)| not(!listed.is_empty())).collect();
        };
        let mut notary = Notary { index: self, past, listed: None, believed: BTreeMap::new(), judged: Vec::new() };
        asked.iter().map(|(entry, listed)| notary.vouched(entry, listed)).collect()
    }
}

/// What was found out about an index and its commits, which many lines share.
struct Notary<'i> {
    index: &'i Index<'i>,
    past: &'i dyn Past,
    /// Every key that the index lists.
    listed: Option<Vec<Key>>,
    /// The keys in files of owners, by path.
    believed: BTreeMap<String, Vec<Key>>,
    /// Commits, the keys that they were held against, and what came of it.
    judged: Vec<(CommitId, Vec<Key>, Verdict)>,
}

impl Notary<'_> {
    fn vouched(&mut self, entry: &Entry, listed: &[Key]) -> Result<Vouched> {
        let (keys, is_expected) = if listed.is_empty() {
            let own = self.believed(&owners_path(&entry.name))?;
            let is_expected = !own.is_empty();
            ([own, self.believed(KEEPERS)?].concat(), is_expected)
        } else {
            (listed.to_vec(), true)
        };
        let verdict = if keys.is_empty() { Err(Doubt::NoKeys) } else { self.judge(entry, &keys)? };
        Ok(Vouched { verdict, is_expected })
    }

    fn judge(&mut self, entry: &Entry, keys: &[Key]) -> Result<Verdict> {
        let head = self.past.head();
        let everyone = [keys, self.all_keys()?].concat();
        if let Err(doubt) = self.signed_by(&head, &everyone)? {
            return Ok(Err(doubt.of(format!("commit {}, the head of its index", head.short()))));
        }
        let Some(added) = added_by(self.past, entry)? else { return Ok(Err(Doubt::NoHistory)) };
        let verdict = self.signed_by(&added, keys)?;
        Ok(verdict.map_err(|doubt| doubt.of(format!("commit {}, which published it", added.short()))))
    }

    /// Which of these keys signed a commit.
    fn signed_by(&mut self, commit: &CommitId, keys: &[Key]) -> Result<Verdict> {
        let known = self.judged.iter().find(|(known, by, _)| known == commit && by == keys);
        if let Some((.., verdict)) = known {
            return Ok(verdict.clone());
        }
        let verdict = self.past.signed(commit)?.by(keys, &Gpgv);
        self.judged.push((*commit, keys.to_vec(), verdict.clone()));
        Ok(verdict)
    }

    /// Every key that the index lists.
    fn all_keys(&mut self) -> Result<&[Key]> {
        if self.listed.is_none() {
            self.listed = Some(self.index.all_keys()?);
        }
        Ok(self.listed.as_deref().unwrap_or_default())
    }

    /// The keys in a file of owners, if they may be believed.
    fn believed(&mut self, path: &str) -> Result<Vec<Key>> {
        if let Some(keys) = self.believed.get(path) {
            return Ok(keys.clone());
        }
        let keys = self.index.believed(self.past, path)?;
        self.believed.insert(path.to_owned(), keys.clone());
        Ok(keys)
    }
}

impl Index<'_> {
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
            self.hold_to_its_keys(past, path, (&known, &keys))?;
        }
        if before.as_deref() != Some(&now) {
            past.remember(path, &now)?;
        }
        Ok(keys)
    }

    /// Walks from the state of a file in which it listed the known keys to what it is now: each change of its keys must be
    /// signed by one that it listed before.
    fn hold_to_its_keys(&self, past: &dyn Past, path: &str, (known, now): (&[Key], &[Key])) -> Result<()> {
        let mut later: Vec<(CommitId, Vec<Key>)> = Vec::new();
        let mut is_met = false;
        let changes = past.changes(path)?.unwrap_or_default();
        for (changed, bytes) in states(past, &changes) {
            let keys = owners::keys(Some(&bytes?), path).unwrap_or_default();
            is_met = keys == known;
            if is_met {
                break;
            }
            later.push((changed.commit, keys));
        }
        let mut trusted = known.to_vec();
        let mut broken = (!is_met).then(|| (past.head(), Doubt::NoHistory));
        for (commit, keys) in later.into_iter().rev().filter(|_| is_met) {
            if broken.is_none() && keys != trusted {
                broken = past.signed(&commit)?.by(&trusted, &Gpgv).err().map(|doubt| (commit, doubt));
            }
            trusted = keys;
        }
        let Some((commit, doubt)) = broken else { return Ok(()) };
        let shown = |keys: &[Key]| {
            let shown: Vec<String> = keys.iter().map(|key| key.fingerprint().to_string()).collect();
            if shown.is_empty() { "none".to_owned() } else { shown.join(", ") }
        };
        Err(past.how_to_accept(
            Error::integrity(format!(
                "`{path}` of index `{}` lists other keys, and none of the old ones says so",
                self.url()
            ))
            .note(format!("before  {}", shown(known)))
            .note(format!("now     {}", shown(now)))
            .note(format!(
                "since commit {}, for which no key vouches that was listed before it: {doubt}",
                commit.short()
            )),
        ))
    }
}

/// The commit that added the line about a version; `None` if the history is not at hand that far.
fn added_by(past: &dyn Past, entry: &Entry) -> Result<Option<CommitId>> {
    let Some(changes) = past.changes(&entry_path(&entry.name))? else { return Ok(None) };
    let mut added = None;
    for (changed, bytes) in states(past, &changes) {
        if !says_the_same(&bytes?, entry) {
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
fn states<'s>(past: &'s dyn Past, changes: &'s [Changed]) -> impl Iterator<Item = (&'s Changed, Result<Vec<u8>>)> {
    changes.chunks(WAVE).flat_map(|wave| {
        let blobs: Vec<_> = wave.iter().map(|changed| changed.blob).collect();
        let contents: Vec<Result<Vec<u8>>> = match past.contents(&blobs) {
            Ok(contents) => contents.into_iter().map(Ok).collect(),
            Err(error) => wave.iter().map(|_| Err(error.clone())).collect(),
        };
        wave.iter().zip(contents)
    })
}
