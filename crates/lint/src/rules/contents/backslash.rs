//! Paths of the skill's files with `\` as separator.

use super::link_target::exists_in_skill;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, SkillDir,
};
use skillpm_core::report::{Diagnostic, DiagnosticFix, DiagnosticLevel, FixApplicability, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK505",
    name: "backslash-path",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Safely,
    summary: "a path of the skill is written with backslashes",
    docs: RuleDocs {
        finds: "A path in `SKILL.md`, in a link or anywhere else except in blocks of PowerShell and the Windows \
            command shell, that is one of the skill's files once every `\\` in it is `/`.",
        hurts: "Only Windows accepts `\\` as a path separator. Elsewhere a shell removes it, and `scriptsrun.py` is \
            not found.",
        ignore: "The skill is for Windows only.",
        bad: &[
            page_and!(
                "Run `python scripts\\fill.py`.\n",
                ("pdf/scripts/fill.py", ExampleFile::Text("print(1)\n"))
            ),
            page_and!(
                "See [fields](references\\fields.md).\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
            ),
        ],
        good: &[
            page_and!(
                "Run `python scripts/fill.py`.\n",
                ("pdf/scripts/fill.py", ExampleFile::Text("print(1)\n"))
            ),
            page_and!(
                "A file is at `C:\\forms`.\n\n```powershell\npython scripts\\fill.py\n```\n",
                ("pdf/scripts/fill.py", ExampleFile::Text("print(1)\n"))
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    // A skill of one file has no other file to refer to.
    if subject.skill.files.len() < 2 {
        return;
    }

    let start = page.body_start();
    let mut end = 0;
    for at in memchr::memchr_iter(b'\\', page.body().as_bytes()) {
        let at = start + at;
        // A word with several backslashes is one path.
        if at < end {
            continue;
        }

        let (span, next) = word_at(page.source, at);
        end = next;
        if let Some(path) = skill_path(subject.skill, &page.source[span.clone()])
            .filter(|_| !is_windows_text(page, at))
        {
            let fix = DiagnosticFix::edit(
                FixApplicability::Safe,
                format!("write `{path}`"),
                span.clone(),
                path.clone(),
            );
            found.add(
                page.path,
                finding(&page.source[span.clone()], &path)
                    .at_bytes(span)
                    .fix(fix),
            );
        }
    }
}

/// Builds the finding, without its place.
pub(super) fn finding(written: &str, path: &str) -> Diagnostic {
    let finding = RULE.finding(format!("the path `{written}` contains backslashes"));
    finding
        .note("only Windows accepts `\\` as a path separator")
        .help(format!("write `{path}`"))
}

/// The word of path characters around a byte, and where the search for the next one begins.
fn word_at(source: &str, at: usize) -> (Span, usize) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '\\' | '/');
    let start = source[..at].rfind(|c| !is_part(c)).map_or(0, |before| {
        before + source[before..].chars().next().map_or(1, char::len_utf8)
    });
    let end = source[at..]
        .find(|c| !is_part(c))
        .map_or(source.len(), |length| at + length);

    let last = start + source[start..end].trim_end_matches(['.', '\\']).len();
    // A full stop or a backslash at the end belongs to the sentence.
    (start..last.max(at + 1), end)
}

/// The path with `/` instead of `\`, if the skill has it.
fn skill_path(skill: &SkillDir, word: &str) -> Option<String> {
    let forward = word.replace('\\', "/");
    let path = forward.strip_prefix("./").unwrap_or(&forward);
    // Only an existing file makes it a path: `\n` and `\d` are backslashes too.
    (path.contains('/')
        && !path.contains("//")
        && !path.starts_with('/')
        && exists_in_skill(skill, path))
    .then_some(forward)
}

fn is_windows_text(page: &MarkdownPage<'_>, at: usize) -> bool {
    let markdown = page.markdown();
    // Links are reported by the check of links.
    let is_linked = markdown
        .links
        .iter()
        .any(|link| link.target_span.contains(&at));

    let block = markdown
        .code_blocks
        .iter()
        .find(|block| block.span.contains(&at));
    let language = block
        .and_then(|block| block.info.as_deref())
        .unwrap_or_default()
        .to_ascii_lowercase();

    let of_windows = [
        "powershell",
        "pwsh",
        "ps1",
        "cmd",
        "bat",
        "batch",
        "dos",
        "console",
    ];

    is_linked
        || of_windows
            .iter()
            .any(|name| language.split_whitespace().next() == Some(*name))
}
