//! The resolver's input: the candidates, and the versions selected before.

use std::collections::BTreeMap;

use semver::Version;

use crate::package::{PackageId, PackageName, PackageSummary, PatchEntry, RelPath, SourceId};

/// Every [`PackageSummary`] the resolver may select from.
#[derive(Debug, Clone, Default)]
pub struct Candidates {
    // Several for one id: a repository can have skills of one name in several directories.
    entries: BTreeMap<PackageId, Vec<CandidateEntry>>,
    patches: Vec<PatchEntry>,
}

/// One summary, and why it is excluded, if it is.
#[derive(Debug, Clone)]
pub(super) struct CandidateEntry {
    pub(super) summary: PackageSummary,
    pub(super) exclusion: Option<ExclusionReason>,
}

/// Why a candidate is excluded, though its version may fit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExclusionReason {
    /// It is unavailable; the reason completes the sentence "`pdf 1.2.0` cannot be used: …".
    Unavailable(String),
    /// It is too new; the reason completes the sentence "`pdf 1.2.0` …".
    TooNew(String),
}

impl Candidates {
    /// No candidates.
    #[must_use]
    pub fn new() -> Self {
        Candidates::default()
    }

    /// Adds a candidate, or updates the one that is already known.
    ///
    /// Two summaries are the same candidate if they have the same [`PackageId`] (so the same tag or branch) and the same
    /// directory, or no directory while one is unread: the tags of a repository give versions, but only reading a commit
    /// shows where the skill is. An unread summary does not replace one that was read.
    pub fn add(&mut self, summary: PackageSummary) {
        let offers = self.entries.entry(summary.id()).or_default();

        match offers
            .iter_mut()
            .find(|offer| is_same_candidate(&offer.summary, &summary))
        {
            // An unread summary says nothing about one that was read.
            Some(offer)
                if summary.dependencies.is_none() && offer.summary.dependencies.is_some() => {}
            // Neither is read: the directory that is known stays.
            Some(offer) if summary.dependencies.is_none() && summary.subdir.is_none() => {
                offer.summary.yanked = summary.yanked;
            }
            // In place of the same candidate, read or not.
            Some(offer) => offer.summary = summary,
            None => offers.push(CandidateEntry {
                summary,
                exclusion: None,
            }),
        }
    }

    /// Excludes a candidate for a reason given by its source or by a policy, such as a skill that does not exist at that
    /// tag; with `subdir` of `None`, in every directory.
    ///
    /// The reason completes the sentence "`pdf 1.2.0` cannot be used: …".
    pub fn mark_unavailable(
        &mut self,
        id: &PackageId,
        subdir: Option<&RelPath>,
        reason: impl Into<String>,
    ) {
        let reason = reason.into();

        for offer in self.entries.get_mut(id).into_iter().flatten() {
            // One that is not read yet may turn out to be there, so it is excluded as well.
            if may_be_in(&offer.summary, subdir) {
                offer.exclusion = Some(ExclusionReason::Unavailable(reason.clone()));
            }
        }
    }

    /// Excludes a candidate because it was published too recently. The caller does not pass locked versions.
    ///
    /// The reason completes the sentence "`pdf 1.2.0` …".
    pub fn mark_too_new(&mut self, id: &PackageId, reason: impl Into<String>) {
        let reason = reason.into();

        // A candidate that cannot be used stays excluded for that reason.
        for offer in self
            .entries
            .get_mut(id)
            .into_iter()
            .flatten()
            .filter(|offer| offer.exclusion.is_none())
        {
            offer.exclusion = Some(ExclusionReason::TooNew(reason.clone()));
        }
    }

    /// Adds a patch: the candidates it names replace its package, and are preferred to that package's own.
    pub fn patch(&mut self, patch: PatchEntry) {
        self.patches.push(patch);
    }

    pub(super) fn patches(&self) -> &[PatchEntry] {
        &self.patches
    }

    /// All candidates, sorted by their ids.
    pub fn iter(&self) -> impl Iterator<Item = &PackageSummary> {
        self.entries().map(|offer| &offer.summary)
    }

    /// The candidates of a name, from any source, that are neither excluded nor yanked.
    pub fn selectable<'c>(
        &'c self,
        name: &'c PackageName,
    ) -> impl Iterator<Item = &'c PackageSummary> {
        // Ids are sorted by name, then by version; no version comes first.
        let first = PackageId {
            name: name.clone(),
            version: None,
            source: SourceId::Registry(String::new()),
        };

        let offers = self
            .entries
            .range(first..)
            .take_while(move |(id, _)| id.name == *name)
            .flat_map(|(_, offers)| offers);

        offers
            .filter(|offer| offer.exclusion.is_none() && !offer.summary.yanked)
            .map(|offer| &offer.summary)
    }

    pub(super) fn entries(&self) -> impl Iterator<Item = &CandidateEntry> {
        self.entries.values().flatten()
    }
}

impl Extend<PackageSummary> for Candidates {
    fn extend<T: IntoIterator<Item = PackageSummary>>(&mut self, summaries: T) {
        for summary in summaries {
            self.add(summary);
        }
    }
}

impl FromIterator<PackageSummary> for Candidates {
    fn from_iter<T: IntoIterator<Item = PackageSummary>>(summaries: T) -> Self {
        let mut candidates = Candidates::new();
        candidates.extend(summaries);
        candidates
    }
}

/// Whether two summaries of one id are of one skill, as far as their directories are known.
fn is_same_candidate(a: &PackageSummary, b: &PackageSummary) -> bool {
    a.subdir == b.subdir || is_location_unknown(a) || is_location_unknown(b)
}

/// Whether a skill can be in `subdir`, where `None` is any directory.
fn may_be_in(summary: &PackageSummary, subdir: Option<&RelPath>) -> bool {
    subdir.is_none() || summary.subdir.as_ref() == subdir || is_location_unknown(summary)
}

/// Whether the skill's directory is unknown because it was not read yet.
pub(super) fn is_location_unknown(summary: &PackageSummary) -> bool {
    summary.subdir.is_none() && summary.dependencies.is_none()
}

/// The versions that were selected before, and those required by `--precise`.
#[derive(Debug, Clone, Default)]
pub struct VersionPins {
    kept: BTreeMap<PackageName, Vec<PackagePin>>,
    precise: BTreeMap<PackageName, Vec<PackagePin>>,
}

#[derive(Debug, Clone)]
struct PackagePin {
    id: PackageId,
    subdir: Option<RelPath>,
}

impl VersionPins {
    /// No pins.
    #[must_use]
    pub fn new() -> Self {
        VersionPins::default()
    }

    /// Prefers a locked version, and allows it even if it was yanked since.
    pub fn prefer(&mut self, id: PackageId, subdir: Option<RelPath>) {
        self.kept
            .entry(id.name.clone())
            .or_default()
            .push(PackagePin { id, subdir });
    }

    /// Allows this version of the package only, as `--precise` requires.
    ///
    /// With `GitReference::Versions` in its source any tag of that version matches, and a version without build metadata
    /// matches any build. It does not allow a yanked version that is not locked.
    pub fn require(&mut self, id: PackageId, subdir: Option<RelPath>) {
        self.precise
            .entry(id.name.clone())
            .or_default()
            .push(PackagePin { id, subdir });
    }

    /// The same pins without those of `--precise`.
    pub(super) fn without_precise(&self) -> VersionPins {
        VersionPins {
            kept: self.kept.clone(),
            precise: BTreeMap::new(),
        }
    }

    /// Whether this candidate is locked.
    pub(super) fn prefers(&self, summary: &PackageSummary) -> bool {
        self.kept
            .get(&summary.name)
            .into_iter()
            .flatten()
            .any(|pin| pin.matches(summary))
    }

    /// The one version of this candidate's package that is allowed, and whether the candidate is it.
    pub(super) fn precise(&self, summary: &PackageSummary) -> Option<(&PackageId, bool)> {
        let pins = self.precise.get(&summary.name)?;
        let pin = pins.iter().find(|pin| pin.is_same_package(summary))?;
        Some((&pin.id, pin.matches_any_build(summary)))
    }
}

impl PackagePin {
    fn matches(&self, summary: &PackageSummary) -> bool {
        // For `--precise`, which names a version and no tag.
        let any_tag = self.id.source.has_version_tags();

        let same_source = if any_tag {
            self.is_same_package(summary)
        } else {
            self.id.source == summary.source
        };

        same_source && self.id.version == summary.version && self.is_same_package(summary)
    }

    /// The same, except that a version without build metadata (`1.0.0+build`) matches any build.
    fn matches_any_build(&self, summary: &PackageSummary) -> bool {
        let (Some(wanted), Some(version)) = (&self.id.version, &summary.version) else {
            return self.matches(summary);
        };

        if !wanted.build.is_empty() {
            return self.matches(summary);
        }

        let id = PackageId {
            version: Some(Version {
                build: version.build.clone(),
                ..wanted.clone()
            }),
            ..self.id.clone()
        };

        PackagePin {
            id,
            subdir: self.subdir.clone(),
        }
        .matches(summary)
    }

    fn is_same_package(&self, summary: &PackageSummary) -> bool {
        self.id.source.is_same_location(&summary.source)
            && self.id.name == summary.name
            && may_be_in(summary, self.subdir.as_ref())
    }
}

#[cfg(test)]
mod tests {
    use super::super::table::summary;
    use super::*;

    fn only(candidates: &Candidates) -> &PackageSummary {
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
        let candidates: Candidates = ["git/pdf 1.0.0 tag:v1 dir:a", "git/pdf 1.0.0 tag:v1 dir:b"]
            .into_iter()
            .map(summary)
            .collect();
        assert_eq!(candidates.iter().count(), 2);
    }

    #[test]
    fn pin_names_its_tag_unless_any_tag_matches() {
        let tagged = summary("git/pdf 1.0.0 tag:v1.0.0 dir:skills/pdf");
        let other_tag = summary("git/pdf 1.0.0 tag:pdf-v1.0.0");
        let mut pins = VersionPins::new();
        pins.prefer(other_tag.id(), None);
        assert!(!pins.prefers(&tagged));
        pins.prefer(tagged.id(), Some("skills/pdf".parse().unwrap()));
        assert!(pins.prefers(&tagged));

        let any = summary("git/pdf 1.0.0 versions");
        pins.require(any.id(), None);
        assert!(pins.precise(&tagged).unwrap().1);
        assert!(
            !pins
                .precise(&summary("git/pdf 1.1.0 tag:v1.1.0"))
                .unwrap()
                .1
        );
        let is_precise = |wanted: &str, offered: &str| {
            let mut pins = VersionPins::new();
            pins.require(summary(wanted).id(), None);
            pins.precise(&summary(offered)).unwrap().1
        };
        assert!(
            is_precise("pdf 1.0.0", "pdf 1.0.0+linux"),
            "a version without build metadata matches any build"
        );
        assert!(is_precise("pdf 1.0.0+linux", "pdf 1.0.0+linux"));
        assert!(
            !is_precise("pdf 1.0.0+linux", "pdf 1.0.0")
                && !is_precise("pdf 1.0.0", "pdf 1.0.0-rc.1")
        );
        assert!(
            pins.precise(&summary("pdf 1.0.0")).is_none(),
            "another source is another package"
        );
    }
}
