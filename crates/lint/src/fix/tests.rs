//! Tests that fixes fix their findings and nothing else: by hand, over the whole table, and with random input.

use proptest::prelude::*;

use super::*;
use crate::examples::skills;
use crate::{FixAvailability, LintSettings, Rule, RuleExample, SkillFile};
use skillpm_core::report::{Diagnostic, DiagnosticLevel, FixChange};
use skillpm_core::skill::read_with_frontmatter;

fn text(path: &str, text: &str) -> SkillFile {
    SkillFile {
        path: path.into(),
        content: FileContent::from_bytes(text.into()),
        executable: false,
    }
}

fn skill(files: Vec<SkillFile>) -> SkillDir {
    let mut skill = SkillDir {
        path: "s/pdf".into(),
        directory: "pdf".into(),
        files,
        ..SkillDir::default()
    };
    skill.files.sort_by(|a, b| a.path.cmp(&b.path));
    skill
}

/// Fixes all findings, including notes.
fn fix_all(
    skill: &SkillDir,
    settings: &LintSettings,
    trust: FixApplicability,
) -> Result<FixReport> {
    let look = |skill: &SkillDir| crate::check(skill, settings).findings;
    fix(
        skill,
        &SkillFixer {
            lint: &look,
            is_wanted: &|_| true,
            max_applicability: trust,
        },
    )
}

/// Fixes the findings of a made-up rule.
fn fix_with(skill: &SkillDir, look: impl Fn(&SkillDir) -> Vec<Diagnostic>) -> Result<FixReport> {
    let look = |skill: &SkillDir| {
        let path = crate::join(
            &skill.path,
            skill.skill_file().map_or("", |page| &page.path),
        );
        look(skill)
            .into_iter()
            .map(|diagnostic| FileFinding {
                path: path.clone(),
                diagnostic,
            })
            .collect()
    };
    fix(
        skill,
        &SkillFixer {
            lint: &look,
            is_wanted: &|_| true,
            max_applicability: FixApplicability::Unsafe,
        },
    )
}

/// Findings of a made-up rule, one for each occurrence of `from`, with a fix that replaces it by `to`.
fn replace(skill: &SkillDir, rule: &str, from: &str, to: &str) -> Vec<Diagnostic> {
    let Some(source) = skill.skill_file().and_then(SkillFile::text) else {
        return Vec::new();
    };
    let finding = |(at, _)| {
        let span = at..at + from.len();
        let fix = DiagnosticFix::edit(FixApplicability::Safe, "x", span.clone(), to);
        Diagnostic::new(rule, DiagnosticLevel::Warning, "x")
            .at(span, source)
            .fix(fix)
    };
    source.match_indices(from).map(finding).collect()
}

fn page(fixed: &FixReport) -> &str {
    fixed.skill.skill_file().and_then(SkillFile::text).unwrap()
}

const GOOD: &str = "---\nname: pdf\ndescription: Fill PDF forms.\nlicense: MIT\n---\n\n# PDF\n";

#[test]
fn conflicting_fixes_are_applied_in_turn_by_place_and_code() {
    let skill = skill(vec![text("SKILL.md", &GOOD.replace("# PDF", "# abcd"))]);
    let fixed = fix_with(&skill, |skill| {
        let mut found = replace(skill, "z-rule", "ab", "AB");
        found.extend(replace(skill, "a-rule", "abc", "xyz"));
        found.extend(replace(skill, "b-rule", "cd", "CD"));
        found
    });
    let fixed = fixed.unwrap();
    assert_eq!(page(&fixed), GOOD.replace("# PDF", "# xyzd"));
    assert_eq!(fixed.applied.len(), 1);

    let fixed = fix_with(&skill, |skill| {
        let mut found = replace(skill, "b-rule", "cd", "CD");
        found.extend(replace(skill, "z-rule", "ab", "AB"));
        found
    });
    assert_eq!(page(&fixed.unwrap()), GOOD.replace("# PDF", "# ABCD"));
}

#[test]
fn same_edit_of_two_findings_is_applied_once_and_fixes_both() {
    let skill = skill(vec![text("SKILL.md", GOOD)]);
    let fixed = fix_with(&skill, |skill| {
        [
            replace(skill, "a", "# PDF", "# P"),
            replace(skill, "b", "# PDF", "# P"),
        ]
        .concat()
    });
    let fixed = fixed.unwrap();
    assert_eq!(
        (page(&fixed), fixed.applied.len()),
        (GOOD.replace("# PDF", "# P").as_str(), 2)
    );
}

#[test]
fn harmful_fixes_are_skipped_and_reported_and_the_rest_is_applied() {
    let skill = skill(vec![text("SKILL.md", GOOD)]);
    for (rule, from, to, why) in [
        (
            "byte-order-mark",
            "Fill PDF",
            "Fill",
            "it would change `description`",
        ),
        (
            "byte-order-mark",
            "license: MIT",
            "x: y",
            "it would lose `license`",
        ),
        (
            "byte-order-mark",
            "license: MIT",
            "license: MIT\nx: y",
            "it would add a field `x`",
        ),
        (
            "z",
            "description: Fill PDF forms.",
            "other: x",
            "no agent would list the skill any longer",
        ),
        (
            "z",
            "name: pdf",
            "name: pdf\nname: pdf",
            "it would introduce `yaml-duplicate-key`",
        ),
        ("z", "# PDF", "# PDF", "it changes nothing"),
    ] {
        let look = |skill: &SkillDir| {
            let mut found = crate::check(skill, &LintSettings::default()).findings;
            let own = [
                replace(skill, rule, from, to),
                replace(skill, "good", "# PDF\n", "# Forms\n"),
            ]
            .concat();
            found.extend(own.into_iter().map(|diagnostic| FileFinding {
                path: "s/pdf/SKILL.md".into(),
                diagnostic,
            }));
            found
        };
        let fixed = fix(
            &skill,
            &SkillFixer {
                lint: &look,
                is_wanted: &|_| true,
                max_applicability: FixApplicability::Safe,
            },
        )
        .unwrap();
        if from == "# PDF" {
            assert_eq!(
                fixed.refused.len(),
                0,
                "the other takes its place away: {:?}",
                fixed.refused
            );
            continue;
        }
        assert_eq!(
            fixed
                .refused
                .iter()
                .map(|refused| refused.reason.as_str())
                .collect::<Vec<_>>(),
            [why]
        );
        assert_eq!(page(&fixed), GOOD.replace("# PDF\n", "# Forms\n"));
    }
}

#[test]
fn rules_that_undo_each_other_change_nothing() {
    let skill = skill(vec![text("SKILL.md", GOOD)]);
    let opposing = |skill: &SkillDir| {
        [
            replace(skill, "a", "# PDF", "# pdf"),
            replace(skill, "b", "# pdf", "# PDF"),
        ]
        .concat()
    };
    let error = fix_with(&skill, opposing).unwrap_err();
    assert_eq!(
        error.message(),
        "internal: the fixes of `s/pdf` do not converge"
    );
}

#[test]
fn files_are_renamed_created_and_made_executable() {
    let skill = skill(vec![
        text("skill.md", GOOD),
        text("run.sh", "#!/bin/sh\n"),
        text(".ignore", "a\r\nb"),
    ]);
    let fixed = fix_with(&skill, |skill| {
        let change = |changes: Vec<FixChange>| {
            let fix = DiagnosticFix {
                applicability: FixApplicability::Safe,
                message: "x".into(),
                changes,
            };
            Diagnostic::new("a", DiagnosticLevel::Warning, "x").fix(fix)
        };
        let line = |path: &str| FixChange::AppendLine {
            path: path.into(),
            line: "*.pyc".into(),
        };
        let mut found = vec![change(vec![line(".ignore"), line("new")])];
        if skill.file("skill.md").is_some() {
            found.push(change(vec![
                FixChange::Rename {
                    to: "SKILL.md".into(),
                },
                FixChange::SetExecutable,
            ]));
        }
        found
    });
    let fixed = fixed.unwrap();
    let changes: Vec<_> = fixed
        .changes
        .iter()
        .map(|change| {
            let text = String::from_utf8(change.after.clone()).unwrap();
            (
                change.from.as_deref(),
                change.path(),
                text,
                change.executable,
            )
        })
        .collect();
    assert_eq!(
        changes,
        [
            (
                Some(".ignore"),
                ".ignore",
                "a\r\nb\r\n*.pyc\r\n".into(),
                (false, false)
            ),
            (Some("skill.md"), "SKILL.md", GOOD.into(), (false, true)),
            (None, "new", "*.pyc\n".into(), (false, false)),
        ]
    );
}

#[test]
fn utf16_is_transcoded_and_then_fixed_further() {
    let source = "\u{feff}---\nname: PDF\ndescription: Fill forms: all of them\n---\n\n# PDF\n";
    let utf16: Vec<u8> = source.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let file = SkillFile {
        path: "SKILL.md".into(),
        content: FileContent::from_bytes(utf16),
        executable: false,
    };
    let fixed = fix_all(
        &skill(vec![file]),
        &LintSettings::default(),
        FixApplicability::Unsafe,
    )
    .unwrap();
    let (reading, _) = read_with_frontmatter(page(&fixed), "pdf");
    assert_eq!(
        reading.skill.unwrap().description,
        "Fill forms: all of them"
    );
}

/// Checks the fixes of a rule on one of its examples, and returns what is wrong.
fn faults(rule: &Rule, example: &RuleExample) -> Vec<String> {
    let (skills, settings) = skills(example);
    let mut faults = Vec::new();
    for skill in skills {
        let findings = crate::check(&skill, &settings).findings;
        let own: Vec<&FileFinding> = findings
            .iter()
            .filter(|found| found.diagnostic.rule == rule.name)
            .collect();
        let fixable = |found: &&&FileFinding| found.diagnostic.fix.is_some();
        let Some(trust) = own
            .iter()
            .filter_map(|found| Some(found.diagnostic.fix.as_ref()?.applicability))
            .max()
        else {
            continue;
        };
        if rule.fix == FixAvailability::Never {
            faults.push("it has a fix, but its table entry says that it has none".into());
        }
        let fixed = match fix_all(&skill, &settings, trust) {
            Ok(fixed) => fixed,
            Err(error) => {
                faults.push(error.message().into());
                continue;
            }
        };
        let refused = fixed
            .refused
            .iter()
            .filter(|refused| refused.finding.diagnostic.rule == rule.name);
        faults.extend(refused.map(|refused| format!("skipped: {}", refused.reason)));
        let left = fixed
            .findings
            .iter()
            .filter(|found| found.diagnostic.rule == rule.name);
        let (left, unfixable) = (
            left.collect::<Vec<_>>(),
            own.len() - own.iter().filter(fixable).count(),
        );
        if left.len() > unfixable {
            faults.push(format!("still there: {:?}", left[0].diagnostic.message));
        }
        if let Err(why) = no_harm(&skill, &findings, &fixed) {
            faults.push(why);
        }
        match fix_all(&fixed.skill, &settings, trust) {
            Ok(again) if again.changes.is_empty() => {}
            Ok(again) => faults.push(format!("a second time it does more: {:?}", again.applied)),
            Err(error) => faults.push(error.message().into()),
        }
    }
    faults
}

/// New errors are harm, unless the file could not be read at all.
fn no_harm(
    skill: &SkillDir,
    before: &[FileFinding],
    fixed: &FixReport,
) -> std::result::Result<(), String> {
    let reads = |skill: &SkillDir| {
        skill
            .skill_file()
            .and_then(SkillFile::text)
            .is_some_and(|text| {
                read_with_frontmatter(text, &skill.directory)
                    .0
                    .skill
                    .is_some()
            })
    };
    if !reads(skill) {
        return Ok(());
    }
    if !reads(&fixed.skill) {
        return Err("it can no longer be read".into());
    }
    let errors = |findings: &[FileFinding], rule: &str| {
        findings
            .iter()
            .filter(|found| found.is_error() && found.diagnostic.rule == rule)
            .count()
    };
    let new = fixed
        .findings
        .iter()
        .filter(|found| found.is_error())
        .map(|found| found.diagnostic.rule.as_str());
    match new
        .into_iter()
        .find(|rule| errors(&fixed.findings, rule) > errors(before, rule))
    {
        Some(rule) => Err(format!("it introduced `{rule}`")),
        None => Ok(()),
    }
}

#[test]
fn every_fix_of_every_rule_fixes_its_examples_completely() {
    let mut problems = Vec::new();
    for rule in crate::rules::all() {
        let faults = rule.docs.bad.iter().enumerate().flat_map(|(at, example)| {
            faults(rule, example)
                .into_iter()
                .map(move |fault| format!("{} bad {at}: {fault}", rule.name))
        });
        problems.extend(faults);
        let is_fixed = |example: &RuleExample| {
            let (skills, settings) = skills(example);
            skills
                .iter()
                .flat_map(|skill| crate::check(skill, &settings).findings)
                .any(|found| {
                    let fixes = |fix: &DiagnosticFix| {
                        (fix.applicability == FixApplicability::Safe)
                            == (rule.fix == FixAvailability::Safely)
                    };
                    found.diagnostic.rule == rule.name
                        && found.diagnostic.fix.as_ref().is_some_and(fixes)
                })
        };
        let is_here = !matches!(rule.check, crate::RuleCheck::Command(_));
        if rule.fix != FixAvailability::Never && is_here && !rule.docs.bad.iter().any(is_fixed) {
            problems.push(format!(
                "{}: no bad example has the fix that the table promises",
                rule.name
            ));
        }
    }
    assert!(
        problems.is_empty(),
        "{} faults:\n{}",
        problems.len(),
        problems.join("\n")
    );
}

/// Frontmatters as people write them.
const REAL: [&str; 6] = [
    "name: pdf\ndescription: Fill PDF forms. Use when a form is to be filled in.\nlicense: MIT\n",
    "name: pdf\ndescription: >-\n  Fill PDF forms.\n  Use when asked: always.\nallowed-tools: Read, Bash(git add:*), Grep\n",
    "name: pdf\ndescription: \"Fill \\\"PDF\\\" forms\"\nmetadata: {\"openclaw\":{\"requires\":{\"bins\":[\"git\"]}}}\nversion: 1.0\n",
    "name: pdf\ndescription: |\n  Fill forms.\n\n  - one\n  - two\nmetadata:\n  version: 1.0\n  tags: [a, b]\n  author: A B\n",
    "name: pdf\ndescription: Use when: a form comes # soon\nuser-invocable: yes\nargument-hint: [file]\ntags:\n- a\n- b\n",
    "name: 'pdf'\ndescription: 'It''s a tool for 日本語 and 🚀 forms.'\nhomepage: https://a.example/x#y\ncompatibility: any\n",
];

/// Random damage to them: texts that replace some bytes.
fn faulty() -> impl Strategy<Value = (usize, Vec<(usize, usize, &'static str)>, usize)> {
    let piece = prop::sample::select(vec![
        "",
        "",
        ": ",
        ":",
        " #",
        "\t",
        "\n",
        "\r\n",
        "\r",
        "  ",
        "\"",
        "'",
        "{",
        "}",
        "[",
        "]",
        "@",
        "`",
        "%",
        "*",
        "&a ",
        "!!str ",
        "- ",
        "---\n",
        "---",
        "...\n",
        "\u{feff}",
        "\0",
        "\u{1b}",
        "\u{200b}",
        "\u{202e}",
        "é",
        "🚀",
        "<b>",
        "~",
        "name: x\n",
        "Name: y\n",
        "allowed_tools: Read\n",
        "x: {a: 1}\n",
        "\\n",
        "|\n",
        ">\n",
        "{{x}}",
        "\\uD83D\\uDE00",
    ]);
    let edit = (0usize..400, 0usize..6, piece);
    (0..REAL.len(), prop::collection::vec(edit, 0..5), 0usize..4)
}

fn broken(real: usize, edits: &[(usize, usize, &str)], form: usize) -> String {
    let mut source = format!(
        "---\n{}---\n\n# PDF\n\nSee [the form](form.md) and `scripts\\run.py`.\n",
        REAL[real]
    );
    for (at, length, piece) in edits {
        let start = source.floor_char_boundary(at % source.len());
        let end = source
            .floor_char_boundary((start + length).min(source.len()))
            .max(start);
        source.replace_range(start..end, piece);
    }
    match form {
        0 => source,
        1 => source.replace('\n', "\r\n"),
        2 => format!("\u{feff}{source}"),
        _ => source.replacen('\n', "\r\n", 3),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn fixes_converge_keep_the_skill_and_change_nothing_the_second_time(
        (real, edits, form) in faulty(),
        trust in prop::sample::select(vec![FixApplicability::Safe, FixApplicability::Unsafe]),
    ) {
        let source = broken(real, &edits, form);
        let skill = skill(vec![text("SKILL.md", &source), text("form.md", "# Form\n")]);
        let settings = LintSettings::default();
        let findings = crate::check(&skill, &settings).findings;
        let fixed = fix_all(&skill, &settings, trust);
        prop_assert!(fixed.is_ok(), "{:?} {:?}", source, fixed.map(|_| ()));
        let fixed = fixed.unwrap();
        prop_assert_eq!(no_harm(&skill, &findings, &fixed), Ok(()), "{:?}", source);
        let again = fix_all(&fixed.skill, &settings, trust).unwrap();
        prop_assert!(again.changes.is_empty(), "{:?} {:?}", source, again.applied);
    }

    #[test]
    fn edits_of_a_fix_are_sorted_and_disjoint((real, edits, form) in faulty()) {
        let source = broken(real, &edits, form);
        let skill = skill(vec![text("SKILL.md", &source)]);
        for found in crate::check(&skill, &LintSettings::default()).findings {
            let mut at = 0;
            for change in found.diagnostic.fix.iter().flat_map(|fix| &fix.changes) {
                let FixChange::Edit { span, .. } = change else { continue };
                prop_assert!(at <= span.start && source.get(span.clone()).is_some(), "{:?} {:?}", source, found);
                at = span.end;
            }
            let Some(fix) = found.diagnostic.fix.as_ref().filter(|_| found.path.ends_with("/SKILL.md")) else { continue };
            let proposal = FixProposal { finding: &found, fix, path: "SKILL.md", code: "", kind: FixKind::Safe };
            if let Ok(work) = FixedSkill::new(&skill).with_fixes(&[proposal]) {
                let alone = fix.apply(&source);
                prop_assert_eq!(work.skill.skill_file().and_then(SkillFile::text), Some(alone.as_str()));
            }
        }
    }
}
