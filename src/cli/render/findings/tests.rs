//! What people see, whole.

use anstream::adapter::strip_str;
use snapbox::{IntoData as _, assert_data_eq, str};

use super::*;
use crate::report::{Applicability, Change, Fix, Level};

/// One finding of a rule that is in no table.
fn fault(level: Level, message: &str) -> Diagnostic {
    Diagnostic::new("a-rule", level, message)
}

/// Where `needle` stands, which it does once.
#[track_caller]
fn place(text: &str, needle: &str) -> Span {
    assert_eq!(text.matches(needle).count(), 1, "{needle:?}");
    let start = text.find(needle).unwrap();
    start..start + needle.len()
}

/// Findings about one file as a pipe gets them.
fn drawn(text: &str, diagnostics: &[Diagnostic]) -> String {
    drawn_as(text, diagnostics, Drawing::default())
}

fn drawn_as(text: &str, diagnostics: &[Diagnostic], drawing: Drawing) -> String {
    let finding = |diagnostic: &Diagnostic| Finding { path: "pdf/SKILL.md".into(), diagnostic: diagnostic.clone() };
    let findings: Vec<Finding> = diagnostics.iter().map(finding).collect();
    let sources = |_: &str| Some(text.to_owned());
    let drawn: String = by_file(&findings, sources).map(|file| human(&file, drawing)).collect();
    strip_str(&drawn).to_string()
}

/// One span of a file, underlined.
#[track_caller]
fn underlined(text: &str, needle: &str) -> String {
    drawn(text, &[fault(Level::Warning, "look here").at(place(text, needle), text)])
}

#[test]
fn a_finding_has_its_place_its_lines_who_breaks_and_the_remedy() {
    let text = "---\nname: pdf\ndescription: Fill forms: all of them\n---\n";
    let colon = place(text, ": all");
    let value = place(text, "Fill forms: all of them");
    let finding = Diagnostic::new("body-empty", Level::Error, "unquoted `: ` makes the frontmatter invalid YAML")
        .at(colon.start..colon.start + 1, text)
        .label(colon.start..colon.start + 1, "YAML starts a nested mapping here")
        .label(value.start..colon.start, "this is its key then")
        .note("Codex and `npx skills` drop this skill")
        .help("put the description between quotes")
        .fix(Fix::edit(Applicability::Safe, "quote the value", value, "\"Fill forms: all of them\""));
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
    let findings =
        [place(text, "---\r\nname"), place(text, "name"), place(text, "pdf\r\n"), place(text, "\r\nname"), 0..3]
            .map(|span| fault(Level::Error, "look here").at(span, text));
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
fn what_hides_or_acts_is_spelled_out_and_underlined_as_shown() {
    let text = "a\u{202e}b \u{1b}[31m c\u{200b}d e\u{e0041}f \u{7f} x\u{ad}y \r z \u{fe01} end\n";
    let findings = ["\u{202e}", "\u{1b}[31m", "\u{200b}", "\u{e0041}", "end"]
        .map(|needle| fault(Level::Warning, &format!("{needle} is here")).at(place(text, needle), text));
    let drawn = drawn(text, &findings);
    let raw = drawn.chars().any(|c| c != '\n' && (c.is_control() || crate::catalog::text::is_hidden(c)));
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
    let text = "👨\u{200d}👩\u{200d}👧 ❤\u{fe0f} 1\u{fe0f}\u{20e3} می\u{200c}خواهم a\u{200d}b end\n";
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
fn a_long_line_is_cut_around_what_matters() {
    let text = format!("description: {}needle{} end\n", "word ".repeat(600), " 日本語".repeat(600));
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
    let long = place(&text, text.trim_end().strip_prefix("description: ").unwrap());
    let finding = fault(Level::Error, "it is too long").at(long.clone(), &text);
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
    let narrow = Drawing { width: 60, unicode: true };
    let finding = fault(Level::Error, "it ends badly").at(long.end - 3..long.end, &text).label(0..11, "of this");
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
    let finding = fault(Level::Note, "many lines").at(start..text.len() - 4, &text);
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
    let text = format!("first\n{}second\n{}third\n", "x\n".repeat(30), "x\n".repeat(4000));
    let finding = fault(Level::Warning, "thrice the same")
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
    let finding = fault(Level::Warning, "the file is odd").note("nobody reads it").help("delete it");
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
    let findings = [4..4, 7..7, 900..901].map(|span| fault(Level::Warning, "look here").at(span, text));
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
        drawn("", &[fault(Level::Error, "nothing is here").at(0..0, "")]),
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
    let secret = Diagnostic::new("secret-leak", Level::Error, "a token is here")
        .at(token.clone(), text)
        .fix(Fix::edit(Applicability::Unsafe, "take it out", token, "$TOKEN"));
    let address = fault(Level::Warning, "an address").at(place(text, "http://1.2.3.4/"), text);
    let drawn = drawn(text, &[secret, address]);
    assert!(!drawn.contains("0123"), "{drawn}");
    assert_data_eq!(
        drawn,
        str![[r#"
error[secret-leak]: a token is here
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
fn a_fix_is_shown_as_the_lines_that_come_of_it() {
    let text = "---\r\nname: PDF Tools\r\nversion: 1\r\n---\r\n";
    let edit = |needle: &str, content: &str| Change::Edit { span: place(text, needle), content: content.to_owned() };
    let fix = |message: &str, applicability, changes| {
        fault(Level::Warning, "look here").at(place(text, "name"), text).fix(Fix {
            applicability,
            message: message.to_owned(),
            changes,
        })
    };
    let (safe, guess) = (Applicability::Safe, Applicability::Unsafe);
    let several = vec![edit("PDF Tools", "pdf-tools"), edit("1", "\"1\"")];
    let many = (0..7).map(|at| Change::Edit { span: at..at, content: "x".into() }).collect();
    let append = Change::AppendLine { path: ".skillpmignore".into(), line: "*.pyc".into() };
    let findings = [
        fix("write it in lower case", guess, vec![edit("PDF Tools", "pdf-tools")]),
        fix("take the line out", safe, vec![edit("version: 1\r\n", "")]),
        fix("put a line in", safe, vec![Change::Edit { span: 5..5, content: "license: MIT\r\n".into() }]),
        fix("mend both", safe, several),
        fix("mend all", safe, many),
        fix("rename it to `SKILL.md`", safe, vec![Change::Rename { to: "SKILL.md".into() }]),
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
help: mend both [*]
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
help: mend all, in 7 places [*]

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
fn a_file_that_is_gone_leaves_the_place() {
    let text = "one\ntwo\n";
    let finding = Finding { path: "a\u{1b}b/SKILL.md".into(), diagnostic: fault(Level::Error, "odd").at(4..7, text) };
    let drawn: String = by_file(&[finding], |_: &str| None).map(|file| human(&file, Drawing::default())).collect();
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
    let finding = |path: &str, start: usize| Finding {
        path: path.to_owned(),
        diagnostic: fault(Level::Error, "odd").at(start..start + 1, "abc"),
    };
    let findings = [finding("b", 1), finding("a", 2), finding("b", 0)];
    let files: Vec<(String, Vec<usize>)> = by_file(&findings, |_: &str| None)
        .map(|file| {
            (file.path.to_owned(), file.findings.iter().map(|found| found.span.as_ref().unwrap().start).collect())
        })
        .collect();
    assert_eq!(files, [("a".to_owned(), vec![2]), ("b".to_owned(), vec![0, 1])]);
}
