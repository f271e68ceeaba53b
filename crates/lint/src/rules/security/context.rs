//! What stands around a hit: text that warns of a thing names it, too.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use regex::bytes::Regex;

use super::form::{Form, ascii};
use super::text::{Kind, Source};
use crate::lint::{Rule, Settings, Subject};

/// What a skill is about, as far as it bears on how its words are meant.
pub(super) struct About<'a> {
    /// Its name and description; `None` if it has none that can be read.
    said: Option<(&'a str, &'a str)>,
    /// The same in lower case.
    lower: OnceCell<(String, String)>,
    lesson: OnceCell<bool>,
    settings: &'a Settings,
    dir: &'a str,
}

/// Words of a skill that teaches how to defend.
const LESSON: &str = r"\b(?:secur\w*|threat|vulnerab\w*|malware|malicious|(?:prompt|command|code)[ -]injection|pen(?:etration)?[ -]?test\w*|red[ -]?team\w*|forensic\w*|guardrails?|exploit\w*|attack\w*|adversar\w*|owasp|secret[ -]scann?\w*|hardening|reverse[ -]engineer\w*|jailbreak\w*|moderation|safety|block\w* (?:dangerous|destructive)|vet(?:s|ting)?|audit(?:s|ing)?)\b";

/// A word that forbids, and the words after which it does not forbid what follows but hurries one on.
const FORBIDS: &str = r"(?:\b(?:never|do not|don(?:'|’)t|must not|mustn(?:'|’)t|should not|shouldn(?:'|’)t|cannot|can(?:'|’)t|may not|avoid|refus\w+|reject\w*|block(?:s|ed|ing)?|den(?:y|ies|ied)|detect(?:s|ed|ing|ion)?|flag(?:s|ged|ging)?|forbid\w*|prohibit\w*|prevent\w*|disallow\w*|beware|watch (?:out )?for|look(?:ing)? for|instead of|rather than|resist|against|protect\w*|is (?:an? )?(?:attack|injection)|if asked|asked to|asks? (?:you |it |them )?to|tells? (?:you|it|the agent) to|told to|requests? to|(?:that|which) says?|did not|does not|will not|would not|not to|attempts? to|tries to|trying to|such as|anti-?patterns?|red flags?|suspicious|malicious|dangerous|unsafe|insecure|attackers?|vulnerab\w+|bad|wrong)\b|❌|🚫|⛔|🚩)(?P<after>\W*(?:\w+(?:'|’)?\w*\W+)?)";

/// What is looked for around a hit.
#[cfg(test)]
pub(super) const FORMS: [&str; 2] = [LESSON, FORBIDS];

/// What makes of "do not" the opposite of a ban.
const HURRIES: [&str; 22] = [
    "skip",
    "forget",
    "ignore",
    "omit",
    "worry",
    "hesitate",
    "proceed",
    "continue",
    "close",
    "interrupt",
    "ask",
    "tell",
    "mention",
    "show",
    "point",
    "wait",
    "need",
    "inform",
    "stop",
    "miss",
    "fail",
    "delay",
];

/// What comes after a thing that is warned of.
static WARNS_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    ascii(
        r"^[^.\n]{0,60}?\b(?:(?:is|are|→|—|–|=>)\s+(?:an? |always |strictly |never )*(?:not allowed|forbidden|dangerous|unsafe|malicious|suspicious|blocked|denied|rejected|prohibited|red flags?|attacks?|critical|injections?|ok|acceptable|safe)|(?:critical|high)\s*\||(?:reverse shell|exfiltration|injection|backdoor|attack|malware)\b)",
    )
});

/// What a hit stands in, each of which makes it matter less, or more.
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
#[derive(Default)]
pub(super) struct Standing {
    /// It is forbidden, or warned of.
    pub(super) negated: bool,
    /// It is quoted: between quotes or backticks, or behind `>`.
    pub(super) quoted: bool,
    /// It is an example in a skill that teaches to defend.
    pub(super) lesson: bool,
    /// It is a cell of a table in such a skill: what is told of, and not what is to be done.
    pub(super) tabled: bool,
    /// It is the text of a link, which leads to what is said of it.
    pub(super) linked: bool,
    /// It is a pattern to search for, not the thing.
    pub(super) pattern: bool,
    /// It stands where people do not see it.
    pub(super) hidden: bool,
}

impl<'a> About<'a> {
    pub(super) fn new(subject: &'a Subject<'_>) -> Self {
        let (settings, dir) = (subject.settings, subject.skill.path.as_str());
        let skill = subject.page.as_ref().and_then(|page| page.reading.skill.as_ref());
        About {
            said: skill.map(|skill| (skill.name.as_str(), skill.description.as_str())),
            lower: OnceCell::new(),
            lesson: OnceCell::new(),
            settings,
            dir,
        }
    }

    /// Whether somebody may see what is found by a rule, if nothing but a note is made of it.
    pub(super) fn tells(&self, rule: &Rule, path: &str) -> bool {
        self.settings.tells(rule, self.dir, path)
    }

    /// What a hit stands in.
    pub(super) fn standing(&self, source: &Source<'_>, span: &Range<usize>) -> Standing {
        let quoted = is_quoted(source, span);
        let shown = quoted || source.is_fenced(span.start) || is_listed(source, span) || source.kind == Kind::Other;
        let hidden = source.kind == Kind::Markdown && source.is_comment(span.start) && !source.is_fenced(span.start);
        Standing {
            negated: is_negated(source, span) || is_under_ban(source, span),
            quoted,
            lesson: shown && self.is_lesson(),
            tabled: source.text[source.line(span.start)].trim_start().starts_with('|') && self.is_lesson(),
            linked: is_label(source, span),
            pattern: is_pattern(&source.text[span.clone()]),
            hidden,
        }
    }

    /// Whether the skill says of itself that it is about security.
    pub(super) fn is_lesson(&self) -> bool {
        static FORM: LazyLock<Form> = LazyLock::new(|| Form::new(LESSON));
        *self.lesson.get_or_init(|| {
            let Some((name, description)) = self.said else { return false };
            FORM.is_in(name.replace('-', " ").as_bytes()) || FORM.is_in(description.as_bytes())
        })
    }

    /// Whether the skill's description says one of these words, in lower case.
    pub(super) fn describes(&self, words: &[&str]) -> bool {
        let (_, description) = self.lower();
        words.iter().any(|word| description.contains(word))
    }

    fn lower(&self) -> &(String, String) {
        self.lower.get_or_init(|| {
            let (name, description) = self.said.unwrap_or_default();
            (name.to_lowercase(), description.to_lowercase())
        })
    }

    /// Whether the skill's name or description says one of these words, in lower case.
    pub(super) fn says(&self, words: &[&str]) -> bool {
        let (name, description) = self.lower();
        words.iter().any(|word| name.contains(word) || description.contains(word))
    }
}

/// Whether something forbids or warns of it in the same sentence.
fn is_negated(source: &Source<'_>, span: &Range<usize>) -> bool {
    let line = source.line(span.start);
    let before = &source.text[line.start..span.start];
    let sentence = before.rfind(". ").map_or(before, |at| &before[at + 2..]);
    let just_before = sentence.trim_end().to_ascii_lowercase();
    let last = just_before.rsplit(char::is_whitespace).next().unwrap_or_default();
    let is_denied = ["not", "never", "no"].contains(&last) || last.ends_with("n't") || last.ends_with("n’t");
    is_denied || forbids(sentence) || WARNS_AFTER.is_match(&source.text.as_bytes()[span.end..line.end.max(span.end)])
}

/// Whether something in a text forbids what follows, or warns of it.
pub(super) fn forbids(text: &str) -> bool {
    static FORM: LazyLock<Form> = LazyLock::new(|| Form::new(FORBIDS));
    let mut forbids = false;
    FORM.each_in(text.as_bytes(), |fit| {
        let after = fit.groups.into_iter().find(|(name, _)| *name == "after").map_or(0..0, |(_, after)| after);
        let letters = text.as_bytes()[after].iter().filter(|byte| byte.is_ascii_alphabetic());
        let word: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
        forbids = forbids || !HURRIES.iter().any(|hurries| hurries.as_bytes() == word);
    });
    forbids
}

/// Whether what leads to its block or list forbids it: `Never run:`, `## Red flags`, `# Bad`.
fn is_under_ban(source: &Source<'_>, span: &Range<usize>) -> bool {
    let mut at = source.line(span.start).start;
    let in_code = source.is_fenced(span.start);
    let (mut seen, mut passed_fence) = (0, !in_code);
    while at > 0 && seen < 12 {
        let line = source.line(at - 1);
        let text = source.text[line.clone()].trim();
        at = line.start;
        seen += 1;
        if text.is_empty() {
            continue;
        }
        if !passed_fence {
            if text.starts_with("```") || text.starts_with("~~~") {
                passed_fence = true;
            } else if text.starts_with(['#', '/']) || text.starts_with("--") {
                return forbids(text);
            }
            continue;
        }
        let is_bold = text.len() > 4 && text.starts_with("**") && text.ends_with("**");
        let leads = text.ends_with(':') || is_bold || text.starts_with('#');
        if leads {
            // "is loaded rather than shipped:" forbids nothing of what follows.
            return forbids(&text.replace("rather than ", "").replace("instead of ", ""));
        }
        let is_item = text.starts_with(['-', '*', '|', '+', '>']) || text.as_bytes()[0].is_ascii_digit();
        if !is_item {
            return in_code && forbids(text);
        }
    }
    false
}

/// Whether quotes, backticks or a quotation's `>` are around it.
fn is_quoted(source: &Source<'_>, span: &Range<usize>) -> bool {
    let line = source.line(span.start);
    let (before, after) = (&source.text[line.start..span.start], &source.text[span.end.min(line.end)..line.end]);
    if before.trim_start().starts_with('>') || source.is_inline_code(span) {
        return true;
    }
    // A mark inside it ends the quotation, so that what begins in one and ends in another is not all quoted.
    let inner = &source.text[span.clone()];
    let odd = |mark: char| before.matches(mark).count() % 2 == 1 && after.contains(mark) && !inner.contains(mark);
    odd('"') || (before.rfind('“') > before.rfind('”') && after.contains('”')) || {
        let single = before.rfind([' ', '(', '[']).map_or(before, |at| &before[at + 1..]);
        single.starts_with('\'') && after.contains('\'')
    }
}

/// Whether it is all of what a link is called.
fn is_label(source: &Source<'_>, span: &Range<usize>) -> bool {
    let line = source.line(span.start);
    let (before, after) = (&source.text[line.start..span.start], &source.text[span.end.min(line.end)..line.end]);
    source.kind == Kind::Markdown
        && before.ends_with('[')
        && after.find("](").is_some_and(|end| end < 40 && !after[..end].contains('['))
}

/// Whether it is an item of a list or a cell of a table.
fn is_listed(source: &Source<'_>, span: &Range<usize>) -> bool {
    let line = source.line(span.start);
    let text = source.text[line].trim_start();
    text.starts_with(['-', '*', '|', '+'])
}

/// Whether it is written in a language of patterns.
fn is_pattern(text: &str) -> bool {
    const MARKS: [&str; 9] = [r"\s", r".*", r"\b", "[^", r"\|", "(?", r"\.", r"\w", r"\("];
    MARKS.iter().any(|mark| text.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bans_are_told_from_hurry() {
        for text in ["Never run ", "You must not use ", "❌ ", "Detects ", "an attacker who tries to "] {
            assert!(forbids(text), "{text}");
        }
        for text in ["Do not skip: run ", "Don't forget to run ", "Run ", "Do not ask, just run "] {
            assert!(!forbids(text), "{text}");
        }
    }

    #[test]
    fn what_leads_to_a_block_counts() {
        let text = "# Setup\n\nNever do this:\n\n```sh\nX\n```\n\nNow:\n\n```sh\nY\n```\n\n## Red flags\n\n- a\n- Z\n";
        let source = Source::new("SKILL.md", text);
        let banned = |needle: &str| {
            let at = text.find(needle).unwrap();
            is_under_ban(&source, &(at..at + 1))
        };
        assert!(banned("X") && !banned("Y") && banned("Z"));
    }

    #[test]
    fn quotes_and_patterns_are_known() {
        let text = "say \"ignore it\" or `run it` or drop it\n> quoted\n";
        let source = Source::new("SKILL.md", text);
        let quoted = |needle: &str| {
            let at = text.find(needle).unwrap();
            is_quoted(&source, &(at..at + needle.len()))
        };
        assert!(quoted("ignore") && quoted("run") && !quoted("drop") && quoted("quoted"));
        assert!(is_pattern(r"curl\s.*\|\s*sh") && !is_pattern("curl https://x | sh"));
    }
}
