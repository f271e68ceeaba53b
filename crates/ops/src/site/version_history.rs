//! The versions of a package on its page, with what each changed.

use std::collections::BTreeMap;

use semver::Version;

use super::copied_archive;
use skillpm_catalog::site::{VersionDiff, VersionRow};
use skillpm_core::package::Tree;
use skillpm_merge::patch::{changed_lines, diff_trees, render_patch};
use skillpm_registry::index::IndexEntry;
use skillpm_registry::sources::PackageSources;

/// How many of the newest versions have a page of their changes.
const DIFFS_MAX: usize = 10;

/// The longest diff of a page, in bytes.
const DIFF_SHOWN_MAX: usize = 64 << 10;

/// Collects the changes between the versions of one package, whose archives come in the order of versions. At most two
/// trees are in memory.
pub(super) struct VersionHistory<'e> {
    /// All versions, the oldest first.
    entries: Vec<&'e IndexEntry>,
    before: Option<(Version, Tree)>,
    diffs: BTreeMap<Version, VersionDiff>,
}

impl<'e> VersionHistory<'e> {
    pub(super) fn new(entries: &'e [IndexEntry]) -> Self {
        let mut entries: Vec<&IndexEntry> = entries.iter().collect();
        entries.sort_by(|a, b| a.vers.cmp(&b.vers));
        VersionHistory {
            entries,
            before: None,
            diffs: BTreeMap::new(),
        }
    }

    /// The versions, the oldest first.
    pub(super) fn entries(&self) -> &[&'e IndexEntry] {
        &self.entries
    }

    /// Adds the archive of the next version.
    pub(super) fn add(&mut self, entry: &IndexEntry, archive: &[u8]) {
        let first = self.entries.len().saturating_sub(DIFFS_MAX + 1);
        let is_recent = self.entries[first..]
            .iter()
            .any(|recent| recent.vers == entry.vers);
        // What was revoked is not spread by a page.
        if !is_recent || entry.revoked.is_some() {
            return;
        }

        // An old archive that does not unpack is no reason to stop: the newest one is checked elsewhere.
        let Ok(tree) = PackageSources::unpack_archive(entry, archive) else {
            self.before = None;
            return;
        };
        if let Some((version, before)) = &self.before {
            let diff = describe_changes(version, before, &tree);
            self.diffs.insert(entry.vers.clone(), diff);
        }
        self.before = Some((entry.vers.clone(), tree));
    }

    /// The rows of the page, the newest first.
    pub(super) fn into_rows(mut self) -> Vec<VersionRow> {
        let mut rows = Vec::with_capacity(self.entries.len());
        for entry in self.entries.iter().rev() {
            rows.push(VersionRow {
                version: entry.vers.to_string(),
                published: entry.pubtime.as_deref().map(published_day),
                withdrawn: match &entry.revoked {
                    Some(reason) => Some(format!("revoked: {reason}")),
                    None => entry.yanked.then(|| "yanked".to_owned()),
                },
                archive: copied_archive(entry),
                diff: self.diffs.remove(&entry.vers),
            });
        }
        rows
    }
}

fn describe_changes(from: &Version, before: &Tree, after: &Tree) -> VersionDiff {
    let changes = diff_trees(before, after);
    let (added, removed) = changes
        .iter()
        .map(changed_lines)
        .fold((0, 0), |sum, lines| (sum.0 + lines.0, sum.1 + lines.1));

    let patch = render_patch("", &changes);
    let text = String::from_utf8_lossy(&patch);
    let (shown, is_cut) = match text.len() {
        0..=DIFF_SHOWN_MAX => (&*text, false),
        _ => {
            let end = text.floor_char_boundary(DIFF_SHOWN_MAX);
            (
                &text[..text[..end].rfind('\n').map_or(end, |at| at + 1)],
                true,
            )
        }
    };
    VersionDiff {
        from: from.to_string(),
        text: shown.to_owned(),
        is_cut,
        files: changes.len(),
        added,
        removed,
    }
}

/// The day of a time in RFC 3339.
fn published_day(time: &str) -> String {
    time.split('T').next().unwrap_or_default().to_owned()
}
