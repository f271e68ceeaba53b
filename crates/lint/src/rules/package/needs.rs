//! What a skill needs, and says or does not say.

use crate::lint::{Check, Docs, Fixes, Found, Page, Piece, Rule};
use crate::manifest::{FILE, look::Look};
use crate::package::SkillName;
use crate::report::Level;
use crate::skill::Skill;

pub(super) static UNBOUNDED: Rule = Rule {
    code: "SK806",
    name: "dependency-unbounded",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a dependency takes any version there will ever be",
    docs: Docs {
        finds: "A dependency in `skillpm.toml` that comes from a registry, and asks for `*`.",
        hurts: "The next version may do something else altogether, and everybody who installs the skill gets it.",
        ignore: "Both skills are of one owner, and always published together.",
        bad: &[page_and!("Fill the form.\n", ("pdf/skillpm.toml", Piece::Text("[dependencies]\nforms = \"*\"\n")))],
        good: &[page_and!(
            "Fill the form.\n",
            ("pdf/skillpm.toml", Piece::Text("[dependencies]\nforms = \"^1\"\nstyle = { path = \"../style\" }\n"))
        )],
    },
    check: Check::With("manifest-syntax"),
};

pub(super) static UNDECLARED: Rule = Rule {
    code: "SK808",
    name: "dependency-undeclared",
    level: Some(Level::Note),
    fix: Fixes::Never,
    summary: "the instructions name a skill that the package does not need",
    docs: Docs {
        finds: "A skill that the body tells the agent to use (`` the `forms` skill ``, `` skill `forms` ``), where the \
                `skillpm.toml` of the package does not have it among its dependencies.",
        hurts: "Whoever installs the package gets it without the other skill, and the agent looks for it in vain.",
        ignore: "The other skill is only one of several that would do, or the skill says what to do without it.",
        bad: &[page_and!(
            "First use the `forms` skill.\n",
            ("pdf/skillpm.toml", Piece::Text("[package]\nname = \"acme/pdf\"\n"))
        )],
        good: &[page_and!(
            "First use the `forms` skill.\n",
            (
                "pdf/skillpm.toml",
                Piece::Text("[package]\nname = \"acme/pdf\"\n\n[dependencies]\n\"acme/forms\" = \"^1\"\n")
            )
        )],
    },
    check: Check::With("manifest-syntax"),
};

pub(super) fn unbounded(look: &Look, text: &str, found: &mut Found) {
    for need in &look.needs {
        let Some(version) = need.version.as_ref().filter(|version| version.text.trim() == "*" && !need.is_bound) else {
            continue;
        };
        let told = UNBOUNDED.finding(format!("`{}` may be of any version", need.key.text.escape_debug()));
        found.add(FILE, told.at(version.span.clone(), text).help("ask for the versions that you know: `^1.2`"));
    }
}

pub(super) fn undeclared(page: &Page<'_>, skill: &Skill, look: &Look, found: &mut Found) {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let mut known: Vec<String> = look.needs.iter().map(|need| last(&need.key.text)).collect();
    known.extend(skill.requires.iter().map(|need| last(need.split('@').next().unwrap_or(need).trim())));
    known.push(skill.name.clone());
    for span in &page.markdown().code {
        let name = &page.source[span.clone()];
        let (before, after) = (&page.source[..span.start], &page.source[span.end..]);
        let before = before.trim_end_matches('`').trim_end();
        let after = after.trim_start_matches('`').trim_start();
        let is_skill = ["skill", "Skill"].iter().any(|word| {
            let follows = after.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()));
            let precedes = before.strip_suffix(word).is_some_and(|rest| !rest.ends_with(|c: char| c.is_alphanumeric()));
            follows || precedes
        });
        let bare = last(name);
        if is_skill
            && name.parse::<crate::package::PackageName>().is_ok()
            && bare.parse::<SkillName>().is_ok()
            && !known.contains(&bare)
        {
            let told = UNDECLARED.finding(format!("`{name}` is used here, and the package does not need it"));
            let told = told.at(span.clone(), page.source);
            found.add(page.path, told.help(format!("`skillpm add {name}` declares it in `{FILE}`")));
            known.push(bare);
        }
    }
}
