//! Comments that exempt a skill from rules, and are not right themselves.

use crate::error::nearest;
use crate::lint::suppress::{Exemption, Named};
use crate::lint::{Check, Docs, Example, Fixes, Found, Piece, Rule, rules};
use crate::report::{Applicability, Fix, Level};

pub(in crate::lint) static WITHOUT_REASON: Rule = Rule {
    code: "SK020",
    name: "suppression-without-reason",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a comment exempts from a rule and does not say why",
    docs: Docs {
        finds: "A comment `skillpm: ignore[…]` with nothing behind the brackets.",
        hurts: "Whoever reads it next cannot tell an exception from an oversight, and will not dare to take it away. \
                For rules about security the comment does not count without a reason.",
        ignore: "Where the reason is plain from the line itself: turn the rule off for such files, with \
                 `[[lint.overrides]]`.",
        bad: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\n# skillpm: ignore[body-empty]\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be \
                 filled in.\n---\n",
            ),
        )])],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\n# skillpm: ignore[body-empty] it only carries templates\nname: pdf\ndescription: Fill PDF \
                 forms. Use when a form is to be filled in.\n---\n",
            ),
        )])],
    },
    check: Check::Engine,
};

pub(in crate::lint) static UNKNOWN_RULE: Rule = Rule {
    code: "SK021",
    name: "suppression-unknown-rule",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "a comment exempts from a rule that there is not",
    docs: Docs {
        finds: "A comment `skillpm: ignore[…]` that names a rule which does not exist, or none at all.",
        hurts: "It exempts from nothing: the finding it was written for is told, or will be told one day, though \
                somebody decided that it should not.",
        ignore: "Where the skill is linted by a newer skillpm too, which knows the rule.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\n# skillpm: ignore[body-emtpy] it only carries templates\nname: pdf\ndescription: Fill PDF \
                     forms. Use when a form is to be filled in.\n---\n",
                ),
            )]),
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\n# skillpm: ignore everything\nname: pdf\ndescription: Fill PDF forms. Use when a form is \
                     to be filled in.\n---\nList the fields first.\n",
                ),
            )]),
        ],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\n# skillpm: ignore[SK401] it only carries templates\nname: pdf\ndescription: Fill PDF forms. Use \
                 when a form is to be filled in.\n---\n",
            ),
        )])],
    },
    check: Check::Engine,
};

pub(in crate::lint) static UNUSED: Rule = Rule {
    code: "SK022",
    name: "unused-suppression",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a comment exempts from a rule that finds nothing there",
    docs: Docs {
        finds: "A comment `skillpm: ignore[…]` that names a rule which is on and finds nothing that the comment covers. \
                Rules about several skills are passed over: they may not have seen the others.",
        hurts: "What it was for has been mended. While it stays it hides the next fault of that kind.",
        ignore: "Where the fault comes and goes, as in files that a program writes.",
        bad: &[
            Example::page(&[(
                "pdf/SKILL.md",
                Piece::Text(
                    "---\n# skillpm: ignore[body-empty] it only carries templates\nname: pdf\ndescription: Fill PDF \
                     forms. Use when a form is to be filled in.\n---\nList the fields first.\n",
                ),
            )]),
            Example::files(&[
                (
                    "pdf/SKILL.md",
                    Piece::Text(
                        "---\nname: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\n---\nRun \
                         `scripts/fill.sh`.\n",
                    ),
                ),
                (
                    "pdf/scripts/fill.sh",
                    Piece::Program("#!/bin/sh\n# skillpm: ignore[body-empty] the next line is fine\ntrue\n"),
                ),
            ]),
        ],
        good: &[Example::page(&[(
            "pdf/SKILL.md",
            Piece::Text(
                "---\nname: pdf # skillpm: ignore[body-empty] it only carries templates\ndescription: Fill PDF \
                 forms. Use when a form is to be filled in.\n---\n",
            ),
        )])],
    },
    check: Check::Engine,
};

/// What is wrong with a comment by itself.
pub(in crate::lint) fn judge(exemption: &Exemption, source: &str, found: &mut Found) {
    if exemption.named.is_empty() {
        let finding = UNKNOWN_RULE.finding("the comment names no rule, so it exempts from none");
        let finding = finding.at(exemption.span.clone(), source);
        found.add(&exemption.path, finding.help("name rules in brackets: `# skillpm: ignore[body-empty] reason`"));
        return;
    }
    for named in exemption.named.iter().filter(|named| rules::find(&named.text).is_none()) {
        let text = named.text.escape_debug();
        let finding = UNKNOWN_RULE.finding(format!("there is no rule `{text}`")).at(named.span.clone(), source);
        let finding = match nearest(&named.text, rules::all().flat_map(|rule| [rule.name, rule.code])) {
            Some(meant) => finding.help(format!("did you mean `{meant}`?")),
            None => finding.help("name one rule by its name or code; `skillpm lint --explain CODE` tells of it"),
        };
        found.add(&exemption.path, finding);
    }
    if !exemption.has_reason {
        let finding = WITHOUT_REASON.finding("the comment does not say why").at(exemption.span.clone(), source);
        found.add(&exemption.path, finding.help("write the reason behind the brackets"));
    }
}

/// That of the rules a comment names these find nothing.
pub(in crate::lint) fn unused(exemption: &Exemption, idle: &[&Named], source: &str, found: &mut Found) {
    let names: Vec<String> = idle.iter().map(|named| format!("`{}`", named.text.escape_debug())).collect();
    let finds = if names.len() == 1 { "finds" } else { "find" };
    let finding = UNUSED.finding(format!("{} {finds} nothing that this comment covers", names.join(", ")));
    if idle.len() < exemption.named.len() {
        let finding = finding.at(idle[0].span.clone(), source);
        found.add(&exemption.path, finding.help(format!("take {} out of the list", names.join(", "))));
        return;
    }
    let finding = finding.at(exemption.span.clone(), source).help("take the comment away");
    let fix = Fix::edit(Applicability::Safe, "take the comment away", whole(exemption, source), "");
    found.add(&exemption.path, finding.fix(fix));
}

/// The comment with the blanks before it; with its line, if it has that to itself.
fn whole(exemption: &Exemption, source: &str) -> std::ops::Range<usize> {
    let before = &source[..exemption.span.start];
    let start = before.trim_end_matches([' ', '\t']).len();
    let is_alone = start == 0 || source[..start].ends_with('\n');
    let line_end = source[exemption.span.end..].find('\n').map_or(source.len(), |at| exemption.span.end + at + 1);
    if is_alone { start..line_end } else { start..exemption.span.end }
}

#[cfg(test)]
mod tests {
    use crate::lint::{self, Content, File, Settings, SkillDir};
    use crate::report::{Change, Finding};

    fn findings(frontmatter: &str, script: &str) -> Vec<Finding> {
        let page = format!("---\nname: pdf\ndescription: Fill PDF forms. Use when needed.\n{frontmatter}---\n");
        let file =
            |path: &str, text: String| File { path: path.into(), content: Content::Text(text), executable: true };
        let files = vec![file("SKILL.md", page), file("scripts/a.sh", script.into())];
        let skill = SkillDir { directory: "pdf".into(), files, ..SkillDir::default() };
        lint::check(&skill, &Settings::default()).findings
    }

    fn told(frontmatter: &str, script: &str) -> Vec<String> {
        let about = |found: &&Finding| {
            ["SK020", "SK021", "SK022", "SK401"]
                .iter()
                .any(|code| lint::rules::find(code).is_some_and(|rule| rule.name == found.diagnostic.rule))
        };
        let findings = findings(frontmatter, script);
        findings
            .iter()
            .filter(about)
            .map(|f| format!("{}: {}", f.diagnostic.place(&f.path), f.diagnostic.message))
            .collect()
    }

    #[test]
    fn a_comment_in_the_frontmatter_covers_the_skill_and_one_in_a_value_is_none() {
        assert_eq!(told("", ""), ["SKILL.md:4:1: the skill has no instructions"]);
        assert_eq!(told("# skillpm: ignore[body-empty] for templates\n", ""), [""; 0]);
        assert_eq!(told("license: MIT # skillpm: ignore[SK401] for templates\n", ""), [""; 0]);
        for value in [
            "license: 'MIT # skillpm: ignore[SK401] x'\n",
            "x: |\n  # skillpm: ignore[SK401] x\n",
            "x: a# skillpm: ignore[SK401] x\n",
        ] {
            assert_eq!(told(value, "").len(), 1, "{value}");
        }
    }

    #[test]
    fn a_comment_in_a_script_covers_that_script_only() {
        assert_eq!(
            told("", "true\n# skillpm: ignore[SK401] no\n"),
            [
                "SKILL.md:4:1: the skill has no instructions",
                "scripts/a.sh:2:1: `SK401` finds nothing that this comment covers"
            ]
        );
    }

    #[test]
    fn what_is_wrong_with_a_comment_is_told_at_its_place() {
        assert_eq!(
            told("# skillpm: ignore[SK401, bdy-empty]\n", ""),
            ["SKILL.md:4:1: the comment does not say why", "SKILL.md:4:26: there is no rule `bdy-empty`"]
        );
        assert_eq!(
            told("# skillpm: ignore[SK401, suppression-unknown-rule, SK022, byte] why\n", "").len(),
            1,
            "rules of the engine are not held against it"
        );
    }

    #[test]
    fn the_fix_takes_the_comment_and_no_other_byte() {
        for (script, expected) in [
            ("a\n  # skillpm: ignore[SK401] x\nb\n", "a\nb\n"),
            ("a  # skillpm: ignore[SK401] x\r\nb\r\n", "a\r\nb\r\n"),
            ("# skillpm: ignore[SK401] x", ""),
        ] {
            let findings = findings("", script);
            let finding = findings.iter().find(|f| f.diagnostic.rule == "unused-suppression").unwrap();
            let Change::Edit { span, content } = &finding.diagnostic.fix.as_ref().unwrap().changes[0] else { panic!() };
            let mut text = script.to_owned();
            text.replace_range(span.clone(), content);
            assert_eq!(text, expected);
        }
    }
}
