//! Where a link leads, held against what is there.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::lint::SkillDir;
use crate::package::resolve_below;

/// What a target comes to.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::lint) enum Lead<'a> {
    /// Somewhere that is not ours to judge: the web, a placeholder, or nothing.
    Elsewhere,
    /// A file or directory of the skill, and what is looked for in it.
    There { path: String, anchor: &'a str },
    /// What is there in another spelling: with `\`, or in other case.
    Nearly { slip: Slip, path: String },
    /// Nothing.
    Nowhere { path: String },
    /// Out of the skill's directory.
    Outside,
    /// An absolute path.
    Absolute,
}

/// How a path is nearly that of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::lint) enum Slip {
    Backslash,
    Case,
}

/// Follows a target from a directory of the skill; `""` is its root.
pub(in crate::lint) fn follow<'a>(skill: &SkillDir, dir: &str, target: &'a str) -> Lead<'a> {
    let target = target.trim();
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    let path = path.split_once('?').map_or(path, |(path, _)| path);
    if is_absolute(target) {
        return Lead::Absolute;
    }
    if has_scheme(target) || target.starts_with("//") || path.is_empty() {
        return Lead::Elsewhere;
    }
    let decoded = percent_decode_str(path).decode_utf8().unwrap_or(Cow::Borrowed(path));
    let forward = decoded.replace('\\', "/");
    let slip = (forward != *decoded).then_some(Slip::Backslash);
    // Some write paths from the file they write in, others from the skill's root; agents find both.
    let below = resolve_below(dir, &forward);
    let candidates = [below.clone(), if dir.is_empty() { None } else { resolve_below("", &forward) }];
    for path in candidates.into_iter().flatten() {
        if is_there(skill, &path) {
            return match slip {
                Some(slip) => Lead::Nearly { slip, path: forward },
                None => Lead::There { path, anchor },
            };
        }
        if let Some(real) = in_other_case(skill, &path) {
            let path = relative(if below.as_ref() == Some(&path) { dir } else { "" }, real);
            return Lead::Nearly { slip: slip.unwrap_or(Slip::Case), path };
        }
    }
    match below {
        _ if is_placeholder(path) || is_page_of_site(skill, path) => Lead::Elsewhere,
        Some(path) => Lead::Nowhere { path },
        None => Lead::Outside,
    }
}

/// The way from a directory of the skill to a path of it.
pub(super) fn relative(dir: &str, path: &str) -> String {
    let from: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    let up = std::iter::repeat_n("..", from.len() - common);
    up.chain(to[common..].iter().copied()).collect::<Vec<_>>().join("/")
}

/// Whether a file, a directory or something of a skill further down lies at a path.
pub(super) fn is_there(skill: &SkillDir, path: &str) -> bool {
    if path.is_empty() || skill.file(path).is_some() {
        return true;
    }
    let is_below = |file: &str| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
    let from = skill.files.partition_point(|file| file.path.as_str() < path);
    // Between a directory and what is in it stand only names that go on with a byte below `/`.
    let near = skill.files[from..].iter().take_while(|file| file.path.starts_with(path));
    near.into_iter().any(|file| is_below(&file.path))
        || skill.nested.iter().any(|page| {
            let dir = page.rsplit_once('/').map_or("", |(dir, _)| dir);
            is_below(page) || path == page || path.strip_prefix(dir).is_some_and(|rest| rest.starts_with('/'))
        })
}

/// Whether a path looks like one of a site: it ends without an extension, and does not begin in a directory of the skill.
fn is_page_of_site(skill: &SkillDir, path: &str) -> bool {
    let last = path.trim_end_matches('/').rsplit('/').next().unwrap_or(path);
    let first = path.trim_start_matches("./").split('/').next().unwrap_or(path);
    !last.contains('.') && first != ".." && !FOLDERS.contains(&first) && !is_there(skill, first)
}

/// The directories that the specification has names for.
///
/// See <https://agentskills.io/specification#optional-directories>.
pub(super) const FOLDERS: [&str; 3] = ["scripts", "references", "assets"];

fn in_other_case<'s>(skill: &'s SkillDir, path: &str) -> Option<&'s str> {
    skill.files.iter().map(|file| file.path.as_str()).find(|file| file.eq_ignore_ascii_case(path))
}

fn has_scheme(target: &str) -> bool {
    let Some((scheme, _)) = target.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// `/abs`, `C:\x`, `~/x` and `file://x`.
fn is_absolute(target: &str) -> bool {
    let bytes = target.as_bytes();
    let is_drive =
        bytes.len() > 2 && bytes[0].is_ascii_alphabetic() && bytes[1] == b':' && matches!(bytes[2], b'/' | b'\\');
    let is_rooted = bytes.first() == Some(&b'/') && bytes.len() > 1 && bytes[1] != b'/';
    let is_file = bytes.len() > 5 && bytes[..5].eq_ignore_ascii_case(b"file:");
    (is_drive || is_rooted || is_file || target.starts_with("~/")) && !is_placeholder(target)
}

/// Whether a path only shows what a path looks like.
pub(super) fn is_placeholder(path: &str) -> bool {
    let marks = |byte: u8| {
        matches!(byte, b'{' | b'}' | b'<' | b'>' | b'$' | b'*' | b'[' | b']' | b'|' | b'"' | b'\'' | b',' | b'@')
    };
    if path.bytes().any(marks) || path.contains("...") || path.contains('…') {
        return true;
    }
    let lower = path.to_ascii_lowercase();
    let is_word = !lower.contains(['/', '.', '\\']);
    is_word
        || PLACEHOLDERS.iter().any(|word| lower.contains(word))
        || lower.split(['/', '\\']).any(|part| SAMPLES.contains(&part.split('.').next().unwrap_or(part)))
}

/// What only a path that shows something has in it.
const PLACEHOLDERS: [&str; 15] = [
    "path/to",
    "path-to",
    "path_to",
    "your-",
    "your_",
    "my-",
    "my_",
    "xxx",
    "yyyy",
    "example",
    "placeholder",
    "/foo",
    "foo/",
    "sample",
    "/to/",
];

/// Names that no real file has, whatever follows their first dot.
const SAMPLES: [&str; 20] = [
    "foo",
    "bar",
    "baz",
    "url",
    "link",
    "file",
    "filename",
    "file1",
    "file2",
    "file-name",
    "image",
    "img",
    "page",
    "doc",
    "document",
    "path",
    "some-file",
    "another-file",
    "target",
    "name",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{Content, File};

    fn skill(paths: &[&str], nested: &[&str]) -> SkillDir {
        let file =
            |path: &&str| File { path: (*path).to_owned(), content: Content::Text(String::new()), executable: false };
        let mut files: Vec<File> = paths.iter().map(file).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        SkillDir { files, nested: nested.iter().map(|path| (*path).to_owned()).collect(), ..SkillDir::default() }
    }

    #[test]
    fn a_target_is_followed_as_whoever_reads_the_file_would() {
        let skill = skill(
            &["SKILL.md", "a b.md", "references/x.md", "references-old.md", "references/Deep/y.md"],
            &["sub/SKILL.md"],
        );
        let there = |path: &str| Lead::There { path: path.into(), anchor: "" };
        let nowhere = |path: &str| Lead::Nowhere { path: path.into() };
        for (dir, target, lead) in [
            ("", "references/x.md", there("references/x.md")),
            ("", "./references/../a%20b.md?raw=1", there("a b.md")),
            ("", "references/x.md#top", Lead::There { path: "references/x.md".into(), anchor: "top" }),
            ("", "references", there("references")),
            ("", "references/", there("references")),
            ("", "sub/scripts/run.py", there("sub/scripts/run.py")),
            ("references", "x.md", there("references/x.md")),
            ("references", "references/x.md", there("references/x.md")),
            ("references", "../SKILL.md", there("SKILL.md")),
            ("references", "z.md", nowhere("references/z.md")),
            ("", "references/z.md", nowhere("references/z.md")),
            ("", "references\\x.md", Lead::Nearly { slip: Slip::Backslash, path: "references/x.md".into() }),
            ("", "References/X.md", Lead::Nearly { slip: Slip::Case, path: "references/x.md".into() }),
            ("references", "deep/y.md", Lead::Nearly { slip: Slip::Case, path: "Deep/y.md".into() }),
            ("", "../other/SKILL.md", Lead::Outside),
            ("references", "../../x.md", Lead::Outside),
            ("", "/etc/passwd.md", Lead::Absolute),
            ("", "file:///home/a/x.md", Lead::Absolute),
            ("", "C:\\docs\\x.md", Lead::Absolute),
            ("", "https://x.dev/y.md", Lead::Elsewhere),
            ("", "mailto:a@x.dev", Lead::Elsewhere),
            ("", "//x.dev/y", Lead::Elsewhere),
            ("", "path/to/x.md", Lead::Elsewhere),
            ("", "{name}.md", Lead::Elsewhere),
            ("", "<file>", Lead::Elsewhere),
            ("", "...", Lead::Elsewhere),
            ("", "url", Lead::Elsewhere),
            ("", "", Lead::Elsewhere),
        ] {
            assert_eq!(follow(&skill, dir, target), lead, "{dir:?} {target}");
        }
    }

    #[test]
    fn the_way_back_is_found() {
        assert_eq!(relative("references/deep", "references/x.md"), "../x.md");
        assert_eq!(relative("", "references/x.md"), "references/x.md");
        assert_eq!(relative("scripts", "references/x.md"), "../references/x.md");
    }
}
