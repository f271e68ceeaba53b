//! Rules about names that the reader of `SKILL.md` checks: [`skillpm_core::skill::name`].

use crate::{FixAvailability, Rule, RuleCheck, RuleDocs};
use skillpm_core::report::DiagnosticLevel;

pub(super) static MISSING: Rule = Rule {
    code: "SK201",
    name: "name-missing",
    level: Some(DiagnosticLevel::Error),
    // Safe: Codex and Claude Code use the directory's name already.
    fix: FixAvailability::Safely,
    summary: "the frontmatter has no `name`",
    docs: RuleDocs {
        finds: "A frontmatter without the key `name`.",
        hurts: "The specification requires it. Codex and Claude Code use the name of the directory; npx skills, \
            Gemini CLI, OpenCode and OpenClaw drop the skill silently.",
        ignore: "Never: `--fix` adds the directory's name.",
        bad: &[page!(
            "pdf",
            "---\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static EMPTY: Rule = Rule {
    code: "SK202",
    name: "name-empty",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Safely,
    summary: "the `name` is empty, null or blank",
    docs: RuleDocs {
        finds: "A `name` without a value, with `null` or `~`, or with only whitespace in quotes.",
        hurts: "Like a missing name: agents that do not fall back to the directory's name drop the skill.",
        ignore: "Never. `--fix` writes the directory's name.",
        // To YAML the first is null and the second is text, so both are tried.
        bad: &[
            page!(
                "pdf",
                "---\nname:\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: ' '\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static INVALID_CHARS: Rule = Rule {
    code: "SK203",
    name: "name-invalid-chars",
    // Spaces and underscores make most of these names; agents load them, registries refuse them.
    level: Some(DiagnosticLevel::Error),
    // Unsafe: users call the skill by its name, and other files refer to it.
    fix: FixAvailability::Unsafely,
    summary: "the `name` contains characters other than letters, digits and hyphens",
    docs: RuleDocs {
        finds: "A character that is neither a letter, a number nor a hyphen after normalization (NFKC), as in the \
            official validator: spaces, underscores, colons, dots, slashes, invisible characters. It checks the \
            general category, so that a vowel sign of Devanagari is not a letter.",
        hurts: "Agents load such a skill, but registries and the official validator reject it, a slash or a colon \
            makes part of it look like a namespace, and an invisible character cannot be typed.",
        ignore: "The skill is for your own agent, whose names are titles for people. `--unsafe-fixes` writes the \
            directory's name if that differs only in spelling, else the name with hyphens. It changes neither the \
            directory nor what refers to the old name.",
        bad: &[
            page!(
                "pdf-forms",
                "---\nname: pdf_forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: \"acme: pdf\"\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pd\u{200B}f\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[
            page!(
                "pdf-forms",
                "---\nname: pdf-forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "überweisung",
                "---\nname: überweisung\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
    },
    check: RuleCheck::Reader,
};

pub(super) static UPPERCASE: Rule = Rule {
    code: "SK204",
    name: "name-uppercase",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "the `name` contains uppercase letters",
    docs: RuleDocs {
        finds: "A name with uppercase letters.",
        hurts: "The specification allows lower case only. `Pdf` and `pdf` are the same directory on macOS and \
            Windows, but not on Linux: such a skill is found on one machine and not on another.",
        ignore: "The skill is for your own agent, whose names are titles for people. `--unsafe-fixes` writes it in \
            lower case. It changes neither the directory nor what refers to the old name.",
        // The directory is in lower case, so that only the name is at fault.
        bad: &[page!(
            "pdf-forms",
            "---\nname: PDF-Forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf-forms",
            "---\nname: pdf-forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static HYPHEN_EDGE: Rule = Rule {
    code: "SK205",
    name: "name-hyphen-edge",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "the `name` begins or ends with a hyphen",
    docs: RuleDocs {
        finds: "A hyphen at the beginning or the end of the name.",
        hurts: "The specification forbids it, and most programs read a directory named `-pdf` as an option.",
        ignore: "Never. `--unsafe-fixes` removes the hyphens.",
        // With the directory named alike, so that only the hyphen is at fault.
        bad: &[
            page!(
                "-pdf",
                "---\nname: -pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "pdf",
                "---\nname: pdf-\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static DOUBLE_HYPHEN: Rule = Rule {
    code: "SK206",
    name: "name-double-hyphen",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Unsafely,
    summary: "the `name` contains consecutive hyphens",
    docs: RuleDocs {
        finds: "Two or more consecutive hyphens in the name.",
        hurts: "The specification forbids it: tools use `--` to join a name with something else.",
        ignore: "Never. `--unsafe-fixes` keeps one of them.",
        bad: &[page!(
            "pdf--forms",
            "---\nname: pdf--forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf-forms",
            "---\nname: pdf-forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static TOO_LONG: Rule = Rule {
    code: "SK207",
    name: "name-too-long",
    level: Some(DiagnosticLevel::Error),
    // No fix: cutting a name at 64 could end it in a word, or make it equal to another.
    fix: FixAvailability::Never,
    summary: "the `name` is longer than 64 characters",
    docs: RuleDocs {
        finds: "A name of more than 64 characters after normalization (NFKC). The part over the limit is underlined.",
        hurts: "Codex does not list the skill; the specification's limit is 64.",
        ignore: "Never: choose which words to remove.",
        bad: &[page!(
            "fill-in-portable-document-forms-and-then-check-every-field-of-them",
            "---\nname: fill-in-portable-document-forms-and-then-check-every-field-of-them\ndescription: Fill PDF forms. \
             Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "fill-in-portable-document-forms-and-check-every-field-of-them-xx",
            "---\nname: fill-in-portable-document-forms-and-check-every-field-of-them-xx\ndescription: Fill PDF forms. \
             Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static DIRECTORY_MISMATCH: Rule = Rule {
    code: "SK208",
    name: "name-directory-mismatch",
    // A warning in `lint`, an error in `validate`: every agent loads the skill, but not under one
    // name.
    level: Some(DiagnosticLevel::Warning),
    // Unsafe: users may know the skill by either name.
    fix: FixAvailability::Unsafely,
    summary: "the `name` differs from the directory's name",
    docs: RuleDocs {
        finds: "A name that differs from the directory's after normalization (NFKC). The message says how they \
            differ: in case, in spelling (spaces, underscores), by a prefix or suffix, or completely.",
        hurts: "The specification requires them to be equal, and the official validator fails. Agents load the skill, \
            but under different names: Codex, Gemini CLI, OpenCode and OpenClaw use the frontmatter's, Claude Code \
            the directory's. Users of different agents know the skill by different names.",
        ignore: "The skill is at the root of its repository, whose directory has any name that it is cloned to.",
        bad: &[
            page!(
                "pdf-forms",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
            page!(
                "Pdf",
                "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
            ),
        ],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};

pub(super) static NON_ASCII: Rule = Rule {
    code: "SK209",
    name: "name-non-ascii",
    // A warning, since the official validator and the specification's text contradict each other.
    level: Some(DiagnosticLevel::Warning),
    // No fix: a transliteration depends on the language.
    fix: FixAvailability::Never,
    summary: "the `name` contains letters other than a-z",
    docs: RuleDocs {
        finds: "A name with non-ASCII letters or numbers that is otherwise valid.",
        hurts: "The specification's text allows a-z, 0-9 and hyphens; its validator accepts every letter. Agents \
            follow one or the other, `skillpm` installs only names that match the text, and users without the \
            keyboard cannot type the name.",
        ignore: "The users of the skill share the language and use one agent.",
        bad: &[page!(
            "übersetzen",
            "---\nname: übersetzen\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "uebersetzen",
            "---\nname: uebersetzen\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: RuleCheck::Reader,
};
