//! Which files an override is about. The only file of the linter that knows globs.

use std::borrow::Cow;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::error::{Error, Result};
use crate::lint::{below, join};
use crate::manifest::lint::Written;

/// How paths of findings become paths below the manifest: what they begin with, and what takes its place, the longest
/// first.
#[derive(Debug, Clone, Default)]
pub(super) struct View(Vec<(String, String)>);

impl View {
    pub(super) fn add(&mut self, shown: &str, below: &str) {
        let pair = (shown.to_owned(), below.to_owned());
        if !self.0.contains(&pair) {
            self.0.push(pair);
            self.0.sort_by_key(|(shown, _)| std::cmp::Reverse(shown.len()));
        }
    }

    pub(super) fn of<'p>(&self, path: &'p str) -> Cow<'p, str> {
        let rest = |(shown, place): &(String, String)| {
            let rest = if shown == path { "" } else { below(shown, path)? };
            Some(if place.is_empty() { Cow::Borrowed(rest) } else { Cow::Owned(join(place, rest)) })
        };
        self.0.iter().find_map(rest).unwrap_or(Cow::Borrowed(path))
    }
}

/// Patterns of paths: `skills/old` is that directory with all in it, `*.py` such files anywhere, `skills/*/x.md` what it
/// says, `**` any number of directories.
#[derive(Debug, Clone)]
pub(super) struct Patterns(GlobSet);

impl Patterns {
    pub(super) fn new(written: &[Written]) -> Result<Patterns> {
        let mut set = GlobSetBuilder::new();
        for Written { text, place } in written {
            let refused = |cause: globset::Error| {
                Error::usage(format!("{place}: `{}` is no pattern of paths", text.escape_debug()))
                    .cause(cause.kind().to_string())
                    .help("patterns are like `skills/legacy`, `*.py` or `skills/*/references/**`")
            };
            let plain = text.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
            let anywhere = if text.trim_end_matches('/').contains('/') { String::new() } else { "**/".to_owned() };
            for end in ["", "/**"] {
                let glob = format!("{anywhere}{plain}{end}");
                set.add(GlobBuilder::new(&glob).literal_separator(true).build().map_err(refused)?);
            }
        }
        set.build().map(Patterns).map_err(|cause| Error::usage("patterns of paths are too many").because(&cause))
    }

    pub(super) fn hold(&self, path: &str) -> bool {
        self.0.is_match(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(pattern: &str) -> Vec<&'static str> {
        let patterns = Patterns::new(&[Written { text: pattern.into(), place: String::new() }]).unwrap();
        let paths = ["a.py", "skills/old/SKILL.md", "skills/old/x/b.py", "skills/new/SKILL.md"];
        paths.into_iter().filter(|path| patterns.hold(path)).collect()
    }

    #[test]
    fn a_directory_is_all_that_is_in_it_and_a_bare_name_is_anywhere() {
        for pattern in ["skills/old", "skills/old/", "./skills/old", "skills/old/**", "old", "/skills/o*"] {
            assert_eq!(held(pattern), ["skills/old/SKILL.md", "skills/old/x/b.py"], "{pattern}");
        }
        assert_eq!(held("*.py"), ["a.py", "skills/old/x/b.py"]);
        assert_eq!(held("/a.py"), ["a.py"]);
        assert_eq!(held("skills/*/SKILL.md"), ["skills/old/SKILL.md", "skills/new/SKILL.md"]);
        assert_eq!(held("skills/*.py"), [""; 0]);
        assert_eq!(held("**").len(), 4);
    }

    #[test]
    fn a_pattern_that_is_none_is_named_with_its_place() {
        let error = Patterns::new(&[Written { text: "[z-a]".into(), place: "skillpm.toml:3:10".into() }]).unwrap_err();
        assert_eq!(error.message(), "skillpm.toml:3:10: `[z-a]` is no pattern of paths");
    }

    #[test]
    fn paths_of_findings_are_those_below_the_manifest() {
        for (shown, below, path, expected) in [
            ("", "", "skills/a/SKILL.md", "skills/a/SKILL.md"),
            ("", "skills", "a/SKILL.md", "skills/a/SKILL.md"),
            ("../x", "x", "../x/SKILL.md", "x/SKILL.md"),
            ("../x", "x", "../xy/SKILL.md", "../xy/SKILL.md"),
            ("/abs/x", "", "/abs/x/a.md", "a.md"),
        ] {
            let mut view = View::default();
            view.add(shown, below);
            assert_eq!(view.of(path), expected, "{shown} {below} {path}");
        }
        let mut view = View::default();
        view.add("", "");
        view.add("../p/old", "old");
        assert_eq!([view.of("../p/old/a"), view.of("b")], ["old/a", "b"]);
    }
}
