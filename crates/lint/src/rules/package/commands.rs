//! What only commands find that know more than the files.

use crate::lint::{Check, Docs, Example, Fixes, Piece, Rule};
use crate::report::Level;

pub(super) static LOCKFILE: Rule = Rule {
    code: "SK810",
    name: "lockfile-stale",
    level: Some(Level::Error),
    fix: Fixes::Safely,
    summary: "`skillpm.lock` does not fit `skillpm.toml`",
    docs: Docs {
        finds: "A lockfile that lacks what the manifest asks for, or has what it does not ask for. Found by \
                `skillpm lock --locked`, and by every command with `--locked`; `skillpm lock` mends it.",
        hurts: "Everybody who installs gets something else than was tried.",
        ignore: "There is no reason to.",
        bad: &[Example::files(&[
            ("pdf/skillpm.toml", Piece::Text("[dependencies]\nforms = \"^2\"\n")),
            ("pdf/skillpm.lock", Piece::Text("version = 1\n")),
        ])],
        good: &[Example::files(&[
            ("pdf/skillpm.toml", Piece::Text("[dependencies]\n")),
            ("pdf/skillpm.lock", Piece::Text("version = 1\n")),
        ])],
    },
    check: Check::Command("lock --locked"),
};

pub(in crate::lint) static NAME: Rule = Rule {
    code: "SK813",
    name: "package-name",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a name that no package can have",
    docs: Docs {
        finds: "A skill that is to be packed or published, has no `package.name` in `skillpm.toml`, and has a name in `SKILL.md` \
                that a package cannot have.",
        hurts: "A registry has a place for names of small letters, digits and single hyphens only, since names become \
                directories and parts of addresses.",
        ignore: "It cannot be ignored: `package` and `publish` stop.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: PDF forms\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\n\nFill it.\n",
            ),
        )])],
        good: &[page_only!("Fill it.\n")],
    },
    check: Check::Command("package"),
};

pub(in crate::lint) static KEYWORD: Rule = Rule {
    code: "SK816",
    name: "keyword-invalid",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "keywords that are too many, too long, or none",
    docs: Docs {
        finds: "More than 32 keywords of a package (or tags of its `SKILL.md`), and one that is empty, longer than 64 \
                characters or has control characters.",
        hurts: "Keywords are what `search` finds a package by, and an index keeps them for every version.",
        ignore: "It cannot be ignored: `package` and `publish` stop.",
        bad: &[page_and!(
            "Fill it.\n",
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"pdf\"\nversion = \"1.0.0\"\nkeywords = [\"\"]\n"))
        )],
        good: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                Piece::Text("[package]\nname = \"pdf\"\nversion = \"1.0.0\"\nkeywords = [\"forms\"]\n")
            )
        )],
    },
    check: Check::Command("package"),
};

pub(in crate::lint) static UNPUBLISHED: Rule = Rule {
    code: "SK817",
    name: "dependency-not-published",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "a published package needs what no registry has",
    docs: Docs {
        finds: "A dependency of a package that comes from a directory or a repository alone, without a version that a registry \
                could answer with.",
        hurts: "Whoever installs the package from a registry has neither the directory nor a reason to trust the repository.",
        ignore: "It cannot be ignored: `package` and `publish` stop.",
        bad: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                Piece::Text(
                    "[package]\nname = \"pdf\"\nversion = \"1.0.0\"\n\n[dependencies]\nforms = { git = \"https://acme.dev/forms\" }\n"
                )
            )
        )],
        good: &[page_and!(
            "Fill it.\n",
            (
                "pdf/skillpm.toml",
                Piece::Text(
                    "[package]\nname = \"pdf\"\nversion = \"1.0.0\"\n\n[dependencies]\nforms = { git = \"https://acme.dev/forms\", version = \"^1\" }\n"
                )
            )
        )],
    },
    check: Check::Command("package"),
};
