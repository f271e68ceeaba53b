//! SK719 and SK720: destructive commands and persistence.

use super::hosts::{HostClass, WebAddress};
use super::redact::redact_text;
use super::scan::{FindingSink, PatternFinding, PatternMatch, ScanPass, SecurityPattern};
use super::text::WindowScope;
use super::{body, rule};
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

pub(super) const PATTERNS: &[SecurityPattern] = &[
    // `rm -rf` of a home directory, a root or the current directory.
    SecurityPattern {
        triggers: &["rm -", "rm  -", "rm\t-", "rm \"-", "/bin/rm"],
        scope: WindowScope::Statement,
        regex: r#"\brm\s+(?P<flags>(?:-{1,2}[\w-]+\s+)+)(?:--\s+)?["']?(?P<what>/|/\*|~/?\*?|\$\{?home(?::[^}\s]*)?\}?["']?/?\*?|\.|\./|\./?\*|\*|\.\[\^?\.\]\*|/(?:etc|usr|var|home|bin|sbin|boot|lib|opt|root|system|users|applications|library)/?\*?|[a-z]:\\\*?|%userprofile%\S*|\$env:userprofile\S*|~/(?:documents|desktop|pictures|downloads|library)/?\*?)["']?(?:\s|$|[;&|)"'`\n\\<])"#,
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: check_rm,
    },
    // Disks, partitions and shadow copies.
    SecurityPattern {
        triggers: &[
            "mkfs",
            "of=/dev/",
            "wipefs",
            "shred ",
            "diskutil",
            "format c",
            "format d",
            "vssadmin",
            "wbadmin",
            "cipher /w",
            "no-preserve-root",
            "> /dev/sd",
            ">/dev/sd",
            "/dev/nvme",
            "del /",
            "rd /s",
            "rmdir /s",
            "remove-item",
            "shutil.rmtree",
            "rmsync",
            "find /",
            "find ~",
            "find $home",
            "sfdisk",
            "bcdedit",
            "kill -9 -1",
            "clear-disk",
            "fs.rm",
            "rimraf",
        ],
        scope: WindowScope::Statement,
        regex: r#"(?:\bmkfs(?:\.\w+)?\s+(?:-\S+\s+)*/dev/\w+|\bdd\s[^\n]{0,120}\bof=/dev/(?:sd|nvme|hd|disk|mmcblk|vd|xvd)\w*|\bwipefs\s+(?:-\w+\s+)+/dev|\bshred\s[^\n]{0,60}(?:/dev/|~|\$home)|diskutil\s+(?:erase\w+|zerodisk|secureerase)\b|\bformat\s+[a-d]:|vssadmin\s+delete\s+shadows|wbadmin\s+delete|cipher\s+/w|--no-preserve-root|>\s*/dev/(?:sd[a-z]|nvme\d)|\bdel\s+(?:/[fsq]\s+)+["']?(?:[a-z]:\\|%userprofile%|\*)|\b(?:rd|rmdir)\s+(?:/[sq]\s+)+["']?(?:[a-z]:\\(?:["'\s*]|$)|%userprofile%|[a-z]:\\(?:windows|users))|remove-item\s[^\n]{0,80}?(?:[a-z]:\\(?:["'\s*]|$|windows|users)|\$home\b|\$env:userprofile|~(?:[\\/]?\*|\s))[^\n]{0,60}-(?:recurse|force)|remove-item\s+(?:-\w+\s+)*-recurse\s[^\n]{0,40}?(?:[a-z]:\\(?:["'\s*]|$)|\$home\b|~\s*$)|rmtree\(\s*(?:["'](?:/|~|/home|/etc|/usr|[a-z]:\\\\?)["']|(?:os\.path\.)?expanduser\(["']~/?["']\)|path\.home\(\)|os\.environ\[["']home["']\])\s*[,)]|(?:rm|rmsync|rimraf(?:\.sync)?)\(\s*(?:["'](?:/|~)["']|(?:os\.)?homedir\(\)|process\.env\.home\b)\s*[,)]|\bfind\s+(?:/|~|\$home)\s[^\n]{0,120}(?:-delete|-exec\s+(?:rm|shred)\b)|sfdisk\s+--delete|bcdedit\s+/delete|\bkill\s+-9\s+-1\b|clear-disk\b)"#,
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_data_destruction,
    },
    // Fork bombs, in a shell and in Python.
    SecurityPattern {
        triggers: &["(){", "() {", "while true", "os.fork"],
        scope: WindowScope::Statement,
        regex: r"(?::\s*\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;?\s*:|\b(?P<name>\w+)\s*\(\)\s*\{\s*(?P<one>\w+)\s*\|\s*(?P<two>\w+)\s*&\s*\}|while\s+(?:true|1)\s*:\s*os\.fork\(\))",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: check_fork_bomb,
    },
    // World-writable files, and the setuid bit.
    SecurityPattern {
        triggers: &["chmod"],
        scope: WindowScope::Statement,
        regex: r"\b(?:chmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|ugo\+rwx|[ug]?o\+w\w*|4777|u\+s)\b\s*(?P<what>\S*)|os\.chmod\([^\n]{1,60}0o?777)",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_permissions,
    },
    // In prose: the user's data is to be destroyed.
    SecurityPattern {
        triggers: &[
            "delete",
            "remove all",
            "wipe",
            "erase",
            "destroy",
            "encrypt",
            "overwrite",
            "shred",
            "corrupt",
        ],
        scope: WindowScope::Statement,
        regex: r"\b(?:(?:delete|wipe|erase|destroy|shred|corrupt)\s+(?:all|every|everything|the\s+entire|the\s+whole|any)\s+(?:of\s+)?(?:the\s+)?(?:user(?:'|’)?s?\s+|existing\s+|local\s+|original\s+|other\s+)?(?:(?:documents?|photos|pictures|backups|home\s+(?:director(?:y|ies)|folder)|disk|drive|hard\s+drive|file\s?system|git\s+history|customer\s+(?:data|records))\b|(?:files?|data|folders?|directories)\s+(?:on|in|from|of|under)\s+(?:the\s+)?(?:user|home|disk|drive|system|computer|machine|~|/\s|root|desktop|documents|workspace|repository|current))|encrypt\s+(?:all|every|the\s+user(?:'|’)?s?|any)\s+(?:[\w']+\s+){0,3}(?:files?|documents?|data)\b[^.\n]{0,160}?(?:delete|remove|overwrite|ransom|original|key|password)|overwrite\s+(?:all|every|the\s+user(?:'|’)?s?)\s+(?:\w+\s+){0,2}(?:files?|documents?|data|backups?)\b[^.\n]{0,60}(?:random|zeros?|garbage|noise))",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_destruction_instruction,
    },
    // Crontab entries.
    SecurityPattern {
        triggers: &[
            "crontab",
            "/etc/cron",
            "/var/spool/cron",
            "cron job",
            "cronjob",
        ],
        scope: WindowScope::Statement,
        regex: r"(?:\|\s*(?:sudo\s+)?crontab\b|\bcrontab\s+(?:-u\s+\S+\s+)?(?:-\s*$|-\s|/\S|\./|\w[\w.]*\.(?:txt|cron|tab))|(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+)\s*/(?:etc/cron|var/spool/cron)\S*|\b(?:add|install|create|set\s+up|register)\s+(?:a\s+|the\s+following\s+|this\s+)?(?:new\s+|hourly\s+|daily\s+)?(?:entry\s+to\s+(?:the\s+user(?:'|’)?s?\s+|the\s+|your\s+)?crontab|cron\s?job\s+(?:that|to|which)\s+(?:runs?|sends?|uploads?|downloads?|execut\w+|re-?runs?|phones?|fetch\w*|call\w*)))",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_crontab,
    },
    // Services, and programs that start with the session.
    SecurityPattern {
        triggers: &[
            "launchctl",
            "launchagents",
            "launchdaemons",
            "/etc/systemd",
            "systemd/user",
            "systemctl",
            "schtasks",
            "scheduledtask",
            "currentversion\\run",
            "\\startup",
            "startup folder",
            "login item",
            "osascript",
            "rc.local",
            "autostart",
            "/etc/init.d",
            "new-service",
            "sc create",
            "sc.exe create",
            "wmic",
            "ld.so.preload",
            "ld_preload",
        ],
        scope: WindowScope::Following(1),
        regex: r"(?:launchctl\s+(?:load|bootstrap|submit|enable)\b|(?:>>?|\btee\s|\bcp\s[^\n]{1,80}|\bmv\s[^\n]{1,80}|\bwrite\w*\([^\n]{0,60}|open\([^\n]{0,60})\s*\S*(?:launchagents|launchdaemons|/etc/systemd/system|systemd/user|autostart|/etc/init\.d|rc\.local|start\s?menu\\programs\\startup|ld\.so\.preload)\S*|systemctl\s+(?:--user\s+)?(?:--now\s+)?enable\s+(?:--now\s+)?(?P<unit>[\w@.-]+)|schtasks(?:\.exe)?\s+/create\b|register-scheduledtask\b|reg(?:\.exe)?\s+add\s[^\n]{0,80}currentversion\\run|(?:set|new)-itemproperty\s[^\n]{0,120}currentversion\\run|make\s+(?:new\s+)?login\s+item|sc(?:\.exe)?\s+create\s+\w+\s+binpath|new-service\s+-|export\s+ld_preload=|ld_preload\s*=[^\n]{0,80}>>)",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: check_service,
    },
    // Startup files of shells, and SSH keys that may log in.
    SecurityPattern {
        triggers: &[
            ".bashrc",
            ".zshrc",
            ".bash_profile",
            ".profile",
            ".zprofile",
            ".zshenv",
            "config.fish",
            "$profile",
            "authorized_keys",
            "core.hookspath",
            "init.templatedir",
            ".bash_login",
            "sitecustomize",
            ".pth",
        ],
        scope: WindowScope::Statement,
        regex: r#"(?:(?P<line>[^\n;]{0,200}?)(?:>>|\btee\s+-a|\badd-content\b|\bsed\s+-i\b[^\n]{0,80})\s*["']?\S*?(?P<rc>\.bashrc|\.zshrc|\.bash_profile|\.profile|\.zprofile|\.zshenv|\.bash_login|config\.fish|\$profile|authorized_keys)\b|open\([^\n]{0,60}(?P<code>\.bashrc|\.zshrc|\.bash_profile|\.profile|\.zshenv|authorized_keys)["')]{1,3}\s*,\s*["'][aw]|appendfile\w*\([^\n]{0,60}(?P<node>\.bashrc|\.zshrc|\.profile|authorized_keys)|git\s+config\s+--(?:global|system)\s+(?:core\.hookspath|init\.templatedir)|(?:>>?|write\w*\()[^\n]{0,60}(?:sitecustomize\.py|site-packages/\S+\.pth))"#,
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: check_profile,
    },
    // Administrator privileges.
    SecurityPattern {
        triggers: &[
            "/etc/sudoers",
            "nopasswd",
            "useradd",
            "usermod",
            "gpasswd",
            "net user",
            "net localgroup",
            "dscl ",
        ],
        scope: WindowScope::Statement,
        regex: r#"(?:(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+)\s*["']?/etc/sudoers\S*|\b(?:usermod|gpasswd)\s[^\n]{0,60}?\b(?:sudo|wheel|admin|root)\b|\buseradd\s[^\n]{0,80}?(?:-u\s*0\b|-[gG]\s*\S*(?:sudo|wheel|root|admin)\b)|\bnet\s+user\s+\S+\s+\S+\s+/add|\bnet\s+localgroup\s+administrators\s+\S+\s+/add|\bdscl\s+\.\s+-(?:create\s+/users|append\s+/groups/admin))"#,
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: report_privileges,
    },
    // A host name is redirected to another address.
    SecurityPattern {
        triggers: &["/etc/hosts", "drivers\\etc\\hosts"],
        scope: WindowScope::Statement,
        regex: r#"[^\n;]{0,160}?\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b[^\n;]{0,160}?(?:>>?|\btee\s+(?:-a\s+)?|add-content\s[^\n]{0,40}?)\s*["']?\S*(?:/etc/hosts|drivers\\etc\\hosts)"#,
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: check_hosts_entry,
    },
    // In prose: text is to be added to a startup file.
    SecurityPattern {
        triggers: &[
            "bashrc",
            "zshrc",
            "shell profile",
            "startup file",
            "shell startup",
            "authorized_keys",
            "git hook",
            "post-commit",
            "pre-commit hook",
        ],
        scope: WindowScope::Statement,
        regex: r"\b(?:append|add|write|insert|put|inject)\s+(?:[^.\n]{0,100}?\s)?(?:to|into|in|at\s+the\s+end\s+of)\s+(?:[^.\n]{0,24}?\s)?[`~]*/?(?:\S*/)?(?:\.?bashrc|\.?zshrc|\.bash_profile|authorized_keys)\b",
        required_words: &[],
        pass: ScanPass::First,
        only_in: None,
        report: check_profile_instruction,
    },
];

/// Reports a recursive and forced `rm`.
fn check_rm(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let flags = hit.group("flags").unwrap_or_default().to_lowercase();
    let recursive = flags.contains("recursive")
        || flags
            .split_whitespace()
            .any(|flag| !flag.starts_with("--") && flag.contains('r'));
    let force = flags.contains("force")
        || flags
            .split_whitespace()
            .any(|flag| !flag.starts_with("--") && flag.contains('f'));
    if recursive && (force || flags.contains("preserve")) {
        let message = format!(
            "deletes all of `{}`",
            redact_text(hit.group("what").unwrap_or_default())
        );
        sink.report(
            hit,
            PatternFinding::new(
                &DESTRUCTIVE,
                DiagnosticLevel::Warning,
                message,
                HELP_DESTRUCTIVE,
            ),
        );
    }
}

/// Reports a command that destroys data.
fn report_data_destruction(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let message = format!("destroys data irrecoverably: `{}`", redact_text(hit.text()));
    sink.report(
        hit,
        PatternFinding::new(
            &DESTRUCTIVE,
            DiagnosticLevel::Warning,
            message,
            HELP_DESTRUCTIVE,
        ),
    );
}

/// Reports a shell function that calls itself twice, or forks in a loop.
fn check_fork_bomb(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    if hit.group("name") == hit.group("one") && hit.group("name") == hit.group("two") {
        sink.report(
            hit,
            PatternFinding::new(
                &DESTRUCTIVE,
                DiagnosticLevel::Warning,
                "fork bomb: starts copies of itself until the machine hangs",
                HELP_DESTRUCTIVE,
            ),
        );
    }
}

/// Reports world-writable files, or the setuid bit.
fn report_permissions(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
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
    sink.report(
        hit,
        PatternFinding::new(
            &DESTRUCTIVE,
            DiagnosticLevel::Warning,
            message,
            HELP_DESTRUCTIVE,
        ),
    );
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

    let line = hit.group("line").unwrap_or_default().to_lowercase();
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
