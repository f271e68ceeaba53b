//! What the two validators are held against each other with: a table of every construct, and mutations of valid files.

use serde_json::Value;

/// A `SKILL.md` in a directory.
pub(super) struct Case {
    /// What it is called in the recording.
    pub(super) name: String,
    pub(super) dir: String,
    pub(super) file: String,
}

/// All cases, the same every day.
pub(super) fn all() -> Vec<Case> {
    let mut cases = table();
    cases.extend(long());
    for (name, base) in BASES {
        cases.extend(mutations(name, base));
    }
    cases
}

/// `tests/fixtures/validate/table.jsonl`: a line is a frontmatter, or a directory's name and a whole file.
fn table() -> Vec<Case> {
    let text = std::fs::read_to_string("tests/fixtures/validate/table.jsonl").unwrap();
    let case = |line: &str| match serde_json::from_str(line).unwrap() {
        Value::String(frontmatter) => framed(line.to_owned(), &frontmatter),
        Value::Array(both) => {
            let text = |at: usize| both[at].as_str().unwrap().to_owned();
            Case {
                name: line.to_owned(),
                dir: text(0),
                file: text(1),
            }
        }
        other => panic!("{other}"),
    };
    text.lines().map(case).collect()
}

fn framed(name: String, frontmatter: &str) -> Case {
    Case {
        name,
        dir: "x".into(),
        file: format!("---\n{frontmatter}---\nbody\n"),
    }
}

/// What is too long for a table: limits, from both sides.
fn long() -> Vec<Case> {
    let mut cases = Vec::new();
    let mut add = |name: String, frontmatter: String| cases.push(framed(name, &frontmatter));
    for c in ["d", "é", "😀", "\u{301}"] {
        let called = c.escape_default();
        for count in [1023, 1024, 1025] {
            let text = c.repeat(count);
            for (style, value) in [
                ("plain", text.clone()),
                ("single", format!("'{text}'")),
                ("double", format!("\"{text}\"")),
                ("literal", format!("|\n  {text}")),
                ("folded", format!(">\n  {text}")),
                ("stripped", format!(">-\n  {text}")),
                ("kept", format!("|+\n  {text}\n")),
            ] {
                add(
                    format!("long: description {style} {called} {count}"),
                    format!("name: x\ndescription: {value}\n"),
                );
            }
        }
        for count in [499, 500, 501] {
            let text = c.repeat(count);
            let rest = format!("compatibility: {text}\n");
            add(
                format!("long: compatibility {called} {count}"),
                format!("name: x\ndescription: d\n{rest}"),
            );
            let rest = format!("compatibility: |\n  {text}\n");
            add(
                format!("long: compatibility literal {called} {count}"),
                format!("name: x\ndescription: d\n{rest}"),
            );
        }
    }
    for count in [1000, 1023, 1024, 1025, 2000] {
        let key = "k".repeat(count);
        for (shape, rest) in [
            ("plain", format!("  {key}: a\n")),
            ("quoted", format!("  '{key}': a\n")),
            ("indented", format!("      {key}: a\n")),
            ("second", format!("  a: b\n  {key}: c\n")),
            ("asked", format!("  ? {key}\n  : a\n")),
            ("asked and quoted", format!("  ? '{key}'\n  : a\n")),
            ("value", format!("  a: {key}\n")),
            ("item", format!("  - {key}: a\n")),
        ] {
            add(
                format!("long: key {shape} {count}"),
                format!("name: x\ndescription: d\nmetadata:\n{rest}"),
            );
        }
    }
    for depth in [10, 100, 200, 300, 400] {
        let maps: String = (1..depth)
            .map(|indent| format!("{}a:\n", " ".repeat(indent)))
            .collect();
        let rest = format!("{maps}{}a: b\n", " ".repeat(depth));
        add(
            format!("long: mappings {depth}"),
            format!("name: x\ndescription: d\nmetadata:\n{rest}"),
        );
        let rest = format!(" {}a\n", "- ".repeat(depth));
        add(
            format!("long: lists {depth}"),
            format!("name: x\ndescription: d\nmetadata:\n{rest}"),
        );
    }
    for c in ["a", "é", "ﬁ", "日"] {
        for count in [31, 32, 33, 63, 64, 65, 128] {
            let name = c.repeat(count);
            let file = format!("---\nname: {name}\ndescription: d\n---\n");
            cases.push(Case {
                name: format!("long: name {} {count}", c.escape_default()),
                dir: name,
                file,
            });
        }
    }
    cases
}

/// Valid files, each of which shows some constructs.
const BASES: [(&str, &str); 5] = [
    ("small", "name: x\ndescription: d\nlicense: MIT\n"),
    (
        "blocks",
        "description: >-\n  folded\n  text\nname: x\nlicense: |\n  one\n\n  two\ncompatibility: c\n",
    ),
    (
        "nested",
        "name: \"x\" # c\ndescription: 'it''s'\nmetadata:\n  a: b\n  # c\n  n:\n    k: v\n\n    l: w\n  c: d\n",
    ),
    (
        "lists",
        "name: x\nallowed-tools:\n- Read\n- Write # c\n-\n  - deep\n- k: v\n  w: z\ndescription: words\n  over lines\n",
    ),
    (
        "asked",
        "? name\n: x\n? description\n: |-\n  d\nmetadata:\n  ? a\n  : b\n  c:\n",
    ),
];

/// Lines that are put between two.
const LINES: [&str; 22] = [
    "", " ", "\t", "  \t", "# c", "  # c", "    # c", "-", "- a", "  - a", "foo", "  foo", "a: b",
    "  a: b", "   a: b", "? a", ": b", "...", "%a", "'", "[a]", "&a",
];

/// What is put at the end of a line.
const ENDS: [&str; 16] = [
    " ", "\t", " # c", "#c", ":", ": a", " |", " 'a", " \"", "\\", "\r", "\u{85}", "\u{2028}",
    "\u{7f}", " - a", " ]",
];

/// What is put at the beginning of a line.
const STARTS: [&str; 21] = [
    " ", "  ", "\t", "- ", "-", "? ", "'", "\"", "#", "&a ", "*", "!", "{", "@", "%", "> ", "| ",
    ": ", "=", "\u{feff}", "\u{a0}",
];

/// Each line of a file dropped, doubled, and with something before, after and beside it.
fn mutations(name: &str, base: &str) -> Vec<Case> {
    let lines: Vec<&str> = base.lines().collect();
    let mut cases = Vec::new();
    let mut add = |at: usize, what: &str, text: &str, line: &[&str]| {
        let changed = [&lines[..at], line, &lines[at + 1..]].concat();
        let name = format!("{name}:{} {what} `{}`", at + 1, text.escape_default());
        cases.push(framed(name, &(changed.join("\n") + "\n")));
    };
    for (at, line) in lines.iter().enumerate() {
        add(at, "dropped", "", &[]);
        add(at, "doubled", "", &[line, line]);
        LINES
            .iter()
            .for_each(|text| add(at, "after", text, &[text, line]));
        ENDS.iter()
            .for_each(|text| add(at, "ends", text, &[&format!("{line}{text}")]));
        STARTS
            .iter()
            .for_each(|text| add(at, "starts", text, &[&format!("{text}{line}")]));
    }
    cases
}
