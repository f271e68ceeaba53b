//! What the reader of `SKILL.md` says of names: [`crate::skill::name`].

use crate::lint::{Check, Docs, Fixes, Rule};
use crate::report::Level;

pub(super) static MISSING: Rule = Rule {
    code: "SK201",
    name: "name-missing",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the frontmatter has no `name`",
    docs: Docs {
        finds: "A frontmatter without the key `name`.",
        hurts: "The specification requires it. Codex and Claude Code call the skill as its directory; npx skills, Gemini \
                CLI, OpenCode and OpenClaw drop it without a word.",
        ignore: "Never: the directory's name costs one line. `--fix` writes it.",
        bad: &[page!("pdf", "---\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n")],
        good: &[page!(
            "pdf",
            "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Reader,
};

pub(super) static EMPTY: Rule = Rule {
    code: "SK202",
    name: "name-empty",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the `name` is empty, null or blank",
    docs: Docs {
        finds: "A `name` with nothing after it, with `null` or `~`, or with blanks in quotes.",
        hurts: "As a missing one: agents that do not fall back to the directory's name drop the skill.",
        ignore: "Never. `--fix` writes the directory's name.",
        bad: &[
            page!("pdf", "---\nname:\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"),
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
    check: Check::Reader,
};

pub(super) static INVALID_CHARS: Rule = Rule {
    code: "SK203",
    name: "name-invalid-chars",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the `name` holds something other than letters, digits and hyphens",
    docs: Docs {
        finds: "A character that is neither a letter, a number nor a hyphen once the name is composed (NFKC), as the \
                official validator does: spaces, underscores, colons, dots, slashes, invisible characters. It judges by \
                general category, so that a vowel sign of Devanagari is no letter.",
        hurts: "Agents load such a skill, but registries and the official validator refuse it, a slash or a colon makes \
                half of it look like a namespace, and nobody can type an invisible character.",
        ignore: "Skills of an agent of your own whose names are titles for people. `--fix` writes the directory's name \
                 where that is the same in other spelling, else the name with hyphens; where a slash or a colon may \
                 mark a prefix, only `--unsafe-fixes` does.",
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
    check: Check::Reader,
};

pub(super) static UPPERCASE: Rule = Rule {
    code: "SK204",
    name: "name-uppercase",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the `name` has capital letters",
    docs: Docs {
        finds: "A name that is not equal to itself in lower case.",
        hurts: "The specification allows lower case only. On macOS and Windows `Pdf` and `pdf` are one directory, on \
                Linux two: such a skill is found on one machine and lost on the next.",
        ignore: "Skills of an agent of your own whose names are titles for people.",
        bad: &[page!(
            "pdf-forms",
            "---\nname: PDF-Forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf-forms",
            "---\nname: pdf-forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Reader,
};

pub(super) static HYPHEN_EDGE: Rule = Rule {
    code: "SK205",
    name: "name-hyphen-edge",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "the `name` begins or ends with a hyphen",
    docs: Docs {
        finds: "A hyphen at the first or the last place of the name.",
        hurts: "The specification forbids it, and a directory called `-pdf` is taken for an option by most programs that \
                are given it.",
        ignore: "Never. `--fix` takes the hyphens away.",
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
    check: Check::Reader,
};

pub(super) static DOUBLE_HYPHEN: Rule = Rule {
    code: "SK206",
    name: "name-double-hyphen",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "two hyphens stand together in the `name`",
    docs: Docs {
        finds: "Two or more hyphens in a row within the name.",
        hurts: "The specification forbids it: tools keep `--` for joining a name to something else.",
        ignore: "Never. `--fix` leaves one of them.",
        bad: &[page!(
            "pdf--forms",
            "---\nname: pdf--forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "pdf-forms",
            "---\nname: pdf-forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Reader,
};

pub(super) static TOO_LONG: Rule = Rule {
    code: "SK207",
    name: "name-too-long",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "the `name` is longer than 64 characters",
    docs: Docs {
        finds: "A name of more than 64 characters, counted once it is composed (NFKC). What is too much is underlined.",
        hurts: "Codex does not list the skill; the specification's limit is 64.",
        ignore: "Never: which words to leave out is yours to say.",
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
    check: Check::Reader,
};

pub(super) static DIRECTORY_MISMATCH: Rule = Rule {
    code: "SK208",
    name: "name-directory-mismatch",
    level: Some(Level::Warning),
    fix: Fixes::Unsafely,
    summary: "the `name` is not that of the directory",
    docs: Docs {
        finds: "A name that is not equal to the directory's, both composed (NFKC). The message says how they differ: in \
                case, in spelling (spaces, underscores), by a prefix or suffix that one of them adds, or altogether.",
        hurts: "The specification wants them equal, and the official validator fails. Agents load the skill, but not \
                under one name: Codex, Gemini CLI, OpenCode and OpenClaw go by the frontmatter, Claude Code calls it by \
                the directory. What one person calls the skill is unknown to another.",
        ignore: "A skill at the root of its repository, whose directory is called whatever people clone it as.",
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
    check: Check::Reader,
};

pub(super) static NON_ASCII: Rule = Rule {
    code: "SK209",
    name: "name-non-ascii",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the `name` has letters other than a-z",
    docs: Docs {
        finds: "A name with letters or numbers beyond ASCII that is otherwise well formed.",
        hurts: "The specification's text says a-z, 0-9 and hyphens; its validator takes every letter there is. Agents \
                side with the one or the other, `skillpm` installs only names of the text, and whoever lacks the \
                keyboard cannot call the skill.",
        ignore: "Skills for people who share the language and use one agent.",
        bad: &[page!(
            "übersetzen",
            "---\nname: übersetzen\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
        good: &[page!(
            "uebersetzen",
            "---\nname: uebersetzen\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n# PDF\n"
        )],
    },
    check: Check::Reader,
};
