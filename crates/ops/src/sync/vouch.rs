//! Who vouches for what was decided: recorded in the lockfile, and never given up in silence.

use super::{Job, Keep};
use crate::error::{Error, Kind, Result};
use crate::lockfile::{Locked, Lockfile};
use crate::ops::policy::Effective;
use crate::provenance::{Doubt, Fingerprint, Key, Vouched};
use crate::report::Event;
use crate::sources::{Question, Sources};

/// The setting by which a person lets a signature be given up.
const KEY: &str = "policy.allow-unsigned";

impl Job<'_> {
    /// Asks who vouches for packages that are new or have to be signed, and notes it in the lockfile.
    ///
    /// # Errors
    /// [`Integrity`](crate::error::Kind::Integrity) if one was vouched for when it was locked, and what is to follow it is
    /// not; or if the policy wants one to be, and nobody does.
    pub(super) fn vouch(&self, sources: &Sources<'_>, policy: &Effective, lockfile: &mut Lockfile) -> Result<()> {
        let packages = lockfile.packages();
        let asked: Vec<&Locked> = packages.iter().filter(|locked| self.is_asked(policy, locked)).collect();
        let questions: Vec<Question<'_>> =
            asked.iter().map(|package| Question { package, keys: self.keys(policy, package) }).collect();
        let mut found = packages.to_vec();
        for locked in &mut found {
            locked.signed_by = self.same(locked).and_then(|old| old.signed_by);
        }
        let mut doubts = Vec::new();
        for (package, vouched) in asked.iter().zip(sources.vouched(&questions)) {
            let Some(Vouched { verdict, is_expected }) = self.answered(policy, package, vouched)? else { continue };
            match verdict {
                Ok(_) if self.rules.locked => {}
                Ok(key) => {
                    let entry = found.iter_mut().find(|entry| entry.install_name() == package.install_name());
                    entry.expect("what was asked about is there").signed_by = Some(key);
                }
                Err(doubt) => doubts.push((*package, doubt, is_expected)),
            }
        }
        self.refuse_downgrades(&doubts)?;
        let told: Vec<(&Locked, &Doubt)> = doubts.iter().map(|(package, doubt, _)| (*package, doubt)).collect();
        policy.check_signed(&told, (&self.roots, lockfile))?;
        for (package, doubt, _) in doubts.iter().filter(|(.., is_expected)| *is_expected) {
            self.reporter().report(Event::Warning {
                message: format!("nobody vouches for `{}`: {doubt}", package.reference()),
                help: Some("`require-signed` below `[policy]` refuses what is not signed".into()),
            });
        }
        *lockfile = Lockfile::new(found);
        Ok(())
    }

    /// What was found out; nothing where nobody could be asked, and nobody has to be.
    fn answered(&self, policy: &Effective, locked: &Locked, vouched: Result<Vouched>) -> Result<Option<Vouched>> {
        let error = match vouched {
            Ok(vouched) => return Ok(Some(vouched)),
            Err(error) => error.wrap(format!("who vouches for `{}` cannot be told", locked.reference())),
        };
        let was_signed = self.before(locked).is_some_and(|old| old.signed_by.is_some());
        if error.kind() != Kind::Network || was_signed || policy.requires_signed(&locked.source) {
            return Err(error);
        }
        self.reporter().report(Event::warning(error.message()));
        Ok(None)
    }

    fn is_asked(&self, policy: &Effective, locked: &Locked) -> bool {
        if self.is_member(locked) {
            return false;
        }
        let is_open = || self.wish.keep != Keep::All;
        policy.requires_signed(&locked.source)
            || self.same(locked).is_none_or(|old| old.signed_by.is_none() && is_open())
    }

    /// The entry that a package had, if it is what it was.
    fn same(&self, locked: &Locked) -> Option<&Locked> {
        self.before(locked).filter(|old| {
            old.version == locked.version && old.commit == locked.commit && old.upstream() == locked.upstream()
        })
    }

    /// The entry that a package had, if it comes from where it came from.
    fn before(&self, locked: &Locked) -> Option<&Locked> {
        let old = self.old.installed_as(locked.install_name())?;
        (old.name == locked.name && old.source.key() == locked.source.key()).then_some(old)
    }

    /// The keys that may vouch for a package: those that are listed, else, where none has to be, the one that did before.
    fn keys(&self, policy: &Effective, locked: &Locked) -> Vec<Key> {
        let listed = policy.signers(&locked.source);
        let is_git = matches!(locked.source, crate::package::SourceId::Git { .. });
        if !listed.is_empty() || policy.requires_signed(&locked.source) || !is_git {
            return listed;
        }
        self.before(locked).and_then(|old| old.signed_by).map(Key::known).into_iter().collect()
    }

    fn refuse_downgrades(&self, doubts: &[(&Locked, Doubt, bool)]) -> Result<()> {
        if self.context.config.switch(KEY) {
            return Ok(());
        }
        let was = |locked: &Locked| self.before(locked).and_then(|old| Some((old.revision(), old.signed_by?)));
        let lost: Vec<(&Locked, &Doubt, (String, Fingerprint))> =
            doubts.iter().filter_map(|(locked, doubt, _)| Some((*locked, doubt, was(locked)?))).collect();
        let Some((first, ..)) = lost.first() else { return Ok(()) };
        let name = first.install_name();
        let error = Error::integrity(format!("`{name}` was signed when it was locked, and nobody vouches for it now"));
        let error = lost.iter().fold(error, |error, (locked, doubt, (revision, key))| {
            let name = locked.install_name();
            error
                .note(format!("locked  {name} {revision}, signed by {key}"))
                .note(format!("now     {name} {}: {doubt}", locked.revision()))
        });
        Err(error
            .help("nothing was changed; ask its owners")
            .help(format!("if you trust it as it is: `skillpm update {name} --allow-unsigned`")))
    }
}
