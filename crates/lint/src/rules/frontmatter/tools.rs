//! How `allowed-tools` is written.

use super::written::{after_colon, scalar, sound};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level, Span};
use crate::skill::yaml::{self, Kind, Node, Style, Typed};

/// A skill with these tools.
macro_rules! page {
    ($fields:expr) => {
        Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(concat!("---\nname: pdf\ndescription: Fill PDF forms.\n", $fields, "---\n\n# PDF forms\n")),
        )])
    };
}

pub(super) static FORMAT: Rule = Rule {
    code: "SK137",
    name: "allowed-tools-format",
    level: Some(Level::Note),
    fix: Fixes::Safely,
    summary: "`allowed-tools` is a list, or has commas",
    docs: Docs {
        finds: "An `allowed-tools` that is a YAML list, or a text with commas between the tools.",
        hurts: "The specification has one text with blanks between the tools. Claude Code reads all three; a reader that \
                keeps to the specification takes `Read,` for the name of a tool.",
        ignore: "A skill for Claude Code alone.",
        bad: &[
            page!("allowed-tools: Read, Bash(git add:*), Grep\n"),
            page!("allowed-tools:\n  - Read\n  - Bash(git add:*)\n"),
        ],
        good: &[page!("allowed-tools: Read Bash(git add:*) Grep\n")],
    },
    check: Check::Skill(check),
};

pub(super) static SYNTAX: Rule = Rule {
    code: "SK138",
    name: "allowed-tools-syntax",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a pattern in `allowed-tools` is malformed",
    docs: Docs {
        finds: "A tool whose parentheses do not match or have nothing between them, and `:*` before the end of a pattern \
                of `Bash`.",
        hurts: "Agents pass such a pattern over: what it was to allow has to be asked for every time.",
        ignore: "Never; the pattern does nothing.",
        bad: &[
            page!("allowed-tools: Read Bash(git add:*\n"),
            page!("allowed-tools: Read Bash()\n"),
            page!("allowed-tools: Bash(git:* push)\n"),
        ],
        good: &[page!("allowed-tools: Read Bash(git push:*) WebFetch(domain:*.example.com)\n")],
    },
    check: Check::With("allowed-tools-format"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let entry = page.frontmatter.as_ref().and_then(|frontmatter| frontmatter.root.entry("allowed-tools"));
    let Some((key, value)) = entry else { return };
    match &value.kind {
        Kind::Scalar(text, _) => {
            let tools = tools(text);
            for (tool, place) in &tools {
                syntax(page, tool, place_of(page, value, text, place), found);
            }
            let closed = tools.iter().all(|(tool, _)| fault(tool).is_none());
            if closed && commas(text) {
                let names: Vec<&str> = tools.iter().map(|(tool, _)| *tool).collect();
                format(page, "has commas", value, quoted_as(page, value, &names.join(" ")), found);
            }
        }
        Kind::Sequence(items, _) => {
            for item in items {
                if let Some(tool) = item.text() {
                    syntax(page, tool.trim(), item.span.clone(), found);
                }
            }
            if items.iter().all(|item| matches!(item.typed(), Some(Typed::Text(_)))) {
                format(page, "is a list", value, joined(page, key, value, items), found);
            }
        }
        Kind::Mapping(..) => {}
    }
}

fn format(page: &Page, what: &str, value: &Node, fix: Option<Fix>, found: &mut Found) {
    let mut finding = FORMAT
        .finding(format!("`allowed-tools` {what}; the specification has one text with blanks between the tools"))
        .at(value.span.clone(), page.source)
        .help("write it so: `allowed-tools: Read Bash(git:*)`");
    finding.fix = fix.filter(|_| sound(page).is_some());
    found.add(page.path, finding);
}

/// The text in the quotes that the value has.
fn quoted_as(page: &Page, value: &Node, text: &str) -> Option<Fix> {
    let content = match &value.kind {
        _ if value.tag.is_some() => return None,
        Kind::Scalar(_, Style::DoubleQuoted) => yaml::quote(text),
        Kind::Scalar(_, Style::SingleQuoted) => format!("'{}'", text.replace('\'', "''")),
        Kind::Scalar(_, Style::Plain) => scalar(text),
        _ if page.source[value.span.clone()].contains('#') => return None,
        _ => scalar(text),
    };
    Some(Fix::edit(Applicability::Safe, "write blanks instead of commas", value.span.clone(), content))
}

/// The items of a list as one text, if each is one tool.
fn joined(page: &Page, key: &Node, value: &Node, items: &[Node]) -> Option<Fix> {
    let names: Vec<&str> = items.iter().filter_map(Node::text).map(str::trim).collect();
    let single = |name: &&str| tools(name).len() == 1 && fault(name).is_none();
    let plain = !page.source[value.span.clone()].contains(['#', '&', '!']);
    let (colon, blank) = after_colon(page.source, key, value)?;
    if names.is_empty() || !names.iter().all(single) || !plain || !blank {
        return None;
    }
    let content = format!(" {}", scalar(&names.join(" ")));
    Some(Fix::edit(Applicability::Safe, "write one text", colon..value.span.end, content))
}

fn syntax(page: &Page, tool: &str, span: Span, found: &mut Found) {
    if let Some(fault) = fault(tool) {
        let short: String = tool.chars().take(60).collect();
        let finding = SYNTAX.finding(format!("`{}` {fault}", short.escape_debug())).at(span, page.source);
        found.add(page.path, finding.help("a pattern is written `Tool(pattern)`, such as `Bash(git add:*)`"));
    }
}

/// What is wrong with a tool's pattern.
fn fault(tool: &str) -> Option<&'static str> {
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
    let (name, rest) = tool.split_once('(')?;
    let pattern = rest.strip_suffix(')')?;
    if pattern.trim().is_empty() {
        return Some("has nothing between its parentheses");
    }
    let early = pattern.match_indices(":*").any(|(at, _)| {
        let after = &pattern[at + 2..];
        after.starts_with(' ') && !after.trim().is_empty()
    });
    (name == "Bash" && early).then_some("has `:*` before its end, where it means nothing")
}

/// The tools of a text and where in it they stand: between blanks and commas outside of parentheses.
fn tools(text: &str) -> Vec<(&str, Span)> {
    let (mut tools, mut start, mut depth) = (Vec::new(), None, 0usize);
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

/// Whether a comma stands between tools.
fn commas(text: &str) -> bool {
    let mut depth = 0usize;
    text.chars().any(|c| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && c == ','
    })
}

/// Where a tool stands in the file; the whole value, if it is written otherwise than it reads.
fn place_of(page: &Page, value: &Node, text: &str, place: &Span) -> Span {
    let written = &page.source[value.span.clone()];
    let start = match written.find(text) {
        Some(at) => value.span.start + at,
        None => return value.span.clone(),
    };
    start + place.start..start + place.end
}
