//! What a skill says about rules in its own files: that a finding is meant to be there, and why.
//!
//! ```text
//! ---
//! # skillpm: ignore[broad-bash, SK508] the reason why     covers the whole skill
//! name: pdf
//! ---
//! curl "$URL"  # skillpm: ignore[curl-pipe-shell] reason   in a script: covers its line
//! # skillpm: ignore[SK607] reason                          or, alone on a line, the next one
//! ```
//!
//! A YAML comment is the place for it because agents strip it; a comment in the instructions would be read, and paid
//! for, at every call.

use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::rules::{self, suppressions};
use super::{Check, Content, Found, Page, Rule, Settings, SkillDir, below, join};
use crate::report::{Finding, Span, position};
use crate::skill::Frontmatter;
use crate::skill::yaml::{Kind, Node};

/// One comment that exempts from rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exemption {
    /// The file it stands in, relative to the skill's directory.
    pub(super) path: String,
    /// What it covers.
    covers: Covers,
    /// The comment, from its mark to the end of the line.
    pub(super) span: Span,
    /// The rules it names.
    pub(super) named: Vec<Named>,
    /// Whether it says why.
    pub(super) has_reason: bool,
}

/// A rule that a comment names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    /// The word.
    pub(super) text: String,
    /// Where it stands.
    pub(super) span: Span,
    /// Whether it covered anything so far.
    is_used: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Covers {
    /// All files of the skill.
    Skill,
    /// These two lines of its file, counted from 1, which may be the same; and what is about that file as a whole.
    Lines(usize, usize),
}

/// All exemptions in the files of a skill.
pub(super) fn exemptions(skill: &SkillDir, page: Option<&Page<'_>>) -> Vec<Exemption> {
    let mut exemptions = page.map(in_frontmatter).unwrap_or_default();
    for file in &skill.files {
        let is_prose = ["md", "mdx", "markdown"].iter().any(|end| file.extension().eq_ignore_ascii_case(end));
        if let (false, Content::Text(text)) = (is_prose, &file.content) {
            exemptions.extend(comments(text, 0..text.len()).map(|comment| comment.in_script(&file.path, text)));
        }
    }
    exemptions
}

/// Takes away what is exempted.
pub(super) fn settle(findings: &mut Vec<Finding>, exemptions: &mut [Exemption], skill: &str) {
    if exemptions.is_empty() {
        return;
    }
    findings.retain(|finding| {
        let covering = exemptions.iter_mut().filter(|one| one.covers(finding, skill));
        let mut uses = covering.filter(|one| one.holds_for(&finding.diagnostic.rule)).flat_map(|one| &mut one.named);
        match uses.find(|named| named.means(&finding.diagnostic.rule)) {
            None => true,
            Some(named) => {
                named.is_used = true;
                false
            }
        }
    });
}

/// Adds what is wrong with the exemptions themselves, once all that they could cover was found.
pub(super) fn judge(skill: &SkillDir, exemptions: &[Exemption], settings: &Settings, found: &mut Found) {
    for exemption in exemptions {
        let Some(source) = skill.file(&exemption.path).and_then(super::File::text) else { continue };
        suppressions::judge(exemption, source, found);
        let path = join(&skill.path, &exemption.path);
        let idle: Vec<&Named> =
            exemption.named.iter().filter(|named| !named.is_used && named.could_be_used(settings, &path)).collect();
        if !idle.is_empty() {
            suppressions::unused(exemption, &idle, source, found);
        }
    }
}

impl Exemption {
    fn covers(&self, finding: &Finding, skill: &str) -> bool {
        match self.covers {
            Covers::Skill => true,
            Covers::Lines(first, last) => {
                below(skill, &finding.path) == Some(&self.path)
                    && finding.diagnostic.position.is_none_or(|(line, _)| (first..=last).contains(&line))
            }
        }
    }

    /// Whether it counts for a rule; for one about security only with a reason.
    fn holds_for(&self, rule: &str) -> bool {
        self.has_reason || !rules::find(rule).is_some_and(Rule::is_security)
    }
}

impl Named {
    fn means(&self, rule: &str) -> bool {
        self.text == rule || rules::find(&self.text).is_some_and(|named| named.name == rule)
    }

    /// Whether it can be told that it covers nothing: rules about several skills may not have seen the others.
    fn could_be_used(&self, settings: &Settings, path: &str) -> bool {
        let Some(rule) = rules::find(&self.text) else { return false };
        let leader = match rule.check {
            Check::With(name) => rules::find(name),
            _ => Some(rule),
        };
        let is_seen = leader.is_some_and(|leader| matches!(leader.check, Check::Reader | Check::Skill(_)));
        is_seen && settings.level(rule, path).is_some()
    }
}

fn in_frontmatter(page: &Page<'_>) -> Vec<Exemption> {
    let Some(frontmatter) = &page.frontmatter else { return Vec::new() };
    let is_comment = |comment: &Comment| comment.is_yaml(page.source) && !is_text(frontmatter, comment.span.start);
    let found = comments(page.source, frontmatter.fences.yaml.clone()).filter(is_comment);
    found.map(|comment| comment.into_exemption(page.path, Covers::Skill)).collect()
}

/// Whether a byte of the frontmatter stands within a value.
fn is_text(frontmatter: &Frontmatter<'_>, at: usize) -> bool {
    fn holds(node: &Node<'_>, at: usize) -> bool {
        match &node.kind {
            Kind::Scalar(..) => node.span.contains(&at),
            Kind::Sequence(items, _) => items.iter().any(|item| holds(item, at)),
            Kind::Mapping(entries, _) => entries.iter().any(|(key, value)| holds(key, at) || holds(value, at)),
        }
    }
    holds(&frontmatter.root, at)
}

/// A comment that speaks to the linter, wherever it was found.
struct Comment {
    /// From its mark to the end of the line.
    span: Span,
    /// Whether nothing stands before it on its line.
    is_alone: bool,
    named: Vec<Named>,
    has_reason: bool,
}

/// What marks a comment, in the languages of scripts.
const MARKS: [&str; 9] = ["#", "//", "--", ";", "/*", "*", "%", "<!--", "REM"];

/// The comments within `span` that speak to the linter.
fn comments(source: &str, span: Span) -> impl Iterator<Item = Comment> {
    static FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("skillpm:"));
    let text = &source[span.clone()];
    FINDER.find_iter(text.as_bytes()).filter_map(move |at| comment(source, span.start + at))
}

/// The comment whose `skillpm:` stands at a byte; `None` if it is something else.
fn comment(source: &str, at: usize) -> Option<Comment> {
    let line_start = source[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = at + source[at..].find('\n').unwrap_or(source.len() - at);
    let line_end = line_start + source[line_start..line_end].trim_end_matches('\r').len();
    let before = source[line_start..at].trim_end();
    let mark = MARKS.iter().filter(|mark| before.ends_with(*mark)).max_by_key(|mark| mark.len())?;
    let stem = &before[..before.len() - mark.len()];
    let start = line_start + if *mark == "#" { stem.trim_end_matches('#').len() } else { stem.len() };
    let after = source[at..line_end].strip_prefix("skillpm:")?.trim_start().strip_prefix("ignore")?;
    let rest = after.trim_start();
    let (list, reason) = match rest.strip_prefix('[') {
        Some(list) => list.split_once(']')?,
        None if rest.len() < after.len() || rest.is_empty() => (&rest[..0], rest),
        None => return None,
    };
    Some(Comment {
        span: start..line_end,
        is_alone: source[line_start..start].trim().is_empty(),
        named: named(list, line_end - rest.len() + usize::from(rest.starts_with('['))),
        has_reason: reason.chars().any(char::is_alphanumeric),
    })
}

/// The words of a list, which begins at a byte of the file.
fn named(list: &str, at: usize) -> Vec<Named> {
    let mut start = at;
    let mut named = Vec::new();
    for word in list.split(',') {
        let text = word.trim();
        let from = start + (word.len() - word.trim_start().len());
        if !text.is_empty() {
            named.push(Named { text: text.to_owned(), span: from..from + text.len(), is_used: false });
        }
        start += word.len() + 1;
    }
    named
}

impl Comment {
    /// Whether YAML takes it for a comment, if it does not stand within a value.
    fn is_yaml(&self, source: &str) -> bool {
        source[self.span.start..].starts_with('#')
            && (self.is_alone || source[..self.span.start].ends_with([' ', '\t']))
    }

    fn in_script(self, path: &str, source: &str) -> Exemption {
        let (line, _) = position(source, self.span.start);
        let last = if self.is_alone { line + 1 } else { line };
        self.into_exemption(path, Covers::Lines(line, last))
    }

    fn into_exemption(self, path: &str, covers: Covers) -> Exemption {
        Exemption { path: path.to_owned(), covers, span: self.span, named: self.named, has_reason: self.has_reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(source: &str) -> Vec<String> {
        comments(source, 0..source.len())
            .map(|comment| {
                let words: Vec<&str> = comment.named.iter().map(|named| &source[named.span.clone()]).collect();
                let alone = if comment.is_alone { "alone" } else { "behind" };
                let reason = if comment.has_reason { "why" } else { "-" };
                format!("{:?} {words:?} {alone} {reason}", &source[comment.span.clone()])
            })
            .collect()
    }

    #[test]
    fn comments_of_every_language_are_read_with_their_words() {
        for (source, expected) in [
            (
                "# skillpm: ignore[SK508, x] why\r\nname: a\n",
                r##""# skillpm: ignore[SK508, x] why" ["SK508", "x"] alone why"##,
            ),
            ("a  #skillpm:ignore[ x ]", r##""#skillpm:ignore[ x ]" ["x"] behind -"##),
            ("  // skillpm: ignore[x]: it is so", r#""// skillpm: ignore[x]: it is so" ["x"] alone why"#),
            ("/* skillpm: ignore[x] */", r#""/* skillpm: ignore[x] */" ["x"] alone -"#),
            ("-- skillpm: ignore the rest", r#""-- skillpm: ignore the rest" [] alone why"#),
            ("## skillpm: ignore[]", r###""## skillpm: ignore[]" [] alone -"###),
        ] {
            assert_eq!(read(source), [expected], "{source}");
        }
    }

    #[test]
    fn what_only_looks_like_one_is_none() {
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
