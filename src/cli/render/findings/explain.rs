//! What there is to know of a rule: as text for people, as Markdown for SARIF, as an object. `docs/rules.md` is the index.
//!
//! ```text
//! SK401 body-empty · warning · no fix
//! the body is empty
//!
//! A `SKILL.md` with only blank lines after its frontmatter.
//! ```

use serde_json::{Value, json};

use super::{DrawOptions, FileFindings, by_file, human, level_style, rule_url};
use crate::cli::render::foreign_text::{escape_example, escape_line};
use crate::cli::render::terminal::{BAD, GOOD};
use crate::lint::{ExampleFile, FixAvailability, Rule, RuleExample, examples};
use crate::report::{DiagnosticLevel, FileFinding};

/// The explanation for people, with the findings in the bad example.
pub(in crate::cli) fn render_text(rule: &Rule, drawing: DrawOptions) -> String {
    let style = rule.level.map(level_style).unwrap_or_default();
    let mut text = format!(
        "{style}{}{style:#} {}: {}\nby default {}; {}\n\n{}",
        rule.code,
        rule.name,
        rule.summary,
        level_word(rule),
        describe_fix(rule.fix),
        render_prose(rule)
    );

    for (style, word, example) in [
        // One of each is enough to see the difference; the tests check all of them.
        (BAD, "Bad", rule.docs.bad.first()),
        (GOOD, "Good", rule.docs.good.first()),
    ] {
        let Some(example) = example else { continue };
        for (path, content) in example_files(example) {
            text.push_str(&format!(
                "\n{style}{word}{style:#}: {path}\n\n{}",
                indent_lines(&content)
            ));
        }
    }

    if let Some(drawn) = draw_example_findings(rule, drawing) {
        text.push_str(&format!("\nWhat is found there:\n\n{drawn}"));
    }

    // The drawn findings end with an empty line, and the text must not.
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// What it finds, why that hurts, and when to leave it, a paragraph each.
pub(super) fn render_prose(rule: &Rule) -> String {
    let docs = &rule.docs;
    format!(
        "{}\n\nWhy: {}\n\nWhen to ignore it: {}\n",
        docs.finds, docs.hurts, docs.ignore
    )
}

/// The same with its examples, as Markdown.
pub(in crate::cli) fn render_markdown(rule: &Rule) -> String {
    let docs = &rule.docs;
    let mut text = format!(
        "{}\n\n**Why it hurts.** {}\n\n**When to ignore it.** {}\n",
        docs.finds, docs.hurts, docs.ignore
    );

    for (word, example) in [("Bad", docs.bad.first()), ("Good", docs.good.first())] {
        let Some(example) = example else { continue };
        for (path, content) in example_files(example) {
            let fence = code_fence(&content);
            text.push_str(&format!(
                "\n{word}, `{path}`:\n\n{fence}{}\n{content}{fence}\n",
                code_language(&path)
            ));
        }

        // Some rules are found only with a setting, such as a limit.
        if !example.settings.is_empty() {
            text.push_str(&format!(
                "\nwith\n\n```toml\n[lint]\n{}\n```\n",
                example.settings.trim_end()
            ));
        }
    }

    text
}

/// All of it for programs.
pub(in crate::cli) fn rule_json(rule: &Rule) -> Value {
    json!({
        "type": "rule",
        "code": rule.code,
        "name": rule.name,
        "level": rule.level,
        "fix": match rule.fix {
            FixAvailability::Never => Value::Null,
            FixAvailability::Safely => json!("safe"),
            FixAvailability::Unsafely => json!("unsafe"),
        },
        "summary": rule.summary,
        "finds": rule.docs.finds,
        "hurts": rule.docs.hurts,
        "ignore": rule.docs.ignore,
        "bad": rule.docs.bad.iter().map(example_json).collect::<Vec<_>>(),
        "good": rule.docs.good.iter().map(example_json).collect::<Vec<_>>(),
        "url": rule_url(rule.code),
    })
}

fn example_json(example: &RuleExample) -> Value {
    let files = example_files(example)
        .into_iter()
        .map(|(path, text)| json!({"path": path, "text": text}));
    json!({"files": files.collect::<Vec<_>>(), "settings": example.settings})
}

/// What the rule finds in its first bad example, drawn; `None` if that needs more than an example has.
pub(in crate::cli) fn draw_example_findings(rule: &Rule, drawing: DrawOptions) -> Option<String> {
    let example = rule.docs.bad.first()?;

    // All findings are collected, since another rule's may mark secrets.
    let found = examples::check(example);

    let files = by_file(&found, |path: &str| examples::text(example, path)).map(|mut file| {
        file.findings
            .retain(|diagnostic| diagnostic.rule == rule.name);
        human(&file, drawing)
    });

    let drawn: String = files.collect();
    (!drawn.is_empty()).then_some(drawn)
}

/// `error`, `warning`, `note`, or `off`.
pub(in crate::cli) fn level_word(rule: &Rule) -> &'static str {
    rule.level.map_or("off", DiagnosticLevel::name)
}

fn describe_fix(fix: FixAvailability) -> &'static str {
    match fix {
        FixAvailability::Never => "no automatic fix",
        FixAvailability::Safely => "fixed by `--fix`",
        FixAvailability::Unsafely => "fixed by `--fix --unsafe-fixes`",
    }
}

/// The files of an example for display: invisible characters escaped, secrets masked.
fn example_files(example: &RuleExample) -> Vec<(String, String)> {
    // An example of a rule about secrets or hidden text must not spread what it warns of.
    let found = examples::check(example);

    let files = example.files.iter();
    files
        .map(|(path, file)| (escape_line(path), example_text(&found, path, file)))
        .collect()
}

fn example_text(found: &[FileFinding], path: &str, file: &ExampleFile) -> String {
    match file {
        ExampleFile::Text(text) | ExampleFile::Program(text) => {
            with_final_newline(escape_example(&redact_secrets(found, path, text)))
        }
        ExampleFile::Bytes(bytes) => format!("({} bytes)\n", bytes.len()),
        ExampleFile::Large(size, _) => format!("({size} bytes)\n"),
        ExampleFile::Link(to) => format!("(a link to `{to}`)\n"),
    }
}

fn redact_secrets(found: &[FileFinding], path: &str, text: &str) -> String {
    let its: Vec<FileFinding> = found
        .iter()
        .filter(|finding| finding.path == path)
        .cloned()
        .collect();

    let file = by_file(&its, |_: &str| Some(text.to_owned())).next();
    file.as_ref()
        .map_or_else(|| text.to_owned(), FileFindings::redacted_text)
}

fn with_final_newline(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn indent_lines(text: &str) -> String {
    text.lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("    {line}\n")
            }
        })
        .collect()
}

/// More backticks than the text has in a row.
fn code_fence(text: &str) -> String {
    // CommonMark ends a code block at a fence that is at least as long as the opening one.
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(3.max(longest + 1))
}

fn code_language(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, extension)| extension) {
        Some("md" | "MD") => "markdown",
        Some("py") => "python",
        Some("sh") => "sh",
        Some("toml") => "toml",
        Some("yaml" | "yml") => "yaml",
        Some("json") => "json",
        _ => "text",
    }
}
