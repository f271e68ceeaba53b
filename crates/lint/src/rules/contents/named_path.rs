//! Paths of the skill that its instructions name, and that are not there.

use memchr::memmem;

use super::target::{FOLDERS, is_placeholder, is_there};
use crate::error::nearest;
use crate::lint::{Check, Docs, Fixes, Found, Page, Piece, Rule, SkillDir, Subject};
use crate::package::resolve_below;
use crate::report::{Level, Span};

pub(super) static RULE: Rule = Rule {
    code: "SK502",
    name: "missing-path-reference",
    level: Some(Level::Warning),
    fix: Fixes::Never,
    summary: "the instructions name a file of the skill that is not there",
    docs: Docs {
        finds: "A path between backticks in `SKILL.md` at which there is no file, if it begins with a directory that the skill \
                has, or with `scripts/`, `references/` or `assets/`, and ends in a file with an extension. Blocks of code and \
                paths that only show what a path looks like are passed over.",
        hurts: "An agent runs `scripts/fill.py` because it was told to, fails, and makes up a script of its own.",
        ignore: "The path is one of the project that the skill works on, or of a file that it makes there.",
        bad: &[
            page_only!("Run `python scripts/fill.py form.pdf`.\n"),
            page_and!("Read `references/field.md` first.\n", ("pdf/references/fields.md", Piece::Text("# Fields\n"))),
            page_and!("Take `layouts/a4.json`.\n", ("pdf/layouts/letter.json", Piece::Text("{}\n"))),
        ],
        good: &[
            page_and!("Run `python scripts/fill.py form.pdf`.\n", ("pdf/scripts/fill.py", Piece::Text("print(1)\n"))),
            page_only!(
                "Name it `references/<topic>.md`, `scripts/*.py` or `src/main.rs`. That is in `forms`'s `references/all.md`.\n\n```sh\npython scripts/fill.py\n```\n"
            ),
        ],
    },
    check: Check::Skill(check),
};

fn check(subject: &Subject<'_>, found: &mut Found) {
    let Some(page) = &subject.page else { return };
    let mut told: Vec<&str> = Vec::new();
    for folder in folders(subject.skill) {
        let needle = [folder, "/"].concat();
        for at in memmem::find_iter(page.body().as_bytes(), &needle) {
            let Some(span) = path_at(page.source, page.body_start() + at) else { continue };
            let path = &page.source[span.clone()];
            let is_fault = !told.contains(&path) && !is_there(subject.skill, path) && is_named(page, &span);
            if is_fault {
                told.push(path);
                found.add(page.path, finding(subject.skill, page, span.clone()));
            }
        }
    }
}

/// The directories that paths of the skill begin with.
fn folders(skill: &SkillDir) -> Vec<&str> {
    let mut folders = FOLDERS.to_vec();
    for file in &skill.files {
        let Some((first, _)) = file.path.split_once('/') else { continue };
        if !first.starts_with('.') && !folders.contains(&first) {
            folders.push(first);
        }
    }
    folders
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'/')
}

/// The path that begins at a byte, if it is one of a file, and of nothing that goes on before it.
fn path_at(source: &str, start: usize) -> Option<Span> {
    let bytes = source.as_bytes();
    let before = source[..start].strip_suffix("./").map_or(start, str::len);
    if before > 0
        && (is_part(bytes[before - 1])
            || matches!(bytes[before - 1], b'}' | b'>' | b'$' | b'~' | b'\\' | b'*' | b'@' | b':'))
    {
        return None;
    }
    let length = bytes[start..].iter().take_while(|byte| is_part(**byte)).count();
    let next = bytes.get(start + length).copied().unwrap_or(b' ');
    if matches!(next, b'{' | b'<' | b'*' | b'$' | b'[' | b'(' | b'\\') || !next.is_ascii() {
        return None;
    }
    let path = source[start..start + length].trim_end_matches(['.', '/', '-']);
    (has_extension(path) && !is_sample(path) && resolve_below("", path).as_deref() == Some(path))
        .then(|| start..start + path.len())
}

fn has_extension(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let Some((stem, extension)) = name.rsplit_once('.') else { return false };
    !stem.is_empty()
        && (1..=5).contains(&extension.len())
        && extension.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && extension.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a path stands for many, as `phaseN.md` and `XX-name.md` do.
fn is_sample(path: &str) -> bool {
    let stem = path.rsplit('/').next().unwrap_or(path).split('.').next().unwrap_or(path);
    let is_counted =
        stem.strip_suffix(['N', 'X']).is_some_and(|rest| rest.ends_with(|last: char| !last.is_ascii_uppercase()));
    is_placeholder(path) || is_counted || stem.contains("XX") || stem.contains("NN")
}

/// Whether a path stands between backticks, and in no link: that is told by the look at links.
fn is_named(page: &Page<'_>, path: &Span) -> bool {
    let before = page.source[..path.start].trim_end_matches('`').trim_end();
    // `the-other-skill`'s `references/x.md`
    if before.ends_with("'s") || before.ends_with("’s") {
        return false;
    }
    let markdown = page.markdown();
    let holds = |span: &Span| span.start <= path.start && path.end <= span.end;
    markdown.code.iter().any(holds) && !markdown.links.iter().any(|link| holds(&link.span))
}

fn finding(skill: &SkillDir, page: &Page<'_>, span: Span) -> crate::report::Diagnostic {
    let path = &page.source[span.clone()];
    let told = RULE.finding(format!("`{path}` is named here, and is not in the skill")).at(span, page.source);
    let (dir, name) = path.rsplit_once('/').unwrap_or(("", path));
    let name_in =
        |file: &'_ str| file.rsplit_once('/').filter(|(other, _)| *other == dir).map(|(_, name)| name.to_owned());
    let beside: Vec<String> = skill.files.iter().filter_map(|file| name_in(&file.path)).collect();
    match nearest(name, beside.iter().map(String::as_str)) {
        Some(meant) => told.help(format!("write `{dir}/{meant}`, if that is what is meant")),
        None => told.help("add the file, or do not name it"),
    }
}
