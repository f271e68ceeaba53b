use super::*;
use crate::manifest::lint::table;

fn settings(lint: &str, flags: &Flags) -> (Settings, Vec<Remark>) {
    let table = table(&format!("[lint]\n{lint}"), "skillpm.toml").unwrap();
    Settings::new(table.as_ref(), flags).unwrap()
}

fn of(lint: &str) -> Settings {
    let (settings, remarks) = settings(lint, &Flags::default());
    assert_eq!(remarks, []);
    settings
}

fn rule(name: &str) -> &'static Rule {
    rules::find(name).unwrap()
}

fn level(settings: &Settings, path: &str) -> Option<Level> {
    settings.level(rule("body-empty"), path)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_rule_is_as_loud_as_the_nearest_word_about_it() {
    assert_eq!(level(&of(""), "a/SKILL.md"), Some(Level::Warning));
    assert_eq!(level(&of("body-empty = \"allow\"\n"), "a/SKILL.md"), None);
    assert_eq!(level(&of("SK401 = \"deny\"\n"), "a/SKILL.md"), Some(Level::Error));
    assert_eq!(level(&of("ignore = [\"SK4\"]\n"), "a/SKILL.md"), None);
    assert_eq!(level(&of("select = [\"SK3\"]\n"), "a/SKILL.md"), None);
    assert_eq!(level(&of("select = [\"SK\"]\n"), "a/SKILL.md"), Some(Level::Warning));
    assert_eq!(level(&of("select = [\"SK3\"]\nextend-select = [\"SK401\"]\n"), "a/SKILL.md"), Some(Level::Warning));
    assert_eq!(level(&of("select = [\"SK3\"]\nbody-empty = \"note\"\n"), "a/SKILL.md"), Some(Level::Note));
    assert_eq!(level(&of("profile = \"strict\"\n"), "a/SKILL.md"), Some(Level::Error));
}

#[test]
fn the_last_override_that_matches_a_path_counts_there() {
    let settings = of("SK401 = \"deny\"\n[[lint.overrides]]\npaths = [\"old\"]\nbody-empty = \"allow\"\n\
                       [[lint.overrides]]\npaths = [\"old/new\"]\nbody-empty = \"note\"\n");
    assert_eq!(level(&settings, "a/SKILL.md"), Some(Level::Error));
    assert_eq!(level(&settings, "old/a/SKILL.md"), None);
    assert_eq!(level(&settings, "old/new/SKILL.md"), Some(Level::Note));
    let mut elsewhere = settings;
    elsewhere.see_from("../p/old", "old");
    assert_eq!(level(&elsewhere, "../p/old/SKILL.md"), None);
}

#[test]
fn the_command_line_has_the_last_word() {
    let lint = "body-empty = \"deny\"\n[[lint.overrides]]\npaths = [\"old\"]\nbody-empty = \"note\"\n";
    let with = |flags: Flags| level(&settings(lint, &flags).0, "old/SKILL.md");
    assert_eq!(with(Flags::default()), Some(Level::Note));
    assert_eq!(with(Flags { ignore: words(&["SK4"]), ..Flags::default() }), None);
    assert_eq!(with(Flags { select: words(&["SK3"]), ..Flags::default() }), None);
    assert_eq!(with(Flags { select: words(&["SK4"]), ..Flags::default() }), Some(Level::Note));
    let both = Flags { select: words(&["SK3"]), extend_select: words(&["body-empty"]), ..Flags::default() };
    assert_eq!(with(both), Some(Level::Note));
    let levels = vec![("SK401".to_owned(), Setting::Warn)];
    assert_eq!(with(Flags { levels, ignore: words(&["SK4"]), ..Flags::default() }), Some(Level::Warning));
}

#[test]
fn what_names_no_rule_is_remarked_on_in_a_manifest_and_refused_in_a_flag() {
    let lint = "select = [\"SK4\", \"body-emty\"]\nbody-emtpy = \"deny\"\n";
    let (_, remarks) = settings(lint, &Flags::default());
    let told: Vec<_> = remarks.iter().map(|r| (r.message.as_str(), r.help.as_deref().unwrap())).collect();
    assert_eq!(
        told,
        [
            ("skillpm.toml:2:18: there is no rule `body-emty`", "did you mean `body-empty`?"),
            ("skillpm.toml:3:1: there is no rule `body-emtpy`", "did you mean `body-empty`?"),
        ]
    );
    let refused = |flags: Flags| Settings::new(None, &flags).unwrap_err().message().to_owned();
    assert_eq!(refused(Flags { select: words(&["SKX"]), ..Flags::default() }), "there is no rule `SKX`");
    let levels = vec![("SK4".to_owned(), Setting::Deny)];
    assert_eq!(refused(Flags { levels, ..Flags::default() }), "there is no rule `SK4`");
}

#[test]
fn no_selection_moves_a_rule_about_security() {
    let Some(security) = rules::all().find(|rule| rule.is_security() && rule.level.is_some()) else { return };
    for lint in ["select = [\"SK3\"]\n", "ignore = [\"SK7\"]\n", "ignore = [\"SK\"]\n"] {
        assert_eq!(of(lint).level(security, "a/SKILL.md"), security.level, "{lint}");
    }
    let (quiet, remarks) = settings(&format!("ignore = [\"{}\"]\n", security.name), &Flags::default());
    assert_eq!((quiet.level(security, "a"), remarks.len()), (security.level, 1));
    assert_eq!(of(&format!("{} = \"allow\"\n", security.name)).level(security, "a"), None);
    let flags = Flags { select: words(&["SK3"]), ignore: words(&["SK7"]), ..Flags::default() };
    assert_eq!(settings("", &flags).0.level(security, "a"), security.level);
    assert!(Settings::new(None, &Flags { ignore: words(&[security.code]), ..Flags::default() }).is_err());
}

#[test]
fn a_check_runs_only_where_somebody_hears_it() {
    let runs = |lint: &str| {
        let at = rules::position("body-empty").unwrap();
        of(lint).runs(at)
    };
    assert!(runs(""));
    assert!(!runs("ignore = [\"body-empty\"]\n"));
    assert!(runs("body-empty = \"allow\"\n[[lint.overrides]]\npaths = [\"x\"]\nSK401 = \"warn\"\n"));
}
