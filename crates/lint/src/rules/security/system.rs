//! SK719 and SK720: what cannot be undone, and what stays.

use super::hosts::{Address, Sort};
use super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::show::shown;
use super::text::Scope;
use super::{body, rule};
use crate::lint::{Docs, Rule};
use crate::report::Level;

pub(super) static DESTRUCTIVE: Rule = rule(
    "SK719",
    "destructive-command",
    Level::Warning,
    "a command destroys more than it needs to",
    Docs {
        finds: "`rm -rf` of `/`, the home directory, everything here, or a directory of the system; `mkfs`, `dd` and `shred` onto devices, `wipefs`, \
                `diskutil erase`, `format c:`, `vssadmin delete`, fork bombs, `chmod 777`, `find / -delete`, and orders to delete or encrypt all of \
                the user's files.",
        hurts: "An agent runs what it reads, often without asking. One wrong directory, and there is nothing to go back to; `chmod 777` lets every \
                program of the machine change the file.",
        ignore: "Images of containers and machines that are thrown away. Name the one directory that is meant, below one that the skill made.",
        bad: &[body!("```sh\nrm -rf ~/*\n```\n"), body!("```sh\nchmod -R 777 .\n```\n")],
        good: &[body!("```sh\nrm -rf build/ /var/lib/apt/lists/*\nchmod 755 scripts/fill.sh\n```\n")],
    },
);

pub(super) static PERSISTENCE: Rule = rule(
    "SK720",
    "persistence",
    Level::Warning,
    "something is set up to run again by itself",
    Docs {
        finds: "Entries in crontab, launch agents and daemons, systemd units, scheduled tasks, the registry's Run keys, start-up folders, shell \
                profiles, Git hooks of all repositories, keys added to `authorized_keys`, new administrators, and names that are made to lead elsewhere. A note where a profile only gets a path, a \
                variable or a completion.",
        hurts: "It goes on when the task is done and the skill is gone, unseen, with the user's rights.",
        ignore: "Skills whose very task is to schedule something; their description says so.",
        bad: &[
            body!("```sh\n(crontab -l; echo '* * * * * /tmp/sync.sh') | crontab -\n```\n"),
            body!("```sh\necho 'nohup ~/.cache/sync &' >> ~/.bashrc\n```\n"),
        ],
        good: &[body!("```sh\ncrontab -l\nsource ~/.bashrc\nsystemctl status cron\n```\n")],
    },
);

const HELP_DESTRUCTIVE: &str = "name the one directory that is meant, and let the user confirm";
const HELP_PERSISTENCE: &str =
    "run it when it is needed; if it has to stay, let the user set it up, and say how it is removed";

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: &["rm -", "rm  -", "rm\t-", "rm \"-", "/bin/rm"],
        scope: Scope::Statement,
        form: r#"\brm\s+(?P<flags>(?:-{1,2}[\w-]+\s+)+)(?:--\s+)?["']?(?P<what>/|/\*|~/?\*?|\$\{?home(?::[^}\s]*)?\}?["']?/?\*?|\.|\./|\./?\*|\*|\.\[\^?\.\]\*|/(?:etc|usr|var|home|bin|sbin|boot|lib|opt|root|system|users|applications|library)/?\*?|[a-z]:\\\*?|%userprofile%\S*|\$env:userprofile\S*|~/(?:documents|desktop|pictures|downloads|library)/?\*?)["']?(?:\s|$|[;&|)"'`\n\\<])"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let flags = hit.group("flags").unwrap_or_default().to_lowercase();
            let recursive = flags.contains("recursive")
                || flags.split_whitespace().any(|flag| !flag.starts_with("--") && flag.contains('r'));
            let force = flags.contains("force")
                || flags.split_whitespace().any(|flag| !flag.starts_with("--") && flag.contains('f'));
            if recursive && (force || flags.contains("preserve")) {
                let message = format!("deletes all of `{}`", shown(hit.group("what").unwrap_or_default()));
                ledger.tell(hit, Tell::new(&DESTRUCTIVE, Level::Warning, message, HELP_DESTRUCTIVE));
            }
        },
    },
    Pattern {
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
        scope: Scope::Statement,
        form: r#"(?:\bmkfs(?:\.\w+)?\s+(?:-\S+\s+)*/dev/\w+|\bdd\s[^\n]{0,120}\bof=/dev/(?:sd|nvme|hd|disk|mmcblk|vd|xvd)\w*|\bwipefs\s+(?:-\w+\s+)+/dev|\bshred\s[^\n]{0,60}(?:/dev/|~|\$home)|diskutil\s+(?:erase\w+|zerodisk|secureerase)\b|\bformat\s+[a-d]:|vssadmin\s+delete\s+shadows|wbadmin\s+delete|cipher\s+/w|--no-preserve-root|>\s*/dev/(?:sd[a-z]|nvme\d)|\bdel\s+(?:/[fsq]\s+)+["']?(?:[a-z]:\\|%userprofile%|\*)|\b(?:rd|rmdir)\s+(?:/[sq]\s+)+["']?(?:[a-z]:\\(?:["'\s*]|$)|%userprofile%|[a-z]:\\(?:windows|users))|remove-item\s[^\n]{0,80}?(?:[a-z]:\\(?:["'\s*]|$|windows|users)|\$home\b|\$env:userprofile|~(?:[\\/]?\*|\s))[^\n]{0,60}-(?:recurse|force)|remove-item\s+(?:-\w+\s+)*-recurse\s[^\n]{0,40}?(?:[a-z]:\\(?:["'\s*]|$)|\$home\b|~\s*$)|rmtree\(\s*(?:["'](?:/|~|/home|/etc|/usr|[a-z]:\\\\?)["']|(?:os\.path\.)?expanduser\(["']~/?["']\)|path\.home\(\)|os\.environ\[["']home["']\])\s*[,)]|(?:rm|rmsync|rimraf(?:\.sync)?)\(\s*(?:["'](?:/|~)["']|(?:os\.)?homedir\(\)|process\.env\.home\b)\s*[,)]|\bfind\s+(?:/|~|\$home)\s[^\n]{0,120}(?:-delete|-exec\s+(?:rm|shred)\b)|sfdisk\s+--delete|bcdedit\s+/delete|\bkill\s+-9\s+-1\b|clear-disk\b)"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let message = format!("destroys data for good: `{}`", shown(hit.text()));
            ledger.tell(hit, Tell::new(&DESTRUCTIVE, Level::Warning, message, HELP_DESTRUCTIVE));
        },
    },
    Pattern {
        triggers: &["(){", "() {", "while true", "os.fork"],
        scope: Scope::Statement,
        form: r"(?::\s*\(\)\s*\{\s*:\s*\|\s*:\s*&\s*\}\s*;?\s*:|\b(?P<name>\w+)\s*\(\)\s*\{\s*(?P<one>\w+)\s*\|\s*(?P<two>\w+)\s*&\s*\}|while\s+(?:true|1)\s*:\s*os\.fork\(\))",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            if hit.group("name") == hit.group("one") && hit.group("name") == hit.group("two") {
                ledger.tell(
                    hit,
                    Tell::new(
                        &DESTRUCTIVE,
                        Level::Warning,
                        "starts copies of itself until the machine stands still",
                        HELP_DESTRUCTIVE,
                    ),
                );
            }
        },
    },
    Pattern {
        triggers: &["chmod"],
        scope: Scope::Statement,
        form: r"\b(?:chmod\s+(?:-\w+\s+)*(?:0?777|a\+rwx|ugo\+rwx|[ug]?o\+w\w*|4777|u\+s)\b\s*(?P<what>\S*)|os\.chmod\([^\n]{1,60}0o?777)",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let setuid = hit.text().contains("+s") || hit.text().contains("4777");
            let message = if setuid {
                "lets every user run a program with its owner's rights"
            } else {
                "lets every user and program change these files"
            };
            ledger.tell(
                hit,
                Tell::new(
                    &DESTRUCTIVE,
                    Level::Warning,
                    message,
                    "give what is needed: `chmod 755` to run, `chmod 600` for secrets",
                ),
            );
        },
    },
    Pattern {
        triggers: &["delete", "remove all", "wipe", "erase", "destroy", "encrypt", "overwrite", "shred", "corrupt"],
        scope: Scope::Statement,
        form: r"\b(?:(?:delete|wipe|erase|destroy|shred|corrupt)\s+(?:all|every|everything|the\s+entire|the\s+whole|any)\s+(?:of\s+)?(?:the\s+)?(?:user(?:'|’)?s?\s+|existing\s+|local\s+|original\s+|other\s+)?(?:(?:documents?|photos|pictures|backups|home\s+(?:director(?:y|ies)|folder)|disk|drive|hard\s+drive|file\s?system|git\s+history|customer\s+(?:data|records))\b|(?:files?|data|folders?|directories)\s+(?:on|in|from|of|under)\s+(?:the\s+)?(?:user|home|disk|drive|system|computer|machine|~|/\s|root|desktop|documents|workspace|repository|current))|encrypt\s+(?:all|every|the\s+user(?:'|’)?s?|any)\s+(?:[\w']+\s+){0,3}(?:files?|documents?|data)\b[^.\n]{0,160}?(?:delete|remove|overwrite|ransom|original|key|password)|overwrite\s+(?:all|every|the\s+user(?:'|’)?s?)\s+(?:\w+\s+){0,2}(?:files?|documents?|data|backups?)\b[^.\n]{0,60}(?:random|zeros?|garbage|noise))",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let message = format!("orders to destroy what is the user's: \"{}\"", shown(hit.text()));
            ledger.tell(hit, Tell::new(&DESTRUCTIVE, Level::Warning, message, HELP_DESTRUCTIVE));
        },
    },
    Pattern {
        triggers: &["crontab", "/etc/cron", "/var/spool/cron", "cron job", "cronjob"],
        scope: Scope::Statement,
        form: r"(?:\|\s*(?:sudo\s+)?crontab\b|\bcrontab\s+(?:-u\s+\S+\s+)?(?:-\s*$|-\s|/\S|\./|\w[\w.]*\.(?:txt|cron|tab))|(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+)\s*/(?:etc/cron|var/spool/cron)\S*|\b(?:add|install|create|set\s+up|register)\s+(?:a\s+|the\s+following\s+|this\s+)?(?:new\s+|hourly\s+|daily\s+)?(?:entry\s+to\s+(?:the\s+user(?:'|’)?s?\s+|the\s+|your\s+)?crontab|cron\s?job\s+(?:that|to|which)\s+(?:runs?|sends?|uploads?|downloads?|execut\w+|re-?runs?|phones?|fetch\w*|call\w*)))",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            stays(
                hit,
                ledger,
                "puts an entry into the crontab, which runs it again and again",
                &["cron", "schedul", "recurring", "periodic", "automat", "daemon"],
            );
        },
    },
    Pattern {
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
        scope: Scope::Following(1),
        form: r"(?:launchctl\s+(?:load|bootstrap|submit|enable)\b|(?:>>?|\btee\s|\bcp\s[^\n]{1,80}|\bmv\s[^\n]{1,80}|\bwrite\w*\([^\n]{0,60}|open\([^\n]{0,60})\s*\S*(?:launchagents|launchdaemons|/etc/systemd/system|systemd/user|autostart|/etc/init\.d|rc\.local|start\s?menu\\programs\\startup|ld\.so\.preload)\S*|systemctl\s+(?:--user\s+)?(?:--now\s+)?enable\s+(?:--now\s+)?(?P<unit>[\w@.-]+)|schtasks(?:\.exe)?\s+/create\b|register-scheduledtask\b|reg(?:\.exe)?\s+add\s[^\n]{0,80}currentversion\\run|(?:set|new)-itemproperty\s[^\n]{0,120}currentversion\\run|make\s+(?:new\s+)?login\s+item|sc(?:\.exe)?\s+create\s+\w+\s+binpath|new-service\s+-|export\s+ld_preload=|ld_preload\s*=[^\n]{0,80}>>)",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            // To enable a service that a package brought is what an administrator does every day.
            let unit = hit.group("unit").unwrap_or_default().trim_end_matches(".service");
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
            let about = &[
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
                stays(hit, ledger, "sets something up to start by itself", about);
            }
        },
    },
    Pattern {
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
        scope: Scope::Statement,
        form: r#"(?:(?P<line>[^\n;]{0,200}?)(?:>>|\btee\s+-a|\badd-content\b|\bsed\s+-i\b[^\n]{0,80})\s*["']?\S*?(?P<rc>\.bashrc|\.zshrc|\.bash_profile|\.profile|\.zprofile|\.zshenv|\.bash_login|config\.fish|\$profile|authorized_keys)\b|open\([^\n]{0,60}(?P<code>\.bashrc|\.zshrc|\.bash_profile|\.profile|\.zshenv|authorized_keys)["')]{1,3}\s*,\s*["'][aw]|appendfile\w*\([^\n]{0,60}(?P<node>\.bashrc|\.zshrc|\.profile|authorized_keys)|git\s+config\s+--(?:global|system)\s+(?:core\.hookspath|init\.templatedir)|(?:>>?|write\w*\()[^\n]{0,60}(?:sitecustomize\.py|site-packages/\S+\.pth))"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: profile,
    },
    Pattern {
        triggers: &["/etc/sudoers", "nopasswd", "useradd", "usermod", "gpasswd", "net user", "net localgroup", "dscl "],
        scope: Scope::Statement,
        form: r#"(?:(?:>>?|\btee\s+(?:-a\s+)?|\bcp\s+\S+\s+)\s*["']?/etc/sudoers\S*|\b(?:usermod|gpasswd)\s[^\n]{0,60}?\b(?:sudo|wheel|admin|root)\b|\buseradd\s[^\n]{0,80}?(?:-u\s*0\b|-[gG]\s*\S*(?:sudo|wheel|root|admin)\b)|\bnet\s+user\s+\S+\s+\S+\s+/add|\bnet\s+localgroup\s+administrators\s+\S+\s+/add|\bdscl\s+\.\s+-(?:create\s+/users|append\s+/groups/admin))"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: gains,
    },
    Pattern {
        triggers: &["/etc/hosts", "drivers\\etc\\hosts"],
        scope: Scope::Statement,
        form: r#"[^\n;]{0,160}?\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b[^\n;]{0,160}?(?:>>?|\btee\s+(?:-a\s+)?|add-content\s[^\n]{0,40}?)\s*["']?\S*(?:/etc/hosts|drivers\\etc\\hosts)"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: leads_astray,
    },
    Pattern {
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
        scope: Scope::Statement,
        form: r"\b(?:append|add|write|insert|put|inject)\s+(?:[^.\n]{0,100}?\s)?(?:to|into|in|at\s+the\s+end\s+of)\s+(?:[^.\n]{0,24}?\s)?[`~]*/?(?:\S*/)?(?:\.?bashrc|\.?zshrc|\.bash_profile|authorized_keys)\b",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let window = hit.view.source.span(hit.span.start, Scope::Following(4));
            let text = hit.whole()[window].to_lowercase();
            let is_path =
                ["path", "export", "alias", "variable", "completion", "eval", "source", "env", "api key", "api_key"]
                    .iter()
                    .any(|word| text.contains(word));
            let is_key = hit.text().contains("authorized_keys");
            if is_key || !is_path {
                stays(hit, ledger, "adds to a file that every new shell runs", &["shell", "dotfile", "ssh"]);
            }
        },
    },
];

/// What gives rights that stay.
fn gains(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let about = &["user management", "sudo", "provision", "server", "linux", "windows", "administrat", "hardening"];
    stays(hit, ledger, "gives somebody the rights of an administrator, for good", about);
}

/// A name that is made to lead elsewhere.
fn leads_astray(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    if let Some(address) = Address::bare(hit.text()).filter(|address| address.sort() == Sort::RawIp) {
        let message = format!("makes a name lead to `{}`", shown(address.host));
        ledger.tell(hit, Tell::new(&PERSISTENCE, Level::Warning, message, HELP_PERSISTENCE));
    }
}

fn stays(hit: &Hit<'_>, ledger: &mut Ledger<'_>, message: &str, open_about: &[&str]) {
    // A skill that says it schedules things schedules things.
    let level = if hit.about.says(open_about) { Level::Note } else { Level::Warning };
    ledger.tell(hit, Tell::new(&PERSISTENCE, level, message, HELP_PERSISTENCE));
}

/// What a line does that only sets up a shell.
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

/// What it does that it need not.
const HARMFUL: [&str; 8] = ["curl", "wget", "nohup", " &'", " &\"", "/tmp/", "base64", "python -c"];

fn profile(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let text = hit.text().to_lowercase();
    if text.contains("authorized_keys") {
        let tell =
            Tell::new(&PERSISTENCE, Level::Warning, "lets the owner of a key log in to this machine", HELP_PERSISTENCE);
        ledger.tell(hit, tell);
        return;
    }
    let line = hit.group("line").unwrap_or_default().to_lowercase();
    let is_harmless =
        HARMLESS.iter().any(|word| line.contains(word)) && !HARMFUL.iter().any(|word| line.contains(word));
    let level = if is_harmless { Level::Note } else { Level::Warning };
    ledger.tell(hit, Tell::new(&PERSISTENCE, level, "adds to a file that every new shell runs", HELP_PERSISTENCE));
}
