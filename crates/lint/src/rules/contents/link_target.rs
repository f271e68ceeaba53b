//! Resolves link targets against the files of the skill.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

use crate::SkillDir;
use skillpm_core::package::resolve_under;

/// The result of resolving a target.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum ResolvedLink<'a> {
    /// A target that is not checked: a URL, a placeholder, or empty.
    Unchecked,
    /// A file or directory of the skill, and the anchor in it.
    Existing { path: String, anchor: &'a str },
    /// A file that exists with another spelling: with `/`, or in another case.
    NearMiss { typo: PathTypo, path: String },
    /// A file that does not exist.
    Missing { path: String },
    /// A path outside the skill's directory.
    Outside,
    /// An absolute path.
    Absolute,
}

/// How a path differs from that of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathTypo {
    Backslash,
    Case,
}

/// Resolves a target relative to a directory of the skill; `""` is its root.
pub(crate) fn resolve_link<'a>(skill: &SkillDir, dir: &str, target: &'a str) -> ResolvedLink<'a> {
    let target = target.trim();
    let (path, anchor) = target.split_once('#').unwrap_or((target, ""));
    // `image.png?raw=true`, as on GitHub, is the file.
    let path = path.split_once('?').map_or(path, |(path, _)| path);

    if is_absolute(target) {
        return ResolvedLink::Absolute;
    }
    if has_scheme(target) || target.starts_with("//") || path.is_empty() {
        return ResolvedLink::Unchecked;
    }

    let (forward, slip) = decode_path(path);
    // Some paths are relative to the file, others to the skill's root; agents find both.
    let below = resolve_under(dir, &forward);
    let found = below
        .as_deref()
        .and_then(|path| find_spelling(skill, dir, path))
        .or_else(|| find_from_root(skill, dir, &forward));

    if let Some(found) = found {
        return found.into_link(slip, forward, anchor);
    }
    // Only a path that was not found can be a placeholder or a page of a site.
    if is_placeholder(path) || looks_like_site_page(skill, path) {
        return ResolvedLink::Unchecked;
    }
    below.map_or(ResolvedLink::Outside, |path| ResolvedLink::Missing { path })
}

/// Decodes `%20` and the like, and writes `/` for each `\`, which is reported.
fn decode_path(path: &str) -> (String, Option<PathTypo>) {
    let decoded = percent_decode_str(path)
        .decode_utf8()
        .unwrap_or(Cow::Borrowed(path));
    let forward = decoded.replace('\\', "/");
    let slip = (forward != *decoded).then_some(PathTypo::Backslash);
    (forward, slip)
}

/// Finds a path of a file in a subdirectory that is written as if the file were at the skill's root.
fn find_from_root(skill: &SkillDir, dir: &str, path: &str) -> Option<FoundPath> {
    if dir.is_empty() {
        return None;
    }
    find_spelling(skill, "", &resolve_under("", path)?)
}

/// A path that the skill has.
enum FoundPath {
    Exact(String),
    /// The path of the file in its real case, relative to the base.
    OtherCase(String),
}

impl FoundPath {
    /// The result for a path with a slip, which is written `forward` once that is corrected.
    fn into_link(self, slip: Option<PathTypo>, forward: String, anchor: &str) -> ResolvedLink<'_> {
        match (self, slip) {
            (FoundPath::Exact(path), None) => ResolvedLink::Existing { path, anchor },
            (FoundPath::Exact(_), Some(typo)) => ResolvedLink::NearMiss {
                typo,
                path: forward,
            },
            // One fix corrects both; the backslash is what breaks on more systems.
            (FoundPath::OtherCase(path), slip) => ResolvedLink::NearMiss {
                typo: slip.unwrap_or(PathTypo::Case),
                path,
            },
        }
    }
}

/// Finds a path, which was resolved from a base directory, among the files of the skill.
fn find_spelling(skill: &SkillDir, base: &str, path: &str) -> Option<FoundPath> {
    if exists_in_skill(skill, path) {
        return Some(FoundPath::Exact(path.to_owned()));
    }

    // macOS and Windows open it anyway; Linux does not. The path is written from where the link
    // was resolved, so that the fix keeps its style.
    let real = find_in_other_case(skill, path)?;
    Some(FoundPath::OtherCase(relative_path(base, real)))
}

/// The relative path from a directory of the skill to one of its files.
pub(super) fn relative_path(dir: &str, path: &str) -> String {
    let from: Vec<&str> = dir.split('/').filter(|part| !part.is_empty()).collect();
    let to: Vec<&str> = path.split('/').collect();
    let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
    // The common prefix is omitted, the rest of `dir` becomes `..`.
    let up = std::iter::repeat_n("..", from.len() - common);
    up.chain(to[common..].iter().copied())
        .collect::<Vec<_>>()
        .join("/")
}

/// Whether the skill has a file, a directory or a part of a nested skill at a path.
pub(crate) fn exists_in_skill(skill: &SkillDir, path: &str) -> bool {
    if path.is_empty() || skill.file(path).is_some() {
        return true;
    }

    let from = skill
        .files
        .partition_point(|file| file.path.as_str() < path);

    // Between a directory and its files only names with a byte less than `/` after the prefix sort.
    let near = skill.files[from..]
        .iter()
        .take_while(|file| file.path.starts_with(path));

    near.into_iter().any(|file| is_under(&file.path, path))
        || skill.nested.iter().any(|page| {
            let dir = page.rsplit_once('/').map_or("", |(dir, _)| dir);
            is_under(page, path) || path == page || is_under(path, dir)
        })
}

fn is_under(path: &str, dir: &str) -> bool {
    path.strip_prefix(dir)
        .is_some_and(|rest| rest.starts_with('/'))
}

/// Whether a path looks like a page of a site: without an extension, and not in a directory of the skill.
fn looks_like_site_page(skill: &SkillDir, path: &str) -> bool {
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or(path);
    let first = path
        .trim_start_matches("./")
        .split('/')
        .next()
        .unwrap_or(path);

    // `docs/guide` and `/pricing` are pages of a site; a file of a skill has an extension.
    !last.contains('.')
        && first != ".."
        && !SPECIFIED_DIRECTORIES.contains(&first)
        && !exists_in_skill(skill, first)
}

/// The directories that the specification names.
///
/// See <https://agentskills.io/specification#optional-directories>.
pub(super) const SPECIFIED_DIRECTORIES: [&str; 3] = ["scripts", "references", "assets"];

fn find_in_other_case<'s>(skill: &'s SkillDir, path: &str) -> Option<&'s str> {
    skill
        .files
        .iter()
        .map(|file| file.path.as_str())
        .find(|file| file.eq_ignore_ascii_case(path))
}

fn has_scheme(target: &str) -> bool {
    // `mailto:` and `vscode:` have no `//`.
    let Some((scheme, _)) = target.split_once(':') else {
        return false;
    };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

/// `/abs`, `C:\x`, `~/x` and `file://x`.
fn is_absolute(target: &str) -> bool {
    let bytes = target.as_bytes();
    let is_drive = bytes.len() > 2
        && bytes[0].is_ascii_alphabetic()
        && bytes[1] == b':'
        && matches!(bytes[2], b'/' | b'\\');
    let is_rooted = bytes.first() == Some(&b'/') && bytes.len() > 1 && bytes[1] != b'/';
    let is_file = bytes.len() > 5 && bytes[..5].eq_ignore_ascii_case(b"file:");

    // `/path/to/file` shows a form, not a place.
    (is_drive || is_rooted || is_file || target.starts_with("~/")) && !is_placeholder(target)
}

/// Whether a path is a placeholder for other paths.
pub(super) fn is_placeholder(path: &str) -> bool {
    if path.contains(PLACEHOLDER_CHARS) || path.contains("...") || path.contains('…') {
        return true;
    }

    let lower = path.to_ascii_lowercase();
    // A bare word, as in `[text](url)`, is not a path.
    let is_word = !lower.contains(['/', '.', '\\']);

    is_word
        || PLACEHOLDERS.iter().any(|word| lower.contains(word))
        || lower
            .split(['/', '\\'])
            .any(|part| SAMPLE_NAMES.contains(&part.split('.').next().unwrap_or(part)))
}

/// Characters of placeholder paths: `{name}.md`, `<file>`, `*.png`.
const PLACEHOLDER_CHARS: [char; 13] = [
    '{', '}', '<', '>', '$', '*', '[', ']', '|', '"', '\'', ',', '@',
];

/// Substrings of placeholder paths.
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

/// Placeholder file names, with any extension.
const SAMPLE_NAMES: [&str; 20] = [
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
    use crate::{FileContent, SkillFile};

    fn skill(paths: &[&str], nested: &[&str]) -> SkillDir {
        let file = |path: &&str| SkillFile {
            path: (*path).to_owned(),
            content: FileContent::Text(String::new()),
            executable: false,
        };
        let mut files: Vec<SkillFile> = paths.iter().map(file).collect();
        files.sort_by(|a, b| a.path.cmp(&b.path));
        SkillDir {
            files,
            nested: nested.iter().map(|path| (*path).to_owned()).collect(),
            ..SkillDir::default()
        }
    }

    #[test]
    fn targets_are_resolved_as_a_reader_of_the_file_would() {
        let skill = skill(
            &[
                "SKILL.md",
                "a b.md",
                "references/x.md",
                "references-old.md",
                "references/Deep/y.md",
            ],
            &["sub/SKILL.md"],
        );
        let existing = |path: &str| ResolvedLink::Existing {
            path: path.into(),
            anchor: "",
        };
        let missing = |path: &str| ResolvedLink::Missing { path: path.into() };
        for (dir, target, lead) in [
            ("", "references/x.md", existing("references/x.md")),
            ("", "./references/../a%20b.md?raw=1", existing("a b.md")),
            (
                "",
                "references/x.md#top",
                ResolvedLink::Existing {
                    path: "references/x.md".into(),
                    anchor: "top",
                },
            ),
            ("", "references", existing("references")),
            ("", "references/", existing("references")),
            ("", "sub/scripts/run.py", existing("sub/scripts/run.py")),
            ("references", "x.md", existing("references/x.md")),
            ("references", "references/x.md", existing("references/x.md")),
            ("references", "../SKILL.md", existing("SKILL.md")),
            ("references", "z.md", missing("references/z.md")),
            ("", "references/z.md", missing("references/z.md")),
            (
                "",
                "references\\x.md",
                ResolvedLink::NearMiss {
                    typo: PathTypo::Backslash,
                    path: "references/x.md".into(),
                },
            ),
            (
                "",
                "References/X.md",
                ResolvedLink::NearMiss {
                    typo: PathTypo::Case,
                    path: "references/x.md".into(),
                },
            ),
            (
                "references",
                "deep/y.md",
                ResolvedLink::NearMiss {
                    typo: PathTypo::Case,
                    path: "Deep/y.md".into(),
                },
            ),
            ("", "../other/SKILL.md", ResolvedLink::Outside),
            ("references", "../../x.md", ResolvedLink::Outside),
            ("", "/etc/passwd.md", ResolvedLink::Absolute),
            ("", "file:///home/a/x.md", ResolvedLink::Absolute),
            ("", "C:\\docs\\x.md", ResolvedLink::Absolute),
            ("", "https://x.dev/y.md", ResolvedLink::Unchecked),
            ("", "mailto:a@x.dev", ResolvedLink::Unchecked),
            ("", "//x.dev/y", ResolvedLink::Unchecked),
            ("", "path/to/x.md", ResolvedLink::Unchecked),
            ("", "{name}.md", ResolvedLink::Unchecked),
            ("", "<file>", ResolvedLink::Unchecked),
            ("", "...", ResolvedLink::Unchecked),
            ("", "url", ResolvedLink::Unchecked),
            ("", "", ResolvedLink::Unchecked),
        ] {
            assert_eq!(resolve_link(&skill, dir, target), lead, "{dir:?} {target}");
        }
    }

    #[test]
    fn relative_path_goes_up_to_the_common_directory() {
        assert_eq!(
            relative_path("references/deep", "references/x.md"),
            "../x.md"
        );
        assert_eq!(relative_path("", "references/x.md"), "references/x.md");
        assert_eq!(
            relative_path("scripts", "references/x.md"),
            "../references/x.md"
        );
    }
}
