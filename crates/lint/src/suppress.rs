//! Inline exemptions: comments in a skill's files that suppress a finding, with a reason.
//!
//! ```text
//! ---
//! # skillpm: ignore[broad-bash, SK508] the reason why     covers the whole skill
//! name: pdf
//! ---
//! curl "$URL"  # skillpm: ignore[pipe-to-shell] reason   in a script: covers its line
//! # skillpm: ignore[SK607] reason                          or, alone on a line, the next one
//! ```
//!
//! In `SKILL.md` it is a YAML comment because agents strip those; a comment in the instructions would cost tokens at
//! every call.

mod faults;

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::{Deserialize, Serialize};

use super::rules;
use super::{FileContent, LintSettings, MarkdownPage, Rule, RuleCheck, SkillDir, relative_to};
use skillpm_core::report::{FileFinding, PositionTracker, Span};
use skillpm_core::skill::SkillFrontmatter;
use skillpm_core::skill::yaml::{YamlNode, YamlNodeKind};

pub(super) use faults::check_exemptions;

/// A comment that exempts from rules.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InlineExemption {
    /// Its file, relative to the skill's directory.
    path: String,
    /// The lines it covers.
    scope: ExemptionScope,
    /// The span of the comment, from its mark to the end of the line.
    span: Span,
    /// The rules it names.
    rules: Vec<ExemptedRule>,
    /// Whether it gives a reason.
    has_reason: bool,
}

/// A rule that a comment names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ExemptedRule {
    /// The name or code, as written.
    text: String,
    /// Its span in the file.
    span: Span,
    /// Whether it has covered a finding so far.
    is_used: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
enum ExemptionScope {
    /// All files of the skill.
    Skill,
    /// The first and the last line of its file, 1-based; also findings about that file as a whole.
    Lines(usize, usize),
}

/// Finds all exemptions in the files of a skill.
pub(super) fn find_exemptions(
    skill: &SkillDir,
    page: Option<&MarkdownPage<'_>>,
) -> Vec<InlineExemption> {
    let mut exemptions = page.map(find_in_frontmatter).unwrap_or_default();

    for file in &skill.files {
        // In Markdown only the frontmatter is searched: a comment in the text would be read by the agent.
        let is_prose = ["md", "mdx", "markdown"]
            .iter()
            .any(|end| file.extension().eq_ignore_ascii_case(end));
        if let (false, FileContent::Text(text)) = (is_prose, &file.content) {
            let mut positions = PositionTracker::new(text);
            exemptions.extend(
                find_comments(text, 0..text.len())
                    .map(|comment| comment.in_script(&file.path, &mut positions)),
            );
        }
    }

    exemptions
}

/// Removes exempted findings, and marks the exemptions as used.
pub(super) fn remove_exempted(
    findings: &mut Vec<FileFinding>,
    exemptions: &mut [InlineExemption],
    skill: &str,
) {
    if exemptions.is_empty() {
        return;
    }

    let index = ExemptionIndex::new(exemptions);
    findings.retain(|finding| {
        let covering = index.covering(finding, skill);
        !use_exemption(exemptions, &covering, &finding.diagnostic.rule)
    });
}

/// Exemptions by what they cover, each as its index in the list of all.
///
/// Those of lines are found by file and line, not one after the other: a crafted file can have as many of them as findings.
#[derive(Default)]
struct ExemptionIndex {
    of_skill: Vec<usize>,
    of_file: HashMap<String, Vec<usize>>,
    by_line: HashMap<(String, usize), Vec<usize>>,
}

impl ExemptionIndex {
    fn new(exemptions: &[InlineExemption]) -> Self {
        let mut index = ExemptionIndex::default();
        for (at, one) in exemptions.iter().enumerate() {
            match one.scope {
                ExemptionScope::Skill => index.of_skill.push(at),
                ExemptionScope::Lines(first, last) => {
                    for line in first..=last {
                        let key = (one.path.clone(), line);
                        index.by_line.entry(key).or_default().push(at);
                    }
                    // For findings about the file as a whole, which have no line.
                    index.of_file.entry(one.path.clone()).or_default().push(at);
                }
            }
        }
        index
    }

    /// The exemptions whose place covers a finding of the skill at `skill`.
    fn covering(&self, finding: &FileFinding, skill: &str) -> Vec<usize> {
        let path = relative_to(skill, &finding.path).map(str::to_owned);
        let of_lines = match (path, finding.diagnostic.position) {
            (Some(path), Some((line, _))) => self.by_line.get(&(path, line)),
            (Some(path), None) => self.of_file.get(&path),
            (None, _) => None,
        };

        // The first exemption wins, in the order of files and lines.
        let mut covering: Vec<usize> = self
            .of_skill
            .iter()
            .chain(of_lines.into_iter().flatten())
            .copied()
            .collect();
        covering.sort_unstable();
        covering
    }
}

/// Marks the first of the covering exemptions that names a rule as used; false if none does.
fn use_exemption(exemptions: &mut [InlineExemption], covering: &[usize], rule: &str) -> bool {
    for at in covering {
        let one = &mut exemptions[*at];
        // Without a reason it covers no security rule; a later one with a reason still may.
        if !one.applies_to(rule) {
            continue;
        }
        if let Some(named) = one.rules.iter_mut().find(|named| named.matches_rule(rule)) {
            named.is_used = true;
            return true;
        }
    }
    false
}

impl InlineExemption {
    /// Whether it applies to a rule; to a security rule only with a reason.
    fn applies_to(&self, rule: &str) -> bool {
        self.has_reason || !rules::find(rule).is_some_and(Rule::is_security)
    }
}

impl ExemptedRule {
    fn matches_rule(&self, rule: &str) -> bool {
        self.text == rule || rules::find(&self.text).is_some_and(|named| named.name == rule)
    }

    /// Whether it can be reported as unused: rules about several skills may not have seen the other skills.
    fn is_checkable(&self, settings: &LintSettings, path: &str) -> bool {
        let Some(rule) = rules::find(&self.text) else {
            return false;
        };

        // A rule with a shared check is run by the rule that owns the check.
        let leader = match rule.check {
            RuleCheck::SharedWith(name) => rules::find(name),
            _ => Some(rule),
        };

        let is_checked = leader
            .is_some_and(|leader| matches!(leader.check, RuleCheck::Reader | RuleCheck::Skill(_)));
        is_checked && settings.level(rule, path).is_some()
    }
}

fn find_in_frontmatter(page: &MarkdownPage<'_>) -> Vec<InlineExemption> {
    let Some(frontmatter) = &page.frontmatter else {
        return Vec::new();
    };

    // YAML comments exist only outside of values: in a block scalar ` #` is text.
    let is_comment = |comment: &LintComment| {
        comment.is_yaml(page.source) && !is_in_value(frontmatter, comment.span.start)
    };
    let found = find_comments(page.source, frontmatter.fences.yaml.clone()).filter(is_comment);
    found
        .map(|comment| comment.into_exemption(page.path, ExemptionScope::Skill))
        .collect()
}

/// Whether a byte of the frontmatter is within a value.
fn is_in_value(frontmatter: &SkillFrontmatter<'_>, at: usize) -> bool {
    fn contains_byte(node: &YamlNode<'_>, at: usize) -> bool {
        match &node.kind {
            YamlNodeKind::Scalar(..) => node.span.contains(&at),
            YamlNodeKind::Sequence(items, _) => items.iter().any(|item| contains_byte(item, at)),
            YamlNodeKind::Mapping(entries, _) => entries
                .iter()
                .any(|(key, value)| contains_byte(key, at) || contains_byte(value, at)),
        }
    }

    contains_byte(&frontmatter.root, at)
}

/// A comment for the linter, in any file.
struct LintComment {
    /// Its span, from its mark to the end of the line.
    span: Span,
    /// Whether there is nothing before it on its line.
    is_alone: bool,
    rules: Vec<ExemptedRule>,
    has_reason: bool,
}

/// The comment marks of script languages.
const COMMENT_MARKS: [&str; 9] = ["#", "//", "--", ";", "/*", "*", "%", "<!--", "REM"];

/// Finds the comments for the linter within `span`.
fn find_comments(source: &str, span: Span) -> impl Iterator<Item = LintComment> {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("skillpm:"));
    let text = &source[span.clone()];
    FINDER
        .find_iter(text.as_bytes())
        .filter_map(move |at| parse_comment(source, span.start + at))
}

/// Parses the comment with `skillpm:` at a byte; `None` if it is something else.
fn parse_comment(source: &str, at: usize) -> Option<LintComment> {
    let (line_start, line_end) = line_bounds(source, at)?;
    let line_end = line_start + source[line_start..line_end].trim_end_matches('\r').len();

    let before = source[line_start..at].trim_end();
    // `<!--` ends with `--`, so the longest mark is the one that was written.
    let mark = COMMENT_MARKS
        .iter()
        .filter(|mark| before.ends_with(*mark))
        .max_by_key(|mark| mark.len())?;
    let stem = &before[..before.len() - mark.len()];
    // `###` is one mark, and the span covers all of it.
    let start = line_start
        + if *mark == "#" {
            stem.trim_end_matches('#').len()
        } else {
            stem.len()
        };

    let directive = IgnoreDirective::parse(&source[at..line_end])?;
    Some(LintComment {
        span: start..line_end,
        is_alone: source[line_start..start].trim().is_empty(),
        rules: parse_rule_names(directive.list, at + directive.list_start),
        has_reason: directive.reason.chars().any(char::is_alphanumeric),
    })
}

/// `skillpm: ignore[LIST] REASON`.
struct IgnoreDirective<'t> {
    list: &'t str,
    /// Where the list begins in the text of the directive.
    list_start: usize,
    reason: &'t str,
}

impl<'t> IgnoreDirective<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        let after = text
            .strip_prefix("skillpm:")?
            .trim_start()
            .strip_prefix("ignore")?;
        let rest = after.trim_start();
        let rest_start = text.len() - rest.len();

        match rest.strip_prefix('[') {
            Some(list) => {
                let (list, reason) = list.split_once(']')?;
                Some(IgnoreDirective {
                    list,
                    list_start: rest_start + 1,
                    reason,
                })
            }
            // `ignore` alone names no rule. It is kept, so that it can be reported as such.
            None if rest.len() < after.len() || rest.is_empty() => Some(IgnoreDirective {
                list: "",
                list_start: rest_start,
                reason: rest,
            }),
            // `ignored` is another word.
            None => None,
        }
    }
}

/// The bounds of the line of a byte, without its end; `None` if it is too long for a comment. Without this limit, a long
/// line of comments would be scanned once for each of them.
fn line_bounds(source: &str, at: usize) -> Option<(usize, usize)> {
    let (first, last) = (at.saturating_sub(LINE_MAX), source.len().min(at + LINE_MAX));
    let bytes = source.as_bytes();
    let start = memchr::memrchr(b'\n', &bytes[first..at]).map(|end| first + end + 1);
    let end = memchr::memchr(b'\n', &bytes[at..last]).map(|end| at + end);
    // No line end within reach: the start or the end of the text, or a line that is too long.
    let start = start.or_else(|| (first == 0).then_some(0));
    start.zip(end.or_else(|| (last == source.len()).then_some(last)))
}

/// The limit of a line with a comment, in bytes on either side of `skillpm:`.
const LINE_MAX: usize = 4096;

/// Splits a list of rules, which begins at a byte of the file.
fn parse_rule_names(list: &str, at: usize) -> Vec<ExemptedRule> {
    let mut start = at;
    let mut named = Vec::new();
    for word in list.split(',') {
        let text = word.trim();
        let from = start + (word.len() - word.trim_start().len());

        if !text.is_empty() {
            named.push(ExemptedRule {
                text: text.to_owned(),
                span: from..from + text.len(),
                is_used: false,
            });
        }

        start += word.len() + 1;
    }

    named
}

impl LintComment {
    /// Whether it is a YAML comment, if it is not within a value.
    fn is_yaml(&self, source: &str) -> bool {
        source[self.span.start..].starts_with('#')
            && (self.is_alone || source[..self.span.start].ends_with([' ', '\t']))
    }

    fn in_script(self, path: &str, positions: &mut PositionTracker<'_>) -> InlineExemption {
        let (line, _) = positions.position_of(self.span.start);
        // Alone on its line, a comment is about the line below it.
        let last = if self.is_alone { line + 1 } else { line };
        self.into_exemption(path, ExemptionScope::Lines(line, last))
    }

    fn into_exemption(self, path: &str, covers: ExemptionScope) -> InlineExemption {
        InlineExemption {
            path: path.to_owned(),
            scope: covers,
            span: self.span,
            rules: self.rules,
            has_reason: self.has_reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Vec<String> {
        find_comments(source, 0..source.len())
            .map(|comment| {
                let words: Vec<&str> = comment
                    .rules
                    .iter()
                    .map(|named| &source[named.span.clone()])
                    .collect();
                let alone = if comment.is_alone { "alone" } else { "behind" };
                let reason = if comment.has_reason { "why" } else { "-" };
                format!(
                    "{:?} {words:?} {alone} {reason}",
                    &source[comment.span.clone()]
                )
            })
            .collect()
    }

    #[test]
    fn comments_of_every_language_are_parsed() {
        for (source, expected) in [
            (
                "# skillpm: ignore[SK508, x] why\r\nname: a\n",
                r##""# skillpm: ignore[SK508, x] why" ["SK508", "x"] alone why"##,
            ),
            (
                "a  #skillpm:ignore[ x ]",
                r##""#skillpm:ignore[ x ]" ["x"] behind -"##,
            ),
            (
                "  // skillpm: ignore[x]: it is so",
                r#""// skillpm: ignore[x]: it is so" ["x"] alone why"#,
            ),
            (
                "/* skillpm: ignore[x] */",
                r#""/* skillpm: ignore[x] */" ["x"] alone -"#,
            ),
            (
                "-- skillpm: ignore the rest",
                r#""-- skillpm: ignore the rest" [] alone why"#,
            ),
            (
                "## skillpm: ignore[]",
                r###""## skillpm: ignore[]" [] alone -"###,
            ),
        ] {
            assert_eq!(read(source), [expected], "{source}");
        }
    }

    #[test]
    fn similar_comments_are_ignored() {
        for source in [
            "print(\"skillpm: ignore[x]\")",
            "# skillpm: ignored[x]",
            "# skillpm: install",
            "# skillpm: ignore[x",
            "see https://x.example/skillpm: ignore[x]",
        ] {
            assert_eq!(read(source), [""; 0], "{source}");
        }
    }
}
