//! A merge with conflicts as text with conflict markers, and the sides of such a text.

use std::fmt::Write as _;

use super::super::{
    FORMAT_VERSION, HEADER, LockedPackage, Lockfile, compare_entries, write_package,
};
use super::{LockfileConflict, MergedLockfile};

/// The texts between and around the markers of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConflictSides {
    /// The text of the first side.
    pub ours: String,
    /// The text of the common ancestor; `None` if the markers do not include it.
    pub base: Option<String>,
    /// The text of the second side.
    pub theirs: String,
}

/// The part of a conflict that a line is in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MarkerSection {
    Both,
    Ours,
    Base,
    Theirs,
}

/// Splits a text with conflict markers as git writes them, also in the styles `diff3` and `zdiff3`; `None` if the markers do
/// not match, or there are none.
#[must_use]
pub fn split_sides(text: &str) -> Option<ConflictSides> {
    let (mut ours, mut base, mut theirs) = (String::new(), String::new(), String::new());
    let (mut section, mut conflicts, mut bases) = (MarkerSection::Both, 0, 0);

    for line in text.split_inclusive('\n') {
        match section.classify_line(line) {
            MarkerLine::Text => {}
            MarkerLine::Begins(next) => {
                conflicts += usize::from(next == MarkerSection::Ours);
                bases += usize::from(next == MarkerSection::Base);
                section = next;
                continue;
            }
            MarkerLine::Misplaced => return None,
        }

        match section {
            // Text outside of all conflicts belongs to every side.
            MarkerSection::Both => [&mut ours, &mut base, &mut theirs]
                .into_iter()
                .for_each(|side| side.push_str(line)),
            MarkerSection::Ours => ours.push_str(line),
            MarkerSection::Base => base.push_str(line),
            MarkerSection::Theirs => theirs.push_str(line),
        }
    }

    // The style `merge` omits the base; a base of only some conflicts is not usable.
    let is_whole = section == MarkerSection::Both && conflicts > 0;
    is_whole.then(|| ConflictSides {
        ours,
        base: (bases == conflicts).then_some(base),
        theirs,
    })
}

/// What a line is within its section.
enum MarkerLine {
    Text,
    /// A marker after which this section begins.
    Begins(MarkerSection),
    /// A marker that does not belong there.
    Misplaced,
}

impl MarkerSection {
    fn classify_line(self, line: &str) -> MarkerLine {
        let plain = line.trim_end_matches(['\n', '\r']);
        // git writes a label after a marker, separated by a space.
        let is = |mark: &str| {
            plain
                .strip_prefix(mark)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
        };

        match self {
            MarkerSection::Both if is("<<<<<<<") => MarkerLine::Begins(MarkerSection::Ours),
            MarkerSection::Ours if is("|||||||") => MarkerLine::Begins(MarkerSection::Base),
            MarkerSection::Ours | MarkerSection::Base if plain == "=======" => {
                MarkerLine::Begins(MarkerSection::Theirs)
            }
            MarkerSection::Theirs if is(">>>>>>>") => MarkerLine::Begins(MarkerSection::Both),
            // An unexpected marker: the text was edited, or conflicts are nested.
            _ if is("<<<<<<<") || is("|||||||") || is(">>>>>>>") || plain == "=======" => {
                MarkerLine::Misplaced
            }
            _ => MarkerLine::Text,
        }
    }
}

impl MergedLockfile {
    /// The text of the file, with conflict markers around the entries of conflicts.
    #[must_use]
    pub fn to_text(&self) -> String {
        if self.conflicts.is_empty() {
            return self.lockfile.to_text();
        }

        let decided = self
            .lockfile
            .packages()
            .iter()
            .map(|locked| (locked, render_entry(Some(locked))));

        // A conflict is placed where its entry will be, so that resolving it moves nothing.
        let conflicting = self.conflicts.iter().filter_map(|conflict| {
            let entry = conflict.ours.as_ref().or(conflict.theirs.as_ref())?;
            Some((entry, render_conflict(conflict)))
        });

        let mut blocks: Vec<(&LockedPackage, String)> = decided.chain(conflicting).collect();
        blocks.sort_by(|(a, _), (b, _)| compare_entries(a, b));

        let mut text = format!("{HEADER}version = {FORMAT_VERSION}\n");
        blocks.iter().for_each(|(_, block)| text.push_str(block));
        // A conflict counts once, so the count is right as soon as each is resolved to one entry.
        let _ = write!(text, "\n[metadata]\nentries = {}\n", blocks.len());
        text
    }
}

/// The entries of both sides between conflict markers.
fn render_conflict(conflict: &LockfileConflict) -> String {
    let ours = render_entry(conflict.ours.as_ref());
    let theirs = render_entry(conflict.theirs.as_ref());
    format!("<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n")
}

fn render_entry(locked: Option<&LockedPackage>) -> String {
    let mut text = String::new();
    if let Some(locked) = locked {
        text.push_str("\n[[package]]\n");
        write_package(&mut text, locked);
    }
    text
}

impl Lockfile {
    /// Parses one side of a text with conflict markers, whose count of entries cannot be right; `file` is its name for
    /// messages.
    ///
    /// # Errors
    /// As for [`Lockfile::parse`], except for the count.
    pub fn parse_uncounted(text: &str, file: &str) -> crate::error::Result<Lockfile> {
        Self::read(text, file).map(|(lockfile, _)| lockfile)
    }
}
