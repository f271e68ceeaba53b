//! The format and syntax of `allowed-tools`.

use super::yaml_edit::{after_colon, to_scalar, well_formed};
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, RuleExample,
};
use skillpm_core::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, Span};
use skillpm_core::skill::yaml::{self, TypedScalar, YamlNode, YamlNodeKind, YamlStyle};

/// A skill with these tools.
macro_rules! page {
    ($fields:expr) => {
        RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(concat!(
                "---\nname: pdf\ndescription: Fill PDF forms.\n",
                $fields,
                "---\n\n# PDF forms\n"
            )),
        )])
    };
}

pub(super) static FORMAT: Rule = Rule {
    code: "SK137",
    name: "allowed-tools-format",
    // A note: Claude Code, for which most of these lists are written, reads all three forms.
    level: Some(DiagnosticLevel::Note),
    fix: FixAvailability::Safely,
    summary: "`allowed-tools` is a list, or contains commas",
    docs: RuleDocs {
        finds: "An `allowed-tools` that is a YAML list, or a string with commas between the tools.",
        hurts: "The specification defines a string with spaces between the tools. Claude Code reads all three forms; \
            a strict parser reads `Read,` as the name of a tool.",
        ignore: "The skill is for Claude Code only. `--fix` leaves a list alone if one of its patterns contains \
            spaces: readers of the specification's form would split it there.",
        bad: &[
            page!("allowed-tools: Read, Bash(git:*), Grep\n"),
            page!("allowed-tools:\n  - Read\n  - Bash(git:*)\n"),
            page!("allowed-tools:\n  - Read\n  - Bash(git add *)\n"),
        ],
        good: &[page!("allowed-tools: Read Bash(git add:*) Grep\n")],
    },
    check: RuleCheck::Skill(check),
};

pub(super) static SYNTAX: Rule = Rule {
    code: "SK138",
    name: "allowed-tools-syntax",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "a pattern in `allowed-tools` is invalid",
    docs: RuleDocs {
        finds: "A tool with unbalanced or empty parentheses, and `:*` before the end of a `Bash` pattern.",
        hurts: "Agents ignore such a pattern, and ask for confirmation every time.",
        ignore: "Never; the pattern has no effect.",
        bad: &[
            page!("allowed-tools: Read Bash(git add:*\n"),
            page!("allowed-tools: Read Bash()\n"),
            page!("allowed-tools: Bash(git:* push)\n"),
        ],
        good: &[page!(
            "allowed-tools: Read Bash(git push:*) WebFetch(domain:*.example.com)\n"
        )],
    },
    check: RuleCheck::SharedWith("allowed-tools-format"),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let entry = page
        .frontmatter
        .as_ref()
        .and_then(|frontmatter| frontmatter.root.entry("allowed-tools"));
    let Some((key, value)) = entry else { return };

    match &value.kind {
        YamlNodeKind::Scalar(text, _) => check_text(page, value, text, found),
        YamlNodeKind::Sequence(items, _) => check_list(page, key, value, items, found),
        // `wrong-type` reports it.
        YamlNodeKind::Mapping(..) => {}
    }
}

fn check_text(page: &MarkdownPage, value: &YamlNode, text: &str, found: &mut FindingList) {
    let tools = split_tools(text);
    for (tool, place) in &tools {
        check_syntax(page, tool, span_of_tool(page, value, text, place), found);
    }

    // Inside an open parenthesis, a comma may belong to a pattern.
    let closed = tools.iter().all(|(tool, _)| syntax_fault(tool).is_none());
    if closed && has_commas(text) {
        let names: Vec<&str> = tools.iter().map(|(tool, _)| *tool).collect();
        let fix = join_tools(&names).and_then(|text| requote_fix(page, value, &text));
        report_format(page, "contains commas", value, fix, found);
    }
}

fn check_list(
    page: &MarkdownPage,
    key: &YamlNode,
    value: &YamlNode,
    items: &[YamlNode],
    found: &mut FindingList,
) {
    for item in items {
        if let Some(tool) = item.text() {
            check_syntax(page, tool.trim(), item.span.clone(), found);
        }
    }

    // An item of another type is an error of its own, and the list cannot be joined.
    if items
        .iter()
        .all(|item| matches!(item.typed(), Some(TypedScalar::Text(_))))
    {
        let fix = join_fix(page, key, value, items);
        report_format(page, "is a list", value, fix, found);
    }
}

fn report_format(
    page: &MarkdownPage,
    what: &str,
    value: &YamlNode,
    fix: Option<DiagnosticFix>,
    found: &mut FindingList,
) {
    let mut finding = FORMAT
        .finding(format!(
            "`allowed-tools` {what}; the specification requires a string with spaces between the tools"
        ))
        .at_bytes(value.span.clone())
        .help("use this format: `allowed-tools: Read Bash(git:*)`");
    finding.fix = fix.filter(|_| well_formed(page).is_some());
    found.add(page.path, finding);
}

/// The fix that replaces the text and keeps the quotes of the value.
fn requote_fix(page: &MarkdownPage, value: &YamlNode, text: &str) -> Option<DiagnosticFix> {
    let content = match &value.kind {
        // With a tag the value is more than the text.
        _ if value.tag.is_some() => return None,
        YamlNodeKind::Scalar(_, YamlStyle::DoubleQuoted) => yaml::quote(text),
        YamlNodeKind::Scalar(_, YamlStyle::SingleQuoted) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        YamlNodeKind::Scalar(_, YamlStyle::Plain) => to_scalar(text),
        // A comment within a block scalar's header would be lost.
        _ if page.source[value.span.clone()].contains('#') => return None,
        _ => to_scalar(text),
    };
    Some(DiagnosticFix::edit(
        FixApplicability::Safe,
        "replace commas with spaces",
        value.span.clone(),
        content,
    ))
}

/// The fix that joins the items of a list into a string, if each is one tool.
fn join_fix(
    page: &MarkdownPage,
    key: &YamlNode,
    value: &YamlNode,
    items: &[YamlNode],
) -> Option<DiagnosticFix> {
    let names: Vec<&str> = items
        .iter()
        .filter_map(YamlNode::text)
        .map(str::trim)
        .collect();
    let single = |name: &&str| split_tools(name).len() == 1 && syntax_fault(name).is_none();
    let plain = !page.source[value.span.clone()].contains(['#', '&', '!']);
    let (colon, blank) = after_colon(page.source, key, value)?;
    // `Read Write` in one item is two tools.
    if names.is_empty() || !names.iter().all(single) || !plain || !blank {
        return None;
    }

    let content = format!(" {}", to_scalar(&join_tools(&names)?));
    Some(DiagnosticFix::edit(
        FixApplicability::Safe,
        "write it as one string",
        colon..value.span.end,
        content,
    ))
}

/// The tools with spaces between them; `None` if one has spaces itself, at which readers that split there would cut it.
fn join_tools(names: &[&str]) -> Option<String> {
    let is_whole = |name: &&str| !name.contains(char::is_whitespace);
    names.iter().all(is_whole).then(|| names.join(" "))
}

fn check_syntax(page: &MarkdownPage, tool: &str, span: Span, found: &mut FindingList) {
    if let Some(fault) = syntax_fault(tool) {
        // A pattern comes from the file, and may be as long as the file.
        let short: String = tool.chars().take(60).collect();
        let finding = SYNTAX
            .finding(format!("`{}` {fault}", short.escape_debug()))
            .at_bytes(span);
        found.add(
            page.path,
            finding.help("write a pattern as `Tool(pattern)`, such as `Bash(git add:*)`"),
        );
    }
}

/// The syntax error of a tool's pattern.
fn syntax_fault(tool: &str) -> Option<&'static str> {
    let mut depth = 0usize;
    for c in tool.chars() {
        match c {
            '(' => depth += 1,
            ')' if depth == 0 => return Some("closes a parenthesis that is not open"),
            ')' => depth -= 1,
            _ => {}
        }
    }
    if depth > 0 {
        return Some("does not close its parenthesis");
    }

    // A tool without parentheses has no pattern that could be wrong.
    let (name, rest) = tool.split_once('(')?;
    let pattern = rest.strip_suffix(')')?;
    if pattern.trim().is_empty() {
        return Some("has empty parentheses");
    }
    let early = pattern.match_indices(":*").any(|(at, _)| {
        let after = &pattern[at + 2..];
        // `Bash(git:* push)`: nothing can follow a prefix.
        after.starts_with(' ') && !after.trim().is_empty()
    });

    (name == "Bash" && early).then_some("has `:*` before its end, where it has no effect")
}

/// Splits a text into tools with their spans, at whitespace and commas outside of parentheses.
fn split_tools(text: &str) -> Vec<(&str, Span)> {
    let (mut tools, mut start, mut depth) = (Vec::new(), None, 0usize);
    // The end of the text ends the last tool, even within an open parenthesis.
    for (at, c) in text.char_indices().chain([(text.len(), ' ')]) {
        if at == text.len() || (depth == 0 && (c == ',' || c.is_whitespace())) {
            tools.extend(start.take().map(|start| (&text[start..at], start..at)));
            continue;
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        start = start.or(Some(at));
    }
    tools
}

/// Whether there is a comma between tools.
fn has_commas(text: &str) -> bool {
    let mut depth = 0usize;
    for c in text.chars() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return true,
            _ => {}
        }
    }
    false
}

/// The span of a tool in the file; the whole value, if it is written with escapes.
fn span_of_tool(page: &MarkdownPage, value: &YamlNode, text: &str, place: &Span) -> Span {
    let written = &page.source[value.span.clone()];
    let start = match written.find(text) {
        Some(at) => value.span.start + at,
        None => return value.span.clone(),
    };
    start + place.start..start + place.end
}
