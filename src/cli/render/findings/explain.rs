//! What there is to know of a rule: as text for people, as Markdown for `docs/rules.md` and for SARIF, as an object.
//!
//! ```text
//! SK401 body-empty · warning · no fix
//! nothing stands below the frontmatter
//!
//! A `SKILL.md` that ends with its frontmatter: …
//! ```

use serde_json::{Value, json};

use super::short::level_name;
use super::shown::spelled;
use super::{Drawing, FileFindings, by_file, human, shade, url};
use crate::cli::shell::{BAD, GOOD};
use crate::lint::{Example, Fixes, Piece, Rule, examples};
use crate::report::Finding;

/// All of it for people, with what is found in the bad example.
pub(in crate::cli) fn text(rule: &Rule, drawing: Drawing) -> String {
    let style = rule.level.map(shade).unwrap_or_default();
    let mut text = format!(
        "{style}{}{style:#} {}: {}\nby default {}; {}\n\n{}",
        rule.code,
        rule.name,
        rule.summary,
        level_word(rule),
        fix_words(rule.fix),
        prose(rule)
    );
    for (style, word, example) in [(BAD, "Bad", rule.docs.bad.first()), (GOOD, "Good", rule.docs.good.first())] {
        let Some(example) = example else { continue };
        for (path, content) in files(example) {
            text.push_str(&format!("\n{style}{word}{style:#}: {path}\n\n{}", indented(&content)));
        }
    }
    if let Some(drawn) = drawn(rule, drawing) {
        text.push_str(&format!("\nWhat is found there:\n\n{drawn}"));
    }
    text.truncate(text.trim_end().len());
    text.push('\n');
    text
}

/// What it finds, why that hurts, and when to leave it, a paragraph each.
pub(super) fn prose(rule: &Rule) -> String {
    let docs = &rule.docs;
    format!("{}\n\nWhy: {}\n\nWhen to ignore it: {}\n", docs.finds, docs.hurts, docs.ignore)
}

/// The same with its examples, as Markdown.
pub(in crate::cli) fn markdown(rule: &Rule) -> String {
    let docs = &rule.docs;
    let mut text =
        format!("{}\n\n**Why it hurts.** {}\n\n**When to ignore it.** {}\n", docs.finds, docs.hurts, docs.ignore);
    for (word, example) in [("Bad", docs.bad.first()), ("Good", docs.good.first())] {
        let Some(example) = example else { continue };
        for (path, content) in files(example) {
            let fence = fence(&content);
            text.push_str(&format!("\n{word}, `{path}`:\n\n{fence}{}\n{content}{fence}\n", language(&path)));
        }
        if !example.settings.is_empty() {
            text.push_str(&format!("\nwith\n\n```toml\n[lint]\n{}\n```\n", example.settings.trim_end()));
        }
    }
    text
}

/// All of it for programs.
pub(in crate::cli) fn object(rule: &Rule) -> Value {
    let example = |example: &Example| {
        let files = files(example).into_iter().map(|(path, text)| json!({"path": path, "text": text}));
        json!({"files": files.collect::<Vec<_>>(), "settings": example.settings})
    };
    json!({
        "type": "rule",
        "code": rule.code,
        "name": rule.name,
        "level": rule.level,
        "fix": match rule.fix {
            Fixes::Never => Value::Null,
            Fixes::Safely => json!("safe"),
            Fixes::Unsafely => json!("unsafe"),
        },
        "summary": rule.summary,
        "finds": rule.docs.finds,
        "hurts": rule.docs.hurts,
        "ignore": rule.docs.ignore,
        "bad": rule.docs.bad.iter().map(example).collect::<Vec<_>>(),
        "good": rule.docs.good.iter().map(example).collect::<Vec<_>>(),
        "url": url(rule.code),
    })
}

/// What the rule finds in its first bad example, drawn; `None` if that needs more than an example has.
pub(in crate::cli) fn drawn(rule: &Rule, drawing: Drawing) -> Option<String> {
    let example = rule.docs.bad.first()?;
    // All findings are asked for, since another rule's may say what is secret.
    let found = examples::check(example);
    let files = by_file(&found, |path: &str| examples::text(example, path)).map(|mut file| {
        file.findings.retain(|diagnostic| diagnostic.rule == rule.name);
        human(&file, drawing)
    });
    let drawn: String = files.collect();
    (!drawn.is_empty()).then_some(drawn)
}

/// `error`, `warning`, `note`, or `off`.
pub(in crate::cli) fn level_word(rule: &Rule) -> &'static str {
    rule.level.map_or("off", level_name)
}

fn fix_words(fix: Fixes) -> &'static str {
    match fix {
        Fixes::Never => "only a person can mend it",
        Fixes::Safely => "mended by `--fix`",
        Fixes::Unsafely => "mended by `--fix --unsafe-fixes`",
    }
}

/// The files of an example as they can be shown: what is hidden spelled out, secrets covered.
fn files(example: &Example) -> Vec<(String, String)> {
    let found = examples::check(example);
    let covered = |path: &str, text: &str| {
        let its: Vec<Finding> = found.iter().filter(|finding| finding.path == path).cloned().collect();
        let file = by_file(&its, |_: &str| Some(text.to_owned())).next();
        file.as_ref().map_or_else(|| text.to_owned(), FileFindings::covered)
    };
    let shown = |(path, piece): &(&str, Piece)| {
        let content = match piece {
            Piece::Text(text) | Piece::Program(text) => ended(spelled(&covered(path, text))),
            Piece::Bytes(bytes) => format!("({} bytes)\n", bytes.len()),
            Piece::Large(size, _) => format!("({size} bytes)\n"),
            Piece::Link(to) => format!("(a link to `{to}`)\n"),
        };
        (spelled(path), content)
    };
    example.files.iter().map(shown).collect()
}

fn ended(mut text: String) -> String {
    if !text.ends_with('\n') {
        text.push('\n');
    }
    text
}

fn indented(text: &str) -> String {
    text.lines().map(|line| if line.is_empty() { "\n".to_owned() } else { format!("    {line}\n") }).collect()
}

/// More backticks than the text has in a row.
fn fence(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    "`".repeat(3.max(longest + 1))
}

fn language(path: &str) -> &'static str {
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
