//! SK714: secrets that meet a call to somebody else's host in one file or one pipe; and addresses of wallets that are
//! exchanged in the clipboard.

use super::credentials::{RULE, STORES, stores};
use super::hosts::{Address, Sort, is_of};
use super::remote_code::value;
use super::scan::{Hit, Ledger, Pattern, Round, Tell};
use super::show::shown;
use super::text::{Kind, Scope};
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
        form: r#"(?:\b(?:urlopen|fetch|(?:requests|httpx|axios|session|client|http|net::http|got|restclient|faraday)\.(?:post|put))\s*\([^\n]{4,300}|\brequest\(\s*["'][^\n]{4,300}|\b(?:curl|invoke-restmethod|invoke-webrequest|irm)\s[^\n]{4,300}|\b(?P<dns>nslookup|dig|host)\s[^\n]{0,60}?\$\{?\w+\}?\.[\w.-]+\.[a-z]{2,})"#,
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
    let holders = holders(hit.whole(), hit.span.start);
    ledger.names(hit, Tell::new(&RULE, Level::Error, message, HELP).firm(), holders);
}

/// The names in a program that hold what is named at a byte, or are made of it: over assignments, loops, arguments and what
/// functions return. Lines are all that is looked at; a name means the same everywhere.
fn holders(text: &str, at: usize) -> Vec<String> {
    let lines: Vec<&str> = text.lines().take(MOST_LINES).collect();
    let own = text[..at].matches('\n').count();
    let begin =
        (own.saturating_sub(6)..=own).rev().find(|line| lines.get(*line).is_some_and(|line| !targets(line).is_empty()));
    let mut known: Vec<&str> = begin.and_then(|line| lines.get(line)).map_or_else(Vec::new, |line| targets(line));
    for _ in 0..4 {
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
            for called in lines.iter().filter(|other| defined(other).is_some_and(|name| calls(line, name))) {
                more.extend(words(called.split_once('(').map_or("", |(_, arguments)| arguments)));
            }
            more.retain(|name| !name.is_empty() && !known.contains(name));
            known.extend(more);
        }
        if known.len() == before {
            break;
        }
    }
    known.into_iter().map(str::to_owned).collect()
}

/// Most lines of a program in which it is followed where a secret goes.
const MOST_LINES: usize = 1500;

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The function that a line begins.
fn defined(line: &str) -> Option<&str> {
    let line = line.trim_start().trim_start_matches("async ");
    words(line.strip_prefix("def ").or_else(|| line.strip_prefix("function "))?).next()
}

/// Whether a line calls a function that it does not begin.
fn calls(line: &str, name: &str) -> bool {
    defined(line).is_none()
        && line.match_indices(name).any(|(at, _)| {
            let starts = !line[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == '.');
            starts && line[at + name.len()..].starts_with('(')
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
        ledger.sends_what_it_reads(hit);
    }
}

/// The address of a call, written there or in the name that it is given.
fn written_address<'h>(hit: &Hit<'h>) -> Option<Address<'h>> {
    let text = hit.text();
    Address::find(text).or_else(|| {
        let name = text.split_once('(')?.1.split([',', ')']).next()?.trim();
        let is_name = !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name { Address::find(value(hit.whole(), name)?) } else { None }
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
    if let Some(address) = sent.and_then(Address::find).filter(is_strangers) {
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
    let text = hit.whole().to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| text.contains(word));
    let knows_wallets = has(&["bc1[", "bc1q[", "(bc1", "0x[0-9a-f", "0x[a-f0-9", "[13][a-km-z"]);
    let takes =
        has(&["pbpaste", "\"-o\"", "xclip -o", "wl-paste", "get-clipboard", "pyperclip.paste", "clipboard.readtext"]);
    let exchanges = has(&[".sub(", ".replace(", "-replace", "sed "]);
    let watches = has(&["while", "setinterval", "sleep"]);
    if knows_wallets && takes && exchanges && watches {
        let message = "watches the clipboard for addresses of wallets and puts others in their place";
        ledger
            .tell(hit, Tell::new(&RULE, Level::Error, message, "take it out: who pays would pay somebody else").firm());
    }
}
