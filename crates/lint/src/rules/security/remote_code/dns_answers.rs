//! SK710 through DNS: the answer of a name server is run.
//!
//! No proxy and no download log sees `dig +short txt … | sh`, and the owner of the name can change
//! the answer at any time.

use super::super::pattern_table;
use super::super::scan::SecurityPattern;
use super::super::sink::{FindingSink, PatternFinding};
use super::super::view::PatternMatch;
use super::encoded::is_run_next;
use super::pipe::{HELP_PIPE, RULE};
use skillpm_core::report::DiagnosticLevel;

pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] =
    pattern_table!("remote_code/dns_answers");

/// Reports a DNS answer in a file, if the file is run in one of the next steps.
fn check_dns_file(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    if hit.group("file").is_some_and(|file| is_run_next(hit, file)) {
        check_dns_answer(hit, sink);
    }
}

fn check_dns_answer(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let is_run = match (hit.group("name"), hit.group("used"), hit.group("call")) {
        (Some(name), Some(used), _) => name == used,
        (Some(name), None, Some(call)) => call.split(|c| !is_word(c)).any(|word| word == name),
        _ => true,
    };

    // `sh -c` runs its argument and not what comes through the pipe.
    if is_run && hit.group("with").is_none() {
        let message = "runs a DNS answer without review, bypassing every proxy and log";
        sink.report(
            hit,
            PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP_PIPE).never_excused(),
        );
    }
}
