//! SK726: opaque encoded data in text, and compiled Python without its source.

use std::ops::Range;

use super::sink::FindingSink;
use super::{body, rule};
use crate::{ExampleFile, Rule, RuleDocs, RuleExample, SkillFile};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = rule(
    "SK726",
    "opaque-blob",
    DiagnosticLevel::Note,
    "a long run of encoded data that cannot be reviewed",
    RuleDocs {
        finds: "300 characters of base64 and more without a break (or in full lines), outside \
               `data:` URLs; files too large to be scanned as a whole, or in an encoding that \
               is not UTF-8; and compiled Python without its source (a warning).",
        hurts: "A reviewer cannot read it, and no rule scans it.",
        ignore: "Pictures and test data. Put them into a file of their own, with the matching \
                file type.",
        bad: &[
            body!(
                "Template: TVqQAAMAAAAEAAAA8AALgAAAAAAAAAQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgAAAAA4fug4AtAnNIbgBTM0hVGhpcyBwcm9ncmFtIGNhbm5vdCBiZSBydW4gaW4gRE9TIG1vZGUuDQ0KJAAAAAAAAABQRQAATAEDAFyzjWkAAAAAAAAAAOAAIgALATAAABAAAAAGAAAAAAAAji4AAAAgAAAAQAAAAABAAAAgAAAAAgAABAAAAAAAAAAEAAAAAAAAAACAAAAAAgAAAAAAAAMAQIUAABAAABAAAAAA\n"
            ),
            RuleExample::files(&[
                (
                    "pdf/SKILL.md",
                    ExampleFile::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nRun `python3 scripts/fill.pyc`.\n",
                    ),
                ),
                (
                    "pdf/scripts/fill.pyc",
                    ExampleFile::Bytes(b"\xcb\x0d\x0d\x0a\0\0\0\0"),
                ),
            ]),
        ],
        good: &[body!(
            "![Form](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==)\n"
        )],
    },
);

/// Reports compiled Python whose source is not in the skill.
pub(super) fn check_bytecode(files: &[SkillFile], sink: &mut FindingSink<'_>) {
    for file in files {
        let Some(source) = source_path(&file.path) else {
            continue;
        };
        if !files.iter().any(|other| other.path == source) {
            sink.report_as_is(&RULE, DiagnosticLevel::Warning, &file.path, || {
                RULE.finding("compiled Python without its source")
                    .help("ship the source: what is compiled cannot be reviewed")
            });
        }
    }
}

/// Returns the path of the source of compiled Python: `a/__pycache__/b.cpython-312.pyc` is that of `a/b.py`.
fn source_path(path: &str) -> Option<String> {
    let stem = path
        .strip_suffix(".pyc")
        .or_else(|| path.strip_suffix(".pyo"))?;
    let (dir, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let source = match dir.strip_suffix("__pycache__") {
        Some(parent) => format!("{parent}{}", name.split('.').next().unwrap_or(name)),
        None => stem.to_owned(),
    };
    Some(format!("{source}.py"))
}

/// Fewest characters of a run that cannot be a word or a checksum.
const RUN_MIN: usize = 300;

/// Checks every 300th byte: a run that long covers one.
pub(super) fn scan(path: &str, text: &str, sink: &mut FindingSink<'_>) {
    let bytes = text.as_bytes();
    let mut at = RUN_MIN - 1;
    while at < bytes.len() {
        if !is_encoded(bytes[at]) {
            at += RUN_MIN;
            continue;
        }

        let run = run_around(bytes, at);
        if run.len() >= RUN_MIN && is_random(&bytes[run.clone()]) && !is_data_url(text, run.start) {
            sink.report_as_is(&RULE, DiagnosticLevel::Note, path, || {
                let message = format!("{} characters of opaque encoded data", run.len());
                let help = "put it into a file with the matching file type, or leave it out";
                RULE.finding(message).at(run.clone(), text).help(help)
            });
        }

        // A run of that length that begins after this one covers the next checked byte.
        at = run.end.max(at) + RUN_MIN;
    }
}

fn is_encoded(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"+/=".contains(&byte)
}

/// Returns the run around a byte; it continues over the end of a full line.
fn run_around(bytes: &[u8], at: usize) -> Range<usize> {
    let mut start = at;
    // Characters on this line: wrapped base64 fills its lines, so a short line ends the run.
    let mut line = 0;
    while start > 0 {
        let byte = bytes[start - 1];
        if is_encoded(byte) {
            line += 1;
        } else if byte == b'\n' && line >= 60 {
            line = 0;
        } else {
            break;
        }
        start -= 1;
    }

    let mut end = at;
    let mut line = bytes[start..at]
        .iter()
        .rev()
        .take_while(|byte| **byte != b'\n')
        .count();
    while end < bytes.len() {
        if is_encoded(bytes[end]) {
            line += 1;
        } else if bytes[end] == b'\n' && line >= 60 {
            line = 0;
        } else {
            break;
        }
        end += 1;
    }

    start..end
}

/// Whether a run has letters of both cases and digits, and enough distinct ones.
fn is_random(run: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| run.iter().any(is);
    let mut seen = [false; 256];
    run.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    // Lists of paths have far more slashes than encoded data.
    let slashes = memchr::memchr_iter(b'/', run).count();

    has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && seen.iter().filter(|seen| **seen).count() >= 16
        && slashes * 12 < run.len()
}

fn is_data_url(text: &str, at: usize) -> bool {
    text[..at].ends_with("base64,") || text[..at].ends_with("base64,\n")
}
