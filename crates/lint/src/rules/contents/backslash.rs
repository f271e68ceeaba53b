//! Paths of the skill's own files that are written with `\`.

use super::target::is_there;
use crate::lint::{Check, Docs, Fixes, Found, Page, Piece, Rule, SkillDir, Subject};
use crate::report::{Applicability, Diagnostic, Fix, Level, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK505",
    name: "backslash-path",
    level: Some(Level::Warning),
    fix: Fixes::Safely,
    summary: "a path of the skill is written with backslashes",
    docs: Docs {
        finds: "A path in `SKILL.md`, in a link or anywhere else but in blocks of PowerShell and of Windows' own shell, that is \
                one of the skill's files once every `\\` in it is `/`.",
        hurts: "Only Windows takes `\\` as what separates directories. Elsewhere a shell drops it, and the agent is told that \
                there is no `scriptsrun.py`.",
        ignore: "The skill is of use on Windows only.",
        bad: &[
            page_and!("Run `python scripts\\fill.py`.\n", ("pdf/scripts/fill.py", Piece::Text("print(1)\n"))),
            page_and!(
                "See [fields](references\\fields.md).\n",
                ("pdf/references/fields.md", Piece::Text("# Fields\n"))
            ),
        ],
        good: &[
            page_and!("Run `python scripts/fill.py`.\n", ("pdf/scripts/fill.py", Piece::Text("print(1)\n"))),
            page_and!(
                "A file is at `C:\\forms`.\n\n```powershell\npython scripts\\fill.py\n```\n",
                ("pdf/scripts/fill.py", Piece::Text("print(1)\n"))
            ),
        ],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    if subject.skill.files.len() < 2 {
        return;
    }
    let start = page.body_start();
    let mut end = 0;
    for at in memchr::memchr_iter(b'\\', page.body().as_bytes()) {
        let at = start + at;
        if at < end {
            continue;
        }
        let (span, next) = word(page.source, at);
        end = next;
        if let Some(path) = path(subject.skill, &page.source[span.clone()]).filter(|_| !is_of_windows(page, at)) {
            let fix = Fix::edit(Applicability::Safe, format!("write `{path}`"), span.clone(), path.clone());
            found.add(page.path, finding(&page.source[span.clone()], &path).at(span, page.source).fix(fix));
        }
    }
}

/// The finding, without its place.
pub(super) fn finding(written: &str, path: &str) -> Diagnostic {
    let told = RULE.finding(format!("the path `{written}` has backslashes"));
    told.note("only Windows takes them as what separates directories").help(format!("write `{path}`"))
}

/// The word around a byte, of what a path can be made of, and from where on there is another.
fn word(source: &str, at: usize) -> (Span, usize) {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '\\' | '/');
    let start = source[..at]
        .rfind(|c| !is_part(c))
        .map_or(0, |before| before + source[before..].chars().next().map_or(1, char::len_utf8));
    let end = source[at..].find(|c| !is_part(c)).map_or(source.len(), |length| at + length);
    let last = start + source[start..end].trim_end_matches(['.', '\\']).len();
    (start..last.max(at + 1), end)
}

/// The path of the skill that these words are with `/`.
fn path(skill: &SkillDir, word: &str) -> Option<String> {
    let forward = word.replace('\\', "/");
    let path = forward.strip_prefix("./").unwrap_or(&forward);
    (path.contains('/') && !path.contains("//") && !path.starts_with('/') && is_there(skill, path)).then_some(forward)
}

fn is_of_windows(page: &Page<'_>, at: usize) -> bool {
    let markdown = page.markdown();
    // A link is told by the look at links.
    let is_linked = markdown.links.iter().any(|link| link.written.contains(&at));
    let block = markdown.blocks.iter().find(|block| block.span.contains(&at));
    let language = block.and_then(|block| block.info.as_deref()).unwrap_or_default().to_ascii_lowercase();
    let of_windows = ["powershell", "pwsh", "ps1", "cmd", "bat", "batch", "dos", "console"];
    is_linked || of_windows.iter().any(|name| language.split_whitespace().next() == Some(*name))
}
