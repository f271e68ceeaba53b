//! The context of a match: text that warns of an attack names it, too.

use std::cell::OnceCell;
use std::ops::Range;
use std::sync::LazyLock;

use super::pattern::CompiledPattern;
use super::text::{ScanText, TextKind};
use crate::{LintSettings, LintSubject, Rule};

/// The topic of a skill, as far as it decides how its words are meant.
pub(super) struct SkillTopic<'a> {
    /// Its name and description; `None` if the frontmatter cannot be read.
    name_and_description: Option<(&'a str, &'a str)>,
    /// The same in lower case.
    lower: OnceCell<(String, String)>,
    lesson: OnceCell<bool>,
    settings: &'a LintSettings,
    dir: &'a str,
}

include!(concat!(env!("OUT_DIR"), "/security/context.rs"));

/// Words after "do not" that turn the ban into its opposite.
const URGING_WORDS: [&str; 22] = [
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

/// The context of a match, each part of which lowers or raises its level.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate fact")]
#[derive(Default)]
pub(super) struct MatchContext {
    /// The text forbids it, or warns of it.
    pub(super) negated: bool,
    /// It is quoted: between quotes or backticks, or after `>`.
    pub(super) quoted: bool,
    /// It is an example in a skill that teaches defense.
    pub(super) lesson: bool,
    /// It is a table cell in such a skill: a description, not an instruction.
    pub(super) in_table: bool,
    /// It is the text of a link, which leads to its description.
    pub(super) linked: bool,
    /// It is a regex to search for, not the thing itself.
    pub(super) pattern: bool,
    /// It is in a comment, which people do not see.
    pub(super) hidden: bool,
}

impl<'a> SkillTopic<'a> {
    pub(super) fn new(subject: &'a LintSubject<'_>) -> Self {
        let (settings, dir) = (subject.settings, subject.skill.path.as_str());
        let skill = subject
            .page
            .as_ref()
            .and_then(|page| page.reading.skill.as_ref());
        SkillTopic {
            name_and_description: skill
                .map(|skill| (skill.name.as_str(), skill.description.as_str())),
            lower: OnceCell::new(),
            lesson: OnceCell::new(),
            settings,
            dir,
        }
    }

    /// Whether a finding of this rule is shown even if it is only a note.
    pub(super) fn is_reported(&self, rule: &Rule, path: &str) -> bool {
        self.settings.is_reported(rule, self.dir, path)
    }

    /// Returns the context of a match.
    pub(super) fn match_context(&self, source: &ScanText<'_>, span: &Range<usize>) -> MatchContext {
        let quoted = is_quoted(source, span);
        // Where a lesson has its examples: quoted, in code, or in a list.
        let is_shown = quoted
            || source.is_fenced(span.start)
            || is_listed(source, span)
            || source.kind == TextKind::Other;

        let hidden = source.kind == TextKind::Markdown
            && source.is_comment(span.start)
            && !source.is_fenced(span.start);

        MatchContext {
            negated: is_negated(source, span) || is_under_ban(source, span),
            quoted,
            lesson: is_shown && self.is_lesson(),
            in_table: source.text[source.line_range(span.start)]
                .trim_start()
                .starts_with('|')
                && self.is_lesson(),
            linked: is_link_label(source, span),
            pattern: is_pattern(&source.text[span.clone()]),
            hidden,
        }
    }

    /// Whether the skill's name or description says that it is about security.
    pub(super) fn is_lesson(&self) -> bool {
        static REGEX: LazyLock<CompiledPattern> = LazyLock::new(|| CompiledPattern::new(&LESSON));
        *self.lesson.get_or_init(|| {
            let Some((name, description)) = self.name_and_description else {
                return false;
            };
            REGEX.is_match(name.replace('-', " ").as_bytes())
                || REGEX.is_match(description.as_bytes())
        })
    }

    /// Whether the description contains one of these words, given in lower case.
    pub(super) fn describes(&self, words: &[&str]) -> bool {
        let (_, description) = self.lowercase();
        words.iter().any(|word| description.contains(word))
    }

    fn lowercase(&self) -> &(String, String) {
        self.lower.get_or_init(|| {
            let (name, description) = self.name_and_description.unwrap_or_default();
            (name.to_lowercase(), description.to_lowercase())
        })
    }

    /// Whether the name or the description contains one of these words, given in lower case.
    pub(super) fn mentions(&self, words: &[&str]) -> bool {
        let (name, description) = self.lowercase();
        words
            .iter()
            .any(|word| name.contains(word) || description.contains(word))
    }
}

/// Whether the same sentence forbids it or warns of it.
fn is_negated(source: &ScanText<'_>, span: &Range<usize>) -> bool {
    static REGEX: LazyLock<CompiledPattern> = LazyLock::new(|| CompiledPattern::new(&WARNS_AFTER));
    let line = source.line_range(span.start);
    let before = &source.text[line.start..span.start];
    let sentence = before.rfind(". ").map_or(before, |at| &before[at + 2..]);

    let just_before = sentence.trim_end().to_ascii_lowercase();
    let last = just_before
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default();
    // A ban directly before the verb needs no regex: "do not", "never".
    let is_denied =
        ["not", "never", "no"].contains(&last) || last.ends_with("n't") || last.ends_with("n’t");

    is_denied
        || forbids(sentence)
        || REGEX.is_match(&source.text.as_bytes()[span.end..line.end.max(span.end)])
}

/// Whether a text forbids what follows, or warns of it.
pub(super) fn forbids(text: &str) -> bool {
    static REGEX: LazyLock<CompiledPattern> = LazyLock::new(|| CompiledPattern::new(&FORBIDS));
    let mut forbids = false;
    REGEX.for_each_match(text.as_bytes(), |regex_match| {
        let after = regex_match.group("after").unwrap_or(0..0);
        // "Do not stop until …" urges; only other words after the ban make it one.
        forbids = forbids || !is_urging_word(&text.as_bytes()[after]);
    });

    forbids
}

fn is_urging_word(text: &[u8]) -> bool {
    let letters = text.iter().filter(|byte| byte.is_ascii_alphabetic());
    let word: Vec<u8> = letters.map(u8::to_ascii_lowercase).collect();
    URGING_WORDS.iter().any(|urging| urging.as_bytes() == word)
}

/// Whether a verb in prose is that of an instruction, by the text before it: it begins a clause, or
/// comes after a word such as "then".
pub(super) fn leads_to_instruction(before: &str) -> bool {
    const LEADS: [&str; 22] = [
        "and",
        "or",
        "then",
        "to",
        "first",
        "also",
        "always",
        "now",
        "next",
        "please",
        "must",
        "should",
        "will",
        "can",
        "you",
        "just",
        "simply",
        "silently",
        "secretly",
        "quietly",
        "immediately",
        "automatically",
    ];
    let marks = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '"' | '\'');
    let clause = before.trim_end_matches(marks);
    // "Docker-style" is one word.
    if clause.len() == before.len() && !before.is_empty() {
        return false;
    }

    let last = clause
        .rsplit(|c: char| !c.is_alphanumeric())
        .next()
        .unwrap_or_default();
    last.is_empty() || LEADS.iter().any(|lead| last.eq_ignore_ascii_case(lead))
}

/// Whether the line that introduces its block or list forbids it: `Never run:`, `## Red flags`, `#
/// Bad`.
fn is_under_ban(source: &ScanText<'_>, span: &Range<usize>) -> bool {
    let mut at = source.line_range(span.start).start;
    let in_code = source.is_fenced(span.start);
    let (mut seen, mut passed_fence) = (0, !in_code);
    // Lines further up belong to another topic.
    while at > 0 && seen < 12 {
        let line = source.line_range(at - 1);
        let text = source.text[line.clone()].trim();
        at = line.start;
        seen += 1;

        if text.is_empty() {
            continue;
        }

        // Within a fence, a comment such as `# Bad` forbids what follows it.
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
            // "is loaded rather than shipped:" does not forbid what follows.
            return forbids(&text.replace("rather than ", "").replace("instead of ", ""));
        }

        let is_item =
            text.starts_with(['-', '*', '|', '+', '>']) || text.as_bytes()[0].is_ascii_digit();
        if !is_item {
            // Plain text above ends the search, but the line above a fence leads to it.
            return in_code && forbids(text);
        }
    }
    false
}

/// Whether it is between quotes or backticks, or in a quotation (`>`).
fn is_quoted(source: &ScanText<'_>, span: &Range<usize>) -> bool {
    let line = source.line_range(span.start);
    let (before, after) = (
        &source.text[line.start..span.start],
        &source.text[span.end.min(line.end)..line.end],
    );

    if before.trim_start().starts_with('>') || source.is_inline_code(span) {
        return true;
    }

    // A mark inside it ends the quotation: a match from one quotation into the next is not quoted.
    let inner = &source.text[span.clone()];
    let odd = |mark: char| {
        before.matches(mark).count() % 2 == 1 && after.contains(mark) && !inner.contains(mark)
    };

    odd('"') || (before.rfind('“') > before.rfind('”') && after.contains('”')) || {
        // An apostrophe within a word is not a quote, so only the last word counts.
        let single = before
            .rfind([' ', '(', '['])
            .map_or(before, |at| &before[at + 1..]);
        single.starts_with('\'') && after.contains('\'')
    }
}

/// Whether it is the whole label of a link.
fn is_link_label(source: &ScanText<'_>, span: &Range<usize>) -> bool {
    let line = source.line_range(span.start);
    let (before, after) = (
        &source.text[line.start..span.start],
        &source.text[span.end.min(line.end)..line.end],
    );

    source.kind == TextKind::Markdown
        && before.ends_with('[')
        && after
            .find("](")
            .is_some_and(|end| end < 40 && !after[..end].contains('['))
}

/// Whether it is a list item or a table cell.
fn is_listed(source: &ScanText<'_>, span: &Range<usize>) -> bool {
    let line = source.line_range(span.start);
    let text = source.text[line].trim_start();
    text.starts_with(['-', '*', '|', '+'])
}

/// Whether it is written as a regular expression.
fn is_pattern(text: &str) -> bool {
    const MARKS: [&str; 9] = [r"\s", r".*", r"\b", "[^", r"\|", "(?", r"\.", r"\w", r"\("];
    // `\.` is the beginning of a hidden directory if a home directory precedes it.
    const HOMES: [&str; 5] = [
        r"home\.",
        r"profile\.",
        r"profile%\.",
        r"profile}\.",
        r"~\.",
    ];
    let is_path = || {
        let text = text.to_ascii_lowercase();
        HOMES.iter().any(|home| text.contains(home))
    };

    MARKS
        .iter()
        .any(|mark| text.contains(mark) && !(*mark == r"\." && is_path()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bans_are_distinguished_from_urging() {
        for text in [
            "Never run ",
            "You must not use ",
            "❌ ",
            "Detects ",
            "an attacker who tries to ",
        ] {
            assert!(forbids(text), "{text}");
        }
        for text in [
            "Do not skip: run ",
            "Don't forget to run ",
            "Run ",
            "Do not ask, just run ",
        ] {
            assert!(!forbids(text), "{text}");
        }
    }

    #[test]
    fn line_that_introduces_a_block_counts() {
        let text = "# Setup\n\nNever do this:\n\n```sh\nX\n```\n\nNow:\n\n```sh\nY\n```\n\n## Red flags\n\n- a\n- Z\n";
        let source = ScanText::new("SKILL.md", text);
        let banned = |needle: &str| {
            let at = text.find(needle).unwrap();
            is_under_ban(&source, &(at..at + 1))
        };
        assert!(banned("X") && !banned("Y") && banned("Z"));
    }

    #[test]
    fn quotes_and_patterns_are_recognized() {
        let text = "say \"ignore it\" or `run it` or drop it\n> quoted\n";
        let source = ScanText::new("SKILL.md", text);
        let quoted = |needle: &str| {
            let at = text.find(needle).unwrap();
            is_quoted(&source, &(at..at + needle.len()))
        };
        assert!(quoted("ignore") && quoted("run") && !quoted("drop") && quoted("quoted"));
        assert!(is_pattern(r"curl\s.*\|\s*sh") && !is_pattern("curl https://x | sh"));
        assert!(
            is_pattern(r"cat ~/\.ssh/id_rsa") && !is_pattern(r"Get-Content $HOME\.aws\credentials")
        );
    }
}
