//! A merge that is not decided, as text with conflict markers, and the sides of such a text.

use std::fmt::Write as _;

use super::super::{HEADER, Locked, Lockfile, VERSION, order, write_package};
use super::Merged;

/// The texts between and around the markers of a conflict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// As the first side has it.
    pub ours: String,
    /// As both began; `None` if the markers do not tell.
    pub base: Option<String>,
    /// As the second side has it.
    pub theirs: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Both,
    Ours,
    Base,
    Theirs,
}

/// Takes a text with conflict markers apart, as git (also in its styles `diff3` and `zdiff3`) writes them; `None` if the
/// markers do not belong together, or there are none.
#[must_use]
pub fn sides(text: &str) -> Option<Text> {
    let (mut ours, mut base, mut theirs) = (String::new(), String::new(), String::new());
    let (mut part, mut conflicts, mut bases) = (Part::Both, 0, 0);
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end_matches(['\n', '\r']);
        let is = |mark: &str| plain == mark || plain.strip_prefix(mark).is_some_and(|rest| rest.starts_with(' '));
        let next = match part {
            Part::Both if is("<<<<<<<") => Some(Part::Ours),
            Part::Ours if is("|||||||") => Some(Part::Base),
            Part::Ours | Part::Base if plain == "=======" => Some(Part::Theirs),
            Part::Theirs if is(">>>>>>>") => Some(Part::Both),
            _ if ["<<<<<<<", "|||||||", ">>>>>>>"].iter().any(|mark| is(mark)) || plain == "=======" => return None,
            _ => None,
        };
        match next {
            Some(next) => {
                conflicts += usize::from(next == Part::Ours);
                bases += usize::from(next == Part::Base);
                part = next;
            }
            None => match part {
                Part::Both => [&mut ours, &mut base, &mut theirs].into_iter().for_each(|side| side.push_str(line)),
                Part::Ours => ours.push_str(line),
                Part::Base => base.push_str(line),
                Part::Theirs => theirs.push_str(line),
            },
        }
    }
    let is_whole = part == Part::Both && conflicts > 0;
    is_whole.then(|| Text { ours, base: (bases == conflicts).then_some(base), theirs })
}

impl Merged {
    /// The text of the file: with conflict markers around what is not decided.
    #[must_use]
    pub fn to_text(&self) -> String {
        if self.clashes.is_empty() {
            return self.lockfile.to_text();
        }
        let decided = self.lockfile.packages().iter().map(|locked| (locked, block(Some(locked))));
        let clashing = self.clashes.iter().filter_map(|clash| {
            let (ours, theirs) = (block(clash.ours.as_ref()), block(clash.theirs.as_ref()));
            let shown = format!("<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n");
            Some((clash.ours.as_ref().or(clash.theirs.as_ref())?, shown))
        });
        let mut blocks: Vec<(&Locked, String)> = decided.chain(clashing).collect();
        blocks.sort_by(|(a, _), (b, _)| order(a, b));
        let mut text = format!("{HEADER}version = {VERSION}\n");
        blocks.iter().for_each(|(_, block)| text.push_str(block));
        let _ = write!(text, "\n[metadata]\nentries = {}\n", blocks.len());
        text
    }
}

fn block(locked: Option<&Locked>) -> String {
    let mut text = String::new();
    if let Some(locked) = locked {
        text.push_str("\n[[package]]\n");
        write_package(&mut text, locked);
    }
    text
}

impl Lockfile {
    /// Reads a text whose count of entries cannot be right, since it was put together from two; `file` is its name for
    /// messages.
    ///
    /// # Errors
    /// As for [`Lockfile::parse`], but for the count.
    pub fn parse_uncounted(text: &str, file: &str) -> crate::error::Result<Lockfile> {
        Self::read(text, file).map(|(lockfile, _)| lockfile)
    }
}
