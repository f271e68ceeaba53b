//! Anchors, aliases, tags and merge keys.

use super::yaml_edit::{
    YamlBlockWriter, column, indent_step, is_non_empty, verify_same_values, walk_nodes, well_formed,
};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange, Span};
use skillpm_core::skill::yaml::{self, YamlNode, YamlNodeKind, YamlStyle};
use skillpm_core::skill::{SkillFrontmatter, line_ending};

pub(super) static RULE: Rule = Rule {
    code: "SK120",
    name: "yaml-anchor-alias-tag",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Unsafely,
    summary: "an anchor, an alias, a tag or a merge key",
    docs: RuleDocs {
        finds: "`&name`, `*name`, `!tag` and the key `<<` in a frontmatter.",
        hurts: "The reference validator rejects them, and agents differ: some merge `<<` and some do not, some treat \
            an unknown tag as an error. A value that begins with `!` or `&` and was intended as text loses its first \
            word.",
        ignore: "Never; write the value out where it is used.",
        bad: &[
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  author: &a Ann\n  owner: *a\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: !important Fill PDF forms.\n---\n\n# PDF\n",
                ),
            )]),
            RuleExample::page(&[(
                "pdf/SKILL.md",
                ExampleFile::Text(
                    "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  size: !!str 3\n---\n\n# PDF\n",
                ),
            )]),
        ],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms & more! *All* of them.\nallowed-tools: Bash(git *)\n---\n\n\
                 # PDF\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

/// An anchor, alias, tag or merge key.
struct YamlIndicator {
    span: Span,
    what: &'static str,
}

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = well_formed(page) else {
        return;
    };

    let yaml = page.source[frontmatter.fences.yaml.clone()].as_bytes();
    // Most frontmatters have none of the three characters, and are not walked.
    if memchr::memchr3(b'&', b'*', b'!', yaml).is_none() {
        return;
    }

    let marks = find_indicators(page.source, frontmatter);
    let Some(first) = marks.first() else { return };
    let shown = page.source[first.span.clone()].escape_debug();
    let finding = RULE
        .finding(format!("`{shown}` is {}", first.what))
        .at_bytes(first.span.clone())
        .note("the reference validator rejects it, and agents differ in how they read it")
        .help("write the value itself; if the character is part of the text, quote it");

    // Labels for a few are enough to see the pattern.
    let more = marks.iter().skip(1).take(8);
    let mut finding = more.fold(finding, |finding, mark| {
        finding.label(mark.span.clone(), mark.what)
    });

    finding.fix = inline_fix(page, frontmatter, &marks);
    found.add(page.path, finding);
}

/// Finds all indicators, in the order of the file: between the scalars, or at an alias.
fn find_indicators(source: &str, frontmatter: &SkillFrontmatter) -> Vec<YamlIndicator> {
    let mut search = IndicatorSearch {
        source,
        at: frontmatter.fences.yaml.start,
        marks: Vec::new(),
    };
    walk_nodes(source, &frontmatter.root, &mut |node| {
        search.visit_node(node);
    });
    search.marks
}

/// The search for indicators, node by node.
struct IndicatorSearch<'s> {
    source: &'s str,
    /// Where the last node that was visited ends.
    at: usize,
    marks: Vec<YamlIndicator>,
}

impl IndicatorSearch<'_> {
    fn visit_node(&mut self, node: &YamlNode) {
        let alias = self
            .source
            .get(node.span.clone())
            .is_some_and(|text| text.starts_with('*'));
        if !alias && !matches!(node.kind, YamlNodeKind::Scalar(..)) {
            return;
        }

        // Properties are written before their node, so they are in the gap to the one before.
        self.collect_properties(self.at..node.span.start.max(self.at));
        if alias {
            self.add_mark(node.span.clone(), "an alias");
        } else if matches!(&node.kind, YamlNodeKind::Scalar(text, YamlStyle::Plain) if text == "<<")
        {
            self.add_mark(node.span.clone(), "a merge key");
        }

        self.at = self.at.max(node.span.end);
    }

    /// Collects anchors and tags in a text that otherwise has only punctuation and comments.
    fn collect_properties(&mut self, gap: Span) {
        let mut at = gap.start;
        while at < gap.end {
            let rest = &self.source[at..gap.end];
            // A comment may contain any of these characters.
            let length = match rest.as_bytes()[0] {
                b'#' => rest.find('\n').unwrap_or(rest.len()),
                first @ (b'&' | b'!') => {
                    let end = rest.find(|c: char| {
                        c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}')
                    });
                    let end = end.unwrap_or(rest.len());
                    let what = if first == b'&' { "an anchor" } else { "a tag" };
                    self.add_mark(at..at + end, what);
                    end
                }
                _ => rest.chars().next().map_or(1, char::len_utf8),
            };

            at += length;
        }
    }

    fn add_mark(&mut self, span: Span, what: &'static str) {
        self.marks.push(YamlIndicator { span, what });
    }
}

/// Replaces aliases by their values, and drops the other indicators.
fn inline_fix(
    page: &MarkdownPage,
    frontmatter: &SkillFrontmatter,
    marks: &[YamlIndicator],
) -> Option<DiagnosticFix> {
    // Merge keys exist in YAML 1.1 only: their meaning depends on the parser.
    if marks.iter().any(|mark| mark.what == "a merge key") {
        return None;
    }

    let mut changes = Vec::new();
    for mark in marks {
        changes.push(match mark.what {
            "an alias" => expand_alias(page.source, frontmatter, mark)?,
            "a tag" => replace_tag(page.source, frontmatter, mark),
            _ => drop_indicator(page.source, mark),
        });
    }

    let message = "replace aliases by their values".into();
    let fix = DiagnosticFix {
        applicability: FixApplicability::Unsafe,
        message,
        changes,
    };
    // A custom tag on a string is probably part of the text.
    let own = marks
        .iter()
        .any(|mark| mark.what == "a tag" && !page.source[mark.span.clone()].starts_with("!!"));
    // Then the values change on purpose: the tag becomes a word of the text.
    if own {
        verify_fix(page, fix)
    } else {
        verify_same_values(page, fix)
    }
}

/// Returns the fix if it results in a valid frontmatter.
fn verify_fix(page: &MarkdownPage, fix: DiagnosticFix) -> Option<DiagnosticFix> {
    let fixed = fix.apply(page.source);
    let after = SkillFrontmatter::open(&fixed, &mut Vec::new())?;
    // A fix must leave nothing that this rule reports, or `--fix` would not end.
    (after.repairs.is_empty() && find_indicators(&fixed, &after).is_empty()).then_some(fix)
}

fn drop_indicator(source: &str, mark: &YamlIndicator) -> FixChange {
    let rest = &source[mark.span.end..];
    // The blanks after it go too, or the value would begin deeper than it did.
    let after = rest.len() - rest.trim_start_matches(' ').len();
    if rest[after..].starts_with(['\r', '\n']) || rest[after..].is_empty() {
        let start = mark.span.start - blanks_before(source, mark.span.start);
        return FixChange::Edit {
            span: start..mark.span.end,
            content: String::new(),
        };
    }

    FixChange::Edit {
        span: mark.span.start..mark.span.end + after,
        content: String::new(),
    }
}

fn blanks_before(source: &str, at: usize) -> usize {
    at - source[..at].trim_end_matches(' ').len()
}

/// Quotes a string with its tag, or instead of its tag; removes the tag of any other value.
fn replace_tag(source: &str, frontmatter: &SkillFrontmatter, mark: &YamlIndicator) -> FixChange {
    let tag = &source[mark.span.clone()];
    // A tag such as `!!int` is dropped.
    if tag.starts_with("!!") && tag != "!!str" {
        return drop_indicator(source, mark);
    }

    let rest = &source[mark.span.end..];
    let start = source.len() - rest.trim_start_matches(' ').len();
    let mut tagged = None;
    walk_nodes(source, &frontmatter.root, &mut |node| {
        if let YamlNodeKind::Scalar(text, YamlStyle::Plain) = &node.kind
            && node.span.start == start
        {
            tagged = Some((text, node.span.end));
        }
    });
    let Some((text, end)) = tagged else {
        return drop_indicator(source, mark);
    };

    // A custom tag is part of the text.
    let text = if tag == "!!str" {
        text.to_string()
    } else {
        format!("{tag} {text}")
    };
    FixChange::Edit {
        span: mark.span.start..end,
        content: yaml::quote(&text),
    }
}

/// Replaces an alias by its value.
fn expand_alias(
    source: &str,
    frontmatter: &SkillFrontmatter,
    mark: &YamlIndicator,
) -> Option<FixChange> {
    let mut content = None;
    walk_nodes(source, &frontmatter.root, &mut |node| {
        if content.is_none() {
            content = expand_alias_in(source, frontmatter, mark, node);
        }
    });
    let content = content?;

    let blanks = if content.starts_with(['\r', '\n']) {
        blanks_before(source, mark.span.start)
    } else {
        0
    };

    Some(FixChange::Edit {
        span: mark.span.start - blanks..mark.span.end,
        content,
    })
}

/// The value of an alias, if a node is it or is a mapping with it.
fn expand_alias_in(
    source: &str,
    frontmatter: &SkillFrontmatter,
    mark: &YamlIndicator,
    node: &YamlNode,
) -> Option<String> {
    if let YamlNodeKind::Mapping(entries, _) = &node.kind {
        let (key, value) = entries.iter().find(|(_, value)| value.span == mark.span)?;
        return copy_value(source, frontmatter, key, value);
    }
    if node.span == mark.span {
        inline_scalar(node)
    } else {
        None
    }
}

fn copy_value(
    source: &str,
    frontmatter: &SkillFrontmatter,
    key: &YamlNode,
    value: &YamlNode,
) -> Option<String> {
    // A scalar fits in the place of the alias; a collection needs lines of its own.
    if !is_non_empty(value) {
        return inline_scalar(value);
    }

    let step = indent_step(source, &frontmatter.root);
    let indent = column(source, key.span.start) + step;
    let blocks = YamlBlockWriter {
        source,
        line_end: line_ending(source),
        step,
    };

    Some(format!(
        "{}{}{}",
        blocks.line_end,
        " ".repeat(indent),
        blocks.write_lines(value, indent)?
    ))
}

fn inline_scalar(node: &YamlNode) -> Option<String> {
    match &node.kind {
        YamlNodeKind::Scalar(text, YamlStyle::Plain) if !text.contains('\n') => {
            Some(text.to_string())
        }
        YamlNodeKind::Scalar(text, _) => Some(yaml::quote(text)),
        _ => None,
    }
}
