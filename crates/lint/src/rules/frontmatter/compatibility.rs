//! A `compatibility` that is empty or too long.

use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, Rule, RuleCheck, RuleDocs, RuleExample,
};
use skillpm_core::report::DiagnosticLevel;
use skillpm_core::skill::yaml::TypedScalar;

/// The limit of characters.
///
/// See <https://agentskills.io/specification#compatibility-field>.
const LENGTH_MAX: usize = 500;

pub(super) static RULE: Rule = Rule {
    code: "SK136",
    name: "compatibility-length",
    level: Some(DiagnosticLevel::Error),
    fix: FixAvailability::Never,
    summary: "`compatibility` is empty, or longer than 500 characters",
    docs: RuleDocs {
        finds: "A `compatibility` without text, or with more than 500 characters.",
        hurts: "The specification allows 1 to 500 characters, and the official validator rejects more.",
        ignore: "Never; longer text belongs in the body.",
        bad: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\ncompatibility: \"\"\n---\n\n# PDF\n",
            ),
        )])],
        good: &[RuleExample::page(&[(
            "pdf/SKILL.md",
            ExampleFile::Text(
                "---\nname: pdf\ndescription: Fill PDF forms.\ncompatibility: Needs pdftk.\n---\n\n# PDF\n",
            ),
        )])],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let entry = page
        .frontmatter
        .as_ref()
        .and_then(|frontmatter| frontmatter.root.entry("compatibility"));
    let Some((key, value)) = entry else { return };

    let length = match value.typed() {
        // Characters, not bytes, as the official validator counts.
        Some(TypedScalar::Text(text)) => text.trim().chars().count(),
        Some(TypedScalar::Null) => 0,
        // Another type is reported by `wrong-type`.
        _ => return,
    };

    if length == 0 {
        let finding = RULE
            .finding("`compatibility` is empty")
            .at_bytes(key.span.clone());
        found.add(
            page.path,
            finding.help("say what the skill requires, or remove the field"),
        );
    } else if length > LENGTH_MAX {
        let message = format!("`compatibility` has {length} characters; the limit is {LENGTH_MAX}");
        let finding = RULE.finding(message).at_bytes(value.span.clone());
        found.add(page.path, finding.help("move the rest to the body"));
    }
}
