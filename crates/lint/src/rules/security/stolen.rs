//! SK714: secrets that meet a call to somebody else's host in one file or one pipe; and addresses of wallets that are
//! exchanged in the clipboard.

use std::collections::HashMap;

use super::credentials::{RULE, STORES, stores};
use super::hosts::{Address, Sort, is_of};
use super::remote_code::pipe::address;
use super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::show::shown;
use super::text::{Kind, Scope, Source};
use crate::report::Level;

const HELP: &str = "let the program that owns them use them; nothing of it belongs on another host";

pub(super) const PATTERNS: &[Pattern] = &[
    Pattern {
        triggers: STORES,
        scope: Scope::Statement,
        form: concat!(r#"["'`](?:~|\$home|\$\{home\})?[\w./\\ *-]{0,60}?(?P<store>"#, stores!(), ")"),
        needs: &[],
        round: Round::First,
        only: Some(Kind::Other),
        judge: names_store,
    },
    Pattern {
        triggers: &[
            "urlopen(",
            ".post(",
            ".put(",
            "request(",
            "fetch(",
            "curl ",
            "invoke-",
            "irm ",
            "dig ",
            "nslookup ",
        ],
        scope: Scope::Statement,
        form: r#"(?:\b(?:urlopen|fetch|(?:requests|httpx|axios|session|client|http|net::http|got|restclient|faraday)\.(?:post|put))\s*\([^\n]{4,300}|\brequest\(\s*["'\w][^\n]{4,300}|\b(?:curl|invoke-restmethod|invoke-webrequest|irm)\s[^\n]{4,300}|\b(?P<dns>nslookup|dig|host)\s[^\n]{0,60}?\$\{?\w+\}?\.[\w.-]+\.[a-z]{2,})"#,
        needs: &[],
        round: Round::Second,
        only: Some(Kind::Other),
        judge: sends_what_it_reads,
    },
    Pattern {
        triggers: &[
            ".env",
            ".aws/",
            ".ssh",
            ".netrc",
            ".npmrc",
            ".kube/config",
            "solana",
            "wallet",
            "/cookies",
            "login data",
        ],
        scope: Scope::Statement,
        form: r"\b(?:for\s+(?P<name>\w+)\s+in|(?P<set>\w+)=)[^\n;]{0,160}?(?P<store>\.env\b|\.aws/credentials|\.ssh/(?:id_|\*)|\.netrc\b|\.npmrc\b|\.kube/config|\.config/solana|wallet\.dat|/cookies\b|login data)",
        needs: &[" in ", "="],
        round: Round::First,
        only: None,
        judge: sends_its_file,
    },
    Pattern {
        triggers: &[
            "auth token",
            "credential fill",
            "print-access-token",
            "print-identity-token",
            "get-access-token",
            "export-credentials",
            "auth:token",
            "config view --raw",
            "find-generic-password",
            "vault print token",
        ],
        scope: Scope::Statement,
        form: r"(?:\b(?P<printed>gh\s+auth\s+token|git\s+credential\s+fill|gcloud\s+auth\s+(?:application-default\s+)?print-(?:access|identity)-token|az\s+account\s+get-access-token|aws\s+configure\s+export-credentials|heroku\s+auth:token|kubectl\s+config\s+view\s+--raw|security\s+find-generic-password|vault\s+print\s+token)\b[^|\n]{0,120}\|(?:[^|\n]{0,80}\|)?\s*(?:curl|wget|nc|ncat)\s[^\n|]{0,300}|\b(?:curl|wget)\s[^\n|]{0,200}?(?:-d|--data\S*|-F|--form|--post-data)[\s=]\S{0,40}?\$\((?P<given>gh\s+auth\s+token|git\s+credential\s+fill|gcloud\s+auth\s+(?:application-default\s+)?print-(?:access|identity)-token|az\s+account\s+get-access-token|aws\s+configure\s+export-credentials|heroku\s+auth:token|kubectl\s+config\s+view\s+--raw|security\s+find-generic-password)[^\n|]{0,300})",
        needs: &["curl", "wget", "nc ", "ncat "],
        round: Round::First,
        only: None,
        judge: sends_printed,
    },
    Pattern {
        triggers: &["os.environ", "os.getenv", "process.env", "getenv(", "env["],
        scope: Scope::Statement,
        form: r#"(?:os\.environ(?:\.get)?\s*[\[(]\s*["']|getenv\(\s*["']|process\.env\.|process\.env\[\s*["']|\benv\[\s*["'])(?P<store>\w*(?:token|secret|passw|api_?key|access_?key|private_?key|credential)\w*)"#,
        needs: &["token", "secret", "passw", "key", "credential"],
        round: Round::First,
        only: Some(Kind::Other),
        judge: names_secret,
    },
    Pattern {
        triggers: &["curl ", "wget "],
        scope: Scope::Statement,
        form: r"\b(?:curl|wget)\s[^\n|]*",
        needs: &["$"],
        round: Round::First,
        only: Some(Kind::Other),
        judge: sends_secret,
    },
    Pattern {
        triggers: &["pbcopy", "set-clipboard", "xclip", "wl-copy", "pyperclip.copy", "clipboard.writetext"],
        scope: Scope::Statement,
        form: "",
        needs: &[],
        round: Round::First,
        only: Some(Kind::Other),
        judge: exchanges_addresses,
    },
];

/// A store that is named in code: nothing by itself, an error where the same file sends what it reads.
fn names_store(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let is_public = hit.group("public").is_some() || hit.group("public2").is_some();
    let line = hit.whole()[hit.view.source.line(hit.span.start)].to_lowercase();
    let only_asks =
        ["exists(", "is_file(", "chmod", "print(", "console.log", "help="].iter().any(|word| line.contains(word));
    if is_public || only_asks {
        return;
    }
    let store = shown(hit.group("store").unwrap_or_default());
    let message = format!("reads `{store}` and sends it away");
    let holders = holders(&hit.view.source, hit.span.start);
    ledger.names(hit, Tell::new(&RULE, Level::Error, message, HELP).firm(), holders);
}

/// A secret of the environment that code names: an error where the same file sends it to a place that collects.
fn names_secret(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let secret = hit.group("store").unwrap_or_default();
    if is_of_hook(secret) {
        return;
    }
    let message = format!("reads `{}` and sends it to a place that shows it to somebody", shown(secret));
    let mut holders = holders(&hit.view.source, hit.span.start);
    holders.push(secret.to_owned());
    ledger.names_for_collectors(hit, Tell::new(&RULE, Level::Error, message, HELP).firm(), holders);
}

/// A command that sends a secret of the environment to a place that collects, each written there or held by a variable.
fn sends_secret(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let source = &hit.view.source;
    let names = hit.text().split('$').skip(1).map(|rest| {
        let rest = rest.trim_start_matches(['{', '(']);
        words(rest).next().unwrap_or_default()
    });
    let is_secret = |name: &&str| {
        let is_held = || source.value(name).is_some_and(|value| value.split('$').skip(1).any(begins_as_secret));
        is_name_of_secret(name) || is_held()
    };
    let Some(secret) = names.take(NAMES_MAX).find(is_secret) else { return };
    if address(hit, hit.text()).is_some_and(|address| collects(&address)) {
        let message = format!("sends `{}` to a place that shows it to somebody", shown(secret));
        ledger.tell(hit, Tell::new(&RULE, Level::Error, message, HELP).firm());
    }
}

/// Whether what follows a `$` is the name of a secret.
fn begins_as_secret(rest: &str) -> bool {
    words(rest.trim_start_matches('{')).next().is_some_and(is_name_of_secret)
}

/// Whether a variable of the environment is a secret by its name.
fn is_name_of_secret(name: &str) -> bool {
    const SECRETS: [&str; 8] =
        ["TOKEN", "SECRET", "PASSW", "API_KEY", "APIKEY", "ACCESS_KEY", "PRIVATE_KEY", "CREDENTIAL"];
    SECRETS.iter().any(|secret| name.contains(secret)) && !is_of_hook(name)
}

/// Whether a secret is that of the place itself: without it nothing can be sent there.
fn is_of_hook(name: &str) -> bool {
    const HOOKS: [&str; 7] = ["HOOK", "TELEGRAM", "BOT", "DISCORD", "SLACK", "NGROK", "TUNNEL"];
    let name = name.to_ascii_uppercase();
    HOOKS.iter().any(|hook| name.contains(hook))
}

/// Whether what is sent to an address is shown to whoever opened it, under no name.
fn collects(address: &Address<'_>) -> bool {
    let is_hook = ["discord.com", "discordapp.com"].iter().any(|host| address.host.eq_ignore_ascii_case(host))
        && address.path.starts_with("/api/webhooks/");
    is_hook || matches!(address.sort(), Sort::Catcher | Sort::Paste | Sort::Drop)
}

/// The names in a program that hold what is named at a byte, or are made of it: over assignments, loops, arguments and what
/// functions return. Lines are all that is looked at; a name means the same everywhere.
fn holders(source: &Source<'_>, at: usize) -> Vec<String> {
    let text = source.text;
    let cut = |line: &str| line.floor_char_boundary(LONGEST_LINE);
    let lines: Vec<&str> = text.lines().take(MOST_LINES).map(|line| &line[..cut(line)]).collect();
    let functions: HashMap<&str, &str> = lines.iter().filter_map(|line| Some((defined(line)?, *line))).collect();
    source.spend(ROUNDS * lines.iter().map(|line| line.len()).sum::<usize>());

    let own = memchr::memchr_iter(b'\n', &text.as_bytes()[..at]).count();
    let begin =
        (own.saturating_sub(6)..=own).rev().find(|line| lines.get(*line).is_some_and(|line| !targets(line).is_empty()));
    let mut known: Vec<&str> = begin.and_then(|line| lines.get(line)).map_or_else(Vec::new, |line| targets(line));
    known.truncate(NAMES_MAX);
    for _ in 0..ROUNDS {
        let before = known.len();
        let mut function = "";
        for line in &lines {
            function = defined(line).unwrap_or(function);
            if !words(line).any(|word| known.contains(&word)) {
                continue;
            }
            let mut more = targets(line);
            if line.trim_start().starts_with("return") {
                more.push(function);
            }
            for called in called(line).filter_map(|name| functions.get(name)) {
                more.extend(words(called.split_once('(').map_or("", |(_, arguments)| arguments)));
            }
            for name in more {
                if known.len() < NAMES_MAX && !name.is_empty() && !known.contains(&name) {
                    known.push(name);
                }
            }
        }
        if known.len() == before {
            break;
        }
    }
    known.into_iter().map(str::to_owned).collect()
}

/// Most lines of a program in which it is followed where a secret goes.
const MOST_LINES: usize = 1500;

/// Most bytes of a line in which it is followed.
const LONGEST_LINE: usize = 512;

/// Most names in which it is followed.
const NAMES_MAX: usize = 64;

/// How often a program is gone through: a secret that is handed on more often than that is not followed.
const ROUNDS: usize = 4;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The function that a line begins.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("async ");
    words(line.strip_prefix("def ").or_else(|| line.strip_prefix("function "))?).next()
}

/// The functions that a line calls, unless it begins one.
fn called(line: &str) -> impl Iterator<Item = &str> {
    let line = if defined(line).is_some() { "" } else { line };
    line.match_indices('(').filter_map(|(open, _)| {
        let before = &line[..open];
        let name = before.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or(before);
        let is_method = before[..before.len() - name.len()].ends_with('.');
        (!is_method && !name.is_empty()).then_some(name)
    })
}

/// The names that a line gives something: `name = …`, `name[key] = …`, `for name in …`, `… as name:`.
fn targets(line: &str) -> Vec<&str> {
    let line = line.trim_start();
    if let Some((names, _)) = line.strip_prefix("for ").and_then(|rest| rest.split_once(" in ")) {
        return words(names).collect();
    }
    let assigned = line
        .split_once('=')
        .filter(|(_, right)| !right.starts_with('='))
        .map(|(left, _)| left.split('[').next().unwrap_or(left));
    let assigned = assigned.filter(|left| !left.contains(['(', '"', '\'', '<', '>', '!']));
    let name = assigned.and_then(|left| words(left).find(|word| !["const", "let", "var"].contains(word)));
    let called = line.rsplit_once(" as ").and_then(|(_, name)| words(name).next());
    name.into_iter().chain(called.filter(|_| line.starts_with("with "))).collect()
}

/// What reads a file as it is.
const READS: [&str; 12] = [
    ".read(",
    "read_text",
    "read_bytes",
    "readfile",
    "file_get_contents",
    "file.read",
    "cat ",
    "base64",
    "tar ",
    "zipfile",
    "get-content",
    "xxd ",
];

fn sends_what_it_reads(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let call = hit.text().to_lowercase();
    // A file of keys that the call is made with is not what it sends.
    if ["--netrc-file", "--cert", "--key "].iter().any(|option| call.contains(option)) {
        return;
    }
    let is_dns = hit.group("dns").is_some();
    let is_collected = written_address(hit).is_some_and(|address| collects(&address));
    if !is_dns {
        let has_body = ["data", "json", "body", "put", "read", " -d", " -f ", " -t ", "@", "content"];
        let second =
            call.split_once(',').filter(|_| call.starts_with("urlopen")).map_or("", |(_, second)| second.trim_start());
        let is_given = !second.is_empty() && !["timeout", "context"].iter().any(|option| second.starts_with(option));
        let is_sent = is_given
            || call.starts_with("request(")
            || call.contains("post")
            || has_body.iter().any(|word| call.contains(word));
        if !is_sent || !written_address(hit).is_some_and(|address| is_strangers(&address)) {
            return;
        }
    }
    let window = hit.view.source.span(hit.span.start, Scope::Around(8));
    let before = hit.whole()[window.start.min(hit.span.start)..hit.span.start].to_lowercase();
    let answers = ["urlopen", "requests.", "fetch("];
    let reads = |text: &str| READS.iter().any(|word| text.contains(word));
    let reads_before = before.lines().any(|line| reads(line) && !answers.iter().any(|word| line.contains(word)));
    // What is read of the answer stands behind the call.
    let (_, arguments) = call.split_once(',').unwrap_or_default();
    let arguments = arguments.rfind(").read").map_or(arguments, |end| &arguments[..end]);
    if reads_before || reads(arguments) {
        ledger.sends_what_it_reads(hit, is_collected);
    } else if is_collected {
        ledger.sends_what_it_holds(hit);
    }
}

/// The address of a call, written there or in the name that it is given.
fn written_address<'h>(hit: &Hit<'h>) -> Option<Address<'h>> {
    let text = hit.text();
    Address::find(text).or_else(|| {
        let name = text.split_once('(')?.1.split([',', ')']).next()?.trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name { Address::find(hit.view.source.value(name)?) } else { None }
    })
}

/// Whether a host is none of those that the secrets are for.
fn is_strangers(address: &Address<'_>) -> bool {
    const SERVICES: [&str; 17] = [
        "amazonaws.com",
        "googleapis.com",
        "google.com",
        "azure.com",
        "microsoft.com",
        "microsoftonline.com",
        "windows.net",
        "github.com",
        "gitlab.com",
        "npmjs.org",
        "pypi.org",
        "docker.com",
        "docker.io",
        "heroku.com",
        "run.app",
        "appspot.com",
        "githubusercontent.com",
    ];
    let host = address.host.to_lowercase();
    let is_service = is_of(&host, &SERVICES);
    !is_service && !host.contains(['$', '{', '<']) && !matches!(address.sort(), Sort::Nobody | Sort::Known)
}

/// A file of secrets in a variable that is sent some lines on.
fn sends_its_file(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let Some(name) = hit.group("name").or(hit.group("set")) else { return };
    let end = hit.whole().floor_char_boundary(hit.whole().len().min(hit.span.end + 2048));
    let sent = hit.whole()[hit.span.end..end].lines().find(|line| {
        let has_file = ["@", "@\"", "< ", "< \"", "-T ", "-T \""]
            .iter()
            .any(|mark| line.contains(&format!("{mark}${name}")) || line.contains(&format!("{mark}${{{name}}}")));
        has_file && ["curl ", "wget ", "nc ", "ncat "].iter().any(|word| line.contains(word))
    });
    let to = sent.and_then(|line| address(hit, line));
    if let Some(address) = to.filter(is_strangers) {
        let store = shown(hit.group("store").unwrap_or_default());
        let message = format!("sends `{store}` to `{}`", shown(address.host));
        ledger.tell(hit, Tell::new(&RULE, Level::Error, message, HELP).firm());
    }
}

/// A token that a program prints, for somebody that it is not for.
fn sends_printed(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let printed = hit.group("printed").or(hit.group("given")).unwrap_or_default();
    if let Some(address) = Address::find(hit.text()).filter(is_strangers) {
        let message = format!("sends what `{}` prints to `{}`", shown(printed), shown(address.host));
        ledger.tell(hit, Tell::new(&RULE, Level::Error, message, HELP));
    }
}

/// A loop that looks for addresses of wallets in the clipboard and puts others in their place.
fn exchanges_addresses(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    let does = hit.view.source.whole_does.get_or_init(|| exchanges(hit.whole()));
    if *does {
        let message = "watches the clipboard for addresses of wallets and puts others in their place";
        ledger
            .tell(hit, Tell::new(&RULE, Level::Error, message, "take it out: who pays would pay somebody else").firm());
    }
}

/// Whether a program does so. It is asked once for all of it, however often it speaks to the clipboard.
fn exchanges(text: &str) -> bool {
    let text = text.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let knows_wallets = has(&["bc1[", "bc1q[", "(bc1", "0x[0-9a-f", "0x[a-f0-9", "[13][a-km-z"]);
    let takes =
        has(&["pbpaste", "\"-o\"", "xclip -o", "wl-paste", "get-clipboard", "pyperclip.paste", "clipboard.readtext"]);
    let exchanges = has(&[".sub(", ".replace(", "-replace", "sed "]);
    let watches = has(&["while", "setinterval", "sleep"]);
    knows_wallets && takes && exchanges && watches
}
