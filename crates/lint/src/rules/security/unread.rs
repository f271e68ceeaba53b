//! SK742: what was not looked at.

use super::scan::Ledger;
use super::{body, rule};
use crate::lint::{Docs, Example, Piece, Rule};
use crate::report::Level;

pub(super) static RULE: Rule = rule(
    "SK742",
    "unread-file",
    Level::Warning,
    "a file, or the rest of it, was not read",
    Docs {
        finds: "Files that are too large to be read (more than 10 MiB, or 20 MiB of one skill, or a `SKILL.md` of 1 MiB), of which only the beginning is. \
                An error for a file that is made of nothing but what the rules look for (`<!--` a million times), so that to look at all of it \
                would take minutes: it is read up to where that shows.",
        hurts: "No rule says anything about what was not read: it can hold whatever an attacker likes. A package with such a file cannot be \
                installed, since its limits are the same.",
        ignore: "Data that no agent reads and nothing runs. Better leave it out of the skill, and have it fetched when it is needed.",
        bad: &[Example::files(&[
            (
                "pdf/SKILL.md",
                Piece::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill it in.\n",
                ),
            ),
            ("pdf/forms.csv", Piece::Large(12_000_000, "name,value\n")),
        ])],
        good: &[body!("Fill in what `forms.csv` has.\n")],
    },
);

/// A file of which only the first `read` bytes were read.
pub(super) fn too_large(path: &str, size: u64, read: usize, ledger: &mut Ledger<'_>) {
    ledger.tell_as_is(&RULE, Level::Warning, path, || {
        let message =
            format!("only the first {read} of {size} bytes were read, which is all that was looked at for danger");
        RULE.finding(message).help("split the file, or leave it out")
    });
}

/// A text that costs more looks than any honest one.
pub(super) fn exhausted(path: &str, read: usize, size: usize, ledger: &mut Ledger<'_>) {
    ledger.tell_as_is(&RULE, Level::Error, path, || {
        let message = format!(
            "only the first {read} of {size} bytes were looked at for danger: too much in them is like what is looked for"
        );
        RULE.finding(message).help("leave out what is repeated")
    });
}
