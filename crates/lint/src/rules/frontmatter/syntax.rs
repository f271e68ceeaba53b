//! Frontmatter that is no YAML, or not to every reader: what the reader of skills says of it.

use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

/// A skill with this `SKILL.md`.
macro_rules! page {
    ($text:expr) => {
        Example::page(&[("pdf/SKILL.md", Piece::Text($text))])
    };
}

pub(super) static COLON: Rule = Rule {
    code: "SK110",
    name: "yaml-unquoted-colon",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a value without quotes has a colon followed by a blank",
    docs: Docs {
        finds: "A value without quotes in which a colon stands before a blank or at the end. YAML takes the text before \
                it for a key, and a key cannot stand there.",
        hurts: "Three of four frontmatters that cannot be read have this fault. `npx skills` and whoever else reads plain \
                YAML drop the skill without a word; agents that recover do so each in its own way.",
        ignore: "Never; quotes cost two characters.",
        bad: &[
            page!("---\nname: pdf\ndescription: Fill PDF forms: text, boxes and signatures\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  note: see: the manual\n---\n\n# PDF\n"),
        ],
        good: &[
            page!("---\nname: pdf\ndescription: \"Fill PDF forms: text, boxes and signatures\"\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: >-\n  Fill PDF forms: text and boxes (at 9:30)\n---\n\n# PDF forms\n"),
        ],
    },
    check: Check::Reader,
};

pub(super) static RESERVED: Rule = Rule {
    code: "SK111",
    name: "yaml-reserved-start",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a value without quotes begins with a character that YAML reserves",
    docs: Docs {
        finds: "A value without quotes that begins with one of ``@ ` * & ! % { [ > | , ? -`` and is no YAML because of it.",
        hurts: "Readers of plain YAML, such as `npx skills`, drop the skill. What such a character may mean depends on the \
                reader: an alias, a tag, a list.",
        ignore: "Never; quotes cost two characters.",
        bad: &[
            page!("---\nname: pdf\ndescription: `pdftk` fills PDF forms\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: [WIP] Fills PDF forms\n---\n\n# PDF forms\n"),
        ],
        good: &[page!("---\nname: pdf\ndescription: \"`pdftk` fills PDF forms\"\n---\n\n# PDF forms\n")],
    },
    check: Check::Reader,
};

pub(super) static QUOTES: Rule = Rule {
    code: "SK112",
    name: "yaml-bad-quotes",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "quotes are not closed, not escaped, or text follows them",
    docs: Docs {
        finds: "A value that begins with a quote which nothing closes, which closes too early, or after which text \
                follows; and a backslash in double quotes that begins no escape.",
        hurts: "Readers of plain YAML drop the skill. Others guess where the text ends, and not all alike.",
        ignore: "Never; but look at what the fix makes of it, since it guesses too.",
        bad: &[
            page!("---\nname: pdf\ndescription: \"Fill\" PDF forms\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: 'Don't print PDF forms, fill them'\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: \"Fill PDF forms\n---\n\n# PDF forms\n"),
        ],
        good: &[
            page!("---\nname: pdf\ndescription: '\"Fill\" PDF forms'\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: 'Don''t print PDF forms, fill them'\n---\n\n# PDF forms\n"),
        ],
    },
    check: Check::Reader,
};

pub(super) static UNINDENTED: Rule = Rule {
    code: "SK113",
    name: "yaml-unindented-continuation",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "a line that continues a value stands at the margin",
    docs: Docs {
        finds: "A line at the margin of the frontmatter that is no field: the rest of a value that an editor wrapped, or a \
                text below `|` or `>` that is not indented.",
        hurts: "Readers of plain YAML drop the skill. Some that recover take the first line alone, so that the description \
                ends in the middle of a sentence.",
        ignore: "Never; no agent gains anything by it.",
        bad: &[
            page!("---\nname: pdf\ndescription: Fill PDF forms, one field\nat a time.\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: |\nFill PDF forms.\n---\n\n# PDF forms\n"),
        ],
        good: &[page!("---\nname: pdf\ndescription: Fill PDF forms, one field\n  at a time.\n---\n\n# PDF forms\n")],
    },
    check: Check::Reader,
};

pub(super) static DUPLICATE: Rule = Rule {
    code: "SK115",
    name: "yaml-duplicate-key",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "a mapping has a key twice",
    docs: Docs {
        finds: "A key that its mapping has already, at the top level or below. The first entry is the one that skillpm \
                keeps; a skill with two different names or descriptions it refuses.",
        hurts: "Most readers take the file for broken and drop the skill; Claude Code and PyYAML keep the last of the two. \
                What one agent shows for review need not be what another runs.",
        ignore: "Never; no agent gains anything by it.",
        bad: &[
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nlicense: MIT\nlicense: Apache-2.0\n---\n\n# PDF\n"),
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nhooks:\n  Stop: a\n  Stop: b\n---\n\n# PDF\n"),
        ],
        good: &[page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  name: other\n---\n\n# PDF\n")],
    },
    check: Check::Reader,
};

pub(super) static BROKEN_FLOW: Rule = Rule {
    code: "SK116",
    name: "yaml-broken-flow",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "brackets or JSON that do not parse, or a `{{placeholder}}` that was left in",
    docs: Docs {
        finds: "A value that begins with `{` or `[` and is no YAML: brackets that do not match, JSON with a fault, a \
                template such as `{{description}}` that nobody filled in.",
        hurts: "Readers of plain YAML drop the skill. Where the broken value is `metadata`, what an agent would have found \
                in it is lost even to those that recover.",
        ignore: "A template of a skill, which is to be filled in before anybody installs it.",
        bad: &[
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: {\"a\": {\"b\": 1}\n---\n\n# PDF\n"),
            page!("---\nname: pdf\ndescription: {{what}} of PDF forms\n---\n\n# PDF\n"),
        ],
        good: &[
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: {\"a\": {\"b\": 1}}\n---\n\n# PDF\n"),
            page!("---\nname: pdf\ndescription: \"{{what}} of PDF forms\"\n---\n\n# PDF\n"),
        ],
    },
    check: Check::Reader,
};

pub(super) static SYNTAX: Rule = Rule {
    code: "SK118",
    name: "yaml-syntax",
    level: Some(Level::Error),
    fix: Fixes::Unsafely,
    summary: "the frontmatter is no YAML for another reason",
    docs: Docs {
        finds: "Whatever keeps the frontmatter from being YAML and has no rule of its own: a line that is no field, a \
                field that is indented deeper than the others, a colon with no blank after it.",
        hurts: "Readers of plain YAML, such as `npx skills`, drop the skill.",
        ignore: "Never; no agent gains anything by it.",
        bad: &[
            page!("---\nname:pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
            page!("---\nMy skill\nname: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
            page!("---\n  name: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
        ],
        good: &[page!("---\nname: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n")],
    },
    check: Check::Reader,
};

pub(super) static SURROGATE: Rule = Rule {
    code: "SK122",
    name: "yaml-surrogate-escape",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a character is written as two escapes, `\\uD83D\\uDE00`",
    docs: Docs {
        finds: "Escapes for the two halves of a surrogate pair, as JSON writes characters beyond the first plane, and a \
                half that stands alone, which is an error.",
        hurts: "YAML knows no pairs. Codex and PyYAML take each half for a broken character and drop the skill; others \
                join them.",
        ignore: "Never; the character itself is shorter.",
        bad: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"\\uD83D\\uDCC4\"\n---\n\n# PDF\n"
            ),
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"\\uD83D\"\n---\n\n# PDF\n"),
        ],
        good: &[
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"📄\"\n---\n\n# PDF\n"),
            page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"\\u00e9\"\n---\n\n# PDF\n"),
        ],
    },
    check: Check::Reader,
};

pub(super) static LIMIT: Rule = Rule {
    code: "SK123",
    name: "yaml-limit",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the frontmatter is nested too deep, or grows too large",
    docs: Docs {
        finds: "More than 64 levels of nesting, aliases that unfold to more than a few megabytes, or more than 200 faults \
                in one frontmatter.",
        hurts: "skillpm does not read it. Nobody writes such a frontmatter by hand; whoever makes one wants to see which \
                reader runs out of memory.",
        ignore: "Never; no agent gains anything by it.",
        bad: &[page!(concat!(
            "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: ",
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
            "\n---\n\n# PDF\n",
        ))],
        good: &[page!("---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: [[[[[[[[a]]]]]]]]\n---\n\n# PDF\n")],
    },
    check: Check::Reader,
};
