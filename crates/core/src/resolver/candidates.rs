//! The solver's input: what may be chosen, and what was chosen before.

use std::collections::BTreeMap;

use semver::Version;

use crate::package::{GitReference, PackageId, PackageName, Patch, RelPath, SourceId, Summary};

/// Every [`Summary`] the solver may choose from.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    offers: BTreeMap<PackageId, Vec<Offer>>,
    patches: Vec<Patch>,
}

/// One summary and whether it can be had at all.
#[derive(Debug, Clone)]
pub(super) struct Offer {
    pub(super) summary: Summary,
    pub(super) barred: Option<Barred>,
}

/// Why a candidate may not be chosen, though its version fits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Barred {
    /// It cannot be had; the reason finishes the sentence "`pdf 1.2.0` cannot be used: …".
    Unavailable(String),
    /// It is too new; the reason finishes the sentence "`pdf 1.2.0` …".
    TooNew(String),
}

impl Candidates {
    /// No candidates.
    #[must_use]
    pub fn new() -> Self {
        Candidates::default()
    }

    /// Adds a candidate, in place of what was known of the same one.
    ///
    /// The same one has the same [`PackageId`] (so the same tag or branch) and the same directory, or no directory
    /// while it is unread: a repository's tags tell versions, and only reading one tells where in it the skill is.
    /// What has been read is not forgotten for something unread.
    pub fn add(&mut self, summary: Summary) {
        let offers = self.offers.entry(summary.id()).or_default();
        match offers.iter_mut().find(|offer| is_same(&offer.summary, &summary)) {
            Some(offer) if summary.dependencies.is_none() && offer.summary.dependencies.is_some() => {}
            Some(offer) if summary.dependencies.is_none() && summary.subdir.is_none() => {
                offer.summary.yanked = summary.yanked;
            }
            Some(offer) => offer.summary = summary,
            None => offers.push(Offer { summary, barred: None }),
        }
    }

    /// Bars a candidate for a reason that its source or a policy gives, such as a skill that is not there at that tag;
    /// with no `subdir`, in every directory.
    ///
    /// The reason finishes the sentence "`pdf 1.2.0` cannot be used: …".
    pub fn mark_unavailable(&mut self, id: &PackageId, subdir: Option<&RelPath>, reason: impl Into<String>) {
        let reason = reason.into();
        for offer in self.offers.get_mut(id).into_iter().flatten() {
            if is_in(&offer.summary, subdir) {
                offer.barred = Some(Barred::Unavailable(reason.clone()));
            }
        }
    }

    /// Bars a candidate for having been published too lately. Whoever calls leaves out what the lockfile has.
    ///
    /// The reason finishes the sentence "`pdf 1.2.0` …".
    pub fn mark_too_new(&mut self, id: &PackageId, reason: impl Into<String>) {
        let reason = reason.into();
        for offer in self.offers.get_mut(id).into_iter().flatten().filter(|offer| offer.barred.is_none()) {
            offer.barred = Some(Barred::TooNew(reason.clone()));
        }
    }

    /// Lets the candidates that a patch names stand in for the package it replaces: they are taken before its own.
    pub fn patch(&mut self, patch: Patch) {
        self.patches.push(patch);
    }

    pub(super) fn patches(&self) -> &[Patch] {
        &self.patches
    }

    /// All candidates, sorted by their identity.
    pub fn iter(&self) -> impl Iterator<Item = &Summary> {
        self.offers().map(|offer| &offer.summary)
    }

    /// The versions of a name that may be chosen, at whichever place: nothing bars them, and they were not yanked.
    pub fn free<'c>(&'c self, name: &'c PackageName) -> impl Iterator<Item = &'c Summary> {
        // Identities are sorted by name, then by version; what has none comes first.
        let first = PackageId { name: name.clone(), version: None, source: SourceId::Registry(String::new()) };
        let offers =
            self.offers.range(first..).take_while(move |(id, _)| id.name == *name).flat_map(|(_, offers)| offers);
        offers.filter(|offer| offer.barred.is_none() && !offer.summary.yanked).map(|offer| &offer.summary)
    }

    pub(super) fn offers(&self) -> impl Iterator<Item = &Offer> {
        self.offers.values().flatten()
    }
}

impl Extend<Summary> for Candidates {
    fn extend<T: IntoIterator<Item = Summary>>(&mut self, summaries: T) {
        for summary in summaries {
            self.add(summary);
        }
    }
}

impl FromIterator<Summary> for Candidates {
    fn from_iter<T: IntoIterator<Item = Summary>>(summaries: T) -> Self {
        let mut candidates = Candidates::new();
        candidates.extend(summaries);
        candidates
    }
}

/// Whether two summaries of one id are of one skill, as far as their directories tell.
fn is_same(a: &Summary, b: &Summary) -> bool {
    a.subdir == b.subdir || is_unplaced(a) || is_unplaced(b)
}

/// Whether a skill can be in `subdir`, where `None` is any directory.
fn is_in(summary: &Summary, subdir: Option<&RelPath>) -> bool {
    subdir.is_none() || summary.subdir.as_ref() == subdir || is_unplaced(summary)
}

/// Whether the skill's directory is not known yet, as long as nobody has read it.
pub(super) fn is_unplaced(summary: &Summary) -> bool {
    summary.subdir.is_none() && summary.dependencies.is_none()
}

/// What was chosen before, and what must be chosen now.
#[derive(Debug, Clone, Default)]
pub struct Pins {
    kept: BTreeMap<PackageName, Vec<Pin>>,
    precise: BTreeMap<PackageName, Vec<Pin>>,
}

#[derive(Debug, Clone)]
struct Pin {
    id: PackageId,
    subdir: Option<RelPath>,
}

impl Pins {
    /// No pins.
    #[must_use]
    pub fn new() -> Self {
        Pins::default()
    }

    /// Prefers what the lockfile says, and allows it though it was yanked since.
    pub fn keep(&mut self, id: PackageId, subdir: Option<RelPath>) {
        self.kept.entry(id.name.clone()).or_default().push(Pin { id, subdir });
    }

    /// Allows this version of the package only, as `--precise` asks.
    ///
    /// With [`GitReference::Versions`] in its source, any tag of that version will do, and where the version says nothing of
    /// what was built, any build. It does not bring a yanked version back that the lockfile does not have.
    pub fn require(&mut self, id: PackageId, subdir: Option<RelPath>) {
        self.precise.entry(id.name.clone()).or_default().push(Pin { id, subdir });
    }

    /// The same without what must be.
    pub(super) fn less_precise(&self) -> Pins {
        Pins { kept: self.kept.clone(), precise: BTreeMap::new() }
    }

    /// Whether the lockfile has this candidate.
    pub(super) fn keeps(&self, summary: &Summary) -> bool {
        self.kept.get(&summary.name).into_iter().flatten().any(|pin| pin.is(summary))
    }

    /// The one version of this candidate's package that is allowed, and whether the candidate is it.
    pub(super) fn precise(&self, summary: &Summary) -> Option<(&PackageId, bool)> {
        let pins = self.precise.get(&summary.name)?;
        let pin = pins.iter().find(|pin| pin.is_same_package(summary))?;
        Some((&pin.id, pin.is_any_build_of(summary)))
    }
}

impl Pin {
    fn is(&self, summary: &Summary) -> bool {
        let any_tag = matches!(self.id.source, SourceId::Git { reference: GitReference::Versions, .. });
        let same_source = if any_tag { self.is_same_package(summary) } else { self.id.source == summary.source };
        same_source && self.id.version == summary.version && self.is_same_package(summary)
    }

    /// The same, and where no build is named (`1.0.0+build`), whichever it is.
    fn is_any_build_of(&self, summary: &Summary) -> bool {
        let (Some(wanted), Some(version)) = (&self.id.version, &summary.version) else { return self.is(summary) };
        if !wanted.build.is_empty() {
            return self.is(summary);
        }
        let id =
            PackageId { version: Some(Version { build: version.build.clone(), ..wanted.clone() }), ..self.id.clone() };
        Pin { id, subdir: self.subdir.clone() }.is(summary)
    }

    fn is_same_package(&self, summary: &Summary) -> bool {
        self.id.source.same_place(&summary.source)
            && self.id.name == summary.name
            && is_in(summary, self.subdir.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::summary;
    use super::*;

    fn only(candidates: &Candidates) -> &Summary {
        let mut all = candidates.iter();
        let first = all.next().unwrap();
        assert!(all.next().is_none());
        first
    }

    #[test]
    fn reading_a_candidate_replaces_the_unread_one_in_either_order() {
        let unread = summary("git/pdf 1.0.0 tag:v1.0.0 unread");
        let read = summary("git/pdf 1.0.0 tag:v1.0.0 dir:skills/pdf -> b ^1");
        for order in [[&unread, &read], [&read, &unread]] {
            assert_eq!(only(&order.into_iter().cloned().collect()), &read);
        }
    }

    #[test]
    fn one_name_in_two_directories_is_two_candidates() {
        let candidates: Candidates =
            ["git/pdf 1.0.0 tag:v1 dir:a", "git/pdf 1.0.0 tag:v1 dir:b"].into_iter().map(summary).collect();
        assert_eq!(candidates.iter().count(), 2);
    }

    #[test]
    fn a_pin_names_its_tag_unless_any_will_do() {
        let tagged = summary("git/pdf 1.0.0 tag:v1.0.0 dir:skills/pdf");
        let other_tag = summary("git/pdf 1.0.0 tag:pdf-v1.0.0");
        let mut pins = Pins::new();
        pins.keep(other_tag.id(), None);
        assert!(!pins.keeps(&tagged));
        pins.keep(tagged.id(), Some("skills/pdf".parse().unwrap()));
        assert!(pins.keeps(&tagged));

        let any = summary("git/pdf 1.0.0 versions");
        pins.require(any.id(), None);
        assert!(pins.precise(&tagged).unwrap().1);
        assert!(!pins.precise(&summary("git/pdf 1.1.0 tag:v1.1.0")).unwrap().1);
        let is_precise = |wanted: &str, offered: &str| {
            let mut pins = Pins::new();
            pins.require(summary(wanted).id(), None);
            pins.precise(&summary(offered)).unwrap().1
        };
        assert!(is_precise("pdf 1.0.0", "pdf 1.0.0+linux"), "a build that is not named may be any");
        assert!(is_precise("pdf 1.0.0+linux", "pdf 1.0.0+linux"));
        assert!(!is_precise("pdf 1.0.0+linux", "pdf 1.0.0") && !is_precise("pdf 1.0.0", "pdf 1.0.0-rc.1"));
        assert!(pins.precise(&summary("pdf 1.0.0")).is_none(), "another place is another package");
    }
}
