//! What people see, whole; and the other forms of findings that have everything findings can have.

#![expect(clippy::needless_raw_string_hashes, reason = "snapbox writes them so")]
#![expect(
    clippy::unicode_not_nfc,
    reason = "combining characters are what is tested"
)]
#![expect(clippy::too_many_lines, reason = "whole outputs are long")]

use anstream::adapter::strip_str;
use proptest::prelude::*;
use snapbox::{IntoData as _, assert_data_eq, str};

use super::*;
use crate::report::{DiagnosticFix, DiagnosticLevel, FixApplicability, FixChange};

/// One finding of a rule that is in no table.
fn fault(level: DiagnosticLevel, message: &str) -> Diagnostic {
    Diagnostic::new("a-rule", level, message)
}

/// The position of `needle`, which occurs once.
#[track_caller]
fn place(text: &str, needle: &str) -> Span {
    assert_eq!(text.matches(needle).count(), 1, "{needle:?}");
    let start = text.find(needle).unwrap();
    start..start + needle.len()
}

/// Findings about one file as a pipe gets them.
fn drawn(text: &str, diagnostics: &[Diagnostic]) -> String {
    drawn_as(text, diagnostics, DrawOptions::default())
}

fn drawn_as(text: &str, diagnostics: &[Diagnostic], drawing: DrawOptions) -> String {
    let finding = |diagnostic: &Diagnostic| FileFinding {
        path: "pdf/SKILL.md".into(),
        diagnostic: diagnostic.clone(),
    };
    let findings: Vec<FileFinding> = diagnostics.iter().map(finding).collect();
    let sources = |_: &str| Some(text.to_owned());
    let drawn: String = by_file(&findings, sources)
        .map(|file| human(&file, drawing))
        .collect();
    strip_str(&drawn).to_string()
}

/// One span of a file, underlined.
#[track_caller]
fn underlined(text: &str, needle: &str) -> String {
    drawn(
        text,
        &[fault(DiagnosticLevel::Warning, "look here").at(place(text, needle), text)],
    )
}

#[test]
fn finding_has_location_lines_agents_and_help() {
    let text = "---\nname: pdf\ndescription: Fill forms: all of them\n---\n";
    let colon = place(text, ": all");
    let value = place(text, "Fill forms: all of them");
    let finding = Diagnostic::new(
        "body-empty",
        DiagnosticLevel::Error,
        "unquoted `: ` makes the frontmatter invalid YAML",
    )
    .at(colon.start..colon.start + 1, text)
    .label(
        colon.start..colon.start + 1,
        "YAML starts a nested mapping here",
    )
    .label(value.start..colon.start, "this is its key then")
    .note("Codex and `npx skills` drop this skill")
    .help("put the description between quotes")
    .fix(DiagnosticFix::edit(
        FixApplicability::Safe,
        "quote the value",
        value,
        "\"Fill forms: all of them\"",
    ));
    assert_data_eq!(
        drawn(text, &[finding]),
        str![[r#"
error[SK401]: unquoted `: ` makes the frontmatter invalid YAML (body-empty)
 --> pdf/SKILL.md:3:24
  |
3 | description: Fill forms: all of them
  |              ----------^ YAML starts a nested mapping here
  |              |
  |              this is its key then
  |
  = note: Codex and `npx skills` drop this skill
  = help: put the description between quotes
help: quote the value [*]
  |
3 | description: "Fill forms: all of them"
  |              +                       +


"#]]
        .raw()
    );
}

#[test]
fn underlines_line_up_behind_wide_and_combining_characters() {
    assert_data_eq!(
        underlined("日本語 the é e\u{301} 🚀 here\n", "here"),
        str![[r#"
warning[a-rule]: look here
 --> pdf/SKILL.md:1:16
  |
1 | 日本語 the é é 🚀 here
  |                   ^^^^


"#]]
        .raw()
    );
}

#[test]
fn a_byte_order_mark_and_carriage_returns_have_no_column() {
    let text = "\u{feff}---\r\nname: pdf\r\n---\r\n";
    let findings = [
        place(text, "---\r\nname"),
        place(text, "name"),
        place(text, "pdf\r\n"),
        place(text, "\r\nname"),
        0..3,
    ]
    .map(|span| fault(DiagnosticLevel::Error, "look here").at(span, text));
    assert_data_eq!(
        drawn(text, &findings),
        str![[r#"
error[a-rule]: look here
 --> pdf/SKILL.md:1:1
  |
1 | \u{feff}---
  | ^^^^^^^^

error[a-rule]: look here
 --> pdf/SKILL.md:1:1
  |
1 | / ---
2 | | name: pdf
  | |____^

error[a-rule]: look here
 --> pdf/SKILL.md:1:4
  |
1 |   ---\r
  |  ____^
2 | | name: pdf
  | |____^

error[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: pdf
  | ^^^^

error[a-rule]: look here
 --> pdf/SKILL.md:2:7
  |
2 | name: pdf
  |       ^^^


"#]]
        .raw()
    );
}

#[test]
fn a_tab_is_four_blanks_and_one_column() {
    assert_data_eq!(
        underlined("\tkey:\tvalue\n", "value"),
        str![[r#"
warning[a-rule]: look here
 --> pdf/SKILL.md:1:7
  |
1 |     key:    value
  |             ^^^^^


"#]]
        .raw()
    );
}

#[test]
fn invisible_and_control_characters_are_spelled_out() {
    let text = "a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end\n";
    let findings = ["\u{202e}", "\u{1b}[31m", "\u{200b}", "\u{e0041}", "end"].map(|needle| {
        fault(DiagnosticLevel::Warning, &format!("{needle} is here")).at(place(text, needle), text)
    });
    let drawn = drawn(text, &findings);
    let raw = drawn
        .chars()
        .any(|c| c != '\n' && (c.is_control() || crate::text::is_hidden(c)));
    assert!(!raw, "{drawn:?}");
    assert_data_eq!(
        drawn,
        str![[r#"
warning[a-rule]: \u{202e} is here
 --> pdf/SKILL.md:1:2
  |
1 | a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end
  |  ^^^^^^^^

warning[a-rule]: \u{1b}[31m is here
 --> pdf/SKILL.md:1:5
  |
1 | a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end
  |            ^^^^^^^^^^

warning[a-rule]: \u{200b} is here
 --> pdf/SKILL.md:1:12
  |
1 | a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end
  |                        ^^^^^^^^

warning[a-rule]: \u{e0041} is here
 --> pdf/SKILL.md:1:16
  |
1 | a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end
  |                                   ^^^^^^^^^

warning[a-rule]: end is here
 --> pdf/SKILL.md:1:31
  |
1 | a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end
  |                                                                            ^^^


"#]]
        .raw()
    );
}

#[test]
fn joined_emoji_are_shown_as_their_parts_and_joined_letters_as_they_are() {
    let text =
        "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3} می\u{200c}خواهم a\u{200d}b end\n";
    assert_data_eq!(
        underlined(text, "end"),
        str![[r#"
warning[a-rule]: look here
 --> pdf/SKILL.md:1:27
  |
1 | 👨👩👧 ❤ 1⃣ می‌خواهم a\u{200d}b end
  |                               ^^^


"#]]
        .raw()
    );
}

#[test]
fn long_line_is_cut_around_its_span() {
    let text = format!(
        "description: {}needle{} end\n",
        "word ".repeat(600),
        " 日本語".repeat(600)
    );
    assert_data_eq!(
        underlined(&text, "needle"),
        str![[r#"
warning[a-rule]: look here
 --> pdf/SKILL.md:1:3014
  |
1 | ...d word word word word word word needle 日本語 日本語 日本語 日本語 日本...
  |                                    ^^^^^^


"#]]
        .raw()
    );
    let long = place(
        &text,
        text.trim_end().strip_prefix("description: ").unwrap(),
    );
    let finding = fault(DiagnosticLevel::Error, "it is too long").at(long.clone(), &text);
    assert_data_eq!(
        drawn(&text, &[finding]),
        str![[r#"
error[a-rule]: it is too long
 --> pdf/SKILL.md:1:14
  |
1 | description: word word word word word word wor... 日本語 日本語 日本語 日本語 end
  |              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^


"#]]
        .raw()
    );
    let narrow = DrawOptions {
        width: 60,
        unicode: true,
    };
    let finding = fault(DiagnosticLevel::Error, "it ends badly")
        .at(long.end - 3..long.end, &text)
        .label(0..11, "of this");
    assert_data_eq!(
        drawn_as(&text, &[finding], narrow),
        str![[r#"
error[a-rule]: it ends badly
  ╭▸ pdf/SKILL.md:1:5421
  │
1 │ description: word word w…本語 日本語 end
  ╰╴─────────── of this                  ━━━


"#]]
        .raw()
    );
}

#[test]
fn a_span_of_many_lines_is_drawn_at_their_side() {
    let lines: String = (1..40).map(|line| format!("  line {line}\n")).collect();
    let text = format!("---\ndescription: |\n{lines}---\n");
    let start = text.find("  line 1\n").unwrap();
    let finding = fault(DiagnosticLevel::Note, "many lines").at(start..text.len() - 4, &text);
    assert_data_eq!(
        drawn(&text, &[finding]),
        str![[r#"
note[a-rule]: many lines
  --> pdf/SKILL.md:3:1
   |
 3 | /   line 1
 4 | |   line 2
...  |
40 | |   line 38
41 | |   line 39
   | |_________^


"#]]
        .raw()
    );
}

#[test]
fn places_far_from_each_other_are_shown_one_after_the_other() {
    let text = format!(
        "first\n{}second\n{}third\n",
        "x\n".repeat(30),
        "x\n".repeat(4000)
    );
    let finding = fault(DiagnosticLevel::Warning, "thrice the same")
        .at(place(&text, "first"), &text)
        .label(place(&text, "second"), "again")
        .label(place(&text, "third"), "and again");
    assert_data_eq!(
        drawn(&text, &[finding]),
        str![[r#"
warning[a-rule]: thrice the same
    --> pdf/SKILL.md:1:1
     |
   1 | first
     | ^^^^^
...
  32 | second
     | ------ again
     |
    ::: pdf/SKILL.md:4033:1
     |
4033 | third
     | ----- and again


"#]]
        .raw()
    );
}

#[test]
fn a_finding_about_a_whole_file_has_no_lines() {
    let finding = fault(DiagnosticLevel::Warning, "the file is odd")
        .note("nobody reads it")
        .help("delete it");
    assert_data_eq!(
        drawn("text\n", &[finding]),
        str![[r#"
warning[a-rule]: the file is odd
 --> pdf/SKILL.md
  = note: nobody reads it
  = help: delete it


"#]]
        .raw()
    );
}

#[test]
fn an_empty_span_and_the_end_of_a_file_are_pointed_at() {
    let text = "one\ntwo";
    let findings = [4..4, 7..7, 900..901]
        .map(|span| fault(DiagnosticLevel::Warning, "look here").at(span, text));
    assert_data_eq!(
        drawn(text, &findings),
        str![[r#"
warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | two
  | ^

warning[a-rule]: look here
 --> pdf/SKILL.md:2:4
  |
2 | two
  |    ^

warning[a-rule]: look here
 --> pdf/SKILL.md:2:4
  |
2 | two
  |    ^


"#]]
        .raw()
    );
    assert_data_eq!(
        drawn(
            "",
            &[fault(DiagnosticLevel::Error, "nothing is here").at(0..0, "")]
        ),
        str![[r#"
error[a-rule]: nothing is here
 --> pdf/SKILL.md:1:1
  |
1 |
  | ^


"#]]
        .raw()
    );
}

#[test]
fn a_secret_is_covered_in_every_finding_of_its_file() {
    let text = "curl -H ghp_0123456789abcdef http://1.2.3.4/\n";
    let token = place(text, "ghp_0123456789abcdef");
    let secret = Diagnostic::new("secret-leak", DiagnosticLevel::Error, "a token is here")
        .at(token.clone(), text)
        .fix(DiagnosticFix::edit(
            FixApplicability::Unsafe,
            "take it out",
            token,
            "$TOKEN",
        ));
    let address =
        fault(DiagnosticLevel::Warning, "an address").at(place(text, "http://1.2.3.4/"), text);
    let drawn = drawn(text, &[secret, address]);
    assert!(!drawn.contains("0123"), "{drawn}");
    assert_data_eq!(
        drawn,
        str![[r#"
error[SK715]: a token is here (secret-leak)
 --> pdf/SKILL.md:1:9
  |
1 | curl -H ghp_**************** http://1.2.3.4/
  |         ^^^^^^^^^^^^^^^^^^^^
  |
help: take it out [* unsafe]
  |
1 - curl -H ghp_**************** http://1.2.3.4/
1 + curl -H $TOKEN http://1.2.3.4/
  |

warning[a-rule]: an address
 --> pdf/SKILL.md:1:30
  |
1 | curl -H ghp_**************** http://1.2.3.4/
  |                              ^^^^^^^^^^^^^^^


"#]]
        .raw()
    );
}

#[test]
fn fix_is_shown_as_its_resulting_lines() {
    let text = "---\r\nname: PDF Tools\r\nversion: 1\r\n---\r\n";
    let edit = |needle: &str, content: &str| FixChange::Edit {
        span: place(text, needle),
        content: content.to_owned(),
    };
    let fix = |message: &str, applicability, changes| {
        fault(DiagnosticLevel::Warning, "look here")
            .at(place(text, "name"), text)
            .fix(DiagnosticFix {
                applicability,
                message: message.to_owned(),
                changes,
            })
    };
    let (safe, guess) = (FixApplicability::Safe, FixApplicability::Unsafe);
    let several = vec![edit("PDF Tools", "pdf-tools"), edit("1", "\"1\"")];
    let many = (0..7)
        .map(|at| FixChange::Edit {
            span: at..at,
            content: "x".into(),
        })
        .collect();
    let append = FixChange::AppendLine {
        path: ".skillpmignore".into(),
        line: "*.pyc".into(),
    };
    let findings = [
        fix(
            "write it in lower case",
            guess,
            vec![edit("PDF Tools", "pdf-tools")],
        ),
        fix("take the line out", safe, vec![edit("version: 1\r\n", "")]),
        fix(
            "put a line in",
            safe,
            vec![FixChange::Edit {
                span: 5..5,
                content: "license: MIT\r\n".into(),
            }],
        ),
        fix("fix both", safe, several),
        fix("fix all", safe, many),
        fix(
            "rename it to `SKILL.md`",
            safe,
            vec![FixChange::Rename {
                to: "SKILL.md".into(),
            }],
        ),
        fix("leave it out of the package", safe, vec![append]),
    ];
    assert_data_eq!(
        drawn(text, &findings),
        str![[r#"
warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: write it in lower case [* unsafe]
  |
2 - name: PDF Tools
2 + name: pdf-tools
  |

warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: take the line out [*]
  |
3 - version: 1
  |

warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: put a line in [*]
  |
2 + license: MIT
  |

warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: fix both [*]
  |
2 ~ name: pdf-tools
3 ~ version: "1"
  |

warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: fix all, in 7 places [*]

warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: rename it to `SKILL.md` [*]

warning[a-rule]: look here
 --> pdf/SKILL.md:2:1
  |
2 | name: PDF Tools
  | ^^^^
  |
help: leave it out of the package [*]
  |
  = note: `*.pyc` goes into `.skillpmignore`


"#]]
        .raw()
    );
}

#[test]
fn a_fix_of_an_empty_line_is_shown_on_that_line() {
    let text = "one\r\ntwo\n\n";
    let changes = [8, 9]
        .map(|at| FixChange::Edit {
            span: at..at,
            content: "\r".into(),
        })
        .to_vec();
    let fix = DiagnosticFix {
        applicability: FixApplicability::Safe,
        message: "end every line in CRLF".into(),
        changes,
    };
    let finding = fault(DiagnosticLevel::Note, "the lines do not all end alike")
        .at(8..9, text)
        .fix(fix);
    assert_data_eq!(
        drawn(text, &[finding]),
        str![[r#"
note[a-rule]: the lines do not all end alike
 --> pdf/SKILL.md:2:4
  |
2 | two
  |    ^
  |
help: end every line in CRLF [*]
  |
2 ~ two\r
3 + \r
  |


"#]]
        .raw()
    );
}

#[test]
fn finding_in_a_deleted_file_has_its_location() {
    let text = "one\ntwo\n";
    let finding = FileFinding {
        path: "a\u{1b}b/SKILL.md".into(),
        diagnostic: fault(DiagnosticLevel::Error, "odd").at(4..7, text),
    };
    let drawn: String = by_file(&[finding], |_: &str| None)
        .map(|file| human(&file, DrawOptions::default()))
        .collect();
    assert_data_eq!(
        strip_str(&drawn).to_string(),
        str![[r#"
error[a-rule]: odd
 --> a\u{1b}b/SKILL.md:2:1


"#]]
        .raw()
    );
}

#[test]
fn files_are_sorted_and_so_are_their_findings() {
    let finding = |path: &str, start: usize| FileFinding {
        path: path.to_owned(),
        diagnostic: fault(DiagnosticLevel::Error, "odd").at(start..start + 1, "abc"),
    };
    let findings = [finding("b", 1), finding("a", 2), finding("b", 0)];
    let files: Vec<(String, Vec<usize>)> = by_file(&findings, |_: &str| None)
        .map(|file| {
            (
                file.path.to_owned(),
                file.findings
                    .iter()
                    .map(|found| found.span.as_ref().unwrap().start)
                    .collect(),
            )
        })
        .collect();
    assert_eq!(
        files,
        [("a".to_owned(), vec![2]), ("b".to_owned(), vec![0, 1])]
    );
}

/// Findings with all that findings have: places behind a byte order mark and wide characters, labels, notes, fixes of
/// every kind, a rule of the table and one of none, a path that needs escaping, a file without text.
fn all_kinds() -> Vec<FileFinding> {
    let edit = |needle: &str, content: &str| FixChange::Edit {
        span: place(PAGE, needle),
        content: content.to_owned(),
    };
    let rename = DiagnosticFix {
        applicability: FixApplicability::Unsafe,
        message: "rename it".into(),
        changes: vec![
            FixChange::Rename {
                to: "SKILL.md".into(),
            },
            FixChange::SetExecutable,
        ],
    };
    let several = DiagnosticFix {
        applicability: FixApplicability::Safe,
        message: "fix both".into(),
        changes: vec![edit("日本", "nihon"), edit("\u{202e}", "")],
    };
    let at = |path: &str, diagnostic: Diagnostic| FileFinding {
        path: path.to_owned(),
        diagnostic,
    };
    vec![
        at(
            "./a b,c:d%/SKILL.md",
            fault(
                DiagnosticLevel::Error,
                "a \u{202e} is 100% hidden\nand more: a, b",
            )
            .at(place(PAGE, "\u{202e}"), PAGE)
            .label(place(PAGE, "日本"), "behind this")
            .note("Codex drops it")
            .help("take it out")
            .fix(several),
        ),
        at(
            "./a b,c:d%/SKILL.md",
            Diagnostic::new("body-empty", DiagnosticLevel::Warning, "over two lines")
                .at(5..20, PAGE),
        ),
        at(
            "gone.bin",
            fault(DiagnosticLevel::Note, "about the whole").fix(rename),
        ),
        at(
            "gone.bin",
            fault(DiagnosticLevel::Note, "about a line").at(place(PAGE, "日本"), PAGE),
        ),
    ]
}

const PAGE: &str = "\u{feff}---\r\nname: 日本 \u{202e}x\r\n---\r\n";

fn text_of(path: &str) -> Option<String> {
    (path != "gone.bin").then(|| PAGE.to_owned())
}

fn root() -> RepositoryRoot {
    RepositoryRoot::new("/repo".into(), "/repo/sub".into())
}

#[test]
fn findings_of_every_kind_are_written_as_json() {
    let shown: String = by_file(&all_kinds(), text_of)
        .map(|file| json(&file))
        .collect();
    assert_data_eq!(shown, str![[r#"
{"type":"diagnostic","path":"./a b,c:d%/SKILL.md","code":"SK401","rule":"body-empty","level":"warning","message":"over two lines","line":1,"column":3,"range":{"start":{"line":1,"column":3,"byte":5},"end":{"line":2,"column":9,"byte":20}},"labels":[],"notes":[],"help":null,"fix":null,"url":"https://github.com/skillpm/skillpm/blob/v0.1.0/docs/rules.md#sk401"}
{"type":"diagnostic","path":"./a b,c:d%/SKILL.md","code":null,"rule":"a-rule","level":"error","message":"a \u202e is 100% hidden\nand more: a, b","line":2,"column":10,"range":{"start":{"line":2,"column":10,"byte":21},"end":{"line":2,"column":11,"byte":24}},"labels":[{"range":{"start":{"line":2,"column":7,"byte":14},"end":{"line":2,"column":9,"byte":20}},"text":"behind this"}],"notes":["Codex drops it"],"help":"take it out","fix":{"applicability":"safe","message":"fix both","edits":[{"range":{"start":{"line":2,"column":7,"byte":14},"end":{"line":2,"column":9,"byte":20}},"content":"nihon"},{"range":{"start":{"line":2,"column":10,"byte":21},"end":{"line":2,"column":11,"byte":24}},"content":""}],"rename":null,"set_executable":false,"append_lines":[]},"url":null}
{"type":"diagnostic","path":"gone.bin","code":null,"rule":"a-rule","level":"note","message":"about the whole","line":null,"column":null,"range":null,"labels":[],"notes":[],"help":null,"fix":{"applicability":"unsafe","message":"rename it","edits":[],"rename":"SKILL.md","set_executable":true,"append_lines":[]},"url":null}
{"type":"diagnostic","path":"gone.bin","code":null,"rule":"a-rule","level":"note","message":"about a line","line":2,"column":7,"range":null,"labels":[],"notes":[],"help":null,"fix":null,"url":null}

"#]].raw());
}

#[test]
fn findings_of_every_kind_are_written_as_sarif() {
    let schema = include_str!("../../../../tests/fixtures/sarif/sarif-schema-2.1.0.json");
    // Its pattern of a language, which we do not write, is no regular expression by ECMA's rules.
    let schema = schema.replace("[a-zA-Z]{2}]?$", "[a-zA-Z]{2}$");
    let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
    let shown: serde_json::Value =
        serde_json::from_str(&sarif(by_file(&all_kinds(), text_of), &root())).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let faults: Vec<String> = validator
        .iter_errors(&shown)
        .map(|fault| format!("{}: {fault}", fault.instance_path()))
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert_data_eq!(
        format!("{:#}\n", shown["runs"][0]["results"]),
        str![[r#"
[
  {
    "ruleId": "SK401",
    "ruleIndex": 0,
    "level": "warning",
    "message": {
      "text": "over two lines"
    },
    "locations": [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "sub/a%20b%2Cc%3Ad%25/SKILL.md",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 1,
            "startColumn": 3,
            "endLine": 2,
            "endColumn": 9
          }
        }
      }
    ],
    "partialFingerprints": {
      "skillpm/v1": "8eadee3979089b7d0d78fbf4ba868d21"
    }
  },
  {
    "ruleId": "a-rule",
    "ruleIndex": 1,
    "level": "error",
    "message": {
      "text": "a \\u{202e} is 100% hidden\nand more: a, b\nCodex drops it\nhelp: take it out"
    },
    "locations": [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "sub/a%20b%2Cc%3Ad%25/SKILL.md",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 2,
            "startColumn": 10,
            "endLine": 2,
            "endColumn": 11
          }
        }
      }
    ],
    "relatedLocations": [
      {
        "id": 1,
        "physicalLocation": {
          "artifactLocation": {
            "uri": "sub/a%20b%2Cc%3Ad%25/SKILL.md",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 2,
            "startColumn": 7,
            "endLine": 2,
            "endColumn": 9
          }
        },
        "message": {
          "text": "behind this"
        }
      }
    ],
    "partialFingerprints": {
      "skillpm/v1": "ac9db212536aa1669810320555a4f4d1"
    },
    "fixes": [
      {
        "description": {
          "text": "fix both"
        },
        "artifactChanges": [
          {
            "artifactLocation": {
              "uri": "sub/a%20b%2Cc%3Ad%25/SKILL.md",
              "uriBaseId": "%SRCROOT%"
            },
            "replacements": [
              {
                "deletedRegion": {
                  "startLine": 2,
                  "startColumn": 7,
                  "endLine": 2,
                  "endColumn": 9
                },
                "insertedContent": {
                  "text": "nihon"
                }
              },
              {
                "deletedRegion": {
                  "startLine": 2,
                  "startColumn": 10,
                  "endLine": 2,
                  "endColumn": 11
                }
              }
            ]
          }
        ]
      }
    ]
  },
  {
    "ruleId": "a-rule",
    "ruleIndex": 1,
    "level": "note",
    "message": {
      "text": "about the whole"
    },
    "locations": [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "sub/gone.bin",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 1,
            "startColumn": 1
          }
        }
      }
    ],
    "partialFingerprints": {
      "skillpm/v1": "aa58ce3cc53126c315d665e74ac0878d"
    }
  },
  {
    "ruleId": "a-rule",
    "ruleIndex": 1,
    "level": "note",
    "message": {
      "text": "about a line"
    },
    "locations": [
      {
        "physicalLocation": {
          "artifactLocation": {
            "uri": "sub/gone.bin",
            "uriBaseId": "%SRCROOT%"
          },
          "region": {
            "startLine": 2,
            "startColumn": 7
          }
        }
      }
    ],
    "partialFingerprints": {
      "skillpm/v1": "4bc64e3424795c1ac2edc804922e64c5"
    }
  }
]

"#]]
        .raw()
    );
}

#[test]
fn findings_of_every_kind_are_written_for_ci() {
    let findings = all_kinds();
    let lines: String = by_file(&findings, text_of)
        .map(|file| strip_str(&short(&file)).to_string())
        .collect();
    assert_data_eq!(
        lines,
        str![[r#"
./a b,c:d%/SKILL.md:1:3: warning[SK401] body-empty: over two lines
./a b,c:d%/SKILL.md:2:10: error a-rule: a \u{202e} is 100% hidden and more: a, b
gone.bin: note a-rule: about the whole
gone.bin:2:7: note a-rule: about a line

"#]]
        .raw()
    );
    let commands: String = by_file(&findings, text_of)
        .map(|file| github(&file, &root()))
        .collect();
    assert_data_eq!(commands, str![[r#"
::warning title=SK401 body-empty,file=sub/a b%2Cc%3Ad%25/SKILL.md,line=1,endLine=2::over two lines
::error title=a-rule,file=sub/a b%2Cc%3Ad%25/SKILL.md,line=2,col=10,endLine=2,endColumn=11::a \u{202e} is 100%25 hidden%0Aand more: a, b%0Anote: Codex drops it%0Ahelp: take it out
::notice title=a-rule,file=sub/gone.bin::about the whole
::notice title=a-rule,file=sub/gone.bin,line=2,col=7::about a line

"#]].raw());
    let report: serde_json::Value =
        serde_json::from_str(&gitlab(by_file(&findings, text_of), &root())).unwrap();
    assert_data_eq!(
        format!("{report:#}\n"),
        str![[r#"
[
  {
    "description": "over two lines",
    "check_name": "SK401 body-empty",
    "fingerprint": "8eadee3979089b7d0d78fbf4ba868d21",
    "severity": "minor",
    "location": {
      "path": "sub/a b,c:d%/SKILL.md",
      "lines": {
        "begin": 1,
        "end": 2
      }
    }
  },
  {
    "description": "a \\u{202e} is 100% hidden\nand more: a, b",
    "check_name": "a-rule",
    "fingerprint": "ac9db212536aa1669810320555a4f4d1",
    "severity": "major",
    "location": {
      "path": "sub/a b,c:d%/SKILL.md",
      "lines": {
        "begin": 2,
        "end": 2
      }
    }
  },
  {
    "description": "about the whole",
    "check_name": "a-rule",
    "fingerprint": "aa58ce3cc53126c315d665e74ac0878d",
    "severity": "info",
    "location": {
      "path": "sub/gone.bin",
      "lines": {
        "begin": 1
      }
    }
  },
  {
    "description": "about a line",
    "check_name": "a-rule",
    "fingerprint": "4bc64e3424795c1ac2edc804922e64c5",
    "severity": "info",
    "location": {
      "path": "sub/gone.bin",
      "lines": {
        "begin": 2
      }
    }
  }
]

"#]]
        .raw()
    );
}

#[test]
fn no_output_format_has_hidden_characters() {
    let findings = all_kinds();
    let files = || by_file(&findings, text_of);
    let mut shown: String = files()
        .map(|file| json(&file) + &short(&file) + &github(&file, &root()))
        .collect();
    shown = strip_str(&(shown + &sarif(files(), &root()) + &gitlab(files(), &root()))).to_string();
    assert_eq!(
        shown
            .chars()
            .find(|c| *c != '\n' && crate::text::is_hidden(*c)),
        None
    );
}

#[test]
fn fingerprints_are_unique_and_independent_of_the_line_number() {
    let finding = |text: &str| FileFinding {
        path: "SKILL.md".into(),
        diagnostic: fault(DiagnosticLevel::Error, "odd").at(place(text, "same"), text),
    };
    let prints = |text: &'static str| {
        let findings = [finding(text), finding(text)];
        let shown = gitlab(by_file(&findings, |_: &str| Some(text.to_owned())), &root());
        let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
        [
            shown[0]["fingerprint"].clone(),
            shown[1]["fingerprint"].clone(),
        ]
    };
    let [first, second] = prints("the same line");
    assert_ne!(first, second);
    assert_eq!(prints("other\n  the same line\n"), [first.clone(), second]);
    assert_ne!(prints("not the same line")[0], first);
}

#[test]
fn a_tally_counts_skills_and_not_files() {
    let skills = ["skills/a", "skills/a/b", "skills/c", "."].map(str::to_owned);
    let fixed = |applicability| {
        fault(DiagnosticLevel::Warning, "odd").fix(DiagnosticFix::edit(
            applicability,
            "fix it",
            0..0,
            "x",
        ))
    };
    let finding = |path: &str, diagnostic: Diagnostic| FileFinding {
        path: path.to_owned(),
        diagnostic,
    };
    let findings = [
        finding("skills/a/SKILL.md", fixed(FixApplicability::Safe)),
        finding("skills/a/scripts/x.py", fixed(FixApplicability::Unsafe)),
        finding("skills/a/b/x.md", fault(DiagnosticLevel::Error, "odd")),
        finding("x.md", fault(DiagnosticLevel::Note, "odd")),
    ];
    let sentence = |findings: &[FileFinding], hidden, skills: &[String]| {
        FindingCounts::from_findings(findings, hidden, skills).sentence()
    };
    assert_eq!(
        sentence(&findings, 2, &skills),
        "1 error, 2 warnings, 1 note in 3 of 4 skills; 1 fixable with --fix; 1 more with --unsafe-fixes; \
         2 notes hidden (--notes)"
    );
    assert_eq!(
        sentence(&findings[2..3], 0, &skills[..1]),
        "1 error in 1 skill"
    );
    assert_eq!(
        sentence(&[], 1, &skills),
        "no problems in 4 skills; 1 note hidden (--notes)"
    );
}

#[test]
fn statistics_begin_with_the_most_frequent() {
    let finding = |rule: &str, fix: bool| {
        let diagnostic = Diagnostic::new(rule, DiagnosticLevel::Warning, "odd");
        let make_fix = || DiagnosticFix::edit(FixApplicability::Safe, "fix it", 0..0, "x");
        FileFinding {
            path: "x".into(),
            diagnostic: if fix {
                diagnostic.fix(make_fix())
            } else {
                diagnostic
            },
        }
    };
    let mut findings: Vec<FileFinding> = (0..11).map(|at| finding("z-rule", at == 3)).collect();
    findings.extend([
        finding("b-rule", false),
        finding("body-empty", false),
        finding("a-rule", false),
    ]);
    let lines = RuleStatistics::from_findings(&findings).lines().join("\n");
    assert_data_eq!(
        lines,
        str![[r#"
11  -      [*]  z-rule
 1  SK401       body-empty  the body is empty
 1  -           a-rule
 1  -           b-rule
"#]]
        .raw()
    );
}

/// Text that has everything that makes columns hard, and a span of it.
fn hard_text() -> impl Strategy<Value = (String, Span)> {
    let pieces = [
        "a",
        "word ",
        "日",
        "e\u{301}",
        "🚀",
        "👨\u{200d}👩",
        "❤\u{fe0f}",
        "\t",
        "\r",
        "\n",
        "\r\n",
        "\u{feff}",
        "\u{202e}",
        "\u{200b}",
        "\u{1b}[31m",
        "\u{0}",
        "\u{7f}",
        "می\u{200c}",
        "\u{e0041}",
        "\u{2028}",
        "\u{10fffd}",
        "\u{ad}",
    ];
    let text = proptest::collection::vec(proptest::sample::select(pieces.to_vec()), 0..120)
        .prop_map(|pieces| pieces.concat());
    (text, 0..400_usize, 0..40_usize).prop_map(|(text, start, length)| {
        let start = start.min(text.len());
        (text, start..start + length)
    })
}

proptest! {
    #[test]
    fn any_text_is_drawn_whole_visible_and_underlined_where_its_span_is((text, span) in hard_text()) {
        let fix = DiagnosticFix::edit(FixApplicability::Safe, "fix it", span.clone(), "日\r\n\u{202e}x");
        let finding = fault(DiagnosticLevel::Error, "odd").at(span.clone(), &text).label(0..2, "the \n start").fix(fix);
        let drawn = drawn(&text, std::slice::from_ref(&finding));
        prop_assert_eq!(drawn.chars().find(|c| *c != '\n' && crate::text::is_hidden(*c)), None);

        let source = SourceText::new(text.clone());
        let (start, end) = (source.position(span.start), source.position(source.clamp_span(&span).end));
        let place = format!(" --> pdf/SKILL.md:{}:{}\n", start.line, start.column);
        prop_assert!(drawn.contains(&place), "{}\n{}", place, drawn);

        let bare = drawn_bare(&text, &span);
        let line = bare.lines().find_map(|line| line.strip_prefix(&format!("{} | ", start.line)));
        let marks = bare.lines().find_map(|line| line.trim_start().strip_prefix("| ").filter(|rest| rest.contains('^')));
        if let (Some(line), Some(marks), true) = (line, marks, start.line == end.line) {
            let within = source.clamp_span(&span);
            let look = display::DisplayOptions { max_width: 130, ellipsis: "...", secrets: &[] };
            let shown = display::DisplayText::new(&source, (start.line - 1, start.line - 1), std::slice::from_ref(&within), look);
            let (before, under) = (&shown.text[..shown.offset_of(within.start)], &shown.text[shown.offset_of(within.start)..shown.offset_of(within.end)]);
            prop_assert_eq!(line.trim_end(), shown.text.trim_end());
            let width = |text: &str| text.chars().filter_map(unicode_width::UnicodeWidthChar::width).sum::<usize>();
            prop_assert_eq!(marks.find('^').unwrap(), width(before), "{}", bare);
            prop_assert_eq!(marks.matches('^').count(), width(under).max(1), "{}", bare);
        }
    }
}

fn drawn_bare(text: &str, span: &Span) -> String {
    drawn(
        text,
        &[fault(DiagnosticLevel::Error, "odd").at(span.clone(), text)],
    )
}
