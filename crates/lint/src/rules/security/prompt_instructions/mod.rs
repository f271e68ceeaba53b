//! SK731-SK740: harmful instructions in plain language.
//!
//! A sentence is an instruction, and not only about one, if it is an imperative or a passive ("must
//! be sent"), its object belongs to the user, and the same sentence names a destination or an
//! effect (`patterns`). It is not reported if the sentence forbids it, if the user asks for it, or
//! if it is the topic of the skill.
//!
//! `audit` checks them, and `lint` on request only: their trigger words are in every text.

mod patterns;
mod rules;
#[cfg(test)]
mod tests;

pub(super) use patterns::patterns;

use std::ops::Range;

use super::context;
use super::redact::redact_text;
use super::sink::{FindingSink, PatternFinding};
use super::view::PatternMatch;
use crate::Rule;
use skillpm_core::report::DiagnosticLevel;

/// The rules of this folder, by code.
pub(super) const RULES: [&Rule; 10] = [
    &rules::CRYPTO_MINER,
    &rules::USER_DATA_SENT,
    &rules::USER_DATA_DESTROYED,
    &rules::PROTECTION_LOWERED,
    &rules::OUTPUT_SABOTAGED,
    &rules::USER_DECEIVED,
    &rules::PASSWORD_ASKED,
    &rules::CONSENT_CLAIMED,
    &rules::RIGHTS_MISUSED,
    &rules::HIDDEN_TRIGGER,
];

/// Longest text before a verb that is searched for the start of its sentence, in bytes.
const SENTENCE_MAX: usize = 300;

/// Words before a verb that make it an imperative.
const IMPERATIVE_LEADS: &[&str] = &[
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

/// Words before `to` and a verb that make both an imperative.
const IMPERATIVE_LEADS_TO: &[&str] = &[
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

/// Phrases which say that the user asks for it.
const USER_REQUESTS: &[&str] = &[
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

/// Files that an agent may delete, since it created them.
const DISPOSABLE: &[&str] = &[
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

/// Phrases that conceal it from the user.
const CONCEALMENT: &[&str] = &[
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

/// Reports a match that is an instruction: a warning, or an error if it is also to be hidden from
/// the user.
fn check_instruction(hit: &PatternMatch<'_>, sink: &mut FindingSink<'_>) {
    let rule = RULES
        .into_iter()
        .find(|rule| rule.code == hit.rule)
        .expect("each row of the tables names one of these rules, which a test checks");

    if is_instruction(hit, rule) && !is_harmless(hit, rule) {
        let message = format!("{}: \"{}\"", describe_rule(rule), redact_text(hit.text()));
        let level = instruction_level(hit, rule);
        sink.report(hit, PatternFinding::new(rule, level, message, HELP));
    }
}

/// Whether a match instructs the agent, and not only names an action.
fn is_instruction(hit: &PatternMatch<'_>, rule: &Rule) -> bool {
    let sentence = sentence_of_verb(hit);
    let at = verb_start(hit);
    let is_code = hit.view.source.is_fenced(at) || hit.view.is_inline_code(&hit.span);

    // A passive ("must be sent") has no verb to check, and a condition is not an imperative.
    let is_imperative = verb_span(hit).is_none() || rule.code == "SK740" || is_imperative(sentence);
    // A pattern with a ban of its own ("never say that …") is not forbidden by it.
    let is_forbidden = || hit.group("ban").is_none() && context::forbids(sentence);

    !is_code && is_imperative && !is_forbidden() && !is_user_requested(hit, rule)
}

/// Whether an instruction is about what an agent may do, or only mentions a consent.
fn is_harmless(hit: &PatternMatch<'_>, rule: &Rule) -> bool {
    // An agent may delete files that it created itself.
    let is_disposable =
        rule.code == "SK733" && contains_any(&text_to_sentence_end(hit), DISPOSABLE);
    let is_claim = hit.group("already").is_some();
    is_disposable || is_claim && !is_asserted(sentence_of_verb(hit))
}

fn instruction_level(hit: &PatternMatch<'_>, rule: &Rule) -> DiagnosticLevel {
    // A table lists examples; and a skill about a thing has to name it.
    let source = &hit.view.source;
    let is_row = source.text[source.line_range(verb_start(hit))]
        .trim_start()
        .starts_with('|');
    let is_subject = hit
        .group("thing")
        .is_some_and(|thing| hit.topic.mentions(&[thing.to_lowercase().as_str()]));
    // To conceal it turns a doubtful action into a theft; other rules are about wording anyway.
    let is_concealed = matches!(rule.code, "SK732" | "SK733")
        && contains_any(&surrounding_lines(hit), CONCEALMENT);

    match () {
        () if is_row || is_subject => DiagnosticLevel::Note,
        () if is_concealed => DiagnosticLevel::Error,
        () => DiagnosticLevel::Warning,
    }
}

fn verb_span(hit: &PatternMatch<'_>) -> Option<Range<usize>> {
    hit.group_span("verb").or(hit.group_span("verb2"))
}

/// Returns where the verb of an instruction begins, or the match if it has none.
fn verb_start(hit: &PatternMatch<'_>) -> usize {
    verb_span(hit).map_or(hit.span.start, |verb| verb.start)
}

/// Returns the sentence of a match up to its verb.
fn sentence_of_verb<'h>(hit: &PatternMatch<'h>) -> &'h str {
    let text = hit.full_text();
    let at = verb_start(hit);
    let from = text.floor_char_boundary(at.saturating_sub(SENTENCE_MAX));
    sentence_before(&text[from..at])
}

/// Returns the beginning of the message of a rule.
fn describe_rule(rule: &Rule) -> &'static str {
    match rule.code {
        "SK731" => "instructs the agent to mine cryptocurrency",
        "SK732" => "instructs the agent to send user data to a third party",
        "SK733" => "instructs the agent to destroy user data",
        "SK734" => "instructs the agent to weaken security controls",
        "SK735" => "instructs the agent to sabotage its output",
        "SK736" => "instructs the agent to deceive the user",
        "SK737" => "instructs the agent to ask for a secret",
        "SK738" => "claims consent that was not given, or skips confirmation",
        "SK739" => "instructs the agent to misuse the user's name, accounts or money",
        _ => "instructs the agent to do harm under a condition",
    }
}

const HELP: &str =
    "remove it, or let the user decide: say what is done, with which data, and ask first";

fn contains_any(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| text.contains(word))
}

/// Returns a match and the rest of its sentence, in lower case.
fn text_to_sentence_end(hit: &PatternMatch<'_>) -> String {
    let line = hit.view.source.line_range(hit.span.end);
    let after = &hit.full_text()[hit.span.end..line.end.max(hit.span.end)];
    format!(
        "{}{}",
        hit.text(),
        after.split(". ").next().unwrap_or_default()
    )
    .to_lowercase()
}

/// Returns the lines of a match, in lower case.
fn surrounding_lines(hit: &PatternMatch<'_>) -> String {
    let source = &hit.view.source;
    let end = source.line_range(hit.span.end).end.max(hit.span.end);
    source.text[source.line_range(hit.span.start).start..end].to_lowercase()
}

/// Whether the text says that the user asks for it. This does not excuse asking for a password.
fn is_user_requested(hit: &PatternMatch<'_>, rule: &Rule) -> bool {
    let mut lines = surrounding_lines(hit);
    // A ban on asking contains the words for asking.
    for ban in ["not ask the user", "n't ask the user", "never ask the user"] {
        lines = lines.replace(ban, "");
    }

    rule.code != "SK737" && contains_any(&lines, USER_REQUESTS)
}

/// Returns the text before a position in its sentence or list item.
fn sentence_before(before: &str) -> &str {
    let ends = [
        ". ", "! ", "? ", "; ", ".\n", "!\n", "?\n", "\n\n", "\n- ", "\n* ", "\n+ ", "\n#", "\n|",
        "\n> ",
    ];
    // The last of them begins the sentence.
    let start = ends
        .iter()
        .filter_map(|end| before.rfind(end).map(|at| at + end.len()))
        .max();

    let sentence = before[start.unwrap_or_default()..].trim_start();
    // The number of a list item is not part of the sentence.
    let number = sentence.trim_start_matches(|c: char| c.is_ascii_digit());
    if number.len() < sentence.len() {
        number.trim_start_matches(['.', ')'])
    } else {
        sentence
    }
}

/// Whether a verb that follows these words is in the imperative.
fn is_imperative(sentence: &str) -> bool {
    let marks = |c: char| c.is_whitespace() || "*_`\"'[-#>+".contains(c);
    let before = sentence.trim_matches(marks);
    let words = before.split_whitespace().rev();
    let words = words.map(|word| {
        word.trim_matches(|c: char| !c.is_alphanumeric())
            .to_lowercase()
    });
    // "always quietly send": an adverb may come between the lead and the verb.
    let mut words =
        words.skip_while(|word| word.ends_with("ly") && !IMPERATIVE_LEADS.contains(&word.as_str()));
    let (last, other) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );

    // `3.` begins a step; so does nothing at all.
    let is_step = last.bytes().all(|byte| byte.is_ascii_digit());
    let uses = || {
        ["use ", "using ", "run ", "call "]
            .iter()
            .any(|tool| before.to_lowercase().starts_with(tool))
    };

    match last.as_str() {
        "to" => IMPERATIVE_LEADS_TO.contains(&other.as_str()) || uses(),
        word => {
            is_step
                || before.ends_with([',', ':', ';', '—', '–', '>'])
                || IMPERATIVE_LEADS.contains(&word)
        }
    }
}

/// Whether a claim is a statement of its own, and not a condition or part of another sentence.
fn is_asserted(sentence: &str) -> bool {
    let lower = sentence.trim().to_lowercase();
    let mut words: Vec<&str> = lower.split_whitespace().collect();
    // Articles belong to the claim itself; what counts is the word in front of them.
    while words.last().is_some_and(|word| {
        [
            "the", "our", "your", "a", "this", "system", "security", "it",
        ]
        .contains(word)
    }) {
        words.pop();
    }

    let marks = |word: &&str| word.ends_with([',', ':', ';', '—', '–', '*']);
    // These introduce a reason or a fact, which the text itself claims.
    let opens = ["since", "because", "as", "assume", "so", "note", "and"];
    words
        .last()
        .is_none_or(|word| marks(word) || opens.contains(word))
}
