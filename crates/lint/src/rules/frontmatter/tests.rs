//! Tests that the fixes of this group change what they should and nothing else.

use proptest::prelude::*;

use super::RULES;
use crate::{ExampleFile, FileContent, FixAvailability, LintSettings, SkillDir, SkillFile};
use skillpm_core::report::{Diagnostic, DiagnosticFix, FixApplicability, FixChange};
use skillpm_core::skill::SkillFrontmatter;

/// The findings of a single `SKILL.md` in a directory named `pdf`.
fn found(source: &str) -> Vec<Diagnostic> {
    let page = SkillFile {
        path: "SKILL.md".into(),
        content: FileContent::Text(source.into()),
        executable: false,
    };
    let skill = SkillDir {
        directory: "pdf".into(),
        files: vec![page],
        ..SkillDir::default()
    };
    crate::check(&skill, &LintSettings::default())
        .findings
        .into_iter()
        .map(|finding| finding.diagnostic)
        .collect()
}

fn is_ours(found: &Diagnostic) -> bool {
    RULES.iter().any(|rule| rule.name == found.rule)
}

/// Joins the fixes that do not overlap, the first ones first; `None` if there are none.
fn together(source: &str, wanted: impl Fn(&Diagnostic) -> bool) -> Option<DiagnosticFix> {
    let mut changes: Vec<FixChange> = Vec::new();
    let span = |change: &FixChange| match change {
        FixChange::Edit { span, .. } => span.clone(),
        _ => 0..0,
    };
    for fix in found(source)
        .into_iter()
        .filter(wanted)
        .filter_map(|found| found.fix)
    {
        let clear = |new: &FixChange| {
            let new = span(new);
            changes
                .iter()
                .map(span)
                .all(|old| old != new && (old.end <= new.start || new.end <= old.start))
        };
        if fix.changes.iter().all(clear) {
            changes.extend(fix.changes);
        }
    }
    changes.sort_by_key(|change| (span(change).start, span(change).end));
    (!changes.is_empty()).then(|| DiagnosticFix {
        applicability: FixApplicability::Unsafe,
        message: String::new(),
        changes,
    })
}

/// The file after fixing it until no fixes are left.
fn fixed(source: &str, wanted: impl Fn(&Diagnostic) -> bool) -> String {
    let mut source = source.to_owned();
    for _ in 0..12 {
        match together(&source, &wanted) {
            Some(fix) => source = fix.apply(&source),
            None => return source,
        }
    }
    panic!("the fixes do not converge: {source:?}");
}

#[test]
fn rule_with_fixes_fixes_one_of_its_bad_examples_completely() {
    let mut faults = Vec::new();
    for rule in RULES {
        let mut has_fix = false;
        for example in rule
            .docs
            .bad
            .iter()
            .filter(|example| example.files.len() == 1)
        {
            let (_, ExampleFile::Text(text)) = &example.files[0] else {
                continue;
            };
            let crlf = text.replace('\n', "\r\n");
            for source in [(*text).to_owned(), crlf] {
                let is_fixable =
                    |found: &Diagnostic| found.rule == rule.name && found.fix.is_some();
                let Some(fix) = found(&source)
                    .into_iter()
                    .find(is_fixable)
                    .and_then(|found| found.fix)
                else {
                    continue;
                };
                has_fix |= rule.fix != FixAvailability::Safely
                    || fix.applicability == FixApplicability::Safe;
                let after = fixed(&source, |found| found.rule == rule.name);
                if found(&after)
                    .iter()
                    .any(|found| found.rule == rule.name && found.fix.is_some())
                {
                    faults.push(format!("{}: {after:?}", rule.name));
                }
                if source.contains('\r') && after.replace("\r\n", "").contains('\n') {
                    faults.push(format!("{}: line ends of {after:?}", rule.name));
                }
                if SkillFrontmatter::open(&after, &mut Vec::new()).is_none() {
                    faults.push(format!("{}: no frontmatter in {after:?}", rule.name));
                }
            }
        }
        if has_fix != (rule.fix != FixAvailability::Never) {
            faults.push(format!(
                "{}: declares {:?}, which its examples do not show",
                rule.name, rule.fix
            ));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// Checks the result of a rule's fixes on a frontmatter, with the usual two fields before it.
#[track_caller]
fn makes(rule: &str, before: &str, after: &str) {
    let file = |fields: &str| {
        format!("---\nname: pdf\ndescription: Fill PDF forms.\n{fields}---\n\nText.\n")
    };
    assert_eq!(
        fixed(&file(before), |found| found.rule == rule),
        file(after),
        "{before:?}"
    );
    let crlf = |fields: &str| format!("\u{feff}{}", file(fields).replace('\n', "\r\n"));
    assert_eq!(
        fixed(&crlf(before), |found| found.rule == rule),
        crlf(after),
        "with CRLF: {before:?}"
    );
}

#[test]
fn brackets_become_lines_with_quotes_and_comments_as_they_were() {
    let makes = |before, after| makes("yaml-flow-style", before, after);
    makes(
        "tags: [a, 'b, c', \"d\"] # why\n",
        "tags:\n  - a\n  - 'b, c'\n  - \"d\" # why\n",
    );
    makes("tags: []\n", "tags: []\n");
    makes(
        "metadata: {\"openclaw\":{\"emoji\":\"x\",\"requires\":{\"bins\":[\"a\",\"b\"],\"env\":[]}}}\n",
        "metadata:\n  \"openclaw\":\n    \"emoji\": \"x\"\n    \"requires\":\n      \"bins\":\n        - \"a\"\n        - \
         \"b\"\n      \"env\": []\n",
    );
    makes(
        "metadata:\n    a: {b: c}\n    d:\n        - {e: f, g: [h]}\n        - [i, j]\n",
        "metadata:\n    a:\n        b: c\n    d:\n        - e: f\n          g:\n              - h\n        - - i\n          - j\n",
    );
    makes(
        "metadata:\n  {\n    \"a\": 1,\n    \"b\": [2,\n 3],\n  }\n",
        "metadata:\n  \"a\": 1\n  \"b\":\n    - 2\n    - 3\n",
    );
    makes("a: {b, c: , d: ~}\n", "a:\n  b:\n  c:\n  d: ~\n");
    makes("a: [b: c, \"d\ne\"]\n", "a:\n  - b: c\n  - \"d e\"\n");
    makes("a: [b, # why\n  c]\n", "a: [b, # why\n  c]\n");
    makes("a: # why\n  [b, c]\n", "a: # why\n  - b\n  - c\n");
    makes("a: [!!str 1]\n", "a: [!!str 1]\n");
}

#[test]
fn frontmatter_in_brackets_becomes_lines() {
    let before = "---\n{\"name\": \"pdf\", \"description\": \"Fill: forms.\", \"metadata\": {\"a\": \"b\"}}\n---\n\nText.\n";
    let after = "---\n\"name\": \"pdf\"\n\"description\": \"Fill: forms.\"\n\"metadata\":\n  \"a\": \"b\"\n---\n\nText.\n";
    assert_eq!(fixed(before, is_ours), after);
}

#[test]
fn values_get_the_quotes_they_need() {
    makes(
        "yaml-ambiguous-scalar",
        "metadata:\n  version: 1.10 # why\n  on: yes\n",
        "metadata:\n  version: \"1.10\" # why\n  on: yes\n",
    );
    makes(
        "yaml-ambiguous-scalar",
        "version: 2026-01-25\nauthor: no\n",
        "version: \"2026-01-25\"\nauthor: \"no\"\n",
    );
    makes(
        "yaml-comment-truncates",
        "compatibility: needs C # and more \n",
        "compatibility: \"needs C # and more\" \n",
    );
    makes(
        "yaml-comment-truncates",
        "compatibility: needs \"C\" #9\n",
        "compatibility: \"needs \\\"C\\\" #9\"\n",
    );
    makes(
        "yaml-comment-truncates",
        "argument-hint: a file # skillpm: ignore[SK121] why\n",
        "argument-hint: a file # skillpm: ignore[SK121] why\n",
    );
    makes("wrong-type", "license: 2.0\n", "license: \"2.0\"\n");
    makes(
        "wrong-type",
        "user-invocable: 'no'\ndisable-model-invocation: Yes # why\n",
        "user-invocable: false\ndisable-model-invocation: true # why\n",
    );
    makes(
        "wrong-type",
        "metadata: '{\"a\": {\"b\": [1]}}' # why\n",
        "metadata:\n  \"a\":\n    \"b\":\n      - 1 # why\n",
    );
}

#[test]
fn tools_become_one_string() {
    let makes = |before, after| makes("allowed-tools-format", before, after);
    makes(
        "allowed-tools: Read, Bash(git:*,gh:*),Grep # why\n",
        "allowed-tools: Read Bash(git:*,gh:*) Grep # why\n",
    );
    makes(
        "allowed-tools: 'Read, Grep'\n",
        "allowed-tools: 'Read Grep'\n",
    );
    makes(
        "allowed-tools:\n  - Read\n  - \"Bash(git:*)\"\nlicense: MIT\n",
        "allowed-tools: Read Bash(git:*)\nlicense: MIT\n",
    );
    for spaced in [
        "allowed-tools: [\"Bash(stripe *)\", \"Read\"]\n",
        "allowed-tools:\n  - Bash(git add:*)\n",
        "allowed-tools: Read, Bash(git add:*, git rm:*)\n",
        "allowed-tools: 'Read, Agent(a\tb)'\n",
    ] {
        makes(spaced, spaced);
    }
    makes("allowed-tools: [Read, '*']\n", "allowed-tools: Read *\n");
    makes(
        "allowed-tools:\n  - Read # why\n  - Grep\n",
        "allowed-tools:\n  - Read # why\n  - Grep\n",
    );
    makes(
        "allowed-tools:\n  - Read the file\n  - Grep\n",
        "allowed-tools:\n  - Read the file\n  - Grep\n",
    );
}

#[test]
fn fields_are_renamed_and_moved() {
    makes(
        "misspelled-field",
        "allowed_tools: Read\n'Licence' : MIT # why\n",
        "allowed-tools: Read\n'license' : MIT # why\n",
    );
    makes(
        "misspelled-field",
        "license: MIT\nLicence: MIT\n",
        "license: MIT\nLicence: MIT\n",
    );
    makes(
        "inert-field",
        "tools: Read\ntriggers: [a]\n",
        "allowed-tools: Read\ntriggers: [a]\n",
    );
    let moves = |before, after| makes("publish-field-at-top-level", before, after);
    moves(
        "version: 1.0\nlicense: MIT\ntags: [a, b]\n",
        "metadata:\n  version: \"1.0\"\n  tags: a, b\nlicense: MIT\n",
    );
    moves(
        "author: Ann\nmetadata:\n    a: b\n    c: d # why\nlicense: MIT\nversion: '2'\n",
        "metadata:\n    a: b\n    c: d # why\n    author: Ann\n    version: '2'\nlicense: MIT\n",
    );
    moves(
        "metadata: {a: b}\nversion: 1.0.0\n",
        "metadata: {a: b}\nversion: 1.0.0\n",
    );
    moves(
        "metadata:\n  version: 1.0.0\nversion: 2.0.0\n",
        "metadata:\n  version: 1.0.0\nversion: 2.0.0\n",
    );
    moves(
        "homepage: https://a.example\n",
        "homepage: https://a.example\n",
    );
}

#[test]
fn anchors_aliases_and_tags_are_written_out() {
    let makes = |before, after| makes("yaml-anchor-alias-tag", before, after);
    makes(
        "metadata:\n  a: &x Ann # why\n  b: *x\n",
        "metadata:\n  a: Ann # why\n  b: Ann\n",
    );
    makes(
        "m: &x\n  a: [b]\nn: *x\n",
        "m:\n  a: [b]\nn:\n  a:\n    - b\n",
    );
    makes("m: !!str 3\nn: !!map\n  a: b\n", "m: \"3\"\nn:\n  a: b\n");
    makes(
        "compatibility: !important Needs git\n",
        "compatibility: \"!important Needs git\"\n",
    );
    makes(
        "m: &x {a: b}\nn:\n  <<: *x\n",
        "m: &x {a: b}\nn:\n  <<: *x\n",
    );
}

#[test]
fn tabs_that_a_lenient_parser_accepts_become_spaces() {
    makes("yaml-tab", "license:\tMIT\n", "license: MIT\n");
    makes(
        "yaml-tab",
        "metadata:\n  \tauthor: ann\n",
        "metadata:\n    author: ann\n",
    );
    makes(
        "yaml-tab",
        "compatibility: |\n  a\tb\n  \tc\n",
        "compatibility: |\n  a\tb\n  \tc\n",
    );
}

#[test]
fn frontmatter_is_moved_to_the_start_of_the_file() {
    let block = "---\nname: pdf\ndescription: Fill PDF forms.\n---\n";
    for (before, after) in [
        (format!("\n \n{block}Text.\n"), format!("{block}Text.\n")),
        (format!("\u{feff}\n{block}Text.\n"), format!("{block}Text.\n")),
        (format!("# PDF\n\n{block}\nText.\n"), format!("{block}# PDF\n\n\nText.\n")),
        (format!("<!-- ours -->\n{block}Text.\n"), format!("{block}<!-- ours -->\nText.\n")),
        (format!("```yaml\n{block}```\n\nText.\n"), format!("{block}\nText.\n")),
        (format!("```markdown\n{block}\nText.\n```\n"), format!("{block}\nText.\n")),
        (format!("# PDF\n\n```yaml\n{block}```\nText.\n"), format!("{block}# PDF\n\nText.\n")),
        ("name: pdf\ndescription: Fill PDF forms.\n\nText.\n".into(), format!("{block}\nText.\n")),
        ("name: pdf\ndescription: Fill PDF forms.\n---\n\nText.\n".into(), format!("{block}\nText.\n")),
        ("```yaml\nname: pdf\ndescription: Fill PDF forms.\n```\nText.\n".into(), format!("{block}Text.\n")),
        ("name: pdf\ndescription: Fill PDF forms.".into(), block.to_owned()),
        ("---\nname: pdf\ndescription: Fill PDF forms.\n\nText: more.\n".into(), format!("{block}\nText: more.\n")),
        ("---\nname: pdf\ndescription: Fill PDF forms.\n...\nText.\n".into(), format!("{block}Text.\n")),
        ("--- \nname: pdf\ndescription: Fill PDF forms.\n ---\t\nText.\n".into(), format!("{block}Text.\n")),
        (
            "# PDF forms\n\nFill *PDF*\nforms.\n".into(),
            "---\nname: pdf\ndescription: \"Fill PDF forms.\"\n---\n\n# PDF forms\n\nFill *PDF*\nforms.\n".into(),
        ),
    ] {
        assert_eq!(fixed(&before, is_ours), after, "{before:?}");
        let crlf = |text: &str| text.replace('\n', "\r\n");
        assert_eq!(fixed(&crlf(&before), is_ours), crlf(&after), "with CRLF: {before:?}");
    }
}

/// Fields as people write them, right and wrong.
fn fields() -> impl Strategy<Value = String> {
    let field = prop::sample::select(vec![
        "license: MIT\n",
        "Licence: MIT\n",
        "license: 2.0\n",
        "version: 1.0\n",
        "version: 2026-01-25\n",
        "author: &a Ann\n",
        "owner: *a\n",
        "tags: [a, 'b']\n",
        "tags:\n  - a # c\n  - {b: c}\n",
        "metadata: {\"a\": {\"b\": [1, 2]}, \"c\": \"\\uD83D\\uDE00\"}\n",
        "metadata:\n  version: 1.10\n  x: [y]\n",
        "metadata: '{\"a\": 1}'\n",
        "allowed-tools: Read, Grep\n",
        "allowed_tools: [Read, Bash(git:*)]\n",
        "tools: Read\n",
        "compatibility: needs git # and more\n",
        "compatibility: needs: git\n",
        "compatibility: \"needs\" git\n",
        "user-invocable: yes\n",
        "argument-hint: [file] or more\n",
        "argument-hint: [file] # one\n",
        "homepage:\thttps://a.example/#b\n",
        "when_to_use: first line\nsecond line\n",
        "hooks:\n\tStop: a\n",
        "note: a --- b\n",
        "date: !!str 3\n",
        "emoji: !x y\n",
        "# a comment: here\n",
        "\n",
        "a: |\n  text: [more]\n  # text\n",
        "b: {\n  c: d\n}\n",
    ]);
    prop::collection::vec(field, 0..7).prop_map(|fields| fields.concat())
}

proptest! {
    #[test]
    fn safe_fixes_keep_the_values_and_all_fixes_converge(
        fields in fields(),
        crlf in any::<bool>(),
        mark in prop::sample::select(vec!["", "\u{feff}"]),
    ) {
        let source = format!("{mark}---\nname: pdf\ndescription: Fill PDF forms.\n{fields}---\n# Body: [a] --- b\n");
        let source = if crlf { source.replace('\n', "\r\n") } else { source };
        let safe = fixed(&source, |found| {
            is_ours(found) && found.fix.as_ref().is_some_and(|fix| fix.applicability == FixApplicability::Safe)
        });
        let all = fixed(&source, is_ours);
        for after in [&safe, &all] {
            let frontmatter = SkillFrontmatter::open(after, &mut Vec::new());
            prop_assert!(frontmatter.is_some(), "{after:?}");
            let root = frontmatter.unwrap().root;
            prop_assert_eq!(root.get("name").and_then(|node| node.text()), Some("pdf"));
            prop_assert_eq!(root.get("description").and_then(|node| node.text()), Some("Fill PDF forms."));
            prop_assert_eq!(&after[after.find("# Body").unwrap()..], &source[source.find("# Body").unwrap()..]);
            prop_assert!(!crlf || !after.replace("\r\n", "").contains('\n'), "{after:?}");
        }
    }

    #[test]
    fn fixes_of_style_keep_every_value(fields in fields()) {
        let source = format!("---\nname: pdf\ndescription: Fill PDF forms.\n{fields}---\n");
        let before = SkillFrontmatter::open(&source, &mut Vec::new()).unwrap();
        let style = ["yaml-flow-style", "yaml-tab", "yaml-surrogate-escape"];
        for fix in found(&source).into_iter().filter(|f| style.contains(&f.rule.as_str())).filter_map(|f| f.fix) {
            if before.repairs.is_empty() {
                let fixed = fix.apply(&source);
                let after = SkillFrontmatter::open(&fixed, &mut Vec::new()).unwrap();
                prop_assert_eq!(before.root.to_json(), after.root.to_json(), "{:?}", fixed);
            }
        }
    }
}
