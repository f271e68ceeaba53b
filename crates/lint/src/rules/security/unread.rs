//! SK742: files that were not scanned to their end.

use super::sink::FindingSink;
use super::{body, rule};
use crate::{ExampleFile, Rule, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = rule(
    "SK742",
    "unread-file",
    DiagnosticLevel::Warning,
    "a file, or the rest of it, was not scanned",
    RuleDocs {
        finds: "Files that are too large to be read (more than 10 MiB, or 20 MiB of one skill, or \
               a `SKILL.md` of 1 MiB), of which only the beginning is scanned. An error for a \
               file that consists of nothing but trigger words of the rules (`<!--` a million \
               times), which would take minutes to scan: it is read up to where that shows.",
        hurts: "The rest of the file is not checked by any rule, and can contain an attack. A \
               package with such a file cannot be installed, since its limits are the same.",
        ignore: "Data that no agent reads and nothing runs. Better leave it out of the skill, and \
                have it fetched when it is needed.",
        bad: &[RuleExample::files(&[
            (
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill it in.\n",
                ),
            ),
            (
                "pdf/forms.csv",
                ExampleFile::Large(12_000_000, "name,value\n"),
            ),
        ])],
        good: &[body!("Fill in what `forms.csv` has.\n")],
    },
);

/// Reports a file of which only the first `read` bytes were read.
pub(super) fn report_truncated(path: &str, size: u64, read: usize, sink: &mut FindingSink<'_>) {
    sink.report_as_is(&RULE, DiagnosticLevel::Warning, path, || {
        let message =
            format!("only the first {read} of {size} bytes were scanned: the file is too large");
        RULE.finding(message)
            .help("split the file, or leave it out")
    });
}

/// Reports a text that exceeds its scan budget, which no real text does.
pub(super) fn report_exhausted(path: &str, read: usize, size: usize, sink: &mut FindingSink<'_>) {
    sink.report_as_is(&RULE, DiagnosticLevel::Error, path, || {
        let message = format!(
            "only the first {read} of {size} bytes were scanned: too many trigger words of the rules"
        );
        RULE.finding(message).help("remove the repeated text")
    });
}
