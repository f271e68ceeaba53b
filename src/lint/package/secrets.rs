//! Keys and tokens that somebody is about to give to the whole world.
//!
//! Only forms that a provider gives to real ones count, never a mere `api_key = …`; and none that is plainly made up:
//! `sk-...`, `ghp_xxxx`, `AKIAIOSFODNN7EXAMPLE`, `YOUR_API_KEY`. What is told of one is its beginning, so that a log
//! does not leak it.

use std::sync::LazyLock;

use regex::bytes::{Regex, RegexSet};

use super::super::rules::contents::secret_file;
use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

/// What a secret looks like; where there is a group, that is the secret itself.
const FORMS: [(&str, &str); 27] = [
    (
        "a private key",
        r"-----BEGIN (?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----((?:\s|\\n|\\r|[A-Za-z0-9+/=:, \-]){100,})",
    ),
    ("a private key of age", r"\bAGE-SECRET-KEY-1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b"),
    ("an access key of AWS", r"\b(?:AKIA|ASIA)([A-Z2-7]{16})\b"),
    (
        "a secret key of AWS",
        r#"(?i)aws.{0,20}secret.{0,20}["']?\s{0,4}(?:[:=]|=>)\s{0,4}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    ("a token of GitHub", r"\bgh[pousr]_([A-Za-z0-9]{36,251})\b"),
    ("a token of GitHub", r"\bgithub_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b"),
    ("a token of GitLab", r"\bgl(?:pat|dt|rt|ptt|cbt|ft|soat|agent)-([A-Za-z0-9_\-]{20,})"),
    ("a token of Slack", r"\bxox[abeoprs]-((?:[0-9]+-)+[A-Za-z0-9]{10,})\b"),
    ("a token of Slack", r"\bxapp-[0-9]-([A-Z0-9]+-[0-9]+-[a-f0-9]{32,})\b"),
    ("a webhook of Slack", r"hooks\.slack\.com/services/(T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,})"),
    ("a token of npm", r"\bnpm_([A-Za-z0-9]{36})\b"),
    ("a token of npm", r"_authToken\s*=\s*([A-Za-z0-9_\-]{36,})"),
    ("a token of PyPI", r"\bpypi-(AgEIcHlwaS5vcmc[A-Za-z0-9_\-]{50,})"),
    ("a token of crates.io", r"\bcio([A-Za-z0-9]{32})\b"),
    ("a key of Anthropic", r"\bsk-ant-(?:api|admin|oat|ort|sid)[0-9]{2}-([A-Za-z0-9_\-]{80,})"),
    ("a key of OpenAI", r"\bsk-(?:proj|svcacct|admin|None)-([A-Za-z0-9_\-]{40,})"),
    ("a key of OpenAI", r"\bsk-([A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48})\b"),
    ("a key of OpenRouter", r"\bsk-or-v1-([a-f0-9]{64})\b"),
    ("a key of Google", r"\bAIza([A-Za-z0-9_\-]{35})(?:[^A-Za-z0-9_\-]|$)"),
    ("a secret of Google", r"\bGOCSPX-([A-Za-z0-9_\-]{28})(?:[^A-Za-z0-9_\-]|$)"),
    ("a key of Stripe", r"\b(?:sk|rk)_live_([A-Za-z0-9]{24,})\b"),
    ("a token of Hugging Face", r"\bhf_([A-Za-z0-9]{34,})\b"),
    ("a key of SendGrid", r"\bSG\.([A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43})(?:[^A-Za-z0-9_\-]|$)"),
    ("a token of DigitalOcean", r"\bdo[opr]_v1_([a-f0-9]{64})\b"),
    ("a token of a Telegram bot", r"\b[0-9]{8,10}:(AA[A-Za-z0-9_\-]{33})(?:[^A-Za-z0-9_\-]|$)"),
    ("a token of Databricks", r"\bdapi([a-f0-9]{32})\b"),
    ("a key of Groq", r"\bgsk_([A-Za-z0-9]{52})\b"),
];

/// Words that no real secret holds, in lower case.
const MADE_UP: [&str; 22] = [
    "example",
    "xxxx",
    "your",
    "placeholder",
    "dummy",
    "fake",
    "sample",
    "redacted",
    "changeme",
    "replace",
    "insert",
    "secret",
    "mytoken",
    "0000",
    "1234567",
    "abcdef",
    "aaaa",
    "deadbeef",
    "notreal",
    "invalid",
    "....",
    "****",
];

/// Fewest different characters in a secret of twenty or more.
const DISTINCT_MIN: usize = 9;

static SET: LazyLock<RegexSet> =
    LazyLock::new(|| RegexSet::new(FORMS.map(|(_, form)| ascii(form))).expect("the forms are constants, and tested"));

static EACH: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    FORMS.iter().map(|(_, form)| Regex::new(&ascii(form)).expect("the forms are constants, and tested")).collect()
});

/// Tokens are ASCII; to say so keeps the automata small.
fn ascii(form: &str) -> String {
    format!("(?-u){form}")
}

/// What is wrong with the files.
pub(super) fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, file) in tree.files() {
        let (path, bytes) = (path.as_str(), file.bytes.as_slice());
        if let Some(diagnostic) = secret_file::finding(path, bytes) {
            findings.push(Finding { path: path.to_owned(), diagnostic });
            continue;
        }
        findings.extend(contents(path, bytes));
    }
    findings
}

/// The first secret of each form in a file.
fn contents(path: &str, bytes: &[u8]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for form in SET.matches(bytes) {
        let found = EACH[form].captures_iter(bytes).find_map(|captures| {
            let whole = captures.get(0)?;
            let secret = captures.get(1).unwrap_or(whole);
            is_real(secret.as_bytes()).then(|| whole.range())
        });
        let Some(range) = found else { continue };
        let shown = shown(&bytes[range.clone()]);
        let message = format!("this looks like {}: `{shown}`", FORMS[form].0);
        let diagnostic = Diagnostic::new("secret-leak", Level::Error, message)
            .help("take it out of the file, and withdraw it where it was issued if anybody has seen it");
        let text = String::from_utf8_lossy(bytes);
        // Positions are told only in text, where bytes and their lossy form agree.
        let diagnostic = if text.len() == bytes.len() { diagnostic.at(range, &text) } else { diagnostic };
        findings.push(Finding { path: path.to_owned(), diagnostic });
    }
    findings
}

/// Its beginning: enough to find it, too little to use it.
fn shown(secret: &[u8]) -> String {
    let line = secret.split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    if text.starts_with("-----BEGIN") {
        return text.chars().take(40).collect::<String>().split("-----").nth(1).unwrap_or_default().to_owned() + " …";
    }
    text.chars().take(8).collect::<String>() + "…"
}

/// Whether it is not plainly made up.
fn is_real(secret: &[u8]) -> bool {
    let lower = secret.to_ascii_lowercase();
    let body: Vec<u8> = lower.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if MADE_UP.iter().any(|word| memchr::memmem::find(&body, word.as_bytes()).is_some()) {
        // In a key of hundreds of characters such a word can come about.
        return body.len() > 400;
    }
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    distinct >= DISTINCT_MIN.min(body.len() / 2) && body.iter().any(u8::is_ascii_alphanumeric) && !is_a_word(secret)
}

/// Whether it is made of words: letters of one case and separators, as in `sk-proj-put-the-key-of-your-project-here`.
fn is_a_word(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = secret.iter().any(u8::is_ascii_uppercase);
    let lower = secret.iter().any(u8::is_ascii_lowercase);
    digits == 0 && !(upper && lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A rule, its message, and the line and column.
    type Told = (String, String, Option<(usize, usize)>);

    fn found(path: &str, text: &str) -> Vec<Told> {
        let mut tree = Tree::builder();
        tree.add(path, text.as_bytes().to_vec(), false).unwrap();
        let findings = check(&tree.finish()).into_iter();
        findings.map(|found| (found.diagnostic.rule, found.diagnostic.message, found.diagnostic.position)).collect()
    }

    /// Made from parts, so that no scanner takes this file for a leak.
    fn token(start: &str, length: usize) -> String {
        let alphabet = b"Zk3Vq9TbW7mXr2HsY8dLc5NfJ4gPw6Ta1RuKeQi";
        start.to_owned() + &(0..length).map(|at| char::from(alphabet[at * 7 % alphabet.len()])).collect::<String>()
    }

    #[test]
    fn each_form_of_a_real_one_is_found_and_not_told_in_full() {
        let hex = |start: &str, length: usize| start.to_owned() + &"9f3a1c7e5b2d8046".repeat(8)[..length];
        let cases = [
            format!("-----BEGIN OPENSSH {} KEY-----\n{}\n", "PRIVATE", token("", 70) + "\n" + &token("b3B", 70)),
            format!("\"-----BEGIN {} KEY-----\\n{}", "PRIVATE", token("MIIE", 200)),
            format!("AKIA{}", "Q3EGR5TZ7UBD2KXN"),
            format!("aws_secret_access_key = {}", token("", 40)),
            token("ghp_", 36),
            token("github_pat_", 22) + "_" + &token("", 59),
            token("glpat-", 20),
            format!("xoxb-2087654321-{}", token("", 24)),
            format!("https://hooks.slack.com/services/T0{}/B0{}/{}", "7K2M9QX4", "8R3N5WZ6", token("", 24)),
            token("npm_", 36),
            token("pypi-AgEIcHlwaS5vcmc", 60),
            token("cio", 32),
            token("sk-ant-api03-", 95),
            token("sk-proj-", 60),
            token("sk-", 48),
            hex("sk-or-v1-", 64),
            token("AIza", 35),
            token("GOCSPX-", 28),
            token("sk_live_", 24),
            token("hf_", 34),
            token("SG.", 22) + "." + &token("", 43),
            hex("dop_v1_", 64),
            format!("2076543219:AA{}", token("", 33)),
            hex("dapi", 32),
            token("gsk_", 52),
        ];
        for case in cases {
            let told = found("scripts/run.sh", &format!("#!/bin/sh\nexport KEY='{case}'\n"));
            assert_eq!(told.len(), 1, "{case}: {told:?}");
            let (rule, message, position) = &told[0];
            assert_eq!((rule.as_str(), position.unwrap().0), ("secret-leak", 2));
            assert!(message.len() < 80 && !message.contains(&case), "{message}");
        }
    }

    #[test]
    fn what_is_plainly_made_up_is_left_alone() {
        for text in [
            "sk-...",
            "sk-proj-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "ghp_ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghij",
            "ghp_1234567890abcdefghijklmnopqrstuvwxyz",
            "AKIAIOSFODNN7EXAMPLE",
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
            "OPENAI_API_KEY=YOUR_API_KEY",
            "AIzaSyXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX",
            "sk-ant-api03-your-key-here",
            "sk-proj-put-the-key-of-the-project-here-and-nowhere-else-please",
            "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
            "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
            "xoxb-your-token",
            "glpat-${TOKEN}",
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA\n-----END PUBLIC KEY-----",
        ] {
            assert_eq!(found("SKILL.md", text), [], "{text}");
        }
    }
}
