//! SK719 and SK720: destructive commands and persistence.

use super::hosts::{HostClass, WebAddress};
use super::redact::redact_text;
use super::scan::SecurityPattern;
use super::sink::{FindingSink, PatternFinding};
use super::text::WindowScope;
use super::view::PatternMatch;
use super::{body, pattern_table, rule};
use crate::{Rule, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static DESTRUCTIVE: Rule = rule(
    "SK719",
    "destructive-command",
    DiagnosticLevel::Warning,
    "a destructive command deletes or changes more than it needs to",
    RuleDocs {
        finds: "`rm -rf` of `/`, the home directory, the current directory, or a system \
               directory; `mkfs`, `dd` and `shred` on devices, `wipefs`, `diskutil erase`, \
               `format c:`, `vssadmin delete`, fork bombs, `chmod 777`, `find / -delete`, and \
               instructions to delete or encrypt all of the user's files.",
        hurts: "An agent runs the commands it reads, often without asking. After one wrong \
               directory the data is lost; `chmod 777` lets every program on the machine change \
               the file.",
        ignore: "Container images and throw-away machines. Name the one directory that is meant, \
                under one that the skill created.",
        bad: &[
            body!("```sh\nrm -rf ~/*\n```\n"),
            body!("```sh\nchmod -R 777 .\n```\n"),
        ],
        good: &[body!(
            "```sh\nrm -rf build/ /var/lib/apt/lists/*\nchmod 755 scripts/fill.sh\n```\n"
        )],
    },
);

pub(super) static PERSISTENCE: Rule = rule(
    "SK720",
    "persistence",
    DiagnosticLevel::Warning,
    "persistence: something is set up to run again by itself",
    RuleDocs {
        finds: "Entries in crontab, launch agents and daemons, systemd units, scheduled tasks, \
               Run keys of the Windows registry, startup folders, shell profiles, Git hooks of \
               all repositories, keys added to `authorized_keys`, new administrators, and host \
               names redirected in the hosts file. A note where a profile only gets a path, a \
               variable or a completion.",
        hurts: "It continues after the task is done and the skill is removed, unseen, with the \
               user's permissions.",
        ignore: "Skills whose task is to schedule something; their description says so.",
        bad: &[
            body!("```sh\n(crontab -l; echo '* * * * * /tmp/sync.sh') | crontab -\n```\n"),
            body!("```sh\necho 'nohup ~/.cache/sync &' >> ~/.bashrc\n```\n"),
        ],
        good: &[body!(
            "```sh\ncrontab -l\nsource ~/.bashrc\nsystemctl status cron\n```\n"
        )],
    },
);

const HELP_DESTRUCTIVE: &str = "name the one directory that is meant, and let the user confirm";
const HELP_PERSISTENCE: &str =
    "run it when needed; if it has to stay, let the user set it up, and say how to remove it";

pub(super) const PATTERNS: &[SecurityPattern] = pattern_table!("system");

/// Reports a recursive and forced `rm`.
fn check_rm(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let flags = hit.group("flags").unwrap_or_default().to_lowercase();
    // Short flags come in any order and in groups: `-rf`, `-fr`, `-r -f`.
    let recursive = flags.contains("recursive")
        || flags
            .split_whitespace()
            .any(|flag| !flag.starts_with("--") && flag.contains('r'));
    let force = flags.contains("force")
        || flags
            .split_whitespace()
            .any(|flag| !flag.starts_with("--") && flag.contains('f'));
    // Without force, `rm` asks before it deletes what is protected.
    if recursive && (force || flags.contains("preserve")) {
        let message = format!(
            "deletes all of `{}`",
            redact_text(hit.group("what").unwrap_or_default())
        );
        report_destructive(hit, sink, message);
    }
}

fn report_destructive(
    hit: &PatternMatch<'_>,
    sink: &mut FindingSink<'_>,
    message: impl Into<String>,
) {
    let finding = PatternFinding::new(
        &DESTRUCTIVE,
        DiagnosticLevel::Warning,
        message,
        HELP_DESTRUCTIVE,
    );
    sink.report(hit, finding);
}

/// Reports a command that destroys data.
fn report_data_destruction(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!("destroys data irrecoverably: `{}`", redact_text(hit.text()));
    report_destructive(hit, sink, message);
}

/// Reports a shell function that calls itself twice, or forks in a loop.
fn check_fork_bomb(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // The regex cannot compare the names: back references are not linear.
    if hit.group("name") == hit.group("one") && hit.group("name") == hit.group("two") {
        report_destructive(
            hit,
            sink,
            "fork bomb: starts copies of itself until the machine hangs",
        );
    }
}

/// Reports world-writable files, or the setuid bit.
fn report_permissions(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // The mode 4777 is both; the setuid bit is the worse of them.
    let setuid = hit.text().contains("+s") || hit.text().contains("4777");
    let message = if setuid {
        "setuid bit: lets every user run the program with its owner's privileges"
    } else {
        "world-writable: lets every user and program change these files"
    };
    sink.report(
        hit,
        PatternFinding::new(
            &DESTRUCTIVE,
            DiagnosticLevel::Warning,
            message,
            "grant only the needed permissions: `chmod 755` to run, `chmod 600` for secrets",
        ),
    );
}

/// Reports an instruction to destroy user data.
fn report_destruction_instruction(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!(
        "instructs the agent to destroy user data: \"{}\"",
        redact_text(hit.text())
    );
    report_destructive(hit, sink, message);
}

/// Reports a crontab entry.
fn report_crontab(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    report_persistence(
        hit,
        sink,
        "adds a crontab entry, which runs periodically",
        &[
            "cron",
            "schedul",
            "recurring",
            "periodic",
            "automat",
            "daemon",
        ],
    );
}

/// Reports a service or program that starts by itself, unless it is a well-known service.
fn check_service(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // To enable the service of an installed package is everyday administration.
    let unit = hit
        .group("unit")
        .unwrap_or_default()
        .trim_end_matches(".service");
    let is_known = [
        "docker",
        "nginx",
        "ssh",
        "sshd",
        "cron",
        "apache2",
        "postgresql",
        "mysql",
        "redis",
        "fail2ban",
        "ufw",
        "containerd",
        "kubelet",
        "firewalld",
        "httpd",
        "chronyd",
        "podman.socket",
    ]
    .contains(&unit);
    let topic_words = &[
        "service",
        "daemon",
        "systemd",
        "launchd",
        "schedul",
        "startup",
        "deploy",
        "linux",
        "server",
        "cron",
        "automat",
        "background",
    ];
    // Any other unit is one that the skill brings itself.
    if !is_known {
        report_persistence(
            hit,
            sink,
            "sets up a service or program that starts by itself",
            topic_words,
        );
    }
}

/// Reports an instruction to add to a startup file, unless it only sets up the shell.
fn check_profile_instruction(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let window = hit
        .view
        .source
        .window_range(hit.span.start, WindowScope::Following(4));
    let text = hit.full_text()[window].to_lowercase();
    let is_path = [
        "path",
        "export",
        "alias",
        "variable",
        "completion",
        "eval",
        "source",
        "env",
        "api key",
        "api_key",
    ]
    .iter()
    .any(|word| text.contains(word));
    // Lines that set a path or an alias are what every installer asks for.
    let is_key = hit.text().contains("authorized_keys");
    if is_key || !is_path {
        report_persistence(
            hit,
            sink,
            "adds to a startup file, which every new shell runs",
            &["shell", "dotfile", "ssh"],
        );
    }
}

/// Reports permanent administrator privileges.
fn report_privileges(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let topic_words = &[
        "user management",
        "sudo",
        "provision",
        "server",
        "linux",
        "windows",
        "administrat",
        "hardening",
    ];
    report_persistence(
        hit,
        sink,
        "grants administrator privileges permanently",
        topic_words,
    );
}

/// Reports a host name that is redirected in the hosts file.
fn check_hosts_entry(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // A name for this machine or the local network is development; a public address is a
    // redirection.
    if let Some(address) = WebAddress::find_bare_ip(hit.text())
        .filter(|address| address.host_class() == HostClass::RawIp)
    {
        let message = format!(
            "redirects a host name to `{}` in the hosts file",
            redact_text(address.host)
        );
        sink.report(
            hit,
            PatternFinding::new(
                &PERSISTENCE,
                DiagnosticLevel::Warning,
                message,
                HELP_PERSISTENCE,
            ),
        );
    }
}

fn report_persistence(
    hit: &PatternMatch<'_>,
    sink: &mut FindingSink<'_>,
    message: &str,
    topic_words: &[&str],
) {
    // A skill about scheduling schedules things.
    let level = if hit.topic.mentions(topic_words) {
        DiagnosticLevel::Note
    } else {
        DiagnosticLevel::Warning
    };
    sink.report(
        hit,
        PatternFinding::new(&PERSISTENCE, level, message, HELP_PERSISTENCE),
    );
}

/// Parts of a line that only sets up a shell.
const HARMLESS: [&str; 14] = [
    "export ",
    "path=",
    "path ",
    "alias ",
    "completion",
    "source ",
    "eval \"$(",
    "eval '$(",
    "eval \\\"$(",
    "set -gx",
    "fpath",
    "init ",
    "hook ",
    "$env:",
];

/// Parts of a line that does more than that.
const HARMFUL: [&str; 8] = [
    "curl",
    "wget",
    "nohup",
    " &'",
    " &\"",
    "/tmp/",
    "base64",
    "python -c",
];

fn check_profile(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let text = hit.text().to_lowercase();
    if text.contains("authorized_keys") {
        let finding = PatternFinding::new(
            &PERSISTENCE,
            DiagnosticLevel::Warning,
            "adds an SSH key to `authorized_keys`: its owner can log in to this machine",
            HELP_PERSISTENCE,
        );
        sink.report(hit, finding);
        return;
    }

    // What is appended decides: a path for the shell, or a program for each shell.
    let line = hit.group("line").unwrap_or_default().to_lowercase();
    // `export X=$(curl …)` is both, so a harmful part wins.
    let is_harmless = HARMLESS.iter().any(|word| line.contains(word))
        && !HARMFUL.iter().any(|word| line.contains(word));
    let level = if is_harmless {
        DiagnosticLevel::Note
    } else {
        DiagnosticLevel::Warning
    };

    sink.report(
        hit,
        PatternFinding::new(
            &PERSISTENCE,
            level,
            "adds to a startup file, which every new shell runs",
            HELP_PERSISTENCE,
        ),
    );
}
