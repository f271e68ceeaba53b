//! Findings about the exemptions themselves: unknown rules, missing reasons, and those that cover nothing.

use super::{ExemptedRule, ExemptionScope, InlineExemption};
use crate::rules::{self, suppressions};
use crate::{FindingList, LintSettings, SkillDir, SkillFile, join};
use skillpm_core::error::nearest_name;
use skillpm_core::report::{DiagnosticFix, FixApplicability};

/// Reports faulty and unused exemptions, after all findings that they could cover.
pub(in super::super) fn check_exemptions(
    skill: &SkillDir,
    exemptions: &[InlineExemption],
    settings: &LintSettings,
    found: &mut FindingList,
) {
    for exemption in exemptions {
        // Exemptions are found in text only, so the file is there.
        let Some(source) = skill.file(&exemption.path).and_then(SkillFile::text) else {
            continue;
        };

        check_comment(exemption, found);
        let path = join(&skill.path, &exemption.path);
        let unused: Vec<&ExemptedRule> = exemption
            .rules
            .iter()
            // A rule that was not run has found nothing, so nothing follows from it. One that is not covered for lack
            // of a reason may have: the missing reason is reported.
            .filter(|named| {
                !named.is_used
                    && exemption.applies_to(&named.text)
                    && named.is_checkable(settings, &path)
            })
            .collect();
        if !unused.is_empty() {
            report_unused(exemption, &unused, source, found);
        }
    }
}

/// Checks a comment by itself.
fn check_comment(exemption: &InlineExemption, found: &mut FindingList) {
    // Nothing else about such a comment matters, not even a missing reason.
    if exemption.rules.is_empty() {
        let finding =
            suppressions::UNKNOWN_RULE.finding("the comment names no rule, so it has no effect");
        let finding = finding.at_bytes(exemption.span.clone());
        found.add(
            &exemption.path,
            finding.help("name rules in brackets: `# skillpm: ignore[body-empty] reason`"),
        );
        return;
    }

    for named in exemption
        .rules
        .iter()
        .filter(|named| rules::find(&named.text).is_none())
    {
        let text = named.text.escape_debug();
        let finding = suppressions::UNKNOWN_RULE
            .finding(format!("unknown rule `{text}`"))
            .at_bytes(named.span.clone());
        let finding = match nearest_name(
            &named.text,
            rules::all().flat_map(|rule| [rule.name, rule.code]),
        ) {
            Some(meant) => finding.help(format!("did you mean `{meant}`?")),
            None => finding.help(
                "use the name or code of a rule; `skillpm lint --explain CODE` describes a rule",
            ),
        };
        found.add(&exemption.path, finding);
    }

    // After unknown rules, since a misspelled rule is the more urgent of the two.
    if !exemption.has_reason {
        let finding = suppressions::WITHOUT_REASON
            .finding("the comment gives no reason")
            .at_bytes(exemption.span.clone());
        found.add(
            &exemption.path,
            finding.help("write the reason after the brackets"),
        );
    }
}

/// Reports the rules of a comment that report nothing.
fn report_unused(
    exemption: &InlineExemption,
    idle: &[&ExemptedRule],
    source: &str,
    found: &mut FindingList,
) {
    let names: Vec<String> = idle
        .iter()
        .map(|named| format!("`{}`", named.text.escape_debug()))
        .collect();
    // One finding for all of them, as the comment is removed at once.
    let verb = if names.len() == 1 {
        "reports"
    } else {
        "report"
    };

    let finding = suppressions::UNUSED.finding(format!(
        "{} {verb} nothing that this comment covers",
        names.join(", ")
    ));

    // No fix: the list could be written in many ways, and its other rules must stay.
    if idle.len() < exemption.rules.len() {
        let finding = finding.at_bytes(idle[0].span.clone());
        found.add(
            &exemption.path,
            finding.help(format!("remove {} from the list", names.join(", "))),
        );
        return;
    }

    let mut finding = finding
        .at_bytes(exemption.span.clone())
        .help("remove the comment");
    // Unsafe in a script: what looks like a comment may be the text of a string.
    let applicability = match exemption.scope {
        ExemptionScope::Skill => FixApplicability::Safe,
        ExemptionScope::Lines(..) => FixApplicability::Unsafe,
    };
    // The end of a block comment may be on the line as well, with code after it.
    let is_block = ["/*", "*", "<!--"]
        .iter()
        .any(|mark| source[exemption.span.start..].starts_with(mark));
    finding.fix = (!is_block).then(|| {
        DiagnosticFix::edit(
            applicability,
            "remove the comment",
            comment_range(exemption, source),
            "",
        )
    });
    found.add(&exemption.path, finding);
}

/// The span of the comment with the whitespace before it; of the whole line, if there is nothing else on it.
fn comment_range(exemption: &InlineExemption, source: &str) -> std::ops::Range<usize> {
    let before = &source[..exemption.span.start];
    let start = before.trim_end_matches([' ', '\t']).len();
    // Without this an empty line would remain where the comment was.
    let is_alone = start == 0 || source[..start].ends_with('\n');

    let line_end = source[exemption.span.end..]
        .find('\n')
        .map_or(source.len(), |at| exemption.span.end + at + 1);

    if is_alone {
        start..line_end
    } else {
        start..exemption.span.end
    }
}

#[cfg(test)]
mod tests {
    use crate::{FileContent, LintSettings, SkillDir, SkillFile};
    use skillpm_core::report::{FileFinding, FixChange};

    fn findings(frontmatter: &str, script: &str) -> Vec<FileFinding> {
        let page = format!(
            "---\nname: pdf\ndescription: Fill PDF forms. Use when needed.\n{frontmatter}---\n"
        );
        let file = |path: &str, text: String| SkillFile {
            path: path.into(),
            content: FileContent::Text(text),
            executable: true,
        };
        let files = vec![file("SKILL.md", page), file("scripts/a.sh", script.into())];
        let skill = SkillDir {
            directory: "pdf".into(),
            files,
            ..SkillDir::default()
        };
        crate::check(&skill, &LintSettings::default()).findings
    }

    fn messages(frontmatter: &str, script: &str) -> Vec<String> {
        let about = |found: &&FileFinding| {
            ["SK020", "SK021", "SK022", "SK401"].iter().any(|code| {
                crate::rules::find(code).is_some_and(|rule| rule.name == found.diagnostic.rule)
            })
        };
        let findings = findings(frontmatter, script);
        findings
            .iter()
            .filter(about)
            .map(|f| {
                format!(
                    "{}: {}",
                    f.diagnostic.location(&f.path),
                    f.diagnostic.message
                )
            })
            .collect()
    }

    #[test]
    fn comment_in_the_frontmatter_covers_the_whole_skill() {
        assert_eq!(
            messages("", ""),
            ["SKILL.md:4:1: the skill has no instructions"]
        );
        assert_eq!(
            messages("# skillpm: ignore[body-empty] for templates\n", ""),
            [""; 0]
        );
        assert_eq!(
            messages("license: MIT # skillpm: ignore[SK401] for templates\n", ""),
            [""; 0]
        );
        for value in [
            "license: 'MIT # skillpm: ignore[SK401] x'\n",
            "x: |\n  # skillpm: ignore[SK401] x\n",
            "x: a# skillpm: ignore[SK401] x\n",
        ] {
            assert_eq!(messages(value, "").len(), 1, "{value}");
        }
    }

    #[test]
    fn comment_in_a_script_covers_that_script_only() {
        assert_eq!(
            messages("", "true\n# skillpm: ignore[SK401] no\n"),
            [
                "SKILL.md:4:1: the skill has no instructions",
                "scripts/a.sh:2:1: `SK401` reports nothing that this comment covers"
            ]
        );
    }

    #[test]
    fn faulty_comments_are_reported_at_their_place() {
        assert_eq!(
            messages("# skillpm: ignore[SK401, bdy-empty]\n", ""),
            [
                "SKILL.md:4:1: the comment gives no reason",
                "SKILL.md:4:26: unknown rule `bdy-empty`"
            ]
        );
        for (comment, expected) in [
            (
                "# skillpm: ignore[pipe-to-shell]\n",
                &["SKILL.md:4:1: the comment gives no reason"][..],
            ),
            (
                "# skillpm: ignore[SK710, SK204]\n",
                &[
                    "SKILL.md:4:1: the comment gives no reason",
                    "SKILL.md:4:26: `SK204` reports nothing that this comment covers",
                ],
            ),
            (
                "# skillpm: ignore[SK710] why\n",
                &["SKILL.md:4:1: `SK710` reports nothing that this comment covers"],
            ),
        ] {
            let mut found = messages(comment, "");
            found.retain(|message| !message.ends_with("no instructions"));
            found.sort();
            assert_eq!(found, expected, "{comment}");
        }
        assert_eq!(
            messages(
                "# skillpm: ignore[SK401, suppression-unknown-rule, SK022, byte] why\n",
                ""
            )
            .len(),
            1,
            "rules of the engine are not reported as unused"
        );
    }

    #[test]
    fn fix_removes_the_comment_and_no_other_byte() {
        for (script, expected) in [
            ("a\n  # skillpm: ignore[SK401] x\nb\n", "a\nb\n"),
            ("a  # skillpm: ignore[SK401] x\r\nb\r\n", "a\r\nb\r\n"),
            ("# skillpm: ignore[SK401] x", ""),
        ] {
            let findings = findings("", script);
            let finding = findings
                .iter()
                .find(|f| f.diagnostic.rule == "unused-suppression")
                .unwrap();
            let FixChange::Edit { span, content } =
                &finding.diagnostic.fix.as_ref().unwrap().changes[0]
            else {
                panic!()
            };
            let mut text = script.to_owned();
            text.replace_range(span.clone(), content);
            assert_eq!(text, expected);
        }
    }
}
