//! Paths that the instructions name and that do not exist in the skill.

use memchr::memmem;

use super::link_target::{SPECIFIED_DIRECTORIES, exists_in_skill, is_placeholder};
use super::nearest_file_name;
use crate::{
    ExampleFile, FindingList, FixAvailability, LintSubject, MarkdownPage, Rule, RuleCheck,
    RuleDocs, SkillDir,
};
use skillpm_core::package::resolve_under;
use skillpm_core::report::{DiagnosticLevel, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK502",
    name: "missing-path-reference",
    level: Some(DiagnosticLevel::Warning),
    fix: FixAvailability::Never,
    summary: "the instructions name a file that does not exist in the skill",
    docs: RuleDocs {
        finds: "A path in backticks in `SKILL.md` that does not exist, if it begins with a directory of the skill, or \
            with `scripts/`, `references/` or `assets/`, and ends in a file with an extension. Code blocks and \
            placeholder paths are ignored.",
        hurts: "An agent runs `scripts/fill.py` as instructed, fails, and makes up a script of its own.",
        ignore: "The path belongs to the project that the skill works on, or to a file that the skill creates there.",
        bad: &[
            page_only!("Run `python scripts/fill.py form.pdf`.\n"),
            page_and!(
                "Read `references/field.md` first.\n",
                ("pdf/references/fields.md", ExampleFile::Text("# Fields\n"))
            ),
            page_and!(
                "Take `layouts/a4.json`.\n",
                ("pdf/layouts/letter.json", ExampleFile::Text("{}\n"))
            ),
        ],
        good: &[
            page_and!(
                "Run `python scripts/fill.py form.pdf`.\n",
                ("pdf/scripts/fill.py", ExampleFile::Text("print(1)\n"))
            ),
            page_only!(
                "Name it `references/<topic>.md`, `scripts/*.py` or `src/main.rs`. That is in `forms`'s `references/all.md`.\n\n```sh\npython scripts/fill.py\n```\n"
            ),
        ],
    },
    check: RuleCheck::Skill(check),
};

fn check(subject: &LintSubject<'_>, found: &mut FindingList) {
    let Some(page) = &subject.page else { return };
    let mut reported: Vec<&str> = Vec::new();

    for folder in top_directories(subject.skill) {
        let needle = [folder, "/"].concat();
        for at in memmem::find_iter(page.body().as_bytes(), &needle) {
            let Some(span) = path_at(page.source, page.body_start() + at) else {
                continue;
            };

            let path = &page.source[span.clone()];
            let is_missing = !reported.contains(&path)
                && !exists_in_skill(subject.skill, path)
                // Last, because it parses the Markdown.
                && is_named(page, &span);
            if is_missing {
                reported.push(path);
                found.add(page.path, finding(subject.skill, page, span.clone()));
            }
        }
    }
}

/// The paths in backticks that begin with a directory of the skill, whether they exist or not.
pub(crate) fn find_named_paths(skill: &SkillDir, page: &MarkdownPage<'_>) -> Vec<Span> {
    let mut spans = Vec::new();
    for folder in top_directories(skill) {
        let needle = [folder, "/"].concat();
        let places = memmem::find_iter(page.body().as_bytes(), &needle);
        let paths = places.filter_map(|at| path_at(page.source, page.body_start() + at));
        spans.extend(paths.filter(|span| is_named(page, span)));
    }
    spans
}

/// The top-level directories that are checked.
fn top_directories(skill: &SkillDir) -> Vec<&str> {
    let mut folders = SPECIFIED_DIRECTORIES.to_vec();
    for file in &skill.files {
        let Some((first, _)) = file.path.split_once('/') else {
            continue;
        };
        // Hidden directories belong to tools: `.github/workflows` is a path in the user's project.
        if !first.starts_with('.') && !folders.contains(&first) {
            folders.push(first);
        }
    }
    folders
}

fn is_path_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/')
}

/// The path that begins at a byte, if it is a file path and not the rest of a longer one.
fn path_at(source: &str, start: usize) -> Option<Span> {
    let bytes = source.as_bytes();
    let before = source[..start].strip_suffix("./").map_or(start, str::len);
    // The rest of a longer path, of a URL or of a variable.
    if before > 0
        && (is_path_byte(bytes[before - 1])
            || matches!(
                bytes[before - 1],
                b'}' | b'>' | b'$' | b'~' | b'\\' | b'*' | b'@' | b':'
            ))
    {
        return None;
    }

    let length = bytes[start..]
        .iter()
        .take_while(|byte| is_path_byte(**byte))
        .count();

    // `references/{name}.md`, `assets/*.png`: a pattern for paths, not a path.
    let next = bytes.get(start + length).copied().unwrap_or(b' ');
    if matches!(next, b'{' | b'<' | b'*' | b'$' | b'[' | b'(' | b'\\') || !next.is_ascii() {
        return None;
    }

    let path = source[start..start + length].trim_end_matches(['.', '/', '-']);
    (has_extension(path) && !is_sample(path) && resolve_under("", path).as_deref() == Some(path))
        .then(|| start..start + path.len())
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else {
        return false;
    };
    !stem.is_empty()
        // Longer than `jsonl` or `ipynb` it is rather the end of a sentence, or a host.
        && (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a path represents many, as `phaseN.md` and `XX-name.md` do.
fn is_sample(path: &str) -> bool {
    let stem = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .split('.')
        .next()
        .unwrap_or(path);
    let is_counted = stem
        .strip_suffix(['N', 'X'])
        .is_some_and(|rest| rest.ends_with(|last: char| !last.is_ascii_uppercase()));

    is_placeholder(path) || is_counted || stem.contains("XX") || stem.contains("NN")
}

/// Whether a path is in backticks and not in a link: links have their own check.
fn is_named(page: &MarkdownPage<'_>, path: &Span) -> bool {
    let before = page.source[..path.start].trim_end_matches('`').trim_end();
    // `the-other-skill`'s `references/x.md`
    if before.ends_with("'s") || before.ends_with("’s") {
        return false;
    }

    let markdown = page.markdown();
    let contains = |span: &Span| span.start <= path.start && path.end <= span.end;
    markdown.inline_code.iter().any(contains)
        && !markdown.links.iter().any(|link| contains(&link.span))
}

fn finding(
    skill: &SkillDir,
    page: &MarkdownPage<'_>,
    span: Span,
) -> skillpm_core::report::Diagnostic {
    let path = &page.source[span.clone()];
    let finding = RULE
        .finding(format!("`{path}` does not exist in the skill"))
        .at_bytes(span);

    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name_in = |file: &'_ str| {
        file.rsplit_once('/')
            .filter(|(other, _)| *other == dir)
            .map(|(_, name)| name.to_owned())
    };

    let siblings: Vec<String> = skill
        .files
        .iter()
        .filter_map(|file| name_in(&file.path))
        .collect();

    match nearest_file_name(name, siblings.iter().map(String::as_str)) {
        Some(meant) => finding.help(format!("did you mean `{dir}/{meant}`?")),
        None => finding.help("add the file, or remove the reference"),
    }
}
