use super::super::encoding::LiteralPrefilter;
use super::layout::{ExpandedRegex, RegexFragments, drop_counts, to_one_line};
use super::*;

/// A table with this row after a valid one, and these keys changed in it.
fn table(changes: &[(&str, &str)]) -> Result<Vec<GeneratedFile>, String> {
    let mut row: toml::Table = toml::from_str(
        r#"id = "fork-bomb"
rule = "SK719"
doc = "A shell function that calls itself twice."
triggers = ["(){"]
scope = "statement"
report = "check_fork_bomb"
regex = ':\(\)\{'
matches = [":(){ :|:& };:"]
misses = ["f()"]
"#,
    )
    .unwrap();
    for (key, value) in changes {
        row.remove(*key);
        if !value.is_empty() {
            row.extend(toml::from_str::<toml::Table>(&format!("{key} = {value}")).unwrap());
        }
    }
    generate(&[TableText {
        name: "system.toml".into(),
        text: format!("[[pattern]]\n{row}"),
    }])
}

fn error(changes: &[(&str, &str)]) -> String {
    table(changes).err().unwrap()
}

#[test]
fn valid_table_becomes_one_expression() {
    let files = table(&[]).unwrap();
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["system.rs", "patterns.bin"]);
    let text = std::str::from_utf8(&files[0].bytes).unwrap();
    assert!(text.starts_with("&[\ncrate::rules::security::scan::SecurityPattern {"));
    assert!(text.contains("report: check_fork_bomb,"), "{text}");
}

#[test]
fn invalid_rows_are_named_with_their_table() {
    for (changes, reason) in [
        (&[("note", "1")][..], "unknown field `note`"),
        (&[("misses", "")], "missing field `misses`"),
        (&[("scope", "'page'")], "unknown scope `page`"),
        (&[("scope", "'around'")], "unknown scope `around`"),
        (&[("pass", "'third'")], "unknown pass `third`"),
        (&[("only_in", "'html'")], "unknown kind of file `html`"),
        (&[("rule", "'SK19'")], "unknown rule `SK19`"),
        (&[("doc", "'Bombs'")], "`doc` is not a sentence"),
        (&[("triggers", "[]")], "no trigger words"),
        (&[("triggers", "['RM']")], "is not in lower case"),
        (&[("triggers", "['r']")], "would be found everywhere"),
        (&[("triggers", "['{{x}}']")], "unknown word list `x`"),
        (&[("regex", "'a{{b}}'")], "unknown fragment `b`"),
        (&[("regex", "'(?x)a('")], "unclosed group"),
    ] {
        let error = error(changes);
        assert!(
            error.starts_with("invalid table `system.toml`: in row `fork-bomb`: "),
            "{error}"
        );
        assert!(error.contains(reason), "{error}");
    }
    assert!(error(&[("id", "")]).contains("a row has no `id`"));
    assert!(error(&[("id", "'Fork bomb'")]).contains("is not in kebab-case"));
    assert!(error(&[("regex", "'a*'")]).contains("matches the empty text"));
}

#[test]
fn id_is_in_one_table_only() {
    let row =
        "[[regex]]\nid = 'a'\ndoc = 'The letter a.'\nregex = 'NAME'\nmatches = []\nmisses = []\n";
    let source = |name: &str| TableText {
        name: name.into(),
        text: row.replace("NAME", name),
    };
    assert_eq!(
        generate(&[source("one"), source("two")]).err().unwrap(),
        "duplicate id `a` in table `two`"
    );
}

#[test]
fn layout_comments_and_fragments_are_expanded() {
    let mut fragments = RegexFragments::default();
    fragments
        .add("tool", "(?x) (?P<tool> curl | wget )")
        .unwrap();
    let expanded = fragments
        .expand("(?x)\n\\b {{tool}} \\ [^\\n\\#]{0,80}? # the gap, {0,900}\n {{tool}}")
        .unwrap();
    assert_eq!(
        expanded,
        ExpandedRegex {
            text: r"\b(?P<tool>curl|wget) [^\n#]*?(?:curl|wget)".into(),
            longest: 120 + 80 + 40,
        }
    );
    assert!(fragments.add("tool", "a").is_err());
    assert!(fragments.add("other", "{{tool}}").is_err());
    assert!(to_one_line("(?x) a #").is_ok_and(|line| line == "a"));
}

#[test]
fn gaps_are_counted_by_length_and_not_by_states() {
    assert_eq!(
        drop_counts(r"a[^\n]{0,80}?b\x{1f}c{3}d{1,200}e{2,4}"),
        (r"a[^\n]*?b\x{1f}c{3}d+e{2,4}".into(), 200)
    );
}

#[test]
fn required_literals_are_extracted_from_a_regex() {
    for (pattern, triggers, need) in [
        (
            r"\bIgnore\s+(?:all\s+)?(?:previous|prior)\s",
            &["x"][..],
            "ignore & prior|previous",
        ),
        (
            r"\bignore\s+(?:previous|prior)\s",
            &["ignore"],
            "prior|previous",
        ),
        ("a_word", &[], "-"),
        ("gr[ae]y.*(?:ab|cd)?", &["x"], "gray|grey"),
        (
            r"(?:curl\s.*\|sh|wget -O- (?:x.y)+)",
            &["x"],
            "((curl & |sh)|wget -o- )",
        ),
        (r"(?:a{2,}|b\d)cd", &["x"], "cd"),
        (r"(?:ab|\d)", &["x"], "-"),
        (r"(?:ab)+|abc", &["x"], "(abc|ab)"),
    ] {
        let triggers: Vec<String> = triggers.iter().map(ToString::to_string).collect();
        let found = automata::required_literals(pattern, &triggers);
        assert_eq!(format_prefilter(&found), need, "{pattern}");
    }
}

fn format_prefilter(need: &LiteralPrefilter<Vec<u8>>) -> String {
    let join = |needs: &[LiteralPrefilter<Vec<u8>>], mark: &str| {
        let parts: Vec<String> = needs.iter().map(format_prefilter).collect();
        parts.join(mark)
    };
    match need {
        LiteralPrefilter::Nothing => "-".into(),
        LiteralPrefilter::Word(words) => {
            let words: Vec<_> = words
                .iter()
                .map(|word| String::from_utf8_lossy(word))
                .collect();
            words.join("|")
        }
        LiteralPrefilter::All(needs) => join(needs, " & "),
        LiteralPrefilter::Any(needs) => {
            let parts: Vec<String> = needs
                .iter()
                .map(|need| match need {
                    LiteralPrefilter::All(_) => format!("({})", format_prefilter(need)),
                    _ => format_prefilter(need),
                })
                .collect();
            format!("({})", parts.join("|"))
        }
    }
}
