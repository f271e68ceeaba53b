//! Frontmatter that is not valid YAML, or not for every parser; the reader of skills reports it.

use crate::{ExampleFile, FixAvailability, Rule, RuleCheck, RuleDocs, RuleExample};
use skillpm_core::report::DiagnosticLevel;

/// A skill with this `SKILL.md`.
macro_rules! page {
    ($text:expr) => {
        RuleExample::page(&[("pdf/SKILL.md", ExampleFile::Text($text))])
    };
}

pub(super) static COLON: Rule = Rule {
    code: "SK110",
    name: "yaml-unquoted-colon",
    level: Some(DiagnosticLevel::Error),
    // Safe: in quotes the value is the line as its author wrote it.
    fix: FixAvailability::Safely,
    summary: "an unquoted value contains a colon followed by a space",
    docs: RuleDocs {
        finds: "An unquoted value with a colon before a space or at the end. YAML reads the text before it as a key, \
            which is not allowed there.",
        hurts: "Three of four invalid frontmatters have this error. `npx skills` and other strict YAML parsers drop \
            the skill silently; agents that recover do so in different ways.",
        ignore: "Never; quotes cost two characters.",
        bad: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms: text, boxes and signatures\n---\n\n# PDF forms\n"
            ),
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  note: see: the manual\n---\n\n# PDF\n"
            ),
        ],
        good: &[
            page!(
                "---\nname: pdf\ndescription: \"Fill PDF forms: text, boxes and signatures\"\n---\n\n# PDF forms\n"
            ),
            page!(
                "---\nname: pdf\ndescription: >-\n  Fill PDF forms: text and boxes (at 9:30)\n---\n\n# PDF forms\n"
            ),
        ],
    },
    check: RuleCheck::Reader,
};

pub(super) static RESERVED: Rule = Rule {
    code: "SK111",
    name: "yaml-reserved-start",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "an unquoted value begins with a character reserved by YAML",
    docs: RuleDocs {
        finds: "An unquoted value that begins with one of ``@ ` * & ! % { [ > | , ? -`` and is not valid YAML because \
            of it.",
        hurts: "Strict YAML parsers, such as the one of `npx skills`, drop the skill. The meaning of such a character \
            depends on the parser: an alias, a tag, a list.",
        ignore: "Never; quotes cost two characters.",
        bad: &[
            page!("---\nname: pdf\ndescription: `pdftk` fills PDF forms\n---\n\n# PDF forms\n"),
            page!("---\nname: pdf\ndescription: [WIP] Fills PDF forms\n---\n\n# PDF forms\n"),
        ],
        // Quotes make any first character part of the text.
        good: &[page!(
            "---\nname: pdf\ndescription: \"`pdftk` fills PDF forms\"\n---\n\n# PDF forms\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static QUOTES: Rule = Rule {
    code: "SK112",
    name: "yaml-bad-quotes",
    level: Some(DiagnosticLevel::Error),
    // Unsafe: where the quoted text was meant to end is a guess.
    fix: FixAvailability::Unsafely,
    summary: "quotes are not closed, not escaped, or text follows them",
    docs: RuleDocs {
        finds: "A value that begins with a quote that is not closed, is closed too early, or is followed by text; and \
            a backslash in double quotes that does not begin an escape.",
        hurts: "Strict YAML parsers drop the skill. Others guess where the text ends, and differ.",
        ignore: "Never; but check the result of the fix, since it guesses too.",
        bad: &[
            page!("---\nname: pdf\ndescription: \"Fill\" PDF forms\n---\n\n# PDF forms\n"),
            page!(
                "---\nname: pdf\ndescription: 'Don't print PDF forms, fill them'\n---\n\n# PDF forms\n"
            ),
            page!("---\nname: pdf\ndescription: \"Fill PDF forms\n---\n\n# PDF forms\n"),
        ],
        good: &[
            page!("---\nname: pdf\ndescription: '\"Fill\" PDF forms'\n---\n\n# PDF forms\n"),
            page!(
                "---\nname: pdf\ndescription: 'Don''t print PDF forms, fill them'\n---\n\n# PDF forms\n"
            ),
        ],
    },
    check: RuleCheck::Reader,
};

pub(super) static UNINDENTED: Rule = Rule {
    code: "SK113",
    name: "yaml-unindented-continuation",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "a continuation line of a value is not indented",
    docs: RuleDocs {
        finds: "An unindented line of the frontmatter that is not a field: the rest of a value that an editor \
            wrapped, or a text after `|` or `>` that is not indented.",
        hurts: "Strict YAML parsers drop the skill. Some that recover read only the first line, so that the \
            description ends in the middle of a sentence.",
        ignore: "Never; no agent benefits from it.",
        // An editor wrapped the first; the second has a block without indentation.
        bad: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms, one field\nat a time.\n---\n\n# PDF forms\n"
            ),
            page!("---\nname: pdf\ndescription: |\nFill PDF forms.\n---\n\n# PDF forms\n"),
        ],
        good: &[page!(
            "---\nname: pdf\ndescription: Fill PDF forms, one field\n  at a time.\n---\n\n# PDF forms\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static DUPLICATE: Rule = Rule {
    code: "SK115",
    name: "yaml-duplicate-key",
    // An error: with two values an attacker can show one for review and have another one run.
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "a mapping has a key twice",
    docs: RuleDocs {
        finds: "A key that its mapping already has, at the top level or below. skillpm keeps the first entry; it \
            rejects a skill with two different names or descriptions.",
        hurts: "Most parsers treat the file as invalid and drop the skill; Claude Code and PyYAML keep the last of \
            the two. What one agent shows for review may differ from what another runs.",
        ignore: "Never; no agent benefits from it.",
        bad: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nlicense: MIT\nlicense: Apache-2.0\n---\n\n# PDF\n"
            ),
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nhooks:\n  Stop: a\n  Stop: b\n---\n\n# PDF\n"
            ),
        ],
        // The same key in two mappings is no duplicate.
        good: &[page!(
            "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  name: other\n---\n\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static BROKEN_FLOW: Rule = Rule {
    code: "SK116",
    name: "yaml-broken-flow",
    level: Some(DiagnosticLevel::Error),
    // Unsafe: quoting keeps the text, but JSON that was meant as data becomes a string.
    fix: FixAvailability::Unsafely,
    summary: "invalid brackets or JSON, or a leftover `{{placeholder}}`",
    docs: RuleDocs {
        finds: "A value that begins with `{` or `[` and is not valid YAML: unbalanced brackets, invalid JSON, a \
            template such as `{{description}}` that was not filled in.",
        hurts: "Strict YAML parsers drop the skill. If the broken value is `metadata`, its content is lost even to \
            agents that recover.",
        ignore: "The skill is a template, to be filled in before it is installed.",
        bad: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: {\"a\": {\"b\": 1}\n---\n\n# PDF\n"
            ),
            page!("---\nname: pdf\ndescription: {{what}} of PDF forms\n---\n\n# PDF\n"),
        ],
        good: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: {\"a\": {\"b\": 1}}\n---\n\n# PDF\n"
            ),
            page!("---\nname: pdf\ndescription: \"{{what}} of PDF forms\"\n---\n\n# PDF\n"),
        ],
    },
    check: RuleCheck::Reader,
};

pub(super) static SYNTAX: Rule = Rule {
    code: "SK118",
    name: "yaml-syntax",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "the frontmatter is not valid YAML for another reason",
    docs: RuleDocs {
        finds: "Any other YAML error: a line that is not a field, a field that is indented deeper than the others, a \
            colon without a space after it.",
        hurts: "Strict YAML parsers, such as the one of `npx skills`, drop the skill.",
        ignore: "Never; no agent benefits from it.",
        // A colon without a space, a line that is no field, and a deeper first field.
        bad: &[
            page!("---\nname:pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
            page!("---\nMy skill\nname: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
            page!("---\n  name: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"),
        ],
        good: &[page!(
            "---\nname: pdf\ndescription: Fill PDF forms.\n---\n\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static SURROGATE: Rule = Rule {
    code: "SK122",
    name: "yaml-surrogate-escape",
    // A warning for a pair, which most parsers join; the reader makes an error of a single half.
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a character is written as a surrogate pair of escapes, `\\uD83D\\uDE00`",
    docs: RuleDocs {
        finds: "Escapes for the two halves of a surrogate pair, as JSON writes characters beyond the basic plane; a \
            single half is an error.",
        hurts: "YAML has no surrogate pairs. Codex and PyYAML treat each half as an invalid character and drop the \
            skill; others join them.",
        ignore: "Never; the character itself is shorter.",
        bad: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"\\uD83D\\uDCC4\"\n---\n\n# PDF\n"
            ),
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"\\uD83D\"\n---\n\n# PDF\n"
            ),
        ],
        // An escape of one unit is valid YAML.
        good: &[
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"📄\"\n---\n\n# PDF\n"
            ),
            page!(
                "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata:\n  icon: \"\\u00e9\"\n---\n\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Reader,
};

pub(super) static LIMIT: Rule = Rule {
    code: "SK123",
    name: "yaml-limit",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "the frontmatter is nested too deep, or grows too large",
    docs: RuleDocs {
        finds: "More than 64 levels of nesting, aliases that expand to more than a few megabytes, or more than 200 \
            errors in one frontmatter.",
        hurts: "skillpm does not read it. Such a frontmatter is never written by hand; it is an attack that tries to \
            exhaust the memory of parsers.",
        ignore: "Never; no agent benefits from it.",
        // A few levels more than the limit of 64.
        bad: &[page!(concat!(
            "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: ",
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
            "\n---\n\n# PDF\n",
        ))],
        good: &[page!(
            "---\nname: pdf\ndescription: Fill PDF forms.\nmetadata: [[[[[[[[a]]]]]]]]\n---\n\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};
