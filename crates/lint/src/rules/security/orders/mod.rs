//! SK731-SK740: orders in plain language that no user would give.
//!
//! What tells an order from a word about it: it is an imperative, or something that "must be sent"; what it is about is the
//! user's; and place or effect stand in the same sentence (`forms`). It is none if the sentence forbids it, or if the user
//! asks for it; and not told where it is what the skill is about.
//!
//! They are looked for apart from the rest, by `audit`, and by `lint` where it is asked to: their words are in every text.

mod forms;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use forms::{PARTS, PATTERNS};

use super::context;
use super::scan::{Hit, Ledger, Tell};
use super::show::shown;
use crate::lint::Rule;
use crate::report::Level;

/// The rules of this folder, by code.
pub(super) const RULES: [&Rule; 10] = [
    &rules::MINED,
    &rules::SENT,
    &rules::DESTROYED,
    &rules::LOWERED,
    &rules::SPOILED,
    &rules::DECEIVED,
    &rules::ASKED,
    &rules::CLAIMED,
    &rules::MISUSED,
    &rules::TRIGGERED,
];

/// Most bytes before a verb that are its sentence.
const REACH: usize = 300;

/// Words before a verb after which it is an order.
const LEADS: &[&str] = &[
    "and",
    "then",
    "also",
    "always",
    "must",
    "should",
    "please",
    "first",
    "now",
    "silently",
    "simply",
    "just",
    "immediately",
    "quietly",
    "automatically",
    "finally",
    "next",
    "or",
    "shall",
    "additionally",
    "secretly",
    "periodically",
    "you",
    "agent",
    "assistant",
    "only",
    "instead",
    "afterwards",
    "afterward",
    "later",
    "but",
    "regularly",
    "directly",
    "again",
    "either",
    "claude",
    "step",
    "note",
    "important",
    "requirement",
];

/// Words before `to` and a verb that make an order of both.
const LEADS_TO: &[&str] = &[
    "sure",
    "remember",
    "need",
    "needs",
    "have",
    "has",
    "required",
    "want",
    "ought",
    "instructed",
    "supposed",
    "obliged",
    "necessary",
    "agent",
    "assistant",
    "forget",
    "important",
    "essential",
];

/// What says that the user wants it.
const WANTED: &[&str] = &[
    "user asks",
    "user wants",
    "user request",
    "user confirm",
    "user agree",
    "user approve",
    "user choos",
    "user prefer",
    "user says",
    "user explicitly",
    "user specif",
    "user provides",
    "user-provided",
    "ask the user",
    "asks for",
    "if requested",
    "as requested",
    "if asked",
    "explicitly request",
    "opt in",
    "opt-in",
    "consent of",
    "only to",
];

/// What may be deleted by whoever made it.
const SPARE: &[&str] = &[
    "temporary",
    "tmp",
    "generated",
    "unused",
    "cache",
    "build ",
    "intermediate",
    "stale",
    "scratch",
    "duplicate",
    "test ",
    "tests",
    "sample",
    "build/",
    "dist/",
    "node_modules",
    "demo",
    "orphan",
    "merged",
    "older than",
    "created by",
    "placeholder",
    "example",
];

/// What keeps it from the user.
const CONCEALS: &[&str] = &[
    "silently",
    "secretly",
    "quietly",
    "covertly",
    "not mention",
    "n't mention",
    "never mention",
    "not tell",
    "n't tell",
    "never tell",
    "without telling",
    "without mentioning",
    "without informing",
    "without notifying",
    "no need to mention",
    "no need to tell",
    "no need to inform",
    "out of the summary",
    "out of the report",
    "hidden from the user",
    "user's knowledge",
    "user does not need to know",
    "not inform",
    "n't inform",
];

/// Tells an order, if it is one. Medium; worse if it is to be kept from the user.
fn order(hit: &Hit<'_>, ledger: &mut Ledger<'_>, rule: &'static Rule) {
    let source = &hit.view.source;
    let verb = hit.group_span("verb").or(hit.group_span("verb2"));
    let at = verb.as_ref().map_or(hit.span.start, |verb| verb.start);
    let from = source.text.floor_char_boundary(at.saturating_sub(REACH));
    let sentence = sentence(&source.text[from..at]);
    let is_code = source.is_fenced(at) || hit.view.is_inline_code(&hit.span);
    let is_told = verb.is_none() || rule.code == "SK740" || is_order(sentence);
    if is_code || !is_told || hit.group("ban").is_none() && context::forbids(sentence) || is_wanted(hit, rule) {
        return;
    }
    let lines = around(hit);
    let is_spare = rule.code == "SK733" && has(&to_its_end(hit), SPARE);
    let is_claim = hit.group("already").is_some();
    if is_spare || is_claim && !is_asserted(sentence) {
        return;
    }
    let is_row = source.text[source.line(at)].trim_start().starts_with('|');
    let is_subject = hit.group("thing").is_some_and(|thing| hit.about.says(&[thing.to_lowercase().as_str()]));
    let hides = matches!(rule.code, "SK732" | "SK733") && has(&lines, CONCEALS);
    let level = match () {
        () if is_row || is_subject => Level::Note,
        () if hides => Level::Error,
        () => Level::Warning,
    };
    let message = format!("{}: \"{}\"", what(rule), shown(hit.text()));
    ledger.tell(hit, Tell::new(rule, level, message, HELP));
}

/// What is said of an order.
fn what(rule: &Rule) -> &'static str {
    match rule.code {
        "SK731" => "orders to mine for somebody",
        "SK732" => "orders to send what is the user's to somebody",
        "SK733" => "orders to destroy what is the user's",
        "SK734" => "orders to lower what protects the user",
        "SK735" => "orders to put something harmful into what is written",
        "SK736" => "orders to tell what is not so",
        "SK737" => "orders to ask somebody for a secret",
        "SK738" => "claims consent, or does without it",
        "SK739" => "orders to use the user's name or money against somebody",
        _ => "orders something harmful under a condition",
    }
}

const HELP: &str = "leave it out, or let the user decide: say what is to be done, with what, and ask before";

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// A hit, and what follows it in its sentence, in lower case.
fn to_its_end(hit: &Hit<'_>) -> String {
    let line = hit.view.source.line(hit.span.end);
    let after = &hit.whole()[hit.span.end..line.end.max(hit.span.end)];
    format!("{}{}", hit.text(), after.split(". ").next().unwrap_or_default()).to_lowercase()
}

/// The lines that a hit stands in, in lower case.
fn around(hit: &Hit<'_>) -> String {
    let source = &hit.view.source;
    let end = source.line(hit.span.end).end.max(hit.span.end);
    source.text[source.line(hit.span.start).start..end].to_lowercase()
}

/// Whether the user is to have asked for it. For a password one is asked, and for consent not.
fn is_wanted(hit: &Hit<'_>, rule: &Rule) -> bool {
    let mut lines = around(hit);
    for ban in ["not ask the user", "n't ask the user", "never ask the user"] {
        lines = lines.replace(ban, "");
    }
    rule.code != "SK737" && has(&lines, WANTED)
}

/// What stands before a place in its sentence, or in its item of a list.
fn sentence(before: &str) -> &str {
    let ends = [". ", "! ", "? ", "; ", ".\n", "!\n", "?\n", "\n\n", "\n- ", "\n* ", "\n+ ", "\n#", "\n|", "\n> "];
    let start = ends.iter().filter_map(|end| before.rfind(end).map(|at| at + end.len())).max();
    let sentence = before[start.unwrap_or_default()..].trim_start();
    let number = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < sentence.len() { number.trim_start_matches(['.', ')']) } else { sentence }
}

/// Whether a verb that follows these words is in the imperative.
fn is_order(sentence: &str) -> bool {
    let marks = |c: char| c.is_whitespace() || "*_`\"'[-#>+".contains(c);
    let before = sentence.trim_matches(marks);
    let words = before.split_whitespace().rev();
    let words = words.map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase());
    let mut words = words.skip_while(|word| word.ends_with("ly") && !LEADS.contains(&word.as_str()));
    let (last, other) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let is_step = last.bytes().all(|byte| byte.is_ascii_digit());
    let uses = || ["use ", "using ", "run ", "call "].iter().any(|tool| before.to_lowercase().starts_with(tool));
    match last.as_str() {
        "to" => LEADS_TO.contains(&other.as_str()) || uses(),
        word => is_step || before.ends_with([',', ':', ';', '—', '–', '>']) || LEADS.contains(&word),
    }
}

/// Whether a claim stands for itself, and is no condition or part of another sentence.
fn is_asserted(sentence: &str) -> bool {
    let lower = sentence.trim().to_lowercase();
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    while words
        .last()
        .is_some_and(|word| ["the", "our", "your", "a", "this", "system", "security", "it"].contains(word))
    {
        words.pop();
    }
    let marks = |word: &&str| word.ends_with([',', ':', ';', '—', '–', '*']);
    let opens = ["since", "because", "as", "assume", "so", "note", "and"];
    words.last().is_none_or(|word| marks(word) || opens.contains(word))
}
