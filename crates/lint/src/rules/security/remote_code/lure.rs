//! SK712 by its structure, in any language: a program from an unknown host, and near it a page of
//! another host with a command to copy; and archives that are opened with a password on the command
//! line.

use super::super::hosts::WebAddress;
use super::super::pattern_table;
use super::super::redact::redact_text;
use super::super::scan::SecurityPattern;
use super::super::sink::{FindingSink, PatternFinding};
use super::super::text::WindowScope;
use super::super::view::PatternMatch;
use super::prerequisite::{HELP_FIRST, RULE, is_untrusted_host};
use skillpm_core::report::DiagnosticLevel;

/// Lines on either side in which both are searched.
const NEAR_LINES: usize = 8;

pub(in crate::rules::security) const PATTERNS: &[SecurityPattern] =
    pattern_table!("remote_code/lure");

/// Words for a terminal, and for the command typed there.
const CONSOLES: [&str; 22] = [
    "terminal",
    "shell",
    "konsole",
    "console",
    "consola",
    "powershell",
    "终端",
    "終端",
    "терминал",
    "ターミナル",
    "터미널",
    "command",
    "befehl",
    "comando",
    "commande",
    "kommando",
    "opdracht",
    "команд",
    "命令",
    "コマンド",
    "명령",
    "copy",
];

/// Words for the password of an archive.
const ARCHIVE_KEYS: [&str; 25] = [
    "password",
    "passphrase",
    "pass phrase",
    "passcode",
    "pass:",
    "pwd",
    "unlock",
    "locked",
    "| key",
    "key:",
    "kennwort",
    "passwort",
    "contraseña",
    "clave",
    "mot de passe",
    "senha",
    "parola",
    "wachtwoord",
    "hasło",
    "пароль",
    "密码",
    "密碼",
    "口令",
    "パスワード",
    "비밀번호",
];

/// Reports a program for one operating system, and a page for another.
fn check_two_downloads(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // A known publisher's archive needs no second host.
    let Some(program) = WebAddress::find(hit.text()).filter(is_untrusted_host) else {
        return;
    };

    let window = hit
        .view
        .source
        .window_range(hit.span.start, WindowScope::Around(NEAR_LINES));
    let around = hit.full_text()[window].to_lowercase();
    let Some(page) = around
        .lines()
        .find_map(|line| find_command_page(line, &program))
    else {
        return;
    };

    let has = |words: &[&str]| words.iter().any(|word| around.contains(word));
    let is_locked = has(&ARCHIVE_KEYS);

    // Campaigns serve Windows with an archive, and macOS with a command to paste.
    let is_for_both =
        has(&["windows", ".exe", ".msi"]) && has(&["macos", "mac ", "mac:", "mac*", "os x"]);
    // A password, or a file for Windows next to a command for macOS, is common to the known
    // campaigns.
    if !is_locked && !is_for_both {
        return;
    }

    let message = format!(
        "requires running a program from `{}`, and a command from a page of `{}`",
        redact_text(program.host),
        redact_text(page.host)
    );

    let finding = PatternFinding::new(
        &RULE,
        if is_locked {
            DiagnosticLevel::Error
        } else {
            DiagnosticLevel::Warning
        },
        message,
        HELP_FIRST,
    )
    .never_excused();
    sink.report(
        hit,
        finding.with_note(
            "two hosts, for two operating systems: neither is part of the reviewed skill",
        ),
    );
}

/// Returns the page of a third host to which a line sends the user for a command.
fn find_command_page<'l>(line: &'l str, program: &WebAddress<'_>) -> Option<WebAddress<'l>> {
    const PROGRAMS: [&str; 13] = [
        ".zip", ".rar", ".7z", ".dmg", ".exe", ".msi", ".pkg", ".iso", ".gz", ".git", ".md",
        ".pdf", ".json",
    ];
    // Cheap, and most lines end here.
    if !CONSOLES.iter().any(|word| line.contains(word)) {
        return None;
    }

    let starts = line.match_indices("http").map(|(at, _)| &line[at..]);
    starts.filter_map(WebAddress::find).find(|page| {
        let path = page
            .path
            .trim_end_matches(|c: char| ".,;:)>*`'\"".contains(c));
        let is_page = path.len() > 1 && !PROGRAMS.iter().any(|ending| path.ends_with(ending));
        is_page && base_domain(page.host) != base_domain(program.host) && is_untrusted_host(page)
    })
}

/// Returns the last two labels of a host name.
fn base_domain(host: &str) -> String {
    let parts: Vec<String> = host.rsplit('.').take(2).map(str::to_lowercase).collect();
    parts.join(".")
}

/// Reports an archive that is downloaded, opened with a password and run within a few lines.
fn check_unlocked_archive(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // The regex ignores case, but only `-P` takes a password: `-p` writes to the screen.
    if hit.group("zip").is_some_and(|flag| flag != "-P") {
        return;
    }

    let window = hit
        .view
        .source
        .window_range(hit.span.start, WindowScope::Around(4));
    let around = &hit.full_text()[window];
    let is_run = ["./", "chmod ", "start ", "open ", ".exe", "--install"]
        .iter()
        .any(|word| around.contains(word));
    let is_fetched = ["curl ", "wget ", "iwr ", "Invoke-WebRequest"]
        .iter()
        .any(|word| around.contains(word));

    let Some(address) = WebAddress::find(around).filter(is_untrusted_host) else {
        return;
    };

    if is_run && is_fetched {
        let message = format!(
            "runs a program from a password-protected archive, from `{}`",
            redact_text(address.host)
        );
        let finding =
            PatternFinding::new(&RULE, DiagnosticLevel::Error, message, HELP_FIRST).never_excused();
        sink.report(
            hit,
            finding.with_note(
                "the password does not protect the user: it keeps scanners from looking inside",
            ),
        );
    }
}
