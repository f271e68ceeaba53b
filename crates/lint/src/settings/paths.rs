//! The paths that an override applies to.

use std::borrow::Cow;

use crate::path_pattern::PathPattern;
use crate::{join, relative_to};
use skillpm_core::error::{Error, Result};
use skillpm_core::manifest::lint::LocatedText;

/// Maps paths of findings to paths relative to the manifest: pairs of a prefix and its replacement, the longest prefix
/// first.
#[derive(Debug, Clone, Default)]
pub(super) struct PathMapping(Vec<(String, String)>);

impl PathMapping {
    pub(super) fn add(&mut self, shown: &str, below: &str) {
        let pair = (shown.to_owned(), below.to_owned());
        if !self.0.contains(&pair) {
            self.0.push(pair);
            // The longest first, so that a directory within another one wins.
            self.0
                .sort_by_key(|(shown, _)| std::cmp::Reverse(shown.len()));
        }
    }

    pub(super) fn map_path<'p>(&self, path: &'p str) -> Cow<'p, str> {
        self.0
            .iter()
            .find_map(|(shown, below)| replace_prefix(path, shown, below))
            .unwrap_or(Cow::Borrowed(path))
    }
}

/// Replaces the directory `from` at the start of a path by `to`; `None` if the path is not in it.
fn replace_prefix<'p>(path: &'p str, from: &str, to: &str) -> Option<Cow<'p, str>> {
    let rest = if from == path {
        ""
    } else {
        relative_to(from, path)?
    };

    Some(if to.is_empty() {
        Cow::Borrowed(rest)
    } else {
        Cow::Owned(join(to, rest))
    })
}

/// The paths of an override. A `/` at the end of a pattern says nothing here: a file may be meant as well.
#[derive(Debug, Clone)]
pub(super) struct PathGlobs(Vec<PathPattern>);

impl PathGlobs {
    pub(super) fn new(written: &[LocatedText]) -> Result<PathGlobs> {
        let patterns: Result<Vec<PathPattern>> = written.iter().map(parse_located).collect();
        patterns.map(PathGlobs)
    }

    pub(super) fn is_match(&self, path: &str) -> bool {
        self.0.iter().any(|pattern| pattern.matches(path))
    }
}

fn parse_located(LocatedText { text, location }: &LocatedText) -> Result<PathPattern> {
    parse_pattern(text).map_err(|cause| {
        let text = text.escape_debug();
        Error::usage(format!("{location}: invalid path pattern `{text}`"))
            .cause(cause)
            .help("use a pattern such as `skills/legacy`, `*.py` or `skills/*/references/**`")
    })
}

/// Parses a pattern, in which people write `./skills` for the `/skills` of a `.gitignore`.
fn parse_pattern(text: &str) -> std::result::Result<PathPattern, String> {
    let dots = text.len() - text.trim_start_matches("./").len();
    // The last `/` stays, so that the pattern counts from the root.
    PathPattern::parse(text[dots.saturating_sub(1)..].trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching_paths(pattern: &str) -> Vec<&'static str> {
        let patterns = PathGlobs::new(&[LocatedText {
            text: pattern.into(),
            location: String::new(),
        }])
        .unwrap();
        let paths = [
            "a.py",
            "skills/old/SKILL.md",
            "skills/old/x/b.py",
            "skills/new/SKILL.md",
        ];
        paths
            .into_iter()
            .filter(|path| patterns.is_match(path))
            .collect()
    }

    #[test]
    fn directory_matches_its_content_and_bare_name_matches_anywhere() {
        for pattern in [
            "skills/old",
            "skills/old/",
            "./skills/old",
            "skills/old/**",
            "old",
            "/skills/o*",
        ] {
            assert_eq!(
                matching_paths(pattern),
                ["skills/old/SKILL.md", "skills/old/x/b.py"],
                "{pattern}"
            );
        }
        assert_eq!(matching_paths("*.py"), ["a.py", "skills/old/x/b.py"]);
        assert_eq!(matching_paths("/a.py"), ["a.py"]);
        assert_eq!(
            matching_paths("skills/*/SKILL.md"),
            ["skills/old/SKILL.md", "skills/new/SKILL.md"]
        );
        assert_eq!(matching_paths("skills/*.py"), [""; 0]);
        assert_eq!(matching_paths("**").len(), 4);
    }

    #[test]
    fn invalid_pattern_is_reported_with_its_place() {
        let error = PathGlobs::new(&[LocatedText {
            text: "[z-a]".into(),
            location: "skillpm.toml:3:10".into(),
        }])
        .unwrap_err();
        assert_eq!(
            error.message(),
            "skillpm.toml:3:10: invalid path pattern `[z-a]`"
        );
    }

    #[test]
    fn paths_of_findings_are_mapped_to_the_manifest() {
        for (shown, below, path, expected) in [
            ("", "", "skills/a/SKILL.md", "skills/a/SKILL.md"),
            ("", "skills", "a/SKILL.md", "skills/a/SKILL.md"),
            ("../x", "x", "../x/SKILL.md", "x/SKILL.md"),
            ("../x", "x", "../xy/SKILL.md", "../xy/SKILL.md"),
            ("/abs/x", "", "/abs/x/a.md", "a.md"),
        ] {
            let mut view = PathMapping::default();
            view.add(shown, below);
            assert_eq!(view.map_path(path), expected, "{shown} {below} {path}");
        }
        let mut view = PathMapping::default();
        view.add("", "");
        view.add("../p/old", "old");
        assert_eq!(
            [view.map_path("../p/old/a"), view.map_path("b")],
            ["old/a", "b"]
        );
    }
}
