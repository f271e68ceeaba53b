//! The manifest of a skill that is published: whether it can be read, and whether it fits the skill. It is read once.

use super::{include, metadata, name, needs, version};
use crate::lint::{Check, Docs, File, Fixes, Found, Page, Piece, Rule, Subject};
use crate::manifest::FILE;
use crate::manifest::look::{Fault, FaultKind, Look, look};
use crate::report::{Applicability, Fix, Level};

pub(super) static SYNTAX: Rule = Rule {
    code: "SK801",
    name: "manifest-syntax",
    level: Some(Level::Error),
    fix: Fixes::Never,
    summary: "`skillpm.toml` cannot be read",
    docs: Docs {
        finds: "A `skillpm.toml` in the skill's directory that is no TOML, or has a value that cannot be: a number where a text \
                is wanted, a name that is none, a dependency of two sources. Marks of a merge, too.",
        hurts: "Nothing that has to do with the package works: neither `install` nor `lock` nor `publish`.",
        ignore: "There is no reason to.",
        bad: &[
            page_and!("Fill the form.\n", ("pdf/skillpm.toml", Piece::Text("[package]\nname = acme/pdf\n"))),
            page_and!(
                "Fill the form.\n",
                (
                    "pdf/skillpm.toml",
                    Piece::Text(
                        "[dependencies]\nforms = { git = \"https://acme.dev/forms\", archive = \"forms.zip\" }\n"
                    )
                )
            ),
        ],
        good: &[page_and!(
            "Fill the form.\n",
            (
                "pdf/skillpm.toml",
                Piece::Text(
                    "[package]\nname = \"acme/pdf\"\nlicense.workspace = true\n\n[dependencies]\nforms = \"^1\"\n"
                )
            )
        )],
    },
    check: Check::Skill(check),
};

pub(super) static UNKNOWN_KEY: Rule = Rule {
    code: "SK802",
    name: "manifest-unknown-key",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "`skillpm.toml` has a key that skillpm does not know",
    docs: Docs {
        finds: "The first key of a `skillpm.toml` that is none, with the one that was probably meant.",
        hurts: "skillpm refuses the file rather than pass over what it does not know: a misspelt `exclude` would publish what \
                was to stay at home.",
        ignore: "The key is of a newer skillpm than this.",
        bad: &[page_and!(
            "Fill the form.\n",
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/pdf\"\nlicence = \"MIT\"\n"))
        )],
        good: &[page_and!(
            "Fill the form.\n",
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/pdf\"\nlicense = \"MIT\"\n"))
        )],
    },
    check: Check::With("manifest-syntax"),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let text = subject.skill.file(FILE).and_then(File::text);
    let look = text.map(look);
    if let Some(page) = &subject.page {
        version::of_page(page, look.as_ref(), found);
    }
    let (Some(text), Some(look)) = (text, look) else { return };
    for fault in &look.faults {
        found.add(FILE, told(fault, text));
    }
    needs::unbounded(&look, text, found);
    if look.is_package {
        version::of_manifest(&look, text, found);
        if let Some(page) = &subject.page {
            about_both(subject, page, &look, text, found);
        }
    }
}

fn about_both(subject: &Subject<'_>, page: &Page<'_>, look: &Look, text: &str, found: &mut Found) {
    let Some(skill) = page.skill() else { return };
    if let Some(drift) = name::drift(look, text, skill, &subject.skill.directory) {
        found.add(FILE, drift);
    }
    let has = |key: &str| look.keys.iter().any(|other| other == key);
    if let Some(missing) =
        metadata::missing(has("license") || skill.license.is_some(), has("repository") || skill.homepage.is_some())
    {
        let span = look.name.as_ref().map_or(0..0, |name| name.span.clone());
        found.add(FILE, missing.at(span, text));
    }
    needs::undeclared(page, skill, look, found);
    include::check(subject, page, look, found);
}

fn told(fault: &Fault, text: &str) -> crate::report::Diagnostic {
    let (rule, fix) = match &fault.kind {
        FaultKind::Syntax => (&SYNTAX, None),
        FaultKind::UnknownKey(meant) => (&UNKNOWN_KEY, meant.as_ref().zip(fault.span.clone())),
    };
    let mut told = rule.finding(fault.message.clone());
    if let Some(span) = &fault.span {
        told = told.at(span.clone(), text);
    }
    if let Some((meant, span)) = fix {
        told = told.fix(Fix::edit(Applicability::Safe, format!("write `{meant}`"), span, meant.clone()));
    }
    told.help.clone_from(&fault.help);
    told
}
