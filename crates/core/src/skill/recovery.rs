//! Frontmatters that are invalid YAML, labeled with the name and description that their authors meant.
//!
//! Modeled on the faults of real skills, in all classes; none is copied from one.

use super::{SkillFrontmatter, read_str};
use crate::report::{DiagnosticFix, DiagnosticLevel, FixChange};

/// A fault's rule, a frontmatter that has it, and the name and description that were meant.
type Case = (&'static str, &'static str, &'static str, &'static str);

const UNQUOTED_COLON: &[Case] = &[
    (
        "yaml-unquoted-colon",
        "name: harden\ndescription: Make interfaces production-ready: error handling, empty states, overflow",
        "harden",
        "Make interfaces production-ready: error handling, empty states, overflow",
    ),
    (
        "yaml-unquoted-colon",
        "name: commit-lint\ndescription: Checks commit messages. Use when: the user asks for a commit.\nlicense: MIT",
        "commit-lint",
        "Checks commit messages. Use when: the user asks for a commit.",
    ),
    (
        "yaml-unquoted-colon",
        "description: Triggers on: \"deploy\", \"ship it\" and 'release'.\nname: ship",
        "ship",
        "Triggers on: \"deploy\", \"ship it\" and 'release'.",
    ),
    (
        "yaml-unquoted-colon",
        "name: api-notes\ndescription: |-\n  Notes on the API.\nargument-hint: path: the file\nmetadata:\n  author: ann",
        "api-notes",
        "Notes on the API.",
    ),
    (
        "yaml-unquoted-colon",
        "name: i18n\ndescription: 多语言支持: 翻译界面文字\nversion: 1.0.0",
        "i18n",
        "多语言支持: 翻译界面文字",
    ),
    (
        "yaml-unquoted-colon",
        "name: db-check\ndescription: Read-only checks of a database:\nlicense: MIT",
        "db-check",
        "Read-only checks of a database:",
    ),
    (
        "yaml-unquoted-colon",
        "name: weekly\ndescription: Writes the weekly report. Sections: done, next,\n  blocked. Format: Markdown\nlicense: MIT",
        "weekly",
        "Writes the weekly report. Sections: done, next, blocked. Format: Markdown",
    ),
    (
        "yaml-unquoted-colon",
        "name: review\ndescription: Use this skill to review code\n  Examples: a pull request, a diff",
        "review",
        "Use this skill to review code Examples: a pull request, a diff",
    ),
    (
        "yaml-unquoted-colon",
        "name: latex\ndescription: Typeset: formulas, tables # and figures",
        "latex",
        "Typeset: formulas, tables # and figures",
    ),
    (
        "yaml-unquoted-colon",
        "name: obsidian\ndescription: Handles [[wikilinks]]: resolve, rename, list",
        "obsidian",
        "Handles [[wikilinks]]: resolve, rename, list",
    ),
    (
        "yaml-unquoted-colon",
        "name: yaml-help\ndescription: Explains `key: value` pairs and lists",
        "yaml-help",
        "Explains `key: value` pairs and lists",
    ),
    (
        "yaml-unquoted-colon",
        "name: time-box\ndescription: Runs from 9:00 to 17:30 - note: local time\nmetadata:\n  note: see: the manual",
        "time-box",
        "Runs from 9:00 to 17:30 - note: local time",
    ),
];

const RESERVED_START: &[Case] = &[
    (
        "yaml-reserved-start",
        "name: mentions\ndescription: @mention people in issues",
        "mentions",
        "@mention people in issues",
    ),
    (
        "yaml-reserved-start",
        "name: jq\ndescription: `jq` filters for JSON",
        "jq",
        "`jq` filters for JSON",
    ),
    (
        "yaml-reserved-start",
        "name: bold\ndescription: **Always use this** for tables\nlicense: MIT",
        "bold",
        "**Always use this** for tables",
    ),
    (
        "yaml-reserved-start",
        "name: printf\ndescription: %d and %s explained",
        "printf",
        "%d and %s explained",
    ),
    (
        "yaml-reserved-start",
        "name: wip\ndescription: [WIP] Converts images between formats",
        "wip",
        "[WIP] Converts images between formats",
    ),
    (
        "yaml-reserved-start",
        "name: more\ndescription: , and the rest",
        "more",
        ", and the rest",
    ),
    (
        "yaml-reserved-start",
        "name: quote\ndescription: > Quote of the day, every morning\nlicense: MIT",
        "quote",
        "> Quote of the day, every morning",
    ),
    (
        "yaml-reserved-start",
        "name: pipe\ndescription: | joins commands",
        "pipe",
        "| joins commands",
    ),
    (
        "yaml-reserved-start",
        "name: dash\ndescription: - lists things",
        "dash",
        "- lists things",
    ),
    (
        "yaml-reserved-start",
        "name: glob\ndescription: *.md files get a table of contents",
        "glob",
        "*.md files get a table of contents",
    ),
    (
        "yaml-reserved-start",
        "name: scoped\ndescription: @acme/ui components: how to use them",
        "scoped",
        "@acme/ui components: how to use them",
    ),
    (
        "yaml-reserved-start",
        "name: both\ndescription: {Draft} A tool that drafts letters",
        "both",
        "{Draft} A tool that drafts letters",
    ),
];

const BAD_QUOTES: &[Case] = &[
    (
        "yaml-bad-quotes",
        "name: skeptic\ndescription: \"Devil's advocate\" for plans and designs",
        "skeptic",
        "\"Devil's advocate\" for plans and designs",
    ),
    (
        "yaml-bad-quotes",
        "name: hello\ndescription: \"Says \"hello\" to new users\"",
        "hello",
        "Says \"hello\" to new users",
    ),
    (
        "yaml-bad-quotes",
        "name: dont\ndescription: 'Don't guess; look it up'\nlicense: MIT",
        "dont",
        "Don't guess; look it up",
    ),
    (
        "yaml-bad-quotes",
        "name: both-ends\ndescription: \"Plan\" then \"build\"",
        "both-ends",
        "\"Plan\" then \"build\"",
    ),
    (
        "yaml-bad-quotes",
        "name: windows\ndescription: \"Cleans C:\\Users\\Public and D:\\temp\"",
        "windows",
        "Cleans C:\\Users\\Public and D:\\temp",
    ),
    (
        "yaml-bad-quotes",
        "name: regex\ndescription: \"Matches \\d+ and \\w+\"",
        "regex",
        "Matches \\d+ and \\w+",
    ),
    (
        "yaml-bad-quotes",
        "name: open\ndescription: \"Opens files and never closes them\nlicense: MIT",
        "open",
        "Opens files and never closes them",
    ),
    (
        "yaml-bad-quotes",
        "name: open-three\ndescription: 'Don't open files\nlicense: MIT",
        "open-three",
        "Don't open files",
    ),
    (
        "yaml-bad-quotes",
        "name: open-too\ndescription: 'Opens files and never closes them\nmetadata:\n  author: ann",
        "open-too",
        "Opens files and never closes them",
    ),
    (
        "yaml-bad-quotes",
        "name: stop\ndescription: \"Stops a server\". Use when one hangs.",
        "stop",
        "\"Stops a server\". Use when one hangs.",
    ),
    (
        "yaml-bad-quotes",
        "name: \"named\" # why\ndescription: \"Wraps \"two\n  lines\" in one\"",
        "named",
        "Wraps \"two lines\" in one",
    ),
];

const UNINDENTED: &[Case] = &[
    (
        "yaml-unindented-continuation",
        "name: wrap\ndescription: A long description that an editor\nwrapped at eighty columns\nlicense: MIT",
        "wrap",
        "A long description that an editor wrapped at eighty columns",
    ),
    (
        "yaml-unindented-continuation",
        "name: block\ndescription: |\nLiteral text that begins\nat the margin.\nlicense: MIT",
        "block",
        "Literal text that begins at the margin.",
    ),
    (
        "yaml-unindented-continuation",
        "name: fold\ndescription: >-\nFolded text that begins\nat the margin, 100 % of it",
        "fold",
        "Folded text that begins at the margin, 100 % of it",
    ),
    (
        "yaml-unindented-continuation",
        "name: below\ndescription:\nThe text stands on the line below.\nmetadata:\n  a: b",
        "below",
        "The text stands on the line below.",
    ),
    (
        "yaml-unindented-continuation",
        "name: list\ndescription: Does three things\n* reads\n* thinks\n* writes\nlicense: MIT",
        "list",
        "Does three things * reads * thinks * writes",
    ),
    (
        "yaml-unindented-continuation",
        "name: part\ndescription: >\n  The first line is indented\nthe second one is not",
        "part",
        "The first line is indented the second one is not",
    ),
    (
        "yaml-unindented-continuation",
        "description: Ends here\nand goes on, (see below)\n\nwith a second paragraph\nname: para",
        "para",
        "Ends here and goes on, (see below) with a second paragraph",
    ),
    (
        "yaml-bad-quotes",
        "name: margin\ndescription: \"Quoted text that an editor\nwrapped to the margin\"",
        "margin",
        "Quoted text that an editor wrapped to the margin",
    ),
];

const TABS: &[Case] = &[
    (
        "yaml-tab",
        "name: tabbed\ndescription: Sorts tables\nmetadata:\n\tauthor: ann\n\tversion: \"1.0\"",
        "tabbed",
        "Sorts tables",
    ),
    (
        "yaml-tab",
        "name: tools\nallowed-tools:\n\t- Read\n\t- Grep\ndescription: Reads logs",
        "tools",
        "Reads logs",
    ),
    (
        "yaml-tab",
        "name: deep\nmetadata:\n  a:\n\t\tb: c\ndescription: Goes deep",
        "deep",
        "Goes deep",
    ),
    (
        "yaml-tab",
        "name: folded\ndescription: >\n\tFolds text\n\tthat tabs indent",
        "folded",
        "Folds text that tabs indent",
    ),
    (
        "",
        "name: mixed\nmetadata:\n  \tauthor: ann\ndescription: Mixes both",
        "mixed",
        "Mixes both",
    ),
];

const DUPLICATES: &[Case] = &[
    (
        "yaml-duplicate-key",
        "name: hooks\ndescription: Runs hooks\nhooks:\n  Stop: a\n  Stop: b",
        "hooks",
        "Runs hooks",
    ),
    (
        "yaml-duplicate-key",
        "name: twice\ndescription: Twice\nname: twice",
        "twice",
        "Twice",
    ),
    (
        "yaml-duplicate-key",
        "name: lic\ndescription: Licences\nlicense: MIT\nlicense: Apache-2.0",
        "lic",
        "Licences",
    ),
    (
        "yaml-duplicate-key",
        "name: inputs\ninputs:\n  path:\n    type: string\n    type: file\ndescription: Asks for paths",
        "inputs",
        "Asks for paths",
    ),
    (
        "yaml-duplicate-key",
        "name: same\ndescription: The same text\nversion: 1.0.0\ndescription: The same text",
        "same",
        "The same text",
    ),
    (
        "yaml-duplicate-key",
        "name: json\ndescription: JSON twice\nmetadata: {\"a\": 1, \"b\": 2, \"a\": 3}",
        "json",
        "JSON twice",
    ),
];

const FLOW: &[Case] = &[
    (
        "yaml-broken-flow",
        "name: gates\ndescription: Checks gates\nmetadata: {\"openclaw\": {\"requires\": {\"bins\": [\"git\"]}}",
        "gates",
        "Checks gates",
    ),
    (
        "yaml-broken-flow",
        "name: tags\ntags: [a, b\ndescription: Tags things",
        "tags",
        "Tags things",
    ),
    (
        "yaml-broken-flow",
        "name: template\ndescription: {{description}} of {{project}}",
        "template",
        "{{description}} of {{project}}",
    ),
    (
        "yaml-broken-flow",
        "name: mixed-json\ndescription: JSON that is none\nmetadata: {\"a\": 1, [\"b\"]: }}",
        "mixed-json",
        "JSON that is none",
    ),
    (
        "yaml-broken-flow",
        "name: extra\ntags: [a, b]]\ndescription: One bracket too many",
        "extra",
        "One bracket too many",
    ),
    (
        "yaml-broken-flow",
        "name: multi\nmetadata:\n  {\n    \"emoji\": \"x\",\n    \"requires\": { \"bins\": [\"gh\" }\n  }\ndescription: Many lines",
        "multi",
        "Many lines",
    ),
    (
        "",
        "name: column\nmetadata: {\n  \"a\": {\"b\": 1}\n}\ndescription: Closed at the margin",
        "column",
        "Closed at the margin",
    ),
    (
        "",
        "name: column-two\nmetadata:\n  {\n  \"a\": [1,\n2]\n}\ndescription: Closed at the margin too",
        "column-two",
        "Closed at the margin too",
    ),
    (
        "",
        "name: odd\ndescription: JSON with a list\nmetadata: {\"a\": 1, [\"b\"]}",
        "odd",
        "JSON with a list",
    ),
];

const SYNTAX: &[Case] = &[
    (
        "yaml-syntax",
        "name:pdf\ndescription: Fills forms",
        "pdf",
        "Fills forms",
    ),
    (
        "yaml-syntax",
        "name: forms\ndescription:Fills forms\nlicense: MIT",
        "forms",
        "Fills forms",
    ),
    (
        "yaml-syntax",
        " name: deeper\ndescription: The first line is indented",
        "deeper",
        "The first line is indented",
    ),
    (
        "yaml-syntax",
        "Skill of the day\nname: stray\ndescription: Has a stray line",
        "stray",
        "Has a stray line",
    ),
    (
        "yaml-unindented-continuation",
        "name: lost\nThis line is lost\ndescription: Keeps the rest",
        "lost",
        "Keeps the rest",
    ),
    (
        "yaml-syntax",
        "name: ends\ndescription: Cut by a # comment in its\n  first of two lines",
        "ends",
        "Cut by a # comment in its first of two lines",
    ),
    (
        "yaml-unindented-continuation",
        "name: listed\n- one\n- two\ndescription: Above is a list",
        "listed",
        "Above is a list",
    ),
];

const BYTES: &[Case] = &[
    (
        "yaml-surrogate-escape",
        "name: emoji\ndescription: Finds stars\nmetadata: {\"emoji\": \"\\uD83D\\uDD2D\"}",
        "emoji",
        "Finds stars",
    ),
    (
        "yaml-surrogate-escape",
        "name: pair\ndescription: \"Rockets \\uD83D\\uDE80 fly\"",
        "pair",
        "Rockets 🚀 fly",
    ),
    (
        "yaml-surrogate-escape",
        "name: half\ndescription: Half a star\nmetadata: {\"emoji\": \"\\uD83D\"}",
        "half",
        "Half a star",
    ),
    (
        "control-character",
        "name: mojibake\ndescription: Itâ\u{80}\u{99}s broken text",
        "mojibake",
        "Itâ\u{80}\u{99}s broken text",
    ),
    (
        "control-character",
        "name: bell\ndescription: Rings a \u{7}bell",
        "bell",
        "Rings a bell",
    ),
];

/// Several faults at once, and faults that look like others.
const MIXED: &[Case] = &[
    (
        "yaml-unquoted-colon",
        "name: agent\ndescription: Use to review. Examples: <example>Context: code. user: \"hi\" assistant: \"ok\"</example>",
        "agent",
        "Use to review. Examples: <example>Context: code. user: \"hi\" assistant: \"ok\"</example>",
    ),
    (
        "yaml-unquoted-colon",
        "name: listing\ndescription: Use this when asked.\n  Examples:\n  - user: \"foo\"\n  - assistant: bar",
        "listing",
        "Use this when asked. Examples: - user: \"foo\" - assistant: bar",
    ),
    (
        "yaml-bad-quotes",
        "name: foo\ndescription: \"Foo\" - does: bar",
        "foo",
        "\"Foo\" - does: bar",
    ),
    (
        "yaml-broken-flow",
        "name: brace\nmetadata: {\n  \"openclaw\": {\n    \"requires\": {\"bins\": [\"x\"]}\n  }\ndescription: One brace less",
        "brace",
        "One brace less",
    ),
    (
        "yaml-unindented-continuation",
        "name: colons\ndescription: >\nThis is: text\nof two lines\nlicense: MIT",
        "colons",
        "This is: text of two lines",
    ),
    (
        "yaml-broken-flow",
        "name: jinja\ndescription: {{ cookiecutter.description }}",
        "jinja",
        "{{ cookiecutter.description }}",
    ),
    (
        "yaml-broken-flow",
        "name: jinjas\ndescription: {{what}} for {{whom}}: more",
        "jinjas",
        "{{what}} for {{whom}}: more",
    ),
    (
        "yaml-unindented-continuation",
        "name: stairs\ndescription: |\n    First: line\n  second line less indented\nlicense: MIT",
        "stairs",
        "First: line second line less indented",
    ),
    (
        "yaml-bad-quotes",
        "name: said\ndescription: 'She said \"it's fine\": ok'",
        "said",
        "She said \"it's fine\": ok",
    ),
    (
        "yaml-unquoted-colon",
        "name: many\ndescription: Uses C:\\path: and \\d+\nlicense: @MIT\ntags: [a, b: c, {d]\nmetadata:\n  a: `x`\n  d: \"e\" f",
        "many",
        "Uses C:\\path: and \\d+",
    ),
    (
        "yaml-bad-quotes",
        "\"name\": \"fields\",\n\"description\": \"JSON fields: without braces\",",
        "fields",
        "JSON fields: without braces",
    ),
    (
        "yaml-unquoted-colon",
        "name: list-below\ndescription: Does two things:\n  - reads\n  - writes\nlicense: MIT",
        "list-below",
        "Does two things: - reads - writes",
    ),
    (
        "yaml-unquoted-colon",
        "name: marks\ndescription: Use for: *.md, @mention, `code`, #tag",
        "marks",
        "Use for: *.md, @mention, `code`, #tag",
    ),
    (
        "yaml-unquoted-colon",
        "name: “smart”: no\ndescription: d",
        "“smart”: no",
        "d",
    ),
    (
        "yaml-bad-quotes",
        "name: \"open-name\ndescription: text here",
        "open-name",
        "text here",
    ),
];

const CLASSES: [(&str, &[Case]); 10] = [
    ("unquoted colon", UNQUOTED_COLON),
    ("reserved start", RESERVED_START),
    ("quotes", BAD_QUOTES),
    ("unindented", UNINDENTED),
    ("tabs", TABS),
    ("duplicates", DUPLICATES),
    ("flow", FLOW),
    ("syntax", SYNTAX),
    ("bytes", BYTES),
    ("mixed", MIXED),
];

fn cases() -> impl Iterator<Item = (&'static str, String, &'static str, &'static str)> {
    let file = |frontmatter: &str| format!("---\n{frontmatter}\n---\n# Body\n\nText: more.\n");
    let all = CLASSES.iter().flat_map(|(_, cases)| cases.iter());
    all.flat_map(move |&(rule, frontmatter, name, description)| {
        let source = file(frontmatter);
        let crlf = format!("\u{feff}{}", source.replace('\n', "\r\n"));
        [source, crlf].map(|source| (rule, source, name, description))
    })
}

#[test]
fn ninety_five_percent_of_damaged_skills_are_read_as_intended() {
    let (mut lost, mut all) = (Vec::new(), 0);
    for (rule, source, name, description) in cases() {
        all += 1;
        let reading = read_str(&source, "elsewhere");
        let read = reading
            .skill
            .map(|skill| (skill.name.clone(), skill.summary_line()));
        if read != Some((name.to_owned(), description.to_owned())) {
            lost.push(format!("{source:?}: {read:?}"));
        } else if !rule.is_empty() && reading.diagnostics.iter().all(|found| found.rule != rule) {
            let found_rules: Vec<_> = reading
                .diagnostics
                .iter()
                .map(|found| found.rule.as_str())
                .collect();
            lost.push(format!("{source:?}: {found_rules:?}, not {rule}"));
        }
    }
    assert!(
        all >= 120 && lost.len() * 20 <= all,
        "{} of {all} lost:\n{}",
        lost.len(),
        lost.join("\n")
    );
    assert!(
        lost.is_empty(),
        "{} of {all} lost:\n{}",
        lost.len(),
        lost.join("\n")
    );
}

/// All fixes of a file together, round after round as long as there are any.
fn fixed(source: &str) -> String {
    let mut source = source.to_owned();
    for _ in 0..4 {
        let mut changes: Vec<FixChange> = Vec::new();
        let mut end = 0;
        let found = read_str(&source, "").diagnostics.into_iter();
        // Fixes of invalid names are tested elsewhere.
        for fix in found
            .filter(|found| !found.rule.starts_with("name-"))
            .filter_map(|found| found.fix)
        {
            let Some(FixChange::Edit { span: first, .. }) = fix.changes.first() else {
                continue;
            };
            let Some(FixChange::Edit { span: last, .. }) = fix.changes.last() else {
                continue;
            };
            if first.start >= end {
                end = last.end;
                changes.extend(fix.changes);
            }
        }
        if changes.is_empty() {
            break;
        }
        source = DiagnosticFix {
            changes,
            applicability: crate::report::FixApplicability::Safe,
            message: String::new(),
        }
        .apply(&source);
    }
    source
}

#[test]
fn fixed_files_are_read_the_same_by_strict_parsers() {
    for (_, source, name, description) in cases() {
        let fixed = fixed(&source);
        let mut left = Vec::new();
        let frontmatter = SkillFrontmatter::open(&fixed, &mut left).unwrap();
        left.retain(|found| found.level == DiagnosticLevel::Error);
        assert_eq!(left, [], "{fixed:?}");
        let text = |key| {
            frontmatter
                .root
                .get(key)
                .and_then(|node| node.text())
                .map(|text: &str| text.split_whitespace().collect::<Vec<_>>().join(" "))
        };
        assert_eq!(
            (text("name").as_deref(), text("description").as_deref()),
            (Some(name), Some(description))
        );
        let yaml = &fixed[frontmatter.fences.yaml.clone()];
        let strict: Result<serde_json::Value, _> = serde_yaml::from_str(yaml);
        // A list as a key is valid YAML, though not to this reader.
        assert!(strict.is_ok() || name == "odd", "{strict:?} {fixed:?}");
        let body = |text: &str| text[text.find("# Body").unwrap()..].to_owned();
        assert_eq!(body(&fixed), body(&source));
    }
}
