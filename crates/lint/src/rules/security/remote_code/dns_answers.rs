//! SK710 through DNS: the answer of a name server is run.
//!
//! No proxy and no download log sees `dig +short txt … | sh`, and the owner of the name can change
//! the answer at any time.

use super::super::scan::{FindingSink, PatternFinding, PatternMatch, ScanPass, SecurityPattern};
use super::super::text::WindowScope;
use super::encoded::is_run_next;
use super::pipe::{HELP_PIPE, RULE};
use skillpm_core::report::DiagnosticLevel;

pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] = &[
    // The answer goes into a shell.
    SecurityPattern {
        triggers: &[
            "dig ",
            "nslookup ",
            "host -",
            "drill ",
            "kdig ",
            "delv ",
            "doggo ",
            "resolve-dnsname",
        ],
        scope: WindowScope::Following(3),
        regex: r#"(?:\b(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^|\n]*?\btxt\b[^|\n]*(?:\|[^|\n]*){0,4}?\|\s*(?:xargs\s[^|\n]*?)?§SHELL|\b(?:(?:ba|z|da|k)?sh|eval|source|exec|\.)(?:\s+-\w+)*\s+(?:<\s*)?["']?(?:<\(|\$\(|`|<<<\s*["']?(?:\$\(|`))\s*(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^\n]*?\btxt\b|\b(?P<name>\w+)=["']?(?:\$\(|`)\s*(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^\n]*?\btxt\b.{0,300}?\b(?:eval|source|(?:ba|z|da|k)?sh\s+-c)\s+["']?\$\{?(?P<used>\w+)|(?:\biex\b|invoke-expression)[^\n]*?resolve-dnsname[^\n]*?\btxt\b|resolve-dnsname[^\n]*?\btxt\b[^\n]*\|\s*(?:iex|invoke-expression)\b)"#,
        required_words: &["txt"],
        pass: ScanPass::First,
        only_in: None,
        report: check_dns_answer,
    },
    // The answer goes into a file, which is run.
    SecurityPattern {
        triggers: &[
            "dig ",
            "nslookup ",
            "host -",
            "drill ",
            "kdig ",
            "delv ",
            "doggo ",
        ],
        scope: WindowScope::Statement,
        regex: r#"\b(?:dig|nslookup|host|drill|kdig|delv|doggo)\s[^\n>]*?\btxt\b[^\n>]*(?:>\s*|\|\s*(?:sudo\s+)?tee\s+)["']?(?P<file>[\w$~{}./-]+)"#,
        required_words: &[">", "tee"],
        pass: ScanPass::First,
        only_in: None,
        report: check_dns_file,
    },
    // The answer is evaluated in a program.
    SecurityPattern {
        triggers: &["resolver.", "resolvetxt", "dns_get_record"],
        scope: WindowScope::Around(5),
        regex: r"(?:\b(?:exec|eval|os\.system|os\.popen|execsync|subprocess\.\w+|new\s+function|system|shell_exec)\s*\([^\n]*?(?:resolver\.(?:resolve|query)\([^\n]*?\btxt\b|resolvetxt\(|dns_get_record\([^\n]*?dns_txt)|\b(?P<name>\w+)\s*=\s*(?:await\s+)?[^\n=]*?(?:resolver\.(?:resolve|query)\([^\n]*?\btxt\b|resolvetxt\(|dns_get_record\([^\n]*?dns_txt)[^\n]*\n(?:[^\n]*\n){0,4}?[^\n]*?\b(?:exec|eval|os\.system|os\.popen|execsync|subprocess\.\w+|new\s+function|system|shell_exec)\s*\((?P<call>[^\n]*))",
        required_words: &["txt"],
        pass: ScanPass::First,
        only_in: None,
        report: check_dns_answer,
    },
];

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
