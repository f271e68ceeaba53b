//! The lenient reader of `SKILL.md`: bytes in, a [`Skill`](super::Skill) and its findings out.
//!
//! It accepts what real agents load. A skill without a name gets its directory's name, and a value that lacks quotes
//! is read as if it had them; a skill without a description, or without a frontmatter that any agent finds, is
//! refused. Anything that breaks some agent is a [`Diagnostic`] of level error, even where the skill is read, so that a
//! caller may be as strict as it likes.
//!
//! In one case it is stricter than agents: where `name` or `description` is given twice with different values, agents
//! differ in which they show, so the reviewed text need not be the one in use. Such a skill is refused.

use crate::report::{Diagnostic, DiagnosticLevel};

use super::fields::{self, FrontmatterCopy};
use super::mapping::SkillFrontmatter;
use super::{SkillReading, misplaced};

/// Reads a `SKILL.md` in a directory called `directory`.
///
/// The first bytes of the file suffice if [`scan_head`](super::scan_head) finds them complete; the body is then not read,
/// not even to check that it is UTF-8. If `directory` is empty, its name is unknown: it is not compared with the skill's,
/// and a skill without a name is refused.
#[must_use]
pub fn read(source: &[u8], directory: &str) -> SkillReading {
    read_with(source, directory, FrontmatterCopy::Kept)
}

/// As [`read`], with [`Skill::frontmatter`](super::Skill) left null, for callers that read thousands of skills.
#[must_use]
pub fn read_without_json(source: &[u8], directory: &str) -> SkillReading {
    read_with(source, directory, FrontmatterCopy::Omitted)
}

fn read_with(source: &[u8], directory: &str, verbatim: FrontmatterCopy) -> SkillReading {
    match std::str::from_utf8(source) {
        Ok(source) => read_text(source, directory, verbatim).0,
        Err(error) => SkillReading {
            skill: None,
            diagnostics: vec![not_utf8_diagnostic(source, error.valid_up_to())],
        },
    }
}

fn not_utf8_diagnostic(source: &[u8], valid: usize) -> Diagnostic {
    let message = match source {
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => "the file is UTF-16; agents read UTF-8".to_owned(),
        _ => format!("invalid UTF-8 at byte {valid}"),
    };
    // Lines are counted in the part before it, which is text.
    let before = std::str::from_utf8(&source[..valid]).unwrap_or_default();
    Diagnostic::new("not-utf8", DiagnosticLevel::Error, message)
        .at(valid..valid + 1, before)
        .help("save the file as UTF-8")
}

/// Reads a `SKILL.md` that is known to be UTF-8; see [`read`].
#[must_use]
pub fn read_str(source: &str, directory: &str) -> SkillReading {
    read_with_frontmatter(source, directory).0
}

/// As [`read_str`], with the frontmatter itself where one was found.
#[must_use]
pub fn read_with_frontmatter<'a>(
    source: &'a str,
    directory: &str,
) -> (SkillReading, Option<SkillFrontmatter<'a>>) {
    read_text(source, directory, FrontmatterCopy::Kept)
}

fn read_text<'a>(
    source: &'a str,
    directory: &str,
    verbatim: FrontmatterCopy,
) -> (SkillReading, Option<SkillFrontmatter<'a>>) {
    let mut diagnostics = Vec::new();
    let frontmatter = SkillFrontmatter::open(source, &mut diagnostics);
    let skill = frontmatter.as_ref().and_then(|found| {
        fields::build_skill(source, directory, found, verbatim, &mut diagnostics)
    });

    // This fix takes the name from the directory, which is known only here.
    if let Some(missing) = diagnostics
        .iter_mut()
        .find(|found| found.rule == "frontmatter-missing")
    {
        missing.fix = misplaced::generate_frontmatter(source, directory);
    }

    diagnostics.sort_by_key(|diagnostic| diagnostic.span.as_ref().map(|span| span.start));
    (SkillReading { skill, diagnostics }, frontmatter)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::report::{DiagnosticFix, FixApplicability, FixChange};
    use crate::skill::RepairEdit;

    /// The file around a frontmatter, in a directory called `x`.
    fn file(frontmatter: &str) -> String {
        format!("---\n{frontmatter}\n---\nbody\n")
    }

    /// `name: description` or `-`, then each finding as `rule line:column`, or as `rule!…` if it is of level error.
    fn outcome(source: &str) -> String {
        let reading = read_str(source, "x");
        let skill = reading.skill.map_or("-".into(), |skill| {
            format!("{}: {}", skill.name, skill.description)
        });
        reading.diagnostics.iter().fold(skill, |all, diagnostic| {
            let mark = if diagnostic.level == DiagnosticLevel::Error {
                "!"
            } else {
                ""
            };
            all + " | "
                + &diagnostic.rule
                + mark
                + " "
                + diagnostic.location("").trim_start_matches(':')
        })
    }

    #[test]
    fn a_second_reader_finds_the_same_in_ordinary_frontmatter() {
        for frontmatter in [
            "name: pdf\ndescription: Fills forms.\nlicense: MIT",
            "name: pdf\ndescription: >-\n  Folded over\n  two lines.\nmetadata:\n  version: \"1.0\"\n  nested: {a: [1, 2.5, true, null]}",
            "name: 'it''s'\ndescription: \"\\u00e9 \\t tab\"\ntags: [a, \"b, c\"]\nallowed-tools:\n  - Read\n  - Bash(git *)",
            "name: pdf # why\ndescription: |\n  literal\n    text\n\ndate: 2026-01-25",
        ] {
            let ours = read_str(&file(frontmatter), "x").skill.unwrap().frontmatter;
            let theirs: serde_json::Value = serde_yaml::from_str(frontmatter).unwrap();
            assert_eq!(ours, theirs, "{frontmatter}");
        }
    }

    #[track_caller]
    fn all(table: &[(&str, &str)]) {
        for (frontmatter, expected) in table {
            assert_eq!(
                outcome(&file(frontmatter)).trim_end(),
                *expected,
                "{frontmatter:?}"
            );
            let crlf = file(frontmatter).replace('\n', "\r\n");
            assert_eq!(
                outcome(&crlf).trim_end(),
                *expected,
                "with CRLF: {frontmatter:?}"
            );
        }
    }

    #[test]
    fn skills_that_agents_load_are_read_and_others_are_refused() {
        all(&[
            ("name: x\ndescription: d", "x: d"),
            ("name: x\ndescription: d\nmine: [1, {a: b}]", "x: d"),
            ("name: x\ndescription: d\nallowed-tools:\n- Read", "x: d"),
            (
                "name: x\ndescription: >\n  folded\n  text\n",
                "x: folded text",
            ),
            ("name: x\ndescription: |\n  two\n  lines\n", "x: two\nlines"),
            ("{\"name\": \"x\", \"description\": \"d\"}", "x: d"),
            ("name : x\n\"description\" : d", "x: d"),
            ("description: d", "x: d | name-missing! 1:1"),
            ("name:\ndescription: d", "x: d | name-empty! 2:1"),
            ("name: null\ndescription: d", "x: d | name-empty! 2:1"),
            ("name: ' '\ndescription: d", "x: d | name-empty! 2:1"),
            ("name: {a: b}\ndescription: d", "x: d | wrong-type! 2:7"),
            ("name: [a]\ndescription: d", "x: d | wrong-type! 2:7"),
            (
                "name: {{project}}\ndescription: d",
                "x: d | wrong-type! 2:7",
            ),
            (
                "name: !!python/object/apply:os.system ['true']\ndescription: d",
                "x: d | wrong-type! 2:39",
            ),
            (
                "name: 1.0\ndescription: true",
                "1.0: true | wrong-type! 2:7 | name-directory-mismatch 2:7 | name-invalid-chars! 2:8 | wrong-type! 3:14",
            ),
            (
                "name: other\ndescription: d",
                "other: d | name-directory-mismatch 2:7",
            ),
            (
                "name: Upper Name\ndescription: d",
                "Upper Name: d | name-uppercase! 2:7 | name-directory-mismatch 2:7 | name-invalid-chars! 2:12",
            ),
            (
                "name: a--b-\ndescription: d",
                "a--b-: d | name-directory-mismatch 2:7 | name-double-hyphen! 2:8 | name-hyphen-edge! 2:11",
            ),
            (
                "name: démo\ndescription: d",
                "démo: d | name-directory-mismatch 2:7 | name-non-ascii 2:8",
            ),
            ("name: x", "- | description-missing! 1:1"),
            ("name: x\ndescription:", "- | description-empty! 3:1"),
            ("name: x\ndescription: ~", "- | description-empty! 3:1"),
            ("name: x\ndescription: \"  \"", "- | description-empty! 3:1"),
            ("name: x\ndescription: [d]", "- | wrong-type! 3:14"),
            ("name: x\ndescription: {d: e}", "- | wrong-type! 3:14"),
            ("- name: x", "- | frontmatter-not-mapping! 2:1"),
            ("only text", "- | frontmatter-not-mapping! 2:1"),
            ("# only a comment", "- | frontmatter-not-mapping! 1:1"),
        ]);
    }

    #[test]
    fn values_that_require_quotes_are_read_as_if_they_had_them() {
        all(&[
            (
                "name: x\ndescription: Use when: asked",
                "x: Use when: asked | yaml-unquoted-colon! 3:22",
            ),
            (
                "name: x\ndescription: naïve 日本: d",
                "x: naïve 日本: d | yaml-unquoted-colon! 3:22",
            ),
            (
                "name: x\ndescription: e\u{301}:\td",
                "x: e\u{301}:\td | yaml-unquoted-colon! 3:16",
            ),
            (
                "name: x\ndescription: ends so:",
                "x: ends so: | yaml-unquoted-colon! 3:21",
            ),
            (
                "name: x\ndescription: a: b # c",
                "x: a: b # c | yaml-unquoted-colon! 3:15",
            ),
            (
                "name: x\ndescription: one\n  two: three\nlicense: MIT",
                "x: one two: three | yaml-unquoted-colon! 4:6",
            ),
            (
                "  name: x\n  description: a: b",
                "x: a: b | yaml-unquoted-colon! 3:17",
            ),
            (
                "name: x\ndescription: @you do",
                "x: @you do | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: `cmd` runs",
                "x: `cmd` runs | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: %s is put",
                "x: %s is put | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: *bold* text",
                "x: *bold* text | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: *unknown",
                "x: *unknown | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: , more",
                "x: , more | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: - a dash",
                "x: - a dash | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: > not folded",
                "x: > not folded | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: [WIP] a tool",
                "x: [WIP] a tool | yaml-reserved-start! 3:14",
            ),
            (
                "name: x\ndescription: {{what}} of it",
                "x: {{what}} of it | yaml-broken-flow! 3:23",
            ),
        ]);
    }

    #[test]
    fn broken_quotes_are_read_as_they_were_meant() {
        all(&[
            (
                "name: x\ndescription: \"Quoted\" and more",
                "x: \"Quoted\" and more | yaml-bad-quotes! 3:23",
            ),
            (
                "name: x\ndescription: \"Read\" and \"write\"",
                "x: \"Read\" and \"write\" | yaml-bad-quotes! 3:21",
            ),
            (
                "name: x\ndescription: \"say \"hi\" now\"",
                "x: say \"hi\" now | yaml-bad-quotes! 3:20",
            ),
            (
                "name: x\ndescription: 'it's fine'",
                "x: it's fine | yaml-bad-quotes! 3:18",
            ),
            (
                "name: x\ndescription: \"C:\\dir\"",
                "x: C:\\dir | yaml-bad-quotes! 3:17",
            ),
            (
                "name: x\ndescription: \"no end\nlicense: MIT",
                "x: no end | yaml-bad-quotes! 3:14",
            ),
            (
                "name: x\ndescription: \"at the\nmargin\"",
                "x: at the margin | yaml-bad-quotes! 4:1",
            ),
        ]);
    }

    #[test]
    fn unindented_lines_belong_to_the_field_above_unless_that_is_a_name() {
        all(&[
            (
                "name: x\ndescription: one\ntwo\n\nthree\nlicense: MIT",
                "x: one two\nthree | yaml-unindented-continuation! 4:1",
            ),
            (
                "name: x\ndescription: |\none\ntwo",
                "x: one\ntwo | yaml-unindented-continuation! 4:1",
            ),
            (
                "name: x\ndescription: >-\none\ntwo",
                "x: one two | yaml-unindented-continuation! 4:1",
            ),
            (
                "name: x\ndescription:\none\ntwo",
                "x: one two | yaml-unindented-continuation! 4:1",
            ),
            (
                "name: x\ndescription one\ndescription: d",
                "x: d | yaml-unindented-continuation! 3:1",
            ),
            (
                "name: x\n\tdescription: d",
                "- | description-missing! 1:1 | yaml-tab! 3:1",
            ),
            (" name: x\ndescription: d", "x: d | yaml-syntax! 2:1"),
            ("stray\nname: x\ndescription: d", "x: d | yaml-syntax! 2:1"),
            ("name:x\ndescription: d", "x: d | yaml-syntax! 2:5"),
        ]);
    }

    #[test]
    fn a_field_that_is_broken_leaves_the_others_whole() {
        all(&[
            (
                "name: x\nmetadata:\n\tversion: 1\ndescription: d",
                "x: d | yaml-tab! 4:1",
            ),
            (
                "name: x\nmetadata: {\"a\": {\ndescription: d",
                "x: d | yaml-broken-flow! 3:17",
            ),
            (
                "name: x\nm:\n  a: b: c\n  d: @e\ndescription: d",
                "x: d | yaml-unquoted-colon! 4:7 | yaml-reserved-start! 5:6",
            ),
            ("name: x\nm: {a: {b: c}\n}\ndescription: d", "x: d"),
            (
                "name: x\nm: \"\\uD83D\\uDE00\"\ndescription: d",
                "x: d | yaml-surrogate-escape 3:5",
            ),
            (
                "name: x\nm: \"\\uD83D\"\ndescription: d",
                "x: d | yaml-surrogate-escape! 3:5",
            ),
            (
                "name: x\nm: a\u{7}b\ndescription: d",
                "x: d | control-character! 3:5",
            ),
            (
                "name: x\nm: mojibake \u{9d}\ndescription: d",
                "x: d | control-character! 3:13",
            ),
        ]);
    }

    #[test]
    fn nested_values_are_kept_when_one_of_them_is_repaired() {
        let source = file(
            "name: x\ndescription: d\nm:\n  note: a: b\n  list:\n    - @x\n    - |\n      k: v: w\n  version: 1.10",
        );
        let skill = read_str(&source, "x").skill.unwrap();
        assert_eq!(
            skill.frontmatter["m"].to_string(),
            r#"{"note":"a: b","list":["@x","k: v: w\n"],"version":1.1}"#
        );
    }

    #[test]
    fn a_second_value_is_left_out_but_two_names_or_descriptions_are_refused() {
        all(&[
            (
                "name: x\ndescription: d\nhooks:\n  a: 1\n  a: 2",
                "x: d | yaml-duplicate-key! 6:3",
            ),
            (
                "name: x\ndescription: d\nm: 1\nm: 2",
                "x: d | yaml-duplicate-key! 5:1",
            ),
            (
                "name: x\ndescription: d\nname: x",
                "x: d | yaml-duplicate-key! 4:1",
            ),
            (
                "name: x\ndescription: d\nname: evil",
                "- | yaml-duplicate-key! 4:1",
            ),
            (
                "name: x\ndescription: d\ndescription: e: f",
                "- | yaml-duplicate-key! 4:1 | yaml-unquoted-colon! 4:15",
            ),
            ("name: x\ndescription: d\nm: {name: y}", "x: d"),
        ]);
        let source = file("name: x\ndescription: d\nm: 1\nm: 2");
        assert_eq!(read_str(&source, "x").skill.unwrap().frontmatter["m"], 1);
    }

    #[test]
    fn alias_bombs_are_refused() {
        let mut laughs = String::from("name: x\ndescription: d\na: &a [x,x,x,x,x,x,x,x,x]\n");
        for (a, b) in ('a'..='i').zip('b'..='j') {
            laughs += &format!("{b}: &{b} [{}]\n", [format!("*{a}").as_str(); 9].join(","));
        }
        assert_eq!(outcome(&file(&laughs)), "- | yaml-limit! 9:11");
        let broken = format!("{laughs}broken: a: b");
        assert_eq!(outcome(&file(&broken)), "- | yaml-limit! 9:11");
        assert_eq!(
            outcome(&file(&format!("description: {}", "[".repeat(20_000)))),
            "- | yaml-limit! 2:78"
        );
        assert_eq!(
            outcome(&file(&"- ".repeat(20_000))),
            "- | yaml-limit! 2:129"
        );
        let faults = "a: b: c\n".repeat(201);
        assert!(
            outcome(&file(&format!("description: d\n{faults}"))).ends_with("| yaml-limit! 203:5")
        );
    }

    #[test]
    fn bytes_that_are_not_utf_8_are_refused_with_their_position() {
        let refused = |source: &[u8]| {
            let reading = read(source, "x");
            assert_eq!(reading.skill, None);
            let found = &reading.diagnostics[0];
            (found.rule.clone(), found.message.clone(), found.position)
        };
        let source = [file("name: x\ndescription: é").as_bytes(), b"\xff\xfe"].concat();
        assert_eq!(
            refused(&source),
            (
                "not-utf8".into(),
                "invalid UTF-8 at byte 37".into(),
                Some((6, 1))
            )
        );
        let utf16: Vec<u8> = "\u{feff}---"
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect();
        assert_eq!(refused(&utf16).1, "the file is UTF-16; agents read UTF-8");
    }

    #[test]
    fn the_head_of_a_file_gives_the_same_reading_as_the_whole() {
        let source = format!("\u{feff}{}", file("name: y\r\ndescription: a: b"));
        let super::super::FrontmatterHead::Complete(length) =
            super::super::scan_head(source.as_bytes())
        else {
            panic!()
        };
        assert_eq!(&source[length..], "body\n");
        assert_eq!(
            read(&source.as_bytes()[..length], "x"),
            read(source.as_bytes(), "x")
        );
    }

    #[test]
    fn without_a_directory_a_name_is_not_compared_and_none_is_made_up() {
        let rules = |source: &str| {
            let reading = read_str(source, "");
            (
                reading.skill.is_some(),
                reading
                    .diagnostics
                    .into_iter()
                    .map(|d| d.rule)
                    .collect::<Vec<_>>(),
            )
        };
        assert_eq!(rules(&file("name: x\ndescription: d")), (true, vec![]));
        assert_eq!(
            rules(&file("description: d")),
            (false, vec!["name-missing".to_owned()])
        );
    }

    #[test]
    fn long_names_and_descriptions_are_read_and_reported() {
        let name = "n".repeat(65);
        let outcome_of_long = outcome(&file(&format!(
            "name: {name}\ndescription: {}",
            "é".repeat(1025)
        )));
        assert!(outcome_of_long.ends_with(
            "é | name-directory-mismatch 2:7 | name-too-long! 2:71 | description-too-long! 3:1038"
        ));
        assert_eq!(
            outcome(&file(&format!(
                "name: x\ndescription: {}",
                "é".repeat(1024)
            )))
            .find('|'),
            None
        );
    }

    #[test]
    fn every_position_is_exact_after_a_byte_order_mark_and_wide_characters() {
        let source = format!("\u{feff}{}", file("name: x\r\ndescription: 🚀 e\u{301}: d"));
        let reading = read_str(&source, "x");
        let places: Vec<_> = reading
            .diagnostics
            .iter()
            .map(|d| {
                (
                    d.rule.as_str(),
                    &source[d.span.clone().unwrap()],
                    d.position,
                )
            })
            .collect();
        assert_eq!(
            places,
            [
                ("byte-order-mark", "\u{feff}", Some((1, 1))),
                ("yaml-unquoted-colon", ":", Some((3, 18))),
            ]
        );
        assert_eq!(
            &source[reading.diagnostics[1].labels[0].span.clone()],
            "🚀 e\u{301}"
        );
    }

    /// Pieces of which frontmatters are made, and what breaks them.
    fn pieces() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "name: x\n",
            "description: d\n",
            "name",
            "description",
            ": ",
            ":",
            "\n",
            "\r\n",
            "  ",
            "\t",
            "- ",
            "? ",
            "# c",
            " #",
            "\"",
            "'",
            "{",
            "}",
            "[",
            "]",
            ",",
            "|\n",
            ">-\n",
            "&a ",
            "*a",
            "!!str ",
            "<<: ",
            "@",
            "`",
            "%",
            "---",
            "...",
            "\\u",
            "D83D",
            "\\uDE00",
            "é",
            "日本",
            "e\u{301}",
            "🚀",
            "\u{feff}",
            "\0",
            "\u{9d}",
            "\u{85}",
            "\r",
            "text ",
            "metadata:\n",
            "requires: [a]\n",
            "allowed-tools: a(b c)\n",
            "a: b\n",
            "true",
            "~",
            "1.0",
            "{{",
            "}}",
        ]);
        prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn no_text_panics_and_every_finding_is_within_the_file(frontmatter in pieces(), directory in "[a-z]{0,2}") {
            let source = file(&frontmatter);
            let reading = read_str(&source, &directory);
            for diagnostic in &reading.diagnostics {
                let spans = diagnostic.span.iter().chain(diagnostic.labels.iter().map(|label| &label.span));
                for span in spans {
                    prop_assert!(source.get(span.clone()).is_some(), "{diagnostic:?}");
                }
            }
            if let Some(skill) = &reading.skill {
                prop_assert!(!skill.description.trim().is_empty() && !skill.name.is_empty());
            } else {
                prop_assert!(reading.diagnostics.iter().any(|diagnostic| diagnostic.level == DiagnosticLevel::Error));
            }
        }

        #[test]
        fn the_repairs_make_a_file_that_reads_the_same(frontmatter in pieces()) {
            let source = file(&format!("name: x\ndescription: d\n{frontmatter}"));
            let mut diagnostics = Vec::new();
            let Some(before) = SkillFrontmatter::open(&source, &mut diagnostics) else { return Ok(()) };
            let is_unrepaired = diagnostics.iter().any(|d| {
                d.rule.starts_with("yaml-") && before.repairs.iter().all(|repair| repair.rule != d.rule)
            });
            if before.repairs.is_empty() || is_unrepaired || !before.duplicates.is_empty() {
                return Ok(());
            }
            let repairs: Vec<FixChange> = before.repairs.iter().map(RepairEdit::to_change).collect();
            let mut offered: Vec<FixChange> = Vec::new();
            let of_fences = ["dashes-inside-frontmatter", "delimiter-whitespace"];
            let of_fields = diagnostics.iter().filter(|d| !of_fences.contains(&d.rule.as_str()));
            for fix in of_fields.filter_map(|d| d.fix.as_ref()) {
                offered.extend(fix.changes.iter().cloned());
            }
            let start = |change: &FixChange| if let FixChange::Edit { span, .. } = change { span.start } else { 0 };
            offered.sort_by_key(start);
            prop_assert_eq!(&offered, &repairs, "the offered fixes are the repairs");
            let repaired = DiagnosticFix { applicability: FixApplicability::Safe, message: String::new(), changes: repairs }.apply(&source);
            let mut left = Vec::new();
            let after = SkillFrontmatter::open(&repaired, &mut left).unwrap();
            prop_assert_eq!(after.root.to_json(), before.root.to_json(), "{:?}", repaired);
            prop_assert!(after.repairs.is_empty(), "{:?} {:?}", repaired, left);
        }

        #[test]
        fn the_span_of_a_plain_value_is_its_text(
            values in prop::collection::vec("[a-zé日🚀][a-z0-9é日🚀 ]{0,12}[a-zé日🚀]", 1..6),
            end in prop::sample::select(vec!["\n", "\r\n", " \n", "\t# c\r\n"]),
            mark in prop::sample::select(vec!["", "\u{feff}"]),
        ) {
            let fields: String = values.iter().enumerate().map(|(n, value)| format!("k{n}: {value}{end}")).collect();
            let source = format!("{mark}---\n{fields}---\n");
            let frontmatter = SkillFrontmatter::open(&source, &mut Vec::new()).unwrap();
            for (n, value) in values.iter().enumerate() {
                let (key, node) = frontmatter.root.entry(&format!("k{n}")).unwrap();
                prop_assert_eq!(&source[key.span.clone()], format!("k{n}"));
                prop_assert_eq!(&source[node.span.clone()], value);
            }
        }
    }
}
