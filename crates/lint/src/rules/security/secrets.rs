//! SK715: API keys, tokens and private keys that are about to be published.
//!
//! Only formats that a provider issues count, never a mere `api_key = …`; and no placeholders:
//! `sk-...`, `ghp_xxxx`, `AKIAIOSFODNN7EXAMPLE`, `YOUR_API_KEY`. Only the beginning of a secret is
//! shown, so that a log does not leak it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use super::scan::{ScanPass, SecurityPattern};
use super::sink::FindingSink;
use super::text::WindowScope;
use super::view::PatternMatch;
use super::{body, rule};
use crate::rules::contents::secret_file;
use crate::{Rule, RuleDocs};
use skillpm_core::package::Tree;
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FileFinding};

pub(super) static RULE: Rule = rule(
    "SK715",
    "secret-leak",
    DiagnosticLevel::Error,
    "the file contains a secret: an API key, a token or a private key",
    RuleDocs {
        finds: "Keys and tokens in the formats that providers issue: private keys, AWS, GitHub, \
               GitLab, Slack, npm, PyPI, OpenAI, Anthropic, Google, Stripe and some thirty more. \
               Placeholders (`sk-...`, `ghp_xxxx`, `AKIAIOSFODNN7EXAMPLE`, `YOUR_API_KEY`, \
               `AIzaSyA1B2C3…`) and a mere `api_key = …` are not reported. Only the beginning of \
               a secret is ever shown.",
        hurts: "A published skill is copied within hours, and bots scan for these formats all \
               day. Anyone who has the key can use it.",
        ignore: "Keys that were revoked long ago and published on purpose. Better write an \
                obvious placeholder.",
        bad: &[
            body!(concat!(
                "```sh\nexport GITHUB_TOKEN=gh",
                "p_Zk3Vq9TbW7mXr2HsY8dLc5NfJ4gPw6Ta1RuK\n```\n"
            )),
            body!(concat!(
                "```sh\nexport MAPS_KEY=AI",
                "zaSyDk3Vq9TbW7mXr2HsY8dLc5NfJ4gPw6Ta1\n```\n"
            )),
        ],
        good: &[
            body!(
                "```sh\nexport GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nexport OPENAI_API_KEY=sk-...\n```\n"
            ),
            body!("```sh\nexport MAPS_KEY=AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q\n```\n"),
        ],
    },
);

/// A format of secrets: a row of `secrets.toml`.
struct SecretFormat {
    /// Its name, for the message.
    description: &'static str,
    /// Words, one of which each such secret has before or in it, in lower case.
    triggers: &'static [&'static str],
    /// Its regex; a group, if there is one, is the secret itself.
    regex: &'static str,
    /// What the table says that it matches.
    #[cfg(test)]
    examples: super::scan::PatternExamples,
}

include!(concat!(env!("OUT_DIR"), "/security/secrets.rs"));

/// Words that no real secret contains, in lower case.
const PLACEHOLDER_WORDS: [&str; 22] = [
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

/// Fewest distinct characters in a secret of twenty or more.
const DISTINCT_MIN: usize = 9;

/// The regex of each format, compiled when first needed. Tokens are ASCII, which keeps the automata
/// small.
static FORMAT_REGEXES: LazyLock<Vec<OnceLock<Regex>>> =
    LazyLock::new(|| SECRET_FORMATS.iter().map(|_| OnceLock::new()).collect());

fn format_regex(format: usize) -> &'static Regex {
    FORMAT_REGEXES[format].get_or_init(|| {
        Regex::new(&format!("(?-u){}", SECRET_FORMATS[format].regex))
            .expect("the formats are constants, and tested")
    })
}

/// The formats of each trigger.
static BY_TRIGGER: LazyLock<BTreeMap<&'static str, Vec<usize>>> =
    LazyLock::new(index_formats_by_trigger);

fn index_formats_by_trigger() -> BTreeMap<&'static str, Vec<usize>> {
    let mut formats: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, format) in SECRET_FORMATS.iter().enumerate() {
        for trigger in format.triggers {
            formats.entry(trigger).or_default().push(at);
        }
    }
    formats
}

/// Fewest bytes of a private key.
const KEY_MIN: usize = 100;

/// Longest distance from a trigger to the end of its secret, in bytes; a private key is longer.
const SECRET_MAX: usize = 512;

/// Returns the longest distance from this trigger to the end of its secret, in bytes.
fn max_length(trigger: &[u8]) -> usize {
    if is_private_key(trigger) {
        8 * SECRET_MAX
    } else {
        SECRET_MAX
    }
}

/// The pattern for the scanner of all rules.
pub(super) const PATTERNS: &[SecurityPattern] = &[SecurityPattern {
    rule: RULE.code,
    triggers: TRIGGERS,
    scope: WindowScope::Statement,
    regex: None,
    required_words: &[],
    pass: ScanPass::First,
    only_in: None,
    is_prose: false,
    report: report_secrets,
    // The formats have the examples: a trigger alone is no secret.
    #[cfg(test)]
    examples: super::scan::PatternExamples {
        table: "secrets.toml",
        id: "secret-trigger",
        matches: &["npm_"],
        misses: &["npm"],
    },
}];

fn report_secrets(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    // Positions in deobfuscated text are not those of the file, and an accidental leak is not
    // obfuscated.
    if !hit.view.is_plain() {
        return;
    }

    // Only where the regexes run is there something to pay for.
    if has_token(hit.full_text().as_bytes(), &hit.span) {
        hit.view.source.spend(max_length(hit.text().as_bytes()));
    }

    for (format, range) in secrets_at(hit.full_text().as_bytes(), hit.span.clone()) {
        let secret = &hit.full_text().as_bytes()[range.clone()];
        let make = || secret_finding(format, secret).at(range, hit.full_text());
        sink.report_as_is(&RULE, DiagnosticLevel::Error, hit.view.source.path, make);
    }
}

/// Whether the text after a trigger is long enough for a secret, if the trigger requires it.
fn has_token(bytes: &[u8], trigger: &Range<usize>) -> bool {
    let word = bytes[trigger.clone()].to_ascii_lowercase();
    // After these, other text may come before the secret.
    let is_name = [&b"private key"[..], b"secret", b"aws", b"_auth"]
        .iter()
        .any(|name| word.starts_with(name));
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./+=:".contains(byte);

    is_name
        || bytes[trigger.end..]
            .iter()
            .take(16)
            .take_while(|byte| is_token(byte))
            .count()
            == 16
}

/// Finds the real secrets at a trigger, as indices of formats with their spans.
fn secrets_at(bytes: &[u8], trigger: Range<usize>) -> Vec<(usize, Range<usize>)> {
    if !has_token(bytes, &trigger) {
        return Vec::new();
    }

    let word = bytes[trigger.clone()].to_ascii_lowercase();
    let formats = std::str::from_utf8(&word)
        .ok()
        .and_then(|word| BY_TRIGGER.get(word));
    let window = secret_window(bytes, &trigger, &word);
    formats
        .into_iter()
        .flatten()
        .filter_map(|format| Some((*format, find_secret(bytes, *format, &trigger, &window)?)))
        .collect()
}

/// Returns the text around a trigger in which its secret must be.
fn secret_window(bytes: &[u8], trigger: &Range<usize>, word: &[u8]) -> Range<usize> {
    let is_key = is_private_key(word);
    let start = trigger.start.saturating_sub(if is_key { 40 } else { 64 });
    let end = bytes.len().min(trigger.end + max_length(word));
    if is_key {
        start..end_of_key(&bytes[..end], trigger.end)
    } else {
        start..end
    }
}

fn is_private_key(word: &[u8]) -> bool {
    word.eq_ignore_ascii_case(b"private key")
}

/// Finds the first real secret of a format that a trigger is part of.
fn find_secret(
    bytes: &[u8],
    format: usize,
    trigger: &Range<usize>,
    window: &Range<usize>,
) -> Option<Range<usize>> {
    let is_key = is_private_key(&bytes[trigger.clone()]);
    let start = window.start;
    for captures in format_regex(format).captures_iter(&bytes[window.clone()]) {
        let whole = captures.get(0)?;
        let range = start + whole.start()..start + whole.end();
        // A secret that begins after the trigger has a trigger of its own.
        if range.start >= trigger.end {
            break;
        }

        let secret = captures.get(1).unwrap_or(whole);
        // A short block is the example of a manual.
        let is_long = !is_key || secret.len() >= KEY_MIN;
        if is_long && is_real(secret.as_bytes()) && trigger.start < range.end {
            return Some(range);
        }
    }

    None
}

/// Returns the end of a private key whose first line continues at `from`: after its last line,
/// which has the third row of dashes.
///
/// Without it, a text of nothing but first lines was read for four kilobytes after each of them:
/// two megabytes took ten seconds.
fn end_of_key(bytes: &[u8], from: usize) -> usize {
    let behind_dashes =
        |from: usize| memchr::memmem::find(&bytes[from..], b"-----").map(|at| from + at + 5);
    let end = behind_dashes(from)
        .and_then(behind_dashes)
        .and_then(behind_dashes);
    end.unwrap_or(bytes.len())
}

fn secret_finding(format: usize, secret: &[u8]) -> Diagnostic {
    let message = format!(
        "possible secret leak: {} `{}`",
        SECRET_FORMATS[format].description,
        redact_secret(secret)
    );
    RULE.finding(message)
        .help("remove it from the file, and revoke it at its provider if it was ever shared")
}

/// Finds the secrets in the files of a package, and the files that contain little else.
pub(crate) fn check(tree: &Tree) -> Vec<FileFinding> {
    let mut findings = Vec::new();
    for (path, file) in tree.files() {
        let (path, bytes) = (path.as_str(), file.bytes.as_slice());
        if let Some(diagnostic) = secret_file::finding(path, bytes) {
            findings.push(FileFinding {
                path: path.to_owned(),
                diagnostic,
            });
            continue;
        }
        findings.extend(scan_contents(path, bytes));
    }
    findings
}

/// Finds the first secret of each format in a file.
fn scan_contents(path: &str, bytes: &[u8]) -> Vec<FileFinding> {
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let words = BY_TRIGGER.keys();
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(words)
            .expect("the words are constants, and tested")
    });

    let mut firsts: BTreeMap<usize, Range<usize>> = BTreeMap::new();
    for word in WORDS.find_overlapping_iter(bytes) {
        for (format, range) in secrets_at(bytes, word.range()) {
            // The first of each format is enough: the file must not be published either way.
            firsts.entry(format).or_insert(range);
        }
    }

    // A binary file may have a key, too; its position says nothing to a person.
    let text = String::from_utf8_lossy(bytes);
    let mut findings = Vec::new();
    for (format, range) in firsts {
        let mut diagnostic = secret_finding(format, &bytes[range.clone()]);
        // Positions are reported only in text, where bytes and their lossy form agree.
        if text.len() == bytes.len() {
            diagnostic = diagnostic.at(range, &text);
        }
        findings.push(FileFinding {
            path: path.to_owned(),
            diagnostic,
        });
    }

    findings
}

/// Returns the beginning of a secret: enough to find it, too little to use it.
fn redact_secret(secret: &[u8]) -> String {
    let line = secret
        .split(|byte| matches!(byte, b'\n' | b'\r'))
        .next()
        .unwrap_or_default();
    let text = String::from_utf8_lossy(line);
    // Of a private key only its kind is shown.
    if text.starts_with("-----BEGIN") {
        return text
            .chars()
            .take(40)
            .collect::<String>()
            .split("-----")
            .nth(1)
            .unwrap_or_default()
            .to_owned()
            + " …";
    }

    text.chars().take(8).collect::<String>() + "…"
}

/// Whether a secret is not an obvious placeholder.
fn is_real(secret: &[u8]) -> bool {
    let lower = secret.to_ascii_lowercase();
    let body: Vec<u8> = lower
        .iter()
        .copied()
        .filter(|byte| !byte.is_ascii_whitespace())
        .collect();

    // Providers issue random letters, and people write words.
    if PLACEHOLDER_WORDS
        .iter()
        .any(|word| memchr::memmem::find(&body, word.as_bytes()).is_some())
    {
        // A key of hundreds of characters can contain such a word by chance.
        return body.len() > 400;
    }

    // Made-up keys count up, in letters, digits or both in turn.
    if is_sequential(&body) {
        return false;
    }

    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();

    // A random secret of twenty characters hardly repeats so few.
    distinct >= DISTINCT_MIN.min(body.len() / 2)
        && body.iter().any(u8::is_ascii_alphanumeric)
        && !is_made_of_words(secret)
}

/// Longest run of consecutive characters in a real secret.
const SEQUENCE_MAX: usize = 4;

/// Whether a secret counts up or down: `abcdefg`, `A1B2C3D4`, `1a2b3c4d`.
fn is_sequential(secret: &[u8]) -> bool {
    // Account numbers may contain consecutive digits, too, so those count only in steps of two.
    let follows = |step: usize, before: u8, after: u8| {
        follows_in_sequence(before, after) && (step > 1 || before.is_ascii_alphabetic())
    };

    [1, 2].into_iter().any(|step| {
        let up = longest_run(secret, step, |one, other| follows(step, one, other));
        let down = longest_run(secret, step, |one, other| follows(step, other, one));
        up.max(down) > SEQUENCE_MAX
    })
}

/// Whether a letter or digit is the one after another; `0` follows `9`.
fn follows_in_sequence(before: u8, after: u8) -> bool {
    let is_same_sort = before.is_ascii_digit() == after.is_ascii_digit();
    before.is_ascii_alphanumeric()
        && is_same_sort
        && (before + 1 == after || (before, after) == (b'9', b'0'))
}

/// Returns how often in a row a character and the one `step` further are such a pair, at most.
fn longest_run(secret: &[u8], step: usize, is_pair: impl Fn(u8, u8) -> bool) -> usize {
    let (mut run, mut longest) = (0, 0);
    // A run is counted in steps, so it is one shorter than the characters it spans.
    for (one, other) in secret.iter().zip(secret.iter().skip(step)) {
        run = if is_pair(*one, *other) { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// Whether a secret consists of words: letters of one case and separators, as in
/// `sk-proj-put-the-key-of-your-project-here`.
fn is_made_of_words(secret: &[u8]) -> bool {
    let digits = secret.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = secret.iter().any(u8::is_ascii_uppercase);
    let lower = secret.iter().any(u8::is_ascii_lowercase);
    // Random tokens without a digit and in one case are practically not issued.
    digits == 0 && !(upper && lower)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_key_ends_after_its_last_line() {
        let key = b"-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\nmore";
        assert_eq!(&key[end_of_key(key, 22)..], b"\nmore");
        let first_lines = b"PRIVATE KEY----------BEGIN PRIVATE KEY----------BEGIN PRIVATE KEY-----";
        assert_eq!(
            &first_lines[..end_of_key(first_lines, 11)],
            b"PRIVATE KEY----------BEGIN PRIVATE KEY-----"
        );
        assert_eq!(end_of_key(b"PRIVATE KEY-----\nMC4CAQ\n", 11), 24);
    }

    /// A rule, its message, and the line and column.
    type ReportedSecret = (String, String, Option<(usize, usize)>);

    fn found(path: &str, text: &str) -> Vec<ReportedSecret> {
        let mut tree = Tree::builder();
        tree.add(path, text.as_bytes().to_vec(), false).unwrap();
        let findings = check(&tree.finish()).into_iter();
        findings
            .map(|found| {
                (
                    found.diagnostic.rule,
                    found.diagnostic.message,
                    found.diagnostic.position,
                )
            })
            .collect()
    }

    /// Built from parts, so that no scanner reports this file as a leak.
    fn token(start: &str, length: usize) -> String {
        let alphabet = b"Zk3Vq9TbW7mXr2HsY8dLc5NfJ4gPw6Ta1RuKeQi";
        start.to_owned()
            + &(0..length)
                .map(|at| char::from(alphabet[at * 7 % alphabet.len()]))
                .collect::<String>()
    }

    #[test]
    fn each_secret_format_is_found_and_redacted() {
        let hex =
            |start: &str, length: usize| start.to_owned() + &"9f3a1c7e5b2d8046".repeat(8)[..length];
        let cases = [
            format!(
                "-----BEGIN OPENSSH {} KEY-----\n{}\n",
                "PRIVATE",
                token("", 70) + "\n" + &token("b3B", 70)
            ),
            format!(
                "\"-----BEGIN {} KEY-----\\n{}",
                "PRIVATE",
                token("MIIE", 200)
            ),
            format!("AKIA{}", "Q3EGR5TZ7UBD2KXN"),
            format!("aws_secret_access_key = {}", token("", 40)),
            token("ghp_", 36),
            token("github_pat_", 22) + "_" + &token("", 59),
            token("glpat-", 20),
            format!("xoxb-2087654321-{}", token("", 24)),
            format!(
                "https://hooks.slack.com/services/T0{}/B0{}/{}",
                "7K2M9QX4",
                "8R3N5WZ6",
                token("", 24)
            ),
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
            let reported = found(
                "scripts/run.sh",
                &format!("#!/bin/sh\nexport KEY='{case}'\n"),
            );
            assert_eq!(reported.len(), 1, "{case}: {reported:?}");
            let (rule, message, position) = &reported[0];
            assert_eq!((rule.as_str(), position.unwrap().0), ("secret-leak", 2));
            assert!(message.len() < 80 && !message.contains(&case), "{message}");
        }
    }

    #[test]
    fn triggers_are_those_of_the_formats() {
        assert_eq!(TRIGGERS, BY_TRIGGER.keys().copied().collect::<Vec<_>>());
        assert!((0..SECRET_FORMATS.len()).all(|format| format_regex(format).captures_len() <= 2));
    }

    /// Replaces `{{letters:36}}` and the like by that many characters.
    fn with_random_parts(example: &str) -> String {
        let (mut text, mut rest) = (String::new(), example);
        while let Some((before, after)) = rest.split_once("{{") {
            let (part, after) = after.split_once("}}").unwrap();
            text.push_str(before);
            text.push_str(&random_part(part));
            rest = after;
        }
        text + rest
    }

    fn random_part(part: &str) -> String {
        let (kind, count) = part.split_once(':').unwrap_or((part, "1"));
        let count = count.parse().unwrap();
        match kind {
            "private" => "PRIVATE".into(),
            "letters" => token("", count),
            "hex" => "9f3a1c7e5b2d8046".repeat(count)[..count].into(),
            "capitals" => "Q3EGR5TZ7UFD2KXN".repeat(count)[..count].into(),
            _ => panic!("unknown part {kind:?}"),
        }
    }

    #[test]
    fn formats_match_their_examples_and_no_counterexamples() {
        for (at, format) in SECRET_FORMATS.iter().enumerate() {
            let (id, regex) = (format.examples.id, format_regex(at));
            let (matches, misses) = (format.examples.matches, format.examples.misses);
            assert!(!matches.is_empty() && !misses.is_empty(), "{id}");
            for example in matches {
                let text = with_random_parts(example);
                let lower = text.to_ascii_lowercase();
                assert!(
                    format.triggers.iter().any(|word| lower.contains(word)),
                    "{id}"
                );
                assert!(regex.is_match(text.as_bytes()), "{id}: {text}");
            }
            for example in misses {
                let text = with_random_parts(example);
                assert!(!regex.is_match(text.as_bytes()), "{id}: {text}");
            }
        }
    }

    #[test]
    fn placeholders_are_not_reported() {
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
            "AIzaSyA1B2C3D4E5F6G7H8I9J0K1L2M3N4O5P6Q",
            "AIzaSyZ9Y8X7W6V5U4T3S2R1Q0P9O8N7M6L5K4J",
            "ghp_1a2b3c4d5e6f7g8h9i0j1k2l3m4n5o6p7q8r",
            "hf_AbCdEfGhIjKlMnOpQrStUvWxYzAbCdEfGh",
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
