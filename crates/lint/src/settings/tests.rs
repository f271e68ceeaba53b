use super::*;
use skillpm_core::manifest::lint::parse_lint_table;

fn settings(lint: &str, flags: &LintFlags) -> (LintSettings, Vec<SettingsWarning>) {
    let table = parse_lint_table(&format!("[lint]\n{lint}"), "skillpm.toml").unwrap();
    LintSettings::new(table.as_ref(), flags).unwrap()
}

fn of(lint: &str) -> LintSettings {
    let (settings, remarks) = settings(lint, &LintFlags::default());
    assert_eq!(remarks, []);
    settings
}

fn rule(name: &str) -> &'static Rule {
    rules::find(name).unwrap()
}

fn level(settings: &LintSettings, path: &str) -> Option<DiagnosticLevel> {
    settings.level(rule("body-empty"), path)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn most_specific_setting_determines_the_level() {
    assert_eq!(level(&of(""), "a/SKILL.md"), Some(DiagnosticLevel::Warning));
    assert_eq!(level(&of("body-empty = \"allow\"\n"), "a/SKILL.md"), None);
    assert_eq!(
        level(&of("SK401 = \"deny\"\n"), "a/SKILL.md"),
        Some(DiagnosticLevel::Error)
    );
    assert_eq!(level(&of("ignore = [\"SK4\"]\n"), "a/SKILL.md"), None);
    assert_eq!(level(&of("select = [\"SK3\"]\n"), "a/SKILL.md"), None);
    assert_eq!(
        level(&of("select = [\"SK\"]\n"), "a/SKILL.md"),
        Some(DiagnosticLevel::Warning)
    );
    assert_eq!(
        level(
            &of("select = [\"SK3\"]\nextend-select = [\"SK401\"]\n"),
            "a/SKILL.md"
        ),
        Some(DiagnosticLevel::Warning)
    );
    assert_eq!(
        level(
            &of("select = [\"SK3\"]\nbody-empty = \"note\"\n"),
            "a/SKILL.md"
        ),
        Some(DiagnosticLevel::Note)
    );
    assert_eq!(
        level(&of("profile = \"strict\"\n"), "a/SKILL.md"),
        Some(DiagnosticLevel::Error)
    );
}

#[test]
fn last_override_that_matches_a_path_wins() {
    let settings = of(
        "SK401 = \"deny\"\n[[lint.overrides]]\npaths = [\"old\"]\nbody-empty = \"allow\"\n\
                       [[lint.overrides]]\npaths = [\"old/new\"]\nbody-empty = \"note\"\n",
    );
    assert_eq!(level(&settings, "a/SKILL.md"), Some(DiagnosticLevel::Error));
    assert_eq!(level(&settings, "old/a/SKILL.md"), None);
    assert_eq!(
        level(&settings, "old/new/SKILL.md"),
        Some(DiagnosticLevel::Note)
    );
    let mut elsewhere = settings;
    elsewhere.map_paths("../p/old", "old");
    assert_eq!(level(&elsewhere, "../p/old/SKILL.md"), None);
}

#[test]
fn command_line_has_precedence() {
    let lint =
        "body-empty = \"deny\"\n[[lint.overrides]]\npaths = [\"old\"]\nbody-empty = \"note\"\n";
    let with = |flags: LintFlags| level(&settings(lint, &flags).0, "old/SKILL.md");
    assert_eq!(with(LintFlags::default()), Some(DiagnosticLevel::Note));
    assert_eq!(
        with(LintFlags {
            ignore: words(&["SK4"]),
            ..LintFlags::default()
        }),
        None
    );
    assert_eq!(
        with(LintFlags {
            select: words(&["SK3"]),
            ..LintFlags::default()
        }),
        None
    );
    assert_eq!(
        with(LintFlags {
            select: words(&["SK4"]),
            ..LintFlags::default()
        }),
        Some(DiagnosticLevel::Note)
    );
    let both = LintFlags {
        select: words(&["SK3"]),
        extend_select: words(&["body-empty"]),
        ..LintFlags::default()
    };
    assert_eq!(with(both), Some(DiagnosticLevel::Note));
    let levels = vec![("SK401".to_owned(), LintLevel::Warn)];
    assert_eq!(
        with(LintFlags {
            levels,
            ignore: words(&["SK4"]),
            ..LintFlags::default()
        }),
        Some(DiagnosticLevel::Warning)
    );
}

#[test]
fn unknown_rule_is_a_warning_in_a_manifest_and_an_error_in_a_flag() {
    let lint = "select = [\"SK4\", \"body-emty\"]\nbody-emtpy = \"deny\"\n";
    let (_, remarks) = settings(lint, &LintFlags::default());
    let warnings: Vec<_> = remarks
        .iter()
        .map(|r| (r.message.as_str(), r.help.as_deref().unwrap()))
        .collect();
    assert_eq!(
        warnings,
        [
            (
                "skillpm.toml:2:18: unknown rule `body-emty`",
                "did you mean `body-empty`?"
            ),
            (
                "skillpm.toml:3:1: unknown rule `body-emtpy`",
                "did you mean `body-empty`?"
            ),
        ]
    );
    let error_message = |flags: LintFlags| {
        LintSettings::new(None, &flags)
            .unwrap_err()
            .message()
            .to_owned()
    };
    assert_eq!(
        error_message(LintFlags {
            select: words(&["SKX"]),
            ..LintFlags::default()
        }),
        "unknown rule `SKX`"
    );
    let levels = vec![("SK4".to_owned(), LintLevel::Deny)];
    assert_eq!(
        error_message(LintFlags {
            levels,
            ..LintFlags::default()
        }),
        "unknown rule `SK4`"
    );
}

#[test]
fn selections_do_not_affect_security_rules() {
    let Some(security) = rules::all().find(|rule| rule.is_security() && rule.level.is_some())
    else {
        return;
    };
    for lint in [
        "select = [\"SK3\"]\n",
        "ignore = [\"SK7\"]\n",
        "ignore = [\"SK\"]\n",
    ] {
        assert_eq!(
            of(lint).level(security, "a/SKILL.md"),
            security.level,
            "{lint}"
        );
    }
    let (quiet, remarks) = settings(
        &format!("ignore = [\"{}\"]\n", security.name),
        &LintFlags::default(),
    );
    assert_eq!(
        (quiet.level(security, "a"), remarks.len()),
        (security.level, 1)
    );
    assert_eq!(
        of(&format!("{} = \"allow\"\n", security.name)).level(security, "a"),
        None
    );
    let flags = LintFlags {
        select: words(&["SK3"]),
        ignore: words(&["SK7"]),
        ..LintFlags::default()
    };
    assert_eq!(settings("", &flags).0.level(security, "a"), security.level);
    assert!(
        LintSettings::new(
            None,
            &LintFlags {
                ignore: words(&[security.code]),
                ..LintFlags::default()
            }
        )
        .is_err()
    );
}

#[test]
fn check_runs_only_if_a_rule_is_on() {
    let runs = |lint: &str| {
        let at = rules::position("body-empty").unwrap();
        of(lint).should_run(at)
    };
    assert!(runs(""));
    assert!(!runs("ignore = [\"body-empty\"]\n"));
    assert!(runs(
        "body-empty = \"allow\"\n[[lint.overrides]]\npaths = [\"x\"]\nSK401 = \"warn\"\n"
    ));
}
