//! Keys and tokens that somebody is about to give to the whole world.
//!
//! Only forms that a provider gives to real ones count, never a mere `api_key = …`; and none that is plainly made up:
//! `sk-...`, `ghp_xxxx`, `AKIAIOSFODNN7EXAMPLE`, `YOUR_API_KEY`. What is told of one is its beginning, so that a log
//! does not leak it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use super::scan::{Hit, Ledger, Pattern, Round};
use super::text::Scope;
use super::{body, rule};
use crate::lint::rules::contents::secret_file;
use crate::lint::{Docs, Rule};
use crate::package::Tree;
use crate::report::{Diagnostic, Finding, Level};

pub(super) static RULE: Rule = rule(
    "SK715",
    "secret-leak",
    Level::Error,
    "a key or token stands in the file",
    Docs {
        finds: "Keys and tokens in the forms that providers give to real ones: private keys, AWS, GitHub, GitLab, Slack, npm, PyPI, OpenAI, \
                Anthropic, Google, Stripe and some thirty more. Not reported is what is plainly made up (`sk-...`, `ghp_xxxx`, \
                `AKIAIOSFODNN7EXAMPLE`, `YOUR_API_KEY`), and a mere `api_key = …`. Only its beginning is ever shown.",
        hurts: "A published skill is copied within hours, and scanners look for these forms all day. Whoever has the key is its owner.",
        ignore: "Keys that were withdrawn long ago and made public on purpose. Better write one that is plainly made up.",
        bad: &[body!(concat!("```sh\nexport GITHUB_TOKEN=gh", "p_Zk3Vq9TbW7mXr2HsY8dLc5NfJ4gPw6Ta1RuK\n```\n"))],
        good: &[body!(
            "```sh\nexport GITHUB_TOKEN=ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\nexport OPENAI_API_KEY=sk-...\n```\n"
        )],
    },
);

/// A form of secrets.
struct Form {
    /// What it is.
    what: &'static str,
    /// What one of them always has, in lower case.
    triggers: &'static [&'static str],
    /// What it looks like; where there is a group, that is the secret itself.
    shape: &'static str,
}

const fn form(what: &'static str, triggers: &'static [&'static str], shape: &'static str) -> Form {
    Form { what, triggers, shape }
}

const FORMS: &[Form] = &[
    form(
        "a private key",
        &["private key"],
        r"-----BEGIN (?:[A-Z0-9]+ ){0,2}PRIVATE KEY(?: BLOCK)?-----((?:\s|\\n|\\r|[A-Za-z0-9+/=:, \-])+)",
    ),
    form(
        "a private key of age",
        &["age-secret-key-1"],
        r"\bAGE-SECRET-KEY-1([QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58})\b",
    ),
    form("an access key of AWS", &["akia", "asia"], r"\b(?:AKIA|ASIA)([A-Z2-7]{16})\b"),
    form(
        "a secret key of AWS",
        &["secret_access_key", "secretaccesskey", "aws_secret", "secret access key", "secret-access-key", "awssecret"],
        r#"(?i)aws.{0,20}secret.{0,20}["']?\s{0,4}(?:[:=]|=>)\s{0,4}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|$)"#,
    ),
    form("a token of GitHub", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], r"\bgh[pousr]_([A-Za-z0-9]{36,251})\b"),
    form("a token of GitHub", &["github_pat_"], r"\bgithub_pat_([A-Za-z0-9]{22}_[A-Za-z0-9]{59})\b"),
    form(
        "a token of GitLab",
        &["glpat-", "gldt-", "glrt-", "glptt-", "glcbt-", "glft-", "glsoat-", "glagent-"],
        r"\bgl(?:pat|dt|rt|ptt|cbt|ft|soat|agent)-([A-Za-z0-9_\-]{20,})",
    ),
    form(
        "a token of Slack",
        &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"],
        r"\bxox[abeoprs]-((?:[0-9]+-)+[A-Za-z0-9]{10,})\b",
    ),
    form("a token of Slack", &["xapp-"], r"\bxapp-[0-9]-([A-Z0-9]+-[0-9]+-[a-f0-9]{32,})\b"),
    form(
        "a webhook of Slack",
        &["hooks.slack.com/services/"],
        r"hooks\.slack\.com/services/(T[A-Z0-9]{8,}/B[A-Z0-9]{8,}/[A-Za-z0-9]{20,})",
    ),
    form("a token of npm", &["npm_"], r"\bnpm_([A-Za-z0-9]{36})\b"),
    form("a token of npm", &["_authtoken"], r"_authToken\s*=\s*([A-Za-z0-9_\-]{36,})"),
    form("a token of PyPI", &["pypi-ageichlwas5vcmc"], r"\bpypi-(AgEIcHlwaS5vcmc[A-Za-z0-9_\-]{50,})"),
    form("a token of crates.io", &["cio"], r"\bcio([A-Za-z0-9]{32})\b"),
    form("a key of Anthropic", &["sk-ant-"], r"\bsk-ant-(?:api|admin|oat|ort|sid)[0-9]{2}-([A-Za-z0-9_\-]{80,})"),
    form(
        "a key of OpenAI",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-none-"],
        r"\bsk-(?:proj|svcacct|admin|None)-([A-Za-z0-9_\-]{40,})",
    ),
    form("a key of OpenAI", &["sk-"], r"\bsk-([A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}|[A-Za-z0-9]{48})\b"),
    form("a key of OpenRouter", &["sk-or-v1-"], r"\bsk-or-v1-([a-f0-9]{64})\b"),
    form("a key of Google", &["aiza"], r"\bAIza([A-Za-z0-9_\-]{35})(?:[^A-Za-z0-9_\-]|$)"),
    form("a secret of Google", &["gocspx-"], r"\bGOCSPX-([A-Za-z0-9_\-]{28})(?:[^A-Za-z0-9_\-]|$)"),
    form("a key of Stripe", &["sk_live_", "rk_live_"], r"\b(?:sk|rk)_live_([A-Za-z0-9]{24,})\b"),
    form("a token of Hugging Face", &["hf_"], r"\bhf_([A-Za-z0-9]{34,})\b"),
    form("a key of SendGrid", &["sg."], r"\bSG\.([A-Za-z0-9_\-]{22}\.[A-Za-z0-9_\-]{43})(?:[^A-Za-z0-9_\-]|$)"),
    form("a token of DigitalOcean", &["doo_v1_", "dop_v1_", "dor_v1_"], r"\bdo[opr]_v1_([a-f0-9]{64})\b"),
    form("a token of a Telegram bot", &[":aa"], r"\b[0-9]{8,10}:(AA[A-Za-z0-9_\-]{33})(?:[^A-Za-z0-9_\-]|$)"),
    form("a token of Databricks", &["dapi"], r"\bdapi([a-f0-9]{32})\b"),
    form("a key of Groq", &["gsk_"], r"\bgsk_([A-Za-z0-9]{52})\b"),
    form("a key of xAI", &["xai-"], r"\bxai-([A-Za-z0-9]{70,})\b"),
    form("a key of Replicate", &["r8_"], r"\br8_([A-Za-z0-9]{37})\b"),
    form("a key of Perplexity", &["pplx-"], r"\bpplx-([A-Za-z0-9]{40,})\b"),
    form("a key of Linear", &["lin_api_"], r"\blin_api_([A-Za-z0-9]{40})\b"),
    form("a token of Notion", &["ntn_"], r"\bntn_([A-Za-z0-9]{43,})\b"),
    form("a token of Figma", &["figd_"], r"\bfigd_([A-Za-z0-9_\-]{40,})"),
    form("a token of Shopify", &["shpat_", "shpca_", "shppa_", "shpss_"], r"\bshp(?:at|ca|pa|ss)_([a-fA-F0-9]{32})\b"),
    form("a token of Supabase", &["sbp_"], r"\bsbp_([a-f0-9]{40})\b"),
    form("a token of Vault", &["hvs."], r"\bhvs\.([A-Za-z0-9_\-]{90,})"),
    form("a key of Postman", &["pmak-"], r"\bPMAK-([a-f0-9]{24}-[a-f0-9]{34})\b"),
    form("a key of New Relic", &["nrak-"], r"\bNRAK-([A-Z0-9]{27})\b"),
    form("a token of Sentry", &["sntrys_"], r"\bsntrys_([A-Za-z0-9+/=_\-]{60,})"),
    form("a token of Atlassian", &["atatt3"], r"\bATATT3([A-Za-z0-9_\-=]{150,})"),
    form("a token of PlanetScale", &["pscale_tkn_", "pscale_pw_"], r"\bpscale_(?:tkn|pw)_([A-Za-z0-9_\-.]{32,})"),
    form("a token of Doppler", &["dp.pt.", "dp.st."], r"\bdp\.[ps]t\.([A-Za-z0-9_.\-]{40,})"),
    form("a key of Mailgun", &["key-"], r"\bkey-([a-f0-9]{32})\b"),
    form("a key of an Azure store", &["accountkey="], r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    form(
        "a webhook of Discord",
        &["/api/webhooks/"],
        r"discord(?:app)?\.com/api/webhooks/\d{17,20}/([A-Za-z0-9_\-]{60,})",
    ),
    form("a token of Square", &["sq0atp-", "sq0csp-"], r"\bsq0(?:atp|csp)-([A-Za-z0-9_\-]{22,})"),
    form("a key of Tavily", &["tvly-"], r"\btvly-(?:dev-|prod-)?([A-Za-z0-9]{32})\b"),
    form("a key of Firecrawl", &["fc-"], r"\bfc-([a-f0-9]{32})\b"),
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

/// Each form, once it was needed. Tokens are ASCII; to say so keeps the automata small.
static EACH: LazyLock<Vec<OnceLock<Regex>>> = LazyLock::new(|| FORMS.iter().map(|_| OnceLock::new()).collect());

fn each(form: usize) -> &'static Regex {
    EACH[form].get_or_init(|| {
        Regex::new(&format!("(?-u){}", FORMS[form].shape)).expect("the forms are constants, and tested")
    })
}

/// The forms that a trigger stands for.
static BY_TRIGGER: LazyLock<BTreeMap<&'static str, Vec<usize>>> = LazyLock::new(|| {
    let mut forms: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, form) in FORMS.iter().enumerate() {
        form.triggers.iter().for_each(|trigger| forms.entry(trigger).or_default().push(at));
    }
    forms
});

/// Fewest bytes of a private key.
const KEY_MIN: usize = 100;

/// How far from its trigger a secret ends, in bytes; a private key is longer.
const REACH: usize = 512;

/// How far from this trigger a secret ends, in bytes.
fn reach(trigger: &[u8]) -> usize {
    if trigger.eq_ignore_ascii_case(b"private key") { 8 * REACH } else { REACH }
}

/// What the scanner of all rules looks for.
pub(super) const PATTERNS: &[Pattern] = &[Pattern {
    triggers: TRIGGERS,
    scope: Scope::Statement,
    form: "",
    needs: &[],
    round: Round::First,
    only: None,
    judge,
}];

/// All triggers of [`FORMS`]; a test compares.
const TRIGGERS: &[&str] = &[
    "/api/webhooks/",
    ":aa",
    "_authtoken",
    "accountkey=",
    "age-secret-key-1",
    "aiza",
    "akia",
    "asia",
    "atatt3",
    "aws_secret",
    "awssecret",
    "cio",
    "dapi",
    "doo_v1_",
    "dop_v1_",
    "dor_v1_",
    "dp.pt.",
    "dp.st.",
    "fc-",
    "figd_",
    "gho_",
    "ghp_",
    "ghr_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glagent-",
    "glcbt-",
    "gldt-",
    "glft-",
    "glpat-",
    "glptt-",
    "glrt-",
    "glsoat-",
    "gocspx-",
    "gsk_",
    "hf_",
    "hooks.slack.com/services/",
    "hvs.",
    "key-",
    "lin_api_",
    "npm_",
    "nrak-",
    "ntn_",
    "pmak-",
    "pplx-",
    "private key",
    "pscale_pw_",
    "pscale_tkn_",
    "pypi-ageichlwas5vcmc",
    "r8_",
    "rk_live_",
    "sbp_",
    "secret access key",
    "secret-access-key",
    "secret_access_key",
    "secretaccesskey",
    "sg.",
    "shpat_",
    "shpca_",
    "shppa_",
    "shpss_",
    "sk-",
    "sk-admin-",
    "sk-ant-",
    "sk-none-",
    "sk-or-v1-",
    "sk-proj-",
    "sk-svcacct-",
    "sk_live_",
    "sntrys_",
    "sq0atp-",
    "sq0csp-",
    "tvly-",
    "xai-",
    "xapp-",
    "xoxa-",
    "xoxb-",
    "xoxe-",
    "xoxo-",
    "xoxp-",
    "xoxr-",
    "xoxs-",
];

fn judge(hit: &Hit<'_>, ledger: &mut Ledger<'_>) {
    // Without disguise the places are no longer those of the file, and nobody disguises a leak.
    if !hit.view.is_plain() {
        return;
    }
    if has_token(hit.whole().as_bytes(), &hit.span) {
        hit.view.source.spend(reach(hit.text().as_bytes()));
    }
    for (form, range) in at_trigger(hit.whole().as_bytes(), hit.span.clone()) {
        let secret = &hit.whole().as_bytes()[range.clone()];
        let make = || diagnostic(form, secret).at(range, hit.whole());
        ledger.tell_as_is(&RULE, Level::Error, hit.view.source.path, make);
    }
}

/// Whether something follows a trigger that is long enough for a secret, as far as the trigger asks for that.
fn has_token(bytes: &[u8], trigger: &Range<usize>) -> bool {
    let word = bytes[trigger.clone()].to_ascii_lowercase();
    let is_name = [&b"private key"[..], b"secret", b"aws", b"_auth"].iter().any(|name| word.starts_with(name));
    let is_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_./+=:".contains(byte);
    is_name || bytes[trigger.end..].iter().take(16).take_while(|byte| is_token(byte)).count() == 16
}

/// Real secrets at a place where a trigger stands.
fn at_trigger(bytes: &[u8], trigger: Range<usize>) -> Vec<(usize, Range<usize>)> {
    let word = bytes[trigger.clone()].to_ascii_lowercase();
    let is_key = word == b"private key";
    if !has_token(bytes, &trigger) {
        return Vec::new();
    }
    let start = trigger.start.saturating_sub(if is_key { 40 } else { 64 });
    let end = bytes.len().min(trigger.end + reach(&word));
    let Some(forms) = std::str::from_utf8(&word).ok().and_then(|word| BY_TRIGGER.get(word)) else { return Vec::new() };
    let found = |form: &usize| {
        let captures = each(*form).captures_iter(&bytes[start..end]);
        // What begins behind the trigger has one of its own.
        let mut near =
            captures.take_while(|captures| captures.get(0).is_some_and(|all| start + all.start() < trigger.end));
        near.find_map(|captures| {
            let whole = captures.get(0)?;
            let secret = captures.get(1).unwrap_or(whole);
            let range = start + whole.start()..start + whole.end();
            let is_long = !is_key || secret.len() >= KEY_MIN;
            (is_long && is_real(secret.as_bytes()) && range.start < trigger.end && trigger.start < range.end)
                .then_some((*form, range))
        })
    };
    forms.iter().filter_map(found).collect()
}

fn diagnostic(form: usize, secret: &[u8]) -> Diagnostic {
    let message = format!("this looks like {}: `{}`", FORMS[form].what, shown(secret));
    RULE.finding(message).help("take it out of the file, and withdraw it where it was issued if anybody has seen it")
}

/// The secrets in the files of a package, and those of its files that hold little else.
pub(crate) fn check(tree: &Tree) -> Vec<Finding> {
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
    static WORDS: LazyLock<AhoCorasick> = LazyLock::new(|| {
        let words = BY_TRIGGER.keys();
        AhoCorasick::builder().ascii_case_insensitive(true).build(words).expect("the words are constants, and tested")
    });
    let mut firsts: BTreeMap<usize, Range<usize>> = BTreeMap::new();
    for word in WORDS.find_overlapping_iter(bytes) {
        for (form, range) in at_trigger(bytes, word.range()) {
            firsts.entry(form).or_insert(range);
        }
    }
    let text = String::from_utf8_lossy(bytes);
    let finding = |(form, range): (usize, Range<usize>)| {
        let diagnostic = diagnostic(form, &bytes[range.clone()]);
        // Positions are told only in text, where bytes and their lossy form agree.
        let diagnostic = if text.len() == bytes.len() { diagnostic.at(range, &text) } else { diagnostic };
        Finding { path: path.to_owned(), diagnostic }
    };
    firsts.into_iter().map(finding).collect()
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
    if is_counted(&body) {
        return false;
    }
    let mut seen = [false; 256];
    body.iter().for_each(|byte| seen[usize::from(*byte)] = true);
    let distinct = seen.iter().filter(|seen| **seen).count();
    distinct >= DISTINCT_MIN.min(body.len() / 2) && body.iter().any(u8::is_ascii_alphanumeric) && !is_a_word(secret)
}

/// Most characters that a real secret counts up by chance.
const COUNTED_MAX: usize = 4;

/// Whether somebody counted instead of thinking of one: `abcdefg`, `A1B2C3D4`, `1a2b3c4d`, up or down.
fn is_counted(secret: &[u8]) -> bool {
    let follows = |before: u8, after: u8| {
        let is_same_sort = before.is_ascii_digit() == after.is_ascii_digit();
        before.is_ascii_alphanumeric() && is_same_sort && (before + 1 == after || (before, after) == (b'9', b'0'))
    };
    // Numbers that are counted are those of accounts, too.
    let follows =
        |step: usize, before: u8, after: u8| follows(before, after) && (step > 1 || before.is_ascii_alphabetic());
    let longest = |step: usize, down: bool| {
        let (mut run, mut longest) = (0_usize, 0);
        for (one, other) in secret.iter().zip(secret.iter().skip(step)) {
            let counts = if down { follows(step, *other, *one) } else { follows(step, *one, *other) };
            run = if counts { run + 1 } else { 0 };
            longest = longest.max(run);
        }
        longest
    };
    [1, 2].into_iter().any(|step| longest(step, false).max(longest(step, true)) > COUNTED_MAX)
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
    fn the_triggers_are_those_of_the_forms() {
        assert_eq!(TRIGGERS, BY_TRIGGER.keys().copied().collect::<Vec<_>>());
        assert!((0..FORMS.len()).all(|form| each(form).captures_len() <= 2));
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
