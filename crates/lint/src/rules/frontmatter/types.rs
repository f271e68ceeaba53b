//! Fields of another type than the specification gives them.

use super::written::{Blocks, after_colon, column, sound, step};
use crate::lint::{Check, Docs, Example, Fixes, Found, Page, Piece, Rule, Subject};
use crate::report::{Applicability, Fix, Level};
use crate::skill::line_end;
use crate::skill::yaml::{self, Kind, Node, Style, Typed};

pub(super) static RULE: Rule = Rule {
    code: "SK134",
    name: "wrong-type",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a field is no text, no mapping or no truth value where it must be",
    docs: Docs {
        finds: "A `name`, `description`, `license` or `compatibility` that is no text, a `metadata` that is no mapping, an \
                `allowed-tools` that is neither a text nor a list, and a switch such as `user-invocable` that is neither \
                `true` nor `false`.",
        hurts: "Agents drop a skill whose name or description is no text. Other fields they pass over: a switch that is \
                `\"yes\"` switches nothing.",
        ignore: "Never; but OpenClaw reads a `metadata` that is JSON in a text, and an author who writes for it alone may \
                 keep it.",
        bad: &[
            Example::page(&[("123/SKILL.md", Piece::Text("---\nname: 123\ndescription: Counts.\n---\n\n# Count\n"))]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nlicense:\n  - MIT\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nuser-invocable: \"no\"\n---\n\n# PDF\n"),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: '{\"a\": \"b\"}'\n---\n\n# PDF\n"),
            )]),
        ],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\nlicense: MIT\nuser-invocable: false\nmetadata:\n  a: b\n\
                 allowed-tools: Read\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: Check::Skill(check),
};

/// Fields that are switches.
const SWITCHES: [&str; 2] = ["disable-model-invocation", "user-invocable"];

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let Some(frontmatter) = &page.frontmatter else { return };
    for (key, value) in frontmatter.root.entries().unwrap_or_default() {
        // What had to be read as a text is told already; brackets that are, stay no mapping when they are mended.
        let mended = frontmatter.mends.iter().filter(|mend| mend.rule != "yaml-broken-flow");
        if mended.into_iter().any(|mend| mend.span.start < value.span.end && value.span.start < mend.span.end) {
            continue;
        }
        match key.text().unwrap_or_default() {
            field @ ("license" | "compatibility") => text(page, field, value, found),
            "metadata" => mapping(page, key, value, found),
            "allowed-tools" => tools(page, value, found),
            field if SWITCHES.contains(&field) => switch(page, field, value, found),
            _ => {}
        }
    }
}

/// What a value is, in words.
pub(super) fn sort(value: &Node) -> &'static str {
    match value.typed() {
        Some(Typed::Text(_)) => "a text",
        Some(Typed::Null) => "empty",
        Some(Typed::Bool(_)) => "a truth value",
        Some(Typed::Int(_) | Typed::Float(_)) => "a number",
        None if value.items().is_some() => "a list",
        None => "a mapping",
    }
}

fn tell(page: &Page, field: &str, wanted: &str, value: &Node, help: String, fix: Option<Fix>, found: &mut Found) {
    let finding = RULE.finding(format!("`{field}` is {}; {wanted} is wanted", sort(value)));
    let mut finding = finding.at(value.span.clone(), page.source).help(help);
    finding.fix = fix.filter(|_| sound(page).is_some());
    found.add(page.path, finding);
}

fn text(page: &Page, field: &str, value: &Node, found: &mut Found) {
    let (help, fix) = match value.typed() {
        Some(Typed::Text(_) | Typed::Null) => return,
        Some(_) => {
            let quoted = yaml::quote(value.text().unwrap_or_default());
            let fix = Fix::edit(Applicability::Safe, "quote the value", value.span.clone(), &quoted);
            (format!("put it in quotes: `{quoted}`"), value.tag.is_none().then_some(fix))
        }
        None => ("write it as one text".to_owned(), None),
    };
    tell(page, field, "a text", value, help, fix, found);
}

fn mapping(page: &Page, key: &Node, value: &Node, found: &mut Found) {
    if value.entries().is_some() || value.is_null() {
        return;
    }
    let help = "write `key: value` below it, each on its own line".to_owned();
    tell(page, "metadata", "a mapping", value, help, unfolded(page, key, value), found);
}

/// The mapping that a text of JSON holds, line by line.
fn unfolded(page: &Page, key: &Node, value: &Node) -> Option<Fix> {
    let text = value.text()?;
    let inner = yaml::parse_text(text).ok()?.root.filter(|root| root.entries().is_some_and(|e| !e.is_empty()))?;
    let (colon, _) = after_colon(page.source, key, value).filter(|(_, blank)| *blank)?;
    let step = step(page.source, &page.frontmatter.as_ref()?.root);
    let indent = column(page.source, key.span.start) + step;
    let blocks = Blocks { source: text, line_end: line_end(page.source), step };
    let content = format!("{}{}{}", blocks.line_end, " ".repeat(indent), blocks.lines(&inner, indent)?);
    Some(Fix::edit(Applicability::Safe, "write it line by line", colon..value.span.end, content))
}

fn tools(page: &Page, value: &Node, found: &mut Found) {
    let is_text = |node: &Node| matches!(node.typed(), Some(Typed::Text(_)));
    let fine = is_text(value) || value.is_null() || value.items().is_some_and(|items| items.iter().all(is_text));
    if !fine {
        let odd = value.items().and_then(|items| items.iter().find(|item| !is_text(item))).unwrap_or(value);
        let help = "write the tools' names with blanks between: `Read Bash(git:*)`".to_owned();
        let field = if value.items().is_some() { "an item of `allowed-tools`" } else { "`allowed-tools`" };
        let finding = RULE.finding(format!("{field} is {}; a text is wanted", sort(odd)));
        found.add(page.path, finding.at(odd.span.clone(), page.source).help(help));
    }
}

fn switch(page: &Page, field: &str, value: &Node, found: &mut Found) {
    if matches!(value.typed(), Some(Typed::Bool(_) | Typed::Null)) {
        return;
    }
    let meant = match value.text().unwrap_or_default().trim().to_ascii_lowercase().as_str() {
        "true" | "yes" | "on" | "y" | "1" => Some("true"),
        "false" | "no" | "off" | "n" | "0" => Some("false"),
        _ => None,
    };
    let help = format!("write `{field}: {}`", meant.unwrap_or("true"));
    let plain = matches!(value.kind, Kind::Scalar(_, Style::Plain | Style::SingleQuoted | Style::DoubleQuoted));
    let fix = meant.filter(|_| plain && value.tag.is_none());
    let fix = fix.map(|meant| Fix::edit(Applicability::Safe, format!("write `{meant}`"), value.span.clone(), meant));
    tell(page, field, "`true` or `false`", value, help, fix, found);
}
